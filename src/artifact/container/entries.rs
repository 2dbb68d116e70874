//! Attributes and types: where each stands, what it consists of, and that none contains itself.

use super::{Container, bytes::Reader, section};
use crate::{
    error::{Error, Result},
    kinds::{self, Kind, Shape},
    tree::{AttributeId, Entry, Field, TypeId},
};
use std::rc::Rc;

/// Number of parts of all attributes and types, if each was written wherever it is referred to, at
/// most.
const MOST_PARTS: u64 = 1 << 24;

/// Bytes of an attribute or type, with its dialect.
struct Place<'b> {
    dialect: Rc<str>,
    bytes: Reader<'b>,
    known: bool,
}

/// Numbers of attributes and types.
#[derive(Clone, Copy)]
struct Counts {
    attributes: usize,
    types: usize,
}

/// Reads all attributes and types.
pub(super) fn read<'b>(
    container: &Container<'b>,
    deepest: usize,
) -> Result<(Vec<Entry>, Vec<Entry>)> {
    let (places, counts) = places(container)?;
    // An attribute needs the width of its type, a type nothing of an attribute.
    let decode = |places: &[Place<'b>], types: &[Entry], is_type| -> Result<Vec<Entry>> {
        places
            .iter()
            .map(|place| entry(container, place, counts, types, is_type))
            .collect()
    };
    let (attributes, types) = places.split_at(counts.attributes);
    let types = decode(types, &[], true)?;
    let attributes = decode(attributes, &types, false)?;
    let mut measure = Measure {
        entries: [&attributes, &types],
        known: [vec![None; attributes.len()], vec![None; types.len()]],
        open: [vec![false; attributes.len()], vec![false; types.len()]],
        deepest,
    };
    let mut parts = 0u64;
    for (is_type, count) in [(0, attributes.len()), (1, types.len())] {
        for index in 0..count {
            parts = parts.saturating_add(measure.extent_of(is_type, index, 0)?.parts);
        }
    }
    if parts > MOST_PARTS {
        return Err(Error::at(
            0,
            "attributes are nested in more ways than are read",
        ));
    }
    Ok((attributes, types))
}

fn places<'b>(container: &Container<'b>) -> Result<(Vec<Place<'b>>, Counts)> {
    let mut reader = container.section(section::OFFSETS)?;
    let mut content = container.section(section::ENTRIES)?;
    let counts = Counts {
        attributes: reader.count()?,
        types: reader.count()?,
    };
    let all = counts.attributes + counts.types;
    let mut places = Vec::new();
    while reader.left() > 0 {
        let dialect = reader.index(container.dialects.len(), "dialect")?;
        for _ in 0..reader.count()? {
            let (length, known) = reader.flagged()?;
            let length = content.checked_count(length)?;
            places.push(Place {
                dialect: container.dialects[dialect].clone(),
                bytes: content.part(length)?,
                known,
            });
        }
    }
    if places.len() != all {
        return reader.error(format!(
            "{all} attributes and types are announced, {} are there",
            places.len()
        ));
    }
    Ok((places, counts))
}

fn entry<'b>(
    container: &Container<'b>,
    place: &Place<'b>,
    counts: Counts,
    types: &[Entry],
    is_type: bool,
) -> Result<Entry> {
    let mut reader = place.bytes;
    if !place.known {
        let text = reader.text(reader.left())?;
        return Ok(Entry::Written {
            dialect: place.dialect.clone(),
            text: text.strip_suffix('\0').unwrap_or(text).into(),
        });
    }
    let code = reader.unsigned()?;
    let Some(kind) = Kind::numbered(&place.dialect, is_type, code) else {
        let what = if is_type { "type" } else { "attribute" };
        return reader.error(format!(
            "the dialect '{}' has no {what} with the number {code} that is known here",
            place.dialect
        ));
    };
    let mut fields: Vec<Field> = Vec::with_capacity(kind.shapes.len());
    for shape in &kind.shapes {
        let before = fields.last();
        let field = field(container, &mut reader, counts, types, *shape, before)?;
        fields.push(field);
    }
    reader.done(&format!("an attribute or type '{}'", kind.name))?;
    Ok(Entry::Known(kind, fields))
}

fn field<'b>(
    container: &Container<'b>,
    reader: &mut Reader<'b>,
    counts: Counts,
    types: &[Entry],
    shape: Shape,
    before: Option<&Field>,
) -> Result<Field> {
    let attribute = |reader: &mut Reader<'b>| -> Result<AttributeId> {
        let index = reader.index(counts.attributes, "attribute")?;
        Ok(AttributeId(index as u32))
    };
    let ty = |reader: &mut Reader<'b>| -> Result<TypeId> {
        Ok(TypeId(reader.index(counts.types, "type")? as u32))
    };
    Ok(match shape {
        Shape::Attribute => Field::Attribute(attribute(reader)?),
        Shape::OptionalAttribute => {
            let (index, there) = reader.flagged()?;
            let index = there
                .then(|| reader.checked_index(index, counts.attributes, "attribute"))
                .transpose()?;
            Field::OptionalAttribute(index.map(|index| AttributeId(index as u32)))
        }
        Shape::Attributes => Field::Attributes(reader.list(attribute)?),
        Shape::Pairs => {
            Field::Pairs(reader.list(|reader| Ok((attribute(reader)?, attribute(reader)?)))?)
        }
        Shape::Type => Field::Type(ty(reader)?),
        Shape::Types => Field::Types(reader.list(ty)?),
        Shape::Text => container.string(reader)?.clone(),
        Shape::Unsigned => Field::Unsigned(reader.unsigned()?),
        Shape::UnsignedList => Field::UnsignedList(reader.list(Reader::unsigned)?),
        Shape::OptionalUnsigned => {
            let (value, there) = reader.flagged()?;
            Field::OptionalUnsigned(there.then_some(value))
        }
        Shape::Signed => Field::Signed(reader.signed()?),
        Shape::SignedList => Field::SignedList(reader.list(Reader::signed)?),
        Shape::Byte => Field::Unsigned(u64::from(reader.byte()?)),
        Shape::Bits => {
            let width = match before {
                Some(Field::Type(ty)) => kinds::bits(&types[ty.0 as usize]),
                _ => None,
            };
            match width {
                None => return reader.error("a number of a type that has no numbers"),
                Some(..=8) => Field::Bits(u64::from(reader.byte()?)),
                Some(width) => Field::Bits(reader.signed()? as u64 & u64::MAX >> (64 - width)),
            }
        }
        Shape::Double => Field::Bits(reader.signed()? as u64),
        Shape::Doubles => Field::UnsignedList(reader.list(|reader| Ok(reader.signed()? as u64))?),
        Shape::Bytes => Field::Bytes(reader.blob()?.into()),
    })
}

/// Extent of an attribute or type if everything was written out.
#[derive(Clone, Copy)]
struct Extent {
    parts: u64,
    levels: usize,
}

/// Attributes first, then types.
struct Measure<'e> {
    entries: [&'e [Entry]; 2],
    known: [Vec<Option<Extent>>; 2],
    /// Entries that are being measured.
    open: [Vec<bool>; 2],
    deepest: usize,
}

impl Measure<'_> {
    fn extent_of(&mut self, is_type: usize, index: usize, level: usize) -> Result<Extent> {
        if let Some(extent) = self.known[is_type][index] {
            return Ok(extent);
        }
        if self.open[is_type][index] {
            return Err(Error::at(0, "an attribute or type contains itself"));
        }
        self.open[is_type][index] = true;
        let mut inner: Vec<(usize, usize)> = Vec::new();
        {
            let entry = &self.entries[is_type][index];
            let mut types = Vec::new();
            entry.references(
                |attribute| inner.push((0, attribute.0 as usize)),
                |ty| types.push((1, ty.0 as usize)),
            );
            inner.extend(types);
        }
        let mut extent = Extent {
            parts: 1,
            levels: 0,
        };
        for (is_type, index) in inner {
            let too_deep = |levels| {
                Err(Error::at(
                    0,
                    format!("attributes are nested in more than {levels} levels"),
                ))
            };
            if level >= self.deepest {
                return too_deep(self.deepest);
            }
            let one = self.extent_of(is_type, index, level + 1)?;
            extent.parts = extent.parts.saturating_add(one.parts);
            extent.levels = extent.levels.max(one.levels + 1);
            if extent.levels > self.deepest {
                return too_deep(self.deepest);
            }
        }
        self.open[is_type][index] = false;
        self.known[is_type][index] = Some(extent);
        Ok(extent)
    }
}
