//! Runtime variables that are read inside of a region or a callee, seen from outside.
//!
//! Their labels are those of the values inside. An argument is the value that is handed in; what an
//! iteration of a loop knows as a number is that number; any other value gets a label that says
//! where it is. Where nobody can say which value it is, as in an iteration of a loop of unknown
//! length, it can be any: the map becomes an over-approximation.

use crate::fold;
use mapwright_indexing::{
    Constraint, Expr, ExprKind, IndexingMap, Interval, RuntimeVariable, c, d, rt, s,
};
use mapwright_mlir::{Blk, Val, op};
use std::cell::OnceCell;
use std::collections::HashMap;

/// Value inside, as it is seen from outside.
pub(crate) enum Seen {
    /// The value of this label. It may be told where a run-time size is asked for.
    Label(String),
    /// A number, or an expression over the variables of the map.
    Value(Expr),
    /// Any value that it can be.
    Any,
}

/// The values of a block by their labels.
pub(crate) struct Scope<'c> {
    block: Blk<'c>,
    values: OnceCell<HashMap<String, Val<'c>>>,
}

/// `get_dimension_size(%x, 0)`, `%1 in region 0 of %x`: the label `%x`, which is one of the scope,
/// and the parts around it.
fn parts(label: &str) -> (&str, &str, &str) {
    const SIZE: &str = "get_dimension_size(";
    let end = if label.starts_with(SIZE) {
        label.rfind(", ").unwrap_or(label.len())
    } else {
        label.len()
    };
    let (own, behind) = label.split_at(end);
    let start = [" of ", " in "]
        .into_iter()
        .filter_map(|word| own.rfind(word).map(|at| at + word.len()))
        .max()
        .unwrap_or(if own.starts_with(SIZE) { SIZE.len() } else { 0 });
    let (before, name) = own.split_at(start);
    (before, name, behind)
}

impl<'c> Scope<'c> {
    /// The scope of a block. Labels are made when they are needed.
    pub fn new(block: Blk<'c>) -> Self {
        Self {
            block,
            values: OnceCell::new(),
        }
    }

    fn values(&self) -> &HashMap<String, Val<'c>> {
        self.values.get_or_init(|| {
            let mut all = op::arguments(self.block);
            all.extend(op::ops(self.block).into_iter().flat_map(|o| o.results()));
            op::labels(&all).into_iter().zip(all).collect()
        })
    }

    /// The value of this block that a runtime variable is read from.
    fn value(&self, variable: &RuntimeVariable) -> Option<Val<'c>> {
        let (_, label, _) = parts(&variable.origin.value);
        self.values().get(label).copied()
    }

    /// The map as pieces, seen from outside. `see` is asked about values of this block, `other`
    /// renames labels of values that are not in it.
    pub fn lift(
        &self,
        map: IndexingMap,
        see: &dyn Fn(Val<'c>, &[Expr], &IndexingMap) -> Seen,
        other: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<IndexingMap> {
        let (mut pending, mut done) = (vec![(map, 0)], Vec::new());
        while let Some((mut map, at)) = pending.pop() {
            let Some(variable) = map.runtime().get(at) else {
                done.push(map);
                continue;
            };
            let (before, label, behind) = parts(&variable.origin.value);
            let Some(value) = self.value(variable) else {
                if let Some(new) = other(label) {
                    let new = format!("{before}{new}{behind}");
                    map.edit(|m| m.runtime[at].origin.value = new);
                }
                pending.push((map, at + 1));
                continue;
            };
            let index = match &variable.origin.index {
                Some(index) if index.is_known() => index.results().to_vec(),
                _ => Vec::new(),
            };
            match see(value, &index, &map) {
                Seen::Label(new) => {
                    let new = format!("{before}{new}{behind}");
                    map.edit(|m| m.runtime[at].origin.value = new);
                    pending.push((map, at + 1));
                }
                // A size is not the value.
                Seen::Value(_) if !before.is_empty() => pending.push((any(map, at), at)),
                Seen::Value(value) => {
                    let (clamp, interval) = (variable.clamp(), variable.interval);
                    for (value, mut map) in fold::clamped(&value, clamp, &map) {
                        if interval != clamp {
                            map.push_constraint(Constraint {
                                expr: value.clone(),
                                interval,
                            });
                        }
                        pending.push((without(map, at, &value), at));
                    }
                }
                Seen::Any => pending.push((any(map, at), at)),
            }
        }
        done.reverse();
        done
    }
}

/// The map where a runtime variable can have any value.
fn any(mut map: IndexingMap, at: usize) -> IndexingMap {
    let value = map.push_range(map.runtime()[at].interval);
    map.set_exact(false);
    without(map, at, &value)
}

/// The map with a value for a runtime variable.
pub(super) fn without(mut map: IndexingMap, at: usize, value: &Expr) -> IndexingMap {
    let replaced = |expr: &Expr| {
        expr.replace(|kind| match kind {
            // The value is over the variables of the map as it is.
            ExprKind::Runtime(k) if *k == at => value.clone(),
            ExprKind::Runtime(k) => rt(*k),
            ExprKind::Dim(k) => d(*k),
            ExprKind::Range(k) => s(*k),
            _ => c(0),
        })
    };
    let renumbered = |expr: &Expr| {
        replaced(expr).replace(|kind| match kind {
            ExprKind::Runtime(k) => rt(if *k > at { k - 1 } else { *k }),
            ExprKind::Dim(k) => d(*k),
            ExprKind::Range(k) => s(*k),
            _ => c(0),
        })
    };
    map.map_expressions(renumbered);
    map.edit(|m| m.runtime.remove(at));
    map.map_indices(renumbered);
    map
}

/// A range variable over the numbers of iterations.
pub(super) fn iterations(map: &mut IndexingMap, count: i64) -> Expr {
    map.push_range(Interval::of_size(count))
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn labels_in_scopes() {
        for (label, expected) in [
            ("%x", ("", "%x", "")),
            ("%0#1", ("", "%0#1", "")),
            (
                "get_dimension_size(%x, 0)",
                ("get_dimension_size(", "%x", ", 0)"),
            ),
            ("%1 in region 0 of %x", ("%1 in region 0 of ", "%x", "")),
            (
                "%1 in region 0 of %2 in %3",
                ("%1 in region 0 of %2 in ", "%3", ""),
            ),
            (
                "get_dimension_size(%1 in iteration 4 of %x, 2)",
                ("get_dimension_size(%1 in iteration 4 of ", "%x", ", 2)"),
            ),
        ] {
            assert_eq!(parts(label), expected);
        }
    }
}
