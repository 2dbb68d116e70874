//! Which results are stored past the caches: nobody reads them soon, and a store that misses a
//! cache reads its line first.

use super::plan::{LINE, Plan, Streamed};
use super::region::{Port, Region};
use crate::Options;
use mapwright_indexing::Extent;
use mapwright_schedule::{Illegal, Schedule, Step};

/// Results of the program from this size on.
const RESULT: usize = 4 << 20;
/// But not those that are at most this part of the level-three cache: the next call finds their
/// lines there.
const SHARE: usize = 4;
/// Other values, which a later region reads, from this size on: they would not stay in the caches
/// anyway.
const VALUE: usize = 64 << 20;

/// The name of the step.
const STEP: &str = "stream";

fn is_of_run_time_size(port: &Port<'_>) -> bool {
    !port.is_static()
}

/// Chooses the results that are stored past the caches, for a plan that has everything else.
pub(super) fn choose(region: &Region<'_>, plan: &Plan, options: &Options) -> Streamed {
    let width = |port: &Port<'_>| port.ty.element.byte_width().unwrap_or(0);
    let bytes = |port: &Port<'_>| {
        let elements = port.shape.iter().product::<Extent>().when_large().max(0) as usize;
        elements.saturating_mul(width(port))
    };
    // Parts of lines of many rows would be written to memory one by one. What is stored may be
    // narrower than what is computed with.
    let parts = |port: &Port<'_>| {
        let part = plan.lanes * (width(port) as i64) < LINE;
        match plan.transpose {
            Some(_) => i64::from(options.vector_bits) < 8 * LINE && (plan.stored.is_none() || part),
            None => plan.columns && part,
        }
    };
    let mut found = Streamed {
        outputs: vec![false; region.roots.len()],
        least: None,
    };
    if options.is_off("streaming-stores") {
        return found;
    }
    for (k, root) in region.roots.iter().enumerate() {
        let least = if region.returned[k] {
            RESULT.max(options.l3_bytes / SHARE)
        } else {
            VALUE
        };
        // What is read again before it is stored for the last time stays in the caches.
        if plan.keeps_in(k) || parts(root) {
            continue;
        }
        if is_of_run_time_size(root) {
            found.least = found.least.max(Some(least as i64));
        }
        found.outputs[k] = is_of_run_time_size(root) || bytes(root) >= least;
    }
    found
}

/// The steps that say so.
pub(super) fn print_steps(region: &Region<'_>, streamed: &Streamed) -> Vec<Step> {
    let results = region.roots.iter().enumerate();
    results
        .filter(|(k, _)| streamed.outputs.get(*k) == Some(&true))
        .map(|(k, root)| match streamed.least {
            Some(least) if is_of_run_time_size(root) => Step::plain(STEP, &[k as i64, least]),
            _ => Step::plain(STEP, &[k as i64]),
        })
        .collect()
}

/// Reads the streamed results from the steps of a schedule, for a plan that has everything else.
///
/// # Errors
/// Steps that the region does not allow.
pub(super) fn read(
    schedule: &Schedule,
    region: &Region<'_>,
    plan: &Plan,
) -> Result<Streamed, Illegal> {
    let mut found = Streamed {
        outputs: vec![false; region.roots.len()],
        least: None,
    };
    for step in schedule.all(STEP) {
        let result = usize::try_from(step.numbers[0]).unwrap_or(usize::MAX);
        let Some(root) = region.roots.get(result) else {
            let why = format!("names no result: there are {}", region.roots.len());
            return Err(Illegal::at_step(step, why));
        };
        if plan.keeps_in(result) {
            return Err(Illegal::at_step(
                step,
                "is not for a result in which a value is kept",
            ));
        }
        if found.outputs[result] {
            return Err(Illegal::at_step(step, "is the second of its result"));
        }
        let least = step.numbers.get(1).copied();
        if !is_of_run_time_size(root) && least.is_some() {
            let why = "says from how many bytes on, which is for results of run-time size";
            return Err(Illegal::at_step(step, why));
        }
        found.outputs[result] = true;
        if is_of_run_time_size(root) {
            found.least = found.least.max(Some(least.unwrap_or(0)));
        }
    }
    Ok(found)
}
