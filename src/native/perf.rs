//! Names of regions for `perf`: the environment variable `MAPWRIGHT_PERF_MAP` asks for
//! `/tmp/perf-PID.map`, where `perf report` looks for functions that were made at run time.

use std::io::Write as _;

/// A function of an object: its name and size in bytes.
type Function = (String, u64);

/// Appends the functions of `objects` to the map of this process, if it is asked for. `address`
/// knows where they are. A map that cannot be written is a map less: nothing depends on it.
pub(crate) fn note(objects: &[impl AsRef<[u8]>], address: &dyn Fn(&str) -> Option<usize>) {
    if std::env::var_os("MAPWRIGHT_PERF_MAP").is_none_or(|value| value.is_empty()) {
        return;
    }
    let mut text = String::new();
    for (name, size) in objects
        .iter()
        .filter_map(|o| functions(o.as_ref()))
        .flatten()
    {
        if let Some(address) = address(&name) {
            text += &format!("{address:x} {size:x} {name}\n");
        }
    }
    let path = format!("/tmp/perf-{}.map", std::process::id());
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path);
    let _ = file.and_then(|mut file| file.write_all(text.as_bytes()));
}

/// The functions that a relocatable ELF file of 64 bits defines for others; none of other files.
fn functions(object: &[u8]) -> Option<Vec<Function>> {
    const SYMBOLS: u64 = 2;
    // A number of so many bytes behind a place.
    let number = |at: usize, behind: usize, bytes: usize| -> Option<u64> {
        let from = at.checked_add(behind)?;
        let bytes = object.get(from..from.checked_add(bytes)?)?;
        Some(bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b)))
    };
    let place = |at, behind, bytes| usize::try_from(number(at, behind, bytes)?).ok();
    if object.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let (sections, size, count) = (place(0, 0x28, 8)?, place(0, 0x3a, 2)?, place(0, 0x3c, 2)?);
    let section = |i: usize| sections.checked_add(i.checked_mul(size)?);
    let mut found = Vec::new();
    for i in 0..count {
        let at = section(i)?;
        if number(at, 4, 4)? != SYMBOLS {
            continue;
        }
        let (from, bytes) = (place(at, 0x18, 8)?, place(at, 0x20, 8)?);
        let names = place(section(place(at, 0x28, 4)?)?, 0x18, 8)?;
        for k in 0..bytes / 24 {
            let symbol = from.checked_add(k * 24)?;
            let (info, home) = (number(symbol, 4, 1)?, number(symbol, 6, 2)?);
            // A function (type 2) that is global (1) or weak (2), in a section of this file.
            if info & 15 != 2 || info >> 4 == 0 || home == 0 {
                continue;
            }
            let name = object.get(names.checked_add(place(symbol, 0, 4)?)?..)?;
            let end = name.iter().position(|b| *b == 0)?;
            let name = String::from_utf8_lossy(&name[..end]).into_owned();
            found.push((name, number(symbol, 16, 8)?));
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object() {
        assert_eq!(functions(b""), None);
        assert_eq!(functions(b"\x7fELF\x02\x01 and no more"), None);
        // A header whose sections are far outside.
        let mut header = vec![0xff; 64];
        header[..6].copy_from_slice(b"\x7fELF\x02\x01");
        assert_eq!(functions(&header), None);
    }
}
