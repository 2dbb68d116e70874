//! Every rule of the simplifier, proved: whatever it makes of an instance of its left-hand side is
//! the same function on the same domain, which the integer solver decides for all points at once.
//! `proofs/*.txt` have the left-hand sides; what can stand in them is told there. Near misses of a
//! rule are among its instances and have to stay the same function, too, but some instance has to
//! make the rule fire: a rule that is not listed, or that no instance fires, is an error.

#![allow(clippy::print_stdout)] // a test may panic and tell

use mapwright_indexing::{CompareBudget, IndexingMap, RULES, Simplifier, compare_variables};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Points are not tried: what is equal is proved.
const BUDGET: CompareBudget = CompareBudget {
    points: 0,
    steps: 2_000_000,
};

/// Intervals by name.
const WIDE: [(&str, &str); 4] = [
    ("all", "[-9223372036854775808, 9223372036854775807]"),
    ("down", "[-9223372036854775808, 0]"),
    ("up", "[0, 9223372036854775807]"),
    ("wide", "[-1000000000000, 1000000000000]"),
];

/// The values that a letter stands for.
fn values(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for value in text.split_whitespace() {
        let number = |v: &str| v.parse::<i64>().unwrap_or_else(|e| panic!("{v}: {e}"));
        match WIDE.iter().find(|w| w.0 == value) {
            Some((_, interval)) => all.push((*interval).into()),
            None => match (value.split_once(".."), value.split_once(',')) {
                // No coefficient and no divisor is zero.
                (Some((first, last)), _) => all.extend(
                    (number(first)..=number(last))
                        .filter(|v| *v != 0)
                        .map(|v| v.to_string()),
                ),
                (_, Some((lower, upper))) => all.push(format!("[{lower}, {upper}]")),
                _ => all.push(value.into()),
            },
        }
    }
    all
}

/// The maps that come of a left-hand side when its letters are replaced: `A 1..3 7; D wide`.
fn instances(template: &str, letters: &str) -> Vec<String> {
    let mut template = template.to_string();
    for (name, interval) in WIDE {
        template = template.replace(&format!("in {name}"), &format!("in {interval}"));
    }
    let mut all = vec![template];
    for letter in letters.split(';').map(str::trim).filter(|l| !l.is_empty()) {
        let (name, given) = letter.split_once(' ').unwrap_or_else(|| panic!("{letter}"));
        let values = values(given);
        let with = |text: &String| -> Vec<String> {
            values.iter().map(|v| text.replace(name, v)).collect()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// What became of a rule's instances.
#[derive(Default)]
struct Count {
    proved: usize,
    by_rule: usize,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proofs")
}

/// Proves all instances of a file; the counts by rule.
fn prove(file: &str) -> BTreeMap<String, Count> {
    let text = std::fs::read_to_string(folder().join(file)).expect("the rows");
    let mut simplifier = Simplifier::new();
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut failures = Vec::new();
    let rows: Vec<&str> = text
        .lines()
        .filter(|l| !l.trim().is_empty() && !l.starts_with('#'))
        .collect();
    for row in rows.chunks(3) {
        let [rule, template, letters] = row else {
            panic!("rule, map and letters: {row:?}");
        };
        let count = counts.entry((*rule).to_string()).or_default();
        for text in instances(template.trim(), letters) {
            let map: IndexingMap = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            let simplified = map.simplify_with(&mut simplifier, true);
            if !simplified.changed {
                continue;
            }
            let comparison = compare_variables(&map, &simplified.in_variables_of(&map), BUDGET);
            if comparison.equal == Some(true) {
                count.proved += 1;
                count.by_rule += usize::from(simplified.rules().any(|own| own == *rule));
            } else {
                failures.push(format!(
                    "{rule}: {map}\n  became {}\n  {comparison:?}",
                    simplified.map
                ));
            }
        }
    }
    for (rule, count) in &counts {
        println!(
            "{rule}: {} proved, in {} of them it fired",
            count.proved, count.by_rule
        );
    }
    let proved: usize = counts.values().map(|c| c.proved).sum();
    println!("{file}: {proved} maps proved, {} not", failures.len());
    failures.truncate(5);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let idle: Vec<&String> = counts
        .iter()
        .filter(|c| c.1.by_rule == 0)
        .map(|c| c.0)
        .collect();
    assert!(idle.is_empty(), "no instance fires {idle:?}");
    counts
}

#[test]
fn divisions() {
    prove("divisions.txt");
}

#[test]
fn sums() {
    prove("sums.txt");
}

#[test]
fn constraints() {
    prove("constraints.txt");
}

/// The rules of the files are those of the table. (Maps that are as large as the last one needs are
/// in `tests/large.rs`.)
#[test]
fn every_rule_is_proved() {
    let mut listed = BTreeSet::from(["work-budget-used-up".to_string()]);
    for file in std::fs::read_dir(folder()).expect("the folder of the rows") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("the rows");
        let is_rule = |l: &&str| !l.is_empty() && !l.starts_with([' ', '#']);
        listed.extend(text.lines().filter(is_rule).map(String::from));
    }
    let rules = RULES.iter().flat_map(|family| family.1);
    let rules: BTreeSet<String> = rules.map(|rule| rule.name.to_string()).collect();
    assert_eq!(listed, rules);
}
