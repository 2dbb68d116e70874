//! The data type: variables, constraints, the map.

use crate::error::MapError;
use crate::expr::{Expr, ExprKind, Op, replace_all, rt, s};
use crate::interval::Interval;
use crate::program::{Instr, Program};
use std::borrow::Cow;

/// A dimension or range variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Variable {
    /// The own name; an empty one prints as `d0…` or `s0…` by position.
    pub name: String,
    /// The values the variable takes.
    pub interval: Interval,
}

impl Variable {
    /// An unnamed variable.
    pub fn new(interval: Interval) -> Self {
        Variable {
            name: String::new(),
            interval,
        }
    }

    /// An unnamed variable over `[0, size - 1]`.
    pub fn of_size(size: i64) -> Self {
        Variable::new(Interval::of_size(size))
    }

    /// A variable with a name of its own.
    pub fn named(name: impl Into<String>, interval: Interval) -> Self {
        Variable {
            name: name.into(),
            interval,
        }
    }
}

impl From<Interval> for Variable {
    fn from(interval: Interval) -> Self {
        Variable::new(interval)
    }
}

/// Origin of the value of a runtime variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Origin {
    /// The label of the SSA value that is read, such as `%arg1`; empty if nobody said.
    pub value: String,
    /// Index of the element of that value that is read. Its dimensions are the dimensions of the
    /// map that owns the variable; its range (runtime) variables are, position by position, the
    /// first range (runtime) variables of that map.
    pub index: Option<Box<IndexingMap>>,
    /// The interval to which the value is clamped, if the variable's own interval has become
    /// smaller by a constraint.
    pub clamp: Option<Interval>,
}

/// A value read while the program runs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RuntimeVariable {
    /// The own name; an empty one prints as `rt0…` by position.
    pub name: String,
    /// The values the variable takes in the domain. At first this is the interval to which the
    /// value is clamped; constraints can make it smaller, and then [`RuntimeVariable::clamp`] is
    /// still the first one.
    pub interval: Interval,
    /// Origin of the value.
    pub origin: Origin,
}

impl RuntimeVariable {
    /// An unnamed runtime variable read from `value` at `index`, clamped to `interval`.
    pub fn new(interval: Interval, value: impl Into<String>, index: Option<IndexingMap>) -> Self {
        RuntimeVariable {
            name: String::new(),
            interval,
            origin: Origin {
                value: value.into(),
                index: index.map(Box::new),
                clamp: None,
            },
        }
    }

    /// The interval to which the value is clamped when it is read.
    pub fn clamp(&self) -> Interval {
        self.origin.clamp.unwrap_or(self.interval)
    }
}

/// `expr in interval`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constraint {
    /// The expression whose value is constrained.
    pub expr: Expr,
    /// The values it may take.
    pub interval: Interval,
}

/// Tells whether a map is a function, known to be empty, or unknown.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum State {
    /// A function on its domain.
    #[default]
    Known,
    /// No point is in the domain. The arity (variables and number of results) is kept.
    Empty,
    /// Unknown, for this reason.
    Unknown(String),
    /// Unknown until the variable that this names is added.
    Incomplete(MapError),
}

/// Variables, results and constraints of a map, while [`IndexingMap::edit`] changes them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parts {
    /// The dimension variables.
    pub dims: Vec<Variable>,
    /// The range variables.
    pub ranges: Vec<Variable>,
    /// The runtime variables.
    pub runtime: Vec<RuntimeVariable>,
    /// The results.
    pub results: Vec<Expr>,
    /// The constraints, in order.
    pub constraints: Vec<Constraint>,
    /// False if the map is an over-approximation.
    pub exact: bool,
}

/// A map from indices of one tensor to indices of another, on a domain. See the crate's
/// documentation.
///
/// Its results and constraints name variables that it has. What does not is
/// [`State::Incomplete`], and with that unknown, until the variable is added.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct IndexingMap {
    /// The dimension variables.
    pub(crate) dims: Vec<Variable>,
    /// The range variables: the map relates a point to its results for all their values.
    pub(crate) ranges: Vec<Variable>,
    /// The runtime variables.
    pub(crate) runtime: Vec<RuntimeVariable>,
    /// The results.
    pub(crate) results: Vec<Expr>,
    /// The constraints, in order.
    pub(crate) constraints: Vec<Constraint>,
    /// False if the map is an over-approximation: the true set of elements is a subset.
    pub(crate) exact: bool,
    state: State,
}

impl IndexingMap {
    /// A map with variables given by their intervals, without range and runtime variables and
    /// constraints. If results name others, those are to be added.
    pub fn new(dims: Vec<Variable>, results: Vec<Expr>) -> Self {
        IndexingMap::unchecked(dims, results).checked()
    }

    /// As [`IndexingMap::new`], for a caller that adds what is missing.
    pub(crate) fn unchecked(dims: Vec<Variable>, results: Vec<Expr>) -> Self {
        IndexingMap {
            dims,
            ranges: Vec::new(),
            runtime: Vec::new(),
            results,
            constraints: Vec::new(),
            exact: true,
            state: State::Known,
        }
    }

    /// A map over an index space with the given dimension sizes.
    pub fn from_dims(sizes: &[i64], results: impl IntoIterator<Item = Expr>) -> Self {
        IndexingMap::new(
            sizes.iter().map(|n| Variable::of_size(*n)).collect(),
            results.into_iter().collect(),
        )
    }

    /// The identity on an index space with the given dimension sizes.
    pub fn identity(sizes: &[i64]) -> Self {
        IndexingMap::from_dims(sizes, (0..sizes.len()).map(crate::expr::d))
    }

    /// The empty map with the arity of an index space of `dims` dimensions and `results` results.
    pub fn known_empty(dims: usize, results: usize) -> Self {
        let mut map = IndexingMap::new(
            vec![Variable::new(Interval::EMPTY); dims],
            vec![crate::expr::c(0); results],
        );
        map.state = State::Empty;
        map
    }

    /// A map of which nothing is known, with the reason.
    pub fn unknown(reason: impl Into<String>) -> Self {
        let mut map = IndexingMap::new(Vec::new(), Vec::new());
        map.exact = false;
        map.state = State::Unknown(reason.into());
        map
    }

    /// The dimension variables.
    #[inline]
    pub fn dims(&self) -> &[Variable] {
        &self.dims
    }

    /// The range variables: the map relates a point to its results for all their values.
    #[inline]
    pub fn ranges(&self) -> &[Variable] {
        &self.ranges
    }

    /// The runtime variables.
    #[inline]
    pub fn runtime(&self) -> &[RuntimeVariable] {
        &self.runtime
    }

    /// The results.
    #[inline]
    pub fn results(&self) -> &[Expr] {
        &self.results
    }

    /// The constraints, in order.
    #[inline]
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// False if the map is an over-approximation: the true set of elements is a subset.
    #[inline]
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Changes what the map is made of, and checks it then.
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut Parts) -> T) -> T {
        let mut parts = Parts {
            dims: std::mem::take(&mut self.dims),
            ranges: std::mem::take(&mut self.ranges),
            runtime: std::mem::take(&mut self.runtime),
            results: std::mem::take(&mut self.results),
            constraints: std::mem::take(&mut self.constraints),
            exact: self.exact,
        };
        let value = change(&mut parts);
        *self = IndexingMap {
            dims: parts.dims,
            ranges: parts.ranges,
            runtime: parts.runtime,
            results: parts.results,
            constraints: parts.constraints,
            exact: parts.exact,
            state: std::mem::take(&mut self.state),
        }
        .checked();
        value
    }

    /// The map with its state set to what [`IndexingMap::check`] finds.
    pub(crate) fn checked(mut self) -> Self {
        self.check();
        self
    }

    /// Sets the state of a map that is neither empty nor unknown for good.
    pub(crate) fn check(&mut self) {
        if matches!(self.state, State::Known | State::Incomplete(_)) {
            self.state = (self.missing()).map_or(State::Known, State::Incomplete);
        }
    }

    /// Adds range variables over `[0, size - 1]`.
    #[must_use]
    pub fn with_ranges(mut self, sizes: &[i64]) -> Self {
        self.ranges
            .extend(sizes.iter().map(|n| Variable::of_size(*n)));
        self.checked()
    }

    /// Adds a range variable.
    #[must_use]
    pub fn with_range(mut self, variable: impl Into<Variable>) -> Self {
        self.ranges.push(variable.into());
        self.checked()
    }

    /// Adds a runtime variable.
    #[must_use]
    pub fn with_runtime(mut self, variable: RuntimeVariable) -> Self {
        self.runtime.push(variable);
        self.checked()
    }

    /// Adds a constraint.
    #[must_use]
    pub fn with_constraint(mut self, expr: Expr, interval: Interval) -> Self {
        self.constraints.push(Constraint { expr, interval });
        self.checked()
    }

    /// The dimension variables, to change their names and intervals.
    #[inline]
    pub fn dims_mut(&mut self) -> &mut [Variable] {
        &mut self.dims
    }

    /// The range variables, to change their names and intervals.
    #[inline]
    pub fn ranges_mut(&mut self) -> &mut [Variable] {
        &mut self.ranges
    }

    /// Marks the map as an over-approximation, or as none.
    #[must_use]
    pub fn with_exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// Says whether the map is exact: see [`IndexingMap::is_exact`].
    pub fn set_exact(&mut self, exact: bool) {
        self.exact = exact;
    }

    /// Puts other results in the place of those there are.
    pub fn set_results(&mut self, results: Vec<Expr>) {
        self.results = results;
        self.check();
    }

    /// Puts other range variables in the place of those there are.
    pub fn set_ranges(&mut self, ranges: Vec<Variable>) {
        self.ranges = ranges;
        self.check();
    }

    /// Puts another expression in the place of each result and constraint.
    pub fn map_expressions(&mut self, mut new: impl FnMut(&Expr) -> Expr) {
        self.rewrite(&mut new);
        self.check();
    }

    /// As [`IndexingMap::map_expressions`], without a check.
    pub(crate) fn rewrite(&mut self, new: &mut impl FnMut(&Expr) -> Expr) {
        let constrained = self.constraints.iter_mut().map(|k| &mut k.expr);
        for expr in self.results.iter_mut().chain(constrained) {
            *expr = new(expr);
        }
    }

    /// Adds a result.
    pub fn push_result(&mut self, result: Expr) {
        self.results.push(result);
        self.check();
    }

    /// Adds a constraint.
    pub fn push_constraint(&mut self, constraint: Constraint) {
        self.constraints.push(constraint);
        self.check();
    }

    /// Adds a range variable; returns what an expression says for it.
    pub fn push_range(&mut self, variable: impl Into<Variable>) -> Expr {
        let position = self.ranges.len();
        self.ranges.push(variable.into());
        self.check();
        s(position)
    }

    /// Adds a runtime variable; returns what an expression says for it.
    pub fn push_runtime(&mut self, variable: RuntimeVariable) -> Expr {
        let position = self.runtime.len();
        self.runtime.push(variable);
        self.check();
        rt(position)
    }

    /// Tells whether the map is a function, known to be empty, or unknown.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// True if no point is *known* to be in the domain. `false` has proved nothing.
    pub fn is_known_empty(&self) -> bool {
        self.state == State::Empty
    }

    /// The reason, if nothing is known.
    pub fn unknown_reason(&self) -> Option<Cow<'_, str>> {
        match &self.state {
            State::Unknown(reason) => Some(reason.into()),
            State::Incomplete(error) => Some(error.to_string().into()),
            _ => None,
        }
    }

    /// True for a function on a domain: neither known to be empty nor unknown.
    pub fn is_known(&self) -> bool {
        matches!(self.state, State::Known)
    }

    /// Declares the map empty; the arity stays, the results and constraints go.
    #[must_use]
    pub fn into_known_empty(mut self) -> Self {
        self.constraints.clear();
        for r in &mut self.results {
            *r = crate::expr::c(0);
        }
        for v in self.dims.iter_mut().chain(&mut self.ranges) {
            v.interval = Interval::EMPTY;
        }
        for v in &mut self.runtime {
            v.interval = Interval::EMPTY;
        }
        self.state = State::Empty;
        self
    }

    /// True if a domain has to be printed.
    pub(crate) fn has_domain(&self) -> bool {
        !self.constraints.is_empty() || self.intervals().any(|i| i != Interval::FULL)
    }

    /// The intervals of all variables: dimensions, ranges, runtime.
    pub fn intervals(&self) -> impl Iterator<Item = Interval> + '_ {
        self.dims
            .iter()
            .chain(&self.ranges)
            .map(|v| v.interval)
            .chain(self.runtime.iter().map(|v| v.interval))
    }

    /// The number of variables of all kinds.
    pub fn variable_count(&self) -> usize {
        self.dims.len() + self.ranges.len() + self.runtime.len()
    }

    /// The number of operations of the results, counted as binary nodes of the text.
    pub fn operation_count(&self) -> usize {
        let counts = self.results.iter().map(Expr::operation_count);
        counts.fold(0, usize::saturating_add)
    }

    /// All expressions: results, then constraints.
    pub(crate) fn expressions(&self) -> Vec<Expr> {
        self.results
            .iter()
            .cloned()
            .chain(self.constraints.iter().map(|k| k.expr.clone()))
            .collect()
    }

    /// The variable that occurs and is not there, or what does not fit of an index map.
    fn missing(&self) -> Option<MapError> {
        let counts = [self.dims.len(), self.ranges.len(), self.runtime.len()];
        let constrained = self.constraints.iter().map(|k| &k.expr);
        for e in self.results.iter().chain(constrained) {
            for (i, list) in ["dimension", "range", "runtime"].into_iter().enumerate() {
                let (needs, count) = (e.needs()[i] as usize, counts[i]);
                if needs > count {
                    return Some(MapError::MissingVariable {
                        list,
                        position: needs - 1,
                        count,
                    });
                }
            }
        }
        for (variable, v) in self.runtime.iter().enumerate() {
            let Some(index) = &v.origin.index else {
                continue;
            };
            let (own, count) = (index.dims.len(), self.dims.len());
            if index.is_known() && own != count {
                return Some(MapError::DimensionsOfIndex {
                    variable,
                    own,
                    count,
                });
            }
            if index.ranges.len() > self.ranges.len() || index.runtime.len() > self.runtime.len() {
                return Some(MapError::VariablesOfIndex(variable));
            }
            if let State::Incomplete(error) = &index.state {
                return Some(MapError::Index(variable, Box::new(error.clone())));
            }
        }
        None
    }

    /// Checks that the map is complete and that no constant divisor is zero, here and in the index
    /// maps of runtime variables.
    ///
    /// # Errors
    /// What is wrong.
    pub fn verify(&self) -> Result<(), MapError> {
        match &self.state {
            State::Known => {}
            State::Incomplete(error) => return Err(error.clone()),
            _ => return Ok(()),
        }
        let program = Program::new(&self.expressions());
        let divides = |instr: &Instr| {
            matches!(*instr, Instr::Binary(Op::FloorDiv | Op::CeilDiv | Op::Mod, _, b)
                if program.instrs[b as usize] == Instr::Constant(0))
        };
        if program.instrs.iter().any(divides) {
            return Err(MapError::ZeroDivisor);
        }
        for (variable, v) in self.runtime.iter().enumerate() {
            if let Some(index) = &v.origin.index {
                (index.verify()).map_err(|e| MapError::Index(variable, Box::new(e)))?;
            }
        }
        Ok(())
    }

    /// Replaces the variables of all results, constraints and index maps of runtime variables.
    pub(crate) fn replace_variables(&mut self, f: &mut dyn FnMut(&ExprKind) -> Expr) {
        let mut new = replace_all(&self.expressions(), f);
        let constraints = new.split_off(self.results.len());
        self.results = new;
        for (k, e) in self.constraints.iter_mut().zip(constraints) {
            k.expr = e;
        }
    }
}
