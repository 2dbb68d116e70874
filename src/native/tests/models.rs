//! Programs that are called with arguments of different sizes: which code a call runs, what is
//! kept, threads.

use mapwright_mlir::{ElementType, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{
    CodeKind::{self, AnySize, Special, Static},
    CompileOptions, Error, ExecuteOptions, Model, ModelOptions, Tensor,
};
use std::time::Duration;

/// Each row of `x` scaled by its sum, and `y` beside it; at least one row.
const ROWS: &str = r#"
func.func public @main(%x: tensor<?x3xf32>, %y: tensor<?xf32>) -> (tensor<?x3xf32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %holds = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%holds, %n) {error_message = "there are {0} rows", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = stablehlo.add %0, %y : tensor<?xf32>
  %2 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %2, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %3 = stablehlo.dynamic_broadcast_in_dim %1, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  %4 = stablehlo.multiply %x, %3 : tensor<?x3xf32>
  return %4, %1 : tensor<?x3xf32>, tensor<?xf32>
}
"#;

const SQUARE: &str = "func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}";

fn model(text: &str, options: ModelOptions) -> Model {
    let options = ModelOptions {
        compile: CompileOptions {
            threads: 1,
            ..CompileOptions::default()
        },
        ..options
    };
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let module = diagnostics
        .parse("program.mlir", text.as_bytes())
        .unwrap_or_else(|_| panic!("{}", diagnostics.take()));
    // The model lives without the context that its program came from.
    Model::new(Op::new(module.as_operation()), "main", options).unwrap()
}

fn tensor(shape: &[i64], values: &[f32]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    Tensor::new(&ElementType::F32, shape, &bytes).unwrap()
}

fn floats(tensor: &Tensor) -> Vec<f32> {
    let each = tensor.bytes().chunks_exact(4);
    each.map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
        .collect()
}

/// Calls [`ROWS`] with `n` rows of small integers, which every order of addition sums alike, and
/// compares the results.
fn rows(model: &Model, n: usize) -> CodeKind {
    let x: Vec<f32> = (0..3 * n).map(|i| (i * 7 % 11) as f32 - 5.0).collect();
    let y: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let sizes = n as i64;
    let inputs = [tensor(&[sizes, 3], &x), tensor(&[sizes], &y)];
    let (outputs, kind) = model
        .call(
            &inputs.iter().collect::<Vec<_>>(),
            &ExecuteOptions::default(),
        )
        .unwrap();
    let sums: Vec<f32> = (0..n)
        .map(|i| x[3 * i] + x[3 * i + 1] + x[3 * i + 2] + y[i])
        .collect();
    let scaled: Vec<f32> = (0..3 * n).map(|i| x[i] * sums[i / 3]).collect();
    assert_eq!(
        (outputs[0].shape(), outputs[1].shape()),
        (&[sizes, 3][..], &[sizes][..])
    );
    assert_eq!(
        (floats(&outputs[0]), floats(&outputs[1])),
        (scaled, sums),
        "{n} rows"
    );
    kind
}

#[test]
fn new_shapes_are_compiled_for_until_there_are_many() {
    let model = model(ROWS, ModelOptions::default());
    let kinds: Vec<CodeKind> = (1..=8).map(|n| rows(&model, n)).collect();
    assert_eq!(kinds[..7], [Special; 7]);
    assert_eq!(kinds[7], AnySize);
    // What there is stays in use, and the shape of the eighth call has code of its own soon.
    assert_eq!(rows(&model, 3), Special);
    model.settle();
    assert_eq!(rows(&model, 8), Special);
    assert_eq!(model.cached_codes(), 8);
    assert_eq!(rows(&model, 9), AnySize);
}

#[test]
fn the_codes_that_were_used_last_are_kept() {
    let options = ModelOptions {
        cached_codes: 2,
        waits: true,
        ..ModelOptions::default()
    };
    let model = model(ROWS, options);
    let waited = |n: i64| {
        let prepared = model.prepare(&[&[n, 3], &[n]]).unwrap();
        assert_eq!(prepared.kind, Special);
        prepared.waited > Duration::ZERO
    };
    assert!(waited(1) && waited(2));
    assert!(!waited(1));
    // That for two rows was used least lately.
    assert!(waited(4));
    assert_eq!(model.cached_codes(), 2);
    assert!(!waited(1) && !waited(4));
    assert!(waited(2));
    assert!(!waited(4));
    // Every call waits, however many shapes there were.
    assert!((5..20).all(waited));
}

#[test]
fn no_more_bytes_are_kept_than_allowed() {
    let options = ModelOptions {
        cached_bytes: 1,
        ..ModelOptions::default()
    };
    let model = model(ROWS, options);
    assert_eq!([1, 2, 1].map(|n| rows(&model, n)), [Special; 3]);
    assert_eq!(model.cached_codes(), 1);
}

#[test]
fn nothing_is_compiled_beside_where_nothing_is_kept() {
    let options = ModelOptions {
        cached_codes: 0,
        any_size_from: 2,
        ..ModelOptions::default()
    };
    let model = model(ROWS, options);
    assert_eq!(
        [5, 5, 5].map(|n| rows(&model, n)),
        [Special, AnySize, AnySize]
    );
    model.settle();
    assert_eq!((rows(&model, 5), model.cached_codes()), (AnySize, 0));
}

#[test]
fn one_code_is_enough_where_shapes_are_static_or_that_is_asked_for() {
    let options = ModelOptions {
        specializes: false,
        ..ModelOptions::default()
    };
    let any = model(ROWS, options);
    assert_eq!([1, 2, 70].map(|n| rows(&any, n)), [AnySize; 3]);
    let square = model(SQUARE, ModelOptions::default());
    let x = tensor(&[3], &[1.0, -2.0, 3.0]);
    let (outputs, kind) = square.call(&[&x], &ExecuteOptions::default()).unwrap();
    assert_eq!((floats(&outputs[0]), kind), (vec![1.0, 4.0, 9.0], Static));
}

#[test]
fn what_does_not_fit_is_an_error_that_leaves_the_model_as_it_was() {
    let options = ModelOptions {
        any_size_from: 3,
        ..ModelOptions::default()
    };
    let model = model(ROWS, options);
    let fails = |shapes: &[&[i64]], words: &str| {
        let error = match model.prepare(shapes) {
            Err(error) => error.to_string(),
            Ok(prepared) => {
                // Code for any size finds out when it runs.
                let inputs: Vec<Tensor> = shapes
                    .iter()
                    .map(|shape| Tensor::zeros(&ElementType::F32, shape).unwrap())
                    .collect();
                let inputs: Vec<&Tensor> = inputs.iter().collect();
                let run = prepared
                    .executable
                    .execute(&inputs, &ExecuteOptions::default());
                let error = run.map(|_| "it ran").unwrap_err();
                assert!(matches!(error, Error::Run(_)), "{error}");
                error.to_string()
            }
        };
        assert!(error.contains(words), "{error}");
    };
    for _ in 0..4 {
        fails(&[&[0, 3], &[0]], "there are 0 rows");
        fails(&[&[2, 4], &[2]], "argument 0 of @main");
        fails(&[&[-1, 3], &[-1]], "argument 0 of @main");
        fails(&[&[2, 3]], "2 tensors");
    }
    // None of that was a new shape that there is code for.
    assert_eq!([1, 2].map(|n| rows(&model, n)), [Special; 2]);
    assert_eq!(rows(&model, 3), AnySize);
    fails(&[&[0, 3], &[0]], "there are 0 rows");
}

#[test]
fn sizes_that_contradict_each_other_are_an_error_of_every_kind_of_code() {
    for any_size_from in [1, 8] {
        let options = ModelOptions {
            any_size_from,
            ..ModelOptions::default()
        };
        let model = model(ROWS, options);
        let inputs = [tensor(&[2, 3], &[1.0; 6]), tensor(&[3], &[1.0; 3])];
        let inputs: Vec<&Tensor> = inputs.iter().collect();
        let error = model
            .call(&inputs, &ExecuteOptions::default())
            .map(|_| "it ran")
            .unwrap_err();
        assert!(
            matches!(error, Error::Refused(_) | Error::Run(_)),
            "{error}"
        );
        let text = error.to_string();
        assert!(
            text.contains("stablehlo.add") || text.contains("shape"),
            "{text}"
        );
    }
}

#[test]
fn threads_share_a_model() {
    let options = ModelOptions {
        cached_codes: 3,
        any_size_from: 4,
        ..ModelOptions::default()
    };
    let model = model(ROWS, options);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let model = &model;
            scope.spawn(move || {
                for i in 0..60 {
                    rows(model, 1 + (i * (thread + 2)) % 9);
                }
            });
        }
    });
    model.settle();
    assert!(model.cached_codes() <= 3);
}

#[test]
fn a_shape_is_compiled_for_once_however_many_ask_for_it_at_once() {
    let model = model(ROWS, ModelOptions::default());
    let made: Vec<_> = std::thread::scope(|scope| {
        let ask = || scope.spawn(|| model.prepare(&[&[5, 3], &[5]]).unwrap().executable);
        let all: Vec<_> = (0..4).map(|_| ask()).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(
        made.iter()
            .all(|executable| std::sync::Arc::ptr_eq(executable, &made[0]))
    );
}

/// More shapes than types are kept for in one context.
#[test]
fn a_program_outlives_its_context() {
    let options = ModelOptions {
        waits: true,
        ..ModelOptions::default()
    };
    let model = model(ROWS, options);
    assert!((1..=70).all(|n| rows(&model, n) == Special));
    assert_eq!(model.cached_codes(), 64);
}
