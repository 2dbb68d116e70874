//! `indexing-propagate-shardings`: the shardings that follow from those that are given, by indexing
//! maps.
//!
//! The result is written on arguments, results and operations of every function. Operations at
//! which communication becomes necessary get `indexing.communication`, an array of sentences;
//! layouts that contradict each other are warnings.

use super::{Devices, NOTATIONS, Place, Site, fail, functions, program::Body, read, texts, write};
use mapwright_mlir::{
    Op,
    diagnostic::{Failure, Message, Severity},
    op,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_sharding::{
    Layout,
    propagate::{Plans, propagate},
};

/// The attribute that says where communication is necessary, and why.
const COMMUNICATION: &str = "indexing.communication";

/// See the module.
pub(crate) struct PropagateShardings;

impl Pass for PropagateShardings {
    fn argument(&self) -> &'static str {
        "indexing-propagate-shardings"
    }

    fn description(&self) -> &'static str {
        "Finds the shardings that follow without communication, and where communication is necessary"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn options(&self) -> &'static [PassOption] {
        &[
            PassOption {
                name: "to",
                description: "The notation to write: layout, hlo or shardy",
                kind: OptionKind::Word(&[NOTATIONS[0], NOTATIONS[1], NOTATIONS[2]]),
            },
            PassOption {
                name: "devices",
                description: "The number of devices, where neither a sharding nor mhlo.num_partitions says it",
                kind: OptionKind::Int(0),
            },
        ]
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["sdy", "stablehlo"]
    }

    fn run<'c>(&self, module: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let notation = context.text("to");
        let devices = Devices::from_module(module, context.int("devices"))?;
        let mut all = Vec::new();
        for function in functions(module) {
            context.at(function);
            let given = read::function(function, &devices)?;
            if !given.is_empty() {
                let body = Body::of_function(function, &given)?;
                all.push((function, sites(body, function, given)?));
            }
        }
        let mut frame = texts::Frame::new(&devices);
        frame.prepare(
            all.iter()
                .flat_map(|(_, sites)| sites.iter().map(|s| &s.layout)),
        );
        let mut texts = Vec::new();
        for (function, sites) in &all {
            texts.push((*function, frame.texts(sites, &notation)?));
        }
        if !texts.is_empty() {
            frame.declare(module, &notation)?;
        }
        for (function, texts) in &texts {
            write::function(*function, texts, &notation)?;
        }
        Ok(())
    }
}

/// The shardings that are written: those that were given, and what follows.
fn sites<'c>(
    body: Body<'c>,
    function: Op<'c>,
    given: Vec<Site<'c>>,
) -> Result<Vec<Site<'c>>, Failure> {
    let mut plans = Plans::new(body.program.devices.clone());
    let found = propagate(&body.program, &mut plans)
        .map_err(|e| Failure::at(function.location(), &format!("shardings: {e}")))?;
    for conflict in &found.conflicts {
        let at = body.operations[conflict.operation];
        let mut message = Message::new(
            Severity::Warning,
            at.location(),
            format!("'{}' op {}", at.name(), conflict.reason),
        );
        for source in conflict.sources {
            let made = body.values.get(source).and_then(|v| op::defining_op(*v));
            let location = made.map_or(function.location(), |d| d.0.location());
            message = message.note(
                Some(location),
                format!("given for {} here", body.program.values[source].name),
            );
        }
        message.emit();
    }
    let mut sentences: Vec<(Op<'c>, Vec<String>)> = Vec::new();
    for c in &found.communications {
        let devices = &body.program.devices;
        let text = format!(
            "{}: {} to {}: {}",
            body.program.values[c.value].name,
            c.has.text(devices),
            c.needs.text(devices),
            c.reason
        );
        let at = body.operations[c.operation];
        match sentences.last_mut() {
            Some((op, list)) if *op == at => list.push(text),
            _ => sentences.push((at, vec![text])),
        }
    }
    for (at, list) in sentences {
        let items: Vec<String> = list
            .iter()
            .map(|s| format!("\"{}\"", s.replace('\\', "\\\\").replace('"', "\\\"")))
            .collect();
        at.set_attribute(
            COMMUNICATION,
            super::parse(at, &format!("[{}]", items.join(", ")))?,
        );
    }
    let mut sites = given;
    let known: Vec<usize> = sites
        .iter()
        .filter(|s| !matches!(s.place, Place::Returned(..)))
        .filter_map(|s| s.place.value())
        .map(op::key)
        .collect();
    for (value, placed) in body.values.iter().zip(&found.values) {
        let Some(placed) = placed else { continue };
        if known.contains(&op::key(*value)) {
            continue;
        }
        let place = match (op::defining_op(*value), op::block_argument(*value)) {
            (Some((operation, i)), _) => Place::Result(operation, i),
            (None, Some((_, i))) => Place::Argument(function, i),
            (None, None) => continue,
        };
        let layout: Layout = placed
            .sharding
            .to_layout(&body.program.devices)
            .map_err(|e| fail(place, e))?;
        sites.push(Site { place, layout });
    }
    Ok(sites)
}
