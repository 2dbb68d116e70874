//! The plan as IR: loops over tiles, sweeps, lanes.
//!
//! Values are emitted on demand, in the innermost loop that is open, and remembered there under their index ([`Scope`]); a
//! reduction is emitted before the loops that need its result. Accumulators live in `memref.alloca`s of the frame that LLVM turns
//! into registers.

use super::analysis::{Analysis, RuntimeTable, ValueAt};
use super::complex;
use super::loops::Bound;
use super::plan::{LINE, Plan};
use super::prefetch::Access;
use super::reduce::Combiner;
use super::region::{Port, Region};
use crate::{Declined, Elem, index::Ix, scalar, storage};
use mapwright_fusion::node::{Node, node};
use mapwright_indexing::linear::{Facts, Sum, VarId};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpI, ElementType, Ty, Val, builder::DYNAMIC, op};
use std::collections::{BTreeSet, HashMap};

pub(crate) type R<T> = Result<T, Declined>;

/// What has been emitted in a loop body, for reuse in it and in the loops inside.
#[derive(Default)]
pub(crate) struct Scope<'c> {
    pub values: HashMap<ValueAt, Elem<'c>>,
    pub numbers: HashMap<Sum, Val<'c>>,
    /// Rows of transposed blocks: by input and offset of row 0.
    pub blocks: HashMap<(usize, Sum), Vec<Val<'c>>>,
}

/// Lanes run along `var`; lanes that `mask` turns off do not exist.
#[derive(Clone, Copy)]
pub(crate) struct Lane<'c> {
    pub var: VarId,
    pub mask: Option<Val<'c>>,
}

pub(crate) struct LoopEmitter<'g, 'c> {
    pub b: &'g Builder<'c>,
    pub region: &'g Region<'c>,
    pub analysis: &'g Analysis<'c>,
    pub plan: &'g Plan,
    pub ranges: Facts,
    pub runtime: RuntimeTable<'c>,
    inputs: Vec<Val<'c>>,
    pub(super) outputs: Vec<Val<'c>>,
    /// Outputs that are stored past the caches.
    pub(super) streamed: Vec<bool>,
    /// Run-time sizes are multiples of this.
    pub(super) multiple: i64,
    pub(super) scratch: Vec<Val<'c>>,
    pub(super) bounds: Vec<Option<Bound<'c>>>,
    pub vals: Vec<Option<Val<'c>>>,
    /// A variable is `start + step * k` for some k.
    pub align: Vec<Option<(i64, i64)>>,
    pub scopes: Vec<Scope<'c>>,
    pub lane: Option<Lane<'c>>,
    /// Copies of the body: a variable and how much is added to it.
    pub copies: Vec<Option<(VarId, i64)>>,
    /// The copy being emitted.
    pub copy: Option<(VarId, i64)>,
    /// Loops in the part of which all elements of windows are there.
    pub(super) within: BTreeSet<VarId>,
    /// The sweep being emitted.
    pub sweep: usize,
    /// Vector accumulators of the row reduction being emitted.
    pub(super) accumulators: i64,
    pub carries: HashMap<(usize, i64), Val<'c>>,
    /// What is stored when the last index of the short dimensions is there: by root and copy.
    pub(super) pending: HashMap<(usize, i64), Vec<Val<'c>>>,
    /// The scope that holds what is emitted without loops around it.
    pub(super) straight: Option<usize>,
    /// Transposed blocks in memory, and the row that they begin at.
    pub(super) stored: Option<super::blocks::Stored<'c>>,
    /// Reductions of the current tile that are done, in a region of many columns at once.
    pub(super) of_columns: Vec<super::column_block::OfColumns<'c>>,
    /// Reciprocals of what all elements of a column are divided by, by the division, in a region of many columns at once.
    pub(super) inverses: HashMap<usize, Val<'c>>,
    /// As `of_columns`, in a region of several short rows at a time.
    pub(super) of_rows: Vec<super::row_block::OfRows<'c>>,
}

/// Adds the kernel's body; `arguments` are the inputs, the outputs, begin and end.
pub(crate) fn generate<'c>(
    b: &Builder<'c>,
    region: &Region<'c>,
    analysis: &Analysis<'c>,
    plan: &Plan,
    arguments: &[Val<'c>],
) -> R<()> {
    let (k, m) = (region.inputs.len(), region.roots.len());
    let (begin, end) = (arguments[k + m], arguments[k + m + 1]);
    let streamed = &plan.streamed;
    let body = |streamed: &[bool], multiple: i64| -> R<()> {
        let mut generator = LoopEmitter::new(b, region, analysis, plan, arguments);
        generator.streamed = streamed.to_vec();
        generator.multiple = multiple;
        generator.scratch_buffers()?;
        generator.tiles(begin, end)?;
        if streamed.contains(&true) {
            // Other threads may read the results once this one has said that it is done.
            b.fence();
        }
        Ok(())
    };
    let first = (region.roots.iter().zip(&streamed.outputs)).find(|(_, streamed)| **streamed);
    let (Some(least), Some((root, _))) = (streamed.least, first) else {
        return body(&streamed.outputs, 1);
    };
    // Both kinds of stores, and the sizes tell which.
    let bytes = root.ty.element.byte_width().unwrap_or(1) as i64;
    let bytes = b.muli(b.cidx(root.elements()), b.cidx(bytes));
    let mut large = b.cmpi(CmpI::Sge, bytes, b.cidx(least));
    let own = root.offset(&analysis.index);
    let rows = own.terms.iter().any(|(_, k)| region.sizes.contain(*k));
    // Elements of which run-time sizes are multiples where the rows of all of them begin at cache lines.
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
    let none = vec![false; m];
    let mut results = [Ok(()), Ok(())];
    let [past, through] = &mut results;
    let branch = |into: &mut R<()>, streamed: &[bool], multiple: i64| {
        *into = body(streamed, multiple);
        Vec::new()
    };
    b.if_else(
        large,
        &[],
        |_| branch(past, &streamed.outputs, if rows { whole } else { 1 }),
        |_| branch(through, &none, 1),
    );
    results.into_iter().collect()
}

impl<'g, 'c> LoopEmitter<'g, 'c> {
    /// Nothing emitted yet; `arguments` begin with the inputs and the outputs.
    pub fn new(
        b: &'g Builder<'c>,
        region: &'g Region<'c>,
        analysis: &'g Analysis<'c>,
        plan: &'g Plan,
        arguments: &[Val<'c>],
    ) -> Self {
        let (k, m) = (region.inputs.len(), region.roots.len());
        let flat = |(port, value): (&Port<'c>, &Val<'c>)| {
            if port.base.is_some() {
                // A part of a tensor is flat as it is.
                return *value;
            }
            if port.written.static_shape().is_none() {
                let length = Ix::Value(b.cidx(port.elements()));
                return crate::general::flatten(b, *value, length);
            }
            let (value, ty) = (*value, value.r#type());
            let shape = b.shape_of(ty);
            if shape.contains(&DYNAMIC) {
                // Memory of the launch, in place of a result that code which packs does not write.
                return value;
            }
            let n: i64 = shape.iter().product();
            let flat = b.memref(&[n], b.element_of(ty));
            let value = match flat == ty {
                true => value,
                false => b.reinterpret(value, flat, 0, &[n], &[1]),
            };
            complex::parts(b, value)
        };
        let mut ranges = analysis.ranges.clone();
        ranges
            .vars
            .extend(plan.rows.map(|rows| (0, rows.count - 1)));
        let count = ranges.vars.len();
        let mut generator = LoopEmitter {
            b,
            region,
            analysis,
            plan,
            ranges,
            runtime: RuntimeTable::default(),
            inputs: region.inputs.iter().zip(arguments).map(flat).collect(),
            outputs: region.roots.iter().zip(&arguments[k..]).map(flat).collect(),
            streamed: vec![false; m],
            multiple: 1,
            scratch: Vec::new(),
            bounds: vec![None; count],
            vals: vec![None; count],
            align: vec![None; count],
            scopes: vec![Scope::default()],
            lane: None,
            copies: vec![None],
            copy: None,
            within: BTreeSet::new(),
            sweep: 0,
            accumulators: 1,
            carries: HashMap::new(),
            pending: HashMap::new(),
            straight: None,
            stored: None,
            of_columns: Vec::new(),
            inverses: HashMap::new(),
            of_rows: Vec::new(),
        };
        generator.ranges.values.clear();
        generator
    }
}

impl<'c> LoopEmitter<'_, 'c> {
    pub fn scratch_buffers(&mut self) -> R<()> {
        let mut sizes = vec![None; self.plan.kept.len()];
        #[expect(
            clippy::iter_over_hash_type,
            reason = "each goes to the place with its number"
        )]
        for (key, kept) in &self.plan.kept {
            if kept.root.is_none() {
                sizes[kept.number] = Some((key.0, self.kept_size(&kept.vars)));
            }
        }
        let elements = self.region.values();
        for (key, size) in sizes.into_iter().flatten() {
            let Some(element) = elements.get(&key) else {
                return Err(Declined::new("a kept value that is not in the region"));
            };
            let ty = self
                .b
                .memref(&[size], storage::storage_type(self.b, element)?);
            let buffer = self.b.alloca(ty);
            self.scratch.push(complex::parts(self.b, buffer));
        }
        Ok(())
    }

    /// Elements of the scratch buffer over these variables.
    pub(super) fn kept_size(&self, vars: &[VarId]) -> i64 {
        vars.iter().map(|var| self.kept_extent(*var)).product()
    }

    pub(super) fn kept_extent(&self, var: VarId) -> i64 {
        match self.plan.rows {
            Some(rows) if rows.number == var => rows.count,
            _ if self.plan.columns && self.plan.lane == Some(var) => {
                self.plan.lanes * self.plan.unroll
            }
            _ => Plan::size(self.analysis, var),
        }
    }

    /// A value as a vector, if there are lanes.
    pub fn spread(&self, value: Val<'c>, lanes: &[i64]) -> Val<'c> {
        match (lanes, self.is_vector(value)) {
            ([_, ..], false) => {
                let ty = self.b.vector(lanes, value.r#type());
                self.b.broadcast(value, ty)
            }
            _ => value,
        }
    }

    pub fn is_vector(&self, value: Val<'c>) -> bool {
        let ty: Ty<'c> = value.r#type();
        !self.b.shape_of(ty).is_empty()
    }

    // ---- values --------------------------------------------------------------------------------------------------------

    /// Element `index` of `value`: a scalar where it is the same for all lanes, else a vector.
    pub fn eval(&mut self, value: Val<'c>, index: &[Sum]) -> R<Elem<'c>> {
        // Copies are followed in a loop: there may be thousands of them in a row.
        let mut copies: Vec<ValueAt> = Vec::new();
        let mut at = (value, index.to_vec());
        let computed = loop {
            let key = (op::key(at.0), at.1.clone());
            if let Some(known) = self.scopes.iter().rev().find_map(|s| s.values.get(&key)) {
                break *known;
            }
            if self.kept_place(&key).is_some() {
                break self.eval_kept(at.0, &at.1)?;
            }
            copies.push(key);
            match node(at.0, &at.1, &self.ranges)? {
                Node::Copy(source) => at = source,
                other => break self.compute(at.0, &at.1, other)?,
            }
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope
                .values
                .extend(copies.into_iter().map(|key| (key, computed)));
        }
        Ok(computed)
    }

    /// As [`LoopEmitter::eval`], of a value that one sweep keeps for others.
    fn eval_kept(&mut self, value: Val<'c>, index: &[Sum]) -> R<Elem<'c>> {
        let key = (op::key(value), index.to_vec());
        let computed = match self.kept_place(&key) {
            Some((place, first)) if first != self.sweep && !self.same_group(first) => {
                let element = mapwright_fusion::node::tensor(value)?.0.element;
                self.load_from(place.0, &element, &place.1)?
            }
            _ => {
                let found = node(value, index, &self.ranges)?;
                let computed = self.compute(value, index, found)?;
                if let Some((place, _)) = self.kept_place(&key) {
                    let element = mapwright_fusion::node::tensor(value)?.0.element;
                    let root = self.outputs.iter().position(|output| *output == place.0);
                    if let Some(root) = root {
                        let port = &self.region.roots[root];
                        let bytes = element.byte_width().unwrap_or(0) as i64;
                        let size = (port.elements(), bytes);
                        let ahead = self.plan.prefetches_output(root);
                        self.ask_ahead(place.0, (&place.1, ahead), size, Access::Write)?;
                    }
                    self.store_to(place.0, &element, computed, &place.1, false)?;
                }
                computed
            }
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.values.insert(key, computed);
        }
        Ok(computed)
    }

    /// Is sweep `other` emitted in the same loops as the current one?
    pub(super) fn same_group(&self, other: usize) -> bool {
        if self.sweep == 0 || other == 0 {
            return self.sweep == other;
        }
        let (a, b) = (
            &self.analysis.instances[self.sweep - 1],
            &self.analysis.instances[other - 1],
        );
        a.level == b.level && a.vars == b.vars
    }

    /// Where a kept value lives: buffer and offset; and the sweep that computes it.
    pub(super) fn kept_place(&self, key: &ValueAt) -> Option<((Val<'c>, Sum), usize)> {
        if self.plan.kept.is_empty() {
            return None;
        }
        // The plan knows the value without the shift of this copy.
        let back: Vec<Sum> = match self.copy {
            Some((var, by)) if by != 0 => {
                let value = Sum::var(var).offset(-by);
                key.1
                    .iter()
                    .map(|x| x.with_var(var, &value, &self.ranges))
                    .collect()
            }
            _ => key.1.clone(),
        };
        let kept = self.plan.kept.get(&(key.0, back))?;
        if let Some(root) = kept.root {
            let offset = self.region.roots[root].offset(&key.1);
            return Some(((self.outputs[root], offset), kept.first));
        }
        let mut offset = Sum::default();
        for var in &kept.vars {
            let shift = self
                .copy
                .map_or(0, |(v, by)| if v == *var { by } else { 0 });
            let mut at = Sum::var(*var).offset(shift);
            if self.plan.columns && self.plan.lane == Some(*var) {
                // Relative to the tile: its first lane is lane 0 of the buffer.
                at = Sum::constant(shift);
            }
            offset = offset.scaled(self.kept_extent(*var)).plus(&at);
        }
        Some(((self.scratch[kept.number], offset), kept.first))
    }

    /// Element `index` of `value`, which is made of `found`.
    fn compute(&mut self, value: Val<'c>, index: &[Sum], found: Node<'c>) -> R<Elem<'c>> {
        let b = self.b;
        match found {
            Node::Input => {
                let input = self.region.input_of[&op::key(value)];
                let offset = self.region.inputs[input].offset(index);
                self.load(input, &offset)
            }
            Node::Splat(dense) => Ok(storage::constant(b, &dense.ty.element, &dense.data, &[])?),
            Node::Iota(lin) => {
                let element = mapwright_fusion::node::tensor(value)?.0.element;
                self.number(&lin, &element)
            }
            Node::Copy((source, at)) => self.eval(source, &at),
            Node::Pieces(pieces) => self.pieces(pieces),
            Node::Padded(padded) => self.padded(padded),
            Node::Elementwise(op, operands) => {
                let mut args = Vec::with_capacity(operands.len());
                for (source, at) in operands {
                    args.push(self.eval(source, &at)?);
                }
                if let Some(quotient) = self.quotient(op, index, &args)? {
                    return Ok(Elem::One(quotient));
                }
                let lanes = match args.iter().any(|x| self.is_vector(x.one())) {
                    true => vec![self.plan.lanes],
                    false => Vec::new(),
                };
                if !lanes.is_empty() && scalar::is_scalar_only(op) {
                    return Err(Declined::new(format!("'{}' of vectors", op.name())));
                }
                let args: Vec<Elem<'c>> = args
                    .into_iter()
                    .map(|x| x.map(|part| self.spread(part, &lanes)))
                    .collect();
                Ok(scalar::apply(b, op, &args)?)
            }
            Node::Window(op, number, elements) => {
                let combiner = Combiner::of(op, self)?;
                let lanes = match self.lane {
                    Some(_) => vec![self.plan.lanes],
                    None => Vec::new(),
                };
                let total = self.window(op, &combiner, &lanes, elements)?;
                for (k, value) in total.iter().enumerate() {
                    let key = (op::key(op.result(k)), index.to_vec());
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.values.insert(key, Elem::One(*value));
                    }
                }
                Ok(Elem::One(total[number]))
            }
            Node::Reduce { .. } => Err(Declined::new("a reduction inside the loop of another one")),
            Node::Scan(op, axis, _) => self.scan(op, axis, index),
            Node::Dynamic {
                operand,
                mut index,
                runtime,
            } => {
                for (dim, start) in runtime {
                    let atom =
                        self.runtime
                            .atom(start.element, start.lo, start.hi, &mut self.ranges);
                    index[dim] = index[dim].plus(&Sum::atom(atom));
                }
                self.eval(operand, &index)
            }
        }
    }

    /// Memory of a root, flat.
    pub fn output(&self, root: usize) -> Val<'c> {
        self.outputs[root]
    }

    pub fn input(&self, input: usize) -> (Val<'c>, ElementType) {
        (
            self.inputs[input],
            self.region.inputs[input].ty.element.clone(),
        )
    }
}
