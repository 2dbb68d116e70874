//! Element types by the numbers of the C API, of the foreign function interface, and as programs
//! name them.

use crate::status::{Result, Status};
use mapwright_runtime::ElementKind;

/// An element type.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Element {
    /// `PJRT_Buffer_Type`.
    pub(crate) code: u32,
    /// XLA's `PrimitiveType`, which foreign functions are told.
    pub(crate) foreign: i32,
    pub(crate) kind: ElementKind,
}

const fn element(code: u32, foreign: i32, kind: ElementKind) -> Element {
    Element {
        code,
        foreign,
        kind,
    }
}

/// All that have a representation in memory.
static ELEMENTS: [Element; 30] = {
    use ElementKind::*;
    [
        element(1, 1, Pred),
        element(2, 2, I8),
        element(3, 3, I16),
        element(4, 4, I32),
        element(5, 5, I64),
        element(6, 6, U8),
        element(7, 7, U16),
        element(8, 8, U32),
        element(9, 9, U64),
        element(10, 10, F16),
        element(11, 11, F32),
        element(12, 12, F64),
        element(13, 16, BF16),
        element(14, 15, C64),
        element(15, 18, C128),
        element(16, 19, F8E5M2),
        element(17, 20, F8E4M3FN),
        element(18, 23, F8E4M3B11FNUZ),
        element(19, 24, F8E5M2FNUZ),
        element(20, 25, F8E4M3FNUZ),
        element(21, 21, I4),
        element(22, 22, U4),
        element(24, 26, I2),
        element(25, 27, U2),
        element(26, 28, F8E4M3),
        element(27, 29, F8E3M4),
        element(28, 33, F8E8M0FNU),
        element(29, 32, F4E2M1FN),
        element(32, 34, F6E2M3FN),
        element(33, 35, F6E3M2FN),
    ]
};

impl Element {
    /// By `PJRT_Buffer_Type`.
    ///
    /// # Errors
    /// There is none that has a representation.
    pub(crate) fn from_code(code: u32) -> Result<&'static Self> {
        let found = ELEMENTS.iter().find(|element| element.code == code);
        found.ok_or_else(|| Status::unimplemented(format!("buffers of element type {code}")))
    }

    /// By the spelling in programs.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        let kind = ElementKind::from_name(name)?;
        ELEMENTS.iter().find(|element| element.kind == kind)
    }

    /// By the kind of a buffer of the runtime.
    pub(crate) fn of_kind(kind: ElementKind) -> Option<&'static Self> {
        ELEMENTS.iter().find(|element| element.kind == kind)
    }

    /// Bytes of an element, on the host as on a device.
    pub(crate) fn width(&self) -> usize {
        self.kind.size()
    }

    /// Bits that are less than a byte.
    pub(crate) fn few_bits(&self) -> Option<u32> {
        let bits = self.kind.bit_width();
        (bits < 8 && self.kind != ElementKind::Pred).then_some(bits)
    }

    /// Brings elements of less than a byte, whose upper bits the host leaves open, into the form
    /// that programs expect: with the sign extended, or with zeros.
    pub(crate) fn normalise(&self, bytes: &mut [u8]) {
        let Some(bits) = self.few_bits() else { return };
        let unused = 8 - bits;
        for byte in bytes {
            let high = *byte << unused;
            *byte = if self.kind.is_signed_integer() {
                ((high as i8) >> unused) as u8
            } else {
                high >> unused
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_bits_follow_the_sign_of_integers() {
        let mut bytes = [0xf7, 0x08, 0x78];
        Element::named("i4").unwrap().normalise(&mut bytes);
        assert_eq!(bytes.map(|byte| byte as i8), [7, -8, -8]);
        let mut bytes = [0xf7, 0x08, 0x78];
        Element::named("ui4").unwrap().normalise(&mut bytes);
        assert_eq!(bytes, [7, 8, 8]);
        let mut bytes = [0xff];
        Element::named("f4E2M1FN").unwrap().normalise(&mut bytes);
        assert_eq!(bytes, [15]);
        let mut bytes = [0xff];
        Element::named("i8").unwrap().normalise(&mut bytes);
        assert_eq!(bytes, [0xff]);
    }

    #[test]
    fn codes_are_found_again() {
        for element in &ELEMENTS {
            assert_eq!(Element::from_code(element.code).ok(), Some(element));
            assert_eq!(Element::named(element.kind.name()), Some(element));
        }
        assert!(Element::from_code(23).is_err(), "tokens have no buffers");
        assert!(Element::from_code(0).is_err());
    }
}
