//! `indexing-legalize-to-linalg`: StableHLO as `linalg` on tensors, from the maps.

use super::lower_in_place::in_place;
use mapwright_codegen::linalg::{self, Mode};
use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{OptionKind, Pass, PassContext, PassOption},
};

/// An operation becomes a `linalg.generic` with its maps, or the operation that upstream has for
/// it, in functions and in bodies of operations of any dialect. What is no function of single
/// elements (sorting, Fourier transforms, factorisations, scatters, random numbers, custom calls,
/// communication) stays.
pub struct LegalizeToLinalg;

/// Rewritings that make more operations of one for the sake of our own kernels.
const OFF: [&str; 6] = [
    "computed-padding",
    "convolutions",
    "few-output-channels",
    "lhs-dilation",
    "long-windows",
    "small-products",
];

impl Pass for LegalizeToLinalg {
    fn argument(&self) -> &'static str {
        "indexing-legalize-to-linalg"
    }

    fn description(&self) -> &'static str {
        "Rewrites StableHLO to linalg on tensors, from the indexing maps of its operations"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn options(&self) -> &'static [PassOption] {
        const {
            &[
                PassOption {
                    name: "fuse",
                    description: "Make one linalg.generic of each region of operations, from the composed and simplified maps",
                    kind: OptionKind::Bool(false),
                },
                PassOption {
                    name: "partial",
                    description: "Leave what has no form in linalg as it is; false: it is an error",
                    kind: OptionKind::Bool(true),
                },
            ]
        }
    }

    fn before(&self) -> &'static str {
        "Nothing; the normal form is made in it."
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &[
            "affine",
            "arith",
            "bufferization",
            "cf",
            "chlo",
            "complex",
            "func",
            "indexing",
            "linalg",
            "llvm",
            "math",
            "mhlo",
            "quant",
            "scf",
            "stablehlo",
            "tensor",
            "vector",
        ]
    }

    fn run<'c>(&self, module: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let mode = Mode {
            partial: context.flag("partial"),
            fuse: context.flag("fuse"),
        };
        in_place(module, &OFF.map(String::from), |root| {
            linalg::legalize(root, &mode)
        })
    }
}
