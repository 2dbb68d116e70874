//! Types of StableHLO itself, which stand beside those of `vhlo` in artifacts of mixed dialects:
//! an operation of another dialect keeps its own types.

/// Types: number, name, first version (they have none), parts.
pub(crate) const TYPES: &str = "
 0 token                 -
 1 future                -  types
";
