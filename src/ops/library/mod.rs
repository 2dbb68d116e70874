//! Functions that programs call by name (`custom_call`), and the `check` dialect, as far as
//! something here computes them.
//!
//! A target's name says nothing of operands and results, so the dialect's verifier lets every type
//! pass. Whoever computes a call by its name asks [`verify`] before: it checks operands, results
//! and options against what the function does. A target is a row of [`TARGETS`] (LAPACK's are in
//! [`lapack`]); names that have none belong to whoever registers a function for them.

pub mod approx_top_k;
pub mod lapack;
mod run_time_sizes;

pub use run_time_sizes::asserted_comparison;

use crate::layout::Side;
use crate::typing::check::*;
use mapwright_mlir::{Attr, Dim, ElementType, Op, Val, ValueType, attr, melior::ir::ValueLike};

/// Meaning of the function of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Says something about its operand and hands it on.
    Annotation,
    /// Goes from the whole of a tensor to what a partition has of it, or back: with one partition
    /// the two are the same.
    PartitionCast,
    /// Compares its operands.
    Comparison,
    /// A function of LAPACK.
    Lapack,
    /// See [`approx_top_k`].
    ApproxTopK,
    /// An operation with sizes that are known at run time only, or an assertion about sizes.
    RunTimeSizes,
}

/// All targets that are known, but for LAPACK's.
pub const TARGETS: &[(&str, Meaning)] = &[
    ("Sharding", Meaning::Annotation),
    ("LayoutConstraint", Meaning::Annotation),
    ("annotate_device_placement", Meaning::Annotation),
    ("InspectSharding", Meaning::Annotation),
    ("SPMDFullToShardShape", Meaning::PartitionCast),
    ("SPMDShardToFullShape", Meaning::PartitionCast),
    ("check.eq", Meaning::Comparison),
    ("check.expect_eq", Meaning::Comparison),
    ("check.expect_close", Meaning::Comparison),
    ("check.expect_almost_eq", Meaning::Comparison),
    ("ApproxTopK", Meaning::ApproxTopK),
    ("stablehlo.dynamic_approx_top_k", Meaning::ApproxTopK),
    ("stablehlo.dynamic_reduce_window", Meaning::RunTimeSizes),
    ("stablehlo.dynamic_rng_bit_generator", Meaning::RunTimeSizes),
    ("stablehlo.dynamic_top_k", Meaning::RunTimeSizes),
    ("shape_assertion", Meaning::RunTimeSizes),
];

/// Meaning of the function that `op` calls by name; `None` where it calls none, or one that is not
/// known.
pub fn meaning(op: Op<'_>) -> Option<Meaning> {
    if is_comparison_of_two(op) {
        return Some(Meaning::Comparison);
    }
    if !op.is_hlo("custom_call") {
        return None;
    }
    let target = op.string("call_target_name")?;
    let row = TARGETS.iter().find(|(name, _)| *name == target);
    match row {
        Some((_, meaning)) => Some(*meaning),
        None => lapack::find(&target).map(|_| Meaning::Lapack),
    }
}

/// The function by which JAX calls Python with what each device holds
/// (`jax.debug.print(…, partitioned=True)`): XLA knows its partitioning by this name.
const OF_EACH_DEVICE: &str = "xla_ffi_partitioned_python_cpu_callback";

/// True for a call that each device makes with its parts of the operands, and that gives nothing
/// but tokens.
pub fn is_of_each_device(op: Op<'_>) -> bool {
    let gives_tokens = (0..op.num_results()).all(|i| op.result_type(i) == ValueType::Token);
    op.is_hlo("custom_call")
        && gives_tokens
        && op.string("call_target_name").as_deref() == Some(OF_EACH_DEVICE)
}

/// Whether the call gives what follows from its operands, and nothing else. What is not known may
/// do anything, and what the program marks does.
pub fn is_function(op: Op<'_>) -> bool {
    let known = match meaning(op) {
        Some(
            Meaning::Annotation
            | Meaning::PartitionCast
            | Meaning::Lapack
            | Meaning::ApproxTopK
            | Meaning::RunTimeSizes,
        ) => true,
        Some(Meaning::Comparison) | None => false,
    };
    known && op.num_results() > 0 && op.boolean("has_side_effect") != Some(true)
}

/// An operation of the `check` dialect with both values as operands.
fn is_comparison_of_two(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        "check.expect_eq" | "check.expect_almost_eq" | "check.expect_close"
    )
}

/// Checks a call against what its function does, and says what that is; `None` for functions that
/// are not known.
///
/// # Errors
/// Operands, results, or options that the function does not have.
pub fn verify(op: Op<'_>) -> Check<Option<Meaning>> {
    if op.is_hlo("custom_call") {
        shape_operands(op)?;
    }
    let Some(meaning) = meaning(op) else {
        return Ok(None);
    };
    match meaning {
        Meaning::Annotation => annotation(op)?,
        Meaning::PartitionCast => partition_cast(op)?,
        Meaning::Comparison => comparison(op)?,
        Meaning::Lapack => lapack::verify(op)?,
        Meaning::ApproxTopK => approx_top_k::decode(op).map(drop)?,
        Meaning::RunTimeSizes => run_time_sizes::verify(op)?,
    }
    Ok(Some(meaning))
}

/// [`verify`] for every call inside of `root`; the first that is wrong, with what is wrong about
/// it.
///
/// # Errors
/// As [`verify`].
pub fn verify_all<'c>(root: Op<'c>) -> Result<(), (Op<'c>, Violation)> {
    for op in root.descendants() {
        verify(op).map_err(|violation| (op, violation))?;
    }
    Ok(())
}

/// The name that `op` calls, as it is written in messages.
fn target(op: Op<'_>) -> String {
    match op.string("call_target_name") {
        Some(target) => format!("@{target}"),
        None => "it".into(),
    }
}

/// The leading dimensions of operand or result `i`, a tensor of `rank` dimensions, through which
/// the function goes one after the other, each result from the operands at the same place: those of
/// LAPACK's functions, and as many as a call of an unknown function says (`num_batch_dims`, as
/// XLA's partitioner reads it).
pub fn batch(op: Op<'_>, side: Side, i: usize, rank: usize) -> Option<usize> {
    if let Some(own) = lapack::own_rank(op, side, i) {
        return rank.checked_sub(own);
    }
    stated_batch(op).filter(|count| *count <= rank)
}

/// Returns the number of batch dimensions that a call of an unknown function states.
fn stated_batch(op: Op<'_>) -> Option<usize> {
    let stated = attr::entry(op.attribute("mhlo.frontend_attributes")?, "num_batch_dims")?;
    let count = attr::string(stated)?.parse().ok()?;
    (op.is_hlo("custom_call") && meaning(op).is_none()).then_some(count)
}

/// True for a call of a function that is not known, if it says that it goes through a batch, and
/// not that it does something besides.
pub fn states_batch(op: Op<'_>) -> bool {
    stated_batch(op).is_some() && op.boolean("has_side_effect") != Some(true)
}

/// The operands that hold the sizes of results (`indices_of_shape_operands`), in order of the
/// results.
///
/// # Errors
/// A list that does not name a vector of sizes for every result.
pub fn shape_operands(op: Op<'_>) -> Check<Vec<usize>> {
    let name = "indices_of_shape_operands";
    if op.attribute(name).is_none() {
        return Ok(Vec::new());
    }
    let indices = required_ints(op, name)?;
    size_is("", name, &indices, op.num_results())?;
    in_rank("", name, &indices, op.num_operands())?;
    let mut places = Vec::new();
    for (i, index) in indices.into_iter().enumerate() {
        let at = index as usize;
        let sizes = operand(op, at)?;
        ensure!(
            sizes.rank() == 1 && (sizes.element.is_int() || sizes.element == ElementType::Index),
            "",
            "operand #{at} must be a vector of integers, the sizes of result #{i}, is {sizes}"
        );
        let result = result(op, i)?;
        ensure!(
            sizes_agree(sizes.dims[0], Dim::Static(result.rank() as i64)),
            "",
            "operand #{at} must have a size for each of {} dimensions of result #{i}, is {sizes}",
            result.rank()
        );
        if let Some(sizes) = constant_ints(op.operand(at)) {
            let sizes: Vec<Dim> = sizes.into_iter().map(Dim::Static).collect();
            ensure!(
                shapes_agree(&sizes, &result.dims),
                "",
                "operand #{at} says that result #{i} has the sizes {}, its type is {result}",
                shape_text(&sizes)
            );
        }
        places.push(at);
    }
    Ok(places)
}

/// The operands that the function takes: all but those that hold sizes of results.
///
/// # Errors
/// As [`shape_operands`].
pub fn arguments<'c>(op: Op<'c>) -> Check<Vec<Val<'c>>> {
    let sizes = shape_operands(op)?;
    let all = op.operands().into_iter().enumerate();
    Ok(all
        .filter(|(i, _)| !sizes.contains(i))
        .map(|(_, value)| value)
        .collect())
}

fn types(values: &[Val<'_>]) -> Vec<ValueType> {
    values
        .iter()
        .map(|value| ValueType::from_mlir(value.r#type()))
        .collect()
}

/// The configuration, and the attribute that it is.
fn configuration<'c>(op: Op<'c>) -> Option<(&'static str, Vec<(&'c str, Attr<'c>)>)> {
    ["backend_config", "mhlo.backend_config"]
        .into_iter()
        .find_map(|key| Some((key, attr::dictionary(op.attribute(key)?)?)))
}

/// The entry `name` of the configuration.
fn option<'c>(op: Op<'c>, name: &str) -> Option<Attr<'c>> {
    let (_, entries) = configuration(op)?;
    let (_, value) = entries.into_iter().find(|(key, _)| *key == name)?;
    Some(value)
}

/// The configuration with the character `letter` as its entry `name`, which it has, and the
/// attribute that it is.
pub fn with_letter(op: Op<'_>, name: &str, letter: char) -> Option<(&'static str, String)> {
    let (key, entries) = configuration(op)?;
    let entries = entries.iter().map(|(key, value)| {
        if *key == name {
            format!("{key:?} = {} : ui8", u32::from(letter))
        } else {
            format!("{key:?} = {value}")
        }
    });
    let entries: Vec<String> = entries.collect();
    Some((key, format!("{{{}}}", entries.join(", "))))
}

/// The character `name` of the configuration, one of `known`.
///
/// # Errors
/// Another one, or none.
pub fn letter(op: Op<'_>, name: &str, known: &str) -> Check<char> {
    let value = option(op, name)
        .and_then(attr::int)
        .and_then(|code| char::from_u32(u32::try_from(code).ok()?));
    match value {
        Some(letter) if known.contains(letter) => Ok(letter),
        Some(letter) => violation(
            "",
            format!("has the option '{name}' as '{letter}', expected one of {known}"),
        ),
        None => violation(
            "",
            format!("needs the option '{name}' in 'mhlo.backend_config'"),
        ),
    }
}

/// The boolean `name` of the configuration.
///
/// # Errors
/// Another value, or none.
pub fn flag(op: Op<'_>, name: &str) -> Check<bool> {
    match option(op, name).and_then(attr::boolean) {
        Some(value) => Ok(value),
        None => violation(
            "",
            format!("needs the option '{name}' as a boolean in 'mhlo.backend_config'"),
        ),
    }
}

/// The one argument and the one result of a call that hands on.
fn one_to_one(op: Op<'_>) -> Check<(ValueType, ValueType)> {
    let arguments = types(&arguments(op)?);
    let ([from], 1) = (&arguments[..], op.num_results()) else {
        return violation(
            "",
            format!(
                "calls {}, which takes one operand and gives one result, with {} and {}",
                target(op),
                arguments.len(),
                op.num_results()
            ),
        );
    };
    Ok((from.clone(), op.result_type(0)))
}

/// Tells whether a value of the type `from` can be taken for one of the type `to` as it is. Sizes
/// may be forgotten, but not found.
fn goes_as(from: &ValueType, to: &ValueType) -> bool {
    match (from, to) {
        (ValueType::Tensor(from), ValueType::Tensor(to)) => {
            let sizes = || from.dims.iter().zip(&to.dims);
            from.element == to.element
                && from.rank() == to.rank()
                && sizes().all(|(from, to)| from == to || *to == Dim::Dynamic)
        }
        _ => from == to,
    }
}

fn annotation(op: Op<'_>) -> Check {
    let (from, to) = one_to_one(op)?;
    ensure!(
        goes_as(&from, &to),
        "",
        "calls {}, which hands on its operand of the type {from}, with a result of the type {to}",
        target(op)
    );
    Ok(())
}

fn partition_cast(op: Op<'_>) -> Check {
    let (from, to) = one_to_one(op)?;
    let count = partitions(op);
    ensure!(
        count <= 1,
        "",
        "calls {} from {from} to {to}: the program is for {count} partitions ('mhlo.num_partitions'), and runs on one",
        target(op)
    );
    ensure!(
        goes_as(&from, &to),
        "",
        "calls {} from {from} to {to}: with one partition, the types must be the same",
        target(op)
    );
    Ok(())
}

/// The number of partitions that the modules around `op` are for.
fn partitions(op: Op<'_>) -> i64 {
    let mut count = 1;
    let mut at = Some(op);
    while let Some(op) = at {
        if let Some(n) = op.int("mhlo.num_partitions") {
            count = n.max(count);
        }
        at = op.parent();
    }
    count
}

/// Two tensors of one type; as a function it also gives the truth value `true`.
fn comparison(op: Op<'_>) -> Check {
    let arguments = types(&arguments(op)?);
    let [actual, expected] = &arguments[..] else {
        return violation(
            "",
            format!(
                "calls {}, which takes two operands, with {}",
                target(op),
                arguments.len()
            ),
        );
    };
    let both = match (actual, expected) {
        (ValueType::Tensor(actual), ValueType::Tensor(expected)) => {
            actual.element == expected.element && shapes_agree(&actual.dims, &expected.dims)
        }
        _ => false,
    };
    ensure!(
        both,
        "",
        "compares tensors of one type, has operands of the types {actual} and {expected}"
    );
    let truth = |ty: &ValueType| {
        let tensor = ty.tensor();
        tensor.is_some_and(|t| t.rank() == 0 && t.element == ElementType::Bool)
    };
    let results: Vec<ValueType> = (0..op.num_results()).map(|i| op.result_type(i)).collect();
    ensure!(
        results.is_empty() || (results.len() == 1 && truth(&results[0])),
        "",
        "calls {}, which gives nothing or one truth value, with results of the types {}",
        target(op),
        list(&results)
    );
    Ok(())
}
