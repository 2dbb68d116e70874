//! `indexing-differentiate`: the vector-Jacobian product of a function, by the inverse relations of indexing maps.

use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_normalize::differentiate;

/// See the module.
pub struct Differentiate;

impl Pass for Differentiate {
    fn argument(&self) -> &'static str {
        "indexing-differentiate"
    }

    fn description(&self) -> &'static str {
        "Adds to a function @f the function @f_vjp, which gives the cotangents of arguments for those of the results"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn options(&self) -> &'static [PassOption] {
        &[
            PassOption {
                name: "of",
                description: "The function",
                kind: OptionKind::Text("main"),
            },
            PassOption {
                name: "wrt",
                description: "The numbers of the arguments",
                kind: OptionKind::IntList,
            },
        ]
    }

    fn before(&self) -> &'static str {
        "`indexing-legalize-frontend`, `indexing-legalize-chlo` and `indexing-legalize-mhlo`, where the function holds what they rewrite."
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["stablehlo"]
    }

    fn run<'c>(&self, module: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let (of, wrt) = (context.text("of"), context.ints("wrt"));
        differentiate::differentiate(module, &of, &wrt)
            .map_err(|error| super::failure(error.op, &error.message))
    }
}
