//! `mhlo.all_to_all` of several tensors, each of which goes to a member of the group as a whole.
//!
//! StableHLO exchanges parts of one tensor: the tensors are put one behind the other, and what
//! comes back is taken apart.

use crate::{
    make::{HloBuilder, own},
    rewrite::{Result, fail, replace},
};
use mapwright_mlir::{Attr, Op, TensorType, Val};

/// Rewrites such an exchange; `attributes` are those that StableHLO's has as well.
///
/// # Errors
/// Shapes that are not static.
pub(crate) fn rewrite<'c>(
    op: Op<'c>,
    b: &HloBuilder<'c>,
    mut attributes: Vec<(&'c str, Attr<'c>)>,
) -> Result<'c> {
    let operands = op.operands();
    let ty = operands.first().map(|first| own(*first));
    let Some((ty, shape)) = ty.and_then(|ty| Some((ty.clone(), ty.static_shape()?))) else {
        return fail(op, "needs operands of static shape");
    };
    let number = |n: i64| b.int_attr(n, b.int(64));
    attributes.extend([
        ("concat_dimension", number(0)),
        ("split_count", number(operands.len() as i64)),
        ("split_dimension", number(0)),
    ]);
    let row = TensorType::new(ty.element.clone(), &[&[1], &shape[..]].concat());
    let rows: Vec<Val<'c>> = operands.iter().map(|x| b.reshape(*x, &row)).collect();
    let sent = b.concatenate(&rows, 0);
    let received = b.operation("stablehlo.all_to_all", &[sent], &own(sent), &attributes);
    let results = (0..operands.len() as i64).map(|i| {
        let starts = [vec![i], vec![0; shape.len()]].concat();
        let ends = [&[i + 1], &shape[..]].concat();
        let part = b.slice(received, [&starts, &ends, &vec![1; ends.len()]]);
        b.reshape(part, &ty)
    });
    replace(op, &results.collect::<Vec<_>>());
    Ok(())
}
