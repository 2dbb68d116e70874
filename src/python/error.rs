//! Errors as exceptions of the package.

use mapwright::{command::input::Source, mlir::melior::ir::Module, native, on_large_stack};
use pyo3::{prelude::*, sync::PyOnceLock, types::PyType};

/// `mapwright_hlo.Error` with this text, which it takes apart.
pub(crate) fn exception(py: Python<'_>, text: &str) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.import(py, "mapwright_hlo._error", "Error");
    match class.and_then(|class| class.call1((text,))) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// Calls `work` without the interpreter's lock, on a thread with room for sources that are nested
/// deeply. An error is an exception.
pub(crate) fn alone<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, String> + Send,
) -> PyResult<T> {
    let result = py.detach(|| on_large_stack(work).and_then(|result| result));
    result.map_err(|text| exception(py, &text))
}

/// Parses a source and calls `work` with the program, as [`alone`] does.
pub(crate) fn with_program<T: Send>(
    py: Python<'_>,
    source: (&str, &[u8]),
    work: impl for<'c> FnOnce(Module<'c>) -> anyhow::Result<T> + Send,
) -> PyResult<T> {
    let (name, bytes) = source;
    alone(py, || {
        Source::new(name, bytes.to_vec()).read_with(|_, module| work(module))
    })
}

/// The failure behind an error of the compiler: what has been diagnosed is not said again.
pub(crate) fn diagnosed(error: native::Error) -> anyhow::Error {
    match error {
        native::Error::Diagnosed(failure) => failure.into(),
        other => other.into(),
    }
}
