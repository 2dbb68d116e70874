//! `rng_bit_generator`.

use crate::{Result, value::Tensor};
use mapwright_mlir::Op;

/// The results of `op`, if it is of this family.
pub(crate) fn execute(_op: Op<'_>, _name: &str, _inputs: &[Tensor]) -> Result<Option<Vec<Tensor>>> {
    Ok(None)
}
