//! Which run-time sizes are equal and how others follow from them, for whoever asks for maps.
//!
//! The analysis needs a whole function. Whoever asks for many maps of one makes it first and hands
//! the answer ([`Related`]) to the composer; the maps of every operation then have one runtime
//! variable for all sizes that are equal, and sums of them for what follows.

use crate::query::{add_runtime, size_variable};
use crate::sizes;
use mapwright_indexing::{Expr, ExprKind, IndexingMap, c, rt};
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

/// What is known of the sizes of a program, which stays as it is meanwhile; nothing by default.
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

    /// Origin of the run-time size of dimension `k` of `value` ([`crate::sizes::origin`]), one for
    /// all sizes that are equal to it.
    pub fn origin(&self, value: Val<'_>, k: usize) -> (String, bool) {
        if let Some(known) = self.find(value, k)
            && let Some(source) = known.source()
            && source.element.as_ref().is_none_or(Vec::is_empty)
        {
            return (source.label.clone(), source.element.is_some());
        }
        sizes::origin(value, k)
    }
}

impl Size {
    /// The size over the variables of `map`, to which runtime variables are added where they are
    /// not there.
    pub(crate) fn over(&self, map: &mut IndexingMap) -> Expr {
        let mut variables = Vec::new();
        for source in &self.sources {
            let index = source.element.as_ref().map(|at| {
                let position = at.iter().map(|i| c(*i)).collect();
                IndexingMap::new(map.dims().to_vec(), position)
            });
            let mut variable = size_variable(source.label.clone(), index, source.dim);
            variable.name.clone_from(&source.name);
            variables.push(add_runtime(map, variable));
        }
        self.expr.replace(|kind| match kind {
            ExprKind::Runtime(i) => variables.get(*i).cloned().unwrap_or_else(|| rt(*i)),
            _ => c(0),
        })
    }

    /// The one place where it is read, if it is no expression of several.
    pub(crate) fn source(&self) -> Option<&Source> {
        match (self.expr.kind(), self.sources.as_slice()) {
            (ExprKind::Runtime(0), [only]) => Some(only),
            _ => None,
        }
    }
}
