//! Tensors of sizes that are known at run time only.
//!
//! Among the sizes of a shape, `-1 - k` is the size that scalar `k` of a table holds at run time; other numbers are themselves. Operations with
//! such sizes become StableHLO's dynamic forms. What has no dynamic form is *refused*: a value of the right type stands for it, and whoever asked
//! for the operations throws them away and makes others ([`Make::refusal`]).

use super::{
    form::number,
    make::{Make, type_of},
};
use mapwright_mlir::{Attr, Dim, ElementType, Op, TensorType, Ty, Val, melior::ir::ValueLike, op};
use mapwright_ops::attrs::UNREAD;
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

/// What is known of run-time sizes.
#[derive(Default)]
pub(crate) struct RunTimeSizes<'c> {
    /// The scalars, `tensor<i64>`, that sizes are.
    scalars: RefCell<Vec<Val<'c>>>,
    /// The sizes of values that have such ones.
    of: RefCell<HashMap<usize, Vec<i64>>>,
    /// Why something was refused since this was asked for last.
    refused: Cell<Option<&'static str>>,
    /// The most that some sizes are.
    most: RefCell<HashMap<i64, i64>>,
    /// How many bodies for one element, which are thrown away, are around what is made.
    pub(super) inside: Cell<usize>,
}

/// Is it known at run time only?
pub(crate) fn at_run_time(size: i64) -> bool {
    size < 0
}

/// A type with such sizes in front of its own.
pub(crate) fn tensor_of(element: &ElementType, shape: &[i64]) -> TensorType {
    let dims = shape.iter().map(|size| match at_run_time(*size) {
        true => Dim::Dynamic,
        false => Dim::Static(*size),
    });
    TensorType {
        element: element.clone(),
        dims: dims.collect(),
    }
}

impl<'c> Make<'c> {
    /// The size that is this scalar: equal scalars are one size.
    pub(crate) fn size_of(&self, scalar: Val<'c>) -> i64 {
        let mut scalars = self.sizes.scalars.borrow_mut();
        let known = scalars.iter().position(|other| *other == scalar);
        let k = known.unwrap_or_else(|| {
            if self.sizes.inside.get() > 0 {
                self.refuse("sizes that each element has of its own");
            }
            scalars.push(scalar);
            scalars.len() - 1
        });
        -1 - k as i64
    }

    /// Notes that a size is at most so much.
    pub(super) fn at_most(&self, size: i64, most: i64) {
        self.sizes.most.borrow_mut().insert(size, most);
    }

    /// Is a size known to be at most so much?
    pub(super) fn is_at_most(&self, size: i64, most: i64) -> bool {
        match at_run_time(size) {
            true => (self.sizes.most.borrow().get(&size)).is_some_and(|known| *known <= most),
            false => size <= most,
        }
    }

    /// How many sizes there are, for [`Make::forget_sizes`].
    pub(super) fn known_sizes(&self) -> usize {
        self.sizes.scalars.borrow().len()
    }

    /// Forgets the sizes behind the first `n`: the operations that made them are thrown away.
    pub(super) fn forget_sizes(&self, n: usize) {
        self.sizes.scalars.borrow_mut().truncate(n);
        let is_known = |size: &i64| ((-1 - *size) as usize) < n;
        let mut most = self.sizes.most.borrow_mut();
        most.retain(|size, _| is_known(size));
        let mut of = self.sizes.of.borrow_mut();
        of.retain(|_, sizes| {
            let mut sizes = sizes.iter().filter(|size| at_run_time(**size));
            sizes.all(is_known)
        });
    }

    /// The scalar that a size is.
    pub(crate) fn scalar(&self, size: i64) -> Val<'c> {
        match at_run_time(size) {
            true => self.sizes.scalars.borrow()[(-1 - size) as usize],
            false => self.int(size),
        }
    }

    /// Sizes as a vector.
    pub(crate) fn vector(&self, sizes: &[i64]) -> Val<'c> {
        if !sizes.iter().any(|size| at_run_time(*size)) {
            return match sizes {
                [] => self.zeros(&number(), &[0]),
                _ => self.ints(sizes),
            };
        }
        let each: Vec<Val<'c>> = sizes
            .iter()
            .map(|size| match at_run_time(*size) {
                true => self.reshape(self.scalar(*size), &[1]),
                false => self.ints(&[*size]),
            })
            .collect();
        self.concatenate(&each, 0)
    }

    /// Element type and sizes of a tensor.
    pub(crate) fn type_of(&self, value: Val<'c>) -> (ElementType, Vec<i64>) {
        let Some(ty) = TensorType::from_mlir(value.r#type()) else {
            return type_of(value);
        };
        if let Some(shape) = ty.static_shape() {
            return (ty.element, shape);
        }
        if let Some(known) = self.sizes.of.borrow().get(&op::key(value)) {
            return (ty.element, known.clone());
        }
        let sizes: Vec<i64> = (ty.dims.iter().enumerate())
            .map(|(d, dim)| match dim.fixed() {
                Some(size) => size,
                None => self.size_of(self.asked(value, d)),
            })
            .collect();
        self.sized(value, &sizes);
        (ty.element, sizes)
    }

    /// The sizes of a value, if some of them are known at run time only and were noted.
    pub(crate) fn known(&self, value: Val<'c>) -> Option<Vec<i64>> {
        self.sizes.of.borrow().get(&op::key(value)).cloned()
    }

    /// The size of a dimension, asked for.
    fn asked(&self, value: Val<'c>, d: usize) -> Val<'c> {
        let narrow = ElementType::int(32);
        let attributes = [("dimension", self.b.i64_attr(d as i64))];
        let size = self.op("get_dimension_size", &[value], &narrow, &[], &attributes);
        self.convert(size, &number())
    }

    /// Notes the sizes of a value, where some of them are known at run time only.
    pub(crate) fn sized(&self, value: Val<'c>, sizes: &[i64]) -> Val<'c> {
        if sizes.iter().any(|size| at_run_time(*size)) {
            let mut of = self.sizes.of.borrow_mut();
            of.insert(op::key(value), sizes.to_vec());
        }
        value
    }

    /// A value of this type in the place of what has no dynamic form.
    pub(crate) fn refused(
        &self,
        why: &'static str,
        element: &ElementType,
        shape: &[i64],
    ) -> Val<'c> {
        self.sizes.refused.set(Some(why));
        self.zeros(element, shape)
    }

    /// Notes that something has no form with sizes that are known at run time only.
    pub(crate) fn refuse(&self, why: &'static str) {
        self.sizes.refused.set(Some(why));
    }

    /// Why something was refused since this was asked for last.
    pub(crate) fn refusal(&self) -> Option<&'static str> {
        self.sizes.refused.take()
    }

    /// The dynamic form of an operation that gets the sizes of its result as its last operand.
    pub(crate) fn dynamic(
        &self,
        name: &str,
        operands: &[Val<'c>],
        element: &ElementType,
        shape: &[i64],
        attributes: &[(&str, Attr<'c>)],
    ) -> Val<'c> {
        let mut operands = operands.to_vec();
        operands.push(self.vector(shape));
        self.op(name, &operands, element, shape, attributes)
    }

    /// `count` rows of `x` from row `begin` on, all of which are there. Both are scalars.
    pub(super) fn rows_from(&self, x: Val<'c>, begin: Val<'c>, count: Val<'c>) -> Val<'c> {
        let (element, own) = self.type_of(x);
        let mut shape = own.clone();
        shape[0] = self.size_of(count);
        let end = self.add(begin, count);
        let with = |first: Val<'c>, rest: Vec<i64>| {
            let first = self.reshape(first, &[1]);
            match rest.is_empty() {
                true => first,
                false => self.concatenate(&[first, self.vector(&rest)], 0),
            }
        };
        let starts = with(begin, vec![0; own.len() - 1]);
        let limits = with(end, own[1..].to_vec());
        let strides = self.ints(&vec![1; own.len()]);
        self.op(
            "real_dynamic_slice",
            &[x, starts, limits, strides],
            &element,
            &shape,
            &[],
        )
    }

    /// `x` with `rows` from row `begin` on.
    pub(super) fn with_rows(&self, x: Val<'c>, begin: Val<'c>, rows: Val<'c>) -> Val<'c> {
        let (element, own) = self.type_of(x);
        let zero = self.int(0);
        let mut operands = vec![x, rows, begin];
        operands.resize(own.len() + 2, zero);
        self.op("dynamic_update_slice", &operands, &element, &own, &[])
    }

    /// A tensor of which every element is written before it is read.
    pub(super) fn unread(&self, element: &ElementType, shape: &[i64]) -> Val<'c> {
        let value = self.zeros(element, shape);
        if let Some((made, _)) = op::defining_op(value) {
            made.set_attribute(UNREAD, self.b.unit_attr());
        }
        value
    }

    /// The types of values, and a way to give block arguments of these types the same sizes.
    pub(crate) fn types_of(&self, values: &[Val<'c>]) -> (Vec<Ty<'c>>, Vec<Vec<i64>>) {
        values
            .iter()
            .map(|value| (value.r#type(), self.type_of(*value).1))
            .unzip()
    }

    /// Notes the sizes of results of an operation that is copied as it is, as far as they follow from its operands; others are asked for.
    pub(super) fn follow(&self, copy: Op<'c>) {
        for result in copy.results() {
            let Some(ty) = TensorType::from_mlir(result.r#type()) else {
                continue;
            };
            self.sizes.of.borrow_mut().remove(&op::key(result));
            if ty.static_shape().is_some() {
                continue;
            }
            if let Some(sizes) = self.followed(copy, ty.rank())
                && sizes.len() == ty.rank()
            {
                let agree = ty.dims.iter().zip(&sizes).all(|(dim, size)| {
                    dim.fixed()
                        .is_none_or(|fixed| fixed == *size || at_run_time(*size))
                });
                if agree {
                    let sizes: Vec<i64> = (ty.dims.iter().zip(&sizes))
                        .map(|(dim, size)| dim.fixed().unwrap_or(*size))
                        .collect();
                    self.sized(result, &sizes);
                }
            }
            // The others are asked for here, before a region that the value is used in.
            self.type_of(result);
        }
    }

    fn followed(&self, copy: Op<'c>, rank: usize) -> Option<Vec<i64>> {
        use mapwright_ops::{
            attrs::{self, DotDimensions},
            registry::{self, Class},
        };
        let own = |i: usize| self.type_of(copy.operand(i)).1;
        let class = registry::lookup(copy).map(|def| def.class);
        Some(match copy.short_name() {
            "transpose" => {
                let own = own(0);
                let order = attrs::permutation(copy, own.len()).ok()?;
                order.into_iter().map(|d| own[d]).collect()
            }
            "reduce" => {
                let own = own(0);
                let reduced = attrs::dimensions(copy, own.len()).ok()?;
                let kept = own.iter().enumerate();
                kept.filter(|(d, _)| !reduced.contains(d))
                    .map(|(_, size)| *size)
                    .collect()
            }
            "broadcast_in_dim" => {
                let own = own(0);
                let dims = attrs::broadcast_dimensions(copy, own.len(), rank).ok()?;
                let ty = TensorType::from_mlir(copy.result(0).r#type())?;
                let mut sizes: Vec<i64> = (ty.dims.iter())
                    .map(|dim| dim.fixed().unwrap_or(1))
                    .collect();
                for (d, size) in dims.into_iter().zip(own) {
                    sizes[d] = size;
                }
                sizes
            }
            "dot_general" => {
                let d = DotDimensions::decode(copy).ok()?;
                let (l, r) = (own(0), own(1));
                let free = |all: &[i64], x: &[i64], y: &[i64]| -> Vec<i64> {
                    let kept = all.iter().enumerate();
                    kept.filter(|(d, _)| !x.contains(&(*d as i64)) && !y.contains(&(*d as i64)))
                        .map(|(_, size)| *size)
                        .collect()
                };
                let batch: Vec<i64> = d.lhs_batching.iter().map(|k| l[*k as usize]).collect();
                [
                    batch,
                    free(&l, &d.lhs_batching, &d.lhs_contracting),
                    free(&r, &d.rhs_batching, &d.rhs_contracting),
                ]
                .concat()
            }
            _ if class == Some(Class::Elementwise) => {
                let same = (0..copy.num_operands()).map(own);
                same.into_iter().find(|sizes| sizes.len() == rank)?
            }
            _ => return None,
        })
    }
}
