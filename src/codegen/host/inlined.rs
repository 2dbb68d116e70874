//! What becomes a part of the host's function: regions of loops whose iterations do little, whose
//! small tensors are on the stack; and those that compute whole numbers, as programs of run-time
//! sizes do with shapes.
//!
//! A launch costs some hundred instructions, an element of a small tensor a few. LLVM then keeps in
//! registers what an iteration hands to the next. A kernel of its own takes LLVM some milliseconds,
//! however little it does.

use super::values::{is_alias, is_end, is_while, tensor};
use crate::shape_arithmetic::computes_numbers;
use mapwright_fusion::role::{Role, role};
use mapwright_mlir::{Blk, Op, Val, op};
use mapwright_ops::registry;
use std::collections::HashSet;

/// Elements that an iteration computes, at most.
const LARGEST_ITERATION: i64 = 1 << 14;

/// Elements that a region computes that becomes a part of the host's function, at most.
const LARGEST_REGION: i64 = 1 << 11;

/// Regions of a program that become a part of the host's function, at most: LLVM's time grows with
/// it.
const MOST_REGIONS: usize = 256;

/// Elements of a region that is computed one by one: what vectors store, scalars and shorter
/// vectors would have to wait for when they load it.
const FEWEST: i64 = 64;

/// Elements that a region computes for few results: they are in registers, whatever is computed
/// from them.
const MOST_OF_FEW: i64 = 512;

/// Results that are few: vectors would be empty for the most part.
const FEW_RESULTS: i64 = 4;

/// Bytes of a vector that fills a register.
const VECTORS: [i64; 3] = [16, 32, 64];

/// The light loops of a function, and the regions that become a part of the host's.
#[derive(Default)]
pub(crate) struct InlinedKernels<'c> {
    loops: HashSet<Op<'c>>,
    pub(crate) regions: HashSet<Op<'c>>,
    /// Regions of a few elements.
    pub(crate) tiny: HashSet<Op<'c>>,
    /// Regions outside of light loops that compute whole numbers.
    numbers: HashSet<Op<'c>>,
}

impl<'c> InlinedKernels<'c> {
    /// Of the operations in `block`.
    pub(crate) fn for_block(block: Blk<'c>) -> Self {
        let mut found = Self::default();
        found.look(block, false);
        if found.regions.len() > MOST_REGIONS {
            return Self::default();
        }
        found.take_neighbours();
        if found.regions.union(&found.numbers).count() > MOST_REGIONS {
            found.numbers.clear();
        }
        found.regions.extend(&found.numbers);
        found.tiny.extend(&found.numbers);
        found
    }

    /// Takes in what gives the loops their first values, and what reads their last ones: memory
    /// whose address goes to a function elsewhere does not become registers.
    fn take_neighbours(&mut self) {
        let mut loops: Vec<Op<'c>> = self.loops.iter().copied().collect();
        loops.retain(|op| !self.is_inside(*op));
        let given = loops.iter().flat_map(|op| op.operands());
        let made = given.filter_map(|value| op::defining_op(value).map(|(op, _)| op));
        let results = loops.iter().flat_map(|op| op.results());
        let users = results.flat_map(op::uses).map(|(user, _)| user);
        let all: HashSet<Op<'c>> = made.chain(users).collect();
        // A constant is no work, but may be large.
        let size = |op: Op<'c>| work_of_region(op).max(elements(op.results().into_iter()));
        let small = |op: &Op<'c>| op.name() == "indexing.fusion" && size(*op) <= LARGEST_REGION;
        let small: HashSet<Op<'c>> = all.into_iter().filter(small).collect();
        if self.regions.union(&small).count() > MOST_REGIONS {
            return;
        }
        let tiny = small.iter().copied();
        self.tiny.extend(tiny.filter(|op| is_tiny(*op, size(*op))));
        self.regions.extend(small);
    }

    /// Tells whether a loop is inside of a light one.
    fn is_inside(&self, op: Op<'c>) -> bool {
        op.parent().is_some_and(|around| self.is_of_loop(around))
    }

    fn look(&mut self, block: Blk<'c>, inside: bool) {
        for op in op::ops(block) {
            if op.name() == "indexing.fusion" {
                let work = work_of_region(op);
                if inside && work <= LARGEST_REGION {
                    self.regions.insert(op);
                }
                if inside && is_tiny(op, work) {
                    self.tiny.insert(op);
                }
                if !inside && computes_numbers(op) {
                    self.numbers.insert(op);
                }
                continue;
            }
            let inside = if is_while(op) {
                work_of_iteration(op) <= LARGEST_ITERATION
            } else {
                inside
            };
            if is_while(op) && inside {
                self.loops.insert(op);
            }
            for r in 0..op.num_regions() {
                for inner in op::blocks(op.region(r)) {
                    self.look(inner, inside);
                }
            }
        }
    }

    /// Tells whether there is a light loop.
    pub(crate) fn has_loops(&self) -> bool {
        !self.loops.is_empty()
    }

    /// Tells whether `op` is in a light loop, is one, or computes numbers.
    pub(crate) fn holds(&self, op: Op<'c>) -> bool {
        self.numbers.contains(&op) || self.is_of_loop(op)
    }

    /// Tells whether `op` is in a light loop, or is one.
    fn is_of_loop(&self, op: Op<'c>) -> bool {
        let mut at = Some(op);
        while let Some(op) = at {
            if is_while(op) {
                return self.loops.contains(&op);
            }
            at = op.parent();
        }
        false
    }
}

/// Tells whether the elements of a region, which computes `work` of them, are computed one by one.
/// A product whose rows are whole vectors is not: registers hold these.
fn is_tiny(fusion: Op<'_>, work: i64) -> bool {
    let members = fusion.body(0).map(op::ops).unwrap_or_default();
    let roles: Vec<Role> = members.iter().map(|op| role(*op)).collect();
    if let Some(at) = roles.iter().position(|role| *role == Role::Contraction) {
        return work <= FEWEST && !has_whole_rows(members[at]);
    }
    let sums = roles
        .iter()
        .any(|role| matches!(role, Role::Reduce | Role::Window));
    let few = !sums && elements(fusion.results().into_iter()) <= FEW_RESULTS;
    work <= if few { MOST_OF_FEW } else { FEWEST }
}

/// Tells whether a product has several rows, each of which is a whole vector of the machine.
fn has_whole_rows(product: Op<'_>) -> bool {
    let result = tensor(product.result(0));
    let bytes = result.as_ref().and_then(|ty| ty.element.byte_width());
    let shape = result.and_then(|ty| ty.static_shape());
    let (Some(bytes), Some([rows @ .., columns])) = (bytes, shape.as_deref()) else {
        return false;
    };
    VECTORS.contains(&(columns * bytes as i64)) && rows.iter().product::<i64>() > 1
}

/// Elements that one iteration of `op` computes, loops inside counted once.
fn work_of_iteration(op: Op<'_>) -> i64 {
    let regions = (0..op.num_regions()).flat_map(|r| op::blocks(op.region(r)));
    regions.flat_map(op::ops).fold(0i64, |sum, op| {
        let work = match op.name() {
            "indexing.fusion" => work_of_region(op),
            _ if is_end(op) || is_alias(op) || op.is_hlo("constant") => 0,
            _ if is_while(op) || op.is_hlo("if") || op.is_hlo("case") => work_of_iteration(op),
            _ => elements(op.results().into_iter().chain(op.operands())),
        };
        sum.saturating_add(work)
    })
}

/// Elements that a region computes.
fn work_of_region(fusion: Op<'_>) -> i64 {
    let members = fusion.body(0).map(op::ops).unwrap_or_default();
    members.into_iter().fold(0i64, |sum, op| {
        let updates = op.operands().into_iter().skip(op.num_results());
        let work = match role(op) {
            Role::Free => 0,
            // Made where it is used, or as the result.
            Role::Movement => {
                if yields(op) {
                    elements(op.results().into_iter())
                } else {
                    0
                }
            }
            Role::Update => elements(updates),
            // Where what it updates is not needed any more, which is what loops are for.
            Role::Compute if updates_input(op) => elements(updates),
            Role::Compute => elements(op.results().into_iter()),
            Role::Contraction => contraction(op),
            Role::Reduce | Role::Window => elements(op.operands().into_iter()),
            Role::Outside if op.num_regions() == 0 && op.num_results() == 0 => 0,
            Role::Outside => elements(op.results().into_iter().chain(op.operands())),
        };
        sum.saturating_add(work)
    })
}

/// Tells whether `op` updates a part of a value that comes from outside of its region.
fn updates_input(op: Op<'_>) -> bool {
    registry::lookup(op).is_some_and(|def| def.updates)
        && op::block_argument(op.operand(0)).is_some()
        && op::uses(op.operand(0)).len() == 1
}

/// Tells whether a result of `op` is one of its region.
fn yields(op: Op<'_>) -> bool {
    let mut uses = op.results().into_iter().flat_map(op::uses);
    uses.any(|(user, _)| user.name() == "indexing.yield")
}

/// Products of a contraction: as many as the root of those of its three sizes.
fn contraction(op: Op<'_>) -> i64 {
    let of = |value| elements([value].into_iter()) as f64;
    let (a, b, c) = (of(op.operand(0)), of(op.operand(1)), of(op.result(0)));
    (a * b * c).sqrt().min(1e18) as i64
}

fn elements<'c>(values: impl Iterator<Item = Val<'c>>) -> i64 {
    values.fold(0i64, |sum, value| {
        let count = tensor(value).and_then(|ty| ty.static_shape());
        let count = count.map_or(i64::MAX, |shape| shape.iter().product::<i64>());
        sum.saturating_add(if tensor(value).is_some() { count } else { 0 })
    })
}
