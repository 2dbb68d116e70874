//! What has regions of its own in a program of several devices: loops and branches, and computations that are written for one device by hand.

use super::engine::{Engine, Wishes};
use super::slices::whole;
use crate::{hlo::zero_literal, make::HloBuilder};
use mapwright_mlir::{
    Builder, ElementType, Op, TensorType, Val, ValueType, computation,
    diagnostic::Failure,
    edit,
    melior::ir::{Region, ValueLike},
    op,
};
use mapwright_sharding::{
    notation::{ShardySharding, per_value},
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
    let is_first = b.compare("EQ", engine.rank?, b.constant("0", &scalar));
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

/// The layouts of what goes into a computation by hand, or comes out of it: those along its manual axes. Along the others every device has
/// the same.
fn border<'c>(
    engine: &Engine<'c>,
    op: Op<'c>,
    name: &str,
    values: &[Val<'c>],
) -> Result<Vec<Sharding>, Failure> {
    let manual = op.text("manual_axes").unwrap_or_default();
    let manual: HashSet<&str> = manual.split('"').skip(1).step_by(2).collect();
    let list = per_value(&op.text(name).unwrap_or_default());
    let list: Vec<ShardySharding> = list.map_err(|error| fail(op, format!("'{name}': {error}")))?;
    if list.len() != values.len() {
        let why = format!("'{name}' has {} entries for {}", list.len(), values.len());
        return Err(fail(op, why));
    }
    let mut found = Vec::new();
    for (mut sharding, value) in list.into_iter().zip(values) {
        for dim in &mut sharding.dims {
            dim.axes.retain(|axis| manual.contains(axis.name.as_str()));
        }
        sharding
            .unreduced
            .retain(|axis| manual.contains(axis.name.as_str()));
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
        if is_within_one_by_hand(op) {
            match op.parent().is_some_and(is_by_hand) {
                true => continue,
                false => return Err(fail(op, "is in a region inside of another one")),
            }
        }
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

/// Puts a computation that is written by hand in its place, between changes of layout.
pub(super) fn by_hand<'c>(
    engine: &mut Engine<'c>,
    b: &HloBuilder<'c>,
    op: Op<'c>,
) -> Result<(), Failure> {
    let Some(body) = op.body(0) else {
        return Err(fail(op, "has no body"));
    };
    let mut map: HashMap<usize, Val<'c>> = HashMap::new();
    let taken = border(engine, op, "in_shardings", &op.operands())?;
    let arguments = op::arguments(body);
    for ((value, sharding), argument) in op.operands().into_iter().zip(taken).zip(&arguments) {
        let made = engine.get(b, value, &sharding, "a computation by hand takes it so", op)?;
        if made.r#type() != argument.r#type() {
            let (is, wants) = (made.r#type(), argument.r#type());
            return Err(fail(op, format!("takes {wants}, and a device has {is}")));
        }
        map.insert(op::key(*argument), made);
    }
    let mut seen = HashSet::new();
    for value in computation::captured(op) {
        if seen.insert(op::key(value)) {
            let why = "a computation by hand reads it in its region";
            map.insert(
                op::key(value),
                engine.get(b, value, &whole(value), why, op)?,
            );
        }
    }
    let inner = op::ops(body);
    let Some((end, rest)) = inner.split_last() else {
        return Err(fail(op, "has an empty body"));
    };
    for one in rest {
        match is_by_hand(*one) {
            true => inner_by_hand(engine, b, *one, &mut map)?,
            false => edit::append(b.block(), edit::copy(*one, &mut map)),
        }
    }
    let given = border(engine, op, "out_shardings", &op.results())?;
    for ((value, sharding), made) in op.results().into_iter().zip(given).zip(end.operands()) {
        let made = map.get(&op::key(made)).copied().unwrap_or(made);
        engine.hold(value, sharding, made);
    }
    Ok(())
}

/// A computation by hand inside of another one, along other axes: devices that differ in these alone have the same there, before and afterwards.
fn inner_by_hand<'c>(
    engine: &mut Engine<'c>,
    b: &HloBuilder<'c>,
    op: Op<'c>,
    map: &mut HashMap<usize, Val<'c>>,
) -> Result<(), Failure> {
    for value in computation::used(op) {
        if let Some(made) = map.get(&op::key(value)) {
            engine.hold(value, whole(value), *made);
        }
    }
    by_hand(engine, b, op)?;
    for value in op.results() {
        let why = "a computation by hand around it takes it whole";
        let made = engine.get(b, value, &whole(value), why, op)?;
        map.insert(op::key(value), made);
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
