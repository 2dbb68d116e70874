//! What ARCHITECTURE.md says about the source: each is the absence of something in a folder.
//!
//! Exceptions are listed with the reason; one that no longer is one fails as well, so that the
//! lists only become shorter.

mod circles;
mod names;
mod newer;
mod notices;
mod ods;
mod words;

use crate::support::root;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The crates that never touch MLIR's memory, with their folders.
const SAFE: [&str; 13] = [
    "indexing",
    "artifact",
    "schedule",
    "dense",
    "ops",
    "fusion",
    "normalize",
    "reduce",
    "interpret",
    "analysis",
    "sharding",
    "codegen",
    "python",
];

/// The crates, each of which depends on some of those before it.
const ORDER: [&str; 18] = [
    "indexing",
    "artifact",
    "schedule",
    "mlir",
    "dense",
    "runtime",
    "mpi",
    "sharding",
    "ops",
    "analysis",
    "normalize",
    "reduce",
    "fusion",
    "codegen",
    "interpret",
    "native",
    "pjrt",
    "python",
];

/// A source file without its tests.
struct Source {
    /// Below `src`, with `/`.
    path: String,
    /// Lines without comments, up to the unit tests; each with its number.
    code: Vec<(usize, String)>,
}

fn collect(folder: &Path, found: &mut Vec<Source>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            let measured = ["tests", "benches", "examples", "fuzz", "target", "corpus"];
            if !measured.contains(&name) {
                collect(&path, found);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(source(&path));
        }
    }
}

fn source(path: &Path) -> Source {
    let text = fs::read_to_string(path).unwrap();
    // Unit tests stand at the end of a file.
    let tests = text.find("#[cfg(test)]\nmod tests {");
    let text = tests.map_or(text.as_str(), |at| &text[..at]);
    let code = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(i, line)| {
            let code = line.split(" // ").next().unwrap_or_default();
            (i + 1, code.to_owned())
        });
    let path = path.strip_prefix(root().join("src")).unwrap();
    Source {
        path: path.to_str().unwrap().replace('\\', "/"),
        code: code.collect(),
    }
}

fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root().join("src"), &mut found);
    assert!(found.len() > 300, "{} files", found.len());
    found
}

/// Fails with every place that is not excepted, and with every exception that has no place.
#[track_caller]
fn only(rule: &str, places: BTreeMap<String, Vec<String>>, exceptions: &[(&str, &str)]) {
    let excepted: BTreeSet<&str> = exceptions.iter().map(|(path, _)| *path).collect();
    assert!(exceptions.iter().all(|(_, reason)| !reason.is_empty()));
    let mut failures: Vec<String> = places
        .iter()
        .filter(|(path, _)| !excepted.contains(path.as_str()))
        .map(|(path, found)| format!("src/{path}: {}", found.join("; ")))
        .collect();
    failures.extend(
        excepted
            .iter()
            .filter(|path| !places.contains_key(**path))
            .map(|path| format!("src/{path} keeps the rule now: take it from the list")),
    );
    assert!(failures.is_empty(), "{rule}\n{}", failures.join("\n"));
}

/// Places where a line of the files has one of the words.
fn places(
    sources: &[Source],
    applies: impl Fn(&str) -> bool,
    words: &[&str],
) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources.iter().filter(|source| applies(&source.path)) {
        for (number, line) in &source.code {
            if let Some(word) = words.iter().find(|word| has_word(line, word)) {
                let place = format!("line {number} has {word}");
                found.entry(source.path.clone()).or_default().push(place);
            }
        }
    }
    found
}

fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(|c| part(c) && word.starts_with(part))
            && !after.is_some_and(|c| part(c) && word.ends_with(part))
    })
}

/// A crate or a program whose unit tests are not built has none.
#[test]
fn unit_tests_are_run() {
    fn none_below(folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("tests") {
                    none_below(&path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                assert!(
                    !text.contains("#[test]"),
                    "{} has tests that do not run",
                    path.display()
                );
            }
        }
    }
    none_below(&root().join("src/bin"));
    let mut without = 0;
    for folder in fs::read_dir(root().join("src")).unwrap() {
        let folder = folder.unwrap().path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        if manifest.contains("[lib]\npath = \"lib.rs\"\ntest = false\n") {
            none_below(&folder);
            without += 1;
        }
    }
    assert!(without > 0);
}

#[test]
fn maps_are_pure_arithmetic() {
    let found = places(
        &sources(),
        |path| path.starts_with("indexing/"),
        &[
            "std::io",
            "serde_json",
            "serde",
            "std::fs",
            "std::env",
            "mapwright_mlir",
        ],
    );
    only(
        "the crate of maps has no input and output, no JSON and no MLIR",
        found,
        &[
            (
                "indexing/commands.rs",
                "the commands of maps, shared by the program and by a driver that needs no MLIR",
            ),
            ("indexing/commands/bench.rs", "a part of them"),
        ],
    );
}

#[test]
fn unsafe_code_is_forbidden_where_no_memory_is_touched() {
    let sources = sources();
    for folder in SAFE {
        let library = fs::read_to_string(root().join("src").join(folder).join("lib.rs")).unwrap();
        assert!(
            library.contains("#![forbid(unsafe_code)]"),
            "src/{folder}/lib.rs does not forbid unsafe code"
        );
    }
    let may = |path: &str| {
        let folders = ["mlir/", "capi/", "native/", "runtime/", "pjrt/border/"];
        folders.iter().any(|folder| path.starts_with(folder))
            || ["plugin.rs", "mpi/library.rs"].contains(&path)
    };
    let found = places(&sources, |path| !may(path), &["unsafe"]);
    only(
        "unsafe code stands in mlir, the C faces, native, runtime, and the borders of the plugin and to MPI",
        found,
        &[],
    );
}

#[test]
fn there_is_one_linear_form() {
    let found = places(
        &sources(),
        |path| !path.starts_with("indexing/"),
        &[
            "fn gcd",
            "fn wide_gcd",
            "fn floor_div",
            "fn ceil_div",
            "struct Digit",
        ],
    );
    only(
        "sums of digits, and divisions that round, are those of indexing::linear",
        found,
        &[],
    );
}

/// A size that is known at run time only is an extent, never a number that stands for it.
#[test]
fn no_number_stands_for_a_size() {
    let words = ["is_stand_in", "with_stand_ins", "Numerals", "every_size"];
    let found = places(&sources(), |_| true, &words);
    only("a size is an `Extent`", found, &[]);
    // A limit has a name and a reason; a number that a comparison has in it was some size once.
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources() {
        for (number, line) in &source.code {
            if let Some(large) = compared(line).into_iter().find(|number| *number > 4_096) {
                let place = format!("line {number} compares with {large}");
                found.entry(source.path.clone()).or_default().push(place);
            }
        }
    }
    assert_eq!(compared("(n > 150_001) && k == 3i64 {"), [150_001, 3]);
    only(
        "sizes are compared with each other and with named limits",
        found,
        &[],
    );
}

/// The literals that a line compares something with.
fn compared(line: &str) -> Vec<i64> {
    let words: Vec<&str> = line.split([' ', '(', ')', ',', ';']).collect();
    let number = |pair: &[&str]| {
        let compares = ["==", "!=", "<", "<=", ">", ">="].contains(&pair[0]);
        let literal = pair[1].replace('_', "");
        let digits = literal.split(|c: char| !c.is_ascii_digit()).next()?;
        compares.then(|| digits.parse().ok())?
    };
    words.windows(2).filter_map(number).collect()
}

#[test]
fn crates_point_down() {
    let mut crates: Vec<String> = fs::read_dir(root().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("Cargo.toml").exists())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    crates.sort();
    let mut ordered = ORDER.map(str::to_owned);
    ordered.sort();
    assert_eq!(crates, ordered, "every crate has its place in the order");
    for (place, name) in ORDER.iter().enumerate() {
        let manifest = root().join("src").join(name).join("Cargo.toml");
        let text = fs::read_to_string(manifest).unwrap();
        let lints = text.contains("\n[lints]\nworkspace = true\n");
        assert!(lints, "mapwright-{name} has the lints of the workspace");
        assert!(
            text.contains("\ndescription = ")
                && root().join("src").join(name).join("README.md").exists(),
            "mapwright-{name} has a description and a README.md"
        );
        let section = text.split("\n[dependencies]").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        for line in section.lines() {
            let Some(other) = line.strip_prefix("mapwright-") else {
                continue;
            };
            let other = other.split(['.', ' ', '=']).next().unwrap_or_default();
            assert!(
                ORDER[..place].contains(&other),
                "mapwright-{name} depends on mapwright-{other}, which comes after it"
            );
        }
    }
}

/// Passes are for pipelines that stop before machine code.
#[test]
fn passes_need_no_llvm() {
    let found = places(
        &sources(),
        |path| {
            let above = [
                "passes/",
                "fusion/",
                "ops/",
                "normalize/",
                "analysis/",
                "codegen/",
            ];
            above.iter().any(|folder| path.starts_with(folder))
        },
        &["mapwright_native", "inkwell", "llvm_sys"],
    );
    only(
        "nothing before src/native needs LLVM",
        found,
        &[
            (
                "passes/lower.rs",
                "runs the stages of the native pipeline up to its kernels",
            ),
            (
                "passes/lower_in_place.rs",
                "runs the stages of the native pipeline before fusion",
            ),
            (
                "passes/mod.rs",
                "names the conversions of the native pipeline",
            ),
            (
                "passes/normalize.rs",
                "runs the stages of the native pipeline before fusion",
            ),
        ],
    );
}

/// ARCHITECTURE.md is read in ten minutes.
#[test]
fn the_architecture_is_short() {
    const LONGEST: usize = 12_000;
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let length = text.len();
    assert!(length <= LONGEST, "ARCHITECTURE.md has {length} bytes");
    // Every crate has its paragraph.
    for name in ORDER {
        let item = format!("\n- **`src/{name}`**: ");
        assert!(
            text.contains(&item),
            "ARCHITECTURE.md says nothing of src/{name}"
        );
    }
}

/// Its rows on operations have every place that names one which computes numbers.
#[test]
fn the_architecture_says_where_an_operation_is() {
    const ONE: &str = "cbrt";
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let rows = text.split("\n| an operation | ").nth(1).unwrap();
    let rows: Vec<&str> = rows.lines().take(2).collect();
    let rows = rows.join("\n");
    let named: Vec<&str> = rows
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|w| w.contains('/'))
        .collect();
    fn naming(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                naming(&path, found);
            } else if fs::read_to_string(&path).is_ok_and(|text| has_word(&text, ONE)) {
                let own = path.strip_prefix(root()).unwrap();
                found.push(own.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    let mut files = Vec::new();
    for folder in ["src", "dialect", "lit-tests"] {
        naming(&root().join(folder), &mut files);
    }
    let left_out: Vec<&String> = files
        .iter()
        .filter(|file| !named.iter().any(|place| file.starts_with(place)))
        .collect();
    assert!(
        left_out.is_empty(),
        "{left_out:?} are in no row of {named:?}"
    );
    for place in named {
        let is_used = files.iter().any(|file| file.starts_with(place));
        assert!(is_used, "{place} has no file about {ONE}");
    }
}

#[test]
fn files_fit_into_a_head() {
    const LONGEST: usize = 500;
    let found = sources()
        .into_iter()
        .filter(|source| source.code.len() > LONGEST)
        .map(|source| (source.path, vec![format!("{} lines", source.code.len())]))
        .collect();
    only("a file has at most 500 lines beside comments", found, &LONG);
}

/// Longer files, each with what keeps it in one piece.
const LONG: [(&str, &str); 7] = [
    (
        "analysis/tiles/step.rs",
        "the step of a tile along a digit and its cases, one proof",
    ),
    (
        "codegen/scalar/complex.rs",
        "the functions of complex numbers, a formula each",
    ),
    (
        "interpret/process.rs",
        "collectives of all processes, which wait for each other",
    ),
    ("mlir/types.rs", "element types and their text"),
    ("normalize/chlo/coefficients.rs", "tables of numbers"),
    (
        "sharding/notation/shardy.rs",
        "one notation: reader and printer",
    ),
    ("sharding/propagate/flow.rs", "one propagation over a graph"),
];
