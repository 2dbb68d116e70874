//! Fourier transforms: their matrices are symmetric.

use super::reverse::Reverse;
use crate::{
    rewrite::{Result, fail},
    tarray::make::Make,
};
use mapwright_indexing::Extent;
use mapwright_mlir::{ElementType, Op, Val};
use mapwright_ops::attrs::{FftType, fft_length, fft_type};

impl<'c> Reverse<'c> {
    /// Adds to the cotangent of what is transformed.
    pub(super) fn transformed(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let x = op.operand(0);
        let (element, shape) = m.type_of(x);
        let decoded = fft_type(op).and_then(|kind| Ok((kind, fft_length(op, shape.len())?)));
        let (kind, length) = match decoded {
            Ok(decoded) => decoded,
            Err(error) => return fail(op, error.to_string()),
        };
        if shape.contains(&Extent::ZERO) || m.type_of(given).1.contains(&Extent::ZERO) {
            self.give(x, self.zeros_like(x));
            return Ok(());
        }
        let last = shape.len() - 1;
        let n = length.last().copied().unwrap_or(1);
        let part = match kind {
            FftType::Fft => fft(m, given, "FFT", &length, &element, &shape),
            FftType::Ifft => fft(m, given, "IFFT", &length, &element, &shape),
            // The other half of the frequencies has no cotangents.
            FftType::Rfft => {
                let (complex, _) = m.type_of(given);
                let whole = m.lengthened(given, last, n.into());
                let found = fft(m, whole, "FFT", &length, &complex, &shape);
                m.part("real", found)
            }
            // Frequencies that stand for two count twice.
            FftType::Irfft => {
                let found = fft(m, given, "RFFT", &length, &element, &shape);
                let ElementType::Complex(kind) = element else {
                    return fail(op, "has no operand of complex numbers");
                };
                let real = ElementType::Float(kind);
                let count: i64 = length.iter().product();
                let half = n / 2 + 1;
                let weights: Vec<String> = (0..half)
                    .map(|k| {
                        let single = k == 0 || 2 * k == n;
                        let weight = if single { 1.0 } else { 2.0 } / count as f64;
                        crate::hlo::float_literal(weight, &real)
                    })
                    .collect();
                let weights = m.splat(&format!("[{}]", weights.join(", ")), &real, &[half.into()]);
                let weights = m.broadcast(weights, &[last as i64], &shape);
                let scaled = |name: &str| m.same("multiply", &[m.part(name, found), weights]);
                m.complex(scaled("real"), m.same("negate", &[scaled("imag")]))
            }
        };
        self.give(x, part);
        Ok(())
    }
}

fn fft<'c>(
    m: &Make<'c>,
    x: Val<'c>,
    kind: &str,
    length: &[i64],
    element: &ElementType,
    shape: &[Extent],
) -> Val<'c> {
    let attributes = [
        (
            "fft_type",
            m.b.parse_attr(&format!("#stablehlo<fft_type {kind}>")),
        ),
        ("fft_length", m.b.i64_array(length)),
    ];
    m.op("fft", &[x], element, shape, &attributes)
}
