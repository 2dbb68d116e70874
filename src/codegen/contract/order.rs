//! How the dimensions of a product go together with those of the region's results.

use crate::Declined;
use crate::tiled::region::Region;
use mapwright_fusion::node::{Node, node};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Facts, Sum};
use mapwright_mlir::{Op, Val, op};
use std::collections::HashSet;

/// Role that a dimension of the result has in the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Batch,
    Left,
    Right,
}

/// Correspondence of the dimensions of the product and those of the region's results.
pub(super) struct Order {
    /// Dimension of the results that each dimension of the product is. One of size 1 may be none.
    pub root_of: Vec<Option<usize>>,
    /// The product's dimensions in the order of the results, without those that are none of them.
    pub dims: Vec<usize>,
}

/// The results are the product's elements, perhaps with the dimensions in another order, with more
/// or fewer of size 1.
pub(super) fn order<'c>(
    region: &Region<'c>,
    product: Op<'c>,
    shape: &[Extent],
) -> Result<Order, Declined> {
    let Some(first) = region.roots.first() else {
        return Err(Declined::new("no results"));
    };
    if region.roots.iter().any(|root| root.shape != first.shape) {
        return Err(Declined::new("results of several shapes"));
    }
    let ranges = region.composing.over_sizes(&first.shape);
    let index: Vec<Sum> = (first.shape.iter().enumerate())
        .map(|(k, n)| match *n {
            Extent::ONE => Sum::default(),
            _ => Sum::var(k),
        })
        .collect();
    let mut at: Vec<Vec<Sum>> = Vec::new();
    let mut seen: HashSet<(usize, Vec<Sum>)> = HashSet::new();
    let mut stack: Vec<(Val<'c>, Vec<Sum>)> = region
        .roots
        .iter()
        .map(|root| (root.value, index.clone()))
        .collect();
    while let Some((value, index)) = stack.pop() {
        if !seen.insert((op::key(value), index.clone())) {
            continue;
        }
        if op::defining_op(value).is_some_and(|(op, _)| op == product) {
            at.push(index);
            continue;
        }
        match node(value, &index, &ranges)? {
            Node::Copy(element) => stack.push(element),
            Node::Elementwise(_, operands) => stack.extend(operands),
            Node::Input | Node::Splat(_) | Node::Iota(_) => {}
            _ => {
                return Err(Declined::new(
                    "something that follows a product and is not element-wise",
                ));
            }
        }
    }
    let [at] = at.as_slice() else {
        return Err(Declined::new(format!(
            "a product used at {} indices",
            at.len()
        )));
    };
    let mut root_of = Vec::new();
    let mut free: Vec<usize> = (0..first.shape.len()).collect();
    for (x, size) in at.iter().zip(shape) {
        let found = free
            .iter()
            .position(|r| first.shape[*r] == *size && *x == index[*r]);
        if found.is_none() && *size != 1 {
            return Err(Declined::new("a product that is not used at its own index"));
        }
        root_of.push(found.map(|found| free.remove(found)));
    }
    if free.iter().any(|r| first.shape[*r] != 1) {
        return Err(Declined::new("a product that is repeated"));
    }
    let dims = (0..first.shape.len())
        .filter_map(|r| root_of.iter().position(|root| *root == Some(r)))
        .collect();
    Ok(Order { root_of, dims })
}

/// Dimensions of the product's result by what they are, each list in the order of the region's
/// results.
pub(super) struct Groups {
    pub batch: Vec<usize>,
    pub rows: Vec<usize>,
    pub outer_cols: Vec<usize>,
    pub cols: Vec<usize>,
    /// The columns are the left operand.
    pub swapped: bool,
}

impl Groups {
    pub fn new(
        shape: &[Extent],
        order: &Order,
        part: &dyn Fn(usize) -> Part,
    ) -> Result<Self, Declined> {
        let wide: Vec<usize> = order
            .dims
            .iter()
            .copied()
            .filter(|d| shape[*d] > 1)
            .collect();
        let swapped = match wide.last().map(|d| part(*d)) {
            Some(Part::Left) => true,
            Some(Part::Batch) if wide.iter().any(|d| part(*d) != Part::Batch) => {
                return Err(Declined::new(
                    "a product whose results end in a batch dimension",
                ));
            }
            _ => false,
        };
        let (row, col) = if swapped {
            (Part::Right, Part::Left)
        } else {
            (Part::Left, Part::Right)
        };
        let of =
            |p: Part| -> Vec<usize> { wide.iter().copied().filter(|d| part(*d) == p).collect() };
        // The columns proper are the last dimensions, with nothing else between them.
        let tail = wide.iter().rev().take_while(|d| part(**d) == col).count();
        let mut outer_cols = of(col);
        let cols = outer_cols.split_off(outer_cols.len() - tail);
        Ok(Self {
            batch: of(Part::Batch),
            rows: of(row),
            outer_cols,
            cols,
            swapped,
        })
    }
}

/// A variable that counts through the dimensions of a list; their index in terms of it.
pub(super) fn digits(list: &[usize], shape: &[Extent], ranges: &mut Facts, index: &mut [Sum]) {
    let total: Extent = list.iter().map(|d| shape[*d]).product();
    ranges.vars.push((Extent::ZERO, total - 1));
    let var = Sum::var(ranges.vars.len() - 1);
    let mut stride = Extent::ONE;
    for (i, d) in list.iter().enumerate().rev() {
        let digit = var.floor_div(stride, ranges);
        index[*d] = match i {
            0 => digit,
            _ => digit.modulo(shape[*d], ranges),
        };
        stride *= shape[*d];
    }
}
