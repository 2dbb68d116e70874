//! What is chosen of a product beside its blocks: what is asked for ahead of time, what is
//! unrolled, and which way what is packed gets to its place.

use super::ahead::{has_rows_of_columns, panels_of_group};
use super::plan::{Choices, Form, Plan, bytes, panel_size};
use super::problem::{M, N, Problem, Side};
use crate::Options;
use crate::tiled::constant_reciprocals_pay;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_schedule::{Illegal, Schedule, Step};

/// Contracted elements that take longer than memory does: what is written afterwards is asked for
/// before.
const LONG: i64 = 192;
/// Bytes of a panel of columns that a level-one cache does not hold beside the rows.
const LARGE_PANEL: i64 = 32 << 10;
/// Register tiles of rows that share the work of asking for a panel, at least.
const SHARERS: i64 = 4;
/// Panels that are asked for together, at most.
const MOST_PANELS: i64 = 1 << 10;
/// Work for one element up to which it is unrolled over the register tile.
const INLINE: f64 = 4.0;
/// Vectors of a register tile up to which any work is.
const FEW: i64 = 4;

/// The names of the steps.
const PREFETCH_PANEL: &str = "prefetch_panel";
const PREFETCH_COLUMNS: &str = "prefetch_columns";
const PREFETCH_RESULTS: &str = "prefetch_results";
const UNROLL_EPILOGUE: &str = "unroll_epilogue";
const TRANSPOSE: &str = "transpose_blocks";
const RECIPROCALS: &str = "reciprocal_of_constants";

/// Tells whether the inputs of a factor lie along `a` rather than along `c`.
fn lies_along(side: &Side<'_>, a: VarId, c: VarId) -> bool {
    let unit = |var: VarId| {
        let next = |x: &&(usize, _)| coefficient(x, var) == Some(Extent::ONE);
        side.accesses.iter().filter(next).count()
    };
    let jumps = |var: VarId| {
        let far = |x: &&(usize, _)| coefficient(x, var).is_none_or(|k| k.when_large().abs() > 1);
        side.accesses.iter().filter(far).count()
    };
    (unit(a), jumps(c)) > (unit(c), jumps(a)) || (unit(a) >= unit(c) && jumps(a) <= jumps(c))
}

fn coefficient((_, offset): &(usize, Sum), var: VarId) -> Option<Extent> {
    offset.coefficient(var)
}

/// Tells whether the product is made of register tiles.
fn has_register_tiles(p: &Problem<'_>, plan: &Plan) -> bool {
    p.slides.is_empty() && plan.along.is_none() && plan.across.is_none()
}

/// Tells whether a panel may be prefetched while another one is read: it is packed before the
/// product, and its size is known.
fn may_prefetch_panel(p: &Problem<'_>, plan: &Plan) -> bool {
    plan.col_source.buffer.is_packed()
        && !plan.own_panels
        && !panel_size(p, plan.width()).is_run_time()
}

/// Tells whether rows, and whether columns, are packed along contracted elements, so that they may
/// be packed in transposed blocks.
fn may_transpose(p: &Problem<'_>, plan: &Plan) -> [bool; 2] {
    let rows = |form: Form| matches!(form, Form::Rows { .. });
    let several = p.k.last().is_some_and(|inner| p.size(*inner) > 1);
    [
        !p.k.is_empty() && plan.packs.iter().any(|pack| rows(pack.form)),
        several && plan.col_source.buffer.is_packed(),
    ]
}

/// Chooses what pays, for a plan that has everything else.
pub(super) fn choose(p: &Problem<'_>, plan: &Plan, options: &Options) -> Choices {
    let tiles = has_register_tiles(p, plan);
    let panel = panel_size(p, plan.width()) * bytes(&p.packed);
    let [rows, columns] = may_transpose(p, plan);
    let other_way = |side: &Side<'_>, to: VarId, from: VarId| !lies_along(side, to, from);
    let inner = p.k.last().copied().unwrap_or_default();
    Choices {
        prefetches_panel: tiles
            && may_prefetch_panel(p, plan)
            && plan.row_block >= SHARERS
            && panel >= LARGE_PANEL,
        columns_ahead: if tiles {
            panels_of_group(p, plan, options)
        } else {
            0
        },
        prefetches_results: tiles && p.depth() >= LONG,
        unrolled_epilogue: if p.after <= INLINE {
            plan.rows * plan.vectors
        } else {
            FEW.min(plan.rows * plan.vectors)
        },
        transposes: [
            rows && other_way(&p.rows, inner, M) && p.size(M) >= plan.lanes,
            columns && other_way(&p.cols, N, inner),
        ],
        constant_reciprocals: p.divides
            && constant_reciprocals_pay(plan.lanes)
            && !options.is_off("reciprocals"),
    }
}

/// The steps that say so.
pub(super) fn print_steps(p: &Problem<'_>, plan: &Plan) -> Vec<Step> {
    let choices = plan.choices;
    let mut steps = Vec::new();
    for (transposes, name) in choices.transposes.into_iter().zip(["m", "n"]) {
        if transposes {
            steps.push(Step::with_operand(TRANSPOSE, name, &[]));
        }
    }
    if choices.prefetches_panel {
        steps.push(Step::plain(PREFETCH_PANEL, &[]));
    }
    if choices.columns_ahead > 0 {
        steps.push(Step::plain(PREFETCH_COLUMNS, &[choices.columns_ahead]));
    }
    if choices.prefetches_results {
        steps.push(Step::plain(PREFETCH_RESULTS, &[]));
    }
    if p.follows && has_register_tiles(p, plan) && choices.unrolled_epilogue > 0 {
        steps.push(Step::plain(UNROLL_EPILOGUE, &[choices.unrolled_epilogue]));
    }
    if choices.constant_reciprocals {
        steps.push(Step::plain(RECIPROCALS, &[]));
    }
    steps
}

/// The step of that name, if there is one and it is legal.
fn allowed<'s>(
    schedule: &'s Schedule,
    name: &'static str,
    legal: bool,
    why: &str,
) -> Result<Option<&'s Step>, Illegal> {
    match schedule.one(name)? {
        Some(step) if !legal => Err(Illegal::at_step(step, why)),
        found => Ok(found),
    }
}

/// Reads the choices from the steps of a schedule, for a plan that has everything else.
///
/// # Errors
/// Steps that the product does not allow.
pub(super) fn read(schedule: &Schedule, p: &Problem<'_>, plan: &Plan) -> Result<Choices, Illegal> {
    let tiles = has_register_tiles(p, plan);
    let panel = allowed(
        schedule,
        PREFETCH_PANEL,
        tiles && may_prefetch_panel(p, plan),
        "is for panels of static size, which a step 'pack(n)' makes",
    )?;
    let columns = allowed(
        schedule,
        PREFETCH_COLUMNS,
        tiles && has_rows_of_columns(p, plan),
        "is for columns that are read where they lie, along one contracted loop",
    )?;
    let columns_ahead = columns.map_or(0, |step| step.numbers[0]);
    if let Some(step) = columns
        && !(1..=MOST_PANELS).contains(&columns_ahead)
    {
        return Err(Illegal::at_step(
            step,
            format!("is for 1 to {MOST_PANELS} panels"),
        ));
    }
    let results = allowed(
        schedule,
        PREFETCH_RESULTS,
        tiles,
        "is for products in register tiles",
    )?;
    let unrolled = allowed(
        schedule,
        UNROLL_EPILOGUE,
        tiles && p.follows,
        "is for products in register tiles that something follows",
    )?;
    let reciprocals = allowed(
        schedule,
        RECIPROCALS,
        p.divides,
        "is for regions that divide by a constant, with quotients in range",
    )?;
    let mut transposes = [false; 2];
    for step in schedule.all(TRANSPOSE) {
        let factor = match step.operand.as_deref() {
            Some("m") => 0,
            Some("n") => 1,
            _ => return Err(Illegal::at_step(step, "is for the factors m and n")),
        };
        if !may_transpose(p, plan)[factor] {
            let why = "is for a factor that is packed along contracted elements";
            return Err(Illegal::at_step(step, why));
        }
        if std::mem::replace(&mut transposes[factor], true) {
            return Err(Illegal::at_step(step, "is the second of its factor"));
        }
    }
    let whole = plan.rows * plan.vectors;
    Ok(Choices {
        prefetches_panel: panel.is_some(),
        columns_ahead,
        prefetches_results: results.is_some(),
        // Sums that nothing follows are stored where they are.
        unrolled_epilogue: match (p.follows, unrolled) {
            (false, _) => whole,
            (true, None) => 0,
            (true, Some(step)) => step.numbers[0],
        },
        transposes,
        constant_reciprocals: reciprocals.is_some(),
    })
}
