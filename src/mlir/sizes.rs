//! Sizes that are known at run time only, by name.
//!
//! What the sizes of a value are is written beside the operation that makes it ([`SIZES`]), as the
//! results of an affine map whose symbols are names of sizes:
//! `affine_map<()[s0, s1] -> (s0, 4, s0 * s1)>` for a tensor of three dimensions. Equal names are
//! equal sizes. Whoever computes with shapes has an [`Extent`] for each.

use crate::affine::{AffineMap, AffineNode, AffineOp};
use crate::{Blk, Op, TensorType, Val, ValueType, op};
use mapwright_indexing::{Extent, Factor};
use melior::ir::ValueLike;

/// The sizes of the results of an operation, one after another.
pub const SIZES: &str = "indexing.sizes";
/// Annotations of the arguments of the block that a region of an operation begins with. Where
/// several begin with arguments, those of the one that is looked at.
pub const ARGUMENTS: &str = "indexing.sizes_of_arguments";

/// Type and sizes of a value; an error, in words, where some of these are known at run time only
/// and have no names.
pub fn sized(value: Val<'_>) -> Result<(TensorType, Vec<Extent>), String> {
    let ty = ValueType::from_mlir(value.r#type());
    let Some(tensor) = ty.tensor() else {
        return Err(format!("a value of type {ty}"));
    };
    match annotated(value) {
        Some(sizes) => Ok((tensor.clone(), sizes)),
        None => Err(format!("run-time sizes ({tensor})")),
    }
}

/// Sizes that are written beside an operation, in a list of this name.
pub fn list(op: Op<'_>, name: &str) -> Option<Vec<Extent>> {
    let map = AffineMap::from_mlir(op.attribute(name)?)?;
    map.results.iter().map(extent).collect()
}

/// Writes sizes beside an operation, in a list of this name. Says whether affine expressions have
/// them all; if not, there is no such list.
pub fn write(op: Op<'_>, name: &str, sizes: &[Extent]) -> bool {
    let mut symbols = 0;
    for size in sizes {
        size.for_each_name(&mut |k| symbols = symbols.max(k + 1));
    }
    let results: Option<Vec<AffineNode>> = sizes.iter().map(|size| expression(*size)).collect();
    let Some(results) = results else {
        op.remove_attribute(name);
        return false;
    };
    let map = AffineMap {
        dims: 0,
        symbols,
        results,
    };
    op.set_attribute(name, map.to_mlir(op.context()));
    true
}

/// The size that an expression of names is; `None` for what is none, such as a number below zero.
fn extent(expr: &AffineNode) -> Option<Extent> {
    value(expr).filter(|size| size.as_constant().is_none_or(|n| n >= 0))
}

fn value(expr: &AffineNode) -> Option<Extent> {
    Some(match expr {
        AffineNode::Symbol(k) => Extent::name(*k),
        AffineNode::Constant(n) => (*n).into(),
        AffineNode::Binary(op, a, b) => {
            let (a, b) = (value(a)?, value(b)?);
            match op {
                AffineOp::Add => a.checked_add(b)?,
                AffineOp::Mul => a.checked_mul(b)?,
                AffineOp::FloorDiv if b.as_constant().is_none_or(|n| n > 0) => a.floor_div(b),
                AffineOp::FloorDiv | AffineOp::CeilDiv | AffineOp::Mod => return None,
            }
        }
        AffineNode::Dim(_) => return None,
    })
}

/// A size as an expression of names; `None` for the smaller and the larger one of two, which affine
/// expressions have not.
fn expression(size: Extent) -> Option<AffineNode> {
    let of = |op| move |a, b| AffineNode::Binary(op, Box::new(a), Box::new(b));
    let factor = |factor: &Factor| match *factor {
        Factor::Name(k) => Some(AffineNode::Symbol(k)),
        Factor::Quotient(a, b) => Some(of(AffineOp::FloorDiv)(expression(a)?, expression(b)?)),
        Factor::Integer(_) | Factor::Least(..) | Factor::Greatest(..) => None,
    };
    let number = |n: i64, is_left_out: bool| (!is_left_out).then_some(AffineNode::Constant(n));
    let (parts, constant) = size.parts();
    let mut terms = Vec::new();
    for (factors, times) in &parts {
        let factors: Vec<AffineNode> = factors.iter().map(factor).collect::<Option<_>>()?;
        let all = factors.into_iter().chain(number(*times, *times == 1));
        terms.extend(all.reduce(of(AffineOp::Mul)));
    }
    let all = terms
        .into_iter()
        .chain(number(constant, constant == 0 && !parts.is_empty()));
    all.reduce(of(AffineOp::Add))
}

/// The operation of which a region begins with `block`.
pub fn begins<'c>(block: Blk<'c>) -> Option<Op<'c>> {
    let parent = op::parent_of_block(block)?;
    let mut regions = 0..parent.num_regions();
    regions
        .any(|region| parent.body(region) == Some(block))
        .then_some(parent)
}

/// The list of sizes that a value's are part of: the operation that holds it, the attribute, and
/// the place of the first.
fn holder<'c>(value: Val<'c>) -> Option<(Op<'c>, &'static str, usize)> {
    let rank = |value: Val<'c>| TensorType::from_mlir(value.r#type()).map_or(0, |ty| ty.rank());
    if let Some((op, number)) = op::defining_op(value) {
        let before = (0..number).map(|i| rank(op.result(i))).sum();
        return Some((op, SIZES, before));
    }
    let (block, number) = op::block_argument(value)?;
    let parent = begins(block)?;
    let before = op::arguments(block)
        .into_iter()
        .take(number)
        .map(rank)
        .sum();
    Some((parent, ARGUMENTS, before))
}

/// The sizes of a value, as they are written beside what makes it.
pub fn annotated(value: Val<'_>) -> Option<Vec<Extent>> {
    let ty = TensorType::from_mlir(value.r#type())?;
    if let Some(shape) = ty.static_shape() {
        return Some(shape.into_iter().map(Extent::from).collect());
    }
    let (op, attribute, at) = holder(value)?;
    let all = list(op, attribute)?;
    Some(all.get(at..at + ty.rank())?.to_vec())
}

/// Takes away what is written beside the operation that a value is of.
pub fn forget(value: Val<'_>) {
    if let Some((op, attribute, _)) = holder(value) {
        op.remove_attribute(attribute);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{context::context, melior::ir::Module};

    #[test]
    fn sizes_are_read_as_they_are_written() {
        let context = context();
        let module = Module::new(melior::ir::Location::unknown(&context));
        let op = Op::new(module.as_operation());
        let [n, m, k] = [0, 1, 700].map(Extent::name);
        let all = [
            0.into(),
            7.into(),
            n,
            k,
            n * m * k * n * m,
            n * m * (1 << 40),
            n * 4 + m - 1,
            (n * m - 3).floor_div(2.into()) * k,
            n.floor_div(m),
        ];
        assert!(write(op, SIZES, &all));
        assert_eq!(list(op, SIZES).as_deref(), Some(&all[..]));
        let small = [n, n * m];
        assert!(write(op, SIZES, &small));
        let text = "affine_map<()[s0, s1] -> (s0, s0 * s1)>";
        assert_eq!(op.text(SIZES).as_deref(), Some(text));
        for wrong in ["-1", "s0 floordiv 0", "s0 mod 2", "s0 - s0 - 4"] {
            let text = format!("affine_map<()[s0] -> ({wrong})>");
            let attribute = melior::ir::Attribute::parse(&context, &text).unwrap();
            op.set_attribute(SIZES, attribute);
            assert_eq!(list(op, SIZES), None, "{wrong}");
        }
        assert!(!write(op, SIZES, &[n.least(m)]));
        assert_eq!(list(op, SIZES), None);
    }
}
