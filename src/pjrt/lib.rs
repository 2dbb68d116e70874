//! `libmapwright_pjrt.so`: Mapwright behind the PJRT C API, by which JAX compiles and runs its
//! programs.
//!
//! - `border`: everything that is C: records, handles, callbacks, memory that others own, the table
//!   of functions;
//! - `calls`: these functions, each by what it is asked of;
//! - `client`, `topology`, `queue`, `spread`: devices, memories, threads, other processes;
//!   `buffer`, `layout`, `element`, `event`: arrays on them;
//! - `compile`, `options`, `protobuf`, `partition`, `executable`: from a portable artifact to an
//!   executable;
//! - `foreign`, `configuration`, `named`: what functions of the user's find, and named values.

mod border;
mod buffer;
mod calls;
mod client;
mod compile;
mod configuration;
mod element;
mod event;
mod executable;
mod foreign;
mod layout;
mod named;
mod options;
mod partition;
mod protobuf;
mod queue;
mod spread;
mod status;
mod topology;
