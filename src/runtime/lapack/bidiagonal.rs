//! Singular values of bidiagonal matrices by quotients and differences with shifts (Fernando and Parlett's dqds), which takes no roots, and has every
//! value to nearly all of its digits.

/// Passes for each value, at most, on average.
const PASSES: usize = 60;

/// Squares of shares of a number that are nothing beside it.
const NOTHING: f64 = (4.0 * f64::EPSILON) * (4.0 * f64::EPSILON);

/// Squares of the values: `q` of the diagonal, `e` of what is beside it, and what was taken off all of them.
struct Squares {
    q: Vec<f64>,
    e: Vec<f64>,
    next: (Vec<f64>, Vec<f64>),
    shift: f64,
    /// What the sum of the shifts lost.
    lost: f64,
}

/// The singular values, descending, of the matrix with `diagonal` and `beside` it (one fewer): none where they were not found. Both are finite, and
/// their squares do not overflow.
pub(super) fn values(diagonal: &[f64], beside: &[f64]) -> Option<Vec<f64>> {
    let n = diagonal.len();
    let square = |list: &[f64]| list.iter().map(|x| x * x).collect::<Vec<f64>>();
    let mut work = Squares {
        q: square(diagonal),
        e: square(beside),
        next: (vec![0.0; n], vec![0.0; n]),
        shift: 0.0,
        lost: 0.0,
    };
    let mut found = vec![0.0; n];
    let mut left = PASSES * n;
    if n > 0 {
        work.part(0, n, &mut found, &mut left)?;
    }
    for x in &mut found {
        *x = x.max(0.0).sqrt();
    }
    found.sort_unstable_by(|x, y| y.total_cmp(x));
    Some(found)
}

impl Squares {
    /// The squares of the values of rows `begin..end`.
    fn part(
        &mut self,
        begin: usize,
        mut end: usize,
        found: &mut [f64],
        left: &mut usize,
    ) -> Option<()> {
        // Small values come last where there is a choice: they are found first.
        if self.q[begin] * 2.0 < self.q[end - 1] {
            self.q[begin..end].reverse();
            self.e[begin..end - 1].reverse();
        }
        let mut first = true;
        while end > begin {
            let last = end - 1;
            if end - begin == 1 {
                found[last] = self.q[last] + self.shift;
                return Some(());
            }
            // A part by itself, which has had the same shift so far.
            if let Some(cut) = self.last_cut(begin, last) {
                let before = (self.shift, self.lost);
                self.part(cut + 1, end, found, left)?;
                (self.shift, self.lost) = before;
                end = cut + 1;
                continue;
            }
            if end - begin == 2 {
                let (large, small) = pair(self.q[last - 1], self.e[last - 1], self.q[last]);
                found[last - 1] = large + self.shift;
                found[last] = small + self.shift;
                return Some(());
            }
            let mut shift = match first {
                true => 0.0,
                false => self.next_shift(end),
            };
            first = false;
            loop {
                *left = left.checked_sub(1)?;
                let (least, at_last) = self.pass(begin, end, shift);
                if least >= 0.0 {
                    break;
                }
                // A pass that failed at its end only says what the shift should have been.
                shift = match at_last && shift + least > 0.0 {
                    true => (shift + least) * (1.0 - 4.0 * f64::EPSILON),
                    false => 0.25 * shift,
                };
                if shift < f64::EPSILON * self.shift {
                    shift = 0.0;
                }
            }
            self.take(begin, end, shift);
        }
        Some(())
    }

    /// The last row from `begin` to `last` beside which is nothing.
    fn last_cut(&self, begin: usize, last: usize) -> Option<usize> {
        let (q, e) = (&self.q[begin..=last], &self.e[begin..last]);
        let nothing = |e: f64, q: f64, next: f64| e <= NOTHING * (self.shift + q.min(next));
        let pairs = || e.iter().zip(q.iter().zip(&q[1..]));
        // Seldom: vectors look.
        let some = pairs().fold(false, |some, (e, (q, next))| some | nothing(*e, *q, *next));
        let cut = || pairs().rposition(|(e, (q, next))| nothing(*e, *q, *next));
        some.then(cut).flatten().map(|i| begin + i)
    }

    /// A number that is probably just below the smallest square.
    fn next_shift(&self, end: usize) -> f64 {
        let last = end - 1;
        let (q, e) = (&self.q, &self.e);
        // The last two rows of the product of the factors: their smaller eigenvalue is too large by what they have to do with the row before.
        let (a, b) = (q[last - 1] + e[last - 2], q[last] + e[last - 1]);
        let c2 = q[last - 1] * e[last - 1];
        let half = 0.5 * (a - b);
        let root = (half * half + c2).sqrt();
        let big = 0.5 * (a + b) + root;
        // The determinant of the two rows.
        let small = (q[last - 1] * q[last] + e[last - 2] * b) / big;
        // The share of the row before last in the vector.
        let gap = a - small;
        let share = c2 / (gap * gap + c2);
        let rest = (q[last - 2] * e[last - 2] * share).sqrt();
        // Where the row before is far from the two, what it takes off is of second order.
        let off = match 4.0 * rest < gap {
            true => 1.1 * rest * rest / gap,
            false => rest,
        };
        (small - off).max(0.0)
    }

    /// Fills [`Self::next`]; the least difference, and whether it is the last one and the others are not negative.
    fn pass(&mut self, begin: usize, end: usize, shift: f64) -> (f64, bool) {
        let (q, e) = (&self.q[begin..end], &self.e[begin..end - 1]);
        let (to_q, to_e) = (&mut self.next.0[begin..end], &mut self.next.1[begin..end]);
        let mut d = q[0] - shift;
        let mut least = d;
        for (i, e) in e.iter().enumerate() {
            if d < 0.0 {
                return (d, false);
            }
            let sum = d + e;
            let ratio = q[i + 1] / sum;
            to_q[i] = sum;
            to_e[i] = e * ratio;
            d = d * ratio - shift;
            least = least.min(d);
        }
        to_q[end - begin - 1] = d;
        (if d >= 0.0 { least } else { d.max(f64::MIN) }, d < 0.0)
    }

    /// What the last pass made takes the place of what there was.
    fn take(&mut self, begin: usize, end: usize, shift: f64) {
        self.q[begin..end].swap_with_slice(&mut self.next.0[begin..end]);
        self.e[begin..end - 1].swap_with_slice(&mut self.next.1[begin..end - 1]);
        let more = shift - self.lost;
        let sum = self.shift + more;
        self.lost = (sum - self.shift) - more;
        self.shift = sum;
    }
}

/// The squares of the values of two rows, the larger first.
fn pair(q: f64, e: f64, last: f64) -> (f64, f64) {
    let (q, last) = (q.max(last), q.min(last));
    // The eigenvalues of [[q, sqrt(q e)], [.., last + e]].
    let half = 0.5 * ((q - last) + e);
    let root = (half * half + last * e).sqrt();
    let large = last + half + root;
    match large > 0.0 {
        true => (large, last * (q / large)),
        false => (0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::values;

    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (x, y) in found.iter().zip(expected) {
            assert!((x - y).abs() <= 1e-13 * y.abs(), "{x} {y}");
        }
    }

    #[test]
    fn of_ones_the_values_are_cosines() {
        for n in [1usize, 2, 3, 4, 7, 64, 301] {
            let found = values(&vec![1.0; n], &vec![1.0; n - 1]).unwrap_or_default();
            let angle = |k: usize| (k as f64) * std::f64::consts::PI / (2 * n + 1) as f64;
            let expected: Vec<f64> = (1..=n).map(|k| 2.0 * angle(k).cos()).collect();
            near(&found, &expected);
        }
    }

    #[test]
    fn small_values_have_all_their_digits() {
        // What is beside the diagonal is far smaller than it, in either order.
        let diagonal: Vec<f64> = (0..40).map(|i| 10f64.powi(-2 * i)).collect();
        let beside: Vec<f64> = diagonal[1..].iter().map(|x| x * 1e-9).collect();
        near(&values(&diagonal, &beside).unwrap_or_default(), &diagonal);
        let rising: Vec<f64> = diagonal.iter().rev().copied().collect();
        let below: Vec<f64> = rising[..39].iter().map(|x| x * 1e-9).collect();
        near(&values(&rising, &below).unwrap_or_default(), &diagonal);
    }

    #[test]
    fn singular_matrices_have_a_value_of_zero() {
        for zero in [0, 1, 3, 5] {
            let mut diagonal = [3.0, 1.0, 2.0, 5.0, 4.0, 2.5];
            diagonal[zero] = 0.0;
            let beside = [1.0, 0.5, 2.0, 1.5, 0.25];
            let found = values(&diagonal, &beside).unwrap_or_default();
            assert_eq!(found.last(), Some(&0.0), "{zero}");
            // The squares of all elements.
            let squares = |list: &[f64]| list.iter().map(|x| x * x).sum::<f64>();
            let all = squares(&diagonal) + squares(&beside);
            near(&[squares(&found)], &[all]);
        }
    }

    #[test]
    fn nothing_has_no_values() {
        assert_eq!(values(&[], &[]), Some(Vec::new()));
        assert_eq!(values(&[-2.0], &[]), Some(vec![2.0]));
        assert_eq!(values(&[0.0, 0.0], &[0.0]), Some(vec![0.0, 0.0]));
        // Everything is beside the diagonal.
        assert_eq!(values(&[0.0, 0.0], &[3.0]), Some(vec![3.0, 0.0]));
    }
}
