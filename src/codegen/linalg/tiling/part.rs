//! Boxes of tensors, and the box that a map goes to from one.

use super::{again::Tiler, loops_of};
use crate::{
    error::{Result, unsupported},
    index::Ix,
    linalg::{element::tensor, generic::mixed_sizes},
};
use mapwright_indexing::linear::{Atom, Facts, Sum};
use mapwright_indexing::{Expr, ExprKind, IndexingMap};
use mapwright_mlir::{Builder, Dim, ElementType, Op, TensorType, Ty, Val};
use mapwright_ops::query::parse_size_label;

/// A box of a tensor; of the loops of an operation that reduces, those come behind the dimensions of the result.
#[derive(Clone)]
pub(super) struct Part<'c> {
    pub offsets: Vec<Ix<'c>>,
    pub sizes: Vec<Ix<'c>>,
}

impl<'c> Part<'c> {
    /// All of a tensor of these sizes.
    pub fn all(sizes: Vec<Ix<'c>>) -> Self {
        Self {
            offsets: vec![Ix::Known(0); sizes.len()],
            sizes,
        }
    }

    /// The first `rank` dimensions.
    pub fn first(&self, rank: usize) -> Self {
        Self {
            offsets: self.offsets[..rank].to_vec(),
            sizes: self.sizes[..rank].to_vec(),
        }
    }

    /// Is it certain to be all of `value`?
    pub fn is_all(&self, value: Val<'c>) -> Result<bool> {
        let ty = tensor(value)?;
        let mut all = ty.dims.iter().zip(self.offsets.iter().zip(&self.sizes));
        Ok(all.all(|(dim, (offset, size))| {
            offset.known() == Some(0) && size.known().is_some() && dim.fixed() == size.known()
        }))
    }

    /// The type of a tensor with these elements.
    pub fn ty(&self, b: &Builder<'c>, element: &ElementType) -> Ty<'c> {
        let dim = |size: &Ix<'c>| size.known().map_or(Dim::Dynamic, Dim::Static);
        let ty = TensorType {
            element: element.clone(),
            dims: self.sizes.iter().map(dim).collect(),
        };
        b.parse_type(&ty.to_string())
    }

    /// The box of `value`, in steps.
    pub fn of(&self, b: &Builder<'c>, value: Val<'c>, steps: &[i64]) -> Result<Op<'c>> {
        let (offsets, offset_values) = mixed_sizes(b, &self.offsets);
        let (sizes, size_values) = mixed_sizes(b, &self.sizes);
        let segments = [1, offset_values.len() as i32, size_values.len() as i32, 0];
        let attributes = [
            ("static_offsets", b.i64_array(&offsets)),
            ("static_sizes", b.i64_array(&sizes)),
            ("static_strides", b.i64_array(steps)),
            ("operandSegmentSizes", b.i32_array(&segments)),
        ];
        let operands = [vec![value], offset_values, size_values].concat();
        let ty = self.ty(b, &tensor(value)?.element);
        Ok(b.op("tensor.extract_slice", &operands, &[ty], &attributes))
    }
}

/// An index as multiples of the variables of a map, and a number: dimensions, ranges and runtime variables in this order are its
/// variables and values. `None` if it is none, or if a number is beyond 64 bits.
fn linear(expr: &Expr, map: &IndexingMap) -> Option<Sum> {
    let variable = |kind: &ExprKind| match kind {
        ExprKind::Dim(i) => Some(Sum::var(*i)),
        ExprKind::Range(i) => Some(Sum::var(map.dims.len() + i)),
        ExprKind::Runtime(i) => Some(Sum::atom(Atom::value(*i))),
        _ => None,
    };
    let sum = Sum::of_expr(expr, &Facts::default(), &variable)?;
    let plain = |(atom, factor): &(Atom, i64)| {
        (atom.as_var().is_some() || atom.as_value().is_some()) && *factor != i64::MIN
    };
    sum.terms.iter().all(plain).then_some(sum)
}

/// The box of operand `operand` of `op` that `map` goes to from `tile`. Loops that the tile does not name run over everything.
pub(super) fn reached<'c>(
    b: &Builder<'c>,
    tiler: &mut dyn Tiler<'c>,
    (op, operand): (Op<'c>, usize),
    map: &IndexingMap,
    tile: &Part<'c>,
) -> Result<Part<'c>> {
    let loops = loops_of(op, operand, map)?;
    let mut found = Part::all(Vec::new());
    for (k, expr) in map.results.iter().enumerate() {
        let Some(sum) = linear(expr, map) else {
            return unsupported("an index that is no sum of multiples");
        };
        let mut offset = Ix::Known(sum.constant);
        // Of a single loop the size is the one of the loop.
        let loops_in = sum.terms.iter().filter(|(atom, _)| atom.as_var().is_some());
        let single = loops_in.count() == 1;
        let mut extent = Ix::Known(0);
        let mut size = None;
        for (atom, factor) in sum.terms {
            if let Some(i) = atom.as_value() {
                let label = &map.runtime[i].origin.value;
                let Some((operand, k)) = parse_size_label(label) else {
                    return unsupported("an index that is read at run time");
                };
                let operand: usize = operand
                    .parse()
                    .map_err(|_| crate::Unsupported("a size of no operand".into()))?;
                let size = tiler.size(b, op.operand(operand), k)?;
                offset = offset.add(b, size.mul(b, Ix::Known(factor)));
                continue;
            }
            let Some(variable) = atom.as_var() else {
                return unsupported("an index that is no sum of multiples");
            };
            let range = variable.checked_sub(map.dims.len());
            let at = range.map_or(variable, |i| map.dims.len() + loops[i]);
            let (first, count) = match range.map(|i| map.ranges[i].interval) {
                None => (tile.offsets[at], tile.sizes[at]),
                Some(_) if at < tile.sizes.len() => (tile.offsets[at], tile.sizes[at]),
                Some(interval) if interval.upper < i64::MAX => {
                    let size = i64::try_from(interval.len()).unwrap_or(i64::MAX);
                    (Ix::Known(interval.lower), Ix::Known(size))
                }
                Some(_) if single => (Ix::Known(0), tiler.size(b, op.operand(operand), k)?),
                Some(_) => return unsupported("a loop whose size is known at run time only"),
            };
            let last = |b: &Builder<'c>| count.sub(b, Ix::Known(1));
            // Of a dimension that is read backwards the last element comes first.
            let lowest = match factor < 0 {
                true => first.add(b, last(b)),
                false => first,
            };
            offset = offset.add(b, lowest.mul(b, Ix::Known(factor)));
            match single && factor.abs() == 1 {
                true => size = Some(count),
                false => extent = extent.add(b, last(b).mul(b, Ix::Known(factor.abs()))),
            }
        }
        found.offsets.push(offset);
        found
            .sizes
            .push(size.unwrap_or_else(|| extent.add(b, Ix::Known(1))));
    }
    Ok(found)
}
