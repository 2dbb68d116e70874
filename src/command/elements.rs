//! Elements of tensors: the runtime's names of their types, and pseudo-random ones.

use super::failure::reported;
use crate::{
    mlir::{ElementType, TensorType},
    native::{Tensor, box_rows},
};
use anyhow::bail;
use mapwright_indexing::Interval;
use mapwright_runtime::{
    ElementKind,
    convert::{Number, write},
};
use mapwright_sharding::IndexBox;

/// The runtime's name for an element type.
pub(crate) fn kind(element: &ElementType) -> anyhow::Result<ElementKind> {
    use crate::mlir::FloatKind;
    Ok(match element {
        ElementType::Bool => ElementKind::Pred,
        ElementType::Index => ElementKind::I64,
        ElementType::Int { width, unsigned } => match (width, unsigned) {
            (2, false) => ElementKind::I2,
            (4, false) => ElementKind::I4,
            (8, false) => ElementKind::I8,
            (16, false) => ElementKind::I16,
            (32, false) => ElementKind::I32,
            (64, false) => ElementKind::I64,
            (2, true) => ElementKind::U2,
            (4, true) => ElementKind::U4,
            (8, true) => ElementKind::U8,
            (16, true) => ElementKind::U16,
            (32, true) => ElementKind::U32,
            (64, true) => ElementKind::U64,
            _ => bail!("{element} is no element type of the runtime"),
        },
        ElementType::Float(kind) => match kind {
            FloatKind::F4E2M1FN => ElementKind::F4E2M1FN,
            FloatKind::F6E2M3FN => ElementKind::F6E2M3FN,
            FloatKind::F6E3M2FN => ElementKind::F6E3M2FN,
            FloatKind::F8E3M4 => ElementKind::F8E3M4,
            FloatKind::F8E4M3 => ElementKind::F8E4M3,
            FloatKind::F8E4M3FN => ElementKind::F8E4M3FN,
            FloatKind::F8E4M3FNUZ => ElementKind::F8E4M3FNUZ,
            FloatKind::F8E4M3B11FNUZ => ElementKind::F8E4M3B11FNUZ,
            FloatKind::F8E5M2 => ElementKind::F8E5M2,
            FloatKind::F8E5M2FNUZ => ElementKind::F8E5M2FNUZ,
            FloatKind::F8E8M0FNU => ElementKind::F8E8M0FNU,
            FloatKind::BF16 => ElementKind::BF16,
            FloatKind::F16 => ElementKind::F16,
            FloatKind::F32 => ElementKind::F32,
            FloatKind::F64 => ElementKind::F64,
            FloatKind::TF32 => bail!("{element} is no element type of the runtime"),
        },
        ElementType::Complex(FloatKind::F32) => ElementKind::C64,
        ElementType::Complex(FloatKind::F64) => ElementKind::C128,
        ElementType::Quantized(quantization) => return kind(&quantization.storage),
        _ => bail!("{element} is no element type of the runtime"),
    })
}

/// Pseudo-random elements: reals in [-1, 1), integers in [0, 8) (signed ones in [-4, 4) and what
/// fits), booleans. The same for the same seed and number of the argument. A size that is known at
/// run time only is its bound, or 4.
pub(crate) fn random(ty: &TensorType, seed: u64, number: usize) -> anyhow::Result<Tensor> {
    let shape: Vec<i64> = ty.dims.iter().map(|dim| dim.bound().unwrap_or(4)).collect();
    let whole = shape.iter().map(|size| Interval::of_size(*size));
    random_part(ty, seed, number, &whole.collect())
}

/// A box of what [`random`] gives.
pub(crate) fn random_part(
    ty: &TensorType,
    seed: u64,
    number: usize,
    part: &IndexBox,
) -> anyhow::Result<Tensor> {
    let shape: Vec<i64> = ty.dims.iter().map(|dim| dim.bound().unwrap_or(4)).collect();
    let sizes: Vec<i64> = part.iter().map(|interval| interval.len() as i64).collect();
    let kind = kind(&ty.element)?;
    let mut tensor = Tensor::zeros(&ty.element, &sizes).map_err(reported)?;
    let mut generator =
        fastrand::Rng::with_seed(seed ^ (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut next = || {
        let mut real = || generator.f64() * 2.0 - 1.0;
        match &ty.element {
            ElementType::Bool => Number::Pred(generator.bool()),
            ElementType::Float(_) => Number::Real(real()),
            ElementType::Complex(_) => Number::Complex(real(), real()),
            element if element.is_unsigned() => Number::Integer(generator.i64(0..8).into()),
            _ => Number::Integer(generator.i64(-4..4).into()),
        }
    };
    let bytes = tensor.bytes_mut();
    let mut drawn = 0;
    box_rows(&shape, part, 1, &mut |at, own, count| {
        for _ in drawn..at {
            next();
        }
        for i in own..own + count {
            write(kind, bytes, i, next());
        }
        drawn = at + count;
    });
    Ok(tensor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_of_random_elements_is_that_of_the_whole() {
        let ty = TensorType::new(ElementType::F32, &[3, 4]);
        let whole = random(&ty, 7, 1).unwrap();
        let part: IndexBox = vec![Interval::new(1, 2), Interval::new(2, 3)];
        let part = random_part(&ty, 7, 1, &part).unwrap();
        let expected: Vec<u8> = [6, 7, 10, 11]
            .iter()
            .flat_map(|at| whole.bytes()[at * 4..at * 4 + 4].to_vec())
            .collect();
        assert_eq!(part.bytes(), expected);
    }
}
