//! Compiled programs as objects.

use crate::error::{diagnosed, exception, with_program};
use mapwright::{
    command::{
        arrays::{Border, levels},
        input::{Source, entry},
        npy::type_string,
    },
    mlir::{Op, TensorType, ValueType},
    native::{CompileOptions, ExecuteOptions, Model, ModelOptions, Prepared, Tensor, View, ragged},
};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::{intern, prelude::*, types::PySlice};
use serde_json::{Value, json};

/// A compiled program. `mapwright_hlo.Executable` is made of it.
#[pyclass(frozen, module = "mapwright_hlo._native")]
pub(crate) struct Program {
    model: Model,
    entry: String,
    border: Border,
}

/// An argument: its shape and its bytes; of a tensor array those of its leaves, and the offsets of
/// each level.
type Argument<'py> = (Vec<i64>, Bound<'py, PyArray1<u8>>, Option<Vec<Vec<i64>>>);

/// A result: its number, and the name of a part of an array; NumPy's type and the program's; its
/// shape and bytes.
type ResultOf<'py> = (
    String,
    &'static str,
    String,
    Vec<i64>,
    Bound<'py, PyArray1<u8>>,
);

/// The memory of tensors lies at multiples of so many bytes, as far as Python is asked for it here.
const ALIGNMENT: usize = 64;

/// New memory for a tensor. NumPy is asked for it as a program in Python asks: where there is none,
/// that is its exception.
fn memory(py: Python<'_>, bytes: usize) -> PyResult<Bound<'_, PyArray1<u8>>> {
    let empty = intern!(py, "empty");
    let room = bytes.saturating_add(ALIGNMENT);
    let all = py.import("numpy")?.call_method1(empty, (room, "u1"))?;
    let all: Bound<'_, PyArray1<u8>> = all.cast_into()?;
    let address = all.try_readonly()?.as_slice()?.as_ptr().addr();
    let first = address.next_multiple_of(ALIGNMENT) - address;
    let part = PySlice::new(py, first as isize, (first + bytes) as isize, 1);
    Ok(all.get_item(part)?.cast_into()?)
}

fn described(ty: &TensorType) -> anyhow::Result<Value> {
    let sizes: Vec<Option<i64>> = ty.dims.iter().map(|dim| dim.fixed()).collect();
    let bounds: Vec<Option<i64>> = ty.dims.iter().map(|dim| dim.bound()).collect();
    Ok(json!({
        "element": ty.element.to_string(),
        "dtype": type_string(&ty.element)?,
        "shape": sizes,
        "bounds": bounds,
    }))
}

/// The maxima of the levels of what a function takes or gives: none of a tensor.
fn maxima(types: &[ValueType]) -> Vec<Option<Vec<i64>>> {
    let taken = types.iter().filter(|ty| **ty != ValueType::Token);
    taken.map(|ty| levels(ty).map(|(max, _)| max)).collect()
}

/// A tensor in memory of the caller's, or a copy where that does not lie as it has to.
enum Given<'a> {
    There(View<'a>),
    Copied(Tensor),
}

impl<'a> Given<'a> {
    fn new(
        ty: &'a TensorType,
        shape: &'a [i64],
        bytes: &'a [u8],
    ) -> mapwright::native::Result<Self> {
        Ok(match View::new(&ty.element, shape, bytes)? {
            Some(view) => Self::There(view),
            None => Self::Copied(Tensor::new(&ty.element, shape, bytes)?),
        })
    }

    fn view(&self) -> View<'_> {
        match self {
            Self::There(view) => *view,
            Self::Copied(tensor) => View::from(tensor),
        }
    }
}

/// An [`Argument`] whose bytes nobody changes.
type ReadArgument<'py> = (Vec<i64>, PyReadonlyArray1<'py, u8>, Option<Vec<Vec<i64>>>);

impl Program {
    fn wrong(&self, py: Python<'_>, why: &str) -> PyErr {
        exception(py, &format!("@{}: {why}", self.entry))
    }

    /// The arguments as the program takes them.
    fn given<'a>(&'a self, arguments: &'a [ReadArgument<'_>]) -> anyhow::Result<Vec<Given<'a>>> {
        let types = &self.model.signature().inputs;
        let levels = maxima(self.border.inputs());
        anyhow::ensure!(
            arguments.len() == levels.len(),
            "takes {} arguments, not {}",
            levels.len(),
            arguments.len()
        );
        let mut rest = types.iter();
        let mut given = Vec::new();
        for (i, ((shape, bytes, offsets), max)) in arguments.iter().zip(levels).enumerate() {
            let ty = rest
                .next()
                .ok_or_else(|| anyhow::anyhow!("argument {i} is unknown"))?;
            let bytes = bytes.as_slice()?;
            let own = match (max, offsets) {
                (None, None) => vec![Given::new(ty, shape, bytes)?],
                (Some(max), Some(offsets)) => {
                    // The offsets of each level are arguments of their own.
                    for _ in &max {
                        rest.next();
                    }
                    ragged::check(offsets, &max, shape).map_err(anyhow::Error::msg)?;
                    let mut parts = vec![Given::new(ty, shape, bytes)?];
                    for own in offsets {
                        parts.push(Given::Copied(ragged::vector(own)?));
                    }
                    parts
                }
                (None, Some(_)) => anyhow::bail!("argument {i} is a tensor, not an array"),
                (Some(_), None) => anyhow::bail!("argument {i} is an array, not a tensor"),
            };
            given.extend(own);
        }
        Ok(given)
    }
}

/// Calls the code; the results for which no memory is lent.
fn run(
    prepared: &Prepared,
    inputs: &[View<'_>],
    lent: Vec<&mut [u8]>,
    threads: usize,
) -> mapwright::native::Result<Vec<Tensor>> {
    let options = ExecuteOptions { threads };
    let executable = &prepared.executable;
    let mut bound = executable.bind_views(None, inputs, lent, &options)?;
    bound.run()?;
    Ok(bound.into_outputs())
}

#[pymethods]
impl Program {
    #[new]
    fn new(
        py: Python<'_>,
        name: &str,
        source: &[u8],
        function: Option<&str>,
        threads: usize,
        specialize: bool,
    ) -> PyResult<Self> {
        with_program(py, (name, source), |module| {
            let module = Op::new(module.as_operation());
            let entry = entry(&Source::new(name, Vec::new()), module, function)?;
            let border = Border::from_function(module, &entry);
            let options = ModelOptions {
                compile: CompileOptions {
                    threads,
                    ..CompileOptions::default()
                },
                specializes: specialize,
                ..ModelOptions::default()
            };
            let model = Model::new(module, &entry, options).map_err(diagnosed)?;
            Ok(Self {
                model,
                entry,
                border,
            })
        })
    }

    /// The function and the types of its arguments and results as JSON; of those that are tensor
    /// arrays the maxima of their levels.
    fn signature(&self, py: Python<'_>) -> PyResult<String> {
        let signature = self.model.signature();
        let each = |types: &[TensorType]| {
            types
                .iter()
                .map(described)
                .collect::<anyhow::Result<Vec<_>>>()
        };
        let answer = || -> anyhow::Result<Value> {
            Ok(json!({
                "entry": self.entry,
                "inputs": each(&signature.inputs)?,
                "outputs": each(&signature.outputs)?,
                "input_levels": maxima(self.border.inputs()),
                "output_levels": maxima(self.border.outputs()),
            }))
        };
        match answer() {
            Ok(answer) => Ok(answer.to_string()),
            Err(error) => Err(self.wrong(py, &format!("{error:#}"))),
        }
    }

    /// Compiles for arguments of these shapes; the kind of the code.
    fn prepare(&self, py: Python<'_>, shapes: Vec<Vec<i64>>) -> PyResult<&'static str> {
        let shapes: Vec<&[i64]> = shapes.iter().map(Vec::as_slice).collect();
        let prepared = py.detach(|| self.model.prepare(&shapes));
        let prepared = prepared.map_err(|error| exception(py, &error.to_string()))?;
        Ok(prepared.kind.name())
    }

    /// Calls the program.
    fn call<'py>(
        &self,
        py: Python<'py>,
        arguments: Vec<Argument<'py>>,
        threads: usize,
    ) -> PyResult<Vec<ResultOf<'py>>> {
        let arguments: Vec<_> = arguments
            .into_iter()
            .map(|(shape, bytes, offsets)| Ok((shape, bytes.try_readonly()?, offsets)))
            .collect::<PyResult<_>>()?;
        let failed = |error: anyhow::Error| self.wrong(py, &format!("{error:#}"));
        let given = self.given(&arguments).map_err(failed)?;
        let inputs: Vec<View<'_>> = given.iter().map(Given::view).collect();
        let shapes: Vec<&[i64]> = inputs.iter().map(View::shape).collect();
        let prepared = py
            .detach(|| self.model.prepare(&shapes))
            .map_err(|error| exception(py, &error.to_string()))?;
        let types = prepared.executable.signature(None);
        let types = types.map_err(|error| failed(error.into()))?.outputs;

        let has_arrays = maxima(self.border.outputs()).iter().any(Option::is_some);
        let is_lent = |ty: &&TensorType| !has_arrays && ty.static_shape().is_some();
        let mut places = Vec::new();
        for ty in types.iter().filter(is_lent) {
            let elements = ty.num_elements().and_then(|n| usize::try_from(n).ok());
            let bytes = elements.zip(ty.element.byte_width());
            let bytes = bytes.and_then(|(n, width)| n.checked_mul(width));
            let bytes = bytes.ok_or_else(|| self.wrong(py, "a result is too large"))?;
            places.push(memory(py, bytes)?);
        }
        let mut borrowed: Vec<PyReadwriteArray1<'_, u8>> = (places.iter())
            .map(|place| place.try_readwrite())
            .collect::<Result<_, _>>()?;
        let lent = (borrowed.iter_mut())
            .map(|place| place.as_slice_mut())
            .collect::<Result<Vec<&mut [u8]>, _>>()?;
        let own = py
            .detach(|| run(&prepared, &inputs, lent, threads))
            .map_err(|error| exception(py, &error.to_string()))?;
        drop(borrowed);

        let mut places = places.into_iter();
        let mut results = Vec::new();
        let mut push = |name: String, ty: &TensorType, shape: &[i64], bytes| -> PyResult<()> {
            let dtype = type_string(&ty.element).map_err(failed)?;
            results.push((name, dtype, ty.element.to_string(), shape.to_vec(), bytes));
            Ok(())
        };
        let copied = |tensor: &Tensor| -> PyResult<Bound<'py, PyArray1<u8>>> {
            let place = memory(py, tensor.bytes().len())?;
            place
                .try_readwrite()?
                .as_slice_mut()?
                .copy_from_slice(tensor.bytes());
            Ok(place)
        };
        if has_arrays {
            for (name, tensor) in self.border.results(own).map_err(failed)? {
                let ty = TensorType::new(tensor.element().clone(), tensor.shape());
                push(name, &ty, tensor.shape(), copied(&tensor)?)?;
            }
            return Ok(results);
        }
        let mut own = own.into_iter();
        for (i, ty) in types.iter().enumerate() {
            let name = i.to_string();
            match ty.static_shape() {
                Some(shape) => {
                    if let Some(place) = places.next() {
                        push(name, ty, &shape, place)?;
                    }
                }
                None => {
                    if let Some(tensor) = own.next() {
                        push(name, ty, tensor.shape(), copied(&tensor)?)?;
                    }
                }
            }
        }
        Ok(results)
    }
}
