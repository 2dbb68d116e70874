//! Programs of the execution suite and of the shared conformance data through
//! `indexing-legalize-to-linalg`, what it leaves (or everything) through `indexing-lower-in-place`,
//! upstream's passes, and upstream's execution engine: results are those of the interpreter.
//!
//! The shared data is found in the folder that `MAPWRIGHT_SHARED` names, or beside the project;
//! with `MAPWRIGHT_SHARED=none` the tests of it say that they skip.
//!
//! A program of its own: others verify operations as the commands do (`mapwright_ops::hooks`),
//! where programs of dialects that upstream's passes do not know are no text that is passed over.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic is how a test fails.

mod engine;
#[path = "../../../../tests/support/files.rs"]
mod files;
mod program;
#[path = "../../../../tests/support/shared.rs"]
mod shared;

use mapwright_codegen::linalg::Mode;
use program::{Counts, check};
use std::{
    path::{Path, PathBuf},
    sync::Mutex,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The shared programs in a folder; none where there is to be none.
fn shared_files(name: &str) -> Vec<PathBuf> {
    let folder = shared::shared(&format!("conformance/{name}"));
    folder.map_or_else(Vec::new, |folder| files(&folder))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = files::programs_in(folder);
    // A part of them while something is being looked for.
    if let Ok(only) = std::env::var("LINALG_ONLY") {
        files.retain(|path| path.display().to_string().contains(&only));
    }
    files
}

/// The programs in a folder that go through linalg, or in place: every second one each, as both
/// have the same kernels. All of them where `EVERY_PROGRAM` is in the environment.
fn one_way(mut files: Vec<PathBuf>, way: usize) -> Vec<PathBuf> {
    if std::env::var_os("EVERY_PROGRAM").is_none() {
        files = files.into_iter().skip(way).step_by(2).collect();
    }
    files
}

/// Functions of a suite that must be compared, at least; of those with regions of several
/// operations.
const LEAST: usize = 1000;
const LEAST_SHARED: usize = 500;
const LEAST_WITH_REGIONS: usize = 100;

/// Regions as one operation with `fuse`.
fn as_linalg(fuse: bool) -> Mode {
    Mode {
        partial: true,
        fuse,
    }
}

/// Runs all programs in `files` on two threads, to linalg first if there is a mode; at least `least`
/// functions must be compared.
fn check_all(what: &str, files: &[PathBuf], mode: Option<Mode>, least: usize) {
    let mode = mode.as_ref();
    let queue = Mutex::new(files.iter());
    let outcomes: Mutex<(Counts, Vec<String>)> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(path) = queue.lock().unwrap().next() else {
                        return;
                    };
                    let text = std::fs::read_to_string(path).unwrap();
                    for source in text.split("// -----") {
                        let name = path.file_name().unwrap().to_string_lossy().into_owned();
                        let (counts, failures) = check(&name, source, mode);
                        let mut all = outcomes.lock().unwrap();
                        all.0.add(&counts);
                        all.1.extend(failures);
                    }
                }
            });
        }
    });
    let (counts, failures) = outcomes.into_inner().unwrap();
    eprintln!("{what}: {counts}");
    assert!(
        failures.is_empty(),
        "{} fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
    if std::env::var_os("LINALG_ONLY").is_none() {
        assert!(counts.compared >= least, "{} are compared", counts.compared);
    }
}

#[test]
fn the_execution_suite() {
    let files = one_way(files(&root().join("lit-tests/execute")), 0);
    check_all("execute", &files, Some(as_linalg(false)), LEAST);
}

#[test]
fn the_execution_suite_in_regions() {
    let files = files(&root().join("lit-tests/execute"));
    check_all(
        "execute, fused",
        &files,
        Some(as_linalg(true)),
        LEAST_WITH_REGIONS,
    );
}

#[test]
fn the_execution_suite_in_place() {
    let files = one_way(files(&root().join("lit-tests/execute")), 1);
    check_all("execute, in place", &files, None, LEAST);
}

#[test]
fn shared_programs_in_place() {
    let files = [shared_files("programs"), shared_files("units")].concat();
    let files = one_way(files, 1);
    if !files.is_empty() {
        check_all("shared, in place", &files, None, LEAST_SHARED);
    }
}

#[test]
fn shared_programs() {
    let files = [shared_files("programs"), shared_files("units")].concat();
    let files = one_way(files, 0);
    if !files.is_empty() {
        check_all("shared", &files, Some(as_linalg(false)), LEAST_SHARED);
    }
}

#[test]
fn shared_programs_in_regions() {
    let files = [shared_files("programs"), shared_files("units")].concat();
    if !files.is_empty() {
        check_all(
            "shared, fused",
            &files,
            Some(as_linalg(true)),
            LEAST_WITH_REGIONS,
        );
    }
}
