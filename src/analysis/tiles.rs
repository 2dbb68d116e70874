//! Tiles: given a tile of an output, the tiles of everything upstream.
//!
//! A tile has, in every dimension, an offset and a size (symbolic: `o0`, `t0`, … are offset and size of the root's tile) and a stride
//! (a number): it holds the elements `offset + i * stride` for `i` in `[0, size - 1]`. The tile of an operand is right under
//! *conditions*: divisibility (`o0 mod 4 in [0, 0]`), or a dimension taken whole. `exact = false` means that the operand's tile holds
//! more than is read, or reaches over the operand's edge (a window at a padded border), where it has to be clipped.
//! What is no box with strides is refused, with the reason.

use crate::linear::{Sum, sum};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, Op as Operator, c, d, s};

/// A condition on offsets and sizes of the root's tile.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// An expression over offsets (`d`) and sizes (`s`) of the root.
    pub expr: Expr,
    /// The values it may have.
    pub interval: Interval,
}

/// A tile. Offsets and sizes are expressions: variable `d(k)` is the root's offset `o<k>`, `s(k)` its size `t<k>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// First element.
    pub offsets: Vec<Expr>,
    /// Number of elements.
    pub sizes: Vec<Expr>,
    /// Distance of elements, positive.
    pub strides: Vec<i64>,
    /// Under which it is right.
    pub conditions: Vec<Condition>,
    /// It holds exactly what is read.
    pub exact: bool,
}

/// The text of an expression over offsets and sizes.
pub fn text(expr: &Expr) -> String {
    expr.replace(|kind| match kind {
        ExprKind::Dim(k) => d(*k),
        ExprKind::Range(k) => s(*k),
        _ => c(0),
    })
    .to_string()
    .split_inclusive(|c: char| !c.is_ascii_alphanumeric())
    .map(|word| match word.as_bytes() {
        [b'd', digit, ..] if digit.is_ascii_digit() => format!("o{}", &word[1..]),
        [b's', digit, ..] if digit.is_ascii_digit() => format!("t{}", &word[1..]),
        _ => word.to_owned(),
    })
    .collect()
}

impl Tile {
    /// The root's own tile: all offsets and sizes are symbols, strides as given.
    pub fn root(strides: &[i64]) -> Self {
        Self {
            offsets: (0..strides.len()).map(d).collect(),
            sizes: (0..strides.len()).map(s).collect(),
            strides: strides.to_vec(),
            conditions: Vec::new(),
            exact: true,
        }
    }

    /// The tile of an operand that is read through `map`, if this is the tile of the result; both of static shape.
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
            return Err(reason.to_owned());
        }
        if map.is_known_empty() {
            return Err("nothing is read".into());
        }
        if !map.runtime.is_empty() {
            return Err("where it reads is known at run time only".into());
        }
        if map.dims.len() != self.offsets.len() || map.results.len() != operand.len() {
            return Err("the map does not fit the tile".into());
        }
        for (k, (variable, size)) in map.dims.iter().zip(result).enumerate() {
            if variable.interval.lower > 0 || variable.interval.upper < size - 1 {
                return Err(format!("only a part of dimension {k} comes from here"));
            }
        }
        let mut step = Step {
            tile: self,
            map,
            result,
            used: vec![false; map.dims.len()],
            conditions: self.conditions.clone(),
            exact: self.exact && map.exact,
        };
        let mut axes: Vec<Option<Axis>> = vec![None; operand.len()];
        let sums: Vec<Sum> = map
            .results
            .iter()
            .map(|expr| sum(expr).ok_or("a coefficient is beyond 64 bits".to_owned()))
            .collect::<Result<_, _>>()?;
        for j in 0..sums.len() {
            if axes[j].is_some() {
                continue;
            }
            let found = match step.split(&sums, j)? {
                Some(pairs) => pairs,
                None => vec![(j, step.axis(&sums[j], j)?)],
            };
            for (k, axis) in found {
                axes[k] = Some(axis);
            }
        }
        // A constraint that is left restricts what is read: at the edges (a window), or in the middle.
        for constraint in &map.constraints {
            let window = map.results.iter().any(|expr| *expr == constraint.expr)
                || constraint.interval.len() > 1;
            if !window {
                return Err(format!(
                    "only places with {} in {} are read",
                    constraint.expr, constraint.interval
                ));
            }
            step.exact = false;
        }
        let axes: Vec<Axis> = axes.into_iter().flatten().collect();
        Ok(Tile {
            offsets: axes.iter().map(|a| a.offset.clone()).collect(),
            sizes: axes.iter().map(|a| a.size.clone()).collect(),
            strides: axes.iter().map(|a| a.stride).collect(),
            conditions: step.conditions,
            exact: step.exact,
        })
    }

    /// The values of a tile for given offsets and sizes of the root: offsets, sizes; `None` if a condition fails.
    pub fn eval(&self, offsets: &[i64], sizes: &[i64]) -> Option<(Vec<i64>, Vec<i64>)> {
        let at = |expr: &Expr| expr.eval(offsets, sizes, &[]).ok();
        for condition in &self.conditions {
            if !condition.interval.contains(at(&condition.expr)?) {
                return None;
            }
        }
        Some((
            self.offsets.iter().map(at).collect::<Option<_>>()?,
            self.sizes.iter().map(at).collect::<Option<_>>()?,
        ))
    }
}

#[derive(Clone)]
struct Axis {
    offset: Expr,
    size: Expr,
    stride: i64,
}

struct Step<'a> {
    tile: &'a Tile,
    map: &'a IndexingMap,
    result: &'a [i64],
    /// Result dimensions that an operand dimension has taken.
    used: Vec<bool>,
    conditions: Vec<Condition>,
    exact: bool,
}

impl Step<'_> {
    fn require(&mut self, expr: Expr, interval: Interval) {
        if let Some(value) = expr.as_constant()
            && interval.contains(value)
        {
            return;
        }
        let condition = Condition { expr, interval };
        if !self.conditions.contains(&condition) {
            self.conditions.push(condition);
        }
    }

    fn take(&mut self, k: usize) -> Result<(), String> {
        if std::mem::replace(&mut self.used[k], true) {
            return Err(format!(
                "two dimensions of the operand move with dimension {k}: a diagonal is no box"
            ));
        }
        Ok(())
    }

    /// One operand dimension that is a sum of variables.
    fn axis(&mut self, sum: &Sum, j: usize) -> Result<Axis, String> {
        let mut dims: Vec<(i64, usize)> = Vec::new();
        let mut ranges: Vec<(i64, usize)> = Vec::new();
        for (coefficient, atom) in &sum.terms {
            match atom.kind() {
                ExprKind::Dim(k) => dims.push((*coefficient, *k)),
                ExprKind::Range(k) => ranges.push((*coefficient, *k)),
                _ => {
                    return Err(format!(
                        "dimension {j} is read at {}, which is no box for a tile",
                        self.map.results[j]
                    ));
                }
            }
        }
        for (_, k) in &dims {
            self.take(*k)?;
        }
        // The result dimensions together: one progression.
        let mut axis = self.merged(dims, j)?;
        axis.offset = axis.offset + sum.constant;
        for (coefficient, k) in ranges {
            let interval = self.map.ranges[k].interval;
            let shared = self.map.results.iter().enumerate().any(|(other, expr)| {
                let mut found = false;
                expr.for_each_variable(|kind| found |= *kind == ExprKind::Range(k));
                found && other != j
            });
            if shared {
                return Err(format!(
                    "range variable {k} moves two dimensions of the operand"
                ));
            }
            axis = self.widened(axis, coefficient, interval)?;
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
        let count = i64::try_from(interval.len()).map_err(|_| "a range beyond 64 bits")?;
        let first = if coefficient > 0 {
            interval.lower
        } else {
            interval.upper
        };
        let offset = axis.offset
            + first
                .checked_mul(coefficient)
                .ok_or("an offset beyond 64 bits")?;
        let step = coefficient.abs();
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
        let stride = gcd(axis.stride, step);
        let (a, b) = (axis.stride / stride, step / stride);
        // (size - 1) * a + (count - 1) * b + 1 places; all of them are read if each part fills the gaps of the other.
        let filled = (b == 1 && a <= count) || (a == 1 && b == 1);
        self.exact &= filled;
        let size = (axis.size - 1) * a + ((count - 1) * b + 1);
        Ok(Axis {
            offset,
            size,
            stride,
        })
    }

    /// Result dimensions with coefficients as one progression: the inner ones whole, or the outer ones a single index.
    fn merged(&mut self, mut dims: Vec<(i64, usize)>, j: usize) -> Result<Axis, String> {
        dims.sort_by_key(|(coefficient, k)| (std::cmp::Reverse(coefficient.abs()), *k));
        let mut axis = Axis {
            offset: c(0),
            size: c(1),
            stride: 1,
        };
        for (at, (coefficient, k)) in dims.into_iter().enumerate() {
            let (offset, size, stride) = (
                self.tile.offsets[k].clone(),
                self.tile.sizes[k].clone(),
                self.tile.strides[k],
            );
            let step = coefficient
                .abs()
                .checked_mul(stride)
                .ok_or("a stride beyond 64 bits")?;
            let first = match coefficient > 0 {
                true => offset.clone() * coefficient,
                // Backward: the last element comes first.
                false => (offset.clone() + (size.clone() - 1) * stride) * coefficient,
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
            // The inner dimension is taken whole, and the outer one steps over exactly that.
            let whole = self.result[k];
            if coefficient < 0
                || stride != 1
                || axis.stride != step.checked_mul(whole).ok_or("a stride beyond 64 bits")?
            {
                return Err(format!(
                    "dimension {j} is read at {}, which is no box for a tile",
                    self.map.results[j]
                ));
            }
            self.require(size.clone(), Interval::point(whole));
            self.require(offset, Interval::point(0));
            axis = Axis {
                offset: axis.offset + first,
                size: axis.size * whole,
                stride: step,
            };
        }
        Ok(axis)
    }

    /// Operand dimensions that are quotient and remainder of one and the same expression: `e floordiv n` and `e mod n`.
    fn split(&mut self, sums: &[Sum], j: usize) -> Result<Option<Vec<(usize, Axis)>>, String> {
        let digit = |sum: &Sum| -> Option<(Operator, Expr, i64)> {
            let [(1, atom)] = sum.terms.as_slice() else {
                return None;
            };
            if sum.constant != 0 {
                return None;
            }
            match atom.kind() {
                ExprKind::Binary(op @ (Operator::FloorDiv | Operator::Mod), e, n) => {
                    Some((*op, e.clone(), n.as_constant()?))
                }
                _ => None,
            }
        };
        let Some((op, e, n)) = digit(&sums[j]) else {
            return Ok(None);
        };
        // The whole expression's own progression.
        let inner = sum(&e).ok_or("a coefficient is beyond 64 bits")?;
        let partner = (0..sums.len()).filter(|k| *k != j).find(|k| {
            digit(&sums[*k]).is_some_and(|(other, f, m)| other != op && m == n && f == e)
        });
        let nested = inner
            .terms
            .iter()
            .any(|(_, atom)| matches!(atom.kind(), ExprKind::Binary(..)));
        if nested || n <= 0 {
            return Err(format!(
                "dimension {j} is read at {}, which is no box for a tile",
                self.map.results[j]
            ));
        }
        let axis = self.axis(&inner, j)?;
        if axis.stride != 1 {
            return Err(format!(
                "dimension {j} is read at {} with a stride of {}",
                self.map.results[j], axis.stride
            ));
        }
        // Either the tile is made of whole rows, or it lies within one row.
        let within = axis
            .size
            .as_constant()
            .is_some_and(|size| size > 0 && n % size == 0);
        let (quotient, remainder) = if within {
            let size = axis.size.as_constant().unwrap_or(1);
            if size > 1 {
                self.require(axis.offset.clone().modulo(size), Interval::point(0));
            }
            (
                Axis {
                    offset: axis.offset.clone().floor_div(n),
                    size: c(1),
                    stride: 1,
                },
                Axis {
                    offset: axis.offset.modulo(n),
                    size: c(size),
                    stride: 1,
                },
            )
        } else {
            self.require(axis.offset.clone().modulo(n), Interval::point(0));
            self.require(axis.size.clone().modulo(n), Interval::point(0));
            (
                Axis {
                    offset: axis.offset.floor_div(n),
                    size: axis.size.floor_div(n),
                    stride: 1,
                },
                Axis {
                    offset: c(0),
                    size: c(n),
                    stride: 1,
                },
            )
        };
        let (own, other) = if op == Operator::FloorDiv {
            (quotient, remainder)
        } else {
            (remainder, quotient)
        };
        let mut found = vec![(j, own)];
        if let Some(k) = partner {
            found.push((k, other));
        }
        Ok(Some(found))
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}
