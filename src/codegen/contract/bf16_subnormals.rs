//! Where the instruction for products of `bf16` would lose something: it takes subnormal factors,
//! products and sums as zero.
//!
//! A number of `bf16` has 8 bits of mantissa. If every factor of the rows that is not zero is at
//! least `2^a` and every one of the columns at least `2^b`, all products are multiples of
//! `2^(a + b - 14)`, and so are their sums, however they are rounded. With `a + b >= -112` none of
//! them is subnormal, and the instruction may be used. Otherwise the products of even and of odd
//! contracted elements are summed by themselves, in `f32`: nothing is lost.
//!
//! The *rank* of a number is its bits without the sign, less 1, unsigned: a zero has the highest. A
//! panel of columns ends in the least ranks of its lanes, counted while it is packed; from the
//! least rank of the rows of a register tile follows the *limit*, the least rank with which columns
//! may take part in the instruction, noted when a tile begins. The choice is made anew for each
//! register tile, and from its factors alone: it is the same however the work is shared out.

use super::matmul_emitter::{Contracted, MatmulEmitter, contract, spread};
use super::plan::Source;
use super::problem::{EmitResult, M};
use crate::run_time::known;
use mapwright_indexing::Extent;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpI, Ty, Val};

/// Biased exponents of two factors that give no subnormal number add up to this at least:
/// `2 * 127 - 112`.
const EXPONENTS: i64 = 142;
/// Bits of the mantissa.
const MANTISSA: i64 = 7;
/// The rank of a zero.
const ZERO: i64 = 0xffff;

/// The lesser ranks of those so far and of numbers, lane by lane.
pub(super) fn least<'c>(b: &Builder<'c>, so_far: Val<'c>, numbers: Val<'c>) -> Val<'c> {
    let c = |value: i64| b.cint(value, numbers.r#type());
    let rank = b.addi(b.andi(numbers, c(0x7fff)), c(-1));
    b.same("arith.minui", &[so_far, rank])
}

/// Returns the ranks that [`least`] begins with: the greatest, in all lanes.
pub(super) fn none<'c>(b: &Builder<'c>, lanes: i64) -> Val<'c> {
    b.cint(-1, b.vector(&[lanes], b.int(16)))
}

/// The limit that follows from the least rank of rows.
fn limit<'c>(b: &Builder<'c>, rank: Val<'c>) -> Val<'c> {
    let word = b.int(32);
    let c = |value: i64| b.cint(value, word);
    let bits = b.addi(b.cast("arith.extui", rank, word), c(1));
    let exponent = b.shrui(bits, c(MANTISSA));
    // Never below the least normal number.
    let columns = b.maxsi(b.subi(c(EXPONENTS), exponent), c(1));
    let limit = b.subi(b.shli(columns, c(MANTISSA)), c(1));
    // Next to a subnormal number only zeros may stand.
    let subnormal = b.cmpi(CmpI::Eq, exponent, c(0));
    b.cast(
        "arith.trunci",
        b.select(subnormal, c(ZERO), limit),
        b.int(16),
    )
}

impl<'c> MatmulEmitter<'_, 'c> {
    /// Beginning of the limits of an outer row of a tile of the launch, if there are any.
    pub fn limits_of(&self, tile: Val<'c>, line: Val<'c>) -> Option<Val<'c>> {
        let (b, (_, each)) = (self.b, self.plan.limits.as_ref()?);
        let before = b.muli(line, b.cidx(self.plan.row_block));
        Some(b.addi(b.muli(tile, b.cidx(*each)), before))
    }

    /// Notes the limit that the rows of the current register tile set.
    pub fn note_rows(&mut self, rows: i64, from: Val<'c>) -> EmitResult<()> {
        let (b, p, plan) = (self.b, self.p, self.plan);
        let (Some((limits, _)), Some(at)) = (&plan.limits, self.limit) else {
            return Ok(());
        };
        let limits = self.buffer(limits)?;
        let first = self.start(&plan.row_source)?;
        let stride = |source: &Source, var| source.offset.coefficient(var).unwrap_or_default();
        // Contracted variables as sizes and strides; those that continue each other are one.
        let mut steps: Vec<(i64, i64)> = Vec::new();
        for k in p.k.iter().rev() {
            let (size, by) = (known(p.size(*k))?, known(stride(&plan.row_source, *k))?);
            match steps.last_mut() {
                None => steps.push((size, 1)),
                Some((inner, unit)) if by == *inner * *unit => *inner *= size,
                Some(_) => steps.push((size, by)),
            }
        }
        steps.reverse();
        let lanes = plan.lanes * p.step.elements();
        let between = stride(&plan.row_source, M);
        let line = Line { from, lanes };
        let ranks = b.for_loop(
            b.cidx(0),
            b.cidx(rows),
            b.cidx(1),
            &[none(b, lanes)],
            |_, r, so_far| {
                let at = b.addi(first, b.muli(r, b.cidx(between)));
                vec![line.least(b, &steps, at, so_far[0])]
            },
        )[0];
        b.store(limit(b, b.reduction("minui", ranks)), limits, &[at]);
        Ok(())
    }

    /// Whether one of the columns of the panel that begins at `panel` is below the limit of the
    /// rows. `None` where rows have none.
    pub fn loses(
        &mut self,
        cols: Val<'c>,
        panel: Val<'c>,
        vectors: i64,
    ) -> EmitResult<Option<Val<'c>>> {
        let (b, p, plan) = (self.b, self.p, self.plan);
        let (Some((limits, _)), Some(at)) = (&plan.limits, self.limit) else {
            return Ok(None);
        };
        let lanes = plan.lanes * p.step.elements();
        let ty = b.vector(&[lanes], b.int(16));
        let limits = self.buffer(limits)?;
        let limit = b.broadcast(b.load(limits, &[at]), ty);
        let behind = p.packed_depth() * plan.width();
        let mut found: Option<Val<'c>> = None;
        for v in 0..vectors {
            let at = b.addi(panel, b.cidx(behind + v * lanes));
            let below = b.cmpi(CmpI::Ult, b.vload(cols, &[at], ty), limit);
            found = Some(found.map_or(below, |found| b.ori(found, below)));
        }
        Ok(found.map(|found| b.reduction("or", found)))
    }
}

/// Rows in memory.
struct Line<'c> {
    from: Val<'c>,
    /// Elements that are looked at together.
    lanes: i64,
}

impl<'c> Line<'c> {
    /// The least ranks so far and those of the row that begins at an element, over contracted
    /// variables given as (size, stride), outermost first.
    fn least(
        &self,
        b: &Builder<'c>,
        steps: &[(i64, i64)],
        at: Val<'c>,
        so_far: Val<'c>,
    ) -> Val<'c> {
        let each = |size: i64, by: i64, inner: &dyn Fn(Val<'c>, Val<'c>) -> Val<'c>| match size {
            0 => so_far,
            1 => inner(at, so_far),
            _ => {
                let (lo, hi) = (b.cidx(0), b.cidx(size));
                b.for_loop(lo, hi, b.cidx(1), &[so_far], |_, i, so_far| {
                    vec![inner(b.addi(at, b.muli(i, b.cidx(by))), so_far[0])]
                })[0]
            }
        };
        let ty = b.vector(&[self.lanes], b.int(16));
        match steps {
            [] => so_far,
            [(size, _)] => {
                let (whole, rest) = (size / self.lanes, size % self.lanes);
                let found = each(whole, self.lanes, &|at, so_far| {
                    least(b, so_far, b.vload(self.from, &[at], ty))
                });
                match rest {
                    0 => found,
                    _ => {
                        let at = b.addi(at, b.cidx(whole * self.lanes));
                        let mask = b.mask(b.cidx(rest), self.lanes);
                        let numbers = b.masked_load(self.from, &[at], mask, b.cint(0, ty));
                        least(b, found, numbers)
                    }
                }
            }
            [(size, by), inner @ ..] => {
                each(*size, *by, &|at, so_far| self.least(b, inner, at, so_far))
            }
        }
    }
}

/// A register tile whose products are to be added one by one. It is seldom needed: row by row, so
/// that there is little code and few registers are taken from the loop that is in its place
/// otherwise.
pub(super) struct OneByOne<'c> {
    /// The rows and where those of the tile begin.
    pub rows: (Val<'c>, Val<'c>),
    /// Elements from one row to the next.
    pub between: Extent,
    /// The panels and where the tile's begins.
    pub cols: (Val<'c>, Val<'c>),
    /// Rows of the tile.
    pub count: i64,
    /// Vectors of its columns.
    pub vectors: i64,
}

impl<'c> OneByOne<'c> {
    /// The sums, as vectors of type `ty`, over contracted variables as [`contract`] takes them.
    pub fn sums(
        &self,
        b: &Builder<'c>,
        steps: &[Contracted<'c>],
        ty: Ty<'c>,
    ) -> EmitResult<Vec<Val<'c>>> {
        let lanes = b.shape_of(ty)[0];
        let width = self.vectors * lanes;
        let place = b.alloca(b.memref(&[self.count * width], b.element_of(ty)));
        let pairs = b.vector(&[2 * lanes], b.int(16));
        let words = b.like(ty, b.int(32));
        // The first and the second of each pair.
        let split = |pairs: Val<'c>| {
            let word = b.op1("vector.bitcast", &[pairs], words, &[]);
            let even = b.shli(word, b.cint(16, words));
            let odd = b.andi(word, b.cint(-0x1_0000, words));
            [even, odd].map(|bits| b.cast("arith.bitcast", bits, ty))
        };
        let body = |row: Val<'c>, col: Val<'c>, sums: &[Val<'c>]| -> EmitResult<Vec<Val<'c>>> {
            let x = split(spread(b, self.rows.0, row, 2, pairs));
            let mut next = Vec::new();
            for (v, sums) in sums.chunks(2).enumerate() {
                let at = b.addi(col, b.cidx(v as i64 * 2 * lanes));
                let y = split(b.vload(self.cols.0, &[at], pairs));
                next.extend((0..2).map(|i| b.fma(x[i], y[i], sums[i])));
            }
            Ok(next)
        };
        let zeros = vec![b.cfloat(0.0, ty); 2 * self.vectors as usize];
        let mut failure = Ok(());
        b.for_loop(b.cidx(0), b.cidx(self.count), b.cidx(1), &[], |_, r, _| {
            let row = b.addi(self.rows.1, b.muli(r, b.cidx(self.between)));
            match contract(b, steps, row, self.cols.1, &zeros, &body) {
                Ok(sums) => {
                    for (v, sums) in sums.chunks(2).enumerate() {
                        let at = b.addi(b.muli(r, b.cidx(width)), b.cidx(v as i64 * lanes));
                        b.vstore(b.addf(sums[0], sums[1]), place, &[at]);
                    }
                }
                Err(why) => failure = Err(why),
            }
            Vec::new()
        });
        failure?;
        Ok((0..self.count * self.vectors)
            .map(|i| b.vload(place, &[b.cidx(i * lanes)], ty))
            .collect())
    }
}
