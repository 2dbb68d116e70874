//! How public items are described: a doc comment begins with a verb or a noun of the field.

use crate::support::root;
use std::{collections::BTreeMap, fs, path::Path};

/// Words that say nothing of an item when they are read first.
const FIRST: [&str; 20] = [
    "What ",
    "Those ",
    "Who ",
    "That ",
    "The same",
    "As many",
    "As few",
    "So many",
    "So few",
    "Everything ",
    "Nothing ",
    "Whatever ",
    "Which ",
    "Where ",
    "How ",
    "Is ",
    "Are ",
    "Does ",
    "Has ",
    "Can ",
];

/// Public items of each folder of `src` whose description begins so: the most that there may be. Numbers only become smaller.
const MOST: [(&str, usize); 13] = [
    ("analysis", 17),
    ("artifact", 9),
    ("codegen", 81),
    ("fusion", 28),
    ("indexing", 41),
    ("interpret", 5),
    ("mlir", 32),
    ("native", 32),
    ("normalize", 38),
    ("ops", 86),
    ("runtime", 13),
    ("schedule", 7),
    ("sharding", 32),
];

/// The first lines of descriptions of public items in a text that begin with such a word.
fn vague(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut first: Option<&str> = None;
    for line in text.lines().map(str::trim_start) {
        if let Some(words) = line.strip_prefix("/// ") {
            first.get_or_insert(words);
        } else if !line.starts_with("///") && !line.starts_with("#[") {
            let is_vague = |words: &&str| FIRST.iter().any(|word| words.starts_with(word));
            found.extend(
                first
                    .take()
                    .filter(is_vague)
                    .filter(|_| line.starts_with("pub ")),
            );
        }
    }
    found
}

fn collect(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !["tests", "benches", "examples", "fuzz", "target"].contains(&name) {
                collect(&path, found);
            }
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).unwrap();
            let lines = vague(&text).into_iter();
            found.extend(lines.map(|line| format!("{}: {line}", path.display())));
        }
    }
}

#[test]
fn descriptions_begin_with_words_of_the_field() {
    let most = BTreeMap::from(MOST);
    let mut seen = 0;
    for entry in fs::read_dir(root().join("src")).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        let mut found = Vec::new();
        collect(&path, &mut found);
        seen += 1;
        let name = path.file_name().unwrap().to_str().unwrap();
        let allowed = most.get(name).copied().unwrap_or_default();
        assert!(
            found.len() <= allowed,
            "{name} has {} descriptions of public items that begin with one of {FIRST:?}, {allowed} at most:\n{}",
            found.len(),
            found.join("\n")
        );
    }
    assert!(seen > 15, "{seen}");
}

#[test]
fn vague_words_are_seen() {
    let text = "/// What it is.\npub struct A;\n/// What it is.\nstruct B;\n/// A noun.\n/// What more.\npub fn c() {}\n\
                /// The same.\n#[must_use]\npub fn d() {}\n/// How.\npub(crate) fn e() {}\n";
    assert_eq!(vague(text), ["What it is.", "The same."]);
}
