//! Householder's reflections `1 - tau v v^H`, as LAPACK stores them.

use super::matrices::norm;
use crate::linalg::Scalar;

/// Takes `x` to the vector `v`, whose first element is 1, of the reflection `H = 1 - tau v v^H` with `H^H x = (beta, 0, …)` and real `beta`.
/// Returns `beta` and `tau`; nothing is reflected (`tau` is 0) where `x` is such a vector already.
pub(super) fn reflection<T: Scalar>(x: &mut [T]) -> (T, T) {
    let Some((head, rest)) = x.split_first_mut() else {
        return (T::ZERO, T::ZERO);
    };
    let first = *head;
    let (re, im) = first.parts();
    *head = T::new(1.0, 0.0);
    if norm(rest.iter().copied()) == 0.0 && im == 0.0 {
        return (first, T::ZERO);
    }
    let size = norm(std::iter::once(first).chain(rest.iter().copied()));
    let beta = -size.copysign(re);
    let tau = T::new((beta - re) / beta, -im / beta);
    let scale = first - T::new(beta, 0.0);
    for value in rest {
        *value /= scale;
    }
    (T::new(beta, 0.0), tau)
}

/// The `tau` of a reflection that `faer` writes as `1 - v v^H / factor`; nothing is reflected where the factor is infinite.
pub(super) fn tau<T: Scalar>(factor: T) -> T {
    match factor.parts().0 {
        factor if factor.is_infinite() => T::ZERO,
        factor => T::new(1.0 / factor, 0.0),
    }
}
