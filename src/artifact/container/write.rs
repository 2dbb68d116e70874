//! Writing an artifact, for readers of a version.

use super::{MAGIC, bytes::Writer, operations::mask, section};
use crate::{
    dialects::operations::{Definition, definition},
    error::{Error, Result},
    kinds::{self, Kind, Shape},
    tree::{Artifact, AttributeId, Block, Entry, Field, Operation, TypeId, ValueId},
    version::Version,
};
use std::{collections::HashMap, rc::Rc};

/// Writes an artifact that readers of `version` and of later ones read.
///
/// # Errors
///
/// An operation, attribute or type is not in that version, or the tree is not one that can be
/// written.
pub fn write(artifact: &Artifact, version: Version) -> Result<Vec<u8>> {
    version.check()?;
    let mut writing = Writing {
        version,
        container: version.bytecode(),
        types: &artifact.types,
        entries: artifact.attributes.clone(),
        strings: Numbered::default(),
        dialects: Numbered::default(),
        names: Numbered::default(),
        own: HashMap::new(),
        properties: Numbered::default(),
        numbers: HashMap::new(),
    };
    let mut module = Writer::default();
    module.flagged(1, false);
    writing.operation(&mut module, &artifact.module, &mut 0)?;
    let entries = writing.all_entries()?;
    let dialects = writing.all_dialects();
    let mut bytes = Writer::default();
    bytes.0.extend(MAGIC);
    bytes.unsigned(writing.container);
    bytes.0.extend(version.producer().into_bytes());
    bytes.byte(0);
    bytes.section(section::DIALECTS, &dialects);
    bytes.section(section::OFFSETS, &entries.0);
    bytes.section(section::ENTRIES, &entries.1);
    bytes.section(section::OPERATIONS, &module);
    bytes.section(section::STRINGS, &writing.all_strings());
    if writing.container >= 5 {
        let mut properties = Writer::default();
        properties.list(&writing.properties.list, |writer, one| writer.blob(one));
        bytes.section(section::PROPERTIES, &properties);
    }
    Ok(bytes.0)
}

/// Things that are numbered in the order in which they come.
struct Numbered<T> {
    list: Vec<T>,
    numbers: HashMap<T, u64>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            numbers: HashMap::new(),
        }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Numbered<T> {
    fn number(&mut self, thing: &T) -> u64 {
        if let Some(number) = self.numbers.get(thing) {
            return *number;
        }
        let number = self.list.len() as u64;
        self.list.push(thing.clone());
        self.numbers.insert(thing.clone(), number);
        number
    }
}

struct Writing<'t> {
    version: Version,
    container: u64,
    types: &'t [Entry],
    /// The attributes of the tree, and those that only the container needs.
    entries: Vec<Entry>,
    strings: Numbered<Rc<[u8]>>,
    dialects: Numbered<Rc<str>>,
    names: Numbered<Rc<str>>,
    /// The attributes that only the container needs.
    own: HashMap<Entry, AttributeId>,
    properties: Numbered<Vec<u8>>,
    numbers: HashMap<ValueId, u64>,
}

impl Writing<'_> {
    fn not_yet(&self, what: &str, since: Version, until: Version) -> Result<()> {
        if (since..=until).contains(&self.version) {
            return Ok(());
        }
        Err(Error::new(if self.version < since {
            format!(
                "{what} is there since version {since}; an artifact of version {} cannot have it",
                self.version
            )
        } else {
            format!(
                "{what} is there up to version {until}; an artifact of version {} cannot have it",
                self.version
            )
        }))
    }

    /// An attribute of `builtin` that the tree need not have.
    fn builtin(&mut self, name: &str, fields: Vec<Field>) -> Result<AttributeId> {
        let kind = Kind::named("builtin", false, name);
        let kind = kind.ok_or_else(|| Error::new(format!("there is no attribute '{name}'")))?;
        let entry = Entry::Known(kind, fields);
        if let Some(id) = self.own.get(&entry) {
            return Ok(*id);
        }
        let id = AttributeId(self.entries.len() as u32);
        self.entries.push(entry.clone());
        self.own.insert(entry, id);
        Ok(id)
    }

    fn location(&mut self, location: Option<AttributeId>) -> Result<u64> {
        let id = match location {
            Some(id) => id,
            None => self.builtin("unknown", Vec::new())?,
        };
        Ok(u64::from(id.0))
    }

    /// `next` is the first number that values of regions may have.
    fn operation(
        &mut self,
        writer: &mut Writer,
        operation: &Operation,
        next: &mut u64,
    ) -> Result<()> {
        let definition = definition(&operation.name);
        if let Some(definition) = definition {
            let name = format!("the operation '{}'", operation.name);
            self.not_yet(&name, definition.since, definition.until)?;
        } else if operation.name.starts_with("vhlo.") {
            return Err(Error::new(format!(
                "there is no operation '{}'",
                operation.name
            )));
        }
        let name = self.names.number(&operation.name);
        writer.unsigned(name);
        let mut attributes = operation.attributes.clone();
        let properties = match definition {
            Some(definition) if self.container >= 5 && !definition.properties.is_empty() => {
                Some(self.properties_of(operation, definition)?)
            }
            _ => {
                attributes.extend(operation.properties.iter().cloned());
                None
            }
        };
        let parts = [
            (mask::ATTRIBUTES, !attributes.is_empty()),
            (mask::PROPERTIES, properties.is_some()),
            (mask::RESULTS, !operation.results.is_empty()),
            (mask::OPERANDS, !operation.operands.is_empty()),
            (mask::REGIONS, !operation.regions.is_empty()),
        ];
        let present = parts.iter().filter(|(_, there)| *there);
        writer.byte(present.map(|(part, _)| part).sum());
        let location = self.location(operation.location)?;
        writer.unsigned(location);
        if !attributes.is_empty() {
            attributes.sort_by(|a, b| a.0.cmp(&b.0));
            let mut pairs = Vec::with_capacity(attributes.len());
            for (name, value) in attributes {
                pairs.push((self.builtin("string", vec![Field::Text(name)])?, value));
            }
            let dictionary = self.builtin("dictionary", vec![Field::Pairs(pairs)])?;
            writer.unsigned(u64::from(dictionary.0));
        }
        if let Some(properties) = properties {
            writer.unsigned(properties);
        }
        if !operation.results.is_empty() {
            writer.list(&operation.results, |writer, ty| {
                writer.unsigned(u64::from(ty.0))
            });
        }
        if !operation.operands.is_empty() {
            let operands: Option<Vec<u64>> = operation
                .operands
                .iter()
                .map(|value| self.numbers.get(value).copied())
                .collect();
            let operands = operands.ok_or_else(|| {
                Error::new(format!("'{}' has an operand of elsewhere", operation.name))
            })?;
            writer.list(&operands, |writer, number| writer.unsigned(*number));
        }
        if operation.regions.is_empty() {
            return Ok(());
        }
        let isolated = is_isolated(operation);
        writer.flagged(operation.regions.len() as u64, isolated);
        let mut own = 0;
        let next = if isolated { &mut own } else { next };
        if isolated && self.container >= 2 {
            let mut inner = Writer::default();
            for region in &operation.regions {
                self.region(&mut inner, region.as_ref(), *next)?;
            }
            writer.section(section::OPERATIONS, &inner);
            return Ok(());
        }
        for region in &operation.regions {
            self.region(writer, region.as_ref(), *next)?;
        }
        Ok(())
    }

    fn region(&mut self, writer: &mut Writer, block: Option<&Block>, start: u64) -> Result<()> {
        let Some(block) = block else {
            writer.unsigned(0);
            return Ok(());
        };
        let results = block.operations.iter().map(|one| one.results.len());
        let values = (block.arguments.len() + results.sum::<usize>()) as u64;
        writer.unsigned(1);
        writer.unsigned(values);
        let mut next = start;
        let mut bind = |of: &mut Self, value: ValueId| {
            of.numbers.insert(value, next);
            next += 1;
        };
        writer.flagged(block.operations.len() as u64, !block.arguments.is_empty());
        if !block.arguments.is_empty() {
            writer.unsigned(block.arguments.len() as u64);
            for argument in &block.arguments {
                bind(self, argument.value);
                let ty = u64::from(argument.ty.0);
                match (self.container, argument.location) {
                    (4.., location) => {
                        writer.flagged(ty, location.is_some());
                        location
                            .iter()
                            .for_each(|id| writer.unsigned(u64::from(id.0)));
                    }
                    (_, location) => {
                        writer.unsigned(ty);
                        let location = self.location(location)?;
                        writer.unsigned(location);
                    }
                }
            }
            if self.container >= 3 {
                writer.byte(0);
            }
        }
        let mut after = start + values;
        for operation in &block.operations {
            let first = operation.first_result.0;
            for i in 0..operation.results.len() as u32 {
                bind(self, ValueId(first + i));
            }
            self.operation(writer, operation, &mut after)?;
        }
        Ok(())
    }

    /// The number of the bytes of the properties.
    fn properties_of(&mut self, operation: &Operation, definition: &Definition) -> Result<u64> {
        let mut bytes = Writer::default();
        let mut written = 0;
        for (name, optional) in &definition.properties {
            let value = operation.properties.iter().find(|(own, _)| **own == **name);
            written += usize::from(value.is_some());
            match (value, optional) {
                (Some((_, id)), false) => bytes.unsigned(u64::from(id.0)),
                (Some((_, id)), true) => bytes.flagged(u64::from(id.0), true),
                (None, true) => bytes.unsigned(0),
                (None, false) => {
                    return Err(Error::new(format!("'{}' has no '{name}'", operation.name)));
                }
            }
        }
        if written != operation.properties.len() {
            return Err(Error::new(format!(
                "'{}' has other properties than it takes",
                operation.name
            )));
        }
        Ok(self.properties.number(&bytes.0))
    }

    /// Writes where attributes and types stand, and what they consist of.
    fn all_entries(&mut self) -> Result<(Writer, Writer)> {
        let entries = std::mem::take(&mut self.entries);
        let (mut offsets, mut content) = (Writer::default(), Writer::default());
        offsets.unsigned(entries.len() as u64);
        offsets.unsigned(self.types.len() as u64);
        for list in [&entries, self.types] {
            for run in list.chunk_by(|a, b| a.dialect() == b.dialect()) {
                let dialect = self.dialects.number(&run[0].dialect().into());
                offsets.unsigned(dialect);
                offsets.unsigned(run.len() as u64);
                for entry in run {
                    let start = content.0.len();
                    let known = self.entry(&mut content, entry)?;
                    offsets.flagged((content.0.len() - start) as u64, known);
                }
            }
        }
        Ok((offsets, content))
    }

    fn entry(&mut self, writer: &mut Writer, entry: &Entry) -> Result<bool> {
        let (kind, fields) = match entry {
            Entry::Known(kind, fields) => (kind, fields),
            Entry::Written { text, .. } => {
                writer.0.extend(text.bytes());
                writer.byte(0);
                return Ok(false);
            }
        };
        if kind.dialect == "vhlo" {
            let what = if kind.is_type { "type" } else { "attribute" };
            let what = format!("the {what} '{}'", kind.name);
            self.not_yet(&what, kind.since, Version::NEWEST)?;
        }
        writer.unsigned(kind.code);
        let mut width = None;
        for (shape, field) in kind.shapes.iter().zip(fields) {
            if let Field::Type(TypeId(ty)) = field {
                width = kinds::bits(&self.types[*ty as usize]);
            }
            if !self.field(writer, *shape, field, width) {
                return Err(Error::new(format!(
                    "'{}' has other parts than it takes",
                    kind.name
                )));
            }
        }
        if kind.shapes.len() == fields.len() {
            Ok(true)
        } else {
            Err(Error::new(format!(
                "'{}' has other parts than it takes",
                kind.name
            )))
        }
    }

    /// `false` where the part is not of that shape.
    fn field(
        &mut self,
        writer: &mut Writer,
        shape: Shape,
        field: &Field,
        bits: Option<u32>,
    ) -> bool {
        let attribute = |writer: &mut Writer, id: &AttributeId| writer.unsigned(u64::from(id.0));
        match (shape, field) {
            (Shape::Attribute, Field::Attribute(id)) => attribute(writer, id),
            (Shape::OptionalAttribute, Field::OptionalAttribute(id)) => match id {
                Some(id) => writer.flagged(u64::from(id.0), true),
                None => writer.unsigned(0),
            },
            (Shape::Attributes, Field::Attributes(ids)) => writer.list(ids, attribute),
            (Shape::Pairs, Field::Pairs(pairs)) => writer.list(pairs, |writer, (name, value)| {
                attribute(writer, name);
                attribute(writer, value);
            }),
            (Shape::Type, Field::Type(id)) => writer.unsigned(u64::from(id.0)),
            (Shape::Types, Field::Types(ids)) => {
                writer.list(ids, |writer, id| writer.unsigned(u64::from(id.0)));
            }
            (Shape::Text, Field::Text(text)) => writer.unsigned(self.text(text)),
            (Shape::Text, Field::Bytes(bytes)) => writer.unsigned(self.strings.number(bytes)),
            (Shape::Unsigned, Field::Unsigned(value)) => writer.unsigned(*value),
            (Shape::UnsignedList, Field::UnsignedList(values)) => {
                writer.list(values, |writer, value| writer.unsigned(*value));
            }
            (Shape::OptionalUnsigned, Field::OptionalUnsigned(value)) => match value {
                Some(value) => writer.flagged(*value, true),
                None => writer.unsigned(0),
            },
            (Shape::Signed, Field::Signed(value)) => writer.signed(*value),
            (Shape::SignedList, Field::SignedList(values)) => {
                writer.list(values, |writer, value| writer.signed(*value));
            }
            (Shape::Byte, Field::Unsigned(value @ ..=255)) => writer.byte(*value as u8),
            (Shape::Bits, Field::Bits(value)) => match bits {
                Some(..=8) => writer.byte(*value as u8),
                Some(_) => writer.signed(*value as i64),
                None => return false,
            },
            (Shape::Double, Field::Bits(value)) => writer.signed(*value as i64),
            (Shape::Doubles, Field::UnsignedList(values)) => {
                writer.list(values, |writer, value| writer.signed(*value as i64));
            }
            (Shape::Bytes, Field::Bytes(bytes)) => writer.blob(bytes),
            _ => return false,
        }
        true
    }

    fn text(&mut self, text: &str) -> u64 {
        self.strings.number(&text.as_bytes().into())
    }

    fn all_dialects(&mut self) -> Writer {
        let mut names = Writer::default();
        if self.container >= 4 {
            names.unsigned(self.names.list.len() as u64);
        }
        let list = std::mem::take(&mut self.names.list);
        let split = |name: &Rc<str>| {
            let (dialect, short) = name.split_once('.').unwrap_or(("builtin", name));
            (Rc::<str>::from(dialect), Rc::<str>::from(short))
        };
        for run in list.chunk_by(|a, b| split(a).0 == split(b).0) {
            let dialect = self.dialects.number(&split(&run[0]).0);
            names.unsigned(dialect);
            names.unsigned(run.len() as u64);
            for name in run {
                let short = self.text(&split(name).1);
                match self.container {
                    ..5 => names.unsigned(short),
                    _ => names.flagged(short, true),
                }
            }
        }
        let mut writer = Writer::default();
        let dialects = std::mem::take(&mut self.dialects.list);
        writer.unsigned(dialects.len() as u64);
        for dialect in dialects {
            let name = self.text(&dialect);
            match self.container {
                0 => writer.unsigned(name),
                _ => writer.flagged(name, false),
            }
        }
        writer.0.extend(names.0);
        writer
    }

    fn all_strings(&self) -> Writer {
        let mut writer = Writer::default();
        let strings = &self.strings.list;
        writer.unsigned(strings.len() as u64);
        for string in strings.iter().rev() {
            writer.unsigned(string.len() as u64 + 1);
        }
        for string in strings {
            writer.0.extend(string.iter());
            writer.byte(0);
        }
        writer
    }
}

/// Tells whether nothing in the regions of an operation takes a value from outside of them.
fn is_isolated(operation: &Operation) -> bool {
    // Values are numbered in the order in which they come.
    let first = operation.first_result.0 as usize + operation.results.len();
    let mut left: Vec<&Operation> = vec![operation];
    while let Some(one) = left.pop() {
        for inner in one
            .regions
            .iter()
            .flatten()
            .flat_map(|block| &block.operations)
        {
            if inner
                .operands
                .iter()
                .any(|value| (value.0 as usize) < first)
            {
                return false;
            }
            left.push(inner);
        }
    }
    true
}
