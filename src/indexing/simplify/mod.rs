//! The simplifier.

use crate::map::IndexingMap;

/// The answer of the simplifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Simplified {
    /// The simplified map.
    pub map: IndexingMap,
    /// Whether it differs from what was given.
    pub changed: bool,
    /// The names of the rules that fired, in order.
    pub rules: Vec<&'static str>,
}

impl IndexingMap {
    /// The same function on the same domain, simplified with the ranges in hand.
    pub fn simplify(&self) -> IndexingMap {
        self.simplify_explained().map
    }

    /// As [`IndexingMap::simplify`], with the rules that fired.
    pub fn simplify_explained(&self) -> Simplified {
        if self.is_known() && self.intervals().any(crate::Interval::is_empty) {
            return Simplified {
                map: self.clone().into_known_empty(),
                changed: true,
                rules: vec!["empty-interval"],
            };
        }
        Simplified {
            map: self.clone(),
            changed: false,
            rules: Vec::new(),
        }
    }
}
