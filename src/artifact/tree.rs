//! What an artifact says, as plain data.
//!
//! Attributes and types stand in two pools and are referred to by number, as in the bytes, so that
//! what is shared stays shared and no data is nested. Every reference is to an entry that is there,
//! no entry contains itself, and what all entries would be if they were written out is bounded:
//! [`crate::read`] checks it.

use crate::{kinds::Kind, version::Version};
use std::rc::Rc;

/// The number of an attribute in [`Artifact::attributes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttributeId(pub u32);

/// The number of a type in [`Artifact::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// The number of a value: results and arguments in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// A part of an attribute or a type, as [`crate::kinds::Shape`] says for its kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// An attribute.
    Attribute(AttributeId),
    /// An attribute that may be absent.
    OptionalAttribute(Option<AttributeId>),
    /// Attributes.
    Attributes(Vec<AttributeId>),
    /// Names and values.
    Pairs(Vec<(AttributeId, AttributeId)>),
    /// A type.
    Type(TypeId),
    /// Types.
    Types(Vec<TypeId>),
    /// A text; one that is not valid UTF-8 is [`Self::Bytes`].
    Text(Rc<str>),
    /// A number, also of a list of alternatives.
    Unsigned(u64),
    /// A number that may be absent.
    OptionalUnsigned(Option<u64>),
    /// A number with a sign.
    Signed(i64),
    /// Numbers with signs.
    SignedList(Vec<i64>),
    /// The bits of a number of the type before it; those above its width are zero.
    Bits(u64),
    /// Numbers, or the bits of numbers of 64 bits.
    UnsignedList(Vec<u64>),
    /// Data.
    Bytes(Rc<[u8]>),
}

/// An attribute or a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// One of a kind that the tables know, and its parts.
    Known(&'static Kind, Vec<Field>),
    /// One that its dialect has no bytes for, in MLIR's text.
    Written {
        /// The dialect.
        dialect: Rc<str>,
        /// The text.
        text: Rc<str>,
    },
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// With its dialect, such as `vhlo.add_v1`.
    pub name: Rc<str>,
    /// An attribute of `builtin` that is a location; `None` where it is not known.
    pub location: Option<AttributeId>,
    /// Discardable attributes, by name: all beyond its properties.
    pub attributes: Vec<(Rc<str>, AttributeId)>,
    /// Properties of the operation, by name.
    pub properties: Vec<(Rc<str>, AttributeId)>,
    /// The operands.
    pub operands: Vec<ValueId>,
    /// The number of the first result.
    pub first_result: ValueId,
    /// The types of the results, which are numbered from [`Self::first_result`] on.
    pub results: Vec<TypeId>,
    /// The regions; `None` for one without a block.
    pub regions: Vec<Option<Block>>,
}

/// The only block of a region.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The arguments, with their types and locations.
    pub arguments: Vec<Argument>,
    /// The operations, in order.
    pub operations: Vec<Operation>,
}

/// An argument of a block.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its number.
    pub value: ValueId,
    /// Its type.
    pub ty: TypeId,
    /// Its location.
    pub location: Option<AttributeId>,
}

/// A portable artifact.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// The version that its producer says.
    pub version: Version,
    /// All attributes.
    pub attributes: Vec<Entry>,
    /// All types.
    pub types: Vec<Entry>,
    /// Number of values.
    pub values: u32,
    /// The module, `builtin.module`.
    pub module: Operation,
}

impl Artifact {
    /// An attribute.
    #[must_use]
    pub fn attribute(&self, id: AttributeId) -> &Entry {
        &self.attributes[id.0 as usize]
    }

    /// A type.
    #[must_use]
    pub fn ty(&self, id: TypeId) -> &Entry {
        &self.types[id.0 as usize]
    }
}

impl Entry {
    /// The dialect.
    #[must_use]
    pub fn dialect(&self) -> &str {
        match self {
            Self::Known(kind, _) => kind.dialect,
            Self::Written { dialect, .. } => dialect,
        }
    }

    /// The dialect, the name of the kind and the parts; `None` for one in text.
    #[must_use]
    pub fn parts(&self) -> Option<(&'static str, &'static str, &[Field])> {
        match self {
            Self::Known(kind, fields) => Some((kind.dialect, kind.name, fields)),
            Self::Written { .. } => None,
        }
    }

    /// Calls `attribute` and `ty` with what this refers to.
    pub fn references(&self, mut attribute: impl FnMut(AttributeId), mut ty: impl FnMut(TypeId)) {
        let Self::Known(_, fields) = self else {
            return;
        };
        for field in fields {
            match field {
                Field::Attribute(id) => attribute(*id),
                Field::OptionalAttribute(id) => id.iter().copied().for_each(&mut attribute),
                Field::Attributes(ids) => ids.iter().copied().for_each(&mut attribute),
                Field::Pairs(pairs) => pairs.iter().for_each(|(name, value)| {
                    attribute(*name);
                    attribute(*value);
                }),
                Field::Type(id) => ty(*id),
                Field::Types(ids) => ids.iter().copied().for_each(&mut ty),
                _ => {}
            }
        }
    }
}
