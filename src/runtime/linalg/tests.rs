//! Factorisations and solves checked by multiplying back, in double precision, straight from the
//! definitions.

use rustfft::num_complex::Complex;

use super::*;
use crate::Context;
use crate::test_support::Random;

const KINDS: [ElementKind; 6] = [
    ElementKind::F32,
    ElementKind::F64,
    ElementKind::C64,
    ElementKind::C128,
    ElementKind::BF16,
    ElementKind::F16,
];

/// Returns the value of the last bit of one.
fn epsilon(kind: ElementKind) -> f64 {
    match kind {
        ElementKind::F64 | ElementKind::C128 => f64::EPSILON,
        ElementKind::F32 | ElementKind::C64 => f64::from(f32::EPSILON),
        ElementKind::F16 => 1.0 / 1024.0,
        _ => 1.0 / 128.0,
    }
}

type Matrix = Vec<Complex<f64>>;

fn to_bytes(kind: ElementKind, matrix: &[Complex<f64>]) -> Vec<u8> {
    let mut bytes = vec![0; matrix.len() * kind.size()];
    for (i, z) in matrix.iter().enumerate() {
        store(kind, &mut bytes, i, *z);
    }
    bytes
}

fn from_bytes(kind: ElementKind, bytes: &[u8]) -> Matrix {
    (0..bytes.len() / kind.size())
        .map(|i| load(kind, bytes, i))
        .collect()
}

fn random_matrix(random: &mut Random, kind: ElementKind, count: usize) -> Matrix {
    let matrix: Matrix = (0..count)
        .map(|_| {
            Complex::new(
                random.uniform() - 0.5,
                if kind.is_complex() {
                    random.uniform() - 0.5
                } else {
                    0.0
                },
            )
        })
        .collect();
    from_bytes(kind, &to_bytes(kind, &matrix))
}

#[test]
fn cholesky_factors_multiply_back() {
    let mut random = Random::new(1);
    for kind in KINDS {
        for n in [0, 1, 2, 3, 5, 47, 48, 49, 130, 200] {
            let narrow = kind.size() == 2;
            if narrow && n > 50 {
                continue;
            }
            let batch = if n < 10 { 3 } else { 1 };
            // G G^H + n I is positive definite.
            let mut all = Vec::new();
            for _ in 0..batch {
                let g = random_matrix(&mut random, kind, n * n);
                for i in 0..n {
                    for j in 0..n {
                        let sum: Complex<f64> =
                            (0..n).map(|k| g[i * n + k] * g[j * n + k].conj()).sum();
                        all.push(sum + if i == j { n as f64 } else { 0.0 });
                    }
                }
            }
            let exact = from_bytes(kind, &to_bytes(kind, &all));
            for lower in [true, false] {
                // The triangle that does not count is poisoned.
                let poisoned: Matrix = exact
                    .iter()
                    .enumerate()
                    .map(|(e, z)| {
                        let (i, j) = (e / n % n, e % n);
                        if (lower && j > i) || (!lower && j < i) {
                            Complex::new(f64::NAN, 0.0)
                        } else {
                            *z
                        }
                    })
                    .collect();
                let mut first = None;
                for threads in [1, 2, 4] {
                    let mut output = vec![1; poisoned.len() * kind.size()];
                    cholesky(
                        &Context::new(threads),
                        kind,
                        batch,
                        n,
                        lower,
                        &to_bytes(kind, &poisoned),
                        &mut output,
                    )
                    .unwrap();
                    assert_eq!(first.get_or_insert_with(|| output.clone()), &output);
                }
                let factor = from_bytes(kind, &first.unwrap());
                for b in 0..batch {
                    let f = |i: usize, j: usize| factor[(b * n + i) * n + j];
                    for i in 0..n {
                        for j in 0..n {
                            if (lower && j > i) || (!lower && j < i) {
                                assert_eq!(f(i, j), Complex::new(0.0, 0.0));
                            }
                            let back: Complex<f64> = (0..n)
                                .map(|k| {
                                    if lower {
                                        f(i, k) * f(j, k).conj()
                                    } else {
                                        f(k, i).conj() * f(k, j)
                                    }
                                })
                                .sum();
                            let (wanted, tolerance) = (
                                if (lower && j <= i) || (!lower && j >= i) {
                                    exact[(b * n + i) * n + j]
                                } else {
                                    exact[(b * n + j) * n + i].conj()
                                },
                                epsilon(kind) * 16.0 * n as f64,
                            );
                            assert!(
                                (back - wanted).norm() <= tolerance,
                                "{kind:?} n {n} lower {lower}: {back} for {wanted}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_not_positive_definite_gives_nan() {
    let context = Context::new(1);
    let input = to_bytes(
        ElementKind::F32,
        &[1.0, 0.0, 2.0, 1.0].map(|x| Complex::new(x, 0.0)),
    );
    let mut output = vec![0; 16];
    cholesky(&context, ElementKind::F32, 1, 2, true, &input, &mut output).unwrap();
    let output = from_bytes(ElementKind::F32, &output);
    assert!(output[0].re.is_nan() && output[2].re.is_nan() && output[3].re.is_nan());
    assert_eq!(output[1].re, 0.0);
}

#[test]
fn solutions_multiply_back() {
    let mut random = Random::new(2);
    for kind in KINDS {
        for (n, other) in [
            (0, 3),
            (3, 0),
            (1, 1),
            (2, 5),
            (5, 2),
            (47, 3),
            (49, 70),
            (150, 40),
        ] {
            if kind.size() == 2 && n > 10 {
                continue;
            }
            for flags in 0..24 {
                let solve = Solve {
                    left_side: flags & 1 != 0,
                    lower: flags & 2 != 0,
                    unit_diagonal: flags & 4 != 0,
                    transpose: [Transpose::No, Transpose::Transpose, Transpose::Adjoint][flags / 8],
                };
                if n > 10 && random.below(3) > 0 {
                    continue;
                }
                let batch = if n < 10 { 2 } else { 1 };
                let (rows, columns) = if solve.left_side {
                    (n, other)
                } else {
                    (other, n)
                };
                // Well conditioned: a strong diagonal. What does not count is poisoned.
                let mut a = random_matrix(&mut random, kind, batch * n * n);
                for (e, z) in a.iter_mut().enumerate() {
                    let (i, j) = (e / n % n, e % n);
                    *z = if i == j {
                        if solve.unit_diagonal {
                            Complex::new(f64::NAN, 0.0)
                        } else {
                            *z + 2.0
                        }
                    } else if (solve.lower && j > i) || (!solve.lower && j < i) {
                        Complex::new(f64::NAN, 0.0)
                    } else {
                        *z / n as f64
                    };
                }
                let a = from_bytes(kind, &to_bytes(kind, &a));
                let b = random_matrix(&mut random, kind, batch * rows * columns);
                let mut first = None;
                for threads in [1, 2, 4] {
                    let mut x = vec![1; b.len() * kind.size()];
                    let context = Context::new(threads);
                    triangular_solve(
                        &context,
                        kind,
                        solve,
                        batch,
                        (rows, columns),
                        &to_bytes(kind, &a),
                        &to_bytes(kind, &b),
                        &mut x,
                    )
                    .unwrap();
                    assert_eq!(first.get_or_insert_with(|| x.clone()), &x);
                }
                let x = from_bytes(kind, &first.unwrap());
                for s in 0..batch {
                    let op = |i: usize, j: usize| {
                        let (p, q) = if solve.transpose == Transpose::No {
                            (i, j)
                        } else {
                            (j, i)
                        };
                        if p == q && solve.unit_diagonal {
                            return Complex::new(1.0, 0.0);
                        }
                        if (solve.lower && q > p) || (!solve.lower && q < p) {
                            return Complex::new(0.0, 0.0);
                        }
                        let z = a[(s * n + p) * n + q];
                        if solve.transpose == Transpose::Adjoint {
                            z.conj()
                        } else {
                            z
                        }
                    };
                    let at = |m: &Matrix, i: usize, j: usize| m[(s * rows + i) * columns + j];
                    for i in 0..rows {
                        for j in 0..columns {
                            let back: Complex<f64> = (0..n)
                                .map(|k| {
                                    if solve.left_side {
                                        op(i, k) * at(&x, k, j)
                                    } else {
                                        at(&x, i, k) * op(k, j)
                                    }
                                })
                                .sum();
                            let error = (back - at(&b, i, j)).norm();
                            assert!(
                                error <= 16.0 * epsilon(kind),
                                "{kind:?} n {n} {solve:?}: off by {error}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn wrong_sizes_and_types_are_errors() {
    let context = Context::new(1);
    assert!(
        cholesky(
            &context,
            ElementKind::F32,
            1,
            2,
            true,
            &[0; 16],
            &mut [0; 12]
        )
        .is_err()
    );
    assert!(cholesky(&context, ElementKind::I32, 1, 1, true, &[0; 4], &mut [0; 4]).is_err());
    assert!(
        cholesky(
            &context,
            ElementKind::F32,
            1,
            usize::MAX,
            true,
            &[],
            &mut []
        )
        .is_err()
    );
}
