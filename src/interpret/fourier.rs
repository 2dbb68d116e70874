//! `fft` by the defining sum.

use crate::{
    Machine, Result, result,
    value::{Scalar, Tensor, fit, indices},
};
use mapwright_mlir::{ElementType, FloatKind, Op};
use mapwright_ops::attrs::{self, FftType};

/// The result of `op`, if it is of this family.
pub(crate) fn execute<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    name: &str,
    inputs: &[Tensor],
) -> Result<Option<Tensor>> {
    if name != "fft" {
        return Ok(None);
    }
    let x = &inputs[0];
    let kind = attrs::fft_type(op)?;
    let lengths = attrs::fft_length(op, x.rank())?;
    let element = result(op, 0)?.element;
    let first = x.rank() - lengths.len();
    let last = x.rank() - 1;
    let wide = ElementType::Complex(FloatKind::F64);
    let mut current = Tensor::build(&wide, &x.shape, |i| {
        let (re, im) = x.at(i)?.complex()?;
        Ok(Scalar::Complex(re, im))
    })?;
    if kind == FftType::Irfft {
        // Half of a spectrum with Hermitian symmetry: the other dimensions first, then the rest of the last one is known.
        for d in first..last {
            current = transform(&current, d, true)?;
        }
        let n = lengths[lengths.len() - 1];
        let mut shape = current.shape.clone();
        shape[last] = n;
        let half = current;
        current = Tensor::build(&wide, &shape, |i| {
            let mut at = i.to_vec();
            let mirrored = at[last] > n / 2;
            if mirrored {
                at[last] = n - at[last];
            }
            let (re, mut im) = half.at(&at)?.complex()?;
            // A real result: the imaginary parts of what is its own mirror image do not count.
            if (2 * at[last]) % n.max(1) == 0 {
                im = 0.0;
            }
            Ok(Scalar::Complex(re, if mirrored { -im } else { im }))
        })?;
        current = transform(&current, last, true)?;
    } else {
        for d in (first..=last).rev() {
            current = transform(&current, d, kind == FftType::Ifft)?;
        }
        if kind == FftType::Rfft {
            let mut shape = current.shape.clone();
            shape[last] = match shape[last] {
                0 => 0,
                n => n / 2 + 1,
            };
            let whole = current;
            current = Tensor::build(&wide, &shape, |i| whole.at(i))?;
        }
    }
    let size = current
        .data
        .iter()
        .filter_map(|x| x.complex().ok())
        .map(|x| x.0.hypot(x.1))
        .filter(|x| x.is_finite())
        .fold(0.0, f64::max);
    Tensor::build(&element, &current.shape, |i| {
        let (re, im) = current.at(i)?.complex()?;
        let value = match &element {
            ElementType::Complex(_) => Scalar::Complex(re, im),
            _ => Scalar::Real(re),
        };
        Ok(machine.unsettle(&element, fit(&element, value), 4.0 * size))
    })
    .map(Some)
}

/// One dimension: `X[k] = sum x[j] e^(-2 pi i j k / n)`, or the inverse with `1 / n`.
fn transform(x: &Tensor, d: usize, inverse: bool) -> Result<Tensor> {
    let n = x.shape[d];
    let sign = if inverse { 1.0 } else { -1.0 };
    let mut found = x.clone();
    for i in indices(&x.shape) {
        let (mut re, mut im) = (0.0, 0.0);
        for j in 0..n {
            let mut at = i.clone();
            at[d] = j;
            let (a, b) = x.at(&at)?.complex()?;
            let angle = sign * 2.0 * std::f64::consts::PI * ((j * i[d]) % n) as f64 / n as f64;
            let (s, c) = angle.sin_cos();
            re += a * c - b * s;
            im += a * s + b * c;
        }
        if inverse {
            (re, im) = (re / n as f64, im / n as f64);
        }
        if let Some(place) = found.position(&i) {
            found.data[place] = Scalar::Complex(re, im);
        }
    }
    Ok(found)
}
