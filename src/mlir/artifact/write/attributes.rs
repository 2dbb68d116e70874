//! Attributes of `vhlo`, and locations.

use super::Writing;
use crate::{
    Attr, ElementType, Loc, Ty,
    artifact::{Result, forms::ENUMERATIONS},
    attr::{self, Dense},
    raw, text,
};
use mapwright_artifact::tree::{AttributeId, Field};
use melior::ir::attribute::AttributeLike;
use mlir_sys as sys;

impl<'c> Writing<'c> {
    /// The attribute that stands for one of a program.
    pub(super) fn attribute(&mut self, attribute: Attr<'c>) -> Result<AttributeId> {
        let key = attribute.to_raw().ptr as usize;
        if let Some(id) = self.made_attributes.get(&key) {
            return Ok(*id);
        }
        let id = self.made_attribute(attribute)?;
        self.made_attributes.insert(key, id);
        Ok(id)
    }

    fn made_attribute(&mut self, attribute: Attr<'c>) -> Result<AttributeId> {
        if let Some(value) = attr::boolean(attribute) {
            return self.vhlo("bool", vec![Field::Unsigned(u64::from(value))]);
        }
        if let Some(bytes) = attr::bytes(attribute) {
            return match std::str::from_utf8(bytes) {
                Ok(text) => self.string(text),
                Err(_) => self.vhlo("string", vec![Field::Bytes(bytes.into())]),
            };
        }
        if let Some(elements) = attr::array(attribute) {
            let ids: Result<Vec<_>> = elements
                .into_iter()
                .map(|one| self.attribute(one))
                .collect();
            return self.vhlo("array", vec![Field::Attributes(ids?)]);
        }
        if let Some(entries) = attr::dictionary(attribute) {
            let mut pairs = Vec::with_capacity(entries.len());
            for (name, value) in entries {
                pairs.push((self.string(name)?, self.attribute(value)?));
            }
            return self.vhlo("dictionary", vec![Field::Pairs(pairs)]);
        }
        if let Some(ty) = attr::ty(attribute) {
            let ty = self.ty(ty)?;
            return self.vhlo("type", vec![Field::Type(ty)]);
        }
        let number = attr::int(attribute).is_some() || attr::float(attribute).is_some();
        if number {
            return self.number(attribute);
        }
        let raw = attribute.to_raw();
        // SAFETY: any attribute may be asked for its kind.
        let (is_list, is_booleans) = unsafe {
            (
                sys::mlirAttributeIsADenseI64Array(raw),
                sys::mlirAttributeIsADenseBoolArray(raw),
            )
        };
        if let (true, Some(numbers)) = (is_list || is_booleans, attr::ints(attribute)) {
            return if is_booleans {
                self.booleans(&numbers)
            } else {
                self.numbers(&numbers)
            };
        }
        if let Some(dense) = Dense::from_mlir(attribute) {
            return self.dense(attribute, &dense);
        }
        let text = attribute.to_string();
        if let Some(body) = text.strip_prefix("#stablehlo") {
            return self.own(body, &text);
        }
        if text.starts_with('#') || text == "unit" {
            Ok(self.foreign(attribute))
        } else {
            Err(format!(
                "'{}', which artifacts do not have",
                crate::artifact::shortened(&text)
            ))
        }
    }

    /// An attribute of StableHLO, from its text behind the dialect's name.
    fn own(&mut self, body: &str, text: &str) -> Result<AttributeId> {
        let missing = || format!("'{text}', which artifacts do not have");
        for (name, words) in ENUMERATIONS {
            let rest = body.strip_prefix('.').or_else(|| body.strip_prefix('<'));
            let rest = rest.and_then(|rest| rest.strip_prefix(name));
            let Some(rest) = rest.filter(|rest| rest.starts_with([' ', '<'])) else {
                continue;
            };
            let word = rest.trim_matches([' ', '<', '>']);
            let number = words
                .iter()
                .position(|one| *one == word)
                .ok_or_else(missing)?;
            return self.vhlo(name, vec![Field::Unsigned(number as u64)]);
        }
        if let Some(bounds) = body.strip_prefix(".bounds<") {
            let bounds = text::integers(bounds).into_iter();
            let bounds = bounds.map(|bound| bound.unwrap_or(i64::MIN)).collect();
            return self.vhlo("bounds", vec![Field::SignedList(bounds)]);
        }
        let number = |name| {
            text::integer_list(text, name)
                .first()
                .copied()
                .unwrap_or_default()
        };
        if body.starts_with(".output_operand_alias<") {
            let fields = vec![
                Field::SignedList(text::integer_list(text, "output_tuple_indices")),
                Field::Signed(number("operand_index")),
                Field::SignedList(text::integer_list(text, "operand_tuple_indices")),
            ];
            return self.vhlo("output_operand_alias", fields);
        }
        if body.starts_with(".result_accuracy<") {
            let float = |name| -> Result<u64> {
                let written = text::field(text, name).unwrap_or("0.0");
                written.parse().map(f64::to_bits).map_err(|_| missing())
            };
            let mode = text::field(text, "mode").unwrap_or("DEFAULT");
            let words = ["DEFAULT", "HIGHEST", "TOLERANCE"];
            let mode = words
                .iter()
                .position(|word| mode.contains(word))
                .unwrap_or_default();
            let mode = self.vhlo("result_accuracy_mode", vec![Field::Unsigned(mode as u64)])?;
            let fields = vec![
                Field::Bits(float("atol")?),
                Field::Bits(float("rtol")?),
                Field::Signed(number("ulps")),
                Field::Attribute(mode),
            ];
            return self.vhlo("result_accuracy", fields);
        }
        Err(missing())
    }

    /// A number, whose bits MLIR gives as those of a tensor.
    fn number(&mut self, attribute: Attr<'c>) -> Result<AttributeId> {
        // SAFETY: the attribute is a number, so it has a type that tensors may have; the tensor has
        // one element.
        let (ty, dense, is_float) = unsafe {
            let ty = sys::mlirAttributeGetType(attribute.to_raw());
            let none = sys::MlirAttribute {
                ptr: std::ptr::null(),
            };
            let tensor = sys::mlirRankedTensorTypeGet(0, std::ptr::null(), ty, none);
            let dense = sys::mlirDenseElementsAttrSplatGet(tensor, attribute.to_raw());
            (
                Ty::from_raw(ty),
                Attr::from_raw(dense),
                sys::mlirAttributeIsAFloat(attribute.to_raw()),
            )
        };
        let dense = Dense::from_mlir(dense).ok_or_else(|| format!("a number of type {ty}"))?;
        let mut wide = [0; 8];
        wide.get_mut(..dense.data.len())
            .ok_or_else(|| format!("a number of type {ty}"))?
            .copy_from_slice(&dense.data);
        let used = dense.ty.element.bit_width().unwrap_or(64).clamp(1, 64);
        let bits = u64::from_le_bytes(wide) & u64::MAX >> (64 - used);
        let ty = self.ty(ty)?;
        let name = if is_float { "float" } else { "integer" };
        self.vhlo(name, vec![Field::Type(ty), Field::Bits(bits)])
    }

    pub(super) fn integer(&mut self, value: i64) -> Result<AttributeId> {
        let ty = self.type_of("i64", Vec::new())?;
        self.vhlo("integer", vec![Field::Type(ty), Field::Bits(value as u64)])
    }

    /// One-dimensional elements.
    pub(super) fn numbers(&mut self, numbers: &[i64]) -> Result<AttributeId> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|one| one.to_le_bytes()).collect();
        self.elements(&[numbers.len() as i64], "i64", bytes)
    }

    pub(super) fn booleans(&mut self, booleans: &[i64]) -> Result<AttributeId> {
        let bits: Vec<u8> = booleans.iter().map(|one| u8::from(*one != 0)).collect();
        self.elements(&[booleans.len() as i64], "i1", packed(&bits))
    }

    /// Elements of a type without parts.
    pub(super) fn elements(
        &mut self,
        shape: &[i64],
        element: &str,
        bytes: Vec<u8>,
    ) -> Result<AttributeId> {
        let element = self.type_of(element, Vec::new())?;
        let ty = self.type_of(
            "tensor",
            vec![Field::SignedList(shape.to_vec()), Field::Type(element)],
        )?;
        self.vhlo("dense", vec![Field::Type(ty), Field::Bytes(bytes.into())])
    }

    fn dense(&mut self, attribute: Attr<'c>, dense: &Dense) -> Result<AttributeId> {
        // SAFETY: elements have a type.
        let ty = unsafe { Ty::from_raw(sys::mlirAttributeGetType(attribute.to_raw())) };
        let ty = self.ty(ty)?;
        let bytes = match (&dense.ty.element, dense.splat, dense.data.as_slice()) {
            (element, _, []) => element_of_none(attribute, element),
            (ElementType::Bool, true, [value]) => vec![if *value == 0 { 0 } else { 0xff }],
            (ElementType::Bool, _, bits) => packed(bits),
            (ElementType::Int { width, .. }, _, data) if *width < 8 => {
                data.iter().map(|byte| byte & ((1 << width) - 1)).collect()
            }
            (_, _, data) => data.to_vec(),
        };
        self.vhlo("dense", vec![Field::Type(ty), Field::Bytes(bytes.into())])
    }

    /// A location; `None` where it is unknown.
    pub(super) fn location(&mut self, location: Loc<'c>) -> Result<Option<AttributeId>> {
        let raw = location.to_raw();
        let builtin = |of: &mut Self, name: &str, fields| of.attribute_of("builtin", name, fields);
        let known = |of: &mut Self, one: Option<AttributeId>| match one {
            Some(id) => Ok(id),
            None => builtin(of, "unknown", Vec::new()),
        };
        // SAFETY: each accessor is called only on locations of its kind, within their lengths;
        // names live as long as the context.
        unsafe {
            let inner = |raw| Loc::from_raw(raw);
            if sys::mlirLocationIsAFileLineColRange(raw) {
                let file = raw::identifier(sys::mlirLocationFileLineColRangeGetFilename(raw));
                let file = builtin(self, "string", vec![Field::Text(file.into())])?;
                let line = sys::mlirLocationFileLineColRangeGetStartLine(raw);
                let column = sys::mlirLocationFileLineColRangeGetStartColumn(raw);
                let last = sys::mlirLocationFileLineColRangeGetEndLine(raw);
                let end = sys::mlirLocationFileLineColRangeGetEndColumn(raw);
                let number = |number: i32| u64::try_from(number).unwrap_or_default();
                let [line, column, last, end] = [line, column, last, end].map(number);
                if (line, column) == (last, end) {
                    let fields = vec![
                        Field::Attribute(file),
                        Field::Unsigned(line),
                        Field::Unsigned(column),
                    ];
                    return builtin(self, "file", fields).map(Some);
                }
                let places = Field::UnsignedList(vec![line, column, last, end]);
                return builtin(self, "file_range", vec![Field::Attribute(file), places]).map(Some);
            }
            if sys::mlirLocationIsAName(raw) {
                let name = raw::identifier(sys::mlirLocationNameGetName(raw));
                let name = builtin(self, "string", vec![Field::Text(name.into())])?;
                let child = self.location(inner(sys::mlirLocationNameGetChildLoc(raw)))?;
                let child = known(self, child)?;
                let fields = [name, child].map(Field::Attribute);
                return builtin(self, "name", fields.into()).map(Some);
            }
            if sys::mlirLocationIsACallSite(raw) {
                let callee = self.location(inner(sys::mlirLocationCallSiteGetCallee(raw)))?;
                let callee = known(self, callee)?;
                let caller = self.location(inner(sys::mlirLocationCallSiteGetCaller(raw)))?;
                let caller = known(self, caller)?;
                let fields = [callee, caller].map(Field::Attribute);
                return builtin(self, "call_site", fields.into()).map(Some);
            }
            if sys::mlirLocationIsAFused(raw) {
                let count = sys::mlirLocationFusedGetNumLocations(raw) as usize;
                let mut parts = vec![raw; count];
                sys::mlirLocationFusedGetLocations(raw, parts.as_mut_ptr());
                let mut ids = Vec::with_capacity(count);
                for part in parts {
                    let part = self.location(inner(part))?;
                    ids.push(known(self, part)?);
                }
                return builtin(self, "fused", vec![Field::Attributes(ids)]).map(Some);
            }
        }
        Ok(None)
    }
}

/// The element that all elements of a tensor without any are said to be: `dense<0> : tensor<0xi32>`
/// is not `dense<> : tensor<0xi32>`.
fn element_of_none(attribute: Attr<'_>, element: &ElementType) -> Vec<u8> {
    let raw = attribute.to_raw();
    // SAFETY: only asked of dense elements; of one that is a splat the bytes of an element are
    // there.
    unsafe {
        if !sys::mlirAttributeIsADenseElements(raw) || !sys::mlirDenseElementsAttrIsSplat(raw) {
            return Vec::new();
        }
        if *element == ElementType::Bool {
            let value = sys::mlirDenseElementsAttrGetBoolSplatValue(raw) != 0;
            return vec![if value { 0xff } else { 0 }];
        }
        let data = sys::mlirDenseElementsAttrGetRawData(raw).cast::<u8>();
        std::slice::from_raw_parts(data, element.byte_width().unwrap_or_default()).to_vec()
    }
}

/// Eight booleans in a byte.
fn packed(bits: &[u8]) -> Vec<u8> {
    let byte = |chunk: &[u8]| {
        let bits = chunk.iter().enumerate();
        bits.fold(0, |byte, (i, bit)| byte | (bit & 1) << i)
    };
    bits.chunks(8).map(byte).collect()
}
