//! Which sizes of a block are equal, and how others follow from them.
//!
//! Sizes that are known at run time only are extents ([`Extent`]) over a few of them, the
//! *symbols*: those of arguments, and those that nothing else follows from. Types,
//! `get_dimension_size`, arithmetic on shapes and assertions say how. Sizes that are equal get one
//! name, which is written beside the operations ([`mapwright_mlir::sizes`]): with it, regions are
//! formed as for static sizes.
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
mod related;
pub(crate) mod slice;
mod unread;

pub use control::has_unknown;
pub use described::{Described, SizeTexts, described, grouped, names_in, names_of_arguments};
pub use named::renumber;
pub use related::related;

use mapwright_indexing::{Extent, Factor};
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
    of: HashMap<usize, Vec<Extent>>,
    /// Elements of integer tensors, by value and index.
    elements: HashMap<(usize, Vec<i64>), Extent>,
    /// Number of values between the element that was asked for and the one that is looked for now.
    depth: usize,
    /// Number of symbols.
    symbols: usize,
    /// Sizes that symbols, and the smaller and the larger of two sizes, are equal to.
    equal: HashMap<Factor, Extent>,
    /// Numbers above 0 that symbols are not below.
    least: HashMap<usize, i64>,
    /// Sizes that have a name.
    names: Vec<Extent>,
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
    // Products of sizes are seen where these have names.
    for value in outside.iter().chain(&arguments) {
        sizes.named(*value);
    }
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
    found.into_iter().map(Extent::as_constant).collect()
}

/// Tells for each dimension of operand `operand` of `op` whether the operations in front of it in
/// its block say that it has an element.
pub fn has_elements(op: Op<'_>, operand: usize) -> Vec<bool> {
    let mut sizes = Sizes::default();
    let block = op.block().map(op::ops).unwrap_or_default();
    for before in block.into_iter().take_while(|other| *other != op) {
        sizes.visit(before);
    }
    let own = sizes.of_value(op.operand(operand)).into_iter();
    own.map(|size| sizes.is_at_least(size, 1)).collect()
}

/// The number of a symbol, if the factor is one.
fn symbol_of(factor: Factor) -> Option<usize> {
    match factor {
        Factor::Name(symbol) | Factor::Integer(symbol) => Some(symbol),
        _ => None,
    }
}

/// Order in which factors came to be, as far as their numbers tell: what is made of symbols is
/// younger than these. `None` for a quotient, which stays what it is.
fn age(factor: Factor) -> Option<usize> {
    match factor {
        Factor::Name(symbol) | Factor::Integer(symbol) => Some(2 * symbol + 1),
        Factor::Quotient(..) => None,
        Factor::Least(..) | Factor::Greatest(..) => {
            let mut age = 0;
            Extent::from(factor).for_each_name(&mut |symbol| age = age.max(2 * symbol + 2));
            Some(age)
        }
    }
}

/// The number of the symbol, if the size is one and nothing else.
fn symbol(size: Extent) -> Option<usize> {
    match size.multiple()? {
        ([factor], 1) => symbol_of(*factor),
        _ => None,
    }
}

impl Sizes {
    /// A size of which nothing is known.
    fn fresh(&mut self) -> Extent {
        self.symbols += 1;
        Extent::name(self.symbols - 1)
    }

    /// An integer of which nothing is known.
    fn integer(&mut self) -> Extent {
        self.symbols += 1;
        Factor::Integer(self.symbols - 1).into()
    }

    /// The size in terms of symbols that are equal to nothing else.
    pub(crate) fn resolve(&self, size: Extent) -> Extent {
        let mut found = size;
        for _ in 0..DEEPEST {
            let next = found.substitute(&|factor| self.equal.get(&factor).copied());
            if next == found {
                break;
            }
            found = next;
        }
        found
    }

    /// Notes that two sizes are equal.
    fn equate(&mut self, a: Extent, b: Extent) {
        let Some(difference) = self.resolve(a).checked_sub(self.resolve(b)) else {
            return;
        };
        let (parts, _) = difference.parts();
        if let Some((symbol, divisor, rest)) = remainder(difference) {
            let quotient = match symbol {
                Factor::Name(_) if rest >= 0 => self.fresh(),
                _ => self.integer(),
            };
            self.set(symbol, quotient * divisor + rest);
            return;
        }
        // The youngest one that stands alone follows from the others.
        let alone = parts.iter().filter_map(|(factors, k)| match factors {
            [factor] if k.abs() == 1 => {
                let age = age(*factor)?;
                let rest = Extent::from(*factor).checked_sub(difference.checked_mul(*k)?)?;
                (!rest.contains(*factor)).then_some((age, *factor, rest))
            }
            _ => None,
        });
        if let Some((_, factor, rest)) = alone.max_by_key(|(age, ..)| *age) {
            self.set(factor, rest);
        }
    }

    /// Notes that `factor` is equal to `other`, of which it is no part.
    fn set(&mut self, factor: Factor, other: Extent) {
        self.equal.insert(factor, other);
        if let Factor::Name(_) = factor {
            self.size(other);
        }
    }

    /// Tells whether a size is at least `n`, whatever the symbols are.
    fn is_at_least(&self, size: Extent, n: i64) -> bool {
        let size = self.resolve(size).substitute(&|factor| {
            let least = symbol_of(factor).and_then(|symbol| self.least.get(&symbol))?;
            Some(Extent::from(factor) + *least)
        });
        size.is_at_least(n)
    }

    /// The sizes of a value.
    pub(crate) fn of_value(&mut self, value: Val<'_>) -> Vec<Extent> {
        if let Some(known) = self.of.get(&op::key(value)) {
            return known.clone();
        }
        let dims = tensor(value).map_or(Vec::new(), |ty| ty.dims);
        let sizes: Vec<Extent> = dims
            .into_iter()
            .map(|dim| match dim {
                Dim::Static(n) => n.into(),
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
            let size = self.resolve(size);
            found.push(match size.as_constant() {
                Some(n) if n >= 0 => n.into(),
                Some(_) => return None,
                None => self.written(size),
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
            let sizes: Vec<Extent> = (ty.dims.iter())
                .map(|dim| match (dim.fixed(), found.next()) {
                    (Some(n), _) => n.into(),
                    (None, Some(size)) => self.size(size),
                    (None, None) => self.fresh(),
                })
                .collect();
            self.of.insert(op::key(result), sizes);
        }
    }

    /// Notes that this is the size of a tensor, which is not negative.
    fn size(&mut self, size: Extent) -> Extent {
        if let Some(([integer @ Factor::Integer(_)], 1..)) = self.resolve(size).multiple() {
            let size = self.fresh();
            self.equal.insert(*integer, size);
        }
        size
    }

    /// A call that ends where the comparison of two numbers does not hold.
    fn asserted<'c>(&mut self, call: Op<'c>) {
        let Some((direction, numbers)) = library::asserted_comparison(call) else {
            return;
        };
        let [a, b] = numbers.map(|value| self.number(value, &[]));
        match direction {
            ComparisonDirection::Eq => self.equate(a, b),
            ComparisonDirection::Ge => {
                let Some(difference) = self.resolve(a).checked_sub(self.resolve(b)) else {
                    return;
                };
                let (_, constant) = difference.parts();
                let least = constant.saturating_neg();
                if least >= 0 && symbol(difference - constant).is_some() {
                    let size = self.size(difference - constant);
                    if let Some(symbol) = symbol(self.resolve(size)) {
                        let known = self.least.entry(symbol).or_default();
                        *known = least.max(*known);
                    }
                }
            }
            _ => {}
        }
    }

    /// The first element of an integer tensor.
    fn first_number(&mut self, value: Val<'_>) -> Extent {
        let first = vec![0; tensor(value).map_or(0, |ty| ty.rank())];
        let size = self.number(value, &first);
        self.resolve(size)
    }

    /// The element of an integer tensor: what it is computed from, or a symbol of its own.
    pub(crate) fn number<'c>(&mut self, value: Val<'c>, index: &[i64]) -> Extent {
        let key = (op::key(value), index.to_vec());
        if let Some(known) = self.elements.get(&key) {
            return *known;
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
        let element = found.unwrap_or_else(|| self.integer());
        self.elements.insert(key, element);
        element
    }
}

/// Sizes as extents over symbols; what is none of those is an integer of which nothing is known.
impl NumberDomain for Sizes {
    type Value = Extent;
    type Error = SizeError;

    fn constant(&mut self, n: i64) -> Extent {
        n.into()
    }

    fn known(&self, size: &Extent) -> Option<i64> {
        self.resolve(*size).as_constant()
    }

    fn arithmetic(&mut self, what: Arithmetic, a: Extent, b: Extent) -> Found<Extent> {
        let (a, b) = (self.resolve(a), self.resolve(b));
        let divisor = b.as_constant().filter(|n| *n > 0);
        let at_least = |a: Extent, b| {
            let difference = a.checked_sub(b);
            difference.is_some_and(|difference| self.is_at_least(difference, 0))
        };
        let found = match what {
            Arithmetic::Add => a.checked_add(b),
            Arithmetic::Sub => a.checked_sub(b),
            Arithmetic::Mul => a.checked_mul(b),
            Arithmetic::Div => divisor.map(|n| a.floor_div(n.into())),
            Arithmetic::Rem => divisor.map(|n| a.modulo(n.into())),
            Arithmetic::Min if at_least(b, a) => Some(a),
            Arithmetic::Max if at_least(b, a) => Some(b),
            Arithmetic::Min if at_least(a, b) => Some(b),
            Arithmetic::Max if at_least(a, b) => Some(a),
            Arithmetic::Min => Some(a.least(b)),
            Arithmetic::Max => Some(a.greatest(b)),
        };
        Ok(found.unwrap_or_else(|| self.integer()))
    }
}

impl<'c> SizeDomain<'c> for Sizes {
    fn sizes(&mut self, value: Val<'c>) -> Found<Vec<Extent>> {
        Ok(self.of_value(value))
    }

    fn element(&mut self, value: Val<'c>, index: &[i64]) -> Found<Extent> {
        Ok(self.number(value, index))
    }

    fn merge(&mut self, a: Extent, b: Extent) -> Extent {
        self.equate(a, b);
        a
    }

    fn not_negative(&mut self, n: Extent) -> Found<Extent> {
        Ok(n)
    }

    fn below(&mut self, size: Extent, limit: i64) -> Extent {
        let least = self.arithmetic(Arithmetic::Min, size, limit.into());
        least.unwrap_or_else(|_| self.integer())
    }

    fn require_equal(&mut self, a: Vec<Extent>, b: Vec<Extent>) -> Found<()> {
        for (a, b) in a.into_iter().zip(b) {
            self.equate(a, b);
        }
        Ok(())
    }

    fn require_at_most(&mut self, _: Extent, _: Extent) -> Found<()> {
        Ok(())
    }
}

/// A symbol of which the difference, which is zero, says what it is less than a multiple of a
/// divisor, with both.
fn remainder(difference: Extent) -> Option<(Factor, i64, i64)> {
    let (parts, constant) = difference.parts();
    let [([symbol], k), ([Factor::Quotient(a, divisor)], times)] = parts[..] else {
        return None;
    };
    let divisor = divisor.as_constant()?;
    let shift = a.checked_sub((*symbol).into())?.as_constant()?;
    // `k * (x + shift - divisor * ((x + shift) floordiv divisor) - rest)`
    if k.checked_mul(divisor)?.checked_add(times)? != 0 || constant.checked_rem(k)? != 0 {
        return None;
    }
    let less = constant.checked_div(k)?.checked_neg()?;
    let is_rest = (0..divisor).contains(&less.checked_add(shift)?);
    (is_rest && symbol_of(*symbol).is_some()).then_some((*symbol, divisor, less))
}
