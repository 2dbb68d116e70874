//! Queries of operations that stand in a program: what makes their operands says what these are.

use crate::query::{OperandFacts, Query};
use crate::related_sizes::Related;
use crate::{fold, sizes};
use mapwright_mlir::Op;

/// The query of an operation, with what the program says of its operands: numbers that are known
/// ([`fold`]), and where run-time sizes come from ([`sizes`]), as far as `related` says with those
/// that are equal.
pub(crate) fn query<'c>(op: Op<'c>, related: &Related) -> Query<'c> {
    let program = OperandFacts {
        value: fold::value,
        size: sizes::size_of,
        related: related.clone(),
    };
    Query::new(op, Some(program))
}
