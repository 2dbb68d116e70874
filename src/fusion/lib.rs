//! Which operations run as one loop nest, and why.
//!
//! - [`node`]: what one element of a value is made of, at an index in loop variables;
//! - [`composed`]: composed maps, simplified;
//! - [`role`]: what part an operation can take, and what it costs;
//! - [`group`]: a region while it grows;
//! - [`plan`]: the plan of a block;
//! - [`inputs`]: what a region reads from outside;
//! - [`overwritten`]: who reads what others overwrite in place, and when;
//! - [`chain`]: products with work on rows between them as one region;
//! - [`switches`]: parts of the plan that can be switched off;
//! - [`form`]: the plan made IR.

#![forbid(unsafe_code)]

pub mod chain;
pub mod composed;
pub mod condition;
pub mod group;
pub mod inputs;
pub mod node;
pub mod outline;
pub mod overwritten;
pub mod plan;
pub mod read;
pub mod role;
mod spans;
pub mod switches;
