//! The operations and what is nested in them.

use super::{Container, Name, bytes::Reader, section};
use crate::{
    error::{Error, Result},
    tree::{Argument, AttributeId, Block, Entry, Field, Operation, TypeId, ValueId},
};
use std::rc::Rc;

/// Bits that say which parts of an operation are there.
pub(super) mod mask {
    pub(in crate::container) const ATTRIBUTES: u8 = 1;
    pub(in crate::container) const RESULTS: u8 = 1 << 1;
    pub(in crate::container) const OPERANDS: u8 = 1 << 2;
    pub(in crate::container) const SUCCESSORS: u8 = 1 << 3;
    pub(in crate::container) const REGIONS: u8 = 1 << 4;
    pub(in crate::container) const ORDERS: u8 = 1 << 5;
    pub(in crate::container) const PROPERTIES: u8 = 1 << 6;
}

/// Names and attributes.
type Named = Vec<(Rc<str>, AttributeId)>;

/// The values of a region: those that may be named in it have numbers from `start` on.
struct Level {
    start: u64,
    announced: u64,
    values: Vec<ValueId>,
}

/// Values that a region sees which is isolated from what is above it.
#[derive(Default)]
struct Scope(Vec<Level>);

impl Scope {
    fn open(&mut self, announced: u64) {
        let start = self
            .0
            .last()
            .map_or(0, |level| level.start + level.announced);
        self.0.push(Level {
            start,
            announced,
            values: Vec::new(),
        });
    }

    fn add(&mut self, value: ValueId) -> bool {
        let Some(level) = self.0.last_mut() else {
            return true;
        };
        level.values.push(value);
        level.values.len() as u64 <= level.announced
    }

    fn get(&self, number: u64) -> Option<ValueId> {
        let after = self.0.partition_point(|level| level.start <= number);
        let level = self.0.get(after.checked_sub(1)?)?;
        let index = usize::try_from(number - level.start).ok()?;
        level.values.get(index).copied()
    }
}

struct Operations<'a, 'b> {
    container: &'a Container<'b>,
    attributes: &'a [Entry],
    types: usize,
    /// The bytes of properties.
    properties: Vec<Reader<'b>>,
    deepest: usize,
    values: u32,
}

/// Reads the module, and how many values there are.
pub(super) fn read(
    container: &Container<'_>,
    attributes: &[Entry],
    types: usize,
    deepest: usize,
) -> Result<(Operation, u32)> {
    let properties = match container.sections[usize::from(section::PROPERTIES)] {
        Some(mut reader) => reader.list(|reader| {
            let length = reader.count()?;
            reader.part(length)
        })?,
        None => Vec::new(),
    };
    let mut operations = Operations {
        container,
        attributes,
        types,
        properties,
        deepest,
        values: 0,
    };
    let mut reader = container.section(section::OPERATIONS)?;
    let block = operations.block(&mut reader, &mut Scope::default(), 0)?;
    reader.done("the module")?;
    let Ok([module]) = <[Operation; 1]>::try_from(block.operations) else {
        return reader.error("an artifact is one module");
    };
    if &*module.name != "builtin.module" {
        return reader.error(format!(
            "an artifact is a module, this one is '{}'",
            module.name
        ));
    }
    Ok((module, operations.values))
}

impl<'b> Operations<'_, 'b> {
    fn attribute(&self, reader: &mut Reader<'b>) -> Result<AttributeId> {
        let index = reader.index(self.attributes.len(), "attribute")?;
        Ok(AttributeId(index as u32))
    }

    fn location(&self, reader: &mut Reader<'b>) -> Result<Option<AttributeId>> {
        let id = self.attribute(reader)?;
        let unknown = self.attributes[id.0 as usize]
            .parts()
            .is_some_and(|(_, name, _)| name == "unknown");
        Ok((!unknown).then_some(id))
    }

    fn new_value(&mut self, reader: &Reader<'b>, scope: &mut Scope) -> Result<ValueId> {
        let value = ValueId(self.values);
        match self.values.checked_add(1) {
            Some(next) => self.values = next,
            None => return reader.error("there are too many values"),
        }
        if scope.add(value) {
            Ok(value)
        } else {
            reader.error("a region has more values than it announces")
        }
    }

    fn block(&mut self, reader: &mut Reader<'b>, scope: &mut Scope, level: usize) -> Result<Block> {
        let (count, has_arguments) = reader.flagged()?;
        let mut block = Block::default();
        if has_arguments {
            for _ in 0..reader.count()? {
                let argument = self.argument(reader, scope)?;
                block.arguments.push(argument);
            }
            if self.container.version >= 3 && reader.byte()? & mask::ORDERS != 0 {
                skip_orders(reader, block.arguments.len())?;
            }
        }
        for _ in 0..reader.checked_count(count)? {
            let operation = self.operation(reader, scope, level)?;
            block.operations.push(operation);
        }
        Ok(block)
    }

    fn argument(&mut self, reader: &mut Reader<'b>, scope: &mut Scope) -> Result<Argument> {
        let (ty, located) = match self.container.version {
            ..4 => (reader.unsigned()?, true),
            _ => reader.flagged()?,
        };
        let ty = TypeId(reader.checked_index(ty, self.types, "type")? as u32);
        let location = if located {
            self.location(reader)?
        } else {
            None
        };
        Ok(Argument {
            value: self.new_value(reader, scope)?,
            ty,
            location,
        })
    }

    fn operation(
        &mut self,
        reader: &mut Reader<'b>,
        scope: &mut Scope,
        level: usize,
    ) -> Result<Operation> {
        let container = self.container;
        let at = reader.offset();
        let name = &container.names[reader.index(container.names.len(), "name")?];
        let present = reader.byte()?;
        let has = |part: u8| present & part != 0;
        let location = self.location(reader)?;
        let mut attributes = if has(mask::ATTRIBUTES) {
            self.dictionary(reader)?
        } else {
            Vec::new()
        };
        let properties = if has(mask::PROPERTIES) {
            self.properties_of(reader, name)?
        } else {
            // Containers before the fifth version have all in the dictionary.
            take_properties(name, &mut attributes)
        };
        let results = if has(mask::RESULTS) {
            reader.list(|reader| Ok(TypeId(reader.index(self.types, "type")? as u32)))?
        } else {
            Vec::new()
        };
        let operands = if has(mask::OPERANDS) {
            reader.list(|reader| {
                let number = reader.unsigned()?;
                scope.get(number).map_or_else(
                    || reader.error(format!("value {number} is meant before it is there")),
                    Ok,
                )
            })?
        } else {
            Vec::new()
        };
        if has(mask::SUCCESSORS) {
            return Err(Error::at(
                at,
                format!("'{}' goes to another block", name.name),
            ));
        }
        if has(mask::ORDERS) {
            skip_orders(reader, results.len())?;
        }
        let first_result = ValueId(self.values);
        for _ in &results {
            self.new_value(reader, scope)?;
        }
        let regions = if has(mask::REGIONS) {
            self.regions(reader, scope, level)?
        } else {
            Vec::new()
        };
        Ok(Operation {
            name: name.name.clone(),
            location,
            attributes,
            properties,
            operands,
            first_result,
            results,
            regions,
        })
    }

    fn regions(
        &mut self,
        reader: &mut Reader<'b>,
        scope: &mut Scope,
        level: usize,
    ) -> Result<Vec<Option<Block>>> {
        if level >= self.deepest {
            return reader.error(format!(
                "operations are nested in more than {} levels",
                self.deepest
            ));
        }
        let (count, isolated) = reader.flagged()?;
        let mut own = Scope::default();
        let scope = if isolated { &mut own } else { scope };
        if isolated && self.container.version >= 2 {
            let (number, mut inner) = reader.section()?;
            if number != section::OPERATIONS {
                return reader.error(format!("section {number} is no region"));
            }
            let count = inner.checked_count(count)?;
            let regions = (0..count).map(|_| self.region(&mut inner, scope, level + 1));
            let regions = regions.collect::<Result<_>>()?;
            inner.done("a region")?;
            return Ok(regions);
        }
        let count = reader.checked_count(count)?;
        (0..count)
            .map(|_| self.region(reader, scope, level + 1))
            .collect()
    }

    fn region(
        &mut self,
        reader: &mut Reader<'b>,
        scope: &mut Scope,
        level: usize,
    ) -> Result<Option<Block>> {
        match reader.unsigned()? {
            0 => return Ok(None),
            1 => {}
            blocks => return reader.error(format!("a region has {blocks} blocks instead of one")),
        }
        let values = reader.count()?;
        scope.open(values as u64);
        let block = self.block(reader, scope, level)?;
        scope.0.pop();
        Ok(Some(block))
    }

    /// A dictionary of `builtin`.
    fn dictionary(&self, reader: &mut Reader<'b>) -> Result<Named> {
        let id = self.attribute(reader)?;
        let Some(("builtin", "dictionary", [Field::Pairs(pairs)])) =
            self.attributes[id.0 as usize].parts()
        else {
            return reader.error("the attributes of an operation are no dictionary");
        };
        let name = |id: AttributeId| match self.attributes[id.0 as usize].parts() {
            Some(("builtin", "string", [Field::Text(name)])) => Ok(name.clone()),
            _ => reader.error("the name of an attribute is no text"),
        };
        pairs
            .iter()
            .map(|(key, value)| Ok((name(*key)?, *value)))
            .collect()
    }

    fn properties_of(&self, reader: &mut Reader<'b>, name: &Name) -> Result<Named> {
        let index = reader.index(self.properties.len(), "list of properties")?;
        let mut bytes = self.properties[index];
        let Some(definition) = name.definition else {
            return match bytes.left() {
                0 => Ok(Vec::new()),
                _ => reader.error(format!(
                    "'{}' is no operation that is known here",
                    name.name
                )),
            };
        };
        let mut properties = Vec::with_capacity(definition.properties.len());
        for (property, optional) in &definition.properties {
            let (number, there) = if *optional {
                bytes.flagged()?
            } else {
                (bytes.unsigned()?, true)
            };
            if there {
                let index = bytes.checked_index(number, self.attributes.len(), "attribute")?;
                properties.push(((*property).into(), AttributeId(index as u32)));
            }
        }
        bytes.done(&format!("the properties of '{}'", name.name))?;
        Ok(properties)
    }
}

/// Moves the attributes that are properties of the operation from `attributes` to the properties.
fn take_properties(name: &Name, attributes: &mut Named) -> Named {
    let Some(definition) = name.definition else {
        return Vec::new();
    };
    let own = |name: &str| definition.properties.iter().any(|(own, _)| *own == name);
    let (properties, others) = std::mem::take(attributes)
        .into_iter()
        .partition(|(name, _)| own(name));
    *attributes = others;
    properties
}

/// In which order the uses of values stand in memory: of no use here.
fn skip_orders(reader: &mut Reader<'_>, values: usize) -> Result<()> {
    let count = match values {
        1 => 1,
        _ => reader.count()?,
    };
    for _ in 0..count {
        if values != 1 {
            reader.unsigned()?;
        }
        let (length, _) = reader.flagged()?;
        for _ in 0..reader.checked_count(length)? {
            reader.unsigned()?;
        }
    }
    Ok(())
}
