//! Forms of which only the order of the variables says whether they are written as they are or negated.
//!
//! What stands around such a form may be shorter for one of the two signs: both are tried, so that the order decides nothing but which
//! of two results of the same length is taken.

use super::arena::{Arena, NodeId};
use super::driver::{ArenaMap, Simplifier};
use super::rescale::merge_rescaled;

/// Nodes beyond which the first sign is taken.
const MOST_NODES: usize = 8192;

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
        if self.forms.degraded || !take_shorter(arena, out, turned) {
            return Some(());
        }
        for _ in 0..ROUNDS {
            let mut again = ArenaMap::default();
            self.run_to_fixpoint(arena, out, &mut again)?;
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

/// Takes what is shorter in the other map: of the results each, if both speak of the same variables. False if nothing is.
fn take_shorter(arena: &Arena, out: &mut ArenaMap, other: ArenaMap) -> bool {
    let length = |nodes: &[NodeId]| -> usize {
        let exprs = arena.export(nodes);
        exprs.iter().map(crate::expr::Expr::operation_count).sum()
    };
    let same_domain = out.constraints == other.constraints
        && out.intervals == other.intervals
        && out.rescaled == other.rescaled;
    if same_domain {
        let mut any = false;
        for (own, other) in out.results.iter_mut().zip(other.results) {
            if *own != other && length(&[other]) < length(&[*own]) {
                *own = other;
                any = true;
            }
        }
        return any;
    }
    let whole = |m: &ArenaMap| {
        let constraints: Vec<NodeId> = m.constraints.iter().map(|k| k.0).collect();
        (length(&m.results) + length(&constraints), constraints.len())
    };
    let shorter = whole(&other) < whole(out);
    if shorter {
        *out = other;
    }
    shorter
}
