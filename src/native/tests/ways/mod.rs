//! One program compiled in several ways and run on the same numbers: what the tests of emitters
//! share.

#![allow(dead_code, reason = "each test takes what it needs")]

use mapwright_mlir::{ElementType, FloatKind, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};

/// `tensor<7x13xf32>`.
pub fn ty(shape: &[i64], element: &str) -> String {
    let sizes: Vec<String> = shape.iter().map(|n| format!("{n}x")).collect();
    format!("tensor<{}{element}>", sizes.concat())
}

/// Constant data with numbers as [`Numbers`] has them, and integers below 100.
pub fn dense(shape: &[i64], element: &str, seed: u64) -> String {
    let kind = match element {
        "f32" => ElementType::Float(FloatKind::F32),
        "f64" => ElementType::Float(FloatKind::F64),
        "bf16" => ElementType::Float(FloatKind::BF16),
        "i8" => ElementType::Int {
            width: 8,
            unsigned: false,
        },
        other => panic!("constants of type {other}"),
    };
    let numbers = Numbers {
        every: 0,
        odd: ODD,
        below: 100,
    };
    let tensor = numbers.tensor(&kind, shape, &mut seed.clone());
    let hex: Vec<String> = tensor.bytes().iter().map(|b| format!("{b:02X}")).collect();
    format!("dense<\"0x{}\"> : {}", hex.concat(), ty(shape, element))
}

/// A function `@main` of `%arg0`, `%arg1`, … with `body`, which ends with its `return`.
pub fn program(inputs: &[String], outputs: &[String], body: &str) -> String {
    let arguments: Vec<String> = inputs
        .iter()
        .enumerate()
        .map(|(i, t)| format!("%arg{i}: {t}"))
        .collect();
    format!(
        "func.func @main({}) -> ({}) {{\n{body}\n}}\n",
        arguments.join(", "),
        outputs.join(", ")
    )
}

/// Compiles `source` once for each list of what must not be used.
pub fn compile<const N: usize>(source: &str, disabled: [&[&str]; N]) -> [Executable; N] {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("test", source.as_bytes()) else {
        panic!("{}\n{source}", diagnostics.take());
    };
    disabled.map(|disabled| {
        let options = CompileOptions {
            threads: 2,
            disabled: disabled.iter().map(ToString::to_string).collect(),
            ..CompileOptions::default()
        };
        match Executable::compile(Op::new(module.as_operation()), &options) {
            Ok(executable) => executable,
            Err(error) => panic!("{} {error}\n{source}", diagnostics.take()),
        }
    })
}

/// Which numbers a program is run on: mostly multiples of 1/5000 in [-2, 2], exact in single
/// precision to a rounding.
pub struct Numbers {
    /// One in so many is one of `odd`; 0: none.
    pub every: u64,
    /// Values that are not ordinary.
    pub odd: &'static [f32],
    /// Integers are below it; 0: any bits.
    pub below: u64,
}

/// Values that are not ordinary: subnormal and large ones too.
pub const SPECIAL: &[f32] = &[
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    0.0,
    -0.0,
    1e-40,
    -3e38,
];

/// Values whose sums and products do not depend on the order.
pub const ODD: &[f32] = &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0];

fn next(seed: &mut u64) -> u64 {
    *seed = seed
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    *seed >> 33
}

impl Numbers {
    fn tensor(&self, element: &ElementType, shape: &[i64], seed: &mut u64) -> Tensor {
        let mut tensor = Tensor::zeros(element, shape).expect("a small tensor");
        let width = element.byte_width().expect("a plain element");
        // The parts of complex numbers are numbers.
        let (element, width) = match element {
            ElementType::Complex(kind) => (&ElementType::Float(*kind), width / 2),
            _ => (element, width),
        };
        for bytes in tensor.bytes_mut().chunks_exact_mut(width) {
            let r = next(seed);
            let value = if self.every != 0 && r.is_multiple_of(self.every) {
                f64::from(self.odd[next(seed) as usize % self.odd.len()])
            } else {
                (r % 20001) as f64 / 5000.0 - 2.0
            };
            match element {
                ElementType::Float(FloatKind::F64) => bytes.copy_from_slice(&value.to_le_bytes()),
                ElementType::Float(FloatKind::F32) => {
                    bytes.copy_from_slice(&(value as f32).to_le_bytes())
                }
                ElementType::Float(FloatKind::BF16) => {
                    bytes.copy_from_slice(&(value as f32).to_le_bytes()[2..])
                }
                // A few powers of two and zeros of half precision.
                ElementType::Float(FloatKind::F16) => {
                    let bits =
                        [0x3c00u16, 0xbc00, 0x3800, 0xc000, 0x3555, 0x0000][(r % 6) as usize];
                    bytes.copy_from_slice(&bits.to_le_bytes())
                }
                ElementType::Bool => bytes[0] = (r & 1) as u8,
                _ => {
                    let whole = if self.below == 0 { r } else { r % self.below };
                    bytes.copy_from_slice(&whole.to_le_bytes()[..width])
                }
            }
        }
        tensor
    }

    /// Arguments for `executable`, whose sizes are static.
    pub fn inputs(&self, executable: &Executable, mut seed: u64) -> Vec<Tensor> {
        let signature = executable.signature(None).expect("one entry");
        signature
            .inputs
            .iter()
            .map(|ty| {
                let shape = ty.static_shape().expect("static");
                self.tensor(&ty.element, &shape, &mut seed)
            })
            .collect()
    }
}

/// Results of a call with so many threads.
pub fn run(executable: &Executable, inputs: &[Tensor], threads: usize) -> Vec<Tensor> {
    let inputs: Vec<&Tensor> = inputs.iter().collect();
    executable
        .execute(&inputs, &ExecuteOptions { threads })
        .expect("runs")
}

/// Are the results the same, bit for bit? `words`: what it means if not.
pub fn assert_same_bits(one: &[Tensor], other: &[Tensor], words: &str, source: &str) {
    assert_eq!(one.len(), other.len(), "{source}");
    for (a, b) in one.iter().zip(other) {
        assert!(a.bytes() == b.bytes(), "{words}\n{source}");
    }
}

/// Elements as numbers; those of one byte as what is in it.
pub fn numbers(tensor: &Tensor) -> Vec<f64> {
    let bytes = tensor.bytes();
    match tensor.element() {
        ElementType::Float(FloatKind::F32) => bytes
            .chunks_exact(4)
            .map(|c| f64::from(f32::from_le_bytes(c.try_into().unwrap_or_default())))
            .collect(),
        ElementType::Float(FloatKind::F64) => bytes
            .chunks_exact(8)
            .map(|c| f64::from_le_bytes(c.try_into().unwrap_or_default()))
            .collect(),
        ElementType::Float(FloatKind::BF16) => bytes
            .chunks_exact(2)
            .map(|c| {
                f64::from(f32::from_bits(
                    u32::from(u16::from_le_bytes([c[0], c[1]])) << 16,
                ))
            })
            .collect(),
        _ => bytes.iter().map(|byte| f64::from(*byte)).collect(),
    }
}
