//! Tuples: operations that take, give or hand on a tuple do so with its elements instead.
//!
//! Tuples are of older programs, whose loops, conditionals and calls of libraries have one value.
//! Functions keep theirs (calls are inlined later); `tuple` and `get_tuple_element` that meet
//! cancel.

use crate::{
    mhlo,
    rewrite::{Result, fail, replace},
};
use mapwright_mlir::{
    Attr, Blk, Builder, Op, Ty, Val, ValueType, attr, edit, melior::ir::ValueLike, op, text,
};

/// Operations whose tuples stay: they make them and take them apart, end regions (which go with the
/// operation that they are of), or their types name what runs beside the program.
const KEPT: &[&str] = &[
    "async_done",
    "async_start",
    "async_update",
    "composite",
    "get_tuple_element",
    "return",
    "tuple",
];

fn is_tuple(value: &Val<'_>) -> bool {
    matches!(ValueType::from_mlir(value.r#type()), ValueType::Tuple(_))
}

/// Rewrites everything inside `module`. Returns how many operations had tuples.
///
/// # Errors
/// Operations outside of blocks.
pub(super) fn flatten<'c>(module: Op<'c>) -> Result<'c, usize> {
    let all = module.descendants();
    let has_tuples = |op: &Op<'c>| op.operands().iter().chain(&op.results()).any(is_tuple);
    let in_regions = |op: &Op<'c>| {
        (0..op.num_regions())
            .flat_map(|i| op::blocks(op.region(i)))
            .any(|block| op::arguments(block).iter().any(is_tuple))
    };
    let mut count = 0;
    // What is in regions first: the operation that they are of exchanges their ends.
    for op in all.into_iter().rev() {
        let flattened = matches!(op.dialect(), "stablehlo" | "mhlo")
            && !KEPT.contains(&op.short_name())
            && (has_tuples(&op) || in_regions(&op));
        if flattened {
            rewrite(op)?;
            count += 1;
        }
    }
    if count > 0 {
        for op in module.descendants() {
            cancel(op);
        }
        for op in module.descendants().into_iter().rev() {
            if op.is_hlo("tuple") || op.is_hlo("get_tuple_element") {
                edit::erase_unused(op);
            }
        }
    }
    Ok(count)
}

/// `get_tuple_element` of a `tuple` is its operand.
fn cancel(op: Op<'_>) {
    if op.is_hlo("get_tuple_element")
        && let Some((tuple, 0)) = op::defining_op(op.operand(0))
        && tuple.is_hlo("tuple")
        && let Some(i) = op.attribute("index").and_then(attr::int)
        && let Ok(i) = usize::try_from(i)
        && i < tuple.num_operands()
    {
        op::replace_all_uses(op.result(0), tuple.operand(i));
    }
}

/// The elements of a value, those of tuples in tuples as well; the value itself where it is no
/// tuple.
fn leaves<'c>(b: &Builder<'c>, value: Val<'c>) -> Vec<Val<'c>> {
    if !is_tuple(&value) {
        return vec![value];
    }
    mhlo::elements(value.r#type())
        .into_iter()
        .enumerate()
        .flat_map(|(i, ty)| {
            let index = b.int_attr(i as i64, b.int(32));
            let element = b.op1(
                "stablehlo.get_tuple_element",
                &[value],
                ty,
                &[("index", index)],
            );
            leaves(b, element)
        })
        .collect()
}

/// The types of the elements, as [`leaves`] has them.
fn leaf_types<'c>(ty: Ty<'c>, into: &mut Vec<Ty<'c>>) {
    match ValueType::from_mlir(ty) {
        ValueType::Tuple(_) => {
            for element in mhlo::elements(ty) {
                leaf_types(element, into);
            }
        }
        _ => into.push(ty),
    }
}

/// The number, among the elements of all of `types`, of the one at `path` in tuple `i`.
fn flat_place(types: &[Ty<'_>], i: usize, path: &[i64]) -> Option<usize> {
    let mut before = Vec::new();
    for ty in types.get(..i)? {
        leaf_types(*ty, &mut before);
    }
    let Some((first, rest)) = path.split_first() else {
        return Some(before.len());
    };
    let elements = mhlo::elements(*types.get(i)?);
    Some(before.len() + flat_place(&elements, usize::try_from(*first).ok()?, rest)?)
}

/// Aliases between elements of tuples as aliases between operands and results.
fn flat_aliases<'c>(b: &Builder<'c>, op: Op<'c>, aliases: Attr<'c>) -> Option<Attr<'c>> {
    let types = |values: Vec<Val<'c>>| values.iter().map(|v| v.r#type()).collect::<Vec<_>>();
    let (operands, results) = (types(op.operands()), types(op.results()));
    let mut leaves = Vec::new();
    results.iter().for_each(|ty| leaf_types(*ty, &mut leaves));
    let flat = attr::array(aliases)?.into_iter().map(|alias| {
        let alias = alias.to_string();
        let path = |name| text::integer_list(&alias, name);
        let operand = usize::try_from(*path("operand_index").first()?).ok()?;
        let from = flat_place(&operands, operand, &path("operand_tuple_indices"))?;
        let out = path("output_tuple_indices");
        let to = match (results.len(), out.split_first()) {
            (1, _) => flat_place(&results, 0, &out)?,
            (_, Some((first, rest))) => flat_place(&results, usize::try_from(*first).ok()?, rest)?,
            _ => return None,
        };
        let to = if leaves.len() == 1 { vec![] } else { vec![to] };
        let (name, _) = alias.split_once('<')?;
        Some(format!(
            "{name}<output_tuple_indices = {to:?}, operand_index = {from}, operand_tuple_indices = []>"
        ))
    });
    let flat = flat.collect::<Option<Vec<String>>>()?;
    Some(b.parse_attr(&format!("[{}]", flat.join(", "))))
}

/// A value of type `ty` made of the next of `elements`.
fn assemble<'c>(
    b: &Builder<'c>,
    ty: Ty<'c>,
    elements: &mut impl Iterator<Item = Val<'c>>,
) -> Option<Val<'c>> {
    if !matches!(ValueType::from_mlir(ty), ValueType::Tuple(_)) {
        return elements.next();
    }
    let parts: Option<Vec<Val<'c>>> = mhlo::elements(ty)
        .into_iter()
        .map(|ty| assemble(b, ty, elements))
        .collect();
    Some(b.op1("stablehlo.tuple", &parts?, ty, &[]))
}

fn rewrite<'c>(op: Op<'c>) -> Result<'c> {
    for i in 0..op.num_regions() {
        for block in op::blocks(op.region(i)) {
            flatten_block(op, block)?;
        }
    }
    let Some(b) = Builder::before(op.context(), op) else {
        return fail(op, "is not inside a block");
    };
    if !op.operands().iter().chain(&op.results()).any(is_tuple) {
        return Ok(());
    }
    let operands: Vec<Val<'c>> = op
        .operands()
        .into_iter()
        .flat_map(|value| leaves(&b, value))
        .collect();
    let mut types = Vec::new();
    for result in op.results() {
        leaf_types(result.r#type(), &mut types);
    }
    let mut attributes = op.attributes();
    for (name, value) in &mut attributes {
        if *name == "output_operand_aliases" {
            match flat_aliases(&b, op, *value) {
                Some(flat) => *value = flat,
                None => return fail(op, "has an alias of what it neither takes nor gives"),
            }
        }
    }
    let regions = edit::take_regions(op);
    let new = b.op_with_regions(op.name(), &operands, &types, &attributes, regions);
    let mut made = new.results().into_iter();
    let values: Option<Vec<Val<'c>>> = op
        .results()
        .into_iter()
        .map(|result| assemble(&b, result.r#type(), &mut made))
        .collect();
    match values {
        Some(values) => replace(op, &values),
        None => return fail(op, "has a tuple whose elements are not known"),
    }
    Ok(())
}

/// A block of `op` takes and gives the elements of its tuples.
fn flatten_block<'c>(op: Op<'c>, block: Blk<'c>) -> Result<'c> {
    mhlo::flatten_arguments(op, block)?;
    let Some(end) = op::ops(block).last().copied() else {
        return Ok(());
    };
    if !end.operands().iter().any(is_tuple) {
        return Ok(());
    }
    let Some(b) = Builder::before(op.context(), end) else {
        return fail(end, "is not inside a block");
    };
    let values: Vec<Val<'c>> = end
        .operands()
        .into_iter()
        .flat_map(|value| leaves(&b, value))
        .collect();
    b.op(end.name(), &values, &[], &[]);
    edit::erase_unused(end);
    Ok(())
}
