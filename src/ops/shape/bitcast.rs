//! Maps of `bitcast_convert` (bits reinterpreted, also between element sizes) and mhlo's `bitcast`
//! (bytes in memory reinterpreted, with layouts).

use super::reshape;
use crate::layout;
use crate::query::{Pieces, Query, identity, over, variable};
use mapwright_indexing::{IndexingMap, d, s};

/// Ratio of operand and result, told by their ranks: an element of one is `ratio` elements of the
/// other, in a last dimension of its own.
enum Ratio {
    Same,
    /// The operand has the additional dimension.
    OperandNarrower,
    /// The result has it.
    ResultNarrower,
}

fn ratio(q: &Query<'_>, operand: usize, result: usize) -> Result<Ratio, String> {
    let (inp, out) = (q.operand(operand)?.rank(), q.result(result)?.rank());
    if inp == out {
        Ok(Ratio::Same)
    } else if inp == out + 1 {
        Ok(Ratio::OperandNarrower)
    } else if out == inp + 1 {
        Ok(Ratio::ResultNarrower)
    } else {
        Err(format!(
            "an operand of rank {inp} and a result of rank {out}"
        ))
    }
}

/// The index space of `wide` with a range variable over the last dimension of `narrow`.
fn spread(wide: &[i64], narrow: &[i64]) -> IndexingMap {
    let mut map = over(wide, (0..wide.len()).map(d).collect());
    map.push_result(s(0));
    map.push_range(variable(narrow.last().copied().unwrap_or(1)));
    map
}

/// The index space of `narrow` without its last dimension.
fn gathered(narrow: &[i64]) -> IndexingMap {
    over(narrow, (0..narrow.len() - 1).map(d).collect())
}

pub(crate) fn convert_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let (inp, out) = (q.operand_sizes(operand)?, q.result_sizes(result)?);
    Ok(vec![match ratio(q, operand, result)? {
        Ratio::Same => identity(&out),
        Ratio::OperandNarrower => spread(&out, &inp),
        Ratio::ResultNarrower => gathered(&out),
    }])
}

pub(crate) fn convert_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let (inp, out) = (q.operand_sizes(operand)?, q.result_sizes(result)?);
    Ok(vec![match ratio(q, operand, result)? {
        Ratio::Same => identity(&inp),
        Ratio::OperandNarrower => gathered(&inp),
        Ratio::ResultNarrower => spread(&inp, &out),
    }])
}

/// From a tensor of one shape and layout to one of another over the same bytes: transpose to the
/// order in memory, reshape, transpose back.
fn reinterpret(
    from: &[i64],
    from_layout: &layout::Layout,
    to: &[i64],
    to_layout: &layout::Layout,
) -> Pieces {
    let physical = |sizes: &[i64], layout: &layout::Layout| -> Vec<i64> {
        layout.major_to_minor().map(|k| sizes[k]).collect()
    };
    let (a, b) = (physical(from, from_layout), physical(to, to_layout));
    let to_memory = over(from, from_layout.major_to_minor().map(d).collect());
    let reshaped = over(&a, reshape::index(&a, &b)?);
    let order: Vec<usize> = to_layout.major_to_minor().collect();
    let from_memory = over(&b, super::transpose::inverse(&order));
    let step = mapwright_indexing::compose(&to_memory, &reshaped);
    Ok(vec![mapwright_indexing::compose(&step, &from_memory)])
}

/// One tensor of a bitcast: its sizes, its layout, and the bits of an element.
type Side = (Vec<i64>, layout::Layout, i64);

/// From the indices of one side to those of the other: an element of the wider type is a row of the
/// narrower one.
fn between(from: &Side, to: &Side) -> Pieces {
    let ((from, from_layout, from_width), (to, to_layout, to_width)) = (from, to);
    let count = |sizes: &[i64]| sizes.iter().try_fold(1i64, |n, size| n.checked_mul(*size));
    let (Some(all), Some(others)) = (count(from), count(to)) else {
        return Err("a bitcast of more elements than can be counted".into());
    };
    let flat = layout::Layout::row_major(1);
    let rows = layout::Layout::row_major(2);
    let step = match from_width.cmp(to_width) {
        std::cmp::Ordering::Equal => return reinterpret(from, from_layout, to, to_layout),
        std::cmp::Ordering::Less => {
            let narrow = [others, to_width / from_width];
            let before = reinterpret(from, from_layout, &narrow, &rows)?;
            let after = reinterpret(&[others], &flat, to, to_layout)?;
            (before, gathered(&narrow), after)
        }
        std::cmp::Ordering::Greater => {
            let narrow = [all, from_width / to_width];
            let before = reinterpret(from, from_layout, &[all], &flat)?;
            let after = reinterpret(&narrow, &rows, to, to_layout)?;
            (before, spread(&[all], &narrow), after)
        }
    };
    let (before, step, after) = step;
    let first = before
        .into_iter()
        .map(|map| mapwright_indexing::compose(&map, &step));
    Ok(first
        .flat_map(|map| {
            after
                .iter()
                .map(move |next| mapwright_indexing::compose(&map, next))
        })
        .collect())
}

fn bitcast(q: &Query<'_>, operand: usize, result: usize, backward: bool) -> Pieces {
    let (inp, out) = (q.static_operand(operand)?, q.static_result(result)?);
    let width = |ty: &mapwright_mlir::TensorType| {
        let width = ty.element.bit_width().map(i64::from);
        width.ok_or_else(|| format!("elements of type {} have no width", ty.element))
    };
    let (from, to) = (width(q.operand(operand)?)?, width(q.result(result)?)?);
    if from % to != 0 && to % from != 0 {
        return Err(format!("a bitcast from {from} bits to {to}"));
    }
    let in_layout = layout::of_operand(q.op, operand, inp.len())?;
    let out_layout = layout::of_result(q.op, result, out.len())?;
    let (inp, out) = ((inp, in_layout, from), (out, out_layout, to));
    if backward {
        between(&out, &inp)
    } else {
        between(&inp, &out)
    }
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    bitcast(q, operand, result, true)
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    bitcast(q, operand, result, false)
}
