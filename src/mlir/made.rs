//! Which operations a rewriting made, so that these can be verified: all of a module would take as
//! long as reading it does.

use crate::{Op, Val, op, shim};
use melior::ir::ValueLike;
use std::{cell::RefCell, collections::HashSet};

thread_local! {
    /// Addresses of operations that this thread made or changed; none where nobody watches.
    static WATCHED: RefCell<Option<HashSet<usize>>> = const { RefCell::new(None) };
}

/// Operations that were made, or given operands of other types.
#[derive(Debug, Default)]
pub struct Made(HashSet<usize>);

/// Calls `work`, and says what it made on this thread. What is watched inside of it counts outside,
/// too.
pub fn watch<T>(work: impl FnOnce() -> T) -> (T, Made) {
    /// Puts back what was watched before, also where `work` panics.
    struct Outer(Option<HashSet<usize>>);
    impl Drop for Outer {
        fn drop(&mut self) {
            WATCHED.set(self.0.take());
        }
    }
    let mut outer = Outer(WATCHED.replace(Some(HashSet::new())));
    let value = work();
    let made = WATCHED.take().unwrap_or_default();
    if let Some(outer) = &mut outer.0 {
        outer.extend(&made);
    }
    (value, Made(made))
}

impl Made {
    /// Verifies those that are in `root` still, each by itself; diagnostics are emitted. The first
    /// one that is not valid.
    pub fn invalid<'c>(&self, root: Op<'c>) -> Option<Op<'c>> {
        if self.0.is_empty() {
            return None;
        }
        // An address may have been taken again by an operation that nobody lists: one more is
        // verified.
        root.descendants()
            .into_iter()
            .filter(|op| self.0.contains(&(op.to_raw().ptr as usize)))
            // SAFETY: the operation is in the module.
            .find(|op| !unsafe { shim::mapwrightOperationVerifyAlone(op.to_raw()) })
    }
}

/// An operation that was made, or whose operands changed their types.
pub(crate) fn note(op: Op<'_>) {
    WATCHED.with_borrow_mut(|watched| {
        if let Some(watched) = watched {
            watched.insert(op.to_raw().ptr as usize);
        }
    });
}

/// The users of `of` are going to use `with`.
pub(crate) fn note_users(of: Val<'_>, with: Val<'_>) {
    if of.r#type() != with.r#type() && WATCHED.with_borrow(Option::is_some) {
        for (user, _) in op::uses(of) {
            note(user);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, context, diagnostic::Diagnostics};

    #[test]
    fn what_is_made_is_verified_and_nothing_else() {
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        // An operation whose rules need no crate above this one.
        let text = b"func.func @f(%a: tensor<4xf32>, %b: tensor<8xf32>) -> tensor<4xf32> {
            %0 = arith.addf %a, %a : tensor<4xf32>
            return %0 : tensor<4xf32>
        }";
        let module = diagnostics.parse("f.mlir", text).unwrap();
        let root = Op::new(module.as_operation());
        let add = root
            .descendants()
            .into_iter()
            .find(|op| op.name() == "arith.addf")
            .unwrap();
        let ((), made) = watch(|| {
            let b = Builder::before(&context, add).unwrap();
            b.same("stablehlo.negate", &[add.operand(0)]);
        });
        assert!(made.0.len() == 1 && made.invalid(root).is_none());
        let other = op::arguments(add.block().unwrap())[1];
        let ((), made) = watch(|| op::set_operand(add, 1, other));
        assert_eq!(made.invalid(root), Some(add));
        let (_, nothing) = watch(|| ());
        assert!(nothing.invalid(root).is_none());
        assert!(diagnostics.take().contains("error: "));
    }
}
