//! One step after another: composition with what composing alone does not know, replicas and
//! runtime variables that are the same.

use mapwright_indexing::{
    Expr, ExprKind, IndexingMap, Interval, RuntimeVariable, Variable, compose, d, rt, s,
};

/// Operations of a composed map, at most. Moves whose sizes do not divide each other double the map
/// with every few steps; beyond this nobody reads it, and simplifying the next one takes longer
/// than all before it.
const LARGEST: usize = 4096;

/// Number of replicas, if the map is over `(replica, index…)`.
pub(super) fn replicas(map: &IndexingMap) -> Option<i64> {
    map.dims()
        .first()
        .filter(|v| v.name == "replica")
        .map(|v| v.interval.upper.saturating_add(1))
}

/// First `map`, then `step`, simplified; where one of them is over replicas, the other is put into
/// every replica.
pub(super) fn chain(map: &IndexingMap, step: &IndexingMap) -> IndexingMap {
    if !map.is_known() || !step.is_known() {
        return compose(map, step);
    }
    let composed = match (replicas(map), replicas(step)) {
        (None, Some(n)) => compose(&lift(map, n), step),
        (Some(n), None) => compose(map, &lift(step, n)),
        _ => compose(map, step),
    }
    .simplify();
    if composed.operation_count() > LARGEST {
        return IndexingMap::unknown(format!(
            "the composed map has more than {LARGEST} operations"
        ));
    }
    if composed.runtime().len() > 1 {
        unify(composed)
    } else {
        composed
    }
}

/// Runtime variables that are the same element of the same value are one variable.
fn unify(map: IndexingMap) -> IndexingMap {
    let same = |a: &RuntimeVariable, b: &RuntimeVariable| {
        a.origin.value == b.origin.value
            && a.clamp() == b.clamp()
            && match (&a.origin.index, &b.origin.index) {
                (None, None) => true,
                (Some(a), Some(b)) => a.is_known() && b.is_known() && a.results() == b.results(),
                _ => false,
            }
    };
    // An index that is read at a place which depends on runtime variables would have to be
    // renumbered too.
    let nested = map.runtime().iter().any(|v| {
        v.origin
            .index
            .as_ref()
            .is_some_and(|index| !index.runtime().is_empty())
    });
    let first: Vec<usize> = map
        .runtime()
        .iter()
        .enumerate()
        .map(|(i, v)| {
            map.runtime()[..i]
                .iter()
                .position(|other| same(other, v))
                .unwrap_or(i)
        })
        .collect();
    if nested
        || first.iter().enumerate().all(|(i, f)| i == *f)
        || map.runtime().iter().any(|v| v.origin.value.is_empty())
    {
        return map;
    }
    let kept: Vec<usize> = (0..first.len()).filter(|i| first[*i] == *i).collect();
    let position: Vec<usize> = first
        .iter()
        .map(|f| kept.iter().position(|k| k == f).unwrap_or(0))
        .collect();
    let renumber = |expr: &Expr| {
        expr.replace(|kind| match kind {
            ExprKind::Dim(k) => d(*k),
            ExprKind::Range(k) => s(*k),
            ExprKind::Runtime(k) => rt(position[*k]),
            _ => d(0),
        })
    };
    let mut unified = map.clone();
    unified.map_expressions(renumber);
    let unique = kept
        .iter()
        .map(|k| {
            let mut variable = map.runtime()[*k].clone();
            let clamp = variable.clamp();
            for (_, other) in map
                .runtime()
                .iter()
                .enumerate()
                .filter(|(i, _)| first[*i] == *k)
            {
                variable.interval = variable.interval.intersect(other.interval);
            }
            variable.origin.clamp = (variable.interval != clamp).then_some(clamp);
            variable
        })
        .collect();
    unified.edit(|m| m.runtime = unique);
    unified.simplify()
}

/// Returns the map within every replica: one more dimension in front counts the replicas.
fn lift(map: &IndexingMap, replicas: i64) -> IndexingMap {
    let shift = |expr: &Expr| {
        expr.replace(|kind| match kind {
            ExprKind::Dim(k) => d(k + 1),
            ExprKind::Range(k) => s(*k),
            ExprKind::Runtime(k) => rt(*k),
            _ => d(0),
        })
    };
    let mut lifted = map.clone();
    lifted.map_expressions(shift);
    lifted.edit(|m| {
        m.dims
            .insert(0, Variable::named("replica", Interval::of_size(replicas)));
        m.results.insert(0, d(0));
        for variable in &mut m.runtime {
            if let Some(index) = variable.origin.index.take() {
                variable.origin.index = Some(Box::new(lift(&index, replicas)));
            }
        }
    });
    lifted
}

/// Any replica, where nothing better is known.
pub(super) fn lift_any(map: &IndexingMap, replicas: i64) -> IndexingMap {
    let mut lifted = lift(map, replicas);
    let any = lifted.push_range(Variable::new(Interval::of_size(replicas)));
    lifted.edit(|m| m.results[0] = any);
    lifted
}
