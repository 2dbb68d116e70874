//! The table of all operations: what each of them means, found by name.
//!
//! Adding an operation is one line in the `OPS` of its family's `mod.rs` (and the functions it names). The name is without
//! the dialect: `stablehlo.add` and `mhlo.add` are one entry; operations that only one dialect has are simply there too.

use crate::attrs;
pub use crate::definition::{Class, DIALECTS, OpDef, SizeOperands};
use crate::reduction::combination::Combination;
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

/// Operations on tensor arrays, by their full names: some share one with an operation of [`DIALECTS`].
static ARRAYS: LazyLock<HashMap<&'static str, &'static OpDef>> = LazyLock::new(|| {
    let all = crate::tarray::OPS.iter();
    all.map(|def| (def.name, def)).collect()
});

/// What the operation means; `None` for operations of other dialects and for names nobody knows.
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

/// Does the operation do nothing but compute its results from its operands? Such an operation can be removed when nobody uses
/// them. `false` where that is not known.
pub fn is_pure(op: Op<'_>) -> bool {
    let Some(def) = lookup(op) else { return false };
    let pure = match def.name {
        "tuple" | "get_tuple_element" => true,
        // What they call is not looked into; the generator of `rng` has a state.
        "custom_call" | "call" | "composite" | "rng" => false,
        // A loop may never end.
        "while" => false,
        _ => !def.has_side_effects && !def.across_replicas,
    };
    pure && op
        .descendants()
        .into_iter()
        .all(|inner| inner.name().ends_with(".return") || is_pure(inner))
}

/// Is `op` computed element by element, all operands at the index of the result?
pub fn is_elementwise(op: Op<'_>) -> bool {
    lookup(op).is_some_and(|def| def.class == Class::Elementwise)
}

/// What the computation combines, if it is one operation on its two arguments that is associative and commutative but for rounding.
pub fn combination(computation: Blk<'_>) -> Option<Combination> {
    single_op(computation).and_then(lookup)?.combines
}

/// Is the computation such an operation?
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
