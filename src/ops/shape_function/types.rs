//! Sizes as far as types tell them: a number, a bound, or nothing. With these shape functions are
//! type inference.

use super::{
    Arithmetic, Found, NumberDomain, ShapeQuery, SizeDomain, SizeError, evaluate, of_result, tensor,
};
use crate::typing::check::{constant_ints, merge_sizes};
use mapwright_mlir::{Dim, Op, Val};

/// The domain.
pub struct Types;

/// Sizes of result `result` that follow from the types of the operands, and from operands that are
/// constants.
///
/// # Errors
/// Those of [`of_result`].
pub fn sizes(op: Op<'_>, result: usize) -> Found<Vec<Dim>> {
    evaluate(&mut Types, |shapes| of_result(shapes, op, result))
}

/// Sizes of the source that a `select_and_scatter` takes.
///
/// # Errors
/// Attributes that cannot be read, sizes beyond 64 bits.
pub(crate) fn of_source(op: Op<'_>) -> Found<Vec<Dim>> {
    evaluate(&mut Types, |shapes| {
        crate::window::sizes::of_source(&mut ShapeQuery::new(shapes, op, 0))
    })
}

fn beyond() -> SizeError {
    SizeError::number("is beyond 64 bits")
}

impl NumberDomain for Types {
    type Value = Dim;
    type Error = SizeError;

    fn constant(&mut self, n: i64) -> Dim {
        Dim::Static(n)
    }

    fn known(&self, size: &Dim) -> Option<i64> {
        size.fixed()
    }

    /// Bounds are upper ones, of numbers that grow with those they are computed from.
    fn arithmetic(&mut self, what: Arithmetic, a: Dim, b: Dim) -> Found<Dim> {
        use Arithmetic::{Add, Div, Max, Min, Mul, Sub};
        use Dim::{Bounded, Dynamic, Static};
        if let (Static(x), Static(y)) = (a, b) {
            return what.apply(x, y).map(Static).ok_or_else(beyond);
        }
        Ok(match (what, a, b) {
            (Add, Static(x) | Bounded(x), Static(y) | Bounded(y)) => Bounded(x.saturating_add(y)),
            (Sub, Bounded(x), Static(y)) => Bounded(x.saturating_sub(y)),
            (Mul, Static(0), _) | (Mul, _, Static(0)) => Static(0),
            (Mul, Static(x @ 0..) | Bounded(x), Static(y @ 0..) | Bounded(y)) => {
                Bounded(x.saturating_mul(y))
            }
            (Div, Bounded(x), Static(y @ 1..)) => Bounded(x.div_euclid(y)),
            (Max, Bounded(x), Static(y) | Bounded(y)) | (Max, Static(x), Bounded(y)) => {
                Bounded(x.max(y))
            }
            (Min, Bounded(x), Static(y) | Bounded(y)) | (Min, Static(x), Bounded(y)) => {
                Bounded(x.min(y))
            }
            _ => Dynamic,
        })
    }
}

impl<'c> SizeDomain<'c> for Types {
    fn sizes(&mut self, value: Val<'c>) -> Found<Vec<Dim>> {
        let none = || SizeError::Unknown("a value is not a ranked tensor".into());
        Ok(tensor(value).ok_or_else(none)?.dims)
    }

    fn element(&mut self, value: Val<'c>, index: &[i64]) -> Found<Dim> {
        let shape = tensor(value).and_then(|ty| ty.static_shape());
        let known = shape.and_then(|shape| {
            let values = constant_ints(value)?;
            let at = index.iter().zip(&shape).fold(0, |at, (i, n)| at * n + i);
            values.get(usize::try_from(at).ok()?).copied()
        });
        Ok(known.map_or(Dim::Dynamic, Dim::Static))
    }

    fn merge(&mut self, a: Dim, b: Dim) -> Dim {
        merge_sizes(a, b)
    }

    fn not_negative(&mut self, n: Dim) -> Found<Dim> {
        match n.bound() {
            Some(bound @ ..0) => Err(SizeError::number(format!("has the negative size {bound}"))),
            _ => Ok(n),
        }
    }

    fn below(&mut self, _: Dim, limit: i64) -> Dim {
        Dim::Static(limit)
    }

    /// The dimension becomes bounded by its static size, but where the size is that one.
    fn resized(&mut self, old: Dim, n: Dim) -> Dim {
        match (n, old.bound()) {
            // A smaller size is still laid out for the bound.
            (Dim::Static(n), Some(bound)) if bound != n => Dim::Bounded(bound),
            (Dim::Static(n), _) => Dim::Static(n),
            (_, Some(bound)) => Dim::Bounded(bound),
            _ => Dim::Dynamic,
        }
    }

    /// The verifier says so, with the label of the constraint.
    fn require_equal(&mut self, _: Vec<Dim>, _: Vec<Dim>) -> Found<()> {
        Ok(())
    }

    fn require_at_most(&mut self, _: Dim, _: Dim) -> Found<()> {
        Ok(())
    }
}
