//! The factorisations of LAPACK that programs call by name, straight from their definitions:
//! `potrf`, `getrf`, `geqrf`, `orgqr`, `ormqr` and `gehrd`, column by column in complex `f64`.
//! Eigenvalues and singular values are in [`spectral`].

use crate::{
    Error, Result,
    linalg::{C, conj, div, mul, place, scalar, sub},
    spectral,
    value::{Scalar, Tensor, indices, zero},
};
use mapwright_mlir::{ElementType, FloatKind, Op, attr};
use mapwright_ops::library;

/// The results of a call; `None` where the function is not one of these.
/// `shapes`: those of the results.
pub(crate) fn execute(
    op: Op<'_>,
    target: &str,
    inputs: &[Tensor],
    shapes: &[Vec<i64>],
) -> Result<Option<Vec<Tensor>>> {
    let name = target
        .strip_suffix("_ffi")
        .and_then(|name| match name.strip_prefix("lapack_") {
            Some(name) => name.get(1..),
            None => Some(name),
        });
    let few = || Error::plain(format!("@{target} has too few operands"));
    let a = || inputs.first().filter(|a| a.rank() >= 2).ok_or_else(few);
    Ok(Some(match name {
        Some("potrf") => potrf(a()?, option(op, "uplo")? == i64::from(b'L'))?,
        Some("getrf") => getrf(a()?)?,
        Some("geqrf") => geqrf(a()?)?,
        Some("orgqr" | "ungqr") => vec![orgqr(a()?, inputs.get(1).ok_or_else(few)?)?],
        Some("ormqr" | "unmqr") => {
            let [a, taus, c] = inputs else {
                return Err(few());
            };
            let flag = |name| library::flag(op, name).map_err(|v| Error::plain(v.message));
            vec![ormqr(a, taus, c, (flag("left")?, flag("transpose")?))?]
        }
        Some("syevd" | "heevd") => spectral::syevd(a()?, option(op, "uplo")? == i64::from(b'L'))?,
        Some("gesdd" | "gesvd") => {
            let size = |result: usize, back: usize| {
                let shape = shapes.get(result);
                let size = shape.and_then(|shape| shape.get(shape.len().checked_sub(back)?));
                size.and_then(|n| usize::try_from(*n).ok()).ok_or_else(few)
            };
            spectral::gesdd(a()?, size(2, 1)?, size(3, 2)?)?
        }
        Some("geev") => spectral::geev(a()?)?,
        Some("gtsv") => spectral::gtsv(inputs, None)?,
        Some("tridiagonal_solve_perturbed") => {
            let precision = match inputs.first().ok_or_else(few)?.element {
                ElementType::Float(FloatKind::F64) | ElementType::Complex(FloatKind::F64) => 52,
                _ => 23,
            };
            let epsilon = 0.5f64.powi(precision);
            spectral::gtsv(inputs, Some(epsilon))?.drain(3..4).collect()
        }
        Some("gehrd") => gehrd(a()?)?,
        _ => return Ok(None),
    }))
}

/// A letter among the options of the call.
fn option(op: Op<'_>, name: &str) -> Result<i64> {
    let value = ["mhlo.backend_config", "backend_config"]
        .iter()
        .find_map(|key| attr::int(attr::entry(op.attribute(key)?, name)?));
    value.ok_or_else(|| Error::plain(format!("needs the option '{name}'")))
}

pub(crate) type Matrix = Vec<Vec<C>>;

pub(crate) fn sizes(a: &Tensor) -> (&[i64], usize, usize) {
    let (batch, size) = a.shape.split_at(a.rank() - 2);
    (batch, size[0] as usize, size[1] as usize)
}

pub(crate) fn matrix(a: &Tensor, batch: &[i64]) -> Result<Matrix> {
    let (_, m, n) = sizes(a);
    let row = |i: usize| {
        (0..n)
            .map(|j| a.at(&place(batch, i, j))?.complex())
            .collect()
    };
    (0..m).map(row).collect()
}

pub(crate) fn write(tensor: &mut Tensor, batch: &[i64], at: &[usize], value: Scalar) {
    let mut index = batch.to_vec();
    index.extend(at.iter().map(|i| *i as i64));
    if let Some(place) = tensor.position(&index) {
        tensor.data[place] = value;
    }
}

pub(crate) fn write_matrix(tensor: &mut Tensor, batch: &[i64], values: &Matrix) {
    for (i, row) in values.iter().enumerate() {
        for (j, x) in row.iter().enumerate() {
            let value = scalar(&tensor.element, *x);
            write(tensor, batch, &[i, j], value);
        }
    }
}

pub(crate) fn empty(element: &ElementType, batch: &[i64], size: &[usize]) -> Result<Tensor> {
    let mut shape = batch.to_vec();
    shape.extend(size.iter().map(|n| *n as i64));
    Tensor::build(element, &shape, |_| Ok(zero(element)))
}

/// `L` with `A = L L^H` in the lower triangle, or its adjoint in the upper one, and how many
/// leading rows have none.
fn potrf(a: &Tensor, lower: bool) -> Result<Vec<Tensor>> {
    let (leading, n, columns) = sizes(a);
    if n != columns {
        return Err(Error::plain("matrices that are not square"));
    }
    let mut factors = a.clone();
    let mut infos = empty(&ElementType::int(32), leading, &[])?;
    for batch in indices(leading) {
        let mut whole = matrix(a, &batch)?;
        let given = |i: usize, j: usize| {
            if lower {
                whole[i][j]
            } else {
                conj(whole[j][i])
            }
        };
        let mut l = vec![vec![(0.0, 0.0); n]; n];
        let mut info = 0;
        'rows: for i in 0..n {
            for j in 0..=i {
                let terms = (0..j).map(|k| mul(l[i][k], conj(l[j][k])));
                let rest = terms.fold(given(i, j), sub);
                if j < i {
                    l[i][j] = div(rest, l[j][j]);
                } else if rest.0 > 0.0 {
                    l[i][i] = (rest.0.sqrt(), 0.0);
                } else {
                    info = i + 1;
                    break 'rows;
                }
            }
        }
        let rows = if info == 0 { n } else { info - 1 };
        for i in 0..rows {
            for j in 0..=i {
                if lower {
                    whole[i][j] = l[i][j]
                } else {
                    whole[j][i] = conj(l[i][j])
                }
            }
        }
        write_matrix(&mut factors, &batch, &whole);
        write(&mut infos, &batch, &[], Scalar::Int(info as i128));
    }
    Ok(vec![factors, infos])
}

fn getrf(a: &Tensor) -> Result<Vec<Tensor>> {
    let (leading, m, n) = sizes(a);
    let int = ElementType::int(32);
    let mut factors = a.clone();
    let mut pivots = empty(&int, leading, &[m.min(n)])?;
    let mut infos = empty(&int, leading, &[])?;
    for batch in indices(leading) {
        let mut a = matrix(a, &batch)?;
        let mut info = 0;
        for j in 0..m.min(n) {
            // The first of the largest.
            let size = |x: C| x.0.abs() + x.1.abs();
            let best = (j..m).fold(j, |best, i| {
                if size(a[i][j]) > size(a[best][j]) {
                    i
                } else {
                    best
                }
            });
            a.swap(j, best);
            write(&mut pivots, &batch, &[j], Scalar::Int(best as i128 + 1));
            if size(a[j][j]) == 0.0 {
                info = if info == 0 { j + 1 } else { info };
                continue;
            }
            for i in j + 1..m {
                a[i][j] = div(a[i][j], a[j][j]);
                for k in j + 1..n {
                    a[i][k] = sub(a[i][k], mul(a[i][j], a[j][k]));
                }
            }
        }
        write_matrix(&mut factors, &batch, &a);
        write(&mut infos, &batch, &[], Scalar::Int(info as i128));
    }
    Ok(vec![factors, pivots, infos])
}

fn geqrf(a: &Tensor) -> Result<Vec<Tensor>> {
    let (leading, m, n) = sizes(a);
    let mut found = a.clone();
    let mut taus = empty(&a.element, leading, &[m.min(n)])?;
    for batch in indices(leading) {
        let mut a = matrix(a, &batch)?;
        for k in 0..m.min(n) {
            let square = |i: usize| a[i][k].0 * a[i][k].0 + a[i][k].1 * a[i][k].1;
            let rest: f64 = (k + 1..m).map(square).sum();
            let head = a[k][k];
            if rest == 0.0 && head.1 == 0.0 {
                continue;
            }
            let beta = -(rest + square(k)).sqrt().copysign(head.0);
            let tau = ((beta - head.0) / beta, -head.1 / beta);
            write(&mut taus, &batch, &[k], scalar(&found.element, tau));
            // v, whose first element is one.
            let v: Vec<C> = (k..m)
                .map(|i| {
                    if i == k {
                        (1.0, 0.0)
                    } else {
                        div(a[i][k], sub(head, (beta, 0.0)))
                    }
                })
                .collect();
            for j in k + 1..n {
                let column: Vec<C> = (k..m).map(|i| a[i][j]).collect();
                let column = reflected(&column, &v, conj(tau));
                (k..m).for_each(|i| a[i][j] = column[i - k]);
            }
            (k + 1..m).for_each(|i| a[i][k] = v[i - k]);
            a[k][k] = (beta, 0.0);
        }
        write_matrix(&mut found, &batch, &a);
    }
    Ok(vec![found, taus])
}

/// The Hessenberg form of whole matrices: below it the reflections that make it, and their factors.
fn gehrd(a: &Tensor) -> Result<Vec<Tensor>> {
    let (leading, n, columns) = sizes(a);
    if n != columns {
        return Err(Error::plain("matrices that are not square"));
    }
    let mut found = a.clone();
    let mut taus = empty(&a.element, leading, &[n.saturating_sub(1)])?;
    let infos = empty(&ElementType::int(32), leading, &[])?;
    for batch in indices(leading) {
        let mut a = matrix(a, &batch)?;
        for k in 0..n.saturating_sub(1) {
            let head = a[k + 1][k];
            let square = |i: usize| a[i][k].0 * a[i][k].0 + a[i][k].1 * a[i][k].1;
            let rest: f64 = (k + 2..n).map(square).sum();
            if rest == 0.0 && head.1 == 0.0 {
                continue;
            }
            let beta = -(rest + square(k + 1)).sqrt().copysign(head.0);
            let tau = ((beta - head.0) / beta, -head.1 / beta);
            write(&mut taus, &batch, &[k], scalar(&found.element, tau));
            let mut v = vec![(0.0, 0.0); n];
            v[k + 1] = (1.0, 0.0);
            (k + 2..n).for_each(|i| v[i] = div(a[i][k], sub(head, (beta, 0.0))));
            // H^H A H, columns first.
            for j in k..n {
                let column: Vec<C> = a.iter().map(|row| row[j]).collect();
                let column = reflected(&column, &v, conj(tau));
                (0..n).for_each(|i| a[i][j] = column[i]);
            }
            for row in &mut a {
                let adjoint: Vec<C> = row.iter().map(|x| conj(*x)).collect();
                let turned = reflected(&adjoint, &v, conj(tau));
                // The columns before hold reflections.
                (k + 1..n).for_each(|j| row[j] = conj(turned[j]));
            }
            (k + 2..n).for_each(|i| a[i][k] = v[i]);
            a[k + 1][k] = (beta, 0.0);
        }
        write_matrix(&mut found, &batch, &a);
    }
    Ok(vec![found, taus, infos])
}

/// `x - tau v (v^H x)`.
fn reflected(x: &[C], v: &[C], tau: C) -> Vec<C> {
    let product = x.iter().zip(v).fold((0.0, 0.0), |sum, (x, v)| {
        let term = mul(conj(*v), *x);
        (sum.0 + term.0, sum.1 + term.1)
    });
    let factor = mul(tau, product);
    x.iter()
        .zip(v)
        .map(|(x, v)| sub(*x, mul(*v, factor)))
        .collect()
}

fn orgqr(a: &Tensor, taus: &Tensor) -> Result<Tensor> {
    let (leading, m, n) = sizes(a);
    let count = taus.shape.last().map_or(0, |k| *k as usize);
    if m < n || n < count {
        return Err(Error::plain(
            "has more reflections than columns, or columns than rows",
        ));
    }
    let mut found = a.clone();
    for batch in indices(leading) {
        let q = reflections(a, taus, &batch)?;
        let unit = |j: usize| (0..m).map(|i| (f64::from(u8::from(i == j)), 0.0)).collect();
        let columns: Vec<Vec<C>> = (0..n).map(|j| q.times(unit(j), false)).collect();
        write_matrix(&mut found, &batch, &turned(&columns, m));
    }
    Ok(found)
}

/// `Q C`, or `C Q` without `left`; `Q^H` in the place of `Q` if `adjoint`.
fn ormqr(a: &Tensor, taus: &Tensor, c: &Tensor, (left, adjoint): (bool, bool)) -> Result<Tensor> {
    let (leading, rows, columns) = sizes(c);
    let mut found = c.clone();
    for batch in indices(leading) {
        let q = reflections(a, taus, &batch)?;
        let c = matrix(c, &batch)?;
        if q.rows != if left { rows } else { columns } {
            return Err(Error::plain(
                "has reflections of other rows than its matrices",
            ));
        }
        let product = if left {
            let columns = turned(&c, columns).into_iter();
            let columns: Vec<Vec<C>> = columns.map(|x| q.times(x, adjoint)).collect();
            turned(&columns, rows)
        } else {
            // The adjoint of a row of C Q is Q^H times the adjoint of the row.
            let conjugated = |x: Vec<C>| x.into_iter().map(conj).collect::<Vec<C>>();
            let rows = c.into_iter();
            rows.map(|row| conjugated(q.times(conjugated(row), !adjoint)))
                .collect()
        };
        write_matrix(&mut found, &batch, &product);
    }
    Ok(found)
}

/// Columns as rows of `n`, or rows as columns.
fn turned(a: &[Vec<C>], n: usize) -> Matrix {
    (0..n)
        .map(|i| a.iter().map(|line| line[i]).collect())
        .collect()
}

/// The product of reflections, the first one on the left.
struct Reflections {
    rows: usize,
    /// Vectors, and their factors.
    all: Vec<(Vec<C>, C)>,
}

fn reflections(a: &Tensor, taus: &Tensor, batch: &[i64]) -> Result<Reflections> {
    let (_, rows, width) = sizes(a);
    let a = matrix(a, batch)?;
    let count = taus.shape.last().map_or(0, |k| *k as usize);
    if count > rows.min(width) {
        return Err(Error::plain("has more reflections than rows or columns"));
    }
    let one = |k: usize| -> Result<(Vec<C>, C)> {
        let mut v = vec![(0.0, 0.0); rows];
        v[k] = (1.0, 0.0);
        (k + 1..rows).for_each(|i| v[i] = a[i][k]);
        let mut at = batch.to_vec();
        at.push(k as i64);
        Ok((v, taus.at(&at)?.complex()?))
    };
    let all = (0..count).map(one).collect::<Result<_>>()?;
    Ok(Reflections { rows, all })
}

impl Reflections {
    fn times(&self, x: Vec<C>, adjoint: bool) -> Vec<C> {
        if adjoint {
            (self.all.iter()).fold(x, |x, (v, tau)| reflected(&x, v, conj(*tau)))
        } else {
            (self.all.iter().rev()).fold(x, |x, (v, tau)| reflected(&x, v, *tau))
        }
    }
}
