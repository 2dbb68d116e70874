//! Operations of MLIR's own dialects on tensors, which stand beside StableHLO in mixed modules:
//! they have maps, and no other part here.
//!
//! Slices, padding and reshapes of `tensor` are told by their names. Every operation with
//! upstream's `LinalgOp` interface has the maps that the interface gives ([`structured`]), and
//! every one with the trait `ElementwiseMappable` reads its operands at the index of the result,
//! whatever its dialect.

mod element;
mod reassociate;
mod relayout;
mod structured;
mod window;

use crate::definition::OpDef;
use crate::{padding::concatenate, shape::reshape};
use mapwright_mlir::Op;

const FAMILY: &str = "upstream";

/// The operations that are told by their names, which are full ones here.
pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "tensor.cast",
        FAMILY,
        element::output_to_input,
        element::input_to_output,
    )
    .view(),
    OpDef::new(
        "tensor.bitcast",
        FAMILY,
        element::output_to_input,
        element::input_to_output,
    )
    .view(),
    OpDef::new(
        "tensor.extract",
        FAMILY,
        window::slice_output_to_input,
        window::slice_input_to_output,
    ),
    OpDef::new(
        "tensor.insert",
        FAMILY,
        window::update_output_to_input,
        window::update_input_to_output,
    )
    .updates(),
    OpDef::new(
        "tensor.extract_slice",
        FAMILY,
        window::slice_output_to_input,
        window::slice_input_to_output,
    )
    .view(),
    OpDef::new(
        "tensor.insert_slice",
        FAMILY,
        window::update_output_to_input,
        window::update_input_to_output,
    )
    .updates(),
    OpDef::new(
        "tensor.pad",
        FAMILY,
        window::pad_output_to_input,
        window::pad_input_to_output,
    ),
    OpDef::of_rule("tensor.concat", FAMILY, concatenate::concatenated),
    OpDef::new(
        "tensor.expand_shape",
        FAMILY,
        reassociate::output_to_input,
        reassociate::input_to_output,
    )
    .view()
    .sizes(),
    OpDef::new(
        "tensor.collapse_shape",
        FAMILY,
        reassociate::output_to_input,
        reassociate::input_to_output,
    )
    .view()
    .sizes(),
    OpDef::new(
        "tensor.reshape",
        FAMILY,
        reshape::output_to_input,
        reshape::input_to_output,
    )
    .view()
    .sizes(),
    OpDef::new(
        "tensor.from_elements",
        FAMILY,
        element::list_output_to_input,
        element::list_input_to_output,
    ),
    OpDef::new(
        "tensor.splat",
        FAMILY,
        element::output_to_input,
        element::input_to_output,
    ),
    OpDef::new(
        "tensor.dim",
        FAMILY,
        element::size_output_to_input,
        element::size_input_to_output,
    ),
    OpDef::of_rule("linalg.pack", FAMILY, relayout::packed),
    OpDef::of_rule("linalg.unpack", FAMILY, relayout::unpacked).view(),
];

/// Operations with upstream's `LinalgOp` interface.
static STRUCTURED: OpDef = OpDef::new(
    "linalg",
    FAMILY,
    structured::output_to_input,
    structured::input_to_output,
);

/// Operations with upstream's trait `ElementwiseMappable`.
static ELEMENTWISE: OpDef = OpDef::new(
    "elementwise",
    FAMILY,
    element::output_to_input,
    element::input_to_output,
);

/// Returns the row of an operation of upstream's dialects; `None` where it has no maps.
pub(crate) fn lookup(op: Op<'_>) -> Option<&'static OpDef> {
    if let Some(def) = OPS.iter().find(|def| def.name == op.name()) {
        return Some(def);
    }
    if op.linalg_maps().is_some() {
        return Some(&STRUCTURED);
    }
    op.is_elementwise_mappable().then_some(&ELEMENTWISE)
}
