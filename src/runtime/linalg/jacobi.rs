//! Jacobi's rotations: eigenvalues of symmetric matrices and singular values of matrices of a few
//! rows, side by side.
//!
//! Rotations go on until none of them would change anything; after a few rounds the elements that
//! they remove vanish quadratically.

use super::lanes::{LANES, Lanes, ZERO, each};
use crate::multiversion::multiversion;

/// Rounds after which a matrix is given up.
const ROUNDS: usize = 40;

/// The sine and the cosine of the rotation that makes `off` zero between `first` and `second` on
/// the diagonal, and its tangent; none where `off` is at most `least`.
#[inline(always)]
fn rotation(first: Lanes, second: Lanes, off: Lanes, least: Lanes) -> [Lanes; 3] {
    let tangent = each(|k| {
        let cotangent = (second[k] - first[k]) / (2.0 * off[k]);
        let size = 1.0 / (cotangent.abs() + (cotangent * cotangent + 1.0).sqrt());
        if off[k].abs() <= least[k] {
            0.0
        } else {
            size.copysign(cotangent)
        }
    });
    let cosine = each(|k| 1.0 / (tangent[k] * tangent[k] + 1.0).sqrt());
    let sine = each(|k| tangent[k] * cosine[k]);
    [sine, cosine, tangent]
}

/// Turns the numbers at `p` and `q`.
#[inline(always)]
fn turn(x: &mut [Lanes], p: usize, q: usize, sine: &Lanes, cosine: &Lanes) {
    let (a, b) = (x[p], x[q]);
    x[p] = each(|k| cosine[k] * a[k] - sine[k] * b[k]);
    x[q] = each(|k| sine[k] * a[k] + cosine[k] * b[k]);
}

multiversion! {
    /// Makes symmetric matrices of `n` rows, of which the lower triangles are read and whose
    /// largest elements are about 1, diagonal. The rows of `v`, if it is not empty, become the
    /// eigenvectors. Elements up to `least` count as zeros. False where no end was found.
    pub(crate) fn eigen<>(a: &mut [Lanes], n: usize, v: &mut [Lanes], least: f64) -> bool = eigen_body;
}

#[inline(always)]
fn eigen_body(a: &mut [Lanes], n: usize, v: &mut [Lanes], least: f64) -> bool {
    let vectors = !v.is_empty();
    if vectors {
        v.fill(ZERO);
        (0..n).for_each(|i| v[i * n + i] = [1.0; LANES]);
    }
    let at = |i: usize, j: usize| i.max(j) * n + i.min(j);
    for _ in 0..ROUNDS {
        let mut turned = false;
        for q in 1..n {
            for p in 0..q {
                let off = a[at(p, q)];
                if off.iter().all(|x| x.abs() <= least) {
                    continue;
                }
                turned = true;
                let (first, second) = (a[at(p, p)], a[at(q, q)]);
                let [sine, cosine, tangent] = rotation(first, second, off, [least; LANES]);
                a[at(p, p)] = each(|k| first[k] - tangent[k] * off[k]);
                a[at(q, q)] = each(|k| second[k] + tangent[k] * off[k]);
                a[at(p, q)] = each(|k| if tangent[k] == 0.0 { off[k] } else { 0.0 });
                for r in (0..n).filter(|r| *r != p && *r != q) {
                    turn(a, at(r, p), at(r, q), &sine, &cosine);
                }
                for r in 0..if vectors { n } else { 0 } {
                    turn(v, p * n + r, q * n + r, &sine, &cosine);
                }
            }
        }
        if !turned {
            return true;
        }
    }
    false
}

multiversion! {
    /// Makes the `n` columns of matrices, of `m` rows each, column after column, orthogonal; the
    /// rows of `v`, if it is not empty, become the right vectors. Columns count as orthogonal whose
    /// inner product is at most `least` times their lengths. False where no end was found.
    pub(crate) fn singular<>(a: &mut [Lanes], m: usize, n: usize, v: &mut [Lanes], least: f64) -> bool = singular_body;
}

#[inline(always)]
fn singular_body(a: &mut [Lanes], m: usize, n: usize, v: &mut [Lanes], least: f64) -> bool {
    let vectors = !v.is_empty();
    if vectors {
        v.fill(ZERO);
        (0..n).for_each(|i| v[i * n + i] = [1.0; LANES]);
    }
    for _ in 0..ROUNDS {
        let mut turned = false;
        for q in 1..n {
            for p in 0..q {
                let (mut first, mut second, mut off) = (ZERO, ZERO, ZERO);
                for r in 0..m {
                    let (x, y) = (a[p * m + r], a[q * m + r]);
                    first = each(|k| first[k] + x[k] * x[k]);
                    second = each(|k| second[k] + y[k] * y[k]);
                    off = each(|k| off[k] + x[k] * y[k]);
                }
                let bound = each(|k| least * first[k].sqrt() * second[k].sqrt());
                if (0..LANES).all(|k| off[k].abs() <= bound[k]) {
                    continue;
                }
                turned = true;
                let [sine, cosine, _] = rotation(first, second, off, bound);
                for r in 0..m {
                    turn(a, p * m + r, q * m + r, &sine, &cosine);
                }
                for r in 0..if vectors { n } else { 0 } {
                    turn(v, p * n + r, q * n + r, &sine, &cosine);
                }
            }
        }
        if !turned {
            return true;
        }
    }
    false
}

/// Numbers of one lane in the order that `before` says, by their places.
pub(crate) fn order(n: usize, before: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..n).collect();
    places.sort_by(|x, y| match (before(*x, *y), before(*y, *x)) {
        (true, _) => std::cmp::Ordering::Less,
        (_, true) => std::cmp::Ordering::Greater,
        _ => std::cmp::Ordering::Equal,
    });
    places
}

/// Divides the matrix of each lane by its largest element, which is returned; a matrix that holds
/// what is no finite number becomes zero, and the largest element NaN.
pub(crate) fn scale(a: &mut [Lanes]) -> Lanes {
    let mut largest = ZERO;
    for (lane, most) in largest.iter_mut().enumerate() {
        let finite = a.iter().all(|x| x[lane].is_finite());
        *most = a.iter().fold(0.0, |most: f64, x| most.max(x[lane].abs()));
        for x in a.iter_mut() {
            x[lane] = match (finite, *most > 0.0) {
                (true, true) => x[lane] / *most,
                _ => 0.0,
            };
        }
        if !finite {
            *most = f64::NAN;
        }
    }
    largest
}
