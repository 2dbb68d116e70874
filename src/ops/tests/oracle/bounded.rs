//! Dimensions whose size is known at run time: with the actual sizes in the runtime variables, the
//! maps of an operation on bounded tensors are the relation of the same operation on tensors of the
//! actual sizes.

use super::harness::*;
use super::window::{Dim, each, padding, product};

const ADD: &str =
    "({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): \"stablehlo.return\"(%a) : (tensor<f32>) -> () })";

#[test]
pub fn bounded_dimensions() {
    run("bounded", 600, |rng| {
        let slack = rng.int(0, 3);
        // A size of 1 stays static: a bounded dimension is never stretched.
        let bound = move |n: i64| (n != 1).then_some(n.max(1) + slack);
        let rank = rng.int(1, 3) as usize;
        let shape: Vec<i64> = (0..rank).map(|_| rng.pick(&[0, 1, 2, 3, 4])).collect();
        let axis = rng.int(0, rank as i64 - 1) as usize;
        let f = |shape: &[i64]| (shape.to_vec(), "f32");
        match rng.int(0, 7) {
            0 => {
                let relation: Relation = Box::new(|_, i| vec![(0, i.to_vec()), (1, i.to_vec())]);
                Case::new(
                    "add",
                    &[f(&shape), f(&shape)],
                    "",
                    "",
                    &[f(&shape)],
                    relation,
                )
                .bounded("add", "", "", bound)
            }
            1 => {
                let order = rng.permutation(rank);
                let out: Vec<i64> = order.iter().map(|k| shape[*k]).collect();
                let attributes = format!(
                    "permutation = {}",
                    array(&order.iter().map(|k| *k as i64).collect::<Vec<_>>())
                );
                let relation: Relation = Box::new(move |_, i| {
                    let mut at = vec![0; i.len()];
                    order.iter().enumerate().for_each(|(d, k)| at[*k] = i[d]);
                    vec![(0, at)]
                });
                Case::new("transpose", &[f(&shape)], "", "", &[f(&out)], relation).bounded(
                    "transpose",
                    "",
                    &attributes,
                    bound,
                )
            }
            2 => {
                let attributes = format!("dimensions = {}", array(&[axis as i64]));
                let sizes = shape.clone();
                let relation: Relation = Box::new(move |_, i| {
                    let mut at = i.to_vec();
                    at[axis] = sizes[axis] - 1 - i[axis];
                    vec![(0, at)]
                });
                Case::new("reverse", &[f(&shape)], "", "", &[f(&shape)], relation).bounded(
                    "reverse",
                    "",
                    &attributes,
                    bound,
                )
            }
            3 => {
                let mut out = shape.clone();
                out.remove(axis);
                let attributes = format!("dimensions = {}", array(&[axis as i64]));
                let n = shape[axis];
                let relation: Relation = Box::new(move |_, i| {
                    let mut found: Vec<(usize, Index)> = (0..n)
                        .map(|k| (0, [&i[..axis], &[k], &i[axis..]].concat()))
                        .collect();
                    found.push((1, vec![]));
                    found
                });
                Case::new("reduce", &[f(&shape), f(&[])], "", "", &[f(&out)], relation).bounded(
                    "reduce",
                    ADD,
                    &attributes,
                    bound,
                )
            }
            4 => {
                let mut other = shape.clone();
                other[axis] = rng.int(0, 4);
                let mut out = shape.clone();
                out[axis] += other[axis];
                let n = shape[axis];
                let relation: Relation = Box::new(move |_, i| {
                    let mut at = i.to_vec();
                    if at[axis] < n {
                        return vec![(0, at)];
                    }
                    at[axis] -= n;
                    vec![(1, at)]
                });
                let attributes = format!("dimension = {axis} : i64");
                Case::new(
                    "concatenate",
                    &[f(&shape), f(&other)],
                    "",
                    "",
                    &[f(&out)],
                    relation,
                )
                .bounded("concatenate", "", &attributes, bound)
            }
            5 => {
                let (m, k, n) = (rng.int(0, 4), rng.int(0, 4), rng.int(0, 4));
                let relation: Relation = Box::new(move |_, i| {
                    (0..k)
                        .flat_map(|c| [(0, vec![i[0], c]), (1, vec![c, i[1]])])
                        .collect()
                });
                Case::new(
                    "dot",
                    &[f(&[m, k]), f(&[k, n])],
                    "",
                    "",
                    &[f(&[m, n])],
                    relation,
                )
                .bounded("dot", "", "", bound)
            }
            6 => {
                // Padding: the value is read wherever the operand has ended, which is known at run
                // time.
                let (low, high) = (rng.int(-1, 2), rng.int(0, 2));
                let mut out = shape.clone();
                out[axis] = (out[axis] + low + high).max(0);
                let list = |v: i64| {
                    array(
                        &(0..rank)
                            .map(|k| if k == axis { v } else { 0 })
                            .collect::<Vec<_>>(),
                    )
                };
                let attributes = format!(
                    "edge_padding_low = {}, edge_padding_high = {}, interior_padding = {}",
                    list(low),
                    list(high),
                    list(0)
                );
                let n = shape[axis];
                let relation: Relation = Box::new(move |_, i| {
                    let mut at = i.to_vec();
                    at[axis] -= low;
                    if (0..n).contains(&at[axis]) {
                        vec![(0, at)]
                    } else {
                        vec![(1, vec![])]
                    }
                });
                let mut case = Case::new("pad", &[f(&shape), f(&[])], "", "", &[f(&out)], relation)
                    .bounded("pad", "", &attributes, bound);
                case.exact = vec![0];
                case
            }
            _ => {
                let dims: Vec<Dim> = (0..2).map(|_| Dim::random(rng, true, false)).collect();
                let attributes = format!(
                    "window_dimensions = {}, window_strides = {}, base_dilations = {}, window_dilations = {}, padding = {}",
                    array(&each(&dims, |d| d.window)),
                    array(&each(&dims, |d| d.stride)),
                    array(&each(&dims, |d| d.base)),
                    array(&each(&dims, |d| d.dilation)),
                    padding(&dims)
                );
                let (inp, out) = (each(&dims, |d| d.inp), each(&dims, |d| d.out));
                let relation: Relation = Box::new(move |_, o| {
                    let lists: Vec<Vec<i64>> =
                        dims.iter().zip(o).map(|(d, o)| d.elements(*o)).collect();
                    let mut found: Vec<(usize, Index)> = product(&lists)
                        .into_iter()
                        .map(|index| (0, index))
                        .collect();
                    found.push((1, vec![]));
                    found
                });
                Case::new(
                    "reduce_window",
                    &[f(&inp), f(&[])],
                    "",
                    "",
                    &[f(&out)],
                    relation,
                )
                .bounded("reduce_window", ADD, &attributes, bound)
            }
        }
    });
}
