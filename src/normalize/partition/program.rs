//! The operations of a block as a program over plain data, through which layouts are propagated.

use super::elements::bytes_to_send;
use super::sites::{Place, Site, fail, open_dimensions, shape};
use mapwright_indexing::IndexingMap;
use mapwright_mlir::{
    Blk, ElementType, FloatKind, Op, TensorType, Val, diagnostic::Failure, melior::ir::ValueLike,
    op,
};
use mapwright_ops::{
    Composer, attrs, library,
    reduction::combination::Combination,
    registry::{self, Class},
};
use mapwright_sharding::{
    DeviceMatrix, Reduction,
    propagate::{Edge, Operation, PartialRule, Program, Sharding, Value},
};
use std::collections::HashMap;

/// A block as a program over plain data.
pub struct Body<'c> {
    /// The values and operations.
    pub program: Program,
    /// The values of the program that are values of the block, or come from outside of it.
    pub values: Vec<Val<'c>>,
    /// The operation of each entry of the program.
    pub operations: Vec<Op<'c>>,
}

/// The results of an operation that have the same loops.
pub(super) struct Part {
    /// Positions of these results.
    pub(super) results: Vec<usize>,
    /// Positions of the operands that have a layout, in their order.
    pub(super) operands: Vec<usize>,
    /// The entry of a program.
    pub(super) operation: Operation,
}

impl<'c> Body<'c> {
    /// Reads the body of a function, of whose values some have a layout.
    ///
    /// # Errors
    /// Layouts of different numbers of devices, or without digits.
    pub fn of_function(function: Op<'c>, given: &[Site<'c>]) -> Result<Body<'c>, Failure> {
        let first = given
            .iter()
            .map(|s| &s.layout)
            .max_by_key(|l| l.device_matrix().sizes().len());
        let matrix = first.map(|l| l.device_matrix().clone());
        let devices = matrix.or_else(|| DeviceMatrix::new(&[], &[] as &[&str]).ok());
        let (Some(block), Some(devices)) = (function.body(0), devices) else {
            return Err(Failure::at(
                function.location(),
                "a function with shardings has no body",
            ));
        };
        let count = devices.count();
        if let Some(site) = given.iter().find(|s| s.layout.device_count() != count) {
            return Err(fail(
                site.place,
                format!(
                    "it has {} devices, another has {count}",
                    site.layout.device_count()
                ),
            ));
        }
        let (mut values, mut returned) = (Vec::new(), Vec::new());
        for site in given {
            let sharding = Sharding::of_layout(&site.layout).map_err(|e| fail(site.place, e))?;
            match (site.place, site.place.value()) {
                (Place::Returned(_, i), _) => returned.push((i, sharding)),
                (_, Some(value)) => values.push((value, sharding)),
                _ => {}
            }
        }
        Ok(Body::new(block, devices, values, returned))
    }

    /// Reads a block. Values from outside of it take part if their layouts are given; `returned`
    /// says how operands of its last operation are wanted.
    pub fn new(
        block: Blk<'c>,
        devices: DeviceMatrix,
        given: Vec<(Val<'c>, Sharding)>,
        returned: Vec<(usize, Sharding)>,
    ) -> Body<'c> {
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
        let outside = given.iter().map(|(value, _)| *value);
        for value in op::arguments(block).into_iter().chain(made).chain(outside) {
            // A value that is no tensor of known shape has no layout, and neither have operations
            // that read it.
            let Ok(shape) = shape(value) else { continue };
            if numbers.contains_key(&op::key(value)) {
                continue;
            }
            numbers.insert(op::key(value), body.values.len());
            body.program.values.push(Value {
                name: op::label(value),
                shape,
                element_bytes: bytes_to_send(value),
                given: None,
                also: Vec::new(),
                open: open_dimensions(value),
            });
            body.values.push(value);
        }
        for (value, sharding) in given {
            if let Some(number) = numbers.get(&op::key(value)) {
                body.program.values[*number].given = Some(sharding);
            }
        }
        let composer = Composer::new();
        let number = |value: Val<'c>| numbers.get(&op::key(value)).copied();
        for operation in &inner {
            for part in parts(*operation, &composer, &number) {
                body.program.operations.push(part.operation);
                body.operations.push(*operation);
            }
        }
        // What is returned is a value of its own, which may be wanted otherwise than the value that
        // is made.
        let Some(end) = inner.last().copied() else {
            return body;
        };
        for (i, sharding) in returned {
            let Some(value) = (i < end.num_operands()).then(|| end.operand(i)) else {
                continue;
            };
            let Some(number) = number(value) else {
                continue;
            };
            let shape = body.program.values[number].shape.clone();
            let identity = IndexingMap::identity(&shape);
            body.program.values.push(Value {
                name: format!("result {i}"),
                shape,
                element_bytes: bytes_to_send(value),
                given: Some(sharding),
                also: Vec::new(),
                open: Vec::new(),
            });
            body.program.operations.push(Operation {
                name: end.name().to_owned(),
                operands: vec![number],
                results: vec![body.program.values.len() - 1],
                edges: vec![Edge {
                    result: 0,
                    operand: 0,
                    maps: vec![identity],
                }],
                reduction: None,
                partial: PartialRule::Moves,
                data: 1,
            });
            body.operations.push(end);
        }
        body
    }
}

/// Splits the results of an operation by their loops: results of different shapes have different
/// ones.
pub(super) fn parts<'c>(
    operation: Op<'c>,
    composer: &Composer<'c>,
    number: &dyn Fn(Val<'c>) -> Option<usize>,
) -> Vec<Part> {
    let operands: Vec<Option<usize>> = operation.operands().into_iter().map(number).collect();
    let results: Vec<Option<usize>> = operation.results().into_iter().map(number).collect();
    let shape_of = |i: usize| shape(operation.result(i)).ok();
    let alike = (1..results.len()).all(|i| shape_of(i) == shape_of(0));
    let groups: Vec<Vec<usize>> = if alike && results.iter().all(Option::is_some) {
        vec![(0..results.len()).collect()]
    } else {
        (0..results.len()).map(|i| vec![i]).collect()
    };
    let mut parts = Vec::new();
    for group in groups {
        let numbers: Option<Vec<usize>> = group.iter().map(|i| results[*i]).collect();
        let Some(numbers) = numbers.filter(|r| !r.is_empty()) else {
            continue;
        };
        // The operands that have a layout, numbered anew.
        let kept: Vec<usize> = (0..operands.len())
            .filter(|i| operands[*i].is_some())
            .collect();
        let mut edges: Vec<Edge> = Vec::new();
        for (position, result) in group.iter().enumerate() {
            for (of, maps) in maps(operation, *result, composer) {
                if let Some(operand) = kept.iter().position(|k| *k == of) {
                    edges.push(Edge {
                        result: position,
                        operand,
                        maps,
                    });
                }
            }
        }
        let data = registry::lookup(operation).and_then(|def| def.data_operands);
        let data = data.unwrap_or(operands.len());
        let shared = shares_loops(operation, &edges);
        parts.push(Part {
            operation: Operation {
                name: operation.name().to_owned(),
                operands: kept.iter().filter_map(|k| operands[*k]).collect(),
                results: numbers,
                edges,
                reduction: reduction(operation).filter(|_| shared),
                partial: partial_rule(operation),
                data: kept.iter().filter(|k| **k < data).count(),
            },
            results: group,
            operands: kept,
        });
    }
    parts
}

/// Tells whether the operation only says how its operand lies: its result is its operand.
pub(super) fn hands_on(operation: Op<'_>) -> bool {
    let says = match operation.dialect() {
        "sdy" => operation.num_regions() == 0,
        "shard" => operation.short_name() == "shard",
        _ => matches!(
            library::meaning(operation),
            Some(library::Meaning::Annotation)
        ),
    };
    let is_one = operation.num_results() == 1 && operation.num_operands() > 0;
    says && is_one && operation.operand(0).r#type() == operation.result(0).r#type()
}

/// The maps of one result: operand and pieces.
fn maps<'c>(
    operation: Op<'c>,
    result: usize,
    composer: &Composer<'c>,
) -> Vec<(usize, Vec<IndexingMap>)> {
    if hands_on(operation) {
        let identity = shape(operation.result(0)).map(|s| IndexingMap::identity(&s));
        return identity.map(|m| vec![(0, vec![m])]).unwrap_or_default();
    }
    if registry::lookup(operation).is_none() {
        let reason = format!("nothing is known about {}", operation.name());
        return (0..operation.num_operands())
            .map(|i| (i, vec![IndexingMap::unknown(reason.clone())]))
            .collect();
    }
    composer
        .output_to_input(operation, result)
        .iter()
        .map(|m| (m.operand, m.maps.clone()))
        .collect()
}

/// Returns how partial results of an operation combine: contractions add, a reduction or a scatter
/// combines as its computation does if that is one associative operation of its two arguments.
pub(super) fn reduction(operation: Op<'_>) -> Option<Reduction> {
    let combination = match registry::lookup(operation)?.class {
        Class::Contraction => Combination::Sum,
        // Where there are several computations, the first one does not combine.
        Class::Reduction | Class::Window | Class::Update if operation.num_regions() == 1 => {
            registry::combination(attrs::computation(operation, 0)?)?
        }
        _ => return None,
    };
    let mut kinds = KINDS.into_iter();
    kinds.find_map(|(what, by, _)| (what == combination).then_some(by))
}

/// Combinations of partial results: as operations say them, as layouts do, and the operation of two
/// elements.
pub(super) const KINDS: [(Combination, Reduction, &str); 7] = [
    (Combination::Sum, Reduction::Sum, "add"),
    (Combination::Product, Reduction::Product, "multiply"),
    (Combination::Minimum, Reduction::Min, "minimum"),
    (Combination::Maximum, Reduction::Max, "maximum"),
    (Combination::And, Reduction::And, "and"),
    (Combination::Or, Reduction::Or, "or"),
    (Combination::Xor, Reduction::Xor, "xor"),
];

/// Tells whether range variables of one number are one loop for all operands.
fn shares_loops(operation: Op<'_>, edges: &[Edge]) -> bool {
    let loops = |edge: &Edge| edge.maps.iter().map(|map| map.ranges().len()).max();
    let mut counts = edges.iter().filter_map(loops).filter(|count| *count > 0);
    let Some(first) = counts.next() else {
        return true;
    };
    match registry::lookup(operation).map(|def| def.class) {
        Some(Class::Reduction | Class::Update) => true,
        // The maps of a contraction number the loops of a product alike. One that has fewer lost
        // those whose value follows from others, as along a padded dimension of one element.
        Some(Class::Contraction) => counts.all(|count| count == first),
        _ => counts.next().is_none(),
    }
}

/// Tells whether every number becomes the same one in more bits: the sum of such numbers is at
/// least as near.
fn widens(operation: Op<'_>) -> bool {
    let float = |value: Val<'_>| match TensorType::from_mlir(value.r#type()).map(|ty| ty.element) {
        Some(ElementType::Float(kind)) => Some(kind),
        _ => None,
    };
    let kinds = || Some((float(operation.operand(0))?, float(operation.result(0))?));
    let wide = [FloatKind::F32, FloatKind::F64];
    let is_wider =
        |(from, to): (FloatKind, FloatKind)| wide.contains(&to) && from.width() < to.width();
    operation.is_hlo("convert") && kinds().is_some_and(is_wider)
}

/// Returns how an operation hands partial results on.
fn partial_rule(operation: Op<'_>) -> PartialRule {
    let Some(def) = registry::lookup(operation) else {
        return PartialRule::Full;
    };
    // The bits of a sum are not the sum of bits.
    let element = |value: Val<'_>| TensorType::from_mlir(value.r#type()).map(|ty| ty.element);
    let is_same = |value: Val<'_>| element(value) == element(operation.result(0));
    let is_view = def.is_view && is_same(operation.operand(0));
    match is_view || def.index_rule.is_some() {
        true => PartialRule::Moves,
        false if def.is_additive || widens(operation) => PartialRule::Adds,
        false => PartialRule::Full,
    }
}
