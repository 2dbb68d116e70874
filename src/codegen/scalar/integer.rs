//! Integers of any width, signed and unsigned, and booleans.

use crate::{
    error::{Result, unsupported},
    storage::Elem,
};
use mapwright_mlir::builder::CmpI;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, Val};

/// Booleans: addition is "or", multiplication "and", as the specification defines them. There is no
/// other arithmetic of them.
pub(crate) fn boolean<'c>(b: &Builder<'c>, name: &str, args: &[Elem<'c>]) -> Result<Elem<'c>> {
    let x = args[0].one();
    let y = args.get(1).map_or(x, |y| y.one());
    Ok(Elem::One(match name {
        "add" | "or" | "maximum" => b.ori(x, y),
        "multiply" | "and" | "minimum" | "square" => b.andi(x, y),
        "xor" => b.xori(x, y),
        "not" => b.xori(x, b.cint(1, x.r#type())),
        "real" | "conj" => x,
        _ => return unsupported(format!("'{name}' on booleans")),
    }))
}

/// Integers of `width` bits. Arithmetic wraps. Division by zero gives -1 (all ones when unsigned),
/// the remainder by zero is the dividend, and the least value divided by -1 is itself: what XLA
/// computes; the specification leaves them open.
pub(crate) fn apply<'c>(
    b: &Builder<'c>,
    name: &str,
    width: u32,
    unsigned: bool,
    args: &[Elem<'c>],
) -> Result<Elem<'c>> {
    let x = args[0].one();
    let y = args.get(1).map_or(x, |y| y.one());
    let ty = x.r#type();
    let c = |value: i64| b.cint(value, ty);
    Ok(Elem::One(match name {
        "add" => b.addi(x, y),
        "subtract" => b.subi(x, y),
        "multiply" => b.muli(x, y),
        "square" => b.muli(x, x),
        "negate" => b.subi(c(0), x),
        "and" => b.andi(x, y),
        "or" => b.ori(x, y),
        "xor" => b.xori(x, y),
        "not" => b.xori(x, c(-1)),
        "maximum" if unsigned => b.same("arith.maxui", &[x, y]),
        "maximum" => b.maxsi(x, y),
        "minimum" if unsigned => b.same("arith.minui", &[x, y]),
        "minimum" => b.minsi(x, y),
        "abs" if unsigned => x,
        "abs" => {
            let negative = b.cmpi(CmpI::Slt, x, c(0));
            b.select(negative, b.subi(c(0), x), x)
        }
        "sign" if unsigned => {
            let zero = b.cmpi(CmpI::Eq, x, c(0));
            b.select(zero, c(0), c(1))
        }
        "sign" => b.maxsi(b.minsi(x, c(1)), c(-1)),
        "popcnt" => b.math("ctpop", &[x]),
        "count_leading_zeros" => b.math("ctlz", &[x]),
        "divide" | "remainder" => divide(b, name, width, unsigned, x, y),
        "shift_left" | "shift_right_logical" | "shift_right_arithmetic" => {
            let inside = b.cmpi(CmpI::Ult, y, c(i64::from(width)));
            // An amount outside the width would be undefined: it is replaced before the shift, the
            // result after it.
            let amount = b.select(inside, y, c(0));
            match name {
                "shift_left" => b.select(inside, b.shli(x, amount), c(0)),
                "shift_right_logical" => b.select(inside, b.shrui(x, amount), c(0)),
                _ => b.shrsi(x, b.select(inside, y, c(i64::from(width - 1)))),
            }
        }
        "power" => power(b, width, unsigned, x, y),
        "real" | "conj" | "round_nearest_even" | "round_nearest_afz" | "floor" | "ceil" => x,
        _ => return unsupported(format!("'{name}' on integers")),
    }))
}

fn divide<'c>(
    b: &Builder<'c>,
    name: &str,
    width: u32,
    unsigned: bool,
    x: Val<'c>,
    y: Val<'c>,
) -> Val<'c> {
    let c = |value: i64| b.cint(value, x.r#type());
    let by_zero = b.cmpi(CmpI::Eq, y, c(0));
    let divide = name == "divide";
    if unsigned {
        let divisor = b.select(by_zero, c(1), y);
        return if divide {
            b.select(by_zero, c(-1), b.divui(x, divisor))
        } else {
            b.select(by_zero, x, b.remui(x, divisor))
        };
    }
    let least = c(i64::MIN >> (64 - width));
    let overflow = b.andi(b.cmpi(CmpI::Eq, x, least), b.cmpi(CmpI::Eq, y, c(-1)));
    let divisor = b.select(b.ori(by_zero, overflow), c(1), y);
    if divide {
        // The least value divided by 1 is already the answer.
        b.select(by_zero, c(-1), b.divsi(x, divisor))
    } else {
        b.select(by_zero, x, b.remsi(x, divisor))
    }
}

/// `x^y` by squaring, wrapping. A negative exponent gives 1 for base 1, alternating signs for -1,
/// otherwise 0.
fn power<'c>(b: &Builder<'c>, width: u32, unsigned: bool, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    let ty = x.r#type();
    let c = |value: i64| b.cint(value, ty);
    let (zero, one) = (c(0), c(1));
    let step = |b: &Builder<'c>, carried: &[Val<'c>]| {
        let (result, base, exponent) = (carried[0], carried[1], carried[2]);
        let odd = b.cmpi(CmpI::Ne, b.andi(exponent, one), zero);
        let result = b.select(odd, b.muli(result, base), result);
        // At width 1 a shift by one would leave the width.
        let rest = if width > 1 {
            b.shrui(exponent, one)
        } else {
            zero
        };
        vec![result, b.muli(base, base), rest]
    };
    let carried = if b.element_of(ty) == ty {
        // As long as there are bits. A loop of known length would be unrolled to a chain of
        // squares, whose number of paths LLVM's loop vectoriser walks (2^32 of them).
        b.while_loop(
            &[one, x, y],
            &[ty, ty, ty],
            |b, carried| (b.cmpi(CmpI::Ne, carried[2], zero), carried.to_vec()),
            step,
        )
    } else {
        // All lanes together.
        b.for_loop(
            b.cidx(0),
            b.cidx(i64::from(width)),
            b.cidx(1),
            &[one, x, y],
            |b, _, carried| step(b, carried),
        )
    };
    if unsigned {
        return carried[0];
    }
    let negative = b.cmpi(CmpI::Slt, y, zero);
    let odd = b.cmpi(CmpI::Ne, b.andi(y, one), zero);
    let minus_one = b.cmpi(CmpI::Eq, x, c(-1));
    let is_one = b.cmpi(CmpI::Eq, x, one);
    let alternating = b.select(odd, c(-1), one);
    let inverse = b.select(is_one, one, b.select(minus_one, alternating, zero));
    b.select(negative, inverse, carried[0])
}
