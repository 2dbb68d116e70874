//! Loops that run nobody knows how often.
//!
//! The steps of an iteration are composed until nothing new comes up. That union is exact only as
//! far as every number of iterations reads the same: what the first evaluation of the condition
//! reads (it decides the number of iterations and so every element), and the operand's own element,
//! if every iteration makes an element of the one at the same index. All else is an
//! over-approximation. If new places come up in every iteration the answer is unknown.

use super::{Found, Place, Plan, Step, Target};
use crate::compose::{Composer, MapSet, Reached};
use crate::control::reads::{Reads, certain_if, or_nothing};
use crate::control::scope::Seen;
use crate::query::{Query, everything, identity, nothing, over};
use mapwright_indexing::{Expr, IndexingMap};
use mapwright_mlir::{Val, op};

/// Number of times that the body is composed with itself before giving up.
const ITERATIONS: usize = 8;

/// Returns the reads of loops of any length: a map is exact where loops of every length read it.
fn any_length(union: MapSet, always: &[IndexingMap]) -> Vec<IndexingMap> {
    certain_if(union, |map| {
        always.iter().any(|known| known.is_exact() && known == map)
    })
}

fn first(steps: &[Step<'_>], i: usize) -> Vec<IndexingMap> {
    let to = |step: &&Step<'_>| matches!(step.target, Target::Carried(j) if j == i);
    steps
        .iter()
        .filter(to)
        .flat_map(|step| step.maps.clone())
        .collect()
}

/// All that result `result` reads.
pub(super) fn output_to_input<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    plan: &Plan<'c>,
    result: usize,
    out: &[i64],
) -> Result<Reads<'c>, String> {
    let n = q.num_operands();
    let sizes = |i: usize| q.operand_sizes(i).unwrap_or_default();
    let mut found = Found::new(n);
    let own = identity(out).simplify();
    let mut pending: Vec<(usize, IndexingMap)> = vec![(result, own.clone())];
    // What a loop of any length reads: of the operands, and of values from outside.
    let mut always = vec![Vec::new(); n];
    let mut always_captured: Vec<(Val<'c>, IndexingMap)> = Vec::new();
    // The condition is evaluated on the carried values, whichever element of the result is asked
    // for.
    let any = over(out, vec![]);
    let most = super::share_of_work(plan);
    let work = std::cell::Cell::new(0);
    let follow = |map: &IndexingMap, step: &Step<'c>| -> Vec<IndexingMap> {
        let maps = match step.depends {
            // Of a known length, but too long.
            Some(_) => plan.anywhere(step),
            None => step.maps.clone(),
        };
        work.set(work.get() + maps.len());
        maps.iter()
            .map(|step| composer.chained(map, step))
            .collect()
    };
    for step in &plan.decision {
        for map in follow(&any, step) {
            match step.target {
                Target::Carried(i) => {
                    always[i].push(map.clone());
                    pending.push((i, map));
                }
                Target::Outside(value) => {
                    always_captured.push((value, map.clone()));
                    found.capture(out, value, map);
                }
            }
        }
    }
    if keeps_index(&own, &first(&plan.next[result], result)) {
        always[result].push(own);
    }
    // Which of them have become "anything, perhaps", to which there is nothing to add.
    let mut anything = vec![false; n];
    for round in 0.. {
        let mut next = Vec::new();
        for (i, mut map) in pending {
            if anything[i] || !found.carried[i].push(map.clone()) {
                continue;
            }
            if found.carried[i].bound(out, &sizes(i)) {
                anything[i] = true;
                if let Some(all) = found.carried[i].maps().first() {
                    map = all.clone();
                }
            }
            for step in &plan.next[i] {
                if work.get() > most {
                    return Err(format!(
                        "the loop has too many paths from result to operand (over {most} compositions)"
                    ));
                }
                for map in follow(&map, step) {
                    match step.target {
                        Target::Carried(j) => next.push((j, map)),
                        Target::Outside(value) => found.capture(out, value, map),
                    }
                }
            }
        }
        if next.is_empty() {
            break;
        }
        if round >= ITERATIONS {
            return Err("every iteration of the loop reads at another place".into());
        }
        pending = next;
    }
    let operands = found
        .carried
        .into_iter()
        .enumerate()
        .map(|(i, set)| or_nothing(Some(&any_length(set, &always[i])), out, &sizes(i)))
        .collect();
    let captured = found
        .captured
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

impl<'c> Plan<'c> {
    /// A step in any iteration.
    fn anywhere(&self, step: &Step<'c>) -> Vec<IndexingMap> {
        let Some(place) = step.depends else {
            return step.maps.clone();
        };
        let see = |value: Val<'c>, index: &[Expr], map: &IndexingMap| {
            self.handed_in(place, value, index, map)
                .unwrap_or(Seen::Any)
        };
        step.maps
            .iter()
            .flat_map(|map| self.scope(place).lift(map.clone(), &see, &|_| None))
            .collect()
    }
}

/// Tells whether an iteration makes every element of the one at the same index, for certain.
fn keeps_index(own: &IndexingMap, step: &[IndexingMap]) -> bool {
    step.iter().any(|map| map.is_exact() && map == own)
}

/// All results that operand `operand` goes into.
pub(super) fn input_to_output<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    plan: &Plan<'c>,
    operand: usize,
) -> Result<Vec<Vec<IndexingMap>>, String> {
    let inp = q.operand_sizes(operand)?;
    let n = q.num_operands();
    let steps: Vec<Reached<'c>> = plan
        .parts
        .arguments
        .iter()
        .map(|argument| composer.forward(*argument))
        .collect();
    // Maps from a carried value to what an iteration makes of it.
    let next = |i: usize, j: usize| -> Vec<IndexingMap> {
        let maps = steps[i].maps(plan.parts.yielded[j]).unwrap_or_default();
        maps.iter()
            .flat_map(|map| plan.step(Target::Carried(j), map.clone(), Place::Body).maps)
            .collect()
    };
    let decisions: Vec<Vec<IndexingMap>> = plan
        .parts
        .condition_arguments
        .iter()
        .map(|argument| {
            let reached = composer.forward(*argument);
            reached
                .maps(plan.parts.condition)
                .unwrap_or_default()
                .to_vec()
        })
        .collect();
    let certain = decisions[operand]
        .iter()
        .any(|map| map.is_exact() && map.is_known());
    let mut sets = vec![MapSet::default(); n];
    let own = identity(&inp).simplify();
    let mut pending = vec![(operand, own.clone())];
    let mut all = false;
    // A scalar that the first evaluation of the condition reads decides about everything, for
    // certain.
    let at_once = inp.is_empty() && certain;
    let mut anything = vec![false; n];
    let most = super::share_of_work(plan);
    let mut work = 0;
    for round in 0.. {
        let mut found = Vec::new();
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
            all |= !decisions[i].is_empty();
            for j in 0..n {
                for step in next(i, j) {
                    work += 1;
                    if work > most {
                        return Err(format!(
                            "the loop has too many paths from operand to result (over {most} compositions)"
                        ));
                    }
                    found.push((j, composer.chained(&map, &step)));
                }
            }
        }
        if found.is_empty() {
            break;
        }
        if round >= ITERATIONS {
            return Err("every iteration of the loop writes to another place".into());
        }
        pending = found;
    }
    Ok((0..n)
        .map(|i| {
            let to = q.result_sizes(i).unwrap_or_default();
            if plan.parts.invariant(i) {
                return if i == operand {
                    vec![identity(&inp)]
                } else {
                    nothing(&inp, &to)
                };
            }
            if all {
                return vec![everything(&inp, &to).with_exact(at_once)];
            }
            let keeps = i == operand && keeps_index(&own, &next(i, i));
            let always: &[IndexingMap] = if keeps {
                std::slice::from_ref(&own)
            } else {
                &[]
            };
            or_nothing(
                Some(&any_length(std::mem::take(&mut sets[i]), always)),
                &inp,
                &to,
            )
        })
        .collect())
}
