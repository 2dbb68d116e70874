//! The canonical order of terms in sums.

use super::linear::{AtomId, AtomKind, Forms, LinId, Terms};
use super::room::ROOM_OF_COMPARISON;
use std::cmp::Ordering;

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

    /// Puts the terms of a long sum in order. Terms that are alike on the outside are compared inside, which takes longer.
    pub(super) fn sort_long(&mut self, terms: &mut Terms) {
        let mut compared = 0;
        terms.sort_by(|s, t| {
            let (x, y) = (self.atom(s.atom), self.atom(t.atom));
            compared += usize::from(s.atom != t.atom && x.lead == y.lead);
            self.order(s.atom, t.atom)
        });
        self.take_room(compared * ROOM_OF_COMPARISON);
    }
}
