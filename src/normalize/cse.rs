//! Values that are computed more than once are computed once.
//!
//! Two operations of a block give the same values if they are the same operation on the same
//! values. What moves elements only is compared by its maps: whatever the moves are, one after the
//! other, two of them give the same where the composed and simplified map from an element of the
//! result to the one it is, is the same map of the same value. Loops over the elements of arrays
//! are operations on all elements here ([`crate::tarray`]), so that what two loops compute of one
//! array is found like anything else.

use crate::rewrite::replace;
use mapwright_indexing::{IndexingMap, compose};
use mapwright_mlir::{
    Blk, Op, Val,
    melior::ir::{AttributeLike, TypeLike, ValueLike},
    op,
};
use mapwright_ops::{
    output_to_input,
    registry::{self, Class},
};
use std::collections::HashMap;

/// The name of this rewriting.
pub const NAME: &str = "common-values";

/// Takes out of every block inside of `root` what is computed there before. Returns how many
/// operations that were.
pub fn merge(root: Op<'_>) -> usize {
    let mut merged = 0;
    for i in 0..root.num_regions() {
        for block in op::blocks(root.region(i)) {
            merged += in_block(block);
        }
    }
    merged
}

/// Key of an operation by what it computes: equal for equal attributes, types and operands.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    /// Names, attributes, types and operands, those of its body too.
    Operation(Vec<String>, Vec<usize>),
    /// A map of a value, as text, and the type of the result.
    Moved(usize, usize, String),
}

fn in_block(block: Blk<'_>) -> usize {
    let mut known: HashMap<Key, Op<'_>> = HashMap::new();
    let mut moved: HashMap<usize, (Val<'_>, IndexingMap)> = HashMap::new();
    let mut merged = 0;
    for op in op::ops(block) {
        if holds_programs(op) {
            merged += merge(op);
            continue;
        }
        if !is_value(op) {
            continue;
        }
        let keys = [Some(by_itself(op)), by_map(op, &mut moved)];
        let first = keys.iter().flatten().find_map(|key| known.get(key));
        if let Some(first) = first {
            moved.remove(&op::key(op.result(0)));
            replace(op, &first.results());
            merged += 1;
            continue;
        }
        for key in keys.into_iter().flatten() {
            known.insert(key, op);
        }
    }
    merged
}

/// Tells whether the operation has blocks in which tensors are computed.
fn holds_programs(op: Op<'_>) -> bool {
    op.num_regions() > 0 && registry::lookup(op).is_none_or(|def| def.family == "control")
}

/// More elements than indices and sizes have.
const LARGE: i64 = 1024;

/// Tells whether a result depends on the operands alone and costs enough for a second one to be
/// looked for. Large values made of constants are left out: they cost little, and may be the first
/// state of several that are then updated in place. So are updates, which change a value where it
/// is.
fn is_value(op: Op<'_>) -> bool {
    let class = registry::lookup(op).map(|def| def.class);
    let computes = matches!(
        class,
        Some(
            Class::Elementwise
                | Class::Movement
                | Class::Assembly
                | Class::Reduction
                | Class::Window
                | Class::Contraction
        )
    );
    // Who asks for a barrier wants what is behind it to be another value.
    let barrier = op.is_hlo("optimization_barrier");
    let is_large = |ty: mapwright_mlir::ValueType| {
        let count = ty.tensor().and_then(|ty| ty.num_elements());
        count.is_none_or(|count| count > LARGE)
    };
    let constant = op.operands().into_iter().all(op::is_constant);
    let state = constant && (0..op.num_results()).any(|i| is_large(op.result_type(i)));
    computes && !barrier && !state && registry::is_pure(op)
}

/// The key of what moves elements of one value, each to known places.
fn by_map<'c>(op: Op<'c>, moved: &mut HashMap<usize, (Val<'c>, IndexingMap)>) -> Option<Key> {
    // Its elements are those of the operand. A size is not, which is told by a dimension and by no
    // element.
    let moves = registry::lookup(op)
        .is_some_and(|def| def.class == Class::Movement && def.index_rule.is_some());
    if !moves || op.num_operands() != 1 || op.num_results() != 1 {
        return None;
    }
    let (from, to) = (op.operand_type(0), op.result_type(0));
    if from.tensor()?.element != to.tensor()?.element {
        return None;
    }
    from.tensor()?.static_shape()?;
    to.tensor()?.static_shape()?;
    let operand = op.operand(0);
    let (root, before) = match moved.get(&op::key(operand)) {
        Some((root, map)) => (*root, Some(map)),
        None => (operand, None),
    };
    // A value that is read once is moved once.
    if before.is_none() && op::uses(root).len() < 2 {
        return None;
    }
    let mut maps = output_to_input(op, 0).into_iter().flat_map(|of| of.maps);
    let (own, None) = (maps.next()?, maps.next()) else {
        return None;
    };
    let map = match before {
        Some(before) => compose(&own, before).simplify(),
        None => own,
    };
    let plain = map.is_exact() && map.unknown_reason().is_none() && map.runtime().is_empty();
    if !plain || !map.ranges().is_empty() {
        return None;
    }
    let text = map.to_string();
    moved.insert(op::key(op.result(0)), (root, map));
    let ty = op.result(0).r#type().to_raw().ptr as usize;
    Some(Key::Moved(op::key(root), ty, text))
}

/// Returns what a value is told apart by: itself, or what it holds if it is a constant, since
/// constants are not merged. Constants of quantized types may hold the same and differ in meaning.
fn identity(value: Val<'_>) -> usize {
    let constant = op::defining_op(value).filter(|_| op::is_constant(value));
    match constant.and_then(|(made, _)| made.attribute("value")) {
        Some(held) => held.to_raw().ptr as usize,
        None => op::key(value),
    }
}

/// The key of any other operation.
fn by_itself(op: Op<'_>) -> Key {
    let mut names = Vec::new();
    let mut numbers = Vec::new();
    describe(op, &mut HashMap::new(), &mut names, &mut numbers);
    Key::Operation(names, numbers)
}

/// Appends what an operation is. Values of bodies are counted: equal bodies have other values.
fn describe<'c>(
    op: Op<'c>,
    inside: &mut HashMap<usize, usize>,
    names: &mut Vec<String>,
    numbers: &mut Vec<usize>,
) {
    names.push(op.name().to_string());
    for (name, attribute) in op.attributes() {
        names.push(name.to_string());
        numbers.push(attribute.to_raw().ptr as usize);
    }
    for value in op.operands() {
        let known = inside.get(&op::key(value)).copied();
        numbers.push(known.unwrap_or_else(|| identity(value)));
        numbers.push(value.r#type().to_raw().ptr as usize);
    }
    for value in op.results() {
        numbers.push(value.r#type().to_raw().ptr as usize);
    }
    for i in 0..op.num_regions() {
        for block in op::blocks(op.region(i)) {
            names.push("block".into());
            for argument in op::arguments(block) {
                let next = inside.len();
                inside.insert(op::key(argument), next);
                numbers.push(argument.r#type().to_raw().ptr as usize);
            }
            for inner in op::ops(block) {
                describe(inner, inside, names, numbers);
                for value in inner.results() {
                    let next = inside.len();
                    inside.insert(op::key(value), next);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapwright_mlir::{Attr, context, edit, melior::ir::Module};
    use std::{collections::BTreeSet, fs};

    /// Another attribute of the kind: the next number, the other truth value, or any other word
    /// that may stand there.
    fn other<'c>(op: Op<'c>, attribute: Attr<'c>) -> Option<Attr<'c>> {
        let text = attribute.to_string();
        let value = text.split(" : ").next().unwrap_or_default();
        // Digits of a number, and not of the name of a type.
        let bytes = value.as_bytes();
        let begins = |i: &usize| {
            let before = i.checked_sub(1).map(|before| bytes[before]);
            bytes[*i].is_ascii_digit() && !before.is_some_and(|b| b.is_ascii_alphanumeric())
        };
        let digits = (0..bytes.len()).find(begins).map(|start| {
            let number = value[start..].chars().take_while(char::is_ascii_digit);
            (start, number.collect::<String>())
        });
        let swapped = [
            ("true", "false"),
            ("false", "true"),
            ("DEFAULT", "HIGH"),
            (" EQ", " NE"),
            (" NE", " EQ"),
            (" LT", " LE"),
            (" LE", " LT"),
            (" GT", " GE"),
            (" GE", " GT"),
            ("FLOAT", "TOTALORDER"),
            ("UNSIGNED", "SIGNED"),
            ("SIGNED", "UNSIGNED"),
        ];
        let swapped = swapped.iter().find(|(from, _)| value.contains(from));
        let changed = match (digits, swapped) {
            (Some((start, number)), _) => {
                let next = number.parse::<u64>().ok()? + 1;
                let end = start + number.len();
                format!("{}{next}{}", &text[..start], &text[end..])
            }
            (None, Some((from, to))) => text.replacen(from, to, 1),
            _ => return None,
        };
        Attr::parse(op.context(), &changed).filter(|found| *found != attribute)
    }

    /// The operations of the functions of a module, in order.
    fn operations(module: Op<'_>) -> Vec<Op<'_>> {
        let functions = module.body(0).map(op::ops).unwrap_or_default().into_iter();
        let bodies = functions.filter_map(|function| function.body(0));
        bodies.flat_map(op::ops).collect()
    }

    /// Operation that stands behind operation `i` of a module when `merge` goes over it.
    #[derive(Clone, Copy)]
    enum Behind<'a> {
        Nothing,
        Copy,
        /// A copy that has another attribute of this name.
        Other(&'a str),
    }

    /// Counts the operations of a module that `merge` takes out. `None` where the attribute cannot
    /// have another value, or another value makes no other operation.
    fn merged(text: &str, i: usize, behind: Behind<'_>) -> Option<usize> {
        let context = context();
        let module = Module::parse(&context, text)?;
        let root = Op::new(module.as_operation());
        let all = operations(root);
        if !matches!(behind, Behind::Nothing) {
            let copy = edit::clone(all[i], &HashMap::new());
            edit::insert_before(*all.get(i + 1)?, copy);
            if let Behind::Other(name) = behind {
                let attribute = copy.attribute(name)?;
                match other(copy, attribute) {
                    Some(changed) => copy.set_attribute(name, changed),
                    None => drop(copy.remove_attribute(name)),
                }
                let moves = |op: Op<'_>| -> Vec<String> {
                    let maps = output_to_input(op, 0).into_iter().flat_map(|of| of.maps);
                    maps.map(|map| map.to_string()).collect()
                };
                let class = registry::lookup(copy).map(|def| def.class);
                let same = copy.attribute(name) == Some(attribute)
                    || class == Some(Class::Movement) && moves(copy) == moves(all[i]);
                if same || !copy.verify() {
                    return None;
                }
            }
        }
        Some(merge(root))
    }

    /// Every operation of the files of the dialects' tests that is merged with its like is not
    /// merged with one of which one attribute is another one.
    #[test]
    fn operations_with_another_attribute_are_others() {
        let (mut changed, mut kinds) = (0, BTreeSet::new());
        for dialect in ["stablehlo", "mhlo", "chlo"] {
            let folder = format!(
                "{}/../../lit-tests/dialect/{dialect}",
                env!("CARGO_MANIFEST_DIR")
            );
            for file in fs::read_dir(folder).unwrap_or_else(|why| panic!("{why}")) {
                let file = file.unwrap_or_else(|why| panic!("{why}")).path();
                let Ok(text) = fs::read_to_string(file) else {
                    continue;
                };
                for text in text.split("// -----") {
                    let context = context();
                    let Some(module) = Module::parse(&context, text) else {
                        continue;
                    };
                    for (i, op) in operations(Op::new(module.as_operation()))
                        .into_iter()
                        .enumerate()
                    {
                        let nothing = merged(text, i, Behind::Nothing);
                        if merged(text, i, Behind::Copy) == nothing {
                            continue;
                        }
                        for (name, _) in op.attributes() {
                            if let Some(count) = merged(text, i, Behind::Other(name)) {
                                assert_eq!(
                                    Some(count),
                                    nothing,
                                    "another {name} is the same to {}",
                                    op.name()
                                );
                                changed += 1;
                                kinds.insert(op.name().to_string());
                            }
                        }
                    }
                }
            }
        }
        assert!(changed > 95 && kinds.len() > 23, "{changed} of {kinds:?}");
    }
}
