//! Convolutions as products: windows over a padded image.

use super::order::{Order, digits};
use super::problem::{B, EmitResult, N, Problem, Side};
use super::slide::Slide;
use super::step::Step;
use crate::{Declined, run_time::RunTime};
use mapwright_fusion::composed::{Composing, LoopFacts};
use mapwright_fusion::condition::Condition;
use mapwright_fusion::node::tensor;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::{ElementType, Op};
use mapwright_ops::attrs::Convolution;

/// A convolution's input with its padding around, as a tensor `[images, spatial…, features]`.
pub(crate) struct Image {
    /// Sizes, padding included.
    pub sizes: Vec<Extent>,
    /// Dimension of the operand that each of them is.
    pub dims: Vec<usize>,
    /// Padding in front of each.
    pub low: Vec<i64>,
    /// Index of the image in terms of the variables.
    pub index: Vec<Sum>,
}

impl<'c> Problem<'c> {
    /// `depthwise`: as a depthwise convolution, whose features are the lanes of both factors.
    pub(super) fn convolution(
        op: Op<'c>,
        shape: &[Extent],
        order: &Order,
        acc: ElementType,
        (depthwise, composing): (bool, Composing),
    ) -> EmitResult<Self> {
        let (input, kernel) = (op.operand(0), op.operand(1));
        let (it, is) = tensor(input)?;
        let (kt, ks) = tensor(kernel)?;
        // A 1 for what is known at run time only is not looked at: windows have the sizes `taps`.
        let lengths: Vec<i64> = (ks.iter())
            .map(|size| size.as_constant().unwrap_or(1))
            .collect();
        let conv = Convolution::decode(op, &lengths)?;
        let (dims, window) = (&conv.dims, &conv.window);
        if conv.batch_groups != 1 || window.base_dilation.iter().any(|n| *n != 1) {
            return Err(Declined::new(
                "a convolution over a dilated operand or with groups of the batch",
            ));
        }
        let taps: Vec<Extent> = (dims.kernel_spatial.iter())
            .map(|d| ks[*d as usize])
            .collect();
        if depthwise && taps.iter().any(|size| size.is_run_time()) {
            return Err(Declined::new("a window of run-time size"));
        }
        let groups = conv.feature_groups;
        let feature = dims.output_feature as usize;
        let n = dims.output_spatial.len();
        let last = order.dims.iter().copied().rfind(|d| shape[*d] > 1);
        if shape[feature] > 1 && last.is_some_and(|d| d != feature) {
            return Err(Declined::new(
                "a convolution whose result does not end in its features",
            ));
        }
        let Some(each) = shape[feature].divided_by(groups.into()) else {
            return Err(Declined::new("features that the groups do not divide"));
        };
        let of_group = ks[dims.kernel_input_feature as usize];
        if depthwise && (groups == 1 || each != 1 || of_group != 1) {
            return Err(Declined::new("not a depthwise convolution"));
        }
        // Everything but the features is rows: all in one stride where the window is a single
        // element, else one line at a time.
        let mut places: Vec<usize> = order
            .dims
            .iter()
            .copied()
            .filter(|d| *d != feature)
            .collect();
        let point =
            (0..n).all(|i| taps[i] == 1 && window.stride[i] == 1 && window.padding[i] == (0, 0));
        let line = if point {
            std::mem::take(&mut places)
        } else {
            match places.iter().rposition(|d| shape[*d] > 1) {
                Some(i) => vec![places.remove(i)],
                None => Vec::new(),
            }
        };
        let line_dim = line.last().copied();
        let mut ranges = composing.over_sizes(&[]);
        let mut result_index = vec![Sum::default(); shape.len()];
        let (one, all) = (Extent::ONE, Extent::from(groups));
        let count = |ranges: &mut LoopFacts, n: Extent| ranges.vars.push((Extent::ZERO, n - 1));
        count(&mut ranges, if depthwise { one } else { all });
        digits(&places, shape, &mut ranges, &mut result_index);
        digits(&line, shape, &mut ranges, &mut result_index);
        count(&mut ranges, one);
        count(&mut ranges, if depthwise { all } else { each });
        count(&mut ranges, one);
        let var = |v: VarId, n: Extent| match n {
            Extent::ONE => Sum::constant(0),
            _ => Sum::var(v),
        };
        let group = if depthwise { Sum::var(N) } else { var(B, all) };
        result_index[feature] = if depthwise {
            Sum::var(N)
        } else {
            group.scaled(each).plus(&var(N, each))
        };
        let mut slides = Vec::new();
        let mut k = Vec::new();
        let mut at_i = vec![Sum::default(); is.len()];
        let mut at_k = vec![Sum::default(); ks.len()];
        let mut image = Image {
            sizes: vec![is[dims.input_batch as usize]],
            dims: vec![dims.input_batch as usize],
            low: vec![0],
            index: vec![result_index[dims.output_batch as usize].clone()],
        };
        let mut inside = Vec::new();
        for i in 0..n {
            count(&mut ranges, taps[i]);
            k.push(ranges.vars.len() - 1);
            let w = var(ranges.vars.len() - 1, taps[i]);
            let o = &result_index[dims.output_spatial[i] as usize];
            let from = o
                .scaled(window.stride[i])
                .plus(&w.scaled(window.window_dilation[i]));
            let d = dims.input_spatial[i] as usize;
            at_i[d] = from.offset(-window.padding[i].0);
            // A window of one element that moves by one is where the result is.
            let same = taps[i] == 1 && window.stride[i] == 1 && window.padding[i] == (0, 0);
            // Without padding they are within, which the ranges of run-time sizes need not say.
            if !same && window.padding[i] != (0, 0) {
                inside.push(Condition::between(&at_i[d], 0, is[d] - 1));
            }
            at_k[dims.kernel_spatial[i] as usize] = if window.reversal[i] {
                w.scaled(-1).offset(taps[i] - 1)
            } else {
                w
            };
            if depthwise {
                slides.push(Slide {
                    size: window.size[i],
                    stride: window.stride[i],
                    dilation: window.window_dilation[i],
                    low: window.padding[i].0,
                    input: is[d],
                    output: shape[dims.output_spatial[i] as usize],
                });
            }
            // As far as windows reach.
            image.sizes.push(if same {
                is[d]
            } else {
                from.range(&ranges).1 + 1
            });
            image.dims.push(d);
            image.low.push(window.padding[i].0);
            image.index.push(from);
        }
        inside.retain(|c| c.decide(&ranges) != Some(true));
        let mut c = Sum::constant(0);
        if !depthwise {
            count(&mut ranges, of_group);
            k.push(ranges.vars.len() - 1);
            c = var(ranges.vars.len() - 1, of_group);
        }
        let channel = group.scaled(of_group).plus(&c);
        at_i[dims.input_batch as usize] = result_index[dims.output_batch as usize].clone();
        at_i[dims.input_feature as usize] = channel.clone();
        at_k[dims.kernel_input_feature as usize] = c;
        at_k[dims.kernel_output_feature as usize] = result_index[feature].clone();
        image.sizes.push(is[dims.input_feature as usize]);
        image.dims.push(dims.input_feature as usize);
        image.low.push(0);
        image.index.push(channel);
        let line = dims
            .output_spatial
            .first()
            .map(|d| result_index[*d as usize].clone());
        if depthwise && line_dim.is_none_or(|d| dims.output_spatial.last() != Some(&(d as i64))) {
            return Err(Declined::new(
                "a result whose lines are not along the last spatial dimension",
            ));
        }
        let mut rows = Side::new(input, it.element, at_i);
        rows.inside = inside;
        Ok(Self {
            op,
            ranges,
            k,
            root_index: vec![Sum::default(); shape.len()],
            result_index,
            rows,
            cols: Side::new(kernel, kt.element, at_k),
            image: Some(image),
            step: Step::One,
            packed: acc.clone(),
            acc,
            slides,
            line,
            after: 0.0,
            follows: false,
            divides: false,
            constants: Vec::new(),
            ends: Vec::new(),
            sizes: RunTime::default(),
        })
    }
}
