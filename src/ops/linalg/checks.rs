//! Linear algebra, Fourier transforms, batch normalisation and random numbers.

use crate::typing::{check::*, results::sizes};
use mapwright_mlir::{Dim, ElementType, FloatKind, Op};

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
