//! How many rows and vectors of columns of a product have their sums in registers at a time, by the
//! cycles that all register tiles take.

use super::plan::bytes;
use super::problem::{M, N, Problem};
use super::step::Step;
use crate::Options;
use crate::index::ceil;

/// Bytes of the shortest vectors that the machine has registers for.
const SHORTEST: i64 = 16;

/// Lanes of the vectors that sums are in, and vector registers. Rows that are a shorter vector,
/// whole, are in such: they need no masks, and what one region stores as a vector another loads as
/// the same one, so that LLVM finds it in a register.
pub(super) fn machine(p: &Problem<'_>, options: &Options) -> (i64, i64) {
    let most = (i64::from(options.vector_bits) / 8 / bytes(&p.acc)).max(2);
    let (m, n) = (p.length(M), p.length(N));
    let whole = (n * bytes(&p.acc)) % SHORTEST == 0 && most % n.max(1) == 0;
    let short = whole && m > 1 && n > 1 && p.sizes.is_empty() && p.step == Step::One;
    let lanes = if short { n } else { most };
    let registers = if options.vector_bits >= 512 { 32 } else { 16 };
    (lanes, registers)
}

/// Estimated cycles of the best register tile of so many rows.
pub(crate) fn cycles_of_rows(p: &Problem<'_>, options: &Options, rows: i64) -> f64 {
    let (lanes, registers) = machine(p, options);
    register_tile(p, lanes, registers, Some(rows)).0
}

/// The register tile (rows, vectors) of the fewest estimated cycles, and how many these are.
/// `only`: of so many rows.
pub(super) fn register_tile(
    p: &Problem<'_>,
    lanes: i64,
    registers: i64,
    only: Option<i64>,
) -> (f64, (i64, i64)) {
    let (m, n) = (p.expected(M), ceil(p.expected(N), lanes));
    let depth = p.depth().expected() as f64;
    let mut best = (f64::MAX, (only.unwrap_or(1), 1));
    // Rows that lie apart by a run-time size take a register for addresses each, and LLVM reads one
    // element of each before the first product where it sees registers for these.
    let stride = p.rows.plain.as_ref();
    let stride = stride.and_then(|(_, offset)| offset.coefficient(M));
    let apart = stride.is_some_and(|stride| stride.is_run_time());
    let most: i64 = if apart { 8 } else { 16 };
    for vectors in 1..=8i64.min(n) {
        for rows in 1..=most.min(m) {
            if only.is_some_and(|only| only != rows) {
                continue;
            }
            // The accumulators, the columns, one spread row.
            let spread = if apart && registers > 16 { rows } else { 1 };
            if rows * vectors + vectors + spread > registers {
                break;
            }
            // Two products and two loads a cycle; four cycles until a sum can be added to again.
            // What comes from the second-level cache costs a little.
            let cycles = |r: i64, v: i64| {
                let products = (r * v) as f64 / 2.0;
                let loads = (r + v) as f64 / 2.0;
                products.max(loads).max(4.0) + 0.12 * v as f64 + 0.02 * r as f64
            };
            let parts = |total: i64, size: i64, var: usize| {
                if p.is_run_time(var) {
                    // There are many, and what is left over may be any number.
                    return vec![(total as f64 / size as f64, size)];
                }
                let mut list = Vec::new();
                if total / size > 0 {
                    list.push(((total / size) as f64, size));
                }
                if total % size > 0 {
                    list.push((1.0, total % size));
                }
                list
            };
            let mut total = 0.0;
            for (a, r) in parts(m, rows, M) {
                for (c, v) in parts(n, vectors, N) {
                    total += a * c * (cycles(r, v) + 20.0 / depth);
                }
            }
            if total < best.0 - 1e-9 {
                best = (total, (rows, vectors));
            }
        }
    }
    best
}
