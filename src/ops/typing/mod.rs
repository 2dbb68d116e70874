//! Types of operations: verification and inference, one implementation for both.
//!
//! A rule takes an operation and checks the specification's constraints on its operands, attributes
//! and regions, each under the constraint's label; what it returns are the result types that
//! follow. [`verify`] compares these with the declared ones; [`infer`] gives them to shape
//! inference. The rules stand in the `checks.rs` of each family, and rows of the registry name them
//! ([`crate::definition::OpDef::rule`]). Element types that the operation's definition rules out
//! altogether are the business of the dialect's ODS constraints.

pub mod check;
mod interpreter;
pub(crate) mod mhlo;
mod quantized;
pub(crate) mod results;

pub use crate::symbols::{find_function, signature};
pub use check::{Check, Inferred, Rule, Violation};

use crate::definition::OpDef;
use crate::registry;
use mapwright_mlir::{Op, ValueType};

/// Result types that follow from operands, attributes and regions; `None` where the specification
/// leaves them open.
pub fn infer(op: Op<'_>) -> Check<Inferred> {
    match definition(op).and_then(|def| def.rule) {
        // Nothing follows from tensors of unknown rank.
        Some(_) if op.dialect() == "chlo" && !check::ranked(op) => Ok(None),
        Some(rule) => rule(op),
        None if op.name() == "interpreter.run_parallel" => interpreter::run_parallel(op),
        None => Ok(None),
    }
}

/// Returns the registry's row of `op`, by its own name: a call of a function that has the name of
/// an operation is a call.
fn definition(op: Op<'_>) -> Option<&'static OpDef> {
    match op.dialect() {
        // Operations of tensor arrays share names with those of StableHLO.
        "tarray" => registry::lookup(op),
        _ => registry::by_name(op.short_name()),
    }
}

/// Checks all constraints of an operation, its result types included.
pub fn verify(op: Op<'_>) -> Check {
    quantized::verify(op)?;
    let Some(inferred) = infer(op)? else {
        return Ok(());
    };
    let declared: Vec<ValueType> = (0..op.num_results()).map(|i| op.result_type(i)).collect();
    results::ensure(definition(op), &inferred, &declared)
}

/// Verifies and emits a diagnostic at the operation if a constraint does not hold.
pub fn verify_and_report(op: Op<'_>) -> bool {
    reported(op, verify(op))
}

/// Tells whether a check holds. If not, a diagnostic is emitted at the operation.
pub(crate) fn reported(op: Op<'_>, checked: Check) -> bool {
    checked.map_err(|violation| report(op, &violation)).is_ok()
}

/// The result types that follow; `None`, and a diagnostic at the operation, if a constraint does
/// not hold.
pub fn infer_and_report(op: Op<'_>) -> Option<Vec<ValueType>> {
    match infer(op) {
        Ok(Some(types)) => Some(types),
        Ok(None) => {
            op.emit_error("has results whose types do not follow from its operands");
            None
        }
        Err(violation) => {
            report(op, &violation);
            None
        }
    }
}

fn report(op: Op<'_>, violation: &Violation) {
    let label = match violation.label {
        "" => String::new(),
        label => format!(" ({}_{label})", op.short_name()),
    };
    op.emit_error(&format!("{}{label}", violation.message));
}
