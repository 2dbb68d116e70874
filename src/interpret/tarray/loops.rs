//! Operations with a body.

use super::{access::places, *};
use crate::elementwise::{Direction, compare};
use mapwright_ops::{
    Taken,
    attrs::{self, Order},
};

/// Rounds of a loop: the parts, one list for each operand, and the values that the body gets as a
/// whole.
struct Loop<'c> {
    op: Op<'c>,
    /// For each round, its parts.
    rounds: Vec<Vec<Value>>,
    inits: Vec<Value>,
}

impl<'c> Loop<'c> {
    /// The body's values for the parts of a round and what is whole.
    fn body(
        &self,
        machine: &mut Machine<'c>,
        parts: &[Value],
        whole: &[Value],
    ) -> Result<Vec<Value>> {
        let block = self
            .op
            .body(0)
            .ok_or_else(|| Error::plain("a loop without a body"))?;
        machine.block(block, [parts, whole].concat())
    }
}

/// The parts that a loop gets of one operand.
fn parts(op: Op<'_>, value: &Value) -> Result<Vec<Value>> {
    Ok(match value {
        Value::Array(elements) => elements.clone(),
        Value::Shape(sizes) => sizes.iter().map(|size| number(*size)).collect(),
        other => {
            let tensor = other.tensor()?;
            match op.short_name() {
                "build" => (0..int(other)?.max(0)).map(number).collect(),
                "parallel_foreach" | "broadcast" => tensor
                    .data
                    .iter()
                    .map(|x| Value::Tensor(Tensor::scalar(&tensor.element, *x)))
                    .collect(),
                "apply_along_axis" => {
                    let d = dim(op, "dim")?;
                    let mut outer = tensor.shape.clone();
                    let size = outer.remove(d);
                    let line = |index: &[i64]| {
                        Tensor::build(&tensor.element, &[size], |i| {
                            let mut at = index.to_vec();
                            at.insert(d, i[0]);
                            tensor.at(&at)
                        })
                    };
                    places(&outer)
                        .iter()
                        .map(|index| Ok(Value::Tensor(line(index)?)))
                        .collect::<Result<Vec<_>>>()?
                }
                _ => slices(tensor, 0)?.into_iter().map(Value::Tensor).collect(),
            }
        }
    })
}

/// Tensors that are gone through together have the same sizes.
fn of_one_size(op: Op<'_>, xs: &[Value]) -> Result<()> {
    let sizes = |value: &Value| match value {
        Value::Tensor(x) if op.short_name() == "parallel_foreach" => Some(x.shape.clone()),
        Value::Tensor(x) => Some(x.shape.iter().take(1).copied().collect()),
        _ => None,
    };
    let all: Vec<Vec<i64>> = xs.iter().filter_map(sizes).collect();
    match all.windows(2).find(|pair| pair[0] != pair[1]) {
        Some(pair) => Err(Error::plain(format!(
            "a loop goes through Tensors of the sizes {:?} and {:?}",
            pair[0], pair[1]
        ))),
        None => Ok(()),
    }
}

/// The results of a loop.
pub(super) fn execute<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    inputs: Vec<Value>,
) -> Result<Vec<Value>> {
    if op.short_name() == "vectorize" {
        return vectorize(machine, op, &inputs);
    }
    let n = attrs::ints(op, "operandSegmentSizes")?
        .first()
        .map_or(0, |n| usize::try_from(*n).unwrap_or(0));
    let (xs, inits) = inputs.split_at(n.min(inputs.len()));
    of_one_size(op, xs)?;
    let lists = xs
        .iter()
        .map(|value| parts(op, value))
        .collect::<Result<Vec<_>>>()?;
    let length = lists.iter().map(Vec::len).min().unwrap_or(0);
    let rounds = (0..length)
        .map(|i| lists.iter().map(|list| list[i].clone()).collect())
        .collect();
    let all = Loop {
        op,
        rounds,
        inits: inits.to_vec(),
    };
    match op.short_name() {
        "foreach" | "parallel_foreach" => mapped(machine, &all, xs),
        "scan" => scan(machine, &all, xs),
        "reduce" | "fold" => {
            let mut state = all.inits.clone();
            for round in &all.rounds {
                state = all.body(machine, round, &state)?;
            }
            Ok(state)
        }
        "filter" => {
            let mut kept = Vec::new();
            for round in &all.rounds {
                if all.body(machine, round, &[])?[0]
                    .tensor()?
                    .only()?
                    .truth()?
                {
                    kept.push(round[0].clone());
                }
            }
            // Of a Tensor of a run-time size `max` says how many there are at most.
            if let ValueType::Array { max, .. } = op.result_type(0) {
                kept.truncate(usize::try_from(max).unwrap_or(0));
            }
            Ok(vec![Value::Array(kept)])
        }
        "broadcast" => broadcast(machine, &all, xs),
        "apply_along_axis" => apply_along_axis(machine, &all, xs),
        "sortby" => sortby(machine, &all, xs),
        "build" => build(machine, &all),
        _ => Err(Error::plain("is not known to the interpreter")),
    }
}

/// Scalars or slices as one tensor of the type of result `i`, elements as an array.
fn collected(op: Op<'_>, i: usize, values: Vec<Value>, xs: &[Value]) -> Result<Value> {
    match op.result_type(i) {
        ValueType::Tensor(ty) => {
            let mut data = Vec::new();
            for value in &values {
                data.extend_from_slice(&value.tensor()?.data);
            }
            // A size that is known at run time only is that of what the loop goes through, or of
            // what the body gives.
            let own = match values.first() {
                Some(first) => first.tensor()?.shape.clone(),
                None => ty.dims.iter().filter_map(|dim| dim.fixed()).collect(),
            };
            let front = match xs.first() {
                Some(Value::Tensor(x)) => &x.shape[..ty.rank() - own.len().min(ty.rank())],
                _ => &[],
            };
            let shape = sizes_like(&ty, Some(&[front, &own].concat()))?;
            Tensor::build(&ty.element, &shape, |_| Ok(zero(&ty.element)))
                .map(|zeros| Value::Tensor(Tensor { data, ..zeros }))
        }
        _ => of_one_shape(values).map(Value::Array),
    }
}

/// Tensors that are elements of an array have the same sizes.
fn of_one_shape(values: Vec<Value>) -> Result<Vec<Value>> {
    let shape = |value: &Value| match value {
        Value::Tensor(tensor) => Some(tensor.shape.clone()),
        _ => None,
    };
    let other = values
        .iter()
        .find(|value| shape(value) != shape(&values[0]));
    match other {
        Some(other) => Err(Error::plain(format!(
            "elements of an array have the sizes {:?} and {:?}",
            shape(&values[0]).unwrap_or_default(),
            shape(other).unwrap_or_default()
        ))),
        None => Ok(values),
    }
}

/// `foreach` and `parallel_foreach`: outputs of every round, and what is carried along or shared.
fn mapped<'c>(machine: &mut Machine<'c>, all: &Loop<'c>, xs: &[Value]) -> Result<Vec<Value>> {
    let mut state = all.inits.clone();
    let outputs = all.op.num_results() - state.len();
    let mut lists = vec![Vec::new(); outputs];
    for round in &all.rounds {
        let mut given = all.body(machine, round, &state)?;
        state = given.split_off(outputs);
        for (list, value) in lists.iter_mut().zip(given) {
            list.push(value);
        }
    }
    let mut results = Vec::new();
    for (i, list) in lists.into_iter().enumerate() {
        results.push(collected(all.op, i, list, xs)?);
    }
    results.extend(state);
    Ok(results)
}

fn scan<'c>(machine: &mut Machine<'c>, all: &Loop<'c>, xs: &[Value]) -> Result<Vec<Value>> {
    let backward = attrs::order(all.op)? == Some(Order::Backward);
    let mut state = all.inits.clone();
    let mut lists = vec![Vec::new(); state.len()];
    let mut order: Vec<usize> = (0..all.rounds.len()).collect();
    if backward {
        order.reverse();
    }
    for i in order {
        state = all.body(machine, &all.rounds[i], &state)?;
        for (list, value) in lists.iter_mut().zip(&state) {
            list.push(value.clone());
        }
    }
    let mut results = Vec::new();
    for (i, mut list) in lists.into_iter().enumerate() {
        if backward {
            list.reverse();
        }
        results.push(collected(all.op, i, list, xs)?);
    }
    Ok(results)
}

fn broadcast<'c>(machine: &mut Machine<'c>, all: &Loop<'c>, xs: &[Value]) -> Result<Vec<Value>> {
    let mut given = Vec::new();
    match &xs[0] {
        Value::Tensor(x) => {
            let y = all.inits[0].tensor()?;
            let first = x.rank() - y.rank().min(x.rank());
            let dims = attrs::ints_or_none(all.op, "dims")?
                .unwrap_or_else(|| (first as i64..x.rank() as i64).collect());
            for (round, index) in all.rounds.iter().zip(places(&x.shape)) {
                let at: Vec<i64> = dims
                    .iter()
                    .zip(&y.shape)
                    .map(|(d, size)| if *size == 1 { 0 } else { index[*d as usize] })
                    .collect();
                let scalar = Value::Tensor(Tensor::scalar(&y.element, y.at(&at)?));
                given.push(all.body(machine, round, &[scalar])?.remove(0));
            }
        }
        _ => {
            for round in &all.rounds {
                given.push(all.body(machine, round, &all.inits)?.remove(0));
            }
        }
    }
    Ok(vec![collected(all.op, 0, given, xs)?])
}

fn apply_along_axis<'c>(
    machine: &mut Machine<'c>,
    all: &Loop<'c>,
    xs: &[Value],
) -> Result<Vec<Value>> {
    let d = dim(all.op, "dim")?;
    let ty = crate::result(all.op, 0)?;
    let mut outer = xs[0].tensor()?.shape.clone();
    let mut like = outer.clone();
    outer.remove(d);
    let lines = all
        .rounds
        .iter()
        .map(|round| Ok(all.body(machine, round, &[])?.remove(0)));
    let lines = lines.collect::<Result<Vec<_>>>()?;
    if let Some(line) = lines.first() {
        like[d] = line.tensor()?.shape[0];
    }
    let shape = sizes_like(&ty, Some(&like))?;
    let mut result = Tensor::build(&ty.element, &shape, |_| Ok(zero(&ty.element)))?;
    for (given, index) in lines.iter().zip(places(&outer)) {
        for (k, x) in given.tensor()?.data.iter().enumerate() {
            let mut at = index.clone();
            at.insert(d, k as i64);
            if let Some(place) = result.position(&at) {
                result.data[place] = *x;
            }
        }
    }
    Ok(vec![Value::Tensor(result)])
}

/// A stable sort by insertion; a NaN is behind everything else.
fn sortby<'c>(machine: &mut Machine<'c>, all: &Loop<'c>, xs: &[Value]) -> Result<Vec<Value>> {
    let mut sorted: Vec<(Scalar, Value)> = Vec::new();
    let is_nan = |x: Scalar| matches!(x, Scalar::Real(x) if x.is_nan());
    for round in &all.rounds {
        let key = all.body(machine, round, &[])?[0].tensor()?.only()?;
        let mut place = sorted.len();
        while place > 0 {
            let before = sorted[place - 1].0;
            let less = match (is_nan(key), is_nan(before)) {
                (true, _) => false,
                (false, true) => true,
                _ => compare(Direction::Lt, false, key, before)?,
            };
            if !less {
                break;
            }
            place -= 1;
        }
        sorted.insert(place, (key, round[0].clone()));
    }
    let values = sorted.into_iter().map(|(_, value)| value).collect();
    Ok(vec![collected(all.op, 0, values, xs)?])
}

fn build<'c>(machine: &mut Machine<'c>, all: &Loop<'c>) -> Result<Vec<Value>> {
    let max = attrs::int(all.op, "max")?;
    let mut state = all.inits.clone();
    let mut list = Vec::new();
    for round in &all.rounds {
        let mut given = all.body(machine, round, &state)?;
        state = given.split_off(2);
        let keeps = given[0].tensor()?.only()?.truth()?;
        if keeps && (list.len() as i64) < max {
            list.push(given.remove(1));
        }
    }
    let mut results = vec![Value::Array(list)];
    results.extend(state);
    Ok(results)
}

/// The function of every element; of tensors, for every index of the dimensions in front. What all
/// elements share goes into every call.
fn vectorize<'c>(machine: &mut Machine<'c>, op: Op<'c>, inputs: &[Value]) -> Result<Vec<Value>> {
    let name = op
        .symbol("callee")
        .ok_or_else(|| Error::plain("does not say which function it calls"))?;
    let taken = Taken::all(op).ok_or_else(|| Error::plain(format!("there is no @{name}")))?;
    // One for each call, or the same for all.
    let mut lists: Vec<Option<Vec<Value>>> = Vec::new();
    let mut gone_through = Vec::new();
    for (value, taken) in inputs.iter().zip(taken) {
        let taken = taken.ok_or_else(|| Error::plain(format!("@{name} takes something else")))?;
        if taken != Taken::Whole {
            gone_through.push(value.clone());
        }
        lists.push(match (taken, value) {
            (Taken::Whole, _) => None,
            (Taken::Part(front), value) => {
                let tensor = value.tensor()?;
                let inner = tensor.shape[front..].to_vec();
                let part = |index: &Vec<i64>| {
                    Tensor::build(&tensor.element, &inner, |i| tensor.at(&[index, i].concat()))
                        .map(Value::Tensor)
                };
                let all: Result<_> = places(&tensor.shape[..front]).iter().map(part).collect();
                Some(all?)
            }
            (Taken::List, Value::Array(elements)) => {
                let leaf = leaf(&op.operand_type(lists.len()))?;
                let own: Result<_> = elements.iter().map(|list| as_tensor(list, &leaf)).collect();
                Some(own?)
            }
            (_, other) => Some(parts(op, other)?),
        });
    }
    let length = lists.iter().flatten().map(Vec::len).min().unwrap_or(1);
    let mut given = vec![Vec::new(); op.num_results()];
    for i in 0..length {
        let argument = |(value, list): (&Value, &Option<Vec<Value>>)| match list {
            Some(list) => list[i].clone(),
            None => value.clone(),
        };
        let arguments = inputs.iter().zip(&lists).map(argument).collect();
        for (k, value) in machine.call(&name, arguments)?.into_iter().enumerate() {
            given[k].push(as_element(&op.result_type(k), value)?);
        }
    }
    if gone_through.is_empty() {
        return Ok(given.into_iter().flatten().collect());
    }
    given
        .into_iter()
        .enumerate()
        .map(|(i, list)| collected(op, i, list, &gone_through))
        .collect()
}

/// The type of the leaves of an array.
fn leaf(ty: &ValueType) -> Result<TensorType> {
    match ty {
        ValueType::Array { element, .. } => leaf(element),
        other => (other.tensor().cloned()).ok_or_else(|| Error::plain("an array of no Tensors")),
    }
}

/// The Tensor that has these elements at the indices of its first dimension.
fn as_tensor(list: &Value, leaf: &TensorType) -> Result<Value> {
    let Value::Array(elements) = list else {
        return Err(Error::plain("a list is expected"));
    };
    let tensors: Vec<Tensor> = (elements.iter())
        .map(|element| element.tensor().cloned())
        .collect::<Result<_>>()?;
    let own = sizes_like(leaf, tensors.first().map(|tensor| &tensor.shape[..]))?;
    Ok(Value::Tensor(stack(&leaf.element, &own, &tensors, 0)?))
}

/// Turns the result of a call into an element of an array of this type: where a list is asked for,
/// a Tensor is the list of its slices.
fn as_element(array: &ValueType, value: Value) -> Result<Value> {
    match (array, &value) {
        (ValueType::Array { element, .. }, Value::Tensor(tensor)) => match **element {
            ValueType::Array { max, .. } => {
                let mut list = slices(tensor, 0)?;
                list.truncate(usize::try_from(max).unwrap_or(0));
                Ok(Value::Array(list.into_iter().map(Value::Tensor).collect()))
            }
            _ => Ok(value),
        },
        _ => Ok(value),
    }
}
