//! Windows and convolutions whose padding is computed, mostly from sizes: what they are over is
//! padded first, so that each window lies within it, and the rest of them is known.
//!
//! Padding of as much as is computed is an operation of its own (`dynamic_pad`), which the regions
//! of windows take in.

use crate::make::{HloBuilder, tensor};
use crate::{called, sizes::known_elements};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Dim, ElementType, Op, TensorType, Val};
use mapwright_ops::attrs::{self, ConvDimensions, Window};

/// The name of it among the fast paths.
pub(super) const NAME: &str = "computed-padding";

/// Windows of more elements than this are loops that look whether an element is there.
const MOST: i64 = 64;

/// Attributes of a convolution that stay as they are.
const KEPT: &[&str] = &[
    "dimension_numbers",
    "rhs_dilation",
    "window_reversal",
    "feature_group_count",
    "batch_group_count",
    "precision_config",
];

/// The operation over what is padded, if `op` has padding that is computed.
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, op: Op<'c>) -> Option<Op<'c>> {
    match attrs::name(op) {
        "dynamic_conv" => convolution(make, op),
        "dynamic_reduce_window" => windows(make, op),
        _ => None,
    }
}

fn convolution<'c>(make: &HloBuilder<'c>, op: Op<'c>) -> Option<Op<'c>> {
    let dims = ConvDimensions::decode(op).ok()?;
    let n = dims.input_spatial.len();
    let window = Window::convolution(op, &vec![1; n]).ok()?;
    let own = tensor(op.operand(0))?;
    let plain = matches!(own.element, ElementType::Float(_) | ElementType::Int { .. });
    if !plain || op.num_operands() != 3 || window.base_dilation.iter().any(|d| *d != 1) {
        return None;
    }
    let mut rows = vec![None; own.rank()];
    for (i, d) in dims.input_spatial.iter().enumerate() {
        *rows.get_mut(usize::try_from(*d).ok()?)? = Some(i);
    }
    let padding = Padding {
        value: op.operand(2),
        rows,
    };
    let zero = make.zero(&own.element);
    let padded = padding.around(make, op, op.operand(0), zero)?;
    let strides = make.i64_array(&window.stride);
    let none = make.pairs((0..n).map(|_| (0, 0)));
    let mut attributes = vec![("window_strides", strides), ("padding", none)];
    for name in KEPT {
        attributes.extend(op.attribute(name).map(|value| (*name, value)));
    }
    let name = "stablehlo.convolution";
    let to = tensor(op.result(0))?;
    Some(make.several(name, &[padded, op.operand(1)], &[to], &attributes))
}

fn windows<'c>(make: &HloBuilder<'c>, op: Op<'c>) -> Option<Op<'c>> {
    let count = attrs::window_inputs(op).ok()?;
    let rank = tensor(op.operand(0))?.rank();
    let numbers = [0, 1, 2, 3].map(|i| known_elements(op, 2 * count + i, rank));
    let [size, stride, base_dilation, window_dilation] = numbers;
    let (size, stride) = (size?, stride?);
    let (base_dilation, window_dilation) = (base_dilation?, window_dilation?);
    let elements = size.iter().try_fold(1i64, |n, size| n.checked_mul(*size));
    let usual = base_dilation.iter().all(|n| *n == 1)
        && stride.iter().chain(&window_dilation).all(|n| *n >= 1)
        && elements.is_some_and(|n| (1..=MOST).contains(&n));
    let function = attrs::called_function(op).ok()?;
    if !usual {
        return None;
    }
    let padding = Padding {
        value: op.operand(2 * count + 4),
        rows: (0..rank).map(Some).collect(),
    };
    let mut operands = Vec::new();
    for i in 0..count {
        operands.push(padding.around(make, op, op.operand(i), op.operand(count + i))?);
    }
    operands.extend((count..2 * count).map(|i| op.operand(i)));
    let region = called::region(make, function, "stablehlo.return");
    let attributes = [
        ("window_dimensions", make.i64_array(&size)),
        ("window_strides", make.i64_array(&stride)),
        ("base_dilations", make.i64_array(&base_dilation)),
        ("window_dilations", make.i64_array(&window_dilation)),
        ("padding", make.pairs((0..rank).map(|_| (0, 0)))),
    ];
    let types: Vec<_> = op.results().iter().map(|result| result.r#type()).collect();
    let name = "stablehlo.reduce_window";
    Some(make.op_with_regions(name, &operands, &types, &attributes, vec![region]))
}

/// Padding as an operand, two numbers a row.
struct Padding<'c> {
    value: Val<'c>,
    /// The row of each dimension; none: it is not padded.
    rows: Vec<Option<usize>>,
}

impl<'c> Padding<'c> {
    /// `x` with `value` around it.
    fn around(
        &self,
        make: &HloBuilder<'c>,
        op: Op<'c>,
        x: Val<'c>,
        value: Val<'c>,
    ) -> Option<Val<'c>> {
        let own = tensor(x)?;
        let numbers = tensor(self.value)?;
        let number = op.num_operands() - 1;
        let of_rows = numbers
            .dims
            .first()
            .and_then(|dim| dim.fixed())
            .unwrap_or(0) as usize;
        let known = |row: usize| -> Option<i64> {
            let all = known_elements(op, number, 2 * of_rows)?;
            Some(all.get(2 * row)? + all.get(2 * row + 1)?)
        };
        let dims = self.rows.iter().zip(&own.dims).map(|(row, dim)| {
            let more = row.map_or(Some(0), known);
            match (dim, more) {
                (dim, Some(0)) => *dim,
                (Dim::Static(n), Some(more)) => Dim::Static(n + more),
                _ => Dim::Dynamic,
            }
        });
        let to = TensorType {
            element: own.element.clone(),
            dims: dims.collect(),
        };
        let [low, high] = [0, 1].map(|side| self.side(make, &numbers.element, side));
        let zeros = TensorType::new(numbers.element.clone(), &[own.rank() as i64]);
        let between = make.constant("0", &zeros);
        let operands = [x, value, low, high, between];
        Some(make.operation("stablehlo.dynamic_pad", &operands, &to, &[]))
    }

    /// Returns the padding of all dimensions as a vector: in front for `side` 0, behind for 1.
    fn side(&self, make: &HloBuilder<'c>, element: &ElementType, side: i64) -> Val<'c> {
        let one = TensorType::new(element.clone(), &[1]);
        let parts: Vec<Val<'c>> = (self.rows.iter())
            .map(|row| match row {
                Some(row) => {
                    let row = *row as i64;
                    let lists: [&[i64]; 3] = [&[row, side], &[row + 1, side + 1], &[1, 1]];
                    let part = make.slice(self.value, lists);
                    make.reshape(part, &one)
                }
                None => make.constant("0", &one),
            })
            .collect();
        make.concatenate(&parts, 0)
    }
}
