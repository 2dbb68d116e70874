//! What operations mean, looked at by name.
//!
//! - [`typing`]: type inference and verification;
//! - [`registry`]: the table of all operations, a line each, in the `mod.rs` of their family;
//! - [`attrs`]: attributes decoded;
//! - [`shape_function`]: how the sizes of results follow, over any domain of sizes;
//! - [`index_rule`]: which elements an operation moves where, over any domain of indices;
//! - [`number`]: what these domains have in common;
//! - [`maps`]: which elements of its operands an element of a result is made of, and the reverse;
//! - [`compose`]: the same over whole programs, from any value to any value;
//! - [`library`]: functions that programs call by name;
//! - [`layout`]: layouts, and maps between arrays in memory.

#![forbid(unsafe_code)]

pub mod affine;
pub mod attrs;
pub mod collective;
pub mod compose;
pub mod contraction;
pub mod control;
mod definition;
pub mod elementwise;
pub mod fold;
pub mod gather;
pub mod hooks;
pub mod index_rule;
mod index_space;
pub mod layout;
pub mod library;
pub mod linalg;
pub mod maps;
pub mod normalization;
mod notes;
pub mod number;
pub mod ordering;
pub mod padding;
pub mod query;
pub mod reduction;
pub mod registry;
pub mod related_sizes;
pub mod repeats;
pub mod schedules;
pub mod shape;
pub mod shape_function;
mod shardy;
pub mod size;
pub mod sizes;
pub mod slicing;
pub mod source;

mod operand_facts;
pub mod symbols;
pub mod tarray;
pub mod typing;
mod upstream;
pub mod window;

pub use compose::Composer;
pub use definition::OpDef;
pub use maps::{
    OperandMaps, ResultMaps, input_to_output, operations, output_to_input, reads_elements,
};
pub use shardy::NOT_PARTITIONED;
pub use tarray::taken::Taken;
