//! `LuDecomposition`: LAPACK's factors, pivots counted from 0, and the permutation that they make.

use super::Call;
use crate::rewrite::{Result, replace};
use mapwright_mlir::{ElementType, Op, Val};

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
    let one = call.splat("1", call.ty(&int, &[count]));
    let pivots = call.b.op1(
        "stablehlo.subtract",
        &[found[1], one],
        call.ty(&int, &[count]),
        &[],
    );
    let permutation = permutation(&call, pivots, count);
    let values = [call.convert(found[0], &call.element), pivots, permutation];
    replace(op, &values);
    Ok(())
}

/// The order of the rows after they have been exchanged as `pivots` say, one after the other.
fn permutation<'c>(call: &Call<'c>, pivots: Val<'c>, count: i64) -> Val<'c> {
    let b = &call.b;
    let int = ElementType::int(32);
    let (m, rank) = (call.rows, call.batch.len());
    let all = call.ty(&int, &[m]);
    let last = b.i64_attr(rank as i64);
    let iota = || b.op1("stablehlo.iota", &[], all, &[("iota_dimension", last)]);
    let scalar = b.parse_type("tensor<i32>");
    let start = call.splat("0", scalar);
    let types = [scalar, all];
    let condition = b.region(&types, |b, state| {
        let end = call.b.parse_attr(&format!("dense<{count}> : tensor<i32>"));
        let end = b.op1("stablehlo.constant", &[], scalar, &[("value", end)]);
        let less = b.parse_attr("#stablehlo<comparison_direction LT>");
        let goes_on = b.op1(
            "stablehlo.compare",
            &[state[0], end],
            b.parse_type("tensor<i1>"),
            &[("comparison_direction", less)],
        );
        b.op("stablehlo.return", &[goes_on], &[], &[]);
    });
    let body = b.region(&types, |b, state| {
        let [step, order] = state else { return };
        let zero = call.splat("0", scalar);
        let mut starts = vec![zero; rank];
        starts.push(*step);
        let one_each = |of: Val<'c>| {
            let mut operands = vec![of];
            operands.extend(&starts);
            let sizes = b.i64_array(&call.shape(&[1]));
            let one = call.ty(&int, &[1]);
            let found = b.op1(
                "stablehlo.dynamic_slice",
                &operands,
                one,
                &[("slice_sizes", sizes)],
            );
            let dims: Vec<i64> = (0..=rank as i64).collect();
            b.op1(
                "stablehlo.broadcast_in_dim",
                &[found],
                all,
                &[("broadcast_dimensions", b.i64_array(&dims))],
            )
        };
        let places = iota();
        let other = one_each(pivots);
        let own = b.op1(
            "stablehlo.broadcast_in_dim",
            &[*step],
            all,
            &[("broadcast_dimensions", b.i64_array(&[]))],
        );
        let at_own = call.compare("EQ", places, own, &[m]);
        let at_other = call.compare("EQ", places, other, &[m]);
        // What is at the other place: all else is zero, so that it is the sum.
        let zeros = call.splat("0", all);
        let only = b.op1("stablehlo.select", &[at_other, *order, zeros], all, &[]);
        let sum = b.region(&[scalar, scalar], |b, pair| {
            let sum = b.same("stablehlo.add", pair);
            b.op("stablehlo.return", &[sum], &[], &[]);
        });
        let found = b
            .op_with_regions(
                "stablehlo.reduce",
                &[only, zero],
                &[call.ty(&int, &[])],
                &[("dimensions", b.i64_array(&[rank as i64]))],
                vec![sum],
            )
            .result(0);
        let found = call.spread(found, &int, &[m]);
        let moved = one_each(*order);
        let next = b.op1("stablehlo.select", &[at_other, moved, *order], all, &[]);
        let next = b.op1("stablehlo.select", &[at_own, found, next], all, &[]);
        let one = call.splat("1", scalar);
        let step = b.same("stablehlo.add", &[*step, one]);
        b.op("stablehlo.return", &[step, next], &[], &[]);
    });
    let first = iota();
    b.op_with_regions(
        "stablehlo.while",
        &[start, first],
        &types,
        &[],
        vec![condition, body],
    )
    .result(1)
}
