//! Maps of sources.
//!
//! `constant` and `iota` have no operands. `rng` reads its two scalar parameters for every element; `rng_bit_generator`
//! turns the whole state into every element (which part an element really needs is the algorithm's affair, so these maps
//! are over-approximations). The shape operand of a dynamic form decides which elements exist, not their values: it is
//! read as a whole.

use crate::query::{Pieces, Query, everything, over};

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    Ok(vec![match q.op.short_name() {
        "rng" | "rng_uniform" | "rng_normal" if operand < 2 && inp.is_empty() => over(&out, vec![]),
        "rng_bit_generator" => everything(&out, &inp).with_exact(false),
        _ => everything(&out, &inp),
    }])
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    let map = everything(&inp, &out);
    Ok(vec![
        map.with_exact(q.op.short_name() != "rng_bit_generator"),
    ])
}
