//! Sizes that are known at run time only: where they are read.
//!
//! Which of them are the same, and what of others they are, is known ([`crate::sizes`]). A size is
//! read once, right behind what it is read of; others are extents of those that are read.

use crate::{
    sizes::{Sizes, has_unknown},
    tarray::make::Make,
};
use mapwright_indexing::{
    Extent, Factor,
    linear::{Atom, Sum},
};
use mapwright_mlir::{Blk, Builder, ElementType, TensorType, Val, melior::ir::ValueLike, op};
use mapwright_ops::shape_function::Arithmetic;
use std::collections::HashMap;

/// Sizes that are known in a block.
#[derive(Clone)]
struct Scope<'a, 'c> {
    m: &'a Make<'c>,
    sizes: Sizes,
    /// The sizes that sums are.
    known: HashMap<Sum, Extent>,
    /// Scalars that sizes can be read of.
    scalars: HashMap<Sum, Val<'c>>,
}

/// Notes the sizes of all values of `body`, in it and deeper. `body` ends in its terminator.
pub(super) fn learn<'c>(m: &Make<'c>, body: Blk<'c>) {
    if !has_unknown(body) {
        return;
    }
    let mut scope = Scope {
        m,
        sizes: Sizes::default(),
        known: HashMap::new(),
        scalars: HashMap::new(),
    };
    // What is equal to the size of an argument is read there.
    for value in op::arguments(body) {
        scope.sizes.of_value(value);
    }
    scope.block(body);
}

impl<'c> Scope<'_, 'c> {
    fn block(&mut self, block: Blk<'c>) {
        self.sizes.visit_all(block);
        let ops = op::ops(block);
        op::arguments(block).into_iter().for_each(|v| self.note(v));
        for op in ops {
            let regions = (0..op.num_regions()).flat_map(|r| op::blocks(op.region(r)));
            for inner in regions.filter(|block| has_unknown(*block)) {
                let sizes = self.sizes.inside(op, inner);
                let mut scope = Self {
                    sizes,
                    ..self.clone()
                };
                scope.block(inner);
            }
            op.results().into_iter().for_each(|v| self.note(v));
        }
    }

    /// Notes the sizes of one value, if all of them are found.
    fn note(&mut self, value: Val<'c>) {
        let Some(ty) = TensorType::from_mlir(value.r#type()) else {
            return;
        };
        if ty.rank() == 0 && ty.element.is_int() {
            let number = self.sizes.number(value, &[]);
            let number = self.sizes.resolve(&number);
            self.scalars.entry(number).or_insert(value);
        }
        if ty.static_shape().is_some() {
            return;
        }
        let own = self.sizes.of_value(value).into_iter().enumerate();
        let found: Option<Vec<Extent>> = own
            .map(|(d, size)| {
                let size = self.sizes.resolve(&size);
                let found = self.computed(&size).or_else(|| self.read(value, Some(d)))?;
                self.known.insert(size, found);
                Some(found)
            })
            .collect();
        if let Some(found) = found {
            self.m.sized(value, &found);
        }
    }

    /// The size that a sum is, if all that it is the sum of are read somewhere.
    fn computed(&mut self, sum: &Sum) -> Option<Extent> {
        if let Some(known) = self.known.get(sum) {
            return Some(*known);
        }
        let found = match (&sum.terms[..], sum.constant) {
            ([], size) => return (size >= 0).then(|| size.into()),
            ([(atom, 1)], 0) if atom.as_value().is_some() => self.symbol(sum)?,
            (terms, constant) => {
                let mut total = Extent::from(constant);
                for (atom, factor) in terms {
                    let atom = Sum::atom(Atom::value(atom.as_value()?));
                    total += self.computed(&atom)? * *factor;
                }
                // A size of numbers below zero alone: names are never below it.
                if Extent::ZERO.is_at_least(total) {
                    return None;
                }
                total
            }
        };
        self.known.insert(sum.clone(), found);
        Some(found)
    }

    /// The size that is a number of the program, or is made of two others.
    fn symbol(&mut self, symbol: &Sum) -> Option<Extent> {
        if let Some(scalar) = self.scalars.get(symbol).copied() {
            return self.read(scalar, None);
        }
        let (what, both) = self.sizes.made_of(symbol)?;
        let [a, b] = both.map(|own| self.sizes.resolve(&own));
        let (a, b) = (self.computed(&a)?, self.computed(&b)?);
        // A number of the program may be below zero: nothing is known of which one is smaller.
        Some(match what {
            Arithmetic::Mul => a * b,
            Arithmetic::Min => Factor::Least(a, b).into(),
            Arithmetic::Max => Factor::Greatest(a, b).into(),
            _ => return None,
        })
    }

    /// A size that is read: of a dimension of a value, or from a scalar, which loops and branches
    /// may have of their own.
    fn read(&self, value: Val<'c>, dim: Option<usize>) -> Option<Extent> {
        let next = match op::defining_op(value) {
            Some((made, _)) => op::next(made)?,
            None => op::first(op::block_argument(value)?.0)?,
        };
        let m = self.m.elsewhere(Builder::before(next.context(), next)?);
        let read = match dim {
            Some(d) => {
                let attributes = [("dimension", m.b.i64_attr(d as i64))];
                let element = ElementType::int(32);
                m.op("get_dimension_size", &[value], &element, &[], &attributes)
            }
            None => value,
        };
        let wide = m.convert(read, &ElementType::int(64));
        Some(self.m.size_of(wide))
    }
}
