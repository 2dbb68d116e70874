//! Arithmetic on sizes that does not fit into the integers that it is computed in: an error of the
//! call, not another size.
//!
//! StableHLO's integers wrap around. A number of elements that does is no size of anything the
//! program means, though it may happen to be one of a tensor that there is. Products are checked,
//! sums that are computed with further (one that wraps is negative, which is an error where it is a
//! size), and conversions to fewer bits.

use crate::hlo::{Expr, Hlo};
use crate::rewrite::replace;
use mapwright_mlir::{Builder, ElementType, Op, TensorType, Val, attr, melior::ir::ValueLike, op};
use mapwright_ops::registry::{combines, lookup};
use std::collections::{HashMap, HashSet};

/// Elements of a list of sizes, at most.
const MOST: i64 = 16;

/// Lets a call fail where a number in `root` that a size follows from is beyond its integers:
/// assertions are put behind such arithmetic.
pub fn guard(root: Op<'_>) {
    let ops = root.descendants();
    let mut pending: Vec<Val<'_>> = Vec::new();
    for op in &ops {
        let Some(def) = lookup(*op) else { continue };
        let sizes = (0..op.num_operands()).filter(|i| def.is_size_operand(*op, *i));
        pending.extend(sizes.map(|i| op.operand(i)));
    }
    if pending.is_empty() {
        return;
    }
    let calls = calls(&ops);
    let functions = functions(&ops);
    let mut seen = HashSet::new();
    let mut checked = HashSet::new();
    let mut reduced = Vec::new();
    while let Some(value) = pending.pop() {
        if !seen.insert(op::key(value)) || !is_list(value) {
            continue;
        }
        let Some((op, number)) = op::defining_op(value) else {
            pending.extend(before(value, &calls));
            continue;
        };
        let callee = op.symbol("callee").and_then(|name| functions.get(&name));
        let holder = *callee.unwrap_or(&op);
        // What a reduction or its like combines elements by is scalar code, which cannot fail.
        let is_scalar_code = lookup(holder).is_some_and(|def| !def.runs_regions);
        if holder.is_hlo("reduce") {
            reduced.push(holder);
        } else if holder.num_regions() > 0 && !is_scalar_code {
            let ends = (0..holder.num_regions()).filter_map(|region| holder.body(region));
            let ends = ends.filter_map(|block| op::ops(block).last().copied());
            let ends = ends.filter(|end| end.num_operands() == op.num_results());
            pending.extend(ends.map(|end| end.operand(number)));
            // What a loop begins with is also what it ends with.
            pending.extend((op.num_operands() == op.num_results()).then(|| op.operand(number)));
            continue;
        }
        if may_wrap(op) {
            checked.insert(op);
        }
        pending.extend(op.operands());
    }
    // In the order of the program.
    for op in ops.into_iter().filter(|op| checked.contains(op)) {
        assert_fits(op);
    }
    let steps = reduced.into_iter().flat_map(in_steps);
    for op in steps.filter(|op| may_wrap(*op)) {
        assert_fits(op);
    }
}

/// Combines the elements of a list one after the other, in the place of a reduction: the
/// operations that do so, none where it stays.
fn in_steps(reduce: Op<'_>) -> Vec<Op<'_>> {
    let body = reduce.body(0).filter(|_| reduce.num_results() == 1);
    let combiner = body.filter(|body| combines(*body));
    let combiner = combiner.and_then(|body| op::ops(body).first().copied());
    let (Some(combiner), Some(b)) = (combiner, Builder::before(reduce.context(), reduce)) else {
        return Vec::new();
    };
    let (list, mut total) = (reduce.operand(0), reduce.operand(1));
    // The result of a reduction may have more bits than its elements.
    let same =
        element_type(total) == element_type(list) && total.r#type() == reduce.result(0).r#type();
    let ty = TensorType::from_mlir(list.r#type());
    let ty = ty.filter(|ty| same && is_list(list) && ty.rank() == 1);
    let Some(ty) = ty else {
        return Vec::new();
    };
    b.set_location(reduce.location());
    let mut steps = Vec::new();
    for i in 0..ty.num_elements().unwrap_or(0) {
        let next = element(&b, list, i);
        total = b.op1(combiner.name(), &[total, next], total.r#type(), &[]);
        steps.extend(op::defining_op(total).map(|(op, _)| op));
    }
    replace(reduce, &[total]);
    steps
}

/// The functions by their names.
fn functions<'c>(ops: &[Op<'c>]) -> HashMap<String, Op<'c>> {
    let functions = ops.iter().filter(|op| op.name() == "func.func");
    functions
        .filter_map(|op| Some((op.string("sym_name")?, *op)))
        .collect()
}

/// The calls of each function.
fn calls<'c>(ops: &[Op<'c>]) -> HashMap<String, Vec<Op<'c>>> {
    let mut found: HashMap<String, Vec<Op<'c>>> = HashMap::new();
    for op in ops.iter().filter(|op| op.name() == "func.call") {
        if let Some(callee) = op.symbol("callee") {
            found.entry(callee).or_default().push(*op);
        }
    }
    found
}

/// Returns the values that an argument of a block has at first: those that its function is called
/// with, or that a loop begins with.
fn before<'c>(argument: Val<'c>, calls: &HashMap<String, Vec<Op<'c>>>) -> Vec<Val<'c>> {
    let Some((block, number)) = op::block_argument(argument) else {
        return Vec::new();
    };
    let Some(parent) = op::parent_of_block(block) else {
        return Vec::new();
    };
    let callers = match parent.string("sym_name") {
        Some(name) => calls.get(&name).cloned().unwrap_or_default(),
        None => vec![parent],
    };
    let operands = callers.into_iter().map(|op| op.operands());
    operands
        .filter_map(|operands| operands.get(number).copied())
        .collect()
}

/// Tells whether the result may be another number than what the operands say.
fn may_wrap(op: Op<'_>) -> bool {
    let width = |value: Val<'_>| width(&element_type(value)?);
    match op.short_name() {
        _ if op.num_results() != 1 || !op.operands().into_iter().all(is_list) => false,
        "multiply" if op.num_operands() == 2 => !op.operands().into_iter().any(keeps_size),
        "add" | "subtract" if op.num_operands() == 2 => {
            let small = if width(op.result(0)) >= Some(32) {
                SMALL
            } else {
                1
            };
            let is_small = |value: &Val<'_>| {
                let numbers = constants(*value);
                numbers.is_some_and(|all| all.iter().all(|n| (-small..=small).contains(n)))
            };
            let operands = op.operands();
            !operands.iter().any(is_small) && operands.into_iter().any(is_computed)
        }
        "convert" if op.num_operands() == 1 => width(op.operand(0)) > width(op.result(0)),
        _ => false,
    }
}

/// Bits of an integer.
fn width(element: &ElementType) -> Option<u32> {
    match element {
        ElementType::Int { width, .. } => Some(*width),
        _ => None,
    }
}

/// A number by which no size wraps twice.
const SMALL: i64 = 1 << 20;

/// Tells whether `value` is a number that is computed, and no size of a tensor.
fn is_computed(value: Val<'_>) -> bool {
    let Some((op, _)) = op::defining_op(value) else {
        return false;
    };
    match op.short_name() {
        "add" | "subtract" | "multiply" | "constant" => true,
        "reshape" | "convert" | "broadcast_in_dim" | "slice" => is_computed(op.operand(0)),
        _ => false,
    }
}

/// Tells whether `value` is a number, or a short list of numbers, of at most 64 bits.
fn is_list(value: Val<'_>) -> bool {
    let Some(ty) = TensorType::from_mlir(value.r#type()) else {
        return false;
    };
    let short = ty.num_elements().is_some_and(|n| n <= MOST);
    let narrow =
        |element: &ElementType| matches!(element, ElementType::Int { width, .. } if *width <= 64);
    ty.static_shape().is_some() && ty.rank() <= 1 && short && narrow(&ty.element)
}

/// The type of the elements of a tensor.
fn element_type(value: Val<'_>) -> Option<ElementType> {
    TensorType::from_mlir(value.r#type()).map(|ty| ty.element)
}

/// The elements of a constant.
fn constants(value: Val<'_>) -> Option<Vec<i64>> {
    let (op, _) = op::defining_op(value)?;
    op.attribute("value").and_then(attr::ints)
}

/// Tells whether `factor` is a constant by which any size can be multiplied without overflow.
fn keeps_size(factor: Val<'_>) -> bool {
    constants(factor).is_some_and(|numbers| numbers.iter().all(|n| (-1..=1).contains(n)))
}

/// Asserts, behind an operation, that its result is the number that it would be without an end of
/// integers.
fn assert_fits<'c>(of: Op<'c>) {
    let result = of.result(0);
    let Some(ty) = TensorType::from_mlir(result.r#type()) else {
        return;
    };
    let Some(width) = width(&ty.element) else {
        return;
    };
    let Some(hlo) = op::next(of).and_then(|next| Hlo::before(next, result)) else {
        return;
    };
    hlo.b.set_location(of.location());
    // Computed in more bits: exactly where there are as many, else nearly, and what has wrapped is
    // far from it.
    let wide = match width {
        ..64 => ElementType::int(64),
        _ => ElementType::F64,
    };
    let wider = |value: Val<'c>| hlo.expr(value).convert(&wide);
    let operands: Vec<Expr<'_, 'c>> = of.operands().into_iter().map(wider).collect();
    let found = wider(result);
    let (right, words) = match (of.short_name(), operands.as_slice()) {
        ("multiply", [a, b]) => (*a * *b, "{0} * {1}"),
        ("add", [a, b]) => (*a + *b, "{0} + {1}"),
        ("subtract", [a, b]) => (*a - *b, "{0} - {1}"),
        (_, [only]) => (*only, "{0}"),
        _ => return,
    };
    // Rounding is far below that, and a multiple of 2^64 above.
    let (holds, shown, words) = match width {
        ..64 => (right.eq(found), vec![right.value], "{0}"),
        _ => ((right - found).abs().lt(FAR), of.operands(), words),
    };
    let words = format!("a size of {words} does not fit into {width} bits");
    for i in 0..ty.num_elements().unwrap_or(0) {
        let elements = std::iter::once(holds.value).chain(shown.iter().copied());
        let elements: Vec<Val<'c>> = elements.map(|value| element(&hlo.b, value, i)).collect();
        let attributes = [
            ("call_target_name", hlo.b.str_attr("shape_assertion")),
            ("error_message", hlo.b.str_attr(&words)),
            ("has_side_effect", hlo.b.bool_attr(true)),
        ];
        (hlo.b).op("stablehlo.custom_call", &elements, &[], &attributes);
    }
}

/// Element `i` of a number or a list of them, alone.
fn element<'c>(b: &Builder<'c>, value: Val<'c>, i: i64) -> Val<'c> {
    let Some(own) = TensorType::from_mlir(value.r#type()).filter(|ty| ty.rank() > 0) else {
        return value;
    };
    let ty = |shape: &[i64]| {
        let ty = TensorType::new(own.element.clone(), shape);
        b.parse_type(&ty.to_string())
    };
    let at = [
        ("start_indices", b.i64_array(&[i])),
        ("limit_indices", b.i64_array(&[i + 1])),
        ("strides", b.i64_array(&[1])),
    ];
    let part = b.op1("stablehlo.slice", &[value], ty(&[1]), &at);
    b.op1("stablehlo.reshape", &[part], ty(&[]), &[])
}

/// 2^62.
const FAR: f64 = 4.611_686_018_427_388e18;
