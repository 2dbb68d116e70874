//! What a function that is applied to elements takes of an operand.

use crate::symbols::{find_function, signature};
use mapwright_mlir::{Dim, Op, ValueType};

/// Part of an operand that `vectorize` gives its function, one call after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The operand itself in each call: all elements share it.
    Whole,
    /// An element of an array.
    Element,
    /// An element of an array of lists, as a Tensor that has an element of the list at each index
    /// of its first dimension.
    List,
    /// A part of a Tensor: as many dimensions in front are those of all elements.
    Part(usize),
}

impl Taken {
    /// The part of an operand that a parameter of this type is; `None` where it is none of it.
    pub fn from_types(operand: &ValueType, parameter: &ValueType) -> Option<Self> {
        if operand == parameter {
            return Some(Self::Whole);
        }
        match operand {
            ValueType::Array { element, .. } if **element == *parameter => Some(Self::Element),
            ValueType::Array { element, .. } => {
                is_list_of(element, parameter).then_some(Self::List)
            }
            ValueType::Tensor(own) => {
                let inner = parameter.tensor()?;
                let front = own.rank().checked_sub(inner.rank())?;
                let fits = own.element == inner.element && own.dims[front..] == inner.dims[..];
                fits.then_some(Self::Part(front))
            }
            _ => None,
        }
    }

    /// The parts of the operands of a `vectorize` that the parameters of its function are, one by
    /// one as far as they fit; `None` without such a function.
    pub fn all(op: Op<'_>) -> Option<Vec<Option<Self>>> {
        let function = find_function(op, &op.symbol("callee")?)?;
        let (takes, _) = signature(function)?;
        let each = takes.iter().enumerate().take(op.num_operands());
        let each = each.map(|(i, ty)| Self::from_types(&op.operand_type(i), ty));
        Some(each.collect())
    }
}

/// True where a Tensor of this type, of any size of its first dimension, is one that a list of this
/// type makes.
pub(super) fn is_list_of(list: &ValueType, tensor: &ValueType) -> bool {
    let ValueType::Array { element, .. } = list else {
        return false;
    };
    match (element.tensor(), tensor.tensor()) {
        (Some(leaf), Some(all)) => {
            all.dims.first() == Some(&Dim::Dynamic)
                && all.element == leaf.element
                && all.dims[1..] == leaf.dims[..]
        }
        _ => false,
    }
}
