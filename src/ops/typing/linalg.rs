//! Linear algebra, Fourier transforms, batch normalisation and random numbers.

use super::{check::*, results::sizes};
use mapwright_mlir::{Dim, ElementType, FloatKind, Op, TensorType};

/// `cholesky`.
pub fn cholesky(op: Op<'_>) -> Check<Inferred> {
    let a = operand(op, 0)?;
    let rank = a.rank();
    ensure!(rank >= 2, "c2", "needs a matrix, has rank {rank}");
    ensure!(
        sizes_agree(a.dims[rank - 2], a.dims[rank - 1]),
        "c3",
        "the last two dimensions must be the same, are {}",
        shape_text(&a.dims[rank - 2..])
    );
    one(a.element, a.dims)
}

/// `triangular_solve`.
pub fn triangular_solve(op: Op<'_>) -> Check<Inferred> {
    let (a, b) = (operand(op, 0)?, operand(op, 1)?);
    same_element("c1", "a and b", &a, &b)?;
    let rank = a.rank();
    ensure!(
        rank == b.rank() && rank >= 2,
        "c2",
        "a and b must have the same rank, at least 2; have {rank} and {}",
        b.rank()
    );
    ensure!(
        sizes_agree(a.dims[rank - 2], a.dims[rank - 1]),
        "c3",
        "the last two dimensions of a must be the same, are {}",
        shape_text(&a.dims[rank - 2..])
    );
    let left = op.boolean("left_side").unwrap_or(true);
    let side = if left { rank - 2 } else { rank - 1 };
    ensure!(
        shapes_agree(&a.dims[..rank - 2], &b.dims[..rank - 2])
            && sizes_agree(a.dims[rank - 1], b.dims[side]),
        "c3",
        "a {} and b {} must have the same batch dimensions, and b the size of a along dimension {side}",
        shape_text(&a.dims),
        shape_text(&b.dims)
    );
    let transpose = op.text("transpose_a").unwrap_or_default();
    ensure!(
        !transpose.contains("INVALID"),
        "",
        "'transpose_a' must be NO_TRANSPOSE, TRANSPOSE or ADJOINT"
    );
    one(b.element, b.dims)
}

/// `fft`.
pub fn fft(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    let lengths = required_ints(op, "fft_length")?;
    let count = lengths.len();
    ensure!(
        (1..=3).contains(&count),
        "c3",
        "'fft_length' must have 1 to 3 values, has {count}"
    );
    ensure!(
        operand.rank() >= count,
        "c1",
        "the operand's rank {} must be at least the number of lengths {count}",
        operand.rank()
    );
    for length in &lengths {
        ensure!(
            *length >= 0,
            "c4",
            "'fft_length' has the negative value {length}"
        );
    }
    let kind = op.text("fft_type").unwrap_or_default();
    let is = |name: &str| {
        kind.split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| word == name)
    };
    let tail = operand.rank() - count;
    let agree = |upto: usize| -> Check {
        for (i, length) in lengths.iter().enumerate().take(upto) {
            ensure!(
                sizes_agree(operand.dims[tail + i], Dim::Static(*length)),
                "c4",
                "dimension {} of the operand must have the length {length}, has {}",
                tail + i,
                shape_text(&operand.dims[tail + i..=tail + i])
            );
        }
        Ok(())
    };
    let half = |n: i64| if n == 0 { 0 } else { n / 2 + 1 };
    let last = operand.rank() - 1;
    let element = match (&operand.element, is("RFFT"), is("IRFFT")) {
        (ElementType::Float(real @ (FloatKind::F32 | FloatKind::F64)), true, _) => {
            agree(count)?;
            ElementType::Complex(*real)
        }
        (ElementType::Complex(real), _, true) => {
            agree(count - 1)?;
            ensure!(
                sizes_agree(operand.dims[last], Dim::Static(half(lengths[count - 1]))),
                "c5",
                "the last dimension of the operand must have size {}, has {}",
                half(lengths[count - 1]),
                shape_text(&operand.dims[last..])
            );
            ElementType::Float(*real)
        }
        (ElementType::Complex(real), false, false) => {
            agree(count)?;
            ElementType::Complex(*real)
        }
        (other, ..) => {
            return violation(
                "c2",
                format!("{kind} does not take elements of type {other}"),
            );
        }
    };
    one(element, sizes(op, 0)?)
}

fn feature(op: Op<'_>, operand: &TensorType) -> Check<Dim> {
    let index = required_int(op, "feature_index")?;
    in_rank("c1", "feature_index", &[index], operand.rank())?;
    Ok(operand.dims[index as usize])
}

fn vectors(op: Op<'_>, range: std::ops::Range<usize>, labels: &[&'static str], size: Dim) -> Check {
    for (i, label) in range.zip(labels) {
        let vector = operand(op, i)?;
        ensure!(
            vector.rank() == 1 && sizes_agree(vector.dims[0], size),
            label,
            "operand #{i} must have the size {} of the feature dimension, has {}",
            shape_text(&[size]),
            shape_text(&vector.dims)
        );
        same_element(
            "c2",
            &format!("operands #0 and #{i}"),
            &operand(op, 0)?,
            &vector,
        )?;
    }
    Ok(())
}

/// `batch_norm_inference`.
pub fn batch_norm_inference(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    let size = feature(op, &operand)?;
    vectors(op, 1..5, &["c3", "c4", "c5", "c6"], size)?;
    one(operand.element, operand.dims)
}

/// `batch_norm_training`.
pub fn batch_norm_training(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    let size = feature(op, &operand)?;
    vectors(op, 1..3, &["c3", "c4"], size)?;
    let vector = TensorType {
        element: operand.element.clone(),
        dims: vec![size],
    };
    many(vec![operand, vector.clone(), vector])
}

/// `batch_norm_grad`.
pub fn batch_norm_grad(op: Op<'_>) -> Check<Inferred> {
    let (operand, gradient) = (operand(op, 0)?, operand(op, 4)?);
    let size = feature(op, &operand)?;
    let scale = super::check::operand(op, 1)?;
    for i in 2..4 {
        same_shape(
            "c4",
            &format!("operands #1 and #{i}"),
            &scale,
            &super::check::operand(op, i)?,
        )?;
    }
    vectors(op, 1..4, &["c5", "c5", "c5"], size)?;
    same_element("c2", "operand and grad_output", &operand, &gradient)?;
    same_shape("c3", "operand and grad_output", &operand, &gradient)?;
    let vector = TensorType {
        element: operand.element.clone(),
        dims: vec![size],
    };
    many(vec![operand, vector.clone(), vector])
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
