//! Maps through regions and callees, by composition.
//!
//! - A call or composite is its callee's body, a fusion its own. What a fusion uses without taking
//!   it is an operand where there is one without an argument.
//! - `if` and `case`: the union of the branches; which one runs depends on a value, so a map that
//!   not every branch has is an over-approximation. The predicate is read by every element.
//! - `while`: see [`super::loops`]; `scan`: see [`super::scan`].
//! - The computations of a reduction, a sort and so on may use values from outside. Every element
//!   that is computed reads them.
//!
//! Runtime variables that are read inside are said from outside: see [`super::scope`].

use super::reads::{Reads, captures, certain_if, entry, inexact, or_nothing, outside, yields};
use super::scope::{Scope, Seen};
use super::{loops, scan};
use crate::compose::{Composer, MapSet, Reached, inverse};
use crate::fold;
use crate::query::{Query, everything, over};
use crate::registry::mapped;
use crate::tarray::each;
use mapwright_indexing::{Expr, IndexingMap, d};
use mapwright_mlir::{Blk, Op, Val, melior::ir::BlockLike, op};

/// True for operations whose regions can use values from outside.
pub fn has_regions(operation: Op<'_>) -> bool {
    operation.num_regions() > 0
}

/// True for operations whose maps are those of what they run.
pub(crate) fn is_control(operation: Op<'_>) -> bool {
    let runs = mapped(operation).is_some_and(|def| def.runs_regions);
    runs && (operation.dialect() != "tarray" || each::is_each(operation))
}

/// The reason why an operation has no maps.
pub(crate) fn not_known(operation: Op<'_>) -> String {
    format!(
        "`{}` is not an operation that is known here",
        operation.name()
    )
}

fn unknown<'c>(q: &Query<'c>, reason: &str) -> Reads<'c> {
    Reads {
        operands: vec![vec![IndexingMap::unknown(reason)]; q.num_operands()],
        captured: loops::unknown_captures(q.op, reason),
    }
}

/// The body of the function that a call or composite runs; `find` finds functions by name, see
/// [`crate::symbols`].
pub fn callee<'c>(
    operation: Op<'c>,
    find: impl Fn(Op<'c>, &str) -> Option<Op<'c>>,
) -> Result<Blk<'c>, String> {
    let name = operation
        .symbol("callee")
        .or_else(|| operation.symbol("decomposition"))
        .ok_or("the callee is not named")?;
    let function = find(operation, &name).ok_or_else(|| format!("there is no @{name}"))?;
    entry(function).map_err(|reason| format!("@{name}: {reason}"))
}

/// All that result `result` reads.
pub fn output_to_input<'c>(composer: &Composer<'c>, q: &Query<'c>, result: usize) -> Reads<'c> {
    let answer = match q.op.short_name() {
        "call" | "composite" | "fusion" => call(composer, q, result),
        "while" => loops::output_to_input(composer, q, result),
        "scan" => scan::output_to_input(composer, q, result),
        _ if each::is_each(q.op) => each::output_to_input(composer, q, result),
        _ => branches(composer, q, result),
    };
    answer.unwrap_or_else(|reason| unknown(q, &reason))
}

/// Reads of result `result` of values from outside that the regions use.
pub fn captured<'c>(
    composer: &Composer<'c>,
    operation: Op<'c>,
    result: usize,
) -> Vec<(Val<'c>, Vec<IndexingMap>)> {
    if is_control(operation) {
        return match operation.num_regions() {
            0 => Vec::new(),
            _ => output_to_input(composer, &composer.query(operation), result).captured,
        };
    }
    if captures(operation).is_empty() {
        return Vec::new();
    }
    if mapped(operation).is_none() {
        return loops::unknown_captures(operation, &not_known(operation));
    }
    let q = composer.query(operation);
    computation(composer, &q, result)
        .unwrap_or_else(|reason| loops::unknown_captures(operation, &reason))
}

/// Maps from an element of `value`, from outside, to the elements of results that it goes into
/// through the regions.
pub fn captured_forward<'c>(
    composer: &Composer<'c>,
    operation: Op<'c>,
    value: Val<'c>,
    result: usize,
) -> Vec<IndexingMap> {
    let reads = captured(composer, operation, result);
    let found = reads
        .iter()
        .find(|(other, _)| op::key(*other) == op::key(value));
    let Some((_, maps)) = found else {
        return Vec::new();
    };
    match crate::compose::value_sizes(value) {
        Ok(sizes) => maps.iter().map(|map| inverse(map, &sizes)).collect(),
        Err(reason) => vec![IndexingMap::unknown(reason)],
    }
}

/// The computation of a reduction, a sort and so on. It is certain to run for every element of a
/// `map`, and of a reduction over at least one element.
fn computation<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    result: usize,
) -> Result<Vec<(Val<'c>, Vec<IndexingMap>)>, String> {
    let out = q.result_sizes(result)?;
    let scope_of = |i: usize| q.op.body(i).ok_or("a region is empty".to_owned());
    let runs = mapped(q.op).is_some_and(|def| def.runs_always) && !q.operand_sizes(0)?.contains(&0);
    let mut found: Vec<(Val<'c>, MapSet)> = Vec::new();
    for i in 0..q.op.num_regions() {
        let scope = Scope::new(scope_of(i)?);
        for (n, value) in yields(scope_of(i)?).into_iter().enumerate() {
            // Scalars of other dialects have no sizes.
            let own = crate::compose::value_sizes(value).unwrap_or_default();
            let (taken, certain) = yielded(q.op, &out, &own, n == result);
            let reached = made_of(composer, value, q.op);
            for (value, maps) in reached.iter().filter(|(value, _)| outside(*value, q.op)) {
                for map in maps {
                    let map = composer.chained(&taken, map);
                    let at = match found
                        .iter()
                        .position(|(v, _)| op::key(*v) == op::key(value))
                    {
                        Some(at) => at,
                        None => {
                            found.push((value, MapSet::default()));
                            found.len() - 1
                        }
                    };
                    // Which runs there are, and what they find inside, is not said from outside.
                    for map in scope.lift(map, &|_, _, _| Seen::Any, &|_| None) {
                        found[at]
                            .1
                            .push(inexact(map.simplify(), !(runs && certain)));
                    }
                }
            }
        }
    }
    Ok(found
        .into_iter()
        .map(|(value, set)| (value, set.into_maps()))
        .collect())
}

/// The elements of a value that a body gives, which an element of a result is made of, and whether
/// it is made of all of them. `same`: the value is the one of that result.
fn yielded(op: Op<'_>, out: &[i64], own: &[i64], same: bool) -> (IndexingMap, bool) {
    if own.is_empty() {
        return (over(out, vec![]), same);
    }
    // Of a body that gives an element for each element, without handing anything on.
    let each = op.short_name() == "parallel_foreach" && same && out.len() == own.len() + 1;
    if each {
        (over(out, (1..out.len()).map(d).collect()), true)
    } else {
        (everything(out, own), false)
    }
}

/// All that `value` is made of within `owner`, in a region of which it is handed on.
fn made_of<'c>(composer: &Composer<'c>, value: Val<'c>, owner: Op<'c>) -> Reached<'c> {
    if outside(value, owner) {
        Reached::only(value)
    } else {
        composer.backward(value)
    }
}

fn call<'c>(composer: &Composer<'c>, q: &Query<'c>, result: usize) -> Result<Reads<'c>, String> {
    let out = q.result_sizes(result)?;
    let called = Called::new(composer, q)?;
    let value = *yields(called.body)
        .get(result)
        .ok_or("the callee has fewer results")?;
    let reached = composer.guarded(called.body, |composer| {
        made_of(composer, value, called.owner)
    })?;
    let mut captured: Vec<(Val<'c>, Vec<IndexingMap>)> = reached
        .iter()
        .filter(|(value, _)| outside(*value, called.owner))
        .map(|(value, maps)| (value, called.seen(maps)))
        .collect();
    let operands = (0..q.num_operands())
        .map(|i| {
            let to = q.operand_sizes(i).unwrap_or_default();
            let maps = match called.arguments.get(i) {
                Some(argument) => reached.maps(*argument).map(|maps| called.seen(maps)),
                // Fusions of older programs have no argument for an operand, and use the value.
                None => captured
                    .iter()
                    .position(|(value, _)| op::key(*value) == op::key(q.op.operand(i)))
                    .map(|at| captured.remove(at).1),
            };
            or_nothing(maps.as_deref(), &out, &to)
        })
        .collect();
    Ok(Reads { operands, captured })
}

/// Body that a call, a composite or a fusion runs, seen from there.
struct Called<'a, 'c> {
    call: &'a Query<'c>,
    body: Blk<'c>,
    /// Operation that has the body: a function, or the operation itself.
    owner: Op<'c>,
    scope: Scope<'c>,
    arguments: Vec<Val<'c>>,
}

impl<'a, 'c> Called<'a, 'c> {
    fn new(composer: &Composer<'c>, call: &'a Query<'c>) -> Result<Self, String> {
        let body = match call.op.short_name() {
            "fusion" => entry(call.op)?,
            _ => callee(call.op, |op, name| composer.functions.find(op, name))?,
        };
        Ok(Self {
            call,
            body,
            owner: body.parent_operation().map_or(call.op, Op::new),
            scope: Scope::new(body),
            arguments: op::arguments(body),
        })
    }

    /// Maps from inside.
    fn seen(&self, maps: &[IndexingMap]) -> Vec<IndexingMap> {
        let inside = |label: &str| {
            let whole = match self.call.num_results() {
                0 => "a call".to_owned(),
                _ => op::label(self.call.op.result(0)),
            };
            format!("{label} in {whole}")
        };
        let see = |value: Val<'c>, index: &[Expr], map: &IndexingMap| {
            let at = self
                .arguments
                .iter()
                .position(|argument| op::key(*argument) == op::key(value))
                .filter(|at| *at < self.call.num_operands());
            let Some(at) = at else {
                return Seen::Label(inside(&op::label(value)));
            };
            let operand = self.call.op.operand(at);
            match fold::value(operand, index, map) {
                Some(value) => Seen::Value(value),
                None => Seen::Label(op::label(operand)),
            }
        };
        // What is not in the body of a fusion is around it, and has its label already.
        let other = |label: &str| (self.owner != self.call.op).then(|| inside(label));
        let lift = |map: &IndexingMap| -> Vec<IndexingMap> {
            if map.runtime().is_empty() {
                return vec![map.clone()];
            }
            let lifted = self.scope.lift(map.clone(), &see, &other);
            lifted.iter().map(IndexingMap::simplify).collect()
        };
        maps.iter().flat_map(lift).collect()
    }
}

fn branches<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    result: usize,
) -> Result<Reads<'c>, String> {
    let out = q.result_sizes(result)?;
    let n = q.op.num_regions();
    // For every value from outside, what each branch that uses it reads.
    let mut captured: Vec<(Val<'c>, Vec<Vec<IndexingMap>>)> = Vec::new();
    for i in 0..n {
        let body = q.op.body(i).ok_or("a region is empty")?;
        let value = *yields(body)
            .get(result)
            .ok_or("a branch has fewer results")?;
        let reached = made_of(composer, value, q.op);
        let found = reached
            .iter()
            .filter(|(value, _)| outside(*value, q.op))
            .map(|(value, maps)| (value, maps.to_vec()));
        let scope = Scope::new(body);
        for (value, maps) in found {
            let maps = within(q.op, i, &scope, maps);
            match captured
                .iter_mut()
                .find(|(other, _)| op::key(*other) == op::key(value))
            {
                Some((_, branches)) => branches.push(maps),
                None => captured.push((value, vec![maps])),
            }
        }
    }
    let captured = captured
        .into_iter()
        .map(|(value, branches)| {
            let mut union = MapSet::default();
            for map in branches.iter().flatten() {
                union.push(map.clone());
            }
            let everywhere = |map: &IndexingMap| {
                let reads = |maps: &Vec<IndexingMap>| maps.iter().any(|m| m.is_exact() && m == map);
                branches.len() == n && branches.iter().all(reads)
            };
            (value, certain_if(union, everywhere))
        })
        .collect();
    Ok(Reads {
        operands: vec![vec![over(&out, vec![])]; q.num_operands()],
        captured,
    })
}

/// Maps from inside of region `i`: what is read there has a label that says so.
fn within<'c>(
    operation: Op<'c>,
    i: usize,
    scope: &Scope<'c>,
    maps: Vec<IndexingMap>,
) -> Vec<IndexingMap> {
    let see = |value: Val<'c>, _: &[Expr], _: &IndexingMap| {
        let whole = op::label(operation.result(0));
        Seen::Label(format!("{} in region {i} of {whole}", op::label(value)))
    };
    let maps = maps.into_iter();
    maps.flat_map(|map| {
        if map.runtime().is_empty() {
            vec![map]
        } else {
            scope.lift(map, &see, &|_| None)
        }
    })
    .collect()
}

/// All results that operand `operand` goes into.
pub fn input_to_output<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    operand: usize,
) -> Vec<Vec<IndexingMap>> {
    let answer = match q.op.short_name() {
        "call" | "composite" | "fusion" => call_forward(composer, q, operand),
        "while" => loops::input_to_output(composer, q, operand),
        "scan" => scan::input_to_output(composer, q, operand),
        _ if each::is_each(q.op) => each::input_to_output(composer, q, operand),
        _ => (0..q.num_results())
            .map(|i| {
                Ok(vec![everything(
                    &q.operand_sizes(operand)?,
                    &q.result_sizes(i)?,
                )])
            })
            .collect(),
    };
    answer.unwrap_or_else(|reason| vec![vec![IndexingMap::unknown(reason)]; q.num_results()])
}

fn call_forward<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    operand: usize,
) -> Result<Vec<Vec<IndexingMap>>, String> {
    let inp = q.operand_sizes(operand)?;
    let called = Called::new(composer, q)?;
    let found: Vec<Option<Vec<IndexingMap>>> = match called.arguments.get(operand) {
        Some(argument) => {
            let reached = composer.guarded(called.body, |composer| composer.forward(*argument))?;
            let results = yields(called.body).into_iter();
            let maps = results.map(|value| reached.maps(value).map(|maps| called.seen(maps)));
            maps.collect()
        }
        None if called.owner == q.op => {
            let inverses = |result| {
                let maps = call(composer, q, result)?.operands.into_iter().nth(operand);
                let read = maps
                    .into_iter()
                    .flatten()
                    .filter(|map| !map.is_known_empty());
                Ok(Some(read.map(|map| inverse(&map, &inp)).collect()))
            };
            (0..q.num_results())
                .map(inverses)
                .collect::<Result<_, String>>()?
        }
        None => return Err("the callee has fewer arguments".into()),
    };
    Ok((0..q.num_results())
        .map(|i| {
            let to = q.result_sizes(i).unwrap_or_default();
            or_nothing(found.get(i).and_then(Option::as_deref), &inp, &to)
        })
        .collect())
}
