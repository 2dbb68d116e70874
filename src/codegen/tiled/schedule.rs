//! The plan of a region as a [`Schedule`].

use super::analysis::Analysis;
use super::plan::{Plan, Share};
use super::prefetched;
use super::reductions;
use super::region::Region;
use super::streamed;
use super::symbols::Symbols;
use mapwright_indexing::linear::VarId;
use mapwright_schedule::{Schedule, Step};

/// The schedule of a plan.
pub(super) fn print_schedule(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &Plan,
) -> Schedule {
    let names = Symbols::for_region(region, analysis);
    let mut steps = Vec::new();
    for (var, tile) in &plan.grid {
        steps.push(Step::with_operand("tile", names.name(*var), &[*tile]));
    }
    let of_lane = |primitive: &str, numbers: &[i64]| match plan.lane {
        Some(lane) => Step::with_operand(primitive, names.name(lane), numbers),
        None => Step::plain(primitive, numbers),
    };
    let lanes = [plan.lanes / plan.registers, plan.registers];
    let shown = if plan.registers > 1 { 2 } else { 1 };
    steps.push(of_lane("lanes", &lanes[..shown]));
    if plan.unroll > 1 {
        steps.push(of_lane("unroll", &[plan.unroll]));
    }
    let inner: &[VarId] = plan.inner.as_ref().map_or(&[], |inner| &inner.vars);
    for var in inner {
        steps.push(Step::with_operand("interleave", names.name(*var), &[]));
    }
    for var in plan.unrolled.iter().filter(|var| !inner.contains(var)) {
        steps.push(Step::with_operand("unroll_fully", names.name(*var), &[]));
    }
    if let Some(least) = plan.peel {
        steps.push(of_lane("peel", &[least]));
    }
    if let Some(var) = plan.transpose {
        steps.push(Step::with_operand("transpose_blocks", names.name(var), &[]));
    }
    if let Some(rows) = plan.stored {
        steps.push(Step::plain("store_blocks", &[rows]));
    }
    if let Some(rows) = plan.rows {
        steps.push(Step::with_operand(
            "row_block",
            names.name(rows.var),
            &[rows.count],
        ));
    }
    if plan.wide.is_some() {
        steps.push(of_lane("column_block", &[]));
    }
    steps.extend(reductions::print_steps(&names, analysis, plan));
    let mut kept: Vec<_> = plan.scratch_values.iter().collect();
    kept.sort_by_key(|(_, kept)| kept.number);
    for (key, kept) in kept {
        let (name, number) = names.of_value(analysis, key);
        let index = if number > 0 { &[number][..] } else { &[] };
        steps.push(match kept.root {
            None => Step::with_operand("keep", name, index),
            Some(root) => {
                Step::with_operand("keep_in_result", name, &[&[root as i64], index].concat())
            }
        });
    }
    match plan.reciprocals {
        Share::None => {}
        Share::All => steps.push(Step::plain("reciprocal", &[1])),
        Share::Half => steps.push(Step::plain("reciprocal", &[2])),
    }
    if plan.constant_reciprocals {
        steps.push(Step::plain("reciprocal_of_constants", &[]));
    }
    steps.extend(prefetched::print_steps(region, &names, &plan.prefetched));
    steps.extend(streamed::print_steps(region, &plan.streamed));
    Schedule {
        emitter: "tiled".into(),
        steps,
    }
}
