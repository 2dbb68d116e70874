//! What the sizes of an operation's operands must satisfy where they are known at run time only: everything that its verifier says about
//! static sizes, as far as code would otherwise reach outside of an operand.

use crate::{
    error::Result,
    index::Ix,
    sizes::{self, Answer, Question},
    windows::{self, RunTimeWindow},
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, Op, TensorType, Val, ValueType};
use mapwright_ops::attrs::{
    self, ConvDimensions, DotDimensions, GatherDimensions, ScatterDimensions,
};
use mapwright_ops::library::{self, Meaning};
use mapwright_ops::registry::{self, DIALECTS};

fn tensor(value: Val<'_>) -> Option<TensorType> {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(tensor) => Some(tensor),
        _ => None,
    }
}

/// May the sizes of the operands be wrong when `op` runs?
pub fn are_needed(op: Op<'_>) -> bool {
    let says_sizes = registry::lookup(op).is_some_and(|def| def.size_operands.is_some());
    let dynamic = |value: &Val<'_>| tensor(*value).is_some_and(|t| t.static_shape().is_none());
    let known = DIALECTS.contains(&op.dialect()) || is_comparison(op);
    known && (says_sizes || op.operands().iter().any(dynamic))
}

/// Does `op` compare two tensors of a test?
fn is_comparison(op: Op<'_>) -> bool {
    library::meaning(op) == Some(Meaning::Comparison)
}

/// Asks for the conditions (`Question::Equal`, `Question::AtMost`) of `op`.
///
/// # Errors
/// Attributes that cannot be read, and sizes that cannot be found.
pub fn ask<'c>(b: &Builder<'c>, op: Op<'c>, ask: Answer<'_, 'c>) -> Result<()> {
    if !are_needed(op) {
        return Ok(());
    }
    let bad = |error: attrs::AttrError| crate::Unsupported(format!("'{}': {error}", op.name()));
    let of = |i: usize, ask: Answer<'_, 'c>| ask(b, Question::Sizes(op.operand(i)));
    let mut pairs = Vec::new();
    match attrs::name(op) {
        "dot_general" | "dot" => {
            let (l, r) = (of(0, ask)?, of(1, ask)?);
            let dims = match op.short_name() {
                "dot" => DotDimensions {
                    lhs_contracting: vec![l.len() as i64 - 1],
                    rhs_contracting: vec![0],
                    ..DotDimensions::default()
                },
                _ => DotDimensions::decode(op).map_err(bad)?,
            };
            let both = |x: &[i64], y: &[i64]| -> Vec<(Ix<'c>, Ix<'c>)> {
                let matched = x.iter().zip(y);
                matched
                    .map(|(x, y)| (l[*x as usize], r[*y as usize]))
                    .collect()
            };
            pairs.extend(both(&dims.lhs_batching, &dims.rhs_batching));
            pairs.extend(both(&dims.lhs_contracting, &dims.rhs_contracting));
        }
        "convolution" | "dynamic_conv" => {
            let (input, kernel) = (of(0, ask)?, of(1, ask)?);
            let dims = ConvDimensions::decode(op).map_err(bad)?;
            let groups = attrs::int_or(op, "feature_group_count", 1).map_err(bad)?;
            let features = kernel[dims.kernel_input_feature as usize].mul(b, Ix::Known(groups));
            pairs.push((input[dims.input_feature as usize], features));
        }
        "concatenate" => {
            let axis = attrs::int(op, "dimension").map_err(bad)? as usize;
            let first = of(0, ask)?;
            for i in 1..op.num_operands() {
                let other = of(i, ask)?;
                let beside = first.iter().zip(other).enumerate();
                pairs.extend(
                    beside
                        .filter(|(d, _)| *d != axis)
                        .map(|(_, (x, y))| (*x, y)),
                );
            }
        }
        "dynamic_broadcast_in_dim" => {
            let own = of(0, ask)?;
            let target = sizes::of_result(b, op, 0, ask)?;
            let dims = attrs::broadcast_dimensions(op, own.len(), target.len()).map_err(bad)?;
            for (size, d) in own.into_iter().zip(dims) {
                // It is 1, or the size of the result.
                let one = size.sub(b, Ix::Known(1));
                let gap = size.sub(b, target[d]);
                pairs.push((one.mul(b, gap), Ix::Known(0)));
            }
        }
        "dynamic_slice" => {
            let own = of(0, ask)?;
            let window = attrs::dynamic_slice_sizes(op, own.len()).map_err(bad)?;
            for (size, window) in own.into_iter().zip(window) {
                ask(b, Question::AtMost(Ix::Known(window), size))?;
            }
        }
        "dynamic_update_slice" => {
            let (own, update) = (of(0, ask)?, of(1, ask)?);
            for (size, update) in own.into_iter().zip(update) {
                ask(b, Question::AtMost(update, size))?;
            }
        }
        "gather" | "dynamic_gather" => {
            let own = of(0, ask)?;
            let dims = GatherDimensions::decode(op).map_err(bad)?;
            for (d, size) in own.into_iter().enumerate() {
                let window = match &dims.slice_sizes {
                    Some(sizes) => Ix::Known(sizes[d]),
                    None => {
                        let place = vec![Ix::Known(d as i64)];
                        ask(b, Question::Element(op.operand(2), place))?[0]
                    }
                };
                ask(b, Question::AtMost(Ix::Known(0), window))?;
                ask(b, Question::AtMost(window, size))?;
            }
        }
        "scatter" => {
            let count = op.num_operands() / 2;
            let dims = ScatterDimensions::decode(op).map_err(bad)?;
            let indices = of(count, ask)?;
            let batch = |d: &usize| *d as i64 != dims.index_vector_dim;
            let places: Vec<Ix<'c>> = (0..indices.len())
                .filter(batch)
                .map(|d| indices[d])
                .collect();
            for i in 0..count {
                let update = of(count + 1 + i, ask)?;
                let outer = (0..update.len())
                    .filter(|d| !dims.update_window_dims.contains(&(*d as i64)))
                    .map(|d| update[d]);
                pairs.extend(outer.zip(places.iter().copied()));
            }
        }
        "dynamic_pad" => {
            for d in 0..of(0, ask)?.len() as i64 {
                let place = vec![Ix::Known(d)];
                let interior = ask(b, Question::Element(op.operand(4), place))?[0];
                ask(b, Question::AtMost(Ix::Known(0), interior))?;
            }
        }
        "set_dimension_size" => {
            let own = of(0, ask)?;
            let axis = attrs::int(op, "dimension").map_err(bad)? as usize;
            let size = ask(b, Question::Element(op.operand(1), Vec::new()))?[0];
            ask(b, Question::AtMost(Ix::Known(0), size))?;
            ask(b, Question::AtMost(size, own[axis]))?;
        }
        "triangular_solve" => {
            let (a, x) = (of(0, ask)?, of(1, ask)?);
            let n = a.len() - 2;
            let left = attrs::flag(op, "left_side", true).map_err(bad)?;
            let along = x[if left { n } else { n + 1 }];
            pairs.extend([(a[n], a[n + 1]), (a[n], along)]);
            pairs.extend(a.into_iter().zip(x).take(n));
        }
        "cholesky" => {
            let a = of(0, ask)?;
            pairs.push((a[a.len() - 2], a[a.len() - 1]));
        }
        "fft" => {
            let own = of(0, ask)?;
            let mut lengths = attrs::fft_length(op, own.len()).map_err(bad)?;
            let kind = attrs::enumeration(op, "fft_type").unwrap_or_default();
            if let (Some(last), "IRFFT") = (lengths.last_mut(), kind.as_str()) {
                *last = if *last == 0 { 0 } else { *last / 2 + 1 };
            }
            let from = own.len() - lengths.len();
            pairs.extend(
                own.into_iter()
                    .skip(from)
                    .zip(lengths.into_iter().map(Ix::Known)),
            );
        }
        "top_k" | "topk" => {
            let own = of(0, ask)?;
            let k = attrs::int(op, "k").map_err(bad)?;
            if let Some(last) = own.last() {
                ask(b, Question::AtMost(Ix::Known(k), *last))?;
            }
        }
        "dynamic_top_k" => {
            let own = of(0, ask)?;
            let k = ask(b, Question::Element(op.operand(1), Vec::new()))?[0];
            ask(b, Question::AtMost(Ix::Known(0), k))?;
            if let Some(last) = own.last() {
                ask(b, Question::AtMost(k, *last))?;
            }
        }
        "dynamic_reduce_window" => {
            let count = attrs::window_inputs(op).map_err(bad)?;
            let first = of(0, ask)?;
            for i in 1..count {
                pairs.extend(first.iter().copied().zip(of(i, ask)?));
            }
            for d in 0..first.len() {
                let window = RunTimeWindow::of(b, op, d, ask)?;
                ask(b, Question::AtMost(Ix::Known(0), window.size))?;
                for positive in [window.stride, window.base_dilation, window.window_dilation] {
                    ask(b, Question::AtMost(Ix::Known(1), positive))?;
                }
            }
        }
        "select_and_scatter" => {
            let source = of(1, ask)?;
            let count = windows::of_windows(b, op, ask)?;
            pairs.extend(source.into_iter().zip(count));
        }
        "reduce" | "reduce_window" | "sort" => {
            let count = match op.short_name() {
                "sort" => op.num_operands(),
                _ => op.num_operands() / 2,
            };
            let first = of(0, ask)?;
            for i in 1..count {
                pairs.extend(first.iter().copied().zip(of(i, ask)?));
            }
        }
        _ if is_comparison(op) => pairs.extend(of(0, ask)?.into_iter().zip(of(1, ask)?)),
        _ if crate::scalar::is_elementwise(op) || op.is_hlo("map") => {
            if op.is_hlo("optimization_barrier") {
                return Ok(());
            }
            let mut first: Option<Vec<Ix<'c>>> = None;
            for i in 0..op.num_operands() {
                let own = of(i, ask)?;
                match &first {
                    // Scalars go with any shape, where they may.
                    _ if own.is_empty() => {}
                    None => first = Some(own),
                    Some(first) => pairs.extend(first.iter().copied().zip(own)),
                }
            }
        }
        _ => {}
    }
    // What the type of a result says must be what follows.
    if !UNSIZED.contains(&attrs::name(op)) {
        for i in 0..op.num_results() {
            let Some(tensor) = tensor(op.result(i)) else {
                continue;
            };
            if tensor.dims.iter().all(|dim| dim.fixed().is_none()) {
                continue;
            }
            let sizes = sizes::of_result(b, op, i, ask)?;
            let fixed = sizes.into_iter().zip(&tensor.dims);
            pairs.extend(fixed.filter_map(|(n, dim)| Some((n, Ix::Known(dim.fixed()?)))));
        }
    }
    let (x, y) = pairs.into_iter().unzip();
    ask(b, Question::Equal(x, y))?;
    Ok(())
}

/// The sizes of their results do not follow from those of operands alone, or are checked with them.
const UNSIZED: &[&str] = &[
    "bitcast_convert",
    "broadcast",
    "broadcast_in_dim",
    "custom_call",
    "fft",
    "get_dimension_size",
    "optimization_barrier",
    "reshape",
    "rng",
    "rng_bit_generator",
    "shape_assertion",
];
