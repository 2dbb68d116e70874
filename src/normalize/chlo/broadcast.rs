//! `chlo.broadcast_*`: operands of different ranks and sizes are brought to one shape first.
//!
//! Without the attribute `broadcast_dimensions` shapes are aligned at their last dimensions, as
//! NumPy does; with it, it says which dimensions of the result those of the smaller operand are.
//! Dimensions of size 1 stretch.

use super::{element_of, function};
use crate::{
    hlo::Hlo,
    make::HloBuilder,
    rewrite::{Result, fail, replace},
};
use mapwright_mlir::{Attr, Dim, ElementType, Op, TensorType, Val, melior::ir::ValueLike};

pub(super) fn rewrite<'c>(op: Op<'c>, name: &str) -> Result<'c> {
    let operands = op.operands();
    let Some(types) = operands
        .iter()
        .map(|value| TensorType::from_mlir(value.r#type()))
        .collect::<Option<Vec<_>>>()
    else {
        return fail(op, "needs operands of known rank");
    };
    let Some(b) = HloBuilder::before(op) else {
        return fail(op, "is not inside a block");
    };
    let rank = types.iter().map(TensorType::rank).max().unwrap_or(0);
    let explicit = op.ints("broadcast_dimensions");
    let mut places = Vec::new();
    for ty in &types {
        let dims: Vec<i64> = match &explicit {
            Some(dims) if ty.rank() < rank => dims.clone(),
            _ => (rank - ty.rank()..rank).map(|d| d as i64).collect(),
        };
        let valid = dims.len() == ty.rank()
            && dims.windows(2).all(|pair| pair[0] < pair[1])
            && dims.iter().all(|d| (0..rank as i64).contains(d));
        if !valid {
            return fail(
                op,
                format!(
                    "'broadcast_dimensions' {dims:?} does not fit an operand of rank {}",
                    ty.rank()
                ),
            );
        }
        places.push(dims);
    }
    // A predicate of rank 0 stays as it is in `select`.
    let mut shape = vec![Dim::Static(1); rank];
    for (ty, dims) in types.iter().zip(&places) {
        for (from, &to) in dims.iter().enumerate() {
            let at = to as usize;
            shape[at] = match (shape[at], ty.dims[from]) {
                (Dim::Static(1), other) | (other, Dim::Static(1)) => other,
                (Dim::Static(a), Dim::Static(b)) if a != b => {
                    return fail(
                        op,
                        format!("cannot broadcast the sizes {a} and {b} of dimension {to}"),
                    );
                }
                (Dim::Static(a), _) | (_, Dim::Static(a)) => Dim::Static(a),
                (known, _) => known,
            };
        }
    }
    let fixed = shape.iter().all(|dim| dim.fixed().is_some());
    let sizes = (!fixed).then(|| run_time_shape(&b, &operands, &types, &places, &shape));
    let spread: Vec<Val<'c>> = operands
        .iter()
        .zip(&types)
        .zip(&places)
        .map(|((value, ty), dims)| {
            if ty.dims == shape && fixed {
                return *value;
            }
            let to = TensorType {
                element: ty.element.clone(),
                dims: shape.clone(),
            };
            match sizes {
                None => b.broadcast(*value, &to, dims),
                Some(sizes) => b.broadcast_to(*value, sizes, &to, dims),
            }
        })
        .collect();
    let value = apply(&b, op, name, &spread, &shape)?;
    let declared = op.result(0).r#type();
    let value = if value.r#type() == declared {
        value
    } else {
        b.op1("stablehlo.convert", &[value], declared, &[])
    };
    replace(op, &[value]);
    Ok(())
}

/// Tells whether the operation of StableHLO takes these elements. CHLO's takes any.
fn is_defined(name: &str, element: &ElementType) -> bool {
    match name {
        "subtract" | "divide" | "remainder" | "power" => *element != ElementType::Bool,
        "atan2" => element.is_float() || element.is_complex() || element.is_quantized(),
        _ => true,
    }
}

/// The operation itself on operands of one shape.
fn apply<'c>(
    b: &HloBuilder<'c>,
    op: Op<'c>,
    name: &str,
    operands: &[Val<'c>],
    shape: &[Dim],
) -> Result<'c, Val<'c>> {
    if matches!(name, "next_after" | "polygamma" | "zeta") {
        let Some(hlo) = Hlo::before(op, operands[0]) else {
            return fail(op, "needs operands of known rank");
        };
        let values: Vec<_> = operands.iter().map(|value| hlo.expr(*value)).collect();
        return match function(name, &values) {
            Some(value) => Ok(value.value),
            None => fail(op, "has no legalisation to StableHLO for this element type"),
        };
    }
    let element = element_of(operands[operands.len() - 1]);
    if let Some(element) = &element
        && !is_defined(name, element)
    {
        return fail(
            op,
            format!("has no form in StableHLO: there is no '{name}' of elements of type {element}"),
        );
    }
    let result_element = match (name, &element) {
        ("compare", _) => Some(ElementType::Bool),
        ("complex", Some(ElementType::Float(kind))) => Some(ElementType::Complex(*kind)),
        _ => element,
    };
    let Some(element) = result_element else {
        return fail(op, "needs tensors");
    };
    let to = TensorType {
        element,
        dims: shape.to_vec(),
    };
    let mut attributes: Vec<(&str, Attr<'c>)> = Vec::new();
    for attribute in ["comparison_direction", "compare_type"] {
        if let Some(value) = op.attribute(attribute) {
            let text = value.to_string().replace("#chlo", "#stablehlo");
            attributes.push((attribute, b.parse_attr(&text)));
        }
    }
    Ok(b.operation(&format!("stablehlo.{name}"), operands, &to, &attributes))
}

/// The common shape at run time, a vector of `i32`: for each dimension the size of the operand that
/// is not 1.
fn run_time_shape<'c>(
    b: &HloBuilder<'c>,
    operands: &[Val<'c>],
    types: &[TensorType],
    places: &[Vec<i64>],
    shape: &[Dim],
) -> Val<'c> {
    let constant = |n: i64| b.constant(&n.to_string(), &TensorType::new(ElementType::int(32), &[]));
    let sizes: Vec<Val<'c>> = shape
        .iter()
        .enumerate()
        .map(|(d, known)| {
            let size = match known {
                Dim::Static(n) => constant(*n),
                _ => {
                    let mut found: Option<Val<'c>> = None;
                    for ((value, ty), dims) in operands.iter().zip(types).zip(places) {
                        let Some(from) = dims.iter().position(|to| *to == d as i64) else {
                            continue;
                        };
                        if ty.dims[from] == Dim::Static(1) {
                            continue;
                        }
                        let size = b.size(*value, from);
                        found = Some(match found {
                            None => size,
                            Some(other) => {
                                b.choose(b.compare("EQ", other, constant(1)), size, other)
                            }
                        });
                    }
                    found.unwrap_or_else(|| constant(1))
                }
            };
            b.vector_of(size)
        })
        .collect();
    b.concatenate(&sizes, 0)
}
