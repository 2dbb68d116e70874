//! How far the elementary functions are from the exact results, in units in the last place, over samples of all magnitudes.
//!
//! The reference for `f32` is the C library in `f64`, whose own error (below 1 ULP of `f64`) does not matter there; for `f64` it counts, so
//! bounds there are a unit wider than ours.

// A failing helper is a failing test.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use mapwright_mlir::{ElementType, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};

/// Runs the unary operation `op` over `inputs`.
fn run(op: &str, ty: &str, element: &ElementType, inputs: &[u8], count: usize) -> Vec<u8> {
    let source = format!(
        "func.func @main(%x: tensor<{count}x{ty}>) -> tensor<{count}x{ty}> {{\n  %0 = {op} %x : tensor<{count}x{ty}>{}\n  return %0 : tensor<{count}x{ty}>\n}}",
        if op.starts_with("chlo") {
            format!(" -> tensor<{count}x{ty}>")
        } else {
            String::new()
        },
    );
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("accuracy.mlir", source.as_bytes()) else {
        panic!("{}\n{source}", diagnostics.take());
    };
    let executable =
        match Executable::compile(Op::new(module.as_operation()), &CompileOptions::default()) {
            Ok(executable) => executable,
            Err(error) => panic!("{error}: {}", diagnostics.take()),
        };
    let input = Tensor::new(element, &[count as i64], inputs).unwrap();
    let outputs = executable
        .execute(&[&input], &ExecuteOptions::default())
        .unwrap();
    outputs[0].bytes().to_vec()
}

/// Position of a number in the order of all numbers.
fn order32(x: f32) -> i64 {
    let bits = i64::from(x.to_bits() as i32);
    if bits < 0 {
        i64::from(i32::MIN) - bits
    } else {
        bits
    }
}

fn order64(x: f64) -> i128 {
    let bits = i128::from(x.to_bits() as i64);
    if bits < 0 {
        i128::from(i64::MIN) - bits
    } else {
        bits
    }
}

/// Largest error of `op` over `f32` samples, against `reference` in `f64`; NaN must meet NaN.
fn single(op: &str, reference: impl Fn(f64) -> f64, bound: f64) {
    let mut samples: Vec<f32> = (0..1u32 << 19)
        .map(|i| f32::from_bits(i.wrapping_mul(8191) ^ (i << 20)))
        .collect();
    samples.extend([
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::MIN,
    ]);
    samples.extend((0..20_000).map(|i| (i as f32 - 10_000.0) * 1e-3));
    let bytes: Vec<u8> = samples.iter().flat_map(|x| x.to_le_bytes()).collect();
    let results = run(op, "f32", &ElementType::F32, &bytes, samples.len());
    let mut worst = (0.0f64, 0.0f32, 0.0f32);
    for (x, chunk) in samples.iter().zip(results.chunks_exact(4)) {
        let y = f32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        let exact = reference(f64::from(*x));
        if exact.is_nan() || y.is_nan() {
            assert!(
                exact.is_nan() && y.is_nan(),
                "{op}({x:e}) is {y:e}, not {exact:e}"
            );
            continue;
        }
        let near = exact as f32;
        let error = if near.is_infinite() || near == 0.0 {
            (order32(near) - order32(y)).abs() as f64
        } else {
            // Distance in units of the last place of the exact result.
            let unit = f64::from(f32::from_bits(near.abs().to_bits() + 1) - near.abs());
            (f64::from(y) - exact).abs() / unit
        };
        if error > worst.0 {
            worst = (error, *x, y);
        }
    }
    eprintln!("{op} f32: {:.2} ULP at {:e}", worst.0, worst.1);
    assert!(
        worst.0 <= bound,
        "{op}: {} ULP at {:e} (gave {:e})",
        worst.0,
        worst.1,
        worst.2
    );
}

fn double(op: &str, reference: impl Fn(f64) -> f64, bound: i128) {
    let mut samples: Vec<f64> = (0..1u64 << 17)
        .map(|i| f64::from_bits((i << 47) ^ i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 17))
        .collect();
    samples.extend([
        0.0,
        -0.0,
        1.0,
        -1.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MIN_POSITIVE,
        f64::MAX,
    ]);
    samples.extend((0..50_000).map(|i| (f64::from(i) - 25_000.0) * 1e-3));
    let bytes: Vec<u8> = samples.iter().flat_map(|x| x.to_le_bytes()).collect();
    let results = run(op, "f64", &ElementType::F64, &bytes, samples.len());
    let mut worst = (0, 0.0f64, 0.0f64);
    for (x, chunk) in samples.iter().zip(results.chunks_exact(8)) {
        let y = f64::from_le_bytes(chunk.try_into().unwrap());
        let exact = reference(*x);
        if exact.is_nan() || y.is_nan() {
            assert!(
                exact.is_nan() && y.is_nan(),
                "{op}({x:e}) is {y:e}, not {exact:e}"
            );
            continue;
        }
        let error = (order64(exact) - order64(y)).abs();
        if error > worst.0 {
            worst = (error, *x, y);
        }
    }
    eprintln!("{op} f64: {} ULP at {:e}", worst.0, worst.1);
    assert!(
        worst.0 <= bound,
        "{op}: {} ULP at {:e} (gave {:e})",
        worst.0,
        worst.1,
        worst.2
    );
}

#[test]
fn single_precision() {
    single("stablehlo.exponential", f64::exp, 1.0);
    single("stablehlo.log", f64::ln, 1.0);
    single("stablehlo.log_plus_one", f64::ln_1p, 1.0);
    single("stablehlo.exponential_minus_one", f64::exp_m1, 1.0);
    single("stablehlo.tanh", f64::tanh, 2.0);
    single("stablehlo.sine", f64::sin, 1.0);
    single("stablehlo.cosine", f64::cos, 1.0);
    single("stablehlo.tan", f64::tan, 1.5);
    single("stablehlo.sqrt", f64::sqrt, 0.51);
    single("stablehlo.rsqrt", |x| 1.0 / x.sqrt(), 1.6);
    single("stablehlo.cbrt", f64::cbrt, 1.5);
    single(
        "stablehlo.logistic",
        |x| {
            if x >= 0.0 {
                1.0 / (1.0 + (-x).exp())
            } else {
                x.exp() / (1.0 + x.exp())
            }
        },
        2.5,
    );
}

#[test]
fn double_precision() {
    double("stablehlo.exponential", f64::exp, 2);
    double("stablehlo.log", f64::ln, 2);
    double("stablehlo.tanh", f64::tanh, 3);
    double(
        "stablehlo.logistic",
        |x| {
            if x >= 0.0 {
                1.0 / (1.0 + (-x).exp())
            } else {
                x.exp() / (1.0 + x.exp())
            }
        },
        4,
    );
    double("stablehlo.log_plus_one", f64::ln_1p, 1);
    double("stablehlo.sine", f64::sin, 1);
}
