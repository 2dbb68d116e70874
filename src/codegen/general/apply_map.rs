//! Elements of operations that only move elements: the index rule of the operation
//! ([`mapwright_ops::index_rule`]), applied in generated code.

use super::body::{Body, tensor_element};
use super::loops::conditional;
use crate::{
    error::{Result, Unsupported},
    index::{Ix, Truth},
    storage::Elem,
};
use mapwright_indexing::Interval;
use mapwright_mlir::{Builder, CmpI, Op};
use mapwright_ops::index_rule::{
    self, Arithmetic, Found, IndexDomain, IndexRule, NumberDomain, Place, Read, Tensor,
};

/// The element of `op` at `index` by its rule.
pub(super) fn element<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    rule: IndexRule,
    index: &[Ix<'c>],
) -> Result<Elem<'c>> {
    let sizes = body.sizes(b, op.result(0))?;
    let within = |(ix, size): (&Ix<'c>, Ix<'c>)| Number {
        ix: *ix,
        interval: match (ix.known(), size.known()) {
            (Some(n), _) => Interval::point(n),
            (None, Some(size)) if size > 0 => Interval::of_size(size),
            _ => NOT_NEGATIVE,
        },
        difference: None,
    };
    let index = index.iter().zip(sizes).map(within).collect();
    let mut numbers = Numbers { b, body, op };
    let reads = index_rule::evaluate(&mut numbers, op, rule, index).map_err(Unsupported)?;
    let mut all = reads.pieces;
    all.extend(reads.elsewhere);
    first_of(b, body, op, &all, &mut Vec::new())
}

const NOT_NEGATIVE: Interval = Interval::new(0, i64::MAX);

/// See [`Ix::key`].
type Key = (bool, i64);

/// A number in generated code.
#[derive(Clone)]
struct Number<'c> {
    ix: Ix<'c>,
    /// Interval that the number is in.
    interval: Interval,
    /// The numbers that it is the difference of.
    difference: Option<(Key, Key)>,
}

impl<'c> Number<'c> {
    fn new(ix: Ix<'c>, interval: Interval) -> Self {
        let interval = ix.known().map_or(interval, Interval::point);
        Self {
            ix,
            interval,
            difference: None,
        }
    }
}

/// The first of the `reads` that applies; the last one does where no other one does. `reached`:
/// pairs of numbers of which the first is known not to be below the second.
fn first_of<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    reads: &[Read<Number<'c>>],
    reached: &mut Vec<(Key, Key)>,
) -> Result<Elem<'c>> {
    let Some((first, rest)) = reads.split_first() else {
        return Err(Unsupported("an element that is nowhere".into()));
    };
    let value = op.operand(first.operand);
    let quotient = |place: &Place<Number<'c>>| place.number.ix.div(b, place.step.ix);
    let at: Vec<Ix<'c>> = first.at.iter().map(quotient).collect();
    if rest.is_empty() {
        return body.element(b, value, &at);
    }
    let sizes = body.sizes(b, value)?;
    let mut inside = Truth::Known(true);
    // How many comparisons there are, and the last one: what is known where it does not hold, if it
    // is the only one.
    let (mut compared, mut end) = (0, None);
    for ((Place { number, step }, at), size) in first.at.iter().zip(&at).zip(&sizes) {
        let is_reached = number
            .difference
            .is_some_and(|pair| reached.contains(&pair));
        if number.interval.lower < 0 && !is_reached {
            compared += 1;
            inside = inside.and(b, number.ix.compare(b, CmpI::Sge, Ix::Known(0)));
        }
        if step.ix.known() != Some(1) {
            compared += 1;
            // The remainder of a negative number does not matter: it is outside already.
            let left = number.ix.rem(b, step.ix);
            inside = inside.and(b, left.compare(b, CmpI::Eq, Ix::Known(0)));
        }
        let all = match step.ix.known() {
            Some(step) if step > 0 => number.interval.floor_div_constant(step),
            _ => Interval::FULL,
        };
        if size.known().is_none_or(|size| all.upper >= size) {
            compared += 1;
            end = (step.ix.known() == Some(1)).then_some((number.ix.key(), size.key()));
            inside = inside.and(b, at.compare(b, CmpI::Slt, *size));
        }
    }
    let element = tensor_element(op.result(0))?;
    conditional(
        b,
        body,
        inside,
        &element,
        |body| body.element(b, value, &at),
        |body| {
            reached.extend(end.filter(|_| compared == 1));
            first_of(b, body, op, rest, reached)
        },
    )
}

/// The domain of numbers in generated code.
struct Numbers<'a, 'c> {
    b: &'a Builder<'c>,
    body: &'a mut Body<'c>,
    op: Op<'c>,
}

impl<'c> Numbers<'_, 'c> {
    fn read(&mut self, operand: usize, at: Vec<Number<'c>>) -> Found<Ix<'c>> {
        let at: Vec<Ix<'c>> = at.into_iter().map(|number| number.ix).collect();
        let value = self.op.operand(operand);
        let index = self.body.index(self.b, value, &at);
        index.map_err(|error| error.0)
    }
}

impl<'c> NumberDomain for Numbers<'_, 'c> {
    type Value = Number<'c>;
    type Error = String;

    fn constant(&mut self, n: i64) -> Number<'c> {
        Number::new(Ix::Known(n), Interval::point(n))
    }

    fn known(&self, index: &Number<'c>) -> Option<i64> {
        index.ix.known()
    }

    fn arithmetic(&mut self, what: Arithmetic, x: Number<'c>, y: Number<'c>) -> Found<Number<'c>> {
        let b = self.b;
        let (i, j) = (x.interval, y.interval);
        let divisor = y.ix.known().filter(|n| *n > 0);
        let ix = x.ix.computed(b, what, y.ix);
        let interval = match (what, divisor) {
            (Arithmetic::Add, _) => i.plus(j),
            (Arithmetic::Sub, _) => i.plus(j.negated()),
            (Arithmetic::Mul, _) => i.times(j),
            (Arithmetic::Div, Some(n)) => i.floor_div_constant(n),
            (Arithmetic::Rem, Some(n)) => i.modulo_constant(n),
            (Arithmetic::Div | Arithmetic::Rem, None) => NOT_NEGATIVE,
            (Arithmetic::Min, _) => i.min(j),
            (Arithmetic::Max, _) => i.max(j),
        };
        let same = |n: &Number<'c>| n.ix.key() == ix.key();
        let mut found = match [&x, &y].into_iter().find(|n| same(n)) {
            // Nothing was added: what is known of the number stays.
            Some(number) if ix.known().is_none() => number.clone(),
            _ => Number::new(ix, interval),
        };
        if what == Arithmetic::Sub && found.difference.is_none() {
            found.difference = Some((x.ix.key(), y.ix.key()));
        }
        Ok(found)
    }
}

impl<'c> IndexDomain for Numbers<'_, 'c> {
    fn size(&mut self, of: Tensor, k: usize) -> Found<Number<'c>> {
        let value = match of {
            Tensor::Operand(i) => self.op.operand(i),
            Tensor::Result => self.op.result(0),
        };
        let sizes = self.body.sizes(self.b, value).map_err(|error| error.0)?;
        let size = sizes.get(k).copied();
        let size = size.ok_or("operand and result have different ranks")?;
        Ok(Number::new(size, NOT_NEGATIVE))
    }

    /// Reads an element as an index. The interval is left open: nobody has checked that the element
    /// is in it.
    fn element(&mut self, operand: usize, at: Vec<Number<'c>>, _: Interval) -> Found<Number<'c>> {
        let element = self.read(operand, at)?;
        Ok(Number::new(element, Interval::FULL))
    }

    fn clamped(
        &mut self,
        operand: usize,
        at: Vec<Number<'c>>,
        last: Number<'c>,
    ) -> Found<Number<'c>> {
        if last.ix.known() == Some(0) {
            return Ok(self.constant(0));
        }
        let start = self.read(operand, at)?.min(self.b, last.ix);
        let start = start.max(self.b, Ix::Known(0));
        Ok(Number::new(
            start,
            Interval::new(0, last.interval.upper.max(0)),
        ))
    }

    /// The sizes at run time say more than the operation.
    fn stretched(
        &mut self,
        operand: usize,
        (k, _): (usize, usize),
        index: Number<'c>,
        _: Option<bool>,
    ) -> Found<Number<'c>> {
        let size = self.size(Tensor::Operand(operand), k)?.ix;
        match size.known() {
            Some(1) => Ok(self.constant(0)),
            Some(_) => Ok(index),
            None => {
                let b = self.b;
                let one = b.cmpi(CmpI::Eq, size.value(b), b.cidx(1));
                let at = b.select(one, b.cidx(0), index.ix.value(b));
                let interval = index.interval.hull(Interval::point(0));
                Ok(Number::new(Ix::Value(at), interval))
            }
        }
    }

    fn within(&mut self, _: usize, _: usize, index: Number<'c>) -> Found<Number<'c>> {
        Ok(index)
    }
}
