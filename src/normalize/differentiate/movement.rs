//! What moves, repeats or puts together elements: the cotangent of an element of the operand is the
//! sum of those of the elements of the result that it goes into.
//!
//! Sizes, starts and strides are extents. Where all of them are numbers, so are those of the
//! operations that are made.

use super::{reverse::Reverse, window::dilated};
use crate::{
    rewrite::{Result, fail},
    tarray::sizes::extents,
};
use mapwright_indexing::Extent;
use mapwright_mlir::{Op, Val};
use mapwright_ops::attrs;

impl<'c> Reverse<'c> {
    /// The cotangent of the first operand of an operation that moves or repeats its elements; the
    /// others say sizes.
    pub(super) fn of_movement(&self, op: Op<'c>, given: Val<'c>) -> Result<'c, Val<'c>> {
        let m = &self.m;
        let own = m.type_of(op.operand(0)).1;
        let ints = |name: &str| op.ints(name).unwrap_or_default();
        Ok(match attrs::name(op) {
            "reshape" | "dynamic_reshape" => m.reshape(given, &own),
            "reverse" => m.reverse(given, &ints("dimensions")),
            "transpose" => m.transpose(given, &places(&ints("permutation"))),
            "broadcast" => {
                let rank = m.type_of(given).1.len();
                let dims: Vec<i64> = (0..rank as i64).skip(rank - own.len()).collect();
                self.of_repeated(given, &dims, &own)
            }
            "broadcast_in_dim" | "dynamic_broadcast_in_dim" => {
                self.of_repeated(given, &ints("broadcast_dimensions"), &own)
            }
            "slice" => {
                let [starts, strides] = ["start_indices", "strides"].map(|n| extents(&ints(n)));
                self.of_part(given, (&starts, &strides), &own)
            }
            "real_dynamic_slice" => {
                let [starts, strides] = [1, 3].map(|k| m.numbers_in(op.operand(k)));
                self.of_part(given, (&starts, &strides), &own)
            }
            // The elements within the new size are the first ones.
            "set_dimension_size" => {
                let [starts, strides] = [Extent::ZERO, Extent::ONE].map(|n| vec![n; own.len()]);
                self.of_part(given, (&starts, &strides), &own)
            }
            _ => return fail(op, "has no rule of differentiation"),
        })
    }

    /// Dimensions that are repeated are summed: those that the operand has not, and those in which
    /// it has the size 1.
    fn of_repeated(&self, given: Val<'c>, dims: &[i64], own: &[Extent]) -> Val<'c> {
        let m = &self.m;
        let (_, out) = m.type_of(given);
        let mut kept: Vec<i64> = Vec::new();
        for (size, d) in own.iter().zip(dims) {
            let other = out[*d as usize];
            if *size != other && size.is_run_time() {
                m.refuse("what is repeated may have the size 1, or not");
            }
            // What is no 1 is as large as the result.
            if *size == other || *size != 1 {
                kept.push(*d);
            }
        }
        let summed: Vec<i64> = (0..out.len() as i64)
            .filter(|d| !kept.contains(d) && out[*d as usize] != 1)
            .collect();
        // What is left is in the order of the result.
        let mut left = kept.clone();
        left.sort_unstable();
        let sizes: Vec<Extent> = left.iter().map(|d| out[*d as usize]).collect();
        let left = m.reshape(m.sum(given, &summed), &sizes);
        m.reshape(m.transpose(left, &ranks(&kept)), own)
    }

    /// The cotangent of a part back in the sizes `own`: elements outside of it get zeros.
    fn of_part(
        &self,
        given: Val<'c>,
        (starts, strides): (&[Extent], &[Extent]),
        own: &[Extent],
    ) -> Val<'c> {
        let m = &self.m;
        let (element, out) = m.type_of(given);
        let behind = |d: usize| own[d] - starts[d] - dilated(out[d], strides[d]);
        let high: Vec<Extent> = (0..own.len()).map(behind).collect();
        let between: Vec<Extent> = strides.iter().map(|by| *by - 1).collect();
        let zero = m.zeros(&element, &[]);
        m.pad((given, zero), (starts, &high, &between), own)
    }

    /// The operand is a part of the result, where elements were not cut off; the padding has what
    /// is left.
    pub(super) fn of_padding(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let (x, value) = (op.operand(0), op.operand(1));
        if !self.is_active(x) && !self.is_active(value) {
            return Ok(());
        }
        let own = m.type_of(x).1;
        let [low, high, between] = if op.is_hlo("pad") {
            ["edge_padding_low", "edge_padding_high", "interior_padding"]
                .map(|name| extents(&op.ints(name).unwrap_or_default()))
        } else {
            [2, 3, 4].map(|k| m.numbers_in(op.operand(k)))
        };
        let strides: Vec<Extent> = between.iter().map(|between| *between + 1).collect();
        let reach: Vec<Extent> = (own.iter().zip(&strides))
            .map(|(size, by)| dilated(*size, *by))
            .collect();
        let none = vec![Extent::ZERO; own.len()];
        let is_cut = |by: &Extent| by.as_constant().is_none_or(|by| by < 0);
        let (all, starts) = if low.iter().chain(&high).any(is_cut) {
            // Zeros where elements were cut off.
            let [low, high] =
                [&low, &high].map(|all| all.iter().map(|by| -*by).collect::<Vec<_>>());
            let zero = m.zeros(&m.type_of(given).0, &[]);
            (m.pad((given, zero), (&low, &high, &none), &reach), none)
        } else {
            (given, low)
        };
        let limits: Vec<Extent> = starts.iter().zip(&reach).map(|(a, b)| *a + *b).collect();
        let part = m.sliced(all, (&starts, &limits, &strides), &own);
        if self.is_active(x) {
            self.give(x, part);
        }
        if self.is_active(value) {
            self.give(value, m.sub(m.total(given), m.total(part)));
        }
        Ok(())
    }

    /// Each piece of a concatenation takes its part.
    pub(super) fn of_pieces(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let d = op.int("dimension").and_then(|d| usize::try_from(d).ok());
        let d = d.unwrap_or(0);
        let mut begin = Extent::ZERO;
        for piece in op.operands() {
            let (_, own) = m.type_of(piece);
            let (mut starts, mut limits) = (vec![Extent::ZERO; own.len()], own.clone());
            (starts[d], limits[d]) = (begin, begin + own[d]);
            begin = limits[d];
            if self.is_active(piece) {
                let strides = vec![Extent::ONE; own.len()];
                self.give(piece, m.sliced(given, (&starts, &limits, &strides), &own));
            }
        }
        Ok(())
    }
}

/// The place of each number of a list in the order of all of them, which are different.
fn ranks(list: &[i64]) -> Vec<i64> {
    let below = |n: &i64| list.iter().filter(|other| *other < n).count() as i64;
    list.iter().map(below).collect()
}

/// The inverse of a permutation.
fn places(permutation: &[i64]) -> Vec<i64> {
    let mut places = vec![0; permutation.len()];
    for (i, d) in permutation.iter().enumerate() {
        places[*d as usize] = i as i64;
    }
    places
}
