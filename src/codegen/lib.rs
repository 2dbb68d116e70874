//! From fused regions to upstream dialects.
//!
//! - [`emitter`]: the interface that all emitters implement;
//! - [`fast_paths`]: what can be switched off;
//! - [`storage`]: how elements live in memory and in SSA values;
//! - [`scalar`]: what each element-wise operation does to scalars and vectors, used by every
//!   emitter;
//! - [`math`]: elementary and special functions;
//! - [`general`]: the emitter that handles every operation, element by element;
//! - [`tiled`]: the emitter that makes vector code over tiles;
//! - [`contract`]: the emitter for products over contracted dimensions;
//! - [`linalg`]: StableHLO as `linalg` on tensors, for pipelines of others;
//! - [`in_place`]: modules in which StableHLO stands beside other dialects;
//! - [`checks`]: loads and stores that are checked;
//! - [`error`]: why something could not be compiled.

#![forbid(unsafe_code)]

mod apply;
pub mod checks;
pub mod contract;
pub mod emitter;
pub mod error;
pub mod fast_paths;
pub mod general;
pub mod host;
pub mod in_place;
pub mod index;
mod kernel_kind;
mod launch;
pub mod linalg;
pub mod math;
mod run_time;
pub mod scalar;
mod shape_arithmetic;
pub mod sizes;
pub mod storage;
mod streams;
pub mod tiled;
mod vectors;
pub mod windows;

pub use emitter::{Declined, EmitContext, Emitter, InnerSize, Kernel, Options, Phase, Tiles};
pub use error::{Result, Unsupported};
pub use fast_paths::{FAST_PATHS, FastPath, Stage};
pub use kernel_kind::KernelKind;
pub use mapwright_schedule::Schedule;
pub use storage::Elem;

use mapwright_mlir::Op;
use mapwright_ops::registry::{self, Class};

/// Tells whether `op` may be inside a fusion, as far as code generation is concerned.
pub fn can_fuse(op: Op<'_>) -> bool {
    if !matches!(op.dialect(), "stablehlo" | "mhlo" | "chlo") {
        return false;
    }
    let class = registry::lookup(op).map_or(Class::Other, |def| def.class);
    scalar::is_elementwise(op) || class != Class::Other
}

/// The emitters in the order in which they are tried; the last one knows every operation.
pub fn emitters() -> Vec<&'static dyn Emitter> {
    vec![
        &contract::chain::Chain,
        &contract::Contraction,
        &tiled::Tiled,
        &general::General,
    ]
}

#[cfg(test)]
mod tests {
    use mapwright_schedule::PRIMITIVES;

    #[test]
    fn emitters_of_steps_are_there() {
        let names: Vec<&str> = super::emitters().iter().map(|e| e.name()).collect();
        for primitive in PRIMITIVES {
            for emitter in primitive.emitters {
                assert!(names.contains(emitter), "{}: {emitter}", primitive.name);
            }
        }
    }
}
