//! A folder of compiled programs that processes share.
//!
//! A file a program. Files are written under another name and renamed, so that a reader sees a
//! whole file or none, whoever writes at the same time; a file that is damaged counts as missing,
//! and is removed. The oldest go when the folder has more bytes than it may: a file that is read is
//! young again.

use super::Key;
use crate::code::{self, Code};
use std::{
    env, fs,
    io::Write as _,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime},
};

/// A folder of compiled programs. What is in it is run: nobody else may write to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskCache {
    /// The folder, which is made when something is kept in it.
    pub folder: PathBuf,
    /// Bytes that its files may have together.
    pub most_bytes: u64,
    /// Least time of a compilation whose code is kept.
    pub worth_keeping: Duration,
}

/// Extension of the file names of compiled programs.
const EXTENSION: &str = "mwcode";

impl DiskCache {
    /// Default of [`DiskCache::most_bytes`].
    pub const MOST_BYTES: u64 = 1 << 30;

    /// Default of [`DiskCache::worth_keeping`]: reading and linking takes some milliseconds as
    /// well, and a session of small programs would fill the folder.
    pub const WORTH_KEEPING: Duration = Duration::from_millis(100);

    /// A cache in `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            most_bytes: Self::MOST_BYTES,
            worth_keeping: Self::WORTH_KEEPING,
        }
    }

    /// The cache that the environment names: `MAPWRIGHT_CACHE` is a folder, or `off`; without it,
    /// `mapwright` in the user's folder of caches (`XDG_CACHE_HOME`, or `.cache` at home).
    /// `MAPWRIGHT_CACHE_BYTES` is the most bytes of its files. `None`: it is off, or there is no
    /// home.
    pub fn from_environment() -> Option<Self> {
        let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let folder = match named("MAPWRIGHT_CACHE") {
            Some(value) if value == "off" => return None,
            Some(folder) => PathBuf::from(folder),
            None => named("XDG_CACHE_HOME")
                .map(PathBuf::from)
                .or_else(|| Some(PathBuf::from(named("HOME")?).join(".cache")))?
                .join("mapwright"),
        };
        let most = named("MAPWRIGHT_CACHE_BYTES").and_then(|text| text.to_str()?.parse().ok());
        Some(Self {
            most_bytes: most.unwrap_or(Self::MOST_BYTES),
            ..Self::new(folder)
        })
    }

    fn file(&self, key: Key) -> PathBuf {
        self.folder
            .join(key.to_hex().as_str())
            .with_extension(EXTENSION)
    }

    /// The code that was kept under `key`.
    pub(crate) fn read(&self, key: Key) -> Option<Code> {
        let path = self.file(key);
        let bytes = fs::read(&path).ok()?;
        let read = code::from_bytes(&bytes).and_then(|code| {
            code.check_machine()?;
            Ok(code)
        });
        let Ok(code) = read else {
            // Somebody else may have removed it, or put a good one there: it is compiled in any
            // case.
            let _ = fs::remove_file(&path);
            return None;
        };
        let used = fs::File::options().append(true).open(&path);
        let _ = used.and_then(|file| file.set_modified(SystemTime::now()));
        Some(code)
    }

    /// Keeps `code` under `key`. A folder that cannot be written to keeps nothing: the program is
    /// there all the same.
    pub(crate) fn write(&self, key: Key, code: &Code) {
        static WRITES: AtomicU64 = AtomicU64::new(0);
        let Ok(bytes) = code::to_bytes(code) else {
            return;
        };
        if bytes.len() as u64 > self.most_bytes {
            return;
        }
        let mut folder = fs::DirBuilder::new();
        if folder
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)
            .is_err()
        {
            return;
        }
        let number = WRITES.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}.{}.{number}.part", key.to_hex(), std::process::id());
        let part = self.folder.join(name);
        let written = || -> std::io::Result<()> {
            let mut file = fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&part)?;
            file.write_all(&bytes)?;
            fs::rename(&part, self.file(key))
        };
        if written().is_err() {
            let _ = fs::remove_file(&part);
        }
        self.trim();
    }

    /// Removes the files that were used least recently until the folder has at most its bytes.
    fn trim(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .flatten()
            .filter(|entry| {
                Path::new(&entry.file_name())
                    .extension()
                    .is_some_and(|e| e == EXTENSION)
            })
            .filter_map(|entry| {
                let metadata = entry.metadata().ok()?;
                Some((metadata.modified().ok()?, metadata.len(), entry.path()))
            })
            .collect();
        files.sort();
        let mut bytes: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, len, path) in files {
            if bytes <= self.most_bytes {
                break;
            }
            if fs::remove_file(path).is_ok() {
                bytes -= len;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DiskCache;
    use crate::{CompileOptions, Executable, ExecuteOptions, Reuse, Tensor};
    use mapwright_mlir::{Op, context::context, diagnostic::Diagnostics};
    use std::{fs, path::PathBuf, time::Duration};

    /// A folder that goes with the value.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("mapwright-cache-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            let _ = fs::remove_dir_all(&folder);
            Self(folder)
        }

        fn files(&self) -> Vec<PathBuf> {
            let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// `shift` tells programs apart.
    fn source(shift: usize) -> String {
        format!(
            "func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {{
               %value = stablehlo.constant dense<{shift}.0> : tensor<64xf32>
               %sum = stablehlo.add %a, %value : tensor<64xf32>
               return %sum : tensor<64xf32>
             }}"
        )
    }

    fn disk(folder: &Folder) -> DiskCache {
        DiskCache {
            worth_keeping: Duration::ZERO,
            ..DiskCache::new(&folder.0)
        }
    }

    fn values(source: &str, reuse: Reuse) -> (Vec<u8>, Vec<&'static str>) {
        let context = context();
        let module = Diagnostics::to_text(&context)
            .parse("test", source.as_bytes())
            .unwrap();
        let options = CompileOptions {
            reuse,
            ..CompileOptions::default()
        };
        let made = Executable::compile(Op::new(module.as_operation()), &options).unwrap();
        let data: Vec<u8> = (0..64u32).flat_map(|i| (i as f32).to_le_bytes()).collect();
        let ty = made.signature(None).unwrap().inputs[0].clone();
        let mut input = Tensor::zeros(&ty.element, &[64]).unwrap();
        input.bytes_mut().copy_from_slice(&data);
        let results = made.execute(&[&input], &ExecuteOptions::default()).unwrap();
        let stages = made.statistics().stages.iter().map(|(name, _)| *name);
        (results[0].bytes().to_vec(), stages.collect())
    }

    #[test]
    fn a_second_process_would_find_the_code_and_damaged_files_are_made_again() {
        let folder = Folder::new("again");
        let disk = || Reuse::Disk(disk(&folder));
        let text = source(1);
        let (expected, stages) = values(&text, Reuse::Never);
        assert!(stages.contains(&"optimise"));
        let (first, stages) = values(&text, disk());
        assert!(stages.contains(&"optimise") && stages.contains(&"keep"));
        // Locations and the names of values do not tell programs apart.
        let renamed = format!(
            "// {}\n{}",
            "another place",
            text.replace("%value", "%other")
        );
        let (second, stages) = values(&renamed, disk());
        assert!(!stages.contains(&"optimise"), "{stages:?}");
        assert_eq!((&first, &second), (&expected, &expected));
        let files = folder.files();
        assert_eq!(files.len(), 1, "{files:?}");
        let good = fs::read(&files[0]).unwrap();
        for damage in 0..40 {
            let mut bad = good.clone();
            match damage % 4 {
                0 => bad.truncate(damage * good.len() / 40),
                _ => {
                    let at = (damage * 7919) % bad.len();
                    bad[at] ^= 1 << (damage % 8);
                }
            }
            fs::write(&files[0], &bad).unwrap();
            assert!(crate::code::from_bytes(&bad).is_err(), "damage {damage}");
        }
        let (third, stages) = values(&text, disk());
        assert!(stages.contains(&"optimise"));
        assert_eq!(third, expected);
    }

    #[test]
    fn the_folder_keeps_what_was_used_last() {
        let folder = Folder::new("least");
        let mut disk = disk(&folder);
        values(&source(2), Reuse::Disk(disk.clone()));
        let bytes = fs::metadata(&folder.files()[0]).unwrap().len();
        disk.most_bytes = bytes * 5 / 2;
        for shift in [3, 2, 4] {
            values(&source(shift), Reuse::Disk(disk.clone()));
        }
        // Of three programs the one that was not used again is gone.
        assert_eq!(folder.files().len(), 2);
        let (_, stages) = values(&source(2), Reuse::Disk(disk.clone()));
        assert!(!stages.contains(&"optimise"), "{stages:?}");
        let (_, stages) = values(&source(3), Reuse::Disk(disk));
        assert!(stages.contains(&"optimise"), "{stages:?}");
    }

    #[test]
    fn equal_programs_of_a_process_share_their_code() {
        let context = context();
        let options = CompileOptions {
            reuse: Reuse::Process,
            ..CompileOptions::default()
        };
        let module = Diagnostics::to_text(&context)
            .parse("test", source(5).as_bytes())
            .unwrap();
        let op = Op::new(module.as_operation());
        let first = Executable::compile(op, &options).unwrap();
        let second = Executable::compile(op, &options).unwrap();
        let compiles = |made: &Executable| {
            let mut stages = made.statistics().stages.iter();
            stages.any(|(name, _)| *name == "optimise")
        };
        assert!(compiles(&first) && !compiles(&second));
        let other = CompileOptions {
            disabled: vec!["tiled".into()],
            ..options.clone()
        };
        assert!(compiles(&Executable::compile(op, &other).unwrap()));
        drop((first, second));
        assert!(compiles(&Executable::compile(op, &options).unwrap()));
    }
}
