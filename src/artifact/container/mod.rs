//! MLIR's bytecode as a container: its header and sections.

pub(crate) mod bytes;
mod entries;
mod operations;
mod write;

pub use write::write;

use crate::{
    dialects::operations::Definition,
    error::{Error, Result},
    tree::{Artifact, Field},
    version::{PRODUCER, Version},
};
use bytes::Reader;
use std::rc::Rc;

/// First bytes of bytecode.
const MAGIC: [u8; 4] = *b"ML\xefR";
/// The newest version of the container.
const NEWEST_CONTAINER: u64 = 6;

/// The numbers of the sections.
mod section {
    pub(super) const STRINGS: u8 = 0;
    pub(super) const DIALECTS: u8 = 1;
    pub(super) const ENTRIES: u8 = 2;
    pub(super) const OFFSETS: u8 = 3;
    pub(super) const OPERATIONS: u8 = 4;
    pub(super) const VERSIONS: u8 = 7;
    pub(super) const PROPERTIES: u8 = 8;
    pub(super) const ALL: usize = 9;
}

/// Contents of the header.
struct Header<'b> {
    /// The version of the container.
    container: u64,
    producer: &'b str,
}

/// An operation's name, and what the tables say of it.
struct Name {
    name: Rc<str>,
    definition: Option<&'static Definition>,
}

/// An artifact whose sections are known.
struct Container<'b> {
    /// The version of the container.
    version: u64,
    /// [`Field::Text`], or [`Field::Bytes`] where it is not valid UTF-8.
    strings: Vec<Field>,
    dialects: Vec<Rc<str>>,
    names: Vec<Name>,
    sections: [Option<Reader<'b>>; section::ALL],
}

fn header<'b>(reader: &mut Reader<'b>) -> Result<Header<'b>> {
    if reader.take(4).ok() != Some(&MAGIC) {
        return Err(Error::at(0, "these bytes are not MLIR bytecode"));
    }
    let container = reader.unsigned()?;
    if container > NEWEST_CONTAINER {
        return reader.error(format!(
            "the bytecode is of version {container}; versions 0 to {NEWEST_CONTAINER} are read"
        ));
    }
    Ok(Header {
        container,
        producer: reader.terminated()?,
    })
}

/// Whether these are the bytes of a portable artifact: if they say so, or are bytecode with
/// operations of `vhlo`.
#[must_use]
pub fn is_artifact(bytes: &[u8]) -> bool {
    let mut reader = Reader::new(bytes, 0);
    let Ok(header) = header(&mut reader) else {
        return false;
    };
    let has_vhlo = || {
        let container = Container::new(header.container, reader)?;
        Ok::<_, Error>(container.dialects.iter().any(|name| **name == *"vhlo"))
    };
    header.producer.starts_with(PRODUCER) || has_vhlo().unwrap_or(false)
}

/// The version that the bytes of an artifact name.
#[must_use]
pub fn version_of(bytes: &[u8]) -> Option<Version> {
    let header = header(&mut Reader::new(bytes, 0)).ok()?;
    Version::of_producer(header.producer)
}

/// Reads an artifact. Regions and attributes may be nested in `deepest` levels.
///
/// # Errors
///
/// The bytes are no artifact, of a version that the tables do not have, damaged, or have more than
/// one block in a region.
pub fn read(bytes: &[u8], deepest: usize) -> Result<Artifact> {
    let mut reader = Reader::new(bytes, 0);
    let header = header(&mut reader)?;
    let version = version(header.producer)?;
    let container = Container::new(header.container, reader)?;
    let (attributes, types) = entries::read(&container, deepest)?;
    let (module, values) = operations::read(&container, &attributes, types.len(), deepest)?;
    Ok(Artifact {
        version,
        attributes,
        types,
        values,
        module,
    })
}

/// The version that a producer names; patches do not count. Without one, what is said is taken as
/// it is.
fn version(producer: &str) -> Result<Version> {
    let Some(version) = Version::of_producer(producer) else {
        return match producer.strip_prefix(PRODUCER) {
            Some(version) => Err(Error::at(
                MAGIC.len() + 1,
                format!("'{version}' is not a version of StableHLO"),
            )),
            None => Ok(Version::NEWEST),
        };
    };
    let (oldest, newest) = (Version::OLDEST, Version::NEWEST);
    if version < oldest || (version.0, version.1) > (newest.0, newest.1) {
        return Err(Error::at(
            MAGIC.len() + 1,
            format!(
                "the artifact is of version {version} of StableHLO; versions {oldest} to {newest} are read"
            ),
        ));
    }
    Ok(version)
}

impl<'b> Container<'b> {
    /// Reads the sections behind the header.
    fn new(version: u64, mut reader: Reader<'b>) -> Result<Self> {
        let mut sections = [None; section::ALL];
        while reader.left() > 0 {
            let at = reader.offset();
            let (number, content) = reader.section()?;
            match sections.get_mut(usize::from(number)) {
                Some(slot @ None) => *slot = Some(content),
                Some(_) => return Err(Error::at(at, format!("section {number} is there twice"))),
                None => return Err(Error::at(at, format!("there is no section {number}"))),
            }
        }
        let mut container = Self {
            version,
            strings: Vec::new(),
            dialects: Vec::new(),
            names: Vec::new(),
            sections,
        };
        container.strings = strings(container.section(section::STRINGS)?)?;
        container.read_dialects()?;
        Ok(container)
    }

    /// A section that has to be there.
    fn section(&self, number: u8) -> Result<Reader<'b>> {
        self.sections[usize::from(number)]
            .ok_or_else(|| Error::at(0, format!("section {number} is missing")))
    }

    fn string(&self, reader: &mut Reader<'b>) -> Result<&Field> {
        let index = reader.index(self.strings.len(), "text")?;
        Ok(&self.strings[index])
    }

    fn name(&self, reader: &mut Reader<'b>) -> Result<Rc<str>> {
        let index = reader.unsigned()?;
        self.name_at(reader, index)
    }

    fn flagged_name(&self, reader: &mut Reader<'b>) -> Result<(Rc<str>, bool)> {
        let (index, flag) = reader.flagged()?;
        Ok((self.name_at(reader, index)?, flag))
    }

    fn name_at(&self, reader: &Reader<'b>, index: u64) -> Result<Rc<str>> {
        let index = reader.checked_index(index, self.strings.len(), "text")?;
        match &self.strings[index] {
            Field::Text(name) => Ok(name.clone()),
            _ => reader.error("a name is not valid UTF-8"),
        }
    }

    /// The names of dialects and operations.
    fn read_dialects(&mut self) -> Result<()> {
        let mut reader = self.section(section::DIALECTS)?;
        for _ in 0..reader.count()? {
            let (name, versioned) = match self.version {
                0 => (self.name(&mut reader)?, false),
                _ => self.flagged_name(&mut reader)?,
            };
            if versioned {
                let (number, _) = reader.section()?;
                if number != section::VERSIONS {
                    return reader.error(format!("section {number} is no version of a dialect"));
                }
            }
            self.dialects.push(name);
        }
        if self.version >= 4 {
            reader.unsigned()?;
        }
        while reader.left() > 0 {
            let dialect = reader.index(self.dialects.len(), "dialect")?;
            for _ in 0..reader.count()? {
                let (name, _) = match self.version {
                    ..5 => (self.name(&mut reader)?, true),
                    _ => self.flagged_name(&mut reader)?,
                };
                let name: Rc<str> = format!("{}.{name}", self.dialects[dialect]).into();
                self.names.push(Name {
                    definition: crate::dialects::operations::definition(&name),
                    name,
                });
            }
        }
        Ok(())
    }
}

/// All texts: first their lengths, of the last one first, then all of them, each with a null byte.
fn strings(mut reader: Reader<'_>) -> Result<Vec<Field>> {
    let mut lengths = reader.list(Reader::unsigned)?;
    lengths.reverse();
    let mut strings = Vec::with_capacity(lengths.len());
    for length in lengths {
        let length = reader.checked_count(length)?;
        let Some(length) = length.checked_sub(1) else {
            return reader.error("a text without its end");
        };
        let bytes = reader.take(length)?;
        strings.push(match std::str::from_utf8(bytes) {
            Ok(text) => Field::Text(text.into()),
            Err(_) => Field::Bytes(bytes.into()),
        });
        if reader.byte()? != 0 {
            return reader.error("a text does not end where it should");
        }
    }
    reader.done("the texts")?;
    Ok(strings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    /// Programs of `corpus`, written by jaxlib for several versions.
    const CORPUS: [(&[u8], Version); 8] = [
        (
            include_bytes!("../corpus/control-0.9.0.mlirbc"),
            Version(0, 9, 0),
        ),
        (
            include_bytes!("../corpus/control-0.12.0.mlirbc"),
            Version(0, 12, 0),
        ),
        (
            include_bytes!("../corpus/control-0.14.0.mlirbc"),
            Version(0, 14, 0),
        ),
        (
            include_bytes!("../corpus/control-1.17.0.mlirbc"),
            Version(1, 17, 0),
        ),
        (
            include_bytes!("../corpus/structure-1.0.0.mlirbc"),
            Version(1, 0, 0),
        ),
        (
            include_bytes!("../corpus/structure-1.9.0.mlirbc"),
            Version(1, 9, 0),
        ),
        (
            include_bytes!("../corpus/newer-1.17.0.mlirbc"),
            Version(1, 17, 0),
        ),
        (
            include_bytes!("../corpus/tokens-1.17.0.mlirbc"),
            Version(1, 17, 0),
        ),
    ];

    const DEEPEST: usize = 100;

    /// An operation with what is in it; attributes and types by number, which stay when a tree is
    /// written.
    fn outline(operation: &crate::tree::Operation, text: &mut String) {
        let mut properties = operation.properties.clone();
        properties.sort();
        let _ = write!(
            text,
            "{} {:?} {properties:?} {:?} {:?}:{:?}",
            operation.name,
            operation.attributes,
            operation.operands,
            operation.first_result,
            operation.results
        );
        for block in operation.regions.iter().flatten() {
            let _ = write!(text, "{:?}", block.arguments);
            block.operations.iter().for_each(|one| outline(one, text));
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (bytes, version) in CORPUS {
            assert!(is_artifact(bytes));
            let tree = read(bytes, DEEPEST).unwrap();
            assert_eq!(tree.version, version);
            let again = read(&write(&tree, version).unwrap(), DEEPEST).unwrap();
            let (mut first, mut second) = (String::new(), String::new());
            outline(&tree.module, &mut first);
            outline(&again.module, &mut second);
            assert_eq!(first, second, "{version}");
            assert_eq!(
                tree.attributes[..],
                again.attributes[..tree.attributes.len()]
            );
            assert_eq!(tree.types, again.types);
        }
    }

    #[test]
    fn other_versions_are_errors_that_name_both() {
        let mut bytes = CORPUS[3].0.to_vec();
        let at = bytes.windows(6).position(|part| part == b"1.17.0").unwrap();
        bytes[at..at + 6].copy_from_slice(b"1.21.0");
        let error = read(&bytes, DEEPEST).unwrap_err();
        assert_eq!(
            error.to_string(),
            "at byte 5: the artifact is of version 1.21.0 of StableHLO; versions 0.9.0 to 1.20.0 are read"
        );
        let tree = read(CORPUS[6].0, DEEPEST).unwrap();
        let error = write(&tree, Version(1, 4, 0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the operation 'vhlo.all_reduce_v2' is there since version 1.5.0; an artifact of version 1.4.0 cannot have it"
        );
        assert!(write(&tree, Version(1, 21, 0)).is_err());
    }

    #[test]
    fn operations_are_nested_as_deeply_as_is_read() {
        assert!(read(CORPUS[0].0, 20).is_ok());
        let error = read(CORPUS[0].0, 2).unwrap_err();
        assert!(error.message.contains("more than 2 levels"), "{error}");
    }

    /// Every byte by another one, and every beginning: an artifact or an error, and what is read is
    /// written.
    #[test]
    fn damaged_bytes_are_read_or_refused() {
        let (mut read_all, mut refused) = (0, 0);
        for (bytes, _) in CORPUS {
            for at in 0..bytes.len() {
                assert!(read(&bytes[..at], DEEPEST).is_err());
                for change in [1, 0x10, 0x80, 0xff] {
                    let mut damaged = bytes.to_vec();
                    damaged[at] ^= change;
                    match read(&damaged, DEEPEST) {
                        Ok(tree) => {
                            read_all += 1;
                            let _ = write(&tree, tree.version);
                        }
                        Err(error) => {
                            refused += 1;
                            assert!(error.offset.is_some_and(|at| at <= bytes.len()), "{error}");
                        }
                    }
                }
            }
        }
        assert!(read_all > 1000 && refused > 1000, "{read_all} {refused}");
    }
}
