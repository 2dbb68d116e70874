//! Variables that move between the lists, get other names or values, or go away.

use crate::error::MapError;
use crate::expr::{Expr, ExprKind, c, d, rt, s};
use crate::interval::Interval;
use crate::map::{IndexingMap, Variable};

/// New form of a variable of the old map: its values are `scale * v + offset` for `v` in the
/// interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VariableMapping {
    /// Position of `v` in its list of variables now. `None`: nothing depends on it any more.
    pub position: Option<usize>,
    /// The values of `v`.
    pub interval: Interval,
    /// The stride of the old variable.
    pub scale: i64,
    /// Its value for 0.
    pub offset: i64,
}

impl VariableMapping {
    /// `v` for a value of the old variable, if there is one.
    pub(crate) fn new_value(&self, old: i64) -> Option<i128> {
        let (v, scale) = (old as i128 - self.offset as i128, self.scale as i128);
        (v % scale == 0).then(|| v.div_euclid(scale))
    }

    /// `v` for the old variable.
    pub(crate) fn new_expr(&self, old: Expr) -> Expr {
        (old - self.offset).floor_div(self.scale)
    }

    /// The old variable for `v`, or for its first value where it is gone.
    pub(crate) fn old_expr(&self, make: fn(usize) -> Expr) -> Expr {
        let v = self.position.map_or_else(|| c(self.interval.lower), make);
        v * self.scale + self.offset
    }
}

impl IndexingMap {
    /// Range variables become dimensions, after the dimensions there are.
    #[must_use]
    pub fn ranges_to_dims(mut self) -> Self {
        let nd = self.dims.len();
        let mut f = |k: &ExprKind| match *k {
            ExprKind::Range(i) => d(nd + i),
            ExprKind::Runtime(i) => rt(i),
            ExprKind::Dim(i) => d(i),
            _ => c(0),
        };
        self.replace_everywhere(&mut f);
        let ranges = std::mem::take(&mut self.ranges);
        self.dims.extend(ranges);
        self.refresh_origins();
        self
    }

    /// These dimensions become range variables, before the range variables there are; the other
    /// dimensions move up.
    #[must_use]
    pub fn dims_to_ranges(mut self, positions: &[usize]) -> Self {
        let n = positions.len();
        let rank = |i: usize| (0..i).filter(|j| !positions.contains(j)).count();
        let mut f = |k: &ExprKind| match *k {
            ExprKind::Dim(i) => match positions.iter().position(|p| *p == i) {
                Some(r) => s(r),
                None => d(rank(i)),
            },
            ExprKind::Range(i) => s(n + i),
            ExprKind::Runtime(i) => rt(i),
            _ => c(0),
        };
        self.replace_everywhere(&mut f);
        let moved: Vec<Variable> = positions
            .iter()
            .filter_map(|p| self.dims.get(*p).cloned())
            .collect();
        let mut at = 0;
        self.dims.retain(|_| {
            at += 1;
            !positions.contains(&(at - 1))
        });
        self.ranges.splice(0..0, moved);
        self.refresh_origins();
        self
    }

    /// Dimension `i` of the new map is dimension `order[i]` of this one.
    ///
    /// # Errors
    /// [`MapError::NoPermutation`] if `order` is none.
    pub fn permute_dims(mut self, order: &[usize]) -> Result<Self, MapError> {
        check_permutation(order, self.dims.len(), "dimensions")?;
        let mut f = |k: &ExprKind| match *k {
            ExprKind::Dim(i) => d(order.iter().position(|o| *o == i).unwrap_or(i)),
            ExprKind::Range(i) => s(i),
            ExprKind::Runtime(i) => rt(i),
            _ => c(0),
        };
        self.replace_everywhere(&mut f);
        self.dims = order.iter().map(|i| self.dims[*i].clone()).collect();
        self.refresh_origins();
        Ok(self)
    }

    /// Gives names to the dimensions; an empty name takes the own name away.
    #[must_use]
    pub fn rename_dims(mut self, names: &[&str]) -> Self {
        for (v, n) in self.dims.iter_mut().zip(names) {
            v.name = (*n).to_string();
        }
        self
    }

    /// Sets a dimension to a value: it keeps its place, with that value only. The domain is empty
    /// if the value is not in it.
    #[must_use]
    pub fn fix_dim(mut self, position: usize, value: i64) -> Self {
        if let Some(v) = self.dims.get_mut(position) {
            v.interval = v.interval.intersect(Interval::point(value));
        }
        self
    }

    /// Removes the dimensions that occur nowhere; returns the positions of those that stay. A
    /// dimension without a value stays, because it makes the domain empty.
    #[must_use]
    pub fn remove_unused_dims(mut self) -> (Self, Vec<usize>) {
        let mut used = vec![false; self.dims.len()];
        let mut mark = |e: &Expr| {
            e.for_each_variable(|k| {
                if let ExprKind::Dim(i) = k
                    && let Some(u) = used.get_mut(*i)
                {
                    *u = true;
                }
            });
        };
        self.expressions().iter().for_each(&mut mark);
        for v in &self.runtime {
            if let Some(index) = &v.origin.index {
                index.expressions().iter().for_each(&mut mark);
            }
        }
        let kept: Vec<usize> = (0..self.dims.len())
            .filter(|i| used[*i] || self.dims[*i].interval.is_empty())
            .collect();
        let mut f = |k: &ExprKind| match *k {
            ExprKind::Dim(i) => d(kept.iter().position(|p| *p == i).unwrap_or(i)),
            ExprKind::Range(i) => s(i),
            ExprKind::Runtime(i) => rt(i),
            _ => c(0),
        };
        self.replace_everywhere(&mut f);
        self.dims = kept.iter().map(|i| self.dims[*i].clone()).collect();
        self.refresh_origins();
        (self, kept)
    }

    /// Gives names to all variables: dimensions, ranges, runtime. A list that is shorter leaves the
    /// rest as it is.
    #[must_use]
    pub fn rename(mut self, dims: &[&str], ranges: &[&str], runtime: &[&str]) -> Self {
        self = self.rename_dims(dims);
        for (v, n) in self.ranges.iter_mut().zip(ranges) {
            v.name = (*n).to_string();
        }
        for (v, n) in self.runtime.iter_mut().zip(runtime) {
            v.name = (*n).to_string();
        }
        self.refresh_origins();
        self
    }

    /// Range variable `i` of the new map is range variable `order[i]` of this one.
    ///
    /// # Errors
    /// [`MapError::NoPermutation`] if `order` is none.
    pub fn permute_ranges(mut self, order: &[usize]) -> Result<Self, MapError> {
        check_permutation(order, self.ranges.len(), "range variables")?;
        let mut f = |k: &ExprKind| match *k {
            ExprKind::Range(i) => s(order.iter().position(|o| *o == i).unwrap_or(i)),
            ExprKind::Dim(i) => d(i),
            ExprKind::Runtime(i) => rt(i),
            _ => c(0),
        };
        self.replace_everywhere(&mut f);
        self.ranges = order.iter().map(|i| self.ranges[*i].clone()).collect();
        self.refresh_origins();
        Ok(self)
    }

    /// Puts a value in the place of a variable (`ExprKind::Dim(0)`, …), which goes away: those
    /// after it move up. The map is known to be empty if the value is not in the variable's
    /// interval.
    ///
    /// # Errors
    /// If there is no such variable, or the value makes a divisor zero.
    pub fn replace_variable(mut self, variable: &ExprKind, value: i64) -> Result<Self, MapError> {
        let (at, count) = match variable {
            ExprKind::Dim(i) => (*i, self.dims.len()),
            ExprKind::Range(i) => (*i, self.ranges.len()),
            ExprKind::Runtime(i) => (*i, self.runtime.len()),
            _ => return Err(MapError::NoVariable),
        };
        if at >= count {
            let number = at.saturating_add(1);
            return Err(MapError::NotSoMany { number, count });
        }
        let moved = |i: usize| if i > at { i - 1 } else { i };
        let mut f = |k: &ExprKind| match (k, variable) {
            (k, v) if k == v => c(value),
            (ExprKind::Dim(i), ExprKind::Dim(_)) => d(moved(*i)),
            (ExprKind::Range(i), ExprKind::Range(_)) => s(moved(*i)),
            (ExprKind::Runtime(i), ExprKind::Runtime(_)) => rt(moved(*i)),
            (ExprKind::Dim(i), _) => d(*i),
            (ExprKind::Range(i), _) => s(*i),
            (ExprKind::Runtime(i), _) => rt(*i),
            _ => c(0),
        };
        self.replace_everywhere(&mut f);
        let interval = match variable {
            ExprKind::Dim(_) => self.dims.remove(at).interval,
            ExprKind::Range(_) => self.ranges.remove(at).interval,
            _ => self.runtime.remove(at).interval,
        };
        self.refresh_origins();
        if !interval.contains(value) && self.is_known() {
            self = self.into_known_empty();
        }
        self.verify()?;
        Ok(self)
    }

    /// Puts another expression in the place of each in the index maps of runtime variables, which
    /// get the variables that the map has.
    pub fn map_indices(&mut self, mut new: impl FnMut(&Expr) -> Expr) {
        let indices = self
            .runtime
            .iter_mut()
            .filter_map(|v| v.origin.index.as_mut());
        for index in indices.filter(|index| index.is_known()) {
            index.rewrite(&mut new);
        }
        self.refresh_origins();
        self.check();
    }

    /// Replaces variables in the map and in the index maps of its runtime variables.
    fn replace_everywhere(&mut self, f: &mut dyn FnMut(&ExprKind) -> Expr) {
        self.replace_variables(f);
        for v in &mut self.runtime {
            if let Some(index) = &mut v.origin.index {
                index.replace_variables(f);
            }
        }
    }

    /// Gives the index maps of runtime variables the variables that the map has now.
    fn refresh_origins(&mut self) {
        let (dims, ranges, runtime) =
            (self.dims.clone(), self.ranges.clone(), self.runtime.clone());
        for v in &mut self.runtime {
            if let Some(index) = &mut v.origin.index
                && index.is_known()
            {
                index.dims.clone_from(&dims);
                let n = crate::compose::used_prefix(index, false);
                index.ranges = ranges.iter().take(n).cloned().collect();
                let n = crate::compose::used_prefix(index, true);
                index.runtime = runtime.iter().take(n).cloned().collect();
                for inner in &mut index.runtime {
                    inner.origin = crate::map::Origin::default();
                }
            }
        }
    }
}

fn check_permutation(order: &[usize], count: usize, of: &'static str) -> Result<(), MapError> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if sorted == (0..count).collect::<Vec<_>>() {
        Ok(())
    } else {
        Err(MapError::NoPermutation {
            order: order.to_vec(),
            count,
            of,
        })
    }
}
