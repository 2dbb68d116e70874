//! Operations that move elements: their index rules ([`mapwright_ops::index_rule`]) over all
//! elements of a result at once.

use super::tensor::{Tensor, ints};
use mapwright_indexing::Interval;
use mapwright_mlir::{Op, Val, op};
use mapwright_ops::{
    index_rule::{self, IndexDomain, Read},
    number::{Arithmetic, NumberDomain},
    registry,
    shape_function::{self, Found, SizeDomain, SizeError, tensor},
};
use std::rc::Rc;

/// The result of an operation that moves elements of constants.
pub fn evaluate(operation: Op<'_>, operands: &[Tensor], result: &Tensor) -> Option<Tensor> {
    let rule = registry::lookup(operation)?.index_rule?;
    // What operands say of sizes must be what types say.
    let mut sizes = Sizes {
        op: operation,
        operands,
    };
    let required = shape_function::evaluate(&mut sizes, |shapes| {
        shape_function::preconditions(shapes, operation)?;
        Ok(Vec::new())
    });
    required.ok()?;
    let all: Vec<Vec<i64>> = (0..result.count()).map(|i| result.index(i)).collect();
    let column = |d: usize| Numbers::Each(all.iter().map(|index| index[d]).collect());
    let index = (0..result.shape.len()).map(column).collect();
    let mut elements = Elements { operands, result };
    let reads = index_rule::evaluate(&mut elements, operation, rule, index).ok()?;
    let mut data = Vec::with_capacity(result.count() * result.width);
    for i in 0..result.count() {
        let mut reads = reads.pieces.iter().chain(&reads.elsewhere);
        data.extend_from_slice(reads.find_map(|read| element(operands, read, i))?);
    }
    Some(result.with(data))
}

/// The element that is read for element `i` of the result, where there is one.
fn element<'t>(operands: &'t [Tensor], read: &Read<Numbers>, i: usize) -> Option<&'t [u8]> {
    let operand = operands.get(read.operand)?;
    let places = read.at.iter().map(|place| {
        let (number, step) = (place.number.at(i), place.step.at(i));
        (step > 0 && number.rem_euclid(step) == 0).then(|| number / step)
    });
    let index: Vec<i64> = places.collect::<Option<_>>()?;
    Some(operand.at(place(operand, &index)?))
}

/// The number of the element at an index that is inside.
fn place(tensor: &Tensor, index: &[i64]) -> Option<usize> {
    let inside = |(i, size): (&i64, &i64)| (0..*size).contains(i);
    let inside = index.len() == tensor.shape.len() && index.iter().zip(&tensor.shape).all(inside);
    inside.then(|| tensor.position(index))
}

/// A number for each element of the result.
#[derive(Clone)]
enum Numbers {
    /// All the same.
    Same(i64),
    /// In the order of the elements.
    Each(Rc<[i64]>),
}

impl Numbers {
    fn at(&self, i: usize) -> i64 {
        match self {
            Self::Same(n) => *n,
            Self::Each(all) => all[i],
        }
    }
}

/// The domain of numbers for each element of a result.
struct Elements<'a> {
    operands: &'a [Tensor],
    result: &'a Tensor,
}

impl Elements<'_> {
    /// Returns the number that `number` gives for each element, or one for all of them if `same`.
    fn each(&self, same: bool, number: impl Fn(usize) -> Option<i64>) -> Result<Numbers, String> {
        let beyond = || "a number that is none".to_owned();
        if same {
            return number(0).map(Numbers::Same).ok_or_else(beyond);
        }
        let all: Option<Rc<[i64]>> = (0..self.result.count()).map(number).collect();
        all.map(Numbers::Each).ok_or_else(beyond)
    }

    /// Elements of an integer operand, changed by `with`.
    fn read(
        &self,
        operand: usize,
        at: &[Numbers],
        with: impl Fn(i64) -> i64,
    ) -> Result<Numbers, String> {
        let none = || format!("operand {operand} has no integers");
        let tensor = self.operands.get(operand).ok_or_else(none)?;
        let values = ints(tensor).ok_or_else(none)?;
        let same = at.iter().all(|number| matches!(number, Numbers::Same(_)));
        self.each(same, |i| {
            let index: Vec<i64> = at.iter().map(|number| number.at(i)).collect();
            values.get(place(tensor, &index)?).copied().map(&with)
        })
    }
}

impl NumberDomain for Elements<'_> {
    type Value = Numbers;
    type Error = String;

    fn constant(&mut self, n: i64) -> Numbers {
        Numbers::Same(n)
    }

    fn known(&self, number: &Numbers) -> Option<i64> {
        match number {
            Numbers::Same(n) => Some(*n),
            Numbers::Each(_) => None,
        }
    }

    fn arithmetic(&mut self, what: Arithmetic, a: Numbers, b: Numbers) -> Result<Numbers, String> {
        let same = matches!((&a, &b), (Numbers::Same(_), Numbers::Same(_)));
        self.each(same, |i| what.apply(a.at(i), b.at(i)))
    }
}

impl IndexDomain for Elements<'_> {
    fn size(&mut self, of: index_rule::Tensor, k: usize) -> Result<Numbers, String> {
        let tensor = match of {
            index_rule::Tensor::Operand(i) => self.operands.get(i),
            index_rule::Tensor::Result => Some(self.result),
        };
        let size = tensor.and_then(|tensor| tensor.shape.get(k));
        let size = size.ok_or("a dimension that is not there")?;
        Ok(Numbers::Same(*size))
    }

    fn element(
        &mut self,
        operand: usize,
        at: Vec<Numbers>,
        _: Interval,
    ) -> Result<Numbers, String> {
        self.read(operand, &at, |value| value)
    }

    fn clamped(
        &mut self,
        operand: usize,
        at: Vec<Numbers>,
        last: Numbers,
    ) -> Result<Numbers, String> {
        let last = self.known(&last).filter(|last| *last >= 0);
        let last = last.ok_or("a slice that is larger than the operand")?;
        self.read(operand, &at, |value| value.clamp(0, last))
    }

    fn stretched(
        &mut self,
        operand: usize,
        (k, _): (usize, usize),
        index: Numbers,
        _: Option<bool>,
    ) -> Result<Numbers, String> {
        let size = self.size(index_rule::Tensor::Operand(operand), k)?;
        Ok(match self.known(&size) {
            Some(1) => Numbers::Same(0),
            _ => index,
        })
    }

    /// Whether an element is there is looked at where it is read.
    fn within(&mut self, _: usize, _: usize, index: Numbers) -> Result<Numbers, String> {
        Ok(index)
    }
}

/// The domain of sizes as numbers, with the elements of constant operands.
struct Sizes<'a, 'c> {
    op: Op<'c>,
    operands: &'a [Tensor],
}

fn unknown(what: &str) -> SizeError {
    SizeError::Unknown(what.into())
}

impl NumberDomain for Sizes<'_, '_> {
    type Value = i64;
    type Error = SizeError;

    fn constant(&mut self, n: i64) -> i64 {
        n
    }

    fn known(&self, size: &i64) -> Option<i64> {
        Some(*size)
    }

    fn arithmetic(&mut self, what: Arithmetic, a: i64, b: i64) -> Found<i64> {
        let found = what.apply(a, b);
        found.ok_or_else(|| unknown("a number that is none"))
    }
}

impl<'c> SizeDomain<'c> for Sizes<'_, 'c> {
    fn sizes(&mut self, value: Val<'c>) -> Found<Vec<i64>> {
        let shape = tensor(value).and_then(|ty| ty.static_shape());
        shape.ok_or_else(|| unknown("a size that is known at run time only"))
    }

    fn element(&mut self, value: Val<'c>, index: &[i64]) -> Found<i64> {
        let none = || unknown("an element that is known at run time only");
        let operands = self.op.operands();
        let same = |own: Val<'c>| op::key(own) == op::key(value);
        let operand = operands.into_iter().position(same);
        let operand = operand.and_then(|i| self.operands.get(i));
        let operand = operand.ok_or_else(none)?;
        let values = ints(operand).ok_or_else(none)?;
        let at = place(operand, index).ok_or_else(none)?;
        values.get(at).copied().ok_or_else(none)
    }

    fn merge(&mut self, a: i64, _: i64) -> i64 {
        a
    }

    fn not_negative(&mut self, n: i64) -> Found<i64> {
        match n {
            ..0 => Err(unknown("a negative size")),
            _ => Ok(n),
        }
    }

    fn below(&mut self, size: i64, limit: i64) -> i64 {
        size.min(limit)
    }

    fn require_equal(&mut self, a: Vec<i64>, b: Vec<i64>) -> Found<()> {
        if a == b {
            Ok(())
        } else {
            Err(unknown("sizes that are not equal"))
        }
    }

    fn require_at_most(&mut self, a: i64, b: i64) -> Found<()> {
        if a <= b {
            Ok(())
        } else {
            Err(unknown("a size that is too large"))
        }
    }
}
