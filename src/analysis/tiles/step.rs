//! One step upstream: the tile of an operand, through a map.

use super::digits::Group;
use super::{Check, Condition, Tile};
use crate::linear::Sums;
use mapwright_indexing::linear::{Sum, gcd};
use mapwright_indexing::{
    Expr, ExprKind, IndexingMap, Interval, RuntimeVariable, Variable, c, d, rt, s,
};

/// Offset, size and stride in one dimension.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub offset: Expr,
    pub size: Expr,
    pub stride: i64,
}

/// Values that a variable or a digit runs over, and how many it can have at most, from 0 on.
#[derive(Clone, Debug)]
pub(super) struct Progression {
    pub offset: Expr,
    pub size: Expr,
    pub stride: i64,
    pub whole: Option<i64>,
}

pub(super) struct Step<'a> {
    pub map: &'a IndexingMap,
    pub sums: Sums<'a>,
    /// The values of the root's offsets and sizes.
    root: &'a [(Interval, Interval)],
    /// Values that the dimensions of the result run over.
    dims: Vec<Progression>,
    /// Dimensions and range variables that an operand dimension has taken.
    taken_dims: Vec<bool>,
    taken_ranges: Vec<bool>,
    /// The tile's runtime variable that each of the map's is.
    place: Vec<usize>,
    runtime: Vec<RuntimeVariable>,
    checks: Vec<Check>,
    /// Constraints that were seen to.
    pub done: Vec<bool>,
    exact: bool,
}

const BEYOND: &str = "a number beyond 64 bits";
const VALUES: &str = "which elements are read depends on values, from element to element";

impl Tile {
    /// The tile of an operand that is read through `map`, if this is the tile of the result;
    /// `result` and `operand` are their shapes (bounds for what is known at run time only).
    ///
    /// # Errors
    /// Why the elements are no box.
    pub fn through(
        &self,
        map: &IndexingMap,
        result: &[i64],
        operand: &[i64],
    ) -> Result<Tile, String> {
        if let Some(reason) = map.unknown_reason() {
            return Err(reason.into_owned());
        }
        if map.is_known_empty() {
            return Err("nothing is read".into());
        }
        if map.dims().len() != self.offsets.len() || map.results().len() != operand.len() {
            return Err("the map is not between the tile's value and the operand alone".into());
        }
        let mut step = Step {
            map,
            sums: Sums::new(map),
            root: &self.root,
            dims: (0..map.dims().len())
                .map(|k| Progression {
                    offset: self.offsets[k].clone(),
                    size: self.sizes[k].clone(),
                    stride: self.strides[k],
                    whole: result.get(k).copied(),
                })
                .collect(),
            taken_dims: vec![false; map.dims().len()],
            taken_ranges: vec![false; map.ranges().len()],
            place: Vec::new(),
            runtime: self.runtime.clone(),
            checks: self.checks.clone(),
            done: vec![false; map.constraints().len()],
            exact: self.exact && map.is_exact(),
        };
        step.runtime_variables()?;
        step.clip_dims()?;
        let sums: Vec<Sum> = map
            .results()
            .iter()
            .map(|expr| step.sums.read(expr).ok_or(BEYOND.to_owned()))
            .collect::<Result<_, _>>()?;
        let groups = step.groups(&sums)?;
        let axes: Vec<Axis> = sums
            .iter()
            .map(|sum| step.axis(sum, &groups))
            .collect::<Result<_, _>>()?;
        // A constraint that is left restricts what is read further.
        let exact = step.exact && step.done.iter().all(|done| *done);
        let tile = Tile {
            offsets: axes.iter().map(|a| a.offset.clone()).collect(),
            sizes: axes.iter().map(|a| a.size.clone()).collect(),
            strides: axes.iter().map(|a| a.stride).collect(),
            checks: step.checks,
            runtime: step.runtime,
            exact,
            root: self.root.clone(),
        };
        Ok(tile.simplified())
    }
}

impl Step<'_> {
    /// The tile is right only where `expr` is in `interval`.
    ///
    /// # Errors
    /// If it never is.
    pub fn require(&mut self, expr: Expr, interval: Interval) -> Result<(), String> {
        if let Some(value) = expr.as_constant() {
            if interval.contains(value) {
                return Ok(());
            }
            return Err(format!(
                "the tile does not fit: {value} should be in {interval}"
            ));
        }
        self.check(Check::Right(Condition { expr, interval }));
        Ok(())
    }

    /// Something is read only where `expr` is in `interval`.
    pub fn present(&mut self, expr: Expr, interval: Interval) {
        self.check(Check::Present(Condition { expr, interval }));
    }

    fn check(&mut self, check: Check) {
        if !self.checks.contains(&check) {
            self.checks.push(check);
        }
    }

    /// Takes over the map's runtime variables: those that are one value for the whole tile.
    fn runtime_variables(&mut self) -> Result<(), String> {
        for variable in self.map.runtime() {
            if variable.origin.value.is_empty() {
                return Err(VALUES.into());
            }
            let variable = &self.read_once(variable)?;
            let same = |other: &RuntimeVariable| {
                let index =
                    |v: &RuntimeVariable| v.origin.index.as_ref().map(|i| i.results().to_vec());
                other.origin.value == variable.origin.value
                    && other.clamp() == variable.clamp()
                    && index(other) == index(variable)
            };
            let at = match self.runtime.iter().position(same) {
                Some(at) => at,
                None => {
                    let mut own = variable.clone();
                    own.interval = variable.clamp();
                    own.origin.clamp = None;
                    self.runtime.push(own);
                    self.runtime.len() - 1
                }
            };
            self.place.push(at);
            if variable.interval != variable.clamp() {
                self.present(rt(at), variable.interval);
            }
        }
        Ok(())
    }

    /// The variable, read once for the whole tile: at an index that does not move, or that moves
    /// with dimensions of which the tile has one index only, which is then asked of it. The index
    /// becomes one over the root's offsets.
    ///
    /// # Errors
    /// If it is read from element to element.
    fn read_once(&mut self, variable: &RuntimeVariable) -> Result<RuntimeVariable, String> {
        let mut variable = variable.clone();
        let Some(index) = variable.origin.index.take() else {
            return Ok(variable);
        };
        let mut index = *index;
        if !index.is_known() || !index.runtime().is_empty() {
            return Err(VALUES.into());
        }
        let mut moving = Vec::new();
        for expr in index.results() {
            let mut other = false;
            expr.for_each_variable(|kind| match kind {
                ExprKind::Dim(k) if !moving.contains(k) => moving.push(*k),
                ExprKind::Dim(_) => {}
                _ => other = true,
            });
            if other {
                return Err(VALUES.into());
            }
        }
        let mut offsets = vec![c(0); self.dims.len()];
        for k in moving {
            let size = self.dims[k].size.clone();
            // Its size is 1, also where it is a part of the offset.
            let offset = self.dims[k].offset.replace(|kind| match kind {
                ExprKind::Range(j) if *size.kind() == ExprKind::Range(*j) => c(1),
                ExprKind::Range(j) => s(*j),
                ExprKind::Dim(j) => d(*j),
                ExprKind::Runtime(j) => rt(*j),
                _ => c(0),
            });
            let mut known = true;
            offset.for_each_variable(|kind| known &= matches!(kind, ExprKind::Dim(_)));
            if !known || size.as_constant().is_some_and(|size| size != 1) {
                return Err(VALUES.into());
            }
            self.require(size, Interval::point(1))?;
            offsets[k] = offset;
        }
        let at = |expr: &Expr| {
            expr.replace(|kind| match kind {
                ExprKind::Dim(k) => offsets[*k].clone(),
                _ => c(0),
            })
        };
        let results = index.results().iter().map(at).collect();
        let dims = self
            .root
            .iter()
            .map(|(offsets, _)| Variable::new(*offsets))
            .collect();
        index = IndexingMap::new(dims, results).simplify();
        variable.origin.index = Some(Box::new(index));
        Ok(variable)
    }

    /// The part of a sum that is one value for the whole tile, if everything else is one dimension:
    /// its coefficient and number.
    fn single_dim(&self, sum: &Sum) -> Option<(Option<(i64, usize)>, Expr)> {
        let (terms, constant) = sum.numbers()?;
        let mut rest = c(constant);
        let mut dim = None;
        for (atom, coefficient) in terms {
            match (self.sums.runtime(atom), self.sums.dim(atom)) {
                (Some(k), _) => rest = rest + rt(*self.place.get(k)?) * coefficient,
                (_, Some(k)) if dim.is_none() => dim = Some((coefficient, k)),
                _ => return None,
            }
        }
        Some((dim, rest))
    }

    /// Cuts the tile to where the map is defined.
    fn clip_dims(&mut self) -> Result<(), String> {
        for (k, variable) in self.map.dims().iter().enumerate() {
            let last = self.dims[k].whole.map_or(i64::MAX, |n| n.saturating_sub(1));
            let lower = (variable.interval.lower > 0).then(|| c(variable.interval.lower));
            let upper = (variable.interval.upper < last).then(|| c(variable.interval.upper));
            let whole = self.dims[k].whole;
            let axis = self.clip(self.dims[k].axis(), lower, upper);
            self.dims[k] = axis.running(whole);
        }
        for (n, constraint) in self.map.constraints().iter().enumerate() {
            let sum = self.sums.read(&constraint.expr);
            let Some((dim, rest)) = sum.and_then(|sum| self.single_dim(&sum)) else {
                continue;
            };
            self.done[n] = true;
            let Interval { lower, upper } = constraint.interval;
            let Some((coefficient, k)) = dim else {
                self.present(rest, constraint.interval);
                continue;
            };
            // lower - rest <= coefficient * d <= upper - rest
            let bound = |value: i64| {
                (!matches!(value, i64::MIN | i64::MAX)).then(|| c(value) - rest.clone())
            };
            let (low, high) = (bound(lower), bound(upper));
            let n = coefficient.checked_abs().ok_or(BEYOND)?;
            let (low, high) = if coefficient > 0 {
                (low.map(|e| e.ceil_div(n)), high.map(|e| e.floor_div(n)))
            } else {
                (
                    high.map(|e| (-e).ceil_div(n)),
                    low.map(|e| (-e).floor_div(n)),
                )
            };
            let whole = self.dims[k].whole;
            let axis = self.clip(self.dims[k].axis(), low, high);
            self.dims[k] = axis.running(whole);
        }
        Ok(())
    }

    /// The elements of an axis within bounds. It is empty where the new size is below 1.
    fn clip(&mut self, axis: Axis, lower: Option<Expr>, upper: Option<Expr>) -> Axis {
        if lower.is_none() && upper.is_none() {
            return axis;
        }
        let Axis {
            offset,
            size,
            stride,
        } = axis;
        if stride == 1 {
            let end = offset.clone() + size;
            let first = match lower {
                Some(lower) => offset.max(lower),
                None => offset,
            };
            let end = match upper {
                Some(upper) => end.min(upper + 1),
                None => end,
            };
            let size = end - first.clone();
            self.present(size.clone(), Interval::new(1, i64::MAX));
            return Axis {
                offset: first,
                size,
                stride,
            };
        }
        let first = match lower {
            Some(lower) => (lower - offset.clone()).ceil_div(stride).max(0),
            None => c(0),
        };
        let end = match upper {
            Some(upper) => (upper - offset.clone()).floor_div(stride).min(size - 1),
            None => size - 1,
        };
        let size = end - first.clone() + 1;
        self.present(size.clone(), Interval::new(1, i64::MAX));
        Axis {
            offset: offset + first * stride,
            size,
            stride,
        }
    }

    /// Takes the values that a dimension runs over. A second dimension of the operand that moves
    /// with it is a diagonal, of which one element is a box.
    fn take(&mut self, k: usize) -> Result<Progression, String> {
        let mut run = self.dims[k].clone();
        if std::mem::replace(&mut self.taken_dims[k], true) {
            if run.size.as_constant().is_some_and(|size| size != 1) {
                return Err(format!(
                    "two dimensions of the operand move with dimension {k}: a diagonal is no box"
                ));
            }
            self.require(run.size, Interval::point(1))?;
            run.size = c(1);
        }
        Ok(run)
    }

    /// A sum of variables and digits, cut by the constraints on that very sum.
    pub fn axis(&mut self, sum: &Sum, groups: &[Group]) -> Result<Axis, String> {
        let mut runs: Vec<(i64, Progression)> = Vec::new();
        let mut ranges: Vec<(i64, usize)> = Vec::new();
        let (terms, constant) = sum.numbers().ok_or(BEYOND)?;
        let mut offset = c(constant);
        for (atom, coefficient) in terms {
            if let Some(k) = self.sums.dim(atom) {
                runs.push((coefficient, self.take(k)?));
            } else if let Some(k) = self.sums.range(atom) {
                if std::mem::replace(&mut self.taken_ranges[k], true) {
                    return Err(format!(
                        "range variable {k} moves the operand in two ways, which is no box for a tile"
                    ));
                }
                ranges.push((coefficient, k));
            } else if let Some(k) = self.sums.runtime(atom) {
                let at = *self.place.get(k).ok_or("a runtime variable is missing")?;
                offset = offset + rt(at) * coefficient;
            } else {
                let group = groups.iter().find(|group| group.base == atom.base);
                let digits = group.map_or(&[][..], |group| &group.digits);
                let ends = atom.numbers();
                let Some((_, run)) = digits.iter().find(|(digit, _)| ends == Some(*digit)) else {
                    return Err(format!(
                        "an index of the operand is made of {}, which is no box for a tile",
                        self.sums.text(&Sum::atom(atom.clone()))
                    ));
                };
                runs.push((coefficient, run.clone()));
            }
        }
        let mut axis = self.merged(runs)?;
        axis.offset = axis.offset + offset;
        for (coefficient, k) in ranges {
            let interval = self.map.ranges()[k].interval;
            axis = self.widened(axis, coefficient, interval)?;
        }
        self.clip_sum(axis, sum)
    }

    /// Cuts an axis by the constraints on its sum, which may be shifted by a constant.
    fn clip_sum(&mut self, mut axis: Axis, own: &Sum) -> Result<Axis, String> {
        if own.terms.is_empty() {
            return Ok(axis);
        }
        for (k, constraint) in self.map.constraints().iter().enumerate() {
            if self.done[k] {
                continue;
            }
            let other = self.sums.read(&constraint.expr);
            let Some(shift) = other.and_then(|other| other.minus(own).as_number()) else {
                continue;
            };
            self.done[k] = true;
            let bound = |value: i64| match value {
                i64::MIN | i64::MAX => Ok(None),
                value => value
                    .checked_sub(shift)
                    .map(|value| Some(c(value)))
                    .ok_or(BEYOND),
            };
            let (lower, upper) = (
                bound(constraint.interval.lower)?,
                bound(constraint.interval.upper)?,
            );
            axis = self.clip(axis, lower, upper);
        }
        Ok(axis)
    }

    /// A window: the axis, repeated at distances of `coefficient`.
    fn widened(
        &mut self,
        axis: Axis,
        coefficient: i64,
        interval: Interval,
    ) -> Result<Axis, String> {
        let count = i64::try_from(interval.len()).map_err(|_| BEYOND)?;
        let first = if coefficient > 0 {
            interval.lower
        } else {
            interval.upper
        };
        let offset = axis.offset + first.checked_mul(coefficient).ok_or(BEYOND)?;
        let step = coefficient.checked_abs().ok_or(BEYOND)?;
        if axis.size.as_constant() == Some(1) {
            return Ok(Axis {
                offset,
                size: c(count),
                stride: step,
            });
        }
        if count == 1 {
            return Ok(Axis { offset, ..axis });
        }
        let stride = gcd(axis.stride, step).max(1);
        let (a, b) = (axis.stride / stride, step / stride);
        // (size - 1) * a + (count - 1) * b + 1 places; all of them are read if one part fills the
        // gaps of the other.
        let filled = (b == 1 && a <= count)
            || (a == 1 && (b == 1 || axis.size.as_constant().is_some_and(|size| b <= size)));
        self.exact &= filled;
        let size = (axis.size - 1) * a + ((count - 1).checked_mul(b).ok_or(BEYOND)? + 1);
        Ok(Axis {
            offset,
            size,
            stride,
        })
    }

    /// Progressions with coefficients as one: the inner ones whole, or the outer ones a single
    /// index.
    fn merged(&mut self, mut runs: Vec<(i64, Progression)>) -> Result<Axis, String> {
        runs.sort_by_key(|(coefficient, _)| std::cmp::Reverse(coefficient.unsigned_abs()));
        let mut axis = Axis {
            offset: c(0),
            size: c(1),
            stride: 1,
        };
        for (at, (coefficient, run)) in runs.into_iter().enumerate() {
            let Progression {
                offset,
                size,
                stride,
                whole,
            } = run;
            let step = coefficient
                .checked_abs()
                .and_then(|n| n.checked_mul(stride))
                .ok_or(BEYOND)?;
            let first = if coefficient > 0 {
                offset.clone() * coefficient
            } else {
                // Backward: the last element comes first.
                (offset.clone() + (size.clone() - 1) * stride) * coefficient
            };
            if at == 0 || axis.size.as_constant() == Some(1) {
                axis = Axis {
                    offset: axis.offset + first,
                    size,
                    stride: step,
                };
                continue;
            }
            if size.as_constant() == Some(1) {
                axis.offset = axis.offset + first;
                continue;
            }
            // The inner one is taken whole, and the outer one steps over exactly that.
            let whole = whole
                .filter(|whole| {
                    stride == 1 && step.checked_mul(*whole).is_some_and(|n| axis.stride == n)
                })
                .ok_or("a dimension of the operand moves with two of the tile, which is no box")?;
            self.require(size, Interval::point(whole))?;
            self.require(offset, Interval::point(0))?;
            axis = Axis {
                offset: axis.offset + first,
                size: axis.size * whole,
                stride: step,
            };
        }
        Ok(axis)
    }
}

impl Progression {
    fn axis(&self) -> Axis {
        Axis {
            offset: self.offset.clone(),
            size: self.size.clone(),
            stride: self.stride,
        }
    }
}

impl Axis {
    fn running(self, whole: Option<i64>) -> Progression {
        Progression {
            offset: self.offset,
            size: self.size,
            stride: self.stride,
            whole,
        }
    }
}
