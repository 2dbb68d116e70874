//! Large maps: what is simplified in small ones is simplified in them too (`growth.rs` asks how
//! long that takes).

use crate::adversaries::ADVERSARIES;
use crate::common::{Random, check_simplify, same_function};
use crate::families::{self, FAMILIES};
use mapwright_indexing::{Expr, IndexingMap, Interval, Simplifier, c, d};

/// Sums `3 * x + 2 * y` of different variables, with coefficients that are larger by multiples of
/// `more`.
fn sums(more: i64) -> impl Iterator<Item = Expr> {
    let pairs = (0..64).flat_map(|i| (0..64).map(move |j| (i, j)));
    pairs
        .filter(|(i, j)| i != j)
        .map(move |(i, j)| d(i) * (3 + more) + d(j) * (2 + more))
}

fn sum(terms: impl Iterator<Item = Expr>) -> Expr {
    terms.fold(c(0), |e, x| e + x)
}

#[track_caller]
fn check(expr: Expr, expected: Expr) {
    let map = |e| {
        IndexingMap::from_dims(&[16; 64], [e])
            .simplify()
            .to_string()
    };
    assert_eq!(map(expr), map(expected));
}

#[test]
fn thousands_of_quotients_and_remainders_fuse() {
    let high = sums(0).map(|x| x.floor_div(7) * 7);
    let low = sums(0).map(|x| x.modulo(7));
    check(sum(high.chain(low)), sum(sums(0)));
}

#[test]
fn they_fuse_where_the_remainder_knows_the_sum_modulo_its_end_only() {
    let high = sums(7).map(|x| x.floor_div(7) * 7);
    let low = sums(0).map(|x| x.modulo(7));
    check(sum(high.chain(low)), sum(sums(7)));
}

#[test]
fn what_is_known_of_a_variable_is_followed_through_a_long_chain_of_constraints() {
    // Each constraint passes it on by one variable.
    let map =
        IndexingMap::from_dims(&[16; 600], [d(599)]).with_constraint(d(0), Interval::point(5));
    let tied = |i| (d(i) - d(i + 1), Interval::point(0));
    let map = (0..599)
        .map(tied)
        .fold(map, |map, (x, i)| map.with_constraint(x, i));
    let map = map.simplify();
    assert!(map.constraints().is_empty(), "{map}");
    assert!(map.intervals().all(|i| i == Interval::point(5)), "{map}");
}

/// What is left as it is where the room for long sums ends has the values that it had.
#[test]
fn what_is_less_simplified_has_the_same_values() {
    let mut random = Random(20);
    let mut less = 0;
    for (name, family) in ADVERSARIES.iter().chain(FAMILIES) {
        let map = family(2_000);
        for room in [0, 1_000, 30_000] {
            let mut simplifier = Simplifier::new().with_long_sum_budget(0, room);
            let simplified = map.simplify_with(&mut simplifier, true);
            less += usize::from(simplified.rules().any(|rule| rule == "work-budget-used-up"));
            if let Err(e) = same_function(&map, &simplified, 20, &mut random) {
                panic!("{name}: {e}");
            }
        }
    }
    assert!(less > 30, "{less}");
}

/// 400 remainders in each other, with the moduli and factors that are given for each.
fn chain(modulus: fn(usize) -> i64, factor: fn(usize) -> i64) -> Expr {
    (0..400).fold(c(0), |e, i| {
        (e * factor(i) + families::quotient(i)).modulo(modulus(i))
    })
}

#[test]
fn a_chain_of_remainders_is_the_remainder_of_the_sum() {
    let factors: [fn(usize) -> i64; 3] = [|_| 1, |i| [-3, 2, 5][i % 3], |i| [-1, 1][i % 2]];
    for factor in factors {
        let mut flat = c(0);
        let mut product = 1;
        for i in (0..400).rev() {
            flat = flat + families::quotient(i) * product;
            product = product * factor(i) % 7;
        }
        check(chain(|_| 7, factor), flat.modulo(7));
    }
}

#[test]
fn chains_of_several_moduli_keep_their_values() {
    let moduli: [fn(usize) -> i64; 4] = [
        |i| [14, 7][i % 2],
        |i| [7, 14][i % 2],
        |i| [7, 49, 21, 7][i % 4],
        |i| [12, 6, 10, 5, 15][i % 5],
    ];
    let mut random = Random(30);
    for modulus in moduli {
        let e = chain(modulus, |i| [1, 7, -2, 3][i % 4]);
        // Twice in one sum, too.
        for e in [e.clone(), (e.clone() * 3 + e + d(0)).modulo(7)] {
            let map = IndexingMap::from_dims(&[16; 64], [e]);
            let checked = check_simplify(&map, &mut Simplifier::new(), 300, &mut random);
            assert_eq!(checked.map(|c| c.1), Ok(300));
        }
    }
}

#[test]
fn a_constraint_on_many_digits_of_one_number_is_bounded() {
    // Twenty-eight digits of base three, each with a coefficient of its own.
    let digits = (0..28).map(|i| (3_i64.pow(i), (i64::from(i) * 7) % 11 + 1));
    let of_number = |(place, factor): (i64, i64)| d(0).floor_div(place).modulo(3) * factor;
    let map = IndexingMap::from_dims(&[3_i64.pow(28)], [d(0)]);
    let most: i64 = digits.clone().map(|(_, factor)| 2 * factor).sum();
    let bites =
        (map.clone()).with_constraint(sum(digits.clone().map(of_number)), Interval::new(1, 40));
    let mut simplifier = Simplifier::new();
    if let Err(error) = check_simplify(&bites, &mut simplifier, 2000, &mut Random(7)) {
        panic!("{error}");
    }
    // All digits reach their ends at the greatest number.
    let holds = (map.clone()).with_constraint(sum(digits.map(of_number)), Interval::new(0, most));
    assert_eq!(holds.simplify().to_string(), map.simplify().to_string());
}
