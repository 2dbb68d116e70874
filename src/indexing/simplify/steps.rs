//! What `--explain` says: the rules that fired, each with what stood before it and what came of it.

use crate::expr::Expr;
use crate::map::IndexingMap;
use crate::print::{Names, write_expr};
use std::fmt::Write;

/// One use of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The name of the rule.
    pub rule: &'static str,
    /// The expressions or constraints before it and after it, as text; none where a rule rewrites
    /// the whole map, or where they are very long.
    pub change: Option<(String, String)>,
}

/// An expression over the variables in their order, all of them written as dimensions, and the
/// interval in which it is if it is a constraint.
pub(super) type Part = (Expr, Option<(i128, i128)>);

/// One side of a step; none if it is too long.
pub(crate) type Side = Option<Vec<Part>>;

/// A step whose variables have no names yet.
#[derive(Clone, Debug)]
pub(crate) struct Fired {
    pub(super) rule: &'static str,
    pub(super) change: Option<(Vec<Part>, Vec<Part>)>,
}

impl Fired {
    /// The step in the words of the map that is simplified.
    pub(super) fn named(&self, map: &IndexingMap) -> Step {
        let Names {
            mut dims,
            ranges,
            runtime,
        } = Names::for_map(map);
        dims.extend(ranges);
        dims.extend(runtime);
        let names = Names {
            dims,
            ..Names::default()
        };
        let side = |parts: &[Part]| text(parts, &names);
        let change = self.change.as_ref();
        Step {
            rule: self.rule,
            change: change.map(|(before, after)| (side(before), side(after))),
        }
    }
}

fn text(parts: &[Part], names: &Names) -> String {
    if parts.is_empty() {
        return "no constraint of its own".into();
    }
    let mut text = String::new();
    for (i, (expr, interval)) in parts.iter().enumerate() {
        text.push_str(if i > 0 { ", " } else { "" });
        // Writing to a string cannot fail.
        let _ = write_expr(expr, names, &mut text);
        if let Some((lower, upper)) = *interval {
            let lower = end(lower, i64::MIN, "-inf");
            let upper = end(upper, i64::MAX, "inf");
            let _ = write!(text, " in [{lower}, {upper}]");
        }
    }
    text
}

/// An end of an interval, or the word for one that is not there.
fn end(value: i128, none: i64, word: &str) -> String {
    if value == i128::from(none) {
        return word.into();
    }
    value.to_string()
}
