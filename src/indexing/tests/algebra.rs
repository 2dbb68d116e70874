//! The algebra of maps, against enumeration.

use mapwright_indexing::{
    EvalError, IndexingMap, Interval, compare, compose, covers, d, rt, s, union,
};
use std::collections::BTreeSet;

fn map(text: &str) -> IndexingMap {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn domain_sizes_are_counted() {
    for text in [
        "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [-3, 4]",
        "(d0, d1)[s0] -> (d0), domain: d0 in [0, 9], d1 in [0, 9], s0 in [0, 3], d0 + d1 in [3, 12], s0 mod 2 in [1, 1]",
        "(d0){rt0} -> (d0), domain: d0 in [0, 9], rt0 in [0, 4], d0 * rt0 in [2, 20]",
        "(d0) -> (d0), domain: d0 in [3, 2]",
        "() -> ()",
    ] {
        let m = map(text);
        assert_eq!(m.domain_size(), Some(m.points().len() as u128), "{text}");
    }
    let large = map(
        "(d0, d1) -> (d0), domain: d0 in [0, 4294967295], d1 in [0, 4294967295], d0 mod 2 in [0, 0]",
    );
    assert_eq!(large.domain_size(), None);
    let large = map(
        "(d0, d1) -> (d0), domain: d0 in [0, 4294967295], d1 in [0, 4294967295], d1 mod 2 in [0, 7]",
    );
    assert_eq!(large.domain_size(), Some(1 << 64));
}

#[test]
fn images_are_bounded() {
    let m = map(
        "(d0, d1) -> (d0 - (d0 floordiv 8) * 8, d0 * 8 + d1, d0 - d1), domain: d0 in [0, 99], d1 in [0, 7]",
    );
    assert_eq!(
        m.image_bounds(),
        [
            Interval::new(0, 7),
            Interval::new(0, 799),
            Interval::new(-7, 99)
        ]
    );
    assert_eq!(
        map("(d0) -> (d0), domain: d0 in [0, 9], d0 in [12, 13]").image_bounds(),
        [Interval::EMPTY]
    );
}

/// The inverse takes every result back, and is defined on results only.
#[track_caller]
fn check_inverse(text: &str) {
    let m = map(text);
    let inverse = m
        .inverse()
        .unwrap_or_else(|| panic!("no inverse of {text}"));
    let points = m.points();
    let image: BTreeSet<Vec<i64>> = points.iter().map(|p| p.1.clone()).collect();
    assert_eq!(image.len(), points.len(), "{text} is not injective");
    for (p, r) in &points {
        assert_eq!(
            inverse.eval(r, &[], &[]),
            Ok(Some(p.dims.clone())),
            "{text}\n{inverse}"
        );
    }
    let domain: BTreeSet<Vec<i64>> = inverse.points().into_iter().map(|p| p.0.dims).collect();
    assert_eq!(domain, image, "{text}\n{inverse}");
}

#[test]
fn inverses_are_exact() {
    check_inverse("(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 4]");
    check_inverse("(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]");
    check_inverse("(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]");
    check_inverse("(d0, d1) -> (-d0 + 16, d1 * 7 + 3), domain: d0 in [0, 16], d1 in [0, 2]");
    check_inverse(
        "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, (d1 mod 2) * 4 + d2), domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 3]",
    );
    check_inverse("(d0, d1) -> (d0 * 10 + d1), domain: d0 in [0, 3], d1 in [0, 4]");
    check_inverse("(d0) -> (d0, d0 + 1), domain: d0 in [2, 5]");
    check_inverse("(d0) -> (d0 - 5), domain: d0 in [5, 20], d0 mod 3 in [1, 1]");
    check_inverse("(d0) -> (d0 floordiv 3), domain: d0 in [0, 20], d0 mod 3 in [1, 1]");
    for text in [
        "(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3]",
        "(d0) -> (d0 floordiv 2), domain: d0 in [0, 9]",
        "(d0) -> (d0 mod 3), domain: d0 in [0, 9]",
    ] {
        assert_eq!(map(text).inverse(), None, "{text}");
    }
}

#[test]
fn pieces_overlap_or_not() {
    let first = map("(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 49]");
    let second = map("(d0, d1) -> (d0, d1 - 50), domain: d0 in [0, 2], d1 in [50, 79]");
    assert_eq!(first.overlaps(&second), Some(false));
    let odd = map(
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 1099511627775], d1 in [0, 1099511627775], (d0 + d1) mod 2 in [1, 1]",
    );
    let even = map(
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 1099511627775], d1 in [0, 1099511627775], d0 - d1 in [0, 0]",
    );
    assert_eq!(odd.overlaps(&even), Some(false));
    assert_eq!(odd.overlaps(&odd), Some(true));
    assert_eq!(
        union([
            first.clone(),
            second.clone(),
            first.clone(),
            map("KNOWN EMPTY")
        ]),
        [first, second]
    );
}

#[test]
fn minima_are_split_into_disjoint_pieces() {
    let m = map(
        "(d0, d1) -> (min(d0, 5) + max(d1, d0), min(d0 * 2, d1)), domain: d0 in [0, 9], d1 in [0, 9]",
    );
    let pieces = m.split_min_max(64).expect("few pieces");
    assert!(pieces.iter().all(|p| {
        !p.results()
            .iter()
            .any(mapwright_indexing::Expr::has_min_max)
    }));
    for (p, r) in m.points() {
        let hits: Vec<Vec<i64>> = pieces
            .iter()
            .filter_map(|q| q.eval(&p.dims, &[], &[]).expect("a value"))
            .collect();
        assert_eq!(hits, [r], "{p:?}");
    }
    assert_eq!(m.split_min_max(2), None);
}

#[test]
fn variables_move_between_the_lists() {
    let m = map(
        "(a, b)[k] -> (a * 2 + k, b), domain: a in [0, 3], b in [0, 4], k in [0, 1], a + b in [0, 5]",
    );
    assert_eq!(
        m.clone().ranges_to_dims().to_string(),
        "(a, b, k) -> (a * 2 + k, b), domain: a in [0, 3], b in [0, 4], k in [0, 1], a + b in [0, 5]"
    );
    assert_eq!(
        m.clone().dims_to_ranges(&[0]).to_string(),
        "(b)[a, k] -> (a * 2 + k, b), domain: b in [0, 4], a in [0, 3], k in [0, 1], a + b in [0, 5]"
    );
    assert_eq!(
        m.clone()
            .permute_dims(&[1, 0])
            .expect("a permutation")
            .to_string(),
        "(b, a)[k] -> (a * 2 + k, b), domain: b in [0, 4], a in [0, 3], k in [0, 1], a + b in [0, 5]"
    );
    assert!(m.clone().permute_dims(&[1, 1]).is_err());
    assert_eq!(
        m.clone().fix_dim(1, 2).simplify().to_string(),
        "(a, b)[k] -> (a * 2 + k, 2), domain: a in [0, 3], b in [2, 2], k in [0, 1]"
    );
    let (m, kept) = map("(d0, d1, d2) -> (d2), domain: d0 in [0, 1], d1 in [0, 2], d2 in [0, 3]")
        .remove_unused_dims();
    assert_eq!(
        (m.to_string(), kept),
        ("(d0) -> (d0), domain: d0 in [0, 3]".into(), vec![2])
    );
    assert_eq!(
        m.restrict(&[Interval::new(2, 9)]).to_string(),
        "(d0) -> (d0), domain: d0 in [2, 3]"
    );
}

#[test]
fn empty_and_unknown_compose() {
    let reshape = IndexingMap::from_dims(&[4, 8], [d(0) * 8 + d(1)]);
    let empty = IndexingMap::known_empty(1, 3);
    let e = compose(&reshape, &empty);
    assert!(e.is_known_empty());
    assert_eq!((e.dims().len(), e.results().len()), (2, 3));
    let u = compose(&reshape, &IndexingMap::unknown("a custom call"));
    assert_eq!(u.unknown_reason(), Some("a custom call".into()));
    assert!(
        compose(&reshape, &IndexingMap::identity(&[4, 8]))
            .unknown_reason()
            .is_some()
    );
    assert!(!compose(&reshape, &IndexingMap::identity(&[32]).with_exact(false)).is_exact());
}

/// A map with a variable that it lacks is none: what is made of it is unknown, and says which.
#[test]
fn maps_with_variables_that_they_lack_are_unknown() {
    use mapwright_indexing::{rt, s};
    let reason = |map: &IndexingMap| map.unknown_reason().map(|why| why.into_owned());
    for variable in [d(7), s(0), rt(2)] {
        let wrong = IndexingMap::from_dims(&[4], [variable.clone() + d(0)]);
        let why = wrong.verify().unwrap_err().to_string();
        assert_eq!(reason(&wrong.simplify()), Some(why.clone()), "{variable:?}");
        // Behind a map, a dimension that is not there must not become one of that map's.
        let composed = compose(&IndexingMap::identity(&[4]), &wrong).simplify();
        assert!(reason(&composed).is_some(), "{variable:?}");
    }
    // What is empty reads nothing, whatever its results say.
    let empty = IndexingMap::from_dims(&[0], [d(0)]).simplify();
    assert_eq!(reason(&empty), None);
}

/// The index map of a runtime variable follows its map through composition and simplification.
#[test]
fn origins_follow_their_map() {
    use mapwright_indexing::{RuntimeVariable, rt, s};
    let start = RuntimeVariable::new(
        Interval::new(0, 5),
        "%arg1",
        Some(IndexingMap::from_dims(&[8], [d(0).modulo(4)])),
    );
    let slice = IndexingMap::from_dims(&[8], [d(0) + rt(0)]).with_runtime(start);
    let reduce = IndexingMap::from_dims(&[2], [d(0) * 4 + s(1)]).with_ranges(&[1, 4]);
    let both = compose(&reduce, &slice).simplify();
    assert_eq!(
        both.to_string(),
        "(d0)[s0]{rt0} -> (d0 * 4 + s0 + rt0), domain: d0 in [0, 1], s0 in [0, 3], rt0 in [0, 5]"
    );
    let index = both.runtime()[0]
        .origin
        .index
        .as_ref()
        .expect("an index map");
    assert_eq!(index.eval(&[1], &[3], &[]), Ok(Some(vec![3])));
    assert_eq!(both.verify(), Ok(()));
    let clamped = both.with_constraint(rt(0), Interval::new(2, 9)).simplify();
    assert_eq!(
        (clamped.runtime()[0].interval, clamped.runtime()[0].clamp()),
        (Interval::new(2, 5), Interval::new(0, 5))
    );
}

/// Out of the domain nothing has to have a value.
#[test]
fn outside_is_outside_whatever_divides_by_zero() {
    let check = |text: &str, d0: i64, expected: Result<bool, EvalError>| {
        let map = map(text);
        assert_eq!(map.eval(&[d0], &[], &[]).map(|r| r.is_some()), expected);
    };
    let of_a_result = "(d0) -> (1 floordiv (d0 - 9)), domain: d0 in [8, 14], d0 mod 6 in [2, 2]";
    check(of_a_result, 8, Ok(true));
    check(of_a_result, 9, Ok(false));
    let of_a_constraint =
        "(d0) -> (d0), domain: d0 in [0, 9], 3 mod (d0 - 2) in [0, 3], d0 mod 6 in [2, 3]";
    check(of_a_constraint, 2, Err(EvalError::DivisionByZero));
    check(of_a_constraint, 1, Ok(false));
    check(of_a_constraint, 3, Ok(true));
    let both = "(d0) -> (d0), domain: d0 in [0, 9], 3 mod (d0 - 2) in [0, 3], d0 mod 6 in [3, 3]";
    check(both, 2, Ok(false));
    // What 128 bits cannot hold may lie outside.
    let wide = "(d0) -> (1 floordiv (d0 - 9223372036854775807)), domain: d0 in [9223372036854775806, 9223372036854775807], \
                d0 * d0 * d0 in [0, 9]";
    check(wide, i64::MAX, Err(EvalError::TooWide));
    let one = format!("{wide}, d0 mod 2 in [0, 0]");
    check(&one, i64::MAX, Ok(false));
}

/// A map may be put together in any order, so that a variable is missing is seen late; then it is
/// an error or something unknown, whatever is asked.
#[test]
fn a_variable_that_is_not_there_is_no_panic() {
    let missing = [
        IndexingMap::from_dims(&[4], [d(7)]),
        IndexingMap::from_dims(&[4], [s(0)]),
        IndexingMap::from_dims(&[4], [d(0) + rt(3)]),
        IndexingMap::from_dims(&[4], [d(0)]).with_constraint(d(2), Interval::new(0, 1)),
        IndexingMap::from_dims(&[], [d(0).modulo(4) + d(0).floor_div(4) * 4]),
    ];
    let right = IndexingMap::from_dims(&[4], [d(0)]);
    for map in &missing {
        assert!(map.verify().is_err() && !map.is_known(), "{map}");
        let simplified = map.simplify();
        assert!(
            simplified.unknown_reason().is_some(),
            "{map} -> {simplified}"
        );
        for composed in [
            compose(map, &right),
            compose(&right, map),
            compose(map, map),
        ] {
            assert!(!composed.simplify().is_known(), "{map}: {composed}");
        }
        assert!(compare(map, &right).equal != Some(true), "{map}");
        assert!(compare(&right, map).equal != Some(true), "{map}");
        assert!(map.eval(&[0], &[], &[]).is_err(), "{map}");
        assert!(map.inverse().is_none(), "{map}");
        assert!(!covers(std::slice::from_ref(map), &[4]), "{map}");
        assert_eq!(map.image_bounds(), [Interval::FULL], "{map}");
        let _ = (map.overlaps(&right), right.overlaps(map));
        let _ = (
            map.domain_size(),
            map.domain_is_empty(),
            map.split_min_max(8),
            map.points(),
            map.to_string(),
        );
        let _ = union(vec![map.clone(), right.clone()]);
        let _ = map.clone().restrict(&[Interval::new(0, 1)]);
        let _ = right.clone().restrict_to_domain_of(map);
        let _ = (
            map.clone().ranges_to_dims(),
            map.clone().dims_to_ranges(&[0]),
        );
        let _ = (map.clone().fix_dim(0, 1), map.clone().remove_unused_dims());
        let _ = (
            map.clone().select_results(&[0]),
            map.operation_count(),
            map.box_size(),
        );
    }
}
