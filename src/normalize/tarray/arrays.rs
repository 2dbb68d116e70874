//! Arrays made of tensors, and back.

use super::{
    Packing,
    emit::Emitter,
    form::{Form, levels},
};
use crate::rewrite::Result;
use mapwright_indexing::Extent;
use mapwright_mlir::{Op, UNBOUNDED, Val};

impl<'c> Emitter<'c> {
    /// The results, if it is one of these.
    pub(super) fn array_op(
        &self,
        op: Op<'c>,
        operands: &[Form<'c>],
    ) -> Result<'c, Option<Vec<Form<'c>>>> {
        let m = &self.m;
        let part = |i: usize| operands[i].parts[0];
        let dim = op.int("dim").unwrap_or(0) as usize;
        let one = |parts: Vec<Val<'c>>| {
            vec![Form {
                ty: op.result_type(0),
                parts,
            }]
        };
        Ok(Some(match op.short_name() {
            "arange" => one(self.arange(op, operands)),
            "from_offsets" => {
                let values: Vec<Val<'c>> = operands.iter().map(|form| form.parts[0]).collect();
                let array = m.made_of_offsets(op.result_type(0), &values);
                vec![m.with_room(&array)]
            }
            "to_offsets" => m
                .write(&operands[0], Packing::Never)
                .into_iter()
                .enumerate()
                .map(|(i, value)| Form {
                    ty: op.result_type(i),
                    parts: vec![value],
                })
                .collect(),
            "slices" => {
                let n = self.m.type_of(part(0)).1[dim];
                let most = levels(&op.result_type(0)).0[0];
                let rows = m.move_dim(part(0), dim, 0);
                let length = m.scalar(n);
                one(if n.is_run_time() && !m.is_at_most(n, most) {
                    let length = m.min(length, m.int(most));
                    vec![m.rows_from(rows, m.int(0), length), length]
                } else {
                    vec![rows, length]
                })
            }
            "chunks" => {
                let n = op.int("n").unwrap_or(1).max(1);
                let (_, mut shape) = self.m.type_of(part(0));
                let n = n.into();
                shape[dim] = shape[dim].floor_div(n);
                shape.insert(dim, n);
                let cut = m.reshape(part(0), &shape);
                one(vec![m.move_dim(cut, dim, 0), m.scalar(n)])
            }
            "stack" if operands.len() == 1 => {
                one(vec![m.move_dim(m.tight(&operands[0]).parts[0], 0, dim)])
            }
            "stack" => {
                let whole = self.behind(&operands[0], part(1));
                one(vec![m.move_dim(whole, 0, dim)])
            }
            "concatenate" => {
                let whole = m.move_dim(self.behind(&operands[0], part(1)), 0, dim);
                let (_, mut shape) = self.m.type_of(whole);
                let n = shape.remove(dim);
                shape[dim] *= n;
                one(vec![m.reshape(whole, &shape)])
            }
            "zip" => {
                let lengths: Vec<Val<'c>> = operands.iter().map(|form| form.parts[1]).collect();
                let shortest = self.least(&lengths);
                operands
                    .iter()
                    .enumerate()
                    .map(|(i, form)| m.cut(form, shortest, op.result_type(i)))
                    .collect()
            }
            _ => return Ok(None),
        }))
    }

    /// The least of numbers.
    pub(super) fn least(&self, numbers: &[Val<'c>]) -> Val<'c> {
        let mut all = numbers.iter().copied();
        let first = all.next().unwrap_or_else(|| self.m.int(0));
        all.fold(first, |least, next| self.m.min(least, next))
    }

    /// The leaves of an array of tensors, and `padding` behind the last.
    fn behind(&self, array: &Form<'c>, padding: Val<'c>) -> Val<'c> {
        let m = &self.m;
        let (_, mut shape) = m.type_of(array.parts[0]);
        if shape[0].is_run_time() {
            shape[0] = levels(&array.ty).0[0].into();
            let all = m.spread(padding, &shape);
            return m.with_rows(all, m.int(0), m.tight(array).parts[0]);
        }
        let padding = m.spread(padding, &shape);
        m.select(
            self.is_there(array.parts[1], &shape),
            array.parts[0],
            padding,
        )
    }

    /// Emits, for each element of a tensor of this shape, whether its first index is below
    /// `length`.
    pub(super) fn is_there(&self, length: Val<'c>, shape: &[Extent]) -> Val<'c> {
        let m = &self.m;
        let n = shape[0];
        let rows = m.compare("LT", m.iota(&[n], 0), m.spread(length, &[n]));
        m.broadcast(rows, &[0], shape)
    }

    /// `start + i * step`, and how many of them are before `stop`.
    fn arange(&self, op: Op<'c>, operands: &[Form<'c>]) -> Vec<Val<'c>> {
        let m = &self.m;
        let [start, stop, step] = [0, 1, 2].map(|i| operands[i].parts[0]);
        let max = op.int("max").unwrap_or(UNBOUNDED).max(0);
        let (zero, one) = (m.int(0), m.int(1));
        let rises = m.compare("GT", step, zero);
        let way = m.select(rises, m.sub(stop, start), m.sub(start, stop));
        let size = m.same("abs", &[step]);
        // A step of zero goes nowhere; the division is by one then, and its result is not used.
        let stands = m.compare("EQ", step, zero);
        let divisor = m.select(stands, one, size);
        // Without adding to the way, which may be as long as numbers are.
        let full = m.same("divide", &[m.sub(way, one), divisor]);
        let goes = m.and(m.compare("GT", way, zero), m.same("not", &[stands]));
        let count = m.select(goes, m.add(full, one), zero);
        let length = m.min(count, m.int(max));
        let room = m.packing.room(&op.result_type(0));
        let n = room.map_or_else(|| m.size_of(length), |room| room[0]);
        let i = m.iota(&[n], 0);
        let steps = m.same("multiply", &[i, m.spread(step, &[n])]);
        let values = m.add(m.spread(start, &[n]), steps);
        vec![values, length]
    }
}
