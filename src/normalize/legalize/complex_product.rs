//! Products of complex numbers as two of real ones, for which there are register blocks: with
//! `x = a + b i` and `y = c + d i`, the real part of a sum of products is that of `[a, b]` with
//! `[c, -d]`, the imaginary part that of `[a, b]` with `[d, c]`, twice as many terms each. Nothing
//! but the order of the additions is another one.

use crate::make::{HloBuilder, tensor};
use mapwright_mlir::{Dim, ElementType, Op, TensorType, Val};
use mapwright_ops::attrs::{Convolution, DotDimensions};

/// Products below which it does not pay.
const FEWEST: i64 = 1 << 14;

/// Number that stands for a size that is known at run time only.
const UNKNOWN: i64 = 1 << 7;

/// The sizes of a tensor as far as they count; `None` where some have a bound, beyond which nothing
/// is defined.
fn sizes(ty: &TensorType) -> Option<Vec<i64>> {
    let of = |dim: &Dim| match dim {
        Dim::Static(n) => Some(*n),
        Dim::Dynamic => Some(UNKNOWN),
        Dim::Bounded(_) => None,
    };
    ty.dims.iter().map(of).collect()
}

/// The new result, and the products of real numbers that it is made of; nothing for other
/// operations, and for small ones.
#[allow(clippy::type_complexity)]
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, op: Op<'c>) -> Option<(Val<'c>, Vec<Op<'c>>)> {
    let result = tensor(op.result(0))?;
    let ElementType::Complex(kind) = result.element else {
        return None;
    };
    let sides = [tensor(op.operand(0))?, tensor(op.operand(1))?];
    if sides.iter().any(|ty| ty.element != result.element) || op.attribute("algorithm").is_some() {
        return None;
    }
    let (left, right, shape) = (sizes(&sides[0])?, sizes(&sides[1])?, sizes(&result)?);
    // The dimension of each side that gets twice as long, and the terms of a sum.
    let doubled = match op.short_name() {
        "dot_general" => DotDimensions::decode(op).ok().and_then(|dims| {
            let terms: i64 = (dims.lhs_contracting.iter())
                .filter_map(|d| left.get(usize::try_from(*d).ok()?))
                .product();
            Some((
                *dims.lhs_contracting.first()?,
                *dims.rhs_contracting.first()?,
                terms,
            ))
        }),
        "convolution" => Convolution::decode(op, &sides[1].static_shape()?)
            .ok()
            .and_then(|conv| {
                let dims = conv.dims;
                let features = right.get(usize::try_from(dims.kernel_input_feature).ok()?)?;
                let terms = conv.window.size.iter().product::<i64>() * features;
                let plain = conv.feature_groups == 1 && conv.batch_groups == 1;
                plain.then_some((dims.input_feature, dims.kernel_input_feature, terms))
            }),
        _ => None,
    };
    let (l, r, terms) = doubled?;
    let products = shape.iter().fold(terms, |all, n| all.saturating_mul(*n));
    if products < FEWEST || terms == 0 {
        return None;
    }
    let element = ElementType::Float(kind);
    let of = |ty: &TensorType| TensorType {
        element: element.clone(),
        dims: ty.dims.clone(),
    };
    let part = |name: &str, x: Val<'c>, ty: &TensorType| {
        make.operation(&format!("stablehlo.{name}"), &[x], &of(ty), &[])
    };
    // A dimension of the operands, as their attributes were decoded.
    let join = |x: Val<'c>, y: Val<'c>, d: i64| make.concatenate(&[x, y], d as usize);
    let (x, y) = (op.operand(0), op.operand(1));
    let [(a, b), (c, d)] = [(x, &sides[0]), (y, &sides[1])]
        .map(|(value, ty)| (part("real", value, ty), part("imag", value, ty)));
    let left = join(a, b, l);
    let rights = [join(c, make.unary("negate", d), r), join(d, c, r)];
    let made = rights
        .map(|right| make.several(op.name(), &[left, right], &[of(&result)], &op.attributes()));
    let parts = [made[0].result(0), made[1].result(0)];
    let value = make.operation("stablehlo.complex", &parts, &result, &[]);
    Some((value, made.to_vec()))
}
