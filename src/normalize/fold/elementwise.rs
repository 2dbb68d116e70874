//! Element by element.

use super::{
    number::{Number, decode, encode},
    tensor::Tensor,
};
use mapwright_mlir::{ElementType, Op};

/// The result of an element-wise operation; scalars among the operands (of `select`, `clamp`) stand
/// for all elements.
pub fn evaluate(op: Op<'_>, operands: &[Tensor], result: &Tensor) -> Option<Tensor> {
    let count = result.count();
    let fits = operands
        .iter()
        .all(|operand| operand.shape == result.shape || operand.shape.is_empty());
    if !fits {
        return None;
    }
    let at = |operand: &'_ Tensor, i: usize| if operand.count() == 1 { 0 } else { i };
    let mut data = Vec::with_capacity(count * result.width);
    for i in 0..count {
        let elements: Vec<&[u8]> = operands
            .iter()
            .map(|operand| operand.at(at(operand, i)))
            .collect();
        data.extend(element(op, operands, &elements, result)?);
    }
    Some(result.with(data))
}

/// One element of the result.
fn element(
    op: Op<'_>,
    operands: &[Tensor],
    elements: &[&[u8]],
    result: &Tensor,
) -> Option<Vec<u8>> {
    let name = op.short_name();
    // What only looks at bits, also of types that are not computed with.
    match (name, elements) {
        ("select", [pred, yes, no]) => {
            return Some(if pred[0] != 0 { yes } else { no }.to_vec());
        }
        ("complex", [re, im]) => return Some([*re, *im].concat()),
        ("real", [both]) => return Some(both[..result.width].to_vec()),
        // A real number has no imaginary part.
        ("imag", [real]) if real.len() == result.width => return Some(vec![0; result.width]),
        ("imag", [both]) => return Some(both[both.len() - result.width..].to_vec()),
        _ => {}
    }
    // A sign bit.
    if let ("negate" | "abs", ElementType::Float(kind)) = (name, &result.element) {
        decode(elements[0], &ElementType::Float(*kind))?;
        let mut bytes = elements[0].to_vec();
        let last = bytes.len() - 1;
        bytes[last] = match name {
            "negate" => bytes[last] ^ 0x80,
            _ => bytes[last] & 0x7f,
        };
        return Some(bytes);
    }
    if let ElementType::Complex(kind) = operands[0].element {
        return complex(op, name, elements, &ElementType::Float(kind));
    }
    let numbers: Vec<Number> = elements
        .iter()
        .zip(operands)
        .map(|(bytes, operand)| decode(bytes, &operand.element))
        .collect::<Option<_>>()?;
    let number = match (name, &numbers[..]) {
        ("convert" | "index_cast", [number]) => return convert(*number, &result.element),
        ("compare", [a, b]) => Number::Int(i128::from(compare(op, *a, *b)?)),
        ("clamp", [low, value, high]) => {
            let raised = extreme(*value, *low, true)?;
            extreme(raised, *high, false)?
        }
        ("maximum", [a, b]) => extreme(*a, *b, true)?,
        ("minimum", [a, b]) => extreme(*a, *b, false)?,
        (name, [Number::Int(a)]) => Number::Int(int_unary(name, *a, &operands[0].element)?),
        (name, [Number::Int(a), Number::Int(b)]) => {
            Number::Int(int_binary(name, *a, *b, &result.element)?)
        }
        ("is_finite", [Number::Float(a)]) => Number::Int(i128::from(a.is_finite())),
        (name, [Number::Float(a)]) => Number::Float(float_unary(name, *a)?),
        (name, [Number::Float(a), Number::Float(b)]) => Number::Float(float_binary(name, *a, *b)?),
        _ => return None,
    };
    encode(number, &result.element)
}

/// Folds operations that work on real and imaginary parts by themselves. Products are left alone:
/// they round differently from one implementation to the other.
fn complex(op: Op<'_>, name: &str, elements: &[&[u8]], part: &ElementType) -> Option<Vec<u8>> {
    let width = part.byte_width()?;
    let parts = |i: usize| {
        let number = |bytes: &[u8]| match decode(bytes, part)? {
            Number::Float(value) => Some(value),
            Number::Int(_) => None,
        };
        let (re, im) = elements.get(i)?.split_at_checked(width)?;
        Some((number(re)?, number(im)?))
    };
    let join = |re: f64, im: f64| {
        let parts = [
            encode(Number::Float(re), part)?,
            encode(Number::Float(im), part)?,
        ];
        Some(parts.concat())
    };
    match name {
        "negate" => {
            let mut bytes = elements.first()?.to_vec();
            bytes[width - 1] ^= 0x80;
            bytes[2 * width - 1] ^= 0x80;
            Some(bytes)
        }
        "add" | "subtract" => {
            let ((a, b), (c, d)) = (parts(0)?, parts(1)?);
            join(float_binary(name, a, c)?, float_binary(name, b, d)?)
        }
        "compare" => {
            let ((a, b), (c, d)) = (parts(0)?, parts(1)?);
            let re = compare(op, Number::Float(a), Number::Float(c))?;
            let im = compare(op, Number::Float(b), Number::Float(d))?;
            // Equal in both parts, or different in one.
            let same = op.text("comparison_direction")?.contains("EQ");
            Some(vec![u8::from(if same { re && im } else { re || im })])
        }
        _ => None,
    }
}

/// `convert`, where the result is defined.
fn convert(number: Number, to: &ElementType) -> Option<Vec<u8>> {
    let number = match (number, to) {
        (Number::Float(value), ElementType::Bool) => Number::Int(i128::from(value != 0.0)),
        (Number::Float(value), ElementType::Int { width, unsigned }) => {
            let whole = value.trunc();
            let (low, high) = if *unsigned {
                (0.0, 2f64.powi(*width as i32))
            } else {
                (
                    -(2f64.powi(*width as i32 - 1)),
                    2f64.powi(*width as i32 - 1),
                )
            };
            // NaN is not in the range either.
            if !(whole >= low && whole < high) {
                return None;
            }
            Number::Int(whole as i128)
        }
        (number, _) => number,
    };
    encode(number, to)
}

/// The greater (or smaller) one; NaN if one is, and -0.0 below 0.0.
fn extreme(a: Number, b: Number, greater: bool) -> Option<Number> {
    Some(match (a, b) {
        (Number::Int(a), Number::Int(b)) => Number::Int(if greater { a.max(b) } else { a.min(b) }),
        (Number::Float(a), Number::Float(b)) => Number::Float(if a.is_nan() || b.is_nan() {
            f64::NAN
        } else if (a.total_cmp(&b) == std::cmp::Ordering::Greater) == greater {
            a
        } else {
            b
        }),
        _ => return None,
    })
}

fn compare(op: Op<'_>, a: Number, b: Number) -> Option<bool> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let has = |text: Option<String>, name: &str| {
        text.is_some_and(|text| {
            text.split(|c: char| !c.is_ascii_alphanumeric())
                .any(|word| word == name)
        })
    };
    if has(op.text("compare_type"), "TOTALORDER") {
        return None;
    }
    let order = match (a, b) {
        (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b),
        _ => return None,
    };
    let is = |name: &str| has(op.text("comparison_direction"), name);
    Some(if is("NE") {
        order != Some(Equal)
    } else if is("EQ") {
        order == Some(Equal)
    } else if is("LT") {
        order == Some(Less)
    } else if is("GT") {
        order == Some(Greater)
    } else if is("LE") {
        matches!(order, Some(Less | Equal))
    } else if is("GE") {
        matches!(order, Some(Greater | Equal))
    } else {
        return None;
    })
}

fn int_unary(name: &str, a: i128, element: &ElementType) -> Option<i128> {
    let width = match element {
        ElementType::Bool => 1,
        ElementType::Int { width, .. } => *width,
        ElementType::Index => 64,
        _ => return None,
    };
    let bits = (a as u128) & ((1u128 << width) - 1);
    Some(match name {
        "not" if *element == ElementType::Bool => i128::from(a == 0),
        "not" => !a,
        "negate" => -a,
        // The most negative one has no absolute value.
        "abs" if !element.is_unsigned() && a == -(1i128 << (width - 1)) => return None,
        "abs" => a.abs(),
        "sign" => a.signum(),
        "popcnt" => i128::from(bits.count_ones()),
        "count_leading_zeros" => i128::from(bits.leading_zeros() - (128 - width)),
        _ => return None,
    })
}

fn int_binary(name: &str, a: i128, b: i128, element: &ElementType) -> Option<i128> {
    let (width, boolean) = match element {
        ElementType::Bool => (1, true),
        ElementType::Int { width, .. } => (*width, false),
        ElementType::Index => (64, false),
        _ => return None,
    };
    let least = !element.is_unsigned() && a == -(1i128 << (width - 1));
    let bits = a & ((1i128 << width) - 1);
    Some(match name {
        "add" if boolean => a | b,
        "multiply" if boolean => a & b,
        "add" => a + b,
        "subtract" => a - b,
        "multiply" => a.wrapping_mul(b),
        "divide" | "remainder" if b == 0 || (least && b == -1) || boolean => return None,
        "divide" => a / b,
        "remainder" => a % b,
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        // Shifts by more than there are bits are not defined.
        "shift_left" | "shift_right_logical" | "shift_right_arithmetic"
            if !(0..i128::from(width)).contains(&b) =>
        {
            return None;
        }
        "shift_left" => a << b,
        "shift_right_logical" => bits >> b,
        // Of the bits as a signed number, whatever the type.
        "shift_right_arithmetic" => ((bits << (128 - width)) >> (128 - width)) >> b,
        "power" if b >= 0 && !boolean => {
            let (mut base, mut exponent, mut product) = (a, b, 1i128);
            while exponent > 0 {
                if exponent & 1 == 1 {
                    product = wrap(product.wrapping_mul(base));
                }
                base = wrap(base.wrapping_mul(base));
                exponent >>= 1;
            }
            product
        }
        _ => return None,
    })
}

/// Keeps products of products within what `i128` multiplies exactly, modulo 2^64.
fn wrap(value: i128) -> i128 {
    i128::from(value as u64)
}

/// Operations that are exact, or correctly rounded: computed in `f64` and rounded once more they
/// are so in the narrower formats, whose precision is less than half.
fn float_unary(name: &str, a: f64) -> Option<f64> {
    Some(match name {
        "floor" => a.floor(),
        "ceil" => a.ceil(),
        "round_nearest_afz" => a.round(),
        "round_nearest_even" => a.round_ties_even(),
        "sqrt" => a.sqrt(),
        // Zeros keep their signs, NaN stays.
        "sign" if a == 0.0 || a.is_nan() => a,
        "sign" => a.signum(),
        "real" => a,
        _ => return None,
    })
}

fn float_binary(name: &str, a: f64, b: f64) -> Option<f64> {
    Some(match name {
        "add" => a + b,
        "subtract" => a - b,
        "multiply" => a * b,
        "divide" => a / b,
        // Exact: the sign is that of the dividend.
        "remainder" => a % b,
        _ => return None,
    })
}
