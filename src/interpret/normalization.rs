//! `batch_norm_inference`, `batch_norm_training`, `batch_norm_grad`, in `f64` and rounded at the
//! end, or (`Extreme`) after every step.

use crate::{
    Machine, Result,
    extreme::on_the_way,
    quantized, result,
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
    let reals: Vec<Tensor> = inputs
        .iter()
        .map(quantized::dequantize)
        .collect::<Result<_>>()?;
    let found = of_reals(machine, op, name, &reals)?;
    let found = found.iter().enumerate();
    let found = found.map(|(i, tensor)| quantized::quantize(tensor, &result(op, i)?.element));
    found.collect::<Result<_>>().map(Some)
}

fn of_reals<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    name: &str,
    inputs: &[Tensor],
) -> Result<Vec<Tensor>> {
    let x = &inputs[0];
    let feature = attrs::axis("feature_index", attrs::int(op, "feature_index")?, x.rank())?;
    let epsilon = op
        .attribute("epsilon")
        .and_then(attr::float)
        .unwrap_or_default();
    let features = x.shape[feature];
    let of = |t: &Tensor, f: i64| -> Result<f64> { t.at(&[f])?.real() };
    let count = (x.data.len() as i64 / features.max(1)) as f64;
    let extreme = machine.extreme;
    let r = |x: f64| on_the_way(extreme, &inputs[0].element, x);
    // Sum over everything but the feature.
    let sum = |f: i64, g: &dyn Fn(&[i64]) -> Result<f64>| -> Result<f64> {
        let mut list = Vec::new();
        for i in indices(&x.shape).filter(|i| i[feature] == f) {
            list.push(g(&i)?);
        }
        if let Some(extreme) = extreme {
            let key = |x: &f64| extreme.key(Scalar::Real(*x));
            list.sort_by(|a, b| key(a).total_cmp(&key(b)));
        }
        Ok(list.into_iter().fold(0.0, |total, x| r(total + x)))
    };
    let mut whole = |t: &ValueAndScale<'_>| {
        let element = x.element.clone();
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
                let centred = r(x.at(i)?.real()? - of(mean, f)?);
                let normal = r(centred / r((of(variance, f)? + epsilon).sqrt()));
                let value = r(of(scale, f)? * normal) + of(offset, f)?;
                Ok((value, 4.0 * (value.abs() + of(offset, f)?.abs())))
            })?]
        }
        "batch_norm_training" => {
            let (scale, offset) = (&inputs[1], &inputs[2]);
            let mean = |f| Ok(r(sum(f, &|i| x.at(i)?.real())? / count));
            let variance = |f| -> Result<f64> {
                let mean: f64 = mean(f)?;
                Ok(r(
                    sum(f, &|i| Ok(r((x.at(i)?.real()? - mean).powi(2))))? / count
                ))
            };
            let normal = whole(&|i| {
                let f = i[feature];
                let deviation = (variance(f)? + epsilon).sqrt();
                let offset = of(offset, f)?;
                let normal = r(r(x.at(i)?.real()? - mean(f)?) / r(deviation));
                let value = r(normal * of(scale, f)?) + offset;
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
            let deviation = |f| -> Result<f64> { Ok(r((of(variance, f)? + epsilon).sqrt())) };
            let centred =
                |i: &[i64]| -> Result<f64> { Ok(r(x.at(i)?.real()? - of(mean, i[feature])?)) };
            let total = |f| sum(f, &|i| grad.at(i)?.real());
            let weighted = |f| sum(f, &|i| Ok(r(grad.at(i)?.real()? * centred(i)?)));
            let operand = whole(&|i| {
                let f = i[feature];
                let spread = r(r(weighted(f)? * centred(i)?) / r(of(variance, f)? + epsilon));
                let inner = r(r(r(grad.at(i)?.real()? * count) - total(f)?) - spread);
                let value = r(r(of(scale, f)? / deviation(f)?) / count) * inner;
                Ok((value, 32.0 * (value.abs() + 1.0)))
            })?;
            let normal = |f| {
                let deviation: f64 = deviation(f)?;
                let part = |i: &[i64]| Ok(r(grad.at(i)?.real()? * r(centred(i)? / deviation)));
                sum(f, &part)
            };
            let mut vector = |f: &dyn Fn(i64) -> Result<f64>| {
                Tensor::build(&x.element, &[features], |i| {
                    let value = fit(&x.element, Scalar::Real(f(i[0])?));
                    Ok(machine.unsettle(&x.element, value, 32.0 * count))
                })
            };
            vec![operand, vector(&normal)?, vector(&total)?]
        }
    };
    Ok(found)
}
