//! Windows of scatters that are partly outside of the operand.
//!
//! The specification leaves out the elements that are outside, one by one. XLA leaves out the whole
//! window, and programs of JAX are written for that (`mode="drop"`). Here such a window is moved
//! until all of it is outside.

use crate::{
    make::{HloBuilder, own},
    rewrite::{Result, fail},
};
use mapwright_mlir::{Dim, ElementType, Op, TensorType, Val, edit};
use mapwright_ops::attrs::ScatterDimensions;
use std::str::FromStr;

/// Treatment of a window of updates that is partly outside of the operand of a scatter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScatterWindows {
    /// The elements that are inside are put together with the operand's, as the specification says.
    #[default]
    Elements,
    /// All of it is left out, as by XLA.
    Whole,
}

impl FromStr for ScatterWindows {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "elements" => Ok(Self::Elements),
            "whole" => Ok(Self::Whole),
            _ => Err("expected `elements` or `whole`".into()),
        }
    }
}

impl ScatterWindows {
    /// Makes the scatters inside `root` do so. Returns how many had to be changed.
    ///
    /// # Errors
    /// A scatter without dimension numbers.
    pub fn legalize(self, root: Op<'_>) -> Result<'_, usize> {
        let mut count = 0;
        if self == Self::Whole {
            for op in root.descendants() {
                if op.is_hlo("scatter") {
                    count += usize::from(rewrite(op)?);
                }
            }
        }
        Ok(count)
    }
}

/// The operand's dimension that a component of an index vector is a place in, and the size of the
/// window there.
struct Place<'c> {
    of: (Val<'c>, usize),
    /// In the updates; none where the window has one element.
    window: Option<(Val<'c>, usize)>,
}

fn rewrite<'c>(op: Op<'c>) -> Result<'c, bool> {
    let dims = match ScatterDimensions::decode(op) {
        Ok(dims) => dims,
        Err(error) => return fail(op, error.to_string()),
    };
    let n = op.num_results();
    let (x, at, updates) = (op.operand(0), op.operand(n), op.operand(n + 1));
    let windowed: Vec<i64> = (0..own(x).rank() as i64)
        .filter(|d| !dims.inserted_window_dims.contains(d) && !dims.input_batching_dims.contains(d))
        .collect();
    let several = |window: &(Val<'c>, usize)| own(window.0).dims[window.1].fixed() != Some(1);
    let places: Vec<Place<'c>> = (dims.scatter_dims_to_operand_dims.iter())
        .map(|d| {
            let window = windowed.iter().position(|own| own == d);
            let window = window.and_then(|k| dims.update_window_dims.get(k));
            Place {
                of: (x, *d as usize),
                window: window.map(|w| (updates, *w as usize)).filter(several),
            }
        })
        .collect();
    // What has one element is inside or outside as a whole.
    if places.iter().all(|place| place.window.is_none()) {
        return Ok(false);
    }
    let Some(b) = HloBuilder::before(op) else {
        return fail(op, "is not inside a block");
    };
    let rank = own(at).rank();
    let vector = (dims.index_vector_dim as usize != rank).then_some(dims.index_vector_dim);
    let wide = ElementType::int(64);
    let as_wide = |x: Val<'c>| TensorType {
        element: wide.clone(),
        dims: own(x).dims,
    };
    let size = |(x, d): (Val<'c>, usize)| match own(x).dims[d] {
        Dim::Static(n) => b.constant(&n.to_string(), &TensorType::new(wide.clone(), &[])),
        _ => {
            let size = b.size(x, d);
            b.operation("stablehlo.convert", &[size], &as_wide(size), &[])
        }
    };
    // One number a component, for every index.
    let spread = |each: Vec<Val<'c>>| match vector {
        Some(vector) => {
            let each: Vec<_> = each.into_iter().map(|one| b.vector_of(one)).collect();
            b.broadcast_like(b.concatenate(&each, 0), at, &[vector])
        }
        None => b.broadcast_like(each[0], at, &[]),
    };
    let sizes = spread(places.iter().map(|place| size(place.of)).collect());
    let one = b.constant("1", &TensorType::new(wide.clone(), &[]));
    let windows = places.iter().map(|place| place.window.map_or(one, &size));
    let last = b.binary("subtract", sizes, spread(windows.collect()));
    let indices = b.operation("stablehlo.convert", &[at], &as_wide(at), &[]);
    let truth = TensorType {
        element: ElementType::Bool,
        dims: own(at).dims,
    };
    let compare = |direction, y| {
        let attributes = b.comparison(direction, "SIGNED");
        b.operation("stablehlo.compare", &[indices, y], &truth, &attributes)
    };
    let zero = b.constant("0", &TensorType::new(wide.clone(), &[]));
    let zeros = b.broadcast_like(zero, at, &[]);
    let mut inside = b.binary("and", compare("GE", zeros), compare("LE", last));
    if let Some(vector) = vector {
        let yes = b.constant("true", &TensorType::new(ElementType::Bool, &[]));
        let whole = b.reduce("and", inside, yes, &[vector]);
        let others: Vec<i64> = (0..rank as i64).filter(|d| *d != vector).collect();
        inside = b.broadcast_like(whole, at, &others);
    }
    // Behind the last element nothing of a window is inside.
    edit::set_operand(op, n, b.choose(inside, indices, sizes));
    op.remove_attribute("indices_are_sorted");
    Ok(true)
}
