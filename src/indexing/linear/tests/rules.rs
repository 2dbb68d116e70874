//! The rules of division for coefficients, ranges and divisors that are sizes, at every point for
//! several values of the sizes.

use super::super::RULES;
use super::*;
use crate::Factor;
use std::collections::BTreeMap;

/// Values of the two sizes that ranges and divisors are made of.
const SIZES: [[i64; 2]; 6] = [[1, 1], [1, 3], [2, 2], [3, 2], [2, 5], [4, 3]];

/// A sum whose sizes have these values.
fn with_sizes(sum: &Sum, names: [i64; 2]) -> Sum {
    let number = |size: Extent| -> Extent {
        size.substitute(&|factor| match factor {
            Factor::Name(k) => Some(names[k].into()),
            _ => None,
        })
    };
    let atom = |atom: &Atom| Atom {
        base: match &atom.base {
            Base::Sum(inner) => Base::Sum(Arc::new(with_sizes(inner, names))),
            base => base.clone(),
        },
        low: number(atom.low),
        high: atom.high.map(number),
    };
    Sum {
        terms: sum
            .terms
            .iter()
            .map(|(a, k)| (atom(a), number(*k)))
            .collect(),
        constant: number(sum.constant),
    }
}

fn value(sum: &Sum, names: [i64; 2], point: &[i64]) -> i64 {
    with_sizes(sum, names).eval(point, &[]).unwrap()
}

#[test]
fn hold_for_sizes() {
    let (n, m) = (Extent::name(0), Extent::name(1));
    // Two variables that are below a size, one below a number, one below a product.
    let facts = Facts::of_sizes(&[n, m, 6.into(), n * m * 2]);
    let sizes = [
        n,
        m,
        n * m,
        n * 2,
        m * 6,
        n * m * 2,
        1.into(),
        2.into(),
        6.into(),
    ];
    let mut numbers = Numbers(5);
    let mut proved: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..2500 {
        let size = |numbers: &mut Numbers| sizes[numbers.below(sizes.len() as i64) as usize];
        let mut sum = Sum::constant(size(&mut numbers)).offset(-numbers.among(0, 8));
        for v in 0..4 {
            let (low, k) = (size(&mut numbers), size(&mut numbers));
            let sign = [-1, 0, 0, 1, 1][numbers.below(5) as usize];
            let digit = match numbers.below(4) {
                0 => Sum::var(v).modulo(low, &facts),
                1 => Sum::var(v).floor_div(low, &facts),
                _ => Sum::var(v),
            };
            sum = sum.plus_scaled(&digit, k * sign);
        }
        let by = size(&mut numbers);
        if by == 1 {
            continue;
        }
        for rule in &RULES {
            let Some(found) = (rule.apply)(&sum, by, &facts) else {
                continue;
            };
            if by.is_run_time() {
                *proved.entry(rule.name).or_default() += 1;
            }
            for names in SIZES {
                let divisor = value(&Sum::constant(by), names, &[]);
                let ends = facts.vars.iter().map(|(lo, hi)| {
                    let end = |end: &Extent| value(&Sum::constant(*end), names, &[]).into();
                    (end(lo), end(hi))
                });
                let own = Facts {
                    vars: ends.collect(),
                    values: Vec::new(),
                };
                for point in points(&own).iter().step_by(3) {
                    let all = value(&sum, names, point);
                    let parts = [&found.quotient, &found.remainder];
                    let found = parts.map(|part| value(part, names, point));
                    let expected = [all.div_euclid(divisor), all.rem_euclid(divisor)];
                    let name = rule.name;
                    assert_eq!(
                        found, expected,
                        "{name}: {sum:?} by {by} at {names:?} {point:?}"
                    );
                }
            }
        }
    }
    for rule in &RULES {
        let count = proved.get(rule.name).copied().unwrap_or(0);
        assert!(count > 20, "{}: {count} instances with sizes", rule.name);
    }
}
