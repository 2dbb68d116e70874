//! Sizes that are known at run time only: which of them are the same, and where they are read.
//!
//! Every size is a sum of *origins*, sizes of arguments and scalars that programs compute shapes of. Two sizes with equal sums are one, so that what
//! relates sizes with each other needs no more than a comparison of numbers. Each is read once, right behind what it is read of.

use crate::tarray::{make::Make, sizes::at_run_time};
use mapwright_indexing::linear::{Atom, Sum};
use mapwright_mlir::{
    Blk, Builder, ElementType, Op, TensorType, Val, attr, melior::ir::ValueLike, op,
};
use mapwright_ops::{
    attrs::{self, ComparisonDirection, GatherDimensions, comparison_direction},
    library,
    sizes::handed_on,
};
use std::collections::{HashMap, HashSet};

/// Deepest chain of values that a size is looked for in.
const MOST_DEPTH: usize = 2000;

/// Finds the sizes of a function's values.
pub(super) struct Sizes<'a, 'c> {
    m: &'a Make<'c>,
    body: Blk<'c>,
    /// Sums that have a size of their own.
    sums: HashMap<Sum, i64>,
    /// What sizes are.
    of: HashMap<i64, Sum>,
    /// Origins: a value, and the dimension that is read, if it is no scalar.
    origins: HashMap<(usize, Option<usize>), i64>,
    products: HashMap<(i64, i64), i64>,
    /// Numbers that are read nowhere; differences of sums with them may be sizes.
    unread: HashMap<(usize, usize), usize>,
    /// The operation behind which a size is known; `None` for those of arguments.
    known_behind: HashMap<i64, Option<Op<'c>>>,
    /// Carried values of loops that are being looked at.
    open: HashSet<(usize, usize)>,
    depth: usize,
}

/// Notes the sizes of all values of `body`, in it and deeper. `body` ends in its terminator.
pub(super) fn learn<'c>(m: &Make<'c>, body: Blk<'c>) {
    let mut sizes = Sizes {
        m,
        body,
        sums: HashMap::new(),
        of: HashMap::new(),
        origins: HashMap::new(),
        products: HashMap::new(),
        unread: HashMap::new(),
        known_behind: HashMap::new(),
        open: HashSet::new(),
        depth: 0,
    };
    let all: Vec<Op<'c>> = op::ops(body);
    for op in all.iter().filter(|op| op.is_hlo("custom_call")) {
        if op.string("call_target_name").as_deref() == Some("shape_assertion") {
            sizes.asserted(*op);
        }
    }
    for value in op::arguments(body) {
        sizes.note(value);
    }
    all.into_iter().for_each(|op| sizes.inside(op));
}

/// The one of two operations behind which both are done: the last of a block, or the one deeper inside.
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

/// A size as a sum: one that is known at run time only is a value, any other a number.
fn of_size(size: i64) -> Sum {
    match at_run_time(size) {
        true => Sum::atom(Atom::value((-1 - size) as usize)),
        false => Sum::constant(size),
    }
}

/// The size that an atom is, unless it is a number that is read nowhere, which is a variable.
fn size_of(atom: &Atom) -> Option<i64> {
    atom.as_value().map(|k| -1 - k as i64)
}

/// The sum, unless a number left 64 bits on the way to it.
pub(super) fn within(sum: Sum) -> Option<Sum> {
    (!sum.is_beyond()).then_some(sum)
}

fn has_unread(sum: &Sum) -> bool {
    sum.terms.iter().any(|(atom, _)| atom.as_var().is_some())
}

pub(super) fn tensor(value: Val<'_>) -> Option<TensorType> {
    TensorType::from_mlir(value.r#type())
}

/// The number that a constant scalar, or element `k` of a constant vector, is.
fn constant(value: Val<'_>, k: usize) -> Option<i64> {
    let (made, _) = op::defining_op(value)?;
    let numbers = made
        .is_hlo("constant")
        .then(|| made.attribute("value").and_then(attr::ints))??;
    numbers.get(if numbers.len() == 1 { 0 } else { k }).copied()
}

impl<'c> Sizes<'_, 'c> {
    fn inside(&mut self, op: Op<'c>) {
        for r in 0..op.num_regions() {
            for block in op::blocks(op.region(r)) {
                op::arguments(block).into_iter().for_each(|v| self.note(v));
                op::ops(block).into_iter().for_each(|op| self.inside(op));
            }
        }
        op.results().into_iter().for_each(|v| self.note(v));
    }

    /// Of two sizes that a program asserts to be equal one is the other.
    fn asserted(&mut self, op: Op<'c>) {
        let compared = (op.operands().first().copied())
            .and_then(op::defining_op)
            .map(|(made, _)| made)
            .filter(|made| {
                made.is_hlo("compare") && comparison_direction(*made) == Ok(ComparisonDirection::Eq)
            });
        let Some(compared) = compared else { return };
        let (a, b) = (compared.operand(0), compared.operand(1));
        let (Some(a), Some(b)) = (self.scalar(a), self.scalar(b)) else {
            return;
        };
        for (one, other) in [(&a, &b), (&b, &a)] {
            if let ([(origin, 1)], 0) = (&one.terms[..], one.constant)
                && other.terms.iter().all(|(atom, _)| atom != origin)
            {
                if let Some(size) = size_of(origin) {
                    self.of.insert(size, other.clone());
                }
                return;
            }
        }
    }

    /// A number that is read nowhere: it may be in sums that are sizes in the end.
    fn unread(&mut self, value: Val<'c>, k: usize) -> Sum {
        let next = self.unread.len();
        Sum::var(*self.unread.entry((op::key(value), k)).or_insert(next))
    }

    /// Notes the sizes of one value, if all of them are found.
    fn note(&mut self, value: Val<'c>) {
        let Some(ty) = tensor(value).filter(|ty| ty.static_shape().is_none()) else {
            return;
        };
        let found: Option<Vec<i64>> = (0..ty.rank())
            .map(|k| {
                let sum = self.size(value, k)?;
                self.settled(&sum)
            })
            .collect();
        if let Some(found) = found {
            self.m.sized(value, &found);
        }
    }

    /// The sum that a size is.
    fn sum_of(&self, size: i64) -> Sum {
        let known = self.of.get(&size).filter(|_| at_run_time(size));
        known.cloned().unwrap_or_else(|| of_size(size))
    }

    /// The size of dimension `k`.
    pub(super) fn size(&mut self, value: Val<'c>, k: usize) -> Option<Sum> {
        if let Some(size) = tensor(value)?.dims.get(k)?.fixed() {
            return Some(Sum::constant(size));
        }
        if let Some(known) = self.m.known(value) {
            return known.get(k).map(|size| self.sum_of(*size));
        }
        if self.depth > MOST_DEPTH {
            return None;
        }
        self.depth += 1;
        let found = self.looked_up(value, k);
        self.depth -= 1;
        // Where it follows from what is read nowhere, it is read itself.
        let known = found.clone().filter(|sum| !has_unread(sum));
        known.or_else(|| self.origin(value, Some(k))).or(found)
    }

    /// The size of a dimension as it follows from other sizes.
    fn looked_up(&mut self, value: Val<'c>, k: usize) -> Option<Sum> {
        if let Some((block, i)) = op::block_argument(value) {
            let parent = op::parent_of_block(block).filter(|parent| parent.is_hlo("while"))?;
            return self.carried(parent, i, k);
        }
        let (made, r) = op::defining_op(value)?;
        let operand = |i: usize| made.operands().get(i).copied();
        if made.is_hlo("while") {
            return self.carried(made, r, k);
        }
        if made.is_hlo("if") || made.is_hlo("case") {
            let mut all: Option<Sum> = None;
            for block in (0..made.num_regions()).filter_map(|r| made.body(r)) {
                let given = super::reverse::yields(block).get(r).copied()?;
                let size = self.size(given, k)?;
                if all.is_some_and(|all| all != size) {
                    return None;
                }
                all = Some(size);
            }
            return all;
        }
        match made.short_name() {
            "dynamic_broadcast_in_dim" | "dynamic_reshape" => self.element(operand(1)?, k),
            "dynamic_iota" => self.element(operand(0)?, k),
            "dynamic_update_slice" | "scatter" | "select_and_scatter" => self.size(operand(0)?, k),
            "real_dynamic_slice" => {
                let start = self.element(operand(1)?, k)?;
                let limit = self.element(operand(2)?, k)?;
                (self.element(operand(3)?, k)? == Sum::constant(1)).then_some(())?;
                within(limit.minus(&start))
            }
            "dynamic_pad" => {
                let own = self.size(operand(0)?, k)?;
                let low = self.element(operand(2)?, k)?;
                let high = self.element(operand(3)?, k)?;
                (self.element(operand(4)?, k)? == Sum::constant(0)).then_some(())?;
                within(own.plus(&low).plus(&high))
            }
            "pad" => {
                let at = |name: &str| made.ints(name)?.get(k).copied();
                let own = self.size(operand(0)?, k)?;
                (at("interior_padding")? == 0).then_some(())?;
                let (low, high) = (at("edge_padding_low")?, at("edge_padding_high")?);
                within(own.offset(low).offset(high))
            }
            "concatenate" if made.int("dimension") == Some(k as i64) => {
                let mut all = Sum::default();
                for part in made.operands() {
                    all = all.plus(&self.size(part, k)?);
                }
                within(all)
            }
            "gather" | "dynamic_gather" => self.gathered(made, k),
            "convolution" | "dynamic_conv" => self.convolved(made, k),
            "custom_call" if attrs::name(made) == "dynamic_reduce_window" => {
                self.windows_of_operands(made, r, k)
            }
            "custom_call" => {
                let shapes = library::shape_operands(made).ok()?;
                self.element(operand(*shapes.get(r)?)?, k)
            }
            "reduce_window" => self.in_windows(made, r, k),
            "cholesky" | "fft" => self.size(operand(0)?, k),
            "triangular_solve" => self.size(operand(1)?, k),
            _ => {
                let (from, d) = handed_on(made, r, k)?;
                self.size(from, d)
            }
        }
    }

    /// The size of a value that a loop carries, if no iteration changes it.
    fn carried(&mut self, of: Op<'c>, i: usize, k: usize) -> Option<Sum> {
        let first = self.size(of.operands().get(i).copied()?, k)?;
        let argument = *op::arguments(of.body(1)?).get(i)?;
        if !self.open.insert((op::key(argument), k)) {
            return Some(first);
        }
        let next = super::reverse::yields(of.body(1)?).get(i).copied()?;
        let later = self.size(next, k);
        self.open.remove(&(op::key(argument), k));
        (later.as_ref() == Some(&first)).then_some(first)
    }

    fn gathered(&mut self, made: Op<'c>, k: usize) -> Option<Sum> {
        let dims = GatherDimensions::decode(made).ok()?;
        let offsets = &dims.offset_dims;
        if let Some(place) = offsets.iter().position(|d| *d == k as i64) {
            let rank = tensor(made.operand(0))?.rank() as i64;
            let left_out = |d: &i64| {
                dims.collapsed_slice_dims.contains(d) || dims.operand_batching_dims.contains(d)
            };
            let d = (0..rank).filter(|d| !left_out(d)).nth(place)?;
            return match &dims.slice_sizes {
                Some(sizes) => sizes.get(d as usize).map(|size| Sum::constant(*size)),
                None => self.element(made.operands().get(2).copied()?, d as usize),
            };
        }
        let batch = (0..k as i64).filter(|d| !offsets.contains(d)).count() as i64;
        let d = batch + i64::from(batch >= dims.index_vector_dim);
        self.size(made.operand(1), d as usize)
    }

    /// Element `k`, in row-major order, of a tensor of sizes.
    pub(super) fn element(&mut self, vector: Val<'c>, k: usize) -> Option<Sum> {
        if let Some(known) = constant(vector, k) {
            return Some(Sum::constant(known));
        }
        let Some((made, _)) = op::defining_op(vector) else {
            return Some(self.unread(vector, k));
        };
        let found = match made.short_name() {
            "concatenate" if made.int("dimension") == Some(0) => {
                let mut before = 0;
                for part in made.operands() {
                    let n = usize::try_from(tensor(part)?.num_elements()?).ok()?;
                    if k < before + n {
                        return self.element(part, k - before);
                    }
                    before += n;
                }
                None
            }
            "convert" => self.element(made.operand(0), k),
            "reshape" if tensor(made.operand(0))?.num_elements() != Some(1) => {
                self.element(made.operand(0), k)
            }
            "reshape" | "broadcast_in_dim" => self.only(made.operand(0)),
            "add" | "subtract" | "multiply" => {
                let a = self.element(made.operand(0), k)?;
                let b = self.element(made.operand(1), k)?;
                self.computed(made.short_name(), &a, &b)
            }
            _ => None,
        };
        Some(found.unwrap_or_else(|| self.unread(vector, k)))
    }

    /// What a tensor of one element holds.
    fn only(&mut self, value: Val<'c>) -> Option<Sum> {
        let ty = tensor(value)?;
        match (ty.num_elements()?, ty.rank()) {
            (1, 0) => self.scalar(value),
            (1, 1) => self.element(value, 0),
            _ => None,
        }
    }

    /// A scalar that sizes are made of.
    fn scalar(&mut self, value: Val<'c>) -> Option<Sum> {
        if let Some(known) = constant(value, 0) {
            return Some(Sum::constant(known));
        }
        if let Some((block, i)) = op::block_argument(value)
            && let Some(parent) = op::parent_of_block(block).filter(|op| op.is_hlo("while"))
        {
            let next = super::reverse::yields(parent.body(1)?);
            let argument = *op::arguments(parent.body(1)?).get(i)?;
            let same = op::key(*next.get(i)?) == op::key(argument);
            return same.then(|| self.scalar(parent.operand(i)))?;
        }
        let found = op::defining_op(value).and_then(|(made, _)| match made.short_name() {
            "get_dimension_size" => {
                let d = usize::try_from(made.int("dimension")?).ok()?;
                self.size(made.operand(0), d)
            }
            "convert" | "reshape" => self.only(made.operand(0)),
            "add" | "subtract" | "multiply" => {
                let (a, b) = (self.scalar(made.operand(0))?, self.scalar(made.operand(1))?);
                self.computed(made.short_name(), &a, &b)
            }
            _ => None,
        });
        let known = found.clone().filter(|sum| !has_unread(sum));
        let known = known.or_else(|| self.origin(value, None)).or(found);
        Some(known.unwrap_or_else(|| self.unread(value, 0)))
    }

    fn computed(&mut self, name: &str, a: &Sum, b: &Sum) -> Option<Sum> {
        match name {
            "add" => within(a.plus(b)),
            "subtract" => within(a.minus(b)),
            _ if let Some(factor) = b.as_constant() => within(a.scaled(factor)),
            _ if let Some(factor) = a.as_constant() => within(b.scaled(factor)),
            _ => {
                let (a, b) = (self.settled(a)?, self.settled(b)?);
                let pair = (a.min(b), a.max(b));
                let found = match self.products.get(&pair) {
                    Some(known) => *known,
                    None => {
                        let found = self.made(&[a, b], |m, values| m.same("multiply", values))?;
                        self.products.insert(pair, found);
                        found
                    }
                };
                Some(self.sum_of(found))
            }
        }
    }

    /// The size that a sum is.
    fn settled(&mut self, sum: &Sum) -> Option<i64> {
        let sizes = sum.terms.iter().map(|(atom, _)| size_of(atom));
        let sizes: Vec<i64> = sizes.collect::<Option<_>>()?;
        match (&sum.terms[..], sum.constant) {
            ([], size) => return (size >= 0).then_some(size),
            ([(_, 1)], 0) => return sizes.first().copied(),
            _ => {}
        }
        if let Some(known) = self.sums.get(sum) {
            return Some(*known);
        }
        let found = self.made(&sizes, |m, values| {
            let mut total = m.int(sum.constant);
            for (value, (_, factor)) in values.iter().zip(&sum.terms) {
                let part = m.same("multiply", &[*value, m.int(*factor)]);
                total = m.add(total, part);
            }
            total
        })?;
        self.sums.insert(sum.clone(), found);
        self.of.insert(found, sum.clone());
        Some(found)
    }

    /// A new size, which is computed of others as early as these are known.
    fn made(
        &mut self,
        of: &[i64],
        compute: impl FnOnce(&Make<'c>, &[Val<'c>]) -> Val<'c>,
    ) -> Option<i64> {
        let mut behind: Option<Op<'c>> = None;
        for size in of {
            let known = self.known_behind.get(size).copied().flatten();
            behind = match (behind, known) {
                (Some(a), Some(b)) => Some(later(a, b)),
                (behind, known) => behind.or(known),
            };
        }
        let m = self.place(behind)?;
        let values: Vec<Val<'c>> = of.iter().map(|size| self.m.scalar(*size)).collect();
        let value = compute(&m, &values);
        let found = self.m.size_of(value);
        let (made, _) = op::defining_op(value)?;
        self.known_behind.insert(found, Some(made));
        Some(found)
    }

    /// Where operations go that belong behind `op`, or at the beginning.
    fn place(&self, behind: Option<Op<'c>>) -> Option<Make<'c>> {
        let next = match behind {
            Some(behind) => op::next(behind)?,
            None => op::first(self.body)?,
        };
        let b = Builder::before(next.context(), next)?;
        Some(self.m.elsewhere(b))
    }

    /// A size that is read: of a dimension of a value, or from a scalar, which loops and branches may have of their own.
    fn origin(&mut self, value: Val<'c>, dim: Option<usize>) -> Option<Sum> {
        let key = (op::key(value), dim);
        if let Some(known) = self.origins.get(&key) {
            return Some(self.sum_of(*known));
        }
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
        self.origins.insert(key, found);
        let made = op::defining_op(wide).map(|(made, _)| made);
        self.known_behind.insert(found, made);
        Some(self.sum_of(found))
    }
}
