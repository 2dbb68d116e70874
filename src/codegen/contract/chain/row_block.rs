//! How many rows of a chain are computed at a time: as many as stay in the second-level cache
//! between its products, or as many as a schedule states.

use super::plan::{ChainPlan, TILES};
use crate::contract::choose::Cut;
use crate::contract::problem::{B, EmitResult, M, Problem};
use crate::contract::register_tile::cycles_of_rows;
use crate::run_time::RunTime;
use crate::{Declined, Options};
use mapwright_indexing::Extent;
use mapwright_schedule::{Illegal, Schedule, Step};

/// Share of the second-level cache that a block of rows may take, of eight; the rest is for the
/// columns that pass by.
const SHARE: i64 = 3;

/// A block is on the stack: this many bytes at most.
const MOST: i64 = 1 << 20;

/// Rows of a block below which the columns are read so often that rows beyond the share of the
/// cache are better. However few there are: what lies between the products would be larger by far
/// in memory.
const FEW: i64 = 24;

/// Rows of a block below which threads do not cut it further.
const ENOUGH: i64 = 48;

/// Rows of the register tiles and register tiles in a block; and as many rows as a block has at
/// most.
pub(super) fn cut(
    first: &Problem<'_>,
    second: &Problem<'_>,
    options: &Options,
    row_bytes: Extent,
    stated: Option<&Schedule>,
) -> EmitResult<(Cut, Extent)> {
    let sizes = &first.sizes;
    let share = (options.l2_bytes as i64 * SHARE / 8).min(MOST);
    let most = match row_bytes.as_constant() {
        None => Extent::from(share)
            .floor_div(row_bytes)
            .greatest(FEW.into()),
        Some(row_bytes) => {
            let fitting = |bytes: i64| bytes / row_bytes.max(1);
            fitting(share).max(fitting(MOST).min(FEW)).into()
        }
    };
    if most < 1 {
        return Err(Declined::new(format!(
            "{row_bytes} bytes of each row between the products are too many for a block"
        )));
    }
    let m = first.size(M);
    let all = m * first.size(B);
    let wanted = match options.threads {
        1 => most,
        threads => {
            let each = all.ceil_div((TILES * threads as i64).into());
            each.greatest(ENOUGH.into()).least(most)
        }
    };
    let block = stated.map(stated_rows).transpose()?.flatten();
    let mut best = (f64::MAX, 1);
    for rows in 1..=16i64.min(first.expected(M)).min(most.expected()) {
        // A block that is stated is made of whole register tiles.
        if block.is_some_and(|block| block % rows != 0) {
            continue;
        }
        let cycles = cycles_of_rows(first, options, rows) + cycles_of_rows(second, options, rows);
        if cycles < best.0 - 1e-9 {
            best = (cycles, rows);
        }
    }
    let rows = best.1;
    let total = m.ceil_div(rows.into());
    if stated.is_some() {
        let block = block.map_or(total, |block| total.least((block / rows).into()));
        if sizes.is_empty() && block * rows <= most.max(rows.into()) {
            return Ok((Cut { rows, block }, block * rows));
        } else {
            let why = format!("blocks of static sizes have up to {most} rows");
            return Err(Declined::new(why));
        }
    }
    if !m.is_run_time() && m <= FEW && most.is_run_time() {
        // All of them, however long they are.
        return Ok((Cut { rows, block: total }, total * rows));
    }
    // Even blocks.
    let block = wanted.floor_div(rows.into()).greatest(Extent::ONE);
    let block = block.least(total).greatest(Extent::ONE);
    let blocks = total.ceil_div(block).greatest(Extent::ONE);
    let block = total.ceil_div(blocks).greatest(Extent::ONE);
    let most = if block.is_run_time() {
        most
    } else {
        block * rows
    };
    Ok((Cut { rows, block }, most))
}

/// The schedule of the chain: rows of a block.
pub(super) fn print_schedule(ready: &ChainPlan<'_>, sizes: &RunTime) -> Schedule {
    let mut schedule = Schedule::bare("chain");
    if let (true, Some(rows)) = (sizes.is_empty(), ready.rows.1.as_constant()) {
        schedule
            .steps
            .push(Step::with_operand("tile", "m", &[rows]));
    }
    schedule
}

/// The rows of a block, as a schedule states them.
fn stated_rows(schedule: &Schedule) -> Result<Option<i64>, Illegal> {
    let Some(step) = schedule.one("tile")? else {
        return Ok(None);
    };
    if step.operand.as_deref() != Some("m") {
        return Err(Illegal::at_step(step, "is for the loop of the rows, 'm'"));
    }
    match step.numbers[0] {
        rows @ 1.. => Ok(Some(rows)),
        _ => Err(Illegal::at_step(step, "wants at least one index")),
    }
}
