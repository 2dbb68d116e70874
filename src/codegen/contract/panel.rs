//! Packing columns into panels: for each contracted element (or step of them) a row of as many
//! columns as the register tile is wide.

use super::bf16_subnormals;
use super::matmul_emitter::MatmulEmitter;
use super::problem::{B, EmitResult, N, NO, Side};
use super::step;
use crate::index::Ix;
use crate::run_time::index;
use crate::tiled::emitter::Scope;
use crate::vectors::{transpose, zero};
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::Val;
use mapwright_mlir::melior::ir::ValueLike;

impl<'c> MatmulEmitter<'_, 'c> {
    /// One panel of columns, as a tile of a packing phase.
    pub fn pack_panel(&mut self, tile: Val<'c>, to: Val<'c>, width: i64) -> EmitResult<()> {
        let (b, p) = (self.b, self.p);
        let n = p.size(N);
        let [groups, outer] = [B, NO].map(|v| index(b, p.size(v)));
        let at = self.split_counts(tile, &[groups, outer, index(b, n.ceil_div(width.into()))]);
        (self.g.vals[B], self.g.vals[NO]) = (Some(at[0]), Some(at[1]));
        let size = super::plan::panel_size(p, width);
        let start = b.muli(tile, b.cidx(size));
        let column = b.muli(at[2], b.cidx(width));
        match index(b, n) {
            // One code for all panels, also for the last one.
            Ix::Value(n) => self.panel(to, start, column, Ix::Value(b.subi(n, column))),
            n => self.either((at[2], width), n, &mut |me, valid| {
                me.panel(to, start, column, valid)
            }),
        }
    }

    /// The panel at `J` and `N`, of which `valid` columns exist, in the place of the tile.
    pub fn own_panel(&mut self, to: Val<'c>, valid: i64) -> EmitResult<()> {
        let Some(column) = self.g.vals[N] else {
            return Ok(());
        };
        self.g.scopes.push(Scope::default());
        let start = self.panel_start()?;
        let result = self.panel(to, start, column, Ix::Known(valid));
        self.g.scopes.pop();
        result
    }

    /// The panel that begins at `start`, of the columns from `column` on.
    fn panel(
        &mut self,
        to: Val<'c>,
        start: Val<'c>,
        column: Val<'c>,
        valid: Ix<'c>,
    ) -> EmitResult<()> {
        let (b, lanes) = (self.b, self.plan.lanes);
        let step = Ix::Known(self.p.step.elements());
        // A vector of columns, the first of which is `by` columns into the panel; `left` exist.
        let vector = |me: &mut Self, by: Ix<'c>, left: Ix<'c>| {
            let at = |start: Val<'c>, by: Ix<'c>| b.addi(start, by.value(b));
            let base = at(start, by.mul(b, step));
            me.with(N, at(column, by), &mut |me| me.panel_vector(to, base, left))
        };
        if let (Ix::Value(valid), 2..) = (valid, self.plan.vectors) {
            let mut result = Ok(());
            let width = b.cidx(self.plan.width());
            b.for_loop(b.cidx(0), width, b.cidx(lanes), &[], |_, by, _| {
                result = vector(self, Ix::Value(by), Ix::Value(b.subi(valid, by)));
                Vec::new()
            });
            return result;
        }
        for v in 0..self.plan.vectors {
            let left = match valid {
                Ix::Known(valid) => Ix::Known((valid - v * lanes).clamp(0, lanes)),
                valid => valid,
            };
            vector(self, Ix::Known(v * lanes), left)?;
        }
        Ok(())
    }

    /// A vector of the columns of a panel, whose elements begin at `base`, for all contracted
    /// elements; `left` of its columns exist.
    fn panel_vector(&mut self, to: Val<'c>, base: Val<'c>, left: Ix<'c>) -> EmitResult<()> {
        let (b, p, lanes) = (self.b, self.p, self.plan.lanes);
        let width = self.plan.width();
        let side = &p.cols;
        let step = p.step.elements();
        let line = p.k_linear().scaled(width);
        let Some(inner) = p.k.last().copied() else {
            let value = self.columns(side, None, left)?;
            b.vstore(value, to, &[base]);
            return Ok(());
        };
        // What stands behind the panel, while it is counted: what sums start with, or the least
        // ranks.
        let ty = b.vector(&[lanes], crate::storage::storage_type(b, &p.acc)?);
        let begin = if p.step.ranks() {
            Some(bf16_subnormals::none(b, lanes * step))
        } else {
            p.step.starts().then(|| zero(b, ty))
        };
        let total = begin.map(|begin| {
            let slot = b.alloca(b.memref(&[], begin.r#type()));
            b.store(begin, slot, &[]);
            slot
        });
        let put = |me: &mut Self, value: Val<'c>, after: i64| -> EmitResult<()> {
            let at = me.g.index_value(&line.offset(after * width))?;
            b.vstore(value, to, &[b.addi(base, at)]);
            if let Some(slot) = total {
                let old = b.load(slot, &[]);
                let new = if p.step.ranks() {
                    bf16_subnormals::least(b, old, value)
                } else {
                    let ones = b.cint(1, value.r#type());
                    step::add(b, p.step, &p.acc, ones, value, old)
                };
                b.store(new, slot, &[]);
            }
            Ok(())
        };
        let depth = p.size(inner);
        // A single column has none beside it.
        let several = left.known().is_none_or(|left| left > 1);
        let transposed = several && self.plan.choices.transposes[1];
        // Contracted elements at a time: a step, or as many steps as there are lanes.
        let block = if transposed { lanes * step } else { step };
        let packed = crate::storage::storage_type(b, &p.packed)?;
        let steps = b.vector(&[lanes * step], packed);
        let emit = |me: &mut Self, valid: i64| -> EmitResult<()> {
            if !transposed {
                let mut parts = Vec::new();
                for i in 0..step {
                    parts.push(if i < valid {
                        me.columns(side, Some((inner, i)), left)?
                    } else {
                        zero(b, me.vector()?)
                    });
                }
                return put(me, step::interleave(b, &parts), 0);
            }
            let mut lines = Vec::new();
            for c in 0..lanes {
                lines.push(me.column(side, inner, (c, left), valid)?);
            }
            let words = transpose(b, lines);
            for (r, word) in words.into_iter().enumerate() {
                let after = r as i64 * step;
                if after < valid {
                    let value = match step {
                        1 => word,
                        _ => b.op1("vector.bitcast", &[word], steps, &[]),
                    };
                    put(me, value, after)?;
                }
            }
            Ok(())
        };
        self.outer_k(&mut |me| {
            let middle = depth.floor_div(block.into()) * block;
            let (Some(depth), Some(whole)) = (depth.as_constant(), middle.as_constant()) else {
                // What is left behind whole blocks is packed one contracted element after the
                // other.
                let (middle, size) = (b.cidx(middle), b.cidx(depth));
                me.each(inner, (b.cidx(0), middle, block), &mut |me| emit(me, block))?;
                if block == 1 {
                    return Ok(());
                }
                return me.each(inner, (middle, size, 1), &mut |me| {
                    let value = me.columns(side, Some((inner, 0)), left)?;
                    put(me, value, 0)
                });
            };
            if whole > 0 {
                me.each(inner, (b.cidx(0), b.cidx(whole), block), &mut |me| {
                    emit(me, block)
                })?;
            }
            if whole < depth {
                me.with(inner, b.cidx(whole), &mut |me| emit(me, depth - whole))?;
            }
            Ok(())
        })?;
        if let Some(slot) = total {
            let total = b.load(slot, &[]);
            let bytes = if p.step.ranks() {
                total
            } else {
                // Rows are stored with 128 added.

                let start = b.muli(total, b.cint(-128, ty));
                b.op1("vector.bitcast", &[start], steps, &[])
            };
            let behind = b.addi(base, b.cidx(p.packed_depth() * width));
            b.vstore(bytes, to, &[behind]);
        }
        Ok(())
    }

    /// Elements of one column, from the current contracted element on: one a lane, or a step of
    /// them as a word in each lane. Zero beyond `valid` of them and where the column (`c` of
    /// `left`) does not exist.
    fn column(
        &mut self,
        side: &Side<'c>,
        inner: VarId,
        (c, left): (i64, Ix<'c>),
        valid: i64,
    ) -> EmitResult<Val<'c>> {
        let (b, lanes, step) = (self.b, self.plan.lanes, self.p.step.elements());
        let mut parts = Vec::new();
        for i in 0..step {
            let here = (valid - i * lanes).clamp(0, lanes);
            if left.known().is_some_and(|left| c >= left) || here == 0 {
                parts.push(zero(b, self.vector()?));
                continue;
            }
            let ranges = self.g.ranges.clone();
            let index: Vec<Sum> = side
                .index
                .iter()
                .map(|x| {
                    let x = x.with_var(N, &Sum::var(N).offset(c), &ranges);
                    x.with_var(inner, &Sum::var(inner).offset(i * lanes), &ranges)
                })
                .collect();
            let mask = (here < lanes).then(|| b.mask(b.cidx(here), lanes));
            let (Ix::Value(_), Some(first)) = (left, self.g.vals[N]) else {
                parts.push(self.factor(side, &index, inner, mask)?);
                continue;
            };
            // In the place of a column that does not exist the last one is read; nothing becomes of
            // it.
            let last = b.subi(b.cidx(self.p.size(N)), b.cidx(1));
            let at = b.minsi(b.addi(first, b.cidx(c)), last);
            let index: Vec<Sum> = (side.index.iter())
                .map(|x| x.with_var(inner, &Sum::var(inner).offset(i * lanes), &ranges))
                .collect();
            let mut value = None;
            self.with(N, at, &mut |me| {
                value = Some(me.factor(side, &index, inner, mask)?);
                Ok(())
            })?;
            parts.extend(value);
        }
        Ok(match step {
            1 => parts[0],
            _ => {
                let words = b.vector(&[lanes], b.int(32));
                b.op1("vector.bitcast", &[step::join(b, &parts)], words, &[])
            }
        })
    }

    /// A vector of columns at a distance from the current contracted element, zero beyond the first
    /// `left`.
    fn columns(
        &mut self,
        side: &Side<'c>,
        after: Option<(VarId, i64)>,
        left: Ix<'c>,
    ) -> EmitResult<Val<'c>> {
        let (b, lanes) = (self.b, self.plan.lanes);
        if left.known() == Some(0) {
            return Ok(zero(b, self.vector()?));
        }
        let ranges = self.g.ranges.clone();
        let index: Vec<Sum> = match after {
            None => side.index.clone(),
            Some((var, by)) => side
                .index
                .iter()
                .map(|x| x.with_var(var, &Sum::var(var).offset(by), &ranges))
                .collect(),
        };
        let all = left.known().is_some_and(|left| left >= lanes);
        let mask = (!all).then(|| b.mask(left.value(b), lanes));
        self.factor(side, &index, N, mask)
    }
}
