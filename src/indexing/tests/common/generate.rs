//! Random maps, biased toward what is hard: negative coefficients and divisors, sizes that do not
//! divide, nested divisions, constraints that bite, points, empty ranges, values near the ends of
//! 64 bits, and what reshapes make.
#![allow(dead_code)]

use super::Random;
use mapwright_indexing::{
    Constraint, Expr, ExprKind, IndexingMap, Interval, Op, RuntimeVariable, Variable, c, d, rt, s,
};

const SMALL: [i64; 20] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, -1, -2, -3, -4, -5, -8, 11,
];
const LARGE: [i64; 8] = [
    i64::MAX,
    i64::MIN,
    i64::MAX - 1,
    i64::MIN + 1,
    1 << 62,
    -(1 << 62),
    1 << 32,
    3037000499,
];

fn interval(r: &mut Random, huge: bool) -> Interval {
    match if huge {
        r.below(10)
    } else {
        r.pick(&[0, 0, 1, 5, 6, 7, 8, 9]) + 30 * usize::from(r.chance(70))
    } {
        0 => Interval::point(r.pick(&[-7, -1, 0, 1, 5, 9])),
        1 if r.chance(20) => Interval::EMPTY,
        2 => Interval::new(i64::MAX - r.below(4) as i64, i64::MAX),
        3 => Interval::new(i64::MIN, i64::MIN + r.below(4) as i64),
        4 => Interval::new(i64::MIN, i64::MAX),
        5..12 => {
            let lower = -(r.below(12) as i64);
            Interval::new(lower, lower + r.below(12) as i64)
        }
        _ => Interval::of_size(1 + r.below(13) as i64),
    }
}

struct Scope {
    variables: Vec<(Expr, Interval)>,
}

fn constant(r: &mut Random) -> i64 {
    if r.chance(2) {
        r.pick(&LARGE)
    } else {
        r.pick(&SMALL)
    }
}

fn variable(r: &mut Random, scope: &Scope) -> Expr {
    if scope.variables.is_empty() {
        c(r.pick(&SMALL))
    } else {
        scope.variables[r.below(scope.variables.len())].0.clone()
    }
}

/// Any expression.
fn expression(r: &mut Random, scope: &Scope, depth: usize) -> Expr {
    if depth == 0 || r.chance(15) {
        return if r.chance(80) {
            variable(r, scope)
        } else {
            c(constant(r))
        };
    }
    let a = expression(r, scope, depth - 1);
    match r.below(24) {
        0..7 => Expr::raw(Op::Add, a, expression(r, scope, depth - 1)),
        7..9 => Expr::raw(Op::Add, a, c(constant(r))),
        9..13 => Expr::raw(Op::Mul, a, c(constant(r))),
        13..17 => Expr::raw(Op::FloorDiv, a, c(constant(r))),
        17..21 => Expr::raw(Op::Mod, a, c(constant(r))),
        21 => Expr::raw(Op::CeilDiv, a, c(constant(r))),
        22 => Expr::raw(
            if r.chance(50) { Op::Min } else { Op::Max },
            a,
            expression(r, scope, depth - 1),
        ),
        _ => {
            let op = r.pick(&[Op::Mul, Op::FloorDiv, Op::Mod, Op::Add]);
            let b = variable(r, scope);
            Expr::raw(op, a, b)
        }
    }
}

/// A linear form of the variables.
fn linear(r: &mut Random, scope: &Scope) -> Expr {
    let mut e = c(r.pick(&[0, 0, 1, -1, 3, -7, 10]));
    let n = 1 + r.below(3);
    for _ in 0..n {
        e = Expr::raw(
            Op::Add,
            e,
            Expr::raw(Op::Mul, variable(r, scope), c(r.pick(&SMALL))),
        );
    }
    e
}

/// The position of an index in a linearised space, as a reshape computes it.
fn linearised(r: &mut Random, scope: &Scope) -> (Expr, i64) {
    let mut e = c(0);
    let mut size: i64 = 1;
    let mut variables = scope.variables.clone();
    for _ in 0..1 + r.below(3) {
        if variables.is_empty() {
            break;
        }
        let (v, i) = variables.swap_remove(r.below(variables.len()));
        let Ok(n) = i64::try_from(i.len()) else {
            continue;
        };
        let Some(next) = size.checked_mul(n.max(1)) else {
            continue;
        };
        let v = if r.chance(15) {
            Expr::raw(Op::Add, Expr::raw(Op::Mul, v, c(-1)), c(i.upper))
        } else {
            Expr::raw(Op::Add, v, c(i.lower.wrapping_neg()))
        };
        e = Expr::raw(Op::Add, e, Expr::raw(Op::Mul, v, c(size)));
        size = next;
    }
    (e, size)
}

fn divisor_of(r: &mut Random, n: i64) -> i64 {
    let all: Vec<i64> = (1..=n.min(2000)).filter(|k| n % k == 0).collect();
    if all.is_empty() || r.chance(10) {
        r.pick(&SMALL).abs()
    } else {
        r.pick(&all)
    }
}

/// Digits of a linearised index, put together again in some way.
fn reshaped(r: &mut Random, scope: &Scope) -> Expr {
    let (mut e, size) = linearised(r, scope);
    for _ in 0..1 + r.below(3) {
        let p = divisor_of(r, size);
        let q = divisor_of(r, size / p.max(1));
        let low = Expr::raw(Op::Mod, e.clone(), c(p));
        let high = Expr::raw(Op::FloorDiv, e.clone(), c(p));
        e = match r.below(6) {
            0 => low,
            1 => high,
            2 => Expr::raw(Op::Add, Expr::raw(Op::Mul, high, c(p)), low),
            3 => Expr::raw(
                Op::Add,
                Expr::raw(Op::Mul, low, c((size / p.max(1)).max(1))),
                high,
            ),
            4 => Expr::raw(Op::Add, e, Expr::raw(Op::Mul, high, c(p.wrapping_neg()))),
            _ => {
                let middle = Expr::raw(Op::Mod, high, c(q));
                Expr::raw(Op::Add, Expr::raw(Op::Mul, middle, c(p)), low)
            }
        };
    }
    e
}

fn any(r: &mut Random, scope: &Scope) -> Expr {
    match r.below(10) {
        0..3 => reshaped(r, scope),
        3 => linear(r, scope),
        4..6 => {
            let e = linear(r, scope);
            let k = c(constant(r));
            Expr::raw(r.pick(&[Op::FloorDiv, Op::Mod]), e, k)
        }
        _ => {
            let depth = 1 + r.below(4);
            expression(r, scope, depth)
        }
    }
}

/// A map; `limit` bounds the number of points of its box, unless a variable is huge.
pub fn map(r: &mut Random, limit: u128) -> IndexingMap {
    let huge = r.chance(2);
    let mut dims: Vec<Variable> = (0..r.below(4)).map(|_| interval(r, huge).into()).collect();
    let mut ranges: Vec<Variable> = (0..r.pick(&[0, 0, 1, 2]))
        .map(|_| interval(r, huge).into())
        .collect();
    let runtime: Vec<RuntimeVariable> = (0..r.pick(&[0, 0, 0, 1]))
        .map(|_| RuntimeVariable::new(interval(r, huge), "", None))
        .collect();
    let mut boxed: u128 = 1;
    for v in dims.iter_mut().chain(&mut ranges) {
        let len = v.interval.len();
        if boxed.saturating_mul(len) > limit && len < 1 << 20 {
            v.interval.upper = v.interval.lower.saturating_add(1);
        }
        boxed = boxed.saturating_mul(v.interval.len().clamp(1, 1 << 20));
    }
    let mut scope = Scope {
        variables: Vec::new(),
    };
    scope
        .variables
        .extend(dims.iter().enumerate().map(|(i, v)| (d(i), v.interval)));
    scope
        .variables
        .extend(ranges.iter().enumerate().map(|(i, v)| (s(i), v.interval)));
    scope
        .variables
        .extend(runtime.iter().enumerate().map(|(i, v)| (rt(i), v.interval)));
    let results = (0..1 + r.below(2)).map(|_| any(r, &scope)).collect();
    let mut map = IndexingMap::new(dims, results);
    map.set_ranges(ranges);
    map.edit(|m| m.runtime = runtime);
    if r.chance(45) {
        for _ in 0..1 + r.below(3) {
            let constraint = constraint(r, &scope, &map);
            map.push_constraint(constraint);
        }
    }
    map
}

fn constraint(r: &mut Random, scope: &Scope, map: &IndexingMap) -> Constraint {
    let expr = match r.below(8) {
        0..3 => {
            let e = if r.chance(60) {
                linear(r, scope)
            } else {
                variable(r, scope)
            };
            Expr::raw(Op::Mod, e, c(r.pick(&SMALL)))
        }
        3..5 => linear(r, scope),
        5 => variable(r, scope),
        _ => any(r, scope),
    };
    // A value that the expression takes somewhere, so that the constraint bites without emptying
    // the domain.
    let mut point = |vs: Vec<Interval>| -> Vec<i64> {
        vs.into_iter()
            .map(|i| if i.is_empty() { 0 } else { r.within(i) })
            .collect()
    };
    let dims = point(map.dims().iter().map(|v| v.interval).collect());
    let ranges = point(map.ranges().iter().map(|v| v.interval).collect());
    let runtime = point(map.runtime().iter().map(|v| v.interval).collect());
    let value = expr.eval(&dims, &ranges, &runtime).unwrap_or(0);
    let (below, above) = (
        r.pick(&[0, 0, 0, 1, 2, 5, 20]),
        r.pick(&[0, 0, 0, 1, 3, 7, 100]),
    );
    let interval = match r.below(30) {
        0 => Interval::new(i64::MIN, value),
        1 => Interval::new(value, i64::MAX),
        2 => Interval::new(value.saturating_add(1), value),
        _ => Interval::new(value.saturating_sub(below), value.saturating_add(above)),
    };
    Constraint { expr, interval }
}

/// The map with values near the ends of 64 bits: intervals of variables moved there, large
/// constants, constraints around values that are met, which end where the numbers do.
pub fn at_the_ends(r: &mut Random, map: &IndexingMap) -> IndexingMap {
    let mut map = map.clone();
    let move_interval = |r: &mut Random, i: Interval| {
        let width = i.upper.saturating_sub(i.lower).clamp(0, 1 << 12);
        match r.below(10) {
            0 | 1 => {
                let upper = i64::MAX - r.below(4) as i64;
                Interval::new(upper - width, upper)
            }
            2 | 3 => {
                let lower = i64::MIN + r.below(4) as i64;
                Interval::new(lower, lower + width)
            }
            4 => Interval::new(i.lower, i64::MAX - r.below(2) as i64),
            _ => i,
        }
    };
    map.edit(|m| {
        for v in m.dims.iter_mut().chain(&mut m.ranges) {
            v.interval = move_interval(r, v.interval);
        }
        for v in &mut m.runtime {
            v.interval = move_interval(r, v.interval);
        }
        for e in &mut m.results {
            *e = large_constants(r, e);
        }
    });
    for i in 0..map.constraints().len() {
        map.edit(|m| m.constraints[i].expr = large_constants(r, &m.constraints[i].expr));
        let mut value = None;
        for _ in 0..8 {
            let mut point = |v: Interval| -> i64 { if v.is_empty() { 0 } else { r.within(v) } };
            let dims: Vec<i64> = map.dims().iter().map(|v| point(v.interval)).collect();
            let ranges: Vec<i64> = map.ranges().iter().map(|v| point(v.interval)).collect();
            let runtime: Vec<i64> = map.runtime().iter().map(|v| point(v.interval)).collect();
            value = map.constraints()[i]
                .expr
                .eval(&dims, &ranges, &runtime)
                .ok();
            if value.is_some() {
                break;
            }
        }
        let value = value.unwrap_or(0);
        let below = r.pick(&[0, 0, 1, 2, 5, 1 << 40]);
        let above = r.pick(&[0, 0, 1, 2, 5, 1 << 40]);
        let lower = if r.chance(15) {
            i64::MIN + r.below(2) as i64
        } else {
            value.saturating_sub(below)
        };
        let upper = if r.chance(15) {
            i64::MAX - r.below(2) as i64
        } else {
            value.saturating_add(above)
        };
        map.edit(|m| m.constraints[i].interval = Interval::new(lower, upper));
    }
    map
}

fn large_constants(r: &mut Random, e: &Expr) -> Expr {
    match e.kind() {
        ExprKind::Constant(v) if r.chance(20) => match r.below(4) {
            0 => c(r.pick(&LARGE)),
            1 => c(i64::MAX - r.below(8) as i64),
            2 => c(i64::MIN + r.below(8) as i64),
            _ => c(v.saturating_mul(1 << r.below(60))),
        },
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (large_constants(r, a), large_constants(r, b));
            Expr::raw(*op, a, b)
        }
        _ => e.clone(),
    }
}

/// Makes a failing map smaller as long as it fails.
pub fn shrink(map: &IndexingMap, fails: &dyn Fn(&IndexingMap) -> bool) -> IndexingMap {
    let mut map = map.clone();
    // An interval of 64 bits could go down one by one.
    for _ in 0..1000 {
        let Some(smaller) = smaller(&map).into_iter().find(|m| fails(m)) else {
            return map;
        };
        map = smaller;
    }
    map
}

fn smaller(map: &IndexingMap) -> Vec<IndexingMap> {
    let mut all = Vec::new();
    for i in 0..map.results().len() {
        let mut m = map.clone();
        m.edit(|m| m.results.remove(i));
        all.push(m);
    }
    for i in 0..map.constraints().len() {
        let mut m = map.clone();
        m.edit(|m| m.constraints.remove(i));
        all.push(m);
    }
    for i in 0..map.results().len() {
        for e in smaller_expr(&map.results()[i]) {
            let mut m = map.clone();
            m.edit(|m| m.results[i] = e);
            all.push(m);
        }
    }
    for i in 0..map.constraints().len() {
        for e in smaller_expr(&map.constraints()[i].expr) {
            let mut m = map.clone();
            m.edit(|m| m.constraints[i].expr = e);
            all.push(m);
        }
        for k in smaller_interval(map.constraints()[i].interval) {
            let mut m = map.clone();
            m.edit(|m| m.constraints[i].interval = k);
            all.push(m);
        }
    }
    for i in 0..map.dims().len() {
        for k in smaller_interval(map.dims()[i].interval) {
            let mut m = map.clone();
            m.dims_mut()[i].interval = k;
            all.push(m);
        }
    }
    for i in 0..map.ranges().len() {
        for k in smaller_interval(map.ranges()[i].interval) {
            let mut m = map.clone();
            m.ranges_mut()[i].interval = k;
            all.push(m);
        }
    }
    all
}

fn smaller_interval(i: Interval) -> Vec<Interval> {
    if i.len() <= 1 {
        return Vec::new();
    }
    let middle = ((i.lower as i128 + i.upper as i128) / 2) as i64;
    let mut list = vec![
        Interval::new(i.lower, middle),
        Interval::new(i.lower, i.upper - 1),
        Interval::new(i.lower + 1, i.upper),
    ];
    list.retain(|x| x.len() < i.len());
    list
}

fn smaller_expr(e: &Expr) -> Vec<Expr> {
    match e.kind() {
        ExprKind::Constant(0) => Vec::new(),
        ExprKind::Constant(v) => [0, 1, v / 2, v - v.signum()]
            .into_iter()
            .filter(|x| x.unsigned_abs() < v.unsigned_abs())
            .map(c)
            .collect(),
        ExprKind::Binary(op, a, b) => {
            let mut all = vec![a.clone(), b.clone()];
            for x in smaller_expr(a) {
                all.push(Expr::raw(*op, x, b.clone()));
            }
            for y in smaller_expr(b) {
                all.push(Expr::raw(*op, a.clone(), y));
            }
            all
        }
        _ => Vec::new(),
    }
}
