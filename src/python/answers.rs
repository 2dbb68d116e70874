//! What is asked of a program, and the commands.

use crate::error::{alone, exception, with_program};
use clap::ValueEnum as _;
use mapwright::{
    command::{
        self, fusion as plans,
        maps::{Direction, Question},
    },
    mlir::{Op, drivers, pass::run_pipeline},
    sharding::command::Request,
};
use pyo3::prelude::*;
use serde_json::json;
use std::{ffi::OsString, process::ExitCode};

/// The maps of a program as JSON, a document a function.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // a question has as many parts
pub(crate) fn maps(
    py: Python<'_>,
    name: &str,
    source: &[u8],
    function: Option<String>,
    direction: &str,
    compose: bool,
    simplify: bool,
    physical: bool,
) -> PyResult<String> {
    let direction = Direction::from_str(direction, false).map_err(|text| exception(py, &text))?;
    let question = Question {
        func: function,
        direction,
        compose,
        no_simplify: !simplify,
        physical,
    };
    with_program(py, (name, source), |module| {
        let answer = question.answer(Op::new(module.as_operation()))?;
        Ok(json!(answer).to_string())
    })
}

/// The page that draws a program.
#[pyfunction]
pub(crate) fn maps_page(
    py: Python<'_>,
    name: &str,
    source: &[u8],
    function: Option<String>,
) -> PyResult<String> {
    let question = Question {
        func: function,
        ..Question::default()
    };
    with_program(py, (name, source), |module| {
        question.page(Op::new(module.as_operation()))
    })
}

/// The regions of a program as JSON, a document a function.
#[pyfunction]
pub(crate) fn fusion(py: Python<'_>, name: &str, source: &[u8]) -> PyResult<String> {
    with_program(py, (name, source), |module| {
        Ok(json!(plans::answer(Op::new(module.as_operation()), false)?).to_string())
    })
}

/// A program after a pipeline of passes, as text.
#[pyfunction]
pub(crate) fn opt(py: Python<'_>, name: &str, source: &[u8], pipeline: &str) -> PyResult<String> {
    with_program(py, (name, source), |mut module| {
        run_pipeline(&mut module, pipeline)?;
        Ok(module.as_operation().to_string())
    })
}

/// A layout, and a change of layout: JSON, tables and a page.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // a request has as many parts
#[pyo3(signature = (shape, *, tensor_map, device_matrix, alias, partial, strategy, devices, sharding, mesh, before, after, element_bytes))]
pub(crate) fn shards(
    py: Python<'_>,
    shape: String,
    tensor_map: Option<String>,
    device_matrix: Option<String>,
    alias: Option<String>,
    partial: Option<String>,
    strategy: Option<String>,
    devices: Option<i64>,
    sharding: Option<String>,
    mesh: Option<String>,
    before: Option<String>,
    after: Option<String>,
    element_bytes: i64,
) -> PyResult<(String, String, String)> {
    let request = Request {
        device_matrix,
        alias,
        tensor_map,
        partial,
        strategy,
        devices,
        sharding,
        mesh,
        shape,
        from: before,
        to: after,
        element_bytes,
        ..Request::default()
    };
    alone(py, || {
        let report = request.run().map_err(|error| error.to_string())?;
        let page = report.html().map_err(|error| error.to_string())?;
        Ok((report.json().to_string(), report.text(), page))
    })
}

/// The command `mapwright`; whether it went well. The first argument is the name of the program.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> bool {
    py.detach(|| command::main(arguments) == ExitCode::SUCCESS)
}

/// The command `mapwright-opt`, with its exit code.
#[pyfunction]
pub(crate) fn opt_main(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<i32> {
    mapwright::register();
    alone(py, || Ok(drivers::opt_main(arguments)))
}
