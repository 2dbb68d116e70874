//! Arrays made of tensors, and back.

use super::*;

/// The tensors that an array is made of: the buffer of its leaves, and the offsets of each level,
/// from the outermost. There is room for as many as the maxima allow, and behind a level without
/// one for what is there. `None` where they are more than 64 bits count, and for other types.
pub fn parts(ty: &ValueType) -> Option<Vec<TensorType>> {
    let mut types = Vec::new();
    let mut room = Some(1i64);
    let mut at = ty;
    let sized = |room: Option<i64>, more| room.map_or(Dim::Dynamic, |n| Dim::Static(n + more));
    while let ValueType::Array { element, max } = at {
        types.push(TensorType {
            element: ElementType::int(64),
            dims: vec![sized(room, 1)],
        });
        room = match room.filter(|_| *max != UNBOUNDED) {
            Some(room) => Some(room.checked_mul(*max).filter(|n| *n < i64::MAX)?),
            None => None,
        };
        at = element;
    }
    let mut buffer = at.tensor().filter(|_| !types.is_empty())?.clone();
    buffer.dims.insert(0, sized(room, 0));
    types.insert(0, buffer);
    Some(types)
}

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
    let mut ty = tensor_type(element, shape.get(1..).unwrap_or_default());
    for max in levels.iter().rev() {
        ensure!(*max >= -1, "", "the maximum length {max} is negative");
        ty = array_type(ty, if *max == -1 { UNBOUNDED } else { *max })?;
    }
    let Some(parts) = parts(&ty) else {
        return violation("", "has more elements than 64 bits can count");
    };
    for (i, (wanted, max)) in parts[1..].iter().zip(&levels).enumerate() {
        let i = i + 1;
        let (offset, sizes) = tensor(op, i)?;
        let lists = match wanted.dims[0].fixed() {
            Some(n) => format!("at most {} lists", n - 1),
            None => "lists".to_string(),
        };
        ensure!(
            offset == wanted.element && sizes == wanted.dims,
            "",
            "operand #{i} must be a {wanted}, the offsets of {lists}, is {}",
            op.operand_type(i)
        );
        if let Some(known) = constants(op.operand(i)) {
            ensure!(
                known[0] == 0 && known.windows(2).all(|pair| pair[0] <= pair[1]),
                "",
                "operand #{i} must hold offsets that begin with 0 and do not decrease, holds {known:?}"
            );
            ensure!(
                *max == -1 || known.windows(2).all(|pair| pair[1] - pair[0] <= *max),
                "",
                "operand #{i} has a list that is longer than the maximum {max}: {known:?}"
            );
        }
    }
    let room = parts[0].dims[0];
    ensure!(
        shape.first() == Some(&room),
        "",
        "operand #0 must have room for {} leaves along its first dimension, is {}",
        room.fixed()
            .map_or("any number of".to_string(), |n| n.to_string()),
        op.operand_type(0)
    );
    gives(ty)
}

/// `to_offsets`: the inverse.
pub(crate) fn to_offsets(op: Op<'_>) -> Check<Inferred> {
    array(op, 0)?;
    match parts(&op.operand_type(0)) {
        Some(parts) => Ok(Some(parts.into_iter().map(ValueType::Tensor).collect())),
        None => violation(
            "",
            format!(
                "operand #0 has leaves that are no tensors, or more of them than 64 bits can count: {}",
                op.operand_type(0)
            ),
        ),
    }
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
