//! The element types of tensors and how each is stored.

use crate::error::{Error, Result};

/// Element type of a tensor. The discriminants are part of the C ABI (`enum mw_element_kind`).
///
/// Storage: a boolean is one byte (0 or 1); 2- and 4-bit integers take one byte each, sign- or
/// zero-extended; 4-, 6- and 8-bit floats take one byte each, the value in the low bits; a complex
/// number is its real part followed by its imaginary part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i32)]
#[allow(non_camel_case_types)]
pub enum ElementKind {
    Pred = 0,
    I2 = 1,
    I4 = 2,
    I8 = 3,
    I16 = 4,
    I32 = 5,
    I64 = 6,
    U2 = 7,
    U4 = 8,
    U8 = 9,
    U16 = 10,
    U32 = 11,
    U64 = 12,
    F4E2M1FN = 13,
    F6E2M3FN = 14,
    F6E3M2FN = 15,
    F8E3M4 = 16,
    F8E4M3 = 17,
    F8E4M3FN = 18,
    F8E4M3B11FNUZ = 19,
    F8E4M3FNUZ = 20,
    F8E5M2 = 21,
    F8E5M2FNUZ = 22,
    F8E8M0FNU = 23,
    F16 = 24,
    BF16 = 25,
    F32 = 26,
    F64 = 27,
    C64 = 28,
    C128 = 29,
}

impl ElementKind {
    /// Every kind, in the order of the codes.
    pub const ALL: [ElementKind; 30] = {
        use ElementKind::*;
        [
            Pred,
            I2,
            I4,
            I8,
            I16,
            I32,
            I64,
            U2,
            U4,
            U8,
            U16,
            U32,
            U64,
            F4E2M1FN,
            F6E2M3FN,
            F6E3M2FN,
            F8E3M4,
            F8E4M3,
            F8E4M3FN,
            F8E4M3B11FNUZ,
            F8E4M3FNUZ,
            F8E5M2,
            F8E5M2FNUZ,
            F8E8M0FNU,
            F16,
            BF16,
            F32,
            F64,
            C64,
            C128,
        ]
    };

    const NAMES: [&'static str; 30] = [
        "i1",
        "i2",
        "i4",
        "i8",
        "i16",
        "i32",
        "i64",
        "ui2",
        "ui4",
        "ui8",
        "ui16",
        "ui32",
        "ui64",
        "f4E2M1FN",
        "f6E2M3FN",
        "f6E3M2FN",
        "f8E3M4",
        "f8E4M3",
        "f8E4M3FN",
        "f8E4M3B11FNUZ",
        "f8E4M3FNUZ",
        "f8E5M2",
        "f8E5M2FNUZ",
        "f8E8M0FNU",
        "f16",
        "bf16",
        "f32",
        "f64",
        "complex<f32>",
        "complex<f64>",
    ];

    /// The kind with this code, or an error that names the code.
    pub fn from_code(code: i32) -> Result<ElementKind> {
        usize::try_from(code)
            .ok()
            .and_then(|i| Self::ALL.get(i).copied())
            .ok_or_else(|| Error::invalid(format!("{code} is not the code of an element type")))
    }

    /// The code used at the C border.
    pub fn code(self) -> i32 {
        self as i32
    }

    /// The type as MLIR writes it (`i1`, `ui8`, `f8E4M3FN`, `complex<f32>`, …).
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The inverse of [`ElementKind::name`].
    pub fn from_name(name: &str) -> Option<ElementKind> {
        Self::NAMES
            .iter()
            .position(|n| *n == name)
            .map(|i| Self::ALL[i])
    }

    /// Bytes that one element takes in memory.
    pub fn size(self) -> usize {
        use ElementKind::*;
        match self {
            I16 | U16 | F16 | BF16 => 2,
            I32 | U32 | F32 => 4,
            I64 | U64 | F64 | C64 => 8,
            C128 => 16,
            _ => 1,
        }
    }

    /// Bits that carry the value (1 for booleans, 4 for `i4`, 64 for `complex<f32>`).
    pub fn bit_width(self) -> u32 {
        use ElementKind::*;
        match self {
            Pred => 1,
            I2 | U2 => 2,
            I4 | U4 | F4E2M1FN => 4,
            F6E2M3FN | F6E3M2FN => 6,
            kind => 8 * kind.size() as u32,
        }
    }

    pub fn is_signed_integer(self) -> bool {
        (ElementKind::I2..=ElementKind::I64).contains(&self)
    }

    pub fn is_unsigned_integer(self) -> bool {
        (ElementKind::U2..=ElementKind::U64).contains(&self)
    }

    /// Signed or unsigned integers; booleans are not counted.
    pub fn is_integer(self) -> bool {
        self.is_signed_integer() || self.is_unsigned_integer()
    }

    pub fn is_float(self) -> bool {
        (ElementKind::F4E2M1FN..=ElementKind::F64).contains(&self)
    }

    pub fn is_complex(self) -> bool {
        matches!(self, ElementKind::C64 | ElementKind::C128)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_round_trip() {
        for (i, kind) in ElementKind::ALL.into_iter().enumerate() {
            assert_eq!(kind.code(), i as i32);
            assert_eq!(ElementKind::from_code(i as i32), Ok(kind));
            assert_eq!(ElementKind::from_name(kind.name()), Some(kind));
        }
        assert!(ElementKind::from_code(30).is_err());
        assert!(ElementKind::from_code(-1).is_err());
    }

    #[test]
    fn every_kind_is_of_exactly_one_class() {
        for kind in ElementKind::ALL {
            let classes = [
                kind == ElementKind::Pred,
                kind.is_signed_integer(),
                kind.is_unsigned_integer(),
                kind.is_float(),
                kind.is_complex(),
            ];
            assert_eq!(classes.iter().filter(|c| **c).count(), 1, "{kind:?}");
        }
    }
}
