//! `indexing-differentiate`: the vector-Jacobian product of a function, by the inverse relations of
//! indices.
//!
//! The function made takes the arguments of the other and a cotangent for each of its results of
//! floating-point numbers, real or complex, and gives the cotangents of the arguments `wrt`. Calls
//! are expanded. A bound of the number of a loop's iterations has to be known before it begins.
//! Sizes may be known at run time only; a cotangent has the sizes of what it belongs to, and that
//! of a tensor array is an array of the same lengths. Integers have no derivative, nor do functions
//! called by name whose meaning is not known. All that is an error at its place.
//!
//! Where operands of `maximum` and `minimum` are equal, each has half; in functions that are named
//! `relu` or `relu6`, as JAX names them, neither has any. The derivative of `abs` at zero is one.
//! What is smooth and written by them (`log(1 + exp(x))` as `max(x, 0) + log(1 + exp(-|x|))`, even
//! functions of `|x|`) has its own derivatives there, the second ones, too.

use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_normalize::differentiate::{self, Residuals};

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
            PassOption {
                name: "loops",
                description: "Residuals of the iterations of loops: `values` that the adjoint reads, or `states`, from which it computes them again",
                kind: OptionKind::Text("values"),
            },
        ]
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["stablehlo", "chlo"]
    }

    fn run<'c>(&self, module: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let (of, wrt) = (context.text("of"), context.ints("wrt"));
        let residuals = match context.text("loops").as_str() {
            "values" => Residuals::Values,
            "states" => Residuals::States,
            other => {
                let message = format!("option `loops` is `values` or `states`, not `{other}`");
                return Err(super::failure(module, &message));
            }
        };
        differentiate::differentiate(module, &of, &wrt, residuals)
            .map_err(|error| super::failure(error.op, &error.message))
    }
}
