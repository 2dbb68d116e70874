//! Links the C API of the system's MLIR and, where the CMake project is there, our dialects.
//!
//! Debian ships `libMLIR.so` but no `libMLIR-C.so`, which mlir-sys asks for in shared mode. A linker script of that name, made
//! of the `libMLIRCAPI*.a` archives, puts the C API objects into our library; they resolve to the one `libMLIR.so`.

use std::{env, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    let prefix =
        PathBuf::from(env::var("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into()));
    let lib = prefix.join("lib");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut archives: Vec<String> = fs::read_dir(&lib)?
        .filter_map(|entry| entry.ok())
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| name.starts_with("libMLIRCAPI") && name.ends_with(".a"))
        })
        .map(|path| path.display().to_string())
        .collect();
    archives.sort();
    fs::write(
        out.join("libMLIR-C.a"),
        format!("GROUP ( {} )\n", archives.join(" ")),
    )?;
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-search=native={}", lib.display());
    Ok(())
}
