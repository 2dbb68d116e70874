//! Tensors element by element: the operations of [`crate::elementwise`], and those with rules of
//! their own.

use crate::{
    Error, Machine, Result, elementwise,
    extreme::on_the_way,
    quantized, result,
    value::{Scalar, Tensor, fit},
};
use elementwise::Direction;
use mapwright_mlir::{ElementType, FloatKind, Op};
use mapwright_ops::attrs;

/// The result of `op`, if it is of this family.
pub(crate) fn execute<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    name: &str,
) -> Result<Option<Tensor>> {
    if !is_known(name) {
        return Ok(None);
    }
    let inputs = machine.tensors(op)?;
    apply(machine, op, name, &inputs)
}

fn is_known(name: &str) -> bool {
    elementwise::is_elementwise(name)
        || matches!(
            name,
            "compare"
                | "select"
                | "clamp"
                | "convert"
                | "reduce_precision"
                | "uniform_quantize"
                | "uniform_dequantize"
                | "bitcast_convert"
        )
}

/// Applies the operation `name` to `inputs`, with the attributes and the result type of `op`;
/// `None` if it is not of this family.
pub(crate) fn apply<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    name: &str,
    inputs: &[Tensor],
) -> Result<Option<Tensor>> {
    if !is_known(name) {
        return Ok(None);
    }
    let ty = result(op, 0)?;
    if name == "bitcast_convert" {
        return crate::shape::bitcast(&inputs[0], &ty).map(Some);
    }
    if name == "select" {
        let (p, x, y) = (&inputs[0], &inputs[1], &inputs[2]);
        return Tensor::build(&ty.element, &x.shape, |i| {
            let chosen = p.at(if p.rank() == 0 { &[] } else { i })?.truth()?;
            if chosen { x.at(i) } else { y.at(i) }
        })
        .map(Some);
    }
    // Everything else computes with the real numbers that quantized elements stand for.
    let reals = inputs
        .iter()
        .map(quantized::dequantize)
        .collect::<Result<Vec<_>>>()?;
    let element = match &ty.element {
        ElementType::Quantized(q) => ElementType::Float(q.expressed),
        other => other.clone(),
    };
    let computed = compute(machine, op, name, &reals, &element)?;
    quantized::quantize(&computed, &ty.element).map(Some)
}

fn compute<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    name: &str,
    inputs: &[Tensor],
    element: &ElementType,
) -> Result<Tensor> {
    let x = &inputs[0];
    let own = &x.element;
    match name {
        "convert" | "uniform_quantize" | "uniform_dequantize" => {
            // What has an error may be rounded to a neighbour in a narrower format.
            let narrower =
                own.is_float() && element.is_float() && element.bit_width() < own.bit_width();
            Tensor::build(element, &x.shape, |i| {
                let value = elementwise::convert(own, element, x.at(i)?)?;
                Ok(if narrower {
                    machine.unsettle(element, value, 0.0)
                } else {
                    value
                })
            })
        }
        "compare" => {
            use attrs::ComparisonDirection as D;
            let direction = match attrs::comparison_direction(op)? {
                D::Eq => Direction::Eq,
                D::Ne => Direction::Ne,
                D::Ge => Direction::Ge,
                D::Gt => Direction::Gt,
                D::Le => Direction::Le,
                D::Lt => Direction::Lt,
            };
            let total = attrs::comparison_type(op)? == Some(attrs::ComparisonType::TotalOrder);
            same_shape(inputs)?;
            Tensor::build(element, &x.shape, |i| {
                Ok(Scalar::Bool(elementwise::compare(
                    direction,
                    total,
                    x.at(i)?,
                    inputs[1].at(i)?,
                )?))
            })
        }
        "clamp" => {
            // min(max(operand, min), max), the bounds of the same shape or scalars.
            let middle = &inputs[1];
            Tensor::build(element, &middle.shape, |i| {
                let bound = |t: &Tensor| t.at(if t.rank() == 0 { &[] } else { i });
                let low = elementwise::apply("maximum", own, element, &[middle.at(i)?, bound(x)?])?;
                elementwise::apply("minimum", own, element, &[low, bound(&inputs[2])?])
            })
        }
        "reduce_precision" => {
            let exponent = attrs::int(op, "exponent_bits")? as u32;
            let mantissa = attrs::int(op, "mantissa_bits")? as u32;
            let ElementType::Float(kind) = *own else {
                return Err(Error::plain(format!("reduces the precision of {own}")));
            };
            Tensor::build(element, &x.shape, |i| {
                let x = x.at(i)?.real()?;
                let value = elementwise::reduce_precision(kind, x, exponent, mantissa);
                Ok(fit(element, Scalar::Real(value)))
            })
        }
        _ => {
            same_shape(inputs)?;
            let floats = own.is_float() || own.is_complex();
            let exact = match own {
                ElementType::Complex(_) => {
                    matches!(
                        name,
                        "add" | "subtract" | "negate" | "real" | "imag" | "conj"
                    )
                }
                _ => elementwise::is_exact(name),
            };
            let unsettled = floats && (!exact || (machine.folding > 0 && rounds(name)));
            Tensor::build(element, &x.shape, |i| {
                let args = inputs.iter().map(|t| t.at(i)).collect::<Result<Vec<_>>>()?;
                let value = match (name, args.as_slice()) {
                    ("multiply", [Scalar::Complex(a, b), Scalar::Complex(c, d)])
                        if machine.extreme.is_some() =>
                    {
                        let r = |x: f64| on_the_way(machine.extreme, element, x);
                        let re = r(a * c) - r(b * d);
                        fit(element, Scalar::Complex(re, r(a * d) + r(b * c)))
                    }
                    _ => elementwise::apply(name, own, element, &args)?,
                };
                Ok(if unsettled {
                    machine.unsettle(element, value, scale(own, &args))
                } else {
                    value
                })
            })
        }
    }
}

/// Tells whether `name` rounds when it is correctly rounded.
fn rounds(name: &str) -> bool {
    matches!(name, "add" | "subtract" | "multiply" | "divide" | "square")
}

/// The magnitude that an error of a complex part is relative to; 0 for real numbers, whose own
/// magnitude counts.
fn scale(element: &ElementType, args: &[Scalar]) -> f64 {
    match (element, args) {
        (
            ElementType::Complex(FloatKind::F32 | FloatKind::F64),
            [Scalar::Complex(a, b), rest @ ..],
        ) => {
            let first = a.hypot(*b);
            match rest {
                [Scalar::Complex(c, d)] => first.min(1e30) * c.hypot(*d).min(1e30),
                _ => 0.0,
            }
        }
        _ => 0.0,
    }
}

fn same_shape(inputs: &[Tensor]) -> Result<()> {
    if inputs.iter().all(|t| t.shape == inputs[0].shape) {
        Ok(())
    } else {
        Err(Error::plain(format!(
            "operands of the shapes {:?}",
            inputs.iter().map(|t| t.shape.clone()).collect::<Vec<_>>()
        )))
    }
}
