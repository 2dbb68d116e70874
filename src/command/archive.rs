//! Static libraries: an archive gets one more member.
//!
//! Without an archiver: GNU's takes the objects of Rust's standard library, which have bitcode
//! beside their code, for input of a plugin of another LLVM, and loses their symbols.

/// What an archive begins with.
const MAGIC: &[u8] = b"!<arch>\n";
/// Bytes of the header of a member.
const HEADER: usize = 60;

/// The header of a member without time and owner: the same program is the same bytes.
fn header(name: &str, size: usize) -> String {
    format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644)
}

/// `archive` with `object` behind its members, which defines `symbols`; `None` if it is no archive
/// whose index comes first.
pub(super) fn with_object(archive: &[u8], object: &[u8], symbols: &[String]) -> Option<Vec<u8>> {
    let rest = archive.strip_prefix(MAGIC)?;
    let (first, rest) = rest.split_at_checked(HEADER)?;
    if !first.starts_with(b"/ ") {
        return None;
    }
    let size: usize = std::str::from_utf8(first.get(48..58)?)
        .ok()?
        .trim()
        .parse()
        .ok()?;
    let (index, members) = rest.split_at_checked(size.next_multiple_of(2))?;
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    let count = number(0)? as usize;
    let names = index.get(4 + 4 * count..)?;
    // Behind the names the index may be filled up.
    let ends = names.iter().enumerate().filter(|(_, byte)| **byte == 0);
    let end = ends.map(|(at, _)| at + 1).take(count).last().unwrap_or(0);
    let added: usize = symbols.iter().map(|symbol| symbol.len() + 1).sum();
    let new_size = (4 + 4 * (count + symbols.len()) + end + added).next_multiple_of(2);
    let moved = u32::try_from(new_size - index.len()).ok()?;
    let members_end = MAGIC.len() + HEADER + new_size + members.len();
    let own = u32::try_from(members_end.next_multiple_of(2)).ok()?;

    let mut made = MAGIC.to_vec();
    made.extend(header("/", new_size).bytes());
    let begin = made.len();
    made.extend(u32::try_from(count + symbols.len()).ok()?.to_be_bytes());
    for i in 0..count {
        made.extend(number(4 + 4 * i)?.checked_add(moved)?.to_be_bytes());
    }
    for _ in symbols {
        made.extend(own.to_be_bytes());
    }
    made.extend(&names[..end]);
    for symbol in symbols {
        made.extend(symbol.bytes().chain([0]));
    }
    made.resize(begin + new_size, 0);
    made.extend(members);
    made.resize(own as usize, b'\n');
    made.extend(header("program.o/", object.len()).bytes());
    made.extend(object);
    made.resize(made.len().next_multiple_of(2), b'\n');
    Some(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two members of one byte and of two, which define `a` and `bc`.
    fn archive() -> Vec<u8> {
        let index_size = 4 + 8 + 5;
        let first = MAGIC.len() + HEADER + index_size + 1;
        let second = first + HEADER + 2;
        let mut made = MAGIC.to_vec();
        made.extend(header("/", index_size).bytes());
        for number in [2, first, second] {
            made.extend((number as u32).to_be_bytes());
        }
        made.extend(b"a\0bc\0\n");
        made.extend(header("a.o/", 1).bytes());
        made.extend(b"A\n");
        made.extend(header("b.o/", 2).bytes());
        made.extend(b"BC");
        made
    }

    #[test]
    fn symbols_lead_to_their_members() {
        let made = with_object(&archive(), b"DEF", &["d".into(), "ef".into()]).unwrap();
        let number = |at: usize| u32::from_be_bytes(made[at..at + 4].try_into().unwrap()) as usize;
        let start = MAGIC.len() + HEADER;
        assert_eq!(number(start), 4);
        let names = start + 20;
        assert!(made[names..].starts_with(b"a\0bc\0d\0ef\0"));
        let member = |i: usize| &made[number(start + 4 + 4 * i)..];
        for (i, (name, bytes)) in [
            ("a.o/", &b"A"[..]),
            ("b.o/", b"BC"),
            ("program.o/", b"DEF"),
            ("program.o/", b"DEF"),
        ]
        .iter()
        .enumerate()
        {
            assert!(member(i).starts_with(name.as_bytes()), "{i}");
            assert!(member(i)[HEADER..].starts_with(bytes), "{i}");
        }
        assert_eq!(made.len() % 2, 0);
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        for text in [&b""[..], b"!<arch>\n", b"ELF", &archive()[..80]] {
            assert!(with_object(text, b"", &[]).is_none());
        }
    }
}
