//! What is said of the operations of a text.

use crate::{
    mlir::{
        Op, context, diagnostic::Diagnostics, labels::Numbering, melior::ir::ValueLike, op::label,
    },
    ops::Composer,
};
use serde_json::{Value, json};

/// The pages of the dialects, which are made of their ODS.
const PAGES: [&str; 9] = [
    include_str!("../../docs/dialects/check.md"),
    include_str!("../../docs/dialects/chlo.md"),
    include_str!("../../docs/dialects/constraints.md"),
    include_str!("../../docs/dialects/indexing.md"),
    include_str!("../../docs/dialects/interpreter.md"),
    include_str!("../../docs/dialects/mhlo.md"),
    include_str!("../../docs/dialects/sdy.md"),
    include_str!("../../docs/dialects/stablehlo.md"),
    include_str!("../../docs/dialects/tarray.md"),
];

/// Name of a text while it is read: places of operations begin with it.
const NAME: &str = "text";

/// Reads a text, and looks at its operations with their lines and columns, from zero. `None` where
/// it is no program.
fn look<T>(text: &str, view: impl FnOnce(Vec<(Op<'_>, (usize, usize))>) -> T) -> Option<T> {
    crate::register();
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let module = diagnostics.parse(NAME, text.as_bytes()).ok()?;
    let root = Op::new(module.as_operation());
    let _numbering = Numbering::for_op(root);
    let placed = root.descendants().into_iter().filter_map(|op| {
        let text = crate::mlir::diagnostic::location_text(op.location());
        let (line, column) = text
            .strip_prefix(NAME)?
            .strip_prefix(':')?
            .split_once(':')?;
        let number = |text: &str| text.parse::<usize>().ok()?.checked_sub(1);
        Some((op, (number(line)?, number(column)?)))
    });
    Some(view(placed.collect()))
}

/// The maps of an operation, a line each.
fn maps(op: Op<'_>) -> Vec<String> {
    let composer = Composer::new();
    let mut lines = Vec::new();
    for result in 0..op.num_results() {
        for found in composer.output_to_input(op, result).iter() {
            let (from, to) = (label(op.result(result)), label(op.operand(found.operand)));
            for map in found.maps.iter() {
                let why = map.unknown_reason().map(|reason| format!(" ({reason})"));
                lines.push(format!("{from} -> {to}: {map}{}", why.unwrap_or_default()));
            }
        }
    }
    lines
}

/// Returns what the documentation says of the operation of this name: a sentence, and the rest.
fn documentation(name: &str) -> Option<String> {
    let heading = format!("### `{name}` ");
    let page = PAGES.iter().find_map(|page| {
        let at = page.find(&heading)?;
        page[at..].split_once('\n')
    });
    let (_, rest) = page?;
    let section = rest.split("\n### ").next()?.split("\n## ").next()?;
    let text = section.split("\n#### ").next()?.split("\nTraits:").next()?;
    // How it is written stands in the program.
    let without_syntax = match text.split_once("\nSyntax:") {
        Some((before, behind)) => {
            let behind = behind.splitn(3, "```").nth(2).unwrap_or_default();
            format!("{}\n\n{}", before.trim(), behind.trim())
        }
        None => text.trim().to_owned(),
    };
    Some(without_syntax.trim().to_owned())
}

/// The maps and the documentation of the operation whose name is at a place.
pub(super) fn hover(text: &str, (line, character): (usize, usize)) -> Option<String> {
    look(text, |ops| {
        let is_here = |(op, (at, column)): &(Op<'_>, (usize, usize))| {
            // Quotation marks may be around the name.
            *at == line && (*column..=*column + op.name().len() + 1).contains(&character)
        };
        let (op, _) = ops.into_iter().find(is_here)?;
        let mut parts = Vec::new();
        let maps = maps(op);
        if !maps.is_empty() {
            parts.push(format!("Indexing maps:\n\n```\n{}\n```", maps.join("\n")));
        }
        parts.extend(documentation(op.name()));
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    })?
}

/// Hints at the ends of the lines where operations begin: their maps, or the types of their
/// results.
pub(super) fn hints(text: &str, (first, last): (usize, usize), shapes: bool) -> Vec<Value> {
    let lines: Vec<&str> = text.lines().collect();
    let found = look(text, |ops| {
        let mut hints = Vec::new();
        for (op, (line, _)) in ops {
            if !(first..=last).contains(&line) {
                continue;
            }
            let words: Vec<String> = if shapes {
                let results = op.results().into_iter();
                results.map(|value| value.r#type().to_string()).collect()
            } else {
                // Domains are long, and stand in the hover.
                maps(op).into_iter().map(|map| short(&map)).collect()
            };
            let end = lines
                .get(line)
                .map_or(0, |text| text.encode_utf16().count());
            if !words.is_empty() {
                hints.push(json!({
                    "position": {"line": line, "character": end},
                    "label": words.join("; "),
                    "paddingLeft": true,
                }));
            }
        }
        hints
    });
    found.unwrap_or_default()
}

/// A map without its domain.
fn short(map: &str) -> String {
    map.split(", domain: ")
        .next()
        .unwrap_or_default()
        .to_owned()
}
