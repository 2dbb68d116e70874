//! From one layout to another: which global box comes from which rank, as boxes and as a map.

mod plan;
mod search;
mod state;

pub use plan::{Collective, Plan, Step};

use crate::digits;
use crate::error::LayoutError;
use crate::layout::Reduction;
use crate::maps::{Claim, place_alike, same_tensor};
use crate::tensor::{IndexBox, ShardedTensor};
use mapwright_indexing::{IndexingMap, Interval};

/// A change of layout of one tensor on the same devices.
///
/// ```
/// use mapwright_sharding::{Collective, DeviceMatrix, Reshard};
/// let matrix = DeviceMatrix::new(&[2, 4], &["x", "y"])?;
/// let from = matrix.layout(&["y", "None"])?.of_shape(&[8, 8])?;
/// let to = matrix.layout(&["None", "y"])?.of_shape(&[8, 8])?;
/// let plan = Reshard::new(from, to)?.plan(4)?;
/// assert_eq!(plan.collective(), Collective::AllToAll);
/// assert_eq!(plan.received(0), 48); // three quarters of a shard of 16 elements of 4 bytes
/// # Ok::<(), mapwright_sharding::LayoutError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reshard {
    from: ShardedTensor,
    to: ShardedTensor,
    /// Axes of `from` whose partial results are combined on the way.
    reduced: Vec<usize>,
}

/// One box of global indices that a rank needs, and the rank that it is read from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// The rank that has it (itself, where it can).
    pub from: i64,
    /// The global indices.
    pub global: IndexBox,
}

impl Reshard {
    /// A change from one layout to another.
    ///
    /// # Errors
    /// Different shapes or devices; partial results that exist only afterwards.
    pub fn new(from: ShardedTensor, to: ShardedTensor) -> Result<Reshard, LayoutError> {
        same_tensor(&from, &to)?;
        let of = |t: &ShardedTensor, axis: usize| t.layout().axis_digit(axis);
        let (before, after) = (from.layout().partial(), to.layout().partial());
        for (axis, kind) in after {
            let digit = of(&to, *axis);
            if !before
                .iter()
                .any(|(a, k)| of(&from, *a) == digit && k == kind)
            {
                let name = &to.layout().device_matrix().names()[*axis];
                return Err(LayoutError::NoLayout(format!(
                    "the target has partial results along `{name}`, which the source does not have: full values do not become partial by moving them"
                )));
            }
        }
        let reduced = before
            .iter()
            .filter(|(a, _)| !after.iter().any(|(b, _)| of(&from, *a) == of(&to, *b)))
            .map(|p| p.0)
            .collect();
        Ok(Reshard { from, to, reduced })
    }

    /// The layout before.
    pub fn from(&self) -> &ShardedTensor {
        &self.from
    }

    /// The layout after.
    pub fn to(&self) -> &ShardedTensor {
        &self.to
    }

    /// Reduction that combines the boxes of one place that come from several ranks; `None` if every
    /// box comes from one rank.
    pub fn reduction(&self) -> Option<Reduction> {
        let first = self.reduced.first()?;
        self.from
            .layout()
            .partial()
            .iter()
            .find(|(a, _)| a == first)
            .map(|p| p.1)
    }

    /// Whether nothing has to be done, proved.
    pub fn identity(&self) -> Claim {
        if !self.reduced.is_empty() {
            let names = self.from.layout().names_of(&self.reduced);
            let statement = "the layouts place the tensor alike".to_owned();
            return Claim {
                statement,
                holds: Some(false),
                method: format!("partial results along {names} are combined"),
            };
        }
        place_alike(&self.from, &self.to).unwrap_or_else(|e| Claim {
            statement: "the layouts place the tensor alike".to_owned(),
            holds: Some(false),
            method: e.to_string(),
        })
    }

    /// The boxes that a rank needs, each from the holder that shares the rank's digits along the
    /// replica axes of the source (so from itself, where it holds the box). Row-major over the
    /// parts of the source. Where partial results are combined, a box comes from every rank that
    /// holds a share.
    ///
    /// # Errors
    /// A rank that does not exist.
    pub fn transfers(&self, rank: i64) -> Result<Vec<Transfer>, LayoutError> {
        let need = self.to.range_of(rank)?;
        if need.iter().any(|i| i.is_empty()) {
            return Ok(Vec::new());
        }
        let layout = self.from.layout();
        let own = layout.position(rank)?;
        let mut base: i64 = 0;
        for axis in layout.unnamed_axes() {
            let digit = layout.axis_digit(axis);
            if !self.reduced.contains(&axis) {
                base += digit.value_of(own) * digit.stride;
            }
        }
        let mut positions = vec![(base, IndexBox::new())];
        for (dim, axes) in layout.tensor_map().iter().enumerate() {
            let size = self.from.shard_shape()[dim];
            let (first, last) = (need[dim].lower / size, need[dim].upper / size);
            let mut next = Vec::with_capacity(positions.len() * (last - first + 1) as usize);
            for (position, global) in &positions {
                for part in first..=last {
                    let (mut at, mut rest) = (*position, part);
                    for axis in axes.iter().rev() {
                        let digit = layout.axis_digit(*axis);
                        at += rest % digit.size * digit.stride;
                        rest /= digit.size;
                    }
                    let mut global = global.clone();
                    global.push(
                        need[dim].intersect(Interval::new(part * size, part * size + size - 1)),
                    );
                    next.push((at, global));
                }
            }
            positions = next;
        }
        for axis in &self.reduced {
            let digit = layout.axis_digit(*axis);
            positions = positions
                .iter()
                .flat_map(|(p, b)| (0..digit.size).map(move |k| (p + k * digit.stride, b.clone())))
                .collect();
        }
        Ok(positions
            .into_iter()
            .map(|(p, global)| Transfer {
                from: layout.rank_at(p),
                global,
            })
            .collect())
    }

    /// The number of transfers of all ranks together, without making them; it may be far larger
    /// than the number of ranks.
    pub fn transfer_count(&self) -> u128 {
        let shares = self.reduced.iter();
        let shares = shares.map(|a| self.from.layout().axis_digit(*a).size as u128);
        let each = boxes_met(self.to.shard_shape(), self.from.shard_shape());
        let each = each.saturating_mul(shares.product());
        each.saturating_mul(self.to.layout().device_count() as u128)
    }

    /// The map `(rank, l0, …) -> (source rank, source local index, …)`, simplified. Where partial
    /// results are combined the range variables run over the ranks whose shares are combined.
    pub fn map(&self) -> IndexingMap {
        let map = self.to.through(&self.from);
        if self.reduced.is_empty() || !map.is_known() {
            return map.simplify();
        }
        // The source rank without its own digits along the reduced axes, plus every value of them.
        let layout = self.from.layout();
        let count = layout.device_count();
        let mut map = map;
        let digits: Vec<_> = digits::merge(
            &self
                .reduced
                .iter()
                .map(|a| layout.axis_digit(*a))
                .collect::<Vec<_>>(),
        );
        map.edit(|m| {
            if let Some(rank) = m.results.first_mut() {
                for (k, digit) in digits.iter().enumerate() {
                    let own = digit.of_expr(&mapwright_indexing::d(0), count);
                    let other = mapwright_indexing::s(k);
                    *rank = rank.clone() - own * digit.stride + other * digit.stride;
                }
            }
        });
        map.with_ranges(&digits.iter().map(|g| g.size).collect::<Vec<_>>())
            .simplify()
    }

    /// The elements that a rank needs and does not hold already (shares of other ranks, where
    /// partial results are combined).
    ///
    /// # Errors
    /// A rank that does not exist.
    pub fn missing_elements(&self, rank: i64) -> Result<i64, LayoutError> {
        let (have, need) = (self.from.range_of(rank)?, self.to.range_of(rank)?);
        let size = |b: &[Interval]| b.iter().map(|i| i.len() as i64).product::<i64>();
        let kept: Vec<Interval> = have
            .iter()
            .zip(&need)
            .map(|(a, b)| a.intersect(*b))
            .collect();
        let shares: i64 = self
            .reduced
            .iter()
            .map(|a| self.from.layout().axis_digit(*a).size)
            .product();
        Ok(size(&need).saturating_mul(shares) - size(&kept))
    }
}

/// The most parts of one shape that a box of another can meet: parts begin at multiples of their
/// sizes.
fn boxes_met(need: &[i64], have: &[i64]) -> u128 {
    let met = |(need, have): (&i64, &i64)| match (*need as u128, *have as u128) {
        (0, _) | (_, 0) => 0,
        (need, have) => 1 + (need - 1).div_ceil(have),
    };
    need.iter().zip(have).map(met).fold(1, u128::saturating_mul)
}
