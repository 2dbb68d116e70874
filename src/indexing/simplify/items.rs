//! Sums of variables and of digits of variables, which the short way is about: `short.rs`.

use super::div_mod::{divides, one_period};
use super::linear::{AtomId, Forms, INF, finite};
use super::plans::{factor, places};
use crate::expr::Op;
use crate::interval::Interval;
use smallvec::SmallVec;

/// Values that a variable needs beyond the first, so that its digit does not lie on a line.
pub(super) const SEVERAL: i64 = 4;

/// A digit `(v, a, b)` of the variable, this many times; the variable itself is `(v, 1, INF)`.
#[derive(Clone, Copy, Default)]
pub(super) struct Item {
    pub(super) variable: AtomId,
    pub(super) a: i64,
    pub(super) b: i64,
    pub(super) coef: i64,
}

/// What is left of a digit of an item: its coefficient is 1.
pub(super) enum Digit {
    Constant(i64),
    Item(Item),
}

/// A sum in the making.
#[derive(Default)]
pub(super) struct Items {
    pub(super) list: SmallVec<[Item; 8]>,
    pub(super) k: i64,
}

impl Item {
    pub(super) fn of(variable: AtomId) -> Item {
        Item {
            variable,
            a: 1,
            b: INF,
            coef: 1,
        }
    }

    pub(super) fn is_variable(&self) -> bool {
        self.a == 1 && self.b == INF
    }

    fn times(self, coef: i64) -> Option<Item> {
        let coef = self.coef.checked_mul(coef)?;
        Some(Item { coef, ..self })
    }

    /// The values of the digit; `None` if they are not known.
    pub(super) fn values(&self, forms: &Forms) -> Option<Interval> {
        let v = forms.atom(self.variable).bounds;
        if !finite(v.lower) || !finite(v.upper) {
            return None;
        }
        Some(match self.b {
            INF if self.a == 1 => v,
            INF => Interval::new(v.lower.div_euclid(self.a), v.upper.div_euclid(self.a)),
            b => Interval::new(0, b / self.a - 1),
        })
    }
}

impl Items {
    /// `self += coef * v`; `None` if a number would not fit.
    #[inline]
    pub(super) fn add_constant(&mut self, v: i64, coef: i64) -> Option<()> {
        self.k = self.k.checked_add(v.checked_mul(coef)?)?;
        Some(())
    }

    /// Puts the items in order, one for each variable or its high and its low digit. `None` if the digits of a variable have not
    /// the same ends, or if a number would not fit.
    pub(super) fn merge(&mut self, forms: &Forms) -> Option<()> {
        let list = &mut self.list;
        let mut next = 0;
        // Different variables in order, most of the time.
        let in_order = list.iter().all(|t| {
            let good = t.variable >= next && t.coef != 0 && t.coef != i64::MIN;
            next = t.variable + 1;
            good
        });
        if in_order {
            return Some(());
        }
        list.sort_unstable_by_key(|t| t.variable);
        let (mut kept, mut i) = (0, 0);
        while i < list.len() {
            let variable = list[i].variable;
            let same = list[i..].iter().take_while(|t| t.variable == variable);
            let count = same.count();
            let [high, low] = merged(forms, &list[i..i + count])?;
            i += count;
            for item in [high, low] {
                if item.coef == i64::MIN {
                    // Its negation would not fit.
                    return None;
                }
                // Only of two or more items two are left: none is overwritten that was not read.
                if item.coef != 0 {
                    list[kept] = item;
                    kept += 1;
                }
            }
        }
        list.truncate(kept);
        Some(())
    }
}

/// The high and the low digit that items of one variable are together, which are split at one place at most:
/// `(v, a, b) = (v, a, m) + m / a * (v, m, b)`. If they are not split, or fit together, the first is all and the other nothing. `None`
/// if there are more places, or the high digit has too few values.
fn merged(forms: &Forms, items: &[Item]) -> Option<[Item; 2]> {
    let first = *items.first()?;
    let (mut a, mut b) = (first.a, first.b);
    for t in items {
        a = a.min(t.a);
        if b != INF && (t.b == INF || t.b > b) {
            b = t.b;
        }
    }
    let split = items.iter().find(|t| (t.a, t.b) != (a, b));
    let m = split.map(|t| if t.a == a { t.b } else { t.a });
    if m.is_some_and(|m| m % a != 0 || (b != INF && b % m != 0)) {
        return None;
    }
    let (mut high, mut low) = (0i64, 0i64);
    // Of the values above and below the place.
    let times = m.map_or(1, |m| m / a);
    for t in items {
        if t.a == a && (t.b == b || Some(t.b) == m) {
            low = low.checked_add(t.coef)?;
        }
        if t.b == b && t.a == a {
            high = high.checked_add(t.coef.checked_mul(times)?)?;
        } else if t.b == b && Some(t.a) == m {
            high = high.checked_add(t.coef)?;
        } else if t.a != a || Some(t.b) != m {
            return None;
        }
    }
    let nothing = Item { coef: 0, ..first };
    let Some(m) = m.filter(|_| low.checked_mul(times) != Some(high)) else {
        return Some([
            Item {
                a,
                b,
                coef: low,
                ..first
            },
            nothing,
        ]);
    };
    let high = Item {
        a: m,
        b,
        coef: high,
        ..first
    };
    let low = Item {
        a,
        b: m,
        coef: low,
        ..first
    };
    // What jumps once may be a rotation.
    let values = high.values(forms)?;
    (values.upper.checked_sub(values.lower)? > 1).then_some([high, low])
}

/// The high and the low digit of a variable as they are written: themselves, or what they are together and one of the two, if that
/// has fewer operations. `None` if a number would not fit.
pub(super) fn paired(high: Item, low: Item) -> Option<[Item; 2]> {
    let cost = |t: &Item| factor(t.coef) + places(t.a, t.b);
    let n = low.b / low.a;
    let (a, b) = (low.a, high.b);
    let mut best = [high, low];
    let mut least = cost(&high) + cost(&low);
    let rest = high.coef.checked_sub(low.coef.checked_mul(n)?)?;
    let with_high = [Item { a, b, ..low }, Item { coef: rest, ..high }];
    let up = high.coef / n;
    let rest = low.coef.checked_sub(up)?;
    let with_low = [
        Item {
            a,
            b,
            coef: up,
            ..low
        },
        Item { coef: rest, ..low },
    ];
    for (way, there) in [(with_high, true), (with_low, high.coef % n == 0)] {
        let new = cost(&way[0]) + cost(&way[1]);
        if there && new < least {
            (best, least) = (way, new);
        }
    }
    Some(best)
}

impl Forms {
    /// `items += coef * (inner floordiv m)`, or `mod m`, for a sum whose items are merged.
    pub(super) fn add_divided(
        &self,
        items: &mut Items,
        coef: i64,
        op: Op,
        inner: &Items,
        m: i64,
    ) -> Option<()> {
        let (mut q, mut r) = (inner.k.div_euclid(m), inner.k.rem_euclid(m));
        // What is no multiple of the divisor, and where it lies.
        let (mut rest, mut lower, mut upper): (SmallVec<[Item; 4]>, i64, i64) =
            (SmallVec::new(), r, r);
        let (mut reduced, mut strided) = (true, false);
        for t in &inner.list {
            if t.coef % m == 0 {
                if op == Op::FloorDiv {
                    let coef = coef.checked_mul(t.coef / m)?;
                    items.list.push(Item { coef, ..*t });
                }
                continue;
            }
            let atom = self.atom(t.variable);
            if atom.stride > 1 {
                if op != Op::Mod || !t.is_variable() || !divides(m, t.coef, atom.stride) {
                    return None;
                }
                // c * x = c * offset modulo m
                let value = (t.coef as i128 * atom.offset as i128).rem_euclid(m as i128) as i64;
                r = r.checked_add(value)?;
                lower = lower.checked_add(value)?;
                upper = upper.checked_add(value)?;
                strided = true;
                continue;
            }
            let v = t.values(self)?;
            let (x, y) = (t.coef.checked_mul(v.lower)?, t.coef.checked_mul(v.upper)?);
            lower = lower.checked_add(x.min(y))?;
            upper = upper.checked_add(x.max(y))?;
            reduced &= t.coef.unsigned_abs() <= m as u64 / 2;
            rest.push(*t);
        }
        if op == Op::Mod && !reduced && rest.len() < inner.list.len() {
            // With the multiples of the modulus the other coefficients go, beyond half of it.
            return None;
        }
        let Some(period) = one_period(Interval::new(lower, upper), m) else {
            let item = match (&rest[..], inner.k) {
                ([t], 0) if t.coef == 1 && !strided => *t,
                _ => return None,
            };
            match self.digit_of_item(item, op, m)? {
                Digit::Constant(v) => items.add_constant(v, coef)?,
                Digit::Item(item) => items.list.push(Item { coef, ..item }),
            }
            return Some(());
        };
        if op == Op::FloorDiv {
            q = q.checked_add(period)?;
            return items.add_constant(q, coef);
        }
        for t in rest {
            items.list.push(t.times(coef)?);
        }
        items.add_constant(r.checked_sub(period.checked_mul(m)?)?, coef)
    }

    /// `item floordiv m` or `item mod m`, if that is a digit or a number.
    pub(super) fn digit_of_item(&self, item: Item, op: Op, m: i64) -> Option<Digit> {
        if self.atom(item.variable).stride > 1 {
            return None;
        }
        if let Some(period) = one_period(item.values(self)?, m) {
            return match op {
                Op::FloorDiv => Some(Digit::Constant(period)),
                _ if period == 0 => Some(Digit::Item(item)),
                _ => None,
            };
        }
        let Item { variable, a, b, .. } = item;
        let end = a.checked_mul(m)?;
        if b != INF && b % end != 0 {
            return None;
        }
        let (a, mut b) = match op {
            Op::FloorDiv => (end, b),
            _ => (a, end),
        };
        let v = self.atom(variable).bounds;
        let width = v.upper.checked_sub(v.lower).filter(|w| *w >= SEVERAL)?;
        if b != INF && width < b {
            if v.lower < 0 || v.upper >= b {
                return None;
            }
            b = INF;
        }
        if b == INF && a > 1 && width < a {
            return one_period(v, a).map(Digit::Constant);
        }
        if b == INF && v.lower < 0 && v.upper < a {
            // Perhaps only a sign.
            return None;
        }
        Some(Digit::Item(Item { b, a, ..item }))
    }
}
