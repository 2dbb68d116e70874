//! `custom_call @ApproxTopK`, which JAX makes of `approx_max_k` and `approx_min_k`.
//!
//! Operands are the tensors that are sorted together and as many initial values; an attribute names
//! the function that compares, with the arguments of the comparison of `stablehlo.sort`.
//! `@stablehlo.dynamic_approx_top_k` has how many elements are kept as an operand behind these.
//! Sizes that are known at run time only are those of the operands that hold the sizes of results.

use super::{option, shape_operands};
use crate::attrs;
use crate::typing::{check::*, find_function, signature};
use mapwright_mlir::{ElementType, Op, TensorType, ValueType, attr};

/// A call, decoded.
pub struct ApproxTopK<'c> {
    /// Number of tensors that are sorted together, which are the first operands.
    pub tensors: usize,
    /// The dimension along which they are sorted.
    pub dimension: usize,
    /// The sizes of their elements that are kept, which begin at zero; `None` where they are known
    /// at run time only.
    pub kept: Option<Vec<i64>>,
    /// The operands that hold these sizes for each result, if they are given.
    pub sizes: Vec<usize>,
    /// The function that compares.
    pub comparator: Op<'c>,
}

/// Decodes and checks a call.
///
/// # Errors
/// Operands, results, options or a comparison that do not go with each other.
pub fn decode<'c>(op: Op<'c>) -> Check<ApproxTopK<'c>> {
    let sizes = shape_operands(op)?;
    let tensors = op.num_results();
    let counts = usize::from(attrs::name(op) == "dynamic_approx_top_k");
    ensure!(
        tensors > 0 && op.num_operands() == 2 * tensors + counts + sizes.len(),
        "",
        "needs as many initial values and results as tensors, and at least one"
    );
    let (mut operands, results) = (operands(op)?, results(op)?);
    ensure!(
        sizes.iter().all(|i| *i >= 2 * tensors + counts),
        "",
        "has the sizes of results in front of other operands"
    );
    let behind = operands.split_off(2 * tensors);
    ensure!(
        counts == 0 || (behind[0].rank() == 0 && behind[0].element.is_int()),
        "",
        "needs a 0-dimensional integer that says how many elements are kept"
    );
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
    let types = || operands.iter().zip(&results);
    ensure!(
        types().all(|(from, to)| from.element == to.element),
        "",
        "needs results with the elements of its tensors"
    );
    let kept = results[0].static_shape();
    ensure!(
        kept.is_some() || !sizes.is_empty(),
        "",
        "needs results of static shape, or operands with their sizes"
    );
    let rank = operands[0].rank();
    let dimension = match option(op, "reduction_dim").and_then(attr::int) {
        Some(d) if (0..rank as i64).contains(&d) => d as usize,
        _ => return violation("", "needs a dimension of its operands as 'reduction_dim'"),
    };
    let fits = |from: &TensorType, to: &TensorType| {
        let mut known = from.dims.iter().zip(&to.dims).enumerate();
        shapes_agree(&from.dims, &operands[0].dims)
            && shapes_agree(&to.dims, &results[0].dims)
            && from.rank() == to.rank()
            && known.all(|(d, (n, k))| match (n.fixed(), k.fixed()) {
                (Some(n), Some(k)) if d == dimension => k <= n,
                (Some(n), Some(k)) => k == n,
                _ => true,
            })
    };
    ensure!(
        types().all(|(from, to)| fits(from, to)),
        "",
        "needs operands of one shape, and results that are smaller in the one dimension alone"
    );
    if let Some(top_k) = option(op, "top_k") {
        // Where the parts of an approximate result are put together by somebody else, there are
        // more than `top_k`.
        let exactly = option(op, "aggregate_to_topk").and_then(attr::boolean) == Some(true);
        let count = results[0].dims[dimension].fixed();
        let fits = attr::int(top_k).is_some_and(|k| match count {
            Some(count) if exactly => k == count,
            Some(count) => (0..=count).contains(&k),
            None => k >= 0,
        });
        ensure!(
            fits,
            "",
            "has the option 'top_k' as {top_k}, and results with {} elements",
            number(count)
        );
    }
    Ok(ApproxTopK {
        tensors,
        dimension,
        kept,
        sizes,
        comparator: comparator(op, &scalars)?,
    })
}

/// The function that `op` names as the only computation it calls, which takes two scalars for each
/// tensor and gives a truth value.
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
