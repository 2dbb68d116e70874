//! All iterations of a loop at once: every value of the body becomes a tensor with the iterations
//! as its first dimension.
//!
//! What an iteration needs of the iterations before it may be what is accumulated by an operation
//! whose order makes no difference to any bit, which is then a prefix reduction. Sums and products
//! of floating-point numbers are none: a loop says in which order they are taken.

use super::{CountedLoop, is_plain, is_same, tensor, typed, without};
use crate::{hlo::neutral_literal, make::HloBuilder};
use mapwright_mlir::{ElementType, Op, Val, edit, op};
use mapwright_ops::reduction::combination::Combination;
use mapwright_ops::registry::{self, Class, lookup};
use std::collections::{HashMap, HashSet};

/// Elements that a value of all iterations has at most, beside those of what the loop is given and
/// gives.
const GROWTH: i64 = 2;

/// Elements that are few in any case.
const FEW: i64 = 1 << 16;

/// The results of the loop, if they can be had like this.
pub(super) fn rewrite<'c>(
    make: &HloBuilder<'c>,
    iterations: &CountedLoop<'c>,
) -> Option<Vec<Val<'c>>> {
    let blocks = [iterations.condition, iterations.body];
    let pure = |op: &Op<'c>| op.name().ends_with(".return") || registry::is_pure(*op);
    if !blocks
        .into_iter()
        .all(|block| op::ops(block).iter().all(pure))
    {
        return None;
    }
    let mut spread = Vectorizer {
        make,
        iterations,
        known: HashMap::new(),
        begun: HashSet::new(),
        most: most(iterations)?,
    };
    let op = iterations.op;
    let mut results = op.operands();
    let used = |i: usize| edit::is_used(op.result(i)) && !iterations.stays(i);
    let (mut last, mut changes) = (Vec::new(), false);
    for (i, result) in results.iter_mut().enumerate().filter(|(i, _)| used(*i)) {
        if let Some((first, step)) = iterations.steady[i] {
            let (element, _) = tensor(*result)?;
            let number = first + step * iterations.count;
            *result = make.constant(&number.to_string(), &typed(&element, &[]));
            continue;
        }
        changes = true;
        match iterations.history(i) {
            Some(history) => {
                let rows = spread.in_all_iterations(history.update.operand(1))?;
                *result = spread.joined(rows, history.dim, history.backwards, *result)?;
            }
            None => last.push(i),
        }
    }
    for i in last {
        results[i] = spread.total(i)?;
    }
    changes.then_some(results)
}

/// Elements that a value of all iterations may have.
fn most(iterations: &CountedLoop<'_>) -> Option<i64> {
    let mut sum = FEW;
    for value in iterations.op.operands() {
        let (_, sizes) = tensor(value)?;
        let elements = sizes
            .iter()
            .try_fold(1i64, |n, size| n.checked_mul(*size))?;
        sum = sum.checked_add(elements.checked_mul(GROWTH)?)?;
    }
    Some(sum)
}

struct Vectorizer<'a, 'c> {
    make: &'a HloBuilder<'c>,
    iterations: &'a CountedLoop<'c>,
    /// Values of the body for all iterations, by their keys.
    known: HashMap<usize, Val<'c>>,
    /// Accumulated values that are being looked at.
    begun: HashSet<usize>,
    most: i64,
}

/// Carried value that an operation combines with another in each iteration.
struct Accumulated<'c> {
    by: Op<'c>,
    step: Val<'c>,
}

impl<'c> Vectorizer<'_, 'c> {
    /// The value of the body in all iterations.
    fn in_all_iterations(&mut self, value: Val<'c>) -> Option<Val<'c>> {
        if let Some(known) = self.known.get(&op::key(value)) {
            return Some(*known);
        }
        let (element, sizes) = tensor(value).filter(|(element, _)| is_plain(element))?;
        let elements = sizes
            .iter()
            .try_fold(self.iterations.count, |n, k| n.checked_mul(*k))?;
        if elements > self.most {
            return None;
        }
        let all = [&[self.iterations.count], sizes.as_slice()].concat();
        let found = match self.iterations.carried(value) {
            Some(i) if self.iterations.stays(i) => {
                self.repeated(self.iterations.op.operand(i), &all)?
            }
            Some(i) => match self.iterations.steady[i] {
                Some(steady) => self.counted(&element, steady)?,
                None => self.before(i, &all)?,
            },
            None if self.iterations.is_outside(value) => self.repeated(value, &all)?,
            None => {
                let (made, _) = op::defining_op(value)?;
                self.made(made, &element, &sizes, &all)?
            }
        };
        self.known.insert(op::key(value), found);
        Some(found)
    }

    /// A value that is the same in all iterations.
    fn repeated(&self, value: Val<'c>, all: &[i64]) -> Option<Val<'c>> {
        let (element, sizes) = tensor(value)?;
        let dims: Vec<i64> = (1..=sizes.len() as i64).collect();
        Some(self.make.broadcast(value, &typed(&element, all), &dims))
    }

    /// A number that grows by the same step.
    fn counted(&self, element: &ElementType, (first, step): (i64, i64)) -> Option<Val<'c>> {
        if !element.is_int() {
            return None;
        }
        let (m, ty) = (self.make, typed(element, &[self.iterations.count]));
        let numbers = m.iota(&ty, 0);
        let steps = m.binary("multiply", numbers, m.constant(&step.to_string(), &ty));
        Some(m.binary("add", steps, m.constant(&first.to_string(), &ty)))
    }

    /// Returns the result of an operation of the body in all iterations.
    fn made(
        &mut self,
        made: Op<'c>,
        element: &ElementType,
        sizes: &[i64],
        all: &[i64],
    ) -> Option<Val<'c>> {
        if made.block() != Some(self.iterations.body)
            || made.dialect() != "stablehlo"
            || made.num_results() != 1
            || made.num_regions() > 0
        {
            return None;
        }
        if let Some(i) = (0..self.iterations.next.len()).find(|i| self.makes_next(made, *i)) {
            return self.after(i);
        }
        let (m, to) = (self.make, typed(element, all));
        if made.num_operands() == 0 {
            let copy = edit::clone(made, &HashMap::new());
            edit::insert_before(self.iterations.op, copy);
            return self.repeated(copy.result(0), all);
        }
        let shifted = |name: &str| -> Option<Vec<i64>> {
            let dims = made.ints(name)?;
            Some(dims.into_iter().map(|d| d + 1).collect())
        };
        match made.short_name() {
            "dynamic_slice" => return self.slices(made, sizes, all),
            "reshape" => {
                let x = self.in_all_iterations(made.operand(0))?;
                return Some(m.reshape(x, &to));
            }
            "broadcast_in_dim" => {
                let dims = [vec![0], shifted("broadcast_dimensions")?].concat();
                let x = self.in_all_iterations(made.operand(0))?;
                return Some(m.broadcast(x, &to, &dims));
            }
            "transpose" => {
                let order = [vec![0], shifted("permutation")?].concat();
                let order = [(
                    "permutation",
                    m.parse_attr(&format!("array<i64: {}>", list(&order))),
                )];
                let x = self.in_all_iterations(made.operand(0))?;
                return Some(m.operation("stablehlo.transpose", &[x], &to, &order));
            }
            _ => {}
        }
        let elementwise = registry::lookup(made).is_some_and(|def| def.class == Class::Elementwise);
        if !elementwise {
            return None;
        }
        let mut operands = Vec::new();
        for operand in made.operands() {
            let (own, own_sizes) = tensor(operand)?;
            let x = self.in_all_iterations(operand)?;
            operands.push(match own_sizes == sizes {
                true => x,
                // One for all elements, such as what decides a selection.
                false if own_sizes.is_empty() => m.broadcast(x, &typed(&own, all), &[0]),
                false => return None,
            });
        }
        Some(m.operation(made.name(), &operands, &to, &made.attributes()))
    }

    /// Returns the slices of a tensor that stays the same that the iterations read, one an
    /// iteration.
    fn slices(&mut self, slice: Op<'c>, sizes: &[i64], all: &[i64]) -> Option<Val<'c>> {
        let iterations = self.iterations;
        let source = match iterations.carried(slice.operand(0)) {
            Some(i) if iterations.stays(i) => iterations.op.operand(i),
            None if iterations.is_outside(slice.operand(0)) => slice.operand(0),
            _ => return None,
        };
        let (element, whole) = tensor(source)?;
        let (dim, (first, step)) = iterations.moving(&slice.operands()[1..], sizes, &whole)?;
        let last = first.checked_add(step.checked_mul(iterations.count - 1)?)?;
        let (low, high) = (first.min(last), first.max(last));
        if step == 0 || low < 0 || high >= whole[dim] {
            return None;
        }
        let m = self.make;
        let (mut starts, mut ends, mut steps) =
            (vec![0; whole.len()], whole.clone(), vec![1; whole.len()]);
        (starts[dim], ends[dim], steps[dim]) = (low, high + 1, step.abs());
        let mut taken = if (starts[dim], ends[dim], steps[dim]) == (0, whole[dim], 1) {
            source
        } else {
            m.slice(source, [&starts, &ends, &steps])
        };
        if step < 0 {
            taken = m.reverse(taken, &[dim as i64]);
        }
        let mut order: Vec<usize> = (0..whole.len()).filter(|d| *d != dim).collect();
        order.insert(0, dim);
        let taken = m.transpose(taken, &order);
        Some(m.reshape(taken, &typed(&element, all)))
    }

    /// A history of these rows, one an iteration, with the iterations as dimension `dim`; `like`
    /// has its type.
    fn joined(&self, rows: Val<'c>, dim: usize, backwards: bool, like: Val<'c>) -> Option<Val<'c>> {
        let (element, whole) = tensor(like)?;
        let m = self.make;
        let rest = without(&whole, dim);
        let first = [&[self.iterations.count], rest.as_slice()].concat();
        let rows = m.reshape(rows, &typed(&element, &first));
        let mut order: Vec<usize> = (1..whole.len()).collect();
        order.insert(dim, 0);
        let joined = m.transpose(rows, &order);
        Some(if backwards {
            m.reverse(joined, &[dim as i64])
        } else {
            joined
        })
    }

    /// Tells whether the operation makes the next of carried value `i` from the last one, in any
    /// order of operands.
    fn makes_next(&self, made: Op<'c>, i: usize) -> bool {
        self.accumulated(i).is_some_and(|found| found.by == made)
    }

    fn accumulated(&self, i: usize) -> Option<Accumulated<'c>> {
        let iterations = self.iterations;
        let (by, _) = op::defining_op(iterations.next[i])?;
        let argument = iterations.arguments[i];
        let own = by.block() == Some(iterations.body)
            && by.dialect() == "stablehlo"
            && by.num_operands() == 2
            && !iterations.stays(i);
        let (element, _) = tensor(argument).filter(|_| own)?;
        neutral(by, &element)?;
        let mine: Vec<bool> = (by.operands().into_iter())
            .map(|v| is_same(v, argument))
            .collect();
        let step = match mine[..] {
            [true, false] => by.operand(1),
            [false, true] => by.operand(0),
            _ => return None,
        };
        Some(Accumulated { by, step })
    }

    /// Carried value `i` after each iteration.
    fn after(&mut self, i: usize) -> Option<Val<'c>> {
        let key = op::key(self.iterations.next[i]);
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        let found = self.accumulated(i)?;
        if !self.begun.insert(i) {
            return None;
        }
        let steps = self.in_all_iterations(found.step)?;
        let prefix = self.reduced(found.by, steps, true)?;
        let (_, all) = tensor(prefix)?;
        let start = self.repeated(self.iterations.op.operand(i), &all)?;
        let value = self.make.binary(found.by.short_name(), start, prefix);
        self.known.insert(key, value);
        Some(value)
    }

    /// Carried value `i` before each iteration.
    fn before(&mut self, i: usize, all: &[i64]) -> Option<Val<'c>> {
        let after = self.after(i)?;
        let (element, _) = tensor(after)?;
        let (m, ones) = (self.make, vec![1; all.len()]);
        let mut ends = all.to_vec();
        ends[0] -= 1;
        let rest = m.slice(after, [&vec![0; all.len()], &ends, &ones]);
        ends[0] = 1;
        let start = m.reshape(self.iterations.op.operand(i), &typed(&element, &ends));
        Some(m.concatenate(&[start, rest], 0))
    }

    /// Carried value `i` after the last iteration.
    fn total(&mut self, i: usize) -> Option<Val<'c>> {
        let start = self.iterations.op.operand(i);
        let (element, sizes) = tensor(start)?;
        if let Some(all) = self.known.get(&op::key(self.iterations.next[i])).copied() {
            let (_, ends) = tensor(all)?;
            let mut starts = vec![0; ends.len()];
            starts[0] = ends[0] - 1;
            let last = self.make.slice(all, [&starts, &ends, &vec![1; ends.len()]]);
            return Some(self.make.reshape(last, &typed(&element, &sizes)));
        }
        let found = self.accumulated(i)?;
        if !self.begun.insert(i) {
            return None;
        }
        let steps = self.in_all_iterations(found.step)?;
        self.begun.remove(&i);
        let all = self.reduced(found.by, steps, false)?;
        Some(self.make.binary(found.by.short_name(), start, all))
    }

    /// Combines by `by` the elements of all iterations, or of the iterations up to each.
    fn reduced(&self, by: Op<'c>, x: Val<'c>, up_to_each: bool) -> Option<Val<'c>> {
        let (element, sizes) = tensor(x)?;
        let (m, scalar) = (self.make, typed(&element, &[]));
        let start = m.constant(&neutral(by, &element)?, &scalar);
        if !up_to_each {
            return Some(m.reduce(by.short_name(), x, start, &[0]));
        }
        let mut window = vec![1; sizes.len()];
        window[0] = sizes[0];
        let padding = m.pairs(window.iter().map(|size| (size - 1, 0)));
        let attributes = [
            ("window_dimensions", m.i64_array(&window)),
            ("padding", padding),
        ];
        Some(m.windows(by.short_name(), x, start, &attributes))
    }
}

fn list(numbers: &[i64]) -> String {
    let all: Vec<String> = numbers.iter().map(i64::to_string).collect();
    all.join(", ")
}

/// The literal of what makes no difference to `by`, if that is an operation whose operands come in
/// any order and any grouping with the same bits.
fn neutral(by: Op<'_>, element: &ElementType) -> Option<String> {
    let what = lookup(by)?.combines?;
    let is_exact = matches!(what, Combination::Maximum | Combination::Minimum);
    let is_whole = element.is_int() || *element == ElementType::Bool;
    (is_exact || is_whole).then(|| neutral_literal(what, element))?
}
