//! Factorisations checked by multiplying back, in double precision, straight from the definitions.

mod forms;

use std::ffi::CString;

use rustfft::num_complex::Complex;

use crate::custom_call::{self, BufferView};
use crate::linalg::{load, store};
use crate::test_support::Random;
use crate::{Context, ElementKind, Status};

type Z = Complex<f64>;

const KINDS: [(char, ElementKind); 4] = [
    ('s', ElementKind::F32),
    ('d', ElementKind::F64),
    ('c', ElementKind::C64),
    ('z', ElementKind::C128),
];

fn epsilon(kind: ElementKind) -> f64 {
    match kind {
        ElementKind::F64 | ElementKind::C128 => f64::EPSILON,
        _ => f64::from(f32::EPSILON),
    }
}

/// A tensor with its elements.
#[derive(Clone, Debug, PartialEq)]
struct Tensor {
    kind: ElementKind,
    shape: Vec<i64>,
    bytes: Vec<u8>,
}

impl Tensor {
    fn zeros(kind: ElementKind, shape: &[usize]) -> Tensor {
        Tensor {
            kind,
            shape: shape.iter().map(|n| *n as i64).collect(),
            bytes: vec![0x55; shape.iter().product::<usize>() * kind.size()],
        }
    }

    fn from_values(kind: ElementKind, shape: &[usize], values: &[Z]) -> Tensor {
        let mut tensor = Tensor::zeros(kind, shape);
        for (i, value) in values.iter().enumerate() {
            store(kind, &mut tensor.bytes, i, *value);
        }
        tensor
    }

    fn random(random: &mut Random, kind: ElementKind, shape: &[usize]) -> Tensor {
        let mut part = || random.uniform() - 0.5;
        let values: Vec<Z> = (0..shape.iter().product())
            .map(|_| Z::new(part(), if kind.is_complex() { part() } else { 0.0 }))
            .collect();
        Tensor::from_values(kind, shape, &values)
    }

    fn values(&self) -> Vec<Z> {
        (0..self.bytes.len() / self.kind.size())
            .map(|i| load(self.kind, &self.bytes, i))
            .collect()
    }

    fn integers(&self) -> Vec<i32> {
        let numbers = self.bytes.as_chunks::<4>().0;
        numbers.iter().map(|b| i32::from_ne_bytes(*b)).collect()
    }

    fn view(&mut self) -> BufferView {
        BufferView {
            data: self.bytes.as_mut_ptr().cast(),
            kind: self.kind.code(),
            rank: self.shape.len() as i32,
            shape: self.shape.as_ptr(),
        }
    }
}

/// Calls a function with 1, 2 and 4 threads, which must give the same.
fn call(
    name: &str,
    arguments: &[Tensor],
    results: &[(ElementKind, &[usize])],
    attributes: &str,
) -> crate::Result<Vec<Tensor>> {
    let attributes = CString::new(attributes).unwrap();
    let mut first = None;
    for threads in [1, 2, 4] {
        let context = Context::new(threads);
        let mut arguments = arguments.to_vec();
        let mut found: Vec<Tensor> = results.iter().map(|(k, s)| Tensor::zeros(*k, s)).collect();
        let given: Vec<BufferView> = arguments.iter_mut().map(Tensor::view).collect();
        let mut views: Vec<BufferView> = found.iter_mut().map(Tensor::view).collect();
        // SAFETY: the views are those of the tensors.
        unsafe { custom_call::call(&context, name, &given, &mut views, &attributes) }?;
        assert_eq!(first.get_or_insert_with(|| found.clone()), &found, "{name}");
    }
    Ok(first.unwrap())
}

/// Row-major products.
fn product(a: &[Z], b: &[Z], (m, k, n): (usize, usize, usize)) -> Vec<Z> {
    let mut c = vec![Z::new(0.0, 0.0); m * n];
    for i in 0..m {
        for l in 0..k {
            for j in 0..n {
                c[i * n + j] += a[i * k + l] * b[l * n + j];
            }
        }
    }
    c
}

fn adjoint(a: &[Z], m: usize, n: usize) -> Vec<Z> {
    (0..n * m).map(|e| a[e % m * n + e / m].conj()).collect()
}

fn distance(a: &[Z], b: &[Z]) -> f64 {
    assert_eq!(a.len(), b.len());
    let differences = a.iter().zip(b).map(|(x, y)| (x - y).norm());
    differences.fold(0.0, |most, d| if d <= most { most } else { d })
}

fn identity(n: usize) -> Vec<Z> {
    (0..n * n)
        .map(|e| Z::new(if e / n == e % n { 1.0 } else { 0.0 }, 0.0))
        .collect()
}

const SIZES: [(usize, usize); 11] = [
    (0, 0),
    (0, 3),
    (3, 0),
    (1, 1),
    (4, 4),
    (7, 3),
    (3, 7),
    (33, 32),
    (70, 90),
    (140, 130),
    (300, 310),
];

#[test]
fn lu_multiplies_back() {
    let mut random = Random::new(1);
    for (letter, kind) in KINDS {
        for (m, n) in SIZES {
            let least = m.min(n);
            let batch = if m < 10 { 3 } else { 1 };
            let a = Tensor::random(&mut random, kind, &[batch, m, n]);
            let int = ElementKind::I32;
            let found = call(
                &format!("lapack_{letter}getrf_ffi"),
                std::slice::from_ref(&a),
                &[
                    (kind, &[batch, m, n]),
                    (int, &[batch, least]),
                    (int, &[batch]),
                ],
                "{}",
            )
            .unwrap();
            assert_eq!(found[2].integers(), vec![0; batch]);
            for b in 0..batch {
                let mut a = a.values()[b * m * n..(b + 1) * m * n].to_vec();
                let f = &found[0].values()[b * m * n..(b + 1) * m * n];
                let pivots = &found[1].integers()[b * least..(b + 1) * least];
                for (i, p) in pivots.iter().enumerate() {
                    let p = *p as usize - 1;
                    assert!(p >= i && p < m);
                    (0..n).for_each(|j| a.swap(i * n + j, p * n + j));
                }
                let zero = Z::new(0.0, 0.0);
                let l: Vec<Z> = (0..m * least)
                    .map(|e| (e / least, e % least))
                    .map(|(i, j)| match i.cmp(&j) {
                        std::cmp::Ordering::Less => zero,
                        std::cmp::Ordering::Equal => Z::new(1.0, 0.0),
                        std::cmp::Ordering::Greater => f[i * n + j],
                    })
                    .collect();
                let u: Vec<Z> = (0..least * n)
                    .map(|e| if e / n <= e % n { f[e] } else { zero })
                    .collect();
                // Rows were exchanged so that no factor is larger than one.
                let largest = if kind.is_complex() { 2f64.sqrt() } else { 1.0 };
                assert!(
                    l.iter()
                        .all(|x| x.norm() <= largest * (1.0 + epsilon(kind)))
                );
                let off = distance(&product(&l, &u, (m, least, n)), &a);
                assert!(
                    off <= 8.0 * epsilon(kind) * (1.0 + m as f64).sqrt(),
                    "{kind:?} {m} {n}: {off}"
                );
            }
        }
    }
}

#[test]
fn the_first_pivot_that_is_zero_is_reported_and_the_rest_factorised() {
    let values = [1.0, 2.0, 3.0, 2.0, 4.0, 7.0, 4.0, 8.0, 9.0].map(|x| Z::new(x, 0.0));
    let a = Tensor::from_values(ElementKind::F64, &[3, 3], &values);
    let int = ElementKind::I32;
    let found = call(
        "lapack_dgetrf_ffi",
        &[a],
        &[(ElementKind::F64, &[3, 3]), (int, &[3]), (int, &[])],
        "",
    )
    .unwrap();
    assert_eq!(found[2].integers(), [2]);
    assert_eq!(found[1].integers()[0], 3);
}

#[test]
fn reflections_multiply_out_to_an_orthogonal_factor() {
    let mut random = Random::new(2);
    for (letter, kind) in KINDS {
        for (m, n) in SIZES {
            let least = m.min(n);
            let a = Tensor::random(&mut random, kind, &[2, m, n]);
            let matrix: &[usize] = &[2, m, n];
            let taus: &[usize] = &[2, least];
            for pivoting in [false, true] {
                let columns: &[usize] = &[2, n];
                let int = ElementKind::I32;
                let mut arguments = vec![a.clone()];
                let mut results = vec![(kind, matrix), (kind, taus)];
                let mut name = "geqrf";
                if pivoting {
                    arguments.push(Tensor::from_values(
                        int,
                        columns,
                        &vec![Z::new(0.0, 0.0); 2 * n],
                    ));
                    results.insert(1, (int, columns));
                    arguments[1].bytes.fill(0);
                    name = "geqp3";
                }
                let target = format!("lapack_{letter}{name}_ffi");
                let found = call(&target, &arguments, &results, "{}").unwrap();
                // The first `least` columns of the reflections, which are the whole of Q that is
                // asked for most.
                let part: Vec<Z> = found[0]
                    .values()
                    .chunks(n.max(1))
                    .flat_map(|row| row[..least].to_vec())
                    .collect();
                let part = Tensor::from_values(kind, &[2, m, least], &part);
                let name = if kind.is_complex() { "ungqr" } else { "orgqr" };
                let q = call(
                    &format!("lapack_{letter}{name}_ffi"),
                    &[part, found[found.len() - 1].clone()],
                    &[(kind, &[2, m, least])],
                    "{}",
                )
                .unwrap();
                let bound = 12.0 * epsilon(kind) * (1.0 + m as f64).sqrt();
                for b in 0..2 {
                    let a = &a.values()[b * m * n..(b + 1) * m * n];
                    let f = &found[0].values()[b * m * n..(b + 1) * m * n];
                    let q = &q[0].values()[b * m * least..(b + 1) * m * least];
                    let r: Vec<Z> = (0..least * n)
                        .map(|e| {
                            if e / n <= e % n {
                                f[e]
                            } else {
                                Z::new(0.0, 0.0)
                            }
                        })
                        .collect();
                    let gram = product(&adjoint(q, m, least), q, (least, m, least));
                    assert!(
                        distance(&gram, &identity(least)) <= bound,
                        "{kind:?} {m} {n}"
                    );
                    let order: Vec<usize> = if pivoting {
                        found[1].integers()[b * n..(b + 1) * n]
                            .iter()
                            .map(|p| *p as usize - 1)
                            .collect()
                    } else {
                        (0..n).collect()
                    };
                    let ordered: Vec<Z> = (0..m * n).map(|e| a[e / n * n + order[e % n]]).collect();
                    let off = distance(&product(q, &r, (m, least, n)), &ordered);
                    assert!(off <= bound, "{kind:?} {m} {n}: {off}");
                    if pivoting {
                        let diagonal: Vec<f64> = (0..least).map(|i| r[i * n + i].norm()).collect();
                        assert!(diagonal.windows(2).all(|d| d[1] <= d[0] * (1.0 + bound)));
                    }
                }
            }
        }
    }
}

/// `{uplo = …, mode = …}`.
fn options(list: &[(&str, char)]) -> String {
    let fields = list
        .iter()
        .map(|(k, v)| format!("{k} = {} : ui8", *v as u8));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

#[test]
fn eigenvectors_are_scaled_by_their_values() {
    let mut random = Random::new(3);
    for (letter, kind) in KINDS {
        for n in [0, 1, 2, 5, 31, 60, 150] {
            for upper in [false, true] {
                let a = Tensor::random(&mut random, kind, &[2, n, n]);
                let real = crate::lapack::eigen::real_part(kind);
                let name = if kind.is_complex() { "heevd" } else { "syevd" };
                let uplo = if upper { 'U' } else { 'L' };
                let with = |mode: char| {
                    call(
                        &format!("lapack_{letter}{name}_ffi"),
                        std::slice::from_ref(&a),
                        &[
                            (kind, &[2, n, n]),
                            (real, &[2, n]),
                            (ElementKind::I32, &[2]),
                        ],
                        &options(&[("mode", mode), ("uplo", uplo)]),
                    )
                    .unwrap()
                };
                let found = with('V');
                let alone = with('N')[1].values();
                let bound = 16.0 * epsilon(kind) * (1.0 + n as f64);
                assert!(
                    distance(&found[1].values(), &alone) <= bound,
                    "{kind:?} {n}"
                );
                assert_eq!(found[2].integers(), [0, 0]);
                for b in 0..2 {
                    let given = &a.values()[b * n * n..(b + 1) * n * n];
                    let full: Vec<Z> = (0..n * n)
                        .map(|e| (e / n, e % n))
                        .map(|(i, j)| match (i == j, (i < j) == upper) {
                            (true, _) => Z::new(given[i * n + j].re, 0.0),
                            (_, true) => given[i * n + j],
                            _ => given[j * n + i].conj(),
                        })
                        .collect();
                    let v = &found[0].values()[b * n * n..(b + 1) * n * n];
                    let w = &found[1].values()[b * n..(b + 1) * n];
                    assert!(w.windows(2).all(|w| w[0].re <= w[1].re));
                    let bound = 16.0 * epsilon(kind) * (1.0 + n as f64);
                    let gram = product(&adjoint(v, n, n), v, (n, n, n));
                    assert!(distance(&gram, &identity(n)) <= bound);
                    let scaled: Vec<Z> = (0..n * n).map(|e| v[e] * w[e % n]).collect();
                    let off = distance(&product(&full, v, (n, n, n)), &scaled);
                    assert!(off <= bound, "{kind:?} {n}: {off}");
                }
            }
        }
    }
}

/// Singular values and vectors of a tensor of matrices, multiplied back.
fn decomposed(letter: char, a: &Tensor, (batch, m, n): (usize, usize, usize)) {
    let kind = a.kind;
    let least = m.min(n);
    let real = crate::lapack::eigen::real_part(kind);
    let mut values = None;
    for (mode, left, right) in [('A', m, n), ('S', least, least), ('N', least, least)] {
        let found = call(
            &format!("lapack_{letter}gesdd_ffi"),
            std::slice::from_ref(a),
            &[
                (kind, &[batch, m, n]),
                (real, &[batch, least]),
                (kind, &[batch, m, left]),
                (kind, &[batch, right, n]),
                (ElementKind::I32, &[batch]),
            ],
            &options(&[("mode", mode)]),
        )
        .unwrap();
        assert_eq!(found[4].integers(), vec![0; batch]);
        let values = values.get_or_insert_with(|| found[1].values());
        let bound = 16.0 * epsilon(kind) * (1.0 + m.max(n) as f64);
        assert!(
            distance(values, &found[1].values()) <= bound,
            "{kind:?} {m} {n} {mode}"
        );
        if mode == 'N' {
            continue;
        }
        for b in 0..batch {
            let a = &a.values()[b * m * n..(b + 1) * m * n];
            let s = &found[1].values()[b * least..(b + 1) * least];
            let u = &found[2].values()[b * m * left..(b + 1) * m * left];
            let v = &found[3].values()[b * right * n..(b + 1) * right * n];
            assert!(s.windows(2).all(|s| s[0].re >= s[1].re && s[1].re >= 0.0));
            let bound = 16.0 * epsilon(kind) * (1.0 + m.max(n) as f64);
            let gram = product(&adjoint(u, m, left), u, (left, m, left));
            assert!(
                distance(&gram, &identity(left)) <= bound,
                "{kind:?} {m} {n} {mode}"
            );
            let gram = product(v, &adjoint(v, right, n), (right, n, right));
            assert!(
                distance(&gram, &identity(right)) <= bound,
                "{kind:?} {m} {n} {mode}"
            );
            let scaled: Vec<Z> = (0..m * least)
                .map(|e| u[e / least * left + e % least] * s[e % least])
                .collect();
            let back = product(&scaled, &v[..least * n], (m, least, n));
            let off = distance(&back, a);
            assert!(off <= bound, "{kind:?} {m} {n}: {off}");
        }
    }
}

#[test]
fn singular_vectors_multiply_back() {
    let mut random = Random::new(4);
    for (letter, kind) in KINDS {
        for (m, n) in [
            (0, 0),
            (3, 0),
            (1, 1),
            (4, 4),
            (9, 4),
            (4, 9),
            (40, 25),
            (33, 33),
            (30, 47),
            (150, 140),
        ] {
            let a = Tensor::random(&mut random, kind, &[2, m, n]);
            decomposed(letter, &a, (2, m, n));
        }
        // Of rank 1, and zero: vectors that nothing decides.
        let column = Tensor::random(&mut random, kind, &[6]).values();
        let values: Vec<Z> = (0..24).map(|e| column[e / 4] * (e % 4) as f64).collect();
        decomposed(
            letter,
            &Tensor::from_values(kind, &[1, 6, 4], &values),
            (1, 6, 4),
        );
        let zeros = vec![Z::new(0.0, 0.0); 24];
        decomposed(
            letter,
            &Tensor::from_values(kind, &[1, 4, 6], &zeros),
            (1, 4, 6),
        );
    }
}

#[test]
fn tridiagonal_systems_are_solved() {
    let mut random = Random::new(5);
    for (letter, kind) in KINDS {
        for (n, columns) in [(0, 2), (1, 1), (2, 3), (3, 1), (50, 4)] {
            let vector: &[usize] = &[2, n];
            let sides: &[usize] = &[2, n, columns];
            let mut diagonal = || Tensor::random(&mut random, kind, vector);
            let (below, on, above) = (diagonal(), diagonal(), diagonal());
            let b = Tensor::random(&mut random, kind, sides);
            let found = call(
                &format!("lapack_{letter}gtsv_ffi"),
                &[below.clone(), on.clone(), above.clone(), b.clone()],
                &[
                    (kind, vector),
                    (kind, vector),
                    (kind, vector),
                    (kind, sides),
                    (ElementKind::I32, &[2]),
                ],
                "{}",
            )
            .unwrap();
            assert_eq!(found[4].integers(), [0, 0]);
            let (l, d, u) = (below.values(), on.values(), above.values());
            let x = found[3].values();
            for s in 0..2 {
                for i in 0..n {
                    for j in 0..columns {
                        let at = |i: usize| x[(s * n + i) * columns + j];
                        let mut terms = vec![d[s * n + i] * at(i)];
                        if i > 0 {
                            terms.push(l[s * n + i] * at(i - 1));
                        }
                        if i + 1 < n {
                            terms.push(u[s * n + i] * at(i + 1));
                        }
                        let size: f64 = terms.iter().map(|t| t.norm()).sum();
                        let off = terms.iter().sum::<Z>() - b.values()[(s * n + i) * columns + j];
                        assert!(
                            off.norm() <= 64.0 * epsilon(kind) * (size + 1.0),
                            "{kind:?} {n}: {off}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn singular_tridiagonal_systems_have_solutions_of_near_ones() {
    let mut random = Random::new(6);
    let solve = |kind: ElementKind, diagonals: &[Tensor; 3], b: &Tensor, shape: &[usize]| {
        let [below, on, above] = diagonals.clone();
        let target = "tridiagonal_solve_perturbed_ffi";
        let found = call(
            target,
            &[below, on, above, b.clone()],
            &[(kind, shape)],
            "{}",
        );
        found.unwrap()[0].values()
    };
    for (letter, kind) in KINDS {
        for n in [1, 2, 3, 30] {
            for round in 0..5 {
                let sides: &[usize] = &[n, 2];
                let mut diagonal = || Tensor::random(&mut random, kind, &[n]);
                let (below, mut on, above) = (diagonal(), diagonal(), diagonal());
                let b = Tensor::random(&mut random, kind, sides);
                let vector = (kind, &[n][..]);
                let results = [
                    vector,
                    vector,
                    vector,
                    (kind, sides),
                    (ElementKind::I32, &[]),
                ];
                let arguments = [below.clone(), on.clone(), above.clone(), b.clone()];
                let found = call(
                    &format!("lapack_{letter}gtsv_ffi"),
                    &arguments,
                    &results,
                    "{}",
                );
                let diagonals = [below, on.clone(), above];
                let x = solve(kind, &diagonals, &b, sides);
                assert_eq!(found.unwrap()[3].values(), x, "{kind:?} {n} {round}");
                // Without the last column's neighbours and element there is nothing in it.
                let [below, _, mut above] = diagonals;
                let last = (n - 1) * kind.size()..;
                on.bytes[last].fill(0);
                if n > 1 {
                    let before = (n - 2) * kind.size()..;
                    above.bytes[before].fill(0);
                }
                let (l, d, u) = (below.values(), on.values(), above.values());
                let x = solve(kind, &[below, on, above], &b, sides);
                let largest = |of: &[Z]| of.iter().map(|x| x.norm()).fold(0.0, f64::max);
                assert!(
                    x.iter().all(|x| x.norm().is_finite()),
                    "{kind:?} {n} {round}"
                );
                // It solves a system that differs in the last pivot, by about the precision of the
                // largest element.
                let allowed = 16.0 * epsilon(kind) * n as f64 * (1.0 + largest(&x));
                for i in 0..n {
                    for j in 0..2 {
                        let mut sum = d[i] * x[2 * i + j] - b.values()[2 * i + j];
                        if i > 0 {
                            sum += l[i] * x[2 * i - 2 + j];
                        }
                        if i + 1 < n {
                            sum += u[i] * x[2 * i + 2 + j];
                        }
                        assert!(sum.norm() <= allowed, "{kind:?} {n} {round}: {sum}");
                    }
                }
                assert!(largest(&x[2 * n - 2..]) > 1e4, "{kind:?} {n} {round}");
            }
        }
        let zeros = || Tensor::from_values(kind, &[3], &[Z::new(0.0, 0.0); 3]);
        let b = Tensor::from_values(kind, &[3, 1], &[Z::new(1.0, 0.0); 3]);
        let x = solve(kind, &[zeros(), zeros(), zeros()], &b, &[3, 1]);
        assert!(x.iter().all(|x| x.norm() > 1e6 && x.norm().is_finite()));
    }
}

#[test]
fn what_is_not_finite_stays_so() {
    let kind = ElementKind::F64;
    let values = [1.0, f64::NAN, 2.0, 3.0].map(|x| Z::new(x, 0.0));
    let a = Tensor::from_values(kind, &[2, 2], &values);
    let int = ElementKind::I32;
    let eigen = call(
        "lapack_dsyevd_ffi",
        std::slice::from_ref(&a),
        &[(kind, &[2, 2]), (kind, &[2]), (int, &[])],
        &options(&[("mode", 'V'), ("uplo", 'U')]),
    )
    .unwrap();
    assert!(eigen[1].values().iter().all(|x| x.re.is_nan()));
    let lu = call(
        "lapack_dgetrf_ffi",
        &[a],
        &[(kind, &[2, 2]), (int, &[2]), (int, &[])],
        "{}",
    )
    .unwrap();
    assert!(lu[0].values()[3].re.is_nan());
}

#[test]
fn wrong_types_shapes_and_options_are_errors() {
    let kind = ElementKind::F64;
    let a = || Tensor::zeros(kind, &[2, 2]);
    let int = ElementKind::I32;
    let status = |name: &str, results: &[(ElementKind, &[usize])], options: &str| {
        call(name, &[a()], results, options).unwrap_err().status
    };
    let good: &[(ElementKind, &[usize])] = &[(kind, &[2, 2]), (kind, &[2]), (int, &[])];
    for (name, results, options) in [
        (
            "lapack_sgetrf_ffi",
            &[(kind, &[2, 2][..]), (int, &[2]), (int, &[])][..],
            "",
        ),
        (
            "lapack_dgetrf_ffi",
            &[(kind, &[2, 2]), (int, &[3]), (int, &[])],
            "",
        ),
        ("lapack_dgetrf_ffi", &[(kind, &[2, 2])], ""),
        ("lapack_dsyevd_ffi", good, "{mode = 86 : ui8}"),
        (
            "lapack_dsyevd_ffi",
            good,
            "{mode = 86 : ui8, uplo = 77 : ui8}",
        ),
    ] {
        assert_eq!(
            status(name, results, options),
            Status::InvalidArgument,
            "{name}"
        );
    }
    for name in ["lapack_dggev_ffi", "lapack_dungqr_ffi", "lapack_getrf_ffi"] {
        assert_eq!(status(name, good, ""), Status::NotFound, "{name}");
    }
}
