//! Tells the linker where `libMLIR.so` and `libLLVM.so` are found at run time, and that of what is
//! exported nothing comes from other crates: a process may hold other copies of them.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    let prefix = env::var("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
    println!("cargo:rustc-link-arg=-Wl,-rpath,$ORIGIN:{prefix}/lib");
    println!("cargo:rustc-link-arg-cdylib=-Wl,-soname,libmapwright_pjrt.so");
    println!("cargo:rustc-link-arg-cdylib=-Wl,--exclude-libs,ALL");
}
