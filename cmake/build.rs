//! Tells the linker where `libMLIR.so` and `libLLVM.so` are found at run time: they are not on the system's search path.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=cmake/build.rs");
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    // The Makefile says it: asking git here would compile the program again after every commit.
    println!("cargo:rerun-if-env-changed=MAPWRIGHT_COMMIT");
    let commit = env::var("MAPWRIGHT_COMMIT").unwrap_or_default();
    println!("cargo:rustc-env=MAPWRIGHT_COMMIT={commit}");
    let prefix = env::var("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
    println!("cargo:rustc-link-arg=-Wl,-rpath,{prefix}/lib");
    println!("cargo:rustc-link-arg-cdylib=-Wl,-soname,libmapwright.so");
}
