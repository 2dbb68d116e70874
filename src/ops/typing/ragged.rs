//! `chlo.ragged_dot`.

use super::check::*;
use mapwright_mlir::{Op, text};

/// `ragged_dot`: one ragged dimension on the left; a group dimension on the right exactly where it is a free one.
pub fn ragged_dot(op: Op<'_>) -> Check<Inferred> {
    let (lhs, rhs, sizes) = (operand(op, 0)?, operand(op, 1)?, operand(op, 2)?);
    let Some(numbers) = op.text("ragged_dot_dimension_numbers") else {
        return violation("", "needs the attribute 'ragged_dot_dimension_numbers'");
    };
    let [
        lhs_batch,
        rhs_batch,
        lhs_contract,
        rhs_contract,
        ragged,
        group,
    ] = [
        "lhs_batching_dimensions",
        "rhs_batching_dimensions",
        "lhs_contracting_dimensions",
        "rhs_contracting_dimensions",
        "lhs_ragged_dimensions",
        "rhs_group_dimensions",
    ]
    .map(|name| text::integer_list(&numbers, name));
    ensure!(
        ragged.len() == 1,
        "",
        "lhs must have exactly one ragged dimension, has {}",
        ragged.len()
    );
    in_rank("", "lhs_ragged_dimensions", &ragged, lhs.rank())?;
    in_rank("", "rhs_group_dimensions", &group, rhs.rank())?;
    let both = |a: &[i64], b: &[i64]| a.iter().chain(b).copied().collect::<Vec<i64>>();
    let (of_lhs, of_rhs) = (
        both(&lhs_batch, &lhs_contract),
        both(&rhs_batch, &rhs_contract),
    );
    for (name, dims, rank) in [
        (
            "batching and contracting dimensions of lhs",
            &of_lhs,
            lhs.rank(),
        ),
        (
            "batching and contracting dimensions of rhs",
            &of_rhs,
            rhs.rank(),
        ),
    ] {
        unique("", name, dims)?;
        in_rank("", name, dims, rank)?;
    }
    let shared = of_lhs.contains(&ragged[0]);
    ensure!(
        !shared || group.is_empty(),
        "",
        "rhs must have no group dimension where the ragged one is a batching or contracting dimension, has {group:?}"
    );
    ensure!(
        shared || group.len() == 1,
        "",
        "rhs must have exactly one group dimension where the ragged one is neither batching nor contracting, has {}",
        group.len()
    );
    if let ([group], Some(count)) = (&group[..], sizes.dims.last()) {
        let slices = rhs.dims[*group as usize];
        ensure!(
            sizes_agree(slices, *count),
            "",
            "the group dimension has size {}, there are {} group sizes",
            shape_text(&[slices]),
            shape_text(&[*count])
        );
    }
    Ok(None)
}
