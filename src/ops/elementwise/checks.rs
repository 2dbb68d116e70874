//! Element-wise operations: all operands and the result have one shape.

use crate::typing::check::*;
use mapwright_mlir::{Dim, ElementType, FloatKind, Op, TensorType};

/// The shape that all operands share; scalars among them only where `scalars` says so.
pub(crate) fn common(op: Op<'_>, label: &'static str) -> Check<TensorType> {
    let types = operands(op)?;
    let Some((first, rest)) = types.split_first() else {
        return violation(label, "needs an operand");
    };
    let mut all = first.clone();
    for (i, ty) in rest.iter().enumerate() {
        ensure!(
            shapes_agree(&all.dims, &ty.dims),
            label,
            "operands must have the same shape, operand #{} has {}, those before it {}",
            i + 1,
            shape_text(&ty.dims),
            shape_text(&all.dims)
        );
        all.dims = merge_shapes(&all.dims, &ty.dims);
    }
    Ok(all)
}

/// Quantized operands of an operation come together or not at all, with one storage and expressed
/// type. `label` is the constraint; `add` has several of its own.
fn quantized_alike(op: Op<'_>, types: &[TensorType], label: &'static str) -> Check {
    let all: Vec<TensorType> = types.iter().cloned().chain(results(op)?).collect();
    let add = op.short_name() == "add";
    let own = |of_add: &'static str| if add { of_add } else { label };
    for pair in all.windows(2) {
        let (ElementType::Quantized(a), ElementType::Quantized(b)) =
            (&pair[0].element, &pair[1].element)
        else {
            let quantized = [&pair[0], &pair[1]].map(|ty| ty.element.is_quantized());
            ensure!(
                quantized == [false, false],
                own("c2"),
                "operands and result must be all quantized or none, are {} and {}",
                pair[0].element,
                pair[1].element
            );
            ensure!(
                pair[0].element == pair[1].element,
                label,
                "operands and result must have the same element type, have {} and {}",
                pair[0].element,
                pair[1].element
            );
            continue;
        };
        for (label, same) in [
            (own("c3"), a.storage == b.storage),
            (own("c4"), a.expressed == b.expressed),
        ] {
            ensure!(
                same,
                label,
                "operands and result must have the same element type, have {} and {}",
                pair[0].element,
                pair[1].element
            );
        }
    }
    match (add, &all[..]) {
        (true, [lhs, rhs, result]) => per_axis_sum(&lhs.element, &rhs.element, &result.element),
        _ => Ok(()),
    }
}

/// (C5) to (C7) of `add`: a sum is quantized along the axis along which its operands are.
fn per_axis_sum(lhs: &ElementType, rhs: &ElementType, result: &ElementType) -> Check {
    let (ElementType::Quantized(l), ElementType::Quantized(r), ElementType::Quantized(sum)) =
        (lhs, rhs, result)
    else {
        return Ok(());
    };
    ensure!(
        (l.axis.is_some() || r.axis.is_some()) == sum.axis.is_some(),
        "c5",
        "the result must be quantized along an axis exactly where an operand is, is {result}"
    );
    for (label, name, operand) in [("c6", "lhs", l), ("c7", "rhs", r)] {
        ensure!(
            operand.axis.is_none() || operand.axis == sum.axis,
            label,
            "{name} and the result must be quantized along the same dimension, are along {} and {}",
            number(operand.axis),
            number(sum.axis)
        );
    }
    Ok(())
}

/// Operations whose result has the type of their operands (`add`, `exponential`, …).
pub fn same_type(op: Op<'_>) -> Check<Inferred> {
    accuracy(op)?;
    let types = operands(op)?;
    let all = common(op, "c1")?;
    quantized_alike(op, &types, "c1")?;
    // Scales and zero points belong to the result; only its shape follows.
    let element = match op.num_results() {
        1 => result(op, 0)?.element,
        _ => all.element,
    };
    one(element, all.dims)
}

/// `result_accuracy`: tolerances are not negative, and only the mode `TOLERANCE` has any.
fn accuracy(op: Op<'_>) -> Check {
    use mapwright_mlir::text;
    let Some(accuracy) = op.text("result_accuracy") else {
        return Ok(());
    };
    let number = |name: &str| {
        text::field(&accuracy, name)
            .and_then(|value| value.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    let values = [number("atol"), number("rtol"), number("ulps")];
    ensure!(
        values.iter().all(|value| *value >= 0.0),
        "",
        "'result_accuracy' must not have negative tolerances"
    );
    let mode = text::field(&accuracy, "mode").unwrap_or("TOLERANCE");
    if !mode.contains("TOLERANCE") {
        ensure!(
            values.iter().all(|value| *value == 0.0),
            "",
            "'result_accuracy' may have tolerances only in the mode TOLERANCE"
        );
    }
    Ok(())
}

/// `abs`: the result of a complex operand is real.
pub fn abs(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    let element = match operand.element {
        ElementType::Complex(kind) => ElementType::Float(kind),
        ElementType::Quantized(_) => result(op, 0)?.element,
        other => other,
    };
    one(element, operand.dims)
}

/// `real`, `imag`: a real operand is its own real part.
pub fn real_imag(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    let element = match operand.element {
        ElementType::Complex(kind) => ElementType::Float(kind),
        other => other,
    };
    one(element, operand.dims)
}

/// `complex`.
pub fn complex(op: Op<'_>) -> Check<Inferred> {
    let (lhs, rhs) = (operand(op, 0)?, operand(op, 1)?);
    ensure!(
        lhs.element == rhs.element,
        "c1",
        "lhs and rhs must have the same type, have {lhs} and {rhs}"
    );
    let dims = common(op, "c1")?.dims;
    match lhs.element {
        ElementType::Float(kind @ (FloatKind::F32 | FloatKind::F64)) => {
            one(ElementType::Complex(kind), dims)
        }
        other => violation(
            "i1",
            format!("operands must be of type f32 or f64, are {other}"),
        ),
    }
}

/// `is_finite`.
pub fn is_finite(op: Op<'_>) -> Check<Inferred> {
    one(ElementType::Bool, operand(op, 0)?.dims)
}

/// `compare`.
pub fn compare(op: Op<'_>) -> Check<Inferred> {
    let (lhs, rhs) = (operand(op, 0)?, operand(op, 1)?);
    same_element("c1", "lhs and rhs", &lhs, &rhs)?;
    let dims = common(op, "c2")?.dims;
    // Which of signed, unsigned and floating point it is follows from the elements; older programs
    // write one that they do not have.
    let kind = op.text("compare_type").unwrap_or_default();
    ensure!(
        !kind.contains("TOTALORDER") || lhs.element.is_float() || lhs.element.is_quantized(),
        "c3",
        "'compare_type' {kind} does not fit the element type {}",
        lhs.element
    );
    one(ElementType::Bool, dims)
}

/// `convert`: same shape, any element type.
pub fn convert(op: Op<'_>) -> Check<Inferred> {
    let (operand, result) = (operand(op, 0)?, result(op, 0)?);
    same_shape("c1", "operand and result", &operand, &result)?;
    one(result.element, merge_shapes(&operand.dims, &result.dims))
}

/// `clamp`.
pub fn clamp(op: Op<'_>) -> Check<Inferred> {
    let (min, operand, max) = (operand(op, 0)?, operand(op, 1)?, operand(op, 2)?);
    for (label, name, bound) in [("c1", "min", &min), ("c2", "max", &max)] {
        ensure!(
            bound.rank() == 0 || shapes_agree(&bound.dims, &operand.dims),
            label,
            "'{name}' must be 0-dimensional or have the shape {} of the operand, has {}",
            shape_text(&operand.dims),
            shape_text(&bound.dims)
        );
        same_element("c3", &format!("'{name}' and the operand"), bound, &operand)?;
    }
    one(operand.element, operand.dims)
}

/// `select`.
pub fn select(op: Op<'_>) -> Check<Inferred> {
    if op.num_operands() > 2 && op.operand_type(1).tensor().is_none() {
        return select_list(op);
    }
    let (pred, yes, no) = (operand(op, 0)?, operand(op, 1)?, operand(op, 2)?);
    same_element("c2", "on_true and on_false", &yes, &no)?;
    same_shape("c2", "on_true and on_false", &yes, &no)?;
    let dims = merge_shapes(&yes.dims, &no.dims);
    // MHLO's predicate is broadcast to the last dimensions.
    let last = dims.len().checked_sub(pred.rank()).map(|d| &dims[d..]);
    let spread = op.dialect() == "mhlo"
        && last.is_some_and(|last| {
            let mut pairs = pred.dims.iter().zip(last);
            pairs.all(|(a, b)| *a == Dim::Static(1) || a == b)
        });
    ensure!(
        pred.rank() == 0 || shapes_agree(&pred.dims, &dims) || spread,
        "c1",
        "the predicate must be 0-dimensional or have the shape {} of the values, has {}",
        shape_text(&dims),
        shape_text(&pred.dims)
    );
    let element = if yes.element.is_quantized() {
        result(op, 0)?.element
    } else {
        yes.element
    };
    one(element, dims)
}

/// `select` of what is no tensor, as a whole.
fn select_list(op: Op<'_>) -> Check<Inferred> {
    let (pred, yes, no) = (operand(op, 0)?, op.operand_type(1), op.operand_type(2));
    ensure!(
        pred.rank() == 0,
        "c1",
        "the predicate must be 0-dimensional where the values are no tensors, has {}",
        shape_text(&pred.dims)
    );
    ensure!(
        yes == no,
        "c2",
        "on_true and on_false must be of one type, are {yes} and {no}"
    );
    Ok(Some(vec![yes]))
}

/// `reduce_precision`.
pub fn reduce_precision(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    ensure!(
        required_int(op, "exponent_bits")? >= 1,
        "c2",
        "'exponent_bits' must be at least 1"
    );
    ensure!(
        required_int(op, "mantissa_bits")? >= 0,
        "c3",
        "'mantissa_bits' must not be negative"
    );
    one(operand.element, operand.dims)
}

/// `uniform_quantize`: the expressed type of the result is the operand's (expressed) type.
pub fn uniform_quantize(op: Op<'_>) -> Check<Inferred> {
    let (operand, result) = (operand(op, 0)?, result(op, 0)?);
    let ElementType::Quantized(to) = &result.element else {
        return violation("", format!("the result must be quantized, is {result}"));
    };
    let expressed = match &operand.element {
        ElementType::Quantized(from) => ElementType::Float(from.expressed),
        other => other.clone(),
    };
    ensure!(
        expressed == ElementType::Float(to.expressed),
        "c2",
        "the operand expresses {expressed}, the result {}",
        to.expressed.name()
    );
    one(result.element, operand.dims)
}

/// `uniform_dequantize`.
pub fn uniform_dequantize(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    match &operand.element {
        ElementType::Quantized(from) => one(ElementType::Float(from.expressed), operand.dims),
        other => violation("", format!("the operand must be quantized, is {other}")),
    }
}

/// `map`: the region computes one element from one element of each input.
pub fn map(op: Op<'_>) -> Check<Inferred> {
    let types = operands(op)?;
    ensure!(!types.is_empty(), "c2", "needs an input");
    let all = common(op, "c1")?;
    let dimensions = required_ints(op, "dimensions")?;
    ensure!(
        dimensions.iter().copied().eq(0..all.rank() as i64),
        "c3",
        "'dimensions' must be all dimensions in order, is {dimensions:?}"
    );
    let signature = region(op, 0)?;
    ensure!(
        signature.arguments.len() == types.len(),
        "c4",
        "the region must take {} arguments, takes {}",
        types.len(),
        signature.arguments.len()
    );
    for (i, (argument, ty)) in signature.arguments.iter().zip(&types).enumerate() {
        let fits = argument
            .tensor()
            .is_some_and(|scalar| scalar.rank() == 0 && same_storage(&scalar.element, &ty.element));
        ensure!(
            fits,
            "c4",
            "argument #{i} of the region must be a 0-dimensional tensor of {}, is {argument}",
            ty.element
        );
    }
    match signature.results.as_slice() {
        [value] if value.tensor().is_some_and(|tensor| tensor.rank() == 0) => {
            let element = value
                .tensor()
                .map_or(all.element, |tensor| tensor.element.clone());
            one(element, all.dims)
        }
        other => violation(
            "c4",
            format!(
                "the region must return one 0-dimensional tensor, returns {}",
                list(other)
            ),
        ),
    }
}
