//! Writing: standard output at once, files completely or not at all.

use anyhow::Context as _;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};
use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, Once, PoisonError},
};

/// Writes to standard output.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.context("cannot write standard output")
}

/// One JSON document on standard output.
pub(crate) fn print_json(value: &serde_json::Value) -> anyhow::Result<()> {
    print(&format!("{value}\n"))
}

/// Tells whether the reader of our output went away, as `head` does.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Checks that these files are different ones: an output must not overwrite an input or another
/// output.
pub(crate) fn different(paths: &[&Path]) -> anyhow::Result<()> {
    // A file that is not there yet is told by the folder that it will be in.
    let place = |path: &Path| {
        fs::canonicalize(path).ok().or_else(|| {
            let folder = match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                _ => Path::new("."),
            };
            Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
        })
    };
    for (i, path) in paths.iter().enumerate() {
        for other in &paths[..i] {
            let same = place(path).is_some_and(|found| place(other) == Some(found));
            anyhow::ensure!(
                !same,
                "{} and {} are one file; it would be overwritten",
                other.display(),
                path.display()
            );
        }
    }
    Ok(())
}

/// Files that are not finished: removed when the program is interrupted.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what is not finished, before a process ends that has no time to finish it. From then on
/// no file is begun any more: a thread that wants to waits until the process has ended.
pub(crate) fn remove_unfinished() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let unfinished = unfinished();
        for path in unfinished.iter() {
            let _ = fs::remove_file(path);
        }
        std::mem::forget(unfinished);
    });
}

/// Makes an empty file that is listed as unfinished, unless the process is ending. Errors name the
/// file as `path`.
fn begin(temporary: &Path, path: &Path) -> anyhow::Result<fs::File> {
    let _unfinished = unfinished();
    fs::File::create(temporary).with_context(|| format!("cannot write {}", path.display()))
}

/// The name of the file that a process writes `path` through, beside it.
pub(crate) fn temporary_name(path: &Path, process: u32) -> anyhow::Result<PathBuf> {
    let name = path
        .file_name()
        .with_context(|| format!("{} is not the name of a file", path.display()))?;
    let mut temporary = name.to_owned();
    temporary.push(format!(".{process}.tmp"));
    Ok(path.with_file_name(temporary))
}

/// From now on an interruption removes what is not finished before it ends the program.
fn remove_when_interrupted() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Where the system refuses this, a file may be left; nothing else depends on it.
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else {
            return;
        };
        std::thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                remove_unfinished();
                let _ = emulate_default_handler(signal);
            }
        });
    });
}

/// Files that appear under their names together, when everything has been written. Whatever is left
/// on drop is removed.
#[derive(Default)]
pub(crate) struct Files {
    /// Temporary and final name; a file of use to the others alone has none.
    pending: Vec<(PathBuf, Option<PathBuf>)>,
}

impl Files {
    fn add(&mut self, temporary: &Path, path: Option<&Path>) {
        remove_when_interrupted();
        unfinished().insert(temporary.to_owned());
        self.pending
            .push((temporary.to_owned(), path.map(Path::to_owned)));
    }

    /// The file that `path` is written through, beside it.
    pub(crate) fn temporary(&mut self, path: &Path) -> anyhow::Result<PathBuf> {
        let temporary = temporary_name(path, std::process::id())?;
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            anyhow::ensure!(
                folder.is_dir(),
                "cannot write {}: there is no folder {}",
                path.display(),
                folder.display()
            );
        }
        self.add(&temporary, Some(path));
        Ok(temporary)
    }

    /// A file that is removed at the end, whatever happens.
    pub(crate) fn scratch(&mut self, path: &Path) -> PathBuf {
        self.add(path, None);
        path.to_owned()
    }

    /// Writes a file of [`Files::scratch`] anew.
    pub(crate) fn overwrite(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        begin(path, path)?
            .write_all(bytes)
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// An empty file that will have this name, and the one that it has until then.
    pub(crate) fn create(&mut self, path: &Path) -> anyhow::Result<(PathBuf, fs::File)> {
        let temporary = self.temporary(path)?;
        let file = begin(&temporary, path)?;
        Ok((temporary, file))
    }

    /// Writes a whole file.
    pub(crate) fn write(&mut self, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let (_, mut file) = self.create(path)?;
        file.write_all(bytes)
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Gives all files their names. Where one cannot have its name, those after it are removed.
    pub(crate) fn commit(mut self) -> anyhow::Result<()> {
        // An interruption waits for names that are being given.
        let mut unfinished = unfinished();
        let mut outcome = Ok(());
        for (temporary, path) in std::mem::take(&mut self.pending) {
            match path.filter(|_| outcome.is_ok()) {
                Some(path) => {
                    outcome = fs::rename(&temporary, &path)
                        .inspect_err(|_| drop(fs::remove_file(&temporary)))
                        .with_context(|| format!("cannot write {}", path.display()));
                }
                None => drop(fs::remove_file(&temporary)),
            }
            unfinished.remove(&temporary);
        }
        outcome
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        for (temporary, _) in &self.pending {
            // It may not have been made yet.
            let _ = fs::remove_file(temporary);
            unfinished().remove(temporary);
        }
    }
}

/// Lists the kernels with the emitter that made each, and why others did not.
pub fn kernels(regions: &[crate::native::Report]) -> Vec<serde_json::Value> {
    let declined = |report: &crate::native::Report| -> Vec<_> {
        let each = report.declined.iter();
        each.map(|(emitter, why)| serde_json::json!({"emitter": emitter, "reason": why}))
            .collect()
    };
    (regions.iter())
        .map(|report| {
            serde_json::json!({
                "name": report.kernel,
                "emitter": report.emitter,
                "schedule": report.schedule.to_string(),
                "declined": declined(report),
            })
        })
        .collect()
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
