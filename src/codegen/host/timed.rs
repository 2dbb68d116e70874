//! Parts of a program that are timed one by one.

use super::{Kernels, emit::Host, values::tensor};
use mapwright_mlir::{Op, Val, diagnostic::location_text, op};
use mapwright_ops::contraction::flops;
use serde::{Deserialize, Serialize};

/// An operation of the host function that takes time: the launch of a region, or a call of the
/// runtime library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The kernel, or the operation.
    pub name: String,
    /// The operations of the program that it computes, in order.
    pub operations: Vec<PartOperation>,
    /// Multiplications and additions of its products.
    pub flops: f64,
}

/// An operation of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartOperation {
    /// Its name, with the dialect.
    pub name: String,
    /// Location in the source.
    pub location: String,
}

/// Returns the name, the operations and the work of `op`, which is a launch or a call.
pub(crate) fn part<'c>(kernels: &Kernels<'_, 'c>, op: Op<'c>) -> Part {
    let name = match op.name() {
        "indexing.fusion" => kernels.get(op).map(|(name, _)| name).unwrap_or_default(),
        name => name.to_string(),
    };
    let inside = op.descendants();
    // Of a region those within it, which the source has; regions and what ends them are made here.
    // Bodies belong to their operations.
    let is_region = |op: &Op<'c>| op.dialect() == "indexing";
    let of_source = [op].into_iter().chain(inside.iter().copied());
    let of_source = of_source.filter(|own| {
        !is_region(own) && (*own == op || own.parent().is_some_and(|around| is_region(&around)))
    });
    let operations = of_source.map(|own| PartOperation {
        name: own.name().to_string(),
        location: location_text(own.location()),
    });
    Part {
        operations: operations.collect(),
        name,
        flops: inside.iter().map(|op| flops(*op).unwrap_or(0.0)).sum(),
    }
}

impl<'c> Host<'_, 'c> {
    /// The bytes of a call's operands and results: what it has to read and write at least, if all
    /// of them are used. What is updated in its own memory counts by what is written there.
    pub(super) fn moved(&self, op: Op<'c>) -> Val<'c> {
        let kernel = match op.name() {
            "indexing.fusion" => self.kernels.get(op).ok(),
            _ => None,
        };
        let updated = kernel.filter(|(_, kernel)| kernel.updates.is_some());
        let mut left_out: Vec<usize> = Vec::new();
        for (output, input) in updated.iter().flat_map(|(_, kernel)| &kernel.in_place) {
            let (operand, result) = (op.operand(*input), op.result(*output));
            if self.same_storage(operand, result) {
                left_out.extend([op::key(operand), op::key(result)]);
            }
        }
        let twice = !left_out.is_empty();
        let values = op.operands().into_iter().chain(op.results());
        let counted = values.filter(|v| tensor(*v).is_some() && !left_out.contains(&op::key(*v)));
        let mut total = self.f.i64(0);
        for value in counted {
            let own = self.bytes(value);
            total = self.b().addi(total, own);
            if twice {
                total = self.b().addi(total, own);
            }
        }
        total
    }
}
