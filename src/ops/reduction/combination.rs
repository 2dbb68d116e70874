//! What reductions combine elements with in any order and any grouping, and the elements that
//! change nothing.

use mapwright_mlir::{ElementType, FloatKind};

/// Operation of two operands that is associative and commutative but for rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// `add`; of truth values that is `or`.
    Sum,
    /// `multiply`; of truth values that is `and`.
    Product,
    /// `maximum`, which is NaN where an operand is.
    Maximum,
    /// `minimum`, which is NaN where an operand is.
    Minimum,
    /// `and`, of the bits of integers or of truth values.
    And,
    /// `or`, likewise.
    Or,
    /// `xor`, likewise.
    Xor,
}

/// The element that changes nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Neutral {
    /// Of a floating-point format.
    Float(f64),
    /// Of an integer type, with its sign; a truth value is 0 or 1.
    Int(i128),
}

impl Combination {
    /// The element that changes nothing. Of floats it is a number of the reals with infinities,
    /// which not every format has.
    pub fn neutral(self, element: &ElementType) -> Option<Neutral> {
        use Combination::{And, Maximum, Minimum, Or, Product, Sum, Xor};
        let (least, greatest) = match element {
            ElementType::Float(_) => {
                return Some(Neutral::Float(match self {
                    // Zero with the sign that keeps the other one.
                    Sum => -0.0,
                    Product => 1.0,
                    Maximum => f64::NEG_INFINITY,
                    Minimum => f64::INFINITY,
                    And | Or | Xor => return None,
                }));
            }
            ElementType::Bool => (0, 1),
            ElementType::Int { width, unsigned } => {
                let all = (1i128 << width) - 1;
                if *unsigned {
                    (0, all)
                } else {
                    (-(all >> 1) - 1, all >> 1)
                }
            }
            _ => return None,
        };
        Some(Neutral::Int(match self {
            Sum | Or | Xor => 0,
            Product => 1,
            // All bits, which are -1 where there is a sign.
            And if least < 0 => -1,
            And | Minimum => greatest,
            Maximum => least,
        }))
    }
}

impl Neutral {
    /// The bits of it in memory, in formats of eight bytes at most that have it.
    pub fn bits(self, element: &ElementType) -> Option<u64> {
        let width = element.bit_width()?;
        match (self, element) {
            (Neutral::Float(x), ElementType::Float(FloatKind::F64)) => Some(x.to_bits()),
            (Neutral::Float(x), ElementType::Float(FloatKind::F32)) => {
                Some(u64::from((x as f32).to_bits()))
            }
            (Neutral::Float(x), ElementType::Float(FloatKind::BF16)) => {
                Some(u64::from((x as f32).to_bits() >> 16))
            }
            (Neutral::Float(x), ElementType::Float(FloatKind::F16)) => {
                let sign = u64::from(x.is_sign_negative()) << 15;
                Some(match x.abs() {
                    0.0 => sign,
                    1.0 => sign | 0x3c00,
                    _ => sign | 0x7c00,
                })
            }
            (Neutral::Int(n), ElementType::Bool | ElementType::Int { .. }) if width <= 64 => {
                Some(n as u64 & (u64::MAX >> (64 - width)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_changed_by_nothing() {
        use Combination::{And, Maximum, Minimum, Or, Product, Sum, Xor};
        for unsigned in [false, true] {
            let element = ElementType::Int { width: 4, unsigned };
            let wrap = |n: i128| if unsigned { n & 15 } else { ((n & 15) ^ 8) - 8 };
            for x in (0..16).map(wrap) {
                for what in [Sum, Product, Maximum, Minimum, And, Or, Xor] {
                    let Some(Neutral::Int(n)) = what.neutral(&element) else {
                        panic!("{what:?} of integers");
                    };
                    assert_eq!(wrap(n), n, "{what:?}");
                    let both = match what {
                        Sum => x + n,
                        Product => x * n,
                        Maximum => x.max(n),
                        Minimum => x.min(n),
                        And => x & n,
                        Or => x | n,
                        Xor => x ^ n,
                    };
                    assert_eq!(wrap(both), x, "{what:?} of {x} and {n}");
                }
            }
        }
    }
}
