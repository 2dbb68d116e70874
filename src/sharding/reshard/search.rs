//! The search for the cheapest plan: best first, with what every plan must still move as the
//! estimate.
//!
//! An all-gather drops the last digits of a dimension, an all-to-all moves them to another
//! dimension, a slice appends a digit that held replicas, a reduce-scatter appends one that held
//! partial results, an all-reduce makes it hold replicas, a collective-permute replaces the digits
//! by others with as many parts, and direct sends lead from anywhere to the target.
//!
//! The cost of a path is the sum of what the worst rank of each step moves. That is what its worst
//! rank moves over all steps, unless two permutes leave different ranks out; then it is too much,
//! never too little.

use super::plan::{Collective, Step};
use super::state::{Places, State, number, size};
use crate::digits::Digit;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most layouts that the search looks at, and the most steps between them.
const MOST_STATES: usize = 20_000;
const MOST_STEPS: usize = 1 << 18;
/// The most positions that are visited to count what ranks lack and which stay.
const MOST_WALKED: usize = 1 << 24;
/// The most permutes from one layout.
const MOST_PERMUTES: usize = 1 << 10;

pub(super) struct Search<'a> {
    pub shape: &'a [i64],
    /// The digits that both layouts are made of, slowest first; without them there are only direct
    /// sends.
    pub digits: Option<&'a [Digit]>,
    pub target: &'a State,
    pub ranks: &'a [i64],
    /// The position of each rank before and after.
    pub places: &'a [(i64, i64)],
    pub element_bytes: i64,
    /// The most transfers that direct sends may consist of.
    pub most_transfers: u128,
    /// The positions visited.
    pub walked: usize,
}

/// The most bytes of a rank, the bytes of all ranks, the direct sends, the steps.
type Cost = (i64, i128, usize, usize);

/// A layout that was met, what it cost, and from which node by which step.
struct Node {
    state: State,
    cost: Cost,
    from: Option<(usize, Step)>,
}

impl Search<'_> {
    /// The steps of the cheapest plan that was found, or none.
    pub fn run(&mut self, start: &State) -> Option<Vec<Step>> {
        const NEVER: Cost = (i64::MAX, i128::MAX, usize::MAX, usize::MAX);
        let node = |state: &State, cost| Node {
            state: state.clone(),
            cost,
            from: None,
        };
        let mut nodes = vec![node(start, (0, 0, 0, 0)), node(self.target, NEVER)];
        let mut ids = FxHashMap::from_iter([(start.clone(), 0)]);
        let goal = match self.digits {
            Some(_) => *ids.entry(self.target.clone()).or_insert(1),
            None => 1,
        };
        // By the estimate of the whole plan; with it the cost so far, the node, and whether the
        // estimate counts what is left.
        let mut heap = BinaryHeap::from([Reverse(((0, 0, 0, 0), 0, (0, 0, 0, 0), false))]);
        let mut steps = 0;
        while let Some(Reverse((estimate, id, cost, counted))) = heap.pop() {
            if cost > nodes[id].cost {
                continue;
            }
            if id == goal || nodes.len() > MOST_STATES || steps > MOST_STEPS {
                break;
            }
            let state = nodes[id].state.clone();
            if !counted {
                let (worst, all) = self.bound(&state);
                let left = (cost.0.saturating_add(worst), cost.1 + all, cost.2, cost.3);
                if left < nodes[goal].cost {
                    heap.push(Reverse((left.max(estimate), id, cost, true)));
                }
                continue;
            }
            for (step, all) in self.steps(&state, start, nodes[goal].cost.0.saturating_sub(cost.0))
            {
                steps += 1;
                let direct = usize::from(step.collective == Collective::PointToPoint);
                let worst = cost.0.saturating_add(step.bytes);
                let next = (worst, cost.1 + all, cost.2 + direct, cost.3 + 1);
                if next >= nodes[goal].cost {
                    continue;
                }
                // Without common digits the two states are of different numberings, and nothing is
                // between them.
                let to = match self.digits {
                    None => goal,
                    Some(_) => *ids.entry(step.after.clone()).or_insert_with(|| {
                        nodes.push(node(&step.after, NEVER));
                        nodes.len() - 1
                    }),
                };
                if next < nodes[to].cost {
                    nodes[to].cost = next;
                    nodes[to].from = Some((id, step));
                    heap.push(Reverse((next.max(estimate), to, next, to == goal)));
                }
            }
        }
        (nodes[goal].cost != NEVER).then(|| {
            let mut steps = Vec::new();
            let mut at = goal;
            while let Some((before, step)) = nodes[at].from.take() {
                steps.push(step);
                at = before;
            }
            steps.reverse();
            self.finish(steps)
        })
    }

    /// Lower bound of the cost of every plan from here: the most bytes of a rank, and the bytes of
    /// all ranks.
    ///
    /// Without shares to combine it is what ranks lack. Else, of each element, with `k` shares that
    /// `copies` ranks hold each, and which `m` ranks need: each of the `m` gets at least one value.
    /// The first rank that has the whole got `k - 1` messages, or `k` if it held no share; each
    /// other of the `m` gets one more: `k + m - 1`, or one less if some rank holds a share of what
    /// it needs. And of the ranks that hold one share, one sends it, unless all the `m` are among
    /// them.
    pub fn bound(&mut self, state: &State) -> (i64, i128) {
        let shares = size(&state.reduced(self.target)) as i128;
        let exact = self.walk();
        if shares == 1 {
            return self.lacking(state, exact);
        }
        let (least, both) = self.overlap(state, exact);
        let (have, need) = self.elements(state);
        let (devices, kept) = (
            self.places.len() as i128,
            size(&self.target.partial) as i128,
        );
        let product = |of: &mut dyn Iterator<Item = i64>| of.map(i128::from).product::<i128>();
        let values = product(&mut self.shape.iter().copied()) * kept;
        let parts = |s: &State| product(&mut s.parts().into_iter()) * kept;
        let (m, copies) = (
            devices / parts(self.target),
            devices / (parts(state) * shares),
        );
        // A digit that splits nothing before and after changes neither what a rank holds nor what
        // it needs.
        let unused: i128 = self.digits.unwrap_or_default().iter().fold(1, |n, d| {
            let used = |s: &State| s.dims.iter().any(|l| l.contains(d));
            let used = used(state) || used(self.target) || self.target.partial.contains(d);
            if used { n } else { n * d.size as i128 }
        });
        let all =
            (values * (shares + m - 1) - values.min(both / unused)).max(devices * need as i128);
        let sent = devices * have as i128 / copies - both / m;
        let alone = if m == 1 { have - least } else { have };
        let alone = if copies == 1 { alone as i128 } else { 0 };
        let bytes = self.element_bytes as i128;
        let average = all
            .max(sent)
            .saturating_mul(bytes)
            .saturating_add(devices - 1)
            / devices;
        let worst = average.max(alone.max(need as i128).saturating_mul(bytes));
        (
            worst.min(i64::MAX as i128) as i64,
            all.saturating_mul(bytes),
        )
    }

    /// Whether all positions may be visited once more.
    fn walk(&mut self) -> bool {
        self.walked += self.places.len();
        self.walked <= MOST_WALKED.max(self.places.len())
    }

    /// The elements of a shard of a state, and of the target.
    fn elements(&self, state: &State) -> (i64, i64) {
        let count = |s: &State| s.shard(self.shape).iter().product();
        (count(state), count(self.target))
    }

    /// The bytes that ranks need, of every share that is combined, and do not hold: the most of a
    /// rank, and of all. If it is not `exact`, it may be less.
    fn lacking(&self, state: &State, exact: bool) -> (i64, i128) {
        let (least, both) = self.overlap(state, exact);
        let need = self.elements(state).1;
        let need = need.saturating_mul(size(&state.reduced(self.target)));
        let all = (self.places.len() as i128 * need as i128 - both) * self.element_bytes as i128;
        ((need - least).saturating_mul(self.element_bytes), all)
    }

    /// The elements that ranks hold and need: the fewest of a rank, and of all. If it is not
    /// `exact`, it may be more.
    fn overlap(&self, state: &State, exact: bool) -> (i64, i128) {
        let (have, want) = (state.shard(self.shape), self.target.shard(self.shape));
        if !exact {
            let (have, need) = self.elements(state);
            let most = have.min(need);
            return (most, self.places.len() as i128 * most as i128);
        }
        let (mut least, mut all) = (i64::MAX, 0i128);
        let partial = &self.target.partial;
        for (a, b) in self.places {
            let mut both = i64::from(number(partial, *a) == number(partial, *b));
            for (dim, (n, m)) in have.iter().zip(&want).enumerate() {
                let i = number(&state.dims[dim], *a) * n;
                let j = number(&self.target.dims[dim], *b) * m;
                both *= ((i + n).min(j + m) - i.max(j)).max(0);
            }
            least = least.min(both);
            all += both as i128;
        }
        (least, all)
    }

    /// The steps from a state whose worst rank moves at most `most`, with the bytes of all ranks.
    fn steps(&mut self, state: &State, start: &State, most: i64) -> Vec<(Step, i128)> {
        let mut out = self.collectives(state, most);
        // Direct sends from the start carry only what is lacking: nothing before them saves a byte,
        // but to combine shares.
        if state == start || !start.reduced(self.target).is_empty() {
            out.extend(self.direct(state, state == start));
        }
        out
    }

    fn direct(&mut self, state: &State, first: bool) -> Option<(Step, i128)> {
        let (have, want) = (state.shard(self.shape), self.target.shard(self.shape));
        let shares = size(&state.reduced(self.target));
        let each = super::boxes_met(&want, &have).saturating_mul(shares as u128);
        if each.saturating_mul(self.places.len() as u128) > self.most_transfers
            || !(self.walk() || first)
        {
            return None;
        }
        let (bytes, all) = self.lacking(state, true);
        let permutes = shares == 1 && have == want && all > 0;
        let collective = if permutes {
            Collective::CollectivePermute
        } else {
            Collective::PointToPoint
        };
        let step = Step {
            collective,
            axes: self.moved(state, self.target),
            from_dim: None,
            to_dim: None,
            bytes,
            transfers: Vec::new(),
            before: state.clone(),
            after: self.target.clone(),
        };
        Some((step, all))
    }

    /// The digits whose place two states differ in.
    fn moved(&self, state: &State, after: &State) -> Vec<Digit> {
        let at = |s: &State, d: &Digit| {
            let mut places = s.dims.iter().enumerate();
            places.find_map(|(i, l)| l.iter().position(|x| x == d).map(|p| (i, p)))
        };
        let all = self.digits.unwrap_or_default().iter();
        let moved = all.filter(|d| {
            at(state, d) != at(after, d) || state.partial.contains(d) != after.partial.contains(d)
        });
        moved.copied().collect()
    }

    fn collectives(&mut self, state: &State, most: i64) -> Vec<(Step, i128)> {
        let Some(digits) = self.digits else {
            return Vec::new();
        };
        let mut out = Vec::new();
        let shard = state.shard(self.shape);
        let local = shard
            .iter()
            .fold(self.element_bytes, |n, s| n.saturating_mul(*s));
        let devices = self.places.len() as i128;
        let mut push = |collective,
                        axes: &[Digit],
                        from_dim,
                        to_dim,
                        bytes: i64,
                        change: &dyn Fn(&mut State)| {
            if bytes > most {
                return;
            }
            let mut after = state.clone();
            change(&mut after);
            let step = Step {
                collective,
                axes: axes.to_vec(),
                from_dim,
                to_dim,
                bytes,
                transfers: Vec::new(),
                before: state.clone(),
                after,
            };
            out.push((step, devices * bytes as i128));
        };
        let reduced = state.reduced(self.target);
        for dim in 0..state.dims.len() {
            for d in state
                .replicated(digits)
                .iter()
                .filter(|d| shard[dim] % d.size == 0)
            {
                push(Collective::Slice, &[*d], None, Some(dim), 0, &|s| {
                    s.dims[dim].push(*d)
                });
            }
            for d in reduced.iter().filter(|d| shard[dim] % d.size == 0) {
                let bytes = Collective::ReduceScatter.bytes(local, d.size);
                push(
                    Collective::ReduceScatter,
                    &[*d],
                    None,
                    Some(dim),
                    bytes,
                    &|s| {
                        s.partial.retain(|p| p != d);
                        s.dims[dim].push(*d);
                    },
                );
            }
            for keep in 0..state.dims[dim].len() {
                let moved = &state.dims[dim][keep..];
                let k = size(moved);
                let bytes = Collective::AllGather.bytes(local, k);
                push(Collective::AllGather, moved, Some(dim), None, bytes, &|s| {
                    s.dims[dim].truncate(keep)
                });
                for to in (0..shard.len()).filter(|to| *to != dim && shard[*to] % k == 0) {
                    let bytes = Collective::AllToAll.bytes(local, k);
                    push(
                        Collective::AllToAll,
                        moved,
                        Some(dim),
                        Some(to),
                        bytes,
                        &|s| {
                            s.dims[dim].truncate(keep);
                            s.dims[to].extend(moved);
                        },
                    );
                }
            }
        }
        let single = reduced.iter().map(std::slice::from_ref);
        for axes in single.chain((reduced.len() > 1).then_some(reduced.as_slice())) {
            let k = size(axes);
            let bytes = Collective::AllReduce.bytes(local, k);
            push(Collective::AllReduce, axes, None, None, bytes, &|s| {
                s.partial.retain(|p| !axes.contains(p));
            });
        }
        if local <= most {
            out.extend(self.permutes(state, digits, local));
        }
        out
    }

    fn permutes(&mut self, state: &State, digits: &[Digit], local: i64) -> Vec<(Step, i128)> {
        let mut found = Vec::new();
        let mut order: Vec<Digit> = self.target.dims.iter().flatten().copied().collect();
        order.extend(self.target.replicated(digits));
        order.retain(|d| !state.partial.contains(d));
        let mut arranged = vec![Vec::new(); state.dims.len()];
        arrange(&state.parts(), 0, &mut order, &mut arranged, &mut found);
        let mut out = Vec::new();
        for dims in found.into_iter().filter(|dims| *dims != state.dims) {
            if !self.walk() {
                break;
            }
            let after = State {
                dims,
                partial: state.partial.clone(),
            };
            let pairs: Vec<_> = state.dims.iter().zip(&after.dims).collect();
            let moves = |(at, _): &&(i64, i64)| {
                let differ = |(a, b): &(&Vec<Digit>, &Vec<Digit>)| number(a, *at) != number(b, *at);
                pairs.iter().any(differ)
            };
            let movers = self.places.iter().filter(moves).count() as i128;
            let step = Step {
                collective: Collective::CollectivePermute,
                axes: self.moved(state, &after),
                from_dim: None,
                to_dim: None,
                bytes: local,
                transfers: Vec::new(),
                before: state.clone(),
                after,
            };
            out.push((step, movers * local as i128));
        }
        out
    }

    /// Joins neighbouring slices, gathers and scatters of the same dimensions, and lists who sends
    /// which box to whom.
    fn finish(&self, steps: Vec<Step>) -> Vec<Step> {
        let mut out: Vec<Step> = Vec::new();
        for mut step in steps {
            let joins = matches!(
                step.collective,
                Collective::AllGather | Collective::Slice | Collective::ReduceScatter
            );
            let kind = |s: &Step| (s.collective, s.from_dim, s.to_dim);
            if let Some(last) = out.last_mut().filter(|l| joins && kind(l) == kind(&step)) {
                // A gather goes from the minor digits to the major ones, a slice the other way.
                if step.collective == Collective::AllGather {
                    last.axes.splice(0..0, step.axes);
                } else {
                    last.axes.extend(step.axes);
                }
                last.bytes += step.bytes;
                last.after = step.after;
                continue;
            }
            // A rank is where it was until the last step, whose numbering may be another.
            let here: Vec<(i64, i64)> = self.places.iter().map(|(a, _)| (*a, *a)).collect();
            let places: Places<'_> = match self.digits {
                Some(_) => (self.ranks, &here),
                None => (self.ranks, self.places),
            };
            let (before, after) = (&step.before, &step.after);
            match step.collective {
                Collective::CollectivePermute => {
                    step.transfers = before.permute(after, self.shape, places);
                }
                Collective::PointToPoint => {
                    step.transfers = before.direct_sends(after, self.shape, places);
                }
                _ => {}
            }
            out.push(step);
        }
        out
    }
}

/// All ways to fill the dimensions from `dim` on with digits that make these parts, those of the
/// front of the list first.
fn arrange(
    parts: &[i64],
    dim: usize,
    free: &mut Vec<Digit>,
    dims: &mut Vec<Vec<Digit>>,
    out: &mut Vec<Vec<Vec<Digit>>>,
) {
    if dim == parts.len() {
        out.push(dims.clone());
        return;
    }
    let left = parts[dim] / size(&dims[dim]);
    if left == 1 {
        return arrange(parts, dim + 1, free, dims, out);
    }
    for i in 0..free.len() {
        if left % free[i].size == 0 && out.len() < MOST_PERMUTES {
            dims[dim].push(free.remove(i));
            arrange(parts, dim, free, dims, out);
            if let Some(digit) = dims[dim].pop() {
                free.insert(i, digit);
            }
        }
    }
}
