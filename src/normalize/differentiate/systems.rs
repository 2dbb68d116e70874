//! Systems that are solved by the triangular factors of their matrix, one after the other.
//!
//! The factors of `P A = L U` are made to solve `A X = B` by `L Y = P B` and `U X = Y`, or
//! `A^T X = B` by `U^T Y = B` and `L^T P X = Y`. The cotangent of `P A` is minus the outer product
//! of what the transposed system says about its right-hand side and of the solution (the other way
//! round of the transposed one): it takes no factorisation and no system as large as the matrix,
//! which the cotangents of the two factors by themselves would.

use super::{
    factors::put_in_order,
    linalg::{system_of, times, transposed},
    reverse::{Reverse, Solved},
};
use crate::rewrite::Result;
use mapwright_mlir::{Op, Val, op};
use mapwright_ops::{
    attrs::{Transpose, transpose_a},
    library,
    registry::{self, Class},
};

/// The factorisation whose factors a matrix has. A program may say that there are none where a
/// pivot is zero.
fn factorisation<'c>(matrix: Val<'c>) -> Option<Op<'c>> {
    let (made, r) = op::defining_op(matrix)?;
    if made.is_hlo("select") {
        let (other, _) = op::defining_op(made.operand(2))?;
        let constant = op::is_constant(made.operand(2))
            || (other.is_hlo("broadcast_in_dim") && op::is_constant(other.operand(0)));
        return constant.then(|| factorisation(made.operand(1)))?;
    }
    let target = made
        .string("call_target_name")
        .filter(|_| made.is_hlo("custom_call") && r == 0)?;
    let (function, _) = library::lapack::find(&target)?;
    (function.name == "getrf").then_some(made)
}

/// Returns the operation that computed the elements of a value, seen through reshapes; `None` if
/// any of these values is read elsewhere, too.
fn only_source<'c>(value: Val<'c>) -> Option<Op<'c>> {
    let mut value = value;
    loop {
        let (made, _) = op::defining_op(value)?;
        if op::uses(value).len() != 1 {
            return None;
        }
        let moves = registry::lookup(made).map(|def| def.class) == Some(Class::Movement);
        if moves && made.is_hlo("reshape") {
            value = made.operand(0)
        } else {
            return Some(made);
        }
    }
}

/// Tells whether `op` solves a triangular system by this factor, transposed in this way, from the
/// left.
fn is_system(op: Op<'_>, lower: bool, how: Transpose) -> bool {
    let system = system_of(op);
    op.is_hlo("triangular_solve")
        && system.left
        && system.lower == lower
        && system.unit == lower
        && transpose_a(op) == Ok(how)
}

impl<'c> Reverse<'c> {
    /// Checks whether `op` is the second of two systems by both factors of a matrix. If so, the
    /// first one is noted.
    pub(super) fn is_second_system(&self, op: Op<'c>) -> Option<()> {
        let how = transpose_a(op).ok()?;
        let lower = match how {
            Transpose::NoTranspose => false,
            Transpose::Transpose => true,
            Transpose::Adjoint => return None,
        };
        let factors = factorisation(op.operand(0))?;
        let first = only_source(op.operand(1))?;
        let (_, shape) = self.m.type_of(factors.result(0));
        let square = matches!(shape.as_slice(), [.., rows, columns] if rows == columns);
        let fits = square
            && is_system(op, lower, how)
            && is_system(first, !lower, how)
            && op::key(first.operand(0)) == op::key(op.operand(0))
            && first.block().map(|b| b.to_raw().ptr) == factors.block().map(|b| b.to_raw().ptr)
            && self.is_active(factors.operand(0))
            && self.m.type_of(first.result(0)).1 == self.m.type_of(op.result(0)).1;
        if !fits {
            return None;
        }
        let solved = Solved {
            factors,
            solution: op.result(0),
        };
        self.solved
            .borrow_mut()
            .insert(op::key(first.result(0)), solved);
        Some(())
    }

    /// Adds the cotangent of the whole matrix, if `op` is the first of two systems that solve one
    /// with it: it follows from `of_b`, the cotangent of the right-hand side. Returns whether it
    /// did.
    pub(super) fn of_whole_matrix(&self, op: Op<'c>, of_b: Val<'c>) -> Result<'c, bool> {
        let known = self.solved.borrow().get(&op::key(op.result(0))).copied();
        let Some(Solved { factors, solution }) = known else {
            return Ok(false);
        };
        let m = &self.m;
        let (_, matrix) = m.type_of(factors.result(0));
        let order = self.order_of_pivots(factors, &matrix)?;
        let (rows, columns) = match transpose_a(op) {
            Ok(Transpose::NoTranspose) => (of_b, solution),
            _ => (solution, of_b),
        };
        let rows = put_in_order(self, order, rows);
        let part = times(m, rows, transposed(m, columns));
        self.give(factors.operand(0), m.same("negate", &[part]));
        Ok(true)
    }
}
