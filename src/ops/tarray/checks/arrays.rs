//! Arrays made of tensors, and back.

use super::*;

/// `from_offsets`: a buffer with room for all leaves, and a vector of offsets for each level.
pub(crate) fn from_offsets(op: Op<'_>) -> Check<Inferred> {
    let (element, shape) = tensor(op, 0)?;
    let levels = required_ints(op, "max")?;
    ensure!(
        !levels.is_empty() && levels.len() + 1 == op.num_operands(),
        "",
        "needs a vector of offsets for each of the {} levels, has {}",
        levels.len(),
        op.num_operands() - 1
    );
    let mut room = 1i64;
    for (level, max) in levels.iter().enumerate() {
        ensure!(*max >= 0, "", "the maximum length {max} is negative");
        let i = level + 1;
        let (offset, sizes) = tensor(op, i)?;
        let wanted = room.saturating_add(1);
        ensure!(
            offset == ElementType::int(64) && sizes == [Dim::Static(wanted)],
            "",
            "operand #{i} must be a tensor<{wanted}xi64>, the offsets of at most {room} lists, is {}",
            op.operand_type(i)
        );
        if let Some(known) = constants(op.operand(i)) {
            ensure!(
                known[0] == 0 && known.windows(2).all(|pair| pair[0] <= pair[1]),
                "",
                "operand #{i} must hold offsets that begin with 0 and do not decrease, holds {known:?}"
            );
            ensure!(
                known.windows(2).all(|pair| pair[1] - pair[0] <= *max),
                "",
                "operand #{i} has a list that is longer than the maximum {max}: {known:?}"
            );
        }
        room = match room.checked_mul(*max) {
            Some(room) => room,
            None => return violation("", "has more elements than 64 bits can count"),
        };
    }
    ensure!(
        shape.first() == Some(&Dim::Static(room)),
        "",
        "operand #0 must have room for {room} leaves along its first dimension, is {}",
        op.operand_type(0)
    );
    let mut ty = tensor_type(element, &shape[1..]);
    for max in levels.iter().rev() {
        ty = array_type(ty, *max)?;
    }
    gives(ty)
}

/// `to_offsets`: the inverse.
pub(crate) fn to_offsets(op: Op<'_>) -> Check<Inferred> {
    let (mut element, mut max) = array(op, 0)?;
    let mut room = Some(1i64);
    let mut types = Vec::new();
    let size = |room: Option<i64>, more| room.map_or(Dim::Dynamic, |n| Dim::Static(n + more));
    let leaf = loop {
        types.push(tensor_type(ElementType::int(64), &[size(room, 1)]));
        // Without a maximum there is what is there.
        room = room.and_then(|room| (max != UNBOUNDED).then(|| room.saturating_mul(max)));
        match element {
            ValueType::Array {
                element: inner,
                max: greatest,
            } => {
                element = *inner;
                max = greatest;
            }
            ValueType::Tensor(ty) => break ty,
            other => return violation("", format!("has leaves of the type {other}")),
        }
    };
    let mut shape = leaf.dims;
    shape.insert(0, size(room, 0));
    types.insert(0, tensor_type(leaf.element, &shape));
    Ok(Some(types))
}

/// The attribute `max`, where it is there: of a size that is known it would say nothing.
pub(super) fn declared(op: Op<'_>, size: Dim, d: usize) -> Check<Option<i64>> {
    if op.attribute("max").is_none() {
        return Ok(None);
    }
    if let Some(size) = size.fixed() {
        return violation(
            "",
            format!("has 'max', but dimension {d} has the size {size}"),
        );
    }
    max(op).map(Some)
}

/// `slices(X, dim)`.
pub(crate) fn slices(op: Op<'_>) -> Check<Inferred> {
    let (element, shape) = tensor(op, 0)?;
    let d = dim(op, "dim", shape.len())?;
    let most = most(shape[d], declared(op, shape[d], d)?);
    gives(array_type(tensor_type(element, &without(&shape, d)), most)?)
}

/// `chunks(X, n, dim)`.
pub(crate) fn chunks(op: Op<'_>) -> Check<Inferred> {
    let (element, shape) = tensor(op, 0)?;
    let d = dim(op, "dim", shape.len())?;
    let n = required_int(op, "n")?;
    ensure!(
        n > 0 && shape[d].fixed().is_none_or(|size| size % n == 0),
        "",
        "cannot be cut into {n} equal parts along dimension {d} of size {}",
        size_text(shape[d])
    );
    let part = computed(&[shape[d]], |size| Some(size[0] / n))?;
    gives(array_type(
        tensor_type(element, &replaced(&shape, d, part)),
        n,
    )?)
}

/// `stack`.
pub(crate) fn stack(op: Op<'_>) -> Check<Inferred> {
    let (element, mut shape, max) = primary(op, 0)?;
    let d = dim(op, "dim", shape.len() + 1)?;
    let size = match op.num_operands() {
        1 => Dim::Dynamic,
        _ => {
            scalar_of(op, 1, &element)?;
            Dim::Static(bounded(max)?)
        }
    };
    shape.insert(d, size);
    gives(tensor_type(element, &shape))
}

/// `concatenate`.
pub(crate) fn concatenate(op: Op<'_>) -> Check<Inferred> {
    let (element, shape, max) = primary(op, 0)?;
    let d = dim(op, "dim", shape.len())?;
    scalar_of(op, 1, &element)?;
    let max = bounded(max)?;
    let all = computed(&[shape[d]], |size| size[0].checked_mul(max))?;
    gives(tensor_type(element, &replaced(&shape, d, all)))
}

/// `zip`: all of the length of the shortest.
pub(crate) fn zip(op: Op<'_>) -> Check<Inferred> {
    ensure!(op.num_operands() > 0, "", "needs an operand");
    let all = (0..op.num_operands())
        .map(|i| array(op, i))
        .collect::<Check<Vec<_>>>()?;
    let max = all.iter().map(|(_, max)| *max).min().unwrap_or(0);
    all.into_iter()
        .map(|(element, _)| array_type(element, max))
        .collect::<Check<Vec<_>>>()
        .map(Some)
}
