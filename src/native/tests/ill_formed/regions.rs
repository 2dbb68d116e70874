//! Operations with regions: bodies with too few, too many and no arguments, of other types, without
//! a block, an operation or a terminator.

use super::said;

/// An operation in generic form, around bodies that return constants.
struct Around {
    name: &'static str,
    operands: &'static [&'static str],
    attributes: &'static str,
    /// Of each region: types of the arguments and of what is returned.
    regions: &'static [(&'static [&'static str], &'static [&'static str])],
    results: &'static [&'static str],
    /// Is the native backend expected to compile it?
    compiles: bool,
}

const S: &str = "tensor<f32>";
const V: &str = "tensor<4xf32>";
const B: &str = "tensor<i1>";

const fn op(
    name: &'static str,
    operands: &'static [&'static str],
    attributes: &'static str,
    regions: &'static [(&'static [&'static str], &'static [&'static str])],
    results: &'static [&'static str],
) -> Around {
    Around {
        name,
        operands,
        attributes,
        regions,
        results,
        compiles: true,
    }
}

const fn foreign(around: Around) -> Around {
    Around {
        compiles: false,
        ..around
    }
}

const WINDOW: &str = "window_dimensions = array<i64: 2>, window_strides = array<i64: 2>";
const SCATTER: &str = "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], \
     scatter_dims_to_operand_dims = [0], index_vector_dim = 1>";
const GROUPS: &str = "replica_groups = dense<0> : tensor<1x1xi64>";

const OPS: &[Around] = &[
    op(
        "reduce",
        &[V, S],
        "dimensions = array<i64: 0>",
        &[(&[S, S], &[S])],
        &[S],
    ),
    op(
        "reduce_window",
        &[V, S],
        WINDOW,
        &[(&[S, S], &[S])],
        &["tensor<2xf32>"],
    ),
    op(
        "select_and_scatter",
        &[V, "tensor<2xf32>", S],
        WINDOW,
        &[(&[S, S], &[B]), (&[S, S], &[S])],
        &[V],
    ),
    op(
        "scatter",
        &[V, "tensor<1x1xi32>", "tensor<1xf32>"],
        SCATTER,
        &[(&[S, S], &[S])],
        &[V],
    ),
    op(
        "sort",
        &[V],
        "dimension = 0 : i64",
        &[(&[S, S], &[B])],
        &[V],
    ),
    op(
        "map",
        &[V],
        "dimensions = array<i64: 0>",
        &[(&[S], &[S])],
        &[V],
    ),
    op("while", &[S], "", &[(&[S], &[B]), (&[S], &[S])], &[S]),
    op("if", &[B], "", &[(&[], &[S]), (&[], &[S])], &[S]),
    op(
        "case",
        &["tensor<i32>"],
        "",
        &[(&[], &[S]), (&[], &[S])],
        &[S],
    ),
    op("all_reduce", &[V], GROUPS, &[(&[S, S], &[S])], &[V]),
    op(
        "reduce_scatter",
        &[V],
        "scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>",
        &[(&[S, S], &[S])],
        &[V],
    ),
    foreign(op(
        "async_start",
        &[V],
        "",
        &[(&[V], &[V])],
        &["!stablehlo.future<tensor<4xf32>>"],
    )),
];

const ONLY_MHLO: &[Around] = &[op("fusion", &[V], "", &[(&[V], &[V])], &[V])];

const ONLY_CHLO: &[Around] = &[op(
    "scan",
    &[V, S],
    "dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>",
    &[(&[S, S], &[S, S])],
    &[V, S],
)];

const OTHERS: &[Around] = &[
    foreign(op(
        "sdy.manual_computation",
        &[V],
        "in_shardings = #sdy.sharding_per_value<[<@mesh, [{}]>]>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}]>]>, \
         manual_axes = #sdy<manual_axes{}>",
        &[(&[V], &[V])],
        &[V],
    )),
    foreign(op(
        "sdy.named_computation",
        &[V],
        "name = \"f\"",
        &[(&[V], &[V])],
        &[V],
    )),
    foreign(op("indexing.fusion", &[V], "", &[(&[V], &[V])], &[V])),
];

/// A body: its blocks, as text.
fn body(arguments: &[String], returned: &[String], end: &str) -> String {
    let listed: Vec<String> = arguments
        .iter()
        .enumerate()
        .map(|(i, ty)| format!("%x{i}: {ty}"))
        .collect();
    let mut text = if listed.is_empty() {
        String::new()
    } else {
        format!("  ^bb0({}):\n", listed.join(", "))
    };
    let mut names = Vec::new();
    for (i, ty) in returned.iter().enumerate() {
        let zero = if ty.contains("i1") {
            "false"
        } else if ty.contains('f') {
            "0.0"
        } else {
            "0"
        };
        text += &format!("    %y{i} = stablehlo.constant dense<{zero}> : {ty}\n");
        names.push(format!("%y{i}"));
    }
    if end.is_empty() {
        return text;
    }
    let types = returned.join(", ");
    text + &format!("    \"{end}\"({}) : ({types}) -> ()\n", names.join(", "))
}

/// Bodies that are not what an operation of these types has, the right one first.
fn bodies(arguments: &[&str], returned: &[&str], end: &str) -> Vec<String> {
    let list = |types: &[&str]| types.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (arguments, returned) = (list(arguments), list(returned));
    let with = |mut types: Vec<String>, more: &str| {
        types.push(more.into());
        types
    };
    let mut all = vec![
        body(&arguments, &returned, end),
        body(&[], &returned, end),
        body(&with(arguments.clone(), S), &returned, end),
        body(&with(arguments.clone(), "!stablehlo.token"), &returned, end),
        body(&with(arguments.clone(), "i32"), &returned, end),
        body(&arguments, &[], end),
        body(&arguments, &with(returned.clone(), S), end),
        body(&arguments, &returned, ""),
        body(&arguments, &returned, "func.return"),
        body(&arguments, &returned, "indexing.yield"),
        body(&arguments, &returned, "chlo.erf"),
        String::new(),
        "  ^bb0:\n".into(),
        // Two blocks.
        format!(
            "{}  ^bb1:\n{}",
            body(&arguments, &returned, end),
            body(&[], &returned, end)
        ),
    ];
    if let Some((_, few)) = arguments.split_last() {
        all.push(body(few, &returned, end));
        for ty in [
            "tensor<7xf64>",
            "tensor<?xf32>",
            "tensor<*xf32>",
            "f32",
            "tuple<tensor<f32>>",
        ] {
            all.push(body(&with(few.to_vec(), ty), &returned, end));
        }
        all.push(body(&vec!["i1".to_string(); 40], &returned, end));
    }
    for ty in ["tensor<7xf64>", "tensor<9xf32>"] {
        all.push(body(&arguments, &[ty.to_string()], end));
    }
    all
}

fn program(around: &Around, name: &str, regions: &[String]) -> String {
    let mut text = String::from("sdy.mesh @mesh = <[\"x\"=1]>\nfunc.func @main() {\n");
    let mut names = Vec::new();
    for (i, ty) in around.operands.iter().enumerate() {
        let zero = if ty.contains("i1>") {
            "false"
        } else if ty.contains('f') {
            "0.0"
        } else {
            "0"
        };
        text += &format!("  %a{i} = stablehlo.constant dense<{zero}> : {ty}\n");
        names.push(format!("%a{i}"));
    }
    let regions: Vec<String> = regions
        .iter()
        .map(|body| format!("{{\n{body}  }}"))
        .collect();
    text + &format!(
        "  %r:{} = \"{name}\"({}) ({}) {{{}}} : ({}) -> ({})\n  return\n}}\n",
        around.results.len(),
        names.join(", "),
        regions.join(", "),
        around.attributes,
        around.operands.join(", "),
        around.results.join(", ")
    )
}

fn survives(text: &str) -> bool {
    let Some(told) = said(text) else {
        return true;
    };
    assert!(
        told.contains("test:") && told.contains("error: "),
        "{told}\n{text}"
    );
    false
}

fn enumerate(around: &Around, name: &str, end: &str) -> usize {
    let right: Vec<String> = around
        .regions
        .iter()
        .map(|(arguments, returned)| bodies(arguments, returned, end)[0].clone())
        .collect();
    let runs = survives(&program(around, name, &right));
    assert!(
        runs || !around.compiles,
        "{}\n{:?}",
        program(around, name, &right),
        said(&program(around, name, &right))
    );
    let mut count = 0;
    for (i, (arguments, returned)) in around.regions.iter().enumerate() {
        for body in bodies(arguments, returned, end).into_iter().skip(1) {
            let mut regions = right.clone();
            regions[i] = body;
            survives(&program(around, name, &regions));
            count += 1;
        }
    }
    // Too few regions, and too many.
    survives(&program(around, name, &right[1..]));
    let more = [right.clone(), vec![right[0].clone()]].concat();
    survives(&program(around, name, &more));
    count + 2
}

#[test]
fn bodies_of_stablehlo() {
    let all = OPS.iter().chain(ONLY_CHLO);
    let count: usize = all
        .map(|around| {
            let dialect = if around.name == "scan" {
                "chlo"
            } else {
                "stablehlo"
            };
            enumerate(
                around,
                &format!("{dialect}.{}", around.name),
                "stablehlo.return",
            )
        })
        .sum();
    assert!(count > 200, "{count}");
}

#[test]
fn bodies_of_mhlo() {
    for around in OPS.iter().chain(ONLY_MHLO) {
        if around.name == "async_start" {
            continue;
        }
        let text = around.attributes.replace("#stablehlo.", "#mhlo.");
        let ty = "array<i64: ";
        // MHLO has lists of integers as tensors.
        let mut attributes = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once(ty) {
            let (value, behind) = after.split_once('>').unwrap();
            attributes += &format!("{before}dense<{value}> : tensor<1xi64>");
            rest = behind;
        }
        attributes += rest;
        let around = Around {
            attributes: attributes.leak(),
            ..*around
        };
        enumerate(&around, &format!("mhlo.{}", around.name), "mhlo.return");
    }
}

#[test]
fn bodies_of_other_dialects() {
    for around in OTHERS {
        let end = match around.name.split_once('.') {
            Some(("sdy", _)) => "sdy.return",
            _ => "indexing.yield",
        };
        enumerate(around, around.name, end);
    }
}

/// The forms that people read, with something left out or added.
#[test]
fn bodies_in_pretty_forms() {
    let head = "sdy.mesh @mesh = <[\"x\"=1]>\nfunc.func @main() {\n  %v = stablehlo.constant dense<0.0> : tensor<4xf32>\n  \
                %s = stablehlo.constant dense<0.0> : tensor<f32>\n  %p = stablehlo.constant dense<false> : tensor<i1>\n";
    let bodies = [
        "",
        "stablehlo.return",
        "stablehlo.return %s : tensor<f32>",
        "stablehlo.return %p : tensor<i1>",
        "stablehlo.return %s, %s : tensor<f32>, tensor<f32>",
        "sdy.return %v : tensor<4xf32>",
        "func.return",
        "^bb0:",
        "^bb0(%q: tensor<f32>): stablehlo.return %q : tensor<f32>",
        "^bb0(%q: i32): stablehlo.return %q : i32",
        "stablehlo.return %s : tensor<f32>\n ^bb1: stablehlo.return %s : tensor<f32>",
    ];
    for body in bodies {
        for (before, after) in [
            (
                "%0 = stablehlo.while(%x = %s) : tensor<f32> cond {",
                "} do { stablehlo.return %x : tensor<f32> }",
            ),
            (
                "%0 = stablehlo.while(%x = %s) : tensor<f32> cond { stablehlo.return %p : tensor<i1> } do {",
                "}",
            ),
            ("stablehlo.while() cond {", "} do { stablehlo.return }"),
            (
                "%0 = mhlo.while(%x = %s) : tensor<f32> cond {",
                "} do { mhlo.return %x : tensor<f32> }",
            ),
            (
                "%0 = stablehlo.reduce(%v init: %s) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> reducer(%x: tensor<f32>, %y: tensor<f32>) {",
                "}",
            ),
            (
                "%0 = stablehlo.reduce(%v init: %s) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> reducer() {",
                "}",
            ),
            (
                "%0, %1 = chlo.scan(%v) inits (%s) dimension=0 {",
                "} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)",
            ),
            (
                "%0 = sdy.manual_computation(%v) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={} (%x: tensor<4xf32>) {",
                "} : (tensor<4xf32>) -> tensor<4xf32>",
            ),
            (
                "%0 = sdy.named_computation<\"f\">(%v) (%x: tensor<4xf32>) {",
                "} : (tensor<4xf32>) -> tensor<4xf32>",
            ),
        ] {
            survives(&format!("{head}  {before} {body} {after}\n  return\n}}\n"));
        }
    }
    for reduce in [
        "stablehlo.reduce(%v init: %s) applies chlo.erf across dimensions = [0]",
        "stablehlo.reduce(%v init: %s) applies stablehlo.while across dimensions = [0]",
        "stablehlo.reduce(%v init: %s) applies func.return across dimensions = [0]",
        "stablehlo.reduce(%v init: %s) applies stablehlo.constant across dimensions = [0]",
        "stablehlo.reduce() applies stablehlo.add across dimensions = [0]",
        "stablehlo.reduce(%v init: %s), (%v init: %s) applies stablehlo.add across dimensions = [0]",
        "mhlo.reduce(%v init: %s) applies mhlo.fusion across dimensions = [0]",
    ] {
        survives(&format!(
            "{head}  %0 = {reduce} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n  return\n}}\n"
        ));
    }
}
