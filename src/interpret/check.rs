//! Functions that are called by name: the checks that test programs end in (`custom_call @check.*`
//! and the `check` dialect), and LAPACK's.

use crate::{
    Error, Machine, Result, formats, lapack, quantized,
    value::{Scalar, Tensor, Value},
};
use mapwright_mlir::{ElementType, FloatKind, Op, attr};
use mapwright_ops::attrs;
use mapwright_ops::library::{self, Meaning};

/// The results of `op`, if it is a check.
pub(crate) fn execute<'c>(machine: &mut Machine<'c>, op: Op<'c>) -> Result<Option<Vec<Value>>> {
    let meaning = library::verify(op).map_err(|violation| Error::plain(violation.message))?;
    if let Some(Meaning::Annotation | Meaning::PartitionCast) = meaning {
        let arguments =
            library::arguments(op).map_err(|violation| Error::plain(violation.message))?;
        return Ok(Some(vec![machine.value(arguments[0])?]));
    }
    let name = match op.name() {
        "stablehlo.custom_call" if attrs::name(op) == "shape_assertion" => {
            return shape_assertion(op, &machine.tensors(op)?).map(Some);
        }
        // An operation that is called by name.
        "stablehlo.custom_call" if attrs::name(op) != op.short_name() => return Ok(None),
        "stablehlo.custom_call" => match op.string("call_target_name") {
            Some(name) if name.starts_with("check.") => name,
            Some(name) => {
                let mut inputs = machine.tensors(op)?;
                let given = library::shape_operands(op)
                    .map_err(|violation| Error::plain(violation.message))?;
                let shapes = (0..op.num_results()).map(|i| match given.get(i) {
                    Some(operand) => inputs[*operand].ints(),
                    None => Ok(crate::result(op, i)?.static_shape().unwrap_or_default()),
                });
                let shapes = shapes.collect::<Result<Vec<_>>>()?;
                let mut place = 0..;
                inputs.retain(|_| place.next().is_none_or(|i| !given.contains(&i)));
                if let Some(found) = lapack::execute(op, &name, &inputs, &shapes)? {
                    return Ok(Some(found.into_iter().map(Value::Tensor).collect()));
                }
                return Err(Error::plain(format!(
                    "calls @{name}, which the interpreter does not know"
                )));
            }
            None => return Ok(None),
        },
        "interpreter.probe" => {
            let shown = machine.operands(op)?;
            let id = op.string("probe_id").unwrap_or_default();
            machine.probes.entry(id).or_default().extend(shown.clone());
            return Ok(Some(shown));
        }
        // Values are shown by who runs the program.
        "interpreter.print" => return Ok(Some(Vec::new())),
        name if name.starts_with("check.") => name.to_owned(),
        _ => return Ok(None),
    };
    let inputs = machine.tensors(op)?;
    let actual = inputs
        .first()
        .ok_or_else(|| Error::plain("checks nothing"))?;
    let expected = match inputs.get(1) {
        Some(tensor) => tensor.clone(),
        None if name == "check.expect_serialized_eq" => {
            let id = op.string("probe_id").unwrap_or_default();
            let pass = attrs::int_or(op, "iteration", 0)?;
            let shown = machine
                .probes
                .get(&id)
                .and_then(|shown| shown.get(usize::try_from(pass).ok()?));
            shown
                .ok_or_else(|| failed(format!("{name}: the probe \"{id}\" has shown nothing")))?
                .tensor()?
                .clone()
        }
        None => match op.attribute("value").and_then(attr::Dense::from_mlir) {
            Some(dense) => {
                let data = dense.expanded().unwrap_or_default();
                Tensor::from_bytes(&actual.element, &actual.shape, &data)?
            }
            None => return Err(Error::plain("has nothing to compare with")),
        },
    };
    let units = |name: &str, default: i64| -> Result<u64> {
        Ok(attrs::int_or(op, name, default)?.max(0) as u64)
    };
    let how = match name.trim_start_matches("check.").trim_end_matches("_const") {
        "expect_eq" | "expect_serialized_eq" => How::Equal,
        "expect_close" => How::Units(
            units("min_ulp_difference", 0)?,
            units("max_ulp_difference", 3)?,
        ),
        "expect_almost_eq" if op.dialect() == "check" => How::Absolute(
            op.attribute("tolerance")
                .and_then(attr::float)
                .unwrap_or(1e-4),
        ),
        "expect_almost_eq" => How::Absolute(1e-3),
        "eq" => How::Absolute(1e-4),
        _ => return Err(Error::plain(format!("'{name}' is not known"))),
    };
    if actual.shape != expected.shape {
        return Err(failed(format!(
            "{name}: a shape of {:?} where {:?} is expected",
            actual.shape, expected.shape
        )));
    }
    let (actual, expected) = (
        quantized::dequantize(actual)?,
        quantized::dequantize(&expected)?,
    );
    let off: Vec<usize> = (0..actual.data.len())
        .filter(|i| !agree(&actual.element, actual.data[*i], expected.data[*i], how))
        .collect();
    if let Some(first) = off.first() {
        return Err(failed(format!(
            "{name}: element {first} is {:?} where {:?} is expected ({} of {} differ)",
            actual.data[*first],
            expected.data[*first],
            off.len(),
            actual.data.len()
        )));
    }
    Ok(Some(
        (0..op.num_results())
            .map(|_| Value::Tensor(Tensor::scalar(&ElementType::Bool, Scalar::Bool(true))))
            .collect(),
    ))
}

/// Fails with the message of the assertion unless the first operand holds.
fn shape_assertion(op: Op<'_>, inputs: &[Tensor]) -> Result<Vec<Value>> {
    let scalar = |i: usize| -> Result<Scalar> {
        let missing = || Error::plain(format!("operand {i} is missing"));
        inputs.get(i).ok_or_else(missing)?.only()
    };
    if scalar(0)?.truth()? {
        return Ok(Vec::new());
    }
    let message = attrs::AssertionMessage::decode(op)?;
    Err(Error::plain(message.filled(|i| scalar(i)?.int())?))
}

fn failed(message: String) -> Error {
    Error {
        failed_check: true,
        ..Error::plain(message)
    }
}

#[derive(Clone, Copy)]
enum How {
    Equal,
    Units(u64, u64),
    Absolute(f64),
}

fn agree(element: &ElementType, a: Scalar, b: Scalar, how: How) -> bool {
    match (element, a, b) {
        (ElementType::Float(kind), Scalar::Real(a), Scalar::Real(b)) => reals(*kind, a, b, how),
        (ElementType::Complex(kind), Scalar::Complex(a, b), Scalar::Complex(c, d)) => {
            reals(*kind, a, c, how) && reals(*kind, b, d, how)
        }
        _ => a == b,
    }
}

/// NaN equals NaN.
fn reals(kind: FloatKind, a: f64, b: f64, how: How) -> bool {
    let same = a == b || (a.is_nan() && b.is_nan());
    match how {
        How::Equal => same,
        How::Units(low, high) => {
            if same {
                return low == 0;
            }
            if !a.is_finite() || !b.is_finite() {
                return false;
            }
            // Floats of one sign are ordered as their patterns; the two zeros are one place.
            let place = |x: f64| {
                let steps = i128::from(formats::to_bits(kind, x.abs()));
                if x < 0.0 { -steps } else { steps }
            };
            (u128::from(low)..=u128::from(high)).contains(&(place(a) - place(b)).unsigned_abs())
        }
        How::Absolute(tolerance) => same || (a - b).abs() <= tolerance,
    }
}
