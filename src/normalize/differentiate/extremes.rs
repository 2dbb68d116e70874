//! Windows of which one element is chosen: the greatest or the least.

use super::reverse::Reverse;
use crate::{
    rewrite::{Result, fail},
    tarray::make::Make,
};
use mapwright_indexing::Extent;
use mapwright_mlir::{ElementType, Op, Val, op};
use mapwright_ops::attrs::{ComparisonDirection, Window, comparison_direction};

/// Element that is chosen of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extreme {
    Greatest,
    Least,
}

impl Extreme {
    /// Returns the comparison that holds between the chosen element and each other one; also for
    /// equal ones if `equal`.
    fn direction(self, equal: bool) -> &'static str {
        match (self, equal) {
            (Self::Greatest, false) => "GT",
            (Self::Greatest, true) => "GE",
            (Self::Least, false) => "LT",
            (Self::Least, true) => "LE",
        }
    }

    /// Of two elements with their places, `(value, place, value, place)`, the one that is chosen:
    /// the first of equal ones.
    pub(super) fn chosen<'c>(self, m: &Make<'c>, x: &[Val<'c>]) -> [Val<'c>; 2] {
        let before = m.compare(self.direction(false), x[0], x[2]);
        let equal = m.compare("EQ", x[0], x[2]);
        let first = m.and(equal, m.compare("LT", x[1], x[3]));
        let wins = m.same("or", &[before, first]);
        [m.select(wins, x[0], x[2]), m.select(wins, x[1], x[3])]
    }

    /// Returns the number that is chosen last: before it every other one is.
    pub(super) fn last(self) -> f64 {
        match self {
            Self::Greatest => f64::NEG_INFINITY,
            Self::Least => f64::INFINITY,
        }
    }
}

/// Windows over all elements of a line up to each, or from each on.
#[derive(Clone, Copy)]
struct Line {
    dim: usize,
    is_prefix: bool,
}

impl Line {
    /// Returns the line whose windows `window` has over a tensor of shape `own`; `None` for other
    /// windows.
    fn from_window(window: &Window, own: &[Extent]) -> Option<Self> {
        let ones = |list: &[i64]| list.iter().all(|n| *n == 1);
        let dim = window.size.iter().position(|n| *n != 1)?;
        let n = own[dim].as_constant()?;
        let alone = (0..own.len())
            .filter(|d| *d != dim)
            .all(|d| window.size[d] == 1 && window.padding[d] == (0, 0));
        let plain =
            ones(&window.stride) && ones(&window.base_dilation) && ones(&window.window_dilation);
        let is_prefix = window.padding[dim] == (n - 1, 0);
        let whole = window.size[dim] == n && (is_prefix || window.padding[dim] == (0, n - 1));
        (alone && plain && whole).then_some(Self { dim, is_prefix })
    }
}

impl<'c> Reverse<'c> {
    /// The row-major place in `x` of the element that is chosen in each window, the first of equal
    /// ones; a place behind all where there is none. The result has `shape`, which follows from the
    /// window.
    fn places_of(
        &self,
        x: Val<'c>,
        window: &Window,
        extreme: Extreme,
        shape: &[Extent],
    ) -> Val<'c> {
        let m = &self.m;
        if let Some(line) = Line::from_window(window, &m.type_of(x).1) {
            return self.places_along(x, window, extreme, line);
        }
        let (element, own) = m.type_of(x);
        let number = ElementType::int(64);
        let places = m.reshape(m.iota(&[own.iter().product()], 0), &own);
        let scalars = [m.ty(&element, &[]), m.ty(&number, &[])];
        let [value, place] = scalars;
        let body = m.b.region(&[value, place, value, place], |b, x| {
            b.op("stablehlo.return", &extreme.chosen(m, x), &[], &[]);
        });
        let last = m.number(extreme.last(), &element, &[]);
        m.b.op_with_regions(
            "stablehlo.reduce_window",
            &[x, places, last, m.int(i64::MAX)],
            &[m.ty(&element, shape), m.ty(&number, shape)],
            &m.b.window_attributes(window),
            vec![body],
        )
        .result(1)
    }

    /// Computes the places of the chosen elements where windows are prefixes or suffixes of a line.
    /// A new choice is an element that is chosen before all in front of it (for suffixes: before or
    /// with all behind it), and it stays until there is another. That takes as many comparisons as
    /// there are elements.
    fn places_along(
        &self,
        x: Val<'c>,
        window: &Window,
        extreme: Extreme,
        Line { dim, is_prefix }: Line,
    ) -> Val<'c> {
        let m = &self.m;
        let (element, own) = m.type_of(x);
        let (first, shift, rule) = if is_prefix {
            (Extent::ZERO, 1, "maximum")
        } else {
            (own[dim] - 1, -1, "minimum")
        };
        let name = match extreme {
            Extreme::Greatest => "maximum",
            Extreme::Least => "minimum",
        };
        let chosen = m.windows(name, extreme.last(), x, window, &own);
        let along = |by: i64| -> Vec<Extent> {
            let moved = |d| if d == dim { by.into() } else { Extent::ZERO };
            (0..own.len()).map(moved).collect()
        };
        let last = m.number(extreme.last(), &element, &[]);
        let around = (&along(shift)[..], &along(-shift)[..], &along(0)[..]);
        let others = m.pad((chosen, last), around, &own);
        let wins = m.compare(extreme.direction(!is_prefix), x, others);
        let begins = m.compare("EQ", m.iota(&own, dim), m.spread(m.scalar(first), &own));
        let all = own.iter().product();
        let places = m.reshape(m.iota(&[all], 0), &own);
        let none = m.scalar(if is_prefix { Extent::ZERO } else { all });
        let is_new = m.same("or", &[wins, begins]);
        let places = m.select(is_new, places, m.spread(none, &own));
        m.windows_from(rule, none, places, window, &own)
    }

    /// The cotangents of a greatest or least element of each window are those of the element that
    /// is chosen.
    pub(super) fn of_extremes(
        &self,
        x: Val<'c>,
        window: &Window,
        extreme: Extreme,
        given: Val<'c>,
    ) -> Val<'c> {
        let m = &self.m;
        let (element, own) = m.type_of(x);
        let (_, out) = m.type_of(given);
        let close = |list: &[i64]| list.iter().all(|n| *n == 1);
        let dilated = !close(&window.base_dilation) || !close(&window.window_dilation);
        if dilated || Line::from_window(window, &own).is_some() {
            let places = self.places_of(x, window, extreme, &out);
            return m.added_at(places, given, &own);
        }
        let scalar = m.ty(&element, &[]);
        let select = m.b.region(&[scalar, scalar], |b, x| {
            let wins = m.compare(extreme.direction(true), x[0], x[1]);
            b.op("stablehlo.return", &[wins], &[], &[]);
        });
        let scatter = m.b.region(&[scalar, scalar], |b, x| {
            let sum = m.add(x[0], x[1]);
            b.op("stablehlo.return", &[sum], &[], &[]);
        });
        let zero = m.zeros(&element, &[]);
        m.b.op_with_regions(
            "stablehlo.select_and_scatter",
            &[x, given, zero],
            &[m.ty(&element, &own)],
            &[
                ("window_dimensions", m.b.i64_array(&window.size)),
                ("window_strides", m.b.i64_array(&window.stride)),
                ("padding", m.b.pairs(window.padding.iter().copied())),
            ],
            vec![select, scatter],
        )
        .result(0)
    }

    /// Sums at chosen places: the cotangent of each summand is at its place. The places change by
    /// no small step of the operand.
    pub(super) fn selected_sums(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let (x, source) = (op.operand(0), op.operand(1));
        let (_, own) = m.type_of(x);
        let (element, out) = m.type_of(source);
        let window = match Window::select_and_scatter(op, own.len()) {
            Ok(window) => window,
            Err(error) => return fail(op, error.to_string()),
        };
        let scatter = op.body(1).map(op::ops).unwrap_or_default();
        let [sum, _] = scatter.as_slice() else {
            return self.no_rule(op);
        };
        if !sum.is_hlo("add") {
            return self.no_rule(op);
        }
        let chosen = op.body(0).map(op::ops).unwrap_or_default();
        let direction = chosen.first().and_then(|by| comparison_direction(*by).ok());
        let extreme = match direction {
            Some(ComparisonDirection::Ge | ComparisonDirection::Gt) => Extreme::Greatest,
            Some(ComparisonDirection::Le | ComparisonDirection::Lt) => Extreme::Least,
            _ => return self.no_rule(op),
        };
        if self.is_active(source) {
            let part = if own.contains(&Extent::ZERO) || out.contains(&Extent::ZERO) {
                m.zeros(&element, &out)
            } else {
                let places = self.places_of(x, &window, extreme, &out);
                let flat = m.reshape(given, &[own.iter().product()]);
                let rows = m.reshape(places, &[out.iter().product()]);
                m.reshape(m.rows(flat, rows), &out)
            };
            self.give(source, part);
        }
        if self.is_active(op.operand(2)) {
            self.give(op.operand(2), m.total(given));
        }
        Ok(())
    }
}
