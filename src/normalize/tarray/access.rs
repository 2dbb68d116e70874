//! Single elements, several of them, and layouts.

use super::{
    emit::Emitter,
    form::{Form, levels, number, product},
};
use crate::hlo::neutral_literal;
use crate::rewrite::{Result, fail};
use mapwright_indexing::Extent;
use mapwright_mlir::{ElementType, Op, Val, ValueType};
use mapwright_ops::attrs::{self, Pool, Update};
use mapwright_ops::reduction::combination::Combination;

/// The operation that puts two elements together to the greatest, least, or sum.
fn pool_name(pool: Pool) -> &'static str {
    match pool {
        Pool::Max => "maximum",
        Pool::Min => "minimum",
        Pool::Mean | Pool::Sum => "add",
    }
}

impl<'c> Emitter<'c> {
    /// The result, if it is one of these.
    pub(super) fn access_op(
        &self,
        op: Op<'c>,
        operands: &[Form<'c>],
    ) -> Result<'c, Option<Form<'c>>> {
        let m = &self.m;
        let part = |i: usize| operands[i].parts[0];
        let dim = op.int("dim").unwrap_or(0) as usize;
        let of_array = matches!(
            operands.first().map(|form| &form.ty),
            Some(ValueType::Array { .. })
        );
        let value = match op.short_name() {
            "index" if of_array => return self.index_of_array(op, operands).map(Some),
            "index_update" if of_array => {
                let leaves = self.leaf_updated(op, operands)?;
                let mut parts = operands[0].parts.clone();
                parts[0] = leaves;
                return Ok(Some(Form {
                    ty: op.result_type(0),
                    parts,
                }));
            }
            "gather" if of_array => return self.gather_of_array(op, operands).map(Some),
            "scatter" if of_array => return self.scatter_of_array(op, operands).map(Some),
            "index" => {
                let (flat, at) = self.selected(part(0), dim, &self.one_index(&operands[1]), true);
                m.reshape(m.rows_or_zeros(flat, at), &[])
            }
            "index_update" => {
                let (_, shape) = m.type_of(part(0));
                let (flat, at) = self.selected(part(0), dim, &self.one_index(&operands[2]), false);
                let new = m.reshape(part(1), &[Extent::ONE]);
                let changed = self.updated(op, flat, at, new)?;
                m.reshape(changed, &shape)
            }
            "gather" => {
                let (front, at) = self.selected(part(0), dim, &operands[1], true);
                let rows = m.rows_or_zeros(front, at);
                match pool(op)? {
                    None => m.move_dim(rows, 0, dim),
                    Some(pool) => self.pooled(pool, rows, None),
                }
            }
            "scatter" => {
                let (front, at) = self.selected(part(0), dim, &operands[2], false);
                let updates = m.move_dim(part(1), dim, 0);
                let changed = self.scattered(pool(op)?, front, at, updates);
                match m.type_of(operands[2].parts[0]).1.len() {
                    1 => m.move_dim(changed, 0, dim),
                    _ => m.reshape(changed, &m.type_of(part(0)).1),
                }
            }
            "embedding" => {
                let front = m.move_dim(part(1), dim, 0);
                let rows = m.rows_or_zeros(front, self.indices(&operands[0]).0);
                // An array has its lists where its indices had them.
                let parts = [&[rows], &operands[0].parts[1..]].concat();
                return Ok(Some(Form {
                    ty: op.result_type(0),
                    parts,
                }));
            }
            "slice" => {
                let (_, mut shape) = m.type_of(part(0));
                let cut = match operands.get(1) {
                    Some(at) => {
                        let row = m.row(m.move_dim(part(0), dim, 0), at.parts[0]);
                        shape.remove(dim);
                        shape.insert(0, Extent::ONE);
                        m.move_dim(m.reshape(row, &shape), 0, dim)
                    }
                    None => {
                        let range = op.ints("range").unwrap_or_default();
                        let &[start, stride, end] = range.as_slice() else {
                            return fail(op, "needs a range");
                        };
                        if shape[dim].is_run_time() {
                            let message = "the range of a slice ends at {1}, behind the size {0}";
                            m.require("GE", shape[dim], end.into(), message);
                        }
                        m.slice(part(0), dim, (start, stride, end))
                    }
                };
                match op.boolean("keep_dim") {
                    Some(false) => m.reshape(cut, &without(m.type_of(cut).1, dim)),
                    _ => cut,
                }
            }
            "transpose" => m.transpose(part(0), &op.ints("permutation").unwrap_or_default()),
            "reshape" => m.reshape(part(0), &self.filled(op, part(0))),
            "squeeze" => m.reshape(part(0), &without(m.type_of(part(0)).1, dim)),
            "unsqueeze" => {
                let (_, mut shape) = m.type_of(part(0));
                shape.insert(dim, Extent::ONE);
                m.reshape(part(0), &shape)
            }
            _ => return Ok(None),
        };
        Ok(Some(Form {
            ty: op.result_type(0),
            parts: vec![value],
        }))
    }

    /// The shape of a `reshape` of `x` with the sizes that are left open: those that are known at
    /// run time only, or what follows from the others.
    fn filled(&self, op: Op<'c>, x: Val<'c>) -> Vec<Extent> {
        let (_, own) = self.m.type_of(x);
        let shape = op.ints("shape").unwrap_or_default();
        let given: Vec<i64> = shape.iter().copied().filter(|size| *size != -1).collect();
        let (open, known): (Vec<Extent>, Vec<_>) = own.iter().partition(|size| size.is_run_time());
        let (all, given_all) = (own.iter().product::<Extent>(), product(&given));
        let as_before = open.len() + given.len() == shape.len()
            && known.iter().product::<Extent>() == given_all;
        let open = if as_before {
            open
        } else {
            vec![all.floor_div(given_all.max(1).into())]
        };
        let mut open = open.into_iter();
        let one = |size: i64| match size {
            -1 => open.next().unwrap_or_default(),
            size => size.into(),
        };
        shape.into_iter().map(one).collect()
    }

    /// Number `i` of an index.
    fn step(&self, at: Val<'c>, i: usize) -> Val<'c> {
        self.m.first(at, i as i64)
    }

    /// Indices as a vector of numbers, and how many of them there are where that is not all.
    fn indices(&self, form: &Form<'c>) -> (Val<'c>, Option<Val<'c>>) {
        let m = &self.m;
        let mut at = form.parts[0];
        let (element, shape) = self.m.type_of(at);
        // The greatest numbers of 64 bits without a sign would become negative ones.
        if element == ElementType::uint(64) {
            let most = m.splat(&i64::MAX.to_string(), &element, &shape);
            at = m.min(at, most);
        }
        (m.convert(at, &number()), form.parts.get(1).copied())
    }

    /// One index as the only row of a matrix.
    fn one_index(&self, at: &Form<'c>) -> Form<'c> {
        let (_, steps) = self.m.type_of(at.parts[0]);
        Form {
            ty: at.ty.clone(),
            parts: vec![self.m.reshape(at.parts[0], &[Extent::ONE, steps[0]])],
        }
    }

    /// The slices of a tensor that indices lead to, as rows, and which of them these are: along
    /// dimension `dim` by a vector, along the first dimensions by the rows of a matrix. An index of
    /// several numbers is the place in the row-major order; what is outside is brought to the
    /// nearest, or is behind everything.
    fn selected(&self, x: Val<'c>, dim: usize, at: &Form<'c>, nearest: bool) -> (Val<'c>, Val<'c>) {
        let m = &self.m;
        let (at, _) = self.indices(at);
        let (_, shape) = m.type_of(x);
        let [n, steps] = m.type_of(at).1[..] else {
            return (m.move_dim(x, dim, 0), at);
        };
        let steps = steps.as_constant().unwrap_or_default();
        let (sizes, rest) = shape.split_at(steps as usize);
        let all = |scalar: Val<'c>| m.spread(scalar, &[n]);
        let mut flat = all(m.int(0));
        let mut inside: Option<Val<'c>> = None;
        for (d, size) in sizes.iter().enumerate() {
            let d = d as i64;
            let mut i = m.reshape(m.slice(at, 1, (d, 1, d + 1)), &[n]);
            let (zero, most) = (all(m.int(0)), all(m.sub(m.scalar(*size), m.int(1))));
            if nearest {
                i = m.clamp(zero, i, most);
            } else {
                let own = m.and(m.compare("GE", i, zero), m.compare("LE", i, most));
                inside = Some(match inside {
                    Some(all) => m.and(all, own),
                    None => own,
                });
            }
            flat = m.add(m.same("multiply", &[flat, all(m.scalar(*size))]), i);
        }
        let count = sizes.iter().product();
        let flat = match inside {
            Some(inside) => m.select(inside, flat, all(m.scalar(count))),
            None => flat,
        };
        (m.reshape(x, &[&[count], rest].concat()), flat)
    }

    /// Rows changed as the operation says.
    fn updated(&self, op: Op<'c>, x: Val<'c>, at: Val<'c>, new: Val<'c>) -> Result<'c, Val<'c>> {
        let name = match attrs::update(op) {
            Ok(Update::Add) => Some("add"),
            Ok(Update::Max) => Some("maximum"),
            Ok(Update::Min) => Some("minimum"),
            Ok(Update::Mul) => Some("multiply"),
            Ok(Update::Set) => None,
            Err(error) => return fail(op, error.to_string()),
        };
        Ok(self.m.scatter(name, x, at, new))
    }

    /// The element that the index leads to; of an array without it zeros, or an array without
    /// elements.
    fn index_of_array(&self, op: Op<'c>, operands: &[Form<'c>]) -> Result<'c, Form<'c>> {
        let m = &self.m;
        let (at, _) = self.indices(&operands[1]);
        let steps = m.len(at) as usize;
        let mut form = operands[0].clone();
        for step in 0..steps {
            let ValueType::Array { element, max } = form.ty.clone() else {
                return fail(op, "has an index that is deeper than its array");
            };
            if max == 0 {
                form = m.empty(*element, form.parts[0], 1);
                continue;
            }
            let length = form.parts[1];
            let last = m.max(m.sub(length, m.int(1)), m.int(0));
            let i = m.clamp(m.int(0), self.step(at, step), last);
            let found = m.elements_at(&form, m.reshape(i, &[Extent::ONE]));
            let mut parts: Vec<Val<'c>> = found
                .into_iter()
                .map(|all| m.reshape(all, &self.m.type_of(all).1[1..]))
                .collect();
            let is_empty = m.compare("EQ", length, m.int(0));
            // Of a nest nothing is there if the list has no elements.
            let nests = matches!(*element, ValueType::Array { .. });
            let from = usize::from(nests);
            for part in &mut parts[from..] {
                let (kind, shape) = self.m.type_of(*part);
                *part = m.select(is_empty, m.zeros(&kind, &shape), *part);
            }
            form = Form {
                ty: *element,
                parts,
            };
        }
        Ok(form)
    }

    /// The buffer of an array with one leaf changed, unless the index is outside.
    fn leaf_updated(&self, op: Op<'c>, operands: &[Form<'c>]) -> Result<'c, Val<'c>> {
        let m = &self.m;
        let (at, _) = self.indices(&operands[2]);
        let (max, _) = levels(&operands[0].ty);
        let mut begin = m.int(0);
        let mut count = operands[0].parts[1];
        let mut inside: Option<Val<'c>> = None;
        let mut row = begin;
        for level in 0..max.len() {
            let i = self.step(at, level);
            let own = m.and(m.compare("GE", i, m.int(0)), m.compare("LT", i, count));
            inside = Some(match inside {
                Some(all) => m.and(all, own),
                None => own,
            });
            row = m.add(begin, i);
            if level + 1 < max.len() {
                let offsets = operands[0].parts[level + 2];
                let list = m.reshape(row, &[Extent::ONE]);
                let next = m.add(list, m.ints(&[1]));
                begin = m.reshape(m.rows(offsets, list), &[]);
                count = m.sub(m.reshape(m.rows(offsets, next), &[]), begin);
            }
        }
        let values = operands[0].parts[0];
        let behind = m.scalar(m.type_of(values).1[0]);
        let row = match inside {
            Some(inside) => m.select(inside, row, behind),
            None => behind,
        };
        let new = operands[1].parts[0];
        let (_, shape) = self.m.type_of(new);
        let new = m.reshape(new, &[&[Extent::ONE], &shape[..]].concat());
        self.updated(op, values, m.reshape(row, &[Extent::ONE]), new)
    }

    /// The element that changes nothing.
    fn neutral(&self, pool: Pool, element: &ElementType) -> Val<'c> {
        let m = &self.m;
        let extreme = match pool {
            Pool::Mean | Pool::Sum => return m.zeros(element, &[]),
            Pool::Max => Combination::Maximum,
            Pool::Min => Combination::Minimum,
        };
        neutral_literal(extreme, element).map_or_else(
            || {
                let far = neutral_literal(extreme, &ElementType::F32).unwrap_or_default();
                m.convert(m.splat(&far, &ElementType::F32, &[]), element)
            },
            |text| m.splat(&text, element, &[]),
        )
    }

    /// The first `count` rows (all of them without it) put together to one.
    fn pooled(&self, pool: Pool, rows: Val<'c>, count: Option<Val<'c>>) -> Val<'c> {
        let m = &self.m;
        let (element, shape) = self.m.type_of(rows);
        let neutral = self.neutral(pool, &element);
        let rows = match count {
            Some(count) => {
                let others = m.spread(neutral, &shape);
                m.select(self.is_there(count, &shape), rows, others)
            }
            None => rows,
        };
        let all = m.reduce(pool_name(pool), rows, neutral, &[0]);
        match pool {
            Pool::Mean => {
                let count = count.unwrap_or_else(|| m.scalar(shape[0]));
                let by = m.spread(m.convert(count, &element), &shape[1..]);
                m.same("divide", &[all, by])
            }
            _ => all,
        }
    }

    fn gather_of_array(&self, op: Op<'c>, operands: &[Form<'c>]) -> Result<'c, Form<'c>> {
        let m = &self.m;
        let array = &operands[0];
        let ValueType::Array { element, .. } = &array.ty else {
            return fail(op, "needs an array");
        };
        let (at, count) = self.indices(&operands[1]);
        let n = self.m.type_of(at).1[0];
        let (zero, length) = (m.int(0), array.parts[1]);
        let last = m.max(m.sub(length, m.int(1)), zero);
        let at = m.clamp(m.spread(zero, &[n]), at, m.spread(last, &[n]));
        let is_empty = m.compare("EQ", length, zero);
        let nests = matches!(**element, ValueType::Array { .. });
        let rows: Vec<Val<'c>> = m
            .elements_at(array, at)
            .into_iter()
            .enumerate()
            .map(|(i, rows)| {
                let (kind, shape) = self.m.type_of(rows);
                if nests && i == 0 {
                    rows
                } else {
                    m.select(is_empty, m.zeros(&kind, &shape), rows)
                }
            })
            .collect();
        match pool(op)? {
            None => {
                let length = count.unwrap_or_else(|| m.scalar(n));
                Ok(m.pack(op.result_type(0), &rows, length))
            }
            Some(pool) => Ok(Form {
                ty: op.result_type(0),
                parts: vec![self.pooled(pool, rows[0], count)],
            }),
        }
    }

    fn scatter_of_array(&self, op: Op<'c>, operands: &[Form<'c>]) -> Result<'c, Form<'c>> {
        let m = &self.m;
        let (at, count) = self.indices(&operands[2]);
        let updates = operands[1].parts[0];
        let values = operands[0].parts[0];
        // As many as there are indices and updates.
        let (own, room) = (m.type_of(at).1[0], m.type_of(updates).1[0]);
        let n = match own.is_run_time() {
            true => room,
            false if room.is_run_time() => own,
            false => own.min(room),
        };
        let lengths = [operands[1].parts[1], count.unwrap_or_else(|| m.scalar(own))];
        // Of those with a run-time size what is behind is never looked at.
        let cut = |x: Val<'c>| match m.type_of(x).1[0] {
            size if size == n => x,
            size if size.is_run_time() => m.rows_or_zeros(x, m.iota(&[n], 0)),
            _ => m.slice(x, 0, (0, 1, n)),
        };
        let (at, updates) = (cut(at), cut(updates));
        let count = self.least(&lengths);
        let length = m.spread(operands[0].parts[1], &[n]);
        let mut inside = m.and(
            m.compare("LT", at, length),
            m.compare("LT", m.iota(&[n], 0), m.spread(count, &[n])),
        );
        inside = m.and(inside, m.compare("GE", at, m.zeros(&number(), &[n])));
        let behind = m.spread(m.scalar(m.type_of(values).1[0]), &[n]);
        let at = m.select(inside, at, behind);
        let mut parts = operands[0].parts.clone();
        parts[0] = self.scattered(pool(op)?, values, at, updates);
        Ok(Form {
            ty: op.result_type(0),
            parts,
        })
    }

    /// Rows put together with all updates that go to them.
    fn scattered(&self, pool: Option<Pool>, x: Val<'c>, at: Val<'c>, updates: Val<'c>) -> Val<'c> {
        let m = &self.m;
        let all = m.scatter(pool.map(pool_name), x, at, updates);
        if pool != Some(Pool::Mean) {
            return all;
        }
        let (element, shape) = self.m.type_of(x);
        let n = self.m.type_of(at).1[0];
        let one = m.int(1);
        let counts = m.scatter(
            Some("add"),
            m.spread(one, &[shape[0]]),
            at,
            m.spread(one, &[n]),
        );
        let by = m.broadcast(m.convert(counts, &element), &[0], &shape);
        m.same("divide", &[all, by])
    }
}

/// `sizes` without the one at `d`.
fn without(mut sizes: Vec<Extent>, d: usize) -> Vec<Extent> {
    sizes.remove(d);
    sizes
}

/// Reads how a gather or scatter pools elements.
fn pool<'c>(op: Op<'c>) -> Result<'c, Option<Pool>> {
    match attrs::pool(op) {
        Ok(pool) => Ok(pool),
        Err(error) => fail(op, error.to_string()),
    }
}
