//! Windows over a dimension that devices split: each device needs some rows of its neighbours.
//!
//! With the dimension of `V` elements as `n` parts of `L`, every part gets the rows beside it from
//! the parts before and after it, and windows move over each part by itself, without padding. That
//! is an operation on whole tensors, which devices can split along the parts. A neighbour's rows
//! are those of all parts, moved on by one part: a `pad` by one on one side and by minus one on the
//! other, which the engine does by a collective-permute where each device has one part.

use super::{program::Body, split::Split};
use crate::{
    make::{HloBuilder, own},
    rewrite::replace,
};
use mapwright_mlir::{Op, TensorType, Val, edit, melior::ir::ValueLike};
use mapwright_ops::attrs::{ConvDimensions, Convolution, Window};
use mapwright_sharding::propagate::Communication;
use std::collections::HashMap;

/// Windows over one dimension of an operand.
struct Windows<'c> {
    split: Split,
    window: Window,
    /// The dimension of the window that is that of the operand.
    axis: usize,
    /// Element that stands beside the operand.
    padding: Val<'c>,
    /// Rows that a part needs of those before and after it.
    beside: [i64; 2],
    /// The elements of the result of each part.
    made: i64,
}

/// A convolution or a reduction of windows, as one of every part.
pub(super) fn rewrite<'c>(
    body: &Body<'c>,
    communication: &Communication,
    op: Op<'c>,
) -> Option<Val<'c>> {
    let shape = &body.program.values[communication.value].shape;
    let layouts = (&communication.has, &communication.needs);
    let b = HloBuilder::before(op)?;
    if op.is_hlo("reduce_window") {
        if op.num_operands() != 2 {
            return None;
        }
        let dims: Vec<i64> = (0..shape.len() as i64).collect();
        let split = Split::first_of(&dims, shape, layouts)?;
        let (window, axis) = (Window::reduce_window(op, shape.len()).ok()?, split.dim);
        let windows = Windows::for_window(split, window, axis, op.operand(1))?;
        return windows.reduced(&b, op);
    }
    let convolution = Convolution::decode(op, &own(op.operand(1)).static_shape()?).ok()?;
    // A group of the batch is not one of a part's images.
    if convolution.batch_groups != 1 {
        return None;
    }
    let Convolution { dims, window, .. } = convolution;
    let split = Split::first_of(&dims.input_spatial, shape, layouts)?;
    let mut axes = dims.input_spatial.iter();
    let axis = axes.position(|d| *d == split.dim as i64)?;
    let zero = b.zero(&own(op.operand(0)).element);
    let windows = Windows::for_window(split, window, axis, zero)?;
    windows.convolved(&b, op, &dims)
}

impl<'c> Windows<'c> {
    /// `None` where a part needs more than its neighbours have, or parts of the result are not
    /// those of parts of the operand.
    fn for_window(split: Split, window: Window, axis: usize, padding: Val<'c>) -> Option<Self> {
        let stride = window.stride[axis];
        let span = (window.size[axis] - 1) * window.window_dilation[axis] + 1;
        let before = window.padding[axis].0;
        let after = span - stride - before;
        let length = split.length();
        let fits = window.base_dilation[axis] == 1
            && length % stride == 0
            && window.output_size(axis, split.size) == split.size / stride
            && [before, after]
                .iter()
                .all(|rows| (0..=length).contains(rows));
        fits.then(|| Self {
            made: length / stride,
            beside: [before, after],
            split,
            window,
            axis,
            padding,
        })
    }

    /// The operand in parts, each with the rows beside it. The parts are the first dimension.
    fn with_neighbours(&self, b: &HloBuilder<'c>, x: Val<'c>) -> Option<Val<'c>> {
        let parts = self.split.in_parts(b, x);
        let sizes = own(parts).static_shape().unwrap_or_default();
        let dim = self.split.dim + 1;
        let [before, after] = self.beside;
        let rows = |from: i64, to: i64, by: i64| {
            let (mut starts, mut ends) = (vec![0; sizes.len()], sizes.clone());
            (starts[dim], ends[dim]) = (from, to);
            let own = b.slice(parts, [&starts, &ends, &vec![1; sizes.len()]]);
            let mut shift = vec![0; sizes.len()];
            shift[0] = by;
            let back: Vec<i64> = shift.iter().map(|by| -by).collect();
            b.pad_with(own, self.padding, [&shift, &back, &vec![0; sizes.len()]])
        };
        let length = self.split.length();
        let mut all = vec![parts];
        if before > 0 {
            all.insert(0, rows(length - before, length, 1)?);
        }
        if after > 0 {
            all.push(rows(0, after, -1)?);
        }
        match all.as_slice() {
            [alone] => Some(*alone),
            several => Some(b.concatenate(several, dim)),
        }
    }

    fn reduced(&self, b: &HloBuilder<'c>, op: Op<'c>) -> Option<Val<'c>> {
        let x = self.with_neighbours(b, op.operand(0))?;
        let mut window = self.window.clone();
        window.padding[self.axis] = (0, 0);
        let lists = [
            &mut window.size,
            &mut window.stride,
            &mut window.base_dilation,
            &mut window.window_dilation,
        ];
        lists.into_iter().for_each(|list| list.insert(0, 1));
        window.padding.insert(0, (0, 0));
        let ty = own(op.result(0));
        let mut sizes = ty.static_shape().unwrap_or_default();
        sizes[self.split.dim] = self.made;
        sizes.insert(0, self.split.parts);
        let copy = edit::clone(op, &HashMap::new());
        edit::insert_before(op, copy);
        edit::set_operand(copy, 0, x);
        for (name, attribute) in b.window_attributes(&window) {
            copy.set_attribute(name, attribute);
        }
        let each = TensorType::new(ty.element.clone(), &sizes);
        copy.result(0).set_type(b.ty(&each));
        let new = self.split.whole(b, copy.result(0), &ty);
        replace(op, &[new]);
        Some(new)
    }

    fn convolved(&self, b: &HloBuilder<'c>, op: Op<'c>, dims: &ConvDimensions) -> Option<Val<'c>> {
        let x = self.with_neighbours(b, op.operand(0))?;
        // The parts are more images: each part has all images.
        let batch = dims.input_batch as usize;
        let mut sizes = own(op.operand(0)).static_shape().unwrap_or_default();
        let images = sizes[batch];
        sizes[batch] *= self.split.parts;
        sizes[self.split.dim] = self.split.length() + self.beside[0] + self.beside[1];
        let mut order: Vec<usize> = (1..=sizes.len()).collect();
        order.insert(batch, 0);
        let x = b.transpose(x, &order);
        let x = b.reshape(x, &TensorType::new(own(x).element, &sizes));
        let mut window = self.window.clone();
        window.padding[self.axis] = (0, 0);
        let ty = own(op.result(0));
        let mut sizes = ty.static_shape().unwrap_or_default();
        let batch = dims.output_batch as usize;
        let place = dims.output_spatial[self.axis] as usize;
        sizes[batch] = images * self.split.parts;
        sizes[place] = self.made;
        let copy = edit::clone(op, &HashMap::new());
        edit::insert_before(op, copy);
        edit::set_operand(copy, 0, x);
        copy.set_attribute("padding", b.pairs(window.padding));
        let each = TensorType::new(ty.element.clone(), &sizes);
        copy.result(0).set_type(b.ty(&each));
        sizes.splice(batch..=batch, [self.split.parts, images]);
        let apart = b.reshape(copy.result(0), &TensorType::new(ty.element.clone(), &sizes));
        let mut order: Vec<usize> = (0..sizes.len()).filter(|d| *d != batch).collect();
        order.insert(0, batch);
        let result = Split {
            dim: place,
            size: self.made * self.split.parts,
            parts: self.split.parts,
        };
        let new = result.whole(b, b.transpose(apart, &order), &ty);
        replace(op, &[new]);
        Some(new)
    }
}
