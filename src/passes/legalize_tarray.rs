//! `indexing-legalize-tarray`: tensor arrays and parallel patterns become StableHLO on packed buffers and offsets.

use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_normalize::tarray;

/// See the module.
pub struct LegalizeTarray;

impl Pass for LegalizeTarray {
    fn argument(&self) -> &'static str {
        "indexing-legalize-tarray"
    }

    fn description(&self) -> &'static str {
        "Rewrites operations on tensor arrays and shapes to StableHLO: an array becomes a buffer of leaves and offsets for each level"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn options(&self) -> &'static [PassOption] {
        const {
            &[
                PassOption {
                    name: "packing",
                    description: "Which loops over arrays go through the elements that are there, and not through all the room that the declared maxima ask for",
                    kind: OptionKind::Word(&["large", "always", "never"]),
                },
                PassOption {
                    name: "distribution",
                    description: "Loops are distributed over the operations of their bodies, so that a product of each element is one product of all",
                    kind: OptionKind::Bool(true),
                },
            ]
        }
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["stablehlo", "tensor"]
    }

    fn run<'c>(&self, module: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let options = tarray::Options {
            packing: match context.text("packing").as_str() {
                "always" => tarray::Packing::Always,
                "never" => tarray::Packing::Never,
                _ => tarray::Packing::Large,
            },
            distribution: context.flag("distribution"),
        };
        tarray::legalize_with(module, options)
            .map_err(|error| super::failure(error.op, &error.message))?;
        Ok(())
    }
}
