//! The expressions of a map as sums, and maps into linear buffers: from an index to a place, and
//! whether that is `offset + sum(stride_k * d_k)`.

use mapwright_indexing::linear::{Atom, Base, Facts, Sum};
use mapwright_indexing::{Expr, ExprKind, Extent, IndexingMap, Interval, c, d, rt, s};
use std::cell::RefCell;

/// The expressions of a map as sums. Dimension `k` is variable `k`, range variables come after the
/// dimensions; runtime variables are values, and after them so is every operation of which no sum
/// is made: an extremum, a product of variables.
pub struct Sums<'a> {
    map: &'a IndexingMap,
    facts: Facts,
    opaque: RefCell<Vec<Expr>>,
}

impl<'a> Sums<'a> {
    /// With the intervals of a map's variables.
    pub fn new(map: &'a IndexingMap) -> Self {
        let of = |intervals: &mut dyn Iterator<Item = Interval>| -> Vec<(Extent, Extent)> {
            intervals.map(Facts::range_of).collect()
        };
        let dims = map.dims().iter().map(|v| v.interval);
        let facts = Facts {
            vars: of(&mut dims.chain(map.ranges().iter().map(|v| v.interval))),
            values: of(&mut map.runtime().iter().map(|v| v.interval)),
        };
        Self {
            map,
            facts,
            opaque: RefCell::default(),
        }
    }

    /// An expression of the map; `None` if a number in it is beyond 64 bits.
    pub fn read(&self, expr: &Expr) -> Option<Sum> {
        let variable = |kind: &ExprKind| match kind {
            ExprKind::Constant(value) => Some(Sum::constant(*value)),
            ExprKind::Dim(k) => Some(Sum::var(*k)),
            ExprKind::Range(k) => Some(Sum::var(self.map.dims().len() + k)),
            ExprKind::Runtime(k) => Some(Sum::atom(Atom::value(*k))),
            ExprKind::Binary(op, a, b) => {
                let mut opaque = self.opaque.borrow_mut();
                let expr = Expr::raw(*op, a.clone(), b.clone());
                let at = opaque.iter().position(|other| *other == expr);
                let at = at.unwrap_or_else(|| {
                    opaque.push(expr);
                    opaque.len() - 1
                });
                Some(Sum::atom(Atom::value(self.map.runtime().len() + at)))
            }
        };
        Sum::of_expr(expr, &self.facts, &variable).filter(|sum| !sum.is_beyond())
    }

    /// The variable or value as it stands in the map.
    pub fn variable(&self, base: &Base) -> Expr {
        match base {
            Base::Var(k) => match k.checked_sub(self.map.dims().len()) {
                Some(k) => s(k),
                None => d(*k),
            },
            Base::Value(k) => match k.checked_sub(self.map.runtime().len()) {
                Some(k) => self.opaque.borrow()[k].clone(),
                None => rt(*k),
            },
            Base::Sum(_) | Base::Beyond => c(0),
        }
    }

    /// The text of a sum in the variables of the map.
    pub fn text(&self, sum: &Sum) -> String {
        let expr = sum.to_expr(&|base| self.variable(base));
        expr.map_or_else(|| "a number beyond 64 bits".into(), |e| e.to_string())
    }

    /// The dimension that an atom is.
    pub fn dim(&self, atom: &Atom) -> Option<usize> {
        atom.as_var().filter(|k| *k < self.map.dims().len())
    }

    /// The range variable that an atom is.
    pub fn range(&self, atom: &Atom) -> Option<usize> {
        atom.as_var()?.checked_sub(self.map.dims().len())
    }

    /// The runtime variable that an atom is.
    pub fn runtime(&self, atom: &Atom) -> Option<usize> {
        atom.as_value().filter(|k| *k < self.map.runtime().len())
    }
}

/// The place of the element that a map leads to, in a row-major buffer of `sizes` (or with
/// `strides` of its own).
pub fn place(map: &IndexingMap, strides: &[i64], offset: i64) -> IndexingMap {
    linear(map, strides, offset).simplify()
}

/// As [`place`], with all variables of the map.
pub fn linear(map: &IndexingMap, strides: &[i64], offset: i64) -> IndexingMap {
    let mut linear = c(offset);
    for (expr, stride) in map.results().iter().zip(strides) {
        linear = linear + expr.clone() * *stride;
    }
    let mut map = map.clone();
    map.set_results(vec![linear]);
    map
}

/// A place that is `offset + sum(stride_k * d_k) + sum(stride_j * v_j)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Affine {
    /// The constant.
    pub offset: i64,
    /// Strides of the dimension variables.
    pub strides: Vec<i64>,
    /// Strides of the values that are known at run time only.
    pub runtime: Vec<i64>,
}

impl Affine {
    /// The coefficients of a sum of `dims` variables, so many `values` and nothing else.
    pub fn of_sum(sum: &Sum, dims: usize, values: usize) -> Option<Self> {
        let (terms, offset) = sum.numbers()?;
        let mut found = Self {
            offset,
            strides: vec![0; dims],
            runtime: vec![0; values],
        };
        for (atom, coefficient) in terms {
            let stride = match (atom.as_var(), atom.as_value()) {
                (Some(k), _) => found.strides.get_mut(k),
                (_, Some(k)) => found.runtime.get_mut(k),
                _ => None,
            };
            *stride? = coefficient;
        }
        Some(found)
    }
}
