//! Tensors of sizes that are known at run time only.
//!
//! Among the sizes of a shape, `-1 - k` is entry `k` of a table: a scalar of the program, or
//! computed from other sizes; other numbers are themselves. Operations with such sizes become
//! StableHLO's dynamic forms. What has no dynamic form is *refused*: a value of the right type
//! stands for it, and whoever asked for the operations throws them away and makes others
//! ([`Make::refusal`]).

use super::{
    form::number,
    make::{Make, type_of},
};
use mapwright_mlir::{
    Attr, Dim, ElementType, TensorType, Ty, UNBOUNDED, Val, melior::ir::ValueLike, op,
};
use mapwright_ops::attrs::UNREAD;
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

/// A size that is known at run time only.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Size<'c> {
    /// A scalar, `tensor<i64>`.
    Scalar(Val<'c>),
    /// Computed where it is asked for, so that it is known wherever the sizes are that it is made
    /// of.
    Sum(i64, i64),
    Product(i64, i64),
    Quotient(i64, i64),
    /// Another, less a number.
    Less(i64, i64),
    /// As much as another, of which not all need be there.
    Room(i64),
    /// Size whose operations were thrown away.
    Gone,
}

impl Size<'_> {
    /// The sizes that it is made of.
    fn parts(self) -> [i64; 2] {
        match self {
            Self::Sum(a, b) | Self::Product(a, b) | Self::Quotient(a, b) => [a, b],
            Self::Less(a, _) | Self::Room(a) => [a, 0],
            Self::Scalar(_) | Self::Gone => [0, 0],
        }
    }
}

/// The entry of the table that a size is.
fn entry(size: i64) -> usize {
    (-1 - size) as usize
}

/// Table of run-time sizes and of facts about them.
#[derive(Default)]
pub(crate) struct RunTimeSizes<'c> {
    table: RefCell<Vec<Size<'c>>>,
    /// The sizes of values that have such ones.
    pub(super) of: RefCell<HashMap<usize, Vec<i64>>>,
    /// Why something was refused since this was asked for last.
    refused: Cell<Option<&'static str>>,
    /// Sizes that are equal where the program goes on: operations that have been done say so.
    pub(super) equal: RefCell<Vec<(i64, i64)>>,
    /// The most that some sizes are.
    most: RefCell<HashMap<i64, i64>>,
    /// Number of bodies for one element, which are thrown away, around the operations that are
    /// made.
    pub(super) inside: Cell<usize>,
    /// Set while the operations that are made belong to a round over an array that is packed.
    pub(super) in_round: Cell<bool>,
}

/// The function that ends a program whose sizes do not fit.
pub(super) const ASSERTION: &str = "shape_assertion";

/// Tells whether a size is known at run time only.
pub(crate) fn at_run_time(size: i64) -> bool {
    size < 0
}

/// A type with such sizes in front of its own.
pub(crate) fn tensor_of(element: &ElementType, shape: &[i64]) -> TensorType {
    let dims = shape.iter().map(|size| {
        if at_run_time(*size) {
            Dim::Dynamic
        } else {
            Dim::Static(*size)
        }
    });
    TensorType {
        element: element.clone(),
        dims: dims.collect(),
    }
}

impl<'c> Make<'c> {
    /// The size that is this scalar: equal scalars are one size.
    pub(crate) fn size_of(&self, scalar: Val<'c>) -> i64 {
        let known = self.sizes.table.borrow().len();
        let size = self.noted(Size::Scalar(scalar));
        if entry(size) == known && self.sizes.inside.get() > 0 {
            self.refuse("sizes that each element has of its own");
        }
        size
    }

    /// The size that is noted as this scalar.
    pub(super) fn size_that_is(&self, scalar: Val<'c>) -> Option<i64> {
        let table = self.sizes.table.borrow();
        let known = (table.iter()).position(|size| *size == Size::Scalar(scalar))?;
        Some(-1 - known as i64)
    }

    fn noted(&self, size: Size<'c>) -> i64 {
        let mut table = self.sizes.table.borrow_mut();
        let known = table.iter().position(|other| *other == size);
        let k = known.unwrap_or_else(|| {
            table.push(size);
            table.len() - 1
        });
        -1 - k as i64
    }

    /// The sum of two sizes.
    pub(super) fn plus(&self, a: i64, b: i64) -> i64 {
        match (at_run_time(a), at_run_time(b)) {
            (false, false) => a.saturating_add(b),
            (_, false) if b == 0 => a,
            (false, _) if a == 0 => b,
            _ => self.noted(Size::Sum(a.max(b), a.min(b))),
        }
    }

    /// The product of two sizes.
    pub(crate) fn times(&self, a: i64, b: i64) -> i64 {
        match (a.max(b), a.min(b)) {
            (a, b) if !at_run_time(b) => a.saturating_mul(b),
            (0, _) => 0,
            (1, b) => b,
            (a, b) => self.noted(Size::Product(a, b)),
        }
    }

    /// The number of elements of a shape, as a size.
    pub(crate) fn count(&self, sizes: &[i64]) -> i64 {
        sizes.iter().fold(1, |all, size| self.times(all, *size))
    }

    /// Returns the quotient of a size and `n`, rounded down.
    pub(super) fn over(&self, size: i64, n: i64) -> i64 {
        if !at_run_time(size) {
            return size / n.max(1);
        }
        let known = self.sizes.table.borrow()[entry(size)];
        match known {
            _ if n == 1 => size,
            Size::Product(a, b) if !at_run_time(a) && a % n == 0 => self.times(a / n, b),
            _ => self.noted(Size::Quotient(size, n)),
        }
    }

    /// `n` less than a size that is not smaller.
    pub(crate) fn fewer(&self, size: i64, n: i64) -> i64 {
        if n == 0 {
            return size;
        }
        if !at_run_time(size) {
            return size - n;
        }
        let known = self.sizes.table.borrow()[entry(size)];
        match known {
            Size::Sum(a, b) if a >= n => self.plus(a - n, b),
            _ => self.noted(Size::Less(size, n)),
        }
    }

    /// A size as that of a buffer which may have fewer elements.
    pub(super) fn as_room(&self, size: i64) -> i64 {
        if self.is_room(size) {
            size
        } else {
            self.noted(Size::Room(size))
        }
    }

    /// Tells whether there may be fewer elements in a buffer of this size. It is known where the
    /// size is one of the program.
    pub(super) fn is_room(&self, size: i64) -> bool {
        if !at_run_time(size) {
            return true;
        }
        let known = self.sizes.table.borrow()[entry(size)];
        let of_room = |part: &i64| at_run_time(*part) && self.is_room(*part);
        matches!(known, Size::Room(_)) || known.parts().iter().any(of_room)
    }

    /// Notes that a size is at most so much.
    pub(super) fn at_most(&self, size: i64, most: i64) {
        self.sizes.most.borrow_mut().insert(size, most);
    }

    /// Tells whether a size is known to be at most `most`.
    pub(super) fn is_at_most(&self, size: i64, most: i64) -> bool {
        match at_run_time(size) {
            true if most == UNBOUNDED => true,
            true => (self.sizes.most.borrow().get(&size)).is_some_and(|known| *known <= most),
            false => size <= most,
        }
    }

    /// Returns the number of sizes in the table, for [`Make::forget_sizes`].
    pub(super) fn known_sizes(&self) -> usize {
        self.sizes.table.borrow().len()
    }

    /// Forgets the scalars behind the first `n` sizes, which the operations that made them are
    /// thrown away with, and what is computed of them.
    pub(super) fn forget_sizes(&self, n: usize) {
        let mut table = self.sizes.table.borrow_mut();
        for k in n..table.len() {
            let gone = |part: &i64| at_run_time(*part) && table[entry(*part)] == Size::Gone;
            if matches!(table[k], Size::Scalar(_)) || table[k].parts().iter().any(gone) {
                table[k] = Size::Gone;
            }
        }
        let is_known = |size: &i64| table[entry(*size)] != Size::Gone;
        let mut most = self.sizes.most.borrow_mut();
        most.retain(|size, _| is_known(size));
        let mut of = self.sizes.of.borrow_mut();
        of.retain(|_, sizes| {
            let mut sizes = sizes.iter().filter(|size| at_run_time(**size));
            sizes.all(is_known)
        });
    }

    /// Tells whether all of these sizes are still known: none belongs to operations that were
    /// thrown away.
    pub(super) fn are_known(&self, sizes: &[i64]) -> bool {
        let table = self.sizes.table.borrow();
        (sizes.iter()).all(|size| !at_run_time(*size) || table[entry(*size)] != Size::Gone)
    }

    /// The scalar that a size is.
    pub(crate) fn scalar(&self, size: i64) -> Val<'c> {
        if !at_run_time(size) {
            return self.int(size);
        }
        let known = self.sizes.table.borrow()[entry(size)];
        let of = |name: &str| {
            let parts = known.parts().map(|part| self.scalar(part));
            self.same(name, &parts)
        };
        match known {
            Size::Scalar(scalar) => scalar,
            Size::Sum(..) => of("add"),
            Size::Product(..) => of("multiply"),
            Size::Quotient(..) => of("divide"),
            Size::Less(size, n) => self.sub(self.scalar(size), self.int(n)),
            Size::Room(size) => self.scalar(size),
            Size::Gone => {
                self.refuse("a size of what was thrown away");
                self.int(0)
            }
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
            .map(|size| {
                if at_run_time(*size) {
                    self.reshape(self.scalar(*size), &[1])
                } else {
                    self.ints(&[*size])
                }
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
    pub(super) fn agree(&self, a: &[i64], b: &[i64]) -> bool {
        let equal = self.sizes.equal.borrow();
        let one = |a: i64, b: i64| {
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
    pub(super) fn require(&self, relation: &str, a: i64, b: i64, message: &str) {
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
    pub(crate) fn sized(&self, value: Val<'c>, sizes: &[i64]) -> Val<'c> {
        let mut of = self.sizes.of.borrow_mut();
        // A key may be that of a value that was thrown away.
        if sizes.iter().any(|size| at_run_time(*size)) {
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
        shape: &[i64],
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
    pub(super) fn size_rows_from(&self, x: Val<'c>, begin: Val<'c>, count: i64) -> Val<'c> {
        let (element, own) = self.type_of(x);
        let mut shape = own.clone();
        shape[0] = count;
        let end = self.add(begin, self.scalar(count));
        let with = |first: Val<'c>, rest: Vec<i64>| {
            let first = self.reshape(first, &[1]);
            if rest.is_empty() {
                first
            } else {
                self.concatenate(&[first, self.vector(&rest)], 0)
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
}
