//! Attributes.

use super::{Reading, Result, forms::ENUMERATIONS, quoted, shortened};
use crate::{Attr, ElementType, Ty, attr, raw, types::TensorType};
use mapwright_artifact::{
    kinds,
    tree::{AttributeId, Entry, Field, TypeId},
};
use melior::ir::{TypeLike, attribute::AttributeLike};
use mlir_sys as sys;
use std::{borrow::Cow, collections::BTreeSet, rc::Rc};

impl<'c> Reading<'c, '_> {
    /// The attribute that stands for one of the artifact's.
    pub(super) fn attribute(&mut self, id: AttributeId) -> Result<Attr<'c>> {
        if let Some(attribute) = self.attributes[id.0 as usize] {
            return Ok(attribute);
        }
        let tree = self.tree;
        let attribute = match tree.attribute(id) {
            Entry::Written { text, .. } => {
                if crate::nesting::refused(text) {
                    return Err(format!("'{}' is not read as an attribute", shortened(text)));
                }
                Attr::parse(self.context, text)
                    .ok_or_else(|| format!("'{}' is not an attribute", shortened(text)))?
            }
            Entry::Known(kind, fields) => match kind.dialect {
                "sdy" => {
                    let text = self.sharding(kind.name, fields)?;
                    self.parse(&text)?
                }
                _ => self.known_attribute(kind.name, fields)?,
            },
        };
        self.attributes[id.0 as usize] = Some(attribute);
        Ok(attribute)
    }

    /// `builtin` and `vhlo` have the same names for what is the same.
    fn known_attribute(&mut self, name: &str, fields: &[Field]) -> Result<Attr<'c>> {
        let context = self.context;
        if let Some((_, alternatives)) = ENUMERATIONS.iter().find(|(kind, _)| *kind == name) {
            let [Field::Unsigned(number)] = fields else {
                return Err(format!("an attribute '{name}' of other parts than it has"));
            };
            let word = alternative(name, alternatives, *number)?;
            return match name {
                "result_accuracy_mode" => self.parse(&format!("#stablehlo.{name}<{word}>")),
                _ => self.parse(&format!("#stablehlo<{name} {word}>")),
            };
        }
        Ok(match (name, fields) {
            ("array", [Field::Attributes(ids)]) => {
                let elements: Result<Vec<_>> = ids.iter().map(|id| self.attribute(*id)).collect();
                melior::ir::attribute::ArrayAttribute::new(context, &elements?).into()
            }
            ("dictionary", [Field::Pairs(pairs)]) => {
                let pairs: Result<Vec<_>> = pairs
                    .iter()
                    .map(|(key, value)| {
                        let key = self.plain_text(*key).ok_or("a name that is no text")?;
                        Ok((key, self.attribute(*value)?))
                    })
                    .collect();
                self.dictionary(&pairs?)?
            }
            ("bool", [Field::Unsigned(value)]) => {
                // SAFETY: the context is valid.
                unsafe {
                    Attr::from_raw(sys::mlirBoolAttrGet(
                        context.to_raw(),
                        i32::from(*value != 0),
                    ))
                }
            }
            ("api_version", [Field::Unsigned(number)]) => self.parse(&format!("{number} : i32"))?,
            ("string", [Field::Text(text)]) => {
                melior::ir::attribute::StringAttribute::new(context, text).into()
            }
            ("string", [Field::Bytes(bytes)]) => {
                let text = raw::string_ref(bytes);
                // SAFETY: the context is valid, and the text is copied.
                unsafe { Attr::from_raw(sys::mlirStringAttrGet(context.to_raw(), text)) }
            }
            ("typed_string", [Field::Text(text), Field::Type(ty)]) => {
                let text = format!("{} : {}", quoted(text), self.type_text(*ty)?);
                self.parse(&text)?
            }
            ("symbol", [Field::Attribute(name)]) => {
                let name = self.plain_text(*name).ok_or("a symbol without a name")?;
                melior::ir::attribute::FlatSymbolRefAttribute::new(context, &name).into()
            }
            ("nested_symbol", [Field::Attribute(root), Field::Attributes(nested)]) => {
                let root = self.plain_text(*root).ok_or("a symbol without a name")?;
                let mut text = format!("@{}", quoted(&root));
                for id in nested {
                    let one = self.attribute(*id)?;
                    let name = attr::symbol(one).ok_or("a symbol of something else")?;
                    text += &format!("::@{}", quoted(&name));
                }
                self.parse(&text)?
            }
            ("type", [Field::Type(ty)]) => {
                melior::ir::attribute::TypeAttribute::new(self.ty(*ty)?).into()
            }
            ("unit", []) => self.parse("unit")?,
            ("integer", [Field::Type(ty), Field::Bits(bits)]) => self.integer(*ty, *bits)?,
            ("float", [Field::Type(ty), Field::Bits(bits)]) => {
                // The bits, so that no number changes.
                let width = kinds::bits(self.tree.ty(*ty)).unwrap_or(64).div_ceil(4) as usize;
                let text = format!("0x{bits:0width$X} : {}", self.type_text(*ty)?);
                self.parse(&text)?
            }
            ("dense", [Field::Type(ty), Field::Bytes(bytes)]) => {
                let ty = self.ty(*ty)?;
                elements(ty, bytes)?
            }
            ("dense_array", [Field::Type(ty), Field::Unsigned(count), Field::Bytes(bytes)]) => {
                self.dense_array(*ty, *count, bytes)?
            }
            (
                "output_operand_alias",
                [
                    Field::SignedList(results),
                    Field::Signed(operand),
                    Field::SignedList(operands),
                ],
            ) => self.parse(&format!(
                "#stablehlo.output_operand_alias<output_tuple_indices = {results:?}, \
                 operand_index = {operand}, operand_tuple_indices = {operands:?}>"
            ))?,
            ("bounds", [Field::SignedList(bounds)]) => {
                let bounds: Vec<_> = bounds
                    .iter()
                    .map(|bound| match *bound {
                        i64::MIN => "?".to_owned(),
                        bound => bound.to_string(),
                    })
                    .collect();
                self.parse(&format!("#stablehlo.bounds<{}>", bounds.join(", ")))?
            }
            (
                "result_accuracy",
                [
                    Field::Bits(absolute),
                    Field::Bits(relative),
                    Field::Signed(units),
                    Field::Attribute(mode),
                ],
            ) => {
                let mode = self.attribute(*mode)?;
                let (absolute, relative) =
                    (super::float_text(*absolute)?, super::float_text(*relative)?);
                self.parse(&format!(
                    "#stablehlo.result_accuracy<atol = {absolute}, rtol = {relative}, \
                     ulps = {units}, mode = {mode}>"
                ))?
            }
            ("mesh_axis", [Field::Attribute(name), Field::Signed(size)]) => {
                let name = self.attribute(*name)?;
                self.parse(&format!(
                    "#stablehlo.mesh_axis<name = {name}, size = {size}>"
                ))?
            }
            ("mesh", [Field::Attribute(axes), Field::OptionalAttribute(devices)]) => {
                let axes = self.attribute(*axes)?;
                let devices = devices.map(|id| self.attribute(id)).transpose()?;
                let devices = devices.map_or(String::new(), |ids| format!(", device_ids={ids}"));
                self.parse(&format!("#stablehlo.mesh<axes={axes}{devices}>"))?
            }
            ("sub_axis_info", [Field::Signed(before), Field::Signed(size)]) => {
                self.parse(&format!("#stablehlo<sub_axis_info ({before}){size}>"))?
            }
            ("axis_ref", [Field::Attribute(name), Field::OptionalAttribute(part)]) => {
                let name = self.attribute(*name)?;
                let part = part.map(|id| self.attribute(id)).transpose()?;
                let part = part.map_or(String::new(), |part| format!(", sub_axis_info = {part}"));
                self.parse(&format!("#stablehlo.axis_ref<name = {name}{part}>"))?
            }
            ("replica_group_mesh_axes", [Field::Attribute(mesh), Field::Attribute(axes)]) => {
                let (mesh, axes) = (self.attribute(*mesh)?, self.attribute(*axes)?);
                self.parse(&format!(
                    "#stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = {axes}>"
                ))?
            }
            _ => {
                return Err(format!(
                    "an attribute '{name}', which StableHLO does not have"
                ));
            }
        })
    }

    /// A dictionary, whose names must be different.
    pub(super) fn dictionary(&self, entries: &[(Rc<str>, Attr<'c>)]) -> Result<Attr<'c>> {
        distinct(entries)?;
        let context = self.context.to_raw();
        // SAFETY: the names are copied, the attributes are of the context, and there are as many as
        // is said.
        unsafe {
            let named: Vec<_> = entries
                .iter()
                .map(|(key, value)| {
                    let key = sys::mlirIdentifierGet(context, raw::string_ref(&**key));
                    sys::mlirNamedAttributeGet(key, value.to_raw())
                })
                .collect();
            Ok(Attr::from_raw(sys::mlirDictionaryAttrGet(
                context,
                named.len() as isize,
                named.as_ptr(),
            )))
        }
    }

    fn integer(&mut self, ty: TypeId, bits: u64) -> Result<Attr<'c>> {
        let width = kinds::bits(self.tree.ty(ty)).ok_or("a number that is too wide")?;
        if width == 0 {
            return Err("a number without bits".into());
        }
        let ty = self.ty(ty)?;
        // Sign-extended, as the function wants it; it takes as many bits as the type has.
        let value = (bits << (64 - width)) as i64 >> (64 - width);
        // SAFETY: the type is one of integers or `index`, as its bits say that it is no other.
        unsafe {
            if !sys::mlirTypeIsAInteger(ty.to_raw()) && !sys::mlirTypeIsAIndex(ty.to_raw()) {
                return Err(format!("a whole number of type {ty}"));
            }
            Ok(Attr::from_raw(sys::mlirIntegerAttrGet(ty.to_raw(), value)))
        }
    }

    fn dense_array(&mut self, ty: TypeId, count: u64, bytes: &[u8]) -> Result<Attr<'c>> {
        let text = self.type_text(ty)?;
        let width = match &*text {
            "i1" | "i8" => 1,
            "i16" => 2,
            "i32" | "f32" => 4,
            "i64" | "f64" => 8,
            _ => return Err(format!("an array of {text}")),
        };
        if usize::try_from(count)
            .ok()
            .and_then(|count| count.checked_mul(width))
            != Some(bytes.len())
        {
            return Err(format!(
                "{} bytes for {count} elements of {text}",
                bytes.len()
            ));
        }
        let elements: Vec<String> = bytes
            .chunks_exact(width)
            .map(|chunk| {
                let mut wide = [0; 8];
                wide[..width].copy_from_slice(chunk);
                let bits = u64::from_le_bytes(wide);
                match &*text {
                    "i1" => (bits != 0).to_string(),
                    "f32" | "f64" => format!("0x{bits:0digits$X}", digits = 2 * width),
                    _ => {
                        let unused = 64 - 8 * width as u32;
                        ((bits << unused) as i64 >> unused).to_string()
                    }
                }
            })
            .collect();
        if elements.is_empty() {
            self.parse(&format!("array<{text}>"))
        } else {
            self.parse(&format!("array<{text}: {}>", elements.join(", ")))
        }
    }

    /// A text of either dialect.
    pub(super) fn plain_text(&self, id: AttributeId) -> Option<Rc<str>> {
        match self.tree.attribute(id).parts()? {
            ("builtin" | "vhlo", "string", [Field::Text(text)]) => Some(text.clone()),
            _ => None,
        }
    }

    /// A whole number of either dialect.
    pub(super) fn plain_number(&mut self, id: AttributeId) -> Result<i64> {
        attr::int(self.attribute(id)?).ok_or_else(|| "no whole number where one is needed".into())
    }

    /// The numbers of one-dimensional elements.
    pub(super) fn plain_numbers(&mut self, id: AttributeId) -> Result<Vec<i64>> {
        attr::ints(self.attribute(id)?).ok_or_else(|| "no numbers where some are needed".into())
    }
}

/// The word for one of some alternatives.
pub(super) fn alternative<'w>(name: &str, words: &[&'w str], number: u64) -> Result<&'w str> {
    let word = usize::try_from(number).ok().and_then(|i| words.get(i));
    match word {
        Some(word) if !word.is_empty() => Ok(word),
        _ => Err(format!(
            "{number} as {name}, where there are {} of them",
            words.len()
        )),
    }
}

/// Names must be there, and different.
pub(super) fn distinct<T>(entries: &[(Rc<str>, T)]) -> Result<()> {
    let mut seen = BTreeSet::new();
    match entries
        .iter()
        .find(|(key, _)| key.is_empty() || !seen.insert(&**key))
    {
        Some((key, _)) if key.is_empty() => Err("an attribute without a name".into()),
        Some((key, _)) => Err(format!("the attribute '{key}' twice")),
        None => Ok(()),
    }
}

/// `dense<…>` of bytes as artifacts have them: row-major, booleans eight in a byte, a single
/// element for all.
fn elements<'c>(ty: Ty<'c>, bytes: &[u8]) -> Result<Attr<'c>> {
    let tensor = TensorType::from_mlir(ty).ok_or_else(|| format!("elements of type {ty}"))?;
    let count = tensor
        .num_elements()
        .and_then(|count| usize::try_from(count).ok());
    let count = count.ok_or_else(|| format!("elements of type {ty}, which has no size"))?;
    let wrong = || format!("{} bytes for elements of type {ty}", bytes.len());
    let (data, splat): (Cow<'_, [u8]>, bool) = match tensor.element {
        ElementType::Bool if bytes.len() == 1 && matches!(bytes, [0 | 0xff]) => {
            (vec![bytes[0] & 1].into(), true)
        }
        ElementType::Bool if bytes.len() == count.div_ceil(8) => {
            let bit = |i: usize| bytes[i / 8] >> (i % 8) & 1;
            ((0..count).map(bit).collect(), false)
        }
        ElementType::Bool => return Err(wrong()),
        ref element => {
            let width = element.byte_width().ok_or_else(wrong)?;
            let splat = bytes.len() == width;
            if !splat && count.checked_mul(width) != Some(bytes.len()) {
                return Err(wrong());
            }
            (bytes.into(), splat)
        }
    };
    attr::dense(ty, &tensor.element, data, splat).ok_or_else(wrong)
}
