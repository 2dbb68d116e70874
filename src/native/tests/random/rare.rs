//! What few programs have: values of bounded run-time size, quantized values, random bits,
//! decompositions, statistics of batches.

use super::{
    generate::{Generator, MOST, list, tensor},
    program::Val,
    regions::scalar_region,
};
use mapwright_mlir::{Dim, ElementType, FloatKind, Quantization, TensorType};

impl Generator {
    pub fn rare(&mut self) -> Option<Val> {
        match self.rng.u8(..12) {
            0..5 => self.bounded(),
            5..7 => self.quantized(),
            7..9 => self.random_bits(),
            9 => self.cholesky(),
            10 => self.statistics(),
            _ => self.real_signal(),
        }
    }

    /// The result of a step that later steps do not see: its type is not static.
    fn hidden(&mut self, v: Val) -> Val {
        self.values.retain(|other| other.name != v.name);
        v
    }

    /// A value cut to a run-time size, a few operations on it, and its elements as a static tensor.
    fn bounded(&mut self) -> Option<Val> {
        let x = self.pick(|v| v.ty.rank() > 0 && v.shape().iter().all(|n| (1..40).contains(n)))?;
        let mut shape = x.shape();
        let mut axis = self.rng.usize(..shape.len());
        let bound = shape[axis];
        let mut size = self.rng.i64(0..=bound);
        let limit = |shape: &[i64], axis: usize, element: &ElementType, bound: i64| {
            let mut dims: Vec<Dim> = shape.iter().map(|n| Dim::Static(*n)).collect();
            dims[axis] = Dim::Bounded(bound);
            TensorType {
                element: element.clone(),
                dims,
            }
        };
        let index = ElementType::int(32);
        let count = if self.chance(70) {
            self.indices(&index, &[], (size, size))
        } else {
            self.literal(&index, &[], &size.to_string())
        };
        let element = x.ty.element.clone();
        let attributes = format!("dimension = {axis} : i64");
        let ty = limit(&shape, axis, &element, bound);
        let v = self.emit(
            "set_dimension_size",
            &[&x, &count],
            &attributes,
            ty,
            true,
            x.solid,
        );
        let mut v = self.hidden(v);
        let mut bound = bound;
        for _ in 0..self.rng.u8(0..=3) {
            let other = match self.rng.u8(..6) {
                0 => {
                    let name = match &element {
                        ElementType::Bool => "xor",
                        _ => self.one_of(&["add", "subtract"]),
                    };
                    self.emit(name, &[&v, &v], "", v.ty.clone(), true, false)
                }
                1 => {
                    let mut order: Vec<i64> = (0..shape.len() as i64).collect();
                    self.rng.shuffle(&mut order);
                    let attributes = format!("permutation = {}", list(&order));
                    shape = order.iter().map(|d| shape[*d as usize]).collect();
                    axis = order.iter().position(|d| *d == axis as i64)?;
                    let ty = limit(&shape, axis, &element, bound);
                    self.emit("transpose", &[&v], &attributes, ty, true, v.solid)
                }
                2 => {
                    let attributes = format!("dimensions = {}", list(&[axis as i64]));
                    self.emit("reverse", &[&v], &attributes, v.ty.clone(), true, v.solid)
                }
                3 if 2 * shape.iter().product::<i64>() <= MOST => {
                    (size, bound) = (2 * size, 2 * bound);
                    shape[axis] = bound;
                    let attributes = format!("dimension = {axis} : i64");
                    let ty = limit(&shape, axis, &element, bound);
                    self.emit("concatenate", &[&v, &v], &attributes, ty, true, v.solid)
                }
                4 => {
                    let filler = self.constant(&element, &[]);
                    let (mut low, mut high) = (vec![0; shape.len()], vec![0; shape.len()]);
                    (low[axis], high[axis]) = (self.rng.i64(0..=2), self.rng.i64(0..=2));
                    let more = low[axis] + high[axis];
                    (size, bound) = (size + more, bound + more);
                    shape[axis] = bound;
                    let attributes = format!(
                        "edge_padding_low = {}, edge_padding_high = {}, interior_padding = {}",
                        list(&low),
                        list(&high),
                        list(&vec![0; shape.len()])
                    );
                    let ty = limit(&shape, axis, &element, bound);
                    self.emit("pad", &[&v, &filler], &attributes, ty, true, v.solid)
                }
                _ if element.is_int() || element == ElementType::Bool => {
                    // Over the bounded dimension: static again.
                    let name = if element == ElementType::Bool {
                        "or"
                    } else {
                        "add"
                    };
                    let zero = if element == ElementType::Bool {
                        "false"
                    } else {
                        "0"
                    };
                    let init = self.literal(&element, &[], zero);
                    shape.remove(axis);
                    let to = self.fresh(tensor(&element, &shape), v.exact, true);
                    let operands = [&v, &init];
                    let text = Self::op_text(
                        "reduce",
                        &operands,
                        &scalar_region(name, &element),
                        &format!("dimensions = {}", list(&[axis as i64])),
                        std::slice::from_ref(&to),
                    );
                    self.push(text, &operands, vec![to.clone()]);
                    return Some(to);
                }
                _ => continue,
            };
            v = self.hidden(other);
        }
        shape[axis] = size;
        let sizes = self.vector(&shape);
        let (exact, solid) = (v.exact, v.solid);
        let to = tensor(&element, &shape);
        let v = self.emit("dynamic_reshape", &[&v, &sizes], "", to, exact, solid);
        Some(v)
    }

    /// Real numbers as integers with a scale, something done with them, and back.
    fn quantized(&mut self) -> Option<Val> {
        let x = self
            .pick(|v| v.ty.element == ElementType::F32 && v.exact && v.solid && v.ty.rank() > 0)?;
        let shape = x.shape();
        let width = self.one_of(&[8, 8, 8, 4, 16]);
        let unsigned = self.chance(40);
        let storage = ElementType::Int { width, unsigned };
        let (low, high) = if unsigned {
            (0, (1i64 << width) - 1)
        } else {
            (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1)
        };
        // Powers of two, so that the operands are exact.
        let axis = self.chance(30).then(|| self.rng.usize(..shape.len()));
        let channels = axis.map_or(1, |d| shape[d]);
        if channels == 0 {
            return None;
        }
        let scales: Vec<f64> = (0..channels)
            .map(|_| self.one_of(&[0.5, 0.25, 1.0, 2.0]))
            .collect();
        let zero_points = (0..channels)
            .map(|_| self.rng.i64(low.max(-3)..=high.min(3)))
            .collect();
        let ty = TensorType {
            element: ElementType::Quantized(std::sync::Arc::new(Quantization {
                storage,
                expressed: FloatKind::F32,
                storage_min: low,
                storage_max: high,
                scales,
                zero_points,
                axis,
            })),
            dims: x.ty.dims.clone(),
        };
        let q = self.emit("uniform_quantize", &[&x], "", ty.clone(), true, true);
        let mut q = self.hidden(q);
        let name = self.one_of(&["", "add", "maximum", "negate", "reverse", "select"]);
        let other = match name {
            "add" | "maximum" if axis.is_none() => {
                Some(self.emit(name, &[&q, &q], "", ty, true, true))
            }
            "negate" if axis.is_none() => Some(self.emit(name, &[&q], "", ty, true, true)),
            "reverse" if axis != Some(0) => {
                let attributes = format!("dimensions = {}", list(&[0]));
                Some(self.emit(name, &[&q], &attributes, ty, true, true))
            }
            "select" => {
                let p = self.of_type(&tensor(&ElementType::Bool, &shape));
                p.exact
                    .then(|| self.emit(name, &[&p, &q, &q], "", ty, true, true))
            }
            _ => None,
        };
        if let Some(other) = other {
            q = self.hidden(other);
        }
        let to = tensor(&ElementType::F32, &shape);
        Some(self.emit("uniform_dequantize", &[&q], "", to, true, true))
    }

    fn random_bits(&mut self) -> Option<Val> {
        let words = self.one_of(&[2, 2, 3]);
        let algorithm = match words {
            3 => "PHILOX",
            _ => self.one_of(&["PHILOX", "THREE_FRY", "DEFAULT"]),
        };
        let state = self.input(&ElementType::uint(64), &[words]);
        let element = match self.rng.u8(..6) {
            0 => ElementType::F32,
            1 => ElementType::F64,
            _ => ElementType::Int {
                width: self.one_of(&[8, 16, 32, 64]),
                unsigned: self.rng.bool(),
            },
        };
        let shape = self.shape();
        let exact = !element.is_float();
        let results = vec![
            self.fresh(state.ty.clone(), true, true),
            self.fresh(tensor(&element, &shape), true, exact),
        ];
        let attributes = format!("rng_algorithm = #stablehlo<rng_algorithm {algorithm}>");
        let text = Self::op_text("rng_bit_generator", &[&state], "", &attributes, &results);
        self.push(text, &[&state], results.clone());
        results.last().cloned()
    }

    fn cholesky(&mut self) -> Option<Val> {
        let element = self.one_of(&[ElementType::F32, ElementType::F64]);
        let n = self.rng.i64(1..=6);
        let ty = tensor(&element, &[n, n]);
        let a = self.of_type(&ty);
        if !a.solid {
            return None;
        }
        // A A^T + 64, well away from singular.
        let dot = "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>";
        let square = self.emit("dot_general", &[&a, &a], dot, ty.clone(), false, false);
        let shift = self.identity(&element, n);
        let sum = self.emit("add", &[&square, &shift], "", ty.clone(), false, false);
        let attributes = format!("lower = {}", self.rng.bool());
        let l = self.emit("cholesky", &[&sum], &attributes, ty.clone(), false, false);
        // The other triangle is anything.
        let lower = attributes.ends_with("true");
        let (row, column) = (self.place(n, 0), self.place(n, 1));
        let direction = if lower { "GE" } else { "LE" };
        let inside = self.emit(
            "compare",
            &[&row, &column],
            &format!("comparison_direction = #stablehlo<comparison_direction {direction}>"),
            tensor(&ElementType::Bool, &[n, n]),
            true,
            true,
        );
        let zero = self.literal(&element, &[n, n], "0.0");
        self.hidden(l.clone());
        let v = self.emit("select", &[&inside, &l, &zero], "", ty, false, false);
        Some(v)
    }

    fn place(&mut self, n: i64, axis: usize) -> Val {
        let ty = tensor(&ElementType::int(32), &[n, n]);
        let attributes = format!("iota_dimension = {axis} : i64");
        self.emit("iota", &[], &attributes, ty, true, true)
    }

    /// 64 along the diagonal.
    fn identity(&mut self, element: &ElementType, n: i64) -> Val {
        let (row, column) = (self.place(n, 0), self.place(n, 1));
        let same = self.emit(
            "compare",
            &[&row, &column],
            "comparison_direction = #stablehlo<comparison_direction EQ>",
            tensor(&ElementType::Bool, &[n, n]),
            true,
            true,
        );
        let one = self.literal(element, &[n, n], "64.0");
        let zero = self.literal(element, &[n, n], "0.0");
        let ty = tensor(element, &[n, n]);
        self.emit("select", &[&same, &one, &zero], "", ty, true, true)
    }

    /// `batch_norm_training` and `batch_norm_grad`.
    fn statistics(&mut self) -> Option<Val> {
        let x = self.pick(|v| {
            v.solid
                && v.ty.rank() > 0
                && !v.shape().contains(&0)
                && matches!(v.ty.element, ElementType::F32 | ElementType::F64)
        })?;
        let shape = x.shape();
        let feature = self.rng.usize(..shape.len());
        let vector = tensor(&x.ty.element, &[shape[feature]]);
        let attributes = format!("epsilon = 0.5 : f32, feature_index = {feature} : i64");
        let (a, b) = (self.of_type(&vector), self.of_type(&vector));
        let results = vec![
            self.fresh(x.ty.clone(), false, false),
            self.fresh(vector.clone(), false, false),
            self.fresh(vector.clone(), false, false),
        ];
        if self.rng.bool() {
            let operands = [&x, &a, &b];
            let text = Self::op_text("batch_norm_training", &operands, "", &attributes, &results);
            self.push(text, &operands, results.clone());
        } else {
            let root = self.of_type(&vector);
            let variance = self.emit("multiply", &[&root, &root], "", vector, true, false);
            let grad = self.of_type(&x.ty);
            let operands = [&x, &a, &b, &variance, &grad];
            let text = Self::op_text("batch_norm_grad", &operands, "", &attributes, &results);
            self.push(text, &operands, results.clone());
        }
        results.first().cloned()
    }

    /// An inverse transform to real numbers, over one to three dimensions.
    fn real_signal(&mut self) -> Option<Val> {
        let x = self.pick(|v| {
            v.solid
                && v.ty.rank() > 0
                && v.shape().iter().all(|n| (1..=40).contains(n))
                && v.ty.element.is_complex()
        })?;
        let ElementType::Complex(kind) = x.ty.element else {
            return None;
        };
        let mut shape = x.shape();
        let rank = shape.len();
        let last = 2 * (shape[rank - 1] - 1) + self.rng.i64(0..=1);
        if last < 1 {
            return None;
        }
        shape[rank - 1] = last;
        let n = self.rng.usize(1..=rank.min(3));
        let attributes = format!(
            "fft_type = #stablehlo<fft_type IRFFT>, fft_length = {}",
            list(&shape[rank - n..])
        );
        let ty = tensor(&ElementType::Float(kind), &shape);
        Some(self.emit("fft", &[&x], &attributes, ty, false, false))
    }
}
