//! Piecewise functions of one variable, element by element: their derivative is computed forwards.
//!
//! A function that is put together from pieces by `select` computes all of them everywhere.
//! Backwards, the cotangent goes through each piece, and has to be kept out of those that were not
//! selected (see [`masks`](super::masks)), each of which needs what it computed once more. Forwards
//! the derivative of a `select` is a `select` of derivatives: one operation, which leaves out what
//! the others gave. What all pieces follow from is the one variable.
//!
//! The derivative by the variable is the product of those along its chain of *dominators*: values
//! that everything between them follows from. So the derivative of a polynomial is that by its own
//! variable, times that of the variable.

use super::{
    elementwise::is_complex,
    error_functions,
    reverse::{Reverse, is_elementwise},
};
use crate::{rewrite::Result, tarray::make::Make};
use mapwright_mlir::{ElementType, Op, TensorType, Val, melior::ir::ValueLike, op};
use std::collections::HashMap;

/// Most operations of a function.
const MOST: usize = 256;

/// A condition, and what it has to be.
type Condition<'c> = (Val<'c>, bool);

/// A derivative: that of a value by itself is one, and is not multiplied by.
#[derive(Clone)]
enum Slope<'c> {
    One,
    Zero,
    Value(Val<'c>),
    /// The derivative where all branches of `select`s are taken, elsewhere zero, whatever it is
    /// multiplied by: outer derivatives may be infinite at what the other branches give.
    Selected(Vec<Condition<'c>>, Box<Slope<'c>>),
}

impl<'c> Slope<'c> {
    /// Zero where a branch is not selected.
    fn selected(self, branch: Condition<'c>) -> Self {
        match self {
            Self::Zero => Self::Zero,
            Self::Selected(mut branches, inner) => {
                branches.push(branch);
                Self::Selected(branches, inner)
            }
            other => Self::Selected(vec![branch], Box::new(other)),
        }
    }

    /// The derivative inside of the branches, and these.
    fn split_branches(self) -> (Vec<Condition<'c>>, Self) {
        match self {
            Self::Selected(branches, inner) => (branches, *inner),
            other => (Vec::new(), other),
        }
    }

    fn within(self, branches: Vec<Condition<'c>>) -> Self {
        branches.into_iter().fold(self, Self::selected)
    }

    /// Of a function of a function.
    fn times(self, inner: Self, m: &Make<'c>) -> Self {
        let ((mut branches, outer), (more, inner)) =
            (self.split_branches(), inner.split_branches());
        branches.extend(more);
        let product = match (outer, inner) {
            (Self::Zero, _) | (_, Self::Zero) => return Self::Zero,
            (Self::Value(a), Self::Value(b)) => Self::Value(m.same("multiply", &[a, b])),
            (Self::One, other) | (other, _) => other,
        };
        product.within(branches)
    }

    /// As a value like `like`.
    fn value(self, m: &Make<'c>, like: Val<'c>) -> Val<'c> {
        let (element, shape) = m.type_of(like);
        let (branches, inner) = self.split_branches();
        let value = match inner {
            Self::One => m.number(1.0, &element, &shape),
            Self::Value(value) => value,
            _ => m.zeros(&element, &shape),
        };
        branches.into_iter().fold(value, |value, (condition, yes)| {
            m.where_is(condition, yes, value)
        })
    }
}

/// Returns the condition under which the derivative of a `select` is not zero, where neither side's
/// is zero everywhere; `None` if it may be nonzero everywhere.
fn alive<'c>(
    m: &Make<'c>,
    (condition, yes, no): (Val<'c>, &Slope<'c>, &Slope<'c>),
    like: Val<'c>,
) -> Option<Val<'c>> {
    let (_, shape) = m.type_of(like);
    let branches = |slope: &Slope<'c>| match slope {
        Slope::Selected(branches, _) => branches.clone(),
        _ => Vec::new(),
    };
    let (yes, no) = (branches(yes), branches(no));
    let fits = |(condition, _): &Condition<'c>| m.type_of(*condition).1 == shape;
    if (yes.is_empty() && no.is_empty()) || !yes.iter().chain(&no).all(fits) {
        return None;
    }
    let all = |branches: Vec<Condition<'c>>| {
        let each = branches.into_iter().map(|(condition, yes)| {
            if yes {
                condition
            } else {
                m.same("not", &[condition])
            }
        });
        each.reduce(|a, b| m.and(a, b))
            .unwrap_or_else(|| m.splat("true", &ElementType::Bool, &shape))
    };
    Some(m.select(condition, all(yes), all(no)))
}

/// The operations between a variable and a value, from the first.
struct Function<'c> {
    variable: Val<'c>,
    ops: Vec<Op<'c>>,
}

impl<'c> Reverse<'c> {
    /// The cotangent of the variable that the result of `op` is a piecewise function of. False
    /// where it is not one.
    pub(super) fn by_one_variable(&self, op: Op<'c>, given: Val<'c>) -> Result<'c, bool> {
        let Some(function) = self.function_of_one(op) else {
            return Ok(false);
        };
        let slope = Slopes::new(self, &function).slope_of(op.result(0))?;
        let variable = function.variable;
        if matches!(slope, Slope::Zero) {
            return Ok(true);
        }
        let part = Slope::Value(given).times(slope, &self.m);
        let part = part.value(&self.m, given);
        self.give(variable, self.masked(op, variable, part));
        Ok(true)
    }

    /// The greatest function of one variable that the result of `op` is, if there are pieces in it.
    fn function_of_one(&self, op: Op<'c>) -> Option<Function<'c>> {
        let ty = |value: Val<'c>| TensorType::from_mlir(value.r#type());
        let own = ty(op.result(0)).filter(|ty| !is_complex(&ty.element))?;
        let fits = |op: Op<'c>| {
            is_elementwise(op)
                && op.block().map(|b| b.to_raw().ptr) == own_block(op)
                && ty(op.result(0)).as_ref() == Some(&own)
                && op
                    .operands()
                    .into_iter()
                    .all(|v| !self.is_active(v) || ty(v).as_ref() == Some(&own))
        };
        if !fits(op) {
            return None;
        }
        let mut ops = vec![op];
        let mut pieces = usize::from(op.is_hlo("select"));
        let mut open: Vec<Val<'c>> = self.active_operands(op);
        let mut found: Option<(Val<'c>, usize)> = None;
        loop {
            if let [only] = open[..]
                && pieces > 0
            {
                found = Some((only, ops.len()));
            }
            // The last of them: all that reads it is known.
            let last = (open.iter().filter_map(|value| op::defining_op(*value)))
                .map(|(made, _)| made)
                .filter(|made| made.block().map(|b| b.to_raw().ptr) == own_block(op))
                .reduce(|a, b| if op::is_before(a, b) { b } else { a });
            let inside = last.filter(|made| {
                fits(*made) && ops.len() < MOST && self.is_read_by(made.result(0), &ops)
            });
            let Some(made) = inside else { break };
            open.retain(|value| op::key(*value) != op::key(made.result(0)));
            for value in self.active_operands(made) {
                if !open.iter().any(|other| op::key(*other) == op::key(value)) {
                    open.push(value);
                }
            }
            pieces += usize::from(made.is_hlo("select"));
            ops.push(made);
        }
        let (variable, count) = found?;
        ops.truncate(count);
        ops.reverse();
        Some(Function { variable, ops })
    }

    /// Returns the operands that depend on the chosen arguments, each once.
    fn active_operands(&self, op: Op<'c>) -> Vec<Val<'c>> {
        let mut found: Vec<Val<'c>> = Vec::new();
        for value in op.operands() {
            if self.is_active(value) && !found.iter().any(|v| op::key(*v) == op::key(value)) {
                found.push(value);
            }
        }
        found
    }

    /// Tells whether no operation but `ops` adds to the cotangent of a value.
    fn is_read_by(&self, value: Val<'c>, ops: &[Op<'c>]) -> bool {
        self.cotangent(value).is_none()
            && op::uses(value).into_iter().all(|(user, _)| {
                let results = user.results();
                let none = !results.is_empty()
                    && user.num_regions() == 0
                    && !results.into_iter().any(|result| self.is_active(result));
                none || ops.contains(&user)
            })
    }
}

fn own_block(op: Op<'_>) -> Option<*mut std::ffi::c_void> {
    op.block().map(|b| b.to_raw().ptr)
}

/// The derivatives of the values of a function.
struct Slopes<'a, 'c> {
    reverse: &'a Reverse<'c>,
    /// The operation that each value is the result of.
    made: HashMap<usize, Op<'c>>,
    /// The place of each value in the function; the variable has the first.
    places: HashMap<usize, usize>,
    values: Vec<Val<'c>>,
    /// The place of the last value that everything between the variable and a value follows from.
    dominators: Vec<usize>,
    known: HashMap<(usize, usize), Slope<'c>>,
}

impl<'a, 'c> Slopes<'a, 'c> {
    fn new(reverse: &'a Reverse<'c>, function: &Function<'c>) -> Self {
        let mut slopes = Self {
            reverse,
            made: HashMap::new(),
            places: HashMap::from([(op::key(function.variable), 0)]),
            values: vec![function.variable],
            dominators: vec![0],
            known: HashMap::new(),
        };
        for op in &function.ops {
            let value = op.result(0);
            let of = reverse.active_operands(*op);
            let of = of
                .into_iter()
                .filter_map(|v| slopes.places.get(&op::key(v)).copied());
            let dominator = of.reduce(|a, b| slopes.common(a, b)).unwrap_or(0);
            slopes.made.insert(op::key(value), *op);
            slopes.places.insert(op::key(value), slopes.values.len());
            slopes.values.push(value);
            slopes.dominators.push(dominator);
        }
        slopes
    }

    /// The last value that two follow from.
    fn common(&self, a: usize, b: usize) -> usize {
        let (mut a, mut b) = (a, b);
        while a != b {
            if a > b {
                a = self.dominators[a]
            } else {
                b = self.dominators[b]
            }
        }
        a
    }

    /// By the variable.
    fn slope_of(&mut self, value: Val<'c>) -> Result<'c, Slope<'c>> {
        // From the first on, so that no derivative is asked for far ahead.
        for place in 1..self.values.len() {
            self.by(place, self.dominators[place])?;
        }
        let place = self.places.get(&op::key(value)).copied().unwrap_or(0);
        self.by(place, 0)
    }

    /// Of the value at one place by that at a place that it follows from.
    fn by(&mut self, place: usize, base: usize) -> Result<'c, Slope<'c>> {
        if place == base {
            return Ok(Slope::One);
        }
        if let Some(known) = self.known.get(&(place, base)) {
            return Ok(known.clone());
        }
        let dominator = self.dominators[place];
        let found = if let Some((inner, outer)) = self.of_inner(place, base) {
            Slope::Value(outer).times(self.by(inner, base)?, &self.reverse.m)
        } else if dominator != base {
            let inner = self.by(dominator, base)?;
            let outer = self.by(place, dominator)?;
            outer.times(inner, &self.reverse.m)
        } else if let Some(known) = self.of_error_function(place, base) {
            known
        } else {
            self.of_op(self.made[&op::key(self.values[place])], base)?
        };
        self.known.insert((place, base), found.clone());
        Ok(found)
    }

    /// By a value between the two, past the steps to it.
    fn of_inner(&self, place: usize, base: usize) -> Option<(usize, Val<'c>)> {
        let op = *self.made.get(&op::key(self.values[place]))?;
        if op.short_name() == "divide" && self.reverse.is_active(op.operand(0)) {
            return None;
        }
        let at = |x: Val<'c>| self.places.get(&op::key(x)).copied();
        let between = |x: Val<'c>| at(x).is_some_and(|at| at >= base);
        self.reverse.m.b.set_location(op.location());
        let (x, slope) = self.reverse.by_inner(op, &between)?;
        Some((at(x)?, slope))
    }

    /// Of a value that approximates an error function of its dominator: one exponential, instead of
    /// the derivatives of its pieces.
    fn of_error_function(&self, place: usize, base: usize) -> Option<Slope<'c>> {
        let (value, x) = (self.values[place], self.values[base]);
        let made = self.made.get(&op::key(value))?;
        if !made.is_hlo("select") {
            return None;
        }
        let m = &self.reverse.m;
        let (element, shape) = m.type_of(value);
        let factor = error_functions::bell_of(value, x, &element)?;
        m.b.set_location(made.location());
        let square = m.same("multiply", &[x, x]);
        let bell = m.same("exponential", &[m.same("negate", &[square])]);
        let factor = m.number(factor, &element, &shape);
        Some(Slope::Value(m.same("multiply", &[factor, bell])))
    }

    /// Of the result of an operation, of those of its operands.
    fn of_op(&mut self, op: Op<'c>, base: usize) -> Result<'c, Slope<'c>> {
        let m = &self.reverse.m;
        let mut slopes: Vec<Slope<'c>> = Vec::new();
        for value in op.operands() {
            let place = self.places.get(&op::key(value)).copied();
            slopes.push(match place.filter(|_| self.reverse.is_active(value)) {
                Some(place) => self.by(place, base)?,
                None => Slope::Zero,
            });
        }
        m.b.set_location(op.location());
        let like = op.result(0);
        if op.is_hlo("select") {
            let condition = op.operand(0);
            return Ok(match (slopes.remove(1), slopes.remove(1)) {
                (Slope::Zero, Slope::Zero) => Slope::Zero,
                (Slope::One, Slope::One) => Slope::One,
                (yes, Slope::Zero) => yes.selected((condition, true)),
                (Slope::Zero, no) => no.selected((condition, false)),
                (yes, no) => {
                    let alive = alive(m, (condition, &yes, &no), like);
                    let (yes, no) = (yes.value(m, like), no.value(m, like));
                    let slope = Slope::Value(m.select(condition, yes, no));
                    match alive {
                        Some(alive) => slope.selected((alive, true)),
                        None => slope,
                    }
                }
            });
        }
        let mut total = Slope::Zero;
        for (k, slope) in slopes.into_iter().enumerate() {
            // What the other operands are where the branches are not selected is left out, too.
            let (branches, slope) = slope.split_branches();
            let part = match (slope, op.short_name()) {
                (Slope::Zero, _) => continue,
                (Slope::One, "add") => Slope::One,
                (Slope::One, "subtract") if k == 0 => Slope::One,
                (Slope::One, "multiply") => Slope::Value(op.operand(1 - k)),
                (slope, _) => match self.reverse.by_formula(op, k, slope.value(m, like))? {
                    Some(part) => Slope::Value(part),
                    None => continue,
                },
            };
            let part = part.within(branches);
            total = match total {
                Slope::Zero => part,
                known => Slope::Value(m.add(known.value(m, like), part.value(m, like))),
            };
        }
        Ok(total)
    }
}
