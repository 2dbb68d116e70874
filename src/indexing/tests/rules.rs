//! One row a rule, or a near miss of it: what goes in, what comes out. Every row is also checked by
//! brute force, and the output is simplified again.

use crate::common::check_text as check;
use mapwright_indexing::{Expr, IndexingMap, Op, RULES, Step, compare, d};
use std::collections::BTreeSet;

/// Rows over `d0`, `d1`, `d2` in given intervals: expression, expected expression.
#[track_caller]
fn rows(domain: &str, rows: &[(&str, &str)]) {
    let names: Vec<&str> = domain
        .split("in")
        .map(|p| p.split(',').next_back().unwrap_or("").trim())
        .filter(|n| n.starts_with('d'))
        .collect();
    for (input, expected) in rows {
        let head = names.join(", ");
        check(
            &format!("({head}) -> ({input}), domain: {domain}"),
            &format!("({head}) -> ({expected}), domain: {domain}"),
        );
    }
}

/// Constraints: `domain` and what becomes of it; the result is `d0`.
#[track_caller]
fn domains(rows: &[(&str, &str)]) {
    for (input, expected) in rows {
        let dims = if input.contains("d1 in") {
            "d0, d1"
        } else {
            "d0"
        };
        // A dimension with one value is that value.
        let value = |dim: &str| {
            let ends = expected.split(&format!("{dim} in [")).nth(1)?;
            let (lower, upper) = ends.split_once(']')?.0.split_once(", ")?;
            (lower == upper).then(|| lower.to_string())
        };
        let results: Vec<String> = dims
            .split(", ")
            .map(|dim| value(dim).unwrap_or_else(|| dim.to_string()))
            .collect();
        let result = results.join(", ");
        let expected = if expected.is_empty() {
            "KNOWN EMPTY".into()
        } else {
            format!("({dims}) -> ({result}), domain: {expected}")
        };
        check(&format!("({dims}) -> ({dims}), domain: {input}"), &expected);
    }
}

#[test]
fn sums_and_products() {
    rows(
        "d0 in [0, 9], d1 in [0, 9]",
        &[
            ("d0 + d1 * 2 - d0", "d1 * 2"),
            ("3 + d1 + 4 + d0", "d0 + d1 + 7"),
            ("(d0 + 2) * 3", "d0 * 3 + 6"),
            ("d0 * 5 + d1 * 5", "(d0 + d1) * 5"),
            ("-(-d0 + 4) + 4", "d0"),
            ("d1 - d0", "-d0 + d1"),
            ("d0 * 0 + 7", "7"),
            ("d0 * d1 + d1 * d0", "(d0 * d1) * 2"),
        ],
    );
}

#[test]
fn minima_and_maxima() {
    rows(
        "d0 in [0, 9], d1 in [9, 20]",
        &[
            ("min(d0, d1)", "d0"),
            ("max(d0, d1)", "d1"),
            ("min(d0, 9)", "d0"),
            ("min(d0, 8)", "min(8, d0)"),
            ("max(d0 + d1, d1)", "d0 + d1"),
        ],
    );
    // What constraints say of a sum holds for its negation, whichever of them was met first.
    check(
        "(d0, d1) -> (min(-d0 + d1, 0) * 3 + d0), domain: d0 in [0, 6], d1 in [1, 7], d0 - d1 in [-2, -1], (-d0 + d1) mod 4 in [1, 3]",
        "(d0, d1) -> (d0), domain: d0 in [0, 6], d1 in [1, 7], d0 - d1 in [-2, -1], (-d0 + d1) mod 4 in [1, 3]",
    );
}

#[test]
fn divisions_and_remainders() {
    rows(
        "d0 in [0, 39], d1 in [0, 7]",
        &[
            ("(d0 * 8 + d1) floordiv 8", "d0"),
            ("(d0 * 8 + d1) mod 8", "d1"),
            ("d1 floordiv 8", "0"),
            ("d1 mod 8", "d1"),
            ("(d1 - 8) floordiv 8", "-1"),
            ("(d1 - 8) mod 8", "d1"),
            ("(d0 * 6) floordiv 4", "(d0 * 3) floordiv 2"),
        ],
    );
    rows(
        "d0 in [0, 99]",
        &[
            ("(d0 floordiv 3) floordiv 5", "d0 floordiv 15"),
            ("(d0 mod 12) mod 4", "d0 mod 4"),
            ("(d0 mod 10) mod 4", "(d0 mod 10) mod 4"),
            ("(d0 mod 12) floordiv 4", "(d0 floordiv 4) mod 3"),
            ("(d0 + 13) floordiv 5", "(d0 + 13) floordiv 5"),
            ("(d0 + 15) floordiv 5", "d0 floordiv 5 + 3"),
            ("(d0 + 4) floordiv 5", "d0 ceildiv 5"),
            ("(d0 * 7 + 7) mod 7", "0"),
            ("d0 floordiv -1", "-d0"),
            ("-((-d0) floordiv 4)", "d0 ceildiv 4"),
        ],
    );
}

#[test]
fn digits_across_others() {
    // Of 18 = 6 * 3 places the upper ones, and the lower ones modulo 6: modulo 3 the coefficient 2
    // is written as -1.
    rows(
        "d0 in [0, 1], d1 in [0, 8]",
        &[
            (
                "(-((d0 * 9 + d1) floordiv 6) + ((d0 * 3 + d1) floordiv 3) mod 2) mod 3",
                "d1 floordiv 3",
            ),
            (
                "(((d0 * 9 + d1) floordiv 6) * 5 + ((d0 * 3 + d1) floordiv 3) mod 2) mod 3",
                "d1 floordiv 3",
            ),
        ],
    );
    // Few values lie on a line.
    rows("d0 in [0, 1]", &[("(d0 * -3) mod 8 floordiv 2", "d0 * 2")]);
    rows("d0 in [3, 4]", &[("d0 mod 2", "-d0 + 4")]);
    // A sign is the same for every divisor that is large enough.
    rows(
        "d0 in [-3, 5]",
        &[
            ("d0 floordiv 16", "d0 floordiv 6"),
            ("d0 floordiv 6", "d0 floordiv 6"),
            ("d0 floordiv 16 - d0 floordiv 8", "0"),
            ("(d0 * 3) floordiv 100", "d0 floordiv 6"),
            ("(d0 + 2) floordiv 100", "(d0 + 2) floordiv 8"),
            ("(d0 + 3) floordiv 100", "0"),
        ],
    );
    // A remainder inside and one outside are one form.
    rows(
        "d0 in [0, 3], d1 in [0, 4]",
        &[(
            "((d0 mod 2) * 5 + d1) floordiv 2",
            "((d0 * 5 + d1) floordiv 2) mod 5",
        )],
    );
    // A lowest place that hides in the coefficients.
    rows(
        "d1 in [0, 4], d2 in [0, 1], d3 in [0, 4], d4 in [0, 6]",
        &[(
            "((d1 * 7070 - d2 * 5215 + d3 * 2457 + d4 * 351) floordiv 3500) mod 5",
            "((d1 * 20 - d2 * 15 + d3 * 7 + d4) floordiv 10) mod 5",
        )],
    );
    // What a remainder is cut into does not bring back what was cut before.
    rows(
        "d0 in [0, 2]",
        &[(
            "d0 + (((1 + d0) floordiv 3) * 3 + d0) floordiv 3",
            "d0 + ((d0 + 1) mod 3) ceildiv 3 + ((d0 + 1) floordiv 3) * 2 - 1",
        )],
    );
    // 150 * (d0 floordiv 150) + 50 * (d0 mod 3) + (d0 floordiv 3) mod 50, cut at 75 and put
    // together.
    let x = "((d0 floordiv 150) * 150 + (d0 mod 3) * 50 + (d0 floordiv 3) mod 50)";
    let sum = format!("({x} floordiv 75) * 75 + {x} mod 75 - (d0 mod 3) * 50");
    rows(
        "d0 in [0, 899]",
        &[(
            sum.as_str(),
            // 150 * q + x mod 50, where x = d0 floordiv 3 = 50 * q + x mod 50
            "d0 floordiv 3 + (d0 floordiv 150) * 100",
        )],
    );
    // Digits of one number, cut across those of another and put together, whatever is written that
    // does nothing.
    let x = "(d0 * 72 + (d1 floordiv 2) * 18 + d2 * 2 + d1 mod 2)";
    let swapped = "(72 * d0 + 18 * (d1 floordiv 2) + 2 * d2 + d1 mod 2)";
    let ways = [
        (x, x),
        (x, &format!("({x} floordiv 1)")),
        (x, &format!("({x} * 1)")),
        (x, &format!("({x} + 0)")),
        (x, swapped),
    ];
    for (x, y) in ways {
        let sum = format!(
            "({x} floordiv 384 * 384 + {x} floordiv 96 mod 4 * 96 + 16 * ({x} floordiv 16 mod 6) + {y} mod 16)"
        );
        rows(
            "d0 in [0, 7], d1 in [0, 7], d2 in [0, 8]",
            &[
                (&format!("{sum} floordiv 72"), "d0"),
                (&format!("{sum} floordiv 18 mod 4 * 2 + {sum} mod 2"), "d1"),
            ],
        );
    }
}

#[test]
fn recombination() {
    rows(
        "d0 in [0, 99]",
        &[
            // Digits that cancel leave the variable beside them.
            ("d0 mod 2 - (d0 mod 2) + d0", "d0"),
            ("(d0 floordiv 8) * 8 + d0 mod 8", "d0"),
            ("(d0 floordiv 8) * 24 + (d0 mod 8) * 3", "d0 * 3"),
            ("d0 - (d0 floordiv 8) * 8", "d0 mod 8"),
            ("d0 - d0 mod 8", "(d0 floordiv 8) * 8"),
            (
                "(d0 floordiv 12) * 12 + ((d0 floordiv 4) mod 3) * 4 + d0 mod 4",
                "d0",
            ),
            ("(d0 floordiv 8) * 9 + d0 mod 8", "d0 + d0 floordiv 8"),
            (
                "(d0 floordiv 8) * 8 + d0 mod 7",
                "(d0 floordiv 8) * 8 + d0 mod 7",
            ),
            (
                "(d0 floordiv 16) * 8 + (d0 floordiv 2) mod 8",
                "d0 floordiv 2",
            ),
        ],
    );
    // A number below 5 that is moved by 2 and back: what jumps at 3 is the rotation by as much.
    rows(
        "d0 in [0, 4]",
        &[
            (
                "(d0 - 2) mod 5 - (((d0 - 2) mod 5) floordiv 3) * 5 + 2",
                "d0",
            ),
            (
                "(d0 + 1) mod 5 - (((d0 + 1) mod 5 + 1) floordiv 4) * 5",
                "(d0 - 2) mod 5 - 2",
            ),
        ],
    );
    // Tiles of 2 of rows of 5, the last one padded, and back.
    rows(
        "d0 in [0, 99]",
        &[
            (
                "((d0 floordiv 5) * 5 + (d0 mod 5) mod 2) floordiv 2 + (d0 mod 5) floordiv 2",
                "d0 floordiv 2",
            ),
            (
                "((d0 floordiv 5) * 5 + (d0 mod 5) mod 2) floordiv 2 + ((d0 mod 5) floordiv 2) * 2",
                "((d0 floordiv 5) * 5 + (d0 mod 5) mod 2) floordiv 2 + ((d0 mod 5) floordiv 2) * 2",
            ),
        ],
    );
    // From the document.
    rows(
        "d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]",
        &[
            ("(d0 * 100 + d1 * 10 + d2) floordiv 100", "d0"),
            ("((d0 * 100 + d1 * 10 + d2) mod 100) floordiv 10", "d1"),
            (
                "(d0 * 16 + d1 * 4 + d2) floordiv 8",
                "d0 * 2 + (d1 * 4 + d2) floordiv 8",
            ),
            ("(d0 * 16 + d1 * 4 + d2) mod 8", "(d1 * 4 + d2) mod 8"),
        ],
    );
    rows(
        "d0 in [0, 9], d1 in [0, 10]",
        &[("-((d0 * -11 - d1 + 109) floordiv 11) + 9", "d0")],
    );
    rows(
        "d0 in [0, 6], d1 in [0, 14]",
        &[("d0 + d1 floordiv 16", "d0"), ("d1 mod 16", "d1")],
    );
}

#[test]
fn constraints_become_ranges() {
    domains(&[
        ("d0 in [0, 9], d0 in [3, 12]", "d0 in [3, 9]"),
        ("d0 in [0, 99], d0 + 5 in [8, 20]", "d0 in [3, 15]"),
        ("d0 in [0, 99], d0 * 3 in [4, 20]", "d0 in [2, 6]"),
        ("d0 in [0, 99], d0 * -3 in [-20, -4]", "d0 in [2, 6]"),
        ("d0 in [0, 99], d0 floordiv 3 in [2, 4]", "d0 in [6, 14]"),
        (
            "d0 in [0, 99], d0 floordiv -3 in [-11, -5]",
            "d0 in [13, 33]",
        ),
        ("d0 in [0, 9], d0 in [0, 9]", "d0 in [0, 9]"),
        ("d0 in [0, 9], d0 in [10, 12]", ""),
        // Digits of one number do not reach their ends together: 19, not 31, is the most that this
        // sum can be.
        (
            "d0 in [0, 3], d0 * 6 + d0 floordiv 3 in [0, 19]",
            "d0 in [0, 3]",
        ),
        ("d0 in [0, 3], d0 * 6 + d0 floordiv 3 in [20, 31]", ""),
        (
            "d0 in [-8, 7], (d0 floordiv 4) * 5 + d0 mod 4 in [-10, 8]",
            "d0 in [-8, 7]",
        ),
        ("d0 in [0, 9], 3 in [4, 5]", ""),
        (
            "d0 in [0, 99], d1 in [0, 7], d0 * 8 + d1 in [16, 39]",
            "d0 in [2, 4], d1 in [0, 7]",
        ),
        (
            "d0 in [0, 99], d1 in [0, 7], d0 * 8 + d1 in [16, 38]",
            "d0 in [2, 4], d1 in [0, 7], d0 * 8 + d1 in [16, 38]",
        ),
        (
            "d0 in [4, 8], d1 in [0, 5], d0 - d1 * 8 in [0, 11]",
            "d0 in [4, 8], d1 in [0, 1], d0 - d1 * 8 in [0, 8]",
        ),
        (
            "d0 in [0, 9], d1 in [0, 9], min(d0, d1) in [3, 20]",
            "d0 in [3, 9], d1 in [3, 9]",
        ),
        (
            "d0 in [0, 9], d1 in [0, 9], d0 + d1 in [0, 5], d0 + d1 in [2, 20]",
            "d0 in [0, 5], d1 in [0, 5], d0 + d1 in [2, 5]",
        ),
    ]);
    // Neither 6 nor 4 is a factor of the other, but 2 is of both.
    check(
        "(d0, d1, d2) -> (d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 1], d0 * 6 + d1 * 4 + d2 in [10, 21]",
        "(d0, d1, d2) -> (d2), domain: d0 in [0, 3], d1 in [0, 5], d2 in [0, 1], d0 * 3 + d1 * 2 in [5, 10]",
    );
}

#[test]
fn congruences() {
    domains(&[
        (
            // What one remainder leaves the other one does not allow.
            "d0 in [-1, 10], d1 in [0, 2], d0 * 3 + d1 in [-6, 1], (d0 * 3 + d1 - 1) mod 4 in [0, 2], \
             (d0 * 3 + d1 - 1) mod 8 in [2, 11]",
            "d0 in [-1, -1], d1 in [0, 2]",
        ),
        (
            "d0 in [0, 9], d0 mod 4 in [2, 2]",
            "d0 in [2, 6], d0 mod 4 in [2, 2]",
        ),
        ("d0 in [-7, -4], d0 mod 4 in [2, 2]", "d0 in [-6, -6]"),
        (
            "d0 in [0, 9], (d0 + 3) mod 2 in [0, 0]",
            "d0 in [1, 9], d0 mod 2 in [1, 1]",
        ),
        (
            "d0 in [0, 99], d0 mod 4 in [0, 0], d0 mod 6 in [0, 0]",
            "d0 in [0, 96], d0 mod 12 in [0, 0]",
        ),
        (
            "d0 in [0, 99], d0 mod 3 in [2, 2], d0 mod 5 in [3, 3]",
            "d0 in [8, 98], d0 mod 15 in [8, 8]",
        ),
        ("d0 in [0, 99], d0 mod 4 in [1, 1], d0 mod 6 in [0, 0]", ""),
        ("d0 in [0, 9], d0 mod 8 in [5, 6]", "d0 in [5, 6]"),
        (
            "d0 in [0, 20], d0 mod 8 in [5, 6]",
            "d0 in [5, 14], d0 mod 8 in [5, 6]",
        ),
        (
            "d0 in [0, 20], (d0 * 3) mod 7 in [1, 1]",
            "d0 in [5, 19], d0 mod 7 in [5, 5]",
        ),
        ("d0 in [0, 20], (d0 * 2) mod 4 in [1, 1]", ""),
        (
            "d0 in [0, 50], (d0 * 2 floordiv 3) mod 4 in [1, 1]",
            "d0 in [2, 50], d0 mod 6 in [2, 2]",
        ),
        // Bounds that creep toward each other pass in 128 steps, and are given up where there are
        // far more.
        (
            "d0 in [-7, 8589933967], d0 mod 5810 in [5572, 5572], d0 mod 67108861 in [67008293, 67008294]",
            "",
        ),
        (
            "d0 in [-7, 8589933967000], d0 mod 5810 in [5572, 5572], d0 mod 67108861 in [67008293, 67008294]",
            "d0 in [5572, 8589933963002], d0 mod 67108861 in [67008293, 67008294], d0 mod 5810 in [5572, 5572]",
        ),
    ]);
    // That is found out again after a variable was rescaled.
    check(
        "(d0)[s0] -> (s0, d0), domain: d0 in [-7, 8589933967000], s0 in [0, 100], s0 mod 3 in [1, 1], d0 mod 5810 in [5572, 5572], \
         d0 mod 67108861 in [67008293, 67008294]",
        "(d0)[s0] -> (s0 * 3 + 1, d0), domain: d0 in [5572, 8589933963002], s0 in [0, 33], d0 mod 67108861 in [67008293, 67008294], \
         d0 mod 5810 in [5572, 5572]",
    );
    check(
        "(d0) -> (d0 floordiv 2, d0 mod 2, (d0 floordiv 4) * 4), domain: d0 in [0, 96], d0 mod 4 in [0, 0]",
        "(d0) -> (d0 floordiv 2, 0, d0), domain: d0 in [0, 96], d0 mod 4 in [0, 0]",
    );
}

#[test]
fn variables_come_and_go() {
    check(
        "(d0)[s0, s1] -> (d0 + s1), domain: d0 in [0, 3], s0 in [0, 4], s1 in [0, 5]",
        "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 5]",
    );
    check(
        "(d0)[k] -> (d0 + k), domain: d0 in [0, 3], k in [2, 2]",
        "(d0) -> (d0 + 2), domain: d0 in [0, 3]",
    );
    check(
        "()[s0] -> (s0 floordiv 3), domain: s0 in [0, 20], s0 mod 3 in [1, 1]",
        "()[s0] -> (s0), domain: s0 in [0, 6]",
    );
    check(
        "()[s0] -> (s0), domain: s0 in [0, 20], s0 mod 3 in [1, 1]",
        "()[s0] -> (s0 * 3 + 1), domain: s0 in [0, 6]",
    );
    check(
        "(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [0, 4]",
        "(d0) -> (d0), domain: d0 in [0, 3]",
    );
    check(
        "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [4, 3]",
        "KNOWN EMPTY",
    );
}

#[test]
fn deep_nesting_is_no_crash() {
    let n = 20_000;
    let mut text = "(".repeat(n) + "d0";
    for i in 0..n {
        text += &format!(" * 3 + d1) mod {}", [7, 9, 11, 13, 8][i % 5]);
    }
    let map: IndexingMap = format!("(d0, d1) -> ({text}), domain: d0 in [0, 9], d1 in [0, 9]")
        .parse()
        .expect("a map");
    let simple = map.simplify();
    for p in 0..10 {
        assert_eq!(
            simple.eval(&[p, 9 - p], &[], &[]),
            map.eval(&[p, 9 - p], &[], &[])
        );
    }
}

/// Short sums of variables are written without a normal form. Long ones, and those in which that
/// was tried until a digit was met, come out in the same way.
#[test]
fn sums_of_variables_come_out_alike_however_long() {
    let short = d(2) * 100 - d(0) * 100 + 7;
    let digit = Expr::raw(Op::Add, d(1).modulo(8), short.clone());
    let mut long = short.clone();
    for _ in 0..200 {
        long = Expr::raw(Op::Add, long, d(3) * 3);
    }
    let map = IndexingMap::from_dims(&[9, 8, 9, 9], [long, digit, short]);
    assert_eq!(
        map.simplify().to_string(),
        "(d0, d1, d2, d3) -> ((d0 - d2) * -100 + d3 * 600 + 7, (d0 - d2) * -100 + d1 + 7, (d0 - d2) * -100 + 7), \
         domain: d0 in [0, 8], d1 in [0, 7], d2 in [0, 8], d3 in [0, 8]"
    );
}

/// A sum of a sum with itself, and so on: as text it would have more terms than there is memory.
#[test]
fn sums_that_double_are_no_trap() {
    let mut e = d(0).floor_div(3);
    for _ in 0..60 {
        e = Expr::raw(Op::Add, e.clone(), e);
    }
    let map = IndexingMap::from_dims(&[100], [e]);
    let start = std::time::Instant::now();
    assert_eq!(
        map.simplify(),
        IndexingMap::from_dims(&[100], [d(0).floor_div(3) * (1 << 60)])
    );
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

/// The names of all rules.
fn names() -> BTreeSet<String> {
    let rules = RULES.iter().flat_map(|family| family.1);
    rules.map(|rule| rule.name.to_string()).collect()
}

#[test]
fn no_two_rules_have_the_same_name() {
    let count: usize = RULES.iter().map(|family| family.1.len()).sum();
    assert_eq!(names().len(), count);
}

/// A rule that is applied where forms are built is named there: all such names are entries of the
/// table.
#[test]
fn every_name_is_an_entry() {
    let mut folders = vec![concat!(env!("CARGO_MANIFEST_DIR"), "/simplify").into()];
    let mut found = 0;
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir::<std::path::PathBuf>(folder).expect("a folder") {
            let path = file.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(path).expect("a text");
            for part in text.split("fired(").skip(1) {
                if let Some(quoted) = part.trim_start().strip_prefix('"') {
                    let name = quoted.split('"').next().unwrap_or_default();
                    assert!(names().contains(name), "{name} is no rule");
                    found += 1;
                }
            }
        }
    }
    assert!(found > 10, "{found}");
}

/// `lit-tests/indexing` has a file for every rule; here the same is asked of the library, and of
/// brute force. (Maps that are as large as the last rule needs are in `tests/large.rs`.)
#[test]
fn every_rule_has_a_file() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lit-tests/indexing");
    let mut files = BTreeSet::from(["work-budget-used-up".to_string()]);
    let mut told = 0;
    for file in std::fs::read_dir(folder).expect("the folder of the tests") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|e| e != "test") {
            continue;
        }
        let rule = path.file_stem().and_then(|n| n.to_str()).expect("a name");
        files.insert(rule.to_string());
        let text = std::fs::read_to_string(&path).expect("a text");
        let part = |after: &str| {
            let from = text.find(after).expect(after) + after.len();
            text[from..].split('"').next().unwrap_or_default()
        };
        let (given, expected) = (part("{\"map\": \""), part("CHECK: {\"map\":\""));
        check(given, expected);
        let map: IndexingMap = given.parse().expect("a map");
        let steps = map.simplify_explained().steps;
        let fired = steps.iter().any(|step| step.rule == rule);
        assert!(fired, "{rule}: {steps:?}");
        for step in &steps {
            assert!(!step.law().is_empty(), "{step:?}");
            // Rescaled variables have their names from then on.
            if step.rule == "range-variable-rescaled" {
                break;
            }
            told += usize::from(is_the_same(&map, step));
        }
    }
    assert_eq!(names(), files);
    assert!(told > 30, "{told} steps were compared");
}

/// Compares both sides of a step on sums as functions on the domain of the map; false for others.
fn is_the_same(map: &IndexingMap, step: &Step) -> bool {
    let Some((before, after)) = &step.change else {
        return false;
    };
    let (Ok(before), Ok(after)) = (before.parse::<Expr>(), after.parse::<Expr>()) else {
        return false;
    };
    let of = |expr| {
        let mut map = map.clone();
        map.set_results(vec![expr]);
        map
    };
    let (before, after) = (of(before), of(after));
    assert_ne!(compare(&before, &after).equal, Some(false), "{step:?}");
    true
}

/// `docs/rules.md` is the table of the rules; `MAPWRIGHT_UPDATE=1` writes it.
#[test]
fn the_documentation_has_all_rules() {
    let mut text = String::from(
        "# Rules of the simplifier\n\n\
         Generated from `RULES` in `src/indexing/simplify/rules`: `MAPWRIGHT_UPDATE=1 cargo test -p mapwright-indexing --test all rules`\n\
         writes it. Names are what `simplify --explain` says. A digit `(x, a, b)` is `(x floordiv a) mod (b / a)`. Rules of one family are\n\
         tried in this order.\n",
    );
    for (family, rules) in RULES {
        text += &format!("\n## {family}\n\n| rule | |\n|---|---|\n");
        for rule in rules {
            text += &format!("| {} | `{}` |\n", rule.name, rule.law);
        }
    }
    text += "\n## Quotients and remainders by sizes\n\n\
             Where divisors, coefficients and ranges are sizes that are known at run time only: `RULES` in \
             `src/indexing/linear/divide.rs`.\n\n| rule | |\n|---|---|\n";
    for rule in &mapwright_indexing::linear::RULES {
        text += &format!("| {} | `{}` |\n", rule.name, rule.law);
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules.md");
    if std::env::var_os("MAPWRIGHT_UPDATE").is_some() {
        std::fs::write(path, &text).expect("it can be written");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == text,
        "docs/rules.md is out of date: MAPWRIGHT_UPDATE=1 writes it"
    );
}
