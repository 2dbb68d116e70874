//! `potrf`: `A = L L^H` or `A = U^H U`.

use super::matrices::{Argument, Outcome, batch, each};
use super::square;
use crate::error::Result;
use crate::linalg::{Scalar, compute_type, factorise};
use crate::{Context, ElementKind};

/// From matrices, of which a triangle is read, to the factor in that triangle, and 0, or the number (from 1) of the first row whose leading
/// minor is not positive; from that row on the matrix stays as it is.
pub(super) fn call(
    context: &Context,
    kind: ElementKind,
    lower: bool,
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
) -> Result<()> {
    let n = square(arguments)?;
    let matrix: &[usize] = &[n, n];
    let outcome = [(kind, matrix), (ElementKind::I32, &[])];
    let count = batch(arguments, results, (&[(kind, matrix)], &outcome))?;
    compute_type!(kind, n, T => each(context, count, &|b| {
        let mut a: Vec<T> = arguments[0].read(b, n * n);
        let mut factor = vec![T::ZERO; n * n];
        for i in 0..n {
            for j in 0..=i {
                factor[i * n + j] = if lower { a[i * n + j] } else { a[j * n + i].conj() };
            }
        }
        let failed = factorise(context, &mut factor, n);
        let rows = if failed == 0 { n } else { failed - 1 };
        for i in 0..rows {
            for j in 0..=i {
                match lower {
                    true => a[i * n + j] = factor[i * n + j],
                    false => a[j * n + i] = factor[i * n + j].conj(),
                }
            }
        }
        // SAFETY: every matrix is written once.
        unsafe {
            results[0].write(b, &a);
            results[1].write_integers(b, &[failed as i32]);
        }
    }))
}
