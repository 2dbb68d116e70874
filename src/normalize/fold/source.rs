//! Sizes, positions, and bits that are read as another type.

use super::tensor::{Tensor, ints};
use mapwright_mlir::{Dim, ElementType, Op, TensorType, melior::ir::ValueLike};

/// The size of a dimension that is static.
pub fn dimension_size(op: Op<'_>, result: &Tensor) -> Option<Tensor> {
    let operand = TensorType::from_mlir(op.operand(0).r#type())?;
    let dimension = usize::try_from(op.int("dimension")?).ok()?;
    let Dim::Static(size) = *operand.dims.get(dimension)? else {
        return None;
    };
    let size = i32::try_from(size).ok()?;
    (result.element == ElementType::int(32)).then(|| result.with(size.to_le_bytes().to_vec()))
}

/// The result of an operation that looks at no number.
pub fn evaluate(op: Op<'_>, operands: &[Tensor], result: &Tensor) -> Option<Tensor> {
    let first = operands.first()?;
    match op.short_name() {
        "dynamic_iota" => {
            let d = usize::try_from(op.int("iota_dimension")?).ok()?;
            (ints(first)? == result.shape).then(|| result.positions(d))?
        }
        // Bytes in memory order; narrower elements take a byte each, which does not.
        "bitcast_convert" => {
            let whole = |tensor: &Tensor| {
                tensor.element.bit_width() == u32::try_from(8 * tensor.width).ok()
            };
            (whole(first) && whole(result)).then(|| result.with(first.data.clone()))
        }
        _ => None,
    }
}
