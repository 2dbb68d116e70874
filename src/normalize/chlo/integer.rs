//! Functions of integers.

use crate::hlo::Expr;
use mapwright_mlir::ElementType;

/// The upper half of the bits of a product: the product in twice the width, or, of the widest
/// integers, by halves.
pub(super) fn mulhi<'a, 'c>(x: Expr<'a, 'c>, y: Expr<'a, 'c>) -> Option<Expr<'a, 'c>> {
    let element = x.element();
    let ElementType::Int { width, unsigned } = element else {
        return None;
    };
    if width < 64 {
        let wide = ElementType::Int {
            width: 2 * width,
            unsigned,
        };
        let product = x.convert(&wide) * y.convert(&wide);
        let upper = if unsigned {
            product.shifted_right_logical(product.i(width.into()))
        } else {
            product.shifted_right(product.i(width.into()))
        };
        return Some(upper.convert(&element));
    }
    let bits = ElementType::uint(64);
    let of = |value: Expr<'a, 'c>| {
        if unsigned {
            value
        } else {
            value.bitcast(&bits)
        }
    };
    let (a, b) = (of(x), of(y));
    let low = |value: Expr<'a, 'c>| value.and(value.i(0xffff_ffff));
    let high = |value: Expr<'a, 'c>| value.shifted_right_logical(value.i(32));
    let (inner, outer) = (low(a) * high(b), high(a) * low(b));
    let carried = high(low(a) * low(b)) + low(inner) + low(outer);
    let upper = high(a) * high(b) + high(inner) + high(outer) + high(carried);
    if unsigned {
        return Some(upper);
    }
    // A negative factor is less than its bits by two to the width.
    let above =
        |sign: Expr<'a, 'c>, other: Expr<'a, 'c>| other.i(0).when(sign.ge(sign.i(0)), other);
    Some((upper - above(x, b) - above(y, a)).bitcast(&element))
}
