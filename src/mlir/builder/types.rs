//! Types.

use super::Builder;
use crate::{FloatKind, Ty};
use melior::ir::TypeLike;
use mlir_sys as sys;

impl<'c> Builder<'c> {
    /// `index`.
    pub fn index(&self) -> Ty<'c> {
        Ty::index(self.context)
    }

    /// Signless integer type.
    pub fn int(&self, width: u32) -> Ty<'c> {
        melior::ir::r#type::IntegerType::new(self.context, width).into()
    }

    /// `i1`.
    pub fn i1(&self) -> Ty<'c> {
        self.int(1)
    }

    /// `i64`.
    pub fn i64(&self) -> Ty<'c> {
        self.int(64)
    }

    /// `f32`.
    pub fn f32(&self) -> Ty<'c> {
        Ty::float32(self.context)
    }

    /// `f64`.
    pub fn f64(&self) -> Ty<'c> {
        Ty::float64(self.context)
    }

    /// A floating-point type.
    pub fn float(&self, kind: FloatKind) -> Ty<'c> {
        self.parse_type(kind.name())
    }

    /// `complex<element>`.
    pub fn complex(&self, element: Ty<'c>) -> Ty<'c> {
        // SAFETY: the element type is valid.
        unsafe { Ty::from_raw(sys::mlirComplexTypeGet(element.to_raw())) }
    }

    /// The type of the parts of a complex type.
    pub fn part_of(&self, ty: Ty<'c>) -> Option<Ty<'c>> {
        // SAFETY: the type of the parts is read from complex types only.
        unsafe {
            sys::mlirTypeIsAComplex(ty.to_raw())
                .then(|| Ty::from_raw(sys::mlirComplexTypeGetElementType(ty.to_raw())))
        }
    }

    /// `vector<shape x element>`.
    pub fn vector(&self, shape: &[i64], element: Ty<'c>) -> Ty<'c> {
        // SAFETY: the shape is copied; the element type is valid.
        unsafe {
            Ty::from_raw(sys::mlirVectorTypeGet(
                shape.len() as isize,
                shape.as_ptr(),
                element.to_raw(),
            ))
        }
    }

    /// `memref<shape x element>`, row-major and contiguous; [`DYNAMIC`] for sizes known at run
    /// time.
    pub fn memref(&self, shape: &[i64], element: Ty<'c>) -> Ty<'c> {
        // SAFETY: the shape is copied; null layout and memory space are the defaults.
        unsafe {
            Ty::from_raw(sys::mlirMemRefTypeContiguousGet(
                element.to_raw(),
                shape.len() as isize,
                shape.as_ptr(),
                sys::MlirAttribute {
                    ptr: std::ptr::null(),
                },
            ))
        }
    }

    /// `memref<shape x element, strided<strides, offset: offset>>`, in elements.
    pub fn strided_memref(
        &self,
        shape: &[i64],
        element: Ty<'c>,
        strides: &[i64],
        offset: i64,
    ) -> Ty<'c> {
        // SAFETY: as `memref`; the strides are copied.
        unsafe {
            let layout = sys::mlirStridedLayoutAttrGet(
                self.context.to_raw(),
                offset,
                strides.len() as isize,
                strides.as_ptr(),
            );
            Ty::from_raw(sys::mlirMemRefTypeGet(
                element.to_raw(),
                shape.len() as isize,
                shape.as_ptr(),
                layout,
                sys::MlirAttribute {
                    ptr: std::ptr::null(),
                },
            ))
        }
    }

    /// `!llvm.ptr`.
    pub fn ptr(&self) -> Ty<'c> {
        // SAFETY: the context is valid.
        unsafe { Ty::from_raw(sys::mlirLLVMPointerTypeGet(self.context.to_raw(), 0)) }
    }

    /// A function type.
    pub fn function_type(&self, inputs: &[Ty<'c>], results: &[Ty<'c>]) -> Ty<'c> {
        melior::ir::r#type::FunctionType::new(self.context, inputs, results).into()
    }

    /// Parses a type; an unreadable one is a bug of the caller and gives `none`.
    pub fn parse_type(&self, text: &str) -> Ty<'c> {
        Ty::parse(self.context, text).unwrap_or_else(|| Ty::none(self.context))
    }

    /// Element type of a vector or memref type, the type itself otherwise.
    pub fn element_of(&self, ty: Ty<'c>) -> Ty<'c> {
        // SAFETY: the element type is read from shaped types only.
        unsafe {
            if sys::mlirTypeIsAShaped(ty.to_raw()) {
                Ty::from_raw(sys::mlirShapedTypeGetElementType(ty.to_raw()))
            } else {
                ty
            }
        }
    }

    /// The integer type that a uniform quantized type stores; none of other types.
    pub fn stored_integer(&self, ty: Ty<'c>) -> Option<Ty<'c>> {
        let raw = ty.to_raw();
        // SAFETY: the storage type is read from quantized types only.
        unsafe {
            let quantized = sys::mlirTypeIsAUniformQuantizedType(raw)
                || sys::mlirTypeIsAUniformQuantizedPerAxisType(raw);
            quantized.then(|| Ty::from_raw(sys::mlirQuantizedTypeGetStorageType(raw)))
        }
    }

    /// Sizes of a shaped type; empty for others.
    pub fn shape_of(&self, ty: Ty<'c>) -> Vec<i64> {
        let raw = ty.to_raw();
        // SAFETY: sizes are read from ranked shaped types only, within the rank.
        unsafe {
            if !sys::mlirTypeIsAShaped(raw) || !sys::mlirShapedTypeHasRank(raw) {
                return Vec::new();
            }
            (0..sys::mlirShapedTypeGetRank(raw) as isize)
                .map(|i| sys::mlirShapedTypeGetDimSize(raw, i))
                .collect()
        }
    }

    /// The vector type of the shape of `like` (a vector) with another element, or the element where
    /// `like` is a scalar.
    pub fn like(&self, like: Ty<'c>, element: Ty<'c>) -> Ty<'c> {
        // SAFETY: only asks for the kind of a valid type.
        let is_vector = unsafe { sys::mlirTypeIsAVector(like.to_raw()) };
        if is_vector {
            self.vector(&self.shape_of(like), element)
        } else {
            element
        }
    }
}
