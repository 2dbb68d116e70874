//! Operations rewritten as simpler ones before fusion: what is defined by a formula over other
//! operations.

mod batch_norm;
mod captured;
mod check_attributes;
mod complex_product;
mod computed_padding;
mod convolution;
mod einsum;
mod few_output_channels;
mod half_sums;
mod iterations;
mod lhs_dilation;
mod long_window;
mod masked_update;
mod padded_window;
mod quantized;
mod quantized_elements;
mod quantized_product;
mod scan;
mod shared_batch;
mod small_product;
mod small_update;
mod sorted_positions;

use crate::{inline, make::HloBuilder, rewrite::Error, tarray::make::Make};
use lhs_dilation::Parts;
use mapwright_mlir::{Blk, Builder, Op, Val, edit, op};

/// Rewrites everything in `block`, also in regions. `disabled`: fast paths that must not be used.
///
/// # Errors
/// An operation whose attributes cannot be read.
pub fn run<'c>(b: &Builder<'c>, block: Blk<'c>, disabled: &[String]) -> Result<(), Error<'c>> {
    inline::flatten_tuples(b, block);
    check_attributes::rewrite(block)?;
    rewrite_block(block, disabled)
}

/// Writes out what is computed element by element with quantized numbers in `module`, as arithmetic
/// on their stored integers.
pub fn write_out_quantized(module: Op<'_>) {
    quantized::write_out(module);
}

fn rewrite_block<'c>(block: Blk<'c>, disabled: &[String]) -> Result<(), Error<'c>> {
    for op in op::ops(block) {
        captured::rewrite(op);
        for r in 0..op.num_regions() {
            for inner in op::blocks(op.region(r)) {
                rewrite_block(inner, disabled)?;
            }
        }
        if op.name() == "stablehlo.while" {
            if disabled.iter().all(|name| name != iterations::NAME) {
                iterations::rewrite(op);
            }
            continue;
        }
        rewrite(op, disabled)?;
    }
    Ok(())
}

fn rewrite<'c>(op: Op<'c>, disabled: &[String]) -> Result<(), Error<'c>> {
    let on = |name: &str| disabled.iter().all(|other| other != name);
    if !matches!(op.dialect(), "stablehlo" | "mhlo") {
        return Ok(());
    }
    let Some(make) = HloBuilder::before(op) else {
        return Ok(());
    };
    if let Some(value) = quantized_elements::rewrite(&make, op) {
        exchange(op, vec![value]);
        return Ok(());
    }
    if let Some((values, real)) = quantized::rewrite(&make, op) {
        exchange(op, values);
        return rewrite(real, disabled);
    }
    if matches!(op.name(), "stablehlo.reduce" | "stablehlo.reduce_window")
        && let Some((values, wide)) = half_sums::rewrite(&make, op)
    {
        exchange(op, values);
        return rewrite(wide, disabled);
    }
    if on(computed_padding::NAME)
        && let Some(static_window) = computed_padding::rewrite(&make, op)
    {
        exchange(op, static_window.results());
        return rewrite(static_window, disabled);
    }
    if op.is_hlo("select") && masked_update::rewrite(&make, op) {
        return Ok(());
    }
    let values = match op.short_name() {
        "batch_norm_inference" | "batch_norm_training" | "batch_norm_grad" => {
            Some(batch_norm::rewrite(&make, op)?)
        }
        "dynamic_update_slice" | "scatter" if on(small_update::NAME) => {
            small_update::rewrite(&make, op).map(|value| vec![value])
        }
        "sort" => sorted_positions::rewrite(&make, op),
        "einsum" | "unary_einsum" => Some(einsum::rewrite(&make, op)?),
        "dot_general" | "convolution" if op.dialect() == "stablehlo" => {
            let is = |name: &str| op.short_name() == name;
            if on("complex-products")
                && let Some((value, products)) = complex_product::rewrite(&make, op)
            {
                exchange(op, vec![value]);
                for op in products {
                    rewrite(op, disabled)?;
                }
                return Ok(());
            }
            if is("dot_general")
                && on("shared-batches")
                && let Some((value, product)) = shared_batch::rewrite(&make, op)
            {
                exchange(op, vec![value]);
                return rewrite(product, disabled);
            }
            if is("convolution")
                && on("convolutions")
                && on("lhs-dilation")
                && let Some(parts) = Parts::new(op)
            {
                let (values, convolutions) = match convolution::reordered(&make, op) {
                    Some((values, convolution)) => (values, vec![convolution]),
                    None => parts.rewrite(&Make::from(make)),
                };
                exchange(op, values);
                for op in convolutions {
                    rewrite(op, disabled)?;
                }
                return Ok(());
            }
            let mut simpler = None;
            if is("dot_general") && on("small-products") {
                simpler = small_product::rewrite(&make, op);
            }
            if simpler.is_none() && is("convolution") && on("few-output-channels") {
                simpler = few_output_channels::rewrite(&make, op);
            }
            if simpler.is_none() && is("convolution") && on("convolutions") {
                simpler = convolution::rewrite(&make, op);
            }
            simpler
        }
        "reduce_window" => {
            let is_on = on(long_window::NAME);
            let long = || is_on.then(|| long_window::rewrite(&make, op)).flatten();
            (scan::rewrite(&make, op).or_else(long)).or_else(|| padded_window::rewrite(&make, op))
        }
        _ => None,
    };
    if let Some(values) = values {
        exchange(op, values);
    }
    Ok(())
}

/// Puts `values` in the place of the results of `op`, which is erased.
fn exchange<'c>(op: Op<'c>, values: Vec<Val<'c>>) {
    for (old, new) in op.results().into_iter().zip(values) {
        op::replace_all_uses(old, new);
    }
    edit::erase_unused(op);
}
