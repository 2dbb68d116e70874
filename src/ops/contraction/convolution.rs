//! Maps of `convolution`.
//!
//! The specification pads and dilates the left operand, takes the window at every output position
//! and contracts it with the kernel. So an element of the result reads the window's elements that
//! are elements of the operand (not padding, not holes of the dilation), in the input features of
//! its group, and the whole of its kernel slice. Groups are quotients of a dimension: output
//! feature `f` belongs to group `f floordiv (output features / groups)`. A group of one input
//! feature (depthwise) needs no range variable.

use crate::attrs::{ConvDimensions, Convolution, axis};
use crate::query::{Pieces, Query, everything, over, variable};
use crate::window::relation::{elements, windows};
use mapwright_indexing::{Expr, IndexingMap, Interval, c, d};
use mapwright_mlir::Op;

/// Convolution with its dimensions as indices.
struct Conv {
    attrs: Convolution,
    input: Part,
    kernel: Part,
    output: Part,
    /// Output features of one feature group, and input features of one.
    output_features: i64,
    input_features: i64,
    /// Output features of one batch group, and the output's batch size.
    batch_features: i64,
    batch: i64,
}

/// A tensor: sizes; batch and feature dimension (for the kernel: input and output feature); spatial
/// dimensions.
struct Part {
    sizes: Vec<i64>,
    a: usize,
    b: usize,
    spatial: Vec<usize>,
}

impl Part {
    fn new(sizes: Vec<i64>, a: i64, b: i64, spatial: &[i64]) -> Result<Self, String> {
        let name = "dimension_numbers";
        if sizes.len() != spatial.len() + 2 {
            return Err(format!(
                "a tensor of rank {} with {} spatial dimensions",
                sizes.len(),
                spatial.len()
            ));
        }
        let all: Vec<i64> = [a, b].iter().chain(spatial).copied().collect();
        let all = crate::attrs::axes(name, &all, sizes.len())?;
        axis(name, a, sizes.len())?;
        Ok(Self {
            a: all[0],
            b: all[1],
            spatial: all[2..].to_vec(),
            sizes,
        })
    }

    /// An index from the parts.
    fn index(&self, a: Expr, b: Expr, spatial: Vec<Expr>) -> Vec<Expr> {
        let mut index = vec![c(0); self.sizes.len()];
        index[self.a] = a;
        index[self.b] = b;
        for (at, expr) in self.spatial.iter().zip(spatial) {
            index[*at] = expr;
        }
        index
    }
}

fn conv(q: &Query<'_>) -> Result<Conv, String> {
    let (input, kernel, output) = (q.operand_sizes(0)?, q.operand_sizes(1)?, q.result_sizes(0)?);
    let mut attrs = Convolution::decode(q.op, &q.static_operand(1)?)?;
    if q.op.short_name() == "dynamic_conv" && q.num_operands() > 2 {
        let map = over(&[], vec![]);
        for k in 0..attrs.window.padding.len() {
            let at = |side: i64| {
                q.known(2, &[c(k as i64), c(side)], &map)
                    .and_then(|value| value.as_constant())
                    .ok_or("the padding is known at run time only")
            };
            attrs.window.padding[k] = (at(0)?, at(1)?);
        }
    }
    let dims = &attrs.dims;
    let input = Part::new(
        input,
        dims.input_batch,
        dims.input_feature,
        &dims.input_spatial,
    )?;
    let kernel = Part::new(
        kernel,
        dims.kernel_input_feature,
        dims.kernel_output_feature,
        &dims.kernel_spatial,
    )?;
    let output = Part::new(
        output,
        dims.output_batch,
        dims.output_feature,
        &dims.output_spatial,
    )?;
    let features = kernel.sizes[kernel.b];
    for (name, groups) in [
        ("feature_group_count", attrs.feature_groups),
        ("batch_group_count", attrs.batch_groups),
    ] {
        if features % groups != 0 {
            return Err(format!(
                "`{name}` {groups} does not divide the {features} output features"
            ));
        }
    }
    if attrs.feature_groups > 1 && q.operand(0)?.dims[input.b].fixed().is_none() {
        return Err("the features are known at run time only".into());
    }
    if attrs.batch_groups > 1 && q.operand(0)?.dims[input.a].fixed().is_none() {
        return Err("the batch is known at run time only".into());
    }
    Ok(Conv {
        output_features: (features / attrs.feature_groups).max(1),
        input_features: kernel.sizes[kernel.a],
        batch_features: (features / attrs.batch_groups).max(1),
        batch: output.sizes[output.a],
        input,
        kernel,
        output,
        attrs,
    })
}

/// A range variable over `size` values, or the constant 0 where there is only one.
fn ranged(map: &mut IndexingMap, size: i64) -> Expr {
    if size == 1 {
        return c(0);
    }
    map.push_range(variable(size))
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    if operand > 1 {
        return Ok(vec![everything(
            &q.result_sizes(result)?,
            &q.operand_sizes(operand)?,
        )]);
    }
    let conv = conv(q)?;
    let Conv {
        attrs,
        input,
        kernel,
        output,
        ..
    } = &conv;
    let mut map = over(&output.sizes, vec![]);
    let feature = d(output.b);
    let channel = ranged(&mut map, conv.input_features);
    if operand == 1 {
        let spatial = kernel
            .spatial
            .iter()
            .map(|k| ranged(&mut map, kernel.sizes[*k]))
            .collect();
        map.set_results(kernel.index(channel, feature, spatial));
        return Ok(vec![map]);
    }
    let spatial = (0..input.spatial.len())
        .map(|k| {
            elements(
                &attrs.window,
                k,
                d(output.spatial[k]),
                input.sizes[input.spatial[k]],
                &mut map,
            )
        })
        .collect();
    let batch = match attrs.batch_groups {
        1 => d(output.a),
        _ => feature.clone().floor_div(conv.batch_features) * conv.batch + d(output.a),
    };
    let channel = match attrs.feature_groups {
        1 => channel,
        _ => feature.floor_div(conv.output_features) * conv.input_features + channel,
    };
    map.set_results(input.index(batch, channel, spatial));
    if kernel.sizes.contains(&0) {
        // No window, nothing to contract.
        return Ok(vec![map.into_known_empty()]);
    }
    Ok(vec![map])
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    if operand > 1 {
        return Ok(vec![everything(
            &q.operand_sizes(operand)?,
            &q.result_sizes(result)?,
        )]);
    }
    let conv = conv(q)?;
    let Conv {
        attrs,
        input,
        kernel,
        output,
        ..
    } = &conv;
    if operand == 1 {
        let mut map = over(&kernel.sizes, vec![]);
        let batch = ranged(&mut map, conv.batch);
        let spatial = output
            .spatial
            .iter()
            .map(|k| ranged(&mut map, output.sizes[*k]))
            .collect();
        map.set_results(output.index(batch, d(kernel.b), spatial));
        if map.ranges().iter().any(|v| v.interval.is_empty()) || conv.batch == 0 {
            return Ok(vec![map.into_known_empty()]);
        }
        return Ok(vec![map]);
    }
    let mut map = over(&input.sizes, vec![]);
    let (batch, feature) = (d(input.a), d(input.b));
    // The features of a group, of whichever kind.
    let (batch, feature) = if attrs.batch_groups > 1 {
        let group = batch.clone().floor_div(conv.batch.max(1));
        let member = ranged(&mut map, conv.batch_features);
        (
            batch.modulo(conv.batch.max(1)),
            group * conv.batch_features + member,
        )
    } else if attrs.feature_groups > 1 {
        let group = feature.floor_div(conv.input_features.max(1));
        let member = ranged(&mut map, conv.output_features);
        (batch, group * conv.output_features + member)
    } else {
        (batch, ranged(&mut map, output.sizes[output.b]))
    };
    let spatial = (0..input.spatial.len())
        .map(|k| {
            windows(
                &attrs.window,
                k,
                d(input.spatial[k]),
                output.sizes[output.spatial[k]],
                &mut map,
            )
        })
        .collect();
    map.set_results(output.index(batch, feature, spatial));
    for (expr, size) in map.results().to_vec().into_iter().zip(&output.sizes) {
        if *size == 0 {
            map = map.with_constraint(expr, Interval::EMPTY);
        }
    }
    if kernel.sizes.contains(&0) {
        return Ok(vec![map.into_known_empty()]);
    }
    Ok(vec![map])
}

/// Whether it is a convolution of each feature by itself.
pub fn is_depthwise(op: Op<'_>) -> bool {
    let (Some(groups), Ok(dims)) = (
        op.int("feature_group_count").filter(|groups| *groups > 1),
        ConvDimensions::decode(op),
    ) else {
        return false;
    };
    let q = crate::query::Query::own(op);
    let size = |sizes: Result<Vec<i64>, String>, dim: i64| {
        sizes.ok()?.get(usize::try_from(dim).ok()?).copied()
    };
    op.is_hlo("convolution")
        && size(q.static_result(0), dims.output_feature) == Some(groups)
        && size(q.static_operand(1), dims.kernel_input_feature) == Some(1)
}
