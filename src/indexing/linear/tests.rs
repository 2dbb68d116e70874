//! Sums against arithmetic at every point of small spaces.

use super::numeral::{ScaledDigit, ends_of_digits};
use super::{Atom, Base, FAR, Facts, Sum, linearize};
use crate::Extent;
use crate::expr::{Expr, ExprKind, c, d};
use std::sync::Arc;

mod rules;

/// A stream of numbers that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    fn below(&mut self, n: i64) -> i64 {
        (self.next() % n as u64) as i64
    }

    fn among(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below(hi - lo + 1)
    }
}

fn number(x: Extent) -> i64 {
    x.as_constant().unwrap()
}

fn range(lo: i64, hi: i64) -> (Extent, Extent) {
    (lo.into(), hi.into())
}

/// All points of the variables' ranges.
fn points(facts: &Facts) -> Vec<Vec<i64>> {
    facts
        .vars
        .iter()
        .fold(vec![Vec::new()], |points, (lo, hi)| {
            let longer = |point: &Vec<i64>| {
                let point = point.clone();
                (number(*lo)..=number(*hi)).map(move |x| [point.clone(), vec![x]].concat())
            };
            points.iter().flat_map(longer).collect()
        })
}

/// The values of a sum at all points are these, and its range holds them.
fn check(sum: &Sum, facts: &Facts, points: &[Vec<i64>], expected: &[i64]) {
    let (lo, hi) = sum.range(facts);
    for (point, expected) in points.iter().zip(expected) {
        assert_eq!(
            sum.eval(point, &[]),
            Some(*expected),
            "{sum:?} at {point:?}"
        );
        assert!(
            lo <= *expected && hi >= *expected,
            "{sum:?}: {expected} is not in [{lo}, {hi}]"
        );
    }
    let sorted = sum.terms.windows(2).all(|pair| pair[0].0 < pair[1].0);
    assert!(sorted && sum.terms.iter().all(|(_, k)| *k != 0), "{sum:?}");
}

fn reversed(x: &Sum, n: i64) -> Sum {
    Sum::constant(n - 1).minus(x)
}

#[test]
fn what_cannot_reach_the_quotient_is_dropped() {
    let facts = Facts::of_sizes(&[8, 4096]);
    let x = Sum::var(1).scaled(8).plus(&Sum::var(0));
    assert_eq!(x.floor_div(512, &facts), Sum::var(1).floor_div(64, &facts));
    assert_eq!(x.modulo(8, &facts), Sum::var(0));
    let y = Sum::var(1).modulo(8, &facts).offset(2);
    assert_eq!(y.range(&facts), range(2, 9));
    assert_eq!(y.floor_div(16, &facts), Sum::constant(0));
}

#[test]
fn digits_of_digits_are_digits() {
    let facts = Facts::of_sizes(&[4096]);
    let x = Sum::var(0);
    let digit = |low: i64, high: Option<i64>| {
        Sum::atom(Atom {
            base: Base::Var(0),
            low: low.into(),
            high: high.map(Extent::from),
        })
    };
    assert_eq!(x.floor_div(4, &facts).modulo(8, &facts), digit(4, Some(32)));
    assert_eq!(
        x.modulo(32, &facts).floor_div(4, &facts),
        digit(4, Some(32))
    );
    assert_eq!(x.floor_div(4, &facts).floor_div(8, &facts), digit(32, None));
    // The leading digit ends where the variable does.
    assert_eq!(
        x.floor_div(1024, &facts).modulo(4, &facts),
        digit(1024, None)
    );
    // Neighbours join, in any order.
    let parts = [
        digit(32, None).scaled(32),
        digit(1, Some(4)),
        digit(4, Some(32)).scaled(4),
    ];
    let sum = |order: [usize; 3]| {
        order
            .iter()
            .fold(Sum::default(), |sum, i| sum.plus(&parts[*i]))
    };
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        assert_eq!(sum(order), x);
    }
    // An overlap is the same, whichever way it is written.
    assert_eq!(
        x.plus(&x.floor_div(8, &facts)),
        x.modulo(8, &facts).plus_scaled(&digit(8, None), 9)
    );
}

#[test]
fn reversed_digits_are_digits() {
    let facts = Facts::of_sizes(&[64, 32]);
    let place = Sum::var(0).scaled(32).plus(&Sum::var(1));
    let back = reversed(&place, 2048);
    assert_eq!(back.floor_div(32, &facts), reversed(&Sum::var(0), 64));
    assert_eq!(back.modulo(32, &facts), reversed(&Sum::var(1), 32));
    assert_eq!(
        back.floor_div(128, &facts),
        reversed(&Sum::var(0).floor_div(4, &facts), 16)
    );
}

#[test]
fn a_chain_of_moves_stays_short() {
    // Forty times a transpose, a reshape, a reverse and a reshape.
    let facts = Facts::of_sizes(&[64, 32]);
    let (mut i, mut j) = (Sum::var(0), Sum::var(1));
    for _ in 0..40 {
        let place = i.scaled(32).plus(&j);
        let (row, column) = (place.floor_div(128, &facts), place.modulo(128, &facts));
        let place = row.scaled(128).plus(&reversed(&column, 128));
        (i, j) = (place.modulo(64, &facts), place.floor_div(64, &facts));
        assert!(!i.has_compound() && !j.has_compound());
        assert!(
            i.operation_count(100) + j.operation_count(100) < 60,
            "{i:?} {j:?}"
        );
    }
}

/// Random sums of digits, quotients and remainders of them, with negative numbers and sizes that do
/// not divide each other, 0 and 1 among them.
#[test]
fn agrees_with_arithmetic() {
    let mut numbers = Numbers(1);
    for round in 0..6000 {
        let nice = round % 2 == 0;
        let size = |numbers: &mut Numbers| {
            if nice {
                [1, 2, 4, 8, 16][numbers.below(5) as usize]
            } else {
                numbers.among(0, 12)
            }
        };
        let vars = (0..numbers.among(1, 3)).map(|_| {
            let lo = if numbers.below(3) == 0 {
                numbers.among(-5, 5)
            } else {
                0
            };
            range(lo, lo + size(&mut numbers) - 1)
        });
        let facts = Facts {
            vars: vars.collect(),
            values: Vec::new(),
        };
        let points = points(&facts);
        let mut known: Vec<(Sum, Vec<i64>)> = (0..facts.vars.len())
            .map(|v| (Sum::var(v), points.iter().map(|point| point[v]).collect()))
            .collect();
        for _ in 0..numbers.among(2, 9) {
            let pick = |numbers: &mut Numbers| numbers.below(known.len() as i64) as usize;
            let (a, b) = (
                known[pick(&mut numbers)].clone(),
                known[pick(&mut numbers)].clone(),
            );
            let m = size(&mut numbers).max(1);
            let k = if numbers.below(2) == 0 {
                numbers.among(-20, 20)
            } else {
                size(&mut numbers)
            };
            let map = |f: &dyn Fn(i64) -> i64| a.1.iter().map(|x| f(*x)).collect::<Vec<_>>();
            let made = match numbers.below(6) {
                0 => (a.0.floor_div(m, &facts), map(&|x| x.div_euclid(m))),
                1 => (a.0.modulo(m, &facts), map(&|x| x.rem_euclid(m))),
                2 => (a.0.offset(k), map(&|x| x + k)),
                3 => (Sum::constant(k).minus(&a.0), map(&|x| k - x)),
                4 => {
                    let m = m * size(&mut numbers).max(1);
                    (a.0.modulo(m, &facts), map(&|x| x.rem_euclid(m)))
                }
                _ => {
                    let values = a.1.iter().zip(&b.1).map(|(x, y)| x + k * y).collect();
                    (a.0.plus_scaled(&b.0, k), values)
                }
            };
            check(&made.0, &facts, &points, &made.1);
            // Through expressions and back.
            let as_dim = |base: &Base| match base {
                Base::Var(v) => d(*v),
                _ => c(0),
            };
            let as_var = |kind: &ExprKind| match kind {
                ExprKind::Dim(v) => Some(Sum::var(*v)),
                _ => None,
            };
            let back = made
                .0
                .to_expr(&as_dim)
                .and_then(|e: Expr| Sum::of_expr(&e, &facts, &as_var));
            check(&back.unwrap(), &facts, &points, &made.1);
            known.push(made);
        }
    }
}

/// A variable replaced by a sum is the sum at its value.
#[test]
fn substitutes() {
    let mut numbers = Numbers(7);
    for _ in 0..2000 {
        let (n, m) = (numbers.among(1, 6), numbers.among(1, 6));
        let facts = Facts::of_sizes(&[n * m, 5, n, m]);
        let (p, q) = (numbers.among(1, 9), numbers.among(1, 9));
        let k = numbers.among(-9, 9);
        let x = Sum::var(0)
            .plus_scaled(&Sum::var(1), k)
            .floor_div(p, &facts)
            .modulo(q, &facts);
        let x = x
            .plus_scaled(&Sum::var(0).modulo(p, &facts), 3)
            .minus(&Sum::var(0).floor_div(q, &facts));
        let value = Sum::var(2).scaled(m).plus(&Sum::var(3));
        let made = x.with_var(0, &value, &facts);
        assert!(!made.depends_on(0));
        for point in points(&Facts::of_sizes(&[1, 5, n, m])) {
            let at = [point[2] * m + point[3], point[1], 0, 0];
            assert_eq!(made.eval(&point, &[]), x.eval(&at, &[]), "{made:?}");
        }
    }
}

#[test]
fn nothing_wraps() {
    let facts = Facts {
        vars: vec![range(0, i64::MAX), range(0, 9)],
        values: Vec::new(),
    };
    let far = Sum::var(1).scaled(i64::MAX);
    assert!(far.scaled(2).is_beyond());
    assert!(far.plus(&far).is_beyond());
    assert!(Sum::constant(i64::MAX).offset(1).is_beyond());
    assert!(Sum::constant(i64::MIN).scaled(-1).is_beyond());
    assert!(linearize(&[Sum::var(1), Sum::var(1), Sum::var(1)], &[2, i64::MAX, 3]).is_beyond());
    let beyond = far.scaled(2);
    // It stays so, and nothing is said of it.
    for sum in [
        beyond.offset(1),
        beyond.minus(&beyond),
        Sum::var(1).plus(&beyond),
        beyond.floor_div(4, &facts),
        beyond.modulo(4, &facts),
        Sum::var(1).with_var(1, &beyond, &facts),
    ] {
        assert!(
            sum.is_beyond() && sum.as_constant().is_none() && sum.depends_on(0),
            "{sum:?}"
        );
        assert_eq!(sum.range(&facts), range(-FAR, FAR));
        assert_eq!(sum.eval(&[1, 1], &[]), None);
        assert_eq!(sum.to_expr(&|_| c(0)), None);
    }
    // Digits at the end of the numbers.
    let x = Sum::var(0).floor_div(i64::MAX, &facts);
    assert_eq!(x.eval(&[i64::MAX, 0], &[]), Some(1));
    let y = x.floor_div(i64::MAX, &facts);
    assert_eq!(y.eval(&[i64::MAX, 0], &[]), Some(0));
    let z = Sum::var(0).scaled(-1).offset(i64::MAX).modulo(3, &facts);
    assert_eq!(z.eval(&[i64::MAX - 5, 0], &[]), Some(2));
    assert_eq!(far.floor_div(i64::MAX, &facts), Sum::var(1));
}

/// Digits of one number with coefficients of both signs, zero among them, and with gaps between
/// them, at every interval.
#[test]
fn digits_of_one_number_are_bounded_together() {
    // Where digits begin and end; the last one has no end.
    let chains: [&[(i64, Option<i64>)]; 6] = [
        &[(1, None)],
        &[(1, Some(3)), (3, None)],
        &[(1, Some(2)), (6, None)],
        &[(2, Some(4)), (4, Some(12)), (24, None)],
        &[(3, Some(6)), (6, Some(12))],
        &[(1, Some(4)), (4, Some(8))],
    ];
    for chain in chains {
        for seed in 0..40 {
            let coef = |i: usize| (seed * 7 + i as i64 * 5 + seed * i as i64 * 3) % 23 - 11;
            let scaled = |(i, (low, high)): (usize, &(i64, Option<i64>))| ScaledDigit {
                low: *low,
                high: *high,
                coef: coef(i),
            };
            let mut digits: Vec<ScaledDigit> = chain.iter().enumerate().map(scaled).collect();
            let sum = |x: i64| -> i128 {
                let digit = |d: &ScaledDigit| {
                    let x = x.div_euclid(d.low);
                    i128::from(d.coef * d.high.map_or(x, |end| x.rem_euclid(end / d.low)))
                };
                chain
                    .iter()
                    .enumerate()
                    .map(scaled)
                    .map(|d| digit(&d))
                    .sum()
            };
            for low in -13..13 {
                for high in low..14 {
                    let ends = ends_of_digits(&mut digits, Some((low, high)));
                    let (least, most) = ends.unwrap();
                    let values = || (low..=high).map(sum);
                    assert!(values().all(|v| least <= v && v <= most));
                    // The whole period counts where the interval goes over the end of one.
                    let end = chain[chain.len() - 1].1;
                    if end.is_none_or(|end| low.div_euclid(end) == high.div_euclid(end)) {
                        assert_eq!(Some(least), values().min());
                        assert_eq!(Some(most), values().max());
                    }
                }
            }
        }
    }
    // The bounds of many digits take no longer than those of a few, many times.
    let places: Vec<i64> = (0..39).map(|i| 3_i64.pow(i)).collect();
    let digit = |pair: &[i64]| ScaledDigit {
        low: pair[0],
        high: Some(pair[1]),
        coef: pair[0] % 11 - 5,
    };
    let mut digits: Vec<ScaledDigit> = places.windows(2).map(digit).collect();
    let most: i128 = digits.iter().map(|d| i128::from(2 * d.coef.max(0))).sum();
    let ends = ends_of_digits(&mut digits, Some((0, places[38] - 1)));
    assert_eq!(ends.map(|e| e.1), Some(most));
}
