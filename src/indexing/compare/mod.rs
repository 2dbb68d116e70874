//! Whether two maps are the same function on the same domain.

use crate::domain::Point;
use crate::map::IndexingMap;

/// The answer of [`compare`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// Equal, different, or not decided.
    pub equal: Option<bool>,
    /// How that was decided.
    pub method: &'static str,
    /// A point at which the maps differ.
    pub counterexample: Option<Point>,
}

/// Proves that two maps are the same function on the same domain, or gives a point at which they differ.
pub fn compare(a: &IndexingMap, b: &IndexingMap) -> Comparison {
    if a == b {
        return Comparison {
            equal: Some(true),
            method: "identical",
            counterexample: None,
        };
    }
    let (x, y) = (a.points(), b.points());
    match x
        .iter()
        .find(|p| !y.contains(p))
        .or_else(|| y.iter().find(|p| !x.contains(p)))
    {
        Some(p) => Comparison {
            equal: Some(false),
            method: "enumeration",
            counterexample: Some(p.0.clone()),
        },
        None => Comparison {
            equal: Some(true),
            method: "enumeration",
            counterexample: None,
        },
    }
}
