//! Tiles by enumeration: for every tile of a result, what is read is what the tiles of the operand hold.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use mapwright_analysis::tiles::{self, Place, Tile};
use mapwright_indexing::{IndexingMap, RuntimeVariable};
use mapwright_mlir::{
    Op, TensorType, Val,
    melior::{
        self,
        ir::{Module, ValueLike},
    },
    op,
};
use mapwright_ops::Composer;
use std::collections::{BTreeMap, BTreeSet};

type Index = Vec<i64>;

/// All tiles of a result with the given strides that stay inside: offsets and sizes.
fn all_tiles(sizes: &[i64], strides: &[i64]) -> Vec<(Index, Index)> {
    let mut all = vec![(vec![], vec![])];
    for (n, stride) in sizes.iter().zip(strides) {
        let mut next = Vec::new();
        for (offsets, counts) in all {
            for o in 0..*n {
                for t in (1..=*n).filter(|t| o + (t - 1) * stride < *n) {
                    next.push((
                        [offsets.clone(), vec![o]].concat(),
                        [counts.clone(), vec![t]].concat(),
                    ));
                }
            }
        }
        all = next;
    }
    all
}

fn elements(offsets: &[i64], sizes: &[i64], strides: &[i64]) -> BTreeSet<Index> {
    let mut all: Vec<Index> = vec![vec![]];
    for ((o, t), stride) in offsets.iter().zip(sizes).zip(strides) {
        all = all
            .into_iter()
            .flat_map(|p| (0..*t).map(move |i| [p.clone(), vec![o + i * stride]].concat()))
            .collect();
    }
    all.into_iter().collect()
}

/// What some tiles hold together; `None` if one of them is refused.
fn held(
    tiles: &[Tile],
    offsets: &[i64],
    sizes: &[i64],
    read: &dyn Fn(&RuntimeVariable) -> i64,
) -> Option<BTreeSet<Index>> {
    let mut all = BTreeSet::new();
    for tile in tiles {
        let runtime: Vec<i64> = tile.runtime.iter().map(read).collect();
        match tile.at(offsets, sizes, &runtime) {
            Place::Refused => return None,
            Place::Empty => {}
            Place::Elements { offsets, sizes } => {
                all.extend(elements(&offsets, &sizes, &tile.strides))
            }
        }
    }
    Some(all)
}

/// A map in text, sizes of result and operand, and how many of the tiles with strides 1 must be answered, in percent.
type Single = (&'static str, &'static [i64], &'static [i64], usize);

const SINGLE: [Single; 20] = [
    (
        "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 4]",
        &[4, 5],
        &[5, 4],
        100,
    ),
    (
        "(d0, d1) -> (d0 * 2 + 1, -d1 + 4), domain: d0 in [0, 3], d1 in [0, 4]",
        &[4, 5],
        &[8, 5],
        100,
    ),
    (
        "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 4], s0 in [0, 5]",
        &[4, 5],
        &[4, 6],
        100,
    ),
    (
        "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 4], s0 in [0, 2]",
        &[5],
        &[7],
        100,
    ),
    (
        "(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 4], s0 in [0, 1]",
        &[5],
        &[10],
        100,
    ),
    (
        "(d0)[s0] -> (d0 * 3 + s0), domain: d0 in [0, 4], s0 in [0, 1]",
        &[5],
        &[15],
        100,
    ),
    (
        "(d0)[s0] -> (d0 + s0 - 1), domain: d0 in [0, 4], s0 in [0, 2], d0 + s0 in [1, 5]",
        &[5],
        &[5],
        100,
    ),
    (
        "(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]",
        &[12],
        &[3, 4],
        7,
    ),
    (
        "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]",
        &[3, 4],
        &[12],
        10,
    ),
    (
        "(d0, d1) -> (d1), domain: d0 in [0, 2], d1 in [0, 3]",
        &[3, 4],
        &[4],
        100,
    ),
    (
        "(d0, d1) -> (2, d0), domain: d0 in [0, 2], d1 in [0, 3]",
        &[3, 4],
        &[3, 3],
        100,
    ),
    // A piece of a concatenation, and of a padded operand.
    ("(d0) -> (d0 - 5), domain: d0 in [5, 9]", &[12], &[5], 100),
    (
        "(d0) -> ((d0 - 2) floordiv 3), domain: d0 in [2, 11], (d0 - 2) mod 3 in [0, 0]",
        &[13],
        &[4],
        100,
    ),
    // A quotient alone, a remainder alone.
    (
        "(d0) -> (d0 floordiv 4), domain: d0 in [0, 11]",
        &[12],
        &[3],
        100,
    ),
    ("(d0) -> (d0 mod 4), domain: d0 in [0, 11]", &[12], &[4], 30),
    // Three digits.
    (
        "(d0) -> (d0 floordiv 20, (d0 floordiv 5) mod 4, d0 mod 5), domain: d0 in [0, 59]",
        &[60],
        &[3, 4, 5],
        0,
    ),
    // Windows with a stride, padding and dilation; of the window and of the base.
    (
        "(d0)[s0] -> (d0 * 2 + s0 * 2 - 1), domain: d0 in [0, 4], s0 in [0, 2], d0 * 2 + s0 * 2 in [1, 9]",
        &[5],
        &[9],
        100,
    ),
    (
        "(d0)[s0] -> ((d0 + s0 - 2) floordiv 2), domain: d0 in [0, 8], s0 in [0, 2], d0 + s0 in [2, 10], (d0 + s0) mod 2 in [0, 0]",
        &[9],
        &[5],
        100,
    ),
    // A constraint that couples: a superset.
    (
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3], d0 + d1 in [0, 3]",
        &[4, 4],
        &[4, 4],
        100,
    ),
    (
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 5], d1 in [0, 3], d0 * -2 in [-7, -3]",
        &[6, 4],
        &[6, 4],
        100,
    ),
];

#[test]
fn single_maps() {
    for (text, result, operand, answered) in SINGLE {
        let map: IndexingMap = text.parse().unwrap();
        for stride in 1..=2 {
            let strides = vec![stride; result.len()];
            let tile = match Tile::root(result, &strides).through(&map, result, operand) {
                Ok(tile) => tile,
                Err(reason) => {
                    assert!(stride > 1, "{text}: {reason}");
                    continue;
                }
            };
            let (mut good, mut all) = (0, 0);
            for (offsets, sizes) in all_tiles(result, &strides) {
                all += 1;
                let Some(has) = held(std::slice::from_ref(&tile), &offsets, &sizes, &|_| 0) else {
                    continue;
                };
                good += 1;
                let wanted = elements(&offsets, &sizes, &strides);
                let mut read = BTreeSet::new();
                map.for_each_point(|dims, _, _, index| {
                    if wanted.contains(dims) {
                        read.insert(index.to_vec());
                    }
                    true
                });
                if tile.exact {
                    assert_eq!(has, read, "{text} {offsets:?} {sizes:?} {tile:?}");
                } else {
                    assert!(
                        read.is_subset(&has),
                        "{text} {offsets:?} {sizes:?} {tile:?}"
                    );
                }
            }
            assert!(
                stride > 1 || 100 * good >= answered * all && good > 0,
                "{text}: {good} of {all} {tile:?}"
            );
        }
    }
}

/// Numbers for the sizes: more tiles of a reshape are answered, among them those within a row.
#[test]
fn sizes_that_are_known() {
    let map: IndexingMap =
        "(d0) -> (d0 floordiv 20, (d0 floordiv 5) mod 4, d0 mod 5), domain: d0 in [0, 59]"
            .parse()
            .unwrap();
    let (mut exact, mut refused) = (0, 0);
    for size in 1..=60 {
        let root = Tile::root(&[60], &[1]).with_sizes(&[size]);
        let Ok(tile) = root.through(&map, &[60], &[3, 4, 5]) else {
            refused += 1;
            continue;
        };
        assert!(tile.exact);
        for offset in 0..=60 - size {
            let Some(has) = held(std::slice::from_ref(&tile), &[offset], &[size], &|_| 0) else {
                continue;
            };
            exact += 1;
            let read: BTreeSet<Index> = (offset..offset + size)
                .map(|i| vec![i / 20, i / 5 % 4, i % 5])
                .collect();
            assert_eq!(has, read, "{offset} {size} {tile:?}");
        }
    }
    // 60 of size 1, 3 * 4 * 4 of size 2 …
    assert!(exact > 200 && refused > 20, "{exact} {refused}");
}

#[test]
fn refusals_have_a_reason() {
    for (text, reason) in [
        ("(d0) -> (d0, d0), domain: d0 in [0, 4]", "diagonal"),
        (
            "(d0) -> (d0 floordiv 2, d0 mod 3), domain: d0 in [0, 4]",
            "overlap",
        ),
        (
            "(d0)[s0] -> (d0 + s0, s0), domain: d0 in [0, 4], s0 in [0, 1]",
            "in two ways",
        ),
        (
            "(d0, d1) -> (d0 * 3 + d1 * 2, 0), domain: d0 in [0, 1], d1 in [0, 1]",
            "no box",
        ),
    ] {
        let map: IndexingMap = text.parse().unwrap();
        let sizes: Vec<i64> = map.dims.iter().map(|v| v.interval.upper + 1).collect();
        let error = Tile::root(&sizes, &vec![1; sizes.len()])
            .through(&map, &sizes, &[5, 5])
            .unwrap_err();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

fn context() -> melior::Context {
    let registry = melior::dialect::DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    let context = melior::Context::new();
    context.append_dialect_registry(&registry);
    context.set_allow_unregistered_dialects(true);
    context
}

fn shape(value: Val<'_>) -> Index {
    TensorType::from_mlir(value.r#type())
        .unwrap()
        .bounding_shape()
        .unwrap()
}

/// What a program must come to: for some values, whether they are exact, or why they are refused.
type Expected<'a> = &'a [(&'a str, Result<bool, &'a str>)];

/// Checks every tile of the last result against the composed maps, for all values of the scalars in `-1..=bound`.
fn check(name: &str, text: &str, bound: i64, expected: Expected<'_>) {
    let context = context();
    let module = Module::parse(&context, text).unwrap_or_else(|| panic!("does not parse: {text}"));
    let function: Op<'_> = op::ops(mapwright_mlir::block(&module.body()))[0];
    let block = function.body(0).unwrap();
    let root = op::ops(block).last().unwrap().operand(0);
    let sizes = shape(root);
    let ones = vec![1; sizes.len()];
    let found = tiles::upstream(root, Tile::root(&sizes, &ones));
    let composer = Composer::new();
    let reached = composer.backward(root);
    let mut seen = BTreeMap::new();
    for upstream in &found {
        let label = op::label(upstream.value);
        let tiles = match &upstream.tiles {
            Ok(tiles) => tiles,
            Err(reason) => {
                seen.insert(label, Err(reason.clone()));
                continue;
            }
        };
        let exact = tiles.iter().all(|tile| tile.exact);
        seen.insert(label.clone(), Ok(exact));
        let maps = reached.maps(upstream.value).unwrap();
        let labels: BTreeSet<String> = maps
            .iter()
            .flat_map(|map| &map.runtime)
            .chain(tiles.iter().flat_map(|tile| &tile.runtime))
            .map(|v| v.origin.value.clone())
            .collect();
        // Every assignment of values to what is read at run time.
        let mut assignments: Vec<BTreeMap<&str, i64>> = vec![BTreeMap::new()];
        for label in &labels {
            assignments = assignments
                .into_iter()
                .flat_map(|old| {
                    (-1..=bound).map(move |value| {
                        let mut new = old.clone();
                        new.insert(label.as_str(), value);
                        new
                    })
                })
                .collect();
        }
        for values in &assignments {
            let value = |variable: &RuntimeVariable| {
                let clamp = variable.clamp();
                values[variable.origin.value.as_str()].clamp(clamp.lower, clamp.upper)
            };
            // Root index -> elements.
            let mut relation: BTreeMap<Index, BTreeSet<Index>> = BTreeMap::new();
            for map in maps {
                let runtime: Vec<i64> = map.runtime.iter().map(value).collect();
                let mut free = map.clone();
                free.runtime.clear();
                let upper: Vec<i64> = map.ranges.iter().map(|v| v.interval.upper + 1).collect();
                let lower: Vec<i64> = map.ranges.iter().map(|v| v.interval.lower).collect();
                for index in elements(&vec![0; sizes.len()], &sizes, &ones) {
                    let counts: Vec<i64> = upper.iter().zip(&lower).map(|(u, l)| u - l).collect();
                    for ranges in elements(&lower, &counts, &vec![1; counts.len()]) {
                        if let Some(at) = map.eval(&index, &ranges, &runtime).unwrap() {
                            relation.entry(index.clone()).or_default().insert(at);
                        }
                    }
                }
            }
            let mut answered = 0;
            for (offsets, counts) in all_tiles(&sizes, &ones) {
                let Some(has) = held(tiles, &offsets, &counts, &value) else {
                    continue;
                };
                answered += 1;
                let read: BTreeSet<Index> = elements(&offsets, &counts, &ones)
                    .iter()
                    .flat_map(|index| relation.get(index).into_iter().flatten().cloned())
                    .collect();
                let about = format!("{name} {label} {offsets:?} {counts:?} {values:?} {tiles:?}");
                if exact {
                    assert_eq!(has, read, "{about}");
                } else {
                    assert!(read.is_subset(&has), "{about}");
                }
            }
            assert!(answered > 0, "{name} {label}: no tile is answered");
        }
    }
    for (label, answer) in expected {
        match (seen.get(*label), answer) {
            (Some(Ok(exact)), Ok(wanted)) => assert_eq!(exact, wanted, "{name} {label}"),
            (Some(Err(reason)), Err(wanted)) => {
                assert!(reason.contains(wanted), "{name} {label}: {reason}")
            }
            (found, _) => panic!("{name} {label}: {found:?}, expected {answer:?}"),
        }
    }
}

const SUM: &str =
    "({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): \"stablehlo.return\"(%a) : (tensor<f32>) -> () })";

#[test]
fn programs_with_several_reads() {
    let m = "tensor<4x4xf32>";
    let text = format!(
        "func.func @f(%arg0: {m}) -> {m} {{
        %0 = \"stablehlo.transpose\"(%arg0) {{permutation = array<i64: 1, 0>}} : ({m}) -> {m}
        %1 = \"stablehlo.add\"(%arg0, %0) : ({m}, {m}) -> {m}
        return %1 : {m} }}"
    );
    check("x + transpose(x)", &text, 0, &[("%arg0", Ok(true))]);
    let v = "tensor<3xf32>";
    let softmax = format!(
        "func.func @f(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>) -> tensor<3x4xf32> {{
        %0 = \"stablehlo.reduce\"(%arg0, %arg1) {SUM} {{dimensions = array<i64: 1>}} : (tensor<3x4xf32>, tensor<f32>) -> {v}
        %1 = \"stablehlo.broadcast_in_dim\"(%0) {{broadcast_dimensions = array<i64: 0>}} : ({v}) -> tensor<3x4xf32>
        %2 = \"stablehlo.subtract\"(%arg0, %1) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
        return %2 : tensor<3x4xf32> }}"
    );
    check(
        "softmax",
        &softmax,
        0,
        &[("%arg0", Ok(true)), ("%0", Ok(true))],
    );
}

#[test]
fn programs_with_pieces() {
    let text = "func.func @f(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) -> tensor<2x7xf32> {
        %0 = \"stablehlo.concatenate\"(%arg0, %arg1) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
        %1 = \"stablehlo.reverse\"(%0) {dimensions = array<i64: 1>} : (tensor<2x7xf32>) -> tensor<2x7xf32>
        return %1 : tensor<2x7xf32> }";
    check(
        "concatenate",
        text,
        0,
        &[("%arg0", Ok(true)), ("%arg1", Ok(true))],
    );
    // The same operand twice.
    let text = "func.func @f(%arg0: tensor<3xf32>) -> tensor<6xf32> {
        %0 = \"stablehlo.concatenate\"(%arg0, %arg0) {dimension = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
        return %0 : tensor<6xf32> }";
    check("twice", text, 0, &[("%arg0", Ok(true))]);
    let text = "func.func @f(%arg0: tensor<4xf32>, %arg1: tensor<f32>) -> tensor<11xf32> {
        %0 = \"stablehlo.pad\"(%arg0, %arg1) {edge_padding_low = array<i64: 2>, edge_padding_high = array<i64: -1>, interior_padding = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<11xf32>
        return %0 : tensor<11xf32> }";
    check("pad", text, 0, &[("%arg0", Ok(true))]);
}

#[test]
fn programs_with_windows_and_reshapes() {
    let text = format!(
        "func.func @f(%arg0: tensor<9x2xf32>, %arg1: tensor<f32>) -> tensor<5x2xf32> {{
        %0 = \"stablehlo.reduce_window\"(%arg0, %arg1) {SUM} {{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}} : (tensor<9x2xf32>, tensor<f32>) -> tensor<5x2xf32>
        return %0 : tensor<5x2xf32> }}"
    );
    check("reduce_window", &text, 0, &[("%arg0", Ok(true))]);
    let dilated = format!(
        "func.func @f(%arg0: tensor<5xf32>, %arg1: tensor<f32>) -> tensor<9xf32> {{
        %0 = \"stablehlo.reduce_window\"(%arg0, %arg1) {SUM} {{window_dimensions = array<i64: 3>, base_dilations = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}} : (tensor<5xf32>, tensor<f32>) -> tensor<9xf32>
        return %0 : tensor<9xf32> }}"
    );
    check("dilated", &dilated, 0, &[("%arg0", Ok(true))]);
    for (from, to) in [
        ("4x6", "24"),
        ("24", "4x6"),
        ("4x6", "2x2x6"),
        ("2x3x4", "6x4"),
        ("12", "2x3x2"),
        ("4x3", "2x6"),
    ] {
        let text = format!(
            "func.func @f(%arg0: tensor<{from}xf32>) -> tensor<{to}xf32> {{
            %0 = \"stablehlo.reshape\"(%arg0) : (tensor<{from}xf32>) -> tensor<{to}xf32>
            return %0 : tensor<{to}xf32> }}"
        );
        check(&format!("{from} to {to}"), &text, 0, &[]);
    }
}

#[test]
fn programs_with_places_of_run_time() {
    let text = "func.func @f(%arg0: tensor<6x3xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<4x3xf32> {
        %0 = \"stablehlo.dynamic_slice\"(%arg0, %arg1, %arg2) {slice_sizes = array<i64: 4, 3>} : (tensor<6x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
        return %0 : tensor<4x3xf32> }";
    check("dynamic_slice", text, 4, &[("%arg0", Ok(true))]);
    let text = "func.func @f(%arg0: tensor<5x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<5x3xf32> {
        %0 = \"stablehlo.dynamic_update_slice\"(%arg0, %arg1, %arg2, %arg3) : (tensor<5x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<5x3xf32>
        return %0 : tensor<5x3xf32> }";
    check(
        "dynamic_update_slice",
        text,
        4,
        &[("%arg0", Ok(true)), ("%arg1", Ok(true))],
    );
    let bounded = "tensor<?x2xf32, #stablehlo.bounds<5, ?>>";
    let text = format!(
        "func.func @f(%arg0: tensor<5x2xf32>, %arg1: tensor<i32>) -> {bounded} {{
        %0 = \"stablehlo.set_dimension_size\"(%arg0, %arg1) {{dimension = 0 : i64}} : (tensor<5x2xf32>, tensor<i32>) -> {bounded}
        %1 = \"stablehlo.negate\"(%0) : ({bounded}) -> {bounded}
        return %1 : {bounded} }}"
    );
    check(
        "set_dimension_size",
        &text,
        6,
        &[("%arg0", Ok(true)), ("%0", Ok(true))],
    );
    let text = "func.func @f(%arg0: tensor<6x3xf32>, %arg1: tensor<4x1xi32>) -> tensor<4x3xf32> {
        %0 = \"stablehlo.gather\"(%arg0, %arg1) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<6x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
        return %0 : tensor<4x3xf32> }";
    check(
        "gather",
        text,
        0,
        &[("%arg0", Err("depends on values, from element to element"))],
    );
}
