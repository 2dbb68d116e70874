//! Digits: quotients and remainders of one expression, `(e floordiv low) mod (high / low)`, as they
//! come from reshapes.
//!
//! Taken together, the digits of an expression that runs over a progression are a box only if the
//! progression is made of whole rows of the lower digits, or lies within one row: a condition on
//! the root's tile.

use super::step::{Axis, Progression, Step};
use mapwright_indexing::linear::{Atom, Base, Sum};
use mapwright_indexing::{Interval, c};

/// Lower and upper end of a digit; see [`Atom`].
type Ends = (i64, Option<i64>);

/// All digits of one base, with what each of them runs over.
pub(super) struct Group {
    pub base: Base,
    pub digits: Vec<(Ends, Progression)>,
}

/// The number of values that a digit has, if it ends somewhere.
fn period((low, high): Ends) -> Option<i64> {
    high.map(|high| high / low)
}

impl Step<'_> {
    /// Finds the digits in `sums`, and what each of them runs over.
    ///
    /// # Errors
    /// Why they are no box.
    pub fn groups(&mut self, sums: &[Sum]) -> Result<Vec<Group>, String> {
        let mut found: Vec<Vec<Atom>> = Vec::new();
        for (digit, _) in sums.iter().flat_map(|sum| &sum.terms) {
            if digit.is_whole() {
                continue;
            }
            match found.iter_mut().find(|own| own[0].base == digit.base) {
                Some(digits) if digits.contains(digit) => {
                    return Err(format!(
                        "{} moves the operand in two ways, which is no box for a tile",
                        self.sums.text(&Sum::atom(digit.clone()))
                    ));
                }
                Some(digits) => digits.push(digit.clone()),
                None => found.push(vec![digit.clone()]),
            }
        }
        found
            .into_iter()
            .map(|found| {
                let ends = found.iter().map(Atom::numbers);
                let mut digits: Vec<Ends> = ends.collect::<Option<_>>().unwrap_or_default();
                digits.sort_unstable();
                // From low to high, one beginning where the other ends, or later.
                let follows = |pair: &[Ends]| {
                    let high = pair[0].1.filter(|high| *high <= pair[1].0);
                    high.is_some_and(|high| pair[1].0 % high == 0)
                };
                let chain = !digits.is_empty() && digits.windows(2).all(follows);
                let base = found[0].base.clone();
                let sum = found[0].base_sum();
                if !chain || sum.terms.iter().any(|(atom, _)| !atom.is_whole()) {
                    return Err(format!(
                        "the quotients and remainders of {} overlap, which is no box for a tile",
                        self.sums.text(&sum)
                    ));
                }
                let axis = self.axis(&sum, &[])?;
                let digits = self.split(axis, &sum, digits)?;
                Ok(Group { base, digits })
            })
            .collect()
    }

    /// The digits of a progression.
    fn split(
        &mut self,
        axis: Axis,
        base: &Sum,
        digits: Vec<Ends>,
    ) -> Result<Vec<(Ends, Progression)>, String> {
        if let [digit @ (low, None)] = digits[..] {
            return Ok(vec![(digit, self.quotient(axis, base, low)?)]);
        }
        if axis.stride != 1 && axis.size.as_constant() != Some(1) {
            return Err(format!(
                "{} moves in steps of {}, its digits are no box for a tile",
                self.sums.text(base),
                axis.stride
            ));
        }
        let symbolic = axis.size.as_constant().is_none();
        let rows = with_gaps(digits, !symbolic);
        // The digit that the tile has a part of; those below are whole, those above have one value.
        let fits = |(digit, _): &(Ends, bool)| {
            axis.size.as_constant().is_none_or(|size| {
                size % digit.0 == 0 && period(*digit).is_none_or(|n| size / digit.0 <= n)
            })
        };
        let level = rows.iter().rposition(fits).ok_or_else(|| {
            format!(
                "a tile of {} elements is not made of whole rows of the digits of {}",
                super::text(&axis.size),
                self.sums.text(base)
            )
        })?;
        let (partial, _) = rows[level];
        let (low, _) = partial;
        self.require(axis.offset.clone().modulo(low), Interval::point(0))?;
        self.require(axis.size.clone().modulo(low), Interval::point(0))?;
        let count = axis.size.clone().floor_div(low);
        // The partial digit does not run over its end: nothing above it changes.
        if let Some(row) = period(partial) {
            let end = axis.offset.clone().floor_div(low).modulo(row) + count.clone();
            self.require(end, Interval::new(0, row))?;
        }
        let mut runs = Vec::new();
        for (k, (digit, asked)) in rows.into_iter().enumerate() {
            let whole = period(digit);
            let place = axis.offset.clone().floor_div(digit.0);
            let place = match whole {
                Some(n) => place.modulo(n),
                None => place,
            };
            let (offset, size) = match k.cmp(&level) {
                std::cmp::Ordering::Less => (c(0), c(whole.unwrap_or(1))),
                std::cmp::Ordering::Equal => (place, count.clone()),
                std::cmp::Ordering::Greater => (place, c(1)),
            };
            let run = Progression {
                offset,
                size,
                stride: 1,
                whole,
            };
            if asked {
                runs.push((digit, run));
            }
        }
        Ok(runs)
    }

    /// The quotients of a progression by `n`, on their own: every value between the first and the
    /// last, or, where a constraint asks for a remainder, the quotients of those that have it.
    fn quotient(&mut self, axis: Axis, base: &Sum, n: i64) -> Result<Progression, String> {
        let last = axis.offset.clone() + (axis.size.clone() - 1) * axis.stride;
        if let Some(r) = self.remainder(base, n) {
            if axis.stride != 1 {
                return Err(format!(
                    "{} moves in steps of {}, of which those with a remainder by {n} are no box for a tile",
                    self.sums.text(base),
                    axis.stride
                ));
            }
            let first = (axis.offset - r).ceil_div(n);
            let size = (last - r).floor_div(n) - first.clone() + 1;
            self.present(size.clone(), Interval::new(1, i64::MAX));
            return Ok(Progression {
                offset: first,
                size,
                stride: 1,
                whole: None,
            });
        }
        if axis.stride > n {
            if axis.stride % n == 0 {
                return Ok(Progression {
                    offset: axis.offset.floor_div(n),
                    size: axis.size,
                    stride: axis.stride / n,
                    whole: None,
                });
            }
            return Err(format!(
                "{} moves in steps of {}, its quotients by {n} are no box for a tile",
                self.sums.text(base),
                axis.stride
            ));
        }
        let first = axis.offset.floor_div(n);
        Ok(Progression {
            size: last.floor_div(n) - first.clone() + 1,
            offset: first,
            stride: 1,
            whole: None,
        })
    }

    /// The remainder of `base` by `n` that a constraint asks for.
    fn remainder(&mut self, base: &Sum, n: i64) -> Option<i64> {
        let modulo = |v: i128| v.rem_euclid(i128::from(n)) as i64;
        for (k, constraint) in self.map.constraints().iter().enumerate() {
            let (Some(r), Some(sum)) = (
                constraint.interval.as_point(),
                self.sums.read(&constraint.expr),
            ) else {
                continue;
            };
            let Some((terms, shift)) = sum.numbers() else {
                continue;
            };
            let [(digit, sign @ (1 | -1))] = terms[..] else {
                continue;
            };
            if digit.numbers() != Some((1, Some(n))) {
                continue;
            }
            let r = (i128::from(r) - i128::from(shift)) * i128::from(sign);
            let other = digit.base_sum();
            // base + shift = r, or shift - base = r, modulo n.
            let found = match (other.minus(base).as_number(), other.plus(base).as_number()) {
                (Some(shift), _) => modulo(r - i128::from(shift)),
                (_, Some(shift)) => modulo(i128::from(shift) - r),
                _ => continue,
            };
            self.done[k] = true;
            return Some(found);
        }
        None
    }
}

/// The digits with those between them, which nobody asked for (`false`), and on request the one
/// above.
fn with_gaps(digits: Vec<Ends>, above: bool) -> Vec<(Ends, bool)> {
    let mut rows = Vec::new();
    let mut end = Some(1);
    for (low, high) in digits {
        if let Some(gap) = end.filter(|gap| *gap < low) {
            rows.push(((gap, Some(low)), false));
        }
        end = high;
        rows.push(((low, high), true));
    }
    rows.extend(end.filter(|_| above).map(|low| ((low, None), false)));
    rows
}
