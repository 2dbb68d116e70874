//! The eigenvalues and singular values that programs call LAPACK for: `syevd` and `heevd` by
//! Jacobi's rotations, `gesdd` and `gesvd` by those of columns, `geev` by the QR algorithm, in
//! complex `f64`; and `gtsv`, an elimination.

use crate::{
    Error, Result,
    lapack::{Matrix, empty, matrix, sizes, write, write_matrix},
    linalg::{C, conj, div, mul, scalar, sub},
    value::{Scalar, Tensor, fit, indices},
};
use mapwright_mlir::{ElementType, FloatKind};

const ZERO: C = (0.0, 0.0);

/// Rounds over all pairs, or steps for one eigenvalue, after which a matrix is given up.
const MOST_ROUNDS: usize = 100;

fn add(a: C, b: C) -> C {
    (a.0 + b.0, a.1 + b.1)
}

fn times(a: C, x: f64) -> C {
    (a.0 * x, a.1 * x)
}

fn norm(x: C) -> f64 {
    x.0.hypot(x.1)
}

fn real(element: &ElementType) -> ElementType {
    match element {
        ElementType::Complex(kind) => ElementType::Float(*kind),
        other => other.clone(),
    }
}

fn write_real(tensor: &mut Tensor, batch: &[i64], at: &[usize], x: f64) {
    let value = fit(&tensor.element, Scalar::Real(x));
    write(tensor, batch, at, value);
}

/// The rotation that makes columns with the products `p`, `q` with themselves and `pq` with each
/// other orthogonal: cosine, sine, and the phase that the second column is multiplied with before.
fn rotation(p: f64, q: f64, pq: C) -> (f64, f64, C) {
    let size = norm(pq);
    let tau = (q - p) / (2.0 * size);
    let t = tau.signum() / (tau.abs() + tau.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    (c, t * c, times(conj(pq), 1.0 / size))
}

/// Turns columns `p` and `q`.
fn turn(rows: &mut Matrix, p: usize, q: usize, (c, s, phase): (f64, f64, C)) {
    for row in rows {
        let (x, y) = (row[p], mul(row[q], phase));
        row[p] = sub(times(x, c), times(y, s));
        row[q] = add(times(x, s), times(y, c));
    }
}

fn adjoint(a: &Matrix, columns: usize) -> Matrix {
    (0..columns)
        .map(|j| a.iter().map(|row| conj(row[j])).collect())
        .collect()
}

fn identity(n: usize) -> Matrix {
    let one = |i: usize, j: usize| if i == j { (1.0, 0.0) } else { ZERO };
    (0..n)
        .map(|i| (0..n).map(|j| one(i, j)).collect())
        .collect()
}

/// Eigenvectors as columns, eigenvalues in ascending order, and 0.
pub(crate) fn syevd(a: &Tensor, lower: bool) -> Result<Vec<Tensor>> {
    let (leading, n, columns) = sizes(a);
    if n != columns {
        return Err(Error::plain("matrices that are not square"));
    }
    let mut vectors = a.clone();
    let mut values = empty(&real(&a.element), leading, &[n])?;
    let infos = empty(&ElementType::int(32), leading, &[])?;
    for batch in indices(leading) {
        let given = matrix(a, &batch)?;
        let mut a: Matrix = (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| match (i == j, (i > j) == lower) {
                        (true, _) => (given[i][i].0, 0.0),
                        (_, true) => given[i][j],
                        (_, false) => conj(given[j][i]),
                    })
                    .collect()
            })
            .collect();
        let mut v = identity(n);
        for _ in 0..MOST_ROUNDS {
            let mut turned = false;
            for p in 0..n {
                for q in p + 1..n {
                    let small = f64::EPSILON * (a[p][p].0.abs() * a[q][q].0.abs()).sqrt();
                    if norm(a[p][q]) <= small.max(f64::MIN_POSITIVE) {
                        continue;
                    }
                    let by = rotation(a[p][p].0, a[q][q].0, a[p][q]);
                    turn(&mut a, p, q, by);
                    a = adjoint(&a, n);
                    turn(&mut a, p, q, by);
                    a = adjoint(&a, n);
                    turn(&mut v, p, q, by);
                    turned = true;
                }
            }
            if !turned {
                break;
            }
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|x, y| a[*x][*x].0.total_cmp(&a[*y][*y].0));
        let sorted: Matrix = v
            .iter()
            .map(|row| order.iter().map(|k| row[*k]).collect())
            .collect();
        write_matrix(&mut vectors, &batch, &sorted);
        for (k, from) in order.iter().enumerate() {
            write_real(&mut values, &batch, &[k], a[*from][*from].0);
        }
    }
    Ok(vec![vectors, values, infos])
}

/// Zeros in the place of the matrix, singular values in descending order, `left` left vectors as
/// columns, `right` adjoint right vectors as rows, and 0.
pub(crate) fn gesdd(a: &Tensor, left: usize, right: usize) -> Result<Vec<Tensor>> {
    let (leading, m, n) = sizes(a);
    let element = &a.element;
    let least = m.min(n);
    let rest = empty(element, leading, &[m, n])?;
    let mut values = empty(&real(element), leading, &[least])?;
    let mut us = empty(element, leading, &[m, left])?;
    let mut vs = empty(element, leading, &[right, n])?;
    let infos = empty(&ElementType::int(32), leading, &[])?;
    for batch in indices(leading) {
        // The columns of the matrix, or of its adjoint if these are fewer, become orthogonal.
        let given = matrix(a, &batch)?;
        let mut x = if m >= n { given } else { adjoint(&given, n) };
        let mut v = identity(least);
        for _ in 0..MOST_ROUNDS {
            let mut turned = false;
            for p in 0..least {
                for q in p + 1..least {
                    let product = |i: usize, j: usize| {
                        x.iter()
                            .fold(ZERO, |sum, row| add(sum, mul(conj(row[i]), row[j])))
                    };
                    let (pp, qq, pq) = (product(p, p).0, product(q, q).0, product(p, q));
                    if norm(pq) <= (1e-15 * (pp * qq).sqrt()).max(f64::MIN_POSITIVE) {
                        continue;
                    }
                    let by = rotation(pp, qq, pq);
                    turn(&mut x, p, q, by);
                    turn(&mut v, p, q, by);
                    turned = true;
                }
            }
            if !turned {
                break;
            }
        }
        let length = |k: usize| x.iter().map(|row| norm(row[k])).fold(0.0, f64::hypot);
        let mut order: Vec<usize> = (0..least).collect();
        order.sort_by(|p, q| length(*q).total_cmp(&length(*p)));
        let mut long = Vec::new();
        for k in &order {
            let size = length(*k);
            if size > 0.0 {
                long.push(x.iter().map(|row| times(row[*k], 1.0 / size)).collect());
            }
        }
        let short: Vec<Vec<C>> = order
            .iter()
            .map(|k| v.iter().map(|row| row[*k]).collect())
            .collect();
        let (most, fewest) = if m >= n { (left, right) } else { (right, left) };
        let long = completed(long, m.max(n), most);
        let short = completed(short, least, fewest);
        let (u, v) = if m >= n { (long, short) } else { (short, long) };
        for (k, from) in order.iter().enumerate() {
            write_real(&mut values, &batch, &[k], length(*from));
        }
        let rows: Matrix = v
            .iter()
            .map(|x| x.iter().map(|c| conj(*c)).collect())
            .collect();
        let columns: Matrix = (0..m)
            .map(|i| u.iter().map(|column| column[i]).collect())
            .collect();
        write_matrix(&mut us, &batch, &columns);
        write_matrix(&mut vs, &batch, &rows);
    }
    Ok(vec![rest, values, us, vs, infos])
}

/// `count` orthogonal vectors of length 1, of which some are there.
fn completed(mut vectors: Vec<Vec<C>>, length: usize, count: usize) -> Vec<Vec<C>> {
    vectors.truncate(count);
    for k in 0..length {
        if vectors.len() >= count {
            break;
        }
        let mut x = vec![ZERO; length];
        x[k] = (1.0, 0.0);
        // Twice, since what is left may be small.
        for _ in 0..2 {
            for v in &vectors {
                let along = v
                    .iter()
                    .zip(&x)
                    .fold(ZERO, |sum, (v, x)| add(sum, mul(conj(*v), *x)));
                for (x, v) in x.iter_mut().zip(v) {
                    *x = sub(*x, mul(along, *v));
                }
            }
        }
        let size = x.iter().map(|x| norm(*x)).fold(0.0, f64::hypot);
        if size > 1e-3 / length as f64 {
            vectors.push(x.into_iter().map(|x| times(x, 1.0 / size)).collect());
        }
    }
    vectors
}

/// The triangular matrix that a unitary matrix makes of `a`, and that matrix.
fn schur(mut a: Matrix, n: usize) -> Option<(Matrix, Matrix)> {
    let mut u = identity(n);
    let mut end = n;
    let mut steps = 0;
    let size: f64 = a.iter().flatten().map(|x| norm(*x)).fold(0.0, f64::hypot);
    while end > 1 {
        let last = end - 1;
        let rest: f64 = a[last][..last]
            .iter()
            .map(|x| norm(*x))
            .fold(0.0, f64::hypot);
        if rest <= 1e-15 * size {
            a[last][..last].fill(ZERO);
            end = last;
            steps = 0;
            continue;
        }
        steps += 1;
        if steps > 20 * MOST_ROUNDS {
            return None;
        }
        // Towards the last element, and away from where that leads nowhere.
        let mut shift = a[last][last];
        if steps % 11 == 10 {
            shift = add(shift, (rest, rest / 3.0));
        }
        for (i, row) in a.iter_mut().enumerate().take(end) {
            row[i] = sub(row[i], shift);
        }
        // Q^H A = R by rotations of rows; then R Q.
        let mut rotations = Vec::new();
        for j in 0..last {
            for i in j + 1..end {
                let (x, y) = (a[j][j], a[i][j]);
                let length = norm(x).hypot(norm(y));
                if norm(y) == 0.0 || length == 0.0 {
                    continue;
                }
                let (c, s) = (times(x, 1.0 / length), times(y, 1.0 / length));
                for k in 0..n {
                    let (p, q) = (a[j][k], a[i][k]);
                    a[j][k] = add(mul(conj(c), p), mul(conj(s), q));
                    a[i][k] = sub(mul(c, q), mul(s, p));
                }
                rotations.push((j, i, c, s));
            }
        }
        for (j, i, c, s) in rotations {
            for row in a.iter_mut().take(end).chain(u.iter_mut()) {
                let (p, q) = (row[j], row[i]);
                row[j] = add(mul(p, c), mul(q, s));
                row[i] = sub(mul(q, conj(c)), mul(p, conj(s)));
            }
        }
        for (i, row) in a.iter_mut().enumerate().take(end) {
            row[i] = add(row[i], shift);
        }
    }
    Some((a, u))
}

/// Eigenvalues (of real matrices: their parts), left and right eigenvectors as columns of length 1
/// whose largest element is real, and 0, or 1 where none are found.
pub(crate) fn geev(a: &Tensor) -> Result<Vec<Tensor>> {
    let (leading, n, columns) = sizes(a);
    if n != columns {
        return Err(Error::plain("matrices that are not square"));
    }
    let is_real = !a.element.is_complex();
    let whole = match &a.element {
        ElementType::Float(FloatKind::F64) => ElementType::Complex(FloatKind::F64),
        ElementType::Float(_) => ElementType::Complex(FloatKind::F32),
        other => other.clone(),
    };
    let mut values = vec![empty(&a.element, leading, &[n])?; if is_real { 2 } else { 1 }];
    let mut vectors = vec![empty(&whole, leading, &[n, n])?; 2];
    let mut infos = empty(&ElementType::int(32), leading, &[])?;
    for batch in indices(leading) {
        let given = matrix(a, &batch)?;
        for (left, found) in [true, false].into_iter().zip(&mut vectors) {
            let of = if left {
                adjoint(&given, n)
            } else {
                given.clone()
            };
            let Some((t, u)) = schur(of, n) else {
                write(&mut infos, &batch, &[], Scalar::Int(1));
                continue;
            };
            let mut all = vec![vec![ZERO; n]; n];
            for k in 0..n {
                let x = eigenvector(&t, &u, k);
                for (row, x) in all.iter_mut().zip(x) {
                    row[k] = x;
                }
                if !left {
                    let value = t[k][k];
                    if is_real {
                        write_real(&mut values[0], &batch, &[k], value.0);
                        write_real(&mut values[1], &batch, &[k], value.1);
                    } else {
                        let value = scalar(&a.element, value);
                        write(&mut values[0], &batch, &[k], value);
                    }
                }
            }
            write_matrix(found, &batch, &all);
        }
    }
    values.extend(vectors);
    values.push(infos);
    Ok(values)
}

/// The eigenvector of `u t u^H` that goes with element `k` of the diagonal of the triangular matrix
/// `t`.
fn eigenvector(t: &Matrix, u: &Matrix, k: usize) -> Vec<C> {
    let n = t.len();
    let mut y = vec![ZERO; n];
    y[k] = (1.0, 0.0);
    for i in (0..k).rev() {
        let sum = (i + 1..=k).fold(ZERO, |sum, j| add(sum, mul(t[i][j], y[j])));
        let mut pivot = sub(t[k][k], t[i][i]);
        if norm(pivot) < 1e-300 {
            pivot = (f64::EPSILON, 0.0);
        }
        y[i] = div(sum, pivot);
    }
    let x: Vec<C> = u
        .iter()
        .map(|row| {
            row.iter()
                .zip(&y)
                .fold(ZERO, |sum, (a, b)| add(sum, mul(*a, *b)))
        })
        .collect();
    let size = x.iter().map(|x| norm(*x)).fold(0.0, f64::hypot);
    let largest = x
        .iter()
        .copied()
        .fold(ZERO, |best, x| if norm(x) > norm(best) { x } else { best });
    let factor = div((norm(largest) / size, 0.0), largest);
    x.into_iter().map(|x| mul(x, factor)).collect()
}

/// Solves tridiagonal systems: the diagonals (as they are given), the solutions, and the first
/// column (from 1) without a pivot. With `least`, pivots of `U` are at least that part of its
/// largest element.
pub(crate) fn gtsv(inputs: &[Tensor], least: Option<f64>) -> Result<Vec<Tensor>> {
    let [below, on, above, sides] = inputs else {
        return Err(Error::plain("needs three diagonals and right-hand sides"));
    };
    let (leading, n, columns) = sizes(sides);
    let mut found = sides.clone();
    let mut infos = empty(&ElementType::int(32), leading, &[])?;
    for batch in indices(leading) {
        let at = |of: &Tensor, i: usize| -> Result<C> {
            let mut index = batch.clone();
            index.push(i as i64);
            of.at(&index)?.complex()
        };
        let mut a = vec![vec![ZERO; n]; n];
        for i in 0..n {
            a[i][i] = at(on, i)?;
            if i > 0 {
                a[i][i - 1] = at(below, i)?;
                a[i - 1][i] = at(above, i - 1)?;
            }
        }
        let mut x = matrix(sides, &batch)?;
        let mut info = 0;
        for j in 0..n {
            let best = (j..n).fold(j, |b, i| if norm(a[i][j]) > norm(a[b][j]) { i } else { b });
            a.swap(j, best);
            x.swap(j, best);
            if norm(a[j][j]) == 0.0 {
                info = if info == 0 { j + 1 } else { info };
                continue;
            }
            for i in j + 1..n {
                let factor = div(a[i][j], a[j][j]);
                subtract_row(&mut a, (i, j), factor);
                subtract_row(&mut x, (i, j), factor);
            }
        }
        match least {
            Some(least) => enlarge_pivots(&mut a, least),
            None => write(&mut infos, &batch, &[], Scalar::Int(info as i128)),
        }
        for j in (0..n).rev() {
            for k in 0..columns {
                x[j][k] = div(x[j][k], a[j][j]);
            }
            for i in 0..j {
                let factor = a[i][j];
                subtract_row(&mut x, (i, j), factor);
            }
        }
        write_matrix(&mut found, &batch, &x);
    }
    Ok(vec![below.clone(), on.clone(), above.clone(), found, infos])
}

/// Takes `factor` times row `j` from row `i`.
fn subtract_row(a: &mut [Vec<C>], (i, j): (usize, usize), factor: C) {
    if norm(factor) == 0.0 {
        return;
    }
    for k in 0..a[i].len() {
        a[i][k] = sub(a[i][k], mul(factor, a[j][k]));
    }
}

/// Makes elements on the diagonal at least as large as this part of the largest element on or above
/// it.
fn enlarge_pivots(a: &mut [Vec<C>], least: f64) {
    let upper = |(i, row): (usize, &Vec<C>)| row[i..].iter().map(|x| norm(*x)).fold(0.0, f64::max);
    let most = a.iter().enumerate().map(upper).fold(0.0, f64::max);
    let least = if most > 0.0 { least * most } else { least };
    for (i, row) in a.iter_mut().enumerate() {
        let size = norm(row[i]);
        if size == 0.0 {
            row[i] = (least, 0.0);
        } else if size < least {
            row[i] = (row[i].0 / size * least, row[i].1 / size * least);
        }
    }
}
