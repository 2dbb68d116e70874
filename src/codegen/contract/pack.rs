//! Packing: factors copied, through everything that makes them, to where the register tile reads
//! them as streams.
//!
//! Each element is computed once. Lanes run along the direction in which the inputs lie side by
//! side; where that is not the direction of the destination, square blocks are transposed in
//! registers.

use super::matmul_emitter::MatmulEmitter;
use super::plan::{Form, Pack};
use super::problem::{B, EmitResult, M, MO, Side};
use super::step::Step;
use crate::index::Ix;
use crate::run_time::{index, known};
use crate::scalar::convert;
use crate::tiled::emitter::{Lane, Scope};
use crate::vectors::{transpose, zero};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::builder::CmpI;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Ty, Val};

impl<'c> MatmulEmitter<'_, 'c> {
    /// All tiles of a packing phase.
    pub fn pack(&mut self, pack: &Pack, begin: Val<'c>, end: Val<'c>) -> EmitResult<()> {
        let b = self.b;
        let to = self.buffer(&pack.to)?;
        let mut result = Ok(());
        b.for_loop(begin, end, b.cidx(1), &[], |_, tile, _| {
            self.g.scopes.push(Scope::default());
            result = match pack.form {
                Form::Rows { stride, count } => self.pack_rows(tile, to, stride, count),
                Form::Panels { width } => self.pack_panel(tile, to, width),
                Form::Image => self.pack_image(tile, to),
            };
            self.g.scopes.pop();
            Vec::new()
        });
        result
    }

    /// The type of a vector of packed elements.
    pub fn vector(&self) -> EmitResult<Ty<'c>> {
        let element = crate::storage::storage_type(self.b, &self.p.packed)?;
        Ok(self.b.vector(&[self.plan.lanes], element))
    }

    /// A vector of rows as it is stored.
    fn row(&self, value: Val<'c>) -> Val<'c> {
        match self.p.step {
            Step::Bytes { flip: true, .. } => self.b.xori(value, self.b.cint(-128, value.r#type())),
            _ => value,
        }
    }

    /// A vector of elements of a factor along `lane`, as it is packed; zero where `mask` is off.
    pub fn factor(
        &mut self,
        side: &Side<'c>,
        index: &[Sum],
        lane: VarId,
        mask: Option<Val<'c>>,
    ) -> EmitResult<Val<'c>> {
        let b = self.b;
        self.g.lane = Some(Lane { var: lane, mask });
        self.g.align[lane] = Some((0, self.plan.lanes));
        let value = self.g.eval(side.value, index);
        self.g.lane = None;
        let value = self.g.spread(value?.one(), &[self.plan.lanes]);
        let value = convert::convert(b, &side.element, &self.p.packed, crate::Elem::One(value))?;
        let value = crate::storage::to_storage(b, &self.p.packed, value)?;
        Ok(match mask {
            Some(mask) => b.select(mask, value, zero(b, self.vector()?)),
            None => value,
        })
    }

    /// Loops over all contracted variables but the innermost, with its position so far (`index`)
    /// inside.
    pub fn outer_k(
        &mut self,
        inner: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let vars = self.p.k.clone();
        self.nest(&vars[..vars.len().saturating_sub(1)], inner)
    }

    fn nest(
        &mut self,
        vars: &[VarId],
        inner: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let Some((var, rest)) = vars.split_first() else {
            return inner(self);
        };
        let b = self.b;
        let n = b.cidx(self.p.size(*var));
        self.each(*var, (b.cidx(0), n, 1), &mut |me| me.nest(rest, inner))
    }

    /// A few lines of rows: as many as there are lanes.
    fn pack_rows(
        &mut self,
        tile: Val<'c>,
        to: Val<'c>,
        stride: i64,
        count: Extent,
    ) -> EmitResult<()> {
        let (b, p, lanes) = (self.b, self.p, self.plan.lanes);
        let side = &p.rows;
        let sizes = [p.size(B), p.size(MO), count.floor_div(lanes.into())];
        let at = self.split(tile, &sizes);
        (self.g.vals[B], self.g.vals[MO]) = (Some(at[0]), Some(at[1]));
        let first = b.muli(at[2], b.cidx(lanes));
        let line = super::plan::packed_line(p, self.plan.rounds, count)
            .scaled(stride)
            .plus(&p.k_linear());
        let m = p.size(M);
        let Some(inner) = p.k.last().copied() else {
            // Nothing is contracted: one element a row.
            let end = b.minsi(b.addi(first, b.cidx(lanes)), b.cidx(m));
            return self.each(M, (first, end, 1), &mut |me| {
                let value = me.scalar(side)?;
                let at = me.g.index_value(&line)?;
                b.store(value, to, &[at]);
                Ok(())
            });
        };
        let depth = p.size(inner);
        if !self.plan.choices.transposes[0] {
            let end = b.minsi(b.addi(first, b.cidx(lanes)), b.cidx(m));
            return self.each(M, (first, end, 1), &mut |me| {
                me.outer_k(&mut |me| {
                    me.along(inner, depth, &mut |me, mask| {
                        let value = me.factor(side, &side.index, inner, mask)?;
                        let at = me.g.index_value(&line)?;
                        // Behind the last element there is room.
                        b.vstore(me.row(value), to, &[at]);
                        Ok(())
                    })
                })
            });
        }
        // Lanes along the rows, transposed.
        let depth = known(depth)?;
        self.either((at[2], lanes), index(b, m), &mut |me, valid| {
            let mask = (valid.known() != Some(lanes)).then(|| b.mask(valid.value(b), lanes));
            me.with(M, first, &mut |me| {
                me.outer_k(&mut |me| {
                    me.blocks(inner, depth, &mut |me, valid| {
                        let rows = me.block(side, inner, M, valid, mask)?;
                        for (r, row) in rows.into_iter().enumerate() {
                            let ranges = me.g.ranges.clone();
                            let at = line.with_var(M, &Sum::var(M).offset(r as i64), &ranges);
                            let at = me.g.index_value(&at)?;
                            b.vstore(me.row(row), to, &[at]);
                        }
                        Ok(())
                    })
                })
            })
        })
    }

    /// Emits for a whole block of so many of `size` elements and for what is left over, as the
    /// number of the block says; told how many elements there are.
    pub fn either(
        &mut self,
        (block, width): (Val<'c>, i64),
        size: Ix<'c>,
        emit: &mut dyn FnMut(&mut Self, Ix<'c>) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let b = self.b;
        let all = Ix::Known(width);
        match (size.div(b, all), size.rem(b, all)) {
            (_, Ix::Known(0)) => emit(self, all),
            (Ix::Known(0), rest) => emit(self, rest),
            (whole, rest) => {
                let is_whole = b.cmpi(CmpI::Slt, block, whole.value(b));
                let cell = std::cell::RefCell::new((self, emit));
                let failure = std::cell::RefCell::new(Ok(()));
                let branch = |valid: Ix<'c>| {
                    let mut cell = cell.borrow_mut();
                    let (me, emit) = &mut *cell;
                    me.g.scopes.push(Scope::default());
                    let result = emit(me, valid);
                    me.g.scopes.pop();
                    if result.is_err() {
                        *failure.borrow_mut() = result;
                    }
                    Vec::new()
                };
                b.if_else(is_whole, &[], |_| branch(all), |_| branch(rest));
                failure.into_inner()
            }
        }
    }

    /// Vectors along a variable: whole ones, then the rest under a mask.
    fn along(
        &mut self,
        var: VarId,
        size: Extent,
        inner: &mut dyn FnMut(&mut Self, Option<Val<'c>>) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let (b, lanes) = (self.b, self.plan.lanes);
        let Some(size) = size.as_constant() else {
            let whole = size.floor_div(lanes.into()) * lanes;
            let rest = b.cidx(size - whole);
            let whole = b.cidx(whole);
            self.each(var, (b.cidx(0), whole, lanes), &mut |me| inner(me, None))?;
            let is_more = b.cmpi(CmpI::Sgt, rest, b.cidx(0));
            return self.when(Some(is_more), &mut |me| {
                let mask = b.mask(rest, lanes);
                me.with(var, whole, &mut |me| inner(me, Some(mask)))
            });
        };
        let whole = size / lanes * lanes;
        if whole > 0 {
            self.each(var, (b.cidx(0), b.cidx(whole), lanes), &mut |me| {
                inner(me, None)
            })?;
        }
        if whole < size {
            let mask = b.mask(b.cidx(size - whole), lanes);
            self.with(var, b.cidx(whole), &mut |me| inner(me, Some(mask)))?;
        }
        Ok(())
    }

    /// Blocks along a variable: whole ones, then the rest, of which the number of elements is told.
    fn blocks(
        &mut self,
        var: VarId,
        size: i64,
        inner: &mut dyn FnMut(&mut Self, i64) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let (b, lanes) = (self.b, self.plan.lanes);
        let whole = size / lanes * lanes;
        if whole > 0 {
            self.each(var, (b.cidx(0), b.cidx(whole), lanes), &mut |me| {
                inner(me, lanes)
            })?;
        }
        if whole < size {
            self.with(var, b.cidx(whole), &mut |me| inner(me, size - whole))?;
        }
        Ok(())
    }

    /// A square block, `valid` lines of it along `across`, each a vector along `lane`: as vectors
    /// along `across`, one for each lane.
    fn block(
        &mut self,
        side: &Side<'c>,
        across: VarId,
        lane: VarId,
        valid: i64,
        mask: Option<Val<'c>>,
    ) -> EmitResult<Vec<Val<'c>>> {
        let lanes = self.plan.lanes;
        let mut lines = Vec::new();
        for i in 0..lanes {
            if i >= valid {
                lines.push(zero(self.b, self.vector()?));
                continue;
            }
            let ranges = self.g.ranges.clone();
            let index: Vec<Sum> = side
                .index
                .iter()
                .map(|x| x.with_var(across, &Sum::var(across).offset(i), &ranges))
                .collect();
            lines.push(self.factor(side, &index, lane, mask)?);
        }
        Ok(transpose(self.b, lines))
    }

    /// One element of a factor.
    fn scalar(&mut self, side: &Side<'c>) -> EmitResult<Val<'c>> {
        let value = self.g.eval(side.value, &side.index)?;
        let value = convert::convert(self.b, &side.element, &self.p.packed, value)?;
        Ok(crate::storage::to_storage(self.b, &self.p.packed, value)?)
    }

    /// One line of the padded image: the first spatial dimension of one image.
    fn pack_image(&mut self, tile: Val<'c>, to: Val<'c>) -> EmitResult<()> {
        let (b, p) = (self.b, self.p);
        let Some(image) = &p.image else {
            return Ok(());
        };
        let side = &p.rows;
        // Variables of its own: one a dimension of the image.
        let outer = self.g.ranges.vars.clone();
        let first = self.g.ranges.vars.len();
        let rank = image.sizes.len();
        for size in &image.sizes {
            self.g.ranges.vars.push((Extent::ZERO, *size - 1));
            self.g.vals.push(None);
            self.g.align.push(None);
        }
        let var = |i: usize| first + i;
        let mut index = vec![Sum::default(); rank];
        let mut inside = Vec::new();
        for i in 0..rank {
            let x = Sum::var(var(i)).offset(-image.low[i]);
            let size = mapwright_fusion::node::tensor(side.value)?.1[image.dims[i]];
            if image.low[i] != 0 || image.sizes[i] != size {
                inside.push(mapwright_fusion::condition::Condition::between(
                    &x,
                    0,
                    size - 1,
                ));
            }
            index[image.dims[i]] = x;
        }
        let at = self.split(tile, &image.sizes[..2.min(rank)]);
        for (i, value) in at.iter().enumerate() {
            self.g.vals[var(i)] = Some(*value);
        }
        let offset = (0..rank).fold(Sum::default(), |x, i| {
            x.scaled(image.sizes[i]).plus(&Sum::var(var(i)))
        });
        let middle: Vec<VarId> = (2.min(rank)..rank - 1).map(var).collect();
        let last = var(rank - 1);
        let features = image.sizes[rank - 1];
        let mut line = |me: &mut Self| -> EmitResult<()> {
            // The padding is decided for a whole line of features.
            let ranges = me.g.ranges.clone();
            let open: Vec<_> = inside
                .iter()
                .filter(|c| c.decide(&ranges) != Some(true))
                .cloned()
                .collect();
            let mut condition: Option<Val<'c>> = None;
            for c in &open {
                let x = me.g.index_value(&c.lin)?;
                let low = b.cmpi(CmpI::Sge, x, b.cidx(c.lo));
                let high = b.cmpi(CmpI::Sle, x, b.cidx(c.hi));
                let both = b.andi(low, high);
                condition = Some(match condition {
                    Some(other) => b.andi(other, both),
                    None => both,
                });
            }
            let ty = me.vector()?;
            me.along(last, features, &mut |me, mask| {
                let value = match condition {
                    None => me.factor(side, &index, last, mask)?,
                    Some(condition) => {
                        let mut failure = Ok(());
                        let found = b.if_else(
                            condition,
                            &[ty],
                            |_| {
                                me.g.scopes.push(Scope::default());
                                let value = me.factor(side, &index, last, mask);
                                me.g.scopes.pop();
                                match value {
                                    Ok(value) => vec![value],
                                    Err(why) => {
                                        failure = Err(why);
                                        vec![zero(b, ty)]
                                    }
                                }
                            },
                            |_| vec![zero(b, ty)],
                        );
                        failure?;
                        found[0]
                    }
                };
                let at = me.g.index_value(&offset)?;
                let value = me.row(value);
                match mask {
                    Some(mask) => b.masked_store(to, &[at], mask, value),
                    None => b.vstore(value, to, &[at]),
                }
                Ok(())
            })
        };
        let result = self.image_loops(&middle, &image.sizes, first, &mut line);
        self.g.ranges.vars = outer;
        self.g.vals.truncate(first);
        self.g.align.truncate(first);
        result
    }

    fn image_loops(
        &mut self,
        vars: &[VarId],
        sizes: &[Extent],
        first: VarId,
        inner: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let Some((var, rest)) = vars.split_first() else {
            return inner(self);
        };
        let b = self.b;
        let n = b.cidx(sizes[*var - first]);
        self.each(*var, (b.cidx(0), n, 1), &mut |me| {
            me.image_loops(rest, sizes, first, inner)
        })
    }
}
