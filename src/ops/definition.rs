//! What is said of an operation: the row that its family's table has for it.

use crate::index_rule::{self, IndexRule};
use crate::library;
use crate::query::{Pieces, Query};
use crate::reduction::combination::Combination;
use crate::shape_function::{Preconditions, ShapeFunction};
use crate::typing::check::Rule;
use mapwright_mlir::Op;

/// The dialects whose operations are looked up here.
pub const DIALECTS: [&str; 3] = ["stablehlo", "mhlo", "chlo"];

/// The part that an operation can take in a computation that is fused with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Made of nothing but its index, or always the same.
    Source,
    /// Moves elements: another index, no arithmetic.
    Movement,
    /// Arithmetic on single elements: all operands at the index of the result.
    Elementwise,
    /// Puts together elements of several values, or of places that are known at run time.
    Assembly,
    /// A reduction along dimensions.
    Reduction,
    /// A reduction of windows.
    Window,
    /// A product over contracted dimensions.
    Contraction,
    /// Changes parts of an operand.
    Update,
    /// None of these: control flow, library functions, communication, what is rewritten before.
    Other,
}

/// Effect of an operation besides results that follow from its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing: it is a function of its operands.
    None,
    /// It may never end. Its results are a function of its operands where it does.
    Endless,
    /// Effect of the function that it names.
    Callee,
    /// Something: it draws numbers, communicates, checks, or calls what is not known. Each
    /// execution counts.
    Acts,
}

/// Position of the operands that the sizes of its result follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeOperands {
    /// From the first to the last of these.
    Between(usize, usize),
    /// Last operands, this many of them.
    Last(usize),
    /// Operands that its attribute `indices_of_shape_operands` names.
    Named,
}

/// Meaning of an operation.
#[derive(Clone, Copy)]
pub struct OpDef {
    /// Name without dialect.
    pub name: &'static str,
    /// The family, which is the folder where the functions below are.
    pub family: &'static str,
    /// Elements of an operand that an element of a result is made of: `(query, result, operand)`.
    pub output_to_input: fn(&Query<'_>, usize, usize) -> Pieces,
    /// Elements of a result that an element of an operand goes into: `(query, operand, result)`.
    pub input_to_output: fn(&Query<'_>, usize, usize) -> Pieces,
    /// The result's elements are the operand's, rearranged: it can be a view where the strides
    /// allow it.
    pub is_view: bool,
    /// Effect besides computing its results; [`crate::registry::is_function`] looks at what is
    /// inside of an operation, too.
    pub effect: Effect,
    /// The maps relate `(replica, index…)` to `(replica, index…)`.
    pub across_replicas: bool,
    /// The run-time sizes of its operands are part of the formula; the function itself deals with
    /// dimensions that are not static. For all others the public entry point adds the constraints
    /// of run-time sizes.
    pub handles_sizes: bool,
    /// Its maps are those of the regions or functions that it runs.
    pub runs_regions: bool,
    /// Its region runs for every element of a result, if its operands have elements.
    pub runs_always: bool,
    /// Its part in a computation.
    pub class: Class,
    /// Cost of an element, in simple operations.
    pub cost: f64,
    /// Number of reads of an element of an operand each time the operation is computed.
    pub repeats: fn(Op<'_>, usize) -> f64,
    /// Number of terms that an element of its result is put together from, roughly, if it is.
    pub terms: Option<fn(Op<'_>) -> f64>,
    /// Combination of its operands, if it is associative and commutative but for rounding: a
    /// reduction with it can be split.
    pub combines: Option<Combination>,
    /// Of sums it makes, but for rounding, the sum of what it makes of the summands.
    pub is_additive: bool,
    /// Its results are its first operands with parts changed, which may be done in place.
    pub updates: bool,
    /// Number of operands, from the first, that its results are made of; the others (shapes,
    /// indices) say where. `None`: all of them.
    pub data_operands: Option<usize>,
    /// The operands that the sizes of its result follow from.
    pub size_operands: Option<SizeOperands>,
    /// Shape function: the sizes of its results from its operands, where they may be known at run
    /// time only.
    pub shape_function: Option<ShapeFunction>,
    /// Its sizes do not follow from those of operands alone, or are compared where it runs: what
    /// the type of a result says is not compared.
    pub declares_sizes: bool,
    /// Index rule: the element of an operand that an element of its result is, if it moves
    /// elements.
    pub index_rule: Option<IndexRule>,
    /// Conditions on the sizes of its operands.
    pub preconditions: Option<Preconditions>,
    /// Checks the constraints on it, and finds the types of its results.
    pub rule: Option<Rule>,
    /// The labels of the constraints on the type of each result, on its elements and on its shape;
    /// the last ones hold for all further results. Empty where the specification has none, or the
    /// rule checks them itself.
    pub labels: &'static [[&'static str; 2]],
    /// The label of the constraint on how many results there are.
    pub count_label: &'static str,
    /// The maps of static shapes follow from the types and these attributes alone (no value is
    /// looked at), so operations that agree in them share their maps.
    pub attributes: Option<&'static [&'static str]>,
}

impl OpDef {
    /// An operation with its maps, without inference and verification.
    pub const fn new(
        name: &'static str,
        family: &'static str,
        output_to_input: fn(&Query<'_>, usize, usize) -> Pieces,
        input_to_output: fn(&Query<'_>, usize, usize) -> Pieces,
    ) -> Self {
        Self {
            name,
            family,
            output_to_input,
            input_to_output,
            is_view: false,
            effect: Effect::None,
            across_replicas: false,
            handles_sizes: false,
            runs_regions: false,
            runs_always: false,
            class: Class::Other,
            cost: 1.0,
            repeats: crate::repeats::once,
            terms: None,
            combines: None,
            is_additive: false,
            updates: false,
            data_operands: None,
            size_operands: None,
            shape_function: None,
            declares_sizes: false,
            index_rule: None,
            preconditions: None,
            rule: None,
            labels: &[],
            count_label: "",
            attributes: None,
        }
    }

    /// An operation that only moves elements: its maps are those of its index rule.
    pub const fn of_rule(name: &'static str, family: &'static str, rule: IndexRule) -> Self {
        let maps = (index_rule::output_to_input, index_rule::input_to_output);
        Self::new(name, family, maps.0, maps.1).moving(rule)
    }

    /// Marks a rearrangement of the operand's elements.
    pub const fn view(mut self) -> Self {
        self.is_view = true;
        self
    }

    /// Marks what it does besides computing its results.
    pub const fn does(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    /// Marks maps that include the replica.
    pub const fn replicas(mut self) -> Self {
        self.across_replicas = true;
        self
    }

    /// Marks maps that follow from types and these attributes.
    pub const fn keyed(mut self, attributes: &'static [&'static str]) -> Self {
        self.attributes = Some(attributes);
        self
    }

    /// Marks maps that are those of what it runs.
    pub const fn runs_regions(mut self) -> Self {
        self.runs_regions = true;
        self
    }

    /// Marks a region that runs for every element.
    pub const fn runs_always(mut self) -> Self {
        self.runs_always = true;
        self
    }

    /// Its part in a computation; what only moves elements costs nothing.
    pub const fn class(mut self, class: Class) -> Self {
        self.class = class;
        if matches!(class, Class::Source | Class::Movement) {
            self.cost = 0.0;
        }
        self
    }

    /// Cost of an element.
    pub const fn cost(mut self, cost: f64) -> Self {
        self.cost = cost;
        self
    }

    /// Sets the number of reads of an element of an operand; see [`crate::repeats`].
    pub const fn repeats(mut self, repeats: fn(Op<'_>, usize) -> f64) -> Self {
        self.repeats = repeats;
        self
    }

    /// Sets the number of terms that an element is put together from; see [`crate::repeats`].
    pub const fn terms(mut self, terms: fn(Op<'_>) -> f64) -> Self {
        self.terms = Some(terms);
        self
    }

    /// Marks what is associative and commutative but for rounding.
    pub const fn combines(mut self, what: Combination) -> Self {
        self.combines = Some(what);
        self
    }

    /// Marks what makes sums of sums, term by term.
    pub const fn additive(mut self) -> Self {
        self.is_additive = true;
        self
    }

    /// Marks results that are the first operands with parts changed.
    pub const fn updates(mut self) -> Self {
        self.updates = true;
        self
    }

    /// The operands, from the first, that results are made of: all others only say where.
    pub const fn made_of(mut self, operands: usize) -> Self {
        self.data_operands = Some(operands);
        self
    }

    /// Marks the operands that the sizes of the result follow from.
    pub const fn sized_by(mut self, first: usize, last: usize) -> Self {
        self.size_operands = Some(SizeOperands::Between(first, last));
        self
    }

    /// Marks so many operands, from the last, that the sizes of the result follow from.
    pub const fn sized_by_last(mut self, operands: usize) -> Self {
        self.size_operands = Some(SizeOperands::Last(operands));
        self
    }

    /// Marks the operands that an attribute names as the shapes of the results.
    pub const fn sized_by_named(mut self) -> Self {
        self.size_operands = Some(SizeOperands::Named);
        self
    }

    /// Sets the shape function.
    pub const fn shaped(mut self, function: ShapeFunction) -> Self {
        self.shape_function = Some(function);
        self
    }

    /// Marks sizes that the type of the result says, but for those that the shape function finds.
    pub const fn declares_sizes(mut self) -> Self {
        self.declares_sizes = true;
        self
    }

    /// Sets the index rule.
    pub const fn moving(mut self, rule: IndexRule) -> Self {
        self.index_rule = Some(rule);
        self
    }

    /// Sets the conditions on the sizes of its operands.
    pub const fn requires(mut self, preconditions: Preconditions) -> Self {
        self.preconditions = Some(preconditions);
        self
    }

    /// The rule that checks it; labels of constraints are added by [`OpDef::labelled`] behind it.
    pub const fn checked(mut self, rule: Rule) -> Self {
        self.rule = Some(rule);
        self.labels = &[];
        self
    }

    /// Leaves its types unchecked.
    pub const fn unchecked(mut self) -> Self {
        self.rule = None;
        self.labels = &[];
        self
    }

    /// The labels of the constraints on its results; see [`OpDef::labels`].
    pub const fn labelled(mut self, labels: &'static [[&'static str; 2]]) -> Self {
        self.labels = labels;
        self
    }

    /// The label of the constraint on how many results there are.
    pub const fn counted(mut self, label: &'static str) -> Self {
        self.count_label = label;
        self
    }

    /// The labels of the constraints on result `i`.
    pub fn labels_of_result(&self, i: usize) -> [&'static str; 2] {
        let own = self.labels.get(i).or(self.labels.last());
        own.copied().unwrap_or_default()
    }

    /// Whether operand `i` of `op` is a shape or an amount that the sizes of the result follow
    /// from.
    pub fn is_size_operand(&self, op: Op<'_>, i: usize) -> bool {
        match self.size_operands {
            None => false,
            Some(SizeOperands::Between(first, last)) => (first..=last).contains(&i),
            Some(SizeOperands::Last(n)) => i < op.num_operands() && i + n >= op.num_operands(),
            Some(SizeOperands::Named) => {
                library::shape_operands(op).is_ok_and(|operands| operands.contains(&i))
            }
        }
    }

    /// Tells whether operands of `op` say the sizes of its results.
    pub fn has_size_operands(&self, op: Op<'_>) -> bool {
        (0..op.num_operands()).any(|i| self.is_size_operand(op, i))
    }

    /// Tells whether its maps of static shapes follow from the types, though operands say what
    /// these are.
    pub fn is_view_with_size_operands(&self) -> bool {
        self.size_operands.is_some() && self.is_view
    }

    /// Marks maps that deal with run-time sizes themselves.
    pub const fn sizes(mut self) -> Self {
        self.handles_sizes = true;
        self
    }
}
