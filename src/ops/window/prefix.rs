//! Prefix reductions: windows over all elements up to one, along one dimension.

use crate::{query::Query, registry};
use mapwright_indexing::linear::{Facts, Sum};
use mapwright_indexing::{ExprKind, IndexingMap, Interval};
use mapwright_mlir::Op;

/// Along which dimension `op` is a prefix reduction of its first operand, and whether it goes from
/// the end.
pub fn of_op(op: Op<'_>) -> Option<(usize, bool)> {
    let query = Query::own(op);
    let def = registry::lookup(op)?;
    let maps = (def.output_to_input)(&query, 0, 0).ok()?;
    let [map] = &maps[..] else { return None };
    of_map(map, &query.static_operand(0).ok()?)
}

/// Prefix of the map of a window over an operand of sizes `shape`.
pub fn of_map(map: &IndexingMap, shape: &[i64]) -> Option<(usize, bool)> {
    let [range] = map.ranges() else {
        return None;
    };
    let rank = map.dims().len();
    let variables = map.dims().iter().chain([range]);
    let facts = Facts {
        vars: variables.map(|v| Facts::range_of(v.interval)).collect(),
        values: Vec::new(),
    };
    let variable = |kind: &ExprKind| match kind {
        ExprKind::Dim(i) => Some(Sum::var(*i)),
        ExprKind::Range(0) => Some(Sum::var(rank)),
        _ => None,
    };
    let index = map.results().iter();
    let index: Vec<Sum> = index
        .map(|expr| Sum::of_expr(expr, &facts, &variable))
        .collect::<Option<_>>()?;
    let axis = index.iter().position(|x| x.depends_on(rank))?;
    let n = *shape.get(axis)?;
    let whole = |k: usize| map.dims()[k].interval == Interval::of_size(shape[k]);
    let plain = |k: usize| k == axis || index[k] == Sum::var(k);
    if range.interval != Interval::of_size(n) || !(0..rank).all(|k| whole(k) && plain(k)) {
        return None;
    }
    // How far the element at the beginning of the window is from that of the result.
    let own = Sum::var(axis).plus(&Sum::var(rank));
    match index[axis].minus(&own).as_number()? {
        0 if n > 1 => Some((axis, true)),
        back if back == 1 - n && n > 1 => Some((axis, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapwright_indexing::{Expr, Variable, c, d, s};

    #[test]
    fn prefixes_are_found_by_their_maps() {
        let window = |offset: Expr, of: i64| {
            let index = d(1) + s(0) + offset;
            let mut map = IndexingMap::from_dims(&[3, 7], [d(0), index.clone()]);
            map.push_range(Variable::of_size(of));
            of_map(&map.with_constraint(index, Interval::of_size(7)), &[3, 7])
        };
        assert_eq!(window(c(-6), 7), Some((1, false)));
        assert_eq!(window(c(0), 7), Some((1, true)));
        assert_eq!(window(c(-5), 7), None);
        assert_eq!(window(c(-5), 6), None);
        assert_eq!(window(c(-6), 6), None);
        // One window over all, not one an element.
        let mut all = IndexingMap::from_dims(&[1], [d(0) + s(0)]);
        all.push_range(Variable::of_size(2));
        assert_eq!(of_map(&all, &[2]), None);
    }
}
