//! Programs evaluated straight from the StableHLO specification: slow, plain, and independent of
//! everything that makes programs fast.
//!
//! It exists to be compared with: no indexing maps, no fusion, no code generation, and nothing of
//! `src/codegen` or `src/runtime`. Only the decoding of attributes is shared
//! (`mapwright_ops::attrs`). One file a family of operations:
//!
//! - [`formats`]: floating-point formats; [`value`]: scalars, tensors, values;
//! - [`elementwise`], `complex`, `quantized`: what operations do to elements;
//! - `shape`: moving elements; `reduce`: folds and windows; `contract`, `ragged`: dot and
//!   convolution; `gather`: computed places;
//! - `order`: sort; `normalization`; `linalg`; `lapack`; `fourier`; `random`; `control`: regions,
//!   calls and checks;
//! - `chlo`: what only CHLO and MHLO have; `process`: replicas and partitions; `extreme`: the
//!   orders of evaluation that are furthest from each other.
//!
//! Operations of tensor arrays (`tarray`) are evaluated by the definitions of their language, under
//! their own names.
//!
//! CHLO and MHLO are legalised before (`src/normalize`), all but [`CHLO`].

#![forbid(unsafe_code)]

pub mod elementwise;
pub mod formats;
pub mod value;

mod check;
mod chlo;
mod complex;
mod contract;
mod control;
mod extreme;
mod fourier;
mod gather;
mod lapack;
mod linalg;
mod normalization;
mod order;
mod pointwise;
mod power;
mod process;
mod quantized;
mod ragged;
mod random;
mod reduce;
mod shape;
mod special;
mod spectral;
mod tarray;

pub use chlo::CHLO;
pub use extreme::Extreme;
pub use random::Generator;
pub use value::{Scalar, Tensor, Value};

use mapwright_mlir::{ElementType, Op, TensorType, Val, ValueType, op};
use std::collections::{BTreeMap, HashMap};

/// Why a program could not be evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{message}", place.as_deref().map(|p| format!("{p}: ")).unwrap_or_default())]
pub struct Error {
    /// Operation and location.
    pub place: Option<String>,
    /// The reason.
    pub message: String,
    /// A `check.*` that does not hold, rather than something that cannot be evaluated.
    pub failed_check: bool,
}

impl Error {
    pub(crate) fn plain(message: impl Into<String>) -> Self {
        Self {
            place: None,
            message: message.into(),
            failed_check: false,
        }
    }

    fn at(mut self, op: Op<'_>) -> Self {
        if self.place.is_none() {
            self.place = Some(format!("'{}' at {}", op.name(), op.location()));
        }
        self
    }
}

impl From<mapwright_ops::attrs::AttrError> for Error {
    fn from(error: mapwright_ops::attrs::AttrError) -> Self {
        Self::plain(error.to_string())
    }
}

/// Result of an evaluation.
pub type Result<T> = std::result::Result<T, Error>;

/// Most elements of a tensor.
const MOST_ELEMENTS: i64 = 1 << 26;

/// Deepest nesting of calls and regions.
const MOST_DEPTH: usize = 200;

/// Refuses shapes that are negative or absurd.
pub(crate) fn limit(shape: &[i64]) -> Result<()> {
    let count = shape
        .iter()
        .try_fold(1i64, |total, n| total.checked_mul(*n).filter(|_| *n >= 0));
    match count {
        Some(count) if count <= MOST_ELEMENTS => Ok(()),
        _ => Err(Error::plain(format!(
            "a tensor of shape {shape:?} is negative or has more than {MOST_ELEMENTS} elements"
        ))),
    }
}

/// Options of an evaluation.
#[derive(Clone, Debug)]
pub struct Options {
    /// Operations that may be executed before the evaluation is given up.
    pub steps: u64,
    /// Moves every result that need not be correctly rounded (transcendental functions, sums in any
    /// order) by a few units in the last place (of the sum of the magnitudes of what is added up),
    /// and folds elements in any order, pseudo-randomly from this seed: what differs between two
    /// seeds is what a program does not determine.
    pub jitter: Option<u64>,
    /// Evaluates in this order what may be evaluated in any, and rounds what comes between to the
    /// type.
    pub extreme: Option<Extreme>,
    /// Generator that `rng` draws from; clones of the options go on with its numbers.
    pub generator: Generator,
    /// Tensors of the infeed, in the order in which it is taken.
    pub infeed: Vec<Tensor>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            steps: 2_000_000_000,
            jitter: None,
            extreme: None,
            generator: Generator::default(),
            infeed: Vec::new(),
        }
    }
}

/// Evaluates function `name` of `module`.
///
/// # Errors
/// An operation that is not defined for its operands, a check that fails, or a limit.
pub fn run(module: Op<'_>, name: &str, inputs: &[Value], options: &Options) -> Result<Vec<Value>> {
    let mut functions = BTreeMap::new();
    for function in module.body(0).map(op::ops).unwrap_or_default() {
        if function.name() == "func.func"
            && let Some(name) = function.string("sym_name")
        {
            functions.insert(name, function);
        }
    }
    let mut machine = Machine {
        functions,
        values: HashMap::new(),
        steps: options.steps,
        depth: 0,
        jitter: options
            .jitter
            .map(|seed| seed.wrapping_mul(2).wrapping_add(1)),
        extreme: options.extreme,
        generator: options.generator.clone(),
        folding: 0,
        probes: BTreeMap::new(),
        process: None,
        world: process::World::fed(options.infeed.clone()),
    };
    machine.call(name, inputs.to_vec())
}

/// The state of an evaluation.
pub(crate) struct Machine<'c> {
    functions: BTreeMap<String, Op<'c>>,
    values: HashMap<usize, Value>,
    steps: u64,
    pub(crate) depth: usize,
    pub(crate) jitter: Option<u64>,
    /// See [`Options::extreme`].
    pub(crate) extreme: Option<Extreme>,
    generator: Generator,
    /// Depth of regions that fold elements in an order the program does not determine.
    pub(crate) folding: usize,
    /// Values that every probe has shown, pass by pass.
    pub(crate) probes: BTreeMap<String, Vec<Value>>,
    /// The process that is evaluated, if the program has several.
    pub(crate) process: Option<process::Process<'c>>,
    pub(crate) world: process::World,
}

impl<'c> Machine<'c> {
    /// Calls a function of the module.
    pub(crate) fn call(&mut self, name: &str, arguments: Vec<Value>) -> Result<Vec<Value>> {
        let Some(function) = self.functions.get(name).copied() else {
            return Err(Error::plain(format!("there is no function @{name}")));
        };
        let Some(block) = function.body(0) else {
            return Err(Error::plain(format!("function @{name} has no body")));
        };
        self.block(block, arguments)
    }

    /// Returns the number of arguments that a function takes.
    pub(crate) fn arity(&self, name: &str) -> Result<usize> {
        let function = self.functions.get(name);
        let block = function.and_then(|f| f.body(0));
        block
            .map(|block| op::arguments(block).len())
            .ok_or_else(|| Error::plain(format!("there is no function @{name}")))
    }

    /// Evaluates a block with these arguments; what its terminator gives.
    pub(crate) fn block(
        &mut self,
        block: mapwright_mlir::Blk<'c>,
        arguments: Vec<Value>,
    ) -> Result<Vec<Value>> {
        let parameters = op::arguments(block);
        if parameters.len() != arguments.len() {
            return Err(Error::plain(format!(
                "{} arguments for a block that takes {}",
                arguments.len(),
                parameters.len()
            )));
        }
        for (parameter, argument) in parameters.into_iter().zip(arguments) {
            self.values.insert(op::key(parameter), argument);
        }
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(Error::plain("calls and regions are nested too deeply"));
        }
        let mut given = Vec::new();
        for op in op::ops(block) {
            if matches!(
                op.name(),
                "func.return" | "stablehlo.return" | "mhlo.return" | "tarray.yield"
            ) {
                given = self.operands(op)?;
                break;
            }
            self.steps = self
                .steps
                .checked_sub(1)
                .ok_or_else(|| Error::plain("the limit of operations is reached"))?;
            let results = self.execute(op).map_err(|error| error.at(op))?;
            if results.len() != op.num_results() {
                return Err(Error::plain("a wrong number of results").at(op));
            }
            for (i, value) in results.into_iter().enumerate() {
                fits(&op.result_type(i), &value).map_err(|error| error.at(op))?;
                self.values.insert(op::key(op.result(i)), value);
            }
        }
        self.depth -= 1;
        Ok(given)
    }

    /// The values of the operands.
    pub(crate) fn operands(&self, op: Op<'c>) -> Result<Vec<Value>> {
        op.operands()
            .into_iter()
            .map(|operand| self.value(operand))
            .collect()
    }

    /// Returns the value of an operand.
    pub(crate) fn value(&self, operand: Val<'c>) -> Result<Value> {
        let found = self.values.get(&op::key(operand)).cloned();
        found.ok_or_else(|| Error::plain("an operand without a value"))
    }

    /// The operands, which are tensors.
    pub(crate) fn tensors(&self, op: Op<'c>) -> Result<Vec<Tensor>> {
        self.operands(op)?
            .into_iter()
            .map(|value| value.tensor().cloned())
            .collect()
    }

    fn execute(&mut self, op: Op<'c>) -> Result<Vec<Value>> {
        // Some of its operations have the names of others.
        if let Some(found) = tarray::execute(self, op)? {
            return Ok(found);
        }
        if let Some(found) = control::execute(self, op)? {
            return Ok(found);
        }
        if let Some(found) = check::execute(self, op)? {
            return Ok(found);
        }
        if let Some(found) = process::execute(self, op)? {
            return Ok(found);
        }
        if let Some(found) = chlo::execute(self, op)? {
            return Ok(found);
        }
        let one = |tensor: Tensor| vec![Value::Tensor(tensor)];
        let name = mapwright_ops::attrs::name(op);
        if let Some(found) = pointwise::execute(self, op, name)? {
            return Ok(one(found));
        }
        let inputs = self.tensors(op)?;
        if let Some(found) = shape::execute(op, name, &inputs)? {
            return Ok(one(found));
        }
        if let Some(found) = gather::execute(op, name, &inputs)? {
            return Ok(one(found));
        }
        if let Some(found) = contract::execute(self, op, name, &inputs)? {
            return Ok(one(found));
        }
        let many = |tensors: Vec<Tensor>| tensors.into_iter().map(Value::Tensor).collect();
        if let Some(found) = reduce::execute(self, op, name, &inputs)? {
            return Ok(many(found));
        }
        if let Some(found) = order::execute(self, op, name, &inputs)? {
            return Ok(many(found));
        }
        if let Some(found) = normalization::execute(self, op, name, &inputs)? {
            return Ok(many(found));
        }
        if let Some(found) = linalg::execute(self, op, name, &inputs)? {
            return Ok(one(found));
        }
        if let Some(found) = fourier::execute(self, op, name, &inputs)? {
            return Ok(one(found));
        }
        if let Some(found) = random::execute(&self.generator, op, name, &inputs)? {
            return Ok(many(found));
        }
        if op.name() == "sdy.manual_computation" {
            return Err(Error::plain(mapwright_ops::NOT_PARTITIONED));
        }
        Err(Error::plain("is not known to the interpreter"))
    }

    /// Tells whether results are moved.
    pub(crate) fn moves(&self) -> bool {
        self.jitter.is_some()
    }

    /// Puts indices in an order that the program leaves open: as they are, or in any order where
    /// results are to be moved, or by the elements of `of` there.
    pub(crate) fn disorder(
        &mut self,
        mut list: Vec<Vec<i64>>,
        of: impl Fn(&[i64]) -> Option<Scalar>,
    ) -> Vec<Vec<i64>> {
        if let Some(extreme) = self.extreme {
            list.sort_by(|a, b| {
                let key = |i: &[i64]| of(i).map_or(f64::NAN, |x| extreme.key(x));
                key(a).total_cmp(&key(b))
            });
        }
        if let Some(state) = &mut self.jitter {
            for i in (1..list.len()).rev() {
                let j = next_random(state) % (i as u64 + 1);
                list.swap(i, j as usize);
            }
        }
        list
    }

    /// Moves a result that is not determined to the last bit; see [`Options::jitter`]. `scale` is
    /// the magnitude of what was added up.
    pub(crate) fn unsettle(&mut self, element: &ElementType, x: Scalar, scale: f64) -> Scalar {
        let Some(state) = &mut self.jitter else {
            return x;
        };
        let kind = match element {
            ElementType::Float(kind) | ElementType::Complex(kind) => *kind,
            _ => return x,
        };
        let epsilon = match kind {
            mapwright_mlir::FloatKind::F64 => f64::EPSILON,
            mapwright_mlir::FloatKind::F32 => f64::from(f32::EPSILON),
            mapwright_mlir::FloatKind::F16 => 2f64.powi(-10),
            mapwright_mlir::FloatKind::BF16 => 2f64.powi(-7),
            _ => 2f64.powi(-2),
        };
        let mut step = |x: f64, size: f64| {
            // Half a unit to two units, up or down; never nothing, so that a few seeds show how far
            // a result may be moved.
            let bits = next_random(state);
            let part = (bits >> 11) as f64 * formats::power(-53);
            let units = (0.5 + 1.5 * part) * if bits & 1 == 0 { 1.0 } else { -1.0 };
            let moved = x + units * epsilon * size.max(scale);
            if moved.is_finite() { moved } else { x }
        };
        let moved = match x {
            Scalar::Real(x) => Scalar::Real(step(x, x.abs())),
            // An error of either part is relative to the whole.
            Scalar::Complex(re, im) => {
                let size = re.hypot(im);
                Scalar::Complex(step(re, size), step(im, size))
            }
            other => other,
        };
        value::fit(element, moved)
    }
}

/// The next of a sequence of pseudo-random numbers (xorshift).
fn next_random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    // The low bits of a xorshift are the weakest.
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
}

/// The type of result `i`, which is a tensor.
pub(crate) fn result(op: Op<'_>, i: usize) -> Result<TensorType> {
    match op.result_type(i) {
        ValueType::Tensor(tensor) => Ok(tensor),
        other => Err(Error::plain(format!("result {i} has the type {other}"))),
    }
}

/// Checks that a value has the type that the program says.
fn fits(ty: &ValueType, value: &Value) -> Result<()> {
    match (ty, value) {
        (ValueType::Array { element, max }, Value::Array(elements)) => {
            if elements.len() as i64 > *max {
                return Err(Error::plain(format!(
                    "gives an array of {} elements where its type is {ty}",
                    elements.len()
                )));
            }
            return elements.iter().try_for_each(|value| fits(element, value));
        }
        (ValueType::Shape(rank), Value::Shape(sizes)) if sizes.len() == *rank => return Ok(()),
        (ValueType::Array { .. } | ValueType::Shape(_), _) => {
            return Err(Error::plain(format!(
                "gives something else than its type says, {ty}"
            )));
        }
        _ => {}
    }
    let (ValueType::Tensor(ty), Value::Tensor(tensor)) = (ty, value) else {
        return Ok(());
    };
    let sizes = ty.rank() == tensor.rank()
        && ty.dims.iter().zip(&tensor.shape).all(|(dim, n)| match dim {
            mapwright_mlir::Dim::Static(m) => n == m,
            mapwright_mlir::Dim::Bounded(m) => n <= m,
            mapwright_mlir::Dim::Dynamic => true,
        });
    if sizes && ty.element == tensor.element {
        Ok(())
    } else {
        Err(Error::plain(format!(
            "gives {} where its type is {ty}",
            tensor.ty()
        )))
    }
}
