//! Whether a digit of an operand's index is the same number as a digit of a loop variable, by the
//! map algebra.

use mapwright_indexing::{Evaluator, Expr, IndexingMap, Variable, compare};
use rustc_hash::FxHashMap;

/// A digit of an index: `(index floordiv width) mod size`; without the remainder if it is the most
/// significant one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Place {
    /// Elements in one step of the digit.
    pub(super) width: i64,
    /// Values of the digit.
    pub(super) size: i64,
    /// Whether nothing stands above the digit.
    pub(super) first: bool,
}

impl Place {
    fn digit_of(self, index: Expr) -> Expr {
        let quotient = index.floor_div(self.width);
        if self.first {
            quotient
        } else {
            quotient.modulo(self.size)
        }
    }
}

/// A loop of an operation: a dimension of the result, or a range variable of the maps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Loop {
    /// The result dimension of this position.
    Dimension(usize),
    /// The range variable of this position.
    Range(usize),
}

impl Loop {
    pub(super) fn expr(self) -> Expr {
        match self {
            Loop::Dimension(i) => mapwright_indexing::d(i),
            Loop::Range(i) => mapwright_indexing::s(i),
        }
    }

    /// The variable of a map.
    pub(super) fn variable(self, map: &IndexingMap) -> Option<&Variable> {
        match self {
            Loop::Dimension(i) => map.dims().get(i),
            Loop::Range(i) => map.ranges().get(i),
        }
    }
}

/// Answers, remembered by (edge, operand dimension, its place, loop, its place).
#[derive(Default)]
pub(super) struct Matcher {
    known: FxHashMap<(usize, usize, usize, Place, Loop, Place), bool>,
}

impl Matcher {
    /// Whether, wherever any of the maps is defined, the digit of result `dim` of the map is that
    /// of the loop variable.
    pub(super) fn same(
        &mut self,
        edge: (usize, usize),
        maps: &[IndexingMap],
        dim: usize,
        place: Place,
        var: Loop,
        var_place: Place,
    ) -> bool {
        let key = (edge.0, edge.1, dim, place, var, var_place);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let mut all = true;
        for map in maps.iter().filter(|m| !m.is_known_empty()) {
            all &= map.is_known()
                && var.variable(map).is_some()
                && same_digit(map, dim, place, var, var_place);
        }
        self.known.insert(key, all);
        all
    }
}

/// Returns a map with other results on the same domain.
fn with_results(map: &IndexingMap, results: Vec<Expr>) -> IndexingMap {
    let mut out = map.clone();
    out.set_results(results);
    out
}

fn same_digit(map: &IndexingMap, dim: usize, place: Place, var: Loop, var_place: Place) -> bool {
    let Some(index) = map.results().get(dim) else {
        return false;
    };
    if *index == var.expr() && place == var_place {
        return true;
    }
    let pair = with_results(
        map,
        vec![
            place.digit_of(index.clone()),
            var_place.digit_of(var.expr()),
        ],
    );
    if differs_somewhere(&pair) {
        return false;
    }
    let pair = pair.simplify();
    if pair.is_known_empty()
        || (pair.results().len() == 2 && pair.results()[0] == pair.results()[1])
    {
        return true;
    }
    let one = |i: usize| with_results(&pair, vec![pair.results()[i].clone()]);
    pair.results().len() == 2 && compare(&one(0), &one(1)).equal == Some(true)
}

/// Looks at some points; `false` has proved nothing.
fn differs_somewhere(pair: &IndexingMap) -> bool {
    let intervals: Vec<_> = pair.intervals().collect();
    if intervals.iter().any(|i| i.is_empty()) {
        return false;
    }
    let (nd, nr) = (pair.dims().len(), pair.ranges().len());
    let mut evaluator = Evaluator::new(pair);
    let mut out = Vec::new();
    let mut points = crate::sample::Points::new(&intervals);
    for _ in 0..64 {
        let point = points.next_point();
        let (dims, rest) = point.split_at(nd);
        let (ranges, runtime) = rest.split_at(nr);
        if evaluator.eval(dims, ranges, runtime, &mut out) == Ok(true) && out[0] != out[1] {
            return true;
        }
    }
    false
}
