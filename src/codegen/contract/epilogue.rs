//! What follows the product, computed while a register tile is written back.

use super::ahead::LINE;
use super::matmul_emitter::{MatmulEmitter, Width, finish, prefetch};
use super::problem::{EmitResult, M, N};
use crate::tiled::emitter::{Lane, Scope};
use mapwright_fusion::node::tensor;
use mapwright_indexing::linear::Sum;
use mapwright_mlir::{Val, op};

/// Writes the sums of a register tile, row by row.
pub(crate) fn write<'c>(
    make: &mut MatmulEmitter<'_, 'c>,
    rows: i64,
    width: Width<'c>,
    sums: &[Val<'c>],
) -> EmitResult<()> {
    if rows * width.vectors <= make.plan.choices.unrolled_epilogue {
        return each(make, width, &(0..rows).collect::<Vec<_>>(), &mut |r, v| {
            sums[(r * width.vectors + v) as usize]
        });
    }
    // Through memory, so that the code is there once and not for each row.
    let (b, plan) = (make.b, make.plan);
    let element = crate::storage::storage_type(b, &make.p.acc)?;
    let vector = b.vector(&[plan.lanes], element);
    let row = width.vectors * plan.lanes;
    let place = b.alloca(b.memref(&[rows * row], element));
    for (i, sum) in sums.iter().enumerate() {
        b.vstore(*sum, place, &[b.cidx(i as i64 * plan.lanes)]);
    }
    let Some(first) = make.g.vals[M] else {
        return Ok(());
    };
    let mut result = Ok(());
    b.for_loop(b.cidx(0), b.cidx(rows), b.cidx(1), &[], |b, r, _| {
        let from = b.muli(r, b.cidx(row));
        result = make.with(M, b.addi(first, r), &mut |make| {
            each(make, width, &[0], &mut |_, v| {
                let at = b.addi(from, b.cidx(v * plan.lanes));
                b.vload(place, &[at], vector)
            })
        });
        Vec::new()
    });
    result
}

/// Asks for the memory that a register tile will be written to.
pub(crate) fn announce<'c>(
    make: &mut MatmulEmitter<'_, 'c>,
    rows: i64,
    width: Width<'c>,
) -> EmitResult<()> {
    let (b, p, plan) = (make.b, make.p, make.plan);
    let ranges = make.g.ranges.clone();
    for root in 0..make.g.region.roots.len() {
        let port = &make.g.region.roots[root];
        let offset = port.offset(&p.root_index);
        let bytes = port.ty.element.byte_width().unwrap_or(4) as i64;
        let line = (LINE / bytes).max(1);
        let buffer = make.g.output(root);
        for r in 0..rows {
            let start = offset.with_var(M, &Sum::var(M).offset(r), &ranges);
            let start = make.g.index_value(&start)?;
            for i in 0..(width.vectors * plan.lanes + line - 1) / line {
                prefetch(b, buffer, b.addi(start, b.cidx(i * line)), true, 3);
            }
        }
    }
    Ok(())
}

/// Stores the region's results for some rows, counted from `M`.
pub(crate) fn each<'c>(
    make: &mut MatmulEmitter<'_, 'c>,
    width: Width<'c>,
    rows: &[i64],
    sum: &mut dyn FnMut(i64, i64) -> Val<'c>,
) -> EmitResult<()> {
    let (b, p, plan) = (make.b, make.p, make.plan);
    let product = p.op.result(0);
    let to = tensor(product)?.0.element;
    let ranges = make.g.ranges.clone();
    make.g.scopes.push(Scope::default());
    for v in 0..width.vectors {
        let mask = width.mask(b, v, plan.lanes);
        // A single column has no lanes.
        let lane = p.size(N) > 1;
        make.g.lane = lane.then_some(Lane { var: N, mask });
        make.g.align[N] = Some((0, plan.lanes));
        for r in rows {
            let shift = |x: &Sum| {
                x.with_var(M, &Sum::var(M).offset(*r), &ranges).with_var(
                    N,
                    &Sum::var(N).offset(v * plan.lanes),
                    &ranges,
                )
            };
            let total = if lane {
                sum(*r, v)
            } else {
                b.extract(sum(*r, v), &[0])
            };
            let at: Vec<Sum> = p.result_index.iter().map(shift).collect();
            let value = finish(b, &to, total);
            if let Some(scope) = make.g.scopes.last_mut() {
                scope.values.insert((op::key(product), at), value);
            }
            let index: Vec<Sum> = p.root_index.iter().map(shift).collect();
            let roots = make.g.region.roots.len();
            // All are read before any is written: a result may be where an operand of another one
            // is.
            if roots > 1 {
                for root in 0..roots {
                    make.g.eval(make.g.region.roots[root].value, &index)?;
                }
            }
            for root in 0..roots {
                make.g.store(root, &index)?;
            }
        }
        make.g.lane = None;
    }
    make.g.scopes.pop();
    Ok(())
}
