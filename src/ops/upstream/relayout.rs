//! Maps of `linalg.pack` and `linalg.unpack`: dimensions of a tensor are cut into tiles, and the
//! elements of tiles are dimensions behind all others, which are permuted.

use super::window::{Number, mixed};
use crate::attrs::{self, AttrError};
use crate::index_rule::{Found, Index, IndexQuery, Read, Reads, Tensor};
use mapwright_indexing::Interval;

/// Layout of a packed tensor.
struct Packing {
    /// For each outer dimension of the packed tensor, the one of the other tensor.
    outer: Vec<usize>,
    /// For each inner dimension of the packed tensor, the one of the other tensor that is cut, and
    /// the size of its tiles.
    tiles: Vec<(usize, Index)>,
    /// The first operand that is the size of a tile.
    first_size: usize,
}

impl Packing {
    /// Of an operation on a tensor of this rank, and a packed one of these sizes.
    fn decode(query: &mut IndexQuery<'_, '_>, rank: usize, packed: &[i64]) -> Found<Self> {
        let op = query.op;
        let cut = attrs::ints(op, "inner_dims_pos")?;
        let cut = attrs::axes("inner_dims_pos", &cut, rank)?;
        let order = attrs::ints_or_none(op, "outer_dims_perm")?.unwrap_or_default();
        let outer = if order.is_empty() {
            (0..rank).collect()
        } else {
            attrs::axes("outer_dims_perm", &order, rank)?
        };
        let mut operands = 0;
        let sizes = mixed(op, "static_inner_tiles", &mut operands)?;
        if outer.len() != rank || sizes.len() != cut.len() || packed.len() != rank + cut.len() {
            let problem = "does not fit to the ranks of the tensors";
            return Err(AttrError::new("inner_dims_pos", problem).into());
        }
        // Sizes are the last operands.
        let first_size = op.num_operands().saturating_sub(operands);
        let mut size = |(number, bound): (Number, &i64)| match number {
            Number::Known(size) => Ok(Index::Known(size)),
            Number::Operand(i) => {
                let within = Interval::new(1, *bound.max(&1));
                query.element(first_size + i, &[], within)
            }
        };
        let sizes = sizes.into_iter().zip(&packed[rank..]).map(&mut size);
        let sizes: Vec<Index> = sizes.collect::<Found<_>>()?;
        let tiles = cut.into_iter().zip(sizes).collect();
        Ok(Self {
            outer,
            tiles,
            first_size,
        })
    }
}

/// `linalg.pack`: what is beyond the end of the operand, in the last tiles, is padding. Without one
/// tiles divide.
pub(super) fn packed(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let rank = query.rank(0)?;
    let sizes = query.bounds(Tensor::Result)?;
    let packing = Packing::decode(query, rank, &sizes)?;
    let (outer, inner) = index.split_at(rank);
    let mut at = vec![Index::Known(0); rank];
    for (k, i) in packing.outer.iter().zip(outer) {
        at[*k] = *i;
    }
    for ((k, size), i) in packing.tiles.iter().zip(inner) {
        let start = query.mul(at[*k], *size)?;
        at[*k] = query.add(start, *i)?;
    }
    Ok(Reads {
        pieces: vec![Read::new(0, at)],
        elsewhere: (packing.first_size > 2).then(|| Read::new(2, Vec::new())),
    })
}

/// `linalg.unpack`.
pub(super) fn unpacked(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let sizes = query.bounds(Tensor::Operand(0))?;
    let packing = Packing::decode(query, index.len(), &sizes)?;
    let mut whole = index.to_vec();
    let mut inner = Vec::with_capacity(packing.tiles.len());
    for (k, size) in packing.tiles {
        inner.push(query.rem(index[k], size)?);
        whole[k] = query.div(index[k], size)?;
    }
    let outer = packing.outer.into_iter().map(|k| whole[k]);
    Ok(Reads::one(0, outer.chain(inner).collect()))
}
