//! Digits side by side in long sums: everything that fits is put together in one go, and what may
//! fit is looked up.

use crate::simplify::linear::{Forms, LinId, Sum, Term, UNBOUNDED};
use crate::simplify::rules::join::fuse::Part;
use rustc_hash::FxHashSet;

/// Digits of one scale that are tried on each other besides those that fit at once.
const TRIED: usize = 16;

/// The terms of a form as far as they matter modulo `m`, in one number that is the same whatever
/// the order and for the negation.
fn remainder_key(forms: &Forms, lin: LinId, m: i64) -> u64 {
    let mix = |t: &Term, c: i64| {
        let h = (t.atom as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ c as u64;
        (h ^ h >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    let (mut own, mut negated) = (0u64, 0u64);
    for t in forms.terms(lin) {
        let c = t.coef.rem_euclid(m);
        if c != 0 {
            own = own.wrapping_add(mix(t, c));
            negated = negated.wrapping_add(mix(t, m - c));
        }
    }
    own.min(negated)
}

impl Forms {
    /// As [`Forms::neighbours`], for a sum with many digits. True if digits were put together.
    pub(crate) fn many_neighbours(&mut self, sum: &mut Sum, parts: &[Part]) -> Option<bool> {
        // Where the next digit above a lower one has its coefficient.
        let scaled = |low: &Part| match low.b {
            UNBOUNDED => None,
            b => low.coef.unsigned_abs().checked_mul((b / low.a) as u64),
        };
        let wanted: FxHashSet<u64> = parts.iter().filter_map(scaled).collect();
        // The upper digits, by the size of the coefficient and by what is left of the form below
        // them.
        let mut upper: Vec<(u64, u64, usize)> = Vec::new();
        for (i, p) in parts.iter().enumerate() {
            let coef = p.coef.unsigned_abs();
            if p.a > 1 && wanted.contains(&coef) {
                if !self.work(self.terms(p.lin).len()) {
                    return Some(false);
                }
                upper.push((coef, remainder_key(self, p.lin, p.a), i));
            }
        }
        if upper.is_empty() {
            return Some(false);
        }
        upper.sort_unstable();
        let mut taken = vec![false; parts.len()];
        let mut any = false;
        for (i, low) in parts.iter().enumerate() {
            let Some(scaled) = scaled(low).filter(|_| !taken[i]) else {
                continue;
            };
            let first = upper.partition_point(|u| u.0 < scaled);
            if upper.get(first).is_none_or(|u| u.0 != scaled) {
                continue;
            }
            if !self.work(self.terms(low.lin).len()) {
                break;
            }
            // First those of the same remainder, then some of the others.
            let key = remainder_key(self, low.lin, low.b);
            let from = upper.partition_point(|u| (u.0, u.1) < (scaled, key));
            let fitting = upper[from..].iter().take(TRIED);
            let fitting = fitting.take_while(|u| (u.0, u.1) == (scaled, key));
            let others = upper[first..].iter().take(TRIED);
            let others = others.take_while(|u| u.0 == scaled).filter(|u| u.1 != key);
            for &(_, _, j) in fitting.chain(others) {
                let compared = self.terms(low.lin).len() + self.terms(parts[j].lin).len();
                if !self.work(compared) {
                    return Some(any);
                }
                if j != i && !taken[j] && self.fuse(sum, *low, parts[j])? {
                    (taken[i], taken[j], any) = (true, true, true);
                    break;
                }
            }
        }
        Some(any)
    }
}
