//! Computations that are written for one device by hand, along some axes of the devices.

use super::control::fail;
use super::engine::Engine;
use super::local;
use super::signature;
use super::sites::{is_by_hand, shape};
use super::slices::whole;
use crate::make::HloBuilder;
use mapwright_mlir::{Op, Val, computation, diagnostic::Failure, edit, melior::ir::ValueLike, op};
use mapwright_ops::attrs;
use mapwright_sharding::{
    digits::{Digit, common_cuts, split_at_cuts},
    notation::{AxisRef, DimensionSharding, ShardySharding, per_value},
    propagate::Sharding,
};
use std::collections::{HashMap, HashSet};

impl Engine<'_> {
    /// Returns the part of `has` that is not in the digits `manual`; `None` where the two cut
    /// across each other.
    fn others_than(&self, manual: &[Digit], has: &[Digit]) -> Option<Vec<Digit>> {
        let count = self.matrix.count();
        let cuts = common_cuts(manual.iter().chain(has), count)?;
        let is_other = |d: &Digit| !manual.iter().any(|m| m.contains(*d));
        let apart = has.iter().flat_map(|digit| split_at_cuts(*digit, &cuts));
        Some(apart.filter(is_other).collect())
    }

    /// The digits that no computation by hand around is written for.
    pub(super) fn others(&self) -> Vec<Digit> {
        let all = Digit {
            stride: 1,
            size: self.matrix.count(),
        };
        self.others_than(&self.plans.apart, &[all])
            .unwrap_or_default()
    }

    /// Returns the part of a layout that is along digits that are not manual.
    pub(super) fn along_others(&self, manual: &[Digit], has: &Sharding) -> Sharding {
        let dims = has
            .dims
            .iter()
            .map(|digits| self.others_than(manual, digits));
        let dims = dims.collect::<Option<Vec<_>>>();
        let partial = Vec::new();
        dims.map_or_else(
            || Sharding::replicated(has.dims.len()),
            |dims| Sharding { dims, partial }.merged(),
        )
    }

    /// Tells whether these devices differ along manual digits alone.
    pub(super) fn is_along_manual(&self, devices: &[i64]) -> bool {
        let position = |device: i64| match &self.order {
            Some(order) => order
                .iter()
                .zip(0..)
                .find(|(d, _)| **d == device)
                .map(|(_, at)| at),
            None => Some(device),
        };
        let beside = |at: i64| {
            let manual = self.plans.apart.iter().map(|m| m.value_of(at) * m.stride);
            at - manual.sum::<i64>()
        };
        let listed = devices.iter().filter(|device| **device != -1);
        let places: Option<Vec<i64>> = listed.map(|d| position(*d).map(beside)).collect();
        places.is_some_and(|places| places.windows(2).all(|pair| pair[0] == pair[1]))
    }
}

/// The axes that a computation is written by hand for.
fn manual_axes(op: Op<'_>) -> Vec<String> {
    let axes = op.text("manual_axes").unwrap_or_default();
    axes.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The layouts of what goes into a computation by hand, or comes out of it, along its manual axes.
fn border<'c>(
    engine: &Engine<'c>,
    op: Op<'c>,
    name: &str,
    values: &[Val<'c>],
) -> Result<Vec<Sharding>, Failure> {
    let manual = manual_axes(op);
    let list = per_value(&op.text(name).unwrap_or_default());
    let list: Vec<ShardySharding> = list.map_err(|error| fail(op, format!("'{name}': {error}")))?;
    if list.len() != values.len() {
        let why = format!("'{name}' has {} entries for {}", list.len(), values.len());
        return Err(fail(op, why));
    }
    let mut found = Vec::new();
    for (mut sharding, value) in list.into_iter().zip(values) {
        for dim in &mut sharding.dims {
            dim.axes.retain(|axis| manual.contains(&axis.name));
        }
        sharding
            .unreduced
            .retain(|axis| manual.contains(&axis.name));
        sharding.replicated.clear();
        let rank = whole(*value).dims.len();
        let layout = engine.devices.shardy(&sharding, rank);
        let layout = layout.map_err(|error| fail(op, format!("'{name}': {error}")))?;
        if rank > 0 && layout.device_count() != engine.matrix.count() {
            let (has, count) = (layout.device_count(), engine.matrix.count());
            return Err(fail(op, format!("is for {has} devices, not for {count}")));
        }
        let sharding = engine.placed(&layout);
        found.push(sharding.map_err(|error| fail(op, format!("'{name}': {error}")))?);
    }
    Ok(found)
}

/// Notes what computations by hand give, and take of arguments that nobody else reads.
pub(super) fn borders<'c>(engine: &mut Engine<'c>, function: Op<'c>) -> Result<(), Failure> {
    for op in function
        .descendants()
        .into_iter()
        .filter(|op| is_by_hand(*op))
    {
        let given = border(engine, op, "out_shardings", &op.results())?;
        for (value, sharding) in op.results().into_iter().zip(given) {
            engine.given.insert(op::key(value), sharding);
        }
        let taken = border(engine, op, "in_shardings", &op.operands())?;
        for (value, sharding) in op.operands().into_iter().zip(taken) {
            let is_argument = op::block_argument(value)
                .and_then(|(block, _)| op::parent_of_block(block))
                == Some(function);
            if is_argument && op::uses(value).len() == 1 && sharding.partial.is_empty() {
                engine.given.entry(op::key(value)).or_insert(sharding);
            }
        }
    }
    Ok(())
}

/// The digits of the device's number that the manual axes of a computation by hand are, and those
/// of the ones around it.
fn manual_digits<'c>(engine: &Engine<'c>, op: Op<'c>) -> Result<Vec<Digit>, Failure> {
    let first = ["in_shardings", "out_shardings"].iter().find_map(|name| {
        let list: Vec<ShardySharding> = per_value(&op.text(name)?).ok()?;
        list.into_iter().next()
    });
    let mut manual = engine.plans.apart.clone();
    let Some(mut each) = first else {
        return Ok(manual);
    };
    let axis = |name: &str| AxisRef {
        name: name.into(),
        sub_axis: None,
    };
    let axes = manual_axes(op);
    each.dims = (axes.iter())
        .map(|name| DimensionSharding {
            axes: vec![axis(name)],
            ..DimensionSharding::default()
        })
        .collect();
    each.replicated.clear();
    each.unreduced.clear();
    let layout = engine.devices.shardy(&each, axes.len());
    let layout = layout.and_then(|layout| engine.placed(&layout));
    let layout = layout.map_err(|error| fail(op, format!("'manual_axes': {error}")))?;
    manual.extend(layout.dims.concat());
    Ok(manual)
}

/// A layout along manual axes, and in what it leaves along others, where these divide the value on
/// a device, `inner`. The second is that of `inner`.
fn joined(along: &Sharding, others: &Sharding, inner: Val<'_>) -> (Sharding, Sharding) {
    let mut others = others.clone();
    let sizes = shape(inner).unwrap_or_default();
    let parts = others.parts();
    for (digits, (size, parts)) in others.dims.iter_mut().zip(sizes.iter().zip(parts)) {
        if size % parts != 0 {
            digits.clear();
        }
    }
    let mut both = along.clone();
    for (digits, more) in both.dims.iter_mut().zip(&others.dims) {
        digits.extend(more);
    }
    (both.merged(), others.merged())
}

/// Puts a computation that is written by hand along some axes in its place, between changes of
/// layout. Along the others it is a program on whole tensors: what goes in, and what is read from
/// outside, is split along these as it was, and so is what comes out.
pub(super) fn by_hand<'c>(
    engine: &mut Engine<'c>,
    b: &HloBuilder<'c>,
    op: Op<'c>,
) -> Result<(), Failure> {
    let Some(body) = op.body(0) else {
        return Err(fail(op, "has no body"));
    };
    let manual = manual_digits(engine, op)?;
    let taken = border(engine, op, "in_shardings", &op.operands())?;
    let mut inside: Vec<(Val<'c>, Sharding, Val<'c>)> = Vec::new();
    let arguments = op::arguments(body);
    for ((value, along), argument) in op.operands().into_iter().zip(taken).zip(&arguments) {
        let others = engine.along_others(&manual, &engine.has(value));
        let (wants, others) = joined(&along, &others, *argument);
        let made = engine.get(b, value, &wants, "a computation by hand takes it so", op)?;
        let wants = signature::ty(b, *argument, &others);
        if made.r#type() != wants {
            let is = made.r#type();
            return Err(fail(op, format!("takes {wants}, and a device has {is}")));
        }
        inside.push((*argument, others, made));
    }
    let mut seen = HashSet::new();
    for value in computation::captured(op) {
        if seen.insert(op::key(value)) {
            let others = engine.along_others(&manual, &engine.has(value));
            let why = "a computation by hand reads it in its region";
            let made = engine.get(b, value, &others, why, op)?;
            inside.push((value, others, made));
        }
    }
    let before = engine.held.clone();
    let around = std::mem::replace(&mut engine.plans.apart, manual);
    let mut outside = Vec::new();
    for (value, has, made) in inside {
        engine.hold(value, has.clone(), made);
        outside.push((value, has));
    }
    let wishes = engine.wishes(body, &[], &outside, op)?;
    let end = engine.block(b, body, &wishes)?;
    let mut given = Vec::new();
    let along = border(engine, op, "out_shardings", &op.results())?;
    for (value, along) in end.operands().into_iter().zip(along) {
        let has = engine.has(value).full();
        let made = engine.get(b, value, &has, "a computation by hand gives it so", op)?;
        given.push((joined(&along, &has, value).0, made));
    }
    engine.held = before;
    engine.plans.apart = around;
    for (value, (has, made)) in op.results().into_iter().zip(given) {
        engine.hold(value, has, made);
    }
    Ok(())
}

/// Divides an operation that is written for one device along manual axes. Where its groups are of
/// devices that differ along these alone, each device does it with its slice, but for the
/// dimensions whose elements change places.
pub(super) fn written_for_one<'c>(
    engine: &mut Engine<'c>,
    b: &HloBuilder<'c>,
    op: Op<'c>,
) -> Result<(), Failure> {
    let at = |names: &[&str]| -> Option<Vec<usize>> {
        let dims = names.iter().map(|name| usize::try_from(op.int(name)?).ok());
        dims.collect()
    };
    let whole_dims = match op.short_name() {
        "all_reduce" | "collective_permute" | "collective_broadcast" => Some(Vec::new()),
        "all_gather" => at(&["all_gather_dim"]),
        "reduce_scatter" => at(&["scatter_dimension"]),
        "all_to_all" => at(&["split_dimension", "concat_dimension"]),
        _ => None,
    };
    let groups = match op.short_name() {
        "collective_permute" => attrs::source_target_pairs(op)
            .ok()
            .map(|pairs| pairs.into_iter().map(|(from, to)| vec![from, to]).collect()),
        _ => attrs::written_groups(op),
    };
    let fits =
        groups.is_some_and(|groups| groups.iter().all(|group| engine.is_along_manual(group)));
    let Some(whole_dims) = whole_dims.filter(|_| fits && op.num_operands() == op.num_results())
    else {
        return engine.as_whole(b, op);
    };
    let (mut given, mut layouts) = (Vec::new(), Vec::new());
    for value in op.operands() {
        let mut has = engine.has(value).full();
        for d in &whole_dims {
            if let Some(digits) = has.dims.get_mut(*d) {
                digits.clear();
            }
        }
        given.push(engine.get(b, value, &has, "a collective takes it so", op)?);
        layouts.push(has);
    }
    b.set_location(op.location());
    let copy = local::on_slices(op, &given, &layouts, &HashMap::new());
    edit::append(b.block(), copy);
    for ((value, has), made) in op.results().into_iter().zip(layouts).zip(copy.results()) {
        engine.hold(value, has, made);
    }
    Ok(())
}
