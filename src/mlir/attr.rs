//! Attributes decoded into plain data, whatever form they were written in.
//!
//! Older programs write `dense<[0, 1]> : tensor<2xi64>` where newer ones write `array<i64: 0, 1>`;
//! both are read alike.

use crate::{Attr, ElementType, TensorType, Ty, shim};
use melior::ir::{TypeLike, attribute::AttributeLike};
use mlir_sys as sys;
use std::borrow::Cow;

/// A 64-bit (or narrower) integer attribute, sign-extended; `None` for any other attribute.
pub fn int(attribute: Attr<'_>) -> Option<i64> {
    let raw = attribute.to_raw();
    // SAFETY: the accessors are called only on an integer attribute whose type was checked.
    unsafe {
        if !sys::mlirAttributeIsAInteger(raw) {
            return None;
        }
        let ty = sys::mlirAttributeGetType(raw);
        if sys::mlirTypeIsAIndex(ty) || sys::mlirIntegerTypeIsSignless(ty) {
            Some(sys::mlirIntegerAttrGetValueInt(raw))
        } else if sys::mlirIntegerTypeIsSigned(ty) {
            Some(sys::mlirIntegerAttrGetValueSInt(raw))
        } else {
            i64::try_from(sys::mlirIntegerAttrGetValueUInt(raw)).ok()
        }
    }
}

/// A boolean attribute (`true`, `false`).
pub fn boolean(attribute: Attr<'_>) -> Option<bool> {
    let raw = attribute.to_raw();
    // SAFETY: the value is read only from a boolean attribute.
    unsafe { sys::mlirAttributeIsABool(raw).then(|| sys::mlirBoolAttrGetValue(raw)) }
}

/// A string attribute; what is not valid UTF-8 in it is replaced.
pub fn string(attribute: Attr<'_>) -> Option<String> {
    bytes(attribute).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// The bytes of a string attribute, which need not be text.
pub fn bytes(attribute: Attr<'_>) -> Option<&[u8]> {
    let raw = attribute.to_raw();
    // SAFETY: the value is read only from a string attribute, and lives as long as the context.
    unsafe {
        sys::mlirAttributeIsAString(raw).then(|| {
            let text = sys::mlirStringAttrGetValue(raw);
            match text.length {
                0 => &[][..],
                length => std::slice::from_raw_parts(text.data.cast(), length),
            }
        })
    }
}

/// The name in a symbol reference (`@f`), without nested references.
pub fn symbol(attribute: Attr<'_>) -> Option<String> {
    let raw = attribute.to_raw();
    // SAFETY: the value is read only from a symbol reference.
    unsafe {
        sys::mlirAttributeIsASymbolRef(raw)
            .then(|| crate::raw::string(sys::mlirSymbolRefAttrGetRootReference(raw)))
    }
}

/// The type of an attribute that is a number.
pub fn number_type(attribute: Attr<'_>) -> Option<crate::ElementType> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is valid; the null type is that of attributes without one.
    let ty = unsafe { Ty::from_option_raw(sys::mlirAttributeGetType(raw)) }?;
    Some(crate::ElementType::from_mlir(ty))
}

/// A float attribute.
pub fn float(attribute: Attr<'_>) -> Option<f64> {
    let raw = attribute.to_raw();
    // SAFETY: the value is read only from a float attribute.
    unsafe { sys::mlirAttributeIsAFloat(raw).then(|| sys::mlirFloatAttrGetValueDouble(raw)) }
}

/// The type of an elements attribute (`dense<…>`, `dense_resource<…>`, …), without reading its
/// data.
pub fn tensor_type(attribute: Attr<'_>) -> Option<TensorType> {
    let raw = attribute.to_raw();
    // SAFETY: the type is asked of an elements attribute, which has one.
    unsafe {
        if !sys::mlirAttributeIsAElements(raw) {
            return None;
        }
        TensorType::from_mlir(Ty::from_raw(sys::mlirAttributeGetType(raw)))
    }
}

/// The elements of an array attribute.
pub fn array<'c>(attribute: Attr<'c>) -> Option<Vec<Attr<'c>>> {
    let raw = attribute.to_raw();
    // SAFETY: elements are read only from an array attribute and within its length.
    unsafe {
        sys::mlirAttributeIsAArray(raw).then(|| {
            (0..sys::mlirArrayAttrGetNumElements(raw))
                .map(|i| Attr::from_raw(sys::mlirArrayAttrGetElement(raw, i)))
                .collect()
        })
    }
}

/// The type in a type attribute.
pub fn ty<'c>(attribute: Attr<'c>) -> Option<Ty<'c>> {
    let raw = attribute.to_raw();
    // SAFETY: the value is read only from a type attribute.
    unsafe { sys::mlirAttributeIsAType(raw).then(|| Ty::from_raw(sys::mlirTypeAttrGetValue(raw))) }
}

/// Entries of a dictionary attribute in its order.
pub fn dictionary<'c>(attribute: Attr<'c>) -> Option<Vec<(&'c str, Attr<'c>)>> {
    let raw = attribute.to_raw();
    // SAFETY: entries are read only from a dictionary attribute and within its length; names live
    // as long as the context.
    unsafe {
        sys::mlirAttributeIsADictionary(raw).then(|| {
            (0..sys::mlirDictionaryAttrGetNumElements(raw))
                .map(|i| {
                    let entry = sys::mlirDictionaryAttrGetElement(raw, i);
                    let name = crate::raw::identifier(entry.name);
                    (name, Attr::from_raw(entry.attribute))
                })
                .collect()
        })
    }
}

/// The entry `name` of a dictionary attribute.
pub fn entry<'c>(attribute: Attr<'c>, name: &str) -> Option<Attr<'c>> {
    let mut entries = dictionary(attribute)?.into_iter();
    entries.find_map(|(key, value)| (key == name).then_some(value))
}

/// Longer lists are data: a splat of 2^40 elements must not become memory.
const MAX_INTS: i64 = 1 << 24;

/// A list of integers (booleans count as 0 and 1): dense arrays, dense elements of any rank
/// (row-major), arrays of integer attributes, and a single integer. `None` for anything else.
pub fn ints(attribute: Attr<'_>) -> Option<Vec<i64>> {
    if let Some(value) = int(attribute) {
        return Some(vec![value]);
    }
    if let Some(items) = array(attribute) {
        return items
            .into_iter()
            .map(|item| int(item).or_else(|| boolean(item).map(i64::from)))
            .collect();
    }
    let raw = attribute.to_raw();
    // SAFETY: elements are read only from a dense array of the kind that was checked, within its
    // length.
    unsafe {
        if sys::mlirAttributeIsADenseI64Array(raw) {
            let n = sys::mlirDenseArrayGetNumElements(raw);
            return Some(
                (0..n)
                    .map(|i| sys::mlirDenseI64ArrayGetElement(raw, i))
                    .collect(),
            );
        }
        if sys::mlirAttributeIsADenseI32Array(raw) {
            let n = sys::mlirDenseArrayGetNumElements(raw);
            return Some(
                (0..n)
                    .map(|i| i64::from(sys::mlirDenseI32ArrayGetElement(raw, i)))
                    .collect(),
            );
        }
        if sys::mlirAttributeIsADenseBoolArray(raw) {
            let n = sys::mlirDenseArrayGetNumElements(raw);
            return Some(
                (0..n)
                    .map(|i| i64::from(sys::mlirDenseBoolArrayGetElement(raw, i)))
                    .collect(),
            );
        }
    }
    let dense = Dense::from_mlir(attribute)?;
    if dense.ty.num_elements()? > MAX_INTS {
        return None;
    }
    match dense.ty.element {
        ElementType::Bool | ElementType::Int { .. } | ElementType::Index => {}
        _ => return None,
    }
    let width = dense.ty.element.byte_width()?;
    let unsigned = dense.ty.element.is_unsigned() || dense.ty.element == ElementType::Bool;
    let data = dense.expanded()?;
    Some(
        data.chunks_exact(width)
            .map(|bytes| {
                let mut wide = [0u8; 8];
                wide[..width].copy_from_slice(bytes);
                let value = i64::from_le_bytes(wide);
                let shift = 64 - 8 * width as u32;
                if unsigned {
                    value
                } else {
                    (value << shift) >> shift
                }
            })
            .collect(),
    )
}

/// The bytes of `dense_resource<…>`; `None` for other attributes, and where the resource is not
/// there.
pub fn resource<'c>(attribute: Attr<'c>) -> Option<&'c [u8]> {
    // SAFETY: any attribute may be asked; the bytes belong to the context.
    unsafe {
        let data = shim::mapwrightResourceData(attribute.to_raw());
        (!data.data.is_null())
            .then(|| std::slice::from_raw_parts(data.data.cast::<u8>(), data.length))
    }
}

/// Why the data of a constant is not there, in words that begin with what the constant is.
pub fn why_unreadable(attribute: Option<Attr<'_>>) -> String {
    let written = attribute.map(|attribute| attribute.to_string());
    let name = written.as_deref().and_then(|text| {
        let (_, rest) = text.split_once("dense_resource<")?;
        rest.split_once('>').map(|(name, _)| name)
    });
    match name {
        Some("__elided__") => "a constant whose data was left out when the program was printed \
             (dense_resource<__elided__>); print it without eliding"
            .into(),
        Some(name) => format!("a constant whose data, the resource '{name}', is not there"),
        None => "a constant that cannot be read".into(),
    }
}

/// The attribute `dense<…>` of a ranked tensor type of static shape, of data as [`Dense`] has it:
/// one element if all are equal (`splat`), else as many as the type has. `None` where the type has
/// no dense form.
pub(crate) fn dense<'c>(
    ty: Ty<'c>,
    element: &ElementType,
    data: Cow<'_, [u8]>,
    splat: bool,
) -> Option<Attr<'c>> {
    // SAFETY: the type is a ranked tensor of static shape, and the data as long as it needs it,
    // which is the caller's duty; it is copied.
    unsafe {
        let raw = if *element == ElementType::Bool {
            let data: Vec<i32> = data.iter().map(|byte| i32::from(*byte)).collect();
            match (splat, data.first()) {
                (true, Some(value)) => {
                    sys::mlirDenseElementsAttrBoolSplatGet(ty.to_raw(), *value != 0)
                }
                _ => sys::mlirDenseElementsAttrBoolGet(
                    ty.to_raw(),
                    data.len() as isize,
                    data.as_ptr(),
                ),
            }
        } else {
            // The bits above a narrow integer are zero in MLIR.
            let data = match element {
                ElementType::Int { width, .. } if *width < 8 => {
                    let used = (1u8 << width) - 1;
                    data.iter().map(|byte| byte & used).collect()
                }
                _ => data,
            };
            sys::mlirDenseElementsAttrRawBufferGet(ty.to_raw(), data.len(), data.as_ptr().cast())
        };
        (!raw.ptr.is_null()).then(|| Attr::from_raw(raw))
    }
}

/// A dense elements attribute: its type and its data as we store tensors (row-major, little endian,
/// sub-byte elements one byte each, booleans as 0 and 1, 4-bit and narrower integers sign- or
/// zero-extended to a byte).
#[derive(Clone, Debug)]
pub struct Dense {
    /// Type of the tensor.
    pub ty: TensorType,
    /// One element's bytes if `splat`, otherwise all of them.
    pub data: Vec<u8>,
    /// All elements are equal; `data` holds one of them.
    pub splat: bool,
}

impl Dense {
    /// Reads `dense<…>` and `dense_resource<…>`; `None` for other attributes or element types
    /// without a width.
    pub fn from_mlir(attribute: Attr<'_>) -> Option<Self> {
        let raw = attribute.to_raw();
        // SAFETY: the accessors are called on dense elements only; the raw data lives as long as
        // the context and its length follows from the type, which was checked.
        unsafe {
            if !sys::mlirAttributeIsADenseElements(raw)
                && !sys::mlirAttributeIsADenseResourceElements(raw)
            {
                return None;
            }
            let ty = TensorType::from_mlir(Ty::from_raw(sys::mlirAttributeGetType(raw)))?;
            let count = usize::try_from(ty.num_elements()?).ok()?;
            let width = ty.element.byte_width()?;
            if count == 0 {
                return Some(Self {
                    ty,
                    data: Vec::new(),
                    splat: false,
                });
            }
            if sys::mlirAttributeIsADenseResourceElements(raw) {
                let data = resource(attribute)?;
                // What a text announces need not be there.
                if data.len() != count.checked_mul(width)? {
                    return None;
                }
                return Some(Self {
                    ty,
                    data: data.to_vec(),
                    splat: false,
                });
            }
            let splat = sys::mlirDenseElementsAttrIsSplat(raw);
            let stored = if splat { 1 } else { count };
            let pointer = sys::mlirDenseElementsAttrGetRawData(raw).cast::<u8>();
            // How booleans are packed is MLIR's own business: they are read one by one.
            let data = if ty.element == ElementType::Bool {
                (0..stored as isize)
                    .map(|i| u8::from(sys::mlirDenseElementsAttrGetBoolValue(raw, i)))
                    .collect()
            } else {
                std::slice::from_raw_parts(pointer, stored.checked_mul(width)?).to_vec()
            };
            let mut dense = Self { ty, data, splat };
            dense.extend_narrow();
            Some(dense)
        }
    }

    /// The one element of `dense<…>` when all are equal, without reading the others: its type and
    /// the tensor's bytes for it.
    pub fn splat_of(attribute: Attr<'_>) -> Option<Self> {
        let raw = attribute.to_raw();
        // SAFETY: only asked of dense elements.
        let splat = unsafe {
            sys::mlirAttributeIsADenseElements(raw) && sys::mlirDenseElementsAttrIsSplat(raw)
        };
        if splat {
            Self::from_mlir(attribute)
        } else {
            None
        }
    }

    /// The attribute `dense<…>` of this data; `None` where the data does not fit the type, or the
    /// type has no dense form.
    pub fn to_mlir<'c>(&self, context: &'c melior::Context) -> Option<Attr<'c>> {
        let ty = Ty::parse(context, &self.ty.to_string())?;
        let count = usize::try_from(self.ty.num_elements()?).ok()?;
        let width = self.ty.element.byte_width()?;
        let stored = if self.splat { count.min(1) } else { count };
        if stored.checked_mul(width)? != self.data.len() {
            return None;
        }
        dense(ty, &self.ty.element, Cow::Borrowed(&self.data), self.splat)
    }

    /// Sub-byte integers are stored in a byte without defined upper bits; ours are extended.
    fn extend_narrow(&mut self) {
        let ElementType::Int { width, unsigned } = self.ty.element else {
            return;
        };
        if width >= 8 {
            return;
        }
        let shift = 8 - width;
        for byte in &mut self.data {
            *byte = if unsigned {
                (*byte << shift) >> shift
            } else {
                (((*byte << shift) as i8) >> shift) as u8
            };
        }
    }

    /// All elements, splats repeated; `None` if that would not fit in memory arithmetic.
    pub fn expanded(&self) -> Option<Vec<u8>> {
        if !self.splat {
            return Some(self.data.clone());
        }
        let count = usize::try_from(self.ty.num_elements()?).ok()?;
        count.checked_mul(self.data.len())?;
        Some(self.data.repeat(count))
    }
}
