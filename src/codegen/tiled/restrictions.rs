//! What a walked region restricts its plans to, whoever makes them.

use super::analysis::Analysis;
use super::plan::Plan;
use super::region::Region;
use crate::{Declined, Options};
use mapwright_indexing::{Extent, linear::VarId};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Op, ValueType};
use mapwright_ops::attrs::computation;
use mapwright_ops::elementwise::quotient::by_constant;
use mapwright_ops::registry::combines;

/// Bytes of the shortest vectors that the machine has registers for.
const SHORTEST: i64 = 16;

/// Lanes of a register for the widest values of a region. Where no loop has more elements than a
/// shorter vector, whole, the lanes are those: they need no masks, and what one region stores as a
/// vector another loads as the same one.
pub(super) fn lanes_of(region: &Region<'_>, analysis: &Analysis<'_>, options: &Options) -> i64 {
    let most = (i64::from(options.vector_bits) / 8 / region.widest).max(2);
    let longest = analysis
        .ranges
        .vars
        .iter()
        .map(|(_, last)| (*last + 1).when_large())
        .max();
    let short =
        |n: &i64| *n > 1 && (n * region.widest) % SHORTEST == 0 && most % n == 0 && !region.complex;
    longest.filter(short).unwrap_or(most)
}

/// The variables that reductions (or scans, or smaller results) need fixed.
///
/// # Errors
/// A reduction that is inside the loop of another one.
pub(super) fn parallel(analysis: &Analysis<'_>) -> Result<Vec<VarId>, Declined> {
    let parallel = analysis.parallel();
    let inside = |var: &VarId| {
        !analysis.root_vars.contains(var) || analysis.instances.iter().any(|i| i.vars.contains(var))
    };
    if parallel.iter().any(inside) {
        Err(Declined::new("a reduction inside the loop of another one"))
    } else {
        Ok(parallel)
    }
}

/// Tells whether the elements of a prefix reduction are stored in a byte.
fn scans_bytes(scan: Op<'_>) -> bool {
    match ValueType::from_mlir(scan.result(0).r#type()) {
        ValueType::Tensor(ty) => ty.element.bit_width().is_none_or(|bits| bits <= 8),
        _ => true,
    }
}

/// Tells whether a prefix reduction along the last dimension goes element by element. Prefixes
/// along a vector are combined by doubling distances, which takes an operation of known identity.
/// Bytes always go one by one: LLVM 22 does not come to an end with a chain of shuffles and `and`s
/// of a vector of them (`SelectionDAG::Legalize`).
pub(super) fn scans_stepwise(analysis: &Analysis<'_>) -> bool {
    let last = analysis.root_vars.last();
    analysis.scans.iter().any(|scan| {
        Some(&scan.var) == last
            && (!computation(scan.op, 0).is_some_and(combines) || scans_bytes(scan.op))
    })
}

/// Variables of reductions of a few elements, which need no loop.
pub(super) fn short_reductions(analysis: &Analysis<'_>) -> Vec<VarId> {
    const FEW: i64 = 16;
    let mut found = Vec::new();
    for instance in &analysis.instances {
        let elements: i64 = instance
            .vars
            .iter()
            .map(|v| Plan::length(analysis, *v))
            .product();
        if elements <= FEW {
            found.extend(
                instance
                    .vars
                    .iter()
                    .filter(|v| !found.contains(*v))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
    }
    found
}

/// Tells whether something is divided by a constant, with quotients in range.
pub(super) fn divides_by_constants(region: &Region<'_>) -> bool {
    region.members.iter().any(|op| by_constant(*op).is_some())
}

/// Tells whether fronts of the lane loop may be peeled. It is walked in the order of its elements,
/// once, and results are stored past the caches from it.
pub(super) fn peel_is_legal(analysis: &Analysis<'_>, plan: &Plan) -> bool {
    plan.lane.is_some()
        && plan.streamed.outputs.contains(&true)
        && plan.wide.is_none()
        && analysis.scans.is_empty()
}

/// Tells whether vectors behind several at a time are under a mask, also whole ones. The machine
/// has registers for masks, and what is read is contiguous: it is not put together of whole
/// vectors. It is a third less code for a loop whose length is known at run time only.
pub(super) fn masks_rest(analysis: &Analysis<'_>, plan: &Plan, options: &Options) -> bool {
    let is_contiguous = |var: VarId| {
        let mut steps = (analysis.accesses.iter()).map(|access| access.offset.coefficient(var));
        steps.all(|step| step == Some(Extent::ZERO) || step == Some(Extent::ONE))
    };
    let reduced = analysis.instances.iter().filter(|_| !plan.columns);
    let reduced = reduced.filter_map(|instance| instance.vars.last().copied());
    options.vector_bits >= 512
        && plan.transpose.is_none()
        && plan.inner.is_none()
        && plan.lane.into_iter().chain(reduced).all(is_contiguous)
}
