//! `indexing-annotate`: attaches the maps of each operation as attributes.

use mapwright_indexing::IndexingMap;
use mapwright_mlir::{
    Attr, Op,
    diagnostic::Failure,
    hooks::map_attribute,
    melior::ir::attribute::{ArrayAttribute, StringAttribute},
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_normalize::sizes::related;
use mapwright_ops::{Composer, operations};

/// Result -> operand -> maps.
const OUTPUT_TO_INPUT: &str = "indexing.output_to_input";
/// Operand -> result -> maps.
const INPUT_TO_OUTPUT: &str = "indexing.input_to_output";

/// The attributes that the pass attaches.
pub(super) const ATTRIBUTES: [&str; 2] = [OUTPUT_TO_INPUT, INPUT_TO_OUTPUT];

/// Attaches to every operation with results
///
/// - `indexing.output_to_input = [[[map, …], …], …]`: for each result, for each operand, the maps
///   from an index of the result to the elements of the operand that it is made of;
/// - `indexing.input_to_output = [[[map, …], …], …]`: for each operand, for each result, the maps
///   from an index of the operand to the elements of the result that it goes into.
///
/// Several maps are a union. A map that is not known is a string that says why.
pub struct Annotate;

impl Pass for Annotate {
    fn argument(&self) -> &'static str {
        "indexing-annotate"
    }

    fn description(&self) -> &'static str {
        "Attaches the indexing maps of each operation as attributes"
    }

    fn options(&self) -> &'static [PassOption] {
        &[
            PassOption {
                name: "direction",
                description: "Which maps: both, output-to-input or input-to-output",
                kind: OptionKind::Word(&["both", "output-to-input", "input-to-output"]),
            },
            PassOption {
                name: "simplify",
                description: "Simplify the maps",
                kind: OptionKind::Bool(true),
            },
        ]
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["indexing"]
    }

    fn run<'c>(&self, root: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let direction = context.text("direction");
        // The operations stay as they are but for attributes.
        let composer = Composer::knowing(related(root));
        let composer = if context.flag("simplify") {
            composer
        } else {
            composer.without_simplification()
        };
        for op in operations(root) {
            context.at(op);
            if direction != "input-to-output" {
                let results: Vec<Vec<_>> = (0..op.num_results())
                    .map(|result| {
                        let operands = composer.output_to_input(op, result);
                        operands.iter().map(|found| found.maps.clone()).collect()
                    })
                    .collect();
                op.set_attribute(OUTPUT_TO_INPUT, nested(op, &results)?);
            }
            if direction != "output-to-input" {
                let operands: Vec<Vec<_>> = (0..op.num_operands())
                    .map(|operand| {
                        let results = composer.input_to_output(op, operand);
                        results.iter().map(|found| found.maps.clone()).collect()
                    })
                    .collect();
                op.set_attribute(INPUT_TO_OUTPUT, nested(op, &operands)?);
            }
        }
        Ok(())
    }
}

pub(super) fn nested<'c>(op: Op<'c>, outer: &[Vec<Vec<IndexingMap>>]) -> Result<Attr<'c>, Failure> {
    let context = op.context();
    let array = |attributes: Vec<Attr<'c>>| ArrayAttribute::new(context, &attributes).into();
    let lists = outer
        .iter()
        .map(|inner| {
            let maps = inner
                .iter()
                .map(|maps| {
                    let maps: Result<Vec<_>, _> =
                        maps.iter().map(|map| attribute(op, map)).collect();
                    maps.map(array)
                })
                .collect::<Result<Vec<_>, _>>()?;
            Ok(array(maps))
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    Ok(array(lists))
}

fn attribute<'c>(op: Op<'c>, map: &IndexingMap) -> Result<Attr<'c>, Failure> {
    if let Some(reason) = map.unknown_reason() {
        return Ok(StringAttribute::new(op.context(), &format!("unknown: {reason}")).into());
    }
    // The attribute's parser reads what the printer writes; were it not so, its diagnostic stands
    // at the operation.
    map_attribute(op.location(), &map.to_string()).ok_or(Failure::reported())
}
