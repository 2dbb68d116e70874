//! Element-wise operations, broadcast, transpose, reverse, reshape, bitcast_convert, reduce, sort,
//! top_k.

use super::harness::*;

const RETURN: &str = "\"stablehlo.return\"(%a) : (tensor<f32>) -> ()";

#[test]
pub fn elementwise_forms() {
    run("elementwise", 200, |rng| {
        let rank = rng.int(0, 3) as usize;
        let shape = rng.shape(rank);
        let f = |element| (shape.clone(), element);
        match rng.int(0, 4) {
            0 => Case::new(
                "exponential",
                &[f("f32")],
                "",
                "",
                &[f("f32")],
                Box::new(|_, i| vec![(0, i.to_vec())]),
            ),
            1 => Case::new(
                "add",
                &[f("f32"), f("f32")],
                "",
                "",
                &[f("f32")],
                Box::new(|_, i| vec![(0, i.to_vec()), (1, i.to_vec())]),
            ),
            2 => {
                let scalar = rng.flag();
                let predicate = if scalar { vec![] } else { shape.clone() };
                let relation: Relation = Box::new(move |_, i| {
                    vec![
                        (0, if scalar { vec![] } else { i.to_vec() }),
                        (1, i.to_vec()),
                        (2, i.to_vec()),
                    ]
                });
                Case::new(
                    "select",
                    &[(predicate, "i1"), f("f32"), f("f32")],
                    "",
                    "",
                    &[f("f32")],
                    relation,
                )
            }
            3 => {
                let (low, high) = (rng.flag(), rng.flag());
                let bound = |scalar| (if scalar { vec![] } else { shape.clone() }, "f32");
                let relation: Relation = Box::new(move |_, i| {
                    let at = |scalar| if scalar { vec![] } else { i.to_vec() };
                    vec![(0, at(low)), (1, i.to_vec()), (2, at(high))]
                });
                Case::new(
                    "clamp",
                    &[bound(low), f("f32"), bound(high)],
                    "",
                    "",
                    &[f("f32")],
                    relation,
                )
            }
            _ => Case::new(
                "map",
                &[f("f32"), f("f32")],
                &format!("({{ ^bb0(%a: tensor<f32>, %b: tensor<f32>): {RETURN} }})"),
                &format!(
                    "dimensions = {}",
                    array(&(0..rank as i64).collect::<Vec<_>>())
                ),
                &[f("f32")],
                Box::new(|_, i| vec![(0, i.to_vec()), (1, i.to_vec())]),
            ),
        }
    });
}

#[test]
pub fn broadcast_in_dim() {
    run("broadcast", 300, |rng| {
        let rank = rng.int(0, 4) as usize;
        let out = rng.shape(rank);
        let dims: Vec<usize> = {
            let mut chosen = rng.subset(rank);
            let order = rng.permutation(chosen.len());
            chosen = order.into_iter().map(|i| chosen[i]).collect();
            chosen
        };
        let inp: Vec<i64> = dims
            .iter()
            .map(|k| if rng.int(0, 2) == 0 { 1 } else { out[*k] })
            .collect();
        let (at, sizes) = (dims.clone(), inp.clone());
        let relation: Relation = Box::new(move |_, i| {
            vec![(
                0,
                at.iter()
                    .zip(&sizes)
                    .map(|(k, n)| if *n == 1 { 0 } else { i[*k] })
                    .collect(),
            )]
        });
        let dims: Vec<i64> = dims.iter().map(|k| *k as i64).collect();
        // Both spellings of the attribute.
        let attribute = if rng.flag() {
            array(&dims)
        } else {
            format!(
                "dense<{}> : tensor<{}xi64>",
                if dims.is_empty() {
                    String::new()
                } else {
                    list(&dims)
                },
                dims.len()
            )
        };
        Case::new(
            "broadcast_in_dim",
            &[(inp, "f32")],
            "",
            &format!("broadcast_dimensions = {attribute}"),
            &[(out, "f32")],
            relation,
        )
    });
}

#[test]
pub fn transpose() {
    run("transpose", 200, |rng| {
        let rank = rng.int(0, 4) as usize;
        let inp = rng.shape(rank);
        let order = rng.permutation(rank);
        let out = order.iter().map(|k| inp[*k]).collect();
        let permutation: Vec<i64> = order.iter().map(|k| *k as i64).collect();
        let relation: Relation = Box::new(move |_, i| {
            let mut at = vec![0; i.len()];
            for (d, k) in order.iter().enumerate() {
                at[*k] = i[d];
            }
            vec![(0, at)]
        });
        Case::new(
            "transpose",
            &[(inp, "f32")],
            "",
            &format!("permutation = {}", array(&permutation)),
            &[(out, "f32")],
            relation,
        )
    });
}

#[test]
pub fn reverse() {
    run("reverse", 200, |rng| {
        let rank = rng.int(0, 4) as usize;
        let shape = rng.shape(rank);
        let axes = rng.subset(rank);
        let dims: Vec<i64> = axes.iter().map(|k| *k as i64).collect();
        let sizes = shape.clone();
        let relation: Relation = Box::new(move |_, i| {
            vec![(
                0,
                i.iter()
                    .enumerate()
                    .map(|(k, i)| {
                        if axes.contains(&k) {
                            sizes[k] - 1 - i
                        } else {
                            *i
                        }
                    })
                    .collect(),
            )]
        });
        Case::new(
            "reverse",
            &[(shape.clone(), "f32")],
            "",
            &format!("dimensions = {}", array(&dims)),
            &[(shape, "f32")],
            relation,
        )
    });
}

/// A random way to write `n` as a product.
fn factors(rng: &mut Rng, n: i64) -> Vec<i64> {
    let mut left = n;
    let mut found = Vec::new();
    while left > 1 {
        let divisors: Vec<i64> = (2..=left).filter(|d| left % d == 0).collect();
        let d = rng.pick(&divisors);
        found.push(d);
        left /= d;
    }
    while rng.int(0, 2) == 0 {
        let at = rng.int(0, found.len() as i64) as usize;
        found.insert(at, 1);
    }
    let order = rng.permutation(found.len());
    order.into_iter().map(|i| found[i]).collect()
}

#[test]
pub fn reshape() {
    run("reshape", 400, |rng| {
        let n = rng.pick(&[1, 2, 6, 8, 12, 24, 30, 36, 48, 60, 64]);
        let (mut inp, mut out) = (factors(rng, n), factors(rng, n));
        if rng.int(0, 19) == 0 {
            inp.push(0);
            out.insert(0, 0);
        }
        let (a, b) = (inp.clone(), out.clone());
        let relation: Relation = Box::new(move |_, i| {
            let mut rest = linear(&b, i) as i64;
            let mut at = vec![0; a.len()];
            for k in (0..a.len()).rev() {
                at[k] = rest % a[k];
                rest /= a[k];
            }
            vec![(0, at)]
        });
        Case::new(
            "reshape",
            &[(inp, "f32")],
            "",
            "",
            &[(out, "f32")],
            relation,
        )
    });
}

#[test]
pub fn bitcast_convert() {
    run("bitcast_convert", 200, |rng| {
        let rank = rng.int(0, 3) as usize;
        let shape = rng.shape(rank);
        let narrow = [shape.clone(), vec![4]].concat();
        match rng.int(0, 2) {
            0 => Case::new(
                "bitcast_convert",
                &[(shape.clone(), "f32")],
                "",
                "",
                &[(shape, "i32")],
                Box::new(|_, i| vec![(0, i.to_vec())]),
            ),
            1 => Case::new(
                "bitcast_convert",
                &[(narrow, "i8")],
                "",
                "",
                &[(shape, "f32")],
                Box::new(|_, i| (0..4).map(|b| (0, [i, &[b]].concat())).collect()),
            ),
            _ => Case::new(
                "bitcast_convert",
                &[(shape, "f32")],
                "",
                "",
                &[(narrow, "i8")],
                Box::new(|_, i| vec![(0, i[..i.len() - 1].to_vec())]),
            ),
        }
    });
}

#[test]
pub fn reduce() {
    run("reduce", 250, |rng| {
        let rank = rng.int(0, 4) as usize;
        let inp = rng.shape(rank);
        let axes = rng.subset(rank);
        let n = rng.int(1, 2) as usize;
        let out: Vec<i64> = (0..rank)
            .filter(|k| !axes.contains(k))
            .map(|k| inp[k])
            .collect();
        let mut operands = vec![(inp.clone(), "f32"); n];
        operands.extend(vec![(vec![], "f32"); n]);
        let dims: Vec<i64> = axes.iter().map(|k| *k as i64).collect();
        let sizes = inp.clone();
        let relation: Relation = Box::new(move |_, i| {
            let reduced: Vec<i64> = axes.iter().map(|k| sizes[*k]).collect();
            let mut found = Vec::new();
            for at in indices(&reduced) {
                let (mut kept, mut ranged) = (i.iter(), at.iter());
                let index: Index = (0..sizes.len())
                    .map(|k| {
                        if axes.contains(&k) {
                            *ranged.next().unwrap()
                        } else {
                            *kept.next().unwrap()
                        }
                    })
                    .collect();
                found.extend((0..n).map(|j| (j, index.clone())));
            }
            found.extend((0..n).map(|j| (n + j, vec![])));
            found
        });
        let args: Vec<String> = (0..2 * n)
            .map(|i| format!("%{}: tensor<f32>", (b'a' + i as u8) as char))
            .collect();
        let returned = if n == 1 {
            RETURN.to_owned()
        } else {
            "\"stablehlo.return\"(%a, %b) : (tensor<f32>, tensor<f32>) -> ()".into()
        };
        Case::new(
            "reduce",
            &operands,
            &format!("({{ ^bb0({}): {returned} }})", args.join(", ")),
            &format!("dimensions = {}", array(&dims)),
            &vec![(out, "f32"); n],
            relation,
        )
    });
}

/// The dependencies follow from the formulas of the specification: mean and variance of a feature
/// are reductions over all other dimensions, everything else is element-wise on broadcast vectors.
#[test]
pub fn batch_norm() {
    run("batch_norm", 250, |rng| {
        let rank = rng.int(1, 3) as usize;
        let shape = rng.shape(rank);
        let feature = rng.int(0, rank as i64 - 1) as usize;
        let vector = vec![shape[feature]];
        let sizes = shape.clone();
        // All elements of the feature of `i` (an index of the tensor) or of feature `f`.
        let slice = move |f: i64| {
            indices(&sizes)
                .into_iter()
                .filter(move |at| at[feature] == f)
        };
        let (x, v) = ((shape.clone(), "f32"), (vector.clone(), "f32"));
        let attributes = format!("epsilon = 1.0 : f32, feature_index = {feature} : i64");
        match rng.int(0, 2) {
            0 => {
                let relation: Relation = Box::new(move |_, i| {
                    let f = vec![i[feature]];
                    let mut found = vec![(0, i.to_vec())];
                    found.extend((1..5).map(|o| (o, f.clone())));
                    found
                });
                Case::new(
                    "batch_norm_inference",
                    &[x.clone(), v.clone(), v.clone(), v.clone(), v],
                    "",
                    &attributes,
                    &[x],
                    relation,
                )
            }
            1 => {
                let relation: Relation = Box::new(move |r, i| {
                    let f = if r == 0 { i[feature] } else { i[0] };
                    let mut found: Vec<(usize, Index)> = slice(f).map(|at| (0, at)).collect();
                    if r == 0 {
                        found.extend([(1, vec![f]), (2, vec![f])]);
                    }
                    found
                });
                Case::new(
                    "batch_norm_training",
                    &[x.clone(), v.clone(), v.clone()],
                    "",
                    &attributes,
                    &[x, v.clone(), v],
                    relation,
                )
            }
            _ => {
                let relation: Relation = Box::new(move |r, i| {
                    let f = if r == 0 { i[feature] } else { i[0] };
                    // grad_offset = sum(grad_output); grad_scale = sum(grad_output * (operand -
                    // mean) / sqrt(variance + epsilon)); grad_operand uses both sums, and scale.
                    let mut found: Vec<(usize, Index)> = slice(f).map(|at| (4, at)).collect();
                    if r < 2 {
                        found.extend(slice(f).map(|at| (0, at)));
                        found.extend([(2, vec![f]), (3, vec![f])]);
                    }
                    if r == 0 {
                        found.push((1, vec![f]));
                    }
                    found
                });
                let operands = [x.clone(), v.clone(), v.clone(), v.clone(), x.clone()];
                Case::new(
                    "batch_norm_grad",
                    &operands,
                    "",
                    &attributes,
                    &[x, v.clone(), v],
                    relation,
                )
            }
        }
    });
}

#[test]
pub fn sort_and_top_k() {
    run("sort", 200, |rng| {
        let rank = rng.int(1, 3) as usize;
        let shape = rng.shape(rank);
        let axis = rng.int(0, rank as i64 - 1);
        let n = rng.int(1, 3) as usize;
        // The comparator looks at one operand only, or at two of them.
        let keys: Vec<usize> = if n > 1 && rng.flag() {
            vec![0, n - 1]
        } else {
            vec![rng.int(0, n as i64 - 1) as usize]
        };
        let args: Vec<String> = (0..2 * n).map(|i| format!("%a{i}: tensor<f32>")).collect();
        let used: Vec<String> = keys
            .iter()
            .flat_map(|k| [format!("%a{}", 2 * k), format!("%a{}", 2 * k + 1)])
            .collect();
        let types = vec!["tensor<f32>"; used.len()].join(", ");
        let region = format!(
            "({{ ^bb0({}): %c = \"test.compare\"({}) : ({types}) -> tensor<i1>\n \"stablehlo.return\"(%c) : (tensor<i1>) -> () }})",
            args.join(", "),
            used.join(", ")
        );
        let sizes = shape.clone();
        let relation: Relation = Box::new(move |r, i| {
            let mut found = Vec::new();
            for operand in (0..n).filter(|o| *o == r || keys.contains(o)) {
                for at in 0..sizes[axis as usize] {
                    let mut index = i.to_vec();
                    index[axis as usize] = at;
                    found.push((operand, index));
                }
            }
            found
        });
        let written = if rng.flag() { axis } else { axis - rank as i64 };
        Case::new(
            "sort",
            &vec![(shape.clone(), "f32"); n],
            &region,
            &format!("dimension = {written} : i64, is_stable = true"),
            &vec![(shape, "f32"); n],
            relation,
        )
    });
    run("top_k", 200, |rng| {
        let rank = rng.int(1, 3) as usize;
        let inp = rng.shape(rank);
        let k = rng.int(0, inp[rank - 1]);
        let mut out = inp.clone();
        out[rank - 1] = k;
        let sizes = inp.clone();
        let relation: Relation = Box::new(move |_, i| {
            (0..sizes[i.len() - 1])
                .map(|at| (0, [&i[..i.len() - 1], &[at]].concat()))
                .collect()
        });
        let mut case = Case::new(
            "top_k",
            &[(inp, "f32")],
            "",
            &format!("k = {k} : i64"),
            &[(out.clone(), "f32"), (out, "i32")],
            relation,
        );
        if rng.flag() {
            return case.dialect("chlo");
        }
        case.op = case.op.replacen("stablehlo.top_k", "mhlo.topk", 1);
        case
    });
}
