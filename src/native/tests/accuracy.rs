//! How far the elementary functions are from the exact results, in units in the last place, over
//! samples of all magnitudes.
//!
//! The reference for `f32` is the C library in `f64`, whose own error (below 1 ULP of `f64`) does
//! not matter there; for `f64` it counts, so bounds there are a unit wider than ours.

mod double;
mod exact_values;
mod pairs;
mod sums;

use exact_values::{EXPONENTIALS, POWERS};
use mapwright_mlir::{ElementType, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};
use mapwright_runtime::complex;

/// Runs the operation `op`, of one or two operands, over `inputs`.
fn run(op: &str, ty: &str, element: &ElementType, inputs: &[&[u8]], count: usize) -> Vec<u8> {
    let tensor = format!("tensor<{count}x{ty}>");
    let names: Vec<String> = (0..inputs.len()).map(|i| format!("%x{i}")).collect();
    let arguments: Vec<String> = names.iter().map(|x| format!("{x}: {tensor}")).collect();
    let types = vec![tensor.clone(); inputs.len()].join(", ");
    let source = format!(
        "func.func @main({}) -> {tensor} {{\n  %0 = \"{op}\"({}) : ({types}) -> {tensor}\n  return %0 : {tensor}\n}}",
        arguments.join(", "),
        names.join(", "),
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
    let tensor = |bytes: &&[u8]| Tensor::new(element, &[count as i64], bytes).unwrap();
    let inputs: Vec<Tensor> = inputs.iter().map(tensor).collect();
    let outputs = executable
        .execute(
            &inputs.iter().collect::<Vec<_>>(),
            &ExecuteOptions::default(),
        )
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

/// Distance in units of the last place of the exact result.
fn units(y: f32, exact: f64) -> f64 {
    let near = exact as f32;
    if near.is_infinite() || near == 0.0 {
        return (order32(near) - order32(y)).abs() as f64;
    }
    let unit = f64::from(f32::from_bits(near.abs().to_bits() + 1) - near.abs());
    (f64::from(y) - exact).abs() / unit
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
    let results = run(op, "f32", &ElementType::F32, &[&bytes], samples.len());
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
        let error = units(y, exact);
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

/// Largest distance of `op` over samples from `reference`, in numbers.
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
    let results = run(op, "f64", &ElementType::F64, &[&bytes], samples.len());
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
    single("stablehlo.tan", f64::tan, 1.0);
    single("stablehlo.sqrt", f64::sqrt, 0.51);
    single("stablehlo.rsqrt", |x| 1.0 / x.sqrt(), 1.6);
    single("stablehlo.cbrt", f64::cbrt, 0.51);
    single("chlo.asin", f64::asin, 0.51);
    single("chlo.acos", f64::acos, 0.51);
    single("chlo.atan", f64::atan, 0.51);
    single("chlo.sinh", f64::sinh, 0.51);
    single("chlo.cosh", f64::cosh, 0.51);
    single("chlo.asinh", f64::asinh, 0.51);
    single("chlo.acosh", f64::acosh, 0.51);
    single("chlo.atanh", f64::atanh, 0.51);
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
    double("stablehlo.cosine", f64::cos, 1);
    double("stablehlo.tan", f64::tan, 1);
    double("stablehlo.exponential_minus_one", f64::exp_m1, 1);
    double("chlo.atan", f64::atan, 1);
    double("chlo.asin", f64::asin, 1);
    double("chlo.acos", f64::acos, 1);
    double("chlo.cosh", f64::cosh, 1);
    // These of the C library are up to two units off.
    double("chlo.sinh", f64::sinh, 2);
    double("stablehlo.cbrt", f64::cbrt, 3);
}

type Complex = (f64, f64);

/// Argument and logarithm (by mpmath, 1000 bits), far nearer to the unit circle than a unit in the
/// last place of the square.
const LOGARITHMS: &[(Complex, Complex)] = &[
    (
        (-0.034848488637158156, 0.9993926069566984),
        (2.1394629991982358e-21, 1.605651872723227),
    ),
    (
        (-0.8151727933902788, 0.5792178492728706),
        (5.748164759921306e-21, 2.523823781076427),
    ),
    (
        (-0.7818837632357218, 0.6234242382105027),
        (-5.8748623129286344e-21, 2.4684780840704317),
    ),
    (
        (0.9485004975049238, -0.31677564021387755),
        (5.939628962063348e-21, -0.322328120137076),
    ),
    (
        (-0.35053269317618707, 0.9365504957100013),
        (-6.717029814487457e-21, 1.928936152061338),
    ),
    (
        (0.858574528433401, 0.5126887741362816),
        (-8.827706078362806e-21, 0.5383135450308387),
    ),
];

/// The operation on complex numbers against exact values, to a unit in the last place of each part.
fn of_complex(op: &str, columns: &[Vec<Complex>], exact: &[Complex]) {
    let bytes = |column: &Vec<Complex>| -> Vec<u8> {
        let parts = column.iter().flat_map(|z| [z.0, z.1]);
        parts.flat_map(f64::to_le_bytes).collect()
    };
    let inputs: Vec<Vec<u8>> = columns.iter().map(bytes).collect();
    let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let element = ElementType::Complex(mapwright_mlir::FloatKind::F64);
    let found = run(op, "complex<f64>", &element, &inputs, exact.len());
    let parts = exact.iter().flat_map(|z| [z.0, z.1]);
    for (i, (part, exact)) in found.chunks_exact(8).zip(parts).enumerate() {
        let part = f64::from_le_bytes(part.try_into().unwrap());
        // Whichever zero.
        let near = part == exact || (order64(part) - order64(exact)).abs() <= 1;
        assert!(near, "{op}: {part:e}, not {exact:e}, in part {i}");
    }
}

/// What the runtime computes where compiled code does not, to the last bit.
#[test]
fn functions_of_the_runtime() {
    let conjugate = |z: Complex| (z.0, -z.1);
    for (z, w, exact) in POWERS {
        assert_eq!(complex::power(*z, *w), *exact, "{z:?} ^ {w:?}");
        // The function of the conjugates is the conjugate.
        let found = complex::power(conjugate(*z), conjugate(*w));
        assert_eq!(conjugate(found), *exact, "conjugate of {z:?} ^ {w:?}");
    }
    for (z, minus_one, sigmoid) in EXPONENTIALS {
        let found = complex::exponential_minus_one(*z);
        assert_eq!(found, *minus_one, "exp({z:?}) - 1");
        assert_eq!(complex::logistic(*z), *sigmoid, "1 / (1 + exp(-{z:?}))");
    }
}

#[test]
fn parts_that_nearly_vanish() {
    let (bases, exponents) = POWERS.iter().map(|row| (row.0, row.1)).unzip();
    let exact: Vec<Complex> = POWERS.iter().map(|row| row.2).collect();
    of_complex("stablehlo.power", &[bases, exponents], &exact);
    let arguments: Vec<Complex> = EXPONENTIALS.iter().map(|row| row.0).collect();
    let exact: Vec<Complex> = EXPONENTIALS.iter().map(|row| row.1).collect();
    of_complex(
        "stablehlo.exponential_minus_one",
        std::slice::from_ref(&arguments),
        &exact,
    );
    let exact: Vec<Complex> = EXPONENTIALS.iter().map(|row| row.2).collect();
    of_complex("stablehlo.logistic", &[arguments], &exact);
    let arguments: Vec<Complex> = LOGARITHMS.iter().map(|row| row.0).collect();
    let exact: Vec<Complex> = LOGARITHMS.iter().map(|row| row.1).collect();
    of_complex("stablehlo.log", &[arguments], &exact);
}
