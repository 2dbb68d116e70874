//! Products: `linalg.matmul`, `batch_matmul` and convolutions where the dimensions are theirs,
//! otherwise `linalg.generic` with a reducing loop for each range variable of the maps.

use super::{
    element::{from_tensor, tensor, type_of},
    generic::{Generic, converted, empty_of, fill, indices},
    maps::only_map,
    named_convolution,
    reads::Reads,
    reduction::pad_window,
};
use crate::{
    error::{Result, Unsupported, unsupported},
    index::Ix,
    scalar::{self, accumulation::Accumulation},
    storage::Elem,
};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, d};
use mapwright_mlir::{
    Builder, ElementType, FloatKind, Op, TensorType, Val,
    affine::{AffineMap, AffineNode},
    melior::ir::ValueLike,
    op,
};
use mapwright_ops::attrs::{ConvDimensions, DotDimensions, Window};

/// A product of two tensors.
pub(super) struct Product<'c> {
    op: Op<'c>,
    operands: [TensorType; 2],
    result: TensorType,
    types: Accumulation,
    sizes: Vec<Ix<'c>>,
}

impl<'c> Product<'c> {
    pub(super) fn new(op: Op<'c>, sizes: &[Ix<'c>]) -> Result<Self> {
        let result = tensor(op.result(0))?;
        Ok(Self {
            op,
            operands: [tensor(op.operand(0))?, tensor(op.operand(1))?],
            types: Accumulation::from_op(op)?,
            result,
            sizes: sizes.to_vec(),
        })
    }

    /// A tensor of zeros that sums are added to.
    fn zeros(&self, b: &Builder<'c>) -> Result<Val<'c>> {
        let init = empty_of(b, &self.types.sum, &self.result, &self.sizes);
        fill(b, self.types.zero(b)?, init)
    }

    /// Sums in the type of the result.
    fn finished(&self, b: &Builder<'c>, sums: Val<'c>) -> Result<Val<'c>> {
        let to = &self.result.element;
        if self.types.sum == *to {
            Ok(sums)
        } else {
            converted(b, sums, to, |b, x| self.types.rounded(b, x))
        }
    }

    fn is_of_nothing(&self) -> bool {
        self.operands.iter().any(|ty| ty.num_elements() == Some(0))
    }

    /// `dot` and `dot_general`.
    pub(super) fn dot(&self, b: &Builder<'c>) -> Result<Val<'c>> {
        let dims = DotDimensions::from_op(self.op, self.operands[0].rank())?;
        let zeros = self.zeros(b)?;
        if self.is_of_nothing() {
            return self.finished(b, zeros);
        }
        if let Some(name) = self.named(&dims) {
            let sums = self.matmul(b, name, zeros)?;
            return self.finished(b, sums);
        }
        let left = only_map(self.op, 0, 0)?;
        let right = only_map(self.op, 0, 1)?;
        // The range variables of either map are numbered by its own operand.
        let range = |map: &IndexingMap, k: i64| match map.results()[k as usize].kind() {
            ExprKind::Range(i) => Ok(*i),
            _ => unsupported("a contracting dimension that is not summed over"),
        };
        let mut order = vec![0; left.ranges().len()];
        for (l, r) in dims.lhs_contracting.iter().zip(&dims.rhs_contracting) {
            order[range(&left, *l)?] = range(&right, *r)?;
        }
        let right = right.permute_ranges(&order);
        let right = right.map_err(|error| Unsupported(error.to_string()))?;
        self.generic(b, &left, &right, zeros)
    }

    /// The operation of linalg that this is.
    fn named(&self, dims: &DotDimensions) -> Option<&'static str> {
        let [left, right] = &self.operands;
        let ranks = (left.rank(), right.rank());
        let batch: Vec<i64> = (0..ranks.0 as i64 - 2).collect();
        let n = batch.len() as i64;
        let plain = ranks.0 == ranks.1
            && dims.lhs_batching == batch
            && dims.rhs_batching == batch
            && dims.lhs_contracting == [n + 1]
            && dims.rhs_contracting == [n];
        let widens = |ty: &TensorType| match (&ty.element, &self.types.sum) {
            (from, to) if from == to => true,
            (ElementType::Float(from), ElementType::Float(FloatKind::F32)) => {
                matches!(from, FloatKind::BF16 | FloatKind::F16)
            }
            _ => false,
        };
        let computes = match &self.types.sum {
            ElementType::Float(_) | ElementType::Complex(_) => true,
            ElementType::Int { unsigned, .. } => !unsigned,
            _ => false,
        };
        match (plain && computes && widens(left) && widens(right), n) {
            (true, 0) => Some("linalg.matmul"),
            (true, 1) => Some("linalg.batch_matmul"),
            _ => None,
        }
    }

    fn matmul(&self, b: &Builder<'c>, name: &str, init: Val<'c>) -> Result<Val<'c>> {
        let sum = type_of(b, &self.types.sum);
        let [left, right] = [0, 1].map(|i| self.op.operand(i));
        let types = [left, right, init].map(|value| b.element_of(value.r#type()));
        let (multiply, add) = match &self.types.sum {
            ElementType::Complex(_) => ("complex.mul", "complex.add"),
            ElementType::Float(_) => ("arith.mulf", "arith.addf"),
            _ => ("arith.muli", "arith.addi"),
        };
        let region = b.region(&types, |b, arguments| {
            let wide = |value: Val<'c>| {
                if value.r#type() == sum {
                    value
                } else {
                    b.cast("arith.extf", value, sum)
                }
            };
            let product = b.same(multiply, &[wide(arguments[0]), wide(arguments[1])]);
            let total = b.same(add, &[arguments[2], product]);
            b.op("linalg.yield", &[total], &[], &[]);
        });
        let rank = self.result.rank();
        // The loops: those of the result, and the one that is summed over.
        let (row, column) = (rank - 2, rank - 1);
        let map = |last: [usize; 2]| {
            let all = (0..rank - 2).chain(last).map(AffineNode::Dim);
            let map = AffineMap {
                dims: rank + 1,
                symbols: 0,
                results: all.collect(),
            };
            map.to_mlir(b.context())
        };
        let maps = [map([row, rank]), map([rank, column]), map([row, column])];
        let attributes = [
            ("indexing_maps", b.array_attr(&maps)),
            ("operandSegmentSizes", b.i32_array(&[2, 1])),
        ];
        let operands = [left, right, init];
        let made = b.op_with_regions(name, &operands, &[init.r#type()], &attributes, vec![region]);
        Ok(made.result(0))
    }

    /// One `linalg.generic` over the results and the range variables of both maps, which are the
    /// same.
    fn generic(
        &self,
        b: &Builder<'c>,
        left: &IndexingMap,
        right: &IndexingMap,
        zeros: Val<'c>,
    ) -> Result<Val<'c>> {
        let mut loops = indices(&self.result);
        let parallel = loops.len();
        loops.extend(left.ranges().iter().map(|variable| variable.interval));
        let all: Vec<Expr> = (0..loops.len()).map(d).collect();
        let mut reads = Reads::new(loops, None);
        reads.windows = true;
        let mut elements = Vec::new();
        for (i, map) in [left, right].into_iter().enumerate() {
            let map = map.clone().ranges_to_dims();
            let at = reads.composed(self.op, &map, &all, false)?;
            if !reads.conditions(self.op, &map, &all, &at)?.is_empty() {
                return unsupported("a window that leaves its operand");
            }
            elements.push(reads.element(self.op.operand(i), &at.results, false)?);
        }
        let generic = Generic {
            reads: &reads,
            parallel,
            inits: &[zeros],
        };
        let made = generic.build(b, |b, body, present| {
            let mut factors = Vec::new();
            for (i, id) in elements.iter().enumerate() {
                factors.push(self.types.factor(b, i, body.term(b, *id)?)?);
            }
            let sum = &self.types.sum;
            let product = scalar::named(b, "multiply", sum, sum, &factors)?;
            let present = from_tensor(b, sum, present[0])?;
            Ok(vec![add(b, sum, present, product)?])
        })?;
        self.finished(b, made.result(0))
    }

    /// A `convolution` that is neither padded nor dilated (see [`without_padding`]).
    pub(super) fn convolution(&self, b: &Builder<'c>) -> Result<Val<'c>> {
        let zeros = self.zeros(b)?;
        if self.is_of_nothing() {
            return self.finished(b, zeros);
        }
        let dims = ConvDimensions::decode(self.op)?;
        let kernel = &self.operands[1];
        let sizes: Option<Vec<i64>> = dims
            .kernel_spatial
            .iter()
            .map(|k| kernel.dims[*k as usize].fixed())
            .collect();
        let Some(sizes) = sizes else {
            return unsupported("a kernel whose size is known at run time only");
        };
        let window = Window::convolution(self.op, &sizes)?;
        let [input, kernel] = &self.operands;
        let tensors = [input, kernel, &self.result];
        let form = named_convolution::form(self.op, &dims, &window, tensors, &self.types.sum);
        if let Some(form) = form {
            let sums = named_convolution::build(b, &form, self.op, &window, zeros);
            return self.finished(b, sums);
        }
        let input = only_map(self.op, 0, 0)?;
        let mut weights = only_map(self.op, 0, 1)?;
        if input.ranges().len() != weights.ranges().len() {
            return unsupported("a window whose elements are not all read");
        }
        // A reversed window meets the elements of the kernel from the last to the first.
        for (k, at) in dims.kernel_spatial.iter().enumerate() {
            if window.reversal[k] {
                weights.edit(|m| {
                    let index = &mut m.results[*at as usize];
                    *index = -index.clone() + (sizes[k] - 1);
                });
            }
        }
        self.generic(b, &input, &weights, zeros)
    }
}

fn add<'c>(b: &Builder<'c>, ty: &ElementType, x: Elem<'c>, y: Elem<'c>) -> Result<Elem<'c>> {
    scalar::named(b, "add", ty, ty, &[x, y])
}

/// Pads and dilates the input of a `convolution` by an operation of its own, which is given back.
pub(super) fn without_padding<'c>(b: &Builder<'c>, op: Op<'c>) -> Result<Vec<Op<'c>>> {
    let dims = ConvDimensions::decode(op)?;
    let window = Window::convolution(op, &vec![1; dims.input_spatial.len()])?;
    let along: Vec<usize> = dims.input_spatial.iter().map(|k| *k as usize).collect();
    let element = tensor(op.operand(0))?.element;
    let ty = b.parse_type(&TensorType::new(element.clone(), &[]).to_string());
    let zero = match &element {
        ElementType::Float(_) => "dense<0.0>",
        ElementType::Complex(_) => "dense<(0.0, 0.0)>",
        ElementType::Bool => "dense<false>",
        _ => "dense<0>",
    };
    let value = b.parse_attr(&format!("{zero} : {ty}"));
    let zero = b.op1("stablehlo.constant", &[], ty, &[("value", value)]);
    let made = pad_window(b, op.operand(0), zero, &window, &along)?;
    if let Some(pad) = made {
        op::set_operand(op, 0, pad.result(0));
    }
    for name in ["padding", "lhs_dilation"] {
        op.remove_attribute(name);
    }
    Ok(made.into_iter().collect())
}
