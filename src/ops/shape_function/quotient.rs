//! Quotients of numbers that sizes are computed with: division as the specification has it, and
//! what JAX and others write for division that rounds down.

use super::{Arithmetic, Found, Shapes, Size};
use crate::{
    attrs::{self, ComparisonDirection},
    typing::check::constant_ints,
};
use mapwright_mlir::{Op, Val, op};

/// The quotient, or what is left, of a number and a positive one.
struct Division<'c> {
    number: Val<'c>,
    divisor: Val<'c>,
    /// The remainder is meant.
    rest: bool,
    /// Rounded down, also where the number is negative; else towards zero.
    down: bool,
}

/// Element `index` of the result of `def`, if that is a quotient that rounds down, or what is left
/// of it, for a divisor that is known.
///
/// # Errors
/// Those of the domain.
pub(super) fn element<'c>(
    shapes: &mut dyn Shapes<'c>,
    def: Op<'c>,
    index: &[i64],
) -> Found<Option<Size>> {
    let Some(found) = division(def) else {
        return Ok(None);
    };
    let Some(divisor) = shapes
        .element(found.divisor, index)?
        .known()
        .filter(|n| *n > 0)
    else {
        return Ok(None);
    };
    let number = shapes.element(found.number, index)?;
    if !found.down && !is_positive(shapes, number)? {
        return Ok(None);
    }
    let what = if found.rest {
        Arithmetic::Rem
    } else {
        Arithmetic::Div
    };
    let part = shapes.arithmetic(what, number, Size::Known(divisor))?;
    Ok(Some(part))
}

/// Tells whether a number is known not to be negative.
fn is_positive<'c>(shapes: &mut dyn Shapes<'c>, number: Size) -> Found<bool> {
    let least = shapes.arithmetic(Arithmetic::Min, number, Size::Known(0))?;
    Ok(least.known() == Some(0))
}

/// Returns the operand that a `select` gives, where it is known.
///
/// # Errors
/// Those of the domain.
pub(super) fn selected<'c>(
    shapes: &mut dyn Shapes<'c>,
    def: Op<'c>,
    index: &[i64],
) -> Found<Option<Val<'c>>> {
    if !def.is_hlo("select") {
        return Ok(None);
    }
    let scalar = super::tensor(def.operand(0)).is_some_and(|ty| ty.rank() == 0);
    let at = if scalar { &[] } else { index };
    Ok(match truth(shapes, def.operand(0), at)? {
        Some(true) => Some(def.operand(1)),
        Some(false) => Some(def.operand(2)),
        None => None,
    })
}

/// A comparison of numbers, where it is known.
fn truth<'c>(shapes: &mut dyn Shapes<'c>, value: Val<'c>, index: &[i64]) -> Found<Option<bool>> {
    use ComparisonDirection::{Eq, Ge, Gt, Le, Lt, Ne};
    let Some((def, _)) = op::defining_op(value).filter(|(def, _)| def.is_hlo("compare")) else {
        return Ok(None);
    };
    let integers = super::tensor(def.operand(0)).is_some_and(|ty| ty.element.is_int());
    let (true, Ok(direction)) = (integers, attrs::comparison_direction(def)) else {
        return Ok(None);
    };
    let a = shapes.element(def.operand(0), index)?;
    let b = shapes.element(def.operand(1), index)?;
    let difference = shapes.arithmetic(Arithmetic::Sub, a, b)?;
    if let Some(sign) = difference.known().map(i64::signum) {
        return Ok(Some(match direction {
            Eq => sign == 0,
            Ne => sign != 0,
            Ge => sign >= 0,
            Gt => sign > 0,
            Le => sign <= 0,
            Lt => sign < 0,
        }));
    }
    Ok(match direction {
        Lt if is_positive(shapes, difference)? => Some(false),
        Ge if is_positive(shapes, difference)? => Some(true),
        _ => None,
    })
}

fn division<'c>(def: Op<'c>) -> Option<Division<'c>> {
    let direct = |rest| Division {
        number: def.operand(0),
        divisor: def.operand(1),
        rest,
        down: false,
    };
    match def.short_name() {
        "divide" => Some(direct(false)),
        "remainder" => Some(direct(true)),
        "select" => quotient_down(def).or_else(|| rest_down(def)),
        _ => None,
    }
}

fn defined<'c>(value: Val<'c>, name: &str) -> Option<Op<'c>> {
    let (def, _) = op::defining_op(value)?;
    def.is_hlo(name).then_some(def)
}

/// The two operands of a conjunction in either order, as `f` takes them.
fn both<'c, T>(value: Val<'c>, f: impl Fn(Op<'c>, Op<'c>) -> Option<T>) -> Option<T> {
    let and = defined(value, "and")?;
    let [a, b] = [0, 1].map(|i| defined(and.operand(i), "compare"));
    let (a, b) = (a?, b?);
    f(a, b).or_else(|| f(b, a))
}

fn compares(op: Op<'_>, direction: ComparisonDirection) -> bool {
    attrs::comparison_direction(op) == Ok(direction)
}

fn is_constant(value: Val<'_>, number: i64) -> bool {
    constant_ints(value).is_some_and(|all| !all.is_empty() && all.iter().all(|n| *n == number))
}

fn is_positive_constant(value: Val<'_>) -> bool {
    constant_ints(value).is_some_and(|all| !all.is_empty() && all.iter().all(|n| *n > 0))
}

/// `select(sign(a) != sign(b) and a % b != 0, a / b - 1, a / b)`.
fn quotient_down<'c>(select: Op<'c>) -> Option<Division<'c>> {
    let quotient = defined(select.operand(2), "divide")?;
    let less = defined(select.operand(1), "subtract")?;
    let own = less.operand(0) == quotient.result(0) && is_constant(less.operand(1), 1);
    let (a, b) = (quotient.operand(0), quotient.operand(1));
    let sign_of = |value: Val<'c>, of: Val<'c>| {
        defined(value, "sign").is_some_and(|sign| sign.operand(0) == of)
    };
    // Of a positive constant it may have been folded, or be that of another one.
    let sign_of_divisor = |value: Val<'c>| {
        let of_constant =
            || defined(value, "sign").is_some_and(|sign| is_positive_constant(sign.operand(0)));
        sign_of(value, b) || is_constant(value, 1) || of_constant()
    };
    let rounds = both(select.operand(0), |signs, rests| {
        let signs = compares(signs, ComparisonDirection::Ne)
            && sign_of(signs.operand(0), a)
            && sign_of_divisor(signs.operand(1));
        let rest = defined(rests.operand(0), "remainder")?;
        let rests = compares(rests, ComparisonDirection::Ne)
            && is_constant(rests.operand(1), 0)
            && (rest.operand(0), rest.operand(1)) == (a, b);
        (signs && rests).then_some(())
    });
    (own && rounds.is_some()).then_some(Division {
        number: a,
        divisor: b,
        rest: false,
        down: true,
    })
}

/// `select((r < 0) != (b < 0) and r != 0, r + b, r)` of `r = a % b`.
fn rest_down<'c>(select: Op<'c>) -> Option<Division<'c>> {
    let rest = defined(select.operand(2), "remainder")?;
    let more = defined(select.operand(1), "add")?;
    let (r, b) = (rest.result(0), rest.operand(1));
    let own = [more.operand(0), more.operand(1)];
    let negative = |value: Val<'c>, of: Val<'c>| {
        defined(value, "compare").is_some_and(|less| {
            compares(less, ComparisonDirection::Lt)
                && less.operand(0) == of
                && is_constant(less.operand(1), 0)
        })
    };
    // That a positive constant is less than zero may have been folded, or be said of another one.
    let negative_divisor = |value: Val<'c>| {
        let other = defined(value, "compare").map(|less| less.operand(0));
        let of_constant = || other.is_some_and(|x| is_positive_constant(x) && negative(value, x));
        negative(value, b) || is_constant(value, 0) || of_constant()
    };
    let rounds = both(select.operand(0), |signs, zero| {
        let signs = compares(signs, ComparisonDirection::Ne)
            && negative(signs.operand(0), r)
            && negative_divisor(signs.operand(1));
        let zero = compares(zero, ComparisonDirection::Ne)
            && zero.operand(0) == r
            && is_constant(zero.operand(1), 0);
        (signs && zero).then_some(())
    });
    let own = own == [r, b] || own == [b, r];
    (own && rounds.is_some()).then_some(Division {
        number: rest.operand(0),
        divisor: b,
        rest: true,
        down: true,
    })
}
