//! `fft`, `triangular_solve`, `cholesky`: dependencies by following the algorithms symbolically.

use super::harness::*;
use std::collections::BTreeSet;

#[test]
pub fn fft() {
    run("fft", 200, |rng| {
        let rank = rng.int(1, 3) as usize;
        let tail = rng.int(1, rank as i64) as usize;
        let kind = rng.pick(&["FFT", "IFFT", "RFFT", "IRFFT"]);
        let full: Vec<i64> = (0..rank).map(|_| rng.int(1, 4)).collect();
        let mut half = full.clone();
        half[rank - 1] = full[rank - 1] / 2 + 1;
        let (inp, out, from, to) = match kind {
            "RFFT" => (full.clone(), half, "f32", "complex<f32>"),
            "IRFFT" => (half, full.clone(), "complex<f32>", "f32"),
            _ => (full.clone(), full.clone(), "complex<f32>", "complex<f32>"),
        };
        let sizes = inp.clone();
        let relation: Relation = Box::new(move |_, i| {
            let first = i.len() - tail;
            indices(&sizes[first..])
                .into_iter()
                .map(|at| (0, [&i[..first], &at].concat()))
                .collect()
        });
        let attributes = format!(
            "fft_type = #stablehlo<fft_type {kind}>, fft_length = {}",
            array(&full[rank - tail..])
        );
        Case::new(
            "fft",
            &[(inp, from)],
            "",
            &attributes,
            &[(out, to)],
            relation,
        )
    });
}

type Set = BTreeSet<(usize, Index)>;

#[test]
pub fn triangular_solve() {
    run("triangular_solve", 200, |rng| {
        let batch: Vec<i64> = (0..rng.int(0, 1)).map(|_| rng.size()).collect();
        let (n, m) = (rng.int(0, 4), rng.int(0, 3));
        let (left, lower, unit) = (rng.flag(), rng.flag(), rng.flag());
        let transpose = rng.pick(&["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]);
        let a = [batch.clone(), vec![n, n]].concat();
        let b = [batch.clone(), if left { vec![n, m] } else { vec![m, n] }].concat();
        let attributes = format!(
            "left_side = {left}, lower = {lower}, unit_diagonal = {unit}, transpose_a = #stablehlo<transpose {transpose}>"
        );
        let relation: Relation = Box::new(move |_, i| {
            let (prefix, at) = i.split_at(i.len() - 2);
            // op(a)(p, q) as an element of a, if it is read at all.
            let op = |p: i64, q: i64| -> Option<Index> {
                let (r, c) = if transpose == "NO_TRANSPOSE" {
                    (p, q)
                } else {
                    (q, p)
                };
                let read = if lower { r >= c } else { r <= c };
                (read && !(unit && r == c)).then(|| [prefix, &[r, c]].concat())
            };
            // The system as rows times column of unknowns: coefficient(p, q), right-hand side (p).
            let coefficient = |p: i64, q: i64| if left { op(p, q) } else { op(q, p) };
            let (unknown, column) = if left { (at[0], at[1]) } else { (at[1], at[0]) };
            let rhs = |p: i64| [prefix, &if left { [p, column] } else { [column, p] }].concat();
            // Substitution in whichever order the triangle allows.
            let effective_lower = lower == ((transpose == "NO_TRANSPOSE") == left);
            let order: Vec<i64> = if effective_lower {
                (0..n).collect()
            } else {
                (0..n).rev().collect()
            };
            let mut solved: Vec<Set> = vec![Set::new(); n as usize];
            for (done, p) in order.iter().enumerate() {
                let mut set = Set::from([(1, rhs(*p))]);
                set.extend(coefficient(*p, *p).map(|at| (0, at)));
                for q in &order[..done] {
                    if let Some(at) = coefficient(*p, *q) {
                        set.insert((0, at));
                        set.extend(solved[*q as usize].iter().cloned());
                    }
                }
                solved[*p as usize] = set;
            }
            solved[unknown as usize].iter().cloned().collect()
        });
        Case::new(
            "triangular_solve",
            &[(a, "f32"), (b.clone(), "f32")],
            "",
            &attributes,
            &[(b, "f32")],
            relation,
        )
    });
}

#[test]
pub fn cholesky() {
    run("cholesky", 200, |rng| {
        let batch: Vec<i64> = (0..rng.int(0, 1)).map(|_| rng.size()).collect();
        let n = rng.int(0, 5);
        let lower = rng.flag();
        let a = [batch, vec![n, n]].concat();
        let relation: Relation = Box::new(move |_, i| {
            let (prefix, at) = i.split_at(i.len() - 2);
            let (row, column) = if lower {
                (at[0], at[1])
            } else {
                (at[1], at[0])
            };
            if column > row {
                return vec![];
            }
            let input = |r: i64, c: i64| [prefix, &if lower { [r, c] } else { [c, r] }].concat();
            // l(i, j) = (a(i, j) - sum over k < j of l(i, k) l(j, k)) / l(j, j), and the diagonal
            // likewise.
            let mut factor: Vec<Vec<Set>> = vec![vec![Set::new(); n as usize]; n as usize];
            for j in 0..n {
                for i in j..n {
                    let mut set = Set::from([(0, input(i, j))]);
                    for k in 0..j {
                        set.extend(factor[i as usize][k as usize].iter().cloned());
                        set.extend(factor[j as usize][k as usize].iter().cloned());
                    }
                    if i > j {
                        set.extend(factor[j as usize][j as usize].iter().cloned());
                    }
                    factor[i as usize][j as usize] = set;
                }
            }
            factor[row as usize][column as usize]
                .iter()
                .cloned()
                .collect()
        });
        Case::new(
            "cholesky",
            &[(a.clone(), "f32")],
            "",
            &format!("lower = {lower}"),
            &[(a, "f32")],
            relation,
        )
    });
}
