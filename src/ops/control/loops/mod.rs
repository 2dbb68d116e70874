//! Loops.
//!
//! A value that the body hands on unchanged is its operand. Where the number of iterations follows
//! from constants (see [`trips`]), the steps of the iterations are composed, from the last to the
//! first; once nothing new comes up, the rest is said at once, with the number of the iteration as
//! a range variable. That is exact. The other direction is the inverse of it.
//!
//! Otherwise see [`uncounted`].

mod counted;
mod trips;
mod uncounted;

use super::reads::{Reads, captures, or_nothing, outside, yields};
use super::scope::{Scope, Seen, iterations};
use crate::compose::{Composer, MapSet, Reached, inverse, value_sizes};
use crate::fold;
use crate::query::{Query, identity, nothing};
use crate::related_sizes::Related;
use mapwright_indexing::{Expr, IndexingMap};
use mapwright_mlir::{Blk, Op, Val, op};
use trips::{Carried, Trips, trips};

/// First value and step of a number that a loop carries, where it grows by the same step in every
/// iteration.
pub type Steady = Option<(i64, i64)>;

/// Number of iterations of a loop, and of each carried number that grows by the same step in every
/// iteration its first value and the step. `None` where the number of iterations does not follow
/// from constants.
pub fn known_trips(op: Op<'_>) -> Option<(i64, Vec<Steady>)> {
    let q = crate::operand_facts::query(op, &Related::default());
    let (parts, _, _) = Loop::new(&q).ok()?;
    let found = trips(&q, &parts)?;
    let steady = |one: &Carried| match one {
        Carried::Affine(first, step) => Some((*first, *step)),
        _ => None,
    };
    Some((found.count, found.carried.iter().map(steady).collect()))
}

/// The parts of a loop.
pub(super) struct Loop<'c> {
    pub operation: Op<'c>,
    pub arguments: Vec<Val<'c>>,
    pub yielded: Vec<Val<'c>>,
    pub condition: Val<'c>,
    pub condition_arguments: Vec<Val<'c>>,
}

/// Value that an iteration reads: a carried one, or one from outside.
#[derive(Clone, Copy)]
enum Target<'c> {
    Carried(usize),
    Outside(Val<'c>),
}

/// Read of an iteration, or of the condition, for one of its values.
struct Step<'c> {
    target: Target<'c>,
    /// As seen from outside, unless it depends on the iteration.
    maps: Vec<IndexingMap>,
    /// Inside of which block, where the number of the iteration matters.
    depends: Option<Place>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Body,
    Condition,
}

/// Iterations `first + stride * variable`.
#[derive(Clone)]
struct When {
    first: i64,
    stride: i64,
    variable: Option<Expr>,
}

/// A loop, taken apart once for all questions.
pub(crate) struct Plan<'c> {
    parts: Loop<'c>,
    body: Scope<'c>,
    condition: Scope<'c>,
    trips: Option<Trips>,
    /// For every carried value, what an iteration makes it of.
    next: Vec<Vec<Step<'c>>>,
    decision: Vec<Step<'c>>,
}

impl<'c> Loop<'c> {
    fn new(q: &Query<'c>) -> Result<(Self, Blk<'c>, Blk<'c>), String> {
        let (condition, body) = (
            q.op.body(0).ok_or("no condition")?,
            q.op.body(1).ok_or("no body")?,
        );
        let found = Self {
            operation: q.op,
            arguments: op::arguments(body),
            yielded: yields(body),
            condition: *yields(condition)
                .first()
                .ok_or("the condition yields nothing")?,
            condition_arguments: op::arguments(condition),
        };
        let n = q.num_operands();
        if found.arguments.len() != n
            || found.yielded.len() != n
            || found.condition_arguments.len() != n
            || q.num_results() != n
        {
            return Err("the regions do not fit the operands".into());
        }
        Ok((found, condition, body))
    }

    pub fn invariant(&self, i: usize) -> bool {
        op::key(self.yielded[i]) == op::key(self.arguments[i])
    }
}

fn position(list: &[Val<'_>], value: Val<'_>) -> Option<usize> {
    list.iter()
        .position(|other| op::key(*other) == op::key(value))
}

impl<'c> Plan<'c> {
    fn new(composer: &Composer<'c>, q: &Query<'c>) -> Result<Self, String> {
        let (parts, condition, body) = Loop::new(q)?;
        let trips = trips(q, &parts);
        let mut plan = Self {
            body: Scope::new(body),
            condition: Scope::new(condition),
            trips,
            next: Vec::new(),
            decision: Vec::new(),
            parts,
        };
        let made = |value: Val<'c>| {
            if outside(value, q.op) {
                Reached::only(value)
            } else {
                composer.backward(value)
            }
        };
        plan.decision = plan.steps(&made(plan.parts.condition), Place::Condition);
        let before = composer.compositions();
        for value in plan.parts.yielded.clone() {
            let steps = plan.steps(&made(value), Place::Body);
            plan.next.push(steps);
            if composer.compositions() - before > BODY_WORK {
                return Err(format!(
                    "the body of the loop has too many paths from what it yields to what it carries (over {BODY_WORK} compositions)"
                ));
            }
        }
        Ok(plan)
    }

    fn steps(&self, reached: &Reached<'c>, place: Place) -> Vec<Step<'c>> {
        let arguments = self.arguments(place);
        let mut found = Vec::new();
        for (value, maps) in reached.iter() {
            let target = match position(arguments, value) {
                Some(i) => Target::Carried(i),
                None if outside(value, self.parts.operation) => Target::Outside(value),
                None => continue,
            };
            for map in maps {
                found.push(self.step(target, map.clone(), place));
            }
        }
        found
    }

    /// A map from inside.
    fn step(&self, target: Target<'c>, map: IndexingMap, place: Place) -> Step<'c> {
        let scope = self.scope(place);
        let depends = std::cell::Cell::new(false);
        let maps = scope.lift(
            map.clone(),
            &|value, index, map| {
                self.handed_in(place, value, index, map).unwrap_or_else(|| {
                    depends.set(true);
                    Seen::Any
                })
            },
            &|_| None,
        );
        // Where the iteration is not known, it can be any.
        if depends.get() && self.trips.is_some() {
            Step {
                target,
                maps: vec![map],
                depends: Some(place),
            }
        } else {
            Step {
                target,
                maps,
                depends: None,
            }
        }
    }

    fn scope(&self, place: Place) -> &Scope<'c> {
        match place {
            Place::Body => &self.body,
            Place::Condition => &self.condition,
        }
    }

    fn arguments(&self, place: Place) -> &[Val<'c>] {
        match place {
            Place::Body => &self.parts.arguments,
            Place::Condition => &self.parts.condition_arguments,
        }
    }

    /// An argument that is its operand in every iteration.
    fn handed_in(
        &self,
        place: Place,
        value: Val<'c>,
        index: &[Expr],
        map: &IndexingMap,
    ) -> Option<Seen> {
        let i = position(self.arguments(place), value).filter(|i| self.parts.invariant(*i))?;
        let operand = self.parts.operation.operand(i);
        Some(match fold::value(operand, index, map) {
            Some(value) => Seen::Value(value),
            None => Seen::Label(op::label(operand)),
        })
    }

    /// A step in some iterations, as seen from outside; false if it is not known what they read.
    fn in_iterations(&self, step: &Step<'c>, when: &When, count: i64) -> (Vec<IndexingMap>, bool) {
        let (Some(place), Some(trips)) = (step.depends, &self.trips) else {
            return (step.maps.clone(), true);
        };
        let known = std::cell::Cell::new(true);
        let mut found = Vec::new();
        for map in &step.maps {
            let mut map = map.clone();
            let mut when = when.clone();
            if count > 1 {
                when.variable = Some(iterations(&mut map, count));
            }
            let number = |value: Val<'_>| {
                let at = position(self.arguments(place), value)?;
                trips
                    .carried
                    .get(at)?
                    .at(when.first, when.stride, when.variable.as_ref())
            };
            let see = |value: Val<'c>, index: &[Expr], map: &IndexingMap| {
                if let Some(seen) = self.handed_in(place, value, index, map) {
                    return seen;
                }
                if let Some(value) = fold::value_with(value, index, map, &number) {
                    return Seen::Value(value);
                }
                if count > 1 {
                    known.set(false);
                    return Seen::Any;
                }
                let whole = self.parts.operation.result(0);
                Seen::Label(format!(
                    "{} in iteration {} of {}",
                    op::label(value),
                    when.first,
                    op::label(whole)
                ))
            };
            found.extend(self.scope(place).lift(map, &see, &|_| None));
        }
        (found, known.get())
    }
}

/// The loop, taken apart.
fn plan<'c>(composer: &Composer<'c>, q: &Query<'c>) -> Result<std::rc::Rc<Plan<'c>>, String> {
    let key = q.op.to_raw().ptr as usize;
    if let Some(found) = composer.loops.borrow().get(&key) {
        return found.clone();
    }
    let made = Plan::new(composer, q).map(std::rc::Rc::new);
    composer.loops.borrow_mut().insert(key, made.clone());
    made
}

/// Number of compositions that it may take to find what one iteration reads of the carried values.
const BODY_WORK: usize = 1 << 13;

/// Number of compositions that the answers for all results of a loop may take together. One takes
/// some tenth of a millisecond, so that a loop is answered in about half a second.
const WORK: usize = 1 << 12;

/// The share of [`WORK`] that one result has: the same, whatever is asked for first.
fn share_of_work(plan: &Plan<'_>) -> usize {
    let n = plan.parts.yielded.len();
    let changing = (0..n).filter(|i| !plan.parts.invariant(*i)).count();
    WORK / changing.max(1)
}

/// Maps to every carried value, and to values from outside.
struct Found<'c> {
    carried: Vec<MapSet>,
    captured: Vec<(Val<'c>, MapSet)>,
}

impl<'c> Found<'c> {
    fn new(n: usize) -> Self {
        Self {
            carried: vec![MapSet::default(); n],
            captured: Vec::new(),
        }
    }

    fn capture(&mut self, out: &[i64], value: Val<'c>, map: IndexingMap) {
        let at = match self
            .captured
            .iter()
            .position(|(v, _)| op::key(*v) == op::key(value))
        {
            Some(at) => at,
            None => {
                self.captured.push((value, MapSet::default()));
                self.captured.len() - 1
            }
        };
        let set = &mut self.captured[at].1;
        set.push(map);
        if let Ok(to) = value_sizes(value) {
            set.bound(out, &to);
        }
    }
}

/// All that result `result` of a loop reads.
pub(super) fn output_to_input<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    result: usize,
) -> Result<Reads<'c>, String> {
    let out = q.result_sizes(result)?;
    let plan = plan(composer, q)?;
    let sizes = |i: usize| q.operand_sizes(i).unwrap_or_default();
    if plan.parts.invariant(result) {
        let operands = (0..q.num_operands())
            .map(|i| {
                if i == result {
                    vec![identity(&out)]
                } else {
                    nothing(&out, &sizes(i))
                }
            })
            .collect();
        return Ok(Reads {
            operands,
            captured: Vec::new(),
        });
    }
    if let Some(trips) = &plan.trips
        && let Some(found) = counted::counted(composer, q, &plan, trips.count, result, &out)
    {
        let sets = found.carried.into_iter().enumerate();
        return Ok(Reads {
            operands: sets
                .map(|(i, set)| or_nothing(Some(set.maps()), &out, &sizes(i)))
                .collect(),
            captured: found
                .captured
                .into_iter()
                .map(|(v, set)| (v, set.into_maps()))
                .collect(),
        });
    }
    uncounted::output_to_input(composer, q, &plan, result, &out)
}

/// All results of a loop that operand `operand` goes into.
pub(super) fn input_to_output<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    operand: usize,
) -> Result<Vec<Vec<IndexingMap>>, String> {
    let inp = q.operand_sizes(operand)?;
    let plan = plan(composer, q)?;
    if plan.trips.is_some() {
        return Ok((0..q.num_operands())
            .map(|result| {
                let back = composer.output_to_input(q.op, result);
                let maps = back.get(operand).map(|found| found.maps.as_slice());
                maps.unwrap_or_default()
                    .iter()
                    .map(|map| inverse(map, &inp))
                    .collect()
            })
            .collect());
    }
    uncounted::input_to_output(composer, q, &plan, operand)
}

/// Values from outside that the regions of an operation use, about which nothing is known but that.
pub(super) fn unknown_captures<'c>(
    operation: Op<'c>,
    reason: &str,
) -> Vec<(Val<'c>, Vec<IndexingMap>)> {
    captures(operation)
        .into_iter()
        .map(|value| (value, vec![IndexingMap::unknown(reason)]))
        .collect()
}
