//! Bounds of sums, for constraints, in which several digits of one number stand: they are not free of each other.
//!
//! `6 * x + x floordiv 3` is `19 * (x floordiv 3) + 6 * (x mod 3)` in digits. For `x` in `[0, 3]` each digit by itself reaches its
//! end, which gives 31, but not both at once: the sum is at most 19.

use super::linear::{Atom, AtomKind, Forms, INF, LinId, finite};
use crate::interval::Interval;
use smallvec::SmallVec;

/// Terms in a sum beyond which its digits are not looked at together.
const MOST: usize = 32;

/// A digit of a number `x` with its factor, `c * (x floordiv a mod b)`, as `(a, b, c)`.
type ScaledDigit = (i64, i64, i64);

/// A digit in a sum: how many times it stands there, and its place in units of the lowest one.
struct Place {
    coef: i128,
    weight: i128,
}

/// The greatest `sum of coef * digit` of the numbers in `[low, high]`, whose places are given from the lowest. The highest place takes
/// what is left, without an end.
fn greatest(places: &[Place], low: i128, high: i128) -> i128 {
    let Some((top, below)) = places.split_last() else {
        return 0;
    };
    let w = top.weight;
    let (first, last) = (low.div_euclid(w), high.div_euclid(w));
    let (from, to) = (low.rem_euclid(w), high.rem_euclid(w));
    if first == last {
        return top.coef * first + greatest(below, from, to);
    }
    let begun = top.coef * first + greatest(below, from, w - 1);
    let ended = top.coef * last + greatest(below, 0, to);
    let mut most = begun.max(ended);
    if last - first > 1 {
        let whole = (top.coef * (first + 1)).max(top.coef * (last - 1));
        most = most.max(whole + greatest(below, 0, w - 1));
    }
    most
}

impl Forms {
    /// The ends of the sum of digits of one number, each `coef * (lin, a, b)`, where they are known and the digits do not overlap.
    fn ends_of_digits(&self, lin: LinId, digits: &mut [ScaledDigit]) -> Option<(i128, i128)> {
        digits.sort_unstable_by_key(|d| d.0);
        let apart = |w: &[ScaledDigit]| w[0].1 != INF && w[1].0 % w[0].1 == 0;
        if !digits.windows(2).all(apart) {
            return None;
        }
        let (lowest, end) = (digits[0].0 as i128, digits[digits.len() - 1].1);
        let values = self.lin(lin).bounds;
        let known = finite(values.lower) && finite(values.upper);
        let (low, high) = (values.lower as i128, values.upper as i128);
        let period = end as i128;
        let (low, high) = if end == INF {
            known.then_some((low, high))?
        } else if known && low.div_euclid(period) == high.div_euclid(period) {
            (low.rem_euclid(period), high.rem_euclid(period))
        } else {
            (0, period - 1)
        };
        // Places between that do not stand in the sum do not count.
        let mut places: SmallVec<[Place; 8]> = SmallVec::new();
        for (i, &(a, b, coef)) in digits.iter().enumerate() {
            places.push(Place {
                coef: coef as i128,
                weight: a as i128 / lowest,
            });
            if digits.get(i + 1).is_some_and(|next| next.0 != b) {
                places.push(Place {
                    coef: 0,
                    weight: b as i128 / lowest,
                });
            }
        }
        let (low, high) = (low.div_euclid(lowest), high.div_euclid(lowest));
        let most = greatest(&places, low, high);
        for p in &mut places {
            p.coef = -p.coef;
        }
        Some((-greatest(&places, low, high), most))
    }

    /// The ends of a form in which several digits of one number stand. `None` if there are none, or not all is known.
    pub(super) fn ends_of_numerals(&self, lin: LinId) -> Option<(i128, i128)> {
        let terms = self.terms(lin);
        if terms.len() > MOST {
            return None;
        }
        let mut digits: SmallVec<[(LinId, ScaledDigit, Interval); 8]> = SmallVec::new();
        for t in terms {
            let Atom { kind, bounds, .. } = *self.atom(t.atom);
            if let AtomKind::Digit { lin, a, b } = kind {
                digits.push((lin, (a, b, t.coef), bounds));
            }
        }
        digits.sort_by_key(|d| d.0);
        let mut moved = (0, 0);
        for group in digits.chunk_by(|d, e| d.0 == e.0) {
            let known = |d: &(_, _, Interval)| finite(d.2.lower) && finite(d.2.upper);
            if group.len() < 2 || !group.iter().all(known) {
                continue;
            }
            let mut apart = (0, 0);
            for (_, (_, _, coef), bounds) in group {
                let (x, y) = (bounds.lower as i128, bounds.upper as i128);
                let (x, y) = (*coef as i128 * x, *coef as i128 * y);
                apart = (apart.0 + x.min(y), apart.1 + x.max(y));
            }
            let mut places: SmallVec<[_; 8]> = group.iter().map(|d| d.1).collect();
            if let Some((least, most)) = self.ends_of_digits(group[0].0, &mut places) {
                moved.0 += (least - apart.0).max(0);
                moved.1 += (apart.1 - most).max(0);
            }
        }
        let (least, greatest) = self.ends_of_terms(terms, self.lin(lin).k);
        Some((least? + moved.0, greatest? - moved.1)).filter(|_| moved != (0, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, greatest};

    #[test]
    fn the_greatest_sum_of_digits_is_that_of_brute_force() {
        let bases: [&[i128]; 4] = [&[], &[3], &[2, 3], &[4, 1, 2]];
        for bases in bases {
            let mut weights = vec![1];
            for b in bases {
                weights.push(weights[weights.len() - 1] * b);
            }
            for seed in 0..60 {
                // Coefficients of both signs, zero among them.
                let coef = |i: usize| (seed * 7 + i as i128 * 5 + seed * i as i128 * 3) % 23 - 11;
                let place = |(i, w): (usize, &i128)| Place {
                    coef: coef(i),
                    weight: *w,
                };
                let places: Vec<Place> = weights.iter().enumerate().map(place).collect();
                let sum = |x: i128| -> i128 {
                    let digit = |i: usize| {
                        let x = x.div_euclid(weights[i]);
                        bases.get(i).map_or(x, |b| x.rem_euclid(*b))
                    };
                    (0..weights.len()).map(|i| coef(i) * digit(i)).sum()
                };
                for low in -13..13 {
                    for high in low..14 {
                        let expected = (low..=high).map(sum).max();
                        assert_eq!(Some(greatest(&places, low, high)), expected);
                    }
                }
            }
        }
    }
}
