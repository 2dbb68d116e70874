//! Types of values in random programs of tensor arrays, and constants of them.

use std::fmt;

/// Type of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// Element type and sizes.
    Tensor(&'static str, Vec<i64>),
    /// Type of the elements and greatest length.
    Array(Box<Ty>, i64),
    /// Number of sizes.
    Shape(usize),
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Tensor(element, shape) => {
                let sizes: String = shape.iter().map(|n| format!("{n}x")).collect();
                write!(f, "tensor<{sizes}{element}>")
            }
            Ty::Array(element, max) => write!(f, "!tarray.array<{element}, max = {max}>"),
            Ty::Shape(rank) => write!(f, "!tarray.shape<{rank}>"),
        }
    }
}

/// A number.
pub fn number() -> Ty {
    Ty::Tensor("i64", vec![])
}

pub fn array(element: Ty, max: i64) -> Ty {
    Ty::Array(Box::new(element), max)
}

pub fn count(shape: &[i64]) -> i64 {
    shape.iter().product()
}

impl Ty {
    /// The maxima of the levels and the leaf.
    pub fn levels(&self) -> (Vec<i64>, &Ty) {
        match self {
            Ty::Array(element, max) => {
                let (mut all, leaf) = element.levels();
                all.insert(0, *max);
                (all, leaf)
            }
            other => (Vec::new(), other),
        }
    }

    /// Leaves and their elements at most.
    pub fn size(&self) -> i64 {
        let (max, leaf) = self.levels();
        match leaf {
            Ty::Tensor(_, shape) => count(&max) * count(shape).max(1),
            _ => 1,
        }
    }

    pub fn element(&self) -> &'static str {
        match self.levels().1 {
            Ty::Tensor(element, _) => element,
            _ => "i64",
        }
    }

    pub fn tensor(&self) -> Option<(&'static str, &[i64])> {
        match self {
            Ty::Tensor(element, shape) => Some((element, shape)),
            _ => None,
        }
    }
}

/// A random number of an element type, as it is written.
pub fn scalar(rng: &mut fastrand::Rng, element: &str) -> String {
    match element {
        "i1" => rng.bool().to_string(),
        "ui8" => rng.u8(..).to_string(),
        "f32" => format!("{:?}", f64::from(rng.i32(-40..40)) / 4.0),
        "i64" => rng.i64(-4..9).to_string(),
        _ => rng.i32(-100..100).to_string(),
    }
}

/// `dense<…>` with these elements.
pub fn dense(shape: &[i64], elements: &[String]) -> String {
    fn nest(shape: &[i64], elements: &[String]) -> String {
        let [n, rest @ ..] = shape else {
            return elements[0].clone();
        };
        let step = count(rest) as usize;
        let parts: Vec<String> = (0..*n as usize)
            .map(|i| nest(rest, &elements[i * step..(i + 1) * step]))
            .collect();
        format!("[{}]", parts.join(", "))
    }
    match count(shape) {
        0 => "dense<>".into(),
        _ => format!("dense<{}>", nest(shape, elements)),
    }
}
