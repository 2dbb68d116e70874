//! Whether a producer joins a region that reads it, or the reason why it does not.

use super::dependencies::{node_of_op, node_of_region};
use super::{LARGEST, Planner, Users};
use crate::inputs::bytes;
use crate::role::{Role, repeats, weight};
use mapwright_mlir::{Val, ValueType, op};
use mapwright_ops::registry;
use std::collections::HashSet;

/// As [`LARGEST`] where a member takes the place of an input: a term of a long sum, made of one
/// value and constants, is cheaper to compute in the region than to read.
const LARGEST_WITH_LEAVES: usize = 4 * LARGEST;

/// Reductions of one region, at most. Rows stay in cache through a few of them, one after another;
/// a longer chain only makes larger functions, of which none is like another.
const MOST_REDUCTIONS: usize = 16;

/// Bytes of an update from which on reductions before it are not taken apart for its sake.
const LARGE_UPDATE: i64 = 1 << 16;

/// Operations that a reduction is looked for among.
const NEAR: usize = 64;

impl<'c> Planner<'c> {
    /// Takes `i`, which only `region` uses (or which is made again), into it. `free`: without
    /// counting it.
    pub(super) fn accept(&mut self, region: usize, i: usize, free: bool) -> Result<(), String> {
        if self.is_alone(self.open[region].root) {
            return Err("that is switched off".into());
        }
        let free = free && self.open[region].group.is_some();
        let largest = if self.is_leaf(i) {
            LARGEST_WITH_LEAVES
        } else {
            LARGEST
        };
        if !free && self.open[region].counted() >= largest {
            return Err(format!("the region has {largest} operations already"));
        }
        // Reductions of what the region reads already stay with it, so that the cut is at a value
        // that all of them read.
        let most = match self.roles[i] {
            Role::Compute => MOST_REDUCTIONS,
            Role::Reduce => 2 * MOST_REDUCTIONS,
            _ => usize::MAX,
        };
        if self.open[region].reductions >= most {
            return Err(format!("the region has {most} reductions already"));
        }
        if self.roles[i] == Role::Update {
            return Err(format!(
                "'{}' updates memory in a region of its own",
                self.ops[i].name()
            ));
        }
        if self.ops[i].num_results() > 1 && self.roles[i] != Role::Reduce {
            return Err("several results".into());
        }
        if let Some(updated) = self.updated(self.open[region].root, i) {
            let name = self.ops[updated].name();
            return Err(format!("it reads what '{name}' updates in place"));
        }
        let mut outputs = self.open[region].outputs.iter();
        if self.overwritten.waits(i, &mut outputs) {
            return Err("it reads what is updated in place before the region runs".into());
        }
        match &mut self.open[region].group {
            Some(group) => {
                // Values that its body takes from outside are operands of the region only.
                group.join(self.ops[i])?;
            }
            None => self.accept_simply(region, i)?,
        }
        self.open[region].free += usize::from(free);
        self.take(region, i);
        self.open[region].reductions += usize::from(self.roles[i] == Role::Reduce);
        Ok(())
    }

    /// Tells whether it is made of at most one value that is not a constant, and that one is no
    /// result of an operation of the block.
    fn is_leaf(&self, i: usize) -> bool {
        let mut read = HashSet::new();
        for value in self.ops[i].operands() {
            match op::defining_op(value).and_then(|(op, _)| self.place.get(&op)) {
                Some(at) if self.roles[*at] == Role::Free => {}
                Some(_) => return false,
                None => {
                    read.insert(op::key(value));
                }
            }
        }
        self.roles[i] == Role::Compute && read.len() <= 1
    }

    /// The update `root`, if `i` reads a tensor that it changes in place.
    fn updated(&self, root: usize, i: usize) -> Option<usize> {
        let update = self.ops[root];
        let changed = update.operands().into_iter().take(update.num_results());
        let read = self.ops[i].operands();
        let reads = |value: Val<'c>| read.iter().any(|other| op::key(*other) == op::key(value));
        let updates = registry::lookup(update).is_some_and(|def| def.updates);
        (updates && changed.into_iter().any(reads)).then_some(root)
    }

    /// Into a region whose root has no element-by-element reading: nothing but data movement, and
    /// cheap work that is not done twice.
    fn accept_simply(&mut self, region: usize, i: usize) -> Result<(), String> {
        let op = self.ops[i];
        if matches!(
            self.roles[i],
            Role::Reduce | Role::Window | Role::Contraction
        ) {
            return Err(format!("'{}' is a loop of its own", op.name()));
        }
        if self.roles[i] == Role::Compute
            && self.is_large_update(self.open[region].root)
            && self.follows_reduction(i)
        {
            return Err(format!(
                "what '{}' takes in is computed row by row",
                self.ops[self.open[region].root].name()
            ));
        }
        let open = &self.open[region];
        let mut times = 0.0;
        for result in op.results() {
            for (user, operand) in op::uses(result) {
                let at = self.place.get(&user).copied().unwrap_or(usize::MAX);
                if let Some(factor) = open.factor.get(&at) {
                    times += factor * repeats(user, operand);
                }
            }
        }
        let limit = match weight(op) {
            w if w <= 0.0 => f64::MAX,
            w if w <= 1.0 => 2.0,
            _ => 1.0,
        };
        if times > limit {
            return Err(format!("an element would be computed {times:.0} times"));
        }
        self.open[region].factor.insert(i, times);
        Ok(())
    }

    /// Tells whether it is so large an update that another pass over it costs less than to compute
    /// it element by element.
    fn is_large_update(&self, root: usize) -> bool {
        let update = self.ops[root];
        registry::lookup(update).is_some_and(|def| def.updates)
            && update.num_results() == 1
            && match update.operand_type(1) {
                ValueType::Tensor(ty) if ty.static_shape().is_some() => {
                    bytes(update.operand(1)) >= LARGE_UPDATE
                }
                _ => true,
            }
    }

    /// Tells whether an operation of arithmetic follows from a reduction, with others of one shape
    /// between them.
    fn follows_reduction(&self, i: usize) -> bool {
        let mut seen = HashSet::new();
        let mut left = vec![i];
        while let Some(i) = left.pop() {
            if !seen.insert(i) || seen.len() > NEAR {
                continue;
            }
            if self.roles[i] == Role::Reduce {
                return true;
            }
            if matches!(self.roles[i], Role::Compute | Role::Movement) {
                let made = self.ops[i].operands().into_iter();
                let made = made.filter_map(|value| op::defining_op(value));
                left.extend(made.filter_map(|(op, _)| self.place.get(&op).copied()));
            }
        }
        false
    }

    /// Takes `i` into `region` although others use it too: it becomes a result.
    pub(super) fn accept_as_result(
        &mut self,
        region: usize,
        i: usize,
        users: &Users,
    ) -> Result<(), String> {
        let Some(group) = &self.open[region].group else {
            return Err("it is used elsewhere too".into());
        };
        if matches!(
            self.roles[i],
            Role::Contraction | Role::Update | Role::Window
        ) {
            return Err("it is used elsewhere too".into());
        }
        group.can_yield(self.ops[i])?;
        // No other user may be needed for the region itself.
        let mut others: HashSet<usize> = users.outside.iter().map(|u| node_of_op(*u)).collect();
        others.extend(
            users
                .regions
                .keys()
                .filter(|r| **r != region)
                .map(|r| node_of_region(*r)),
        );
        if users.elsewhere {
            return Err("it is used outside of the block too".into());
        }
        if self.reaches(node_of_region(region), &others) {
            return Err("another user is needed for the region itself".into());
        }
        self.accept(region, i, false)
    }
}
