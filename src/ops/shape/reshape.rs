//! Maps of `reshape`: the elements keep their row-major order.
//!
//! The index is linearised and taken apart again, group by group: a group is the smallest run of
//! dimensions on either side with the same number of elements, so dimensions that do not change
//! stay plain variables.

use crate::index_rule::{Expressions, Found, Index, IndexQuery, Reads, Tensor};
use crate::number::{Compute, NumberDomain, Numbered};
use crate::query::{Pieces, Query, everything, indices, over};
use mapwright_indexing::{Expr, Interval, d, rt};
use mapwright_mlir::TensorType;

/// The rule of reshapes.
pub(crate) fn reshaped(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let rank = query.rank(0)?;
    let from = query.sizes(Tensor::Operand(0), rank)?;
    let to = query.sizes(Tensor::Result, index.len())?;
    Ok(Reads::one(0, rearranged(&mut **query, index, &to, &from)?))
}

/// The index in a tensor of sizes `to` of the element at `index` in one of sizes `from`. Dimensions
/// are matched in runs of equal products where all sizes are known, so that most reshapes need no
/// division, and where they are not, from the end as long as they are the same.
fn rearranged(
    compute: &mut (impl Compute<String> + ?Sized),
    index: &[Index],
    from: &[Index],
    to: &[Index],
) -> Found<Vec<Index>> {
    let known = |sizes: &[Index]| sizes.iter().map(|size| size.known()).collect();
    let (from_known, to_known): (Option<Vec<i64>>, Option<Vec<i64>>) = (known(from), known(to));
    let (Some(from_known), Some(to_known)) = (from_known, to_known) else {
        // The outermost dimension that is not 1 says what the position is.
        let behind = |sizes: &[Index]| {
            let outermost = sizes.iter().position(|size| size.known() != Some(1));
            outermost.map_or(0, |k| sizes.len() - k - 1)
        };
        let pairs = from.iter().rev().zip(to.iter().rev());
        let same = pairs.take_while(|(a, b)| a == b && a.known().is_some());
        let same = same.count().min(behind(from)).min(behind(to));
        let (outer, outer_to) = (from.len() - same, to.len() - same);
        let position = position(compute, &index[..outer], &from[..outer])?;
        let mut at = index_of(compute, position, &to[..outer_to])?;
        at.extend(&index[outer..]);
        return Ok(at);
    };
    if from_known.contains(&0) || to_known.contains(&0) {
        return Ok(vec![Index::Known(0); to.len()]);
    }
    let mut at = Vec::with_capacity(to.len());
    let (mut i, mut j) = (0, 0);
    while i < from.len() || j < to.len() {
        let (first, behind) = ((i, j), run((&from_known, &to_known), (i, j)));
        (i, j) = behind;
        let position = position(compute, &index[first.0..i], &from[first.0..i])?;
        at.extend(index_of(compute, position, &to[first.1..j])?);
    }
    Ok(at)
}

/// The end of the run of dimensions on either side, from `i` and `j` on, that have the same number
/// of elements.
fn run((from, to): (&[i64], &[i64]), (mut i, mut j): (usize, usize)) -> (usize, usize) {
    let (mut p, mut q) = (1i64, 1i64);
    if i < from.len() {
        p = from[i];
        i += 1;
    }
    if j < to.len() {
        q = to[j];
        j += 1;
    }
    while p != q {
        if p < q && i < from.len() {
            p = p.saturating_mul(from[i]);
            i += 1;
        } else if j < to.len() {
            q = q.saturating_mul(to[j]);
            j += 1;
        } else {
            break;
        }
    }
    (i, j)
}

/// Position of `index` in a row-major tensor of `sizes`.
fn position<E>(
    compute: &mut (impl Compute<E> + ?Sized),
    index: &[Index],
    sizes: &[Index],
) -> Result<Index, E> {
    let mut at = None;
    for (i, size) in index.iter().zip(sizes) {
        if size.known() == Some(1) {
            continue;
        }
        at = Some(match at {
            Some(rows) => {
                let before = compute.mul(rows, *size)?;
                compute.add(before, *i)?
            }
            None => *i,
        });
    }
    Ok(at.unwrap_or(Index::Known(0)))
}

/// The inverse of [`position`].
fn index_of<E>(
    compute: &mut (impl Compute<E> + ?Sized),
    position: Index,
    sizes: &[Index],
) -> Result<Vec<Index>, E> {
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
            index[k] = compute.rem(rest, sizes[k])?;
            rest = compute.div(rest, sizes[k])?;
        }
    }
    Ok(index)
}

/// The index of the element at `position` in a row-major tensor of `sizes`.
///
/// # Errors
/// Those of the domain.
pub fn index_at<D: NumberDomain>(
    domain: &mut D,
    position: D::Value,
    sizes: &[D::Value],
) -> Result<Vec<D::Value>, D::Error> {
    let mut numbered = Numbered::new(domain);
    let position = numbered.number(position);
    let sizes = numbered.number_all(sizes.to_vec());
    let index = index_of(&mut numbered, position, &sizes)?;
    Ok(numbered.read_all(&index))
}

/// The index in a tensor of sizes `to` of the element at `d0, d1, …` in a tensor of sizes `from`.
/// Both are row-major and must have the same number of elements.
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
    let known = |sizes: &[i64]| sizes.iter().map(|n| Some(*n)).collect::<Vec<_>>();
    rearranged_variables(&known(from), &known(to))
}

/// As [`index`]; sizes that are not there are known at run time only.
fn rearranged_variables(from: &[Option<i64>], to: &[Option<i64>]) -> Found<Vec<Expr>> {
    let mut expressions = Expressions;
    let mut numbered = Numbered::new(&mut expressions);
    let index: Vec<Index> = (0..from.len()).map(|k| numbered.number(d(k))).collect();
    // No expression holds a run-time size: arithmetic with what stands for it here is refused.
    let run_time = numbered.number(rt(0));
    let sizes = |own: &[Option<i64>]| -> Vec<Index> {
        let known = own.iter().map(|size| size.map(Index::Known));
        known.map(|size| size.unwrap_or(run_time)).collect()
    };
    let (from, to) = (sizes(from), sizes(to));
    let at = rearranged(&mut numbered, &index, &from, &to)?;
    Ok(numbered.read_all(&at))
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

/// Result to operand or back, as the index of `to` from that of `from`, also where sizes are known
/// at run time only: equal static dimensions at the end pair off; what is left must have its
/// run-time size in front on both sides, where it is no stride of anything.
pub(crate) fn between(from: &TensorType, to: &TensorType) -> Pieces {
    let sizes =
        |ty: &TensorType| -> Vec<Option<i64>> { ty.dims.iter().map(|dim| dim.fixed()).collect() };
    let (a, b) = (sizes(from), sizes(to));
    let known = |sizes: &[Option<i64>]| sizes.iter().copied().collect::<Option<Vec<i64>>>();
    if let (Some(a), Some(b)) = (known(&a), known(&b)) {
        return Ok(vec![over(&a, index(&a, &b)?)]);
    }
    let mut map = over(&crate::query::sizes(from), rearranged_variables(&a, &b)?);
    // The outermost dimension of the other side bounds the position.
    if let Some(k) = b.iter().position(|size| *size != Some(1)) {
        let interval = indices(crate::query::size(to.dims[k]));
        if interval != Interval::new(0, i64::MAX) {
            let expr = map.results()[k].clone();
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
