//! Maps made to be hard: their normal forms grow with the square of the number of operations or
//! faster, rules feed each other, or numbers do not fit. No curve is asked of them, but that they
//! end.

use crate::families::{Family, add, constrained, div, map, modulo, quotient, sum_of, v};
use mapwright_indexing::{Expr, IndexingMap, Interval, Op, c, d, s};

/// A family, as [`Family`], of hard maps.
pub(crate) const ADVERSARIES: &[Family] = &[
    ("sums-of-all-before", sums_of_all_before),
    ("remainders-of-all-before", remainders_of_all_before),
    ("quotients-of-all-before", quotients_of_all_before),
    ("each-remainder", each_remainder),
    ("two-moduli", two_moduli),
    ("scaled-remainders", scaled_remainders),
    ("extrema-of-long-sums", extrema_of_long_sums),
    ("extrema-inside", extrema_inside),
    ("products-of-sums", products_of_sums),
    ("products-in-products", products_in_products),
    ("variables", variables),
    ("sums-of-nests", sums_of_nests),
    ("wide-constraints", wide_constraints),
    ("tied", tied),
    ("creeping", creeping),
    ("windows-of-one", windows_of_one),
    ("overflows", overflows),
    ("ends-of-numbers", ends_of_numbers),
    ("bits", bits),
    ("overlapping", overlapping),
    ("growing-digits", growing_digits),
    ("rescaled", rescaled),
    ("random", random),
    ("random-constraints", random_constraints),
];

fn mul(x: Expr, y: Expr) -> Expr {
    Expr::raw(Op::Mul, x, y)
}

/// Each result has one quotient more than the one before.
fn sums_of_all_before(operations: usize) -> IndexingMap {
    let mut sum = c(0);
    let mut next = |i| {
        sum = add(sum.clone(), quotient(i));
        sum.clone()
    };
    map((0..operations / 5).map(&mut next).collect::<Vec<_>>())
}

/// A sum and its remainder, again and again: each remainder is one of everything before.
fn remainders_of_all_before(operations: usize) -> IndexingMap {
    let grow = |e: Expr, i| add(add(e.clone(), modulo(e, 7 + i as i64 % 5)), v(i) * 3);
    map([(0..operations / 4).fold(d(0), grow)])
}

/// A sum and its quotient.
fn quotients_of_all_before(operations: usize) -> IndexingMap {
    let grow = |e: Expr, i| add(add(e.clone(), div(e, 1000 + i as i64)), v(i) * 3);
    map([(0..operations / 4).fold(d(0), grow)])
}

/// As the family of one modulus, with each remainder as a result.
fn each_remainder(operations: usize) -> IndexingMap {
    let mut e = c(0);
    let mut next = |i| {
        e = modulo(add(e.clone(), quotient(i)), 7);
        e.clone()
    };
    map((0..operations / 6).map(&mut next).collect::<Vec<_>>())
}

/// Every other modulus is a multiple of the one around.
fn two_moduli(operations: usize) -> IndexingMap {
    let grow = |e, i| modulo(add(e, quotient(i)), if i % 2 == 0 { 14 } else { 7 });
    map([(0..operations / 6).fold(c(0), grow)])
}

/// Remainders of one modulus, each times something, also something negative.
fn scaled_remainders(operations: usize) -> IndexingMap {
    let grow = |e: Expr, i: usize| modulo(add(quotient(i), e * [-3, -2, -1, 2, 4][i % 5]), 7);
    map([(0..operations / 7).fold(c(0), grow)])
}

/// The greatest of sums of which each has one term more.
fn extrema_of_long_sums(operations: usize) -> IndexingMap {
    let (mut sum, mut e) = (c(0), c(0));
    for i in 0..operations / 6 {
        sum = add(sum, quotient(i) * if i % 3 == 0 { -1 } else { 1 });
        e = Expr::raw(Op::Max, e, sum.clone());
    }
    map([e])
}

/// Extrema in sums in extrema.
fn extrema_inside(operations: usize) -> IndexingMap {
    let grow = |e: Expr, i: usize| {
        let op = [Op::Max, Op::Min][i % 2];
        let x = add(e.clone(), v(i) * (1 + i as i64 % 7));
        add(Expr::raw(op, x, c(i as i64 * 5)), modulo(e, 3))
    };
    map([(0..operations / 6).fold(d(0), grow)])
}

/// Products of sums of quotients.
fn products_of_sums(operations: usize) -> IndexingMap {
    let long = |from: usize| (from..from + 50).fold(c(0), |e, i| add(e, quotient(i)));
    sum_of((0..operations / 402).map(|i| mul(long(i * 100), long(i * 100 + 50))))
}

/// A product in a sum in a product.
fn products_in_products(operations: usize) -> IndexingMap {
    let grow = |e: Expr, i| modulo(mul(add(e, v(i)), add(v(i + 3), c(1))), 1000 + i as i64);
    map([(0..operations / 4).fold(c(1), grow)])
}

/// As many variables as there are operations, almost.
fn variables(operations: usize) -> IndexingMap {
    let n = operations / 3;
    let digit = |i: usize| add(d(i), div(d((i * 7 + 1) % n), 2 + i as i64 % 11));
    let map = IndexingMap::from_dims(&vec![16; n], [(0..n).map(digit).fold(c(0), add)]);
    (0..n / 2).fold(map, |map, i| {
        map.with_constraint(d(i) - d(n - 1 - i), Interval::new(-9, 9))
    })
}

/// A sum of deep nests.
fn sums_of_nests(operations: usize) -> IndexingMap {
    let nest = |j: usize| {
        (0..50).fold(v(j), |e, i| match i % 3 {
            0 => modulo(add(e * 5, v(i + j)), 97 + j as i64 % 11),
            1 => div(add(e * 3, v(i * j + 1)), 2 + j as i64 % 3),
            _ => add(e, v(i + 2 * j) * (j as i64 % 19)),
        })
    };
    sum_of((0..operations / 135).map(nest))
}

/// Constraints of many terms on the same variables.
fn wide_constraints(operations: usize) -> IndexingMap {
    constrained(operations / 128, |i| {
        let term = |j: usize| v(j) * (1 + ((i * 31 + j * 17) % 23) as i64);
        ((0..64).map(term).fold(c(0), add), Interval::new(5, 9000))
    })
}

/// Constraints between pairs of variables that each say a little.
fn tied(operations: usize) -> IndexingMap {
    constrained(operations / 3, |i| {
        let (x, y) = (v(i * 13), v(i * 29 + 7));
        (x * (1 + i as i64 % 3) - y * 2, Interval::new(-40, 40))
    })
}

/// `x < y` and `y < x` by way of others: no ranges that are large enough are ever empty by one more
/// step.
fn creeping(operations: usize) -> IndexingMap {
    let large = 1i64 << 40;
    let n = operations / 2;
    let map = IndexingMap::from_dims(&vec![large; n], [d(0)]);
    (0..n).fold(map, |map, i| {
        map.with_constraint(d(i) - d((i + 1) % n), Interval::new(1, large))
    })
}

/// Remainders of one sum by many moduli.
fn windows_of_one(operations: usize) -> IndexingMap {
    constrained(operations / 3, |i| {
        let m = 101 + i as i64;
        (modulo(add(v(0) * 100, v(1)), m), Interval::new(1, m - 3))
    })
}

/// Sums that leave 64 bits at each step.
fn overflows(operations: usize) -> IndexingMap {
    let large = i64::MAX / 3;
    sum_of((0..operations / 2).map(|i| v(i) * (large - i as i64)))
}

/// Values near the ends of 64 bits, in quotients and remainders.
fn ends_of_numbers(operations: usize) -> IndexingMap {
    let grow = |e: Expr, i: usize| match i % 3 {
        0 => add(e * (1 << 31), v(i)),
        1 => modulo(add(e, v(i) * i64::MAX), i64::MAX - i as i64),
        _ => div(e * 3, i64::MAX - 1 - i as i64),
    };
    map([(0..operations / 3).fold(d(0), grow)])
}

/// All bits of sums of variables.
fn bits(operations: usize) -> IndexingMap {
    sum_of((0..operations / 5).map(|i| {
        let x = add(v(i / 20), v(i / 20 + 1 + i / 1280));
        modulo(div(x, 1 << (i % 5)), 2) * (1 << (i % 7))
    }))
}

/// Digits of one variable that overlap each other.
fn overlapping(operations: usize) -> IndexingMap {
    let digit = |i: usize| {
        let a = 1 << (i % 17);
        modulo(div(d(0), a), 2 << (i % 5)) * (1 + i as i64 % 3)
    };
    let sum = (0..operations / 4).map(digit).fold(c(0), add);
    IndexingMap::from_dims(&[1 << 30], [sum])
}

/// Sums of 30 digits, of sums of 30 digits, and so on.
fn growing_digits(operations: usize) -> IndexingMap {
    let mut list: Vec<Expr> = (0..30).map(v).collect();
    for i in 0..operations / 60 {
        let sum = list.iter().fold(c(0), |e, x| add(e, x.clone()));
        let k = i as i64;
        list[i % 30] = modulo(add(sum, v(i) * 7), 11 + k % 90);
    }
    sum_of(list.into_iter())
}

/// Range variables whose strides follow from each other's.
fn rescaled(operations: usize) -> IndexingMap {
    let n = 64;
    let term = |i: usize| div(s(i % n) * 5, 7 + i as i64 % 100);
    let mut map = sum_of((0..operations / 4).map(term)).with_ranges(&[1 << 30; 64]);
    for i in 0..n - 1 {
        let tie = s(i) * 3 + s(i + 1);
        map = map.with_constraint(modulo(tie, 9), Interval::point(i as i64 % 9));
    }
    map.with_constraint(modulo(s(0), 9), Interval::point(4))
}

/// Numbers that look random: the high bits of a product.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 0x1234_5678_9abc_def1u64;
    move |below| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

/// Operations on what was made before, chosen by chance.
fn chance(operations: usize) -> Vec<Expr> {
    let mut below = numbers();
    let mut list: Vec<Expr> = (0..64).map(d).collect();
    for _ in 0..operations / 2 {
        // Mostly of what was made lately.
        let near = list.len().min(100);
        let x = list[list.len() - 1 - below(near)].clone();
        let y = list[below(list.len())].clone();
        let k = 1 + below(60) as i64;
        list.push(match below(8) {
            0 | 1 => add(x, y),
            2 => add(x, y * -k),
            3 => div(add(x, y), k),
            4 | 5 => modulo(add(x, y * k), k + 1),
            6 => Expr::raw(Op::Max, x, y),
            _ => Expr::raw(Op::Min, x, y),
        });
    }
    list
}

/// The last things made by chance.
pub(crate) fn random(operations: usize) -> IndexingMap {
    map(chance(operations).into_iter().rev().take(100))
}

/// Constraints on the last things made by chance.
fn random_constraints(operations: usize) -> IndexingMap {
    let list = chance(operations);
    let first = list.len() - list.len() / 4;
    let map = map([list[first].clone()]);
    list[first..].iter().fold(map, |map, e| {
        map.with_constraint(e.clone(), Interval::new(-(1 << 40), 1 << 39))
    })
}
