//! What the fixpoint knows of a value, and of the loops of an operation.

use super::matching::{Loop, Place};
use super::{Conflict, Sharding, Source};
use crate::digits::Digit;
use crate::layout::Reduction;

/// A digit that splits something, and the given value from which that comes.
pub(super) type Split = (Digit, usize);

/// A layout with the origin of every digit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    pub(super) dims: Vec<Vec<Split>>,
    pub(super) partial: Vec<(Digit, Reduction, usize)>,
    pub(super) source: Source,
}

impl State {
    /// Tells whether every device has all of it.
    pub(super) fn is_whole(&self) -> bool {
        self.partial.is_empty() && self.dims.iter().all(Vec::is_empty)
    }

    pub(super) fn sharding(&self) -> Sharding {
        Sharding {
            dims: self
                .dims
                .iter()
                .map(|d| d.iter().map(|s| s.0).collect())
                .collect(),
            partial: self.partial.iter().map(|p| (p.0, p.1)).collect(),
        }
        .merged()
    }
}

/// The loops of an operation, which digits split them, and what could not be brought together.
pub(super) struct Loops {
    pub(super) vars: Vec<Loop>,
    pub(super) sizes: Vec<i64>,
    pub(super) splits: Vec<Vec<Split>>,
    /// Digits of operands that split no loop: (operand, digit, reason).
    pub(super) stuck: Vec<(usize, Digit, String)>,
    pub(super) conflicts: Vec<Conflict>,
    pub(super) partial: Vec<(Digit, Reduction, usize)>,
}

impl Loops {
    pub(super) fn find(&self, digit: Digit) -> Option<(usize, usize)> {
        self.splits
            .iter()
            .enumerate()
            .find_map(|(v, list)| list.iter().position(|s| s.0 == digit).map(|p| (v, p)))
    }

    /// The place of the digit at position `at` of a loop; the digit need not be there yet.
    pub(super) fn place(&self, var: usize, at: usize, digit: Digit) -> Option<Place> {
        place_in(
            self.sizes[var],
            self.splits[var][..at].iter().map(|s| s.0.size).product(),
            digit,
            at == 0,
        )
    }
}

/// The place of a digit in a dimension of `size`, below digits of product `above`; `None` if it
/// does not divide.
pub(super) fn place_in(size: i64, above: i64, digit: Digit, first: bool) -> Option<Place> {
    let block = if size % above == 0 {
        size / above
    } else {
        return None;
    };
    (block % digit.size == 0 && block > 0).then(|| Place {
        width: block / digit.size,
        size: digit.size,
        first,
    })
}
