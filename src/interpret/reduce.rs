//! Folds: `reduce`, `reduce_window`, `select_and_scatter`.

use crate::{
    Error, Machine, Result, result,
    value::{Scalar, Tensor, Value, indices},
};
use mapwright_mlir::Op;
use mapwright_ops::attrs::{self, Window};
use std::collections::BTreeMap;

/// The results of `op`, if it is of this family.
pub(crate) fn execute<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    name: &str,
    inputs: &[Tensor],
) -> Result<Option<Vec<Tensor>>> {
    match name {
        "reduce" => reduce(machine, op, inputs).map(Some),
        "reduce_window" => {
            let (inputs, init) = inputs.split_at(inputs.len() / 2);
            let window = Window::reduce_window(op, inputs[0].rank())?;
            reduce_window(machine, op, inputs, init, &window).map(Some)
        }
        "dynamic_reduce_window" => {
            let count = attrs::window_inputs(op)?;
            let numbers = inputs[2 * count..].iter().map(Tensor::ints);
            let numbers = numbers.collect::<Result<Vec<_>>>()?;
            let window = attrs::window_of_operands(&numbers, inputs[0].rank())?;
            let (inputs, init) = inputs[..2 * count].split_at(count);
            reduce_window(machine, op, inputs, init, &window).map(Some)
        }
        "select_and_scatter" => select_and_scatter(machine, op, inputs).map(|t| Some(vec![t])),
        _ => Ok(None),
    }
}

/// Calls region `i` with scalars.
pub(crate) fn region<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    i: usize,
    arguments: &[Tensor],
) -> Result<Vec<Tensor>> {
    let block =
        attrs::computation(op, i).ok_or_else(|| Error::plain(format!("region {i} is empty")))?;
    let arguments = arguments.iter().cloned().map(Value::Tensor).collect();
    machine
        .block(block, arguments)?
        .iter()
        .map(|value| value.tensor().cloned())
        .collect()
}

/// Element `index` of every tensor, as tensors of rank 0.
fn elements(tensors: &[Tensor], index: &[i64]) -> Result<Vec<Tensor>> {
    tensors
        .iter()
        .map(|t| Ok(Tensor::scalar(&t.element, t.at(index)?)))
        .collect()
}

/// One step of a fold.
fn step<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    current: Vec<Tensor>,
    next: Vec<Tensor>,
) -> Result<Vec<Tensor>> {
    machine.folding += 1;
    let arguments: Vec<Tensor> = current.into_iter().chain(next).collect();
    let found = region(machine, op, 0, &arguments);
    machine.folding -= 1;
    found
}

/// Tells whether elements are added up: the body of `op` is the sum of its two arguments and
/// nothing else.
fn adds(op: Op<'_>) -> bool {
    let Some(block) = op.body(0) else {
        return false;
    };
    match (
        mapwright_mlir::op::ops(block).as_slice(),
        mapwright_mlir::op::arguments(block).as_slice(),
    ) {
        ([sum, _], [a, b]) => {
            sum.short_name() == "add" && {
                let (x, y) = (sum.operand(0), sum.operand(1));
                (x == *a && y == *b) || (x == *b && y == *a)
            }
        }
        _ => false,
    }
}

/// The magnitude of a finite number.
fn magnitude(x: Scalar) -> f64 {
    match x {
        Scalar::Real(x) if x.is_finite() => x.abs(),
        Scalar::Complex(re, im) if re.is_finite() && im.is_finite() => re.hypot(im),
        _ => 0.0,
    }
}

/// Folds the elements that `at` finds for every index of `list`, in any order.
///
/// Each of the partial sums of some order is rounded: an error is relative to the sum of the
/// magnitudes, however much cancels in the end.
fn fold<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    init: &[Tensor],
    list: Vec<Vec<i64>>,
    mut at: impl FnMut(&[i64]) -> Result<Vec<Tensor>>,
) -> Result<Vec<Tensor>> {
    let mut current = init.to_vec();
    let summed = machine.moves() && adds(op);
    let mut size = 0.0;
    // Looked at twice: to find the order, and to fold.
    let found = machine.extreme.map(|_| {
        let values = list.iter().map(|i| Some(at(i).ok()?.first()?.data[0]));
        list.iter().cloned().zip(values).collect::<BTreeMap<_, _>>()
    });
    let of = |i: &[i64]| *found.as_ref()?.get(i)?;
    for i in machine.disorder(list, of) {
        let next = at(&i)?;
        if summed {
            size += magnitude(next[0].only()?);
        }
        current = step(machine, op, current, next)?;
    }
    if summed && let [sum] = current.as_mut_slice() {
        let element = sum.element.clone();
        sum.data = vec![machine.unsettle(&element, sum.only()?, size)];
    }
    Ok(current)
}

/// Tensors of `shape`, made of the scalars that `f` gives for every index.
fn collect<'c>(
    op: Op<'c>,
    shape: &[i64],
    mut f: impl FnMut(&[i64]) -> Result<Vec<Tensor>>,
) -> Result<Vec<Tensor>> {
    crate::limit(shape)?;
    let mut found = (0..op.num_results())
        .map(|i| {
            Ok(Tensor {
                element: result(op, i)?.element,
                shape: shape.to_vec(),
                data: Vec::new(),
            })
        })
        .collect::<Result<Vec<_>>>()?;
    for index in indices(shape) {
        for (tensor, scalar) in found.iter_mut().zip(f(&index)?) {
            tensor.data.push(scalar.only()?);
        }
    }
    Ok(found)
}

fn reduce<'c>(machine: &mut Machine<'c>, op: Op<'c>, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    let (inputs, init) = inputs.split_at(inputs.len() / 2);
    let rank = inputs.first().map_or(0, Tensor::rank);
    let reduced = attrs::dimensions(op, rank)?;
    let kept: Vec<usize> = (0..rank).filter(|d| !reduced.contains(d)).collect();
    let sizes = |dims: &[usize]| -> Vec<i64> { dims.iter().map(|d| inputs[0].shape[*d]).collect() };
    let (shape, inner) = (sizes(&kept), sizes(&reduced));
    collect(op, &shape, |outer| {
        fold(machine, op, init, indices(&inner).collect(), |i| {
            let mut at = vec![0; rank];
            for (d, n) in kept.iter().zip(outer) {
                at[*d] = *n;
            }
            for (d, n) in reduced.iter().zip(i) {
                at[*d] = *n;
            }
            elements(inputs, &at)
        })
    })
}

/// The element of the operand below element `w` of window `o`; `None` in the padding and between
/// dilated elements.
fn below(window: &Window, shape: &[i64], o: &[i64], w: &[i64]) -> Option<Vec<i64>> {
    (0..shape.len())
        .map(|d| {
            let at =
                o[d] * window.stride[d] + w[d] * window.window_dilation[d] - window.padding[d].0;
            let place = at.div_euclid(window.base_dilation[d]);
            let on = at.rem_euclid(window.base_dilation[d]) == 0;
            (on && (0..shape[d]).contains(&place)).then_some(place)
        })
        .collect()
}

fn reduce_window<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    inputs: &[Tensor],
    init: &[Tensor],
    window: &Window,
) -> Result<Vec<Tensor>> {
    let operand = &inputs[0];
    if inputs.iter().any(|input| input.shape != operand.shape) {
        return Err(Error::plain("inputs of different shapes"));
    }
    let shape: Vec<i64> = (0..operand.rank())
        .map(|d| window.output_size(d, operand.shape[d]))
        .collect();
    collect(op, &shape, |o| {
        fold(machine, op, init, indices(&window.size).collect(), |w| {
            // The operand is padded with the initial value, which is folded in like any element.
            match below(window, &operand.shape, o, w) {
                Some(at) => elements(inputs, &at),
                None => Ok(init.to_vec()),
            }
        })
    })
}

fn select_and_scatter<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    inputs: &[Tensor],
) -> Result<Tensor> {
    let (operand, source, init) = (&inputs[0], &inputs[1], &inputs[2]);
    let window = Window::select_and_scatter(op, operand.rank())?;
    let mut found = Tensor::build(&operand.element, &operand.shape, |_| init.only())?;
    for o in machine.disorder(indices(&source.shape).collect(), |o| source.at(o).ok()) {
        let mut selected: Option<Vec<i64>> = None;
        for w in indices(&window.size) {
            let Some(at) = below(&window, &operand.shape, &o, &w) else {
                continue;
            };
            selected = Some(match selected {
                None => at,
                Some(best) => {
                    let pair = [
                        Tensor::scalar(&operand.element, operand.at(&best)?),
                        Tensor::scalar(&operand.element, operand.at(&at)?),
                    ];
                    if region(machine, op, 0, &pair)?[0].only()?.truth()? {
                        best
                    } else {
                        at
                    }
                }
            });
        }
        if let Some(at) = selected
            && let Some(place) = found.position(&at)
        {
            let pair = [
                Tensor::scalar(&operand.element, found.data[place]),
                Tensor::scalar(&operand.element, source.at(&o)?),
            ];
            machine.folding += 1;
            let scattered = region(machine, op, 1, &pair);
            machine.folding -= 1;
            found.data[place] = scattered?[0].only()?;
        }
    }
    Ok(found)
}
