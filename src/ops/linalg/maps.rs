//! Maps of `fft`, `triangular_solve` and `cholesky`.
//!
//! A Fourier transform reads its last `fft_length` dimensions whole. Solving `op(a) x = b` by
//! substitution, element `(i, j)` of `x` is made of `b(p, j)` and `a(p, q)` with `p` up to `i` and
//! `q` up to `p`, seen in the triangle that is read (without the diagonal where it is taken to be
//! 1). Element `(i, j)` of a Cholesky factor is made of row `i` of the matrix up to column `j` and
//! of the triangle above and left of row `j`. The other triangle of the factor holds nothing that
//! is defined.

use crate::attrs::{Transpose, fft_length, flag, transpose_a};
use crate::query::{Pieces, Query, over, variable, whole_tail};
use mapwright_indexing::{Expr, IndexingMap, Interval, d, s};

const AT_LEAST_0: Interval = Interval::new(0, i64::MAX);

pub(crate) fn fft_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let (out, inp) = (q.result_sizes(result)?, q.operand_sizes(operand)?);
    Ok(vec![whole_tail(
        &out,
        &inp,
        fft_length(q.op, inp.len())?.len(),
    )?])
}

pub(crate) fn fft_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let (out, inp) = (q.result_sizes(result)?, q.operand_sizes(operand)?);
    Ok(vec![whole_tail(
        &inp,
        &out,
        fft_length(q.op, inp.len())?.len(),
    )?])
}

/// Order in which a `triangular_solve` substitutes.
struct Solve {
    /// Rank of `a` and `b`.
    rank: usize,
    /// The dimension of `b` along which it substitutes, and the other of the last two.
    along: usize,
    other: usize,
    /// First to last (a lower triangle, seen from the unknowns), or last to first.
    forward: bool,
    /// `op(a)` seen from the unknowns swaps rows and columns of `a`.
    swapped: bool,
    unit_diagonal: bool,
}

fn solve(q: &Query<'_>) -> Result<Solve, String> {
    let (a, b) = (q.operand(0)?, q.operand(1)?);
    if a.rank() != b.rank() || a.rank() < 2 {
        return Err(format!("matrices of ranks {} and {}", a.rank(), b.rank()));
    }
    let rank = a.rank();
    let left = flag(q.op, "left_side", true)?;
    let lower = flag(q.op, "lower", true)?;
    let transposed = transpose_a(q.op)? != Transpose::NoTranspose;
    // x * op(a) = b is op(a)^T * x^T = b^T.
    let swapped = transposed == left;
    Ok(Solve {
        rank,
        along: if left { rank - 2 } else { rank - 1 },
        other: if left { rank - 1 } else { rank - 2 },
        forward: lower != swapped,
        swapped,
        unit_diagonal: flag(q.op, "unit_diagonal", false)?,
    })
}

impl Solve {
    /// `later - earlier >= gap` in the order of substitution.
    fn ordered(&self, map: IndexingMap, earlier: Expr, later: Expr, gap: i64) -> IndexingMap {
        let difference = if self.forward {
            later - earlier
        } else {
            earlier - later
        };
        map.with_constraint(difference, Interval::new(gap, AT_LEAST_0.upper))
    }

    /// Row and column of `a` for equation `p` and unknown `q`.
    fn matrix(&self, mut index: Vec<Expr>, p: Expr, q: Expr) -> Vec<Expr> {
        index.extend(if self.swapped { [q, p] } else { [p, q] });
        index
    }
}

pub(crate) fn solve_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let (out, inp) = (q.result_sizes(result)?, q.operand_sizes(operand)?);
    let solve = solve(q)?;
    if out.len() != solve.rank {
        return Err("operand and result have different ranks".into());
    }
    let n = out[solve.along];
    let mut map = over(&out, vec![]);
    let unknown = d(solve.along);
    if operand == 1 {
        map.set_results(
            (0..solve.rank)
                .map(|k| if k == solve.along { s(0) } else { d(k) })
                .collect(),
        );
        map.push_range(variable(n));
        return Ok(vec![solve.ordered(map, s(0), unknown, 0)]);
    }
    map.set_ranges(vec![variable(n), variable(n)]);
    map.set_results(solve.matrix((0..solve.rank - 2).map(d).collect(), s(0), s(1)));
    let map = solve.ordered(map, s(0), unknown, 0);
    let _ = inp;
    Ok(vec![solve.ordered(
        map,
        s(1),
        s(0),
        i64::from(solve.unit_diagonal),
    )])
}

pub(crate) fn solve_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let (out, inp) = (q.result_sizes(result)?, q.operand_sizes(operand)?);
    let solve = solve(q)?;
    if out.len() != solve.rank {
        return Err("operand and result have different ranks".into());
    }
    let mut map = over(&inp, vec![]);
    map.push_range(variable(out[solve.along]));
    if operand == 1 {
        map.set_results(
            (0..solve.rank)
                .map(|k| if k == solve.along { s(0) } else { d(k) })
                .collect(),
        );
        return Ok(vec![solve.ordered(map, d(solve.along), s(0), 0)]);
    }
    map.push_range(variable(out[solve.other]));
    map.set_results(
        (0..solve.rank)
            .map(|k| match k {
                k if k == solve.along => s(0),
                k if k == solve.other => s(1),
                k => d(k),
            })
            .collect(),
    );
    let (row, column) = (d(solve.rank - 2), d(solve.rank - 1));
    let (p, unknown) = if solve.swapped {
        (column, row)
    } else {
        (row, column)
    };
    let map = solve.ordered(map, p.clone(), s(0), 0);
    Ok(vec![solve.ordered(
        map,
        unknown,
        p,
        i64::from(solve.unit_diagonal),
    )])
}

/// Rank, and whether the lower triangle is meant.
fn cholesky(q: &Query<'_>) -> Result<(usize, bool), String> {
    let rank = q.operand(0)?.rank();
    if rank < 2 {
        return Err(format!("a matrix of rank {rank}"));
    }
    Ok((rank, flag(q.op, "lower", false)?))
}

/// Row and column of an element, exchanged where the upper triangle is meant: then everything is as
/// for the lower one.
fn oriented(lower: bool, row: Expr, column: Expr) -> [Expr; 2] {
    if lower { [row, column] } else { [column, row] }
}

fn at_most(map: IndexingMap, a: Expr, b: Expr) -> IndexingMap {
    map.with_constraint(b - a, AT_LEAST_0)
}

pub(crate) fn cholesky_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let (out, _) = (q.result_sizes(result)?, q.operand_sizes(operand)?);
    let (rank, lower) = cholesky(q)?;
    if out.len() != rank {
        return Err("operand and result have different ranks".into());
    }
    let n = out[rank - 1];
    let batch: Vec<Expr> = (0..rank - 2).map(d).collect();
    let [i, j] = oriented(lower, d(rank - 2), d(rank - 1));
    let start = at_most(over(&out, vec![]), j.clone(), i.clone());
    // Row i up to column j.
    let mut row = start.clone();
    row.set_ranges(vec![variable(n)]);
    row.set_results([batch.clone(), oriented(lower, i, s(0)).to_vec()].concat());
    let row = at_most(row, s(0), j.clone());
    // The triangle above and left of row j.
    let mut triangle = start;
    triangle.set_ranges(vec![variable(n), variable(n)]);
    triangle.set_results([batch, oriented(lower, s(0), s(1)).to_vec()].concat());
    let triangle = at_most(at_most(triangle, s(0), j), s(1), s(0));
    Ok(vec![row, triangle])
}

pub(crate) fn cholesky_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let (inp, _) = (q.operand_sizes(operand)?, q.result_sizes(result)?);
    let (rank, lower) = cholesky(q)?;
    let n = inp[rank - 1];
    let batch: Vec<Expr> = (0..rank - 2).map(d).collect();
    let [p, column] = oriented(lower, d(rank - 2), d(rank - 1));
    let start = at_most(over(&inp, vec![]), column.clone(), p.clone());
    // It is in row i = p, and goes into the columns j from its own up to i.
    let mut row = start.clone();
    row.set_ranges(vec![variable(n)]);
    row.set_results([batch.clone(), oriented(lower, p.clone(), s(0)).to_vec()].concat());
    let row = at_most(at_most(row, column, s(0)), s(0), p.clone());
    // It is in the triangle of every j from p on.
    let mut triangle = start;
    triangle.set_ranges(vec![variable(n), variable(n)]);
    triangle.set_results([batch, oriented(lower, s(0), s(1)).to_vec()].concat());
    let triangle = at_most(at_most(triangle, p, s(1)), s(1), s(0));
    Ok(vec![row, triangle])
}
