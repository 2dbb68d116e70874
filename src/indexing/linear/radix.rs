//! Digits of a number in mixed radix, and how lists of them refine each other.
//!
//! Sizes `(2, 4)` give a number `r` the digits `r floordiv 4` and `r mod 4`: the same number in
//! other sizes has other digits, and at the cuts that both have in common they can be compared.
//! Every axis of a device matrix, and every Shardy sub-axis, is such a [`Digit`] of the rank.

use crate::expr::{Expr, c};

/// `(number floordiv stride) mod size`, of a number that is not negative.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Digit {
    /// Stride: the change of the number by one step of the digit.
    pub stride: i64,
    /// The digit takes the values `[0, size - 1]`.
    pub size: i64,
}

impl Digit {
    /// The digit of a number.
    pub fn value_of(self, number: i64) -> i64 {
        (number / self.stride) % self.size
    }

    /// The digit of an expression, without the steps that do nothing for a number below `count`.
    pub fn of_expr(self, number: &Expr, count: i64) -> Expr {
        let quotient = number.clone().floor_div(self.stride);
        if self.end() >= count {
            quotient
        } else {
            quotient.modulo(self.size)
        }
    }

    /// Decides whether another digit is a part of this one.
    pub fn contains(self, other: Digit) -> bool {
        self.stride <= other.stride && other.end() <= self.end()
    }

    /// The number from which on the next digit counts.
    pub fn end(self) -> i64 {
        self.stride.saturating_mul(self.size)
    }
}

impl std::fmt::Display for Digit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "size {} stride {}", self.size, self.stride)
    }
}

/// The digits of numbers that are counted by these sizes, slowest first: the last one is the
/// fastest. `(2, 3, 4)` has strides 12, 4 and 1.
pub fn of_sizes(sizes: &[i64]) -> Vec<Digit> {
    let mut stride = 1i64;
    let mut digits: Vec<Digit> = sizes
        .iter()
        .rev()
        .map(|&size| {
            let digit = Digit { stride, size };
            stride = stride.saturating_mul(size);
            digit
        })
        .collect();
    digits.reverse();
    digits
}

/// The number that digits of `number`, which is below `count`, give (major first).
pub fn number_of_digits(number: &Expr, digits: &[Digit], count: i64) -> Expr {
    let mut stride = 1;
    let mut found = c(0);
    for digit in digits.iter().rev() {
        let term = digit.of_expr(number, count) * stride;
        found = if stride == 1 { term } else { term + found };
        stride *= digit.size;
    }
    found
}

/// Joins neighbours of a list (major first) that count on into each other, and drops digits of size
/// one.
pub fn merge(digits: &[Digit]) -> Vec<Digit> {
    let mut out: Vec<Digit> = Vec::new();
    for &digit in digits.iter().filter(|d| d.size != 1) {
        match out.last_mut() {
            Some(last) if last.stride == digit.end() => {
                *last = Digit {
                    stride: digit.stride,
                    size: last.size.saturating_mul(digit.size),
                };
            }
            _ => out.push(digit),
        }
    }
    out
}

/// The coarsest mixed radix in which every given digit is a run of whole digits: the strides at
/// which digits begin, ascending, ending with `count`. `None` if two of them cut across each other
/// (`(3, 2)` and `(2, 3)` do).
pub fn common_cuts<'a>(
    digits: impl IntoIterator<Item = &'a Digit>,
    count: i64,
) -> Option<Vec<i64>> {
    let mut cuts = vec![1, count];
    for d in digits.into_iter().filter(|d| d.size != 1) {
        cuts.push(d.stride);
        cuts.push(d.end());
    }
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).all(|w| w[1] % w[0] == 0).then_some(cuts)
}

/// A digit taken apart at the cuts, major first.
pub fn split_at_cuts(digit: Digit, cuts: &[i64]) -> Vec<Digit> {
    cuts.windows(2)
        .rev()
        .filter(|w| w[0] >= digit.stride && w[1] <= digit.end() && digit.size > 1)
        .map(|w| Digit {
            stride: w[0],
            size: w[1] / w[0],
        })
        .collect()
}

/// All digits between the cuts, major first.
pub fn between_cuts(cuts: &[i64]) -> Vec<Digit> {
    cuts.windows(2)
        .rev()
        .map(|w| Digit {
            stride: w[0],
            size: w[1] / w[0],
        })
        .collect()
}

/// A digit taken apart into digits of prime size, major first.
pub fn primes(digit: Digit) -> Vec<Digit> {
    let mut sizes = Vec::new();
    let (mut rest, mut p) = (digit.size, 2i64);
    while rest > 1 {
        if p.saturating_mul(p) > rest {
            p = rest;
        }
        while rest % p == 0 {
            sizes.push(p);
            rest /= p;
        }
        p += 1;
    }
    let mut stride = digit.stride;
    let mut out: Vec<Digit> = sizes
        .into_iter()
        .rev()
        .map(|size| {
            let d = Digit { stride, size };
            stride *= size;
            d
        })
        .collect();
    out.reverse();
    out
}

/// The digits that put `ids` in order: `ids[p]` is the sum of the digits of `p` (major first, by
/// the sizes of the answer) times their strides. `None` if the list is no permutation of `0..len`
/// of that kind.
///
/// `[0, 4, 1, 5, 2, 6, 3, 7]` is a list of the digits (size 4, stride 1) and (size 2, stride 4).
pub fn of_order(ids: &[i64]) -> Option<Vec<Digit>> {
    let mut heads = ids.to_vec();
    let mut digits = Vec::new();
    while heads.len() > 1 {
        // The longest run with one step is one digit, or several that count on into each other.
        let step = heads[1].checked_sub(heads[0]).filter(|s| *s > 0)?;
        let run = 1 + heads
            .windows(2)
            .take_while(|w| w[1].checked_sub(w[0]) == Some(step))
            .count();
        if !heads.len().is_multiple_of(run) {
            return None;
        }
        if !heads.chunks(run).all(|block| {
            block
                .windows(2)
                .all(|w| w[1].checked_sub(w[0]) == Some(step))
        }) {
            return None;
        }
        digits.push(Digit {
            stride: step,
            size: run as i64,
        });
        heads = heads.into_iter().step_by(run).collect();
    }
    if heads.first() != Some(&0) {
        return None;
    }
    let mut by_stride = digits.clone();
    by_stride.sort_unstable();
    let mut next = 1;
    for d in by_stride {
        if d.stride != next {
            return None;
        }
        next = d.end();
    }
    digits.reverse();
    Some(digits)
}

/// For each of the sizes by which a position is counted the digits of the *rank* that it is made
/// of, major first, neighbours joined, where `order` gives the digits of the rank that the position
/// is made of ([`of_order`]). `None` if the two cut across each other.
pub fn axes_of_order(sizes: &[i64], order: &[Digit]) -> Option<Vec<Vec<Digit>>> {
    let axes = of_sizes(sizes);
    let by_position = of_sizes(&order.iter().map(|d| d.size).collect::<Vec<_>>());
    let count = sizes.iter().product();
    let cuts = common_cuts(by_position.iter().chain(&axes), count)?;
    // Each piece of a digit of the position is a piece of the digit of the rank that stands there.
    let mut rank_digit = rustc_hash::FxHashMap::default();
    for (at, rank) in by_position.iter().zip(order) {
        for piece in split_at_cuts(*at, &cuts) {
            rank_digit.insert(
                piece,
                Digit {
                    stride: piece.stride / at.stride * rank.stride,
                    size: piece.size,
                },
            );
        }
    }
    let of = |axis: &Digit| -> Vec<Digit> {
        merge(
            &split_at_cuts(*axis, &cuts)
                .iter()
                .filter_map(|p| rank_digit.get(p))
                .copied()
                .collect::<Vec<_>>(),
        )
    };
    Some(axes.iter().map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(stride: i64, size: i64) -> Digit {
        Digit { stride, size }
    }

    #[test]
    fn digits_of_sizes() {
        assert_eq!(of_sizes(&[2, 3, 4]), [d(12, 2), d(4, 3), d(1, 4)]);
        assert_eq!(merge(&of_sizes(&[2, 1, 4])), [d(1, 8)]);
        assert_eq!(merge(&[d(1, 4), d(4, 2)]), [d(1, 4), d(4, 2)]);
    }

    #[test]
    fn cuts() {
        let (a, b) = (of_sizes(&[2, 4]), of_sizes(&[4, 2]));
        let cuts = common_cuts(a.iter().chain(&b), 8).unwrap();
        assert_eq!(cuts, [1, 2, 4, 8]);
        assert_eq!(split_at_cuts(d(1, 4), &cuts), [d(2, 2), d(1, 2)]);
        assert_eq!(
            common_cuts(of_sizes(&[2, 3]).iter().chain(&of_sizes(&[3, 2])), 6),
            None
        );
        assert_eq!(primes(d(2, 12)), [d(12, 2), d(6, 2), d(2, 3)]);
    }

    #[test]
    fn orders() {
        assert_eq!(of_order(&[0, 1, 2, 3]), Some(vec![d(1, 4)]));
        assert_eq!(
            of_order(&[0, 4, 1, 5, 2, 6, 3, 7]),
            Some(vec![d(1, 4), d(4, 2)])
        );
        assert_eq!(of_order(&[0]), Some(vec![]));
        assert_eq!(
            of_order(&[0, 2, 1, 3, 4, 6, 5, 7]),
            Some(vec![d(4, 2), d(1, 2), d(2, 2)])
        );
        assert_eq!(of_order(&[0, 1, 3, 2]), None);
        assert_eq!(of_order(&[1, 2, 3]), None);
        assert_eq!(of_order(&[0, 2, 4, 6]), None);
        assert_eq!(of_order(&[0, 3, 1, 4, 2, 5]), Some(vec![d(1, 3), d(3, 2)]));
    }
}
