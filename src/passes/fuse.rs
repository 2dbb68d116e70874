//! `indexing-fuse`: puts tensor operations into `indexing.fusion` regions.

use super::annotate::nested;
use super::disable;
use mapwright_codegen::Stage;
use mapwright_fusion::outline::fuse_block;
use mapwright_indexing::IndexingMap;
use mapwright_mlir::{
    Builder, Op,
    diagnostic::Failure,
    op,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_normalize::inline;
use mapwright_ops::Composer;

/// Every tensor operation of a function ends up in one region, except for control flow, library
/// calls and large constants.
pub struct Fuse;

impl Pass for Fuse {
    fn argument(&self) -> &'static str {
        "indexing-fuse"
    }

    fn description(&self) -> &'static str {
        "Puts tensor operations into regions that are computed by one loop nest each"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("func.func")
    }

    fn options(&self) -> &'static [PassOption] {
        const {
            &[
                disable::option(
                    "What must not be done by the plan or before it, separated by commas: fusion, movement, unit-dims, split-reduction, less-memory, named-sizes",
                ),
                PassOption {
                    name: "maps",
                    description: "Attach the composed and simplified maps of every region",
                    kind: OptionKind::Bool(true),
                },
            ]
        }
    }

    fn before(&self) -> &'static str {
        "Nothing; what `indexing-normalize` brings into simpler forms is fused better."
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["indexing"]
    }

    fn check(&self, options: &PassContext<'_>) -> Result<(), String> {
        disable::check(options, Stage::Fuse)
    }

    fn run<'c>(&self, function: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        if inline::is_computation(function) {
            return Ok(());
        }
        if let Some(block) = function.body(0) {
            let builder = Builder::new(function.context(), block, function.location());
            fuse_block(&builder, block, &disable::names(context));
        }
        if !context.flag("maps") {
            return Ok(());
        }
        let composer = Composer::new();
        for region in function.descendants() {
            if region.name() == "indexing.fusion" {
                context.at(region);
                let maps = maps_of_region(&composer, region);
                region.set_attribute("maps", nested(region, &maps)?);
            }
        }
        Ok(())
    }
}

/// For each result, for each operand, the maps from the one to the other over all members.
fn maps_of_region<'c>(composer: &Composer<'c>, region: Op<'c>) -> Vec<Vec<Vec<IndexingMap>>> {
    let Some(body) = region.body(0) else {
        return Vec::new();
    };
    let arguments = op::arguments(body);
    let yielded = op::ops(body)
        .last()
        .map_or(Vec::new(), |end| end.operands());
    yielded
        .into_iter()
        .map(|value| {
            let reached = composer.backward(value);
            let maps = |argument| reached.maps(argument).map_or(Vec::new(), <[_]>::to_vec);
            arguments.iter().map(|argument| maps(*argument)).collect()
        })
        .collect()
}
