use super::{Extent, Factor};
use proptest::prelude::*;

/// Extents over three names and two integers, and a function that computes each from their values.
fn extents() -> impl Strategy<Value = Extent> {
    let leaf = prop_oneof![
        (0..3_usize).prop_map(Extent::name),
        (3..5_usize).prop_map(|k| Factor::Integer(k).into()),
        (-4..9_i64).prop_map(Extent::from)
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a + b),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a - b),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a * b),
            (inner.clone(), 1..7_i64).prop_map(|(a, m)| a.floor_div(m.into())),
            (inner.clone(), 1..7_i64).prop_map(|(a, m)| a.ceil_div(m.into())),
            (inner.clone(), 1..7_i64).prop_map(|(a, m)| a.modulo(m.into())),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.least(b)),
            (inner.clone(), inner).prop_map(|(a, b)| a.greatest(b)),
        ]
    })
}

/// Values of the names, none, single elements, and all residues of small numbers, and of the
/// integers, of both signs.
fn values() -> impl Iterator<Item = [i128; 5]> {
    const SIZES: [i128; 7] = [0, 1, 2, 3, 5, 8, 12];
    SIZES.into_iter().flat_map(|a| {
        SIZES
            .into_iter()
            .flat_map(move |b| SIZES.into_iter().map(move |c| [a, b, c, a - 2 * b, 1 - c]))
    })
}

fn at(x: Extent, names: [i128; 5]) -> i128 {
    x.eval(&|name| names[name])
}

proptest! {
    #[test]
    fn arithmetic_is_that_of_the_values(a in extents(), b in extents(), m in 1..9_i64) {
        for names in values() {
            let (x, y) = (at(a, names), at(b, names));
            prop_assert_eq!(at(a + b, names), x + y);
            prop_assert_eq!(at(a - b, names), x - y);
            prop_assert_eq!(at(a * b, names), x * y);
            prop_assert_eq!(at(a.floor_div(m.into()), names), x.div_euclid(m.into()));
            prop_assert_eq!(at(a.modulo(m.into()), names), x.rem_euclid(m.into()));
            prop_assert_eq!(at(a.least(b), names), x.min(y));
            prop_assert_eq!(at(a.greatest(b), names), x.max(y));
            if y >= 1 {
                prop_assert_eq!(at(a.floor_div(b), names), x.div_euclid(y), "{} by {} at {:?}", a, b, names);
            }
            let (quotient, rest) = a.split(b);
            prop_assert_eq!(at(quotient * b + rest, names), x);
        }
    }

    #[test]
    fn what_is_proved_holds(a in extents(), b in extents()) {
        if a.is_at_least(b) {
            for names in values() {
                prop_assert!(at(a, names) >= at(b, names), "{} and {} at {:?}", a, b, names);
            }
        }
        if let Some(quotient) = a.divided_by(b) {
            for names in values() {
                prop_assert_eq!(at(quotient, names) * at(b, names), at(a, names));
            }
        }
        let common = a.common_factor(b);
        if common != 0 {
            prop_assert!(a.is_multiple_of(common) && b.is_multiple_of(common), "{} of {} and {}", common, a, b);
        }
    }

    #[test]
    fn substitution_is_that_of_the_values(a in extents(), b in extents(), c in extents()) {
        let other = Factor::Integer(4).into();
        let replaced = [b.greatest(0.into()), c.greatest(0.into()), Extent::name(1), b, other];
        let found = a.substitute(&|factor| match factor {
            Factor::Name(k) | Factor::Integer(k) => Some(replaced[k]),
            _ => None,
        });
        for names in values() {
            let own = replaced.map(|x| at(x, names));
            prop_assert_eq!(at(found, names), at(a, own));
        }
    }
}

#[test]
fn sizes_of_programs() {
    let (n, m) = (Extent::name(0), Extent::name(1));
    // Half of a size and the other half.
    let half = n.floor_div(2.into());
    assert_eq!((n - half) + half, n);
    assert!((n - half).is_at_least(half) && n.is_at_least(half) && half.is_at_least(0));
    assert!(!half.is_at_least(1) && !n.is_at_least(1));
    // A loop over n * m elements, taken apart into rows and columns.
    let last = n * m - 1;
    assert_eq!(last.floor_div(m), n - 1);
    assert_eq!(Extent::ZERO.floor_div(m), 0);
    assert_eq!((m - 1).floor_div(m), 0);
    // Padded to a multiple.
    let padded = n.ceil_div(32.into()) * 32;
    assert!(padded.is_at_least(n) && padded.is_multiple_of(32));
    assert!((n + 31).is_at_least(padded));
    // Three names, and a product that is taken apart again.
    let all = n * m * Extent::name(2) * 6;
    assert_eq!(all.divided_by(m * 3), Some(n * Extent::name(2) * 2));
    assert_eq!(((n + 1) * (m - 2)).divided_by(n + 1), Some(m - 2));
    assert_eq!((n * 4).common_factor(m * 6 + 2), Extent::from(2));
    assert_eq!(half.to_string(), "((n0) floordiv (2))");
    assert_eq!((n * m - m * 2 + 1).to_string(), "n0 * n1 - 2 * n1 + 1");
    // What is left over from a window that goes by steps is less than one.
    let steps = -(-n).floor_div(2.into()) * 2;
    let front = (steps - n + 1).floor_div(2.into());
    assert!(front.is_at_least(0) && Extent::ONE.is_at_least(front) && !front.is_at_least(1));
    // Quotients of quotients, also with something that is added between.
    assert_eq!(half.floor_div(3.into()), n.floor_div(6.into()));
    assert_eq!(
        (half + m).floor_div(3.into()),
        (n + m * 2).floor_div(6.into())
    );
    // Rounded up, whichever way it is written.
    for k in [2, 3, 4, 7] {
        assert_eq!(-(-n).floor_div(k.into()), n.ceil_div(k.into()));
    }
    // An integer may be below zero.
    let i = Extent::from(Factor::Integer(2));
    assert!(!i.is_at_least(0) && (i + n - i).is_at_least(0) && i.greatest(n).is_at_least(0));
    // Numbers at the end of 64 bits are numbers.
    for number in [150_001, i64::MAX, i64::MIN, i64::MIN + 7] {
        let extent = Extent::from(number);
        assert_eq!(extent.as_constant(), Some(number));
        assert_eq!(
            (n + extent - n, extent.to_string()),
            (extent, number.to_string())
        );
        assert!(!extent.is_run_time() && extent.parts() == (vec![], number));
    }
}
