//! Vectors of several registers, for regions with functions such as the exponential.
//!
//! A polynomial is a chain in which each operation waits for the one before, and a processor looks
//! only a few dozen operations ahead: one register after the other, it waits most of the time.
//! Between vectors that are several registers long LLVM orders what is done to one register between
//! what is done to the others; and whether all lanes are ordinary numbers is asked once for all of
//! them.
//!
//! Processors with vectors of 512 bits have instructions of their own for most of this, and twice
//! as many lanes on the way.

use super::analysis::Analysis;
use super::plan::Plan;
use super::region::Region;
use crate::{Options, math};
use mapwright_fusion::role::weight;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::VarId;
use mapwright_mlir::{ElementType, Op, op};

/// Registers of a vector of `f32`, at most; of `f64`, whose polynomials are twice as long, half as
/// many.
const MOST: i64 = 4;
/// Registers of a vector where the function keeps so much at hand that that of four does not fit in
/// 16 registers.
const CROWDED: i64 = 3;
/// Work on an element, in simple operations, with which so many registers of the values that are
/// alive still fit.
const ROOM: f64 = 60.0;
/// Cost of operations that are not functions, at most.
const SIMPLE: f64 = 6.0;

/// Registers that make a vector of the region; `lane`: of the root sweep, `lanes`: of a register.
pub(super) fn registers(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    options: &Options,
    lane: Option<VarId>,
    lanes: i64,
) -> i64 {
    if options.vector_bits > 256 || options.is_off("vector-groups") || !plain(region, analysis) {
        return 1;
    }
    let Some(along) = walked(analysis, lane) else {
        return 1;
    };
    let work: f64 = analysis.work.iter().copied().fold(0.0, f64::max);
    let most = if work <= ROOM && region.widest == 4 {
        MOST
    } else {
        MOST / 2
    };
    if options.vector_bits == 256 && crowded(region, analysis) {
        let vector = CROWDED * lanes;
        // Three instead of four are a tenth faster: not if much of that is lost at the end of a
        // row.
        let left = |size: &i64| (vector - size % vector) % vector;
        if along.iter().all(|size| 32 * left(size) <= *size) {
            return CROWDED;
        }
    }
    // What is left of a row takes as long as a whole vector.
    let fits = |registers: i64| {
        along.iter().all(|size| {
            let vector = registers * lanes;
            size % vector == 0 || *size >= 4 * vector
        })
    };
    let mut registers = most;
    while registers > 1 && !fits(registers) {
        registers /= 2;
    }
    registers
}

/// As [`registers`], for blocks of `lanes` rows that are transposed into memory; `vars`: the
/// lanes', and the one along which rows are contiguous.
pub(super) fn of_blocks(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    options: &Options,
    vars: (VarId, VarId),
    lanes: i64,
) -> i64 {
    let off = |path| options.is_off(path);
    let bits = lanes * region.widest * 8;
    let plain = are_legal_in_blocks(region, analysis, vars);
    let taken = options.vector_bits <= 256
        && region.widest == 4
        && !off("vector-groups")
        && !off("stored-blocks");
    let registers = (MOST * i64::from(options.vector_bits) / bits).max(1);
    if taken && plain && Plan::size(analysis, vars.0).is_multiple_of(registers * lanes) {
        registers
    } else {
        1
    }
}

/// Tells whether vectors of the sweeps may be several registers long. `lane`: of the root sweep.
pub(super) fn are_legal(region: &Region<'_>, analysis: &Analysis<'_>, lane: Option<VarId>) -> bool {
    plain(region, analysis) && walked(analysis, lane).is_some()
}

/// Tells whether vectors may be several registers long in blocks that are transposed into memory.
pub(super) fn are_legal_in_blocks(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    vars: (VarId, VarId),
) -> bool {
    plain(region, analysis)
        && analysis.accesses.iter().all(|access| {
            let along = |var| access.offset.coefficient(var);
            along(vars.0).is_some_and(|k| k == 0 || k == 1 || along(vars.1) == Some(Extent::ONE))
        })
}

/// Tells whether a region of 4 or 8 bytes an element computes a function, and is walked without
/// conditions, windows and numbers of lanes.
fn plain(region: &Region<'_>, analysis: &Analysis<'_>) -> bool {
    analysis.scans.is_empty()
        && !analysis.windows
        && analysis.conditions.is_empty()
        && analysis.runtime.entries.is_empty()
        && analysis.uses.is_empty()
        && analysis.secondary.is_empty()
        && !region.complex
        && matches!(region.widest, 4 | 8)
        && functions(region)
}

/// Tells whether there is a function that is a polynomial in the widest format, and no operation
/// that takes more than a register for each register of lanes.
fn functions(region: &Region<'_>) -> bool {
    let mut found = false;
    for op in operations(region) {
        let polynomial = op.results().iter().any(|value| {
            let kind = mapwright_fusion::node::tensor(*value).map(|(ty, _)| ty.element);
            match (region.widest, kind) {
                (4, Ok(ElementType::F32)) => math::in_registers(op.short_name()),
                (8, Ok(ElementType::F64)) => math::in_pairs(op.short_name()),
                _ => false,
            }
        });
        match polynomial {
            true => found = true,
            false if weight(op) > SIMPLE || op.num_results() > 1 => return false,
            false => {}
        }
    }
    found
}

/// Returns the operations of a region, from its results on.
pub(super) fn operations<'c>(region: &Region<'c>) -> Vec<Op<'c>> {
    let mut stack: Vec<_> = region.roots.iter().map(|root| root.value).collect();
    let mut seen = std::collections::HashSet::new();
    let mut found = Vec::new();
    while let Some(value) = stack.pop() {
        if !seen.insert(op::key(value)) {
            continue;
        }
        if let Some((op, _)) = op::defining_op(value) {
            stack.extend(op.operands());
            found.push(op);
        }
    }
    found
}

/// Tells whether the only function of a region [`math::crowds`], where the region keeps nothing but
/// `f32` and flags, and has no divisions (which halve a vector) and no sums.
fn crowded(region: &Region<'_>, analysis: &Analysis<'_>) -> bool {
    let single = |element: &ElementType| *element == ElementType::F32;
    let ports = region.inputs.iter().chain(&region.roots);
    if analysis.work.len() != 1 || !ports.into_iter().all(|port| single(&port.ty.element)) {
        return false;
    }
    let mut found = false;
    for op in operations(region) {
        let name = op.short_name();
        let plain = op.results().iter().all(|value| {
            mapwright_fusion::node::tensor(*value)
                .is_ok_and(|(ty, _)| single(&ty.element) || ty.element == ElementType::Bool)
        });
        if !plain || math::takes_divider(name) || math::in_registers(name) && !math::crowds(name) {
            return false;
        }
        found |= math::crowds(name);
    }
    found
}

/// Sizes of the dimensions that the lanes of the sweeps run along, if all that is read there is
/// contiguous or the same for all lanes.
fn walked(analysis: &Analysis<'_>, lane: Option<VarId>) -> Option<Vec<i64>> {
    let mut sizes = Vec::new();
    for sweep in 0..analysis.work.len() {
        let along = match sweep {
            0 => lane,
            i => {
                let instance = &analysis.instances[i - 1];
                let on_lane = |lane: &VarId| instance.index.iter().any(|x| x.depends_on(*lane));
                lane.filter(on_lane).or(instance.vars.last().copied())
            }
        }?;
        let plain = |k: Option<Extent>| k.is_some_and(|k| k == 0 || k == 1);
        let mut accesses = analysis.accesses.iter().filter(|a| a.sweep == sweep);
        if !accesses.all(|access| plain(access.offset.coefficient(along))) {
            return None;
        }
        sizes.push(Plan::length(analysis, along));
    }
    Some(sizes)
}
