//! `chlo.scan`: a loop over the slices along a dimension.

use crate::{
    hlo::zero_literal,
    make::HloBuilder,
    rewrite::{Result, fail, replace},
};
use mapwright_mlir::{Dim, ElementType, Op, TensorType, Ty, Val, edit, melior::ir::ValueLike, op};
use std::collections::HashMap;

/// Parts of a scan.
struct Scan<'c> {
    op: Op<'c>,
    /// The dimension along which the inputs are cut.
    dimension: usize,
    /// Number of rounds.
    rounds: i64,
    reverse: bool,
    inputs: Vec<Val<'c>>,
    inits: Vec<Val<'c>>,
    outputs: usize,
}

/// The scan becomes a `stablehlo.while` whose state is the number of the round, the outputs so far,
/// and the carried values. Every round cuts its slice out of each input, and puts its outputs in
/// their place.
pub(super) fn rewrite<'c>(op: Op<'c>, b: &HloBuilder<'c>) -> Result<'c> {
    let scan = read(op)?;
    let Some(body) = op.body(0) else {
        return fail(op, "needs a body");
    };
    let zero = integer(b, 0);
    let mut state = vec![zero];
    for i in 0..scan.outputs {
        state.push(empty(b, op.result(i)).ok_or_else(|| unknown(op))?);
    }
    state.extend(&scan.inits);
    let types: Vec<Ty<'c>> = state.iter().map(|value| value.r#type()).collect();

    let condition = b.region(&types, |_, state| {
        let go = b.compare("LT", state[0], integer(b, scan.rounds));
        b.op("stablehlo.return", &[go], &[], &[]);
    });
    let mut failed = None;
    let round = b.region(&types, |_, state| {
        let outcome = one_round(&scan, body, b, state);
        let returned = match outcome {
            Ok(values) => values,
            Err(error) => {
                failed = Some(error);
                state.to_vec()
            }
        };
        b.op("stablehlo.return", &returned, &[], &[]);
    });
    let all = b.op_with_regions(
        "stablehlo.while",
        &state,
        &types,
        &[],
        vec![condition, round],
    );
    if let Some(error) = failed {
        return Err(error);
    }
    replace(op, &all.results()[1..]);
    Ok(())
}

fn unknown<'c>(op: Op<'c>) -> crate::rewrite::Error<'c> {
    crate::rewrite::Error {
        op,
        message: "needs outputs of known sizes".into(),
    }
}

/// Reads and checks the operation.
fn read<'c>(op: Op<'c>) -> Result<'c, Scan<'c>> {
    let segments = |name: &str| op.ints(name).filter(|sizes| sizes.len() == 2);
    let (Some(operands), Some(results)) = (
        segments("operandSegmentSizes"),
        segments("resultSegmentSizes"),
    ) else {
        return fail(op, "needs the numbers of its inputs and outputs");
    };
    let (Ok(inputs), Ok(outputs)) = (usize::try_from(operands[0]), usize::try_from(results[0]))
    else {
        return fail(op, "needs the numbers of its inputs and outputs");
    };
    let all = op.operands();
    if inputs > all.len() || outputs > op.num_results() {
        return fail(op, "needs the numbers of its inputs and outputs");
    }
    let (inputs, inits) = all.split_at(inputs);
    let Some(dimension) = op.int("dimension").and_then(|d| usize::try_from(d).ok()) else {
        return fail(op, "needs the attribute 'dimension'");
    };
    let mut rounds = op.int("scan_dim_size");
    for value in inputs
        .iter()
        .copied()
        .chain((0..outputs).map(|i| op.result(i)))
    {
        let size =
            TensorType::from_mlir(value.r#type()).and_then(|ty| ty.dims.get(dimension)?.fixed());
        let Some(size) = size else {
            return fail(
                op,
                format!("needs inputs and outputs whose size along dimension {dimension} is known"),
            );
        };
        if rounds.is_some_and(|rounds| rounds != size) {
            return fail(
                op,
                format!("has different sizes along dimension {dimension}, {size} among them"),
            );
        }
        rounds = Some(size);
    }
    let Some(rounds) = rounds else {
        return fail(op, "does not say how many rounds it has");
    };
    let carried = op.num_results() - outputs;
    if carried != inits.len() {
        return fail(op, "needs as many initial values as it carries along");
    }
    Ok(Scan {
        op,
        dimension,
        rounds,
        reverse: op.boolean("is_reverse").unwrap_or(false),
        inputs: inputs.to_vec(),
        inits: inits.to_vec(),
        outputs,
    })
}

/// The state after a round.
fn one_round<'c>(
    scan: &Scan<'c>,
    body: mapwright_mlir::Blk<'c>,
    b: &HloBuilder<'c>,
    state: &[Val<'c>],
) -> Result<'c, Vec<Val<'c>>> {
    let op = scan.op;
    let zero = integer(b, 0);
    // Backwards the last slice comes first.
    let position = if scan.reverse {
        b.binary("subtract", integer(b, scan.rounds - 1), state[0])
    } else {
        state[0]
    };
    let starts = |rank: usize| -> Vec<Val<'c>> {
        (0..rank)
            .map(|d| if d == scan.dimension { position } else { zero })
            .collect()
    };
    let arguments = op::arguments(body);
    let inner = op::ops(body);
    let Some((ret, ops)) = inner.split_last() else {
        return fail(op, "needs a body that returns");
    };
    let carried = &state[1 + scan.outputs..];
    if arguments.len() != scan.inputs.len() + carried.len()
        || ret.num_operands() != scan.outputs + carried.len()
    {
        return fail(op, "needs a body of its slices and carried values");
    }
    let mut map: HashMap<usize, Val<'c>> = HashMap::new();
    for (input, argument) in scan.inputs.iter().zip(&arguments) {
        let Some(ty) = TensorType::from_mlir(input.r#type()) else {
            return fail(op, "needs inputs that are tensors");
        };
        let (Some(mut sizes), Some(slice)) =
            (ty.static_shape(), TensorType::from_mlir(argument.r#type()))
        else {
            return fail(op, "needs inputs of known sizes");
        };
        sizes[scan.dimension] = 1;
        let cut = b.slice_at(*input, &starts(sizes.len()), &sizes);
        map.insert(op::key(*argument), b.reshape(cut, &slice));
    }
    for (value, argument) in carried.iter().zip(&arguments[scan.inputs.len()..]) {
        map.insert(op::key(*argument), *value);
    }
    for inner in ops {
        edit::append(b.block(), edit::copy(*inner, &mut map));
    }
    let returned: Vec<Val<'c>> = ret
        .operands()
        .into_iter()
        .map(|value| map.get(&op::key(value)).copied().unwrap_or(value))
        .collect();
    let one = integer(b, 1);
    let mut next = vec![b.binary("add", state[0], one)];
    for (i, value) in returned[..scan.outputs].iter().enumerate() {
        let so_far = state[1 + i];
        let Some(ty) = TensorType::from_mlir(so_far.r#type()) else {
            return fail(op, "needs outputs that are tensors");
        };
        let mut dims = ty.dims.clone();
        dims[scan.dimension] = Dim::Static(1);
        let rank = dims.len();
        let row = TensorType {
            element: ty.element,
            dims,
        };
        next.push(b.with_part(so_far, b.reshape(*value, &row), &starts(rank)));
    }
    next.extend(&returned[scan.outputs..]);
    Ok(next)
}

/// A 0-dimensional `i64`.
fn integer<'c>(b: &HloBuilder<'c>, value: i64) -> Val<'c> {
    b.constant(
        &value.to_string(),
        &TensorType::new(ElementType::int(64), &[]),
    )
}

/// Zeros of the type of `like`, which every round overwrites a part of; `None` where its sizes are
/// not known.
fn empty<'c>(b: &HloBuilder<'c>, like: Val<'c>) -> Option<Val<'c>> {
    let ty = TensorType::from_mlir(like.r#type())?;
    ty.static_shape()?;
    ty.element
        .byte_width()
        .filter(|_| !ty.element.is_quantized())?;
    Some(b.constant(zero_literal(&ty.element), &ty))
}
