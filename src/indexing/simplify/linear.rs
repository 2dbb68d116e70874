//! The normal form: linear forms over atoms, and the algebra of sums and products.
//!
//! Every expression becomes a linear form `c1 * a1 + … + cn * an + k` (a [`LinId`]) whose atoms are
//! variables, *digits* and a few opaque operations. A digit `(L, a, b)` with `a | b` is
//! `(L floordiv a) mod (b / a)`: the part of `L` between the places `a` and `b` of a mixed-radix
//! numeral. `b = UNBOUNDED` means no upper end, so that `L floordiv a = (L, a, UNBOUNDED)` and
//! `L mod b = (L, 1, b)`. Equal forms have equal ids.

use super::known::Known;
use super::operations::LONG;
use super::steps::Fired;
use crate::arena::{Table, mix};
use crate::expr::Op;
use crate::interval::Interval;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;

pub(crate) type LinId = u32;
pub(crate) type AtomId = u32;

/// The upper end of a digit that has none.
pub(crate) const UNBOUNDED: i64 = 0;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Term {
    pub(crate) atom: AtomId,
    pub(crate) coef: i64,
}

pub(crate) type Terms = SmallVec<[Term; 8]>;

impl Term {
    pub(crate) fn new(atom: AtomId, coef: i64) -> Self {
        Term { atom, coef }
    }

    /// The term so many times; `None` if the coefficient would not fit.
    pub(crate) fn times(self, by: i64) -> Option<Self> {
        Some(Term::new(self.atom, self.coef.checked_mul(by)?))
    }

    /// The negated term, of a coefficient that has a negation.
    pub(crate) fn negated(self) -> Self {
        Term::new(self.atom, self.coef.wrapping_neg())
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Lin {
    start: u32,
    len: u32,
    pub(crate) k: i64,
    /// Every value of the form; the ends of `i64` are infinite.
    pub(crate) bounds: Interval,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtomKind {
    Variable,
    /// `(lin, a, b)`, see above.
    Digit {
        lin: LinId,
        a: i64,
        b: i64,
    },
    /// An operation that is no linear form: minimum, maximum, products and quotients of variables,
    /// and what would overflow.
    Opaque {
        op: Op,
        x: LinId,
        y: LinId,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Atom {
    pub(crate) kind: AtomKind,
    pub(crate) bounds: Interval,
    /// Values are `offset` modulo `stride`.
    pub(crate) stride: i64,
    pub(crate) offset: i64,
    /// The first variable inside; sums are ordered by it.
    pub(super) lead: u32,
    pub(crate) depth: u32,
    /// Length, written out.
    pub(crate) size: u32,
}

/// Expressions that are longer count as that long.
const LONGEST: u32 = 1 << 24;

/// The coefficients of a form, by atom.
pub(super) struct Coefs<'a> {
    terms: &'a [Term],
    /// Of a long form.
    index: FxHashMap<AtomId, i64>,
}

impl<'a> Coefs<'a> {
    pub(super) fn from_terms(terms: &'a [Term]) -> Self {
        let long = if terms.len() > LONG { terms } else { &[] };
        Coefs {
            terms,
            index: long.iter().map(|t| (t.atom, t.coef)).collect(),
        }
    }

    pub(super) fn get(&self, atom: AtomId) -> Option<i64> {
        if !self.index.is_empty() {
            return self.index.get(&atom).copied();
        }
        self.terms.iter().find(|t| t.atom == atom).map(|t| t.coef)
    }
}

/// A linear form in the making.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) terms: Terms,
    pub(crate) k: i64,
}

/// The normal forms of one simplification.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forms {
    pub(crate) atoms: Vec<Atom>,
    atom_table: Table,
    pub(crate) lins: Vec<Lin>,
    pool: Vec<Term>,
    lin_table: Table,
    pub(crate) variables: usize,
    /// Steps left before rules stop being tried.
    pub(crate) budget: u64,
    /// Room left for the terms of long sums, see `long_sums.rs`.
    pub(crate) long_sum_budget: u64,
    /// None is left: long sums are kept apart.
    pub(crate) exhausted: bool,
    /// The rules that fired, if they are asked for.
    pub(crate) steps: Option<Vec<Fired>>,
    pub(crate) depth: u32,
    /// A variable has a stride.
    pub(crate) strided: bool,
    /// A number does not fit into 64 bits.
    pub(crate) overflowed: bool,
    /// A normal form depends on those that were read before it.
    pub(crate) cache_unsafe: bool,
    /// The digits whose normal forms are being computed: what they fall into is not put together to
    /// the same again.
    pub(super) open_digits: Vec<(LinId, i64, i64)>,
    /// The normal forms of digits that were asked for before.
    pub(super) digits: FxHashMap<(LinId, i64, i64), LinId>,
    /// Facts of the constraints about sums: bounds of a form without a constant whose first
    /// coefficient is positive.
    pub(super) range_facts: FxHashMap<LinId, Interval>,
    /// Facts of the constraints about remainders: `lin mod m` is in the interval.
    pub(super) window_facts: FxHashMap<(LinId, i64), Interval>,
}

impl Sum {
    pub(crate) fn new(terms: Terms, k: i64) -> Self {
        Sum { terms, k }
    }

    /// `self += coef * v`; `None` if a number would not fit.
    #[inline]
    pub(crate) fn add_constant(&mut self, v: i64, coef: i64) -> Option<()> {
        self.k = self.k.checked_add(v.checked_mul(coef)?)?;
        Some(())
    }

    /// Returns the position of an atom.
    pub(crate) fn position(&self, atom: AtomId) -> Option<usize> {
        self.terms.iter().position(|t| t.atom == atom)
    }
}

fn hash_of_lin(terms: &[Term], k: i64) -> u64 {
    let coef = |t: &Term| (t.coef as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let term = |h, t: &Term| mix(h, t.atom as u64 ^ coef(t));
    mix(terms.iter().fold(mix(7, k as u64), term), 0x9e37)
}

fn hash_of_atom(kind: &AtomKind) -> u64 {
    let h = match *kind {
        AtomKind::Variable => 3,
        AtomKind::Digit { lin, a, b } => mix(mix(mix(11, lin as u64), a as u64), b as u64),
        AtomKind::Opaque { op, x, y } => mix(mix(13 + op as u64, x as u64), y as u64),
    };
    mix(h, 0x9e37)
}

/// True if a bound is a number and not "unknown".
pub(crate) fn finite(v: i64) -> bool {
    v != i64::MIN && v != i64::MAX
}

impl Forms {
    /// Forgets all forms; the variables are the new atoms 0, 1, …
    pub(crate) fn reset(&mut self, variables: &[Known], budget: u64) {
        self.atoms.clear();
        self.atom_table.clear();
        self.lins.clear();
        self.pool.clear();
        self.lin_table.clear();
        self.open_digits.clear();
        self.digits.clear();
        self.range_facts.clear();
        self.window_facts.clear();
        self.depth = 0;
        self.budget = budget;
        self.strided = variables.iter().any(|known| known.stride > 1);
        let variable = |(i, known): (usize, &Known)| Atom {
            kind: AtomKind::Variable,
            bounds: known.interval,
            stride: known.stride,
            offset: known.offset,
            lead: i as u32,
            depth: 0,
            size: 1,
        };
        self.atoms
            .extend(variables.iter().enumerate().map(variable));
        self.variables = variables.len();
    }

    /// True if a term of the form is no variable.
    pub(crate) fn has_digits(&self, lin: LinId) -> bool {
        self.terms(lin).iter().any(|t| self.is_no_variable(t))
    }

    pub(crate) fn is_no_variable(&self, t: &Term) -> bool {
        t.atom as usize >= self.variables
    }

    /// Takes a unit of work; false if there is none left.
    #[inline]
    pub(crate) fn work(&mut self, units: usize) -> bool {
        self.budget = self.budget.saturating_sub(units as u64 + 1);
        self.budget > 0
    }

    #[inline]
    pub(crate) fn terms(&self, lin: LinId) -> &[Term] {
        let l = &self.lins[lin as usize];
        &self.pool[l.start as usize..(l.start + l.len) as usize]
    }

    #[inline]
    pub(crate) fn lin(&self, lin: LinId) -> &Lin {
        &self.lins[lin as usize]
    }

    #[inline]
    pub(crate) fn atom(&self, atom: AtomId) -> &Atom {
        &self.atoms[atom as usize]
    }

    /// The variable that terms are.
    pub(crate) fn as_variable(&self, terms: &[Term]) -> Option<usize> {
        match terms {
            [Term { atom, coef: 1 }] => Some(*atom as usize).filter(|v| *v < self.variables),
            _ => None,
        }
    }

    /// The variables in a form, also those inside of its atoms; some of them more than once.
    pub(crate) fn variables_in(&self, lin: LinId) -> SmallVec<[AtomId; 8]> {
        let mut found = SmallVec::new();
        let (mut todo, mut next) = (BTreeSet::new(), Some(lin));
        while let Some(lin) = next {
            for t in self.terms(lin) {
                match self.atom(t.atom).kind {
                    AtomKind::Variable => found.push(t.atom),
                    AtomKind::Digit { lin, .. } => todo.extend([lin]),
                    AtomKind::Opaque { x, y, .. } => todo.extend([x, y]),
                }
            }
            next = todo.pop_last();
        }
        found
    }

    pub(crate) fn as_constant(&self, lin: LinId) -> Option<i64> {
        let l = self.lin(lin);
        (l.len == 0).then_some(l.k)
    }

    /// The form with these terms, or where it belongs.
    #[inline]
    fn lookup(&self, terms: &[Term], k: i64, hash: u64) -> Result<LinId, usize> {
        self.lin_table.find(hash, |id| {
            let l = &self.lins[id as usize];
            let own = &self.pool[l.start as usize..][..l.len as usize];
            l.k == k && own == terms
        })
    }

    /// The form with these terms, if it was met.
    pub(crate) fn find(&self, terms: &[Term], k: i64) -> Option<LinId> {
        self.lookup(terms, k, hash_of_lin(terms, k)).ok()
    }

    /// Interns a form whose terms are in order, merged, and not zero.
    pub(crate) fn intern(&mut self, terms: &[Term], k: i64) -> LinId {
        let hash = hash_of_lin(terms, k);
        let slot = match self.lookup(terms, k, hash) {
            Ok(id) => return id,
            Err(slot) => slot,
        };
        let id = self.lins.len() as u32;
        self.lins.push(Lin {
            start: self.pool.len() as u32,
            len: terms.len() as u32,
            k,
            bounds: self.bounds_of_terms(terms, k),
        });
        self.pool.extend_from_slice(terms);
        let (lins, pool) = (&self.lins, &self.pool);
        self.lin_table.insert(slot, id, hash, |id| {
            let l = &lins[id as usize];
            hash_of_lin(&pool[l.start as usize..][..l.len as usize], l.k)
        });
        id
    }

    pub(crate) fn constant(&mut self, k: i64) -> LinId {
        self.intern(&[], k)
    }

    /// A variable; one that has a single value is that value.
    pub(crate) fn variable(&mut self, i: usize) -> LinId {
        match self.atoms[i].bounds.as_point() {
            Some(k) => self.intern(&[], k),
            None => self.intern(&[Term::new(i as u32, 1)], 0),
        }
    }

    /// The atom `kind`, with the bounds it is known to have.
    pub(crate) fn intern_atom(
        &mut self,
        kind: AtomKind,
        bounds: Interval,
        stride: i64,
        offset: i64,
    ) -> AtomId {
        let slot = match self.lookup_atom(&kind) {
            Ok(id) => return id,
            Err(slot) => slot,
        };
        let (mut lead, mut depth, mut size) = (u32::MAX, 0, 2u32);
        // A digit counts twice what is inside, once for each of its ends.
        let (inside, times) = match kind {
            AtomKind::Digit { lin, .. } => ([Some(lin), None], 2),
            AtomKind::Opaque { x, y, .. } => ([Some(x), Some(y)], 1),
            AtomKind::Variable => ([None; 2], 1),
        };
        for t in inside.into_iter().flatten().flat_map(|l| self.terms(l)) {
            let a = self.atom(t.atom);
            lead = lead.min(a.lead);
            depth = depth.max(a.depth + 1);
            size = size.saturating_add(times * (a.size + 1)).min(LONGEST);
        }
        let id = self.atoms.len() as u32;
        self.atoms.push(Atom {
            kind,
            bounds,
            stride,
            offset,
            lead,
            depth,
            size,
        });
        let hash = |id: u32| hash_of_atom(&self.atoms[id as usize].kind);
        self.atom_table.insert(slot, id, hash(id), hash);
        id
    }

    /// The atom of a digit, if it was met.
    pub(crate) fn find_digit(&self, lin: LinId, a: i64, b: i64) -> Option<AtomId> {
        self.lookup_atom(&AtomKind::Digit { lin, a, b }).ok()
    }

    /// The atom, or where it belongs.
    fn lookup_atom(&self, kind: &AtomKind) -> Result<AtomId, usize> {
        let same = |id: u32| self.atoms[id as usize].kind == *kind;
        self.atom_table.find(hash_of_atom(kind), same)
    }

    pub(crate) fn atom_form(&mut self, atom: AtomId) -> LinId {
        match self.atom(atom).bounds.as_point().filter(|v| finite(*v)) {
            Some(k) => self.constant(k),
            None => self.intern(&[Term::new(atom, 1)], 0),
        }
    }
}
