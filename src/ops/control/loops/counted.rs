//! Loops of known length.

use super::{Found, Plan, Target, When};
use crate::compose::{Composer, MapSet};
use crate::query::{Query, identity, over};
use mapwright_indexing::IndexingMap;

/// Number of iterations that are composed one by one.
const UNROLLED: usize = 256;
/// The longest period after which iterations repeat.
const PERIOD: usize = 4;

/// The iterations of a loop of known length, from the last to the first. `None` if that is too much
/// work.
pub(super) fn counted<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    plan: &Plan<'c>,
    count: i64,
    result: usize,
    out: &[i64],
) -> Option<Found<'c>> {
    let n = q.num_operands();
    let mut found = Found::new(n);
    let any = over(out, vec![]);
    let most = super::share_of_work(plan);
    let mut work = 0;
    // Carried values that are never changed are their operands: they are found, not followed.
    let mut put =
        |found: &mut Found<'c>, state: &mut [MapSet], target: Target<'c>, map: IndexingMap| {
            work += 1;
            match target {
                Target::Outside(value) => found.capture(out, value, map),
                Target::Carried(i) => {
                    let set = if plan.parts.invariant(i) {
                        &mut found.carried[i]
                    } else {
                        &mut state[i]
                    };
                    set.push(map);
                    set.bound(out, &q.operand_sizes(i).unwrap_or_default());
                }
            }
            work <= most
        };
    let mut state = vec![MapSet::default(); n];
    state[result].push(identity(out).simplify());
    let mut history: Vec<Vec<MapSet>> = Vec::new();
    // How many of the last iterations did not depend on their number, as far as they are followed.
    let mut steady = 0;
    let mut time = count;
    // What single iterations read that depends on their number.
    let mut early: Vec<(Target<'c>, IndexingMap)> = Vec::new();
    loop {
        // The condition before iteration `time` decides whether there is one.
        let once = When {
            first: time,
            stride: 0,
            variable: None,
        };
        for step in &plan.decision {
            for map in plan.in_iterations(step, &once, 1).0 {
                let map = composer.chained(&any, &map);
                if !put(&mut found, &mut state, step.target, map) {
                    return None;
                }
            }
            if step.depends.is_some() {
                steady = 0;
            }
        }
        history.push(state.clone());
        if time == 0 {
            break;
        }
        let again = (1..=PERIOD.min(steady)).find(|period| {
            history.len() > *period && same(&history[history.len() - 1 - period], &state)
        });
        if let Some(period) = again {
            // If it has been like that from the end on, what was read until here is a part of what
            // is said now.
            let whole = history.len() == period + 1;
            let base = if whole { count } else { time };
            let mut reads = Vec::new();
            let mut all_known = true;
            for phase in 0..(period as i64).min(base) {
                let last = base - 1 - phase;
                let times = last / period as i64 + 1;
                let when = When {
                    first: last - (times - 1) * period as i64,
                    stride: period as i64,
                    variable: None,
                };
                // The state behind this iteration was there a period ago.
                let state = match (whole, phase) {
                    (true, phase) => &history[phase as usize],
                    (false, 0) => &state,
                    (false, phase) => &history[history.len() - 1 - period + phase as usize],
                };
                for (set, steps) in state.iter().zip(&plan.next) {
                    if set.maps().is_empty() {
                        continue;
                    }
                    for step in steps.iter().filter(|step| step.depends.is_some()) {
                        let (maps, known) = plan.in_iterations(step, &when, times);
                        all_known &= known;
                        for (map, step_map) in pairs(set.maps(), &maps) {
                            reads.push((step.target, composer.chained(map, step_map)));
                        }
                    }
                }
            }
            if all_known || time > UNROLLED as i64 {
                if whole {
                    early.clear();
                }
                for (target, map) in reads {
                    if !put(&mut found, &mut state, target, map) {
                        return None;
                    }
                }
                // The state before the first iteration is one of the last.
                let behind = (time % period as i64) as usize;
                let before = if behind == 0 { 1 } else { 1 + period - behind };
                state.clone_from(&history[history.len() - before]);
                break;
            }
        }
        if history.len() > UNROLLED {
            return None;
        }
        time -= 1;
        steady += 1;
        let mut next = vec![MapSet::default(); n];
        let once = When {
            first: time,
            stride: 0,
            variable: None,
        };
        for (set, steps) in state.iter().zip(&plan.next) {
            if set.maps().is_empty() {
                continue;
            }
            for step in steps {
                if step.depends.is_some()
                    && matches!(step.target, Target::Carried(i) if !plan.parts.invariant(i))
                {
                    steady = 0;
                }
                let maps = plan.in_iterations(step, &once, 1).0;
                for (map, step_map) in pairs(set.maps(), &maps) {
                    let map = composer.chained(map, step_map);
                    let carried =
                        matches!(step.target, Target::Carried(i) if !plan.parts.invariant(i));
                    if step.depends.is_some() && !carried {
                        early.push((step.target, map));
                    } else if !put(&mut found, &mut next, step.target, map) {
                        return None;
                    }
                }
            }
        }
        state = next;
    }
    for (target, map) in early {
        if !put(&mut found, &mut state, target, map) {
            return None;
        }
    }
    for (i, set) in state.into_iter().enumerate() {
        for map in set.into_maps() {
            found.carried[i].push(map);
        }
    }
    Some(found)
}

fn pairs<'m>(
    a: &'m [IndexingMap],
    b: &'m [IndexingMap],
) -> impl Iterator<Item = (&'m IndexingMap, &'m IndexingMap)> {
    a.iter().flat_map(move |a| b.iter().map(move |b| (a, b)))
}

/// Tells whether the maps are the same, in any order.
fn same(a: &[MapSet], b: &[MapSet]) -> bool {
    a.iter().zip(b).all(|(a, b)| {
        a.maps().len() == b.maps().len() && a.maps().iter().all(|map| b.maps().contains(map))
    })
}
