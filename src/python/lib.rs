//! `mapwright_hlo._native`: what the Python package of `python/mapwright_hlo` is made of.
//!
//! Sources come as bytes and answers go as JSON, which the package makes objects of; maps ([`map`])
//! and compiled programs ([`program`]) are objects here. The interpreter's lock is released while
//! anything is parsed, compiled or run. What is wrong is an exception of the package's class
//! `Error`, which takes the diagnostics apart; a panic is one as well.

#![forbid(unsafe_code)]

// The library that is linked for the wheel is JAX's plugin as well.
use mapwright_pjrt as _;

mod answers;
mod error;
mod map;
mod program;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule]
#[pyo3(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::answers::{fusion, main, maps, maps_page, opt, opt_main, shards};
    #[pymodule_export]
    use crate::map::Map;
    #[pymodule_export]
    use crate::program::Program;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
