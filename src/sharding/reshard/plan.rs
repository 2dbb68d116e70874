//! The cheapest plan that changes a layout: what it is made of, and what it costs.
//!
//! The cost of a plan is the most bytes that a rank sends or receives, over all its steps; then the
//! bytes of all ranks together, then whether it needs direct sends, then the number of steps.
//! [`Search`] finds it.
//!
//! Bytes are those of the usual ring algorithms; `L` is the size of a rank's shard before the step,
//! `k` the size of the group: all-gather `(k - 1) L`, all-to-all and reduce-scatter
//! `(k - 1) L / k`, all-reduce `2 (k - 1) L / k`, collective-permute `L` for a rank that does not
//! keep its shard, slice nothing. A rank sends as much as it receives. Direct sends cost what they
//! carry.

use super::search::Search;
use super::state::State;
use super::{Reshard, Transfer};
use crate::digits::{self, Digit};
use crate::error::LayoutError;
use std::fmt;

/// Collective that moves the data.
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
    /// Every rank fetches the boxes that it lacks, each from a rank that holds it.
    PointToPoint,
}

impl Collective {
    /// The bytes that a rank sends, and receives as many, where its shard before has `local` bytes
    /// and its group `members` ranks. What each of them lacks says how much direct sends carry.
    pub fn bytes(self, local: i64, members: i64) -> i64 {
        let others = members.max(1) - 1;
        match self {
            Collective::AllGather => local.saturating_mul(others),
            Collective::AllToAll | Collective::ReduceScatter => local / members.max(1) * others,
            Collective::AllReduce => {
                local
                    .saturating_mul(2)
                    .saturating_mul(others)
                    .saturating_add(others)
                    / members.max(1)
            }
            Collective::CollectivePermute => local,
            Collective::Nothing
            | Collective::Slice
            | Collective::Sequence
            | Collective::PointToPoint => 0,
        }
    }
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

/// One collective of a plan, or its direct sends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Collective that moves the data.
    pub collective: Collective,
    /// The digits of the position along which a group differs, major first. All digits of one
    /// group's ranks but these are alike.
    pub axes: Vec<Digit>,
    /// The dimension that is gathered, or that an all-to-all joins.
    pub from_dim: Option<usize>,
    /// The dimension that is sliced, scattered, or that an all-to-all splits.
    pub to_dim: Option<usize>,
    /// The most bytes that a rank receives.
    pub bytes: i64,
    /// The boxes that each rank (in ascending order) gets, and from whom (itself, where it can), in
    /// a collective-permute and in direct sends. Empty for the other collectives, whose groups say
    /// it.
    pub transfers: Vec<Vec<Transfer>>,
    pub(super) before: State,
    pub(super) after: State,
}

/// Plan by which a tensor changes its layout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    steps: Vec<Step>,
    kind: Collective,
    /// Why there are direct sends, or no steps.
    reason: Option<String>,
    /// The ranks, ascending, and the bytes that each sends and receives.
    ranks: Vec<i64>,
    bytes: Vec<(i64, i64)>,
    bound: i64,
}

/// The most transfers that direct sends may consist of.
const MOST_TRANSFERS: u128 = 1 << 22;

impl Reshard {
    /// The cheapest plan, with bytes for elements of `element_bytes`.
    ///
    /// # Errors
    /// No plan of collectives was found, and direct sends would be too many to list.
    pub fn plan(&self, element_bytes: i64) -> Result<Plan, LayoutError> {
        self.plan_within(element_bytes, MOST_TRANSFERS, &[])
    }

    /// The cheapest plan of collectives alone, which programs are made of. Ranks that differ in the
    /// digits `apart` have nothing of each other: along these the layouts hold replicas, as far as
    /// they say, that are not the same.
    ///
    /// # Errors
    /// No such plan was found.
    pub fn collectives(&self, element_bytes: i64, apart: &[Digit]) -> Result<Plan, LayoutError> {
        self.plan_within(element_bytes, 0, apart)
    }

    fn plan_within(
        &self,
        element_bytes: i64,
        most_transfers: u128,
        apart: &[Digit],
    ) -> Result<Plan, LayoutError> {
        let (from, to) = (self.from.layout(), self.to.layout());
        let ranks = from.ranks();
        let places = ranks
            .iter()
            .map(|r| Ok((from.position(*r)?, to.position(*r)?)))
            .collect::<Result<Vec<_>, LayoutError>>()?;
        let cuts = self.common_cuts(apart);
        let start = State::from_layout(from, cuts.as_deref().ok());
        let digits = cuts.as_deref().ok().map(|cuts| {
            let mut digits = digits::between_cuts(cuts);
            digits.retain(|digit| !apart.iter().any(|other| other.contains(*digit)));
            digits
        });
        let mut search = Search {
            shape: self.from.shape(),
            digits: digits.as_deref(),
            target: &State::from_layout(to, cuts.as_deref().ok()),
            ranks: &ranks,
            places: &places,
            element_bytes,
            most_transfers,
            walked: 0,
        };
        let bound = search.bound(&start).0;
        let Some(mut steps) = search.run(&start) else {
            let reason = cuts
                .err()
                .unwrap_or_else(|| "no collectives were found".to_owned());
            return Err(LayoutError::NoLayout(format!(
                "{reason}, and there are {} transfers, more than are listed ({most_transfers})",
                self.transfer_count()
            )));
        };
        let direct = steps
            .iter()
            .any(|s| s.collective == Collective::PointToPoint);
        let reason = cuts.err().or_else(|| {
            direct.then(|| "no collectives alone were found that move as little".to_owned())
        });
        let mut bytes = vec![(0i64, 0i64); ranks.len()];
        for step in &steps {
            step.count(&ranks, element_bytes, &mut bytes);
        }
        let alike = self.from.shard_shape() == self.to.shard_shape();
        if direct && bytes.iter().all(|b| b.1 == 0) {
            steps.clear();
        }
        let kind = match steps.as_slice() {
            [] if direct && !alike => Collective::Slice,
            [] => Collective::Nothing,
            [first, rest @ ..] if rest.iter().all(|s| s.collective == first.collective) => {
                first.collective
            }
            _ => Collective::Sequence,
        };
        Ok(Plan {
            steps,
            kind,
            reason,
            ranks,
            bytes,
            bound,
        })
    }

    /// Returns the places where digits of the position begin, for digits that both layouts and
    /// `apart` are made of; or why there are none.
    fn common_cuts(&self, apart: &[Digit]) -> Result<Vec<i64>, String> {
        let (from, to) = (self.from.layout(), self.to.layout());
        if from.device_ids() != to.device_ids() {
            return Err("the layouts list their devices in different orders".to_owned());
        }
        let axes = [from, to].map(|l| {
            (0..l.device_matrix().sizes().len())
                .map(|a| l.axis_digit(a))
                .collect::<Vec<_>>()
        });
        let axes = axes.iter().flatten().chain(apart);
        digits::common_cuts(axes, from.device_count()).ok_or_else(|| {
            format!(
                "the device matrices {:?} and {:?} cut across each other",
                from.device_matrix().sizes(),
                to.device_matrix().sizes()
            )
        })
    }
}

impl Plan {
    /// The steps, in order. None where no byte is sent and no collective says what each rank keeps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The collective, if all steps are of one kind.
    pub fn collective(&self) -> Collective {
        self.kind
    }

    /// Why there are direct sends, or why there are no steps although the layout changes.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The bytes that a rank receives; nothing for a rank that does not exist.
    pub fn received(&self, rank: i64) -> i64 {
        self.traffic(rank).1
    }

    /// The bytes that a rank sends; nothing for a rank that does not exist.
    pub fn sent(&self, rank: i64) -> i64 {
        self.traffic(rank).0
    }

    fn traffic(&self, rank: i64) -> (i64, i64) {
        let at = self.ranks.binary_search(&rank);
        at.ok().map(|i| self.bytes[i]).unwrap_or_default()
    }

    /// The most bytes that a rank sends or receives.
    pub fn cost(&self) -> i64 {
        let most = self.bytes.iter().map(|b| b.0.max(b.1)).max();
        most.unwrap_or_default()
    }

    /// Lower bound of the cost of every plan: some rank needs so much that it does not hold. Where
    /// partial results are combined, also the average of what all ranks together have to receive.
    pub fn bound(&self) -> i64 {
        self.bound
    }

    /// Whether no plan costs less: this one meets the bound.
    pub fn proved(&self) -> bool {
        self.cost() == self.bound
    }

    /// The boxes that a rank gets, if the plan is one step that lists them.
    pub fn transfers(&self, rank: i64) -> Option<&[Transfer]> {
        let [step] = self.steps.as_slice() else {
            return None;
        };
        let at = self.ranks.binary_search(&rank).ok()?;
        step.transfers.get(at).map(Vec::as_slice)
    }
}

impl Step {
    /// The digits that split each dimension before the step, major first.
    pub fn before(&self) -> &[Vec<Digit>] {
        &self.before.dims
    }

    /// The digits that split each dimension after the step, major first.
    pub fn after(&self) -> &[Vec<Digit>] {
        &self.after.dims
    }

    /// The digits whose partial results the step combines, slowest last.
    pub fn combined(&self) -> Vec<Digit> {
        self.before.reduced(&self.after)
    }

    /// Adds the bytes that each rank sends and receives.
    fn count(&self, ranks: &[i64], element_bytes: i64, bytes: &mut [(i64, i64)]) {
        if self.transfers.is_empty() {
            for (sent, received) in bytes {
                *sent = sent.saturating_add(self.bytes);
                *received = received.saturating_add(self.bytes);
            }
            return;
        }
        for (to, list) in self.transfers.iter().enumerate() {
            for t in list.iter().filter(|t| t.from != ranks[to]) {
                let size = t.global.iter().map(|i| i.len() as i64).product::<i64>();
                let size = size.saturating_mul(element_bytes);
                bytes[to].1 = bytes[to].1.saturating_add(size);
                if let Ok(from) = ranks.binary_search(&t.from) {
                    bytes[from].0 = bytes[from].0.saturating_add(size);
                }
            }
        }
    }
}
