//! Loops over lists of different lengths, without padding.
//!
//! The body of a loop over lists is distributed: each of its operations is done for all rounds
//! before the next one. A loop over the elements of the lists becomes one over all elements that
//! there are (flattening, G. Blelloch's NESL), so that a product of each element with a matrix is
//! one product. What a round does to a list as a whole is done for all rounds where the maps say
//! that it does the same to each element ([`stacked`](super::stacked)), and is left to
//! [`in_turn`](super::in_turn) otherwise, one list after the other, each as long as it is.

use super::{
    emit::Emitter,
    form::{Form, number},
    lifted::{Level, Lifted},
    lists::{captures, constant, flat, inside, lists, of_one_shape},
};
use crate::rewrite::{Result, fail};
use mapwright_indexing::Extent;
use mapwright_mlir::{Blk, Op, UNBOUNDED, Val, ValueType, melior::ir::ValueLike, op};
use mapwright_ops::registry;

impl<'c> Emitter<'c> {
    /// A loop over arrays without padding; `None` where that is not worth it, or has no form.
    pub(super) fn flattened(&self, op: Op<'c>, xs: &[Form<'c>]) -> Option<Vec<Form<'c>>> {
        // Arrays with room for all that there may be are gone through with all of it.
        let is_long = |form: &Form<'c>| self.m.packing.room(&form.ty).is_none();
        let is_array = |form: &Form<'c>| matches!(form.ty, ValueType::Array { .. });
        let has_form = self.m.sizes.inside.get() == 0 && self.options.distribution;
        if !has_form || !xs.iter().all(is_array) || !xs.iter().any(is_long) {
            return None;
        }
        let before = self.mark();
        match self.flatten(op, xs) {
            Ok(found) => Some(found),
            Err(_) => {
                self.undo(before);
                None
            }
        }
    }

    fn flatten(&self, op: Op<'c>, xs: &[Form<'c>]) -> Result<'c, Vec<Form<'c>>> {
        let Some(block) = op.body(0) else {
            return fail(op, "has no body");
        };
        let (xs, level) = self.alike(xs);
        let arguments: Vec<Lifted<'c>> = xs.iter().map(|form| self.lifted_elements(form)).collect();
        let given = self.lifted_block(op, block, arguments, level)?;
        Ok(given
            .into_iter()
            .map(|value| self.gathered(value, level))
            .collect())
    }

    /// Arrays cut to the length of the shortest, and how many rounds that makes.
    fn alike(&self, xs: &[Form<'c>]) -> (Vec<Form<'c>>, Level<'c>) {
        let max = |form: &Form<'c>| match form.ty {
            ValueType::Array { max, .. } => max,
            _ => 0,
        };
        let most = xs.iter().map(max).min().unwrap_or(0);
        let same = xs
            .iter()
            .all(|form| form.parts[1] == xs[0].parts[1] && max(form) == most);
        let cut: Vec<Form<'c>> = if same {
            xs.to_vec()
        } else {
            let counts: Vec<Val<'c>> = xs.iter().map(|form| form.parts[1]).collect();
            let count = self.least(&counts);
            let cut = |form: &Form<'c>| {
                let mut ty = form.ty.clone();
                if let ValueType::Array { max, .. } = &mut ty {
                    *max = most;
                }
                self.m.cut(form, count, ty)
            };
            xs.iter().map(cut).collect()
        };
        let all: Vec<Form<'c>> = cut.iter().map(|form| self.m.tight(form)).collect();
        let level = Level {
            most,
            count: all[0].parts[1],
            size: self.m.room_at(&all[0], 0),
        };
        (all, level)
    }

    /// The elements of an array as a value that each round has one of.
    fn lifted_elements(&self, array: &Form<'c>) -> Lifted<'c> {
        match &array.ty {
            ValueType::Array { element, .. } if element.tensor().is_some() => Lifted::Rows(Form {
                ty: (**element).clone(),
                parts: vec![self.m.tight(array).parts[0]],
            }),
            _ => Lifted::Nest(array.clone()),
        }
    }

    /// The array of what each round gives.
    fn gathered(&self, value: Lifted<'c>, level: Level<'c>) -> Form<'c> {
        match value {
            Lifted::Nest(form) => form,
            // No element of an array has sizes of its own.
            Lifted::Stacked(stacked) => stacked.as_lists(),
            Lifted::Deferred(made, _) => unreachable!("{} was done before", made.name()),
            Lifted::Rows(form) => Form {
                ty: ValueType::Array {
                    element: Box::new(form.ty),
                    max: level.most,
                },
                parts: vec![form.parts[0], level.count],
            },
        }
    }

    /// The operations of a block for all rounds; what its end gives.
    fn lifted_block(
        &self,
        at: Op<'c>,
        block: Blk<'c>,
        arguments: Vec<Lifted<'c>>,
        level: Level<'c>,
    ) -> Result<'c, Vec<Lifted<'c>>> {
        for (argument, value) in op::arguments(block).into_iter().zip(arguments) {
            self.lift(argument, value);
        }
        let all = op::ops(block);
        let Some((end, ops)) = all.split_last() else {
            return fail(at, "has an empty body");
        };
        let mut i = 0;
        while i < ops.len() {
            let op = ops[i];
            self.m.b.set_location(op.location());
            let is_lifted = |value: &Val<'c>| self.lifted(*value).is_some();
            if !captures(&[op]).iter().any(is_lifted) && registry::is_function(op) {
                self.op(op)?;
                i += 1;
                continue;
            }
            if let Some(results) = self.lifted_op(op, level)? {
                for (result, value) in op.results().into_iter().zip(results) {
                    self.lift(result, value);
                }
                i += 1;
                continue;
            }
            let turn = self.turn(&ops[i..], *end, level)?;
            i += turn.count;
            self.in_turn(turn, level)?;
        }
        end.operands()
            .into_iter()
            .map(|value| self.in_all_rounds(*end, value, level))
            .collect()
    }

    /// A value in all rounds, also one that is the same in each.
    fn in_all_rounds(
        &self,
        at: Op<'c>,
        value: Val<'c>,
        level: Level<'c>,
    ) -> Result<'c, Lifted<'c>> {
        match self.lifted(value) {
            Some(Lifted::Deferred(made, _)) => {
                return match self.materialized(value)? {
                    Some(stacked) => Ok(Lifted::Stacked(stacked)),
                    None => fail(made, "has a result of other sizes in each round"),
                };
            }
            Some(known) => return Ok(known),
            None => {}
        }
        match self.form(value) {
            Some(Form {
                ty: ty @ ValueType::Tensor(_),
                parts,
            }) => {
                let (_, own) = self.m.type_of(parts[0]);
                let dims: Vec<i64> = (1..=own.len() as i64).collect();
                let sizes = [&[level.size], &own[..]].concat();
                let all = self.m.broadcast(parts[0], &dims, &sizes);
                Ok(Lifted::Rows(Form {
                    ty,
                    parts: vec![all],
                }))
            }
            _ => fail(at, "gives an array that is the same in each round"),
        }
    }

    /// One operation for all rounds; `None` where it needs the rounds one after the other.
    fn lifted_op(&self, op: Op<'c>, level: Level<'c>) -> Result<'c, Option<Vec<Lifted<'c>>>> {
        let nests: Option<Vec<Form<'c>>> = op
            .operands()
            .into_iter()
            .map(|value| match self.lifted(value) {
                Some(Lifted::Nest(form)) => Some(form),
                _ => None,
            })
            .collect();
        match (op.name(), nests) {
            ("tarray.parallel_foreach", Some(xs)) => self.inner_loop(op, &xs, level),
            ("tarray.length", Some(xs)) => {
                let offsets = xs[0].parts[2];
                let lengths = self.m.lengths(offsets);
                Ok(Some(vec![Lifted::Rows(Form {
                    ty: op.result_type(0),
                    parts: vec![lengths],
                })]))
            }
            ("tarray.arange", _) => {
                let found = self.numbered(op, level);
                Ok(found.map(|found| vec![Lifted::Nest(found)]))
            }
            ("tarray.zip", Some(xs)) if of_one_shape(&xs) => {
                Ok(Some(xs.into_iter().map(Lifted::Nest).collect()))
            }
            ("func.call", _) => self.lifted_call(op, level).map(Some),
            _ => match self.rows(op, level)? {
                Some(found) => Ok(Some(found)),
                None => Ok(self.on_slices(op, level)?.map(|found| vec![found])),
            },
        }
    }

    fn lifted_call(&self, op: Op<'c>, level: Level<'c>) -> Result<'c, Vec<Lifted<'c>>> {
        let name = op.symbol("callee").unwrap_or_default();
        let block = self.body_of(op, &name)?;
        let mut arguments = Vec::new();
        for value in op.operands() {
            // An array that is the same in each round is left as it is, and so is a Tensor.
            arguments.push((self.lifted(value), self.form(value)));
        }
        self.nested(op, || {
            let mut lifted = Vec::new();
            for (argument, (value, form)) in op::arguments(block).into_iter().zip(arguments) {
                match (value, form) {
                    (Some(value), _) => lifted.push((argument, value)),
                    (None, Some(form)) => self.bind(argument, form),
                    (None, None) => return fail(op, "has an operand that is not known here"),
                }
            }
            for (argument, value) in lifted {
                self.lift(argument, value);
            }
            self.lifted_block(op, block, Vec::new(), level)
        })
    }

    /// An operation on Tensors, for all rounds at once.
    fn rows(&self, op: Op<'c>, level: Level<'c>) -> Result<'c, Option<Vec<Lifted<'c>>>> {
        let used = captures(&[op]);
        let mut captured = Vec::new();
        for value in used {
            match self.lifted(value) {
                Some(Lifted::Rows(form)) => captured.push((value, form)),
                Some(_) => return Ok(None),
                None => {}
            }
        }
        let fixed = |value: Val<'c>| {
            let ty = ValueType::from_mlir(value.r#type());
            matches!(ty, ValueType::Shape(_))
                || ty.tensor().is_some_and(|ty| ty.static_shape().is_some())
        };
        if !op.results().into_iter().all(fixed) {
            return Ok(None);
        }
        let dims = [level.size];
        let given = self.for_all(op, &[], &captured, &dims, None, &|_| {
            self.op(op)?;
            let results = op.results().into_iter();
            let forms = results.map(|result| self.form(result));
            match forms.collect::<Option<Vec<_>>>() {
                Some(forms) => Ok(forms),
                None => fail(op, "has a result that is not known"),
            }
        })?;
        Ok(Some(given.into_iter().map(Lifted::Rows).collect()))
    }

    /// A loop over the elements of lists, for all lists at once.
    fn inner_loop(
        &self,
        op: Op<'c>,
        xs: &[Form<'c>],
        level: Level<'c>,
    ) -> Result<'c, Option<Vec<Lifted<'c>>>> {
        let m = &self.m;
        let Some(block) = op.body(0) else {
            return fail(op, "has no body");
        };
        if !of_one_shape(xs) || xs.is_empty() {
            return Ok(None);
        }
        let arguments = op::arguments(block);
        let used: Vec<Val<'c>> = captures(&op::ops(block))
            .into_iter()
            .filter(|value| !arguments.contains(value))
            .collect();
        let mut captured = Vec::new();
        for value in used {
            match self.lifted(value) {
                Some(Lifted::Rows(form)) => captured.push((value, form)),
                Some(_) => return Ok(None),
                None => {}
            }
        }
        let offsets = xs[0].parts[2];
        let Some((_, inner)) = inside(&xs[0].ty) else {
            return fail(op, "goes through what is no array of arrays");
        };
        let most = level.most.saturating_mul(inner);
        let next = Level {
            most,
            count: m.count_at(&xs[0], 1),
            size: m.room_at(&xs[0], 1),
        };
        let flat: Vec<Form<'c>> = (xs.iter().map(|form| flat(form, next))).collect();
        if !captured.is_empty() {
            let of = self.list_of_each(offsets, next.size);
            for (_, form) in &mut captured {
                form.parts = vec![m.rows_or_zeros(form.parts[0], of)];
            }
        }
        let leaves = flat.iter().all(|form| {
            matches!(&form.ty, ValueType::Array { element, .. } if element.tensor().is_some())
        });
        let given: Vec<Form<'c>> = if leaves {
            let arguments: Vec<Form<'c>> = flat
                .iter()
                .filter_map(|form| match self.lifted_elements(form) {
                    Lifted::Rows(form) => Some(form),
                    _ => None,
                })
                .collect();
            let dims = [next.size];
            let given = self.for_all(op, &arguments, &captured, &dims, None, &|forms| {
                Ok(self.block(block, forms)?.1)
            })?;
            let mut all = Vec::new();
            for form in given {
                if form.ty.tensor().is_none() {
                    return fail(op, "gives an array for each element of a list");
                }
                all.push(self.gathered(Lifted::Rows(form), next));
            }
            all
        } else {
            let before: Vec<_> = (captured.iter())
                .map(|(value, _)| (*value, self.lifted(*value)))
                .collect();
            for (value, form) in captured {
                self.lift(value, Lifted::Rows(form));
            }
            let arguments = flat.iter().map(|form| self.lifted_elements(form)).collect();
            let given = self.lifted_block(op, block, arguments, next);
            for (value, before) in before {
                if let Some(before) = before {
                    self.lift(value, before);
                }
            }
            given?
                .into_iter()
                .map(|value| self.gathered(value, next))
                .collect()
        };
        Ok(Some(
            given
                .into_iter()
                .map(|form| Lifted::Nest(lists(form, offsets, level, inner)))
                .collect(),
        ))
    }

    /// The numbers of the elements of each list, counted from zero, where that is what an operation
    /// gives.
    fn numbered(&self, op: Op<'c>, level: Level<'c>) -> Option<Form<'c>> {
        let m = &self.m;
        let is = |k: usize, number: i64| constant(op.operand(k)) == Some(number);
        let (length, _) = op::defining_op(op.operand(1))?;
        if length.name() != "tarray.length" || !is(0, 0) || !is(2, 1) {
            return None;
        }
        let Some(Lifted::Nest(form)) = self.lifted(length.operand(0)) else {
            return None;
        };
        let (_, inner) = inside(&form.ty)?;
        let max = Some(op.int("max").unwrap_or(UNBOUNDED)).filter(|max| *max >= inner)?;
        let offsets = form.parts[2];
        let size = m.room_at(&form, 1);
        let begins = m.rows(offsets, self.list_of_each(offsets, size));
        let numbers = m.sub(m.iota(&[size], 0), begins);
        let all = Form {
            ty: op.result_type(0),
            parts: vec![numbers, m.count_at(&form, 1)],
        };
        Some(lists(all, offsets, level, max))
    }

    /// For each element of all lists, the number of its list: how many lists end before it.
    fn list_of_each(&self, offsets: Val<'c>, total: Extent) -> Val<'c> {
        let m = &self.m;
        let ends = m.rest(offsets, 1);
        let sizes = [total, m.type_of(ends).1[0]];
        let ends = m.broadcast(ends, &[1], &sizes);
        let before = m.compare("LE", ends, m.iota(&sizes, 0));
        let counts = m.convert(before, &number());
        m.reduce("add", counts, m.int(0), &[1])
    }
}
