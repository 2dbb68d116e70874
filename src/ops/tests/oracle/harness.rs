//! Checks the maps of one operation against a dependency relation that was written straight from
//! the specification.
//!
//! The relation is a function from a result element to the operand elements that it is made of; it
//! knows nothing of maps and nothing of how attributes are decoded. The maps are evaluated point by
//! point, with runtime variables read from actual values.

use mapwright_indexing::{Evaluator, IndexingMap, RuntimeVariable};
use mapwright_mlir::{Op, melior, op};
use mapwright_ops::Composer;
use melior::ir::Module;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A pseudo-random sequence (SplitMix64), so that every run tests the same cases.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer in `[low, high]`.
    pub fn int(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % ((high - low + 1) as u64)) as i64
    }

    pub fn flag(&mut self) -> bool {
        self.int(0, 1) == 1
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.int(0, from.len() as i64 - 1) as usize].clone()
    }

    /// A size: most often small, sometimes 1, seldom 0.
    pub fn size(&mut self) -> i64 {
        match self.int(0, 19) {
            0 => 0,
            1..=4 => 1,
            _ => self.int(2, 4),
        }
    }

    pub fn shape(&mut self, rank: usize) -> Vec<i64> {
        (0..rank).map(|_| self.size()).collect()
    }

    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.int(0, i as i64) as usize);
        }
        order
    }

    /// Some of `0..n`, in order.
    pub fn subset(&mut self, n: usize) -> Vec<usize> {
        (0..n).filter(|_| self.flag()).collect()
    }
}

pub type Index = Vec<i64>;
/// Elements `(operand, index)` that element `index` of a result is made of.
pub type Relation = Box<dyn Fn(usize, &[i64]) -> Vec<(usize, Index)>>;

/// One operation with the relation that it must have.
pub struct Case {
    /// Types of the function's arguments.
    pub args: Vec<String>,
    /// Functions beside the one with the operation.
    pub functions: String,
    /// Operations before the one that is tested.
    pub prefix: String,
    /// The operation, in generic form, without results.
    pub op: String,
    pub operands: Vec<Vec<i64>>,
    pub results: Vec<Vec<i64>>,
    /// Values of integer arguments, row-major, by argument number.
    pub values: Vec<(usize, Vec<i64>)>,
    /// Shapes of the arguments with values.
    pub relation: Relation,
    /// Operands for which the maps must claim to be exact.
    pub exact: Vec<usize>,
    /// Number of replicas, for collectives: indices then begin with the replica.
    pub replicas: Option<i64>,
}

pub fn shape_type(shape: &[i64], element: &str) -> String {
    let sizes: String = shape.iter().map(|n| format!("{n}x")).collect();
    format!("tensor<{sizes}{element}>")
}

/// A type with run-time sizes where there are bounds of them.
pub fn bounded_type(shape: &[i64], bounds: &[Option<i64>], element: &str) -> String {
    if bounds.iter().all(Option::is_none) {
        return shape_type(shape, element);
    }
    let sizes = shape.iter().zip(bounds).map(|(n, bound)| match bound {
        Some(_) => "?x".into(),
        None => format!("{n}x"),
    });
    let sizes: String = sizes.collect();
    let listed: Vec<String> = bounds
        .iter()
        .map(|bound| bound.map_or("?".into(), |bound| bound.to_string()))
        .collect();
    format!(
        "tensor<{sizes}{element}, #stablehlo.bounds<{}>>",
        listed.join(", ")
    )
}

pub fn array(values: &[i64]) -> String {
    if values.is_empty() {
        return "array<i64>".into();
    }
    let items: Vec<String> = values.iter().map(ToString::to_string).collect();
    format!("array<i64: {}>", items.join(", "))
}

pub fn list(values: impl IntoIterator<Item = impl ToString>) -> String {
    let items: Vec<String> = values.into_iter().map(|v| v.to_string()).collect();
    format!("[{}]", items.join(", "))
}

/// Values in nested lists, as `dense` has them.
fn nested(shape: &[i64], values: &[i64]) -> String {
    match shape {
        [] => values[0].to_string(),
        [_] => list(values),
        [n, rest @ ..] => {
            let size = values.len() / *n as usize;
            list(values.chunks(size).map(|part| nested(rest, part)))
        }
    }
}

/// All indices of a shape, row-major.
pub fn indices(shape: &[i64]) -> Vec<Index> {
    let mut all = vec![vec![]];
    for n in shape {
        all = all
            .into_iter()
            .flat_map(|prefix: Index| (0..*n).map(move |i| [prefix.clone(), vec![i]].concat()))
            .collect();
    }
    all
}

pub fn linear(shape: &[i64], index: &[i64]) -> usize {
    shape.iter().zip(index).fold(0, |at, (n, i)| at * n + i) as usize
}

/// `"stablehlo.name"(%arg0, …) REGIONS {attributes} : (…) -> (…)`.
pub fn generic(
    name: &str,
    operands: &[String],
    types: &[String],
    regions: &str,
    attributes: &str,
    results: &[String],
) -> String {
    format!(
        "\"stablehlo.{name}\"({}) {regions} {{{attributes}}} : ({}) -> ({})",
        operands.join(", "),
        types.join(", "),
        results.join(", ")
    )
}

impl Case {
    /// An operation on arguments of the given shapes and element types.
    pub fn new(
        name: &str,
        operands: &[(Vec<i64>, &str)],
        regions: &str,
        attributes: &str,
        results: &[(Vec<i64>, &str)],
        relation: Relation,
    ) -> Case {
        let types: Vec<String> = operands
            .iter()
            .map(|(shape, element)| shape_type(shape, element))
            .collect();
        let names: Vec<String> = (0..operands.len()).map(|i| format!("%arg{i}")).collect();
        let result_types: Vec<String> = results
            .iter()
            .map(|(shape, element)| shape_type(shape, element))
            .collect();
        Case {
            op: generic(name, &names, &types, regions, attributes, &result_types),
            args: types,
            functions: String::new(),
            prefix: String::new(),
            operands: operands.iter().map(|(shape, _)| shape.clone()).collect(),
            results: results.iter().map(|(shape, _)| shape.clone()).collect(),
            values: Vec::new(),
            relation,
            exact: (0..operands.len()).collect(),
            replicas: None,
        }
    }

    /// The same with a constant for operand `i`, an integer tensor.
    #[must_use]
    pub fn constant(mut self, i: usize, element: &str, values: &[i64]) -> Case {
        let ty = shape_type(&self.operands[i], element);
        let dense = if values.is_empty() {
            String::new()
        } else {
            nested(&self.operands[i], values)
        };
        self.prefix += &format!(
            "%k{i} = \"stablehlo.constant\"() {{value = dense<{dense}> : {ty}}} : () -> {ty}\n"
        );
        self.op = self.op.replacen(&format!("%arg{i}"), &format!("%k{i}"), 1);
        self
    }

    /// The same operation in another dialect.
    #[must_use]
    pub fn dialect(mut self, dialect: &str) -> Case {
        self.op = self
            .op
            .replacen("\"stablehlo.", &format!("\"{dialect}."), 1);
        self
    }

    /// The same with run-time sizes: every dimension for which `bound` says so has a bound beyond
    /// its size. The relation stays that of the sizes.
    #[must_use]
    pub fn bounded(
        mut self,
        name: &str,
        regions: &str,
        attributes: &str,
        bound: impl Fn(i64) -> Option<i64>,
    ) -> Case {
        let ty = |shape: &[i64]| {
            let bounds: Vec<Option<i64>> = shape.iter().map(|n| bound(*n)).collect();
            bounded_type(shape, &bounds, "f32")
        };
        let names: Vec<String> = (0..self.operands.len())
            .map(|i| format!("%arg{i}"))
            .collect();
        self.args = self.operands.iter().map(|shape| ty(shape)).collect();
        let results: Vec<String> = self.results.iter().map(|shape| ty(shape)).collect();
        self.op = generic(name, &names, &self.args, regions, attributes, &results);
        self
    }

    /// The run-time size that a label such as `get_dimension_size(%arg0, 1)` names.
    fn run_time_size(&self, label: &str) -> Option<i64> {
        let (value, dim) = label
            .strip_prefix("get_dimension_size(")?
            .strip_suffix(')')?
            .split_once(", ")?;
        let shape = match value.strip_prefix("%arg") {
            Some(n) => self.operands.get(n.parse::<usize>().ok()?)?,
            None => self.results.get(
                value
                    .split_once('#')
                    .map_or(Some(0), |(_, n)| n.parse().ok())?,
            )?,
        };
        shape.get(dim.parse::<usize>().ok()?).copied()
    }

    fn text(&self) -> String {
        let args: Vec<String> = self
            .args
            .iter()
            .enumerate()
            .map(|(i, ty)| format!("%arg{i}: {ty}"))
            .collect();
        let results = match self.results.len() {
            0 => String::new(),
            n => format!("%r:{n} = "),
        };
        format!(
            "func.func @f({}) {{\n{}\n{results}{}\nreturn\n}}\n{}",
            args.join(", "),
            self.prefix,
            self.op,
            self.functions
        )
    }

    fn indices(&self, shape: &[i64]) -> Vec<Index> {
        match self.replicas {
            Some(n) => indices(&[&[n], shape].concat()),
            None => indices(shape),
        }
    }
}

pub fn context() -> melior::Context {
    let registry = melior::dialect::DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    let context = melior::Context::new();
    context.append_dialect_registry(&registry);
    context.set_allow_unregistered_dialects(true);
    context
}

/// The operation before the terminator of the only function.
pub fn last_operation<'c>(module: &'c Module<'c>) -> Op<'c> {
    let function = op::ops(mapwright_mlir::block(&module.body()))[0];
    let body = op::ops(function.body(0).expect("a body"));
    body[body.len() - 2]
}

/// Pairs `(from, to)` of a list of maps, runtime variables read from `read`.
fn pairs(
    maps: &[IndexingMap],
    read: &dyn Fn(&RuntimeVariable, &[i64]) -> i64,
) -> BTreeSet<(Index, Index)> {
    let mut found = BTreeSet::new();
    for map in maps.iter().filter(|map| map.is_known()) {
        let mut evaluator = Evaluator::new(map);
        let mut indexers: Vec<Option<Evaluator>> = map
            .runtime()
            .iter()
            .map(|v| v.origin.index.as_ref().map(|index| Evaluator::new(index)))
            .collect();
        let lower: Vec<i64> = map
            .dims()
            .iter()
            .chain(map.ranges())
            .map(|v| v.interval.lower)
            .collect();
        let upper: Vec<i64> = map
            .dims()
            .iter()
            .chain(map.ranges())
            .map(|v| v.interval.upper)
            .collect();
        if lower.iter().zip(&upper).any(|(l, u)| l > u) {
            continue;
        }
        let mut point = lower.clone();
        let (mut out, mut at) = (Vec::new(), Vec::new());
        loop {
            let (dims, ranges) = point.split_at(map.dims().len());
            let runtime: Vec<i64> = map
                .runtime()
                .iter()
                .zip(&mut indexers)
                .map(|(variable, indexer)| {
                    let Some(index) = variable.origin.index.as_ref() else {
                        return read(variable, &[]);
                    };
                    let indexer = indexer.as_mut().expect("an origin");
                    let known = indexer
                        .eval(dims, &ranges[..index.ranges().len()], &[], &mut at)
                        .expect("the index of a runtime variable has a value");
                    // Outside the index's domain the point is outside the map's.
                    if known { read(variable, &at) } else { 0 }
                })
                .collect();
            if evaluator
                .eval(dims, ranges, &runtime, &mut out)
                .expect("a value")
            {
                found.insert((dims.to_vec(), out.clone()));
            }
            let Some(i) = (0..point.len()).rev().find(|i| point[*i] < upper[*i]) else {
                break;
            };
            point[i] += 1;
            point[i + 1..].copy_from_slice(&lower[i + 1..]);
        }
    }
    found
}

/// What was checked.
#[derive(Default, Debug)]
pub struct Tally {
    pub cases: usize,
    pub exact: usize,
    pub inexact: usize,
}

/// Checks a case: both directions, as built and simplified.
pub fn check(context: &melior::Context, case: &Case, tally: &mut Tally) {
    let text = case.text();
    let module = Module::parse(context, &text).unwrap_or_else(|| panic!("does not parse:\n{text}"));
    let operation = last_operation(&module);
    let has_rule = super::rules::check(case, operation, &text);
    SEEN.with_borrow_mut(|seen| {
        if let Some(seen) = seen {
            seen.insert(operation.short_name().to_owned());
            if has_rule {
                seen.insert(rule_of(operation.short_name()));
            }
            seen.extend(features(case));
        }
    });
    let read = |variable: &RuntimeVariable, index: &[i64]| -> i64 {
        if let Some(size) = case.run_time_size(&variable.origin.value) {
            return size;
        }
        let number: usize = variable
            .origin
            .value
            .strip_prefix("%arg")
            .and_then(|n| n.parse().ok())
            .unwrap_or_else(|| panic!("a runtime variable of {}:\n{text}", variable.origin.value));
        let (_, values) = case
            .values
            .iter()
            .find(|(i, _)| *i == number)
            .unwrap_or_else(|| {
                panic!("a runtime variable of argument {number}, which has no values:\n{text}")
            });
        let value = values[linear(&case.operands[number], index)];
        {
            let clamp = variable.clamp();
            value.clamp(clamp.lower, clamp.upper)
        }
    };
    // The truth: (result, operand) -> pairs of indices.
    let mut truth: Vec<Vec<BTreeSet<(Index, Index)>>> =
        vec![vec![BTreeSet::new(); case.operands.len()]; case.results.len()];
    for (r, shape) in case.results.iter().enumerate() {
        for index in case.indices(shape) {
            for (operand, at) in (case.relation)(r, &index) {
                truth[r][operand].insert((index.clone(), at));
            }
        }
    }
    tally.cases += 1;
    for simplify in [false, true] {
        let composer = if simplify {
            Composer::new()
        } else {
            Composer::new().without_simplification()
        };
        let forward: Vec<_> = (0..case.operands.len())
            .map(|i| composer.input_to_output(operation, i))
            .collect();
        for (r, truth) in truth.iter().enumerate() {
            let backward = composer.output_to_input(operation, r);
            for (operand, expected) in truth.iter().enumerate() {
                let back = &backward[operand].maps;
                let there = &forward[operand][r].maps;
                let inverse: BTreeSet<_> = pairs(there, &read)
                    .into_iter()
                    .map(|(a, b)| (b, a))
                    .collect();
                compare(
                    case,
                    &text,
                    "output to input",
                    back,
                    &pairs(back, &read),
                    expected,
                    (r, operand),
                    simplify,
                    tally,
                );
                compare(
                    case,
                    &text,
                    "input to output",
                    there,
                    &inverse,
                    expected,
                    (r, operand),
                    simplify,
                    tally,
                );
            }
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn compare(
    case: &Case,
    text: &str,
    direction: &str,
    maps: &[IndexingMap],
    found: &BTreeSet<(Index, Index)>,
    expected: &BTreeSet<(Index, Index)>,
    (result, operand): (usize, usize),
    simplify: bool,
    tally: &mut Tally,
) {
    let exact = maps.iter().all(|map| map.is_exact());
    let unknown = maps.iter().find_map(|map| map.unknown_reason());
    let shown: Vec<String> = maps.iter().map(ToString::to_string).collect();
    let about = format!(
        "{direction}, result {result}, operand {operand}, simplified: {simplify}\n{text}\nvalues {:?}\nmaps:\n  {}",
        case.values,
        shown.join("\n  ")
    );
    assert!(unknown.is_none(), "unknown ({unknown:?}): {about}");
    assert!(!maps.is_empty(), "no map at all: {about}");
    assert!(
        exact || !case.exact.contains(&operand),
        "not exact: {about}"
    );
    let missing: Vec<_> = expected.difference(found).take(5).collect();
    assert!(
        missing.is_empty(),
        "missing {missing:?} (result index, operand index): {about}"
    );
    if exact {
        let more: Vec<_> = found.difference(expected).take(5).collect();
        assert!(
            more.is_empty(),
            "too much {more:?} (result index, operand index): {about}"
        );
        tally.exact += 1;
    } else {
        tally.inexact += 1;
    }
}

thread_local! {
    /// Names of the operations that were checked, while somebody asks.
    static SEEN: RefCell<Option<BTreeSet<String>>> = const { RefCell::new(None) };
}

/// The names (without dialect) of the operations that `f` checks. It checks a part of its cases
/// only.
pub fn checked_by(f: impl FnOnce()) -> BTreeSet<String> {
    SEEN.with_borrow_mut(|seen| *seen = Some(BTreeSet::new()));
    f();
    SEEN.take().unwrap_or_default()
}

/// What [`checked_by`] gives where the index rule of this operation was checked.
pub fn rule_of(name: &str) -> String {
    format!("the index rule of {name}")
}

/// What is special about a case.
fn features(case: &Case) -> Vec<String> {
    let mut found = Vec::new();
    for size in case.operands.iter().flatten().filter(|size| **size < 2) {
        found.push(format!("a size of {size}"));
    }
    // `name = array<i64: 1, 2>`, `name = dense<[[1, 2]]>`, `name = 2 : i64`
    for part in case.op.split(" = ").collect::<Vec<_>>().windows(2) {
        let name = part[0].rsplit([' ', '{']).next().unwrap_or_default();
        // The type of the elements is no number of it.
        let value = part[1].replace("i64", "");
        let value = value.split(['>', '}', ')']).next().unwrap_or_default();
        let numbers: Vec<i64> = value
            .split(|c: char| !c.is_ascii_digit() && c != '-')
            .filter_map(|word| word.parse().ok())
            .collect();
        if name.contains("padding") && numbers.iter().any(|n| *n < 0) {
            found.push("negative padding".into());
        }
        if name == "interior_padding" && numbers.iter().any(|n| *n > 0) {
            found.push("interior padding".into());
        }
        if name == "strides" && numbers.iter().any(|n| *n > 1) {
            found.push("strides above 1".into());
        }
        if name.contains("dilation") && numbers.iter().any(|n| *n > 1) {
            found.push(format!("{name} above 1"));
        }
        if name.ends_with("_group_count") && numbers.iter().any(|n| *n > 1) {
            found.push(format!("{name} above 1"));
        }
    }
    let largest = case.operands.iter().flatten().max().copied().unwrap_or(0);
    for (_, values) in &case.values {
        if values.iter().any(|value| *value < 0) {
            found.push("an index below 0".into());
        }
        if values.iter().any(|value| *value >= largest) {
            found.push("an index beyond the end".into());
        }
    }
    found
}

/// Checks `count` generated cases.
pub fn run(name: &str, count: usize, mut generate: impl FnMut(&mut Rng) -> Case) {
    assert!(count >= 200, "{name} has {count} cases only");
    let count = if SEEN.with_borrow(Option::is_some) {
        count.min(60)
    } else {
        count
    };
    let context = context();
    let mut rng = Rng(name
        .bytes()
        .fold(7u64, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(b))));
    let mut tally = Tally::default();
    for _ in 0..count {
        let case = generate(&mut rng);
        check(&context, &case, &mut tally);
    }
    assert_eq!(tally.cases, count);
    assert!(tally.exact + tally.inexact > 0);
}
