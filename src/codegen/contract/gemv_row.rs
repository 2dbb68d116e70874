//! Products of a single row with columns that are contiguous along the contracted variable: sums
//! along vectors, a vector of columns at a time.

use super::epilogue;
use super::matmul_emitter::{MatmulEmitter, Width, widen};
use super::plan::Plan;
use super::problem::{B, EmitResult, M, MO, N, NO, Problem};
use crate::index::{Ix, ceil};
use crate::run_time::index;
use crate::tiled::emitter::Scope;
use crate::vectors::{transpose, zero};
use mapwright_indexing::linear::Sum;
use mapwright_mlir::builder::CmpI;
use mapwright_mlir::{Builder, ElementType, Val};

/// Groups of columns: one for each vector of results. As many as may be expected, where their
/// number is known at run time only.
pub(crate) fn tiles(p: &Problem<'_>, plan: &Plan) -> i64 {
    p.expected(B) * p.expected(MO) * p.expected(NO) * ceil(p.expected(N), plan.lanes)
}

/// The numbers that groups of columns are counted by, the last one changing fastest.
pub(crate) fn counts<'c>(b: &Builder<'c>, p: &Problem<'_>, plan: &Plan) -> [Ix<'c>; 4] {
    let [groups, lines, outer] = [B, MO, NO].map(|v| index(b, p.size(v)));
    [
        groups,
        lines,
        outer,
        index(b, p.size(N).ceil_div(plan.lanes.into())),
    ]
}

/// Neighbouring columns.
#[derive(Clone, Copy)]
enum Columns<'c> {
    /// Number of columns, where it is known when code is made.
    Known(i64),
    /// Fewer than there are lanes, and at least one. The last of them is computed in the lanes
    /// behind it, too.
    Some(Val<'c>),
}

impl<'c> MatmulEmitter<'_, 'c> {
    /// All groups of columns.
    pub fn along_tiles(&mut self, begin: Val<'c>, end: Val<'c>) -> EmitResult<()> {
        let b = self.b;
        let (p, plan) = (self.p, self.plan);
        let rows = self.buffer(&plan.row_source.buffer)?;
        let cols = self.buffer(&plan.col_source.buffer)?;
        let mut result = Ok(());
        b.for_loop(begin, end, b.cidx(1), &[], |_, tile, _| {
            let at = self.split_counts(tile, &counts(b, p, plan));
            for (var, value) in [B, MO, NO].into_iter().zip(&at) {
                self.g.vals[var] = Some(*value);
            }
            self.g.vals[M] = Some(b.cidx(0));
            self.g.vals[N] = Some(b.muli(at[3], b.cidx(plan.lanes)));
            self.g.scopes.push(Scope::default());
            let (n, lanes) = (index(b, p.size(N)), Ix::Known(plan.lanes));
            let (whole, rest) = (n.div(b, lanes), n.rem(b, lanes));
            let all = Columns::Known(plan.lanes);
            let some = match rest {
                Ix::Known(rest) => Columns::Known(rest),
                Ix::Value(rest) => Columns::Some(rest),
            };
            result = match (whole.known(), rest.known()) {
                (_, Some(0)) => self.group(all, rows, cols),
                (Some(0), _) => self.group(some, rows, cols),
                _ => {
                    let is_whole = b.cmpi(CmpI::Slt, at[3], whole.value(b));
                    let mut results = [Ok(()), Ok(())];
                    let [one, two] = &mut results;
                    let me = std::cell::RefCell::new(&mut *self);
                    let branch = |columns: Columns<'c>, into: &mut EmitResult<()>| {
                        let mut me = me.borrow_mut();
                        me.g.scopes.push(Scope::default());
                        *into = me.group(columns, rows, cols);
                        me.g.scopes.pop();
                        Vec::new()
                    };
                    b.if_else(is_whole, &[], |_| branch(all, one), |_| branch(some, two));
                    results.into_iter().collect()
                }
            };
            self.g.scopes.pop();
            Vec::new()
        });
        result
    }

    /// Some neighbouring columns.
    fn group(&mut self, columns: Columns<'c>, rows: Val<'c>, cols: Val<'c>) -> EmitResult<()> {
        let (b, p, plan) = (self.b, self.p, self.plan);
        let lanes = plan.lanes;
        let element = crate::storage::storage_type(b, &p.acc)?;
        let ty = b.vector(&[lanes], element);
        let none = zero(b, ty);
        let depth = index(b, p.depth());
        let row_at = self.start(&plan.row_source)?;
        let ranges = self.g.ranges.clone();
        let count = match columns {
            Columns::Known(count) => count,
            Columns::Some(_) => lanes,
        };
        let mut starts = Vec::new();
        for c in 0..count {
            let mut source = plan.col_source.clone();
            let Columns::Some(some) = columns else {
                source.offset = source.offset.with_var(N, &Sum::var(N).offset(c), &ranges);
                starts.push(self.start(&source)?);
                continue;
            };
            let first = match starts.first() {
                Some(first) => *first,
                None => self.start(&source)?,
            };
            let last = b.minsi(b.cidx(c), b.subi(some, b.cidx(1)));
            let pitch = source.offset.coefficient(N).unwrap_or_default();
            starts.push(b.addi(first, b.muli(last, b.cidx(pitch))));
        }
        // A few columns need several sums each, so that one does not wait for the other.
        let copies = ceil(plan.along.unwrap_or(1), count);
        let step = |at: Val<'c>,
                    mask: Option<Val<'c>>,
                    sums: &[Val<'c>],
                    copy: i64|
         -> EmitResult<Vec<Val<'c>>> {
            let load =
                |from: Val<'c>, base: Val<'c>, element: &ElementType| -> EmitResult<Val<'c>> {
                    let at = b.addi(b.addi(base, at), b.cidx(copy * lanes));
                    let ty = b.vector(&[lanes], crate::storage::storage_type(b, element)?);
                    let loaded = match mask {
                        Some(mask) => b.masked_load(from, &[at], mask, zero(b, ty)),
                        None => b.vload(from, &[at], ty),
                    };
                    widen(b, element, &p.acc, loaded)
                };
            let x = load(rows, row_at, &plan.row_source.element)?;
            starts
                .iter()
                .zip(sums)
                .map(|(start, sum)| {
                    let y = load(cols, *start, &plan.col_source.element)?;
                    Ok(b.fma(x, y, *sum))
                })
                .collect()
        };
        let mut sums = vec![none; (count * copies) as usize];
        let n = count as usize;
        let block = lanes * copies;
        let whole = depth.div(b, Ix::Known(block)).mul(b, Ix::Known(block));
        // A loop over so many elements at a time; each gives the next sums.
        let steps =
            |(lo, hi): (Ix<'c>, Ix<'c>), by: i64, sums: &[Val<'c>]| -> EmitResult<Vec<Val<'c>>> {
                let mut failure = Ok(());
                let ends = (lo.value(b), hi.value(b), b.cidx(by));
                let sums = b.for_loop(ends.0, ends.1, ends.2, sums, |_, at, sums| {
                    let next: EmitResult<Vec<Vec<Val<'c>>>> = (0..by / lanes)
                        .map(|c| step(at, None, &sums[c as usize * n..][..n], c))
                        .collect();
                    match next {
                        Ok(next) => next.concat(),
                        Err(why) => {
                            failure = Err(why);
                            sums.to_vec()
                        }
                    }
                });
                failure.map(|()| sums)
            };
        if whole.known() != Some(0) {
            sums = steps((Ix::Known(0), whole), block, &sums)?;
        }
        match (depth.known(), whole.known()) {
            (Some(depth), Some(mut at)) => {
                while at + lanes <= depth {
                    let next = step(b.cidx(at), None, &sums[..n], 0)?;
                    sums[..n].copy_from_slice(&next);
                    at += lanes;
                }
                if at < depth {
                    let mask = b.mask(b.cidx(depth - at), lanes);
                    let next = step(b.cidx(at), Some(mask), &sums[..n], 0)?;
                    sums[..n].copy_from_slice(&next);
                }
            }
            _ => {
                let full = depth.div(b, Ix::Known(lanes)).mul(b, Ix::Known(lanes));
                if copies > 1 {
                    let next = steps((whole, full), lanes, &sums[..n])?;
                    sums[..n].copy_from_slice(&next);
                }
                // Perhaps no lane is there.
                let mask = b.mask(depth.sub(b, full).value(b), lanes);
                let next = step(full.value(b), Some(mask), &sums[..n], 0)?;
                sums[..n].copy_from_slice(&next);
            }
        }
        // Copies first, then the lanes of all columns at once.
        let mut totals: Vec<Val<'c>> = (0..n)
            .map(|c| (1..copies as usize).fold(sums[c], |total, k| b.addf(total, sums[k * n + c])))
            .collect();
        totals.resize(lanes as usize, none);
        let lines = transpose(b, totals);
        let total = pairwise(&lines, &|x, y| b.addf(x, y));
        let width = Width {
            vectors: 1,
            last: Some(count).filter(|c| *c < lanes),
            columns: match columns {
                Columns::Known(_) => None,
                Columns::Some(some) => Some(some),
            },
        };
        epilogue::each(self, width, &[0], &mut |_, _| total)
    }
}

/// Combines neighbours until one is left.
fn pairwise<'c>(values: &[Val<'c>], add: &dyn Fn(Val<'c>, Val<'c>) -> Val<'c>) -> Val<'c> {
    match values {
        [one] => *one,
        _ => {
            let (low, high) = values.split_at(values.len() / 2);
            add(pairwise(low, add), pairwise(high, add))
        }
    }
}
