//! What is put together of pieces along dimensions whose sizes are known at run time only:
//! concatenation, padding, padded windows. Code for every size by the emitter that makes code for
//! static ones, against the interpreter, at sizes of nothing, of single elements, and others.

use crate::interpreted;
use mapwright_interpret::{Options, Value};
use mapwright_mlir::{ElementType, FloatKind, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};

/// Numbers that every order of additions gives alike: small multiples of 1/4.
fn input(element: &ElementType, shape: &[i64], seed: u64) -> Tensor {
    let mut tensor = Tensor::zeros(element, shape).unwrap();
    let width = element.byte_width().unwrap();
    let mut state = seed;
    for bytes in tensor.bytes_mut().chunks_exact_mut(width) {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let number = (state >> 33) % 65;
        match element {
            ElementType::Float(FloatKind::F32) => {
                bytes.copy_from_slice(&(number as f32 / 4.0 - 8.0).to_le_bytes());
            }
            ElementType::Float(FloatKind::F64) => {
                bytes.copy_from_slice(&(number as f64 / 4.0 - 8.0).to_le_bytes());
            }
            _ => bytes.copy_from_slice(&number.to_le_bytes()[..width]),
        }
    }
    tensor
}

/// Compares what `body` gives of `%x: n×m`, `%y: k×m`, `%z: n×k` and `%v: n×5` with the
/// interpreter; `T` stands for the element type.
fn check(results: &str, body: &str, sizes: &[[i64; 3]]) {
    compare(results, body, sizes, true);
}

/// As [`check`]; `tiled`: all of it is code of that emitter.
fn compare(results: &str, body: &str, sizes: &[[i64; 3]], tiled: bool) {
    for (name, element) in [
        ("f32", ElementType::Float(FloatKind::F32)),
        ("f64", ElementType::Float(FloatKind::F64)),
        ("i8", ElementType::int(8)),
    ] {
        let zero = if name == "i8" { "0" } else { "0.0" };
        let one = if name == "i8" { "1" } else { "1.0" };
        let source = format!(
            "func.func @main(%x: tensor<?x?xT>, %y: tensor<?x?xT>, %z: tensor<?x?xT>, %v: tensor<?x5xT>) -> {results} {{
               %zero = stablehlo.constant dense<{zero}> : tensor<T>
               %one = stablehlo.constant dense<{one}> : tensor<T>
               {body}
             }}"
        );
        let source = source
            .replace("xT>", &format!("x{name}>"))
            .replace("<T>", &format!("<{name}>"));
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let Ok(module) = diagnostics.parse("test", source.as_bytes()) else {
            panic!("{}\n{source}", diagnostics.take());
        };
        let module = Op::new(module.as_operation());
        for threads in [1, 2] {
            let options = CompileOptions {
                threads,
                ..CompileOptions::default()
            };
            let executable = match Executable::compile(module, &options) {
                Ok(executable) => executable,
                Err(error) => panic!("{} {error}\n{source}", diagnostics.take()),
            };
            for region in &executable.statistics().regions {
                let (emitter, declined) = (&region.emitter, &region.declined);
                // Sizes themselves are computed one by one.
                let alone = ["no vectors", "get_dimension_size", "the host's function"];
                let of_sizes = (declined.iter())
                    .filter(|(emitter, _)| *emitter == "tiled")
                    .all(|(_, why)| alone.iter().any(|word| why.contains(word)));
                assert!(
                    !tiled || emitter == "tiled" || of_sizes,
                    "{emitter}: {declined:?}\n{source}"
                );
            }
            for [n, m, k] in sizes.iter().copied() {
                let at = format!("{name} at {n}, {m}, {k}, {threads} threads");
                let shapes = [[n, m], [k, m], [n, k], [n, 5]];
                let inputs: Vec<Tensor> = (shapes.iter().enumerate())
                    .map(|(i, shape)| input(&element, shape, i as u64))
                    .collect();
                let taken: Vec<&Tensor> = inputs.iter().collect();
                let found = executable.execute(&taken, &ExecuteOptions { threads });
                let found = found.unwrap_or_else(|why| panic!("{at}: {why}\n{source}"));
                let values: Vec<Value> = (inputs.iter())
                    .map(|t| Value::Tensor(interpreted::tensor(t)))
                    .collect();
                let expected =
                    mapwright_interpret::run(module, "main", &values, &Options::default());
                let expected = expected.unwrap_or_else(|why| panic!("{at}: {why}\n{source}"));
                for (one, other) in found.iter().zip(&expected) {
                    let other = other.tensor().unwrap();
                    assert_eq!(one.shape(), &other.shape[..], "{at}\n{source}");
                    assert!(one.bytes() == other.to_bytes(), "{at}\n{source}");
                }
            }
        }
    }
}

const SIZES: [[i64; 3]; 12] = [
    [7, 9, 4],
    [0, 9, 4],
    [7, 0, 4],
    [7, 9, 0],
    [0, 0, 0],
    [1, 1, 1],
    [1, 64, 2],
    [64, 1, 65],
    [33, 17, 100],
    [100, 70, 1],
    [2, 3, 200],
    [40, 129, 31],
];

#[test]
fn concatenations() {
    check(
        "tensor<?x?xT>",
        "%0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<?x?xT>, tensor<?x?xT>) -> tensor<?x?xT>
         %1 = stablehlo.add %0, %0 : tensor<?x?xT>
         return %1 : tensor<?x?xT>",
        &SIZES,
    );
    check(
        "tensor<?x?xT>",
        "%0 = stablehlo.add %x, %x : tensor<?x?xT>
         %1 = stablehlo.concatenate %0, %z, %x, dim = 1 : (tensor<?x?xT>, tensor<?x?xT>, tensor<?x?xT>) -> tensor<?x?xT>
         return %1 : tensor<?x?xT>",
        &SIZES,
    );
    check(
        "tensor<?x?xT>",
        "%0 = stablehlo.concatenate %v, %x, %v, dim = 1 : (tensor<?x5xT>, tensor<?x?xT>, tensor<?x5xT>) -> tensor<?x?xT>
         %1 = stablehlo.maximum %0, %0 : tensor<?x?xT>
         return %1 : tensor<?x?xT>",
        &SIZES,
    );
}

#[test]
fn concatenations_that_are_turned_round() {
    check(
        "tensor<?x?xT>",
        "%0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<?x?xT>, tensor<?x?xT>) -> tensor<?x?xT>
         %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<?x?xT>) -> tensor<?x?xT>
         return %1 : tensor<?x?xT>",
        &SIZES,
    );
}

#[test]
fn padding() {
    for (low, high) in [
        ("1, 0", "2, 0"),
        ("0, 3", "0, 4"),
        ("0, 0", "0, 1"),
        ("2, 1", "0, 5"),
        ("65, 0", "0, 0"),
    ] {
        check(
            "tensor<?x?xT>",
            &format!(
                "%0 = stablehlo.pad %x, %one, low = [{low}], high = [{high}], interior = [0, 0] : (tensor<?x?xT>, tensor<T>) -> tensor<?x?xT>
                 %1 = stablehlo.add %0, %0 : tensor<?x?xT>
                 return %1 : tensor<?x?xT>"
            ),
            &SIZES,
        );
    }
    check(
        "tensor<?x10xT>",
        "%0 = stablehlo.pad %v, %one, low = [1, 2], high = [2, 3], interior = [0, 0] : (tensor<?x5xT>, tensor<T>) -> tensor<?x10xT>
         %1 = stablehlo.add %0, %0 : tensor<?x10xT>
         return %1 : tensor<?x10xT>",
        &SIZES,
    );
}

#[test]
fn sums_of_pieces() {
    check(
        "tensor<?xT>",
        "%0 = stablehlo.concatenate %x, %z, dim = 1 : (tensor<?x?xT>, tensor<?x?xT>) -> tensor<?x?xT>
         %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xT>, tensor<T>) -> tensor<?xT>
         return %1 : tensor<?xT>",
        &SIZES,
    );
    compare(
        "tensor<?xT>",
        "%0 = stablehlo.pad %x, %one, low = [3, 0], high = [0, 2], interior = [0, 0] : (tensor<?x?xT>, tensor<T>) -> tensor<?x?xT>
         %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x?xT>, tensor<T>) -> tensor<?xT>
         return %1 : tensor<?xT>",
        &SIZES,
        false,
    );
}

#[test]
fn windows_over_the_ends() {
    check(
        "tensor<?x?xT>",
        r#"%0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 3, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
         ^bb0(%a: tensor<T>, %b: tensor<T>):
           %s = stablehlo.add %a, %b : tensor<T>
           stablehlo.return %s : tensor<T>
         }) : (tensor<?x?xT>, tensor<T>) -> tensor<?x?xT>
         return %0 : tensor<?x?xT>"#,
        &SIZES,
    );
    compare(
        "tensor<?x?xT>",
        r#"%0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [2, 3]]> : tensor<2x2xi64>}> ({
         ^bb0(%a: tensor<T>, %b: tensor<T>):
           %s = stablehlo.maximum %a, %b : tensor<T>
           stablehlo.return %s : tensor<T>
         }) : (tensor<?x?xT>, tensor<T>) -> tensor<?x?xT>
         return %0 : tensor<?x?xT>"#,
        &SIZES,
        false,
    );
}

/// What is padded and then gone over in steps is read where it is, in the loops of the windows.
#[test]
fn windows_in_steps_over_padding() {
    for (window, step, low, high) in [(2, 2, 1, 1), (3, 2, 1, 2), (2, 3, 0, 2), (1, 2, 3, 0)] {
        let body = format!(
            r#"%p = stablehlo.pad %x, %one, low = [{low}, 0], high = [{high}, 0], interior = [0, 0] : (tensor<?x?xT>, tensor<T>) -> tensor<?x?xT>
             %q = stablehlo.abs %p : tensor<?x?xT>
             %0 = "stablehlo.reduce_window"(%q, %zero) <{{window_dimensions = array<i64: {window}, 1>, window_strides = array<i64: {step}, 1>}}> ({{
             ^bb0(%a: tensor<T>, %b: tensor<T>):
               %s = stablehlo.add %a, %b : tensor<T>
               stablehlo.return %s : tensor<T>
             }}) : (tensor<?x?xT>, tensor<T>) -> tensor<?x?xT>
             return %0 : tensor<?x?xT>"#
        );
        check("tensor<?x?xT>", &body, &SIZES);
    }
}

/// `result` is `x` turned round along dimension `dim`, so that it begins where the remainder of the
/// division of `%by` by the size says: two slices, put together.
fn rolled(result: &str, x: &str, dim: usize) -> String {
    let r = result.trim_start_matches('%');
    let (end, ones) = (format!("{x}_n1, {x}_m1"), "tensor<1xi32>, tensor<1xi32>");
    let list = |place: &str, other: &str| match dim {
        0 => format!("{place}, {other}"),
        _ => format!("{other}, {place}"),
    };
    let own = ["n", "m"][dim];
    let other = ["m", "n"][dim];
    let begin = list(&format!("%{r}_s1"), "%nothing");
    let middle = list(&format!("%{r}_s1"), &format!("{x}_{other}1"));
    let ty = "(tensor<?x?xT>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xT>";
    format!(
        "{x}_n = stablehlo.get_dimension_size {x}, dim = 0 : (tensor<?x?xT>) -> tensor<i32>
         {x}_m = stablehlo.get_dimension_size {x}, dim = 1 : (tensor<?x?xT>) -> tensor<i32>
         {x}_n1 = stablehlo.reshape {x}_n : (tensor<i32>) -> tensor<1xi32>
         {x}_m1 = stablehlo.reshape {x}_m : (tensor<i32>) -> tensor<1xi32>
         %{r}_safe = stablehlo.maximum {x}_{own}, %unit : tensor<i32>
         %{r}_rest = stablehlo.remainder %by, %{r}_safe : tensor<i32>
         %{r}_less = stablehlo.compare LT, %{r}_rest, %none : (tensor<i32>, tensor<i32>) -> tensor<i1>
         %{r}_more = stablehlo.add %{r}_rest, %{r}_safe : tensor<i32>
         %{r}_s = stablehlo.select %{r}_less, %{r}_more, %{r}_rest : tensor<i1>, tensor<i32>
         %{r}_s1 = stablehlo.reshape %{r}_s : (tensor<i32>) -> tensor<1xi32>
         %{r}_begin = stablehlo.concatenate {begin}, dim = 0 : ({ones}) -> tensor<2xi32>
         %{r}_middle = stablehlo.concatenate {middle}, dim = 0 : ({ones}) -> tensor<2xi32>
         %{r}_end = stablehlo.concatenate {end}, dim = 0 : ({ones}) -> tensor<2xi32>
         %{r}_last = stablehlo.real_dynamic_slice {x}, %{r}_begin, %{r}_end, %steps : {ty}
         %{r}_first = stablehlo.real_dynamic_slice {x}, %origin, %{r}_middle, %steps : {ty}
         {result} = stablehlo.concatenate %{r}_last, %{r}_first, dim = {dim} : (tensor<?x?xT>, tensor<?x?xT>) -> tensor<?x?xT>\n"
    )
}

/// What JAX makes of `roll`: sizes of the pieces that no tensor has.
#[test]
fn rolls() {
    for by in [-5, 3] {
        let head = format!(
            "%by = stablehlo.constant dense<{by}> : tensor<i32>
             %unit = stablehlo.constant dense<1> : tensor<i32>
             %none = stablehlo.constant dense<0> : tensor<i32>
             %nothing = stablehlo.constant dense<0> : tensor<1xi32>
             %origin = stablehlo.constant dense<0> : tensor<2xi32>
             %steps = stablehlo.constant dense<1> : tensor<2xi32>\n"
        );
        let ends = [
            "%2 = stablehlo.add %r, %x : tensor<?x?xT>
             return %2 : tensor<?x?xT>",
            "%2 = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xT>, tensor<T>) -> tensor<?xT>
             return %2 : tensor<?xT>",
            "%2 = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x?xT>, tensor<T>) -> tensor<?xT>
             return %2 : tensor<?xT>",
            "%2 = stablehlo.concatenate %r, %y, dim = 0 : (tensor<?x?xT>, tensor<?x?xT>) -> tensor<?x?xT>
             return %2 : tensor<?x?xT>",
        ];
        for dim in [0, 1] {
            for end in ends {
                let result = if end.contains("reduce") {
                    "tensor<?xT>"
                } else {
                    "tensor<?x?xT>"
                };
                let body = format!("{head}{}{end}", rolled("%r", "%x", dim));
                // Sums of what is put together along another dimension are for the general emitter.
                let sums = end.contains("reduce");
                compare(
                    result,
                    &body,
                    &SIZES,
                    !sums || (dim == 1 && end.contains("[1]")),
                );
            }
        }
        let twice = [rolled("%q", "%x", 0), rolled("%r", "%q", 1)].concat();
        let body = format!("{head}{twice} return %r : tensor<?x?xT>");
        check("tensor<?x?xT>", &body, &SIZES);
    }
}
