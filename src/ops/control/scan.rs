//! `scan`: a computation that runs over the slices of its inputs along a dimension, one after the
//! other, and carries values along.
//!
//! The output of round `t` is made of slice `t` of the inputs, and of the values that were carried
//! until then; these are made of the slices before, and of the initial values. How the carried
//! values of one round are made of those of the round before is composed until nothing new comes
//! up: what is read `j` rounds back is a piece for each `j`, and the rest is one piece with the
//! round as a range variable. If something new comes up in every round, everything before may be
//! read: an over-approximation.

use super::reads::{Reads, or_nothing, outside, yields};
use super::scope::{Scope, Seen};
use crate::attrs;
use crate::compose::{Composer, MapSet, Reached, inverse};
use crate::query::{Query, UNBOUNDED, everything, identity, over, variable};
use mapwright_indexing::{Constraint, Expr, IndexingMap, Interval, c, d};
use mapwright_mlir::{Blk, Val, op};

/// Number of rounds back that are looked at one by one.
const ROUNDS: usize = 8;

struct Scan<'c> {
    body: Blk<'c>,
    inputs: usize,
    outputs: usize,
    dimension: usize,
    /// Number of rounds.
    rounds: i64,
    reverse: bool,
}

fn decode<'c>(q: &Query<'c>) -> Result<Scan<'c>, String> {
    let segment = |name: &str| -> Result<usize, String> {
        let sizes = attrs::ints(q.op, name)?;
        match sizes[..] {
            [first, _] => usize::try_from(first).map_err(|_| format!("`{name}` is negative")),
            _ => Err(format!("`{name}` does not have two entries")),
        }
    };
    let (inputs, outputs) = (
        segment("operandSegmentSizes")?,
        segment("resultSegmentSizes")?,
    );
    let body = q.op.body(0).ok_or("no body")?;
    let dimension = attrs::int(q.op, "dimension")?;
    let dimension = usize::try_from(dimension).map_err(|_| "the dimension is negative")?;
    let n = q.num_operands();
    if inputs > n
        || outputs > q.num_results()
        || n - inputs != q.num_results() - outputs
        || op::arguments(body).len() != n
        || yields(body).len() != q.num_results()
    {
        return Err("the body does not fit the operands and results".into());
    }
    let along = |sizes: Vec<i64>| {
        sizes
            .get(dimension)
            .copied()
            .ok_or("there is no such dimension")
    };
    let rounds = match q.op.int("scan_dim_size") {
        Some(rounds) => rounds,
        None if inputs > 0 => along(q.operand_sizes(0)?)?,
        None if outputs > 0 => along(q.result_sizes(0)?)?,
        None => return Err("it does not say how many rounds it has".into()),
    };
    if rounds == UNBOUNDED {
        return Err("the number of rounds is known at run time only".into());
    }
    Ok(Scan {
        body,
        inputs,
        outputs,
        dimension,
        rounds,
        reverse: attrs::flag(q.op, "is_reverse", false)?,
    })
}

/// Value that is read in the body: a slice or a carried value (by the number of the argument), or
/// one from outside.
enum Source<'c> {
    Argument(usize),
    Outside(Val<'c>),
}

/// The maps that are found for every operand, and for values from outside.
struct Found<'c> {
    operands: Vec<MapSet>,
    captured: Vec<(Val<'c>, MapSet)>,
}

impl<'c> Found<'c> {
    fn push(&mut self, source: &Source<'c>, map: IndexingMap) {
        let set = match source {
            Source::Argument(i) => &mut self.operands[*i],
            Source::Outside(value) => {
                let at = self
                    .captured
                    .iter()
                    .position(|(v, _)| op::key(*v) == op::key(*value));
                let at = at.unwrap_or_else(|| {
                    self.captured.push((*value, MapSet::default()));
                    self.captured.len() - 1
                });
                &mut self.captured[at].1
            }
        };
        set.push(map.simplify());
    }
}

/// All that result `result` reads.
pub(super) fn output_to_input<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    result: usize,
) -> Result<Reads<'c>, String> {
    let scan = decode(q)?;
    let out = q.result_sizes(result)?;
    let (yielded, arguments) = (yields(scan.body), op::arguments(scan.body));
    let scope = Scope::new(scan.body);
    let sources = |value: Val<'c>| -> Vec<(Source<'c>, IndexingMap)> {
        let reached = if outside(value, q.op) {
            Reached::only(value)
        } else {
            composer.backward(value)
        };
        let mut found = Vec::new();
        for (value, maps) in reached.iter() {
            let argument = arguments.iter().position(|a| op::key(*a) == op::key(value));
            if argument.is_none() && !outside(value, q.op) {
                continue;
            }
            for map in maps {
                for map in scope.lift(map.clone(), &|_, _, _| Seen::Any, &|_| None) {
                    let source = argument.map_or(Source::Outside(value), Source::Argument);
                    found.push((source, map));
                }
            }
        }
        found
    };
    let mut found = Found {
        operands: vec![MapSet::default(); q.num_operands()],
        captured: Vec::new(),
    };
    // The round that makes the result, and the index within it.
    let (round, within) = if result < scan.outputs {
        if out.len() <= scan.dimension {
            return Err("there is no such dimension".into());
        }
        let rest = (0..out.len())
            .filter(|k| *k != scan.dimension)
            .map(d)
            .collect();
        (scan.turned(d(scan.dimension)), over(&out, rest))
    } else {
        (c(scan.rounds), identity(&out))
    };
    // The maps to the carried values at the beginning of that round.
    let mut state = vec![MapSet::default(); q.num_operands()];
    if result < scan.outputs {
        for (source, step) in sources(yielded[result]) {
            let map = composer.chained(&within, &step);
            match source {
                Source::Argument(i) if i >= scan.inputs => {
                    state[i].push(map);
                }
                Source::Argument(i) => {
                    found.push(&Source::Argument(i), scan.placed(map, round.clone()));
                }
                outside => found.push(&outside, map),
            }
        }
    } else {
        state[scan.inputs + result - scan.outputs].push(within);
    }
    let steps: Vec<Vec<(Source<'c>, IndexingMap)>> = (0..q.num_operands())
        .map(|i| match i.checked_sub(scan.inputs) {
            Some(carried) => sources(yielded[scan.outputs + carried]),
            None => Vec::new(),
        })
        .collect();
    for back in 0..=ROUNDS as i64 {
        if state.iter().all(|set| set.maps().is_empty()) {
            break;
        }
        let mut next = vec![MapSet::default(); q.num_operands()];
        let mut before = Vec::new();
        for (set, steps) in state.iter().zip(&steps) {
            for (map, (source, step)) in set
                .maps()
                .iter()
                .flat_map(|m| steps.iter().map(move |s| (m, s)))
            {
                let map = composer.chained(map, step);
                match source {
                    Source::Argument(i) if *i >= scan.inputs => {
                        next[*i].push(map);
                    }
                    source => before.push((source, map)),
                }
            }
        }
        let steady = next.iter().zip(&state).all(|(next, state)| {
            next.maps().len() == state.maps().len()
                && next.maps().iter().all(|map| state.maps().contains(map))
        });
        if back == ROUNDS as i64 && !steady {
            // Anything of the rounds before.
            for i in 0..q.num_operands() {
                let mut to = q.operand_sizes(i)?;
                if i < scan.inputs {
                    to.remove(scan.dimension.min(to.len().saturating_sub(1)));
                }
                let map = everything(&out, &to).with_exact(false);
                if i < scan.inputs {
                    before_round(
                        &mut found,
                        &scan,
                        &Source::Argument(i),
                        map,
                        &round,
                        0,
                        true,
                    );
                } else {
                    found.push(&Source::Argument(i), map);
                }
            }
            for value in super::reads::captures(q.op) {
                let to = crate::compose::value_sizes(value)?;
                found.push(
                    &Source::Outside(value),
                    everything(&out, &to).with_exact(false),
                );
            }
            break;
        }
        // The initial values, if that is how many rounds there were.
        for (i, set) in state.iter().enumerate() {
            for map in set.maps() {
                let at = if steady {
                    Interval::new(back, i64::MAX)
                } else {
                    Interval::point(back)
                };
                let map = map.clone().with_constraint(round.clone(), at);
                found.push(&Source::Argument(i), map);
            }
        }
        for (source, map) in before {
            before_round(&mut found, &scan, source, map, &round, back, steady);
        }
        if steady {
            break;
        }
        state = next;
    }
    let operands = found
        .operands
        .into_iter()
        .enumerate()
        .map(|(i, set)| {
            or_nothing(
                Some(set.maps()),
                &out,
                &q.operand_sizes(i).unwrap_or_default(),
            )
        })
        .collect();
    let captured = found
        .captured
        .into_iter()
        .map(|(v, set)| (v, set.into_maps()))
        .collect();
    Ok(Reads { operands, captured })
}

/// Adds the read of the round `back + 1` before `round`, or the reads of that and all before it.
fn before_round<'c>(
    found: &mut Found<'c>,
    scan: &Scan<'c>,
    source: &Source<'c>,
    mut map: IndexingMap,
    round: &Expr,
    back: i64,
    all: bool,
) {
    let last = round.clone() - (back + 1);
    let at = if all {
        let at = map.push_range(variable(scan.rounds));
        map.push_constraint(Constraint {
            expr: last - at.clone(),
            interval: Interval::new(0, i64::MAX),
        });
        at
    } else {
        map.push_constraint(Constraint {
            expr: last.clone(),
            interval: Interval::new(0, i64::MAX),
        });
        last
    };
    let map = match source {
        Source::Argument(_) => scan.placed(map, at),
        Source::Outside(_) => map,
    };
    found.push(source, map);
}

impl Scan<'_> {
    /// The place of a round, or the round of a place.
    fn turned(&self, round: Expr) -> Expr {
        if self.reverse {
            c(self.rounds - 1) - round
        } else {
            round
        }
    }

    /// A map to a slice as one to the input.
    fn placed(&self, mut map: IndexingMap, round: Expr) -> IndexingMap {
        if map.is_known() && self.dimension <= map.results().len() {
            let turned = self.turned(round);
            map.edit(|m| m.results.insert(self.dimension, turned));
        }
        map
    }
}

/// All results that operand `operand` goes into.
pub(super) fn input_to_output<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    operand: usize,
) -> Result<Vec<Vec<IndexingMap>>, String> {
    let inp = q.operand_sizes(operand)?;
    Ok((0..q.num_results())
        .map(|result| {
            let back = composer.output_to_input(q.op, result);
            let maps = back.get(operand).map(|found| found.maps.as_slice());
            maps.unwrap_or_default()
                .iter()
                .map(|map| inverse(map, &inp))
                .collect()
        })
        .collect())
}
