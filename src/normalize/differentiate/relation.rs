//! What moves or sums elements: the cotangent of an element of the operand is the sum of those of
//! the elements of the result that it goes into.
//!
//! Both directions of the indexing map are looked at. Where an element of the operand goes into one
//! element of the result, it takes the cotangent from there; where an element of the result comes
//! from one element of the operand, it adds its cotangent there. Maps whose results are variables
//! by themselves become transposes, broadcasts and sums along dimensions, those of a reshape become
//! a reshape; any other map is evaluated, for all values of its ranges, and elements are gathered
//! or scattered by it.

use super::reverse::Reverse;
use crate::{
    rewrite::{Result, fail},
    tarray::sizes::{constants, vary},
};
use mapwright_indexing::{
    Expr, ExprKind, Extent, IndexingMap, Interval, Op as Arithmetic, Variable,
};
use mapwright_mlir::{ElementType, Op, Val, op};
use mapwright_ops::{input_to_output, output_to_input, shape::reshape};

/// Tells whether a variable ranges over all of a dimension of this size.
pub(super) fn is_all(variable: &Variable, size: Extent) -> bool {
    match size.as_constant() {
        Some(size) => variable.interval == Interval::of_size(size),
        None => variable.interval.lower == 0,
    }
}

/// A map without what says that indices of dimensions are below the sizes of these, where they are
/// known at run time only.
fn without_sizes(map: &IndexingMap, sizes: &[Extent]) -> IndexingMap {
    let mut map = map.clone();
    let of_size = |expr: &Expr| {
        let ExprKind::Binary(Arithmetic::Add, a, b) = expr.kind() else {
            return false;
        };
        let ExprKind::Dim(d) = a.kind() else {
            return false;
        };
        let ExprKind::Binary(Arithmetic::Mul, size, by) = b.kind() else {
            return false;
        };
        matches!(size.kind(), ExprKind::Runtime(_))
            && by.as_constant() == Some(-1)
            && sizes.get(*d).is_some_and(|size| size.is_run_time())
    };
    map.edit(|m| {
        m.constraints
            .retain(|constraint| !(of_size(&constraint.expr) && constraint.interval.upper == -1));
    });
    let mut used = false;
    let constraints = map.constraints().iter().map(|constraint| &constraint.expr);
    for expr in map.results().iter().chain(constraints) {
        expr.for_each_variable(|kind| used |= matches!(kind, ExprKind::Runtime(_)));
    }
    if !used {
        map.edit(|m| m.runtime.clear());
    }
    map
}

/// Operations whose sizes are the same along every dimension that they hand on.
const KEEP_SIZES: &[&str] = &[
    "transpose",
    "broadcast_in_dim",
    "dynamic_broadcast_in_dim",
    "reduce",
    "slice",
    "pad",
];

/// Tells whether a map is defined for every index of a tensor of these sizes, and depends on
/// nothing that is known at run time only.
fn is_whole(map: &IndexingMap, sizes: &[Extent]) -> bool {
    let whole = |(variable, size): (&Variable, &Extent)| is_all(variable, *size);
    let plain = map.constraints().is_empty() && map.runtime().is_empty() && map.ranges().is_empty();
    plain && map.dims().len() == sizes.len() && map.dims().iter().zip(sizes).all(whole)
}

/// The variables that the results are, where each is one by itself, all of them different (or zero,
/// of size 1).
fn variables(map: &IndexingMap) -> Option<Vec<Option<usize>>> {
    let mut found: Vec<Option<usize>> = Vec::new();
    for expr in map.results() {
        let variable = match expr.kind() {
            ExprKind::Dim(d) => Some(*d),
            ExprKind::Constant(0) => None,
            _ => return None,
        };
        if variable.is_some() && found.contains(&variable) {
            return None;
        }
        found.push(variable);
    }
    Some(found)
}

impl<'c> Reverse<'c> {
    pub(super) fn by_relation(
        &self,
        op: Op<'c>,
        (r, k): (usize, usize),
        given: Val<'c>,
    ) -> Result<'c, Val<'c>> {
        let m = &self.m;
        let (element, shape) = (m.type_of(given).0, m.type_of(op.operand(k)).1);
        let outward: Vec<IndexingMap> = output_to_input(op, r)
            .into_iter()
            .filter(|maps| maps.operand == k)
            .flat_map(|maps| maps.maps)
            .collect();
        let inward: Vec<IndexingMap> = input_to_output(op, k)
            .into_iter()
            .filter(|maps| maps.result == r)
            .flat_map(|maps| maps.maps)
            .collect();
        for map in outward.iter().chain(&inward) {
            if let Some(why) = map.unknown_reason() {
                return fail(op, format!("has no rule of differentiation: {why}"));
            }
            if !map.is_exact() {
                return fail(op, "has no rule of differentiation: its map is not exact");
            }
        }
        let out = m.type_of(given).1;
        let varies = vary(&shape) || vary(&out);
        let (outward, inward): (Vec<_>, Vec<_>) = match varies {
            true if KEEP_SIZES.contains(&op.short_name()) => (
                outward.iter().map(|map| without_sizes(map, &out)).collect(),
                inward
                    .iter()
                    .map(|map| without_sizes(map, &shape))
                    .collect(),
            ),
            true => {
                return fail(
                    op,
                    "has no rule of differentiation where sizes are known at run time only",
                );
            }
            false => (outward, inward),
        };
        if let [map] = inward.as_slice()
            && let Some(found) = self.taken(map, given, &shape)
        {
            return Ok(found);
        }
        if let [map] = outward.as_slice()
            && let Some(found) = self.summed(map, given, &shape)
        {
            return Ok(found);
        }
        if let [map] = inward.as_slice()
            && let Some(found) = self.taken_along(map, given, &shape)
        {
            return Ok(found);
        }
        if let [map] = outward.as_slice()
            && let Some(found) = self.placed_along(map, given, &shape)
        {
            return Ok(found);
        }
        if varies {
            return fail(
                op,
                "has no rule of differentiation where sizes are known at run time only: elements go to more places than one",
            );
        }
        let zeros = m.zeros(&element, &shape);
        if shape.contains(&Extent::ZERO) || out.contains(&Extent::ZERO) {
            return Ok(zeros);
        }
        let known = |maps: &[IndexingMap]| maps.iter().all(|map| map.ranges().is_empty());
        let mut total: Option<Val<'c>> = None;
        if known(&inward) {
            for map in inward.iter().filter(|map| !map.is_known_empty()) {
                let (at, inside) = self.places(op, map, &shape, &out)?;
                let flat = m.reshape(given, &[out.iter().product()]);
                let rows = m.reshape(at, &[shape.iter().product()]);
                let part = m.reshape(m.rows(flat, rows), &shape);
                let part = match inside {
                    Some(inside) => m.select(inside, part, zeros),
                    None => part,
                };
                total = Some(total.map_or(part, |total| m.add(total, part)));
            }
        } else {
            let count: Extent = shape.iter().product();
            let mut flat = m.zeros(&element, &[count]);
            for map in outward.iter().filter(|map| !map.is_known_empty()) {
                // The ranges are dimensions behind those of the result.
                let mut from = out.clone();
                for range in map.ranges() {
                    let size = range.interval.upper.checked_sub(range.interval.lower);
                    from.push(size.map_or(0, |size| size + 1).max(0).into());
                }
                if from.contains(&Extent::ZERO) {
                    continue;
                }
                let (mut at, inside) = self.places(op, map, &from, &shape)?;
                if let Some(inside) = inside {
                    let behind = m.spread(m.scalar(count), &from);
                    at = m.select(inside, at, behind);
                }
                let dims: Vec<i64> = (0..out.len() as i64).collect();
                let updates = m.broadcast(given, &dims, &from);
                let size = [from.iter().product()];
                let (at, updates) = (m.reshape(at, &size), m.reshape(updates, &size));
                flat = m.scatter(Some("add"), flat, at, updates);
            }
            total = Some(m.reshape(flat, &shape));
        }
        Ok(total.unwrap_or(zeros))
    }

    /// An element of the operand goes into one of the result: transposes, broadcasts, reshapes.
    fn taken(&self, map: &IndexingMap, given: Val<'c>, shape: &[Extent]) -> Option<Val<'c>> {
        let m = &self.m;
        let out = m.type_of(given).1;
        if !is_whole(map, shape) {
            return None;
        }
        if let Some(found) = variables(map) {
            // Dimensions that are always 0 have the size 1.
            let kept: Vec<Extent> = (0..out.len())
                .filter(|d| found[*d].is_some())
                .map(|d| out[d])
                .collect();
            if (0..out.len()).any(|d| found[d].is_none() && out[d] != 1) {
                return None;
            }
            let to: Vec<usize> = found.iter().flatten().copied().collect();
            let sizes = to.iter().zip(&kept);
            if sizes.into_iter().any(|(d, size)| shape[*d] != *size) {
                return None;
            }
            let mut order: Vec<i64> = (0..to.len() as i64).collect();
            order.sort_by_key(|i| to[*i as usize]);
            let moved = m.transpose(m.reshape(given, &kept), &order);
            let dims: Vec<i64> = order.iter().map(|i| to[*i as usize] as i64).collect();
            return Some(m.broadcast(moved, &dims, shape));
        }
        let same = |list: &[Expr]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let index = reshape::index(&constants(shape)?, &constants(&out)?).ok()?;
        (same(&index) == same(map.results())).then(|| m.reshape(given, shape))
    }

    /// An element of the result comes from one of the operand: the dimensions that say nothing are
    /// summed.
    fn summed(&self, map: &IndexingMap, given: Val<'c>, shape: &[Extent]) -> Option<Val<'c>> {
        let m = &self.m;
        let out = m.type_of(given).1;
        if !is_whole(map, &out) {
            return None;
        }
        let found = variables(map)?;
        let from: Vec<usize> = found.iter().flatten().copied().collect();
        let sizes = found.iter().zip(shape);
        let fits = sizes
            .into_iter()
            .all(|(d, size)| d.map_or(Extent::ONE, |d| out[d]) == *size);
        if !fits {
            return None;
        }
        let summed: Vec<i64> = (0..out.len())
            .filter(|d| !from.contains(d))
            .map(|d| d as i64)
            .collect();
        let (element, _) = m.type_of(given);
        let total = if summed.is_empty() {
            given
        } else {
            m.reduce("add", given, m.zeros(&element, &[]), &summed)
        };
        // What is left is in the order of the result.
        let mut left = from.clone();
        left.sort_unstable();
        let permutation: Vec<i64> = from
            .iter()
            .map(|d| left.iter().position(|l| l == d).unwrap_or(0) as i64)
            .collect();
        Some(m.reshape(m.transpose(total, &permutation), shape))
    }

    /// For every index of `from` the row-major place of the index of `to` that a map gives, and
    /// whether it is in the domain.
    fn places(
        &self,
        op: Op<'c>,
        map: &IndexingMap,
        from: &[Extent],
        to: &[Extent],
    ) -> Result<'c, (Val<'c>, Option<Val<'c>>)> {
        let m = &self.m;
        let mut runtime = Vec::new();
        for variable in map.runtime() {
            let label = &variable.origin.value;
            let operand = op
                .operands()
                .into_iter()
                .find(|operand| op::label(*operand) == *label);
            let (Some(operand), Some(index)) = (operand, &variable.origin.index) else {
                return fail(
                    op,
                    "has no rule of differentiation: a value of its map is not known",
                );
            };
            let table = operand;
            let sizes = m.type_of(table).1;
            let at = self.flat(op, map, index.results(), (&sizes, from), &runtime)?;
            let flat = m.reshape(table, &[sizes.iter().product()]);
            let found = m.rows(flat, m.reshape(at, &[from.iter().product()]));
            let found = m.convert(m.reshape(found, from), &ElementType::int(64));
            let clamp = variable.clamp();
            let (low, high) = (m.int(clamp.lower), m.int(clamp.upper));
            runtime.push(m.clamp(m.spread(low, from), found, m.spread(high, from)));
        }
        let at = self.flat(op, map, map.results(), (to, from), &runtime)?;
        let mut inside: Option<Val<'c>> = None;
        let mut and = |condition: Val<'c>| {
            inside = Some(match inside {
                Some(all) => m.and(all, condition),
                None => condition,
            });
        };
        let bounds = map
            .constraints()
            .iter()
            .map(|c| (c.expr.clone(), c.interval));
        let dims = map.dims().iter().enumerate().filter_map(|(d, variable)| {
            let all = variable.interval.lower <= 0 && from[d] - 1 <= variable.interval.upper;
            (!all).then(|| (mapwright_indexing::d(d), variable.interval))
        });
        for (expr, interval) in bounds.chain(dims).collect::<Vec<_>>() {
            let value = self.value(op, map, &expr, from, &runtime)?;
            let (low, high) = (m.int(interval.lower), m.int(interval.upper));
            and(m.compare("GE", value, m.spread(low, from)));
            and(m.compare("LE", value, m.spread(high, from)));
        }
        Ok((at, inside))
    }

    /// The row-major place of an index, for every index of `from`.
    fn flat(
        &self,
        op: Op<'c>,
        map: &IndexingMap,
        index: &[Expr],
        (sizes, from): (&[Extent], &[Extent]),
        runtime: &[Val<'c>],
    ) -> Result<'c, Val<'c>> {
        let m = &self.m;
        let mut at = m.spread(m.int(0), from);
        for (expr, size) in index.iter().zip(sizes) {
            let next = self.value(op, map, expr, from, runtime)?;
            at = m.add(
                m.same("multiply", &[at, m.spread(m.scalar(*size), from)]),
                next,
            );
        }
        Ok(at)
    }

    /// An expression, for every index of `from`.
    fn value(
        &self,
        op: Op<'c>,
        map: &IndexingMap,
        expr: &Expr,
        from: &[Extent],
        runtime: &[Val<'c>],
    ) -> Result<'c, Val<'c>> {
        let m = &self.m;
        Ok(match expr.kind() {
            ExprKind::Constant(value) => m.spread(m.int(*value), from),
            ExprKind::Dim(d) => m.iota(from, *d),
            ExprKind::Range(k) if map.dims().len() + k < from.len() => {
                let first = m.spread(m.int(map.ranges()[*k].interval.lower), from);
                m.add(m.iota(from, map.dims().len() + k), first)
            }
            ExprKind::Runtime(k) if *k < runtime.len() => runtime[*k],
            ExprKind::Binary(arithmetic, a, b) => {
                let x = self.value(op, map, a, from, runtime)?;
                let y = self.value(op, map, b, from, runtime)?;
                let modulo = |x: Val<'c>, y: Val<'c>| {
                    let rest = m.same("remainder", &[x, y]);
                    m.same("remainder", &[m.add(rest, y), y])
                };
                match arithmetic {
                    Arithmetic::Add => m.add(x, y),
                    Arithmetic::Mul => m.same("multiply", &[x, y]),
                    Arithmetic::Min => m.min(x, y),
                    Arithmetic::Max => m.max(x, y),
                    Arithmetic::Mod => modulo(x, y),
                    Arithmetic::FloorDiv => m.same("divide", &[m.sub(x, modulo(x, y)), y]),
                    Arithmetic::CeilDiv => {
                        let one = m.spread(m.int(1), from);
                        let x = m.sub(m.add(x, y), one);
                        m.same("divide", &[m.sub(x, modulo(x, y)), y])
                    }
                }
            }
            _ => {
                return fail(
                    op,
                    "has no rule of differentiation: a variable of its map is not known",
                );
            }
        })
    }
}
