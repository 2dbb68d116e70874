//! Propagation through random programs: every rank is checked, element by element, to hold what it
//! reads.

use crate::common::Random;
use crate::common::program::Build;
use mapwright_indexing::{Evaluator, IndexingMap};
use mapwright_sharding::propagate::{PartialRule, Program, Propagation, Sharding};
use mapwright_sharding::{DeviceMatrix, Digit, Reduction};

/// Whether a rank holds an element of a value.
fn holds(sharding: &Sharding, shape: &[i64], rank: i64, index: &[i64]) -> bool {
    sharding
        .dims
        .iter()
        .zip(shape)
        .zip(index)
        .all(|((digits, size), at)| {
            let mut block = *size;
            digits.iter().all(|d| {
                block /= d.size;
                (at / block) % d.size == d.value_of(rank)
            })
        })
}

/// At every operation without communication: each rank, for each result element that it holds,
/// holds what it reads; with partial results each share is held by exactly one rank of the group
/// (or by all, where the operand is whole along it).
fn check_by_hand(program: &Program, found: &Propagation) -> usize {
    let mut checked = 0;
    for (at, op) in program.operations.iter().enumerate() {
        if found.communications.iter().any(|c| c.operation == at) {
            continue;
        }
        let Some(result) = &found.values[op.results[0]] else {
            continue;
        };
        let shape = &program.values[op.results[0]].shape;
        let partial: Vec<Digit> = result.sharding.partial.iter().map(|p| p.0).collect();
        if op.partial != PartialRule::Full
            || op.operands.iter().any(|o| {
                found.values[*o]
                    .as_ref()
                    .is_some_and(|p| !p.sharding.partial.is_empty())
            })
        {
            continue;
        }
        checked += 1;
        for rank in 0..program.devices.count() {
            let base = rank
                - partial
                    .iter()
                    .map(|d| d.value_of(rank) * d.stride)
                    .sum::<i64>();
            let group = partial.iter().fold(vec![base], |all, d| {
                all.iter()
                    .flat_map(|p| (0..d.size).map(move |k| p + k * d.stride))
                    .collect()
            });
            // For every point (result index, range value): who holds what all operands read there.
            let mut shares: std::collections::BTreeMap<(Vec<i64>, Vec<i64>), Vec<bool>> =
                std::collections::BTreeMap::new();
            for edge in &op.edges {
                let value = op.operands[edge.operand];
                let Some(operand) = &found.values[value] else {
                    continue;
                };
                for map in &edge.maps {
                    let mut evaluator = Evaluator::new(map);
                    let mut out = Vec::new();
                    map.for_each_point(|dims, ranges, runtime, _| {
                        if holds(&result.sharding, shape, rank, dims) {
                            assert_eq!(evaluator.eval(dims, ranges, runtime, &mut out), Ok(true));
                            let entry = shares
                                .entry((dims.to_vec(), ranges.to_vec()))
                                .or_insert_with(|| vec![true; group.len()]);
                            for (who, yes) in group.iter().zip(entry.iter_mut()) {
                                *yes &= holds(
                                    &operand.sharding,
                                    &program.values[value].shape,
                                    *who,
                                    &out,
                                );
                            }
                        }
                        true
                    });
                }
            }
            for (point, who) in shares {
                assert_eq!(
                    who.iter().filter(|y| **y).count(),
                    1,
                    "{op:?} {point:?} rank {rank} {found:?}"
                );
            }
        }
    }
    checked
}

#[test]
fn random_programs_read_what_they_hold() {
    let mut r = Random::new(31);
    let (mut checked, mut communications, mut partial) = (0, 0, 0);
    for case in 0..250 {
        let devices = [
            (vec![2, 2], vec!["x", "y"]),
            (vec![2, 3], vec!["x", "y"]),
            (vec![4, 2], vec!["x", "y"]),
        ][r.below(3)]
        .clone();
        let mut b = Build::on(DeviceMatrix::new(&devices.0, &devices.1).unwrap());
        let sizes = [4i64, 12, 24, 6];
        for i in 0..2 {
            let shape: Vec<i64> = (0..2).map(|_| sizes[r.below(4)]).collect();
            let v = b.value(&format!("%arg{i}"), &shape, None);
            give(&mut b, v, &mut r);
        }
        for _ in 0..6 {
            random_operation(&mut b, &mut r);
        }
        let found = b
            .try_run()
            .unwrap_or_else(|e| panic!("case {case}: {e} {:?}", b.program));
        checked += check_by_hand(&b.program, &found);
        communications += found.communications.len();
        partial += found
            .values
            .iter()
            .flatten()
            .filter(|p| !p.sharding.partial.is_empty())
            .count();
        for (value, placed) in b.program.values.iter().zip(&found.values) {
            if let Some(placed) = placed {
                placed
                    .sharding
                    .to_layout(&b.program.devices)
                    .unwrap()
                    .of_shape(&value.shape)
                    .unwrap();
            }
        }
    }
    assert!(
        checked > 600 && communications > 150 && partial > 40,
        "{checked} {communications} {partial}"
    );
}

/// Gives a value a random layout that fits.
fn give(b: &mut Build, value: usize, r: &mut Random) {
    let shape = b.program.values[value].shape.clone();
    let names: Vec<String> = b.program.devices.names().to_vec();
    let sizes = b.program.devices.sizes().to_vec();
    let mut map: Vec<Vec<String>> = vec![Vec::new(); shape.len()];
    let mut parts = vec![1; shape.len()];
    for (name, size) in names.iter().zip(sizes) {
        let dim = r.below(shape.len() + 1);
        if dim < shape.len() && shape[dim] % (parts[dim] * size) == 0 {
            parts[dim] *= size;
            map[dim].push(name.clone());
        }
    }
    let layout = b.program.devices.layout(&map).unwrap();
    b.program.values[value].given = Some(Sharding::of_layout(&layout).unwrap());
}

fn random_operation(b: &mut Build, r: &mut Random) {
    let n = b.program.values.len();
    let x = r.below(n);
    let shape = b.program.values[x].shape.clone();
    let id = |s: &[i64]| vec![IndexingMap::identity(s)];
    let d = mapwright_indexing::d;
    let s = mapwright_indexing::s;
    match r.below(8) {
        0 => {
            let same: Vec<usize> = (0..n)
                .filter(|v| b.program.values[*v].shape == shape)
                .collect();
            let y = same[r.below(same.len())];
            b.op_maps(
                "add",
                &[x, y],
                &shape,
                vec![id(&shape), id(&shape)],
                None,
                PartialRule::Full,
            );
        }
        1 if shape.len() == 2 => {
            let to = [shape[1], shape[0]];
            b.op_maps(
                "transpose",
                &[x],
                &to,
                vec![vec![IndexingMap::from_dims(&to, [d(1), d(0)])]],
                None,
                PartialRule::Full,
            );
        }
        2 if shape.len() == 2 => {
            let to = [shape[0] * shape[1]];
            let map =
                IndexingMap::from_dims(&to, [d(0).floor_div(shape[1]), d(0).modulo(shape[1])]);
            b.op_maps("merge", &[x], &to, vec![vec![map]], None, PartialRule::Full);
        }
        3 if shape.len() == 1 => {
            let k = if shape[0] % 6 == 0 { 6 } else { 4 };
            let to = [shape[0] / k, k];
            b.op_maps(
                "split",
                &[x],
                &to,
                vec![vec![IndexingMap::from_dims(&to, [d(0) * k + d(1)])]],
                None,
                PartialRule::Full,
            );
        }
        4 if shape.len() == 2 => {
            let to = [shape[0]];
            let map = IndexingMap::from_dims(&to, [d(0), s(0)]).with_ranges(&[shape[1]]);
            b.op_maps(
                "reduce",
                &[x],
                &to,
                vec![vec![map]],
                Some(Reduction::Sum),
                PartialRule::Full,
            );
        }
        5 if shape.len() == 2 => {
            let fits: Vec<usize> = (0..n)
                .filter(|v| {
                    b.program.values[*v].shape.len() == 2
                        && b.program.values[*v].shape[0] == shape[1]
                })
                .collect();
            if !fits.is_empty() {
                let y = fits[r.below(fits.len())];
                let to = [shape[0], b.program.values[y].shape[1]];
                let lhs = IndexingMap::from_dims(&to, [d(0), s(0)]).with_ranges(&[shape[1]]);
                let rhs = IndexingMap::from_dims(&to, [s(0), d(1)]).with_ranges(&[shape[1]]);
                b.op_maps(
                    "dot",
                    &[x, y],
                    &to,
                    vec![vec![lhs], vec![rhs]],
                    Some(Reduction::Sum),
                    PartialRule::Full,
                );
            }
        }
        6 => {
            let mut to = shape.clone();
            to[0] /= 2;
            if to[0] > 0 {
                let index = (0..shape.len()).map(|i| if i == 0 { d(0) + to[0] } else { d(i) });
                let map = IndexingMap::from_dims(&to, index);
                b.op_maps("slice", &[x], &to, vec![vec![map]], None, PartialRule::Full);
            }
        }
        _ => {
            let index = (0..shape.len()).map(|i| {
                if i == 0 {
                    d(0) * -1 + (shape[0] - 1)
                } else {
                    d(i)
                }
            });
            let map = IndexingMap::from_dims(&shape, index);
            b.op_maps(
                "reverse",
                &[x],
                &shape,
                vec![vec![map]],
                None,
                PartialRule::Full,
            );
        }
    }
}
