//! The passes, one file each. A new pass is its file and a line in [`PASSES`].

mod analyze;
mod annotate;
mod canonicalize;
mod checked;
mod differentiate;
mod disable;
mod fold;
mod fuse;
mod legalize_chlo;
mod legalize_frontend;
mod legalize_mhlo;
mod legalize_tarray;
mod legalize_to_linalg;
mod lower;
mod lower_in_place;
mod machine;
mod normalize;
mod refine_shapes;
mod schedule;
mod shardings;
mod simplify;
mod simplify_affine;
mod strip;

use checked::Checked;
use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{self, Pass},
};

/// Every pass, in the order of `--help`. Those that simplify maps are [`Checked`].
pub const PASSES: &[&'static dyn Pass] = &[
    &Checked(analyze::Analyze),
    &Checked(annotate::Annotate),
    &canonicalize::Canonicalize,
    &differentiate::Differentiate,
    &fold::Fold,
    &Checked(fuse::Fuse),
    &legalize_chlo::LegalizeChlo,
    &legalize_frontend::LegalizeFrontend,
    &legalize_mhlo::LegalizeMhlo,
    &legalize_tarray::LegalizeTarray,
    &Checked(legalize_to_linalg::LegalizeToLinalg),
    &Checked(lower::Lower),
    &Checked(lower_in_place::LowerInPlace),
    &normalize::Normalize,
    &refine_shapes::RefineShapes,
    &Checked(schedule::Schedule),
    &Checked(shardings::convert::ConvertShardings),
    &Checked(shardings::partition::Partition),
    &Checked(shardings::propagate::PropagateShardings),
    &Checked(simplify::Simplify),
    &Checked(simplify_affine::SimplifyAffine),
    &strip::Strip,
];

/// Every pipeline: name, description, and what it stands for within `builtin.module(…)`.
pub const PIPELINES: &[(&str, &str, &str)] = &[
    (
        "indexing-to-loops",
        "From StableHLO to kernels of loops over tiles in upstream dialects",
        "indexing-normalize,func.func(indexing-fuse),indexing-lower",
    ),
    (
        "indexing-loops-to-llvm",
        "From the kernels of indexing-to-loops to the LLVM dialect",
        mapwright_native::pipeline::CONVERSIONS_OF_PARTS,
    ),
];

/// Puts every pass and pipeline into the process's registry. May be called more than once.
pub fn register_all() {
    for pass in PASSES {
        pass::register_pass(*pass);
    }
    for (name, description, text) in PIPELINES {
        pass::register_pipeline(name, description, text);
    }
}

/// Emits an error at `op`, prefixed with its name as upstream does.
fn failure(op: Op<'_>, message: &str) -> Failure {
    Failure::at(op.location(), &format!("'{}' op {message}", op.name()))
}

/// The pass of that name.
pub fn find(argument: &str) -> Option<&'static dyn Pass> {
    PASSES
        .iter()
        .copied()
        .find(|pass| pass.argument() == argument)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_with_indexing_and_are_unique() {
        let mut names: Vec<_> = PASSES.iter().map(|pass| pass.argument()).collect();
        assert!(
            names.iter().all(|name| name.starts_with("indexing-")),
            "{names:?}"
        );
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }

    #[test]
    fn registering_twice_is_harmless() {
        register_all();
        register_all();
        assert!(
            PASSES
                .iter()
                .all(|pass| pass::is_registered(pass.argument()))
        );
    }
}
