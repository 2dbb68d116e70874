//! One operation by itself: which digits split its loops, given what its operands and results have.

use super::flow::Flow;
use super::matching::Loop;
use super::{Plans, Program, Sharding};
use crate::digits::{self, Digit};
use crate::error::LayoutError;

/// Division of an operation among devices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Divided {
    /// Its loops that digits split: each with its size and the digits, major first.
    pub loops: Vec<(Loop, i64, Vec<Digit>)>,
    /// The layout of each operand that the loops need.
    pub operands: Vec<Sharding>,
    /// The layout that the loops give the results.
    pub makes: Sharding,
    /// Why operands do not keep the layout that they have: position and reason.
    pub stuck: Vec<(usize, String)>,
}

/// Divides operation `operation` of a program whose values have the layouts that are given, along
/// all loops but those of `whole`. What is given for results is a wish: they get what
/// [`Divided::makes`] says.
///
/// # Errors
/// As [`super::propagate`].
pub fn divide(
    program: &Program,
    operation: usize,
    plans: &mut Plans,
    whole: &[Loop],
) -> Result<Divided, LayoutError> {
    Flow::new(program, plans, whole)?.divide(operation)
}

impl Flow<'_> {
    fn divide(&mut self, operation: usize) -> Result<Divided, LayoutError> {
        let loops = self.loops(operation);
        let operands = (0..self.operation(operation).operands.len())
            .map(|operand| self.needed(operation, operand, &loops).sharding())
            .collect();
        let makes = self.result_state(operation, &loops).sharding();
        let split = loops.vars.iter().zip(&loops.sizes).zip(&loops.splits);
        let split = split.filter(|(_, splits)| !splits.is_empty());
        Ok(Divided {
            loops: split
                .map(|((var, size), splits)| {
                    let list: Vec<Digit> = splits.iter().map(|s| s.0).collect();
                    (*var, *size, digits::merge(&list))
                })
                .collect(),
            operands,
            makes,
            stuck: loops.stuck.into_iter().map(|s| (s.0, s.2)).collect(),
        })
    }
}
