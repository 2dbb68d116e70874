//! What one element of a value is made of: the step of the recursion that analysis and emission share.
//!
//! This is the one place that turns an operation into reads; fusion and code generation both recurse over it.
//!
//! Given a value inside the region and an index (expressions of the loop variables), [`node`] says which elements of which
//! other values it is computed from. Element-wise operations read at the same index, view-like ones at an index that their
//! map gives; pieces (`concatenate`, `pad`) come with the conditions under which they apply.

use crate::lin::{Atom, Lin, Ranges, linearize};
use mapwright_mlir::{Op, TensorType, Val, ValueType, attr::Dense, op};
use mapwright_ops::attrs;
use std::sync::Arc;

/// Why an operation has no element-by-element reading here, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Reason(pub String);

impl Reason {
    /// From words.
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

/// Is element `i` of the result made of element `i` of every operand?
pub fn is_elementwise(op: Op<'_>) -> bool {
    matches!(op.dialect(), "stablehlo" | "mhlo" | "chlo")
        && !op.short_name().starts_with("broadcast_")
        && op.num_regions() == 0
        && op.num_results() == 1
        && mapwright_ops::registry::by_name(op.short_name())
            .is_some_and(|def| def.family == "elementwise" && !def.has_side_effects)
        || op.is_hlo("bitcast_convert") && op.num_operands() == 1
}

/// `lo <= lin <= hi`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// The number.
    pub lin: Lin,
    /// Least value.
    pub lo: i64,
    /// Greatest value.
    pub hi: i64,
}

impl Condition {
    fn inside(lin: Lin, size: i64) -> Self {
        Self::between(lin, 0, size - 1)
    }

    /// `lo <= lin <= hi`, of the dividend where `lin` is a quotient.
    fn between(lin: Lin, lo: i64, hi: i64) -> Self {
        if let [(Atom::Floor(inner, m), 1)] = lin.terms.as_slice() {
            let bounds = (lo - lin.constant)
                .checked_mul(*m)
                .zip((hi - lin.constant).checked_mul(*m));
            if let Some((lo, hi)) = bounds {
                return Self::between((**inner).clone(), lo, hi + m - 1);
            }
        }
        Self { lin, lo, hi }
    }

    /// Does it hold at some values of one loop variable, in a pattern that repeats itself (a remainder)?
    pub fn is_periodic(&self) -> bool {
        let (mut vars, mut values) = (Vec::new(), Vec::new());
        self.lin.variables(&mut vars);
        self.lin.values(&mut values);
        vars.dedup();
        let quotient = |(atom, _): &(Atom, i64)| matches!(atom, Atom::Floor(..));
        vars.len() == 1 && values.is_empty() && self.lin.terms.iter().any(quotient)
    }

    /// Decided by the ranges: always true, never true, or `None`.
    pub fn decide(&self, ranges: &Ranges) -> Option<bool> {
        let (lo, hi) = self.lin.range(ranges);
        if self.lo <= lo && hi <= self.hi {
            return Some(true);
        }
        (hi < self.lo || self.hi < lo).then_some(false)
    }
}

/// Are all conditions true? `None` if the ranges do not tell.
pub fn all(conditions: &[Condition], ranges: &Ranges) -> Option<bool> {
    let mut known = Some(true);
    for condition in conditions {
        match condition.decide(ranges) {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = None,
        }
    }
    known
}

/// An element of a value.
pub type Element<'c> = (Val<'c>, Vec<Lin>);

/// An index read at run time: element of an integer tensor, clamped.
pub struct RuntimeIndex<'c> {
    /// What is read.
    pub element: Element<'c>,
    /// Least value after clamping.
    pub lo: i64,
    /// Greatest value after clamping.
    pub hi: i64,
}

/// What an element is made of.
pub enum Node<'c> {
    /// Not computed in the region: one of its inputs.
    Input,
    /// A splat constant.
    Splat(Dense),
    /// The number itself.
    Iota(Lin),
    /// An element of another value.
    Copy(Element<'c>),
    /// The first piece whose conditions hold; the last one has none.
    Pieces(Vec<(Vec<Condition>, Element<'c>)>),
    /// An element-wise operation of these operands.
    Elementwise(Op<'c>, Vec<Element<'c>>),
    /// Result number of a `reduce` at an index.
    Reduce(Op<'c>, usize),
    /// Result number of a `reduce_window`, over explicit window elements: each with the conditions under which it exists.
    Window(Op<'c>, usize, Vec<(Vec<Condition>, Vec<Lin>)>),
    /// Inclusive prefix reduction along a dimension (a cumulative `reduce_window`); backwards if set.
    Scan(Op<'c>, usize, bool),
    /// Element of operand 0 at `index` plus, in some dimensions, indices read at run time.
    Dynamic {
        /// What is read.
        operand: Val<'c>,
        /// Where, without the indices read at run time.
        index: Vec<Lin>,
        /// What is added to which dimension.
        runtime: Vec<(usize, RuntimeIndex<'c>)>,
    },
}

/// Windows of more elements than this are loops, not unrolled code.
const WINDOW_LIMIT: i64 = 64;

/// Static shape and element type of a value.
pub fn tensor(value: Val<'_>) -> Result<(TensorType, Vec<i64>), Reason> {
    let ty = ValueType::from_mlir(mapwright_mlir::melior::ir::ValueLike::r#type(&value));
    let Some(tensor) = ty.tensor() else {
        return Err(Reason::new(format!("a value of type {ty}")));
    };
    let Some(shape) = tensor.static_shape() else {
        return Err(Reason::new(format!("run-time sizes ({tensor})")));
    };
    Ok((tensor.clone(), shape))
}

/// Axes of a decoded attribute, as a decline where they are malformed (the verifier's business).
fn decoded<T>(result: attrs::Decoded<T>) -> Result<T, Reason> {
    result.map_err(|e| Reason::new(e.to_string()))
}

/// Where element `index` of a tensor of shape `from` is after a reshape from `to`. Dimensions are taken together in the smallest groups that
/// hold equally many elements: one that is as long on both sides (others of size 1 beside it) keeps its index as it is.
fn reshaped(index: &[Lin], from: &[i64], to: &[i64], ranges: &Ranges) -> Vec<Lin> {
    if from.contains(&0) || to.contains(&0) {
        return delinearize(&linearize(index, from), to, ranges);
    }
    let mut at = Vec::with_capacity(to.len());
    let (mut i, mut j) = (0, 0);
    while i < from.len() || j < to.len() {
        let (first, start) = (i, j);
        let (mut left, mut right) = (1_i64, 1_i64);
        loop {
            if left == right && (i > first || j > start) {
                break;
            }
            match left <= right && i < from.len() {
                true => {
                    left = left.saturating_mul(from[i]);
                    i += 1;
                }
                false if j < to.len() => {
                    right = right.saturating_mul(to[j]);
                    j += 1;
                }
                // Not a reshape; the verifier says so.
                false => break,
            }
        }
        let wide = |sizes: &[i64], start: usize| -> Vec<usize> {
            (0..sizes.len())
                .filter(|d| sizes[*d] != 1)
                .map(|d| start + d)
                .collect()
        };
        match (
            wide(&from[first..i], first).as_slice(),
            wide(&to[start..j], start).as_slice(),
        ) {
            ([a], [c]) if from[*a] == to[*c] => {
                at.extend((start..j).map(|d| match d == *c {
                    true => index[*a].clone(),
                    false => Lin::default(),
                }));
            }
            _ => {
                let offset = linearize(&index[first..i], &from[first..i]);
                at.extend(delinearize(&offset, &to[start..j], ranges));
            }
        }
    }
    at
}

/// What element `index` of `value` is made of.
pub fn node<'c>(value: Val<'c>, index: &[Lin], ranges: &Ranges) -> Result<Node<'c>, Reason> {
    let Some((op, number)) = op::defining_op(value) else {
        return Ok(Node::Input);
    };
    if is_elementwise(op) {
        return elementwise(op, index);
    }
    if !matches!(op.dialect(), "stablehlo" | "mhlo") {
        return Err(Reason::new(format!("'{}'", op.name())));
    }
    let operand = |i: usize| -> Result<(Val<'c>, Vec<i64>), Reason> {
        if i >= op.num_operands() {
            return Err(Reason::new(format!("'{}' without operand {i}", op.name())));
        }
        Ok((op.operand(i), tensor(op.operand(i))?.1))
    };
    match op.short_name() {
        "constant" => {
            let dense = op.attribute("value").and_then(Dense::from_mlir);
            match dense {
                Some(dense) if dense.splat || dense.ty.num_elements() == Some(1) => {
                    Ok(Node::Splat(dense))
                }
                _ => Err(Reason::new("a constant that is not a splat")),
            }
        }
        "iota" => {
            let axis = decoded(attrs::int(op, "iota_dimension"))?;
            let axis = decoded(attrs::axis("iota_dimension", axis, index.len()))?;
            Ok(Node::Iota(index[axis].clone()))
        }
        "broadcast_in_dim" => {
            let (source, shape) = operand(0)?;
            let dims = decoded(attrs::broadcast_dimensions(op, shape.len(), index.len()))?;
            let at = dims
                .iter()
                .zip(&shape)
                .map(|(axis, size)| match size {
                    1 => Lin::constant(0),
                    _ => index[*axis].clone(),
                })
                .collect();
            Ok(Node::Copy((source, at)))
        }
        "transpose" => {
            let (source, shape) = operand(0)?;
            let mut at = vec![Lin::default(); shape.len()];
            for (i, axis) in decoded(attrs::permutation(op, shape.len()))?
                .into_iter()
                .enumerate()
            {
                at[axis] = index[i].clone();
            }
            Ok(Node::Copy((source, at)))
        }
        "reshape" => {
            let (source, shape) = operand(0)?;
            let at = reshaped(index, &tensor(value)?.1, &shape, ranges);
            Ok(Node::Copy((source, at)))
        }
        "slice" => {
            let (source, shape) = operand(0)?;
            let slice = decoded(attrs::Slice::decode(op, shape.len()))?;
            let at = index
                .iter()
                .enumerate()
                .map(|(i, x)| x.scaled(slice.stride[i]).offset(slice.start[i]))
                .collect();
            Ok(Node::Copy((source, at)))
        }
        "reverse" => {
            let (source, shape) = operand(0)?;
            let mut at = index.to_vec();
            for axis in decoded(attrs::dimensions(op, shape.len()))? {
                at[axis] = at[axis].scaled(-1).offset(shape[axis] - 1);
            }
            Ok(Node::Copy((source, at)))
        }
        "concatenate" => {
            let axis = decoded(attrs::int(op, "dimension"))?;
            let axis = decoded(attrs::axis("dimension", axis, index.len()))?;
            let mut from = 0;
            let mut pieces = Vec::new();
            for i in 0..op.num_operands() {
                let (source, shape) = operand(i)?;
                let mut at = index.to_vec();
                at[axis] = at[axis].offset(-from);
                if shape[axis] > 0 {
                    let inside = Condition::inside(at[axis].clone(), shape[axis]);
                    pieces.push((vec![inside], (source, at)));
                }
                from += shape[axis];
            }
            match pieces.last_mut() {
                Some(last) => last.0.clear(),
                None => return Err(Reason::new("an empty concatenation")),
            }
            Ok(Node::Pieces(pieces))
        }
        "pad" => {
            let (source, shape) = operand(0)?;
            let pad = decoded(attrs::Pad::decode(op, shape.len()))?;
            let mut at = Vec::with_capacity(index.len());
            let mut inside = Vec::new();
            for (i, x) in index.iter().enumerate() {
                let (x, step) = (x.offset(-pad.low[i]), pad.interior[i] + 1);
                // Between the elements too, so that reading there is reading an element.
                inside.push(Condition::inside(x.clone(), shape[i].saturating_mul(step)));
                if step > 1 {
                    // Not simplified, also where the ranges say more: it stays a pattern.
                    let quotient = Lin::atom(Atom::Floor(Arc::new(x.clone()), step));
                    inside.push(Condition::inside(x.plus_scaled(&quotient, -step), 1));
                }
                at.push(match step {
                    1 => x,
                    _ => x.floor_div(step, ranges),
                });
            }
            let padding = (operand(1)?.0, Vec::new());
            Ok(Node::Pieces(vec![
                (inside, (source, at)),
                (Vec::new(), padding),
            ]))
        }
        "reduce" => Ok(Node::Reduce(op, number)),
        "reduce_window" => window(op, number, index, ranges),
        "dynamic_slice" => {
            let (operand, shape) = operand(0)?;
            let sizes = decoded(attrs::dynamic_slice_sizes(op, shape.len()))?;
            if op.num_operands() != shape.len() + 1 {
                return Err(Reason::new("dynamic_slice with a missing start index"));
            }
            let runtime = (0..shape.len())
                .filter(|i| shape[*i] > sizes[*i])
                .map(|i| {
                    let start = RuntimeIndex {
                        element: (op.operand(i + 1), Vec::new()),
                        lo: 0,
                        hi: shape[i] - sizes[i],
                    };
                    (i, start)
                })
                .collect();
            Ok(Node::Dynamic {
                operand,
                index: index.to_vec(),
                runtime,
            })
        }
        "gather" => gather(op, index),
        _ => Err(Reason::new(format!("'{}'", op.name()))),
    }
}

/// Index of the element at `offset` of a row-major tensor.
pub fn delinearize(offset: &Lin, shape: &[i64], ranges: &Ranges) -> Vec<Lin> {
    let mut at = vec![Lin::default(); shape.len()];
    let mut stride = 1i64;
    for i in (0..shape.len()).rev() {
        let digit = offset.floor_div(stride, ranges);
        at[i] = match (shape[i], i) {
            (1, _) => Lin::constant(0),
            // Nothing is above the first dimension.
            (_, 0) => digit,
            (size, _) if shape[..i].iter().all(|n| *n == 1) => {
                let _ = size;
                digit
            }
            (size, _) => digit.modulo(size, ranges),
        };
        stride *= shape[i];
    }
    at
}

fn elementwise<'c>(op: Op<'c>, index: &[Lin]) -> Result<Node<'c>, Reason> {
    let mut operands = Vec::with_capacity(op.num_operands());
    for value in op.operands() {
        let rank = tensor(value)?.1.len();
        // Operands of rank 0 stand for all elements (`select`, `clamp`).
        let at = match rank == index.len() {
            true => index.to_vec(),
            false if rank == 0 => Vec::new(),
            false => return Err(Reason::new(format!("'{}' changes the rank", op.name()))),
        };
        operands.push((value, at));
    }
    if op.short_name() == "bitcast_convert" {
        let from = tensor(op.operand(0))?.0.element.bit_width();
        let to = tensor(op.result(0))?.0.element.bit_width();
        if from != to {
            return Err(Reason::new("bitcast_convert to another width"));
        }
    }
    Ok(Node::Elementwise(op, operands))
}

fn window<'c>(
    op: Op<'c>,
    number: usize,
    index: &[Lin],
    ranges: &Ranges,
) -> Result<Node<'c>, Reason> {
    let shape = tensor(op.operand(0))?.1;
    let rank = shape.len();
    let w = decoded(attrs::Window::reduce_window(op, rank))?;
    if w.base_dilation.iter().any(|n| *n != 1) {
        return Err(Reason::new("a window over a dilated operand"));
    }
    let wide: Vec<usize> = (0..rank)
        .filter(|i| w.size[*i] != 1 || w.padding[*i] != (0, 0) || w.stride[*i] != 1)
        .collect();
    if let [axis] = wide.as_slice() {
        let (i, n) = (*axis, shape[*axis]);
        if w.size[i] == n && w.stride[i] == 1 && w.window_dilation[i] == 1 && n > 1 {
            if w.padding[i] == (n - 1, 0) {
                return Ok(Node::Scan(op, i, false));
            }
            if w.padding[i] == (0, n - 1) {
                return Ok(Node::Scan(op, i, true));
            }
        }
    }
    let count: i64 = w
        .size
        .iter()
        .try_fold(1i64, |n, s| n.checked_mul(*s))
        .unwrap_or(i64::MAX);
    if count > WINDOW_LIMIT || count == 0 {
        return Err(Reason::new(format!("a window of {count} elements")));
    }
    let _ = ranges;
    let elements = (0..count)
        .map(|k| {
            let mut rest = k;
            let mut at = vec![Lin::default(); rank];
            let mut conditions = Vec::new();
            for i in (0..rank).rev() {
                let within = rest % w.size[i];
                rest /= w.size[i];
                at[i] = index[i]
                    .scaled(w.stride[i])
                    .offset(within * w.window_dilation[i] - w.padding[i].0);
                conditions.push(Condition::inside(at[i].clone(), shape[i]));
            }
            (conditions, at)
        })
        .collect();
    Ok(Node::Window(op, number, elements))
}

fn gather<'c>(op: Op<'c>, index: &[Lin]) -> Result<Node<'c>, Reason> {
    let dims = decoded(attrs::GatherDimensions::decode(op))?;
    let (operand, shape) = (op.operand(0), tensor(op.operand(0))?.1);
    let (indices, index_shape) = (op.operand(1), tensor(op.operand(1))?.1);
    let Some(sizes) = dims.slice_sizes.clone() else {
        return Err(Reason::new("a gather with run-time slice sizes"));
    };
    let has = |list: &[i64], i: usize| list.contains(&(i as i64));
    let malformed = || Reason::new("malformed gather dimension numbers");
    if sizes.len() != shape.len() {
        return Err(malformed());
    }
    // The result's dimensions: offsets inside a slice, and batches that say which slice.
    let batch: Vec<Lin> = (0..index.len())
        .filter(|i| !has(&dims.offset_dims, *i))
        .map(|i| index[i].clone())
        .collect();
    let offset: Vec<Lin> = dims
        .offset_dims
        .iter()
        .map(|i| index.get(*i as usize).cloned().ok_or_else(malformed))
        .collect::<Result<_, _>>()?;
    let vector_dim = dims.index_vector_dim as usize;
    let mut at = Vec::with_capacity(shape.len());
    let mut next = offset.into_iter();
    for i in 0..shape.len() {
        if has(&dims.collapsed_slice_dims, i) {
            at.push(Lin::constant(0));
        } else if let Some(k) = dims
            .operand_batching_dims
            .iter()
            .position(|d| *d == i as i64)
        {
            let dim = dims.start_indices_batching_dims[k] as usize;
            let position = if dim > vector_dim { dim - 1 } else { dim };
            at.push(batch.get(position).cloned().ok_or_else(malformed)?);
        } else {
            at.push(next.next().ok_or_else(malformed)?);
        }
    }
    let mut runtime = Vec::new();
    for (k, dim) in dims.start_index_map.iter().enumerate() {
        let dim = *dim as usize;
        if dim >= shape.len() {
            return Err(malformed());
        }
        if shape[dim] <= sizes[dim] {
            continue;
        }
        let mut where_ = batch.clone();
        if vector_dim < index_shape.len() {
            where_.insert(vector_dim.min(where_.len()), Lin::constant(k as i64));
        }
        if where_.len() != index_shape.len() {
            return Err(malformed());
        }
        let start = RuntimeIndex {
            element: (indices, where_),
            lo: 0,
            hi: shape[dim] - sizes[dim],
        };
        runtime.push((dim, start));
    }
    Ok(Node::Dynamic {
        operand,
        index: at,
        runtime,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All shapes of `n` elements with `rank` dimensions.
    fn shapes(n: i64, rank: usize) -> Vec<Vec<i64>> {
        if rank == 0 {
            return if n == 1 { vec![vec![]] } else { vec![] };
        }
        (1..=n)
            .filter(|d| n % d == 0)
            .flat_map(|d| {
                shapes(n / d, rank - 1).into_iter().map(move |rest| {
                    let mut shape = vec![d];
                    shape.extend(rest);
                    shape
                })
            })
            .collect()
    }

    fn place(mut offset: i64, shape: &[i64]) -> Vec<i64> {
        let mut at = vec![0; shape.len()];
        for (d, n) in shape.iter().enumerate().rev() {
            at[d] = offset % n;
            offset /= n;
        }
        at
    }

    #[test]
    fn every_element_of_a_reshape_keeps_its_place() {
        let mut pairs = 0;
        for n in [1, 2, 6, 8, 12] {
            let all: Vec<Vec<i64>> = (0..=4).flat_map(|rank| shapes(n, rank)).collect();
            for from in &all {
                for to in &all {
                    for offset in 0..n {
                        let index: Vec<Lin> = place(offset, from)
                            .into_iter()
                            .map(|x| Lin::default().offset(x))
                            .collect();
                        let at: Vec<Option<i64>> = reshaped(&index, from, to, &Ranges::default())
                            .iter()
                            .map(Lin::as_constant)
                            .collect();
                        let expected: Vec<Option<i64>> =
                            place(offset, to).into_iter().map(Some).collect();
                        assert_eq!(at, expected, "{offset} of {from:?} in {to:?}");
                    }
                    pairs += 1;
                }
            }
        }
        assert!(pairs > 5000, "{pairs}");
    }

    #[test]
    fn dimensions_of_size_one_change_no_index() {
        let mut ranges = Ranges::default();
        ranges.vars.extend([(0, 511), (0, 6)]);
        // Even an index beyond the end stays as it is.
        let index = [Lin::var(0).offset(16), Lin::default(), Lin::var(1)];
        let at = reshaped(&index, &[512, 1, 7], &[1, 512, 7, 1], &ranges);
        assert_eq!(at[1], index[0]);
        assert_eq!(at[2], index[2]);
        let at = reshaped(&index, &[512, 1, 7], &[2, 256, 7], &ranges);
        assert_eq!(at[2], index[2]);
    }
}
