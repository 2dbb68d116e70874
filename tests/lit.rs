//! The lit suite, each of its files a case of `cargo test`. One run of the real `lit` serves all
//! cases that were asked for: those whose names contain the filter, and, with an operation in
//! `MAPWRIGHT_LIT_NAMES`, those that name it.

use libtest_mimic::{Arguments, Failed, Trial};
use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, OnceLock},
};

/// File name relative to the suite -> lit's code (`PASS`, `FAIL`, …) and what the test printed.
type Results = BTreeMap<String, (String, String)>;

fn main() {
    let arguments = Arguments::from_args();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let suite = root.join("lit-tests");
    let mut files = Vec::new();
    collect(&suite, &suite, &mut files);
    files.sort();

    // lit gets the files that the filter selects; the harness asks only for those.
    if let Ok(operation) = env::var("MAPWRIGHT_LIT_NAMES") {
        let named = format!(".{operation}");
        files.retain(|file| names(&suite.join(file), &named));
    }
    let selected: Vec<String> = files
        .iter()
        .filter(|file| is_selected(&arguments, file))
        .cloned()
        .collect();
    let results: Arc<OnceLock<Result<Results, String>>> = Arc::default();
    let trials = files
        .into_iter()
        .map(|file| {
            let (results, suite, selected) = (results.clone(), suite.clone(), selected.clone());
            Trial::test(file.clone(), move || {
                let results = results.get_or_init(|| run(&suite, &selected));
                verdict(&file, results.as_ref()?)
            })
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

/// Is `operation`, with the dot before it, a whole word of the file?
fn names(file: &Path, operation: &str) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.match_indices(operation).any(|(at, _)| {
        let next = text[at + operation.len()..].chars().next();
        next.is_none_or(|c| !c.is_alphanumeric() && c != '_')
    })
}

fn verdict(file: &str, results: &Results) -> Result<(), Failed> {
    match results.get(file) {
        Some((code, _)) if code == "PASS" || code == "FLAKYPASS" => Ok(()),
        Some((code, output)) => Err(format!("{code}: {file}\n{output}").into()),
        None => Err(format!("lit did not run {file}").into()),
    }
}

fn is_selected(arguments: &Arguments, file: &str) -> bool {
    let matches = |pattern: &String| {
        if arguments.exact {
            file == pattern
        } else {
            file.contains(pattern.as_str())
        }
    };
    arguments.filter.as_ref().is_none_or(matches) && !arguments.skip.iter().any(matches)
}

fn collect(suite: &Path, folder: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() {
            if name != "Inputs" && name != "Output" {
                collect(suite, &path, files);
            }
        } else if path
            .extension()
            .is_some_and(|suffix| suffix == "mlir" || suffix == "test")
            && let Ok(relative) = path.strip_prefix(suite)
        {
            files.push(relative.display().to_string());
        }
    }
}

fn run(suite: &Path, files: &[String]) -> Result<Results, String> {
    let programs = Path::new(env!("CARGO_BIN_EXE_mapwright-opt"))
        .parent()
        .ok_or("programs have no folder")?;
    let prefix = env::var("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
    let report =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lit-{}.json", std::process::id()));
    let output = Command::new(Path::new(&prefix).join("bin/lit"))
        .args(["--quiet", "--output"])
        .arg(&report)
        .args(files.iter().map(|file| suite.join(file)))
        .env("MAPWRIGHT_BIN_DIR", programs)
        .output()
        .map_err(|error| format!("cannot run lit (package llvm-22-tools): {error}"))?;
    let text = fs::read_to_string(&report).map_err(|error| {
        format!(
            "lit left no report: {error}\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
    })?;
    // The report can be read or not; that it is left behind then is of no use to anybody.
    let _ = fs::remove_file(&report);
    let report: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("lit's report: {error}"))?;
    let mut results = Results::new();
    for test in report["tests"].as_array().into_iter().flatten() {
        let text = |key: &str| test[key].as_str().unwrap_or_default().to_owned();
        let name = text("name");
        let file = name.rsplit(" :: ").next().unwrap_or_default().to_owned();
        results.insert(file, (text("code"), text("output")));
    }
    Ok(results)
}
