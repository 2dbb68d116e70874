//! Single elements, several of them, and layouts.

use super::*;
use crate::{elementwise, value::indices};
use mapwright_ops::attrs::{self, Pool, Update};

/// The result of `op`, if it is one of these.
pub(super) fn execute(op: Op<'_>, inputs: &[Value]) -> Result<Option<Value>> {
    Ok(Some(match op.short_name() {
        "index" => index(op, inputs)?,
        "index_update" => {
            let update = attrs::update(op)?;
            index_update(update, &inputs[0], &inputs[1], &ints(&inputs[2])?)?
        }
        "gather" => gather(op, inputs)?,
        "scatter" => scatter(op, inputs)?,
        "embedding" => {
            let (table, d) = (inputs[1].tensor()?, dim(op, "dim")?);
            if let Value::Array(_) = &inputs[0] {
                return embedded(&inputs[0], table, d).map(Some);
            }
            let rows = nearest_slices(table, d, &ints(&inputs[0])?)?;
            Value::Tensor(stack(&table.element, &without(&table.shape, d), &rows, 0)?)
        }
        _ => return layout(op, inputs),
    }))
}

/// Operations that only move the elements of one tensor.
fn layout(op: Op<'_>, inputs: &[Value]) -> Result<Option<Value>> {
    let name = op.short_name();
    if !matches!(
        name,
        "slice" | "transpose" | "reshape" | "squeeze" | "unsqueeze"
    ) {
        return Ok(None);
    }
    let x = inputs[0].tensor()?;
    let moved = match name {
        "slice" => {
            let d = dim(op, "dim")?;
            let size = x.shape[d];
            let (start, stride, end) = match inputs.get(1) {
                Some(at) if size > 0 => {
                    let start = int(at)?.clamp(0, size - 1);
                    (start, 1, start + 1)
                }
                Some(_) => return Err(Error::plain("has no index along an empty dimension")),
                None => {
                    let range = attrs::ints(op, "range")?;
                    (range[0], range[1], range[2])
                }
            };
            if end > size {
                return Err(Error::plain(format!(
                    "the range ends at {end}, behind the size {size}"
                )));
            }
            let mut shape = x.shape.clone();
            shape[d] = (end - start + stride - 1) / stride;
            let cut = Tensor::build(&x.element, &shape, |i| {
                let mut at = i.to_vec();
                at[d] = start + at[d] * stride;
                x.at(&at)
            })?;
            match op.boolean("keep_dim") {
                Some(false) => Tensor {
                    shape: without(&shape, d),
                    ..cut
                },
                _ => cut,
            }
        }
        "transpose" => {
            let permutation = attrs::ints(op, "permutation")?;
            let shape: Vec<i64> = permutation.iter().map(|d| x.shape[*d as usize]).collect();
            Tensor::build(&x.element, &shape, |i| {
                let mut at = vec![0; i.len()];
                for (value, d) in i.iter().zip(&permutation) {
                    at[*d as usize] = *value;
                }
                x.at(&at)
            })?
        }
        // The row-major order of the elements stays.
        "squeeze" => Tensor {
            shape: without(&x.shape, dim(op, "dim")?),
            ..x.clone()
        },
        "unsqueeze" => {
            let mut moved = x.clone();
            moved.shape.insert(dim(op, "dim")?, 1);
            moved
        }
        _ => reshaped(op, x)?,
    };
    Ok(Some(Value::Tensor(moved)))
}

/// Sizes that are left open are those that are known at run time only, in their order, or one that
/// follows from the number of elements.
fn reshaped(op: Op<'_>, x: &Tensor) -> Result<Tensor> {
    let mut shape = attrs::ints(op, "shape")?;
    let ty = op.operand_type(0);
    let dims = ty.tensor().map(|ty| ty.dims.as_slice()).unwrap_or_default();
    let varying = dims
        .iter()
        .zip(&x.shape)
        .filter(|(dim, _)| dim.fixed().is_none());
    let varying: Vec<i64> = varying.map(|(_, size)| *size).collect();
    let open = shape.iter().filter(|size| **size == -1).count();
    let others: i64 = shape.iter().filter(|size| **size != -1).product();
    let known: i64 = dims.iter().filter_map(|dim| dim.fixed()).product();
    let mut found = if open == varying.len() && known == others {
        varying
    } else {
        vec![x.data.len() as i64 / others.max(1)]
    }
    .into_iter();
    for size in shape.iter_mut().filter(|size| **size == -1) {
        *size = found.next().unwrap_or(0);
    }
    if shape.iter().product::<i64>() == x.data.len() as i64 {
        Ok(Tensor { shape, ..x.clone() })
    } else {
        Err(Error::plain(format!(
            "{} elements do not become {shape:?}",
            x.data.len()
        )))
    }
}

/// `shape` without the size of dimension `d`.
fn without(shape: &[i64], d: usize) -> Vec<i64> {
    let mut shape = shape.to_vec();
    shape.remove(d);
    shape
}

/// The slices of a table in the place of the indices in an array.
fn embedded(x: &Value, table: &Tensor, d: usize) -> Result<Value> {
    match x {
        Value::Array(elements) => {
            let all = elements.iter().map(|element| embedded(element, table, d));
            all.collect::<Result<_>>().map(Value::Array)
        }
        index => Ok(Value::Tensor(
            nearest_slices(table, d, &[int(index)?])?.remove(0),
        )),
    }
}

/// A tensor by the slices that the indices in the rows of a matrix are of, along its first
/// dimension, and where these are; `None` is outside.
fn by_rows(x: &Tensor, at: &Tensor) -> Result<(Tensor, Vec<Option<i64>>)> {
    let steps = at.shape[1] as usize;
    let numbers = at.ints()?;
    let place = |index: &[i64]| {
        let mut place = 0;
        for (i, size) in index.iter().zip(&x.shape) {
            if !(0..*size).contains(i) {
                return None;
            }
            place = place * size + i;
        }
        Some(place)
    };
    let places = numbers.chunks(steps.max(1)).map(place).collect();
    let shape = [&[x.shape[..steps].iter().product()], &x.shape[steps..]].concat();
    Ok((Tensor { shape, ..x.clone() }, places))
}

/// The slices at the nearest indices along dimension `d`, of zeros where there is none.
fn nearest_slices(x: &Tensor, d: usize, at: &[i64]) -> Result<Vec<Tensor>> {
    let one = |i: &i64| match x.shape[d] {
        0 => Tensor::build(&x.element, &without(&x.shape, d), |_| Ok(zero(&x.element))),
        n => slice(x, d, nearest(*i, n as usize) as i64),
    };
    at.iter().map(one).collect()
}

/// One step after the other into the nest; the nearest index, and zero where there is none.
fn index(op: Op<'_>, inputs: &[Value]) -> Result<Value> {
    let path = ints(&inputs[1])?;
    match &inputs[0] {
        Value::Tensor(x) => {
            let at: Vec<i64> = path
                .iter()
                .zip(&x.shape)
                .map(|(i, n)| nearest(*i, *n as usize) as i64)
                .collect();
            let element = if x.shape.contains(&0) {
                zero(&x.element)
            } else {
                x.at(&at)?
            };
            Ok(Value::Tensor(Tensor::scalar(&x.element, element)))
        }
        array => {
            let mut at = array.clone();
            for i in path {
                let Value::Array(elements) = at else {
                    return Err(Error::plain("an index that is deeper than its array"));
                };
                let near = nearest(i, elements.len());
                at = match elements.into_iter().nth(near) {
                    Some(element) => element,
                    None => return zero_of(&op.result_type(0)),
                };
            }
            Ok(at)
        }
    }
}

/// `f(old, new)`, element by element.
fn combine(name: &str, old: &Tensor, new: &Tensor) -> Result<Tensor> {
    let ty = &old.element;
    Tensor::build(ty, &old.shape, |i| {
        elementwise::apply(name, ty, ty, &[old.at(i)?, new.at(i)?])
    })
}

fn updated(update: Update, old: &Tensor, new: &Tensor) -> Result<Tensor> {
    match update {
        Update::Add => combine("add", old, new),
        Update::Max => combine("maximum", old, new),
        Update::Min => combine("minimum", old, new),
        Update::Mul => combine("multiply", old, new),
        Update::Set => Ok(new.clone()),
    }
}

/// The operand with one leaf changed, unless the index is outside.
fn index_update(update: Update, x: &Value, value: &Value, path: &[i64]) -> Result<Value> {
    match x {
        Value::Array(elements) => {
            let mut elements = elements.clone();
            let [i, rest @ ..] = path else {
                return Err(Error::plain("an index that ends before a leaf"));
            };
            let element = usize::try_from(*i).ok().and_then(|i| elements.get_mut(i));
            if let Some(element) = element {
                *element = match (rest, &*element) {
                    ([], Value::Tensor(old)) => {
                        Value::Tensor(updated(update, old, value.tensor()?)?)
                    }
                    (rest, element) => index_update(update, element, value, rest)?,
                };
            }
            Ok(Value::Array(elements))
        }
        other => {
            let mut x = other.tensor()?.clone();
            if let Some(at) = x.position(path) {
                let old = Tensor::scalar(&x.element, x.data[at]);
                x.data[at] = updated(update, &old, value.tensor()?)?.only()?;
            }
            Ok(Value::Tensor(x))
        }
    }
}

/// The element that changes nothing in a maximum or minimum.
fn extreme(element: &ElementType, greatest: bool) -> Scalar {
    let far = if greatest {
        f64::INFINITY
    } else {
        f64::NEG_INFINITY
    };
    match element {
        ElementType::Bool => Scalar::Bool(greatest),
        ElementType::Float(_) => crate::value::fit(element, Scalar::Real(far)),
        other => {
            let (width, unsigned) = crate::value::integer(other).unwrap_or((64, false));
            let all = (1i128 << width) - 1;
            Scalar::Int(match (greatest, unsigned) {
                (true, true) => all,
                (true, false) => all >> 1,
                (false, true) => 0,
                (false, false) => -(all >> 1) - 1,
            })
        }
    }
}

/// All parts put together to one of this shape.
fn pooled(pool: Pool, element: &ElementType, shape: &[i64], parts: &[Tensor]) -> Result<Tensor> {
    let start = match pool {
        Pool::Max => extreme(element, false),
        Pool::Min => extreme(element, true),
        Pool::Mean | Pool::Sum => zero(element),
    };
    let name = match pool {
        Pool::Max => "maximum",
        Pool::Min => "minimum",
        Pool::Mean | Pool::Sum => "add",
    };
    let mut all = Tensor::build(element, shape, |_| Ok(start))?;
    for part in parts {
        all = combine(name, &all, part)?;
    }
    match pool {
        Pool::Mean => divided(&all, parts.len()),
        _ => Ok(all),
    }
}

/// Every element divided by a number.
fn divided(tensor: &Tensor, n: usize) -> Result<Tensor> {
    let element = &tensor.element;
    let by = elementwise::convert(&ElementType::int(64), element, Scalar::Int(n as i128))?;
    Tensor::build(element, &tensor.shape, |i| {
        elementwise::apply("divide", element, element, &[tensor.at(i)?, by])
    })
}

fn gather(op: Op<'_>, inputs: &[Value]) -> Result<Value> {
    let pool = attrs::pool(op)?;
    let at = ints(&inputs[1])?;
    match &inputs[0] {
        Value::Array(elements) => {
            let ValueType::Array { element, .. } = op.operand_type(0) else {
                return Err(Error::plain("an array is expected"));
            };
            let found = at
                .iter()
                .map(|i| match elements.get(nearest(*i, elements.len())) {
                    Some(element) => Ok(element.clone()),
                    None => zero_of(&element),
                })
                .collect::<Result<Vec<_>>>()?;
            let Some(pool) = pool else {
                return Ok(Value::Array(found));
            };
            let ty = crate::result(op, 0)?;
            let parts = found
                .into_iter()
                .map(|value| value.tensor().cloned())
                .collect::<Result<Vec<_>>>()?;
            let shape = sizes_like(&ty, parts.first().map(|part| &part.shape[..]))?;
            Ok(Value::Tensor(pooled(pool, &ty.element, &shape, &parts)?))
        }
        other => {
            let x = other.tensor()?;
            let (x, d, at) = match inputs[1].tensor()? {
                rows if rows.rank() == 2 => {
                    let mut near = rows.clone();
                    for (k, number) in near.data.iter_mut().enumerate() {
                        let size = x.shape[k % rows.shape[1] as usize];
                        *number = Scalar::Int(nearest(at[k], size as usize) as i128);
                    }
                    let (x, places) = by_rows(x, &near)?;
                    (
                        x,
                        0,
                        places.into_iter().map(Option::unwrap_or_default).collect(),
                    )
                }
                _ => (x.clone(), dim(op, "dim")?, at),
            };
            let x = &x;
            let like = without(&x.shape, d);
            let parts = nearest_slices(x, d, &at)?;
            Ok(Value::Tensor(match pool {
                None => stack(&x.element, &like, &parts, d)?,
                Some(pool) => pooled(pool, &x.element, &like, &parts)?,
            }))
        }
    }
}

fn scatter(op: Op<'_>, inputs: &[Value]) -> Result<Value> {
    let pool = attrs::pool(op)?;
    let at = ints(&inputs[2])?;
    let leaf = |value: &Value| value.tensor().cloned();
    match (&inputs[0], &inputs[1]) {
        (Value::Array(elements), Value::Array(updates)) => {
            let old = elements.iter().map(leaf).collect::<Result<Vec<_>>>()?;
            let new = updates.iter().map(leaf).collect::<Result<Vec<_>>>()?;
            let changed = scattered(pool, old, &new, &at)?;
            Ok(Value::Array(
                changed.into_iter().map(Value::Tensor).collect(),
            ))
        }
        (x, updates) => {
            let (x, updates) = (x.tensor()?, updates.tensor()?);
            let where_to = inputs[2].tensor()?;
            if where_to.rank() == 2 {
                let (rows, places) = by_rows(x, where_to)?;
                let at: Vec<i64> = places
                    .into_iter()
                    .map(|place| place.unwrap_or(-1))
                    .collect();
                let changed = scattered(pool, slices(&rows, 0)?, &slices(updates, 0)?, &at)?;
                let all = stack(&x.element, &rows.shape[1..], &changed, 0)?;
                return Ok(Value::Tensor(Tensor {
                    shape: x.shape.clone(),
                    ..all
                }));
            }
            let d = dim(op, "dim")?;
            let changed = scattered(pool, slices(x, d)?, &slices(updates, d)?, &at)?;
            let like = without(&x.shape, d);
            Ok(Value::Tensor(stack(&x.element, &like, &changed, d)?))
        }
    }
}

/// Every old part put together with all new ones that go to its index.
fn scattered(
    pool: Option<Pool>,
    mut old: Vec<Tensor>,
    new: &[Tensor],
    at: &[i64],
) -> Result<Vec<Tensor>> {
    let mut counts = vec![1usize; old.len()];
    for (part, i) in new.iter().zip(at) {
        let Some(i) = usize::try_from(*i).ok().filter(|i| *i < old.len()) else {
            continue;
        };
        counts[i] += 1;
        old[i] = match pool {
            None => part.clone(),
            Some(Pool::Max) => combine("maximum", &old[i], part)?,
            Some(Pool::Min) => combine("minimum", &old[i], part)?,
            Some(Pool::Mean | Pool::Sum) => combine("add", &old[i], part)?,
        };
    }
    match pool {
        Some(Pool::Mean) => old
            .iter()
            .zip(counts)
            .map(|(part, n)| divided(part, n))
            .collect(),
        _ => Ok(old),
    }
}

/// All indices of a tensor that holds anything, for loops over scalars.
pub(super) fn places(shape: &[i64]) -> Vec<Vec<i64>> {
    indices(shape).collect()
}
