//! `dot_general`, `dot`, `convolution`.

use super::harness::*;
use super::window::{Dim, each, padding, product};

#[test]
pub fn dot_general() {
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
            for (next, kind) in kinds.iter_mut().filter(|kind| kind.0 == 'f').enumerate() {
                kind.1 = next;
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
pub fn convolution() {
    run("convolution", 300, |rng| conv(rng, false));
    run("dynamic_conv", 200, |rng| conv(rng, true));
}

/// A convolution; the dynamic form has the padding in an operand, which is a constant here.
fn conv(rng: &mut Rng, dynamic: bool) -> Case {
    {
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
            [vec![batch * bg, channels * fg], each(&dims, |d| d.inp)].concat(),
        );
        let kernel = place(
            &pk,
            [vec![channels, features], each(&dims, |d| d.window)].concat(),
        );
        let output = place(
            &po,
            [vec![batch, features], each(&dims, |d| d.out)].concat(),
        );
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
        let padded = padding(&dims);
        let attributes = format!(
            "dimension_numbers = #stablehlo.conv<[{}]x[{}]->[{}]>, window_strides = {}, lhs_dilation = {}, rhs_dilation = {}, padding = {}, window_reversal = {reversed}, feature_group_count = {fg} : i64, batch_group_count = {bg} : i64",
            label(&pi, ["b", "f"]),
            label(&pk, ["i", "o"]),
            label(&po, ["b", "f"]),
            array(&each(&dims, |d| d.stride)),
            array(&each(&dims, |d| d.base)),
            array(&each(&dims, |d| d.dilation)),
            padded
        );
        let amounts: Vec<i64> = dims.iter().flat_map(|d| [d.low, d.high]).collect();
        let relation: Relation = Box::new(move |_, o| {
            let (b, f) = (o[po[0]], o[po[1]]);
            let mut found = Vec::new();
            for channel in 0..channels {
                // The kernel slice of the output feature, whole.
                for w in product(
                    &each(&dims, |d| d.window)
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
                // Groups of features take their part of the channels; groups of the batch their
                // part of the batch.
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
        let (name, mut operands, attributes) = if dynamic {
            (
                "dynamic_conv",
                vec![(vec![spatial as i64, 2], "i32")],
                attributes.replace(&format!("padding = {padded}, "), ""),
            )
        } else {
            ("convolution", vec![], attributes)
        };
        operands.splice(0..0, [(input, "f32"), (kernel, "f32")]);
        let whole = indices(&[if dynamic { spatial as i64 } else { 0 }, 2]);
        let relation: Relation = Box::new(move |r, o| {
            let mut found = relation(r, o);
            found.extend(whole.iter().map(|at| (2, at.clone())));
            found
        });
        let case = Case::new(
            name,
            &operands,
            "",
            &attributes,
            &[(output, "f32")],
            relation,
        );
        if dynamic {
            case.constant(2, "i32", &amounts)
        } else {
            case
        }
    }
}

/// A dimension with a letter, and every letter with a size: equal letters are the same index.
#[test]
pub fn einsum() {
    run("einsum", 250, |rng| {
        let sizes: Vec<i64> = (0..4).map(|_| rng.size()).collect();
        let unary = rng.flag();
        let word = |rng: &mut Rng| -> Vec<usize> {
            let order = rng.permutation(4);
            let mut letters: Vec<usize> = order[..rng.int(0, 3) as usize].to_vec();
            // A diagonal now and then.
            if let (Some(first), 0) = (letters.first().copied(), rng.int(0, 5)) {
                letters.push(first);
            }
            letters
        };
        let operands: Vec<Vec<usize>> = (0..if unary { 1 } else { 2 }).map(|_| word(rng)).collect();
        // Every letter of the result occurs in an operand, and once.
        let mut used: Vec<usize> = operands.concat();
        used.sort_unstable();
        used.dedup();
        let kept = rng.subset(used.len());
        let order = rng.permutation(kept.len());
        let result: Vec<usize> = order.into_iter().map(|i| used[kept[i]]).collect();
        let text = |letters: &[usize]| -> String {
            letters.iter().map(|l| (b'a' + *l as u8) as char).collect()
        };
        let config = format!(
            "{}->{}",
            operands
                .iter()
                .map(|o| text(o))
                .collect::<Vec<_>>()
                .join(","),
            text(&result)
        );
        let shape = |letters: &[usize]| -> Vec<i64> { letters.iter().map(|l| sizes[*l]).collect() };
        let types: Vec<(Vec<i64>, &str)> = operands.iter().map(|o| (shape(o), "f32")).collect();
        let out = shape(&result);
        let name = if unary { "unary_einsum" } else { "einsum" };
        // Letters that do not occur have one value.
        let space: Vec<i64> = (0..4)
            .map(|letter| {
                if used.contains(&letter) {
                    sizes[letter]
                } else {
                    1
                }
            })
            .collect();
        let relation: Relation = Box::new(move |_, i| {
            // All assignments of indices to the letters that agree with the index of the result.
            indices(&space)
                .into_iter()
                .filter(|at| result.iter().zip(i).all(|(letter, i)| at[*letter] == *i))
                .flat_map(|at| {
                    let index = |o: &Vec<usize>| o.iter().map(|l| at[*l]).collect::<Index>();
                    operands.iter().map(index).enumerate().collect::<Vec<_>>()
                })
                .collect()
        });
        let attributes = format!("einsum_config = \"{config}\"");
        let case = Case::new(name, &types, "", &attributes, &[(out, "f32")], relation);
        if unary { case.dialect("chlo") } else { case }
    });
}

/// An assignment of indices to the letters of the dimensions.
type Letters = [i64; 6];

/// Batch `b`, rows `m` and columns `n`, contracted `k`, groups `g`, and `x`: a further free or
/// contracted dimension.
const LETTERS: [char; 6] = ['b', 'm', 'n', 'k', 'g', 'x'];

fn at(letters: &Letters, word: &str) -> Index {
    word.chars()
        .map(|letter| letters[LETTERS.iter().position(|l| *l == letter).unwrap()])
        .collect()
}

fn shuffled(rng: &mut Rng, word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let order = rng.permutation(letters.len());
    order.into_iter().map(|i| letters[i]).collect()
}

/// A group has the indices of the ragged dimension from the sum of the sizes before it on, as many
/// as its size.
#[test]
pub fn ragged_dot() {
    run("ragged_dot", 300, |rng| {
        let sizes: Letters = std::array::from_fn(|_| rng.size());
        let mode = rng.pick(&["free", "contracted", "batch"]);
        let batch = if mode == "batch" || rng.flag() {
            "b"
        } else {
            ""
        };
        let more = if mode != "batch" && rng.flag() {
            "x"
        } else {
            ""
        };
        let (contracted, free, ragged) = match mode {
            "free" => ("k".to_owned(), format!("m{more}"), 'm'),
            "contracted" => (shuffled(rng, &format!("k{more}")), "m".to_owned(), 'k'),
            _ => ("k".to_owned(), "m".to_owned(), 'b'),
        };
        let lhs = shuffled(rng, &format!("{batch}{free}{contracted}"));
        let group = if mode == "free" { "g" } else { "" };
        let rhs = shuffled(rng, &format!("{batch}n{contracted}{group}"));
        let free: String = lhs
            .chars()
            .filter(|letter| free.contains(*letter))
            .collect();
        let result = match mode {
            "contracted" => format!("g{batch}{free}n"),
            _ => format!("{batch}{free}n"),
        };
        // For which elements there are sizes: of the batch, and of the dimensions of the same kind
        // before the ragged one.
        let kind = if mode == "contracted" {
            &contracted
        } else {
            &free
        };
        let before: String = kind
            .chars()
            .take_while(|letter| *letter != ragged)
            .collect();
        let prefix = match mode {
            "batch" => String::new(),
            _ if rng.flag() => String::new(),
            _ => format!("{batch}{before}"),
        };
        let shape = |word: &str| at(&sizes, word);
        let of_sizes = shape(&format!("{prefix}g"));
        let limit = at(&sizes, &ragged.to_string())[0];
        let count: i64 = of_sizes.iter().product();
        let values: Vec<i64> = (0..count).map(|_| rng.int(0, limit)).collect();
        let places = |word: &str, letters: &str| {
            list(
                letters
                    .chars()
                    .map(|letter| word.chars().position(|l| l == letter).unwrap()),
            )
        };
        let attributes = format!(
            "ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = {}, rhs_batching_dimensions = {}, lhs_contracting_dimensions = {}, rhs_contracting_dimensions = {}, lhs_ragged_dimensions = {}, rhs_group_dimensions = {}>",
            places(&lhs, batch),
            places(&rhs, batch),
            places(&lhs, &contracted),
            places(&rhs, &contracted),
            places(&lhs, &ragged.to_string()),
            places(&rhs, group)
        );
        let operands = [
            (shape(&lhs), "f32"),
            (shape(&rhs), "f32"),
            (of_sizes.clone(), "i32"),
        ];
        let out = shape(&result);
        let used = format!("{lhs}{rhs}{result}");
        let known = values.clone();
        let single = prefix.is_empty();
        let relation: Relation = Box::new(move |_, i| {
            // Letters that do not occur have one value.
            let space: Vec<i64> = (0..6)
                .map(|l| {
                    if used.contains(LETTERS[l]) || LETTERS[l] == 'g' && mode != "batch" {
                        sizes[l]
                    } else {
                        1
                    }
                })
                .collect();
            let mut found = Vec::new();
            for letters in indices(&space) {
                let letters: Letters = letters.try_into().unwrap();
                if at(&letters, &result) != i {
                    continue;
                }
                if mode != "batch" {
                    let group = letters[4];
                    let size = |g: i64| {
                        let index = [at(&letters, &prefix), vec![g]].concat();
                        known[linear(&of_sizes, &index)]
                    };
                    // Of which size it depends whether an index is in the group: a row may be in
                    // any.
                    let last = if mode == "contracted" {
                        group + 1
                    } else {
                        sizes[4]
                    };
                    found.extend((0..last).map(|g| (2, [at(&letters, &prefix), vec![g]].concat())));
                    let start: i64 = (0..group).map(size).sum();
                    let index = at(&letters, &ragged.to_string())[0];
                    if index < start || index >= start + size(group) {
                        continue;
                    }
                }
                found.push((0, at(&letters, &lhs)));
                found.push((1, at(&letters, &rhs)));
            }
            found
        });
        let mut case = Case::new(
            "ragged_dot",
            &operands,
            "",
            &attributes,
            &[(out, "f32")],
            relation,
        );
        // A size of a constant is folded where the index is known.
        let constant = rng.int(0, 3) == 0 && count > 0 && single;
        case.values = vec![(2, values.clone())];
        if constant {
            case = case.constant(2, "i32", &values);
        }
        case.dialect("chlo")
    });
}
