//! Operations on shapes, which are vectors of numbers.

use super::{
    emit::Emitter,
    form::{Form, number},
};
use crate::rewrite::Result;
use mapwright_indexing::Extent;
use mapwright_mlir::{Op, Val};
use mapwright_ops::attrs;

impl<'c> Emitter<'c> {
    /// The results, if it is an operation on shapes that gives tensors or shapes.
    pub(super) fn shape_op(
        &self,
        op: Op<'c>,
        operands: &[Form<'c>],
    ) -> Result<'c, Option<Vec<Val<'c>>>> {
        let m = &self.m;
        let part = |i: usize| operands[i].parts[0];
        let pos = || op.int("pos").unwrap_or(0);
        let size = |i: usize| {
            let size = m.max(part(i), m.int(0));
            m.reshape(size, &[Extent::ONE])
        };
        // A shape with what is between two positions replaced.
        let spliced = |from: i64, to: i64, between: Option<Val<'c>>| {
            let sizes = part(0);
            let rank = m.len(sizes);
            let mut pieces = Vec::new();
            if from > 0 {
                pieces.push(m.slice(sizes, 0, (0, 1, from)));
            }
            pieces.extend(between);
            if to < rank {
                pieces.push(m.slice(sizes, 0, (to, 1, rank)));
            }
            if pieces.is_empty() {
                m.zeros(&number(), &[Extent::ZERO])
            } else {
                m.concatenate(&pieces, 0)
            }
        };
        Ok(Some(vec![match op.short_name() {
            "shape" => match op.ints("sizes").unwrap_or_default() {
                sizes if sizes.is_empty() => m.zeros(&number(), &[Extent::ZERO]),
                sizes => m.ints(&sizes),
            },
            "size" => {
                let (_, sizes) = m.type_of(part(0));
                match op.int("dim") {
                    Some(d) => m.scalar(sizes[d as usize]),
                    None => m.vector(&sizes),
                }
            }
            "length" => operands[0].parts[1],
            "numel" => m.reduce("multiply", part(0), m.int(1), &[0]),
            "ndims" => m.int(m.len(part(0))),
            "add" => {
                let rank = m.len(part(0));
                match m.len(part(1)) {
                    0 => part(0),
                    _ => spliced(rank, rank, Some(part(1))),
                }
            }
            "insert" => spliced(pos(), pos(), Some(size(1))),
            "del" => spliced(pos(), pos() + 1, None),
            "replace" => spliced(pos(), pos() + 1, Some(size(1))),
            "cartesian_product" => self.cartesian_product(operands),
            "meshgrid" => return Ok(Some(self.meshgrid(op, operands))),
            _ => return Ok(None),
        }]))
    }

    /// A column for each operand: the last one changes slowest.
    fn cartesian_product(&self, operands: &[Form<'c>]) -> Val<'c> {
        let m = &self.m;
        let mut grid: Vec<Extent> = operands
            .iter()
            .map(|form| self.m.type_of(form.parts[0]).1[0])
            .collect();
        grid.reverse();
        let rows = grid.iter().product();
        let columns: Vec<Val<'c>> = operands
            .iter()
            .enumerate()
            .map(|(k, form)| {
                let d = (grid.len() - 1 - k) as i64;
                let all = m.broadcast(form.parts[0], &[d], &grid);
                m.reshape(all, &[rows, Extent::ONE])
            })
            .collect();
        m.concatenate(&columns, 1)
    }

    fn meshgrid(&self, op: Op<'c>, operands: &[Form<'c>]) -> Vec<Val<'c>> {
        let m = &self.m;
        let mut places: Vec<usize> = (0..operands.len()).collect();
        if attrs::is_xy(op) && places.len() > 1 {
            places.swap(0, 1);
        }
        let mut grid = vec![Extent::ZERO; operands.len()];
        for (form, place) in operands.iter().zip(&places) {
            grid[*place] = self.m.type_of(form.parts[0]).1[0];
        }
        operands
            .iter()
            .zip(&places)
            .map(|(form, place)| m.broadcast(form.parts[0], &[*place as i64], &grid))
            .collect()
    }
}
