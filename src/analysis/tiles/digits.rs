//! Digits: quotients and remainders of one expression, `(e floordiv low) mod (high / low)`, as they come from reshapes.
//!
//! Taken together, the digits of an expression that runs over a progression are a box only if the progression is made of whole
//! rows of the lower digits, or lies within one row: a condition on the root's tile.

use super::step::{Axis, Progression, Step};
use crate::linear::{Sum, sum};
use mapwright_indexing::{Expr, ExprKind, Interval, Op, c};

/// `(e floordiv low) mod (high / low)`; the leading digit has no `high`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Digit {
    pub base: Expr,
    pub low: i64,
    pub high: Option<i64>,
}

impl Digit {
    /// Takes a quotient or remainder apart; `None` if it is something else.
    pub fn of(expr: &Expr) -> Option<Self> {
        let ExprKind::Binary(op, inner, n) = expr.kind() else {
            return None;
        };
        let n = n.as_constant().filter(|n| *n > 0)?;
        if *op == Op::CeilDiv {
            return Some(Self {
                base: inner.clone() + (n - 1),
                low: n,
                high: None,
            });
        }
        let digit = Self::of(inner).unwrap_or(Self {
            base: inner.clone(),
            low: 1,
            high: None,
        });
        // The divisor in terms of the base.
        let at = digit.low.checked_mul(n)?;
        let fits = digit.high.is_none_or(|high| high % at == 0);
        match op {
            Op::FloorDiv if fits => Some(Self { low: at, ..digit }),
            Op::Mod if fits => Some(Self {
                high: Some(at),
                ..digit
            }),
            // A quotient of something that is no digit: it is a base by itself.
            Op::FloorDiv => Some(Self {
                base: inner.clone(),
                low: n,
                high: None,
            }),
            Op::Mod => Some(Self {
                base: inner.clone(),
                low: 1,
                high: Some(n),
            }),
            _ => None,
        }
    }

    /// The number of values it has, if that is known.
    fn len(&self) -> Option<i64> {
        self.high.map(|high| high / self.low)
    }
}

/// All digits of one base, with what each of them runs over.
pub(super) struct Group {
    pub base: Expr,
    pub digits: Vec<(Digit, Progression)>,
}

impl Step<'_> {
    /// Finds the digits in `sums`, and what each of them runs over.
    ///
    /// # Errors
    /// Why they are no box.
    pub fn groups(&mut self, sums: &[Sum]) -> Result<Vec<Group>, String> {
        let mut found: Vec<(Expr, Vec<Digit>)> = Vec::new();
        for (_, atom) in sums.iter().flat_map(|sum| &sum.terms) {
            let Some(digit) = Digit::of(atom) else {
                continue;
            };
            match found.iter_mut().find(|(base, _)| *base == digit.base) {
                Some((_, digits)) if digits.contains(&digit) => {
                    return Err(format!(
                        "{atom} moves the operand in two ways, which is no box for a tile"
                    ));
                }
                Some((_, digits)) => digits.push(digit),
                None => found.push((digit.base.clone(), vec![digit])),
            }
        }
        found
            .into_iter()
            .map(|(base, mut digits)| {
                digits.sort_by_key(|digit| digit.low);
                // From low to high, one beginning where the other ends, or later.
                let chain = digits.windows(2).all(|pair| {
                    pair[0]
                        .high
                        .is_some_and(|high| high <= pair[1].low && pair[1].low % high == 0)
                });
                let sum = sum(&base).ok_or("a coefficient is beyond 64 bits")?;
                if !chain || sum.terms.iter().any(|(_, atom)| Digit::of(atom).is_some()) {
                    return Err(format!(
                        "the quotients and remainders of {base} overlap, which is no box for a tile"
                    ));
                }
                let axis = self.axis(&sum, &[])?;
                let digits = self.split(axis, &base, digits)?;
                Ok(Group { base, digits })
            })
            .collect()
    }

    /// The digits of a progression.
    fn split(
        &mut self,
        axis: Axis,
        base: &Expr,
        digits: Vec<Digit>,
    ) -> Result<Vec<(Digit, Progression)>, String> {
        if let [digit] = digits.as_slice()
            && digit.high.is_none()
        {
            let run = self.quotient(axis, base, digit.low)?;
            return Ok(vec![(digit.clone(), run)]);
        }
        if axis.stride != 1 && axis.size.as_constant() != Some(1) {
            return Err(format!(
                "{base} moves in steps of {}, its digits are no box for a tile",
                axis.stride
            ));
        }
        let symbolic = axis.size.as_constant().is_none();
        let rows = with_gaps(digits, !symbolic);
        // The digit that the tile has a part of; those below are whole, those above have one value.
        let fits = |(digit, _): &(Digit, bool)| {
            axis.size.as_constant().is_none_or(|size| {
                size % digit.low == 0 && digit.len().is_none_or(|n| size / digit.low <= n)
            })
        };
        let level = rows.iter().rposition(fits).ok_or_else(|| {
            format!(
                "a tile of {} elements is not made of whole rows of the digits of {base}",
                super::text(&axis.size)
            )
        })?;
        let low = rows[level].0.low;
        self.require(axis.offset.clone().modulo(low), Interval::point(0))?;
        self.require(axis.size.clone().modulo(low), Interval::point(0))?;
        let count = axis.size.clone().floor_div(low);
        // The partial digit does not run over its end: nothing above it changes.
        if let Some(row) = rows[level].0.len() {
            let end = axis.offset.clone().floor_div(low).modulo(row) + count.clone();
            self.require(end, Interval::new(0, row))?;
        }
        let mut runs = Vec::new();
        for (k, (digit, asked)) in rows.into_iter().enumerate() {
            let place = axis.offset.clone().floor_div(digit.low);
            let place = match digit.len() {
                Some(n) => place.modulo(n),
                None => place,
            };
            let (offset, size) = match k.cmp(&level) {
                std::cmp::Ordering::Less => (c(0), c(digit.len().unwrap_or(1))),
                std::cmp::Ordering::Equal => (place, count.clone()),
                std::cmp::Ordering::Greater => (place, c(1)),
            };
            let whole = digit.len();
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

    /// The quotients of a progression by `n`, on their own: every value between the first and the last, or, where a constraint asks
    /// for a remainder, the quotients of those that have it.
    fn quotient(&mut self, axis: Axis, base: &Expr, n: i64) -> Result<Progression, String> {
        let last = axis.offset.clone() + (axis.size.clone() - 1) * axis.stride;
        if let Some(r) = self.remainder(base, n) {
            if axis.stride != 1 {
                return Err(format!(
                    "{base} moves in steps of {}, of which those with a remainder by {n} are no box for a tile",
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
                "{base} moves in steps of {}, its quotients by {n} are no box for a tile",
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
    fn remainder(&mut self, base: &Expr, n: i64) -> Option<i64> {
        let own = sum(base)?;
        for (k, constraint) in self.map.constraints.iter().enumerate() {
            let Some(digit) = Digit::of(&constraint.expr) else {
                continue;
            };
            let (Some(r), 1, Some(high)) = (constraint.interval.as_point(), digit.low, digit.high)
            else {
                continue;
            };
            if high != n {
                continue;
            }
            let shift = sum(&digit.base).and_then(|other| own.shift_to(&other));
            if let Some(shift) = shift {
                // base + shift = r (mod n)
                self.done[k] = true;
                return Some((i128::from(r) - i128::from(shift)).rem_euclid(i128::from(n)) as i64);
            }
        }
        None
    }
}

/// The digits with those between them, which nobody asked for (`false`), and on request the one above.
fn with_gaps(digits: Vec<Digit>, above: bool) -> Vec<(Digit, bool)> {
    let mut rows = Vec::new();
    let mut end = Some(1);
    for digit in digits {
        if let Some(low) = end.filter(|low| *low < digit.low) {
            let gap = Digit {
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
        let gap = Digit {
            base: last.base.clone(),
            low,
            high: None,
        };
        rows.push((gap, false));
    }
    rows
}
