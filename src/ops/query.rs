//! What the maps of an operation are computed from: shapes, and labels of values.

use crate::index_space::index_space;
use crate::related_sizes::{Related, Size};
use mapwright_indexing::{
    Expr, ExprKind, IndexingMap, Interval, RuntimeVariable, Variable, c, d, rt, s,
};
use mapwright_mlir::{Dim, Op, TensorType, Val};

/// The maps of one operand and one result: pieces whose union is the relation, or the reason why it
/// is not known.
pub type Pieces = Result<Vec<IndexingMap>, String>;

/// The size of a dimension without a bound.
pub use mapwright_mlir::UNBOUNDED;

/// Facts about values, which a program implies: maps ask for them that depend on the values of
/// operands. They follow from the maps of the operations that make the values, so the functions are
/// handed down to the query of an operation.
#[derive(Clone)]
pub(crate) struct OperandFacts {
    /// Element `index` of a value where it is known as a function of its position; see
    /// [`crate::fold::value`].
    pub value: fn(Val<'_>, index: &[Expr], map: &IndexingMap) -> Option<Expr>,
    /// The run-time size of a dimension of a value; see [`crate::sizes::size_of`].
    pub size: fn(&mut IndexingMap, Val<'_>, k: usize, Dim, &Related) -> Expr,
    /// Run-time sizes that are equal.
    pub related: Related,
}

/// An operation with the types of its operands and results decoded.
pub struct Query<'c> {
    /// The operation.
    pub op: Op<'c>,
    operands: Vec<Result<TensorType, String>>,
    results: Vec<Result<TensorType, String>>,
    /// `None` where the operation itself is asked for: see [`Query::own`].
    operand_facts: Option<OperandFacts>,
}

impl<'c> Query<'c> {
    /// Decodes the types. The operands are what `operand_facts` say
    /// ([`crate::operand_facts::query`]).
    pub(crate) fn new(op: Op<'c>, operand_facts: Option<OperandFacts>) -> Self {
        let decode = |value: Val<'c>| {
            use mapwright_mlir::melior;
            use melior::ir::ValueLike;
            let ty = value.r#type();
            index_space(ty).ok_or_else(|| format!("{ty} is not a ranked tensor"))
        };
        Self {
            op,
            operands: op.operands().into_iter().map(decode).collect(),
            results: op.results().into_iter().map(decode).collect(),
            operand_facts,
        }
    }

    /// For what the operation itself reads: nobody looks at what its operands are made of, and the
    /// label of an operand is its position. For walks over programs that go to the operands
    /// themselves.
    pub fn own(op: Op<'c>) -> Self {
        Self::new(op, None)
    }

    /// Run-time sizes that are known to be equal.
    pub(crate) fn related(&self) -> Related {
        let known = self.operand_facts.as_ref();
        known.map(|known| known.related.clone()).unwrap_or_default()
    }

    /// True if all operands and results are tensors of static shape.
    pub fn is_static(&self) -> bool {
        let fixed = |ty: &Result<TensorType, String>| {
            ty.as_ref()
                .is_ok_and(|ty| ty.dims.iter().all(|dim| dim.fixed().is_some()))
        };
        self.operands.iter().chain(&self.results).all(fixed)
    }

    /// Number of operands.
    pub fn num_operands(&self) -> usize {
        self.operands.len()
    }

    /// Number of results.
    pub fn num_results(&self) -> usize {
        self.results.len()
    }

    /// Type of operand `i`.
    pub fn operand(&self, i: usize) -> Result<&TensorType, String> {
        match self.operands.get(i) {
            Some(Ok(ty)) => Ok(ty),
            Some(Err(reason)) => Err(format!("operand {i}: {reason}")),
            None => Err(format!("operand {i} is missing")),
        }
    }

    /// Type of result `i`.
    pub fn result(&self, i: usize) -> Result<&TensorType, String> {
        match self.results.get(i) {
            Some(Ok(ty)) => Ok(ty),
            Some(Err(reason)) => Err(format!("result {i}: {reason}")),
            None => Err(format!("result {i} is missing")),
        }
    }

    /// Sizes of operand `i`; the bound of a bounded dimension, [`UNBOUNDED`] for a dynamic one.
    pub fn operand_sizes(&self, i: usize) -> Result<Vec<i64>, String> {
        self.operand(i).map(sizes)
    }

    /// Sizes of result `i`, as in [`Query::operand_sizes`].
    pub fn result_sizes(&self, i: usize) -> Result<Vec<i64>, String> {
        self.result(i).map(sizes)
    }

    /// Sizes of operand `i` if all of them are static; the error names the first that is not.
    pub fn static_operand(&self, i: usize) -> Result<Vec<i64>, String> {
        static_sizes(self.operand(i)?, "operand", i)
    }

    /// Sizes of result `i` if all of them are static.
    pub fn static_result(&self, i: usize) -> Result<Vec<i64>, String> {
        static_sizes(self.result(i)?, "result", i)
    }

    /// The label of operand `i`, as MLIR prints it (its position, where only the operation itself
    /// is asked for).
    pub fn label(&self, i: usize) -> String {
        match &self.operand_facts {
            None => i.to_string(),
            Some(_) => mapwright_mlir::op::label(self.op.operand(i)),
        }
    }

    /// Element `index` of operand `i` where it is known as a function of its position; see
    /// [`crate::fold::value`].
    pub fn known(&self, i: usize, index: &[Expr], map: &IndexingMap) -> Option<Expr> {
        (self.operand_facts.as_ref()?.value)(self.op.operand(i), index, map)
    }

    /// The run-time size of dimension `k` of operand `i`, as an expression over the variables of
    /// `map`: the number where it is static, otherwise a runtime variable, which is added to the
    /// map if it is not there. In an [`Query::own`] query its origin is [`size_label`], with the
    /// position of the operand.
    pub fn size_of_operand(&self, map: &mut IndexingMap, i: usize, k: usize, dim: Dim) -> Expr {
        if let Some(size) = dim.fixed() {
            return c(size);
        }
        match &self.operand_facts {
            None => add_size(map, size_label(&i.to_string(), k), None, dim),
            Some(known) => (known.size)(map, self.op.operand(i), k, dim, &known.related),
        }
    }

    /// A runtime variable that is the only element of the scalar operand `i`, for a map over
    /// `dims`.
    pub fn scalar(&self, i: usize, clamp: Interval, dims: &[Variable]) -> RuntimeVariable {
        RuntimeVariable::new(
            clamp,
            self.label(i),
            Some(IndexingMap::new(dims.to_vec(), vec![])),
        )
    }

    /// A runtime variable that is the element `index` of operand `i`, where `index` is over the
    /// variables of `owner`.
    pub fn element(
        &self,
        i: usize,
        clamp: Interval,
        index: Vec<Expr>,
        owner: &IndexingMap,
    ) -> RuntimeVariable {
        let mut map = IndexingMap::new(owner.dims().to_vec(), index);
        map.set_ranges(owner.ranges().to_vec());
        RuntimeVariable::new(clamp, self.label(i), Some(map))
    }
}

/// The origin of a runtime variable that is the size of dimension `k` of the value with this label.
pub fn size_label(value: &str, k: usize) -> String {
    format!("get_dimension_size({value}, {k})")
}

/// A runtime variable as an expression over the variables of the map, which has it afterwards.
pub(crate) fn add_runtime(map: &mut IndexingMap, variable: RuntimeVariable) -> Expr {
    let known = map.runtime().iter().position(|other| *other == variable);
    rt(known.unwrap_or_else(|| {
        map.push_runtime(variable);
        map.runtime().len() - 1
    }))
}

/// The run-time size of a dimension `dim` that comes from `label`, as [`add_runtime`].
pub(crate) fn add_size(
    map: &mut IndexingMap,
    label: String,
    index: Option<IndexingMap>,
    dim: Dim,
) -> Expr {
    add_runtime(map, size_variable(label, index, dim))
}

/// A size that is known by others, over the variables of `map`, to which runtime variables are
/// added where they are not there.
pub(crate) fn add_related_size(map: &mut IndexingMap, size: &Size) -> Expr {
    let mut variables = Vec::new();
    for source in &size.sources {
        let index = source.element.as_ref().map(|at| {
            let position = at.iter().map(|i| c(*i)).collect();
            IndexingMap::new(map.dims().to_vec(), position)
        });
        let mut variable = size_variable(source.label.clone(), index, source.dim);
        variable.name.clone_from(&source.name);
        variables.push(add_runtime(map, variable));
    }
    size.expr.replace(|kind| match kind {
        ExprKind::Runtime(i) => variables.get(*i).cloned().unwrap_or_else(|| rt(*i)),
        _ => c(0),
    })
}

/// The runtime variable that is the run-time size of a dimension `dim` and comes from `label`.
fn size_variable(label: String, index: Option<IndexingMap>, dim: Dim) -> RuntimeVariable {
    let bound = size(dim);
    let upper = if bound == UNBOUNDED { i64::MAX } else { bound };
    RuntimeVariable::new(Interval::new(0, upper), label, index)
}

/// The value and the dimension in a [`size_label`].
pub fn parse_size_label(label: &str) -> Option<(&str, usize)> {
    let inner = label.strip_prefix("get_dimension_size(")?;
    let (value, k) = inner.strip_suffix(')')?.rsplit_once(", ")?;
    Some((value, k.parse().ok()?))
}

fn static_sizes(ty: &TensorType, what: &str, i: usize) -> Result<Vec<i64>, String> {
    ty.dims
        .iter()
        .enumerate()
        .map(|(k, dim)| {
            dim.fixed()
                .ok_or_else(|| format!("dimension {k} of {what} {i} is known at run time only"))
        })
        .collect()
}

/// Sizes of a type; the bound of a bounded dimension, [`UNBOUNDED`] for a dynamic one.
pub fn sizes(ty: &TensorType) -> Vec<i64> {
    ty.dims.iter().map(|dim| size(*dim)).collect()
}

/// Returns the interval of an index relative to a size with this bound: the index is below the
/// size.
pub(crate) fn below_bound(bound: i64) -> Interval {
    let lower = if bound == UNBOUNDED { i64::MIN } else { -bound };
    Interval::new(lower, -1)
}

/// The size or its bound, [`UNBOUNDED`] for a dynamic dimension.
pub fn size(dim: Dim) -> i64 {
    dim.bound().unwrap_or(UNBOUNDED)
}

/// The indices of a dimension.
pub fn indices(size: i64) -> Interval {
    if size == UNBOUNDED {
        Interval::new(0, i64::MAX)
    } else {
        Interval::of_size(size)
    }
}

/// A variable over the indices of a dimension.
pub fn variable(size: i64) -> Variable {
    Variable::new(indices(size))
}

/// Variables over the indices of a tensor.
pub fn variables(sizes: &[i64]) -> Vec<Variable> {
    sizes.iter().map(|n| variable(*n)).collect()
}

/// A map over an index space.
pub fn over(sizes: &[i64], results: Vec<Expr>) -> IndexingMap {
    IndexingMap::new(variables(sizes), results)
}

/// The last `tail` dimensions of a tensor whole, those before them equal.
///
/// # Errors
/// Fewer dimensions in either than there are before them.
pub(crate) fn whole_tail(from: &[i64], to: &[i64], tail: usize) -> Result<IndexingMap, String> {
    let first = to.len().checked_sub(tail);
    let first = first.filter(|first| *first <= from.len());
    let first = first.ok_or("operand and result have different ranks")?;
    let mut map = over(from, (0..first).map(d).collect());
    for (k, size) in to[first..].iter().enumerate() {
        map.push_result(s(k));
        map.push_range(variable(*size));
    }
    Ok(map)
}

/// The identity on an index space.
pub fn identity(sizes: &[i64]) -> IndexingMap {
    over(sizes, (0..sizes.len()).map(d).collect())
}

/// Every element of an index space of `sizes`, from an index space of `from`.
pub fn everything(from: &[i64], sizes: &[i64]) -> IndexingMap {
    let mut map = over(from, (0..sizes.len()).map(mapwright_indexing::s).collect());
    map.set_ranges(variables(sizes));
    map
}

/// No element.
pub fn nothing(from: &[i64], to: &[i64]) -> Vec<IndexingMap> {
    vec![IndexingMap::known_empty(from.len(), to.len())]
}
