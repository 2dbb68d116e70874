//! The order of extents: that of large sizes, and what is typical of them.

use super::Extent;
use std::cmp::Ordering;

/// Number that a size known at run time only is taken for in estimates.
const TYPICAL: i128 = 1024;

impl Extent {
    /// A size as it may be expected, for estimates: of those that are known at run time only, what
    /// is usual.
    pub fn expected(self) -> i64 {
        match self.as_constant() {
            Some(n) => n,
            None => {
                let value = self.eval(&|_| TYPICAL);
                value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
            }
        }
    }

    /// A size as a number where those that are known at run time only are large: for estimates
    /// whether something is.
    pub fn when_large(self) -> i64 {
        match self.as_constant() {
            Some(n) => n,
            None => self.large().clamp(i64::MIN.into(), i64::MAX.into()) as i64,
        }
    }

    /// The value where every size is large, and no two are alike.
    fn large(self) -> i128 {
        self.eval(&|name| (1 << 18) + 1031 * (name as i128))
    }
}

impl PartialOrd for Extent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Extent {
    /// By their values where every size is large. For estimates, and to have things in order: what
    /// holds for all sizes is asked with [`Extent::is_at_least`].
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.as_constant(), other.as_constant()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ if self == other => Ordering::Equal,
            // Different ones of the same value are ordered by their text, which is the same in
            // every process.
            _ => (self.large().cmp(&other.large()))
                .then_with(|| self.to_string().cmp(&other.to_string())),
        }
    }
}

impl PartialEq<i64> for Extent {
    fn eq(&self, other: &i64) -> bool {
        *self == Self::from(*other)
    }
}

impl PartialOrd<i64> for Extent {
    fn partial_cmp(&self, other: &i64) -> Option<Ordering> {
        Some(self.cmp(&Self::from(*other)))
    }
}
