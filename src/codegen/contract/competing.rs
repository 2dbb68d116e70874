//! Rows in memory that compete for the same few lines of a cache.

use super::plan::{Source, bytes};
use super::problem::{M, N, NO, Problem};
use crate::index::ceil;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::Sum;

/// Level-one cache associativity times its line: rows at multiples of this many bytes compete for
/// the same few lines.
pub(super) const ALIAS: i64 = 4096;

/// Lines that a level-one cache has room for of those that compete.
const WAYS: i64 = 8;

/// Tells whether the rows of columns that are read where they are compete for the same few lines of
/// the cache.
pub(super) fn compete(p: &Problem<'_>, source: &Source) -> bool {
    let pitch =
        p.k.last()
            .and_then(|inner| source.offset.coefficient(*inner));
    let pitch = pitch.and_then(Extent::as_constant);
    // What is known at run time only is no power of two, more often than not.
    pitch.is_some_and(|n| n != 0 && n * bytes(&source.element) % ALIAS == 0) && p.depth() > WAYS
}

/// Tells whether rows may be read where they are. They may not if neighbouring rows compete for the
/// same cache lines again and again.
pub(super) fn steady_rows(
    p: &Problem<'_>,
    offset: &Sum,
    inner: usize,
    rows: i64,
    width: i64,
) -> bool {
    let stride = offset.coefficient(M).unwrap_or_default();
    let along = offset.coefficient(inner).unwrap_or_default();
    let [stride, along] = [stride, along].map(Extent::when_large);
    let small = p.size(M) * p.depth() * width <= 64 << 10;
    let again = ceil(p.length(N), 64) * p.length(NO);
    if small || rows <= 2 || again <= 2 {
        return true;
    }
    match (along, stride) {
        (1, s) => rows <= 6 || s * width % (ALIAS / 2) != 0,
        (a, 1) => a * width < 1024,
        _ => false,
    }
}
