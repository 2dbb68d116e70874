//! How products are summed: the types of factors, of sums and of results.

use super::{Types, convert, narrow, quantize};
use crate::{
    error::Result,
    storage::{self, Elem},
};
use mapwright_mlir::{Builder, ElementType, FloatKind, Op};

/// The element types of a product or convolution.
pub(crate) struct Accumulation {
    /// Of the operands.
    factors: Vec<ElementType>,
    /// Type in which products are summed.
    pub(crate) sum: ElementType,
    result: ElementType,
}

/// The type that products are summed in: `f32` for narrow floats, the result's type otherwise.
pub(crate) fn accumulator(result: &ElementType) -> ElementType {
    match result {
        ElementType::Float(FloatKind::F64) => ElementType::F64,
        ElementType::Float(_) => ElementType::F32,
        ElementType::Quantized(q) => accumulator(&ElementType::Float(q.expressed)),
        other => other.clone(),
    }
}

impl Accumulation {
    pub(crate) fn from_op(op: Op<'_>) -> Result<Self> {
        let types = Types::from_op(op)?;
        let result = types.results[0].clone();
        Ok(Self {
            factors: types.operands,
            sum: accumulator(&result),
            result,
        })
    }

    /// Returns the zero that sums begin with.
    pub(crate) fn zero<'c>(&self, b: &Builder<'c>) -> Result<Elem<'c>> {
        storage::constant(b, &self.sum, &[0; 16], &[])
    }

    /// An element of operand `operand` in the type of sums.
    pub(crate) fn factor<'c>(
        &self,
        b: &Builder<'c>,
        operand: usize,
        x: Elem<'c>,
    ) -> Result<Elem<'c>> {
        match &self.factors[operand] {
            ElementType::Quantized(q) => {
                let real = quantize::dequantize(b, q, x)?;
                convert::convert(b, &ElementType::Float(q.expressed), &self.sum, real)
            }
            other => convert::convert(b, other, &self.sum, x),
        }
    }

    /// `sum + x y` of factors in the type of sums. Floats are multiplied and added with one
    /// rounding.
    pub(crate) fn multiply_add<'c>(
        &self,
        b: &Builder<'c>,
        sum: Elem<'c>,
        [x, y]: [Elem<'c>; 2],
    ) -> Result<Elem<'c>> {
        match &self.sum {
            ElementType::Float(_) => Ok(Elem::One(b.fma(x.one(), y.one(), sum.one()))),
            ty => {
                let product = super::named(b, "multiply", ty, ty, &[x, y])?;
                super::named(b, "add", ty, ty, &[sum, product])
            }
        }
    }

    /// A sum in the type of the result.
    pub(crate) fn rounded<'c>(&self, b: &Builder<'c>, sum: Elem<'c>) -> Result<Elem<'c>> {
        match &self.result {
            ElementType::Float(kind) if *kind != FloatKind::F64 => {
                Ok(Elem::One(narrow::round(b, *kind, sum.one())))
            }
            ElementType::Quantized(q) => {
                let expressed = ElementType::Float(q.expressed);
                let real = convert::convert(b, &self.sum, &expressed, sum)?;
                quantize::quantize(b, q, real)
            }
            _ => Ok(sum),
        }
    }
}
