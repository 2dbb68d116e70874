//! `shape`: the shapes of tensors as values. A shape is a vector of `i64`, an extent a scalar.

use super::{Rewriter, dense_of, known_integer};
use mapwright_mlir::{ElementType, Op, TensorType, Val, attr, melior::ir::ValueLike, op};

pub(super) fn rewrite<'c>(to: &Rewriter<'c>) -> Option<Val<'c>> {
    let int = ElementType::int(64);
    match to.op.short_name() {
        "const_shape" => {
            let shape = to.op.attribute("shape")?;
            let shape = dense_of(shape).unwrap_or(shape);
            let sizes: Vec<Val<'c>> = attr::ints(shape)?
                .iter()
                .map(|n| to.number(&n.to_string(), &int))
                .collect();
            typed(to, to.vector(&sizes, &int))
        }
        "const_size" => Some(to.number(&to.op.int("value")?.to_string(), &int)),
        "shape_of" => typed(to, to.sizes(to.operand(0)?)?),
        // Between a size and an index, and between the types of shapes, there is no difference
        // here.
        "index_to_size" | "size_to_index" | "value_as_shape" | "to_extent_tensor" => {
            typed(to, to.operand(0)?)
        }
        "dim" => {
            let d = usize::try_from(known_integer(to.operand(1)?)?).ok()?;
            to.size(to.operand(0)?, d)
        }
        "rank" => {
            let ty = TensorType::from_mlir(to.operand(0)?.r#type())?;
            // Of a shape, which is a vector, it is the length.
            let rank = ty.dims.first()?.fixed()?;
            Some(to.number(&rank.to_string(), &int))
        }
        "get_extent" => extent(to, to.operand(0)?, to.operand(1)?),
        "from_extents" => typed(to, to.vector(&to.operands()?, &int)),
        "num_elements" => {
            let shape = to.operand(0)?;
            let extents = extents(to, shape)?;
            let one = to.number("1", &int);
            Some(extents.into_iter().fold(one, |product, n| {
                to.same("stablehlo.multiply", &[product, n])
            }))
        }
        "concat" => {
            let mut all = extents(to, to.operand(0)?)?;
            all.extend(extents(to, to.operand(1)?)?);
            typed(to, to.vector(&all, &int))
        }
        "add" | "div" | "mul" | "max" | "min" => {
            let name = match to.op.short_name() {
                "add" => "stablehlo.add",
                "div" => "stablehlo.divide",
                "mul" => "stablehlo.multiply",
                "max" => "stablehlo.maximum",
                _ => "stablehlo.minimum",
            };
            Some(to.same(name, &[to.operand(0)?, to.operand(1)?]))
        }
        "broadcast" => broadcast(to),
        _ => None,
    }
}

/// The value, if it has the type of the result, or that type is a shape of unknown rank, which then
/// becomes the value's.
fn typed<'c>(to: &Rewriter<'c>, value: Val<'c>) -> Option<Val<'c>> {
    let ty = to.ty();
    let Some(wanted) = TensorType::from_mlir(ty) else {
        return Some(value);
    };
    if value.r#type() == ty {
        return Some(value);
    }
    let is = TensorType::from_mlir(value.r#type())?;
    // A vector of unknown length takes any.
    (wanted.rank() == 1 && is.rank() == 1 && wanted.dims[0].fixed().is_none()).then_some(value)
}

/// The extents of a shape of known rank, each a scalar.
fn extents<'c>(to: &Rewriter<'c>, shape: Val<'c>) -> Option<Vec<Val<'c>>> {
    let int = ElementType::int(64);
    let ty = TensorType::from_mlir(shape.r#type())?;
    if ty.rank() != 1 || ty.element != int {
        return None;
    }
    let rank = ty.dims[0].fixed()?;
    (0..rank)
        .map(|d| extent(to, shape, to.number(&d.to_string(), &int)))
        .collect()
}

/// One extent of a shape.
fn extent<'c>(to: &Rewriter<'c>, shape: Val<'c>, index: Val<'c>) -> Option<Val<'c>> {
    let int = ElementType::int(64);
    // Extents that were put together are found again.
    if let (Some(i), Some((source, _))) = (known_integer(index), op::defining_op(shape))
        && let Some(scalar) = piece(source, i)
    {
        return Some(to.reshape(scalar, to.tensor(&int, &[])));
    }
    let found = to.b.slice_at(shape, &[index], &[1]);
    Some(to.reshape(found, to.tensor(&int, &[])))
}

/// Operand `i` of a concatenation of vectors of one element.
fn piece<'c>(source: Op<'c>, i: i64) -> Option<Val<'c>> {
    let i = usize::try_from(i).ok()?;
    if !source.is_hlo("concatenate") || i >= source.num_operands() {
        return None;
    }
    let single = |value: &Val<'c>| {
        TensorType::from_mlir(value.r#type()).and_then(|ty| ty.static_shape()) == Some(vec![1])
    };
    source
        .operands()
        .iter()
        .all(single)
        .then(|| source.operand(i))
}

/// The shape that shapes are broadcast to: from the last extent on, of two the one that is not 1.
fn broadcast<'c>(to: &Rewriter<'c>) -> Option<Val<'c>> {
    let int = ElementType::int(64);
    let one = to.number("1", &int);
    let mut found: Vec<Val<'c>> = Vec::new();
    for shape in to.operands()? {
        let mut next = extents(to, shape)?;
        while next.len() < found.len() {
            next.insert(0, one);
        }
        while found.len() < next.len() {
            found.insert(0, one);
        }
        found = found
            .into_iter()
            .zip(next)
            .map(|(a, b)| {
                let is_one = super::arith::compare(to, "EQ", "SIGNED", a, one);
                to.b.choose(is_one, b, a)
            })
            .collect();
    }
    typed(to, to.vector(&found, &int))
}
