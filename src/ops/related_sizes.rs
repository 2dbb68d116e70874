//! Which run-time sizes are equal and how others follow from them, for whoever asks for maps.
//!
//! The analysis needs a whole function. Whoever asks for many maps of one makes it first and hands
//! the answer ([`Related`]) to the composer; the maps of every operation then have one runtime
//! variable for all sizes that are equal, and sums of them for what follows.

use mapwright_indexing::{Expr, ExprKind};
use mapwright_mlir::{Dim, Val, op};
use std::{collections::HashMap, rc::Rc};

/// Place where a size is read.
#[derive(Clone, Debug)]
pub struct Source {
    /// A value's label, or that of one of its sizes ([`crate::query::size_label`]).
    pub label: String,
    /// The position of the element of the value; `None` for a size.
    pub element: Option<Vec<i64>>,
    /// The dimension that it is the size of, with its bound.
    pub dim: Dim,
    /// The name that the program has for a size; empty if it has none.
    pub name: String,
}

/// A size: an expression of runtime variables, of which number `i` is read at `sources[i]`.
#[derive(Clone, Debug)]
pub struct Size {
    /// Over runtime variables alone.
    pub expr: Expr,
    /// Places of all of them.
    pub sources: Vec<Source>,
}

/// Sizes by value ([`op::key`]) and dimension.
pub type Table = HashMap<(usize, usize), Size>;

/// Facts about the sizes of a program, which stays as it is meanwhile; none by default.
#[derive(Clone, Debug, Default)]
pub struct Related(Option<Rc<Table>>);

impl Related {
    /// Of these sizes.
    pub fn new(table: Table) -> Self {
        Self((!table.is_empty()).then(|| Rc::new(table)))
    }

    /// Returns the size of dimension `k` of `value` as far as it is related to others.
    pub(crate) fn find(&self, value: Val<'_>, k: usize) -> Option<&Size> {
        self.0.as_ref()?.get(&(op::key(value), k))
    }
}

impl Size {
    /// The one place where it is read, if it is no expression of several.
    pub(crate) fn source(&self) -> Option<&Source> {
        match (self.expr.kind(), self.sources.as_slice()) {
            (ExprKind::Runtime(0), [only]) => Some(only),
            _ => None,
        }
    }
}
