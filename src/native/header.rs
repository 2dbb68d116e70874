//! C headers for compiled programs.

use crate::sizes::Sizes;
use mapwright_codegen::host::Entry;
use mapwright_mlir::{ElementType, FloatKind, TensorType};
use mapwright_normalize::sizes::Described;
use std::fmt::Write;

fn c_type(element: &ElementType) -> &'static str {
    match element {
        ElementType::Bool => "bool",
        ElementType::Int { width, unsigned } => match (width, unsigned) {
            (0..=8, false) => "int8_t",
            (0..=8, true) => "uint8_t",
            (16, false) => "int16_t",
            (16, true) => "uint16_t",
            (32, false) => "int32_t",
            (32, true) => "uint32_t",
            (_, false) => "int64_t",
            (_, true) => "uint64_t",
        },
        ElementType::Index => "int64_t",
        ElementType::Float(FloatKind::F64) | ElementType::Complex(FloatKind::F64) => "double",
        ElementType::Float(FloatKind::F32 | FloatKind::TF32) | ElementType::Complex(_) => "float",
        ElementType::Float(kind) if kind.width() == 16 => "uint16_t",
        ElementType::Float(_) => "uint8_t",
        ElementType::Quantized(q) => c_type(&q.storage),
        ElementType::Other(_) => "void",
    }
}

/// `donated`: pairs of numbers of an argument and a result. `sizes`: what is known of the sizes of
/// each tensor.
fn describe(
    out: &mut String,
    what: &str,
    tensors: &[TensorType],
    donated: &[(usize, usize)],
    sizes: Option<&Described>,
) {
    for (i, tensor) in tensors.iter().enumerate() {
        let _ = writeln!(
            out,
            " *   {what}[{i}]: {} *, {tensor}{}{}",
            c_type(&tensor.element),
            of_sizes(tensor, sizes.and_then(|sizes| sizes.get(i))),
            donated
                .iter()
                .find(|(argument, _)| *argument == i)
                .map(|(_, result)| format!(", may be the memory of results[{result}]"))
                .unwrap_or_default()
        );
    }
}

/// The sizes of a tensor of which some are known at run time only.
fn of_sizes(tensor: &TensorType, sizes: Option<&Vec<Option<String>>>) -> String {
    if tensor.static_shape().is_some() {
        return String::new();
    }
    let size = |d: usize| {
        let known = sizes.and_then(|sizes| sizes.get(d)?.as_ref());
        // What the type says is not said again in other words.
        match (tensor.dims[d].fixed(), known) {
            (Some(n), _) => n.to_string(),
            (None, Some(size)) => in_comment(size),
            (None, None) => "?".into(),
        }
    };
    let all: Vec<String> = (0..tensor.rank()).map(size).collect();
    format!(" of sizes [{}]", all.join(", "))
}

/// Writes where each run-time size of the arguments with a name stands in `argument_sizes`, a line
/// each.
fn named_sizes(out: &mut String, entry: &Entry, sizes: &Described) {
    let mut places: Vec<(&str, Vec<String>)> = Vec::new();
    let mut position = 0;
    for (tensor, own) in entry.inputs.iter().zip(sizes) {
        for (dim, size) in tensor.dims.iter().zip(own) {
            let place = format!("argument_sizes[{position}]");
            position += 1;
            let (None, Some(size)) = (dim.fixed(), size) else {
                continue;
            };
            match places.iter_mut().find(|(name, _)| *name == size.as_str()) {
                Some((_, list)) => list.push(place),
                None if *size != place => places.push((size.as_str(), vec![place])),
                None => places.push((size.as_str(), Vec::new())),
            }
        }
    }
    for (name, list) in places.iter().filter(|(_, list)| !list.is_empty()) {
        let list = list.join(" = ");
        let _ = writeln!(out, " *   run-time size {} = {list}", in_comment(name));
    }
}

/// A name as it can stand in a comment: on one line, and without the comment's end.
fn in_comment(name: &str) -> String {
    let shown: String = name
        .chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    shown
        .replace("*/", "*?/")
        .replace("/*", "/?*")
        .replace("??/", "? ?/")
}

/// The header of a program with these entries; `sizes` of each, where they are known; `table` is
/// the symbol of the table of them.
pub(crate) fn text(entries: &[Entry], sizes: &[Option<Sizes>], table: &str) -> String {
    let mut out = String::from(
        "/* Made by Mapwright. Link with libmapwright_runtime.a, which a static library of `mapwright compile` has inside, and -lpthread\n \
         * -lm -ldl; programs are small with -Wl,--gc-sections -s.\n \
         *\n \
         * arguments and results point to dense, row-major, 64-byte aligned tensors; argument_sizes and result_sizes hold the sizes\n \
         * of all tensors, one after another, and those of the arguments must be the ones below; sizes that have a name, or `?`, are\n \
         * known at run time only, and one of one name is the same everywhere. The memory of a result of static shape is the caller's;\n \
         * that of any other is taken from mw_alloc and belongs to the caller afterwards (mw_free). Returns 0, or an enum mw_status\n \
         * with a message in the context. A failure stays there: later calls return it at once, until mw_clear_error. */\n\
         #pragma once\n#include <stdbool.h>\n#include <stdint.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\
         #ifndef MW_CONTEXT\n#define MW_CONTEXT\ntypedef struct mw_context mw_context;\n#endif\n\n",
    );
    for (i, entry) in entries.iter().enumerate() {
        let sizes = sizes.get(i).and_then(Option::as_ref);
        let (arguments, results) = (
            sizes.map(|sizes| &sizes.arguments),
            sizes.map(|sizes| &sizes.results),
        );
        let (inputs, outputs) = (&entry.inputs, &entry.outputs);
        let _ = writeln!(out, "/* @{}", in_comment(&entry.name));
        describe(&mut out, "arguments", inputs, &entry.donated, arguments);
        describe(&mut out, "results", outputs, &[], results);
        if let Some(sizes) = arguments {
            named_sizes(&mut out, entry, sizes);
        }
        let _ = writeln!(
            out,
            " */\nint32_t {}(const mw_context *context, const void *const *arguments, const int64_t *argument_sizes,\n    void **results, int64_t *result_sizes);\n",
            entry.symbol
        );
    }
    let _ = writeln!(
        out,
        "/* The functions above with their types, for callers that find out at run time: JSON, which ends with a zero byte. */\n\
         extern const char {table}[];\n"
    );
    out.push_str("#ifdef __cplusplus\n}\n#endif\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_no_comment_and_no_line() {
        assert_eq!(in_comment("main.1"), "main.1");
        assert_eq!(
            in_comment("a */ int x; /*\n#error"),
            "a *?/ int x; /?*?#error"
        );
    }
}
