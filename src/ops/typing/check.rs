//! Shared vocabulary of the type rules: violations, tensor accessors, compatibility of sizes and
//! element types.

use mapwright_indexing::counted;
use mapwright_mlir::{Dim, ElementType, Op, TensorType, Val, ValueType, attr, op};

/// A constraint of the specification that does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Label of the constraint in the specification (`c5`, `i3`), empty where it has none.
    pub label: &'static str,
    /// Message: an operand or attribute, and what is wrong with it.
    pub message: String,
}

/// Result of checking a rule.
pub type Check<T = ()> = Result<T, Violation>;

/// Inferred result types; `None` where the specification leaves them to the program.
pub type Inferred = Option<Vec<ValueType>>;

/// A rule: checks an operation and infers its result types.
pub type Rule = fn(Op<'_>) -> Check<Inferred>;

/// Puts a place in front of the message of a check.
pub(crate) fn at<T>(place: impl std::fmt::Display, checked: Check<T>) -> Check<T> {
    checked.map_err(|error| Violation {
        message: format!("{place}: {}", error.message),
        ..error
    })
}

/// Shorthand for a violation.
pub fn violation<T>(label: &'static str, message: impl Into<String>) -> Check<T> {
    Err(Violation {
        label,
        message: message.into(),
    })
}

/// `ensure!(condition, "c5", "what is wrong with {}", this)`: returns the violation unless the
/// condition holds.
macro_rules! ensure {
    ($condition:expr, $label:expr, $($message:tt)+) => {
        if !$condition {
            return $crate::typing::check::violation($label, format!($($message)+));
        }
    };
}
pub(crate) use ensure;

/// Type of operand `i`, which must be a ranked tensor.
pub fn operand(op: Op<'_>, i: usize) -> Check<TensorType> {
    if i >= op.num_operands() {
        return violation(
            "",
            format!("needs an operand #{i}, has {}", op.num_operands()),
        );
    }
    match op.operand_type(i) {
        ValueType::Tensor(tensor) => Ok(tensor),
        other => violation(
            "",
            format!("operand #{i} must be a ranked tensor, is {other}"),
        ),
    }
}

/// Types of all operands, which must be ranked tensors.
pub fn operands(op: Op<'_>) -> Check<Vec<TensorType>> {
    (0..op.num_operands()).map(|i| operand(op, i)).collect()
}

/// Type of result `i`, which must be a ranked tensor.
pub fn result(op: Op<'_>, i: usize) -> Check<TensorType> {
    if i >= op.num_results() {
        return violation("", format!("needs a result #{i}, has {}", op.num_results()));
    }
    match op.result_type(i) {
        ValueType::Tensor(tensor) => Ok(tensor),
        other => violation(
            "",
            format!("result #{i} must be a ranked tensor, is {other}"),
        ),
    }
}

/// Types of all results, which must be ranked tensors.
pub fn results(op: Op<'_>) -> Check<Vec<TensorType>> {
    (0..op.num_results()).map(|i| result(op, i)).collect()
}

/// One inferred tensor.
pub fn one(element: ElementType, dims: Vec<Dim>) -> Check<Inferred> {
    Ok(Some(vec![ValueType::Tensor(TensorType { element, dims })]))
}

/// Inferred tensors.
pub fn many(types: Vec<TensorType>) -> Check<Inferred> {
    Ok(Some(types.into_iter().map(ValueType::Tensor).collect()))
}

/// The integers of attribute `name`, in any of its forms.
pub fn required_ints(op: Op<'_>, name: &str) -> Check<Vec<i64>> {
    match op.ints(name) {
        Some(values) => Ok(values),
        None => violation(
            "",
            format!("needs the attribute '{name}', a list of integers"),
        ),
    }
}

/// The integer of attribute `name`.
pub fn required_int(op: Op<'_>, name: &str) -> Check<i64> {
    match op.int(name) {
        Some(value) => Ok(value),
        None => violation("", format!("needs the integer attribute '{name}'")),
    }
}

/// Integers of `name`, or `n` times `default` where the attribute is left out.
pub fn ints_or(op: Op<'_>, name: &str, n: usize, default: i64) -> Check<Vec<i64>> {
    match op.attribute(name) {
        None => Ok(vec![default; n]),
        Some(attribute) => match attr::ints(attribute) {
            Some(values) => Ok(values),
            None => violation("", format!("attribute '{name}' must be a list of integers")),
        },
    }
}

/// Tells whether the two sizes could be the same at run time.
pub fn sizes_agree(a: Dim, b: Dim) -> bool {
    match (a, b) {
        (Dim::Static(x), Dim::Static(y)) => x == y,
        (Dim::Static(x), Dim::Bounded(bound)) | (Dim::Bounded(bound), Dim::Static(x)) => x <= bound,
        _ => true,
    }
}

/// Merges two sizes that are known to be equal.
pub fn merge_sizes(a: Dim, b: Dim) -> Dim {
    match (a, b) {
        (Dim::Static(x), _) | (_, Dim::Static(x)) => Dim::Static(x),
        (Dim::Bounded(x), Dim::Bounded(y)) => Dim::Bounded(x.min(y)),
        (Dim::Bounded(x), _) | (_, Dim::Bounded(x)) => Dim::Bounded(x),
        _ => Dim::Dynamic,
    }
}

/// Tells whether the two shapes could be the same at run time.
pub fn shapes_agree(a: &[Dim], b: &[Dim]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| sizes_agree(*a, *b))
}

/// Merges two shapes that are known to be equal.
pub fn merge_shapes(a: &[Dim], b: &[Dim]) -> Vec<Dim> {
    a.iter().zip(b).map(|(a, b)| merge_sizes(*a, *b)).collect()
}

/// A number that may not be there, for a message.
pub fn number<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "none".into(), |value| value.to_string())
}

/// Sizes as text, `2x?x<=6`.
pub fn shape_text(dims: &[Dim]) -> String {
    let sizes: Vec<String> = dims.iter().map(|dim| size_text(*dim)).collect();
    format!("[{}]", sizes.join(", "))
}

/// A size as text, `?` or `<=6`.
pub fn size_text(dim: Dim) -> String {
    match dim {
        Dim::Static(n) => n.to_string(),
        Dim::Bounded(n) => format!("<={n}"),
        Dim::Dynamic => "?".into(),
    }
}

/// The element type without quantization parameters: types that differ only in scales and zero
/// points are the same (`baseline_element_type` in the specification, extended to quantized types).
pub fn same_baseline(a: &ElementType, b: &ElementType) -> bool {
    match (a, b) {
        (ElementType::Quantized(a), ElementType::Quantized(b)) => {
            a.storage == b.storage
                && a.expressed == b.expressed
                && (a.storage_min, a.storage_max) == (b.storage_min, b.storage_max)
                && a.axis == b.axis
        }
        _ => a == b,
    }
}

/// `same_baseline`, but per-tensor and per-axis quantization may stand for each other.
pub fn same_storage(a: &ElementType, b: &ElementType) -> bool {
    match (a, b) {
        (ElementType::Quantized(a), ElementType::Quantized(b)) => {
            a.storage == b.storage && a.expressed == b.expressed
        }
        _ => a == b,
    }
}

/// Checks `element(a) = element(b)`.
pub fn same_element(label: &'static str, what: &str, a: &TensorType, b: &TensorType) -> Check {
    ensure!(
        same_baseline(&a.element, &b.element),
        label,
        "{what} must have the same element type, have {} and {}",
        a.element,
        b.element
    );
    Ok(())
}

/// Checks `shape(a) = shape(b)` as far as known.
pub fn same_shape(label: &'static str, what: &str, a: &TensorType, b: &TensorType) -> Check {
    ensure!(
        shapes_agree(&a.dims, &b.dims),
        label,
        "{what} must have the same shape, have {} and {}",
        shape_text(&a.dims),
        shape_text(&b.dims)
    );
    Ok(())
}

/// Checks that `dims` are in `[0, rank)`.
pub fn in_rank(label: &'static str, name: &str, dims: &[i64], rank: usize) -> Check {
    for &dim in dims {
        ensure!(
            (0..rank as i64).contains(&dim),
            label,
            "'{name}' has {dim}, which is not in [0, {rank})"
        );
    }
    Ok(())
}

/// Checks that `dims` has no value twice.
pub fn unique(label: &'static str, name: &str, dims: &[i64]) -> Check {
    let mut sorted = dims.to_vec();
    sorted.sort_unstable();
    for pair in sorted.windows(2) {
        ensure!(
            pair[0] != pair[1],
            label,
            "'{name}' has {} more than once",
            pair[0]
        );
    }
    Ok(())
}

/// Checks that `dims` is ascending (equal neighbours allowed).
pub fn sorted(label: &'static str, name: &str, dims: &[i64]) -> Check {
    ensure!(
        dims.is_sorted(),
        label,
        "'{name}' must be sorted, is {dims:?}"
    );
    Ok(())
}

/// Checks the number of values of an attribute.
pub fn size_is(label: &'static str, name: &str, values: &[i64], n: usize) -> Check {
    ensure!(
        values.len() == n,
        label,
        "'{name}' must have {n} values, has {}",
        values.len()
    );
    Ok(())
}

/// The constant that defines `value`, if it is one of integers (also through `convert`s of shape
/// computations).
pub fn constant_ints(value: Val<'_>) -> Option<Vec<i64>> {
    let (source, _) = op::defining_op(value)?;
    match source.short_name() {
        "constant" => source.attribute("value").and_then(attr::ints),
        "const_shape" => source.attribute("shape").and_then(attr::ints),
        _ => None,
    }
}

/// Types of the arguments and of the terminator's operands of a region with one block.
pub struct Signature {
    /// Types of the block's arguments.
    pub arguments: Vec<ValueType>,
    /// Types of the values that the terminator returns.
    pub results: Vec<ValueType>,
}

/// The signature of region `i`; a violation if it has not exactly one block with a terminator.
pub fn region(op: Op<'_>, i: usize) -> Check<Signature> {
    use mapwright_mlir::melior::ir::ValueLike;
    if i >= op.num_regions() {
        return violation("", format!("needs a region #{i}"));
    }
    let blocks = op::blocks(op.region(i));
    ensure!(
        blocks.len() == 1,
        "",
        "region #{i} must have one block, has {}",
        blocks.len()
    );
    let ops = op::ops(blocks[0]);
    let Some(terminator) = ops.last() else {
        return violation("", format!("region #{i} must end in a return"));
    };
    Ok(Signature {
        arguments: op::arguments(blocks[0])
            .iter()
            .map(|argument| ValueType::from_mlir(argument.r#type()))
            .collect(),
        results: terminator
            .operands()
            .iter()
            .map(|value| ValueType::from_mlir(value.r#type()))
            .collect(),
    })
}

/// Lists types for a message.
pub fn list(types: &[ValueType]) -> String {
    let texts: Vec<String> = types.iter().map(ToString::to_string).collect();
    format!("({})", texts.join(", "))
}

/// Whether two value types are the same as far as sizes are known.
pub fn types_agree(a: &ValueType, b: &ValueType) -> bool {
    match (a, b) {
        (ValueType::Tensor(a), ValueType::Tensor(b)) => {
            same_storage(&a.element, &b.element) && shapes_agree(&a.dims, &b.dims)
        }
        (ValueType::Tuple(a), ValueType::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| types_agree(a, b))
        }
        (ValueType::Future { name, types }, ValueType::Future { name: n, types: t }) => {
            name == n && all_agree(types, t)
        }
        (ValueType::UnrankedTensor(a), ValueType::Tensor(b))
        | (ValueType::Tensor(b), ValueType::UnrankedTensor(a)) => same_storage(a, &b.element),
        _ => a == b,
    }
}

/// Tells whether two lists of types agree.
pub fn all_agree(a: &[ValueType], b: &[ValueType]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| types_agree(a, b))
}

/// Checks a reducer: it takes `2n` scalars and returns `n` scalars of the accumulation types, and
/// the element types of `inputs` can be promoted to those of the accumulation (`label` is the
/// constraint on the body). Returns the accumulation element types.
pub fn reducer(
    op: Op<'_>,
    index: usize,
    label: &'static str,
    inputs: &[TensorType],
    inits: &[TensorType],
) -> Check<Vec<ElementType>> {
    let signature = region(op, index)?;
    let n = inputs.len();
    ensure!(
        signature.arguments.len() == 2 * n,
        label,
        "the reduction region must take {} arguments, takes {}",
        2 * n,
        signature.arguments.len()
    );
    ensure!(
        signature.results.len() == n,
        label,
        "the reduction region must return {}, returns {}",
        counted(n, "value"),
        signature.results.len()
    );
    // Scalars, but where older programs reduce slices: these have the dimensions of the initial
    // value.
    let dims = |i: usize| inits.get(i).map_or(&[][..], |init| &init.dims);
    let mut elements = Vec::with_capacity(n);
    for i in 0..n {
        let scalar = |ty: &ValueType, what: &str| match ty.tensor() {
            Some(tensor) if tensor.dims == dims(i) => Ok(tensor.element.clone()),
            _ => violation(
                label,
                format!(
                    "{what} of the reduction region must have the shape {}, is {ty}",
                    shape_text(dims(i))
                ),
            ),
        };
        let returned = scalar(&signature.results[i], &format!("result #{i}"))?;
        for (side, at) in [(i, "left"), (n + i, "right")] {
            let argument = scalar(&signature.arguments[side], &format!("argument #{side}"))?;
            ensure!(
                same_storage(&argument, &returned),
                label,
                "argument #{side} ({at} value #{i}) of the reduction region has element type {argument}, its result #{i} has \
                 {returned}"
            );
        }
        ensure!(
            promotable(&inputs[i].element, &returned),
            label,
            "the element type {} of input #{i} cannot be promoted to {returned}, the type of the reduction region",
            inputs[i].element
        );
        if let Some(init) = inits.get(i) {
            ensure!(
                promotable(&init.element, &returned),
                label,
                "the element type {} of initial value #{i} cannot be promoted to {returned}, the type of the reduction region",
                init.element
            );
        }
        elements.push(returned);
    }
    Ok(elements)
}

/// `is_promotable(x, y)` of the specification: both of one kind and `y` at least as wide.
pub fn promotable(from: &ElementType, to: &ElementType) -> bool {
    let wide = from.bit_width() <= to.bit_width();
    match (from, to) {
        (ElementType::Bool, ElementType::Bool) => true,
        (ElementType::Int { unsigned: a, .. }, ElementType::Int { unsigned: b, .. }) => {
            a == b && wide
        }
        (ElementType::Float(_), ElementType::Float(_)) => wide,
        (ElementType::Complex(_), ElementType::Complex(_)) => wide,
        (ElementType::Quantized(a), ElementType::Quantized(b)) => {
            a.expressed == b.expressed && wide
        }
        _ => from == to,
    }
}

/// Merges what an operand says of the result's sizes with the declared ones.
pub fn agree_with(
    label: &'static str,
    name: &str,
    known: Vec<Dim>,
    declared: Vec<Dim>,
) -> Check<Vec<Dim>> {
    ensure!(
        shapes_agree(&known, &declared),
        label,
        "'{name}' gives the shape {}, the result has {}",
        shape_text(&known),
        shape_text(&declared)
    );
    Ok(merge_shapes(&known, &declared))
}

/// Whether the rank of every operand is known. Where it is not, nothing follows for the result.
pub fn ranked(op: Op<'_>) -> bool {
    (0..op.num_operands()).all(|i| !matches!(op.operand_type(i), ValueType::UnrankedTensor(_)))
}

/// Attributes with one number for each dimension (c2).
pub fn of_dimensions(op: Op<'_>, names: [&'static str; 3], rank: usize) -> Check<[Vec<i64>; 3]> {
    let mut values = [const { Vec::new() }; 3];
    for (name, values) in names.into_iter().zip(&mut values) {
        *values = required_ints(op, name)?;
    }
    for (name, values) in names.into_iter().zip(&values) {
        size_is("c2", name, values, rank)?;
    }
    Ok(values)
}

/// Operand `i`, where it is constant, must say as many sizes as the result has, and none that is
/// negative.
pub fn shape_operand(label: &'static str, op: Op<'_>, i: usize, rank: usize) -> Check {
    let Some(values) = constant_ints(op.operand(i)) else {
        return Ok(());
    };
    ensure!(
        values.len() == rank,
        label,
        "operand #{i} gives {} sizes for a result of rank {rank}",
        values.len()
    );
    for value in &values {
        ensure!(
            *value >= 0,
            label,
            "operand #{i} gives the negative size {value}"
        );
    }
    Ok(())
}
