//! What is known of one variable: an interval and a congruence.

use crate::interval::Interval;
use crate::linear::number::remainder;
use smallvec::SmallVec;

/// The domain turned out to have no point.
#[derive(Debug)]
pub(crate) struct Empty;

/// Result of a step that may find the domain empty.
pub(super) type Outcome<T = ()> = Result<T, Empty>;

/// Facts about the variables of a map, for a while.
pub(super) type KnownList = SmallVec<[Known; 12]>;

/// Facts about a variable: an interval and a congruence, `offset` modulo `stride`.
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

    /// True if an end moves.
    pub(super) fn intersect(&mut self, lower: i128, upper: i128) -> Outcome<bool> {
        let before = self.interval;
        let lower = lower.max(self.interval.lower as i128);
        let upper = upper.min(self.interval.upper as i128);
        if lower > upper {
            return Err(Empty);
        }
        self.interval = Interval::new(lower as i64, upper as i64);
        self.tighten()?;
        Ok(before != self.interval)
    }
}

/// True for what can be an end of an interval.
pub(super) fn representable(v: i128) -> bool {
    i64::try_from(v).is_ok()
}
