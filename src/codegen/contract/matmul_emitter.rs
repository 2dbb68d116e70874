//! What the loops of products are emitted with: the state, and the steps that all of them are made
//! of.

use super::plan::{Buffer, Plan, Source};
use super::problem::{EmitResult, Problem};
use crate::run_time::index;
use crate::tiled::{
    self,
    analysis::Analysis,
    element,
    emitter::{LoopEmitter, Scope},
    region::Region,
};
use crate::{Elem, index::Ix};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::Sum;
use mapwright_mlir::{Builder, ElementType, Val, builder::DYNAMIC};

/// State of emitting a product.
pub(crate) struct MatmulEmitter<'g, 'c> {
    pub b: &'g Builder<'c>,
    pub p: &'g Problem<'c>,
    pub plan: &'g Plan,
    pub g: LoopEmitter<'g, 'c>,
    /// The workspace, if there is one.
    pub workspace: Option<Val<'c>>,
    /// Memory that is kept from call to call, if there is anything.
    pub prepacked: Option<Val<'c>>,
    /// The region's inputs as flat buffers.
    pub inputs: Vec<Val<'c>>,
    /// Elements of the next panel that earlier register tiles of this panel have asked for, and how
    /// many elements each asks for.
    pub ahead: Option<(Val<'c>, i64)>,
    /// Columns in the place of the packed ones, while a register tile is emitted that is for few
    /// rows as well.
    pub in_place: Option<InPlace<'g, 'c>>,
    /// Position of the limit of the current register tile's rows ([`super::bf16_subnormals`]), if
    /// these have one.
    pub limit: Option<Val<'c>>,
}

/// Columns that are read where they are if there are few rows.
#[derive(Clone, Copy)]
pub(crate) struct InPlace<'g, 'c> {
    pub are_few: Val<'c>,
    pub plan: &'g Plan,
    /// These columns, or, if there are more rows, the packed ones.
    pub chosen: Val<'c>,
}

/// A part of the columns: whole panels, or what is left of the last one.
#[derive(Clone, Copy)]
pub(crate) struct Width<'c> {
    pub vectors: i64,
    /// Lanes of the last vector, if not all.
    pub last: Option<i64>,
    /// Columns, where their number is known at run time only.
    pub columns: Option<Val<'c>>,
}

impl<'c> Width<'c> {
    /// The lanes of vector `v` that exist, if not all do.
    pub fn mask(&self, b: &Builder<'c>, v: i64, lanes: i64) -> Option<Val<'c>> {
        if let Some(columns) = self.columns {
            return Some(b.mask(b.subi(columns, b.cidx(v * lanes)), lanes));
        }
        let last = self.last.filter(|_| v == self.vectors - 1);
        last.map(|n| b.mask(b.cidx(n), lanes))
    }
}

impl<'g, 'c> MatmulEmitter<'g, 'c> {
    /// Emission of a product of `region` whose inputs, then outputs, are `arguments`; `bare` knows
    /// nothing but the problem's variables.
    pub fn new(
        b: &'g Builder<'c>,
        region: &'g Region<'c>,
        (p, plan): (&'g Problem<'c>, &'g Plan),
        (analysis, bare): (&'g Analysis<'c>, &'g tiled::plan::Plan),
        arguments: &[Val<'c>],
    ) -> Self {
        let g = LoopEmitter::new(b, region, analysis, bare, arguments, element::of_value);
        let inputs = (0..region.inputs.len()).map(|i| g.input(i).0).collect();
        Self {
            b,
            p,
            plan,
            g,
            workspace: None,
            prepacked: None,
            inputs,
            ahead: None,
            in_place: None,
            limit: None,
        }
    }

    /// A flat buffer of elements of the sum's type.
    pub fn buffer(&self, source: &Buffer) -> EmitResult<Val<'c>> {
        let b = self.b;
        let known = |at: &i64, elements: &i64| (Ix::Known(*at), Ix::Known(*elements));
        let (memory, (at, elements)) = match source {
            Buffer::Input(i) => return Ok(self.inputs[*i]),
            Buffer::Workspace { at, elements } => (self.workspace, known(at, elements)),
            Buffer::Last(k) => {
                let elements = self.plan.last.get(*k).map(|last| index(b, *last));
                let at = self.plan.memory_before(b, self.p, *k);
                (self.workspace, (at, elements.unwrap_or(Ix::Known(0))))
            }
            Buffer::Prepacked { at, elements } => (self.prepacked, known(at, elements)),
        };
        // What is packed has the packed type.
        let Some(memory) = memory else {
            return Err(crate::Declined::new("no workspace"));
        };
        let element = crate::storage::storage_type(b, &self.p.packed)?;
        let start = at.value(b);
        Ok(match elements {
            Ix::Known(n) => b.view(memory, start, b.memref(&[n.max(1)], element)),
            Ix::Value(length) => {
                let ty = b.memref(&[DYNAMIC], element);
                b.op1("memref.view", &[memory, start, length], ty, &[])
            }
        })
    }

    /// Runs `inner` with a variable bound, in a scope of its own.
    pub fn with(
        &mut self,
        var: usize,
        at: Val<'c>,
        inner: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let outer = self.g.vals[var].replace(at);
        // What was emitted for another value of the variable is not to be found again.
        let hidden = match outer {
            Some(_) => std::mem::take(&mut self.g.scopes),
            None => Vec::new(),
        };
        self.g.scopes.push(Scope::default());
        let result = inner(self);
        self.g.scopes.pop();
        if outer.is_some() {
            self.g.scopes = hidden;
        }
        self.g.vals[var] = outer;
        result
    }

    /// A loop over a variable.
    pub fn each(
        &mut self,
        var: usize,
        (lo, hi, step): (Val<'c>, Val<'c>, i64),
        inner: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let b = self.b;
        let mut result = Ok(());
        b.for_loop(lo, hi, b.cidx(step), &[], |_, i, _| {
            result = self.with(var, i, inner);
            Vec::new()
        });
        result
    }

    /// Splits a tile number into digits, the last one changing fastest.
    pub fn split(&self, tile: Val<'c>, sizes: &[Extent]) -> Vec<Val<'c>> {
        let sizes: Vec<Ix<'c>> = sizes.iter().map(|n| index(self.b, *n)).collect();
        self.split_counts(tile, &sizes)
    }

    /// As [`MatmulEmitter::split`], of numbers that may be known at run time only.
    pub fn split_counts(&self, tile: Val<'c>, sizes: &[Ix<'c>]) -> Vec<Val<'c>> {
        let b = self.b;
        let mut rest = tile;
        let mut found = vec![b.cidx(0); sizes.len()];
        let is_one = |size: &Ix<'c>| size.known() == Some(1);
        for (i, size) in sizes.iter().enumerate().rev() {
            let more = !sizes[..i].iter().all(is_one);
            if is_one(size) {
                continue;
            }
            let by = size.value(b);
            found[i] = if more {
                b.op1("arith.remui", &[rest, by], b.index(), &[])
            } else {
                rest
            };
            if more {
                rest = b.op1("arith.divui", &[rest, by], b.index(), &[]);
            }
        }
        found
    }

    /// `inner` under a condition, if there is one.
    pub(super) fn when(
        &mut self,
        condition: Option<Val<'c>>,
        inner: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        match condition {
            None => inner(self),
            Some(condition) => {
                let mut result = Ok(());
                self.g.scopes.push(Scope::default());
                self.b.if_then(condition, |_| result = inner(self));
                self.g.scopes.pop();
                result
            }
        }
    }

    /// Offset of a source where all contracted variables are 0.
    pub fn start(&mut self, source: &Source) -> EmitResult<Val<'c>> {
        let ranges = self.g.ranges.clone();
        let start = self.p.k.iter().fold(source.offset.clone(), |x, k| {
            x.with_var(*k, &Sum::constant(0), &ranges)
        });
        self.g.index_value(&start)
    }

    /// Beginning of the panel of the current columns.
    pub fn panel_start(&mut self) -> EmitResult<Val<'c>> {
        let plan = self.plan;
        self.start(&plan.col_source)
    }
}

/// Asks for the cache line of an element: for writing, or into the cache of a level (3 is the
/// nearest, 2 the next).
pub(crate) fn prefetch<'c>(
    b: &Builder<'c>,
    buffer: Val<'c>,
    at: Val<'c>,
    write: bool,
    locality: i64,
) {
    let attributes = [
        ("isWrite", b.bool_attr(write)),
        ("localityHint", b.int_attr(locality, b.int(32))),
        ("isDataCache", b.bool_attr(true)),
    ];
    b.op("memref.prefetch", &[buffer, at], &[], &attributes);
}

/// Loaded elements as values of the sum's type.
pub(crate) fn widen<'c>(
    b: &Builder<'c>,
    from: &ElementType,
    to: &ElementType,
    loaded: Val<'c>,
) -> EmitResult<Val<'c>> {
    let value = crate::storage::from_storage(b, from, loaded)?;
    Ok(crate::scalar::convert::convert(b, from, to, value)?.one())
}

/// A few neighbouring elements of 32 bits together, again and again, as a vector of type `ty`.
pub(crate) fn spread<'c>(
    b: &Builder<'c>,
    from: Val<'c>,
    at: Val<'c>,
    count: i64,
    ty: mapwright_mlir::Ty<'c>,
) -> Val<'c> {
    let element = b.element_of(ty);
    let few = b.vload(from, &[at], b.vector(&[count], element));
    let word = b.op1("vector.bitcast", &[few], b.vector(&[1], b.int(32)), &[]);
    let word = b.extract(word, &[0]);
    let lanes = b.shape_of(ty)[0] / count;
    let words = b.broadcast(word, b.vector(&[lanes], b.int(32)));
    b.op1("vector.bitcast", &[words], ty, &[])
}

/// Closure that emits one step of a contraction: from offsets in rows and columns and the sums so
/// far it returns the next sums.
type Accumulate<'s, 'c> = dyn Fn(Val<'c>, Val<'c>, &[Val<'c>]) -> EmitResult<Vec<Val<'c>>> + 's;

/// A loop over a contracted variable: size, stride in rows and stride in columns.
pub(crate) type Contracted<'c> = (Extent, Extent, Ix<'c>);

/// Loops over contracted variables, outermost first.
pub(crate) fn contract<'c>(
    b: &Builder<'c>,
    steps: &[Contracted<'c>],
    row_at: Val<'c>,
    col_at: Val<'c>,
    sums: &[Val<'c>],
    body: &Accumulate<'_, 'c>,
) -> EmitResult<Vec<Val<'c>>> {
    let Some(((size, row, col), rest)) = steps.split_first() else {
        return body(row_at, col_at, sums);
    };
    if *size == 1 {
        return contract(b, rest, row_at, col_at, sums, body);
    }
    let scaled = |i: Val<'c>, by: Ix<'c>| match by {
        Ix::Known(1) => i,
        _ => b.muli(i, by.value(b)),
    };
    let mut failure = Ok(());
    let sums = b.for_loop(b.cidx(0), b.cidx(*size), b.cidx(1), sums, |_, k, sums| {
        let row_at = b.addi(row_at, scaled(k, index(b, *row)));
        let col_at = b.addi(col_at, scaled(k, *col));
        contract(b, rest, row_at, col_at, sums, body).unwrap_or_else(|why| {
            failure = Err(why);
            sums.to_vec()
        })
    });
    failure.map(|()| sums)
}

/// An element of the sum's type as the value of an element of the product's result.
pub(crate) fn finish<'c>(b: &Builder<'c>, to: &ElementType, sum: Val<'c>) -> Elem<'c> {
    use mapwright_mlir::FloatKind;
    match to {
        ElementType::Float(kind) if !matches!(kind, FloatKind::F64 | FloatKind::F32) => {
            Elem::One(crate::scalar::narrow::round(b, *kind, sum))
        }
        _ => Elem::One(sum),
    }
}
