//! Damaged texts: whatever parses is printed and read again, simplified, and compared with brute
//! force. What the fuzz target does, with a compiler that has no fuzzer.
//!
//! `MAPWRIGHT_MUTATIONS` sets the number of texts (default 20,000), `MAPWRIGHT_MUTATIONS_SEED` the
//! seed.

use crate::common::{Random, check_simplify};
use mapwright_indexing::{IndexingMap, Simplifier};

const SEEDS: [&str; 8] = [
    "(d0, d1)[s0]{rt0} -> (d0 * 2 + s0, d1 mod 4 + rt0), domain: d0 in [0, 9], d1 in [0, 19], s0 in [0, 1], rt0 in [0, 5], d0 + s0 in [0, 9]",
    "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, (d1 mod 2) * 4 + d2), domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 3]",
    "(d0) -> (d0 floordiv 8, d0 mod 8, -d0 ceildiv 3), domain: d0 in [-5, 31], d0 mod 3 in [1, 1]",
    "(row, d1) -> (min(row, d1 - 3), max(row * -2, 7)), domain: row in [0, 9], d1 in [0, 19]",
    "(d0, d1)[s0, s1] -> ((d0 * 2 + s0 - 1) floordiv 3), domain: d0 in [0, 98], d1 in [0, 69], s0 in [0, 1], s1 in [0, 2], (d1 + s1 - 1) mod 3 in [0, 0]",
    "(d0) -> (9223372036854775807 - d0, d0 * -9223372036854775808), domain: d0 in [0, 1]",
    "(d0, d1) -> (((d0 * 125 + d1) floordiv 65) * 65 + (d0 * 125 + d1) mod 65), domain: d0 in [0, 12], d1 in [0, 124]",
    "()[s0] -> (((s0 floordiv -2) mod -46) ceildiv -2), domain: s0 in [0, 30]",
];

const PIECES: [&str; 30] = [
    "0",
    "1",
    "7",
    "-1",
    "-",
    "12",
    "64",
    "9223372036854775807",
    "-9223372036854775808",
    "d0",
    "d1",
    "s0",
    "rt0",
    " mod ",
    " floordiv ",
    " ceildiv ",
    " + ",
    " * ",
    " - ",
    "(",
    ")",
    "[",
    "]",
    ",",
    " in ",
    "min(",
    "max(",
    "{",
    "domain:",
    "é",
];

fn damaged(r: &mut Random) -> String {
    let mut text: Vec<char> = r.pick(&SEEDS).chars().collect();
    for _ in 0..1 + r.below(6) {
        let at = r.below(text.len() + 1);
        match r.below(5) {
            0 if at < text.len() => {
                text.remove(at);
            }
            1 => {
                let end = (at + r.below(12)).min(text.len());
                text.drain(at..end);
            }
            2 => {
                // A number becomes another one.
                if let Some(i) = (0..text.len())
                    .map(|i| (i + at) % text.len().max(1))
                    .find(|i| text[*i].is_ascii_digit())
                {
                    text[i] = char::from(b'0' + r.below(10) as u8);
                }
            }
            3 => {
                let from = r.below(text.len() + 1);
                let piece: Vec<char> = text[from..(from + r.below(24)).min(text.len())].to_vec();
                text.splice(at..at, piece);
            }
            _ => {
                text.splice(at..at, r.pick(&PIECES).chars());
            }
        }
    }
    text.into_iter().collect()
}

#[test]
fn damaged_texts_are_errors_or_maps() {
    let number = |name: &str, default: u64| {
        std::env::var(name)
            .ok()
            .and_then(|v| v.parse().ok())
            .unwrap_or(default)
    };
    let texts = number("MAPWRIGHT_MUTATIONS", 20_000);
    let mut r = Random(number("MAPWRIGHT_MUTATIONS_SEED", 9));
    let mut simplifier = Simplifier::new();
    let mut maps = 0u64;
    for _ in 0..texts {
        let text = damaged(&mut r);
        let Ok(map) = text.parse::<IndexingMap>() else {
            continue;
        };
        maps += 1;
        let printed = map.to_string();
        match printed.parse::<IndexingMap>() {
            Ok(again) => assert_eq!(again.to_string(), printed, "{text}"),
            Err(e) => panic!("{text}\n{printed}\n{e}"),
        }
        if map.verify().is_ok()
            && let Err(e) = check_simplify(&map, &mut simplifier, 500, &mut r)
        {
            panic!("{text}\n{e}");
        }
    }
    println!("{texts} texts, {maps} of them maps");
    assert!(maps > texts / 50, "hardly a text could be read");
}
