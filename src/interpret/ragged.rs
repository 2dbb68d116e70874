//! `chlo.ragged_dot`, straight from its definition: a sum of products for each element of the
//! result, over what belongs to its group.

use crate::{
    Error, Machine, Result,
    contract::{Sum, axes},
    result,
    value::{Tensor, indices},
};
use mapwright_mlir::Op;
use mapwright_ops::attrs::{RaggedDotDimensions, RaggedMode};

/// The dimensions of an operand, by what they are.
struct Side {
    batch: Vec<usize>,
    contracting: Vec<usize>,
    free: Vec<usize>,
}

impl Side {
    fn new(rank: usize, batch: &[i64], contracting: &[i64], group: Option<i64>) -> Result<Self> {
        let (batch, contracting) = (axes(batch, rank)?, axes(contracting, rank)?);
        let used =
            |d: &usize| batch.contains(d) || contracting.contains(d) || group == Some(*d as i64);
        Ok(Self {
            free: (0..rank).filter(|d| !used(d)).collect(),
            batch,
            contracting,
        })
    }

    /// The index with these parts.
    fn at(&self, rank: usize, batch: &[i64], contracting: &[i64], free: &[i64]) -> Vec<i64> {
        let mut index = vec![0; rank];
        for (dims, values) in [
            (&self.batch, batch),
            (&self.contracting, contracting),
            (&self.free, free),
        ] {
            for (d, value) in dims.iter().zip(values) {
                index[*d] = *value;
            }
        }
        index
    }
}

/// The group of the element of lhs at `index`: the first one that ends behind it.
fn group(
    dims: &RaggedDotDimensions,
    own: &[i64],
    sizes: &Tensor,
    index: &[i64],
) -> Result<Option<i64>> {
    let count = sizes.shape.last().copied().unwrap_or(0);
    let mut place: Vec<i64> = match sizes.rank() {
        1 => Vec::new(),
        _ => own.iter().map(|d| index[*d as usize]).collect(),
    };
    place.push(0);
    let last = place.len() - 1;
    let ragged = i128::from(index[dims.lhs_ragged as usize]);
    let mut end = 0;
    for g in 0..count {
        place[last] = g;
        end += sizes.at(&place)?.int()?;
        if ragged < end {
            return Ok(Some(g));
        }
    }
    Ok(None)
}

/// The result of `op`.
pub(crate) fn ragged_dot<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    inputs: &[Tensor],
) -> Result<Tensor> {
    let [lhs, rhs, sizes] = inputs else {
        return Err(Error::plain("needs three operands"));
    };
    let element = result(op, 0)?.element;
    let dims = RaggedDotDimensions::decode(op)?;
    let mode = dims.mode();
    let dot = &dims.dot;
    let left = Side::new(lhs.rank(), &dot.lhs_batching, &dot.lhs_contracting, None)?;
    let right = Side::new(
        rhs.rank(),
        &dot.rhs_batching,
        &dot.rhs_contracting,
        dims.rhs_group,
    )?;
    axes(&[dims.lhs_ragged], lhs.rank())?;
    let own = dims.with_own_sizes(lhs.rank());
    let of = |t: &Tensor, d: &[usize]| -> Vec<i64> { d.iter().map(|d| t.shape[*d]).collect() };
    let (batch, contracted) = (of(lhs, &left.batch), of(lhs, &left.contracting));
    if batch != of(rhs, &right.batch) || contracted != of(rhs, &right.contracting) {
        return Err(Error::plain("operands whose sizes do not match"));
    }
    let (rows, columns) = (of(lhs, &left.free), of(rhs, &right.free));
    let mut shape = [batch.clone(), rows.clone(), columns].concat();
    if mode == RaggedMode::Contracting {
        shape.insert(0, sizes.shape.last().copied().unwrap_or(0));
    }
    Tensor::build(&element, &shape, |index| {
        let (of_group, index) = match mode {
            RaggedMode::Contracting => (Some(index[0]), &index[1..]),
            _ => (None, index),
        };
        let (b, rest) = index.split_at(batch.len());
        let (row, column) = rest.split_at(rows.len());
        let mut sum = Sum::new(&element);
        for k in indices(&contracted) {
            let at = left.at(lhs.rank(), b, &k, row);
            let mut beside = right.at(rhs.rank(), b, &k, column);
            let counts = match mode {
                RaggedMode::Batching => true,
                RaggedMode::Contracting => group(&dims, &own, sizes, &at)? == of_group,
                RaggedMode::Free => match (group(&dims, &own, sizes, &at)?, dims.rhs_group) {
                    (Some(group), Some(d)) => {
                        beside[d as usize] = group;
                        true
                    }
                    _ => false,
                },
            };
            if counts {
                let factors = (lhs.at(&at)?, rhs.at(&beside)?);
                sum.add((&lhs.element, &rhs.element), factors.0, factors.1)?;
            }
        }
        Ok(sum.finish(machine))
    })
}
