//! Operations that only MHLO has: fusions, copies, bitcasts.

use super::check::*;
use crate::elementwise::checks::convert;
use mapwright_mlir::{Op, TensorType, ValueType};

/// `fusion`: its body takes the first operands (older programs have bodies that take none, and use
/// the values around them), and returns the results.
pub fn fusion(op: Op<'_>) -> Check<Inferred> {
    let types: Vec<ValueType> = (0..op.num_operands()).map(|i| op.operand_type(i)).collect();
    let body = region(op, 0)?;
    let taken = types.get(..body.arguments.len());
    ensure!(
        taken.is_some_and(|taken| all_agree(taken, &body.arguments)),
        "",
        "the body must take operands, which are {}, takes {}",
        list(&types),
        list(&body.arguments)
    );
    Ok(Some(body.results))
}

/// `copy`, `domain`, `add_dependency`: the first operand.
pub fn first(op: Op<'_>) -> Check<Inferred> {
    ensure!(op.num_operands() > 0, "", "needs an operand");
    Ok(Some(vec![op.operand_type(0)]))
}

/// `stochastic_convert`: a conversion, with a random number of the operand's width for each
/// element.
pub fn stochastic_convert(op: Op<'_>) -> Check<Inferred> {
    let (operand, random) = (operand(op, 0)?, operand(op, 1)?);
    same_shape("", "operand and random numbers", &operand, &random)?;
    ensure!(
        operand.element.bit_width() == random.element.bit_width(),
        "",
        "the random numbers must be as wide as the elements of the operand, are {} for {}",
        random.element,
        operand.element
    );
    convert(op)
}

/// `bitcast`: the same bytes as another type.
pub fn bitcast(op: Op<'_>) -> Check<Inferred> {
    let (operand, result) = (operand(op, 0)?, result(op, 0)?);
    let bits = |ty: &TensorType| -> Option<i64> {
        let width = i64::from(ty.element.bit_width()?);
        let sizes = ty.static_shape()?;
        sizes.into_iter().try_fold(width, i64::checked_mul)
    };
    if let (Some(from), Some(to)) = (bits(&operand), bits(&result)) {
        ensure!(
            from == to,
            "",
            "operand and result must have as many bits, have {from} and {to}"
        );
    }
    many(vec![result])
}
