//! Questions that normal forms answer: bounds of results, and how dimensions are put together from results.

use super::driver::{ArenaMap, Simplifier};
use super::linear::{AtomKind, INF, finite};
use super::{Arena, NodeId};
use crate::expr::{Expr, c, d};
use crate::interval::Interval;
use crate::map::IndexingMap;

/// A digit of a dimension, and how to read it from a result.
struct Place {
    /// The digit is `((x + shift) floordiv a) mod (b / a)`.
    shift: i64,
    a: i64,
    b: i64,
    value: Expr,
}

impl Simplifier {
    /// Bounds of the results on the domain; `None` if it is empty.
    pub(crate) fn result_bounds(&mut self, map: &IndexingMap) -> Option<Vec<Interval>> {
        let mut arena = Arena::new();
        let input = ArenaMap::import(map, &mut arena);
        let output = self.run(&mut arena, &input, false)?;
        Some(
            output
                .results
                .iter()
                .map(|r| {
                    let lin = self.normal_again(&arena, *r);
                    self.forms.lin(lin).bounds
                })
                .collect(),
        )
    }

    fn normal_again(&mut self, arena: &Arena, node: NodeId) -> u32 {
        self.make_current(arena);
        self.grow(arena.len());
        self.normal(arena, node)
    }

    /// Each dimension as an expression of the results (as `d0`, `d1`, …), a guess that the caller verifies: the results are
    /// sums of digits of dimensions that nest, and all digits of a dimension are there.
    pub(crate) fn left_inverse(&mut self, map: &IndexingMap) -> Option<Vec<Expr>> {
        let mut arena = Arena::new();
        let input = ArenaMap::import(map, &mut arena);
        let output = self.run(&mut arena, &input, false)?;
        let n = map.dims.len();
        let mut places: Vec<Vec<Place>> = (0..n).map(|_| Vec::new()).collect();
        for (j, r) in output.results.iter().enumerate() {
            let lin = self.normal_again(&arena, *r);
            let forms = &self.forms;
            let k = forms.lin(lin).k;
            let mut terms: Vec<_> = forms.terms(lin).to_vec();
            terms.sort_by_key(|t| t.coef.unsigned_abs());
            // y - k = sum of c * v; with v in [low, high] and t = v - low (or high - v for a negative c) it is a numeral.
            let mut base = d(j) - k;
            let mut numerals = Vec::new();
            for t in &terms {
                let b = forms.atom(t.atom).bounds;
                if !finite(b.lower) || !finite(b.upper) {
                    return None;
                }
                let from = if t.coef > 0 { b.lower } else { b.upper };
                base = base - t.coef.checked_mul(from)?;
                numerals.push((t.atom, t.coef, b));
            }
            let mut reach: i128 = 0;
            for (i, (atom, coef, b)) in numerals.iter().enumerate() {
                let size = coef.unsigned_abs() as i128;
                if reach >= size {
                    return None;
                }
                let values = b.upper as i128 - b.lower as i128;
                reach += size * values;
                let mut t = base.clone().floor_div(i64::try_from(size).ok()?);
                if let Some((_, next, _)) = numerals.get(i + 1)
                    && next % coef == 0
                {
                    t = t.modulo((next / coef).checked_abs()?);
                } else if i + 1 < numerals.len() {
                    // What lies above does not divide: the rest of a division by it.
                    let next = numerals[i + 1].1.checked_abs()?;
                    t = base
                        .clone()
                        .modulo(next)
                        .floor_div(i64::try_from(size).ok()?);
                }
                let value = if *coef > 0 {
                    t + b.lower
                } else {
                    c(b.upper) - t
                };
                match forms.atom(*atom).kind {
                    AtomKind::Variable if (*atom as usize) < n => {
                        places[*atom as usize].push(Place {
                            shift: 0,
                            a: 1,
                            b: INF,
                            value,
                        });
                    }
                    AtomKind::Digit { lin, a, b } => {
                        let [t] = *forms.terms(lin) else { return None };
                        if t.coef != 1 || t.atom as usize >= n {
                            return None;
                        }
                        places[t.atom as usize].push(Place {
                            shift: forms.lin(lin).k,
                            a,
                            b,
                            value,
                        });
                    }
                    _ => return None,
                }
            }
        }
        let mut back = Vec::new();
        for (i, mut list) in places.into_iter().enumerate() {
            if let Some(v) = output.intervals[i].as_point() {
                back.push(c(v));
                continue;
            }
            list.sort_by_key(|p| p.a);
            list.dedup_by_key(|p| (p.a, p.b, p.shift));
            let shift = list.first()?.shift;
            let mut at = 1;
            let mut sum = c(0);
            let known = self.known_congruence(i);
            let first = list.first()?.a;
            if first > 1 && known.0 % first == 0 {
                // The lowest digit is the same everywhere.
                sum = c((known.1 as i128 + shift as i128).rem_euclid(first as i128) as i64);
                at = first;
            }
            let mut ended = false;
            for p in list {
                if p.shift != shift || p.a != at || ended {
                    return None;
                }
                sum = sum + p.value * p.a;
                ended = p.b == INF;
                at = p.b;
            }
            // Without the highest digit the dimension is not known, unless its values end there.
            let highest = output.intervals[i].upper as i128 + shift as i128;
            let lowest = output.intervals[i].lower as i128 + shift as i128;
            if !ended && highest.div_euclid(at as i128) != lowest.div_euclid(at as i128) {
                return None;
            }
            let missing = if ended {
                0
            } else {
                i64::try_from(lowest.div_euclid(at as i128) * at as i128).ok()?
            };
            back.push(sum + missing - shift);
        }
        Some(back)
    }
}
