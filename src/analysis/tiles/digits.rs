//! Digits: quotients and remainders of one expression, `(e floordiv low) mod (high / low)`, as they
//! come from reshapes.
//!
//! Taken together, the digits of an expression that runs over a progression are a box only if the
//! progression is made of whole rows of the lower digits, or lies within one row: a condition on
//! the root's tile.

use super::step::{Axis, Progression, Step};
use mapwright_indexing::linear::{Atom, Base, Sum};
use mapwright_indexing::{Interval, c};

/// All digits of one base, with what each of them runs over.
pub(super) struct Group {
    pub base: Base,
    pub digits: Vec<(Atom, Progression)>,
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
            .map(|mut digits| {
                digits.sort_by_key(|digit| digit.low);
                // From low to high, one beginning where the other ends, or later.
                let chain = digits.windows(2).all(|pair| {
                    pair[0]
                        .high
                        .is_some_and(|high| high <= pair[1].low && pair[1].low % high == 0)
                });
                let base = digits[0].base.clone();
                let sum = digits[0].base_sum();
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
        digits: Vec<Atom>,
    ) -> Result<Vec<(Atom, Progression)>, String> {
        if let [digit] = digits.as_slice()
            && digit.high.is_none()
        {
            let run = self.quotient(axis, base, digit.low)?;
            return Ok(vec![(digit.clone(), run)]);
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
        let fits = |(digit, _): &(Atom, bool)| {
            axis.size.as_constant().is_none_or(|size| {
                size % digit.low == 0 && digit.period().is_none_or(|n| size / digit.low <= n)
            })
        };
        let level = rows.iter().rposition(fits).ok_or_else(|| {
            format!(
                "a tile of {} elements is not made of whole rows of the digits of {}",
                super::text(&axis.size),
                self.sums.text(base)
            )
        })?;
        let low = rows[level].0.low;
        self.require(axis.offset.clone().modulo(low), Interval::point(0))?;
        self.require(axis.size.clone().modulo(low), Interval::point(0))?;
        let count = axis.size.clone().floor_div(low);
        // The partial digit does not run over its end: nothing above it changes.
        if let Some(row) = rows[level].0.period() {
            let end = axis.offset.clone().floor_div(low).modulo(row) + count.clone();
            self.require(end, Interval::new(0, row))?;
        }
        let mut runs = Vec::new();
        for (k, (digit, asked)) in rows.into_iter().enumerate() {
            let place = axis.offset.clone().floor_div(digit.low);
            let place = match digit.period() {
                Some(n) => place.modulo(n),
                None => place,
            };
            let (offset, size) = match k.cmp(&level) {
                std::cmp::Ordering::Less => (c(0), c(digit.period().unwrap_or(1))),
                std::cmp::Ordering::Equal => (place, count.clone()),
                std::cmp::Ordering::Greater => (place, c(1)),
            };
            let whole = digit.period();
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
            let [(digit, sign @ (1 | -1))] = sum.terms.as_slice() else {
                continue;
            };
            if (digit.low, digit.high) != (1, Some(n)) {
                continue;
            }
            let r = (i128::from(r) - i128::from(sum.constant)) * i128::from(*sign);
            let other = digit.base_sum();
            // base + shift = r, or shift - base = r, modulo n.
            let found = match (
                other.minus(base).as_constant(),
                other.plus(base).as_constant(),
            ) {
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
fn with_gaps(digits: Vec<Atom>, above: bool) -> Vec<(Atom, bool)> {
    let mut rows = Vec::new();
    let mut end = Some(1);
    for digit in digits {
        if let Some(low) = end.filter(|low| *low < digit.low) {
            let gap = Atom {
                base: digit.base.clone(),
                low,
                high: Some(digit.low),
            };
            rows.push((gap, false));
        }
        end = digit.high;
        rows.push((digit, true));
    }
    if let (Some(low), true, Some((last, _))) = (end, above, rows.last()) {
        let gap = Atom {
            base: last.base.clone(),
            low,
            high: None,
        };
        rows.push((gap, false));
    }
    rows
}
