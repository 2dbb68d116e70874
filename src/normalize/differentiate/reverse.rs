//! The walk from the last operation to the first, and what is known in it.
//!
//! What an operation does to cotangents is handed down ([`Adjoint`]): the adjoints of loops and
//! branches walk over blocks themselves.

use super::Residuals;
use crate::{
    rewrite::{Result, fail},
    tarray::make::Make,
};
use mapwright_mlir::{Blk, Op, Val, edit, op};
use mapwright_ops::registry;
use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// The first and the second triangular system of one with a whole matrix.
#[derive(Clone, Copy)]
pub(super) struct Solved<'c> {
    /// The factorisation that the matrix of both is the result of.
    pub(super) factors: Op<'c>,
    /// The solution of the second.
    pub(super) solution: Val<'c>,
}

/// A branch of selections: their condition, and what that is where the branch is selected.
pub(super) type Branch<'c> = (Val<'c>, bool);

/// The branches that values belong to, by the keys of the values.
pub(super) type Owners<'c> = HashMap<usize, Rc<[Branch<'c>]>>;

/// Adds what the cotangents of the results of an operation, as far as they have some, say about
/// those of its operands.
pub(super) type Adjoint<'c> = fn(&Reverse<'c>, Op<'c>, &[Option<Val<'c>>]) -> Result<'c>;

/// Emits the adjoints of operations.
pub(super) struct Reverse<'c> {
    /// Builder of the adjoints.
    pub(super) m: Make<'c>,
    /// Rule that gives the adjoint of an operation.
    adjoint: Adjoint<'c>,
    /// Values that are kept of loops.
    pub(super) residuals: Residuals,
    /// Values that depend on the chosen arguments.
    pub(super) active: RefCell<HashSet<usize>>,
    /// Values that are extremes of others, or made of such alone, element by element.
    pub(super) extremes: RefCell<HashSet<usize>>,
    /// The branches of selections that values belong to.
    pub(super) owners: RefCell<Owners<'c>>,
    /// Parts of tensors that no other iteration of their loop touches; see
    /// [`disjoint_slices`](super::disjoint_slices).
    pub(super) disjoint_slices: RefCell<HashSet<usize>>,
    /// The first of two triangular systems that solve one with a whole matrix, by its result.
    pub(super) solved: RefCell<HashMap<usize, Solved<'c>>>,
    /// Cotangents, as far as they are known, of the values of the block that is walked over, and of
    /// those outside of it.
    cotangents: RefCell<HashMap<usize, Val<'c>>>,
    /// Operations that others took the place of. They stay where they are until the end, so that no
    /// value of another gets their address.
    dead: RefCell<Vec<Op<'c>>>,
}

/// Tells whether `op` works element by element and has one result.
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
    pub(super) fn new(m: Make<'c>, adjoint: Adjoint<'c>, residuals: Residuals) -> Self {
        Self {
            m,
            adjoint,
            residuals,
            active: RefCell::default(),
            extremes: RefCell::default(),
            owners: RefCell::default(),
            disjoint_slices: RefCell::default(),
            solved: RefCell::default(),
            cotangents: RefCell::default(),
            dead: RefCell::default(),
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

    /// Tells whether a value depends on the chosen arguments, as numbers do.
    pub(super) fn is_active(&self, value: Val<'c>) -> bool {
        self.active.borrow().contains(&op::key(value))
    }

    /// `op` is replaced, and erased at the end.
    pub(super) fn bury(&self, op: Op<'c>) {
        self.dead.borrow_mut().push(op);
    }

    /// The values that may get a cotangent where those of `seeds` have one: at most what depends on
    /// the chosen arguments.
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

    /// Of a loop whose results `with` have cotangents: the carried values that have some in its
    /// iterations, and all values that may have.
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

    /// Emits the adjoints of the operations of a block. The cotangents of `of`, as far as there are
    /// some.
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
            outcome = (self.adjoint)(self, *op, &given);
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

    /// Returns the cotangent of a value, as far as it is known.
    pub(super) fn cotangent(&self, of: Val<'c>) -> Option<Val<'c>> {
        self.cotangents.borrow().get(&op::key(of)).copied()
    }

    /// Says what the cotangent of a value is so far.
    pub(super) fn set(&self, of: Val<'c>, total: Val<'c>) {
        self.cotangents.borrow_mut().insert(op::key(of), total);
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
}
