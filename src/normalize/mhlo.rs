//! MHLO to StableHLO, and back.
//!
//! The two dialects share their operations; what differs is the prefix, the spelling of attributes
//! and types, and a handful of operations that only one side has. An operation is made anew under
//! its other name: attributes are rewritten from their text, older forms of integer lists become
//! arrays, regions move over.

use crate::{
    bitcast, chlo, exchange,
    make::HloBuilder,
    retype,
    rewrite::{Result, fail, replace},
};
use mapwright_mlir::{
    Attr, Blk, Builder, Op, Ty, Val, ValueType, attr, edit,
    melior::ir::{ValueLike, r#type::TupleType},
    op, text,
};
use mapwright_ops::attrs;

/// Direction of the conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `mhlo` to `stablehlo` (operations that only CHLO has on the other side become `chlo`).
    ToStablehlo,
    /// `stablehlo` to `mhlo`.
    ToMhlo,
}

impl Direction {
    fn from(self) -> &'static str {
        match self {
            Self::ToStablehlo => "mhlo",
            Self::ToMhlo => "stablehlo",
        }
    }

    fn to(self) -> &'static str {
        match self {
            Self::ToStablehlo => "stablehlo",
            Self::ToMhlo => "mhlo",
        }
    }
}

/// Attributes that are arrays of `i64` in today's dialects and tensors in yesterday's.
const INT_LISTS: &[&str] = &[
    "base_dilations",
    "broadcast_dimensions",
    "broadcast_sizes",
    "dimensions",
    "edge_padding_high",
    "edge_padding_low",
    "fft_length",
    "interior_padding",
    "known_expanding_dimensions",
    "known_nonexpanding_dimensions",
    "lhs_dilation",
    "limit_indices",
    "permutation",
    "rhs_dilation",
    "slice_sizes",
    "start_indices",
    "strides",
    "window_dilations",
    "window_dimensions",
    "window_strides",
];

/// MHLO operations that are CHLO's on the other side.
const CHLO: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atanh",
    "cosh",
    "erf",
    "mulhi",
    "ragged_dot",
    "scan",
    "sinh",
    "topk",
];

/// Rewrites every operation of the source dialect inside `root` and the types of everything else.
/// Returns how many operations were made anew.
pub fn convert<'c>(root: Op<'c>, direction: Direction) -> Result<'c, usize> {
    let count = convert_inside(root, direction)?;
    for op in root.descendants() {
        retype::function(op, &spelling(direction));
    }
    retype::function(root, &spelling(direction));
    Ok(count)
}

/// As [`convert`], for what is inside of the regions of `op`: what an operation holds is rewritten
/// before it, since it may be gone afterwards.
fn convert_inside<'c>(op: Op<'c>, direction: Direction) -> Result<'c, usize> {
    let mut count = 0;
    for i in 0..op.num_regions() {
        for block in op::blocks(op.region(i)) {
            for inside in op::ops(block) {
                retype::values(inside, &spelling(direction));
                count += convert_inside(inside, direction)?;
                if inside.dialect() == direction.from() {
                    rewrite(inside, direction)?;
                    count += 1;
                }
            }
        }
    }
    Ok(count)
}

/// The other dialect's spelling of a type, where it has one.
fn spelling(direction: Direction) -> impl Fn(&str) -> Option<String> {
    move |written: &str| {
        (written.contains("mhlo.") || written.contains("stablehlo."))
            .then(|| respell_types(written, direction))
    }
}

/// Rewrites bounds and dialect types in a text.
fn respell_types(written: &str, direction: Direction) -> String {
    let mut out = String::new();
    let mut rest = written;
    match direction {
        Direction::ToStablehlo => {
            while let Some(at) = rest.find("#mhlo.type_extensions<") {
                let (before, after) = rest.split_at(at);
                out.push_str(before);
                let end = after.find('>').map_or(after.len(), |end| end + 1);
                out.push_str("#stablehlo.bounds<");
                let bounds: Vec<String> = text::integers(&after[..end])
                    .into_iter()
                    .map(|bound| match bound {
                        Some(n) if n >= 0 => n.to_string(),
                        _ => "?".into(),
                    })
                    .collect();
                out.push_str(&bounds.join(", "));
                out.push('>');
                rest = &after[end..];
            }
            out.push_str(rest);
            out.replace("!mhlo.", "!stablehlo.")
        }
        Direction::ToMhlo => {
            while let Some(at) = rest.find("#stablehlo.bounds<") {
                let (before, after) = rest.split_at(at);
                out.push_str(before);
                let end = after.find('>').map_or(after.len(), |end| end + 1);
                out.push_str("#mhlo.type_extensions<bounds = [");
                let bounds: Vec<String> = text::integers(&after[..end])
                    .into_iter()
                    .map(|bound| bound.map_or("?".into(), |n| n.to_string()))
                    .collect();
                out.push_str(&bounds.join(", "));
                out.push_str("]>");
                rest = &after[end..];
            }
            out.push_str(rest);
            out.replace("!stablehlo.", "!mhlo.")
        }
    }
}

fn rewrite<'c>(op: Op<'c>, direction: Direction) -> Result<'c> {
    let Some(b) = HloBuilder::before(op) else {
        return fail(op, "is not inside a block");
    };
    let short = op.short_name();
    if direction == Direction::ToStablehlo {
        match short {
            "copy" if same_shape(op) => {
                replace(op, &[op.operand(0)]);
                return Ok(());
            }
            "bitcast" => return bitcast::rewrite(op, &b),
            "add_dependency" => {
                let types = [op.operand(0).r#type(), op.operand(1).r#type()];
                let both = b.op(
                    "stablehlo.optimization_barrier",
                    &op.operands(),
                    &types,
                    &[],
                );
                replace(op, &[both.result(0)]);
                return Ok(());
            }
            "fusion" => return inline_region(op),
            // CHLO's operation has the largest elements alone.
            "topk" if op.boolean("largest") == Some(false) => {
                return chlo::top_k(op, &b);
            }
            _ => {}
        }
    }
    let name = match short {
        "topk" if direction == Direction::ToStablehlo => "chlo.top_k".to_string(),
        short if direction == Direction::ToStablehlo && CHLO.contains(&short) => {
            format!("chlo.{short}")
        }
        short => format!("{}.{short}", direction.to()),
    };
    if !b.context().is_registered_operation(&name) {
        return fail(op, format!("has no counterpart {name}"));
    }
    let mut attributes = Vec::new();
    for (key, value) in op.attributes() {
        if short == "topk" && key == "largest" {
            continue;
        }
        let value = respell(&b, key, value, direction);
        let value = if name.starts_with("chlo.") {
            value.and_then(|value| of_chlo(&b, value))
        } else {
            value
        };
        let Some(value) = value else {
            return fail(
                op,
                format!(
                    "has an attribute '{key}' that cannot be written in {}",
                    direction.to()
                ),
            );
        };
        attributes.push((key, value));
    }
    if attrs::exchanges_tensors(op) {
        return exchange::rewrite(op, &b, attributes);
    }
    let regions = edit::take_regions(op);
    let types: Vec<Ty<'c>> = op.results().iter().map(|value| value.r#type()).collect();
    let new = b.op_with_regions(&name, &op.operands(), &types, &attributes, regions);
    replace(op, &new.results());
    Ok(())
}

fn same_shape(op: Op<'_>) -> bool {
    op.num_operands() == 1 && op.operand(0).r#type() == op.result(0).r#type()
}

/// Puts the operations of the only block of `op` before it, with its first operands for the block's
/// arguments; older programs have none, and use the values around it.
fn inline_region<'c>(op: Op<'c>) -> Result<'c> {
    let Some(block) = op.body(0) else {
        return fail(op, "has no body");
    };
    let arguments = op::arguments(block);
    if arguments.len() > op.num_operands() {
        return fail(op, "has a body with more arguments than it has operands");
    }
    for (argument, operand) in arguments.into_iter().zip(op.operands()) {
        op::replace_all_uses(argument, operand);
    }
    let inner = op::ops(block);
    let Some((terminator, rest)) = inner.split_last() else {
        return fail(op, "has an empty body");
    };
    for inside in rest {
        inside.move_before(op);
    }
    let values: Vec<Val<'c>> = terminator.operands();
    if values.len() != op.num_results() {
        return fail(op, "has a body that returns another number of values");
    }
    replace(op, &values);
    Ok(())
}

/// Enumerations that MHLO writes as `#mhlo.name<WORD>`, unlike all others.
const RANDOM: &[&str] = &["rng_algorithm", "rng_distribution"];

/// An enumerator in the dialect that is written.
fn enumerator(direction: Direction, kind: &str, word: &str) -> String {
    if direction == Direction::ToMhlo && RANDOM.contains(&kind) {
        format!("#mhlo.{kind}<{word}>")
    } else {
        format!("#{}<{kind} {word}>", direction.to())
    }
}

/// The other dialect's spelling of an attribute; `None` where it cannot be read back.
fn respell<'c>(
    b: &Builder<'c>,
    key: &str,
    value: Attr<'c>,
    direction: Direction,
) -> Option<Attr<'c>> {
    // What somebody noted under a name of a dialect's is no attribute of the operation's.
    if key.contains('.') {
        return Some(value);
    }
    if INT_LISTS.contains(&key) {
        return attr::ints(value).map(|values| b.i64_array(&values));
    }
    if key == "window_reversal" {
        let values: Vec<String> = attr::ints(value)?
            .iter()
            .map(|bit| if *bit == 0 { "false" } else { "true" }.to_string())
            .collect();
        return Some(b.parse_attr(&format!("array<i1: {}>", values.join(", "))));
    }
    // A string stands for an enumerator in the oldest programs.
    if let Some(word) = attr::string(value) {
        let kind = match key {
            "comparison_direction" => Some("comparison_direction"),
            "compare_type" => Some("comparison_type"),
            "fft_type" => Some("fft_type"),
            "rng_distribution" => Some("rng_distribution"),
            "rng_algorithm" => Some("rng_algorithm"),
            "transpose_a" => Some("transpose"),
            _ => None,
        };
        if let Some(kind) = kind {
            return Attr::parse(b.context(), &enumerator(direction, kind, &word));
        }
        return Some(value);
    }
    if RANDOM.contains(&key) {
        let word = attrs::enumerator(value);
        return Attr::parse(b.context(), &enumerator(direction, key, &word));
    }
    // Dense data has no dialect in it, and its text may be long.
    if attr::Dense::from_mlir(value).is_some() {
        return Some(value);
    }
    let written = value.to_string();
    let (from, to) = (
        format!("#{}", direction.from()),
        format!("#{}", direction.to()),
    );
    if !written.contains(&from) && !written.contains('!') {
        return Some(value);
    }
    if let Some(numbers) = ragged_dot_numbers(&written, "chlo") {
        return Attr::parse(b.context(), &numbers);
    }
    let changed = respell_types(&written, direction).replace(&from, &to);
    Attr::parse(b.context(), &changed)
}

/// An attribute of StableHLO in the spelling of CHLO.
fn of_chlo<'c>(b: &Builder<'c>, value: Attr<'c>) -> Option<Attr<'c>> {
    let written = value.to_string();
    if written.contains("#stablehlo") {
        Attr::parse(b.context(), &written.replace("#stablehlo", "#chlo"))
    } else {
        Some(value)
    }
}

/// The dimensions of a ragged product as `dialect` writes them: MHLO has those of the product in an
/// attribute of their own, CHLO all in one. `None` for other attributes.
pub(crate) fn ragged_dot_numbers(written: &str, dialect: &str) -> Option<String> {
    let (_, rest) = written.split_once(".ragged_dot<")?;
    let list = |name: &str| format!("{name} = {:?}", text::integer_list(rest, name));
    let of_product = [
        "lhs_batching_dimensions",
        "rhs_batching_dimensions",
        "lhs_contracting_dimensions",
        "rhs_contracting_dimensions",
    ]
    .map(list)
    .join(", ");
    let ragged = ["lhs_ragged_dimensions", "rhs_group_dimensions"]
        .map(list)
        .join(", ");
    Some(match dialect {
        "mhlo" => format!("#mhlo.ragged_dot<dot_dimension_numbers = <{of_product}>, {ragged}>"),
        _ => format!("#chlo.ragged_dot<{of_product}, {ragged}>"),
    })
}

/// Functions whose tuples are taken apart: kept here because only MHLO programs have them.
///
/// A function that returns `tuple<A, B>` made by a `tuple` operation returns `A, B` instead.
pub fn flatten_result_tuples<'c>(module: Op<'c>) -> Result<'c, usize> {
    let mut count = 0;
    for function in module.descendants() {
        if function.name() == "func.func" && flatten_result_tuple(function)? {
            count += 1;
        }
    }
    Ok(count)
}

/// As [`flatten_result_tuples`], for one function. Was there anything to do?
pub fn flatten_result_tuple<'c>(function: Op<'c>) -> Result<'c, bool> {
    let is_tuple =
        |value: &Val<'c>| matches!(ValueType::from_mlir(value.r#type()), ValueType::Tuple(_));
    let terminator = function
        .body(0)
        .and_then(|block| op::ops(block).last().copied());
    match terminator {
        Some(ret) if ret.operands().iter().any(is_tuple) => {
            flatten_return(function, ret)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Types of the elements of a tuple type; empty for every other type.
pub(crate) fn elements<'c>(ty: Ty<'c>) -> Vec<Ty<'c>> {
    match TupleType::try_from(ty) {
        Ok(tuple) => (0..tuple.type_count())
            .filter_map(|i| tuple.r#type(i).ok())
            .collect(),
        Err(_) => Vec::new(),
    }
}

/// A block that takes `tuple<A, B>` takes `A, B` instead, tuples in tuples as well. `op` is the
/// operation that it is of. Gives the places of the tuples, each with how many arguments it became,
/// in the order in which they are to be exchanged.
pub(crate) fn flatten_arguments<'c>(op: Op<'c>, block: Blk<'c>) -> Result<'c, Vec<(usize, usize)>> {
    let is_tuple =
        |value: &Val<'c>| matches!(ValueType::from_mlir(value.r#type()), ValueType::Tuple(_));
    let mut exchanged = Vec::new();
    while let Some(at) = op::arguments(block).iter().position(is_tuple) {
        let tuple = op::arguments(block)[at];
        let Some(b) = op::first(block).and_then(|first| Builder::before(op.context(), first))
        else {
            return fail(op, "has an empty body");
        };
        let parts: Vec<Val<'c>> = elements(tuple.r#type())
            .into_iter()
            .enumerate()
            .map(|(i, ty)| edit::insert_argument(block, at + 1 + i, ty, op.location()))
            .collect();
        let made = b.op1("stablehlo.tuple", &parts, tuple.r#type(), &[]);
        op::replace_all_uses(tuple, made);
        edit::erase_argument(block, at);
        exchanged.push((at, parts.len()));
    }
    Ok(exchanged)
}

/// A function that takes `tuple<A, B>` takes `A, B` instead, tuples in tuples as well. Was there
/// anything to do?
pub fn flatten_argument_tuples<'c>(function: Op<'c>) -> Result<'c, bool> {
    let Some(block) = function.body(0) else {
        return Ok(false);
    };
    let context = function.context();
    let mut attributes = function.attribute("arg_attrs").and_then(attr::array);
    let exchanged = flatten_arguments(function, block)?;
    for (at, count) in &exchanged {
        if let (Some(list), Some(none)) = (&mut attributes, Attr::parse(context, "{}")) {
            // What is said of a tuple as a whole says nothing of its elements.
            let end = (at + 1).min(list.len());
            list.splice((*at).min(end)..end, vec![none; *count]);
        }
    }
    let changed = !exchanged.is_empty();
    if changed {
        let inputs: Vec<Ty<'c>> = op::arguments(block).iter().map(|v| v.r#type()).collect();
        let results: Vec<Ty<'c>> = op::ops(block)
            .last()
            .map(|ret| ret.operands().iter().map(|v| v.r#type()).collect())
            .unwrap_or_default();
        let Some(b) = op::first(block).and_then(|first| Builder::before(context, first)) else {
            return fail(function, "has an empty body");
        };
        function.set_attribute(
            "function_type",
            b.type_attr(b.function_type(&inputs, &results)),
        );
        if let Some(list) = attributes {
            function.set_attribute("arg_attrs", b.array_attr(&list));
        }
    }
    Ok(changed)
}

fn flatten_return<'c>(function: Op<'c>, ret: Op<'c>) -> Result<'c> {
    let context = function.context();
    let Some(b) = Builder::before(context, ret) else {
        return fail(ret, "is not inside a block");
    };
    let mut values = ret.operands();
    while let Some(at) = values
        .iter()
        .position(|value| matches!(ValueType::from_mlir(value.r#type()), ValueType::Tuple(_)))
    {
        let tuple = values[at];
        let parts: Vec<Val<'c>> = match op::defining_op(tuple) {
            Some((maker, _)) if maker.short_name() == "tuple" => maker.operands(),
            _ => elements(tuple.r#type())
                .into_iter()
                .enumerate()
                .map(|(i, ty)| {
                    let index = b.int_attr(i as i64, b.int(32));
                    b.op1(
                        "stablehlo.get_tuple_element",
                        &[tuple],
                        ty,
                        &[("index", index)],
                    )
                })
                .collect(),
        };
        values.splice(at..=at, parts);
    }
    b.op("func.return", &values, &[], &[]);
    edit::erase_unused(ret);
    let inputs: Vec<Ty<'c>> = function
        .body(0)
        .map(op::arguments)
        .unwrap_or_default()
        .iter()
        .map(|value| value.r#type())
        .collect();
    let results: Vec<Ty<'c>> = values.iter().map(|value| value.r#type()).collect();
    function.set_attribute(
        "function_type",
        b.type_attr(b.function_type(&inputs, &results)),
    );
    function.remove_attribute("res_attrs");
    Ok(())
}
