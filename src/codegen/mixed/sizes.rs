//! Sizes of the results of regions and of operations, known at run time, from tensors.

use crate::{
    error::{Result, Unsupported, unsupported},
    index::Ix,
    inline::Located,
    sizes::{self, Question},
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpI, ElementType, Op, Val, ValueType, attr, op};
use mapwright_ops::attrs;
use std::collections::HashMap;

/// What is known in front of an operation.
pub(super) struct Sizes<'a, 'c> {
    b: &'a Builder<'c>,
    /// The region, if it is about what is inside of one.
    fusion: Option<Op<'c>>,
    known: HashMap<usize, Vec<Ix<'c>>>,
}

fn tensor(value: Val<'_>) -> Result<mapwright_mlir::TensorType> {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(tensor) => Ok(tensor),
        other => unsupported(format!("a value of type {other}")),
    }
}

/// The sizes of the results of `op`, a region or an operation, computed where `b` stands. What they must satisfy is asserted there.
pub(crate) fn of_results<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
) -> std::result::Result<Vec<Vec<Ix<'c>>>, Located<'c>> {
    let is_region = op.name() == "indexing.fusion";
    let mut sizes = Sizes {
        b,
        fusion: is_region.then_some(op),
        known: HashMap::new(),
    };
    let members = match is_region {
        true => op.body(0).map(op::ops).unwrap_or_default(),
        false => vec![op],
    };
    for member in &members {
        sizes::require(b, *member, &mut |_, question| {
            sizes.answer(*member, question)
        })
        .map_err(|why| Located { op: *member, why })?;
    }
    let values = match is_region {
        true => members.last().map(|end| end.operands()).unwrap_or_default(),
        false => op.results(),
    };
    let all = values.into_iter().map(|value| sizes.of(value));
    all.collect::<Result<_>>()
        .map_err(|why| Located { op, why })
}

impl<'c> Sizes<'_, 'c> {
    fn of(&mut self, value: Val<'c>) -> Result<Vec<Ix<'c>>> {
        let ty = tensor(value)?;
        if let Some(shape) = ty.static_shape() {
            return Ok(shape.into_iter().map(Ix::Known).collect());
        }
        let outside = self.outside(value);
        let key = op::key(outside.unwrap_or(value));
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let mut found = match outside {
            Some(value) => self.of_tensor(value),
            None => {
                let Some((op, number)) = op::defining_op(value) else {
                    return unsupported("a value without a definition");
                };
                sizes::of_result(self.b, op, number, &mut |_, question| {
                    self.answer(op, question)
                })?
            }
        };
        for (size, dim) in found.iter_mut().zip(&ty.dims) {
            if let Some(n) = dim.fixed() {
                *size = Ix::Known(n);
            }
        }
        self.known.insert(key, found.clone());
        Ok(found)
    }

    /// The tensor that `value` is outside of the region; none for results of members. Of an operation, the operands are outside.
    fn outside(&self, value: Val<'c>) -> Option<Val<'c>> {
        match self.fusion {
            Some(fusion) => {
                let (_, number) = op::block_argument(value)?;
                Some(fusion.operand(number))
            }
            None => {
                let own = op::defining_op(value).is_some_and(|(op, _)| super::is_hlo(op));
                (!own).then_some(value)
            }
        }
    }

    fn of_tensor(&self, value: Val<'c>) -> Vec<Ix<'c>> {
        let b = self.b;
        let rank = tensor(value).map_or(0, |ty| ty.rank());
        (0..rank)
            .map(|d| {
                let dimension = b.cidx(d as i64);
                Ix::Value(b.op1("tensor.dim", &[value, dimension], b.index(), &[]))
            })
            .collect()
    }

    fn answer(&mut self, op: Op<'c>, question: Question<'c>) -> Result<Vec<Ix<'c>>> {
        match question {
            Question::Sizes(value) => return self.of(value),
            Question::Equal(x, y) => {
                for (x, y) in x.iter().zip(&y) {
                    if x.key() != y.key() {
                        let what = "has operands or a result whose sizes do not match";
                        self.require(op, CmpI::Eq, *x, *y, what);
                    }
                }
            }
            Question::AtMost(x, y) => {
                let holds = x.known().zip(y.known()).is_some_and(|(x, y)| x <= y);
                if !holds {
                    let what = "reaches outside of its operand, or has a negative size";
                    self.require(op, CmpI::Sle, x, y, what);
                }
            }
            Question::Element(value, index) => {
                let outside = self.outside(value).unwrap_or(value);
                return Ok(vec![self.element(outside, &index)?]);
            }
        }
        Ok(Vec::new())
    }

    fn require(&self, op: Op<'c>, predicate: CmpI, x: Ix<'c>, y: Ix<'c>, what: &str) {
        let b = self.b;
        let holds = b.cmpi(predicate, x.value(b), y.value(b));
        let message = format!("'{}' at {} {what}", op.name(), op.location());
        b.op("cf.assert", &[holds], &[], &[("msg", b.str_attr(&message))]);
    }

    /// An element of an integer tensor outside as an index; constants are looked into.
    fn element(&self, value: Val<'c>, index: &[Ix<'c>]) -> Result<Ix<'c>> {
        let (b, ty) = (self.b, tensor(value)?);
        let defining = op::defining_op(value).map(|(op, _)| op);
        if let Some(op) = defining
            && (op.is_hlo("constant") || op.name() == "arith.constant")
            && let Some(shape) = ty.static_shape()
            && let Some(at) = index
                .iter()
                .zip(&shape)
                .try_fold(0, |at, (i, size)| Some(at * size + i.known()?))
            && let Some(values) = op.attribute("value").and_then(attr::ints)
            && let Some(found) = values.get(at as usize).or(values.first())
        {
            return Ok(Ix::Known(*found));
        }
        if let Some(op) = defining
            && op.is_hlo("iota")
        {
            // It is made again in every region that uses it, so that there is no tensor of it.
            let axis = attrs::int(op, "iota_dimension").map_err(|e| Unsupported(e.to_string()))?;
            return Ok(index[axis as usize]);
        }
        if defining.is_some_and(super::is_hlo) {
            return unsupported("a shape that is computed inside of a region");
        }
        if ty.element.is_unsigned() {
            return unsupported(format!("a shape of elements of type {}", ty.element));
        }
        let mut operands = vec![value];
        operands.extend(index.iter().map(|i| i.value(b)));
        let element = b.element_of(value.r#type());
        let found = b.op1("tensor.extract", &operands, element, &[]);
        Ok(Ix::Value(match ty.element {
            ElementType::Index => found,
            _ => sizes::to_index(b, found, &ty.element),
        }))
    }
}
