//! Divisions by a constant whose quotient may be computed by multiplications: what is divided is
//! known to be neither too large nor too small, or the quotient is rounded to an integer between
//! limits, beyond which it makes no difference.

use mapwright_mlir::{ElementType, Op, Val, ValueType, attr::Dense, op};

/// Powers of two between which magnitudes are far from overflow and from what is subnormal, with
/// those of the remainders.
const LEAST: f64 = 1.0 / (1u64 << 60) as f64;
const GREATEST: f64 = (1u64 << 60) as f64;

/// Operations that are looked at from one to the next, at most.
const DEPTH: usize = 8;

/// Such a division of `f32`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByConstant {
    /// Divisor.
    pub divisor: f32,
    /// Dividends of a greater magnitude (infinite ones, too) may be taken for this one with their
    /// sign.
    pub limit: Option<f32>,
}

/// Whether `op` is a division by one number whose rounded quotient, or what is made of it, follows
/// from products that are corrected.
pub fn by_constant(op: Op<'_>) -> Option<ByConstant> {
    if !op.is_hlo("divide") || element(op.result(0))? != ElementType::F32 {
        return None;
    }
    let divisor = number(op.operand(1))?;
    if !(LEAST.sqrt()..=GREATEST.sqrt()).contains(&divisor.abs()) {
        return None;
    }
    let limit = match magnitudes(op.operand(0), DEPTH) {
        Some(_) => None,
        None => Some(least_power(greatest_of_rounded(op)? * divisor.abs())?),
    };
    Some(ByConstant {
        divisor: divisor as f32,
        limit,
    })
}

/// The least and the greatest magnitude of a value other than zero, which is not negative; `None`
/// where they are not known, or beyond the limits above.
fn magnitudes(value: Val<'_>, depth: usize) -> Option<(f64, f64)> {
    let (op, _) = op::defining_op(value)?;
    let depth = depth.checked_sub(1)?;
    if op.is_hlo("convert") {
        return match element(op.operand(0))? {
            ElementType::Int { width, .. } => Some((1.0, (width as f64).exp2())),
            _ => None,
        };
    }
    if op.is_hlo("broadcast_in_dim") {
        return magnitudes(op.operand(0), depth);
    }
    if !op.is_hlo("multiply") {
        return None;
    }
    let (value, factor) = match (number(op.operand(0)), number(op.operand(1))) {
        (Some(factor), None) => (op.operand(1), factor),
        (None, Some(factor)) => (op.operand(0), factor),
        _ => return None,
    };
    let (least, greatest) = magnitudes(value, depth)?;
    // A negative factor makes a negative zero. Rounding is far less than a factor of two.
    let product = (least * factor / 2.0, greatest * factor * 2.0);
    (factor > 0.0 && product.0 >= LEAST && product.1 <= GREATEST).then_some(product)
}

/// Returns a magnitude beyond which the result of `op` is cut off, where it only goes through
/// additions of numbers, a rounding to an integer, two limits and a conversion to an integer.
fn greatest_of_rounded(op: Op<'_>) -> Option<f64> {
    let mut at = op.result(0);
    let mut moved = 0.0f64;
    let mut rounded = false;
    let (mut above, mut below) = (None, None);
    for _ in 0..DEPTH {
        let [(user, _)] = op::uses(at)[..] else {
            return None;
        };
        if user.is_hlo("convert") {
            let is_integer = matches!(element(user.result(0))?, ElementType::Int { .. });
            let limit: f64 = f64::abs(above?) + f64::abs(below?) + moved + 2.0;
            return (is_integer && rounded).then_some(2.0 * limit);
        }
        if user.is_hlo("round_nearest_even") {
            rounded = true;
        } else {
            let other = (user.operands().into_iter()).find(|v| op::key(*v) != op::key(at))?;
            let constant = number(other)?;
            match (user.short_name(), rounded) {
                ("add" | "subtract", false) if user.is_hlo(user.short_name()) => {
                    moved += constant.abs();
                }
                ("maximum", true) if below.is_none() => below = Some(constant),
                ("minimum", true) if above.is_none() => above = Some(constant),
                _ => return None,
            }
        }
        at = user.result(0);
    }
    None
}

/// The least power of two that is at least `x`, where it is no more than the limit.
fn least_power(x: f64) -> Option<f32> {
    (x <= GREATEST).then(|| x.log2().ceil().exp2() as f32)
}

/// The number that `value` is everywhere, if it is a finite constant of `f32`.
fn number(value: Val<'_>) -> Option<f64> {
    let (mut op, _) = op::defining_op(value)?;
    if op.is_hlo("broadcast_in_dim") {
        op = op::defining_op(op.operand(0))?.0;
    }
    if !op.is_hlo("constant") {
        return None;
    }
    let dense = op.attribute("value").and_then(Dense::splat_of)?;
    if dense.ty.element != ElementType::F32 {
        return None;
    }
    let bytes: [u8; 4] = dense.data.get(..4)?.try_into().ok()?;
    let number = f64::from(f32::from_le_bytes(bytes));
    number.is_finite().then_some(number)
}

fn element(value: Val<'_>) -> Option<ElementType> {
    use mapwright_mlir::melior::ir::ValueLike;
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(ty) => Some(ty.element),
        _ => None,
    }
}
