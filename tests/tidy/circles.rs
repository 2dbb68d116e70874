//! Files that use each other in a circle are read together or not at all, so circles stay small.

use super::{Source, sources};
use std::collections::{BTreeMap, BTreeSet};

/// Files of a circle that needs no reason.
const SMALL: usize = 3;

/// The largest circles of the crates, by the first of their files: the number of files, and what holds them together. A circle that has become
/// smaller is to be entered with its new size.
const LARGE: [(&str, usize, &str); 1] = [(
    "codegen/tiled/complex.rs",
    6,
    "a value is computed in the loops that are open, and what it is made of opens others",
)];

/// The crate that a file belongs to, and the module it is, as the path in that crate.
fn module(path: &str) -> (String, Vec<String>) {
    let mut parts: Vec<String> = path
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    let own = ["capi", "passes", "bin", "plugin", "lib"];
    let root = match own.contains(&parts[0].as_str()) {
        true => String::new(),
        false => parts.remove(0),
    };
    if matches!(
        parts.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        parts.pop();
    }
    (root, parts)
}

/// The paths of the `use` declarations of a file, groups written out.
fn used(source: &Source) -> Vec<Vec<String>> {
    let text: Vec<&str> = source.code.iter().map(|(_, line)| line.as_str()).collect();
    let text = text.join("\n");
    let mut found = Vec::new();
    for (at, _) in text.match_indices("use ") {
        let starts = at == 0 || text[..at].ends_with(['\n', ' ', ')']);
        if let (true, Some(end)) = (starts, text[at..].find(';')) {
            let tree: String = text[at + 4..at + end]
                .split(" as ")
                .next()
                .unwrap_or_default()
                .chars()
                .filter(|c| !c.is_whitespace())
                .collect();
            spread(&tree, &[], &mut found);
        }
    }
    found
}

/// The paths of a tree of uses behind `prefix`.
fn spread(tree: &str, prefix: &[String], found: &mut Vec<Vec<String>>) {
    match tree.find('{') {
        Some(open) => {
            let mut path = prefix.to_vec();
            path.extend(
                tree[..open]
                    .split("::")
                    .filter(|s| !s.is_empty())
                    .map(str::to_owned),
            );
            let (mut depth, mut start) = (0, open + 1);
            for (i, c) in tree.char_indices().skip_while(|(i, _)| *i <= open) {
                match c {
                    '{' => depth += 1,
                    '}' | ',' if depth == 0 => {
                        spread(&tree[start..i], &path, found);
                        start = i + 1;
                    }
                    '}' => depth -= 1,
                    _ => {}
                }
            }
        }
        None if !tree.is_empty() => {
            let mut path = prefix.to_vec();
            path.extend(tree.split("::").map(str::to_owned));
            found.push(path);
        }
        None => {}
    }
}

/// Which files each file uses.
fn graph(sources: &[Source]) -> BTreeMap<&str, BTreeSet<&str>> {
    let modules: BTreeMap<(String, Vec<String>), &str> = sources
        .iter()
        .map(|source| (module(&source.path), source.path.as_str()))
        .collect();
    let mut edges = BTreeMap::new();
    for source in sources {
        let (root, own) = module(&source.path);
        let mut targets = BTreeSet::new();
        for path in used(source) {
            let mut at = match path[0].as_str() {
                "crate" => Vec::new(),
                "super" | "self" => own.clone(),
                _ => continue,
            };
            for part in &path {
                match part.as_str() {
                    "super" => {
                        at.pop();
                    }
                    "crate" | "self" => {}
                    part => at.push(part.to_owned()),
                }
            }
            // The deepest module on the path: what stands behind it is one of its items.
            let file = (0..=at.len())
                .rev()
                .find_map(|n| modules.get(&(root.clone(), at[..n].to_vec())));
            targets.extend(file.copied().filter(|file| *file != source.path));
        }
        edges.insert(source.path.as_str(), targets);
    }
    edges
}

/// Everything that is reached from a file.
fn reached<'a>(edges: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut pending = vec![from];
    while let Some(file) = pending.pop() {
        for next in &edges[file] {
            if found.insert(*next) {
                pending.push(next);
            }
        }
    }
    found
}

#[test]
fn circles_of_files_are_small() {
    let sources = sources();
    let edges = graph(&sources);
    let reach: BTreeMap<&str, BTreeSet<&str>> = edges
        .keys()
        .map(|file| (*file, reached(&edges, file)))
        .collect();
    assert!(
        reach.values().any(|files| files.len() > 10),
        "no file uses another"
    );
    let mut circles: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (file, files) in &reach {
        let circle: Vec<&str> = files
            .iter()
            .copied()
            .filter(|other| reach[other].contains(file))
            .collect();
        // Each circle stands under the first of its files.
        if circle.len() > SMALL && circle.first() == Some(file) {
            circles.insert(file, circle);
        }
    }
    let mut failures = Vec::new();
    for (first, circle) in &circles {
        let listed = LARGE.iter().find(|listed| listed.0 == *first);
        if listed.map(|listed| listed.1) != Some(circle.len()) {
            failures.push(format!(
                "{} files in a circle: {}",
                circle.len(),
                circle.join(" ")
            ));
        }
    }
    for (file, size, reason) in &LARGE {
        assert!(!reason.is_empty());
        if !circles.contains_key(file) {
            failures.push(format!("{file} is in no circle of {size} files any more"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
