//! Tokens for a framework that hands them over as arrays without elements, and tells by the
//! execution that such an array is from in which order it wants others.

use mapwright_mlir::{
    Attr, Builder, Op, Ty, Val, ValueType, attr, edit,
    melior::ir::ValueLike,
    op::{self, replace_all_uses},
};

/// Name of the list of operands of a call that are tokens: an entry of the configuration of each
/// call that has some.
pub const TOKEN_OPERANDS: &str = "mapwright_token_operands";

/// Name of the list of results that are tokens.
pub const TOKEN_RESULTS: &str = "mapwright_token_results";

fn is_token(value: Val<'_>) -> bool {
    ValueType::from_mlir(value.r#type()) == ValueType::Token
}

/// Makes arrays without elements of the tokens among the arguments and results of a function.
pub fn as_arrays<'c>(function: Op<'c>) {
    let Some(block) = function.body(0) else {
        return;
    };
    let operations = op::ops(block);
    let (Some(first), Some(end)) = (operations.first(), operations.last()) else {
        return;
    };
    let (Some(at_start), Some(at_end)) = (
        Builder::before(function.context(), *first),
        Builder::before(function.context(), *end),
    ) else {
        return;
    };
    let array = at_end.parse_type("tensor<0xi1>");
    for (i, argument) in op::arguments(block).into_iter().enumerate() {
        if is_token(argument) {
            edit::insert_argument(block, i, array, function.location());
            let own = at_start.op1("stablehlo.create_token", &[], argument.r#type(), &[]);
            replace_all_uses(argument, own);
            edit::erase_argument(block, i + 1);
        }
    }
    for (i, value) in end.operands().into_iter().enumerate() {
        if is_token(value) {
            let none = at_end.parse_attr("dense<> : tensor<0xi1>");
            let none = at_end.op1("stablehlo.constant", &[], array, &[("value", none)]);
            edit::set_operand(*end, i, none);
        }
    }
    let types = |values: Vec<Val<'c>>| -> Vec<Ty<'c>> {
        values.iter().map(|value| value.r#type()).collect()
    };
    let (inputs, outputs) = (types(op::arguments(block)), types(end.operands()));
    let ty = at_end.function_type(&inputs, &outputs);
    function.set_attribute("function_type", at_end.type_attr(ty));
}

/// Writes down at a call by name which of its operands and results are tokens, if some are: the
/// function that is called is told of tensors alone.
pub fn note(call: Op<'_>) {
    let places = |values: Vec<Val<'_>>| -> Vec<String> {
        let all = values.into_iter().enumerate();
        let tokens = all.filter(|(_, value)| is_token(*value));
        tokens.map(|(i, _)| i.to_string()).collect()
    };
    let (operands, results) = (places(call.operands()), places(call.results()));
    if operands.is_empty() && results.is_empty() {
        return;
    }
    let mut own = ["mhlo.backend_config", "backend_config"].into_iter();
    let own = own.find_map(|name| Some((name, attr::dictionary(call.attribute(name)?)?)));
    let (name, entries) = own.unwrap_or(("mhlo.backend_config", Vec::new()));
    let mut texts: Vec<String> = entries
        .iter()
        .map(|(name, value)| format!("\"{name}\" = {value}"))
        .collect();
    for (name, places) in [(TOKEN_OPERANDS, operands), (TOKEN_RESULTS, results)] {
        if !places.is_empty() {
            texts.push(format!("{name} = array<i64: {}>", places.join(", ")));
        }
    }
    let dictionary = format!("{{{}}}", texts.join(", "));
    if let Some(dictionary) = Attr::parse(call.context(), &dictionary) {
        call.set_attribute(name, dictionary);
    }
}
