//! Loops over small states: products whose rows are whole vectors and others, regions of few
//! results, elements that are updated at indices known at run time only, and values that several
//! regions read; against the interpreter, bit by bit.
//!
//! Numbers are small and whole, so that sums are exact in any order.

use crate::agreement::{self, Input, copied_bytes};
use mapwright_mlir::{ElementType, FloatKind, TensorType};

const WAYS: &[agreement::Way] = &[(1, None), (2, None), (1, Some("light-loops"))];

const F64: ElementType = ElementType::Float(FloatKind::F64);

/// Whole numbers from -2 to 2.
fn input(element: &ElementType, shape: &[i64], mut seed: u32) -> Input {
    let count: i64 = shape.iter().product();
    let mut bytes = Vec::new();
    let parts = if element.is_complex() { 2 } else { 1 };
    for _ in 0..count * parts {
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        let n = (seed >> 16) as i32 % 5 - 2;
        match element {
            ElementType::Float(FloatKind::F64) => bytes.extend(f64::from(n).to_le_bytes()),
            ElementType::Int { width: 8, .. } => bytes.push(n as u8),
            ElementType::Int { width: 64, .. } => bytes.extend(i64::from(n).to_le_bytes()),
            ElementType::Int { .. } => bytes.extend(n.to_le_bytes()),
            _ => bytes.extend((n as f32).to_le_bytes()),
        }
    }
    (element.clone(), shape.to_vec(), bytes)
}

/// A loop of `trips` iterations with the counter `%i` over the state `%x`, which starts as the
/// first argument; `%n` is the next one.
fn looped(trips: i64, arguments: &[TensorType], body: &str) -> String {
    let names: Vec<String> = (0..arguments.len()).map(|k| format!("%a{k}")).collect();
    let typed: Vec<String> = (names.iter().zip(arguments))
        .map(|(name, ty)| format!("{name}: {ty}"))
        .collect();
    let (typed, state) = (typed.join(", "), &arguments[0]);
    format!(
        "func.func @main({typed}) -> {state} {{
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %one = stablehlo.constant dense<1> : tensor<i32>
           %trips = stablehlo.constant dense<{trips}> : tensor<i32>
           %r:2 = stablehlo.while(%i = %zero, %x = %a0) : tensor<i32>, {state}
           cond {{
             %c = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %c : tensor<i1>
           }} do {{
             %j = stablehlo.add %i, %one : tensor<i32>
             {body}
             stablehlo.return %j, %n : tensor<i32>, {state}
           }}
           return %r#1 : {state}
         }}"
    )
}

fn agree(trips: i64, arguments: &[TensorType], body: &str) {
    let inputs: Vec<Input> = (0..)
        .zip(arguments)
        .map(|(k, ty)| input(&ty.element, &ty.static_shape().unwrap(), k))
        .collect();
    copied_bytes(&looped(trips, arguments, body), &inputs, WAYS);
}

#[test]
fn products_of_small_matrices() {
    let c64 = ElementType::Complex(FloatKind::F32);
    for element in [
        ElementType::F32,
        F64,
        ElementType::int(32),
        ElementType::int(64),
        c64,
    ] {
        for n in (0..=9).chain([16]) {
            let ty = TensorType::new(element.clone(), &[n, n]);
            // Five of them: the numbers stay exact.
            agree(
                5,
                &[ty.clone(), ty.clone(), ty.clone()],
                &format!(
                    "%p = stablehlo.dot_general %a1, %x, contracting_dims = [1] x [0] : ({ty}, {ty}) -> {ty}
                     %t = stablehlo.transpose %a1, dims = [1, 0] : ({ty}) -> {ty}
                     %s = stablehlo.dot_general %a2, %t, contracting_dims = [1] x [0] : ({ty}, {ty}) -> {ty}
                     %n = stablehlo.add %p, %s : {ty}"
                ),
            );
        }
        // Rows and columns of other numbers, and a row alone.
        for (m, k, n) in [
            (4, 3, 8),
            (3, 5, 4),
            (1, 4, 4),
            (4, 4, 1),
            (7, 1, 2),
            (5, 0, 4),
        ] {
            let of = |shape: &[i64]| TensorType::new(element.clone(), shape);
            let (x, y, r) = (of(&[m, k]), of(&[k, n]), of(&[m, n]));
            agree(
                5,
                &[r.clone(), x.clone(), y.clone()],
                &format!(
                    "%p = stablehlo.dot_general %a1, %a2, contracting_dims = [1] x [0] : ({x}, {y}) -> {r}
                     %n = stablehlo.add %p, %x : {r}"
                ),
            );
        }
    }
}

#[test]
fn few_results_of_many_operations() {
    for element in [ElementType::F32, F64, ElementType::int(32)] {
        for n in 0..=6 {
            let ty = TensorType::new(element.clone(), &[n]);
            let mut body = String::from("%v0 = stablehlo.reverse %x, dims = [0] : $T\n");
            for k in 0..25 {
                body += &format!(
                    "%u{k} = stablehlo.subtract %a1, %v{k} : $T
                     %w{k} = stablehlo.reverse %u{k}, dims = [0] : $T
                     %v{} = stablehlo.maximum %w{k}, %x : $T\n",
                    k + 1
                );
            }
            body += "%n = stablehlo.minimum %v25, %a2 : $T";
            let body = body.replace("$T", &ty.to_string());
            agree(7, &[ty.clone(), ty.clone(), ty.clone()], &body);
        }
    }
}

#[test]
fn elements_updated_where_an_index_says() {
    let computations = [
        ("%w = stablehlo.add %p, %q : $E", "%w"),
        ("%w = stablehlo.maximum %q, %p : $E", "%w"),
        ("%w = stablehlo.subtract %q, %p : $E", "%w"),
        ("", "%q"),
        ("", "%p"),
    ];
    for element in [
        ElementType::F32,
        F64,
        ElementType::int(32),
        ElementType::int(8),
    ] {
        for shape in [
            &[1][..],
            &[2],
            &[7],
            &[8],
            &[16],
            &[17],
            &[3, 4],
            &[1, 5],
            &[0],
        ] {
            let ty = TensorType::new(element.clone(), shape);
            let scalar = TensorType::new(element.clone(), &[]);
            let one = TensorType::new(element.clone(), &vec![1; shape.len()]);
            let rank = shape.len();
            let two = if element.is_int() { "2" } else { "2.0" };
            // Indices before the first element and behind the last one, too.
            let index = format!(
                "%three = stablehlo.constant dense<3> : tensor<i32>
                 %k = stablehlo.subtract %i, %three : tensor<i32>
                 %g = stablehlo.reshape %a1 : ({scalar}) -> {one}
                 %two = stablehlo.constant dense<{two}> : {ty}"
            );
            let all = shape.iter().max().unwrap_or(&0) + 7;
            if !shape.contains(&0) {
                let starts = ["%k", "%i"][2 - rank..].join(", ");
                let types = ["tensor<i32>"; 2][2 - rank..].join(", ");
                let body = format!(
                    "{index}
                     %u = stablehlo.dynamic_update_slice %x, %g, {starts} : ({ty}, {one}, {types}) -> {ty}
                     %v = stablehlo.reverse %u, dims = [0] : {ty}
                     %n = stablehlo.minimum %v, %u : {ty}"
                );
                agree(all, &[ty.clone(), scalar.clone()], &body);
            }
            for (made, returned) in computations {
                let list = match rank {
                    1 => "%l = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>".to_string(),
                    _ => "%l0 = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>
                          %l1 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
                          %l = stablehlo.concatenate %l1, %l0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>"
                        .to_string(),
                };
                let dims: Vec<usize> = (0..rank).collect();
                // The second index comes first in the list.
                let places: Vec<usize> = (0..rank).rev().collect();
                let made = made.replace("$E", &scalar.to_string());
                let body = format!(
                    "{index}
                     {list}
                     %u = \"stablehlo.scatter\"(%x, %l, %a1) <{{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = {dims:?}, scatter_dims_to_operand_dims = {places:?}>}}> ({{
                     ^bb0(%p: {scalar}, %q: {scalar}):
                       {made}
                       stablehlo.return {returned} : {scalar}
                     }}) : ({ty}, tensor<{rank}xi32>, {scalar}) -> {ty}
                     %v = stablehlo.reverse %u, dims = [0] : {ty}
                     %n = stablehlo.minimum %v, %two : {ty}"
                );
                agree(all, &[ty.clone(), scalar.clone()], &body);
            }
        }
    }
}

#[test]
fn values_that_several_regions_read() {
    for element in [ElementType::F32, F64, ElementType::int(32)] {
        for shape in [[0, 5], [1, 1], [63, 65], [64, 64], [61, 70], [1, 5000]] {
            let ty = TensorType::new(element.clone(), &shape);
            let truth = TensorType::new(ElementType::Bool, &shape);
            let row = TensorType::new(element.clone(), &shape[1..]);
            let scalar = TensorType::new(element.clone(), &[]);
            let literal = if element.is_int() { "0" } else { "0.0" };
            // The mask is read by both parts of the state, and what two reductions read is a sum.
            let source = format!(
                "func.func @main(%a: {ty}, %b: {ty}, %c: {row}) -> ({ty}, {ty}, {row}, {row}) {{
                   %zero = stablehlo.constant dense<0> : tensor<i32>
                   %one = stablehlo.constant dense<1> : tensor<i32>
                   %trips = stablehlo.constant dense<3> : tensor<i32>
                   %r:5 = stablehlo.while(%i = %zero, %x = %a, %y = %b, %m = %c, %s = %c) : tensor<i32>, {ty}, {ty}, {row}, {row}
                   cond {{
                     %go = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
                     stablehlo.return %go : tensor<i1>
                   }} do {{
                     %j = stablehlo.add %i, %one : tensor<i32>
                     %xx = stablehlo.multiply %x, %x : {ty}
                     %yy = stablehlo.multiply %y, %y : {ty}
                     %in = stablehlo.compare LT, %xx, %yy : ({ty}, {ty}) -> {truth}
                     %d = stablehlo.subtract %xx, %yy : {ty}
                     %p = stablehlo.add %yy, %xx : {ty}
                     %u = stablehlo.select %in, %d, %x : {truth}, {ty}
                     %v = stablehlo.select %in, %p, %y : {truth}, {ty}
                     %w = stablehlo.broadcast_in_dim %m, dims = [1] : ({row}) -> {ty}
                     %t = stablehlo.add %w, %x : {ty}
                     %z = stablehlo.constant dense<{literal}> : {scalar}
                     %h = stablehlo.reduce(%t init: %z) applies stablehlo.maximum across dimensions = [0] : ({ty}, {scalar}) -> {row}
                     %l = stablehlo.reduce(%t init: %z) applies stablehlo.minimum across dimensions = [0] : ({ty}, {scalar}) -> {row}
                     stablehlo.return %j, %u, %v, %h, %l : tensor<i32>, {ty}, {ty}, {row}, {row}
                   }}
                   return %r#1, %r#2, %r#3, %r#4 : {ty}, {ty}, {row}, {row}
                 }}"
            );
            let inputs = [
                input(&element, &shape, 1),
                input(&element, &shape, 2),
                input(&element, &shape[1..], 3),
            ];
            copied_bytes(&source, &inputs, WAYS);
        }
    }
}
