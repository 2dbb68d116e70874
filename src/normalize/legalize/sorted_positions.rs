//! Sorts that move what follows from positions, by truth values: `nonzero` as it is written with a
//! sort, which moves an index for each dimension of a tensor beside what says where it is not zero.
//!
//! The positions are moved once, and the indices are computed from them; an index along a dimension
//! of one element is 0 wherever it goes. Truth values are sorted as such, and not as the integers
//! that they were converted to.

use crate::make::{HloBuilder, tensor};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Blk, ElementType, Op, TensorType, Ty, Val, edit, op};
use mapwright_ops::attrs;
use std::collections::HashMap;

/// Lines that are worth it.
const LEAST: i64 = 64;

/// Form in which an operand is sorted.
#[derive(Clone, Copy)]
enum Moved<'c> {
    /// It is sorted as it is.
    Itself,
    /// These truth values are.
    Truth(Val<'c>),
    /// At position `p` it is `p / stride % size`.
    Index { stride: i64, size: i64 },
}

/// The results, computed in this way.
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, sort: Op<'c>) -> Option<Vec<Val<'c>>> {
    let body = sort.body(0)?;
    let arguments = op::arguments(body);
    let [n] = tensor(sort.operands().first().copied()?)?.static_shape()?[..] else {
        return None;
    };
    if !(LEAST..=i64::from(i32::MAX)).contains(&n) || arguments.len() != 2 * sort.num_operands() {
        return None;
    }
    let moved: Vec<Moved<'c>> = (0..sort.num_operands())
        .map(|k| {
            let value = sort.operand(k);
            if [2 * k, 2 * k + 1]
                .iter()
                .any(|i| edit::is_used(arguments[*i]))
            {
                truth(make, value).map(Moved::Truth)
            } else {
                index(value).map(|(stride, size)| Moved::Index { stride, size })
            }
            .unwrap_or(Moved::Itself)
        })
        .collect();
    let indices = moved.iter().filter_map(|moved| match moved {
        Moved::Index { size, .. } => Some(*size),
        _ => None,
    });
    let indices: Vec<i64> = indices.collect();
    let truths = moved.iter().any(|moved| matches!(moved, Moved::Truth(_)));
    if !truths && indices.len() < 2 && !indices.contains(&1) {
        return None;
    }
    let positions = TensorType::new(ElementType::int(32), &[n]);
    let mut operands = Vec::new();
    for (k, own) in moved.iter().enumerate() {
        match own {
            Moved::Itself => operands.push(sort.operand(k)),
            Moved::Truth(value) => operands.push(*value),
            Moved::Index { .. } => {}
        }
    }
    let moves_positions = indices.iter().any(|size| *size != 1);
    if moves_positions {
        operands.push(make.iota(&positions, 0));
    }
    let again = sorted(make, sort, (body, &moved), &operands)?;
    let mut next = 0;
    let mut results = Vec::new();
    for (k, own) in moved.iter().enumerate() {
        let ty = tensor(sort.result(k))?;
        results.push(match own {
            Moved::Itself | Moved::Truth(_) => {
                next += 1;
                make.convert(again.result(next - 1), &ty.element)
            }
            Moved::Index { size: 1, .. } => make.constant("0", &ty),
            Moved::Index { stride, size } => {
                let mut at = again.result(again.num_results() - 1);
                let number = |n: i64| make.constant(&n.to_string(), &positions);
                if *stride > 1 {
                    at = make.binary("divide", at, number(*stride));
                }
                if stride * size < n {
                    at = make.binary("remainder", at, number(*size));
                }
                make.convert(at, &ty.element)
            }
        });
    }
    Some(results)
}

/// The sort of other operands: those of `moved` that stay, in their order, and then perhaps
/// positions, which nothing compares.
fn sorted<'c>(
    make: &HloBuilder<'c>,
    sort: Op<'c>,
    (body, moved): (Blk<'c>, &[Moved<'c>]),
    operands: &[Val<'c>],
) -> Option<Op<'c>> {
    let scalar = |element: &ElementType| make.ty(&TensorType::new(element.clone(), &[]));
    let mut types: Vec<Ty<'c>> = Vec::new();
    for value in operands {
        let ty = scalar(&tensor(*value)?.element);
        types.extend([ty, ty]);
    }
    let old = op::arguments(body);
    let region = make.region(&types, |b, new| {
        let mut map: HashMap<usize, Val<'c>> = HashMap::new();
        let mut next = 0;
        for (k, own) in moved.iter().enumerate() {
            if matches!(own, Moved::Index { .. }) {
                continue;
            }
            for i in 0..2 {
                let (from, mut to) = (old[2 * k + i], new[next + i]);
                if matches!(own, Moved::Truth(_)) {
                    to = b.op1("stablehlo.convert", &[to], from.r#type(), &[]);
                }
                map.insert(op::key(from), to);
            }
            next += 2;
        }
        for own in op::ops(body) {
            edit::append(b.block(), edit::copy(own, &mut map));
        }
    });
    let results: Vec<Ty<'c>> = operands.iter().map(|value| value.r#type()).collect();
    Some(make.op_with_regions(
        sort.name(),
        operands,
        &results,
        &sort.attributes(),
        vec![region],
    ))
}

/// The truth values that a list of integers is made of.
fn truth<'c>(make: &HloBuilder<'c>, value: Val<'c>) -> Option<Val<'c>> {
    let ty = tensor(value)?;
    let mut from = value;
    let mut steps = 0;
    while let Some((op, _)) = op::defining_op(from) {
        steps += 1;
        match attrs::name(op) {
            "reshape" if steps < 8 => from = op.operand(0),
            "convert" if ty.element.is_int() => {
                let own = tensor(op.operand(0)).filter(|own| own.element == ElementType::Bool)?;
                let flat = TensorType {
                    element: own.element.clone(),
                    dims: ty.dims,
                };
                return Some(if own == flat {
                    op.operand(0)
                } else {
                    make.reshape(op.operand(0), &flat)
                });
            }
            _ => return None,
        }
    }
    None
}

/// The stride and the size of the dimension whose indices a list holds, row by row.
fn index(value: Val<'_>) -> Option<(i64, i64)> {
    if !matches!(tensor(value)?.element, ElementType::Int { width: 32.., .. }) {
        return None;
    }
    let mut from = value;
    for _ in 0..8 {
        let (op, _) = op::defining_op(from)?;
        match attrs::name(op) {
            "reshape" => from = op.operand(0),
            "iota" => {
                let shape = tensor(op.result(0))?.static_shape()?;
                let axis = attrs::axis(
                    "iota_dimension",
                    attrs::int(op, "iota_dimension").ok()?,
                    shape.len(),
                )
                .ok()?;
                return Some((shape[axis + 1..].iter().product(), shape[axis]));
            }
            _ => return None,
        }
    }
    None
}
