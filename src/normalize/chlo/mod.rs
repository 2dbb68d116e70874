//! CHLO to StableHLO.
//!
//! Functions of real values are computed in double precision and rounded to their type; `erf` and
//! `erfc` of narrower types in single precision, which their polynomials are made for. How far each
//! result is from the exact one is measured by a script; see the table in the documentation.

mod broadcast;
mod cancelling;
#[rustfmt::skip]
#[allow(clippy::excessive_precision, clippy::unreadable_literal)]
mod coefficients;
mod complex;
mod digamma;
mod error_function;
mod gamma;
mod integer;
mod real;
mod scan;
mod structure;
mod zeta;

use crate::{
    hlo::{Expr, Hlo},
    rewrite::{Result, fail, replace},
};
use cancelling::DoubleDoubleFit;
use complex::Parts;
use mapwright_mlir::{ElementType, FloatKind, Op, Val, ValueType, melior::ir::ValueLike, op};
pub(crate) use structure::top_k;

/// A polynomial in `t = (x - middle) / half`.
pub struct Fit {
    /// Middle of the interval.
    pub middle: f64,
    /// Half of its length.
    pub half: f64,
    /// Coefficients of the powers of `t`, the constant one first.
    pub coefficients: &'static [f64],
}

impl Fit {
    /// The polynomial at `x`, which must be in the interval for the stated error.
    fn at<'a, 'c>(&self, x: Expr<'a, 'c>) -> Expr<'a, 'c> {
        let t = (x - self.middle) * (1.0 / self.half);
        x.hlo().polynomial(t, self.coefficients)
    }

    /// `(p(x) - p(x0)) / (x - x0)`, also where the two are close or equal.
    fn slope<'a, 'c>(&self, x: Expr<'a, 'c>, x0: Expr<'a, 'c>) -> Expr<'a, 'c> {
        let scaled = |x: Expr<'a, 'c>| (x - self.middle) * (1.0 / self.half);
        slope(scaled(x), scaled(x0), self.coefficients) * (1.0 / self.half)
    }
}

/// `(p(x) - p(x0)) / (x - x0)` of a polynomial, the constant coefficient first: the quotient of the
/// division by `x - x0`, at `x`.
fn slope<'a, 'c>(x: Expr<'a, 'c>, x0: Expr<'a, 'c>, coefficients: &[f64]) -> Expr<'a, 'c> {
    let mut terms = coefficients.iter().skip(1).rev();
    let mut remainder = x.c(terms.next().copied().unwrap_or(0.0));
    let mut quotient = remainder;
    for c in terms {
        remainder = remainder * x0 + *c;
        quotient = quotient * x + remainder;
    }
    quotient
}

/// Replaces every `chlo` operation inside `root`, except those whose name (without the dialect) is
/// in `keep`. Returns how many.
pub fn legalize<'c>(root: Op<'c>, keep: &[&str]) -> Result<'c, usize> {
    let mut count = 0;
    for i in 0..root.num_regions() {
        for block in op::blocks(root.region(i)) {
            for op in op::ops(block) {
                // What an operation holds is rewritten before it: it is gone afterwards.
                count += legalize(op, keep)?;
                if op.dialect() == "chlo" && !keep.contains(&op.short_name()) {
                    rewrite(op)?;
                    count += 1;
                }
            }
        }
    }
    Ok(count)
}

fn rewrite<'c>(op: Op<'c>) -> Result<'c> {
    if let Some(name) = op.short_name().strip_prefix("broadcast_") {
        return broadcast::rewrite(op, name);
    }
    if let Some(done) = structure::rewrite(op) {
        return done;
    }
    let operands = op.operands();
    let Some(first) = operands.first() else {
        return fail(op, "has no legalisation to StableHLO");
    };
    let Some(hlo) = Hlo::before(op, *first) else {
        return fail(op, "needs operands of known rank");
    };
    let values: Vec<Expr<'_, 'c>> = operands.iter().map(|value| hlo.expr(*value)).collect();
    match function(op.short_name(), &values) {
        Some(value) => {
            // Which sizes are known may differ between operands and result.
            let (value, ty) = (value.value, op.result(0).r#type());
            let value = if value.r#type() == ty {
                value
            } else {
                hlo.b.op1("stablehlo.convert", &[value], ty, &[])
            };
            replace(op, &[value]);
            Ok(())
        }
        None => fail(
            op,
            format!(
                "has no legalisation to StableHLO for operands of type {}",
                operands[0].r#type()
            ),
        ),
    }
}

/// The element-wise function `name` of values of one shape; `None` if there is no such function or
/// not for their type.
pub(crate) fn function<'a, 'c>(name: &str, x: &[Expr<'a, 'c>]) -> Option<Expr<'a, 'c>> {
    let first = *x.first()?;
    let element = first.element();
    if let ElementType::Complex(kind) = element {
        return complex_function(name, x, kind);
    }
    // Functions that are exact in any type.
    match (name, x) {
        ("square", [x]) => return Some(*x * *x),
        ("conj", [x]) => return Some(*x),
        ("is_inf", [x]) => return Some(with_infinity(*x).abs().eq(f64::INFINITY)),
        ("is_pos_inf", [x]) => return Some(with_infinity(*x).eq(f64::INFINITY)),
        ("is_neg_inf", [x]) => return Some(with_infinity(*x).eq(f64::NEG_INFINITY)),
        ("mulhi", [x, y]) => return integer::mulhi(*x, *y),
        ("next_after", [x, y]) => return Some(real::next_after(*x, *y)),
        _ => {}
    }
    let ElementType::Float(kind) = element else {
        return None;
    };
    // The polynomials of the error functions are made for single precision too; everything else
    // goes through double.
    let single = matches!(name, "erf" | "erfc" | "erf_inv") && kind != FloatKind::F64;
    let work = if single {
        FloatKind::F32
    } else {
        FloatKind::F64
    };
    let wide: Vec<Expr<'a, 'c>> = x
        .iter()
        .map(|value| value.convert(&ElementType::Float(work)))
        .collect();
    let value = real_function(name, &wide, kind == FloatKind::F64)?;
    Some(value.convert(&element))
}

/// The values in a type that has infinities: most types of up to eight bits have none, and there is
/// no constant to compare with.
fn with_infinity<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    match x.element() {
        ElementType::Float(kind) if kind.width() <= 8 => {
            x.convert(&ElementType::Float(FloatKind::F32))
        }
        _ => x,
    }
}

/// Functions of `f64`; `precise` where the result is not rounded to a narrower type.
fn real_function<'a, 'c>(name: &str, x: &[Expr<'a, 'c>], precise: bool) -> Option<Expr<'a, 'c>> {
    Some(match (name, x) {
        ("acos", [x]) => real::acos(*x),
        ("acosh", [x]) => real::acosh(*x),
        ("asin", [x]) => real::asin(*x),
        ("asinh", [x]) => real::asinh(*x),
        ("atan", [x]) => real::atan(*x),
        ("atanh", [x]) => real::atanh(*x),
        ("bessel_i1e", [x]) => real::bessel_i1e(*x),
        ("cosh", [x]) => real::cosh(*x),
        ("sinh", [x]) => real::sinh(*x),
        ("tan", [x]) => x.tan(),
        ("erf", [x]) => error_function::erf(*x),
        ("erfc", [x]) => error_function::erfc(*x),
        ("erf_inv", [x]) => error_function::erf_inv(*x),
        ("lgamma", [x]) => gamma::lgamma(*x, precise),
        ("digamma", [x]) => digamma::digamma(*x, precise),
        ("polygamma", [n, x]) => zeta::polygamma(*n, *x, precise),
        ("zeta", [s, q]) => zeta::zeta(*s, *q),
        _ => return None,
    })
}

fn complex_function<'a, 'c>(
    name: &str,
    x: &[Expr<'a, 'c>],
    kind: FloatKind,
) -> Option<Expr<'a, 'c>> {
    let [z] = x else {
        return None;
    };
    let hlo = z.hlo();
    match name {
        "conj" => return Some(hlo.complex(z.re(), -z.im())),
        // StableHLO has it, for complex numbers as well.
        "tan" => return Some(z.tan()),
        _ => {}
    }
    if name == "square" {
        let (re, im) = (z.re(), z.im());
        // (re - im) (re + im) keeps the difference of squares exact where they are close; finite
        // parts of one size have none.
        let size = re.abs();
        let same = size.eq(im.abs()).and(size.lt(f64::INFINITY));
        let difference = (re - im) * (re + im);
        let square = re.c(0.0).when(same, difference);
        return Some(hlo.complex(square, (re * im) * 2.0));
    }
    let wide = ElementType::F64;
    let parts = Parts {
        re: z.re().convert(&wide),
        im: z.im().convert(&wide),
    };
    let value = match name {
        "acos" => complex::acos(parts),
        "acosh" => complex::acosh(parts),
        "asin" => complex::asin(parts),
        "asinh" => complex::asinh(parts),
        "atan" => complex::atan(parts),
        "atanh" => complex::atanh(parts),
        "cosh" => complex::cosh(parts),
        "sinh" => complex::sinh(parts),
        _ => return None,
    };
    let part = ElementType::Float(kind);
    Some(hlo.complex(value.re.convert(&part), value.im.convert(&part)))
}

/// The element type of a value that is a tensor.
fn element_of(value: Val<'_>) -> Option<ElementType> {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(tensor) => Some(tensor.element),
        _ => None,
    }
}
