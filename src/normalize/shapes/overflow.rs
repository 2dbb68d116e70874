//! Products of sizes that do not fit into the integers that they are computed in: an error of the call, not another size.
//!
//! StableHLO's integers wrap around. A product of sizes that does is no size of anything the program means, though it may happen to be one of a
//! tensor that there is.

use mapwright_mlir::{
    Builder, ElementType, Op, TensorType, Ty, Val, attr, melior::ir::ValueLike, op,
};
use mapwright_ops::registry::lookup;
use std::collections::HashSet;

/// Elements of a list of sizes, at most.
const MOST: i64 = 16;

/// Lets a call fail where a product in `root` that a size follows from is beyond its integers: assertions are put behind such products.
pub fn guard(root: Op<'_>) {
    let ops = root.descendants();
    let mut pending: Vec<Val<'_>> = Vec::new();
    for op in &ops {
        let Some(def) = lookup(*op) else { continue };
        let sizes = (0..op.num_operands()).filter(|i| def.is_size_operand(*op, *i));
        pending.extend(sizes.map(|i| op.operand(i)));
    }
    let mut seen = HashSet::new();
    let mut products = HashSet::new();
    while let Some(value) = pending.pop() {
        let Some((op, _)) = op::defining_op(value) else {
            continue;
        };
        if !seen.insert(op::key(value)) || !is_list(value) || op.num_regions() > 0 {
            continue;
        }
        if op.is_hlo("multiply") && !op.operands().into_iter().any(keeps_size) {
            products.insert(op);
        }
        pending.extend(op.operands());
    }
    // In the order of the program.
    for op in ops.into_iter().filter(|op| products.contains(op)) {
        assert_fits(op);
    }
}

/// Is it a number, or a short list of numbers, of less than 64 bits?
fn is_list(value: Val<'_>) -> bool {
    let Some(ty) = TensorType::from_mlir(value.r#type()) else {
        return false;
    };
    let short = ty.num_elements().is_some_and(|n| n <= MOST);
    let narrow =
        |element: &ElementType| matches!(element, ElementType::Int { width, .. } if *width <= 64);
    ty.static_shape().is_some() && ty.rank() <= 1 && short && narrow(&ty.element)
}

/// Is it a constant by which any size can be multiplied?
fn keeps_size(factor: Val<'_>) -> bool {
    let constant = op::defining_op(factor).and_then(|(op, _)| op.attribute("value"));
    let numbers = constant.and_then(attr::ints);
    numbers.is_some_and(|numbers| numbers.iter().all(|n| (-1..=1).contains(n)))
}

/// Asserts, behind a product, that it is the product of the numbers.
fn assert_fits<'c>(product: Op<'c>) {
    let Some(ty) = TensorType::from_mlir(product.result(0).r#type()) else {
        return;
    };
    let ElementType::Int { width, .. } = ty.element else {
        return;
    };
    // Of 64 bits, the sizes themselves would be larger than any memory.
    if width >= 64 {
        return;
    }
    let following = op::next(product);
    let Some(b) = following.and_then(|next| Builder::before(product.context(), next)) else {
        return;
    };
    b.set_location(product.location());
    let long = TensorType {
        element: ElementType::int(64),
        dims: ty.dims.clone(),
    };
    let parse = |ty: &TensorType| Ty::parse(product.context(), &ty.to_string());
    let number = TensorType::new(ElementType::int(64), &[]);
    let truth = TensorType::new(ElementType::Bool, &[]);
    let (Some(long_ty), Some(number_ty), Some(truth_ty)) =
        (parse(&long), parse(&number), parse(&truth))
    else {
        return;
    };
    let widened = |value: Val<'c>| b.op1("stablehlo.convert", &[value], long_ty, &[]);
    let factors = [widened(product.operand(0)), widened(product.operand(1))];
    let exact = b.op1("stablehlo.multiply", &factors, long_ty, &[]);
    let found = widened(product.result(0));
    let count = ty.num_elements().unwrap_or(0);
    for i in 0..count {
        let element = |value: Val<'c>| match ty.rank() {
            0 => value,
            _ => {
                let part = TensorType::new(ElementType::int(64), &[1]);
                let Some(part) = parse(&part) else {
                    return value;
                };
                let at = [
                    ("start_indices", b.i64_array(&[i])),
                    ("limit_indices", b.i64_array(&[i + 1])),
                    ("strides", b.i64_array(&[1])),
                ];
                let part = b.op1("stablehlo.slice", &[value], part, &at);
                b.op1("stablehlo.reshape", &[part], number_ty, &[])
            }
        };
        let (exact, found) = (element(exact), element(found));
        let equal = b.parse_attr("#stablehlo<comparison_direction EQ>");
        let holds = b.op1(
            "stablehlo.compare",
            &[exact, found],
            truth_ty,
            &[("comparison_direction", equal)],
        );
        let words = format!("a size of {{0}} does not fit into {width} bits");
        let message = b.str_attr(&words);
        let attributes = [
            ("call_target_name", b.str_attr("shape_assertion")),
            ("error_message", message),
            ("has_side_effect", b.bool_attr(true)),
        ];
        b.op("stablehlo.custom_call", &[holds, exact], &[], &attributes);
    }
}
