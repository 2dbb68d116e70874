//! C headers for compiled programs.

use mapwright_codegen::host::Entry;
use mapwright_mlir::{ElementType, FloatKind, TensorType};
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

/// `donated`: pairs of numbers of an argument and a result.
fn describe(out: &mut String, what: &str, tensors: &[TensorType], donated: &[(usize, usize)]) {
    for (i, tensor) in tensors.iter().enumerate() {
        let _ = writeln!(
            out,
            " *   {what}[{i}]: {} *, {tensor}{}",
            c_type(&tensor.element),
            donated
                .iter()
                .find(|(argument, _)| *argument == i)
                .map(|(_, result)| format!(", may be the memory of results[{result}]"))
                .unwrap_or_default()
        );
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

/// The header of a program with these entries.
pub(crate) fn text(entries: &[Entry]) -> String {
    let mut out = String::from(
        "/* Made by Mapwright. Link with libmapwright_runtime.a (and -lpthread -lm -ldl).\n *\n\
         * arguments and results point to dense, row-major, 64-byte aligned tensors; argument_sizes and result_sizes hold the sizes of all\n\
         * tensors, one after another, and those of the arguments must be the ones below. The memory of a result of static shape is the caller's; that of any other is taken from\n\
         * mw_alloc and belongs to the caller afterwards (mw_free). Returns 0, or an enum mw_status with a message in the context. */\n\
         #pragma once\n#include <stdbool.h>\n#include <stdint.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\
         typedef struct mw_context mw_context;\n\n",
    );
    for entry in entries {
        let _ = writeln!(out, "/* @{}", in_comment(&entry.name));
        describe(&mut out, "arguments", &entry.inputs, &entry.donated);
        describe(&mut out, "results", &entry.outputs, &[]);
        let _ = writeln!(
            out,
            " */\nint32_t {}(const mw_context *context, const void *const *arguments, const int64_t *argument_sizes,\n    void **results, int64_t *result_sizes);\n",
            entry.symbol
        );
    }
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
