//! Expressions over dimension, range and runtime variables.

use crate::interval::{Interval, ceil_div, floor_div};
use crate::program::{EvalError, Instr, Program};
use rustc_hash::FxHashMap;
use std::ops::{Add, Mul, Neg, Sub};
use std::sync::{Arc, LazyLock};

/// A binary operation of an [`Expr`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Op {
    /// `a + b`
    Add,
    /// `a * b`
    Mul,
    /// `a floordiv b`, rounded toward minus infinity for any sign of `b`
    FloorDiv,
    /// `a ceildiv b`, rounded toward plus infinity for any sign of `b`
    CeilDiv,
    /// `a mod b`, in `[0, |b| - 1]` for any sign of `b`
    Mod,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
}

impl Op {
    /// The operation on integers; `None` for a divisor of zero or a result beyond `i128`.
    pub fn apply(self, a: i128, b: i128) -> Option<i128> {
        match self {
            Op::Add => a.checked_add(b),
            Op::Mul => a.checked_mul(b),
            Op::FloorDiv | Op::CeilDiv | Op::Mod if b == 0 => None,
            // i128::MIN / -1 is the only quotient that does not fit.
            Op::FloorDiv | Op::CeilDiv if b == -1 => a.checked_neg(),
            Op::FloorDiv => Some(floor_div(a, b)),
            Op::CeilDiv => Some(ceil_div(a, b)),
            Op::Mod => a.checked_rem_euclid(b).or(Some(0)),
            Op::Min => Some(a.min(b)),
            Op::Max => Some(a.max(b)),
        }
    }

    /// An interval that holds every value of the operation on a value of each.
    pub(crate) fn bounds(self, a: Interval, b: Interval) -> Interval {
        match (self, b.as_point()) {
            (Op::Add, _) => a.plus(b),
            (Op::Mul, _) => a.times(b),
            (Op::FloorDiv, Some(k)) => a.floor_div_constant(k),
            (Op::CeilDiv, Some(k)) => a.negated().floor_div_constant(k).negated(),
            (Op::Mod, Some(k)) => a.modulo_constant(k),
            (Op::Mod, None) => {
                // Below the greatest magnitude of the divisor, and never above a dividend that is
                // not negative.
                let magnitude = |end: i64| match end {
                    i64::MIN | i64::MAX => i64::MAX as i128 + 1,
                    end => (end as i128).abs(),
                };
                let limit = magnitude(b.lower).max(magnitude(b.upper)) - 1;
                let upper = limit.max(0) as i64;
                Interval::new(
                    0,
                    if a.lower >= 0 {
                        upper.min(a.upper)
                    } else {
                        upper
                    },
                )
            }
            (Op::FloorDiv | Op::CeilDiv, None) => Interval::FULL,
            (Op::Min, _) => a.min(b),
            (Op::Max, _) => a.max(b),
        }
    }
}

/// Root of an expression; see [`Expr::kind`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ExprKind {
    /// An integer.
    Constant(i64),
    /// The dimension variable of this position.
    Dim(usize),
    /// The range variable of this position.
    Range(usize),
    /// The runtime variable of this position.
    Runtime(usize),
    /// An operation. `a - b` is `a + b * -1`.
    Binary(Op, Expr, Expr),
}

struct Node {
    kind: ExprKind,
    depth: u32,
    /// Least lengths of the lists of dimension, range and runtime variables.
    needs: [u32; 3],
}

/// An expression: cheap to clone (a shared pointer), built with operators.
///
/// ```
/// use mapwright_indexing::{d, s};
/// let e = d(0) * 8 + (d(1) - 3).floor_div(4) + s(0).modulo(2);
/// assert_eq!(e.to_string(), "d0 * 8 + (d1 - 3) floordiv 4 + s0 mod 2");
/// ```
///
/// Operators only fold what is trivial (constants, `+ 0`, `* 1`); everything else is the
/// simplifier's. Expressions mean mathematical integers: nothing wraps.
#[derive(Clone)]
pub struct Expr(Arc<Node>);

static ZERO: LazyLock<Expr> = LazyLock::new(|| Expr::leaf(ExprKind::Constant(0)));

/// The dimension variable at `position`.
pub fn d(position: usize) -> Expr {
    Expr::leaf(ExprKind::Dim(position))
}

/// The range variable at `position`.
pub fn s(position: usize) -> Expr {
    Expr::leaf(ExprKind::Range(position))
}

/// The runtime variable at `position`.
pub fn rt(position: usize) -> Expr {
    Expr::leaf(ExprKind::Runtime(position))
}

/// A constant.
pub fn c(value: i64) -> Expr {
    if value == 0 {
        ZERO.clone()
    } else {
        Expr::leaf(ExprKind::Constant(value))
    }
}

impl Expr {
    fn leaf(kind: ExprKind) -> Expr {
        let length = |i: usize| u32::try_from(i).map_or(u32::MAX, |i| i.saturating_add(1));
        let needs = match kind {
            ExprKind::Dim(i) => [length(i), 0, 0],
            ExprKind::Range(i) => [0, length(i), 0],
            ExprKind::Runtime(i) => [0, 0, length(i)],
            _ => [0; 3],
        };
        Expr(Arc::new(Node {
            kind,
            depth: 0,
            needs,
        }))
    }

    /// The lengths that the lists of dimension, range and runtime variables must have at least.
    #[inline]
    pub(crate) fn needs(&self) -> [u32; 3] {
        self.0.needs
    }

    /// A constant.
    pub fn constant(value: i64) -> Expr {
        c(value)
    }

    /// Root of the expression.
    pub fn kind(&self) -> &ExprKind {
        &self.0.kind
    }

    /// The operation as it stands, nothing folded.
    pub fn raw(op: Op, a: Expr, b: Expr) -> Expr {
        let depth = a.0.depth.max(b.0.depth).saturating_add(1);
        let (x, y) = (a.needs(), b.needs());
        Expr(Arc::new(Node {
            kind: ExprKind::Binary(op, a, b),
            depth,
            needs: [x[0].max(y[0]), x[1].max(y[1]), x[2].max(y[2])],
        }))
    }

    /// The operation, with trivial cases folded.
    pub fn binary(op: Op, a: Expr, b: Expr) -> Expr {
        match (a.as_constant(), b.as_constant()) {
            (Some(x), Some(y)) => {
                if let Some(Ok(v)) = op.apply(x as i128, y as i128).map(i64::try_from) {
                    return c(v);
                }
            }
            (Some(0), None) if op == Op::Add => return b,
            (Some(1), None) if op == Op::Mul => return b,
            (None, Some(0)) if op == Op::Add => return a,
            (None, Some(1)) if matches!(op, Op::Mul | Op::FloorDiv | Op::CeilDiv) => return a,
            // A constant factor stands on the right.
            (Some(_), None) if op == Op::Mul => return Expr::binary(op, b, a),
            (None, Some(-1)) if op == Op::Mul => return negate(a),
            _ => {}
        }
        Expr::raw(op, a, b)
    }

    /// The value, if the expression is a constant.
    pub fn as_constant(&self) -> Option<i64> {
        match self.kind() {
            ExprKind::Constant(v) => Some(*v),
            _ => None,
        }
    }

    /// `self floordiv divisor`.
    pub fn floor_div(self, divisor: impl Into<Expr>) -> Expr {
        Expr::binary(Op::FloorDiv, self, divisor.into())
    }

    /// `self ceildiv divisor`.
    pub fn ceil_div(self, divisor: impl Into<Expr>) -> Expr {
        Expr::binary(Op::CeilDiv, self, divisor.into())
    }

    /// `self mod divisor`, never negative.
    pub fn modulo(self, divisor: impl Into<Expr>) -> Expr {
        Expr::binary(Op::Mod, self, divisor.into())
    }

    /// `min(self, other)`.
    pub fn min(self, other: impl Into<Expr>) -> Expr {
        Expr::binary(Op::Min, self, other.into())
    }

    /// `max(self, other)`.
    pub fn max(self, other: impl Into<Expr>) -> Expr {
        Expr::binary(Op::Max, self, other.into())
    }

    /// True if both are the same object; equal expressions need not be.
    pub fn same_object(&self, other: &Expr) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// True if other expressions may contain the same object, and it is worth to find out.
    pub(crate) fn may_be_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1 && self.0.depth > 0
    }

    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// The expression with every variable replaced; `f` gets only variables. Shared parts are
    /// visited once.
    pub fn replace(&self, mut f: impl FnMut(&ExprKind) -> Expr) -> Expr {
        replace_all(std::slice::from_ref(self), &mut f)
            .pop()
            .unwrap_or_else(|| c(0))
    }

    /// The value under an assignment.
    ///
    /// # Errors
    /// [`EvalError`] for a divisor of zero, an unknown variable, a value beyond `i64` or one on the
    /// way beyond 128 bits.
    pub fn eval(&self, dims: &[i64], ranges: &[i64], runtime: &[i64]) -> Result<i64, EvalError> {
        let program = Program::new(std::slice::from_ref(self));
        let mut values = Vec::new();
        program.run(dims, ranges, runtime, &mut values)?;
        program.result(0, &values)
    }

    /// Calls `f` for every variable that occurs, once for each place.
    pub fn for_each_variable(&self, mut f: impl FnMut(&ExprKind)) {
        for instr in &Program::new(std::slice::from_ref(self)).instrs {
            match *instr {
                Instr::Dim(i) => f(&ExprKind::Dim(i as usize)),
                Instr::Range(i) => f(&ExprKind::Range(i as usize)),
                Instr::Runtime(i) => f(&ExprKind::Runtime(i as usize)),
                _ => {}
            }
        }
    }

    /// True if `min` or `max` occurs.
    pub fn has_min_max(&self) -> bool {
        Program::new(std::slice::from_ref(self))
            .instrs
            .iter()
            .any(|i| matches!(i, Instr::Binary(Op::Min | Op::Max, ..)))
    }

    /// True if `range`s of the variables are enough to bound the value; the result holds every
    /// value. Subexpressions are taken apart, so this is only a first bound; the simplifier knows
    /// better.
    pub fn bounds(&self, dims: &[Interval], ranges: &[Interval], runtime: &[Interval]) -> Interval {
        let program = Program::new(std::slice::from_ref(self));
        let at =
            |list: &[Interval], i: u32| list.get(i as usize).copied().unwrap_or(Interval::FULL);
        let mut values: Vec<Interval> = Vec::with_capacity(program.instrs.len());
        for instr in &program.instrs {
            let v = match *instr {
                Instr::Constant(v) => Interval::point(v),
                Instr::Dim(i) => at(dims, i),
                Instr::Range(i) => at(ranges, i),
                Instr::Runtime(i) => at(runtime, i),
                Instr::Binary(op, a, b) => op.bounds(values[a as usize], values[b as usize]),
            };
            values.push(v);
        }
        values.last().copied().unwrap_or(Interval::FULL)
    }

    /// The number of operations: binary nodes of the text; `a - b` is one, `-x + y` is one, `-x`
    /// alone is one.
    pub fn operation_count(&self) -> usize {
        let program = Program::new(std::slice::from_ref(self));
        let n = program.instrs.len();
        // Counted as a tree: a shared node counts at every place where it stands.
        let mut own = vec![0usize; n];
        // A negated term is free in a sum that has a term which is not.
        let mut negated = vec![false; n];
        for (i, instr) in program.instrs.iter().enumerate() {
            if let Instr::Binary(op, a, b) = *instr {
                let (a, b) = (a as usize, b as usize);
                let total = own[a].saturating_add(own[b]);
                match op {
                    Op::Mul if matches!(program.instrs[b], Instr::Constant(-1)) => {
                        own[i] = total;
                        negated[i] = true;
                    }
                    Op::Add => {
                        negated[i] = negated[a] && negated[b];
                        own[i] = total.saturating_add(1);
                    }
                    _ => {
                        let signs = usize::from(negated[a]) + usize::from(negated[b]);
                        own[i] = total.saturating_add(1 + signs);
                    }
                }
            }
        }
        program
            .roots
            .first()
            .map_or(0, |r| own[*r as usize] + usize::from(negated[*r as usize]))
    }
}

/// Replaces the variables of several expressions; parts shared between them stay shared.
pub(crate) fn replace_all(exprs: &[Expr], f: &mut dyn FnMut(&ExprKind) -> Expr) -> Vec<Expr> {
    let program = Program::new(exprs);
    let mut values: Vec<Expr> = Vec::with_capacity(program.instrs.len());
    for instr in &program.instrs {
        let e = match *instr {
            Instr::Constant(v) => c(v),
            Instr::Dim(i) => f(&ExprKind::Dim(i as usize)),
            Instr::Range(i) => f(&ExprKind::Range(i as usize)),
            Instr::Runtime(i) => f(&ExprKind::Runtime(i as usize)),
            Instr::Binary(op, a, b) => {
                Expr::binary(op, values[a as usize].clone(), values[b as usize].clone())
            }
        };
        values.push(e);
    }
    program
        .roots
        .iter()
        .map(|r| values[*r as usize].clone())
        .collect()
}

impl Drop for Expr {
    /// Long chains are taken apart in a loop: a recursive drop would run out of stack.
    fn drop(&mut self) {
        if self.0.depth < 128 {
            return;
        }
        let mut pending = Vec::new();
        let take = |node: &mut Arc<Node>, pending: &mut Vec<Expr>| {
            if let Some(node) = Arc::get_mut(node)
                && let ExprKind::Binary(_, a, b) = &mut node.kind
            {
                pending.push(std::mem::replace(a, ZERO.clone()));
                pending.push(std::mem::replace(b, ZERO.clone()));
                node.depth = 0;
            }
        };
        take(&mut self.0, &mut pending);
        while let Some(mut e) = pending.pop() {
            take(&mut e.0, &mut pending);
        }
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        let mut stack = vec![(self, other)];
        let mut seen: FxHashMap<(usize, usize), ()> = FxHashMap::default();
        while let Some((a, b)) = stack.pop() {
            if a.same_object(b) {
                continue;
            }
            match (a.kind(), b.kind()) {
                (ExprKind::Binary(p, a1, a2), ExprKind::Binary(q, b1, b2)) => {
                    if p != q || a.0.depth != b.0.depth {
                        return false;
                    }
                    // Only shared nodes can be met twice.
                    if Arc::strong_count(&a.0) > 1
                        && seen.insert((a.address(), b.address()), ()).is_some()
                    {
                        continue;
                    }
                    stack.push((a1, b1));
                    stack.push((a2, b2));
                }
                (ExprKind::Constant(x), ExprKind::Constant(y)) if x == y => {}
                (ExprKind::Dim(x), ExprKind::Dim(y)) if x == y => {}
                (ExprKind::Range(x), ExprKind::Range(y)) if x == y => {}
                (ExprKind::Runtime(x), ExprKind::Runtime(y)) if x == y => {}
                _ => return false,
            }
        }
        true
    }
}

impl Eq for Expr {}

impl std::hash::Hash for Expr {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        for instr in &Program::new(std::slice::from_ref(self)).instrs {
            instr.hash(state);
        }
    }
}

impl std::fmt::Debug for Expr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Expr {
        c(value)
    }
}

impl From<&Expr> for Expr {
    fn from(value: &Expr) -> Expr {
        value.clone()
    }
}

/// `-e`; the sign goes into a constant or a constant factor.
pub(crate) fn negate(e: Expr) -> Expr {
    if let Some(v) = e.as_constant().and_then(i64::checked_neg) {
        return c(v);
    }
    if let ExprKind::Binary(Op::Mul, x, k) = e.kind()
        && let Some(k) = k.as_constant().and_then(i64::checked_neg)
    {
        return if k == 1 {
            x.clone()
        } else {
            Expr::raw(Op::Mul, x.clone(), c(k))
        };
    }
    Expr::raw(Op::Mul, e, c(-1))
}

impl<T: Into<Expr>> Add<T> for Expr {
    type Output = Expr;
    fn add(self, other: T) -> Expr {
        Expr::binary(Op::Add, self, other.into())
    }
}

impl<T: Into<Expr>> Sub<T> for Expr {
    type Output = Expr;
    fn sub(self, other: T) -> Expr {
        Expr::binary(Op::Add, self, negate(other.into()))
    }
}

impl<T: Into<Expr>> Mul<T> for Expr {
    type Output = Expr;
    fn mul(self, other: T) -> Expr {
        Expr::binary(Op::Mul, self, other.into())
    }
}

impl Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        negate(self)
    }
}
