//! Sorting by keys against sorting by the compiled comparator: the same bits, as both are stable.

use crate::ways::{assert_same_bits, compile, run};
use mapwright_mlir::{ElementType, FloatKind};
use mapwright_native::Tensor;

/// Numbers with many ties, zeros and NaNs of both signs, infinities.
fn floats(count: usize) -> Vec<u8> {
    let odd = [
        f32::NAN,
        -f32::NAN,
        f32::from_bits(0x7f80_0001),
        f32::INFINITY,
        f32::NEG_INFINITY,
        0.0,
        -0.0,
        1e-40,
        -1e-40,
    ];
    let mut seed = 12345u64;
    (0..count)
        .flat_map(|_| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let r = (seed >> 33) as usize;
            let value = match r % 3 {
                0 => odd[(r / 3) % odd.len()],
                1 => (r % 17) as f32 - 8.0,
                _ => r as f32 / 1e6 - 1000.0,
            };
            value.to_le_bytes()
        })
        .collect()
}

/// One after the other, so that a moved payload shows where its element came from.
fn numbers(count: usize) -> Vec<u8> {
    (0..count as i32).flat_map(i32::to_le_bytes).collect()
}

/// Sorting along `dimension` by `comparator`, which computes `%r` from `%a, %b` (the floats) and
/// `%i, %j` (the payload).
fn program(shape: &[i64], dimension: usize, comparator: &str) -> String {
    let sizes: String = shape.iter().map(|n| format!("{n}x")).collect();
    let (x, y) = (format!("tensor<{sizes}f32>"), format!("tensor<{sizes}i32>"));
    format!(
        "func.func @main(%x: {x}, %y: {y}) -> ({x}, {y}) {{
           %0:2 = \"stablehlo.sort\"(%x, %y) <{{dimension = {dimension} : i64, is_stable = true}}> ({{
           ^bb0(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
             {comparator}
             stablehlo.return %r : tensor<i1>
           }}) : ({x}, {y}) -> ({x}, {y})
           return %0#0, %0#1 : {x}, {y}
         }}"
    )
}

fn check(shape: &[i64], dimension: usize, comparator: &str) {
    let source = program(shape, dimension, comparator);
    let [keys, called] = compile(&source, [&[], &["sort-keys"]]);
    let count = shape.iter().product::<i64>() as usize;
    let tensors = [
        Tensor::new(&ElementType::F32, shape, &floats(count)).expect("a tensor"),
        Tensor::new(&ElementType::int(32), shape, &numbers(count)).expect("a tensor"),
    ];
    let expected = run(&called, &tensors, 1);
    for threads in [1, 2] {
        let words = format!("{threads} threads");
        assert_same_bits(&run(&keys, &tensors, threads), &expected, &words, &source);
    }
}

fn canonical(direction: &str) -> String {
    format!(
        "%z = stablehlo.constant dense<0.0> : tensor<f32>
         %n = stablehlo.constant dense<0x7FC00000> : tensor<f32>
         %a0 = stablehlo.compare EQ, %a, %z, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
         %a1 = stablehlo.select %a0, %z, %a : tensor<i1>, tensor<f32>
         %a2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
         %a3 = stablehlo.select %a2, %n, %a1 : tensor<i1>, tensor<f32>
         %b0 = stablehlo.compare EQ, %b, %z, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
         %b1 = stablehlo.select %b0, %z, %b : tensor<i1>, tensor<f32>
         %b2 = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
         %b3 = stablehlo.select %b2, %n, %b1 : tensor<i1>, tensor<f32>
         %r = stablehlo.compare {direction}, %a3, %b3, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>"
    )
}

#[test]
fn keys_give_what_the_comparator_gives() {
    let shapes: [(&[i64], usize); 7] = [
        (&[1], 0),
        (&[2], 0),
        (&[37], 0),
        (&[5000], 0),
        (&[3, 129], 1),
        (&[129, 3], 0),
        (&[5, 64, 7], 1),
    ];
    for (shape, dimension) in shapes {
        check(shape, dimension, &canonical("LT"));
        check(shape, dimension, &canonical("GT"));
        let total = "(tensor<f32>, tensor<f32>) -> tensor<i1>";
        check(
            shape,
            dimension,
            &format!("%r = stablehlo.compare LT, %a, %b, TOTALORDER : {total}"),
        );
        // By the payload, which is the second operand, and by both.
        let integers = "(tensor<i32>, tensor<i32>) -> tensor<i1>";
        check(
            shape,
            dimension,
            &format!("%r = stablehlo.compare GT, %i, %j, SIGNED : {integers}"),
        );
        let both = format!(
            "{}
             %e = stablehlo.compare EQ, %a3, %b3, TOTALORDER : {total}
             %l = stablehlo.compare GT, %i, %j, SIGNED : {integers}
             %both = stablehlo.and %e, %l : tensor<i1>
             %r = stablehlo.or %both, %first : tensor<i1>",
            canonical("LT").replace("%r =", "%first =")
        );
        check(shape, dimension, &both);
    }
}

/// What a comparator that is no order gives is not specified, but it is the elements that came in,
/// each payload beside its own.
#[test]
fn comparators_that_are_no_order_give_a_permutation() {
    for direction in ["LT", "GT", "LE", "GE", "EQ", "NE"] {
        for count in [2, 17, 100, 5000] {
            let types = "(tensor<f32>, tensor<f32>) -> tensor<i1>";
            let comparator = format!("%r = stablehlo.compare {direction}, %a, %b, FLOAT : {types}");
            let source = program(&[count], 0, &comparator);
            let input = floats(count as usize);
            let tensors = [
                Tensor::new(&ElementType::F32, &[count], &input).expect("a tensor"),
                Tensor::new(&ElementType::int(32), &[count], &numbers(count as usize)).unwrap(),
            ];
            for executable in compile(&source, [&[], &["sort-keys"]]) {
                let sorted = run(&executable, &tensors, 2);
                let places: Vec<usize> = sorted[1]
                    .bytes()
                    .chunks_exact(4)
                    .map(|place| i32::from_le_bytes(place.try_into().unwrap()) as usize)
                    .collect();
                let mut all = places.clone();
                all.sort_unstable();
                assert!(
                    all.into_iter().eq(0..count as usize),
                    "{direction} of {count}"
                );
                for (value, place) in sorted[0].bytes().chunks_exact(4).zip(places) {
                    assert_eq!(
                        value,
                        &input[4 * place..4 * place + 4],
                        "{direction} of {count}"
                    );
                }
            }
        }
    }
}

/// The element type that is written so.
fn element(ty: &str) -> ElementType {
    match ty {
        "i1" => ElementType::Bool,
        "f16" => ElementType::Float(FloatKind::F16),
        "f32" => ElementType::Float(FloatKind::F32),
        "f64" => ElementType::Float(FloatKind::F64),
        "complex<f64>" => ElementType::Complex(FloatKind::F64),
        _ => ElementType::Int {
            width: ty.trim_start_matches(['u', 'i']).parse().unwrap(),
            unsigned: ty.starts_with('u'),
        },
    }
}

/// Integers of two values, as one sorts truth values by to find out where they hold: the elements
/// beside them are dealt out, whatever their type is and whether somebody reads the keys or not.
#[test]
fn keys_of_two_values() {
    let types = [
        "i1", "i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64",
    ];
    let payloads = ["i8", "f16", "f32", "f64", "complex<f64>"];
    let shapes: [(&[i64], usize); 7] = [
        (&[63], 0),
        (&[64], 0),
        (&[1000], 0),
        (&[40_000], 0),
        (&[3, 129], 1),
        (&[129, 3], 0),
        (&[0], 0),
    ];
    let width = |ty: &str| match ty {
        "i1" => 1,
        "complex<f64>" => 16,
        _ => {
            ty.trim_start_matches(['u', 'i', 'f'])
                .parse::<usize>()
                .unwrap()
                / 8
        }
    };
    for (k, ty) in types.into_iter().enumerate() {
        let payload = payloads[k % payloads.len()];
        for (shape, dimension) in shapes {
            for (direction, read) in [("LT", true), ("GT", false), ("GT", true)] {
                let sizes: String = shape.iter().map(|n| format!("{n}x")).collect();
                let (x, y) = (
                    format!("tensor<{sizes}{ty}>"),
                    format!("tensor<{sizes}{payload}>"),
                );
                let (results, values) = if read {
                    (format!("({x}, {y})"), format!("%0#0, %0#1 : {x}, {y}"))
                } else {
                    (y.clone(), format!("%0#1 : {y}"))
                };
                let source = format!(
                    "func.func @main(%x: {x}, %y: {y}) -> {results} {{
                       %0:2 = \"stablehlo.sort\"(%x, %y) <{{dimension = {dimension} : i64, is_stable = true}}> ({{
                       ^bb0(%a: tensor<{ty}>, %b: tensor<{ty}>, %i: tensor<{payload}>, %j: tensor<{payload}>):
                         %r = stablehlo.compare {direction}, %a, %b : (tensor<{ty}>, tensor<{ty}>) -> tensor<i1>
                         stablehlo.return %r : tensor<i1>
                       }}) : ({x}, {y}) -> ({x}, {y})
                       return {values}
                     }}"
                );
                let [keys, called] = compile(&source, [&[], &["sort-keys"]]);
                let count = shape.iter().product::<i64>() as usize;
                let mut seed = k as u64;
                let mut next = || {
                    seed = seed
                        .wrapping_mul(6364136223846793005)
                        .wrapping_add(1442695040888963407);
                    seed >> 33
                };
                // All alike, two values of which one is negative, and a third one at the very end.
                for kinds in [1, 2, 3] {
                    let choices = [1i64, if ty == "i1" { 0 } else { -2 }, 1];
                    let mut bytes: Vec<u8> = Vec::new();
                    for at in 0..count {
                        let choice = match kinds {
                            1 => 0,
                            _ => (next() % 2) as usize,
                        };
                        let own = if kinds == 3 && at + 1 == count && ty != "i1" {
                            7
                        } else {
                            choices[choice]
                        };
                        bytes.extend(&own.to_le_bytes()[..width(ty)]);
                    }
                    let others: Vec<u8> = (0..count * width(payload))
                        .map(|_| (next() % 100) as u8)
                        .collect();
                    let tensors = [
                        Tensor::new(&element(ty), shape, &bytes).expect("a tensor"),
                        Tensor::new(&element(payload), shape, &others).expect("a tensor"),
                    ];
                    let expected = run(&called, &tensors, 1);
                    for threads in [1, 2] {
                        let words = format!("{kinds} values, {threads} threads");
                        assert_same_bits(
                            &run(&keys, &tensors, threads),
                            &expected,
                            &words,
                            &source,
                        );
                    }
                }
            }
        }
    }
}

/// `nonzero` with a sort: indices along each dimension are moved beside truth values, as integers
/// and as they are, in either order. What comes out is worked out here.
#[test]
fn indices_beside_truth_values() {
    for shape in [[1i64, 100], [100, 1], [9, 13], [50, 40], [2, 31]] {
        for (key, direction) in [("i32", "GT"), ("i8", "LT"), ("i1", "GT"), ("ui64", "GT")] {
            for index in ["i32", "i64"] {
                let (n, sizes) = (shape[0] * shape[1], format!("{}x{}", shape[0], shape[1]));
                let of = |ty: &str| format!("tensor<{n}x{ty}>");
                let (k, i) = (of(key), of(index));
                let convert = match key {
                    "i1" => format!("%k = stablehlo.reshape %t : (tensor<{sizes}xi1>) -> {k}"),
                    _ => format!(
                        "%c = stablehlo.convert %t : (tensor<{sizes}xi1>) -> tensor<{sizes}x{key}>
                         %k = stablehlo.reshape %c : (tensor<{sizes}x{key}>) -> {k}"
                    ),
                };
                let source = format!(
                    "func.func @main(%x: tensor<{sizes}xi32>) -> ({k}, {i}, {i}) {{
                       %zero = stablehlo.constant dense<0> : tensor<{sizes}xi32>
                       %t = stablehlo.compare NE, %x, %zero : (tensor<{sizes}xi32>, tensor<{sizes}xi32>) -> tensor<{sizes}xi1>
                       {convert}
                       %a = stablehlo.iota dim = 0 : tensor<{sizes}x{index}>
                       %b = stablehlo.iota dim = 1 : tensor<{sizes}x{index}>
                       %a1 = stablehlo.reshape %a : (tensor<{sizes}x{index}>) -> {i}
                       %b1 = stablehlo.reshape %b : (tensor<{sizes}x{index}>) -> {i}
                       %0:3 = \"stablehlo.sort\"(%k, %a1, %b1) <{{dimension = 0 : i64, is_stable = true}}> ({{
                       ^bb0(%l: tensor<{key}>, %r: tensor<{key}>, %m: tensor<{index}>, %n: tensor<{index}>, %o: tensor<{index}>, %p: tensor<{index}>):
                         %less = stablehlo.compare {direction}, %l, %r : (tensor<{key}>, tensor<{key}>) -> tensor<i1>
                         stablehlo.return %less : tensor<i1>
                       }}) : ({k}, {i}, {i}) -> ({k}, {i}, {i})
                       return %0#0, %0#1, %0#2 : {k}, {i}, {i}
                     }}"
                );
                let values: Vec<i32> = (0..n as i32).map(|i| i * 7 % 5 % 2).collect();
                let mut order: Vec<i64> = (0..n).collect();
                let holds = |at: &i64| values[*at as usize] != 0;
                order.sort_by_key(|at| holds(at) == (direction == "LT"));
                let numbers = |width: usize, f: &dyn Fn(i64) -> i64| -> Vec<u8> {
                    let each = order
                        .iter()
                        .flat_map(|at| f(*at).to_le_bytes()[..width].to_vec());
                    each.collect()
                };
                let width = |ty: &str| match ty {
                    "i1" => 1,
                    _ => ty.trim_start_matches(['u', 'i']).parse::<usize>().unwrap() / 8,
                };
                let expected = [
                    numbers(width(key), &|at| i64::from(holds(&at))),
                    numbers(width(index), &|at| at / shape[1]),
                    numbers(width(index), &|at| at % shape[1]),
                ];
                let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
                let input = Tensor::new(&ElementType::int(32), &shape, &bytes).expect("a tensor");
                let compiled = compile(&source, [&[], &["sort-keys"]]);
                for executable in &compiled {
                    for threads in [1, 2] {
                        let found = run(executable, std::slice::from_ref(&input), threads);
                        for (found, expected) in found.iter().zip(&expected) {
                            assert_eq!(found.bytes(), &expected[..], "{source}");
                        }
                    }
                }
            }
        }
    }
}
