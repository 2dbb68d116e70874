//! The plan made IR: `indexing.fusion` operations in the place of their members.

use crate::inputs::{inputs_of, inputs_of_region};
use crate::plan::{Item, LESS_MEMORY, Plan, Region, plan_with};
use crate::role::{Role, role};
use crate::switches::Switches;
use mapwright_indexing::Extent;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Blk, Builder, Op, TensorType, Ty, Val, edit, op, sizes as named};
use mapwright_normalize::sizes::{self, Sizes};
use mapwright_ops::{attrs, control::flow, registry::DIALECTS};
use std::collections::{BTreeSet, HashMap};

/// Puts every tensor operation of `block`, and of the blocks inside of control flow and of
/// operations of other dialects, into a region. Returns the number of regions. `disabled`: fast
/// paths that must not be used.
pub fn fuse_block<'c>(b: &Builder<'c>, block: Blk<'c>, disabled: &[String]) -> usize {
    let mut count = 0;
    each_block(b, block, disabled, &mut |_, BlockPlan { ops, plan }| {
        count += apply(b, &ops, &plan);
    });
    count
}

/// Plans the regions of `block`, and of the blocks inside of it, as [`fuse_block`] does, without
/// forming them. Reductions that are cut in two are cut, unless that is among `disabled`.
pub fn plan_blocks<'c>(
    b: &Builder<'c>,
    block: Blk<'c>,
    disabled: &[String],
) -> Vec<(Blk<'c>, BlockPlan<'c>)> {
    let mut plans = Vec::new();
    each_block(b, block, disabled, &mut |block, plan| {
        plans.push((block, plan));
    });
    plans
}

/// Gives the plan of each block to `f`, the inner ones first.
fn each_block<'c>(
    b: &Builder<'c>,
    block: Blk<'c>,
    disabled: &[String],
    f: &mut dyn FnMut(Blk<'c>, BlockPlan<'c>),
) {
    let named = disabled.iter().all(|name| name != sizes::NAME);
    let known = (named && sizes::has_unknown(block)).then(Sizes::default);
    each_block_in(b, block, (disabled, known), f);
}

/// Gives the plans of a block and of those inside to `f`. `known`: the sizes where the block
/// begins, if some of the program are known at run time only.
fn each_block_in<'c>(
    b: &Builder<'c>,
    block: Blk<'c>,
    (disabled, mut known): (&[String], Option<Sizes>),
    f: &mut dyn FnMut(Blk<'c>, BlockPlan<'c>),
) {
    let all = op::ops(block);
    let holders: Vec<Op<'c>> = all
        .iter()
        .copied()
        .filter(|op| holds_programs(*op))
        .collect();
    if let (Some(known), false) = (&mut known, holders.is_empty()) {
        known.visit_all(block);
    }
    for op in holders {
        if let Some(known) = &known {
            known.note_unread(b, op);
        }
        for r in 0..op.num_regions() {
            for inner in op::blocks(op.region(r)) {
                let inside = known.as_ref().map(|known| known.inside(op, inner));
                each_block_in(b, inner, (disabled, inside), f);
            }
        }
        // It has the names of blocks that are done.
        op.remove_attribute(named::ARGUMENTS);
    }
    let Some((last, rest)) = all.split_last() else {
        return;
    };
    // Without a terminator at its end, a block has no place for regions; with nothing to put into
    // them it stays as it is.
    if is_hlo(*last) || rest.iter().all(|op| role(*op) == Role::Outside) {
        return;
    }
    let known = known.map(|known| known.around(&all));
    let outside = match known {
        Some(_) => inputs_of(&all, &(0..all.len()).collect()),
        None => Vec::new(),
    };
    let plan = plan_block(b, block, disabled, known);
    f(block, plan);
    // What the block around cuts and flattens before it has names of its own must not see these.
    outside.into_iter().for_each(named::forget);
}

/// Tells whether it is an operation of the dialects that regions are made of.
fn is_hlo(op: Op<'_>) -> bool {
    DIALECTS.contains(&op.dialect()) && !matches!(op.short_name(), "return")
}

/// Tells whether there are programs in the regions of `op`. Of these dialects, control flow holds
/// them, and the others scalar code. Operations of other dialects may hold anything.
fn holds_programs(op: Op<'_>) -> bool {
    if DIALECTS.contains(&op.dialect()) {
        flow(op).is_some()
    } else {
        op.name() != "indexing.fusion" && op.attribute(attrs::COMPUTATION).is_none()
    }
}

/// The plan of a block with its operations, for reports.
pub struct BlockPlan<'c> {
    /// The operations of the block.
    pub ops: Vec<Op<'c>>,
    /// Positions in it.
    pub plan: Plan,
}

fn plan_block<'c>(
    b: &Builder<'c>,
    block: Blk<'c>,
    disabled: &[String],
    known: Option<Sizes>,
) -> BlockPlan<'c> {
    let on = |name: &str| disabled.iter().all(|other| other != name);
    if on("unit-dims") {
        mapwright_normalize::unit_dims::drop_unit_dims(&op::ops(block));
    }
    if on("split-reduction") {
        mapwright_normalize::split::split_reductions(&op::ops(block));
    }
    if let Some(known) = known {
        sizes::note(b, block, &op::ops(block), known);
    }
    let ops = op::ops(block);
    let plan = plan_with(&ops, on(LESS_MEMORY), Switches::without(disabled));
    BlockPlan { ops, plan }
}

impl<'c> BlockPlan<'c> {
    /// The values from outside that the members of a region use, each once, in the order of their
    /// first use.
    pub fn inputs(&self, region: &Region) -> Vec<Val<'c>> {
        inputs_of_region(&self.ops, region)
    }

    /// The results of a region.
    pub fn outputs(&self, region: &Region) -> Vec<Val<'c>> {
        region
            .outputs
            .iter()
            .flat_map(|i| self.ops[*i].results())
            .collect()
    }
}

fn apply<'c>(b: &Builder<'c>, ops: &[Op<'c>], plan: &Plan) -> usize {
    let Some(last) = ops.last().copied() else {
        return 0;
    };
    let mut replaced: HashMap<usize, Val<'c>> = HashMap::new();
    let mut inside: BTreeSet<usize> = (0..ops.len()).collect();
    for item in &plan.order {
        match item {
            // Everything is put in order in front of the terminator, which stays.
            Item::Operation(i) => {
                inside.remove(i);
                if ops[*i] != last {
                    ops[*i].move_before(last);
                }
                edit::remap(ops[*i], &replaced);
            }
            Item::Region(r) => form(b, ops, &plan.regions[*r], last, &mut replaced),
        }
    }
    edit::remap(last, &replaced);
    for i in inside.into_iter().rev() {
        // Who still uses it is in another block of a region with several.
        for old in ops[i].results() {
            if let Some(new) = replaced.get(&op::key(old)) {
                op::replace_all_uses(old, *new);
            }
        }
        edit::erase_unused(ops[i]);
    }
    plan.regions.len()
}

fn form<'c>(
    b: &Builder<'c>,
    ops: &[Op<'c>],
    region: &Region,
    before: Op<'c>,
    replaced: &mut HashMap<usize, Val<'c>>,
) {
    let operands: Vec<Val<'c>> = inputs_of_region(ops, region)
        .iter()
        .map(|v| replaced.get(&op::key(*v)).copied().unwrap_or(*v))
        .collect();
    let fusion = fusion(b, ops, region, &operands);
    sizes::renumber(fusion);
    fusion.move_before(before);
    let outputs = region.outputs.iter().flat_map(|i| ops[*i].results());
    for (old, new) in outputs.zip(fusion.results()) {
        replaced.insert(op::key(old), new);
    }
}

/// Cuts a region in two, between which the results of the members `handed` are in memory. What both
/// need besides is computed in both. Nothing is done, and nothing given, where there is none of
/// them.
pub fn cut<'c>(region: Op<'c>, handed: &BTreeSet<usize>) -> Option<Vec<Op<'c>>> {
    let body = region.body(0).filter(|_| !handed.is_empty())?;
    let mut ops = op::ops(body);
    let end = ops.pop()?;
    let b = Builder::before(region.context(), region)?;
    let mut outside: HashMap<usize, Val<'c>> = op::arguments(body)
        .into_iter()
        .map(op::key)
        .zip(region.operands())
        .collect();
    let place = |value: &Val<'c>| {
        let (made, _) = op::defining_op(*value)?;
        ops.iter().position(|op| *op == made)
    };
    let needed = |from: Vec<usize>, stop: &BTreeSet<usize>| {
        let (mut all, mut pending) = (BTreeSet::new(), from);
        while let Some(i) = pending.pop() {
            if !stop.contains(&i) && all.insert(i) {
                pending.extend(
                    inputs_of(&ops, &BTreeSet::from([i]))
                        .iter()
                        .filter_map(place),
                );
            }
        }
        all
    };
    let ends: BTreeSet<usize> = end.operands().iter().filter_map(place).collect();
    let halves = [
        (
            needed(handed.iter().copied().collect(), &BTreeSet::new()),
            handed.clone(),
        ),
        (
            needed(ends.iter().copied().collect(), handed),
            ends.difference(handed).copied().collect(),
        ),
    ];
    let mut parts = Vec::new();
    for (members, outputs) in halves {
        let Some(root) = members.last().copied() else {
            continue;
        };
        let half = Region {
            root,
            members: members.into_iter().collect(),
            outputs: outputs.into_iter().collect(),
            kind: "general",
            stages: Vec::new(),
        };
        let inputs = inputs_of_region(&ops, &half);
        let operands: Vec<Val<'c>> = (inputs.iter())
            .map(|value| outside.get(&op::key(*value)).copied().unwrap_or(*value))
            .collect();
        let part = fusion(&b, &ops, &half, &operands);
        let made = half.outputs.iter().flat_map(|i| ops[*i].results());
        outside.extend(made.map(op::key).zip(part.results()));
        parts.push(part);
    }
    for (result, value) in region.results().into_iter().zip(end.operands()) {
        let value = outside.get(&op::key(value)).copied().unwrap_or(value);
        op::replace_all_uses(result, value);
    }
    edit::erase_unused(region);
    Some(parts)
}

/// The operation of a region, whose inputs have these values.
fn fusion<'c>(b: &Builder<'c>, ops: &[Op<'c>], region: &Region, operands: &[Val<'c>]) -> Op<'c> {
    let inputs = inputs_of_region(ops, region);
    let types: Vec<Ty<'c>> = inputs.iter().map(|v| v.r#type()).collect();
    let outputs: Vec<Val<'c>> = region
        .outputs
        .iter()
        .flat_map(|i| ops[*i].results())
        .collect();
    let results: Vec<Ty<'c>> = outputs.iter().map(|v| v.r#type()).collect();
    b.set_location(ops[region.root].location());
    let body = b.region(&types, |b, arguments| {
        let mut map: HashMap<usize, Val<'c>> = inputs
            .iter()
            .map(|v| op::key(*v))
            .zip(arguments.iter().copied())
            .collect();
        if region.stages.is_empty() {
            for i in &region.members {
                edit::append(b.block(), edit::copy(ops[*i], &mut map));
            }
        } else {
            for stage in &region.stages {
                let operands: Vec<Val<'c>> = inputs_of_region(ops, stage)
                    .into_iter()
                    .map(|v| map.get(&op::key(v)).copied().unwrap_or(v))
                    .collect();
                let inner = fusion(b, ops, stage, &operands);
                let made = stage.outputs.iter().flat_map(|i| ops[*i].results());
                for (old, new) in made.zip(inner.results()) {
                    map.insert(op::key(old), new);
                }
            }
        }
        let yielded: Vec<Val<'c>> = outputs
            .iter()
            .filter_map(|v| map.get(&op::key(*v)).copied())
            .collect();
        b.op("indexing.yield", &yielded, &[], &[]);
    });
    let kind = b.str_attr(region.kind);
    let fusion = b.op_with_regions(
        "indexing.fusion",
        operands,
        &results,
        &[("kind", kind)],
        vec![body],
    );
    for (attribute, values) in [(named::ARGUMENTS, inputs), (named::SIZES, outputs)] {
        let static_shape = |v: &Val<'c>| {
            TensorType::from_mlir(v.r#type()).is_none_or(|ty| ty.static_shape().is_some())
        };
        let noted: Option<Vec<Vec<Extent>>> = values.iter().map(|v| named::annotated(*v)).collect();
        if let (Some(noted), false) = (noted, values.iter().all(static_shape)) {
            named::write(fusion, attribute, &noted.concat());
        }
    }
    fusion
}
