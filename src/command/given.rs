//! Which arguments of `mapwright run` are in files.

use crate::indexing::counted;
use anyhow::ensure;
use std::path::PathBuf;

/// The number of an argument or a device, and the name of a part of it; the empty one of a tensor.
pub(crate) type Key = (usize, String);

/// `K=FILE.npy`, and `K.PART=FILE.npy`.
pub(crate) fn numbered(text: &str) -> Result<(Key, PathBuf), String> {
    let (key, file) = text.split_once('=').ok_or("expected K=FILE.npy")?;
    let (number, part) = key.split_once('.').unwrap_or((key, ""));
    let number = number
        .parse()
        .map_err(|_| format!("`{number}` is not a number"))?;
    Ok(((number, part.into()), file.into()))
}

/// The arguments, of `count`, that no file is given for: their elements are pseudo-random. Says so
/// on standard error where others have files, and which files are of no argument.
///
/// # Errors
/// An argument that is given twice, a folder that cannot be read.
pub(crate) fn missing(
    input: &[(Key, PathBuf)],
    folder: Option<&PathBuf>,
    name: &str,
    count: usize,
) -> anyhow::Result<Vec<usize>> {
    let mut given: Vec<usize> = input.iter().map(|(key, _)| key.0).collect();
    for (at, (key, file)) in input.iter().enumerate() {
        let again = input[..at].iter().any(|(other, _)| other == key);
        ensure!(
            !again,
            "--input {}={}: it is given twice",
            key.0,
            file.display()
        );
    }
    if let Some(folder) = folder {
        for file in folder.read_dir()? {
            let file = file?.file_name();
            let number = (file.to_str())
                .and_then(|file| file.strip_prefix("arg")?.strip_suffix(".npy"))
                .and_then(|rest| rest.split('.').next()?.parse::<usize>().ok());
            if let Some(number) = number.filter(|number| *number >= count) {
                eprintln!(
                    "note: {} has a file for argument {number}, and @{name} has {}",
                    folder.display(),
                    counted(count, "argument")
                );
            }
            given.extend(number);
        }
    }
    let missing: Vec<usize> = (0..count).filter(|i| !given.contains(i)).collect();
    if !missing.is_empty() && (folder.is_some() || !given.is_empty()) {
        let numbers: Vec<String> = missing.iter().map(ToString::to_string).collect();
        eprintln!(
            "note: arguments of @{name} without a file are pseudo-random: {}",
            numbers.join(", ")
        );
    }
    Ok(missing)
}
