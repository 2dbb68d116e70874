//! Maps composed with an index, and simplified.

use super::{
    element::tensor,
    reads::{Reads, RunTime, is_sum_of_multiples},
};
use crate::error::{Result, unsupported};
use mapwright_indexing::{Constraint, Expr, ExprKind, IndexingMap, Interval, Variable, c, d, rt};
use mapwright_mlir::{Op, Val};
use mapwright_ops::query::parse_size_label;

/// Operations of an index beyond which a region is not one `linalg.generic`.
const MOST_OPERATIONS: usize = 256;

/// A map over the loops.
pub(super) struct Composed {
    index: Vec<Expr>,
    /// The number of its first runtime variable.
    first: usize,
    pub results: Vec<Expr>,
}

impl Composed {
    fn expr(&self, expr: &Expr) -> Expr {
        expr.replace(|kind| match kind {
            ExprKind::Dim(i) => self.index.get(*i).cloned().unwrap_or_else(|| c(0)),
            ExprKind::Runtime(i) => rt(self.first + i),
            _ => c(0),
        })
    }
}

impl<'c> Reads<'c> {
    /// The map with the index in the place of its dimensions: its results over the loops, and its
    /// runtime variables.
    pub(super) fn composed(
        &mut self,
        op: Op<'c>,
        map: &IndexingMap,
        index: &[Expr],
        guarded: bool,
    ) -> Result<Composed> {
        if map.dims().len() != index.len() {
            return unsupported(format!("'{}' has maps of another rank", op.name()));
        }
        let first = self.runtime.len();
        for variable in map.runtime() {
            let label = &variable.origin.value;
            let source = match (parse_size_label(label), &variable.origin.index) {
                (Some((operand, k)), _) => {
                    let value = operand_of(op, operand)?;
                    RunTime::Size(self.sized(value)?, k)
                }
                (None, Some(origin)) => {
                    let value = operand_of(op, label)?;
                    let at = Composed {
                        index: index.to_vec(),
                        first,
                        results: Vec::new(),
                    };
                    let at: Vec<Expr> = origin.results().iter().map(|e| at.expr(e)).collect();
                    let at = self.simplified(at)?;
                    let element = tensor(value)?.element;
                    RunTime::Element(
                        self.element(value, &at, guarded)?,
                        element,
                        variable.clamp(),
                    )
                }
                _ => return unsupported("an index from elsewhere"),
            };
            self.runtime.push(source);
        }
        let mut composed = Composed {
            index: index.to_vec(),
            first,
            results: Vec::new(),
        };
        let results = map
            .results()
            .iter()
            .map(|expr| composed.expr(expr))
            .collect();
        composed.results = self.simplified(results)?;
        Ok(composed)
    }

    /// The value outside whose dimension is asked for.
    fn sized(&self, value: Val<'c>) -> Result<Val<'c>> {
        self.outside_of_region(value)
    }

    /// Returns the constraints under which `map` applies, as far as they do not follow from the
    /// loops.
    pub(super) fn conditions(
        &mut self,
        op: Op<'c>,
        map: &IndexingMap,
        index: &[Expr],
        at: &Composed,
    ) -> Result<Vec<Constraint>> {
        if map.dims().len() != index.len() {
            return unsupported(format!("'{}' has maps of another rank", op.name()));
        }
        let mut found = Vec::new();
        for (variable, expr) in map.dims().iter().zip(index) {
            self.require(&mut found, expr.clone(), variable.interval);
        }
        for constraint in map.constraints() {
            let expr = self.simplified(vec![at.expr(&constraint.expr)])?;
            for expr in expr {
                self.require(&mut found, expr, constraint.interval);
            }
        }
        Ok(found)
    }

    /// The index must be below the run-time sizes of `value`.
    pub(super) fn below_sizes(
        &mut self,
        value: Val<'c>,
        index: &[Expr],
        found: &mut Vec<Constraint>,
    ) -> Result<()> {
        for (k, dim) in tensor(value)?.dims.iter().enumerate() {
            if dim.fixed().is_none() {
                let sized = self.sized(value)?;
                self.runtime.push(RunTime::Size(sized, k));
                found.push(Constraint {
                    expr: index[k].clone() - rt(self.runtime.len() - 1),
                    interval: Interval::new(i64::MIN, -1),
                });
            }
        }
        Ok(())
    }

    fn require(&self, found: &mut Vec<Constraint>, expr: Expr, interval: Interval) {
        let bounds = self.bounds(&expr);
        if interval.contains_interval(bounds) {
            return;
        }
        // What the loops say already is not asked.
        let lower = if bounds.lower >= interval.lower {
            i64::MIN
        } else {
            interval.lower
        };
        let upper = if bounds.upper <= interval.upper {
            i64::MAX
        } else {
            interval.upper
        };
        let constraint = Constraint {
            expr,
            interval: Interval::new(lower, upper),
        };
        if !found.contains(&constraint) {
            found.push(constraint);
        }
    }

    /// The values of an expression.
    pub(super) fn bounds(&self, expr: &Expr) -> Interval {
        let runtime: Vec<Interval> = self.runtime.iter().map(RunTime::interval).collect();
        expr.bounds(&self.loops, &[], &runtime)
    }

    /// The expressions as short as the simplifier makes them.
    ///
    /// # Errors
    /// They are longer than is worth computing for each element.
    pub(super) fn simplified(&mut self, index: Vec<Expr>) -> Result<Vec<Expr>> {
        let plain = |expr: &Expr| !matches!(expr.kind(), ExprKind::Binary(..));
        // Windows are read as their maps say, also where they have one place only.
        let is_window = |expr: &Expr| plain(expr) || is_sum_of_multiples(expr);
        if self.windows && index.iter().all(is_window) {
            return Ok(index);
        }
        if index.iter().all(plain) || self.loops.iter().any(|of| of.is_empty()) {
            return Ok(index);
        }
        // Runtime variables are dimensions to it, so that all keep their numbers.
        let loops = self.loops.len();
        let runtime = self.runtime.iter().map(RunTime::interval);
        let dims = self.loops.iter().copied().chain(runtime);
        let dims: Vec<Variable> = dims.map(Variable::new).collect();
        let renamed = |kind: &ExprKind| match kind {
            ExprKind::Runtime(i) => d(loops + i),
            ExprKind::Dim(i) => d(*i),
            _ => c(0),
        };
        let results = index.iter().map(|expr| expr.replace(renamed)).collect();
        let map = IndexingMap::new(dims, results).simplify_with(&mut self.simplifier, false);
        let map = map.map;
        let found = if map.is_known() && map.results().len() == index.len() {
            let back = |kind: &ExprKind| match kind {
                ExprKind::Dim(i) if *i >= loops => rt(i - loops),
                ExprKind::Dim(i) => d(*i),
                _ => c(0),
            };
            let shorter = map.results().iter().map(|expr| expr.replace(back));
            let both = index.into_iter().zip(shorter);
            both.map(|(own, shorter)| if plain(&own) { own } else { shorter })
                .collect()
        } else {
            index
        };
        let operations = found.iter().map(Expr::operation_count);
        if operations.fold(0, usize::saturating_add) <= MOST_OPERATIONS {
            Ok(found)
        } else {
            unsupported(format!(
                "an index of more than {MOST_OPERATIONS} operations"
            ))
        }
    }
}

/// The operand whose position is the label.
fn operand_of<'c>(op: Op<'c>, label: &str) -> Result<Val<'c>> {
    let position = label.parse().ok().filter(|i| *i < op.num_operands());
    match position {
        Some(position) => Ok(op.operand(position)),
        None => unsupported("an index from elsewhere"),
    }
}
