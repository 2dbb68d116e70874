//! Elements whose places are known at run time: what is taken from them is added there, what is put
//! there is taken from them.

use super::reverse::Reverse;
use crate::{
    rewrite::{Result, fail},
    tarray::sizes::constants,
};
use mapwright_indexing::Extent;
use mapwright_mlir::{Attr, ElementType, Op, Val};
use mapwright_ops::attrs::{GatherDimensions, ScatterDimensions};

/// The dimension numbers of a gather and of the scatter that is its adjoint.
#[derive(Clone)]
pub(super) struct Places {
    /// As those of a gather; `slice_sizes` is there.
    pub(super) dims: GatherDimensions,
    /// Sizes of the windows in the operand.
    pub(super) sizes: Vec<Extent>,
}

impl Places {
    /// Windows of an operand of so many dimensions, which `all` has together.
    pub(super) fn new(dims: GatherDimensions, rank: usize, all: &[Extent]) -> Self {
        let mut offsets = dims.offset_dims.iter();
        let sizes = (0..rank as i64).map(|d| {
            let left_out =
                dims.collapsed_slice_dims.contains(&d) || dims.operand_batching_dims.contains(&d);
            let own = if left_out { None } else { offsets.next() };
            own.map_or(Extent::ONE, |d| all[*d as usize])
        });
        let sizes = sizes.collect();
        Self { dims, sizes }
    }
}

impl<'c> Reverse<'c> {
    /// The windows of `x` at the places that `at` names, `shape` together.
    pub(super) fn taken_from(
        &self,
        x: Val<'c>,
        at: Val<'c>,
        places: &Places,
        shape: &[Extent],
        more: &[(&str, Attr<'c>)],
    ) -> Val<'c> {
        let m = &self.m;
        let mut attributes = vec![(
            "dimension_numbers",
            m.b.parse_attr(&places.dims.to_string()),
        )];
        attributes.extend(more);
        let Some(sizes) = constants(&places.sizes) else {
            let operands = [x, at, m.vector(&places.sizes)];
            return m.op(
                "dynamic_gather",
                &operands,
                &m.type_of(x).0,
                shape,
                &attributes,
            );
        };
        attributes.push(("slice_sizes", m.b.i64_array(&sizes)));
        m.op("gather", &[x, at], &m.type_of(x).0, shape, &attributes)
    }

    /// `x` with `updates` put together with the windows at the places that `at` names, by `name`
    /// (`None`: replaced).
    pub(super) fn put_together(
        &self,
        name: Option<&str>,
        (x, at, updates): (Val<'c>, Val<'c>, Val<'c>),
        places: &Places,
        more: &[(&str, Attr<'c>)],
    ) -> Val<'c> {
        let m = &self.m;
        let (_, own) = m.type_of(x);
        let numbers =
            m.b.parse_attr(&ScatterDimensions::from(&places.dims).to_string());
        let mut attributes = vec![("scatter_dimension_numbers", numbers)];
        attributes.extend(more);
        let made = m.b.scatter(name, [x, at, updates], &attributes);
        m.sized(made, &own)
    }

    /// For each component of an index vector the greatest start of a window that is inside of an
    /// operand of these sizes, like `at`.
    pub(super) fn greatest_starts(&self, own: &[Extent], at: Val<'c>, places: &Places) -> Val<'c> {
        let m = &self.m;
        let (element, shape) = m.type_of(at);
        let vector = places.dims.index_vector_dim;
        let named = places.dims.start_index_map.iter().map(|d| *d as usize);
        let last: Vec<Extent> = named.map(|d| own[d] - places.sizes[d]).collect();
        let limits = match constants(&last) {
            Some(limits) => {
                let limits: Vec<i64> = limits.into_iter().map(|last| last.max(0)).collect();
                if vector == shape.len() as i64 {
                    let limit = limits.first().copied().unwrap_or(0);
                    return m.splat(&limit.to_string(), &element, &shape);
                }
                let list = if limits.is_empty() {
                    String::new()
                } else {
                    format!("{limits:?}")
                };
                m.splat(&list, &element, &[(limits.len() as i64).into()])
            }
            None => {
                let last = m.vector(&last);
                m.convert(
                    m.max(last, m.ints(&vec![0; m.len(last) as usize])),
                    &element,
                )
            }
        };
        if vector == shape.len() as i64 {
            m.spread(m.reshape(limits, &[]), &shape)
        } else {
            m.broadcast(limits, &[vector], &shape)
        }
    }

    /// The places of a gather are brought into the operand; a scatter there adds to it what was
    /// taken.
    pub(super) fn gathered(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let (x, at) = (op.operand(0), op.operand(1));
        if !self.is_active(x) {
            return Ok(());
        }
        let (_, own) = m.type_of(x);
        let (element, shape) = m.type_of(at);
        let dims = if op.is_hlo("torch_index_select") {
            GatherDimensions::torch_index_select(op, &vec![0; own.len()], shape.len())
        } else {
            GatherDimensions::decode(op)
        };
        let dims = match dims {
            Ok(dims) => dims,
            Err(error) => return fail(op, error.to_string()),
        };
        let into = self.cotangent(x).unwrap_or_else(|| self.zeros_like(x));
        let (_, out) = m.type_of(given);
        if own.contains(&Extent::ZERO) || out.contains(&Extent::ZERO) {
            self.set(x, into);
            return Ok(());
        }
        let places = Places::new(dims, own.len(), &out);
        let greatest = self.greatest_starts(&own, at, &places);
        let inside = m.clamp(m.zeros(&element, &shape), at, greatest);
        let sorted = op.attribute("indices_are_sorted");
        let more: Vec<_> = sorted
            .map(|sorted| ("indices_are_sorted", sorted))
            .into_iter()
            .collect();
        let total = self.put_together(Some("add"), (into, inside, given), &places, &more);
        self.set(x, total);
        Ok(())
    }

    /// Adds the cotangent of a `dynamic_slice` to that of its operand, where the slice was taken.
    pub(super) fn cut_out(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let x = op.operand(0);
        if !self.is_active(x) {
            return Ok(());
        }
        let starts = &op.operands()[1..];
        let (into, part) = match self.cotangent(x) {
            Some(known) if self.is_disjoint_slice(op) => (known, given),
            Some(known) => {
                let there = self.slice_at(known, starts, &m.type_of(given).1);
                (known, m.add(there, given))
            }
            None => (self.zeros_like(x), given),
        };
        self.set(x, self.update_at(into, part, starts));
        Ok(())
    }

    /// Hands on the cotangent of a `dynamic_update_slice`: the slice of it at the place of the
    /// update to the update, and the rest to the operand, of which nothing is left at that place.
    pub(super) fn put_in(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let (x, update) = (op.operand(0), op.operand(1));
        let starts = &op.operands()[2..];
        if self.is_active(update) {
            let part = self.slice_at(given, starts, &self.m.type_of(update).1);
            self.give(update, part);
        }
        if self.is_active(x) && self.is_disjoint_slice(op) {
            self.give(x, given);
        } else if self.is_active(x) {
            let rest = self.update_at(given, self.zeros_like(update), starts);
            self.give(x, rest);
        }
        Ok(())
    }

    fn slice_at(&self, x: Val<'c>, starts: &[Val<'c>], sizes: &[Extent]) -> Val<'c> {
        let m = &self.m;
        let Some(numbers) = constants(sizes) else {
            // A part that would reach beyond the end begins earlier.
            let starts: Vec<Val<'c>> = starts
                .iter()
                .map(|start| m.reshape(m.convert(*start, &ElementType::int(64)), &[Extent::ONE]))
                .collect();
            let (wide, own) = (m.vector(sizes), m.vector(&m.type_of(x).1));
            let none = m.ints(&vec![0; sizes.len()]);
            let last = m.sub(own, wide);
            let starts = m.min(m.max(m.concatenate(&starts, 0), none), last);
            let strides = m.ints(&vec![1; sizes.len()]);
            return m.part_of(x, (starts, m.add(starts, wide), strides), sizes);
        };
        m.b.slice_at(x, starts, &numbers)
    }

    fn update_at(&self, x: Val<'c>, update: Val<'c>, starts: &[Val<'c>]) -> Val<'c> {
        let m = &self.m;
        m.sized(m.b.with_part(x, update, starts), &m.type_of(x).1)
    }
}
