//! Brings programs into the form that everything downstream reads: StableHLO alone.
//!
//! - [`approx_top_k`]: JAX's call of that name becomes a sort and a slice;
//! - [`canonical`]: operations that change nothing, or undo each other, are taken out;
//! - [`chlo`]: every CHLO operation becomes StableHLO operations;
//! - [`common`]: values that are computed more than once are computed once;
//! - [`differentiate`]: the vector-Jacobian product of a function;
//! - [`frontend`]: what frontends mix into StableHLO, such as operations that travel as custom
//!   calls;
//! - [`fold`]: operations on constants become constants;
//! - [`inline`]: calls become what they call;
//! - [`lapack`]: LAPACK's functions, called by name, become StableHLO operations where there are
//!   such;
//! - [`layouts`]: operands and results of calls by name in the layouts of their functions;
//! - [`legalize`]: operations that are defined by a formula over simpler ones become these;
//! - [`library`]: calls of functions by name are checked;
//! - [`logistic`]: the logistic function in the form that frontends print becomes one operation;
//! - [`mhlo`]: MHLO becomes StableHLO, and back;
//! - [`overlap`]: collectives that may run beside what follows them;
//! - [`scatter_windows`]: windows of scatters that are partly outside of the operand;
//! - [`shapes`]: unknown dimensions are filled in from those of the arguments;
//! - [`sizes`]: names of run-time sizes, equal ones for equal sizes; [`noted`]: what else is noted
//!   beside operations;
//! - [`split`]: reductions and scatters to few results, in two steps;
//! - [`tarray`]: tensor arrays and parallel patterns become StableHLO on packed buffers and
//!   offsets;
//! - [`tokens`]: tokens that cross the border of a program, or are handed to functions of its user;
//! - [`units`]: dimensions of size 1 that operands of products carry, taken away;
//! - [`verify`]: what a rewriting makes is valid.
//!
//! Each is a function over a module (or function) operation; the passes that wrap them are
//! registered with all others.

#![forbid(unsafe_code)]

pub mod approx_top_k;
mod bitcast;
pub mod called;
pub mod canonical;
pub mod chlo;
pub mod cse;
pub mod differentiate;
mod double_double;
mod exchange;
pub mod fold;
pub mod frontend;
pub mod hlo;
pub mod inline;
pub mod lapack;
pub mod layouts;
pub mod legalize;
pub mod library;
pub mod logistic;
mod make;
pub mod mhlo;
pub mod overlap;
pub mod partition;
mod retype;
pub mod rewrite;
pub mod scatter_windows;
pub mod shapes;
pub mod size_annotations;
pub mod sizes;
pub mod split;
pub mod tarray;
pub mod tokens;
pub mod unit_dims;
pub mod verify;
