//! Orders of terms: the canonical one of sums, and that in which long sums are gone through.

use super::linear::{Atom, AtomId, AtomKind, Forms, LinId, Term, Terms};
use super::operations::LONG;
use super::room::ROOM_OF_COMPARISON;
use std::cmp::Ordering;

/// The places of the terms of a long sum in the order in which their atoms were made: what is needed of them lies side by side
/// then, while from one term to the next it lies far apart. `None` for other sums, which are gone through as they are.
#[inline(always)]
pub(super) fn by_atom(terms: &[Term]) -> Option<impl Iterator<Item = usize> + use<>> {
    (terms.len() > LONG).then(|| ordered(terms).into_iter().map(|i| i as usize))
}

#[cold]
#[inline(never)]
fn ordered(terms: &[Term]) -> Vec<u32> {
    spread(terms).unwrap_or_else(|| {
        let mut order: Vec<u32> = (0u32..).take(terms.len()).collect();
        order.sort_unstable_by_key(|i| terms[*i as usize].atom);
        order
    })
}

/// As [`by_atom`] in linear time; `None` if an atom stands twice, or they lie too far apart.
fn spread(terms: &[Term]) -> Option<Vec<u32>> {
    let atoms = || terms.iter().map(|t| t.atom);
    let (first, last) = (atoms().min()?, atoms().max()?);
    let width = (last - first) as usize + 1;
    if width > 16 * terms.len() {
        return None;
    }
    // Places count from one: zero is none.
    let mut places = vec![0u32; width];
    for (atom, place) in atoms().zip(1..) {
        let old = std::mem::replace(&mut places[(atom - first) as usize], place);
        if old != 0 {
            return None;
        }
    }
    places.retain(|p| *p != 0);
    places.iter_mut().for_each(|p| *p -= 1);
    Some(places)
}

impl Forms {
    /// The order of terms in sums: by first variable, whole variables before digits, high places before low ones.
    pub(super) fn order(&self, x: AtomId, y: AtomId) -> Ordering {
        if (x as usize) < self.variables && (y as usize) < self.variables {
            return x.cmp(&y);
        }
        self.order_deep(x, y, 32)
    }

    pub(super) fn order_deep(&self, x: AtomId, y: AtomId, fuel: u32) -> Ordering {
        if x == y {
            return Ordering::Equal;
        }
        let (p, q) = (self.atom(x), self.atom(y));
        let by_lead = p.lead.cmp(&q.lead);
        if by_lead != Ordering::Equal {
            return by_lead;
        }
        if fuel == 0 {
            return x.cmp(&y);
        }
        match (p.kind, q.kind) {
            (AtomKind::Variable, AtomKind::Variable) => x.cmp(&y),
            (AtomKind::Variable, _) => Ordering::Less,
            (_, AtomKind::Variable) => Ordering::Greater,
            (AtomKind::Digit { lin: l, a, b }, AtomKind::Digit { lin: m, a: c, b: d }) => c
                .cmp(&a)
                .then(b.cmp(&d))
                .then_with(|| self.order_lins(l, m, fuel - 1)),
            (AtomKind::Digit { .. }, _) => Ordering::Less,
            (_, AtomKind::Digit { .. }) => Ordering::Greater,
            (
                AtomKind::Opaque { op, x: a, y: b },
                AtomKind::Opaque {
                    op: op2,
                    x: c,
                    y: d,
                },
            ) => op
                .cmp(&op2)
                .then_with(|| self.order_lins(a, c, fuel - 1))
                .then_with(|| self.order_lins(b, d, fuel - 1)),
        }
        .then(x.cmp(&y))
    }

    pub(super) fn order_lins(&self, l: LinId, m: LinId, fuel: u32) -> Ordering {
        if l == m {
            return Ordering::Equal;
        }
        let (p, q) = (self.terms(l), self.terms(m));
        for (s, t) in p.iter().zip(q) {
            let o = self
                .order_deep(s.atom, t.atom, fuel)
                .then(s.coef.cmp(&t.coef));
            if o != Ordering::Equal {
                return o;
            }
        }
        p.len()
            .cmp(&q.len())
            .then(self.lin(l).k.cmp(&self.lin(m).k))
    }

    /// A canonical order of linear forms, for the order of constraints and of the operands of commutative operations.
    pub(crate) fn order_forms(&self, l: LinId, m: LinId) -> Ordering {
        self.order_lins(l, m, 32)
    }

    /// As sorting by [`Forms::order`]. What mostly decides is looked up once for each term: the atoms of a long sum lie far apart.
    pub(super) fn sort_long(&mut self, terms: &mut Terms) {
        let mut keyed = std::mem::take(&mut self.sorting);
        keyed.clear();
        // Terms that are alike on the outside are compared inside, which takes longer.
        let mut compared = 0;
        keyed.extend(terms.iter().map(|t| (self.sorting_key(t.atom), *t)));
        // Mostly a few sums one after the other, each in order: what this sort does not take apart.
        keyed.sort_by(|(p, s), (q, t)| {
            p.cmp(q).then_with(|| {
                compared += usize::from(s.atom != t.atom);
                self.order(s.atom, t.atom)
            })
        });
        for (place, (_, term)) in terms.iter_mut().zip(&keyed) {
            *place = *term;
        }
        self.sorting = keyed;
        self.take_room(compared * ROOM_OF_COMPARISON);
    }

    /// What mostly decides the order of atoms, in two numbers: the first variable, what kind of atom it is, high places before low
    /// ones; then the upper end and, where the form inside starts with that variable, its coefficient there.
    fn sorting_key(&self, atom: AtomId) -> (u128, u128) {
        let Atom { kind, lead, .. } = *self.atom(atom);
        let rising = |v: i64| (v as u64 ^ 1 << 63) as u128;
        let first = (lead as u128) << 96;
        match kind {
            AtomKind::Variable => (first, 0),
            AtomKind::Digit { lin, a, b } => {
                let starts = match self.terms(lin) {
                    [t, ..] if (t.atom as usize) < self.variables => rising(t.coef),
                    _ => u64::MAX as u128,
                };
                let place = (i64::MAX - a) as u128;
                (first | 1 << 64 | place, rising(b) << 64 | starts)
            }
            AtomKind::Opaque { .. } => (first | 2 << 64, 0),
        }
    }
}
