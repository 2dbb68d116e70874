//! `indexing.apply`: maps of index values, as arithmetic on them.

use crate::error::Located;
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Op as Arithmetic, counted};
use mapwright_mlir::{Builder, Op, Val, edit, op};
use mapwright_ops::affine::MapAttribute;

/// Emits an operation of expressions on index values. Divisors are not zero on the domain of a map.
pub(crate) fn binary<'c>(b: &Builder<'c>, what: Arithmetic, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    match what {
        Arithmetic::Add => b.addi(x, y),
        Arithmetic::Mul => b.muli(x, y),
        Arithmetic::Min => b.minsi(x, y),
        Arithmetic::Max => b.maxsi(x, y),
        Arithmetic::FloorDiv => b.same("arith.floordivsi", &[x, y]),
        Arithmetic::CeilDiv => b.same("arith.ceildivsi", &[x, y]),
        Arithmetic::Mod => b.subi(x, b.muli(b.same("arith.floordivsi", &[x, y]), y)),
    }
}

/// Puts arithmetic in the place of each `indexing.apply` in `module`; gives those that stay, and
/// why.
pub(crate) fn lower(module: Op<'_>) -> Vec<Located<'_>> {
    let all = module.descendants().into_iter();
    let all = all.filter(|op| op.name() == "indexing.apply");
    all.filter_map(|op| one(op).err().map(|why| Located::new(op, why)))
        .collect()
}

fn one(apply: Op<'_>) -> Result<(), String> {
    let attribute = apply
        .attribute("map")
        .and_then(MapAttribute::from_attribute);
    let attribute = attribute.ok_or("has no map")?;
    let map = attribute.map();
    if let Some(reason) = map.unknown_reason() {
        return Err(format!("has a map that is not known: {reason}"));
    }
    let variables = apply.operands();
    let count = map.dims().len() + map.ranges().len() + map.runtime().len();
    if variables.len() != count || apply.num_results() != map.results().len() {
        return Err(format!(
            "has {} and {}, its map has {count} and {}",
            counted(variables.len(), "variable"),
            counted(apply.num_results(), "result"),
            map.results().len()
        ));
    }
    let b = Builder::before(apply.context(), apply).ok_or("is in no block")?;
    for (result, expr) in apply.results().into_iter().zip(map.results()) {
        let value = number(&b, expr, map, &variables)?;
        op::replace_all_uses(result, value);
    }
    edit::erase_unused(apply);
    Ok(())
}

fn number<'c>(
    b: &Builder<'c>,
    expr: &Expr,
    map: &IndexingMap,
    variables: &[Val<'c>],
) -> Result<Val<'c>, String> {
    let (dims, ranges) = (map.dims().len(), map.ranges().len());
    let variable = |at: usize| {
        variables
            .get(at)
            .copied()
            .ok_or("lacks a variable".to_owned())
    };
    match expr.kind() {
        ExprKind::Constant(n) => Ok(b.cidx(*n)),
        ExprKind::Dim(k) => variable(*k),
        ExprKind::Range(k) => variable(dims + k),
        ExprKind::Runtime(k) => variable(dims + ranges + k),
        ExprKind::Binary(Arithmetic::Mod, x, y) => {
            // Remainders are not negative, whatever the sign of the divisor.
            let divisor = match y.as_constant() {
                Some(n) => b.cidx(n.checked_abs().ok_or("divides by the least number")?),
                None => {
                    let y = number(b, y, map, variables)?;
                    b.maxsi(y, b.subi(b.cidx(0), y))
                }
            };
            Ok(binary(
                b,
                Arithmetic::Mod,
                number(b, x, map, variables)?,
                divisor,
            ))
        }
        ExprKind::Binary(what, x, y) => {
            let (x, y) = (number(b, x, map, variables)?, number(b, y, map, variables)?);
            Ok(binary(b, *what, x, y))
        }
    }
}
