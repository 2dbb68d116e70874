//! Constraints and result types of batch normalization.

use crate::typing::check::*;
use mapwright_mlir::{Dim, Op, TensorType};

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
    let scale = crate::typing::check::operand(op, 1)?;
    for i in 2..4 {
        same_shape(
            "c4",
            &format!("operands #1 and #{i}"),
            &scale,
            &crate::typing::check::operand(op, i)?,
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
