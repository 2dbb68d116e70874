//! How far values are followed.

use std::cell::Cell;

/// Operations that a question about a value may look at, on all ways to them together: to a value
/// that others are made of twice each there are exponentially many ways, and few programs have so
/// many operations between a value and what answers.
#[derive(Debug)]
pub struct Steps(Cell<usize>);

impl Default for Steps {
    fn default() -> Self {
        Self(Cell::new(256))
    }
}

impl Steps {
    /// Takes one step; `None` where none is left.
    pub fn take(&self) -> Option<()> {
        self.0.set(self.0.get().checked_sub(1)?);
        Some(())
    }

    /// Half of the steps that are left, for a question on the way, which takes none of these.
    pub fn half(&self) -> Self {
        Self(Cell::new(self.0.get() / 2))
    }
}
