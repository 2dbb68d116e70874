//! Operations that only CHLO and MHLO have, with every mode of their attributes: what they become, compiled and evaluated, against the
//! interpreter's own definition of them.
//!
//! Numbers are small and whole, so that every order of a sum gives the same. `SEED=1 COUNT=1000 cargo test … many -- --ignored` runs many.

// A failing helper is a failing test.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use fastrand::Rng;
use mapwright_interpret::{Options, Scalar, Tensor, Value, run};
use mapwright_mlir::{Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions};
use mapwright_normalize::{
    chlo,
    mhlo::{self, Direction},
    verify,
};

fn list(values: &[i64]) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    format!("[{}]", values.join(", "))
}

fn array(values: &[i64]) -> String {
    match values {
        [] => "array<i64>".into(),
        _ => format!("array<i64: {}>", list(values).trim_matches(['[', ']'])),
    }
}

fn tensor(shape: &[i64], element: &str) -> String {
    let sizes: String = shape.iter().map(|n| format!("{n}x")).collect();
    format!("tensor<{sizes}{element}>")
}

/// A constant of small whole numbers in `range`; now and then a NaN or an infinity where `special` says so.
fn constant(
    rng: &mut Rng,
    name: &str,
    shape: &[i64],
    element: &str,
    range: std::ops::RangeInclusive<i64>,
    special: bool,
) -> String {
    let ty = tensor(shape, element);
    let mut one = || {
        let n = rng.i64(range.clone());
        if special && element == "f32" && rng.u8(..5) == 0 {
            let bits = [
                "0x7FC00000",
                "0xFFC00000",
                "0x7F800000",
                "0xFF800000",
                "-0.0",
            ];
            return bits[rng.usize(..bits.len())].to_string();
        }
        match element {
            "i1" => (n % 2 == 0).to_string(),
            e if e.starts_with("ui") => n.abs().to_string(),
            e if e.starts_with("complex") => format!("({n}.0, {}.0)", rng.i64(-2..=2)),
            e if e.contains('f') => format!("{n}.0"),
            _ => n.to_string(),
        }
    };
    fn nested(shape: &[i64], one: &mut impl FnMut() -> String) -> String {
        match shape.split_first() {
            None => one(),
            Some((n, rest)) => {
                let parts: Vec<String> = (0..*n).map(|_| nested(rest, one)).collect();
                format!("[{}]", parts.join(", "))
            }
        }
    }
    let value = match shape.contains(&0) {
        true => String::new(),
        false => nested(shape, &mut one),
    };
    format!("  %{name} = stablehlo.constant dense<{value}> : {ty}\n")
}

fn program(body: &str, results: &[(&str, String)]) -> String {
    let names: Vec<&str> = results.iter().map(|(name, _)| *name).collect();
    let types: Vec<&str> = results.iter().map(|(_, ty)| ty.as_str()).collect();
    format!(
        "func.func @main() -> ({}) {{\n{body}  return {} : {}\n}}\n",
        types.join(", "),
        names.join(", "),
        types.join(", ")
    )
}

/// A product in groups: what is batched, contracted and free on both sides, in any order.
fn ragged_dot(rng: &mut Rng) -> String {
    // `b0`, `c0`, `l0`, `r0`: dimensions by what they are, and the group of the right side.
    let mut sizes = std::collections::BTreeMap::new();
    let mut some = |rng: &mut Rng, kind: char, least: usize, most: usize| -> Vec<String> {
        (0..rng.usize(least..=most))
            .map(|i| {
                let name = format!("{kind}{i}");
                sizes.insert(name.clone(), rng.i64(1..=4));
                name
            })
            .collect()
    };
    let mode = rng.usize(..3);
    let batch = some(rng, 'b', usize::from(mode == 2), 2);
    let contracted = some(rng, 'c', usize::from(mode == 1), 2);
    let rows = some(rng, 'l', usize::from(mode == 0), 2);
    let columns = some(rng, 'r', 0, 2);
    let groups = rng.i64(1..=4);
    sizes.insert("g".into(), groups);
    let mut lhs = [batch.clone(), contracted.clone(), rows.clone()].concat();
    let mut rhs = [batch.clone(), contracted.clone(), columns].concat();
    if mode == 0 {
        rhs.push("g".into());
    }
    rng.shuffle(&mut lhs);
    rng.shuffle(&mut rhs);
    let free = |side: &[String], kind: char| -> Vec<String> {
        side.iter()
            .filter(|d| d.starts_with(kind))
            .cloned()
            .collect()
    };
    let (rows, columns) = (free(&lhs, 'l'), free(&rhs, 'r'));
    let of_kind = [&rows, &contracted, &batch][mode].clone();
    let ragged = of_kind[rng.usize(..of_kind.len())].clone();
    let before: Vec<String> = of_kind
        .iter()
        .take_while(|d| **d != ragged)
        .cloned()
        .collect();
    let own = match mode {
        2 => before,
        _ => [batch.clone(), before].concat(),
    };
    let shape = |dims: &[String]| -> Vec<i64> { dims.iter().map(|d| sizes[d]).collect() };
    let at = |side: &[String], dims: &[String]| -> String {
        let places: Vec<i64> = dims
            .iter()
            .map(|d| side.iter().position(|other| other == d).unwrap() as i64)
            .collect();
        list(&places)
    };
    let mut of_sizes = if rng.bool() { shape(&own) } else { Vec::new() };
    of_sizes.push(groups);
    let mut out = [batch.clone(), rows, columns].concat();
    if mode == 1 {
        out.insert(0, "g".into());
    }
    let element = ["f32", "f64", "i32", "bf16"][rng.usize(..4)];
    let index = ["i32", "i64"][rng.usize(..2)];
    let group = match mode {
        0 => at(&rhs, &["g".to_string()]),
        _ => "[]".into(),
    };
    let (l, r, o) = (
        tensor(&shape(&lhs), element),
        tensor(&shape(&rhs), element),
        tensor(&shape(&out), element),
    );
    let mut body = constant(rng, "l", &shape(&lhs), element, -3..=3, false);
    body += &constant(rng, "r", &shape(&rhs), element, -3..=3, false);
    body += &constant(rng, "s", &of_sizes, index, 0..=2, false);
    body += &format!(
        "  %0 = \"chlo.ragged_dot\"(%l, %r, %s) {{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = {}, \
         rhs_batching_dimensions = {}, lhs_contracting_dimensions = {}, rhs_contracting_dimensions = {}, lhs_ragged_dimensions = {}, \
         rhs_group_dimensions = {group}>}} : ({l}, {r}, {}) -> {o}\n",
        at(&lhs, &batch),
        at(&rhs, &batch),
        at(&lhs, &contracted),
        at(&rhs, &contracted),
        at(&lhs, &[ragged]),
        tensor(&of_sizes, index),
    );
    program(&body, &[("%0", o)])
}

/// Two shapes that can be broadcast, and the common one; and what says how, where NumPy's way is not taken.
fn shapes(rng: &mut Rng) -> (Vec<i64>, Vec<i64>, Vec<i64>, Option<Vec<i64>>) {
    let full: Vec<i64> = (0..rng.usize(0..=3)).map(|_| rng.i64(1..=4)).collect();
    let mut kept: Vec<i64> = (0..full.len() as i64).collect();
    for _ in 0..rng.usize(0..=full.len()) {
        kept.remove(rng.usize(..kept.len()));
    }
    let explicit = rng.bool();
    if !explicit {
        kept = (0..full.len() as i64).rev().take(kept.len()).collect();
        kept.reverse();
    }
    let mut small: Vec<i64> = kept.iter().map(|d| full[*d as usize]).collect();
    let mut large = full.clone();
    for (i, d) in kept.iter().enumerate() {
        match rng.u8(..4) {
            0 => small[i] = 1,
            1 => large[*d as usize] = 1,
            _ => {}
        }
    }
    let mut out = large.clone();
    for (i, d) in kept.iter().enumerate() {
        out[*d as usize] = out[*d as usize].max(small[i]);
    }
    (large, small, out, explicit.then_some(kept))
}

fn broadcast(rng: &mut Rng) -> String {
    let names = [
        "add",
        "subtract",
        "multiply",
        "divide",
        "remainder",
        "maximum",
        "minimum",
        "power",
        "and",
        "or",
        "xor",
        "shift_left",
        "shift_right_arithmetic",
        "shift_right_logical",
        "complex",
        "compare",
        "compare",
        "compare",
        "select",
    ];
    let name = names[rng.usize(..names.len())];
    let elements: &[&str] = match name {
        "and" | "or" | "xor" => &["i1", "i32", "ui8"],
        "shift_left" | "shift_right_arithmetic" | "shift_right_logical" => &["i32", "ui16", "i8"],
        "complex" => &["f32", "f64"],
        "power" => &["i32", "ui32"],
        "add" | "subtract" | "multiply" => &["f32", "i32", "complex<f32>", "bf16"],
        _ => &["f32", "i32", "f64", "ui8"],
    };
    let element = elements[rng.usize(..elements.len())];
    let (large, small, out, dims) = shapes(rng);
    let swapped = rng.bool();
    let (a, b) = if swapped {
        (&small, &large)
    } else {
        (&large, &small)
    };
    let mut attributes = Vec::new();
    if let (Some(dims), false) = (&dims, name == "select") {
        attributes.push(format!("broadcast_dimensions = {}", array(dims)));
    }
    if name == "select" && dims.is_some() {
        return broadcast(rng);
    }
    let to = match name {
        "compare" => "i1".to_string(),
        "complex" => format!("complex<{element}>"),
        _ => element.to_string(),
    };
    if name == "compare" {
        let direction = ["EQ", "NE", "LT", "LE", "GT", "GE"][rng.usize(..6)];
        attributes.push(format!(
            "comparison_direction = #chlo<comparison_direction {direction}>"
        ));
        let kind = match element {
            e if e.contains('f') => ["FLOAT", "TOTALORDER"][rng.usize(..2)],
            e if e.starts_with('u') => "UNSIGNED",
            _ => "SIGNED",
        };
        if rng.bool() {
            attributes.push(format!("compare_type = #chlo<comparison_type {kind}>"));
        }
    }
    let special = matches!(name, "compare" | "select");
    let mut body = constant(rng, "a", a, element, 1..=3, special);
    body += &constant(rng, "b", b, element, 1..=3, special);
    let (mut operands, mut types) = (
        vec!["%a", "%b"],
        vec![tensor(a, element), tensor(b, element)],
    );
    if name == "select" {
        let (shape, place) = if rng.bool() {
            (&large, "p")
        } else {
            (&small, "p")
        };
        body += &constant(rng, place, shape, "i1", 0..=1, false);
        operands.insert(0, "%p");
        types.insert(0, tensor(shape, "i1"));
    }
    let o = tensor(&out, &to);
    body += &format!(
        "  %0 = \"chlo.broadcast_{name}\"({}) {{{}}} : ({}) -> {o}\n",
        operands.join(", "),
        attributes.join(", "),
        types.join(", ")
    );
    program(&body, &[("%0", o)])
}

fn scan(rng: &mut Rng) -> String {
    let rank = rng.usize(1..=3);
    let shape: Vec<i64> = (0..rank).map(|_| rng.i64(1..=4)).collect();
    let d = rng.usize(..rank);
    let element = ["f32", "i32"][rng.usize(..2)];
    let mut slice = shape.clone();
    slice.remove(d);
    let (inputs, carries) = (rng.usize(0..=2), rng.usize(1..=2));
    let outputs = rng.usize(0..=2);
    let (whole, part) = (tensor(&shape, element), tensor(&slice, element));
    let mut body = String::new();
    let mut operands = Vec::new();
    let mut types = Vec::new();
    for i in 0..inputs {
        body += &constant(rng, &format!("x{i}"), &shape, element, -3..=3, false);
        operands.push(format!("%x{i}"));
        types.push(whole.clone());
    }
    for i in 0..carries {
        body += &constant(rng, &format!("c{i}"), &slice, element, -3..=3, false);
        operands.push(format!("%c{i}"));
        types.push(part.clone());
    }
    let arguments: Vec<String> = (0..inputs + carries)
        .map(|i| format!("%a{i}: {part}"))
        .collect();
    let mut inside = format!("    %s0 = stablehlo.subtract %a{}, %a0 : {part}\n", inputs);
    inside += &format!(
        "    %s1 = stablehlo.maximum %s0, %a{} : {part}\n",
        inputs + carries - 1
    );
    let returned: Vec<&str> = (0..outputs + carries)
        .map(|i| ["%s0", "%s1", "%a0"][i % 3])
        .collect();
    let mut attributes = vec![
        format!("dimension = {d} : i64"),
        format!("operandSegmentSizes = array<i32: {inputs}, {carries}>"),
        format!("resultSegmentSizes = array<i32: {outputs}, {carries}>"),
    ];
    if rng.bool() {
        attributes.push(format!("is_reverse = {}", rng.bool()));
    }
    if rng.bool() {
        attributes.push(format!("is_associative = {}", rng.bool()));
    }
    if rng.bool() || inputs + outputs == 0 {
        attributes.push(format!("scan_dim_size = {} : i64", shape[d]));
    }
    let results: Vec<(String, String)> = (0..outputs + carries)
        .map(|i| {
            let ty = if i < outputs { &whole } else { &part };
            (format!("%r#{i}"), ty.clone())
        })
        .collect();
    let to: Vec<&str> = results.iter().map(|(_, ty)| ty.as_str()).collect();
    body += &format!(
        "  %r:{} = \"chlo.scan\"({}) ({{\n  ^bb0({}):\n{inside}    stablehlo.return {} : {}\n  }}) {{{}}} : ({}) -> ({})\n",
        results.len(),
        operands.join(", "),
        arguments.join(", "),
        returned.join(", "),
        vec![part.as_str(); returned.len()].join(", "),
        attributes.join(", "),
        types.join(", "),
        to.join(", ")
    );
    let results: Vec<(&str, String)> = results
        .iter()
        .map(|(n, ty)| (n.as_str(), ty.clone()))
        .collect();
    program(&body, &results)
}

fn top_k(rng: &mut Rng) -> String {
    let mut shape: Vec<i64> = (0..rng.usize(1..=3)).map(|_| rng.i64(1..=5)).collect();
    let element = ["f32", "bf16", "i32", "ui8", "i1"][rng.usize(..5)];
    let k = rng.i64(0..=shape[shape.len() - 1]);
    let x = tensor(&shape, element);
    let mut body = constant(rng, "x", &shape, element, -3..=3, true);
    *shape.last_mut().unwrap() = k;
    let (values, places) = (tensor(&shape, element), tensor(&shape, "i32"));
    let (name, more) = match rng.u8(..3) {
        0 => ("chlo.top_k", String::new()),
        1 => ("mhlo.topk", String::new()),
        _ => ("mhlo.topk", format!(", largest = {}", rng.bool())),
    };
    body += &format!(
        "  %0, %1 = \"{name}\"(%x) {{k = {k} : i64{more}}} : ({x}) -> ({values}, {places})\n"
    );
    program(&body, &[("%0", values), ("%1", places)])
}

fn constant_like(rng: &mut Rng) -> String {
    let shape: Vec<i64> = (0..rng.usize(0..=2)).map(|_| rng.i64(1..=3)).collect();
    let (element, value) = [
        ("f32", "2.5 : f32"),
        ("f64", "0x7FF0000000000000 : f64"),
        ("bf16", "-1.5 : bf16"),
        ("f8E5M2", "1.5 : f8E5M2"),
        ("i32", "-7 : i32"),
        ("ui8", "200 : ui8"),
        ("i1", "true"),
        (
            "complex<f32>",
            "#complex.number<:f32 1.5, -2.0> : complex<f32>",
        ),
    ][rng.usize(..8)];
    let (x, o) = (tensor(&shape, "f32"), tensor(&shape, element));
    let body = constant(rng, "x", &shape, "f32", 0..=1, false)
        + &format!("  %0 = \"chlo.constant_like\"(%x) {{value = {value}}} : ({x}) -> {o}\n");
    program(&body, &[("%0", o)])
}

/// A fusion that takes all operands, some or none; copies, and what waits for a token.
fn handed_on(rng: &mut Rng) -> String {
    let shape: Vec<i64> = (0..rng.usize(1..=2)).map(|_| rng.i64(1..=4)).collect();
    let ty = tensor(&shape, "f32");
    let mut body = constant(rng, "x", &shape, "f32", -3..=3, false);
    body += &constant(rng, "y", &shape, "f32", -3..=3, false);
    let taken = rng.usize(0..=2);
    let arguments: Vec<String> = (0..taken).map(|i| format!("%a{i}: {ty}")).collect();
    let first = if taken > 0 { "%a0" } else { "%x" };
    let second = if taken > 1 { "%a1" } else { "%y" };
    let head = match taken {
        0 => String::new(),
        _ => format!("  ^bb0({}):\n", arguments.join(", ")),
    };
    body += &format!(
        "  %f:2 = \"mhlo.fusion\"(%x, %y) ({{\n{head}    %m = mhlo.multiply {first}, {second} : {ty}\n    \
         %s = mhlo.subtract %m, {first} : {ty}\n    \"mhlo.return\"(%s, {second}) : ({ty}, {ty}) -> ()\n  }}) : ({ty}, {ty}) -> ({ty}, {ty})\n"
    );
    body += &format!("  %c = mhlo.copy %f#0 : {ty}\n");
    body += "  %t = mhlo.create_token : !mhlo.token\n";
    body += &format!("  %d = mhlo.add_dependency %c, %t : ({ty}, !mhlo.token) -> {ty}\n");
    program(&body, &[("%d", ty.clone()), ("%f#1", ty)])
}

type Family = fn(&mut Rng) -> String;

const FAMILIES: &[(&str, Family, u64)] = &[
    ("ragged_dot", ragged_dot, 4),
    ("broadcast", broadcast, 4),
    ("scan", scan, 2),
    ("top_k", top_k, 2),
    ("constant_like", constant_like, 1),
    ("handed_on", handed_on, 1),
];

fn tensors(found: Vec<Value>) -> Vec<Tensor> {
    found
        .iter()
        .map(|value| value.tensor().cloned().expect("a tensor"))
        .collect()
}

/// NaN is NaN, whichever; zeros have signs.
fn same(a: &[Tensor], b: &[Tensor]) -> bool {
    let number = |x: f64, y: f64| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.shape == b.shape
                && a.element == b.element
                && a.data.iter().zip(&b.data).all(|(x, y)| match (x, y) {
                    (Scalar::Real(x), Scalar::Real(y)) => number(*x, *y),
                    (Scalar::Complex(a, b), Scalar::Complex(c, d)) => {
                        number(*a, *c) && number(*b, *d)
                    }
                    _ => x == y,
                })
        })
}

fn check(text: &str) {
    mapwright_ops::hooks::install();
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("test", text.as_bytes()) else {
        panic!("{}\n{text}", diagnostics.take());
    };
    let module = Op::new(module.as_operation());
    let evaluate = |what: &str| match run(module, "main", &[], &Options::default()) {
        Ok(found) => tensors(found),
        Err(error) => panic!("{what}: {error}\n{text}"),
    };
    let expected = evaluate("as it is");
    let options = CompileOptions {
        threads: 1,
        ..CompileOptions::default()
    };
    let native = match Executable::compile(module, &options) {
        Ok(executable) => executable.execute(&[], &ExecuteOptions::default()),
        Err(error) => panic!("{} {error}\n{text}", diagnostics.take()),
    };
    let native: Vec<Tensor> = native
        .expect("runs")
        .iter()
        .map(|t| Tensor::from_bytes(t.element(), t.shape(), t.bytes()).expect("a tensor"))
        .collect();
    assert!(same(&expected, &native), "{expected:?}\n{native:?}\n{text}");
    mhlo::convert(module, Direction::ToStablehlo).expect("MHLO is rewritten");
    chlo::legalize(module, &[]).expect("CHLO is rewritten");
    if verify::all(module, "legalise").is_err() {
        panic!("{}\n{text}", diagnostics.take());
    }
    let rewritten = evaluate("rewritten");
    assert!(
        same(&expected, &rewritten),
        "{expected:?}\n{rewritten:?}\n{text}\n{module:?}"
    );
}

fn search(first: u64, count: u64) {
    for seed in first..first + count {
        for (_, family, weight) in FAMILIES {
            for turn in 0..*weight {
                let mut rng =
                    Rng::with_seed((seed * 16 + turn).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                check(&family(&mut rng));
            }
        }
    }
}

#[test]
fn some() {
    search(1, 8);
}

#[test]
#[ignore = "takes as long as one wants"]
fn many() {
    let number = |name: &str, otherwise: u64| {
        let text = std::env::var(name).ok();
        text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    search(number("SEED", 1), number("COUNT", 200));
}
