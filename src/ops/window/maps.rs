//! Maps of `reduce_window` and `select_and_scatter`.
//!
//! `reduce_window` reduces, for every window, the elements under it and the initial values.
//! `select_and_scatter` finds in every window of the operand the element that the comparison
//! selects and adds the window's source element there. An element of its result is therefore
//! decided by all operand elements of all windows over it, and made of those of their source
//! elements that fell to it: which these are depends on values, so the maps of the source are
//! over-approximations.

use super::relation::{elements, windows};
use crate::attrs::Window;
use crate::query::{Pieces, Query, everything, over};
use crate::reduction::maps::of_elements;
use mapwright_indexing::{Expr, IndexingMap, d};

fn rank_check(a: usize, b: usize) -> Result<(), String> {
    if a == b {
        Ok(())
    } else {
        Err(format!("tensors of ranks {a} and {b}"))
    }
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    of_elements(q)?;
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    if operand >= q.num_operands() / 2 {
        return Ok(vec![everything(&out, &inp)]);
    }
    rank_check(inp.len(), out.len())?;
    let window = Window::reduce_window(q.op, inp.len())?;
    Ok(vec![each(over(&out, vec![]), inp.len(), |k, map| {
        elements(&window, k, d(k), inp[k], map)
    })])
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    of_elements(q)?;
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    if operand >= q.num_operands() / 2 {
        return Ok(vec![everything(&inp, &out)]);
    }
    rank_check(inp.len(), out.len())?;
    let window = Window::reduce_window(q.op, inp.len())?;
    Ok(vec![each(over(&inp, vec![]), inp.len(), |k, map| {
        windows(&window, k, d(k), out[k], map)
    })])
}

/// One result expression for every dimension.
fn each(
    mut map: IndexingMap,
    rank: usize,
    mut f: impl FnMut(usize, &mut IndexingMap) -> Expr,
) -> IndexingMap {
    for k in 0..rank {
        let index = f(k, &mut map);
        map.push_result(index);
    }
    map
}

/// The window, and the sizes of operand and source.
fn scatter(q: &Query<'_>) -> Result<(Window, Vec<i64>, Vec<i64>), String> {
    let (inp, source) = (q.operand_sizes(0)?, q.operand_sizes(1)?);
    rank_check(inp.len(), source.len())?;
    Ok((Window::select_and_scatter(q.op, inp.len())?, inp, source))
}

/// From an element of the operand (or the result, which has its shape) to all elements that share a
/// window with it.
fn neighbours(window: &Window, inp: &[i64], source: &[i64]) -> IndexingMap {
    each(over(inp, vec![]), inp.len(), |k, map| {
        let at = windows(window, k, d(k), source[k], map);
        elements(window, k, at, inp[k], map)
    })
}

pub(crate) fn scatter_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let (window, inp, source) = scatter(q)?;
    let out = q.result_sizes(result)?;
    rank_check(inp.len(), out.len())?;
    Ok(vec![match operand {
        // How many windows there are is known at run time only if a size is.
        0 => neighbours(&window, &inp, &source).with_exact(q.is_static()),
        1 => each(over(&inp, vec![]), inp.len(), |k, map| {
            windows(&window, k, d(k), source[k], map)
        })
        .with_exact(false),
        _ => over(&out, vec![]),
    }])
}

pub(crate) fn scatter_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let (window, inp, source) = scatter(q)?;
    let out = q.result_sizes(result)?;
    rank_check(inp.len(), out.len())?;
    Ok(vec![match operand {
        0 => neighbours(&window, &inp, &source).with_exact(q.is_static()),
        1 => each(over(&source, vec![]), inp.len(), |k, map| {
            elements(&window, k, d(k), inp[k], map)
        })
        .with_exact(false),
        _ => everything(&[], &out),
    }])
}
