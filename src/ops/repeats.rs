//! How often an operand's element is read for each time that the user's elements are computed once:
//! what a column of the registry says where only types and attributes are looked at. (Where maps
//! are composed, the reads themselves are counted.) Likewise how many terms an element of a result
//! is put together from.

use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Op, Val, ValueType};

/// Elements of a value; many, where that is known at run time only.
pub fn elements(value: Val<'_>) -> f64 {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(ty) => ty.num_elements().unwrap_or(1 << 20) as f64,
        _ => 1.0,
    }
}

/// Each element once.
pub fn once(_: Op<'_>, _: usize) -> f64 {
    1.0
}

/// So often that it has to be in memory: products, and places that are known at run time.
pub fn often(_: Op<'_>, _: usize) -> f64 {
    1e9
}

/// As often as the operand is stretched to the result.
pub fn stretched(op: Op<'_>, operand: usize) -> f64 {
    (elements(op.result(0)) / elements(op.operand(operand)).max(1.0)).max(1.0)
}

/// Once for every element of the window.
pub fn windows(op: Op<'_>, _: usize) -> f64 {
    terms_of_window(op)
}

/// Elements of the window.
pub fn terms_of_window(op: Op<'_>) -> f64 {
    let sizes = op.ints("window_dimensions").unwrap_or_default();
    sizes.iter().product::<i64>() as f64
}

/// Elements that one of the result of a reduction is made of.
pub fn terms_of_reduction(op: Op<'_>) -> f64 {
    elements(op.operand(0)) / elements(op.result(0)).max(1.0)
}

/// The sizes that are contracted: |lhs| |rhs| / |result| is (contracted)² times the batch.
pub fn terms_of_product(op: Op<'_>) -> f64 {
    (elements(op.operand(0)) * elements(op.operand(1)) / elements(op.result(0)).max(1.0)).sqrt()
}

/// The elements of a kernel that one of the result meets, with what it takes to find where they
/// are.
pub fn terms_of_convolution(op: Op<'_>) -> f64 {
    elements(op.operand(1)).sqrt().max(1.0) * 4.0
}

/// Of a scatter: indices once for every element of the update window.
pub fn updates(op: Op<'_>, operand: usize) -> f64 {
    if operand < op.num_results() {
        return 1.0;
    }
    let updates = elements(op.operand(op.num_operands() - 1));
    (updates / elements(op.operand(operand)).max(1.0)).max(1.0)
}
