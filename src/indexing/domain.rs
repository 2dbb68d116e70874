//! Evaluation of maps and enumeration of their domains.

use crate::interval::Interval;
use crate::map::{Constraint, IndexingMap, State};
use crate::program::{EvalError, Program};

/// A point of a domain: values of dimension, range and runtime variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Point {
    /// Values of the dimension variables.
    pub dims: Vec<i64>,
    /// Values of the range variables.
    pub ranges: Vec<i64>,
    /// Values of the runtime variables.
    pub runtime: Vec<i64>,
}

/// A map made ready for many evaluations.
#[derive(Clone, Debug)]
pub struct Evaluator {
    program: Program,
    results: usize,
    intervals: [Vec<Interval>; 3],
    constraints: Vec<Constraint>,
    /// Each constraint by itself, once it is needed.
    alone: Vec<Program>,
    empty: bool,
    values: Vec<i128>,
}

impl Evaluator {
    /// Prepares a map. A map that is unknown for good, or empty, has no point in its domain.
    pub fn new(map: &IndexingMap) -> Self {
        Evaluator {
            program: Program::new(&map.expressions()),
            results: map.results.len(),
            intervals: [
                map.dims.iter().map(|v| v.interval).collect(),
                map.ranges.iter().map(|v| v.interval).collect(),
                map.runtime.iter().map(|v| v.interval).collect(),
            ],
            constraints: map.constraints.clone(),
            alone: Vec::new(),
            empty: matches!(map.state(), State::Empty | State::Unknown(_)),
            values: Vec::new(),
        }
    }

    /// The results at a point, if it is in the domain. A point that fails a constraint is outside,
    /// whatever the value of the others and of the results, also if they have none.
    ///
    /// # Errors
    /// [`EvalError`] if a value is not defined at a point of the domain.
    pub fn eval(
        &mut self,
        dims: &[i64],
        ranges: &[i64],
        runtime: &[i64],
        out: &mut Vec<i64>,
    ) -> Result<bool, EvalError> {
        out.clear();
        if !self.in_domain(dims, ranges, runtime)? {
            return Ok(false);
        }
        for i in 0..self.results {
            out.push(self.program.result(i, &self.values)?);
        }
        Ok(true)
    }

    /// Whether a point is in the domain.
    ///
    /// # Errors
    /// [`EvalError`] if an expression has no value there.
    pub fn in_domain(
        &mut self,
        dims: &[i64],
        ranges: &[i64],
        runtime: &[i64],
    ) -> Result<bool, EvalError> {
        if self.empty {
            return Ok(false);
        }
        for (list, values) in self.intervals.iter().zip([dims, ranges, runtime]) {
            if values.len() != list.len() {
                return Err(EvalError::MissingVariable);
            }
            if !list.iter().zip(values).all(|(i, v)| i.contains(*v)) {
                return Ok(false);
            }
        }
        let mut values = std::mem::take(&mut self.values);
        let ran = self.program.run(dims, ranges, runtime, &mut values);
        self.values = values;
        if let Err(error) = ran {
            return if self.fails_a_constraint(dims, ranges, runtime)? {
                Ok(false)
            } else {
                Err(error)
            };
        }
        Ok(self.constraints.iter().enumerate().all(|(k, constraint)| {
            let v = self.program.wide_result(self.results + k, &self.values);
            holds(constraint, v)
        }))
    }

    /// Whether some constraint has a value at a point and does not hold there.
    ///
    /// # Errors
    /// [`EvalError::TooWide`] if none is known to fail and one is beyond what evaluation can hold:
    /// the point may be outside as well.
    fn fails_a_constraint(
        &mut self,
        dims: &[i64],
        ranges: &[i64],
        runtime: &[i64],
    ) -> Result<bool, EvalError> {
        if self.alone.is_empty() {
            let alone = |k: &Constraint| Program::new(std::slice::from_ref(&k.expr));
            self.alone = self.constraints.iter().map(alone).collect();
        }
        let values = &mut self.values;
        let mut open = false;
        for (k, program) in self.constraints.iter().zip(&self.alone) {
            match program.run(dims, ranges, runtime, values) {
                Ok(()) if !holds(k, program.wide_result(0, values)) => return Ok(true),
                Err(EvalError::TooWide) => open = true,
                _ => {}
            }
        }
        if open {
            Err(EvalError::TooWide)
        } else {
            Ok(false)
        }
    }
}

fn holds(constraint: &Constraint, value: i128) -> bool {
    let i = constraint.interval;
    (i.lower as i128) <= value && value <= (i.upper as i128)
}

impl IndexingMap {
    /// The results at a point; `None` outside the domain.
    ///
    /// # Errors
    /// [`EvalError`] if a value is not defined there (a divisor of zero, a value beyond `i64`) or a
    /// variable has no value.
    pub fn eval(
        &self,
        dims: &[i64],
        ranges: &[i64],
        runtime: &[i64],
    ) -> Result<Option<Vec<i64>>, EvalError> {
        let mut out = Vec::new();
        Ok(Evaluator::new(self)
            .eval(dims, ranges, runtime, &mut out)?
            .then_some(out))
    }

    /// Whether a point is in the domain.
    ///
    /// # Errors
    /// As for [`IndexingMap::eval`].
    pub fn in_domain(
        &self,
        dims: &[i64],
        ranges: &[i64],
        runtime: &[i64],
    ) -> Result<bool, EvalError> {
        Evaluator::new(self).in_domain(dims, ranges, runtime)
    }

    /// The number of points of the box of the variables' intervals, before any constraint.
    pub fn box_size(&self) -> u128 {
        if !self.is_known() {
            return 0;
        }
        self.intervals()
            .fold(1u128, |n, i| n.saturating_mul(i.len()))
    }

    /// Calls `f` for every point of the domain, in lexicographic order of dimensions, ranges,
    /// runtime variables. Stops when `f` returns false. Meant for tests and small domains: it walks
    /// the whole box. Points at which an expression has no value are left out.
    pub fn for_each_point(&self, mut f: impl FnMut(&[i64], &[i64], &[i64], &[i64]) -> bool) {
        if self.box_size() == 0 {
            return;
        }
        let intervals: Vec<Interval> = self.intervals().collect();
        let (nd, nr) = (self.dims.len(), self.ranges.len());
        let mut point: Vec<i64> = intervals.iter().map(|i| i.lower).collect();
        let mut evaluator = Evaluator::new(self);
        let mut out = Vec::new();
        loop {
            let (dims, rest) = point.split_at(nd);
            let (ranges, runtime) = rest.split_at(nr);
            if evaluator.eval(dims, ranges, runtime, &mut out) == Ok(true)
                && !f(dims, ranges, runtime, &out)
            {
                return;
            }
            let Some(i) = (0..point.len())
                .rev()
                .find(|i| point[*i] < intervals[*i].upper)
            else {
                return;
            };
            point[i] += 1;
            for j in i + 1..point.len() {
                point[j] = intervals[j].lower;
            }
        }
    }

    /// All points of the domain with the results there. Meant for tests.
    pub fn points(&self) -> Vec<(Point, Vec<i64>)> {
        let mut all = Vec::new();
        self.for_each_point(|dims, ranges, runtime, results| {
            all.push((
                Point {
                    dims: dims.to_vec(),
                    ranges: ranges.to_vec(),
                    runtime: runtime.to_vec(),
                },
                results.to_vec(),
            ));
            true
        });
        all
    }
}
