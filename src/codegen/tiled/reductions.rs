//! The sweeps of reductions: which reductions share one, and how much of its loop they combine at a
//! time.

use super::analysis::Analysis;
use super::plan::Plan;
use super::symbols::Symbols;
use mapwright_schedule::{Illegal, Schedule, Step};

/// A reduction along the lanes has so many vectors of partial results.
pub(super) const ACCUMULATORS: &str = "accumulators";
/// A reduction of columns takes so many rows of its block at a time.
const COMBINE_ROWS: &str = "combine_rows";

/// The names of the steps.
const STEPS: [&str; 2] = [ACCUMULATORS, COMBINE_ROWS];

/// Vectors or rows that are combined at a time, at most.
const MOST: i64 = 16;

/// Tells whether the result of a reduction differs from lane to lane.
pub(super) fn on_lane(analysis: &Analysis<'_>, plan: &Plan, instance: usize) -> bool {
    let differs = |lane| {
        let index = &analysis.instances[instance].index;
        index.iter().any(|x| analysis.runtime.depends_on(x, lane))
    };
    plan.columns && plan.lane.is_some_and(differs)
}

/// The reductions that share their loops, in the order in which they are computed.
pub(super) fn groups(analysis: &Analysis<'_>, plan: &Plan) -> Vec<Vec<usize>> {
    let instances = &analysis.instances;
    let mut found: Vec<Vec<usize>> = Vec::new();
    let levels = instances.iter().map(|i| i.level + 1).max().unwrap_or(0);
    for level in 0..levels {
        let mut done: Vec<usize> = Vec::new();
        for i in 0..instances.len() {
            if instances[i].level != level || done.contains(&i) {
                continue;
            }
            let shares = |j: &usize| {
                let other = &instances[*j];
                other.level == level
                    && other.vars == instances[i].vars
                    && on_lane(analysis, plan, *j) == on_lane(analysis, plan, i)
            };
            let group: Vec<usize> = (i..instances.len()).filter(shares).collect();
            done.extend(&group);
            found.push(group);
        }
    }
    found
}

/// The step that says how much of its loop a reduction combines at a time, if there is a choice.
pub(super) fn step_of(
    analysis: &Analysis<'_>,
    plan: &Plan,
    instance: usize,
) -> Option<&'static str> {
    match on_lane(analysis, plan, instance) {
        true => plan.wide.map(|_| COMBINE_ROWS),
        false if analysis.instances[instance].vars.is_empty() => None,
        false => Some(ACCUMULATORS),
    }
}

/// The steps of a plan, one for each sweep that combines several at a time.
pub(super) fn print_steps(names: &Symbols<'_>, analysis: &Analysis<'_>, plan: &Plan) -> Vec<Step> {
    let groups = groups(analysis, plan).into_iter();
    let of_group = |group: Vec<usize>| {
        let count = plan.combined(group[0]);
        let step = step_of(analysis, plan, group[0]).filter(|_| count > 1)?;
        let (name, number) = names.of_instance(analysis, group[0]);
        let index = if number > 0 { &[number][..] } else { &[] };
        Some(Step::with_operand(step, name, &[&[count], index].concat()))
    };
    groups.filter_map(of_group).collect()
}

/// Reads from the steps of a schedule how many steps each reduction combines, for a plan that has
/// everything else.
///
/// # Errors
/// Steps that the region does not allow.
pub(super) fn read(
    schedule: &Schedule,
    names: &Symbols<'_>,
    analysis: &Analysis<'_>,
    plan: &Plan,
) -> Result<Vec<i64>, Illegal> {
    let mut stated: Vec<Option<i64>> = vec![None; analysis.instances.len()];
    let groups = groups(analysis, plan);
    for name in STEPS {
        for step in schedule.all(name) {
            let number = step.numbers.get(1).copied().unwrap_or(0);
            let instance = names.instance(analysis, step, number)?;
            if step_of(analysis, plan, instance) != Some(name) {
                let why = match name {
                    ACCUMULATORS => "is for reductions along the lanes",
                    _ => "is for reductions of columns that a step 'column_block' is about",
                };
                return Err(Illegal::at_step(step, why));
            }
            let count = step.numbers[0];
            if count.count_ones() != 1 || count > MOST {
                let why = format!("wants a power of two up to {MOST}");
                return Err(Illegal::at_step(step, why));
            }
            let group = groups.iter().find(|group| group.contains(&instance));
            for instance in group.into_iter().flatten() {
                if stated[*instance].replace(count).is_some() {
                    let why = "is the second of reductions that share their loops";
                    return Err(Illegal::at_step(step, why));
                }
            }
        }
    }
    Ok(stated.into_iter().map(|count| count.unwrap_or(1)).collect())
}
