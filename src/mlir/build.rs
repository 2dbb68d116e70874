//! Links the C API of the system's MLIR and builds the C++ part of the project (dialects and shim)
//! with CMake.
//!
//! Debian ships `libMLIR.so` but no `libMLIR-C.so`, which mlir-sys asks for in shared mode. A
//! linker script of that name, made of the `libMLIRCAPI*.a` archives, puts the C API objects into
//! our library; they resolve to the one `libMLIR.so`.

use std::{
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

#[path = "build/headers.rs"]
mod headers;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    let prefix =
        PathBuf::from(env::var("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into()));
    let lib = prefix.join("lib");
    let out = PathBuf::from(env::var("OUT_DIR")?);

    link_c_api(&lib, &out)?;
    link_for_tests(&lib, &out)?;
    link_cpp(&prefix)?;

    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-search=native={}", lib.display());
    println!(
        "cargo:rustc-env=MAPWRIGHT_LLVM_VERSION={}",
        llvm_version(&prefix)?
    );
    Ok(())
}

fn link_c_api(lib: &Path, out: &Path) -> Result<()> {
    let archives: Vec<String> = archives(lib)?
        .into_iter()
        .filter(|path| file_name(path).starts_with("libMLIRCAPI"))
        .map(|path| path.display().to_string())
        .collect();
    if archives.is_empty() {
        return Err(format!(
            "no libMLIRCAPI*.a in {}: install libmlir-22-dev",
            lib.display()
        )
        .into());
    }
    fs::write(
        out.join("libMLIR-C.a"),
        format!("GROUP ( {} )\n", archives.join(" ")),
    )?;
    Ok(())
}

/// Cargo sets the library path of the tests it runs to those search directories that lie in the
/// target folder, so the two shared libraries get a link there. (Programs that are installed carry
/// an rpath instead.)
fn link_for_tests(lib: &Path, out: &Path) -> Result<()> {
    for entry in fs::read_dir(lib)? {
        let path = entry?.path();
        let name = file_name(&path);
        if name.starts_with("libMLIR.so.") || name.starts_with("libLLVM.so.") {
            let link = out.join(name);
            if !link.exists() {
                std::os::unix::fs::symlink(&path, link)?;
            }
        }
    }
    Ok(())
}

fn link_cpp(prefix: &Path) -> Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../..");
    for folder in ["cmake", "dialect"] {
        println!("cargo:rerun-if-changed={}", root.join(folder).display());
    }
    println!("cargo:rerun-if-env-changed=MAPWRIGHT_CPP_CACHE");
    let folder = match env::var("MAPWRIGHT_CPP_CACHE") {
        Ok(cache) => cached(prefix, &root, Path::new(&cache))?,
        Err(_) => build_cpp(prefix, &root)?,
    };
    println!("cargo:rustc-link-search=native={}", folder.display());
    for path in archives(&folder)? {
        let name = file_name(&path)
            .trim_start_matches("lib")
            .trim_end_matches(".a");
        println!("cargo:rustc-link-lib=static={name}");
    }
    println!("cargo:rustc-link-lib=dylib=MLIR");
    println!("cargo:rustc-link-lib=dylib=LLVM");
    println!("cargo:rustc-link-lib=dylib=stdc++");
    Ok(())
}

/// Builds the C++ part and returns the folder with its archives.
fn build_cpp(prefix: &Path, root: &Path) -> Result<PathBuf> {
    forget_if_exchanged(&PathBuf::from(env::var("OUT_DIR")?).join("build"))?;
    let mut config = cmake::Config::new(fs::canonicalize(root.join("cmake"))?);
    config
        .profile("Release")
        .define("MLIR_DIR", prefix.join("lib/cmake/mlir"))
        .define("LLVM_DIR", prefix.join("lib/cmake/llvm"))
        .define("CMAKE_C_COMPILER", prefix.join("bin/clang"))
        .define("CMAKE_CXX_COMPILER", prefix.join("bin/clang++"))
        .no_default_flags(true)
        .build_target("all");
    if fuzzing() {
        config
            .cxxflag("-fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp")
            // What the coverage calls is in the fuzzer, which nothing that CMake tries out is
            // linked with.
            .define("CMAKE_TRY_COMPILE_TARGET_TYPE", "STATIC_LIBRARY");
    }
    if runs("ninja") {
        config.generator("Ninja");
    }
    Ok(config.build().join("build/lib"))
}

/// Removes what was compiled with system headers that have been exchanged since.
fn forget_if_exchanged(build: &Path) -> Result<()> {
    let header = "CMakeFiles/MapwrightDialects.dir/cmake_pch.hxx.pch";
    let Ok(made) = fs::metadata(build.join(header)).and_then(|file| file.modified()) else {
        return Ok(());
    };
    let ninja = Command::new("ninja")
        .args(["-t", "deps", header])
        .current_dir(build)
        .output();
    let listed = ninja.map(|ninja| ninja.stdout).unwrap_or_default();
    if headers::exchanged(build, &String::from_utf8_lossy(&listed), made) {
        fs::remove_dir_all(build)?;
    }
    Ok(())
}

/// The archives of this very C++ source from the folder `MAPWRIGHT_CPP_CACHE`, which several
/// checkouts may share; built and put there first if they are not.
fn cached(prefix: &Path, root: &Path, cache: &Path) -> Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    llvm_version(prefix)?.hash(&mut hasher);
    if fuzzing() {
        "fuzzing".hash(&mut hasher);
    }
    for folder in ["cmake", "dialect"] {
        hash_tree(&root.join(folder), &mut hasher)?;
    }
    let folder = cache.join(format!("{:016x}", hasher.finish()));
    fs::create_dir_all(cache)?;
    // One checkout builds, the others wait for it.
    let lock = fs::File::create(folder.with_extension("lock"))?;
    lock.lock()?;
    if !folder.exists() {
        let unfinished = folder.with_extension("unfinished");
        fs::create_dir_all(&unfinished)?;
        for path in archives(&build_cpp(prefix, root)?)? {
            fs::copy(&path, unfinished.join(file_name(&path)))?;
        }
        fs::rename(unfinished, &folder)?;
    }
    Ok(folder)
}

/// `cargo fuzz` builds us: our parsers and printers in C++ report to the fuzzer where it has been,
/// too.
fn fuzzing() -> bool {
    env::var_os("CARGO_CFG_FUZZING").is_some()
}

/// Names and contents of all files below `path`, in order.
fn hash_tree(path: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    if path.is_file() {
        file_name(path).hash(hasher);
        fs::read(path)?.hash(hasher);
    } else if path.is_dir() {
        let mut entries: Vec<PathBuf> = fs::read_dir(path)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<std::io::Result<_>>()?;
        entries.sort();
        for entry in entries {
            hash_tree(&entry, hasher)?;
        }
    }
    Ok(())
}

/// The version that the C++ part is compiled against, such as `22.1.8`.
fn llvm_version(prefix: &Path) -> Result<String> {
    let output = Command::new(prefix.join("bin/llvm-config"))
        .arg("--version")
        .output()?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// The archives of a folder, sorted.
fn archives(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "a") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn file_name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}

fn runs(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
