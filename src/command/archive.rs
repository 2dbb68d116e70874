//! Static libraries: an archive gets one more member.
//!
//! Without the system's archiver: GNU's takes the objects of Rust's standard library, which have
//! bitcode beside their code, for input of a plugin of another LLVM, and loses their symbols.

use anyhow::Context as _;
use ar_archive_writer::{
    ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream,
};
use object::read::archive::ArchiveFile;
use std::io::Cursor;

/// The bytes of `archive` with `object` behind its members. Members have no time and no owner, so
/// that the same program is the same bytes.
///
/// # Errors
/// What is no archive.
pub(super) fn with_object(archive: &[u8], object: &[u8]) -> anyhow::Result<Vec<u8>> {
    let file = ArchiveFile::parse(archive).context("it is no archive")?;
    let new = |bytes, name: &[u8]| {
        let name = String::from_utf8_lossy(name).into_owned();
        NewArchiveMember::new(bytes, &DEFAULT_OBJECT_READER, name)
    };
    let mut members = Vec::new();
    for member in file.members() {
        let member = member.context("a member of it is damaged")?;
        members.push(new(member.data(archive)?, member.name()));
    }
    members.push(new(object, b"program.o"));
    let mut made = Cursor::new(Vec::new());
    write_archive_to_stream(&mut made, &members, ArchiveKind::Gnu, false, None)?;
    Ok(made.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive of `members`.
    fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut made = b"!<arch>\n".to_vec();
        for (name, bytes) in members {
            let size = bytes.len();
            made.extend(format!("{name:<16}{:<32}{size:<10}`\n", 0).bytes());
            made.extend(*bytes);
            made.resize(made.len().next_multiple_of(2), b'\n');
        }
        made
    }

    #[test]
    fn an_object_comes_behind_the_members() {
        let given = archive(&[
            ("// ", b"a_name_that_is_long.o/\n"),
            ("/0", b"A"),
            ("b.o/", b"BC"),
        ]);
        let made = with_object(&given, b"DEF").unwrap();
        assert_eq!(with_object(&given, b"DEF").unwrap(), made);
        let file = ArchiveFile::parse(&*made).unwrap();
        let members: Vec<(&[u8], &[u8])> = file
            .members()
            .map(|member| member.unwrap())
            .map(|member| (member.name(), member.data(&*made).unwrap()))
            .collect();
        let expected: [(&[u8], &[u8]); 3] = [
            (b"a_name_that_is_long.o", b"A"),
            (b"b.o", b"BC"),
            (b"program.o", b"DEF"),
        ];
        assert_eq!(members, expected);
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        for text in [&b""[..], b"ELF", b"!<arch>\nabc"] {
            assert!(with_object(text, b"").is_err(), "{text:?}");
        }
    }
}
