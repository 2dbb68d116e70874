//! Quantized tensors by definition: dequantize, compute in the expressed type, quantize.

use crate::{
    Error, Result, formats,
    value::{Scalar, Tensor},
};
use mapwright_mlir::{ElementType, types::Quantization};

/// The real tensor that a quantized one stands for.
pub fn dequantize(tensor: &Tensor) -> Result<Tensor> {
    let ElementType::Quantized(q) = &tensor.element else {
        return Ok(tensor.clone());
    };
    let element = ElementType::Float(q.expressed);
    Tensor::build(&element, &tensor.shape, |index| {
        let (scale, zero) = parameters(q, index)?;
        let stored = tensor.at(index)?.int()?;
        let difference = formats::round(q.expressed, (stored - i128::from(zero)) as f64);
        Ok(Scalar::Real(formats::round(
            q.expressed,
            difference * formats::round(q.expressed, scale),
        )))
    })
}

fn parameters(q: &Quantization, index: &[i64]) -> Result<(f64, i64)> {
    let at = match q.axis {
        None => 0,
        Some(axis) => index.get(axis).copied().unwrap_or(0) as usize,
    };
    match (q.scales.get(at), q.zero_points.get(at)) {
        (Some(scale), Some(zero)) => Ok((*scale, *zero)),
        _ => Err(Error::plain("a quantized slice without a scale")),
    }
}

/// A real tensor in a quantized type: divided by the scale, moved by the zero point, rounded to
/// even, clamped.
pub fn quantize(tensor: &Tensor, element: &ElementType) -> Result<Tensor> {
    let ElementType::Quantized(q) = element else {
        return Ok(tensor.clone());
    };
    Tensor::build(element, &tensor.shape, |index| {
        let (scale, zero) = parameters(q, index)?;
        let expressed = |x: f64| formats::round(q.expressed, x);
        let scaled = expressed(tensor.at(index)?.real()? / expressed(scale));
        let moved = expressed(scaled + expressed(zero as f64));
        // No number is converted like 0.
        let stored = moved.round_ties_even() as i128;
        Ok(Scalar::Int(stored.clamp(
            i128::from(q.storage_min),
            i128::from(q.storage_max),
        )))
    })
}
