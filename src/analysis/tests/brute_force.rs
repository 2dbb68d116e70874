//! The analyses against enumeration.

use mapwright_analysis::{document, strided::Strided, utilization::utilization, views};
use mapwright_indexing::{IndexingMap, Interval};
use mapwright_mlir::{
    Op,
    melior::{self, ir::Module},
    op,
};
use std::collections::BTreeMap;

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

/// Maps in text, with the sizes of the operand: single dimensions, products, windows, diagonals,
/// pieces.
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
        let whole: Vec<Interval> = maps[0].dims().iter().map(|v| v.interval).collect();
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
                (reads.len() as u128, Some(reads.values().sum())),
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
        (10u128.pow(10), Some(10u128.pow(15)), None)
    );
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
    // Each of them by enumeration: the place of an element is the place that the composed map leads
    // to.
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
            .known
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

/// A start that is read at run time: for every value of it, the window is where the composed map
/// leads.
#[test]
fn views_with_an_offset_of_run_time() {
    let a = "tensor<10x6xf32>";
    let text = format!(
        "func.func @f(%arg0: {a}, %arg1: tensor<i32>, %arg2: tensor<i32>) {{
        %c = \"stablehlo.constant\"() {{value = dense<1> : tensor<i32>}} : () -> tensor<i32>
        %0 = \"stablehlo.dynamic_slice\"(%arg0, %arg1, %c) {{slice_sizes = array<i64: 7, 5>}} : ({a}, tensor<i32>, tensor<i32>) -> tensor<7x5xf32>
        %1 = \"stablehlo.dynamic_slice\"(%0, %arg2, %c) {{slice_sizes = array<i64: 4, 3>}} : (tensor<7x5xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
        %2 = \"stablehlo.transpose\"(%1) {{permutation = array<i64: 1, 0>}} : (tensor<4x3xf32>) -> tensor<3x4xf32>
        return }}"
    );
    let context = context();
    let module = Module::parse(&context, &text).unwrap();
    let ops = body(&module);
    let composer = mapwright_ops::Composer::new();
    let mut all = views::Views::new();
    let mut seen = Vec::new();
    for operation in &ops[1..4] {
        let views::Storage::View { of, layout } = all.storage(*operation, 0) else {
            panic!("a view")
        };
        seen.push(format!("{} {}", op::label(of), layout.layout()));
        let reached = composer.backward(operation.result(0));
        let [map] = reached.maps(of).unwrap() else {
            panic!("one map")
        };
        for (start, second) in (-1..5).flat_map(|i| (-1..5).map(move |j| (i, j))) {
            let value = |variable: &mapwright_indexing::RuntimeVariable| {
                let clamp = variable.clamp();
                let value = match variable.origin.value.as_str() {
                    "%arg1" => start,
                    "%arg2" => second,
                    other => panic!("{other}"),
                };
                i64::clamp(value, clamp.lower, clamp.upper)
            };
            let added: i64 = layout.added.iter().map(|(n, v)| n * value(v)).sum();
            let runtime: Vec<i64> = map.runtime().iter().map(value).collect();
            for (point, at) in layout.known.linear().points() {
                let index = map.eval(&point.dims, &[], &runtime).unwrap().unwrap();
                assert_eq!(at[0] + added, index[0] * 6 + index[1]);
            }
        }
    }
    assert_eq!(
        seen,
        [
            "%arg0 strided<[6, 1], offset: ?>",
            "%arg0 strided<[6, 1], offset: ?>",
            "%arg0 strided<[1, 6], offset: ?>",
        ]
    );
    // A start that differs from element to element is no offset.
    let map: IndexingMap = "(d0){rt0} -> (rt0), domain: d0 in [0, 3], rt0 in [0, 9]"
        .parse()
        .unwrap();
    let mut map = map;
    map.edit(|m| {
        m.runtime[0].origin.value = "%arg1".into();
        m.runtime[0].origin.index = Some(Box::new(IndexingMap::identity(&[4])));
    });
    let buffer = Strided::row_major(&[10]).unwrap();
    assert!(
        views::strided(&map, &[4], &buffer)
            .unwrap_err()
            .contains("differs between elements")
    );
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
    let request = document::Request::default();
    for name in ["views", "utilization", "coalescing", "tiles"] {
        let answer = document::analyze(root, document::What::from_name(name).unwrap(), &request);
        let list = answer.as_array().unwrap();
        assert!(list.len() >= 2, "{name}: {answer}");
        assert!(
            list.iter()
                .all(|entry| entry.get("op").is_some() && entry.get("location").is_some()),
            "{name}: {answer}"
        );
    }
    let used = document::analyze(root, document::What::Utilization, &request);
    assert_eq!(used[1]["operands"][1]["reads_per_element"], 8.0);
    let tiles = document::analyze(root, document::What::Tiles, &request);
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
