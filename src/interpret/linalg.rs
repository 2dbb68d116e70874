//! `cholesky` and `triangular_solve`, column by column in complex `f64`, or (`Extreme`) with every
//! step rounded.

use crate::{
    Extreme, Machine, Result,
    extreme::on_the_way,
    value::{Scalar, Tensor, fit, indices},
};
use mapwright_mlir::{ElementType, Op};
use mapwright_ops::attrs::{self, Transpose};

pub(crate) type C = (f64, f64);

pub(crate) fn mul(a: C, b: C) -> C {
    // Of real numbers, also of infinite ones.
    if a.1 == 0.0 && b.1 == 0.0 {
        return (a.0 * b.0, 0.0);
    }
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

pub(crate) fn sub(a: C, b: C) -> C {
    (a.0 - b.0, a.1 - b.1)
}

pub(crate) fn conj(a: C) -> C {
    (a.0, -a.1)
}

pub(crate) fn div(a: C, b: C) -> C {
    let n = b.0 * b.0 + b.1 * b.1;
    let q = mul(a, conj(b));
    if b.1 == 0.0 {
        (a.0 / b.0, a.1 / b.0)
    } else {
        (q.0 / n, q.1 / n)
    }
}

pub(crate) fn scalar(element: &ElementType, x: C) -> Scalar {
    let value = match element {
        ElementType::Complex(_) => Scalar::Complex(x.0, x.1),
        _ => Scalar::Real(x.0),
    };
    fit(element, value)
}

/// The result of `op`, if it is of this family.
pub(crate) fn execute<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    name: &str,
    inputs: &[Tensor],
) -> Result<Option<Tensor>> {
    let found = match name {
        "cholesky" => cholesky(op, machine.extreme, &inputs[0])?,
        "triangular_solve" => solve(op, machine.extreme, &inputs[0], &inputs[1])?,
        _ => return Ok(None),
    };
    let size = found
        .data
        .iter()
        .filter_map(|x| x.complex().ok())
        .map(|x| x.0.hypot(x.1))
        .filter(|x| x.is_finite())
        .fold(0.0, f64::max);
    let element = found.element.clone();
    Ok(Some(Tensor {
        data: found
            .data
            .iter()
            .map(|x| match x.complex() {
                Ok((0.0, 0.0)) => *x,
                _ => machine.unsettle(&element, *x, 16.0 * size),
            })
            .collect(),
        ..found
    }))
}

/// Matrices of the last two dimensions: the batch index with two more places.
pub(crate) fn place(batch: &[i64], i: usize, j: usize) -> Vec<i64> {
    let mut at = batch.to_vec();
    at.extend([i as i64, j as i64]);
    at
}

fn cholesky(op: Op<'_>, extreme: Option<Extreme>, a: &Tensor) -> Result<Tensor> {
    let one = |x: f64| on_the_way(extreme, &a.element, x);
    let r = |x: C| (one(x.0), one(x.1));
    let lower = attrs::flag(op, "lower", false)?;
    let rank = a.rank();
    let n = a.shape[rank - 1] as usize;
    let mut found = Tensor::build(&a.element, &a.shape, |_| Ok(crate::value::zero(&a.element)))?;
    for batch in indices(&a.shape[..rank - 2]) {
        // Only the triangle that is given is read; the upper one is the adjoint of the lower one.
        let given = |i: usize, j: usize| -> Result<C> {
            if lower {
                a.at(&place(&batch, i, j))?.complex()
            } else {
                Ok(conj(a.at(&place(&batch, j, i))?.complex()?))
            }
        };
        let mut l = vec![vec![(0.0, 0.0); n]; n];
        for j in 0..n {
            let mut d = given(j, j)?.0;
            for k in 0..j {
                let square = one(l[j][k].0 * l[j][k].0) + one(l[j][k].1 * l[j][k].1);
                d = one(d - one(square));
            }
            l[j][j] = (one(d.sqrt()), 0.0);
            for i in j + 1..n {
                let mut s = given(i, j)?;
                for k in 0..j {
                    s = r(sub(s, r(mul(l[i][k], conj(l[j][k])))));
                }
                l[i][j] = r(div(s, l[j][j]));
            }
        }
        for i in 0..n {
            for j in 0..=i {
                let (at, value) = if lower {
                    (place(&batch, i, j), l[i][j])
                } else {
                    (place(&batch, j, i), conj(l[i][j]))
                };
                if let Some(at) = found.position(&at) {
                    found.data[at] = scalar(&a.element, value);
                }
            }
        }
    }
    Ok(found)
}

fn solve(op: Op<'_>, extreme: Option<Extreme>, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let one = |x: f64| on_the_way(extreme, &b.element, x);
    let r = |x: C| (one(x.0), one(x.1));
    let left = attrs::flag(op, "left_side", true)?;
    let lower = attrs::flag(op, "lower", false)?;
    let unit = attrs::flag(op, "unit_diagonal", false)?;
    let transpose = attrs::transpose_a(op)?;
    let rank = a.rank();
    let n = a.shape[rank - 1] as usize;
    let (rows, columns) = (b.shape[rank - 2] as usize, b.shape[rank - 1] as usize);
    let mut found = b.clone();
    for batch in indices(&a.shape[..rank - 2]) {
        // op(a), with what is not in its triangle left out.
        let element = |i: usize, j: usize| -> Result<C> {
            let (r, c) = match transpose {
                Transpose::NoTranspose => (i, j),
                _ => (j, i),
            };
            if r == c && unit {
                return Ok((1.0, 0.0));
            }
            if (lower && c > r) || (!lower && c < r) {
                return Ok((0.0, 0.0));
            }
            let x = a.at(&place(&batch, r, c))?.complex()?;
            Ok(if transpose == Transpose::Adjoint {
                conj(x)
            } else {
                x
            })
        };
        // x op(a) = b is op(a)^T x^T = b^T.
        let m = |i: usize, j: usize| if left { element(i, j) } else { element(j, i) };
        let is_lower = lower == (transpose == Transpose::NoTranspose);
        let forward = is_lower == left;
        for column in 0..if left { columns } else { rows } {
            let at = |i: usize| {
                if left {
                    place(&batch, i, column)
                } else {
                    place(&batch, column, i)
                }
            };
            let mut x = vec![(0.0, 0.0); n];
            let order: Vec<usize> = if forward {
                (0..n).collect()
            } else {
                (0..n).rev().collect()
            };
            for (done, i) in order.iter().enumerate() {
                let mut s = b.at(&at(*i))?.complex()?;
                for j in &order[..done] {
                    s = r(sub(s, r(mul(m(*i, *j)?, x[*j]))));
                }
                x[*i] = r(div(s, m(*i, *i)?));
            }
            for (i, value) in x.into_iter().enumerate() {
                if let Some(place) = found.position(&at(i)) {
                    found.data[place] = scalar(&b.element, value);
                }
            }
        }
    }
    Ok(found)
}
