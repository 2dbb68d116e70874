//! Triangular systems and Cholesky factors, by closed formulas, and what other factorisations
//! ([`factors`](super::factors)) share with them.

use super::reverse::Reverse;
use crate::{
    rewrite::{Result, fail},
    tarray::make::Make,
};
use mapwright_indexing::Extent;
use mapwright_mlir::{Op, Val};
use mapwright_ops::attrs::{Transpose, transpose_a};

/// Triangular systems: which side the matrix is on, which triangle it is, whether its diagonal
/// counts as ones.
#[derive(Clone, Copy)]
pub(super) struct System {
    pub(super) left: bool,
    pub(super) lower: bool,
    pub(super) unit: bool,
}

/// Returns the attributes of a triangular system.
pub(super) fn system_of(op: Op<'_>) -> System {
    System {
        left: op.boolean("left_side").unwrap_or(false),
        lower: op.boolean("lower").unwrap_or(false),
        unit: op.boolean("unit_diagonal").unwrap_or(false),
    }
}

/// The solution of a triangular system `(a, b)`.
pub(super) fn solve<'c>(
    m: &Make<'c>,
    (a, b): (Val<'c>, Val<'c>),
    system: System,
    how: Transpose,
) -> Val<'c> {
    let (element, shape) = m.type_of(b);
    let how = format!("#stablehlo<transpose {}>", how.name());
    let attributes = [
        ("left_side", m.b.bool_attr(system.left)),
        ("lower", m.b.bool_attr(system.lower)),
        ("unit_diagonal", m.b.bool_attr(system.unit)),
        ("transpose_a", m.b.parse_attr(&how)),
    ];
    m.op("triangular_solve", &[a, b], &element, &shape, &attributes)
}

/// The matrices of a batch transposed.
pub(super) fn transposed<'c>(m: &Make<'c>, x: Val<'c>) -> Val<'c> {
    let rank = m.type_of(x).1.len() as i64;
    let mut permutation: Vec<i64> = (0..rank).collect();
    permutation.swap(rank as usize - 2, rank as usize - 1);
    m.transpose(x, &permutation)
}

/// The matrices of a batch, each conjugated and transposed.
pub(super) fn adjoint<'c>(m: &Make<'c>, x: Val<'c>) -> Val<'c> {
    transposed(m, m.conjugate(x))
}

/// Products of the matrices of two batches: `x y`.
pub(super) fn times<'c>(m: &Make<'c>, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    let (element, mut shape) = m.type_of(x);
    let n = shape.len();
    shape[n - 1] = m.type_of(y).1[n - 1];
    let batch: Vec<i64> = (0..n as i64 - 2).collect();
    let numbers =
        m.b.dot_numbers([&batch, &batch], [&[n as i64 - 1], &[n as i64 - 2]]);
    let attributes = [("dot_dimension_numbers", numbers)];
    m.op("dot_general", &[x, y], &element, &shape, &attributes)
}

/// The elements of matrices whose row compares with their column like this; zeros elsewhere.
pub(super) fn where_rows<'c>(m: &Make<'c>, direction: &str, x: Val<'c>) -> Val<'c> {
    let (element, shape) = m.type_of(x);
    let n = shape.len();
    let there = m.compare(direction, m.iota(&shape, n - 2), m.iota(&shape, n - 1));
    m.select(there, x, m.zeros(&element, &shape))
}

/// The lower triangle, its diagonal halved.
fn half_lower<'c>(m: &Make<'c>, x: Val<'c>) -> Val<'c> {
    let (element, shape) = m.type_of(x);
    let half = m.same("multiply", &[x, m.number(0.5, &element, &shape)]);
    let n = shape.len();
    let (row, column) = (m.iota(&shape, n - 2), m.iota(&shape, n - 1));
    let diagonal = m.select(m.compare("EQ", row, column), half, x);
    where_rows(m, "GE", diagonal)
}

impl<'c> Reverse<'c> {
    /// `A = L L^H`, of which `A` is known by one triangle.
    pub(super) fn factorised(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let lower = op.boolean("lower").unwrap_or(false);
        let part = self.of_factor(op.result(0), given, lower);
        self.give(op.operand(0), part);
        Ok(())
    }

    /// Returns the cotangent of one triangle of a matrix from that of its Cholesky factor, which
    /// has the same triangle.
    pub(super) fn of_factor(&self, factor: Val<'c>, given: Val<'c>, lower: bool) -> Val<'c> {
        let m = &self.m;
        if m.type_of(given).1.contains(&Extent::ZERO) {
            return given;
        }
        // Of an upper factor U the lower one is U^H, as a function of A's upper triangle conjugated
        // and transposed.
        let turned = |x: Val<'c>| {
            if lower {
                x
            } else {
                transposed(m, m.conjugate(x))
            }
        };
        let l = where_rows(m, "GE", turned(factor));
        // The formula is one of cotangents whose products are conjugated.
        let bar = where_rows(m, "GE", turned(m.conjugate(given)));
        let phi = half_lower(m, times(m, transposed(m, m.conjugate(l)), bar));
        let system = System {
            left: true,
            lower: true,
            unit: false,
        };
        let inner = solve(m, (l, phi), system, Transpose::Adjoint);
        let system = System {
            left: false,
            ..system
        };
        let s = solve(m, (l, inner), system, Transpose::NoTranspose);
        let both = m.add(s, transposed(m, m.conjugate(s)));
        turned(m.conjugate(half_lower(m, both)))
    }

    /// `op(A) X = B` or `X op(A) = B`.
    pub(super) fn solved(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let how = match transpose_a(op) {
            Ok(how) => how,
            Err(error) => return fail(op, error.to_string()),
        };
        let (a, b, x) = (op.operand(0), op.operand(1), op.result(0));
        let system = system_of(op);
        if m.type_of(given).1.contains(&Extent::ZERO) {
            for value in [a, b] {
                if self.is_active(value) {
                    self.give(value, self.zeros_like(value));
                }
            }
            return Ok(());
        }
        // The cotangent of B solves the transposed system.
        let of_b = match how {
            Transpose::NoTranspose => solve(m, (a, given), system, Transpose::Transpose),
            Transpose::Transpose => solve(m, (a, given), system, Transpose::NoTranspose),
            Transpose::Adjoint => solve(m, (m.conjugate(a), given), system, Transpose::NoTranspose),
        };
        let whole = self.is_second_system(op).is_some() || self.of_whole_matrix(op, of_b)?;
        if self.is_active(a) && !whole {
            let product = if system.left {
                times(m, of_b, transposed(m, x))
            } else {
                times(m, transposed(m, x), of_b)
            };
            let product = match how {
                Transpose::NoTranspose => product,
                Transpose::Transpose => transposed(m, product),
                Transpose::Adjoint => m.conjugate(transposed(m, product)),
            };
            let direction = match (system.lower, system.unit) {
                (true, false) => "GE",
                (true, true) => "GT",
                (false, false) => "LE",
                (false, true) => "LT",
            };
            self.give(a, m.same("negate", &[where_rows(m, direction, product)]));
        }
        if self.is_active(b) {
            self.give(b, of_b);
        }
        Ok(())
    }
}
