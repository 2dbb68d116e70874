//! Tensors of sizes that are known at run time only.
//!
//! The sizes of shapes are extents, whose names are entries of a table: each is a scalar of the
//! program. Operations with such sizes become StableHLO's dynamic forms. What has no dynamic form
//! is *refused*: a value of the right type stands for it, and whoever asked for the operations
//! throws them away and makes others ([`Make::refusal`]).

use super::{form::number, make::Make};
use mapwright_indexing::{Extent, Factor};
use mapwright_mlir::{
    Attr, Dim, ElementType, TensorType, Ty, UNBOUNDED, Val, melior::ir::ValueLike, op,
};
use mapwright_ops::attrs::UNREAD;
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

/// A size that has a name.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Named<'c> {
    /// A scalar, `tensor<i64>`.
    Scalar(Val<'c>),
    /// As much as another size, of which not all need be there.
    Room(Extent),
    /// Size whose operations were thrown away.
    Gone,
}

/// The entries of the table that a size is made of.
fn names(size: Extent) -> Vec<usize> {
    let mut all = Vec::new();
    size.for_each_name(&mut |name| all.push(name));
    all
}

/// Tells whether all that a size is made of is still there.
fn is_known(table: &[Named<'_>], size: Extent) -> bool {
    names(size).into_iter().all(|k| table[k] != Named::Gone)
}

/// Table of run-time sizes and of facts about them.
#[derive(Default)]
pub(crate) struct RunTimeSizes<'c> {
    table: RefCell<Vec<Named<'c>>>,
    /// The sizes of values that have such ones.
    pub(super) of: RefCell<HashMap<usize, Vec<Extent>>>,
    /// Why something was refused since this was asked for last.
    refused: Cell<Option<&'static str>>,
    /// Sizes that are equal where the program goes on: operations that have been done say so.
    pub(super) equal: RefCell<Vec<(Extent, Extent)>>,
    /// The most that some sizes are.
    most: RefCell<HashMap<Extent, i64>>,
    /// Number of bodies for one element, which are thrown away, around the operations that are
    /// made.
    pub(super) inside: Cell<usize>,
    /// Set while the operations that are made belong to a round over an array that is packed.
    pub(super) in_round: Cell<bool>,
}

/// The function that ends a program whose sizes do not fit.
pub(super) const ASSERTION: &str = "shape_assertion";

/// Tells whether some of the sizes are known at run time only.
pub(crate) fn vary(shape: &[Extent]) -> bool {
    shape.iter().any(|size| size.is_run_time())
}

/// The sizes as numbers, if all are.
pub(crate) fn constants(shape: &[Extent]) -> Option<Vec<i64>> {
    shape.iter().map(|size| size.as_constant()).collect()
}

/// Numbers as sizes.
pub(crate) fn extents(numbers: &[i64]) -> Vec<Extent> {
    numbers.iter().copied().map(Extent::from).collect()
}

/// A type of these sizes.
pub(crate) fn tensor_of(element: &ElementType, shape: &[Extent]) -> TensorType {
    let dim = |size: &Extent| size.as_constant().map_or(Dim::Dynamic, Dim::Static);
    TensorType {
        element: element.clone(),
        dims: shape.iter().map(dim).collect(),
    }
}

impl<'c> Make<'c> {
    /// The size that is this scalar: equal scalars are one size.
    pub(crate) fn size_of(&self, scalar: Val<'c>) -> Extent {
        let known = self.known_sizes();
        let size = self.noted(Named::Scalar(scalar));
        if size == Extent::name(known) && self.sizes.inside.get() > 0 {
            self.refuse("sizes that each element has of its own");
        }
        size
    }

    /// The size that is noted as this scalar.
    pub(super) fn size_that_is(&self, scalar: Val<'c>) -> Option<Extent> {
        let table = self.sizes.table.borrow();
        let known = (table.iter()).position(|size| *size == Named::Scalar(scalar));
        known.map(Extent::name)
    }

    fn noted(&self, size: Named<'c>) -> Extent {
        let mut table = self.sizes.table.borrow_mut();
        let known = table.iter().position(|other| *other == size);
        Extent::name(known.unwrap_or_else(|| {
            table.push(size);
            table.len() - 1
        }))
    }

    /// A size as that of a buffer which may have fewer elements.
    pub(super) fn as_room(&self, size: Extent) -> Extent {
        if self.is_room(size) {
            size
        } else {
            self.noted(Named::Room(size))
        }
    }

    /// Tells whether there may be fewer elements in a buffer of this size. It is known where the
    /// size is one of the program.
    pub(super) fn is_room(&self, size: Extent) -> bool {
        let table = self.sizes.table.borrow();
        let mut names = names(size).into_iter();
        !size.is_run_time() || names.any(|k| matches!(table[k], Named::Room(_)))
    }

    /// Notes that a size is at most so much.
    pub(super) fn at_most(&self, size: Extent, most: i64) {
        self.sizes.most.borrow_mut().insert(size, most);
    }

    /// Tells whether a size is known to be at most `most`.
    pub(super) fn is_at_most(&self, size: Extent, most: i64) -> bool {
        let noted = || self.sizes.most.borrow().get(&size).copied();
        let known = size.as_constant().or_else(noted);
        known.is_some_and(|known| known <= most) || size.is_run_time() && most == UNBOUNDED
    }

    /// Returns the number of names in the table, for [`Make::forget_sizes`].
    pub(super) fn known_sizes(&self) -> usize {
        self.sizes.table.borrow().len()
    }

    /// Forgets the scalars behind the first `n` names, which the operations that made them are
    /// thrown away with, and what is computed of them.
    pub(super) fn forget_sizes(&self, n: usize) {
        let mut table = self.sizes.table.borrow_mut();
        for k in n..table.len() {
            if !matches!(table[k], Named::Room(size) if is_known(&table, size)) {
                table[k] = Named::Gone;
            }
        }
        let mut most = self.sizes.most.borrow_mut();
        most.retain(|size, _| is_known(&table, *size));
        let mut of = self.sizes.of.borrow_mut();
        of.retain(|_, sizes| sizes.iter().all(|size| is_known(&table, *size)));
    }

    /// Tells whether all of these sizes are still known: none belongs to operations that were
    /// thrown away.
    pub(super) fn are_known(&self, sizes: &[Extent]) -> bool {
        let table = self.sizes.table.borrow();
        sizes.iter().all(|size| is_known(&table, *size))
    }

    /// The scalar that a size is. It is computed where it is asked for, so that it is known
    /// wherever the sizes are that it is made of.
    pub(crate) fn scalar(&self, size: Extent) -> Val<'c> {
        let (parts, constant) = size.parts();
        let other = |n: i64, than: i64| (n != than).then(|| self.int(n));
        let products = parts.into_iter().filter_map(|(factors, times)| {
            let all = factors.iter().map(|factor| self.factor(*factor));
            let all = all.chain(other(times, 1));
            all.reduce(|a, b| self.same("multiply", &[a, b]))
        });
        let all = products.chain(other(constant, 0));
        let sum = all.reduce(|a, b| self.add(a, b));
        sum.unwrap_or_else(|| self.int(0))
    }

    /// The scalars that a size is made of.
    pub(crate) fn scalars(&self, size: Extent) -> Vec<Val<'c>> {
        let names = names(size).into_iter().map(Extent::name);
        names.map(|name| self.scalar(name)).collect()
    }

    fn factor(&self, factor: Factor) -> Val<'c> {
        let of = |name, a, b| self.same(name, &[self.scalar(a), self.scalar(b)]);
        let named = |k: usize| self.sizes.table.borrow().get(k).copied();
        match factor {
            Factor::Name(name) | Factor::Integer(name) => match named(name) {
                Some(Named::Scalar(scalar)) => scalar,
                Some(Named::Room(size)) => self.scalar(size),
                Some(Named::Gone) | None => {
                    self.refuse("a size of what was thrown away");
                    self.int(0)
                }
            },
            // Sizes are not negative: rounded down is what a division does.
            Factor::Quotient(a, b) => of("divide", a, b),
            Factor::Least(a, b) => of("minimum", a, b),
            Factor::Greatest(a, b) => of("maximum", a, b),
        }
    }

    /// Sizes as a vector.
    pub(crate) fn vector(&self, sizes: &[Extent]) -> Val<'c> {
        match constants(sizes) {
            Some(numbers) if numbers.is_empty() => self.zeros(&number(), &[Extent::ZERO]),
            Some(numbers) => self.ints(&numbers),
            None => {
                let one = |size: &Extent| match size.as_constant() {
                    Some(size) => self.ints(&[size]),
                    None => self.reshape(self.scalar(*size), &[Extent::ONE]),
                };
                self.concatenate(&sizes.iter().map(one).collect::<Vec<_>>(), 0)
            }
        }
    }

    /// Element type and sizes of a tensor.
    pub(crate) fn type_of(&self, value: Val<'c>) -> (ElementType, Vec<Extent>) {
        let Some(ty) = TensorType::from_mlir(value.r#type()) else {
            return (ElementType::Index, Vec::new());
        };
        if let Some(known) = self.noted_sizes(value) {
            return (ty.element, known);
        }
        let sizes: Vec<Extent> = (ty.dims.iter().enumerate())
            .map(|(d, dim)| match dim.fixed() {
                Some(size) => size.into(),
                None => self.size_of(self.asked(value, d)),
            })
            .collect();
        self.sized(value, &sizes);
        (ty.element, sizes)
    }

    /// The number of elements of a vector of known size.
    pub(crate) fn len(&self, vector: Val<'c>) -> i64 {
        let (_, shape) = self.type_of(vector);
        shape[0].as_constant().unwrap_or_default()
    }

    /// The sizes of a value, if some of them are known at run time only and were noted.
    pub(crate) fn known(&self, value: Val<'c>) -> Option<Vec<Extent>> {
        self.sizes.of.borrow().get(&op::key(value)).cloned()
    }

    /// The sizes of a tensor, if they are numbers or were noted.
    pub(crate) fn noted_sizes(&self, value: Val<'c>) -> Option<Vec<Extent>> {
        let ty = TensorType::from_mlir(value.r#type())?;
        let numbers = ty.static_shape().map(|shape| extents(&shape));
        numbers.or_else(|| self.known(value))
    }

    /// Asks for the sizes of a value that nothing is known of, like an argument of a block, here
    /// and now: where it is used first may be a region that others are not in.
    pub(super) fn ask(&self, value: Val<'c>) {
        self.sizes.of.borrow_mut().remove(&op::key(value));
        if TensorType::from_mlir(value.r#type()).is_some() {
            self.type_of(value);
        }
    }

    /// Runs `inner` in a region that may not be executed: sizes that are found equal there are not
    /// equal behind it.
    pub(super) fn within<T>(&self, inner: impl FnOnce() -> T) -> T {
        let known = self.sizes.equal.borrow().len();
        let outcome = inner();
        self.sizes.equal.borrow_mut().truncate(known);
        outcome
    }

    /// Tells whether two shapes are known to be the same.
    pub(super) fn agree(&self, a: &[Extent], b: &[Extent]) -> bool {
        let equal = self.sizes.equal.borrow();
        let one = |a: Extent, b: Extent| {
            let mut class = vec![a];
            let mut i = 0;
            while i < class.len() && class[i] != b {
                for (x, y) in equal.iter() {
                    for (x, y) in [(x, y), (y, x)] {
                        if *x == class[i] && !class.contains(y) {
                            class.push(*y);
                        }
                    }
                }
                i += 1;
            }
            i < class.len()
        };
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| one(*a, *b))
    }

    /// A value as one of this type, which says more or less of its sizes than its own.
    pub(super) fn cast(&self, value: Val<'c>, ty: Ty<'c>) -> Val<'c> {
        if value.r#type() == ty {
            return value;
        }
        let (_, sizes) = self.type_of(value);
        self.sized(self.b.op1("tensor.cast", &[value], ty, &[]), &sizes)
    }

    /// The program ends with this error where two sizes are not in this relation. In the body for
    /// one element they are the same for all.
    pub(super) fn require(&self, relation: &str, a: Extent, b: Extent, message: &str) {
        self.require_of(relation, [self.scalar(a), self.scalar(b)], message);
    }

    /// [`Make::require`] of numbers.
    pub(super) fn require_of(&self, relation: &str, numbers: [Val<'c>; 2], message: &str) {
        let holds = self.b.compare(relation, numbers[0], numbers[1]);
        // A message has numbers where it has braces.
        let place = self.b.location().to_string().replace(['{', '}'], "_");
        let message = format!("{message}, at {place}");
        let attributes = [
            ("call_target_name", self.b.str_attr(ASSERTION)),
            ("has_side_effect", self.b.bool_attr(true)),
            ("error_message", self.b.str_attr(&message)),
        ];
        let operands = [holds, numbers[0], numbers[1]];
        (self.b).op("stablehlo.custom_call", &operands, &[], &attributes);
    }

    /// The size of a dimension, asked for.
    fn asked(&self, value: Val<'c>, d: usize) -> Val<'c> {
        let narrow = ElementType::int(32);
        let attributes = [("dimension", self.b.i64_attr(d as i64))];
        let size = self.op("get_dimension_size", &[value], &narrow, &[], &attributes);
        self.convert(size, &number())
    }

    /// Notes the sizes of a value, where some of them are known at run time only.
    pub(crate) fn sized(&self, value: Val<'c>, sizes: &[Extent]) -> Val<'c> {
        let mut of = self.sizes.of.borrow_mut();
        // A key may be that of a value that was thrown away.
        if vary(sizes) {
            of.insert(op::key(value), sizes.to_vec())
        } else {
            of.remove(&op::key(value))
        };
        value
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
        shape: &[Extent],
        attributes: &[(&str, Attr<'c>)],
    ) -> Val<'c> {
        let mut operands = operands.to_vec();
        operands.push(self.vector(shape));
        self.op(name, &operands, element, shape, attributes)
    }

    /// `count` rows of `x` from row `begin` on, all of which are there. Both are scalars.
    pub(super) fn rows_from(&self, x: Val<'c>, begin: Val<'c>, count: Val<'c>) -> Val<'c> {
        self.size_rows_from(x, begin, self.size_of(count))
    }

    /// [`Make::rows_from`] for a size.
    pub(crate) fn size_rows_from(&self, x: Val<'c>, begin: Val<'c>, count: Extent) -> Val<'c> {
        let (_, own) = self.type_of(x);
        let mut shape = own.clone();
        shape[0] = count;
        let end = self.add(begin, self.scalar(count));
        let with = |first: Val<'c>, rest: &[Extent]| {
            let first = self.reshape(first, &[Extent::ONE]);
            if rest.is_empty() {
                first
            } else {
                self.concatenate(&[first, self.vector(rest)], 0)
            }
        };
        let starts = with(begin, &vec![Extent::ZERO; own.len() - 1]);
        let limits = with(end, &own[1..]);
        let strides = self.ints(&vec![1; own.len()]);
        self.part_of(x, (starts, limits, strides), &shape)
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
    pub(super) fn unread(&self, element: &ElementType, shape: &[Extent]) -> Val<'c> {
        let value = self.zeros(element, shape);
        if let Some((made, _)) = op::defining_op(value) {
            made.set_attribute(UNREAD, self.b.unit_attr());
        }
        value
    }

    /// The types of values, and a way to give block arguments of these types the same sizes.
    pub(crate) fn types_of(&self, values: &[Val<'c>]) -> (Vec<Ty<'c>>, Vec<Vec<Extent>>) {
        values
            .iter()
            .map(|value| (value.r#type(), self.type_of(*value).1))
            .unzip()
    }
}
