//! Indexing maps as objects.

use crate::error::{alone, exception};
use mapwright::indexing::{Comparison, IndexingMap, Interval, RuntimeVariable, compare, compose};
use pyo3::prelude::*;

/// An indexing map. `mapwright_hlo.IndexingMap` is made of it.
#[pyclass(frozen, module = "mapwright_hlo._native")]
pub(crate) struct Map(IndexingMap);

/// A name, and the ends of an interval; none where there is no end.
type Bounded = (String, Option<i64>, Option<i64>);

/// Read of a runtime variable: the tensor, the index, and the interval that it is clamped to.
type Read = (String, Option<String>, Option<i64>, Option<i64>);

fn bounded(name: String, interval: Interval) -> Bounded {
    let lower = (interval.lower > i64::MIN).then_some(interval.lower);
    let upper = (interval.upper < i64::MAX).then_some(interval.upper);
    (name, lower, upper)
}

fn parsed(py: Python<'_>, text: &str) -> PyResult<IndexingMap> {
    let map = text
        .parse::<IndexingMap>()
        .map_err(|error| exception(py, &error.to_string()))?;
    map.verify()
        .map_err(|error| exception(py, &error.to_string()))?;
    Ok(map)
}

impl Map {
    /// The reason if nothing is known of the map.
    fn known(&self, py: Python<'_>) -> PyResult<()> {
        match self.0.unknown_reason() {
            Some(reason) => Err(exception(py, &format!("the map is unknown: {reason}"))),
            None => Ok(()),
        }
    }
}

#[pymethods]
impl Map {
    #[new]
    fn new(
        py: Python<'_>,
        text: &str,
        exact: bool,
        unknown: Option<String>,
        reads: Vec<Read>,
    ) -> PyResult<Self> {
        if let Some(reason) = unknown {
            return Ok(Self(IndexingMap::unknown(reason)));
        }
        let mut map = parsed(py, text)?.with_exact(exact);
        let mut runtime = map.runtime().to_vec();
        for (variable, (value, index, lower, upper)) in runtime.iter_mut().zip(reads) {
            let index = index.map(|text| parsed(py, &text)).transpose()?;
            let clamp = Interval::new(lower.unwrap_or(i64::MIN), upper.unwrap_or(i64::MAX));
            let mut read = RuntimeVariable::new(variable.interval, value, index);
            read.name.clone_from(&variable.name);
            read.origin.clamp = (clamp != variable.interval).then_some(clamp);
            *variable = read;
        }
        map.edit(|m| m.runtime = runtime);
        Ok(Self(map))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    #[getter]
    fn exact(&self) -> bool {
        self.0.is_exact()
    }

    #[getter]
    fn empty(&self) -> bool {
        self.0.is_known_empty()
    }

    #[getter]
    fn unknown(&self) -> Option<String> {
        self.0.unknown_reason().map(Into::into)
    }

    #[getter]
    fn dims(&self) -> Vec<Bounded> {
        let [names, ..] = self.0.names();
        let variables = names.into_iter().zip(self.0.dims());
        variables
            .map(|(name, v)| bounded(name, v.interval))
            .collect()
    }

    #[getter]
    fn ranges(&self) -> Vec<Bounded> {
        let [_, names, _] = self.0.names();
        let variables = names.into_iter().zip(self.0.ranges());
        variables
            .map(|(name, v)| bounded(name, v.interval))
            .collect()
    }

    /// Each with the value that it is read from, and the text of the index.
    #[getter]
    fn runtime(&self) -> Vec<(Bounded, String, Option<String>)> {
        let [.., names] = self.0.names();
        let variables = names.into_iter().zip(self.0.runtime());
        let described = |(name, v): (String, &RuntimeVariable)| {
            let index = v.origin.index.as_ref().map(|index| index.to_string());
            (bounded(name, v.interval), v.origin.value.clone(), index)
        };
        variables.map(described).collect()
    }

    #[getter]
    fn constraints(&self) -> Vec<Bounded> {
        let all = self.0.constraints().iter();
        all.map(|c| bounded(self.0.text_of(&c.expr), c.interval))
            .collect()
    }

    #[getter]
    fn results(&self) -> Vec<String> {
        let all = self.0.results().iter();
        all.map(|expr| self.0.text_of(expr)).collect()
    }

    fn eval(
        &self,
        py: Python<'_>,
        dims: Vec<i64>,
        ranges: Vec<i64>,
        runtime: Vec<i64>,
    ) -> PyResult<Option<Vec<i64>>> {
        self.known(py)?;
        let result = self.0.eval(&dims, &ranges, &runtime);
        result.map_err(|error| exception(py, &error.to_string()))
    }

    fn simplify(&self, py: Python<'_>) -> PyResult<Self> {
        alone(py, || Ok(Self(self.0.simplify())))
    }

    /// First this map, then `producer` on its results.
    fn compose(&self, py: Python<'_>, producer: PyRef<'_, Self>) -> PyResult<Self> {
        self.known(py)?;
        producer.known(py)?;
        let (first, second) = (&self.0, &producer.0);
        alone(py, || Ok(Self(compose(first, second).simplify())))
    }

    /// Whether the maps are the same function, how that was decided, and a point where they differ:
    /// dimension, range and runtime variables.
    #[allow(clippy::type_complexity)] // three parts of an answer
    fn compare(
        &self,
        py: Python<'_>,
        other: PyRef<'_, Self>,
    ) -> PyResult<(
        Option<bool>,
        &'static str,
        Option<(Vec<i64>, Vec<i64>, Vec<i64>)>,
    )> {
        let (a, b) = (&self.0, &other.0);
        let Comparison {
            equal,
            method,
            counterexample,
        } = alone(py, || Ok(compare(a, b)))?;
        let point = counterexample.map(|point| (point.dims, point.ranges, point.runtime));
        Ok((equal, method, point))
    }

    fn inverse(&self) -> Option<Self> {
        self.0.inverse().map(Self)
    }
}
