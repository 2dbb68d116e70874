//! Questions answered from maps alone.
//!
//! - [`strided`]: tensors as shape, strides and offset over a buffer, and the transforms that touch
//!   only these;
//! - [`views`]: is a value a strided view of another, and which operation is the first that must
//!   copy;
//! - [`utilization`]: how many elements of each operand are used, and how often each is read;
//! - [`coalescing`]: strides of every access along a loop order, and bytes of cache lines touched
//!   over bytes used;
//! - [`tiles`]: the tiles of everything upstream of a tile of an output;
//! - [`picture`]: a page that draws a program and what each element reads.
//!
//! Each analysis has a function that answers for one operation (or value) and [`document`] the JSON
//! of `mapwright analyze`.

#![forbid(unsafe_code)]

pub mod coalescing;
pub mod document;
pub mod linear;
pub mod picture;
mod request;
pub mod strided;
pub mod tiles;
pub mod utilization;
pub mod views;
