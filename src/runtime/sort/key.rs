//! Orders, and the mapping of elements to unsigned words in which the order is that of the numbers.

use crate::ElementKind;
use crate::convert;
use crate::multiversion::multiversion;

/// Order that a plain sort produces. The codes are those of `enum mw_order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Order {
    /// Smallest first. Floats: -0 equals +0, every NaN equals every other and is greater than
    /// everything.
    Ascending = 0,
    /// The reverse of `Ascending` (NaN first); equal elements still keep their order.
    Descending = 1,
    /// Floats by IEEE 754 `totalOrder`: -NaN < -inf < … < -0 < +0 < … < +inf < +NaN. Other types as
    /// `Ascending`.
    AscendingTotal = 2,
    /// The reverse of `AscendingTotal`; equal elements still keep their order.
    DescendingTotal = 3,
}

impl Order {
    pub fn from_code(code: i32) -> crate::Result<Order> {
        Ok(match code {
            0 => Order::Ascending,
            1 => Order::Descending,
            2 => Order::AscendingTotal,
            3 => Order::DescendingTotal,
            _ => {
                return Err(crate::Error::invalid(format!(
                    "{code} is not the code of an order"
                )));
            }
        })
    }

    pub fn is_descending(self) -> bool {
        matches!(self, Order::Descending | Order::DescendingTotal)
    }

    pub fn is_total(self) -> bool {
        matches!(self, Order::AscendingTotal | Order::DescendingTotal)
    }
}

/// Way in which the bits of an element become a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Unsigned,
    Signed,
    /// Sign and magnitude; the bits of infinity.
    Float(u64),
}

/// The words a kind is read as, with its mapping; `None` for kinds of one byte (a table) and
/// complex kinds (two keys).
pub(crate) fn shape(kind: ElementKind) -> Option<(u32, Shape)> {
    use ElementKind::*;
    Some(match kind {
        I16 => (16, Shape::Signed),
        I32 => (32, Shape::Signed),
        I64 => (64, Shape::Signed),
        U16 => (16, Shape::Unsigned),
        U32 => (32, Shape::Unsigned),
        U64 => (64, Shape::Unsigned),
        F16 => (16, Shape::Float(0x7c00)),
        BF16 => (16, Shape::Float(0x7f80)),
        F32 => (32, Shape::Float(0x7f80_0000)),
        F64 => (64, Shape::Float(0x7ff0_0000_0000_0000)),
        _ => return None,
    })
}

macro_rules! word_keys {
    ($name:ident, $kernel:ident, $word:ty) => {
        #[inline(always)]
        pub(crate) fn $kernel(bits: &[$word], keys: &mut [$word], shape: Shape, order: Order) -> bool {
            const SIGN: $word = 1 << (<$word>::BITS - 1);
            let flip: $word = if order.is_descending() { <$word>::MAX } else { 0 };
            let mut lossy = false;
            match shape {
                Shape::Unsigned => {
                    for (key, x) in keys.iter_mut().zip(bits) {
                        *key = x ^ flip;
                    }
                }
                Shape::Signed => {
                    for (key, x) in keys.iter_mut().zip(bits) {
                        *key = x ^ SIGN ^ flip;
                    }
                }
                Shape::Float(_) if order.is_total() => {
                    for (key, &x) in keys.iter_mut().zip(bits) {
                        *key = (if x & SIGN != 0 { !x } else { x | SIGN }) ^ flip;
                    }
                }
                Shape::Float(infinity) => {
                    let infinity = infinity as $word;
                    let mut lossy_bits = 0u8;
                    for (key, &x) in keys.iter_mut().zip(bits) {
                        let magnitude = x & !SIGN;
                        let ordered = if x & SIGN != 0 && magnitude != 0 { !x } else { x | SIGN };
                        let nan = magnitude > infinity;
                        lossy_bits |= u8::from(nan) | u8::from(x == SIGN);
                        *key = (if nan { <$word>::MAX } else { ordered }) ^ flip;
                    }
                    lossy = lossy_bits != 0;
                }
            }
            lossy
        }

        multiversion! {
            /// Writes the key of every element. Returns whether elements with different bits may
            /// have got the same key (negative zeros and NaN, in the orders that do not tell them
            /// apart).
            pub(crate) fn $name<>(bits: &[$word], keys: &mut [$word], shape: Shape, order: Order) -> bool = $kernel;
        }
    };
}

macro_rules! keys_back {
    ($inverse:ident, $inverse_kernel:ident, $word:ty) => {
        #[inline(always)]
        fn $inverse_kernel(keys: &[$word], bits: &mut [$word], shape: Shape, order: Order) {
            const SIGN: $word = 1 << (<$word>::BITS - 1);
            let flip: $word = if order.is_descending() { <$word>::MAX } else { 0 };
            for (x, &key) in bits.iter_mut().zip(keys) {
                let key = key ^ flip;
                *x = match shape {
                    Shape::Unsigned => key,
                    Shape::Signed => key ^ SIGN,
                    Shape::Float(_) => {
                        if key & SIGN != 0 { key & !SIGN } else { !key }
                    }
                };
            }
        }

        multiversion! {
            /// The elements of keys; of a class of equal elements, the one without a sign.
            pub(crate) fn $inverse<>(keys: &[$word], bits: &mut [$word], shape: Shape, order: Order) -> () = $inverse_kernel;
        }
    };
}

word_keys!(keys16, keys16_kernel, u16);
word_keys!(keys32, keys32_kernel, u32);
word_keys!(keys64, keys64_kernel, u64);
keys_back!(bits32, bits32_kernel, u32);
keys_back!(bits64, bits64_kernel, u64);

/// The key of each of the 256 patterns of a kind of one byte.
pub(crate) fn byte_keys(kind: ElementKind, order: Order) -> [u8; 256] {
    let mut keys = [0u8; 256];
    let flip = if order.is_descending() { 0xff } else { 0 };
    if kind.is_float() {
        // Rank by value. For a total order, ties between the zeros and among NaN are broken by
        // sign, then by the bits.
        let rank = |bits: u8| -> (f64, i32) {
            let value = convert::to_f64(kind, u64::from(bits));
            let negative = value.is_sign_negative();
            let total = order.is_total();
            if value.is_nan() {
                let sign = if total && negative { -1.0 } else { 1.0 };
                (
                    f64::NAN.copysign(sign),
                    if total {
                        i32::from(bits) * sign as i32
                    } else {
                        0
                    },
                )
            } else if total || value != 0.0 {
                (value, 0)
            } else {
                (0.0, 0)
            }
        };
        let mut patterns: Vec<u8> = (0..=255).collect();
        let compare = |a: &u8, b: &u8| {
            let ((a, s), (b, t)) = (rank(*a), rank(*b));
            a.total_cmp(&b).then(s.cmp(&t))
        };
        patterns.sort_by(compare);
        let mut next = 0u8;
        for (i, bits) in patterns.iter().enumerate() {
            if i > 0 && compare(&patterns[i - 1], bits).is_ne() {
                next += 1;
            }
            keys[*bits as usize] = next ^ flip;
        }
    } else {
        for (bits, key) in keys.iter_mut().enumerate() {
            let signed = if kind.is_signed_integer() { 0x80 } else { 0 };
            *key = bits as u8 ^ signed ^ flip;
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_floats_are_ranked_by_value() {
        for kind in ElementKind::ALL
            .into_iter()
            .filter(|k| k.is_float() && k.size() == 1)
        {
            let keys = byte_keys(kind, Order::Ascending);
            for a in 0..=255u8 {
                for b in 0..=255u8 {
                    let (x, y) = (
                        convert::to_f64(kind, a.into()),
                        convert::to_f64(kind, b.into()),
                    );
                    let expected = match (x.is_nan(), y.is_nan()) {
                        (false, false) => x.partial_cmp(&y).unwrap(),
                        (p, q) => p.cmp(&q),
                    };
                    assert_eq!(
                        keys[a as usize].cmp(&keys[b as usize]),
                        expected,
                        "{kind:?} {a:#x} {b:#x}"
                    );
                }
            }
        }
    }
}
