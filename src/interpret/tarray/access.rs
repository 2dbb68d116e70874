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
            let rows = ints(&inputs[0])?
                .into_iter()
                .map(|i| slice(table, d, i.clamp(0, table.shape[d] - 1)))
                .collect::<Result<Vec<_>>>()?;
            let mut like = table.shape.clone();
            like.remove(d);
            Value::Tensor(stack(&table.element, &like, &rows, 0)?)
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
    let ty = crate::result(op, 0)?;
    let shape: Vec<i64> = match name {
        "transpose" => {
            let permutation = attrs::ints(op, "permutation")?;
            permutation.iter().map(|d| x.shape[*d as usize]).collect()
        }
        _ => {
            // At most one size is known at run time only: it follows from the number of elements.
            let fixed = ty.dims.iter().filter_map(|dim| dim.fixed());
            let open = x.data.len() as i64 / fixed.product::<i64>().max(1);
            let sizes = ty.dims.iter().map(|dim| dim.fixed().unwrap_or(open));
            sizes.collect()
        }
    };
    let moved = match name {
        "slice" => {
            let d = dim(op, "dim")?;
            let (start, stride) = match inputs.get(1) {
                Some(at) => (int(at)?.clamp(0, x.shape[d] - 1), 1),
                None => {
                    let range = attrs::ints(op, "range")?;
                    (range[0], range[1])
                }
            };
            let drops = shape.len() < x.rank();
            Tensor::build(&x.element, &shape, |i| {
                let mut at = i.to_vec();
                if drops {
                    at.insert(d, 0);
                }
                at[d] = start + at[d] * stride;
                x.at(&at)
            })?
        }
        "transpose" => {
            let permutation = attrs::ints(op, "permutation")?;
            Tensor::build(&x.element, &shape, |i| {
                let mut at = vec![0; i.len()];
                for (value, d) in i.iter().zip(&permutation) {
                    at[*d as usize] = *value;
                }
                x.at(&at)
            })?
        }
        // The row-major order of the elements stays.
        _ => Tensor { shape, ..x.clone() },
    };
    Ok(Some(Value::Tensor(moved)))
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
            let element = match x.shape.contains(&0) {
                true => zero(&x.element),
                false => x.at(&at)?,
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
            let shape = ty.static_shape().unwrap_or_default();
            Ok(Value::Tensor(pooled(pool, &ty.element, &shape, &parts)?))
        }
        other => {
            let (x, d) = (other.tensor()?, dim(op, "dim")?);
            let mut like = x.shape.clone();
            like.remove(d);
            let parts = at
                .iter()
                .map(|i| match x.shape[d] {
                    0 => Tensor::build(&x.element, &like, |_| Ok(zero(&x.element))),
                    n => slice(x, d, nearest(*i, n as usize) as i64),
                })
                .collect::<Result<Vec<_>>>()?;
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
            let (x, updates, d) = (x.tensor()?, updates.tensor()?, dim(op, "dim")?);
            let changed = scattered(pool, slices(x, d)?, &slices(updates, d)?, &at)?;
            let mut like = x.shape.clone();
            like.remove(d);
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
