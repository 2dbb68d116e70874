//! Constant tensors as bytes.

use super::number::{Number, encode};
use mapwright_mlir::{
    ElementType, TensorType, Val,
    attr::{self, Dense},
    melior::ir::ValueLike,
    op,
};

/// A constant: row-major, elements as we store them (see [`Dense`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its element type.
    pub element: ElementType,
    /// Its sizes.
    pub shape: Vec<i64>,
    /// Bytes of one element.
    pub width: usize,
    /// All elements.
    pub data: Vec<u8>,
}

impl Tensor {
    /// A tensor of the type of `value` without data; `None` for types that are not folded and for
    /// more than `max_elements`.
    pub fn place(value: Val<'_>, max_elements: usize) -> Option<Self> {
        Self::of_type(&TensorType::from_mlir(value.r#type())?, max_elements)
    }

    /// As [`Tensor::place`], of a type.
    pub fn of_type(ty: &TensorType, max_elements: usize) -> Option<Self> {
        let foldable = match &ty.element {
            ElementType::Bool | ElementType::Int { .. } | ElementType::Index => true,
            ElementType::Complex(_) => true,
            ElementType::Float(kind) => kind.width() >= 8,
            _ => false,
        };
        let count = usize::try_from(ty.num_elements()?).ok()?;
        if !foldable || count > max_elements {
            return None;
        }
        Some(Self {
            width: ty.element.byte_width()?,
            shape: ty.static_shape()?,
            element: ty.element.clone(),
            data: Vec::new(),
        })
    }

    /// The constant that `value` is; also positions (`iota`).
    pub fn from_constant(value: Val<'_>, max_elements: usize) -> Option<Self> {
        let mut tensor = Self::place(value, max_elements)?;
        let (source, _) = op::defining_op(value)?;
        if source.dialect() != "stablehlo" {
            return None;
        }
        tensor.data = match source.short_name() {
            "constant" => Dense::from_mlir(source.attribute("value")?)?.expanded()?,
            "iota" => {
                let d = usize::try_from(source.int("iota_dimension")?).ok()?;
                tensor.positions(d)?.data
            }
            _ => return None,
        };
        (tensor.data.len() == tensor.count() * tensor.width).then_some(tensor)
    }

    /// Of this type, these integers.
    pub fn of_ints(&self, values: &[i64]) -> Option<Self> {
        let encoded = |n: &i64| encode(Number::Int(i128::from(*n)), &self.element);
        let data = values.iter().map(encoded).collect::<Option<Vec<_>>>()?;
        Some(self.with(data.concat()))
    }

    /// Of this type, every element its index in dimension `d`.
    pub fn positions(&self, d: usize) -> Option<Self> {
        let mut data = Vec::new();
        for i in 0..self.count() {
            let number = Number::Int(i128::from(*self.index(i).get(d)?));
            match self.element {
                ElementType::Complex(kind) => {
                    data.extend(encode(number, &ElementType::Float(kind))?);
                    data.resize((i + 1) * self.width, 0);
                }
                _ => data.extend(encode(number, &self.element)?),
            }
        }
        Some(self.with(data))
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.shape.iter().product::<i64>() as usize
    }

    /// The bytes of element `i`.
    pub fn at(&self, i: usize) -> &[u8] {
        &self.data[i * self.width..(i + 1) * self.width]
    }

    /// The index of element `i`.
    pub fn index(&self, i: usize) -> Vec<i64> {
        let mut rest = i as i64;
        let mut index = vec![0; self.shape.len()];
        for d in (0..self.shape.len()).rev() {
            index[d] = rest % self.shape[d];
            rest /= self.shape[d];
        }
        index
    }

    /// The number of the element at `index`, which must be inside.
    pub fn position(&self, index: &[i64]) -> usize {
        index
            .iter()
            .zip(&self.shape)
            .fold(0, |at, (i, size)| at * size + i) as usize
    }

    /// Tensor of this type with other data.
    pub fn with(&self, data: Vec<u8>) -> Self {
        Self {
            data,
            ..self.clone()
        }
    }

    /// As an attribute's data; all the same where it is.
    pub fn to_dense(&self) -> Dense {
        let splat = self.count() > 0
            && self
                .data
                .chunks_exact(self.width)
                .all(|element| element == self.at(0));
        Dense {
            ty: TensorType::new(self.element.clone(), &self.shape),
            data: if splat {
                self.at(0).to_vec()
            } else {
                self.data.clone()
            },
            splat,
        }
    }
}

/// An integer constant operand of an attribute-like kind: all its values.
pub fn ints(tensor: &Tensor) -> Option<Vec<i64>> {
    (0..tensor.count())
        .map(
            |i| match super::number::decode(tensor.at(i), &tensor.element)? {
                Number::Int(value) => i64::try_from(value).ok(),
                Number::Float(_) => None,
            },
        )
        .collect()
}

/// The integers of an attribute.
pub fn attribute(op: mapwright_mlir::Op<'_>, name: &str) -> Option<Vec<i64>> {
    op.attribute(name).and_then(attr::ints)
}
