//! Maps of slices, of updates and of padding: a box of the larger tensor is the smaller one.
//!
//! Offsets, sizes and strides are numbers, or operands of type `index`: a runtime variable, where
//! they are no constants. They are not clamped; a program in which the box leaves the tensor means
//! nothing.

use crate::query::{
    Pieces, Query, UNBOUNDED, add_runtime, everything, identity, indices, nothing, over,
};
use mapwright_indexing::{Expr, IndexingMap, Interval, c, d};
use mapwright_mlir::{Op, ValueType};

/// Number that stands for one that an operand gives.
const DYNAMIC: i64 = i64::MIN;

/// A number of an operation.
#[derive(Clone, Copy)]
pub(super) enum Number {
    Known(i64),
    /// An operand has it.
    Operand(usize),
}

impl Number {
    /// As an expression over the variables of `map`. An operand that is no constant becomes a
    /// runtime variable in `interval`.
    fn expr(self, q: &Query<'_>, interval: Interval, map: &mut IndexingMap) -> Expr {
        let operand = match self {
            Self::Known(number) => return c(number),
            Self::Operand(operand) => operand,
        };
        if let Some(number) = q
            .known(operand, &[], map)
            .and_then(|value| value.as_constant())
        {
            return c(number);
        }
        let variable = q.element(operand, interval, vec![], map);
        add_runtime(map, variable)
    }

    /// The number, where it is one before the program runs.
    fn known(self, q: &Query<'_>) -> Option<i64> {
        match self {
            Self::Known(number) => Some(number),
            Self::Operand(operand) => q
                .known(operand, &[], &over(&[], vec![]))
                .and_then(|value| value.as_constant()),
        }
    }
}

/// A box of a tensor, along each of its dimensions.
struct Window {
    offsets: Vec<Number>,
    sizes: Vec<Number>,
    strides: Vec<i64>,
    /// The dimension of the smaller tensor that it is; `None` where that leaves it out, as it has
    /// one index only.
    kept: Vec<Option<usize>>,
}

/// Mixed numbers, in an attribute of that name and in operands from `next` on.
pub(super) fn mixed(op: Op<'_>, name: &str, next: &mut usize) -> Result<Vec<Number>, String> {
    let statics = op.ints(name);
    let statics = statics.ok_or_else(|| format!("the attribute {name} is no list of numbers"))?;
    let numbers = statics.into_iter().map(|number| match number {
        DYNAMIC => {
            *next += 1;
            Number::Operand(*next - 1)
        }
        number => Number::Known(number),
    });
    Ok(numbers.collect())
}

impl Window {
    /// Of a slice or an update: the numbers begin at operand `first`, and `small` has the sizes of
    /// the smaller tensor.
    fn of_slice(q: &Query<'_>, first: usize, small: &[i64]) -> Result<Self, String> {
        let mut next = first;
        let offsets = mixed(q.op, "static_offsets", &mut next)?;
        let sizes = mixed(q.op, "static_sizes", &mut next)?;
        let strides = mixed(q.op, "static_strides", &mut next)?;
        let strides = strides.iter().enumerate().map(|(k, stride)| {
            stride
                .known(q)
                .filter(|stride| *stride > 0)
                .ok_or_else(|| format!("the stride in dimension {k} is known at run time only"))
        });
        let strides: Vec<i64> = strides.collect::<Result<_, _>>()?;
        // From the last dimension on, as upstream does: a size of 1 is left out where the smaller
        // tensor has another one there.
        let mut kept = vec![None; sizes.len()];
        let mut left = small.len();
        for k in (0..sizes.len()).rev() {
            let unit = matches!(sizes[k], Number::Known(1));
            if left > 0 && (!unit || small[left - 1] == 1) {
                left -= 1;
                kept[k] = Some(left);
            }
        }
        if left > 0 || offsets.len() != sizes.len() || strides.len() != sizes.len() {
            return Err("the slice has more dimensions than what it is cut from".into());
        }
        Ok(Self {
            offsets,
            sizes,
            strides,
            kept,
        })
    }

    /// Of one element, whose index is in the operands from `first` on.
    fn of_element(first: usize, rank: usize) -> Self {
        Self {
            offsets: (first..first + rank).map(Number::Operand).collect(),
            sizes: vec![Number::Known(1); rank],
            strides: vec![1; rank],
            kept: vec![None; rank],
        }
    }

    /// Of what is padded.
    fn of_padding(q: &Query<'_>, small: &[i64]) -> Result<Self, String> {
        let offsets = mixed(q.op, "static_low", &mut 1)?;
        if offsets.len() != small.len() {
            return Err("the padding has another rank than what is padded".into());
        }
        Ok(Self {
            offsets,
            sizes: small
                .iter()
                .map(|size| match *size {
                    // The size of the operand counts, which `crate::sizes` adds.
                    UNBOUNDED => Number::Operand(0),
                    size => Number::Known(size),
                })
                .collect(),
            strides: vec![1; small.len()],
            kept: (0..small.len()).map(Some).collect(),
        })
    }

    fn rank(&self) -> usize {
        self.offsets.len()
    }

    /// The first index along dimension `k`.
    fn offset(&self, q: &Query<'_>, k: usize, large: &[i64], map: &mut IndexingMap) -> Expr {
        let last = match (large[k], self.sizes[k]) {
            (UNBOUNDED, _) => i64::MAX,
            (n, Number::Known(size)) if size > 0 => {
                n - 1 - (size - 1).saturating_mul(self.strides[k])
            }
            (n, _) => n,
        };
        self.offsets[k].expr(q, Interval::new(0, last.max(0)), map)
    }

    /// From an index of the smaller tensor to that of the larger one.
    fn outward(&self, q: &Query<'_>, small: &[i64], large: &[i64]) -> IndexingMap {
        let mut map = over(small, vec![]);
        for k in 0..self.rank() {
            let offset = self.offset(q, k, large, &mut map);
            let index = match self.kept[k] {
                Some(j) => d(j) * self.strides[k] + offset,
                None => offset,
            };
            map = map.with_constraint(index.clone(), indices(large[k]));
            map.push_result(index);
        }
        map
    }

    /// From an index of the larger tensor, within the box, to that of the smaller one.
    fn inward(&self, q: &Query<'_>, small: &[i64], large: &[i64]) -> IndexingMap {
        let mut map = over(large, vec![]);
        let mut results = vec![c(0); small.len()];
        for k in 0..self.rank() {
            let distance = d(k) - self.offset(q, k, large, &mut map);
            let Some(j) = self.kept[k] else {
                map = map.with_constraint(distance, Interval::point(0));
                continue;
            };
            let stride = self.strides[k];
            let index = match stride {
                1 => distance,
                _ => {
                    let phase = distance.clone().modulo(stride);
                    map = map.with_constraint(phase, Interval::point(0));
                    distance.floor_div(stride)
                }
            };
            map = map.with_constraint(index.clone(), indices(small[j]));
            results[j] = index;
        }
        map.set_results(results);
        map
    }

    /// The larger tensor without the box: within it in the first dimensions, before, behind or
    /// between its elements in the next one.
    fn outside(&self, q: &Query<'_>, large: &[i64]) -> Vec<IndexingMap> {
        let mut pieces = Vec::new();
        let mut inside = identity(large);
        for k in 0..self.rank() {
            let stride = self.strides[k];
            let whole = matches!((self.offsets[k], self.sizes[k]), (Number::Known(0), Number::Known(n)) if n == large[k] && stride == 1);
            if whole {
                continue;
            }
            let distance = d(k) - self.offset(q, k, large, &mut inside);
            let all = Interval::new(0, i64::MAX);
            let size = self.sizes[k].expr(q, indices(large[k]), &mut inside);
            let beyond = distance.clone() - (size - c(1)) * stride;
            let phase = distance.clone().modulo(stride);
            let before = Interval::new(i64::MIN, -1);
            let piece =
                |expr: &Expr, interval| inside.clone().with_constraint(expr.clone(), interval);
            pieces.push(piece(&distance, before));
            pieces.push(piece(&beyond, Interval::new(1, i64::MAX)));
            if stride > 1 {
                pieces.push(piece(&phase, Interval::new(1, stride - 1)));
                inside = inside.with_constraint(phase, Interval::point(0));
            }
            inside = inside.with_constraint(distance, all);
            inside = inside.with_constraint(beyond, Interval::new(i64::MIN, 0));
        }
        if pieces.is_empty() {
            nothing(large, large)
        } else {
            pieces
        }
    }
}

/// An operand that says where or how much: all of the result depends on it.
fn where_output_to_input(q: &Query<'_>, result: usize) -> Pieces {
    Ok(vec![over(&q.result_sizes(result)?, vec![])])
}

fn where_input_to_output(q: &Query<'_>, result: usize) -> Pieces {
    Ok(vec![everything(&[], &q.result_sizes(result)?)])
}

/// Tells whether it is about one element, which is no tensor.
fn is_element(q: &Query<'_>, result: usize) -> bool {
    match q.op.short_name() {
        "extract" => !matches!(q.op.result_type(result), ValueType::Tensor(_)),
        _ => q.op.short_name() == "insert",
    }
}

fn slice(q: &Query<'_>, result: usize) -> Result<Window, String> {
    if is_element(q, result) {
        Ok(Window::of_element(1, q.operand(0)?.rank()))
    } else {
        Window::of_slice(q, 1, &q.result_sizes(result)?)
    }
}

fn update(q: &Query<'_>, result: usize) -> Result<Window, String> {
    if is_element(q, result) {
        Ok(Window::of_element(2, q.operand(1)?.rank()))
    } else {
        Window::of_slice(q, 2, &q.operand_sizes(0)?)
    }
}

pub(super) fn slice_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    if operand > 0 {
        return where_output_to_input(q, result);
    }
    let (small, large) = (q.result_sizes(result)?, q.operand_sizes(0)?);
    Ok(vec![slice(q, result)?.outward(q, &small, &large)])
}

pub(super) fn slice_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    if operand > 0 {
        return where_input_to_output(q, result);
    }
    let (small, large) = (q.result_sizes(result)?, q.operand_sizes(0)?);
    Ok(vec![slice(q, result)?.inward(q, &small, &large)])
}

/// Operand 0 is written into a copy of operand 1.
pub(super) fn update_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let (small, large) = (q.operand_sizes(0)?, q.result_sizes(result)?);
    match operand {
        0 => Ok(vec![update(q, result)?.inward(q, &small, &large)]),
        1 => Ok(update(q, result)?.outside(q, &large)),
        _ => where_output_to_input(q, result),
    }
}

pub(super) fn update_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let (small, large) = (q.operand_sizes(0)?, q.result_sizes(result)?);
    match operand {
        0 => Ok(vec![update(q, result)?.outward(q, &small, &large)]),
        1 => Ok(update(q, result)?.outside(q, &large)),
        _ => where_input_to_output(q, result),
    }
}

/// The value of the padding is no operand: the region gives it.
pub(super) fn pad_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    if operand > 0 {
        return where_output_to_input(q, result);
    }
    let (small, large) = (q.operand_sizes(0)?, q.result_sizes(result)?);
    Ok(vec![
        Window::of_padding(q, &small)?.inward(q, &small, &large),
    ])
}

pub(super) fn pad_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    if operand > 0 {
        return where_input_to_output(q, result);
    }
    let (small, large) = (q.operand_sizes(0)?, q.result_sizes(result)?);
    Ok(vec![
        Window::of_padding(q, &small)?.outward(q, &small, &large),
    ])
}
