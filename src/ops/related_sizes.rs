//! Which run-time sizes are equal and how others follow from them, for whoever asks for maps.
//!
//! The analysis needs a whole function. Whoever asks for many maps of one makes it first and holds
//! the answer ([`Related`]) meanwhile; the maps of every operation then have one runtime variable
//! for all sizes that are equal, and sums of them for what follows.

use mapwright_indexing::{Expr, ExprKind, IndexingMap, c, rt};
use mapwright_mlir::{Dim, Val, op};
use std::{cell::RefCell, collections::HashMap, marker::PhantomData, rc::Rc};

/// Place where a size is read.
#[derive(Clone, Debug)]
pub struct Source {
    /// A value's label, or that of one of its sizes ([`crate::query::size_label`]).
    pub label: String,
    /// The position of the element of the value; `None` for a size.
    pub element: Option<Vec<i64>>,
    /// The dimension that it is the size of, with its bound.
    pub dim: Dim,
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

thread_local! {
    static HELD: RefCell<Vec<Rc<Table>>> = const { RefCell::new(Vec::new()) };
}

/// While it lives, maps that are asked for on this thread use what it knows of the sizes.
#[must_use = "maps use it as long as it is held"]
pub struct Related {
    /// It belongs to its thread.
    _thread: PhantomData<*const ()>,
}

impl Related {
    /// Holds `table`; of several that are held the last counts.
    pub fn hold(table: Table) -> Self {
        HELD.with_borrow_mut(|held| held.push(Rc::new(table)));
        Self {
            _thread: PhantomData,
        }
    }
}

impl Drop for Related {
    fn drop(&mut self) {
        HELD.with_borrow_mut(|held| {
            held.pop();
        });
    }
}

/// Returns the size of dimension `k` of `value` as far as it is related to others.
pub(crate) fn find(value: Val<'_>, k: usize) -> Option<Size> {
    let table = HELD.with_borrow(|held| held.last().cloned())?;
    table.get(&(op::key(value), k)).cloned()
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
            variables.push(crate::query::add_size(
                map,
                source.label.clone(),
                index,
                source.dim,
            ));
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
