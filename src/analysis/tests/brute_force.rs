//! The analyses against enumeration.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use mapwright_analysis::{
    document, strided::Strided, tiles::Tile, utilization::utilization, views,
};
use mapwright_indexing::{IndexingMap, Interval};
use mapwright_mlir::{
    Op,
    melior::{self, ir::Module},
    op,
};
use std::collections::{BTreeMap, BTreeSet};

fn context() -> melior::Context {
    let registry = melior::dialect::DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    let context = melior::Context::new();
    context.append_dialect_registry(&registry);
    context.set_allow_unregistered_dialects(true);
    context
}

fn body<'c>(module: &'c Module<'c>) -> Vec<Op<'c>> {
    let function = op::ops(mapwright_mlir::block(&module.body()))[0];
    op::ops(function.body(0).unwrap())
}

/// Maps in text, with the sizes of the operand: single dimensions, products, windows, diagonals, pieces.
const MAPS: [(&[&str], &[i64]); 9] = [
    (
        &["(d0, d1) -> (d1, d0), domain: d0 in [0, 5], d1 in [0, 3]"],
        &[4, 6],
    ),
    (
        &["(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 5], d1 in [0, 3], s0 in [0, 6]"],
        &[6, 7],
    ),
    (
        &["(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 5], s0 in [0, 2]"],
        &[13],
    ),
    (
        &[
            "(d0)[s0] -> (d0 * 3 + s0 - 1), domain: d0 in [0, 3], s0 in [0, 2], d0 * 3 + s0 in [1, 9]",
        ],
        &[9],
    ),
    (&["(d0) -> (d0, d0), domain: d0 in [0, 4]"], &[5, 5]),
    (
        &["(d0, d1) -> (d0 * 2 + d1 floordiv 2, d1 mod 2), domain: d0 in [0, 2], d1 in [0, 3]"],
        &[6, 2],
    ),
    (
        &[
            "(d0) -> (d0), domain: d0 in [0, 4]",
            "(d0) -> (-d0 + 6), domain: d0 in [0, 4]",
        ],
        &[7],
    ),
    (
        &["(d0, d1) -> (7), domain: d0 in [0, 4], d1 in [0, 1]"],
        &[9],
    ),
    (
        &["(d0) -> (d0 floordiv 3), domain: d0 in [0, 10], d0 mod 3 in [0, 1]"],
        &[5],
    ),
];

#[test]
fn utilization_counts() {
    for (texts, sizes) in MAPS {
        let maps: Vec<IndexingMap> = texts.iter().map(|text| text.parse().unwrap()).collect();
        let whole: Vec<Interval> = maps[0].dims.iter().map(|v| v.interval).collect();
        let mut tiles = vec![None];
        for lower in 0..3 {
            tiles.push(Some(
                whole
                    .iter()
                    .map(|i| Interval::new(lower.min(i.upper), (lower + 1).min(i.upper)))
                    .collect::<Vec<_>>(),
            ));
        }
        for tile in tiles {
            let mut reads: BTreeMap<Vec<i64>, u128> = BTreeMap::new();
            for map in &maps {
                map.for_each_point(|dims, _, _, index| {
                    if tile
                        .as_ref()
                        .is_none_or(|tile| tile.iter().zip(dims).all(|(i, d)| i.contains(*d)))
                    {
                        *reads.entry(index.to_vec()).or_default() += 1;
                    }
                    true
                });
            }
            let found = utilization(&maps, sizes, tile.as_deref());
            assert_eq!(found.bound, None, "{texts:?}");
            assert_eq!(
                (found.used, found.reads),
                (reads.len() as u128, reads.values().sum()),
                "{texts:?} {tile:?}"
            );
            assert_eq!(found.elements, sizes.iter().product::<i64>() as u128);
        }
    }
}

#[test]
fn utilization_of_large_tensors_is_counted_by_formula() {
    let map: IndexingMap =
        "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 99999], d1 in [0, 99999], s0 in [0, 99999]"
            .parse()
            .unwrap();
    let found = utilization(&[map], &[100_000, 100_000], None);
    assert_eq!(
        (found.used, found.reads, found.bound),
        (10u128.pow(10), 10u128.pow(15), None)
    );
}

/// All tiles of a result: offsets and sizes with the given strides that stay inside.
fn all_tiles(sizes: &[i64], strides: &[i64]) -> Vec<(Vec<i64>, Vec<i64>)> {
    let mut all = vec![(vec![], vec![])];
    for (n, stride) in sizes.iter().zip(strides) {
        let mut next = Vec::new();
        for (offsets, counts) in all {
            for o in 0..*n {
                for t in 1..=*n {
                    if o + (t - 1) * stride < *n {
                        next.push((
                            [offsets.clone(), vec![o]].concat(),
                            [counts.clone(), vec![t]].concat(),
                        ));
                    }
                }
            }
        }
        all = next;
    }
    all
}

fn elements(offsets: &[i64], sizes: &[i64], strides: &[i64]) -> BTreeSet<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = vec![vec![]];
    for ((o, t), stride) in offsets.iter().zip(sizes).zip(strides) {
        all = all
            .into_iter()
            .flat_map(|p| (0..*t).map(move |i| [p.clone(), vec![o + i * stride]].concat()))
            .collect();
    }
    all.into_iter().collect()
}

#[test]
fn tiles_by_enumeration() {
    let cases: [(&str, &[i64], &[i64]); 11] = [
        (
            "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 4]",
            &[4, 5],
            &[5, 4],
        ),
        (
            "(d0, d1) -> (d0 * 2 + 1, -d1 + 4), domain: d0 in [0, 3], d1 in [0, 4]",
            &[4, 5],
            &[8, 5],
        ),
        (
            "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 4], s0 in [0, 5]",
            &[4, 5],
            &[4, 6],
        ),
        (
            "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 4], s0 in [0, 2]",
            &[5],
            &[7],
        ),
        (
            "(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 4], s0 in [0, 1]",
            &[5],
            &[10],
        ),
        (
            "(d0)[s0] -> (d0 * 3 + s0), domain: d0 in [0, 4], s0 in [0, 1]",
            &[5],
            &[15],
        ),
        (
            "(d0)[s0] -> (d0 + s0 - 1), domain: d0 in [0, 4], s0 in [0, 2], d0 + s0 in [1, 5]",
            &[5],
            &[5],
        ),
        (
            "(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]",
            &[12],
            &[3, 4],
        ),
        (
            "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]",
            &[3, 4],
            &[12],
        ),
        (
            "(d0, d1) -> (d1), domain: d0 in [0, 2], d1 in [0, 3]",
            &[3, 4],
            &[4],
        ),
        (
            "(d0, d1) -> (2, d0), domain: d0 in [0, 2], d1 in [0, 3]",
            &[3, 4],
            &[3, 3],
        ),
    ];
    let mut held = 0;
    for (text, result, operand) in cases {
        let map: IndexingMap = text.parse().unwrap();
        for stride in 1..=2 {
            let strides = vec![stride; result.len()];
            let Ok(tile) = Tile::root(&strides).through(&map, result, operand) else {
                assert!(stride > 1, "{text}");
                continue;
            };
            for (offsets, sizes) in all_tiles(result, &strides) {
                let Some((o, t)) = tile.eval(&offsets, &sizes) else {
                    continue;
                };
                held += 1;
                let wanted = elements(&offsets, &sizes, &strides);
                let mut read = BTreeSet::new();
                map.for_each_point(|dims, _, _, index| {
                    if wanted.contains(dims) {
                        read.insert(index.to_vec());
                    }
                    true
                });
                let has = elements(&o, &t, &tile.strides);
                if tile.exact {
                    assert_eq!(has, read, "{text} {offsets:?} {sizes:?} {tile:?}");
                } else {
                    assert!(
                        read.is_subset(&has),
                        "{text} {offsets:?} {sizes:?} {tile:?}"
                    );
                }
            }
        }
    }
    assert!(held > 500, "{held}");
    // A diagonal and a digit of a digit are refused, with the reason.
    for text in [
        "(d0) -> (d0, d0), domain: d0 in [0, 4]",
        "(d0, d1) -> (d0 * 2 + d1 floordiv 2, (d1 mod 2) * 4), domain: d0 in [0, 1], d1 in [0, 3]",
    ] {
        let map: IndexingMap = text.parse().unwrap();
        let sizes: Vec<i64> = map.dims.iter().map(|v| v.interval.upper + 1).collect();
        assert!(
            Tile::root(&vec![1; sizes.len()])
                .through(&map, &sizes, &[5, 5])
                .is_err(),
            "{text}"
        );
    }
}

#[test]
fn views_are_where_they_say() {
    let t = |shape: &str| format!("tensor<{shape}xf32>");
    let (a, b, e, f) = (t("4x6"), t("6x4"), t("3x2"), t("5x3x2"));
    let text = format!(
        "func.func @f(%arg0: {a}) {{
        %0 = \"stablehlo.transpose\"(%arg0) {{permutation = array<i64: 1, 0>}} : ({a}) -> {b}
        %1 = \"stablehlo.slice\"(%0) {{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 6, 4>, strides = array<i64: 2, 2>}} : ({b}) -> {e}
        %2 = \"stablehlo.reverse\"(%1) {{dimensions = array<i64: 0>}} : ({e}) -> {e}
        %3 = \"stablehlo.broadcast_in_dim\"(%2) {{broadcast_dimensions = array<i64: 1, 2>}} : ({e}) -> {f}
        %4 = \"stablehlo.reshape\"(%0) : ({b}) -> tensor<24xf32>
        %5 = \"stablehlo.reshape\"(%4) : (tensor<24xf32>) -> {a}
        %6 = \"stablehlo.negate\"(%5) : ({a}) -> {a}
        %7 = \"stablehlo.reshape\"(%arg0) : ({a}) -> tensor<2x2x6xf32>
        return }}"
    );
    let context = context();
    let module = Module::parse(&context, &text).unwrap();
    let ops = body(&module);
    let mut all = views::Views::new();
    let found: Vec<String> = ops[..8]
        .iter()
        .map(|operation| match all.storage(*operation, 0) {
            views::Storage::Own => "own".into(),
            views::Storage::View { of, layout } => format!("{} {}", op::label(of), layout.layout()),
            views::Storage::Copy { reason } => format!("copy: {reason}"),
        })
        .collect();
    assert_eq!(
        found,
        [
            "%arg0 strided<[1, 6]>",
            "%arg0 strided<[2, 12], offset: 6>",
            "%arg0 strided<[-2, 12], offset: 10>",
            "%arg0 strided<[0, -2, 12], offset: 10>",
            "copy: no strides describe d0 floordiv 4 + (d0 mod 4) * 6",
            "%4 strided<[6, 1]>",
            "own",
            "%arg0 strided<[12, 6, 1]>",
        ]
    );
    // Each of them by enumeration: the place of an element is the place that the composed map leads to.
    let composer = mapwright_ops::Composer::new();
    for operation in &ops[..4] {
        let views::Storage::View { of, layout } = all.storage(*operation, 0) else {
            panic!("a view")
        };
        let maps = composer
            .backward(operation.result(0))
            .maps(of)
            .unwrap()
            .to_vec();
        let buffer = Strided::row_major(&[4, 6]).unwrap();
        let linear: BTreeMap<Vec<i64>, i64> = layout
            .linear()
            .points()
            .into_iter()
            .map(|(p, at)| (p.dims, at[0]))
            .collect();
        maps[0].for_each_point(|dims, _, _, index| {
            let place: i64 = index.iter().zip(&buffer.strides).map(|(i, s)| i * s).sum();
            assert_eq!(linear[dims], place);
            true
        });
    }
}

#[test]
fn documents_have_an_answer_for_every_operation() {
    let a = "tensor<8x16xf32>";
    let text = format!(
        "func.func @f(%arg0: {a}, %arg1: tensor<16x4xf32>) -> tensor<8x4xf32> {{
        %0 = \"stablehlo.exponential\"(%arg0) : ({a}) -> {a}
        %1 = \"stablehlo.dot\"(%0, %arg1) : ({a}, tensor<16x4xf32>) -> tensor<8x4xf32>
        return %1 : tensor<8x4xf32> }}"
    );
    let context = context();
    let module = Module::parse(&context, &text).unwrap();
    let root = Op::new(module.as_operation());
    for name in ["views", "utilization", "coalescing", "tiles"] {
        let answer = document::analyze(root, document::What::from_name(name).unwrap(), 16);
        let list = answer.as_array().unwrap();
        assert!(list.len() >= 2, "{name}: {answer}");
        assert!(
            list.iter()
                .all(|entry| entry.get("op").is_some() && entry.get("location").is_some()),
            "{name}: {answer}"
        );
    }
    let used = document::analyze(root, document::What::Utilization, 16);
    assert_eq!(used[1]["operands"][1]["reads_per_element"], 8.0);
    let tiles = document::analyze(root, document::What::Tiles, 16);
    let lines: Vec<String> = tiles
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            let tile = &entry["tile"];
            format!("{} {} {}", tile["value"], tile["offsets"], tile["sizes"])
        })
        .collect();
    assert_eq!(
        lines,
        [
            r#""%1" ["o0","o1"] ["t0","t1"]"#,
            r#""%0" ["o0","0"] ["t0","16"]"#,
            r#""%arg1" ["0","o1"] ["16","t1"]"#,
            r#""%arg0" ["o0","0"] ["t0","16"]"#,
        ]
    );
}
