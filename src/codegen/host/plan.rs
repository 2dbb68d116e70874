//! Where every tensor of a function lives: arguments, results, constant data, or a place in the arena that no other live tensor uses.

use crate::{emitter::Kernel, inline::Located};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{
    Blk, Op, TensorType, Val, ValueType,
    attr::{self, Dense},
    op,
};
use std::collections::HashMap;

/// What a storage is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// At an offset of the arena.
    Arena(i64),
    /// An argument of the function.
    Argument(usize),
    /// The memory of a result, given by the caller.
    Result(usize),
    /// Constant data.
    Constant(usize),
    /// Allocated during the call, because its size is known only then.
    Allocated,
}

/// Memory of one or more values that never hold different data at the same time.
#[derive(Clone, Debug)]
pub(crate) struct Storage {
    pub kind: Kind,
    pub bytes: i64,
    begin: usize,
    end: usize,
    /// Carried by a loop: its content changes where the loop's body ends.
    pub carried: bool,
}

/// Alignment of every tensor.
const ALIGN: i64 = 64;

/// Bytes of a tensor, of its bound where that is what is known; `None` when it has no bound.
pub(crate) fn bytes(tensor: &TensorType) -> Option<i64> {
    tensor
        .num_elements()?
        .checked_mul(tensor.element.byte_width()? as i64)
}

/// The tensor type of a value that has memory.
pub(crate) fn tensor(value: Val<'_>) -> Option<TensorType> {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(tensor) => Some(tensor),
        _ => None,
    }
}

/// Is it `while`?
pub(crate) fn is_while(op: Op<'_>) -> bool {
    op.is_hlo("while")
}

/// Does `op` end a region or function?
pub(crate) fn is_end(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        "func.return" | "stablehlo.return" | "mhlo.return"
    )
}

/// Results that are their operands under another name.
pub(crate) fn is_alias(op: Op<'_>) -> bool {
    op.is_hlo("optimization_barrier")
}

struct Planner<'a, 'c> {
    storages: Vec<Storage>,
    of: HashMap<usize, usize>,
    constants: Vec<Vec<u8>>,
    times: HashMap<Op<'c>, (usize, usize)>,
    /// Memory of launches, by the key of their first result.
    workspaces: HashMap<usize, usize>,
    kernels: &'a dyn Fn(Op<'c>) -> Option<Kernel>,
}

/// A finished plan without the borrows of its making.
pub(crate) struct Finished {
    pub storages: Vec<Storage>,
    pub of: HashMap<usize, usize>,
    /// Memory of launches, by the key of their first result.
    pub workspaces: HashMap<usize, usize>,
    pub arena_bytes: i64,
    pub constants: Vec<Vec<u8>>,
}

/// The plan of a function that does nothing but `op`: its arguments are the operands, its results those of the operation.
pub(crate) fn of_operation(op: Op<'_>) -> Finished {
    let mut finished = Finished {
        storages: Vec::new(),
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
            begin: 0,
            end: 0,
            carried: false,
        });
    }
    finished
}

/// Plans `function`, whose fusions have the kernels that `kernels` says.
pub(crate) fn plan<'c>(
    function: Op<'c>,
    kernels: &dyn Fn(Op<'c>) -> Option<Kernel>,
    first_constant: usize,
) -> Result<Finished, Located<'c>> {
    let mut planner = Planner {
        storages: Vec::new(),
        of: HashMap::new(),
        constants: Vec::new(),
        times: HashMap::new(),
        workspaces: HashMap::new(),
        kernels,
    };
    let Some(block) = function.body(0) else {
        return Err(Located::new(function, "has no body"));
    };
    let mut clock = 0;
    planner.number(block, &mut clock);
    for (i, argument) in op::arguments(block).into_iter().enumerate() {
        if let Some(tensor) = tensor(argument) {
            let bytes = bytes(&tensor).unwrap_or(0);
            planner.add(argument, Kind::Argument(i), bytes, 0, clock);
        }
    }
    planner.block(block, None, first_constant)?;
    planner.results(function, block);
    let arena_bytes = planner.assign(function)?;
    Ok(Finished {
        storages: planner.storages,
        of: planner.of,
        workspaces: planner.workspaces,
        arena_bytes,
        constants: planner.constants,
    })
}

impl<'c> Planner<'_, 'c> {
    /// Numbers operations in order, those inside of regions between the start and the end of the one around them.
    fn number(&mut self, block: Blk<'c>, clock: &mut usize) {
        for op in op::ops(block) {
            *clock += 1;
            let start = *clock;
            if op.name() != "indexing.fusion" {
                for r in 0..op.num_regions() {
                    for inner in op::blocks(op.region(r)) {
                        self.number(inner, clock);
                    }
                }
            }
            if *clock > start {
                *clock += 1;
            }
            self.times.insert(op, (start, *clock));
        }
    }

    /// When `value` is needed last; a use inside a region counts until the end of the operation around it.
    fn last_use(&self, value: Val<'c>) -> usize {
        let home = match op::defining_op(value) {
            Some((op, _)) => op.block(),
            None => op::block_argument(value).map(|(block, _)| block),
        };
        let mut last = 0;
        for (user, _) in op::uses(value) {
            let mut at = user;
            let mut nested = false;
            while at.block() != home {
                match at.parent() {
                    Some(parent) => {
                        at = parent;
                        nested = true;
                    }
                    None => break,
                }
            }
            let (start, end) = self.times.get(&at).copied().unwrap_or((0, usize::MAX));
            last = last.max(if nested { end } else { start });
        }
        last
    }

    fn add(&mut self, value: Val<'c>, kind: Kind, bytes: i64, begin: usize, end: usize) -> usize {
        self.storages.push(Storage {
            kind,
            bytes,
            begin,
            end,
            carried: false,
        });
        let id = self.storages.len() - 1;
        self.of.insert(op::key(value), id);
        id
    }

    fn share(&mut self, value: Val<'c>, id: usize) {
        let end = self.last_use(value);
        let storage = &mut self.storages[id];
        storage.end = storage.end.max(end);
        self.of.insert(op::key(value), id);
    }

    /// A new storage for a result.
    fn fresh(&mut self, value: Val<'c>, begin: usize) {
        let Some(tensor) = tensor(value) else {
            return;
        };
        let end = self.last_use(value).max(begin);
        match bytes(&tensor) {
            Some(bytes) => self.add(value, Kind::Arena(0), bytes, begin, end),
            None => self.add(value, Kind::Allocated, 0, begin, end),
        };
    }

    fn block(
        &mut self,
        block: Blk<'c>,
        around: Option<Op<'c>>,
        first_constant: usize,
    ) -> Result<(), Located<'c>> {
        for op in op::ops(block) {
            let (start, end) = self.times.get(&op).copied().unwrap_or((0, 0));
            if is_end(op) {
                continue;
            }
            if is_alias(op) {
                for (result, operand) in op.results().into_iter().zip(op.operands()) {
                    if let Some(id) = self.of.get(&op::key(operand)).copied() {
                        self.share(result, id);
                    }
                }
                continue;
            }
            if op.is_hlo("constant") {
                let Some(data) = op
                    .attribute("value")
                    .and_then(Dense::from_mlir)
                    .and_then(|dense| dense.expanded())
                else {
                    let why = attr::why_unreadable(op.attribute("value"));
                    return Err(Located::new(op, format!("is {why}")));
                };
                let number = first_constant + self.constants.len();
                let last = self.last_use(op.result(0));
                self.add(
                    op.result(0),
                    Kind::Constant(number),
                    data.len() as i64,
                    start,
                    last,
                );
                self.constants.push(data);
                continue;
            }
            if is_while(op) || op.is_hlo("if") || op.is_hlo("case") {
                for result in op.results() {
                    self.fresh(result, start);
                    if let Some(id) = self.of.get(&op::key(result)).copied() {
                        self.storages[id].end = self.storages[id].end.max(end);
                        self.storages[id].carried = is_while(op);
                    }
                }
                for r in 0..op.num_regions() {
                    for inner in op::blocks(op.region(r)) {
                        if is_while(op) {
                            for (argument, result) in
                                op::arguments(inner).into_iter().zip(op.results())
                            {
                                if let Some(id) = self.of.get(&op::key(result)).copied() {
                                    self.of.insert(op::key(argument), id);
                                }
                            }
                        }
                        self.block(inner, Some(op), first_constant)?;
                    }
                }
                continue;
            }
            let kernel = match op.name() {
                "indexing.fusion" => (self.kernels)(op),
                _ => None,
            };
            if let Some(kernel) = kernel.as_ref().filter(|k| k.scratch_bytes > 0)
                && let Some(first) = op.results().first()
            {
                // Needed while the operation runs, no longer.
                self.storages.push(Storage {
                    kind: Kind::Arena(0),
                    bytes: kernel.scratch_bytes,
                    begin: start,
                    end,
                    carried: false,
                });
                self.workspaces
                    .insert(op::key(*first), self.storages.len() - 1);
            }
            let pairs = kernel.map(|k| k.in_place).unwrap_or_default();
            let mut taken: Vec<usize> = Vec::new();
            for (i, result) in op.results().into_iter().enumerate() {
                let shared =
                    pairs
                        .iter()
                        .filter(|(output, _)| *output == i)
                        .find_map(|(_, input)| {
                            self.reusable(op, *input, result, start, around, &taken)
                        });
                match shared {
                    Some(id) => {
                        taken.push(id);
                        self.share(result, id);
                    }
                    None => self.fresh(result, start),
                }
            }
        }
        Ok(())
    }

    /// The storage of operand `input`, if `result` may overwrite it: nothing else needs it from here on.
    fn reusable(
        &self,
        op: Op<'c>,
        input: usize,
        result: Val<'c>,
        now: usize,
        around: Option<Op<'c>>,
        taken: &[usize],
    ) -> Option<usize> {
        let operand = op.operand(input);
        let id = *self.of.get(&op::key(operand))?;
        let storage = &self.storages[id];
        let same = tensor(operand)? == tensor(result)?;
        // The operand may be given twice.
        let once = op
            .operands()
            .iter()
            .filter(|v| self.of.get(&op::key(**v)) == Some(&id))
            .count()
            == 1;
        if !same || !once || taken.contains(&id) || self.last_use(operand) > now {
            return None;
        }
        if storage.carried {
            // The argument of a loop's body, dead from here on, if the result becomes its next value.
            let (block, number) = op::block_argument(operand)?;
            let around = around.filter(|op| is_while(*op))?;
            if around.body(1) != Some(block) || op.block() != Some(block) {
                return None;
            }
            let ends = op::uses(result);
            let becomes_next = ends.iter().any(|(user, i)| is_end(*user) && *i == number)
                && ends.iter().all(|(user, i)| !is_end(*user) || *i == number);
            return becomes_next.then_some(id);
        }
        match storage.kind {
            // Defined in this block: a value from outside of a loop is needed again in the next iteration.
            Kind::Arena(_)
                if op::defining_op(operand).and_then(|(d, _)| d.block()) == op.block() =>
            {
                (storage.end <= now).then_some(id)
            }
            _ => None,
        }
    }

    /// Results of the function live in the caller's memory from the start where that is possible.
    fn results(&mut self, function: Op<'c>, block: Blk<'c>) {
        let Some(end) = op::ops(block).last().copied() else {
            return;
        };
        let donated = super::donate::donations(function);
        let arguments = op::arguments(block);
        let mut used = Vec::new();
        for (i, value) in end.operands().into_iter().enumerate() {
            let fixed = tensor(value).is_some_and(|t| t.static_shape().is_some());
            if let Some(id) = self.of.get(&op::key(value)).copied()
                && fixed
                && matches!(self.storages[id].kind, Kind::Arena(_))
                && !used.contains(&id)
                && donated
                    .iter()
                    .all(|(a, k)| *k != i || self.follows(id, arguments[*a]))
            {
                self.storages[id].kind = Kind::Result(i);
                used.push(id);
            } else if let Some(id) = self.of.get(&op::key(value)).copied()
                && !fixed
                && self.is_own(value, id)
                && donated.iter().all(|(_, k)| *k != i)
            {
                // As large as it is, not as its bound: it is handed over to the caller.
                self.storages[id].kind = Kind::Allocated;
            }
        }
    }

    /// Is the storage in the arena, for this value alone?
    fn is_own(&self, value: Val<'c>, id: usize) -> bool {
        let values = self.of.values().filter(|other| **other == id).count();
        let storage = &self.storages[id];
        let made = op::defining_op(value).is_some_and(|(op, _)| op.name() == "indexing.fusion");
        made && values == 1 && !storage.carried && matches!(storage.kind, Kind::Arena(_))
    }

    /// Is `argument` read for the last time before storage `id` is written, or by a kernel that may write its result there?
    fn follows(&self, id: usize, argument: Val<'c>) -> bool {
        let (begin, last) = (self.storages[id].begin, self.last_use(argument));
        if last < begin {
            return true;
        }
        let same = |value: &Val<'c>| op::key(*value) == op::key(argument);
        last == begin
            && self.times.iter().any(|(op, (start, _))| {
                let once = op.operands().iter().filter(|v| same(v)).count() == 1;
                let first = |output: usize| self.of.get(&op::key(op.result(output))) == Some(&id);
                *start == begin
                    && op.name() == "indexing.fusion"
                    && once
                    && (self.kernels)(*op).is_some_and(|kernel| {
                        let mut pairs = kernel.in_place.iter();
                        pairs.any(|(output, input)| same(&op.operand(*input)) && first(*output))
                    })
            })
    }

    /// Offsets in the arena: the largest first, each at the lowest place that is free during its life.
    fn assign(&mut self, function: Op<'c>) -> Result<i64, Located<'c>> {
        let mut order: Vec<usize> = (0..self.storages.len())
            .filter(|i| matches!(self.storages[*i].kind, Kind::Arena(_)))
            .collect();
        order.sort_by_key(|i| (std::cmp::Reverse(self.storages[*i].bytes), *i));
        let mut placed: Vec<(i64, i64, usize, usize)> = Vec::new();
        let mut total = 0i64;
        for id in order {
            let storage = &self.storages[id];
            let size = storage
                .bytes
                .max(1)
                .checked_add(ALIGN - 1)
                .map(|n| n / ALIGN * ALIGN);
            let Some(size) = size else {
                return Err(Located::new(
                    function,
                    "needs more memory than can be addressed",
                ));
            };
            let mut conflicts: Vec<(i64, i64)> = placed
                .iter()
                .filter(|(_, _, begin, end)| *begin <= storage.end && storage.begin <= *end)
                .map(|(offset, size, ..)| (*offset, *size))
                .collect();
            conflicts.sort_unstable();
            let mut offset = 0i64;
            for (other, length) in conflicts {
                if other >= offset + size {
                    break;
                }
                offset = offset.max(other + length);
            }
            let Some(end) = offset.checked_add(size) else {
                return Err(Located::new(
                    function,
                    "needs more memory than can be addressed",
                ));
            };
            total = total.max(end);
            placed.push((offset, size, storage.begin, storage.end));
            self.storages[id].kind = Kind::Arena(offset);
        }
        Ok(total)
    }
}
