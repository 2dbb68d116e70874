//! Sizes of the results of regions and of operations, known at run time, from tensors.

use super::quantized;
use crate::{
    error::Located,
    error::{Result, unsupported},
    index::Ix,
    sizes::{
        self,
        launched::{self, Before, Demand},
    },
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpI, Dim, ElementType, Op, TensorType, Val, op};
use std::collections::HashMap;

/// Facts about tensors where a builder stands.
pub(super) struct Tensors<'b, 'c>(pub &'b Builder<'c>);

/// The sizes of the results of `op`, a region or an operation, computed where `b` stands. What they
/// must satisfy is asserted there.
///
/// # Errors
/// Those of [`launched::of_results`].
pub(crate) fn of_results<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
) -> std::result::Result<Vec<Vec<Ix<'c>>>, Located<'c>> {
    let all = launched::of_results(&Tensors(b), op)?;
    let mut known = HashMap::new();
    for (result, sizes) in op.results().into_iter().zip(&all) {
        let dims = TensorType::from_mlir(result.r#type()).map_or_else(Vec::new, |ty| ty.dims);
        let demand = |x, y, what: &str| {
            let message = format!("'{}' at {} {what}", op.name(), op.location());
            Tensors(b).demand(Demand::AtMost, x, y, &message);
        };
        for (dim, size) in dims.into_iter().zip(sizes) {
            if let Dim::Bounded(bound) = dim {
                let what = "has a result that is larger than the bound of its type";
                demand(*size, Ix::Known(bound), what);
            }
            if may_be_negative(*size, &mut known) {
                demand(Ix::Known(0), *size, "has a result of a negative size");
            }
        }
    }
    Ok(all)
}

/// Tells whether a size may be negative, as far as its computation shows. Sizes of tensors and sums
/// of them are seen not to be. `known`: what was found out before.
fn may_be_negative(size: Ix<'_>, known: &mut HashMap<usize, bool>) -> bool {
    let Ix::Value(value) = size else {
        return size.known().is_some_and(|n| n < 0);
    };
    if let Some(found) = known.get(&op::key(value)) {
        return *found;
    }
    let Some((made, _)) = op::defining_op(value) else {
        return true;
    };
    let operands = made.operands().into_iter();
    let mut operands = operands.map(|operand| may_be_negative(Ix::Value(operand), known));
    let found = match made.name() {
        "tensor.dim" => false,
        "arith.constant" => made.int("value").is_none_or(|n| n < 0),
        "arith.addi" | "arith.muli" | "arith.divsi" | "arith.remsi" | "arith.minsi" => {
            operands.any(|may| may)
        }
        "arith.maxsi" => operands.all(|may| may),
        _ => true,
    };
    known.insert(op::key(value), found);
    found
}

impl<'c> Before<'c> for Tensors<'_, 'c> {
    fn builder(&self) -> &Builder<'c> {
        self.0
    }

    fn sizes_of(&self, tensor: Val<'c>) -> Result<Vec<Ix<'c>>> {
        let b = self.0;
        let dims = TensorType::from_mlir(tensor.r#type()).map_or_else(Vec::new, |ty| ty.dims);
        let tensor = if dims.iter().all(|dim| dim.fixed().is_some()) {
            tensor
        } else {
            quantized::stored(b, tensor)
        };
        let size = |(d, dim): (usize, &Dim)| match dim.fixed() {
            Some(n) => Ix::Known(n),
            None => {
                let dimension = b.cidx(d as i64);
                Ix::Value(b.op1("tensor.dim", &[tensor, dimension], b.index(), &[]))
            }
        };
        Ok(dims.iter().enumerate().map(size).collect())
    }

    fn load(&self, tensor: Val<'c>, ty: &TensorType, index: &[Ix<'c>]) -> Result<Ix<'c>> {
        let b = self.0;
        if ty.element.is_unsigned() {
            return unsupported(format!("a shape of elements of type {}", ty.element));
        }
        let mut operands = vec![tensor];
        operands.extend(index.iter().map(|i| i.value(b)));
        let element = b.element_of(tensor.r#type());
        let found = b.op1("tensor.extract", &operands, element, &[]);
        Ok(Ix::Value(match ty.element {
            ElementType::Index => found,
            _ => sizes::to_index(b, found, &ty.element),
        }))
    }

    fn demand(&self, demand: Demand, x: Ix<'c>, y: Ix<'c>, message: &str) {
        let b = self.0;
        let predicate = match demand {
            Demand::Equal => CmpI::Eq,
            Demand::AtMost => CmpI::Sle,
        };
        let holds = b.cmpi(predicate, x.value(b), y.value(b));
        b.op("cf.assert", &[holds], &[], &[("msg", b.str_attr(message))]);
    }
}

/// Facts about the operands of a region where they are buffers.
pub(super) struct Buffers<'b, 'c> {
    /// Builder of the code.
    pub b: &'b Builder<'c>,
    /// The buffers, by the keys of the operands.
    pub of: HashMap<usize, Val<'c>>,
}

impl<'c> Buffers<'_, 'c> {
    fn buffer_of(&self, tensor: Val<'c>) -> Result<Val<'c>> {
        let found = self.of.get(&op::key(tensor)).copied();
        found.map_or_else(|| unsupported("a tensor without a buffer"), Ok)
    }
}

impl<'c> Before<'c> for Buffers<'_, 'c> {
    fn builder(&self) -> &Builder<'c> {
        self.b
    }

    fn sizes_of(&self, tensor: Val<'c>) -> Result<Vec<Ix<'c>>> {
        let (b, buffer) = (self.b, self.buffer_of(tensor)?);
        let dims = TensorType::from_mlir(tensor.r#type()).map_or_else(Vec::new, |ty| ty.dims);
        let size = |(d, dim): (usize, &Dim)| match dim.fixed() {
            Some(n) => Ix::Known(n),
            None => {
                let dimension = b.cidx(d as i64);
                Ix::Value(b.op1("memref.dim", &[buffer, dimension], b.index(), &[]))
            }
        };
        Ok(dims.iter().enumerate().map(size).collect())
    }

    fn load(&self, tensor: Val<'c>, ty: &TensorType, index: &[Ix<'c>]) -> Result<Ix<'c>> {
        let (b, buffer) = (self.b, self.buffer_of(tensor)?);
        if ty.element.is_unsigned() {
            return unsupported(format!("a shape of elements of type {}", ty.element));
        }
        let mut operands = vec![buffer];
        operands.extend(index.iter().map(|i| i.value(b)));
        let element = b.element_of(buffer.r#type());
        let found = b.op1("memref.load", &operands, element, &[]);
        Ok(Ix::Value(match ty.element {
            ElementType::Index => found,
            _ => sizes::to_index(b, found, &ty.element),
        }))
    }

    fn demand(&self, demand: Demand, x: Ix<'c>, y: Ix<'c>, message: &str) {
        Tensors(self.b).demand(demand, x, y, message);
    }
}
