//! Operations with a body.

use super::{arrays::declared, *};
use crate::attrs;

/// A loop, checked as far as all loops are alike.
struct Loop {
    /// Types of what is gone through.
    xs: Vec<ValueType>,
    /// Types of what the body gets as a whole.
    inits: Vec<ValueType>,
    /// Types of what the body gives.
    yields: Vec<ValueType>,
}

/// Reads a loop; `elements` says what the body gets for an operand that is gone through, `whole`
/// for one that it gets as a whole.
fn read(
    op: Op<'_>,
    elements: impl Fn(usize, &ValueType) -> Check<ValueType>,
    whole: impl Fn(&ValueType) -> ValueType,
) -> Check<Loop> {
    let segments = op.ints("operandSegmentSizes").unwrap_or_default();
    let n = match segments.as_slice() {
        [xs, inits] if xs + inits == op.num_operands() as i64 && *xs >= 0 && *inits >= 0 => {
            *xs as usize
        }
        _ => return violation("", "needs to say which operands are gone through"),
    };
    ensure!(n > 0, "", "needs something to go through");
    let types: Vec<ValueType> = (0..op.num_operands()).map(|i| op.operand_type(i)).collect();
    let (xs, inits) = types.split_at(n);
    let mut wanted = Vec::new();
    for (i, ty) in xs.iter().enumerate() {
        wanted.push(elements(i, ty)?);
    }
    wanted.extend(inits.iter().map(whole));
    let signature = region(op, 0)?;
    ensure!(
        signature.arguments == wanted,
        "",
        "its body must take {}, takes {}",
        list(&wanted),
        list(&signature.arguments)
    );
    let end = op
        .body(0)
        .and_then(|block| mapwright_mlir::op::ops(block).last().copied());
    ensure!(
        end.is_some_and(|end| end.name() == "tarray.yield"),
        "",
        "its body must end in tarray.yield"
    );
    Ok(Loop {
        xs: xs.to_vec(),
        inits: inits.to_vec(),
        yields: signature.results,
    })
}

impl Loop {
    /// Checks that the loop goes through `xs` operands and takes `inits` as a whole.
    fn takes(&self, xs: usize, inits: usize) -> Check {
        ensure!(
            self.xs.len() == xs && self.inits.len() == inits,
            "",
            "takes {xs} operands that are gone through and {inits} as a whole, has {} and {}",
            self.xs.len(),
            self.inits.len()
        );
        Ok(())
    }

    /// The body gives so many values.
    fn gives(&self, n: usize) -> Check {
        ensure!(
            self.yields.len() == n,
            "",
            "its body must give {n} values, gives {}",
            self.yields.len()
        );
        Ok(())
    }

    /// Returns what the body gives before the values that are carried along, and checks that these
    /// have the types of the initial ones.
    fn outputs(&self) -> Check<&[ValueType]> {
        let n = self.inits.len();
        ensure!(
            self.yields.len() >= n,
            "",
            "its body must give the next of {n} values, gives {}",
            self.yields.len()
        );
        let (outputs, carried) = self.yields.split_at(self.yields.len() - n);
        ensure!(
            carried == self.inits,
            "",
            "its body must carry on {}, gives {}",
            list(&self.inits),
            list(carried)
        );
        Ok(outputs)
    }

    /// Returns the number of rounds, as far as it is known: for arrays, a bound.
    fn rounds(&self) -> Dim {
        let one = |ty: &ValueType| match ty {
            ValueType::Array { max, .. } => Dim::of_level(*max),
            ValueType::Shape(rank) => Dim::Static(*rank as i64),
            ValueType::Tensor(ty) => ty.dims.first().copied().unwrap_or(Dim::Static(0)),
            _ => Dim::Static(0),
        };
        let all = self.xs.iter().map(one);
        let least = all.reduce(|a, b| match (a.bound(), b.bound()) {
            (Some(x), Some(y)) if x <= y => a,
            (Some(_), None) => a,
            _ => b,
        });
        least.unwrap_or(Dim::Static(0))
    }

    /// The array of an element for each round.
    fn listed(&self, element: ValueType) -> Check<ValueType> {
        array_type(element, most(self.rounds(), None))
    }
}

/// The elements of a TensorArray, or the slices of a Tensor along its first dimension.
fn slices(op: Op<'_>, i: usize, ty: &ValueType) -> Check<ValueType> {
    match ty {
        ValueType::Array { element, .. } => Ok((**element).clone()),
        ValueType::Tensor(_) => {
            let (element, shape) = tensor(op, i)?;
            ensure!(
                !shape.is_empty(),
                "",
                "operand #{i} has no dimension to go along"
            );
            Ok(part_type(element, &shape[1..]))
        }
        _ => undefined(op, i),
    }
}

/// Several operands that are gone through together are all of them tensors of one size, or all of
/// them arrays.
fn alike(read: &Loop) -> Check {
    let tensors = read.xs.iter().filter_map(ValueType::tensor);
    let sizes: Vec<_> = tensors.map(|ty| ty.dims.first().copied()).collect();
    ensure!(
        sizes.is_empty()
            || (sizes.len() == read.xs.len() && sizes.iter().all(|size| *size == sizes[0])),
        "",
        "goes through Tensors of one size, or through TensorArrays, not through {}",
        list(&read.xs)
    );
    Ok(())
}

/// `foreach`: a loop in order over arrays and shapes.
pub(crate) fn foreach(op: Op<'_>) -> Check<Inferred> {
    let elements = |i: usize, ty: &ValueType| match ty {
        ValueType::Array { element, .. } => Ok((**element).clone()),
        ValueType::Shape(_) => Ok(number_type()),
        _ => undefined(op, i),
    };
    let read = read(op, elements, Clone::clone)?;
    let mut types = read
        .outputs()?
        .iter()
        .map(|ty| read.listed(ty.clone()))
        .collect::<Check<Vec<_>>>()?;
    types.extend(read.inits.iter().cloned());
    Ok(Some(types))
}

/// `parallel_foreach`: elements of arrays, or scalars of tensors, in any order.
pub(crate) fn parallel_foreach(op: Op<'_>) -> Check<Inferred> {
    let elements = |i: usize, ty: &ValueType| match ty {
        ValueType::Array { element, .. } => Ok((**element).clone()),
        ValueType::Tensor(_) => Ok(tensor_type(tensor(op, i)?.0, &[])),
        _ => undefined(op, i),
    };
    let read = read(op, elements, Clone::clone)?;
    let outputs = read.outputs()?;
    for (i, init) in read.inits.iter().enumerate() {
        if init.tensor().is_none() {
            return undefined(op, read.xs.len() + i);
        }
    }
    let tensors: Vec<&TensorType> = read.xs.iter().filter_map(ValueType::tensor).collect();
    let mut types = match tensors.first() {
        None => outputs
            .iter()
            .map(|ty| read.listed(ty.clone()))
            .collect::<Check<Vec<_>>>()?,
        Some(first) => {
            ensure!(
                tensors.len() == read.xs.len() && tensors.iter().all(|ty| ty.dims == first.dims),
                "",
                "goes through Tensors of one shape, or through TensorArrays, not through {}",
                list(&read.xs)
            );
            let mut types = Vec::new();
            for output in outputs {
                let scalar = output.tensor().filter(|ty| ty.rank() == 0);
                let Some(scalar) = scalar else {
                    return violation(
                        "",
                        format!(
                            "of a Tensor is element-wise: its body must give scalars, gives {output}"
                        ),
                    );
                };
                types.push(ValueType::Tensor(TensorType {
                    element: scalar.element.clone(),
                    dims: first.dims.clone(),
                }));
            }
            types
        }
    };
    types.extend(read.inits.iter().cloned());
    let rounds = match tensors.first() {
        Some(ty) => ty.num_elements(),
        None => read.rounds().bound(),
    };
    if !read.inits.is_empty()
        && let Some(why) = legality::conflict(op, read.xs.len(), rounds)
    {
        return violation("", why);
    }
    Ok(Some(types))
}

/// `scan`: the values of a fold at every element.
pub(crate) fn scan(op: Op<'_>) -> Check<Inferred> {
    let read = read(op, |i, ty| slices(op, i, ty), Clone::clone)?;
    alike(&read)?;
    match attrs::order(op) {
        Ok(Some(_)) => {}
        Ok(None) => return violation("", "needs an order, forward or backward"),
        Err(error) => return violation("", error.to_string()),
    }
    read.gives(read.inits.len())?;
    read.outputs()?;
    read.yields
        .iter()
        .map(|ty| match &read.xs[0] {
            ValueType::Tensor(_) => stacked(ty, read.rounds()),
            _ => read.listed(ty.clone()),
        })
        .collect::<Check<Vec<_>>>()
        .map(Some)
}

/// The tensors of so many tensors of this type.
fn stacked(ty: &ValueType, n: Dim) -> Check<ValueType> {
    match ty {
        ValueType::Tensor(ty) => {
            let sizes: Vec<Dim> = [n].iter().chain(&ty.dims).copied().collect();
            Ok(tensor_type(ty.element.clone(), &sizes))
        }
        other => violation(
            "",
            format!(
                "of a Tensor gives Tensors, but its body gives a {}",
                kind(other)
            ),
        ),
    }
}

/// `reduce`: an associative body of two elements.
pub(crate) fn reduce(op: Op<'_>) -> Check<Inferred> {
    let read = read(op, |i, ty| slices(op, i, ty), Clone::clone)?;
    read.takes(1, 1)?;
    read.gives(1)?;
    read.outputs()?;
    let element = slices(op, 0, &read.xs[0])?;
    ensure!(
        read.inits[0] == element,
        "",
        "puts elements together to one of their type, {element}, not to {}",
        read.inits[0]
    );
    gives(element)
}

/// `fold`: values that are carried along.
pub(crate) fn fold(op: Op<'_>) -> Check<Inferred> {
    let read = read(op, |i, ty| slices(op, i, ty), Clone::clone)?;
    alike(&read)?;
    ensure!(!read.inits.is_empty(), "", "needs an initial value");
    read.gives(read.inits.len())?;
    read.outputs()?;
    Ok(Some(read.inits))
}

/// `filter`: the elements for which the body is true.
pub(crate) fn filter(op: Op<'_>) -> Check<Inferred> {
    let read = read(op, |i, ty| slices(op, i, ty), Clone::clone)?;
    read.takes(1, 0)?;
    condition(&read, 1)?;
    let rounds = read.rounds();
    let declared = match &read.xs[0] {
        ValueType::Tensor(_) => declared(op, rounds, 0)?,
        _ => {
            ensure!(
                op.attribute("max").is_none(),
                "",
                "of a TensorArray has no 'max'"
            );
            None
        }
    };
    gives(array_type(
        slices(op, 0, &read.xs[0])?,
        most(rounds, declared),
    )?)
}

/// The first of at least `n` values is a condition.
fn condition(read: &Loop, n: usize) -> Check {
    let truth = tensor_type(ElementType::Bool, &[]);
    ensure!(
        read.yields.len() >= n && read.yields[0] == truth,
        "",
        "its body must give a {truth} first, gives {}",
        list(&read.yields)
    );
    Ok(())
}

/// The dimensions of X that those of Y belong to.
fn broadcast_dims(op: Op<'_>, x: &[Dim], y: &[Dim]) -> Check<Vec<i64>> {
    let dims = match op.ints("dims") {
        Some(dims) => dims,
        None => (x.len().saturating_sub(y.len())..x.len())
            .map(|d| d as i64)
            .collect(),
    };
    let increasing = dims.windows(2).all(|pair| pair[0] < pair[1]);
    let known = dims.iter().all(|d| (0..x.len() as i64).contains(d));
    ensure!(
        dims.len() == y.len() && increasing && known,
        "",
        "the dimensions of {} are not {dims:?} of {}",
        shape_text(y),
        shape_text(x)
    );
    for (size, d) in y.iter().zip(&dims) {
        ensure!(
            *size == Dim::Static(1) || sizes_agree(*size, x[*d as usize]),
            "",
            "{} does not fit the dimensions {dims:?} of {}",
            shape_text(y),
            shape_text(x)
        );
    }
    Ok(dims)
}

/// `broadcast(f, X, Y)`.
pub(crate) fn broadcast(op: Op<'_>) -> Check<Inferred> {
    let elements = |i: usize, ty: &ValueType| match ty {
        ValueType::Array { element, .. } => Ok((**element).clone()),
        ValueType::Tensor(_) => Ok(tensor_type(tensor(op, i)?.0, &[])),
        _ => undefined(op, i),
    };
    let of_tensor = op.num_operands() > 0 && op.operand_type(0).tensor().is_some();
    let whole = |ty: &ValueType| match ty {
        ValueType::Tensor(ty) if of_tensor => tensor_type(ty.element.clone(), &[]),
        other => other.clone(),
    };
    let read = read(op, elements, whole)?;
    read.takes(1, 1)?;
    read.gives(1)?;
    let (_, smaller) = tensor(op, 1)?;
    if !of_tensor {
        ensure!(
            op.attribute("dims").is_none(),
            "",
            "of a TensorArray has no 'dims'"
        );
        return gives(read.listed(read.yields[0].clone())?);
    }
    let (_, bigger) = tensor(op, 0)?;
    broadcast_dims(op, &bigger, &smaller)?;
    match &read.yields[0] {
        ValueType::Tensor(ty) if ty.rank() == 0 => gives(tensor_type(ty.element.clone(), &bigger)),
        other => violation(
            "",
            format!("of a Tensor is element-wise: its body must give a scalar, gives {other}"),
        ),
    }
}

/// `apply_along_axis`: `S(Y) = replace(S(X), dim, S(f))`.
pub(crate) fn apply_along_axis(op: Op<'_>) -> Check<Inferred> {
    let elements = |i: usize, _: &ValueType| {
        let (element, shape) = tensor(op, i)?;
        let d = dim(op, "dim", shape.len())?;
        Ok(part_type(element, &[shape[d]]))
    };
    let read = read(op, elements, Clone::clone)?;
    read.takes(1, 0)?;
    read.gives(1)?;
    let (_, shape) = tensor(op, 0)?;
    let d = dim(op, "dim", shape.len())?;
    match &read.yields[0] {
        ValueType::Tensor(ty) if ty.rank() == 1 => {
            let sizes = replaced(&shape, d, ty.dims[0]);
            gives(tensor_type(ty.element.clone(), &sizes))
        }
        other => violation("", format!("its body must give a vector, gives {other}")),
    }
}

/// `sortby`: a key for each element.
pub(crate) fn sortby(op: Op<'_>) -> Check<Inferred> {
    let read = read(op, |i, ty| slices(op, i, ty), Clone::clone)?;
    read.takes(1, 0)?;
    read.gives(1)?;
    match &read.yields[0] {
        ValueType::Tensor(ty) if ty.rank() == 0 && !ty.element.is_complex() => {
            gives(read.xs[0].clone())
        }
        other => violation(
            "",
            format!("its body must give a scalar that has an order, gives {other}"),
        ),
    }
}

/// `build`: elements appended while numbers are counted up.
pub(crate) fn build(op: Op<'_>) -> Check<Inferred> {
    let elements = |i: usize, ty: &ValueType| match ty {
        ty if *ty == number_type() => Ok(ty.clone()),
        ValueType::Tensor(_) => violation(
            "",
            format!(
                "operand #{i} must be a number of rounds, a {}",
                number_type()
            ),
        ),
        _ => undefined(op, i),
    };
    let read = read(op, elements, Clone::clone)?;
    ensure!(
        read.xs.len() == 1,
        "",
        "has one number of rounds, not {}",
        read.xs.len()
    );
    condition(&read, 2)?;
    let outputs = read.outputs()?;
    ensure!(
        outputs.len() == 2,
        "",
        "its body must give a condition, an element and {} values to carry along, gives {}",
        read.inits.len(),
        list(&read.yields)
    );
    let mut types = vec![array_type(outputs[1].clone(), max(op)?)?];
    types.extend(read.inits.iter().cloned());
    Ok(Some(types))
}
