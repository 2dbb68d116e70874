//! Operations of MLIR's own dialects against the relations that their definitions say, and
//! operations of `linalg` with random maps against their iterations, one by one.

use super::harness::*;
use super::relayout::relayout;
use mapwright_ops::registry;
use std::collections::BTreeSet;

/// An operation in its own syntax on arguments `%arg0, %arg1, …` of these types; those of type
/// `index` have values.
pub fn case(
    op: String,
    arguments: &[(Vec<i64>, &str)],
    results: Vec<Vec<i64>>,
    indices: Vec<(usize, i64)>,
    relation: Relation,
) -> Case {
    let ty = |(shape, element): &(Vec<i64>, &str)| match *element {
        "index" => "index".to_owned(),
        "scalar" => "f32".to_owned(),
        element => shape_type(shape, element),
    };
    Case {
        args: arguments.iter().map(ty).collect(),
        functions: String::new(),
        prefix: String::new(),
        op,
        operands: arguments.iter().map(|(shape, _)| shape.clone()).collect(),
        results,
        values: indices.into_iter().map(|(i, v)| (i, vec![v])).collect(),
        relation,
        exact: (0..arguments.len()).collect(),
        replicas: None,
    }
}

/// A random box of a tensor of `large`: offsets, sizes, strides.
fn window(rng: &mut Rng, large: &[i64]) -> (Vec<i64>, Vec<i64>, Vec<i64>) {
    let (mut offsets, mut sizes, mut strides) = (vec![], vec![], vec![]);
    for n in large {
        let stride = rng.int(1, 3);
        let offset = rng.int(0, n - 1);
        let most = (n - offset + stride - 1) / stride;
        offsets.push(offset);
        sizes.push(rng.int(0, most));
        strides.push(stride);
    }
    (offsets, sizes, strides)
}

/// Numbers, some of them as operands from `next` on.
fn mixed(
    rng: &mut Rng,
    numbers: &[i64],
    next: &mut usize,
    indices: &mut Vec<(usize, i64)>,
) -> String {
    let text = numbers.iter().map(|number| match rng.int(0, 2) {
        0 => {
            indices.push((*next, *number));
            *next += 1;
            format!("%arg{}", *next - 1)
        }
        _ => number.to_string(),
    });
    let text: Vec<String> = text.collect();
    format!("[{}]", text.join(", "))
}

/// The dimensions that are kept where some of size 1 are left out.
fn kept(rng: &mut Rng, sizes: &[i64]) -> Vec<usize> {
    let reduce = rng.flag();
    (0..sizes.len())
        .filter(|k| !(reduce && sizes[*k] == 1 && rng.flag()))
        .collect()
}

fn select(from: &[i64], which: &[usize]) -> Vec<i64> {
    which.iter().map(|k| from[*k]).collect()
}

/// The index of the larger tensor.
fn outward(index: &[i64], kept: &[usize], offsets: &[i64], strides: &[i64]) -> Index {
    let mut found = offsets.to_vec();
    for (j, k) in kept.iter().enumerate() {
        found[*k] += index[j] * strides[*k];
    }
    found
}

#[test]
pub fn extract_slice() {
    run("tensor.extract_slice", 400, |rng| {
        let rank = rng.int(0, 3) as usize;
        let large: Vec<i64> = (0..rank).map(|_| rng.int(1, 7)).collect();
        let (offsets, sizes, strides) = window(rng, &large);
        let kept = kept(rng, &sizes);
        let small = select(&sizes, &kept);
        let (mut next, mut indices) = (1, vec![]);
        let text = mixed(rng, &offsets, &mut next, &mut indices);
        let op = format!(
            "tensor.extract_slice %arg0{text} {} {} : {} to {}",
            list(&sizes),
            list(&strides),
            shape_type(&large, "f32"),
            shape_type(&small, "f32")
        );
        let mut arguments = vec![(large, "f32")];
        arguments.extend(indices.iter().map(|_| (vec![], "index")));
        let count = arguments.len();
        let relation: Relation = Box::new(move |_, i| {
            let mut found = vec![(0, outward(i, &kept, &offsets, &strides))];
            found.extend((1..count).map(|k| (k, vec![])));
            found
        });
        case(op, &arguments, vec![small], indices, relation)
    });
}

#[test]
pub fn insert_slice() {
    run("tensor.insert_slice", 400, |rng| {
        let rank = rng.int(0, 3) as usize;
        let large: Vec<i64> = (0..rank).map(|_| rng.int(1, 7)).collect();
        let (offsets, sizes, strides) = window(rng, &large);
        let kept = kept(rng, &sizes);
        let small = select(&sizes, &kept);
        let (mut next, mut indices) = (2, vec![]);
        let text = mixed(rng, &offsets, &mut next, &mut indices);
        let op = format!(
            "tensor.insert_slice %arg0 into %arg1{text} {} {} : {} into {}",
            list(&sizes),
            list(&strides),
            shape_type(&small, "f32"),
            shape_type(&large, "f32")
        );
        let mut arguments = vec![(small.clone(), "f32"), (large.clone(), "f32")];
        arguments.extend(indices.iter().map(|_| (vec![], "index")));
        let count = arguments.len();
        let relation: Relation = Box::new(move |_, i| {
            let sources = super::harness::indices(&small);
            let source = sources
                .into_iter()
                .find(|source| outward(source, &kept, &offsets, &strides) == i);
            let mut found = vec![match source {
                Some(source) => (0, source),
                None => (1, i.to_vec()),
            }];
            found.extend((2..count).map(|k| (k, vec![])));
            found
        });
        case(op, &arguments, vec![large], indices, relation)
    });
}

#[test]
pub fn pad() {
    run("tensor.pad", 300, |rng| {
        let rank = rng.int(1, 3) as usize;
        let small = rng.shape(rank);
        let low: Vec<i64> = (0..rank).map(|_| rng.int(0, 3)).collect();
        let high: Vec<i64> = (0..rank).map(|_| rng.int(0, 3)).collect();
        let large: Vec<i64> = (0..rank).map(|k| low[k] + small[k] + high[k]).collect();
        let (mut next, mut indices) = (1, vec![]);
        let lows = mixed(rng, &low, &mut next, &mut indices);
        let ty = shape_type(&large, "f32");
        // A type that says more than the amounts do is made by a cast.
        let op = format!(
            "tensor.pad %arg0 low{lows} high{} {{\n^bb0({}):\n  %z = arith.constant 0.0 : f32\n  tensor.yield %z : f32\n}} : {} to {ty}",
            list(&high),
            (0..rank)
                .map(|k| format!("%i{k}: index"))
                .collect::<Vec<_>>()
                .join(", "),
            shape_type(&small, "f32"),
        );
        let mut arguments = vec![(small.clone(), "f32")];
        arguments.extend(indices.iter().map(|_| (vec![], "index")));
        let count = arguments.len();
        let relation: Relation = Box::new(move |_, i| {
            let source: Index = i.iter().zip(&low).map(|(i, low)| i - low).collect();
            let inside = source.iter().zip(&small).all(|(i, n)| (0..*n).contains(i));
            let mut found: Vec<(usize, Index)> = (1..count).map(|k| (k, vec![])).collect();
            if inside {
                found.push((0, source));
            }
            found
        });
        case(op, &arguments, vec![large], indices, relation)
    });
}

#[test]
pub fn reshapes() {
    run("tensor reshapes", 400, |rng| {
        let rank = rng.int(0, 3) as usize;
        let expanded: Vec<Vec<i64>> = (0..rank)
            .map(|_| {
                let n = rng.int(1, 3) as usize;
                rng.shape(n)
            })
            .collect();
        let small: Vec<i64> = expanded.iter().map(|part| part.iter().product()).collect();
        let large = expanded.concat();
        let mut at = 0;
        let groups = expanded.iter().map(|part| {
            at += part.len();
            list(at - part.len()..at)
        });
        let groups = list(groups);
        let (from, to) = (shape_type(&small, "f32"), shape_type(&large, "f32"));
        let expand = rng.flag();
        let (op, inp, out) = if expand {
            (
                format!(
                    "tensor.expand_shape %arg0 {groups} output_shape {} : {from} into {to}",
                    list(&large)
                ),
                small,
                large,
            )
        } else {
            (
                format!("tensor.collapse_shape %arg0 {groups} : {to} into {from}"),
                large,
                small,
            )
        };
        let (from, to) = (out.clone(), inp.clone());
        let relation: Relation = Box::new(move |_, i| {
            let at = linear(&from, i);
            vec![(0, indices(&to)[at].clone())]
        });
        case(op, &[(inp, "f32")], vec![out], vec![], relation)
    });
}

#[test]
pub fn concat() {
    run("tensor.concat", 200, |rng| {
        let rank = rng.int(1, 3) as usize;
        let axis = rng.int(0, rank as i64 - 1) as usize;
        let base = rng.shape(rank);
        let count = rng.int(1, 3) as usize;
        let shapes: Vec<Vec<i64>> = (0..count)
            .map(|_| {
                let mut shape = base.clone();
                shape[axis] = rng.size();
                shape
            })
            .collect();
        let mut out = base;
        out[axis] = shapes.iter().map(|shape| shape[axis]).sum();
        let names: Vec<String> = (0..count).map(|i| format!("%arg{i}")).collect();
        let types: Vec<String> = shapes.iter().map(|s| shape_type(s, "f32")).collect();
        let op = format!(
            "tensor.concat dim({axis}) {} : ({}) -> {}",
            names.join(", "),
            types.join(", "),
            shape_type(&out, "f32")
        );
        let arguments: Vec<_> = shapes.iter().map(|shape| (shape.clone(), "f32")).collect();
        let relation: Relation = Box::new(move |_, i| {
            let mut index = i.to_vec();
            for (operand, shape) in shapes.iter().enumerate() {
                if index[axis] < shape[axis] {
                    return vec![(operand, index)];
                }
                index[axis] -= shape[axis];
            }
            vec![]
        });
        case(op, &arguments, vec![out], vec![], relation)
    });
}

#[test]
pub fn single_elements() {
    run("tensor.extract and insert", 300, |rng| {
        let rank = rng.int(0, 3) as usize;
        let large: Vec<i64> = (0..rank).map(|_| rng.int(1, 4)).collect();
        let at: Vec<i64> = large.iter().map(|n| rng.int(0, n - 1)).collect();
        let ty = shape_type(&large, "f32");
        let insert = rng.flag();
        let first = if insert { 2 } else { 1 };
        let names: Vec<String> = (first..first + rank).map(|i| format!("%arg{i}")).collect();
        let values: Vec<_> = at
            .iter()
            .enumerate()
            .map(|(k, v)| (first + k, *v))
            .collect();
        let places = (first..first + rank).map(|k| (k, vec![]));
        let places: Vec<(usize, Index)> = places.collect();
        let mut arguments = if insert {
            vec![(vec![], "scalar"), (large.clone(), "f32")]
        } else {
            vec![(large.clone(), "f32")]
        };
        arguments.extend((0..rank).map(|_| (vec![], "index")));
        let (op, result) = if insert {
            (
                format!(
                    "tensor.insert %arg0 into %arg1[{}] : {ty}",
                    names.join(", ")
                ),
                large,
            )
        } else {
            (
                format!("tensor.extract %arg0[{}] : {ty}", names.join(", ")),
                vec![],
            )
        };
        let relation: Relation = Box::new(move |_, i| {
            let mut found = places.clone();
            found.push(match (insert, i == at) {
                (false, _) => (0, at.clone()),
                (true, true) => (0, vec![]),
                (true, false) => (1, i.to_vec()),
            });
            found
        });
        case(op, &arguments, vec![result], values, relation)
    });
}

#[test]
pub fn elements() {
    run("tensors of elements", 300, |rng| {
        let rank = rng.int(0, 2) as usize;
        let shape: Vec<i64> = (0..rank).map(|_| rng.int(1, 3)).collect();
        let ty = shape_type(&shape, "f32");
        let same: Relation = Box::new(|_, i| vec![(0, i.to_vec())]);
        // A tensor of rank 0 has no sizes.
        let kind = match rng.int(0, 7) {
            4 if rank == 0 => 7,
            kind => kind,
        };
        match kind {
            0 => {
                let count: i64 = shape.iter().product();
                let names: Vec<String> = (0..count).map(|i| format!("%arg{i}")).collect();
                let arguments = vec![(vec![], "scalar"); count as usize];
                let from = shape.clone();
                let relation: Relation = Box::new(move |_, i| vec![(linear(&from, i), vec![])]);
                let op = format!("tensor.from_elements {} : {ty}", names.join(", "));
                case(op, &arguments, vec![shape], vec![], relation)
            }
            1 => {
                let relation: Relation = Box::new(|_, _| vec![(0, vec![])]);
                let op = format!("tensor.splat %arg0 : {ty}");
                case(op, &[(vec![], "scalar")], vec![shape], vec![], relation)
            }
            2 => {
                let op = format!("tensor.cast %arg0 : {ty} to {ty}");
                case(op, &[(shape.clone(), "f32")], vec![shape], vec![], same)
            }
            3 => {
                let to = shape_type(&shape, "i32");
                let op = format!("tensor.bitcast %arg0 : {ty} to {to}");
                case(op, &[(shape.clone(), "f32")], vec![shape], vec![], same)
            }
            4 => {
                let relation: Relation = Box::new(|_, _| vec![(1, vec![])]);
                let op = format!("tensor.dim %arg0, %arg1 : {ty}");
                let arguments = [(shape, "f32"), (vec![], "index")];
                case(op, &arguments, vec![vec![]], vec![(1, 0)], relation)
            }
            5 => {
                let count: i64 = shape.iter().product();
                let from = shape_type(&[count], "f32");
                let sizes = shape_type(&[rank as i64], "index");
                let op = format!("tensor.reshape %arg0(%arg1) : ({from}, {sizes}) -> {ty}");
                let own = shape.clone();
                let relation: Relation = Box::new(move |_, i| {
                    let mut found = vec![(0, vec![linear(&own, i) as i64])];
                    found.extend((0..own.len() as i64).map(|k| (1, vec![k])));
                    found
                });
                let arguments = [(vec![count], "f32"), (vec![rank as i64], "index_tensor")];
                let mut case = case(op, &arguments, vec![shape], vec![], relation);
                case.args[1] = sizes;
                case
            }
            6 => {
                let op = format!("math.atan2 %arg0, %arg1 : {ty}");
                let relation: Relation = Box::new(|_, i| vec![(0, i.to_vec()), (1, i.to_vec())]);
                let arguments = [(shape.clone(), "f32"), (shape.clone(), "f32")];
                case(op, &arguments, vec![shape], vec![], relation)
            }
            _ => {
                // The condition is one for all elements.
                let op = format!("arith.select %arg0, %arg1, %arg2 : {ty}");
                let relation: Relation =
                    Box::new(|_, i| vec![(0, vec![]), (1, i.to_vec()), (2, i.to_vec())]);
                let arguments = [
                    (vec![], "i1"),
                    (shape.clone(), "f32"),
                    (shape.clone(), "f32"),
                ];
                let mut case = case(op, &arguments, vec![shape], vec![], relation);
                case.args[0] = "i1".into();
                case
            }
        }
    });
}

/// The index of an operand: a loop, the sum of two, or a number.
#[derive(Clone)]
enum At {
    Loop(usize),
    Sum(usize, i64, usize, i64),
    Number(i64),
}

impl At {
    fn text(&self) -> String {
        match self {
            At::Loop(l) => format!("d{l}"),
            At::Sum(a, x, b, y) => format!("d{a} * {x} + d{b} * {y}"),
            At::Number(n) => n.to_string(),
        }
    }

    fn value(&self, iteration: &[i64]) -> i64 {
        match self {
            At::Loop(l) => iteration[*l],
            At::Sum(a, x, b, y) => iteration[*a] * x + iteration[*b] * y,
            At::Number(n) => *n,
        }
    }

    /// A size that holds all of them.
    fn size(&self, loops: &[i64]) -> i64 {
        match self {
            At::Loop(l) => loops[*l],
            At::Sum(a, x, b, y) => ((loops[*a] - 1) * x + (loops[*b] - 1) * y + 1).max(1),
            At::Number(n) => n + 1,
        }
    }
}

#[test]
pub fn generic() {
    run("linalg.generic", 600, |rng| {
        let count = rng.int(1, 4) as usize;
        // Sums of loops need an iteration.
        let empty = rng.int(0, 9) == 0;
        let loops: Vec<i64> = (0..count)
            .map(|_| if empty { rng.int(0, 2) } else { rng.int(1, 3) })
            .collect();
        // One input that names every loop, so that their sizes are known; one of any kind; two
        // results at some of the loops.
        let order = rng.permutation(count);
        let whole: Vec<At> = order.iter().map(|l| At::Loop(*l)).collect();
        let any: Vec<At> = (0..rng.int(0, 3))
            .map(|_| match rng.int(0, 4) {
                0 if !empty => At::Number(rng.int(0, 2)),
                1 if !empty => At::Sum(
                    rng.int(0, count as i64 - 1) as usize,
                    rng.int(1, 2),
                    rng.int(0, count as i64 - 1) as usize,
                    rng.int(1, 2),
                ),
                _ => At::Loop(rng.int(0, count as i64 - 1) as usize),
            })
            .collect();
        let parallel: Vec<usize> = rng.subset(count);
        let (first, second) = (rng.permutation(parallel.len()), parallel.clone());
        let first: Vec<At> = first.iter().map(|k| At::Loop(parallel[*k])).collect();
        let second: Vec<At> = second.iter().map(|l| At::Loop(*l)).collect();
        let maps = [whole, any, first, second];
        let shapes: Vec<Vec<i64>> = maps
            .iter()
            .map(|map| map.iter().map(|at| at.size(&loops)).collect())
            .collect();
        // Which arguments each result is made of.
        let uses: Vec<Vec<usize>> = (0..2).map(|_| rng.subset(4)).collect();
        let mut body = String::new();
        let mut yielded = vec![];
        for (r, own) in uses.iter().enumerate() {
            let mut value = "%z".to_owned();
            for i in own {
                let name = format!("%v{r}{i}");
                body += &format!("  {name} = arith.addf {value}, %x{i} : f32\n");
                value = name;
            }
            yielded.push(value);
        }
        let dims: Vec<String> = (0..count).map(|l| format!("d{l}")).collect();
        let maps_text: Vec<String> = maps
            .iter()
            .map(|map| {
                let results: Vec<String> = map.iter().map(At::text).collect();
                format!(
                    "affine_map<({}) -> ({})>",
                    dims.join(", "),
                    results.join(", ")
                )
            })
            .collect();
        let kinds: Vec<&str> = (0..count)
            .map(|l| {
                if parallel.contains(&l) {
                    "\"parallel\""
                } else {
                    "\"reduction\""
                }
            })
            .collect();
        let types: Vec<String> = shapes.iter().map(|s| shape_type(s, "f32")).collect();
        let op = format!(
            "linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}} ins(%arg0, %arg1 : {}, {}) outs(%arg2, %arg3 : {}, {}) {{\n\
             ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32):\n  %z = arith.constant 0.0 : f32\n{body}  linalg.yield {}, {} : f32, f32\n}} -> ({}, {})",
            maps_text.join(", "),
            kinds.join(", "),
            types[0],
            types[1],
            types[2],
            types[3],
            yielded[0],
            yielded[1],
            types[2],
            types[3],
        );
        let arguments: Vec<_> = shapes.iter().map(|shape| (shape.clone(), "f32")).collect();
        let results = vec![shapes[2].clone(), shapes[3].clone()];
        let bounds = loops.clone();
        let relation: Relation = Box::new(move |r, i| {
            let mut found = vec![];
            let mut written = false;
            for iteration in indices(&bounds) {
                let at =
                    |map: &[At]| -> Index { map.iter().map(|at| at.value(&iteration)).collect() };
                if at(&maps[2 + r]) != i {
                    continue;
                }
                written = true;
                found.extend(
                    uses[r]
                        .iter()
                        .map(|operand| (*operand, at(&maps[*operand]))),
                );
            }
            if !written {
                found.push((2 + r, i.to_vec()));
            }
            found
        });
        case(op, &arguments, results, vec![], relation)
    });
}

#[test]
pub fn named() {
    run("named operations of linalg", 300, |rng| {
        let (m, n, k) = (rng.size(), rng.size(), rng.size());
        match rng.int(0, 3) {
            0 => {
                let (a, b, out) = (vec![m, k], vec![k, n], vec![m, n]);
                let op = format!(
                    "linalg.matmul ins(%arg0, %arg1 : {}, {}) outs(%arg2 : {o}) -> {o}",
                    shape_type(&a, "f32"),
                    shape_type(&b, "f32"),
                    o = shape_type(&out, "f32"),
                );
                let relation: Relation = Box::new(move |_, i| {
                    let products = (0..k).flat_map(|s| [(0, vec![i[0], s]), (1, vec![s, i[1]])]);
                    products.chain([(2, i.to_vec())]).collect()
                });
                let arguments = [(a, "f32"), (b, "f32"), (out.clone(), "f32")];
                case(op, &arguments, vec![out], vec![], relation)
            }
            1 => {
                let order = rng.permutation(3);
                let inp = vec![m, n, k];
                let out = select(&inp, &order);
                let op = format!(
                    "linalg.transpose ins(%arg0 : {}) outs(%arg1 : {}) permutation = {}",
                    shape_type(&inp, "f32"),
                    shape_type(&out, "f32"),
                    list(&order),
                );
                let relation: Relation = Box::new(move |_, i| {
                    let mut index = vec![0; 3];
                    for (at, k) in order.iter().enumerate() {
                        index[*k] = i[at];
                    }
                    vec![(0, index)]
                });
                let arguments = [(inp, "f32"), (out.clone(), "f32")];
                case(op, &arguments, vec![out], vec![], relation)
            }
            2 => {
                let out = vec![m, n, k];
                let added = rng.subset(3);
                let own: Vec<usize> = (0..3).filter(|k| !added.contains(k)).collect();
                let inp = select(&out, &own);
                let op = format!(
                    "linalg.broadcast ins(%arg0 : {}) outs(%arg1 : {}) dimensions = {}",
                    shape_type(&inp, "f32"),
                    shape_type(&out, "f32"),
                    list(&added),
                );
                let relation: Relation = Box::new(move |_, i| vec![(0, select(i, &own))]);
                let arguments = [(inp, "f32"), (out.clone(), "f32")];
                case(op, &arguments, vec![out], vec![], relation)
            }
            _ => {
                let shape = vec![m, n];
                let ty = shape_type(&shape, "f32");
                let op = format!("linalg.fill ins(%arg0 : f32) outs(%arg1 : {ty}) -> {ty}");
                let relation: Relation = Box::new(|_, _| vec![(0, vec![])]);
                let arguments = [(vec![], "scalar"), (shape.clone(), "f32")];
                case(op, &arguments, vec![shape], vec![], relation)
            }
        }
    });
}

#[test]
fn every_operation_with_a_name_is_checked() {
    let checks: [fn(); 8] = [
        extract_slice,
        insert_slice,
        pad,
        reshapes,
        concat,
        single_elements,
        elements,
        relayout,
    ];
    let checked = checked_by(|| checks.iter().for_each(|check| check()));
    let names: BTreeSet<&str> = registry::upstream().map(|def| def.name).collect();
    let with_rules = registry::upstream().filter(|def| def.index_rule.is_some());
    let short = |name: &'static str| name.split_once('.').map_or(name, |(_, short)| short);
    let needed = (names.iter().map(|name| short(name).to_owned()))
        .chain(with_rules.map(|def| rule_of(short(def.name))));
    let missing: Vec<String> = needed.filter(|name| !checked.contains(name)).collect();
    assert!(missing.is_empty() && names.len() > 10, "{missing:?}");
}
