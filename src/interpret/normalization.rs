//! `batch_norm_inference`, `batch_norm_training`, `batch_norm_grad`, in `f64` and rounded at the end.

use crate::{
    Machine, Result, result,
    value::{Scalar, Tensor, fit, indices},
};
use mapwright_mlir::{Op, attr};
use mapwright_ops::attrs;

/// An element of a result at an index, and the scale its error is measured by.
type ValueAndScale<'t> = dyn Fn(&[i64]) -> Result<(f64, f64)> + 't;

/// The results of `op`, if it is of this family.
pub(crate) fn execute<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    name: &str,
    inputs: &[Tensor],
) -> Result<Option<Vec<Tensor>>> {
    if !name.starts_with("batch_norm_") {
        return Ok(None);
    }
    let x = &inputs[0];
    let feature = attrs::axis("feature_index", attrs::int(op, "feature_index")?, x.rank())?;
    let epsilon = op
        .attribute("epsilon")
        .and_then(attr::float)
        .unwrap_or_default();
    let features = x.shape[feature];
    let of = |t: &Tensor, f: i64| -> Result<f64> { t.at(&[f])?.real() };
    let count = (x.data.len() as i64 / features.max(1)) as f64;
    // Sum over everything but the feature.
    let sum = |f: i64, g: &dyn Fn(&[i64]) -> Result<f64>| -> Result<f64> {
        let mut total = 0.0;
        for i in indices(&x.shape).filter(|i| i[feature] == f) {
            total += g(&i)?;
        }
        Ok(total)
    };
    let mut whole = |t: &ValueAndScale<'_>| {
        let element = result(op, 0)?.element;
        Tensor::build(&element, &x.shape, |i| {
            let (value, scale) = t(i)?;
            Ok(machine.unsettle(&element, fit(&element, Scalar::Real(value)), scale))
        })
    };
    let found = match name {
        "batch_norm_inference" => {
            let (scale, offset, mean, variance) = (&inputs[1], &inputs[2], &inputs[3], &inputs[4]);
            vec![whole(&|i| {
                let f = i[feature];
                let centred = x.at(i)?.real()? - of(mean, f)?;
                let factor = of(scale, f)? / (of(variance, f)? + epsilon).sqrt();
                let value = centred * factor + of(offset, f)?;
                Ok((value, 4.0 * (value.abs() + of(offset, f)?.abs())))
            })?]
        }
        "batch_norm_training" => {
            let (scale, offset) = (&inputs[1], &inputs[2]);
            let mean = |f| Ok(sum(f, &|i| x.at(i)?.real())? / count);
            let variance = |f| -> Result<f64> {
                let mean: f64 = mean(f)?;
                Ok(sum(f, &|i| Ok((x.at(i)?.real()? - mean).powi(2)))? / count)
            };
            let normal = whole(&|i| {
                let f = i[feature];
                let deviation = (variance(f)? + epsilon).sqrt();
                let offset = of(offset, f)?;
                let value = (x.at(i)?.real()? - mean(f)?) / deviation * of(scale, f)? + offset;
                Ok((value, 16.0 * (value.abs() + offset.abs() + 1.0)))
            })?;
            let mut vector = |f: &dyn Fn(i64) -> Result<f64>| {
                Tensor::build(&x.element, &[features], |i| {
                    let value = fit(&x.element, Scalar::Real(f(i[0])?));
                    let size = sum(i[0], &|i| Ok(x.at(i)?.real()?.abs()))? / count;
                    Ok(machine.unsettle(&x.element, value, 16.0 * size))
                })
            };
            vec![normal, vector(&mean)?, vector(&variance)?]
        }
        _ => {
            let (scale, mean, variance, grad) = (&inputs[1], &inputs[2], &inputs[3], &inputs[4]);
            let inverse = |f| -> Result<f64> { Ok(1.0 / (of(variance, f)? + epsilon).sqrt()) };
            let centred =
                |i: &[i64]| -> Result<f64> { Ok(x.at(i)?.real()? - of(mean, i[feature])?) };
            let total = |f| sum(f, &|i| grad.at(i)?.real());
            let weighted = |f| sum(f, &|i| Ok(grad.at(i)?.real()? * centred(i)?));
            let operand = whole(&|i| {
                let f = i[feature];
                let inverse: f64 = inverse(f)?;
                let inner = grad.at(i)?.real()? * count
                    - total(f)?
                    - weighted(f)? * centred(i)? * inverse * inverse;
                let value = of(scale, f)? * inverse / count * inner;
                Ok((value, 32.0 * (value.abs() + 1.0)))
            })?;
            let mut vector = |f: &dyn Fn(i64) -> Result<f64>| {
                Tensor::build(&x.element, &[features], |i| {
                    let value = fit(&x.element, Scalar::Real(f(i[0])?));
                    Ok(machine.unsettle(&x.element, value, 32.0 * count))
                })
            };
            vec![
                operand,
                vector(&|f| Ok(weighted(f)? * inverse(f)?))?,
                vector(&total)?,
            ]
        }
    };
    Ok(Some(found))
}
