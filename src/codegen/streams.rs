//! Rows that are read side by side, each a stream in the order of memory: how many, and how many
//! columns of them a tile has.
//!
//! For what is reduced along columns that lie side by side: sums of products of a single row, and
//! reductions of columns.

use crate::index::ceil;

/// Rows that are combined at a time, at most: so many streams are read side by side, and so often
/// fewer are the accumulators loaded and stored.
pub(crate) const ROWS: i64 = 8;
/// Bytes of what is read from which on the order matters: below, they are in the level-one cache.
pub(crate) const LEAST: i64 = 64 << 10;
/// Bytes of neighbouring columns that make a stream.
const STREAM: i64 = 4 << 10;

/// Columns of a tile where `n` columns of `bytes` each are cut for `threads` threads, if `wanted`
/// tiles are of use: pieces as long as possible and of even size, the same number for each thread,
/// at most `most` columns.
pub(crate) fn columns(
    n: i64,
    bytes: i64,
    lanes: i64,
    most: i64,
    (threads, wanted): (i64, i64),
) -> i64 {
    let long = n * bytes / STREAM;
    let count = match wanted {
        ..=1 => 1,
        _ if long >= threads => (long.min(2 * threads) / threads * threads).max(1),
        _ => (n * bytes / (STREAM / 4)).clamp(1, threads),
    };
    let count = count.max(ceil(n, most));
    ceil(ceil(n, count), lanes) * lanes
}
