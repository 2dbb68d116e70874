//! The rows of the table of examples that relate several operands or results, and those with
//! layouts, as text.

use mapwright_indexing::IndexingMap;
use mapwright_mlir::{
    Op,
    melior::{self, ir::Module},
    op,
};
use mapwright_ops::Composer;

/// All maps of the only operation of a function: `(from, to, maps)` for output to input, and for
/// input to output.
fn maps(text: &str) -> [Vec<String>; 2] {
    let registry = melior::dialect::DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    let context = melior::Context::new();
    context.append_dialect_registry(&registry);
    context.set_allow_unregistered_dialects(true);
    let module = Module::parse(&context, text).unwrap_or_else(|| panic!("{text}"));
    let function: Op<'_> = op::ops(mapwright_mlir::block(&module.body()))[0];
    let body = op::ops(function.body(0).unwrap());
    let operation = body[body.len() - 2];
    let composer = Composer::new();
    let (mut back, mut there) = (Vec::new(), Vec::new());
    for result in 0..operation.num_results() {
        for found in composer.output_to_input(operation, result).iter() {
            let maps = found.maps.iter();
            back.extend(maps.map(|map| format!("{result} {}: {map}", found.operand)));
        }
    }
    for operand in 0..operation.num_operands() {
        for found in composer.input_to_output(operation, operand).iter() {
            let maps = found.maps.iter();
            there.extend(maps.map(|map| format!("{operand} {}: {map}", found.result)));
        }
    }
    [back, there]
}

#[test]
fn variadic_reduce() {
    let [back, there] = maps(
        "func.func @f(%a: tensor<256x10xf32>, %b: tensor<256x10xi32>, %x: tensor<f32>, %y: tensor<i32>) {
        %0:2 = \"stablehlo.reduce\"(%a, %b, %x, %y) ({ ^bb0(%c: tensor<f32>, %d: tensor<i32>, %e: tensor<f32>, %f: tensor<i32>): \"stablehlo.return\"(%c, %d) : (tensor<f32>, tensor<i32>) -> () }) {dimensions = array<i64: 0>} : (tensor<256x10xf32>, tensor<256x10xi32>, tensor<f32>, tensor<i32>) -> (tensor<10xf32>, tensor<10xi32>)
        return }",
    );
    let (input, init) = (
        "(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]",
        "(d0) -> (), domain: d0 in [0, 9]",
    );
    let expected: Vec<String> = (0..2)
        .flat_map(|result| (0..4).map(move |operand| (result, operand)))
        .map(|(r, o)| format!("{r} {o}: {}", if o < 2 { input } else { init }))
        .collect();
    assert_eq!(back, expected);
    let (input, init) = (
        "(d0, d1) -> (d1), domain: d0 in [0, 255], d1 in [0, 9]",
        "()[s0] -> (s0), domain: s0 in [0, 9]",
    );
    let expected: Vec<String> = (0..4)
        .flat_map(|operand| (0..2).map(move |result| (operand, result)))
        .map(|(o, r)| format!("{o} {r}: {}", if o < 2 { input } else { init }))
        .collect();
    assert_eq!(there, expected);
}

#[test]
fn concatenate() {
    let [back, there] = maps(
        "func.func @f(%a: tensor<3x50xf32>, %b: tensor<3x30xf32>) {
        %0 = \"stablehlo.concatenate\"(%a, %b) {dimension = 1 : i64} : (tensor<3x50xf32>, tensor<3x30xf32>) -> tensor<3x80xf32>
        return }",
    );
    assert_eq!(
        back,
        [
            "0 0: (d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 49]",
            "0 1: (d0, d1) -> (d0, d1 - 50), domain: d0 in [0, 2], d1 in [50, 79]",
        ]
    );
    assert_eq!(
        there,
        [
            "0 0: (d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 49]",
            "1 0: (d0, d1) -> (d0, d1 + 50), domain: d0 in [0, 2], d1 in [0, 29]",
        ]
    );
}

#[test]
fn dot() {
    let [back, there] = maps(
        "func.func @f(%a: tensor<4x128x256xf32>, %b: tensor<4x256x64xf32>) {
        %0 = \"stablehlo.dot_general\"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>} : (tensor<4x128x256xf32>, tensor<4x256x64xf32>) -> tensor<4x128x64xf32>
        return }",
    );
    assert_eq!(
        back,
        [
            "0 0: (d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], s0 in [0, 255]",
            "0 1: (d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], s0 in [0, 255]",
        ]
    );
    assert_eq!(
        there,
        [
            "0 0: (d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 255], s0 in [0, 63]",
            "1 0: (d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 255], d2 in [0, 63], s0 in [0, 127]",
        ]
    );
}

/// A bitcast between layouts is a transpose, a reshape and a transpose: an element stays at its
/// place in memory.
#[test]
fn bitcast() {
    let cast = |from: (&str, &str), to: (&str, &str)| {
        maps(&format!(
            "func.func @f(%a: tensor<{}xf32>) {{
            %0 = \"mhlo.bitcast\"(%a) {{source_layout = dense<[{}]> : tensor<{}xindex>, result_layout = dense<[{}]> : tensor<{}xindex>}} : (tensor<{}xf32>) -> tensor<{}xf32>
            return }}",
            from.0,
            from.1,
            from.1.split(", ").count(),
            to.1,
            to.1.split(", ").count(),
            from.0,
            to.0
        ))
    };
    // Column-major, seen as the transposed matrix in row-major order, and as a vector.
    let [back, there] = cast(("4x8", "0, 1"), ("8x4", "1, 0"));
    assert_eq!(
        back,
        ["0 0: (d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]"]
    );
    assert_eq!(
        there,
        ["0 0: (d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]"]
    );
    let [back, there] = cast(("4x8", "0, 1"), ("32", "0"));
    assert_eq!(
        back,
        ["0 0: (d0) -> (d0 mod 4, d0 floordiv 4), domain: d0 in [0, 31]"]
    );
    assert_eq!(
        there,
        ["0 0: (d0, d1) -> (d0 + d1 * 4), domain: d0 in [0, 3], d1 in [0, 7]"]
    );
    // By the places of all elements.
    for (from, to) in [
        (([6, 4], [0, 1]), ([3, 8], [1, 0])),
        (([6, 4], [1, 0]), ([2, 12], [0, 1])),
        (([6, 4], [0, 1]), ([12, 2], [0, 1])),
    ] {
        let text = |sizes: [i64; 2]| format!("{}x{}", sizes[0], sizes[1]);
        let order = |order: [usize; 2]| format!("{}, {}", order[0], order[1]);
        let [back, there] = cast((&text(from.0), &order(from.1)), (&text(to.0), &order(to.1)));
        let place = |(sizes, order): ([i64; 2], [usize; 2]), index: &[i64]| {
            index[order[0]] + sizes[order[0]] * index[order[1]]
        };
        for (maps, from, to) in [(back, to, from), (there, from, to)] {
            let map: IndexingMap = maps[0].split_once(": ").unwrap().1.parse().unwrap();
            let mut seen = 0;
            map.for_each_point(|dims, _, _, index| {
                seen += 1;
                assert_eq!(place(from, dims), place(to, index), "{map}");
                true
            });
            assert_eq!(seen, 24);
        }
    }
}
