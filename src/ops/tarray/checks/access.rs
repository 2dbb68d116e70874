//! Single elements, several of them, and layouts.

use super::*;
use crate::attrs::{self, Pool, Update};

/// The element of operand 0 that the index in operand `i` leads to.
fn element_at(op: Op<'_>, i: usize) -> Check<ValueType> {
    let steps = match any(op, i)? {
        ValueType::Tensor(ty) if ty.element.is_int() && ty.rank() == 1 => {
            match ty.dims[0].fixed() {
                Some(steps) => steps as usize,
                None => {
                    return violation(
                        "",
                        format!("operand #{i} must have as many numbers as are known, is {ty}"),
                    );
                }
            }
        }
        _ => super::shape(op, i)?,
    };
    let known = known_numbers(op.operand(i));
    let check = |step: usize, size: Dim| match known.get(step) {
        Some(Some(index)) => in_range(*index, size, &format!("(number {step} of operand #{i})")),
        _ => Ok(()),
    };
    match any(op, 0)? {
        ValueType::Shape(_) => undefined(op, 0),
        ValueType::Array { element, max } => {
            ensure!(steps > 0, "", "needs an index with a number at least");
            check(0, Dim::Bounded(max))?;
            let mut at = *element;
            for step in 1..steps {
                at = match at {
                    ValueType::Array { element, max } => {
                        check(step, Dim::Bounded(max))?;
                        *element
                    }
                    _ => {
                        return violation(
                            "",
                            format!(
                                "an index of {steps} numbers goes deeper than the nest, which has {step} levels"
                            ),
                        );
                    }
                };
            }
            Ok(at)
        }
        _ => {
            let (element, sizes) = tensor(op, 0)?;
            ensure!(
                steps == sizes.len(),
                "",
                "an index into a Tensor of {} dimensions has as many numbers, not {steps}",
                sizes.len()
            );
            for (step, size) in sizes.iter().enumerate() {
                check(step, *size)?;
            }
            Ok(tensor_type(element, &[]))
        }
    }
}

/// `index`.
pub(crate) fn index(op: Op<'_>) -> Check<Inferred> {
    gives(element_at(op, 1)?)
}

/// `index_add` and its like.
pub(crate) fn index_update(op: Op<'_>) -> Check<Inferred> {
    let element = element_at(op, 2)?;
    let ValueType::Tensor(leaf) = &element else {
        return violation("", "changes leaves, not TensorArrays in a nest");
    };
    let value = any(op, 1)?;
    ensure!(
        value == element,
        "",
        "operand #1 must be of the type of the element, {element}, is {value}"
    );
    match attrs::update(op) {
        Ok(Update::Max | Update::Min) => ordered(&leaf.element)?,
        Ok(_) => {}
        Err(error) => return violation("", error.to_string()),
    }
    gives(any(op, 0)?)
}

/// Elements that are less or greater than others.
fn ordered(element: &ElementType) -> Check {
    ensure!(
        !element.is_complex(),
        "",
        "complex numbers have no order ({element})"
    );
    Ok(())
}

/// Reads how elements of this type are pooled.
fn pool(op: Op<'_>, element: &ElementType) -> Check<Option<Pool>> {
    let pool = match attrs::pool(op) {
        Ok(pool) => pool,
        Err(error) => return violation("", error.to_string()),
    };
    match pool {
        Some(Pool::Max | Pool::Min) => ordered(element)?,
        Some(Pool::Mean) => ensure!(
            element.is_float() || element.is_complex(),
            "",
            "a mean is of floating-point numbers, not of {element}"
        ),
        _ => {}
    }
    Ok(pool)
}

/// A Tensor needs the attribute `dim`, a TensorArray has none.
fn no_dim(op: Op<'_>) -> Check {
    ensure!(
        op.attribute("dim").is_none(),
        "",
        "of a TensorArray has no 'dim'"
    );
    Ok(())
}

/// `gather`, `gather_max`, ….
pub(crate) fn gather(op: Op<'_>) -> Check<Inferred> {
    match any(op, 0)? {
        ValueType::Shape(_) => undefined(op, 0),
        ValueType::Array { element, max } => {
            no_dim(op)?;
            let n = indices(op, 1)?;
            inside(op, 1, Dim::Bounded(max))?;
            if attrs::pool(op).is_ok_and(|pool| pool.is_none()) {
                let Some(most) = n.bound() else {
                    return violation(
                        "",
                        "gives an array, whose greatest length is not known: operand #1 has a number of indices without a bound",
                    );
                };
                return gives(array_type(*element, most)?);
            }
            let (own, shape, _) = primary(op, 0)?;
            pool(op, &own)?;
            gives(tensor_type(own, &shape))
        }
        _ => {
            let (element, shape) = tensor(op, 0)?;
            let selected = selected(op, &shape, 1)?;
            let sizes = match pool(op, &element)? {
                None => selected,
                Some(_) => without(&selected, along(op)),
            };
            gives(tensor_type(element, &sizes))
        }
    }
}

/// The number of indices in operand `i`, which is a vector.
fn vector(op: Op<'_>, i: usize) -> Check<Dim> {
    match any(op, i)? {
        ValueType::Tensor(_) => indices(op, i),
        _ => undefined(op, i),
    }
}

/// Returns the dimension along which the selected slices of a Tensor are beside each other: `dim`,
/// or the first one, where each is at an index of several numbers.
fn along(op: Op<'_>) -> usize {
    op.int("dim")
        .and_then(|d| usize::try_from(d).ok())
        .unwrap_or(0)
}

/// The shape of the slices of a Tensor at the indices in operand `i`: along the dimension `dim`,
/// or, by a matrix with an index in each row, along the first dimensions, as many as an index has
/// numbers.
fn selected(op: Op<'_>, shape: &[Dim], i: usize) -> Check<Vec<Dim>> {
    let rows = match any(op, i)? {
        ValueType::Tensor(ty) if ty.element.is_int() && ty.rank() == 2 => ty,
        _ => {
            let d = dim(op, "dim", shape.len())?;
            let n = vector(op, i)?;
            inside(op, i, shape[d])?;
            return Ok(replaced(shape, d, n));
        }
    };
    ensure!(
        op.attribute("dim").is_none(),
        "",
        "at indices of several numbers has no 'dim'"
    );
    let steps = rows.dims[1]
        .fixed()
        .and_then(|steps| usize::try_from(steps).ok());
    let Some(steps) = steps.filter(|steps| (1..=shape.len()).contains(steps)) else {
        return violation(
            "",
            format!(
                "operand #{i} must have an index of at most {} numbers in each row, is {rows}",
                shape.len()
            ),
        );
    };
    for (k, index) in constants(op.operand(i))
        .unwrap_or_default()
        .into_iter()
        .enumerate()
    {
        in_range(index, shape[k % steps], &format!("(operand #{i})"))?;
    }
    Ok([&rows.dims[..1], &shape[steps..]].concat())
}

/// `scatter`, `scatter_max`, ….
pub(crate) fn scatter(op: Op<'_>) -> Check<Inferred> {
    match any(op, 0)? {
        ValueType::Shape(_) => return undefined(op, 0),
        ValueType::Array { max, .. } => {
            no_dim(op)?;
            let (element, shape, _) = primary(op, 0)?;
            let (own, sizes, _) = primary(op, 1)?;
            ensure!(
                own == element && shapes_agree(&sizes, &shape),
                "",
                "the elements of operand #1 must be those of operand #0, {}, are {}",
                tensor_type(element, &shape),
                tensor_type(own, &sizes)
            );
            indices(op, 2)?;
            inside(op, 2, Dim::Bounded(max))?;
            pool(op, &element)?;
        }
        _ => {
            let (element, shape) = tensor(op, 0)?;
            let wanted = tensor_type(element.clone(), &selected(op, &shape, 2)?);
            let updates = any(op, 1)?;
            ensure!(
                types_agree(&updates, &wanted),
                "",
                "operand #1 must be of the type {wanted}, is {updates}"
            );
            pool(op, &element)?;
        }
    }
    gives(any(op, 0)?)
}

/// `embedding(X, Y, dim)`: a slice in the place of each index, of a vector or of an array.
pub(crate) fn embedding(op: Op<'_>) -> Check<Inferred> {
    let (element, shape) = tensor(op, 1)?;
    let d = dim(op, "dim", shape.len())?;
    let mut sizes = without(&shape, d);
    if let ty @ ValueType::Array { .. } = any(op, 0)? {
        return match embedded(&ty, &tensor_type(element, &sizes)) {
            Some(ty) => gives(ty),
            None => violation("", format!("operand #0 must hold indices, is {ty}")),
        };
    }
    let n = vector(op, 0)?;
    inside(op, 0, shape[d])?;
    sizes.insert(0, n);
    gives(tensor_type(element, &sizes))
}

/// The array with another leaf in the place of each index.
fn embedded(ty: &ValueType, slice: &ValueType) -> Option<ValueType> {
    match ty {
        ValueType::Array { element, max } => Some(ValueType::Array {
            element: Box::new(embedded(element, slice)?),
            max: *max,
        }),
        ValueType::Tensor(ty) => (ty.element.is_int() && ty.rank() == 0).then(|| slice.clone()),
        _ => None,
    }
}

/// `slice(X, start, stride, end, dim[, keep_dim])`.
pub(crate) fn slice(op: Op<'_>) -> Check<Inferred> {
    let (element, shape) = tensor(op, 0)?;
    let d = dim(op, "dim", shape.len())?;
    let at_run_time = op.num_operands() > 1;
    let count = match op.ints("range").as_deref() {
        Some([start, stride, end]) if !at_run_time => {
            ensure!(*stride > 0, "", "the stride {stride} is not positive");
            let size = shape[d].bound();
            ensure!(
                0 <= *start && start <= end && *end <= size.unwrap_or(i64::MAX),
                "",
                "the range [{start}, {end}) is not in [0, {}), the indices of dimension {d}",
                number(size)
            );
            (end - start).div_euclid(*stride) + i64::from((end - start) % stride != 0)
        }
        None if at_run_time => {
            inside(op, 1, shape[d])?;
            ensure!(
                op.boolean("keep_dim").is_some(),
                "",
                "at one index needs 'keep_dim'"
            );
            ensure!(
                shape[d].bound() != Some(0),
                "",
                "has no index along dimension {d}, which is empty"
            );
            1
        }
        _ => {
            return violation(
                "",
                "needs either a range [start : stride : end], or one index",
            );
        }
    };
    let sizes = match op.boolean("keep_dim") {
        None => replaced(&shape, d, Dim::Static(count)),
        Some(keep) => {
            ensure!(
                count == 1,
                "",
                "with 'keep_dim' takes one index, not {count}"
            );
            if keep {
                replaced(&shape, d, Dim::Static(1))
            } else {
                without(&shape, d)
            }
        }
    };
    gives(tensor_type(element, &sizes))
}

/// `transpose`.
pub(crate) fn transpose(op: Op<'_>) -> Check<Inferred> {
    let (element, shape) = tensor(op, 0)?;
    let permutation = required_ints(op, "permutation")?;
    let mut sorted = permutation.clone();
    sorted.sort_unstable();
    ensure!(
        sorted == (0..shape.len() as i64).collect::<Vec<_>>(),
        "",
        "{permutation:?} is no permutation of {} dimensions",
        shape.len()
    );
    let sizes: Vec<Dim> = permutation.iter().map(|d| shape[*d as usize]).collect();
    gives(tensor_type(element, &sizes))
}

/// `reshape`, one size of which may follow from the others. Several may be left open where they are
/// the sizes that are known at run time only, in their order.
pub(crate) fn reshape(op: Op<'_>) -> Check<Inferred> {
    let (element, shape) = tensor(op, 0)?;
    let sizes = required_ints(op, "shape")?;
    ensure!(
        sizes.iter().all(|size| *size >= -1),
        "",
        "to {sizes:?}: a size that is not left open, as -1, must not be negative"
    );
    let (open, given): (Vec<i64>, Vec<i64>) = sizes.iter().partition(|size| **size == -1);
    let (known, varying): (Vec<Dim>, Vec<Dim>) =
        shape.iter().partition(|size| size.fixed().is_some());
    let product = |sizes: &[i64]| {
        sizes
            .iter()
            .try_fold(1i64, |all, size| all.checked_mul(*size))
    };
    let others = product(&given);
    let known: Vec<i64> = known.iter().filter_map(|size| size.fixed()).collect();
    let wrong = |why: &str| violation("", format!("to {sizes:?} of {}: {why}", shape_text(&shape)));
    let mut filled = match open.len() {
        n if n == varying.len() && product(&known).is_some() && product(&known) == others => varying,
        0 if varying.is_empty() => return wrong("changes the number of elements"),
        1 if others.is_some_and(|others| others > 0) => {
            let by = others.unwrap_or(1);
            if varying.is_empty() && product(&known).is_none_or(|all| all % by != 0) {
                return wrong("the size -1 does not follow");
            }
            vec![computed(&shape, |sizes| Some(product(sizes)? / by))?]
        }
        _ => {
            return wrong(
                "one size must be -1, or as many as are known at run time only while the others have as many elements as before",
            );
        }
    }
    .into_iter();
    let sizes: Vec<Dim> = (sizes.iter())
        .map(|size| match size {
            -1 => filled.next().unwrap_or(Dim::Dynamic),
            size => Dim::Static(*size),
        })
        .collect();
    gives(tensor_type(element, &sizes))
}

/// `squeeze`.
pub(crate) fn squeeze(op: Op<'_>) -> Check<Inferred> {
    let (element, shape) = tensor(op, 0)?;
    let d = dim(op, "dim", shape.len())?;
    ensure!(
        shape[d] == Dim::Static(1),
        "",
        "dimension {d} has the size {}, not 1",
        size_text(shape[d])
    );
    gives(tensor_type(element, &without(&shape, d)))
}

/// `unsqueeze`.
pub(crate) fn unsqueeze(op: Op<'_>) -> Check<Inferred> {
    let (element, mut shape) = tensor(op, 0)?;
    let d = dim(op, "dim", shape.len() + 1)?;
    shape.insert(d, Dim::Static(1));
    gives(tensor_type(element, &shape))
}
