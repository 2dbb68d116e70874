//! Sizes that are known at run time only: where they are read.
//!
//! Which of them are the same, and what of others they are, is known ([`crate::sizes`]). A size is
//! read once, right behind what it is read of; others are extents of those that are read.

use crate::{
    sizes::{Sizes, has_unknown},
    tarray::make::Make,
};
use mapwright_indexing::{Extent, Factor};
use mapwright_mlir::{Blk, Builder, ElementType, TensorType, Val, melior::ir::ValueLike, op};
use std::collections::HashMap;

/// Sizes that are known in a block.
#[derive(Clone)]
struct Scope<'a, 'c> {
    m: &'a Make<'c>,
    sizes: Sizes,
    /// Sizes by their symbols, as they are read here.
    known: HashMap<Extent, Extent>,
    /// Scalars that sizes can be read of.
    scalars: HashMap<Extent, Val<'c>>,
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
            let number = self.sizes.resolve(number);
            self.scalars.entry(number).or_insert(value);
        }
        if ty.static_shape().is_some() {
            return;
        }
        let own = self.sizes.of_value(value).into_iter().enumerate();
        let found: Option<Vec<Extent>> = own
            .map(|(d, size)| {
                let size = self.sizes.resolve(size);
                let found = self.computed(size).or_else(|| self.read(value, Some(d)))?;
                self.known.insert(size, found);
                Some(found)
            })
            .collect();
        if let Some(found) = found {
            self.m.sized(value, &found);
        }
    }

    /// The size in terms of those that are read somewhere, if all of it is.
    fn computed(&mut self, size: Extent) -> Option<Extent> {
        if let Some(known) = self.known.get(&size) {
            return Some(*known);
        }
        let (parts, constant) = size.parts();
        if parts.is_empty() {
            return (constant >= 0).then_some(size);
        }
        let mut total = Extent::from(constant);
        for (factors, times) in parts {
            let product: Extent = factors.iter().map(|own| Extent::from(*own)).product();
            let read = match self.known.get(&product) {
                Some(known) => *known,
                None => {
                    let own = factors.iter().map(|factor| self.factor(*factor));
                    own.collect::<Option<Vec<_>>>()?.into_iter().product()
                }
            };
            total += read * times;
        }
        // A size of numbers below zero alone: names are never below it.
        if Extent::ZERO.is_at_least(total) {
            return None;
        }
        self.known.insert(size, total);
        Some(total)
    }

    /// A number of the program, or what is made of two others.
    fn factor(&mut self, factor: Factor) -> Option<Extent> {
        // A number of the program may be below zero: nothing is known of which one is smaller.
        Some(match factor {
            Factor::Name(_) | Factor::Integer(_) => {
                let symbol = Extent::from(factor);
                if let Some(known) = self.known.get(&symbol) {
                    return Some(*known);
                }
                let read = self.read(*self.scalars.get(&symbol)?, None)?;
                self.known.insert(symbol, read);
                read
            }
            Factor::Quotient(..) => return None,
            Factor::Least(a, b) => Factor::Least(self.computed(a)?, self.computed(b)?).into(),
            Factor::Greatest(a, b) => Factor::Greatest(self.computed(a)?, self.computed(b)?).into(),
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
