//! Programs of StableHLO as portable artifacts: what [`super`] does, the other way.
//!
//! Operations and attributes of other dialects stay what they are, in MLIR's text where their bytes
//! would be; between them and the operations of `vhlo` stand casts, as readers expect it.

mod attributes;
mod operations;
mod types;

use super::Result;
use crate::{
    Attr, Op, Ty,
    diagnostic::{Failure, Message},
};
use mapwright_artifact::{
    self as artifact, Version,
    kinds::Kind,
    tree::{Artifact, AttributeId, Entry, Field, TypeId, ValueId},
};
use std::{collections::HashMap, rc::Rc};

/// Writes a program for readers of a version.
///
/// # Errors
///
/// The program has operations, attributes or types that an artifact of that version cannot have.
/// Diagnostics have been emitted.
pub fn write(module: Op<'_>, version: Version) -> std::result::Result<Vec<u8>, Failure> {
    let fail = |error: artifact::Error| Message::error(module.location(), error.to_string()).emit();
    version.check().map_err(fail)?;
    let mut writing = Writing::new(version);
    let module_made = writing.module(module)?;
    let tree = Artifact {
        version,
        attributes: writing.attributes.list,
        types: writing.types.list,
        values: writing.values,
        module: module_made,
    };
    artifact::write(&tree, version).map_err(fail)
}

/// Entries, each once.
#[derive(Default)]
struct Pool {
    list: Vec<Entry>,
    numbers: HashMap<Entry, u32>,
}

impl Pool {
    fn add(&mut self, entry: Entry) -> u32 {
        let next = self.list.len() as u32;
        let number = *self.numbers.entry(entry.clone()).or_insert(next);
        if number == next {
            self.list.push(entry);
        }
        number
    }
}

/// An artifact that is being made of a program.
struct Writing<'c> {
    version: Version,
    attributes: Pool,
    types: Pool,
    /// The number of a value, by its identity, and its type in the artifact if that is no longer
    /// the one of `vhlo`.
    numbers: HashMap<usize, ValueId>,
    values: u32,
    made_types: HashMap<usize, TypeId>,
    made_attributes: HashMap<usize, AttributeId>,
    context: std::marker::PhantomData<&'c ()>,
}

impl<'c> Writing<'c> {
    fn new(version: Version) -> Self {
        Self {
            version,
            attributes: Pool::default(),
            types: Pool::default(),
            numbers: HashMap::new(),
            values: 0,
            made_types: HashMap::new(),
            made_attributes: HashMap::new(),
            context: std::marker::PhantomData,
        }
    }

    fn attribute_of(
        &mut self,
        dialect: &str,
        name: &str,
        fields: Vec<Field>,
    ) -> Result<AttributeId> {
        let kind = Kind::named(dialect, false, name)
            .ok_or_else(|| format!("no attribute '{name}' in artifacts"))?;
        Ok(AttributeId(self.attributes.add(Entry::Known(kind, fields))))
    }

    /// An attribute of `vhlo`.
    fn vhlo(&mut self, name: &str, fields: Vec<Field>) -> Result<AttributeId> {
        self.attribute_of("vhlo", name, fields)
    }

    fn string(&mut self, text: &str) -> Result<AttributeId> {
        self.vhlo("string", vec![Field::Text(text.into())])
    }

    /// Writes an attribute of another dialect, whatever it is, as MLIR's text.
    fn foreign(&mut self, attribute: Attr<'c>) -> AttributeId {
        let text: Rc<str> = attribute.to_string().into();
        let dialect = text.strip_prefix('#').map_or("builtin", |rest| {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            &rest[..end.unwrap_or(rest.len())]
        });
        let dialect = dialect.into();
        AttributeId(self.attributes.add(Entry::Written { dialect, text }))
    }

    /// A type as it is in programs, in MLIR's text.
    fn foreign_type(&mut self, ty: Ty<'c>) -> TypeId {
        let text: Rc<str> = ty.to_string().into();
        let dialect = "builtin".into();
        TypeId(self.types.add(Entry::Written { dialect, text }))
    }
}
