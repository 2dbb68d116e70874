//! Attributes and constants.

use super::Builder;
use crate::{Attr, Ty, Val};
use melior::ir::{BlockLike, TypeLike, attribute::AttributeLike};
use mlir_sys as sys;

impl<'c> Builder<'c> {
    /// Integer attribute of type `ty`.
    pub fn int_attr(&self, value: i64, ty: Ty<'c>) -> Attr<'c> {
        melior::ir::attribute::IntegerAttribute::new(ty, value).into()
    }

    /// `i64` attribute.
    pub fn i64_attr(&self, value: i64) -> Attr<'c> {
        self.int_attr(value, self.i64())
    }

    /// String attribute.
    pub fn str_attr(&self, text: &str) -> Attr<'c> {
        melior::ir::attribute::StringAttribute::new(self.context, text).into()
    }

    /// Boolean attribute.
    pub fn bool_attr(&self, value: bool) -> Attr<'c> {
        // SAFETY: the context is valid.
        unsafe {
            Attr::from_raw(sys::mlirBoolAttrGet(
                self.context.to_raw(),
                i32::from(value),
            ))
        }
    }

    /// `unit`.
    pub fn unit_attr(&self) -> Attr<'c> {
        // SAFETY: the context is valid.
        unsafe { Attr::from_raw(sys::mlirUnitAttrGet(self.context.to_raw())) }
    }

    /// `array<i64: …>`.
    pub fn i64_array(&self, values: &[i64]) -> Attr<'c> {
        melior::ir::attribute::DenseI64ArrayAttribute::new(self.context, values).into()
    }

    /// `array<i32: …>`.
    pub fn i32_array(&self, values: &[i32]) -> Attr<'c> {
        melior::ir::attribute::DenseI32ArrayAttribute::new(self.context, values).into()
    }

    /// `[…]`.
    pub fn array_attr(&self, values: &[Attr<'c>]) -> Attr<'c> {
        melior::ir::attribute::ArrayAttribute::new(self.context, values).into()
    }

    /// `@name`.
    pub fn symbol_attr(&self, name: &str) -> Attr<'c> {
        melior::ir::attribute::FlatSymbolRefAttribute::new(self.context, name).into()
    }

    /// A type as an attribute.
    pub fn type_attr(&self, ty: Ty<'c>) -> Attr<'c> {
        melior::ir::attribute::TypeAttribute::new(ty).into()
    }

    /// Parses an attribute; an unreadable one is a bug of the caller and gives `unit`.
    pub fn parse_attr(&self, text: &str) -> Attr<'c> {
        Attr::parse(self.context, text).unwrap_or_else(|| self.unit_attr())
    }

    /// `affine_map<(d0, …) -> (…)>` that is the identity on the last `results` of `dims`
    /// dimensions.
    pub fn minor_identity(&self, dims: usize, results: usize) -> Attr<'c> {
        assert!(results <= dims);
        // SAFETY: the context is valid, and `results <= dims`, which is the caller's duty, was
        // checked.
        unsafe {
            let map = sys::mlirAffineMapMinorIdentityGet(
                self.context.to_raw(),
                dims as isize,
                results as isize,
            );
            Attr::from_raw(sys::mlirAffineMapAttrGet(map))
        }
    }

    fn constant(&self, value: Attr<'c>, ty: Ty<'c>) -> Val<'c> {
        let key = (value.to_raw().ptr as usize, ty.to_raw().ptr as usize);
        if let Some(value) = self.constants.borrow().get(&key) {
            return *value;
        }
        let op = self.detached(
            "arith.constant",
            &[],
            &[ty],
            &[("value", value)],
            Vec::new(),
        );
        // SAFETY: the entry block takes ownership of an operation without a parent.
        unsafe {
            sys::mlirBlockInsertOwnedOperation(self.entry.to_raw(), 0, op.to_raw());
        }
        let value = op.result(0);
        self.constants.borrow_mut().insert(key, value);
        value
    }

    /// Integer constant of type `ty`, splat where `ty` is a vector. The value is cut to the width.
    pub fn cint(&self, value: i64, ty: Ty<'c>) -> Val<'c> {
        let scalar = self.int_attr(value, self.element_of(ty));
        self.constant(self.splat_attr(scalar, ty), ty)
    }

    /// Constant of the vector type `ty` with these integers as elements. The values are cut to the
    /// width.
    pub fn cints(&self, values: &[i64], ty: Ty<'c>) -> Val<'c> {
        let element = self.element_of(ty);
        let elements: Vec<_> = values
            .iter()
            .map(|value| self.int_attr(*value, element).to_raw())
            .collect();
        // SAFETY: the elements, as many as are said, are of the element type of the shaped type,
        // which is the caller's duty; they are copied.
        let all = unsafe {
            Attr::from_raw(sys::mlirDenseElementsAttrGet(
                ty.to_raw(),
                elements.len() as isize,
                elements.as_ptr(),
            ))
        };
        self.constant(all, ty)
    }

    /// Floating-point constant of type `ty` (rounded to it), splat where `ty` is a vector.
    pub fn cfloat(&self, value: f64, ty: Ty<'c>) -> Val<'c> {
        // SAFETY: the element type is a float type, which is the caller's duty; the location is
        // valid.
        let scalar = unsafe {
            Attr::from_raw(sys::mlirFloatAttrDoubleGet(
                self.context.to_raw(),
                self.element_of(ty).to_raw(),
                value,
            ))
        };
        self.constant(self.splat_attr(scalar, ty), ty)
    }

    /// `true` or `false`.
    pub fn cbool(&self, value: bool) -> Val<'c> {
        self.cint(i64::from(value), self.i1())
    }

    /// A constant from its attribute (for instance `dense<…> : vector<…>`).
    pub fn cattr(&self, value: Attr<'c>, ty: Ty<'c>) -> Val<'c> {
        self.constant(value, ty)
    }

    fn splat_attr(&self, scalar: Attr<'c>, ty: Ty<'c>) -> Attr<'c> {
        // SAFETY: a splat is made for shaped types only.
        unsafe {
            if sys::mlirTypeIsAShaped(ty.to_raw()) {
                Attr::from_raw(sys::mlirDenseElementsAttrSplatGet(
                    ty.to_raw(),
                    scalar.to_raw(),
                ))
            } else {
                scalar
            }
        }
    }
}
