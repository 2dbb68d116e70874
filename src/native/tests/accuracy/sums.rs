//! Sums of 16-bit floats, whichever form and emitter: within the rounding of one exact sum.

use mapwright_mlir::{ElementType, FloatKind, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};

/// A 16-bit format: its type, and its numbers of bits of exponent and mantissa.
struct Format {
    kind: FloatKind,
    name: &'static str,
    exponent: u32,
    mantissa: u32,
}

const FORMATS: [Format; 2] = [
    Format {
        kind: FloatKind::F16,
        name: "f16",
        exponent: 5,
        mantissa: 10,
    },
    Format {
        kind: FloatKind::BF16,
        name: "bf16",
        exponent: 8,
        mantissa: 7,
    },
];

impl Format {
    fn value(&self, bits: u16) -> f64 {
        let bits = u32::from(bits);
        let fraction = f64::from(bits & ((1 << self.mantissa) - 1));
        let exponent = (bits >> self.mantissa) & ((1 << self.exponent) - 1);
        let bias = (1 << (self.exponent - 1)) - 1;
        let scale = |e: i32| 2f64.powi(e - bias - self.mantissa as i32);
        let size = match exponent as i32 {
            0 => fraction * scale(1),
            e => (fraction + f64::from(1u32 << self.mantissa)) * scale(e),
        };
        if bits >> 15 == 1 { -size } else { size }
    }

    /// The distance of two neighbours around `exact`.
    fn unit(&self, exact: f64) -> f64 {
        let least = 2 - (1 << (self.exponent - 1));
        let exponent = (exact.abs().log2().floor() as i32).max(least);
        2f64.powi(exponent - self.mantissa as i32)
    }

    /// The bits of random numbers of both signs, most of them positive, so that sums grow.
    fn random(&self, count: usize) -> Vec<u16> {
        let mut state = 17u64;
        let bias = (1u64 << (self.exponent - 1)) - 1;
        (0..count)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let random = state >> 33;
                let sign = u64::from(random.is_multiple_of(7)) << 15;
                let exponent = (bias - (random >> 4) % 3) << self.mantissa;
                (sign | exponent | ((random >> 8) & ((1 << self.mantissa) - 1))) as u16
            })
            .collect()
    }
}

/// One way to write a sum over `[rows, columns]`: the operation, its result type, and which
/// elements each result adds up.
struct Form {
    operation: &'static str,
    result: &'static [i64],
    terms: fn(usize) -> Vec<usize>,
}

const ROWS: usize = 48;
const COLUMNS: usize = 700;

const FORMS: [Form; 5] = [
    Form {
        operation: "stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1]",
        result: &[48],
        terms: |i| (0..COLUMNS).map(|k| i * COLUMNS + k).collect(),
    },
    Form {
        operation: "stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0]",
        result: &[700],
        terms: |i| (0..ROWS).map(|k| k * COLUMNS + i).collect(),
    },
    Form {
        operation: "stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1]",
        result: &[],
        terms: |_| (0..ROWS * COLUMNS).collect(),
    },
    Form {
        operation: "\"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: 1, 50>, window_strides = array<i64: 1, 10>}> ({
          ^bb0(%a: tensor<E>, %b: tensor<E>):
            %s = stablehlo.add %b, %a : tensor<E>
            stablehlo.return %s : tensor<E>
        })",
        result: &[48, 66],
        terms: |i| (0..50).map(|k| i / 66 * COLUMNS + i % 66 * 10 + k).collect(),
    },
    Form {
        operation: "\"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: 1, 700>,
            padding = dense<[[0, 0], [699, 0]]> : tensor<2x2xi64>}> ({
          ^bb0(%a: tensor<E>, %b: tensor<E>):
            %s = stablehlo.add %a, %b : tensor<E>
            stablehlo.return %s : tensor<E>
        })",
        result: &[48, 700],
        terms: |i| (0..=i % COLUMNS).map(|k| i / COLUMNS * COLUMNS + k).collect(),
    },
];

#[test]
fn sums_of_sixteen_bits_are_rounded_once() {
    for format in &FORMATS {
        let element = ElementType::Float(format.kind);
        let input = format.random(ROWS * COLUMNS);
        let bytes: Vec<u8> = input.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        let input = Tensor::new(&element, &[ROWS as i64, COLUMNS as i64], &bytes).unwrap();
        let value = |i: usize| {
            let at = 2 * i;
            format.value(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
        };
        for form in &FORMS {
            let shape: String = form.result.iter().map(|n| format!("{n}x")).collect();
            let source = format!(
                "func.func @main(%x: tensor<{ROWS}x{COLUMNS}xE>) -> tensor<{shape}E> {{
                   %z = stablehlo.constant dense<0.0> : tensor<E>
                   %0 = {} : (tensor<{ROWS}x{COLUMNS}xE>, tensor<E>) -> tensor<{shape}E>
                   return %0 : tensor<{shape}E>
                 }}",
                form.operation
            );
            // Only the element type is written so.
            let source = source.replace("xE>", &format!("x{}>", format.name));
            let source = source.replace("<E>", &format!("<{}>", format.name));
            let context = context();
            let diagnostics = Diagnostics::to_text(&context);
            let Ok(module) = diagnostics.parse("sums.mlir", source.as_bytes()) else {
                panic!("{}\n{source}", diagnostics.take());
            };
            let options = CompileOptions::default();
            let executable = Executable::compile(Op::new(module.as_operation()), &options)
                .unwrap_or_else(|error| panic!("{error}: {}", diagnostics.take()));
            let outputs = executable.execute(&[&input], &ExecuteOptions::default());
            let outputs = outputs.unwrap();
            for (i, bits) in outputs[0].bytes().chunks_exact(2).enumerate() {
                let found = format.value(u16::from_le_bytes([bits[0], bits[1]]));
                let exact: f64 = (form.terms)(i).into_iter().map(value).sum();
                let error = (found - exact).abs() / format.unit(exact);
                assert!(
                    error <= 0.51,
                    "{} {shape}: element {i} is {found}, the sum {exact}: {error} units",
                    format.name
                );
            }
        }
    }
}
