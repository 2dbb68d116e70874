//! Convolutions that upstream has an operation for.

use mapwright_mlir::{
    Builder, ElementType, FloatKind, Op, TensorType, Val, edit, melior::ir::ValueLike,
};
use mapwright_ops::attrs::{ConvDimensions, Window};

/// The operation of linalg that a convolution of these operands is, without padding and holes in its input, whose sums are of type `sum`.
pub(super) fn name(
    op: Op<'_>,
    dims: &ConvDimensions,
    window: &Window,
    operands: &[TensorType; 2],
    sum: &ElementType,
) -> Option<&'static str> {
    let groups = ["feature_group_count", "batch_group_count"];
    let is_plain = groups
        .iter()
        .all(|name| matches!(op.int(name), None | Some(1)))
        && !window.reversal.contains(&true);
    let widens = |ty: &TensorType| match (&ty.element, sum) {
        (ElementType::Int { unsigned, .. }, to) => !unsigned && ty.element == *to,
        (ElementType::Float(from), ElementType::Float(to)) => {
            from == to || *to == FloatKind::F32 && matches!(from, FloatKind::BF16 | FloatKind::F16)
        }
        _ => false,
    };
    if !is_plain || !operands.iter().all(widens) {
        return None;
    }
    let n = dims.input_spatial.len() as i64;
    let from = |first: i64| -> Vec<i64> { (first..first + n).collect() };
    let last = [0, n + 1];
    let input = [dims.input_batch, dims.input_feature];
    let kernel = [dims.kernel_input_feature, dims.kernel_output_feature];
    let output = [dims.output_batch, dims.output_feature];
    let spatial = |inp: i64, own: i64| {
        dims.input_spatial == from(inp)
            && dims.output_spatial == from(inp)
            && dims.kernel_spatial == from(own)
    };
    if input == last && output == last && kernel == [n, n + 1] && spatial(1, 0) {
        return match n {
            1 => Some("linalg.conv_1d_nwc_wcf"),
            2 => Some("linalg.conv_2d_nhwc_hwcf"),
            3 => Some("linalg.conv_3d_ndhwc_dhwcf"),
            _ => None,
        };
    }
    if input == last && output == last && kernel == [n + 1, 0] && spatial(1, 1) && n == 2 {
        return Some("linalg.conv_2d_nhwc_fhwc");
    }
    if input == [0, 1] && output == [0, 1] && kernel == [1, 0] && spatial(2, 2) {
        return match n {
            1 => Some("linalg.conv_1d_ncw_fcw"),
            2 => Some("linalg.conv_2d_nchw_fchw"),
            3 => Some("linalg.conv_3d_ncdhw_fcdhw"),
            _ => None,
        };
    }
    None
}

/// The operation `name` of linalg on the operands of `op`, added to `zeros`.
pub(super) fn build<'c>(
    b: &Builder<'c>,
    name: &str,
    op: Op<'c>,
    window: &Window,
    zeros: Val<'c>,
) -> Val<'c> {
    let numbers = |values: &[i64]| {
        let ty = TensorType::new(ElementType::int(64), &[values.len() as i64]);
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        b.parse_attr(&format!("dense<[{}]> : {ty}", values.join(", ")))
    };
    let attributes = [
        ("strides", numbers(&window.stride)),
        ("dilations", numbers(&window.window_dilation)),
        ("operandSegmentSizes", b.i32_array(&[2, 1])),
    ];
    let operands = [op.operand(0), op.operand(1), zeros];
    let region = mapwright_mlir::melior::ir::Region::new();
    let types = [zeros.r#type()];
    let made = b.op_with_regions(name, &operands, &types, &attributes, vec![region]);
    edit::fill_linalg_body(made);
    made.result(0)
}
