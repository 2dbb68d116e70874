//! Arrays of the elements that a body chooses, orders or makes.

use super::{
    emit::Emitter,
    form::{Form, levels, number},
};
use crate::rewrite::{Result, fail};
use mapwright_mlir::{ElementType, Op, Val, ValueType};

impl<'c> Emitter<'c> {
    /// The elements for which the body holds, one behind the other.
    pub(super) fn filter(&self, op: Op<'c>, xs: &[Form<'c>]) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let rounds = self.rounds(xs);
        let n = rounds.most;
        let Some(block) = op.body(0) else {
            return fail(op, "has no body");
        };
        let given = self.at_once(op, block, &rounds.elements, &[n], Some(rounds.count))?;
        let Some(keeps) = given.first().map(|form| form.parts[0]) else {
            return fail(op, "has a body that gives nothing");
        };
        let all = &rounds.elements[0];
        if n == 0 {
            return Ok(vec![m.pack(op.result_type(0), &all.parts, m.int(0))]);
        }
        let ty = op.result_type(0);
        let most = levels(&ty).0[0];
        let keeps = m.and(keeps, self.is_there(rounds.count, &[n]));
        let counts = m.convert(keeps, &number());
        let (offsets, places) = m.offsets_of(counts);
        // A list has no more elements than those that are chosen from.
        let of_list = matches!(xs[0].ty, ValueType::Array { .. }) && n.is_run_time();
        let room = m.packing.room(&ty).filter(|_| !of_list);
        let room = room.map_or_else(|| m.as_room(n), |room| room[0]);
        // What is not kept, and what is behind the most elements, goes nowhere.
        let at = m.select(keeps, places, m.spread(m.scalar(room), &[n]));
        let parts: Vec<Val<'c>> = all
            .parts
            .iter()
            .map(|all| {
                let (element, mut shape) = self.m.type_of(*all);
                shape[0] = room;
                m.scatter(None, m.zeros(&element, &shape), at, *all)
            })
            .collect();
        let length = m.min(m.last(offsets), m.int(most));
        Ok(vec![m.pack(ty, &parts, length)])
    }

    /// Whether an element is there comes before its key, so that what is not there comes last.
    pub(super) fn sortby(&self, op: Op<'c>, xs: &[Form<'c>]) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let Some(block) = op.body(0) else {
            return fail(op, "has no body");
        };
        let rounds = self.rounds(xs);
        let n = rounds.most;
        let given = self.at_once(op, block, &rounds.elements, &[n], Some(rounds.count))?;
        let Some(keys) = given.first().map(|form| form.parts[0]) else {
            return fail(op, "has a body that gives nothing");
        };
        if n == 0 {
            return Ok(vec![xs[0].clone()]);
        }
        let (element, _) = self.m.type_of(keys);
        let absent = m.same("not", &[self.is_there(rounds.count, &[n])]);
        let numbers = m.iota(&[n], 0);
        let mut operands = vec![m.convert(absent, &ElementType::int(8))];
        if matches!(element, ElementType::Float(_)) {
            let is_nan = m.compare("NE", keys, keys);
            operands.push(m.convert(is_nan, &ElementType::int(8)));
        }
        operands.push(keys);
        operands.push(numbers);
        let types: Vec<_> = operands
            .iter()
            .map(|value| m.ty(&self.m.type_of(*value).0, &[n]))
            .collect();
        let scalars: Vec<_> = operands
            .iter()
            .flat_map(|value| [m.ty(&self.m.type_of(*value).0, &[]); 2])
            .collect();
        let compared = operands.len() - 1;
        let comparator = m.b.region(&scalars, |b, arguments| {
            let mut less = m.compare(
                "LT",
                arguments[2 * compared - 2],
                arguments[2 * compared - 1],
            );
            for k in (0..compared - 1).rev() {
                let (x, y) = (arguments[2 * k], arguments[2 * k + 1]);
                let equal = m.and(m.compare("EQ", x, y), less);
                less = m.same("or", &[m.compare("LT", x, y), equal]);
            }
            b.op("stablehlo.return", &[less], &[], &[]);
        });
        let attributes = [
            ("dimension", m.b.i64_attr(0)),
            ("is_stable", m.b.bool_attr(true)),
        ];
        let sorted =
            m.b.op_with_regions(
                "stablehlo.sort",
                &operands,
                &types,
                &attributes,
                vec![comparator],
            )
            .results();
        for value in &sorted {
            m.sized(*value, &[n]);
        }
        let at = sorted[sorted.len() - 1];
        let all = &rounds.elements[0];
        let parts = all
            .parts
            .iter()
            .map(|all| m.rows_or_zeros(*all, at))
            .collect();
        let all = Form {
            ty: all.ty.clone(),
            parts,
        };
        Ok(vec![self.collected(op, 0, &all, rounds.count)])
    }

    /// A round appends behind the last element; what it must not append stays there to be
    /// overwritten.
    pub(super) fn build(
        &self,
        op: Op<'c>,
        xs: &[Form<'c>],
        inits: &[Form<'c>],
    ) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let max = op.int("max").unwrap_or(0).max(0);
        let yields = self.yields(op);
        let Some(element) = yields.get(1) else {
            return fail(op, "has a body that gives no element");
        };
        let number_of = |i| Form {
            ty: op.operand_type(0),
            parts: vec![i],
        };
        let trial = |i| {
            let arguments = [&[number_of(i)], inits].concat();
            Ok(self.body(op, arguments)?.drain(1..2).collect())
        };
        // No round gives more than one element.
        let rounds = m.max(xs[0].parts[0], m.int(0));
        let room = match m.packing.room(&op.result_type(0)) {
            Some(room) => room[0],
            None => m.as_room(m.size_of(m.min(rounds, m.int(max)))),
        };
        let types = std::slice::from_ref(element);
        let mut state = self.room(op, types, room + 1, &trial)?;
        state.push(number_of(m.int(0)));
        let settled = |form: &Form<'c>| m.settled(form, m.packing);
        state.extend(inits.iter().map(settled));
        let values: Vec<Val<'c>> = state.iter().flat_map(|form| form.parts.clone()).collect();
        let all = m.repeat_changing(op, xs[0].parts[0], &values, |i, values| {
            let now = self.regrouped(&state, values);
            let length = now[1].parts[0];
            let mut arguments = vec![number_of(i)];
            arguments.extend(now[2..].iter().cloned());
            let given = self.body(op, arguments)?;
            let has_room = m.compare("LT", length, m.int(max));
            let appends = m.and(given[0].parts[0], has_room);
            let appends = m.convert(appends, &number());
            let mut next = if self.is_joined(element) {
                let one = m.alone(&given[1]);
                let ty = one.ty.clone();
                m.appended(op, &now[0], &m.tight(&m.cut(&one, appends, ty)))?
            } else {
                self.with_round(op, &now[0], length, &given[1])?
            };
            next.push(m.add(length, appends));
            next.extend(given[2..].iter().flat_map(|form| settled(form).parts));
            Ok(next)
        })?;
        let state = self.regrouped(&state, &all);
        let ty = op.result_type(0);
        let mut results = vec![if self.is_joined(element) {
            Form {
                ty,
                parts: m.closed(&state[0]).parts,
            }
        } else {
            let list = self.first_of(&state[0], room);
            m.pack(ty, &list.parts, state[1].parts[0])
        }];
        results.extend(state[2..].iter().cloned());
        Ok(results)
    }
}
