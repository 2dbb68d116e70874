//! Slices, updates, padding, concatenation.

use super::harness::*;

#[test]
pub fn slice() {
    run("slice", 300, |rng| {
        let rank = rng.int(0, 3) as usize;
        let inp: Vec<i64> = (0..rank).map(|_| rng.int(0, 9)).collect();
        let (mut start, mut limit, mut stride, mut out) = (vec![], vec![], vec![], vec![]);
        for n in &inp {
            let a = rng.int(0, *n);
            let b = rng.int(a, *n);
            let s = rng.int(1, 4);
            out.push((b - a + s - 1) / s);
            start.push(a);
            limit.push(b);
            stride.push(s);
        }
        let attributes = format!(
            "start_indices = {}, limit_indices = {}, strides = {}",
            array(&start),
            array(&limit),
            array(&stride)
        );
        let relation: Relation = Box::new(move |_, i| {
            vec![(
                0,
                i.iter()
                    .enumerate()
                    .map(|(k, i)| start[k] + i * stride[k])
                    .collect(),
            )]
        });
        Case::new(
            "slice",
            &[(inp, "f32")],
            "",
            &attributes,
            &[(out, "f32")],
            relation,
        )
    });
}

#[test]
pub fn dynamic_slice() {
    run("dynamic_slice", 250, |rng| {
        let rank = rng.int(0, 3) as usize;
        let inp = rng.shape(rank);
        let sizes: Vec<i64> = inp.iter().map(|n| rng.int(0, *n)).collect();
        let starts: Vec<i64> = inp.iter().map(|n| rng.int(-3, n + 3)).collect();
        let mut operands = vec![(inp.clone(), "f32")];
        operands.extend(vec![(vec![], "i32"); rank]);
        let (n, size, at) = (inp.clone(), sizes.clone(), starts.clone());
        let relation: Relation = Box::new(move |_, i| {
            let index = (0..n.len())
                .map(|k| at[k].clamp(0, n[k] - size[k]) + i[k])
                .collect();
            let mut found = vec![(0, index)];
            found.extend((0..n.len()).map(|k| (k + 1, vec![])));
            found
        });
        let mut case = Case::new(
            "dynamic_slice",
            &operands,
            "",
            &format!("slice_sizes = {}", array(&sizes)),
            &[(sizes, "f32")],
            relation,
        );
        case.values = starts
            .into_iter()
            .enumerate()
            .map(|(k, v)| (k + 1, vec![v]))
            .collect();
        case
    });
}

#[test]
pub fn dynamic_update_slice() {
    run("dynamic_update_slice", 250, |rng| {
        let rank = rng.int(0, 3) as usize;
        let inp = rng.shape(rank);
        let update: Vec<i64> = inp.iter().map(|n| rng.int(0, *n)).collect();
        let starts: Vec<i64> = inp.iter().map(|n| rng.int(-3, n + 3)).collect();
        let mut operands = vec![(inp.clone(), "f32"), (update.clone(), "f32")];
        operands.extend(vec![(vec![], "i32"); rank]);
        let (n, size, at) = (inp.clone(), update.clone(), starts.clone());
        let relation: Relation = Box::new(move |_, i| {
            let offset: Index = (0..n.len())
                .map(|k| i[k] - at[k].clamp(0, n[k] - size[k]))
                .collect();
            let inside = offset.iter().zip(&size).all(|(o, n)| (0..*n).contains(o));
            let mut found = vec![if inside { (1, offset) } else { (0, i.to_vec()) }];
            found.extend((0..n.len()).map(|k| (k + 2, vec![])));
            found
        });
        let mut case = Case::new(
            "dynamic_update_slice",
            &operands,
            "",
            "",
            &[(inp, "f32")],
            relation,
        );
        case.values = starts
            .into_iter()
            .enumerate()
            .map(|(k, v)| (k + 2, vec![v]))
            .collect();
        case
    });
}

#[test]
pub fn pad() {
    run("pad", 400, |rng| {
        let rank = rng.int(0, 3) as usize;
        let inp = rng.shape(rank);
        let (mut low, mut high, mut interior, mut out) = (vec![], vec![], vec![], vec![]);
        for n in &inp {
            loop {
                let (l, h, i) = (rng.int(-3, 3), rng.int(-3, 3), rng.int(0, 2));
                let size = n + (n - 1).max(0) * i + l + h;
                if size >= 0 {
                    low.push(l);
                    high.push(h);
                    interior.push(i);
                    out.push(size);
                    break;
                }
            }
        }
        let attributes = format!(
            "edge_padding_low = {}, edge_padding_high = {}, interior_padding = {}",
            array(&low),
            array(&high),
            array(&interior)
        );
        let sizes = inp.clone();
        let relation: Relation = Box::new(move |_, i| {
            // result[i] = operand[j] if i = low + j * (interior + 1) for a j of the operand, else
            // the padding value
            let mut index = Vec::new();
            for k in 0..sizes.len() {
                match (0..sizes[k]).find(|j| i[k] == low[k] + j * (interior[k] + 1)) {
                    Some(j) => index.push(j),
                    None => return vec![(1, vec![])],
                }
            }
            vec![(0, index)]
        });
        Case::new(
            "pad",
            &[(inp, "f32"), (vec![], "f32")],
            "",
            &attributes,
            &[(out, "f32")],
            relation,
        )
    });
}

#[test]
pub fn concatenate() {
    run("concatenate", 200, |rng| {
        let rank = rng.int(1, 3) as usize;
        let axis = rng.int(0, rank as i64 - 1) as usize;
        let mut shape = rng.shape(rank);
        let n = rng.int(1, 4) as usize;
        let sizes: Vec<i64> = (0..n).map(|_| rng.size()).collect();
        let operands: Vec<(Vec<i64>, &str)> = sizes
            .iter()
            .map(|size| {
                shape[axis] = *size;
                (shape.clone(), "f32")
            })
            .collect();
        shape[axis] = sizes.iter().sum();
        let relation: Relation = Box::new(move |_, i| {
            let mut offset = 0;
            for (operand, size) in sizes.iter().enumerate() {
                if i[axis] < offset + size {
                    let mut index = i.to_vec();
                    index[axis] -= offset;
                    return vec![(operand, index)];
                }
                offset += size;
            }
            vec![]
        });
        Case::new(
            "concatenate",
            &operands,
            "",
            &format!("dimension = {axis} : i64"),
            &[(shape, "f32")],
            relation,
        )
    });
}
