//! The results of a map as sums, with what is known of them on the domain.

use super::bounds::bounded;
use super::driver::Simplifier;
use super::known::Known;
use super::linear::{AtomId, AtomKind, Forms, LinId, UNBOUNDED};
use crate::Extent;
use crate::arena::{Arena, ArenaMap};
use crate::interval::Interval;
use crate::linear::{Atom, Base, Sum};
use crate::map::IndexingMap;
use std::sync::Arc;

/// The terms of a result, with their values on the domain, and its constant.
type BoundedSum = (Vec<(Atom, i64, Interval)>, i64);

impl Simplifier {
    /// The normal forms of the simplified results; `None` if the domain is empty.
    fn result_forms(&mut self, map: &IndexingMap) -> Option<Vec<LinId>> {
        let mut arena = Arena::new();
        let input = ArenaMap::import(map, &mut arena);
        let output = self.run(&mut arena, &input, false)?;
        self.make_current(&arena);
        self.grow(arena.len());
        let results = output.results.iter();
        Some(results.map(|r| self.normal(&arena, *r)).collect())
    }

    /// Bounds of the results on the domain; `None` if it is empty.
    pub(crate) fn result_bounds(&mut self, map: &IndexingMap) -> Option<Vec<Interval>> {
        let results = self.result_forms(map)?.into_iter();
        Some(results.map(|lin| self.forms.lin(lin).bounds).collect())
    }

    /// The results on the domain, and what is known of the variables there. `None` if the domain is
    /// empty, if a term is no digit of a sum of variables, or one without bounds, or if a variable
    /// is not there.
    pub(crate) fn bounded_results(
        &mut self,
        map: &IndexingMap,
    ) -> Option<(Vec<BoundedSum>, &[Known])> {
        if !map.is_known() {
            return None;
        }
        let forms = self.result_forms(map)?;
        let result = |lin: LinId| -> Option<BoundedSum> {
            let mut terms = Vec::new();
            for t in self.forms.terms(lin) {
                let bounds = Some(self.forms.atom(t.atom).bounds).filter(|b| bounded(*b))?;
                terms.push((self.forms.public_atom(t.atom)?, t.coef, bounds));
            }
            Some((terms, self.forms.lin(lin).k))
        };
        let results: Option<Vec<BoundedSum>> = forms.into_iter().map(result).collect();
        Some((results?, &self.constraints.known))
    }
}

impl Forms {
    /// The atom in the public linear form, if it is a variable or a digit of a sum of variables.
    fn public_atom(&self, atom: AtomId) -> Option<Atom> {
        let AtomKind::Digit { lin, a, b } = self.atom(atom).kind else {
            let is_variable = (atom as usize) < self.variables;
            return is_variable.then(|| Atom::var(atom as usize));
        };
        if self.has_digits(lin) {
            return None;
        }
        let mut terms: Vec<(Atom, Extent)> = (self.terms(lin).iter())
            .map(|t| (Atom::var(t.atom as usize), t.coef.into()))
            .collect();
        terms.sort();
        let constant = self.lin(lin).k.into();
        let sum = Sum { terms, constant };
        Some(Atom {
            base: (sum.as_var()).map_or_else(|| Base::Sum(Arc::new(sum)), Base::Var),
            low: a.into(),
            high: (b != UNBOUNDED).then(|| b.into()),
        })
    }
}
