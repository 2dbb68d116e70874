//! `tarray` to StableHLO: arrays become one packed buffer of leaves and offsets, and bodies of
//! loops the operations on all elements at once.
//!
//! - [`form`]: what a value is made of; [`room`]: how much room buffers have; [`elements`]:
//!   elements of arrays taken out and put together; [`make`]: StableHLO operations;
//! - [`emit`]: programs operation by operation; [`shapes`], [`arrays`], [`access`], [`loops`],
//!   [`reduce`], [`choose`]: the operations of each family;
//! - [`at_once`], [`batch`]: a body for all elements at once; [`sizes`], [`follow`]: tensors of
//!   sizes that are known at run time only;
//! - [`flatten`], [`lists`], [`stacked`], [`in_turn`]: loops over lists of different lengths,
//!   without padding;
//! - [`vectorize`]: functions of elements of arrays, which become loops.
//!
//! At the border of a function an array is its buffer and a vector of offsets for each level, from
//! the outermost.

mod access;
mod arrays;
mod at_once;
mod batch;
mod choose;
mod elements;
mod emit;
mod flatten;
mod follow;
mod form;
mod in_turn;
mod lifted;
mod lists;
mod loops;
pub(crate) mod make;
mod reduce;
mod room;
mod shapes;
pub(crate) mod sizes;
mod stacked;
mod vectorize;

pub use form::levels;

use crate::rewrite::{Result, fail};
use emit::Emitter;
use mapwright_mlir::{Attr, Builder, Op, Ty, ValueType, attr, edit};
use mapwright_ops::typing::signature;
use std::collections::HashMap;

/// Rewrites every function of `module` in which there is an operation or a type of the language.
/// Returns how many there were.
///
/// # Errors
/// What cannot be done with tensors of static shape.
pub fn legalize<'c>(module: Op<'c>) -> Result<'c, usize> {
    legalize_with(module, Options::default())
}

/// Options of the legalisation of arrays.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Packing of arrays: which have room for as many elements as their maxima ask for, so that
    /// loops go through all of it, and which are what is there.
    pub packing: Packing,
    /// Loops are distributed over the operations of their bodies; otherwise the whole body is done
    /// for one element after the other.
    pub distribution: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            packing: Packing::Large,
            distribution: true,
        }
    }
}

/// The name of [`Options::distribution`] where it is switched off.
pub const DISTRIBUTION: &str = "distribution";
/// The name of [`Options::packing`] where it is switched off.
pub const BATCHING: &str = "batching";

impl Options {
    /// Default options without those in `disabled`.
    pub fn without(disabled: &[String]) -> Self {
        let on = |name: &str| disabled.iter().all(|other| other != name);
        Self {
            packing: if on(BATCHING) {
                Packing::Large
            } else {
                Packing::Never
            },
            distribution: on(DISTRIBUTION),
        }
    }
}

/// See [`Options::packing`]: which arrays are what is there of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Arrays whose maxima ask for much room. At the border of a function all arrays are packed.
    Large,
    /// All.
    Always,
    /// Arrays without maxima alone.
    Never,
    /// As [`Packing::Never`], also at the border of a function.
    Fixed,
}

/// [`legalize`] with options.
///
/// # Errors
/// What cannot be done with tensors of static shape.
pub fn legalize_with<'c>(module: Op<'c>, options: Options) -> Result<'c, usize> {
    let functions: Vec<Op<'c>> = module
        .descendants()
        .into_iter()
        .filter(|op| op.name() == "func.func")
        .collect();
    let named: HashMap<String, Op<'c>> = functions
        .iter()
        .filter_map(|function| Some((function.string("sym_name")?, *function)))
        .collect();
    let affected: Vec<Op<'c>> = functions
        .into_iter()
        .filter(|function| is_affected(*function))
        .collect();
    for function in &affected {
        vectorize::as_loops(*function);
    }
    // What one calls by name is read as it was written, so that all of them are made before any
    // goes.
    for function in &affected {
        rewrite(*function, &named, options)?;
    }
    for function in &affected {
        edit::erase_unused(*function);
    }
    Ok(affected.len())
}

/// Tells whether a function uses tensor arrays or their operations.
fn is_affected(function: Op<'_>) -> bool {
    let (takes, gives) = signature(function).unwrap_or_default();
    takes.iter().chain(&gives).any(form::is_special)
        || function
            .descendants()
            .iter()
            .any(|op| op.dialect() == "tarray")
}

/// A function with tensors alone, in front of `old`.
fn rewrite<'c>(old: Op<'c>, named: &HashMap<String, Op<'c>>, options: Options) -> Result<'c> {
    let Some(b) = Builder::before(old.context(), old) else {
        return fail(old, "is not inside a module");
    };
    let (takes, gives) = signature(old).unwrap_or_default();
    let inputs = crossing(&b, &takes, options.packing);
    let outputs = crossing(&b, &gives, options.packing);
    let ty = b.type_attr(b.function_type(
        &inputs.iter().flatten().copied().collect::<Vec<_>>(),
        &outputs.iter().flatten().copied().collect::<Vec<_>>(),
    ));
    let mut attributes = old.attributes();
    for (name, value) in &mut attributes {
        match *name {
            "function_type" => *value = ty,
            "arg_attrs" => *value = stretched(&b, *value, &inputs),
            "res_attrs" => *value = stretched(&b, *value, &outputs),
            _ => {}
        }
    }
    let region = match old.body(0) {
        None => mapwright_mlir::melior::ir::Region::new(),
        Some(block) => {
            let types: Vec<Ty<'c>> = inputs.iter().flatten().copied().collect();
            let mut outcome = Ok(());
            let region = b.region(&types, |b, arguments| {
                let emitter = Emitter::new(b, named.clone(), options);
                let gives: Vec<Ty<'c>> = outputs.iter().flatten().copied().collect();
                outcome = emitter.function(block, &takes, arguments, &gives);
            });
            outcome?;
            region
        }
    };
    b.op_with_regions("func.func", &[], &[], &attributes, vec![region]);
    Ok(())
}

/// Types of the tensors that stand for each of `types` at the border of a function.
fn crossing<'c>(b: &Builder<'c>, types: &[ValueType], packing: Packing) -> Vec<Vec<Ty<'c>>> {
    let one = |ty: &ValueType| match form::border(ty, packing) {
        Some(parts) => parts
            .iter()
            .map(|ty| b.parse_type(&ty.to_string()))
            .collect(),
        None => vec![b.parse_type(&ty.to_string())],
    };
    types.iter().map(one).collect()
}

/// Number of tensors of a value of this type at the border of a function that was legalised.
pub fn parts_at_border(ty: &ValueType) -> usize {
    form::border(ty, Packing::Always).map_or(1, |parts| parts.len())
}

/// A dictionary for each tensor, where there was one for each value: the first of several has it.
fn stretched<'c>(b: &Builder<'c>, list: Attr<'c>, types: &[Vec<Ty<'c>>]) -> Attr<'c> {
    let empty = b.parse_attr("{}");
    let all: Vec<Attr<'c>> = attr::array(list)
        .unwrap_or_default()
        .into_iter()
        .zip(types)
        .flat_map(|(own, types)| {
            let mut each = vec![empty; types.len()];
            if let Some(first) = each.first_mut() {
                *first = own;
            }
            each
        })
        .collect();
    b.array_attr(&all)
}
