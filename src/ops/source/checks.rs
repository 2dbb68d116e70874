//! Constraints and result types of constants, iotas, random numbers and process numbers.

use crate::typing::{check::*, results::sizes};
use mapwright_mlir::{Dim, ElementType, Op, attr};

/// `iota`.
pub fn iota(op: Op<'_>) -> Check<Inferred> {
    let result = result(op, 0)?;
    let dimension = required_int(op, "iota_dimension")?;
    ensure!(
        result.rank() > 0,
        "",
        "the result must have a dimension to count along"
    );
    in_rank("c1", "iota_dimension", &[dimension], result.rank())?;
    one(result.element, result.dims)
}

/// `dynamic_iota`.
pub fn dynamic_iota(op: Op<'_>) -> Check<Inferred> {
    let (shape, result) = (operand(op, 0)?, result(op, 0)?);
    let dimension = required_int(op, "iota_dimension")?;
    in_rank("c1", "iota_dimension", &[dimension], result.rank())?;
    ensure!(
        shape.rank() == 1 && sizes_agree(shape.dims[0], Dim::Static(result.rank() as i64)),
        "c2",
        "'output_shape' must have {} values, has the shape {}",
        result.rank(),
        shape_text(&shape.dims)
    );
    shape_operand("c2", op, 0, result.rank())?;
    one(
        result.element,
        agree_with("c2", "output_shape", sizes(op, 0)?, result.dims)?,
    )
}

/// `constant`: the value's type is the result's.
pub fn constant(op: Op<'_>) -> Check<Inferred> {
    let result = result(op, 0)?;
    if let Some(value) = op.attribute("value").and_then(attr::tensor_type) {
        // A quantized constant has a value of the storage type.
        let element = match &result.element {
            ElementType::Quantized(q) if !value.element.is_quantized() => &q.storage,
            other => other,
        };
        ensure!(
            value.dims == result.dims && same_baseline(&value.element, element),
            "c1",
            "the value has the type {value}, the result {result}"
        );
        // Elements that stand elsewhere in the source: as many as the type says.
        if let Some(bytes) = op.attribute("value").and_then(attr::resource)
            && let (Some(count), Some(width)) = (value.num_elements(), value.element.byte_width())
        {
            ensure!(
                i128::from(count) * width as i128 == bytes.len() as i128,
                "c1",
                "the value has {} bytes, its type {value} takes {}",
                bytes.len(),
                i128::from(count) * width as i128
            );
        }
    }
    one(result.element, result.dims)
}

/// `rng`.
pub fn rng(op: Op<'_>) -> Check<Inferred> {
    let (a, b, shape) = (operand(op, 0)?, operand(op, 1)?, operand(op, 2)?);
    same_element("c1", "a and b", &a, &b)?;
    for (label, name, ty) in [("i1", "a", &a), ("i2", "b", &b)] {
        ensure!(
            ty.rank() == 0,
            label,
            "'{name}' must be 0-dimensional, is {ty}"
        );
    }
    ensure!(
        shape.rank() == 1,
        "i3",
        "'shape' must be 1-dimensional, is {shape}"
    );
    let normal = op
        .text("rng_distribution")
        .is_some_and(|text| text.contains("NORMAL"));
    ensure!(
        !normal || a.element.is_float(),
        "c2",
        "a normal distribution needs floating-point parameters, has {}",
        a.element
    );
    let result = result(op, 0)?;
    if let Some(rank) = shape.dims[0].fixed() {
        ensure!(
            rank == result.rank() as i64,
            "c3",
            "'shape' has {rank} values, the result rank {}",
            result.rank()
        );
    }
    let dims = match constant_ints(op.operand(2)) {
        Some(sizes) => sizes.into_iter().map(Dim::Static).collect(),
        None => result.dims,
    };
    one(a.element, dims)
}

/// `rng_bit_generator`: the state keeps its type.
pub fn rng_bit_generator(op: Op<'_>) -> Check<Inferred> {
    let (state, output_state, output) = (operand(op, 0)?, result(op, 0)?, result(op, 1)?);
    ensure!(
        state.element == output_state.element && shapes_agree(&state.dims, &output_state.dims),
        "c1",
        "the state must keep its type {state}, becomes {output_state}"
    );
    let words = match (&state.element, state.dims.as_slice()) {
        (ElementType::Int { width: 64, .. }, [size]) => size.fixed().map(|n| 2 * n),
        (ElementType::Int { width: 32, .. }, [size]) => size.fixed(),
        _ => None,
    };
    let algorithm = op.text("rng_algorithm").unwrap_or_default();
    let fits = match words {
        Some(n) if algorithm.contains("THREE_FRY") => n == 4,
        Some(n) if algorithm.contains("PHILOX") => n == 4 || n == 6,
        _ => true,
    };
    ensure!(
        fits,
        "c2",
        "the state {state} has not the size that the algorithm {algorithm} needs"
    );
    many(vec![state, output])
}

/// `partition_id`, `replica_id`.
pub fn device_id(op: Op<'_>) -> Check<Inferred> {
    let _ = op;
    one(ElementType::uint(32), Vec::new())
}
