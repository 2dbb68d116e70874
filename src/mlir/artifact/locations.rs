//! Locations.

use super::Reading;
use crate::{Loc, raw};
use mapwright_artifact::tree::{AttributeId, Field};
use melior::ir::{Location, attribute::AttributeLike};
use mlir_sys as sys;

impl<'c> Reading<'c, '_> {
    /// A location; what is none that is known here is unknown.
    pub(super) fn location(&mut self, id: Option<AttributeId>) -> Loc<'c> {
        let Some(id) = id else {
            return Location::unknown(self.context);
        };
        if let Some(location) = self.locations[id.0 as usize] {
            return location;
        }
        let location = self
            .known_location(id)
            .unwrap_or_else(|| Location::unknown(self.context));
        self.locations[id.0 as usize] = Some(location);
        location
    }

    fn known_location(&mut self, id: AttributeId) -> Option<Loc<'c>> {
        let tree = self.tree;
        let ("builtin", name, fields) = tree.attribute(id).parts()? else {
            return None;
        };
        Some(match (name, fields) {
            (
                "file",
                [
                    Field::Attribute(file),
                    Field::Unsigned(line),
                    Field::Unsigned(column),
                ],
            ) => self.file(*file, &[*line, *column])?,
            ("file_range", [Field::Attribute(file), Field::UnsignedList(places)]) => {
                self.file(*file, places)?
            }
            ("name", [Field::Attribute(name), Field::Attribute(child)]) => {
                let name = self.plain_text(*name)?;
                let child = self.location(Some(*child));
                Location::name(self.context, &name, child)
            }
            ("call_site", [Field::Attribute(callee), Field::Attribute(caller)]) => {
                let (callee, caller) = (self.location(Some(*callee)), self.location(Some(*caller)));
                Location::call_site(callee, caller)
            }
            ("fused", [Field::Attributes(parts)]) => self.fused(parts, None)?,
            ("fused_with", [Field::Attributes(parts), Field::Attribute(with)]) => {
                self.fused(parts, Some(*with))?
            }
            _ => return None,
        })
    }

    fn file(&mut self, file: AttributeId, places: &[u64]) -> Option<Loc<'c>> {
        let file = self.plain_text(file)?;
        let number = |number: &u64| u32::try_from(*number).ok();
        let places: Option<Vec<u32>> = places.iter().map(number).collect();
        let range = match *places?.as_slice() {
            [] => [0, 0, 0, 0],
            [line] => [line, 0, line, 0],
            [line, column] => {
                return Some(Location::new(
                    self.context,
                    &file,
                    line as usize,
                    column as usize,
                ));
            }
            [line, column, end] => [line, column, line, end],
            [line, column, last, end] => [line, column, last, end],
            _ => return None,
        };
        // SAFETY: the context and the text are valid; the text is copied.
        Some(unsafe {
            Loc::from_raw(sys::mlirLocationFileLineColRangeGet(
                self.context.to_raw(),
                raw::string_ref(&*file),
                range[0],
                range[1],
                range[2],
                range[3],
            ))
        })
    }

    fn fused(&mut self, parts: &[AttributeId], with: Option<AttributeId>) -> Option<Loc<'c>> {
        let parts: Vec<_> = parts
            .iter()
            .map(|id| self.location(Some(*id)).to_raw())
            .collect();
        let none = sys::MlirAttribute {
            ptr: std::ptr::null(),
        };
        let with = match with {
            Some(with) => self.attribute(with).ok()?.to_raw(),
            None => none,
        };
        // SAFETY: as many locations as are said, all of the context; no attribute is one that may
        // be given.
        Some(unsafe {
            Loc::from_raw(sys::mlirLocationFusedGet(
                self.context.to_raw(),
                parts.len() as isize,
                parts.as_ptr(),
                with,
            ))
        })
    }
}
