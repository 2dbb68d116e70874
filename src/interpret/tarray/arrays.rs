//! Arrays made of tensors, and back.

use super::*;
use mapwright_ops::attrs;

/// The results of `op`, if it is one of these.
pub(super) fn execute(op: Op<'_>, inputs: &[Value]) -> Result<Option<Vec<Value>>> {
    let elements = |i: usize| match inputs.get(i) {
        Some(Value::Array(elements)) => Ok(elements),
        _ => Err(Error::plain(format!("operand #{i} must be an array"))),
    };
    let one = match op.short_name() {
        "from_offsets" => from_offsets(op, inputs)?,
        "to_offsets" => return to_offsets(op, elements(0)?).map(Some),
        "slices" => {
            let mut parts = super::slices(inputs[0].tensor()?, dim(op, "dim")?)?;
            if let Some(max) = op.int("max") {
                parts.truncate(usize::try_from(max).unwrap_or(0));
            }
            Value::Array(parts.into_iter().map(Value::Tensor).collect())
        }
        "chunks" => {
            let (tensor, d, n) = (
                inputs[0].tensor()?,
                dim(op, "dim")?,
                attrs::int(op, "n")?.max(1),
            );
            let mut shape = tensor.shape.clone();
            if shape[d] % n != 0 {
                return Err(Error::plain(format!(
                    "cannot be cut into {n} equal parts along dimension {d} of size {}",
                    shape[d]
                )));
            }
            shape[d] /= n;
            let part = |k: i64| {
                Tensor::build(&tensor.element, &shape, |i| {
                    let mut at = i.to_vec();
                    at[d] += k * shape[d];
                    tensor.at(&at)
                })
            };
            let parts = (0..n).map(|k| Ok(Value::Tensor(part(k)?)));
            Value::Array(parts.collect::<Result<Vec<_>>>()?)
        }
        "stack" | "concatenate" => {
            let d = dim(op, "dim")?;
            let ty = crate::result(op, 0)?;
            let elements = elements(0)?;
            // Without padding there is nothing behind the last element.
            let padding = match inputs.get(1) {
                Some(padding) => padding.tensor()?.only()?,
                None => zero(&ty.element),
            };
            let stacks = op.short_name() == "stack";
            let mut like = match elements.first() {
                Some(first) => Some(first.tensor()?.shape.clone()),
                None => None,
            };
            match (&mut like, op.operand_type(0)) {
                (Some(like), _) if stacks => like.insert(d, elements.len() as i64),
                (Some(like), ValueType::Array { max, .. }) => like[d] *= max,
                // Without elements the one size that is not known is their number.
                (None, _) if stacks => {
                    let open = ty.dims.iter().filter(|dim| dim.fixed().is_none()).count();
                    if open < 2 {
                        like = Some(vec![0; ty.rank()]);
                    }
                }
                _ => {}
            }
            let shape = sizes_like(&ty, like.as_deref())?;
            Value::Tensor(Tensor::build(&ty.element, &shape, |i| {
                let mut at = i.to_vec();
                let k = if stacks {
                    at.remove(d)
                } else {
                    // The size of an element follows from the element itself.
                    let size = match elements.first() {
                        Some(first) => first.tensor()?.shape[d],
                        None => return Ok(padding),
                    };
                    at[d] = i[d].checked_rem(size).unwrap_or(0);
                    i[d].checked_div(size).unwrap_or(0)
                };
                match elements.get(k as usize) {
                    Some(element) => element.tensor()?.at(&at),
                    None => Ok(padding),
                }
            })?)
        }
        "zip" => {
            let all = (0..inputs.len())
                .map(elements)
                .collect::<Result<Vec<_>>>()?;
            let n = all.iter().map(|list| list.len()).min().unwrap_or(0);
            let cut = all.iter().map(|list| Value::Array(list[..n].to_vec()));
            return Ok(Some(cut.collect()));
        }
        _ => return Ok(None),
    };
    Ok(Some(vec![one]))
}

/// Lists of leaves, then lists of those, from the innermost level outwards.
fn from_offsets(op: Op<'_>, inputs: &[Value]) -> Result<Value> {
    let mut ty = op.result_type(0);
    // How long each list of a level is; a level has as many lists as the one before has elements.
    let mut lengths: Vec<Vec<usize>> = Vec::new();
    let mut lists = 1usize;
    for offsets in &inputs[1..] {
        let ValueType::Array { element, max } = ty else {
            return Err(Error::plain("an array that is not as deep as its offsets"));
        };
        ty = *element;
        let offsets = offsets.tensor()?.ints()?;
        let own: Vec<usize> = offsets
            .windows(2)
            .take(lists)
            .map(|pair| pair[1].saturating_sub(pair[0]).clamp(0, max) as usize)
            .collect();
        lists = own.iter().sum();
        lengths.push(own);
    }
    let leaves = super::slices(inputs[0].tensor()?, 0)?;
    let mut elements: Vec<Value> = leaves.into_iter().map(Value::Tensor).collect();
    for own in lengths.iter().rev() {
        let mut rest = elements.into_iter();
        elements = own
            .iter()
            .map(|n| Value::Array(rest.by_ref().take(*n).collect()))
            .collect();
    }
    elements
        .into_iter()
        .next()
        .ok_or_else(|| Error::plain("an array without its outermost list"))
}

/// The leaves, zeros behind them, and the offsets of each level.
fn to_offsets(op: Op<'_>, elements: &[Value]) -> Result<Vec<Value>> {
    let mut lists: Vec<Vec<Value>> = vec![elements.to_vec()];
    let mut results = Vec::new();
    for i in 1..op.num_results() {
        let ty = crate::result(op, i)?;
        let mut offsets = vec![0i64];
        for list in &lists {
            offsets.push(offsets.last().copied().unwrap_or(0) + list.len() as i64);
        }
        let last = offsets.last().copied().unwrap_or(0);
        let entries = (ty.static_shape()).unwrap_or_else(|| vec![offsets.len() as i64]);
        results.push(Value::Tensor(Tensor::build(&ty.element, &entries, |i| {
            let known = offsets.get(i[0] as usize).copied();
            Ok(Scalar::Int(known.unwrap_or(last).into()))
        })?));
        let inner: Vec<Value> = lists.into_iter().flatten().collect();
        lists = if i + 1 == op.num_results() {
            vec![inner]
        } else {
            inner
                .into_iter()
                .map(|value| match value {
                    Value::Array(elements) => Ok(elements),
                    _ => Err(Error::plain("an array that is not as deep as its type")),
                })
                .collect::<Result<Vec<_>>>()?
        };
    }
    let leaves = lists.concat();
    let ty = crate::result(op, 0)?;
    let mut like = match leaves.first() {
        Some(leaf) => leaf.tensor()?.shape.clone(),
        None => Vec::new(),
    };
    like.insert(0, leaves.len() as i64);
    let shape = sizes_like(&ty, Some(&like))?;
    let values = Tensor::build(&ty.element, &shape, |i| match leaves.get(i[0] as usize) {
        Some(leaf) => leaf.tensor()?.at(&i[1..]),
        None => Ok(zero(&ty.element)),
    })?;
    results.insert(0, Value::Tensor(values));
    Ok(results)
}
