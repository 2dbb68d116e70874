//! `mapwright run --interpret`: the same programs, evaluated by `src/interpret` instead of
//! compiled.

use super::failure::{reported, rewritten};
use crate::{
    mlir::{Op, TensorType, ValueType, melior::ir::ValueLike, op},
    native::Tensor,
};
use anyhow::Context as _;
use mapwright_interpret::{CHLO, Generator, Options, Value, run};
use mapwright_normalize::{
    approx_top_k, chlo, frontend, lapack, layouts, library,
    mhlo::{self, Direction},
    scatter_windows::ScatterWindows,
    shapes, verify,
};

/// A tensor as the interpreter has it.
fn interpreted(tensor: &Tensor) -> anyhow::Result<mapwright_interpret::Tensor> {
    let (element, shape) = (tensor.element(), tensor.shape());
    Ok(mapwright_interpret::Tensor::from_bytes(
        element,
        shape,
        tensor.bytes(),
    )?)
}

/// A program that is ready to be evaluated; made in place, so `module` should be a copy of nobody
/// else's.
pub(crate) struct Interpreted<'c> {
    module: Op<'c>,
    entry: String,
    types: Vec<ValueType>,
    options: Options,
}

impl<'c> Interpreted<'c> {
    /// Brings `module` to StableHLO. What it draws at random follows from `seed`, and goes on from
    /// run to run.
    ///
    /// # Errors
    /// An operation that has no such form, diagnosed at its place.
    pub(crate) fn new(
        module: Op<'c>,
        entry: &str,
        seed: u64,
        windows: ScatterWindows,
    ) -> anyhow::Result<Self> {
        windows.legalize(module).map_err(rewritten)?;
        frontend::legalize(module).map_err(rewritten)?;
        if module.descendants().iter().any(|op| op.dialect() == "mhlo") {
            mhlo::convert(module, Direction::ToStablehlo).map_err(rewritten)?;
        }
        layouts::legalize(module).map_err(rewritten)?;
        shapes::guard(module);
        let functions = module.body(0).map(op::ops).unwrap_or_default();
        let mut types = Vec::new();
        for function in functions.into_iter().filter(|f| f.name() == "func.func") {
            chlo::legalize(function, CHLO).map_err(rewritten)?;
            library::verify(function).map_err(rewritten)?;
            lapack::legalize(function).map_err(rewritten)?;
            approx_top_k::legalize(function).map_err(rewritten)?;
            shapes::as_declared(function);
            verify::all(function, "legalise")?;
            if function.string("sym_name").as_deref() == Some(entry) {
                mhlo::flatten_argument_tuples(function).map_err(rewritten)?;
                mhlo::flatten_result_tuple(function).map_err(rewritten)?;
                let arguments = function.body(0).map(op::arguments).unwrap_or_default();
                types = arguments
                    .into_iter()
                    .map(|argument| ValueType::from_mlir(argument.r#type()))
                    .collect();
            }
        }
        Ok(Self {
            module,
            entry: entry.to_owned(),
            types,
            options: Options {
                generator: Generator::new(seed),
                ..Options::default()
            },
        })
    }

    /// The tensors among the arguments, in order.
    pub(crate) fn inputs(&self) -> Vec<TensorType> {
        self.types
            .iter()
            .filter_map(|ty| ty.tensor().cloned())
            .collect()
    }

    /// Puts tensors into the infeed.
    ///
    /// # Errors
    /// Elements that the interpreter does not know.
    pub(crate) fn feed<'t>(
        &mut self,
        tensors: impl Iterator<Item = &'t Tensor>,
    ) -> anyhow::Result<()> {
        for tensor in tensors {
            self.options.infeed.push(interpreted(tensor)?);
        }
        Ok(())
    }

    /// Evaluates the entry; the tensors among the results.
    ///
    /// # Errors
    /// What the interpreter cannot evaluate, and checks that fail.
    pub(crate) fn run(&self, inputs: &[Tensor]) -> anyhow::Result<Vec<Tensor>> {
        let mut next = inputs.iter();
        let mut values = Vec::new();
        for ty in &self.types {
            values.push(match ty {
                ValueType::Tensor(_) => {
                    let tensor = next.next().context("too few arguments")?;
                    Value::Tensor(interpreted(tensor)?)
                }
                _ => Value::Token,
            });
        }
        let results = run(self.module, &self.entry, &values, &self.options)?;
        results
            .iter()
            .filter_map(|value| value.tensor().ok())
            .map(|tensor| {
                Tensor::new(&tensor.element, &tensor.shape, &tensor.to_bytes()).map_err(reported)
            })
            .collect()
    }
}
