//! Histories that are only reduced, or of which only the last slice is read: the loop carries what
//! that gives, and keeps no history.

use super::{CountedLoop, History, is_same, live, tensor, typed, without};
use crate::make::HloBuilder;
use mapwright_mlir::computation::single_op;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{ElementType, FloatKind, Op, Val, attr::Dense, edit, op};
use mapwright_ops::registry::{self, Class};
use std::collections::HashMap;

/// Values after the loop that are looked at for a history, at most.
const MOST: usize = 64;

/// A value after the loop that is made of a history.
enum Reader<'c> {
    /// A reduction over the iterations, and perhaps other dimensions.
    Reduction(Op<'c>),
    /// The slice that the last iteration wrote.
    Last(Op<'c>),
}

/// Operations that a history goes to.
struct Readers<'c> {
    /// Element by element, in order.
    between: Vec<Op<'c>>,
    ends: Vec<Reader<'c>>,
}

/// The loop in its place, if there is such a history.
pub(super) fn rewrite<'c>(iterations: &CountedLoop<'c>) -> Option<Op<'c>> {
    let end = op::ops(iterations.body).last().copied()?;
    let (before, inside) = (HloBuilder::before(iterations.op)?, HloBuilder::before(end)?);
    let (mut folded, mut numbers) = (Vec::new(), Vec::new());
    for (i, history) in iterations.histories() {
        let Some(readers) = readers(iterations, i, &history) else {
            continue;
        };
        let mut rows = Rows {
            iterations,
            history: &history,
            make: &inside,
            known: HashMap::new(),
        };
        if let Some(ends) = rows.ends(i, &readers, &before) {
            folded.extend(ends);
            numbers.push(i);
        }
    }
    if folded.is_empty() {
        return None;
    }
    let op = iterations.op;
    let (mut operands, mut next) = (op.operands(), end.operands());
    for each in &folded {
        let (ty, place) = (each.row.r#type(), op.location());
        edit::insert_argument(iterations.condition, usize::MAX, ty, place);
        let so_far = edit::insert_argument(iterations.body, usize::MAX, ty, place);
        operands.push(each.start);
        next.push(match each.by {
            Some(by) => inside.binary(by, so_far, each.row),
            None => each.row,
        });
    }
    inside.op(end.name(), &next, &[], &[]);
    edit::erase_unused(end);
    let count = op.num_operands();
    let new = live::carrying(op, &operands, &op.results());
    for (each, result) in folded.iter().zip(new.results().into_iter().skip(count)) {
        each.finish(result);
    }
    // What else reads the histories is read by nobody.
    for i in numbers {
        op::replace_all_uses(new.result(i), new.operand(i));
    }
    Some(new)
}

/// Tells whether the sum of such elements may be taken in another order, which changes its rounding
/// and nothing else.
fn sums_like_that(element: &ElementType) -> bool {
    match element {
        ElementType::Float(kind) => matches!(kind, FloatKind::F32 | FloatKind::F64),
        other => other.is_int() || *other == ElementType::Bool,
    }
}

/// Returns the readers of history `i`, if all of them reduce it or take its last slice.
fn readers<'c>(
    iterations: &CountedLoop<'c>,
    i: usize,
    history: &History<'c>,
) -> Option<Readers<'c>> {
    let home = iterations.op.block()?;
    let result = iterations.op.result(i);
    let (_, whole) = tensor(result)?;
    let mut found = Readers {
        between: Vec::new(),
        ends: Vec::new(),
    };
    let mut pending = vec![result];
    let mut seen = Vec::new();
    while let Some(value) = pending.pop() {
        if seen.contains(&op::key(value)) {
            continue;
        }
        seen.push(op::key(value));
        if seen.len() > MOST {
            return None;
        }
        for (user, number) in op::uses(value) {
            if user.block() != Some(home) || user.dialect() != "stablehlo" {
                return None;
            }
            if is_reduction(user, number, history.dim) {
                found.ends.push(Reader::Reduction(user));
                continue;
            }
            if is_last(iterations, user, history, &whole) {
                found.ends.push(Reader::Last(user));
                continue;
            }
            if !is_between(iterations, user, &whole) {
                return None;
            }
            if !found.between.contains(&user) {
                found.between.push(user);
            }
            pending.push(user.result(0));
        }
    }
    // Their operands are there before they are.
    found.between.sort_by(|a, b| {
        if op::is_before(*a, *b) {
            std::cmp::Ordering::Less
        } else {
            std::cmp::Ordering::Greater
        }
    });
    let made = |value: Val<'c>| {
        is_same(value, result) || (found.between.iter()).any(|made| is_same(made.result(0), value))
    };
    let there = |value: Val<'c>| made(value) || is_given(iterations, value, history.dim);
    let known = found
        .between
        .iter()
        .all(|op| op.operands().into_iter().all(there));
    (known && !found.ends.is_empty()).then_some(found)
}

/// Tells whether `value` is there before the loop, or is the same in all iterations.
fn is_given<'c>(iterations: &CountedLoop<'c>, value: Val<'c>, dim: usize) -> bool {
    match op::defining_op(value) {
        None => true,
        Some((made, _)) if op::is_constant(value) => splat(made).is_some(),
        Some((made, _)) => is_repeated(iterations, made, dim) || is_early(iterations, value),
    }
}

/// Tells whether `made` repeats along the iterations something that is there before the loop.
fn is_repeated<'c>(iterations: &CountedLoop<'c>, made: Op<'c>, dim: usize) -> bool {
    let along = made.ints("broadcast_dimensions").unwrap_or_default();
    made.is_hlo("broadcast_in_dim")
        && !along.contains(&(dim as i64))
        && (is_early(iterations, made.operand(0)) || op::is_constant(made.operand(0)))
}

/// Tells whether `value` is made before the loop.
fn is_early<'c>(iterations: &CountedLoop<'c>, value: Val<'c>) -> bool {
    match op::defining_op(value) {
        None => true,
        Some((made, _)) => {
            made.block() != iterations.op.block() || op::is_before(made, iterations.op)
        }
    }
}

fn splat(constant: Op<'_>) -> Option<Dense> {
    Dense::splat_of(constant.attribute("value")?)
}

fn is_reduction(user: Op<'_>, number: usize, dim: usize) -> bool {
    let own = user.is_hlo("reduce") && user.num_operands() == 2 && number == 0;
    let dims = user.ints("dimensions").unwrap_or_default();
    if !own || !dims.contains(&(dim as i64)) {
        return false;
    }
    let Some((element, _)) = tensor(user.operand(0)) else {
        return false;
    };
    let result = user.result_type(0);
    let same = result.tensor().is_some_and(|ty| ty.element == element);
    let by = user.body(0).and_then(single_op);
    let start = op::defining_op(user.operand(1)).and_then(|(op, _)| splat(op));
    let neutral = by.zip(start).is_some_and(|(by, start)| {
        let zero = || start.data.iter().all(|byte| *byte == 0);
        match by.short_name() {
            "add" => sums_like_that(&element) && zero(),
            "maximum" | "minimum" => true,
            "and" | "or" => element.is_int() || element == ElementType::Bool,
            _ => false,
        }
    });
    same && neutral
}

/// Tells whether `user` takes the slice that the last iteration writes.
fn is_last<'c>(
    iterations: &CountedLoop<'c>,
    user: Op<'c>,
    history: &History<'c>,
    whole: &[i64],
) -> bool {
    let at = if history.backwards {
        0
    } else {
        iterations.count - 1
    };
    let (Some(starts), Some(ends)) = (user.ints("start_indices"), user.ints("limit_indices"))
    else {
        return false;
    };
    user.is_hlo("slice")
        && (0..whole.len()).all(|d| {
            let own = if d == history.dim {
                (at, at + 1)
            } else {
                (0, whole[d])
            };
            (starts[d], ends[d]) == own
        })
}

/// Tells whether `user` works element by element on tensors of these sizes.
fn is_between<'c>(iterations: &CountedLoop<'c>, user: Op<'c>, whole: &[i64]) -> bool {
    let elementwise = registry::lookup(user).is_some_and(|def| def.class == Class::Elementwise)
        && registry::is_pure(user)
        && user.num_results() == 1
        && !is_early(iterations, user.result(0));
    let sizes = |value: Val<'c>| tensor(value).is_some_and(|(_, sizes)| sizes == whole);
    elementwise && user.operands().into_iter().chain(user.results()).all(sizes)
}

/// Value that a loop carries for a reader of a history.
struct Folded<'c> {
    reader: Op<'c>,
    /// Value with which the loop begins.
    start: Val<'c>,
    /// Value that an iteration adds to it, or that replaces it after the iteration.
    row: Val<'c>,
    /// By which operation it is added.
    by: Option<&'c str>,
    /// Dimensions of a row that are reduced besides the iterations.
    rest: Vec<i64>,
}

impl<'c> Folded<'c> {
    /// Replaces the reader by what it gives, computed of `result`, the last value that is carried
    /// for it.
    fn finish(&self, result: Val<'c>) {
        let Some(make) = HloBuilder::before(self.reader) else {
            return;
        };
        let own = self.reader.result_type(0);
        let value = match (self.rest.is_empty(), own.tensor()) {
            (true, Some(ty)) => make.reshape(result, ty),
            _ => {
                let copy = edit::clone(self.reader, &HashMap::new());
                edit::insert_before(self.reader, copy);
                edit::set_operand(copy, 0, result);
                copy.set_attribute("dimensions", make.i64_array(&self.rest));
                copy.result(0)
            }
        };
        op::replace_all_uses(self.reader.result(0), value);
    }
}

/// Values that an iteration makes of its slice of a history.
struct Rows<'a, 'c> {
    iterations: &'a CountedLoop<'c>,
    history: &'a History<'c>,
    /// At the end of the body.
    make: &'a HloBuilder<'c>,
    /// By the keys of values after the loop.
    known: HashMap<usize, Val<'c>>,
}

impl<'c> Rows<'_, 'c> {
    /// For each reader of history `i` what is to be carried. `before`: where what it begins with is
    /// made.
    fn ends(
        &mut self,
        i: usize,
        readers: &Readers<'c>,
        before: &HloBuilder<'c>,
    ) -> Option<Vec<Folded<'c>>> {
        let result = self.iterations.op.result(i);
        let slice = self.history.update.operand(1);
        let (element, sizes) = tensor(slice)?;
        let row = typed(&element, &without(&sizes, self.history.dim));
        self.known
            .insert(op::key(result), self.make.reshape(slice, &row));
        for made in &readers.between {
            self.add(*made)?;
        }
        let ends = readers.ends.iter().map(|reader| self.end(reader, before));
        ends.collect()
    }

    fn end(&self, reader: &Reader<'c>, before: &HloBuilder<'c>) -> Option<Folded<'c>> {
        let (Reader::Reduction(reader) | Reader::Last(reader)) = *reader;
        let row = *self.known.get(&op::key(reader.operand(0)))?;
        let (element, sizes) = tensor(row)?;
        let ty = typed(&element, &sizes);
        if !reader.is_hlo("reduce") {
            let zero = before.zero(&element);
            return Some(Folded {
                reader,
                start: before.broadcast(zero, &ty, &[]),
                row,
                by: None,
                rest: Vec::new(),
            });
        }
        let (start, _) = op::defining_op(reader.operand(1))?;
        let dense = Dense {
            ty: ty.clone(),
            ..splat(start)?
        };
        let value = [("value", dense.to_mlir(reader.context())?)];
        let rest = reader.ints("dimensions")?.into_iter();
        let dim = self.history.dim as i64;
        let rest = rest.filter(|d| *d != dim).map(|d| d - i64::from(d > dim));
        Some(Folded {
            reader,
            start: before.operation("stablehlo.constant", &[], &ty, &value),
            row,
            by: reader.body(0).and_then(single_op).map(Op::short_name),
            rest: rest.collect(),
        })
    }

    /// The row of what is made element by element.
    fn add(&mut self, made: Op<'c>) -> Option<()> {
        let mut operands = Vec::new();
        for operand in made.operands() {
            operands.push(match self.known.get(&op::key(operand)) {
                Some(known) => *known,
                None => self.given(operand)?,
            });
        }
        let (element, sizes) = tensor(made.result(0))?;
        let to = typed(&element, &without(&sizes, self.history.dim));
        let row = self
            .make
            .operation(made.name(), &operands, &to, &made.attributes());
        self.known.insert(op::key(made.result(0)), row);
        Some(())
    }

    /// The row of what is there before the loop, or the same in all iterations.
    fn given(&self, value: Val<'c>) -> Option<Val<'c>> {
        let (m, dim) = (self.make, self.history.dim);
        let (element, sizes) = tensor(value)?;
        let to = typed(&element, &without(&sizes, dim));
        if let Some((made, _)) = op::defining_op(value) {
            if op::is_constant(value) {
                let dense = Dense {
                    ty: to.clone(),
                    ..splat(made)?
                };
                let value = [("value", dense.to_mlir(made.context())?)];
                return Some(m.operation("stablehlo.constant", &[], &to, &value));
            }
            if is_repeated(self.iterations, made, dim) {
                let along = made.ints("broadcast_dimensions")?.into_iter();
                let along: Vec<i64> = along.map(|d| d - i64::from(d > dim as i64)).collect();
                let source = made.operand(0);
                let constant = op::defining_op(source).filter(|_| op::is_constant(source));
                let source = match constant {
                    Some((constant, _)) => {
                        let (element, sizes) = tensor(source)?;
                        let value = [("value", constant.attribute("value")?)];
                        let ty = typed(&element, &sizes);
                        m.operation("stablehlo.constant", &[], &ty, &value)
                    }
                    None => source,
                };
                return Some(m.broadcast(source, &to, &along));
            }
        }
        let starts = self.history.update.operands();
        let mut slice = sizes.clone();
        slice[dim] = 1;
        Some(m.reshape(m.slice_at(value, &starts[2..], &slice), &to))
    }
}
