//! Movements that models put together: pieces that alternate along a row, padding and transposes
//! between reshapes, gathered rows laid end to end, rotated pairs. Each is a few operations whose
//! maps are composed into one.

use super::{
    generate::{Generator, MOST, list, tensor},
    program::Val,
    regions::scalar_region,
};
use mapwright_mlir::ElementType;

impl Generator {
    /// One of these patterns, and now and then a fold of what it gives.
    pub fn layout(&mut self) -> Option<Val> {
        let found = match self.rng.u8(..9) {
            0 | 1 => self.interleaved(),
            2 => self.padded_rows(),
            3 => self.spread_and_cut(),
            4 => self.gathered_rows(),
            5 => self.rotated_pairs(),
            6 => self.mirrored(),
            7 => self.permuted_digits(),
            _ => self.taken_apart(),
        }?;
        if self.chance(35) {
            return self.folded_rows(&found);
        }
        Some(found)
    }

    fn reshaped(&mut self, x: &Val, to: &[i64]) -> Val {
        let ty = tensor(&x.ty.element, to);
        self.moved("reshape", &[x], "", ty)
    }

    /// Dimensions `d` and `d + 1` of `x` as one.
    fn merged(&mut self, x: &Val, d: usize) -> Val {
        let mut to = x.shape();
        let inner = to.remove(d + 1);
        to[d] *= inner;
        self.reshaped(x, &to)
    }

    /// Two neighbouring dimensions as one, if there are so many.
    fn merged_somewhere(&mut self, x: &Val) -> Val {
        match x.ty.rank() {
            0 | 1 => x.clone(),
            rank => {
                let d = self.rng.usize(..rank - 1);
                self.merged(x, d)
            }
        }
    }

    fn joined(&mut self, pieces: &[&Val], axis: usize) -> Option<Val> {
        let first = pieces.first()?;
        let mut to = first.shape();
        to[axis] = pieces.iter().map(|p| p.shape()[axis]).sum();
        if to.iter().product::<i64>() > 2 * MOST {
            return None;
        }
        let attributes = format!("dimension = {axis} : i64");
        let ty = tensor(&first.ty.element, &to);
        Some(self.moved("concatenate", pieces, &attributes, ty))
    }

    fn cut(&mut self, x: &Val, bounds: &[(i64, i64, i64)]) -> Val {
        let column =
            |k: fn(&(i64, i64, i64)) -> i64| -> Vec<i64> { bounds.iter().map(k).collect() };
        let to: Vec<i64> = bounds.iter().map(|(a, b, s)| (b - a + s - 1) / s).collect();
        let attributes = format!(
            "start_indices = {}, limit_indices = {}, strides = {}",
            list(&column(|b| b.0)),
            list(&column(|b| b.1)),
            list(&column(|b| b.2))
        );
        let ty = tensor(&x.ty.element, &to);
        self.moved("slice", &[x], &attributes, ty)
    }

    fn padding(&mut self, x: &Val, value: &Val, sides: &[(i64, i64, i64)]) -> Option<Val> {
        let shape = x.shape();
        let to: Vec<i64> = (shape.iter().zip(sides))
            .map(|(n, (low, high, inner))| low + n + (n - 1).max(0) * inner + high)
            .collect();
        if to.iter().any(|n| *n < 0) || to.iter().product::<i64>() > 2 * MOST {
            return None;
        }
        let column = |k: fn(&(i64, i64, i64)) -> i64| -> Vec<i64> { sides.iter().map(k).collect() };
        let attributes = format!(
            "edge_padding_low = {}, edge_padding_high = {}, interior_padding = {}",
            list(&column(|s| s.0)),
            list(&column(|s| s.1)),
            list(&column(|s| s.2))
        );
        let ty = tensor(&x.ty.element, &to);
        Some(self.moved("pad", &[x, value], &attributes, ty))
    }

    /// Two or three tensors side by side on a new innermost dimension, each of its own width, and
    /// the rows laid end to end.
    fn interleaved(&mut self) -> Option<Val> {
        let x =
            self.pick(|v| (1..=3).contains(&v.ty.rank()) && v.shape().iter().product::<i64>() > 0)?;
        let (element, shape) = (x.ty.element.clone(), x.shape());
        let count = self.rng.usize(2..=3);
        let same = self.chance(60);
        let mut pieces = Vec::new();
        for k in 0..count {
            let width = if same { 1 } else { self.rng.i64(1..=3) };
            let to = [shape.clone(), vec![width]].concat();
            let piece = match width {
                1 => {
                    let from = match k {
                        0 => x.clone(),
                        _ => self.of_type(&x.ty),
                    };
                    self.reshaped(&from, &to)
                }
                _ => self.of_type(&tensor(&element, &to)),
            };
            pieces.push(piece);
        }
        let pieces: Vec<&Val> = pieces.iter().collect();
        let rows = self.joined(&pieces, shape.len())?;
        let row = self.merged(&rows, shape.len() - 1);
        if self.chance(40) {
            Some(self.merged_somewhere(&row))
        } else {
            Some(row)
        }
    }

    /// Rows made longer, or shorter, at their ends, and laid end to end.
    fn padded_rows(&mut self) -> Option<Val> {
        let x = self.pick(|v| v.ty.rank() >= 2 && !v.shape().contains(&0))?;
        let value = self.of_type(&tensor(&x.ty.element, &[]));
        let rank = x.ty.rank();
        let axis = self.rng.usize(1..rank);
        let mut sides = vec![(0, 0, 0); rank];
        sides[axis] = (
            self.rng.i64(-1..=2),
            self.rng.i64(-1..=3),
            self.one_of(&[0, 0, 1]),
        );
        let padded = self.padding(&x, &value, &sides)?;
        Some(self.merged(&padded, axis - 1))
    }

    /// Elements set apart, a part of them cut out, and the rows laid end to end; or the other way
    /// round.
    fn spread_and_cut(&mut self) -> Option<Val> {
        let x = self.pick(|v| v.ty.rank() >= 2 && !v.shape().contains(&0))?;
        let value = self.of_type(&tensor(&x.ty.element, &[]));
        let rank = x.ty.rank();
        let axis = self.rng.usize(..rank);
        let mut sides = vec![(0, 0, 0); rank];
        sides[axis] = (
            self.rng.i64(0..=1),
            self.rng.i64(0..=1),
            self.rng.i64(1..=2),
        );
        let spread = self.padding(&x, &value, &sides)?;
        let shape = spread.shape();
        let mut bounds: Vec<(i64, i64, i64)> = shape.iter().map(|n| (0, *n, 1)).collect();
        let start = self.rng.i64(0..shape[axis]);
        bounds[axis] = (
            start,
            self.rng.i64(start + 1..=shape[axis]),
            self.rng.i64(1..=3),
        );
        if self.rng.bool() {
            let part = self.cut(&spread, &bounds);
            Some(self.merged_somewhere(&part))
        } else {
            let row = self.merged_somewhere(&spread);
            let n = row.shape();
            let strides: Vec<(i64, i64, i64)> = n
                .iter()
                .map(|n| (self.rng.i64(0..=1.min(n - 1)), *n, self.rng.i64(1..=2)))
                .collect();
            Some(self.cut(&row, &strides))
        }
    }

    /// Rows taken by their numbers, some beyond the end, and laid end to end.
    fn gathered_rows(&mut self) -> Option<Val> {
        let x = self.pick(|v| v.ty.rank() >= 2 && !v.shape().contains(&0))?;
        let shape = x.shape();
        let count = self.rng.i64(1..=7);
        let kind = self.one_of(&[
            ElementType::int(32),
            ElementType::int(64),
            ElementType::uint(8),
        ]);
        let low = if kind.is_unsigned() { 0 } else { -1 };
        let rows = self.indices(&kind, &[count, 1], (low, shape[0]));
        let to = [&[count], &shape[1..]].concat();
        if to.iter().product::<i64>() > 2 * MOST {
            return None;
        }
        let offsets: Vec<String> = (1..to.len()).map(|d| d.to_string()).collect();
        let sizes = [&[1], &shape[1..]].concat();
        let attributes = format!(
            "dimension_numbers = #stablehlo.gather<offset_dims = [{}], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = {}, indices_are_sorted = false",
            offsets.join(", "),
            list(&sizes)
        );
        let ty = tensor(&x.ty.element, &to);
        let found = self.moved("gather", &[&x, &rows], &attributes, ty);
        Some(self.merged_somewhere(&found))
    }

    /// Rotary embedding: pairs of a row, its halves or neighbours, turned by an angle each.
    fn rotated_pairs(&mut self) -> Option<Val> {
        let x = self.pick(|v| {
            v.ty.rank() >= 1
                && v.shape().last().is_some_and(|n| n % 2 == 0 && *n > 0)
                && !v.shape().contains(&0)
                && !v.ty.element.is_complex()
                && v.ty.element != ElementType::Bool
                && !v.ty.element.is_unsigned()
        })?;
        let shape = x.shape();
        let last = shape.len() - 1;
        let half = shape[last] / 2;
        let neighbours = self.rng.bool();
        let part = |k: i64| -> Vec<(i64, i64, i64)> {
            let mut bounds: Vec<(i64, i64, i64)> = shape.iter().map(|n| (0, *n, 1)).collect();
            bounds[last] = if neighbours {
                (k, 2 * half, 2)
            } else {
                (k * half, (k + 1) * half, 1)
            };
            bounds
        };
        let (first, second) = (self.cut(&x, &part(0)), self.cut(&x, &part(1)));
        let turned = self.emit(
            "negate",
            &[&second],
            "",
            second.ty.clone(),
            true,
            second.solid,
        );
        let rows = if neighbours {
            let to = [first.shape(), vec![1]].concat();
            let (a, b) = (self.reshaped(&turned, &to), self.reshaped(&first, &to));
            let pairs = self.joined(&[&a, &b], last + 1)?;
            self.merged(&pairs, last)
        } else {
            self.joined(&[&turned, &first], last)?
        };
        let angle = self.of_type(&tensor(&x.ty.element, &shape[last..]));
        let dims = format!("broadcast_dimensions = {}", list(&[last as i64]));
        let factor = self.moved("broadcast_in_dim", &[&angle], &dims, x.ty.clone());
        let ty = || x.ty.clone();
        let sine = self.emit("multiply", &[&rows, &factor], "", ty(), true, false);
        // Contraction to a fused operation is not allowed: exact as element-wise operations are.
        Some(self.emit("add", &[&x, &sine], "", ty(), true, false))
    }

    /// A tensor and itself, or another one, backwards, beside each other; or both turned round.
    fn mirrored(&mut self) -> Option<Val> {
        let x = self.pick(|v| v.ty.rank() > 0 && !v.shape().contains(&0))?;
        let y = if self.rng.bool() {
            x.clone()
        } else {
            self.of_type(&x.ty)
        };
        let axis = self.rng.usize(..x.ty.rank());
        let backwards = |g: &mut Self, v: &Val| {
            let attributes = format!("dimensions = {}", list(&[axis as i64]));
            g.moved("reverse", &[v], &attributes, v.ty.clone())
        };
        let found = if self.rng.bool() {
            let turned = backwards(self, &y);
            if self.rng.bool() {
                self.joined(&[&x, &turned], axis)?
            } else {
                self.joined(&[&turned, &x, &turned], axis)?
            }
        } else {
            let both = self.joined(&[&x, &y], axis)?;
            backwards(self, &both)
        };
        if self.chance(40) {
            Some(self.merged_somewhere(&found))
        } else {
            Some(found)
        }
    }

    /// A dimension split in two, dimensions exchanged, and two of them joined again: pixels
    /// shuffled, heads split and merged.
    fn permuted_digits(&mut self) -> Option<Val> {
        let x = self.pick(|v| {
            (1..=3).contains(&v.ty.rank())
                && v.shape().iter().any(|n| *n > 3)
                && !v.shape().contains(&0)
        })?;
        let mut shape = x.shape();
        let splits: Vec<(usize, i64)> = (shape.iter().enumerate())
            .flat_map(|(d, n)| (2..*n).filter(move |k| n % k == 0).map(move |k| (d, k)))
            .collect();
        if splits.is_empty() {
            return None;
        }
        let (d, k) = self.one_of(&splits);
        shape[d] /= k;
        shape.insert(d + 1, k);
        let split = self.reshaped(&x, &shape);
        let mut order: Vec<i64> = (0..shape.len() as i64).collect();
        self.rng.shuffle(&mut order);
        let to: Vec<i64> = order.iter().map(|d| shape[*d as usize]).collect();
        let attributes = format!("permutation = {}", list(&order));
        let ty = tensor(&x.ty.element, &to);
        let moved = self.moved("transpose", &[&split], &attributes, ty);
        Some(self.merged_somewhere(&moved))
    }

    /// A row as rows of two or three, one column of them by itself.
    fn taken_apart(&mut self) -> Option<Val> {
        let k = self.rng.i64(2..=3);
        let x = self.pick(|v| {
            v.shape().last().is_some_and(|n| *n > 0 && n % k == 0) && !v.shape().contains(&0)
        })?;
        let mut shape = x.shape();
        let last = shape.len() - 1;
        shape[last] /= k;
        shape.push(k);
        let rows = self.reshaped(&x, &shape);
        let column = self.rng.i64(0..k);
        let mut bounds: Vec<(i64, i64, i64)> = shape.iter().map(|n| (0, *n, 1)).collect();
        bounds[last + 1] = (column, column + 1, 1);
        let part = self.cut(&rows, &bounds);
        shape.pop();
        Some(self.reshaped(&part, &shape))
    }

    /// The extremes, or for whole numbers the sums, of the rows or columns, perhaps after the rows
    /// were cut into groups.
    fn folded_rows(&mut self, x: &Val) -> Option<Val> {
        let mut shape = x.shape();
        if shape.is_empty() || x.ty.element.is_complex() {
            return Some(x.clone());
        }
        let mut x = x.clone();
        let last = shape.len() - 1;
        let groups: Vec<i64> = (2..=4)
            .filter(|k| shape[last] > 0 && shape[last] % k == 0)
            .collect();
        if !groups.is_empty() && self.rng.bool() {
            let k = self.one_of(&groups);
            shape[last] /= k;
            shape.push(k);
            x = self.reshaped(&x, &shape);
        }
        let names: &[&str] = match &x.ty.element {
            ElementType::Bool => &["and", "or"],
            ElementType::Float(_) => &["maximum", "minimum"],
            _ => &["maximum", "minimum", "add", "add"],
        };
        let name = self.one_of(names);
        let init = self.constant(&x.ty.element, &[]);
        let axis = self.rng.usize(..shape.len());
        shape.remove(axis);
        let to = self.fresh(
            tensor(&x.ty.element, &shape),
            x.exact && init.exact,
            x.solid && init.solid,
        );
        let operands = [&x, &init];
        let text = Self::op_text(
            "reduce",
            &operands,
            &scalar_region(name, &x.ty.element),
            &format!("dimensions = {}", list(&[axis as i64])),
            std::slice::from_ref(&to),
        );
        self.push(text, &operands, vec![to.clone()]);
        Some(to)
    }
}
