//! The size of a program, by which candidates are compared.

use mapwright_mlir::{Op, TensorType, melior::ir::ValueLike, op};

/// Compared member by member: what is done, on how much data, and how long the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cost {
    /// Two for an operation, one for a constant, an argument, or a value that is handed on.
    parts: usize,
    /// Elements of all values, as far as sizes are static.
    elements: u64,
    length: usize,
}

impl Cost {
    pub(crate) fn from_module(module: Op<'_>) -> Self {
        let mut cost = Self {
            parts: 0,
            elements: 0,
            length: module.to_string().len(),
        };
        for op in module.descendants() {
            let results = op.results();
            cost.parts += match results.first() {
                Some(value) if op::is_constant(*value) => 1,
                Some(_) => 2,
                None => 2 + op.num_operands(),
            };
            let blocks = (0..op.num_regions()).flat_map(|i| op::blocks(op.region(i)));
            let arguments: Vec<_> = blocks.flat_map(op::arguments).collect();
            if op.name() == "func.func" {
                cost.parts += arguments.len();
            }
            for value in results.into_iter().chain(arguments) {
                let count = TensorType::from_mlir(value.r#type()).map_or(1, |ty| {
                    let fixed = ty.dims.iter().filter_map(|dim| dim.fixed());
                    fixed.fold(1u64, |n, size| n.saturating_mul(size.unsigned_abs()))
                });
                cost.elements = cost.elements.saturating_add(count);
            }
        }
        cost
    }
}
