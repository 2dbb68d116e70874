//! `indexing-propagate-shardings`: the shardings that follow from those that are given, by indexing maps.
//!
//! The result is written on arguments, results and operations of every function. Operations at which communication becomes
//! necessary get `indexing.communication`, an array of sentences; layouts that contradict each other are warnings.

use super::{Devices, NOTATIONS, Place, Site, fail, functions, read, shape, texts, write};
use mapwright_mlir::{
    Op, TensorType, Val,
    diagnostic::{Failure, Message, Severity},
    melior::ir::ValueLike,
    op,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_ops::{
    Composer, attrs,
    contraction::shared_dimensions,
    reduction::combination::Combination,
    registry::{self, Class},
};
use mapwright_sharding::{
    DeviceMatrix, Layout, Reduction,
    propagate::{Edge, Operation, PartialRule, Program, Sharding, Value, propagate},
};
use std::collections::HashMap;

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
        let devices = Devices::of(module, context.int("devices"))?;
        let mut all = Vec::new();
        for function in functions(module) {
            context.at(function);
            let given = read::function(function, &devices)?;
            if !given.is_empty() {
                all.push((
                    function,
                    Body::new(function, &given)?.sites(function, given)?,
                ));
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

/// The operations of a function's block as a program over plain data.
struct Body<'c> {
    program: Program,
    values: Vec<Val<'c>>,
    /// The operation of each entry of the program.
    operations: Vec<Op<'c>>,
}

impl<'c> Body<'c> {
    fn new(function: Op<'c>, given: &[Site<'c>]) -> Result<Body<'c>, Failure> {
        let block = function.body(0);
        let first = given
            .iter()
            .map(|s| &s.layout)
            .max_by_key(|l| l.device_matrix().sizes().len());
        let matrix = first.map(|l| l.device_matrix().clone());
        let devices = matrix.or_else(|| DeviceMatrix::new(&[], &[] as &[&str]).ok());
        let (Some(block), Some(devices)) = (block, devices) else {
            return Err(Failure::at(
                function.location(),
                "a function with shardings has no body",
            ));
        };
        let mut body = Body {
            program: Program {
                devices,
                values: Vec::new(),
                operations: Vec::new(),
            },
            values: Vec::new(),
            operations: Vec::new(),
        };
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        let inner = op::ops(block);
        let made = inner.iter().flat_map(|o| o.results());
        for value in op::arguments(block).into_iter().chain(made) {
            // A value that is no tensor of known shape has no layout, and neither have operations that read it.
            let Ok(shape) = shape(value) else { continue };
            numbers.insert(op::key(value), body.values.len());
            body.program.values.push(Value {
                name: op::label(value),
                shape,
                given: None,
            });
            body.values.push(value);
        }
        let mut returned = Vec::new();
        let count = body.program.devices.count();
        if let Some(site) = given.iter().find(|s| s.layout.device_count() != count) {
            return Err(fail(
                site.place,
                format!(
                    "it has {} devices, another has {count}",
                    site.layout.device_count()
                ),
            ));
        }
        for site in given {
            if let Place::Returned(_, i) = site.place {
                returned.push((i, site));
                continue;
            }
            let Some(number) = site.place.value().and_then(|v| numbers.get(&op::key(v))) else {
                continue;
            };
            let sharding = Sharding::of_layout(&site.layout).map_err(|e| fail(site.place, e))?;
            body.program.values[*number].given = Some(sharding);
        }
        let composer = Composer::new();
        let last = inner.last().copied();
        for operation in inner {
            body.add(operation, &composer, &numbers);
        }
        // A result of the function is a value of its own, which may be wanted otherwise than the value that is returned.
        for (i, site) in returned {
            let number = site
                .place
                .value()
                .and_then(|v| numbers.get(&op::key(v)).copied());
            let (Some(number), Some(ret)) = (number, last) else {
                continue;
            };
            let sharding = Sharding::of_layout(&site.layout).map_err(|e| fail(site.place, e))?;
            let shape = body.program.values[number].shape.clone();
            let identity = mapwright_indexing::IndexingMap::identity(&shape);
            body.program.values.push(Value {
                name: format!("result {i}"),
                shape,
                given: Some(sharding),
            });
            body.program.operations.push(Operation {
                name: ret.name().to_owned(),
                operands: vec![number],
                results: vec![body.program.values.len() - 1],
                edges: vec![Edge {
                    result: 0,
                    operand: 0,
                    maps: vec![identity],
                }],
                reduction: None,
                partial: PartialRule::Moves,
            });
            body.operations.push(ret);
        }
        Ok(body)
    }

    fn add(&mut self, operation: Op<'c>, composer: &Composer<'c>, numbers: &HashMap<usize, usize>) {
        let number = |value: Val<'c>| numbers.get(&op::key(value)).copied();
        let operands: Vec<Option<usize>> = operation.operands().into_iter().map(number).collect();
        let shapes: Vec<&Vec<i64>> = operation
            .results()
            .into_iter()
            .filter_map(number)
            .map(|n| &self.program.values[n].shape)
            .collect();
        // Results of different shapes have different loops: one entry each.
        let groups: Vec<Vec<usize>> =
            if shapes.windows(2).all(|w| w[0] == w[1]) && shapes.len() == operation.num_results() {
                vec![(0..operation.num_results()).collect()]
            } else {
                (0..operation.num_results()).map(|i| vec![i]).collect()
            };
        for group in groups {
            let results: Option<Vec<usize>> =
                group.iter().map(|i| number(operation.result(*i))).collect();
            let Some(results) = results.filter(|r| !r.is_empty()) else {
                continue;
            };
            let mut edges: Vec<Edge> = Vec::new();
            // The operands that have a layout, numbered anew.
            let kept: Vec<usize> = (0..operands.len())
                .filter(|i| operands[*i].is_some())
                .collect();
            for (position, result) in group.iter().enumerate() {
                for of in maps(operation, *result, composer) {
                    if let Some(operand) = kept.iter().position(|k| *k == of.0) {
                        edges.push(Edge {
                            result: position,
                            operand,
                            maps: of.1,
                        });
                    }
                }
            }
            let reduces = edges
                .iter()
                .filter(|e| e.maps.iter().any(|m| !m.ranges.is_empty()))
                .count();
            let shared = reduces <= 1 || shares_loops(operation);
            self.program.operations.push(Operation {
                name: operation.name().to_owned(),
                operands: kept.iter().filter_map(|k| operands[*k]).collect(),
                results,
                edges,
                reduction: reduction(operation).filter(|_| shared),
                partial: partial_rule(operation),
            });
            self.operations.push(operation);
        }
    }

    /// The shardings that are written: those that were given, and what follows.
    fn sites(self, function: Op<'c>, given: Vec<Site<'c>>) -> Result<Vec<Site<'c>>, Failure> {
        let found = propagate(&self.program)
            .map_err(|e| Failure::at(function.location(), &format!("shardings: {e}")))?;
        for conflict in &found.conflicts {
            let at = self.operations[conflict.operation];
            let mut message = Message::new(
                Severity::Warning,
                at.location(),
                format!("'{}' op {}", at.name(), conflict.reason),
            );
            for source in conflict.sources {
                let made = self.values.get(source).and_then(|v| op::defining_op(*v));
                let location = made.map_or(function.location(), |d| d.0.location());
                message = message.note(
                    Some(location),
                    format!("given for {} here", self.program.values[source].name),
                );
            }
            message.emit();
        }
        let mut sentences: Vec<(Op<'c>, Vec<String>)> = Vec::new();
        for c in &found.communications {
            let devices = &self.program.devices;
            let text = format!(
                "{}: {} to {}: {}",
                self.program.values[c.value].name,
                c.has.text(devices),
                c.needs.text(devices),
                c.reason
            );
            let at = self.operations[c.operation];
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
        for (value, placed) in self.values.iter().zip(&found.values) {
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
                .to_layout(&self.program.devices)
                .map_err(|e| fail(place, e))?;
            sites.push(Site { place, layout });
        }
        Ok(sites)
    }
}

/// The maps of one result: operand and pieces.
fn maps<'c>(
    operation: Op<'c>,
    result: usize,
    composer: &Composer<'c>,
) -> Vec<(usize, Vec<mapwright_indexing::IndexingMap>)> {
    // A constraint hands its operand on.
    if operation.name() == "sdy.sharding_constraint" || operation.name() == "shard.shard" {
        let identity =
            shape(operation.result(0)).map(|s| mapwright_indexing::IndexingMap::identity(&s));
        return identity.map(|m| vec![(0, vec![m])]).unwrap_or_default();
    }
    if registry::lookup(operation).is_none() {
        let reason = format!("nothing is known about {}", operation.name());
        return (0..operation.num_operands())
            .map(|i| {
                (
                    i,
                    vec![mapwright_indexing::IndexingMap::unknown(reason.clone())],
                )
            })
            .collect();
    }
    composer
        .output_to_input(operation, result)
        .iter()
        .map(|m| (m.operand, m.maps.clone()))
        .collect()
}

/// How partial results of an operation combine: contractions add, a reduction does what its computation does if that is one
/// associative operation of its two arguments.
fn reduction(operation: Op<'_>) -> Option<Reduction> {
    let combination = match registry::lookup(operation)?.class {
        Class::Contraction => Combination::Sum,
        Class::Reduction | Class::Window => {
            registry::combination(attrs::computation(operation, 0)?)?
        }
        _ => return None,
    };
    Some(match combination {
        Combination::Sum => Reduction::Sum,
        Combination::Product => Reduction::Product,
        Combination::Minimum => Reduction::Min,
        Combination::Maximum => Reduction::Max,
        Combination::And => Reduction::And,
        Combination::Or => Reduction::Or,
        Combination::Xor => Reduction::Xor,
    })
}

/// Are range variables of one number one loop for all operands?
fn shares_loops(operation: Op<'_>) -> bool {
    match registry::lookup(operation).map(|def| def.class) {
        Some(Class::Reduction) => true,
        Some(Class::Contraction) => matches!(shared_dimensions(operation), Ok(Some(_))),
        _ => false,
    }
}

/// Which operations hand partial results on.
fn partial_rule(operation: Op<'_>) -> PartialRule {
    let Some(def) = registry::lookup(operation) else {
        return PartialRule::Full;
    };
    // The bits of a sum are not the sum of bits.
    let element = |value: Val<'_>| TensorType::from_mlir(value.r#type()).map(|ty| ty.element);
    let is_same = |value: Val<'_>| element(value) == element(operation.result(0));
    let is_made_of_all = def
        .data_operands
        .is_none_or(|n| n == operation.num_operands());
    let is_view = def.is_view && is_same(operation.operand(0));
    match is_view || def.index_rule.is_some() && is_made_of_all {
        true => PartialRule::Moves,
        false if def.is_additive => PartialRule::Adds,
        false => PartialRule::Full,
    }
}
