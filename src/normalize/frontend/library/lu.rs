//! `LuDecomposition`: LAPACK's factors, pivots counted from 0, and the permutation that they make.

use super::Call;
use crate::rewrite::{Result, replace};
use mapwright_mlir::{ElementType, Op, TensorType, Val, melior::ir::ValueLike};

pub(super) fn rewrite<'c>(op: Op<'c>) -> Result<'c> {
    let call = Call::new(op, 1, 3)?;
    let (m, n) = (call.rows, call.columns);
    let (int, count) = (ElementType::int(32), m.min(n));
    call.expect_result(0, &call.element, &[m, n])?;
    call.expect_result(1, &int, &[count])?;
    call.expect_result(2, &int, &[m])?;
    let found = call.lapack(
        "getrf",
        "{}",
        &[call.operand(0)],
        &[
            (call.work.clone(), vec![m, n]),
            (int.clone(), vec![count]),
            (int.clone(), vec![]),
        ],
    );
    let one = call.b.constant("1", &call.tensor(&int, &[count]));
    let pivots = call.b.binary("subtract", found[1], one);
    let permutation = permutation(&call, pivots, count);
    let values = [call.b.convert(found[0], &call.element), pivots, permutation];
    replace(op, &values);
    Ok(())
}

/// The order of the rows after they have been exchanged as `pivots` say, one after the other.
fn permutation<'c>(call: &Call<'c>, pivots: Val<'c>, count: i64) -> Val<'c> {
    let b = &call.b;
    let int = ElementType::int(32);
    let rank = call.batch.len();
    let all = call.tensor(&int, &[call.rows]);
    let number = |n: i64| b.constant(&n.to_string(), &TensorType::new(int.clone(), &[]));
    let iota = || b.iota(&all, rank);
    let start = number(0);
    let types = [start.r#type(), b.ty(&all)];
    let condition = b.region(&types, |_, state| {
        let goes_on = b.compare("LT", state[0], number(count));
        b.op("stablehlo.return", &[goes_on], &[], &[]);
    });
    let body = b.region(&types, |_, state| {
        let [step, order] = state else { return };
        let zero = number(0);
        let mut starts = vec![zero; rank];
        starts.push(*step);
        let one_each = |of: Val<'c>| {
            let dims: Vec<i64> = (0..=rank as i64).collect();
            b.broadcast(b.slice_at(of, &starts, &call.shape(&[1])), &all, &dims)
        };
        let places = iota();
        let other = one_each(pivots);
        let at_own = b.compare("EQ", places, b.broadcast(*step, &all, &[]));
        let at_other = b.compare("EQ", places, other);
        // What is at the other place: all else is zero, so that it is the sum.
        let only = b.choose(at_other, *order, b.constant("0", &all));
        let found = b.reduce("add", only, zero, &[rank as i64]);
        let found = call.spread(found, &int, &[call.rows]);
        let next = b.choose(at_other, one_each(*order), *order);
        let next = b.choose(at_own, found, next);
        let step = b.binary("add", *step, number(1));
        b.op("stablehlo.return", &[step, next], &[], &[]);
    });
    b.op_with_regions(
        "stablehlo.while",
        &[start, iota()],
        &types,
        &[],
        vec![condition, body],
    )
    .result(1)
}
