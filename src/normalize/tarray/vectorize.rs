//! A function of elements, applied to those of arrays: a loop over them whose body calls it.

use mapwright_mlir::{
    Builder, Dim, Op, TensorType, Ty, UNBOUNDED, Val, ValueType, edit, melior::ir::ValueLike, op,
};
use mapwright_ops::{
    Taken,
    typing::{find_function, signature},
};

/// Every `vectorize` of arrays in a function as a loop.
pub(super) fn as_loops(function: Op<'_>) {
    for op in function.descendants() {
        if op.name() == "tarray.vectorize" {
            as_loop(op);
        }
    }
}

/// Turns one `vectorize` into a loop; one that is not well-formed or goes through Tensors stays as
/// it is.
fn as_loop<'c>(op: Op<'c>) -> Option<()> {
    let taken: Vec<Taken> = Taken::all(op)?.into_iter().collect::<Option<_>>()?;
    let is_array = |taken: &Taken| matches!(taken, Taken::Element | Taken::List);
    if !taken.iter().any(is_array) {
        return None;
    }
    let callee = op.attribute("callee")?;
    let (_, gives) = signature(find_function(op, &op.symbol("callee")?)?)?;
    let b = Builder::before(op.context(), op)?;
    b.set_location(op.location());
    let typed = |ty: &ValueType| b.parse_type(&ty.to_string());
    let element = |ty: &ValueType| match ty {
        ValueType::Array { element, .. } => typed(element),
        other => typed(other),
    };
    let (mut xs, mut types) = (Vec::new(), Vec::new());
    for (k, taken) in taken.iter().enumerate() {
        if is_array(taken) {
            xs.push(op.operand(k));
            types.push(element(&op.operand_type(k)));
        }
    }
    let results: Vec<ValueType> = (0..op.num_results()).map(|k| op.result_type(k)).collect();
    let body = b.region(&types, |b, elements| {
        let mut arguments = op.operands();
        let gone_through = (arguments.iter_mut().zip(&taken)).filter(|(_, taken)| is_array(taken));
        for ((argument, taken), element) in gone_through.zip(elements) {
            *argument = match taken {
                Taken::List => stacked(b, *element),
                _ => *element,
            };
        }
        let call = [("callee", callee)];
        let types: Vec<Ty<'c>> = gives.iter().map(typed).collect();
        let given = b.op("func.call", &arguments, &types, &call).results();
        let given = given.into_iter().zip(results.iter().zip(&gives));
        let given = given.map(|(value, (result, ty))| match result {
            ValueType::Array { element, .. } if **element != *ty => {
                slices(b, value, element, typed(element))
            }
            _ => value,
        });
        let given: Vec<Val<'c>> = given.collect();
        b.op("tarray.yield", &given, &[], &[]);
    });
    let segments = b.parse_attr(&format!("array<i32: {}, 0>", xs.len()));
    let named = [("operandSegmentSizes", segments)];
    let types: Vec<Ty<'c>> = results.iter().map(typed).collect();
    let made = b.op_with_regions("tarray.parallel_foreach", &xs, &types, &named, vec![body]);
    for (old, new) in op.results().into_iter().zip(made.results()) {
        op::replace_all_uses(old, new);
    }
    edit::erase_unused(op);
    Some(())
}

/// The elements of a list along the first dimension of a Tensor.
fn stacked<'c>(b: &Builder<'c>, list: Val<'c>) -> Val<'c> {
    let own = ValueType::from_mlir(list.r#type());
    let leaf = match &own {
        ValueType::Array { element, .. } => element.tensor(),
        _ => None,
    };
    let ty = match leaf {
        Some(leaf) => b.parse_type(
            &TensorType {
                element: leaf.element.clone(),
                dims: [&[Dim::Dynamic], &leaf.dims[..]].concat(),
            }
            .to_string(),
        ),
        None => list.r#type(),
    };
    b.op1("tarray.stack", &[list], ty, &[("dim", b.i64_attr(0))])
}

/// The slices of a Tensor along its first dimension, as a list of this type.
fn slices<'c>(b: &Builder<'c>, value: Val<'c>, list: &ValueType, ty: Ty<'c>) -> Val<'c> {
    let mut named = vec![("dim", b.i64_attr(0))];
    if let ValueType::Array { max, .. } = list
        && *max != UNBOUNDED
    {
        named.push(("max", b.i64_attr(*max)));
    }
    b.op1("tarray.slices", &[value], ty, &named)
}
