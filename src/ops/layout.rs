//! Layouts: in which order the dimensions of a tensor lie in memory.
//!
//! A layout is written minor to major, as XLA writes it: `{0, 1}` is column-major for a matrix. It
//! comes from `operand_layouts` / `result_layouts` (lists), `source_layout` / `result_layout` (one
//! value each), `xla_shape` (`"(s32[6,2]{1,0})"`), or `mhlo.layout_mode` on arguments and results
//! of a function (`"{0,1}"`, `"default"`, `"auto"`). Where nothing is said, a tensor is row-major.

use crate::query::over;
use mapwright_indexing::{IndexingMap, c, compare, d};
use mapwright_mlir::{Op, Val, attr, op};
use std::fmt;

/// An order of dimensions, minor to major.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    minor_to_major: Vec<usize>,
}

/// As `custom_call` has it in its lists: `dense<[0, 1]> : tensor<2xindex>`.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = self.minor_to_major.len();
        match rank {
            0 => write!(f, "dense<> : tensor<0xindex>"),
            _ => write!(f, "dense<{:?}> : tensor<{rank}xindex>", self.minor_to_major),
        }
    }
}

impl Layout {
    /// The last dimension is the minor one.
    pub fn row_major(rank: usize) -> Self {
        Self {
            minor_to_major: (0..rank).rev().collect(),
        }
    }

    /// Matrices by columns: the dimension before the last one is the minor one, everything else is
    /// as by rows.
    pub fn column_major(rank: usize) -> Self {
        let mut layout = Self::row_major(rank);
        if rank >= 2 {
            layout.minor_to_major.swap(0, 1);
        }
        layout
    }

    /// From a list, minor to major.
    ///
    /// # Errors
    /// A sentence, if the list is no permutation of the dimensions.
    pub fn new(minor_to_major: &[i64], rank: usize) -> Result<Self, String> {
        if minor_to_major.len() != rank {
            return Err(format!(
                "a layout of {} dimensions for a tensor of rank {rank}",
                minor_to_major.len()
            ));
        }
        let minor_to_major = crate::attrs::axes("layout", minor_to_major, rank)?;
        Ok(Self { minor_to_major })
    }

    /// The dimensions, the fastest first, as attributes have them.
    pub fn minor_to_major(&self) -> &[usize] {
        &self.minor_to_major
    }

    /// The dimensions, the slowest first.
    pub fn major_to_minor(&self) -> impl Iterator<Item = usize> + '_ {
        self.minor_to_major.iter().rev().copied()
    }

    /// True if the last dimension is the minor one, and so on.
    pub fn is_row_major(&self) -> bool {
        self.major_to_minor().eq(0..self.minor_to_major.len())
    }

    /// From an index of a tensor of `sizes` to the index in the row-major array that memory holds.
    pub fn to_physical(&self, sizes: &[i64]) -> IndexingMap {
        over(sizes, self.major_to_minor().map(d).collect())
    }

    /// The inverse of [`Layout::to_physical`].
    pub fn from_physical(&self, sizes: &[i64]) -> IndexingMap {
        let order: Vec<usize> = self.major_to_minor().collect();
        let physical: Vec<i64> = order.iter().map(|k| sizes[*k]).collect();
        over(&physical, crate::shape::transpose::inverse(&order))
    }
}

/// Element `i` of an attribute that is a list of layouts, each a list of integers.
fn listed(operation: Op<'_>, name: &str, i: usize, rank: usize) -> Option<Result<Layout, String>> {
    let items = attr::array(operation.attribute(name)?)?;
    let values = attr::ints(*items.get(i)?)?;
    Some(Layout::new(&values, rank))
}

/// A layout in an attribute of integers.
fn single(operation: Op<'_>, name: &str, rank: usize) -> Option<Result<Layout, String>> {
    Some(Layout::new(&attr::ints(operation.attribute(name)?)?, rank))
}

/// The layout of element `i` of an XLA shape: `f32[4,8]{0,1}`, or in a tuple `(f32[2]{0}, s32[])`.
/// The braces may hold more after a colon (tiling), which is not looked at.
pub fn from_xla_shape(text: &str, i: usize, rank: usize) -> Option<Result<Layout, String>> {
    let mut shapes = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let close = open + rest[open..].find(']')?;
        let after = rest[close + 1..].trim_start();
        let layout = after
            .strip_prefix('{')
            .map(|inner| inner.split(['}', ':']).next().unwrap_or_default());
        shapes.push(layout);
        rest = &rest[close + 1..];
    }
    let layout = (*shapes.get(i)?)?;
    let values: Vec<i64> = mapwright_mlir::text::integers(layout)
        .into_iter()
        .flatten()
        .collect();
    Some(Layout::new(&values, rank))
}

/// Reads the layout of `mhlo.layout_mode`; `None` for `default` and `auto`.
fn from_mode(text: &str, rank: usize) -> Option<Result<Layout, String>> {
    let inner = text.trim().strip_prefix('{')?.split(['}', ':']).next()?;
    let values: Vec<i64> = mapwright_mlir::text::integers(inner)
        .into_iter()
        .flatten()
        .collect();
    Some(Layout::new(&values, rank))
}

/// The operands or the results of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The operands.
    Operands,
    /// The results.
    Results,
}

/// The layout that the call `operation` states for operand or result `i`: by rows where it states
/// none.
///
/// # Errors
/// A sentence, if the layout does not fit the rank.
pub fn of_call(operation: Op<'_>, side: Side, i: usize, rank: usize) -> Result<Layout, String> {
    let name = match side {
        Side::Operands => "operand_layouts",
        Side::Results => "result_layouts",
    };
    listed(operation, name, i, rank).unwrap_or_else(|| Ok(Layout::row_major(rank)))
}

/// The layout in which `operation` takes operand `i`: what it says itself, or what is known of the
/// value.
///
/// # Errors
/// A sentence, if a layout does not fit the rank.
pub fn of_operand(operation: Op<'_>, i: usize, rank: usize) -> Result<Layout, String> {
    if let Some(layout) = listed(operation, "operand_layouts", i, rank) {
        return layout;
    }
    if i == 0
        && operation.short_name() == "bitcast"
        && let Some(layout) = single(operation, "source_layout", rank)
    {
        return layout;
    }
    of_value(operation.operand(i), rank)
}

/// The layout in which `operation` makes result `i`.
///
/// # Errors
/// As for [`of_operand`].
pub fn of_result(operation: Op<'_>, i: usize, rank: usize) -> Result<Layout, String> {
    if let Some(layout) = listed(operation, "result_layouts", i, rank) {
        return layout;
    }
    if let Some(layout) = single(operation, "result_layout", rank) {
        return layout;
    }
    if let Some(text) = operation.string("xla_shape")
        && let Some(layout) = from_xla_shape(&text, i, rank)
    {
        return layout;
    }
    Ok(Layout::row_major(rank))
}

/// The layout of a value: of the result that it is, or of the function argument.
///
/// # Errors
/// As for [`of_operand`].
pub fn of_value(value: Val<'_>, rank: usize) -> Result<Layout, String> {
    if let Some((operation, i)) = op::defining_op(value) {
        return of_result(operation, i, rank);
    }
    if let Some((block, i)) = op::block_argument(value)
        && let Some(parent) = parent_of(block)
        && let Some(layout) = from_function(parent, "arg_attrs", i, rank)
    {
        return layout;
    }
    Ok(Layout::row_major(rank))
}

/// The layout of result `i` of a function.
///
/// # Errors
/// As for [`of_operand`].
pub fn of_function_result(
    function: Op<'_>,
    i: usize,
    rank: usize,
) -> Result<Option<Layout>, String> {
    from_function(function, "res_attrs", i, rank).transpose()
}

fn from_function(
    function: Op<'_>,
    list: &str,
    i: usize,
    rank: usize,
) -> Option<Result<Layout, String>> {
    let items = attr::array(function.attribute(list)?)?;
    let entries = attr::dictionary(*items.get(i)?)?;
    entries.into_iter().find_map(|(name, value)| match name {
        "mhlo.layout_mode" => from_mode(&attr::string(value)?, rank),
        "xla_shape" | "mhlo.xla_shape" => from_xla_shape(&attr::string(value)?, 0, rank),
        _ => None,
    })
}

fn parent_of<'c>(block: mapwright_mlir::Blk<'c>) -> Option<Op<'c>> {
    use mapwright_mlir::melior::ir::BlockLike;
    block.parent_operation().map(Op::new)
}

/// A map as a transpose, a reshape and a transpose: the layouts under which it is the identity of
/// memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransposeReshapeTranspose {
    /// The layout of the tensor that the map starts from.
    pub from: Layout,
    /// The layout of the tensor that it leads to.
    pub to: Layout,
}

/// The greatest rank for which layouts are tried.
const MAX_RANK: usize = 6;

/// Recognises a bitcast from its map alone: layouts of both tensors such that element `i` of one
/// and element `map(i)` of the other lie at the same place. Row-major layouts come first. `None` if
/// there are none, or a rank is beyond six.
pub fn recognize_bitcast(
    map: &IndexingMap,
    from: &[i64],
    to: &[i64],
) -> Option<TransposeReshapeTranspose> {
    let plain = map.is_known()
        && map.is_exact()
        && map.ranges().is_empty()
        && map.runtime().is_empty()
        && map.results().len() == to.len();
    let count = |sizes: &[i64]| sizes.iter().try_fold(1i64, |n, size| n.checked_mul(*size));
    if !plain || map.dims().len() != from.len() || to.len() > MAX_RANK || count(from)? != count(to)?
    {
        return None;
    }
    let whole = map
        .dims()
        .iter()
        .zip(from)
        .all(|(v, n)| v.interval == crate::query::indices(*n));
    if !whole || !map.simplify().constraints().is_empty() {
        return None;
    }
    for order in orders(to.len()) {
        let mut strides = vec![0i64; to.len()];
        let mut stride = 1i64;
        for k in order.iter().rev() {
            strides[*k] = stride;
            stride = stride.checked_mul(to[*k])?;
        }
        let mut place = c(0);
        for (expr, stride) in map.results().iter().zip(&strides) {
            place = place + expr.clone() * *stride;
        }
        let mut linear = map.clone();
        linear.set_results(vec![place]);
        if let Some(from) = layout_of_places(&linear, from) {
            let to = Layout {
                minor_to_major: order.iter().rev().copied().collect(),
            };
            return Some(TransposeReshapeTranspose { from, to });
        }
    }
    None
}

/// The layout in which a tensor of `sizes` has its elements at the places that a map gives: the
/// strides are read off the neighbours of the first element, and then proven for all.
fn layout_of_places(place: &IndexingMap, sizes: &[i64]) -> Option<Layout> {
    let at = |dims: &[i64]| {
        place
            .eval(dims, &[], &[])
            .ok()
            .flatten()
            .map(|index| index[0])
    };
    let mut point = vec![0i64; sizes.len()];
    if sizes.contains(&0) || at(&point)? != 0 {
        return None;
    }
    let mut strides = vec![0i64; sizes.len()];
    for k in (0..sizes.len()).filter(|k| sizes[*k] > 1) {
        point[k] = 1;
        strides[k] = at(&point)?;
        point[k] = 0;
    }
    // Dimensions of one element can stand anywhere; they keep their order, in front.
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|k| {
        std::cmp::Reverse(if sizes[*k] == 1 {
            i64::MAX
        } else {
            strides[*k]
        })
    });
    let mut stride = 1i64;
    let mut sum = c(0);
    for k in order.iter().rev() {
        if sizes[*k] != 1 {
            if strides[*k] != stride {
                return None;
            }
            sum = sum + d(*k) * stride;
        }
        stride = stride.checked_mul(sizes[*k])?;
    }
    let affine = over(sizes, vec![sum]);
    (compare(place, &affine).equal == Some(true)).then(|| Layout {
        minor_to_major: order.into_iter().rev().collect(),
    })
}

/// All orders of `n` dimensions, major to minor, the given one first.
fn orders(n: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..n {
        all = all
            .into_iter()
            .flat_map(|order| {
                let next: Vec<usize> = (0..n).filter(|k| !order.contains(k)).collect();
                next.into_iter()
                    .map(move |k| [order.clone(), vec![k]].concat())
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xla_shapes() {
        let at = |text, i, rank| from_xla_shape(text, i, rank).map(|l| l.map(|l| l.minor_to_major));
        assert_eq!(at("f32[4,8]{0,1}", 0, 2), Some(Ok(vec![0, 1])));
        assert_eq!(at("(s32[<=6,2]{1,0}, f32[3]{0})", 1, 1), Some(Ok(vec![0])));
        assert_eq!(at("(s32[<=6,2]{1,0:T(8,128)})", 0, 2), Some(Ok(vec![1, 0])));
        assert_eq!(at("f32[4]", 0, 1), None);
        assert!(at("f32[4,8]{0,0}", 0, 2).is_some_and(|l| l.is_err()));
    }

    #[test]
    fn bitcasts_are_recognized_from_their_maps() {
        let sizes = |layout: &Layout, sizes: &[i64]| {
            layout
                .major_to_minor()
                .map(|k| sizes[k])
                .collect::<Vec<i64>>()
        };
        let mut recognized = 0;
        for from in [
            vec![4, 6],
            vec![2, 3, 4],
            vec![24],
            vec![1, 24],
            vec![6, 2, 2],
        ] {
            for to in [vec![4, 6], vec![6, 4], vec![24], vec![3, 8], vec![2, 3, 4]] {
                for a in orders(from.len()) {
                    for b in orders(to.len()) {
                        let a = Layout {
                            minor_to_major: a.iter().rev().copied().collect(),
                        };
                        let b = Layout {
                            minor_to_major: b.iter().rev().copied().collect(),
                        };
                        let (pa, pb) = (sizes(&a, &from), sizes(&b, &to));
                        let reshape = over(&pa, crate::shape::reshape::index(&pa, &pb).unwrap());
                        let step = mapwright_indexing::compose(&a.to_physical(&from), &reshape);
                        let map =
                            mapwright_indexing::compose(&step, &b.from_physical(&to)).simplify();
                        let Some(found) = recognize_bitcast(&map, &from, &to) else {
                            panic!("{map} is not recognized");
                        };
                        // Whatever layouts were found: both sides lie at the same place.
                        let place = |layout: &Layout, sizes: &[i64], index: &[i64]| {
                            layout
                                .major_to_minor()
                                .fold(0, |at, k| at * sizes[k] + index[k])
                        };
                        map.for_each_point(|dims, _, _, index| {
                            assert_eq!(
                                place(&found.from, &from, dims),
                                place(&found.to, &to, index),
                                "{map}"
                            );
                            true
                        });
                        recognized += 1;
                    }
                }
            }
        }
        assert!(recognized > 100);
        let broadcast: IndexingMap = "(d0, d1) -> (d1), domain: d0 in [0, 3], d1 in [0, 5]"
            .parse()
            .unwrap();
        assert_eq!(recognize_bitcast(&broadcast, &[4, 6], &[6]), None);
        let reverse: IndexingMap = "(d0) -> (-d0 + 5), domain: d0 in [0, 5]".parse().unwrap();
        assert_eq!(recognize_bitcast(&reverse, &[6], &[6]), None);
    }
}
