//! Reshapes, transposes and broadcasts: `tensor.collapse_shape` and `expand_shape`,
//! `linalg.transpose` and `broadcast`.

use super::{
    element::{tensor, type_of},
    generic::of_dimensions,
    maps::only_map,
};
use crate::{error::Result, in_place::cast, index::Ix};
use mapwright_indexing::{Expr, ExprKind};
use mapwright_mlir::{
    Attr, Builder, Dim, ElementType, Op, TensorType, Val, builder::DYNAMIC, melior::ir::ValueLike,
};

/// The result of a `reshape`, of these sizes.
pub(super) fn reshaped<'c>(b: &Builder<'c>, op: Op<'c>, sizes: &[Ix<'c>]) -> Result<Val<'c>> {
    let value = op.operand(0);
    let (from, to) = (tensor(value)?, tensor(op.result(0))?);
    if let (Some(a), Some(b_sizes)) = (from.static_shape(), to.static_shape()) {
        return Ok(regrouped(b, value, &from.element, &a, &b_sizes));
    }
    Ok(flattened(b, value, &from, &to, sizes))
}

/// All dimensions collapsed to one, and that one expanded to those of type `to`, of these sizes; of
/// several open ones in one operation.
fn flattened<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    from: &TensorType,
    to: &TensorType,
    sizes: &[Ix<'c>],
) -> Val<'c> {
    let typed = |dims: Vec<Dim>| {
        let ty = TensorType {
            element: from.element.clone(),
            dims,
        };
        b.parse_type(&ty.to_string())
    };
    let ones = |rank: usize| typed(vec![Dim::Static(1); rank]);
    if from.rank() == 0 || to.rank() == 0 {
        let value = cast(b, value, ones(from.rank()));
        let (from, other) = (vec![1; from.rank()], vec![1; to.rank()]);
        let value = regrouped(b, value, &to.element, &from, &other);
        return cast(b, value, typed(to.dims.clone()));
    }
    // Of several sizes that are known at run time only upstream's passes behind
    // `memref.expand_shape` find no strides.
    if to.dims.iter().filter(|dim| dim.fixed().is_none()).count() > 1 {
        let sizes: Vec<Val<'c>> = sizes.iter().map(|size| size.value(b)).collect();
        let ty = b.parse_type(&format!("tensor<{}xindex>", to.rank()));
        let shape = b.op1("tensor.from_elements", &sizes, ty, &[]);
        return b.op1(
            "tensor.reshape",
            &[value, shape],
            typed(to.dims.clone()),
            &[],
        );
    }
    let flat = |ty: &TensorType| match ty.static_shape() {
        Some(shape) => Dim::Static(shape.iter().product()),
        None => Dim::Dynamic,
    };
    let all = |rank: usize| lists(b, &[&(0..rank).collect::<Vec<_>>()]);
    let mut value = value;
    if from.rank() > 1 {
        let attributes = [("reassociation", all(from.rank()))];
        let ty = typed(vec![flat(from)]);
        value = b.op1("tensor.collapse_shape", &[value], ty, &attributes);
    }
    value = cast(b, value, typed(vec![flat(to)]));
    if to.rank() > 1 {
        let known = to.dims.iter().map(|dim| dim.fixed().unwrap_or(DYNAMIC));
        let known: Vec<i64> = known.collect();
        let mut operands = vec![value];
        for (dim, size) in to.dims.iter().zip(sizes) {
            if dim.fixed().is_none() {
                operands.push(size.value(b));
            }
        }
        let attributes = [
            ("reassociation", all(to.rank())),
            ("static_output_shape", b.i64_array(&known)),
        ];
        let ty = typed(to.dims.clone());
        value = b.op1("tensor.expand_shape", &operands, ty, &attributes);
    }
    value
}

/// Runs of dimensions on either side that hold the same number of elements, none of them empty if
/// either side has dimensions.
fn groups(from: &[i64], to: &[i64]) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut found: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < from.len() || j < to.len() {
        let (mut own, mut other) = (Vec::new(), Vec::new());
        let (mut m, mut n) = (1, 1);
        loop {
            let behind = own.is_empty() && i < from.len() || m < n;
            if behind && i < from.len() {
                m *= from[i];
                own.push(i);
                i += 1;
            } else if j < to.len() && (other.is_empty() || n < m) {
                n *= to[j];
                other.push(j);
                j += 1;
            } else {
                break;
            }
            if m == n && !own.is_empty() && !other.is_empty() {
                break;
            }
        }
        match found.last_mut() {
            // Dimensions of size 1 at the end.
            Some(last) if own.is_empty() || other.is_empty() => {
                last.0.extend(own);
                last.1.extend(other);
            }
            _ => found.push((own, other)),
        }
    }
    found
}

/// Collapses each group to one dimension, and expands it again.
pub(super) fn regrouped<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    element: &ElementType,
    from: &[i64],
    to: &[i64],
) -> Val<'c> {
    let tensor_type = |sizes: &[i64]| {
        let ty = TensorType::new(element.clone(), sizes);
        b.parse_type(&ty.to_string())
    };
    let (groups, middle): (Vec<_>, Vec<i64>) = if from.is_empty() || to.is_empty() {
        (Vec::new(), Vec::new())
    } else {
        let groups = groups(from, to);
        let product = |own: &[usize]| own.iter().map(|k| from[*k]).product();
        let middle = groups.iter().map(|(own, _)| product(own)).collect();
        (groups, middle)
    };
    let mut value = value;
    if from != middle {
        let own: Vec<&[usize]> = groups.iter().map(|(own, _)| own.as_slice()).collect();
        let attributes = [("reassociation", lists(b, &own))];
        let ty = tensor_type(&middle);
        value = b.op1("tensor.collapse_shape", &[value], ty, &attributes);
    }
    if to != middle {
        let other: Vec<&[usize]> = groups.iter().map(|(_, other)| other.as_slice()).collect();
        let attributes = [
            ("reassociation", lists(b, &other)),
            ("static_output_shape", b.i64_array(to)),
        ];
        value = b.op1(
            "tensor.expand_shape",
            &[value],
            tensor_type(to),
            &attributes,
        );
    }
    value
}

fn lists<'c>(b: &Builder<'c>, lists: &[&[usize]]) -> Attr<'c> {
    let list = |list: &&[usize]| {
        let numbers: Vec<_> = list.iter().map(|k| b.i64_attr(*k as i64)).collect();
        b.array_attr(&numbers)
    };
    b.array_attr(&lists.iter().map(list).collect::<Vec<_>>())
}

/// The dimension that each of the expressions is; `None` if one is none, or one is there twice.
fn dimensions(exprs: &[Expr]) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for expr in exprs {
        match expr.kind() {
            ExprKind::Dim(i) if !found.contains(i) => found.push(*i),
            _ => return None,
        }
    }
    Some(found)
}

/// `linalg.transpose` or `linalg.broadcast`, if the map of `op` to its first operand is that of
/// one.
pub(super) fn moved<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    init: impl FnOnce() -> Val<'c>,
) -> Result<Option<Val<'c>>> {
    let Ok(map) = only_map(op, 0, 0) else {
        return Ok(None);
    };
    let Some(read) = dimensions(map.results()) else {
        return Ok(None);
    };
    let rank = map.dims().len();
    // Upstream's transpose of nothing does not come to an end.
    if read.iter().enumerate().all(|(i, k)| i == *k) && read.len() == rank {
        return Ok(Some(cast(b, op.operand(0), op.result(0).r#type())));
    }
    let (name, attribute, numbers): (_, _, Vec<i64>) = if read.len() == rank {
        // Dimension `i` of the result is the dimension of the operand that reads it.
        let of = |i: usize| read.iter().position(|k| *k == i).unwrap_or(i) as i64;
        (
            "linalg.transpose",
            "permutation",
            (0..rank).map(of).collect(),
        )
    } else if read.is_sorted() {
        let new = (0..rank).filter(|i| !read.contains(i)).map(|i| i as i64);
        ("linalg.broadcast", "dimensions", new.collect())
    } else {
        return Ok(None);
    };
    let init = init();
    let element = type_of(b, &tensor(init)?.element);
    let region = b.region(&[element, element], |b, arguments| {
        b.op("linalg.yield", &[arguments[0]], &[], &[]);
    });
    let attributes = [(attribute, b.i64_array(&numbers))];
    let dims = tensor(init)?.dims;
    let read = read.iter().map(|k| dims[*k]).collect();
    let operands = [of_dimensions(b, op.operand(0), read)?, init];
    let made = b.op_with_regions(name, &operands, &[init.r#type()], &attributes, vec![region]);
    Ok(Some(made.result(0)))
}

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn groups_hold_as_many_elements_on_either_side() {
        for (from, to) in [
            (&[4_i64, 8, 12][..], &[32_i64, 3, 4][..]),
            (&[2, 3], &[3, 2]),
            (&[1, 5, 1], &[5]),
            (&[5], &[1, 5, 1]),
            (&[2, 1, 3], &[2, 3, 1]),
            (&[6], &[1, 1, 2, 1, 3, 1, 1]),
            (&[1, 1], &[1]),
        ] {
            let found = groups(from, to);
            let (mut i, mut j) = (0, 0);
            for (own, other) in &found {
                assert!(
                    !own.is_empty() && !other.is_empty(),
                    "{from:?} {to:?} {found:?}"
                );
                let m: i64 = own.iter().map(|k| from[*k]).product();
                let n: i64 = other.iter().map(|k| to[*k]).product();
                assert_eq!(m, n, "{from:?} {to:?} {found:?}");
                assert_eq!(own, &(i..i + own.len()).collect::<Vec<_>>());
                assert_eq!(other, &(j..j + other.len()).collect::<Vec<_>>());
                (i, j) = (i + own.len(), j + other.len());
            }
            assert_eq!((i, j), (from.len(), to.len()));
        }
    }
}
