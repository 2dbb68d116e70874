//! Files of programs, for the tests of all crates.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The `.mlir` files in a folder and in those below it, in the order of their names.
pub fn programs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(programs_in(&path));
        } else if path.extension().is_some_and(|ending| ending == "mlir") {
            found.push(path);
        }
    }
    found.sort();
    found
}
