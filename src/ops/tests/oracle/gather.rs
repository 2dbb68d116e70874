//! `gather` and `scatter` in full generality, with indices out of range.

use super::harness::*;

/// A random set of dimension numbers, shared by gather (operand, result) and scatter (input,
/// update).
pub struct Numbers {
    /// The large tensor.
    pub big: Vec<i64>,
    /// Sizes of a slice in it.
    pub slice: Vec<i64>,
    pub collapsed: Vec<usize>,
    pub batching: Vec<usize>,
    pub indices_batching: Vec<usize>,
    pub start_map: Vec<usize>,
    pub ivd: usize,
    pub indices: Vec<i64>,
    /// Dimensions of the small tensor that are offsets.
    pub offset_dims: Vec<usize>,
    pub small: Vec<i64>,
    pub values: Vec<i64>,
}

pub fn numbers(rng: &mut Rng, scatter: bool) -> Numbers {
    let rank = rng.int(1, 3) as usize;
    let mut big: Vec<i64> = (0..rank).map(|_| rng.pick(&[1, 2, 3, 4])).collect();
    if rng.int(0, 15) == 0 {
        big[0] = 0;
    }
    // Every operand dimension is collapsed, batched or an offset.
    let kinds: Vec<i64> = (0..rank).map(|_| rng.int(0, 3)).collect();
    let batching: Vec<usize> = (0..rank).filter(|k| kinds[*k] == 0).collect();
    let collapsed: Vec<usize> = (0..rank).filter(|k| kinds[*k] == 1).collect();
    let kept: Vec<usize> = (0..rank).filter(|k| kinds[*k] > 1).collect();
    let slice: Vec<i64> = (0..rank)
        .map(|k| match kinds[k] {
            0 | 1 => 1.min(big[k]),
            _ => rng.int(0, big[k]),
        })
        .collect();
    let mut start_map: Vec<usize> = (0..rank)
        .filter(|k| kinds[*k] != 0 && rng.int(0, 3) > 0)
        .collect();
    let order = rng.permutation(start_map.len());
    start_map = order.into_iter().map(|i| start_map[i]).collect();
    // Positions: one for every batched dimension, some free ones, shuffled.
    let mut positions: Vec<(Option<usize>, i64)> =
        batching.iter().map(|k| (Some(*k), big[*k])).collect();
    for _ in 0..rng.int(0, 2) {
        positions.push((None, rng.pick(&[0, 1, 2, 3, 2, 3])));
    }
    let order = rng.permutation(positions.len());
    let positions: Vec<_> = order.into_iter().map(|i| positions[i]).collect();
    let ivd = rng.int(0, positions.len() as i64) as usize;
    let mut indices_shape: Vec<i64> = positions.iter().map(|p| p.1).collect();
    let implicit = ivd == positions.len() && start_map.len() == 1 && rng.flag();
    if !implicit {
        indices_shape.insert(ivd, start_map.len() as i64);
    }
    let in_indices = |p: usize| if p >= ivd { p + 1 } else { p };
    let indices_batching: Vec<usize> = batching
        .iter()
        .map(|k| in_indices(positions.iter().position(|p| p.0 == Some(*k)).unwrap()))
        .collect();
    // The small tensor: positions and offsets interleaved.
    let total = positions.len() + kept.len();
    let order = rng.permutation(total);
    let mut offset_dims: Vec<usize> = order[..kept.len()].to_vec();
    offset_dims.sort_unstable();
    let (mut offsets, mut places) = (kept.iter(), positions.iter());
    let small = (0..total)
        .map(|k| {
            if offset_dims.contains(&k) {
                slice[*offsets.next().unwrap()]
            } else {
                places.next().unwrap().1
            }
        })
        .collect();
    let count: i64 = indices_shape.iter().product();
    let spread = if scatter { 2 } else { 3 };
    let values = (0..count).map(|_| rng.int(-spread, 3 + spread)).collect();
    Numbers {
        big,
        slice,
        collapsed,
        batching,
        indices_batching,
        start_map,
        ivd,
        indices: indices_shape,
        offset_dims,
        small,
        values,
    }
}

impl Numbers {
    /// The index vector at a position, the batched part of the index, and the offset, for an index
    /// of the small tensor.
    pub fn parts(&self, small: &[i64]) -> (Vec<Index>, Vec<i64>, Vec<i64>, Vec<i64>) {
        let position: Vec<i64> = (0..small.len())
            .filter(|k| !self.offset_dims.contains(k))
            .map(|k| small[k])
            .collect();
        let vector: Vec<Index> = (0..self.start_map.len() as i64)
            .map(|component| {
                let mut at = position.clone();
                if self.ivd < self.indices.len() {
                    at.insert(self.ivd, component);
                }
                at
            })
            .collect();
        let mut batch = vec![0; self.big.len()];
        for (k, at) in self.batching.iter().zip(&self.indices_batching) {
            batch[*k] = position[at - usize::from(*at > self.ivd)];
        }
        let mut offset = vec![0; self.big.len()];
        let mut own = self.offset_dims.iter();
        for (k, slot) in offset.iter_mut().enumerate() {
            if !self.collapsed.contains(&k) && !self.batching.contains(&k) {
                *slot = small[*own.next().unwrap()];
            }
        }
        let mut start = vec![0; self.big.len()];
        for (at, k) in vector.iter().zip(&self.start_map) {
            start[*k] = self.values[linear(&self.indices, at)];
        }
        (vector, start, batch, offset)
    }
}

/// The relation of a gather, and its case.
pub fn gather_case(rng: &mut Rng) -> (Case, Vec<i64>) {
    {
        let n = loop {
            let n = numbers(rng, false);
            // A collapsed dimension has a slice of one element.
            if n.collapsed.iter().chain(&n.batching).all(|k| n.big[*k] > 0) {
                break n;
            }
        };
        let attributes = format!(
            "dimension_numbers = #stablehlo.gather<offset_dims = {}, collapsed_slice_dims = {}, operand_batching_dims = {}, start_indices_batching_dims = {}, start_index_map = {}, index_vector_dim = {}>, slice_sizes = {}",
            list(&n.offset_dims),
            list(&n.collapsed),
            list(&n.batching),
            list(&n.indices_batching),
            list(&n.start_map),
            n.ivd,
            array(&n.slice)
        );
        let operands = [(n.big.clone(), "f32"), (n.indices.clone(), "i32")];
        let results = [(n.small.clone(), "f32")];
        let values = n.values.clone();
        let slice_sizes = n.slice.clone();
        let relation: Relation = Box::new(move |_, i| {
            let (vector, start, batch, offset) = n.parts(i);
            let index = (0..n.big.len())
                .map(|k| {
                    let start = if n.start_map.contains(&k) {
                        start[k].clamp(0, n.big[k] - n.slice[k])
                    } else {
                        0
                    };
                    start + batch[k] + offset[k]
                })
                .collect();
            let mut found: Vec<(usize, Index)> = vector.into_iter().map(|at| (1, at)).collect();
            found.push((0, index));
            found
        });
        let slice = slice_sizes;
        let mut case = Case::new("gather", &operands, "", &attributes, &results, relation);
        case.values = vec![(1, values)];
        (case, slice)
    }
}

#[test]
pub fn gather() {
    run("gather", 500, |rng| gather_case(rng).0);
}

#[test]
pub fn scatter() {
    run("scatter", 500, |rng| {
        let n = numbers(rng, true);
        let attributes = format!(
            "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {}, inserted_window_dims = {}, input_batching_dims = {}, scatter_indices_batching_dims = {}, scatter_dims_to_operand_dims = {}, index_vector_dim = {}>",
            list(&n.offset_dims),
            list(&n.collapsed),
            list(&n.batching),
            list(&n.indices_batching),
            list(&n.start_map),
            n.ivd
        );
        let inputs = rng.int(1, 2) as usize;
        let mut operands = vec![(n.big.clone(), "f32"); inputs];
        operands.push((n.indices.clone(), "i32"));
        operands.extend(vec![(n.small.clone(), "f32"); inputs]);
        let results = vec![(n.big.clone(), "f32"); inputs];
        let values = n.values.clone();
        let updates = indices(&n.small);
        let all_vectors = indices(&n.indices);
        let relation: Relation = Box::new(move |_, i| {
            let mut found: Vec<(usize, Index)> = (0..inputs).map(|j| (j, i.to_vec())).collect();
            for update in &updates {
                let (_, start, batch, offset) = n.parts(update);
                let place: Index = (0..n.big.len())
                    .map(|k| start[k] + batch[k] + offset[k])
                    .collect();
                if place == i {
                    found.extend((0..inputs).map(|j| (inputs + 1 + j, update.clone())));
                }
            }
            // Any index vector of the same batch may point here.
            if !updates.is_empty() {
                for at in &all_vectors {
                    let same = n
                        .batching
                        .iter()
                        .zip(&n.indices_batching)
                        .all(|(k, b)| at[*b] == i[*k]);
                    if same {
                        found.push((inputs, at.clone()));
                    }
                }
            }
            found
        });
        let args: Vec<String> = (0..2 * inputs)
            .map(|i| format!("%a{i}: tensor<f32>"))
            .collect();
        let returned: Vec<String> = (0..inputs).map(|i| format!("%a{i}")).collect();
        let types = vec!["tensor<f32>"; inputs].join(", ");
        let region = format!(
            "({{ ^bb0({}): \"stablehlo.return\"({}) : ({types}) -> () }})",
            args.join(", "),
            returned.join(", ")
        );
        let mut case = Case::new(
            "scatter",
            &operands,
            &region,
            &attributes,
            &results,
            relation,
        );
        case.values = vec![(inputs, values)];
        case
    });
}
