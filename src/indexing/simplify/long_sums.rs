//! Room for long sums. Sums of which each has one term more than the one before would take time and
//! memory that grow with the square of them; where no room is left a long sum stays as it is, as if
//! a number would not fit, and the map is less simplified.

use super::linear::{Forms, LinId, Sum};
use super::operations::LONG;
use crate::expr::Op;

/// Name that is listed among the rules, if a map was simplified less than it could be.
const USED_UP: &str = "work-budget-used-up";

/// Room that each term of a long sum takes.
const COST_OF_TERM: usize = 8;

/// Room that it takes to compare two terms of a long sum that are alike on the outside.
pub(super) const COST_OF_COMPARISON: usize = 8;

impl Forms {
    /// Takes room for a sum of that many terms; false if it would be a long one and there is none.
    #[inline]
    pub(crate) fn admits_sum(&mut self, terms: usize) -> bool {
        terms <= LONG || self.spend(terms * COST_OF_TERM)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn spend(&mut self, room: usize) -> bool {
        self.long_sum_budget = self.long_sum_budget.saturating_sub(room as u64);
        if self.long_sum_budget == 0 && !self.exhausted {
            self.exhausted = true;
            self.fired(USED_UP);
        }
        !self.exhausted
    }

    /// True if a sum becomes a long one for which there is no room by another form.
    pub(super) fn lengthens(&self, sum: &Sum, lin: LinId) -> bool {
        self.exhausted && sum.terms.len() + self.terms(lin).len() > LONG
    }

    /// True if the two together are a long sum for which there is no room.
    pub(super) fn too_long(&self, x: LinId, y: LinId) -> bool {
        self.exhausted && self.terms(x).len() + self.terms(y).len() > LONG
    }

    /// `lin` as one term, if it is not to be put together with what it stands in.
    pub(crate) fn kept_apart(&mut self, lin: LinId) -> LinId {
        let zero = self.constant(0);
        self.opaque(Op::Add, lin, zero)
    }
}
