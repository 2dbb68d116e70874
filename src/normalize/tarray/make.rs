//! Makes StableHLO operations on tensors of static shape.

use super::{
    Packing,
    form::number,
    sizes::{RunTimeSizes, constants, tensor_of, vary},
};
use crate::{
    hlo::zero_literal,
    make::HloBuilder,
    rewrite::{Error, Result, fail},
};
use mapwright_indexing::Extent;
use mapwright_mlir::{Attr, Builder, ElementType, Op, Ty, Val};
use std::rc::Rc;

/// See the module.
pub(crate) struct Make<'c> {
    /// The builder that everything goes through.
    pub(crate) b: HloBuilder<'c>,
    /// Sizes that are known at run time only.
    pub(super) sizes: Rc<RunTimeSizes<'c>>,
    /// Choice of the arrays that have room for as much as their maxima allow.
    pub(super) packing: Packing,
}

impl<'c> From<HloBuilder<'c>> for Make<'c> {
    fn from(b: HloBuilder<'c>) -> Self {
        Self {
            b,
            sizes: Rc::default(),
            packing: Packing::Fixed,
        }
    }
}

impl<'c> Make<'c> {
    /// Makes operations through a builder.
    pub(crate) fn new(b: Builder<'c>) -> Self {
        HloBuilder::from(b).into()
    }

    /// Makes operations elsewhere; what is known of sizes is known there, too.
    pub(crate) fn elsewhere(&self, b: Builder<'c>) -> Self {
        Self {
            b: b.into(),
            sizes: self.sizes.clone(),
            packing: self.packing,
        }
    }

    pub(crate) fn ty(&self, element: &ElementType, shape: &[Extent]) -> Ty<'c> {
        self.b.parse_type(&tensor_of(element, shape).to_string())
    }

    /// An operation with one result.
    pub(crate) fn op(
        &self,
        name: &str,
        operands: &[Val<'c>],
        element: &ElementType,
        shape: &[Extent],
        attributes: &[(&str, Attr<'c>)],
    ) -> Val<'c> {
        let name = format!("stablehlo.{name}");
        let made = self
            .b
            .op1(&name, operands, self.ty(element, shape), attributes);
        self.sized(made, shape)
    }

    /// A constant all of whose elements are written like this.
    pub(crate) fn splat(&self, text: &str, element: &ElementType, shape: &[Extent]) -> Val<'c> {
        if vary(shape) {
            return self.spread(self.splat(text, element, &[]), shape);
        }
        self.b.constant(text, &tensor_of(element, shape))
    }

    pub(crate) fn zeros(&self, element: &ElementType, shape: &[Extent]) -> Val<'c> {
        self.splat(zero_literal(element), element, shape)
    }

    pub(crate) fn int(&self, value: i64) -> Val<'c> {
        self.splat(&value.to_string(), &number(), &[])
    }

    pub(crate) fn ints(&self, values: &[i64]) -> Val<'c> {
        self.splat(
            &format!("{values:?}"),
            &number(),
            &[(values.len() as i64).into()],
        )
    }

    /// An element-wise operation whose result has the type of its operands.
    pub(crate) fn same(&self, name: &str, operands: &[Val<'c>]) -> Val<'c> {
        let (_, shape) = self.type_of(operands[0]);
        self.sized(self.b.same(&format!("stablehlo.{name}"), operands), &shape)
    }

    pub(crate) fn add(&self, x: Val<'c>, y: Val<'c>) -> Val<'c> {
        self.same("add", &[x, y])
    }

    pub(crate) fn sub(&self, x: Val<'c>, y: Val<'c>) -> Val<'c> {
        self.same("subtract", &[x, y])
    }

    pub(crate) fn min(&self, x: Val<'c>, y: Val<'c>) -> Val<'c> {
        self.same("minimum", &[x, y])
    }

    pub(crate) fn max(&self, x: Val<'c>, y: Val<'c>) -> Val<'c> {
        self.same("maximum", &[x, y])
    }

    pub(crate) fn and(&self, x: Val<'c>, y: Val<'c>) -> Val<'c> {
        self.same("and", &[x, y])
    }

    /// `x` brought into a range.
    pub(crate) fn clamp(&self, low: Val<'c>, x: Val<'c>, high: Val<'c>) -> Val<'c> {
        self.min(self.max(x, low), high)
    }

    pub(crate) fn compare(&self, direction: &str, x: Val<'c>, y: Val<'c>) -> Val<'c> {
        let (_, shape) = self.type_of(x);
        self.sized(self.b.compare(direction, x, y), &shape)
    }

    /// `yes` where the condition (a scalar, or of the shape of the others) holds.
    pub(crate) fn select(&self, condition: Val<'c>, yes: Val<'c>, no: Val<'c>) -> Val<'c> {
        let (_, shape) = self.type_of(yes);
        self.sized(self.b.choose(condition, yes, no), &shape)
    }

    pub(crate) fn convert(&self, x: Val<'c>, to: &ElementType) -> Val<'c> {
        let (element, shape) = self.type_of(x);
        if element == *to {
            x
        } else {
            self.op("convert", &[x], to, &shape, &[])
        }
    }

    /// Dimension `i` of `x` becomes dimension `dims[i]` of the result.
    pub(crate) fn broadcast(&self, x: Val<'c>, dims: &[i64], shape: &[Extent]) -> Val<'c> {
        let (element, own) = self.type_of(x);
        if own == shape {
            return x;
        }
        if vary(shape) {
            let attributes = [("broadcast_dimensions", self.b.i64_array(dims))];
            let name = "dynamic_broadcast_in_dim";
            return self.dynamic(name, &[x], &element, shape, &attributes);
        }
        (self.b).broadcast(x, &tensor_of(&element, shape), dims)
    }

    /// A scalar as every element.
    pub(crate) fn spread(&self, scalar: Val<'c>, shape: &[Extent]) -> Val<'c> {
        self.broadcast(scalar, &[], shape)
    }

    pub(crate) fn reshape(&self, x: Val<'c>, shape: &[Extent]) -> Val<'c> {
        let (element, own) = self.type_of(x);
        let varies = vary(shape) || vary(&own);
        match own == shape {
            true => x,
            false if varies => self.dynamic("dynamic_reshape", &[x], &element, shape, &[]),
            false => self.op("reshape", &[x], &element, shape, &[]),
        }
    }

    pub(crate) fn transpose(&self, x: Val<'c>, permutation: &[i64]) -> Val<'c> {
        let (_, own) = self.type_of(x);
        let order: Vec<usize> = permutation.iter().map(|d| *d as usize).collect();
        let shape: Vec<Extent> = order.iter().map(|d| own[*d]).collect();
        self.sized(self.b.transpose(x, &order), &shape)
    }

    /// Dimension `from` moved to the place `to`.
    pub(crate) fn move_dim(&self, x: Val<'c>, from: usize, to: usize) -> Val<'c> {
        let rank = self.type_of(x).1.len();
        let mut permutation: Vec<i64> = (0..rank as i64).collect();
        let d = permutation.remove(from);
        permutation.insert(to, d);
        self.transpose(x, &permutation)
    }

    /// The indices `start`, `start + stride`, … below `limit` along dimension `d`.
    pub(crate) fn slice(
        &self,
        x: Val<'c>,
        d: usize,
        (start, stride, limit): (i64, i64, impl Into<Extent>),
    ) -> Val<'c> {
        let (_, own) = self.type_of(x);
        let limit = limit.into();
        if (start, stride, limit) == (0, 1, own[d]) {
            return x;
        }
        let mut starts = vec![Extent::ZERO; own.len()];
        let mut strides = vec![Extent::ONE; own.len()];
        let mut limits = own.clone();
        (starts[d], limits[d], strides[d]) = (start.into(), limit, stride.into());
        let mut shape = own.clone();
        shape[d] = match limit.as_constant() {
            None if (start, stride) == (0, 1) => limit,
            None => {
                self.refuse("a slice up to a run-time size");
                Extent::ZERO
            }
            Some(limit) => Extent::from((limit - start).max(0)).ceil_div(stride.into()),
        };
        self.sliced(x, (&starts, &limits, &strides), &shape)
    }

    /// A part of a tensor that begins at `starts`, ends before `limits` and has the sizes `shape`.
    pub(crate) fn sliced(
        &self,
        x: Val<'c>,
        (starts, limits, strides): (&[Extent], &[Extent], &[Extent]),
        shape: &[Extent],
    ) -> Val<'c> {
        let (element, own) = self.type_of(x);
        if own == shape {
            return x;
        }
        let numbers = [starts, limits, strides];
        let ([Some(starts), Some(limits), Some(strides)], false) =
            (numbers.map(constants), vary(&own))
        else {
            let [starts, limits, strides] = numbers.map(|all| self.vector(all));
            return self.part_of(x, (starts, limits, strides), shape);
        };
        let attributes = [
            ("start_indices", self.b.i64_array(&starts)),
            ("limit_indices", self.b.i64_array(&limits)),
            ("strides", self.b.i64_array(&strides)),
        ];
        self.op("slice", &[x], &element, shape, &attributes)
    }

    /// A part of a tensor. `starts`, `limits` and `strides` are vectors, and the part has the sizes
    /// `shape`.
    pub(crate) fn part_of(
        &self,
        x: Val<'c>,
        (starts, limits, strides): (Val<'c>, Val<'c>, Val<'c>),
        shape: &[Extent],
    ) -> Val<'c> {
        let element = self.type_of(x).0;
        let operands = [x, starts, limits, strides];
        self.op("real_dynamic_slice", &operands, &element, shape, &[])
    }

    /// The first elements along each dimension, as many as `shape` says.
    pub(crate) fn beginning(&self, x: Val<'c>, shape: &[Extent]) -> Val<'c> {
        let all = |n: i64| vec![Extent::from(n); shape.len()];
        self.sliced(x, (&all(0), shape, &all(1)), shape)
    }

    /// Row `i` along the first dimension, without it.
    pub(crate) fn row(&self, x: Val<'c>, i: Val<'c>) -> Val<'c> {
        let (element, own) = self.type_of(x);
        let zero = self.int(0);
        // A loop over what turns out to be empty has a slice of it that is never taken.
        let Some(mut numbers) = constants(&own) else {
            let last = self.sub(self.scalar(own[0]), self.int(1));
            let cut = self.size_rows_from(x, self.clamp(zero, i, last), Extent::ONE);
            return self.reshape(cut, &own[1..]);
        };
        numbers[0] = 1;
        let sizes = [&[Extent::ONE], &own[1..]].concat();
        let mut operands = vec![x, i];
        operands.resize(own.len() + 1, zero);
        let attributes = [("slice_sizes", self.b.i64_array(&numbers))];
        let cut = self.op("dynamic_slice", &operands, &element, &sizes, &attributes);
        self.reshape(cut, &own[1..])
    }

    /// `x` with row `i` along the first dimension replaced.
    pub(crate) fn with_row(&self, x: Val<'c>, i: Val<'c>, row: Val<'c>) -> Val<'c> {
        let (element, own) = self.type_of(x);
        let sizes = [&[Extent::ONE], &own[1..]].concat();
        let (_, inner) = self.type_of(row);
        let others: Vec<(Extent, Extent)> = (inner.iter().copied())
            .zip(own[1..].iter().copied())
            .filter(|(size, own)| size != own)
            .collect();
        // A reshape counts elements, which says everything of one size.
        if others.len() > 1 {
            for (size, own) in others {
                self.require("EQ", size, own, "an element has the size {0}, others {1}");
            }
        }
        let row = self.reshape(row, &sizes);
        let zero = self.int(0);
        let mut operands = vec![x, row, i];
        operands.resize(own.len() + 2, zero);
        self.op("dynamic_update_slice", &operands, &element, &own, &[])
    }

    pub(crate) fn concatenate(&self, xs: &[Val<'c>], d: usize) -> Val<'c> {
        let (_, mut shape) = self.type_of(xs[0]);
        if let [one] = xs {
            return *one;
        }
        let along = xs.iter().map(|x| self.type_of(*x).1[d]);
        shape[d] = along.sum();
        self.sized(self.b.concatenate(xs, d), &shape)
    }

    /// Numbers that count up along dimension `d`.
    pub(crate) fn iota(&self, shape: &[Extent], d: usize) -> Val<'c> {
        if vary(shape) {
            let attributes = [("iota_dimension", self.b.i64_attr(d as i64))];
            return self.dynamic("dynamic_iota", &[], &number(), shape, &attributes);
        }
        self.b.iota(&tensor_of(&number(), shape), d)
    }

    /// The rows of `x` at the indices of a vector, the nearest where there is none; zeros of a
    /// tensor without rows.
    pub(crate) fn rows(&self, x: Val<'c>, at: Val<'c>) -> Val<'c> {
        let (element, own) = self.type_of(x);
        let n = self.type_of(at).1[0];
        let mut shape = own.clone();
        shape[0] = n;
        if own[0] == 0 || n == 0 {
            return self.zeros(&element, &shape);
        }
        let sizes = [&[Extent::ONE], &own[1..]].concat();
        let offsets: Vec<i64> = (1..own.len() as i64).collect();
        let numbers = format!(
            "#stablehlo.gather<offset_dims = {offsets:?}, collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>"
        );
        let numbers = ("dimension_numbers", self.b.parse_attr(&numbers));
        let Some(known) = constants(&sizes) else {
            let operands = [x, at, self.vector(&sizes)];
            return self.op("dynamic_gather", &operands, &element, &shape, &[numbers]);
        };
        let attributes = [numbers, ("slice_sizes", self.b.i64_array(&known))];
        self.op("gather", &[x, at], &element, &shape, &attributes)
    }

    /// [`Make::rows`], zeros also where it turns out at run time that there are none.
    pub(super) fn rows_or_zeros(&self, x: Val<'c>, at: Val<'c>) -> Val<'c> {
        let (element, mut shape) = self.type_of(x);
        if !shape[0].is_run_time() {
            return self.rows(x, at);
        }
        // Behind the last row there is one of zeros, which is the nearest where there is no other.
        let last = self.sub(self.scalar(shape[0]), self.int(1));
        let (_, n) = self.type_of(at);
        let at = self.min(
            self.max(at, self.zeros(&number(), &n)),
            self.spread(last, &n),
        );
        shape[0] = Extent::ONE;
        self.rows(self.concatenate(&[x, self.zeros(&element, &shape)], 0), at)
    }

    /// `x` with the rows at the indices of a vector put together with those of `updates` by `name`
    /// (`None`: replaced). Indices outside of it change nothing.
    pub(crate) fn scatter(
        &self,
        name: Option<&str>,
        x: Val<'c>,
        at: Val<'c>,
        updates: Val<'c>,
    ) -> Val<'c> {
        let (_, own) = self.type_of(x);
        if own[0] == 0 || self.type_of(at).1[0] == 0 {
            return x;
        }
        let windows: Vec<i64> = (1..own.len() as i64).collect();
        let numbers = format!(
            "#stablehlo.scatter<update_window_dims = {windows:?}, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"
        );
        let attributes = [("scatter_dimension_numbers", self.b.parse_attr(&numbers))];
        let made = self.b.scatter(name, [x, at, updates], &attributes);
        self.sized(made, &own)
    }

    /// A reduction of dimensions by an operation of two scalars.
    pub(crate) fn reduce(&self, name: &str, x: Val<'c>, init: Val<'c>, dims: &[i64]) -> Val<'c> {
        let (_, own) = self.type_of(x);
        let shape: Vec<Extent> = (0..own.len())
            .filter(|d| !dims.contains(&(*d as i64)))
            .map(|d| own[d])
            .collect();
        self.sized(self.b.reduce(name, x, init, dims), &shape)
    }

    /// Of a vector of numbers the sums of all up to each.
    pub(crate) fn running_sum(&self, x: Val<'c>) -> Val<'c> {
        let n = self.type_of(x).1[0];
        if n == 0 || n == 1 {
            return x;
        }
        let Some(numbers) = n.as_constant() else {
            let state = [self.zeros(&number(), &[n]), self.int(0)];
            let all = self.counted(self.scalar(n), &state, &mut [false; 2], |i, state| {
                let sum = self.add(state[1], self.row(x, i));
                Ok(vec![self.with_row(state[0], i, sum), sum])
            });
            return all.ok().flatten().map_or(x, |all| all[0]);
        };
        let attributes = [
            ("window_dimensions", self.b.i64_array(&[numbers])),
            ("padding", self.b.pairs([(numbers - 1, 0)])),
        ];
        (self.b).windows("add", x, self.int(0), &attributes)
    }

    /// Number `i`, a size, of a vector.
    pub(crate) fn first(&self, vector: Val<'c>, i: impl Into<Extent>) -> Val<'c> {
        let i = i.into();
        let Some(i) = i.as_constant() else {
            return self.row(vector, self.scalar(i));
        };
        let cut = self.slice(vector, 0, (i, 1, i + 1));
        self.reshape(cut, &[])
    }

    /// A loop of `count` rounds, which `round` gets the number and the state of. All values of the
    /// state keep their sizes.
    pub(crate) fn repeat(
        &self,
        op: Op<'c>,
        count: Val<'c>,
        state: &[Val<'c>],
        round: impl FnOnce(Val<'c>, &[Val<'c>]) -> Result<'c, Vec<Val<'c>>>,
    ) -> Result<'c, Vec<Val<'c>>> {
        self.b.set_location(op.location());
        let changed = self.counted(count, state, &mut vec![false; state.len()], round)?;
        changed.map_or_else(|| fail(op, "changes sizes in each round"), Ok)
    }

    /// [`Make::repeat`] for values whose sizes may be others in each round: those of which nothing
    /// else is known are asked for.
    pub(super) fn repeat_changing(
        &self,
        op: Op<'c>,
        count: Val<'c>,
        state: &[Val<'c>],
        round: impl Fn(Val<'c>, &[Val<'c>]) -> Result<'c, Vec<Val<'c>>>,
    ) -> Result<'c, Vec<Val<'c>>> {
        let mut changes = vec![false; state.len()];
        loop {
            self.b.set_location(op.location());
            if let Some(results) = self.counted(count, state, &mut changes, &round)? {
                return Ok(results);
            }
        }
    }

    /// A loop; `None`, and no operation, if sizes change in its body that are not among those of
    /// which that is said. They are said then.
    fn counted(
        &self,
        count: Val<'c>,
        state: &[Val<'c>],
        changes: &mut [bool],
        round: impl FnOnce(Val<'c>, &[Val<'c>]) -> Result<'c, Vec<Val<'c>>>,
    ) -> Result<'c, Option<Vec<Val<'c>>>> {
        let at = self.b.location();
        let mut all = vec![self.int(0)];
        all.extend(state);
        let (types, sizes) = self.types_of(&all);
        let sized = |state: &[Val<'c>], changes: &[bool]| {
            for (i, (value, sizes)) in state.iter().zip(&sizes).enumerate() {
                if i > 0 && changes[i - 1] {
                    self.ask(*value)
                } else {
                    _ = self.sized(*value, sizes)
                }
            }
        };
        let condition = self.b.region(&types, |b, state| {
            let goes_on = self.compare("LT", state[0], count);
            b.op("stablehlo.return", &[goes_on], &[], &[]);
        });
        let (known, refused) = (self.known_sizes(), self.refusal());
        let mut failed: Option<Error<'c>> = None;
        let mut again = false;
        let body = self.b.region(&types, |b, state| {
            sized(state, changes);
            let mut next = vec![self.add(state[0], self.int(1))];
            match self.within(|| {
                let next = round(state[0], &state[1..])?;
                for (i, changes) in changes.iter_mut().enumerate() {
                    let (_, own) = self.type_of(next[i]);
                    if !*changes && !self.agree(&own, &sizes[i + 1]) {
                        (*changes, again) = (true, true);
                    }
                }
                Ok(next)
            }) {
                Ok(values) => next.extend(values),
                Err(error) => {
                    failed = Some(error);
                    next.extend(&state[1..]);
                }
            }
            let cast = next
                .iter()
                .zip(&types)
                .map(|(value, ty)| self.cast(*value, *ty));
            b.op("stablehlo.return", &cast.collect::<Vec<_>>(), &[], &[]);
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if again {
            drop((condition, body));
            self.forget_sizes(known);
            self.refusal();
            refused.into_iter().for_each(|why| self.refuse(why));
            return Ok(None);
        }
        refused.into_iter().for_each(|why| self.refuse(why));
        self.b.set_location(at);
        let regions = vec![condition, body];
        let made = (self.b).op_with_regions("stablehlo.while", &all, &types, &[], regions);
        let results = made.results();
        sized(&results, changes);
        Ok(Some(results[1..].to_vec()))
    }
}
