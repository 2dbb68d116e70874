//! What attributes and types consist of: a table for each dialect, by which both the reader and the
//! writer go.

use crate::{
    dialects::{builtin, sdy, stablehlo, vhlo},
    tree::{Entry, Field},
    version::Version,
};
use std::{
    collections::HashMap,
    hash::{Hash, Hasher},
    sync::OnceLock,
};

/// Encoding of a part of an attribute or type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The number of an attribute.
    Attribute,
    /// Twice the number of an attribute, and one; or zero.
    OptionalAttribute,
    /// Attributes, after how many there are.
    Attributes,
    /// Pairs of attributes, after how many there are.
    Pairs,
    /// The number of a type.
    Type,
    /// Types, after how many there are.
    Types,
    /// The number of a text.
    Text,
    /// A number.
    Unsigned,
    /// Numbers, after how many there are.
    UnsignedList,
    /// Twice a number, and one; or zero.
    OptionalUnsigned,
    /// A number with a sign.
    Signed,
    /// Numbers with signs, after how many there are.
    SignedList,
    /// A byte.
    Byte,
    /// The bits of a number of the type before it.
    Bits,
    /// The bits of a number of 64 bits.
    Double,
    /// Bits of numbers of 64 bits, after how many there are.
    Doubles,
    /// Bytes, after how many there are.
    Bytes,
}

/// The words for them in the tables.
const WORDS: [(&str, Shape); 17] = [
    ("attribute", Shape::Attribute),
    ("attribute?", Shape::OptionalAttribute),
    ("attributes", Shape::Attributes),
    ("pairs", Shape::Pairs),
    ("type", Shape::Type),
    ("types", Shape::Types),
    ("text", Shape::Text),
    ("unsigned", Shape::Unsigned),
    ("unsigned*", Shape::UnsignedList),
    ("unsigned?", Shape::OptionalUnsigned),
    ("signed", Shape::Signed),
    ("signed*", Shape::SignedList),
    ("byte", Shape::Byte),
    ("bits", Shape::Bits),
    ("double", Shape::Double),
    ("double*", Shape::Doubles),
    ("bytes", Shape::Bytes),
];

/// A kind of attribute or type.
#[derive(Debug)]
pub struct Kind {
    /// The dialect.
    pub dialect: &'static str,
    /// The name, as the tables have it.
    pub name: &'static str,
    /// Whether it is a type.
    pub is_type: bool,
    /// The number that begins its bytes.
    pub code: u64,
    /// The first version that has it.
    pub since: Version,
    /// Its parts.
    pub shapes: Vec<Shape>,
    /// Number of bits of a number of this type.
    bits: Option<u32>,
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Kind {}

impl Hash for Kind {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.dialect, self.is_type, self.code).hash(state);
    }
}

/// All kinds of one dialect.
struct Table {
    dialect: &'static str,
    attributes: &'static str,
    types: &'static str,
}

const TABLES: [Table; 4] = [
    Table {
        dialect: "builtin",
        attributes: builtin::ATTRIBUTES,
        types: builtin::TYPES,
    },
    Table {
        dialect: "sdy",
        attributes: sdy::ATTRIBUTES,
        types: "",
    },
    Table {
        dialect: "stablehlo",
        attributes: "",
        types: stablehlo::TYPES,
    },
    Table {
        dialect: "vhlo",
        attributes: vhlo::ATTRIBUTES,
        types: vhlo::TYPES,
    },
];

fn kinds() -> &'static [Kind] {
    static KINDS: OnceLock<Vec<Kind>> = OnceLock::new();
    KINDS.get_or_init(|| {
        let mut kinds = Vec::new();
        for table in TABLES {
            for (text, is_type) in [(table.attributes, false), (table.types, true)] {
                let lines = text
                    .lines()
                    .filter_map(|line| row(table.dialect, line, is_type));
                kinds.extend(lines);
            }
        }
        kinds
    })
}

/// A row of a table: the number, the name, the first version (`-`: all), how many bits after `=`,
/// and the parts.
fn row(dialect: &'static str, line: &'static str, is_type: bool) -> Option<Kind> {
    let mut words = line.split_whitespace();
    let code = words.next()?.parse().ok()?;
    let name = words.next()?;
    let since = words.next()?.parse().unwrap_or(Version::OLDEST);
    let (mut bits, mut shapes) = (None, Vec::new());
    for word in words {
        match word.strip_prefix('=') {
            Some(number) => bits = Some(number.parse().ok()?),
            None => shapes.push(WORDS.iter().find(|(name, _)| *name == word)?.1),
        }
    }
    Some(Kind {
        dialect,
        name,
        is_type,
        code,
        since,
        shapes,
        bits,
    })
}

impl Kind {
    /// The kind with this number.
    #[must_use]
    pub fn numbered(dialect: &str, is_type: bool, code: u64) -> Option<&'static Self> {
        kinds()
            .iter()
            .find(|kind| kind.code == code && kind.is_type == is_type && kind.dialect == dialect)
    }

    /// The kind with this name.
    #[must_use]
    pub fn named(dialect: &str, is_type: bool, name: &str) -> Option<&'static Self> {
        static NAMES: OnceLock<HashMap<(&str, bool, &str), &Kind>> = OnceLock::new();
        let names = NAMES.get_or_init(|| {
            let named = kinds().iter();
            named
                .map(|kind| ((kind.dialect, kind.is_type, kind.name), kind))
                .collect()
        });
        names.get(&(dialect, is_type, name)).copied()
    }
}

/// Number of bits of an element of a type: `None` where it is no type of numbers, or has more
/// than 64.
#[must_use]
pub fn bits(ty: &Entry) -> Option<u32> {
    let Entry::Known(kind, fields) = ty else {
        return None;
    };
    match (kind.bits, fields.as_slice()) {
        (Some(bits), _) => Some(bits),
        (None, [Field::Unsigned(width)]) if kind.dialect == "builtin" && kind.name == "integer" => {
            u32::try_from(width >> 2).ok().filter(|bits| *bits <= 64)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_tables_is_read() {
        let rows = |text: &'static str| text.lines().filter(|line| !line.trim().is_empty()).count();
        let written: usize = TABLES
            .iter()
            .map(|table| rows(table.attributes) + rows(table.types))
            .sum();
        assert_eq!(kinds().len(), written);
        for kind in kinds() {
            let found = Kind::numbered(kind.dialect, kind.is_type, kind.code);
            assert_eq!(found, Some(kind), "{} is one of two", kind.name);
            let found = Kind::named(kind.dialect, kind.is_type, kind.name);
            assert_eq!(found, Some(kind), "{} is one of two", kind.name);
        }
    }
}
