//! Shardy's notes of the way that shardings took:
//! `#sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [result-0]}]}]>`.

use super::checks::{Checked, refused};
use super::cursor::Cursor;
use super::shardy::axis_ref;
use super::{AxisRef, NotationError};

/// An operand or a result of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeEnd {
    /// The operand of this number.
    Operand(i64),
    /// The result of this number.
    Result(i64),
}

/// An axis that went from one value to others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The axis.
    pub axis: AxisRef,
    /// The value that had it.
    pub source: EdgeEnd,
    /// The values that got it.
    pub targets: Vec<EdgeEnd>,
}

/// The edges of each step of a propagation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropagationEdges(pub Vec<(i64, Vec<Edge>)>);

fn end(c: &mut Cursor) -> Result<EdgeEnd, NotationError> {
    for (word, kind) in [
        ("operand-", EdgeEnd::Operand as fn(i64) -> EdgeEnd),
        ("result-", EdgeEnd::Result),
    ] {
        if c.sees(word) {
            c.require_prefix(word)?;
            return c.integer().map(kind);
        }
    }
    Err(c.expected("`operand-0` or `result-0`"))
}

fn edge(c: &mut Cursor) -> Result<Edge, NotationError> {
    c.require("{")?;
    let axis = axis_ref(c)?;
    c.require("=")?;
    let source = end(c)?;
    c.require("->")?;
    let targets = c.list("[", "]", end)?;
    c.require("}")?;
    Ok(Edge {
        axis,
        source,
        targets,
    })
}

impl std::str::FromStr for PropagationEdges {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<PropagationEdges, NotationError> {
        Cursor::read(text, |c| {
            c.accept("#sdy.propagation_edges");
            c.require("<")?;
            let steps = c.list("[", "]", |c| {
                c.require("{")?;
                c.require_prefix("step-")?;
                let step = c.integer()?;
                c.require("=")?;
                let edges = c.list("[", "]", edge)?;
                c.require("}")?;
                Ok((step, edges))
            })?;
            c.require(">")?;
            Ok(PropagationEdges(steps))
        })
    }
}

impl PropagationEdges {
    /// Checks the edges of an operation of so many operands and results.
    ///
    /// # Errors
    /// The constraint that is violated.
    pub fn check(&self, operands: usize, results: usize) -> Checked {
        for (i, (step, edges)) in self.0.iter().enumerate() {
            if *step < 0 || self.0[..i].iter().any(|(other, _)| other == step) {
                return refused(format!("the step {step} is negative, or there twice"));
            }
            for Edge {
                axis,
                source,
                targets,
            } in edges
            {
                for (k, end) in targets.iter().enumerate() {
                    if end == source || targets[..k].contains(end) {
                        return refused(format!("in step {step} {axis} goes to a value twice"));
                    }
                }
                for end in targets.iter().chain([source]) {
                    let (what, number, count) = match *end {
                        EdgeEnd::Operand(number) => ("operand", number, operands),
                        EdgeEnd::Result(number) => ("result", number, results),
                    };
                    if usize::try_from(number).map_or(true, |number| number >= count) {
                        return refused(format!("there is no {what} {number}"));
                    }
                }
            }
        }
        Ok(())
    }

    /// The axes of all steps.
    pub fn axes(&self) -> impl Iterator<Item = &AxisRef> {
        let edges = self.0.iter().flat_map(|(_, edges)| edges);
        edges.map(|edge| &edge.axis)
    }
}
