//! Types, through their text.

use super::{Reading, Result, float_text};
use crate::Ty;
use mapwright_artifact::{
    kinds,
    tree::{Entry, Field, TypeId},
};
use std::rc::Rc;

/// Number for a size that is not known, in artifacts.
const DYNAMIC: i64 = i64::MIN;

impl<'c> Reading<'c, '_> {
    /// A type.
    pub(super) fn ty(&mut self, id: TypeId) -> Result<Ty<'c>> {
        if let Some(ty) = self.made_types[id.0 as usize] {
            return Ok(ty);
        }
        let text = self.type_text(id)?;
        let ty = Ty::parse(self.context, &text).ok_or_else(|| format!("'{text}' is not a type"))?;
        self.made_types[id.0 as usize] = Some(ty);
        Ok(ty)
    }

    pub(super) fn tys(&mut self, ids: &[TypeId]) -> Result<Vec<Ty<'c>>> {
        ids.iter().map(|id| self.ty(*id)).collect()
    }

    /// The text of a type.
    pub(super) fn type_text(&mut self, id: TypeId) -> Result<Rc<str>> {
        if let Some(text) = &self.types[id.0 as usize] {
            return Ok(text.clone());
        }
        let tree = self.tree;
        let text: Rc<str> = match tree.ty(id) {
            Entry::Written { text, .. } => text.clone(),
            Entry::Known(kind, fields) => self.known_type(kind.name, fields)?.into(),
        };
        self.types[id.0 as usize] = Some(text.clone());
        Ok(text)
    }

    fn known_type(&mut self, name: &str, fields: &[Field]) -> Result<String> {
        Ok(match (name, fields) {
            ("integer", [Field::Unsigned(number)]) => {
                let sign = ["i", "si", "ui"].get((number & 3) as usize);
                let sign = sign.ok_or("an integer type with another sign than there are")?;
                format!("{sign}{}", number >> 2)
            }
            ("complex", [Field::Type(element)]) => {
                format!("complex<{}>", self.type_text(*element)?)
            }
            ("function", [Field::Types(inputs), Field::Types(results)]) => {
                let (inputs, results) = (self.type_list(inputs)?, self.type_list(results)?);
                format!("({inputs}) -> ({results})")
            }
            ("tensor", [Field::SignedList(shape), Field::Type(element)]) => {
                format!("tensor<{}{}>", sizes(shape)?, self.type_text(*element)?)
            }
            (
                "encoded_tensor",
                [
                    Field::Attribute(encoding),
                    Field::SignedList(shape),
                    Field::Type(element),
                ],
            ) => {
                let encoding = self.attribute(*encoding)?;
                format!(
                    "tensor<{}{}, {encoding}>",
                    sizes(shape)?,
                    self.type_text(*element)?
                )
            }
            ("unranked", [Field::Type(element)]) => {
                format!("tensor<*x{}>", self.type_text(*element)?)
            }
            ("buffer", [Field::SignedList(shape), Field::Type(element)]) => {
                format!("memref<{}{}>", sizes(shape)?, self.type_text(*element)?)
            }
            ("tuple", [Field::Types(types)]) => format!("tuple<{}>", self.type_list(types)?),
            ("future", [Field::Types(types)]) => {
                format!("!stablehlo.future<{}>", self.type_list(types)?)
            }
            ("token", []) => "!stablehlo.token".into(),
            ("witness", []) => "!shape.witness".into(),
            ("quantized" | "quantized_axis", _) => self.quantized(fields)?,
            // The others are called in artifacts what they are called in MLIR.
            (name, []) => name.into(),
            (name, _) => return Err(format!("a type '{name}' of other parts than it has")),
        })
    }

    fn type_list(&mut self, types: &[TypeId]) -> Result<String> {
        let texts: Result<Vec<_>> = types.iter().map(|id| self.type_text(*id)).collect();
        Ok(texts?.join(", "))
    }

    fn quantized(&mut self, fields: &[Field]) -> Result<String> {
        let [
            Field::Unsigned(flags),
            Field::Type(storage),
            Field::Type(expressed),
            rest @ ..,
        ] = fields
        else {
            return Err("a quantized type of other parts than it has".into());
        };
        let width =
            kinds::bits(self.tree.ty(*storage)).ok_or("quantized numbers are no numbers")?;
        let sign = if flags & 1 == 1 { 'i' } else { 'u' };
        let expressed = self.type_text(*expressed)?;
        let stored = |least: &i64, most: &i64| format!("{sign}{width}<{least}:{most}>:{expressed}");
        Ok(match rest {
            [
                Field::Bits(scale),
                Field::Signed(zero),
                Field::Signed(least),
                Field::Signed(most),
            ] => {
                let scale = float_text(*scale)?;
                format!("!quant.uniform<{}, {scale}:{zero}>", stored(least, most))
            }
            [
                Field::Unsigned(axis),
                Field::Signed(least),
                Field::Signed(most),
                Field::UnsignedList(scales),
                Field::SignedList(zeros),
            ] if scales.len() == zeros.len() => {
                let each = scales.iter().zip(zeros);
                let each = each.map(|(scale, zero)| Ok(format!("{}:{zero}", float_text(*scale)?)));
                let each: Result<Vec<_>> = each.collect();
                let stored = stored(least, most);
                format!("!quant.uniform<{stored}:{axis}, {{{}}}>", each?.join(", "))
            }
            _ => return Err("a quantized type of other parts than it has".into()),
        })
    }
}

/// `4x?x`.
fn sizes(shape: &[i64]) -> Result<String> {
    let sizes = shape.iter().map(|size| match *size {
        DYNAMIC => Ok("?x".into()),
        0.. => Ok(format!("{size}x")),
        _ => Err(format!("a tensor of size {size}")),
    });
    sizes.collect()
}
