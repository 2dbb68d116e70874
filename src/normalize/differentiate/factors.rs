//! Factorisations that programs call by LAPACK's names: eigenvalues, singular values, triangular
//! and orthogonal factors.
//!
//! The formulas are those of cotangents whose products with tangents are conjugated (M.
//! Giles, *Collected matrix derivative results for forward and reverse mode algorithmic
//! differentiation*; F. de Hoog, R. Anderssen, M. Lukas, *Differentiation of matrix functionals
//! using triangular factorization*); given and found cotangents are conjugates of these. A matrix
//! counts as a function of all its elements, also where a factorisation reads one triangle. As
//! derivatives do, they become infinite where eigenvalues or singular values are equal.

use super::{
    linalg::{System, adjoint, solve, times, transposed, where_rows},
    places::Places,
    reverse::Reverse,
};
use crate::{
    rewrite::{Result, fail},
    tarray::make::Make,
};
use mapwright_indexing::Extent;
use mapwright_mlir::{ElementType, Op, Ty, Val, attr};
use mapwright_ops::{
    attrs::{GatherDimensions, Transpose},
    library,
};

/// The letter of an option, one of `known`.
fn letter<'c>(op: Op<'c>, name: &str, known: &str) -> Result<'c, char> {
    match library::letter(op, name, known) {
        Ok(letter) => Ok(letter),
        Err(violation) => fail(op, violation.message),
    }
}

/// Returns the type of integers with which places in a matrix are counted.
fn integers() -> ElementType {
    ElementType::int(64)
}

/// Tells whether operations stand in one block.
pub(super) fn beside(x: Op<'_>, y: Op<'_>) -> bool {
    let blocks = x.block().zip(y.block());
    blocks.is_some_and(|(x, y)| x.to_raw().ptr == y.to_raw().ptr)
}

/// A vector for each row, or for each column, as the elements of matrices of this shape.
fn along<'c>(m: &Make<'c>, x: Val<'c>, shape: &[Extent], dimension: usize) -> Val<'c> {
    let mut dims: Vec<i64> = (0..shape.len() as i64 - 2).collect();
    dims.push(dimension as i64);
    m.broadcast(x, &dims, shape)
}

/// Ones on the diagonals of matrices of this shape.
fn identity<'c>(m: &Make<'c>, element: &ElementType, shape: &[Extent]) -> Val<'c> {
    where_rows(m, "EQ", m.number(1.0, element, shape))
}

/// `1 / (x + i) - i` of what is zero on the diagonal, where `i` is one.
fn reciprocals<'c>(m: &Make<'c>, x: Val<'c>) -> Val<'c> {
    let (element, shape) = m.type_of(x);
    let one = identity(m, &element, &shape);
    let ones = m.number(1.0, &element, &shape);
    m.sub(m.same("divide", &[ones, m.add(x, one)]), one)
}

/// Half of a matrix.
fn half<'c>(m: &Make<'c>, x: Val<'c>) -> Val<'c> {
    let (element, shape) = m.type_of(x);
    m.same("multiply", &[x, m.number(0.5, &element, &shape)])
}

/// `x x^H` taken out of `y`: what of its columns is not spanned by those of `x`.
fn outside<'c>(m: &Make<'c>, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    m.sub(y, times(m, x, times(m, adjoint(m, x), y)))
}

/// Rows and columns of a matrix.
pub(super) fn rows_and_columns<'c>(m: &Make<'c>, value: Val<'c>) -> (Extent, Extent) {
    let (_, shape) = m.type_of(value);
    match shape.as_slice() {
        [.., rows, columns] => (*rows, *columns),
        _ => Default::default(),
    }
}

impl<'c> Reverse<'c> {
    /// Functions that are called by name.
    pub(super) fn called(&self, op: Op<'c>, given: &[Option<Val<'c>>]) -> Result<'c> {
        let target = op.string("call_target_name").unwrap_or_default();
        let Some((function, _)) = library::lapack::find(&target) else {
            return self.no_rule(op);
        };
        let empty = (library::arguments(op).unwrap_or_default().into_iter())
            .any(|v| self.m.type_of(v).1.contains(&Extent::ZERO));
        let (rows, columns) = rows_and_columns(&self.m, op.operand(0));
        let unknown = rows != columns && (rows.is_run_time() || columns.is_run_time());
        if unknown && matches!(function.name, "gesdd" | "gesvd" | "getrf") {
            return fail(
                op,
                "has no rule of differentiation: it is known at run time only whether there are more rows or columns",
            );
        }
        let part = match (function.name, given) {
            _ if empty => self.zeros_like(op.operand(0)),
            ("potrf", [Some(given), ..]) => {
                // The other triangle of the result is that of the operand.
                let lower = letter(op, "uplo", "LU")? == 'L';
                let part = self.of_factor(op.result(0), *given, lower);
                let other = where_rows(&self.m, if lower { "LT" } else { "GT" }, *given);
                self.m.add(part, other)
            }
            ("syevd" | "heevd", [vectors, values, ..]) => self.of_eigen(op, *vectors, *values)?,
            ("gesdd" | "gesvd", [_, values, left, right, ..]) => {
                self.of_singular(op, *values, *left, *right)?
            }
            ("getrf", [Some(given), ..]) => self.of_triangles(op, *given)?,
            ("geqrf", [Some(given), None, ..]) => self.of_upper(op, *given)?,
            ("orgqr" | "ungqr", [Some(given), ..]) => return self.of_orthogonal(op, *given),
            _ => return self.no_rule(op),
        };
        self.give(op.operand(0), part);
        Ok(())
    }

    /// The call once more, with this letter as its option `mode` and results of these sizes behind
    /// those of the batch.
    fn with_vectors(&self, op: Op<'c>, mode: char, sizes: &[&[Extent]]) -> Vec<Val<'c>> {
        let b = &self.m.b;
        let (_, matrix) = self.m.type_of(op.operand(0));
        let batch = &matrix[..matrix.len() - 2];
        let types: Vec<Ty<'c>> = (op.results().into_iter().zip(sizes))
            .map(|(result, own)| {
                let (element, _) = self.m.type_of(result);
                self.m.ty(&element, &[batch, own].concat())
            })
            .collect();
        let mut attributes = op.attributes();
        for (name, value) in &mut attributes {
            // Older calls have an empty string beside the dictionary.
            if name.ends_with("backend_config")
                && let Some(entries) = attr::dictionary(*value)
            {
                let entries: Vec<String> = (entries.into_iter())
                    .map(|(key, value)| {
                        if key == "mode" {
                            format!("mode = {} : ui8", mode as u32)
                        } else {
                            format!("{key} = {value}")
                        }
                    })
                    .collect();
                *value = b.parse_attr(&format!("{{{}}}", entries.join(", ")));
            }
        }
        // They tell of the sizes of the results that were.
        let of_sizes = ["output_operand_aliases", "sdy.sharding_rule"];
        attributes.retain(|(name, _)| !of_sizes.contains(&&**name));
        let shapes: Vec<Vec<Extent>> = sizes.iter().map(|own| [batch, own].concat()).collect();
        let mut operands = op.operands();
        for (k, shape) in library::shape_operands(op)
            .unwrap_or_default()
            .into_iter()
            .zip(&shapes)
        {
            operands[k] = self.m.convert(self.m.vector(shape), &ElementType::int(32));
        }
        let made = b.op(op.name(), &operands, &types, &attributes).results();
        for (value, shape) in made.iter().zip(&shapes) {
            self.m.sized(*value, shape);
        }
        made
    }

    /// `A V = V diag(w)` of a Hermitian matrix.
    fn of_eigen(
        &self,
        op: Op<'c>,
        vectors: Option<Val<'c>>,
        values: Option<Val<'c>>,
    ) -> Result<'c, Val<'c>> {
        let m = &self.m;
        let (element, shape) = m.type_of(op.operand(0));
        let n = shape.len();
        let (v, w) = match letter(op, "mode", "VN")? {
            'V' => (op.result(0), op.result(1)),
            _ => {
                let (rows, columns) = rows_and_columns(m, op.operand(0));
                let again = self.with_vectors(op, 'V', &[&[rows, columns], &[columns], &[]]);
                (again[0], again[1])
            }
        };
        let mut inner = None;
        if let Some(values) = values {
            let all = along(m, m.convert(values, &element), &shape, n - 1);
            inner = Some(where_rows(m, "EQ", all));
        }
        if let Some(vectors) = vectors {
            let w = m.convert(w, &element);
            let apart = m.sub(along(m, w, &shape, n - 1), along(m, w, &shape, n - 2));
            let turned = times(m, adjoint(m, v), m.conjugate(vectors));
            let part = m.same("multiply", &[reciprocals(m, apart), turned]);
            inner = Some(inner.map_or(part, |inner| m.add(inner, part)));
        }
        let Some(inner) = inner else {
            return fail(op, "has no result with a cotangent");
        };
        Ok(m.conjugate(times(m, v, times(m, inner, adjoint(m, v)))))
    }

    /// `A = U diag(s) V^H`, with as many columns in `U` and `V` as there are singular values.
    fn of_singular(
        &self,
        op: Op<'c>,
        values: Option<Val<'c>>,
        left: Option<Val<'c>>,
        right: Option<Val<'c>>,
    ) -> Result<'c, Val<'c>> {
        let m = &self.m;
        let (element, matrix) = m.type_of(op.operand(0));
        let (rows, columns) = rows_and_columns(m, op.operand(0));
        let least = rows.min(columns);
        let (s, u, vt) = match letter(op, "mode", "ASN")? {
            'A' if rows != columns => {
                return fail(
                    op,
                    "has no rule of differentiation: of more singular vectors than singular values",
                );
            }
            'N' => {
                let sizes: [&[Extent]; 5] = [
                    &[rows, columns],
                    &[least],
                    &[rows, least],
                    &[least, columns],
                    &[],
                ];
                let again = self.with_vectors(op, 'S', &sizes);
                (again[1], again[2], again[3])
            }
            _ => (op.result(1), op.result(2), op.result(3)),
        };
        let (ut, v) = (adjoint(m, u), adjoint(m, vt));
        let mut shape = matrix.clone();
        let n = shape.len();
        shape[n - 2..].fill(least);
        let s = m.convert(s, &element);
        let (by_column, by_row) = (along(m, s, &shape, n - 1), along(m, s, &shape, n - 2));
        let mul = |x: Val<'c>, y: Val<'c>| m.same("multiply", &[x, y]);
        let apart = mul(m.add(by_column, by_row), m.sub(by_column, by_row));
        let factors = reciprocals(m, apart);
        let mut inner = match values {
            Some(values) => {
                let all = along(m, m.convert(values, &element), &shape, n - 1);
                where_rows(m, "EQ", all)
            }
            None => m.zeros(&element, &shape),
        };
        // What of vectors is beside the space of all others is divided by their singular value.
        let divided = |x: Val<'c>| {
            let shape = m.type_of(x).1;
            m.same("divide", &[x, along(m, s, &shape, n - 1)])
        };
        let mut beside = None;
        if let Some(left) = left {
            let left = m.conjugate(left);
            let turned = times(m, ut, left);
            let x = mul(factors, turned);
            inner = m.add(inner, mul(m.add(x, adjoint(m, x)), by_column));
            if matches!(element, ElementType::Complex(_)) {
                let none = m.compare("EQ", by_column, m.zeros(&element, &shape));
                let ones = m.number(1.0, &element, &shape);
                let own = m.same("divide", &[turned, m.select(none, ones, by_column)]);
                let own = where_rows(m, "EQ", m.select(none, m.zeros(&element, &shape), own));
                inner = m.add(inner, half(m, m.sub(own, adjoint(m, own))));
            }
            if rows > columns {
                beside = Some(times(m, divided(outside(m, u, left)), vt));
            }
        }
        if let Some(right) = right {
            // That of V, of which the result is the adjoint.
            let right = transposed(m, right);
            let y = mul(factors, times(m, vt, right));
            inner = m.add(inner, mul(by_row, m.add(y, adjoint(m, y))));
            if columns > rows {
                let part = divided(outside(m, v, right));
                beside = Some(times(m, u, adjoint(m, part)));
            }
        }
        let whole = times(m, u, times(m, inner, vt));
        Ok(m.conjugate(beside.map_or(whole, |part| m.add(whole, part))))
    }

    /// `P A = L U`, with both factors in one matrix.
    fn of_triangles(&self, op: Op<'c>, given: Val<'c>) -> Result<'c, Val<'c>> {
        let m = &self.m;
        let factors = op.result(0);
        let (element, shape) = m.type_of(factors);
        let n = shape.len();
        let (rows, columns) = rows_and_columns(m, factors);
        let least = rows.min(columns);
        let given = m.conjugate(given);
        // Both factors as square matrices, ones on the diagonal where there is nothing of them.
        let square = |cut: usize, direction: &str, size: Extent| {
            let part = m.slice(factors, cut, (0, 1, least));
            let part = where_rows(m, direction, part);
            let part = m.lengthened(part, cut, size);
            let (_, shape) = m.type_of(part);
            (part, identity(m, &element, &shape), shape)
        };
        let (below, ones, _) = square(n - 1, "GT", rows);
        let lower = m.add(below, ones);
        let (upper, ones, sizes) = square(n - 2, "LE", columns);
        let behind = m.compare(
            "GE",
            m.iota(&sizes, n - 2),
            m.spread(m.scalar(least), &sizes),
        );
        let upper = m.add(upper, m.select(behind, ones, m.zeros(&element, &sizes)));
        let strict = where_rows(m, "GT", times(m, adjoint(m, lower), given));
        let rest = where_rows(m, "LE", times(m, given, adjoint(m, upper)));
        let system = System {
            left: true,
            lower: true,
            unit: true,
        };
        let both = solve(m, (lower, m.add(strict, rest)), system, Transpose::Adjoint);
        let system = System {
            left: false,
            lower: false,
            unit: false,
        };
        let permuted = solve(m, (upper, both), system, Transpose::Adjoint);
        let order = self.order_of_pivots(op, &shape)?;
        Ok(m.conjugate(put_in_order(self, order, permuted)))
    }

    /// The row of `A` that each row of `P A` is, from the exchanges that a factorisation says,
    /// counted from one.
    pub(super) fn order_of_pivots(&self, op: Op<'c>, matrix: &[Extent]) -> Result<'c, Val<'c>> {
        let m = &self.m;
        // As many as rows, or as columns if there are fewer.
        let (_, shape) = m.type_of(op.result(1));
        let last = shape.len() - 1;
        let rows = &matrix[..matrix.len() - 1];
        let pivots = m.convert(op.result(1), &integers());
        let pivots = m.sub(pivots, m.spread(m.int(1), &shape));
        let at =
            |n: Val<'c>, sizes: &[Extent]| m.compare("EQ", m.iota(sizes, last), m.spread(n, sizes));
        let batch: Vec<i64> = (0..last as i64).collect();
        let only = |there: Val<'c>, x: Val<'c>| {
            let (element, sizes) = m.type_of(x);
            let alone = m.select(there, x, m.zeros(&element, &sizes));
            m.broadcast(m.sum(alone, &[last as i64]), &batch, rows)
        };
        let count = m.scalar(shape[last]);
        let order = m.repeat(op, count, &[m.iota(rows, last)], |i, state| {
            let order = state[0];
            let here = at(i, rows);
            let other = only(at(i, &shape), pivots);
            let there = m.compare("EQ", m.iota(rows, last), other);
            let (own, others) = (only(here, order), only(there, order));
            Ok(vec![m.select(here, others, m.select(there, own, order))])
        })?;
        Ok(order[0])
    }
}

/// The matrix whose row `order[i]` is row `i` of `x`.
pub(super) fn put_in_order<'c>(reverse: &Reverse<'c>, order: Val<'c>, x: Val<'c>) -> Val<'c> {
    let m = &reverse.m;
    let (element, shape) = m.type_of(x);
    let batch = shape.len() as i64 - 2;
    let dims = GatherDimensions {
        offset_dims: vec![batch + 1],
        collapsed_slice_dims: vec![batch],
        operand_batching_dims: (0..batch).collect(),
        start_indices_batching_dims: (0..batch).collect(),
        start_index_map: vec![batch],
        index_vector_dim: batch + 1,
        slice_sizes: None,
    };
    let sizes = Vec::new();
    let unique = [("unique_indices", m.b.bool_attr(true))];
    let zeros = m.zeros(&element, &shape);
    reverse.put_together(None, (zeros, order, x), &Places { dims, sizes }, &unique)
}
