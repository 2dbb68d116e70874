//! `linalg.generic` from terms.

use super::{
    body::Body,
    element::{tensor, to_tensor, type_of},
    reads::{Reads, TermId},
};
use crate::{
    error::{Result, Unsupported, unsupported},
    in_place::{cast, regions::empty},
    index::Ix,
    storage::Elem,
};
use mapwright_indexing::{Expr, ExprKind, Interval};
use mapwright_mlir::{
    Builder, Dim, ElementType, Op, TensorType, Val, affine::AffineMap, builder::DYNAMIC,
    melior::ir::ValueLike,
};
use mapwright_ops::affine::from_expr;

/// The indices of each dimension of a tensor.
pub(super) fn indices(ty: &TensorType) -> Vec<Interval> {
    ty.dims
        .iter()
        .map(|dim| match dim {
            Dim::Static(n) => Interval::of_size(*n),
            _ => Interval::new(0, i64::MAX),
        })
        .collect()
}

/// A tensor of this element type and these sizes, with any contents.
pub(super) fn empty_of<'c>(
    b: &Builder<'c>,
    element: &ElementType,
    ty: &TensorType,
    sizes: &[Ix<'c>],
) -> Val<'c> {
    let ty = TensorType {
        element: element.clone(),
        dims: ty.dims.clone(),
    };
    empty(b, b.parse_type(&ty.to_string()), sizes)
}

/// `value` as a tensor of these dimensions: one side may know sizes that another leaves open, and
/// named operations have them agree.
pub(super) fn of_dimensions<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    dims: Vec<Dim>,
) -> Result<Val<'c>> {
    let element = tensor(value)?.element;
    let ty = TensorType { element, dims };
    Ok(cast(b, value, b.parse_type(&ty.to_string())))
}

/// An affine map over the loops, as an attribute's contents.
///
/// # Errors
/// An expression that is not affine.
fn affine(loops: usize, results: &[Expr]) -> Result<AffineMap> {
    let leaf = |kind: &ExprKind| match kind {
        ExprKind::Dim(i) => Some(mapwright_mlir::affine::AffineNode::Dim(*i)),
        _ => None,
    };
    let results: Option<_> = results.iter().map(|expr| from_expr(expr, &leaf)).collect();
    Ok(AffineMap {
        dims: loops,
        symbols: 0,
        results: results.ok_or_else(|| Unsupported("an index that is not affine".into()))?,
    })
}

/// A `linalg.generic` to be: its loops, of which the first run in parallel, its operands, and the
/// tensors that it writes.
pub(super) struct Generic<'a, 'c> {
    pub reads: &'a Reads<'c>,
    /// Number of parallel loops; the others reduce.
    pub parallel: usize,
    /// Initial values of the results; a result is indexed by the parallel loops.
    pub inits: &'a [Val<'c>],
}

impl<'c> Generic<'_, 'c> {
    /// Appends it; `fill` gives the elements of the results for the present ones.
    ///
    /// # Errors
    /// What `fill` cannot compute; then nothing was appended but constants.
    pub(super) fn build(
        &self,
        b: &Builder<'c>,
        fill: impl FnOnce(&Builder<'c>, &Body<'_, 'c>, &[Val<'c>]) -> Result<Vec<Elem<'c>>>,
    ) -> Result<Op<'c>> {
        let loops = self.reads.loops.len();
        let mut maps = Vec::new();
        let mut operands: Vec<Val<'c>> = Vec::new();
        for input in &self.reads.inputs {
            maps.push(affine(loops, &input.index)?);
            operands.push(input.tensor);
        }
        if let Some((shape, at)) = self.shape_of_loops(b)? {
            maps.push(affine(loops, &at)?);
            operands.push(shape);
        }
        let inputs = operands.len();
        let own: Vec<Expr> = (0..self.parallel).map(mapwright_indexing::d).collect();
        for init in self.inits {
            maps.push(affine(loops, &own)?);
            operands.push(*init);
        }
        let types: Vec<_> = operands.iter().map(|v| b.element_of(v.r#type())).collect();
        let mut failure = None;
        let region = b.region(&types, |b, arguments| {
            let body = Body::within(b, self.reads, &arguments[..self.reads.inputs.len()]);
            let found = fill(b, &body, &arguments[inputs..]).and_then(|found| {
                let results = found.into_iter().zip(self.inits);
                results
                    .map(|(element, init)| to_tensor(b, &tensor(*init)?.element, element))
                    .collect::<Result<Vec<_>>>()
            });
            match found {
                Ok(values) => {
                    b.op("linalg.yield", &values, &[], &[]);
                }
                Err(error) => failure = Some(error),
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        let maps: Vec<_> = maps.iter().map(|map| map.to_mlir(b.context())).collect();
        let kind = |i: usize| {
            if i < self.parallel {
                b.parse_attr("#linalg.iterator_type<parallel>")
            } else {
                b.parse_attr("#linalg.iterator_type<reduction>")
            }
        };
        let kinds: Vec<_> = (0..loops).map(kind).collect();
        let segments = [inputs as i32, self.inits.len() as i32];
        let attributes = [
            ("indexing_maps", b.array_attr(&maps)),
            ("iterator_types", b.array_attr(&kinds)),
            ("operandSegmentSizes", b.i32_array(&segments)),
        ];
        let results: Vec<_> = self.inits.iter().map(|v| v.r#type()).collect();
        Ok(b.op_with_regions(
            "linalg.generic",
            &operands,
            &results,
            &attributes,
            vec![region],
        ))
    }

    /// A tensor without contents for the loops that no operand has as a dimension: it says how far
    /// they run.
    fn shape_of_loops(&self, b: &Builder<'c>) -> Result<Option<(Val<'c>, Vec<Expr>)>> {
        let is_dimension = |i: usize| {
            let of = |expr: &Expr| *expr.kind() == ExprKind::Dim(i);
            i < self.parallel
                || self
                    .reads
                    .inputs
                    .iter()
                    .any(|input| input.index.iter().any(of))
        };
        let loops = 0..self.reads.loops.len();
        let open: Vec<usize> = loops.filter(|i| !is_dimension(*i)).collect();
        if open.is_empty() {
            return Ok(None);
        }
        let mut sizes = Vec::new();
        for i in &open {
            let of = self.reads.loops[*i];
            if of.upper == i64::MAX {
                return unsupported("a loop whose size is known at run time only");
            }
            sizes.push(if of.is_empty() { 0 } else { of.upper + 1 });
        }
        let ty = TensorType::new(ElementType::F32, &sizes);
        let shape = b.op1("tensor.empty", &[], b.parse_type(&ty.to_string()), &[]);
        Ok(Some((
            shape,
            open.into_iter().map(mapwright_indexing::d).collect(),
        )))
    }
}

/// One `linalg.generic` whose results are these terms.
pub(super) fn pointwise<'c>(
    b: &Builder<'c>,
    reads: &Reads<'c>,
    results: &[TermId],
    inits: &[Val<'c>],
) -> Result<Vec<Val<'c>>> {
    let generic = Generic {
        reads,
        parallel: reads.loops.len(),
        inits,
    };
    let op = generic.build(b, |b, body, _| {
        results.iter().map(|id| body.term(b, *id)).collect()
    })?;
    Ok(op.results())
}

/// `value` with another element type, `make` each of its elements; `sizes` are those of the tensor.
pub(super) fn converted<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    to: &ElementType,
    make: impl FnOnce(&Builder<'c>, Elem<'c>) -> Result<Elem<'c>>,
) -> Result<Val<'c>> {
    let ty = tensor(value)?;
    let mut reads = Reads::new(indices(&ty), None);
    let at: Vec<Expr> = (0..ty.rank()).map(mapwright_indexing::d).collect();
    let element = reads.element(value, &at, false)?;
    let sizes: Vec<Ix<'c>> = sizes_of(b, value)?;
    let init = empty_of(b, to, &ty, &sizes);
    let generic = Generic {
        reads: &reads,
        parallel: ty.rank(),
        inits: &[init],
    };
    let op = generic.build(b, |b, body, _| Ok(vec![make(b, body.term(b, element)?)?]))?;
    Ok(op.result(0))
}

/// The sizes of a tensor.
pub(super) fn sizes_of<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Vec<Ix<'c>>> {
    let dims = tensor(value)?.dims;
    Ok(dims
        .iter()
        .enumerate()
        .map(|(k, dim)| match dim.fixed() {
            Some(n) => Ix::Known(n),
            None => Ix::Value(super::body::size(b, value, k)),
        })
        .collect())
}

/// `linalg.fill`: a tensor like `init` in which every element is `value`.
pub(super) fn fill<'c>(b: &Builder<'c>, value: Elem<'c>, init: Val<'c>) -> Result<Val<'c>> {
    let element = tensor(init)?.element;
    let value = to_tensor(b, &element, value)?;
    let ty = type_of(b, &element);
    let region = b.region(&[ty, ty], |b, arguments| {
        b.op("linalg.yield", &[arguments[0]], &[], &[]);
    });
    let segments = [("operandSegmentSizes", b.i32_array(&[1, 1]))];
    let op = b.op_with_regions(
        "linalg.fill",
        &[value, init],
        &[init.r#type()],
        &segments,
        vec![region],
    );
    Ok(op.result(0))
}

/// The sizes as attribute and operands of operations that take both: static ones, [`DYNAMIC`] where
/// an operand says it.
pub(super) fn mixed_sizes<'c>(b: &Builder<'c>, sizes: &[Ix<'c>]) -> (Vec<i64>, Vec<Val<'c>>) {
    let statics = sizes.iter().map(|size| size.known().unwrap_or(DYNAMIC));
    let values = sizes.iter().filter(|size| size.known().is_none());
    (
        statics.collect(),
        values.map(|size| size.value(b)).collect(),
    )
}
