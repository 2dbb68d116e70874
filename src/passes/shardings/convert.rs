//! `indexing-convert-shardings`: rewrites the shardings of a module from whatever notation they are
//! in into one.

use super::{Devices, NOTATIONS, functions, read, texts, write};
use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_normalize::partition::forget_unused;

/// See the module.
pub(crate) struct ConvertShardings;

impl Pass for ConvertShardings {
    fn argument(&self) -> &'static str {
        "indexing-convert-shardings"
    }

    fn description(&self) -> &'static str {
        "Rewrites shardings between HLO strings, Shardy, the shard dialect and indexing.sharding"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn options(&self) -> &'static [PassOption] {
        &[
            PassOption {
                name: "to",
                description: "The notation to write: layout, hlo, shardy or shard",
                kind: OptionKind::Word(&NOTATIONS),
            },
            PassOption {
                name: "devices",
                description: "The number of devices, where neither a sharding nor mhlo.num_partitions says it",
                kind: OptionKind::Int(0),
            },
        ]
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["sdy", "shard", "stablehlo"]
    }

    fn run<'c>(&self, module: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let notation = context.text("to");
        let devices = Devices::from_module(module, context.int("devices"))?;
        let mut all = Vec::new();
        for function in functions(module) {
            context.at(function);
            all.push((function, read::function(function, &devices)?));
        }
        // Everything is worked out before anything is written: a refusal leaves the module as it
        // is.
        let mut frame = texts::Frame::new(&devices);
        frame.prepare(
            all.iter()
                .flat_map(|(_, sites)| sites.iter().map(|s| &s.layout)),
        );
        let mut texts = Vec::new();
        for (function, sites) in &all {
            texts.push((*function, frame.texts(sites, &notation)?));
        }
        if texts.iter().any(|(_, t)| !t.is_empty()) {
            frame.declare(module, &notation)?;
        }
        for (function, texts) in &texts {
            context.at(*function);
            write::function(*function, texts, &notation)?;
        }
        forget_unused(module);
        Ok(())
    }
}
