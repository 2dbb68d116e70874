//! Reverse-mode differentiation: the vector-Jacobian product of a function.
//!
//! Of a function `f` a function `f_vjp` is made, which takes what `f` takes and a cotangent for each result, and gives the cotangents of chosen
//! arguments. The operations of `f` are computed first; then their adjoints, from the last to the first.
//!
//! - [`elementwise`]: by derivatives; [`product`]: factors of products, with each other's cotangent;
//! - [`relation`]: whatever moves or sums elements, by the inverse relation of its indexing map.

mod elementwise;
mod product;
mod relation;

use crate::{
    rewrite::{Result, fail},
    tarray::{self, make::Make},
};
use mapwright_mlir::{Builder, ElementType, Op, TensorType, Val, edit, melior::ir::ValueLike, op};
use mapwright_ops::{
    registry::{self, Class},
    typing::{find_function, signature},
};
use std::collections::{HashMap, HashSet};

/// Adds `{of}_vjp` to `module`. `wrt` has the numbers of the arguments whose cotangents it gives.
///
/// Operations on tensor arrays are rewritten first; an array among the arguments counts as its buffer and its offsets.
///
/// # Errors
/// A function or an argument that is not there, and operations that have no rule, at their place.
pub fn differentiate<'c>(module: Op<'c>, of: &str, wrt: &[i64]) -> Result<'c> {
    tarray::legalize(module)?;
    let function = module
        .body(0)
        .map(op::ops)
        .unwrap_or_default()
        .into_iter()
        .find(|op| op.name() == "func.func" && op.string("sym_name").as_deref() == Some(of));
    let Some(function) = function else {
        return fail(module, format!("has no function @{of}"));
    };
    let (Some(block), Some((takes, _))) = (function.body(0), signature(function)) else {
        return fail(function, "has no body");
    };
    let mut chosen = Vec::new();
    for number in wrt {
        match usize::try_from(*number).ok().filter(|i| *i < takes.len()) {
            Some(i) if float_of(op::arguments(block)[i]).is_some() => chosen.push(i),
            Some(i) => {
                return fail(
                    function,
                    format!("argument {i} is no tensor of floating-point numbers of static shape"),
                );
            }
            None => return fail(function, format!("has no argument {number}")),
        }
    }
    let Some(b) = Builder::before(module.context(), function) else {
        return fail(function, "is not inside a module");
    };
    let mut inputs: Vec<_> = op::arguments(block).iter().map(|v| v.r#type()).collect();
    let outputs: Vec<_> = chosen.iter().map(|i| inputs[*i]).collect();
    // Only results of floating-point numbers have cotangents.
    let end = op::ops(block).last().copied();
    let results = end.map(|end| end.operands()).unwrap_or_default();
    let floats: Vec<usize> = (0..results.len())
        .filter(|i| float_of(results[*i]).is_some())
        .collect();
    inputs.extend(floats.iter().map(|i| results[*i].r#type()));
    let mut ops = Vec::new();
    let mut outcome = Ok(Vec::new());
    let region = b.region(&inputs, |b, arguments| {
        outcome = forward(b, function, &arguments[..takes.len()], &mut ops, 0);
    });
    let computed = outcome?;
    let made = b.op_with_regions(
        "func.func",
        &[],
        &[],
        &[
            ("sym_name", b.str_attr(&format!("{of}_vjp"))),
            (
                "function_type",
                b.type_attr(b.function_type(&inputs, &outputs)),
            ),
        ],
        vec![region],
    );
    let Some(body) = made.body(0) else {
        return fail(function, "has no body");
    };
    let parameters = op::arguments(body);
    let seeds = floats.iter().map(|i| computed[*i]);
    let seeds = seeds.zip(parameters[takes.len()..].iter().copied());
    let wrt: Vec<Val<'c>> = chosen.iter().map(|i| parameters[*i]).collect();
    let reverse = Reverse {
        m: Make::new(Builder::new(module.context(), body, function.location())),
    };
    reverse.run(&ops, seeds.collect(), &wrt)
}

/// Deepest nesting of calls.
const MOST_DEPTH: usize = 64;

/// Appends what a function computes of `arguments`, calls expanded; its results. `ops` gets the operations in their order.
fn forward<'c>(
    b: &Builder<'c>,
    function: Op<'c>,
    arguments: &[Val<'c>],
    ops: &mut Vec<Op<'c>>,
    depth: usize,
) -> Result<'c, Vec<Val<'c>>> {
    let Some(block) = function.body(0) else {
        return fail(function, "has no body");
    };
    if depth > MOST_DEPTH {
        return fail(function, "is called too deeply, or calls itself");
    }
    let mut new: HashMap<usize, Val<'c>> = HashMap::new();
    for (old, value) in op::arguments(block).into_iter().zip(arguments) {
        new.insert(op::key(old), *value);
    }
    let all = op::ops(block);
    let Some((end, inner)) = all.split_last() else {
        return fail(function, "has an empty body");
    };
    let there = |new: &HashMap<usize, Val<'c>>, op: Op<'c>| -> Vec<Val<'c>> {
        let known = |value: Val<'c>| new.get(&op::key(value)).copied().unwrap_or(value);
        op.operands().into_iter().map(known).collect()
    };
    for op in inner {
        let results = match op.name() {
            "func.call" => {
                let name = op.symbol("callee").unwrap_or_default();
                let Some(callee) = find_function(*op, &name) else {
                    return fail(*op, format!("calls @{name}, which is not there"));
                };
                let given = there(&new, *op);
                forward(b, callee, &given, ops, depth + 1)?
            }
            _ => {
                let copy = edit::clone(*op, &new);
                edit::append(b.block(), copy);
                ops.push(copy);
                copy.results()
            }
        };
        for (old, value) in op.results().into_iter().zip(results) {
            new.insert(op::key(old), value);
        }
    }
    Ok(there(&new, *end))
}

/// Element type and sizes of a tensor of real floating-point numbers of static shape.
fn float_of(value: Val<'_>) -> Option<(ElementType, Vec<i64>)> {
    let ty = TensorType::from_mlir(value.r#type())?;
    ty.element.is_float().then_some(())?;
    Some((ty.element.clone(), ty.static_shape()?))
}

/// Emits one such function.
struct Reverse<'c> {
    m: Make<'c>,
}

impl<'c> Reverse<'c> {
    /// Appends the adjoints of `ops`, and the end. `seeds` has results and their cotangents.
    fn run(&self, ops: &[Op<'c>], seeds: Vec<(Val<'c>, Val<'c>)>, wrt: &[Val<'c>]) -> Result<'c> {
        // What depends on the chosen arguments.
        let mut active: HashSet<usize> = wrt.iter().map(|value| op::key(*value)).collect();
        for op in ops {
            let depends = op
                .descendants()
                .iter()
                .chain([op])
                .flat_map(|op| op.operands())
                .any(|value| active.contains(&op::key(value)));
            for result in op.results() {
                if depends && float_of(result).is_some() {
                    active.insert(op::key(result));
                }
            }
        }
        let mut cotangents: HashMap<usize, Val<'c>> = HashMap::new();
        for (result, seed) in seeds {
            self.sum(&mut cotangents, result, seed);
        }
        for op in ops.iter().rev() {
            for (r, result) in op.results().into_iter().enumerate() {
                let known = cotangents.get(&op::key(result)).copied();
                let Some(given) = known.filter(|_| active.contains(&op::key(result))) else {
                    continue;
                };
                self.m.b.set_location(op.location());
                for (k, operand) in op.operands().into_iter().enumerate() {
                    if !active.contains(&op::key(operand)) {
                        continue;
                    }
                    if let Some(part) = self.adjoint(*op, (r, k), given)? {
                        self.sum(&mut cotangents, operand, part);
                    }
                }
            }
        }
        let found: Vec<Val<'c>> = wrt
            .iter()
            .map(|value| {
                let known = cotangents.get(&op::key(*value)).copied();
                let (element, shape) = tarray::make::type_of(*value);
                known.unwrap_or_else(|| self.m.zeros(&element, &shape))
            })
            .collect();
        self.m.b.ret(&found);
        Ok(())
    }

    fn sum(&self, all: &mut HashMap<usize, Val<'c>>, of: Val<'c>, part: Val<'c>) {
        let key = op::key(of);
        let total = match all.get(&key) {
            Some(known) => self.m.add(*known, part),
            None => part,
        };
        all.insert(key, total);
    }

    /// What the cotangent `given` of result `r` adds to that of operand `k`; `None` for nothing.
    fn adjoint(
        &self,
        op: Op<'c>,
        (r, k): (usize, usize),
        given: Val<'c>,
    ) -> Result<'c, Option<Val<'c>>> {
        let class = registry::lookup(op).map(|def| def.class);
        match class {
            Some(Class::Elementwise) => self.elementwise(op, k, given),
            Some(Class::Contraction) if op.is_hlo("dot_general") => {
                self.product(op, k, given).map(Some)
            }
            Some(Class::Movement | Class::Assembly) => {
                self.by_relation(op, (r, k), given).map(Some)
            }
            Some(Class::Window) if self.is_sum(op) && k == 0 => {
                self.by_relation(op, (r, k), given).map(Some)
            }
            Some(Class::Reduction) if op.is_hlo("reduce") => {
                self.reduction(op, (r, k), given).map(Some)
            }
            _ => fail(op, "has no rule of differentiation"),
        }
    }

    /// Is the body of a reduction the sum of its arguments?
    fn is_sum(&self, op: Op<'c>) -> bool {
        let body = op.body(0).map(op::ops).unwrap_or_default();
        op.num_results() == 1 && body.len() == 2 && body[0].is_hlo("add")
    }
}
