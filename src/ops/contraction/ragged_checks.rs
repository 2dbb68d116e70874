//! `chlo.ragged_dot`.

use super::checks::precision;
use crate::attrs::{RaggedDotDimensions, RaggedMode};
use crate::typing::check::*;
use mapwright_mlir::{Dim, Op, TensorType};

/// `ragged_dot`: one ragged dimension on the left; a group dimension on the right exactly where it
/// is a free one. The group sizes are a vector, or one for each element of the dimensions that
/// [`RaggedDotDimensions::with_own_sizes`] names.
pub fn ragged_dot(op: Op<'_>) -> Check<Inferred> {
    let (lhs, rhs, sizes) = (operand(op, 0)?, operand(op, 1)?, operand(op, 2)?);
    let numbers = match RaggedDotDimensions::decode(op) {
        Ok(numbers) => numbers,
        Err(error) => return violation("", error.to_string()),
    };
    let (dot, ragged) = (&numbers.dot, numbers.lhs_ragged);
    let pairs = [
        ("batching", &dot.lhs_batching, &dot.rhs_batching),
        ("contracting", &dot.lhs_contracting, &dot.rhs_contracting),
    ];
    for (kind, left, right) in pairs {
        ensure!(
            left.len() == right.len(),
            "",
            "lhs and rhs must have as many {kind} dimensions, have {} and {}",
            left.len(),
            right.len()
        );
    }
    let group: Vec<i64> = numbers.rhs_group.into_iter().collect();
    let of_lhs = [dot.lhs_batching.clone(), dot.lhs_contracting.clone()].concat();
    let of_rhs = [
        dot.rhs_batching.clone(),
        dot.rhs_contracting.clone(),
        group.clone(),
    ]
    .concat();
    in_rank("", "lhs_ragged_dimensions", &[ragged], lhs.rank())?;
    in_rank("", "rhs_group_dimensions", &group, rhs.rank())?;
    let name = "batching and contracting dimensions of lhs";
    unique("", name, &of_lhs)?;
    in_rank("", name, &of_lhs, lhs.rank())?;
    let name = "batching, contracting and group dimensions of rhs";
    unique("", name, &of_rhs)?;
    in_rank("", name, &of_rhs, rhs.rank())?;
    for (kind, left, right) in pairs {
        for (l, r) in left.iter().zip(right) {
            let (left, right) = (lhs.dims[*l as usize], rhs.dims[*r as usize]);
            ensure!(
                sizes_agree(left, right),
                "",
                "{kind} dimensions must have the same size, dimension {l} of lhs has {}, dimension {r} of rhs {}",
                shape_text(&[left]),
                shape_text(&[right])
            );
        }
    }
    let mode = numbers.mode();
    match mode {
        RaggedMode::Free => ensure!(
            group.len() == 1,
            "",
            "rhs must have exactly one group dimension where the ragged one is neither batching nor contracting, has {}",
            group.len()
        ),
        _ => ensure!(
            group.is_empty(),
            "",
            "rhs must have no group dimension where the ragged one is a batching or contracting dimension, has {group:?}"
        ),
    }
    ensure!(
        sizes.element.is_int(),
        "",
        "group sizes must be integers, are {}",
        sizes.element
    );
    let Some((count, prefix)) = sizes.dims.split_last() else {
        return violation("", "group sizes must be a vector, or several, are a scalar");
    };
    let of: Vec<Dim> = numbers
        .with_own_sizes(lhs.rank())
        .iter()
        .map(|d| lhs.dims[*d as usize])
        .collect();
    ensure!(
        prefix.is_empty() || shapes_agree(prefix, &of),
        "",
        "group sizes must be one vector, or a vector for each of {} elements of lhs, are {sizes}",
        shape_text(&of)
    );
    if let [group] = group[..] {
        let slices = rhs.dims[group as usize];
        ensure!(
            sizes_agree(slices, *count),
            "",
            "the group dimension has size {}, there are {} group sizes",
            shape_text(&[slices]),
            shape_text(&[*count])
        );
    }
    same_element("", "lhs and rhs", &lhs, &rhs)?;
    precision("", op)?;
    let free = |ty: &TensorType, used: &[i64]| -> Vec<Dim> {
        (0..ty.rank())
            .filter(|d| !used.contains(&(*d as i64)))
            .map(|d| ty.dims[d])
            .collect()
    };
    let mut dims = match mode {
        RaggedMode::Contracting => vec![*count],
        _ => Vec::new(),
    };
    dims.extend(
        dot.lhs_batching
            .iter()
            .zip(&dot.rhs_batching)
            .map(|(l, r)| merge_sizes(lhs.dims[*l as usize], rhs.dims[*r as usize])),
    );
    dims.extend(free(&lhs, &of_lhs));
    dims.extend(free(&rhs, &of_rhs));
    one(result(op, 0)?.element, dims)
}
