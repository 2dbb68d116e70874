//! Utilisation: how many elements of an operand are used when the output (or a tile of it) is
//! computed in full, and how often each is read.
//!
//! A map relates points (an output index and values of its range variables) to elements. *Reads* is
//! the number of points, *used* the number of different elements. Both are counted exactly: the
//! variables of a map fall into groups that have nothing to do with one another (no constraint and
//! no operand dimension in common); the counts of the groups multiply. A group of one variable in a
//! sum by itself is counted by formula, any other by walking its points, up to [`LARGEST`]. Where
//! that is too much, or a place is known at run time only, there is an upper bound and the reason.

use crate::linear::Sums;
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval};
use std::collections::HashSet;

/// The most points that are walked for one group of variables.
pub const LARGEST: u128 = 1 << 20;

/// Use of an operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Utilization {
    /// Elements of the operand.
    pub elements: u128,
    /// Different elements that are read.
    pub used: u128,
    /// Reads, an element counted each time; none where no number can be said to be enough.
    pub reads: Option<u128>,
    /// `used` and `reads` are exact; otherwise they are upper bounds, for this reason.
    pub bound: Option<String>,
}

impl Utilization {
    /// Used elements over all elements; 1 for an operand without elements.
    pub fn fraction(&self) -> f64 {
        if self.elements == 0 {
            1.0
        } else {
            self.used as f64 / self.elements as f64
        }
    }

    /// Reads of a used element, on average; 0 if none is used.
    pub fn reads_per_element(&self) -> Option<f64> {
        let reads = self.reads?;
        Some(if self.used == 0 {
            0.0
        } else {
            reads as f64 / self.used as f64
        })
    }
}

/// The use of an operand of `sizes` by `maps` (a union of pieces), for the whole output or for a
/// tile of it (an interval for every output dimension).
pub fn utilization(maps: &[IndexingMap], sizes: &[i64], tile: Option<&[Interval]>) -> Utilization {
    let elements = sizes
        .iter()
        .fold(1u128, |n, size| n.saturating_mul((*size).max(0) as u128));
    let mut total = Utilization {
        elements,
        used: 0,
        reads: None,
        bound: None,
    };
    let mut pieces: Vec<IndexingMap> = Vec::new();
    let mut all_reads = 0u128;
    let mut counted = Vec::new();
    for map in maps {
        if let Some(reason) = map.unknown_reason() {
            return Utilization {
                used: elements,
                bound: Some(reason.into()),
                ..total
            };
        }
        let map = match tile {
            Some(tile) => cut(map, tile),
            None => map.clone(),
        };
        let simple = map.simplify();
        if simple.is_known_empty() {
            continue;
        }
        // A variable that is left out does not move the element, but it reads it again.
        let count = count(&map).or_else(|reason| {
            if simple.ranges().len() == map.ranges().len() {
                count(&simple)
            } else {
                Err(reason)
            }
        });
        if !map.is_exact() {
            total
                .bound
                .get_or_insert("the map is an over-approximation".into());
        }
        match count {
            Ok((reads, used)) => {
                all_reads = all_reads.saturating_add(reads);
                counted.push(used);
            }
            Err(reason) => {
                all_reads = all_reads.saturating_add(map.box_size());
                total.bound.get_or_insert(reason);
                counted.push(elements);
            }
        }
        pieces.push(map);
    }
    total.reads = Some(all_reads);
    if let [used] = counted.as_slice() {
        total.used = *used;
    } else if let Some(all) = together(&pieces) {
        total.used = all.len() as u128;
    } else if counted.contains(&elements) {
        total.used = elements;
    } else {
        total.used = counted
            .iter()
            .fold(0u128, |n, used| n.saturating_add(*used))
            .min(elements);
        total
            .bound
            .get_or_insert("the pieces may overlap and are too large to be compared".into());
    }
    total
}

/// The map on a tile of the output.
fn cut(map: &IndexingMap, tile: &[Interval]) -> IndexingMap {
    let mut map = map.clone();
    for (variable, interval) in map.dims_mut().iter_mut().zip(tile) {
        variable.interval = variable.interval.intersect(*interval);
    }
    map
}

/// The elements that some maps lead to, if they are small. Several may read the same element.
fn together(maps: &[IndexingMap]) -> Option<HashSet<Vec<i64>>> {
    let mut found = HashSet::new();
    for map in maps {
        if !map.runtime().is_empty() {
            return None;
        }
        let mut map = map.clone();
        // Variables that neither move the element nor are in a condition may have any of their
        // values.
        let mut used = Vec::new();
        for expr in map
            .results()
            .iter()
            .chain(map.constraints().iter().map(|k| &k.expr))
        {
            used.extend(variables(expr));
        }
        for (k, variable) in map.dims_mut().iter_mut().enumerate() {
            if !used.contains(&Var::Dim(k)) && !variable.interval.is_empty() {
                variable.interval = Interval::point(variable.interval.lower);
            }
        }
        for (k, variable) in map.ranges_mut().iter_mut().enumerate() {
            if !used.contains(&Var::Range(k)) && !variable.interval.is_empty() {
                variable.interval = Interval::point(variable.interval.lower);
            }
        }
        if map.box_size() > LARGEST {
            return None;
        }
        map.for_each_point(|_, _, _, index| {
            found.insert(index.to_vec());
            true
        });
    }
    Some(found)
}

/// One variable: its kind and place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Var {
    Dim(usize),
    Range(usize),
}

fn variables(expr: &Expr) -> Vec<Var> {
    let mut found = Vec::new();
    expr.for_each_variable(|kind| {
        let var = match kind {
            ExprKind::Dim(k) => Var::Dim(*k),
            ExprKind::Range(k) => Var::Range(*k),
            _ => return,
        };
        if !found.contains(&var) {
            found.push(var);
        }
    });
    found
}

/// Reads and different elements of one map.
///
/// # Errors
/// Why they cannot be counted.
pub fn count(map: &IndexingMap) -> Result<(u128, u128), String> {
    if map.is_known_empty() {
        return Ok((0, 0));
    }
    if map.runtime().is_empty() {
        return count_static(map);
    }
    // A start that is the same for all elements moves what is read; the number does not depend on
    // it if it does not at both ends.
    let scalar = map.runtime().iter().all(|v| {
        v.origin
            .index
            .as_ref()
            .is_none_or(|index| index.results().iter().all(|e| variables(e).is_empty()))
    });
    if !scalar {
        return Err("which elements are read depends on values".into());
    }
    let fixed = |f: &dyn Fn(Interval) -> i64| {
        let mut map = map.clone();
        let values: Vec<i64> = map.runtime().iter().map(|v| f(v.interval)).collect();
        let replace = |expr: &Expr| {
            expr.replace(|kind| match kind {
                ExprKind::Runtime(k) => Expr::constant(values[*k]),
                ExprKind::Dim(k) => mapwright_indexing::d(*k),
                ExprKind::Range(k) => mapwright_indexing::s(*k),
                _ => Expr::constant(0),
            })
        };
        map.map_expressions(replace);
        map.edit(|m| m.runtime.clear());
        count_static(&map.simplify())
    };
    let ends = [
        fixed(&|i| i.lower)?,
        fixed(&|i| i.upper)?,
        fixed(&|i| i.lower + (i.upper.saturating_sub(i.lower)) / 2)?,
    ];
    // Constraints that cut differently at different places make the number depend on the place.
    if ends[0] == ends[1] && ends[1] == ends[2] && map.constraints().is_empty() {
        Ok(ends[0])
    } else {
        Err("how many elements are read depends on a value".into())
    }
}

fn count_static(map: &IndexingMap) -> Result<(u128, u128), String> {
    if map.is_known_empty() {
        return Ok((0, 0));
    }
    let exprs: Vec<(Vec<Var>, Option<usize>)> = map
        .results()
        .iter()
        .enumerate()
        .map(|(k, expr)| (variables(expr), Some(k)))
        .chain(map.constraints().iter().map(|k| (variables(&k.expr), None)))
        .collect();
    // Groups of variables that share an expression.
    let all: Vec<Var> = (0..map.dims().len())
        .map(Var::Dim)
        .chain((0..map.ranges().len()).map(Var::Range))
        .collect();
    let mut group: Vec<usize> = (0..all.len()).collect();
    let at = |var: &Var| match var {
        Var::Dim(k) => *k,
        Var::Range(k) => map.dims().len() + k,
    };
    for (vars, _) in &exprs {
        for pair in vars.windows(2) {
            let (a, b) = (group[at(&pair[0])], group[at(&pair[1])]);
            group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
        }
    }
    let (mut reads, mut used) = (1u128, 1u128);
    for g in 0..all.len() {
        let members: Vec<Var> = all
            .iter()
            .filter(|var| group[at(var)] == g)
            .copied()
            .collect();
        if members.is_empty() {
            continue;
        }
        let (r, u) = count_group(map, &members)?;
        reads = reads.saturating_mul(r);
        used = used.saturating_mul(u);
    }
    // Constraints without variables.
    for constraint in map
        .constraints()
        .iter()
        .filter(|k| variables(&k.expr).is_empty())
    {
        if constraint
            .expr
            .as_constant()
            .is_some_and(|v| !constraint.interval.contains(v))
        {
            return Ok((0, 0));
        }
    }
    Ok((reads, used))
}

/// The map restricted to a group of variables and what depends on them.
fn count_group(map: &IndexingMap, members: &[Var]) -> Result<(u128, u128), String> {
    let touches = |expr: &Expr| variables(expr).iter().any(|var| members.contains(var));
    let results: Vec<Expr> = map
        .results()
        .iter()
        .filter(|expr| touches(expr))
        .cloned()
        .collect();
    let constraints: Vec<_> = map
        .constraints()
        .iter()
        .filter(|k| touches(&k.expr))
        .cloned()
        .collect();
    let interval = |var: &Var| match var {
        Var::Dim(k) => map.dims()[*k].interval,
        Var::Range(k) => map.ranges()[*k].interval,
    };
    let points = members
        .iter()
        .fold(1u128, |n, var| n.saturating_mul(interval(var).len()));
    if constraints.is_empty() && results.is_empty() {
        return Ok((points, u128::from(points > 0)));
    }
    let sums = Sums::new(map);
    if constraints.is_empty()
        && let [var] = members
        && results.iter().any(|expr| {
            sums.read(expr)
                .is_some_and(|sum| match (sum.terms.as_slice(), *var) {
                    ([(atom, _)], Var::Dim(k)) => sums.dim(atom) == Some(k),
                    ([(atom, _)], Var::Range(k)) => sums.range(atom) == Some(k),
                    _ => false,
                })
        })
    {
        // A multiple of the variable plus a constant: one to one.
        return Ok((points, points));
    }
    if points > LARGEST {
        return Err(format!(
            "{points} points of {} variables that depend on each other are too many to be counted",
            members.len()
        ));
    }
    let mut part = map.clone();
    part.edit(|m| {
        m.results = results;
        m.constraints = constraints;
    });
    // Variables outside of the group do not occur; they are pinned to a value.
    for (k, v) in part.dims_mut().iter_mut().enumerate() {
        if !members.contains(&Var::Dim(k)) {
            v.interval = Interval::point(v.interval.lower);
        }
    }
    for (k, v) in part.ranges_mut().iter_mut().enumerate() {
        if !members.contains(&Var::Range(k)) {
            v.interval = Interval::point(v.interval.lower);
        }
    }
    let mut reads = 0u128;
    let mut found: HashSet<Vec<i64>> = HashSet::new();
    part.for_each_point(|_, _, _, index| {
        reads += 1;
        found.insert(index.to_vec());
        true
    });
    Ok((reads, found.len() as u128))
}
