//! What the tests of the faces share: where things are, and running programs.
#![allow(dead_code, unused_imports)] // each test program uses a part of it

mod files;
pub mod mpi;
pub mod schema;
mod shared;

pub use files::programs_in;
pub use shared::shared;

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// Prefix of LLVM and MLIR.
pub fn llvm() -> PathBuf {
    env::var_os("MLIR_SYS_220_PREFIX").map_or("/usr/lib/llvm-22".into(), PathBuf::from)
}

/// The project's root.
pub fn root() -> PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

/// The folder that the programs were built into.
pub fn programs() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_mapwright-opt"))
        .parent()
        .map_or(".".into(), Path::to_path_buf)
}

/// `libmapwright.so` as this run of cargo built it: in `deps`; the one beside the programs may be
/// older.
pub fn library() -> PathBuf {
    programs().join("deps/libmapwright.so")
}

/// `libmapwright_runtime.so` as this run of cargo built it.
pub fn runtime() -> PathBuf {
    programs().join("deps/libmapwright_runtime.so")
}

/// A new, empty folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// What a program printed, and its exit code.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    /// Its standard output, if it succeeded.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}\n{}", self.out, self.err);
        self.out
    }
}

/// Runs a program without standard input.
pub fn run<S: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = S>,
) -> Run {
    let program = program.as_ref();
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        // Cargo's own library path would hide a missing rpath.
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .unwrap_or_else(|error| panic!("cannot run {}: {error}", program.display()));
    finish(&output)
}

/// Runs a program with `input` on standard input.
pub fn run_with_input<S: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = S>,
    input: &str,
) -> Run {
    use std::io::Write;
    let program = program.as_ref();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .env_remove("LD_LIBRARY_PATH")
        .spawn()
        .unwrap_or_else(|error| panic!("cannot run {}: {error}", program.display()));
    let mut pipe = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A program may stop reading early; that is its answer, not a failure of the test.
        scope.spawn(move || drop(pipe.write_all(input.as_bytes())));
        finish(&child.wait_with_output().unwrap())
    })
}

fn finish(output: &Output) -> Run {
    Run {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// An .npy file of 32-bit floats, as NumPy's format description says.
pub fn npy(shape: &str, values: &[f32]) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

/// The last `count` elements of an .npy file of 32-bit floats.
pub fn last_floats(path: PathBuf, count: usize) -> Vec<f32> {
    let bytes = fs::read(path).unwrap();
    bytes[bytes.len() - 4 * count..]
        .chunks_exact(4)
        .map(|chunk| f32::from_le_bytes(chunk.try_into().unwrap()))
        .collect()
}
