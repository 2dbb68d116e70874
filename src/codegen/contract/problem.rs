//! The product of a region as loops: which variables its results, rows and columns depend on.
//!
//! Every product is seen as `result[b, mo, m, no, n] = sum over k of rows[b, mo, m, k] * cols[b,
//! no, n, k]`. The columns are the side that owns the last dimension of the region's results, so
//! that the lanes of a vector, which run along `n`, are stored side by side. Each of the variables
//! stands for several dimensions, as the digits of one number; `mo` and `no` take those that do not
//! join the others in one stride.

use super::order::{Groups, Order, Part, digits, order};
use super::slide::Slide;
use super::step::Step;
use super::window::Image;
use crate::scalar::accumulation;
use crate::tiled::region::Region;
use crate::{Declined, Options, run_time::RunTime};
use mapwright_fusion::composed::{Composing, LoopFacts};
use mapwright_fusion::condition::Condition;
use mapwright_fusion::node::{Node, node, tensor};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Base, Sum, VarId, linearize};
use mapwright_mlir::{ElementType, Op, Val, op};
use mapwright_ops::{attrs::DotDimensions, elementwise::quotient::by_constant};

pub(crate) use crate::tiled::emitter::EmitResult;

/// Shared by all sides.
pub(crate) const B: VarId = 0;
/// Outer rows.
pub(crate) const MO: VarId = 1;
/// Rows.
pub(crate) const M: VarId = 2;
/// Outer columns.
pub(crate) const NO: VarId = 3;
/// Columns: the lanes run along them.
pub(crate) const N: VarId = 4;
/// Number of a panel of packed columns.
pub(crate) const J: VarId = 5;
/// The first contracted variable; the others follow, the innermost last.
pub(crate) const K: VarId = 6;

/// A factor: an operand and where it is read.
pub(crate) struct Side<'c> {
    pub value: Val<'c>,
    pub element: ElementType,
    /// Index of the operand in terms of the variables.
    pub index: Vec<Sum>,
    /// Conditions, unless all of which hold the element is zero (padding).
    pub inside: Vec<Condition>,
    /// Reads from the region's inputs, as offsets.
    pub accesses: Vec<(usize, Sum)>,
    /// The operand is this input as it is, perhaps seen through views.
    pub plain: Option<(usize, Sum)>,
}

/// A region with one product.
pub(crate) struct Problem<'c> {
    pub op: Op<'c>,
    pub ranges: LoopFacts,
    /// Contracted variables, the innermost last.
    pub k: Vec<VarId>,
    /// Index of the product's result.
    pub result_index: Vec<Sum>,
    /// Index of the region's results.
    pub root_index: Vec<Sum>,
    pub rows: Side<'c>,
    pub cols: Side<'c>,
    /// Set for convolutions.
    pub image: Option<Image>,
    /// The type that products are summed in.
    pub acc: ElementType,
    /// Number of products that are added at once.
    pub step: Step,
    /// The type that factors are packed in.
    pub packed: ElementType,
    /// Movement of the windows of a depthwise convolution, one a spatial dimension; empty for
    /// everything else.
    pub slides: Vec<Slide>,
    /// Of a depthwise convolution: place along the first of two spatial dimensions.
    pub line: Option<Sum>,
    /// Weight of what follows the product, for one element of the result.
    pub after: f64,
    /// The results are not those of the product alone.
    pub follows: bool,
    /// Something is divided by a constant, with quotients in range.
    pub divides: bool,
    /// Inputs of the region that are constants.
    pub constants: Vec<bool>,
    /// Inputs of the region that what follows the product reads, and where.
    pub ends: Vec<(usize, Sum)>,
    /// The sizes that are known at run time only.
    pub sizes: RunTime,
}

/// Tells whether the operation sums products.
pub(crate) fn is_product(op: Op<'_>) -> bool {
    matches!(op.short_name(), "dot_general" | "dot" | "convolution")
}

/// The type that products are summed in.
fn accumulator(result: &ElementType) -> EmitResult<ElementType> {
    match result {
        ElementType::Float(_) => Ok(accumulation::accumulator(result)),
        ElementType::Int { width, .. } if *width >= 8 => Ok(result.clone()),
        other => Err(Declined::new(format!("a product of type {other}"))),
    }
}

impl<'c> Problem<'c> {
    /// Size of a variable.
    pub fn size(&self, var: VarId) -> Extent {
        self.ranges.vars[var].1 + 1
    }

    /// Size of a variable where one that is known at run time only is large.
    pub fn length(&self, var: VarId) -> i64 {
        self.size(var).when_large()
    }

    /// Size of a variable as may be expected.
    pub fn expected(&self, var: VarId) -> i64 {
        self.size(var).expected()
    }

    /// Whether the size of a variable is known at run time only.
    pub fn is_run_time(&self, var: VarId) -> bool {
        self.size(var).is_run_time()
    }

    /// Number of contracted elements.
    pub fn depth(&self) -> Extent {
        self.k.iter().map(|k| self.size(*k)).product()
    }

    /// Number of contracted elements where they are packed: the innermost variable is filled up to
    /// whole steps.
    pub fn packed_depth(&self) -> Extent {
        self.k.iter().map(|k| self.packed_size(*k)).product()
    }

    fn packed_size(&self, k: VarId) -> Extent {
        let step = self.step.elements();
        if self.k.last() == Some(&k) {
            self.size(k).ceil_div(step.into()) * step
        } else {
            self.size(k)
        }
    }

    /// Position among the contracted elements where they are packed.
    pub fn k_linear(&self) -> Sum {
        self.k.iter().fold(Sum::default(), |at, k| {
            at.scaled(self.packed_size(*k)).plus(&Sum::var(*k))
        })
    }

    /// Adds as many products at once as the types and the machine allow.
    pub fn choose_step(&mut self, options: &Options) {
        let Some(inner) = self.k.last().map(|k| self.size(*k)) else {
            return;
        };
        let found = Step::of_types(&self.rows.element, &self.cols.element, &self.acc, options);
        // An image has no room between the taps of a window.
        self.step = if self.image.is_some() && !inner.is_multiple_of(found.elements()) {
            Step::One
        } else {
            found
        };
        self.packed = self.step.packed(&self.cols.element, &self.acc);
    }

    /// Reads the region; declines what is no product, or not of this form. `depthwise`: as a
    /// depthwise convolution, whose lanes are in both factors.
    pub fn from_region(region: &Region<'c>, fusion: Op<'c>, depthwise: bool) -> EmitResult<Self> {
        let ops = fusion.body(0).map(op::ops).unwrap_or_default();
        let products: Vec<Op<'c>> = ops.into_iter().filter(|op| is_product(*op)).collect();
        let [product] = products.as_slice() else {
            return Err(Declined::new(match products.len() {
                0 => "there is no product in the region".into(),
                several => format!("there are {several} products in the region, and one is taken"),
            }));
        };
        let product = *product;
        let (result, shape) = tensor(product.result(0))?;
        let acc = accumulator(&result.element)?;
        let order = order(region, product, &shape)?;
        let mut problem = match product.short_name() {
            "convolution" => {
                Self::convolution(product, &shape, &order, acc, (depthwise, region.composing))?
            }
            _ if depthwise => return Err(Declined::new("not a convolution")),
            _ => Self::dot(product, &shape, &order, acc, region.composing)?,
        };
        problem.sizes = region.sizes.clone();
        problem.root_index = vec![Sum::default(); region.roots[0].shape.len()];
        for (at, root) in order.root_of.iter().enumerate() {
            if let Some(root) = root {
                problem.root_index[*root] = problem.result_index[at].clone();
            }
        }
        let mut weight = 0.0;
        let mut ends: Vec<(usize, Sum)> = Vec::new();
        for root in &region.roots {
            walk(
                root.value,
                &problem.root_index,
                &problem.ranges,
                Some(product),
                &mut |found| match found {
                    Found::Input(value, index) => {
                        let input = region.input_of.get(&op::key(value)).copied();
                        ends.extend(input.map(|i| (i, region.inputs[i].offset(index))));
                    }
                    Found::Work(op) => weight += mapwright_fusion::role::weight(op),
                },
            )?;
        }
        problem.after = weight;
        let own = op::key(product.result(0));
        problem.follows = region.roots.iter().any(|root| op::key(root.value) != own);
        problem.divides = (region.members.iter()).any(|op| by_constant(*op).is_some());
        problem.constants = fusion.operands().into_iter().map(op::is_constant).collect();
        problem.ends = ends;
        let ranges = problem.ranges.clone();
        for side in [&mut problem.rows, &mut problem.cols] {
            side.read(region, &ranges)?;
        }
        if !depthwise {
            problem.join_contracted(region)?;
        }
        Ok(problem)
    }

    fn dot(
        op: Op<'c>,
        shape: &[Extent],
        order: &Order,
        acc: ElementType,
        composing: Composing,
    ) -> EmitResult<Self> {
        let (left, right) = (op.operand(0), op.operand(1));
        let (lt, ls) = tensor(left)?;
        let (rt, rs) = tensor(right)?;
        let dims = DotDimensions::from_op(op, ls.len())?;
        let free = |rank: usize, a: &[i64], b: &[i64]| -> Vec<usize> {
            (0..rank)
                .filter(|d| !a.contains(&(*d as i64)) && !b.contains(&(*d as i64)))
                .collect()
        };
        let lf = free(ls.len(), &dims.lhs_batching, &dims.lhs_contracting);
        let rf = free(rs.len(), &dims.rhs_batching, &dims.rhs_contracting);
        let batch = dims.lhs_batching.len();
        if shape.len() != batch + lf.len() + rf.len() {
            return Err(Declined::new("a product of an unexpected rank"));
        }
        let part = |d: usize| match d {
            d if d < batch => Part::Batch,
            d if d < batch + lf.len() => Part::Left,
            _ => Part::Right,
        };
        let groups = Groups::new(shape, order, &part)?;
        let mut ranges = composing.over_sizes(&[]);
        let mut result_index = vec![Sum::default(); shape.len()];
        for list in [
            &groups.batch,
            &Vec::new(),
            &groups.rows,
            &groups.outer_cols,
            &groups.cols,
            &Vec::new(),
        ] {
            digits(list, shape, &mut ranges, &mut result_index);
        }
        // One variable a contracted dimension for now.
        let mut k = Vec::new();
        let mut contracted = Vec::new();
        for d in &dims.lhs_contracting {
            ranges.vars.push((Extent::ZERO, ls[*d as usize] - 1));
            k.push(ranges.vars.len() - 1);
            contracted.push(Sum::var(ranges.vars.len() - 1));
        }
        let place =
            |rank: usize, batching: &[i64], contracting: &[i64], free: &[usize], at: usize| {
                (0..rank)
                    .map(|d| {
                        let find = |list: &[i64]| list.iter().position(|x| *x == d as i64);
                        if let Some(i) = find(batching) {
                            result_index[i].clone()
                        } else if let Some(i) = find(contracting) {
                            contracted[i].clone()
                        } else {
                            let i = free.iter().position(|f| *f == d).unwrap_or(0);
                            result_index[at + i].clone()
                        }
                    })
                    .collect::<Vec<Sum>>()
            };
        let l = place(
            ls.len(),
            &dims.lhs_batching,
            &dims.lhs_contracting,
            &lf,
            batch,
        );
        let r = place(
            rs.len(),
            &dims.rhs_batching,
            &dims.rhs_contracting,
            &rf,
            batch + lf.len(),
        );
        let (l, r) = (
            Side::new(left, lt.element, l),
            Side::new(right, rt.element, r),
        );
        let (rows, cols) = if groups.swapped { (r, l) } else { (l, r) };
        Ok(Self {
            op,
            ranges,
            k,
            root_index: vec![Sum::default(); shape.len()],
            result_index,
            rows,
            cols,
            image: None,
            step: Step::One,
            packed: acc.clone(),
            acc,
            slides: Vec::new(),
            line: None,
            after: 0.0,
            follows: false,
            divides: false,
            constants: Vec::new(),
            ends: Vec::new(),
            sizes: RunTime::default(),
        })
    }

    /// Pairs (output, input) that may share memory: what follows the product reads the input where
    /// it writes the output, and the product does not read it.
    pub fn overwritten(&self, region: &Region<'c>) -> Vec<(usize, usize)> {
        let sides = [&self.rows, &self.cols].into_iter();
        let factors: Vec<usize> = sides.flat_map(|side| &side.accesses).map(|a| a.0).collect();
        let mut pairs = Vec::new();
        for (k, root) in region.roots.iter().enumerate() {
            let own = root.offset(&self.root_index);
            for (i, input) in region.inputs.iter().enumerate() {
                let mut reads = self.ends.iter().filter(|(at, _)| *at == i).peekable();
                let is_read = reads.peek().is_some();
                if is_read
                    && input.is_like(root)
                    && !factors.contains(&i)
                    && reads.all(|(_, offset)| *offset == own)
                {
                    pairs.push((k, i));
                }
            }
        }
        pairs
    }

    /// Contracted dimensions that both sides walk in one stride become one variable; those of size
    /// 1 vanish.
    fn join_contracted(&mut self, region: &Region<'c>) -> EmitResult<()> {
        let mut i = 0;
        while i + 1 < self.k.len() {
            let (outer, inner) = (self.k[i], self.k[i + 1]);
            let size = self.size(inner);
            let mut offsets: Vec<&Sum> = self.rows.accesses.iter().map(|a| &a.1).collect();
            offsets.extend(self.cols.accesses.iter().map(|a| &a.1));
            let image = self
                .image
                .as_ref()
                .map(|image| linearize(&image.index, &image.sizes));
            offsets.extend(&image);
            let joins = self.size(outer) == 1
                || offsets
                    .iter()
                    .all(|x| match (x.coefficient(outer), x.coefficient(inner)) {
                        (Some(a), Some(b)) => a == b * size,
                        _ => false,
                    });
            if !joins {
                i += 1;
                continue;
            }
            let total = self.size(outer) * size;
            // The outer variable is used no more; the inner one counts through both.
            self.ranges.vars[inner] = (Extent::ZERO, total - 1);
            let ranges = self.ranges.clone();
            let high = Sum::var(inner).floor_div(size, &ranges);
            let low = Sum::var(inner).modulo(size, &ranges);
            let alone = self.size(outer) == 1;
            let change = |x: &Sum| {
                if alone {
                    x.with_var(outer, &Sum::constant(0), &ranges)
                } else {
                    x.substitute(&ranges, &|atom| match atom {
                        Base::Var(v) if *v == outer => Some(high.clone()),
                        Base::Var(v) if *v == inner => Some(low.clone()),
                        _ => None,
                    })
                }
            };
            for side in [&mut self.rows, &mut self.cols] {
                side.index = side.index.iter().map(&change).collect();
                for condition in &mut side.inside {
                    condition.lin = change(&condition.lin);
                }
            }
            if let Some(image) = &mut self.image {
                image.index = image.index.iter().map(&change).collect();
            }
            self.ranges.vars[outer] = Default::default();
            self.k.remove(i);
            let ranges = self.ranges.clone();
            for side in [&mut self.rows, &mut self.cols] {
                side.read(region, &ranges)?;
            }
            i = i.saturating_sub(1);
        }
        Ok(())
    }
}

impl<'c> Side<'c> {
    /// Whether all that it is made of is constant. `constants`: which inputs of the region are.
    pub fn is_constant(&self, constants: &[bool]) -> bool {
        !self.accesses.is_empty()
            && self
                .accesses
                .iter()
                .all(|(input, _)| constants.get(*input).is_some_and(|is| *is))
    }

    pub fn new(value: Val<'c>, element: ElementType, index: Vec<Sum>) -> Self {
        Self {
            value,
            element,
            index,
            inside: Vec::new(),
            accesses: Vec::new(),
            plain: None,
        }
    }

    /// Finds out what is read.
    fn read(&mut self, region: &Region<'c>, ranges: &LoopFacts) -> EmitResult<()> {
        let (mut inputs, mut work) = (Vec::new(), false);
        walk(
            self.value,
            &self.index,
            ranges,
            None,
            &mut |found| match found {
                Found::Input(value, index) => inputs.push((value, index.to_vec())),
                Found::Work(_) => work = true,
            },
        )?;
        self.accesses.clear();
        for (value, index) in inputs {
            let Some(input) = region.input_of.get(&op::key(value)) else {
                return Err(Declined::new("a value from outside the region"));
            };
            let offset = region.inputs[*input].offset(&index);
            self.accesses.push((*input, offset));
        }
        self.plain = match (work, self.accesses.as_slice()) {
            (false, [one]) => Some(one.clone()),
            _ => None,
        };
        Ok(())
    }
}

/// Input or operation that a walk through a region comes across.
enum Found<'f, 'c> {
    Input(Val<'c>, &'f [Sum]),
    Work(Op<'c>),
}

/// Walks from a value to the inputs (or to `stop`), declining what is not made element by element.
fn walk<'c>(
    value: Val<'c>,
    index: &[Sum],
    ranges: &LoopFacts,
    stop: Option<Op<'c>>,
    report: &mut dyn FnMut(Found<'_, 'c>),
) -> EmitResult<()> {
    let mut seen: std::collections::HashSet<(usize, Vec<Sum>)> = std::collections::HashSet::new();
    let mut stack = vec![(value, index.to_vec())];
    while let Some((value, index)) = stack.pop() {
        if !seen.insert((op::key(value), index.clone())) {
            continue;
        }
        if stop.is_some() && op::defining_op(value).map(|(op, _)| op) == stop {
            continue;
        }
        match node(value, &index, ranges)? {
            Node::Input => report(Found::Input(value, &index)),
            Node::Splat(_) | Node::Iota(_) => {}
            Node::Copy(element) => stack.push(element),
            Node::Elementwise(op, operands) => {
                report(Found::Work(op));
                stack.extend(operands);
            }
            _ => {
                return Err(Declined::new(
                    "something beside a product that is not made element by element",
                ));
            }
        }
    }
    Ok(())
}
