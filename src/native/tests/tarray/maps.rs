//! Maps through loops over elements against what changes: an element is read by those elements of
//! the results that change with it, and by no others.

use super::numbers_in;
use mapwright_interpret::{Options, Scalar, Tensor, Value, run};
use mapwright_mlir::{ElementType, Op, context::context, diagnostic::Diagnostics, op};
use mapwright_ops::compose::Composer;
use std::collections::BTreeSet;

/// Results, arguments, body. Every function changes with each element that it reads.
const PROGRAMS: &[(&str, &str, &str)] = &[
    (
        "!list",
        "%x: !list, %w: tensor<4xf64>",
        "%r = tarray.parallel_foreach (%e in %x : !list) {
           %z = stablehlo.reverse %e, dims = [0] : tensor<4xf64>
           %s = stablehlo.multiply %z, %w : tensor<4xf64>
           tarray.yield %s : tensor<4xf64>
         }",
    ),
    (
        "!lists3",
        "%x: !lists, %w: tensor<4x3xf64>, %b: tensor<4xf64>",
        "%r = tarray.parallel_foreach (%l in %x : !lists) {
           %m = tarray.broadcast (%e in %l : !list, %k = %b : tensor<4xf64>) {
             %z = stablehlo.multiply %e, %k : tensor<4xf64>
             tarray.yield %z : tensor<4xf64>
           }
           %n = tarray.parallel_foreach (%e in %m : !list) {
             %s = stablehlo.reverse %e, dims = [0] : tensor<4xf64>
             %z = stablehlo.dot_general %s, %w, contracting_dims = [0] x [0] : (tensor<4xf64>, tensor<4x3xf64>) -> tensor<3xf64>
             tarray.yield %z : tensor<3xf64>
           }
           tarray.yield %n : !tarray.array<tensor<3xf64>, max = 3>
         }",
    ),
    // Two loops, one behind the other, and what a loop does not look at.
    (
        "!tarray.array<!tarray.array<tensor<2xf64>, max = 3>, max = 2>",
        "%x: !lists, %y: !lists, %w: tensor<4xf64>",
        "%p = tarray.parallel_foreach (%l in %x : !lists) {
           %q = tarray.parallel_foreach (%e in %l : !list) {
             %h = stablehlo.slice %e [1:4:2] : (tensor<4xf64>) -> tensor<2xf64>
             tarray.yield %h : tensor<2xf64>
           }
           tarray.yield %q : !tarray.array<tensor<2xf64>, max = 3>
         }
         %r = tarray.parallel_foreach (%l in %p : !tarray.array<!tarray.array<tensor<2xf64>, max = 3>, max = 2>) {
           %q = tarray.parallel_foreach (%e in %l : !tarray.array<tensor<2xf64>, max = 3>) {
             %z = stablehlo.reverse %e, dims = [0] : tensor<2xf64>
             tarray.yield %z : tensor<2xf64>
           }
           tarray.yield %q : !tarray.array<tensor<2xf64>, max = 3>
         }",
    ),
    // As many as the shortest of two lists has.
    (
        "!list",
        "%x: !list, %y: !list",
        "%a, %b = tarray.zip %x, %y : !list, !list
         %p = tarray.parallel_foreach (%e in %a : !list, %g in %y : !list) {
           %s = stablehlo.subtract %e, %g : tensor<4xf64>
           tarray.yield %s : tensor<4xf64>
         }
         %r = tarray.parallel_foreach (%e in %p : !list, %g in %b : !list) {
           %z = stablehlo.reverse %g, dims = [0] : tensor<4xf64>
           %s = stablehlo.multiply %e, %z : tensor<4xf64>
           tarray.yield %s : tensor<4xf64>
         }",
    ),
    (
        "tensor<3x4xf64>",
        "%x: tensor<3x4xf64>, %y: tensor<3xf64>, %w: tensor<1x4xf64>",
        "%a = tarray.broadcast dims = [0] (%e in %x : tensor<3x4xf64>, %b = %y : tensor<3xf64>) {
           %s = stablehlo.subtract %e, %b : tensor<f64>
           tarray.yield %s : tensor<f64>
         }
         %c = tarray.transpose %a dims = [1, 0] : tensor<3x4xf64>
         %d = tarray.parallel_foreach (%e in %c : tensor<4x3xf64>) {
           %s = stablehlo.exponential %e : tensor<f64>
           tarray.yield %s : tensor<f64>
         }
         %g = tarray.transpose %d dims = [1, 0] : tensor<4x3xf64>
         %r = tarray.broadcast dims = [0, 1] (%e in %g : tensor<3x4xf64>, %b = %w : tensor<1x4xf64>) {
           %s = stablehlo.add %e, %b : tensor<f64>
           tarray.yield %s : tensor<f64>
         }",
    ),
    (
        "tensor<5x3xf64>",
        "%x: tensor<5x4xf64>, %w: tensor<4xf64>",
        "%r = tarray.vectorize @g(%x) : tensor<5x4xf64> -> tensor<5x3xf64>",
    ),
];

/// The elements of a value at their indices.
fn elements(value: &Value, index: &mut Vec<i64>, found: &mut Vec<(Vec<i64>, f64)>) {
    match value {
        Value::Array(list) => {
            for (i, inner) in list.iter().enumerate() {
                index.push(i as i64);
                elements(inner, index, found);
                index.pop();
            }
        }
        other => {
            let tensor = other.tensor().unwrap();
            for (k, x) in tensor.data.iter().enumerate() {
                let mut rest = k as i64;
                let mut own: Vec<i64> = Vec::new();
                for size in tensor.shape.iter().rev() {
                    own.insert(0, rest % size);
                    rest /= size;
                }
                found.push(([index.as_slice(), &own].concat(), x.real().unwrap()));
            }
        }
    }
}

fn all(value: &Value) -> Vec<(Vec<i64>, f64)> {
    let mut found = Vec::new();
    elements(value, &mut Vec::new(), &mut found);
    found
}

/// One more for the element of a number.
fn raised(value: &mut Value, number: &mut usize) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|inner| raised(inner, number)),
        Value::Tensor(tensor) => {
            for x in &mut tensor.data {
                if *number == 0 {
                    *x = Scalar::Real(x.real().unwrap() + 1.0);
                }
                *number = number.wrapping_sub(1);
            }
        }
        _ => {}
    }
}

/// The number of elements of the list at an index.
fn length(value: &Value, index: &[i64]) -> i64 {
    match (value, index) {
        (Value::Array(list), []) => list.len() as i64,
        (Value::Array(list), [first, rest @ ..]) => {
            let inner = usize::try_from(*first).ok().and_then(|i| list.get(i));
            inner.map_or(0, |inner| length(inner, rest))
        }
        _ => 0,
    }
}

fn random(rng: &mut fastrand::Rng, ty: &str) -> Value {
    let list = |rng: &mut fastrand::Rng| {
        let n = rng.usize(0..=3);
        Value::Array((0..n).map(|_| tensor(rng, &[4])).collect())
    };
    match ty {
        "!list" => list(rng),
        "!lists" => {
            let n = rng.usize(1..=2);
            Value::Array((0..n).map(|_| list(rng)).collect())
        }
        _ => tensor(rng, &numbers_in(ty)),
    }
}

fn tensor(rng: &mut fastrand::Rng, shape: &[i64]) -> Value {
    let made = Tensor::build(&ElementType::F64, shape, |_| {
        Ok(Scalar::Real(0.5 + rng.f64()))
    });
    Value::Tensor(made.unwrap())
}

#[test]
fn maps_are_what_changes() {
    mapwright_ops::hooks::install();
    let mut rng = fastrand::Rng::with_seed(11);
    for (result, arguments, body) in PROGRAMS {
        let text = format!(
            "!list = !tarray.array<tensor<4xf64>, max = 3>
             !lists = !tarray.array<!tarray.array<tensor<4xf64>, max = 3>, max = 2>
             !lists3 = !tarray.array<!tarray.array<tensor<3xf64>, max = 3>, max = 2>
             func.func private @g(%a: tensor<4xf64>) -> tensor<3xf64> {{
               %0 = stablehlo.slice %a [1:4] : (tensor<4xf64>) -> tensor<3xf64>
               return %0 : tensor<3xf64>
             }}
             func.func @main({arguments}) -> {result} {{\n{body}\nreturn %r : {result}\n}}"
        );
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let module = diagnostics
            .parse("f.mlir", text.as_bytes())
            .unwrap_or_else(|_| panic!("{text}: {}", diagnostics.take()));
        let root = Op::new(module.as_operation());
        let main = op::ops(root.body(0).unwrap()).pop().unwrap();
        let block = main.body(0).unwrap();
        let end = op::ops(block).pop().unwrap();
        let composer = Composer::new();
        let reached = composer.backward(end.operand(0));
        for _ in 0..4 {
            let types = arguments.split(", ").map(|a| a.split(": ").nth(1).unwrap());
            let values: Vec<Value> = types.map(|ty| random(&mut rng, ty)).collect();
            let call = |values: &[Value]| {
                let found = run(root, "main", values, &Options::default());
                all(&found.unwrap_or_else(|e| panic!("{text}: {e}"))[0])
            };
            let before = call(&values);
            for (k, argument) in op::arguments(block).into_iter().enumerate() {
                let maps = reached.maps(argument).unwrap_or_default();
                assert!(
                    maps.iter().all(|map| map.is_exact()),
                    "{text}: argument {k}"
                );
                let mut said: BTreeSet<(Vec<i64>, Vec<i64>)> = BTreeSet::new();
                for (place, _) in &before {
                    for map in maps {
                        let mut ranges = vec![Vec::new()];
                        for range in map.ranges() {
                            let all = range.interval.lower..=range.interval.upper;
                            ranges = (ranges.iter())
                                .flat_map(|known| {
                                    all.clone().map(move |i| [known.as_slice(), &[i]].concat())
                                })
                                .collect();
                        }
                        for ranges in ranges {
                            let lengths = map.runtime().iter().map(|variable| {
                                let label = variable.origin.value.as_str();
                                let which = numbers_in(label)[0] as usize;
                                assert_eq!(label, format!("len(%arg{which})"));
                                let index = variable.origin.index.as_ref().unwrap();
                                let index = index.results().iter();
                                let index: Vec<i64> = index
                                    .map(|e| e.eval(place, &ranges, &[]).unwrap())
                                    .collect();
                                length(&values[which], &index)
                            });
                            let lengths: Vec<i64> = lengths.collect();
                            if let Some(at) = map.eval(place, &ranges, &lengths).unwrap() {
                                said.insert((at, place.clone()));
                            }
                        }
                    }
                }
                let mut seen = BTreeSet::new();
                for (n, (at, _)) in all(&values[k]).into_iter().enumerate() {
                    let mut others = values.clone();
                    raised(&mut others[k], &mut n.clone());
                    let after = call(&others);
                    let pairs = before.iter().zip(&after);
                    let changed = pairs.filter(|((_, x), (_, y))| x != y);
                    seen.extend(changed.map(|((place, _), _)| (at.clone(), place.clone())));
                }
                assert_eq!(said, seen, "{text}: argument {k}");
            }
        }
    }
}
