//! Convolutions: both adjoints are convolutions, whose windows are solutions of the same relation.

use super::{
    reverse::Reverse,
    window::{Along, each, from_known, known_padding, solved},
};
use crate::{
    rewrite::{Result, fail},
    tarray::sizes::{constants, vary},
};
use mapwright_indexing::Extent;
use mapwright_mlir::{Op, Val};
use mapwright_ops::attrs::Convolution;

/// Dimensions of a tensor of a convolution: the two that are not spatial, and the spatial ones.
#[derive(Clone)]
struct Labels {
    first: usize,
    second: usize,
    spatial: Vec<usize>,
}

impl Labels {
    fn new(first: i64, second: i64, spatial: &[i64]) -> Self {
        Self {
            first: first as usize,
            second: second as usize,
            spatial: spatial.iter().map(|d| *d as usize).collect(),
        }
    }

    fn swapped(&self) -> Self {
        Self {
            first: self.second,
            second: self.first,
            spatial: self.spatial.clone(),
        }
    }

    /// As the attribute writes them.
    fn text(&self, letters: [&str; 2]) -> String {
        let n = self.spatial.len() + 2;
        let mut list = vec![String::new(); n];
        list[self.first] = letters[0].into();
        list[self.second] = letters[1].into();
        for (i, d) in self.spatial.iter().enumerate() {
            list[*d] = i.to_string();
        }
        list.join(", ")
    }

    fn sizes(&self, shape: &[Extent]) -> Vec<Extent> {
        self.spatial.iter().map(|d| shape[*d]).collect()
    }
}

/// A convolution that is to be made.
struct Made<'a, 'c> {
    lhs: (Val<'c>, &'a Labels),
    rhs: (Val<'c>, &'a Labels),
    result: (&'a [Extent], &'a Labels),
    windows: &'a [Along],
    feature_groups: i64,
    batch_groups: i64,
}

impl<'c> Reverse<'c> {
    /// Adds to the cotangents of the operand and of the kernel.
    pub(super) fn convolution(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let (lhs, rhs) = (op.operand(0), op.operand(1));
        let ((lhs_type, lhs_shape), (rhs_type, rhs_shape)) = (m.type_of(lhs), m.type_of(rhs));
        // Sizes that are known at run time only count as nothing here.
        let known = |size: &Extent| size.as_constant().unwrap_or_default();
        let kernel_sizes: Vec<i64> = rhs_shape.iter().map(known).collect();
        let decoded = match Convolution::decode(op, &kernel_sizes) {
            Ok(decoded) => decoded,
            Err(error) => return fail(op, error.to_string()),
        };
        let (element, out) = m.type_of(given);
        let dims = &decoded.dims;
        let operand = Labels::new(dims.input_batch, dims.input_feature, &dims.input_spatial);
        let kernel = Labels::new(
            dims.kernel_input_feature,
            dims.kernel_output_feature,
            &dims.kernel_spatial,
        );
        let result = Labels::new(dims.output_batch, dims.output_feature, &dims.output_spatial);
        let (features, batches) = (decoded.feature_groups, decoded.batch_groups);
        let inner = operand.sizes(&lhs_shape);
        let outer = result.sizes(&out);
        let taps = kernel.sizes(&rhs_shape);
        let groups = features.max(batches);
        // The dimensions that are cut into groups.
        let of_batch = if batches > 1 {
            operand.first
        } else {
            operand.second
        };
        let grouped = [
            lhs_shape[of_batch],
            lhs_shape[operand.second],
            rhs_shape[kernel.first],
            rhs_shape[kernel.second],
        ];
        if groups > 1 && vary(&grouped) {
            return fail(
                op,
                "has no rule of differentiation where sizes of groups are known at run time only",
            );
        }
        let mut windows = from_known(&decoded.window);
        for (along, size) in windows.iter_mut().zip(taps) {
            along.size = size;
        }
        if op.is_hlo("dynamic_conv") {
            let padding = m.numbers_in(op.operand(2));
            for (along, pair) in windows.iter_mut().zip(padding.chunks_exact(2)) {
                along.padding = (pair[0], pair[1]);
            }
        }
        // What has no elements gives nothing.
        let empty = |shape: &[Extent]| shape.contains(&Extent::ZERO);
        if empty(&lhs_shape) || empty(&rhs_shape) || empty(&out) {
            for (value, zeros) in [(lhs, self.zeros_like(lhs)), (rhs, self.zeros_like(rhs))] {
                if self.is_active(value) {
                    self.give(value, zeros);
                }
            }
            return Ok(());
        }
        let reversed: Vec<i64> = (0..kernel.spatial.len())
            .filter(|k| decoded.window.reversal[*k])
            .map(|k| kernel.spatial[k] as i64)
            .collect();
        if self.is_active(lhs) {
            let windows = solved(&windows, (&inner, &outer), Along::over_elements);
            // A window that ran forwards runs backwards.
            let turned: Vec<i64> = (kernel.spatial.iter().map(|d| *d as i64))
                .filter(|d| !reversed.contains(d))
                .collect();
            let factor = m.reverse(m.convert(rhs, &element), &turned);
            // The output features are contracted, in the groups that they had.
            let groups = features.max(batches);
            let factor = self.groups_moved(factor, (kernel.second, kernel.first), groups);
            let mut apart = lhs_shape.clone();
            apart[operand.first] = apart[operand.first].floor_div(batches.into());
            apart[operand.second] *= batches;
            let part = self.convolve(
                op,
                &Made {
                    lhs: (given, &result),
                    rhs: (factor, &kernel.swapped()),
                    result: (&apart, &operand),
                    windows: &windows,
                    feature_groups: groups,
                    batch_groups: 1,
                },
            );
            // Groups of the batch are among the features now.
            let part = self.groups_moved(part, (operand.second, operand.first), batches);
            self.give(lhs, m.convert(part, &lhs_type));
        }
        if self.is_active(rhs) {
            let windows = solved(&windows, (&inner, &outer), Along::over_places);
            // Batch and features change places, and so do their groups.
            let factor = m.convert(lhs, &element);
            let part = self.convolve(
                op,
                &Made {
                    lhs: (factor, &operand.swapped()),
                    rhs: (given, &result),
                    result: (&rhs_shape, &kernel),
                    windows: &windows,
                    feature_groups: batches,
                    batch_groups: features,
                },
            );
            let part = m.reverse(part, &reversed);
            self.give(rhs, m.convert(part, &rhs_type));
        }
        Ok(())
    }

    /// The outer part of a dimension, of so many groups, becomes the outer part of another.
    fn groups_moved(&self, x: Val<'c>, (from, to): (usize, usize), groups: i64) -> Val<'c> {
        let m = &self.m;
        if groups == 1 {
            return x;
        }
        let (_, shape) = m.type_of(x);
        let mut apart = shape.clone();
        apart[from] = apart[from].floor_div(groups.into());
        apart.insert(from, groups.into());
        let split = m.reshape(x, &apart);
        let moved = m.move_dim(split, from, to);
        let mut joined = shape;
        joined[from] = apart[from + 1];
        joined[to] *= groups;
        m.reshape(moved, &joined)
    }

    fn convolve(&self, op: Op<'c>, made: &Made<'_, 'c>) -> Val<'c> {
        let m = &self.m;
        let numbers = format!(
            "#stablehlo.conv<[{}]x[{}]->[{}]>",
            made.lhs.1.text(["b", "f"]),
            made.rhs.1.text(["i", "o"]),
            made.result.1.text(["b", "f"]),
        );
        let list = |number: fn(&Along) -> Extent| {
            let numbers = constants(&each(made.windows, number));
            m.b.i64_array(&numbers.unwrap_or_default())
        };
        let mut attributes = vec![
            ("dimension_numbers", m.b.parse_attr(&numbers)),
            ("window_strides", list(|along| along.stride)),
            ("lhs_dilation", list(|along| along.base_dilation)),
            ("rhs_dilation", list(|along| along.window_dilation)),
            ("feature_group_count", m.b.i64_attr(made.feature_groups)),
            ("batch_group_count", m.b.i64_attr(made.batch_groups)),
        ];
        if let Some(precision) = op.attribute("precision_config") {
            attributes.push(("precision_config", precision));
        }
        let (element, _) = m.type_of(made.lhs.0);
        let mut operands = vec![made.lhs.0, made.rhs.0];
        let name = match known_padding(made.windows) {
            Some(padding) => {
                attributes.push(("padding", m.b.pairs(padding)));
                "convolution"
            }
            None => {
                operands.push(m.padding_of(made.windows));
                "dynamic_conv"
            }
        };
        m.op(name, &operands, &element, made.result.0, &attributes)
    }
}
