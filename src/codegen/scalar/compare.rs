//! Comparison.

use crate::{
    error::{Result, unsupported},
    storage::Elem,
};
use mapwright_mlir::builder::{CmpF, CmpI};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, Op, Val};

/// Direction of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Direction {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// The word in an enum attribute such as `#stablehlo<comparison_direction EQ>`.
pub(crate) fn enum_word(text: &str) -> &str {
    let inner = text.trim_end_matches('>');
    inner
        .rsplit([' ', '<', '"'])
        .find(|word| !word.is_empty())
        .unwrap_or(inner)
}

/// Direction of a `compare` operation.
pub fn direction(op: Op<'_>) -> Result<Direction> {
    let text = op.text("comparison_direction").unwrap_or_default();
    Ok(match enum_word(&text) {
        "EQ" => Direction::Eq,
        "NE" => Direction::Ne,
        "LT" => Direction::Lt,
        "LE" => Direction::Le,
        "GT" => Direction::Gt,
        "GE" => Direction::Ge,
        _ => return unsupported(format!("comparison direction {text}")),
    })
}

/// Whether the operation compares by the total order of IEEE 754.
pub fn is_total_order(op: Op<'_>) -> bool {
    op.text("compare_type")
        .is_some_and(|text| enum_word(&text) == "TOTALORDER")
}

/// `x direction y` as a boolean.
pub fn compare<'c>(
    b: &Builder<'c>,
    direction: Direction,
    total: bool,
    element: &ElementType,
    x: Elem<'c>,
    y: Elem<'c>,
) -> Result<Elem<'c>> {
    let (a, c) = (x.one(), y.one());
    Ok(Elem::One(match element {
        ElementType::Float(_) if total => {
            b.cmpi(integer(direction, false), ordered(b, a), ordered(b, c))
        }
        ElementType::Float(_) => b.cmpf(float(direction), a, c),
        ElementType::Complex(_) => {
            let ((ar, ai), (cr, ci)) = (x.pair(), y.pair());
            match direction {
                Direction::Eq => b.andi(b.cmpf(CmpF::Oeq, ar, cr), b.cmpf(CmpF::Oeq, ai, ci)),
                Direction::Ne => b.ori(b.cmpf(CmpF::Une, ar, cr), b.cmpf(CmpF::Une, ai, ci)),
                // Lexicographic, as complex maximum and minimum.
                _ => {
                    let same = b.cmpf(CmpF::Oeq, ar, cr);
                    let by_im = b.cmpf(float(direction), ai, ci);
                    b.select(same, by_im, b.cmpf(float(direction), ar, cr))
                }
            }
        }
        ElementType::Bool => b.cmpi(integer(direction, true), a, c),
        ElementType::Quantized(q) => b.cmpi(integer(direction, q.storage.is_unsigned()), a, c),
        other => b.cmpi(integer(direction, other.is_unsigned()), a, c),
    }))
}

/// An integer that is ordered as the total order orders the float:
/// `-NaN < -inf < … < -0 < +0 < … < +inf < +NaN`.
pub fn ordered<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let width = if b.element_of(x.r#type()) == b.f64() {
        64
    } else {
        32
    };
    let bits = b.cast("arith.bitcast", x, b.like(x.r#type(), b.int(width)));
    let c = |value: i64| b.cint(value, bits.r#type());
    let negative = b.cmpi(CmpI::Slt, bits, c(0));
    let greatest = i64::MAX >> (64 - width);
    b.select(negative, b.xori(bits, c(greatest)), bits)
}

fn integer(direction: Direction, unsigned: bool) -> CmpI {
    match (direction, unsigned) {
        (Direction::Eq, _) => CmpI::Eq,
        (Direction::Ne, _) => CmpI::Ne,
        (Direction::Lt, false) => CmpI::Slt,
        (Direction::Le, false) => CmpI::Sle,
        (Direction::Gt, false) => CmpI::Sgt,
        (Direction::Ge, false) => CmpI::Sge,
        (Direction::Lt, true) => CmpI::Ult,
        (Direction::Le, true) => CmpI::Ule,
        (Direction::Gt, true) => CmpI::Ugt,
        (Direction::Ge, true) => CmpI::Uge,
    }
}

fn float(direction: Direction) -> CmpF {
    match direction {
        Direction::Eq => CmpF::Oeq,
        Direction::Ne => CmpF::Une,
        Direction::Lt => CmpF::Olt,
        Direction::Le => CmpF::Ole,
        Direction::Gt => CmpF::Ogt,
        Direction::Ge => CmpF::Oge,
    }
}
