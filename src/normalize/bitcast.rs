//! `mhlo.bitcast`: the same bytes in memory as another shape, layout and element type.
//!
//! StableHLO has no layouts: a tensor that is not laid out row by row is transposed to the order
//! that it has in memory. Between widths an element of the wider type is a row of elements of the
//! narrower one, and a complex number a row of its two parts.

use crate::{
    make::HloBuilder,
    rewrite::{Result, fail, replace},
};
use mapwright_mlir::{ElementType, Op, TensorType, Val, melior::ir::ValueLike};
use mapwright_ops::layout::{self, Layout};

/// A tensor as it is in memory.
struct Bytes<'a, 'c> {
    op: Op<'c>,
    b: &'a HloBuilder<'c>,
    value: Val<'c>,
    element: ElementType,
    sizes: Vec<i64>,
}

/// Rewrites a bitcast.
///
/// # Errors
/// Those of [`read_as`].
pub(crate) fn rewrite<'c>(op: Op<'c>, b: &HloBuilder<'c>) -> Result<'c> {
    let (operand, result) = (op.operand(0), op.result(0));
    let types = [operand, result].map(|value| TensorType::from_mlir(value.r#type()));
    let [Some(from), Some(to)] = types else {
        return fail(op, "needs tensors of known rank");
    };
    let layouts = (
        layout::of_operand(op, 0, from.rank()),
        layout::of_result(op, 0, to.rank()),
    );
    let (from_layout, to_layout) = match layouts {
        (Ok(from), Ok(to)) => (from, to),
        (Err(why), _) | (_, Err(why)) => return fail(op, why),
    };
    let value = read_as((op, b), (operand, &from_layout), (&to, &to_layout))?;
    replace(op, &[value]);
    Ok(())
}

/// The memory of a tensor, which lies in a layout, read as one of another type and layout, for
/// `op`.
///
/// # Errors
/// Shapes that are not static, and types that have no common bytes.
pub(crate) fn read_as<'c>(
    (op, b): (Op<'c>, &HloBuilder<'c>),
    (value, from_layout): (Val<'c>, &Layout),
    (to, to_layout): (&TensorType, &Layout),
) -> Result<'c, Val<'c>> {
    let Some(from) = TensorType::from_mlir(value.r#type()) else {
        return fail(op, "needs tensors of known rank");
    };
    if from == *to && from_layout == to_layout {
        return Ok(value);
    }
    let plain = from_layout.is_row_major() && to_layout.is_row_major();
    let (Some(sizes), Some(target)) = (from.static_shape(), to.static_shape()) else {
        if plain && from.element == to.element {
            return Ok(b.operation("stablehlo.reshape", &[value], to, &[]));
        }
        return fail(
            op,
            "has tensors in other layouts than by rows, which needs static shapes",
        );
    };
    let mut bytes = Bytes {
        op,
        b,
        value,
        element: from.element,
        sizes,
    };
    bytes.transpose(&from_layout.major_to_minor().collect::<Vec<_>>());
    bytes.become_element(&to.element)?;
    let order: Vec<usize> = to_layout.major_to_minor().collect();
    bytes.reshape(&order.iter().map(|d| target[*d]).collect::<Vec<_>>());
    bytes.transpose(&inverse(&order));
    Ok(bytes.value)
}

/// The permutation that undoes `order`.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut found = vec![0; order.len()];
    for (i, d) in order.iter().enumerate() {
        found[*d] = i;
    }
    found
}

impl<'c> Bytes<'_, 'c> {
    fn make(&mut self, name: &str, element: &ElementType, sizes: &[i64]) {
        let ty = TensorType::new(element.clone(), sizes);
        self.value = self.b.operation(name, &[self.value], &ty, &[]);
        self.element = element.clone();
        self.sizes = sizes.to_vec();
    }

    fn reshape(&mut self, sizes: &[i64]) {
        if self.sizes != sizes {
            let element = self.element.clone();
            self.make("stablehlo.reshape", &element, sizes);
        }
    }

    fn transpose(&mut self, order: &[usize]) {
        self.value = self.b.transpose(self.value, order);
        self.sizes = order.iter().map(|d| self.sizes[*d]).collect();
    }

    fn count(&self) -> i64 {
        self.sizes.iter().product()
    }

    /// Reinterprets the bytes as a vector of elements of the type `to`.
    fn become_element(&mut self, to: &ElementType) -> Result<'c> {
        if self.element == *to {
            return Ok(());
        }
        if let ElementType::Complex(kind) = self.element {
            self.split(&ElementType::Float(kind));
            return self.become_element(to);
        }
        if let ElementType::Complex(kind) = to {
            self.become_element(&ElementType::Float(*kind))?;
            return self.join(to);
        }
        let widths = (self.element.bit_width(), to.bit_width());
        let (Some(from), Some(width)) = (widths.0.map(i64::from), widths.1.map(i64::from)) else {
            return fail(self.op, format!("makes {to} of {}", self.element));
        };
        let count = self.count();
        let (narrow, wide) = (from.min(width), from.max(width));
        let ratio = wide / narrow;
        // A truth value has a byte in memory, of which one bit is defined.
        let truth = self.element == ElementType::Bool || *to == ElementType::Bool;
        if wide % narrow != 0 || (from < width && count % ratio != 0) || truth {
            return fail(self.op, format!("makes {to} of {}", self.element));
        }
        let name = "stablehlo.bitcast_convert";
        match from.cmp(&width) {
            std::cmp::Ordering::Equal => {
                let sizes = self.sizes.clone();
                self.make(name, to, &sizes);
            }
            std::cmp::Ordering::Less => {
                self.reshape(&[count / ratio, ratio]);
                self.make(name, to, &[count / ratio]);
            }
            std::cmp::Ordering::Greater => {
                self.reshape(&[count]);
                self.make(name, to, &[count, ratio]);
            }
        }
        Ok(())
    }

    /// Complex numbers as rows of their parts.
    fn split(&mut self, part: &ElementType) {
        let count = self.count();
        self.reshape(&[count, 1]);
        let parts =
            ["stablehlo.real", "stablehlo.imag"].map(|name| self.b.value(name, &[self.value], &[]));
        self.value = self.b.concatenate(&parts, 1);
        self.element = part.clone();
        self.sizes = vec![count, 2];
    }

    /// Rows of two parts as complex numbers.
    fn join(&mut self, to: &ElementType) -> Result<'c> {
        let count = self.count();
        if count % 2 != 0 {
            return fail(self.op, format!("makes {to} of {count} parts"));
        }
        let count = count / 2;
        self.reshape(&[count, 2]);
        let parts = [0, 1].map(|i| {
            self.b
                .slice(self.value, [&[0, i], &[count, i + 1], &[1, 1]])
        });
        self.value = self.b.value("stablehlo.complex", &parts, &[]);
        self.element = to.clone();
        self.sizes = vec![count, 1];
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_and_its_inverse() {
        assert_eq!(inverse(&[2, 0, 1]), [1, 2, 0]);
        let layout = Layout::new(&[0, 1], 2).map(|layout| layout.major_to_minor().collect());
        assert_eq!(layout, Ok(vec![1, 0]));
    }
}
