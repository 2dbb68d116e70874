//! `indexing-legalize-frontend`: what frontends mix into StableHLO becomes StableHLO, CHLO and
//! MHLO.

use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{Pass, PassContext},
};
use mapwright_normalize::frontend;

/// See the module.
pub struct LegalizeFrontend;

impl Pass for LegalizeFrontend {
    fn argument(&self) -> &'static str {
        "indexing-legalize-frontend"
    }

    fn description(&self) -> &'static str {
        "Rewrites what frontends mix into StableHLO: operations as custom calls, Shardy on one device, scalars of arith, tensor and shape, tuples"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["chlo", "mhlo", "stablehlo", "tensor"]
    }

    fn run<'c>(&self, module: Op<'c>, _: &PassContext<'c>) -> Result<(), Failure> {
        frontend::legalize(module).map_err(|error| super::failure(error.op, &error.message))?;
        Ok(())
    }
}
