//! The examples of `docs/analysis.md`: a program, and after it what an analysis says of it.
//! `MAPWRIGHT_BLESS=1` writes them.

use mapwright_analysis::document::{Request, What, analyze};
use mapwright_mlir::{
    Op,
    melior::{self, ir::Module},
};
use std::fmt::Write;

fn context() -> melior::Context {
    let registry = melior::dialect::DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    let context = melior::Context::new();
    context.append_dialect_registry(&registry);
    context.set_allow_unregistered_dialects(true);
    context
}

/// `views`, or `coalescing width=16 order=1,0`.
fn question(words: &str) -> (What, Request) {
    let mut words = words.split_whitespace();
    let what = What::from_name(words.next().unwrap()).unwrap();
    let mut request = Request::default();
    for word in words {
        let (name, value) = word.split_once('=').unwrap();
        let numbers: Vec<i64> = value.split(',').map(|n| n.parse().unwrap()).collect();
        match name {
            "width" => request.width = numbers[0],
            "order" => request.order = numbers.iter().map(|n| *n as usize).collect(),
            "tile-sizes" => request.tile_sizes = numbers,
            _ => panic!("no option {name} in an example"),
        }
    }
    (what, request)
}

fn answer(context: &melior::Context, program: &str, words: &str) -> String {
    let module = Module::parse(context, program).unwrap_or_else(|| panic!("{program}"));
    let (what, request) = question(words);
    let found = analyze(Op::new(module.as_operation()), what, &request);
    let mut text = String::from("[\n");
    let entries = found.as_array().unwrap();
    for (i, entry) in entries.iter().enumerate() {
        // Where it stands in the page is of no interest.
        let mut entry = entry.clone();
        entry["location"] = "…".into();
        let comma = if i + 1 < entries.len() { "," } else { "" };
        writeln!(text, "  {entry}{comma}").unwrap();
    }
    text + "]\n"
}

#[test]
fn examples() {
    let path = format!("{}/../../docs/analysis.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(&path).unwrap();
    let context = context();
    let (mut expected, mut program, mut inside) = (String::new(), String::new(), "");
    let mut examples = 0;
    for line in page.lines() {
        match (inside, line) {
            ("", "```mlir") => {
                inside = "mlir";
                program.clear();
            }
            ("", line) if line.starts_with("```json ") => {
                inside = "json";
                examples += 1;
                expected += line;
                expected += "\n";
                expected += &answer(&context, &program, line.trim_start_matches("```json "));
                continue;
            }
            (_, "```") => inside = "",
            ("mlir", line) => {
                program += line;
                program += "\n";
            }
            ("json", _) => continue,
            _ => {}
        }
        expected += line;
        expected += "\n";
    }
    assert!(examples >= What::ALL.len());
    let bless = std::env::var_os("MAPWRIGHT_BLESS").is_some();
    if bless {
        std::fs::write(&path, &expected).unwrap();
    }
    assert!(
        bless || page == expected,
        "docs/analysis.md is out of date; run with MAPWRIGHT_BLESS=1. It should be:\n{expected}"
    );
}
