//! What is known of one variable: an interval and a congruence.

use super::linear::gcd;
use crate::interval::Interval;
use smallvec::SmallVec;

/// The domain turned out to have no point.
#[derive(Debug)]
pub(crate) struct Empty;

pub(super) type Outcome = Result<(), Empty>;

/// What is known of the variables of a map, for a while.
pub(super) type KnownList = SmallVec<[Known; 12]>;

/// What is known of a variable: an interval and a congruence, `offset` modulo `stride`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    pub(crate) interval: Interval,
    pub(crate) stride: i64,
    pub(crate) offset: i64,
}

impl Known {
    pub(crate) fn new(interval: Interval) -> Self {
        Known {
            interval,
            stride: 1,
            offset: 0,
        }
    }

    /// Moves the ends to values that satisfy the congruence.
    pub(super) fn tighten(&mut self) -> Outcome {
        if self.stride > 1 {
            let (m, r) = (self.stride, self.offset as i128);
            let lower = self.interval.lower as i128;
            let upper = self.interval.upper as i128;
            let first = lower + remainder(r - lower, m);
            let last = upper - remainder(upper - r, m);
            if first > last {
                return Err(Empty);
            }
            self.interval = Interval::new(first as i64, last as i64);
        }
        if self.interval.is_empty() {
            return Err(Empty);
        }
        if self.interval.as_point().is_some() {
            (self.stride, self.offset) = (1, 0);
        }
        Ok(())
    }

    pub(super) fn intersect(&mut self, lower: i128, upper: i128) -> Outcome {
        let lower = lower.max(self.interval.lower as i128);
        let upper = upper.min(self.interval.upper as i128);
        if lower > upper {
            return Err(Empty);
        }
        self.interval = Interval::new(lower as i64, upper as i64);
        self.tighten()
    }
}

/// `v` modulo a positive `m`.
pub(super) fn remainder(v: i128, m: i64) -> i128 {
    match i64::try_from(v) {
        Ok(v) => v.rem_euclid(m) as i128,
        Err(_) => v.rem_euclid(m as i128),
    }
}

/// `x = r` modulo `m` and `x = s` modulo `n`: one congruence (Chinese remainder theorem), `None` if none, `Err` if too large.
pub(super) fn chinese((m, r): (i64, i64), (n, s): (i64, i64)) -> Result<Option<(i64, i64)>, ()> {
    if m == 1 {
        return Ok(Some((n, s.rem_euclid(n))));
    }
    let g = gcd(m, n);
    let (m, n, g) = (m as i128, n as i128, g as i128);
    let difference = s as i128 - r as i128;
    if difference % g != 0 {
        return Ok(None);
    }
    let lcm = m / g * n;
    if lcm > i64::MAX as i128 {
        return Err(());
    }
    // r + m * t = s modulo n, so t = (s - r) / g * (m / g)^-1 modulo n / g.
    let period = n / g;
    let inverse = inverse((m / g).rem_euclid(period), period);
    let t = ((difference / g).rem_euclid(period) * inverse).rem_euclid(period);
    Ok(Some((
        lcm as i64,
        (r as i128 + m * t).rem_euclid(lcm) as i64,
    )))
}

/// The inverse of `a` modulo `m`, for coprime numbers; 0 modulo 1.
pub(super) fn inverse(a: i128, m: i128) -> i128 {
    let (mut r, mut next_r, mut x, mut next_x) = (m, a, 0i128, 1i128);
    while next_r != 0 {
        let q = r / next_r;
        (r, next_r) = (next_r, r - q * next_r);
        (x, next_x) = (next_x, x - q * next_x);
    }
    x.rem_euclid(m)
}

/// True for what can be an end of an interval.
pub(super) fn representable(v: i128) -> bool {
    i64::try_from(v).is_ok()
}
