//! A sum in an interval.

use crate::simplify::known::representable;
use crate::simplify::linear::{Forms, LinId};
use crate::simplify::steps::Part;

/// `lin in [lower, upper]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RangeOf {
    pub(crate) lin: LinId,
    pub(crate) lower: i128,
    pub(crate) upper: i128,
}

impl RangeOf {
    /// The constraint as a part of a step.
    pub(super) fn part(&self, forms: &Forms) -> Option<Part> {
        let form = forms.of_form(self.lin)?;
        Some((form, Some((self.lower, self.upper))))
    }

    pub(crate) fn new(lin: LinId, lower: i128, upper: i128) -> Self {
        RangeOf { lin, lower, upper }
    }

    /// Whether the ends can be written.
    pub(crate) fn fits(&self) -> bool {
        representable(self.lower) && representable(self.upper)
    }

    /// `x in [l, u] -> -x in [-u, -l]`, if that can be written.
    pub(crate) fn negated(&self, forms: &mut Forms) -> Option<RangeOf> {
        let lin = forms.scaled(self.lin, -1, 0)?;
        Some(RangeOf::new(lin, -self.upper, -self.lower)).filter(Self::fits)
    }
}
