//! Rows that are packed in rounds. What a product packs is memory beside its factors and its result; of many rows only some are packed at a
//! time, multiplied by all columns, and then the next ones take their place.

use super::plan::{Buffer, Form, Plan, bytes};
use super::problem::{B, M, MO, NO, Problem};
use mapwright_indexing::linear::Sum;

/// Bytes of packed rows that are not cut.
const ENOUGH: i64 = 320 << 10;

/// Rows of a round, at least: each packs the columns again.
const LEAST: i64 = 128;

/// Rounds, at most.
const MOST: i64 = 8;

/// How many rounds the rows of a product are packed in, whose plan for one round is `plan`.
pub(super) fn of(p: &Problem<'_>, plan: &Plan) -> i64 {
    let mut packs = plan.packs.iter();
    let rows = packs.find_map(|pack| match pack.form {
        Form::Rows { stride, count } if matches!(pack.to, Buffer::Workspace { .. }) => {
            Some(stride * count * bytes(&p.packed))
        }
        _ => None,
    });
    let Some(rows) = rows.filter(|rows| *rows > ENOUGH) else {
        return 1;
    };
    let whole = [B, MO, NO].iter().all(|v| p.size(*v) == 1);
    // Where columns are packed once for all rows they stay so.
    let cut = whole && p.sizes.is_empty() && plan.own_panels && !p.step.ranks();
    if !cut || !p.slides.is_empty() {
        return 1;
    }
    let m = p.size(M);
    let possible = (2..=MOST).filter(|n| m % n == 0 && m / n >= LEAST);
    let mut possible: Vec<i64> = possible.collect();
    let enough = possible.iter().position(|n| rows / n <= ENOUGH);
    possible.truncate(enough.map_or(possible.len(), |i| i + 1));
    possible.last().copied().unwrap_or(1)
}

impl Problem<'_> {
    /// Cuts the rows into so many outer ones, which divides their number.
    pub(super) fn cut_rows(&mut self, outer: i64) {
        let inner = self.size(M) / outer;
        self.ranges.vars[MO] = (0, outer - 1);
        self.ranges.vars[M] = (0, inner - 1);
        let ranges = self.ranges.clone();
        let row = Sum::var(MO).scaled(inner).plus(&Sum::var(M));
        let change = |x: &mut Sum| *x = x.with_var(M, &row, &ranges);
        self.result_index.iter_mut().for_each(change);
        self.root_index.iter_mut().for_each(change);
        self.ends.iter_mut().for_each(|(_, x)| change(x));
        for side in [&mut self.rows, &mut self.cols] {
            side.index.iter_mut().for_each(change);
            side.accesses.iter_mut().for_each(|(_, x)| change(x));
            side.plain.iter_mut().for_each(|(_, x)| change(x));
            side.inside.iter_mut().for_each(|c| change(&mut c.lin));
        }
    }
}
