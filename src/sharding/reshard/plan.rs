//! The cheapest standard collectives that change a layout.
//!
//! A layout is, for this purpose, a [`State`]: the digits of the position that split each dimension. A collective over a digit
//! moves it: an all-gather drops the last digit of a dimension, an all-to-all moves it to another dimension, a slice appends
//! a digit that held replicas, a reduce-scatter appends one that held partial results, a collective-permute exchanges digits.
//! The plan is a shortest path by the bytes that a rank receives, then by the number of steps.
//!
//! Bytes are those of the usual ring algorithms; `L` is the size of a rank's shard before the step, `k` the size of the group:
//! all-gather `(k - 1) L`, all-to-all and reduce-scatter `(k - 1) L / k`, all-reduce `2 (k - 1) L / k`, collective-permute `L` for
//! a rank that does not keep its shard, slice nothing. A rank sends as much as it receives.

use super::Reshard;
use crate::digits::{self, Digit};
use crate::error::LayoutError;
use crate::layout::Layout;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

/// What moves the data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Collective {
    /// The layouts place the tensor alike.
    Nothing,
    /// Every rank keeps a part of what it holds; nothing is sent.
    Slice,
    /// Every rank collects the shards of its group.
    AllGather,
    /// Every rank of a group sends a part of its shard to every other.
    AllToAll,
    /// Every rank sends its shard to at most one other.
    CollectivePermute,
    /// Partial results are combined, each rank keeps a part.
    ReduceScatter,
    /// Partial results are combined, each rank keeps all.
    AllReduce,
    /// Several of these, one after the other.
    Sequence,
    /// None of them; every rank fetches the boxes it lacks.
    PointToPoint,
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Collective::Nothing => "nothing",
            Collective::Slice => "slice",
            Collective::AllGather => "all-gather",
            Collective::AllToAll => "all-to-all",
            Collective::CollectivePermute => "collective-permute",
            Collective::ReduceScatter => "reduce-scatter",
            Collective::AllReduce => "all-reduce",
            Collective::Sequence => "sequence",
            Collective::PointToPoint => "point-to-point",
        })
    }
}

/// Which digits of the position split which dimension (major first), and which hold partial results. All others hold replicas.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct State {
    /// The digits that split each dimension, major first.
    pub dims: Vec<Vec<Digit>>,
    /// The digits along which there are partial results.
    pub partial: Vec<Digit>,
}

impl State {
    /// The digits that hold replicas, slowest first.
    pub fn replicated(&self, all: &[Digit]) -> Vec<Digit> {
        all.iter()
            .filter(|d| !self.partial.contains(d) && !self.dims.iter().flatten().any(|u| u == *d))
            .copied()
            .collect()
    }

    fn elements(&self, shape: &[i64]) -> i64 {
        shape
            .iter()
            .zip(&self.dims)
            .map(|(n, digits)| n / digits.iter().map(|d| d.size).product::<i64>())
            .product()
    }
}

/// One collective of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What moves the data.
    pub collective: Collective,
    /// The digits of the position along which a group differs, major first. All digits of one group's ranks but these are alike.
    pub axes: Vec<Digit>,
    /// The dimension that is gathered, or that an all-to-all joins.
    pub from_dim: Option<usize>,
    /// The dimension that is sliced, scattered, or that an all-to-all splits.
    pub to_dim: Option<usize>,
    /// The layout before.
    pub before: State,
    /// The layout after.
    pub after: State,
    /// The bytes that each rank that takes part receives, and sends.
    pub bytes: i64,
}

/// How a tensor changes its layout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    steps: Vec<Step>,
    all: Vec<Digit>,
    layout: Layout,
    /// Bytes sent and received by rank, where there are no steps to count them by.
    table: Option<FxHashMap<i64, (i64, i64)>>,
    kind: Collective,
    /// Why there are no steps, if there are none.
    reason: Option<String>,
}

/// The most transfers that are counted one by one.
const MOST_TRANSFERS: u128 = 1 << 22;
/// The most layouts that the search looks at.
const MOST_STATES: usize = 20_000;

impl Reshard {
    /// The cheapest plan made of standard collectives, with bytes for elements of `element_bytes`.
    ///
    /// # Errors
    /// No plan of collectives exists and there are too many transfers to count.
    pub fn plan(&self, element_bytes: i64) -> Result<Plan, LayoutError> {
        match self.search(element_bytes) {
            Ok((steps, all)) => {
                let kind = match steps.as_slice() {
                    [] => Collective::Nothing,
                    [first, rest @ ..] if rest.iter().all(|s| s.collective == first.collective) => {
                        first.collective
                    }
                    _ => Collective::Sequence,
                };
                Ok(Plan {
                    steps,
                    all,
                    layout: self.from.layout().clone(),
                    table: None,
                    kind,
                    reason: None,
                })
            }
            Err(reason) => self.count_transfers(element_bytes, reason),
        }
    }

    fn state_of(layout: &Layout, cuts: &[i64]) -> State {
        let split = |axes: &[usize]| -> Vec<Digit> {
            axes.iter()
                .flat_map(|a| digits::split_at_cuts(layout.axis_digit(*a), cuts))
                .collect()
        };
        let mut partial: Vec<Digit> =
            split(&layout.partial().iter().map(|p| p.0).collect::<Vec<_>>());
        partial.sort_unstable();
        State {
            dims: layout.tensor_map().iter().map(|axes| split(axes)).collect(),
            partial,
        }
    }

    fn search(&self, element_bytes: i64) -> Result<(Vec<Step>, Vec<Digit>), String> {
        let (from, to) = (self.from.layout(), self.to.layout());
        if from.device_ids() != to.device_ids() {
            return Err("the layouts list their devices in different orders".to_owned());
        }
        let count = from.device_count();
        let axes = |l: &Layout| -> Vec<Digit> {
            (0..l.device_matrix().sizes().len())
                .map(|a| l.axis_digit(a))
                .collect()
        };
        let (a, b) = (axes(from), axes(to));
        let Some(cuts) = digits::common_cuts(a.iter().chain(&b), count) else {
            return Err(format!(
                "the device matrices {:?} and {:?} cut across each other",
                from.device_matrix().sizes(),
                to.device_matrix().sizes()
            ));
        };
        let all = digits::between_cuts(&cuts);
        let search = Search {
            shape: self.from.shape(),
            all: &all,
            target: Self::state_of(to, &cuts),
            element_bytes,
        };
        let steps = search.run(Self::state_of(from, &cuts))?;
        Ok((join_steps(steps), all))
    }

    /// Sent and received bytes by walking all transfers, for layouts that no collective connects.
    fn count_transfers(&self, element_bytes: i64, reason: String) -> Result<Plan, LayoutError> {
        let ranks = self.from.layout().ranks();
        let plan = |kind, table| Plan {
            steps: Vec::new(),
            all: Vec::new(),
            layout: self.from.layout().clone(),
            table: Some(table),
            kind,
            reason: Some(reason.clone()),
        };
        let mut missing = 0i64;
        for rank in &ranks {
            missing = missing.saturating_add(self.missing_elements(*rank)?);
        }
        if missing == 0 {
            let alike = self.from.shard_shape() == self.to.shard_shape();
            return Ok(plan(
                if alike {
                    Collective::Nothing
                } else {
                    Collective::Slice
                },
                FxHashMap::default(),
            ));
        }
        if self.transfer_count() > MOST_TRANSFERS {
            return Err(LayoutError::NoLayout(format!(
                "{reason}, and there are {} transfers, more than are counted one by one ({MOST_TRANSFERS})",
                self.transfer_count()
            )));
        }
        let mut table: FxHashMap<i64, (i64, i64)> = FxHashMap::default();
        let mut permutes =
            self.reduction().is_none() && self.from.shard_shape() == self.to.shard_shape();
        let mut sources: FxHashMap<i64, ()> = FxHashMap::default();
        for rank in ranks {
            let transfers = self.transfers(rank)?;
            permutes &= transfers.len() == 1 && sources.insert(transfers[0].from, ()).is_none();
            for t in transfers.iter().filter(|t| t.from != rank) {
                let bytes =
                    t.global.iter().map(|i| i.len() as i64).product::<i64>() * element_bytes;
                table.entry(t.from).or_default().0 += bytes;
                table.entry(rank).or_default().1 += bytes;
            }
        }
        Ok(plan(
            if permutes {
                Collective::CollectivePermute
            } else {
                Collective::PointToPoint
            },
            table,
        ))
    }
}

impl Plan {
    /// The steps, in order. None for [`Collective::Nothing`], and where no plan of collectives exists.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The collective, if all steps are of one kind.
    pub fn collective(&self) -> Collective {
        self.kind
    }

    /// Why there are no steps although the layout changes.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The digits of the position that steps are made of, slowest first.
    pub fn digits(&self) -> &[Digit] {
        &self.all
    }

    /// The bytes that a rank receives; nothing for a rank that does not exist.
    pub fn received(&self, rank: i64) -> i64 {
        self.bytes(rank, false)
    }

    /// The bytes that a rank sends; nothing for a rank that does not exist.
    pub fn sent(&self, rank: i64) -> i64 {
        self.bytes(rank, true)
    }

    fn bytes(&self, rank: i64, sent: bool) -> i64 {
        if let Some(table) = &self.table {
            let (out, into) = table.get(&rank).copied().unwrap_or_default();
            return if sent { out } else { into };
        }
        let Ok(position) = self.layout.position(rank) else {
            return 0;
        };
        let of = |step: &Step| {
            let stays = step.collective == Collective::CollectivePermute
                && step.source(&self.all, position) == position;
            if stays { 0 } else { step.bytes }
        };
        self.steps.iter().map(of).sum()
    }
}

impl Step {
    /// The position whose shard a position gets in a collective-permute. (A permutation: a position that keeps its own
    /// shard also sends it to nobody else.)
    pub fn source(&self, all: &[Digit], position: i64) -> i64 {
        let mut source = 0;
        let mut carry = |number_of: &[Digit], digit_of: &[Digit]| {
            let mut number = number_of.iter().fold(0, |n, d| n * d.size + d.of(position));
            for d in digit_of.iter().rev() {
                source += number % d.size * d.stride;
                number /= d.size;
            }
        };
        for (after, before) in self.after.dims.iter().zip(&self.before.dims) {
            carry(after, before);
        }
        carry(&self.after.replicated(all), &self.before.replicated(all));
        carry(&self.after.partial, &self.before.partial);
        source
    }
}

/// Joins neighbouring steps of one kind on the same dimensions.
fn join_steps(steps: Vec<Step>) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    for step in steps {
        match out.last_mut() {
            Some(last)
                if last.collective == step.collective
                    && last.from_dim == step.from_dim
                    && last.to_dim == step.to_dim
                    && matches!(
                        step.collective,
                        Collective::AllGather | Collective::Slice | Collective::ReduceScatter
                    ) =>
            {
                // A gather goes from the minor digits to the major ones, a slice the other way.
                if step.collective == Collective::AllGather {
                    last.axes.splice(0..0, step.axes);
                } else {
                    last.axes.extend(step.axes);
                }
                last.bytes += step.bytes;
                last.after = step.after;
            }
            _ => out.push(step),
        }
    }
    out
}

struct Search<'a> {
    shape: &'a [i64],
    all: &'a [Digit],
    target: State,
    element_bytes: i64,
}

/// A layout that was met, what it cost (bytes, steps), and from which node by which step.
type Node = (State, (i64, usize), Option<(usize, Step)>);

impl Search<'_> {
    fn run(&self, start: State) -> Result<Vec<Step>, String> {
        // States by the order in which they were met; the heap holds (bytes, steps, state).
        let mut ids: FxHashMap<State, usize> = FxHashMap::default();
        let mut nodes: Vec<Node> = Vec::new();
        let mut heap = BinaryHeap::new();
        ids.insert(start.clone(), 0);
        nodes.push((start, (0, 0), None));
        heap.push(Reverse(((0i64, 0usize), 0usize)));
        while let Some(Reverse((cost, id))) = heap.pop() {
            if cost > nodes[id].1 {
                continue;
            }
            if nodes[id].0 == self.target {
                let mut steps = Vec::new();
                let mut at = id;
                while let Some((before, step)) = nodes[at].2.take() {
                    steps.push(step);
                    at = before;
                }
                steps.reverse();
                return Ok(steps);
            }
            if nodes.len() > MOST_STATES {
                break;
            }
            for step in self.moves(&nodes[id].0) {
                let next = (cost.0.saturating_add(step.bytes), cost.1 + 1);
                let to = *ids.entry(step.after.clone()).or_insert_with(|| {
                    nodes.push((step.after.clone(), (i64::MAX, usize::MAX), None));
                    nodes.len() - 1
                });
                if next < nodes[to].1 {
                    nodes[to].1 = next;
                    nodes[to].2 = Some((id, step));
                    heap.push(Reverse((next, to)));
                }
            }
        }
        Err(format!(
            "no sequence of collectives was found among {MOST_STATES} layouts"
        ))
    }

    /// Whether digits of this size have a place in a dimension of the target.
    fn wanted(&self, dim: usize, digit: Digit) -> bool {
        self.target.dims[dim].iter().any(|d| d.size == digit.size)
    }

    fn moves(&self, state: &State) -> Vec<Step> {
        let mut out = Vec::new();
        let local = state
            .elements(self.shape)
            .saturating_mul(self.element_bytes);
        let shard =
            |dim: usize| self.shape[dim] / state.dims[dim].iter().map(|d| d.size).product::<i64>();
        let mut push =
            |collective, axes: Vec<Digit>, from_dim, to_dim, after: State, bytes: i64| {
                out.push(Step {
                    collective,
                    axes,
                    from_dim,
                    to_dim,
                    before: state.clone(),
                    after,
                    bytes,
                });
            };
        let replicated = state.replicated(self.all);
        for dim in 0..state.dims.len() {
            for digit in replicated
                .iter()
                .filter(|d| self.wanted(dim, **d) && shard(dim) % d.size == 0)
            {
                let mut after = state.clone();
                after.dims[dim].push(*digit);
                push(Collective::Slice, vec![*digit], None, Some(dim), after, 0);
            }
            for digit in state
                .partial
                .iter()
                .filter(|d| !self.target.partial.contains(d))
            {
                if self.wanted(dim, *digit) && shard(dim) % digit.size == 0 {
                    let mut after = state.clone();
                    after.partial.retain(|d| d != digit);
                    after.dims[dim].push(*digit);
                    let bytes = local / digit.size * (digit.size - 1);
                    push(
                        Collective::ReduceScatter,
                        vec![*digit],
                        None,
                        Some(dim),
                        after,
                        bytes,
                    );
                }
            }
            if self.target.dims[dim].starts_with(&state.dims[dim]) {
                continue;
            }
            for keep in (0..state.dims[dim].len()).rev() {
                let moved = state.dims[dim][keep..].to_vec();
                let k: i64 = moved.iter().map(|d| d.size).product();
                if let [digit] = moved.as_slice() {
                    let mut after = state.clone();
                    after.dims[dim].pop();
                    push(
                        Collective::AllGather,
                        vec![*digit],
                        Some(dim),
                        None,
                        after,
                        local.saturating_mul(k - 1),
                    );
                }
                for other in (0..state.dims.len()).filter(|o| *o != dim && shard(*o) % k == 0) {
                    let mut after = state.clone();
                    after.dims[dim].truncate(keep);
                    after.dims[other].extend(&moved);
                    push(
                        Collective::AllToAll,
                        moved.clone(),
                        Some(dim),
                        Some(other),
                        after,
                        local / k * (k - 1),
                    );
                }
            }
        }
        let reduced: Vec<Digit> = state
            .partial
            .iter()
            .filter(|d| !self.target.partial.contains(d))
            .copied()
            .collect();
        for axes in reduced
            .iter()
            .map(|d| vec![*d])
            .chain((reduced.len() > 1).then(|| reduced.clone()))
        {
            let mut after = state.clone();
            after.partial.retain(|d| !axes.contains(d));
            let k: i64 = axes.iter().map(|d| d.size).product();
            let bytes = local.saturating_mul(2).saturating_mul(k - 1);
            push(
                Collective::AllReduce,
                axes,
                None,
                None,
                after,
                (bytes + k - 1) / k,
            );
        }
        self.permutes(state, local, &replicated, &mut push);
        out
    }

    fn permutes(
        &self,
        state: &State,
        local: i64,
        replicated: &[Digit],
        push: &mut impl FnMut(Collective, Vec<Digit>, Option<usize>, Option<usize>, State, i64),
    ) {
        let parts = |s: &State| -> Vec<i64> {
            s.dims
                .iter()
                .map(|d| d.iter().map(|g| g.size).product())
                .collect()
        };
        let changed = |after: &State| -> Vec<Digit> {
            let at = |s: &State, d: &Digit| {
                s.dims
                    .iter()
                    .enumerate()
                    .find_map(|(i, l)| l.iter().position(|x| x == d).map(|p| (i, p)))
            };
            self.all
                .iter()
                .filter(|d| at(state, d) != at(after, d))
                .copied()
                .collect()
        };
        if state.partial == self.target.partial
            && *state != self.target
            && parts(state) == parts(&self.target)
        {
            let axes = changed(&self.target);
            push(
                Collective::CollectivePermute,
                axes,
                None,
                None,
                self.target.clone(),
                local,
            );
        }
        // Exchanges of two digits of one size, one of which splits a dimension.
        let places: Vec<(usize, usize, Digit)> = state
            .dims
            .iter()
            .enumerate()
            .flat_map(|(i, l)| l.iter().enumerate().map(move |(p, d)| (i, p, *d)))
            .collect();
        for (n, (i, p, a)) in places.iter().enumerate() {
            for (j, q, b) in places[n + 1..].iter().filter(|x| x.2.size == a.size) {
                let mut after = state.clone();
                after.dims[*i][*p] = *b;
                after.dims[*j][*q] = *a;
                push(
                    Collective::CollectivePermute,
                    changed(&after),
                    None,
                    None,
                    after,
                    local,
                );
            }
            for b in replicated.iter().filter(|b| b.size == a.size) {
                let mut after = state.clone();
                after.dims[*i][*p] = *b;
                push(
                    Collective::CollectivePermute,
                    changed(&after),
                    None,
                    None,
                    after,
                    local,
                );
            }
        }
    }
}
