//! Writing: standard output at once, files completely or not at all.

use anyhow::Context as _;
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Writes to standard output.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// One JSON document on standard output.
pub(crate) fn print_json(value: &serde_json::Value) -> anyhow::Result<()> {
    print(&format!("{value}\n"))
}

/// Did the reader of our output go away, as `head` does?
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Files that appear under their names together, when everything has been written. Whatever is left on drop is removed.
#[derive(Default)]
pub(crate) struct Files {
    /// Temporary and final name.
    pending: Vec<(PathBuf, PathBuf)>,
}

impl Files {
    /// The file that `path` is written through, beside it.
    pub(crate) fn temporary(&mut self, path: &Path) -> anyhow::Result<PathBuf> {
        let name = path
            .file_name()
            .with_context(|| format!("{} is not the name of a file", path.display()))?;
        let mut temporary = name.to_owned();
        temporary.push(format!(".{}.tmp", std::process::id()));
        let temporary = path.with_file_name(temporary);
        self.pending.push((temporary.clone(), path.to_owned()));
        Ok(temporary)
    }

    /// An empty file that will have this name.
    pub(crate) fn create(&mut self, path: &Path) -> anyhow::Result<fs::File> {
        let temporary = self.temporary(path)?;
        fs::File::create(temporary).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Writes a whole file.
    pub(crate) fn write(&mut self, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let mut file = self.create(path)?;
        file.write_all(bytes)
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Gives all files their names.
    pub(crate) fn commit(mut self) -> anyhow::Result<()> {
        for (temporary, path) in std::mem::take(&mut self.pending) {
            fs::rename(&temporary, &path)
                .inspect_err(|_| drop(fs::remove_file(&temporary)))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        for (temporary, _) in &self.pending {
            // It may not have been made yet.
            let _ = fs::remove_file(temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("mapwright-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn nothing_is_left_behind_without_commit() {
        let folder = folder("drop");
        let mut files = Files::default();
        files.write(&folder.join("a"), b"1").unwrap();
        drop(files);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn commit_gives_every_file_its_name() {
        let folder = folder("commit");
        let mut files = Files::default();
        files.write(&folder.join("a"), b"1").unwrap();
        files.write(&folder.join("b"), b"2").unwrap();
        assert!(!folder.join("a").exists());
        files.commit().unwrap();
        assert_eq!(fs::read(folder.join("a")).unwrap(), b"1");
        assert_eq!(fs::read(folder.join("b")).unwrap(), b"2");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(folder).unwrap();
    }
}
