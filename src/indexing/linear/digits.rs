//! Joining digits of one base.
//!
//! With `f(a) = base floordiv a` the digit from `a` to `b` is `f(a) - (b / a) f(b)`. All digits of
//! one base as a combination of `f(a)` are one vector, whichever way the digits were written; read
//! back from the lowest `a` on, each `f(a)` becomes the digit up to the next one and what is left
//! goes to that. The result is the same for equal functions.

use super::{Atom, Base, Sum};
use crate::Extent;
use std::sync::Arc;

/// The sum with digits of one base joined where they fit together; `None` if a number leaves 64
/// bits.
pub(super) fn joined(sum: Sum) -> Option<Sum> {
    let mut terms: Vec<(Atom, Extent)> = Vec::with_capacity(sum.terms.len());
    // Bases that were digits of a sum and are whole now.
    let mut opened: Vec<(Arc<Sum>, Extent)> = Vec::new();
    for group in sum.terms.chunk_by(|a, b| a.0.base == b.0.base) {
        match read_back(group) {
            Some(found) => {
                for (atom, k) in found {
                    match &atom.base {
                        Base::Sum(inner) if atom.is_whole() => opened.push((inner.clone(), k)),
                        _ => terms.push((atom, k)),
                    }
                }
            }
            None => terms.extend(group.iter().cloned()),
        }
    }
    let mut sum = Sum {
        terms,
        constant: sum.constant,
    };
    for (inner, k) in opened {
        sum = sum.merged(&inner, k)?;
    }
    Some(sum)
}

/// The multiples of `base floordiv a` that digits of one base are, by ascending `a`; `None` if the
/// places do not divide each other or a number leaves 64 bits.
fn quotients(group: &[(Atom, Extent)]) -> Option<Vec<(Extent, Extent)>> {
    let mut found: Vec<(Extent, Extent)> = Vec::with_capacity(2 * group.len());
    let mut add = |place: Extent, k: Extent| -> Option<()> {
        match found.binary_search_by_key(&place, |(a, _)| *a) {
            Ok(at) => found[at].1 = found[at].1.checked_add(k)?,
            Err(at) => found.insert(at, (place, k)),
        }
        Some(())
    };
    for (atom, k) in group {
        add(atom.low, *k)?;
        if let Some(high) = atom.high {
            add(high, k.checked_mul(atom.period()?)?.checked_mul(-1)?)?;
        }
    }
    let divides = |pair: &[(Extent, Extent)]| pair[1].0.divided_by(pair[0].0).is_some();
    let chain = found.windows(2).all(divides);
    chain.then_some(found)
}

fn read_back(group: &[(Atom, Extent)]) -> Option<Vec<(Atom, Extent)>> {
    let base = match group {
        [_] | [] => return None,
        [first, ..] => &first.0.base,
    };
    let mut places = quotients(group)?;
    places.retain(|(_, k)| *k != 0);
    let mut found = Vec::with_capacity(places.len());
    let mut left = Extent::ZERO;
    for (i, (low, k)) in places.iter().enumerate() {
        let k = k.checked_add(left)?;
        let next = places.get(i + 1).map(|(next, _)| *next);
        left = match next {
            Some(next) => k.checked_mul(next.divided_by(*low)?)?,
            None => Extent::ZERO,
        };
        if k != 0 {
            let atom = Atom {
                base: base.clone(),
                low: *low,
                high: next,
            };
            found.push((atom, k));
        }
    }
    Some(found)
}
