//! Sorting against the definition: a stable sort of boxed numbers by a comparison written from the
//! documentation of the orders.

use std::cmp::Ordering;

use super::*;
use crate::convert::{self, Number};
use crate::test_support::Random;
use crate::{Context, ElementKind};

/// Compares two elements as the documentation of `Order` says.
fn compare(order: Order, kind: ElementKind, data: &[u8], i: usize, j: usize) -> Ordering {
    let real = |a: f64, b: f64| {
        if order.is_total() {
            return a.total_cmp(&b);
        }
        match (a.is_nan(), b.is_nan()) {
            (false, false) => a.partial_cmp(&b).unwrap(),
            (p, q) => p.cmp(&q),
        }
    };
    if order.is_total() && kind == ElementKind::F32 {
        // Not by way of f64, which would make signalling NaN quiet and change their place.
        let at = |i: usize| f32::from_le_bytes(data[i * 4..i * 4 + 4].try_into().unwrap());
        let ascending = at(i).total_cmp(&at(j));
        return if order.is_descending() {
            ascending.reverse()
        } else {
            ascending
        };
    }
    let ascending = match (convert::read(kind, data, i), convert::read(kind, data, j)) {
        (Number::Pred(a), Number::Pred(b)) => a.cmp(&b),
        (Number::Integer(a), Number::Integer(b)) => a.cmp(&b),
        (Number::Real(a), Number::Real(b)) => real(a, b),
        (Number::Complex(a, c), Number::Complex(b, d)) => real(a, b).then(real(c, d)),
        _ => unreachable!(),
    };
    if order.is_descending() {
        ascending.reverse()
    } else {
        ascending
    }
}

const ORDERS: [Order; 4] = [
    Order::Ascending,
    Order::Descending,
    Order::AscendingTotal,
    Order::DescendingTotal,
];

/// Bytes of `count` elements: mostly random patterns, sometimes few different ones, with the
/// special floats among them.
fn elements(random: &mut Random, kind: ElementKind, count: usize) -> Vec<u8> {
    let size = kind.size();
    let mut data = vec![0; count * size];
    let few = random.below(3) == 0;
    for i in 0..count {
        let special = [
            0.0,
            -0.0,
            f64::NAN,
            -f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1.0,
            -1.0,
        ];
        let pick = |random: &mut Random| {
            if few || random.below(4) == 0 {
                special[random.below(8)]
            } else {
                (random.uniform() - 0.5) * 1e3
            }
        };
        let number = match kind {
            ElementKind::Pred => Number::Pred(random.below(2) == 1),
            _ if kind.is_complex() => Number::Complex(pick(random), pick(random)),
            _ if kind.is_float() => Number::Real(pick(random)),
            _ => Number::Integer(if few {
                random.below(5) as i128 - 2
            } else {
                i128::from(random.next() as i64)
            }),
        };
        convert::write(kind, &mut data, i, number);
        // Other NaN patterns than the standard ones.
        if kind == ElementKind::F32 && random.below(16) == 0 {
            data[i * 4..i * 4 + 4]
                .copy_from_slice(&(0x7f80_0000 | random.next() as u32).to_le_bytes());
        }
    }
    data
}

/// A copy in memory aligned like a tensor.
fn aligned(context: &Context, data: &[u8]) -> crate::Buffer {
    let mut buffer = context.memory().allocate(data.len()).unwrap();
    buffer.as_mut_slice().copy_from_slice(data);
    buffer
}

/// The definition: for each line, the positions sorted stably.
fn expected_positions(lines: Lines, keys: &[(Order, ElementKind, &[u8])]) -> Vec<usize> {
    let mut result = vec![0; lines.elements()];
    for o in 0..lines.outer {
        for i in 0..lines.inner {
            let at = |p: usize| (o * lines.length + p) * lines.inner + i;
            let mut order: Vec<usize> = (0..lines.length).collect();
            order.sort_by(|a, b| {
                keys.iter().fold(Ordering::Equal, |c, (order, kind, data)| {
                    c.then(compare(*order, *kind, data, at(*a), at(*b)))
                })
            });
            for (p, from) in order.into_iter().enumerate() {
                result[at(p)] = at(from);
            }
        }
    }
    result
}

fn check(
    context: &Context,
    lines: Lines,
    kinds: &[ElementKind],
    orders: &[Order],
    data: &[Vec<u8>],
    in_place: bool,
) {
    let keys: Vec<_> = orders
        .iter()
        .zip(kinds)
        .zip(data)
        .map(|((o, k), d)| (*o, *k, d.as_slice()))
        .collect();
    let expected = expected_positions(lines, &keys);
    let mut inputs: Vec<_> = data.iter().map(|d| aligned(context, d)).collect();
    let mut outputs: Vec<_> = data
        .iter()
        .map(|d| aligned(context, &vec![0xa5; d.len()]))
        .collect();
    let operands: Vec<Operand> = (0..kinds.len())
        .map(|k| {
            let output = if in_place {
                inputs[k].as_mut_ptr()
            } else {
                outputs[k].as_mut_ptr()
            };
            Operand {
                input: inputs[k].as_ptr(),
                output,
                kind: kinds[k],
            }
        })
        .collect();
    // SAFETY: the buffers have the sizes of the lines.
    unsafe { sort(context, lines, &operands, orders) }.unwrap();
    for k in 0..kinds.len() {
        let size = kinds[k].size();
        let result = if in_place {
            inputs[k].as_slice()
        } else {
            outputs[k].as_slice()
        };
        for (i, from) in expected.iter().enumerate() {
            assert_eq!(
                result[i * size..(i + 1) * size],
                data[k][from * size..(from + 1) * size],
                "{lines:?} {kinds:?} {orders:?} operand {k} element {i}"
            );
        }
    }
}

#[test]
fn every_kind_and_order() {
    let context = Context::new(2);
    let mut random = Random::new(1);
    for kind in ElementKind::ALL {
        for order in ORDERS {
            // The total order of a format whose NaN is the negative zero is not defined by IEEE
            // 754: ours takes NaN as positive.
            for n in [0, 1, 2, 17, 100, 700] {
                for inner in [1, 3] {
                    let lines = Lines {
                        outer: 2,
                        length: n,
                        inner,
                    };
                    let data = elements(&mut random, kind, lines.elements());
                    check(
                        &context,
                        lines,
                        &[kind],
                        &[order],
                        &[data],
                        random.below(2) == 0,
                    );
                }
            }
        }
    }
}

#[test]
fn several_operands_and_keys() {
    let mut random = Random::new(2);
    for round in 0..150 {
        let context = Context::new([1, 2, 4][round % 3]);
        let count = 1 + random.below(4);
        let keys = 1 + random.below(count);
        let kinds: Vec<_> = (0..count)
            .map(|_| ElementKind::ALL[random.below(30)])
            .collect();
        let orders: Vec<_> = (0..keys).map(|_| ORDERS[random.below(4)]).collect();
        let lines = Lines {
            outer: random.below(4),
            length: [0, 1, 5, 33, 257, 600][random.below(6)],
            inner: [1, 1, 2, 19][random.below(4)],
        };
        let data: Vec<_> = kinds
            .iter()
            .map(|k| elements(&mut random, *k, lines.elements()))
            .collect();
        check(&context, lines, &kinds, &orders, &data, round % 2 == 0);
    }
}

#[test]
fn long_lines_are_the_same_for_every_thread_count() {
    let mut random = Random::new(3);
    for kind in [
        ElementKind::F32,
        ElementKind::U32,
        ElementKind::F64,
        ElementKind::I64,
        ElementKind::BF16,
        ElementKind::I8,
    ] {
        let lines = Lines {
            outer: 1,
            length: 100_003,
            inner: 1,
        };
        let data = elements(&mut random, kind, lines.length);
        let payload = elements(&mut random, ElementKind::U16, lines.length);
        for threads in [1, 2, 4] {
            let context = Context::new(threads);
            check(
                &context,
                lines,
                &[kind],
                &[Order::Ascending],
                std::slice::from_ref(&data),
                false,
            );
            let both = [data.clone(), payload.clone()];
            check(
                &context,
                lines,
                &[kind, ElementKind::U16],
                &[Order::Descending],
                &both,
                false,
            );
        }
    }
}

/// Sequences on which quicksorts go wrong.
#[test]
fn word_sorts_on_patterns() {
    let mut random = Random::new(4);
    let mut patterns: Vec<Vec<u64>> = Vec::new();
    for n in (0..300)
        .step_by(7)
        .chain([511, 512, 513, 1000, 4096, 5003, 40_000, 140_000])
    {
        let n64 = n as u64;
        patterns.push((0..n64).collect());
        patterns.push((0..n64).rev().collect());
        patterns.push(vec![7; n]);
        patterns.push((0..n64).map(|i| i % 3).collect());
        patterns.push((0..n64).map(|i| i.min(n64 - i)).collect());
        patterns.push((0..n64).map(|i| u64::from(i == n64 / 2)).collect());
        patterns.push((0..n64).map(|i| u64::MAX - i % 2).collect());
        patterns.push((0..n).map(|_| random.next()).collect());
        patterns.push((0..n).map(|_| random.next() >> random.below(64)).collect());
    }
    for threads in [1, 2, 3] {
        let context = Context::new(threads);
        for pattern in &patterns {
            let mut expected = pattern.clone();
            expected.sort_unstable();
            let mut actual = pattern.clone();
            words::sort_words(&context, &mut actual, 0).unwrap();
            assert_eq!(actual, expected);
            let (mut portable, mut other) = (pattern.clone(), vec![0; pattern.len()]);
            words::sort_portable(&mut portable, &mut other);
            assert_eq!(portable, expected);
            let mut small: Vec<u32> = pattern.iter().map(|x| *x as u32).collect();
            let mut expected = small.clone();
            expected.sort_unstable();
            words::sort_words(&context, &mut small, 0).unwrap();
            assert_eq!(small, expected);
        }
    }
}

unsafe extern "C" fn by_absolute_value(
    _: *const std::ffi::c_void,
    lines: *const *const u8,
    i: i64,
    j: i64,
) -> bool {
    // SAFETY: the test sorts lines of `i32`.
    unsafe {
        let line = (*lines).cast::<i32>();
        (*line.add(i as usize)).unsigned_abs() < (*line.add(j as usize)).unsigned_abs()
    }
}

unsafe extern "C" fn nonsense(
    environment: *const std::ffi::c_void,
    _: *const *const u8,
    i: i64,
    j: i64,
) -> bool {
    let seed = environment.addr() as i64;
    (i.wrapping_mul(0x9e37_79b9) ^ j.wrapping_mul(0x85eb_ca6b) ^ seed) & 8 != 0
}

#[test]
fn general_comparators() {
    let mut random = Random::new(5);
    for n in [0, 1, 2, 11, 12, 13, 100, 5000, 50_000] {
        for inner in [1, 2] {
            let lines = Lines {
                outer: 1,
                length: n,
                inner,
            };
            let keys: Vec<i32> = (0..n * inner)
                .map(|_| random.below(200) as i32 - 100)
                .collect();
            let mut results = Vec::new();
            for threads in [1, 2, 4] {
                for function in [by_absolute_value, nonsense] {
                    let context = Context::new(threads);
                    let mut values = keys.clone();
                    let mut positions: Vec<u32> = (0..n * inner).map(|i| i as u32).collect();
                    let operands = [
                        Operand {
                            input: values.as_ptr().cast(),
                            output: values.as_mut_ptr().cast(),
                            kind: ElementKind::I32,
                        },
                        Operand {
                            input: positions.as_ptr().cast(),
                            output: positions.as_mut_ptr().cast(),
                            kind: ElementKind::U32,
                        },
                    ];
                    let environment = std::ptr::without_provenance(random.below(1) + 5);
                    // SAFETY: the operands have the sizes of the lines.
                    unsafe {
                        sort_by(
                            &context,
                            lines,
                            &operands,
                            Comparator {
                                function,
                                environment,
                            },
                        )
                    }
                    .unwrap();
                    let mut seen = positions.clone();
                    seen.sort_unstable();
                    assert!(
                        seen.iter().enumerate().all(|(i, p)| *p == i as u32),
                        "a permutation"
                    );
                    for (v, p) in values.iter().zip(&positions) {
                        assert_eq!(*v, keys[*p as usize]);
                    }
                    if function as *const () == by_absolute_value as *const () {
                        for i in inner..n * inner {
                            let (a, b) = (values[i - inner].abs(), values[i].abs());
                            assert!(a < b || a == b && positions[i - inner] < positions[i]);
                        }
                    }
                    results.push((function as usize, positions));
                }
            }
            for (function, positions) in &results {
                assert!(
                    results.iter().all(|(f, p)| f != function || p == positions),
                    "the same for every thread count"
                );
            }
        }
    }
}

#[test]
fn top_k_is_the_beginning_of_the_sorted_line() {
    let mut random = Random::new(6);
    for round in 0..400 {
        let context = Context::new([1, 2, 4][round % 3]);
        let kind = if round % 2 == 0 {
            ElementKind::F32
        } else {
            ElementKind::ALL[random.below(30)]
        };
        let order = ORDERS[random.below(4)];
        let n = [1, 2, 63, 64, 65, 300, 1000, 5000][random.below(8)];
        let k = [0, 1, 2, 50, n / 8, n][random.below(6)].min(n);
        let rows = random.below(4);
        let data = elements(&mut random, kind, rows * n);
        let expected = expected_positions(
            Lines {
                outer: rows,
                length: n,
                inner: 1,
            },
            &[(order, kind, &data)],
        );
        let input = aligned(&context, &data);
        let mut values = aligned(&context, &vec![0; rows * k * kind.size()]);
        let mut positions = vec![-1i32; rows * k];
        // SAFETY: the buffers have these sizes.
        unsafe {
            top_k(
                &context,
                kind,
                order,
                (rows, n, k),
                input.as_ptr(),
                values.as_mut_ptr(),
                positions.as_mut_ptr(),
            )
        }
        .unwrap();
        for row in 0..rows {
            for i in 0..k {
                let from = expected[row * n + i];
                assert_eq!(
                    positions[row * k + i] as usize,
                    from - row * n,
                    "{kind:?} {order:?} n {n} k {k} row {row} entry {i}"
                );
                let size = kind.size();
                assert_eq!(
                    values.as_slice()[(row * k + i) * size..][..size],
                    data[from * size..][..size]
                );
            }
        }
    }
}

#[test]
fn argsort_gives_positions() {
    let context = Context::new(2);
    let mut random = Random::new(7);
    for inner in [1, 5, 40] {
        let lines = Lines {
            outer: 3,
            length: 50,
            inner,
        };
        let data = elements(&mut random, ElementKind::F32, lines.elements());
        let expected = expected_positions(lines, &[(Order::Ascending, ElementKind::F32, &data)]);
        let input = aligned(&context, &data);
        let mut output = vec![0i32; lines.elements()];
        // SAFETY: the buffers have these sizes.
        unsafe {
            argsort(
                &context,
                lines,
                ElementKind::F32,
                Order::Ascending,
                input.as_ptr(),
                output.as_mut_ptr(),
            )
        }
        .unwrap();
        for (i, from) in expected.iter().enumerate() {
            assert_eq!(output[i] as usize, from / inner % lines.length);
        }
    }
}

#[test]
fn shapes_are_checked() {
    assert_eq!(
        Lines::new(&[2, 3, 4], 1),
        Ok(Lines {
            outer: 2,
            length: 3,
            inner: 4
        })
    );
    assert!(Lines::new(&[2, 3], 2).is_err());
    assert!(Lines::new(&[2, -3], 0).is_err());
    assert!(Lines::new(&[1 << 40, 1 << 40], 0).is_err());
}
