//! The shared folder: programs and expected results that lie beside the project, for the tests of
//! all crates.

use std::{env, io::Write, path::PathBuf};

/// `part` of the shared folder: of the one that `MAPWRIGHT_SHARED` names, or of a folder `shared`
/// beside the project or above.
///
/// `None`, and a line that says so past the capture of the test's output, with
/// `MAPWRIGHT_SHARED=none`. A test that finds no folder and was not told that there is none fails:
/// it would pass whatever the project does.
#[track_caller]
pub fn shared(part: &str) -> Option<PathBuf> {
    let said = env::var_os("MAPWRIGHT_SHARED");
    if said.as_ref().is_some_and(|said| said == "none") {
        // Whether anybody reads it is not the test's business.
        let _ = writeln!(
            std::io::stderr(),
            "skipped, as MAPWRIGHT_SHARED=none: {part} ({})",
            env!("CARGO_PKG_NAME")
        );
        return None;
    }
    let folder = said.map(PathBuf::from).or_else(|| {
        let crate_folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let beside = crate_folder.ancestors().map(|above| above.join("shared"));
        beside
            .into_iter()
            .find(|folder| folder.join("bench").is_dir())
    });
    let path = folder.map(|folder| folder.join(part));
    match path {
        Some(path) if path.exists() => Some(path),
        _ => panic!(
            "{part} of the shared folder is not there; MAPWRIGHT_SHARED says where the folder is, or `none`"
        ),
    }
}
