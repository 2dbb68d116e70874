//! One step of composition: what the maps of an operation say about one element of its result, whose index is an expression of loop
//! variables.
//!
//! The maps are those of the operation itself ([`Query::own`]): its operands are walked to one by one, so nothing is looked through here.

mod pieces;

use crate::composed;
use crate::condition::Condition;
use crate::node::{Element, Node, Reason, RuntimeIndex, tensor};
use mapwright_indexing::linear::{Atom, Facts, Sum};
use mapwright_indexing::{Constraint, Expr, ExprKind, IndexingMap, Interval, Op as Arithmetic};
use mapwright_mlir::Op;
use mapwright_normalize::noted;
use mapwright_ops::attrs;
use mapwright_ops::query::Query;
use mapwright_ops::registry::{self, Class, OpDef};
use mapwright_ops::window::{WRITTEN_OUT, prefix};

/// The maps of one operation, of static shapes.
struct Maps<'c> {
    def: &'static OpDef,
    query: Query<'c>,
    number: usize,
}

impl<'c> Maps<'c> {
    /// For result `number`. Declines operations whose results are sized by values, or computed by what they run.
    fn new(op: Op<'c>, number: usize) -> Result<Self, Reason> {
        let known =
            registry::lookup(op).filter(|def| def.size_operands.is_none() || def.says_only_sizes());
        let Some(def) = known else {
            return Err(Reason::new(format!("'{}'", op.name())));
        };
        let query = Query::own(op);
        if def.size_operands.is_some() && !query.is_static() {
            return Err(Reason::new(format!("run-time sizes of '{}'", op.name())));
        }
        Ok(Self { def, query, number })
    }

    fn of(&self, operand: usize) -> Result<Vec<IndexingMap>, Reason> {
        (self.def.output_to_input)(&self.query, self.number, operand).map_err(Reason)
    }

    /// The only map to operand `operand`.
    fn only(&self, operand: usize) -> Result<IndexingMap, Reason> {
        match <[IndexingMap; 1]>::try_from(self.of(operand)?) {
            Ok([map]) => Ok(map),
            Err(_) => Err(self.declined()),
        }
    }

    fn declined(&self) -> Reason {
        Reason::new(format!("'{}'", self.query.op.name()))
    }

    fn data_operands(&self) -> usize {
        let all = self.query.num_operands();
        self.def.data_operands.map_or(all, |n| n.min(all))
    }
}

/// What the variables of a map are: expressions of the loops.
#[derive(Clone, Copy)]
struct At<'a> {
    dims: &'a [Sum],
    ranges: &'a [Sum],
    loops: &'a Facts,
}

impl<'a> At<'a> {
    /// Of a map that has no ranges, or whose ranges do not matter.
    fn of(dims: &'a [Sum], loops: &'a Facts) -> Self {
        Self {
            dims,
            ranges: &[],
            loops,
        }
    }

    /// The expression there. Runtime variable `k` is value `k` behind those of the loops.
    fn sum(&self, expr: &Expr) -> Result<Sum, Reason> {
        let variable = |kind: &ExprKind| match kind {
            ExprKind::Dim(k) => self.dims.get(*k).cloned(),
            ExprKind::Range(k) => self.ranges.get(*k).cloned(),
            ExprKind::Runtime(k) => Some(Sum::atom(Atom::value(self.loops.values.len() + k))),
            _ => None,
        };
        let found = Sum::of_expr(expr, self.loops, &variable).filter(|_| !divides_read(expr));
        found.ok_or_else(|| Reason::new(format!("an index that is not affine ({expr})")))
    }

    /// What the map reads: composed with the index here, and simplified.
    fn index(&self, map: &IndexingMap) -> Result<Vec<Sum>, Reason> {
        let composed: Result<Vec<Sum>, Reason> =
            map.results.iter().map(|expr| self.sum(expr)).collect();
        let composed = composed?;
        // A projection changes nothing that could become shorter.
        let projects =
            |expr: &Expr| matches!(expr.kind(), ExprKind::Dim(_) | ExprKind::Constant(_));
        if map.results.iter().all(projects) {
            return Ok(composed);
        }
        composed::simplified(composed, self.loops)
    }

    /// Where the map from an index space of sizes `from` to one of sizes `own` applies. `settled`: dimensions on whose value nothing that is read
    /// depends.
    fn conditions(
        &self,
        map: &IndexingMap,
        own: &[i64],
        from: &[i64],
        settled: &[bool],
    ) -> Result<Vec<Condition>, Reason> {
        let mut found = Vec::new();
        for (k, dim) in map.dims.iter().enumerate() {
            if dim.interval != Interval::of_size(from[k]) {
                let behind = beyond(map, k, dim.interval.upper);
                let (lo, hi) = (dim.interval.lower, dim.interval.upper + behind);
                let condition = Condition::between(&self.dims[k], lo, hi);
                let at_run_time = pieces::ends_at_run_time(own, from, k);
                found.push(condition.masking(settled[k]).at_run_time(at_run_time));
            }
        }
        for Constraint { expr, interval } in &map.constraints {
            if reads(expr) {
                return Err(Reason::new("which piece applies is known at run time only"));
            }
            found.push(match remainder(expr) {
                Some((a, m)) => {
                    Condition::remainder(self.sum(a)?, m, interval.lower, interval.upper)
                }
                None => Condition::between(&self.sum(expr)?, interval.lower, interval.upper),
            });
        }
        Ok(found)
    }
}

/// Is something divided that depends on what is read at run time?
fn divides_read(expr: &Expr) -> bool {
    match expr.kind() {
        ExprKind::Binary(Arithmetic::Add | Arithmetic::Mul, a, b) => {
            divides_read(a) || divides_read(b)
        }
        ExprKind::Binary(..) => reads(expr),
        _ => false,
    }
}

/// Does it depend on something that is read at run time?
fn reads(expr: &Expr) -> bool {
    match expr.kind() {
        ExprKind::Runtime(_) => true,
        ExprKind::Binary(_, a, b) => reads(a) || reads(b),
        _ => false,
    }
}

/// `a mod m`, `m > 0`.
fn remainder(expr: &Expr) -> Option<(&Expr, i64)> {
    match expr.kind() {
        ExprKind::Binary(Arithmetic::Mod, a, m) => Some((a, m.as_constant().filter(|m| *m > 0)?)),
        _ => None,
    }
}

/// How far dimension `k` can go on behind `last` without another point of the domain, because a constraint keeps one value of every
/// few. The pattern is then whole, and no lane is beyond it.
fn beyond(map: &IndexingMap, k: usize, last: i64) -> i64 {
    let (loops, vars) = variables(map);
    let own = |constraint: &Constraint| {
        let (a, m) = remainder(&constraint.expr)?;
        let phase = constraint.interval.as_point()?;
        let at = At::of(&vars, &loops);
        let rest = at.sum(a).ok()?.minus(&Sum::var(k)).as_constant()?;
        let distance = i128::from(last) + i128::from(rest) - i128::from(phase);
        // Less than `m`.
        Some(m - 1 - distance.rem_euclid(i128::from(m)) as i64)
    };
    map.constraints.iter().filter_map(own).max().unwrap_or(0)
}

/// The variables of the map itself, dimensions first, as if they were loops.
fn variables(map: &IndexingMap) -> (Facts, Vec<Sum>) {
    let vars: Vec<(i64, i64)> = (map.dims.iter().chain(&map.ranges))
        .map(|variable| Facts::range_of(variable.interval))
        .collect();
    let own = (0..vars.len()).map(Sum::var).collect();
    let values = Vec::new();
    (Facts { vars, values }, own)
}

fn is_empty(map: &IndexingMap) -> bool {
    map.is_known_empty()
        || map.intervals().any(|interval| interval.is_empty())
        || map.constraints.iter().any(|c| c.interval.is_empty())
}

/// The same element of every operand, or the only one of an operand of rank 0 (`select`, `clamp`).
pub fn elementwise<'c>(op: Op<'c>, index: &[Sum], loops: &Facts) -> Result<Node<'c>, Reason> {
    let maps = Maps::new(op, 0)?;
    let at = At::of(index, loops);
    let mut operands = Vec::with_capacity(op.num_operands());
    for (i, value) in op.operands().into_iter().enumerate() {
        tensor(value)?;
        let read = at.index(&maps.only(i)?)?;
        if !read.is_empty() && read != index {
            return Err(Reason::new(format!("'{}' changes the rank", op.name())));
        }
        operands.push((value, read));
    }
    Ok(Node::Elementwise(op, operands))
}

/// An element that is copied from one of the operands.
pub fn copied<'c>(
    op: Op<'c>,
    number: usize,
    index: &[Sum],
    loops: &Facts,
) -> Result<Node<'c>, Reason> {
    if let Some(slice) = noted::slice(op) {
        let mut kept = index.iter();
        let at = slice.into_iter().map(|(start, step)| match step {
            0 => Some(Sum::constant(start)),
            _ => Some(kept.next()?.scaled(step).offset(start)),
        });
        let at: Option<Vec<Sum>> = at.collect();
        let read = at.ok_or_else(|| Reason::new("a slice of another rank"))?;
        return Ok(Node::Copy((op.operand(0), read)));
    }
    if let Some(padded) = pieces::padded_in_steps(op, index) {
        return Ok(Node::Padded(padded));
    }
    if let Some(low) = noted::padding(op) {
        return pieces::padded(op, &low, index);
    }
    if let Some(ranges) = noted::padding_range(op) {
        return pieces::padded_at_run_time(op, &ranges, index);
    }
    let maps = Maps::new(op, number)?;
    let (_, from) = tensor(op.result(number))?;
    let at = At::of(index, loops);
    let count = maps.data_operands();
    let of_pieces = maps.def.class == Class::Assembly && maps.def.data_operands.is_none();
    let at_run_time = of_pieces && pieces::has_ends_at_run_time(op, &from)?;
    let mut found = Vec::new();
    for operand in 0..count {
        let (_, own) = tensor(op.operand(operand))?;
        let all = match at_run_time {
            true => pieces::of_own_sizes(maps.of(operand)?, &own, &from)?,
            false => maps.of(operand)?,
        };
        for map in all.into_iter().filter(|map| !is_empty(map)) {
            if !map.is_known() || !map.exact || !map.ranges.is_empty() {
                return Err(maps.declined());
            }
            if count == 1 && !map.runtime.is_empty() {
                return dynamic(op, operand, &map, &at);
            }
            found.push((operand, map));
        }
    }
    let settled: Vec<bool> = (0..from.len())
        .map(|k| found.iter().all(|(_, map)| is_settled(map, k, &from)))
        .collect();
    let mut pieces: Vec<(Vec<Condition>, Element<'c>)> = Vec::new();
    let mut rest: Option<Element<'c>> = None;
    for (operand, map) in &found {
        // Where a piece has one place only, its index says so.
        let dims: Vec<Sum> = (0..from.len())
            .map(|k| match place(map, k, &from) {
                Some(only) => Sum::constant(only),
                None => index[k].clone(),
            })
            .collect();
        let read = (op.operand(*operand), At { dims: &dims, ..at }.index(map)?);
        if operand + 1 < count {
            let (_, own) = tensor(op.operand(*operand))?;
            pieces.push((at.conditions(map, &own, &from, &settled)?, read));
        } else if *rest.get_or_insert_with(|| read.clone()) != read {
            // What is left is one element, wherever it is.
            return Err(maps.declined());
        }
    }
    pieces.extend(rest.map(|read| (Vec::new(), read)));
    match pieces.last_mut() {
        Some((conditions, _)) => conditions.clear(),
        None => return Err(maps.declined()),
    }
    Ok(match (count, pieces.pop()) {
        (1, Some((_, element))) => Node::Copy(element),
        (_, last) => {
            pieces.extend(last);
            Node::Pieces(pieces)
        }
    })
}

/// The only place that the map has along dimension `k`, of those in sizes `from`.
fn place(map: &IndexingMap, k: usize, from: &[i64]) -> Option<i64> {
    let interval = map.dims[k].interval;
    interval
        .as_point()
        .filter(|_| interval != Interval::of_size(from[k]))
}

/// Does nothing that the map reads depend on dimension `k`, once its only place is put in?
fn is_settled(map: &IndexingMap, k: usize, from: &[i64]) -> bool {
    let mut used = false;
    for expr in &map.results {
        expr.for_each_variable(|kind| used |= *kind == ExprKind::Dim(k));
    }
    !used || place(map, k, from).is_some()
}

/// Does it put the elements along another last dimension (a transpose)?
pub fn moves_last(op: Op<'_>) -> bool {
    let Ok(map) = Maps::new(op, 0).and_then(|maps| maps.only(0)) else {
        return false;
    };
    let dim = |expr: &Expr| match expr.kind() {
        ExprKind::Dim(k) => Some(*k),
        _ => None,
    };
    let Some(order) = map.results.iter().map(dim).collect::<Option<Vec<usize>>>() else {
        return false;
    };
    let rank = map.dims.len();
    order.len() == rank
        && (0..rank).all(|k| order.contains(&k))
        && order.last() != rank.checked_sub(1).as_ref()
}

/// An element at an index that is read at run time, in part.
fn dynamic<'c>(
    op: Op<'c>,
    operand: usize,
    map: &IndexingMap,
    at: &At<'_>,
) -> Result<Node<'c>, Reason> {
    if !map.constraints.is_empty() {
        return Err(Reason::new("which piece applies is known at run time only"));
    }
    let mut index = at.index(map)?;
    let mut runtime = Vec::with_capacity(map.runtime.len());
    for (k, variable) in map.runtime.iter().enumerate() {
        let atom = Atom::value(at.loops.values.len() + k);
        let value = Sum::atom(atom.clone());
        let places: Vec<usize> = (0..index.len())
            .filter(|dim| index[*dim].terms.iter().any(|(a, _)| *a == atom))
            .collect();
        let [dim] = places.as_slice() else {
            return Err(Reason::new("an index read at run time in several places"));
        };
        index[*dim] = index[*dim].minus(&value);
        if index[*dim].terms.iter().any(|(a, _)| *a == atom) {
            return Err(Reason::new("a multiple of an index read at run time"));
        }
        let source = variable.origin.value.parse().ok();
        let (Some(source), Some(origin)) = (
            source.filter(|i| *i < op.num_operands()),
            &variable.origin.index,
        ) else {
            return Err(Reason::new("an index from elsewhere"));
        };
        tensor(op.operand(source))?;
        let clamp = variable.clamp();
        let start = RuntimeIndex {
            element: (op.operand(source), at.index(origin)?),
            lo: clamp.lower,
            hi: clamp.upper,
        };
        runtime.push((*dim, start));
    }
    Ok(Node::Dynamic {
        operand: op.operand(operand),
        index,
        runtime,
    })
}

/// The index of what a reduction reads, `None` along the dimensions that it reduces.
pub fn reduced<'c>(
    op: Op<'c>,
    number: usize,
    index: &[Sum],
    loops: &Facts,
) -> Result<Node<'c>, Reason> {
    let map = Maps::new(op, number)?.only(0)?;
    let at = At::of(index, loops);
    let kept = |expr: &Expr| match expr.kind() {
        ExprKind::Range(_) => Ok(None),
        _ => at.sum(expr).map(Some),
    };
    let at = map.results.iter().map(kept).collect::<Result<_, _>>()?;
    Ok(Node::Reduce { op, number, at })
}

/// The elements of a window, or a prefix.
pub fn window<'c>(
    op: Op<'c>,
    number: usize,
    index: &[Sum],
    loops: &Facts,
) -> Result<Node<'c>, Reason> {
    let (_, shape) = tensor(op.operand(0))?;
    let (_, from) = tensor(op.result(number))?;
    if let Some((axis, reverse)) = noted::prefix(op) {
        return Ok(Node::Scan(op, axis, reverse));
    }
    let mut map = Maps::new(op, number)?.only(0)?;
    if map.constraints.iter().any(|c| remainder(&c.expr).is_some()) {
        return Err(Reason::new("a window over a dilated operand"));
    }
    // Without padding a window is within its operand, which the numbers that stand for run-time sizes do not say.
    if op.num_operands() == 2 * op.num_results()
        && let Ok(of) = attrs::Window::reduce_window(op, shape.len())
    {
        let within = |k: usize| of.padding[k].0 <= 0 && of.padding[k].1 <= 0;
        let of_dim = |expr: &Expr| (0..shape.len()).find(|k| map.results[*k] == *expr);
        let inside: Vec<bool> = (map.constraints.iter())
            .map(|c| of_dim(&c.expr).is_some_and(within))
            .collect();
        let mut inside = inside.into_iter();
        map.constraints.retain(|_| inside.next() != Some(true));
    }
    if let Some((axis, reverse)) = prefix::of_map(&map, &shape) {
        return Ok(Node::Scan(op, axis, reverse));
    }
    let sizes: Vec<i64> = map.ranges.iter().map(|s| s.interval.upper + 1).collect();
    let count = sizes
        .iter()
        .try_fold(1_i64, |n, size| n.checked_mul(*size))
        .unwrap_or(i64::MAX);
    if count > WRITTEN_OUT || is_empty(&map) {
        return Err(Reason::new(format!(
            "a window of {} elements",
            if is_empty(&map) { 0 } else { count }
        )));
    }
    let never = vec![false; from.len()];
    let mut elements = Vec::new();
    for k in 0..count {
        let mut rest = k;
        let mut within = vec![Sum::default(); sizes.len()];
        for (at, size) in within.iter_mut().zip(&sizes).rev() {
            *at = Sum::constant(rest % size);
            rest /= size;
        }
        let at = At {
            dims: index,
            ranges: &within,
            loops,
        };
        let conditions = at.conditions(&map, &[], &from, &never)?;
        let conditions = conditions.into_iter().map(Condition::of_window).collect();
        elements.push((conditions, at.index(&map)?));
    }
    Ok(Node::Window(op, number, elements))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapwright_indexing::{Variable, c, d, s};
    use proptest::prelude::*;

    /// Sums, multiples, quotients and remainders of two dimensions and a range.
    fn expressions() -> impl Strategy<Value = Expr> {
        let leaf = prop_oneof![
            (0..2_usize).prop_map(d),
            Just(s(0)),
            (-20..20_i64).prop_map(c)
        ];
        leaf.prop_recursive(4, 24, 2, |inner| {
            prop_oneof![
                (inner.clone(), inner.clone()).prop_map(|(a, b)| a + b),
                (inner.clone(), -5..6_i64).prop_map(|(a, k)| a * k),
                (inner.clone(), 1..9_i64).prop_map(|(a, m)| a.floor_div(m)),
                (inner, 1..9_i64).prop_map(|(a, m)| a.modulo(m)),
            ]
        })
    }

    fn loops(sizes: &[i64]) -> (Facts, Vec<Sum>) {
        let ranges = Facts {
            vars: sizes.iter().map(|n| (0, n - 1)).collect(),
            values: Vec::new(),
        };
        (ranges, (0..sizes.len()).map(Sum::var).collect())
    }

    proptest! {
        #[test]
        fn an_index_is_what_the_map_gives(expr in expressions()) {
            let (loops, vars) = loops(&[5, 4, 3]);
            let at = At { dims: &vars[..2], ranges: &vars[2..], loops: &loops };
            let lin = at.sum(&expr).unwrap();
            let mut map = IndexingMap::from_dims(&[5, 4], [expr]);
            map.ranges.push(Variable::of_size(3));
            for (i, j, k) in (0..60).map(|n| (n / 12, n / 3 % 4, n % 3)) {
                let expected = map.eval(&[i, j], &[k], &[]).unwrap();
                prop_assert_eq!(expected, lin.eval(&[i, j, k], &[]).map(|x| vec![x]));
            }
        }

        /// The conditions hold where the map applies and, at least as far as reading stays within the operand, nowhere else.
        #[test]
        fn conditions_hold_in_the_domain(low in -4..9_i64, step in 1..5_i64, n in 1..6_i64, whole in 1..25_i64) {
            let last = (low + (n - 1) * step).min(whole - 1);
            prop_assume!(low.max(0) <= last);
            let (loops, vars) = loops(&[whole]);
            let at = At { dims: &vars, ranges: &[], loops: &loops };
            let dim = Variable::new(Interval::new(low.max(0), last));
            let offset = d(0) - low;
            let mut map = IndexingMap::new(vec![dim], vec![offset.clone().floor_div(step)]);
            if step > 1 {
                map = map.with_constraint(offset.modulo(step), Interval::point(0));
            }
            let conditions = at.conditions(&map, &[n], &[whole], &[false]).unwrap();
            for x in 0..whole {
                let all = conditions.iter().all(|c| (c.lo..=c.hi).contains(&c.lin.eval(&[x], &[]).unwrap()));
                let inside = low.max(0) <= x && x <= last && (x - low) % step == 0;
                prop_assert_eq!(all, inside, "{}", x);
                // Between the elements too, so that lanes may read there.
                let bounds = conditions.iter().filter(|c| !c.is_periodic());
                if bounds.into_iter().all(|c| (c.lo..=c.hi).contains(&c.lin.eval(&[x], &[]).unwrap())) {
                    prop_assert!((0..n).contains(&(x - low).div_euclid(step)), "{}", x);
                }
            }
        }
    }
}
