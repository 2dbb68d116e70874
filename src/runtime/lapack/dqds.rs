//! Singular values of bidiagonal matrices by the differential quotient-difference algorithm with
//! shifts (Fernando and Parlett, "Accurate singular values and differential qd algorithms", 1994):
//! one division an element and pass, and no square root.

/// Passes for each value after which a matrix is given up.
const PASSES: usize = 40;

/// Squares of a bidiagonal matrix's elements; what a pass makes of them comes into `next`.
struct Squares {
    /// Of the diagonal.
    q: Vec<f64>,
    /// Of what is above it, and a zero.
    e: Vec<f64>,
    next: (Vec<f64>, Vec<f64>),
    /// Shares of their neighbours from which on squares above the diagonal are zeros.
    least: f64,
}

/// Rows and columns that no element above the diagonal connects to others, and what was subtracted
/// from their eigenvalues.
#[derive(Clone, Copy)]
struct Block {
    begin: usize,
    end: usize,
    shift: f64,
    /// Rounding error of `shift`.
    lost: f64,
}

/// Numbers that a pass leaves on the diagonal before those above it are added.
struct Left {
    last: f64,
    /// The least of all.
    least: f64,
    /// The least of all but the last.
    before: f64,
    /// The one before the last.
    beside: f64,
}

impl Block {
    /// Adds `by` to the shift.
    fn shifted(&mut self, by: f64) {
        let (large, small) = if by < self.shift {
            (self.shift, by)
        } else {
            (by, self.shift)
        };
        let rest = small + self.lost;
        let sum = large + rest;
        self.lost = rest - (sum - large);
        self.shift = sum;
    }
}

impl Squares {
    /// Tells whether the element that connects row `i` with the next one counts as zero.
    fn is_split(&self, i: usize, shift: f64) -> bool {
        self.e[i] <= self.least * (shift + self.q[i + 1]) || self.e[i] <= self.least * self.q[i]
    }

    /// The eigenvalues of rows `i` and `i + 1`, the greater one first.
    fn pair(&self, i: usize) -> (f64, f64) {
        let (p, e, q) = (self.q[i], self.e[i], self.q[i + 1]);
        let root = ((p - q) * (p - q) + e * (2.0 * (p + q) + e)).sqrt();
        let most = 0.5 * (p + q + e + root);
        let least = if most > 0.0 { p / most * q } else { 0.0 };
        (most, least)
    }

    /// One pass with a shift, without which the first of the values stays as it is.
    fn pass(&mut self, block: Block, shift: f64) -> Left {
        let (begin, last) = (block.begin, block.end - 1);
        let (q, e) = (&self.q[begin..=last], &self.e[begin..last]);
        let (to_q, to_e) = (
            &mut self.next.0[begin..=last],
            &mut self.next.1[begin..last],
        );
        let mut d = q[0] - shift;
        let (mut before, mut beside) = (d, d);
        for i in 0..e.len() {
            let whole = d + e[i];
            let ratio = q[i + 1] / whole;
            to_q[i] = whole;
            to_e[i] = e[i] * ratio;
            beside = d;
            before = if d < before { d } else { before };
            d = d * ratio - shift;
        }
        to_q[e.len()] = d;
        Left {
            last: d,
            least: if d < before { d } else { before },
            before,
            beside,
        }
    }

    /// Takes over the numbers that a pass made.
    fn accept(&mut self, block: Block) {
        let range = block.begin..block.end;
        self.q[range.clone()].copy_from_slice(&self.next.0[range]);
        let range = block.begin..block.end - 1;
        self.e[range.clone()].copy_from_slice(&self.next.1[range]);
    }

    /// A number a little below the least eigenvalue, if that is the affair of the last rows: the
    /// least eigenvalue of two of them without what the row before does to it, to second order.
    fn estimate(&self, block: Block) -> f64 {
        let last = block.end - 1;
        let (coupling, above) = if last - 1 > block.begin {
            (self.q[last - 2] * self.e[last - 2], self.e[last - 2])
        } else {
            (0.0, 0.0)
        };
        let (a, c) = (self.q[last - 1] + above, self.q[last] + self.e[last - 1]);
        let square = self.q[last - 1] * self.e[last - 1];
        let half = 0.5 * (a - c);
        let root = (half * half + square).sqrt();
        let low = if half >= 0.0 {
            c - square / (half + root)
        } else {
            a - square / (root - half)
        };
        // The share of the first of the two rows.
        let share = square / (square + (a - low) * (a - low));
        let off = coupling * share;
        let lower = low - (off / (2.0 * root)).min(off.sqrt());
        if lower.is_finite() { lower } else { 0.0 }
    }
}

/// The singular values, descending, of the matrix with these elements on the diagonal and above it,
/// each within a small multiple of `epsilon` times itself. `None` where a number is not finite or
/// no end is found.
pub(super) fn singular_values(diagonal: &[f64], above: &[f64], epsilon: f64) -> Option<Vec<f64>> {
    let n = diagonal.len();
    let square = |x: &f64| x * x;
    let mut e: Vec<f64> = above.iter().map(square).collect();
    e.resize(n, 0.0);
    let mut squares = Squares {
        q: diagonal.iter().map(square).collect(),
        e,
        next: (vec![0.0; n], vec![0.0; n]),
        least: square(&(4.0 * epsilon)),
    };
    let mut found = Vec::with_capacity(n);
    let mut blocks = vec![Block {
        begin: 0,
        end: n,
        shift: 0.0,
        lost: 0.0,
    }];
    let mut passes = PASSES * n;
    while let Some(block) = blocks.pop() {
        reduce(&mut squares, block, &mut blocks, &mut found, &mut passes)?;
    }
    let mut values: Vec<f64> = found.into_iter().map(|x| x.max(0.0).sqrt()).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    values.iter().all(|x| x.is_finite()).then_some(values)
}

/// Finds the eigenvalues of a block, from its end; parts that come off go to `blocks`.
fn reduce(
    squares: &mut Squares,
    mut block: Block,
    blocks: &mut Vec<Block>,
    found: &mut Vec<f64>,
    passes: &mut usize,
) -> Option<()> {
    // What the last pass left, which bounds the least eigenvalue; the share of it that is tried
    // where nothing else is known.
    let mut left: Option<Left> = None;
    let mut share = 0.25;
    let mut is_new = true;
    loop {
        let (shift, end) = (block.shift, block.end);
        match end - block.begin {
            0 => return Some(()),
            1 => {
                found.push(squares.q[end - 1] + shift);
                return Some(());
            }
            2 => {
                let (most, least) = squares.pair(end - 2);
                found.extend([most + shift, least + shift]);
                return Some(());
            }
            _ => {}
        }
        if squares.is_split(end - 2, shift) {
            found.push(squares.q[end - 1] + shift);
            block.end -= 1;
            (left, is_new) = (None, true);
            continue;
        }
        if squares.is_split(end - 3, shift) {
            let (most, least) = squares.pair(end - 2);
            found.extend([most + shift, least + shift]);
            block.end -= 2;
            (left, is_new) = (None, true);
            continue;
        }
        if let Some(i) = (block.begin..end - 3)
            .rev()
            .find(|i| squares.is_split(*i, shift))
        {
            blocks.push(Block {
                end: i + 1,
                ..block
            });
            block.begin = i + 1;
            (left, is_new) = (None, true);
            continue;
        }
        if std::mem::take(&mut is_new) && 1.5 * squares.q[block.begin] < squares.q[end - 1] {
            // Small values are found at the end.
            squares.q[block.begin..end].reverse();
            squares.e[block.begin..end - 1].reverse();
        }
        let mut by = match &left {
            None => 0.0,
            Some(left) if left.least == left.last || left.least == left.beside => {
                squares.estimate(block).min(left.least)
            }
            Some(left) => {
                let by = share * left.least;
                share += 0.3 * (1.0 - share);
                by
            }
        };
        by = by.max(0.0);
        let mut tries = 0;
        let next = loop {
            *passes = passes.checked_sub(1)?;
            let next = squares.pass(block, by);
            if next.least >= 0.0 && next.last >= 0.0 {
                break next;
            }
            if by == 0.0 {
                return None;
            }
            tries += 1;
            by = match tries {
                // All others stayed positive: the least eigenvalue is a little below this.
                1 if next.before > 0.0 && next.last < 0.0 => {
                    ((by + next.last) * (1.0 - 2.0 * f64::EPSILON)).max(0.0)
                }
                1 | 2 => 0.25 * by,
                _ => 0.0,
            };
        };
        if tries > 0 {
            share = 0.25;
        }
        squares.accept(block);
        block.shifted(by);
        left = Some(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::Random;

    /// Singular values that are less than `x`, which is positive: of the Hermitian matrix with `B`
    /// and its transposed beside the diagonal, whose eigenvalues are the singular values with both
    /// signs, by the signs of the pivots of its tridiagonal form.
    fn below(diagonal: &[f64], above: &[f64], x: f64) -> usize {
        let n = diagonal.len();
        let mut beside = Vec::new();
        for i in 0..n {
            beside.push(diagonal[i]);
            beside.extend(above.get(i).filter(|_| i + 1 < n));
        }
        let mut pivot = -x;
        let mut negative = usize::from(pivot < 0.0);
        for b in beside {
            if pivot == 0.0 {
                pivot = f64::MIN_POSITIVE;
            }
            pivot = -x - b / pivot * b;
            negative += usize::from(pivot < 0.0);
        }
        negative - n
    }

    fn check(diagonal: &[f64], above: &[f64], epsilon: f64) {
        let n = diagonal.len();
        let values = singular_values(diagonal, above, epsilon).expect("an end");
        assert_eq!(values.len(), n);
        let most = values.first().copied().unwrap_or(0.0);
        for (k, value) in values.iter().rev().enumerate() {
            let off = epsilon * (64.0 * value + 8.0 * most) + 1e-150;
            let text = format!("{diagonal:?} {above:?}: value {k} is {value:e}");
            assert!(below(diagonal, above, value + off) > k, "{text}");
            assert!(
                *value <= off || below(diagonal, above, value - off) <= k,
                "{text}"
            );
        }
    }

    #[test]
    fn values_are_where_pivots_change_sign() {
        let mut random = Random::new(7);
        for n in [0, 1, 2, 3, 4, 5, 8, 17, 40, 100] {
            for form in 0..12 {
                for epsilon in [f64::EPSILON, f64::from(f32::EPSILON)] {
                    let mut element = |i: usize| {
                        let x = random.uniform() - 0.5;
                        match form {
                            // Graded in both directions, of many sizes, with zeros, equal ones, and
                            // of one size.
                            0 => x * 10f64.powi(-(i as i32)),
                            1 => x * 10f64.powi(i as i32 - n as i32),
                            2 => x * 10f64.powi((random.uniform() * 20.0) as i32 - 10),
                            3 if random.uniform() < 0.3 => 0.0,
                            4 => 1.0,
                            5 => 1.0 + 1e-9 * x,
                            6 => (i + 1) as f64,
                            _ => x,
                        }
                    };
                    let diagonal: Vec<f64> = (0..n).map(&mut element).collect();
                    let mut above: Vec<f64> = (1..n).map(&mut element).collect();
                    match form {
                        7 => above.fill(0.0),
                        8 => above.iter_mut().for_each(|x| *x *= 1e-8),
                        _ => {}
                    }
                    check(&diagonal, &above, epsilon);
                }
            }
        }
    }

    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (x, y) in found.iter().zip(expected) {
            assert!((x - y).abs() <= 1e-13 * y.abs(), "{x} {y}");
        }
    }

    fn values(diagonal: &[f64], above: &[f64]) -> Vec<f64> {
        singular_values(diagonal, above, f64::EPSILON).expect("an end")
    }

    #[test]
    fn of_ones_the_values_are_cosines() {
        for n in [1usize, 2, 3, 4, 7, 64, 301] {
            let angle = |k: usize| (k as f64) * std::f64::consts::PI / (2 * n + 1) as f64;
            let expected: Vec<f64> = (1..=n).map(|k| 2.0 * angle(k).cos()).collect();
            near(&values(&vec![1.0; n], &vec![1.0; n - 1]), &expected);
        }
    }

    #[test]
    fn small_values_have_all_their_digits() {
        // What is above the diagonal is far smaller than it, in either order.
        let diagonal: Vec<f64> = (0..40).map(|i| 10f64.powi(-2 * i)).collect();
        let above: Vec<f64> = diagonal[1..].iter().map(|x| x * 1e-9).collect();
        near(&values(&diagonal, &above), &diagonal);
        let rising: Vec<f64> = diagonal.iter().rev().copied().collect();
        let above: Vec<f64> = rising[..39].iter().map(|x| x * 1e-9).collect();
        near(&values(&rising, &above), &diagonal);
    }

    #[test]
    fn numbers_that_are_not_finite_have_no_values() {
        assert_eq!(
            singular_values(&[1.0, f64::NAN, 1.0], &[1.0, 1.0], 1e-16),
            None
        );
        assert_eq!(
            singular_values(&[1.0, 1e200, 1.0], &[1.0, 1.0], 1e-16),
            None
        );
    }
}
