//! Propagation: what follows for each kind of operation, what makes communication necessary, and random programs in which
//! every rank is checked, element by element, to hold what it reads.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic is how a test fails.

mod common;

use common::Random;
use mapwright_indexing::{Evaluator, IndexingMap};
use mapwright_sharding::propagate::{
    Edge, Operation, PartialRule, Program, Propagation, Sharding, Source, Value, propagate,
};
use mapwright_sharding::{DeviceMatrix, Digit, Reduction};

/// A program under construction, on devices x=2, y=4 unless told otherwise.
struct Build {
    program: Program,
}

impl Build {
    fn new() -> Build {
        Build::on(DeviceMatrix::new(&[2, 4], &["x", "y"]).unwrap())
    }

    fn on(devices: DeviceMatrix) -> Build {
        Build {
            program: Program {
                devices,
                values: Vec::new(),
                operations: Vec::new(),
            },
        }
    }

    fn sharding(&self, map: &[&[&str]]) -> Sharding {
        Sharding::of_layout(&self.program.devices.layout(map).unwrap()).unwrap()
    }

    fn value(&mut self, name: &str, shape: &[i64], given: Option<&[&[&str]]>) -> usize {
        let given = given.map(|map| self.sharding(map));
        self.program.values.push(Value {
            name: name.into(),
            shape: shape.to_vec(),
            given,
        });
        self.program.values.len() - 1
    }

    /// An operation with one result; for each operand its maps as text.
    fn op(
        &mut self,
        name: &str,
        operands: &[usize],
        shape: &[i64],
        maps: &[&[&str]],
        reduction: Option<Reduction>,
    ) -> usize {
        let maps: Vec<Vec<IndexingMap>> = maps
            .iter()
            .map(|l| l.iter().map(|m| m.parse().unwrap()).collect())
            .collect();
        self.op_maps(name, operands, shape, maps, reduction, PartialRule::Full)
    }

    fn op_maps(
        &mut self,
        name: &str,
        operands: &[usize],
        shape: &[i64],
        maps: Vec<Vec<IndexingMap>>,
        reduction: Option<Reduction>,
        partial: PartialRule,
    ) -> usize {
        let result = self.value(&format!("%{}", self.program.values.len()), shape, None);
        let edges = maps
            .into_iter()
            .enumerate()
            .map(|(operand, maps)| Edge {
                result: 0,
                operand,
                maps,
            })
            .collect();
        self.program.operations.push(Operation {
            name: name.into(),
            operands: operands.to_vec(),
            results: vec![result],
            edges,
            reduction,
            partial,
        });
        result
    }

    fn run(&self) -> Propagation {
        propagate(&self.program).unwrap()
    }

    fn text(&self, found: &Propagation, value: usize) -> String {
        found.values[value]
            .as_ref()
            .map_or("nothing".into(), |p| p.sharding.text(&self.program.devices))
    }
}

#[test]
fn element_wise_forward_and_backward() {
    let mut b = Build::new();
    let x = b.value("%x", &[8, 8], Some(&[&["x"], &["y"]]));
    let y = b.value("%y", &[8, 8], None);
    let id = "(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 7]";
    let z = b.op("add", &[x, y], &[8, 8], &[&[id], &[id]], None);
    let found = b.run();
    assert_eq!(b.text(&found, z), "[{x}, {y}]");
    assert_eq!(b.text(&found, y), "[{x}, {y}]");
    assert_eq!(found.values[z].as_ref().unwrap().source, Source::Forward(0));
    assert_eq!(
        found.values[y].as_ref().unwrap().source,
        Source::Backward(0)
    );
    assert!(found.communications.is_empty() && found.conflicts.is_empty());
}

#[test]
fn transpose_broadcast_slice_and_concatenate() {
    let mut b = Build::new();
    let x = b.value("%x", &[8, 12], Some(&[&["x"], &["y"]]));
    let t = b.op(
        "transpose",
        &[x],
        &[12, 8],
        &[&["(d0, d1) -> (d1, d0), domain: d0 in [0, 11], d1 in [0, 7]"]],
        None,
    );
    let w = b.op(
        "broadcast",
        &[t],
        &[3, 12, 8],
        &[&["(d0, d1, d2) -> (d1, d2), domain: d0 in [0, 2], d1 in [0, 11], d2 in [0, 7]"]],
        None,
    );
    // Rows 1 to 4 of dimension 1 of size 8, which x splits: off dimension 1 is fine, on it is not. (Rows 2 to 5 would be: two of
    // them are on either side.)
    let s = b.op(
        "slice",
        &[t],
        &[12, 4],
        &[&["(d0, d1) -> (d0, d1 + 1), domain: d0 in [0, 11], d1 in [0, 3]"]],
        None,
    );
    let c = b.op(
        "concatenate",
        &[x, x],
        &[8, 24],
        &[
            &["(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 11]"],
            &["(d0, d1) -> (d0, d1 - 12), domain: d0 in [0, 7], d1 in [12, 23]"],
        ],
        None,
    );
    let found = b.run();
    assert_eq!(b.text(&found, t), "[{y}, {x}]");
    assert_eq!(b.text(&found, w), "[{}, {y}, {x}]");
    assert_eq!(b.text(&found, s), "[{y}, {}]");
    assert_eq!(b.text(&found, c), "[{x}, {}]");
    let reasons: Vec<&str> = found
        .communications
        .iter()
        .map(|c| c.reason.as_str())
        .collect();
    assert_eq!(
        reasons,
        [
            "slice reads dimension 1 of %1 at `d1 + 1`, which crosses the parts of 4 elements that x splits it into",
            "concatenate reads dimension 1 of %x at `d1`, which crosses the parts of 3 elements that y splits it into",
            "concatenate reads dimension 1 of %x at `d1 - 12`, which crosses the parts of 3 elements that y splits it into",
        ]
    );
    assert_eq!(
        found.communications[0].needs.text(&b.program.devices),
        "[{y}, {}]"
    );
}

#[test]
fn reshapes_keep_the_split_dimension_whole_or_take_an_axis_apart() {
    let mut b = Build::new();
    let x = b.value("%x", &[8, 3], Some(&[&["y"], &[]]));
    let merged = b.op(
        "reshape",
        &[x],
        &[24],
        &[&["(d0) -> (d0 floordiv 3, d0 mod 3), domain: d0 in [0, 23]"]],
        None,
    );
    let split = b.op("reshape", &[merged], &[2, 4, 3], &[&["(d0, d1, d2) -> (d0 * 12 + d1 * 3 + d2), domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 2]"]], None);
    let minor = b.value("%minor", &[2, 8], Some(&[&[], &["y"]]));
    let lost = b.op(
        "reshape",
        &[minor],
        &[16],
        &[&["(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 15]"]],
        None,
    );
    let found = b.run();
    assert_eq!(b.text(&found, merged), "[{y}]");
    assert_eq!(b.text(&found, split), "[{y:1:2}, {y:2:2}, {}]");
    assert_eq!(b.text(&found, lost), "[{}]");
    assert_eq!(found.communications.len(), 1);
    assert!(
        found.communications[0]
            .reason
            .starts_with("reshape reads dimension 1 of %minor at `d0 mod 8`"),
        "{:?}",
        found.communications
    );
}

#[test]
fn reductions_and_contractions_leave_partial_results() {
    let mut b = Build::new();
    let x = b.value("%x", &[8, 8], Some(&[&["x"], &["y"]]));
    let sum = b.op(
        "reduce",
        &[x],
        &[8],
        &[&["(d0)[s0] -> (d0, s0), domain: d0 in [0, 7], s0 in [0, 7]"]],
        Some(Reduction::Sum),
    );
    let sort = b.op(
        "sort",
        &[x],
        &[8, 8],
        &[&["(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], d1 in [0, 7], s0 in [0, 7]"]],
        None,
    );
    let neg = b.op(
        "exponential",
        &[sum],
        &[8],
        &[&["(d0) -> (d0), domain: d0 in [0, 7]"]],
        None,
    );
    let found = b.run();
    assert_eq!(b.text(&found, sum), "[{x}] partial sum {y}");
    assert_eq!(b.text(&found, sort), "[{x}, {}]");
    assert_eq!(b.text(&found, neg), "[{x}]");
    let reasons: Vec<&str> = found
        .communications
        .iter()
        .map(|c| c.reason.as_str())
        .collect();
    assert_eq!(
        reasons[0],
        "sort reads dimension 1 of %x whole, and partial results of it do not combine"
    );
    assert_eq!(
        reasons[1],
        "%1 holds partial results (sum) along y, exponential needs the full values"
    );
    assert_eq!(found.communications.len(), 2);

    // dot [b, m, k] . [b, k, n]: batch, free and contracting dimensions.
    let lhs_map = "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 7], d2 in [0, 7], s0 in [0, 7]";
    let rhs_map = "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 1], d1 in [0, 7], d2 in [0, 7], s0 in [0, 7]";
    let dot = |lhs: &[&[&str]], rhs: Option<&[&[&str]]>| {
        let mut b = Build::new();
        let l = b.value("%l", &[2, 8, 8], Some(lhs));
        let r = b.value("%r", &[2, 8, 8], rhs);
        let out = b.op(
            "dot_general",
            &[l, r],
            &[2, 8, 8],
            &[&[lhs_map], &[rhs_map]],
            Some(Reduction::Sum),
        );
        let found = b.run();
        let reasons: Vec<String> = found
            .communications
            .iter()
            .map(|c| c.reason.clone())
            .collect();
        (
            b.text(&found, out),
            b.text(&found, r),
            reasons,
            found.conflicts.len(),
        )
    };
    let n: &[&str] = &[];
    let fine = |lhs: &[&[&str]], rhs: Option<&[&[&str]]>, out: &str, r: &str| {
        assert_eq!(dot(lhs, rhs), (out.to_owned(), r.to_owned(), vec![], 0));
    };
    fine(&[&["x"], n, n], None, "[{x}, {}, {}]", "[{x}, {}, {}]");
    fine(
        &[n, &["y"], n],
        Some(&[n, n, &["x"]]),
        "[{}, {y}, {x}]",
        "[{}, {}, {x}]",
    );
    fine(
        &[n, n, &["y"]],
        None,
        "[{}, {}, {}] partial sum {y}",
        "[{}, {y}, {}]",
    );
    fine(
        &[n, &["x"], &["y"]],
        Some(&[n, &["y"], n]),
        "[{}, {x}, {}] partial sum {y}",
        "[{}, {y}, {}]",
    );
    // One operand whole along the contraction is read in part.
    fine(
        &[n, n, &["y"]],
        Some(&[n, n, n]),
        "[{}, {}, {}] partial sum {y}",
        "[{}, {}, {}]",
    );
    let (out, _, reasons, conflicts) = dot(&[n, n, &["x"]], Some(&[n, n, &["x"]]));
    assert_eq!(
        (out.as_str(), conflicts),
        ("[{}, {}, {}] partial sum {x}", 1)
    );
    assert_eq!(
        reasons,
        [
            "x splits the reduced range 0 of dot_general (from %l) and another dimension than dimension 2 of %r (from %r)"
        ]
    );
}

#[test]
fn gather_and_unknown_maps() {
    let mut b = Build::new();
    let x = b.value("%x", &[16, 8], Some(&[&["y"], &["x"]]));
    let i = b.value("%i", &[4], None);
    let rows = b.op(
        "gather",
        &[x, i],
        &[4, 8],
        &[
            &["(d0, d1){rt0} -> (rt0, d1), domain: d0 in [0, 3], d1 in [0, 7], rt0 in [0, 15]"],
            &["(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 7]"],
        ],
        None,
    );
    let call = b.op("custom_call", &[x], &[16, 8], &[&["UNKNOWN"]], None);
    let found = b.run();
    assert_eq!(b.text(&found, rows), "[{}, {x}]");
    assert_eq!(b.text(&found, i), "[{}]");
    assert_eq!(b.text(&found, call), "[{}, {}]");
    assert!(
        found.communications[0]
            .reason
            .starts_with("gather reads dimension 0 of %x at `rt0`"),
        "{:?}",
        found.communications
    );
    assert!(
        found.communications[1]
            .reason
            .starts_with("which elements of %x custom_call reads is unknown"),
        "{:?}",
        found.communications
    );
}

#[test]
fn conflicts_name_both_sources() {
    let mut b = Build::new();
    let id = "(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 7]";
    let x = b.value("%arg0", &[8, 8], Some(&[&["x"], &[]]));
    let y = b.value("%arg1", &[8, 8], Some(&[&[], &["x"]]));
    let z = b.value("%arg2", &[8, 8], Some(&[&["y"], &[]]));
    let u = b.op("exponential", &[x], &[8, 8], &[&[id]], None);
    let a = b.op("add", &[u, y], &[8, 8], &[&[id], &[id]], None);
    let m = b.op("multiply", &[a, z], &[8, 8], &[&[id], &[id]], None);
    let found = b.run();
    assert_eq!(
        (b.text(&found, a), b.text(&found, m)),
        ("[{x}, {}]".into(), "[{x}, {}]".into())
    );
    assert_eq!(found.conflicts[0].sources, [x, y]);
    assert_eq!(
        found.conflicts[0].reason,
        "x splits dimension 0 of add (from %arg0) and another dimension than dimension 1 of %arg1 (from %arg1)"
    );
    assert_eq!(found.conflicts[1].sources, [x, z]);
    assert_eq!(
        found.conflicts[1].reason,
        "dimension 0 of multiply is split along x (from %arg0) and along y (from %arg2)"
    );
    assert_eq!(found.communications.len(), 2);
    // A result that is given decides which operand is the one to move.
    let mut b = Build::new();
    let x = b.value("%arg0", &[8, 8], Some(&[&["x"], &[]]));
    let y = b.value("%arg1", &[8, 8], Some(&[&[], &["x"]]));
    let a = b.op("add", &[x, y], &[8, 8], &[&[id], &[id]], None);
    b.program.values[a].given = Some(b.sharding(&[&[], &["x"]]));
    let found = b.run();
    assert_eq!(
        found
            .communications
            .iter()
            .map(|c| (c.value, c.after))
            .collect::<Vec<_>>(),
        [(x, false)]
    );
}

#[test]
fn a_given_result_is_made_and_then_moved() {
    let mut b = Build::new();
    let x = b.value("%x", &[8], Some(&[&["y"]]));
    let e = b.op(
        "exponential",
        &[x],
        &[8],
        &[&["(d0) -> (d0), domain: d0 in [0, 7]"]],
        None,
    );
    b.program.values[e].given = Some(b.sharding(&[&[]]));
    let found = b.run();
    assert_eq!(found.communications.len(), 1);
    assert_eq!(
        found.communications[0].reason,
        "exponential makes %1 split as [{y}], it is to be [{}]"
    );
    assert!(found.communications[0].after);
    // Split further is no movement.
    b.program.values[e].given = Some(b.sharding(&[&["y", "x"]]));
    assert!(b.run().communications.is_empty());
}

#[test]
fn partial_results_pass_where_the_operation_allows_it() {
    let mut b = Build::new();
    let reduce = "(d0)[s0] -> (d0, s0), domain: d0 in [0, 7], s0 in [0, 7]";
    let id: IndexingMap = "(d0) -> (d0), domain: d0 in [0, 7]".parse().unwrap();
    let x = b.value("%x", &[8, 8], Some(&[&[], &["y"]]));
    let p = b.op("reduce", &[x], &[8], &[&[reduce]], Some(Reduction::Sum));
    let q = b.op("reduce", &[x], &[8], &[&[reduce]], Some(Reduction::Sum));
    let moved = b.op_maps(
        "transpose",
        &[p],
        &[8],
        vec![vec![id.clone()]],
        None,
        PartialRule::Moves,
    );
    let added = b.op_maps(
        "add",
        &[moved, q],
        &[8],
        vec![vec![id.clone()], vec![id.clone()]],
        None,
        PartialRule::Adds,
    );
    let again = b.op(
        "reduce",
        &[added],
        &[],
        &[&["()[s0] -> (s0), domain: s0 in [0, 7]"]],
        Some(Reduction::Sum),
    );
    let most = b.op(
        "reduce",
        &[added],
        &[],
        &[&["()[s0] -> (s0), domain: s0 in [0, 7]"]],
        Some(Reduction::Max),
    );
    let found = b.run();
    assert_eq!(
        [moved, added, again].map(|v| b.text(&found, v)),
        [
            "[{}] partial sum {y}",
            "[{}] partial sum {y}",
            "[] partial sum {y}"
        ]
    );
    assert_eq!(b.text(&found, most), "[]");
    assert_eq!(found.communications.len(), 1);
    let layout = found.values[added]
        .as_ref()
        .unwrap()
        .sharding
        .to_layout(&b.program.devices)
        .unwrap();
    assert_eq!(layout.to_string(), "(x=2, y=4)(None) partial sum over y");
}

#[test]
fn wrong_shardings_are_errors() {
    let mut b = Build::new();
    b.value("%x", &[6], Some(&[&["y"]]));
    assert_eq!(
        propagate(&b.program).unwrap_err().to_string(),
        "dimension 0 of size 6 cannot be split evenly into 4 parts (axes y of %x)"
    );
    b.program.values[0].given = Some(Sharding {
        dims: vec![],
        partial: vec![],
    });
    assert_eq!(
        propagate(&b.program).unwrap_err().to_string(),
        "the tensor map has 0 entries, but the tensor has 1 dimensions (shape [6])"
    );
    b.program.devices = DeviceMatrix::new(&[6], &["all"]).unwrap();
    let half = |size, stride| {
        Some(Sharding {
            dims: vec![vec![Digit { stride, size }]],
            partial: vec![],
        })
    };
    b.program.values[0].given = half(2, 3);
    b.value("%y", &[6], None);
    b.program.values[1].given = half(3, 2);
    assert!(
        propagate(&b.program)
            .unwrap_err()
            .to_string()
            .contains("cut across each other")
    );
}

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
                (at / block) % d.size == d.of(rank)
            })
        })
}

/// At every operation without communication: each rank, for each result element that it holds, holds what it reads; with partial
/// results each share is held by exactly one rank of the group (or by all, where the operand is whole along it).
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
            let base = rank - partial.iter().map(|d| d.of(rank) * d.stride).sum::<i64>();
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
        let found =
            propagate(&b.program).unwrap_or_else(|e| panic!("case {case}: {e} {:?}", b.program));
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
