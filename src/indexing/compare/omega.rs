//! Does a system of linear equations and inequalities have a solution in integers? The Omega test
//! (W. Pugh, 1991): equations are eliminated by unimodular substitution, inequalities by
//! Fourier-Motzkin with exact, dark and real shadows and splinters. Arithmetic is checked, work is
//! budgeted: `None` means "not decided".

use crate::linear::number::wide_gcd;

/// `c[0] * x0 + … + c[n - 1] * xn-1 + c[n] >= 0` (or `= 0`).
pub(super) type Row = Vec<i128>;

/// A conjunction. All rows have the same length; the last number is the constant.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    pub(super) equal: Vec<Row>,
    pub(super) at_least: Vec<Row>,
}

/// Rows beyond which elimination is given up.
const MAX_ROWS: usize = 400;

/// `x * p + y * q`, row by row.
fn combine(p: i128, x: &Row, q: i128, y: &Row) -> Option<Row> {
    x.iter()
        .zip(y)
        .map(|(a, b)| a.checked_mul(p)?.checked_add(b.checked_mul(q)?))
        .collect()
}

enum Normal {
    Contradiction,
    Fine,
}

impl System {
    fn columns(&self) -> usize {
        self.equal
            .first()
            .or(self.at_least.first())
            .map_or(0, |r| r.len() - 1)
    }

    /// Divides rows by their common factor, tightens, drops what is implied row by row, and makes
    /// an equation of two inequalities that meet.
    fn normalise(&mut self) -> Normal {
        let mut i = 0;
        while i < self.equal.len() {
            let row = &mut self.equal[i];
            let n = row.len() - 1;
            let g = row[..n].iter().fold(0, |g, c| wide_gcd(g, *c));
            if g == 0 {
                if row[n] != 0 {
                    return Normal::Contradiction;
                }
                self.equal.swap_remove(i);
                continue;
            }
            if row[n] % g != 0 {
                return Normal::Contradiction;
            }
            for c in row.iter_mut() {
                *c /= g;
            }
            i += 1;
        }
        let mut i = 0;
        while i < self.at_least.len() {
            let row = &mut self.at_least[i];
            let n = row.len() - 1;
            let g = row[..n].iter().fold(0, |g, c| wide_gcd(g, *c));
            if g == 0 {
                if row[n] < 0 {
                    return Normal::Contradiction;
                }
                self.at_least.swap_remove(i);
                continue;
            }
            for c in row[..n].iter_mut() {
                *c /= g;
            }
            row[n] = row[n].div_euclid(g);
            i += 1;
        }
        // Of rows with equal coefficients the tightest stays.
        self.at_least.sort_unstable();
        self.at_least.dedup_by(|later, first| {
            let n = first.len() - 1;
            later[..n] == first[..n]
        });
        let mut i = 0;
        while i < self.at_least.len() {
            let n = self.at_least[i].len() - 1;
            let negated: Row = self.at_least[i][..n].iter().map(|c| -c).collect();
            if let Ok(j) = self.at_least.binary_search_by(|r| r[..n].cmp(&negated[..])) {
                let sum = self.at_least[i][n].saturating_add(self.at_least[j][n]);
                if sum < 0 {
                    return Normal::Contradiction;
                }
                if sum == 0 && i < j {
                    let row = self.at_least.remove(j);
                    self.at_least.remove(i);
                    self.equal.push(row);
                    continue;
                }
            }
            i += 1;
        }
        Normal::Fine
    }

    /// Replaces column `x` by `by` (which has a zero there).
    fn substitute(&mut self, x: usize, by: &Row) -> Option<()> {
        for row in self.equal.iter_mut().chain(&mut self.at_least) {
            let c = row[x];
            if c != 0 {
                row[x] = 0;
                *row = combine(1, row, c, by)?;
            }
        }
        Some(())
    }

    /// Eliminates one equation; true if there was one.
    fn eliminate_equation(&mut self) -> Option<bool> {
        let best = self
            .equal
            .iter()
            .enumerate()
            .flat_map(|(i, r)| {
                r[..r.len() - 1]
                    .iter()
                    .enumerate()
                    .filter(|(_, c)| **c != 0)
                    .map(move |(x, c)| (c.abs(), i, x))
            })
            .min();
        let Some((size, i, x)) = best else {
            return Some(false);
        };
        let row = self.equal[i].clone();
        let n = row.len() - 1;
        let sign = row[x].signum();
        if size == 1 {
            // x = -sign * (rest)
            let mut by: Row = row.iter().map(|c| -sign * c).collect();
            by[x] = 0;
            self.equal.swap_remove(i);
            self.substitute(x, &by)?;
            return Some(true);
        }
        // Pugh's substitution: a new variable takes x's column, coefficients shrink by at least a
        // third.
        let m = size + 1;
        let hat = |a: i128| {
            let r = a.rem_euclid(m);
            if 2 * r >= m { r - m } else { r }
        };
        let mut by: Row = row.iter().map(|c| sign * hat(*c)).collect();
        by[x] = 0;
        for r in self.equal.iter_mut().chain(&mut self.at_least) {
            r.insert(n, 0);
        }
        by.insert(n, -sign * m);
        self.substitute(x, &by)?;
        Some(true)
    }

    /// Whether there is a solution; `None` if the steps are used up or a number is too large.
    pub(super) fn feasible(mut self, steps: &mut u64) -> Option<bool> {
        loop {
            *steps = steps.checked_sub(1 + (self.at_least.len() as u64) / 8)?;
            if matches!(self.normalise(), Normal::Contradiction) {
                return Some(false);
            }
            if self.eliminate_equation()? {
                continue;
            }
            if self.at_least.len() > MAX_ROWS {
                return None;
            }
            let n = self.columns();
            // The variable whose elimination is exact and makes the fewest rows.
            let mut best: Option<(bool, usize, usize)> = None;
            for x in 0..n {
                let (mut lower, mut upper, mut unit_lower, mut unit_upper) =
                    (0usize, 0usize, true, true);
                for r in &self.at_least {
                    match r[x].signum() {
                        1 => {
                            lower += 1;
                            unit_lower &= r[x] == 1;
                        }
                        -1 => {
                            upper += 1;
                            unit_upper &= r[x] == -1;
                        }
                        _ => {}
                    }
                }
                if lower + upper == 0 {
                    continue;
                }
                let exact = unit_lower || unit_upper || lower == 0 || upper == 0;
                let key = (!exact, lower * upper, x);
                if best.is_none_or(|b| key < b) {
                    best = Some(key);
                }
            }
            let Some((inexact, _, x)) = best else {
                return Some(true);
            };
            let (with, without): (Vec<Row>, Vec<Row>) = std::mem::take(&mut self.at_least)
                .into_iter()
                .partition(|r| r[x] != 0);
            let (lower, upper): (Vec<Row>, Vec<Row>) = with.into_iter().partition(|r| r[x] > 0);
            let shadow = |dark: bool| -> Option<System> {
                let mut rows = without.clone();
                for l in &lower {
                    for u in &upper {
                        let (b, a) = (l[x], -u[x]);
                        let mut row = combine(a, l, b, u)?;
                        if dark {
                            let last = row.len() - 1;
                            row[last] = row[last].checked_sub((a - 1).checked_mul(b - 1)?)?;
                        }
                        rows.push(row);
                    }
                }
                Some(System {
                    equal: Vec::new(),
                    at_least: rows,
                })
            };
            if !inexact {
                self = shadow(false)?;
                continue;
            }
            if !shadow(false)?.feasible(steps)? {
                return Some(false);
            }
            if shadow(true)?.feasible(steps)? {
                return Some(true);
            }
            // Solutions between the shadows lie close to a lower bound: b * x + beta = i.
            let largest = upper.iter().map(|u| -u[x]).max().unwrap_or(1);
            for l in &lower {
                let b = l[x];
                let last = (largest.checked_mul(b)? - largest - b).div_euclid(largest);
                for i in 0..=last {
                    let mut row = l.clone();
                    let k = row.len() - 1;
                    row[k] = row[k].checked_sub(i)?;
                    let rows = without
                        .iter()
                        .chain(&lower)
                        .chain(&upper)
                        .cloned()
                        .collect();
                    if (System {
                        equal: vec![row],
                        at_least: rows,
                    })
                    .feasible(steps)?
                    {
                        return Some(true);
                    }
                }
            }
            return Some(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small systems against enumeration.
    #[test]
    fn agrees_with_enumeration() {
        let mut state = 7u64;
        let mut random = |n: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            ((state >> 33) % n) as i128
        };
        let (mut yes, mut no) = (0, 0);
        for _ in 0..3000 {
            let n = 1 + random(3) as usize;
            let mut system = System::default();
            for x in 0..n {
                let mut low = vec![0; n + 1];
                (low[x], low[n]) = (1, random(5));
                let mut high = vec![0; n + 1];
                (high[x], high[n]) = (-1, random(6));
                system.at_least.push(low);
                system.at_least.push(high);
            }
            for _ in 0..random(3) {
                system
                    .at_least
                    .push((0..=n).map(|_| random(15) - 7).collect());
            }
            for _ in 0..random(3) {
                system.equal.push((0..=n).map(|_| random(15) - 7).collect());
            }
            let value =
                |r: &Row, p: &[i128]| r[n] + r[..n].iter().zip(p).map(|(c, v)| c * v).sum::<i128>();
            let mut found = false;
            let mut p = vec![-5i128; n];
            loop {
                found |= system.at_least.iter().all(|r| value(r, &p) >= 0)
                    && system.equal.iter().all(|r| value(r, &p) == 0);
                let Some(i) = p.iter().rposition(|v| *v < 6) else {
                    break;
                };
                p[i] += 1;
                p[i + 1..].fill(-5);
            }
            let mut steps = 100_000;
            assert_eq!(
                system.clone().feasible(&mut steps),
                Some(found),
                "{system:?}"
            );
            if found {
                yes += 1;
            } else {
                no += 1;
            }
        }
        assert!(yes > 300 && no > 300, "{yes} {no}");
    }
}
