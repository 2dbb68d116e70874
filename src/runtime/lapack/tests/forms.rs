//! Cholesky factors, the forms of Hessenberg and Schur, and eigenvectors, multiplied back from
//! their definitions.

use super::*;
use crate::lapack::eigen::real_part;

const ZERO: Z = Z::new(0.0, 0.0);
const INT: ElementKind = ElementKind::I32;

/// `Q` of the reflections `1 - tau v v^H`, one after another: vector `k` has its one in row
/// `first(k)` and the other elements in `rest`.
fn reflections(n: usize, taus: &[Z], vector: impl Fn(usize) -> Vec<Z>) -> Vec<Z> {
    let one = identity(n);
    taus.iter().enumerate().fold(one.clone(), |q, (k, tau)| {
        let v = vector(k);
        let h: Vec<Z> = (0..n * n)
            .map(|e| one[e] - tau * v[e / n] * v[e % n].conj())
            .collect();
        product(&q, &h, (n, n, n))
    })
}

/// `Q M Q^H`.
fn turned(q: &[Z], m: &[Z], n: usize) -> Vec<Z> {
    let left = product(q, m, (n, n, n));
    product(&left, &adjoint(q, n, n), (n, n, n))
}

fn assert_unitary(q: &[Z], n: usize, bound: f64, what: &str) {
    let gram = product(&adjoint(q, n, n), q, (n, n, n));
    assert!(distance(&gram, &identity(n)) <= bound, "{what}");
}

#[test]
fn cholesky_says_which_minor_is_not_positive() {
    let mut random = Random::new(11);
    for (letter, kind) in KINDS {
        for n in [0usize, 1, 2, 5, 40, 97, 140] {
            for lower in [true, false] {
                for failing in [None, Some(0), Some(n / 2), n.checked_sub(1)] {
                    if failing.is_some_and(|k| k >= n) {
                        continue;
                    }
                    // A = L D L^H with L near to one: a minor is as positive as the product of D up
                    // to there.
                    let small = Tensor::random(&mut random, kind, &[n, n]).values();
                    let l: Vec<Z> = (0..n * n)
                        .map(|e| match (e / n).cmp(&(e % n)) {
                            std::cmp::Ordering::Less => ZERO,
                            std::cmp::Ordering::Equal => Z::new(1.0, 0.0),
                            std::cmp::Ordering::Greater => small[e] / n as f64,
                        })
                        .collect();
                    let d: Vec<f64> = (0..n)
                        .map(|i| {
                            if failing == Some(i) {
                                -0.5
                            } else {
                                1.0 + i as f64 / n as f64
                            }
                        })
                        .collect();
                    let scaled: Vec<Z> = (0..n * n).map(|e| l[e] * d[e % n]).collect();
                    let mut a = product(&scaled, &adjoint(&l, n, n), (n, n, n));
                    // What is in the other triangle does not count, and stays.
                    let other = |i: usize, j: usize| if lower { i < j } else { i > j };
                    for e in 0..n * n {
                        if other(e / n, e % n) {
                            a[e] = Z::new(77.0, 0.0);
                        }
                    }
                    let given = Tensor::from_values(kind, &[n, n], &a);
                    let found = call(
                        &format!("lapack_{letter}potrf_ffi"),
                        std::slice::from_ref(&given),
                        &[(kind, &[n, n]), (INT, &[])],
                        &options(&[("uplo", if lower { 'L' } else { 'U' })]),
                    )
                    .unwrap();
                    let expected = failing.map_or(0, |k| k as i32 + 1);
                    assert_eq!(found[1].integers(), [expected], "{kind:?} {n}");
                    let rows = failing.unwrap_or(n);
                    let (factor, read) = (found[0].values(), given.values());
                    for e in 0..n * n {
                        let (i, j) = (e / n, e % n);
                        if other(i, j) {
                            assert_eq!(factor[e], read[e]);
                            continue;
                        }
                        let (i, j) = if lower { (i, j) } else { (j, i) };
                        if i < rows {
                            let wanted = l[i * n + j] * d[j].sqrt();
                            let wanted = if lower { wanted } else { wanted.conj() };
                            let bound = 32.0 * epsilon(kind) * (1.0 + n as f64).sqrt();
                            assert!((factor[e] - wanted).norm() <= bound, "{kind:?} {n} {i} {j}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn hessenberg_forms_turn_back() {
    let mut random = Random::new(12);
    for (letter, kind) in KINDS {
        for n in [0, 1, 2, 3, 8, 33] {
            let a = Tensor::random(&mut random, kind, &[2, n, n]);
            let less = n.saturating_sub(1);
            let found = call(
                &format!("lapack_{letter}gehrd_ffi"),
                std::slice::from_ref(&a),
                &[(kind, &[2, n, n]), (kind, &[2, less]), (INT, &[2])],
                &format!("{{high = {n} : i32, low = 1 : i32}}"),
            )
            .unwrap();
            assert_eq!(found[2].integers(), [0, 0]);
            for b in 0..2 {
                let f = &found[0].values()[b * n * n..(b + 1) * n * n];
                let taus = &found[1].values()[b * less..(b + 1) * less];
                let q = reflections(n, taus, |k| {
                    (0..n)
                        .map(|i| match i.cmp(&(k + 1)) {
                            std::cmp::Ordering::Less => ZERO,
                            std::cmp::Ordering::Equal => Z::new(1.0, 0.0),
                            std::cmp::Ordering::Greater => f[i * n + k],
                        })
                        .collect()
                });
                let h: Vec<Z> = (0..n * n)
                    .map(|e| if e / n > e % n + 1 { ZERO } else { f[e] })
                    .collect();
                let bound = 16.0 * epsilon(kind) * (1.0 + n as f64);
                assert_unitary(&q, n, bound, "gehrd");
                // LAPACK's reflections leave real elements but in the last row, where there are
                // none.
                for i in 1..n.saturating_sub(1) {
                    assert_eq!(h[i * n + i - 1].im, 0.0, "{kind:?} {n}");
                }
                let given = &a.values()[b * n * n..(b + 1) * n * n];
                let off = distance(&turned(&q, &h, n), given);
                assert!(off <= bound, "{kind:?} {n}: {off}");
            }
        }
    }
    let a = Tensor::zeros(ElementKind::F64, &[3, 3]);
    let results: &[(ElementKind, &[usize])] = &[
        (ElementKind::F64, &[3, 3]),
        (ElementKind::F64, &[2]),
        (INT, &[]),
    ];
    let wrong = call(
        "lapack_dgehrd_ffi",
        &[a],
        results,
        "{high = 4 : i32, low = 1 : i32}",
    );
    assert_eq!(wrong.unwrap_err().status, Status::InvalidArgument);
}

#[test]
fn tridiagonal_forms_turn_back() {
    let mut random = Random::new(13);
    for (letter, kind) in KINDS {
        for n in [0, 1, 2, 3, 8, 33] {
            for lower in [true, false] {
                let a = Tensor::random(&mut random, kind, &[n, n]);
                let name = if kind.is_complex() { "hetrd" } else { "sytrd" };
                let (real, less) = (real_part(kind), n.saturating_sub(1));
                let found = call(
                    &format!("lapack_{letter}{name}_ffi"),
                    std::slice::from_ref(&a),
                    &[
                        (kind, &[n, n]),
                        (real, &[n]),
                        (real, &[less]),
                        (kind, &[less]),
                        (INT, &[]),
                    ],
                    &options(&[("uplo", if lower { 'L' } else { 'U' })]),
                )
                .unwrap();
                let (f, d, e, taus) = (
                    found[0].values(),
                    found[1].values(),
                    found[2].values(),
                    found[3].values(),
                );
                // As LAPACK numbers them: of the lower triangle the first reflection comes first,
                // of the upper one the last.
                let vector = |k: usize| -> Vec<Z> {
                    (0..n)
                        .map(|i| match lower {
                            true if i == k + 1 => Z::new(1.0, 0.0),
                            true if i > k + 1 => f[i * n + k],
                            false if i == k => Z::new(1.0, 0.0),
                            false if i < k => f[i * n + k + 1],
                            _ => ZERO,
                        })
                        .collect()
                };
                let q = if lower {
                    reflections(n, &taus, vector)
                } else {
                    let backwards: Vec<Z> = taus.iter().rev().copied().collect();
                    reflections(n, &backwards, |k| vector(less - 1 - k))
                };
                let t: Vec<Z> = (0..n * n)
                    .map(|at| (at / n, at % n))
                    .map(|(i, j)| match i.abs_diff(j) {
                        0 => d[i],
                        1 => e[i.min(j)],
                        _ => ZERO,
                    })
                    .collect();
                let a = a.values();
                let whole: Vec<Z> = (0..n * n)
                    .map(|at| (at / n, at % n))
                    .map(|(i, j)| match (i == j, (i > j) == lower) {
                        (true, _) => Z::new(a[i * n + i].re, 0.0),
                        (_, true) => a[i * n + j],
                        _ => a[j * n + i].conj(),
                    })
                    .collect();
                let bound = 16.0 * epsilon(kind) * (1.0 + n as f64);
                assert_unitary(&q, n, bound, "sytrd");
                let off = distance(&turned(&q, &t, n), &whole);
                assert!(off <= bound, "{kind:?} {n} {lower}: {off}");
                for i in 0..n {
                    for j in 0..n {
                        if (lower && i < j) || (!lower && i > j) {
                            assert_eq!(f[i * n + j], a[i * n + j]);
                        }
                    }
                }
            }
        }
    }
}

fn schur(letter: char, kind: ElementKind, a: &Tensor, n: usize, mode: char) -> Vec<Tensor> {
    let mut results: Vec<(ElementKind, &[usize])> = Vec::new();
    let (matrix, vector) = ([n, n], [n]);
    results.extend([
        (kind, &matrix[..]),
        (kind, &matrix[..]),
        (kind, &vector[..]),
    ]);
    if !kind.is_complex() {
        results.push((kind, &vector[..]));
    }
    results.extend([(INT, &[][..]), (INT, &[][..])]);
    let target = format!("lapack_{letter}gees_ffi");
    let attributes = options(&[("mode", mode), ("sort", 'N')]);
    call(&target, std::slice::from_ref(a), &results, &attributes).unwrap()
}

#[test]
fn schur_forms_turn_back() {
    let mut random = Random::new(14);
    for (letter, kind) in KINDS {
        for n in [0, 1, 2, 3, 4, 9, 33, 60, 100, 200] {
            for round in 0..if n < 10 { 10 } else { 1 } {
                let a = Tensor::random(&mut random, kind, &[n, n]);
                let found = schur(letter, kind, &a, n, 'V');
                // Without vectors it is the same form, and zeros.
                let alone = schur(letter, kind, &a, n, 'N');
                assert_eq!((&alone[0], &alone[2..]), (&found[0], &found[2..]));
                assert!(alone[1].values().iter().all(|x| *x == Z::new(0.0, 0.0)));
                let info = found.last().unwrap().integers();
                assert_eq!(info, [0], "{kind:?} {n} {round}");
                let (t, z) = (found[0].values(), found[1].values());
                let bound = 16.0 * epsilon(kind) * (1.0 + n as f64);
                assert_unitary(&z, n, bound, "gees");
                let off = distance(&turned(&z, &t, n), &a.values());
                assert!(off <= bound, "{kind:?} {n}: {off}");
                let mut in_block = false;
                for i in 0..n {
                    for j in 0..i {
                        let below = t[i * n + j] != ZERO;
                        assert!(!below || (j + 1 == i && !kind.is_complex() && !in_block));
                    }
                    in_block = i > 0 && t[i * n + i - 1] != ZERO;
                    let value = found[2].values()[i];
                    assert_eq!(value.re, t[i * n + i].re);
                    if in_block {
                        let (above, below) = (t[(i - 1) * n + i].re, t[i * n + i - 1].re);
                        assert_eq!(t[i * n + i], t[(i - 1) * n + i - 1]);
                        assert!(above * below < 0.0);
                        let size = (-above * below).sqrt();
                        let im = found[3].values();
                        assert!((im[i - 1].re - size).abs() <= 4.0 * epsilon(kind) * size);
                        assert_eq!(im[i].re, -im[i - 1].re);
                    }
                }
            }
        }
    }
}

#[test]
fn a_callers_environment_changes_nothing() {
    use crate::floating_point::{tests::FLUSHING, within};
    let mut random = Random::new(77);
    for (letter, kind) in KINDS {
        for n in [3, 8, 30] {
            for round in 0..20 {
                let a = Tensor::random(&mut random, kind, &[n, n]);
                let found = || {
                    (
                        schur(letter, kind, &a, n, 'V'),
                        spectrum(letter, kind, &a, n),
                    )
                };
                let specified = found();
                let flushing = within(FLUSHING);
                let again = found();
                drop(flushing);
                assert_eq!(specified, again, "{kind:?} {n} {round}");
            }
        }
    }
}

/// Eigenvalues, left and right eigenvectors.
fn spectrum(letter: char, kind: ElementKind, a: &Tensor, n: usize) -> (Vec<Z>, Vec<Z>, Vec<Z>) {
    let whole = match kind {
        ElementKind::F32 => ElementKind::C64,
        ElementKind::F64 => ElementKind::C128,
        other => other,
    };
    let (matrix, vector) = ([n, n], [n]);
    let mut results: Vec<(ElementKind, &[usize])> = vec![(kind, &vector)];
    if !kind.is_complex() {
        results.push((kind, &vector));
    }
    results.extend([(whole, &matrix[..]), (whole, &matrix[..]), (INT, &[][..])]);
    let target = format!("lapack_{letter}geev_ffi");
    let with = |left: char, right: char| {
        let attributes = options(&[("compute_left", left), ("compute_right", right)]);
        call(&target, std::slice::from_ref(a), &results, &attributes).unwrap()
    };
    let found = with('V', 'V');
    assert_eq!(found.last().unwrap().integers(), [0]);
    let none = with('N', 'N');
    assert_eq!(none[0], found[0]);
    assert!(none[none.len() - 2].values().iter().all(|x| *x == ZERO));
    let vectors = found.len() - 3;
    let mut values = found[0].values();
    if !kind.is_complex() {
        for (value, im) in values.iter_mut().zip(found[1].values()) {
            value.im = im.re;
        }
    }
    (values, found[vectors].values(), found[vectors + 1].values())
}

fn check_spectrum(letter: char, kind: ElementKind, a: &Tensor, n: usize, bound: f64) -> Vec<Z> {
    let (w, left, right) = spectrum(letter, kind, a, n);
    let a = a.values();
    let scaled = |v: &[Z], conjugate: bool| -> Vec<Z> {
        let w = |j: usize| if conjugate { w[j].conj() } else { w[j] };
        (0..n * n).map(|e| v[e] * w(e % n)).collect()
    };
    let off = distance(&product(&a, &right, (n, n, n)), &scaled(&right, false));
    assert!(off <= bound, "{kind:?} {n} right: {off}");
    // y^H A = w y^H: A^H y = conj(w) y.
    let off = distance(
        &product(&adjoint(&a, n, n), &left, (n, n, n)),
        &scaled(&left, true),
    );
    assert!(off <= bound, "{kind:?} {n} left: {off}");
    for v in [&left, &right] {
        for j in 0..n {
            let column: Vec<Z> = (0..n).map(|i| v[i * n + j]).collect();
            let length: f64 = column.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
            assert!((length - 1.0).abs() <= 8.0 * epsilon(kind));
            // One of those that are as good as the largest is real.
            let most = column.iter().fold(0.0, |most: f64, x| most.max(x.norm()));
            let real = |x: &&Z| x.im.abs() <= 4.0 * epsilon(kind);
            let large = |x: &&Z| x.norm() >= most * (1.0 - 16.0 * epsilon(kind));
            assert!(
                n == 0 || column.iter().filter(large).any(|x| real(&x)),
                "{column:?}"
            );
        }
    }
    w
}

#[test]
fn eigenvectors_of_square_matrices_are_scaled_by_their_values() {
    let mut random = Random::new(15);
    for (letter, kind) in KINDS {
        for n in [0, 1, 2, 3, 5, 8, 33, 60] {
            let a = Tensor::random(&mut random, kind, &[n, n]);
            let bound = 16.0 * epsilon(kind) * (1.0 + n as f64);
            let w = check_spectrum(letter, kind, &a, n, bound);
            let trace: Z = (0..n).map(|i| a.values()[i * n + i]).sum();
            let sum: Z = w.iter().sum();
            assert!((trace - sum).norm() <= bound);
        }
        // A permutation in one cycle: the roots of unity. Each is found, pairs one after the other
        // with the upper one first.
        let n = 12;
        let cycle: Vec<Z> = (0..n * n)
            .map(|e| Z::new(if (e / n + 1) % n == e % n { 1.0 } else { 0.0 }, 0.0))
            .collect();
        let a = Tensor::from_values(kind, &[n, n], &cycle);
        let w = check_spectrum(letter, kind, &a, n, 64.0 * epsilon(kind));
        for k in 0..n {
            let angle = 2.0 * std::f64::consts::PI * k as f64 / n as f64;
            let root = Z::new(angle.cos(), angle.sin());
            let near = w
                .iter()
                .filter(|w| (*w - root).norm() <= 64.0 * epsilon(kind));
            assert_eq!(near.count(), 1, "{kind:?} {root}");
        }
        if !kind.is_complex() {
            let pairs: Vec<&Z> = w.iter().filter(|w| w.im != 0.0).collect();
            assert!(
                pairs
                    .chunks(2)
                    .all(|p| p[0].im > 0.0 && *p[1] == p[0].conj())
            );
        }
        // One eigenvalue five times with one vector, zeros, and numbers of very different sizes.
        let jordan: Vec<Z> = (0..25)
            .map(|e| {
                Z::new(
                    if e / 5 == e % 5 {
                        2.0
                    } else if e / 5 + 1 == e % 5 {
                        1.0
                    } else {
                        0.0
                    },
                    0.0,
                )
            })
            .collect();
        let a = Tensor::from_values(kind, &[5, 5], &jordan);
        let w = check_spectrum(letter, kind, &a, 5, 64.0 * epsilon(kind));
        assert!(w.iter().all(|w| (w - Z::new(2.0, 0.0)).norm() <= 1e-3));
        check_spectrum(
            letter,
            kind,
            &Tensor::from_values(kind, &[4, 4], &[ZERO; 16]),
            4,
            0.0,
        );
        let spread: Vec<Z> = [1.0, 1e8, 1e4, 1e-8, 2.0, 1e-4, 1e-4, 1e4, 3.0]
            .map(|x| Z::new(x, 0.0))
            .to_vec();
        let a = Tensor::from_values(kind, &[3, 3], &spread);
        let (w, _, _) = spectrum(letter, kind, &a, 3);
        // Of (1, 1, 1; 1, 2, 1; 1, 1, 3) in other units: the trace, and the product is the
        // determinant.
        let sum: Z = w.iter().sum();
        let product: Z = w.iter().product();
        assert!((sum - Z::new(6.0, 0.0)).norm() <= 64.0 * epsilon(kind));
        assert!((product - Z::new(2.0, 0.0)).norm() <= 64.0 * epsilon(kind));
    }
    // What is not finite gives NaN, and comes to an end.
    let values = [1.0, f64::NAN, 2.0, 3.0].map(|x| Z::new(x, 0.0));
    let a = Tensor::from_values(ElementKind::F64, &[2, 2], &values);
    let (w, _, right) = {
        let found = spectrum('d', ElementKind::F64, &a, 2);
        (found.0, found.1, found.2)
    };
    assert!(w.iter().all(|w| w.re.is_nan()) && right.iter().all(|x| x.re.is_nan()));
}

#[test]
fn more_columns_than_reflections_are_orthogonal_too() {
    let mut random = Random::new(8);
    for (letter, kind) in KINDS {
        for (m, n, k) in [
            (3, 2, 0),
            (5, 4, 2),
            (16, 16, 7),
            (40, 35, 33),
            (140, 140, 20),
        ] {
            let a = Tensor::random(&mut random, kind, &[m, k]);
            let found = call(
                &format!("lapack_{letter}geqrf_ffi"),
                &[a],
                &[(kind, &[m, k]), (kind, &[k])],
                "{}",
            )
            .unwrap();
            // What is behind the vectors is not read.
            let vectors = found[0].values();
            let columns: Vec<Z> = (0..m * n)
                .map(|e| {
                    if e % n < k {
                        vectors[e / n * k + e % n]
                    } else {
                        Z::new(f64::NAN, 0.0)
                    }
                })
                .collect();
            let name = if kind.is_complex() { "ungqr" } else { "orgqr" };
            let q = call(
                &format!("lapack_{letter}{name}_ffi"),
                &[
                    Tensor::from_values(kind, &[m, n], &columns),
                    found[1].clone(),
                ],
                &[(kind, &[m, n])],
                "{}",
            )
            .unwrap();
            let q = q[0].values();
            let gram = product(&adjoint(&q, m, n), &q, (n, m, n));
            let bound = 12.0 * epsilon(kind) * (1.0 + m as f64).sqrt();
            assert!(
                distance(&gram, &identity(n)) <= bound,
                "{kind:?} {m} {n} {k}"
            );
        }
    }
}

#[test]
fn products_with_reflections_are_those_of_their_matrix() {
    let mut random = Random::new(9);
    for (letter, kind) in KINDS {
        // Rows and columns of the vectors, reflections, and the other size of the matrices.
        for (m, width, k, other) in [
            (0, 0, 0, 2),
            (1, 1, 1, 1),
            (3, 2, 2, 0),
            (5, 7, 3, 4),
            (40, 35, 33, 6),
            (140, 70, 70, 90),
        ] {
            let a = Tensor::random(&mut random, kind, &[m, width]);
            let vectors = Tensor::random(&mut random, kind, &[m, k]);
            let target = format!("lapack_{letter}geqrf_ffi");
            let results: &[(ElementKind, &[usize])] = &[(kind, &[m, k]), (kind, &[k])];
            let found = call(&target, &[vectors], results, "{}").unwrap();
            let (f, taus) = (found[0].values(), found[1].values());
            let q = reflections(m, &taus, |k| {
                let one = |i: usize| match i.cmp(&k) {
                    std::cmp::Ordering::Less => ZERO,
                    std::cmp::Ordering::Equal => Z::new(1.0, 0.0),
                    std::cmp::Ordering::Greater => f[i * taus.len() + k],
                };
                (0..m).map(one).collect()
            });
            // Columns behind the reflections are not read.
            let mut columns = a.values();
            for (e, x) in columns
                .iter_mut()
                .enumerate()
                .filter(|(e, _)| e % width < k)
            {
                *x = f[e / width * k + e % width];
            }
            let columns = Tensor::from_values(kind, &[m, width], &columns);
            for (left, adjoint_asked) in
                [(true, false), (true, true), (false, false), (false, true)]
            {
                let (rows, count) = if left { (m, other) } else { (other, m) };
                let c = Tensor::random(&mut random, kind, &[rows, count]);
                let name = if kind.is_complex() { "unmqr" } else { "ormqr" };
                let found = call(
                    &format!("lapack_{letter}{name}_ffi"),
                    &[columns.clone(), found[1].clone(), c.clone()],
                    &[(kind, &[rows, count])],
                    &format!("{{left = {left}, transpose = {adjoint_asked}}}"),
                )
                .unwrap();
                let q = if adjoint_asked {
                    adjoint(&q, m, m)
                } else {
                    q.clone()
                };
                let expected = if left {
                    product(&q, &c.values(), (m, m, other))
                } else {
                    product(&c.values(), &q, (other, m, m))
                };
                let off = distance(&found[0].values(), &expected);
                let bound = 16.0 * epsilon(kind) * (1.0 + m as f64);
                assert!(
                    off <= bound,
                    "{kind:?} {m} {k} {left} {adjoint_asked}: {off}"
                );
            }
        }
    }
}
