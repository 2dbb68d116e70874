//! Using compiled programs: many calls, many threads, failures that leave everything usable,
//! nothing left behind.

use mapwright_mlir::{ElementType, FloatKind, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Error, Executable, ExecuteOptions, Tensor, progress};
use mapwright_runtime::{Context, Status, custom_call};
use std::{
    ffi::{c_char, c_void},
    sync::{Mutex, MutexGuard, PoisonError},
};

fn try_compile(source: &str) -> Result<Executable, String> {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let module = diagnostics
        .parse("test", source.as_bytes())
        .map_err(|_| diagnostics.take())?;
    let options = CompileOptions {
        threads: 2,
        ..CompileOptions::default()
    };
    Executable::compile(Op::new(module.as_operation()), &options)
        .map_err(|error| format!("{} {error}", diagnostics.take()))
}

fn compile(source: &str) -> Executable {
    try_compile(source).unwrap_or_else(|why| panic!("{why}\n{source}"))
}

fn floats(shape: &[i64], values: &[f32]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    Tensor::new(&ElementType::F32, shape, &bytes).expect("a tensor")
}

fn values(tensor: &Tensor) -> Vec<f32> {
    tensor
        .bytes()
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

/// A watcher is told the stages, and each part with its kernel and how many are done.
#[test]
fn a_compilation_says_how_far_it_is() {
    type Told = (String, Option<(usize, usize)>, String);
    static TOLD: Mutex<Vec<Told>> = Mutex::new(Vec::new());
    progress::watch(|step| {
        let told = (step.stage.to_owned(), step.parts, step.function.to_owned());
        TOLD.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(told);
    });
    compile(
        "func.func @watched(%x: tensor<40x30xf32>, %y: tensor<30x50xf32>) -> tensor<40x50xf32> {
            %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<40x30xf32>, tensor<30x50xf32>) -> tensor<40x50xf32>
            return %0 : tensor<40x50xf32>
        }",
    );
    let told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    for stage in ["normalise", "fuse", "convert", "link"] {
        assert!(
            told.iter().any(|(own, ..)| own == stage),
            "{stage}: {told:?}"
        );
    }
    // Other tests compile meanwhile, so that parts are looked for by the name of the function.
    let own: Vec<&Told> = told
        .iter()
        .filter(|told| told.2.contains("watched"))
        .collect();
    assert!(!own.is_empty(), "{told:?}");
    for (stage, parts, _) in own {
        let (done, all) = parts.expect("parts");
        assert!(stage == "optimise" && done < all, "{told:?}");
    }
}

const SCALED: &str = "func.func @main(%x: tensor<?xf32>, %k: tensor<f32>) -> tensor<?xf32> {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %f = stablehlo.dynamic_broadcast_in_dim %k, %s, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %0 = stablehlo.multiply %x, %f : tensor<?xf32>
    return %0 : tensor<?xf32>
}";

fn scaled(executable: &Executable, n: usize, k: f32) {
    let data: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let (x, k_tensor) = (floats(&[n as i64], &data), floats(&[], &[k]));
    let found = executable
        .execute(&[&x, &k_tensor], &ExecuteOptions::default())
        .expect("runs");
    let expected: Vec<f32> = data.iter().map(|x| x * k).collect();
    assert_eq!((found.len(), found[0].shape()), (1, &[n as i64][..]));
    assert_eq!(values(&found[0]), expected);
    assert_eq!(values(&x), data, "an argument changed");
}

/// The tests run one after another: they measure the memory of the process.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Resident memory in bytes.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: usize = text
        .split_whitespace()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    pages * 4096
}

#[test]
fn many_calls_of_many_sizes_and_nothing_is_left() {
    let _alone = alone();
    let executable = compile(SCALED);
    for i in 0..2000 {
        scaled(&executable, i % 300, i as f32);
    }
    let before = resident();
    for i in 0..20_000 {
        scaled(&executable, i % 300, i as f32);
    }
    let grown = resident().saturating_sub(before);
    // A call that kept its result would keep some 12 MB.
    assert!(grown < 2 << 20, "20000 calls keep {grown} bytes");
}

#[test]
fn executables_in_several_threads_at_once() {
    let _alone = alone();
    let scales = compile(SCALED);
    let sums = compile(
        "func.func @main(%x: tensor<1000xf32>) -> tensor<f32> {
           %z = stablehlo.constant dense<0.0> : tensor<f32>
           %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
           return %0 : tensor<f32>
         }",
    );
    std::thread::scope(|scope| {
        for t in 0..4usize {
            let (scales, sums) = (&scales, &sums);
            scope.spawn(move || {
                for i in 0..150 {
                    scaled(scales, 37 * t + i, (t + i) as f32);
                    let x = floats(&[1000], &vec![(t + i) as f32; 1000]);
                    let found = sums
                        .execute(&[&x], &ExecuteOptions::default())
                        .expect("runs");
                    assert_eq!(values(&found[0]), [1000.0 * (t + i) as f32]);
                }
            });
        }
    });
}

#[test]
fn programs_compiled_and_run_in_several_threads_at_once() {
    let _alone = alone();
    std::thread::scope(|scope| {
        for t in 0..4usize {
            scope.spawn(move || {
                for i in 0..4 {
                    let n = 10 * t + i + 2;
                    let source = format!(
                        "func.func @main(%x: tensor<{n}xf32>) -> (tensor<{n}xf32>, tensor<f32>) {{
                           %k = stablehlo.constant dense<{t}.0> : tensor<{n}xf32>
                           %z = stablehlo.constant dense<0.0> : tensor<f32>
                           %0 = stablehlo.multiply %x, %k : tensor<{n}xf32>
                           %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<{n}xf32>, tensor<f32>) -> tensor<f32>
                           return %0, %1 : tensor<{n}xf32>, tensor<f32>
                         }}"
                    );
                    // Another thread compiles while this one runs, and while its program is freed.
                    let executable = compile(&source);
                    let x = floats(&[n as i64], &vec![2.0; n]);
                    let found = executable
                        .execute(&[&x], &ExecuteOptions::default())
                        .expect("runs");
                    assert_eq!(values(&found[0]), vec![2.0 * t as f32; n]);
                    assert_eq!(values(&found[1]), [(2 * t * n) as f32]);
                }
            });
        }
    });
}

#[test]
fn programs_are_freed() {
    let _alone = alone();
    let round = |n: usize| {
        for i in 0..n {
            let source = format!(
                "func.func @main(%x: tensor<{}xf32>) -> tensor<{}xf32> {{ %0 = stablehlo.exponential %x : tensor<{}xf32> return %0 : tensor<{}xf32> }}",
                i + 5,
                i + 5,
                i + 5,
                i + 5
            );
            let executable = compile(&source);
            let x = floats(&[i as i64 + 5], &vec![0.0; i + 5]);
            let found = executable
                .execute(&[&x], &ExecuteOptions::default())
                .expect("runs");
            assert_eq!(values(&found[0]), vec![1.0; i + 5]);
        }
    };
    round(6);
    let before = resident();
    round(12);
    let grown = resident().saturating_sub(before);
    // A context of MLIR or a module of LLVM that stayed would be a few MB each time.
    assert!(grown < 12 << 20, "12 programs keep {grown} bytes");
}

#[test]
fn inputs_that_do_not_fit() {
    let _alone = alone();
    let executable = compile(
        "func.func @main(%x: tensor<2x?xf32>, %y: tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<2x?xf32> {
           %0 = stablehlo.negate %x : tensor<2x?xf32>
           return %0 : tensor<2x?xf32>
         }",
    );
    let ints = |n: usize| Tensor::zeros(&ElementType::int(32), &[n as i64]).expect("a tensor");
    let good = floats(&[2, 3], &[0.0; 6]);
    let half = Tensor::zeros(&ElementType::Float(FloatKind::F16), &[2, 3]).expect("a tensor");
    let refused = |inputs: &[&Tensor], part: &str| match executable
        .execute(inputs, &ExecuteOptions::default())
    {
        Err(Error::Input(why)) => assert!(why.contains(part), "{why}"),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("taken: {part}"),
    };
    refused(&[&good], "takes 2 tensors, not 1");
    refused(&[&good, &ints(2), &ints(2)], "takes 2 tensors, not 3");
    refused(&[&half, &ints(2)], "type f16 does not fit");
    refused(&[&floats(&[3, 2], &[0.0; 6]), &ints(2)], "shape [3, 2]");
    refused(&[&floats(&[6], &[0.0; 6]), &ints(2)], "shape [6]");
    refused(&[&good, &ints(5)], "argument 1");
    assert!(Tensor::new(&ElementType::F32, &[2], &[0; 7]).is_err());
    assert!(Tensor::zeros(&ElementType::F32, &[-1]).is_err());
    assert!(Tensor::zeros(&ElementType::F32, &[i64::MAX, i64::MAX]).is_err());
    assert!(executable.signature(Some("other")).is_err());
    // And it still works.
    let found = executable.execute(&[&good, &ints(4)], &ExecuteOptions::default());
    assert_eq!(values(&found.expect("runs")[0]), [-0.0; 6]);
}

#[test]
fn out_of_memory_is_an_error() {
    let _alone = alone();
    let executable = compile(
        "func.func @main(%n: tensor<1xi64>) -> (tensor<?xf64>, tensor<f64>) {
           %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi64>) -> tensor<?xf64>
           %z = stablehlo.constant dense<0.0> : tensor<f64>
           %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
           return %0, %1 : tensor<?xf64>, tensor<f64>
         }",
    );
    let size =
        |n: i64| Tensor::new(&ElementType::int(64), &[1], &n.to_le_bytes()).expect("a tensor");
    let before = resident();
    for _ in 0..50 {
        for n in [1i64 << 55, i64::MAX / 4, -3] {
            match executable.execute(&[&size(n)], &ExecuteOptions::default()) {
                Err(Error::Run(_)) => {}
                Err(other) => panic!("{other}"),
                Ok(_) => panic!("{n} elements"),
            }
        }
        let found = executable
            .execute(&[&size(1000)], &ExecuteOptions::default())
            .expect("a small one still runs");
        assert_eq!(found[1].bytes(), 499_500f64.to_le_bytes());
    }
    let grown = resident().saturating_sub(before);
    assert!(grown < 4 << 20, "{grown} bytes are kept");
}

/// Fails when its argument is negative, otherwise gives its root.
unsafe extern "C" fn root(
    user: *mut c_void,
    context: *const Context,
    arguments: *const custom_call::BufferView,
    argument_count: i64,
    results: *mut custom_call::BufferView,
    result_count: i64,
    _attributes: *const c_char,
) -> i32 {
    assert_eq!((argument_count, result_count), (1, 1));
    // SAFETY: the numbers of arguments and results were checked; both are scalars of type f32, and
    // `user` is the counter of the test.
    unsafe {
        (*user.cast::<std::sync::atomic::AtomicUsize>())
            .fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let x = *(*arguments).data.cast::<f32>();
        if x < 0.0 {
            (*context).set_error(&mapwright_runtime::Error::invalid("a negative number"));
            return Status::InvalidArgument as i32;
        }
        *(*results).data.cast::<f32>() = x.sqrt();
    }
    0
}

#[test]
fn a_callback_that_fails() {
    let _alone = alone();
    static CALLS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    // SAFETY: the function may be called from any thread, and the counter lives for ever.
    unsafe {
        custom_call::register(
            "test.root",
            custom_call::Target {
                function: root,
                user: (&raw const CALLS).cast_mut().cast(),
            },
        );
    }
    let executable = compile(
        "func.func @main(%x: tensor<f32>) -> tensor<f32> {
           %0 = stablehlo.custom_call @test.root(%x) : (tensor<f32>) -> tensor<f32>
           %1 = stablehlo.custom_call @test.root(%0) : (tensor<f32>) -> tensor<f32>
           return %1 : tensor<f32>
         }",
    );
    let run = |x: f32| executable.execute(&[&floats(&[], &[x])], &ExecuteOptions::default());
    for _ in 0..3 {
        match run(-1.0) {
            Err(Error::Run(error)) => {
                assert_eq!(error.status, Status::InvalidArgument);
                let start = "custom call \"test.root\" failed: a negative number, in 'stablehlo.custom_call' at loc(";
                assert!(error.message.starts_with(start), "{}", error.message);
            }
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("the failure is lost"),
        }
        assert_eq!(values(&run(16.0).expect("runs")[0]), [2.0]);
    }
    // What follows a failure is not done.
    assert_eq!(CALLS.load(std::sync::atomic::Ordering::SeqCst), 3 * (1 + 2));
    custom_call::unregister("test.root");
}

#[test]
fn tuples_are_taken_apart() {
    let _alone = alone();
    let executable = compile(
        "func.func @main(%a: tuple<tensor<2xf32>, tuple<tensor<f32>>>) -> tuple<tensor<2xf32>, tensor<f32>> {
           %0 = stablehlo.get_tuple_element %a[0] : (tuple<tensor<2xf32>, tuple<tensor<f32>>>) -> tensor<2xf32>
           %1 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<2xf32>, tuple<tensor<f32>>>) -> tuple<tensor<f32>>
           %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<f32>>) -> tensor<f32>
           %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<2xf32>
           %4 = stablehlo.add %0, %3 : tensor<2xf32>
           %5 = stablehlo.tuple %4, %2 : tuple<tensor<2xf32>, tensor<f32>>
           return %5 : tuple<tensor<2xf32>, tensor<f32>>
         }",
    );
    let signature = executable.signature(None).expect("one entry");
    assert_eq!((signature.inputs.len(), signature.outputs.len()), (2, 2));
    let found = executable
        .execute(
            &[&floats(&[2], &[1.0, 2.0]), &floats(&[], &[10.0])],
            &ExecuteOptions::default(),
        )
        .expect("runs");
    assert_eq!(values(&found[0]), [11.0, 12.0]);
    assert_eq!(values(&found[1]), [10.0]);
}

#[test]
fn what_cannot_be_compiled_says_where_and_why() {
    let _alone = alone();
    let source = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @nobody.knows.this(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}";
    let why = match try_compile(source) {
        Err(why) => why,
        Ok(executable) => {
            let x = floats(&[4], &[0.0; 4]);
            match executable.execute(&[&x], &ExecuteOptions::default()) {
                Err(error) => error.to_string(),
                Ok(_) => panic!("an unknown target ran"),
            }
        }
    };
    assert!(why.contains("nobody.knows.this"), "{why}");
}
