//! A layout as an indexing map, and what the map algebra proves about it.

use crate::digits::{self, Digit};
use crate::error::LayoutError;
use crate::layout::Layout;
use crate::tensor::ShardedTensor;
use mapwright_indexing::{
    Comparison, Evaluator, Expr, ExprKind, IndexingMap, Interval, Variable, c, compare, compose, d,
    s,
};

/// A statement about a layout, with what the map algebra says about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The statement in words.
    pub statement: String,
    /// Proved, refuted, or not decided.
    pub holds: Option<bool>,
    /// Method of the decision.
    pub method: String,
}

impl Layout {
    /// Returns the number that the ids add to the positions, if that is one; maps exist only then.
    fn rank_offset(&self) -> Result<i64, String> {
        let Some(ids) = self.device_ids() else {
            return Ok(0);
        };
        let first = ids.first().copied().unwrap_or(0);
        if ids
            .iter()
            .enumerate()
            .all(|(p, id)| *id == first + p as i64)
        {
            return Ok(first);
        }
        Err("the devices are listed in an order that is no permutation of digits, so the slice is no affine function of the rank"
            .to_owned())
    }

    /// The digits of the position along which there are replicas or partial results, slowest first,
    /// neighbours joined.
    pub(crate) fn unnamed_digits(&self) -> Vec<Digit> {
        digits::merge(
            &self
                .unnamed_axes()
                .into_iter()
                .map(|a| self.axis_digit(a))
                .collect::<Vec<_>>(),
        )
    }
}

impl ShardedTensor {
    /// The indexing map `(rank, l0, l1, …) -> (global index, …)`, simplified. Unknown, with the
    /// reason, if the devices are listed in an order that is no permutation of digits.
    ///
    /// ```
    /// use mapwright_sharding::DeviceMatrix;
    /// let layout = DeviceMatrix::new(&[2, 4], &["x", "y"])?.layout(&["y", "None"])?;
    /// assert_eq!(layout.of_shape(&[8, 3])?.map().to_string(),
    ///     "(rank, l0, l1) -> ((rank mod 4) * 2 + l0, l1), domain: rank in [0, 7], l0 in [0, 1], l1 in [0, 2]");
    /// # Ok::<(), mapwright_sharding::LayoutError>(())
    /// ```
    pub fn map(&self) -> IndexingMap {
        self.raw_map().simplify()
    }

    /// [`ShardedTensor::map`] before simplification.
    pub(crate) fn raw_map(&self) -> IndexingMap {
        let layout = self.layout();
        let offset = match layout.rank_offset() {
            Ok(offset) => offset,
            Err(reason) => return IndexingMap::unknown(reason),
        };
        let count = layout.device_count();
        let position = d(0) - offset;
        let mut results = Vec::new();
        for (i, (digits, shard)) in layout
            .dimension_digits()
            .iter()
            .zip(self.shard_shape())
            .enumerate()
        {
            results.push(digits::number_of_digits(&position, digits, count) * *shard + d(i + 1));
        }
        IndexingMap::new(self.rank_and_locals(offset), results)
    }

    pub(crate) fn rank_and_locals(&self, offset: i64) -> Vec<Variable> {
        let last = offset + self.layout().device_count() - 1;
        let locals = self.shard_shape().iter().enumerate();
        std::iter::once(Variable::named("rank", Interval::new(offset, last)))
            .chain(locals.map(|(i, n)| Variable::named(format!("l{i}"), Interval::of_size(*n))))
            .collect()
    }

    /// The map back, `(g0, g1, …)[s0, …] -> (rank, l0, l1, …)`: who holds an element, and where.
    /// The range variables count the replicas: one for each digit of the rank that splits no
    /// dimension. Not simplified.
    pub fn inverse_map(&self) -> IndexingMap {
        let layout = self.layout();
        let offset = match layout.rank_offset() {
            Ok(offset) => offset,
            Err(reason) => return IndexingMap::unknown(reason),
        };
        let mut rank = c(offset);
        for ((i, digits), shard) in layout
            .dimension_digits()
            .iter()
            .enumerate()
            .zip(self.shard_shape())
        {
            let parts: i64 = digits.iter().map(|g| g.size).product();
            let part = d(i).floor_div((*shard).max(1));
            let mut stride = 1;
            for digit in digits.iter().rev() {
                let own = Digit {
                    stride,
                    size: digit.size,
                };
                rank = rank + own.of_expr(&part, parts) * digit.stride;
                stride = own.end();
            }
        }
        let replicas = layout.unnamed_digits();
        for (k, digit) in replicas.iter().enumerate() {
            rank = rank + s(k) * digit.stride;
        }
        let locals = self
            .shard_shape()
            .iter()
            .enumerate()
            .map(|(i, n)| d(i).modulo((*n).max(1)));
        let globals = self
            .shape()
            .iter()
            .enumerate()
            .map(|(i, n)| Variable::named(format!("g{i}"), Interval::of_size(*n)));
        IndexingMap::new(
            globals.collect(),
            std::iter::once(rank).chain(locals).collect(),
        )
        .with_ranges(&replicas.iter().map(|g| g.size).collect::<Vec<_>>())
    }

    /// For `(rank, l…)`: who holds the same element among the replicas that share the digits
    /// `choose` of this rank, and where. `from` is the layout whose holders are asked for.
    pub(crate) fn through(&self, from: &ShardedTensor) -> IndexingMap {
        let (to, inverse) = (self.raw_map(), from.inverse_map());
        for map in [&to, &inverse] {
            if let Some(reason) = map.unknown_reason() {
                return IndexingMap::unknown(reason);
            }
        }
        let count = from.layout().device_count();
        let offset = from.layout().rank_offset().unwrap_or(0);
        let own: Vec<Expr> = from
            .layout()
            .unnamed_digits()
            .iter()
            .map(|g| g.of_expr(&(d(0) - offset), count))
            .collect();
        let results = inverse.results().iter().map(|e| {
            e.replace(|kind| match *kind {
                ExprKind::Dim(i) => to.results().get(i).cloned().unwrap_or_else(|| c(0)),
                ExprKind::Range(k) => own.get(k).cloned().unwrap_or_else(|| c(0)),
                _ => c(0),
            })
        });
        IndexingMap::new(to.dims().to_vec(), results.collect())
    }

    /// Claims about the layout, proved by composing its maps: every element is held; by how many
    /// ranks; the shape of a shard.
    pub fn prove(&self) -> Vec<Claim> {
        let (forward, inverse) = (self.raw_map(), self.inverse_map());
        let replicas = self.layout().unnamed_digits();
        let holders: i64 = replicas.iter().map(|g| g.size).product();

        // g -> a holder and a local index -> g again, whatever the replica.
        let there_and_back = compose(&inverse, &forward);
        let mut globals = IndexingMap::new(
            inverse.dims().to_vec(),
            (0..inverse.dims().len()).map(d).collect(),
        );
        globals.set_ranges(inverse.ranges().to_vec());
        let held = decide("every element is held", &there_and_back, &globals);

        // (rank, l) -> g -> the holder that has the rank's replica digits: the same rank and the
        // same place. So nobody else holds the element, and no two local indices are the same
        // element.
        let back_and_there = self.through(self);
        let own = IndexingMap::new(
            forward.dims().to_vec(),
            (0..forward.dims().len()).map(d).collect(),
        );
        let statement = format!(
            "every local index of a rank is an element of its own: shards of shape {:?}",
            self.shard_shape()
        );
        let shape = decide(&statement, &back_and_there, &own);

        // (g, replica number) -> rank -> the replica number again: the holders of an element are
        // different ranks.
        let count = self.layout().device_count();
        let rank = inverse.results().first().cloned().unwrap_or_else(|| c(0));
        let numbers: Vec<Expr> = replicas.iter().map(|g| g.of_expr(&rank, count)).collect();
        let mut numbered = IndexingMap::new(inverse.dims().to_vec(), numbers);
        numbered.set_ranges(inverse.ranges().to_vec());
        let mut plain = IndexingMap::new(
            inverse.dims().to_vec(),
            (0..replicas.len()).map(s).collect(),
        );
        plain.set_ranges(inverse.ranges().to_vec());
        let number = if inverse.is_known() {
            decide("", &numbered, &plain)
        } else {
            decide("", &inverse, &inverse)
        };
        let by = Claim {
            statement: format!(
                "every element is held by {holders} rank{}",
                if holders == 1 { "" } else { "s" }
            ),
            holds: both(number.holds, both(held.holds, shape.holds)),
            method: number.method,
        };
        vec![held, by, shape]
    }
}

fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), Some(true)) => Some(true),
        (Some(false), _) | (_, Some(false)) => Some(false),
        _ => None,
    }
}

/// Whether two maps are equal, as a claim.
fn decide(statement: &str, left: &IndexingMap, right: &IndexingMap) -> Claim {
    let statement = statement.to_owned();
    for map in [left, right] {
        if let Some(reason) = map.unknown_reason() {
            return Claim {
                statement,
                holds: None,
                method: reason.into_owned(),
            };
        }
    }
    let (left, right) = (left.simplify(), right.simplify());
    if left.is_known_empty() && right.is_known_empty() {
        return Claim {
            statement,
            holds: Some(true),
            method: "there is no element".to_owned(),
        };
    }
    if left == right {
        return Claim {
            statement,
            holds: Some(true),
            method: "simplification".to_owned(),
        };
    }
    if let Some(point) = differs(&left, &right) {
        return Claim {
            statement,
            holds: Some(false),
            method: format!("a point: differs at {point:?}"),
        };
    }
    let Comparison {
        equal,
        method,
        counterexample,
    } = compare(&left, &right);
    let method = match counterexample {
        Some(point) => format!("{method}: differs at {:?}", point.dims),
        None => method.to_owned(),
    };
    Claim {
        statement,
        holds: equal,
        method,
    }
}

/// A point at which two maps without range variables differ, among a few that are tried; `None` has
/// proved nothing.
fn differs(left: &IndexingMap, right: &IndexingMap) -> Option<Vec<i64>> {
    let intervals: Vec<Interval> = left.dims().iter().map(|v| v.interval).collect();
    let plain = |m: &IndexingMap| {
        m.is_known() && m.ranges().is_empty() && m.dims().len() == intervals.len()
    };
    if !plain(left) || !plain(right) || intervals.iter().any(|i| i.is_empty()) {
        return None;
    }
    let (mut a, mut b) = (Evaluator::new(left), Evaluator::new(right));
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let mut points = crate::sample::Points::new(&intervals);
    (0..256)
        .map(|_| points.next_point())
        .find(|p| a.eval(p, &[], &[], &mut x) != b.eval(p, &[], &[], &mut y) || x != y)
}

/// Whether two layouts put the same elements on the same ranks, in the same order.
///
/// # Errors
/// Different shapes or different numbers of devices.
pub fn place_alike(a: &ShardedTensor, b: &ShardedTensor) -> Result<Claim, LayoutError> {
    same_tensor(a, b)?;
    let statement = "the layouts place the tensor alike".to_owned();
    if a.shard_shape() != b.shard_shape() {
        let method = format!(
            "the shards have shapes {:?} and {:?}",
            a.shard_shape(),
            b.shard_shape()
        );
        return Ok(Claim {
            statement,
            holds: Some(false),
            method,
        });
    }
    let (left, right) = (a.raw_map(), b.raw_map());
    if left.is_known() && right.is_known() {
        return Ok(decide(&statement, &left, &right));
    }
    // An order of devices without a map is a list anyway: walk it.
    let differs = a
        .layout()
        .ranks()
        .into_iter()
        .find(|r| a.layout().part_of(*r) != b.layout().part_of(*r));
    let method = match differs {
        Some(rank) => format!("the listed devices: rank {rank} holds another slice"),
        None => "the listed devices".to_owned(),
    };
    Ok(Claim {
        statement,
        holds: Some(differs.is_none()),
        method,
    })
}

/// Checks that two layouts are of the same tensor on the same devices.
pub(crate) fn same_tensor(a: &ShardedTensor, b: &ShardedTensor) -> Result<(), LayoutError> {
    if a.shape() != b.shape() {
        return Err(LayoutError::ShapeMismatch {
            left: a.shape().to_vec(),
            right: b.shape().to_vec(),
        });
    }
    let (left, right) = (a.layout().device_count(), b.layout().device_count());
    if left != right {
        let (what, other) = (
            format!("layout {}", a.layout()),
            format!("layout {}", b.layout()),
        );
        return Err(LayoutError::DeviceCount {
            what,
            left,
            other,
            right,
        });
    }
    if (a.layout().device_ids().is_some() || b.layout().device_ids().is_some())
        && let Some(rank) = a
            .layout()
            .ranks()
            .into_iter()
            .find(|r| b.layout().position(*r).is_err())
    {
        return Err(LayoutError::NoSuchRank {
            rank,
            devices: right,
            hint: " in the other layout",
        });
    }
    Ok(())
}

/// The most devices for which [`layout_of_map`] looks for digits.
const MOST_DEVICES: u128 = 1 << 24;

/// The layout whose map this is: the way back from `(rank, l0, l1, …) -> (g0, g1, …)`. Axes are
/// named `a0`, `a1`, … from the slowest on. The digits are read off the map's values; that the
/// layout found has the same map is then proved.
///
/// # Errors
/// [`LayoutError::NoLayout`] with the reason why there is none.
pub fn layout_of_map(map: &IndexingMap) -> Result<ShardedTensor, LayoutError> {
    let none = |reason: String| LayoutError::NoLayout(reason);
    if let Some(reason) = map.unknown_reason() {
        return Err(none(reason.into_owned()));
    }
    let n = map.results().len();
    if map.dims().len() != n + 1 || !map.ranges().is_empty() || !map.runtime().is_empty() {
        return Err(none(format!(
            "it takes {} dimensions, {} ranges and {} runtime values to {n} results; a layout takes the rank and {n} local indices",
            map.dims().len(),
            map.ranges().len(),
            map.runtime().len()
        )));
    }
    if let Some(v) = map
        .dims()
        .iter()
        .find(|v| v.interval.lower != 0 || v.interval.is_empty())
    {
        return Err(none(format!(
            "the variables must begin at zero and not be empty, one is in {}",
            v.interval
        )));
    }
    let count = map.dims()[0].interval.len();
    if count > MOST_DEVICES {
        return Err(none(format!(
            "{count} devices are more than the {MOST_DEVICES} that are looked at"
        )));
    }
    let shard: Vec<i64> = map.dims()[1..]
        .iter()
        .map(|v| v.interval.upper.saturating_add(1))
        .collect();
    let parts = part_table(map, count as i64, &shard)?;
    let dims = digits_of_table(&parts, count as i64, n)?;
    let layout = Layout::from_digits(count as i64, &dims, &[], |i, _| format!("a{i}"))?;
    let mut shape = Vec::new();
    for (size, parts) in shard.iter().zip(layout.parts()) {
        shape.push(
            size.checked_mul(parts)
                .ok_or_else(|| none(format!("{parts} parts of size {size} do not fit")))?,
        );
    }
    let tensor = layout.of_shape(&shape)?;
    let proof = decide("", map, &tensor.raw_map());
    match proof.holds {
        Some(true) => Ok(tensor),
        _ => Err(none(format!(
            "layout {layout} begins alike but is another map ({})",
            proof.method
        ))),
    }
}

/// The part number of every rank in every dimension, rank by rank, from the value of the map at
/// local index zero.
fn part_table(map: &IndexingMap, count: i64, shard: &[i64]) -> Result<Vec<i64>, LayoutError> {
    let mut evaluator = Evaluator::new(map);
    let mut table = Vec::with_capacity(count as usize * shard.len());
    let mut at = vec![0; shard.len() + 1];
    let mut out = Vec::new();
    for rank in 0..count {
        at[0] = rank;
        match evaluator.eval(&at, &[], &[], &mut out) {
            Ok(true) => {}
            Ok(false) => {
                return Err(LayoutError::NoLayout(format!(
                    "rank {rank} holds nothing at local index zero"
                )));
            }
            Err(e) => return Err(LayoutError::NoLayout(format!("at rank {rank}: {e}"))),
        }
        for (dim, (value, size)) in out.iter().zip(shard).enumerate() {
            if value % size != 0 {
                return Err(LayoutError::NoLayout(format!(
                    "the slice of rank {rank} begins at {value} in dimension {dim}, which is no multiple of the shard size {size}"
                )));
            }
            table.push(value / size);
        }
    }
    Ok(table)
}

/// The digits of the rank that the part numbers are made of, major first for each dimension.
fn digits_of_table(table: &[i64], count: i64, n: usize) -> Result<Vec<Vec<Digit>>, LayoutError> {
    let row = |rank: usize| &table[rank * n..rank * n + n];
    let step = |a: usize, b: usize| -> Vec<i64> {
        row(b).iter().zip(row(a)).map(|(y, x)| y - x).collect()
    };
    if let Some(dim) = row(0).iter().position(|p| *p != 0) {
        return Err(LayoutError::NoLayout(format!(
            "rank 0 does not hold the first part of dimension {dim}"
        )));
    }
    let mut found: Vec<Vec<(i64, Digit)>> = vec![Vec::new(); n];
    let mut stride = 1usize;
    let count = count as usize;
    while stride < count {
        let delta = step(0, stride);
        let heads = count / stride;
        let run = 1
            + (1..heads)
                .take_while(|h| step((h - 1) * stride, h * stride) == delta)
                .count();
        let regular = heads.is_multiple_of(run)
            && (0..heads)
                .filter(|h| h % run != 0)
                .all(|h| step((h - 1) * stride, h * stride) == delta);
        if !regular {
            return Err(LayoutError::NoLayout(format!(
                "from rank {stride} on the slices do not follow a digit of the rank"
            )));
        }
        let mut moved = delta.iter().enumerate().filter(|(_, x)| **x != 0);
        if let Some((dim, by)) = moved.next() {
            if moved.next().is_some() {
                return Err(LayoutError::NoLayout(format!(
                    "a digit of stride {stride} moves two dimensions at once"
                )));
            }
            found[dim].push((
                *by,
                Digit {
                    stride: stride as i64,
                    size: run as i64,
                },
            ));
        }
        stride *= run;
    }
    let mut dims = Vec::new();
    for (dim, mut digits) in found.into_iter().enumerate() {
        digits.sort_unstable();
        let mut next = 1;
        for (by, digit) in &digits {
            if *by != next {
                return Err(LayoutError::NoLayout(format!(
                    "the parts of dimension {dim} are not counted without gaps"
                )));
            }
            next *= digit.size;
        }
        dims.push(digits.into_iter().rev().map(|(_, digit)| digit).collect());
    }
    Ok(dims)
}
