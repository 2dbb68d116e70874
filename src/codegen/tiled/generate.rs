//! The kernel of a region: its tiles, and in each of them the sweeps.
//!
//! A reduction is emitted before the loops that need its result. Accumulators live in
//! `memref.alloca`s of the frame that LLVM turns into registers.

use super::analysis::Analysis;
use super::element;
use super::emitter::{Bound, EmitResult, LoopEmitter, Scope};
use super::plan::{LINE, Plan};
use super::region::Region;
use mapwright_indexing::linear::VarId;
use mapwright_mlir::{Builder, CmpI, Val};

/// Adds the kernel's body; `arguments` are the inputs, the outputs, begin and end.
pub(crate) fn generate<'c>(
    b: &Builder<'c>,
    region: &Region<'c>,
    analysis: &Analysis<'c>,
    plan: &Plan,
    arguments: &[Val<'c>],
) -> EmitResult<()> {
    let (k, m) = (region.inputs.len(), region.roots.len());
    let (begin, end) = (arguments[k + m], arguments[k + m + 1]);
    let streamed = &plan.streamed;
    let body = |streamed: &[bool], large: Option<Val<'c>>, multiple: i64| -> EmitResult<()> {
        let compute = element::of_value;
        let mut emitter = LoopEmitter::new(b, region, analysis, plan, arguments, compute);
        emitter.streamed = streamed.to_vec();
        emitter.large = large;
        emitter.multiple = multiple;
        emitter.scratch_buffers()?;
        emitter.tiles(begin, end)?;
        // Other threads may read the results once this one has said that it is done.
        match large {
            Some(large) => b.if_then(large, Builder::fence),
            None if streamed.contains(&true) => b.fence(),
            None => {}
        }
        Ok(())
    };
    let first = (region.roots.iter().zip(&streamed.outputs)).find(|(_, streamed)| **streamed);
    let (Some(least), Some((root, _))) = (streamed.least, first) else {
        return body(&streamed.outputs, None, 1);
    };
    // The sizes tell which kind of stores it is.
    let bytes = root.ty.element.byte_width().unwrap_or(1) as i64;
    let bytes = b.muli(b.cidx(root.elements()), b.cidx(bytes));
    let mut large = b.cmpi(CmpI::Sge, bytes, b.cidx(least));
    let own = root.offset(&analysis.index);
    let rows = own.terms.iter().any(|(_, k)| k.is_run_time());
    // Elements of which run-time sizes are multiples where the rows of all of them begin at cache
    // lines.
    let whole = (region.roots.iter().zip(&streamed.outputs))
        .filter(|(_, streamed)| **streamed)
        .filter_map(|(root, _)| root.ty.element.byte_width())
        .map(|width| LINE / (width as i64).max(1))
        .fold(1, i64::max);
    if rows {
        for size in region.sizes.all(b) {
            let rest = b.remui(size, b.cidx(whole));
            large = b.andi(large, b.cmpi(CmpI::Eq, rest, b.cidx(0)));
        }
    }
    let multiple = if rows { whole } else { 1 };
    if plan.peel.is_none() {
        return body(&streamed.outputs, Some(large), multiple);
    }
    // Fronts are peeled for stores past the caches alone.
    let none = vec![false; m];
    let mut results = [Ok(()), Ok(())];
    let [past, through] = &mut results;
    let branch = |into: &mut EmitResult<()>, streamed: &[bool], multiple: i64| {
        *into = body(streamed, None, multiple);
        Vec::new()
    };
    b.if_else(
        large,
        &[],
        |_| branch(past, &streamed.outputs, multiple),
        |_| branch(through, &none, 1),
    );
    results.into_iter().collect()
}

impl<'c> LoopEmitter<'_, 'c> {
    pub fn tiles(&mut self, begin: Val<'c>, end: Val<'c>) -> EmitResult<()> {
        let b = self.b;
        let mut result = Ok(());
        b.for_loop(begin, end, b.cidx(1), &[], |_, tile, _| {
            result = self.tile(tile);
            Vec::new()
        });
        result
    }

    fn tile(&mut self, tile: Val<'c>) -> EmitResult<()> {
        let b = self.b;
        // The last variable of the grid changes fastest.
        let mut rest = tile;
        for (i, (var, size)) in self.plan.grid.iter().enumerate().rev() {
            let n = Plan::size(self.analysis, *var);
            let at = match i {
                0 => rest,
                _ => {
                    let count = b.cidx(n.ceil_div((*size).into()));
                    let at = b.op1("arith.remui", &[rest, count], b.index(), &[]);
                    rest = b.op1("arith.divui", &[rest, count], b.index(), &[]);
                    at
                }
            };
            let lo = if *size == 1 {
                at
            } else {
                b.muli(at, b.cidx(*size))
            };
            let (hi, length) = if n.is_multiple_of(*size) {
                (b.addi(lo, b.cidx(*size)), Some(*size))
            } else {
                (b.minsi(b.addi(lo, b.cidx(*size)), b.cidx(n)), None)
            };
            self.bounds[*var] = Some(Bound {
                lo,
                hi,
                length,
                multiple: *size,
            });
        }
        self.scopes.push(Scope::default());
        let mut order: Vec<VarId> = self.plan.parallel.clone();
        let short: &[VarId] = self.plan.inner.as_ref().map_or(&[], |inner| &inner.vars);
        order.retain(|var| Some(*var) != self.plan.lane && !short.contains(var));
        let result = match (self.plan.wide, self.plan.rows) {
            (Some(columns), _) => self.nest(&order, &mut |me| me.wide_rows(columns)),
            (None, Some(rows)) => self.rows(rows, &order),
            (None, None) => {
                if self.plan.columns {
                    order.extend(self.plan.lane);
                }
                order.extend(short.iter().filter(|var| self.plan.parallel.contains(var)));
                self.nest(&order, &mut |me| me.row())
            }
        };
        self.scopes.pop();
        result
    }

    /// Emits the code inside one element (or vector) of the parallel variables: reductions, then
    /// the sweep that stores.
    fn row(&mut self) -> EmitResult<()> {
        self.instances()?;
        self.start_scans()?;
        self.stores()
    }
}
