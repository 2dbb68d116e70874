//! Conversions between element types, by value (`convert`) and by bits (`bitcast_convert` of equal
//! widths).

use super::narrow;
use crate::{
    error::{Result, unsupported},
    storage::{Elem, from_storage, to_storage, value_type},
};
use mapwright_mlir::builder::{CmpF, CmpI};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, FloatKind, Ty, Val};

/// `convert`: to booleans "is not zero"; between integers by cutting or extending; from floats to
/// integers towards zero, clamped to the range, NaN to 0; to floats to nearest, ties to even; from
/// complex the real part, to complex with imaginary part 0.
pub fn convert<'c>(
    b: &Builder<'c>,
    from: &ElementType,
    to: &ElementType,
    x: Elem<'c>,
) -> Result<Elem<'c>> {
    if from == to {
        return Ok(x);
    }
    let v = x.one();
    let target = b.like(v.r#type(), value_type(b, to)?);
    let int = |e: &ElementType| match e {
        ElementType::Int { width, unsigned } => Some((*width, *unsigned)),
        ElementType::Index => Some((64, false)),
        _ => None,
    };
    if let ElementType::Complex(kind) = to {
        let part = ElementType::Float(*kind);
        if let ElementType::Complex(own) = from {
            let (re, im) = x.pair();
            let own = ElementType::Float(*own);
            let re = convert(b, &own, &part, Elem::One(re))?.one();
            let im = convert(b, &own, &part, Elem::One(im))?.one();
            return Ok(Elem::Pair(re, im));
        }
        let re = convert(b, from, &part, x)?.one();
        return Ok(Elem::Pair(re, b.cfloat(0.0, re.r#type())));
    }
    if let ElementType::Complex(own) = from {
        return convert(b, &ElementType::Float(*own), to, Elem::One(v));
    }
    Ok(Elem::One(match (from, to) {
        (ElementType::Float(_), ElementType::Bool) => {
            b.cmpf(CmpF::Une, v, b.cfloat(0.0, v.r#type()))
        }
        (_, ElementType::Bool) if int(from).is_some() => b.cmpi(CmpI::Ne, v, b.cint(0, v.r#type())),
        (ElementType::Bool, _) if int(to).is_some() => {
            resize(b, v, target, 1, int(to).unwrap_or((64, false)).0, true)
        }
        (ElementType::Bool, ElementType::Float(_)) => b.cast("arith.uitofp", v, target),
        (ElementType::Float(_), _) if int(to).is_some() => {
            let (width, unsigned) = int(to).unwrap_or((64, false));
            float_to_int(b, v, target, width, unsigned)
        }
        (_, ElementType::Float(kind)) if int(from).is_some() => {
            let (width, unsigned) = int(from).unwrap_or((64, false));
            int_to_float(b, v, *kind, width, unsigned)
        }
        (ElementType::Float(from), ElementType::Float(to)) => {
            float_to_float(b, v, *from, *to, target)
        }
        _ => match (int(from), int(to)) {
            (Some((old, unsigned)), Some((new, _))) => resize(b, v, target, old, new, unsigned),
            _ => return unsupported(format!("conversion from {from} to {to}")),
        },
    }))
}

fn resize<'c>(
    b: &Builder<'c>,
    v: Val<'c>,
    target: Ty<'c>,
    old: u32,
    new: u32,
    unsigned: bool,
) -> Val<'c> {
    match (new.cmp(&old), unsigned) {
        (std::cmp::Ordering::Equal, _) => v,
        (std::cmp::Ordering::Less, _) => b.cast("arith.trunci", v, target),
        (_, true) => b.cast("arith.extui", v, target),
        (_, false) => b.cast("arith.extsi", v, target),
    }
}

fn float_to_float<'c>(
    b: &Builder<'c>,
    v: Val<'c>,
    from: FloatKind,
    to: FloatKind,
    target: Ty<'c>,
) -> Val<'c> {
    match (from, to) {
        (FloatKind::F64, FloatKind::F64) => v,
        (FloatKind::F64, FloatKind::F32) => b.cast("arith.truncf", v, target),
        // Rounding twice could go wrong at ties; to odd first cannot.
        (FloatKind::F64, _) => narrow::round(b, to, truncate_to_odd(b, v, target)),
        (_, FloatKind::F64) => b.cast("arith.extf", v, target),
        _ => narrow::round(b, to, v),
    }
}

/// `f64` to `f32`, inexact results rounded to the neighbour whose last bit is 1: a later rounding
/// to fewer bits is then correct.
pub(crate) fn truncate_to_odd<'c>(b: &Builder<'c>, v: Val<'c>, target: Ty<'c>) -> Val<'c> {
    let near = b.cast("arith.truncf", v, target);
    let back = b.cast("arith.extf", near, v.r#type());
    let bits = b.cast("arith.bitcast", near, b.like(target, b.int(32)));
    let c = |value: i64| b.cint(value, bits.r#type());
    let inexact = b.cmpf(CmpF::One, back, v);
    let even = b.cmpi(CmpI::Eq, b.andi(bits, c(1)), c(0));
    let adjust = b.andi(inexact, even);
    let below = b.cmpf(CmpF::Olt, b.math("absf", &[back]), b.math("absf", &[v]));
    let neighbour = b.select(below, b.addi(bits, c(1)), b.subi(bits, c(1)));
    let odd = b.cast("arith.bitcast", b.select(adjust, neighbour, bits), target);
    // An infinity is itself, and so is what overflowed (its neighbour is the greatest number, which
    // is odd).
    odd
}

fn int_to_float<'c>(
    b: &Builder<'c>,
    v: Val<'c>,
    kind: FloatKind,
    width: u32,
    unsigned: bool,
) -> Val<'c> {
    let name = if unsigned {
        "arith.uitofp"
    } else {
        "arith.sitofp"
    };
    let scalar = |ty: Ty<'c>| b.like(v.r#type(), ty);
    match kind {
        FloatKind::F64 => b.cast(name, v, scalar(b.f64())),
        FloatKind::F32 => b.cast(name, v, scalar(b.f32())),
        // Exact in f32.
        _ if width <= 16 => narrow::round(b, kind, b.cast(name, v, scalar(b.f32()))),
        _ => {
            let mut v = v;
            if width == 64 {
                // Beyond 53 bits the low bits only matter as "not zero": fold them into one bit
                // that f64 can hold.
                let c = |value: i64| b.cint(value, v.r#type());
                let low = b.andi(v, c(0xfff));
                let sticky = b.select(b.cmpi(CmpI::Ne, low, c(0)), c(0x800), c(0));
                let folded = b.ori(b.andi(v, c(!0xfff)), sticky);
                let limit = c(1 << 53);
                let large = if unsigned {
                    b.cmpi(CmpI::Uge, v, limit)
                } else {
                    b.ori(
                        b.cmpi(CmpI::Sge, v, limit),
                        b.cmpi(CmpI::Sle, v, c(-(1 << 53))),
                    )
                };
                v = b.select(large, folded, v);
            }
            let wide = b.cast(name, v, scalar(b.f64()));
            narrow::round(b, kind, truncate_to_odd(b, wide, scalar(b.f32())))
        }
    }
}

/// Towards zero, clamped; NaN gives 0.
fn float_to_int<'c>(
    b: &Builder<'c>,
    v: Val<'c>,
    target: Ty<'c>,
    width: u32,
    unsigned: bool,
) -> Val<'c> {
    let ty = v.r#type();
    let c = |value: i64| b.cint(value, target);
    let (name, low, high, least, greatest) = if unsigned {
        ("arith.fptoui", 0.0, f64::from(width).exp2(), 0, -1i64)
    } else {
        let power = f64::from(width - 1).exp2();
        let least = i64::MIN >> (64 - width);
        ("arith.fptosi", -power, power, least, !least)
    };
    let over = b.cmpf(CmpF::Oge, v, b.cfloat(high, ty));
    let under = b.cmpf(CmpF::Ole, v, b.cfloat(low, ty));
    let nan = b.cmpf(CmpF::Uno, v, v);
    // The conversion itself must only see numbers that fit.
    let outside = b.ori(b.ori(over, under), nan);
    let safe = b.select(outside, b.cfloat(0.0, ty), v);
    let inside = match width {
        // LLVM's conversions to odd widths are slow paths: go through 32 bits.
        1..=16 => {
            let wide = b.cast("arith.fptosi", safe, b.like(ty, b.int(32)));
            b.cast("arith.trunci", wide, target)
        }
        _ => b.cast(name, safe, target),
    };
    let value = b.select(over, c(greatest), inside);
    b.select(under, c(least), value)
}

/// `bitcast_convert` between types of equal width.
pub fn bitcast<'c>(
    b: &Builder<'c>,
    from: &ElementType,
    to: &ElementType,
    x: Elem<'c>,
) -> Result<Elem<'c>> {
    if from == to {
        return Ok(x);
    }
    if from.bit_width() != to.bit_width() || from.is_complex() != to.is_complex() {
        return unsupported(format!(
            "bitcast from {from} to {to} of another width, element by element"
        ));
    }
    if let (ElementType::Complex(a), ElementType::Complex(c)) = (from, to) {
        let (re, im) = x.pair();
        let (a, c) = (ElementType::Float(*a), ElementType::Float(*c));
        return Ok(Elem::Pair(
            bitcast(b, &a, &c, Elem::One(re))?.one(),
            bitcast(b, &a, &c, Elem::One(im))?.one(),
        ));
    }
    let stored = to_storage(b, from, x)?;
    let target = b.like(stored.r#type(), crate::storage::storage_type(b, to)?);
    let cast = if stored.r#type() == target {
        stored
    } else {
        b.cast("arith.bitcast", stored, target)
    };
    from_storage(b, to, cast)
}
