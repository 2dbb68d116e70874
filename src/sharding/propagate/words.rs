//! The words of the fixpoint: names of digits, values and loops, and why a digit splits no loop.

use super::digit_name;
use super::flow::Flow;
use super::matching::Loop;
use super::state::Split;
use crate::digits::{self, Digit};

impl Flow<'_> {
    pub(super) fn name(&self, digit: Digit) -> String {
        digit_name(&self.program.devices, digit)
    }

    /// The names of digits, neighbours joined.
    pub(super) fn names(&self, splits: &[Split]) -> String {
        let merged = digits::merge(&splits.iter().map(|s| s.0).collect::<Vec<_>>());
        merged
            .iter()
            .map(|d| self.name(*d))
            .collect::<Vec<_>>()
            .join(", ")
    }

    pub(super) fn value_name(&self, value: usize) -> &str {
        self.program
            .values
            .get(value)
            .map_or("?", |v| v.name.as_str())
    }

    /// Why a digit of an operand is the digit of no loop.
    pub(super) fn no_loop(
        &self,
        op: usize,
        edge: usize,
        dim: usize,
        width: i64,
        label: &str,
    ) -> String {
        let operation = self.operation(op);
        let edge = &operation.edges[edge];
        let value = self.value_name(operation.operands[edge.operand]);
        if let Some(reason) = edge.maps.iter().find_map(|m| m.unknown_reason()) {
            return format!(
                "which elements of {value} {} reads is unknown: {reason}",
                operation.name
            );
        }
        let index = edge
            .maps
            .iter()
            .filter(|m| m.is_known())
            .find_map(|m| m.results().get(dim))
            .map_or_else(String::new, |e| e.to_string());
        format!(
            "{} reads dimension {dim} of {value} at `{index}`, which crosses the parts of {width} elements that {label} splits it into",
            operation.name,
        )
    }

    pub(super) fn loop_name(&self, var: Loop) -> String {
        match var {
            Loop::Dimension(i) => format!("dimension {i}"),
            Loop::Range(i) => format!("the reduced range {i}"),
        }
    }

    pub(super) fn from(&self, origin: usize) -> String {
        format!(" (from {})", self.value_name(origin))
    }
}
