//! Extremes that nothing depends on in the end: what is subtracted before an exponential so that it
//! stays small, and falls out again.
//!
//! Where a number `s` is replaced by `s + t`, a value `v` becomes `v + k t` or `v exp(k t)`. A
//! value that becomes itself (`k = 0`) does not depend on `s`. If all that is made of `s` ends in
//! such values, the cotangent of `s` is zero, and is not computed as a sum of what cancels.

use super::{elementwise::is_infinite, reduction::Combination, reverse::Reverse};
use crate::tarray::make::Make;
use mapwright_indexing::Extent;
use mapwright_mlir::{Op, Val, op};
use mapwright_ops::registry::{self, Class};
use std::collections::HashMap;

/// Most operations that are looked at for one value.
const MOST: usize = 256;

/// Way in which a value follows a shift by `t`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Follows {
    /// `v + k t`.
    Added(f64),
    /// `v exp(k t)`.
    Scaled(f64),
}

/// Way in which a value follows a shift of each element of another value, and the dimensions of
/// that one along which its own dimensions run; dimensions of size 1 have none.
#[derive(Clone, Debug, PartialEq)]
struct Shifted {
    how: Follows,
    dims: Vec<Option<usize>>,
}

impl<'c> Reverse<'c> {
    /// Tells whether the result of `made` is made of extremes alone, element by element, and the
    /// results of the block do not depend on it.
    pub(super) fn falls_out(&self, made: Op<'c>) -> bool {
        let class = registry::lookup(made).map(|def| def.class);
        let of_extremes = match class {
            Some(Class::Reduction) => matches!(Combination::from_op(made), Combination::Extreme(_)),
            Some(Class::Elementwise | Class::Movement) => (made.operands().into_iter())
                .filter(|value| self.is_active(*value))
                .all(|value| self.extremes.borrow().contains(&op::key(value))),
            _ => false,
        };
        if made.num_results() != 1 || !of_extremes {
            return false;
        }
        self.extremes.borrow_mut().insert(op::key(made.result(0)));
        cancels(&self.m, made).unwrap_or(false)
    }
}

/// `None` or `false` where that is not known.
fn cancels<'c>(m: &Make<'c>, made: Op<'c>) -> Option<bool> {
    let value = made.result(0);
    let block = made.block()?;
    let here = |op: Op<'c>| {
        op.block()
            .is_some_and(|b| b.to_raw().ptr == block.to_raw().ptr)
    };
    let mut known: HashMap<usize, Shifted> = HashMap::new();
    let mut left = 0;
    let mut insert = |known: &mut HashMap<usize, Shifted>, value: Val<'c>, shifted: Shifted| {
        let uses = op::uses(value);
        left += uses.len();
        known.insert(op::key(value), shifted);
        uses.into_iter().all(|(user, _)| here(user)).then_some(())?;
        Some(left)
    };
    let shape = m.noted_sizes(value)?;
    let dims = (0..shape.len()).map(|d| (shape[d] != 1).then_some(d));
    let start = Shifted {
        how: Follows::Added(1.0),
        dims: dims.collect(),
    };
    let mut open = insert(&mut known, value, start)?;
    let mut closed = 0;
    let mut next = op::next(made);
    let mut looked_at = 0;
    while open > closed {
        let user = next?;
        next = op::next(user);
        let read = user.operands();
        let count = (read.iter())
            .filter(|value| known.contains_key(&op::key(**value)))
            .count();
        if count == 0 {
            continue;
        }
        closed += count;
        if user.is_hlo("get_dimension_size") {
            continue;
        }
        looked_at += 1;
        if looked_at > MOST || user.num_results() != 1 {
            return None;
        }
        let shifted = follow(m, user, &known)?;
        let still = match shifted.how {
            Follows::Added(k) | Follows::Scaled(k) => k != 0.0,
        };
        if still {
            open = insert(&mut known, user.result(0), shifted)?;
        }
    }
    Some(true)
}

/// Returns how the result of `user` follows the shift.
fn follow<'c>(m: &Make<'c>, user: Op<'c>, known: &HashMap<usize, Shifted>) -> Option<Shifted> {
    use Follows::{Added, Scaled};
    let operands = user.operands();
    let of: Vec<Option<&Shifted>> = operands.iter().map(|v| known.get(&op::key(*v))).collect();
    let out = m.noted_sizes(user.result(0))?;
    let first = of.first().copied().flatten();
    let same = |how: Follows, dims: &[Option<usize>]| {
        Some(Shifted {
            how,
            dims: dims.to_vec(),
        })
    };
    let both = match of.as_slice() {
        [Some(a), Some(b)] if a.dims == b.dims => Some((a.how, b.how, &a.dims)),
        _ => None,
    };
    match user.short_name() {
        // The factor is positive.
        "sign" => match first?.how {
            Scaled(_) => same(Scaled(0.0), &first?.dims),
            Added(_) => None,
        },
        "convert" | "negate" | "exponential" | "log" | "abs" => {
            let x = first?;
            let how = match (user.short_name(), x.how) {
                ("convert", how) => how,
                ("negate", Added(k)) => Added(-k),
                ("negate", how) => how,
                ("exponential", Added(k)) => Scaled(k),
                ("log", Scaled(k)) => Added(k),
                ("abs", how @ Scaled(_)) => how,
                _ => return None,
            };
            same(how, &x.dims)
        }
        "add" | "subtract" => {
            let sign = if user.short_name() == "add" {
                1.0
            } else {
                -1.0
            };
            match (both, of.as_slice()) {
                (Some((Added(a), Added(b), dims)), _) => same(Added(a + sign * b), dims),
                (Some((Scaled(a), Scaled(b), dims)), _) if a == b => same(Scaled(a), dims),
                (None, [Some(x), None]) if matches!(x.how, Added(_)) => same(x.how, &x.dims),
                (None, [None, Some(x)]) => match x.how {
                    Added(k) => same(Added(sign * k), &x.dims),
                    Scaled(_) => None,
                },
                _ => None,
            }
        }
        "multiply" | "divide" => {
            let sign = if user.short_name() == "multiply" {
                1.0
            } else {
                -1.0
            };
            match (both, of.as_slice()) {
                (Some((Scaled(a), Scaled(b), dims)), _) => same(Scaled(a + sign * b), dims),
                (None, [Some(x), None]) if matches!(x.how, Scaled(_)) => same(x.how, &x.dims),
                (None, [None, Some(x)]) => match x.how {
                    Scaled(k) => same(Scaled(sign * k), &x.dims),
                    Added(_) => None,
                },
                _ => None,
            }
        }
        "broadcast_in_dim" | "dynamic_broadcast_in_dim" => {
            let x = first?;
            let own = m.noted_sizes(operands[0])?;
            let mut dims = vec![None; out.len()];
            let places = user.ints("broadcast_dimensions")?;
            for (i, place) in places.into_iter().enumerate() {
                let place = usize::try_from(place).ok()?;
                // One element may be repeated, or not.
                if x.dims[i].is_some() && own[i] != *out.get(place)? {
                    return None;
                }
                *dims.get_mut(place)? = x.dims[i];
            }
            same(x.how, &dims)
        }
        "transpose" => {
            let x = first?;
            let order = user.ints("permutation")?;
            let dims: Option<Vec<_>> = (order.into_iter())
                .map(|d| x.dims.get(usize::try_from(d).ok()?).copied())
                .collect();
            same(x.how, &dims?)
        }
        // Dimensions of size 1 come and go.
        "reshape" | "dynamic_reshape" => {
            let x = first?;
            let own = m.noted_sizes(operands[0])?;
            let long = |shape: &[Extent]| -> Vec<usize> {
                (0..shape.len()).filter(|d| shape[*d] != 1).collect()
            };
            let (from, to) = (long(&own), long(&out));
            let sizes = |shape: &[Extent], dims: &[usize]| -> Vec<Extent> {
                dims.iter().map(|d| shape[*d]).collect()
            };
            if sizes(&own, &from) != sizes(&out, &to) {
                return None;
            }
            let mut dims = vec![None; out.len()];
            for (a, b) in from.into_iter().zip(to) {
                dims[b] = x.dims[a];
            }
            same(x.how, &dims)
        }
        "reduce" => {
            let x = first?;
            let reduced = user.ints("dimensions")?;
            let is_reduced = |d: usize| reduced.contains(&(d as i64));
            if (0..x.dims.len()).any(|d| is_reduced(d) && x.dims[d].is_some()) {
                return None;
            }
            let own = m.noted_sizes(operands[0])?;
            let count: Extent = (0..own.len())
                .filter(|d| is_reduced(*d))
                .map(|d| own[d])
                .product();
            let init = op::defining_op(operands[1]).filter(|(made, _)| made.is_hlo("constant"));
            let init = init
                .and_then(|(made, _)| made.text("value"))
                .unwrap_or_default();
            let is_zero = init.starts_with("dense<0.0") || init.starts_with("dense<-0.0");
            let how = match (Combination::from_op(user), x.how) {
                (Combination::Sum, how) if is_zero => match how {
                    Added(k) => Added(k * count.as_constant()? as f64),
                    how => how,
                },
                (Combination::Extreme(_), how) if is_infinite(&init) => how,
                _ => return None,
            };
            let dims: Vec<_> = (0..x.dims.len())
                .filter(|d| !is_reduced(*d))
                .map(|d| x.dims[d])
                .collect();
            same(how, &dims)
        }
        _ => None,
    }
}
