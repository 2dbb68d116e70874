//! Which operands and results are asked for ahead of time: their rows lie further apart than the
//! prefetcher of a processor follows.

use super::analysis::Analysis;
use super::plan::{Plan, Prefetched, Streamed};
use super::region::{Port, Region};
use super::symbols::Symbols;
use crate::Options;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::op;
use mapwright_schedule::{Illegal, Schedule, Step};

/// Bytes between rows from which on the processor does not fetch the next one by itself.
const FAR: i64 = 1 << 10;
/// Bytes of a tensor that is not in a near cache.
pub(super) const LARGE: i64 = 1 << 20;
/// Rows ahead. Rows a page apart share few places of the level-one cache: there are not many more.
const ROWS: i64 = 8;
/// Rows ahead, at most.
const MOST: i64 = 64;

/// The name of the step.
const STEP: &str = "prefetch";

/// Elements from one row of a region of columns to the next: along a variable that the columns have
/// not.
pub(super) fn row_stride(offset: &Sum, parallel: &[VarId]) -> Option<Extent> {
    let of_rows = offset.terms.iter().filter_map(|(atom, k)| {
        let var = atom.as_var()?;
        (!parallel.contains(&var)).then_some(*k)
    });
    of_rows.min_by_key(|k| k.when_large().abs())
}

/// Chooses the prefetches that pay, for a plan that has everything else.
pub(super) fn choose(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    (plan, streamed): (&Plan, &Streamed),
    options: &Options,
) -> Prefetched {
    let mut found = Prefetched {
        inputs: vec![0; region.inputs.len()],
        outputs: vec![0; region.roots.len()],
    };
    let columns = plan.columns && plan.inner.is_none();
    if options.is_off("prefetches") || !columns && plan.transpose.is_none() {
        return found;
    }
    let ahead = match (plan.transpose, plan.wide) {
        (Some(_), _) => 1,
        (None, None) => ROWS,
        // Of whole rows the processor fetches the next one by itself.
        (None, Some(columns)) if plan.breaks_rows(analysis, columns) => 1,
        (None, Some(_)) => return found,
    };
    let is_far = |port: &Port<'_>, offset: &Sum| {
        let bytes = port.ty.element.byte_width().unwrap_or(0) as i64;
        let stride = match (plan.transpose, plan.lane) {
            (Some(_), Some(lane)) => offset.coefficient(lane),
            _ => row_stride(offset, &plan.parallel),
        };
        let apart = stride
            .map_or(0, |k| k.when_large().abs())
            .saturating_mul(bytes);
        apart >= FAR && port.elements() * bytes >= LARGE
    };
    for access in &analysis.accesses {
        if is_far(&region.inputs[access.input], &access.offset) {
            found.inputs[access.input] = ahead;
        }
    }
    for (k, root) in region.roots.iter().enumerate() {
        let index = analysis.secondary.get(&k).unwrap_or(&analysis.index);
        let past = streamed.outputs[k] && streamed.least.is_none();
        if plan.transpose.is_none() && !past && is_far(root, &root.offset(index)) {
            found.outputs[k] = ahead;
        }
    }
    found
}

/// The steps that say so, one for each value.
pub(super) fn print_steps(
    region: &Region<'_>,
    names: &Symbols<'_>,
    found: &Prefetched,
) -> Vec<Step> {
    let inputs = region.inputs.iter().zip(&found.inputs);
    let outputs = region.roots.iter().zip(&found.outputs);
    let mut steps: Vec<Step> = Vec::new();
    for (port, ahead) in inputs.chain(outputs).filter(|(_, ahead)| **ahead > 0) {
        let step = Step::with_operand(STEP, names.of_port(port.value), &[*ahead]);
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    steps
}

/// Reads the prefetches from the steps of a schedule, for a plan that has everything else.
///
/// # Errors
/// Steps that the region does not allow.
pub(super) fn read(
    schedule: &Schedule,
    names: &Symbols<'_>,
    region: &Region<'_>,
    plan: &Plan,
) -> Result<Prefetched, Illegal> {
    let mut found = Prefetched {
        inputs: vec![0; region.inputs.len()],
        outputs: vec![0; region.roots.len()],
    };
    for step in schedule.all(STEP) {
        let value = op::key(names.named(step)?);
        let ahead = step.numbers[0];
        let most = match plan.transpose {
            Some(_) => 1,
            None => MOST,
        };
        if !(1..=most).contains(&ahead) {
            return Err(Illegal::at_step(step, format!("wants 1 to {most}")));
        }
        if plan.transpose.is_none() && (!plan.columns || plan.inner.is_some()) {
            let why = "is for rows of columns that lanes run across, and for transposed blocks";
            return Err(Illegal::at_step(step, why));
        }
        let inputs = region.inputs.iter().zip(&mut found.inputs);
        let outputs = region.roots.iter().zip(&mut found.outputs);
        let mut places: Vec<&mut i64> = inputs
            .chain(outputs.filter(|_| plan.transpose.is_none()))
            .filter(|(port, _)| op::key(port.value) == value)
            .map(|(_, place)| place)
            .collect();
        match places.first() {
            None => {
                let why = "names no argument that is read so, and no result that is written so";
                return Err(Illegal::at_step(step, why));
            }
            Some(place) if **place > 0 => {
                return Err(Illegal::at_step(step, "is the second of its value"));
            }
            Some(_) => places.iter_mut().for_each(|place| **place = ahead),
        }
    }
    Ok(found)
}
