//! Named values: options that come in, attributes that go out.

use crate::border::{Record, abi::plain::NamedValue, parts, slice, text};

/// Value of an option.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Int(i64),
    Ints(Vec<i64>),
    Float(f32),
    Bool(bool),
    Unknown(u32),
}

impl Value {
    /// A number, also one that is written as a text, as those of the environment are.
    pub(crate) fn number(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }
}

/// The options of a call.
pub(crate) fn options(first: *const NamedValue, count: usize) -> Vec<(String, Value)> {
    let one = |named: &NamedValue| {
        // The place of the value is that of a number, of the start of a text or of a list.
        let address = std::ptr::with_exposed_provenance::<u8>(named.value as usize);
        let value = match named.kind {
            0 => Value::Text(text(address.cast(), named.value_size)),
            1 => Value::Int(named.value),
            2 => Value::Ints(slice(address.cast::<i64>(), named.value_size).to_vec()),
            3 => Value::Float(f32::from_bits(named.value as u32)),
            4 => Value::Bool(named.value & 0xff != 0),
            other => Value::Unknown(other),
        };
        (text(named.name, named.name_size), value)
    };
    slice(first, count).iter().map(one).collect()
}

fn named(name: &'static str, kind: u32, value: i64, size: usize) -> NamedValue {
    let (start, length) = parts(name);
    NamedValue {
        name: start,
        name_size: length,
        kind,
        value,
        value_size: size,
        ..NamedValue::zeroed()
    }
}

/// An attribute that is a number.
pub(crate) fn int(name: &'static str, value: i64) -> NamedValue {
    named(name, 1, value, 1)
}

/// An attribute that is a list of numbers.
pub(crate) fn ints(name: &'static str, values: &'static [i64]) -> NamedValue {
    let address = values.as_ptr().expose_provenance() as i64;
    named(name, 2, address, values.len())
}

/// An attribute that is a real number.
pub(crate) fn float(name: &'static str, value: f32) -> NamedValue {
    named(name, 3, i64::from(value.to_bits()), 1)
}
