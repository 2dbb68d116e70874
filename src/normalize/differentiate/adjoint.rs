//! The adjoint of any operation: which rule it has.

use super::{number_of, reverse::Reverse};
use crate::rewrite::Result;
use mapwright_mlir::{Op, Val};
use mapwright_ops::{
    attrs,
    registry::{self, Class},
};

/// Adds what the cotangents of the results of `op` say about those of its operands.
pub(super) fn of_operation<'c>(
    reverse: &Reverse<'c>,
    op: Op<'c>,
    given: &[Option<Val<'c>>],
) -> Result<'c> {
    if let Some(done) = reverse.by_name(op, given) {
        return done;
    }
    let class = registry::lookup(op).map(|def| def.class);
    if let [Some(given)] = *given
        && class == Some(Class::Elementwise)
        && reverse.by_one_variable(op, given)?
    {
        return Ok(());
    }
    for given in given.iter().flatten().copied() {
        for (k, operand) in op.operands().into_iter().enumerate() {
            if !reverse.is_active(operand) {
                continue;
            }
            let part = match class {
                Some(Class::Elementwise) => {
                    let part = reverse.elementwise(op, k, given)?;
                    part.map(|part| reverse.masked(op, operand, part))
                }
                Some(Class::Movement) => Some(reverse.of_movement(op, given)?),
                _ => return reverse.no_rule(op),
            };
            if let Some(part) = part {
                reverse.give(operand, part);
            }
        }
    }
    Ok(())
}

impl<'c> Reverse<'c> {
    /// Operations with rules of their own; `None` for the others.
    fn by_name(&self, op: Op<'c>, given: &[Option<Val<'c>>]) -> Option<Result<'c>> {
        let first = given.first().copied().flatten();
        // What has one result, which has a cotangent then.
        let one = |rule: &dyn Fn(Val<'c>) -> Result<'c>| first.map_or(Ok(()), rule);
        Some(match attrs::name(op) {
            "while" => self.repeated(op, given),
            "case" | "if" => self.chosen(op, given),
            "dot_general" => one(&|given| self.product(op, given)),
            "convolution" | "dynamic_conv" => one(&|given| self.convolution(op, given)),
            "reduce" => self.reduction(op, given),
            "reduce_window" | "dynamic_reduce_window" => self.reduced_windows(op, given),
            "select_and_scatter" => one(&|given| self.selected_sums(op, given)),
            "gather" | "dynamic_gather" | "torch_index_select" => {
                one(&|given| self.gathered(op, given))
            }
            "pad" | "dynamic_pad" => one(&|given| self.of_padding(op, given)),
            "concatenate" => one(&|given| self.of_pieces(op, given)),
            "dynamic_slice" => one(&|given| self.cut_out(op, given)),
            "dynamic_update_slice" => one(&|given| self.put_in(op, given)),
            "scatter" => one(&|given| self.scattered(op, given)),
            "sort" => self.sorted(op, given),
            "top_k" if op.dialect() == "chlo" => one(&|given| self.greatest(op, given)),
            "dynamic_top_k" => one(&|given| self.greatest(op, given)),
            "fft" => one(&|given| self.transformed(op, given)),
            "cholesky" => one(&|given| self.factorised(op, given)),
            "triangular_solve" => one(&|given| self.solved(op, given)),
            "custom_call" => self.called(op, given),
            "optimization_barrier" => {
                for (operand, given) in op.operands().into_iter().zip(given) {
                    if let Some(given) = given.filter(|_| number_of(operand).is_some()) {
                        self.give(operand, given);
                    }
                }
                Ok(())
            }
            // Bits are no numbers.
            "bitcast_convert" => Ok(()),
            _ => return None,
        })
    }
}
