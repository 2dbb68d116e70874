//! Input that is made to break a reader: an error at a place (exit code 1), never a crash, and
//! within a gigabyte and some.

use crate::support::{self, root};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// `mapwright-opt` on a file with a limit on its memory: its stack is a gigabyte of addresses, its
/// libraries another.
fn opt(file: &Path, flags: &str) -> Output {
    Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v 4000000; exec \"$0\" \"$1\" {flags}"))
        .arg(env!("CARGO_BIN_EXE_mapwright-opt"))
        .arg(file)
        .output()
        .unwrap()
}

/// Runs every case; each has to be rejected with an error at a place in it.
fn rejected(folder: &str, cases: &[(&str, String)]) {
    let folder = support::folder(folder);
    for (name, text) in cases {
        let file = folder.join(name).with_extension("mlir");
        fs::write(&file, text).unwrap();
        let output = opt(&file, "-o /dev/null");
        let said = String::from_utf8_lossy(&output.stderr);
        let start: String = said.chars().take(500).collect();
        assert_eq!(output.status.code(), Some(1), "{name}: {start}");
        let place = format!("{}:", file.display());
        let located = said
            .lines()
            .any(|line| line.contains(&place) && line.contains(" error: "));
        assert!(located, "{name}: {start}");
    }
    fs::remove_dir_all(folder).unwrap();
}

/// `open` ten thousand times, `inside`, `close` as often.
fn nested(open: &str, inside: &str, close: &str) -> String {
    let depth = 10_000;
    format!("{}{inside}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn ten_thousand_levels_are_too_many() {
    let function = |ty: String| format!("func.func private @f({ty})");
    let attribute = |value: String| format!("module attributes {{test.a = {value}}} {{}}");
    let region = |open: &str, inside: &str, close: &str| {
        let body = nested(open, inside, close);
        format!("func.func @f(%p: tensor<i1>, %i: tensor<i32>) {{\n{body}return\n}}")
    };
    let unit = "() -> ()";
    rejected(
        "hostile-nesting",
        &[
            ("modules", nested("module {", "", "}")),
            (
                "generic",
                nested("\"builtin.module\"() ({", "", &format!("}}) : {unit}\n")),
            ),
            (
                "if",
                region(
                    "\"stablehlo.if\"(%p) ({\n",
                    "stablehlo.return\n",
                    "}, {\nstablehlo.return\n}) : (tensor<i1>) -> ()\nstablehlo.return\n",
                ),
            ),
            (
                "case",
                region(
                    "\"stablehlo.case\"(%i) ({\n",
                    "stablehlo.return\n",
                    "}) : (tensor<i32>) -> ()\nstablehlo.return\n",
                ),
            ),
            (
                "while",
                region(
                    "stablehlo.while() cond { stablehlo.return %p : tensor<i1> } do {\n",
                    "stablehlo.return\n",
                    "}\nstablehlo.return\n",
                ),
            ),
            ("arrays", attribute(nested("[", "", "]"))),
            ("unclosed", attribute("[".repeat(1_000_000))),
            ("dictionaries", attribute(nested("{a = ", "1", "}"))),
            (
                "elements",
                attribute(format!("dense<{}> : tensor<1xi8>", nested("[", "1", "]"))),
            ),
            (
                "maps",
                attribute(format!("affine_map<(d0) -> ({})>", nested("(", "d0", ")"))),
            ),
            (
                "text",
                attribute(format!("#stablehlo.conv<{}>", nested("[", "", "]"))),
            ),
            ("tuples", function(nested("tuple<", "f32", ">"))),
            ("functions", function(nested("() -> (", "f32", ")"))),
            (
                "futures",
                function(nested("!stablehlo.future<", "tensor<f32>", ">")),
            ),
            ("encodings", function(nested("tensor<1xf32, ", "1", ">"))),
            (
                "fused",
                format!("module {{}} loc({})", nested("fused[", "unknown", "]")),
            ),
            (
                "names",
                format!("module {{}} loc({})", nested("\"a\"(", "unknown", ")")),
            ),
            (
                "calls",
                format!(
                    "module {{}} loc({})",
                    nested("callsite(", "unknown", " at unknown)")
                ),
            ),
        ],
    );
}

#[test]
fn sizes_that_are_only_announced() {
    let constant = |value: &str, ty: &str| {
        format!("func.func @f() {{ %0 = stablehlo.constant dense<{value}> : {ty} return }}")
    };
    let huge = "tensor<9223372036854775807x9223372036854775807xi8>";
    rejected(
        "hostile-sizes",
        &[
            ("gigabyte", constant("\"0x010203\"", "tensor<268435456xf32>")),
            ("product", constant("\"0x01\"", huge)),
            ("splat", constant("1", huge)),
            ("list", constant("[1, 2, 3]", "tensor<9223372036854775807xi8>")),
            (
                "iota",
                format!("func.func @f() {{ %0 = stablehlo.iota dim = 0 : {huge} return }}"),
            ),
            ("beyond", constant("1", "tensor<9223372036854775808xi8>")),
            ("results", "func.func @f() { %0:4000000000 = \"stablehlo.create_token\"() : () -> () return }".into()),
            (
                "pad",
                "func.func @f(%a: tensor<2xi8>, %p: tensor<i8>) { %0 = stablehlo.pad %a, %p, low = [9223372036854775807], high = [9223372036854775807], interior = [9223372036854775807] : (tensor<2xi8>, tensor<i8>) -> tensor<?xi8> return }".into(),
            ),
            (
                "resource",
                "func.func @f() { %0 = stablehlo.constant dense_resource<a> : tensor<268435456xf32> return }\n{-# dialect_resources: { builtin: { a: \"0x04000000010203\" } } #-}".into(),
            ),
        ],
    );
}

/// Text that ends in the middle of something.
#[test]
fn truncated_text_is_an_error() {
    let folder = support::folder("hostile-truncated");
    let source = root().join("lit-tests/dialect/stablehlo/pretty.mlir");
    let text = fs::read_to_string(source).unwrap();
    let text = text.split("// -----").next().unwrap_or_default();
    for i in 1..60 {
        let end = text.len() * i / 60;
        let end = (0..=end)
            .rev()
            .find(|end| text.is_char_boundary(*end))
            .unwrap_or(0);
        let file = folder.join(format!("{i}.mlir"));
        fs::write(&file, &text[..end]).unwrap();
        let output = opt(&file, "-o /dev/null");
        let said = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {}
            Some(1) => assert!(said.contains("error:"), "{i}: {said}"),
            code => panic!("{i}: {code:?}: {said}"),
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Bytecode of nested modules and types, which upstream's tool writes: read as deep as text is, an
/// error where it is deeper.
#[test]
fn nested_bytecode() {
    let folder = support::folder("hostile-bytecode");
    let modules = |depth: usize| format!("{}{}", "module {".repeat(depth), "}".repeat(depth));
    let tuples = |depth: usize| {
        let (open, close) = ("tuple<".repeat(depth), ">".repeat(depth));
        format!("func.func private @f({open}f32{close})")
    };
    let cases = [
        ("modules", modules(4_000), &[0][..]),
        ("deep-modules", modules(10_000), &[1]),
        // Types are read without going down.
        ("tuples", tuples(10_000), &[0, 1]),
    ];
    for (name, text, codes) in cases {
        let source = folder.join(name).with_extension("mlir");
        fs::write(&source, text).unwrap();
        let bytecode = folder.join(name).with_extension("bc");
        let written = Command::new("sh")
            .arg("-c")
            .arg("ulimit -s unlimited; exec \"$0\" \"$1\" --emit-bytecode -o \"$2\"")
            .arg(support::llvm().join("bin/mlir-opt"))
            .args([&source, &bytecode])
            .output()
            .unwrap();
        assert!(written.status.success(), "{name}: {written:?}");
        let output = opt(&bytecode, "-o /dev/null");
        let said = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code().unwrap_or(-1);
        assert!(codes.contains(&code), "{name}: {said}");
        assert!(
            code == 0 || said.contains("error: nested"),
            "{name}: {said}"
        );
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Bytecode with bytes changed or its end cut off: read, or an error, but never a crash.
#[test]
fn damaged_bytecode_is_an_error() {
    let folder = support::folder("hostile-damaged");
    let mut originals = Vec::new();
    for name in [
        "chlo/pretty",
        "indexing/ops",
        "mhlo/legacy",
        "sdy/pretty",
        "stablehlo/pretty",
        "tarray/pretty",
    ] {
        let source = root().join("lit-tests/dialect").join(name);
        let text = fs::read_to_string(source.with_extension("mlir")).unwrap();
        let file = folder.join(name.replace('/', "-")).with_extension("mlir");
        fs::write(&file, text.split("// -----").next().unwrap_or_default()).unwrap();
        let bytecode = file.with_extension("bc");
        let output = opt(&file, &format!("--emit-bytecode -o {}", bytecode.display()));
        assert!(output.status.success(), "{output:?}");
        originals.push(fs::read(bytecode).unwrap());
    }
    // A generator of its own, so that every run tests the same.
    let mut state = 1u64;
    let mut below = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let damaged: Vec<PathBuf> = (0..250)
        .map(|i| {
            let mut bytes = originals[i % originals.len()].clone();
            if below(3) == 0 {
                bytes.truncate(below(bytes.len()));
            } else {
                for _ in 0..1 << below(5) {
                    let at = below(bytes.len());
                    bytes[at] = below(256) as u8;
                }
            }
            let file = folder.join(format!("{i}.bc"));
            fs::write(&file, bytes).unwrap();
            file
        })
        .collect();
    for file in damaged {
        let output = opt(&file, "-o /dev/null");
        match output.status.code() {
            Some(0) => {}
            Some(1) if String::from_utf8_lossy(&output.stderr).contains("error:") => {}
            _ => panic!("{}: {output:?}", file.display()),
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Attributes and references that upstream's parser crashes on, or asks for all memory for.
#[test]
fn what_the_parser_dies_of() {
    let attribute = |value: &str| format!("module attributes {{test.a = {value}}} {{}}");
    let function = |body: &str| format!("func.func @f(%a: tensor<f32>) {{\n{body}\nreturn\n}}");
    let uses = (0..200)
        .map(|i| format!("stablehlo.custom_call @g(%v{i}#900) : (tensor<f32>) -> ()\n"))
        .collect::<String>();
    rejected(
        "hostile-parser",
        &[
            ("index", attribute("array<index: 1>")),
            ("index-empty", attribute("array<index>")),
            (
                "index-blanks",
                attribute("array // <i8\n <\n // i32\n index : 1, 2>"),
            ),
            (
                "index-nested",
                attribute("[{b = \"array<\"}, array<index: 1>]"),
            ),
            (
                "index-operation",
                function(
                    "%0 = \"stablehlo.abs\"(%a) {a = array<index: 1, 1>} : (tensor<f32>) -> tensor<f32>",
                ),
            ),
            (
                "index-named",
                format!("!i = index\n{}", attribute("array<!i: 1>")),
            ),
            (
                "index-named-twice",
                format!("!i = index\n!j = !i\n{}", attribute("array<!j: 1>")),
            ),
            (
                "result",
                function("stablehlo.custom_call @g(%0#1000000007) : (tensor<f32>) -> ()"),
            ),
            (
                "result-wraps",
                function("stablehlo.custom_call @g(%0#4294967295) : (tensor<f32>) -> ()"),
            ),
            (
                "result-beyond",
                function("stablehlo.custom_call @g(%0#99999999999999999999) : (tensor<f32>) -> ()"),
            ),
            (
                "result-argument",
                function("stablehlo.custom_call @g(%a#70000000) : (tensor<f32>) -> ()"),
            ),
            ("results-together", function(&uses)),
        ],
    );
}

/// What only looks like it is read.
#[test]
fn what_only_looks_deadly() {
    let folder = support::folder("hostile-looks");
    let results = vec!["tensor<f32>"; 40].join(", ");
    let text = format!(
        "// array<index: 1>, %0#1000000007\n\
         !e = i32\n\
         module attributes {{test.a = \"array<index: 1> %0#1000000007\", test.b = array<!e: 1>, test.c = array<i64>, test.array = index}} {{\n\
         func.func private @array(index)\n\
         func.func @f() -> tensor<f32> {{\n\
         %0:40 = \"stablehlo.custom_call\"() {{call_target_name = \"g\"}} : () -> ({results})\n\
         return %0#39 : tensor<f32>\n}}\n}}\n"
    );
    let file = folder.join("text.mlir");
    fs::write(&file, text).unwrap();
    let output = opt(&file, "-o /dev/null");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    fs::remove_dir_all(folder).unwrap();
}
