//! Numbers: sums of loop variables, digits and what is read at run time as code, one for all lanes
//! or one for each.

use super::emitter::{EmitResult, LoopEmitter, Scope};
use crate::vectors::pattern;
use crate::{Declined, Elem};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Atom, Base, Sum, VarId, gcd, is_near};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, Ty, Val};

fn beyond() -> Declined {
    Declined::new("an index beyond 64 bits")
}

/// Bits of an integer type, or of the lanes of a vector; those of `index` are 64.
fn width<'c>(b: &Builder<'c>, ty: Ty<'c>) -> u32 {
    let name = b.element_of(ty).to_string();
    name.trim_start_matches('i').parse().unwrap_or(64)
}

/// Bits of the narrowest integers that hold all of these, of those that vectors compare and
/// convert: few machines have an instruction that makes floating-point numbers of integers of 64
/// bits.
pub(super) fn narrowest(numbers: &[Extent]) -> u32 {
    let number = |n: &Extent| n.as_constant().and_then(|n| i32::try_from(n).ok());
    if numbers.iter().all(|n| number(n).is_some()) {
        32
    } else {
        64
    }
}

impl<'c> LoopEmitter<'_, 'c> {
    /// The expression as an `index`, at lane 0 where it depends on the lane variable.
    pub fn index_value(&mut self, lin: &Sum) -> EmitResult<Val<'c>> {
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
            (Some(sum), Extent::ZERO) => sum,
            (Some(sum), c) => b.addi(sum, b.cidx(c)),
            (None, c) => b.cidx(c),
        };
        self.remember_number(lin, sum);
        Ok(sum)
    }

    fn remember_number(&mut self, lin: &Sum, value: Val<'c>) {
        if let Some(Scope { numbers, .. }) = self.scopes.last_mut() {
            numbers.insert(lin.clone(), value);
        }
    }

    fn atom_value(&mut self, atom: &Atom) -> EmitResult<Val<'c>> {
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
                    Extent::ZERO => quotient,
                    _ => b.subi(quotient, b.cidx(raise)),
                }
            }
            (_, _, Some(period)) => {
                // Whole periods more, so that an unsigned remainder is the right one.
                let high = atom.low * period;
                let (dividend, _) = self.dividend(atom, high)?;
                let quotient = match atom.low {
                    Extent::ONE => self.index_value(&dividend)?,
                    low => {
                        let dividend = self.index_value(&dividend)?;
                        b.op1("arith.divui", &[dividend, b.cidx(low)], b.index(), &[])
                    }
                };
                b.op1("arith.remui", &[quotient, b.cidx(period)], b.index(), &[])
            }
        };
        self.remember_number(&own, value);
        Ok(value)
    }

    /// The base of a digit raised by multiples of `m`, how many is said, so that it is not
    /// negative: an unsigned division rounds down then.
    fn dividend(&self, atom: &Atom, m: Extent) -> EmitResult<(Sum, Extent)> {
        let base = atom.base_sum();
        let (lo, _) = base.range(&self.ranges);
        if lo.is_at_least(0) {
            return Ok((base, Extent::ZERO));
        }
        let raise = -lo.floor_div(m);
        let raised = raise.checked_mul(m).map(|by| base.offset(by));
        match raised.filter(|sum| !sum.is_beyond() && is_near(lo)) {
            Some(raised) => Ok((raised, raise)),
            None => Err(beyond()),
        }
    }

    /// The integer that run-time value `id` is read from.
    fn runtime_value(&mut self, id: usize) -> EmitResult<Val<'c>> {
        let (value, index) = self.runtime.entries[id].element.clone();
        Ok(self.eval(value, &index)?.one())
    }

    /// Extended (by the signedness of its type) and clamped, as an integer of type `ty` or a vector
    /// of it.
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
            let (min, max) = if unsigned {
                ("arith.minui", "arith.maxui")
            } else {
                ("arith.minsi", "arith.maxsi")
            };
            let low = b.op1(max, &[x, self.spread_number(lo, t)], t, &[]);
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

    /// The greatest index that what is read at run time is clamped to, as an integer of type `ty`
    /// or a vector of it. It may follow from run-time sizes: not below the least then, whatever
    /// they are, and not cut to the width of the type.
    fn last_index(
        &self,
        (least, greatest): (Extent, Extent),
        unsigned: bool,
        ty: Ty<'c>,
    ) -> Val<'c> {
        let b = self.b;
        if let Some(greatest) = greatest.as_constant() {
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
    pub(super) fn lane_numbers(
        &mut self,
        lin: &Sum,
        lane: VarId,
        element: Ty<'c>,
    ) -> EmitResult<Val<'c>> {
        let (b, n) = (self.b, self.plan.lanes);
        let ty = b.vector(&[n], element);
        let uniform = |me: &mut Self, lin: &Sum| -> EmitResult<Val<'c>> {
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
                    // Sums may wrap in a narrow type, as the end of it is all that counts; what is
                    // divided may not.
                    let largest = hi
                        .as_constant()
                        .zip(m.as_constant())
                        .map(|(hi, m)| hi.max(m));
                    let wide = [element, b.int(32)]
                        .into_iter()
                        .find(|ty| {
                            matches!(width(b, *ty), 64..)
                                || largest.is_some_and(|n| n < 1 << (width(b, *ty) - 1))
                        })
                        .unwrap_or_else(|| b.i64());
                    let vector = b.vector(&[n], wide);
                    let dividend = self.lane_numbers(&raised, lane, wide)?;
                    let quotient = match low {
                        Extent::ONE => dividend,
                        _ => b.divui(dividend, self.spread_number(low, vector)),
                    };
                    let digit = match period {
                        Some(period) => b.op1(
                            "arith.remui",
                            &[quotient, self.spread_number(period, vector)],
                            vector,
                            &[],
                        ),
                        None => b.subi(quotient, self.spread_number(raise, vector)),
                    };
                    if width(b, wide) > width(b, element) {
                        b.cast("arith.trunci", digit, ty)
                    } else {
                        digit
                    }
                }
            };
            sum = b.addi(sum, b.muli(term, self.spread_number(*k, ty)));
        }
        Ok(sum)
    }

    /// A number that may follow from run-time sizes as a vector, cut to the width of its lanes.
    pub(super) fn spread_number(&self, number: Extent, ty: Ty<'c>) -> Val<'c> {
        let b = self.b;
        match number.as_constant() {
            Some(number) => b.cint(number, ty),
            None => {
                let number = b.index_cast(b.cidx(number), b.element_of(ty));
                if b.shape_of(ty).is_empty() {
                    number
                } else {
                    b.broadcast(number, ty)
                }
            }
        }
    }

    /// Tells whether the values of the expression in the lanes follow each other.
    pub(super) fn is_contiguous(&mut self, lin: &Sum, lane: VarId) -> bool {
        self.deltas(lin, lane)
            .is_some_and(|deltas| deltas.iter().enumerate().all(|(i, d)| *d == i as i64))
    }

    /// Returns the growth of the expression from lane 0 to each lane, where that is the same at
    /// every step of the loop.
    pub(super) fn deltas(&mut self, lin: &Sum, lane: VarId) -> Option<Vec<i64>> {
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
            let k = k.as_constant()?;
            return Some((0..n).map(|i| i * k).collect());
        }
        let at = self.at_lanes(lin, lane)?;
        let delta = |x: &Sum| x.minus(&at[0]).as_number();
        at.iter().map(delta).collect()
    }

    /// The value of the expression at each lane, where it is the same at every step of the loop.
    pub(super) fn lane_constants(&mut self, lin: &Sum, lane: VarId) -> Option<Vec<i64>> {
        let at = self.at_lanes(lin, lane)?;
        at.iter().map(Sum::as_number).collect()
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
        let last = (hi - start).floor_div(step.into());
        if !lo.is_at_least(start) || last < 0 {
            return None;
        }
        self.ranges.vars.push((Extent::ZERO, last));
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
    pub fn number(&mut self, lin: &Sum, element: &ElementType) -> EmitResult<Elem<'c>> {
        let b = self.b;
        let bits = match element {
            ElementType::Int { width, .. } => *width,
            ElementType::Index => 64,
            ElementType::Float(_) => narrowest(&<[Extent; 2]>::from(lin.range(&self.ranges))),
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

    /// A number that divides the expression in every iteration of the open loops, at lane 0.
    pub(super) fn divisor(&self, lin: &Sum) -> i64 {
        let number = |k: Extent| match k.content() {
            (n, true) => n.saturating_mul(self.multiple),
            (n, false) => n,
        };
        let constant = number(lin.constant);
        lin.terms.iter().fold(constant, |divisor, (atom, k)| {
            let aligned = atom.as_var().and_then(|var| self.align[var]);
            let of_atom = aligned.map_or(1, |(start, step)| gcd(start, step));
            gcd(divisor, of_atom.saturating_mul(number(*k)))
        })
    }
}
