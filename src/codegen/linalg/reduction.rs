//! Reductions: `linalg.reduce`, and windows as `linalg.generic` with a loop for each dimension of
//! the window.

use super::{
    element::{extract, from_tensor, tensor, to_tensor, type_of},
    generic::{Generic, converted, empty_of, fill, indices, of_dimensions},
    maps::only_map,
    reads::Reads,
};
use crate::{
    error::{Result, unsupported},
    index::Ix,
    scalar::{self, convert},
    storage::Elem,
};
use mapwright_indexing::{ExprKind, d};
use mapwright_mlir::computation::captured;
use mapwright_mlir::{Blk, Builder, Dim, ElementType, Op, Val, edit, melior::ir::ValueLike, op};
use mapwright_ops::attrs::{self, Window};
use std::collections::HashMap;

/// A reduction: what it reads, what it begins with, and the computation.
pub(super) struct Reduction<'c> {
    op: Op<'c>,
    inputs: Vec<Val<'c>>,
    inits: Vec<Val<'c>>,
    /// Types of the elements that the computation takes, which may be wider than the inputs.
    types: Vec<ElementType>,
    block: Blk<'c>,
    sizes: Vec<Ix<'c>>,
    /// The region that makes what is reduced.
    region: Option<Op<'c>>,
}

impl<'c> Reduction<'c> {
    pub(super) fn new(op: Op<'c>, sizes: &[Ix<'c>]) -> Result<Self> {
        let count = op.num_results();
        let (Some(block), true) = (attrs::computation(op, 0), op.num_operands() == 2 * count)
        else {
            return unsupported("a reduction without a body");
        };
        scalar::region_supported(block).map_err(crate::Unsupported)?;
        let operands = op.operands();
        let types = op::arguments(block).into_iter().take(count);
        Ok(Self {
            op,
            inputs: operands[..count].to_vec(),
            inits: operands[count..].to_vec(),
            types: types
                .map(|value| match tensor(value)? {
                    ty if ty.rank() == 0 => Ok(ty.element),
                    ty => unsupported(format!("reduces slices, of the type {ty}")),
                })
                .collect::<Result<_>>()?,
            block,
            sizes: sizes.to_vec(),
            region: None,
        })
    }

    /// The reduction as the last operation of `region`: what the others make is computed where it
    /// is reduced.
    ///
    /// # Errors
    /// It begins with, or uses in its computation, what the region makes.
    pub(super) fn at_the_end_of(mut self, region: Op<'c>) -> Result<Self> {
        let reads = Reads::new(Vec::new(), Some(region));
        for init in &mut self.inits {
            *init = reads.outside_of_region(*init)?;
        }
        for value in captured(self.op) {
            reads.outside_of_region(value)?;
        }
        self.region = Some(region);
        Ok(self)
    }

    /// Tensors of the sizes of the result with the initial values, in the types of the computation.
    fn accumulators(&self, b: &Builder<'c>) -> Result<Vec<Val<'c>>> {
        let shape = tensor(self.op.result(0))?;
        let all = self.inits.iter().zip(&self.types);
        all.map(|(init, ty)| {
            let from = tensor(*init)?;
            // In older programs it may have dimensions of one element.
            let first = vec![b.cidx(0); from.rank()];
            let value = convert::convert(b, &from.element, ty, extract(b, *init, &first)?)?;
            fill(b, value, empty_of(b, ty, &shape, &self.sizes))
        })
        .collect()
    }

    /// Scalars from outside of the computation, by their keys.
    fn outer(&self, b: &Builder<'c>) -> Result<HashMap<usize, Elem<'c>>> {
        let reads = Reads::new(Vec::new(), self.region);
        let all = captured(self.op).into_iter();
        all.map(|value| match tensor(value)?.rank() {
            0 => {
                let given = reads.outside_of_region(value)?;
                Ok((op::key(value), extract(b, given, &[])?))
            }
            _ => unsupported("a tensor from outside of a scalar region"),
        })
        .collect()
    }

    /// The next values of the accumulators.
    fn combined(
        &self,
        b: &Builder<'c>,
        outer: &HashMap<usize, Elem<'c>>,
        present: &[Val<'c>],
        elements: &[Elem<'c>],
    ) -> Result<Vec<Elem<'c>>> {
        let mut arguments = Vec::new();
        for (value, ty) in present.iter().zip(&self.types) {
            arguments.push(from_tensor(b, ty, *value)?);
        }
        for ((element, input), ty) in elements.iter().zip(&self.inputs).zip(&self.types) {
            let from = tensor(*input)?.element;
            arguments.push(convert::convert(b, &from, ty, *element)?);
        }
        let find = |value: Val<'c>| outer.get(&op::key(value)).copied();
        scalar::apply_region(b, self.block, &arguments, &[], &find)
    }

    /// The accumulators in the types of the results.
    fn results(&self, b: &Builder<'c>, found: Vec<Val<'c>>) -> Result<Vec<Val<'c>>> {
        let all = found.into_iter().zip(self.op.results()).zip(&self.types);
        all.map(|((value, result), from)| {
            let to = tensor(result)?.element;
            if to == *from {
                Ok(value)
            } else {
                converted(b, value, &to, |b, x| convert::convert(b, from, &to, x))
            }
        })
        .collect()
    }

    /// Tells whether nothing is reduced: the results are the initial values then.
    fn is_of_nothing(&self) -> Result<bool> {
        Ok(tensor(self.inputs[0])?.num_elements() == Some(0))
    }

    /// `linalg.reduce` along the dimensions that the map has range variables for.
    pub(super) fn reduce(&self, b: &Builder<'c>) -> Result<Vec<Val<'c>>> {
        let inits = self.accumulators(b)?;
        if self.is_of_nothing()? {
            return self.results(b, inits);
        }
        let map = only_map(self.op, 0, 0)?;
        let ranges = map.results().iter().enumerate();
        let dimensions: Vec<i64> = ranges
            .filter(|(_, expr)| matches!(expr.kind(), ExprKind::Range(_)))
            .map(|(k, _)| k as i64)
            .collect();
        let outer = self.outer(b)?;
        let mut types = Vec::new();
        for input in &self.inputs {
            types.push(b.element_of(input.r#type()));
        }
        types.extend(self.types.iter().map(|ty| type_of(b, ty)));
        let count = self.inputs.len();
        let mut failure = None;
        let region = b.region(&types, |b, arguments| {
            let elements = self
                .inputs
                .iter()
                .zip(arguments)
                .map(|(input, argument)| from_tensor(b, &tensor(*input)?.element, *argument));
            let found = elements.collect::<Result<Vec<_>>>().and_then(|elements| {
                let found = self.combined(b, &outer, &arguments[count..], &elements)?;
                let all = found.into_iter().zip(&self.types);
                all.map(|(x, ty)| to_tensor(b, ty, x))
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
        let mut dims = tensor(self.inputs[0])?.dims;
        let kept = (0..dims.len()).filter(|k| !dimensions.contains(&(*k as i64)));
        for (k, dim) in kept.zip(tensor(inits[0])?.dims).collect::<Vec<_>>() {
            dims[k] = dim;
        }
        let inputs = self.inputs.iter();
        let mut operands = inputs
            .map(|input| of_dimensions(b, *input, dims.clone()))
            .collect::<Result<Vec<_>>>()?;
        operands.extend(&inits);
        let results: Vec<_> = inits.iter().map(|init| init.r#type()).collect();
        let attributes = [("dimensions", b.i64_array(&dimensions))];
        let made = b.op_with_regions(
            "linalg.reduce",
            &operands,
            &results,
            &attributes,
            vec![region],
        );
        self.results(b, made.results())
    }

    /// One `linalg.generic` over the results and what is reduced to each: the elements of a window,
    /// of operands that are padded already and not dilated, or what a region makes.
    pub(super) fn windows(&self, b: &Builder<'c>) -> Result<Vec<Val<'c>>> {
        if self.is_of_nothing()? {
            let inits = self.accumulators(b)?;
            return self.results(b, inits);
        }
        let parallel = tensor(self.op.result(0))?.rank();
        let mut loops = indices(&tensor(self.op.result(0))?);
        let map = only_map(self.op, 0, 0)?;
        loops.extend(map.ranges().iter().map(|variable| variable.interval));
        let all: Vec<_> = (0..loops.len()).map(d).collect();
        let mut reads = Reads::new(loops, self.region);
        reads.windows = self.region.is_none();
        let mut elements = Vec::new();
        for (i, input) in self.inputs.iter().enumerate() {
            let map = only_map(self.op, 0, i)?.ranges_to_dims();
            let at = reads.composed(self.op, &map, &all, false)?;
            if !reads.conditions(self.op, &map, &all, &at)?.is_empty() {
                return unsupported("a window that leaves its operand");
            }
            elements.push(reads.element(*input, &at.results, false)?);
        }
        let outer = self.outer(b)?;
        let inits = self.accumulators(b)?;
        let generic = Generic {
            reads: &reads,
            parallel,
            inits: &inits,
        };
        let made = generic.build(b, |b, body, present| {
            let elements: Vec<Elem<'c>> = elements
                .iter()
                .map(|id| body.term(b, *id))
                .collect::<Result<_>>()?;
            self.combined(b, &outer, present, &elements)
        })?;
        self.results(b, made.results())
    }
}

/// Pads and dilates the operands of a `reduce_window` by operations of their own, which are given
/// back; what is left of it reads its operands everywhere.
pub(super) fn without_padding<'c>(b: &Builder<'c>, op: Op<'c>) -> Result<Vec<Op<'c>>> {
    let rank = tensor(op.operand(0))?.rank();
    let window = Window::reduce_window(op, rank)?;
    let mut made = Vec::new();
    let count = op.num_results();
    for i in 0..count {
        let along: Vec<usize> = (0..rank).collect();
        let value = op.operand(i);
        made.extend(pad_window(
            b,
            value,
            op.operand(count + i),
            &window,
            &along,
        )?);
        if let Some(pad) = made.last() {
            op::set_operand(op, i, pad.result(0));
        }
    }
    for name in ["padding", "base_dilations"] {
        op.remove_attribute(name);
    }
    Ok(made)
}

/// `stablehlo.pad` of `value` with what `window` has around and between elements; dimension `k` of
/// it along dimension `along[k]`. None where there is nothing of it.
pub(super) fn pad_window<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    with: Val<'c>,
    window: &Window,
    along: &[usize],
) -> Result<Option<Op<'c>>> {
    let mut ty = tensor(value)?;
    let zeros = vec![0; ty.rank()];
    let (mut low, mut high, mut interior) = (zeros.clone(), zeros.clone(), zeros.clone());
    for (k, at) in along.iter().enumerate() {
        (low[*at], high[*at]) = window.padding[k];
        interior[*at] = window.base_dilation[k] - 1;
        if let Some(n) = ty.dims[*at].fixed() {
            ty.dims[*at] = Dim::Static(window.padded_size(k, n));
        }
    }
    if [&low, &high, &interior].iter().all(|list| **list == zeros) {
        return Ok(None);
    }
    let attributes = [
        ("edge_padding_low", b.i64_array(&low)),
        ("edge_padding_high", b.i64_array(&high)),
        ("interior_padding", b.i64_array(&interior)),
    ];
    let result = b.parse_type(&ty.to_string());
    Ok(Some(b.op(
        "stablehlo.pad",
        &[value, with],
        &[result],
        &attributes,
    )))
}

/// `op` with its results replaced by `values`, and gone.
pub(super) fn replace<'c>(op: Op<'c>, values: &[Val<'c>]) {
    for (old, new) in op.results().into_iter().zip(values) {
        op::replace_all_uses(old, *new);
    }
    edit::erase_unused(op);
}
