//! What is wrong with a map, or with what is asked of one.

use std::fmt;

/// Why a map makes no sense, or cannot be changed as it should be.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MapError {
    /// A constant divisor is zero.
    ZeroDivisor,
    /// A variable occurs that is in no list.
    MissingVariable {
        /// Its list: `dimension`, `range` or `runtime`.
        list: &'static str,
        /// Its position there.
        position: usize,
        /// Length of the list.
        count: usize,
    },
    /// The index map of a runtime variable has other dimensions than the map.
    DimensionsOfIndex {
        /// The position of the runtime variable.
        variable: usize,
        /// Number of dimensions of the index map.
        own: usize,
        /// Number of dimensions of the map.
        count: usize,
    },
    /// The index map of the runtime variable of this position has variables that the map lacks.
    VariablesOfIndex(usize),
    /// Something is wrong with the index map of the runtime variable of this position.
    Index(usize, Box<MapError>),
    /// Another map has variables that this one lacks.
    OtherVariables,
    /// Something other than a variable is asked for as one.
    NoVariable,
    /// A variable of that kind does not stand at this position, counted from 1; there are `count`.
    NotSoMany {
        /// Position that is asked for.
        number: usize,
        /// Number of variables of that kind.
        count: usize,
    },
    /// A list of positions is no permutation.
    NoPermutation {
        /// The list.
        order: Vec<usize>,
        /// Number of things to permute.
        count: usize,
        /// Word for the things that are permuted.
        of: &'static str,
    },
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroDivisor => f.write_str("a divisor is zero"),
            Self::MissingVariable {
                list,
                position,
                count,
            } => write!(
                f,
                "{list} variable {position} does not exist, there are {count}"
            ),
            Self::DimensionsOfIndex {
                variable,
                own,
                count,
            } => write!(
                f,
                "the index of runtime variable {variable} has {own} dimensions, the map has {count}"
            ),
            Self::VariablesOfIndex(variable) => write!(
                f,
                "the index of runtime variable {variable} has variables that the map lacks"
            ),
            Self::Index(variable, error) => {
                write!(f, "in the index of runtime variable {variable}: {error}")
            }
            Self::OtherVariables => f.write_str("the other map has variables that this one lacks"),
            Self::NoVariable => f.write_str("only a variable can be replaced"),
            Self::NotSoMany { number, count } => {
                write!(f, "there are {count} variables of that kind, not {number}")
            }
            Self::NoPermutation { order, count, of } => {
                write!(f, "{order:?} is no permutation of {count} {of}")
            }
        }
    }
}

impl std::error::Error for MapError {}

/// A number of things in words: `counted(1, "result")` is "1 result", `counted(2, "result")` "2
/// results".
///
/// Messages of all crates count by it.
#[must_use]
pub fn counted<N: std::fmt::Display + From<u8> + PartialEq>(count: N, thing: &str) -> String {
    let s = if count == N::from(1) { "" } else { "s" };
    format!("{count} {thing}{s}")
}
