//! Simplifying what was simplified changes nothing, where results and constraints share digits.
//!
//! `MAPWRIGHT_STABLE_MAPS` sets the number of random maps (default 30,000), `MAPWRIGHT_STABLE_SEED`
//! the first of them.

use crate::common::{Random, check_simplify, digits, generate};
use mapwright_indexing::{IndexingMap, Simplifier};

/// Maps that were found not to be, with what it was that a second simplification knew better.
const FOUND: [&str; 33] = [
    // A digit of the result was met in a constraint, before it was known what the constraint says
    // of it.
    "(d0, d1) -> ((d0 floordiv 2) mod 2), domain: d0 in [1, 12], d1 in [0, 0], (d0 floordiv 2) mod 2 in [0, 0]",
    "(d0, d1) -> (((d0 + d1) floordiv 3) mod 2), domain: d0 in [-6, -5], d1 in [5, 8], ((d0 + d1) floordiv 3) mod 2 in [1, 1]",
    "(d0) -> (((d0 * 3) floordiv 2) mod 2), domain: d0 in [0, 3], ((d0 * 3) floordiv 2) mod 2 in [0, 0]",
    "(d0)[s0] -> (((s0 * 3 - d0 * 10) floordiv 2) mod 2), domain: d0 in [0, 1], s0 in [0, 2], ((s0 * 3 - d0 * 10) floordiv 2) mod 2 in [0, 0]",
    "(d0) -> (((d0 * 16) floordiv 32) mod 7), domain: d0 in [1, 14], ((d0 * 16) floordiv 32) mod 7 in [0, 0]",
    // A sum is a part of two others, and was put together on its own in one of them.
    "(d0) -> ((d0 * 40 + d0 + 1 + (d0 + 1) floordiv 2 + ((d0 + 1) mod 2) * 8 - (d0 + 1 - 1) * 35) floordiv 2, (d0 * 3) floordiv 3 + (d0 * 40 + d0 + (d0 + 1) floordiv 2 + ((d0 + 1) mod 2) * 8 - d0 * 35)), domain: d0 in [0, 2]",
    "(d0) -> ((d0 - 1) floordiv 56 + d0 + (d0 floordiv 2) mod 2 + ((d0 - 1) floordiv 56 + (d0 + 0) + (d0 - 1) floordiv 2) floordiv 2), domain: d0 in [0, 4]",
    "(d0) -> ((d0 - 1) floordiv 35 + d0, ((d0 - 1) floordiv 2 + (d0 - 1) floordiv 35 + d0) mod 2), domain: d0 in [-1, 1]",
    "(d0) -> (d0 floordiv 3 + d0 floordiv 2 + (d0 - 1), (d0 floordiv 3 + d0 floordiv 2 + d0) floordiv 2), domain: d0 in [1, 3]",
    "(d0) -> ((((d0 + d0 + d0 + 2) floordiv 2) mod 2) * -7 + d0 mod 2 + d0, (((d0 + d0 + d0 + 2) floordiv 2) mod 2) * -7 - (d0 mod 2) * 3 + d0), domain: d0 in [0, 2]",
    "(d0) -> (d0 + (d0 - 1) floordiv 10, (d0 + (d0 floordiv 2) mod 2 + (d0 - 1) floordiv 10) floordiv 2), domain: d0 in [0, 4]",
    "(d0)[s0] -> (((s0 floordiv 2) mod 16) * 80 - d0 * 10 + s0 * 8 + ((s0 + 2) mod 2) * 1, (s0 floordiv 2) mod 2 + s0 floordiv 16 + (((s0 floordiv 2) mod 16) * 80 - d0 * 10 + s0 * 8 + ((s0 + 2) mod 2) * 1)), domain: d0 in [0, 0], s0 in [-3, 0]",
    "()[s0] -> (((s0 + 2) mod 16 + ((s0 + 1) floordiv 2) mod 2 + s0) mod 3 + ((s0 + 2) mod 16 + ((s0 + 2 + 1) floordiv 2) mod 2 + s0) floordiv 2), domain: s0 in [10, 14]",
    "()[s0] -> ((s0 + (s0 + 1) floordiv 2 + (s0 + 11) floordiv 16) floordiv 2 + (s0 + (s0 + 1) floordiv 3 + (s0 + 11) floordiv 16)), domain: s0 in [3, 5]",
    "(d0) -> ((16 + (((d0 + 2) mod 3) * 10 + (d0 * 47 - d0 * 24 + d0 * 7 + 10)) floordiv 10) mod 6, (((1 + d0) mod 3 + ((d0 + 2) mod 3) * 12 + d0 + (d0 * 48 - d0 * 24 + d0 * 7)) floordiv 5) mod 2), domain: d0 in [0, 2]",
    // A congruence that stands last was not known where the constraints before it were read.
    "(d0) -> (), domain: d0 in [-8, 6], d0 mod 2 in [0, 0], (((d0 * 14 + d0) floordiv 2) mod 10) * 10 + d0 in [8, 16]",
    // Constraints that are written in turns in two ways, and the bounds that were given up for it.
    "(d0, d1) -> (), domain: d0 in [0, 2], d1 in [1, 8], d0 + d1 in [3, 8], d0 * 5 + d1 + d1 mod 2 + ((d0 + d1) floordiv 2) mod 2 in [3, 4]",
    "(d0) -> (), domain: d0 in [6, 8], (d0 floordiv 2) mod 2 - ((d0 floordiv 4) mod 2) in [0, 1]",
    // Rules of sums that undo each other.
    "(d0) -> (d0 floordiv 3 + (d0 floordiv 2 + d0 floordiv 6) + d0), domain: d0 in [-2, 0]",
    "()[s0] -> ((((s0 * 5 - 1) floordiv 3) mod 5) floordiv 2 + (((s0 * 160 - 1) floordiv 30) mod 2 + s0) mod 3 + (((s0 * 160 - 1) floordiv 24) mod 5) mod 2), domain: s0 in [0, 3]",
    "(d0) -> (((d0 - 1) mod 4 + d0 * 4 + (d0 - 1) mod 3 - 1) mod 9), domain: d0 in [0, 4]",
    // They end at another sum for the negation.
    "()[s0] -> ((s0 floordiv 8 + s0 floordiv 4) ceildiv -1), domain: s0 in [6, 8]",
    // Quotients that are the same sign, cut out of each other in turns.
    "(d0) -> ((d0 mod 16 + -1 * 14 + d0) ceildiv 16), domain: d0 in [-1, 1]",
    "(d0) -> (d0 floordiv 16 - d0 floordiv 8), domain: d0 in [-3, 5]",
    // What is added to round up left 64 bits, and it was not seen what the sum is without.
    "(d0)[s0] -> ((s0 - 9223372036854775805 + d0 * 2) floordiv 4), domain: d0 in [-1, 0], s0 in [9223372036854775805, 9223372036854775806]",
    // Two congruences whose common period does not fit: which one was read first.
    "(d0) -> (), domain: d0 in [-9223372036854775808, 9223372036854775807], d0 mod -8 in [6, 6], (d0 * 7) mod 9223372036854775807 in [1309877750855240980, 1309877750855240980]",
    "(d0) -> (), domain: d0 in [-9223372036854775808, 9223372036854775807], d0 mod 1317624576693539401 in [187125392979320140, 187125392979320140], d0 mod 8 in [6, 6]",
    // What is left of a sum modulo 8 is one variable of two values; and the least of all numbers
    // beside what is subtracted.
    "(d0)[s0] -> (), domain: d0 in [-10, -3], s0 in [-11, -10], (s0 * 5 + d0 * 8) mod 8 in [-9223372036854774813, 6]",
    "(d0)[s0]{rt0} -> ((rt0 floordiv 2) floordiv -2 + -9223372036854775808), domain: d0 in [0, 0], s0 in [0, 0], rt0 in [0, 10]",
    // A factor that is the value of a variable.
    "(d0, d1) -> ((d0 + (d0 * -2) ceildiv 5) * d1), domain: d0 in [1, 3], d1 in [5, 5]",
    // What lies below the lowest place, with a constant that leaves 64 bits unless it is taken
    // together with the variable.
    "()[s0]{rt0} -> ((s0 - 9223372036854775805 + rt0 * 2) floordiv 4), domain: s0 in [9223372036854775805, 9223372036854775806], rt0 in [-10, -7]",
    // Remainders of few values that lie on a line once their constant is taken out.
    "(d0) -> (), domain: d0 in [-7, -3], d0 mod 2 in [1, 1], (20 + d0 * 5) mod 16 in [5, 11]",
    // Its runs come to no end, for what is beyond 128 bits stands where it stood: it is given back
    // as it is.
    "(d0, d1) -> (((((((d0 + d1) * 5421749977525301139) * 2305843009213693952) + (((-7020212483378478829 * 4) * 3638285281250101342) * 4490548461622484712)) + ((d1 floordiv 3) + d0)) * -7)), domain: d0 in [2, 7], d1 in [-9223372036854775801, -9223372036854775793]",
];

#[test]
fn what_was_found() {
    let mut simplifier = Simplifier::new();
    for text in FOUND {
        let map: IndexingMap = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        if let Err(e) = check_simplify(&map, &mut simplifier, 10_000, &mut Random(1)) {
            panic!("{e}");
        }
    }
}

#[test]
fn digits_that_are_shared() {
    let number = |name: &str, default: u64| {
        std::env::var(name)
            .ok()
            .and_then(|v| v.parse().ok())
            .unwrap_or(default)
    };
    let maps = number("MAPWRIGHT_STABLE_MAPS", 30_000);
    let first = number("MAPWRIGHT_STABLE_SEED", 0);
    let mut simplifier = Simplifier::new();
    let mut points = 0;
    for i in first..first + maps {
        let mut random = Random(i.wrapping_mul(0x1234_5678_9abc_def1));
        let map = digits::map(&mut random);
        match check_simplify(&map, &mut simplifier, 200, &mut random) {
            Ok((_, met)) => points += met,
            Err(e) => {
                let small = generate::shrink(&map, &|m| {
                    check_simplify(m, &mut Simplifier::new(), 200, &mut Random(i)).is_err()
                });
                panic!("number {i}: {small}\n{e}");
            }
        }
    }
    println!("{maps} maps, {points} points");
}

/// What is read as `(x - 1) floordiv a` may be written as `x ceildiv a - 1`, which is read in
/// another way: every sum of two products.
#[test]
fn quotients_that_are_rounded_up() {
    let mut simplifier = Simplifier::new();
    let coefs = || (-6i64..=6).filter(|c| *c != 0);
    for (x, y) in coefs().flat_map(|x| coefs().map(move |y| (x, y))) {
        for divisor in 2..=10 {
            for (low, width) in [(0, 1), (0, 2), (-1, 1), (-2, 5)] {
                let high = low + width;
                let text = format!(
                    "(d0, d1) -> ((d0 * {x} + d1 * {y} - 1) floordiv {divisor}), domain: d0 in [{low}, {high}], d1 in [0, {width}]"
                );
                let map: IndexingMap = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
                if let Err(e) = check_simplify(&map, &mut simplifier, 100, &mut Random(1)) {
                    panic!("{text}\n{e}");
                }
            }
        }
    }
}

/// A number of up to 64 bits, most often a large one.
fn large(random: &mut Random) -> i64 {
    let ends = [i64::MAX, i64::MIN, i64::MIN + 1, 1 << 62, -1 << 62, 1 << 61];
    match random.below(8) {
        0 | 1 => random.pick(&ends),
        2 | 3 => random.below(19) as i64 - 9,
        4 => (1 << (20 + random.below(43))) * random.pick(&[1, -1]),
        _ => random.next() as i64,
    }
}

/// A sum of products with them, some of them divided.
fn sum_of_products(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return match random.below(3) {
            0 => large(random).to_string(),
            v => format!("d{}", v - 1),
        };
    }
    let x = sum_of_products(random, depth - 1);
    let divisor = large(random).unsigned_abs() / 2 + 2;
    match random.below(20) {
        0..9 => {
            let below = random.below(depth);
            format!("({x} + {})", sum_of_products(random, below))
        }
        9..17 => format!("({x} * {})", large(random)),
        17 | 18 => format!("({x} mod {divisor})"),
        _ => format!("({x} floordiv {divisor})"),
    }
}

/// Numbers of which a few multiplied leave 128 bits, where sums cannot be put together and stay as
/// they stand.
#[test]
fn products_of_large_numbers() {
    let mut simplifier = Simplifier::new();
    for i in 0..20_000 {
        let mut random = Random(i);
        let low = [
            random.below(19) as i64 - 9,
            i64::MIN + random.below(9) as i64,
        ];
        let high = low.map(|v| v + random.below(9) as i64);
        let constraint = match random.below(3) {
            0 => format!(", {} in [-9, 99]", sum_of_products(&mut random, 5)),
            _ => String::new(),
        };
        let text = format!(
            "(d0, d1) -> ({}), domain: d0 in [{}, {}], d1 in [{}, {}]{constraint}",
            sum_of_products(&mut random, 6),
            low[0],
            high[0],
            low[1],
            high[1]
        );
        let map: IndexingMap = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        if let Err(e) = check_simplify(&map, &mut simplifier, 20, &mut random) {
            panic!("{text}\n{e}");
        }
    }
}
