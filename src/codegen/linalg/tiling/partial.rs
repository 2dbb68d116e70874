//! Parts of sums: a reduction whose loop is cut into tiles gives a value for each of them, and these are reduced again.
//!
//! StableHLO leaves the order of a reduction open, and how often its initial value is taken in.

use crate::{
    error::{Result, unsupported},
    linalg::element::tensor,
};
use mapwright_mlir::{
    Builder, ElementType, FloatKind, Op, TensorType, Val, edit, melior::ir::ValueLike,
    tiling::Tiled,
};
use std::collections::HashMap;

/// Operations with loops that reduce.
pub(super) const REDUCE: [&str; 2] = ["dot_general", "reduce"];

/// The results of `op` from those of its parts, which have a dimension more at the end for each of the loops (`count` of them) that were
/// cut.
pub(super) fn merged<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    parts: &[Val<'c>],
    count: usize,
) -> Result<Tiled<'c>> {
    let rank = tensor(op.result(0))?.rank();
    let mut operands = parts.to_vec();
    let region = match op.short_name() {
        "reduce" => {
            operands.extend(&op.operands()[parts.len()..]);
            let copy = edit::clone(op, &HashMap::new());
            let regions = edit::take_regions(copy);
            edit::erase_unused(copy);
            regions
        }
        _ => {
            let element = tensor(op.result(0))?.element;
            operands.push(zero(b, &element)?);
            let scalar = b.parse_type(&TensorType::new(element, &[]).to_string());
            vec![b.region(&[scalar, scalar], |b, arguments| {
                let sum = b.op("stablehlo.add", arguments, &[scalar], &[]);
                b.op("stablehlo.return", &sum.results(), &[], &[]);
            })]
        }
    };
    let types: Vec<_> = op.results().iter().map(|value| value.r#type()).collect();
    let dims: Vec<i64> = (rank..rank + count).map(|k| k as i64).collect();
    let attributes = [("dimensions", b.i64_array(&dims))];
    let made = b.op_with_regions("stablehlo.reduce", &operands, &types, &attributes, region);
    Ok(Tiled {
        results: made.results(),
        ops: vec![made],
        slices: Vec::new(),
    })
}

/// Where a sum begins. A narrow number would be rounded once more for each part.
fn zero<'c>(b: &Builder<'c>, element: &ElementType) -> Result<Val<'c>> {
    let literal = match element {
        ElementType::Int { .. } => "0",
        ElementType::Float(FloatKind::F32 | FloatKind::F64) => "0.0",
        ElementType::Complex(_) => "(0.0, 0.0)",
        _ => return unsupported(format!("parts of a sum of elements of type {element}")),
    };
    let ty = b.parse_type(&TensorType::new(element.clone(), &[]).to_string());
    let value = b.parse_attr(&format!("dense<{literal}> : {ty}"));
    Ok(b.op1("stablehlo.constant", &[], ty, &[("value", value)]))
}
