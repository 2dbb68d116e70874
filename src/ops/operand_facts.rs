//! Queries of operations that stand in a program: what makes their operands says what these are.

use crate::query::{OperandFacts, Query};
use crate::{fold, sizes};
use mapwright_mlir::Op;

/// The query of an operation, with what the program says of its operands: numbers that are known
/// ([`fold`]), and where run-time sizes come from ([`sizes`]).
pub(crate) fn query(op: Op<'_>) -> Query<'_> {
    let program = OperandFacts {
        value: fold::value,
        size: sizes::size_of,
    };
    Query::new(op, Some(program))
}
