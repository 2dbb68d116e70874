//! What a region costs with its lanes along one dimension or another, in vector operations: an
//! estimate that plans are compared by.

use super::analysis::{Access, Analysis};
use super::inner;
use super::plan::Inner;
use super::plan::Plan;
use mapwright_indexing::{
    Extent,
    linear::{Sum, VarId},
};

/// Vector operations that put the lanes of an accumulator together.
const ROW_END: f64 = 8.0;
/// A vector of elements that are far from each other, at most.
const GATHER: f64 = 12.0;

/// Relative cost of reading with the lanes along `lane`.
fn access_cost(
    analysis: &Analysis<'_>,
    access: &Access,
    (lane, lanes): (VarId, i64),
    inner: Option<&Inner>,
) -> f64 {
    if !analysis.runtime.depends_on(&access.offset, lane) {
        return 0.05;
    }
    let coefficient = access.offset.coefficient(lane).map(Extent::when_large);
    let together = |s: i64| inner.is_some_and(|inner| inner.count == s);
    if let Some(cost) = coefficient.and_then(|s| inner::strided_cost(s, together(s))) {
        return cost;
    }
    match coefficient {
        Some(0) => 16.0,
        Some(1) => 1.0,
        Some(-1) => 1.3,
        // No more than what the elements cost one by one.
        Some(_) => GATHER.min(0.75 * lanes as f64),
        None => 6.0,
    }
}

/// Cost in vector operations with the root sweep's lanes along `lane`, or with a scalar root sweep.
pub(super) fn cost(
    analysis: &Analysis<'_>,
    lane: Option<VarId>,
    lanes: i64,
    inner: Option<&Inner>,
) -> f64 {
    let size = |var: VarId| Plan::length(analysis, var) as f64;
    let product = |vars: &[VarId]| vars.iter().map(|v| size(*v)).product::<f64>();
    let mut total = 0.0;
    for sweep in 0..analysis.work.len() {
        let (own, index): (Vec<VarId>, &[Sum]) = match sweep {
            0 => (analysis.root_vars.clone(), &[]),
            i => {
                let instance = &analysis.instances[i - 1];
                let mut vars = Vec::new();
                for x in &instance.index {
                    x.variables(&mut vars);
                }
                vars.extend(&instance.vars);
                (vars, &instance.index)
            }
        };
        let along = match sweep {
            0 => lane,
            i => {
                let on_lane =
                    lane.filter(|lane| index.iter().any(|x| analysis.runtime.depends_on(x, *lane)));
                on_lane.or(analysis.instances[i - 1].vars.last().copied())
            }
        };
        let mut each = analysis.work[sweep];
        for access in analysis.accesses.iter().filter(|a| a.sweep == sweep) {
            each += along.map_or(1.0, |lane| {
                access_cost(analysis, access, (lane, lanes), inner)
            });
        }
        if let (0, Some(inner)) = (sweep, inner) {
            each += inner::shuffles(inner.count) as f64;
        }
        let elements = product(&own);
        if sweep > 0 && along != lane {
            // The lanes of an accumulator are put together once, behind all loops of the reduction.
            total += elements / product(&analysis.instances[sweep - 1].vars) * ROW_END;
        }
        total += match along {
            // The vectors of a short dimension are partly empty.
            Some(along) => {
                let vectors = (size(along) / lanes as f64).ceil() / size(along);
                elements * vectors * each
            }
            None => elements * each,
        };
    }
    total
}
