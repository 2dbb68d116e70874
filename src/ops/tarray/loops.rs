//! Operations with a body: which elements an element of a result may be made of. What the body does
//! with an element is not looked at.

use super::anything;
use crate::attrs::{self, Order};
use crate::query::{Pieces, Query, nothing, over, variables};
use mapwright_indexing::{Expr, IndexingMap, Interval, d, s};
use mapwright_mlir::ValueType;

/// The first `front` dimensions of both are the same, and all of the others of the operand are
/// read.
fn element(out: &[i64], inp: &[i64], front: usize) -> IndexingMap {
    let mut list: Vec<Expr> = (0..front).map(d).collect();
    list.extend((0..inp.len() - front).map(s));
    let mut map = over(out, list);
    map.set_ranges(variables(&inp[front..]));
    // The body decides which of them.
    map.with_exact(inp.len() == front)
}

pub(super) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let (out, inp) = (q.result_sizes(result)?, q.operand_sizes(operand)?);
    let n = q.op.ints("operandSegmentSizes");
    let xs = n.and_then(|n| n.first().copied()).unwrap_or(0) as usize;
    let is_array = |i: usize| matches!(q.op.operand_type(i), ValueType::Array { .. });
    let of_array = is_array(0);
    let carried = q.num_operands().saturating_sub(xs);
    let outputs = q.num_results().saturating_sub(carried);
    match q.op.short_name() {
        "parallel_foreach" if operand < xs && result < outputs => Ok(vec![if of_array {
            element(&out, &inp, 1)
        } else {
            element(&out, &inp, inp.len())
        }]),
        // Sizes of shapes and elements of arrays, up to the one that is worked on.
        "foreach" if operand < xs && result < outputs => Ok(vec![up_to(&out, &inp, false)]),
        "scan" if operand < xs => {
            let backward = attrs::order(q.op)? == Some(Order::Backward);
            Ok(vec![up_to(&out, &inp, backward)])
        }
        "apply_along_axis" => {
            let k = usize::try_from(attrs::int(q.op, "dim")?).map_err(|_| "'dim' is negative")?;
            let mut list: Vec<Expr> = (0..out.len()).map(d).collect();
            list[k] = s(0);
            let mut map = over(&out, list);
            map.set_ranges(variables(&[inp[k]]));
            Ok(vec![map.with_exact(false)])
        }
        // Any element, and of it the place that is asked for.
        "filter" | "sortby" => {
            let list = [s(0)].into_iter().chain((1..out.len()).map(d)).collect();
            let mut map = over(&out, list);
            map.set_ranges(variables(&inp[..1]));
            Ok(vec![map.with_exact(false)])
        }
        "shape" => Ok(nothing(&out, &inp)),
        _ => Ok(vec![anything(q, result, operand)?]),
    }
}

/// Maps to all elements up to the one of the result, or from it on.
fn up_to(out: &[i64], inp: &[i64], backward: bool) -> IndexingMap {
    let mut map = over(out, (0..inp.len()).map(s).collect());
    map.set_ranges(variables(inp));
    let way = if backward { s(0) - d(0) } else { d(0) - s(0) };
    map.with_constraint(way, Interval::new(0, i64::from(u32::MAX)))
        .with_exact(false)
}
