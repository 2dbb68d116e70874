//! Convolutions that upstream has an operation for.

use super::shapes::regrouped;
use mapwright_mlir::{
    Builder, ElementType, FloatKind, Op, TensorType, Val, edit, melior::ir::ValueLike,
};
use mapwright_ops::attrs::{ConvDimensions, Window};

/// The operation of linalg that a convolution is.
pub(super) struct Form {
    name: &'static str,
    /// The shapes of its input, kernel and result, where they are not those of the convolution: the
    /// groups have dimensions of their own.
    shapes: Option<[Vec<i64>; 3]>,
}

/// In which order the operands have their dimensions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Features last, of the kernel those of the input and then those of the result.
    Last,
    /// Features last, those of the result first in the kernel.
    LastByResult,
    /// Features before the places, those of the result first in the kernel.
    First,
}

fn order(dims: &ConvDimensions) -> Option<Order> {
    let n = dims.input_spatial.len() as i64;
    let from = |first: i64| -> Vec<i64> { (first..first + n).collect() };
    let input = [dims.input_batch, dims.input_feature];
    let kernel = [dims.kernel_input_feature, dims.kernel_output_feature];
    let output = [dims.output_batch, dims.output_feature];
    let spatial = |around: i64, own: i64| {
        dims.input_spatial == from(around)
            && dims.output_spatial == from(around)
            && dims.kernel_spatial == from(own)
    };
    let last = [0, n + 1];
    let features_last = input == last && output == last;
    let features_first = input == [0, 1] && output == [0, 1];
    if features_last && kernel == [n, n + 1] && spatial(1, 0) {
        Some(Order::Last)
    } else if features_last && kernel == [n + 1, 0] && spatial(1, 1) {
        Some(Order::LastByResult)
    } else if features_first && kernel == [1, 0] && spatial(2, 2) {
        Some(Order::First)
    } else {
        None
    }
}

/// The operation that a convolution of operands of these types is, without padding and holes in its
/// input, whose sums are of type `sum`.
pub(super) fn form(
    op: Op<'_>,
    dims: &ConvDimensions,
    window: &Window,
    tensors: [&TensorType; 3],
    sum: &ElementType,
) -> Option<Form> {
    let widens = |ty: &TensorType| match (&ty.element, sum) {
        (ElementType::Int { unsigned, .. }, to) => !unsigned && ty.element == *to,
        (ElementType::Float(from), ElementType::Float(to)) => {
            from == to || *to == FloatKind::F32 && matches!(from, FloatKind::BF16 | FloatKind::F16)
        }
        _ => false,
    };
    let in_one_batch = matches!(op.int("batch_group_count"), None | Some(1));
    let is_plain = in_one_batch && !window.reversal.contains(&true);
    if !is_plain || !tensors[..2].iter().all(|ty| widens(ty)) {
        return None;
    }
    let (order, n) = (order(dims)?, dims.input_spatial.len());
    let groups = op.int("feature_group_count").unwrap_or(1);
    if groups != 1 {
        return grouped(order, n, groups, tensors);
    }
    let name = match (order, n) {
        (Order::Last, 1) => "linalg.conv_1d_nwc_wcf",
        (Order::Last, 2) => "linalg.conv_2d_nhwc_hwcf",
        (Order::Last, 3) => "linalg.conv_3d_ndhwc_dhwcf",
        (Order::LastByResult, 2) => "linalg.conv_2d_nhwc_fhwc",
        (Order::First, 1) => "linalg.conv_1d_ncw_fcw",
        (Order::First, 2) => "linalg.conv_2d_nchw_fchw",
        (Order::First, 3) => "linalg.conv_3d_ncdhw_fcdhw",
        _ => return None,
    };
    Some(Form { name, shapes: None })
}

/// The operation for `groups` groups of features, each with a kernel of its own; depthwise where a
/// group is one feature.
fn grouped(order: Order, n: usize, groups: i64, tensors: [&TensorType; 3]) -> Option<Form> {
    let [input, kernel, result] = tensors.map(TensorType::static_shape);
    let (mut input, mut kernel, mut result) = (input?, kernel?, result?);
    let (place, own) = match order {
        Order::First => (1, 0),
        Order::Last => (n + 1, n + 1),
        Order::LastByResult => (n + 1, 0),
    };
    if groups < 1 || input[place] % groups != 0 || kernel[own] % groups != 0 {
        return None;
    }
    let (each, made) = (input[place] / groups, kernel[own] / groups);
    let split = |shape: &mut Vec<i64>, at: usize, parts: [i64; 2]| {
        shape.splice(at..=at, parts);
    };
    let name = match (order, n, each, made) {
        (Order::Last, _, 1, 1) => {
            kernel.remove(n);
            match n {
                1 => "linalg.depthwise_conv_1d_nwc_wc",
                2 => "linalg.depthwise_conv_2d_nhwc_hwc",
                3 => "linalg.depthwise_conv_3d_ndhwc_dhwc",
                _ => return None,
            }
        }
        (Order::Last, _, 1, _) => {
            split(&mut kernel, n + 1, [groups, made]);
            kernel.remove(n);
            split(&mut result, n + 1, [groups, made]);
            match n {
                1 => "linalg.depthwise_conv_1d_nwc_wcm",
                2 => "linalg.depthwise_conv_2d_nhwc_hwcm",
                3 => "linalg.depthwise_conv_3d_ndhwc_dhwcm",
                _ => return None,
            }
        }
        (Order::First, _, 1, 1) => {
            kernel.remove(1);
            match n {
                1 => "linalg.depthwise_conv_1d_ncw_cw",
                2 => "linalg.depthwise_conv_2d_nchw_chw",
                3 => "linalg.depthwise_conv_3d_ncdhw_cdhw",
                _ => return None,
            }
        }
        (Order::First | Order::LastByResult, 2, _, _) => {
            split(&mut input, place, [groups, each]);
            split(&mut kernel, 0, [groups, made]);
            split(&mut result, place, [groups, made]);
            match order {
                Order::First => "linalg.conv_2d_ngchw_gfchw",
                _ => "linalg.conv_2d_nhwgc_gfhwc",
            }
        }
        _ => return None,
    };
    let shapes = Some([input, kernel, result]);
    Some(Form { name, shapes })
}

/// The operation `form` of linalg on the operands of `op`, added to `zeros`.
pub(super) fn build<'c>(
    b: &Builder<'c>,
    form: &Form,
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
    let reshaped = |value: Val<'c>, to: &[i64]| match TensorType::from_mlir(value.r#type()) {
        Some(ty) => match ty.static_shape() {
            Some(from) => regrouped(b, value, &ty.element, &from, to),
            None => value,
        },
        None => value,
    };
    let mut operands = [op.operand(0), op.operand(1), zeros];
    if let Some(shapes) = &form.shapes {
        for (value, shape) in operands.iter_mut().zip(shapes) {
            *value = reshaped(*value, shape);
        }
    }
    let region = mapwright_mlir::melior::ir::Region::new();
    let types = [operands[2].r#type()];
    let made = b.op_with_regions(form.name, &operands, &types, &attributes, vec![region]);
    edit::fill_linalg_body(made);
    match TensorType::from_mlir(zeros.r#type()).and_then(|ty| ty.static_shape()) {
        Some(shape) if form.shapes.is_some() => reshaped(made.result(0), &shape),
        _ => made.result(0),
    }
}
