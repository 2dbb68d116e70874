//! `indexing-legalize-tarray`: tensor arrays and parallel patterns become StableHLO on packed
//! buffers and offsets.

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
                    description: "Which arrays are what is there of them, and not buffers with room for all that the declared maxima allow; all are at the border of a function",
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
