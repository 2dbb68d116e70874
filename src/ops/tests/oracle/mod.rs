//! The maps of every family against the specification; see `harness.rs`.

mod bounded;
mod collective;
mod contraction;
mod control;
mod dynamic;
mod elementwise;
mod every;
mod folding;
mod gather;
mod harness;
mod linalg;
mod relayout;
mod rules;
mod scan;
mod shape;
mod slicing;
mod source;
mod upstream;
mod window;
