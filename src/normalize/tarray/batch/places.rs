//! Products, and operations at computed places, for all elements at once.

use super::{super::sizes::constants, Batch};
use crate::rewrite::Result;
use mapwright_indexing::Extent;
use mapwright_mlir::{ElementType, Op, Val, text};
use mapwright_ops::attrs::{GatherDimensions, ScatterDimensions};

impl<'c> Batch<'_, 'c> {
    /// One batched factor has more free dimensions, two have more batch dimensions.
    pub(super) fn dot_general(&self, op: Op<'c>) -> Result<'c, Option<Vec<Val<'c>>>> {
        let Some(numbers) = op.text("dot_dimension_numbers") else {
            return Ok(None);
        };
        let field = |name: &str| text::integer_list(&numbers, name);
        let (lhs, rhs) = (op.operand(0), op.operand(1));
        let (in_lhs, in_rhs) = (self.is_batched(lhs), self.is_batched(rhs));
        let names = [
            "lhs_batching_dimensions",
            "rhs_batching_dimensions",
            "lhs_contracting_dimensions",
            "rhs_contracting_dimensions",
        ];
        let mut all = names.map(field);
        for (i, dims) in all.iter_mut().enumerate() {
            let batched = if i % 2 == 0 { in_lhs } else { in_rhs };
            *dims = match (batched, i < 2 && in_lhs && in_rhs) {
                (false, _) => dims.clone(),
                (true, false) => self.shifted(dims),
                (true, true) => self.moved(dims),
            };
        }
        let numbers = (self.m.b).dot_numbers([&all[0], &all[1]], [&all[2], &all[3]]);
        let others = [("dot_dimension_numbers", numbers)];
        let operands = [self.own(lhs), self.own(rhs)];
        if in_lhs && in_rhs {
            return self.again(op, &operands, &others).map(Some);
        }
        // The dimensions in front come behind the batch dimensions, and those of the right factor
        // behind the free ones of the left.
        let (element, shape) = self.shape_of(op.result(0))?;
        let batch = all[0].len();
        let left = self.shape_of(lhs)?.1.len() - all[0].len() - all[2].len();
        let before = if in_lhs { batch } else { batch + left };
        let mut product_shape = shape.clone();
        for (i, size) in self.dims.iter().enumerate() {
            product_shape.insert(before + i, *size);
        }
        let mut attributes = op.attributes();
        attributes.retain(|(name, _)| *name != "dot_dimension_numbers");
        attributes.extend(others);
        let product = self.m.b.op1(
            op.name(),
            &operands,
            self.m.ty(&element, &product_shape),
            &attributes,
        );
        self.m.sized(product, &product_shape);
        let n = self.dims.len();
        let permutation: Vec<i64> = (before..before + n)
            .chain(0..before)
            .chain(before + n..product_shape.len())
            .map(|d| d as i64)
            .collect();
        Ok(Some(vec![self.m.transpose(product, &permutation)]))
    }

    pub(super) fn gather(&self, op: Op<'c>) -> Result<'c, Option<Vec<Val<'c>>>> {
        let Ok(mut d) = GatherDimensions::decode(op) else {
            return Ok(None);
        };
        let (operand, indices) = (op.operand(0), op.operand(1));
        let (in_operand, in_indices) = (self.is_batched(operand), self.is_batched(indices));
        let front: Vec<i64> = (0..self.n()).collect();
        if in_operand {
            d.collapsed_slice_dims = self.shifted(&d.collapsed_slice_dims);
            d.start_index_map = self.shifted(&d.start_index_map);
            d.operand_batching_dims = self.shifted(&d.operand_batching_dims);
        }
        if in_indices {
            d.index_vector_dim += self.n();
            d.start_indices_batching_dims = self.shifted(&d.start_indices_batching_dims);
        }
        d.offset_dims = self.shifted(&d.offset_dims);
        let in_front = match (in_operand, in_indices) {
            (true, true) => {
                d.operand_batching_dims = [&front[..], &d.operand_batching_dims].concat();
                d.start_indices_batching_dims =
                    [&front[..], &d.start_indices_batching_dims].concat();
                vec![Extent::ONE; self.dims.len()]
            }
            (true, false) => {
                d.offset_dims = [&front[..], &d.offset_dims].concat();
                self.dims.to_vec()
            }
            _ => Vec::new(),
        };
        let numbers = ("dimension_numbers", self.m.b.parse_attr(&d.to_string()));
        let mut operands = vec![self.own(operand), self.own(indices)];
        if let Some(sizes) = op.operands().get(2) {
            let Some(sizes) = self.behind(&in_front, *sizes) else {
                return Ok(None);
            };
            operands.push(sizes);
            return self.again(op, &operands, &[numbers]).map(Some);
        }
        let Some(in_front) = constants(&in_front) else {
            return Ok(None);
        };
        let sizes = [in_front, op.ints("slice_sizes").unwrap_or_default()].concat();
        let others = [numbers, ("slice_sizes", self.i64s(&sizes))];
        self.again(op, &operands, &others).map(Some)
    }

    /// Numbers in front of those of a vector; `None` where that depends on the element.
    fn behind(&self, front: &[Extent], vector: Val<'c>) -> Option<Val<'c>> {
        if self.is_batched(vector) {
            return None;
        }
        let own = self.m.convert(self.plain(vector), &ElementType::int(64));
        Some(match front {
            [] => own,
            _ => self.m.concatenate(&[self.m.vector(front), own], 0),
        })
    }

    pub(super) fn real_dynamic_slice(&self, op: Op<'c>) -> Result<'c, Option<Vec<Val<'c>>>> {
        let n = self.dims.len();
        let all = |number| vec![number; n];
        let fronts = [all(Extent::ZERO), self.dims.to_vec(), all(Extent::ONE)];
        let mut operands = vec![self.own(op.operand(0))];
        for (front, vector) in fronts.iter().zip(&op.operands()[1..]) {
            match self.behind(front, *vector) {
                Some(all) => operands.push(all),
                None => return Ok(None),
            }
        }
        self.again(op, &operands, &[]).map(Some)
    }

    /// Every operand for all elements, which are independent of each other.
    pub(super) fn scatter(&self, op: Op<'c>) -> Result<'c, Option<Vec<Val<'c>>>> {
        let Ok(mut d) = ScatterDimensions::decode(op) else {
            return Ok(None);
        };
        let front: Vec<i64> = (0..self.n()).collect();
        d.update_window_dims = self.shifted(&d.update_window_dims);
        d.inserted_window_dims = self.shifted(&d.inserted_window_dims);
        d.scatter_dims_to_operand_dims = self.shifted(&d.scatter_dims_to_operand_dims);
        d.input_batching_dims = [&front[..], &self.shifted(&d.input_batching_dims)].concat();
        d.scatter_indices_batching_dims =
            [&front[..], &self.shifted(&d.scatter_indices_batching_dims)].concat();
        d.index_vector_dim += self.n();
        let operands = op
            .operands()
            .into_iter()
            .map(|value| self.lifted(value))
            .collect::<Result<'c, Vec<_>>>()?;
        let others = [(
            "scatter_dimension_numbers",
            self.m.b.parse_attr(&d.to_string()),
        )];
        self.again(op, &operands, &others).map(Some)
    }

    /// The starts of a slice as a vector for each element.
    fn starts(&self, starts: &[Val<'c>]) -> Result<'c, Val<'c>> {
        let columns = starts
            .iter()
            .map(|start| {
                let all = self.lifted(*start)?;
                let all = self.m.convert(all, &ElementType::int(64));
                Ok(self.m.reshape(all, &[self.dims, &[Extent::ONE]].concat()))
            })
            .collect::<Result<'c, Vec<_>>>()?;
        Ok(self.m.concatenate(&columns, self.dims.len()))
    }

    pub(super) fn dynamic_slice(&self, op: Op<'c>) -> Result<'c, Option<Vec<Val<'c>>>> {
        let operands = op.operands();
        let (operand, starts) = (operands[0], &operands[1..]);
        let sizes = op.ints("slice_sizes").unwrap_or_default();
        let Some(own) = constants(self.dims) else {
            return Ok(None);
        };
        if starts.iter().all(|start| !self.is_batched(*start)) {
            let zero = self.m.int(0);
            let mut all = vec![self.own(operand)];
            // All starts are of one type.
            let kind = starts
                .first()
                .map_or(ElementType::int(64), |start| self.m.type_of(*start).0);
            all.extend(vec![self.m.convert(zero, &kind); self.dims.len()]);
            all.extend(starts.iter().map(|start| self.plain(*start)));
            let sizes = [own, sizes].concat();
            let others = [("slice_sizes", self.i64s(&sizes))];
            return self.again(op, &all, &others).map(Some);
        }
        let rank = starts.len() as i64;
        let dims: Vec<i64> = (0..rank).collect();
        let front: Vec<i64> = (0..self.n()).collect();
        let batched = self.is_batched(operand);
        let d = GatherDimensions {
            offset_dims: self.shifted(&dims),
            collapsed_slice_dims: Vec::new(),
            operand_batching_dims: if batched { front.clone() } else { Vec::new() },
            start_indices_batching_dims: if batched { front } else { Vec::new() },
            start_index_map: if batched { self.shifted(&dims) } else { dims },
            index_vector_dim: self.n(),
            slice_sizes: None,
        };
        let sizes = if batched {
            self.padded(1, &sizes)
        } else {
            sizes
        };
        let attributes = [
            ("dimension_numbers", self.m.b.parse_attr(&d.to_string())),
            ("slice_sizes", self.i64s(&sizes)),
        ];
        let found = self.m.b.op1(
            "stablehlo.gather",
            &[self.own(operand), self.starts(starts)?],
            self.result_type(op, 0)?.0,
            &attributes,
        );
        Ok(Some(vec![found]))
    }

    pub(super) fn dynamic_update_slice(&self, op: Op<'c>) -> Result<'c, Option<Vec<Val<'c>>>> {
        let operands = op.operands();
        let (operand, update, starts) = (operands[0], operands[1], &operands[2..]);
        if self.varies() {
            return Ok(None);
        }
        if starts.iter().all(|start| !self.is_batched(*start)) {
            let zero = self.m.int(0);
            let mut all = vec![self.lifted(operand)?, self.lifted(update)?];
            let kind = starts
                .first()
                .map_or(ElementType::int(64), |start| self.m.type_of(*start).0);
            all.extend(vec![self.m.convert(zero, &kind); self.dims.len()]);
            all.extend(starts.iter().map(|start| self.plain(*start)));
            return self.again(op, &all, &[]).map(Some);
        }
        // A scatter leaves out what is outside; here the slice is moved inside.
        let shapes = (self.shape_of(operand)?.1, self.shape_of(update)?.1);
        let (Some(shape), Some(window)) = (constants(&shapes.0), constants(&shapes.1)) else {
            return Ok(None);
        };
        let most: Vec<i64> = shape.iter().zip(&window).map(|(n, w)| n - w).collect();
        let at = self.starts(starts)?;
        let all = self.m.type_of(at).1;
        let most = self.m.broadcast(self.m.ints(&most), &[self.n()], &all);
        let at = self
            .m
            .clamp(self.m.zeros(&ElementType::int(64), &all), at, most);
        let dims: Vec<i64> = (0..shape.len() as i64).collect();
        let front: Vec<i64> = (0..self.n()).collect();
        let numbers = format!(
            "#stablehlo.scatter<update_window_dims = {:?}, input_batching_dims = {front:?}, scatter_indices_batching_dims = {front:?}, \
             scatter_dims_to_operand_dims = {:?}, index_vector_dim = {}>",
            self.shifted(&dims),
            self.shifted(&dims),
            self.n()
        );
        let attributes = [("scatter_dimension_numbers", self.m.b.parse_attr(&numbers))];
        let operands = [self.lifted(operand)?, at, self.lifted(update)?];
        Ok(Some(vec![self.m.b.scatter(None, operands, &attributes)]))
    }
}
