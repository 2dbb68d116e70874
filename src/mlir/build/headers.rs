//! Were headers exchanged since something was compiled with them? Of the build script; the crate
//! compiles it for its test only.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::Path,
    time::{Duration, SystemTime},
};

/// Tells whether one of the files that `listed` names is gone or came after `made`. `listed` is
/// what Ninja says about the dependencies of a target (`ninja -t deps`): a line about the target,
/// then a file a line, indented by four blanks, relative to `build`.
///
/// A package brings files with dates of its own, older than what was compiled with those before, so
/// that neither Ninja nor clang (of a precompiled header) sees them. Nobody sets the time at which
/// a file came here.
pub(crate) fn exchanged(build: &Path, listed: &str, made: SystemTime) -> bool {
    let came = |path: &str| {
        let file = fs::metadata(build.join(path)).ok()?;
        let since = Duration::new(
            file.ctime().try_into().ok()?,
            file.ctime_nsec().try_into().ok()?,
        );
        Some(SystemTime::UNIX_EPOCH + since)
    };
    listed
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .any(|path| came(path).is_none_or(|came| came > made))
}

#[cfg(test)]
mod tests {
    use super::exchanged;
    use std::{
        fs::{self, File},
        path::Path,
        thread::sleep,
        time::{Duration, SystemTime},
    };

    /// Files are dated by a clock that ticks every few milliseconds.
    const TICKS: Duration = Duration::from_millis(50);

    /// Writes a file that says it is of 2001, as those of packages do.
    fn put(path: &Path, content: &str) {
        fs::write(path, content).unwrap();
        let file = File::options().write(true).open(path).unwrap();
        let date = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        file.set_modified(date).unwrap();
    }

    #[test]
    fn headers_of_another_package_are_seen_whatever_their_date() {
        let root = std::env::temp_dir().join(format!("headers-{}", std::process::id()));
        let build = root.join("build");
        fs::create_dir_all(&build).unwrap();
        let (one, other) = (root.join("one.h"), build.join("other.h"));
        put(&one, "old");
        put(&other, "old");
        let one_name = one.display();
        let listed =
            format!("a.pch: #deps 2, deps mtime 17 (VALID)\n    {one_name}\n    other.h\n\n");
        sleep(TICKS);
        let made = SystemTime::now();
        sleep(TICKS);
        assert!(!exchanged(&build, &listed, made));
        assert!(!exchanged(&build, "", made));
        // Not in the list.
        put(&root.join("unpacked.h"), "new");
        assert!(!exchanged(&build, &listed, made));
        // What packages do: the new file gets the name of the old one.
        fs::rename(root.join("unpacked.h"), &one).unwrap();
        assert!(exchanged(&build, &listed, made));
        // Compiled again, then the other one goes.
        sleep(TICKS);
        let made = SystemTime::now();
        assert!(!exchanged(&build, &listed, made));
        fs::remove_file(&other).unwrap();
        assert!(exchanged(&build, &listed, made));
        fs::remove_dir_all(&root).unwrap();
    }
}
