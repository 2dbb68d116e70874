//! Contractions, elements at computed places, and operations of a family of their own.

use super::{
    generate::{Generator, MOST, list, pairs, plain, tensor},
    program::Val,
    regions::scalar_region,
};
use mapwright_mlir::{ElementType, FloatKind};

impl Generator {
    pub fn contraction(&mut self) -> Option<Val> {
        if self.chance(45) {
            return self.convolution();
        }
        let x = self.pick(|v| {
            v.ty.rank() > 0
                && v.ty.element != ElementType::Bool
                && (v.ty.element.bit_width() >= Some(16) || v.ty.element.is_int())
        })?;
        let shape = x.shape();
        // What every dimension of the left operand is: batch, contracted, free.
        let kinds: Vec<u8> = shape
            .iter()
            .map(|_| self.one_of(&[0, 1, 1, 2, 2]))
            .collect();
        let of = |k: u8| -> Vec<i64> {
            (0..shape.len())
                .filter(|d| kinds[*d] == k)
                .map(|d| d as i64)
                .collect()
        };
        let (batch, contracted, free) = (of(0), of(1), of(2));
        let new: Vec<i64> = (0..self.rng.usize(0..=2))
            .map(|_| self.size().min(20))
            .collect();
        // The right operand has them in an order of its own.
        let mut sources: Vec<(u8, usize)> = (0..batch.len()).map(|i| (0, i)).collect();
        sources.extend((0..contracted.len()).map(|i| (1, i)));
        sources.extend((0..new.len()).map(|i| (2, i)));
        self.rng.shuffle(&mut sources);
        let size = |(kind, i): (u8, usize)| match kind {
            0 => shape[batch[i] as usize],
            1 => shape[contracted[i] as usize],
            _ => new[i],
        };
        let right: Vec<i64> = sources.iter().map(|s| size(*s)).collect();
        let place = |kind: u8, n: usize| -> Vec<i64> {
            (0..n)
                .map(|i| sources.iter().position(|s| *s == (kind, i)).unwrap_or(0) as i64)
                .collect()
        };
        let (right_batch, right_contracted) = (place(0, batch.len()), place(1, contracted.len()));
        let mut to: Vec<i64> = batch.iter().map(|d| shape[*d as usize]).collect();
        to.extend(free.iter().map(|d| shape[*d as usize]));
        to.extend(sources.iter().filter(|s| s.0 == 2).map(|s| size(*s)));
        let k: i64 = contracted.iter().map(|d| shape[*d as usize]).product();
        if to.iter().product::<i64>() * k.max(1) > 20 * MOST || right.iter().product::<i64>() > MOST
        {
            return None;
        }
        let y = self.of_type(&tensor(&x.ty.element, &right));
        let attributes = format!(
            "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = {}, rhs_batching_dimensions = {}, lhs_contracting_dimensions = {}, rhs_contracting_dimensions = {}>",
            plain(&batch),
            plain(&right_batch),
            plain(&contracted),
            plain(&right_contracted)
        );
        let exact = x.ty.element.is_int();
        Some(self.emit(
            "dot_general",
            &[&x, &y],
            &attributes,
            tensor(&x.ty.element, &to),
            exact,
            false,
        ))
    }

    fn convolution(&mut self) -> Option<Val> {
        let n = self.rng.usize(1..=2);
        let element = self.one_of(&[
            ElementType::F32,
            ElementType::F32,
            ElementType::F64,
            ElementType::Float(FloatKind::BF16),
            ElementType::int(32),
            ElementType::int(8),
        ]);
        let groups = self.one_of(&[1, 1, 1, 2, 3]);
        let by_batch = groups > 1 && self.chance(30);
        let (feature_groups, batch_groups) = if by_batch { (1, groups) } else { (groups, 1) };
        let inner = self.rng.i64(1..=4);
        let (batch, features) = (self.rng.i64(1..=2) * batch_groups, inner * feature_groups);
        let out = self.rng.i64(1..=4) * groups;
        let spatial: Vec<i64> = (0..n).map(|_| self.rng.i64(1..=9)).collect();
        let w = self.windows(&spatial, true)?;
        let reversal: Vec<bool> = (0..n).map(|_| self.chance(20)).collect();
        let mut layout = |letters: [&str; 2]| -> Vec<String> {
            let mut labels: Vec<String> = letters.iter().map(ToString::to_string).collect();
            labels.extend((0..n).map(|i| i.to_string()));
            self.rng.shuffle(&mut labels);
            labels
        };
        let (input, kernel, output) = (layout(["b", "f"]), layout(["i", "o"]), layout(["b", "f"]));
        let shape = |labels: &[String], of: &dyn Fn(&str) -> i64, spatial: &[i64]| -> Vec<i64> {
            labels
                .iter()
                .map(|l| l.parse::<usize>().map_or_else(|_| of(l), |i| spatial[i]))
                .collect()
        };
        let from = shape(
            &input,
            &|l| if l == "b" { batch } else { features },
            &spatial,
        );
        let weights = shape(&kernel, &|l| if l == "i" { inner } else { out }, &w.size);
        let to = shape(
            &output,
            &|l| if l == "b" { batch / batch_groups } else { out },
            &w.count,
        );
        if from.iter().product::<i64>() > MOST || to.iter().product::<i64>() > MOST {
            return None;
        }
        let x = self.of_type(&tensor(&element, &from));
        let y = self.of_type(&tensor(&element, &weights));
        let flags: Vec<String> = reversal.iter().map(ToString::to_string).collect();
        let attributes = format!(
            "dimension_numbers = #stablehlo.conv<[{}]x[{}]->[{}]>, window_strides = {}, padding = {}, lhs_dilation = {}, rhs_dilation = {}, window_reversal = array<i1: {}>, feature_group_count = {feature_groups} : i64, batch_group_count = {batch_groups} : i64",
            input.join(", "),
            kernel.join(", "),
            output.join(", "),
            list(&w.stride),
            pairs(&w.padding),
            list(&w.base),
            list(&w.dilation),
            flags.join(", ")
        );
        let exact = element.is_int();
        Some(self.emit(
            "convolution",
            &[&x, &y],
            &attributes,
            tensor(&element, &to),
            exact,
            false,
        ))
    }

    pub fn gathered(&mut self) -> Option<Val> {
        let x = self.pick(|v| v.ty.rank() > 0 && !v.shape().contains(&0))?;
        let shape = x.shape();
        let rank = shape.len();
        let element = x.ty.element.clone();
        let window: Vec<i64> = shape.iter().map(|n| self.rng.i64(1..=*n)).collect();
        match self.rng.u8(..4) {
            0 => {
                let starts = self.starts(rank);
                let operands: Vec<&Val> = std::iter::once(&x).chain(&starts).collect();
                let attributes = format!("slice_sizes = {}", list(&window));
                Some(self.emit(
                    "dynamic_slice",
                    &operands,
                    &attributes,
                    tensor(&element, &window),
                    true,
                    x.solid,
                ))
            }
            1 => {
                let starts = self.starts(rank);
                let update = self.of_type(&tensor(&element, &window));
                let operands: Vec<&Val> = [&x, &update].into_iter().chain(&starts).collect();
                let solid = x.solid && update.solid;
                Some(self.emit(
                    "dynamic_update_slice",
                    &operands,
                    "",
                    x.ty.clone(),
                    true,
                    solid,
                ))
            }
            2 => {
                let mut dims: Vec<i64> = (0..rank as i64).filter(|_| self.rng.bool()).collect();
                self.rng.shuffle(&mut dims);
                let batch: Vec<i64> = (0..self.rng.usize(0..=2))
                    .map(|_| self.rng.i64(1..=7))
                    .collect();
                let mut sizes = window.clone();
                let mut collapsed = Vec::new();
                for d in 0..rank {
                    if self.chance(50) {
                        sizes[d] = 1;
                        collapsed.push(d as i64);
                    }
                }
                let index_shape = [batch.clone(), vec![dims.len() as i64]].concat();
                let index = self.index_values(&index_shape, &shape);
                let offsets: Vec<i64> = (0..rank)
                    .filter(|d| !collapsed.contains(&(*d as i64)))
                    .map(|d| sizes[d])
                    .collect();
                let (to, positions) = self.woven(&batch, &offsets);
                if to.iter().product::<i64>() > MOST {
                    return None;
                }
                let attributes = format!(
                    "dimension_numbers = #stablehlo.gather<offset_dims = {}, collapsed_slice_dims = {}, start_index_map = {}, index_vector_dim = {}>, slice_sizes = {}, indices_are_sorted = false",
                    plain(&positions),
                    plain(&collapsed),
                    plain(&dims),
                    batch.len(),
                    list(&sizes)
                );
                Some(self.emit(
                    "gather",
                    &[&x, &index],
                    &attributes,
                    tensor(&element, &to),
                    true,
                    x.solid,
                ))
            }
            _ => self.scatter(&x, &window),
        }
    }

    /// Start indices: scalars of one integer type.
    fn starts(&mut self, rank: usize) -> Vec<Val> {
        let element = self.one_of(&[
            ElementType::int(32),
            ElementType::int(64),
            ElementType::uint(32),
            ElementType::int(8),
            ElementType::uint(8),
        ]);
        let ty = tensor(&element, &[]);
        (0..rank)
            .map(|_| match self.pick(|v| v.ty == ty && v.exact) {
                Some(v) if self.rng.bool() => v,
                _ => self.indices(&element, &[], (-2, 9)),
            })
            .collect()
    }

    /// A tensor of indices, some of them outside of `shape`.
    fn index_values(&mut self, shape: &[i64], of: &[i64]) -> Val {
        let element = self.one_of(&[
            ElementType::int(32),
            ElementType::int(64),
            ElementType::uint(32),
        ]);
        let most = of.iter().max().copied().unwrap_or(1);
        let least = if element.is_unsigned() { 0 } else { -2 };
        self.indices(&element, shape, (least, most + 1))
    }

    /// Batch and offset sizes in one shape, and where the offsets are.
    fn woven(&mut self, batch: &[i64], offsets: &[i64]) -> (Vec<i64>, Vec<i64>) {
        let rank = batch.len() + offsets.len();
        let mut places: Vec<i64> = (0..rank as i64).collect();
        self.rng.shuffle(&mut places);
        places.truncate(offsets.len());
        places.sort_unstable();
        let (mut b, mut o) = (batch.iter(), offsets.iter());
        let shape = (0..rank as i64)
            .filter_map(|d| {
                if places.contains(&d) {
                    o.next()
                } else {
                    b.next()
                }
            })
            .copied()
            .collect();
        (shape, places)
    }

    fn scatter(&mut self, x: &Val, window: &[i64]) -> Option<Val> {
        let shape = x.shape();
        let element = x.ty.element.clone();
        if element == ElementType::Bool || element.bit_width()? < 16 {
            return None;
        }
        let rank = shape.len();
        let mut dims: Vec<i64> = (0..rank as i64).filter(|_| self.rng.bool()).collect();
        self.rng.shuffle(&mut dims);
        let batch: Vec<i64> = (0..self.rng.usize(0..=2))
            .map(|_| self.rng.i64(1..=7))
            .collect();
        let inserted: Vec<i64> = (0..rank as i64).filter(|_| self.rng.bool()).collect();
        let index_shape = [batch.clone(), vec![dims.len() as i64]].concat();
        let index = self.index_values(&index_shape, &shape);
        let windows: Vec<i64> = (0..rank)
            .filter(|d| !inserted.contains(&(*d as i64)))
            .map(|d| window[d])
            .collect();
        let (updates, positions) = self.woven(&batch, &windows);
        if updates.iter().product::<i64>() > MOST {
            return None;
        }
        let update = self.of_type(&tensor(&element, &updates));
        let name = match &element {
            ElementType::Complex(_) => "add",
            _ => self.one_of(&["add", "maximum", "minimum"]),
        };
        let exact = element.is_int() || name != "add";
        let attributes = format!(
            "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {}, inserted_window_dims = {}, scatter_dims_to_operand_dims = {}, index_vector_dim = {}>, indices_are_sorted = false, unique_indices = false",
            plain(&positions),
            plain(&inserted),
            plain(&dims),
            batch.len()
        );
        let solid = exact && x.solid && update.solid;
        let v = self.fresh(x.ty.clone(), exact && x.exact && update.exact, solid);
        let operands = [x, &index, &update];
        let region = scalar_region(name, &element);
        let text = Self::op_text(
            "scatter",
            &operands,
            &region,
            &attributes,
            std::slice::from_ref(&v),
        );
        self.push(text, &operands, vec![v.clone()]);
        Some(v)
    }

    pub fn special(&mut self) -> Option<Val> {
        match self.rng.u8(..4) {
            0 => {
                let kind = self.one_of(&[FloatKind::F32, FloatKind::F64]);
                let part = ElementType::Float(kind);
                let x = self.pick(|v| v.ty.element == part)?;
                let y = self.of_type(&x.ty);
                let ty = tensor(&ElementType::Complex(kind), &x.shape());
                Some(self.emit("complex", &[&x, &y], "", ty, true, x.solid && y.solid))
            }
            1 => {
                let x = self.pick(|v| {
                    // Where there are NaNs or infinities, the order of the operations decides which
                    // elements they reach.
                    v.solid
                        && v.ty.rank() > 0
                        && v.shape().iter().all(|n| (1..=40).contains(n))
                        && matches!(
                            v.ty.element,
                            ElementType::Complex(_) | ElementType::F32 | ElementType::F64
                        )
                })?;
                let shape = x.shape();
                let rank = shape.len();
                let (name, ty, lengths) = match &x.ty.element {
                    ElementType::Float(kind) => {
                        let mut to = shape.clone();
                        to[rank - 1] = to[rank - 1] / 2 + 1;
                        (
                            "RFFT",
                            tensor(&ElementType::Complex(*kind), &to),
                            vec![shape[rank - 1]],
                        )
                    }
                    _ => {
                        let n = self.rng.usize(1..=rank.min(3));
                        (
                            self.one_of(&["FFT", "IFFT"]),
                            x.ty.clone(),
                            shape[rank - n..].to_vec(),
                        )
                    }
                };
                let attributes = format!(
                    "fft_type = #stablehlo<fft_type {name}>, fft_length = {}",
                    list(&lengths)
                );
                Some(self.emit("fft", &[&x], &attributes, ty, false, false))
            }
            2 => {
                let x = self.pick(|v| {
                    v.ty.rank() > 0
                        && !v.shape().contains(&0)
                        && matches!(v.ty.element, ElementType::F32 | ElementType::F64)
                })?;
                let shape = x.shape();
                let feature = self.rng.usize(..shape.len());
                let element = x.ty.element.clone();
                let vector = tensor(&element, &[shape[feature]]);
                let parts: Vec<Val> = (0..3).map(|_| self.of_type(&vector)).collect();
                let variance = self.of_type(&vector);
                let positive =
                    self.emit("multiply", &[&variance, &variance], "", vector, true, false);
                let attributes = format!("epsilon = 0.5 : f32, feature_index = {feature} : i64");
                let operands = [&x, &parts[0], &parts[1], &parts[2], &positive];
                Some(self.emit(
                    "batch_norm_inference",
                    &operands,
                    &attributes,
                    x.ty.clone(),
                    false,
                    false,
                ))
            }
            _ => {
                // A triangular matrix that is well away from singular.
                let element = self.one_of(&[ElementType::F32, ElementType::F64]);
                let n = self.rng.i64(1..=6);
                let matrix = tensor(&element, &[n, n]);
                let a = self.of_type(&matrix);
                if !a.solid {
                    return None;
                }
                let left = self.rng.bool();
                let other = self.rng.i64(1..=5);
                let b_shape = if left { [n, other] } else { [other, n] };
                let b = self.of_type(&tensor(&element, &b_shape));
                let transpose = self.one_of(&["NO_TRANSPOSE", "TRANSPOSE"]);
                let lower = self.rng.bool();
                let attributes = format!(
                    "left_side = {left}, lower = {lower}, unit_diagonal = true, transpose_a = #stablehlo<transpose {transpose}>"
                );
                Some(self.emit(
                    "triangular_solve",
                    &[&a, &b],
                    &attributes,
                    b.ty.clone(),
                    false,
                    false,
                ))
            }
        }
    }
}
