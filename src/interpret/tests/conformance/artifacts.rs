//! Programs are what they are written as: text, portable artifact, and text again, for three
//! versions.

use super::{files::programs_in, shared};
use mapwright_mlir::{Op, artifact, context::context, diagnostic::Diagnostics};
use std::path::{Path, PathBuf};

/// Attributes that say what is meant without them, which artifacts do not keep apart: name, and
/// text that every one of them has.
const SILENT: [(&str, &[&str]); 14] = [
    ("indices_are_sorted", &["false"]),
    ("unique_indices", &["false"]),
    ("is_stable", &["false"]),
    ("lower", &["false"]),
    ("has_side_effect", &["false"]),
    ("api_version", &["1 : i32"]),
    ("compare_type", &["#stablehlo<comparison_type NOTYPE>"]),
    ("window_strides", &["array<i64: 1", "array<i64>"]),
    ("lhs_dilation", &["array<i64: 1", "array<i64>"]),
    ("rhs_dilation", &["array<i64: 1", "array<i64>"]),
    ("base_dilations", &["array<i64: 1"]),
    ("window_dilations", &["array<i64: 1"]),
    ("window_reversal", &["array<i1: false", "array<i1>"]),
    ("padding", &["dense<0>", "dense<>"]),
];

/// Why an artifact of a version cannot have a program; anything else is a defect.
fn is_reason(said: &str, version: &str) -> bool {
    // Neither has a form in artifacts of any version.
    let never = [
        "is no operation of StableHLO",
        "artifacts do not have",
        "artifacts have one block in a region",
        "no dimension '",
        "no attribute 'window_dimensions'",
    ];
    never.iter().any(|reason| said.contains(reason))
        || said.contains(&format!("an artifact of version {version} cannot have"))
}

/// Takes from `written` what `read` has no longer, where it says nothing; both are of one structure
/// otherwise.
fn take_silent(written: Op<'_>, read: Op<'_>) {
    for (written, read) in written.descendants().into_iter().zip(read.descendants()) {
        for (name, value) in written.attributes() {
            if read.attribute(name).is_some() {
                continue;
            }
            let text = value.to_string();
            let silent = |(own, texts): &(&str, &[&str])| {
                *own == name && texts.iter().any(|start| text.starts_with(start))
            };
            // Channel 0 is none.
            let silent = SILENT.iter().any(silent)
                || name == "channel_handle" && text.contains("handle = 0,");
            if silent {
                written.remove_attribute(name);
            }
        }
    }
}

/// How many programs came back, and how many have no artifact of the version.
fn round_trip(files: &[PathBuf], version: &str) -> (usize, usize) {
    let context = context();
    let (mut same, mut refused) = (0, 0);
    for file in files {
        let source = std::fs::read_to_string(file).unwrap();
        for part in source.split("\n// -----") {
            let diagnostics = Diagnostics::to_text(&context);
            let name = file.display().to_string();
            let Ok(module) = diagnostics.parse(&name, part.as_bytes()) else {
                continue;
            };
            let program = Op::new(module.as_operation());
            let Ok(bytes) = artifact::write(program, version.parse().unwrap()) else {
                let said = diagnostics.take();
                assert!(is_reason(&said, version), "{said}");
                refused += 1;
                continue;
            };
            let read = diagnostics.parse(&name, &bytes);
            let read = read.unwrap_or_else(|_| panic!("{name}: {}", diagnostics.take()));
            let read = Op::new(read.as_operation());
            take_silent(program, read);
            // What kind of channel it is stands beside sends and receives alone.
            let text = |op: Op<'_>| op.to_string().replace("type = 1>", "type = 0>");
            assert_eq!(text(read), text(program), "{name}, {version}");
            same += 1;
        }
    }
    (same, refused)
}

/// Programs have to come back more often than not, from the newest version and from those that the
/// shared programs are of; a file of the execution suite is one program, of which some function is
/// younger than an older version.
#[test]
fn programs_come_back_from_artifacts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = programs_in(&root.join("lit-tests/execute"));
    let own = files.len();
    for folder in ["programs", "units", "valid", "quantized", "dynamic"] {
        let folder = shared::shared(&format!("conformance/{folder}"));
        files.extend(folder.iter().flat_map(|folder| programs_in(folder)));
    }
    for version in ["1.0.0", "1.9.0", "1.20.0"] {
        let (same, refused) = round_trip(&files, version);
        let is_enough = if version == "1.20.0" || files.len() > own {
            same > 2 * refused
        } else {
            same > 0
        };
        assert!(is_enough, "{version}: {same} came back, {refused} did not");
    }
}
