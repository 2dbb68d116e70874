//! `libmapwright.so` in the stock `mlir-opt`, and in hosts that it has to refuse.

use crate::support::{self, folder, library, llvm, root, run};
use std::{fs, path::Path};

const PIPELINE: &str =
    "--pass-pipeline=builtin.module(indexing-annotate{direction=output-to-input},cse)";

fn plugin(kind: &str) -> String {
    format!("--load-{kind}-plugin={}", library().display())
}

/// A function with one transpose, in generic form, so that any definition of the dialect can read
/// it.
const TRANSPOSE: &str = r#"
func.func @f(%arg0: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = "stablehlo.transpose"(%arg0) {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
"#;

/// The transpose in tiles of two rows.
const TILES: &str = r#"
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["stablehlo.transpose"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_forall %op tile_sizes [2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
"#;

const MAP: &str = "(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]";

fn source(test: &str, text: &str) -> std::path::PathBuf {
    let path = folder(test).join("f.mlir");
    fs::write(&path, text).unwrap();
    path
}

fn mlir_opt(arguments: &[&str]) -> support::Run {
    run(llvm().join("bin/mlir-opt"), arguments)
}

#[test]
fn stock_mlir_opt_runs_our_passes_on_our_dialect() {
    let file = source("plugin-both", TRANSPOSE);
    let text = mlir_opt(&[
        &plugin("dialect"),
        &plugin("pass"),
        PIPELINE,
        file.to_str().unwrap(),
    ])
    .ok();
    assert!(
        text.contains("stablehlo.transpose %arg0, dims = [1, 0]"),
        "{text}"
    );
    assert!(text.contains(MAP), "{text}");
}

#[test]
fn options_are_shown_by_dump_pass_pipeline() {
    let file = source("plugin-dump", TRANSPOSE);
    let run = mlir_opt(&[
        &plugin("dialect"),
        &plugin("pass"),
        PIPELINE,
        "--dump-pass-pipeline",
        file.to_str().unwrap(),
    ]);
    assert!(
        run.err
            .contains("indexing-annotate{direction=output-to-input"),
        "{run:?}"
    );
}

#[test]
fn options_are_in_reproducers() {
    let file = source("plugin-reproducer", TRANSPOSE);
    let again = file.with_file_name("again.mlir");
    let both = [plugin("dialect"), plugin("pass")];
    let generate = format!("--mlir-generate-reproducer={}", again.display());
    let first = mlir_opt(&[
        &both[0],
        &both[1],
        PIPELINE,
        &generate,
        file.to_str().unwrap(),
    ])
    .ok();
    let text = fs::read_to_string(&again).unwrap();
    assert!(
        text.contains("indexing-annotate{direction=output-to-input"),
        "{text}"
    );
    let second = mlir_opt(&[
        &both[0],
        &both[1],
        "--run-reproducer",
        again.to_str().unwrap(),
    ])
    .ok();
    assert_eq!(first, second);
}

#[test]
fn a_wrong_option_is_an_error() {
    let file = source("plugin-option", TRANSPOSE);
    for pipeline in [
        "--pass-pipeline=builtin.module(indexing-annotate{direction=sideways})",
        "--pass-pipeline=builtin.module(indexing-annotate{nonsense=1})",
    ] {
        let run = mlir_opt(&[
            &plugin("dialect"),
            &plugin("pass"),
            pipeline,
            file.to_str().unwrap(),
        ]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(
            run.err.contains("sideways") || run.err.contains("nonsense"),
            "{run:?}"
        );
    }
}

/// The host has its own dialect of that name, here one written in IRDL; we come as a pass plugin
/// alone.
#[test]
fn the_passes_work_on_the_stablehlo_dialect_of_the_host() {
    let file = source("plugin-own-dialect", TRANSPOSE);
    let irdl = root().join("tests/plugin/own-stablehlo.irdl.mlir");
    let text = mlir_opt(&[
        &plugin("pass"),
        &format!("--irdl-file={}", irdl.display()),
        PIPELINE,
        file.to_str().unwrap(),
    ])
    .ok();
    // The host's own definition has no pretty form.
    assert!(text.contains("\"stablehlo.transpose\"(%arg0)"), "{text}");
    assert!(text.contains(MAP), "{text}");
    // The analyses too, and what was attached comes off again.
    let analyzed = |more: &str| {
        mlir_opt(&[
            &plugin("pass"),
            &format!("--irdl-file={}", irdl.display()),
            &format!("--pass-pipeline=builtin.module(indexing-annotate,indexing-analyze{{what=views}}{more})"),
            file.to_str().unwrap(),
        ])
        .ok()
    };
    let text = analyzed("");
    assert!(text.contains("layout = \"strided<[1, 8]>\""), "{text}");
    let text = analyzed(",indexing-strip");
    assert!(!text.contains("indexing."), "{text}");
    // Upstream's transforms take tiles of it.
    let script = file.with_file_name("tiles.mlir");
    fs::write(&script, TILES).unwrap();
    let text = mlir_opt(&[
        &plugin("pass"),
        &format!("--irdl-file={}", irdl.display()),
        &format!(
            "--pass-pipeline=builtin.module(indexing-strip,transform-preload-library{{transform-library-paths={}}},transform-interpreter)",
            script.display()
        ),
        file.to_str().unwrap(),
    ])
    .ok();
    assert!(text.contains("scf.forall"), "{text}");
    assert!(
        text.contains("(tensor<4x2xf32>) -> tensor<2x4xf32>"),
        "{text}"
    );
    // And it is lowered in place.
    let text = mlir_opt(&[
        &plugin("pass"),
        &format!("--irdl-file={}", irdl.display()),
        "--pass-pipeline=builtin.module(indexing-lower-in-place,one-shot-bufferize{bufferize-function-boundaries=true})",
        file.to_str().unwrap(),
    ])
    .ok();
    assert!(text.contains("call @f_region_0("), "{text}");
    assert!(
        !text.contains("stablehlo.") && !text.contains("indexing."),
        "{text}"
    );
}

/// The same library as both kinds of plugin, twice: names that are known are left alone.
#[test]
fn loading_twice_is_harmless() {
    let file = source("plugin-twice", TRANSPOSE);
    let copy = file.with_file_name("libcopy.so");
    fs::copy(library(), &copy).unwrap();
    let copy = format!("--load-pass-plugin={}", copy.display());
    mlir_opt(&[
        &plugin("dialect"),
        &plugin("pass"),
        &copy,
        PIPELINE,
        file.to_str().unwrap(),
    ])
    .ok();
}

/// A host that is linked with an `libLLVM` of another version. It is not LLVM, only what a look
/// from outside can see of one.
#[test]
fn a_host_with_another_version_is_refused() {
    let folder = folder("plugin-version");
    let sources = root().join("tests/plugin");
    let clang = llvm().join("bin/clang");
    let library_of_host = folder.join("libLLVM.so.99.3");
    run(
        &clang,
        [
            "-shared".as_ref(),
            "-fPIC".as_ref(),
            "-Wl,-soname,libLLVM.so.99.3".as_ref(),
            "-o".as_ref(),
            library_of_host.as_os_str(),
            sources.join("other-llvm.c").as_os_str(),
        ],
    )
    .ok();
    let host = build_host(&folder, &[&library_of_host]);
    let run = run(host, [library()]);
    assert_eq!(run.out, "passes: api 0\ndialects: api 0\n", "{run:?}");
    assert!(
        run.err.contains("mapwright is built for LLVM/MLIR 22.")
            && run
                .err
                .contains("uses LLVM/MLIR 99.3.7; nothing is registered"),
        "{run:?}"
    );
}

/// The counterpart of the test above: the same host without that library gets the version it
/// supports.
#[test]
fn a_host_of_our_version_is_accepted() {
    let folder = folder("plugin-same-version");
    let run = run(build_host(&folder, &[]), [library()]);
    assert_eq!(run.out, "passes: api 1\ndialects: api 1\n", "{run:?}");
    assert_eq!(run.err, "");
}

fn build_host(folder: &Path, libraries: &[&Path]) -> std::path::PathBuf {
    let host = folder.join("host");
    let mut arguments = vec![
        root().join("tests/plugin/host.c").into_os_string(),
        "-o".into(),
        host.clone().into_os_string(),
        format!("-Wl,--no-as-needed,-rpath,{}", folder.display()).into(),
    ];
    arguments.extend(libraries.iter().map(|path| path.as_os_str().to_owned()));
    run(llvm().join("bin/clang"), arguments).ok();
    host
}

/// With a real host of another version, where one is installed.
#[test]
fn the_mlir_opt_of_another_release_refuses_us_and_goes_on() {
    let Some((version, program)) = [13, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24]
        .iter()
        .map(|version| (version, format!("/usr/lib/llvm-{version}/bin/mlir-opt")))
        .find(|(version, program)| **version >= 17 && Path::new(program).exists())
    else {
        println!("skipped: no other release of mlir-opt with plugins is installed");
        return;
    };
    let file = source("plugin-other-release", "func.func private @f()");
    let run = run(&program, [&plugin("pass"), file.to_str().unwrap()]);
    assert!(
        run.err.contains("mapwright is built for LLVM/MLIR 22.")
            && run.err.contains(&format!("uses LLVM/MLIR {version}.")),
        "{run:?}"
    );
}
