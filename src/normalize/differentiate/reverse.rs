//! The walk from the last operation to the first, and what it passes over.

use super::{Kept, is_number, masks::Owners, number_of};
use crate::{
    rewrite::{Result, fail},
    tarray::make::Make,
};
use mapwright_mlir::{Blk, Op, TensorType, Val, edit, melior::ir::ValueLike, op};
use mapwright_ops::{
    attrs,
    registry::{self, Class},
};
use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
};

/// The first and the second triangular system of one with a whole matrix.
#[derive(Clone, Copy)]
pub(super) struct Solved<'c> {
    /// The factorisation that the matrix of both is the result of.
    pub(super) factors: Op<'c>,
    /// The solution of the second.
    pub(super) solution: Val<'c>,
}

/// Emits the adjoints of operations.
pub(super) struct Reverse<'c> {
    /// Where they go.
    pub(super) m: Make<'c>,
    /// What is kept of loops.
    pub(super) kept: Kept,
    /// Values that depend on the chosen arguments.
    active: RefCell<HashSet<usize>>,
    /// Values that are extremes of others, or made of such alone, element by element.
    pub(super) extremes: RefCell<HashSet<usize>>,
    /// The branches of selections that values belong to.
    pub(super) owners: RefCell<Owners<'c>>,
    /// Parts of tensors that no other iteration of their loop touches; see [`apart`](super::apart).
    pub(super) apart: RefCell<HashSet<usize>>,
    /// The first of two triangular systems that solve one with a whole matrix, by its result.
    pub(super) solved: RefCell<HashMap<usize, Solved<'c>>>,
    /// What is known of the cotangents of the values of the block that is walked over, and of those outside of it.
    cotangents: RefCell<HashMap<usize, Val<'c>>>,
    /// Operations that others took the place of. They stay where they are until the end, so that no value of another gets their address.
    dead: RefCell<Vec<Op<'c>>>,
}

/// Is `op` one element by element, with one result?
pub(super) fn is_elementwise(op: Op<'_>) -> bool {
    registry::is_elementwise(op) && op.num_results() == 1 && op.num_regions() == 0
}

/// The last operation of a block, and what it yields.
pub(super) fn yields<'c>(block: Blk<'c>) -> Vec<Val<'c>> {
    op::ops(block)
        .last()
        .map(|end| end.operands())
        .unwrap_or_default()
}

impl<'c> Reverse<'c> {
    pub(super) fn new(m: Make<'c>, kept: Kept) -> Self {
        Self {
            m,
            kept,
            active: RefCell::default(),
            extremes: RefCell::default(),
            owners: RefCell::default(),
            apart: RefCell::default(),
            solved: RefCell::default(),
            cotangents: RefCell::default(),
            dead: RefCell::default(),
        }
    }

    /// Finds what of `body` depends on the arguments `wrt`. Reductions among it without an adjoint of their own become loops.
    pub(super) fn prepare(&self, body: Blk<'c>, wrt: &[Val<'c>]) -> Result<'c> {
        let parent = op::parent_of_block(body);
        loop {
            self.active.borrow_mut().clear();
            self.extremes.borrow_mut().clear();
            for value in wrt {
                self.active.borrow_mut().insert(op::key(*value));
            }
            self.mark(&op::ops(body))?;
            let all = parent.map(|op| op.descendants()).unwrap_or_default();
            let found: Vec<Op<'c>> = all.into_iter().filter(|op| self.needs_loop(*op)).collect();
            if found.is_empty() {
                super::masks::note(&op::ops(body), &mut self.owners.borrow_mut());
                return Ok(());
            }
            for op in found {
                super::unrolled::unroll(&self.m, op)?;
            }
        }
    }

    /// Appends the adjoints of `ops`, and the end. `seeds` has results and their cotangents.
    pub(super) fn function(
        &self,
        ops: &[Op<'c>],
        seeds: Vec<(Val<'c>, Val<'c>)>,
        wrt: &[Val<'c>],
    ) -> Result<'c> {
        let found = self.block(ops, seeds, wrt)?;
        let found: Vec<Val<'c>> = wrt
            .iter()
            .zip(found)
            .map(|(of, found)| found.unwrap_or_else(|| self.zeros_like(*of)))
            .collect();
        self.m.b.ret(&found);
        for op in self.dead.borrow_mut().drain(..).rev() {
            edit::erase_unused(op);
        }
        Ok(())
    }

    /// Zeros of the type of a value.
    pub(super) fn zeros_like(&self, value: Val<'c>) -> Val<'c> {
        let (element, shape) = self.m.type_of(value);
        self.m.zeros(&element, &shape)
    }

    /// Depends a value on the chosen arguments, as numbers do?
    pub(super) fn is_active(&self, value: Val<'c>) -> bool {
        self.active.borrow().contains(&op::key(value))
    }

    /// `op` is replaced, and erased at the end.
    pub(super) fn bury(&self, op: Op<'c>) {
        self.dead.borrow_mut().push(op);
    }

    /// Notes what depends on the chosen arguments.
    fn mark(&self, ops: &[Op<'c>]) -> Result<'c> {
        for op in ops {
            self.mark_one(*op)?;
        }
        Ok(())
    }

    /// Notes that a value depends on the chosen arguments; was that new?
    fn note(&self, op: Op<'c>, value: Val<'c>) -> Result<'c, bool> {
        let known = TensorType::from_mlir(value.r#type());
        match known {
            Some(ty) if is_number(&ty.element) => {
                super::sized::check(&self.m, op, value)?;
                Ok(self.active.borrow_mut().insert(op::key(value)))
            }
            _ => Ok(false),
        }
    }

    fn mark_one(&self, op: Op<'c>) -> Result<'c> {
        if op.is_hlo("while")
            && let Some(body) = op.body(1)
        {
            let (arguments, next) = (op::arguments(body), yields(body));
            let carried = arguments.len().min(next.len()).min(op.num_operands());
            for (i, argument) in arguments.iter().take(carried).enumerate() {
                if self.is_active(op.operand(i)) {
                    self.note(op, *argument)?;
                }
            }
            loop {
                self.mark(&op::ops(body))?;
                let mut changed = false;
                for (argument, value) in arguments.iter().zip(&next).take(carried) {
                    if self.is_active(*value) {
                        changed |= self.note(op, *argument)?;
                    }
                }
                if !changed {
                    break;
                }
            }
            for (i, argument) in arguments.iter().take(carried).enumerate() {
                if self.is_active(*argument) {
                    self.note(op, op.result(i))?;
                }
            }
            return Ok(());
        }
        if op.is_hlo("case") || op.is_hlo("if") {
            for r in 0..op.num_regions() {
                let Some(block) = op.body(r) else { continue };
                self.mark(&op::ops(block))?;
                for (value, result) in yields(block).into_iter().zip(op.results()) {
                    if self.is_active(value) {
                        self.note(op, result)?;
                    }
                }
            }
            return Ok(());
        }
        let inside = op.descendants();
        let depends = inside
            .iter()
            .chain([&op])
            .flat_map(|op| op.operands())
            .any(|value| self.is_active(value));
        if depends && !self.falls_out(op) {
            for result in op.results() {
                self.note(op, result)?;
            }
        }
        Ok(())
    }

    /// The values that may get a cotangent where those of `seeds` have one: at most what depends on the chosen arguments.
    pub(super) fn reached(&self, ops: &[Op<'c>], seeds: &[Val<'c>]) -> HashSet<usize> {
        let mut found: HashSet<usize> = seeds.iter().map(|value| op::key(*value)).collect();
        for op in ops.iter().rev() {
            let has = |r: usize| found.contains(&op::key(op.result(r)));
            let with: Vec<usize> = (0..op.num_results())
                .filter(|r| self.is_active(op.result(*r)) && has(*r))
                .collect();
            if with.is_empty() {
                continue;
            }
            if op.is_hlo("while") {
                let (carried, inside) = self.reached_in_loop(*op, &with);
                found.extend(inside);
                found.extend(carried.iter().map(|i| op::key(op.operand(*i))));
            } else if op.is_hlo("case") || op.is_hlo("if") {
                for block in (0..op.num_regions()).filter_map(|r| op.body(r)) {
                    let next = yields(block);
                    let seeds: Vec<Val<'c>> = with.iter().map(|r| next[*r]).collect();
                    found.extend(self.reached(&op::ops(block), &seeds));
                }
            } else {
                let operands = op.operands().into_iter();
                found.extend(operands.filter(|v| self.is_active(*v)).map(op::key));
            }
        }
        found
    }

    /// Of a loop whose results `with` have cotangents: the carried values that have some in its iterations, and all values that may have.
    pub(super) fn reached_in_loop(
        &self,
        op: Op<'c>,
        with: &[usize],
    ) -> (Vec<usize>, HashSet<usize>) {
        let Some(body) = op.body(1) else {
            return (Vec::new(), HashSet::new());
        };
        let (arguments, next) = (op::arguments(body), yields(body));
        let mut carried = with.to_vec();
        loop {
            let seeds: Vec<Val<'c>> = carried.iter().map(|i| next[*i]).collect();
            let inside = self.reached(&op::ops(body), &seeds);
            let more: Vec<usize> = (0..arguments.len())
                .filter(|i| !carried.contains(i) && self.is_active(arguments[*i]))
                .filter(|i| inside.contains(&op::key(arguments[*i])))
                .collect();
            if more.is_empty() {
                carried.sort_unstable();
                return (carried, inside);
            }
            carried.extend(more);
        }
    }

    /// Emits the adjoints of the operations of a block. The cotangents of `of`, as far as there are some.
    ///
    /// What is known of other cotangents is the same before and afterwards.
    pub(super) fn block(
        &self,
        ops: &[Op<'c>],
        seeds: Vec<(Val<'c>, Val<'c>)>,
        of: &[Val<'c>],
    ) -> Result<'c, Vec<Option<Val<'c>>>> {
        let outside = self.cotangents.take();
        for (value, seed) in seeds {
            self.give(value, seed);
        }
        let mut outcome = Ok(());
        for op in ops.iter().rev() {
            let given: Vec<Option<Val<'c>>> = op
                .results()
                .into_iter()
                .map(|result| self.cotangent(result).filter(|_| self.is_active(result)))
                .collect();
            if given.iter().all(Option::is_none) {
                continue;
            }
            self.m.b.set_location(op.location());
            outcome = self.adjoint(*op, &given);
            if let Some(why) = self.m.refusal().filter(|_| outcome.is_ok()) {
                outcome = fail(
                    *op,
                    format!(
                        "has no rule of differentiation where sizes are known at run time only: {why}"
                    ),
                );
            }
            if outcome.is_err() {
                break;
            }
        }
        let found = of.iter().map(|value| self.cotangent(*value)).collect();
        self.cotangents.replace(outside);
        outcome.map(|()| found)
    }

    /// Adds to the cotangent of a value.
    pub(super) fn give(&self, of: Val<'c>, part: Val<'c>) {
        let total = match self.cotangent(of) {
            Some(known) => self.m.add(known, part),
            None => part,
        };
        self.set(of, total);
    }

    /// What is known of the cotangent of a value.
    pub(super) fn cotangent(&self, of: Val<'c>) -> Option<Val<'c>> {
        self.cotangents.borrow().get(&op::key(of)).copied()
    }

    /// Says what the cotangent of a value is so far.
    pub(super) fn set(&self, of: Val<'c>, total: Val<'c>) {
        self.cotangents.borrow_mut().insert(op::key(of), total);
    }

    /// Adds what the cotangents of the results of `op` say about those of its operands.
    fn adjoint(&self, op: Op<'c>, given: &[Option<Val<'c>>]) -> Result<'c> {
        if let Some(done) = self.by_name(op, given) {
            return done;
        }
        let class = registry::lookup(op).map(|def| def.class);
        if let [Some(given)] = *given
            && class == Some(Class::Elementwise)
            && self.by_one_variable(op, given)?
        {
            return Ok(());
        }
        for (r, given) in given.iter().enumerate() {
            let Some(given) = *given else { continue };
            for (k, operand) in op.operands().into_iter().enumerate() {
                if !self.is_active(operand) {
                    continue;
                }
                let part = match class {
                    Some(Class::Elementwise) => {
                        let part = self.elementwise(op, k, given)?;
                        part.map(|part| self.masked(op, operand, part))
                    }
                    Some(Class::Movement | Class::Assembly) => {
                        Some(self.by_relation(op, (r, k), given)?)
                    }
                    _ => return self.no_rule(op),
                };
                if let Some(part) = part {
                    self.give(operand, part);
                }
            }
        }
        Ok(())
    }

    /// The error of an operation without a rule.
    pub(super) fn no_rule(&self, op: Op<'c>) -> Result<'c> {
        if op.is_hlo("custom_call") {
            let target = op.string("call_target_name").unwrap_or_default();
            return fail(
                op,
                format!("has no rule of differentiation: it is not known what @{target} computes"),
            );
        }
        fail(op, "has no rule of differentiation")
    }

    /// Operations with rules of their own; `None` for the others.
    fn by_name(&self, op: Op<'c>, given: &[Option<Val<'c>>]) -> Option<Result<'c>> {
        let first = given.first().copied().flatten();
        // What has one result, which has a cotangent then.
        let one = |rule: &dyn Fn(Val<'c>) -> Result<'c>| first.map_or(Ok(()), rule);
        Some(match attrs::name(op) {
            "while" => self.repeated(op, given),
            "case" | "if" => self.chosen(op, given),
            "dot_general" => one(&|given| self.product(op, given)),
            "convolution" | "dynamic_conv" => one(&|given| self.convolution(op, given)),
            "reduce" => self.reduction(op, given),
            "reduce_window" | "dynamic_reduce_window" => self.reduced_windows(op, given),
            "select_and_scatter" => one(&|given| self.selected_sums(op, given)),
            "gather" | "dynamic_gather" => one(&|given| self.gathered(op, given)),
            "dynamic_broadcast_in_dim" => one(&|given| self.of_broadcast(op, given)),
            "real_dynamic_slice" => one(&|given| self.of_slice(op, given)),
            "dynamic_pad" => one(&|given| self.of_padding(op, given)),
            "reshape" | "dynamic_reshape" if self.varies(op) => {
                one(&|given| self.of_reshape(op, given))
            }
            "reverse" if self.varies(op) => one(&|given| self.of_reverse(op, given)),
            "concatenate" if self.varies(op) => one(&|given| self.of_pieces(op, given)),
            "dynamic_slice" => one(&|given| self.cut_out(op, given)),
            "dynamic_update_slice" => one(&|given| self.put_in(op, given)),
            "scatter" => one(&|given| self.scattered(op, given)),
            "pad" if self.varies(op) => one(&|given| self.of_padding(op, given)),
            "pad" => one(&|given| self.padded(op, given)),
            "sort" => self.sorted(op, given),
            "top_k" if op.dialect() == "chlo" => one(&|given| self.greatest(op, given)),
            "dynamic_top_k" => one(&|given| self.greatest(op, given)),
            "fft" => one(&|given| self.transformed(op, given)),
            "cholesky" => one(&|given| self.factorised(op, given)),
            "triangular_solve" => one(&|given| self.solved(op, given)),
            "custom_call" => self.called(op, given),
            "optimization_barrier" => {
                for (operand, given) in op.operands().into_iter().zip(given) {
                    if let Some(given) = given.filter(|_| number_of(operand).is_some()) {
                        self.give(operand, given);
                    }
                }
                Ok(())
            }
            // Bits are no numbers.
            "bitcast_convert" => Ok(()),
            _ => return None,
        })
    }
}
