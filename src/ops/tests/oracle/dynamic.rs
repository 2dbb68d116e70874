//! The dynamic forms: sizes, starts and paddings in operands. What decides which elements there are
//! is read as a whole.

use super::gather::gather_case;
use super::harness::*;

/// `found` and all elements of these operands.
fn and_whole(relation: Relation, operands: Vec<(usize, Vec<i64>)>) -> Relation {
    Box::new(move |r, i| {
        let mut found = relation(r, i);
        for (operand, shape) in &operands {
            found.extend(indices(shape).into_iter().map(|at| (*operand, at)));
        }
        found
    })
}

#[test]
pub fn broadcasts_and_reshapes() {
    run("dynamic shapes", 250, |rng| {
        let rank = rng.int(0, 3) as usize;
        let out = rng.shape(rank);
        match rng.int(0, 3) {
            0 => {
                let dims = rng.subset(rank);
                let inp: Vec<i64> = dims
                    .iter()
                    .map(|k| if rng.int(0, 2) == 0 { 1 } else { out[*k] })
                    .collect();
                let attributes = format!(
                    "broadcast_dimensions = {}",
                    array(&dims.iter().map(|k| *k as i64).collect::<Vec<_>>())
                );
                let sizes = inp.clone();
                let relation: Relation = Box::new(move |_, i| {
                    let at = dims.iter().zip(&sizes);
                    vec![(
                        0,
                        at.map(|(k, n)| if *n == 1 { 0 } else { i[*k] }).collect(),
                    )]
                });
                let shape = vec![rank as i64];
                Case::new(
                    "dynamic_broadcast_in_dim",
                    &[(inp, "f32"), (shape.clone(), "i64")],
                    "",
                    &attributes,
                    &[(out, "f32")],
                    and_whole(relation, vec![(1, shape)]),
                )
            }
            1 => {
                // The oldest form: new dimensions in front.
                let first = rng.int(0, rank as i64) as usize;
                let attributes = format!("broadcast_sizes = {}", array(&out[..first]));
                let relation: Relation = Box::new(move |_, i| vec![(0, i[first..].to_vec())]);
                let inp = out[first..].to_vec();
                Case::new(
                    "broadcast",
                    &[(inp, "f32")],
                    "",
                    &attributes,
                    &[(out, "f32")],
                    relation,
                )
            }
            2 => {
                let (a, b, c) = (rng.int(1, 4), rng.int(1, 4), rng.int(1, 3));
                let (inp, out) = if rng.flag() {
                    (vec![a * b, c], vec![a, b * c])
                } else {
                    (vec![a, b, c], vec![c, a * b])
                };
                let (from, to) = (inp.clone(), out.clone());
                let relation: Relation = Box::new(move |_, i| {
                    let place = linear(&to, i);
                    let all = indices(&from);
                    vec![(0, all[place].clone())]
                });
                let shape = vec![out.len() as i64];
                Case::new(
                    "dynamic_reshape",
                    &[(inp, "f32"), (shape.clone(), "i64")],
                    "",
                    "",
                    &[(out, "f32")],
                    and_whole(relation, vec![(1, shape)]),
                )
            }
            _ => bitcast(rng),
        }
    });
}

/// The same bytes, read in another shape and order.
fn bitcast(rng: &mut Rng) -> Case {
    let (a, b, c) = (rng.int(1, 4), rng.int(1, 4), rng.int(1, 3));
    let (inp, out) = if rng.flag() {
        (vec![a * b, c], vec![a, c, b])
    } else {
        (vec![a, b, c], vec![b * c, a])
    };
    // Slowest dimension first.
    let (from, to) = (rng.permutation(inp.len()), rng.permutation(out.len()));
    let place = |order: &[usize], shape: &[i64], index: &[i64]| {
        order.iter().fold(0, |at, k| at * shape[*k] + index[*k])
    };
    let text = |order: &[usize]| {
        format!(
            "dense<{}> : tensor<{}xindex>",
            list(order.iter().rev()),
            order.len()
        )
    };
    let attributes = format!(
        "source_layout = {}, result_layout = {}",
        text(&from),
        text(&to)
    );
    let (i, o) = (inp.clone(), out.clone());
    let relation: Relation = Box::new(move |_, index| {
        let at = place(&to, &o, index);
        let source = indices(&i)
            .into_iter()
            .find(|source| place(&from, &i, source) == at);
        vec![(0, source.unwrap())]
    });
    Case::new(
        "bitcast",
        &[(inp, "f32")],
        "",
        &attributes,
        &[(out, "f32")],
        relation,
    )
    .dialect("mhlo")
}

#[test]
pub fn slices() {
    run("real_dynamic_slice", 250, |rng| {
        let rank = rng.int(1, 3) as usize;
        let inp: Vec<i64> = (0..rank).map(|_| rng.int(0, 7)).collect();
        let (mut start, mut limit, mut stride, mut out) = (vec![], vec![], vec![], vec![]);
        for n in &inp {
            let (a, s) = (rng.int(0, *n), rng.int(1, 3));
            let b = rng.int(a, *n);
            out.push((b - a + s - 1) / s);
            start.push(a);
            limit.push(b);
            stride.push(s);
        }
        let list = vec![rank as i64];
        let (at, step) = (start.clone(), stride.clone());
        let relation: Relation =
            Box::new(move |_, i| vec![(0, (0..i.len()).map(|k| at[k] + i[k] * step[k]).collect())]);
        let known = rng.flag();
        let case = Case::new(
            "real_dynamic_slice",
            &[
                (inp, "f32"),
                (list.clone(), "i64"),
                (list.clone(), "i64"),
                (list.clone(), "i64"),
            ],
            "",
            "",
            &[(out, "f32")],
            and_whole(relation, (1..4).map(|o| (o, list.clone())).collect()),
        )
        .constant(3, "i64", &stride);
        if known {
            return case.constant(1, "i64", &start).constant(2, "i64", &limit);
        }
        let mut case = case;
        case.values = vec![(1, start)];
        case
    });
}

#[test]
pub fn pads() {
    run("dynamic_pad", 250, |rng| {
        let rank = rng.int(1, 3) as usize;
        let inp = rng.shape(rank);
        let (mut low, mut high, mut interior, mut out) = (vec![], vec![], vec![], vec![]);
        for n in &inp {
            let (l, h, i) = loop {
                let (l, h, i) = (rng.int(-2, 3), rng.int(-2, 3), rng.int(0, 2));
                if n + (n - 1).max(0) * i + l + h >= 0 {
                    break (l, h, i);
                }
            };
            out.push(n + (n - 1).max(0) * i + l + h);
            low.push(l);
            high.push(h);
            interior.push(i);
        }
        let list = vec![rank as i64];
        let (sizes, first, gap) = (inp.clone(), low.clone(), interior.clone());
        let relation: Relation = Box::new(move |_, i| {
            let place = |k: usize| (0..sizes[k]).find(|j| i[k] == first[k] + j * (gap[k] + 1));
            match (0..i.len()).map(place).collect::<Option<Index>>() {
                Some(index) => vec![(0, index)],
                None => vec![(1, vec![])],
            }
        });
        let case = Case::new(
            "dynamic_pad",
            &[
                (inp, "f32"),
                (vec![], "f32"),
                (list.clone(), "i64"),
                (list.clone(), "i64"),
                (list.clone(), "i64"),
            ],
            "",
            "",
            &[(out, "f32")],
            and_whole(relation, (2..5).map(|o| (o, list.clone())).collect()),
        )
        .constant(4, "i64", &interior);
        if rng.flag() {
            return case.constant(2, "i64", &low).constant(3, "i64", &high);
        }
        // In front it is read at run time; where the padding value is used then, is not said
        // exactly.
        let mut case = case;
        case.values = vec![(2, low)];
        case.exact = vec![0, 2, 3, 4];
        case
    });
}

#[test]
pub fn gathers() {
    run("dynamic_gather", 250, |rng| {
        let (case, slice) = gather_case(rng);
        let shape = vec![slice.len() as i64];
        let attributes = case
            .op
            .split(" {")
            .nth(1)
            .unwrap()
            .split(", slice_sizes")
            .next()
            .unwrap();
        let mut dynamic = Case::new(
            "dynamic_gather",
            &[
                (case.operands[0].clone(), "f32"),
                (case.operands[1].clone(), "i32"),
                (shape.clone(), "i64"),
            ],
            "",
            attributes,
            &[(case.results[0].clone(), "f32")],
            and_whole(case.relation, vec![(2, shape)]),
        );
        // Without the constant, the sizes are those of the result.
        if rng.flag() {
            dynamic = dynamic.constant(2, "i64", &slice);
        }
        dynamic.values = case.values;
        dynamic.values.push((2, slice));
        dynamic
    });
    // result[a…, i…, c…] = operand[a…, index[i…], c…]; the first `batch` dimensions of operand and
    // index go together.
    run("torch_index_select", 200, |rng| {
        let rank = rng.int(1, 3) as usize;
        let inp: Vec<i64> = (0..rank).map(|_| rng.int(1, 4)).collect();
        let dim = rng.int(0, rank as i64 - 1) as usize;
        let batch = rng.int(0, dim as i64) as usize;
        let own: Vec<i64> = (0..rng.int(0, 2)).map(|_| rng.int(1, 3)).collect();
        let index_shape = [&inp[..batch], &own[..]].concat();
        let out = [&inp[..dim], &own[..], &inp[dim + 1..]].concat();
        let count: i64 = index_shape.iter().product();
        let values: Vec<i64> = (0..count).map(|_| rng.int(0, inp[dim] - 1)).collect();
        let (table, shape, n) = (values.clone(), index_shape.clone(), own.len());
        let relation: Relation = Box::new(move |_, i| {
            let at = [&i[..batch], &i[dim..dim + n]].concat();
            let place = table[linear(&shape, &at)];
            vec![(1, at), (0, [&i[..dim], &[place], &i[dim + n..]].concat())]
        });
        let attributes = format!("dim = {dim} : i64, batch_dims = {batch} : i64");
        let mut case = Case::new(
            "torch_index_select",
            &[(inp, "f32"), (index_shape, "i32")],
            "",
            &attributes,
            &[(out, "f32")],
            relation,
        );
        case.values = vec![(1, values)];
        case
    });
}

/// The way from data to sizes: elements from the size on are not there. A size itself is no
/// element.
#[test]
pub fn sizes() {
    run("sizes", 400, |rng| {
        if rng.int(0, 3) == 0 {
            // How far dimensions can be taken together is decided by all shapes.
            let shapes: Vec<(Vec<i64>, &str)> = (0..rng.int(1, 3))
                .map(|_| (vec![rng.int(0, 3)], "index"))
                .collect();
            let all = shapes.clone();
            let relation: Relation = Box::new(move |_, _| {
                let sizes = all.iter().enumerate();
                sizes
                    .flat_map(|(i, (n, _))| (0..n[0]).map(move |k| (i, vec![k])))
                    .collect()
            });
            let name = "minimum_broadcast_shapes";
            return Case::new(name, &shapes, "", "", &shapes, relation).dialect("mhlo");
        }
        let rank = rng.int(1, 3) as usize;
        let inp: Vec<i64> = (0..rank).map(|_| rng.int(1, 4)).collect();
        let axis = rng.int(0, rank as i64 - 1) as usize;
        let attributes = format!("dimension = {axis} : i64");
        if rng.flag() {
            let relation: Relation = Box::new(|_, _| vec![]);
            return Case::new(
                "get_dimension_size",
                &[(inp, "f32")],
                "",
                &attributes,
                &[(vec![], "i32")],
                relation,
            );
        }
        let size = rng.int(0, inp[axis]);
        let mut out = inp.clone();
        out[axis] = size;
        let relation: Relation = Box::new(|_, i| vec![(0, i.to_vec()), (1, vec![])]);
        let operands = [(inp.clone(), "f32"), (vec![], "i32")];
        let mut case = Case::new(
            "set_dimension_size",
            &operands,
            "",
            &attributes,
            &[(out.clone(), "f32")],
            relation,
        );
        // The size is known at run time, its bound is that of the operand.
        let dims: String = (0..rank)
            .map(|k| {
                if k == axis {
                    "?x".to_owned()
                } else {
                    format!("{}x", inp[k])
                }
            })
            .collect();
        let bounds: Vec<String> = (0..rank)
            .map(|k| {
                if k == axis {
                    inp[k].to_string()
                } else {
                    "?".to_owned()
                }
            })
            .collect();
        let (ty, bounded) = (
            shape_type(&out, "f32"),
            format!(
                "tensor<{dims}f32, #stablehlo.bounds<{}>>",
                bounds.join(", ")
            ),
        );
        let end = case.op.rfind(&ty).unwrap();
        case.op.replace_range(end..end + ty.len(), &bounded);
        case.values = vec![(1, vec![size])];
        case
    });
}
