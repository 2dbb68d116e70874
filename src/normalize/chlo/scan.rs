//! `chlo.scan`: a loop over the slices along a dimension.

use crate::{
    hlo::zero_literal,
    rewrite::{Result, fail, replace},
};
use mapwright_mlir::{Builder, Dim, Op, TensorType, Ty, Val, edit, melior::ir::ValueLike, op};
use std::collections::HashMap;

/// What a scan is made of.
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

/// The scan becomes a `stablehlo.while` whose state is the number of the round, the outputs so far, and the carried values. Every
/// round cuts its slice out of each input, and puts its outputs in their place.
pub(super) fn rewrite<'c>(op: Op<'c>, b: &Builder<'c>) -> Result<'c> {
    let scan = read(op)?;
    let Some(body) = op.body(0) else {
        return fail(op, "needs a body");
    };
    let i64_scalar = b.parse_type("tensor<i64>");
    let zero = integer(b, 0);
    let mut state = vec![zero];
    for i in 0..scan.outputs {
        state.push(empty(b, op.result(i)).ok_or_else(|| unknown(op))?);
    }
    state.extend(&scan.inits);
    let types: Vec<Ty<'c>> = state.iter().map(|value| value.r#type()).collect();

    let condition = b.region(&types, |b, state| {
        let limit = integer(b, scan.rounds);
        let direction = b.parse_attr("#stablehlo<comparison_direction LT>");
        let kind = b.parse_attr("#stablehlo<comparison_type SIGNED>");
        let go = b.op1(
            "stablehlo.compare",
            &[state[0], limit],
            b.parse_type("tensor<i1>"),
            &[("comparison_direction", direction), ("compare_type", kind)],
        );
        b.op("stablehlo.return", &[go], &[], &[]);
    });
    let mut failed = None;
    let round = b.region(&types, |b, state| {
        let outcome = one_round(&scan, body, b, state, i64_scalar);
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
    b: &Builder<'c>,
    state: &[Val<'c>],
    scalar: Ty<'c>,
) -> Result<'c, Vec<Val<'c>>> {
    let op = scan.op;
    let zero = integer(b, 0);
    // Backwards the last slice comes first.
    let position = match scan.reverse {
        false => state[0],
        true => {
            let last = integer(b, scan.rounds - 1);
            b.op1("stablehlo.subtract", &[last, state[0]], scalar, &[])
        }
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
        let operands: Vec<Val<'c>> = [*input].into_iter().chain(starts(sizes.len())).collect();
        let cut = TensorType::new(ty.element, &sizes);
        let cut = b.op1(
            "stablehlo.dynamic_slice",
            &operands,
            b.parse_type(&cut.to_string()),
            &[("slice_sizes", b.i64_array(&sizes))],
        );
        let slice = b.parse_type(&slice.to_string());
        map.insert(
            op::key(*argument),
            b.op1("stablehlo.reshape", &[cut], slice, &[]),
        );
    }
    for (value, argument) in carried.iter().zip(&arguments[scan.inputs.len()..]) {
        map.insert(op::key(*argument), *value);
    }
    for inner in ops {
        let copy = edit::clone(*inner, &map);
        edit::append(b.block(), copy);
        for (old, new) in inner.results().into_iter().zip(copy.results()) {
            map.insert(op::key(old), new);
        }
    }
    let returned: Vec<Val<'c>> = ret
        .operands()
        .into_iter()
        .map(|value| map.get(&op::key(value)).copied().unwrap_or(value))
        .collect();
    let one = integer(b, 1);
    let mut next = vec![b.op1("stablehlo.add", &[state[0], one], scalar, &[])];
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
        let row = b.op1(
            "stablehlo.reshape",
            &[*value],
            b.parse_type(&row.to_string()),
            &[],
        );
        let operands: Vec<Val<'c>> = [so_far, row].into_iter().chain(starts(rank)).collect();
        next.push(b.op1(
            "stablehlo.dynamic_update_slice",
            &operands,
            so_far.r#type(),
            &[],
        ));
    }
    next.extend(&returned[scan.outputs..]);
    Ok(next)
}

/// A 0-dimensional `i64`.
fn integer<'c>(b: &Builder<'c>, value: i64) -> Val<'c> {
    let ty = b.parse_type("tensor<i64>");
    let value = b.parse_attr(&format!("dense<{value}> : tensor<i64>"));
    b.op1("stablehlo.constant", &[], ty, &[("value", value)])
}

/// Zeros of the type of `like`, which every round overwrites a part of; `None` where its sizes are not known.
fn empty<'c>(b: &Builder<'c>, like: Val<'c>) -> Option<Val<'c>> {
    let ty = TensorType::from_mlir(like.r#type())?;
    ty.static_shape()?;
    ty.element
        .byte_width()
        .filter(|_| !ty.element.is_quantized())?;
    let zero = zero_literal(&ty.element);
    let value = b.parse_attr(&format!("dense<{zero}> : {ty}"));
    Some(b.op1(
        "stablehlo.constant",
        &[],
        like.r#type(),
        &[("value", value)],
    ))
}
