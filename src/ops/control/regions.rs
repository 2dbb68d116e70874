//! Maps through regions and callees, by composition.
//!
//! - A call or composite is its callee's body.
//! - `if` and `case`: the union of the branches; which one runs depends on a value, so a map that not every branch has is an
//!   over-approximation. The predicate is read by every element.
//! - `while`: a value that the body hands on unchanged is its operand. For the others, the steps of an iteration are composed until
//!   nothing new comes up. The number of iterations being unknown, that union is exact only as far as every number of iterations
//!   reads the same: what the first evaluation of the condition reads (it decides the number of iterations and so every element),
//!   and the operand's own element, if every iteration makes an element of the one at the same index. All else is an
//!   over-approximation. If new places come up in every iteration the answer is unknown.

use crate::compose::{Composer, MapSet, Reached, value_sizes};
use crate::query::{Query, everything, nothing, over};
use mapwright_indexing::{IndexingMap, compose};
use mapwright_mlir::{Blk, Op, Val, op};

/// What an operation with regions reads: maps for every operand, and for values from outside that the regions use.
pub struct Reads<'c> {
    /// Maps for every operand.
    pub operands: Vec<Vec<IndexingMap>>,
    /// Maps for captured values.
    pub captured: Vec<(Val<'c>, Vec<IndexingMap>)>,
}

/// How often the body of a loop is composed with itself before giving up.
const ITERATIONS: usize = 8;

/// True for operations that [`output_to_input`] knows.
pub fn has_regions(operation: Op<'_>) -> bool {
    matches!(operation.short_name(), "if" | "case" | "while") && operation.num_regions() > 0
}

fn unknown<'c>(q: &Query<'c>, reason: &str) -> Reads<'c> {
    Reads {
        operands: vec![vec![IndexingMap::unknown(reason)]; q.num_operands()],
        captured: Vec::new(),
    }
}

/// The function or region that a call or composite runs.
pub fn callee<'c>(operation: Op<'c>) -> Result<Blk<'c>, String> {
    let name = operation
        .symbol("callee")
        .or_else(|| operation.symbol("decomposition"))
        .ok_or("the callee is not named")?;
    let mut scope = operation.parent();
    while let Some(module) = scope {
        if module.num_regions() == 1
            && let Some(body) = module.body(0)
            && let Some(function) = op::ops(body)
                .into_iter()
                .find(|candidate| candidate.string("sym_name").as_deref() == Some(&name))
        {
            return entry(function).map_err(|reason| format!("@{name}: {reason}"));
        }
        scope = module.parent();
    }
    Err(format!("there is no @{name}"))
}

/// The only block of an operation's first region.
pub fn entry<'c>(operation: Op<'c>) -> Result<Blk<'c>, String> {
    if operation.num_regions() == 0 {
        return Err("it has no body".into());
    }
    let blocks = op::blocks(operation.region(0));
    match blocks.as_slice() {
        [] => Err("it is only declared".into()),
        [block] => Ok(*block),
        _ => Err("its body has several blocks".into()),
    }
}

/// What the terminator of a block hands out.
pub fn yields<'c>(block: Blk<'c>) -> Vec<Val<'c>> {
    op::ops(block)
        .last()
        .map(|last| last.operands())
        .unwrap_or_default()
}

/// All that result `result` reads.
pub fn output_to_input<'c>(composer: &Composer<'c>, q: &Query<'c>, result: usize) -> Reads<'c> {
    let answer = match q.op.short_name() {
        "call" | "composite" => call(composer, q, result),
        "while" => while_loop(composer, q, result),
        _ => branches(composer, q, result),
    };
    answer.unwrap_or_else(|reason| unknown(q, &reason))
}

fn or_nothing(maps: Option<&[IndexingMap]>, from: &[i64], to: &[i64]) -> Vec<IndexingMap> {
    match maps {
        Some(maps) if !maps.is_empty() => maps.to_vec(),
        _ => nothing(from, to),
    }
}

fn call<'c>(composer: &Composer<'c>, q: &Query<'c>, result: usize) -> Result<Reads<'c>, String> {
    let out = q.result_sizes(result)?;
    let body = callee(q.op)?;
    let value = *yields(body)
        .get(result)
        .ok_or("the callee has fewer results")?;
    let reached = composer.guarded(body, |composer| composer.backward(value))?;
    let arguments = op::arguments(body);
    let operands = (0..q.num_operands())
        .map(|i| {
            let to = q.operand_sizes(i).unwrap_or_default();
            or_nothing(
                arguments
                    .get(i)
                    .and_then(|argument| reached.maps(*argument)),
                &out,
                &to,
            )
        })
        .collect();
    Ok(Reads {
        operands,
        captured: Vec::new(),
    })
}

/// Is the value defined outside of the operation?
fn outside(value: Val<'_>, operation: Op<'_>) -> bool {
    let mut scope = match op::defining_op(value) {
        Some((def, _)) => def.parent(),
        None => op::block_argument(value).and_then(|(block, _)| {
            use mapwright_mlir::melior::ir::BlockLike;
            block.parent_operation().map(|parent| Op::new(parent))
        }),
    };
    while let Some(parent) = scope {
        if parent == operation {
            return false;
        }
        scope = parent.parent();
    }
    true
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
        let found = if outside(value, q.op) {
            vec![(value, vec![crate::query::identity(&out).simplify()])]
        } else {
            composer
                .backward(value)
                .iter()
                .filter(|(value, _)| outside(*value, q.op))
                .map(|(value, maps)| (value, maps.to_vec()))
                .collect()
        };
        for (value, maps) in found {
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
                let reads = |maps: &Vec<IndexingMap>| maps.iter().any(|m| m.exact && m == map);
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

fn inexact(map: IndexingMap, yes: bool) -> IndexingMap {
    let exact = map.exact && !yes;
    map.with_exact(exact)
}

/// The maps of a union, exact where `certain` says that they are read whatever happens.
fn certain_if(union: MapSet, certain: impl Fn(&IndexingMap) -> bool) -> Vec<IndexingMap> {
    union
        .into_maps()
        .into_iter()
        .map(|map| {
            let certain = certain(&map);
            inexact(map, !certain)
        })
        .collect()
}

/// What loops of any length read: exact where every one of them reads it.
fn any_length(union: MapSet, always: &[IndexingMap]) -> Vec<IndexingMap> {
    certain_if(union, |map| {
        always.iter().any(|known| known.exact && known == map)
    })
}

/// The parts of a loop.
struct Loop<'c> {
    arguments: Vec<Val<'c>>,
    yielded: Vec<Val<'c>>,
    condition: Val<'c>,
    condition_arguments: Vec<Val<'c>>,
}

impl<'c> Loop<'c> {
    fn new(q: &Query<'c>) -> Result<Self, String> {
        let (condition, body) = (
            q.op.body(0).ok_or("no condition")?,
            q.op.body(1).ok_or("no body")?,
        );
        let found = Self {
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
        {
            return Err("the regions do not fit the operands".into());
        }
        Ok(found)
    }

    fn invariant(&self, i: usize) -> bool {
        op::key(self.yielded[i]) == op::key(self.arguments[i])
    }
}

/// Adds the compositions of `map` with the maps to every value that was reached and is `wanted`.
fn follow<'c>(
    map: &IndexingMap,
    reached: &Reached<'c>,
    wanted: impl Fn(Val<'c>) -> bool,
    mut add: impl FnMut(Val<'c>, IndexingMap),
) {
    for (value, maps) in reached.iter().filter(|(value, _)| wanted(*value)) {
        for step in maps {
            add(value, compose(map, step).simplify());
        }
    }
}

/// What the condition is made of.
fn condition<'c>(composer: &Composer<'c>, q: &Query<'c>, parts: &Loop<'c>) -> Reached<'c> {
    if outside(parts.condition, q.op) {
        Reached::only(parts.condition)
    } else {
        composer.backward(parts.condition)
    }
}

/// Does an iteration make every element of the one at the same index, for certain?
fn keeps_index(own: &IndexingMap, step: Option<&[IndexingMap]>) -> bool {
    step.is_some_and(|maps| maps.iter().any(|map| map.exact && map == own))
}

fn while_loop<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    result: usize,
) -> Result<Reads<'c>, String> {
    let out = q.result_sizes(result)?;
    let parts = Loop::new(q)?;
    let n = q.num_operands();
    let sizes = |i: usize| q.operand_sizes(i).unwrap_or_default();
    if parts.invariant(result) {
        let operands = (0..n)
            .map(|i| {
                if i == result {
                    vec![crate::query::identity(&out)]
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
    let mut sets = vec![MapSet::default(); n];
    let mut captured: Vec<(Val<'c>, MapSet)> = Vec::new();
    let capture =
        |captured: &mut Vec<(Val<'c>, MapSet)>, value: Val<'c>, map: IndexingMap| match captured
            .iter_mut()
            .find(|(v, _)| op::key(*v) == op::key(value))
        {
            Some((_, set)) => {
                set.push(map);
                if let Ok(to) = value_sizes(value) {
                    set.bound(&out, &to);
                }
            }
            None => {
                let mut set = MapSet::default();
                set.push(map);
                captured.push((value, set));
            }
        };
    let own = crate::query::identity(&out).simplify();
    let mut pending: Vec<(usize, IndexingMap)> = vec![(result, own.clone())];
    // What a loop of any length reads: of the operands, and of values from outside.
    let mut always = vec![Vec::new(); n];
    let mut always_captured: Vec<(Val<'c>, IndexingMap)> = Vec::new();
    // The condition is evaluated on the carried values, whichever element of the result is asked for.
    let any = over(&out, vec![]);
    let carried = |arguments: &[Val<'c>], value: Val<'c>| {
        arguments
            .iter()
            .position(|argument| op::key(*argument) == op::key(value))
    };
    follow(
        &any,
        &condition(composer, q, &parts),
        |value| carried(&parts.condition_arguments, value).is_some() || outside(value, q.op),
        |value, map| match parts
            .condition_arguments
            .iter()
            .position(|argument| op::key(*argument) == op::key(value))
        {
            Some(i) => {
                always[i].push(map.clone());
                pending.push((i, map));
            }
            None => {
                always_captured.push((value, map.clone()));
                capture(&mut captured, value, map);
            }
        },
    );
    let steps: Vec<Reached<'c>> = parts
        .yielded
        .iter()
        .map(|value| {
            if outside(*value, q.op) {
                Reached::only(*value)
            } else {
                composer.backward(*value)
            }
        })
        .collect();
    if keeps_index(&own, steps[result].maps(parts.arguments[result])) {
        always[result].push(own);
    }
    // Which of them have become "anything, perhaps", to which there is nothing to add.
    let mut anything = vec![false; n];
    for round in 0.. {
        let mut next = Vec::new();
        for (i, mut map) in pending {
            if anything[i] || !sets[i].push(map.clone()) {
                continue;
            }
            if sets[i].bound(&out, &sizes(i)) {
                anything[i] = true;
                if let Some(all) = sets[i].maps().first() {
                    map = all.clone();
                }
            }
            let wanted = |value| carried(&parts.arguments, value).is_some() || outside(value, q.op);
            follow(&map, &steps[i], wanted, |value, map| {
                match carried(&parts.arguments, value) {
                    Some(j) => next.push((j, map)),
                    None => capture(&mut captured, value, map),
                }
            });
        }
        if next.is_empty() {
            break;
        }
        if round >= ITERATIONS {
            return Err("every iteration of the loop reads at another place".into());
        }
        pending = next;
    }
    let operands = sets
        .into_iter()
        .enumerate()
        .map(|(i, set)| {
            let maps = any_length(set, &always[i]);
            or_nothing(Some(&maps), &out, &sizes(i))
        })
        .collect();
    let captured = captured
        .into_iter()
        .map(|(value, set)| {
            let always: Vec<IndexingMap> = always_captured
                .iter()
                .filter(|(other, _)| op::key(*other) == op::key(value))
                .map(|(_, map)| map.clone())
                .collect();
            (value, any_length(set, &always))
        })
        .collect();
    Ok(Reads { operands, captured })
}

/// All results that operand `operand` goes into.
pub fn input_to_output<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    operand: usize,
) -> Vec<Vec<IndexingMap>> {
    let answer = match q.op.short_name() {
        "call" | "composite" => call_forward(composer, q, operand),
        "while" => while_forward(composer, q, operand),
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
    let body = callee(q.op)?;
    let argument = *op::arguments(body)
        .get(operand)
        .ok_or("the callee has fewer arguments")?;
    let reached = composer.guarded(body, |composer| composer.forward(argument))?;
    let results = yields(body);
    Ok((0..q.num_results())
        .map(|i| {
            let to = q.result_sizes(i).unwrap_or_default();
            or_nothing(
                results.get(i).and_then(|value| reached.maps(*value)),
                &inp,
                &to,
            )
        })
        .collect())
}

fn while_forward<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    operand: usize,
) -> Result<Vec<Vec<IndexingMap>>, String> {
    let inp = q.operand_sizes(operand)?;
    let parts = Loop::new(q)?;
    let n = q.num_operands();
    let steps: Vec<Reached<'c>> = parts
        .arguments
        .iter()
        .map(|argument| composer.forward(*argument))
        .collect();
    let decisions: Vec<Option<Vec<IndexingMap>>> = parts
        .condition_arguments
        .iter()
        .map(|argument| {
            let reached = composer.forward(*argument);
            reached.maps(parts.condition).map(<[IndexingMap]>::to_vec)
        })
        .collect();
    let decides: Vec<bool> = decisions.iter().map(Option::is_some).collect();
    let certain: Vec<bool> = decisions
        .iter()
        .map(|maps| maps.iter().flatten().any(|map| map.exact && map.is_known()))
        .collect();
    let mut sets = vec![MapSet::default(); n];
    let own = crate::query::identity(&inp).simplify();
    let mut pending = vec![(operand, own.clone())];
    let mut all = false;
    // A scalar that the first evaluation of the condition reads decides about everything, for certain.
    let at_once = inp.is_empty() && certain[operand];
    let mut anything = vec![false; n];
    for round in 0.. {
        let mut next = Vec::new();
        for (i, mut map) in pending {
            if anything[i] || !sets[i].push(map.clone()) {
                continue;
            }
            if sets[i].bound(&inp, &q.operand_sizes(i).unwrap_or_default()) {
                anything[i] = true;
                if let Some(all) = sets[i].maps().first() {
                    map = all.clone();
                }
            }
            all |= decides[i];
            for (j, value) in parts.yielded.iter().enumerate() {
                for step in steps[i].maps(*value).unwrap_or_default() {
                    next.push((j, compose(&map, step).simplify()));
                }
            }
        }
        if next.is_empty() {
            break;
        }
        if round >= ITERATIONS {
            return Err("every iteration of the loop writes to another place".into());
        }
        pending = next;
    }
    Ok((0..n)
        .map(|i| {
            let to = q.result_sizes(i).unwrap_or_default();
            if parts.invariant(i) {
                return if i == operand {
                    vec![crate::query::identity(&inp)]
                } else {
                    nothing(&inp, &to)
                };
            }
            if all {
                return vec![everything(&inp, &to).with_exact(at_once)];
            }
            let keeps = i == operand && keeps_index(&own, steps[i].maps(parts.yielded[i]));
            let always: &[IndexingMap] = if keeps { &[own.clone()] } else { &[] };
            or_nothing(
                Some(&any_length(std::mem::take(&mut sets[i]), always)),
                &inp,
                &to,
            )
        })
        .collect())
}
