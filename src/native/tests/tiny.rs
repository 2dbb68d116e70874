//! Products of `bf16` near the lower end of its range, where the instruction for them takes numbers
//! as zero: against exact sums, in products of several forms and shapes, for programs that are
//! compiled for one, two and five threads, which must not make a difference.

use crate::ways::{self, assert_same_bits, numbers, run, ty};
use mapwright_mlir::{ElementType, FloatKind, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, Tensor};

fn compile(source: &str, threads: usize) -> Executable {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("test", source.as_bytes()) else {
        panic!("{}\n{source}", diagnostics.take());
    };
    let options = CompileOptions {
        threads,
        ..CompileOptions::default()
    };
    match Executable::compile(Op::new(module.as_operation()), &options) {
        Ok(executable) => executable,
        Err(error) => panic!("{} {error}\n{source}", diagnostics.take()),
    }
}

/// Numbers of `bf16`: of ordinary size, but those of each `period`-th line of `line` elements,
/// which are times `2^down`.
fn tensor(shape: &[i64], (line, period, down): (usize, usize, i32), mut seed: u64) -> Tensor {
    let element = ElementType::Float(FloatKind::BF16);
    let mut tensor = Tensor::zeros(&element, shape).expect("a small tensor");
    for (i, bytes) in tensor.bytes_mut().chunks_exact_mut(2).enumerate() {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let ordinary = ((seed >> 33) % 255) as f32 / 64.0 - 2.0;
        let scaled = match i / line % period {
            // In two steps: the power itself may be subnormal.
            0 => ordinary * 2f32.powi(down / 2) * 2f32.powi(down - down / 2),
            _ => ordinary,
        };
        // Towards zero; those that are left over of subnormal numbers have few bits.
        bytes.copy_from_slice(&scaled.to_le_bytes()[2..]);
    }
    tensor
}

/// Exact enough sums, and sums of magnitudes: `f64` has room for all products and 1000 of them.
fn expected(x: &Tensor, y: &Tensor, (m, k, n): (usize, usize, usize)) -> Vec<(f64, f64)> {
    let (x, y) = (numbers(x), numbers(y));
    let mut sums = Vec::new();
    for i in 0..m {
        for j in 0..n {
            let products = (0..k).map(|l| x[i * k + l] * y[l * n + j]);
            let (sum, all) = products.fold((0.0, 0.0), |(s, a), p| (s + p, a + p.abs()));
            sums.push((sum, all));
        }
    }
    sums
}

fn product(m: i64, k: i64, n: i64) -> String {
    let (x, y, r) = (ty(&[m, k], "bf16"), ty(&[k, n], "bf16"), ty(&[m, n], "f32"));
    format!(
        "func.func @main(%x: {x}, %y: {y}) -> {r} {{
         %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : ({x}, {y}) -> {r}
         return %r : {r}
         }}"
    )
}

/// Results for programs compiled for several numbers of threads, all the same.
fn results(source: &str, inputs: &[Tensor]) -> Vec<Tensor> {
    let one = run(&compile(source, 1), inputs, 1);
    for threads in [2, 5] {
        let executable = compile(source, threads);
        for used in [1, threads] {
            let found = run(&executable, inputs, used);
            assert_same_bits(&one, &found, "threads change the result", source);
        }
    }
    one
}

#[test]
fn nothing_is_lost() {
    for (m, k, n) in [
        (4, 2, 16),
        (13, 61, 43),
        (37, 64, 96),
        (129, 31, 257),
        (300, 130, 70),
    ] {
        let source = product(m, k, n);
        for (down_x, down_y) in [(-70, -70), (-130, 0), (0, -130), (-60, -64), (-100, -20)] {
            let x = tensor(&[m, k], (k as usize, 3, down_x), 5);
            // Every second panel or so.
            let y = tensor(&[k, n], (n as usize / 2 + 1, 2, down_y), 6);
            let inputs = [x, y];
            let found = numbers(&results(&source, &inputs)[0]);
            let exact = expected(&inputs[0], &inputs[1], (m as usize, k as usize, n as usize));
            for (i, (p, (q, all))) in found.iter().zip(&exact).enumerate() {
                // Each addition may round to a multiple of the least number.
                let bound = 1e-6 * all + k as f64 * f64::from(f32::from_bits(1));
                assert!(
                    (p - q).abs() <= bound,
                    "{down_x} {down_y}, element {i}: {p:e}, not {q:e}\n{source}"
                );
            }
        }
    }
}

/// Sums that nearly cancel are subnormal where no product is.
#[test]
fn differences_are_kept() {
    let (m, k, n) = (16, 32, 64);
    let source = product(m, k, n);
    let mut inputs = [tensor(&[m, k], (1, 1, 0), 1), tensor(&[k, n], (1, 1, 0), 1)];
    let mut fill = |which: usize, value: &dyn Fn(usize) -> f32| {
        for (i, bytes) in inputs[which].bytes_mut().chunks_exact_mut(2).enumerate() {
            bytes.copy_from_slice(&value(i).to_le_bytes()[2..]);
        }
    };
    let power = |e: i32| 2f32.powi(e);
    // 1 and -(1 - 2^-8), and nothing else.
    fill(0, &|i| match i as i64 % k {
        0 => power(-60),
        7 => -power(-60) * (1.0 - power(-8)),
        _ => 0.0,
    });
    fill(1, &|_| power(-65));
    let found = numbers(&results(&source, &inputs)[0]);
    assert!(
        found.iter().all(|x| *x == f64::from(power(-125)) / 256.0),
        "{found:?}"
    );
}

/// An infinity times the least number is infinite, and times zero not a number.
#[test]
fn infinities_are_kept() {
    let (m, k, n) = (8, 16, 32);
    let source = product(m, k, n);
    let mut inputs = [tensor(&[m, k], (1, 1, 0), 1), tensor(&[k, n], (1, 1, 0), 1)];
    for bytes in inputs[0].bytes_mut().chunks_exact_mut(2) {
        bytes.copy_from_slice(&0x7f80u16.to_le_bytes());
    }
    for (i, bytes) in inputs[1].bytes_mut().chunks_exact_mut(2).enumerate() {
        let zero = i as i64 == n + 3;
        bytes.copy_from_slice(&u16::from(!zero).to_le_bytes());
    }
    let found = numbers(&results(&source, &inputs)[0]);
    for (i, x) in found.iter().enumerate() {
        match i as i64 % n {
            3 => assert!(x.is_nan(), "{x}"),
            _ => assert_eq!(*x, f64::INFINITY),
        }
    }
}

/// Convolutions, whose rows are windows of an image, and attention, whose second product has rows
/// that were just made.
#[test]
fn other_forms_agree() {
    let (image, filter, out) = (
        ty(&[2, 9, 11, 8], "bf16"),
        ty(&[3, 3, 8, 24], "bf16"),
        ty(&[2, 9, 11, 24], "f32"),
    );
    let convolution = format!(
        "func.func @main(%x: {image}, %w: {filter}) -> {out} {{
         %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{pad = [[1, 1], [1, 1]]}} {{feature_group_count = 1 : i64, batch_group_count = 1 : i64}} : ({image}, {filter}) -> {out}
         return %r : {out}
         }}"
    );
    let (q, s, sf, r) = (
        ty(&[2, 67, 32], "bf16"),
        ty(&[2, 67, 67], "bf16"),
        ty(&[2, 67, 67], "f32"),
        ty(&[2, 67], "f32"),
    );
    let o = ty(&[2, 67, 32], "f32");
    // Scores that lie far apart, so that weights are of all sizes.
    let attention = format!(
        "func.func @main(%q: {q}, %k: {q}, %v: {q}) -> {o} {{
         %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : ({q}, {q}) -> {sf}
         %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
         %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : ({sf}, tensor<f32>) -> {r}
         %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : ({r}) -> {sf}
         %d = stablehlo.subtract %s, %mb : {sf}
         %e = stablehlo.exponential %d : {sf}
         %p = stablehlo.convert %e : ({sf}) -> {s}
         %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({s}, {q}) -> {o}
         return %o : {o}
         }}"
    );
    let forms: [(&str, Vec<Tensor>); 2] = [
        (
            &convolution,
            vec![
                tensor(&[2, 9, 11, 8], (88, 3, -80), 1),
                tensor(&[3, 3, 8, 24], (24, 2, -50), 2),
            ],
        ),
        (
            &attention,
            vec![
                tensor(&[2, 67, 32], (32, 1, 0), 1),
                tensor(&[2, 67, 32], (32, 1, 0), 2),
                tensor(&[2, 67, 32], (1, 3, -80), 3),
            ],
        ),
    ];
    for (source, inputs) in forms {
        let found = results(source, &inputs);
        let [general] = ways::compile(source, [&["chain", "contraction"]]);
        let exact = run(&general, &inputs, 1);
        for (p, q) in numbers(&found[0]).iter().zip(numbers(&exact[0])) {
            // Sums of numbers that are not negative do not cancel; others do, by how much depends
            // on all of them.
            assert!(
                (p - q).abs() <= 1e-4 * q.abs() + 1e-4 * 2f64.powi(-40),
                "{p:e} {q:e}"
            );
        }
    }
}
