//! Tensors that have a slice for each element of a list, in all rounds of a loop over lists.
//!
//! A body makes such a Tensor of a list by `stack`. What it does to the Tensor it does to each
//! slice by itself where the map of the operation says so: an element with the index `j` along one
//! dimension of the result is made of elements with the same `j` of every such operand, and of the
//! same elements of all others. Then the operation is done once, on the slices of all rounds one
//! behind the other: a product of a matrix of tokens with another matrix is one product of the
//! tokens of all lists. Where the map relates one slice to others (each token to each other one),
//! or is not known, the operation is done in each round ([`in_turn`](super::in_turn)).
//!
//! What moves elements only is not done before it is known who reads it, a round or all of them.

use super::{
    emit::Emitter,
    form::{Form, levels},
    lifted::{Level, Lifted, Stacked},
    lists::{captures, inside},
};
use crate::rewrite::Result;
use mapwright_indexing::{Expr, ExprKind, IndexingMap};
use mapwright_mlir::{Op, Val, ValueType, melior::ir::ValueLike};
use mapwright_ops::{
    output_to_input,
    registry::{self, Class},
};

impl<'c> Emitter<'c> {
    /// An operation on slices, for all rounds at once; `None` where it needs the rounds.
    pub(super) fn on_slices(&self, op: Op<'c>, level: Level<'c>) -> Result<'c, Option<Lifted<'c>>> {
        if op.num_results() != 1 {
            return Ok(None);
        }
        let is_array = |value: Val<'c>| matches!(self.lifted(value), Some(Lifted::Nest(_)));
        if op.name() == "tarray.stack" {
            let whole = op.num_operands() == 1 && is_array(op.operand(0));
            return Ok(whole.then_some(Lifted::Deferred(op, level)));
        }
        let used = captures(&[op]);
        let slices: Vec<Val<'c>> = (used.iter().copied())
            .filter(|value| self.lifted(*value).is_some())
            .collect();
        let all_slices = slices.iter().all(|value| {
            matches!(
                self.lifted(*value),
                Some(Lifted::Stacked(_) | Lifted::Deferred(..))
            )
        });
        let operands = op.operands();
        if !all_slices || !slices.iter().all(|value| operands.contains(value)) {
            return Ok(None);
        }
        let class = registry::lookup(op).map(|def| def.class);
        if class == Some(Class::Movement) && slices.len() == 1 && op.name() != "tarray.slices" {
            return Ok(Some(Lifted::Deferred(op, level)));
        }
        if op.name() == "tarray.slices" {
            return self.sliced_again(op);
        }
        Ok(self.at_all_slices(op)?.map(Lifted::Stacked))
    }

    /// The slices of a Tensor as the elements of a list again.
    fn sliced_again(&self, op: Op<'c>) -> Result<'c, Option<Lifted<'c>>> {
        let Some(stacked) = self.materialized(op.operand(0))? else {
            return Ok(None);
        };
        let dim = op.int("dim").and_then(|d| usize::try_from(d).ok());
        let ValueType::Array { max, .. } = op.result_type(0) else {
            return Ok(None);
        };
        if dim != Some(stacked.dim) || max != stacked.most {
            return Ok(None);
        }
        let rows = self.m.move_dim(stacked.all, stacked.dim, 0);
        let ty = ValueType::Array {
            element: Box::new(op.result_type(0)),
            max: stacked.level.most,
        };
        Ok(Some(Lifted::Nest(Form {
            ty,
            parts: vec![rows, stacked.level.count, stacked.offsets],
        })))
    }

    /// The slices of all rounds; `None` where they cannot be made of what they are made of.
    pub(super) fn materialized(&self, value: Val<'c>) -> Result<'c, Option<Stacked<'c>>> {
        let (made, level) = match self.lifted(value) {
            Some(Lifted::Stacked(stacked)) => return Ok(Some(stacked)),
            Some(Lifted::Deferred(made, level)) => (made, level),
            _ => return Ok(None),
        };
        let found = match (made.name(), self.lifted(made.operand(0))) {
            ("tarray.stack", Some(Lifted::Nest(form))) => self.stacked(made, &form, level),
            _ => self.at_all_slices(made)?,
        };
        if let Some(stacked) = &found {
            self.lift(value, Lifted::Stacked(stacked.clone()));
        }
        Ok(found)
    }

    /// The elements of all lists of an array of arrays of tensors as slices.
    fn stacked(&self, op: Op<'c>, form: &Form<'c>, level: Level<'c>) -> Option<Stacked<'c>> {
        let dim = usize::try_from(op.int("dim")?).ok()?;
        let (max, _) = levels(&form.ty);
        let (_, most) = inside(&form.ty).filter(|_| max.len() == 2)?;
        Some(Stacked {
            all: self.m.move_dim(self.m.tight(form).parts[0], 0, dim),
            dim,
            offsets: form.parts[2],
            most,
            level,
        })
    }

    /// An operation that does the same to every slice, on those of all rounds.
    fn at_all_slices(&self, op: Op<'c>) -> Result<'c, Option<Stacked<'c>>> {
        let mut slices: Vec<(usize, Stacked<'c>)> = Vec::new();
        for (k, value) in op.operands().into_iter().enumerate() {
            if self.lifted(value).is_none() {
                continue;
            }
            match self.materialized(value)? {
                Some(stacked) => slices.push((k, stacked)),
                None => return Ok(None),
            }
        }
        let Some((_, first)) = slices.first().cloned() else {
            return Ok(None);
        };
        let of_one_loop = (slices.iter())
            .all(|(_, other)| other.offsets == first.offsets && other.most == first.most);
        let dims: Vec<(usize, usize)> = slices.iter().map(|(k, s)| (*k, s.dim)).collect();
        let Some(dim) = along_one(op, &dims).filter(|_| of_one_loop) else {
            return Ok(None);
        };
        let before = self.mark();
        let lifted: Vec<(Val<'c>, Option<Lifted<'c>>)> = (op.operands().into_iter())
            .map(|value| (value, self.lifted(value)))
            .collect();
        for (k, stacked) in &slices {
            let form = Form {
                ty: op.operand_type(*k),
                parts: vec![stacked.all],
            };
            self.bind(op.operand(*k), form);
        }
        let outcome = self.op(op);
        for (value, lifted) in lifted {
            if let Some(lifted) = lifted {
                self.lift(value, lifted);
            }
        }
        let all = match (outcome, self.form(op.result(0))) {
            (Ok(()), Some(form)) => form.parts[0],
            _ => {
                self.undo(before);
                return Ok(None);
            }
        };
        Ok(Some(Stacked { all, dim, ..first }))
    }

    /// Returns the operations, not done yet, that move elements that `ops` read, in order.
    pub(super) fn deferred_before(&self, ops: &[Op<'c>]) -> Vec<Op<'c>> {
        let mut all = Vec::new();
        for value in captures(ops) {
            self.deferred(value, &mut all);
        }
        all
    }

    fn deferred(&self, value: Val<'c>, all: &mut Vec<Op<'c>>) {
        if let Some(Lifted::Deferred(made, _)) = self.lifted(value)
            && !all.contains(&made)
        {
            for value in captures(&[made]) {
                self.deferred(value, all);
            }
            all.push(made);
        }
    }
}

/// The dimension of the result along which an operation does the same to every slice of operands
/// `(k, dimension)`, by its maps.
fn along_one(op: Op<'_>, slices: &[(usize, usize)]) -> Option<usize> {
    let maps = output_to_input(op, 0);
    let of = |k: usize| -> Vec<&IndexingMap> {
        let own = maps.iter().filter(|of| of.operand == k);
        own.flat_map(|of| &of.maps).collect()
    };
    let mut along = None;
    for (k, dim) in slices {
        let [map] = of(*k)[..] else { return None };
        if map.unknown_reason().is_some() {
            return None;
        }
        let ExprKind::Dim(d) = map.results().get(*dim)?.kind() else {
            return None;
        };
        let others = map.results().iter().enumerate().filter(|(i, _)| i != dim);
        let alone = others.into_iter().all(|(_, expr)| !mentions(expr, *d));
        if !alone || along.is_some_and(|other| other != *d) {
            return None;
        }
        along = Some(*d);
    }
    let along = along?;
    // Nothing else grows with the number of slices.
    let grows = |ty: ValueType, but: Option<usize>| {
        ty.tensor().is_none_or(|ty| {
            let mut dims = ty.dims.iter().enumerate();
            dims.any(|(d, dim)| Some(d) != but && dim.fixed().is_none())
        })
    };
    if grows(op.result_type(0), Some(along)) {
        return None;
    }
    for (k, value) in op.operands().into_iter().enumerate() {
        let own = slices.iter().find(|(other, _)| *other == k);
        if grows(
            ValueType::from_mlir(value.r#type()),
            own.map(|(_, dim)| *dim),
        ) {
            return None;
        }
        let same_for_all = |map: &&IndexingMap| {
            map.unknown_reason().is_none() && map.results().iter().all(|e| !mentions(e, along))
        };
        if own.is_none() && !of(k).iter().all(same_for_all) {
            return None;
        }
    }
    Some(along)
}

/// Tells whether an expression depends on dimension `d`.
fn mentions(expr: &Expr, d: usize) -> bool {
    let mut found = false;
    expr.for_each_variable(|kind| found |= matches!(kind, ExprKind::Dim(other) if *other == d));
    found
}
