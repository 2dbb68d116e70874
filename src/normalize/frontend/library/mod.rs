//! The library calls of XLA, whose names have no prefix: `@Qr`,
//! `@ProductOfElementaryHouseholderReflectors`, `@LuDecomposition`, `@Eigh`, `@SVD`, `@Cholesky`
//! and `@TopK`, as XLA's builder and frameworks on top of it write them.
//!
//! The factorisations have the results of LAPACK's functions in another order or form, and become
//! calls of these (see [`crate::lapack`]): packed reflectors are those of `geqrf`; pivots are
//! counted from 0 where `getrf` counts from 1, and the permutation that they make is a third
//! result; `Eigh` has the vectors before the values. Where LAPACK says that it has found nothing,
//! the results are NaN. Elements of 16 bits are computed in single precision.

mod lu;
mod top_k;

use crate::{
    hlo::float_literal,
    make::{self, HloBuilder},
    rewrite::{Result, fail, replace},
};
use mapwright_indexing::counted;
use mapwright_mlir::{Attr, ElementType, FloatKind, Op, TensorType, Val, melior::ir::ValueLike};
use mapwright_ops::layout::Layout;

/// Rewrites the calls inside `root`. Returns how many.
///
/// # Errors
/// Calls whose operands and results are not those of the function.
pub(super) fn legalize<'c>(root: Op<'c>) -> Result<'c, usize> {
    let mut count = 0;
    for op in root.descendants() {
        if !op.is_hlo("custom_call") {
            continue;
        }
        let rewrite = match op.string("call_target_name").as_deref() {
            Some("Qr") => qr,
            Some("ProductOfElementaryHouseholderReflectors") => product_of_reflectors,
            Some("LuDecomposition") => lu::rewrite,
            Some("Eigh") => eigh,
            Some("SVD") => svd,
            Some("Cholesky") => cholesky,
            Some("TopK") => top_k::rewrite,
            _ => continue,
        };
        rewrite(op)?;
        count += 1;
    }
    Ok(count)
}

/// A call of a function of matrices: what all of them have.
struct Call<'c> {
    op: Op<'c>,
    b: HloBuilder<'c>,
    /// Element type of the matrices as the call has them.
    element: ElementType,
    /// The type that they are computed in.
    work: ElementType,
    /// Sizes before the last two.
    batch: Vec<i64>,
    rows: i64,
    columns: i64,
}

impl<'c> Call<'c> {
    fn new(op: Op<'c>, operands: usize, results: usize) -> Result<'c, Self> {
        if op.num_operands() != operands || op.num_results() != results {
            return fail(
                op,
                format!(
                    "has {} and {}, expected {operands} and {results}",
                    counted(op.num_operands(), "operand"),
                    counted(op.num_results(), "result")
                ),
            );
        }
        let ty = TensorType::from_mlir(op.operand(0).r#type());
        let shape = ty.as_ref().and_then(TensorType::static_shape);
        let (Some(ty), Some(shape)) = (ty, shape.filter(|shape| shape.len() >= 2)) else {
            return fail(op, "needs matrices of static shape");
        };
        let work = match &ty.element {
            ElementType::Float(FloatKind::F16 | FloatKind::BF16) => ElementType::F32,
            ElementType::Float(FloatKind::F32 | FloatKind::F64)
            | ElementType::Complex(FloatKind::F32 | FloatKind::F64) => ty.element.clone(),
            other => return fail(op, format!("has matrices of {other}")),
        };
        let Some(b) = HloBuilder::before(op) else {
            return fail(op, "is not inside a block");
        };
        let (batch, size) = shape.split_at(shape.len() - 2);
        Ok(Self {
            op,
            b,
            element: ty.element.clone(),
            work,
            batch: batch.to_vec(),
            rows: size[0],
            columns: size[1],
        })
    }

    /// The type of elements without an imaginary part, of a type of elements.
    fn real(element: &ElementType) -> ElementType {
        match element {
            ElementType::Complex(kind) => ElementType::Float(*kind),
            other => other.clone(),
        }
    }

    fn shape(&self, sizes: &[i64]) -> Vec<i64> {
        [&self.batch, sizes].concat()
    }

    fn tensor(&self, element: &ElementType, sizes: &[i64]) -> TensorType {
        TensorType::new(element.clone(), &self.shape(sizes))
    }

    fn square(&self) -> Result<'c> {
        if self.rows == self.columns {
            Ok(())
        } else {
            fail(self.op, "needs square matrices")
        }
    }

    /// Checks that `value` has this type.
    fn expect(
        &self,
        what: &str,
        value: Val<'c>,
        element: &ElementType,
        sizes: &[i64],
    ) -> Result<'c> {
        let expected = self.tensor(element, sizes);
        let ty = value.r#type();
        if TensorType::from_mlir(ty).as_ref() == Some(&expected) {
            Ok(())
        } else {
            fail(self.op, format!("has {what} of {ty}, expected {expected}"))
        }
    }

    fn expect_result(&self, i: usize, element: &ElementType, sizes: &[i64]) -> Result<'c> {
        self.expect(&format!("result {i}"), self.op.result(i), element, sizes)
    }

    /// Operand `i` in the type that is computed in.
    fn operand(&self, i: usize) -> Val<'c> {
        self.b.convert(self.op.operand(i), &self.work)
    }

    /// A call of LAPACK's function; `results` are element types and sizes after the batch.
    fn lapack(
        &self,
        name: &str,
        options: &str,
        operands: &[Val<'c>],
        results: &[(ElementType, Vec<i64>)],
    ) -> Vec<Val<'c>> {
        let letter = match &self.work {
            ElementType::Float(FloatKind::F64) => "d",
            ElementType::Complex(FloatKind::F64) => "z",
            ElementType::Complex(_) => "c",
            _ => "s",
        };
        let of_operands: Vec<TensorType> = operands.iter().copied().map(make::own).collect();
        let of_results: Vec<TensorType> = (results.iter())
            .map(|(element, sizes)| self.tensor(element, sizes))
            .collect();
        let target = format!("lapack_{letter}{name}_ffi");
        self.b
            .several(
                "stablehlo.custom_call",
                operands,
                &of_results,
                &[
                    ("call_target_name", self.b.str_attr(&target)),
                    ("mhlo.backend_config", self.b.parse_attr(options)),
                    ("operand_layouts", self.layouts(&of_operands)),
                    ("result_layouts", self.layouts(&of_results)),
                ],
            )
            .results()
    }

    /// Layouts of tensors: of matrices column by column.
    fn layouts(&self, of: &[TensorType]) -> Attr<'c> {
        let layout = |ty: &TensorType| {
            if ty.rank() == self.batch.len() + 2 {
                Layout::column_major(ty.rank())
            } else {
                Layout::row_major(ty.rank())
            }
        };
        let layouts = of
            .iter()
            .map(|ty| self.b.parse_attr(&layout(ty).to_string()));
        let layouts: Vec<Attr<'c>> = layouts.collect();
        self.b.array_attr(&layouts)
    }

    fn spread(&self, value: Val<'c>, element: &ElementType, sizes: &[i64]) -> Val<'c> {
        let dims: Vec<i64> = (0..self.batch.len() as i64).collect();
        self.b.broadcast(value, &self.tensor(element, sizes), &dims)
    }

    /// `value`, or NaN in the matrices whose `info` is not 0, in the type of the call.
    fn found(&self, value: Val<'c>, info: Val<'c>, sizes: &[i64]) -> Val<'c> {
        let Some(ty) = make::tensor(value) else {
            return value;
        };
        let b = &self.b;
        let zero = b.constant("0", &self.tensor(&ElementType::int(32), &[]));
        let good = b.compare("EQ", info, zero);
        let good = self.spread(good, &ElementType::Bool, sizes);
        let mut nan = float_literal(f64::NAN, &Self::real(&ty.element));
        if ty.element.is_complex() {
            nan = format!("({nan}, {nan})");
        }
        let chosen = b.choose(good, value, b.constant(&nan, &ty));
        let element = if ty.element.is_complex() {
            self.element.clone()
        } else {
            Self::real(&self.element)
        };
        self.b.convert(chosen, &element)
    }
}

fn qr<'c>(op: Op<'c>) -> Result<'c> {
    let call = Call::new(op, 1, 2)?;
    let (m, n) = (call.rows, call.columns);
    call.expect_result(0, &call.element, &[m, n])?;
    call.expect_result(1, &call.element, &[m.min(n)])?;
    let of = |sizes: &[i64]| (call.work.clone(), sizes.to_vec());
    let found = call.lapack(
        "geqrf",
        "{}",
        &[call.operand(0)],
        &[of(&[m, n]), of(&[m.min(n)])],
    );
    let values: Vec<Val<'c>> = found
        .into_iter()
        .map(|value| call.b.convert(value, &call.element))
        .collect();
    replace(op, &values);
    Ok(())
}

fn product_of_reflectors<'c>(op: Op<'c>) -> Result<'c> {
    let call = Call::new(op, 2, 1)?;
    let (m, n) = (call.rows, call.columns);
    let taus = TensorType::from_mlir(op.operand(1).r#type()).and_then(|ty| ty.static_shape());
    let count = taus.and_then(|shape| shape.last().copied());
    let Some(count) = count.filter(|count| m >= n && *count <= n) else {
        return fail(
            op,
            "needs no more reflectors than columns, and no more columns than rows",
        );
    };
    call.expect("operand 1", op.operand(1), &call.element, &[count])?;
    call.expect_result(0, &call.element, &[m, n])?;
    let name = if call.work.is_complex() {
        "ungqr"
    } else {
        "orgqr"
    };
    let found = call.lapack(
        name,
        "{}",
        &[call.operand(0), call.operand(1)],
        &[(call.work.clone(), vec![m, n])],
    );
    replace(op, &[call.b.convert(found[0], &call.element)]);
    Ok(())
}

/// The options of `Eigh`: whether the lower triangle is read, whether the values are sorted (they
/// are), and two limits of XLA's method.
fn eigh<'c>(op: Op<'c>) -> Result<'c> {
    let call = Call::new(op, 1, 2)?;
    call.square()?;
    let n = call.rows;
    let real = Call::real(&call.element);
    call.expect_result(0, &call.element, &[n, n])?;
    call.expect_result(1, &real, &[n])?;
    let config = op.string("backend_config").unwrap_or_default();
    let letter = match config.split(',').next().map(str::trim) {
        None | Some("" | "1" | "true") => b'L',
        Some("0" | "false") => b'U',
        Some(other) => {
            return fail(op, format!("reads the triangle '{other}', expected 0 or 1"));
        }
    };
    let name = if call.work.is_complex() {
        "heevd"
    } else {
        "syevd"
    };
    let found = call.lapack(
        name,
        &format!("{{mode = {} : ui8, uplo = {letter} : ui8}}", b'V'),
        &[call.operand(0)],
        &[
            (call.work.clone(), vec![n, n]),
            (Call::real(&call.work), vec![n]),
            (ElementType::int(32), vec![]),
        ],
    );
    let values = [
        call.found(found[0], found[2], &[n, n]),
        call.found(found[1], found[2], &[n]),
    ];
    replace(op, &values);
    Ok(())
}

/// `u`, `d` and `v` with `a = u diag(d) v^H`, all vectors or as many as there are values.
fn svd<'c>(op: Op<'c>) -> Result<'c> {
    let call = Call::new(op, 1, 3)?;
    let (m, n) = (call.rows, call.columns);
    let k = m.min(n);
    let last = |i: usize| {
        let shape = TensorType::from_mlir(op.result(i).r#type()).and_then(|ty| ty.static_shape());
        shape.and_then(|shape| shape.last().copied()).unwrap_or(k)
    };
    let (left, right) = match (last(0), last(2)) {
        (left, right) if left == m && right == n => (m, n),
        _ => (k, k),
    };
    let real = Call::real(&call.element);
    call.expect_result(0, &call.element, &[m, left])?;
    call.expect_result(1, &real, &[k])?;
    call.expect_result(2, &call.element, &[n, right])?;
    let mode = if (left, right) == (m, n) { b'A' } else { b'S' };
    let found = call.lapack(
        "gesdd",
        &format!("{{mode = {mode} : ui8}}"),
        &[call.operand(0)],
        &[
            (call.work.clone(), vec![m, n]),
            (Call::real(&call.work), vec![k]),
            (call.work.clone(), vec![m, left]),
            (call.work.clone(), vec![right, n]),
            (ElementType::int(32), vec![]),
        ],
    );
    let rank = call.batch.len();
    let mut order: Vec<usize> = (0..rank + 2).collect();
    order.swap(rank, rank + 1);
    let vectors = call.b.transpose(found[3], &order);
    let vectors = if call.work.is_complex() {
        call.b.same("chlo.conj", &[vectors])
    } else {
        vectors
    };
    let values = [
        call.found(found[2], found[4], &[m, left]),
        call.found(found[1], found[4], &[k]),
        call.found(vectors, found[4], &[n, right]),
    ];
    replace(op, &values);
    Ok(())
}

fn cholesky<'c>(op: Op<'c>) -> Result<'c> {
    let call = Call::new(op, 1, 1)?;
    call.square()?;
    let n = call.rows;
    call.expect_result(0, &call.element, &[n, n])?;
    let config = op.string("backend_config").unwrap_or_default();
    let lower = match (op.boolean("lower"), config.as_str()) {
        (Some(lower), _) => lower,
        (None, "" | "1" | "true") => true,
        (None, "0" | "false") => false,
        (None, other) => {
            return fail(
                op,
                format!("has the configuration '{other}', expected 0 or 1"),
            );
        }
    };
    let lower = [("lower", call.b.bool_attr(lower))];
    let found = call
        .b
        .value("stablehlo.cholesky", &[call.operand(0)], &lower);
    replace(op, &[call.b.convert(found, &call.element)]);
    Ok(())
}
