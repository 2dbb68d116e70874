//! Shardy's operations: what they say is where tensors are, not what is in them.
//!
//! Every operation but `manual_computation` computes its operand, whatever the mesh is, since its
//! types are those of whole tensors. The region of a `manual_computation` is the program of one
//! device along some axes; where these have the size 1, that is the program of all of them, and it
//! takes the operation's place. Where they are longer the operation stays: what it computes takes
//! several devices.

use crate::rewrite::{Result, fail, inline_body, replace};
use mapwright_mlir::{Builder, Op, melior::ir::ValueLike};
use std::collections::BTreeMap;

/// Rewrites Shardy's operations inside `module`. Returns how many.
///
/// # Errors
/// Regions whose types do not agree with those outside of them.
pub(super) fn legalize<'c>(module: Op<'c>) -> Result<'c, usize> {
    let mut count = 0;
    let mut sizes = None;
    // Regions first: what is inlined has no more of these operations in it.
    for op in module.descendants().into_iter().rev() {
        let done = match op.dialect() {
            "sdy" => rewrite(op, sizes.get_or_insert_with(|| axes(module)))?,
            "stablehlo" | "mhlo" => exported(op),
            _ => false,
        };
        count += usize::from(done);
    }
    Ok(count)
}

/// The sizes of the axes of every mesh of the module: the greatest of those that have one name.
fn axes(module: Op<'_>) -> BTreeMap<String, i64> {
    let meshes = module.descendants().into_iter();
    let meshes = meshes.filter(|op| op.name() == "sdy.mesh");
    let mut sizes = BTreeMap::new();
    for mesh in meshes.filter_map(|mesh| mesh.text("mesh")) {
        read_axes(&mesh, &mut sizes);
    }
    sizes
}

/// Reads `"name"=size` wherever it stands in a text.
fn read_axes(text: &str, sizes: &mut BTreeMap<String, i64>) {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('"') {
        let Some((name, after)) = after.split_once('"') else {
            return;
        };
        rest = after;
        if let Some(number) = after.strip_prefix('=') {
            let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
            if let Ok(size) = digits.parse() {
                let known = sizes.entry(name.to_owned()).or_insert(size);
                *known = size.max(*known);
            }
        }
    }
}

fn rewrite<'c>(op: Op<'c>, axes: &BTreeMap<String, i64>) -> Result<'c, bool> {
    match op.short_name() {
        // The module's own operations, and the ends of regions.
        "mesh" | "return" => return Ok(false),
        "sharding_group" => {
            replace(op, &[]);
            return Ok(true);
        }
        "constant" => {
            let (Some(b), Some(value)) = (Builder::before(op.context(), op), op.attribute("value"))
            else {
                return fail(op, "needs the attribute 'value'");
            };
            let ty = op.result(0).r#type();
            let made = b.op1("stablehlo.constant", &[], ty, &[("value", value)]);
            replace(op, &[made]);
            return Ok(true);
        }
        "manual_computation" if !is_of_one_device(op, axes) => return Ok(false),
        "manual_computation" | "named_computation" => {
            inline_body(op, &op.operands())?;
            return Ok(true);
        }
        _ => {}
    }
    let same = op.num_operands() == 1
        && op.num_results() == 1
        && op.operand(0).r#type() == op.result(0).r#type();
    if same && op.num_regions() == 0 {
        replace(op, &[op.operand(0)]);
    }
    Ok(same)
}

/// Tells whether the axes along which a computation is written for one device have the size 1.
pub fn is_of_one_device(op: Op<'_>, axes: &BTreeMap<String, i64>) -> bool {
    let mut sizes = axes.clone();
    // A sharding may have its mesh in itself.
    for key in ["in_shardings", "out_shardings"] {
        read_axes(&op.text(key).unwrap_or_default(), &mut sizes);
    }
    let manual = op.text("manual_axes").unwrap_or_default();
    let mut names = manual.split('"').skip(1).step_by(2);
    names.all(|name| sizes.get(name) == Some(&1))
}

/// Shardy's operations in programs that were exported with custom calls in their place:
/// `custom_call @xla.sdy.NAME`.
fn exported(op: Op<'_>) -> bool {
    if op.short_name() != "custom_call" {
        return false;
    }
    let target = op.string("call_target_name").unwrap_or_default();
    let name = target.strip_prefix("local_").unwrap_or(&target);
    if !name.starts_with("xla.sdy.") {
        return false;
    }
    match (op.num_operands(), op.num_results()) {
        // A sharding group.
        (1, 0) => {
            replace(op, &[]);
            true
        }
        (n, m) if n == m && (0..n).all(|i| op.operand(i).r#type() == op.result(i).r#type()) => {
            replace(op, &op.operands());
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_read_from_meshes() {
        let mut sizes = BTreeMap::new();
        read_axes(r#"#sdy.mesh<["x"=1, "y"=4], device_ids=[3]>"#, &mut sizes);
        read_axes(r#"<@mesh, [{"x"}, {"y":(1)2}]>"#, &mut sizes);
        read_axes(r#"<mesh<["x"=2]>, [{"x"}]>"#, &mut sizes);
        let expected: BTreeMap<String, i64> = [("x".into(), 2), ("y".into(), 4)].into();
        assert_eq!(sizes, expected);
    }
}
