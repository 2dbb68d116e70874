//! The pages of `docs/ops`: one for each family, with every operation named, and the maps of every
//! example as they come out. `MAPWRIGHT_BLESS=1` writes them.

use mapwright_indexing::IndexingMap;
use mapwright_mlir::{
    melior::{self, ir::Module},
    op,
};
use mapwright_ops::{Composer, registry};
use std::collections::BTreeMap;
use std::fmt::Write;

fn context() -> melior::Context {
    let registry = melior::dialect::DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    let context = melior::Context::new();
    context.append_dialect_registry(&registry);
    context.set_allow_unregistered_dialects(true);
    context
}

fn lines(maps: &[IndexingMap], what: &str, out: &mut String) {
    for map in maps {
        let text = match map.unknown_reason() {
            Some(reason) => format!("UNKNOWN: {reason}"),
            None => map.to_string(),
        };
        let about = if map.is_exact() || map.unknown_reason().is_some() {
            ""
        } else {
            ", over-approximation"
        };
        writeln!(out, "  {what}{about}: {text}").unwrap();
        for (i, variable) in map.runtime().iter().enumerate() {
            let index = variable.origin.index.as_ref().map(|index| {
                let results: Vec<String> =
                    index.results().iter().map(ToString::to_string).collect();
                format!(" at ({})", results.join(", "))
            });
            writeln!(
                out,
                "    rt{i} is {}{}, clamped to {}",
                variable.origin.value,
                index.unwrap_or_default(),
                variable.clamp()
            )
            .unwrap();
        }
    }
}

/// The maps of the last operation of a function.
fn answer(context: &melior::Context, text: &str) -> String {
    let module = Module::parse(context, text).unwrap_or_else(|| panic!("does not parse:\n{text}"));
    let function = op::ops(mapwright_mlir::block(&module.body()))[0];
    let body = op::ops(function.body(0).unwrap());
    let operation = body[body.len() - 2];
    let composer = Composer::new();
    let mut out = String::from("output to input\n");
    for result in 0..operation.num_results() {
        for found in composer.output_to_input(operation, result).iter() {
            lines(
                &found.maps,
                &format!("result {result}, operand {}", found.operand),
                &mut out,
            );
        }
    }
    out += "input to output\n";
    for operand in 0..operation.num_operands() {
        for found in composer.input_to_output(operation, operand).iter() {
            lines(
                &found.maps,
                &format!("operand {operand}, result {}", found.result),
                &mut out,
            );
        }
    }
    out
}

#[test]
fn pages() {
    let folder = format!("{}/../../docs/ops", env!("CARGO_MANIFEST_DIR"));
    let mut families: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for def in registry::all().chain(registry::upstream()) {
        families
            .entry(def.family)
            .or_default()
            .push(format!("`{}`", def.name));
    }
    let context = context();
    let bless = std::env::var_os("MAPWRIGHT_BLESS").is_some();
    for (family, names) in families {
        let path = format!("{folder}/{family}.md");
        let page = std::fs::read_to_string(&path)
            .unwrap_or_else(|_| panic!("there is no page docs/ops/{family}.md"));
        let mut expected = String::new();
        let (mut example, mut inside) = (String::new(), "");
        for line in page.lines() {
            match (inside, line) {
                ("", "```mlir") => {
                    inside = "mlir";
                    example.clear();
                }
                ("", "```text") => {
                    inside = "text";
                    expected += "```text\n";
                    expected += &answer(&context, &example);
                    continue;
                }
                (_, "```") => inside = "",
                ("mlir", line) => {
                    example += line;
                    example += "\n";
                }
                ("text", _) => continue,
                _ => {}
            }
            let listed = line.starts_with("Operations: ");
            expected += &if listed {
                format!("Operations: {}.", names.join(", "))
            } else {
                line.to_owned()
            };
            expected += "\n";
        }
        if bless {
            std::fs::write(&path, &expected).unwrap();
        }
        assert!(
            bless || page == expected,
            "docs/ops/{family}.md is out of date; run with MAPWRIGHT_BLESS=1. It should be:\n{expected}"
        );
    }
}
