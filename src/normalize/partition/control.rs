//! What has regions of its own in a program of several devices: loops and branches, and computations that are written for one device by hand.

use super::engine::{Engine, Wishes};
use super::local;
use super::sites::shape;
use super::slices::{slice_type, whole};
use crate::{hlo::zero_literal, make::HloBuilder};
use mapwright_mlir::{
    Builder, ElementType, Op, TensorType, Val, ValueType, computation,
    diagnostic::Failure,
    edit,
    melior::ir::{Region, ValueLike},
    op,
};
use mapwright_ops::attrs;
use mapwright_sharding::{
    digits::Digit,
    notation::{AxisRef, DimensionSharding, ShardySharding, per_value},
    propagate::Sharding,
};
use std::collections::{HashMap, HashSet};

/// Is it the program of one device along some axes?
pub(super) fn is_by_hand(op: Op<'_>) -> bool {
    op.dialect() == "sdy" && op.attribute("manual_axes").is_some()
}

/// Is it in the region of such an operation?
pub(super) fn is_within_one_by_hand(op: Op<'_>) -> bool {
    let around = std::iter::successors(op.parent(), |outer| outer.parent());
    around.into_iter().any(is_by_hand)
}

/// Does it call what is not known here?
pub(super) fn calls_out(op: Op<'_>) -> bool {
    op.is_hlo("custom_call")
}

/// A call that does something besides giving results is made by the first device alone, which has the results for all. `None` where they have no
/// form that the other devices could have meanwhile.
pub(super) fn once<'c>(
    engine: &Engine<'c>,
    b: &HloBuilder<'c>,
    op: Op<'c>,
    map: &HashMap<usize, Val<'c>>,
) -> Option<Op<'c>> {
    if op.boolean("has_side_effect") != Some(true) {
        return None;
    }
    let types: Vec<_> = op.results().iter().map(|value| value.r#type()).collect();
    let fixed = |i| match op.result_type(i) {
        ValueType::Tensor(ty) => ty.static_shape().map(|_| ()),
        ValueType::Token => Some(()),
        _ => None,
    };
    (0..op.num_results()).try_for_each(fixed)?;
    let scalar = TensorType::new(ElementType::int(32), &[]);
    let number = engine.number(b, &engine.others(), 1);
    let is_first = b.compare("EQ", number, b.constant("0", &scalar));
    let calls = b.region(&[], |b, _| {
        let copy = edit::clone(op, map);
        edit::append(b.block(), copy);
        b.op("stablehlo.return", &copy.results(), &[], &[]);
    });
    let waits = b.region(&[], |b, _| {
        let b = HloBuilder::from(Builder::new(b.context(), b.block(), b.location()));
        let nothing = |i| match op.result_type(i) {
            ValueType::Tensor(ty) => b.constant(zero_literal(&ty.element), &ty),
            _ => b.op1("stablehlo.create_token", &[], types[i], &[]),
        };
        let nothing: Vec<Val<'c>> = (0..types.len()).map(nothing).collect();
        b.op("stablehlo.return", &nothing, &[], &[]);
    });
    Some(b.op_with_regions("stablehlo.if", &[is_first], &types, &[], vec![calls, waits]))
}

fn fail<'c>(op: Op<'c>, what: impl std::fmt::Display) -> Failure {
    Failure::at(op.location(), &format!("'{}' op {what}", op.name()))
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

/// The digits of the device's number that the manual axes of a computation by hand are, and those of the ones around it.
fn manual_digits<'c>(engine: &Engine<'c>, op: Op<'c>) -> Result<Vec<Digit>, Failure> {
    let first = ["in_shardings", "out_shardings"].iter().find_map(|name| {
        let list: Vec<ShardySharding> = per_value(&op.text(name)?).ok()?;
        list.into_iter().next()
    });
    let mut manual = engine.manual.clone();
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

/// A layout along manual axes, and in what it leaves along others, where these divide the value on a device, `inner`. The second is that of `inner`.
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

/// Puts a computation that is written by hand along some axes in its place, between changes of layout. Along the others it is a program on whole tensors:
/// what goes in, and what is read from outside, is split along these as it was, and so is what comes out.
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
        if slice_type(*argument, &others) != TensorType::from_mlir(made.r#type()) {
            let (is, wants) = (made.r#type(), argument.r#type());
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
    let around = std::mem::replace(&mut engine.manual, manual);
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
    engine.manual = around;
    for (value, (has, made)) in op.results().into_iter().zip(given) {
        engine.hold(value, has, made);
    }
    Ok(())
}

/// Does an operation that is written for one device along manual axes. Where its groups are of devices that differ along these alone, each device does it
/// with its slice, but for the dimensions whose elements change places.
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

/// Does a loop, or branches: what they carry and give has layouts at their borders, and in between each operation is done by itself.
pub(super) fn regions<'c>(
    engine: &mut Engine<'c>,
    b: &HloBuilder<'c>,
    op: Op<'c>,
    wishes: &Wishes,
) -> Result<(), Failure> {
    let (is_loop, is_branch) = (op.is_hlo("while"), op.is_hlo("if") || op.is_hlo("case"));
    if !is_loop && !is_branch {
        return engine.as_whole(b, op);
    }
    let layouts = carried(engine, op, is_loop, wishes)?;
    let mut operands = Vec::new();
    for (i, value) in op.operands().into_iter().enumerate() {
        let (wants, why) = match is_loop {
            true => (layouts[i].clone(), "a loop carries it so"),
            false => (whole(value), "it says which branch is taken"),
        };
        operands.push(engine.get(b, value, &wants, why, op)?);
    }
    let mut made: Vec<Region<'c>> = Vec::new();
    for region in 0..op.num_regions() {
        // The condition of a loop gives a truth value, which every device has.
        let ends = match is_loop && region == 0 {
            true => vec![Sharding::replicated(0)],
            false => layouts.clone(),
        };
        made.push(self::region(engine, b, op, region, &layouts, &ends)?);
    }
    b.set_location(op.location());
    let types: Vec<_> = (op.results().into_iter().zip(&layouts))
        .map(|(value, has)| super::signature::ty(b, value, has))
        .collect();
    let attributes = op.attributes();
    let new = b.op_with_regions(op.name(), &operands, &types, &attributes, made);
    for ((value, has), made) in op.results().into_iter().zip(layouts).zip(new.results()) {
        engine.hold(value, has, made);
    }
    Ok(())
}

/// The values that regions read from outside, with the layouts that they have there.
fn outside<'c>(engine: &Engine<'c>, op: Op<'c>) -> Vec<(Val<'c>, Sharding)> {
    let mut seen = HashSet::new();
    let captured = computation::captured(op).into_iter();
    captured
        .filter(|value| seen.insert(op::key(*value)))
        .map(|value| (value, engine.has(value).full()))
        .collect()
}

/// The layouts of what a loop carries, or branches give. A loop carries what is split as it comes in; for what is whole before, and for results of
/// branches that nobody wishes otherwise, it is what follows from the others in the last region, which is the body of a loop.
fn carried<'c>(
    engine: &mut Engine<'c>,
    op: Op<'c>,
    is_loop: bool,
    wishes: &Wishes,
) -> Result<Vec<Sharding>, Failure> {
    let mut layouts: Vec<Sharding> = (op.results().into_iter().enumerate())
        .map(|(i, value)| match is_loop {
            true => engine.has(op.operand(i)).full(),
            false => engine.wish(wishes, value),
        })
        .collect();
    let last = op.num_regions().checked_sub(1).and_then(|i| op.body(i));
    let Some((block, end)) = last.and_then(|block| Some((block, op::ops(block).pop()?))) else {
        return Ok(layouts);
    };
    let mut outside = outside(engine, op);
    if is_loop {
        let arguments = op::arguments(block)
            .into_iter()
            .zip(layouts.iter().cloned());
        outside.extend(arguments.filter(|(value, has)| *has != whole(*value)));
    }
    let inside = engine.wishes(block, &[], &outside, op)?;
    for (layout, value) in layouts.iter_mut().zip(end.operands()) {
        if *layout == whole(value) {
            *layout = match outside.iter().find(|(other, _)| *other == value) {
                Some((_, has)) => has.clone(),
                None => engine.wish(&inside, value),
            };
        }
    }
    Ok(layouts)
}

/// One region, whose arguments have these layouts, and whose end gives its operands in those of `ends`.
fn region<'c>(
    engine: &mut Engine<'c>,
    b: &HloBuilder<'c>,
    op: Op<'c>,
    number: usize,
    layouts: &[Sharding],
    ends: &[Sharding],
) -> Result<Region<'c>, Failure> {
    let Some(block) = op.body(number) else {
        return Err(fail(op, "has a region without a block"));
    };
    let arguments = op::arguments(block);
    for (argument, has) in arguments.iter().zip(layouts) {
        engine.given.insert(op::key(*argument), has.clone());
    }
    let outside = outside(engine, op);
    let returned: Vec<(usize, Sharding)> = ends.iter().cloned().enumerate().collect();
    let wishes = engine.wishes(block, &returned, &outside, op)?;
    let types: Vec<_> = (arguments.iter().zip(layouts))
        .map(|(value, has)| super::signature::ty(b, *value, has))
        .collect();
    // What is moved inside is not there outside.
    let before = engine.held.clone();
    let mut done = Ok(());
    let region = b.region(&types, |inner, values| {
        for ((argument, has), value) in arguments.iter().zip(layouts).zip(values) {
            engine.hold(*argument, has.clone(), *value);
        }
        let b = Builder::new(inner.context(), inner.block(), op.location());
        let b = HloBuilder::from(b);
        done = engine.block(&b, block, &wishes).and_then(|end| {
            let mut given = Vec::new();
            for (value, wants) in end.operands().into_iter().zip(ends) {
                given.push(engine.get(&b, value, wants, "its region gives it so", end)?);
            }
            b.set_location(end.location());
            b.op(end.name(), &given, &[], &[]);
            Ok(())
        });
    });
    engine.held = before;
    done.map(|()| region)
}
