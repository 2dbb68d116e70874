//! Values of a program: tensors of plain scalars, tokens, tuples.

use crate::{Error, Result, formats};
use mapwright_mlir::{ElementType, TensorType};

/// One element. Integers and stored quantized values are kept in `Int`, every real format in
/// `Real`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// `i1`.
    Bool(bool),
    /// Integers, wrapped to the width of their type.
    Int(i128),
    /// A value of the element's format.
    Real(f64),
    /// Real and imaginary part, values of the part's format.
    Complex(f64, f64),
}

impl Scalar {
    /// The boolean.
    pub fn truth(self) -> Result<bool> {
        match self {
            Self::Bool(x) => Ok(x),
            other => Err(Error::plain(format!("{other:?} is no boolean"))),
        }
    }

    /// The integer (a boolean counts as 0 or 1).
    pub fn int(self) -> Result<i128> {
        match self {
            Self::Int(x) => Ok(x),
            Self::Bool(x) => Ok(i128::from(x)),
            other => Err(Error::plain(format!("{other:?} is no integer"))),
        }
    }

    /// The real number.
    pub fn real(self) -> Result<f64> {
        match self {
            Self::Real(x) => Ok(x),
            other => Err(Error::plain(format!("{other:?} is no real number"))),
        }
    }

    /// The complex number; a real one has no imaginary part.
    pub fn complex(self) -> Result<(f64, f64)> {
        match self {
            Self::Complex(re, im) => Ok((re, im)),
            Self::Real(re) => Ok((re, 0.0)),
            other => Err(Error::plain(format!("{other:?} is no complex number"))),
        }
    }
}

/// The zero of a type.
pub fn zero(element: &ElementType) -> Scalar {
    match element {
        ElementType::Bool => Scalar::Bool(false),
        ElementType::Float(_) => Scalar::Real(0.0),
        ElementType::Complex(_) => Scalar::Complex(0.0, 0.0),
        _ => Scalar::Int(0),
    }
}

/// The one of a type (true for booleans).
pub fn one(element: &ElementType) -> Scalar {
    match element {
        ElementType::Bool => Scalar::Bool(true),
        ElementType::Float(_) => Scalar::Real(1.0),
        ElementType::Complex(_) => Scalar::Complex(1.0, 0.0),
        _ => Scalar::Int(1),
    }
}

/// Width and signedness of integers (and of what is stored like them).
pub fn integer(element: &ElementType) -> Option<(u32, bool)> {
    match element {
        ElementType::Int { width, unsigned } => Some((*width, *unsigned)),
        ElementType::Index => Some((64, false)),
        ElementType::Quantized(q) => integer(&q.storage),
        _ => None,
    }
}

/// `x` modulo `2^width`, in the range of the type.
pub fn wrap(width: u32, unsigned: bool, x: i128) -> i128 {
    let shift = 128 - width;
    if unsigned {
        (((x << shift) as u128) >> shift) as i128
    } else {
        (x << shift) >> shift
    }
}

/// The value that the type holds for `x`: integers wrap, real numbers are rounded to nearest even.
pub fn fit(element: &ElementType, x: Scalar) -> Scalar {
    match (element, x) {
        (ElementType::Float(kind), Scalar::Real(x)) => Scalar::Real(formats::round(*kind, x)),
        (ElementType::Complex(kind), Scalar::Complex(re, im)) => {
            Scalar::Complex(formats::round(*kind, re), formats::round(*kind, im))
        }
        (element, Scalar::Int(x)) => match integer(element) {
            Some((width, unsigned)) => Scalar::Int(wrap(width, unsigned, x)),
            None => Scalar::Int(x),
        },
        (_, x) => x,
    }
}

/// A dense tensor, elements in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Type of the elements.
    pub element: ElementType,
    /// Sizes.
    pub shape: Vec<i64>,
    /// The elements.
    pub data: Vec<Scalar>,
}

/// All indices of `shape` in row-major order.
pub fn indices(shape: &[i64]) -> impl Iterator<Item = Vec<i64>> + use<> {
    let shape = shape.to_vec();
    let empty = shape.iter().any(|n| *n <= 0);
    let mut next = (!empty).then(|| vec![0; shape.len()]);
    std::iter::from_fn(move || {
        let current = next.clone()?;
        let mut following = current.clone();
        let mut d = shape.len();
        next = loop {
            if d == 0 {
                break None;
            }
            d -= 1;
            following[d] += 1;
            if following[d] < shape[d] {
                break Some(following);
            }
            following[d] = 0;
        };
        Some(current)
    })
}

impl Tensor {
    /// A tensor whose elements `f` gives.
    pub fn build(
        element: &ElementType,
        shape: &[i64],
        mut f: impl FnMut(&[i64]) -> Result<Scalar>,
    ) -> Result<Self> {
        crate::limit(shape)?;
        let data = indices(shape).map(|i| f(&i)).collect::<Result<Vec<_>>>()?;
        Ok(Self {
            element: element.clone(),
            shape: shape.to_vec(),
            data,
        })
    }

    /// A tensor of rank 0.
    pub fn scalar(element: &ElementType, value: Scalar) -> Self {
        Self {
            element: element.clone(),
            shape: Vec::new(),
            data: vec![value],
        }
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Place of an index; `None` outside of the tensor.
    pub fn position(&self, index: &[i64]) -> Option<usize> {
        if index.len() != self.shape.len() {
            return None;
        }
        let mut at = 0i64;
        for (i, n) in index.iter().zip(&self.shape) {
            if !(0..*n).contains(i) {
                return None;
            }
            at = at * n + i;
        }
        usize::try_from(at).ok()
    }

    /// The element at an index.
    pub fn at(&self, index: &[i64]) -> Result<Scalar> {
        self.position(index)
            .and_then(|at| self.data.get(at).copied())
            .ok_or_else(|| {
                Error::plain(format!(
                    "index {index:?} is outside of a tensor of shape {:?}",
                    self.shape
                ))
            })
    }

    /// The only element.
    pub fn only(&self) -> Result<Scalar> {
        match self.data.as_slice() {
            [one] => Ok(*one),
            _ => Err(Error::plain(format!(
                "a tensor of shape {:?} where one element is expected",
                self.shape
            ))),
        }
    }

    /// Elements as sizes or indices.
    pub fn ints(&self) -> Result<Vec<i64>> {
        let one = |x: &Scalar| {
            i64::try_from(x.int()?).map_err(|_| Error::plain("an index beyond 64 bits"))
        };
        self.data.iter().map(one).collect()
    }

    /// Reads elements stored as buffers have them: little endian, at least a byte each, narrow
    /// integers extended.
    pub fn from_bytes(element: &ElementType, shape: &[i64], bytes: &[u8]) -> Result<Self> {
        crate::limit(shape)?;
        let width = element
            .byte_width()
            .ok_or_else(|| Error::plain(format!("elements of type {element} have no size")))?;
        let data: Vec<Scalar> = bytes
            .chunks_exact(width)
            .map(|chunk| read(element, chunk))
            .collect();
        let count: i64 = shape.iter().product();
        if data.len() as i64 != count {
            return Err(Error::plain(format!(
                "{} elements for a tensor of shape {shape:?}",
                data.len()
            )));
        }
        Ok(Self {
            element: element.clone(),
            shape: shape.to_vec(),
            data,
        })
    }

    /// The inverse of [`Tensor::from_bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let width = self.element.byte_width().unwrap_or(1);
        let mut bytes = Vec::with_capacity(width * self.data.len());
        for x in &self.data {
            bytes.extend_from_slice(&bits(&self.element, *x).to_le_bytes()[..width]);
        }
        bytes
    }

    /// Its static type.
    pub fn ty(&self) -> TensorType {
        TensorType::new(self.element.clone(), &self.shape)
    }
}

fn read(element: &ElementType, bytes: &[u8]) -> Scalar {
    let mut wide = [0u8; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    from_bits(element, u128::from_le_bytes(wide))
}

/// The element that a pattern of bits means.
pub fn from_bits(element: &ElementType, bits: u128) -> Scalar {
    match element {
        ElementType::Bool => Scalar::Bool(bits & 1 == 1),
        ElementType::Float(kind) => {
            let mask = (1u128 << kind.width()) - 1;
            Scalar::Real(formats::from_bits(*kind, (bits & mask) as u64))
        }
        ElementType::Complex(kind) => {
            let width = kind.width();
            let mask = (1u128 << width) - 1;
            Scalar::Complex(
                formats::from_bits(*kind, (bits & mask) as u64),
                formats::from_bits(*kind, ((bits >> width) & mask) as u64),
            )
        }
        other => {
            let (width, unsigned) = integer(other).unwrap_or((64, false));
            Scalar::Int(wrap(width, unsigned, bits as i128))
        }
    }
}

/// The pattern of bits of an element; integers are sign-extended.
pub fn bits(element: &ElementType, x: Scalar) -> u128 {
    match (element, x) {
        (_, Scalar::Bool(x)) => u128::from(x),
        (_, Scalar::Int(x)) => x as u128,
        (ElementType::Float(kind), Scalar::Real(x)) => u128::from(formats::to_bits(*kind, x)),
        (ElementType::Complex(kind), Scalar::Complex(re, im)) => {
            u128::from(formats::to_bits(*kind, re))
                | (u128::from(formats::to_bits(*kind, im)) << kind.width())
        }
        _ => 0,
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// A token.
    Token,
    /// A tuple.
    Tuple(Vec<Value>),
    /// A tensor array: its elements.
    Array(Vec<Value>),
    /// A tensor shape: its sizes.
    Shape(Vec<i64>),
}

impl Value {
    /// The tensor.
    pub fn tensor(&self) -> Result<&Tensor> {
        match self {
            Self::Tensor(tensor) => Ok(tensor),
            _ => Err(Error::plain(
                "a token, tuple, array or shape where a tensor is expected",
            )),
        }
    }
}
