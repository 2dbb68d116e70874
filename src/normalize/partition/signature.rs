//! The function of one device in the place of that of all devices.

use super::sites::{HLO, LAYOUT, SHARDY};
use super::slices::slice_type;
use crate::{make::HloBuilder, rewrite::replace as hand_on};
use mapwright_mlir::{
    Attr, Op, Ty, Val, attr, edit,
    melior::ir::{Region, ValueLike},
    op,
};
use mapwright_sharding::{
    DeviceMatrix,
    digits::{Digit, of_sizes},
    propagate::Sharding,
};
use std::collections::BTreeMap;

/// The type of a device's slice of a value.
pub(super) fn ty<'c>(b: &HloBuilder<'c>, value: Val<'c>, has: &Sharding) -> Ty<'c> {
    slice_type(value, has).map_or_else(|| value.r#type(), |ty| b.ty(&ty))
}

/// Returns the part of a layout that is along whole axes of the devices, from the major ones on: a
/// border of the program has no word for parts of them.
pub(super) fn along_axes(has: &Sharding, devices: &DeviceMatrix) -> Sharding {
    let axes = of_sizes(devices.sizes());
    let whole = |digit: &Digit| -> (Vec<Digit>, bool) {
        let (mut found, mut end) = (Vec::new(), digit.end());
        for axis in axes.iter().filter(|axis| axis.size > 1) {
            if axis.end() == end && digit.contains(*axis) {
                found.push(*axis);
                end = axis.stride;
            }
        }
        (found, end == digit.stride)
    };
    let of_dimension = |digits: &Vec<Digit>| {
        let mut found = Vec::new();
        for digit in digits {
            let (own, is_all) = whole(digit);
            found.extend(own);
            if !is_all {
                break;
            }
        }
        found
    };
    let dims = has.dims.iter().map(of_dimension).collect();
    let partial = Vec::new();
    Sharding { dims, partial }.merged()
}

/// Erases operations that nothing uses, each before those that it uses.
pub(super) fn erase_unused(ops: &[Op<'_>]) {
    for op in ops {
        if !op.results().into_iter().any(edit::is_used) {
            edit::erase_unused(*op);
        }
    }
}

/// Replaces a function by one with this body; and takes out what else is said about layouts.
pub(super) fn replace<'c>(
    b: &HloBuilder<'c>,
    function: Op<'c>,
    body: Region<'c>,
    inputs: &[Ty<'c>],
    results: &[Ty<'c>],
) {
    let block = function.body(0);
    let before: Vec<Ty<'c>> = (block.map(op::arguments).unwrap_or_default().iter())
        .map(|argument| argument.r#type())
        .collect();
    let ends = block.and_then(|block| op::ops(block).pop());
    let returned: Vec<Ty<'c>> = (ends.map(|end| end.operands()).unwrap_or_default().iter())
        .map(|value| value.r#type())
        .collect();
    let mut attributes: Vec<(&str, Attr<'c>)> = Vec::new();
    for (name, value) in function.attributes() {
        let value = match name {
            "function_type" => b.type_attr(b.function_type(inputs, results)),
            "arg_attrs" | "res_attrs" => {
                let all = attr::array(value).unwrap_or_default();
                let kept: Vec<Attr<'c>> = all
                    .into_iter()
                    .enumerate()
                    .map(|(i, one)| {
                        // The memory of an argument is that of a result only if they are of one
                        // size.
                        let is_same = |name: &str, value: Attr<'c>| {
                            let to = attr::int(value).unwrap_or(-1);
                            let to = usize::try_from(to).ok().and_then(|to| {
                                Some(
                                    inputs.get(i)? == results.get(to)?
                                        && before.get(i)? == returned.get(to)?,
                                )
                            });
                            name != "tf.aliasing_output" || to == Some(true)
                        };
                        let entries = attr::dictionary(one).unwrap_or_default();
                        let entries = entries.into_iter().filter(|(name, value)| {
                            ![SHARDY, HLO, LAYOUT].contains(name) && is_same(name, *value)
                        });
                        let texts: Vec<String> = entries
                            .map(|(name, value)| format!("\"{name}\" = {value}"))
                            .collect();
                        b.parse_attr(&format!("{{{}}}", texts.join(", ")))
                    })
                    .collect();
                b.array_attr(&kept)
            }
            _ => value,
        };
        attributes.push((name, value));
    }
    b.set_location(function.location());
    let new = b.op_with_regions(function.name(), &[], &[], &attributes, vec![body]);
    edit::erase_unused(function);
    for inner in new.descendants().into_iter().rev() {
        for name in [SHARDY, HLO, LAYOUT] {
            inner.remove_attribute(name);
        }
        // Copied from what was written for one device by hand.
        let says = inner.dialect() == "sdy" && inner.num_regions() == 0;
        if says && inner.num_results() == 1 && inner.num_operands() == 1 {
            hand_on(inner, &[inner.operand(0)]);
        }
    }
}

/// Removes meshes and grids that no sharding uses any more.
pub fn forget_unused(module: Op<'_>) {
    let all = module.descendants();
    let uses = |dialect: &str, declaration: &str| {
        all.iter().any(|o| {
            (o.dialect() == dialect && o.name() != declaration)
                || (dialect == "sdy"
                    && (o.attribute(SHARDY).is_some()
                        || ["arg_attrs", "res_attrs"]
                            .iter()
                            .any(|l| o.text(l).is_some_and(|t| t.contains("#sdy.")))))
        })
    };
    for (dialect, declaration) in [("sdy", "sdy.mesh"), ("shard", "shard.grid")] {
        if !uses(dialect, declaration) {
            for unused in all.iter().filter(|o| o.name() == declaration) {
                hand_on(*unused, &[]);
            }
        }
    }
}

/// Removes private functions that nothing refers to any more but others of them.
pub(super) fn forget_uncalled(module: Op<'_>) {
    let functions = crate::inline::functions(module).into_iter();
    let is_private = |op: &Op<'_>| op.string("sym_visibility").as_deref() == Some("private");
    let mut left: BTreeMap<String, Op<'_>> = functions.filter(|(_, op)| is_private(op)).collect();
    let all = module.body(0).map(op::ops).unwrap_or_default();
    let mut kept: Vec<Op<'_>> = (all.into_iter())
        .filter(|op| !left.values().any(|private| private == op))
        .collect();
    while let Some(op) = kept.pop() {
        let names = [
            "callee",
            "decomposition",
            "called_computations",
            "to_apply",
            "body",
        ];
        let inside = std::iter::once(op).chain(op.descendants());
        let called: Vec<String> = inside
            .flat_map(|op| names.iter().filter_map(move |name| op.text(name)))
            .collect();
        let refers = |text: &String, name: &str| {
            let mut parts = text.split(|c: char| ", []".contains(c));
            text.contains(&format!("@\"{name}\""))
                || parts.any(|part| part.strip_prefix('@') == Some(name))
        };
        left.retain(|name, function| {
            let is_called = called.iter().any(|text| refers(text, name));
            if is_called {
                kept.push(*function);
            }
            !is_called
        });
    }
    for function in left.into_values() {
        edit::erase_unused(function);
    }
}
