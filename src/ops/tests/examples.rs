//! The examples of the indexing analysis, op by op and composed, as text.

use crate::shared;
use mapwright_indexing::IndexingMap;
use mapwright_mlir::{
    Op, Val,
    melior::{self, ir::Module},
    op,
};
use mapwright_ops::Composer;

fn context() -> melior::Context {
    let registry = melior::dialect::DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    let context = melior::Context::new();
    context.append_dialect_registry(&registry);
    context.set_allow_unregistered_dialects(true);
    context
}

fn main_function<'c>(module: &'c Module<'c>) -> Op<'c> {
    op::ops(mapwright_mlir::block(&module.body()))
        .into_iter()
        .rfind(|operation| operation.name() == "func.func")
        .unwrap()
}

/// The returned values and the arguments of the last function.
fn ends<'c>(module: &'c Module<'c>) -> (Vec<Val<'c>>, Vec<Val<'c>>) {
    let body = main_function(module).body(0).unwrap();
    (
        op::ops(body).last().unwrap().operands(),
        op::arguments(body),
    )
}

fn texts(maps: &[IndexingMap]) -> Vec<String> {
    maps.iter()
        .map(|map| match map.unknown_reason() {
            Some(reason) => format!("UNKNOWN: {reason}"),
            None => format!("{}{map}", if map.is_exact() { "" } else { "about " }),
        })
        .collect()
}

/// Maps from result 0 to argument `argument`.
fn composed(text: &str, argument: usize) -> Vec<String> {
    let context = context();
    let module = Module::parse(&context, text).unwrap_or_else(|| panic!("does not parse: {text}"));
    let (results, arguments) = ends(&module);
    texts(
        Composer::new()
            .backward(results[0])
            .maps(arguments[argument])
            .unwrap_or_default(),
    )
}

/// Maps from argument `argument` to result 0.
fn forward(text: &str, argument: usize) -> Vec<String> {
    let context = context();
    let module = Module::parse(&context, text).unwrap_or_else(|| panic!("does not parse: {text}"));
    let (results, arguments) = ends(&module);
    texts(
        Composer::new()
            .forward(arguments[argument])
            .maps(results[0])
            .unwrap_or_default(),
    )
}

fn one(args: &[&str], op: &str, result: &str) -> String {
    let names: Vec<String> = args
        .iter()
        .enumerate()
        .map(|(i, ty)| format!("%arg{i}: {ty}"))
        .collect();
    format!(
        "func.func @f({}) -> {result} {{ %0 = {op} return %0 : {result} }}",
        names.join(", ")
    )
}

#[test]
fn single_operations() {
    let add = one(
        &["tensor<10x20xf32>", "tensor<10x20xf32>"],
        "\"stablehlo.add\"(%arg0, %arg1) : (tensor<10x20xf32>, tensor<10x20xf32>) -> tensor<10x20xf32>",
        "tensor<10x20xf32>",
    );
    assert_eq!(
        composed(&add, 1),
        ["(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]"]
    );
    let broadcast = one(
        &["tensor<20xf32>"],
        "\"stablehlo.broadcast_in_dim\"(%arg0) {broadcast_dimensions = array<i64: 1>} : (tensor<20xf32>) -> tensor<10x20x30xf32>",
        "tensor<10x20x30xf32>",
    );
    assert_eq!(
        composed(&broadcast, 0),
        ["(d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]"]
    );
    assert_eq!(
        forward(&broadcast, 0),
        ["(d0)[s0, s1] -> (s0, d0, s1), domain: d0 in [0, 19], s0 in [0, 9], s1 in [0, 29]"]
    );
    let transpose = one(
        &["tensor<3x12288x6x128xf32>"],
        "\"stablehlo.transpose\"(%arg0) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<3x12288x6x128xf32>) -> tensor<3x6x128x12288xf32>",
        "tensor<3x6x128x12288xf32>",
    );
    assert_eq!(
        composed(&transpose, 0),
        [
            "(d0, d1, d2, d3) -> (d0, d3, d1, d2), domain: d0 in [0, 2], d1 in [0, 5], d2 in [0, 127], d3 in [0, 12287]"
        ]
    );
    assert_eq!(
        forward(&transpose, 0),
        [
            "(d0, d1, d2, d3) -> (d0, d2, d3, d1), domain: d0 in [0, 2], d1 in [0, 12287], d2 in [0, 5], d3 in [0, 127]"
        ]
    );
    let reverse = one(
        &["tensor<1x17x9x9xf32>"],
        "\"stablehlo.reverse\"(%arg0) {dimensions = array<i64: 1, 2>} : (tensor<1x17x9x9xf32>) -> tensor<1x17x9x9xf32>",
        "tensor<1x17x9x9xf32>",
    );
    let reversed = [
        "(d0, d1, d2, d3) -> (0, -d1 + 16, -d2 + 8, d3), domain: d0 in [0, 0], d1 in [0, 16], d2 in [0, 8], d3 in [0, 8]",
    ];
    assert_eq!(composed(&reverse, 0), reversed);
    assert_eq!(forward(&reverse, 0), reversed);
    let slice = one(
        &["tensor<10x20x50xf32>"],
        "\"stablehlo.slice\"(%arg0) {start_indices = array<i64: 5, 3, 0>, limit_indices = array<i64: 10, 20, 50>, strides = array<i64: 1, 7, 2>} : (tensor<10x20x50xf32>) -> tensor<5x3x25xf32>",
        "tensor<5x3x25xf32>",
    );
    assert_eq!(
        composed(&slice, 0),
        [
            "(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2), domain: d0 in [0, 4], d1 in [0, 2], d2 in [0, 24]"
        ]
    );
    assert_eq!(
        forward(&slice, 0),
        [
            "(d0, d1, d2) -> (d0 - 5, (d1 - 3) floordiv 7, d2 floordiv 2), domain: d0 in [5, 9], d1 in [3, 17], d2 in [0, 48], d1 mod 7 in [3, 3], d2 mod 2 in [0, 0]"
        ]
    );
}

fn reshape(from: &str, to: &str) -> String {
    one(
        &[&format!("tensor<{from}xf32>")],
        &format!("\"stablehlo.reshape\"(%arg0) : (tensor<{from}xf32>) -> tensor<{to}xf32>"),
        &format!("tensor<{to}xf32>"),
    )
}

#[test]
fn reshapes() {
    let check = |from: &str, to: &str, back: &str, there: &str| {
        let results = |maps: Vec<String>| maps[0].split(", domain").next().unwrap().to_owned();
        assert_eq!(
            results(composed(&reshape(from, to), 0)),
            back,
            "{from} {to}"
        );
        assert_eq!(
            results(forward(&reshape(from, to), 0)),
            there,
            "{from} {to}"
        );
    };
    check(
        "4x8",
        "32",
        "(d0) -> (d0 floordiv 8, d0 mod 8)",
        "(d0, d1) -> (d0 * 8 + d1)",
    );
    check(
        "32",
        "4x8",
        "(d0, d1) -> (d0 * 8 + d1)",
        "(d0) -> (d0 floordiv 8, d0 mod 8)",
    );
    check(
        "4x8",
        "2x4x4",
        "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, (d1 mod 2) * 4 + d2)",
        "(d0, d1) -> (d0 floordiv 2, (d0 mod 2) * 2 + d1 floordiv 4, d1 mod 4)",
    );
    check(
        "4x8x12",
        "32x3x4",
        "(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2)",
        "(d0, d1, d2) -> (d0 * 8 + d1, d2 floordiv 4, d2 mod 4)",
    );
}

#[test]
fn fusions() {
    let transposed = "func.func @f(%arg0: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
        %0 = \"stablehlo.transpose\"(%arg0) {permutation = array<i64: 1, 0>} : (tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
        %1 = \"stablehlo.add\"(%arg0, %0) : (tensor<1000x1000xf32>, tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
        return %1 : tensor<1000x1000xf32> }";
    assert_eq!(
        composed(transposed, 0),
        [
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]",
            "(d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]"
        ]
    );
    let both_sides = "func.func @f(%arg0: tensor<20x10x50xf32>, %arg1: tensor<10x20x50xf32>) -> tensor<10x50x20xf32> {
        %0 = \"stablehlo.transpose\"(%arg0) {permutation = array<i64: 1, 0, 2>} : (tensor<20x10x50xf32>) -> tensor<10x20x50xf32>
        %1 = \"stablehlo.add\"(%0, %arg1) : (tensor<10x20x50xf32>, tensor<10x20x50xf32>) -> tensor<10x20x50xf32>
        %2 = \"stablehlo.transpose\"(%1) {permutation = array<i64: 0, 2, 1>} : (tensor<10x20x50xf32>) -> tensor<10x50x20xf32>
        return %2 : tensor<10x50x20xf32> }";
    assert_eq!(
        composed(both_sides, 0),
        ["(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 49], d2 in [0, 19]"]
    );
    let chain = "func.func @f(%arg0: tensor<10x10x10xf32>) -> tensor<10x10x10xf32> {
        %0 = \"stablehlo.reshape\"(%arg0) : (tensor<10x10x10xf32>) -> tensor<50x20xf32>
        %1 = \"stablehlo.reshape\"(%0) : (tensor<50x20xf32>) -> tensor<10x10x10xf32>
        return %1 : tensor<10x10x10xf32> }";
    let identity =
        ["(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"];
    assert_eq!(composed(chain, 0), identity);
    assert_eq!(forward(chain, 0), identity);
}

#[test]
fn softmax_has_two_maps() {
    let t3 = "tensor<2x65x125xf32>";
    let t2 = "tensor<2x65xf32>";
    let reduce = |out: &str, of: &str| {
        format!(
            "%{out} = \"stablehlo.reduce\"(%{of}, %c) ({{ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %m = \"stablehlo.maximum\"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32> \"stablehlo.return\"(%m) : (tensor<f32>) -> () }}) {{dimensions = array<i64: 2>}} : ({t3}, tensor<f32>) -> {t2}\n"
        )
    };
    let spread = |out: &str, of: &str| {
        format!(
            "%{out} = \"stablehlo.broadcast_in_dim\"(%{of}) {{broadcast_dimensions = array<i64: 0, 1>}} : ({t2}) -> {t3}\n"
        )
    };
    let text = format!(
        "func.func @f(%arg0: {t3}) -> {t3} {{ %c = \"stablehlo.constant\"() {{value = dense<0.0> : tensor<f32>}} : () -> tensor<f32>\n{}{}%2 = \"stablehlo.subtract\"(%arg0, %1) : ({t3}, {t3}) -> {t3}\n%3 = \"stablehlo.exponential\"(%2) : ({t3}) -> {t3}\n{}{}%6 = \"stablehlo.divide\"(%3, %5) : ({t3}, {t3}) -> {t3}\nreturn %6 : {t3} }}",
        reduce("0", "arg0"),
        spread("1", "0"),
        reduce("4", "3"),
        spread("5", "4")
    );
    assert_eq!(
        composed(&text, 0),
        [
            "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124]",
            "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124], s0 in [0, 124]"
        ]
    );
}

#[test]
fn exponentially_many_paths() {
    let ty = "tensor<64x64xf32>";
    let mut text = format!("func.func @f(%arg0: {ty}) -> {ty} {{\n");
    let mut last = "%arg0".to_owned();
    for i in 0..64 {
        text += &format!(
            "%t{i} = \"stablehlo.transpose\"({last}) {{permutation = array<i64: 1, 0>}} : ({ty}) -> {ty}\n"
        );
        text += &format!("%x{i} = \"stablehlo.add\"({last}, %t{i}) : ({ty}, {ty}) -> {ty}\n");
        last = format!("%x{i}");
    }
    text += &format!("return {last} : {ty} }}");
    let start = std::time::Instant::now();
    assert_eq!(composed(&text, 0).len(), 2);
    assert_eq!(forward(&text, 0).len(), 2);
    assert!(start.elapsed().as_secs() < 5);
    // Different paths: x + slices of x shifted by powers of two, so that 2^12 different maps lead
    // to the argument.
    let ty = "tensor<8192xf32>";
    let mut text = format!(
        "func.func @f(%arg0: {ty}) -> {ty} {{\n%z = \"stablehlo.constant\"() {{value = dense<0.0> : tensor<f32>}} : () -> tensor<f32>\n"
    );
    let mut last = "%arg0".to_owned();
    for i in 0..12 {
        let shift = 1 << i;
        text += &format!(
            "%t{i} = \"stablehlo.pad\"({last}, %z) {{edge_padding_low = array<i64: {shift}>, edge_padding_high = array<i64: -{shift}>, interior_padding = array<i64: 0>}} : ({ty}, tensor<f32>) -> {ty}\n"
        );
        text += &format!("%x{i} = \"stablehlo.add\"({last}, %t{i}) : ({ty}, {ty}) -> {ty}\n");
        last = format!("%x{i}");
    }
    text += &format!("return {last} : {ty} }}");
    let maps = composed(&text, 0);
    assert!(maps.len() <= mapwright_ops::compose::LIMIT);
    assert!(maps.iter().any(|map| map.starts_with("about ")), "{maps:?}");
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn control_flow_and_calls() {
    let ty = "tensor<4x8xf32>";
    let callee = format!(
        "func.func private @g(%x: {ty}, %y: {ty}) -> (tensor<8x4xf32>, {ty}) {{ %0 = \"stablehlo.transpose\"(%x) {{permutation = array<i64: 1, 0>}} : ({ty}) -> tensor<8x4xf32> return %0, %y : tensor<8x4xf32>, {ty} }}\n"
    );
    let call = format!(
        "{callee}func.func @f(%arg0: {ty}, %arg1: {ty}) -> tensor<8x4xf32> {{ %0:2 = func.call @g(%arg0, %arg1) : ({ty}, {ty}) -> (tensor<8x4xf32>, {ty}) return %0#0 : tensor<8x4xf32> }}"
    );
    assert_eq!(
        composed(&call, 0),
        ["(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]"]
    );
    assert!(composed(&call, 1).is_empty());
    assert_eq!(
        forward(&call, 0),
        ["(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]"]
    );
    let branch = format!(
        "func.func @f(%arg0: tensor<i1>, %arg1: {ty}, %arg2: {ty}) -> {ty} {{ %0 = \"stablehlo.if\"(%arg0) ({{ %1 = \"stablehlo.reverse\"(%arg1) {{dimensions = array<i64: 0>}} : ({ty}) -> {ty} \"stablehlo.return\"(%1) : ({ty}) -> () }}, {{ \"stablehlo.return\"(%arg2) : ({ty}) -> () }}) : (tensor<i1>) -> {ty} return %0 : {ty} }}"
    );
    assert_eq!(
        composed(&branch, 0),
        ["(d0, d1) -> (), domain: d0 in [0, 3], d1 in [0, 7]"]
    );
    assert_eq!(
        composed(&branch, 1),
        ["about (d0, d1) -> (-d0 + 3, d1), domain: d0 in [0, 3], d1 in [0, 7]"]
    );
    assert_eq!(
        composed(&branch, 2),
        ["about (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]"]
    );
    assert_eq!(forward(&branch, 1).len(), 1);
    let body = |yields: &str| {
        format!(
            "func.func @f(%arg0: tensor<i32>, %arg1: {ty}, %arg2: {ty}) -> {ty} {{ %0:3 = \"stablehlo.while\"(%arg0, %arg1, %arg2) ({{ ^bb0(%i: tensor<i32>, %a: {ty}, %b: {ty}): %c = \"test.condition\"(%i) : (tensor<i32>) -> tensor<i1> \"stablehlo.return\"(%c) : (tensor<i1>) -> () }}, {{ ^bb0(%i: tensor<i32>, %a: {ty}, %b: {ty}): {yields} }}) : (tensor<i32>, {ty}, {ty}) -> (tensor<i32>, {ty}, {ty}) return %0#1 : {ty} }}"
        )
    };
    let invariant = body(&format!(
        "\"stablehlo.return\"(%i, %a, %b) : (tensor<i32>, {ty}, {ty}) -> ()"
    ));
    assert_eq!(
        composed(&invariant, 1),
        ["(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]"]
    );
    assert!(composed(&invariant, 2).is_empty());
    // Reversed and added in every iteration: two places, however often.
    let carried = body(&format!(
        "%r = \"stablehlo.reverse\"(%a) {{dimensions = array<i64: 0>}} : ({ty}) -> {ty} %s = \"stablehlo.add\"(%r, %b) : ({ty}, {ty}) -> {ty} \"stablehlo.return\"(%i, %s, %b) : (tensor<i32>, {ty}, {ty}) -> ()"
    ));
    assert_eq!(
        composed(&carried, 1),
        [
            "about (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]",
            "about (d0, d1) -> (-d0 + 3, d1), domain: d0 in [0, 3], d1 in [0, 7]"
        ]
    );
    assert_eq!(composed(&carried, 2).len(), 2);
    let opaque = one(
        &[ty],
        &format!(
            "\"stablehlo.custom_call\"(%arg0) {{call_target_name = \"mystery\"}} : ({ty}) -> {ty}"
        ),
        ty,
    );
    assert_eq!(
        composed(&opaque, 0),
        ["UNKNOWN: what custom_call @mystery reads is not known"]
    );
    let batched = one(
        &["tensor<4x8x3xf32>"],
        "\"stablehlo.custom_call\"(%arg0) {call_target_name = \"rows\", mhlo.frontend_attributes = {num_batch_dims = \"2\"}} : (tensor<4x8x3xf32>) -> tensor<4x8xf32>",
        "tensor<4x8xf32>",
    );
    assert_eq!(
        composed(&batched, 0),
        ["about (d0, d1)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 2]"]
    );
}

#[test]
fn nonzero_with_a_bounded_result() {
    // A row of six, put in front, cut to the number of elements that count.
    let bounded = "tensor<?x2xi32, #stablehlo.bounds<6, ?>>";
    let text = format!(
        "func.func @f(%arg0: tensor<6x2xi32>, %arg1: tensor<i32>) -> tensor<2xi32> {{
        %0 = \"stablehlo.set_dimension_size\"(%arg0, %arg1) {{dimension = 0 : i64}} : (tensor<6x2xi32>, tensor<i32>) -> {bounded}
        %1 = \"stablehlo.negate\"(%0) : ({bounded}) -> {bounded}
        %c = \"stablehlo.constant\"() {{value = dense<0> : tensor<i32>}} : () -> tensor<i32>
        %2 = \"stablehlo.reduce\"(%1, %c) ({{ ^bb0(%a: tensor<i32>, %b: tensor<i32>): \"stablehlo.return\"(%a) : (tensor<i32>) -> () }}) {{dimensions = array<i64: 0>}} : ({bounded}, tensor<i32>) -> tensor<2xi32>
        return %2 : tensor<2xi32> }}"
    );
    assert_eq!(
        composed(&text, 0),
        [
            "(d0)[s0]{rt0} -> (s0, d0), domain: d0 in [0, 1], s0 in [0, 5], rt0 in [1, 6], s0 - rt0 in [-6, -1]"
        ]
    );
}

/// The torch.nonzero program, as torch-xla emits it (in generic form).
#[test]
fn torch_nonzero() {
    let b = "tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>";
    let v = "tensor<6xi32>";
    let pair = |name: &str| format!("%{name}0: tensor<i32>, %{name}1: tensor<i32>");
    let text = format!(
        "func.func @main(%arg0: tensor<1x6xi64>) -> tuple<{b}> {{
        %0 = \"mhlo.constant\"() {{value = dense<0> : tensor<i64>}} : () -> tensor<i64>
        %1 = \"mhlo.broadcast_in_dim\"(%0) {{broadcast_dimensions = dense<> : tensor<0xi64>}} : (tensor<i64>) -> tensor<1x6xi64>
        %2 = \"mhlo.compare\"(%arg0, %1) {{comparison_direction = #mhlo<comparison_direction NE>}} : (tensor<1x6xi64>, tensor<1x6xi64>) -> tensor<1x6xi1>
        %3 = \"mhlo.convert\"(%2) : (tensor<1x6xi1>) -> tensor<1x6xi32>
        %4 = \"mhlo.reshape\"(%3) : (tensor<1x6xi32>) -> {v}
        %5 = \"mhlo.iota\"() {{iota_dimension = 0 : i64}} : () -> tensor<1x6xi32>
        %6 = \"mhlo.reshape\"(%5) : (tensor<1x6xi32>) -> {v}
        %7 = \"mhlo.iota\"() {{iota_dimension = 1 : i64}} : () -> tensor<1x6xi32>
        %8 = \"mhlo.reshape\"(%7) : (tensor<1x6xi32>) -> {v}
        %9:3 = \"mhlo.sort\"(%4, %6, %8) ({{ ^bb0({}, {}, {}):
          %20 = \"mhlo.compare\"(%a0, %a1) {{comparison_direction = #mhlo<comparison_direction GT>}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
          \"mhlo.return\"(%20) : (tensor<i1>) -> () }}) {{dimension = 0 : i64, is_stable = true}} : ({v}, {v}, {v}) -> ({v}, {v}, {v})
        %10 = \"mhlo.reshape\"(%9#1) : ({v}) -> tensor<6x1xi32>
        %11 = \"mhlo.reshape\"(%9#2) : ({v}) -> tensor<6x1xi32>
        %12 = \"mhlo.concatenate\"(%10, %11) {{dimension = 1 : i64}} : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
        %13 = \"mhlo.constant\"() {{value = dense<0> : tensor<i32>}} : () -> tensor<i32>
        %14 = \"mhlo.broadcast_in_dim\"(%13) {{broadcast_dimensions = dense<> : tensor<0xi64>}} : (tensor<i32>) -> {v}
        %15 = \"mhlo.compare\"(%4, %14) {{comparison_direction = #mhlo<comparison_direction GT>}} : ({v}, {v}) -> tensor<6xi1>
        %16 = \"mhlo.convert\"(%15) : (tensor<6xi1>) -> {v}
        %17 = \"mhlo.reduce\"(%16, %13) ({{ ^bb0({}): %20 = \"mhlo.add\"(%a0, %a1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
          \"mhlo.return\"(%20) : (tensor<i32>) -> () }}) {{dimensions = dense<0> : tensor<1xi64>}} : ({v}, tensor<i32>) -> tensor<i32>
        %18 = \"mhlo.set_dimension_size\"(%12, %17) {{dimension = 0 : i64}} : (tensor<6x2xi32>, tensor<i32>) -> {b}
        %19 = \"mhlo.tuple\"(%18) {{xla_shape = \"(s32[<=6,2]{{1,0}})\"}} : ({b}) -> tuple<{b}>
        return %19 : tuple<{b}> }}",
        pair("a"), pair("b"), pair("c"), pair("a")
    );
    let context = context();
    let module = Module::parse(&context, &text).expect("it parses");
    let (results, arguments) = ends(&module);
    let leaves = mapwright_ops::compose::leaves(results[0]);
    let maps = Composer::new()
        .backward(leaves[0])
        .maps(arguments[0])
        .unwrap_or_default()
        .to_vec();
    // Every position is decided by the whole row: by the sort, and by the count of the run-time
    // size.
    assert_eq!(
        texts(&maps),
        [
            "(d0, d1)[s0]{rt0} -> (0, s0), domain: d0 in [0, 5], d1 in [0, 1], s0 in [0, 5], rt0 in [1, 6], d0 - rt0 in [-6, -1]"
        ]
    );
    // The run-time shape of the result: the size of dimension 0 is the count.
    let (count, scalar) = mapwright_ops::sizes::origin(leaves[0], 0);
    assert!(scalar);
    assert_eq!(maps[0].runtime()[0].origin.value, count);
    let body = op::ops(main_function(&module).body(0).unwrap());
    let reduce = body
        .iter()
        .find(|operation| operation.short_name() == "reduce")
        .unwrap();
    assert_eq!(op::label(reduce.result(0)), count);
}

#[test]
fn run_time_sizes_in_formulas() {
    let bounded = |n: i64| format!("tensor<?xf32, #stablehlo.bounds<{n}>>");
    let (a, b, c) = (bounded(3), bounded(5), bounded(8));
    let concatenate = one(
        &[&a, &b],
        &format!(
            "\"stablehlo.concatenate\"(%arg0, %arg1) {{dimension = 0 : i64}} : ({a}, {b}) -> {c}"
        ),
        &c,
    );
    let context = context();
    let module = Module::parse(&context, &concatenate).unwrap();
    let (results, arguments) = ends(&module);
    let reached = Composer::new().backward(results[0]);
    // By enumeration: for all run-time sizes, element i is element i of the first or element i - n
    // of the second operand.
    for (k, argument) in arguments.iter().enumerate() {
        for (n, m) in (0..=3).flat_map(|n| (0..=5).map(move |m| (n, m))) {
            let mut found = std::collections::BTreeSet::new();
            for map in reached.maps(*argument).unwrap_or_default() {
                let values: Vec<i64> = map
                    .runtime()
                    .iter()
                    .map(|v| match v.origin.value.as_str() {
                        "get_dimension_size(%arg0, 0)" => n,
                        "get_dimension_size(%arg1, 0)" => m,
                        _ => n + m,
                    })
                    .collect();
                for i in 0..8 {
                    found.extend(map.eval(&[i], &[], &values).unwrap().map(|at| (i, at[0])));
                }
            }
            let expected = if k == 0 {
                (0..n).map(|i| (i, i)).collect()
            } else {
                (0..m).map(|i| (n + i, i)).collect()
            };
            assert_eq!(
                found,
                expected,
                "operand {k} for sizes {n} and {m}: {:?}",
                reached.maps(*argument)
            );
        }
    }
    let reverse = one(
        &[&b],
        &format!("\"stablehlo.reverse\"(%arg0) {{dimensions = array<i64: 0>}} : ({b}) -> {b}"),
        &b,
    );
    assert_eq!(
        composed(&reverse, 0),
        ["(d0){rt0} -> (-d0 + rt0 - 1), domain: d0 in [0, 4], rt0 in [1, 5], d0 - rt0 in [-5, -1]"]
    );
}

#[test]
fn replicas_in_compositions() {
    let ty = "tensor<4x2xf32>";
    let text = format!(
        "func.func @f(%arg0: {ty}) -> tensor<2x8xf32> {{
        %0 = \"stablehlo.all_gather\"(%arg0) {{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : ({ty}) -> tensor<8x2xf32>
        %1 = \"stablehlo.transpose\"(%0) {{permutation = array<i64: 1, 0>}} : (tensor<8x2xf32>) -> tensor<2x8xf32>
        return %1 : tensor<2x8xf32> }}"
    );
    assert_eq!(
        composed(&text, 0),
        [
            "(replica, d1, d2) -> (d2 floordiv 4, d2 mod 4, d1), domain: replica in [0, 1], d1 in [0, 1], d2 in [0, 7]"
        ]
    );
}

/// All maps of the big transformer, timed: `MAPWRIGHT_SHARED` or `../shared` has it; without it
/// there is nothing to time.
#[test]
fn big_transformer() {
    let Some(path) = shared::shared("bench/programs/big_transformer_48.mlir") else {
        return;
    };
    let text = std::fs::read_to_string(&path).unwrap();
    let context = mapwright_mlir::context::context();
    let start = std::time::Instant::now();
    let Some(module) = Module::parse(&context, &text) else {
        panic!("{} does not parse", path.display());
    };
    let parsing = start.elapsed();
    let all = mapwright_ops::operations(Op::new(module.as_operation()));
    let start = std::time::Instant::now();
    let composer = Composer::new();
    let mut maps = 0;
    for operation in &all {
        for result in 0..operation.num_results() {
            maps += composer
                .output_to_input(*operation, result)
                .iter()
                .map(|found| found.maps.len())
                .sum::<usize>();
        }
    }
    let single = start.elapsed();
    // Regions of the size of a fusion: back from every contraction to the contractions before it.
    let start = std::time::Instant::now();
    let mut reached = 0;
    for operation in all
        .iter()
        .filter(|operation| operation.short_name() == "dot_general")
    {
        for operand in operation.operands() {
            reached += composer
                .backward_within(operand, |op| {
                    op.short_name() != "dot_general" && op.short_name() != "reduce"
                })
                .iter()
                .count();
        }
    }
    let regions = start.elapsed();
    eprintln!(
        "{} operations, {maps} maps; parsing {parsing:?}, maps {single:?} ({:.2} us an operation), regions {regions:?} ({reached} values)",
        all.len(),
        single.as_secs_f64() * 1e6 / all.len() as f64
    );
    assert!(all.len() > 1000 && maps > all.len());
}
