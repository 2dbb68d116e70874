//! Shardy's collectives: the sharding that each makes of the sharding of its operand.

use super::checks::{Checked, append, refused};
use super::cursor::Cursor;
use super::shardy::axis_ref;
use super::{AxisPart, AxisRef, Mesh, NotationError, ShardySharding};
use crate::layout::Reduction;
use mapwright_indexing::counted;

/// Axes that move from the end of one dimension to the end of another: `{"x"}: 0->1`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AxesMove {
    /// The axes that move, major first.
    pub axes: Vec<AxisRef>,
    /// The dimension that they split before.
    pub from: i64,
    /// The dimension that they split afterwards.
    pub to: i64,
}

/// A collective operation of Shardy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ShardyCollective {
    /// `all_gather`: axes leave the ends of dimensions.
    Gather(Vec<Vec<AxisRef>>),
    /// `all_slice`: axes are put behind those of dimensions.
    Slice(Vec<Vec<AxisRef>>),
    /// `reduce_scatter`: likewise, after what puts the parts along them together.
    ReduceScatter(Reduction, Vec<Vec<AxisRef>>),
    /// `all_to_all`.
    Move(Vec<AxesMove>),
    /// `all_reduce`: the parts along axes are put together.
    Reduce(Reduction, Vec<AxisRef>),
    /// `collective_permute`: the axes of dimensions are others of the same sizes.
    Permute,
    /// `replicated_to_unreduced`: replicas along axes become summands.
    ReplicatedToUnreduced(Vec<AxisRef>),
    /// `sharded_to_unreduced`: axes leave the ends of dimensions and hold summands.
    ShardedToUnreduced(Vec<Vec<AxisRef>>),
}

/// Reads the parameters of an all-to-all: `[{"x"}: 0->1, …]`.
///
/// # Errors
/// [`NotationError`] with the column.
pub fn axes_moves(text: &str) -> Result<Vec<AxesMove>, NotationError> {
    let start = text.find('[').unwrap_or(text.len());
    let one = |c: &mut Cursor| {
        let axes = c.list("{", "}", axis_ref)?;
        c.require(":")?;
        let from = c.integer()?;
        c.require("->")?;
        let to = c.integer()?;
        Ok(AxesMove { axes, from, to })
    };
    Cursor::read(&text[start..], |c| {
        let moves = c.list("[", "]", one)?;
        c.accept(">");
        Ok(moves)
    })
}

/// The parts of axes of each dimension, after `mesh`.
fn dims(sharding: &ShardySharding, mesh: &Mesh) -> Checked<Vec<Vec<AxisPart>>> {
    let dims = sharding.dims.iter();
    dims.map(|dim| mesh.parts(&dim.axes)).collect()
}

/// Takes `axes` off the minor end of a list.
fn take(list: &mut Vec<AxisPart>, axes: &[AxisRef], parts: &[AxisPart], dim: usize) -> Checked {
    for (used, part) in axes.iter().zip(parts).rev() {
        let last = list.pop().filter(|last| {
            last.axis == part.axis
                && last.end() == part.end()
                && part.before >= last.before
                && part.before % last.before == 0
        });
        let Some(mut last) = last else {
            return refused(format!(
                "{used} is not at the end of the axes of dimension {dim} of the operand"
            ));
        };
        last.size = part.before / last.before;
        if last.size > 1 {
            list.push(last);
        }
    }
    Ok(())
}

impl ShardyCollective {
    /// Checks that `result` is the sharding that this makes of a tensor of the sharding `operand`.
    ///
    /// # Errors
    /// The constraint that is violated.
    pub fn check(
        &self,
        operand: (&ShardySharding, &Mesh),
        result: (&ShardySharding, &Mesh),
    ) -> Checked {
        let ((operand, from), (result, mesh)) = (operand, result);
        if *self == ShardyCollective::Permute {
            if operand.mesh != result.mesh {
                if from.axes != mesh.axes {
                    return refused(
                        "the mesh of the result has other axes than that of the operand",
                    );
                }
                if from.is_same(mesh) {
                    return refused(
                        "the meshes of operand and result have other names and the same devices",
                    );
                }
            }
        } else if !from.is_same(mesh) {
            return refused("operand and result are on different meshes");
        }
        if operand.dims.len() != result.dims.len() {
            return refused(format!(
                "the sharding of the result has {}, that of the operand has {}",
                counted(result.dims.len(), "dimension"),
                operand.dims.len()
            ));
        }
        operand.check_unreduced(result, mesh)?;
        let mut expected = dims(operand, from)?;
        let found = dims(result, mesh)?;
        self.apply(&mut expected, mesh)?;
        if *self == ShardyCollective::Permute {
            let size = |parts: &[AxisPart]| {
                let sizes = parts.iter().map(|part| part.size);
                sizes.fold(1i64, i64::saturating_mul)
            };
            let differs = (0..found.len()).find(|i| size(&expected[*i]) != size(&found[*i]));
            return match differs {
                Some(i) => refused(format!(
                    "dimension {i} is split by {} in the operand and by {} in the result",
                    size(&expected[i]),
                    size(&found[i])
                )),
                None => Ok(()),
            };
        }
        if let Some(i) = (0..found.len()).find(|i| expected[*i] != found[*i]) {
            return refused(format!(
                "the axes of dimension {i} of the result do not follow from those of the operand"
            ));
        }
        self.check_other_axes(operand, result, mesh)
    }

    /// Whether an operand without a sharding counts as one that all devices hold whole.
    pub fn takes_replicated(&self) -> bool {
        use ShardyCollective::{Reduce, ReduceScatter, Slice};
        matches!(self, Slice(_) | Reduce(..) | ReduceScatter(..))
    }

    fn apply(&self, dims: &mut [Vec<AxisPart>], mesh: &Mesh) -> Checked {
        let count = dims.len();
        match self {
            ShardyCollective::Gather(lists)
            | ShardyCollective::Slice(lists)
            | ShardyCollective::ReduceScatter(_, lists)
            | ShardyCollective::ShardedToUnreduced(lists) => {
                if lists.len() != count {
                    return refused(format!(
                        "the axes are given for {}, the tensor has {count}",
                        counted(lists.len(), "dimension")
                    ));
                }
                for (dim, axes) in lists.iter().enumerate() {
                    let parts = mesh.parts(axes)?;
                    match self {
                        ShardyCollective::Slice(_) | ShardyCollective::ReduceScatter(..) => {
                            append(&mut dims[dim], &parts);
                        }
                        _ => take(&mut dims[dim], axes, &parts, dim)?,
                    }
                }
            }
            ShardyCollective::Move(moves) => {
                if moves.is_empty() {
                    return refused("no axes move");
                }
                let mut known = Vec::new();
                let mut last = -1;
                for AxesMove { axes, from, to } in moves {
                    if axes.is_empty() {
                        return refused(format!("no axes move from dimension {from}"));
                    }
                    for dim in [*from, *to] {
                        if !usize::try_from(dim).is_ok_and(|dim| dim < count) {
                            return refused(format!("the tensor has no dimension {dim}"));
                        }
                        if known.contains(&dim) {
                            return refused(format!("dimension {dim} takes part in two moves"));
                        }
                        known.push(dim);
                    }
                    if *from < last {
                        return refused("the moves are not in the order of their first dimensions");
                    }
                    last = *from;
                    let (from, to) = (*from as usize, *to as usize);
                    let parts = mesh.parts(axes)?;
                    take(&mut dims[from], axes, &parts, from)?;
                    append(&mut dims[to], &parts);
                }
            }
            ShardyCollective::Reduce(..)
            | ShardyCollective::Permute
            | ShardyCollective::ReplicatedToUnreduced(_) => {}
        }
        Ok(())
    }

    /// The constraints of axes that hold replicas or summands.
    fn check_other_axes(
        &self,
        operand: &ShardySharding,
        result: &ShardySharding,
        mesh: &Mesh,
    ) -> Checked {
        match self {
            ShardyCollective::ReduceScatter(by, lists) => {
                let axes: Vec<AxisRef> = lists.concat();
                operand.check_none_added(result, mesh)?;
                operand.check_reduced(*by, &axes, mesh)
            }
            ShardyCollective::Reduce(by, axes) => {
                operand.check_reduced(*by, axes, mesh)?;
                let split = operand.dims.iter().flat_map(|dim| &dim.axes);
                let split: Vec<&AxisRef> = split.chain(&operand.replicated).collect();
                for (used, part) in axes.iter().zip(mesh.ordered_parts("reduced", axes)?) {
                    if mesh.touches(split.iter().copied(), &part) {
                        return refused(format!(
                            "{used} is reduced, and splits or replicates the operand"
                        ));
                    }
                    if mesh.touches(&result.unreduced, &part) {
                        return refused(format!("{used} is reduced, and unreduced in the result"));
                    }
                }
                operand.check_none_added(result, mesh)
            }
            ShardyCollective::ReplicatedToUnreduced(axes) => {
                if axes.is_empty() {
                    return refused("no axes become unreduced");
                }
                mesh.ordered_parts("unreduced", axes)?;
                becomes_unreduced(axes.iter(), operand, result, mesh)
            }
            ShardyCollective::ShardedToUnreduced(lists) => {
                becomes_unreduced(lists.iter().flatten(), operand, result, mesh)
            }
            _ => Ok(()),
        }
    }
}

impl Mesh {
    /// Tells whether a list of axes has one that overlaps a part.
    fn touches<'a>(&self, list: impl IntoIterator<Item = &'a AxisRef>, part: &AxisPart) -> bool {
        let mut parts = list.into_iter().filter_map(|used| self.part(used).ok());
        parts.any(|other| other.overlaps(part))
    }
}

impl ShardySharding {
    /// Checks that a tensor of this sharding may get another one: axes that stay unreduced keep
    /// what puts their parts together, and axes that become unreduced hold the summands of a sum,
    /// all but one of which are zero.
    ///
    /// # Errors
    /// The constraint that is violated.
    pub fn check_unreduced(&self, result: &ShardySharding, mesh: &Mesh) -> Checked {
        for used in &result.unreduced {
            let part = mesh.part(used)?;
            let (kind, before) = (result.reduction, self.reduction);
            if mesh.touches(&self.unreduced, &part) {
                if kind != before {
                    return refused(format!(
                        "{used} stays unreduced, by {before} before and by {kind} afterwards"
                    ));
                }
            } else if kind != Reduction::Sum {
                return refused(format!(
                    "{used} becomes unreduced by {kind}, which a sum alone can be"
                ));
            }
        }
        Ok(())
    }

    /// Checks that putting parts together leaves no others: those that the result has, a tensor of
    /// this sharding has.
    fn check_none_added(&self, result: &ShardySharding, mesh: &Mesh) -> Checked {
        for used in &result.unreduced {
            if !mesh.touches(&self.unreduced, &mesh.part(used)?) {
                return refused(format!(
                    "{used} is unreduced in the result, and not in the operand"
                ));
            }
        }
        Ok(())
    }

    /// Checks that `by` puts the parts along `axes` together that a tensor of this sharding has.
    fn check_reduced(&self, by: Reduction, axes: &[AxisRef], mesh: &Mesh) -> Checked {
        for used in axes {
            let part = mesh.part(used)?;
            if self.reduction != by && mesh.touches(&self.unreduced, &part) {
                return refused(format!(
                    "{used} is reduced by {by}, and unreduced by {} in the operand",
                    self.reduction
                ));
            }
        }
        Ok(())
    }
}

/// Checks that the unreduced axes of the result are those of the operand and `axes`.
fn becomes_unreduced<'a>(
    axes: impl Iterator<Item = &'a AxisRef>,
    operand: &ShardySharding,
    result: &ShardySharding,
    mesh: &Mesh,
) -> Checked {
    let known = mesh.parts(&operand.unreduced)?;
    let mut all = known.clone();
    for used in axes {
        let part = mesh.part(used)?;
        if known.iter().any(|other| other.overlaps(&part)) {
            return refused(format!("{used} is unreduced in the operand"));
        }
        all.push(part);
    }
    all.sort_unstable_by_key(|part| (part.axis, part.before));
    let mut merged = Vec::new();
    append(&mut merged, &all);
    if merged == mesh.parts(&result.unreduced)? {
        Ok(())
    } else {
        refused("the unreduced axes of the result are not those of the operand and the new ones")
    }
}
