//! `custom_call @ApproxTopK`, which JAX makes of `approx_max_k` and `approx_min_k`: exact here, a sort and a slice.
//!
//! Operands are the tensors that are sorted together and as many initial values; an attribute names the function that compares, with
//! the arguments of the comparison of `stablehlo.sort`.

use crate::rewrite::{Result, fail, replace};
use mapwright_mlir::{Builder, Op, TensorType, attr, edit, melior::ir::ValueLike, op};
use std::collections::HashMap;

/// Rewrites the calls inside `root`. Returns how many.
///
/// # Errors
/// Calls that are not well-formed.
pub fn legalize<'c>(root: Op<'c>) -> Result<'c, usize> {
    let mut count = 0;
    for op in root.descendants() {
        let named = |op: Op<'c>| op.string("call_target_name");
        if op.name() == "stablehlo.custom_call" && named(op).as_deref() == Some("ApproxTopK") {
            rewrite(op)?;
            count += 1;
        }
    }
    Ok(count)
}

/// The function that `op` names as the only computation it calls.
fn comparison<'c>(op: Op<'c>) -> Result<'c, Op<'c>> {
    let names = op.attribute("called_computations").and_then(attr::array);
    let name = match names.as_deref() {
        Some([name]) => attr::symbol(*name),
        _ => None,
    };
    let Some(name) = name else {
        return fail(op, "needs one function in 'called_computations'");
    };
    let mut module = op;
    while let Some(outer) = module.parent() {
        module = outer;
    }
    let functions = module.body(0).map(op::ops).unwrap_or_default();
    let found = functions.into_iter().find(|function| {
        function.name() == "func.func" && function.string("sym_name").as_deref() == Some(&name)
    });
    match found {
        Some(function) => Ok(function),
        None => fail(op, format!("calls @{name}, which is not there")),
    }
}

fn rewrite<'c>(op: Op<'c>) -> Result<'c> {
    let tensors = op.num_operands() / 2;
    if tensors == 0 || !op.num_operands().is_multiple_of(2) || op.num_results() != tensors {
        return fail(
            op,
            "needs as many initial values and results as tensors, and at least one",
        );
    }
    let function = comparison(op)?;
    let Some(body) = function.body(0) else {
        return fail(op, "compares by a function without a body");
    };
    let operands = &op.operands()[..tensors];
    let mut shapes = Vec::new();
    for (i, operand) in operands.iter().enumerate() {
        let from = TensorType::from_mlir(operand.r#type());
        let to = op.result_type(i).tensor().cloned();
        let sizes = |ty: Option<&TensorType>| ty.and_then(TensorType::static_shape);
        match (
            from.as_ref().zip(to.as_ref()),
            sizes(from.as_ref()).zip(sizes(to.as_ref())),
        ) {
            (Some((from, to)), Some(pair)) if from.element == to.element => shapes.push(pair),
            _ => {
                return fail(
                    op,
                    "needs tensors of static shape, and results of their types",
                );
            }
        }
    }
    let options = ["mhlo.backend_config", "backend_config"]
        .iter()
        .find_map(|key| attr::dictionary(op.attribute(key)?));
    let dimension = options.and_then(|entries| {
        let (_, value) = entries
            .into_iter()
            .find(|(key, _)| key == "reduction_dim")?;
        attr::int(value)
    });
    let rank = shapes[0].0.len();
    let dimension = match dimension {
        Some(d) if (0..rank as i64).contains(&d) => d as usize,
        _ => return fail(op, "needs a dimension of its operands as 'reduction_dim'"),
    };
    let fits = |(from, to): &(Vec<i64>, Vec<i64>)| {
        let mut sizes = (0..from.len()).zip(from.iter().zip(to));
        *from == shapes[0].0
            && from.len() == to.len()
            && sizes.all(|(d, (n, k))| if d == dimension { k <= n } else { k == n })
    };
    if !shapes.iter().all(fits) {
        return fail(
            op,
            "needs operands of one shape, and results that are smaller in the one dimension alone",
        );
    }
    let Some(b) = Builder::before(op.context(), op) else {
        return fail(op, "is not inside a block");
    };
    let arguments = op::arguments(body);
    if arguments.len() != 2 * tensors {
        return fail(
            op,
            "compares by a function of other arguments than its tensors have",
        );
    }
    let types: Vec<_> = arguments.iter().map(|argument| argument.r#type()).collect();
    let mut ends = false;
    let region = b.region(&types, |b, own| {
        let mut map: HashMap<usize, _> = HashMap::new();
        map.extend(arguments.iter().zip(own).map(|(a, v)| (op::key(*a), *v)));
        for inner in op::ops(body) {
            if matches!(inner.name(), "func.return" | "stablehlo.return") {
                let values: Vec<_> = inner.operands();
                let values: Vec<_> = values
                    .iter()
                    .map(|v| map.get(&op::key(*v)).copied().unwrap_or(*v))
                    .collect();
                ends = values.len() == 1;
                b.op("stablehlo.return", &values, &[], &[]);
                break;
            }
            let copy = edit::clone(inner, &map);
            match own.first().and_then(|v| op::block_argument(*v)) {
                Some((block, _)) => edit::append(block, copy),
                None => return,
            }
            map.extend(
                inner
                    .results()
                    .iter()
                    .zip(copy.results())
                    .map(|(a, v)| (op::key(*a), v)),
            );
        }
    });
    if !ends {
        return fail(op, "compares by a function that gives no truth value");
    }
    let types: Vec<_> = operands.iter().map(|x| x.r#type()).collect();
    let sorted = b.op_with_regions(
        "stablehlo.sort",
        operands,
        &types,
        &[
            ("dimension", b.i64_attr(dimension as i64)),
            ("is_stable", b.bool_attr(true)),
        ],
        vec![region],
    );
    let (starts, steps) = (vec![0; rank], vec![1; rank]);
    let found: Vec<_> = (0..tensors)
        .map(|i| {
            let lists = [
                ("start_indices", b.i64_array(&starts)),
                ("limit_indices", b.i64_array(&shapes[i].1)),
                ("strides", b.i64_array(&steps)),
            ];
            let ty = op.result(i).r#type();
            b.op1("stablehlo.slice", &[sorted.result(i)], ty, &lists)
        })
        .collect();
    replace(op, &found);
    Ok(())
}
