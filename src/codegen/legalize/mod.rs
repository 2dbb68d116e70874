//! Operations rewritten as simpler ones before fusion: what is defined by a formula over other operations.

use crate::inline::{self, Located};
use mapwright_mlir::{Blk, Builder};

/// Rewrites everything in `block`, also in regions.
///
/// # Errors
/// An operation whose attributes cannot be read.
pub fn run<'c>(b: &Builder<'c>, block: Blk<'c>) -> Result<(), Located<'c>> {
    inline::flatten_tuples(b, block);
    Ok(())
}
