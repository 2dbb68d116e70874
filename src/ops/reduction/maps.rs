//! Maps of `reduce`: a result element is made of all elements along the reduced dimensions of every
//! input, and of the initial values. The computation of a variadic reduction takes all inputs
//! together, so every result reads every input.

use crate::attrs;
use crate::query::{Pieces, Query, everything, over, variable};
use mapwright_indexing::{IndexingMap, d};

/// Elements are reduced one at a time. Older programs have reductions of slices, whose computation
/// may mix the elements of a slice.
pub(crate) fn of_elements(q: &Query<'_>) -> Result<(), String> {
    for i in q.num_operands() / 2..q.num_operands() {
        let sizes = q.operand_sizes(i)?;
        if sizes.iter().any(|size| *size != 1) {
            return Err(format!(
                "it reduces slices of the sizes {sizes:?}, and not single elements"
            ));
        }
    }
    Ok(())
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    of_elements(q)?;
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    if operand >= q.num_operands() / 2 {
        return Ok(vec![everything(&out, &inp)]);
    }
    let axes = attrs::dimensions(q.op, inp.len())?;
    if out.len() + axes.len() != inp.len() {
        return Err(
            "the rank of the result is not that of the operand without the reduced dimensions"
                .into(),
        );
    }
    let mut map = over(&out, vec![]);
    let mut kept = 0;
    for (k, size) in inp.iter().enumerate() {
        if axes.contains(&k) {
            let own = map.push_range(variable(*size));
            map.push_result(own);
        } else {
            map.push_result(d(kept));
            kept += 1;
        }
    }
    Ok(vec![map])
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    of_elements(q)?;
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    if operand >= q.num_operands() / 2 {
        return Ok(vec![everything(&inp, &out)]);
    }
    let axes = attrs::dimensions(q.op, inp.len())?;
    if out.len() + axes.len() != inp.len() {
        return Err(
            "the rank of the result is not that of the operand without the reduced dimensions"
                .into(),
        );
    }
    let kept = (0..inp.len())
        .filter(|k| !axes.contains(k))
        .map(d)
        .collect();
    let map: IndexingMap = over(&inp, kept);
    Ok(vec![map])
}
