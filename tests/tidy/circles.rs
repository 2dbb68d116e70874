//! Files that use each other in a circle are read together or not at all, so circles stay small.
//!
//! A file uses another one of its crate if it names it, or something in it, in a `use` declaration
//! or in a path: one that begins with `crate`, `super` or `self`, or with a module that a `use`
//! declaration made known. What counts is the file that the path leads to, not where what it names
//! is defined if that file hands it on. Not counted is that a module names those inside of it,
//! which are its parts. That these name what stands in the module around them is. Methods are not
//! counted: whose they are is not seen in the text.

use super::{Source, sources};
use std::collections::{BTreeMap, BTreeSet};

/// Files of a circle that are read together.
const SMALL: usize = 3;

/// A module as the crate that it belongs to, and its path in that crate.
type Module = (String, Vec<String>);

/// The module that a file is.
fn module(path: &str) -> Module {
    let mut parts: Vec<String> = path
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    let root = match parts[0].as_str() {
        "capi" | "command" | "lsp" | "passes" => String::new(),
        _ if parts.len() == 1 => String::new(),
        // Each program is a crate.
        "bin" => parts.drain(..2).collect::<Vec<_>>().join("/"),
        _ => parts.remove(0),
    };
    if matches!(
        parts.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        parts.pop();
    }
    (root, parts)
}

/// What stands in a file: the paths of its `use` declarations, each with the name that it makes
/// known, and the rest of the code.
fn declarations(source: &Source) -> (Vec<(Vec<String>, String)>, String) {
    let text: Vec<&str> = source.code.iter().map(|(_, line)| line.as_str()).collect();
    let text = text.join("\n");
    let (mut found, mut rest, mut done) = (Vec::new(), String::new(), 0);
    for (at, _) in text.match_indices("use ") {
        let starts = at >= done && (at == 0 || text[..at].ends_with(['\n', ' ', ')']));
        if let (true, Some(end)) = (starts, text[at..].find(';')) {
            spread(&text[at + 4..at + end], &[], &mut found);
            rest.push_str(&text[done..at]);
            done = at + end;
        }
    }
    rest.push_str(&text[done..]);
    (found, rest)
}

/// The paths of a tree of uses behind `prefix`, and the names that they make known.
fn spread(tree: &str, prefix: &[String], found: &mut Vec<(Vec<String>, String)>) {
    let segments = |path: &str| -> Vec<String> {
        let parts = path.split("::").map(str::trim);
        let own = parts.filter(|s| !s.is_empty()).map(str::to_owned);
        prefix.iter().cloned().chain(own).collect()
    };
    let Some(open) = tree.find('{') else {
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
        let mut path = segments(path);
        if path.len() > 1 {
            path.pop_if(|last| last == "self");
        }
        if let (false, Some(last)) = (tree.trim().is_empty(), path.last().cloned()) {
            let name = match name.trim() {
                "" => last,
                name => name.to_owned(),
            };
            found.push((path, name));
        }
        return;
    };
    let path = segments(&tree[..open]);
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

/// The paths in code, of two parts at least.
fn paths(code: &str) -> impl Iterator<Item = Vec<String>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = code.split(move |c: char| !is_part(c));
    words.filter(|word| word.contains("::")).map(|word| {
        let parts = word.trim_end_matches(':').split("::");
        parts.map(str::to_owned).collect()
    })
}

/// Where a path in module `own` leads to, if it stays in the crate.
fn absolute(path: &[String], own: &[String]) -> Option<Vec<String>> {
    let mut at = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "super" | "self" => own.to_vec(),
        _ => return None,
    };
    for part in path {
        match part.as_str() {
            "super" => _ = at.pop(),
            "crate" | "self" => {}
            part => at.push(part.to_owned()),
        }
    }
    Some(at)
}

/// Which files each file uses.
fn graph(sources: &[Source]) -> BTreeMap<&str, BTreeSet<&str>> {
    let modules: BTreeMap<Module, &str> = sources
        .iter()
        .map(|source| (module(&source.path), source.path.as_str()))
        .collect();
    let mut edges = BTreeMap::new();
    for source in sources {
        let (root, own) = module(&source.path);
        let (declared, code) = declarations(source);
        let mut used = Vec::new();
        let mut known: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, name) in declared {
            let Some(at) = absolute(&path, &own) else {
                continue;
            };
            if modules.contains_key(&(root.clone(), at.clone())) {
                known.insert(name, at.clone());
            }
            used.push(at);
        }
        for path in paths(&code) {
            let behind = |at: &Vec<String>| [at.as_slice(), &path[1..]].concat();
            used.extend(absolute(&path, &own).or_else(|| known.get(&path[0]).map(behind)));
        }
        let mut targets = BTreeSet::new();
        for at in used {
            // The deepest module on the path: what stands behind it is one of its items.
            let deepest = (0..=at.len())
                .rev()
                .find_map(|n| modules.get_key_value(&(root.clone(), at[..n].to_vec())));
            let outside = deepest.filter(|((_, at), _)| !at.starts_with(&own));
            targets.extend(outside.map(|(_, file)| *file));
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
    let mut circles = Vec::new();
    for (file, files) in &reach {
        let others = files.iter().copied();
        let circle: Vec<&str> = others.filter(|other| reach[other].contains(file)).collect();
        // Each circle is told once, of the first of its files.
        if circle.len() > SMALL && circle.first() == Some(file) {
            circles.push(format!("{} files: {}", circle.len(), circle.join(" ")));
        }
    }
    assert!(circles.is_empty(), "circles: {}", circles.join("\n"));
}

#[test]
fn uses_and_paths_lead_to_files() {
    let source = |path: &str, lines: &[&str]| Source {
        path: path.to_owned(),
        code: lines.iter().map(|line| (1, (*line).to_owned())).collect(),
    };
    let sources = [
        source("ops/lib.rs", &["mod one;", "pub use one::f;"]),
        source(
            "ops/one/mod.rs",
            &["mod part;", "fn f() { part::g(); crate::two::h() }"],
        ),
        source(
            "ops/one/part.rs",
            &[
                "use super::super::{three as third, four::{self, Four}};",
                "use std::two;",
            ],
        ),
        source(
            "ops/two.rs",
            &["fn h() -> super::one::part::T<crate::F> {}"],
        ),
        source(
            "ops/three.rs",
            &[
                "use crate::{one as first,",
                "two};",
                "fn f(x: first::part::T) {}",
            ],
        ),
        source("ops/four/mod.rs", &[]),
        source("mlir/two.rs", &["use crate::one;"]),
    ];
    let edges = graph(&sources);
    let of = |file: &str| edges[file].iter().copied().collect::<Vec<_>>();
    assert!(of("ops/lib.rs").is_empty() && of("mlir/two.rs").is_empty());
    assert_eq!(of("ops/one/mod.rs"), ["ops/two.rs"]);
    assert_eq!(of("ops/one/part.rs"), ["ops/four/mod.rs", "ops/three.rs"]);
    assert_eq!(of("ops/two.rs"), ["ops/lib.rs", "ops/one/part.rs"]);
    let all = ["ops/one/mod.rs", "ops/one/part.rs", "ops/two.rs"];
    assert_eq!(of("ops/three.rs"), all);
}
