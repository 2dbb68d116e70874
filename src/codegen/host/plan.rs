//! Where every tensor of a function lives: arguments, results, constant data, or a place in the
//! arena that no other live tensor uses.

use super::{
    arena,
    buffer_swap::{self, BufferSwaps},
    inlined::InlinedKernels,
    liveness::{Liveness, Point, end_of},
    sharing::{self, Places},
    values::{Kind, bytes, is_alias, is_end, is_while, tensor},
    views::Views,
};
use crate::{emitter::Kernel, error::Located};
use mapwright_mlir::{
    Blk, Op, Val,
    attr::{self, Dense},
    op,
};
use std::collections::HashMap;

/// Memory of one or more values that never hold different data at the same time.
#[derive(Clone, Debug)]
pub(crate) struct Storage {
    pub kind: Kind,
    pub bytes: i64,
    /// Its address changes while the function runs.
    pub moves: bool,
}

/// Bytes of a tensor that may be on the stack, and of all that are.
const SMALL: i64 = 1 << 8;
const STACK: i64 = 1 << 15;

/// A finished plan without the borrows of its making.
pub(crate) struct Finished<'c> {
    pub storages: Vec<Storage>,
    /// By loop, rings of storages: at the end of an iteration each takes the address of the one
    /// behind it.
    pub rotations: BufferSwaps<'c>,
    pub of: HashMap<usize, usize>,
    /// Memory of launches, by the key of their first result.
    pub workspaces: HashMap<usize, usize>,
    pub arena_bytes: i64,
    pub constants: Vec<Vec<u8>>,
}

/// The plan of a function that does nothing but `op`: its arguments are the operands, its results
/// those of the operation.
pub(crate) fn of_operation(op: Op<'_>) -> Finished<'_> {
    let mut finished = Finished {
        storages: Vec::new(),
        rotations: BufferSwaps::new(),
        of: HashMap::new(),
        workspaces: HashMap::new(),
        arena_bytes: 0,
        constants: Vec::new(),
    };
    let arguments = op.operands().into_iter().enumerate();
    let results = op.results().into_iter().enumerate();
    let values = arguments
        .map(|(i, value)| (Kind::Argument(i), value))
        .chain(results.map(|(i, value)| (Kind::Result(i), value)));
    for (kind, value) in values {
        let bytes = tensor(value).and_then(|ty| bytes(&ty)).unwrap_or(0);
        finished.of.insert(op::key(value), finished.storages.len());
        finished.storages.push(Storage {
            kind,
            bytes,
            moves: false,
        });
    }
    finished
}

/// Plans `function`, whose fusions have the kernels that `kernels` says.
///
/// `result_memory`: may other values be in the memory of results until these are written?
pub(crate) fn plan<'c>(
    function: Op<'c>,
    kernels: &dyn Fn(Op<'c>) -> Option<Kernel>,
    light: &InlinedKernels<'c>,
    views: &Views<'c>,
    first_constant: usize,
    result_memory: bool,
) -> Result<Finished<'c>, Located<'c>> {
    let Some(block) = function.body(0) else {
        return Err(Located::new(function, "has no body"));
    };
    let mut planner = Planner {
        places: Places::new(Liveness::for_block(block, views), kernels),
        ops: Vec::new(),
        constants: Vec::new(),
        workspaces: HashMap::new(),
        kernels,
        first_constant,
    };
    for (i, argument) in op::arguments(block).into_iter().enumerate() {
        if let Some(tensor) = tensor(argument) {
            let bytes = bytes(&tensor).unwrap_or(0);
            let life = (0, planner.places.liveness.last_use(argument));
            planner
                .places
                .add(argument, Kind::Argument(i), bytes, life, None);
        }
    }
    planner.block(block, 0)?;
    planner.places.share(&planner.ops);
    planner.small(light);
    let rotations = buffer_swap::rotations(&mut planner.places, &planner.ops);
    planner.results(function, block);
    let rooms = if result_memory {
        planner.rooms(function, block)
    } else {
        Vec::new()
    };
    let arena_bytes = arena::assign(&mut planner.places.all, rooms)
        .ok_or_else(|| Located::new(function, "needs more memory than can be addressed"))?;
    Ok(planner.finished(arena_bytes, rotations))
}

struct Planner<'a, 'c> {
    places: Places<'a, 'c>,
    /// All operations, each with the number of regions around it.
    ops: Vec<(Op<'c>, usize)>,
    constants: Vec<Vec<u8>>,
    /// Memory of launches, by the key of their first result.
    workspaces: HashMap<usize, usize>,
    kernels: &'a dyn Fn(Op<'c>) -> Option<Kernel>,
    first_constant: usize,
}

impl<'c> Planner<'_, 'c> {
    /// A place for a result of `op`, needed until `end` at least; it is written by the operation
    /// itself unless others copy it there.
    fn fresh(&mut self, value: Val<'c>, op: Op<'c>, end: usize, copied: bool) -> Option<usize> {
        let (kind, bytes) = sharing::memory_for(value)?;
        let begin = self.places.liveness.time(op).0;
        let life = (begin, self.places.liveness.last_use(value).max(end));
        let writer = (!copied).then_some(op);
        Some(self.places.add(value, kind, bytes, life, writer))
    }

    /// Gives every value of `block` a place; `depth`: regions around it.
    fn block(&mut self, block: Blk<'c>, depth: usize) -> Result<(), Located<'c>> {
        for op in op::ops(block) {
            self.ops.push((op, depth));
            let (start, end) = self.places.liveness.time(op);
            if is_end(op) {
                continue;
            }
            if is_alias(op) {
                for (result, operand) in op.results().into_iter().zip(op.operands()) {
                    if let Some(id) = self.places.place_of(operand) {
                        self.places.join(result, id);
                    }
                }
                continue;
            }
            if self.places.liveness.views.made_by(op).is_some() {
                continue;
            }
            if op.is_hlo("constant") {
                self.constant(op, start)?;
                continue;
            }
            if is_while(op) {
                self.carried(op, end, depth)?;
                continue;
            }
            if op.is_hlo("if") || op.is_hlo("case") {
                for result in op.results() {
                    self.fresh(result, op, end, true);
                }
                for r in 0..op.num_regions() {
                    for inner in op::blocks(op.region(r)) {
                        self.block(inner, depth + 1)?;
                    }
                    let Some(last) = end_of(op, r) else { continue };
                    for (value, result) in last.operands().into_iter().zip(op.results()) {
                        if let Some(id) = self.places.place_of(result) {
                            self.places.copied(id, result, Point::End(last), value);
                        }
                    }
                }
                continue;
            }
            let kernel = match op.name() {
                "indexing.fusion" => (self.kernels)(op),
                _ => None,
            };
            if let Some(kernel) = kernel.filter(|k| k.scratch_bytes > 0)
                && let Some(first) = op.results().first()
            {
                // Needed while the operation runs, no longer.
                let id = self.places.add_bare(kernel.scratch_bytes, (start, end));
                self.workspaces.insert(op::key(*first), id);
            }
            for result in op.results() {
                self.fresh(result, op, start, false);
            }
        }
        Ok(())
    }

    fn constant(&mut self, op: Op<'c>, start: usize) -> Result<(), Located<'c>> {
        let Some(data) = op
            .attribute("value")
            .and_then(Dense::from_mlir)
            .and_then(|dense| dense.expanded())
        else {
            let why = attr::why_unreadable(op.attribute("value"));
            return Err(Located::new(op, format!("is {why}")));
        };
        let kind = Kind::Constant(self.first_constant + self.constants.len());
        let life = (start, self.places.liveness.last_use(op.result(0)));
        let bytes = data.len() as i64;
        self.places.add(op.result(0), kind, bytes, life, None);
        self.constants.push(data);
        Ok(())
    }

    /// The values that the loop `op` carries live where its results do: they are copied there on
    /// entry and at the end of each iteration.
    fn carried(&mut self, op: Op<'c>, end: usize, depth: usize) -> Result<(), Located<'c>> {
        for (i, (operand, result)) in op.operands().into_iter().zip(op.results()).enumerate() {
            let Some(id) = self.fresh(result, op, end, true) else {
                continue;
            };
            for r in 0..op.num_regions() {
                let argument = op.body(r).and_then(|b| op::arguments(b).get(i).copied());
                if let Some(argument) = argument {
                    self.places.join(argument, id);
                }
            }
            self.places.copied(id, result, Point::Entry(op, i), operand);
        }
        for r in 0..op.num_regions() {
            for inner in op::blocks(op.region(r)) {
                self.block(inner, depth + 1)?;
            }
        }
        let Some(last) = end_of(op, 1) else {
            return Ok(());
        };
        for (value, result) in last.operands().into_iter().zip(op.results()) {
            if let Some(id) = self.places.place_of(result) {
                self.places.copied(id, result, Point::End(last), value);
            }
        }
        Ok(())
    }

    /// Small tensors that light loops carry or make are on the stack, where LLVM finds those that
    /// fit into registers.
    fn small(&mut self, light: &InlinedKernels<'c>) {
        let mut left = STACK;
        for (op, _) in &self.ops {
            if !light.holds(*op) {
                continue;
            }
            for value in op.results() {
                if let Some(id) = self.places.place_of(value)
                    && self.places.all[id].kind == Kind::Arena(0)
                    && tensor(value).is_some_and(|ty| ty.static_shape().is_some())
                    && self.places.all[id].bytes <= SMALL.min(left)
                {
                    left -= self.places.all[id].bytes.max(64);
                    self.places.all[id].kind = Kind::Stack;
                }
            }
            // What a region that is a part of the host's function packs: LLVM sees that nobody else
            // reads it.
            let id = op
                .results()
                .first()
                .and_then(|v| self.workspaces.get(&op::key(*v)));
            if let Some(place) = id.and_then(|id| self.places.all.get_mut(*id))
                && light.regions.contains(op)
                && place.bytes <= SMALL.min(left)
            {
                left -= place.bytes.max(64);
                place.kind = Kind::Stack;
            }
        }
    }

    /// Results of the function live in the caller's memory from the start where that is possible.
    fn results(&mut self, function: Op<'c>, block: Blk<'c>) {
        let Some(end) = op::ops(block).last().copied() else {
            return;
        };
        let donated = super::donate::donations(function);
        let returned = buffer_swap::returned(&self.places, end);
        let arguments = op::arguments(block);
        let mut used = Vec::new();
        for (i, value) in end.operands().into_iter().enumerate() {
            let fixed = tensor(value).is_some_and(|t| t.static_shape().is_some());
            if let Some(id) = self.places.place_of(value)
                && fixed
                && matches!(self.places.all[id].kind, Kind::Arena(_))
                && !used.contains(&id)
                // What would be in the memory of one result could be another.
                && (self.places.all[id].ring)
                    .is_none_or(|ring| returned.get(&ring).copied().unwrap_or(0) <= 1)
                && donated
                    .iter()
                    .all(|(a, k)| *k != i || self.follows(id, arguments[*a]))
            {
                self.places.all[id].kind = Kind::Result(i);
                used.push(id);
            } else if let Some(id) = self.places.place_of(value)
                && !fixed
                && matches!(self.places.all[id].kind, Kind::Arena(_))
                && self.places.is_alone(value, id)
                && op::defining_op(value).is_some_and(|(op, _)| op.name() == "indexing.fusion")
                && donated.iter().all(|(_, k)| *k != i)
            {
                // As large as it is, not as its bound: it is handed over to the caller.
                self.places.all[id].kind = Kind::Allocated;
            }
        }
    }

    /// The memory of results while they are not there: from the beginning, or from when a donated
    /// argument that is there was read last.
    fn rooms(&self, function: Op<'c>, block: Blk<'c>) -> Vec<arena::BufferSlot> {
        let Some(end) = op::ops(block).last().copied() else {
            return Vec::new();
        };
        let donated = super::donate::donations(function);
        let arguments = op::arguments(block);
        let mut written = HashMap::new();
        for (id, place) in self.places.all.iter().enumerate() {
            if let Kind::Result(i) = place.kind
                && self.places.stands(id)
            {
                written.insert(i, place.begin);
            }
        }
        let values = end.operands().into_iter().enumerate();
        let rooms = values.filter_map(|(result, value)| {
            let tensor = tensor(value).filter(|ty| ty.static_shape().is_some())?;
            let argument = donated.iter().find(|(_, k)| *k == result);
            let place = argument.and_then(|(a, _)| self.places.place_of(arguments[*a]));
            Some(arena::BufferSlot {
                result,
                bytes: bytes(&tensor)?,
                from: place.map(|id| self.places.all[id].end),
                until: (written.get(&result).copied())
                    .unwrap_or_else(|| self.places.liveness.time(end).0),
            })
        });
        rooms.collect()
    }

    /// Tells whether `argument` is read for the last time before place `id` is written, or by an
    /// operation that may write there: a kernel that overwrites it, or the entry of a loop that
    /// copies it there.
    fn follows(&self, id: usize, argument: Val<'c>) -> bool {
        let begin = self.places.all[id].begin;
        let last =
            (self.places.place_of(argument)).map_or(usize::MAX, |own| self.places.all[own].end);
        if last < begin {
            return true;
        }
        let views = self.places.liveness.views;
        let same = |value: &Val<'c>| op::key(views.base(*value)) == op::key(argument);
        let to = |value: Val<'c>| self.places.place_of(value) == Some(id);
        let takes = |op: Op<'c>| {
            let given: Vec<usize> = (0..op.num_operands())
                .filter(|i| same(&op.operand(*i)))
                .collect();
            let [only] = given.as_slice() else {
                return false;
            };
            if views.get(op.operand(*only)).is_some() {
                return false;
            }
            if is_while(op) {
                return to(op.result(*only));
            }
            op.name() == "indexing.fusion"
                && (self.kernels)(op).is_some_and(|kernel| {
                    let mut pairs = kernel.in_place.iter();
                    pairs.any(|(output, input)| input == only && to(op.result(*output)))
                })
        };
        last == begin && {
            let mut there = self.places.liveness.starts();
            there.any(|(op, start)| start == begin && takes(op))
        }
    }

    fn finished(self, arena_bytes: i64, rotations: BufferSwaps<'c>) -> Finished<'c> {
        let mut numbers = HashMap::new();
        let mut storages = Vec::new();
        for (id, place) in self.places.all.iter().enumerate() {
            if self.places.stands(id) {
                numbers.insert(id, storages.len());
                storages.push(Storage {
                    kind: place.kind,
                    bytes: place.bytes,
                    moves: place.ring.is_some(),
                });
            }
        }
        let number = |id: usize| numbers.get(&id).copied();
        let of = self.places.numbers();
        let rotations = rotations.into_iter().map(|(op, rings)| {
            let rings = rings.into_iter();
            let rings = rings.map(|ring| ring.into_iter().filter_map(number).collect());
            (op, rings.collect())
        });
        Finished {
            storages,
            rotations: rotations.collect(),
            of: of
                .into_iter()
                .filter_map(|(key, id)| Some((key, number(id)?)))
                .collect(),
            workspaces: self
                .workspaces
                .into_iter()
                .filter_map(|(key, id)| Some((key, number(id)?)))
                .collect(),
            arena_bytes,
            constants: self.constants,
        }
    }
}
