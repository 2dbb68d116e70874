//! What has regions of its own in a program of several devices: loops and branches; and calls that
//! do something.

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
use mapwright_sharding::propagate::Sharding;
use std::collections::{HashMap, HashSet};

/// Tells whether an operation calls what is not known here.
pub(super) fn calls_out(op: Op<'_>) -> bool {
    op.is_hlo("custom_call")
}

/// A call that does something besides giving results is made by the first device alone, which has
/// the results for all. `None` where they have no form that the other devices could have meanwhile.
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

pub(super) fn fail<'c>(op: Op<'c>, what: impl std::fmt::Display) -> Failure {
    Failure::at(op.location(), &format!("'{}' op {what}", op.name()))
}

/// Divides a loop or branches: values that they carry and give have layouts at their borders, and
/// in between each operation is divided by itself.
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
        let (wants, why) = if is_loop {
            (layouts[i].clone(), "a loop carries it so")
        } else {
            (whole(value), "it says which branch is taken")
        };
        operands.push(engine.get(b, value, &wants, why, op)?);
    }
    let mut made: Vec<Region<'c>> = Vec::new();
    for region in 0..op.num_regions() {
        // The condition of a loop gives a truth value, which every device has.
        let ends = if is_loop && region == 0 {
            vec![Sharding::replicated(0)]
        } else {
            layouts.clone()
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

/// The layouts of what a loop carries, or branches give. A loop carries what is split as it comes
/// in; for what is whole before, and for results of branches that nobody wishes otherwise, it is
/// what follows from the others in the last region, which is the body of a loop.
fn carried<'c>(
    engine: &mut Engine<'c>,
    op: Op<'c>,
    is_loop: bool,
    wishes: &Wishes,
) -> Result<Vec<Sharding>, Failure> {
    let mut layouts: Vec<Sharding> = (op.results().into_iter().enumerate())
        .map(|(i, value)| {
            if is_loop {
                let (operand, has) = (op.operand(i), engine.has(op.operand(i)));
                // Partial results go round where the program says so.
                let given = engine.given.get(&op::key(operand));
                let is_partial = given.is_some_and(|given| !given.partial.is_empty());
                if is_partial { has } else { has.full() }
            } else {
                engine.wish(wishes, value)
            }
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

/// One region, whose arguments have these layouts, and whose end gives its operands in those of
/// `ends`.
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
