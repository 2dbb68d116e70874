//! `dot_general`, `dot`, `convolution`.

use crate::harness::*;
use crate::window::{Dim, of, padding, product};

#[test]
fn dot_general() {
    run("dot_general", 250, |rng| {
        // Every dimension is batched, contracted or free; then both operands are shuffled.
        let batch: Vec<i64> = (0..rng.int(0, 2)).map(|_| rng.size()).collect();
        let contracted: Vec<i64> = (0..rng.int(0, 2)).map(|_| rng.size()).collect();
        let mut side = |free: Vec<i64>| {
            let kinds: Vec<(char, usize, i64)> = batch
                .iter()
                .enumerate()
                .map(|(i, n)| ('b', i, *n))
                .chain(contracted.iter().enumerate().map(|(i, n)| ('c', i, *n)))
                .chain(free.iter().enumerate().map(|(i, n)| ('f', i, *n)))
                .collect();
            let order = rng.permutation(kinds.len());
            let mut kinds: Vec<_> = order.into_iter().map(|i| kinds[i]).collect();
            // Free dimensions keep the order in which they stand.
            let mut next = 0;
            for kind in kinds.iter_mut().filter(|kind| kind.0 == 'f') {
                kind.1 = next;
                next += 1;
            }
            kinds
        };
        let (a, b) = ([2, 3], [1, 4]);
        let left = side(a[..1].to_vec());
        let right = side(b.to_vec());
        let at = |side: &[(char, usize, i64)], kind: char, n: usize| -> Vec<i64> {
            (0..n)
                .map(|i| side.iter().position(|k| k.0 == kind && k.1 == i).unwrap() as i64)
                .collect()
        };
        let free = |side: &[(char, usize, i64)]| -> Vec<i64> {
            side.iter().filter(|k| k.0 == 'f').map(|k| k.2).collect()
        };
        let attributes = format!(
            "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = {}, rhs_batching_dimensions = {}, lhs_contracting_dimensions = {}, rhs_contracting_dimensions = {}>",
            list(at(&left, 'b', batch.len())),
            list(at(&right, 'b', batch.len())),
            list(at(&left, 'c', contracted.len())),
            list(at(&right, 'c', contracted.len()))
        );
        let sizes =
            |side: &[(char, usize, i64)]| -> Vec<i64> { side.iter().map(|k| k.2).collect() };
        let out = [batch.clone(), free(&left), free(&right)].concat();
        let (l, r, nb, nl) = (left.clone(), right.clone(), batch.len(), free(&left).len());
        let relation: Relation = Box::new(move |_, i| {
            let mut found = Vec::new();
            for c in indices(&contracted) {
                let index = |side: &[(char, usize, i64)], first: usize| -> Index {
                    side.iter()
                        .map(|(kind, k, _)| match kind {
                            'b' => i[*k],
                            'c' => c[*k],
                            _ => i[first + k],
                        })
                        .collect()
                };
                found.push((0, index(&l, nb)));
                found.push((1, index(&r, nb + nl)));
            }
            found
        });
        Case::new(
            "dot_general",
            &[(sizes(&left), "f32"), (sizes(&right), "f32")],
            "",
            &attributes,
            &[(out, "f32")],
            relation,
        )
    });
    run("dot", 200, |rng| {
        let k = rng.size();
        let (l, r) = (rng.flag(), rng.flag());
        let (m, n) = (rng.size(), rng.size());
        let lhs = if l { vec![m, k] } else { vec![k] };
        let rhs = if r { vec![k, n] } else { vec![k] };
        let out: Vec<i64> = [l.then_some(m), r.then_some(n)]
            .into_iter()
            .flatten()
            .collect();
        let relation: Relation = Box::new(move |_, i| {
            (0..k)
                .flat_map(|c| {
                    let left = if l { vec![i[0], c] } else { vec![c] };
                    let right = if r {
                        vec![c, *i.last().unwrap()]
                    } else {
                        vec![c]
                    };
                    [(0, left), (1, right)]
                })
                .collect()
        });
        Case::new(
            "dot",
            &[(lhs, "f32"), (rhs, "f32")],
            "",
            "",
            &[(out, "f32")],
            relation,
        )
    });
}

#[test]
fn convolution() {
    run("convolution", 300, |rng| {
        let spatial = rng.int(0, 2) as usize;
        let dims: Vec<Dim> = (0..spatial).map(|_| Dim::random(rng, true, true)).collect();
        let (fg, bg) = match rng.int(0, 2) {
            0 => (1, 1),
            1 => (rng.int(2, 3), 1),
            _ => (1, rng.int(2, 3)),
        };
        let channels = rng.int(1, 2);
        let features = fg * bg * rng.int(1, 2);
        let batch = rng.pick(&[0, 1, 2, 2]);
        // Where every part stands: [batch, feature, spatial…] in each tensor, shuffled.
        let (pi, pk, po) = (
            rng.permutation(spatial + 2),
            rng.permutation(spatial + 2),
            rng.permutation(spatial + 2),
        );
        let place = |order: &[usize], parts: Vec<i64>| -> Vec<i64> {
            let mut shape = vec![0; order.len()];
            for (part, at) in parts.into_iter().zip(order) {
                shape[*at] = part;
            }
            shape
        };
        let input = place(
            &pi,
            [vec![batch * bg, channels * fg], of(&dims, |d| d.inp)].concat(),
        );
        let kernel = place(
            &pk,
            [vec![channels, features], of(&dims, |d| d.window)].concat(),
        );
        let output = place(&po, [vec![batch, features], of(&dims, |d| d.out)].concat());
        let label = |order: &[usize], letters: [&str; 2]| -> String {
            let mut names = vec![String::new(); order.len()];
            for (part, at) in order.iter().enumerate() {
                names[*at] = match part {
                    0 => letters[0].into(),
                    1 => letters[1].into(),
                    k => (k - 2).to_string(),
                };
            }
            names.join(", ")
        };
        let reversal: Vec<bool> = dims.iter().map(|_| rng.flag()).collect();
        let reversed = match reversal.len() {
            0 => "array<i1>".to_owned(),
            _ => format!(
                "array<i1: {}>",
                reversal
                    .iter()
                    .map(bool::to_string)
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        };
        let attributes = format!(
            "dimension_numbers = #stablehlo.conv<[{}]x[{}]->[{}]>, window_strides = {}, lhs_dilation = {}, rhs_dilation = {}, padding = {}, window_reversal = {reversed}, feature_group_count = {fg} : i64, batch_group_count = {bg} : i64",
            label(&pi, ["b", "f"]),
            label(&pk, ["i", "o"]),
            label(&po, ["b", "f"]),
            array(&of(&dims, |d| d.stride)),
            array(&of(&dims, |d| d.base)),
            array(&of(&dims, |d| d.dilation)),
            padding(&dims)
        );
        let relation: Relation = Box::new(move |_, o| {
            let (b, f) = (o[po[0]], o[po[1]]);
            let mut found = Vec::new();
            for channel in 0..channels {
                // The kernel slice of the output feature, whole.
                for w in product(
                    &of(&dims, |d| d.window)
                        .iter()
                        .map(|n| (0..*n).collect())
                        .collect::<Vec<_>>(),
                ) {
                    let parts = [vec![channel, f], w].concat();
                    let mut index = vec![0; pk.len()];
                    for (part, at) in parts.into_iter().zip(&pk) {
                        index[*at] = part;
                    }
                    found.push((1, index));
                }
                // Groups of features take their part of the channels; groups of the batch their part of the batch.
                let from = f / (features / fg) * channels + channel;
                let sample = f / (features / bg) * batch + b;
                let lists: Vec<Vec<i64>> = dims
                    .iter()
                    .enumerate()
                    .map(|(k, d)| d.elements(o[po[k + 2]]))
                    .collect();
                for at in product(&lists) {
                    let parts = [vec![sample, from], at].concat();
                    let mut index = vec![0; pi.len()];
                    for (part, at) in parts.into_iter().zip(&pi) {
                        index[*at] = part;
                    }
                    found.push((0, index));
                }
            }
            found
        });
        Case::new(
            "convolution",
            &[(input, "f32"), (kernel, "f32")],
            "",
            &attributes,
            &[(output, "f32")],
            relation,
        )
    });
}
