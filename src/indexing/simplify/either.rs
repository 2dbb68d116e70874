//! Forms of which only the order of the variables says whether they are written as they are or negated.
//!
//! What stands around such a form may be shorter for one of the two signs, or have smaller numbers: both are tried, so that the order
//! decides nothing but which of two results is taken that are alike in this.

use super::arena::{Arena, Node, NodeId};
use super::driver::{ArenaMap, Simplifier};
use super::length::length;
use super::rescale::merge_rescaled;

/// Nodes beyond which the first sign is taken.
const MOST_NODES: usize = 8192;

/// Numbers from which on a few make a sum that does not fit.
const LARGE: u64 = 1 << 31;

/// Rounds after which a map is taken as it is.
const ROUNDS: usize = 4;

impl Simplifier {
    /// Whether the sign of a form was left open.
    pub(super) fn sign_matters(&self, arena: &Arena) -> bool {
        let forms = &self.forms;
        forms.either && !forms.degraded && arena.len() <= MOST_NODES
    }

    /// `out` is what was found for the map with the first sign: looks at the other one, and again at what is the shorter of the two until
    /// nothing changes. `None` if the domain is found to be empty.
    #[cold]
    #[inline(never)]
    pub(super) fn with_either_sign(
        &mut self,
        arena: &mut Arena,
        map: &ArenaMap,
        out: &mut ArenaMap,
    ) -> Option<()> {
        let turned = self.turned(arena, map)?;
        let mut changed = take_shorter(arena, out, turned);
        // Where the first sign stays the other one says the same of the result as of the map, unless numbers did not fit.
        if self.forms.degraded || (!changed && (out.same_as(map) || !has_large_numbers(arena, map)))
        {
            return Some(());
        }
        for _ in 0..ROUNDS {
            let mut again = ArenaMap::default();
            if changed {
                self.run_to_fixpoint(arena, out, &mut again)?;
            } else {
                again.clone_from(out);
                again.rescaled.clear();
            }
            let mut turned = self.turned(arena, out)?;
            if self.forms.degraded {
                break;
            }
            for next in [&mut again, &mut turned] {
                let rescaled = std::mem::take(&mut next.rescaled);
                next.rescaled = merge_rescaled(&out.rescaled, rescaled);
            }
            take_shorter(arena, &mut again, turned);
            if again.same_as(out) {
                break;
            }
            changed = true;
            *out = again;
        }
        Some(())
    }

    fn turned(&mut self, arena: &mut Arena, map: &ArenaMap) -> Option<ArenaMap> {
        let mut turned = ArenaMap::default();
        self.forms.turned = true;
        let found = self.run_to_fixpoint(arena, map, &mut turned);
        self.forms.turned = false;
        found.map(|()| turned)
    }
}

/// Whether sums of the numbers in a map may leave 64 bits.
fn has_large_numbers(arena: &Arena, map: &ArenaMap) -> bool {
    let large = |v: i64| v.unsigned_abs() > LARGE;
    let nodes = (0..arena.len()).map(|i| arena.node(NodeId(i as u32)));
    let mut constants = nodes.filter_map(|node| match node {
        Node::Constant(v) => Some(v),
        _ => None,
    });
    let mut ends = map.intervals.iter();
    constants.any(large) || ends.any(|i| large(i.lower) || large(i.upper))
}

/// Takes what is shorter in the other map: of the results each, if both speak of the same variables. False if nothing is.
fn take_shorter(arena: &Arena, out: &mut ArenaMap, other: ArenaMap) -> bool {
    let same_domain = out.constraints == other.constraints
        && out.intervals == other.intervals
        && out.rescaled == other.rescaled;
    if same_domain {
        let mut any = false;
        for (own, other) in out.results.iter_mut().zip(other.results) {
            if *own != other && length(arena, &[other]) < length(arena, &[*own]) {
                *own = other;
                any = true;
            }
        }
        return any;
    }
    let whole = |m: &ArenaMap| {
        let constraints: Vec<NodeId> = m.constraints.iter().map(|k| k.0).collect();
        let (of_results, of_domain) = (length(arena, &m.results), length(arena, &constraints));
        let ends = m.constraints.iter().map(|(_, i)| {
            let (lower, upper) = (i.lower.unsigned_abs(), i.upper.unsigned_abs());
            lower.saturating_add(upper)
        });
        (
            of_results.0 + of_domain.0,
            constraints.len(),
            of_results.1.saturating_add(of_domain.1),
            ends.fold(0, u64::saturating_add),
        )
    };
    let shorter = whole(&other) < whole(out);
    if shorter {
        *out = other;
    }
    shorter
}
