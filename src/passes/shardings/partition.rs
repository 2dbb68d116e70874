//! `indexing-partition`: a program on whole tensors becomes that of one device, with collectives.

use super::{
    Place,
    texts::{self, Text},
    write,
};
use mapwright_mlir::{
    Op,
    diagnostic::{Failure, Message, Severity},
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_normalize::{
    inline::MOST,
    partition::{forget_unused, partition, sites::functions},
};

/// See the module.
pub(crate) struct Partition;

impl Pass for Partition {
    fn argument(&self) -> &'static str {
        "indexing-partition"
    }

    fn description(&self) -> &'static str {
        "Makes of a program on sharded tensors the program of one device, with collectives between devices"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn options(&self) -> &'static [PassOption] {
        &[
            PassOption {
                name: "devices",
                description: "The number of devices, where neither a mesh nor mhlo.num_partitions says it",
                kind: OptionKind::Int(0),
            },
            PassOption {
                name: "remarks",
                description: "A remark for each collective, and for what every device computes as a whole",
                kind: OptionKind::Bool(false),
            },
        ]
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["sdy", "stablehlo"]
    }

    fn run<'c>(&self, module: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let is_called_alone =
            |function: &Op<'c>| function.string("sym_visibility").as_deref() != Some("private");
        let all: Vec<Op<'c>> = functions(module)
            .into_iter()
            .filter(is_called_alone)
            .collect();
        for function in all {
            context.at(function);
            let name = function.string("sym_name").unwrap_or_default();
            let count = context.int("devices");
            let made = partition(module, function, count, MOST)?;
            if context.flag("remarks") {
                for remark in &made.remarks {
                    let _ = Message::new(Severity::Remark, remark.location, &remark.text).emit();
                }
            }
            let new = functions(module).into_iter();
            let new = new.filter(|new| new.string("sym_name").as_deref() == Some(&name));
            for new in new {
                let inputs = made.placement.inputs.iter().enumerate();
                let inputs = inputs.map(|(i, of)| (Place::Argument(new, i), of));
                let outputs = made.placement.outputs.iter().enumerate();
                let outputs = outputs.map(|(i, of)| (Place::Returned(new, i), of));
                let texts: Vec<Text<'_>> = inputs
                    .chain(outputs)
                    .filter_map(|(place, of)| {
                        let text = texts::dictionary(of.as_ref()?.layout());
                        Some(Text { place, text })
                    })
                    .collect();
                write::signature(new, &texts, "slice")?;
            }
        }
        forget_unused(module);
        Ok(())
    }
}
