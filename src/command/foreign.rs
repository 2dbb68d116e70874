//! Files of other formats, told by their first bytes, with what to do with them.

use std::path::Path;

/// The first bytes of a format, what it is, and what to do.
type Format = (&'static [u8], &'static str, &'static str);

const FROM_JAX: &str = "write the program as StableHLO: jax.jit(f).lower(x).as_text()";
const FROM_TENSORFLOW: &str = "import it by tf-mlir-translate --savedmodel-signaturedefs-to-mlir, and lower it by tf-opt --tf-lower-to-mlprogram-and-hlo";
const FORMATS: &[Format] = &[
    (
        b"\x7fELF",
        "an object or a library, not a program to compile",
        "give the program that it was made of; its header says how to call it from C",
    ),
    (b"\xff\xfe", "a text in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "a text in UTF-16", "save it as UTF-8"),
    (
        b"\xef\xbb\xbf",
        "a text with a byte-order mark",
        "save it as UTF-8 without one",
    ),
    (
        b"PK\x03\x04",
        "a zip archive, as .npz, .pt2 and what torch.save writes are",
        "export a module of PyTorch by mapwright_hlo.torch.export; give the arrays of a .npz as .npy files",
    ),
    (
        b"\x93NUMPY",
        "an array of NumPy",
        "give it as --input K=FILE.npy",
    ),
    (b"\x1f\x8b", "compressed by gzip", "unpack it first"),
    (
        b"HloModule",
        "HLO as text",
        "convert it by XLA's hlo-translate --hlo-to-mlir, or print StableHLO instead: jax.jit(f).lower(x).as_text()",
    ),
    (b"{ lambda", "a jaxpr", FROM_JAX),
    (
        b"\x08\x01\x12",
        "a SavedModel of TensorFlow",
        FROM_TENSORFLOW,
    ),
];

/// Dialects of other compilers, by how their operations are written.
const DIALECTS: &[(&str, &str)] = &[
    (
        "tf.",
        "operations of TensorFlow: convert them first, with tf-opt --tf-lower-to-mlprogram-and-hlo",
    ),
    (
        "torch.",
        "operations of torch-mlir: convert them first, with torch-mlir-opt --torch-backend-to-stablehlo-backend-pipeline",
    ),
    (
        "onnx.",
        "operations of onnx-mlir: convert them first, with onnx-mlir-opt --convert-onnx-to-stablehlo",
    ),
    (
        "vhlo.",
        "operations of a portable artifact as text: give the artifact itself",
    ),
];

/// Says in words which kind of folder it is: none is a program.
pub(super) fn folder(path: &Path) -> String {
    if path.join("saved_model.pb").exists() {
        return format!("a SavedModel of TensorFlow: {FROM_TENSORFLOW}");
    }
    "a folder, not a program".into()
}

/// The format that begins with these bytes, of those that have such a beginning.
pub(super) fn format(bytes: &[u8]) -> Option<String> {
    let begins = |(first, ..): &&Format| {
        bytes.trim_ascii_start().starts_with(first) || bytes.starts_with(first)
    };
    let (_, what, how) = FORMATS.iter().find(begins)?;
    Some(format!("{what}: {how}"))
}

/// Says in words which format bytes have that are neither text nor bytecode of MLIR; `None` where
/// they may be.
pub(super) fn kind(bytes: &[u8]) -> Option<String> {
    if bytes.is_empty() {
        return Some("empty".into());
    }
    let known = format(bytes);
    if known.is_some() {
        return known;
    }
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    if bytes.starts_with(b"ML\xefR") || !bytes.iter().take(512).any(is_control) {
        return None;
    }
    Some(match bytes {
        [0x08, 2..=32, 0x12 | 0x1a | 0x22 | 0x3a, ..] => {
            "a model of ONNX: convert it to StableHLO first, with onnx-mlir-opt --convert-onnx-to-stablehlo".into()
        }
        [0x0a, ..] => "a protocol buffer, perhaps an HLO module: convert it by XLA's hlo-translate --hlo-to-mlir".into(),
        _ => "neither a text nor bytecode of MLIR".into(),
    })
}

/// Says what to do with operations of other compilers in a program that cannot be read.
pub(super) fn operations(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let named = |dialect: &str| {
        text.match_indices(dialect).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            matches!(before, Some('"' | ' ' | '\n' | '\t' | '!'))
        })
    };
    let (_, why) = DIALECTS.iter().find(|(dialect, _)| named(dialect))?;
    Some(format!("the program has {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_first_bytes() {
        let is = |bytes: &[u8], word: &str| {
            let found = kind(bytes);
            assert!(
                found.as_deref().is_some_and(|text| text.contains(word)),
                "{bytes:?}: {found:?}"
            );
        };
        is(b"", "empty");
        is(
            b"HloModule jit_f, entry_computation_layout={()->f32[]}\n",
            "hlo-translate",
        );
        is(b"\n  HloModule f", "HLO as text");
        is(
            b"{ lambda ; a:f32[3]. let b:f32[3] = sin a in (b,) }",
            "jaxpr",
        );
        is(b"\x7fELF\x02\x01\x01\0", "library");
        is(b"\xff\xfef\0u\0n\0c\0", "UTF-16");
        is(b"\xef\xbb\xbffunc.func @f() { return }", "byte-order mark");
        is(b"PK\x03\x04\x14\0", "zip");
        is(b"\x93NUMPY\x01\0", "--input");
        is(b"\x08\x01\x12\xc3\x05\n", "SavedModel");
        is(b"\x08\x08\x12\x07pytorch\x1a\x052.1.0", "ONNX");
        is(b"\n\x05jit_f\x12\x04main\x1a\x01\0", "protocol buffer");
        is(b"\x01\x02\x03", "neither");
        for text in [
            "module {}",
            "\n\tfunc.func @f() { return }",
            "// é\nmodule {}",
        ] {
            assert_eq!(kind(text.as_bytes()), None);
        }
        assert_eq!(kind(b"ML\xefR\r\x01"), None);
    }

    #[test]
    fn other_dialects_are_named() {
        let of = |text: &str| operations(text.as_bytes());
        assert!(of("%0 = \"tf.Relu\"(%a)").is_some_and(|text| text.contains("TensorFlow")));
        assert!(
            of("(%a: !torch.vtensor<[2],f32>)").is_some_and(|text| text.contains("torch-mlir"))
        );
        assert!(of("  torch.aten.add %a").is_some_and(|text| text.contains("torch-mlir")));
        assert_eq!(
            of("%0 = \"stablehlo.custom_call\"(%a) {name = \"a.tf.b\"}"),
            None
        );
    }
}
