//! The functions of the C API, by what they are asked of.

pub(crate) mod buffers;
pub(crate) mod errors;
pub(crate) mod events;
pub(crate) mod executables;
pub(crate) mod execute;
pub(crate) mod foreign;
pub(crate) mod layouts;
pub(crate) mod places;
pub(crate) mod plugin;
pub(crate) mod shardings;
pub(crate) mod topology;
pub(crate) mod transfer;
