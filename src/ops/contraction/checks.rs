//! `dot_general`, `dot` and the operations that came before them.

use crate::typing::{check::*, results::sizes};
use mapwright_mlir::{Dim, ElementType, Op, TensorType, attr, text};

/// `dot_general`.
pub fn dot_general(op: Op<'_>) -> Check<Inferred> {
    let (lhs, rhs) = (operand(op, 0)?, operand(op, 1)?);
    let Some(numbers) = op.text("dot_dimension_numbers") else {
        return violation("", "needs the attribute 'dot_dimension_numbers'");
    };
    let list = |name: &str| text::integer_list(&numbers, name);
    let (lhs_batch, rhs_batch) = (
        list("lhs_batching_dimensions"),
        list("rhs_batching_dimensions"),
    );
    let (lhs_contract, rhs_contract) = (
        list("lhs_contracting_dimensions"),
        list("rhs_contracting_dimensions"),
    );
    ensure!(
        lhs_batch.len() == rhs_batch.len(),
        "c1",
        "lhs and rhs must have as many batching dimensions, have {} and {}",
        lhs_batch.len(),
        rhs_batch.len()
    );
    ensure!(
        lhs_contract.len() == rhs_contract.len(),
        "c2",
        "lhs and rhs must have as many contracting dimensions, have {} and {}",
        lhs_contract.len(),
        rhs_contract.len()
    );
    let both = |a: &[i64], b: &[i64]| a.iter().chain(b).copied().collect::<Vec<i64>>();
    unique(
        "c3",
        "batching and contracting dimensions of lhs",
        &both(&lhs_batch, &lhs_contract),
    )?;
    unique(
        "c4",
        "batching and contracting dimensions of rhs",
        &both(&rhs_batch, &rhs_contract),
    )?;
    in_rank("c5", "lhs_batching_dimensions", &lhs_batch, lhs.rank())?;
    in_rank(
        "c6",
        "lhs_contracting_dimensions",
        &lhs_contract,
        lhs.rank(),
    )?;
    in_rank("c7", "rhs_batching_dimensions", &rhs_batch, rhs.rank())?;
    in_rank(
        "c8",
        "rhs_contracting_dimensions",
        &rhs_contract,
        rhs.rank(),
    )?;
    let pairs = |label: &'static str, name: &str, a: &[i64], b: &[i64]| -> Check {
        for (&l, &r) in a.iter().zip(b) {
            let (left, right) = (lhs.dims[l as usize], rhs.dims[r as usize]);
            ensure!(
                sizes_agree(left, right),
                label,
                "{name} dimensions must have the same size, dimension {l} of lhs has {}, dimension {r} of rhs {}",
                shape_text(&[left]),
                shape_text(&[right])
            );
        }
        Ok(())
    };
    pairs("c9", "batching", &lhs_batch, &rhs_batch)?;
    pairs("c10", "contracting", &lhs_contract, &rhs_contract)?;
    precision("c11", op)?;
    let dims = sizes(op, 0)?;
    let result = result(op, 0)?;
    let quantized = [&lhs, &rhs, &result]
        .iter()
        .any(|ty| ty.element.is_quantized());
    if quantized {
        quantized_product(&lhs, &rhs, &result, &rhs_contract, ["c14", "c16", "c17"])?;
        if let ElementType::Quantized(right) = &rhs.element {
            ensure!(
                right.zero_points.iter().all(|zero| *zero == 0),
                "c15",
                "the zero points of rhs must be 0, are {:?}",
                right.zero_points
            );
        }
        if lhs.element.is_quantized() {
            expressed_alike(&lhs, &rhs, &result, "c18")?
        } else {
            hybrid(&lhs, &rhs, &result, "c20")?
        }
        if let (ElementType::Quantized(right), ElementType::Quantized(product)) =
            (&rhs.element, &result.element)
        {
            ensure!(
                right.axis.is_some() || product.axis.is_none(),
                "c19",
                "the result must be quantized per tensor where rhs is"
            );
        }
    } else if !both_floats(&lhs.element, &rhs.element) {
        same_element("c13", "lhs and rhs", &lhs, &rhs)?;
    }
    algorithm(op, &lhs, &rhs)?;
    one(result.element, dims)
}

/// Rules that quantized `dot_general` and `convolution` share, with their labels: all three
/// quantized or only the right one (hybrid), that one not along a contracting dimension, and one
/// storage type.
pub fn quantized_product(
    lhs: &TensorType,
    rhs: &TensorType,
    result: &TensorType,
    contracting: &[i64],
    [together, axis, storage]: [&'static str; 3],
) -> Check {
    let ElementType::Quantized(right) = &rhs.element else {
        return violation(
            together,
            format!(
                "lhs and result are quantized only together with rhs, which is {}",
                rhs.element
            ),
        );
    };
    ensure!(
        lhs.element.is_quantized() == result.element.is_quantized(),
        together,
        "lhs and result must be both quantized or neither, are {} and {}",
        lhs.element,
        result.element
    );
    if let Some(along) = right.axis {
        ensure!(
            !contracting.contains(&(along as i64)),
            axis,
            "rhs must not be quantized along the contracting dimension {along}"
        );
    }
    if let ElementType::Quantized(left) = &lhs.element {
        ensure!(
            left.storage == right.storage,
            storage,
            "lhs and rhs must have the same storage type, have {} and {}",
            left.storage,
            right.storage
        );
    }
    Ok(())
}

/// Quantized operands and result express one floating-point type.
pub fn expressed_alike(
    lhs: &TensorType,
    rhs: &TensorType,
    result: &TensorType,
    label: &'static str,
) -> Check {
    let expressed = |ty: &TensorType| match &ty.element {
        ElementType::Quantized(q) => Some(q.expressed),
        _ => None,
    };
    ensure!(
        expressed(lhs) == expressed(rhs) && expressed(lhs) == expressed(result),
        label,
        "lhs, rhs and result must express the same type, are {}, {} and {}",
        lhs.element,
        rhs.element,
        result.element
    );
    Ok(())
}

/// Only rhs is quantized: lhs and result are of the type that it expresses.
pub fn hybrid(
    lhs: &TensorType,
    rhs: &TensorType,
    result: &TensorType,
    label: &'static str,
) -> Check {
    let ElementType::Quantized(right) = &rhs.element else {
        return Ok(());
    };
    let expressed = ElementType::Float(right.expressed);
    ensure!(
        lhs.element == expressed && result.element == expressed,
        label,
        "lhs and result must be of the type {expressed} that rhs expresses, are {} and {}",
        lhs.element,
        result.element
    );
    Ok(())
}

/// Frameworks multiply floating-point formats with each other, which (C13) does not foresee: each
/// is converted to the type of the sum.
fn both_floats(lhs: &ElementType, rhs: &ElementType) -> bool {
    matches!((lhs, rhs), (ElementType::Float(_), ElementType::Float(_)))
}

/// `precision_config` has two values where it is there.
pub fn precision(label: &'static str, op: Op<'_>) -> Check {
    if let Some(values) = op.attribute("precision_config").and_then(attr::array) {
        ensure!(
            // One is of both operands.
            values.len() <= 2,
            label,
            "'precision_config' must have 2 values, has {}",
            values.len()
        );
    }
    Ok(())
}

/// Constraints on `algorithm`: default precision only, known component counts.
fn algorithm(op: Op<'_>, lhs: &TensorType, rhs: &TensorType) -> Check {
    let Some(algorithm) = op.text("algorithm") else {
        return Ok(());
    };
    let default_only = op
        .text("precision_config")
        .is_none_or(|precision| !precision.contains("HIGH"));
    ensure!(
        default_only,
        "c21",
        "with an 'algorithm' the 'precision_config' must be DEFAULT"
    );
    let count = |name: &str| {
        text::field(&algorithm, name)
            .and_then(|value| text::integers(value).first().copied().flatten())
    };
    for (label, name) in [
        ("c22", "lhs_component_count"),
        ("c23", "rhs_component_count"),
        ("c24", "num_primitive_operations"),
    ] {
        ensure!(
            count(name).is_none_or(|n| n > 0),
            label,
            "'{name}' of the algorithm must be positive"
        );
    }
    ensure!(
        known_algorithm(&algorithm),
        "",
        "the combination {algorithm} is not a known algorithm"
    );
    let _ = (lhs, rhs);
    Ok(())
}

/// The combinations of precision types and counts that the specification names.
fn known_algorithm(algorithm: &str) -> bool {
    let word = |name: &str| text::field(algorithm, name).unwrap_or_default().to_string();
    let number = |name: &str| {
        word(name)
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .and_then(|digits| digits.parse::<i64>().ok())
            .unwrap_or(1)
    };
    let (l, r, acc) = (
        word("lhs_precision_type"),
        word("rhs_precision_type"),
        word("accumulation_type"),
    );
    let counts = (
        number("lhs_component_count"),
        number("rhs_component_count"),
        number("num_primitive_operations"),
    );
    let imprecise = word("allow_imprecise_accumulation").contains("true");
    let f8 = |ty: &str| ty.starts_with("f8");
    match (l.as_str(), r.as_str(), acc.as_str()) {
        (a, b, "f32" | "f16") if f8(a) && f8(b) => counts == (1, 1, 1),
        ("f16", "f16", "f16" | "f32") => counts == (1, 1, 1) && !imprecise,
        ("bf16", "bf16", "bf16") => counts == (1, 1, 1) && !imprecise,
        ("bf16", "bf16", "f32") => {
            matches!(
                counts,
                (1, 1, 1) | (1, 1, 3) | (1, 1, 6) | (1, 1, 9) | (3, 3, 3) | (3, 3, 6) | (3, 3, 9)
            ) && !imprecise
        }
        ("tf32", "tf32", "f32") => {
            matches!(counts, (1, 1, 1) | (1, 1, 3) | (3, 3, 3)) && !imprecise
        }
        ("f32", "f32", "f32") | ("f64", "f64", "f64") => counts == (1, 1, 1) && !imprecise,
        _ => false,
    }
}

/// `dot` (not in HLO): vectors and matrices.
pub fn dot(op: Op<'_>) -> Check<Inferred> {
    let (lhs, rhs) = (operand(op, 0)?, operand(op, 1)?);
    let fits = matches!((lhs.rank(), rhs.rank()), (1 | 2, 1 | 2));
    ensure!(
        fits,
        "",
        "lhs and rhs must be vectors or matrices, have the ranks {} and {}",
        lhs.rank(),
        rhs.rank()
    );
    let (left, right) = (lhs.dims[lhs.rank() - 1], rhs.dims[0]);
    ensure!(
        sizes_agree(left, right),
        "",
        "contracting dimensions must have the same size, have {} and {}",
        shape_text(&[left]),
        shape_text(&[right])
    );
    precision("", op)?;
    one(result(op, 0)?.element, sizes(op, 0)?)
}

/// `einsum`, `unary_einsum`: labels of the operands' dimensions, an arrow, those of the result.
pub fn einsum(op: Op<'_>) -> Check<Inferred> {
    let types = operands(op)?;
    let config = op.string("einsum_config").unwrap_or_default();
    let labels =
        |text: &str| -> Vec<char> { text.chars().filter(|c| !c.is_whitespace()).collect() };
    let Some((from, to)) = config.split_once("->") else {
        return violation(
            "",
            format!("'einsum_config' must have an arrow, is {config:?}"),
        );
    };
    // How many dimensions dots stand for is not decided here.
    if config.contains('.') {
        return Ok(None);
    }
    let from: Vec<Vec<char>> = from.split(',').map(labels).collect();
    ensure!(
        from.len() == types.len(),
        "",
        "'einsum_config' {config:?} has {} operands, there are {}",
        from.len(),
        types.len()
    );
    let mut sizes: Vec<(char, Dim)> = Vec::new();
    for (i, (own, ty)) in from.iter().zip(&types).enumerate() {
        ensure!(
            own.len() == ty.rank(),
            "",
            "'einsum_config' {config:?} has {} dimensions for operand #{i}, which is {ty}",
            own.len()
        );
        for (label, dim) in own.iter().zip(&ty.dims) {
            match sizes.iter_mut().find(|(l, _)| l == label) {
                Some((_, known)) => {
                    ensure!(
                        sizes_agree(*known, *dim),
                        "",
                        "the dimensions '{label}' must have the same size, have {} and {}",
                        shape_text(&[*known]),
                        shape_text(&[*dim])
                    );
                    *known = merge_sizes(*known, *dim);
                }
                None => sizes.push((*label, *dim)),
            }
        }
    }
    let mut dims = Vec::new();
    for label in labels(to) {
        let Some((_, dim)) = sizes.iter().find(|(l, _)| *l == label) else {
            return violation(
                "",
                format!("'einsum_config' {config:?}: no operand has the dimension '{label}'"),
            );
        };
        dims.push(*dim);
    }
    one(result(op, 0)?.element, dims)
}
