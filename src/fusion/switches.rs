//! Parts of the plan that can be switched off, to see what they are worth.

use crate::composed::{self, Composing};
use mapwright_mlir::Op;
use mapwright_ops::registry::{self, Class};

/// Operations share regions.
pub const FUSION: &str = "fusion";
/// Switch of movement: an operation that moves elements becomes the index of its reader.
pub const MOVEMENT: &str = "movement";

/// Switches of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Switches {
    /// See [`FUSION`].
    pub fusion: bool,
    /// See [`MOVEMENT`].
    pub movement: bool,
    /// See [`composed::NAME`].
    pub simplified_maps: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            fusion: true,
            movement: true,
            simplified_maps: true,
        }
    }
}

impl Switches {
    /// All switches on but those in `disabled`.
    pub fn without(disabled: &[String]) -> Self {
        let on = |name: &str| disabled.iter().all(|other| other != name);
        Self {
            fusion: on(FUSION),
            movement: on(MOVEMENT),
            simplified_maps: on(composed::NAME),
        }
    }

    /// Composition of indices while regions are planned.
    pub(crate) fn composing(self) -> Composing {
        Composing::planned(self.simplified_maps)
    }

    /// Tells whether `op` has a region that it shares with none.
    pub(crate) fn is_alone(self, op: Op<'_>) -> bool {
        !self.fusion || (!self.movement && only_moves(op))
    }
}

/// Tells whether every element of the result is an element of an operand, each in one place.
/// Repeated elements (broadcasts) are no copy of a tensor that somebody would make.
fn only_moves(op: Op<'_>) -> bool {
    let class = registry::lookup(op).map(|def| def.class);
    let moves = matches!(class, Some(Class::Movement | Class::Assembly)) && op.num_operands() > 0;
    moves && op.attribute("broadcast_dimensions").is_none()
}
