//! Families of maps that grow with the number of operations.

use mapwright_indexing::{Expr, IndexingMap, Interval, Op, c, d, s};

/// A family: its name, and its member of about that many operations.
pub(crate) type Family = (&'static str, fn(usize) -> IndexingMap);

/// What the curve is drawn of: 64 variables, unless the family is about something else.
pub(crate) const FAMILIES: &[Family] = &[
    ("mixed", mixed),
    ("sum", sum),
    ("digits", digits),
    ("distinct", distinct),
    ("factors", factors),
    ("deep", deep),
    ("remainders", remainders),
    ("alternating", alternating),
    ("growing", growing),
    ("extrema", extrema),
    ("products", products),
    ("pairs", pairs),
    ("differences", differences),
    ("places", places),
    ("absorbed", absorbed),
    ("absorbed-alike", absorbed_alike),
    ("one-modulus", one_modulus),
    ("two-ends", two_ends),
    ("results", results),
    ("numeral", numeral),
    ("shared", shared),
    ("constraints", constraints),
    ("congruences", congruences),
    ("windows", windows),
    ("equalities", equalities),
    ("quotients", quotients),
    ("one-variable", one_variable),
    ("strides", strides),
    ("wide-constraint", wide_constraint),
    ("implied", implied),
];

pub(crate) fn v(i: usize) -> Expr {
    d(i % 64)
}

pub(crate) fn add(x: Expr, y: Expr) -> Expr {
    Expr::raw(Op::Add, x, y)
}

pub(crate) fn div(x: Expr, k: i64) -> Expr {
    Expr::raw(Op::FloorDiv, x, c(k))
}

pub(crate) fn modulo(x: Expr, k: i64) -> Expr {
    Expr::raw(Op::Mod, x, c(k))
}

/// 64 dimensions of 16 values.
pub(crate) fn map(results: impl IntoIterator<Item = Expr>) -> IndexingMap {
    IndexingMap::from_dims(&[16; 64], results)
}

/// The map of a sum.
pub(crate) fn sum_of(terms: impl Iterator<Item = Expr>) -> IndexingMap {
    map([terms.fold(c(0), add)])
}

/// One nest of sums, quotients and remainders, as deep as they are many.
fn mixed(operations: usize) -> IndexingMap {
    let mut e = c(0);
    for i in 0..operations / 3 {
        e = add(e, v(i) * ((i as i64 % 7) + 1));
        if i % 5 == 4 {
            let op = if i % 2 == 0 { Op::FloorDiv } else { Op::Mod };
            e = Expr::raw(op, e, c(3 + (i as i64 % 11)));
        }
    }
    map([e])
}

fn sum(operations: usize) -> IndexingMap {
    sum_of((0..operations / 2).map(|i| v(i) * ((i as i64 % 7) + 1)))
}

/// A sum of quotients and remainders, many of them alike.
fn digits(operations: usize) -> IndexingMap {
    sum_of((0..operations / 6).map(|i| {
        let op = if i % 2 == 0 { Op::FloorDiv } else { Op::Mod };
        let x = add(v(i) * 5, v(i * 7 + 3) * 3);
        Expr::raw(op, x, c(2 + (i as i64 % 97))) * (1 + (i as i64 % 13))
    }))
}

/// A sum of quotients that are all different. Of factor and divisor only the size changes, not what
/// they are to each other, so that the same rules are tried on the first as on the last.
fn distinct(operations: usize) -> IndexingMap {
    sum_of((0..operations / 4).map(|i| {
        let k = 1009 + i as i64;
        div(v(i) * k, 3 * k + 1)
    }))
}

/// As `distinct`, where factor and divisor come closer to each other the more there are.
fn factors(operations: usize) -> IndexingMap {
    sum_of((0..operations / 4).map(|i| div(v(i) * (3 + i as i64), 1009 + i as i64)))
}

fn deep(operations: usize) -> IndexingMap {
    let grow = |e, i| div(add(e, v(i) * 1000), 2 + (i as i64 % 3));
    map([(0..operations / 4).fold(c(0), grow)])
}

/// Remainders of remainders, with divisors that do not divide each other.
fn remainders(operations: usize) -> IndexingMap {
    let grow = |e: Expr, i| modulo(add(e * 3, v(i)), [7, 9, 11, 13, 8][i % 5]);
    map([(0..operations / 3).fold(c(0), grow)])
}

/// Quotients and remainders in turn, nothing between them.
fn alternating(operations: usize) -> IndexingMap {
    let grow = |e: Expr, i: usize| match i % 2 {
        0 => modulo(e * 7, 1000 + i as i64),
        _ => div(e * 5, 7),
    };
    let e = (0..operations / 2).fold(d(0) * 91 + d(1), grow);
    map([e])
}

/// Quotients and remainders in turn, of sums, with divisors that grow.
fn growing(operations: usize) -> IndexingMap {
    let grow = |e: Expr, i: usize| {
        let k = 3 + i as i64;
        match i % 2 {
            0 => div(add(e * (k + 1), v(i)), k),
            _ => modulo(add(e * 2, v(i) * k), k + 4),
        }
    };
    map([(0..operations / 4).fold(c(0), grow)])
}

fn extrema(operations: usize) -> IndexingMap {
    let grow = |e, i: usize| {
        let op = [Op::Max, Op::Min][i % 2];
        Expr::raw(op, e, v(i) * ((i as i64 % 7) + 2))
    };
    map([(0..operations / 2).fold(c(0), grow)])
}

/// A sum of products of digits.
fn products(operations: usize) -> IndexingMap {
    sum_of((0..operations / 5).map(|i| {
        let k = i as i64;
        let (x, y) = (div(v(i), 2 + k % 11), modulo(v(i / 64 + i), 3 + k % 13));
        Expr::raw(Op::Mul, x, y) * (1 + k % 5)
    }))
}

/// Quotients and remainders that fuse, of sums that are all different, with all quotients first.
fn pairs(operations: usize) -> IndexingMap {
    let x = |i: usize| add(v(i) * (17 + 2 * i as i64), v(i + 1));
    let m = |i: usize| 31 + i as i64 % 50;
    let n = operations / 10;
    let high = (0..n).map(|i| div(x(i), m(i)) * m(i));
    sum_of(high.chain((0..n).map(|i| modulo(x(i), m(i)))))
}

/// `x - (x floordiv m) * m` in one sum, all of them different.
fn differences(operations: usize) -> IndexingMap {
    sum_of((0..operations / 7).map(|i| {
        let x = add(v(i) * (17 + 2 * i as i64), v(i + 1));
        let m = 31 + i as i64 % 50;
        add(x.clone(), div(x, m) * -m)
    }))
}

/// A sum of digits of one form.
fn places(operations: usize) -> IndexingMap {
    let x = (0..8).fold(c(0), |e, i| add(e, v(i) * (1 + 12345 * i as i64)));
    sum_of(
        (0..operations / 4).map(|i| modulo(div(x.clone(), 2 + i as i64), 5) * (3 + i as i64 % 4)),
    )
}

/// Different sums, each divided.
pub(crate) fn quotient(i: usize) -> Expr {
    div(
        add(v(i) * (17 + 2 * i as i64), v(i + 1)),
        31 + i as i64 % 50,
    )
}

/// The remainder of a sum of remainders.
fn absorbed(operations: usize) -> IndexingMap {
    let sum = (0..operations / 6).map(|i| modulo(quotient(i), 14));
    map([modulo(sum.fold(c(0), add), 7)])
}

/// As `absorbed`, where the first quotients are like the last ones. (There the first ones have so
/// few values that nothing is to be absorbed.)
fn absorbed_alike(operations: usize) -> IndexingMap {
    let quotient = |i: usize| {
        let x = add(v(i) * (20_017 + 2 * i as i64), v(i + 1));
        modulo(div(x, 31 + i as i64 % 50), 14)
    };
    map([modulo((0..operations / 6).map(quotient).fold(c(0), add), 7)])
}

/// Remainders of one modulus in each other, each with one term more.
fn one_modulus(operations: usize) -> IndexingMap {
    let grow = |e, i| modulo(add(e, quotient(i)), 7);
    map([(0..operations / 6).fold(c(0), grow)])
}

/// The upper and the lower digit of two long sums, which differ by multiples.
fn two_ends(operations: usize) -> IndexingMap {
    let long = |k: i64| {
        let terms = (0..operations / 12).map(|i| quotient(i) * (1 + k * (i as i64 % 3)));
        terms.fold(c(0), add)
    };
    map([add(div(long(0), 1000) * 1000, modulo(long(1000), 1000))])
}

/// Many results, each a digit of a form.
fn results(operations: usize) -> IndexingMap {
    map((0..operations / 6).map(|i| {
        let x = add(v(i) * 60, v(i + 7) * 5);
        modulo(div(add(x, v(i + 9)), 2 + i as i64 % 59), 3 + i as i64 % 61)
    }))
}

/// The digits of a number of 56 digits, in another base, again and again: what chains of reshapes
/// are made of.
fn numeral(operations: usize) -> IndexingMap {
    let linear = |v: &[Expr], base: i64| v.iter().fold(c(0), |e: Expr, x| add(e * base, x.clone()));
    let split = |e: &Expr, base: i64, n: usize| -> Vec<Expr> {
        let place = |i: usize| base.pow((n - 1 - i) as u32);
        (0..n)
            .map(|i| match i {
                0 => div(e.clone(), place(0)),
                _ => modulo(div(e.clone(), place(i)), base),
            })
            .collect()
    };
    let mut results = Vec::new();
    let mut i = 0;
    while results.len() < operations / 17 {
        // Other variables each time, and in another order.
        let mut v: Vec<Expr> = (0..12).map(|j| v(i + j * (1 + i / 64 * 2))).collect();
        for (base, n) in [(4, 24), (8, 16), (16, 12)] {
            let whole = linear(&v, 2i64.pow(48 / v.len() as u32));
            v = split(&whole, base, n);
        }
        results.append(&mut v);
        i += 5;
    }
    map(results)
}

/// Sums of sums that share their parts.
fn shared(operations: usize) -> IndexingMap {
    let grow = |e: Expr, i| div(add(add(e.clone(), v(i)), e), 2 + i as i64 % 3);
    map([(0..operations / 3).fold(d(0), grow)])
}

/// A map of constraints.
pub(crate) fn constrained(count: usize, of: impl Fn(usize) -> (Expr, Interval)) -> IndexingMap {
    (0..count).fold(map([v(0)]), |map, i| {
        let (x, interval) = of(i);
        map.with_constraint(x, interval)
    })
}

/// Two variables in one sum.
fn two(i: usize) -> Expr {
    let (p, q) = (3 + (i as i64 % 11), 2 + (i as i64 / 64 % 13));
    add(v(i) * p, v(i * 5 + 1) * q)
}

/// The greatest value of [`two`].
fn most(i: usize) -> i64 {
    15 * (5 + (i as i64 % 11) + (i as i64 / 64 % 13))
}

/// Corners are cut off.
fn constraints(operations: usize) -> IndexingMap {
    constrained(operations / 4, |i| {
        (two(i), Interval::new(0, most(i) - 1 - i as i64 % 3))
    })
}

fn congruences(operations: usize) -> IndexingMap {
    constrained(operations / 4, |i| {
        (modulo(two(i), 7 + (i as i64 % 5)), Interval::new(0, 4))
    })
}

/// Ranges and remainders of the same sums.
fn windows(operations: usize) -> IndexingMap {
    constrained(operations / 4, |i| match i % 2 {
        0 => (two(i / 2), Interval::new(0, most(i / 2) - 1 - i as i64 % 7)),
        _ => (
            modulo(two(i / 2), [41, 43, 47, 53][i % 4]),
            Interval::new(0, 30),
        ),
    })
}

/// Constraints that tie each variable to the next.
fn equalities(operations: usize) -> IndexingMap {
    constrained(operations / 4, |i| {
        let k = 1 + i as i64 / 64;
        (
            add(v(i) * k, v(i + 1) * -k),
            Interval::new(-3 * k - k / 2, 5 * k),
        )
    })
}

/// Constraints on quotients.
fn quotients(operations: usize) -> IndexingMap {
    constrained(operations / 5, |i| {
        let k = 2 + i as i64 % 5;
        (
            add(div(two(i), k), v(i + 3)),
            Interval::new(0, most(i) / k + 14),
        )
    })
}

/// Remainders of one variable of many values.
fn one_variable(operations: usize) -> IndexingMap {
    let map = IndexingMap::from_dims(&[1 << 40], [d(0)]);
    (0..operations).fold(map, |map, i| {
        let m = 3 + i as i64;
        map.with_constraint(modulo(d(0), m), Interval::new(0, m - 2))
    })
}

/// Range variables of fixed strides, in sums of quotients.
fn strides(operations: usize) -> IndexingMap {
    let sum = (0..operations / 4).map(|i| div(s(i % 64) * (3 + i as i64), 1009 + i as i64));
    let mut map = sum_of(sum).with_ranges(&[100; 64]);
    for i in 0..64 {
        map = map.with_constraint(modulo(s(i), 2 + i as i64 % 5), Interval::point(1));
    }
    map
}

/// One constraint on a long sum of quotients.
fn wide_constraint(operations: usize) -> IndexingMap {
    let sum = (0..operations / 6).map(|i| quotient(i) * (2 + i as i64));
    let e = sum.fold(c(0), add);
    map([v(0)]).with_constraint(e, Interval::new(3, operations as i64 * operations as i64))
}

/// Constraints on remainders, and one on their sum.
fn implied(operations: usize) -> IndexingMap {
    let digit = |i: usize| modulo(add(v(i) * (3 + i as i64 / 64), v(i + 1) * 5), 11);
    let n = operations / 7;
    let sum = (0..n).map(digit).fold(c(0), add);
    constrained(n, |i| (digit(i), Interval::new(1, 8)))
        .with_constraint(sum, Interval::new(0, 7 * n as i64))
}
