//! Many updates of few elements (histograms, sums of segments): each part of the updates has results of its own, which are combined at the end.
//!
//! `scatter(x, i, u)` becomes `x ⊕ reduce(scatter(e, reshape i, reshape u))` where ⊕ is the operation of the updates, `e` as many times `x`'s
//! shape of its identity as there are parts, and the parts are a batching dimension. The order of updates is free (StableHLO, `scatter`).

use super::{LEAST, clone_body, fixed};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{
    Builder, ElementType, FloatKind, Op, Ty, Val, computation::single_op, edit, op,
};
use mapwright_ops::attrs::ScatterDimensions;

/// Parts, at most.
const PARTS: i64 = 8;

pub(super) fn split<'c>(b: &Builder<'c>, op: Op<'c>) -> Option<()> {
    let (operand, indices, updates) = (op.operand(0), op.operand(1), op.operand(2));
    let (ty, shape) = fixed(operand)?;
    let (_, places) = fixed(indices)?;
    let (all, given) = fixed(updates)?;
    let (elements, count) = (ty.num_elements()?, all.num_elements()?);
    let dims = ScatterDimensions::decode(op).ok()?;
    if count < LEAST || elements == 0 || elements > count / (4 * PARTS) {
        return None;
    }
    if !dims.input_batching_dims.is_empty() {
        return None;
    }
    let name = single_op(op.body(0)?)?.short_name();
    let identity = identity(name, &ty.element)?;
    // The outermost dimension that counts updates, in both.
    let from = (0..places.len()).find(|d| *d as i64 != dims.index_vector_dim)?;
    let of = (0..given.len()).find(|d| !dims.update_window_dims.contains(&(*d as i64)))?;
    let n = *places.get(from)?;
    let parts = (2..=PARTS).rev().find(|parts| n % parts == 0)?;

    b.set_location(op.location());
    let element: Ty<'c> = b.element_of(operand.r#type());
    let sized = |sizes: &[i64], element: Ty<'c>| {
        let sizes: Vec<String> = sizes.iter().map(|n| format!("{n}x")).collect();
        b.parse_type(&format!("tensor<{}{element}>", sizes.concat()))
    };
    let add = |name: &str, operands: &[Val<'c>], ty: Ty<'c>, attributes: &[_]| {
        let new = b.op(name, operands, &[ty], attributes);
        new.move_before(op);
        new.result(0)
    };
    let cut = |value: Val<'c>, sizes: &[i64], at: usize| {
        let mut sizes = sizes.to_vec();
        sizes[at] = parts;
        sizes.insert(at + 1, n / parts);
        let ty = sized(&sizes, b.element_of(value.r#type()));
        add("stablehlo.reshape", &[value], ty, &[])
    };
    let indices = cut(indices, &places, from);
    let updates = cut(updates, &given, of);
    let scalar = sized(&[], element);
    let value = b.parse_attr(&format!("dense<{identity}> : {scalar}"));
    let identity = add("stablehlo.constant", &[], scalar, &[("value", value)]);
    let mut sizes = vec![parts];
    sizes.extend(&shape);
    let several = sized(&sizes, element);
    let none = [("broadcast_dimensions", b.i64_array(&[]))];
    let start = add("stablehlo.broadcast_in_dim", &[identity], several, &none);

    let behind = |list: &[i64], at: i64| -> Vec<i64> {
        list.iter().map(|d| d + i64::from(*d >= at)).collect()
    };
    let (from, of) = (from as i64, of as i64);
    let numbers = format!(
        "#stablehlo.scatter<update_window_dims = {:?}, inserted_window_dims = {:?}, input_batching_dims = [0], \
         scatter_indices_batching_dims = [{from}], scatter_dims_to_operand_dims = {:?}, index_vector_dim = {}>",
        behind(&dims.update_window_dims, of + 1),
        behind(&dims.inserted_window_dims, 0),
        behind(&dims.scatter_dims_to_operand_dims, 0),
        dims.index_vector_dim + i64::from(dims.index_vector_dim > from),
    );
    let partial = b.op_with_regions(
        op.name(),
        &[start, indices, updates],
        &[several],
        &[("scatter_dimension_numbers", b.parse_attr(&numbers))],
        vec![clone_body(b, op)?],
    );
    partial.move_before(op);
    let whole = b.op_with_regions(
        "stablehlo.reduce",
        &[partial.result(0), identity],
        &[operand.r#type()],
        &[("dimensions", b.i64_array(&[0]))],
        vec![clone_body(b, op)?],
    );
    whole.move_before(op);
    let combine = format!("stablehlo.{name}");
    let found = add(&combine, &[operand, whole.result(0)], operand.r#type(), &[]);
    op::replace_all_uses(op.result(0), found);
    edit::erase_unused(op);
    Some(())
}

/// What changes nothing, as a constant is written, in the types whose sums do not depend much on their order.
fn identity(name: &str, element: &ElementType) -> Option<String> {
    let (wide, unsigned) = match element {
        ElementType::Float(kind @ (FloatKind::F32 | FloatKind::F64)) => {
            let infinity = |single, double| match kind {
                FloatKind::F32 => single,
                _ => double,
            };
            let value = match name {
                "add" => "-0.0",
                "multiply" => "1.0",
                "maximum" => infinity("0xFF800000", "0xFFF0000000000000"),
                "minimum" => infinity("0x7F800000", "0x7FF0000000000000"),
                _ => return None,
            };
            return Some(value.into());
        }
        ElementType::Int { width, unsigned } if (8..=64).contains(width) => (*width, *unsigned),
        _ => return None,
    };
    let (least, most) = match unsigned {
        true => (0, (1i128 << wide) - 1),
        false => (-(1i128 << (wide - 1)), (1i128 << (wide - 1)) - 1),
    };
    Some(match (name, unsigned) {
        ("add" | "or" | "xor", _) => "0".into(),
        ("multiply", _) => "1".into(),
        ("and", true) => most.to_string(),
        ("and", false) => "-1".into(),
        ("maximum", _) => least.to_string(),
        ("minimum", _) => most.to_string(),
        _ => return None,
    })
}
