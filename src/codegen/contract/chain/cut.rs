//! How many rows of a chain are computed at a time: as many as stay in the second-level cache between its products, or as many as a schedule states.

use super::ready::{Ready, TILES};
use crate::contract::choose::Cut;
use crate::contract::problem::{B, M, Problem, R};
use crate::contract::register_tile::cycles_of_rows;
use crate::run_time::{Derived, RunTime};
use crate::{Declined, Options};
use mapwright_schedule::{Illegal, Schedule, Step};

/// Share of the second-level cache that a block of rows may take, of eight; the rest is for the columns that pass by.
const SHARE: i64 = 3;

/// A block is on the stack: this many bytes at most.
const MOST: i64 = 1 << 20;

/// Rows of a block below which the columns are read so often that rows beyond the share of the cache are better. However few there are: what
/// lies between the products would be larger by far in memory.
const FEW: i64 = 24;

/// Rows of a block below which threads do not cut it further.
const ENOUGH: i64 = 48;

/// Rows of the register tiles and register tiles in a block; and as many rows as a block has at most.
pub(super) fn cut(
    first: &Problem<'_>,
    second: &Problem<'_>,
    options: &Options,
    row_bytes: i64,
    stated: Option<&Schedule>,
) -> R<(Cut, i64)> {
    use Derived::{Max, Min, Parts, Quotient};
    let sizes = &first.sizes;
    let share = (options.l2_bytes as i64 * SHARE / 8).min(MOST);
    let most = match sizes.contain(row_bytes) {
        true => sizes.derive(Max(sizes.derive(Quotient(share, row_bytes)), FEW)),
        false => {
            let fitting = |bytes: i64| bytes / row_bytes.max(1);
            fitting(share).max(fitting(MOST).min(FEW))
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
            let each = sizes.derive(Parts(all, TILES * threads as i64));
            sizes.derive(Min(sizes.derive(Max(each, ENOUGH)), most))
        }
    };
    let block = stated.map(stated_rows).transpose()?.flatten();
    let mut best = (f64::MAX, 1);
    for rows in 1..=16i64.min(first.expected(M)).min(sizes.expected(most)) {
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
    let total = sizes.derive(Parts(m, rows));
    if stated.is_some() {
        let block = block.map_or(total, |block| (block / rows).min(total));
        match sizes.is_empty() && block * rows <= most.max(rows) {
            true => return Ok((Cut { rows, block }, block * rows)),
            false => {
                let why = format!("blocks of static sizes have up to {most} rows");
                return Err(Declined::new(why));
            }
        }
    }
    if !sizes.contain(m) && m <= FEW && sizes.contain(most) {
        // All of them, however long they are.
        return Ok((Cut { rows, block: total }, total * rows));
    }
    // Even blocks.
    let block = sizes.derive(Max(sizes.derive(Quotient(wanted, rows)), 1));
    let block = sizes.derive(Max(sizes.derive(Min(block, total)), 1));
    let blocks = sizes.derive(Max(sizes.derive(Parts(total, block)), 1));
    let block = sizes.derive(Max(sizes.derive(Parts(total, blocks)), 1));
    let most = match sizes.contain(block) {
        true => most,
        false => block * rows,
    };
    Ok((Cut { rows, block }, most))
}

/// The schedule of the chain: rows of a block.
pub(super) fn written(ready: &Ready<'_>, sizes: &RunTime) -> Schedule {
    let mut schedule = Schedule::bare("chain");
    if sizes.is_empty() {
        schedule.steps.push(Step::of("tile", "m", &[ready.rows.1]));
    }
    schedule
}

/// The rows of a block, as a schedule states them.
fn stated_rows(schedule: &Schedule) -> Result<Option<i64>, Illegal> {
    let Some(step) = schedule.one("tile")? else {
        return Ok(None);
    };
    if step.operand.as_deref() != Some("m") {
        return Err(Illegal::of(step, "is for the loop of the rows, 'm'"));
    }
    match step.numbers[0] {
        rows @ 1.. => Ok(Some(rows)),
        _ => Err(Illegal::of(step, "wants at least one index")),
    }
}
