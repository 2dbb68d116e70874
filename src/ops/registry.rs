//! The table of all operations: what each of them means, found by name.
//!
//! Adding an operation is one line in the `OPS` of its family's `mod.rs` (and the functions it
//! names). The name is without the dialect: `stablehlo.add` and `mhlo.add` are one entry;
//! operations that only one dialect has are simply there too.

use crate::attrs;
pub use crate::definition::{Class, DIALECTS, Effect, OpDef, SizeOperands};
use crate::library;
use crate::reduction::combination::Combination;
use crate::symbols::find_function;
use mapwright_mlir::{Blk, Op, computation::single_op};
use std::collections::HashMap;
use std::sync::LazyLock;

/// All families.
fn families() -> Vec<&'static [OpDef]> {
    vec![
        crate::elementwise::OPS,
        crate::source::OPS,
        crate::shape::OPS,
        crate::slicing::OPS,
        crate::padding::OPS,
        crate::reduction::OPS,
        crate::window::OPS,
        crate::contraction::OPS,
        crate::gather::OPS,
        crate::normalization::OPS,
        crate::ordering::OPS,
        crate::linalg::OPS,
        crate::collective::OPS,
        crate::control::OPS,
        crate::size::OPS,
    ]
}

static TABLE: LazyLock<HashMap<&'static str, &'static OpDef>> = LazyLock::new(|| {
    families()
        .into_iter()
        .flatten()
        .map(|def| (def.name, def))
        .collect()
});

/// Operations on tensor arrays, by their full names: some share one with an operation of
/// [`DIALECTS`].
static ARRAYS: LazyLock<HashMap<&'static str, &'static OpDef>> = LazyLock::new(|| {
    let all = crate::tarray::OPS.iter();
    all.map(|def| (def.name, def)).collect()
});

/// Definition of the operation; `None` for operations of other dialects and for names nobody knows.
pub fn lookup(op: Op<'_>) -> Option<&'static OpDef> {
    if DIALECTS.contains(&op.dialect()) {
        return by_name(attrs::name(op));
    }
    match op.name() {
        "func.call" => by_name("call"),
        name if op.dialect() == "tarray" => ARRAYS.get(name).copied(),
        _ => None,
    }
}

/// As [`lookup`], for operations that have maps and nothing else here: regions, and in mixed
/// modules those of MLIR's own dialects.
pub fn mapped(op: Op<'_>) -> Option<&'static OpDef> {
    match lookup(op) {
        Some(def) => Some(def),
        None if DIALECTS.contains(&op.dialect()) => None,
        None if op.name() == "indexing.fusion" => by_name("fusion"),
        None => crate::upstream::lookup(op),
    }
}

/// Whether the results of the operation are a function of its operands, and giving them is all that
/// it does. No other operation is moved to where it is executed more or less often, merged with its
/// like, made again, or put into a region. `false` where that is not known.
pub fn is_function(op: Op<'_>) -> bool {
    effect(op) <= Effect::Endless
}

/// Whether it is a function of its operands that always ends. Such an operation can be removed when
/// nobody uses its results.
pub fn is_pure(op: Op<'_>) -> bool {
    effect(op) == Effect::None
}

/// Returns the effect of the operation, with what it holds and calls.
fn effect(op: Op<'_>) -> Effect {
    let all = std::iter::once(op).chain(op.descendants());
    greatest(all, &mut HashMap::new())
}

/// Tells whether one of these operations, or what it calls, does more than compute its results.
pub fn acts<'c>(ops: impl IntoIterator<Item = Op<'c>>) -> bool {
    greatest(ops, &mut HashMap::new()) == Effect::Acts
}

/// The greatest effect of these operations; `known` has that of functions.
fn greatest<'c>(
    ops: impl IntoIterator<Item = Op<'c>>,
    known: &mut HashMap<Op<'c>, Effect>,
) -> Effect {
    let own = ops.into_iter().filter(|op| !ends_region(*op)).map(|op| {
        let own = lookup(op).map_or(Effect::Acts, |def| def.effect);
        match own {
            Effect::Callee => of_callee(op, known),
            own => own,
        }
    });
    own.max().unwrap_or(Effect::None)
}

fn of_callee<'c>(op: Op<'c>, known: &mut HashMap<Op<'c>, Effect>) -> Effect {
    let name = op.symbol("callee").or_else(|| op.symbol("decomposition"));
    let function = match name {
        Some(name) => find_function(op, &name),
        None if library::is_function(op) => match attrs::called_function(op) {
            Ok(function) => Some(function),
            Err(_) => return Effect::None,
        },
        None => None,
    };
    let Some(function) = function.filter(|function| function.body(0).is_some()) else {
        return Effect::Acts;
    };
    if let Some(known) = known.get(&function) {
        return *known;
    }
    // One that calls itself may do so for ever.
    known.insert(function, Effect::Endless);
    let found = greatest(function.descendants(), known);
    known.insert(function, found);
    found
}

/// Tells whether the operation only ends the region around it.
fn ends_region(op: Op<'_>) -> bool {
    [".return", ".yield"]
        .iter()
        .any(|end| op.name().ends_with(end))
}

/// Whether `op` is computed element by element, all operands at the index of the result.
pub fn is_elementwise(op: Op<'_>) -> bool {
    lookup(op).is_some_and(|def| def.class == Class::Elementwise)
}

/// Combination of the computation, if it is one operation on its two arguments that is associative
/// and commutative but for rounding.
pub fn combination(computation: Blk<'_>) -> Option<Combination> {
    single_op(computation).and_then(lookup)?.combines
}

/// Whether the computation is such an operation.
pub fn combines(computation: Blk<'_>) -> bool {
    combination(computation).is_some()
}

/// The entry for a name without dialect.
pub fn by_name(name: &str) -> Option<&'static OpDef> {
    TABLE.get(name).copied()
}

/// The entries of MLIR's own operations that are told by their (full) names.
pub fn upstream() -> impl Iterator<Item = &'static OpDef> {
    crate::upstream::OPS.iter()
}

/// All entries, families in their order.
pub fn all() -> impl Iterator<Item = &'static OpDef> {
    families().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_name_is_there_twice() {
        let mut names: Vec<_> = super::all().map(|def| def.name).collect();
        let n = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n);
    }
}
