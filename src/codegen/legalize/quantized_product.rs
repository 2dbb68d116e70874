//! Products of quantized numbers as products of the stored integers: with `x = (p - a) s` and `y = (q - b) t` the sum of `x y` over `n` terms is
//! `s t (sum p q - a sum q - b sum p + n a b)`, where the second and the third sum are those of rows and columns of one factor.

use super::make::{Make, tensor};
use super::quantized_elements::{integers, of, quantized, reals, stored};
use crate::inline::Located;
use mapwright_mlir::{ElementType, FloatKind, Op, Quantization, TensorType, Val};
use mapwright_ops::attrs::DotDimensions;

/// Terms of a sum of products of bytes that have room in 32 bits.
const MOST_TERMS: i64 = 1 << 15;

/// A factor.
struct Side {
    /// By dimension, that of the product; `None` where it is contracted.
    to: Vec<Option<i64>>,
}

/// The new result, and the product of integers that it is made of; nothing for other operations and types.
pub(super) fn rewrite<'c>(
    make: &Make<'c>,
    op: Op<'c>,
) -> Result<Option<(Val<'c>, Op<'c>)>, Located<'c>> {
    if op.name() != "stablehlo.dot_general" || op.attribute("algorithm").is_some() {
        return Ok(None);
    }
    let (left, right) = (tensor(op, op.operand(0))?, tensor(op, op.operand(1))?);
    let result = tensor(op, op.result(0))?;
    let (Some(x), Some(y), Some(_)) = (of(&left.element), of(&right.element), of(&result.element))
    else {
        return Ok(None);
    };
    let bytes = |q: &Quantization| {
        q.storage.bit_width() == Some(8)
            && q.expressed == FloatKind::F32
            && !q.storage.is_unsigned()
    };
    let (Some(l), Some(r), Some(shape)) = (
        left.static_shape(),
        right.static_shape(),
        result.static_shape(),
    ) else {
        return Ok(None);
    };
    let Ok(dims) = DotDimensions::decode(op) else {
        return Ok(None);
    };
    let places = |rank: usize, batching: &[i64], contracting: &[i64], first: usize| {
        let mut next = first;
        let place = |d: usize| {
            if let Some(i) = batching.iter().position(|b| *b == d as i64) {
                return Some(i as i64);
            }
            if contracting.contains(&(d as i64)) {
                return None;
            }
            next += 1;
            Some(next as i64 - 1)
        };
        (0..rank).map(place).collect::<Vec<Option<i64>>>()
    };
    let batch = dims.lhs_batching.len();
    let own = l.len() - batch - dims.lhs_contracting.len();
    let terms: i64 = (dims.lhs_contracting.iter())
        .filter_map(|d| l.get(usize::try_from(*d).ok()?))
        .product();
    // A scale of the left factor for each slice is not among the types.
    if !bytes(x) || !bytes(y) || x.axis.is_some() || terms > MOST_TERMS {
        return Ok(None);
    }
    let lefts = Side {
        to: places(l.len(), &dims.lhs_batching, &dims.lhs_contracting, batch),
    };
    let rights = Side {
        to: places(
            r.len(),
            &dims.rhs_batching,
            &dims.rhs_contracting,
            batch + own,
        ),
    };
    // The dimension of the product that has a scale for each slice; of a contracted one there is no formula.
    let axis = match y.axis {
        None => None,
        Some(axis) => match rights.to[axis] {
            Some(d) => Some(d),
            None => return Ok(None),
        },
    };
    let wide = TensorType::new(ElementType::int(32), &shape);
    let real = TensorType::new(ElementType::Float(FloatKind::F32), &shape);
    let factors = [
        stored(make, op, op.operand(0))?,
        stored(make, op, op.operand(1))?,
    ];
    let attributes = op.attributes();
    let attributes: Vec<_> = attributes
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let product = make.several(op.name(), &factors, &[wide.clone()], &attributes);
    let along = |numbers: &[String], ty: &TensorType| match (axis, numbers) {
        (Some(axis), [_, _, ..]) => make.slices(&ty.element, numbers, ty, axis),
        _ => make.constant(&numbers[0], ty),
    };
    let mut sum = product.result(0);
    if x.zero_points[0] != 0 {
        let columns = rights.sums(make, op, factors[1], &wide)?;
        let a = make.constant(&x.zero_points[0].to_string(), &wide);
        sum = make.binary("subtract", sum, make.binary("multiply", columns, a));
    }
    if y.zero_points.iter().any(|b| *b != 0) {
        let rows = lefts.sums(make, op, factors[0], &wide)?;
        let b = along(&integers(&y.zero_points), &wide);
        sum = make.binary("subtract", sum, make.binary("multiply", rows, b));
        if x.zero_points[0] != 0 {
            let both = y.zero_points.iter().map(|b| terms * x.zero_points[0] * b);
            let both = along(&integers(&both.collect::<Vec<_>>()), &wide);
            sum = make.binary("add", sum, both);
        }
    }
    let sum = make.convert(op, sum, &real.element)?;
    let scales: Vec<f64> = y.scales.iter().map(|t| x.scales[0] * t).collect();
    let sum = make.binary("multiply", sum, along(&reals(&scales), &real));
    let value = quantized(make, op, sum, &result)?;
    Ok(Some((value, product)))
}

impl Side {
    /// The sums of the terms of this factor alone, in the shape of the product.
    fn sums<'c>(
        &self,
        make: &Make<'c>,
        op: Op<'c>,
        factor: Val<'c>,
        product: &TensorType,
    ) -> Result<Val<'c>, Located<'c>> {
        let wide = make.convert(op, factor, &ElementType::int(32))?;
        let contracted: Vec<i64> = (0..self.to.len())
            .filter(|d| self.to[*d].is_none())
            .map(|d| d as i64)
            .collect();
        let sums = make.sum(op, wide, &contracted)?;
        let dims: Vec<i64> = self.to.iter().copied().flatten().collect();
        Ok(make.broadcast(sums, product, &dims))
    }
}
