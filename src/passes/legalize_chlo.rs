//! `indexing-legalize-chlo`: every CHLO operation becomes StableHLO operations.

use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_normalize::{chlo, shapes};

/// See the module.
pub struct LegalizeChlo;

impl Pass for LegalizeChlo {
    fn argument(&self) -> &'static str {
        "indexing-legalize-chlo"
    }

    fn description(&self) -> &'static str {
        "Rewrites CHLO operations to StableHLO operations"
    }

    fn options(&self) -> &'static [PassOption] {
        &[PassOption {
            name: "keep",
            description: "Names of operations, without the dialect and with ';' between them, that stay as they are",
            kind: OptionKind::Text(""),
        }]
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["stablehlo", "tensor"]
    }

    fn run<'c>(&self, op: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let keep = context.text("keep");
        let keep: Vec<&str> = keep.split(';').map(str::trim).collect();
        chlo::legalize(op, &keep).map_err(|error| super::failure(error.op, &error.message))?;
        shapes::as_declared(op);
        Ok(())
    }
}
