//! The text form: what is read is printed the same, and errors say where and what.

use crate::common::{
    Random,
    grammar::{Grammar, Sentence, words},
};
use mapwright_indexing::IndexingMap;

#[track_caller]
fn check(text: &str, expected: &str) {
    let map: IndexingMap = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(map.to_string(), expected);
    for text in [text, expected] {
        assert!(
            Grammar::from_guide().makes(&words(text)),
            "the grammar of the guide does not make {text}"
        );
    }
    assert_eq!(
        expected.parse::<IndexingMap>().as_ref(),
        Ok(&map),
        "{expected}"
    );
}

#[track_caller]
fn same(text: &str) {
    check(text, text);
}

#[track_caller]
fn fails(text: &str, error: &str) {
    assert_eq!(
        text.parse::<IndexingMap>().unwrap_err().to_string(),
        error,
        "{text}"
    );
}

#[test]
fn printed_as_read() {
    same("() -> ()");
    same("()[s0] -> (s0), domain: s0 in [0, 9]");
    same(
        "(d0, d1)[s0]{rt0} -> (d0 * 2 + s0, d1 mod 4 + rt0), domain: d0 in [0, 9], d1 in [0, 19], s0 in [0, 1], rt0 in [0, 5], d0 + s0 in [0, 9]",
    );
    same("(th_x, bl_x)[row]{n.m} -> (th_x + bl_x * row - n.m)");
    same("(d0) -> (-d0 + 16, (-(d0 + 1)) mod 3, (-d0) * 3, d0 * -3 - d0 * 5, 5 - d0)");
    same(
        "(d0, d1) -> (min(d0, d1) * 2, max(-d0, d1 - 1) floordiv 2, d0 - (d1 - d0), d0 + (d1 + 1), d0 ceildiv -3)",
    );
    same(
        "(d0) -> ((d0 floordiv 4) * 4, 3 * (d0 mod 2), d0 + -9223372036854775808, -9223372036854775808, d0 - d0 * 9223372036854775807)",
    );
    same("(d1, d0) -> (d1 - d0)");
    // A minus goes into the constant of the product after it: these are other trees than `-d0`,
    // `d0 - d1` and `d0`.
    same(
        "(d0, d1) -> ((d0 * 1) * -1, d0 + (d1 * 1) * -1, (-d0) * -1, d0 + (-d1) * -1, d1 - (d0 * 3) * 2)",
    );
    check(
        "(d0) -> (-(d0 * 3), 5 - (d0 * 3), --d0)",
        "(d0) -> (d0 * -3, 5 - d0 * 3, d0)",
    );
    same("KNOWN EMPTY");
    same("UNKNOWN");
}

#[test]
fn precedence_and_spelling() {
    check(
        "(d0)[]{}->( d0/4/2 )",
        "(d0) -> ((d0 floordiv 4) floordiv 2)",
    );
    check(
        "(d0) -> (-d0 mod 4 * 2 - - 3)",
        "(d0) -> (((-d0) mod 4) * 2 + 3)",
    );
    check(
        "(d0)\n -> (d0 + 2 * d0\n\t- 1)",
        "(d0) -> (d0 + 2 * d0 - 1)",
    );
    check("(d0) -> (((((d0)))))", "(d0) -> (d0)");
}

#[test]
fn intervals_without_an_end() {
    same("(d0){rt0} -> (d0), domain: d0 in [0, inf], rt0 in [-inf, 5], d0 - rt0 in [-inf, inf]");
    // They are the ends of 64 bits.
    check(
        "(d0) -> (d0), domain: d0 in [-9223372036854775808, 9223372036854775807], d0 * 2 in [ - inf , 7]",
        "(d0) -> (d0), domain: d0 in [-inf, inf], d0 * 2 in [-inf, 7]",
    );
    same(
        "(d0, d1) -> (), domain: d0 in [9223372036854775807, 9223372036854775807], d1 in [-9223372036854775808, -9223372036854775808]",
    );
    // Elsewhere the word is a name like others.
    same("(inf) -> (inf + 1), domain: inf in [0, inf]");
    fails(
        "(d0) -> (d0), domain: d0 in [inf, 3]",
        "column 30: expected an integer, found `inf`",
    );
    fails(
        "(d0) -> (d0), domain: d0 in [0, -inf]",
        "column 34: expected an integer, found `inf`",
    );
}

#[test]
fn errors_have_a_column_and_say_what_was_expected() {
    fails(
        "",
        "column 1: expected `(`, `KNOWN EMPTY` or `UNKNOWN`, found the end",
    );
    fails(
        "(d0, d0) -> ()",
        "column 6: expected a variable name that is not taken yet, found `d0`",
    );
    fails(
        "(d0, mod) -> ()",
        "column 6: expected a variable name that is not a keyword, found `mod`",
    );
    fails(
        "(d0) -> (d0",
        "column 12: expected `,` or `)`, found the end",
    );
    fails(
        "(d0) -> (d0 d0)",
        "column 13: expected `,` or `)`, found `d0`",
    );
    fails(
        "(d0) -> (d1)",
        "column 10: expected a variable that is declared before `->`, found `d1`",
    );
    fails(
        "(d0) -> (d0 floordiv 0)",
        "column 22: expected a divisor that is not zero, found `0`",
    );
    fails("(d0) -> (min(d0))", "column 16: expected `,`, found `)`");
    fails("(d0) -> ((d0, d0))", "column 13: expected `)`, found `,`");
    fails(
        "(d0) -> (99999999999999999999)",
        "column 10: expected an integer of 64 bits, found `99999999999999999999`, which does not fit into 64 bits",
    );
    fails(
        "(d0) -> (9223372036854775808)",
        "column 10: expected an integer of 64 bits, found `9223372036854775808`",
    );
    fails(
        "(d0) -> (d0), domain: d0 in [0, 3",
        "column 34: expected `]`, found the end",
    );
    fails(
        "(d0, d1) -> (d0), domain: d0 in [0, 3]",
        "column 39: expected `, d1 in [lower, upper]`, found the end",
    );
    fails(
        "(d0) -> (d0), domain: s0 in [0, 3]",
        "column 23: expected `d0 in [lower, upper]`, found `s0`",
    );
    fails(
        "(d0) -> (é)",
        "column 10: expected a variable, an integer or `(`, found `é`",
    );
    fails("(d0) -> (d0) x", "column 14: expected the end, found `x`");
}

#[test]
fn deep_nesting_costs_no_stack() {
    let n = 200_000;
    let text = format!("(d0) -> ({}d0{})", "(-".repeat(n), " floordiv 3)".repeat(n));
    let map: IndexingMap = text.parse().expect("parses");
    assert_eq!(map.to_string().parse::<IndexingMap>(), Ok(map.clone()));
    assert_eq!(map.eval(&[5], &[], &[]), Ok(Some(vec![0])));
    assert_eq!(map.operation_count(), 2 * n);
    drop(map);
}

/// The grammar of the guide is that of the parser: what it makes is read, and what it does not is
/// refused.
#[test]
fn the_grammar_from_guide() {
    let grammar = Grammar::from_guide();
    let mut random = Random(54);
    let (mut refused, mut read) = (0, 0);
    for _ in 0..2_000 {
        let words = Sentence::draw(&grammar, &mut random);
        let text = words.join(" ");
        assert!(grammar.makes(&words), "the grammar does not make {text}");
        let parsed: Result<IndexingMap, _> = text.parse();
        let map = parsed.unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(map.to_string().parse().as_ref(), Ok(&map), "{text}");
        for _ in 0..10 {
            let mut words = words.clone();
            random.change(&mut words);
            let text = words.join(" ");
            let is_read = text.parse::<IndexingMap>().is_ok();
            // A sentence of the grammar may still name a variable that there is not.
            assert!(
                grammar.makes(&words) || !is_read,
                "the parser reads {text}, which the grammar does not make"
            );
            refused += usize::from(!is_read);
            read += usize::from(is_read);
        }
    }
    assert!(
        refused > 10_000 && read > 500,
        "{refused} refused, {read} read"
    );
}
