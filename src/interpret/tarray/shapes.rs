//! Operations on shapes.

use super::*;
use mapwright_ops::attrs;

/// The results of `op`, if it is one of these.
pub(super) fn execute(op: Op<'_>, inputs: &[Value]) -> Result<Option<Vec<Value>>> {
    let sizes = |i: usize| match inputs.get(i) {
        Some(Value::Shape(sizes)) => Ok(sizes.clone()),
        _ => Err(Error::plain(format!("operand #{i} must be a shape"))),
    };
    let size = |i: usize| Ok::<i64, Error>(int(&inputs[i])?.max(0));
    let one = match op.short_name() {
        "shape" => Value::Shape(attrs::ints(op, "sizes")?),
        "size" => {
            let shape = &inputs[0].tensor()?.shape;
            match op.attribute("dim") {
                None => Value::Shape(shape.clone()),
                Some(_) => number(shape[dim(op, "dim")?]),
            }
        }
        "length" => match &inputs[0] {
            Value::Array(elements) => number(elements.len() as i64),
            _ => return Err(Error::plain("an array is expected")),
        },
        "numel" => number(sizes(0)?.iter().fold(1, |n, size| n.wrapping_mul(*size))),
        "ndims" => number(sizes(0)?.len() as i64),
        "add" => Value::Shape([sizes(0)?, sizes(1)?].concat()),
        "insert" => {
            let mut all = sizes(0)?;
            all.insert(dim(op, "pos")?, size(1)?);
            Value::Shape(all)
        }
        "del" => {
            let mut all = sizes(0)?;
            all.remove(dim(op, "pos")?);
            Value::Shape(all)
        }
        "replace" => {
            let mut all = sizes(0)?;
            all[dim(op, "pos")?] = size(1)?;
            Value::Shape(all)
        }
        "cartesian_product" => {
            let tuples = (0..inputs.len()).map(sizes).collect::<Result<Vec<_>>>()?;
            let mut rows: Vec<Vec<i64>> = vec![Vec::new()];
            for tuple in &tuples {
                // The ones before run faster.
                rows = tuple
                    .iter()
                    .flat_map(|last| {
                        rows.iter().map(move |row| {
                            let mut row = row.clone();
                            row.push(*last);
                            row
                        })
                    })
                    .collect();
            }
            let shape = [rows.len() as i64, tuples.len() as i64];
            Value::Tensor(Tensor::build(&ElementType::int(64), &shape, |i| {
                Ok(Scalar::Int(rows[i[0] as usize][i[1] as usize].into()))
            })?)
        }
        "meshgrid" => {
            let tuples = (0..inputs.len()).map(sizes).collect::<Result<Vec<_>>>()?;
            // Where each operand's elements lie.
            let mut place: Vec<usize> = (0..tuples.len()).collect();
            if attrs::is_xy(op) && place.len() > 1 {
                place.swap(0, 1);
            }
            let mut shape = vec![0; tuples.len()];
            for (tuple, d) in tuples.iter().zip(&place) {
                shape[*d] = tuple.len() as i64;
            }
            let grid = |k: usize| {
                Tensor::build(&ElementType::int(64), &shape, |i| {
                    Ok(Scalar::Int(tuples[k][i[place[k]] as usize].into()))
                })
            };
            let grids = (0..tuples.len()).map(|k| Ok(Value::Tensor(grid(k)?)));
            return grids.collect::<Result<Vec<_>>>().map(Some);
        }
        "arange" => {
            let (start, stop, step) = (int(&inputs[0])?, int(&inputs[1])?, int(&inputs[2])?);
            let max = op.int("max").unwrap_or(i64::MAX);
            let mut all = Vec::new();
            let mut at = i128::from(start);
            let inside = |at: i128| match step {
                0 => false,
                step if step > 0 => at < i128::from(stop),
                _ => at > i128::from(stop),
            };
            while inside(at) && (all.len() as i64) < max {
                all.push(number(at as i64));
                at += i128::from(step);
            }
            Value::Array(all)
        }
        _ => return Ok(None),
    };
    Ok(Some(vec![one]))
}
