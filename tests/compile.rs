//! Ahead of time: files that `mapwright compile` writes, and C programs that use them.

use crate::support::{self, Run, folder, run, schema::Schema};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Command};

const ADD: &str =
    "func.func public @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.transpose %y, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.add %x, %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
";

/// A machine that is not the one of most developers.
const AARCH64: &str = "aarch64-unknown-linux-gnu";

fn mapwright(arguments: &[&str]) -> Run {
    run(env!("CARGO_BIN_EXE_mapwright"), arguments)
}

fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Compiles a program to a file, with a header.
fn compile(program: impl AsRef<Path>, out: impl AsRef<Path>, header: impl AsRef<Path>) {
    let path = |path: &dyn AsRef<Path>| path.as_ref().display().to_string();
    let (program, out, header) = (path(&program), path(&out), path(&header));
    mapwright(&["compile", &program, "-o", &out, "--header", &header]).ok();
}

#[test]
fn compiled_files_of_every_kind() {
    let folder = folder("command-compile");
    let path = file(&folder, "f.mlir", ADD);
    let header = folder.join("f.h");
    for (ending, begins) in [("o", "\x7fELF"), ("ll", "; ModuleID"), ("s", "\t")] {
        let target = folder.join(format!("f.{ending}"));
        compile(&path, &target, &header);
        let bytes = fs::read(&target).unwrap();
        assert!(bytes.starts_with(begins.as_bytes()), "{ending}");
    }
    let text = fs::read_to_string(&header).unwrap();
    assert!(
        text.contains("main") && text.contains("tensor<2x3xf32>"),
        "{text}"
    );
}

/// A shared library and its header, from a C program: nothing but the library, the C library and
/// the header is needed.
#[test]
fn a_shared_library_is_called_from_c() {
    let folder = folder("command-shared");
    let path = file(&folder, "f.mlir", ADD);
    let library = folder.join("libadd.so");
    compile(&path, &library, folder.join("add.h"));
    let program = folder.join("main");
    let rpath = format!("-Wl,-rpath,{}", folder.display());
    link_with_c(
        &folder,
        "main.c",
        &program,
        &[library.to_str().unwrap(), &rpath],
    );
    assert_eq!(run(&program, [] as [&str; 0]).ok(), "11 22 33 44 55 66\n");
    let left: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.to_string_lossy().contains("tmp"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// `tests/compile/SOURCE`, which includes the header in `folder` and calls its function, becomes
/// `program`.
fn link_with_c(folder: &Path, source: &str, program: &Path, with: &[&str]) {
    let root = support::root();
    run(
        support::llvm().join("bin/clang"),
        [
            "-std=c99".to_owned(),
            // A header of a program and that of the runtime are read together.
            "-Wpedantic".into(),
            "-Wno-c11-extensions".into(),
            "-D_ISOC11_SOURCE".into(),
            "-Wall".into(),
            "-Werror".into(),
            root.join("tests/compile")
                .join(source)
                .display()
                .to_string(),
            format!("-I{}", folder.display()),
            format!("-I{}", root.join("include").display()),
        ]
        .into_iter()
        .chain(with.iter().map(|&argument| argument.to_owned()))
        .chain(["-o".into(), program.display().to_string()]),
    )
    .ok();
}

/// As [`link_with_c`], with an object and the static library of the runtime.
fn link_with_runtime(folder: &Path, source: &str, program: &Path, object: &Path) {
    let programs = Path::new(env!("CARGO_BIN_EXE_mapwright")).parent().unwrap();
    let runtime = ["deps", "."]
        .map(|place| programs.join(place).join("libmapwright_runtime.a"))
        .into_iter()
        .find(|place| place.exists())
        .unwrap();
    let with = [
        object.to_str().unwrap(),
        runtime.to_str().unwrap(),
        "-lm",
        "-lpthread",
        "-ldl",
    ];
    link_with_c(folder, source, program, &with);
}

/// An object in a C program, with the static runtime library: nothing of LLVM or MLIR is in it or
/// loaded by it.
#[test]
fn an_object_is_linked_without_llvm() {
    let folder = folder("command-object");
    let path = file(&folder, "f.mlir", ADD);
    let object = folder.join("add.o");
    compile(&path, &object, folder.join("add.h"));
    let program = folder.join("main");
    link_with_runtime(&folder, "main.c", &program, &object);
    assert_eq!(run(&program, [] as [&str; 0]).ok(), "11 22 33 44 55 66\n");
    let needed = run("readelf", ["-d", program.to_str().unwrap()]).ok();
    assert!(needed.contains("libc.so"), "{needed}");
    for name in ["LLVM", "MLIR", "mapwright", "stdc++"] {
        assert!(!needed.contains(name), "{name} in\n{needed}");
    }
}

/// A static library has all that a program needs beside the C library; the same program is the same
/// bytes.
#[test]
fn a_static_library_in_a_cpp_program() {
    let folder = folder("compile-static");
    let examples = support::root().join("examples");
    let program = examples.join("softmax/program.mlir").display().to_string();
    let library = folder.join("libsoftmax.a");
    let make = || {
        compile(&program, &library, folder.join("softmax.h"));
        fs::read(&library).unwrap()
    };
    assert!(make() == make());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    let made = folder.join("main");
    run(
        support::llvm().join("bin/clang++"),
        [
            "-std=c++17".to_owned(),
            "-Wall".into(),
            "-Werror".into(),
            examples.join("cpp/main.cpp").display().to_string(),
            format!("-I{}", folder.display()),
            format!("-I{}", support::root().join("include").display()),
            library.display().to_string(),
            "-lpthread".into(),
            "-lm".into(),
            "-ldl".into(),
            "-Wl,--gc-sections".into(),
            "-s".into(),
            "-o".into(),
            made.display().to_string(),
        ],
    )
    .ok();
    let none: [&str; 0] = [];
    assert_eq!(run(&made, none).ok(), "every row adds up to 1\n");
    assert!(fs::metadata(&made).unwrap().len() < 2_000_000);
}

/// One library for every batch size, from the program that JAX exports with a symbolic one.
#[test]
fn a_library_for_every_batch_size() {
    let folder = folder("compile-batches");
    let example = support::root().join("examples/batches");
    let library = folder.join("libbatches.so");
    let header = folder.join("batches.h");
    compile(example.join("program.mlir"), &library, &header);
    let text = fs::read_to_string(&header).unwrap();
    for line in [
        "arguments[0]: float *, tensor<?x16xf32> of sizes [batch, 16]",
        "arguments[1]: float *, tensor<16x10xf32>\n",
        "results[0]: int32_t *, tensor<?xi32> of sizes [batch]",
        "results[1]: float *, tensor<?x10xf32> of sizes [batch, 10]",
        "run-time size batch = argument_sizes[0]\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let program = folder.join("main");
    let source = example.join("main.c");
    let rpath = format!("-Wl,-rpath,{}", folder.display());
    let with = [library.to_str().unwrap(), &rpath, "-lm"];
    link_with_c(&folder, source.to_str().unwrap(), &program, &with);
    let said = run(&program, [] as [&str; 0]).ok();
    let lines: Vec<&str> = said.lines().collect();
    let same = [
        "batch 1: as in plain C",
        "batch 7: as in plain C",
        "batch 64: as in plain C",
    ];
    assert_eq!(lines[..3], same, "{said}");
    assert!(
        lines[3].contains("Expected value >= 1 for dimension variable 'batch'"),
        "{said}"
    );
}

/// What the header says of run-time sizes: equal ones by one name, what follows from them, and
/// nothing of what is not known before the call.
#[test]
fn a_header_says_which_sizes_are_known_at_run_time_only() {
    let folder = folder("compile-sizes");
    let program = "func.func public @main(%x: tensor<?x3xf32>, %y: tensor<?xf32>, %k: tensor<i32>, %z: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<?x?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = stablehlo.add %0, %y : tensor<?xf32>
  %2 = stablehlo.concatenate %1, %y, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %4 = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>
  %5 = stablehlo.dynamic_iota %4, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %6 = stablehlo.transpose %z, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1, %2, %5, %6 : tensor<?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<?x?xf32>
}";
    let path = file(&folder, "f.mlir", program);
    let (object, header) = (folder.join("f.o"), folder.join("f.h"));
    let (object, out) = (object.to_str().unwrap(), header.to_str().unwrap());
    compile(&path, object, out);
    let text = fs::read_to_string(&header).unwrap();
    for line in [
        "arguments[0]: float *, tensor<?x3xf32> of sizes [argument_sizes[0], 3]\n",
        "arguments[1]: float *, tensor<?xf32> of sizes [argument_sizes[0]]\n",
        "arguments[2]: int32_t *, tensor<i32>\n",
        "arguments[3]: float *, tensor<?x?xf32> of sizes [argument_sizes[3], argument_sizes[4]]\n",
        "results[0]: float *, tensor<?xf32> of sizes [argument_sizes[0]]\n",
        "results[1]: float *, tensor<?xf32> of sizes [2 * argument_sizes[0]]\n",
        "results[2]: int32_t *, tensor<?xi32> of sizes [?]\n",
        "results[3]: float *, tensor<?x?xf32> of sizes [argument_sizes[4], argument_sizes[3]]\n",
        "run-time size argument_sizes[0] = argument_sizes[2]\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

/// Libraries and objects have a table of their entries in them, whatever these are called.
#[test]
fn a_library_says_what_there_is_to_call() {
    let folder = folder("compile-table");
    let program = "func.func public @entries(%x: tensor<?x3xf32>, %k: tensor<i32>) -> (tensor<3x?xf32>, tensor<?xi32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x3xf32>) -> tensor<3x?xf32>
  %1 = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.dynamic_iota %1, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0, %2 : tensor<3x?xf32>, tensor<?xi32>
}
func.func public @a.b(%x: tensor<4xcomplex<f32>> {tf.aliasing_output = 0 : i32}) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.add %x, %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
";
    let path = file(&folder, "f.mlir", program);
    let expected = json!({"entries": [
        {
            "name": "entries", "symbol": "f_entries",
            "arguments": [
                {"shape": [null, 3], "type": "f32", "sizes": ["argument_sizes[0]", "3"]},
                {"shape": [], "type": "i32"},
            ],
            "results": [
                {"shape": [3, null], "type": "f32", "sizes": ["3", "argument_sizes[0]"]},
                {"shape": [null], "type": "i32", "sizes": [null]},
            ],
            "donated": [],
        },
        {
            "name": "a.b", "symbol": "f_a_b",
            "arguments": [{"shape": [4], "type": "complex<f32>"}],
            "results": [{"shape": [4], "type": "complex<f32>"}],
            "donated": [[0, 0]],
        },
    ]});
    let check = |text: &str| {
        let table: Value = serde_json::from_str(text).unwrap();
        Schema::of("entries").check(&table);
        assert_eq!(table, expected);
    };
    let (library, header) = (folder.join("f.so"), folder.join("f.h"));
    let [out, declared] = [&library, &header].map(|path| path.to_str().unwrap());
    compile(&path, out, declared);
    // By name, from a program that knows nothing of the library.
    let program = folder.join("main");
    link_with_c(&folder, "entries.c", &program, &["-ldl"]);
    check(&run(&program, [out, "f_entries_"]).ok());
    // By the header, from a program that an object is linked into.
    let object = folder.join("f.o");
    mapwright(&["compile", &path, "-o", object.to_str().unwrap()]).ok();
    let source = folder.join("linked.c");
    let text =
        "#include \"f.h\"\n#include <stdio.h>\nint main(void) { puts(f_entries_); return 0; }\n";
    fs::write(&source, text).unwrap();
    let program = folder.join("linked");
    link_with_runtime(&folder, source.to_str().unwrap(), &program, &object);
    check(&run(&program, [] as [&str; 0]).ok());
}

/// An object for another machine: its header says which one.
#[test]
fn an_object_for_another_machine() {
    let folder = folder("command-cross");
    let path = file(&folder, "f.mlir", ADD);
    let object = folder.join("f.o");
    let triple = AARCH64;
    mapwright(&[
        "compile",
        &path,
        "-o",
        object.to_str().unwrap(),
        "--target",
        triple,
    ])
    .ok();
    let bytes = fs::read(&object).unwrap();
    assert!(bytes.starts_with(b"\x7fELF"));
    // EM_AARCH64
    assert_eq!(u16::from_le_bytes([bytes[18], bytes[19]]), 183);
    let library = folder.join("f.so");
    let refused = mapwright(&[
        "compile",
        &path,
        "-o",
        library.to_str().unwrap(),
        "--target",
        triple,
    ]);
    assert_eq!(refused.code, Some(1));
    let unknown = mapwright(&[
        "compile",
        &path,
        "-o",
        object.to_str().unwrap(),
        "--target",
        "no-such-machine",
    ]);
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.err.contains("no-such-machine"), "{unknown:?}");
}

/// What has to be there to run programs of another machine, if something is missing.
fn missing_for_aarch64() -> Option<String> {
    for program in ["aarch64-linux-gnu-gcc", "qemu-aarch64"] {
        let there = Command::new(program).arg("--version").output();
        if !there.is_ok_and(|output| output.status.success()) {
            return Some(format!("{program} is not there"));
        }
    }
    let libraries = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", AARCH64])
        .output();
    let folder = libraries.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    match folder {
        Ok(folder) if Path::new(folder.trim()).exists() => None,
        _ => Some(format!("Rust's library for {AARCH64} is not there")),
    }
}

/// Objects for another machine run on it, with the runtime compiled for it: programs that check
/// what they compute, and one whose check fails.
#[test]
fn objects_for_another_machine_run_there() {
    if let Some(missing) = missing_for_aarch64() {
        // Debian's packages qemu-user, gcc-aarch64-linux-gnu and libc6-dev-arm64-cross;
        // `rustup target add`.
        eprintln!("skipped: {missing}");
        return;
    }
    let folder = folder("command-aarch64");
    let target = support::programs().join("../aarch64");
    run(
        env!("CARGO"),
        [
            "build",
            "--quiet",
            "--release",
            "--locked",
            "--lib",
            "--package=mapwright-runtime",
            &format!("--target={AARCH64}"),
            &format!("--target-dir={}", target.display()),
        ],
    )
    .ok();
    let runtime = target.join(AARCH64).join("release/libmapwright_runtime.a");
    let root = support::root();
    let execute = root.join("lit-tests/execute");
    let of = |name: &str| execute.join(name).display().to_string();
    let wrong = "func.func @main() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %0, dense<2> : tensor<i32>
  return
}
";
    let programs = [
        (of("convert.mlir"), true),
        (of("dot_general.mlir"), true),
        (of("exponential.mlir"), true),
        (of("fft.mlir"), true),
        (of("power.mlir"), true),
        (of("reduce.mlir"), true),
        (of("sort.mlir"), true),
        (of("triangular_solve.mlir"), true),
        (file(&folder, "wrong.mlir", wrong), false),
    ];
    for (path, right) in programs {
        let [object, header, program] =
            ["checks.o", "checks.h", "checks"].map(|name| folder.join(name).display().to_string());
        mapwright(&[
            "compile", &path, "-o", &object, "--header", &header, "--target", AARCH64,
        ])
        .ok();
        run(
            "aarch64-linux-gnu-gcc",
            [
                root.join("tests/compile/checks.c").to_str().unwrap(),
                &format!("-I{}", folder.display()),
                &format!("-I{}", root.join("include").display()),
                &object,
                runtime.to_str().unwrap(),
                "-lm",
                "-lpthread",
                "-ldl",
                "-o",
                &program,
            ],
        )
        .ok();
        let ran = run("qemu-aarch64", ["-L", "/usr/aarch64-linux-gnu", &program]);
        assert_eq!(ran.code, Some(i32::from(!right)), "{path}: {ran:?}");
        assert_eq!(ran.err.is_empty(), right, "{path}: {ran:?}");
    }
}

/// A donated argument keeps its values where the caller gives other memory for the result, and may
/// be the result's memory where it wants that; an argument that is not donated is never written to.
/// Without enough memory a call fails, leaves nothing behind, and the next one with enough runs.
#[test]
fn donated_and_limited_memory_from_c() {
    let folder = folder("compile-memory");
    let text = "func.func public @main(%a: tensor<1000x1024xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<1000x1024xf32>, %i: tensor<i32>)
    -> (tensor<1000x1024xf32>, tensor<f32>) {
  %o = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.slice %b [3:4, 0:1024] : (tensor<1000x1024xf32>) -> tensor<1x1024xf32>
  %0 = stablehlo.dynamic_update_slice %a, %s, %i, %o : (tensor<1000x1024xf32>, tensor<1x1024xf32>, tensor<i32>, tensor<i32>) -> tensor<1000x1024xf32>
  %n = stablehlo.negate %b : tensor<1000x1024xf32>
  %k = stablehlo.optimization_barrier %n : tensor<1000x1024xf32>
  %r = stablehlo.reverse %k, dims = [0] : tensor<1000x1024xf32>
  %p = stablehlo.multiply %k, %r : tensor<1000x1024xf32>
  %1 = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<1000x1024xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<1000x1024xf32>, tensor<f32>
}
";
    let path = file(&folder, "f.mlir", text);
    let (object, header) = (folder.join("memory.o"), folder.join("memory.h"));
    compile(&path, &object, &header);
    let header = fs::read_to_string(header).unwrap();
    let words = "arguments[0]: float *, tensor<1000x1024xf32>, may be the memory of results[0]";
    assert!(header.contains(words), "{header}");
    let program = folder.join("memory");
    link_with_runtime(&folder, "memory.c", &program, &object);
    let printed = run(&program, [] as [&str; 0]).ok();
    assert_eq!(printed, "apart\nin place\nrefused\nagain\n");
}

/// Two models are linked into one program: the names of their functions begin with those of their
/// files, or with what is asked for. Sizes that are not those of the types are refused before
/// anything is read.
#[test]
fn two_models_in_one_program() {
    let folder = folder("compile-two");
    let model = |name: &str| {
        format!(
            "func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = stablehlo.{name} %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}}
"
        )
    };
    let mut objects = Vec::new();
    for (name, op, more) in [
        ("first", "add", [].as_slice()),
        ("second", "multiply", ["--prefix", "chosen"].as_slice()),
    ] {
        let path = file(&folder, &format!("{name}.mlir"), &model(op));
        let object = folder.join(format!("{name}.o"));
        let header = folder.join(format!("{name}.h"));
        let mut arguments = vec!["compile", &path, "-o", object.to_str().unwrap(), "--header"];
        arguments.push(header.to_str().unwrap());
        arguments.extend(more);
        mapwright(&arguments).ok();
        objects.push(object);
    }
    // One relocatable object of the two, as a linker makes it: no symbol is there twice.
    let both = folder.join("both.o");
    run(
        "ld",
        ["-r", "-o", both.to_str().unwrap()]
            .into_iter()
            .chain(objects.iter().map(|object| object.to_str().unwrap())),
    )
    .ok();
    let program = folder.join("two");
    link_with_runtime(&folder, "two.c", &program, &both);
    assert_eq!(
        run(&program, [] as [&str; 0]).ok(),
        "2 8\n1 16\nargument 0 has the size 5 in dimension 0, expected 4\nargument_sizes is null\nargument 0 is null\nresult 0 is null\nargument 0 is null\nresult 0 is null\nresult_sizes is null\n"
    );
}

/// Functions may have any name: the header is C all the same, each has a name of its own, and what
/// the comment says ends no comment.
#[test]
fn a_header_is_c_whatever_functions_are_called() {
    let folder = folder("compile-names");
    let names = ["a.b", "a_b", "a-b", "a $b", "*/ int injected; /*", "\u{e9}"];
    let text: String = names
        .iter()
        .map(|name| {
            format!(
                "func.func public @{name:?}(%x: tensor<2xf32>) -> tensor<2xf32> {{ return %x : tensor<2xf32> }}\n"
            )
        })
        .collect();
    let path = file(&folder, "f.mlir", &text);
    let (object, header) = (folder.join("8-bit.o"), folder.join("names.h"));
    compile(&path, &object, &header);
    let source = file(
        &folder,
        "use.c",
        "#include \"names.h\"\n#ifdef __cplusplus\n#error C\n#endif\nint main(void) { return 0; }\n",
    );
    let clang = support::llvm().join("bin/clang");
    run(
        &clang,
        [
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            &source,
        ],
    )
    .ok();
    let text = fs::read_to_string(&header).unwrap();
    assert!(!text.contains("int injected; /*\n"), "{text}");
    let symbols = run("nm", ["--defined-only", object.to_str().unwrap()]).ok();
    let declared: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("int32_t ")?.split('(').next())
        .collect();
    assert_eq!(declared.len(), names.len(), "{text}");
    let distinct: std::collections::BTreeSet<&str> = declared.iter().copied().collect();
    assert_eq!(distinct.len(), names.len(), "{declared:?}");
    for name in declared {
        assert!(name.starts_with("_8_bit_"), "{name}");
        assert!(
            symbols
                .lines()
                .any(|line| line.ends_with(&format!(" T {name}"))),
            "{name} in\n{symbols}"
        );
    }
}

/// What is written is not what is read, and not two things at once.
#[test]
fn files_that_are_one_are_refused() {
    let folder = folder("compile-same");
    let path = file(&folder, "f.mlir", ADD);
    let object = folder.join("f.o").display().to_string();
    let other = folder.join(".").join("f.o").display().to_string();
    for arguments in [
        ["compile", &path, "-o", &object, "--header", &path],
        ["compile", &path, "-o", &object, "--header", &object],
        ["compile", &path, "-o", &object, "--header", &other],
    ] {
        let refused = mapwright(&arguments);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.err.contains("are one file"), "{refused:?}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), ADD);
    assert!(!folder.join("f.o").exists());
}
