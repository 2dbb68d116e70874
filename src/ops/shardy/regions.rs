//! Shardy's operations with regions.

use super::{at, mesh_of, of_types, read_list, violated};
use crate::typing::check::Check;
use mapwright_mlir::{Dim, Op, Val, ValueType, melior::ir::ValueLike, op};
use mapwright_sharding::notation::{Mesh, ShardySharding};

fn types(values: &[Val<'_>]) -> Vec<ValueType> {
    (values
        .iter()
        .map(|value| ValueType::from_mlir(value.r#type())))
    .collect()
}

/// Operands or results, outside of an operation and in its region.
struct Border {
    what: &'static str,
    /// The attribute with their shardings.
    shardings: &'static str,
    outer: Vec<ValueType>,
    inner: Vec<ValueType>,
}

/// Both borders of an operation whose region has one block with an end.
fn borders(op: Op<'_>) -> Check<[Border; 2]> {
    let block = op.body(0);
    let end = block.and_then(|block| op::ops(block).pop());
    let (Some(block), Some(end)) = (block, end) else {
        return violated("its region has no block, or one without an end");
    };
    Ok([
        Border {
            what: "operand",
            shardings: "in_shardings",
            outer: types(&op.operands()),
            inner: types(&op::arguments(block)),
        },
        Border {
            what: "result",
            shardings: "out_shardings",
            outer: types(&op.results()),
            inner: types(&end.operands()),
        },
    ])
}

/// The axes along which a computation is manual.
pub(super) fn manual_axes(op: Op<'_>) -> Vec<String> {
    let text = op.text("manual_axes").unwrap_or_default();
    let names = text.split('"').skip(1).step_by(2);
    names.map(str::to_owned).collect()
}

/// Takes the manual axes out of a sharding.
pub(super) fn without_manual(sharding: &mut ShardySharding, manual: &[String]) {
    for dim in &mut sharding.dims {
        dim.axes.retain(|axis| !manual.contains(&axis.name));
    }
    for axes in [&mut sharding.replicated, &mut sharding.unreduced] {
        axes.retain(|axis| !manual.contains(&axis.name));
    }
}

/// Checks that no computation around `op` is manual along one of these axes.
pub(super) fn are_free<'a>(
    op: Op<'_>,
    mesh: &Mesh,
    axes: impl Iterator<Item = &'a str> + Clone,
) -> Check {
    let around = std::iter::successors(op.parent(), |op| op.parent());
    for outer in around.filter(|outer| outer.name() == "sdy.manual_computation") {
        let other = self::mesh(outer).ok().flatten();
        if other.is_some_and(|other| other.axes != mesh.axes) {
            continue;
        }
        let manual = manual_axes(outer);
        if let Some(axis) = axes
            .clone()
            .find(|axis| manual.iter().any(|known| known == axis))
        {
            return violated(format!(
                "the axis \"{axis}\" is one along which a computation around it is manual"
            ));
        }
    }
    Ok(())
}

/// The mesh of a manual computation: that of all its shardings but for empty ones.
pub(super) fn mesh(op: Op<'_>) -> Check<Option<Mesh>> {
    let mut known: Option<(ShardySharding, Mesh)> = None;
    for name in ["in_shardings", "out_shardings"] {
        for sharding in read_list(op, name)?.unwrap_or_default() {
            let Some(mesh) = mesh_of(op, &sharding)? else {
                return Ok(None);
            };
            if mesh.axes.is_empty() && mesh.device_ids.is_none() {
                continue;
            }
            match &known {
                Some((first, _)) if first.mesh != sharding.mesh => {
                    return violated("its shardings are on several meshes");
                }
                Some(_) => {}
                None => known = Some((sharding, mesh)),
            }
        }
    }
    Ok(known.map(|(_, mesh)| mesh))
}

/// `sdy.manual_computation`: the region is the program of one device along the manual axes.
pub(super) fn manual_computation(op: Op<'_>) -> Check {
    let manual = manual_axes(op);
    let mut all = Vec::new();
    for border in borders(op)? {
        let list = read_list(op, border.shardings)?.unwrap_or_default();
        of_types(op, border.what, &list, &border.outer)?;
        let (there, count) = (border.inner.len(), border.outer.len());
        if there != count {
            let what = border.what;
            return violated(format!("its region has {there} {what}s, it has {count}"));
        }
        all.push((list, border));
    }
    let Some(mesh) = mesh(op)? else {
        return Ok(());
    };
    if let Some(axis) = manual
        .iter()
        .find(|axis| mesh.axes.iter().all(|known| known.0 != **axis))
    {
        return violated(format!(
            "the mesh has no axis \"{axis}\" to be manual along"
        ));
    }
    are_free(op, &mesh, manual.iter().map(String::as_str))?;
    for (list, border) in all {
        for (i, sharding) in list.iter().enumerate() {
            let place = format!("{} {i}", border.what);
            let local = at(&place, local(sharding, &mesh, &manual, &border.outer[i]))?;
            if local != border.inner[i] {
                return violated(format!(
                    "{place} is {local} on each device, its region has {}",
                    border.inner[i]
                ));
            }
        }
    }
    Ok(())
}

/// The type of a device's part along the manual axes.
fn local(
    sharding: &ShardySharding,
    mesh: &Mesh,
    manual: &[String],
    outer: &ValueType,
) -> Check<ValueType> {
    let ValueType::Tensor(tensor) = outer else {
        return Ok(outer.clone());
    };
    let mut tensor = tensor.clone();
    for (i, (size, dim)) in tensor.dims.iter_mut().zip(&sharding.dims).enumerate() {
        let is_manual = |name: &String| manual.contains(name);
        let first = dim.axes.iter().take_while(|axis| is_manual(&axis.name));
        if let Some(late) = dim
            .axes
            .iter()
            .skip(first.clone().count())
            .find(|axis| is_manual(&axis.name))
        {
            return violated(format!(
                "the manual axis {late} comes behind a free one in dimension {i}"
            ));
        }
        let parts = first.map(|axis| {
            let whole = mesh.axes.iter().find(|known| known.0 == axis.name);
            let whole = whole.map_or(1, |known| known.1);
            axis.sub_axis.map_or(whole, |(_, size)| size)
        });
        let parts = parts.fold(1i64, i64::saturating_mul);
        if let Dim::Static(n) = size {
            if *n % parts != 0 {
                return violated(format!(
                    "the size {n} of dimension {i} is no multiple of {parts}, the devices along its manual axes"
                ));
            }
            *size = Dim::Static(*n / parts);
        }
    }
    Ok(ValueType::Tensor(tensor))
}

/// `sdy.named_computation`: the region has the types of the operation.
pub(super) fn named_computation(op: Op<'_>) -> Check {
    for border in borders(op)? {
        let what = border.what;
        if border.outer != border.inner {
            return violated(format!("its region has {what}s of other types than it has"));
        }
        if let Some(list) = read_list(op, border.shardings)? {
            of_types(op, what, &list, &border.outer)?;
        }
    }
    Ok(())
}
