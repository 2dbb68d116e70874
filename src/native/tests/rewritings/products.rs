//! Products in groups, and operations of operands that are broadcast.

use super::text::{array, constant, list, program, tensor};
use fastrand::Rng;

/// A product in groups: what is batched, contracted and free on both sides, in any order.
pub fn ragged_dot(rng: &mut Rng) -> String {
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

/// Two shapes that can be broadcast, and the common one; and what says how, where NumPy's way is
/// not taken.
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

pub fn broadcast(rng: &mut Rng) -> String {
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

/// A product of real or complex numbers, with an operand that is the same along some dimensions of
/// the batch.
pub fn shared(rng: &mut Rng) -> String {
    let element = ["f32", "complex<f32>", "complex<f64>", "i32", "f64"][rng.usize(..5)];
    let mut sizes = std::collections::BTreeMap::new();
    let mut some = |rng: &mut Rng, kind: char, count: usize, most: i64| -> Vec<String> {
        (0..count)
            .map(|i| {
                let name = format!("{kind}{i}");
                sizes.insert(name.clone(), rng.i64(1..=most));
                name
            })
            .collect()
    };
    let batches = rng.usize(0..=2);
    let batch = some(rng, 'b', batches, 4);
    let contracted = some(rng, 'c', 1, 24);
    let (rows, columns) = (rng.usize(0..=2), rng.usize(0..=1));
    let (rows, columns) = (some(rng, 'l', rows, 9), some(rng, 'r', columns, 40));
    let mut body = String::new();
    let mut sides = Vec::new();
    for (name, free) in [("l", &rows), ("r", &columns)] {
        let mut dims = [batch.clone(), contracted.clone(), free.clone()].concat();
        rng.shuffle(&mut dims);
        let shape: Vec<i64> = dims.iter().map(|d| sizes[d]).collect();
        let whole = tensor(&shape, element);
        // Spread over some of the batch's dimensions, and moved about.
        let kept: Vec<usize> = (0..dims.len())
            .filter(|d| !dims[*d].starts_with('b') || rng.bool())
            .collect();
        let small: Vec<i64> = kept.iter().map(|d| shape[*d]).collect();
        let from = tensor(&small, element);
        body += &constant(rng, &format!("{name}0"), &small, element, -3..=3, false);
        let to: Vec<i64> = kept.iter().map(|d| *d as i64).collect();
        body += &format!(
            "  %{name}1 = stablehlo.broadcast_in_dim %{name}0, dims = {} : ({from}) -> {whole}\n",
            list(&to)
        );
        body += &match rng.usize(..3) {
            0 => format!("  %{name} = stablehlo.add %{name}1, %{name}1 : {whole}\n"),
            1 => {
                let apart = tensor(&[&[1], &shape[..], &[1]].concat(), element);
                format!(
                    "  %{name}2 = stablehlo.reshape %{name}1 : ({whole}) -> {apart}\n  %{name} = stablehlo.reshape %{name}2 : ({apart}) -> {whole}\n"
                )
            }
            _ => {
                let mut order: Vec<usize> = (0..shape.len()).collect();
                rng.shuffle(&mut order);
                dims = order.iter().map(|d| dims[*d].clone()).collect();
                let moved: Vec<i64> = order.iter().map(|d| shape[*d]).collect();
                let order: Vec<i64> = order.iter().map(|d| *d as i64).collect();
                format!(
                    "  %{name} = stablehlo.transpose %{name}1, dims = {} : ({whole}) -> {}\n",
                    list(&order),
                    tensor(&moved, element)
                )
            }
        };
        sides.push(dims);
    }
    let at = |side: &[String], dims: &[String]| -> String {
        let places: Vec<i64> = dims
            .iter()
            .map(|d| side.iter().position(|other| other == d).unwrap() as i64)
            .collect();
        list(&places)
    };
    let free = |side: &[String], kind: char| -> Vec<String> {
        let own = side.iter().filter(|d| d.starts_with(kind));
        own.cloned().collect()
    };
    let shape = |dims: &[String]| -> Vec<i64> { dims.iter().map(|d| sizes[d]).collect() };
    let out = [batch.clone(), free(&sides[0], 'l'), free(&sides[1], 'r')].concat();
    let o = tensor(&shape(&out), element);
    body += &format!(
        "  %0 = stablehlo.dot_general %l, %r, batching_dims = {} x {}, contracting_dims = {} x {} : ({}, {}) -> {o}\n",
        at(&sides[0], &batch),
        at(&sides[1], &batch),
        at(&sides[0], &contracted),
        at(&sides[1], &contracted),
        tensor(&shape(&sides[0]), element),
        tensor(&shape(&sides[1]), element),
    );
    program(&body, &[("%0", o)])
}
