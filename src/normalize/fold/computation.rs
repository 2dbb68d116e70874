//! What a computation (the body of a reduction) gives for constants.

use super::{fold, tensor::Tensor};
use crate::canonical::canonicalize;
use mapwright_mlir::{
    Blk, Builder, Op,
    attr::Dense,
    edit,
    melior::ir::{Module, ValueLike},
    op,
};
use std::collections::HashMap;

/// Elements of a constant that is looked into, at most.
const MOST: usize = 1 << 10;

/// Evaluates `body` for `arguments`; `None` where that is not certain: of functions whose result is
/// the business of whoever computes them, nothing is known but where it makes no difference.
///
/// The operations are copied into a module that nobody sees, and folded there.
pub fn computation(body: Blk<'_>, arguments: &[Dense]) -> Option<Vec<Dense>> {
    let parent = op::parent_of_block(body)?;
    let (context, location) = (parent.context(), parent.location());
    let module = Module::new(location);
    let root = Op::new(module.as_operation());
    let values: Option<Vec<_>> = arguments.iter().map(|a| a.to_mlir(context)).collect();
    let values = values?;
    let b = Builder::new(context, root.body(0)?, location);
    let function = b.func("computation", &[], &[], true, |b, _| {
        let mut map = HashMap::new();
        for (argument, value) in op::arguments(body).into_iter().zip(&values) {
            let ty = argument.r#type();
            let constant = b.op1("stablehlo.constant", &[], ty, &[("value", *value)]);
            map.insert(op::key(argument), constant);
        }
        for operation in op::ops(body) {
            edit::append(b.block(), edit::copy(operation, &mut map));
        }
    });
    // What a constant condition selects is known after the first round.
    for _ in 0..2 {
        fold(root, MOST);
        canonicalize(root);
    }
    let end = function.body(0).and_then(|block| op::ops(block).pop())?;
    let returned = end.operands().into_iter();
    returned
        .map(|value| Some(Tensor::from_constant(value, MOST)?.to_dense()))
        .collect()
}
