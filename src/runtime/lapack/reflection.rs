//! Householder's reflections `1 - tau v v^H`, as LAPACK stores them.

use super::matrices::{inner, norm, subtract};
use crate::linalg::Scalar;
use crate::multiversion::multiversion;

/// Takes `x` to the vector `v`, whose first element is 1, of the reflection `H = 1 - tau v v^H`
/// with `H^H x = (beta, 0, …)` and real `beta`. Returns `beta` and `tau`; nothing is reflected
/// (`tau` is 0) where `x` is such a vector already.
pub(super) fn reflection<T: Scalar>(x: &mut [T]) -> (T, T) {
    let Some((head, rest)) = x.split_first_mut() else {
        return (T::ZERO, T::ZERO);
    };
    let first = *head;
    let (re, im) = first.parts();
    *head = T::new(1.0, 0.0);
    let others = norm(rest);
    if others == 0.0 && im == 0.0 {
        return (first, T::ZERO);
    }
    let size = re.hypot(im).hypot(others);
    let beta = -size.copysign(re);
    let tau = T::new((beta - re) / beta, -im / beta);
    let scale = first - T::new(beta, 0.0);
    for value in rest {
        *value /= scale;
    }
    (T::new(beta, 0.0), tau)
}

/// The `tau` of a reflection that `faer` writes as `1 - v v^H / factor`; nothing is reflected where
/// the factor is infinite.
pub(super) fn tau<T: Scalar>(factor: T) -> T {
    match factor.parts().0 {
        factor if factor.is_infinite() => T::ZERO,
        factor => T::new(1.0 / factor, 0.0),
    }
}

multiversion! {
    /// Subtracts from `column` what its part along `vector` is, times `by`.
    pub(super) fn reflect<T: Scalar>(column: &mut [T], vector: &[T], by: T) = reflect_body::<T>;
}

#[inline(always)]
fn reflect_body<T: Scalar>(column: &mut [T], vector: &[T], by: T) {
    let part = by * inner(vector, column);
    subtract(column, part, vector);
}
