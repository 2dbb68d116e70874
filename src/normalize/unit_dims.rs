//! Dimensions of size 1 that the operands of a product carry are dropped, from the product and from
//! what follows it.
//!
//! A product with such dimensions beside others (a head that is alone in its group) is the same
//! product without them, between reshapes. The reshape of the result then moves down over
//! arithmetic, transposes, broadcasts and reductions until something needs the shape, or another
//! reshape takes it away. What comes out has the form that products otherwise have, so that it is
//! recognised (as attention, say).

use crate::make::HloBuilder;
use mapwright_mlir::melior::ir::{Region, ValueLike};
use mapwright_mlir::{Attr, Op, TensorType, Val, edit, op};
use mapwright_ops::attrs::DotDimensions;
use mapwright_ops::registry::{DIALECTS, is_elementwise};
use std::collections::HashMap;

/// Drops dimensions of size 1 from the products among `ops`, the operations of a block. Operations
/// of the list may be erased.
pub fn drop_unit_dims(ops: &[Op<'_>]) {
    let mut units = Units::default();
    for op in ops {
        if !DIALECTS.contains(&op.dialect()) {
            continue;
        }
        let Some(b) = HloBuilder::before(*op) else {
            continue;
        };
        let dropped = match op.short_name() {
            "dot_general" => units.product(&b, *op),
            _ if op.operands().iter().any(|v| units.squeezed(*v).is_some()) => {
                units.follow(&b, *op)
            }
            _ => None,
        };
        if let Some((values, kept)) = dropped {
            units.replace(&b, *op, &values, &kept);
        }
    }
    for reshape in units.made.into_iter().rev() {
        edit::erase_unused(reshape);
    }
}

/// Values that have a form without dimensions of size 1.
#[derive(Default)]
struct Units<'c> {
    /// By the key of the value: the form, and the dimensions that are left in it.
    narrow: HashMap<usize, (Val<'c>, Vec<usize>)>,
    /// The reshapes back, which may turn out to be unused.
    made: Vec<Op<'c>>,
}

/// The results without the dimensions, and the dimensions that are left.
type Narrow<'c> = (Vec<Val<'c>>, Vec<usize>);

/// Type and sizes of a static tensor of ordinary elements.
fn plain(value: Val<'_>) -> Option<(TensorType, Vec<i64>)> {
    let ty = TensorType::from_mlir(value.r#type())?;
    let shape = ty.static_shape()?;
    // Anything else that the type says (an encoding) is in its text.
    (ty.element.fits_lanes() && ty.to_string() == value.r#type().to_string()).then_some((ty, shape))
}

fn select(list: &[i64], kept: &[usize]) -> Vec<i64> {
    kept.iter().map(|d| list[*d]).collect()
}

/// Returns the position of each of `dims` among `kept`.
fn positions(dims: &[i64], kept: &[usize]) -> Option<Vec<i64>> {
    dims.iter()
        .map(|d| Some(kept.iter().position(|k| *k as i64 == *d)? as i64))
        .collect()
}

impl<'c> Units<'c> {
    fn squeezed(&self, value: Val<'c>) -> Option<&(Val<'c>, Vec<usize>)> {
        self.narrow.get(&op::key(value))
    }

    /// The value with the dimensions `kept` alone; all others have size 1.
    fn squeeze(&self, b: &HloBuilder<'c>, value: Val<'c>, kept: &[usize]) -> Option<Val<'c>> {
        let (ty, shape) = plain(value)?;
        if kept.len() == shape.len() {
            return Some(value);
        }
        if let Some((narrow, of)) = self.squeezed(value)
            && of == kept
        {
            return Some(*narrow);
        }
        let to = TensorType::new(ty.element, &select(&shape, kept));
        if let Some((source, _)) = op::defining_op(value)
            && source.is_hlo("broadcast_in_dim")
            && let Some(dims) = source.ints("broadcast_dimensions")
            && plain(source.operand(0)).is_some()
        {
            let (left, dims): (Vec<usize>, Vec<i64>) = dims
                .iter()
                .enumerate()
                .filter_map(|(i, d)| Some((i, kept.iter().position(|k| *k as i64 == *d)? as i64)))
                .unzip();
            let operand = self.squeeze(b, source.operand(0), &left)?;
            return Some(b.broadcast(operand, &to, &dims));
        }
        Some(b.reshape(value, &to))
    }

    /// A product without the dimensions of size 1 that are not contracted, if it has rows and
    /// columns still.
    fn product(&self, b: &HloBuilder<'c>, op: Op<'c>) -> Option<Narrow<'c>> {
        let dims = DotDimensions::decode(op).ok()?;
        let (_, left) = plain(op.operand(0))?;
        let (_, right) = plain(op.operand(1))?;
        let (ty, shape) = plain(op.result(0))?;
        let batch = dims.lhs_batching.len();
        let free = |shape: &[i64], batching: &[i64], contracting: &[i64]| -> Vec<usize> {
            (0..shape.len())
                .filter(|d| !batching.contains(&(*d as i64)) && !contracting.contains(&(*d as i64)))
                .collect()
        };
        let rows = free(&left, &dims.lhs_batching, &dims.lhs_contracting);
        let cols = free(&right, &dims.rhs_batching, &dims.rhs_contracting);
        let unit = |shape: &[i64], free: &[usize]| free.iter().any(|d| shape[*d] == 1);
        let wide = |shape: &[i64], free: &[usize]| free.iter().any(|d| shape[*d] > 1);
        if !(unit(&left, &rows) || unit(&right, &cols))
            || !wide(&left, &rows)
            || !wide(&right, &cols)
        {
            return None;
        }
        let keep = |shape: &[i64], free: &[usize]| -> Vec<usize> {
            (0..shape.len())
                .filter(|d| shape[*d] != 1 || !free.contains(d))
                .collect()
        };
        let (l, r) = (keep(&left, &rows), keep(&right, &cols));
        let kept: Vec<usize> = (0..shape.len())
            .filter(|d| *d < batch || shape[*d] != 1)
            .collect();
        let batching = [
            positions(&dims.lhs_batching, &l)?,
            positions(&dims.rhs_batching, &r)?,
        ];
        let contracting = [
            positions(&dims.lhs_contracting, &l)?,
            positions(&dims.rhs_contracting, &r)?,
        ];
        let numbers = b.dot_numbers(
            batching.each_ref().map(Vec::as_slice),
            contracting.each_ref().map(Vec::as_slice),
        );
        let operands = [
            self.squeeze(b, op.operand(0), &l)?,
            self.squeeze(b, op.operand(1), &r)?,
        ];
        let to = TensorType::new(ty.element, &select(&shape, &kept));
        let attributes = with(op, "dot_dimension_numbers", numbers);
        Some((
            vec![b.operation(op.name(), &operands, &to, &attributes)],
            kept,
        ))
    }

    /// An operation that uses a value which has a form without the dimensions.
    fn follow(&self, b: &HloBuilder<'c>, op: Op<'c>) -> Option<Narrow<'c>> {
        if op.num_results() == 0 {
            return None;
        }
        for result in op.results() {
            plain(result)?;
        }
        if is_elementwise(op) {
            return self.elementwise(b, op);
        }
        let (first, kept) = self.squeezed(op.operand(0))?.clone();
        let (ty, shape) = plain(op.result(0))?;
        match op.short_name() {
            "reshape" => {
                let result = op.result(0).r#type();
                let value = if first.r#type() == result {
                    first
                } else {
                    b.op1("stablehlo.reshape", &[first], result, &[])
                };
                Some((vec![value], (0..shape.len()).collect()))
            }
            "transpose" => {
                let permutation = op.ints("permutation")?;
                let left: Vec<usize> = (0..shape.len())
                    .filter(|d| kept.contains(&(permutation[*d] as usize)))
                    .collect();
                let order = positions(&select(&permutation, &left), &kept)?;
                let order: Vec<usize> = order.into_iter().map(|d| d as usize).collect();
                let value = b.transpose(first, &order);
                Some((vec![value], left))
            }
            "broadcast_in_dim" => {
                let dims = op.ints("broadcast_dimensions")?;
                // What is dropped from the operand is dropped from the result where it stays of
                // size 1.
                let left: Vec<usize> = (0..shape.len())
                    .filter(|d| {
                        let from = dims.iter().position(|x| *x == *d as i64);
                        shape[*d] != 1 || from.is_some_and(|i| kept.contains(&i))
                    })
                    .collect();
                let used = select(&dims, &kept);
                let to = TensorType::new(ty.element.clone(), &select(&shape, &left));
                let value = b.broadcast(first, &to, &positions(&used, &left)?);
                Some((vec![value], left))
            }
            "reduce" => self.reduction(b, op, &kept),
            _ => None,
        }
    }

    fn elementwise(&self, b: &HloBuilder<'c>, op: Op<'c>) -> Option<Narrow<'c>> {
        let (ty, shape) = plain(op.result(0))?;
        let kept = op
            .operands()
            .iter()
            .find_map(|v| Some(self.squeezed(*v)?.1.clone()))?;
        if op.num_results() != 1 || op.num_regions() != 0 {
            return None;
        }
        let operands: Vec<Val<'c>> = op
            .operands()
            .into_iter()
            .map(|v| {
                if plain(v)?.1 == shape {
                    self.squeeze(b, v, &kept)
                } else {
                    // A scalar beside tensors, of `select` and `clamp`.
                    plain(v)?.1.is_empty().then_some(v)
                }
            })
            .collect::<Option<_>>()?;
        let to = TensorType::new(ty.element, &select(&shape, &kept));
        let value = b.operation(op.name(), &operands, &to, &op.attributes());
        Some((vec![value], kept))
    }

    fn reduction(&self, b: &HloBuilder<'c>, op: Op<'c>, kept: &[usize]) -> Option<Narrow<'c>> {
        let dims = op.ints("dimensions")?;
        let (_, from) = plain(op.operand(0))?;
        let at = positions(&dims, kept)?;
        let count = op.num_operands() / 2;
        let mut operands = Vec::new();
        for i in 0..count {
            operands.push(self.squeeze(b, op.operand(i), kept)?);
        }
        operands.extend((count..2 * count).map(|i| op.operand(i)));
        // Dimensions of the result, by those of the operand.
        let left: Vec<usize> = (0..from.len())
            .filter(|d| !dims.contains(&(*d as i64)))
            .enumerate()
            .filter(|(_, d)| kept.contains(d))
            .map(|(i, _)| i)
            .collect();
        let types = op
            .results()
            .into_iter()
            .map(|result| {
                let (ty, shape) = plain(result)?;
                let to = TensorType::new(ty.element, &select(&shape, &left));
                Some(b.ty(&to))
            })
            .collect::<Option<Vec<_>>>()?;
        let body: Region<'c> = crate::split::clone_body(b, op)?;
        let attributes = with(op, "dimensions", b.i64_array(&at));
        let new = b.op_with_regions(op.name(), &operands, &types, &attributes, vec![body]);
        Some((new.results(), left))
    }

    /// Puts reshapes of `values` in the place of the results of `op`, and remembers the values.
    fn replace(&mut self, b: &HloBuilder<'c>, op: Op<'c>, values: &[Val<'c>], kept: &[usize]) {
        for (result, value) in op.results().into_iter().zip(values) {
            let ty = result.r#type();
            if value.r#type() == ty {
                op::replace_all_uses(result, *value);
                continue;
            }
            let reshape = b.op("stablehlo.reshape", &[*value], &[ty], &[]);
            op::replace_all_uses(result, reshape.result(0));
            self.narrow
                .insert(op::key(reshape.result(0)), (*value, kept.to_vec()));
            self.made.push(reshape);
        }
        edit::erase_unused(op);
    }
}

/// The attributes of `op` with another value for one of them.
fn with<'c>(op: Op<'c>, name: &str, value: Attr<'c>) -> Vec<(&'c str, Attr<'c>)> {
    let mut attributes = op.attributes();
    for (key, attribute) in &mut attributes {
        if *key == name {
            *attribute = value;
        }
    }
    attributes
}
