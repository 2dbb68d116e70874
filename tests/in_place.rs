//! A function lowered in place, translated and compiled by LLVM's own tools, and called from C; and
//! modules that cannot be lowered.

use crate::support::{folder, library, llvm, root, run, runtime};
use mapwright::mlir::{context::context, diagnostic::Diagnostics, pass::run_pipeline};
use std::fs;

const FUNCTION: &str = r#"
func.func @largest(%x: tensor<?x3xf32>) -> tensor<?xf32> attributes {llvm.emit_c_interface} {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %rows:2 = "stablehlo.sort"(%x, %x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<?x3xf32>, tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
  %m = stablehlo.reduce(%rows#0 init: %low) applies stablehlo.maximum across dimensions = [1]
    : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}
"#;

const PIPELINE: &str = "builtin.module(indexing-lower-in-place,\
    one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map},\
    expand-strided-metadata,lower-affine,convert-vector-to-scf,convert-scf-to-cf,convert-vector-to-llvm,convert-to-llvm,\
    reconcile-unrealized-casts)";

#[test]
fn a_c_program_calls_a_function() {
    let folder = folder("in-place");
    let path = |name: &str| folder.join(name).display().to_string();
    let tool = |name: &str| llvm().join("bin").join(name);
    fs::write(path("f.mlir"), FUNCTION).unwrap();
    let lowered = run(
        tool("mlir-opt"),
        [
            format!("--load-dialect-plugin={}", library().display()),
            format!("--load-pass-plugin={}", library().display()),
            format!("--pass-pipeline={PIPELINE}"),
            path("f.mlir"),
        ],
    )
    .ok();
    fs::write(path("lowered.mlir"), lowered).unwrap();
    let steps: [(&str, &[&str]); 3] = [
        (
            "mlir-translate",
            &["--mlir-to-llvmir", "lowered.mlir", "-o", "f.ll"],
        ),
        ("opt", &["-O3", "f.ll", "-o", "f.bc"]),
        (
            "llc",
            &[
                "-filetype=obj",
                "-relocation-model=pic",
                "f.bc",
                "-o",
                "f.o",
            ],
        ),
    ];
    for (name, arguments) in steps {
        let arguments = arguments.iter().map(|argument| {
            if argument.starts_with('-') {
                (*argument).to_string()
            } else {
                path(argument)
            }
        });
        run(tool(name), arguments).ok();
    }
    let runtime = runtime();
    let place = runtime.parent().unwrap().display().to_string();
    run(
        tool("clang"),
        [
            root().join("tests/in_place/main.c").display().to_string(),
            path("f.o"),
            runtime.display().to_string(),
            "-lm".into(),
            format!("-Wl,-rpath,{place}"),
            "-o".into(),
            path("main"),
        ],
    )
    .ok();
    let none: [&str; 0] = [];
    assert_eq!(run(path("main"), none).ok(), "2: 3 -4\n");
    // It needs neither LLVM nor MLIR.
    let needed = run("ldd", [path("main")]).ok();
    assert!(
        !needed.contains("LLVM") && !needed.contains("MLIR"),
        "{needed}"
    );
}

/// Runs `pipeline` on each module of a lit test with errors: those that fail are as they were, and
/// there are `least` of them.
fn stay_as_they_were(file: &str, pipeline: &str, least: usize) {
    mapwright::register();
    let text = fs::read_to_string(root().join(file)).unwrap();
    let mut failed = 0;
    for source in text.split("// -----") {
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let mut module = diagnostics.parse(file, source.as_bytes()).unwrap();
        let before = module.as_operation().to_string();
        if run_pipeline(&mut module, pipeline).is_err() {
            failed += 1;
            assert_eq!(module.as_operation().to_string(), before);
        }
    }
    assert!(failed >= least, "{failed} of the modules fail");
}

#[test]
fn what_cannot_be_lowered_stays_as_it_is() {
    let pipeline = "builtin.module(indexing-lower-in-place)";
    stay_as_they_were("lit-tests/passes/lower-in-place-errors.mlir", pipeline, 6);
}

#[test]
fn what_has_no_form_in_linalg_stays_as_it_is() {
    let pipeline = "builtin.module(indexing-legalize-to-linalg{partial=false})";
    stay_as_they_were("lit-tests/passes/lower-in-place-errors.mlir", pipeline, 5);
}
