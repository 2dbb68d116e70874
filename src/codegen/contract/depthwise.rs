//! Convolutions in which each feature has an input of its own: lanes along the features, a register
//! tile that slides along the last spatial dimension. Nothing is packed. Windows are cut at the
//! border of the input; of the padding, which is zero, only that an infinite or undefined element
//! of the kernel makes NaN of it is left to be computed.

use super::epilogue;
use super::matmul_emitter::{MatmulEmitter, Width, widen};
use super::plan::{Buffer, Choices, Plan, Source};
use super::problem::{EmitResult, M, MO, N, Problem};
use super::slide::{Slide, Taps};
use super::step::{self, Step};
use crate::run_time::known;
use crate::vectors::zero;
use crate::{Declined, Options};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::Sum;
use mapwright_mlir::Val;
use mapwright_mlir::builder::CmpI;
use std::collections::HashMap;

/// Neighbouring results in registers, where no schedule states how many.
pub(super) const TILE: i64 = 8;
/// Window elements along the last dimension, at most: they are unrolled.
const WIDEST: i64 = 9;

/// The plan, with so many neighbouring results in registers, if the operands lie so that vectors of
/// features can be read.
pub(crate) fn plan(p: &Problem<'_>, options: &Options, tile: i64) -> EmitResult<Plan> {
    let spatial = &p.slides;
    if !(1..=2).contains(&spatial.len()) || p.k.len() != spatial.len() {
        return Err(Declined::new("a window of more than two dimensions"));
    }
    let last = spatial[spatial.len() - 1];
    if last.size > WIDEST || last.output != p.size(M) {
        return Err(Declined::new("a window that is too wide"));
    }
    let source = |side: &super::problem::Side<'_>, vars: &[usize]| -> EmitResult<Source> {
        let Some((input, offset)) = side.plain.clone() else {
            return Err(Declined::new("an operand that is not in memory as it is"));
        };
        let steady = vars.iter().all(|v| offset.coefficient(*v).is_some());
        if !steady || offset.coefficient(N) != Some(Extent::ONE) {
            return Err(Declined::new("features that do not lie side by side"));
        }
        Ok(Source {
            buffer: Buffer::Input(input),
            element: side.element.clone(),
            offset,
        })
    };
    let mut vars = p.k.clone();
    let col_source = source(&p.cols, &vars)?;
    vars.push(M);
    let row_source = source(&p.rows, &vars)?;
    let width = p.acc.byte_width().unwrap_or(4) as i64;
    if p.is_run_time(N) {
        return Err(Declined::new("as many features as a run-time size"));
    }
    let results = (p.expected(MO) * p.expected(M) * p.expected(N)) as f64;
    Ok(Plan {
        last: Vec::new(),
        lanes: (i64::from(options.vector_bits) / 8 / width).max(2),
        rows: tile,
        vectors: 1,
        row_source,
        col_source,
        packs: Vec::new(),
        workspace: 0,
        prepacked: 0,
        row_block: Extent::ONE,
        line_block: Extent::ONE,
        own_panels: false,
        few: None,
        few_rows: 0,
        masked: false,
        choices: Choices::default(),
        col_block: Extent::ONE,
        along: None,
        limits: None,
        across: None,
        rounds: 1,
        cost: results * (p.depth().expected() as f64 / 8.0 + 2.0),
    })
}

/// Tiles of the launch: lines of results; of run-time sizes as many as may be expected.
pub(crate) fn tiles(p: &Problem<'_>) -> i64 {
    p.expected(MO)
}

impl<'c> MatmulEmitter<'_, 'c> {
    /// All lines.
    pub fn depthwise_tiles(&mut self, begin: Val<'c>, end: Val<'c>) -> EmitResult<()> {
        let b = self.b;
        let rows = self.buffer(&self.plan.row_source.buffer)?;
        let cols = self.buffer(&self.plan.col_source.buffer)?;
        let tile = self.plan.rows;
        self.each(MO, (begin, end, 1), &mut |me| {
            let Some(last) = me.p.slides.last().copied() else {
                return Ok(());
            };
            let all = Taps {
                inside: (0..last.size).collect(),
                ..Taps::default()
            };
            let (from, to) = last.inside();
            let known = [from, to, last.output].map(Extent::as_constant);
            let [Some(from), Some(to), Some(output)] = known else {
                return me.line_of_run_time_size(last, &all, rows, cols);
            };
            let whole = from + (to - from) / tile * tile;
            for o in (0..from).chain(to..output) {
                let taps = last.taps(o);
                me.with(M, b.cidx(o), &mut |me| me.features(1, &taps, rows, cols))?;
            }
            if whole > from {
                me.each(M, (b.cidx(from), b.cidx(whole), tile), &mut |me| {
                    me.features(tile, &all, rows, cols)
                })?;
            }
            if whole < to {
                me.with(M, b.cidx(whole), &mut |me| {
                    me.features(to - whole, &all, rows, cols)
                })?;
            }
            Ok(())
        })
    }

    /// A line whose length is known at run time only: those windows that lie inside of the input by
    /// tiles, the others one by one.
    fn line_of_run_time_size(
        &mut self,
        slide: Slide,
        all: &Taps,
        rows: Val<'c>,
        cols: Val<'c>,
    ) -> EmitResult<()> {
        let (b, tile) = (self.b, self.plan.rows);
        let border = Taps {
            perhaps: all.inside.clone(),
            ..Taps::default()
        };
        let (from, to) = slide.inside();
        let whole = from + (to - from).floor_div(tile.into()) * tile;
        let [from, whole, to, output] = [from, whole, to, slide.output].map(|end| b.cidx(end));
        let zero = b.cidx(0);
        let parts = [
            (zero, from, 1, &border),
            (from, whole, tile, all),
            (whole, to, 1, all),
            (to, output, 1, &border),
        ];
        for (lo, hi, count, taps) in parts {
            self.each(M, (lo, hi, count), &mut |me| {
                me.features(count, taps, rows, cols)
            })?;
        }
        Ok(())
    }

    /// `count` neighbouring results from `M` on, for all features.
    fn features(
        &mut self,
        count: i64,
        taps: &Taps,
        rows: Val<'c>,
        cols: Val<'c>,
    ) -> EmitResult<()> {
        let (b, lanes) = (self.b, self.plan.lanes);
        let n = known(self.p.size(N))?;
        let whole = n / lanes * lanes;
        if whole > 0 {
            self.each(N, (b.cidx(0), b.cidx(whole), lanes), &mut |me| {
                me.window(count, taps, None, rows, cols)
            })?;
        }
        if whole < n {
            self.with(N, b.cidx(whole), &mut |me| {
                me.window(count, taps, Some(n - whole), rows, cols)
            })?;
        }
        Ok(())
    }

    /// A vector of features.
    fn window(
        &mut self,
        count: i64,
        taps: &Taps,
        left: Option<i64>,
        rows: Val<'c>,
        cols: Val<'c>,
    ) -> EmitResult<()> {
        let (b, p, plan) = (self.b, self.p, self.plan);
        let lanes = plan.lanes;
        let ty = b.vector(&[lanes], crate::storage::storage_type(b, &p.acc)?);
        let mask = left.map(|n| b.mask(b.cidx(n), lanes));
        let masked = |from: Val<'c>,
                      at: Val<'c>,
                      source: &Source,
                      mask: Option<Val<'c>>|
         -> EmitResult<Val<'c>> {
            let stored = crate::storage::storage_type(b, &source.element)?;
            let ty = b.vector(&[lanes], stored);
            let loaded = match mask {
                Some(mask) => b.masked_load(from, &[at], mask, zero(b, ty)),
                None => b.vload(from, &[at], ty),
            };
            widen(b, &source.element, &p.acc, loaded)
        };
        let load = |from: Val<'c>, at: Val<'c>, source: &Source| masked(from, at, source, mask);
        let stride =
            |source: &Source, var: usize| source.offset.coefficient(var).unwrap_or_default();
        let (Some(inner), Some(slide)) = (p.k.last().copied(), p.slides.last().copied()) else {
            return Ok(());
        };
        let (row_at, col_at) = (self.start(&plan.row_source)?, self.start(&plan.col_source)?);
        // Elements between neighbours of the input. A window of one element does not move over it,
        // the results do.
        let along = match slide.size {
            1 => stride(&plan.row_source, M).floor_div(slide.stride.into()),
            _ => stride(&plan.row_source, inner).floor_div(slide.dilation.into()),
        };
        let factor = |col_at: Val<'c>, w: i64| -> EmitResult<Val<'c>> {
            let at = b.addi(col_at, b.cidx(stride(&plan.col_source, inner) * w));
            load(cols, at, &plan.col_source)
        };
        // Sums with zero times these elements of the kernel.
        let outside =
            |col_at: Val<'c>, taps: &[i64], sums: &[Val<'c>]| -> EmitResult<Vec<Val<'c>>> {
                let mut sums = sums.to_vec();
                if !p.acc.is_float() {
                    return Ok(sums);
                }
                for w in taps {
                    let factor = factor(col_at, *w)?;
                    for sum in &mut sums {
                        *sum = step::add(b, Step::One, &p.acc, zero(b, ty), factor, *sum);
                    }
                }
                Ok(sums)
            };
        // Where the first result's window begins along the input.
        let place = if taps.perhaps.is_empty() {
            None
        } else {
            let place = Sum::var(M).scaled(slide.stride).offset(-slide.low);
            Some(self.g.index_value(&place)?)
        };
        let line =
            |row_at: Val<'c>, col_at: Val<'c>, sums: &[Val<'c>]| -> EmitResult<Vec<Val<'c>>> {
                let mut sums = outside(col_at, &taps.outside, sums)?;
                // Elements beyond the input are zeros, which are multiplied all the same.
                for w in &taps.perhaps {
                    let Some(place) = place else { continue };
                    let at = b.addi(place, b.cidx(w * slide.dilation));
                    // Those before it are large numbers without a sign.
                    let inside = b.cmpi(CmpI::Ult, at, b.cidx(slide.input));
                    let count = b.select(inside, b.cidx(left.unwrap_or(lanes)), b.cidx(0));
                    let mask = Some(b.mask(count, lanes));
                    let at = b.addi(row_at, b.cidx(along * (w * slide.dilation)));
                    let x = masked(rows, at, &plan.row_source, mask)?;
                    let factor = factor(col_at, *w)?;
                    sums[0] = step::add(b, Step::One, &p.acc, x, factor, sums[0]);
                }
                let mut known: HashMap<i64, Val<'c>> = HashMap::new();
                for w in &taps.inside {
                    let factor = factor(col_at, *w)?;
                    for (t, sum) in sums.iter_mut().enumerate() {
                        let u = t as i64 * slide.stride + w * slide.dilation;
                        let x = match known.get(&u) {
                            Some(x) => *x,
                            None => {
                                let at = b.addi(row_at, b.cidx(along * u));
                                let x = load(rows, at, &plan.row_source)?;
                                known.insert(u, x);
                                x
                            }
                        };
                        *sum = step::add(b, Step::One, &p.acc, x, factor, *sum);
                    }
                }
                Ok(sums)
            };
        let zeros = vec![zero(b, ty); count as usize];
        let sums = match p.slides.as_slice() {
            [_] => line(row_at, col_at, &zeros)?,
            [first, _] => {
                let (lo, hi) = self.lines_inside(*first)?;
                let outer = p.k[0];
                let (row, col) = (
                    stride(&plan.row_source, outer),
                    stride(&plan.col_source, outer),
                );
                let mut failure = Ok(());
                let mut zeros = zeros;
                let may_miss =
                    first.output.is_run_time() || first.inside() != (Extent::ZERO, first.output);
                if may_miss && p.acc.is_float() {
                    // The lines of the kernel in the padding: the same for all results.
                    let cut = b.subi(hi, lo);
                    let missing = b.subi(b.cidx(first.size), cut);
                    let all: Vec<i64> = (0..slide.size).collect();
                    let start = [zero(b, ty)];
                    let found = b.for_loop(b.cidx(0), missing, b.cidx(1), &start, |_, i, sums| {
                        let before = b.cmpi(CmpI::Slt, i, lo);
                        let w = b.select(before, i, b.addi(i, cut));
                        let col_at = b.addi(col_at, b.muli(w, b.cidx(col)));
                        outside(col_at, &all, sums).unwrap_or_else(|why| {
                            failure = Err(why);
                            sums.to_vec()
                        })
                    });
                    zeros.fill(found[0]);
                }
                let sums = b.for_loop(lo, hi, b.cidx(1), &zeros, |_, w, sums| {
                    let row_at = b.addi(row_at, b.muli(w, b.cidx(row)));
                    let col_at = b.addi(col_at, b.muli(w, b.cidx(col)));
                    line(row_at, col_at, sums).unwrap_or_else(|why| {
                        failure = Err(why);
                        sums.to_vec()
                    })
                });
                failure?;
                sums
            }
            _ => return Ok(()),
        };
        let width = Width {
            vectors: 1,
            last: left,
            columns: None,
        };
        let numbers: Vec<i64> = (0..count).collect();
        epilogue::each(self, width, &numbers, &mut |r, _| sums[r as usize])
    }

    /// The window elements along the first spatial dimension that lie inside of the input, for the
    /// current line: `[lo, hi)`.
    fn lines_inside(&mut self, slide: Slide) -> EmitResult<(Val<'c>, Val<'c>)> {
        let b = self.b;
        let Some(place) = self.p.line.clone() else {
            return Err(Declined::new("a window without lines"));
        };
        let at = self
            .g
            .index_value(&place.scaled(slide.stride).offset(-slide.low))?;
        // at + w * dilation in [0, input)
        let d = b.cidx(slide.dilation);
        let zero = b.cidx(0);
        let divide = |x: Val<'c>| match slide.dilation {
            1 => x,
            _ => b.op1("arith.divui", &[x, d], b.index(), &[]),
        };
        let missing = b.maxsi(b.subi(zero, at), zero);
        let lo = divide(b.addi(missing, b.cidx(slide.dilation - 1)));
        let lo = b.minsi(lo, b.cidx(slide.size));
        let room = b.subi(b.cidx(slide.input), at);
        let some = b.cmpi(CmpI::Sgt, room, zero);
        let count = divide(b.addi(b.maxsi(room, zero), b.cidx(slide.dilation - 1)));
        let hi = b.select(some, b.minsi(count, b.cidx(slide.size)), zero);
        Ok((lo, b.maxsi(hi, lo)))
    }
}
