//! Where the emitter stands: the loops that are open, what has been computed in them, and the
//! memory that they work on.
//!
//! An element is asked for where it is needed ([`LoopEmitter::eval`]) and remembered in the
//! innermost loop that is open ([`Scope`]). How it is computed is handed down ([`Compute`]): what
//! it is made of stands on what is here, and so do the loops that ask for it.

use super::analysis::{Analysis, RuntimeTable, ValueAt};
use super::plan::Plan;
use super::region::{Port, Region};
use crate::{Declined, Elem, index::Ix};
use mapwright_fusion::composed::LoopFacts;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, Ty, Val, builder::DYNAMIC};
use std::collections::{BTreeSet, HashMap};

pub(crate) type EmitResult<T> = Result<T, Declined>;

/// Computes an element of a value: a scalar where it is the same for all lanes, else a vector.
pub(crate) type Compute<'c> = fn(&mut LoopEmitter<'_, 'c>, Val<'c>, &[Sum]) -> EmitResult<Elem<'c>>;

/// Values that have been emitted in a loop body, for reuse in it and in the loops inside.
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

/// A tile's part of a variable.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'c> {
    pub lo: Val<'c>,
    pub hi: Val<'c>,
    /// `hi - lo` where it is the same for all tiles.
    pub length: Option<i64>,
    /// `lo` is a multiple of this.
    pub multiple: i64,
}

/// Transposed blocks in memory.
pub(crate) struct StoredBlocks<'c> {
    /// The first row of each.
    pub(super) start: Val<'c>,
    /// A row after the other: by input and offset.
    pub(super) blocks: Vec<((usize, Sum), Val<'c>)>,
    /// Blocks that the walk comes to next and that are far from here.
    pub(super) next: Vec<NextBlock<'c>>,
}

/// A block that is read next: rows of an input at a distance of `pitch` elements, the first of them
/// at `start`.
pub(crate) struct NextBlock<'c> {
    pub(super) buffer: Val<'c>,
    pub(super) start: Val<'c>,
    pub(super) pitch: Extent,
    pub(super) last: Val<'c>,
}

/// Results of a reduction in a tile of many columns, or of several short rows.
pub(crate) struct Reduced<'c> {
    /// The instance.
    pub(super) id: usize,
    /// For each result, an element for each row, or a vector for each vector of columns.
    pub(super) buffers: Vec<Val<'c>>,
}

pub(crate) struct LoopEmitter<'g, 'c> {
    pub b: &'g Builder<'c>,
    pub region: &'g Region<'c>,
    pub analysis: &'g Analysis<'c>,
    pub plan: &'g Plan,
    pub ranges: LoopFacts,
    pub runtime: RuntimeTable<'c>,
    compute: Compute<'c>,
    inputs: Vec<Val<'c>>,
    pub(super) outputs: Vec<Val<'c>>,
    /// Outputs that are stored past the caches.
    pub(super) streamed: Vec<bool>,
    /// Whether they are, where sizes tell while the program runs.
    pub(super) large: Option<Val<'c>>,
    /// Vectors that are stored together, so that this is asked once: with where and from a multiple
    /// of how many bytes on.
    pub(super) delayed: Vec<(Val<'c>, Val<'c>, Val<'c>, i64)>,
    /// Run-time sizes are multiples of this where outputs are stored past the caches.
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
    /// Values that are stored when the last index of the short dimensions is there: by root and
    /// copy.
    pub(super) pending: HashMap<(usize, i64), Vec<Val<'c>>>,
    /// The scope that holds what is emitted without loops around it.
    pub(super) straight: Option<usize>,
    /// Transposed blocks in memory, and the row that they begin at.
    pub(super) stored: Option<StoredBlocks<'c>>,
    /// Reductions of the current tile that are done, in a region of many columns or of several
    /// short rows at a time.
    pub(super) reduced: Vec<Reduced<'c>>,
    /// Reciprocals of what all elements of a column are divided by, by the division, in a region of
    /// many columns at once.
    pub(super) inverses: HashMap<usize, Val<'c>>,
}

impl<'g, 'c> LoopEmitter<'g, 'c> {
    /// Emitter of a kernel, before it has emitted any code; `arguments` begin with the inputs and
    /// the outputs.
    pub fn new(
        b: &'g Builder<'c>,
        region: &'g Region<'c>,
        analysis: &'g Analysis<'c>,
        plan: &'g Plan,
        arguments: &[Val<'c>],
        compute: Compute<'c>,
    ) -> Self {
        let (k, m) = (region.inputs.len(), region.roots.len());
        let mut ranges = analysis.ranges.clone();
        ranges.vars.extend(
            plan.rows
                .map(|rows| (Extent::ZERO, Extent::from(rows.count - 1))),
        );
        let count = ranges.vars.len();
        let mut emitter = LoopEmitter {
            b,
            region,
            analysis,
            plan,
            ranges,
            runtime: RuntimeTable::default(),
            compute,
            inputs: flat(b, &region.inputs, arguments),
            outputs: flat(b, &region.roots, &arguments[k..]),
            streamed: vec![false; m],
            large: None,
            delayed: Vec::new(),
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
            reduced: Vec::new(),
            inverses: HashMap::new(),
        };
        emitter.ranges.values.clear();
        emitter
    }
}

/// The arguments that are the memory of `ports`, as flat buffers.
fn flat<'c>(b: &Builder<'c>, ports: &[Port<'c>], arguments: &[Val<'c>]) -> Vec<Val<'c>> {
    let flat = |(port, value): (&Port<'c>, &Val<'c>)| {
        if port.base.is_some() {
            // A part of a tensor is flat as it is.
            return *value;
        }
        if !port.is_static() {
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
        let value = if flat == ty {
            value
        } else {
            b.reinterpret(value, flat, 0, &[n], &[1])
        };
        parts(b, value)
    };
    ports.iter().zip(arguments).map(flat).collect()
}

/// A flat buffer of complex numbers as the buffer of their parts, twice as many; any other buffer
/// as it is.
pub(super) fn parts<'c>(b: &Builder<'c>, buffer: Val<'c>) -> Val<'c> {
    let ty = buffer.r#type();
    let Some(part) = b.part_of(b.element_of(ty)) else {
        return buffer;
    };
    let count: i64 = b.shape_of(ty).iter().product();
    // Both are the same pointer, of which nothing but the type of what it points to changes.
    b.cast(
        "builtin.unrealized_conversion_cast",
        buffer,
        b.memref(&[2 * count], part),
    )
}

impl<'c> LoopEmitter<'_, 'c> {
    /// Element `index` of `value`: a scalar where it is the same for all lanes, else a vector.
    pub fn eval(&mut self, value: Val<'c>, index: &[Sum]) -> EmitResult<Elem<'c>> {
        (self.compute)(self, value, index)
    }

    /// An element that has been computed in a loop that is open.
    pub(super) fn known(&self, key: &ValueAt) -> Option<Elem<'c>> {
        let mut scopes = self.scopes.iter().rev();
        scopes.find_map(|scope| scope.values.get(key)).copied()
    }

    /// Remembers elements in the innermost loop.
    pub(super) fn remember(&mut self, computed: impl IntoIterator<Item = (ValueAt, Elem<'c>)>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.values.extend(computed);
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

    pub fn is_vector(&self, value: Val<'c>) -> bool {
        let ty: Ty<'c> = value.r#type();
        !self.b.shape_of(ty).is_empty()
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

    /// Emits `inner` with `var` bound to `at`, in a scope of its own.
    pub(super) fn body(
        &mut self,
        var: VarId,
        at: Val<'c>,
        start: Option<(i64, i64)>,
        step: i64,
        inner: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let outer = (self.vals[var].replace(at), self.align[var]);
        // `start` is (first value, what it is a multiple of besides): the loop's step keeps the
        // residue.
        self.align[var] = match start {
            Some((first, 1)) => Some((first, step)),
            Some((_, multiple)) if multiple % step == 0 => Some((0, step)),
            Some((_, multiple)) if step % multiple == 0 => Some((0, multiple)),
            _ => None,
        };
        self.scopes.push(Scope::default());
        let result = inner(self);
        self.scopes.pop();
        (self.vals[var], self.align[var]) = outer;
        result
    }

    /// Runs `body` once for each copy of the loop body.
    pub fn each_copy(
        &mut self,
        body: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        for copy in self.copies.clone() {
            self.copy = copy;
            let result = body(self);
            self.copy = None;
            result?;
        }
        self.store_delayed();
        Ok(())
    }

    /// An index as the current copy of the body sees it.
    pub fn shifted(&self, index: &[Sum]) -> Vec<Sum> {
        match self.copy {
            Some((var, by)) if by != 0 => {
                let value = Sum::var(var).offset(by);
                index
                    .iter()
                    .map(|x| x.with_var(var, &value, &self.ranges))
                    .collect()
            }
            _ => index.to_vec(),
        }
    }

    /// Number of the vector of columns at hand in the buffers.
    pub(super) fn place(&mut self) -> EmitResult<Val<'c>> {
        let b = self.b;
        let lane = self.plan.lane.unwrap_or_default();
        let (Some(at), Some(bound)) = (self.vals[lane], self.bounds[lane]) else {
            return Err(Declined::new("columns outside of their loop"));
        };
        let shift = self.copy.map_or(0, |(_, by)| by / self.plan.lanes);
        let at = b.subi(at, bound.lo);
        let at = b.shrui(at, b.cidx(i64::from(self.plan.lanes.ilog2())));
        Ok(b.addi(at, b.cidx(shift)))
    }
}
