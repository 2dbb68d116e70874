//! Indexing maps: which elements of one tensor an element of another is made of.
//!
//! A map `f(d, s, rt)` takes an index of tensor A to indices of tensor B. *Dimension* variables `d`
//! run over A's index space, *range* variables `s` make the map one-to-many (a reduced dimension, a
//! window), *runtime* variables `rt` are values read while the program runs. Every variable has a
//! closed interval, and constraints `expr in [lower, upper]` restrict the domain further.
//! `exact = false` means an over-approximation. *Known empty* and *unknown (reason)* are values.
//! There is no MLIR here, no IO, and no state besides the arguments (but see [`verify`]).
//!
//! # Building maps
//!
//! ```
//! use mapwright_indexing::{IndexingMap, Interval, RuntimeVariable, c, d, rt, s};
//!
//! // dot: (d0, d1)[s0] -> (d0, s0) over a result of 4x64 and a contracted dimension of 256.
//! let lhs = IndexingMap::from_dims(&[4, 64], [d(0), s(0)]).with_ranges(&[256]);
//! assert_eq!(lhs.to_string(), "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 63], s0 in [0, 255]");
//!
//! // A slice seen from its operand, with constraints.
//! let slice = IndexingMap::new(vec![Interval::new(3, 17).into()], vec![(d(0) - 3).floor_div(7)])
//!     .with_constraint((d(0) - 3).modulo(7), Interval::point(0));
//! assert_eq!(slice.eval(&[10], &[], &[]), Ok(Some(vec![1])));
//! assert_eq!(slice.eval(&[11], &[], &[]), Ok(None)); // not in the domain
//!
//! // A dynamic slice: the start is read from %arg1, at the index that the inner map gives, and clamped to [0, 5].
//! let start = RuntimeVariable::new(Interval::new(0, 5), "%arg1", Some(IndexingMap::from_dims(&[8], [])));
//! let dynamic = IndexingMap::from_dims(&[8], [d(0) + rt(0)]).with_runtime(start);
//! assert_eq!(dynamic.to_string(), "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 7], rt0 in [0, 5]");
//! # let _ = c(1);
//! ```
//!
//! # Text
//!
//! One grammar for attributes, tests and commands; [`IndexingMap`] implements `FromStr` and
//! `Display`.
//!
//! ```
//! use mapwright_indexing::IndexingMap;
//! let map: IndexingMap = "(row, d1)[s0] -> (row * 2 + s0, d1 mod 4), domain: row in [0, 9], d1 in [0, 19], s0 in [0, 1],
//!                         row + s0 in [0, 9]".parse()?;
//! assert_eq!(map.dims()[0].name, "row");
//! let error = "(d0) -> (d0 +)".parse::<IndexingMap>().unwrap_err();
//! assert_eq!(error.to_string(), "column 14: expected a variable, an integer or `(`, found `)`");
//! # Ok::<(), mapwright_indexing::ParseError>(())
//! ```
//!
//! # Composing, simplifying, comparing
//!
//! ```
//! use mapwright_indexing::{IndexingMap, compare, compose, d};
//! // reshape [4, 8] -> [32] and back
//! let out = IndexingMap::from_dims(&[4, 8], [d(0) * 8 + d(1)]);
//! let back = IndexingMap::from_dims(&[32], [d(0).floor_div(8), d(0).modulo(8)]);
//! let round_trip = compose(&out, &back); // first `out`, then `back` on its result
//! assert_eq!(round_trip.simplify(), IndexingMap::identity(&[4, 8]));
//! assert_eq!(compare(&round_trip, &IndexingMap::identity(&[4, 8])).equal, Some(true));
//! ```
//!
//! Expressions mean mathematical integers. Nothing wraps: a value beyond `i64` is an [`EvalError`],
//! and the simplifier gives up precision instead of computing beyond `i64`.

#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;

mod algebra;
mod arena;
#[cfg(feature = "commands")]
pub mod commands;
mod compare;
mod compose;
mod domain;
mod error;
mod expr;
mod extent;
mod interval;
mod inverse;
mod lexer;
pub mod linear;
mod map;
mod parse;
mod print;
mod program;
mod simplify;
mod variables;
pub mod verify;

pub use algebra::{covers, union};
pub use arena::{Arena, ArenaMap, ConstraintList, NodeId};
pub use compare::{CompareBudget, Comparison, compare, compare_variables, compare_within};
pub use compose::compose;
pub use domain::{Evaluator, Point};
pub use error::{MapError, counted};
pub use expr::{Expr, ExprKind, Op, c, d, rt, s};
pub use extent::{Extent, Factor};
pub use interval::Interval;
pub use lexer::{ParseError, is_variable_name};
pub use map::{Constraint, IndexingMap, Origin, Parts, RuntimeVariable, State, Variable};
pub use program::EvalError;
pub use simplify::{RULES, Rule, Simplified, Simplifier, Step};
pub use variables::VariableMapping;
