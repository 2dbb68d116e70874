//! Programs as frontends write them: what they mix into StableHLO is brought back to it.
//!
//! - [`asynchronous`]: computations that are started and waited for run where they are started;
//! - [`library`]: XLA's own library calls become LAPACK's;
//! - [`operands`]: operands get the shapes that their operations are defined for;
//! - [`operations`]: operations of CHLO and MHLO that travel as custom calls become these
//!   operations again;
//! - [`sdy`]: Shardy's operations, which are identities, are taken out;
//! - [`scalars`]: scalars, indices and shapes of upstream's dialects become tensors;
//! - [`signs`]: integers of a signed type become signless ones, which are StableHLO's signed
//!   integers;
//! - [`tuples`]: values that are tuples become their elements;
//! - [`unranked`]: tensors of unknown rank become those that they are cast from.
//!
//! Tensor arrays ([`crate::tarray`]) are rewritten first.
//!
//! Everything that reads a program for its meaning (maps, code generation, the interpreter) begins
//! with [`legalize`].

mod asynchronous;
mod library;
mod operands;
pub mod operations;
mod scalars;
pub mod sdy;
mod signs;
mod tuples;
mod unranked;

use crate::{rewrite::Result, tarray};
use mapwright_mlir::Op;

/// Rewrites everything inside `module`. Returns how many operations there were to rewrite.
///
/// # Errors
/// Operations that are not well-formed.
pub fn legalize<'c>(module: Op<'c>) -> Result<'c, usize> {
    legalize_with(module, tarray::Options::default())
}

/// [`legalize`], tensor arrays as the options say.
///
/// # Errors
/// Operations that are not well-formed.
pub fn legalize_with<'c>(module: Op<'c>, options: tarray::Options) -> Result<'c, usize> {
    // Its bodies may hold anything that is rewritten afterwards.
    let arrays = tarray::legalize_with(module, options)?;
    Ok(arrays + legalize_others(module)?)
}

/// As [`legalize`], and leaves operations on tensor arrays as they are, which have maps of their
/// own.
///
/// # Errors
/// Operations that are not well-formed.
pub fn legalize_others<'c>(module: Op<'c>) -> Result<'c, usize> {
    let calls = calls(module)?;
    let sdy = sdy::legalize(module)?;
    let scalars = scalars::legalize(module)?;
    Ok(calls + sdy + scalars)
}

/// Rewrites tuples, calls, operands and regions that compute an element from elements inside
/// `module`, and leaves operations of other dialects than StableHLO as they are elsewhere. Returns
/// how many operations there were to rewrite.
///
/// # Errors
/// Operations that are not well-formed.
pub fn legalize_calls<'c>(module: Op<'c>) -> Result<'c, usize> {
    Ok(calls(module)? + scalars::legalize_regions(module)?)
}

fn calls<'c>(module: Op<'c>) -> Result<'c, usize> {
    signs::legalize(module);
    let unranked = unranked::legalize(module)?;
    let started = asynchronous::legalize(module)?;
    let tuples = tuples::flatten(module)?;
    let library = library::legalize(module)?;
    let operations = operations::read_back(module)?;
    let operands = operands::legalize(module)?;
    Ok(unranked + started + tuples + library + operations + operands)
}
