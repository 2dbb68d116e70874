//! The canonical order of terms in sums.

use super::linear::{AtomId, AtomKind, Forms, LinId, Terms};
use super::long_sums::COST_OF_COMPARISON;
use std::cmp::Ordering;

impl Forms {
    /// The order of terms in sums: by first variable, whole variables before digits, high places
    /// before low ones.
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
        // The kind, then the places, then what is inside.
        let key = |kind: AtomKind| match kind {
            AtomKind::Variable => ((0, 0, 0), None, None),
            AtomKind::Digit { lin, a, b } => ((1, -a, b), Some(lin), None),
            AtomKind::Opaque { op, x, y } => ((2, op as i64, 0), Some(x), Some(y)),
        };
        let (p, q) = (key(p.kind), key(q.kind));
        let inside = |l: Option<LinId>, m: Option<LinId>| match (l, m) {
            (Some(l), Some(m)) => self.order_lins(l, m, fuel - 1),
            _ => Ordering::Equal,
        };
        (p.0.cmp(&q.0))
            .then_with(|| inside(p.1, q.1))
            .then_with(|| inside(p.2, q.2))
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

    /// A canonical order of linear forms, for the order of constraints and of the operands of
    /// commutative operations.
    pub(crate) fn order_forms(&self, l: LinId, m: LinId) -> Ordering {
        self.order_lins(l, m, 32)
    }

    /// Puts the terms of a long sum in order. Terms that are alike on the outside are compared
    /// inside, which takes longer.
    pub(super) fn sort_long(&mut self, terms: &mut Terms) {
        let mut compared = 0;
        terms.sort_by(|s, t| {
            let (x, y) = (self.atom(s.atom), self.atom(t.atom));
            compared += usize::from(s.atom != t.atom && x.lead == y.lead);
            self.order(s.atom, t.atom)
        });
        self.spend(compared * COST_OF_COMPARISON);
    }
}
