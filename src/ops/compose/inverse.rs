//! The inverse of a map: from an element to the indices that lead to it.

use mapwright_indexing::{
    Constraint, Expr, ExprKind, IndexingMap, Interval, Op, Variable, c, d, rt, s,
};

/// Inverse of a map as a relation: the dimensions of the inverse are over the elements of an index
/// space of `sizes` (after the replica, where `map` has one). A result that is a sum with a
/// variable by itself is solved for it, what is left becomes a constraint.
pub fn inverse(map: &IndexingMap, sizes: &[i64]) -> IndexingMap {
    if map.unknown_reason().is_some() {
        return map.clone();
    }
    let replica = map.dims().first().filter(|v| v.name == "replica");
    let rank = map.results().len();
    if map.is_known_empty() || rank != sizes.len() + usize::from(replica.is_some()) {
        return IndexingMap::known_empty(rank, map.dims().len());
    }
    let dims: Vec<Variable> = replica
        .cloned()
        .into_iter()
        .chain(crate::query::variables(sizes))
        .collect();
    // The variables as ranges behind one another: dimensions, ranges. A solved one has an
    // expression over the others.
    let old: Vec<Variable> = map.dims().iter().chain(map.ranges()).cloned().collect();
    let place = |kind: &ExprKind| match kind {
        ExprKind::Dim(k) => s(*k),
        ExprKind::Range(k) => s(map.dims().len() + k),
        ExprKind::Runtime(k) => rt(*k),
        _ => c(0),
    };
    let mut solved: Vec<Option<Expr>> = vec![None; old.len()];
    let mut constraints = Vec::new();
    for (k, expr) in map.results().iter().enumerate() {
        let expr = substitute(&expr.replace(place), &solved);
        match solvable(&expr, &solved) {
            Some((var, factor, rest)) => {
                let numerator = (d(k) - rest) * factor.signum();
                let value = match factor.abs() {
                    1 => numerator,
                    n => {
                        constraints.push(Constraint {
                            expr: numerator.clone().modulo(n),
                            interval: Interval::point(0),
                        });
                        numerator.floor_div(n)
                    }
                };
                for other in solved.iter_mut().flatten() {
                    *other = replace_range(other, var, &value);
                }
                solved[var] = Some(value);
            }
            None => constraints.push(Constraint {
                expr: expr - d(k),
                interval: Interval::point(0),
            }),
        }
    }
    for (value, variable) in solved.iter().zip(&old) {
        if let Some(value) = value {
            constraints.push(Constraint {
                expr: value.clone(),
                interval: variable.interval,
            });
        }
    }
    for constraint in map.constraints() {
        constraints.push(Constraint {
            expr: constraint.expr.replace(place),
            interval: constraint.interval,
        });
    }
    // What is left is numbered anew.
    let left: Vec<usize> = (0..old.len()).filter(|k| solved[*k].is_none()).collect();
    let renumbered = |expr: &Expr| {
        substitute(expr, &solved).replace(|kind| match kind {
            ExprKind::Range(k) => s(left.iter().position(|l| l == k).unwrap_or(0)),
            ExprKind::Dim(k) => d(*k),
            ExprKind::Runtime(k) => rt(*k),
            _ => c(0),
        })
    };
    let mut found = IndexingMap::new(dims, (0..map.dims().len()).map(s).collect());
    found.edit(|m| {
        m.constraints = constraints;
        m.runtime = map.runtime().to_vec();
        m.exact = map.is_exact();
    });
    found.map_expressions(&renumbered);
    found.set_ranges(
        left.iter()
            .map(|k| Variable::new(old[*k].interval))
            .collect(),
    );
    found.map_indices(|expr| renumbered(&expr.replace(place)));
    found.simplify()
}

fn substitute(expr: &Expr, solved: &[Option<Expr>]) -> Expr {
    expr.replace(|kind| match kind {
        ExprKind::Range(k) => solved[*k].clone().unwrap_or_else(|| s(*k)),
        ExprKind::Dim(k) => d(*k),
        ExprKind::Runtime(k) => rt(*k),
        _ => c(0),
    })
}

fn replace_range(expr: &Expr, var: usize, value: &Expr) -> Expr {
    expr.replace(|kind| match kind {
        ExprKind::Range(k) if *k == var => value.clone(),
        ExprKind::Range(k) => s(*k),
        ExprKind::Dim(k) => d(*k),
        ExprKind::Runtime(k) => rt(*k),
        _ => c(0),
    })
}

/// Takes `factor * variable + rest` apart, with a variable that is not solved and does not occur in
/// the rest; one with a factor of 1 or -1 if there is one.
fn solvable(expr: &Expr, solved: &[Option<Expr>]) -> Option<(usize, i64, Expr)> {
    let mut terms = Vec::new();
    addends(expr, 1, &mut terms);
    let mut order: Vec<usize> = (0..terms.len()).collect();
    order.sort_by_key(|at| terms[*at].0.unsigned_abs() != 1);
    for at in order {
        let (factor, term) = &terms[at];
        let ExprKind::Range(var) = term.kind() else {
            continue;
        };
        if matches!(*factor, 0 | i64::MIN) || solved[*var].is_some() {
            continue;
        }
        let others = || terms.iter().enumerate().filter(|(k, _)| *k != at);
        let mut again = false;
        for (_, (_, other)) in others() {
            other.for_each_variable(|kind| again |= *kind == ExprKind::Range(*var));
        }
        if again {
            continue;
        }
        let rest = others().fold(c(0), |sum, (_, (factor, term))| {
            sum + term.clone() * *factor
        });
        return Some((*var, *factor, rest));
    }
    None
}

fn addends(expr: &Expr, factor: i64, found: &mut Vec<(i64, Expr)>) {
    match expr.kind() {
        ExprKind::Binary(Op::Add, a, b) => {
            addends(a, factor, found);
            addends(b, factor, found);
        }
        ExprKind::Binary(Op::Mul, a, b) => {
            match b.as_constant().and_then(|n| n.checked_mul(factor)) {
                Some(factor) => addends(a, factor, found),
                None => found.push((factor, expr.clone())),
            }
        }
        _ => found.push((factor, expr.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_pairs_are_the_same() {
        for (text, sizes) in [
            (
                "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 4]",
                &[5, 4][..],
            ),
            (
                "(d0)[s0] -> (d0 * 2 + s0 - 1), domain: d0 in [0, 3], s0 in [0, 2], d0 * 2 + s0 in [1, 7]",
                &[7],
            ),
            ("(d0) -> (d0 * 3), domain: d0 in [0, 3]", &[10]),
            (
                "(d0, d1)[s0] -> (s0, 2), domain: d0 in [0, 1], d1 in [0, 2], s0 in [1, 3]",
                &[4, 4],
            ),
            (
                "(d0) -> (d0 floordiv 3, d0 mod 3), domain: d0 in [0, 10]",
                &[4, 3],
            ),
            (
                "(d0, d1) -> (-d0 + 5, d0 + d1), domain: d0 in [0, 3], d1 in [0, 2]",
                &[6, 6],
            ),
            (
                "(d0)[s0, s1] -> (s0 + s1, s1), domain: d0 in [0, 1], s0 in [0, 2], s1 in [0, 2]",
                &[5, 3],
            ),
            (
                "(d0)[s0] -> (d0 * 6 + s0 * -4 + 8), domain: d0 in [0, 3], s0 in [0, 2]",
                &[27],
            ),
            ("() -> (2), domain: ", &[3]),
        ] {
            let Ok(map) = text.trim_end_matches(", domain: ").parse::<IndexingMap>() else {
                panic!("{text}");
            };
            let found = inverse(&map, sizes);
            let pairs = |map: &IndexingMap, swap: bool| {
                let mut all = BTreeSet::new();
                map.for_each_point(|dims, _, _, out| {
                    let pair = (dims.to_vec(), out.to_vec());
                    all.insert(if swap { (pair.1, pair.0) } else { pair });
                    true
                });
                all
            };
            assert_eq!(pairs(&found, true), pairs(&map, false), "{text}; {found}");
        }
    }
}
