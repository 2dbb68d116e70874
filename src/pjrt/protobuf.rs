//! Protocol buffers, as far as compile options need them: fields by their numbers, read and written
//! by hand.

use crate::status::{Result, Status};

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Fixed(u64),
}

impl<'a> Field<'a> {
    pub(crate) fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

fn truncated() -> Status {
    Status::invalid("the compile options end within a field")
}

fn varint(bytes: &mut &[u8]) -> Result<u64> {
    let mut value = 0u64;
    for shift in (0..70).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or_else(truncated)?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Status::invalid(
        "the compile options have a number of more than ten bytes",
    ))
}

fn take<'a>(bytes: &mut &'a [u8], count: u64) -> Result<&'a [u8]> {
    let count = usize::try_from(count).map_err(|_| truncated())?;
    let (head, rest) = bytes.split_at_checked(count).ok_or_else(truncated)?;
    *bytes = rest;
    Ok(head)
}

/// The fields of a message, in their order.
///
/// # Errors
/// The bytes are no message.
pub(crate) fn fields(mut bytes: &[u8]) -> Result<Vec<(u64, Field<'_>)>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let little = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0u64, |value, byte| value << 8 | u64::from(*byte))
        };
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes)?),
            1 => Field::Fixed(little(take(&mut bytes, 8)?)),
            2 => {
                let length = varint(&mut bytes)?;
                Field::Bytes(take(&mut bytes, length)?)
            }
            5 => Field::Fixed(little(take(&mut bytes, 4)?)),
            other => {
                let message = format!("the compile options have a field of wire type {other}");
                return Err(Status::invalid(message));
            }
        };
        found.push((key >> 3, field));
    }
    Ok(found)
}

/// The numbers of a repeated field, packed or one by one.
///
/// # Errors
/// Packed numbers that end within one.
pub(crate) fn numbers(field: Field<'_>, into: &mut Vec<u64>) -> Result<()> {
    match field {
        Field::Number(number) => into.push(number),
        Field::Bytes(mut packed) => {
            while !packed.is_empty() {
                into.push(varint(&mut packed)?);
            }
        }
        Field::Fixed(_) => {}
    }
    Ok(())
}

fn write_varint(mut value: u64, into: &mut Vec<u8>) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

/// Writes a field that is a number.
pub(crate) fn write_number(field: u64, value: u64, into: &mut Vec<u8>) {
    write_varint(field << 3, into);
    write_varint(value, into);
}

/// Writes a field that is a message or a text.
pub(crate) fn write_bytes(field: u64, bytes: &[u8], into: &mut Vec<u8>) {
    write_varint(field << 3 | 2, into);
    write_varint(bytes.len() as u64, into);
    into.extend(bytes);
}

/// Packed numbers, as the bytes of a field.
pub(crate) fn packed(values: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        write_varint(value, &mut bytes);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_the_encoding_says() {
        // The examples of the encoding's documentation: 150 in field 1, "testing" in field 2.
        assert_eq!(fields(&[8, 0x96, 1]).unwrap(), [(1, Field::Number(150))]);
        let text = fields(b"\x12\x07testing").unwrap();
        assert_eq!(text, [(2, Field::Bytes(b"testing"))]);
        let minus = [8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        assert_eq!(fields(&minus).unwrap(), [(1, Field::Number(u64::MAX))]);
        assert_eq!(fields(&[0x0d, 1, 0, 0, 0]).unwrap(), [(1, Field::Fixed(1))]);
        let mut all = Vec::new();
        numbers(Field::Bytes(&[3, 0x8e, 2]), &mut all).unwrap();
        assert_eq!(all, [3, 270]);
    }

    #[test]
    fn what_ends_too_early_is_an_error() {
        for wrong in [
            &b"\x12\x07test"[..],
            &[8],
            &[8, 0x96],
            &[0x0d, 1],
            &[0x0b],
            &[0xff; 12],
        ] {
            assert!(fields(wrong).is_err(), "{wrong:?}");
        }
        assert!(numbers(Field::Bytes(&[0x80]), &mut Vec::new()).is_err());
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        write_number(1, 300, &mut bytes);
        write_bytes(3, &packed([0, 128]), &mut bytes);
        let read = fields(&bytes).unwrap();
        assert_eq!(
            read,
            [(1, Field::Number(300)), (3, Field::Bytes(&[0, 0x80, 1]))]
        );
    }
}
