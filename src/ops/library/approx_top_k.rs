//! `custom_call @ApproxTopK`, which JAX makes of `approx_max_k` and `approx_min_k`.
//!
//! Operands are the tensors that are sorted together and as many initial values; an attribute names the function that compares, with
//! the arguments of the comparison of `stablehlo.sort`.

use super::option;
use crate::typing::{
    check::*,
    control::{find_function, signature},
};
use mapwright_mlir::{ElementType, Op, TensorType, ValueType, attr};

/// A call, decoded.
pub struct ApproxTopK<'c> {
    /// Number of tensors that are sorted together, which are the first operands.
    pub tensors: usize,
    /// The dimension along which they are sorted.
    pub dimension: usize,
    /// The sizes of their elements that are kept, which begin at zero.
    pub kept: Vec<i64>,
    /// The function that compares.
    pub comparator: Op<'c>,
}

/// Decodes and checks a call.
///
/// # Errors
/// Operands, results, options or a comparison that do not go with each other.
pub fn decode<'c>(op: Op<'c>) -> Check<ApproxTopK<'c>> {
    let tensors = op.num_operands() / 2;
    ensure!(
        tensors > 0 && op.num_operands().is_multiple_of(2) && op.num_results() == tensors,
        "",
        "needs as many initial values and results as tensors, and at least one"
    );
    let (operands, results) = (operands(op)?, results(op)?);
    let (operands, initial) = operands.split_at(tensors);
    let scalars: Vec<TensorType> = operands
        .iter()
        .map(|ty| TensorType::new(ty.element.clone(), &[]))
        .collect();
    ensure!(
        initial == &scalars[..],
        "",
        "needs an initial value of each tensor's element type"
    );
    let mut shapes = Vec::new();
    for (from, to) in operands.iter().zip(&results) {
        match from.static_shape().zip(to.static_shape()) {
            Some(pair) if from.element == to.element => shapes.push(pair),
            _ => {
                return violation(
                    "",
                    "needs tensors of static shape, and results of their types",
                );
            }
        }
    }
    let rank = shapes[0].0.len();
    let dimension = match option(op, "reduction_dim").and_then(attr::int) {
        Some(d) if (0..rank as i64).contains(&d) => d as usize,
        _ => return violation("", "needs a dimension of its operands as 'reduction_dim'"),
    };
    let fits = |(from, to): &(Vec<i64>, Vec<i64>)| {
        let mut sizes = (0..from.len()).zip(from.iter().zip(to));
        *from == shapes[0].0
            && *to == shapes[0].1
            && from.len() == to.len()
            && sizes.all(|(d, (n, k))| if d == dimension { k <= n } else { k == n })
    };
    ensure!(
        shapes.iter().all(fits),
        "",
        "needs operands of one shape, and results that are smaller in the one dimension alone"
    );
    let kept = shapes.swap_remove(0).1;
    if let Some(top_k) = option(op, "top_k") {
        // Where the parts of an approximate result are put together by somebody else, there are more than `top_k`.
        let exactly = option(op, "aggregate_to_topk").and_then(attr::boolean) == Some(true);
        let count = kept[dimension];
        let fits = attr::int(top_k).is_some_and(|k| {
            if exactly {
                k == count
            } else {
                (0..=count).contains(&k)
            }
        });
        ensure!(
            fits,
            "",
            "has the option 'top_k' as {top_k}, and results with {count} elements"
        );
    }
    Ok(ApproxTopK {
        tensors,
        dimension,
        kept,
        comparator: comparator(op, &scalars)?,
    })
}

/// The function that `op` names as the only computation it calls, which takes two scalars for each tensor and gives a truth value.
fn comparator<'c>(op: Op<'c>, scalars: &[TensorType]) -> Check<Op<'c>> {
    let names = op.attribute("called_computations").and_then(attr::array);
    let name = match names.as_deref() {
        Some([name]) => attr::symbol(*name),
        _ => None,
    };
    let Some(name) = name else {
        return violation("", "needs one function in 'called_computations'");
    };
    let Some(function) = find_function(op, &name) else {
        return violation("", format!("calls @{name}, which is not there"));
    };
    ensure!(
        function.body(0).is_some(),
        "",
        "compares by a function without a body"
    );
    let expected: Vec<ValueType> = scalars
        .iter()
        .flat_map(|ty| [ValueType::Tensor(ty.clone()), ValueType::Tensor(ty.clone())])
        .collect();
    let (arguments, results) = signature(function).unwrap_or_default();
    ensure!(
        arguments == expected,
        "",
        "compares by a function that takes {}, expected {}",
        list(&arguments),
        list(&expected)
    );
    let truth = ValueType::Tensor(TensorType::new(ElementType::Bool, &[]));
    ensure!(
        results == [truth],
        "",
        "compares by a function that gives no truth value"
    );
    Ok(function)
}
