//! Digits of one variable.

use super::super::div_mod::one_period;
use super::super::linear::INF;
use super::super::plans::{factor, places};
use super::sum::{Bits, Sum, Values, small, wide_product};
use crate::expr::Op;
use crate::interval::Interval;
use smallvec::SmallVec;

/// Values that a variable needs beyond the first, so that its digit does not lie on a line.
pub(super) const SEVERAL: i64 = 4;

/// A digit `(v, a, b)` of the variable, this many times; the variable itself is `(v, 1, INF)`.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Digit {
    pub(super) variable: usize,
    pub(super) a: i64,
    pub(super) b: i64,
    pub(super) coef: i64,
}

/// What is left of a digit of a digit: its coefficient is 1.
pub(super) enum Left {
    Constant(i64),
    Digit(Digit),
}

impl Digit {
    pub(super) fn of(variable: usize) -> Digit {
        Digit {
            variable,
            a: 1,
            b: INF,
            coef: 1,
        }
    }

    pub(super) fn is_variable(&self) -> bool {
        self.a == 1 && self.b == INF
    }

    /// The values of the digit.
    pub(super) fn values(&self, values: &Values) -> Interval {
        let v = values[self.variable].interval;
        match self.b {
            INF if self.a == 1 => v,
            INF => Interval::new(v.lower.div_euclid(self.a), v.upper.div_euclid(self.a)),
            b => Interval::new(0, b / self.a - 1),
        }
    }

    /// The digit `floordiv m` or `mod m`, if that is a digit or a number.
    pub(super) fn digit(self, values: &Values, op: Op, m: i64) -> Option<Left> {
        if values[self.variable].stride > 1 {
            return None;
        }
        if let Some(period) = one_period(self.values(values), m) {
            return match op {
                Op::FloorDiv => Some(Left::Constant(period)),
                _ if period == 0 => Some(Left::Digit(self)),
                _ => None,
            };
        }
        let Digit { variable, a, b, .. } = self;
        let end = small(a * m)?;
        if b != INF && b % end != 0 {
            return None;
        }
        let (a, mut b) = match op {
            Op::FloorDiv => (end, b),
            _ => (a, end),
        };
        let v = values[variable].interval;
        let width = v.upper - v.lower;
        // From one period to the next the digit jumps: it does not lie on a line.
        let jumps = self.is_variable() && width >= m;
        if width < SEVERAL && !jumps {
            return None;
        }
        if b != INF && width < b {
            if v.lower < 0 || v.upper >= b {
                return None;
            }
            b = INF;
        }
        if b == INF && a > 1 && width < a {
            return one_period(v, a).map(Left::Constant);
        }
        if b == INF && v.lower < 0 && v.upper < a {
            // Perhaps only a sign.
            return None;
        }
        Some(Left::Digit(Digit { b, a, ..self }))
    }
}

impl Sum {
    /// `self += item`
    #[inline(always)]
    pub(super) fn add_digit(&mut self, item: Digit) -> Option<()> {
        if item.is_variable() {
            return self.linear.add(item.variable, item.coef);
        }
        self.digits.push(item)
    }

    /// Puts the digits in order, and together with what else there is of their variables: each variable is left itself, or as its high
    /// and its low digit. `None` if the digits of a variable have not the same ends, or if a number is not small.
    #[inline(always)]
    pub(super) fn merge(&mut self, values: &Values) -> Option<()> {
        if self.is_merged() {
            return Some(());
        }
        self.merge_digits(values)
    }

    /// Whether there is at most one digit, and nothing else of its variable.
    #[inline(always)]
    pub(super) fn is_merged(&self) -> bool {
        match self.digits[..] {
            [] => true,
            [d] => self.linear.coef(d.variable) == 0,
            _ => false,
        }
    }

    fn merge_digits(&mut self, values: &Values) -> Option<()> {
        let mut all = self.digits;
        self.digits.clear();
        all.sort_unstable_by_key(|d| d.variable);
        for same in all.chunk_by(|x, y| x.variable == y.variable) {
            let variable = same[0].variable;
            let mut items: SmallVec<[Digit; 6]> = SmallVec::new();
            let coef = self.linear.coef(variable);
            if coef != 0 {
                items.push(Digit {
                    coef,
                    ..Digit::of(variable)
                });
                self.linear.set(variable, 0);
            }
            items.extend_from_slice(same);
            if items.len() > 2 {
                join_neighbours(&mut items);
            }
            let of_variable = match items[..] {
                [one] => [one, Digit { coef: 0, ..one }],
                _ => merged(values, &items)?,
            };
            for item in of_variable {
                if item.coef == 0 {
                    continue;
                }
                if item.is_variable() {
                    self.linear.set(variable, item.coef);
                } else {
                    self.digits.push(item)?;
                }
            }
        }
        Some(())
    }

    /// Whether it is one digit, whose values lie in one period of `m`, beside multiples of `m` and a constant.
    pub(super) fn is_digit_in_one_period(&self, values: &Values, m: i64) -> bool {
        let [d] = self.digits[..] else {
            return false;
        };
        let v = d.values(values);
        let (x, y, k) = (d.coef * v.lower, d.coef * v.upper, self.linear.k);
        let known = &values[d.variable];
        // A digit of negative numbers may be a rotation.
        (known.stride == 1 && known.interval.lower >= 0)
            && one_period(Interval::new(x.min(y) + k, x.max(y) + k), m).is_some()
            && self.linear.terms().all(|(_, c)| is_multiple(c, m))
    }

    /// `self += coef * (inner floordiv m)`, or `mod m`, for a sum whose digits are merged and that has no quotients. False, and nothing
    /// is added, if it is no sum of what is in it, or of one digit; `None` if a number is not small.
    pub(super) fn add_divided(
        &mut self,
        values: &Values,
        coef: i64,
        op: Op,
        inner: &Sum,
        m: i64,
    ) -> Option<bool> {
        let quotient = op == Op::FloorDiv;
        let (q, mut r) = (inner.linear.k.div_euclid(m), inner.linear.k.rem_euclid(m));
        // The variables and digits that are no multiples of the divisor, and where they lie.
        let (mut rest, mut rest_digits) = (0u32, 0u32);
        let (mut lower, mut upper) = (0, 0);
        let (mut reduced, mut strided) = (true, false);
        for (v, c) in inner.linear.terms() {
            if is_multiple(c, m) {
                continue;
            }
            let known = &values[v];
            if known.stride > 1 {
                if quotient || (c * known.stride) % m != 0 {
                    return Some(false);
                }
                // c * x = c * offset modulo m
                r += (c * known.offset).rem_euclid(m);
                strided = true;
                continue;
            }
            let (x, y) = (c * known.interval.lower, c * known.interval.upper);
            lower += x.min(y);
            upper += x.max(y);
            reduced &= c.abs() * 2 <= m;
            rest |= 1 << v;
        }
        for (i, d) in inner.digits.iter().enumerate() {
            if is_multiple(d.coef, m) {
                continue;
            }
            if values[d.variable].stride > 1 {
                return Some(false);
            }
            let v = d.values(values);
            let (x, y) = (d.coef * v.lower, d.coef * v.upper);
            lower += x.min(y);
            upper += x.max(y);
            reduced &= d.coef.abs() * 2 <= m;
            rest_digits |= 1 << i;
        }
        let all_digits = (1 << inner.digits.len()) - 1;
        let multiples = rest != inner.linear.used() || rest_digits != all_digits;
        if !quotient && !reduced && multiples {
            // With the multiples of the modulus the other coefficients go, beyond half of it.
            return Some(false);
        }
        match one_period(Interval::new(lower + r, upper + r), m) {
            None => {
                if strided || inner.linear.k != 0 {
                    return Some(false);
                }
                let (mut variables, mut digits) = (Bits(rest), Bits(rest_digits));
                let one = match (variables.next(), digits.next()) {
                    (Some(v), None) if inner.linear.coef(v) == 1 => Digit::of(v),
                    (None, Some(i)) if inner.digits[i].coef == 1 => inner.digits[i],
                    _ => return Some(false),
                };
                if variables.0 | digits.0 != 0 {
                    return Some(false);
                }
                match one.digit(values, op, m) {
                    None => return Some(false),
                    Some(Left::Constant(v)) => self.linear.add_constant(v * coef)?,
                    Some(Left::Digit(d)) => self.add_digit(Digit { coef, ..d })?,
                }
                // Its constant is zero.
            }
            Some(period) if quotient => {
                self.linear.add_constant(wide_product(q + period, coef)?)?;
            }
            Some(period) => {
                for v in Bits(rest) {
                    self.linear.add(v, small(inner.linear.coef(v) * coef)?)?;
                }
                for i in Bits(rest_digits) {
                    self.add_times(inner.digits[i], coef)?;
                }
                self.linear
                    .add_constant(wide_product(r - period * m, coef)?)?;
            }
        }
        if quotient {
            for v in Bits(inner.linear.used() & !rest) {
                self.linear
                    .add(v, small(inner.linear.coef(v) / m * coef)?)?;
            }
            for i in Bits(all_digits & !rest_digits) {
                let d = inner.digits[i];
                self.add_times(
                    Digit {
                        coef: d.coef / m,
                        ..d
                    },
                    coef,
                )?;
            }
        }
        Some(true)
    }

    /// `self += coef * digit`
    fn add_times(&mut self, digit: Digit, coef: i64) -> Option<()> {
        let coef = small(digit.coef * coef)?;
        self.add_digit(Digit { coef, ..digit })
    }
}

/// Whether `c`, which is not zero, is a multiple of `m`, which takes no division most of the time.
#[inline(always)]
pub(super) fn is_multiple(c: i64, m: i64) -> bool {
    c.abs() >= m && c % m == 0
}

/// `c * (v, a, m) + c * (m / a) * (v, m, b) -> c * (v, a, b)`, of three and more digits of one variable.
fn join_neighbours(items: &mut SmallVec<[Digit; 6]>) {
    loop {
        let above = |low: &Digit, high: &Digit| {
            low.b != INF && low.b == high.a && low.coef * (low.b / low.a) == high.coef
        };
        let fitting = |(i, low): (usize, &Digit)| {
            let j = items.iter().position(|high| above(low, high))?;
            Some((i, j))
        };
        let Some((i, j)) = items.iter().enumerate().find_map(fitting) else {
            return;
        };
        items[i].b = items[j].b;
        items.swap_remove(j);
    }
}

/// The high and the low digit that items of one variable are together, which are split at one place at most:
/// `(v, a, b) = (v, a, m) + m / a * (v, m, b)`. If they are not split, or fit together, the first is all and the other nothing. `None`
/// if there are more places, or the high digit has too few values.
fn merged(values: &Values, items: &[Digit]) -> Option<[Digit; 2]> {
    let first = *items.first()?;
    let (mut a, mut b) = (first.a, first.b);
    for t in items {
        a = a.min(t.a);
        if b != INF && (t.b == INF || t.b > b) {
            b = t.b;
        }
    }
    let split = items.iter().find(|t| (t.a, t.b) != (a, b));
    let m = split.map(|t| if t.a == a { t.b } else { t.a });
    if m.is_some_and(|m| m % a != 0 || (b != INF && b % m != 0)) {
        return None;
    }
    let (mut high, mut low) = (0i64, 0i64);
    // Of the values above and below the place.
    let times = m.map_or(1, |m| m / a);
    for t in items {
        if t.a == a && (t.b == b || Some(t.b) == m) {
            low += t.coef;
        }
        if t.b == b && t.a == a {
            high += t.coef * times;
        } else if t.b == b && Some(t.a) == m {
            high += t.coef;
        } else if t.a != a || Some(t.b) != m {
            return None;
        }
    }
    let (high, low) = (small(high)?, small(low)?);
    let nothing = Digit { coef: 0, ..first };
    let Some(m) = m.filter(|_| low * times != high) else {
        return Some([
            Digit {
                a,
                b,
                coef: low,
                ..first
            },
            nothing,
        ]);
    };
    let high = Digit {
        a: m,
        b,
        coef: high,
        ..first
    };
    let low = Digit {
        a,
        b: m,
        coef: low,
        ..first
    };
    // What jumps once may be a rotation.
    let above = high.values(values);
    (above.upper - above.lower > 1).then_some([high, low])
}

/// The high and the low digit of a variable as they are written: themselves, or what they are together and one of the two, if that
/// has fewer operations.
pub(super) fn paired(high: Digit, low: Digit) -> [Digit; 2] {
    let cost = |t: &Digit| factor(t.coef) + places(t.a, t.b);
    let n = low.b / low.a;
    let (a, b) = (low.a, high.b);
    let mut best = [high, low];
    let mut least = cost(&high) + cost(&low);
    let rest = high.coef - low.coef * n;
    let with_high = [Digit { a, b, ..low }, Digit { coef: rest, ..high }];
    let up = high.coef / n;
    let with_low = [
        Digit {
            a,
            b,
            coef: up,
            ..low
        },
        Digit {
            coef: low.coef - up,
            ..low
        },
    ];
    for (way, there) in [(with_high, true), (with_low, high.coef % n == 0)] {
        let new = cost(&way[0]) + cost(&way[1]);
        if there && new < least {
            (best, least) = (way, new);
        }
    }
    best
}
