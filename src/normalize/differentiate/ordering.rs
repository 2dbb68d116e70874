//! Sorted elements go back to where they came from.

use super::reverse::Reverse;
use crate::rewrite::{Result, fail};
use mapwright_indexing::Extent;
use mapwright_mlir::{Builder, ElementType, Op, TensorType, Val, edit, melior::ir::ValueLike, op};

/// Tells whether each element of a value is its index along the dimension `d`.
fn is_place(value: Val<'_>, d: usize) -> bool {
    let wide = |ty: TensorType| matches!(ty.element, ElementType::Int { width: 32.., .. });
    let made =
        op::defining_op(value).filter(|_| TensorType::from_mlir(value.r#type()).is_some_and(wide));
    let Some((made, _)) = made.filter(|(made, _)| made.is_hlo("iota")) else {
        return false;
    };
    made.int("iota_dimension") == i64::try_from(d).ok()
}

impl<'c> Reverse<'c> {
    /// The places that elements came from are sorted with them.
    pub(super) fn sorted(&self, op: Op<'c>, given: &[Option<Val<'c>>]) -> Result<'c> {
        let n = op.num_operands();
        let Some(b) = Builder::before(op.context(), op) else {
            return fail(op, "is not inside a block");
        };
        let (_, shape) = self.m.type_of(op.operand(0));
        let d = op.int("dimension").unwrap_or(-1);
        let d = if d < 0 { d + shape.len() as i64 } else { d } as usize;
        let Some(block) = op.body(0) else {
            return fail(op, "has no body");
        };
        if d >= shape.len() {
            return fail(op, "has no such dimension");
        }
        // Programs sort the places themselves where they ask for them.
        let known = (0..n).find(|k| is_place(op.operand(*k), d));
        if let Some(k) = known {
            let at = op.result(k);
            for (of, given) in op.operands().into_iter().zip(given) {
                let Some(given) = given.filter(|_| self.is_active(of)) else {
                    continue;
                };
                self.give(of, self.returned(given, at, &shape, d));
            }
            return Ok(());
        }
        let make = self.m.elsewhere(b);
        let places = make.iota(&shape, d);
        let mut operands = op.operands();
        operands.push(places);
        let scalar = make.ty(&ElementType::int(64), &[]);
        for _ in 0..2 {
            edit::insert_argument(block, usize::MAX, scalar, op.location());
        }
        let types: Vec<_> = operands.iter().map(|value| value.r#type()).collect();
        let regions = edit::take_regions(op);
        let made = make
            .b
            .op_with_regions(op.name(), &operands, &types, &op.attributes(), regions);
        for (old, new) in op.results().into_iter().zip(made.results()) {
            op::replace_all_uses(old, new);
        }
        for value in made.results() {
            self.m.sized(value, &shape);
        }
        self.bury(op);
        for k in 0..n {
            let Some(given) = given[k].filter(|_| self.is_active(made.operand(k))) else {
                continue;
            };
            self.give(
                made.operand(k),
                self.returned(given, made.result(n), &shape, d),
            );
        }
        Ok(())
    }

    /// Elements of a tensor of `shape` of which `given` are those at the places `at` along a
    /// dimension, one for each; zeros elsewhere.
    fn returned(&self, given: Val<'c>, at: Val<'c>, shape: &[Extent], d: usize) -> Val<'c> {
        let m = &self.m;
        let (element, out) = m.type_of(given);
        let zeros = m.zeros(&element, shape);
        if shape.contains(&Extent::ZERO) || out.contains(&Extent::ZERO) {
            return zeros;
        }
        let at = m.convert(at, &ElementType::int(64));
        // Row-major places, of the given elements.
        let mut flat = m.spread(m.int(0), &out);
        for (k, size) in shape.iter().enumerate() {
            let next = if k == d { at } else { m.iota(&out, k) };
            let size = m.spread(m.scalar(*size), &out);
            flat = m.add(m.same("multiply", &[flat, size]), next);
        }
        let count = [out.iter().product()];
        let (at, updates) = (m.reshape(flat, &count), m.reshape(given, &count));
        let all = m.reshape(zeros, &[shape.iter().product()]);
        m.reshape(m.scatter(Some("add"), all, at, updates), shape)
    }

    /// The greatest elements of each row.
    pub(super) fn greatest(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let x = op.operand(0);
        if self.is_active(x) {
            let (_, shape) = m.type_of(x);
            self.give(
                x,
                self.returned(given, op.result(1), &shape, shape.len() - 1),
            );
        }
        Ok(())
    }
}
