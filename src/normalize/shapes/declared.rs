//! Values at the borders of functions, which have the types that are declared there.

use crate::rewrite::cast_operands;
use mapwright_mlir::{Op, attr, melior::ir::r#type::FunctionType};
use mapwright_ops::symbols::find_function;

/// Casts what functions in `root` return, and what calls hand over, to what is declared: rewritings
/// know sizes that a type leaves open.
pub fn as_declared<'c>(root: Op<'c>) {
    let signature = |function: Op<'c>| -> Option<FunctionType<'c>> {
        FunctionType::try_from(attr::ty(function.attribute("function_type")?)?).ok()
    };
    for op in root.descendants() {
        match op.name() {
            "func.return" => {
                if let Some(ty) = op.parent().and_then(signature) {
                    let results = (0..ty.result_count()).filter_map(|i| ty.result(i).ok());
                    cast_operands(op, &results.collect::<Vec<_>>());
                }
            }
            "func.call" => {
                let callee = op
                    .symbol("callee")
                    .and_then(|name| find_function(op, &name));
                if let Some(ty) = callee.and_then(signature) {
                    let inputs = (0..ty.input_count()).filter_map(|i| ty.input(i).ok());
                    cast_operands(op, &inputs.collect::<Vec<_>>());
                }
            }
            _ => {}
        }
    }
}
