use super::Extent;
use proptest::prelude::*;

/// Extents over three names, and a function that computes each from their values.
fn extents() -> impl Strategy<Value = Extent> {
    let leaf = prop_oneof![
        (0..3_usize).prop_map(Extent::name),
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

/// Values of the three names: none, single elements, and all residues of small numbers.
fn values() -> impl Iterator<Item = [i128; 3]> {
    const SIZES: [i128; 7] = [0, 1, 2, 3, 5, 8, 12];
    SIZES.into_iter().flat_map(|a| {
        SIZES
            .into_iter()
            .flat_map(move |b| SIZES.into_iter().map(move |c| [a, b, c]))
    })
}

fn at(x: Extent, names: [i128; 3]) -> i128 {
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
        let replaced = [b.greatest(Extent::ZERO), c.greatest(Extent::ZERO), Extent::name(1)];
        let found = a.substitute(&|name| replaced[name]);
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
    // A number that looks like nothing else.
    assert_eq!(Extent::from(150_001).as_constant(), Some(150_001));
}
