//! Short innermost dimensions (points of three coordinates, pixels of three colours): lanes that
//! ran along them would be empty for the most part, so they run along the dimension before. The
//! short dimensions are walked one index after the other, without a loop, and what is stored side
//! by side in memory is put together from the vectors of all their indices.
//!
//! With `s` elements for each lane, memory holds `s` vectors of neighbours, registers `s` vectors
//! of one element of each lane: [`interleave`] makes the first of the second, [`deinterleave`] the
//! second of the first.

use super::analysis::Analysis;
use super::emitter::{EmitResult, Lane, LoopEmitter};
use super::plan::{Inner, Plan};
use super::region::Region;
use crate::{Elem, storage, vectors::zero};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, Val};

/// Elements of the short dimensions together, at most: each has a vector of its own in registers.
const MOST: i64 = 16;

/// Elements for each lane from which on one that is alone is gathered.
const MOST_ALONE: i64 = 8;

/// Instructions that bring one of `s` vectors to its place.
pub(crate) fn shuffles(s: i64) -> i64 {
    match s {
        ..=1 => 0,
        s if s & 1 == 0 => 1 + shuffles(s / 2),
        s => s - 1,
    }
}

/// Cost of one vector of every `s`th element; `together`: the others are needed too.
pub(crate) fn strided_cost(s: i64, together: bool) -> Option<f64> {
    match (s, together) {
        (2..=MOST, true) => Some((1 + shuffles(s)) as f64),
        (2..=MOST_ALONE, false) => Some((2 * s - 1) as f64),
        _ => None,
    }
}

/// The short dimensions of the roots, if there are any and the dimension before them has the size
/// of a vector at least.
pub(crate) fn find<'c>(region: &Region<'c>, analysis: &Analysis<'c>, lanes: i64) -> Option<Inner> {
    if region.complex || !analysis.scans.is_empty() {
        return None;
    }
    let size = |var: VarId| Plan::length(analysis, var);
    let mut vars: Vec<VarId> = analysis.root_vars.clone();
    let (mut short, mut count) = (Vec::new(), 1);
    while let Some(var) = vars.last().copied()
        && size(var) < lanes
        && count * size(var) <= MOST
    {
        vars.pop();
        short.insert(0, var);
        count *= size(var);
    }
    let lane = vars.last().copied()?;
    if short.is_empty() || size(lane) < lanes {
        return None;
    }
    if analysis.instances.iter().any(|i| i.vars.contains(&lane)) {
        return None;
    }
    let parallel = analysis.parallel();
    if !analysis.instances.is_empty() {
        // Within one pass over the lanes: all short dimensions before the row is computed, or all
        // in it and nothing else.
        let outside = short.iter().filter(|var| parallel.contains(var)).count();
        let rest = analysis
            .root_vars
            .iter()
            .filter(|var| !parallel.contains(var) && !short.contains(var))
            .count();
        if !parallel.contains(&lane) || outside != 0 && (outside < short.len() || rest > 0) {
            return None;
        }
    }
    // Every root of the main shape has them side by side.
    let roots = region.roots.iter().enumerate();
    for (_, root) in roots.filter(|(k, _)| !analysis.secondary.contains_key(k)) {
        let offset = root.offset(&analysis.index);
        let mut stride = 1;
        for var in short.iter().rev() {
            if offset.coefficient(*var) != Some(Extent::from(stride)) {
                return None;
            }
            stride *= size(*var);
        }
        if offset.coefficient(lane) != Some(Extent::from(count)) {
            return None;
        }
    }
    Some(Inner {
        lane,
        vars: short,
        count,
    })
}

impl<'c> LoopEmitter<'_, 'c> {
    /// The expression with the variables that are walked without a loop replaced by their values.
    pub(super) fn fixed(&self, lin: &Sum) -> Sum {
        let mut fixed = lin.clone();
        for var in &self.plan.unrolled {
            let (first, last) = self.ranges.vars[*var];
            if first == last && fixed.depends_on(*var) {
                fixed = fixed.with_var(*var, &Sum::constant(first), &self.ranges);
            }
        }
        fixed
    }

    /// Keeps the vector of one index of the short dimensions; with the last one, all are stored.
    pub(super) fn store_inner(
        &mut self,
        root: usize,
        element: &ElementType,
        value: Elem<'c>,
        offset: &Sum,
        inner: &Inner,
        lane: Lane<'c>,
    ) -> EmitResult<()> {
        let (b, n) = (self.b, self.plan.lanes);
        let spread = self.spread(value.one(), &[n]);
        let stored = storage::to_storage(b, element, Elem::One(spread))?;
        let key = (root, self.copy.map_or(0, |(_, by)| by));
        let waiting = self.pending.entry(key).or_default();
        waiting.push(stored);
        if (waiting.len() as i64) < inner.count {
            return Ok(());
        }
        let vectors = interleave(b, &std::mem::take(waiting));
        // This is the last index of the short dimensions: the first one is so much before it.
        let first = self.fixed(offset).offset(1 - inner.count);
        let width = element.byte_width().unwrap_or(1) as i64;
        for (i, vector) in vectors.into_iter().enumerate() {
            let offset = first.offset(i as i64 * n);
            let at = self.index_value(&offset)?;
            let buffer = self.outputs[root];
            match lane.mask {
                Some(mask) => {
                    let mask = self.mask_of_vector(mask, i as i64, inner.count);
                    b.masked_store(buffer, &[at], mask, vector);
                }
                None => {
                    let bytes = (width, width * n);
                    self.store_whole(vector, (buffer, at), &offset, bytes, self.streamed[root]);
                }
            }
        }
        Ok(())
    }

    /// Selects the lanes of vector `i` of those that hold `s` neighbours for each lane, by the
    /// lanes of `mask`.
    fn mask_of_vector(&self, mask: Val<'c>, i: i64, s: i64) -> Val<'c> {
        let n = self.plan.lanes;
        let lanes: Vec<i64> = (0..n).map(|lane| (i * n + lane) / s).collect();
        self.b.shuffle(mask, mask, &lanes)
    }

    /// Every `s`th element of an input: whole vectors are loaded and taken apart, for all `s` at
    /// once.
    pub(super) fn every_other(
        &mut self,
        input: usize,
        buffer: Val<'c>,
        offset: &Sum,
        lane: Lane<'c>,
    ) -> EmitResult<Option<Val<'c>>> {
        let (b, n) = (self.b, self.plan.lanes);
        let offset = self.fixed(offset);
        let of_lane = offset.coefficient(lane.var).and_then(Extent::as_constant);
        let Some(s) = of_lane else {
            return Ok(None);
        };
        let together = self.plan.inner.as_ref().is_some_and(|i| i.count == s);
        if strided_cost(s, together).is_none() {
            return Ok(None);
        }
        let Some(which) = offset.constant.as_constant().map(|n| n.rem_euclid(s)) else {
            return Ok(None);
        };
        // All that is loaded is in the memory of the input.
        if self.region.inputs[input].base.is_some() {
            return Ok(None);
        }
        let (lo, hi) = offset.range(&self.ranges);
        let elements = self.region.inputs[input].elements();
        if !lo.is_at_least(which) || !elements.is_at_least(hi - which + s) {
            return Ok(None);
        }
        let first = offset.offset(-which);
        let key = (input, first.clone());
        let known = self.scopes.iter().rev().find_map(|s| s.blocks.get(&key));
        if let Some(parts) = known {
            return Ok(Some(parts[which as usize]));
        }
        let ty = b.vector(&[n], b.element_of(buffer.r#type()));
        let mut vectors = Vec::new();
        for i in 0..s {
            let at = self.index_value(&first.offset(i * n))?;
            vectors.push(match lane.mask {
                None => b.vload(buffer, &[at], ty),
                Some(mask) => {
                    let mask = self.mask_of_vector(mask, i, s);
                    b.masked_load(buffer, &[at], mask, zero(b, ty))
                }
            });
        }
        let parts = deinterleave(b, &vectors);
        let value = parts[which as usize];
        // What is emitted without a loop around it holds for all indices that follow, if it was not
        // computed for this index alone (a start that is read at it).
        let of_index = self
            .plan
            .unrolled
            .iter()
            .any(|var| self.runtime.depends_on(&first, *var));
        let scope = match self.straight {
            Some(straight) if !of_index => straight,
            _ => self.scopes.len() - 1,
        };
        self.scopes[scope].blocks.insert(key, parts);
        Ok(Some(value))
    }
}

/// Lane `l` of vector `i` comes from lane `(i n + l) / s` of vector `(i n + l) mod s`, for `s`
/// vectors of `n` lanes.
fn interleave<'c>(b: &Builder<'c>, vectors: &[Val<'c>]) -> Vec<Val<'c>> {
    let s = vectors.len();
    let Some(first) = vectors.first() else {
        return Vec::new();
    };
    let n = b.shape_of(first.r#type())[0] as usize;
    if s == 1 {
        return vectors.to_vec();
    }
    if s.is_multiple_of(2) {
        let half = |odd: usize| {
            let every: Vec<Val<'c>> = vectors.iter().skip(odd).step_by(2).copied().collect();
            interleave(b, &every)
        };
        let (even, odd) = (half(0), half(1));
        // The first halves of a pair of vectors, then the second ones.
        let turns = |from: usize| -> Vec<i64> {
            (0..n)
                .map(|l| (from + l / 2 + if l % 2 == 0 { 0 } else { n }) as i64)
                .collect()
        };
        return even
            .iter()
            .zip(&odd)
            .flat_map(|(e, o)| {
                [
                    b.shuffle(*e, *o, &turns(0)),
                    b.shuffle(*e, *o, &turns(n / 2)),
                ]
            })
            .collect();
    }
    (0..s)
        .map(|i| pick(b, vectors, n, |l| ((i * n + l) % s, (i * n + l) / s)))
        .collect()
}

/// The inverse of [`interleave`].
fn deinterleave<'c>(b: &Builder<'c>, vectors: &[Val<'c>]) -> Vec<Val<'c>> {
    let s = vectors.len();
    let Some(first) = vectors.first() else {
        return Vec::new();
    };
    let n = b.shape_of(first.r#type())[0] as usize;
    if s == 1 {
        return vectors.to_vec();
    }
    if s.is_multiple_of(2) {
        let half = |odd: usize| {
            let lanes: Vec<i64> = (0..n).map(|l| (2 * l + odd) as i64).collect();
            let every: Vec<Val<'c>> = vectors
                .chunks(2)
                .map(|pair| b.shuffle(pair[0], pair[1], &lanes))
                .collect();
            deinterleave(b, &every)
        };
        let (even, odd) = (half(0), half(1));
        return even
            .into_iter()
            .zip(odd)
            .flat_map(|(e, o)| [e, o])
            .collect();
    }
    (0..s)
        .map(|k| pick(b, vectors, n, |l| ((l * s + k) / n, (l * s + k) % n)))
        .collect()
}

/// The vector of `n` lanes whose lane `l` is lane `from(l).1` of vector `from(l).0`.
fn pick<'c>(
    b: &Builder<'c>,
    vectors: &[Val<'c>],
    n: usize,
    from: impl Fn(usize) -> (usize, usize),
) -> Val<'c> {
    let mut value = vectors[0];
    for (k, vector) in vectors.iter().enumerate().skip(1) {
        // Lanes of the vectors before are in their places already, but for those of the very first,
        // which are where they were.
        let lanes: Vec<i64> = (0..n)
            .map(|l| match from(l) {
                (j, at) if j == k => (n + at) as i64,
                (0, at) if k == 1 => at as i64,
                _ => l as i64,
            })
            .collect();
        value = b.shuffle(value, *vector, &lanes);
    }
    value
}
