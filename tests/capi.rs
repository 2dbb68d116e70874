//! The C API, from a C program that is linked with the shared library.

use crate::support::{folder, library, llvm, root, run};

#[test]
fn a_c_program_loads_looks_compiles_and_runs() {
    let folder = folder("capi");
    let program = folder.join("main");
    let library = library();
    let place = library.parent().unwrap();
    run(
        llvm().join("bin/clang"),
        [
            "-std=c11".to_owned(),
            "-Wall".into(),
            "-Wextra".into(),
            "-Werror".into(),
            root().join("tests/capi/main.c").display().to_string(),
            format!("-I{}", root().join("include").display()),
            library.display().to_string(),
            format!("-Wl,-rpath,{}", place.display()),
            // The library finds MLIR by its own rpath; the linker is not asked to.
            "-Wl,--allow-shlib-undefined".into(),
            "-pthread".into(),
            "-o".into(),
            program.display().to_string(),
        ],
    )
    .ok();
    let made = ["add.o", "add.h"].map(|name| folder.join(name).display().to_string());
    let run = run(&program, made);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.err, "");
}
