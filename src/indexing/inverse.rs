//! Maps from results back to dimensions: dimensions are put together from those of their digits
//! that the results contain.

use crate::compose::compose;
use crate::expr::{Expr, ExprKind, c, d};
use crate::interval::Interval;
use crate::linear::{Atom, Base};
use crate::map::{Constraint, IndexingMap, Variable};
use crate::simplify::Simplifier;

/// A digit `((x + shift) floordiv low) mod (high / low)` of a dimension, and how to read it from a
/// result.
struct Place {
    shift: i64,
    low: i64,
    high: Option<i64>,
    value: Expr,
}

impl IndexingMap {
    /// The map from results back to dimensions, if the map is injective and that can be seen: each
    /// dimension is put together from the digits of it that the results contain. The domain of the
    /// inverse is exactly the image. `None` if it was not found, or if the map has range or runtime
    /// variables or is not exact.
    pub fn inverse(&self) -> Option<IndexingMap> {
        if !self.is_known() || !self.ranges.is_empty() || !self.runtime.is_empty() || !self.exact {
            return None;
        }
        let bounds = self.image_bounds();
        if bounds.iter().any(|i| i.is_empty()) {
            return Some(IndexingMap::known_empty(
                self.results.len(),
                self.dims.len(),
            ));
        }
        let back = left_inverse(self)?;
        let candidate = IndexingMap::new(bounds.into_iter().map(Variable::new).collect(), back);
        // From here on nothing is believed: the candidate has to undo the map on the whole domain.
        let mut anywhere = candidate.clone();
        anywhere.dims = vec![Variable::new(Interval::FULL); self.results.len()];
        let mut round_trip = compose(self, &anywhere);
        for (i, e) in round_trip.results.iter_mut().enumerate() {
            *e = e.clone() - d(i);
        }
        let round_trip = round_trip.simplify();
        if !round_trip.is_known_empty()
            && round_trip
                .results
                .iter()
                .any(|e| e.as_constant() != Some(0))
        {
            return None;
        }
        // y is in the image if and only if x = g(y) is in the domain and f(x) = y.
        let mut inverse = candidate.clone();
        let there = |e: &Expr| {
            e.replace(|k| match *k {
                ExprKind::Dim(i) => candidate.results.get(i).cloned().unwrap_or_else(|| c(0)),
                _ => c(0),
            })
        };
        for (v, e) in self.dims.iter().zip(&candidate.results) {
            inverse.constraints.push(Constraint {
                expr: e.clone(),
                interval: v.interval,
            });
        }
        for k in &self.constraints {
            inverse.constraints.push(Constraint {
                expr: there(&k.expr),
                interval: k.interval,
            });
        }
        for (j, e) in self.results.iter().enumerate() {
            inverse.constraints.push(Constraint {
                expr: there(e) - d(j),
                interval: Interval::point(0),
            });
        }
        Some(inverse.simplify())
    }
}

/// The variable that a digit is of, and what is added to it before.
fn shifted_variable(atom: &Atom) -> Option<(usize, i64)> {
    match &atom.base {
        Base::Var(var) => Some((*var, 0)),
        Base::Sum(sum) => match &sum.terms[..] {
            [(inner, k)] if *k == 1 => Some((inner.as_var()?, sum.constant.as_constant()?)),
            _ => None,
        },
        _ => None,
    }
}

/// Each dimension as an expression of the results (as `d0`, `d1`, …), a guess that the caller
/// verifies: the results are sums of digits of dimensions that nest, and all digits of a dimension
/// are there.
fn left_inverse(map: &IndexingMap) -> Option<Vec<Expr>> {
    let mut simplifier = Simplifier::new();
    let (results, known) = simplifier.bounded_results(map)?;
    let mut places: Vec<Vec<Place>> = map.dims.iter().map(|_| Vec::new()).collect();
    for (j, (mut terms, constant)) in results.into_iter().enumerate() {
        terms.sort_by_key(|(_, coef, _)| coef.unsigned_abs());
        // y - k = sum of c * v; with v in [low, high] and t = v - low (or high - v for a negative
        // c) it is a numeral.
        let mut base = d(j) - constant;
        for (_, coef, values) in &terms {
            let from = if *coef > 0 {
                values.lower
            } else {
                values.upper
            };
            base = base - coef.checked_mul(from)?;
        }
        let mut reach: i128 = 0;
        for (i, (atom, coef, values)) in terms.iter().enumerate() {
            let size = coef.checked_abs()?;
            if reach >= size as i128 {
                return None;
            }
            reach += size as i128 * (values.upper as i128 - values.lower as i128);
            let next = match terms.get(i + 1) {
                Some((_, next, _)) => Some(next.checked_abs()?),
                None => None,
            };
            let t = match next {
                Some(next) if next % size == 0 => base.clone().floor_div(size).modulo(next / size),
                // What lies above does not divide: the rest of a division by it.
                Some(next) => base.clone().modulo(next).floor_div(size),
                None => base.clone().floor_div(size),
            };
            let value = if *coef > 0 {
                t + values.lower
            } else {
                c(values.upper) - t
            };
            let (dim, shift) = shifted_variable(atom)?;
            let (low, high) = atom.numbers()?;
            places.get_mut(dim)?.push(Place {
                shift,
                low,
                high,
                value,
            });
        }
    }
    let mut back = Vec::new();
    for (mut list, known) in places.into_iter().zip(known) {
        if let Some(v) = known.interval.as_point() {
            back.push(c(v));
            continue;
        }
        list.sort_by_key(|p| p.low);
        list.dedup_by_key(|p| (p.low, p.high, p.shift));
        let (shift, first) = list.first().map(|p| (p.shift, p.low))?;
        let (mut at, mut sum) = (Some(1), c(0));
        if first > 1 && known.stride % first == 0 {
            // The lowest digit is the same everywhere.
            sum = c((known.offset as i128 + shift as i128).rem_euclid(first as i128) as i64);
            at = Some(first);
        }
        for p in list {
            if p.shift != shift || Some(p.low) != at {
                return None;
            }
            sum = sum + p.value * p.low;
            at = p.high;
        }
        if let Some(at) = at {
            // Without the highest digit the dimension is not known, unless its values end there.
            let highest = (known.interval.upper as i128 + shift as i128).div_euclid(at as i128);
            let lowest = (known.interval.lower as i128 + shift as i128).div_euclid(at as i128);
            if highest != lowest {
                return None;
            }
            sum = sum + i64::try_from(lowest * at as i128).ok()?;
        }
        back.push(sum - shift);
    }
    Some(back)
}
