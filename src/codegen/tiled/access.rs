//! Reading an input at an offset, one element or a vector of lanes.
//!
//! How the offset changes from lane to lane decides: not at all (one scalar), by one (a vector load), backwards (a load and a
//! shuffle), in runs (a few loads put together), across the rows of a block (loads along the other variable and a transpose in
//! registers), by any other constant pattern (a gather with constant lane offsets), or in a way that is computed.

use super::generate::{Lane, LoopEmitter, R, Scope};
use super::prefetch;
use crate::{Declined, Elem, run_time::RunTime, storage};
use mapwright_indexing::linear::{Atom, Base, FAR, Sum, VarId};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, Ty, Val};

fn beyond() -> Declined {
    Declined::new("an index beyond 64 bits")
}

/// Runs of at least this many elements are loaded as vectors and put together.
const SHORTEST_RUN: i64 = 4;

/// Elements for each lane that may be loaded at most to pick one from them: columns of a table of four, and such.
const NEAR: i64 = 4;

/// The zero of a scalar or vector type.
pub(crate) fn zero<'c>(b: &Builder<'c>, ty: Ty<'c>) -> Val<'c> {
    let element = b.element_of(ty);
    match is_float(element) {
        true => b.cfloat(0.0, ty),
        false => b.cint(0, ty),
    }
}

/// Bits of an integer type, or of the lanes of a vector; those of `index` are 64.
fn width<'c>(b: &Builder<'c>, ty: Ty<'c>) -> u32 {
    let name = b.element_of(ty).to_string();
    name.trim_start_matches('i').parse().unwrap_or(64)
}

/// Bits of the narrowest integers that hold everything from the first to the second, of those that vectors compare and convert: few machines
/// have an instruction that makes floating-point numbers of integers of 64 bits.
pub(super) fn narrowest((lo, hi): (i64, i64), sizes: &RunTime) -> u32 {
    let fits = |number: i64| i32::try_from(number).is_ok() && !sizes.may_exceed(number);
    if fits(lo) && fits(hi) { 32 } else { 64 }
}

fn is_float(ty: Ty<'_>) -> bool {
    let name = ty.to_string();
    name.starts_with('f') || name == "bf16" || name == "tf32"
}

/// `[0, 1, …]` times `step` as a vector constant of an integer (or index) type.
fn pattern<'c>(b: &Builder<'c>, values: &[i64], element: Ty<'c>) -> Val<'c> {
    let ty = b.vector(&[values.len() as i64], element);
    let list: Vec<String> = values.iter().map(ToString::to_string).collect();
    let attribute = b.parse_attr(&format!("dense<[{}]> : {ty}", list.join(", ")));
    b.cattr(attribute, ty)
}

impl<'c> LoopEmitter<'_, 'c> {
    // ---- numbers -------------------------------------------------------------------------------------------------------

    /// The expression as an `index`, at lane 0 where it depends on the lane variable.
    pub fn index_value(&mut self, lin: &Sum) -> R<Val<'c>> {
        let b = self.b;
        if let Some(value) = lin.as_constant() {
            return Ok(b.cidx(value));
        }
        if let Some(known) = self.scopes.iter().rev().find_map(|s| s.numbers.get(lin)) {
            return Ok(*known);
        }
        let mut sum: Option<Val<'c>> = None;
        for (atom, k) in &lin.terms {
            let mut term = self.atom_value(atom)?;
            if *k != 1 {
                term = b.muli(term, b.cidx(*k));
            }
            sum = Some(match sum {
                None => term,
                Some(sum) => b.addi(sum, term),
            });
        }
        let sum = match (sum, lin.constant) {
            (Some(sum), 0) => sum,
            (Some(sum), c) => b.addi(sum, b.cidx(c)),
            (None, c) => b.cidx(c),
        };
        self.remember(lin, sum);
        Ok(sum)
    }

    fn remember(&mut self, lin: &Sum, value: Val<'c>) {
        if let Some(Scope { numbers, .. }) = self.scopes.last_mut() {
            numbers.insert(lin.clone(), value);
        }
    }

    fn atom_value(&mut self, atom: &Atom) -> R<Val<'c>> {
        let b = self.b;
        let own = Sum::atom(atom.clone());
        if let Some(var) = atom.as_var() {
            return self.vals[var].ok_or_else(|| Declined::new("a variable outside of its loop"));
        }
        if let Some(known) = self.scopes.iter().rev().find_map(|s| s.numbers.get(&own)) {
            return Ok(*known);
        }
        let value = match (&atom.base, atom.is_whole(), atom.period()) {
            (Base::Beyond, ..) => return Err(beyond()),
            (Base::Value(id), true, _) => {
                let raw = self.runtime_value(*id)?;
                if self.is_vector(raw) {
                    return Err(Declined::new(
                        "a run-time index that differs from lane to lane",
                    ));
                }
                let value = self.clamped(*id, raw, b.i64());
                b.index_cast(value, b.index())
            }
            (_, _, None) => {
                let (dividend, raise) = self.dividend(atom, atom.low)?;
                let dividend = self.index_value(&dividend)?;
                let quotient = b.op1("arith.divui", &[dividend, b.cidx(atom.low)], b.index(), &[]);
                match raise {
                    0 => quotient,
                    _ => b.subi(quotient, b.cidx(raise)),
                }
            }
            (_, _, Some(period)) => {
                // Whole periods more, so that an unsigned remainder is the right one.
                let high = atom.low.saturating_mul(period);
                let (dividend, _) = self.dividend(atom, high)?;
                let quotient = match atom.low {
                    1 => self.index_value(&dividend)?,
                    low => {
                        let dividend = self.index_value(&dividend)?;
                        b.op1("arith.divui", &[dividend, b.cidx(low)], b.index(), &[])
                    }
                };
                b.op1("arith.remui", &[quotient, b.cidx(period)], b.index(), &[])
            }
        };
        self.remember(&own, value);
        Ok(value)
    }

    /// The base of a digit raised by multiples of `m`, how many is said, so that it is not negative: an unsigned division rounds down then.
    fn dividend(&self, atom: &Atom, m: i64) -> R<(Sum, i64)> {
        let base = atom.base_sum();
        let (lo, _) = base.range(&self.ranges);
        if lo >= 0 {
            return Ok((base, 0));
        }
        let raise = -(lo.div_euclid(m));
        let raised = raise.checked_mul(m).map(|by| base.offset(by));
        match raised.filter(|sum| !sum.is_beyond() && lo > -FAR) {
            Some(raised) => Ok((raised, raise)),
            None => Err(beyond()),
        }
    }

    /// The integer that run-time value `id` is read from.
    fn runtime_value(&mut self, id: usize) -> R<Val<'c>> {
        let (value, index) = self.runtime.entries[id].element.clone();
        Ok(self.eval(value, &index)?.one())
    }

    /// Extended (by the signedness of its type) and clamped, as an integer of type `ty` or a vector of it.
    fn clamped(&self, id: usize, raw: Val<'c>, element: Ty<'c>) -> Val<'c> {
        let b = self.b;
        let entry = &self.runtime.entries[id];
        let unsigned = mapwright_fusion::node::tensor(entry.element.0)
            .is_ok_and(|(ty, _)| ty.element.is_unsigned() || ty.element == ElementType::Bool);
        let ty = b.like(raw.r#type(), element);
        let (from, to) = (width(b, raw.r#type()), width(b, ty));
        // Clamp in the wider of the two types, so that nothing is cut off before it.
        let (lo, hi) = (entry.lo, entry.hi);
        let clamp = |x: Val<'c>| {
            let t = x.r#type();
            let (min, max) = match unsigned {
                true => ("arith.minui", "arith.maxui"),
                false => ("arith.minsi", "arith.maxsi"),
            };
            let low = b.op1(max, &[x, b.cint(lo, t)], t, &[]);
            b.op1(min, &[low, self.last_index((lo, hi), unsigned, t)], t, &[])
        };
        match from.cmp(&to) {
            std::cmp::Ordering::Equal => clamp(raw),
            std::cmp::Ordering::Less => {
                let name = if unsigned {
                    "arith.extui"
                } else {
                    "arith.extsi"
                };
                clamp(b.cast(name, raw, ty))
            }
            std::cmp::Ordering::Greater => b.cast("arith.trunci", clamp(raw), ty),
        }
    }

    /// The greatest index that what is read at run time is clamped to, as an integer of type `ty` or a vector of it. It may follow from run-time
    /// sizes: not below the least then, whatever they are, and not cut to the width of the type.
    fn last_index(&self, (least, greatest): (i64, i64), unsigned: bool, ty: Ty<'c>) -> Val<'c> {
        let b = self.b;
        if !self.region.sizes.may_exceed(greatest) {
            return b.cint(greatest, ty);
        }
        let mut last = b.maxsi(b.cidx(greatest), b.cidx(least));
        let element = b.element_of(ty);
        let bits = width(b, element);
        if bits < 64 {
            let most = (1 << (bits - u32::from(!unsigned))) - 1;
            last = b.minsi(last, b.cint(most, b.index()));
        }
        self.spread(b.index_cast(last, element), &b.shape_of(ty))
    }

    /// The expression for every lane, as a vector of integers of type `element`.
    pub(super) fn lane_numbers(&mut self, lin: &Sum, lane: VarId, element: Ty<'c>) -> R<Val<'c>> {
        let (b, n) = (self.b, self.plan.lanes);
        let ty = b.vector(&[n], element);
        let uniform = |me: &mut Self, lin: &Sum| -> R<Val<'c>> {
            let scalar = me.index_value(lin)?;
            let scalar = b.index_cast(scalar, element);
            Ok(b.broadcast(scalar, ty))
        };
        if !self.runtime.depends_on(lin, lane) {
            return uniform(self, lin);
        }
        if let Some(deltas) = self.deltas(lin, lane) {
            let base = uniform(self, lin)?;
            return Ok(b.addi(base, pattern(b, &deltas, element)));
        }
        let mut sum = self.spread_number(lin.constant, ty);
        for (atom, k) in &lin.terms {
            let own = Sum::atom(atom.clone());
            let term = match (&atom.base, atom.is_whole()) {
                (Base::Beyond, _) => return Err(beyond()),
                _ if !self.runtime.depends_on(&own, lane) => uniform(self, &own)?,
                (Base::Var(_), true) => {
                    let base = uniform(self, &own)?;
                    let steps: Vec<i64> = (0..n).collect();
                    b.addi(base, pattern(b, &steps, element))
                }
                (Base::Value(id), true) => {
                    let raw = self.runtime_value(*id)?;
                    let raw = self.spread(raw, &[n]);
                    self.clamped(*id, raw, element)
                }
                _ => {
                    let (low, period) = (atom.low, atom.period());
                    let m = atom.high.unwrap_or(low);
                    let (raised, raise) = self.dividend(atom, m)?;
                    let (_, hi) = raised.range(&self.ranges);
                    // Sums may wrap in a narrow type, as the end of it is all that counts; what is divided may not.
                    let largest = hi.max(m);
                    let wide = [element, b.int(32)]
                        .into_iter()
                        .find(|ty| {
                            matches!(width(b, *ty), 64..)
                                || largest < 1 << (width(b, *ty) - 1)
                                    && !self.region.sizes.may_exceed(largest)
                        })
                        .unwrap_or_else(|| b.i64());
                    let vector = b.vector(&[n], wide);
                    let dividend = self.lane_numbers(&raised, lane, wide)?;
                    let quotient = match low {
                        1 => dividend,
                        _ => b.divui(dividend, b.cint(low, vector)),
                    };
                    let digit = match period {
                        Some(period) => b.op1(
                            "arith.remui",
                            &[quotient, b.cint(period, vector)],
                            vector,
                            &[],
                        ),
                        None => b.subi(quotient, b.cint(raise, vector)),
                    };
                    match width(b, wide) > width(b, element) {
                        true => b.cast("arith.trunci", digit, ty),
                        false => digit,
                    }
                }
            };
            sum = b.addi(sum, b.muli(term, self.spread_number(*k, ty)));
        }
        Ok(sum)
    }

    /// A number that may follow from run-time sizes as a vector, cut to the width of its lanes.
    fn spread_number(&self, number: i64, ty: Ty<'c>) -> Val<'c> {
        let b = self.b;
        match self.region.sizes.may_exceed(number) {
            true => b.broadcast(b.index_cast(b.cidx(number), b.element_of(ty)), ty),
            false => b.cint(number, ty),
        }
    }

    /// Do the lanes of the expression follow each other?
    pub(super) fn is_contiguous(&mut self, lin: &Sum, lane: VarId) -> bool {
        self.deltas(lin, lane)
            .is_some_and(|deltas| deltas.iter().enumerate().all(|(i, d)| *d == i as i64))
    }

    /// How much the expression grows from lane 0 to each lane, where that is the same at every step of the loop.
    fn deltas(&mut self, lin: &Sum, lane: VarId) -> Option<Vec<i64>> {
        let n = self.plan.lanes;
        let mut values = Vec::new();
        lin.values(&mut values);
        let entries = &self.runtime.entries;
        let runtime = &self.runtime;
        if values.iter().any(|id| {
            entries[*id]
                .element
                .1
                .iter()
                .any(|x| runtime.depends_on(x, lane))
        }) {
            return None;
        }
        if let Some(k) = lin.coefficient(lane) {
            return Some((0..n).map(|i| i * k).collect());
        }
        let at = self.at_lanes(lin, lane)?;
        at.iter().map(|x| x.minus(&at[0]).as_constant()).collect()
    }

    /// The value of the expression at each lane, where it is the same at every step of the loop.
    pub(super) fn lane_constants(&mut self, lin: &Sum, lane: VarId) -> Option<Vec<i64>> {
        let at = self.at_lanes(lin, lane)?;
        at.iter().map(Sum::as_constant).collect()
    }

    /// The expression at each lane, in terms of the number of the step.
    fn at_lanes(&mut self, lin: &Sum, lane: VarId) -> Option<Vec<Sum>> {
        let n = self.plan.lanes;
        let (start, step) = self.align[lane]?;
        if step % n != 0 {
            return None;
        }
        // lane = start + step * q, the last vector under a mask included
        let (lo, hi) = self.ranges.vars[lane];
        let last = (hi - start) / step;
        if start > lo || last < 0 {
            return None;
        }
        self.ranges.vars.push((0, last));
        let q = self.ranges.vars.len() - 1;
        let at = (0..n)
            .map(|i| {
                let value = Sum::var(q).scaled(step).offset(start + i);
                lin.with_var(lane, &value, &self.ranges)
            })
            .collect();
        self.ranges.vars.pop();
        Some(at)
    }

    /// A number as an element of a tensor (`iota`).
    pub fn number(&mut self, lin: &Sum, element: &ElementType) -> R<Elem<'c>> {
        let b = self.b;
        let bits = match element {
            ElementType::Int { width, .. } => *width,
            ElementType::Index => 64,
            ElementType::Float(_) => narrowest(lin.range(&self.ranges), &self.region.sizes),
            other => return Err(Declined::new(format!("an iota of {other}"))),
        };
        let integer = b.int(bits);
        let lane = self
            .lane
            .filter(|lane| self.runtime.depends_on(lin, lane.var));
        let value = match lane {
            None => {
                let at = self.index_value(lin)?;
                b.index_cast(at, integer)
            }
            Some(lane) => self.lane_numbers(lin, lane.var, integer)?,
        };
        match element {
            ElementType::Float(_) => {
                let from = ElementType::int(bits);
                Ok(crate::scalar::convert::convert(
                    b,
                    &from,
                    element,
                    Elem::One(value),
                )?)
            }
            _ => Ok(Elem::One(value)),
        }
    }

    // ---- loads ---------------------------------------------------------------------------------------------------------

    /// Element at `offset` of an input.
    pub fn load(&mut self, input: usize, offset: &Sum) -> R<Elem<'c>> {
        let (buffer, element) = self.input(input);
        if element.is_complex() {
            return self.load_complex(input, buffer, offset);
        }
        let loaded = self.load_stored(input, buffer, offset)?;
        Ok(storage::from_storage(self.b, &element, loaded)?)
    }

    /// What is stored at `offset` of the buffer of an input: a scalar where it is the same for all lanes, else a vector.
    pub(super) fn load_stored(
        &mut self,
        input: usize,
        buffer: Val<'c>,
        offset: &Sum,
    ) -> R<Val<'c>> {
        let lane = self
            .lane
            .filter(|lane| self.runtime.depends_on(offset, lane.var));
        match lane {
            None => {
                let at = self.index_value(offset)?;
                Ok(self.b.load(buffer, &[at]))
            }
            Some(lane) => self.load_lanes(input, buffer, offset, lane),
        }
    }

    fn load_lanes(
        &mut self,
        input: usize,
        buffer: Val<'c>,
        offset: &Sum,
        lane: Lane<'c>,
    ) -> R<Val<'c>> {
        let (b, n) = (self.b, self.plan.lanes);
        let element = b.element_of(buffer.r#type());
        let ty = b.vector(&[n], element);
        let Some(deltas) = self.deltas(offset, lane.var) else {
            return self.gather_computed(buffer, offset, lane, ty);
        };
        let at = self.index_value(offset)?;
        if deltas.iter().enumerate().all(|(i, d)| *d == i as i64) {
            let port = &self.region.inputs[input];
            let bytes = port.ty.element.byte_width().unwrap_or(0) as i64;
            if port.base.is_none() {
                let size = (port.elements(), bytes);
                let ahead = self.plan.prefetches_input(input);
                self.ask_ahead(buffer, (offset, ahead), size, prefetch::Access::Read)?;
            }
            return Ok(match lane.mask {
                None => b.vload(buffer, &[at], ty),
                Some(mask) => b.masked_load(buffer, &[at], mask, zero(b, ty)),
            });
        }
        if deltas.iter().all(|d| *d == 0) {
            let scalar = b.load(buffer, &[at]);
            return Ok(b.broadcast(scalar, ty));
        }
        if let Some(value) = self.every_other(input, buffer, offset, lane)? {
            return Ok(value);
        }
        if lane.mask.is_none() {
            if let Some(value) = self.transposed_row(input, buffer, offset, lane)? {
                return Ok(value);
            }
            if let Some(run) = run_length(&deltas) {
                return Ok(self.load_runs(buffer, at, &deltas, run, element));
            }
            if let Some(value) = self.load_near(buffer, at, &deltas, element) {
                return Ok(value);
            }
        }
        if let Some(k) = offset
            .coefficient(lane.var)
            .filter(|k| self.region.sizes.contain(*k))
        {
            let indices = b.vector(&[n], b.i64());
            let step = b.index_cast(b.cidx(k), b.i64());
            let counted = pattern(b, &(0..n).collect::<Vec<_>>(), b.i64());
            let indices = b.muli(b.broadcast(step, indices), counted);
            return Ok(self.gather_op(buffer, at, indices, lane, ty));
        }
        Ok(self.gather(
            buffer,
            at,
            pattern(b, &deltas, b.int(32)),
            &deltas,
            lane,
            ty,
        ))
    }

    /// A few contiguous loads, put together and put in order.
    fn load_runs(
        &self,
        buffer: Val<'c>,
        at: Val<'c>,
        deltas: &[i64],
        run: i64,
        element: Ty<'c>,
    ) -> Val<'c> {
        let b = self.b;
        let ty = b.vector(&[run], element);
        // Where each lane is in the concatenation of the runs, which are loaded from their lowest element on.
        let mut parts = Vec::new();
        let mut lanes = Vec::new();
        for chunk in deltas.chunks(run as usize) {
            let low = chunk.iter().copied().min().unwrap_or(0);
            let from = b.addi(at, b.cidx(low));
            let base = parts.len() as i64 * run;
            lanes.extend(chunk.iter().map(|d| base + d - low));
            parts.push(b.vload(buffer, &[from], ty));
        }
        while parts.len() > 1 {
            parts = parts
                .chunks(2)
                .map(|pair| match pair {
                    [a, c] => {
                        let width = b.shape_of(a.r#type())[0];
                        let all: Vec<i64> = (0..2 * width).collect();
                        b.shuffle(*a, *c, &all)
                    }
                    other => other[0],
                })
                .collect();
        }
        match lanes.iter().enumerate().all(|(i, l)| i as i64 == *l) {
            true => parts[0],
            false => b.shuffle(parts[0], parts[0], &lanes),
        }
    }

    /// Lanes from a short stretch of memory, put in order: one load, or two that overlap (of several registers each). Both ends of the stretch are read by some lane,
    /// so that nothing outside of the tensor is.
    fn load_near(
        &self,
        buffer: Val<'c>,
        at: Val<'c>,
        deltas: &[i64],
        element: Ty<'c>,
    ) -> Option<Val<'c>> {
        let b = self.b;
        let low = deltas.iter().copied().min()?;
        let span = deltas.iter().copied().max()? - low + 1;
        if span > NEAR * self.plan.lanes {
            return None;
        }
        let from = |offset: i64| b.addi(at, b.cidx(low + offset));
        // The largest power of two in the stretch: two of them cover it.
        let size = 1i64 << (63 - span.leading_zeros());
        let ty = b.vector(&[size], element);
        let first = b.vload(buffer, &[from(0)], ty);
        let rest = span - size;
        let second = match rest {
            0 => first,
            _ => b.vload(buffer, &[from(rest)], ty),
        };
        let lanes: Vec<i64> = deltas
            .iter()
            .map(|d| d - low)
            .map(|d| if d < size { d } else { size + d - rest })
            .collect();
        Some(b.shuffle(first, second, &lanes))
    }

    fn gather(
        &self,
        buffer: Val<'c>,
        at: Val<'c>,
        indices: Val<'c>,
        deltas: &[i64],
        lane: Lane<'c>,
        ty: Ty<'c>,
    ) -> Val<'c> {
        let b = self.b;
        let wide = deltas.iter().any(|d| i32::try_from(*d).is_err());
        let indices = match wide {
            true => pattern(b, deltas, b.i64()),
            false => indices,
        };
        self.gather_op(buffer, at, indices, lane, ty)
    }

    fn gather_op(
        &self,
        buffer: Val<'c>,
        at: Val<'c>,
        indices: Val<'c>,
        lane: Lane<'c>,
        ty: Ty<'c>,
    ) -> Val<'c> {
        let b = self.b;
        let mask_ty = b.vector(&[self.plan.lanes], b.i1());
        let mask = lane.mask.unwrap_or_else(|| b.cint(1, mask_ty));
        b.op1(
            "vector.gather",
            &[buffer, at, indices, mask, zero(b, ty)],
            ty,
            &[],
        )
    }

    /// A gather whose lane offsets are computed.
    fn gather_computed(
        &mut self,
        buffer: Val<'c>,
        offset: &Sum,
        lane: Lane<'c>,
        ty: Ty<'c>,
    ) -> R<Val<'c>> {
        let b = self.b;
        let (lo, hi) = offset.range(&self.ranges);
        let small = lo > -(1 << 30) && hi < 1 << 30 && !self.region.sizes.may_exceed(hi);
        let element = if small { b.int(32) } else { b.i64() };
        let indices = self.lane_numbers(offset, lane.var, element)?;
        Ok(self.gather_op(buffer, b.cidx(0), indices, lane, ty))
    }
}

/// Length of the runs of neighbouring elements (ascending or descending), a power of two that divides the number of lanes.
fn run_length(deltas: &[i64]) -> Option<i64> {
    let n = deltas.len() as i64;
    let mut run = n;
    while run >= SHORTEST_RUN {
        let fits = deltas.chunks(run as usize).all(|chunk| {
            chunk.windows(2).all(|d| d[1] - d[0] == 1) || chunk.windows(2).all(|d| d[0] - d[1] == 1)
        });
        if fits {
            return Some(run);
        }
        run /= 2;
    }
    None
}

/// Transposes a square block of rows: log2(n) rounds of exchanging halves between rows at growing distance.
pub(crate) fn transpose<'c>(b: &Builder<'c>, mut rows: Vec<Val<'c>>) -> Vec<Val<'c>> {
    let n = rows.len();
    let mut distance = 1;
    while distance < n {
        let mut next = rows.clone();
        // Lanes whose bit `distance` is clear come from the upper row, the others from the lower one, and the other way round.
        let low: Vec<i64> = (0..n)
            .map(|i| if i & distance == 0 { i } else { n + (i ^ distance) } as i64)
            .collect();
        let high: Vec<i64> = (0..n)
            .map(|i| if i & distance == 0 { i ^ distance } else { n + i } as i64)
            .collect();
        for i in 0..n {
            if i & distance == 0 {
                let (upper, lower) = (rows[i], rows[i | distance]);
                next[i] = b.shuffle(upper, lower, &low);
                next[i | distance] = b.shuffle(upper, lower, &high);
            }
        }
        rows = next;
        distance *= 2;
    }
    rows
}
