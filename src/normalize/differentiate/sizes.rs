//! Sizes that are known at run time only: where they are read.
//!
//! Which of them are the same, and which sums of others they are, is known ([`crate::sizes`]). A
//! size is read once, right behind what it is read of, or computed as early as those are known that
//! it is the sum of: what relates sizes with each other needs no more than a comparison of numbers.

use crate::{
    sizes::{Sizes, has_unknown},
    tarray::make::Make,
};
use mapwright_indexing::linear::{Atom, Sum};
use mapwright_mlir::{Blk, Builder, ElementType, Op, TensorType, Val, melior::ir::ValueLike, op};
use mapwright_ops::shape_function::Arithmetic;
use std::collections::HashMap;

/// Sizes that are known in a block.
#[derive(Clone)]
struct Scope<'a, 'c> {
    m: &'a Make<'c>,
    /// The function's block.
    body: Blk<'c>,
    sizes: Sizes,
    /// The sizes that sums are.
    known: HashMap<Sum, i64>,
    /// Scalars that sizes can be read of.
    scalars: HashMap<Sum, Val<'c>>,
    /// The operation behind which a size is known; `None` for those of arguments.
    behind: HashMap<i64, Option<Op<'c>>>,
}

/// Notes the sizes of all values of `body`, in it and deeper. `body` ends in its terminator.
pub(super) fn learn<'c>(m: &Make<'c>, body: Blk<'c>) {
    if !has_unknown(body) {
        return;
    }
    let mut scope = Scope {
        m,
        body,
        sizes: Sizes::default(),
        known: HashMap::new(),
        scalars: HashMap::new(),
        behind: HashMap::new(),
    };
    // What is equal to the size of an argument is read there.
    for value in op::arguments(body) {
        scope.sizes.of_value(value);
    }
    scope.block(body);
}

/// The one of two operations behind which both are done: the last of a block, or the one deeper
/// inside.
fn later<'c>(a: Op<'c>, b: Op<'c>) -> Op<'c> {
    let home = |op: Op<'c>| op.block().map(|block| block.to_raw().ptr);
    if home(a) == home(b) {
        return if op::is_before(a, b) { b } else { a };
    }
    let mut at = a.parent();
    while let Some(parent) = at {
        if home(parent) == home(b) {
            return a;
        }
        at = parent.parent();
    }
    b
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
        let found: Option<Vec<i64>> = own
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
    fn computed(&mut self, sum: &Sum) -> Option<i64> {
        if let Some(known) = self.known.get(sum) {
            return Some(*known);
        }
        let found = match (&sum.terms[..], sum.constant) {
            ([], size) => return (size >= 0).then_some(size),
            ([(atom, 1)], 0) if atom.as_value().is_some() => self.symbol(sum)?,
            (terms, constant) => {
                let of: Vec<i64> = (terms.iter())
                    .map(|(atom, _)| self.computed(&Sum::atom(Atom::value(atom.as_value()?))))
                    .collect::<Option<_>>()?;
                self.made(&of, |m, values| {
                    let mut total = m.int(constant);
                    for (value, (_, factor)) in values.iter().zip(terms) {
                        let part = m.same("multiply", &[*value, m.int(*factor)]);
                        total = m.add(total, part);
                    }
                    total
                })?
            }
        };
        self.known.insert(sum.clone(), found);
        Some(found)
    }

    /// The size that is a number of the program, or is made of two others.
    fn symbol(&mut self, symbol: &Sum) -> Option<i64> {
        if let Some(scalar) = self.scalars.get(symbol).copied() {
            return self.read(scalar, None);
        }
        let (what, both) = self.sizes.made_of(symbol)?;
        let name = match what {
            Arithmetic::Mul => "multiply",
            Arithmetic::Min => "minimum",
            Arithmetic::Max => "maximum",
            _ => return None,
        };
        let [a, b] = both.map(|own| self.sizes.resolve(&own));
        let of = [self.computed(&a)?, self.computed(&b)?];
        self.made(&of, |m, values| m.same(name, values))
    }

    /// A new size, which is computed of others as early as these are known.
    fn made(
        &mut self,
        of: &[i64],
        compute: impl FnOnce(&Make<'c>, &[Val<'c>]) -> Val<'c>,
    ) -> Option<i64> {
        let mut behind: Option<Op<'c>> = None;
        for size in of {
            let known = self.behind.get(size).copied().flatten();
            behind = match (behind, known) {
                (Some(a), Some(b)) => Some(later(a, b)),
                (behind, known) => behind.or(known),
            };
        }
        let m = self.place(behind)?;
        let values: Vec<Val<'c>> = of.iter().map(|size| m.scalar(*size)).collect();
        let value = compute(&m, &values);
        let found = self.m.size_of(value);
        let (made, _) = op::defining_op(value)?;
        self.behind.insert(found, Some(made));
        Some(found)
    }

    /// Returns a builder that puts operations behind `behind`, or at the beginning of the block.
    fn place(&self, behind: Option<Op<'c>>) -> Option<Make<'c>> {
        let next = match behind {
            Some(behind) => op::next(behind)?,
            None => op::first(self.body)?,
        };
        let b = Builder::before(next.context(), next)?;
        Some(self.m.elsewhere(b))
    }

    /// A size that is read: of a dimension of a value, or from a scalar, which loops and branches
    /// may have of their own.
    fn read(&mut self, value: Val<'c>, dim: Option<usize>) -> Option<i64> {
        let m = match (op::defining_op(value), op::block_argument(value)) {
            (Some((made, _)), _) => self.place(Some(made))?,
            (_, Some((block, _))) => {
                let first = op::first(block)?;
                self.m.elsewhere(Builder::before(first.context(), first)?)
            }
            _ => return None,
        };
        let read = match dim {
            Some(d) => {
                let attributes = [("dimension", m.b.i64_attr(d as i64))];
                let element = ElementType::int(32);
                m.op("get_dimension_size", &[value], &element, &[], &attributes)
            }
            None => value,
        };
        let wide = m.convert(read, &ElementType::int(64));
        let found = self.m.size_of(wide);
        let made = op::defining_op(wide).map(|(made, _)| made);
        self.behind.insert(found, made);
        Some(found)
    }
}
