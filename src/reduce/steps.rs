//! Steps that make a program smaller, each at numbered places.

use crate::{
    erase,
    signature::{self, around, drop_arguments, drop_results, unused_arguments, unused_results},
};
use mapwright_mlir::{
    Attr, Builder, Op, TensorType, Val, attr::Dense, edit, melior::ir::ValueLike, op,
};
use mapwright_normalize::{hlo::zero_literal, inline};
use std::ops::Range;

/// A way to make a program smaller.
pub(crate) struct Step {
    /// Name of the step, for messages.
    pub(crate) name: &'static str,
    /// Whether places are tried one by one only.
    pub(crate) single: bool,
    /// Counts the places of a program.
    pub(crate) places: fn(Op<'_>) -> usize,
    /// Takes the step at some of them; false where nothing can be done.
    pub(crate) apply: fn(Op<'_>, Range<usize>) -> bool,
}

/// All of them, those that take away most first.
pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "fewer functions",
        single: false,
        places: |root| top(root).len(),
        apply: |root, range| changed(&top(root)[range], |ops| erase(ops)),
    },
    Step {
        name: "arguments for operations",
        single: false,
        places: |root| operations(root, true).len(),
        apply: |root, range| cut(&operations(root, true)[range], argument),
    },
    Step {
        name: "first operands for operations",
        single: false,
        places: |root| operations(root, false).len(),
        apply: |root, range| cut(&operations(root, false)[range], first_operand),
    },
    Step {
        name: "last operands for operations",
        single: false,
        places: |root| operations(root, false).len(),
        apply: |root, range| cut(&operations(root, false)[range], last_operand),
    },
    Step {
        name: "constants for operations",
        single: false,
        places: |root| operations(root, false).len(),
        apply: |root, range| cut(&operations(root, false)[range], constant),
    },
    Step {
        name: "bodies for operations",
        single: true,
        places: |root| regions(root).len(),
        apply: |root, range| {
            let all = regions(root);
            let inlined = all[range].iter().map(|(op, i)| inline_region(*op, *i));
            inlined.fold(false, |any, did| any | did)
        },
    },
    Step {
        name: "bodies for calls",
        single: true,
        places: |root| signature::functions(root).len(),
        apply: |root, range| {
            let all = signature::functions(root);
            let inlined = |f: &Op<'_>| inline::inline_calls(root, *f, inline::MOST).is_ok();
            all[range].iter().all(inlined) && {
                let uncalled = signature::uncalled(root);
                let private = |f: &Op<'_>| f.string("sym_visibility").as_deref() == Some("private");
                let unused: Vec<_> = uncalled.into_iter().filter(private).collect();
                erase(&unused);
                true
            }
        },
    },
    Step {
        name: "fewer results",
        single: false,
        places: |root| unused_results(root).len(),
        apply: |root, range| {
            changed(&unused_results(root)[range], |some| {
                drop_results(root, some)
            })
        },
    },
    Step {
        name: "fewer arguments",
        single: false,
        places: |root| unused_arguments(root).len(),
        apply: |root, range| {
            changed(&unused_arguments(root)[range], |some| {
                drop_arguments(root, some)
            })
        },
    },
    Step {
        name: "fewer attributes",
        single: false,
        places: |root| attributes(root).len(),
        apply: |root, range| {
            changed(&attributes(root)[range], |some| {
                for (op, name) in some {
                    op.remove_attribute(name);
                }
            })
        },
    },
    Step {
        name: "constants of equal elements",
        single: false,
        places: |root| literals(root).len(),
        apply: |root, range| {
            changed(&literals(root)[range], |some| {
                for (op, value) in some {
                    op.set_attribute("value", *value);
                }
            })
        },
    },
];

/// Runs `work` with a list, if it is not empty. Returns whether it is not.
fn changed<T>(some: &[T], work: impl FnOnce(&[T])) -> bool {
    if !some.is_empty() {
        work(some);
    }
    !some.is_empty()
}

/// The functions of a module, and what else stands beside them.
fn top<'c>(module: Op<'c>) -> Vec<Op<'c>> {
    module.body(0).map(op::ops).unwrap_or_default()
}

fn is_terminator(op: Op<'_>) -> bool {
    op::next(op).is_none() && op.num_results() == 0
}

/// The operations in functions, without those that end blocks; `free`: of functions that may be
/// given more arguments. Constants have nothing behind them that could be cut off.
fn operations<'c>(module: Op<'c>, free: bool) -> Vec<Op<'c>> {
    let functions = if free {
        signature::uncalled(module)
    } else {
        signature::functions(module)
    };
    let all = functions.into_iter().flat_map(Op::descendants);
    let is_constant = |op: &Op<'c>| op.results().first().is_some_and(|v| op::is_constant(*v));
    let is_used = |op: &Op<'c>| op.results().into_iter().any(edit::is_used);
    all.filter(|op| !is_terminator(*op) && (!is_constant(op) || !is_used(op)))
        .collect()
}

/// Erases operations, after something else was put in the place of those of their results that
/// others use. Results for which there is nothing keep their operation.
fn cut<'c>(chosen: &[Op<'c>], instead: fn(Op<'c>, Val<'c>) -> Option<Val<'c>>) -> bool {
    let mut any = false;
    // Users go before what they use, and what is inside of an operation goes with it.
    for op in chosen.iter().rev() {
        let mut outer = op.parent();
        while let Some(parent) = outer {
            if chosen.contains(&parent) {
                break;
            }
            outer = parent.parent();
        }
        if outer.is_some() {
            continue;
        }
        let used: Vec<Val<'c>> = op
            .results()
            .into_iter()
            .filter(|v| edit::is_used(*v))
            .collect();
        let values: Option<Vec<Val<'c>>> = used.iter().map(|v| instead(*op, *v)).collect();
        let Some(values) = values else {
            continue;
        };
        for (value, other) in used.into_iter().zip(values) {
            op::replace_all_uses(value, other);
        }
        edit::erase_unused(*op);
        any = true;
    }
    any
}

/// A new argument of the function around.
fn argument<'c>(op: Op<'c>, value: Val<'c>) -> Option<Val<'c>> {
    let block = around(op)?.body(0)?;
    let last = op::arguments(block).len();
    Some(edit::insert_argument(
        block,
        last,
        value.r#type(),
        op.location(),
    ))
}

/// The operands of the type of a value.
fn alike<'c>(op: Op<'c>, value: Val<'c>) -> Vec<Val<'c>> {
    let mut operands = op.operands();
    operands.retain(|operand| operand.r#type() == value.r#type());
    operands
}

fn first_operand<'c>(op: Op<'c>, value: Val<'c>) -> Option<Val<'c>> {
    alike(op, value).first().copied()
}

fn last_operand<'c>(op: Op<'c>, value: Val<'c>) -> Option<Val<'c>> {
    alike(op, value).last().copied()
}

/// A constant of zeros before the operation.
fn constant<'c>(op: Op<'c>, value: Val<'c>) -> Option<Val<'c>> {
    let ty = TensorType::from_mlir(value.r#type())?;
    ty.static_shape().filter(|_| !ty.element.is_quantized())?;
    let zeros = format!("dense<{}> : {ty}", zero_literal(&ty.element));
    let zeros = Attr::parse(op.context(), &zeros)?;
    let b = Builder::before(op.context(), op)?;
    Some(b.op1(
        "stablehlo.constant",
        &[],
        value.r#type(),
        &[("value", zeros)],
    ))
}

/// Regions of operations: those of functions are left out.
fn regions<'c>(module: Op<'c>) -> Vec<(Op<'c>, usize)> {
    let functions = signature::functions(module).into_iter();
    let all = functions.flat_map(Op::descendants);
    all.flat_map(|op| (0..op.num_regions()).map(move |i| (op, i)))
        .collect()
}

/// Puts the operations of a region in the place of the operation, once, on its first operands.
fn inline_region(op: Op<'_>, i: usize) -> bool {
    let [block] = op::blocks(op.region(i))[..] else {
        return false;
    };
    let (arguments, inner) = (op::arguments(block), op::ops(block));
    let Some((end, rest)) = inner.split_last() else {
        return false;
    };
    let (operands, results) = (op.operands(), op.results());
    let same = |a: &[Val<'_>], b: &[Val<'_>]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.r#type() == b.r#type())
    };
    let Some(operands) = operands.get(..arguments.len()) else {
        return false;
    };
    if !same(&arguments, operands) || !same(&end.operands(), &results) {
        return false;
    }
    for (argument, operand) in arguments.into_iter().zip(operands) {
        op::replace_all_uses(argument, *operand);
    }
    for inside in rest {
        inside.move_before(op);
    }
    for (result, value) in results.into_iter().zip(end.operands()) {
        op::replace_all_uses(result, value);
    }
    edit::erase_unused(op);
    true
}

/// Attributes that a program can do without: those of other dialects beside an operation, and
/// those of arguments and results.
fn attributes<'c>(module: Op<'c>) -> Vec<(Op<'c>, &'c str)> {
    let mut all = vec![module];
    all.extend(module.descendants());
    let of = |op: Op<'c>| {
        let names = op.attributes().into_iter().map(|(name, _)| name);
        let droppable = move |name: &&str| match *name {
            "arg_attrs" | "res_attrs" => true,
            // The name of a program is nothing that refers to it.
            "sym_name" => op == module,
            other => other.contains('.'),
        };
        names.filter(droppable).map(move |name| (op, name))
    };
    all.into_iter().flat_map(of).collect()
}

/// Constants whose elements differ, with constants of their first elements.
fn literals<'c>(module: Op<'c>) -> Vec<(Op<'c>, Attr<'c>)> {
    let of = |op: Op<'c>| {
        let dense = Dense::from_mlir(op.attribute("value")?)?;
        let width = dense.ty.element.byte_width()?;
        if dense.splat || dense.data.len() <= width {
            return None;
        }
        let first = dense.data.get(..width)?.to_vec();
        let splat = Dense {
            ty: dense.ty,
            data: first,
            splat: true,
        };
        Some((op, splat.to_mlir(op.context())?))
    };
    module.descendants().into_iter().filter_map(of).collect()
}

/// Erases operations with results that nothing uses, and what is not used then. Says whether there
/// were any.
pub(crate) fn sweep(module: Op<'_>) -> bool {
    let mut any = false;
    for function in signature::functions(module) {
        // Users stand behind what they use: one walk from the end finds all.
        for op in function.descendants().into_iter().rev() {
            let results = op.results();
            if !results.is_empty() && !results.into_iter().any(edit::is_used) {
                edit::erase_unused(op);
                any = true;
            }
        }
    }
    any
}

/// Makes a function return the results of operation `place` of its block, and do nothing
/// afterwards.
pub(crate) fn return_at(module: Op<'_>, function: usize, place: usize) -> bool {
    let functions = signature::uncalled(module);
    let Some(end) = functions.get(function).and_then(|f| signature::end(*f)) else {
        return false;
    };
    let all = end.block().map(op::ops).unwrap_or_default();
    let Some(last) = all.get(place).filter(|op| op.num_results() > 0) else {
        return false;
    };
    let Some(b) = Builder::before(end.context(), end) else {
        return false;
    };
    b.op(end.name(), &last.results(), &[], &[]);
    erase(&all[place + 1..]);
    true
}
