//! Maps of `reshape`: the elements keep their row-major order.
//!
//! The index is linearised and taken apart again, group by group: a group is the smallest run of dimensions on either side with
//! the same number of elements, so dimensions that do not change stay plain variables.

use crate::index_rule::{Arithmetic, Found, Index, IndexQuery, Reads, Tensor};
use crate::query::{Pieces, Query, UNBOUNDED, everything, indices, over};
use mapwright_indexing::{Expr, Interval, c, d};
use mapwright_mlir::{Dim, TensorType};

/// The rule of reshapes: dimensions are matched in runs of equal products where all sizes are known, so that most reshapes need no division.
pub(crate) fn reshaped(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let rank = query.rank(0)?;
    let from = query.sizes(Tensor::Operand(0), rank)?;
    let to = query.sizes(Tensor::Result, index.len())?;
    let known = |sizes: &[Index]| sizes.iter().map(|size| size.known()).collect();
    let (from_known, to_known): (Option<Vec<i64>>, Option<Vec<i64>>) = (known(&from), known(&to));
    let (Some(from_known), Some(to_known)) = (from_known, to_known) else {
        let position = position(query, index, &to)?;
        let at = index_of(query, position, &from)?;
        return Ok(Reads::one(0, at));
    };
    if from_known.contains(&0) || to_known.contains(&0) {
        return Ok(Reads::one(0, vec![Index::Known(0); rank]));
    }
    let mut at = Vec::with_capacity(rank);
    let (mut i, mut j) = (0, 0);
    while i < to.len() || j < from.len() {
        let (first, behind) = ((i, j), run((&to_known, &from_known), (i, j)));
        (i, j) = behind;
        let position = position(query, &index[first.0..i], &to[first.0..i])?;
        at.extend(index_of(query, position, &from[first.1..j])?);
    }
    Ok(Reads::one(0, at))
}

/// The end of the run of dimensions on either side, from `i` and `j` on, that have the same number of elements.
fn run((to, from): (&[i64], &[i64]), (mut i, mut j): (usize, usize)) -> (usize, usize) {
    let (mut p, mut q) = (1i64, 1i64);
    if i < to.len() {
        p = to[i];
        i += 1;
    }
    if j < from.len() {
        q = from[j];
        j += 1;
    }
    while p != q {
        if p < q && i < to.len() {
            p = p.saturating_mul(to[i]);
            i += 1;
        } else if j < from.len() {
            q = q.saturating_mul(from[j]);
            j += 1;
        } else {
            break;
        }
    }
    (i, j)
}

/// Position of `index` in a row-major tensor of `sizes`.
fn position(query: &mut IndexQuery<'_, '_>, index: &[Index], sizes: &[Index]) -> Found<Index> {
    let mut at = Index::Known(0);
    for (i, size) in index.iter().zip(sizes) {
        let rows = query.mul(at, *size)?;
        at = query.add(rows, *i)?;
    }
    Ok(at)
}

/// The inverse of [`position`].
fn index_of(query: &mut IndexQuery<'_, '_>, position: Index, sizes: &[Index]) -> Found<Vec<Index>> {
    let mut index = vec![Index::Known(0); sizes.len()];
    let mut rest = position;
    // The outermost dimension that is not 1 needs no remainder.
    let outermost = sizes.iter().position(|size| size.known() != Some(1));
    for k in (0..sizes.len()).rev() {
        if sizes[k].known() == Some(1) {
            continue;
        }
        if Some(k) == outermost {
            index[k] = rest;
        } else {
            index[k] = query.arithmetic(Arithmetic::Rem, rest, sizes[k])?;
            rest = query.arithmetic(Arithmetic::Div, rest, sizes[k])?;
        }
    }
    Ok(index)
}

/// The index in a tensor of sizes `to` of the element at `d0, d1, …` in a tensor of sizes `from`. Both are row-major and must
/// have the same number of elements.
///
/// # Errors
/// A sentence, if they have not, or if a size is beyond `i64` arithmetic.
pub fn index(from: &[i64], to: &[i64]) -> Result<Vec<Expr>, String> {
    let count = |sizes: &[i64]| {
        sizes
            .iter()
            .try_fold(1i64, |n, size| {
                if *size == 0 {
                    Some(0)
                } else {
                    n.checked_mul(*size)
                }
            })
            .ok_or("the number of elements is beyond 64 bits")
    };
    let (a, b) = (count(from)?, count(to)?);
    if a != b {
        return Err(format!("{a} elements cannot be reshaped to {b}"));
    }
    if a == 0 {
        return Ok(vec![c(0); to.len()]);
    }
    let mut result = Vec::with_capacity(to.len());
    let (mut i, mut j) = (0, 0);
    while i < from.len() || j < to.len() {
        let (i0, j0) = (i, j);
        let (mut m, mut n) = (1i64, 1i64);
        // Take one dimension, then whichever side is behind, until both sides hold the same number of elements.
        if i < from.len() {
            m = from[i];
            i += 1;
        } else {
            n = to[j];
            j += 1;
        }
        while m != n || (m == 1 && j == j0 && j < to.len() && to[j] == 1) {
            if m < n {
                m *= from[i];
                i += 1;
            } else {
                n *= to[j];
                j += 1;
            }
        }
        group(&from[i0..i], i0, &to[j0..j], &mut result);
    }
    Ok(result)
}

/// One group: `from` are the sizes of the dimensions from `first` on.
fn group(from: &[i64], first: usize, to: &[i64], result: &mut Vec<Expr>) {
    if from == to {
        result.extend((0..from.len()).map(|k| d(first + k)));
        return;
    }
    let mut linear = c(0);
    for (k, stride) in strides(from).into_iter().enumerate() {
        if from[k] != 1 {
            linear = linear + d(first + k) * stride;
        }
    }
    for (k, stride) in strides(to).into_iter().enumerate() {
        if to[k] == 1 {
            result.push(c(0));
            continue;
        }
        let quotient = linear.clone().floor_div(stride);
        // The first dimension that counts needs no remainder: the quotient is within it.
        let leading = to[..k].iter().all(|n| *n == 1);
        result.push(if leading {
            quotient
        } else {
            quotient.modulo(to[k])
        });
    }
}

/// Row-major strides.
pub fn strides(sizes: &[i64]) -> Vec<i64> {
    let mut stride = 1i64;
    let mut found: Vec<i64> = sizes
        .iter()
        .rev()
        .map(|size| {
            let own = stride;
            stride = stride.saturating_mul(*size);
            own
        })
        .collect();
    found.reverse();
    found
}

/// Result to operand or back, as the index of `to` from that of `from`, also where sizes are known at run time only: equal
/// static dimensions at the end pair off; what is left must have its run-time size in front on both sides, where it is no
/// stride of anything.
pub(crate) fn between(from: &TensorType, to: &TensorType) -> Pieces {
    let sizes = |ty: &TensorType| {
        ty.dims
            .iter()
            .map(|dim| dim.fixed())
            .collect::<Option<Vec<i64>>>()
    };
    if let (Some(a), Some(b)) = (sizes(from), sizes(to)) {
        return Ok(vec![over(&a, index(&a, &b)?)]);
    }
    let inner = |ty: &TensorType| -> Result<Vec<i64>, String> {
        let at = ty
            .dims
            .iter()
            .position(|dim| dim.fixed() != Some(1))
            .unwrap_or(ty.rank());
        ty.dims
            .iter()
            .enumerate()
            .map(|(k, dim)| match dim {
                Dim::Static(n) => Ok(*n),
                _ if k == at => Ok(UNBOUNDED),
                _ => Err(format!(
                    "the size of dimension {k} of {ty} is a stride and known at run time only"
                )),
            })
            .collect()
    };
    let (a, b) = (inner(from)?, inner(to)?);
    // Identical shapes.
    if a == b {
        return Ok(vec![over(
            &crate::query::sizes(from),
            (0..a.len()).map(d).collect(),
        )]);
    }
    let (sa, sb) = (strides(&a), strides(&b));
    let mut linear = c(0);
    for k in 0..a.len() {
        if a[k] != 1 {
            linear = linear + d(k) * sa[k];
        }
    }
    let results = (0..b.len())
        .map(|k| match b[k] {
            1 => c(0),
            UNBOUNDED => linear.clone().floor_div(sb[k]),
            n if b[..k].iter().all(|n| *n == 1) => {
                let _ = n;
                linear.clone().floor_div(sb[k])
            }
            n => linear.clone().floor_div(sb[k]).modulo(n),
        })
        .collect();
    let mut map = over(&crate::query::sizes(from), results);
    // A static dimension in front of the other side bounds the linear index.
    for (k, dim) in to.dims.iter().enumerate() {
        let interval = indices(crate::query::size(*dim));
        if interval != Interval::new(0, i64::MAX) && b[k] != 1 && b[..k].iter().all(|n| *n == 1) {
            let expr = map.results[k].clone();
            map = map.with_constraint(expr, interval);
        }
    }
    Ok(vec![map])
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    if operand > 0 {
        return Ok(vec![everything(
            &q.result_sizes(result)?,
            &q.operand_sizes(operand)?,
        )]);
    }
    between(q.result(result)?, q.operand(operand)?)
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    if operand > 0 {
        return Ok(vec![everything(
            &q.operand_sizes(operand)?,
            &q.result_sizes(result)?,
        )]);
    }
    between(q.operand(operand)?, q.result(result)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_the_smallest() {
        let text = |from: &[i64], to: &[i64]| format!("{:?}", index(from, to).unwrap());
        assert_eq!(
            text(&[4, 8, 12], &[32, 3, 4]),
            "[d0 * 8 + d1, d2 floordiv 4, d2 floordiv 1 mod 4]".replace(" floordiv 1", "")
        );
        assert_eq!(text(&[1, 5, 1], &[5]), "[d1]");
        assert_eq!(text(&[5], &[1, 5, 1]), "[0, d0, 0]");
        assert_eq!(text(&[], &[1, 1]), "[0, 0]");
        assert_eq!(text(&[2, 1, 3], &[2, 3, 1]), "[d0, d2, 0]");
        assert!(index(&[2, 3], &[7]).is_err());
        assert_eq!(text(&[2, 0], &[0, 5]), "[0, 0]");
    }
}
