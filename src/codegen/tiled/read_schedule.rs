//! The plan that a schedule states: each of its steps is checked against the region.

use super::analysis::Analysis;
use super::cost::cost;
use super::cuts::cuts;
use super::plan::{Inner, Plan, Share};
use super::region::Region;
use super::restrictions::{
    divides_by_constants, lanes_of, masks_rest, parallel, peel_is_legal, scans_stepwise,
    short_reductions,
};
use super::symbols::Symbols;
use super::{
    columns, group, inner, prefetched, reductions, row_block, scratch, streamed, transpose_tile,
    window,
};
use crate::{Declined, Options};
use mapwright_indexing::linear::VarId;
use mapwright_schedule::{Illegal, Schedule, Step};

/// Why a region has no plan: it is not for this emitter, or not by this schedule.
#[derive(Debug)]
pub(super) enum ScheduleError {
    Declined(Declined),
    Illegal(Illegal),
}

impl From<Declined> for ScheduleError {
    fn from(why: Declined) -> Self {
        Self::Declined(why)
    }
}

impl From<Illegal> for ScheduleError {
    fn from(why: Illegal) -> Self {
        Self::Illegal(why)
    }
}

impl From<ScheduleError> for Declined {
    fn from(why: ScheduleError) -> Self {
        match why {
            ScheduleError::Declined(why) => why,
            ScheduleError::Illegal(Illegal(why)) => Self::new(why),
        }
    }
}

type Read<T> = Result<T, ScheduleError>;

/// `why` is said of the step.
fn refused<T>(step: &Step, why: impl std::fmt::Display) -> Read<T> {
    Err(Illegal::at_step(step, why).into())
}

/// Lanes of a register, at most.
const MOST_LANES: i64 = 64;
/// Registers of a vector, and vectors beside each other, at most.
const MOST_VECTORS: i64 = 16;

fn power_of_two(step: &Step, number: i64, most: i64) -> Result<i64, Illegal> {
    if number.count_ones() == 1 && number <= most {
        Ok(number)
    } else {
        Err(Illegal::at_step(
            step,
            format!("wants a power of two up to {most}"),
        ))
    }
}

/// The plan that a schedule states.
///
/// # Errors
/// Regions that this emitter has no loops for, and steps that the region does not allow.
pub(super) fn read<'c>(
    schedule: &Schedule,
    region: &Region<'c>,
    analysis: &Analysis<'c>,
    options: &Options,
) -> Read<Plan> {
    let steps = Steps {
        schedule,
        names: Symbols::for_region(region, analysis),
        region,
        analysis,
    };
    let mut plan = Plan::bare(1);
    plan.parallel = parallel(analysis)?;
    plan.cuts = cuts(analysis)?;
    plan.ends = window::ends(analysis)?;
    steps.lanes(&mut plan)?;
    steps.vectors(&mut plan)?;
    steps.tiles(&mut plan)?;
    steps.places(&mut plan)?;
    steps.blocks(&mut plan)?;
    plan.combined = reductions::read(schedule, &steps.names, analysis, &plan)?;
    plan.reciprocals = match schedule.one("reciprocal")? {
        None => Share::None,
        Some(step) => match step.numbers[0] {
            1 => Share::All,
            2 => Share::Half,
            _ => {
                return refused(step, "is for each (1) or for every other one (2)");
            }
        },
    };
    plan.constant_reciprocals = match schedule.one("reciprocal_of_constants")? {
        Some(step) if !divides_by_constants(region) => {
            let why = "is for regions that divide by a constant, with quotients in range";
            return refused(step, why);
        }
        step => step.is_some(),
    };
    plan.streamed = streamed::read(schedule, region, &plan)?;
    plan.peel = match schedule.one("peel")? {
        Some(step)
            if !peel_is_legal(analysis, &plan) || plan.lane != Some(steps.names.var(step)?) =>
        {
            let why = "is for the loop of the lanes, from which results are streamed";
            return refused(step, why);
        }
        step => step.map(|step| step.numbers[0]),
    };
    plan.masked_rest = masks_rest(analysis, &plan, options);
    plan.prefetched = prefetched::read(schedule, &steps.names, region, &plan)?;
    let lanes = lanes_of(region, analysis, options);
    let registers = plan.lanes / plan.registers;
    let of = |lane: Option<VarId>, inner: Option<&Inner>| cost(analysis, lane, lanes, inner);
    plan.cost = match &plan.inner {
        Some(inner) => of(plan.lane, Some(inner)) * lanes as f64,
        None => {
            let rows = of(None, None);
            let last = analysis.root_vars.last().copied();
            let columns = last.map_or(rows, |lane| of(Some(lane), None));
            columns.min(rows) * registers as f64
        }
    };
    Ok(plan)
}

/// The steps of a schedule, and the region that they are for.
struct Steps<'a, 'c> {
    schedule: &'a Schedule,
    names: Symbols<'c>,
    region: &'a Region<'c>,
    analysis: &'a Analysis<'c>,
}

impl Steps<'_, '_> {
    /// `lanes`, `interleave`, and what follows from them: which loops belong to a row.
    fn lanes(&self, plan: &mut Plan) -> Read<()> {
        let Self {
            schedule,
            names,
            region,
            analysis,
        } = self;
        let Some(step) = schedule.one("lanes")? else {
            return Err(
                Illegal("a schedule of the emitter 'tiled' has a step 'lanes'".into()).into(),
            );
        };
        let count = power_of_two(step, step.numbers[0], MOST_LANES)?;
        if count < 2 {
            return refused(step, "wants two lanes at least");
        }
        let lane = match step.operand {
            Some(_) => Some(names.var(step)?),
            None => None,
        };
        let registers = *step.numbers.get(1).unwrap_or(&1);
        if !(1..=MOST_VECTORS).contains(&registers) {
            return refused(step, format!("wants 1 to {MOST_VECTORS} registers"));
        }
        let inside: Vec<&Step> = schedule.all("interleave").collect();
        if let Some(first) = inside.first() {
            let vars = inside.iter().map(|step| names.var(step));
            let vars: Vec<VarId> = vars.collect::<Result<_, _>>()?;
            let found = inner::find(region, analysis, count);
            let found = found.filter(|inner| inner.vars == vars && Some(inner.lane) == lane);
            if found.is_none() || registers > 1 || !plan.ends.is_empty() {
                let why = "is for the short innermost loops behind that of the lanes, all of them";
                return refused(first, why);
            }
            if analysis.instances.is_empty() {
                plan.parallel = analysis.root_vars.clone();
                plan.parallel.retain(|var| !vars.contains(var));
            }
            plan.inner = found;
        } else if let Some(lane) = lane {
            if analysis.root_vars.last() != Some(&lane) {
                return refused(step, "is for the last loop of the results");
            }
            if plan.ends.contains_key(&lane) {
                let why = "is not for windows over the ends of a run-time size";
                return refused(step, why);
            }
            if scans_stepwise(analysis) {
                let why = "is not for prefixes that are combined element by element";
                return refused(step, why);
            }
        }
        plan.lane = lane;
        plan.registers = registers;
        plan.lanes = count * registers;
        plan.columns = lane.is_some_and(|lane| plan.parallel.contains(&lane));
        plan.row_vars = analysis.root_vars.clone();
        plan.row_vars.retain(|var| !plan.parallel.contains(var));
        Ok(())
    }

    /// `transpose`, `store_blocks`, `unroll` and `unroll_fully`; vectors of several registers.
    fn vectors(&self, plan: &mut Plan) -> Read<()> {
        let Self {
            schedule,
            names,
            region,
            analysis,
        } = self;
        let streaming = analysis.instances.is_empty() && analysis.scans.is_empty();
        let transposed = schedule.one("transpose_blocks")?;
        if let Some(step) = transposed {
            let across = names.var(step)?;
            let candidates = plan.lane.filter(|_| {
                streaming
                    && analysis.parallel().is_empty()
                    && plan.inner.is_none()
                    && plan.ends.is_empty()
            });
            let Some(lane) = candidates.filter(|lane| {
                transpose_tile::candidates(analysis, *lane, plan.side()).contains_key(&across)
            }) else {
                let why = "is for a loop along which an operand is contiguous that the lanes stride over, both with the size of a block, in a region without reductions";
                return refused(step, why);
            };
            plan.transpose = Some(across);
            plan.row_vars.retain(|var| *var != lane && *var != across);
            plan.row_vars.extend([lane, across]);
        }
        if let Some(step) = schedule.one("store_blocks")? {
            let plain =
                !region.complex && plan.cuts.is_empty() && analysis.runtime.entries.is_empty();
            if plan.transpose.is_none() || !plain {
                let why = "is for transposed blocks of real numbers, without pieces";
                return refused(step, why);
            }
            plan.stored = Some(power_of_two(step, step.numbers[0], plan.side())?);
        }
        if let (true, Some(step)) = (plan.registers > 1, schedule.one("lanes")?) {
            let legal = match (plan.lane, plan.transpose) {
                (Some(lane), Some(across)) => {
                    plan.stored.is_some()
                        && group::are_legal_in_blocks(region, analysis, (lane, across))
                }
                _ => group::are_legal(region, analysis, plan.lane),
            };
            if !legal {
                let why = "has several registers, which is for functions of `f32` or `f64` on contiguous operands";
                return refused(step, why);
            }
        }
        if let Some(step) = schedule.one("unroll")? {
            let lane = step.operand.as_ref().map(|_| names.var(step)).transpose()?;
            if lane != plan.lane || plan.transpose.is_some() {
                let why = "is for the loop of the lanes, and not for transposed blocks";
                return refused(step, why);
            }
            plan.unroll = power_of_two(step, step.numbers[0], MOST_VECTORS)?;
        }
        let short = short_reductions(analysis);
        for step in schedule.all("unroll_fully") {
            let var = names.var(step)?;
            if !plan.columns || !short.contains(&var) || plan.unrolled.contains(&var) {
                let why = "is for reductions of a few elements in columns";
                return refused(step, why);
            }
            plan.unrolled.push(var);
        }
        if let Some(inner) = &plan.inner {
            plan.unrolled.extend(&inner.vars);
        }
        Ok(())
    }

    /// `tile`.
    fn tiles(&self, plan: &mut Plan) -> Read<()> {
        let Self {
            schedule,
            names,
            analysis,
            ..
        } = self;
        let streaming = analysis.instances.is_empty()
            && analysis.scans.is_empty()
            && analysis.parallel().is_empty();
        for step in schedule.all("tile") {
            let (var, size) = (names.var(step)?, step.numbers[0]);
            let inside = plan.inner.as_ref().is_some_and(|i| i.vars.contains(&var));
            let whole = !analysis.root_vars.contains(&var)
                || inside
                || !streaming && !plan.parallel.contains(&var);
            if whole {
                let why = "is for loops that a tile need not walk as a whole";
                return refused(step, why);
            }
            if plan.grid.iter().any(|(other, _)| *other == var) {
                return refused(step, "is the second of its loop");
            }
            if !(1..=i64::from(i32::MAX)).contains(&size) {
                return refused(step, format!("wants 1 to {} indices", i32::MAX));
            }
            plan.grid.push((var, size));
        }
        Ok(())
    }

    /// `keep` and `keep_in_result`.
    fn places(&self, plan: &mut Plan) -> Read<()> {
        let Self {
            schedule,
            names,
            region,
            analysis,
        } = self;
        let mut bytes = 0i64;
        let is_place = |step: &&Step| step.primitive.name.starts_with("keep");
        for step in schedule.steps.iter().filter(is_place) {
            let in_result = step.primitive.name == "keep_in_result";
            let number = *step.numbers.get(usize::from(in_result)).unwrap_or(&0);
            let (value, key) = names.value(analysis, step, number)?;
            if !scratch::are_legal(analysis) {
                let why =
                    "is for regions with several sweeps over rows, without pieces and prefixes";
                return refused(step, why);
            }
            let mut place =
                scratch::place(analysis, plan, &key).map_err(|why| Illegal::at_step(step, why))?;
            if in_result {
                let result = usize::try_from(step.numbers[0]).unwrap_or(usize::MAX);
                let taken = plan
                    .scratch_values
                    .values()
                    .any(|other| other.root == Some(result));
                let fits = result < region.roots.len()
                    && scratch::may_be_in_result(region, analysis, (value, &key), result);
                if !fits || taken {
                    let why =
                        "is for a result of the same type at the same index, one value for each";
                    return refused(step, why);
                }
                place.root = Some(result);
            } else if place.is_of_run_time_size(analysis) {
                let why = "has a size that is known at run time only: there is no scratch for it";
                return refused(step, why);
            } else {
                bytes = bytes.saturating_add(place.bytes(region, analysis, plan));
            }
            place.number = plan.scratch_values.len();
            if plan.scratch_values.insert(key, place).is_some() {
                return refused(step, "is the second of its value");
            }
            if bytes > scratch::MAX_SCRATCH_BYTES {
                let why = format!(
                    "needs more than {} bytes of scratch",
                    scratch::MAX_SCRATCH_BYTES
                );
                return refused(step, why);
            }
            // What is kept is known by its index, which the values of a variable would change.
            if let Some(unrolled) = schedule
                .all("unroll_fully")
                .chain(schedule.all("interleave"))
                .next()
            {
                return refused(unrolled, "is not for regions that keep values");
            }
        }
        Ok(())
    }

    /// `row_block` and `column_block`.
    fn blocks(&self, plan: &mut Plan) -> Read<()> {
        let Self {
            schedule,
            names,
            region,
            analysis,
        } = self;
        let tile = |plan: &Plan, var: VarId| {
            let found = plan.grid.iter().find(|(other, _)| *other == var);
            found.map(|(_, tile)| *tile)
        };
        let rows = schedule.one("row_block")?;
        if let Some(step) = schedule.one("column_block")? {
            let lane = names.var(step)?;
            columns::legal(region, analysis, plan).map_err(|why| Illegal::at_step(step, why))?;
            let columns = tile(plan, lane).filter(|tile| tile % plan.lanes == 0);
            let (Some(columns), true) = (columns, Some(lane) == plan.lane && rows.is_none()) else {
                let why = "wants a tile of whole vectors of the loop of the lanes";
                return refused(step, why);
            };
            plan.wide = Some(columns);
        }
        if let Some(step) = rows {
            let var = row_block::legal(region, analysis, plan)
                .map_err(|why| Illegal::at_step(step, why))?;
            let count = power_of_two(step, step.numbers[0], MOST_LANES)?;
            if names.var(step)? != var || count < 2 || tile(plan, var) != Some(count) {
                let why = "is for the last loop around the rows, which has a tile of as many";
                return refused(step, why);
            }
            row_block::set(analysis, plan, var, count);
        }
        Ok(())
    }
}
