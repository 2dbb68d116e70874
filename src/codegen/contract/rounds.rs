//! Rows that are packed in rounds. What a product packs is memory beside its factors and its
//! result; of many rows only some are packed at a time, multiplied by all columns, and then the
//! next ones take their place.

use super::plan::{Buffer, Form, Plan, bytes};
use super::problem::{B, M, MO, NO, Problem};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::Sum;

/// Bytes of packed rows that are not cut.
const ENOUGH: i64 = 320 << 10;

/// Rows of a round, at least: each packs the columns again, which with 128 rows takes a fifth of
/// the product's time.
const LEAST: i64 = 512;

/// Rounds, at most.
const MOST: i64 = 8;

/// Returns the number of rounds in which the rows of a product are packed, whose plan for one round
/// is `plan`.
pub(super) fn count(p: &Problem<'_>, plan: &Plan) -> i64 {
    let Some(rows) = packed(p, plan).filter(|rows| *rows > ENOUGH) else {
        return 1;
    };
    // Where columns are packed once for all rows they stay so.
    if !plan.packs_by_round() {
        return 1;
    }
    let m = p.length(M);
    let possible = (2..=MOST).filter(|n| allows(p, *n) && m / n >= LEAST);
    let mut possible: Vec<i64> = possible.collect();
    let enough = possible.iter().position(|n| rows / n <= ENOUGH);
    possible.truncate(enough.map_or(possible.len(), |i| i + 1));
    possible.last().copied().unwrap_or(1)
}

/// Bytes of rows that are packed in each call.
pub(super) fn packed(p: &Problem<'_>, plan: &Plan) -> Option<i64> {
    plan.packs.iter().find_map(|pack| match pack.form {
        Form::Rows { stride, count } if matches!(pack.to, Buffer::Workspace { .. }) => {
            (count * stride * bytes(&p.packed)).as_constant()
        }
        _ => None,
    })
}

/// Tells whether the rows may be cut into so many rounds.
pub(super) fn allows(p: &Problem<'_>, rounds: i64) -> bool {
    let whole = [B, MO, NO].iter().all(|v| p.size(*v) == 1);
    whole
        && p.sizes.is_empty()
        && p.slides.is_empty()
        && p.image.is_none()
        && rounds > 1
        && p.size(M).is_multiple_of(rounds)
        && p.size(M) > 0
}

impl Plan {
    /// Tells whether tiles that have all rows of a round pack their columns by themselves.
    pub(super) fn packs_by_round(&self) -> bool {
        self.own_panels && self.limits.is_none()
    }
}

impl Problem<'_> {
    /// Cuts the rows into so many outer ones, which divides their number.
    pub(super) fn cut_rows(&mut self, outer: i64) {
        let inner = self.size(M).floor_div(outer.into());
        self.ranges.vars[MO] = (Extent::ZERO, Extent::from(outer - 1));
        self.ranges.vars[M] = (Extent::ZERO, inner - 1);
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
