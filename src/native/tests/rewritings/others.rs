//! Scans, selections, constants, and what is handed on.

use super::text::{constant, program, tensor};
use fastrand::Rng;

pub fn scan(rng: &mut Rng) -> String {
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

pub fn top_k(rng: &mut Rng) -> String {
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

pub fn constant_like(rng: &mut Rng) -> String {
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
pub fn handed_on(rng: &mut Rng) -> String {
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
