//! Maps of sources.
//!
//! `constant` and `iota` have no operands. `rng` reads its two scalar parameters for every element;
//! the numbers of `rng_bit_generator`, and its next state, are a function of the whole state. The
//! shape operand of a dynamic form decides which elements exist, not their values: it is read as a
//! whole.

use crate::query::{Pieces, Query, everything, over};

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    Ok(vec![match q.op.short_name() {
        "rng" | "rng_uniform" | "rng_normal" if operand < 2 && inp.is_empty() => over(&out, vec![]),
        _ => everything(&out, &inp),
    }])
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    Ok(vec![everything(&inp, &out)])
}
