//! Shardy's collectives: the sharding that each makes of the sharding of its operand.

use super::checks::append;
use super::cursor::Cursor;
use super::shardy::axis_ref;
use super::{AxisPart, AxisRef, Mesh, NotationError, ShardySharding};

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
pub enum Collective {
    /// `all_gather`: axes leave the ends of dimensions.
    Gather(Vec<Vec<AxisRef>>),
    /// `all_slice`, and `reduce_scatter`: axes are put behind those of dimensions.
    Slice(Vec<Vec<AxisRef>>),
    /// `all_to_all`.
    Move(Vec<AxesMove>),
    /// `all_reduce`: the sum along axes.
    Reduce(Vec<AxisRef>),
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
    let mut c = Cursor::new(&text[start..]);
    let moves = c.list("[", "]", |c| {
        let axes = c.list("{", "}", axis_ref)?;
        c.require(":")?;
        let from = c.integer()?;
        c.require("->")?;
        let to = c.integer()?;
        Ok(AxesMove { axes, from, to })
    })?;
    c.accept(">");
    c.end()?;
    Ok(moves)
}

/// The parts of axes of each dimension, after `mesh`.
fn dims(sharding: &ShardySharding, mesh: &Mesh) -> Result<Vec<Vec<AxisPart>>, String> {
    let dims = sharding.dims.iter();
    dims.map(|dim| mesh.parts(&dim.axes)).collect()
}

/// Takes `axes` off the minor end of a list.
fn take(
    list: &mut Vec<AxisPart>,
    axes: &[AxisRef],
    parts: &[AxisPart],
    dim: usize,
) -> Result<(), String> {
    for (used, part) in axes.iter().zip(parts).rev() {
        let last = list.pop().filter(|last| {
            last.axis == part.axis
                && last.end() == part.end()
                && part.before >= last.before
                && part.before % last.before == 0
        });
        let Some(mut last) = last else {
            return Err(format!(
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

impl Collective {
    /// Checks that `result` is the sharding that this makes of a tensor of the sharding `operand`.
    ///
    /// # Errors
    /// The constraint that is violated.
    pub fn check(
        &self,
        operand: (&ShardySharding, &Mesh),
        result: (&ShardySharding, &Mesh),
    ) -> Result<(), String> {
        let ((operand, from), (result, mesh)) = (operand, result);
        if *self == Collective::Permute {
            if operand.mesh != result.mesh {
                if from.axes != mesh.axes {
                    return Err(
                        "the mesh of the result has other axes than that of the operand".into(),
                    );
                }
                if from.is_same(mesh) {
                    return Err(
                        "the meshes of operand and result have other names and the same devices"
                            .into(),
                    );
                }
            }
        } else if !from.is_same(mesh) {
            return Err("operand and result are on different meshes".into());
        }
        if operand.dims.len() != result.dims.len() {
            return Err(format!(
                "the sharding of the result has {} dimensions, that of the operand has {}",
                result.dims.len(),
                operand.dims.len()
            ));
        }
        let mut expected = dims(operand, from)?;
        let found = dims(result, mesh)?;
        self.apply(&mut expected, mesh)?;
        if *self == Collective::Permute {
            let size = |parts: &[AxisPart]| parts.iter().map(|part| part.size).product::<i64>();
            let differs = (0..found.len()).find(|i| size(&expected[*i]) != size(&found[*i]));
            return match differs {
                Some(i) => Err(format!(
                    "dimension {i} is split by {} in the operand and by {} in the result",
                    size(&expected[i]),
                    size(&found[i])
                )),
                None => Ok(()),
            };
        }
        if let Some(i) = (0..found.len()).find(|i| expected[*i] != found[*i]) {
            return Err(format!(
                "the axes of dimension {i} of the result do not follow from those of the operand"
            ));
        }
        self.check_other_axes(operand, result, mesh)
    }

    /// Does an operand without a sharding count as one that all devices hold whole?
    pub fn takes_replicated(&self) -> bool {
        matches!(self, Collective::Slice(_) | Collective::Reduce(_))
    }

    fn apply(&self, dims: &mut [Vec<AxisPart>], mesh: &Mesh) -> Result<(), String> {
        let count = dims.len();
        match self {
            Collective::Gather(lists)
            | Collective::Slice(lists)
            | Collective::ShardedToUnreduced(lists) => {
                if lists.len() != count {
                    return Err(format!(
                        "the axes are given for {} dimensions, the tensor has {count}",
                        lists.len()
                    ));
                }
                for (dim, axes) in lists.iter().enumerate() {
                    let parts = mesh.parts(axes)?;
                    match self {
                        Collective::Slice(_) => append(&mut dims[dim], &parts),
                        _ => take(&mut dims[dim], axes, &parts, dim)?,
                    }
                }
            }
            Collective::Move(moves) => {
                if moves.is_empty() {
                    return Err("no axes move".into());
                }
                let mut known = Vec::new();
                let mut last = -1;
                for AxesMove { axes, from, to } in moves {
                    if axes.is_empty() {
                        return Err(format!("no axes move from dimension {from}"));
                    }
                    for dim in [*from, *to] {
                        if !usize::try_from(dim).is_ok_and(|dim| dim < count) {
                            return Err(format!("the tensor has no dimension {dim}"));
                        }
                        if known.contains(&dim) {
                            return Err(format!("dimension {dim} takes part in two moves"));
                        }
                        known.push(dim);
                    }
                    if *from < last {
                        return Err(
                            "the moves are not in the order of their first dimensions".into()
                        );
                    }
                    last = *from;
                    let (from, to) = (*from as usize, *to as usize);
                    let parts = mesh.parts(axes)?;
                    take(&mut dims[from], axes, &parts, from)?;
                    append(&mut dims[to], &parts);
                }
            }
            Collective::Reduce(_) | Collective::Permute | Collective::ReplicatedToUnreduced(_) => {}
        }
        Ok(())
    }

    /// The constraints of axes that hold replicas or summands.
    fn check_other_axes(
        &self,
        operand: &ShardySharding,
        result: &ShardySharding,
        mesh: &Mesh,
    ) -> Result<(), String> {
        match self {
            Collective::Reduce(axes) => {
                let split = operand.dims.iter().flat_map(|dim| &dim.axes);
                let split: Vec<&AxisRef> = split.chain(&operand.replicated).collect();
                let unreduced: Vec<&AxisRef> = result.unreduced.iter().collect();
                let touches = |list: &[&AxisRef], part: &AxisPart| {
                    let mut parts = list.iter().filter_map(|used| mesh.part(used).ok());
                    parts.any(|other| other.overlaps(part))
                };
                for (used, part) in axes.iter().zip(mesh.ordered_parts("reduced", axes)?) {
                    if touches(&split, &part) {
                        return Err(format!(
                            "{used} is reduced, and splits or replicates the operand"
                        ));
                    }
                    if touches(&unreduced, &part) {
                        return Err(format!("{used} is reduced, and unreduced in the result"));
                    }
                }
                Ok(())
            }
            Collective::ReplicatedToUnreduced(axes) => {
                if axes.is_empty() {
                    return Err("no axes become unreduced".into());
                }
                mesh.ordered_parts("unreduced", axes)?;
                becomes_unreduced(axes.iter(), operand, result, mesh)
            }
            Collective::ShardedToUnreduced(lists) => {
                becomes_unreduced(lists.iter().flatten(), operand, result, mesh)
            }
            _ => Ok(()),
        }
    }
}

/// That the unreduced axes of the result are those of the operand and `axes`.
fn becomes_unreduced<'a>(
    axes: impl Iterator<Item = &'a AxisRef>,
    operand: &ShardySharding,
    result: &ShardySharding,
    mesh: &Mesh,
) -> Result<(), String> {
    let known = mesh.parts(&operand.unreduced)?;
    let mut all = known.clone();
    for used in axes {
        let part = mesh.part(used)?;
        if known.iter().any(|other| other.overlaps(&part)) {
            return Err(format!("{used} is unreduced in the operand"));
        }
        all.push(part);
    }
    all.sort_unstable_by_key(|part| (part.axis, part.before));
    let mut merged = Vec::new();
    append(&mut merged, &all);
    match merged == mesh.parts(&result.unreduced)? {
        true => Ok(()),
        false => Err(
            "the unreduced axes of the result are not those of the operand and the new ones".into(),
        ),
    }
}
