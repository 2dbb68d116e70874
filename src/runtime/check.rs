//! The comparisons behind `check.expect_*`.
//!
//! NaN equals NaN, and the zeros equal each other. Integers and booleans are always compared
//! exactly.

use crate::convert::{self, Number};
use crate::error::{Error, Result, Status};
use crate::{Context, ElementKind};

/// Tolerance of a comparison of two tensors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Equal values.
    Equal,
    /// Floats at least `min` and at most `max` units in the last place apart, counted as steps
    /// between neighbouring floats; infinities and NaN only equal themselves (0 units).
    Ulp { min: u64, max: u64 },
    /// Floats of the same sign (or zero) at most this far apart.
    Absolute(f64),
}

/// Compares `actual` with `expected`, dense tensors of this shape, and describes the first
/// difference; `what` names the check in the message.
///
/// # Errors
/// `CheckFailed` with the index, both values and the number of differing elements;
/// `InvalidArgument` when a slice does not fit the shape.
pub fn check(
    context: &Context,
    what: &str,
    kind: ElementKind,
    shape: &[usize],
    actual: &[u8],
    expected: &[u8],
    tolerance: Tolerance,
) -> Result<()> {
    let count = shape.iter().try_fold(1usize, |p, s| p.checked_mul(*s));
    let Some(count) = count.filter(|c| {
        c.checked_mul(kind.size())
            .is_some_and(|b| b == actual.len() && b == expected.len())
    }) else {
        return Err(Error::invalid(format!(
            "{} and {} bytes to compare as shape {shape:?}",
            actual.len(),
            expected.len()
        )));
    };
    let found = std::sync::Mutex::new((usize::MAX, 0usize));
    context.parallel_for(count, 1 << 14, &|begin, end| {
        let (mut first, mut differing) = (usize::MAX, 0);
        for i in begin..end {
            let size = kind.size();
            let same = actual[i * size..(i + 1) * size] == expected[i * size..(i + 1) * size]
                && matches!(tolerance, Tolerance::Equal);
            if !same
                && !agree(
                    kind,
                    convert::read(kind, actual, i),
                    convert::read(kind, expected, i),
                    tolerance,
                )
            {
                first = first.min(i);
                differing += 1;
            }
        }
        if differing > 0 {
            let mut found = crate::pool::lock(&found);
            *found = (found.0.min(first), found.1 + differing);
        }
    });
    let (first, differing) = *crate::pool::lock(&found);
    if differing == 0 {
        return Ok(());
    }
    let (a, e) = (
        convert::read(kind, actual, first),
        convert::read(kind, expected, first),
    );
    let distance = match (ulps(kind, a, e), tolerance) {
        (Some(ulps), Tolerance::Ulp { .. }) => format!(", {ulps} ULP apart"),
        _ => String::new(),
    };
    Err(Error::new(
        Status::CheckFailed,
        format!(
            "{what}: element {:?} is {} but {} was expected{distance} ({differing} of {count} elements differ, type {}, {})",
            coordinates(first, shape),
            show(kind, a),
            show(kind, e),
            kind.name(),
            match tolerance {
                Tolerance::Equal => "exact".to_owned(),
                Tolerance::Ulp { min: 0, max } => format!("tolerance {max} ULP"),
                Tolerance::Ulp { min, max } => format!("tolerance {min} to {max} ULP"),
                Tolerance::Absolute(x) => format!("tolerance {x:e}"),
            }
        ),
    ))
}

fn coordinates(mut index: usize, shape: &[usize]) -> Vec<usize> {
    let mut result = vec![0; shape.len()];
    for (c, size) in result.iter_mut().zip(shape).rev() {
        *c = index % size;
        index /= size;
    }
    result
}

fn show(kind: ElementKind, number: Number) -> String {
    let real = |x: f64| match kind {
        ElementKind::F64 | ElementKind::C128 => format!("{x:e}"),
        _ => format!("{:e}", x as f32),
    };
    match number {
        Number::Pred(x) => x.to_string(),
        Number::Integer(x) => x.to_string(),
        Number::Real(x) => real(x),
        Number::Complex(re, im) => format!("({}, {})", real(re), real(im)),
    }
}

fn agree(kind: ElementKind, a: Number, e: Number, tolerance: Tolerance) -> bool {
    let part = match kind {
        ElementKind::C64 => ElementKind::F32,
        ElementKind::C128 => ElementKind::F64,
        kind => kind,
    };
    match (a, e) {
        (Number::Real(a), Number::Real(e)) => agree_real(part, a, e, tolerance),
        (Number::Complex(a, b), Number::Complex(e, f)) => {
            agree_real(part, a, e, tolerance) && agree_real(part, b, f, tolerance)
        }
        _ => a == e,
    }
}

fn agree_real(kind: ElementKind, a: f64, e: f64, tolerance: Tolerance) -> bool {
    let same = a == e || (a.is_nan() && e.is_nan());
    match tolerance {
        Tolerance::Equal => same,
        Tolerance::Ulp { min, max } => {
            distance(kind, a, e).is_some_and(|d| (min..=max).contains(&d))
        }
        Tolerance::Absolute(limit) => {
            same || (a.is_finite()
                && e.is_finite()
                && (a == 0.0 || e == 0.0 || a.is_sign_negative() == e.is_sign_negative())
                && (a - e).abs() <= limit)
        }
    }
}

/// Steps from one float to another; `None` when one of them is not finite and they differ.
fn distance(kind: ElementKind, a: f64, e: f64) -> Option<u64> {
    if a == e || (a.is_nan() && e.is_nan()) {
        return Some(0);
    }
    if !a.is_finite() || !e.is_finite() {
        return None;
    }
    // The magnitude's pattern counts the steps from zero; the format without zero starts at its
    // first pattern.
    let steps =
        |x: f64| i128::from(convert::from_f64(kind, x.abs())) * if x < 0.0 { -1 } else { 1 };
    u64::try_from((steps(a) - steps(e)).unsigned_abs()).ok()
}

/// The larger of the distances of the parts.
fn ulps(kind: ElementKind, a: Number, e: Number) -> Option<u64> {
    match (a, e) {
        (Number::Real(a), Number::Real(e)) => distance(kind, a, e),
        (Number::Complex(a, b), Number::Complex(e, f)) => {
            let part = if kind == ElementKind::C64 {
                ElementKind::F32
            } else {
                ElementKind::F64
            };
            Some(distance(part, a, e)?.max(distance(part, b, f)?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementKind::*;

    fn compare(kind: ElementKind, actual: f64, expected: f64, tolerance: Tolerance) -> Result<()> {
        let mut bytes = [[0; 16]; 2];
        for (b, x) in bytes.iter_mut().zip([actual, expected]) {
            convert::write(kind, b, 0, Number::Real(x));
        }
        let size = kind.size();
        check(
            &Context::new(1),
            "check",
            kind,
            &[],
            &bytes[0][..size],
            &bytes[1][..size],
            tolerance,
        )
    }

    #[test]
    fn units_in_the_last_place() {
        let ulp = |max| Tolerance::Ulp { min: 0, max };
        let next = |x: f32| f64::from(x.next_up());
        assert!(compare(F32, next(1.0), 1.0, ulp(1)).is_ok());
        assert!(compare(F32, next(1.0), 1.0, ulp(0)).is_err());
        assert!(compare(F32, next(1.0), 1.0, Tolerance::Ulp { min: 1, max: 1 }).is_ok());
        assert!(compare(F32, 1.0, 1.0, Tolerance::Ulp { min: 1, max: 1 }).is_err());
        assert!(
            compare(
                F32,
                f64::from(f32::from_bits(1)),
                -f64::from(f32::from_bits(2)),
                ulp(3)
            )
            .is_ok()
        );
        assert!(
            compare(
                F32,
                f64::from(f32::from_bits(1)),
                -f64::from(f32::from_bits(2)),
                ulp(2)
            )
            .is_err()
        );
        assert!(compare(F32, 0.0, -0.0, ulp(0)).is_ok());
        assert!(compare(F64, f64::NAN, -f64::NAN, ulp(0)).is_ok());
        assert!(compare(F64, f64::NAN, 1.0, ulp(u64::MAX)).is_err());
        assert!(compare(F32, f64::INFINITY, f64::from(f32::MAX), ulp(9)).is_err());
        assert!(compare(F8E4M3FN, 1.125, 1.0, ulp(1)).is_ok());
        assert!(compare(F64, f64::MAX, f64::MIN, ulp(u64::MAX)).is_ok());
    }

    #[test]
    fn absolute_differences() {
        let t = Tolerance::Absolute(1e-3);
        assert!(compare(F32, 1.0005, 1.0, t).is_ok());
        assert!(compare(F32, 1.002, 1.0, t).is_err());
        assert!(compare(F32, 1e-5, -1e-5, t).is_err());
        assert!(compare(F32, 1e-5, 0.0, t).is_ok());
        assert!(compare(F32, f64::INFINITY, f64::INFINITY, t).is_ok());
        assert!(compare(F32, f64::INFINITY, 1.0, t).is_err());
    }

    #[test]
    fn the_first_difference_is_described() {
        for threads in [1, 4] {
            let actual: Vec<u8> = (0..60_000i32).flat_map(i32::to_ne_bytes).collect();
            let mut expected = actual.clone();
            for i in [41_234usize, 50_000] {
                expected[i * 4..i * 4 + 4].copy_from_slice(&(-7i32).to_ne_bytes());
            }
            let context = Context::new(threads);
            let error = check(
                &context,
                "expect_eq",
                I32,
                &[300, 200],
                &actual,
                &expected,
                Tolerance::Equal,
            )
            .unwrap_err();
            assert_eq!(error.status, Status::CheckFailed);
            assert_eq!(
                error.message,
                "expect_eq: element [206, 34] is 41234 but -7 was expected (2 of 60000 elements differ, type i32, exact)"
            );
        }
    }
}
