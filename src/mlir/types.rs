//! Types of values, decoded once from MLIR into plain data.
//!
//! The types are the ones of the StableHLO specification, section "Types". Everything downstream
//! (maps, verification, code generation, the interpreter) works on these values and never on
//! `mlir::Type` itself.

use crate::{Attr, Ty, text};
use melior::ir::TypeLike;
use mlir_sys as sys;
use serde::{Deserialize, Serialize};
use std::{fmt, sync::Arc};

// The accessors of `dialect/tarray`; the declarations in C are in
// `cmake/include/mapwright-mlir/Dialects.h`.
unsafe extern "C" {
    fn mapwrightArrayTypeGetElement(ty: sys::MlirType) -> sys::MlirType;
    fn mapwrightArrayTypeGetMax(ty: sys::MlirType) -> i64;
    fn mapwrightShapeTypeGetRank(ty: sys::MlirType) -> i64;
}

/// Floating-point formats, named as MLIR spells them (`f8E4M3FN`, …).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FloatKind {
    F4E2M1FN,
    F6E2M3FN,
    F6E3M2FN,
    F8E3M4,
    F8E4M3,
    F8E4M3FN,
    F8E4M3FNUZ,
    F8E4M3B11FNUZ,
    F8E5M2,
    F8E5M2FNUZ,
    F8E8M0FNU,
    BF16,
    F16,
    TF32,
    F32,
    F64,
}

impl FloatKind {
    /// All formats with their MLIR spelling and width in bits.
    pub const ALL: [(FloatKind, &'static str, u32); 16] = [
        (FloatKind::F4E2M1FN, "f4E2M1FN", 4),
        (FloatKind::F6E2M3FN, "f6E2M3FN", 6),
        (FloatKind::F6E3M2FN, "f6E3M2FN", 6),
        (FloatKind::F8E3M4, "f8E3M4", 8),
        (FloatKind::F8E4M3, "f8E4M3", 8),
        (FloatKind::F8E4M3FN, "f8E4M3FN", 8),
        (FloatKind::F8E4M3FNUZ, "f8E4M3FNUZ", 8),
        (FloatKind::F8E4M3B11FNUZ, "f8E4M3B11FNUZ", 8),
        (FloatKind::F8E5M2, "f8E5M2", 8),
        (FloatKind::F8E5M2FNUZ, "f8E5M2FNUZ", 8),
        (FloatKind::F8E8M0FNU, "f8E8M0FNU", 8),
        (FloatKind::BF16, "bf16", 16),
        (FloatKind::F16, "f16", 16),
        (FloatKind::TF32, "tf32", 19),
        (FloatKind::F32, "f32", 32),
        (FloatKind::F64, "f64", 64),
    ];

    /// MLIR's spelling.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Width in bits.
    pub fn width(self) -> u32 {
        Self::ALL[self as usize].2
    }
}

/// Parameters of a uniform quantized type (`!quant.uniform<…>`), per tensor (one scale, no axis) or
/// per axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantization {
    /// Integer type of the stored values.
    pub storage: ElementType,
    /// Floating-point type of the real values.
    pub expressed: FloatKind,
    /// Least stored value.
    pub storage_min: i64,
    /// Greatest stored value.
    pub storage_max: i64,
    /// Scales: one, or one for each slice along `axis`.
    pub scales: Vec<f64>,
    /// Zero points, as many as scales.
    pub zero_points: Vec<i64>,
    /// The quantized dimension of a per-axis type.
    pub axis: Option<usize>,
}

/// Element type of a tensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ElementType {
    /// `i1`, the specification's boolean.
    Bool,
    /// Integer of `width` bits; signless integers are signed in StableHLO.
    Int {
        /// Width in bits: 2, 4, 8, 16, 32 or 64.
        width: u32,
        /// `ui…`.
        unsigned: bool,
    },
    /// Floating-point.
    Float(FloatKind),
    /// `complex<f32>` or `complex<f64>`.
    Complex(FloatKind),
    /// `index` (shape computations only).
    Index,
    /// `!quant.uniform<…>`.
    Quantized(Arc<Quantization>),
    /// Anything else, in MLIR's spelling.
    Other(Arc<str>),
}

impl ElementType {
    /// Whether vector code can hold elements of this type. Not those narrower than a byte, and no
    /// pairs.
    pub fn fits_lanes(&self) -> bool {
        match self {
            Self::Bool => true,
            Self::Int { width, .. } => *width >= 8,
            Self::Float(kind) => kind.width() >= 16 && *kind != FloatKind::TF32,
            _ => false,
        }
    }

    /// Signed integer of `width` bits.
    pub fn int(width: u32) -> Self {
        Self::Int {
            width,
            unsigned: false,
        }
    }

    /// Unsigned integer of `width` bits.
    pub fn uint(width: u32) -> Self {
        Self::Int {
            width,
            unsigned: true,
        }
    }

    /// `f32`.
    pub const F32: Self = Self::Float(FloatKind::F32);
    /// `f64`.
    pub const F64: Self = Self::Float(FloatKind::F64);

    /// Bits of one element as the specification counts them (a complex counts both parts); `None`
    /// for other types.
    pub fn bit_width(&self) -> Option<u32> {
        match self {
            Self::Bool => Some(1),
            Self::Int { width, .. } => Some(*width),
            Self::Float(kind) => Some(kind.width()),
            Self::Complex(kind) => Some(2 * kind.width()),
            Self::Index => Some(64),
            Self::Quantized(q) => q.storage.bit_width(),
            Self::Other(_) => None,
        }
    }

    /// Bytes of one element in our buffers: sub-byte elements take one byte each; `None` for other
    /// types.
    pub fn byte_width(&self) -> Option<usize> {
        Some((self.bit_width()? as usize).div_ceil(8).next_power_of_two())
    }

    /// Integers, not booleans.
    pub fn is_int(&self) -> bool {
        matches!(self, Self::Int { .. })
    }

    /// Floating-point, not complex.
    pub fn is_float(&self) -> bool {
        matches!(self, Self::Float(_))
    }

    /// Complex.
    pub fn is_complex(&self) -> bool {
        matches!(self, Self::Complex(_))
    }

    /// Quantized, per tensor or per axis.
    pub fn is_quantized(&self) -> bool {
        matches!(self, Self::Quantized(_))
    }

    /// Unsigned integer.
    pub fn is_unsigned(&self) -> bool {
        matches!(self, Self::Int { unsigned: true, .. })
    }

    /// Decodes an MLIR element type.
    pub fn from_mlir(ty: Ty<'_>) -> Self {
        let raw = ty.to_raw();
        // SAFETY: `raw` is a valid type for as long as its context, which `Ty` borrows; each
        // accessor is called only after the matching `IsA`.
        unsafe {
            if sys::mlirTypeIsAInteger(raw) {
                let width = sys::mlirIntegerTypeGetWidth(raw);
                return match (width, sys::mlirIntegerTypeIsUnsigned(raw)) {
                    (1, false) => Self::Bool,
                    (width, unsigned) => Self::Int { width, unsigned },
                };
            }
            if sys::mlirTypeIsAIndex(raw) {
                return Self::Index;
            }
            if sys::mlirTypeIsAComplex(raw) {
                let inner = Ty::from_raw(sys::mlirComplexTypeGetElementType(raw));
                if let Self::Float(kind) = Self::from_mlir(inner) {
                    return Self::Complex(kind);
                }
                return Self::Other(ty.to_string().into());
            }
            if sys::mlirTypeIsAUniformQuantizedType(raw)
                || sys::mlirTypeIsAUniformQuantizedPerAxisType(raw)
            {
                return Self::quantized_from_mlir(ty);
            }
        }
        // Printing a type is dear; the usual ones are asked for first.
        // SAFETY: `raw` is a valid type.
        unsafe {
            if sys::mlirTypeIsAF32(raw) {
                return Self::F32;
            }
            if sys::mlirTypeIsAF64(raw) {
                return Self::F64;
            }
            if sys::mlirTypeIsABF16(raw) {
                return Self::Float(FloatKind::BF16);
            }
            if sys::mlirTypeIsAF16(raw) {
                return Self::Float(FloatKind::F16);
            }
        }
        let name = ty.to_string();
        match FloatKind::ALL.iter().find(|(_, n, _)| *n == name) {
            Some((kind, ..)) => Self::Float(*kind),
            None => Self::Other(name.into()),
        }
    }

    fn quantized_from_mlir(ty: Ty<'_>) -> Self {
        let raw = ty.to_raw();
        // SAFETY: the caller checked that `raw` is a uniform quantized type, per tensor or per
        // axis.
        unsafe {
            let storage = Self::from_mlir(Ty::from_raw(sys::mlirQuantizedTypeGetStorageType(raw)));
            let storage = match storage {
                Self::Int { width, .. } => Self::Int {
                    width,
                    unsigned: !sys::mlirQuantizedTypeIsSigned(raw),
                },
                other => other,
            };
            let expressed =
                Self::from_mlir(Ty::from_raw(sys::mlirQuantizedTypeGetExpressedType(raw)));
            let Self::Float(expressed) = expressed else {
                return Self::Other(ty.to_string().into());
            };
            let (scales, zero_points, axis) = if sys::mlirTypeIsAUniformQuantizedType(raw) {
                (
                    vec![sys::mlirUniformQuantizedTypeGetScale(raw)],
                    vec![sys::mlirUniformQuantizedTypeGetZeroPoint(raw)],
                    None,
                )
            } else {
                let n = sys::mlirUniformQuantizedPerAxisTypeGetNumDims(raw);
                let axis = sys::mlirUniformQuantizedPerAxisTypeGetQuantizedDimension(raw);
                (
                    (0..n)
                        .map(|i| sys::mlirUniformQuantizedPerAxisTypeGetScale(raw, i))
                        .collect(),
                    (0..n)
                        .map(|i| sys::mlirUniformQuantizedPerAxisTypeGetZeroPoint(raw, i))
                        .collect(),
                    Some(axis as usize),
                )
            };
            Self::Quantized(Arc::new(Quantization {
                storage,
                expressed,
                storage_min: sys::mlirQuantizedTypeGetStorageTypeMin(raw),
                storage_max: sys::mlirQuantizedTypeGetStorageTypeMax(raw),
                scales,
                zero_points,
                axis,
            }))
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("i1"),
            Self::Int { width, unsigned } => {
                write!(f, "{}i{width}", if *unsigned { "u" } else { "" })
            }
            Self::Float(kind) => f.write_str(kind.name()),
            Self::Complex(kind) => write!(f, "complex<{}>", kind.name()),
            Self::Index => f.write_str("index"),
            Self::Other(text) => f.write_str(text),
            Self::Quantized(q) => {
                write!(f, "!quant.uniform<")?;
                let Self::Int { width, unsigned } = q.storage else {
                    return write!(f, "?>");
                };
                write!(f, "{}{width}", if unsigned { "u" } else { "i" })?;
                let (lo, hi) = default_storage_range(width, unsigned);
                if (lo, hi) != (q.storage_min, q.storage_max) {
                    write!(f, "<{}:{}>", q.storage_min, q.storage_max)?;
                }
                write!(f, ":{}", q.expressed.name())?;
                let one = |f: &mut fmt::Formatter<'_>, i: usize| {
                    write!(f, "{:?}", q.scales[i])?;
                    match q.zero_points[i] {
                        0 => Ok(()),
                        z => write!(f, ":{z}"),
                    }
                };
                match q.axis {
                    None => {
                        f.write_str(", ")?;
                        one(f, 0)?;
                    }
                    Some(axis) => {
                        write!(f, ":{axis}, {{")?;
                        for i in 0..q.scales.len() {
                            f.write_str(if i > 0 { "," } else { "" })?;
                            one(f, i)?;
                        }
                        f.write_str("}")?;
                    }
                }
                f.write_str(">")
            }
        }
    }
}

/// The range that a storage type of `width` bits has when the type does not narrow it.
pub fn default_storage_range(width: u32, unsigned: bool) -> (i64, i64) {
    match (width.min(63), unsigned) {
        (w, true) => (0, ((1u64 << w) - 1) as i64),
        (w, false) => (-(1i64 << (w - 1)), (1i64 << (w - 1)) - 1),
    }
}

/// Size of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Dim {
    /// Known at compile time.
    Static(i64),
    /// Known at run time, at most this much (`#stablehlo.bounds`).
    Bounded(i64),
    /// Known at run time.
    Dynamic,
}

impl Dim {
    /// The size where it is known at compile time.
    pub fn fixed(self) -> Option<i64> {
        match self {
            Self::Static(n) => Some(n),
            _ => None,
        }
    }

    /// The size or its bound.
    pub fn bound(self) -> Option<i64> {
        match self {
            Self::Static(n) | Self::Bounded(n) => Some(n),
            Self::Dynamic => None,
        }
    }

    /// The size of a level of arrays with this maximum.
    pub fn of_level(max: i64) -> Self {
        match max {
            UNBOUNDED => Self::Dynamic,
            max => Self::Static(max),
        }
    }
}

/// A ranked tensor type: element type and sizes, outermost dimension first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TensorType {
    /// Element type.
    pub element: ElementType,
    /// Sizes.
    pub dims: Vec<Dim>,
}

impl TensorType {
    /// A tensor type of static shape.
    pub fn new(element: ElementType, shape: &[i64]) -> Self {
        Self {
            element,
            dims: shape.iter().map(|&n| Dim::Static(n)).collect(),
        }
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The sizes, if all of them are static.
    pub fn static_shape(&self) -> Option<Vec<i64>> {
        self.dims.iter().map(|dim| dim.fixed()).collect()
    }

    /// The sizes, with bounds in the place of bounded ones; `None` if a size has no bound.
    pub fn bounding_shape(&self) -> Option<Vec<i64>> {
        self.dims.iter().map(|dim| dim.bound()).collect()
    }

    /// Number of elements (of the bounding shape); `None` when unbounded or beyond `i64`.
    pub fn num_elements(&self) -> Option<i64> {
        self.dims.iter().try_fold(1i64, |n, dim| {
            let size = dim.bound()?;
            if n == 0 || size == 0 {
                return Some(0);
            }
            n.checked_mul(size)
        })
    }

    /// Decodes a ranked tensor type; `None` for any other type.
    pub fn from_mlir(ty: Ty<'_>) -> Option<Self> {
        let raw = ty.to_raw();
        // SAFETY: `raw` is valid, and the accessors are called only on a ranked tensor type and
        // within its rank.
        unsafe {
            if !sys::mlirTypeIsARankedTensor(raw) {
                return None;
            }
            let rank = sys::mlirShapedTypeGetRank(raw) as usize;
            let encoding = sys::mlirRankedTensorTypeGetEncoding(raw);
            let bounds = Attr::from_option_raw(encoding)
                .map(|attribute| text::integers(&attribute.to_string()))
                .unwrap_or_default();
            let dims = (0..rank)
                .map(|i| {
                    if !sys::mlirShapedTypeIsDynamicDim(raw, i as isize) {
                        return Dim::Static(sys::mlirShapedTypeGetDimSize(raw, i as isize));
                    }
                    match bounds.get(i) {
                        Some(Some(bound)) if *bound >= 0 => Dim::Bounded(*bound),
                        _ => Dim::Dynamic,
                    }
                })
                .collect();
            let element =
                ElementType::from_mlir(Ty::from_raw(sys::mlirShapedTypeGetElementType(raw)));
            Some(Self { element, dims })
        }
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for dim in &self.dims {
            match dim {
                Dim::Static(n) => write!(f, "{n}x")?,
                _ => f.write_str("?x")?,
            }
        }
        write!(f, "{}", self.element)?;
        if self.dims.iter().any(|dim| matches!(dim, Dim::Bounded(_))) {
            let bounds: Vec<String> = self
                .dims
                .iter()
                .map(|dim| match dim {
                    Dim::Bounded(n) => n.to_string(),
                    _ => "?".into(),
                })
                .collect();
            write!(f, ", #stablehlo.bounds<{}>", bounds.join(", "))?;
        }
        f.write_str(">")
    }
}

/// Type of a value in a program.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueType {
    /// Ranked tensor.
    Tensor(TensorType),
    /// Tensor of unknown rank.
    UnrankedTensor(ElementType),
    /// `!stablehlo.token`, `!mhlo.token`.
    Token,
    /// `tuple<…>`.
    Tuple(Vec<ValueType>),
    /// Values that an asynchronous operation has not made yet.
    Future {
        /// `!stablehlo.future` or `!mhlo.async_bundle`.
        name: &'static str,
        /// Types of what it makes; a bundle has those of what is given to it before them, as one.
        types: Vec<ValueType>,
    },
    /// `!tarray.array<element, max = …>`: a list of tensors or lists whose length is known at run
    /// time.
    Array {
        /// Type of the elements.
        element: Box<ValueType>,
        /// Greatest length, or [`UNBOUNDED`].
        max: i64,
    },
    /// `!tarray.shape<rank>`: a tuple of so many sizes.
    Shape(usize),
    /// Anything else, in MLIR's spelling.
    Other(String),
}

/// The bound of a size that has none: the greatest length of an array, the size of a dynamic
/// dimension.
pub const UNBOUNDED: i64 = i64::MAX;

impl ValueType {
    /// Decodes an MLIR type.
    pub fn from_mlir(ty: Ty<'_>) -> Self {
        if let Some(tensor) = TensorType::from_mlir(ty) {
            return Self::Tensor(tensor);
        }
        let raw = ty.to_raw();
        // SAFETY: accessors are called only after the matching `IsA` and within the number of
        // elements.
        unsafe {
            if sys::mlirTypeIsATuple(raw) {
                let n = sys::mlirTupleTypeGetNumTypes(raw);
                return Self::Tuple(
                    (0..n)
                        .map(|i| Self::from_mlir(Ty::from_raw(sys::mlirTupleTypeGetType(raw, i))))
                        .collect(),
                );
            }
            if sys::mlirTypeIsAUnrankedTensor(raw) {
                let element = Ty::from_raw(sys::mlirShapedTypeGetElementType(raw));
                return Self::UnrankedTensor(ElementType::from_mlir(element));
            }
        }
        // SAFETY: any type may be asked; null and -1 are the answers for others than are asked for.
        let (element, max, rank) = unsafe {
            (
                Ty::from_option_raw(mapwrightArrayTypeGetElement(raw)),
                mapwrightArrayTypeGetMax(raw),
                mapwrightShapeTypeGetRank(raw),
            )
        };
        if let Some(element) = element {
            return Self::Array {
                element: Box::new(Self::from_mlir(element)),
                max,
            };
        }
        if let Ok(rank) = usize::try_from(rank) {
            return Self::Shape(rank);
        }
        let text = ty.to_string();
        if matches!(text.as_str(), "!stablehlo.token" | "!mhlo.token") {
            return Self::Token;
        }
        for name in ["!stablehlo.future", "!mhlo.async_bundle"] {
            let listed = text
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('<'));
            if let Some(listed) = listed {
                let context = crate::context::outlive(ty.context());
                let types = text::items(listed).into_iter();
                let types = types.map(|ty| Some(Self::from_mlir(Ty::parse(context, ty)?)));
                if let Some(types) = types.collect() {
                    return Self::Future { name, types };
                }
            }
        }
        Self::Other(text)
    }

    /// The tensor type, if it is one.
    pub fn tensor(&self) -> Option<&TensorType> {
        match self {
            Self::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |types: &[ValueType]| {
            types
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        };
        match self {
            Self::Tensor(tensor) => tensor.fmt(f),
            Self::UnrankedTensor(element) => write!(f, "tensor<*x{element}>"),
            Self::Token => f.write_str("!stablehlo.token"),
            Self::Tuple(types) => write!(f, "tuple<{}>", list(types)),
            Self::Future { name, types } => write!(f, "{name}<{}>", list(types)),
            Self::Array {
                element,
                max: UNBOUNDED,
            } => write!(f, "!tarray.array<{element}>"),
            Self::Array { element, max } => write!(f, "!tarray.array<{element}, max = {max}>"),
            Self::Shape(rank) => write!(f, "!tarray.shape<{rank}>"),
            Self::Other(text) => f.write_str(text),
        }
    }
}
