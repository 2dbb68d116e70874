//! Selections between a tensor that a loop carries and updates of it, as updates of selections:
//! `where(m, x.at[i].set(v), x)` is `x.at[i].set(where(m, v, x[i]))`.
//!
//! Loops over sequences of different lengths are full of them. As it is written the whole tensor is
//! computed in each iteration; an update stays in place.

use super::exchange;
use crate::{
    make::{HloBuilder, tensor},
    rewrite::replaces,
};
use mapwright_mlir::{ElementType, Op, TensorType, Val, edit, op};
use mapwright_ops::attrs::ScatterDimensions;
use std::collections::HashMap;

/// Updates on the way from a tensor to what is selected, at most.
const MOST: usize = 32;

/// A tensor has so many times the elements of an update of it, at least.
const LARGER: i64 = 2;

/// Puts updates in the place of `select`, which chooses between updates of one tensor in a loop.
/// `false` where it does not.
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, select: Op<'c>) -> bool {
    let [mask, yes, no] = select.operands()[..] else {
        return false;
    };
    if !is_in_loop(select) {
        return false;
    }
    let [taken, left] = [yes, no].map(|value| updates(value, select));
    let base = |chain: &[Op<'c>], value: Val<'c>, k: usize| match k {
        0 => value,
        k => chain[k - 1].operand(0),
    };
    // The nearest tensor that both are made of.
    let both = (0..=taken.len()).flat_map(|i| (0..=left.len()).map(move |j| (i, j)));
    let common = both
        .filter(|(i, j)| op::key(base(&taken, yes, *i)) == op::key(base(&left, no, *j)))
        .min_by_key(|(i, j)| i + j);
    let Some((i, j)) = common.filter(|(i, j)| i + j > 0) else {
        return false;
    };
    let all: Vec<(Op<'c>, bool)> = (taken[..i].iter().rev().map(|op| (*op, true)))
        .chain(left[..j].iter().rev().map(|op| (*op, false)))
        .collect();
    if !all.iter().all(|(update, _)| can_be_masked(*update, mask)) {
        return false;
    }
    let start = base(&taken, yes, i);
    let made = all.iter().try_fold(start, |state, (update, when)| {
        masked(make, *update, state, (mask, *when), select)
    });
    let Some(made) = made else {
        return false;
    };
    exchange(select, vec![made]);
    for chain in [&taken[..i], &left[..j]] {
        for update in chain {
            edit::erase_unused(*update);
        }
    }
    true
}

fn is_in_loop(op: Op<'_>) -> bool {
    let mut around = op.parent();
    while let Some(parent) = around {
        if parent.is_hlo("while") {
            return true;
        }
        around = parent.parent();
    }
    false
}

/// The updates that `value` was made by, from the last one on, of which nothing but the next one
/// (of the last one `reader`) reads the result.
fn updates<'c>(value: Val<'c>, reader: Op<'c>) -> Vec<Op<'c>> {
    let (mut found, mut value, mut reader): (Vec<Op<'c>>, _, _) = (Vec::new(), value, reader);
    while found.len() < MOST
        && let Some((update, _)) = op::defining_op(value)
        && (update.is_hlo("dynamic_update_slice")
            || update.is_hlo("scatter") && update.num_operands() == 3)
        && update.block() == reader.block()
        && matches!(op::uses(value)[..], [(user, _)] if user == reader)
    {
        found.push(update);
        (value, reader) = (update.operand(0), update);
    }
    found
}

fn shape(value: Val<'_>) -> Option<Vec<i64>> {
    tensor(value)?.static_shape()
}

fn can_be_masked(update: Op<'_>, mask: Val<'_>) -> bool {
    let given = if update.is_hlo("scatter") { 2 } else { 1 };
    let (Some(whole), Some(part)) = (shape(update.operand(0)), shape(update.operand(given))) else {
        return false;
    };
    let elements = |shape: &[i64]| shape.iter().product::<i64>();
    if elements(&part).saturating_mul(LARGER) > elements(&whole) {
        return false;
    }
    let dims = if update.is_hlo("scatter") {
        ScatterDimensions::decode(update).ok()
    } else {
        return shape(mask).is_some();
    };
    let (Some(dims), Some(mask), Some(indices)) = (dims, shape(mask), shape(update.operand(1)))
    else {
        return false;
    };
    let places = &dims.scatter_dims_to_operand_dims;
    if mask.is_empty() {
        // Where it is left out as a whole, all its indices are outside.
        return outside(update).is_some() && !places.is_empty();
    }
    // What is there is written once more, if it is written once and as a whole.
    let sizes = dims
        .gather(whole.len(), &part)
        .slice_sizes
        .unwrap_or_default();
    let single =
        (indices.iter().enumerate()).all(|(d, n)| d as i64 == dims.index_vector_dim || *n == 1);
    let unique = single || update.boolean("unique_indices").unwrap_or(false);
    replaces(update) && unique && places.iter().all(|d| sizes.get(*d as usize) == Some(&1))
}

/// A number that is no index of the operand of a scatter, as an index of its type.
fn outside(scatter: Op<'_>) -> Option<i64> {
    let most = shape(scatter.operand(0))?.into_iter().max()?;
    match tensor(scatter.operand(1))?.element {
        ElementType::Int { width, unsigned } => {
            let bits = width.min(63) - u32::from(!unsigned && width < 64);
            (i128::from(most) < 1 << bits).then_some(most)
        }
        _ => None,
    }
}

/// The `update` of `state` where the mask is as it says, and the state elsewhere.
fn masked<'c>(
    make: &HloBuilder<'c>,
    update: Op<'c>,
    state: Val<'c>,
    (mask, when): (Val<'c>, bool),
    before: Op<'c>,
) -> Option<Val<'c>> {
    let choose = |mask: Val<'c>, new: Val<'c>, old: Val<'c>| {
        if when {
            make.choose(mask, new, old)
        } else {
            make.choose(mask, old, new)
        }
    };
    let mut operands = update.operands();
    operands[0] = state;
    let scatters = update.is_hlo("scatter");
    let is_scalar = shape(mask)?.is_empty();
    if scatters && is_scalar {
        let indices = tensor(operands[1])?;
        let none = make.constant(&outside(update)?.to_string(), &indices);
        operands[1] = choose(mask, operands[1], none);
    } else {
        let given = usize::from(scatters) + 1;
        let own = tensor(operands[given])?;
        // What is read where the update is written.
        let (name, from, attributes) = if scatters {
            let dims = ScatterDimensions::decode(update).ok()?;
            let dims = dims.gather(shape(state)?.len(), &own.static_shape()?);
            let sizes = dims.slice_sizes.clone()?;
            let numbers = make.parse_attr(&dims.to_string());
            let attributes = vec![
                ("dimension_numbers", numbers),
                ("slice_sizes", make.i64_array(&sizes)),
            ];
            ("stablehlo.gather", &operands[1..2], attributes)
        } else {
            let sizes = make.i64_array(&own.static_shape()?);
            (
                "stablehlo.dynamic_slice",
                &operands[2..],
                vec![("slice_sizes", sizes)],
            )
        };
        let part = |of: Val<'c>| {
            let ty = TensorType {
                element: tensor(of)?.element,
                dims: own.dims.clone(),
            };
            let operands = [&[of][..], from].concat();
            Some(make.operation(name, &operands, &ty, &attributes))
        };
        let mask = if is_scalar { mask } else { part(mask)? };
        operands[given] = choose(mask, operands[given], part(state)?);
    }
    let copy = edit::clone(update, &HashMap::new());
    edit::insert_before(before, copy);
    for (k, value) in operands.into_iter().enumerate() {
        op::set_operand(copy, k, value);
    }
    copy.results().first().copied()
}
