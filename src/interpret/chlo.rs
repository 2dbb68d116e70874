//! Operations that only CHLO and MHLO have, straight from their definitions: what the rewritings to
//! StableHLO are compared with.

use crate::{
    Error, Machine, Result, pointwise, result,
    value::{Scalar, Tensor, Value, fit},
};
use mapwright_mlir::{ElementType, Op, attr};
use mapwright_ops::attrs;

/// CHLO operations that are evaluated under their own name, and need no legalisation.
pub const CHLO: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "broadcast_add",
    "broadcast_and",
    "broadcast_atan2",
    "broadcast_compare",
    "broadcast_complex",
    "broadcast_divide",
    "broadcast_maximum",
    "broadcast_minimum",
    "broadcast_multiply",
    "broadcast_or",
    "broadcast_power",
    "broadcast_remainder",
    "broadcast_select",
    "broadcast_shift_left",
    "broadcast_shift_right_arithmetic",
    "broadcast_shift_right_logical",
    "broadcast_subtract",
    "broadcast_xor",
    "conj",
    "constant_like",
    "cosh",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "mulhi",
    "ragged_dot",
    "scan",
    "sinh",
    "square",
    "tan",
    "top_k",
];

/// The results of `op`, if it is one of these.
pub(crate) fn execute<'c>(machine: &mut Machine<'c>, op: Op<'c>) -> Result<Option<Vec<Value>>> {
    Ok(Some(match (op.dialect(), op.short_name()) {
        ("chlo", "constant_like") => vec![Value::Tensor(constant_like(machine, op)?)],
        ("chlo", "scan") => scan(machine, op)?,
        ("chlo", name) => match name.strip_prefix("broadcast_") {
            Some(name) => vec![Value::Tensor(broadcast(machine, op, name)?)],
            None => return Ok(None),
        },
        ("mhlo", "fusion") => {
            let Some(body) = op.body(0) else {
                return Err(Error::plain("has no body"));
            };
            // The first operands, as far as the body takes any.
            let mut arguments = machine.operands(op)?;
            arguments.truncate(mapwright_mlir::op::arguments(body).len());
            machine.block(body, arguments)?
        }
        ("mhlo", "copy" | "domain" | "add_dependency") | ("tensor", "cast") => {
            machine.operands(op)?.into_iter().take(1).collect()
        }
        _ => return Ok(None),
    }))
}

fn constant_like<'c>(machine: &mut Machine<'c>, op: Op<'c>) -> Result<Tensor> {
    let shape = machine.tensors(op)?.first().map(|t| t.shape.clone());
    let shape = shape.ok_or_else(|| Error::plain("is like nothing"))?;
    let element = result(op, 0)?.element;
    let value = op.attribute("value");
    let value = value.ok_or_else(|| Error::plain("has no value"))?;
    let number = match &element {
        ElementType::Bool => attr::boolean(value).map(Scalar::Bool),
        ElementType::Float(_) => attr::float(value).map(Scalar::Real),
        // `#complex.number<:f32 1.0, 2.0>`
        ElementType::Complex(_) => {
            let text = value.to_string();
            let inside = text.split_once("<:").map_or("", |(_, rest)| rest);
            let inside = inside.split('>').next().unwrap_or_default();
            let parts: Vec<f64> = inside
                .split([' ', ','])
                .filter_map(|part| part.parse().ok())
                .collect();
            match parts[..] {
                [re, im] => Some(Scalar::Complex(re, im)),
                _ => None,
            }
        }
        _ => attr::int(value).map(|n| Scalar::Int(n.into())),
    };
    let number = number.ok_or_else(|| Error::plain("has no number as its value"))?;
    Tensor::build(&element, &shape, |_| Ok(fit(&element, number)))
}

/// Operands of several shapes: dimensions are those at the end, or the ones that the attribute
/// lists, and those of size 1 are repeated.
fn broadcast<'c>(machine: &mut Machine<'c>, op: Op<'c>, name: &str) -> Result<Tensor> {
    let inputs = machine.tensors(op)?;
    let rank = inputs.iter().map(Tensor::rank).max().unwrap_or(0);
    let listed = attrs::ints_or_none(op, "broadcast_dimensions")?;
    let places = |own: usize| -> Result<Vec<usize>> {
        match &listed {
            Some(dims) if own < rank => attrs::axes("broadcast_dimensions", dims, rank)
                .map_err(Error::from)
                .and_then(|dims| {
                    if dims.len() == own {
                        Ok(dims)
                    } else {
                        Err(Error::plain("a dimension for each of an operand, please"))
                    }
                }),
            _ => Ok((rank - own..rank).collect()),
        }
    };
    let mut shape = vec![1; rank];
    for input in &inputs {
        for (d, size) in places(input.rank())?.into_iter().zip(&input.shape) {
            if shape[d] != 1 && *size != 1 && shape[d] != *size {
                return Err(Error::plain(format!(
                    "sizes {} and {size} that cannot be broadcast",
                    shape[d]
                )));
            }
            if *size != 1 {
                shape[d] = *size;
            }
        }
    }
    let mut spread = Vec::new();
    for input in &inputs {
        let places = places(input.rank())?;
        spread.push(Tensor::build(&input.element, &shape, |i| {
            let at = places.iter().zip(&input.shape);
            let at: Vec<i64> = at
                .map(|(d, size)| if *size == 1 { 0 } else { i[*d] })
                .collect();
            input.at(&at)
        })?);
    }
    let found = pointwise::apply(machine, op, name, &spread)?;
    found.ok_or_else(|| Error::plain("is not known to the interpreter"))
}

/// Slice by slice: the body gets one of each input and what is carried, and gives one of each
/// output and what is carried on.
fn scan<'c>(machine: &mut Machine<'c>, op: Op<'c>) -> Result<Vec<Value>> {
    let few = || Error::plain("does not say what its operands are");
    let first = |name: &str| -> Result<usize> {
        let sizes = attrs::ints(op, name)?;
        let first = sizes.first().and_then(|n| usize::try_from(*n).ok());
        first.ok_or_else(few)
    };
    let (inputs, outputs) = (first("operandSegmentSizes")?, first("resultSegmentSizes")?);
    let operands = machine.tensors(op)?;
    if inputs > operands.len() || outputs > op.num_results() {
        return Err(few());
    }
    let Some(body) = op.body(0) else {
        return Err(Error::plain("has no body"));
    };
    let (inputs, inits) = operands.split_at(inputs);
    let dimension = attrs::int(op, "dimension")?;
    let mut rounds = attrs::ints_or_none(op, "scan_dim_size")?.and_then(|n| n.first().copied());
    for input in inputs {
        let at = attrs::axis("dimension", dimension, input.rank())?;
        rounds = Some(input.shape[at]);
    }
    let declared: Vec<_> = (0..outputs)
        .map(|i| result(op, i))
        .collect::<Result<Vec<_>>>()?;
    for ty in &declared {
        let at = attrs::axis("dimension", dimension, ty.rank())?;
        rounds = rounds.or(ty.dims[at].fixed());
    }
    let rounds = rounds.ok_or_else(|| Error::plain("does not say how many rounds it has"))?;
    let dimension = usize::try_from(dimension).map_err(|_| few())?;
    let mut order: Vec<i64> = (0..rounds).collect();
    if attrs::flag(op, "is_reverse", false)? {
        order.reverse();
    }
    let mut carried = inits.to_vec();
    let mut rows: Vec<Vec<Option<Tensor>>> = vec![vec![None; rounds.max(0) as usize]; outputs];
    for t in order {
        let mut arguments = Vec::new();
        for input in inputs {
            let mut shape = input.shape.clone();
            shape.remove(dimension);
            arguments.push(Value::Tensor(Tensor::build(&input.element, &shape, |i| {
                let mut at = i.to_vec();
                at.insert(dimension, t);
                input.at(&at)
            })?));
        }
        arguments.extend(carried.iter().cloned().map(Value::Tensor));
        let given = machine.block(body, arguments)?;
        let given = given
            .iter()
            .map(|value| value.tensor().cloned())
            .collect::<Result<Vec<_>>>()?;
        if given.len() != outputs + carried.len() {
            return Err(Error::plain(
                "has a body that gives another number of values",
            ));
        }
        for (rows, row) in rows.iter_mut().zip(&given) {
            rows[t as usize] = Some(row.clone());
        }
        carried = given[outputs..].to_vec();
    }
    let mut results = Vec::new();
    for (rows, ty) in rows.iter().zip(&declared) {
        let mut shape: Vec<i64> = match rows.iter().flatten().next() {
            Some(row) => row.shape.clone(),
            None => ty
                .static_shape()
                .map(|mut sizes| {
                    sizes.remove(dimension);
                    sizes
                })
                .ok_or_else(|| Error::plain("has no rounds, and outputs of unknown size"))?,
        };
        shape.insert(dimension, rounds);
        results.push(Value::Tensor(Tensor::build(&ty.element, &shape, |i| {
            let mut at = i.to_vec();
            let t = at.remove(dimension);
            let row = rows[t as usize].as_ref();
            row.ok_or_else(|| Error::plain("a round without a result"))?
                .at(&at)
        })?));
    }
    results.extend(carried.into_iter().map(Value::Tensor));
    Ok(results)
}
