//! Descriptions of items, public and private: a doc comment begins with a verb or a noun of the field,
//! and comments are as wide as code.

use crate::support::root;
use std::{fs, path::Path};

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

/// Finds the descriptions in a text that begin with such a word: of functions, types, fields, variants,
/// constants and modules, public and private. Returns their first lines.
fn vague(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut first: Option<&str> = None;
    for line in text.lines().map(str::trim_start) {
        if let Some(words) = line.strip_prefix("/// ") {
            first.get_or_insert(words);
        } else if !line.starts_with("///") && !line.starts_with("#[") {
            let is_vague = |words: &&str| FIRST.iter().any(|word| words.starts_with(word));
            found.extend(first.take().filter(is_vague));
        }
    }
    found
}

/// Comment lines that are wider than code. Rows of tables cannot be wrapped, code in comments is code.
fn wide(text: &str) -> Vec<&str> {
    const WIDEST: usize = 100;
    let mut is_code = false;
    let comments = text.lines().filter(|line| {
        let line = line
            .trim_start()
            .trim_start_matches(['/', '!'])
            .trim_start();
        is_code ^= line.starts_with("```");
        !is_code && !line.starts_with('|')
    });
    comments
        .filter(|line| line.trim_start().starts_with("//") && line.chars().count() > WIDEST)
        .collect()
}

fn collect(folder: &Path, lines: fn(&str) -> Vec<&str>, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !["tests", "benches", "examples", "fuzz", "target"].contains(&name) {
                collect(&path, lines, found);
            }
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).unwrap();
            let lines = lines(&text).into_iter();
            found.extend(lines.map(|line| format!("{}: {line}", path.display())));
        }
    }
}

#[test]
fn descriptions_begin_with_words_of_the_field() {
    let mut found = Vec::new();
    collect(&root().join("src"), vague, &mut found);
    assert!(
        found.is_empty(),
        "descriptions of items that begin with one of {FIRST:?}:\n{}",
        found.join("\n")
    );
}

#[test]
fn comments_are_as_wide_as_code() {
    let mut found = Vec::new();
    collect(&root().join("src"), wide, &mut found);
    assert!(found.is_empty(), "wider than code:\n{}", found.join("\n"));
    let long = "word ".repeat(20);
    let text = format!("/// {long}\n/// | {long} |\n//! ```\n//! {long}\n//! ```\n    // {long}\n");
    assert_eq!(wide(&text).len(), 2);
}

#[test]
fn vague_words_are_seen() {
    let text = "/// What it is.\npub struct A;\n/// Who has it.\nstruct B;\n/// A noun.\n/// What more.\npub fn c() {}\n\
                /// The same.\n#[must_use]\npub fn d() {}\n/// How it is.\n    field: usize,\n// What it does.\nfn e() {}\n";
    let expected = ["What it is.", "Who has it.", "The same.", "How it is."];
    assert_eq!(vague(text), expected);
}
