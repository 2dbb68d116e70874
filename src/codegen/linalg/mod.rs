//! StableHLO as `linalg` on tensors, from the maps: `indexing-legalize-to-linalg`.
//!
//! An operation becomes one `linalg.generic` whose loops are the dimensions of its result and the
//! range variables of its maps ([`reads`], [`generic`]). An operand that is read at loops of its
//! own is an operand of it, with the map as its indexing map; any other is read in the body, by
//! `tensor.extract` at an `affine.apply` of the map ([`body`]). What upstream has operations for
//! becomes these: slices ([`slices`]), reshapes, transposes and broadcasts ([`shapes`]), reductions
//! ([`reduction`]), products ([`contraction`]). A `scatter` is a loop ([`scatter`]).
//!
//! A region of several operations becomes one `linalg.generic`, too ([`region`]): the maps of its
//! members are composed and simplified.

mod body;
mod compose;
mod contraction;
mod element;
mod generic;
mod maps;
mod named_convolution;
mod reads;
mod reduction;
mod region;
mod scatter;
mod shapes;
mod slices;
pub mod tiling;

use crate::{
    apply,
    error::Located,
    error::{Result, unsupported},
    host::{self, stages::take_apart},
    in_place::{
        carried, cast, control, is_hlo, quantized,
        sizes::of_results,
        values::{copied, dimension_size, forward},
    },
    index::Ix,
};
use contraction::Product;
use element::{check, tensor};
use generic::{empty_of, indices, pointwise};
use mapwright_indexing::{Expr, d};
use mapwright_mlir::{Blk, Builder, Op, Val, edit, melior::ir::ValueLike, op};
use mapwright_normalize::{canonical, inline};
use mapwright_ops::{
    registry::{self, Class},
    typing::{self, check::merge_shapes},
};
use reads::Reads;
use reduction::{Reduction, replace};

/// Mode of rewriting a module.
#[derive(Clone, Debug, Default)]
pub struct Mode {
    /// Whether an operation without a form in linalg stays, and is no error.
    pub partial: bool,
    /// Regions of several operations become one `linalg.generic`.
    pub fuse: bool,
}

/// Rewrites StableHLO in `module`, which is normalised, and in everything inside.
///
/// # Errors
/// What has no form in linalg; then the module is of no use any more. With `partial` it stays as it
/// is.
pub fn legalize<'c>(module: Op<'c>, mode: &Mode) -> std::result::Result<(), Vec<Located<'c>>> {
    forward(module);
    let mut failures = control::rewrite(module);
    failures.extend(apply::lower(module));
    let named = host::Named::for_module(module);
    mapwright_normalize::legalize::write_out_quantized(module);
    quantized::move_stored(module);
    quantized::fold(module);
    for op in inline::programs(module) {
        if op.is_hlo("get_dimension_size") {
            dimension_size(op);
        }
    }
    if mode.fuse
        && let Some(body) = module.body(0)
    {
        let b = Builder::new(module.context(), body, module.location());
        mapwright_fusion::outline::fuse_block(&b, body, &[]);
    }
    let loops = carried::loops_of_hlo(module);
    inside(module, &mut failures);
    constants(module);
    quantized::fold(module);
    carried::settle(&loops);
    for module in inline::modules(module) {
        if let Some(body) = module.body(0) {
            let b = Builder::new(module.context(), body, module.location());
            host::define_calls(&b, &op::ops(body), None);
            host::declare_calls(&b, &op::ops(body));
        }
    }
    let mistaken = named.mistaken(module);
    if mistaken.is_empty() && (failures.is_empty() || mode.partial) {
        Ok(())
    } else {
        Err([mistaken, failures].concat())
    }
}

/// Rewrites what is in the regions of `op`.
fn inside<'c>(op: Op<'c>, failures: &mut Vec<Located<'c>>) {
    for r in 0..op.num_regions() {
        for block in op::blocks(op.region(r)) {
            of_block(block, failures);
            canonical::remove_unused_inside(block);
        }
    }
}

fn of_block<'c>(block: Blk<'c>, failures: &mut Vec<Located<'c>>) {
    for op in op::ops(block) {
        one(op, failures);
    }
}

fn one<'c>(op: Op<'c>, failures: &mut Vec<Located<'c>>) {
    if op.name() == "indexing.fusion" {
        if region::rewrite(op).is_err() {
            for member in take_apart(op) {
                one(member, failures);
            }
        }
        return;
    }
    if !is_hlo(op) {
        if inline::is_computation(op) {
            return;
        }
        return inside(op, failures);
    }
    if op.is_hlo("constant") {
        return;
    }
    if let Err(why) = rewrite(op) {
        failures.push(Located::new(op, why.0));
    }
}

/// Replaces `op`.
fn rewrite<'c>(op: Op<'c>) -> Result<()> {
    let Some(b) = Builder::before(op.context(), op) else {
        return unsupported("is in no block");
    };
    let class = registry::lookup(op).map(|def| def.class);
    let known = match class {
        None | Some(Class::Other) => crate::scalar::is_elementwise(op),
        Some(Class::Update) => op.short_name() == "scatter",
        Some(_) => true,
    };
    if !known {
        return unsupported("has no form in linalg");
    }
    let late = |value: &Val<'c>| {
        op::defining_op(*value).is_some_and(|(by, _)| by == op || op::is_before(op, by))
    };
    if op.operands().iter().any(late) {
        return unsupported("uses a value that comes after it");
    }
    for value in op.operands().into_iter().chain(op.results()) {
        check(value)?;
    }
    let padding = match op.short_name() {
        "reduce_window" => reduction::without_padding(&b, op)?,
        "convolution" => contraction::without_padding(&b, op)?,
        _ => Vec::new(),
    };
    for pad in padding {
        rewrite(pad)?;
    }
    let declared: Vec<_> = op.results().iter().map(|value| value.r#type()).collect();
    if matches!(op.short_name(), "reduce_window" | "convolution") {
        know_sizes(&b, op);
    }
    let sizes = of_results(&b, op)?;
    let values = values(&b, op, &sizes)?;
    let values = values.into_iter().zip(declared);
    let values: Vec<_> = values.map(|(value, ty)| cast(&b, value, ty)).collect();
    replace(op, &values);
    Ok(())
}

/// Gives results the sizes that follow from the operands, where the program leaves them open:
/// whether a window stays within its operand depends on both.
fn know_sizes<'c>(b: &Builder<'c>, op: Op<'c>) {
    let Ok(Some(inferred)) = typing::infer(op) else {
        return;
    };
    for (result, inferred) in op.results().into_iter().zip(inferred) {
        if let (Ok(mut ty), Some(inferred)) = (tensor(result), inferred.tensor()) {
            ty.dims = merge_shapes(&inferred.dims, &ty.dims);
            result.set_type(b.parse_type(&ty.to_string()));
        }
    }
}

/// Emits values in place of the results of `op`, which have these sizes.
fn values<'c>(b: &Builder<'c>, op: Op<'c>, sizes: &[Vec<Ix<'c>>]) -> Result<Vec<Val<'c>>> {
    let types = op.results().into_iter().map(tensor);
    let types: Vec<_> = types.collect::<Result<_>>()?;
    let inits = || -> Vec<Val<'c>> {
        let all = types.iter().zip(sizes);
        all.map(|(ty, sizes)| empty_of(b, &ty.element, ty, sizes))
            .collect()
    };
    if types.iter().all(|ty| ty.num_elements() == Some(0)) {
        return Ok(inits());
    }
    let named = match op.short_name() {
        "reduce" => return Reduction::new(op, &sizes[0])?.reduce(b),
        "reduce_window" => return Reduction::new(op, &sizes[0])?.windows(b),
        "scatter" => return scatter::scattered(b, op),
        "dot" | "dot_general" => return Ok(vec![Product::new(op, &sizes[0])?.dot(b)?]),
        "convolution" => return Ok(vec![Product::new(op, &sizes[0])?.convolution(b)?]),
        "reshape" | "dynamic_reshape" => Some(shapes::reshaped(b, op, &sizes[0])?),
        "concatenate" => slices::concatenated(b, op, &sizes[0])?,
        "pad" | "dynamic_pad" => slices::padded(b, op, &sizes[0])?,
        "dynamic_update_slice" => slices::updated(b, op)?,
        _ => match registry::lookup(op) {
            Some(def) if def.family == "slicing" => slices::extracted(b, op, &sizes[0])?,
            Some(def) if def.class == Class::Movement && def.family == "shape" => {
                shapes::moved(b, op, || inits()[0])?
            }
            _ => None,
        },
    };
    if let Some(value) = named {
        return Ok(vec![value]);
    }
    let first = &types[0];
    if types.iter().any(|ty| ty.dims != first.dims) {
        return unsupported("has results of different shapes");
    }
    let mut reads = Reads::new(indices(first), None);
    let at: Vec<Expr> = (0..first.rank()).map(d).collect();
    let results = (0..op.num_results()).map(|number| reads.made(op, number, &at, false));
    let results = results.collect::<Result<Vec<_>>>()?;
    pointwise(b, &reads, &results, &inits())
}

/// Constants become those of `arith`, but for those that only what is left reads.
fn constants(module: Op<'_>) {
    for op in inline::programs(module) {
        let is_scalar_code = op.parent().is_some_and(is_hlo);
        if !op.is_hlo("constant") || is_scalar_code || check(op.result(0)).is_err() {
            continue;
        }
        let others: Vec<_> = op::uses(op.result(0))
            .into_iter()
            .filter(|(user, _)| !is_hlo(*user) && !user.parent().is_some_and(is_hlo))
            .collect();
        let (Some(value), Some(b)) = (op.attribute("value"), Builder::before(op.context(), op))
        else {
            continue;
        };
        if !others.is_empty() {
            let ty = op.result(0).r#type();
            let constant = b.op1("arith.constant", &[], ty, &[("value", value)]);
            for (user, number) in others {
                // What a function returns is written to by its callers.
                let given = match user.name() {
                    "func.return" => copied(user, constant),
                    _ => constant,
                };
                op::set_operand(user, number, given);
            }
        }
        edit::erase_unused(op);
    }
}
