//! Which sizes of a block are equal, and how others follow from them.
//!
//! Sizes that are known at run time only are sums in the linear form
//! ([`mapwright_indexing::linear`]) of a few of them, the *symbols*: those of arguments, and those
//! that nothing else follows from. Types, `get_dimension_size`, arithmetic on shapes and assertions
//! say how. Sums that are equal get one name, which is written beside the operations
//! ([`mapwright_mlir::sizes`]): with it, regions are formed as for static sizes.
//!
//! Nothing here has to be checked again for a region to be right: whoever launches code that relies
//! on names compares the sizes that have the same one.
//!
//! Names are those of a block, since it is planned by itself: what it uses from outside has a name
//! of it meanwhile.

mod control;
mod described;
mod named;
mod padding;
mod prefix;
mod products;
mod related;
pub(crate) mod slice;
mod unread;

pub use control::has_unknown;
pub use described::{Described, SizeTexts, described, grouped, names_in, names_of_arguments};
pub use named::renumber;
pub use related::related;

use mapwright_indexing::{
    Extent,
    linear::{Base, FAR, Facts, Sum},
};
use mapwright_mlir::computation::used_from_outside;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Blk, Builder, Dim, Op, TensorType, Val, edit, op, sizes as names};
use mapwright_ops::attrs::ComparisonDirection;
use mapwright_ops::library;
use mapwright_ops::shape_function::{
    self, Arithmetic, Found, NumberDomain, SizeDomain, SizeError, elements, evaluate, tensor,
};
use std::collections::HashMap;

/// The name of sizes with names among the fast paths.
pub const NAME: &str = "named-sizes";

/// Values that the elements of a shape are looked for in, one behind the other, at most.
const DEEPEST: usize = 64;

/// Facts about the sizes of a block.
#[derive(Clone, Default)]
pub struct Sizes {
    facts: Facts,
    of: HashMap<usize, Vec<Sum>>,
    /// Elements of integer tensors, by value and index.
    elements: HashMap<(usize, Vec<i64>), Sum>,
    /// Number of values between the element that was asked for and the one that is looked for now.
    depth: usize,
    /// Sum that each symbol is equal to, by the number of the symbol.
    equal: Vec<Option<Sum>>,
    /// Symbols that are products of two sums, or the smaller or the larger one of them.
    made: Vec<(usize, Arithmetic, [Sum; 2])>,
    /// Sums that have a name.
    names: Vec<Sum>,
    /// Sizes of the results of control flow as far as they are known, by the first result: they
    /// stay when the blocks inside are changed.
    flows: HashMap<usize, control::Known>,
    /// Regions of control flow around what is looked at.
    nesting: usize,
}

/// Tells whether the value has a size that is known at run time only.
fn is_unknown(value: Val<'_>) -> bool {
    TensorType::from_mlir(value.r#type()).is_some_and(|ty| ty.static_shape().is_none())
}

/// Writes the sizes of results, of the arguments of the block, and of what it uses from outside,
/// beside the operations that these are of, where some of them are known at run time only. `sizes`:
/// what is known where the block begins. The operations of the block are others afterwards where
/// prefix reductions were turned round.
pub fn note<'c>(b: &Builder<'c>, block: Blk<'c>, ops: &[Op<'c>], mut sizes: Sizes) {
    let arguments = op::arguments(block);
    let results = |op: &Op<'c>| op.results().into_iter().any(is_unknown);
    let outside = used_from_outside(ops.iter().copied());
    let all = outside.iter().chain(&arguments);
    if !ops.iter().any(results) && !all.into_iter().any(|value| is_unknown(*value)) {
        return;
    }
    let (mut unused, mut elsewhere) = (Vec::new(), Vec::new());
    for op in ops {
        sizes.visit(*op);
        unused.extend(sizes.note_prefix(b, *op));
        sizes.note_padding(b, *op);
        if !sizes.note_slice(b, *op) {
            elsewhere.push(*op);
        }
    }
    let ops: Vec<Op<'c>> = op::ops(block)
        .into_iter()
        .filter(|op| !unused.contains(op))
        .collect();
    // Names are those of the block: what another block wrote beside what it has in common with this
    // one counts no more.
    let mut write = |op: Op<'c>, attribute: &str, values: &[Val<'c>]| {
        let all: Option<Vec<Vec<Extent>>> = values.iter().map(|v| sizes.named(*v)).collect();
        match all {
            Some(all) => {
                names::write(op, attribute, &all.concat());
            }
            None => {
                op.remove_attribute(attribute);
            }
        }
    };
    for op in ops.iter().filter(|op| results(op)) {
        write(*op, names::SIZES, &op.results());
    }
    for value in outside.into_iter().filter(|value| is_unknown(*value)) {
        match (op::defining_op(value), op::block_argument(value)) {
            (Some((op, _)), _) => write(op, names::SIZES, &op.results()),
            (None, Some((around, _))) => {
                if let Some(parent) = names::begins(around) {
                    write(parent, names::ARGUMENTS, &op::arguments(around));
                }
            }
            (None, None) => {}
        }
    }
    if let Some(parent) = names::begins(block)
        && arguments.iter().any(|value| is_unknown(*value))
    {
        write(parent, names::ARGUMENTS, &arguments);
    }
    // Once tensors have their names, which are not as many as there may be.
    for op in elsewhere {
        sizes.note_start(b, op);
    }
    unused.into_iter().for_each(edit::erase_unused);
}

/// The first `count` elements of operand `operand` of `op`, in row-major order, if they are known.
pub fn known_elements(op: Op<'_>, operand: usize, count: usize) -> Option<Vec<i64>> {
    let found = Sizes::default().list(op, operand, count);
    found.iter().map(Sum::as_constant).collect()
}

/// Numbers that the sizes of operand `operand` of `op` are not below, as far as the operations in
/// front of it in its block tell.
pub fn least_sizes(op: Op<'_>, operand: usize) -> Vec<i64> {
    let mut sizes = Sizes::default();
    let block = op.block().map(op::ops).unwrap_or_default();
    for before in block.into_iter().take_while(|other| *other != op) {
        sizes.visit(before);
    }
    let own = sizes.of_value(op.operand(operand));
    let own = own.iter().map(|size| sizes.resolve(size));
    own.map(|size| least(&size, &sizes.facts).unwrap_or(0).max(0))
        .collect()
}

fn constant(value: i64) -> Sum {
    Sum::constant(value)
}

impl Sizes {
    /// A size of which nothing is known.
    fn fresh(&mut self) -> Sum {
        self.symbol((0, FAR))
    }

    fn symbol(&mut self, range: (i64, i64)) -> Sum {
        self.facts.values.push(range);
        self.equal.push(None);
        Sum::atom(mapwright_indexing::linear::Atom::value(
            self.equal.len() - 1,
        ))
    }

    /// The sum in terms of symbols that are equal to nothing else.
    pub(crate) fn resolve(&self, sum: &Sum) -> Sum {
        let mut found = sum.clone();
        for _ in 0..DEEPEST {
            let next = found.substitute(&self.facts, &|base| match base {
                Base::Value(k) => self.equal.get(*k).cloned().flatten(),
                _ => None,
            });
            if next == found {
                break;
            }
            found = next;
        }
        found
    }

    /// Notes that two sizes are equal.
    fn equate(&mut self, a: &Sum, b: &Sum) {
        let difference = self.resolve(a).minus(&self.resolve(b));
        if difference.is_beyond() {
            return;
        }
        if let Some((symbol, divisor, rest)) = remainder(&difference) {
            let quotient = self.symbol(self.facts.values[symbol]);
            self.equal[symbol] = Some(quotient.scaled(divisor).offset(rest));
            return;
        }
        // The youngest symbol that stands alone follows from the others.
        let alone = difference.terms.iter().rev().find_map(|(atom, k)| {
            let symbol = atom.as_value()?;
            let elsewhere = (difference.terms.iter())
                .any(|(other, _)| other != atom && occurs(&other.base, symbol));
            (k.abs() == 1 && !elsewhere).then_some((symbol, atom.clone(), *k))
        });
        if let Some((symbol, atom, k)) = alone {
            let rest = difference.plus_scaled(&Sum::atom(atom), -k);
            self.equal[symbol] = Some(rest.scaled(-k));
        }
    }

    /// Tells whether `a` is at most `b`, whatever the sizes are.
    fn is_less(&self, a: &Sum, b: &Sum) -> bool {
        least(&b.minus(a), &self.facts).is_some_and(|difference| difference >= 0)
    }

    /// The sizes of a value.
    pub(crate) fn of_value(&mut self, value: Val<'_>) -> Vec<Sum> {
        if let Some(known) = self.of.get(&op::key(value)) {
            return known.clone();
        }
        let dims = tensor(value).map_or(Vec::new(), |ty| ty.dims);
        let sizes: Vec<Sum> = dims
            .into_iter()
            .map(|dim| match dim {
                Dim::Static(n) => constant(n),
                _ => self.fresh(),
            })
            .collect();
        self.of.insert(op::key(value), sizes.clone());
        sizes
    }

    /// The sizes of a value as they are written beside operations.
    fn named(&mut self, value: Val<'_>) -> Option<Vec<Extent>> {
        let sizes = self.of_value(value);
        let mut found = Vec::new();
        for size in sizes {
            let size = self.resolve(&size);
            found.push(match size.as_constant() {
                Some(n) if n >= 0 => n.into(),
                Some(_) => return None,
                None => self.written(&size),
            });
        }
        Some(found)
    }

    /// Notes the sizes of the results of an operation, and what it says of others.
    fn visit<'c>(&mut self, op: Op<'c>) {
        self.asserted(op);
        // Where it does not hold, the call ends.
        let _ = evaluate(self, |shapes| {
            shape_function::preconditions(shapes, op)?;
            Ok(Vec::new())
        });
        self.visit_control(op);
        if self.is_of_flow(op) {
            return;
        }
        for (number, result) in op.results().into_iter().enumerate() {
            let Some(ty) = tensor(result) else { continue };
            if ty.static_shape().is_some() {
                continue;
            }
            let found = evaluate(self, |shapes| shape_function::of_result(shapes, op, number));
            let mut found = found.unwrap_or_default().into_iter();
            let sizes: Vec<Sum> = (ty.dims.iter())
                .map(|dim| match (dim.fixed(), found.next()) {
                    (Some(n), _) => constant(n),
                    (None, Some(size)) if !size.is_beyond() => self.size(size),
                    _ => self.fresh(),
                })
                .collect();
            self.of.insert(op::key(result), sizes);
        }
    }

    /// A sum that is the size of a tensor is not negative.
    fn size(&mut self, sum: Sum) -> Sum {
        if let Some(symbol) = described::symbol(&sum) {
            self.facts.values[symbol].0 = self.facts.values[symbol].0.max(0);
        }
        sum
    }

    /// A call that ends where the comparison of two numbers does not hold.
    fn asserted<'c>(&mut self, call: Op<'c>) {
        let Some((direction, numbers)) = library::asserted_comparison(call) else {
            return;
        };
        let [a, b] = numbers.map(|value| self.number(value, &[]));
        match direction {
            ComparisonDirection::Eq => self.equate(&a, &b),
            ComparisonDirection::Ge => {
                let difference = self.resolve(&a).minus(&self.resolve(&b));
                if let [(atom, 1)] = difference.terms.as_slice()
                    && let Some(symbol) = atom.as_value()
                {
                    let known = &mut self.facts.values[symbol].0;
                    *known = (*known).max(difference.constant.saturating_neg());
                }
            }
            _ => {}
        }
    }

    /// The first element of an integer tensor.
    fn first_number(&mut self, value: Val<'_>) -> Sum {
        let first = vec![0; tensor(value).map_or(0, |ty| ty.rank())];
        let size = self.number(value, &first);
        self.resolve(&size)
    }

    /// The element of an integer tensor: what it is computed from, or a symbol of its own.
    pub(crate) fn number<'c>(&mut self, value: Val<'c>, index: &[i64]) -> Sum {
        let key = (op::key(value), index.to_vec());
        if let Some(known) = self.elements.get(&key) {
            return known.clone();
        }
        let mut found = None;
        if self.depth < DEEPEST {
            self.depth += 1;
            let one = evaluate(self, |shapes| {
                Ok(elements::find(shapes, value, index)?.into_iter().collect())
            });
            self.depth -= 1;
            found = one.unwrap_or_default().pop();
        }
        let element = match found {
            Some(sum) if !sum.is_beyond() => sum,
            _ => self.symbol((-FAR, FAR)),
        };
        self.elements.insert(key, element.clone());
        element
    }
}

/// Sizes as sums of symbols; what is no such sum is [`Sum::beyond`].
impl NumberDomain for Sizes {
    type Value = Sum;
    type Error = SizeError;

    fn constant(&mut self, n: i64) -> Sum {
        constant(n)
    }

    fn known(&self, size: &Sum) -> Option<i64> {
        self.resolve(size).as_constant()
    }

    fn arithmetic(&mut self, what: Arithmetic, a: Sum, b: Sum) -> Found<Sum> {
        let (a, b) = (self.resolve(&a), self.resolve(&b));
        if a.is_beyond() || b.is_beyond() {
            return Ok(Sum::beyond());
        }
        Ok(match what {
            Arithmetic::Add => a.plus(&b),
            Arithmetic::Sub => a.minus(&b),
            Arithmetic::Mul => match (a.as_constant(), b.as_constant()) {
                (Some(k), _) => b.scaled(k),
                (_, Some(k)) => a.scaled(k),
                _ => self.product(&a, &b),
            },
            Arithmetic::Div => match b.as_constant() {
                Some(k @ 1..) => a.floor_div(k, &self.facts),
                _ => Sum::beyond(),
            },
            Arithmetic::Rem => match b.as_constant() {
                Some(k @ 1..) => a.minus(&a.floor_div(k, &self.facts).scaled(k)),
                _ => Sum::beyond(),
            },
            Arithmetic::Min | Arithmetic::Max => match (self.is_less(&a, &b), self.is_less(&b, &a))
            {
                (true, _) if what == Arithmetic::Min => a,
                (true, _) => b,
                (_, true) if what == Arithmetic::Min => b,
                (_, true) => a,
                _ => self.extreme(what, a, b),
            },
        })
    }
}

impl<'c> SizeDomain<'c> for Sizes {
    fn sizes(&mut self, value: Val<'c>) -> Found<Vec<Sum>> {
        Ok(self.of_value(value))
    }

    fn element(&mut self, value: Val<'c>, index: &[i64]) -> Found<Sum> {
        Ok(self.number(value, index))
    }

    fn merge(&mut self, a: Sum, b: Sum) -> Sum {
        self.equate(&a, &b);
        a
    }

    fn not_negative(&mut self, n: Sum) -> Found<Sum> {
        Ok(n)
    }

    fn below(&mut self, size: Sum, limit: i64) -> Sum {
        let least = self.arithmetic(Arithmetic::Min, size, constant(limit));
        least.unwrap_or_else(|_| Sum::beyond())
    }

    fn require_equal(&mut self, a: Vec<Sum>, b: Vec<Sum>) -> Found<()> {
        for (a, b) in a.iter().zip(&b) {
            self.equate(a, b);
        }
        Ok(())
    }

    fn require_at_most(&mut self, _: Sum, _: Sum) -> Found<()> {
        Ok(())
    }
}

/// A number that the sum is not below. Other than [`Sum::range`] it looks for one where there is no
/// greatest number.
fn least(sum: &Sum, facts: &Facts) -> Option<i64> {
    let mut total = sum.constant;
    for (atom, k) in &sum.terms {
        let lower = match (&atom.base, atom.high) {
            (Base::Beyond, _) => return None,
            (_, Some(_)) => 0,
            (Base::Sum(inner), None) => least(inner, facts)?.div_euclid(atom.low),
            (Base::Value(k), None) => facts.values[*k].0.div_euclid(atom.low),
            (Base::Var(_), None) => return None,
        };
        if *k < 0 || lower <= -FAR / 2 {
            return None;
        }
        total = total.checked_add(k.checked_mul(lower)?)?;
    }
    Some(total)
}

/// A symbol whose remainder by a divisor is known because the difference is zero, with both.
fn remainder(difference: &Sum) -> Option<(usize, i64, i64)> {
    let [(atom, factor)] = difference.terms.as_slice() else {
        return None;
    };
    let (Base::Value(symbol), 1, Some(divisor)) = (&atom.base, atom.low, atom.high) else {
        return None;
    };
    let rest = (difference.constant % factor == 0).then(|| -(difference.constant / factor))?;
    (0..divisor)
        .contains(&rest)
        .then_some((*symbol, divisor, rest))
}

/// Tells whether the symbol occurs in the base of an atom.
fn occurs(base: &Base, symbol: usize) -> bool {
    match base {
        Base::Value(k) => *k == symbol,
        Base::Sum(inner) => {
            let mut values = Vec::new();
            inner.values(&mut values);
            values.contains(&symbol)
        }
        _ => false,
    }
}
