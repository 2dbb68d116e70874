//! `fft` by the defining sum.

use crate::{
    Machine, Result,
    extreme::on_the_way,
    result,
    value::{Scalar, Tensor, fit, indices},
};
use mapwright_mlir::{ElementType, FloatKind, Op};
use mapwright_ops::attrs::{self, FftType};
use std::collections::BTreeMap;

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
        // Half of a spectrum with Hermitian symmetry: the other dimensions first, then the rest of
        // the last one is known.
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
    if machine.extreme.is_some() {
        // On the way stand sums of any of the elements, and with lengths that have large factors
        // products of those with the length.
        let all = |x: &Scalar| x.complex().map_or(0.0, |(re, im)| re.abs() + im.abs());
        let size = x.data.iter().map(all).sum::<f64>() * x.data.len() as f64;
        if !on_the_way(machine.extreme, &element, size).is_finite() {
            current.data.fill(Scalar::Complex(f64::NAN, f64::NAN));
        }
    }
    // The error of an element is relative to the length of the vector of all elements that are
    // transformed together, whose entries are added and subtracted on the way.
    let batch = |i: &[i64]| i[..first].to_vec();
    let mut squares: BTreeMap<Vec<i64>, f64> = BTreeMap::new();
    for i in indices(&current.shape) {
        let (re, im) = current.at(&i)?.complex()?;
        let square = re * re + im * im;
        if square.is_finite() {
            *squares.entry(batch(&i)).or_default() += square;
        }
    }
    Tensor::build(&element, &current.shape, |i| {
        let (re, im) = current.at(i)?.complex()?;
        let value = match &element {
            ElementType::Complex(_) => Scalar::Complex(re, im),
            _ => Scalar::Real(re),
        };
        let size = squares.get(&batch(i)).map_or(0.0, |square| square.sqrt());
        Ok(machine.unsettle(&element, fit(&element, value), 2.0 * size))
    })
    .map(Some)
}

/// A sum that keeps what is lost to rounding beside it (Neumaier).
#[derive(Default)]
struct Exact {
    sum: f64,
    lost: f64,
}

impl Exact {
    fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        self.lost += if self.sum.abs() >= x.abs() {
            (self.sum - sum) + x
        } else {
            (x - sum) + self.sum
        };
        self.sum = sum;
    }

    /// Adds `x y`.
    fn add_product(&mut self, x: f64, y: f64) {
        let product = x * y;
        self.add(product);
        let rest = x.mul_add(y, -product);
        if rest.is_finite() {
            self.add(rest);
        }
    }

    fn total(&self) -> f64 {
        let total = self.sum + self.lost;
        if total.is_nan() { self.sum } else { total }
    }
}

/// `(sin, cos)` of `2 pi k / n`, from an angle in the first eighth of the circle, where neither
/// cancels.
fn turn(k: i64, n: i64) -> (f64, f64) {
    let sine_of = |k: i64| (2.0 * std::f64::consts::PI * k as f64 / n as f64).sin();
    let cosine_of = |k: i64| (2.0 * std::f64::consts::PI * k as f64 / n as f64).cos();
    match k {
        _ if 2 * k > n => {
            let (s, c) = turn(n - k, n);
            (-s, c)
        }
        _ if 4 * k > n => {
            // pi - angle: half a turn less k, which is a whole number of 2n-ths.
            let (s, c) = turn(n - 2 * k, 2 * n);
            (s, -c)
        }
        // pi / 2 - angle.
        _ if 8 * k > n => {
            let (s, c) = turn(n - 4 * k, 4 * n);
            (c, s)
        }
        _ => (sine_of(k), cosine_of(k)),
    }
}

/// One dimension: `X[k] = sum x[j] e^(-2 pi i j k / n)`, or the inverse with `1 / n`.
fn transform(x: &Tensor, d: usize, inverse: bool) -> Result<Tensor> {
    let n = x.shape[d];
    let sign = if inverse { 1.0 } else { -1.0 };
    let mut found = x.clone();
    for i in indices(&x.shape) {
        let (mut re, mut im) = (Exact::default(), Exact::default());
        for j in 0..n {
            let mut at = i.clone();
            at[d] = j;
            let (a, b) = x.at(&at)?.complex()?;
            let (s, c) = turn((j * i[d]) % n, n);
            let s = sign * s;
            re.add_product(a, c);
            re.add_product(-b, s);
            im.add_product(a, s);
            im.add_product(b, c);
        }
        let (mut re, mut im) = (re.total(), im.total());
        if inverse {
            (re, im) = (re / n as f64, im / n as f64);
        }
        if let Some(place) = found.position(&i) {
            found.data[place] = Scalar::Complex(re, im);
        }
    }
    Ok(found)
}
