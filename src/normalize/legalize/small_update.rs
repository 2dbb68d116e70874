//! Updates of one element of a small state, in a loop that goes on to read the state, as a
//! selection by the index.
//!
//! The state of such a loop (the queens of a board, the head of each queue) is a vector or two. An
//! element that is stored on its own, and loaded with its neighbours right afterwards, would have
//! to reach the cache first; a selection leaves all of them in registers, and fuses with what is
//! around it.

use crate::make::HloBuilder;
use mapwright_mlir::computation::single_op;
use mapwright_mlir::{ElementType, Op, TensorType, Val, ValueType, op};
use mapwright_ops::{attrs::ScatterDimensions, registry::lookup};

/// The name by which it is switched off.
pub(super) const NAME: &str = "small-updates";

/// Elements of the state, at most.
const MOST: i64 = 16;
/// Bytes of it.
const MOST_BYTES: i64 = 64;

/// The updated state, or nothing where `update` is no such update.
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, update: Op<'c>) -> Option<Val<'c>> {
    let state = update.operands().first().copied()?;
    let [result] = update.results()[..] else {
        return None;
    };
    let (own, shape) = fixed(state)?;
    let elements: i64 = shape.iter().product();
    let plain = match own.element {
        ElementType::Bool | ElementType::Float(_) | ElementType::Complex(_) => true,
        ElementType::Int { width, .. } => width >= 8,
        _ => false,
    };
    let bytes = elements * own.element.byte_width()? as i64;
    if !plain
        || !(2..=MOST).contains(&elements)
        || bytes > MOST_BYTES
        || !is_read_in_loop(update, result)
    {
        return None;
    }
    match update.short_name() {
        "dynamic_update_slice" => {
            let given = one(make, update.operand(1))?;
            let starts = update.operands().split_off(2);
            let here = is_at(make, &own, &starts, true)?;
            let given = make.broadcast(given, &own, &[]);
            Some(make.choose(here, given, state))
        }
        "scatter" if update.num_operands() == 3 => {
            let dims = ScatterDimensions::decode(update).ok()?;
            let given = one(make, update.operand(2))?;
            let places = dims.scatter_dims_to_operand_dims;
            let (listed, listed_shape) = fixed(update.operand(1))?;
            let count = places.len() as i64;
            if listed_shape.iter().product::<i64>() != count || !dims.input_batching_dims.is_empty()
            {
                return None;
            }
            let list = make.reshape(
                update.operand(1),
                &TensorType::new(listed.element.clone(), &[count]),
            );
            let scalar = TensorType::new(listed.element.clone(), &[]);
            let mut starts = vec![make.zero(&listed.element); shape.len()];
            for (k, d) in (0..count).zip(&places) {
                let part = make.slice(list, [&[k], &[k + 1], &[1]]);
                *starts.get_mut(usize::try_from(*d).ok()?)? = make.reshape(part, &scalar);
            }
            let given = make.broadcast(given, &own, &[]);
            let value = combined(make, update, state, given)?;
            // An index outside is at no element, and its update is left out.
            let here = is_at(make, &own, &starts, false)?;
            Some(make.choose(here, value, state))
        }
        _ => None,
    }
}

/// Tells whether `update` is in the body of a loop that reads its result, and does not only return
/// it.
fn is_read_in_loop<'c>(update: Op<'c>, result: Val<'c>) -> bool {
    let inside = update.parent().is_some_and(|around| around.is_hlo("while"));
    inside
        && op::uses(result)
            .iter()
            .any(|(user, _)| !user.is_hlo("return"))
}

/// Emits the computation of a scatter, applied to the value that is there and the one that is
/// given.
fn combined<'c>(
    make: &HloBuilder<'c>,
    scatter: Op<'c>,
    state: Val<'c>,
    given: Val<'c>,
) -> Option<Val<'c>> {
    let block = scatter.body(0)?;
    let arguments = op::arguments(block);
    let [there, new] = arguments[..] else {
        return None;
    };
    // In the types of the state: a computation may have wider ones.
    let (own, _) = fixed(state)?;
    let plain = |value: Val<'c>| fixed(value).is_some_and(|(ty, _)| ty.element == own.element);
    if ![there, new, given].into_iter().all(plain) {
        return None;
    }
    let of = |value: Val<'c>| {
        if op::key(value) == op::key(there) {
            state
        } else {
            given
        }
    };
    if let [end] = op::ops(block)[..] {
        let [returned] = end.operands()[..] else {
            return None;
        };
        let known = [there, new].map(op::key).contains(&op::key(returned));
        return known.then(|| of(returned));
    }
    let only = single_op(block)?;
    let def = lookup(only).filter(|def| def.combines.is_some())?;
    Some(make.binary(def.name, of(only.operand(0)), of(only.operand(1))))
}

/// Whether an element of a tensor of the shape of `like` is the one at `starts`; `clamped`: an
/// index outside is that of the nearest element.
fn is_at<'c>(
    make: &HloBuilder<'c>,
    like: &TensorType,
    starts: &[Val<'c>],
    clamped: bool,
) -> Option<Val<'c>> {
    let shape = like.static_shape()?;
    let mut found: Option<Val<'c>> = None;
    for (d, (size, start)) in shape.iter().zip(starts).enumerate() {
        if *size == 1 && clamped {
            continue;
        }
        let (scalar, _) = fixed(*start)?;
        // All indices are numbers of the type.
        if !matches!(scalar.element, ElementType::Int { width, .. } if width >= 8) {
            return None;
        }
        let mut start = *start;
        if clamped {
            let last = make.constant(&(size - 1).to_string(), &scalar);
            let bounds = [make.zero(&scalar.element), start, last];
            start = make.operation("stablehlo.clamp", &bounds, &scalar, &[]);
        }
        let places = TensorType::new(scalar.element.clone(), &shape);
        let place = make.iota(&places, d);
        let start = make.broadcast(start, &places, &[]);
        let same = make.compare("EQ", place, start);
        found = Some(match found {
            Some(found) => make.binary("and", found, same),
            None => same,
        });
    }
    found
}

/// The only element of a tensor.
fn one<'c>(make: &HloBuilder<'c>, value: Val<'c>) -> Option<Val<'c>> {
    let (ty, shape) = fixed(value)?;
    if shape.iter().product::<i64>() != 1 {
        return None;
    }
    let scalar = TensorType::new(ty.element, &[]);
    Some(if shape.is_empty() {
        value
    } else {
        make.reshape(value, &scalar)
    })
}

/// The type of a tensor of static shape, and that.
fn fixed(value: Val<'_>) -> Option<(TensorType, Vec<i64>)> {
    use mapwright_mlir::melior::ir::ValueLike;
    let ValueType::Tensor(ty) = ValueType::from_mlir(value.r#type()) else {
        return None;
    };
    let shape = ty.static_shape()?;
    Some((ty, shape))
}
