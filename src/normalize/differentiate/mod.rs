//! Reverse-mode differentiation: the vector-Jacobian product of a function.
//!
//! Of a function `f` a function `f_vjp` is made, which takes what `f` takes and a cotangent for
//! each result, and gives the cotangents of chosen arguments. The operations of `f` are computed
//! first; then their adjoints, from the last to the first. The product of a cotangent and a tangent
//! is the real part of the sum of the products of their elements, without a conjugate.
//!
//! - [`calls`]: calls are expanded before;
//! - [`active`]: what depends on the arguments; [`reverse`]: the walk over it; [`adjoint`]: which
//!   rule an operation has;
//! - [`movement`]: what moves, repeats or puts together elements;
//! - [`elementwise`], [`complex`], [`inner`]: by derivatives; [`masks`]: what selections leave out
//!   has none; [`one_variable`]: piecewise functions, and [`error_functions`] among them;
//! - [`product`], [`convolution`], [`window`]: products and windows, by the relation of their
//!   indices solved for another of them;
//! - [`reduction`], [`extremes`]: reductions and windows of sums, products and extremes;
//! - [`shift`]: extremes that cancel in the end;
//! - [`unrolled`]: reductions that are loops of any body;
//! - [`places`], [`scatter`], [`ordering`]: elements whose places are known at run time;
//! - [`control`], [`trips`], [`branches`], [`residuals`]: loops and branches, and what is kept of
//!   them; [`disjoint_slices`]: rows of tensors that iterations take by turns;
//! - [`linalg`], [`systems`], [`factors`], [`orthogonal`], [`fourier`]: closed formulas;
//! - [`arrays`]: functions of arrays;
//! - [`sizes`], [`window_of_sizes`]: sizes that are known at run time only, and windows of such.

mod active;
mod adjoint;
mod arrays;
mod branches;
mod calls;
mod complex;
mod control;
mod convolution;
mod disjoint_slices;
mod elementwise;
mod error_functions;
mod extremes;
mod factors;
mod fourier;
mod inner;
mod linalg;
mod make;
mod masks;
mod movement;
mod one_variable;
mod ordering;
mod orthogonal;
mod places;
mod product;
mod reduction;
mod residuals;
mod reverse;
mod scatter;
mod shift;
mod sizes;
mod systems;
mod trips;
mod unrolled;
mod window;
mod window_of_sizes;
mod windows;

use crate::{
    canonical, chlo, frontend, lapack, logistic, mhlo,
    rewrite::{Result, fail},
    tarray::{self, make::Make},
};
use mapwright_mlir::{
    Builder, ElementType, Op, TensorType, Val, ValueType, edit, melior::ir::ValueLike, op,
};
use mapwright_ops::typing::signature;
use reverse::Reverse;
use std::collections::HashMap;

/// Residuals: values of the iterations of a loop that its adjoint needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Residuals {
    /// Every value that the adjoint reads, unless it costs nothing to compute.
    #[default]
    Values,
    /// The carried values alone: the others are computed once more.
    States,
}

/// Adds `{of}_vjp` to `module`. `wrt` has the numbers of the arguments whose cotangents it gives.
///
/// An array counts as one argument, and its cotangent is an array of the same lengths; of a
/// function that takes or gives a TensorShape, too, it is that of its buffer, as operations on
/// arrays are rewritten first.
///
/// # Errors
/// A function or an argument that is not there, and operations that have no rule, at their place.
pub fn differentiate<'c>(
    module: Op<'c>,
    of: &str,
    wrt: &[i64],
    residuals: Residuals,
) -> Result<'c> {
    let border = function_named(module, of).and_then(signature);
    let arrays = border.filter(|(takes, gives)| {
        let mut all = takes.iter().chain(gives);
        let is_array = |ty: &ValueType| matches!(ty, ValueType::Array { .. });
        let is_shape = |ty: &ValueType| matches!(ty, ValueType::Shape(_));
        all.clone().any(is_array) && !all.any(is_shape)
    });
    let written = arrays.map(|border| (edit::clone_module(module), border));
    of_tensors(module, of, wrt, residuals)?;
    if let Some((written, border)) = written {
        arrays::in_arrays(module, Op::new(written.as_operation()), of, wrt, border)?;
        edit::replace_contents(module, &written);
    }
    Ok(())
}

/// The function of that name.
fn function_named<'c>(module: Op<'c>, name: &str) -> Option<Op<'c>> {
    let functions = module.body(0).map(op::ops).unwrap_or_default();
    let mut functions = functions.into_iter().filter(|op| op.name() == "func.func");
    functions.find(|op| op.string("sym_name").as_deref() == Some(name))
}

/// [`differentiate`] after the operations on tensor arrays were rewritten, arrays at borders, too:
/// the cotangent of one is that of its buffer.
fn of_tensors<'c>(module: Op<'c>, of: &str, wrt: &[i64], residuals: Residuals) -> Result<'c> {
    let named = || function_named(module, of);
    // Where the tensors of each argument begin, as it was written.
    let written = named().and_then(signature).unwrap_or_default().0;
    let begins = written.iter().scan(0, |next, ty| {
        *next += tarray::parts_at_border(ty);
        Some(*next - tarray::parts_at_border(ty))
    });
    let begins: Vec<usize> = begins.collect();
    // Arrays lie in tensors whose sizes are known.
    let padded = tarray::Options {
        packing: tarray::Packing::Fixed,
        ..tarray::Options::default()
    };
    tarray::legalize_with(module, padded)?;
    frontend::legalize_others(module)?;
    mhlo::convert(module, mhlo::Direction::ToStablehlo)?;
    lapack::legalize(module)?;
    if logistic::recognize(module) > 0
        && let Some(block) = module.body(0)
    {
        canonical::remove_unused_inside(block);
    }
    chlo::legalize(module, elementwise::OF_CHLO)?;
    let Some(function) = named() else {
        return fail(module, format!("has no function @{of}"));
    };
    let Some(block) = function.body(0) else {
        return fail(function, "has no body");
    };
    let mut chosen = Vec::new();
    for number in wrt {
        let begin = usize::try_from(*number).ok().and_then(|i| begins.get(i));
        match begin.copied() {
            Some(i) if number_of(op::arguments(block)[i]).is_some() => chosen.push(i),
            Some(_) => {
                return fail(
                    function,
                    format!("argument {number} is no tensor of floating-point numbers"),
                );
            }
            None => return fail(function, format!("has no argument {number}")),
        }
    }
    let Some(b) = Builder::before(module.context(), function) else {
        return fail(function, "is not inside a module");
    };
    let mut inputs: Vec<_> = op::arguments(block).iter().map(|v| v.r#type()).collect();
    let outputs: Vec<_> = chosen.iter().map(|i| inputs[*i]).collect();
    // Only results of floating-point numbers have cotangents.
    let end = op::ops(block).last().copied();
    let results = end.map(|end| end.operands()).unwrap_or_default();
    let floats: Vec<usize> = (0..results.len())
        .filter(|i| number_of(results[*i]).is_some())
        .collect();
    inputs.extend(floats.iter().map(|i| results[*i].r#type()));
    let region = b.region(&inputs, |b, arguments| {
        let mut new: HashMap<usize, Val<'c>> = HashMap::new();
        for (old, value) in op::arguments(block).into_iter().zip(arguments) {
            new.insert(op::key(old), *value);
        }
        calls::copy(block, &mut new, &|copy| edit::append(b.block(), copy));
    });
    let made = b.op_with_regions(
        "func.func",
        &[],
        &[],
        &[
            ("sym_name", b.str_attr(&format!("{of}_vjp"))),
            (
                "function_type",
                b.type_attr(b.function_type(&inputs, &outputs)),
            ),
        ],
        vec![region],
    );
    calls::expand(made)?;
    let Some(body) = made.body(0) else {
        return fail(function, "has no body");
    };
    let parameters = op::arguments(body);
    let wrt: Vec<Val<'c>> = chosen.iter().map(|i| parameters[*i]).collect();
    let m = Make::new(Builder::new(module.context(), body, function.location()));
    sizes::learn(&m, body);
    let reverse = Reverse::new(m, adjoint::of_operation, residuals);
    reverse.prepare(body, &wrt)?;
    let mut ops = op::ops(body);
    let Some(end) = ops.pop() else {
        return fail(function, "has an empty body");
    };
    let computed = end.operands();
    edit::erase_unused(end);
    let seeds = floats.iter().map(|i| computed[*i]);
    let seeds: Vec<_> = seeds
        .zip(parameters[op::arguments(block).len()..].iter().copied())
        .collect();
    // A cotangent has the sizes of its result.
    for (result, seed) in &seeds {
        reverse.m.sized(*seed, &reverse.m.type_of(*result).1);
    }
    reverse.function(&ops, seeds, &wrt)?;
    // Bounds of sizes are those of arguments alone.
    let given = reverse::yields(body);
    let given: Vec<_> = given.iter().map(|value| value.r#type()).collect();
    if given != outputs {
        let ty = Builder::new(module.context(), body, function.location());
        made.set_attribute(
            "function_type",
            ty.type_attr(ty.function_type(&inputs, &given)),
        );
    }
    // What results were made of is of no use where no cotangent needs it.
    canonical::remove_unused(body);
    Ok(())
}

/// The type of a tensor of floating-point numbers, real or complex.
fn number_of(value: Val<'_>) -> Option<TensorType> {
    TensorType::from_mlir(value.r#type()).filter(|ty| is_number(&ty.element))
}

/// Tells whether values of a type have derivatives.
fn is_number(element: &ElementType) -> bool {
    element.is_float() || matches!(element, ElementType::Complex(_))
}
