//! Layouts of the operands and results of functions that are called by name.
//!
//! StableHLO has no layouts, and buffers lie by rows. A call may state others (`operand_layouts`,
//! `result_layouts`; by rows where nothing is said): the function finds the operand in memory in
//! that order, whatever order it reads it in. What it reads is written here as operations, so that
//! each function gets the order that is its own: LAPACK's matrices lie by columns, everything else
//! by rows.

use crate::{
    bitcast::read_as,
    make::HloBuilder,
    rewrite::{Error, Result, replace},
};
use mapwright_mlir::{Op, TensorType, Ty, Val, melior::ir::ValueLike};
use mapwright_ops::{
    layout::{Layout, Side, of_call},
    library::{self, Meaning, lapack},
};

/// Rewrites the calls inside `root` whose layouts are not those of their functions.
///
/// # Errors
/// Layouts that do not fit, and tensors in another layout that have no static shape.
pub fn legalize<'c>(root: Op<'c>) -> Result<'c> {
    for op in root.descendants() {
        let is_called = matches!(library::meaning(op), None | Some(Meaning::Lapack));
        if op.name() == "stablehlo.custom_call" && is_called {
            call(op)?;
        }
    }
    Ok(())
}

/// A tensor with the layout that a call states, and that of its function.
struct Tensor {
    ty: TensorType,
    stated: Layout,
    own: Layout,
}

impl Tensor {
    /// Returns the tensor of `value`, which is operand or result (`side`) `i` of `op`; `None` for a
    /// value that is no tensor.
    fn from_value<'c>(
        op: Op<'c>,
        side: Side,
        i: usize,
        value: Val<'c>,
    ) -> Result<'c, Option<Self>> {
        let Some(ty) = TensorType::from_mlir(value.r#type()) else {
            return Ok(None);
        };
        let rank = ty.rank();
        let stated = of_call(op, side, i, rank);
        Ok(Some(Self {
            ty,
            stated: stated.map_err(|message| Error { op, message })?,
            own: lapack::own_layout(op, side, i, rank),
        }))
    }
}

fn call<'c>(op: Op<'c>) -> Result<'c> {
    let Some(b) = HloBuilder::before(op) else {
        return Ok(());
    };
    let of = |side, values: Vec<Val<'c>>| -> Result<'c, Vec<Option<Tensor>>> {
        let all = values.into_iter().enumerate();
        all.map(|(i, value)| Tensor::from_value(op, side, i, value))
            .collect()
    };
    let operands = of(Side::Operands, op.operands())?;
    let results = of(Side::Results, op.results())?;
    let differs = |tensor: &Tensor| tensor.stated != tensor.own;
    if !operands.iter().chain(&results).flatten().any(differs) {
        return Ok(());
    }
    let given = op.operands().into_iter().zip(&operands);
    let given = given.map(|(value, tensor)| match tensor {
        Some(x) => read_as((op, &b), (value, &x.stated), (&x.ty, &x.own)),
        None => Ok(value),
    });
    let given: Vec<Val<'c>> = given.collect::<Result<'c, _>>()?;
    let list = |tensors: &[Option<Tensor>]| {
        let own = tensors.iter().map(|tensor| {
            let own = tensor.as_ref().map(|x| x.own.clone());
            b.parse_attr(&own.unwrap_or(Layout::row_major(0)).to_string())
        });
        b.array_attr(&own.collect::<Vec<_>>())
    };
    let mut attributes = op.attributes();
    attributes.retain(|(name, _)| !matches!(*name, "operand_layouts" | "result_layouts"));
    attributes.push(("operand_layouts", list(&operands)));
    attributes.push(("result_layouts", list(&results)));
    let types: Vec<Ty<'c>> = op.results().iter().map(|value| value.r#type()).collect();
    let made = b.op(op.name(), &given, &types, &attributes);
    let values = made.results().into_iter().zip(&results);
    let values = values.map(|(value, tensor)| match tensor {
        Some(x) => read_as((op, &b), (value, &x.own), (&x.ty, &x.stated)),
        None => Ok(value),
    });
    replace(op, &values.collect::<Result<'c, Vec<_>>>()?);
    Ok(())
}
