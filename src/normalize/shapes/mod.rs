//! Shape inference over programs: unknown dimensions are filled in from those of the arguments.
//!
//! Operations are visited in order. Arithmetic on shapes (small integer tensors that follow from
//! sizes and constants) is evaluated; every operation's result types are inferred by the same rules
//! that verify it, and merged with the declared ones; a contradiction is an error that shows both.
//! Operations whose sizes were operands become their static counterparts. Functions are specialised
//! for each combination of argument types and constant arguments that they are called with.

mod calls;
mod constant;
mod declared;
mod overflow;
mod statics;
mod structured;

use crate::rewrite::{Error, Result, cast_operands, fail, replace};
pub use declared::as_declared;
use mapwright_indexing::counted;
pub use overflow::guard;

use crate::fold::tensor::{Tensor, ints};
use mapwright_mlir::{
    Attr, Builder, Dim, Op, TensorType, Ty, Val, ValueType, edit, melior::ir::ValueLike, op,
};
use mapwright_ops::control::{self, Flow};
use mapwright_ops::registry::DIALECTS;
use mapwright_ops::typing::{self, check};
use statics::Outcome;
use std::collections::BTreeMap;

/// Facts about the arguments of a function.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// New types in MLIR's spelling, by argument number; others keep theirs.
    pub types: BTreeMap<usize, String>,
    /// Values of 0-dimensional integer arguments, by argument number.
    pub values: BTreeMap<usize, i64>,
}

/// Counts of the changes of a refinement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Values whose type became more precise.
    pub refined: usize,
    /// Operations replaced by constants.
    pub folded: usize,
    /// Operations replaced by their static counterparts.
    pub made_static: usize,
}

/// Refines the function `name` of `module` (and, specialised, what it calls) for `arguments`.
pub fn refine<'c>(module: Op<'c>, name: &str, arguments: &Arguments) -> Result<'c, Counts> {
    let Some(function) = find(module, name) else {
        return fail(module, format!("has no function @{name}"));
    };
    let mut refiner = Refiner {
        module,
        counts: Counts::default(),
        specialised: BTreeMap::new(),
        depth: 0,
        casts: Vec::new(),
    };
    refiner.function(function, arguments)?;
    Ok(refiner.counts)
}

fn find<'c>(module: Op<'c>, name: &str) -> Option<Op<'c>> {
    op::ops(module.body(0)?)
        .into_iter()
        .find(|op| op.name() == "func.func" && op.string("sym_name").as_deref() == Some(name))
}

/// Calls nest at most this deep; deeper ones are recursive.
const MAX_DEPTH: usize = 64;

fn types<'c>(values: &[Val<'c>]) -> Vec<Ty<'c>> {
    values.iter().map(|value| value.r#type()).collect()
}

/// Tells whether the function branches between blocks.
fn is_branching(function: Op<'_>) -> bool {
    op::blocks(function.region(0)).len() > 1
}

/// The returns of a function.
fn ends<'c>(function: Op<'c>) -> Vec<Op<'c>> {
    let blocks = op::blocks(function.region(0)).into_iter();
    let last = blocks.filter_map(|block| op::ops(block).last().copied());
    last.filter(|end| end.name() == "func.return").collect()
}

struct Refiner<'c> {
    module: Op<'c>,
    counts: Counts,
    /// Names of specialised functions by the original name and what is known of the arguments.
    specialised: BTreeMap<(String, String), String>,
    depth: usize,
    /// Casts through which operations of other dialects see the old types.
    casts: Vec<Op<'c>>,
}

impl<'c> Refiner<'c> {
    fn function(&mut self, function: Op<'c>, known: &Arguments) -> Result<'c> {
        let Some(block) = function.body(0) else {
            return Ok(());
        };
        let arguments = op::arguments(block);
        let context = function.context();
        let ends = ends(function);
        let declared: Vec<Ty<'c>> = ends
            .first()
            .map(|end| types(&end.operands()))
            .unwrap_or_default();
        for (i, written) in &known.types {
            let Some(argument) = arguments.get(*i) else {
                return fail(function, format!("has no argument #{i}"));
            };
            let Some(ty) = Ty::parse(context, written) else {
                return fail(function, format!("'{written}' is not a type"));
            };
            let (old, new) = (
                ValueType::from_mlir(argument.r#type()),
                ValueType::from_mlir(ty),
            );
            if !check::types_agree(&old, &new) {
                return fail(
                    function,
                    format!("argument #{i} is {old}, cannot be refined to {new}"),
                );
            }
            self.set_type(*argument, ty);
        }
        for (i, value) in &known.values {
            let Some(argument) = arguments.get(*i) else {
                return fail(function, format!("has no argument #{i}"));
            };
            let Some(ty) = TensorType::from_mlir(argument.r#type()).filter(|ty| ty.rank() == 0)
            else {
                return fail(
                    function,
                    format!("argument #{i} is not a 0-dimensional tensor"),
                );
            };
            let Some(first) = op::ops(block).first().copied() else {
                continue;
            };
            if let Some(b) = Builder::before(context, first)
                && let Some(constant) = Tensor::of_type(&ty, 1).and_then(|ty| ty.of_ints(&[*value]))
                && let Some(constant) = constant::build(&b, &constant)
            {
                op::replace_all_uses(*argument, constant);
            }
        }
        for block in op::blocks(function.region(0)) {
            self.block(op::ops(block))?;
        }
        let results = if is_branching(function) {
            // Every return gives what was declared.

            for end in ends {
                cast_operands(end, &declared);
            }
            declared
        } else {
            ends.first()
                .map(|end| types(&end.operands()))
                .unwrap_or_default()
        };
        let inputs = types(&arguments);
        let b = Builder::new(context, block, function.location());
        function.set_attribute(
            "function_type",
            b.type_attr(b.function_type(&inputs, &results)),
        );
        Ok(())
    }

    /// Gives `value` a more precise type. Operations of other dialects still see the old one,
    /// through a cast.
    fn set_type(&mut self, value: Val<'c>, ty: Ty<'c>) {
        let old = value.r#type();
        if old == ty {
            return;
        }
        let mut others = op::uses(value);
        others.retain(|(user, _)| !self.follows(*user));
        value.set_type(ty);
        self.counts.refined += 1;
        let behind = match op::defining_op(value) {
            Some((op, _)) => op::next(op),
            None => op::block_argument(value).and_then(|(block, _)| op::first(block)),
        };
        if others.is_empty() {
            return;
        }
        if let Some(anchor) = behind
            && let Some(b) = Builder::before(anchor.context(), anchor)
        {
            let cast = b.op("tensor.cast", &[value], &[old], &[]);
            self.casts.push(cast);
            for (user, i) in others {
                op::set_operand(user, i, cast.result(0));
            }
        }
    }

    /// Tells whether the types of the operands of `op` may become more precise.
    fn follows(&self, op: Op<'c>) -> bool {
        match op.name() {
            "func.return" | "tensor.cast" | "tensor.dim" => true,
            "func.call" => {
                let callee = op
                    .symbol("callee")
                    .and_then(|name| find(self.module, &name));
                callee.is_some_and(|function| function.body(0).is_some())
            }
            _ if structured::carries(op) => true,
            _ => {
                let own = ["check", "interpreter", "sdy"];
                DIALECTS.contains(&op.dialect()) || own.contains(&op.dialect())
            }
        }
    }

    /// An operation of another dialect: of casts and control flow the results follow, of all others
    /// only what is inside.
    fn other(&mut self, op: Op<'c>) -> Result<'c> {
        if structured::carries(op) && op.num_regions() > 0 {
            return self.structured(op);
        }
        if op.name() == "tensor.cast"
            && !self.casts.contains(&op)
            && let (ValueType::Tensor(from), ValueType::Tensor(to)) =
                (op.operand_type(0), op.result_type(0))
            && from.rank() == to.rank()
        {
            let merged = TensorType {
                element: to.element.clone(),
                dims: check::merge_shapes(&from.dims, &to.dims),
            };
            if merged != to
                && let Some(ty) = mlir_type(op, &merged)
            {
                self.set_type(op.result(0), ty);
            }
        }
        for i in 0..op.num_regions() {
            for block in op::blocks(op.region(i)) {
                self.block(op::ops(block))?;
            }
        }
        Ok(())
    }

    fn block(&mut self, ops: Vec<Op<'c>>) -> Result<'c> {
        for op in ops {
            self.operation(op)?;
        }
        Ok(())
    }

    fn operation(&mut self, op: Op<'c>) -> Result<'c> {
        if op.name() == "func.call" {
            return self.call(op);
        }
        if !DIALECTS.contains(&op.dialect()) {
            return self.other(op);
        }
        let context = op.context();
        if let Some(constant) = constant::evaluate(op)
            && let Some(b) = Builder::before(context, op)
            && let Some(value) = constant::build(&b, &constant)
        {
            self.counts.folded += 1;
            replace(op, &[value]);
            return Ok(());
        }
        self.regions(op)?;
        let outcome = match op.name() {
            "stablehlo.custom_call" => calls::make_static(op)?,
            _ => statics::make_static(op)?,
        };
        match outcome {
            Outcome::Unchanged => self.infer(op),
            Outcome::Replaced(new) => {
                self.counts.made_static += 1;
                self.infer(new)
            }
            Outcome::Removed => {
                self.counts.made_static += 1;
                Ok(())
            }
        }
    }

    /// Merges the inferred types of the results into the declared ones.
    fn infer(&mut self, op: Op<'c>) -> Result<'c> {
        let inferred = match typing::infer(op) {
            Ok(Some(types)) => types,
            Ok(None) => return Ok(()),
            Err(violation) => return fail(op, violation.message),
        };
        if inferred.len() != op.num_results() {
            return fail(
                op,
                format!(
                    "has {}, {} follow",
                    counted(op.num_results(), "result"),
                    inferred.len()
                ),
            );
        }
        for (i, ty) in inferred.iter().enumerate() {
            let declared = op.result_type(i);
            if !check::types_agree(ty, &declared) {
                return fail(
                    op,
                    format!("result #{i} is declared {declared}, its operands give {ty}"),
                );
            }
            let (ValueType::Tensor(inferred), ValueType::Tensor(declared)) = (ty, &declared) else {
                continue;
            };
            let dims = check::merge_shapes(&inferred.dims, &declared.dims);
            if dims != declared.dims {
                let merged = TensorType {
                    element: declared.element.clone(),
                    dims,
                };
                if let Some(ty) = mlir_type(op, &merged) {
                    self.set_type(op.result(i), ty);
                }
            }
        }
        Ok(())
    }

    /// Regions of control flow see the types of what is passed in; other regions work on scalars.
    fn regions(&mut self, op: Op<'c>) -> Result<'c> {
        match control::flow(op) {
            Some(Flow::Loop) => return self.carried(op),
            Some(Flow::Branches) => return self.branches(op),
            _ => {}
        }
        for i in 0..op.num_regions() {
            for block in op::blocks(op.region(i)) {
                self.block(op::ops(block))?;
            }
        }
        Ok(())
    }

    /// A call goes to a copy of the function for these arguments.
    fn call(&mut self, call: Op<'c>) -> Result<'c> {
        let Some(name) = call.symbol("callee") else {
            return Ok(());
        };
        let Some(callee) = find(self.module, &name) else {
            return fail(call, format!("calls @{name}, which is not there"));
        };
        if callee.body(0).is_none() {
            return Ok(());
        }
        let mut known = Arguments::default();
        for (i, operand) in call.operands().into_iter().enumerate() {
            if let Some(constant) =
                constant::known_value(operand).filter(|known| known.shape.is_empty())
                && let Some([value]) = ints(&constant).as_deref()
            {
                known.values.insert(i, *value);
            }
            known.types.insert(i, operand.r#type().to_string());
        }
        let key = (name.clone(), format!("{known:?}"));
        let target = match self.specialised.get(&key) {
            Some(target) => target.clone(),
            None => {
                if self.depth >= MAX_DEPTH {
                    return fail(call, format!("calls nest more than {MAX_DEPTH} deep"));
                }
                let target = self.copy(callee, &name)?;
                let fresh = target.to_string();
                self.specialised.insert(key, fresh.clone());
                self.depth += 1;
                let Some(function) = find(self.module, &fresh) else {
                    return fail(call, "lost the function it specialised");
                };
                self.function(function, &known)?;
                self.depth -= 1;
                fresh
            }
        };
        let context = call.context();
        let b = Builder::new(
            context,
            match call.block() {
                Some(block) => block,
                None => return Ok(()),
            },
            call.location(),
        );
        let symbol: Attr<'c> = b.symbol_attr(&target);
        call.set_attribute("callee", symbol);
        let Some(function) = find(self.module, &target) else {
            return Ok(());
        };
        if let Some(ret) = ends(function).first().filter(|_| !is_branching(function)) {
            for (i, value) in ret
                .operands()
                .into_iter()
                .enumerate()
                .take(call.num_results())
            {
                self.set_type(call.result(i), value.r#type());
                // What follows from the result in the caller is worked out, too.
                if let Some(constant) = constant::known_value(value)
                    && let Some(next) = op::next(call)
                    && let Some(b) = Builder::before(context, next)
                {
                    b.set_location(call.location());
                    if let Some(constant) = constant::build(&b, &constant) {
                        op::replace_all_uses(call.result(i), constant);
                    }
                }
            }
        }
        Ok(())
    }

    /// A private copy of `function` under a new name, at the end of the module.
    fn copy(&mut self, function: Op<'c>, name: &str) -> Result<'c, String> {
        let taken = |candidate: &str| find(self.module, candidate).is_some();
        let Some(fresh) = (0..)
            .map(|i| format!("{name}_refined_{i}"))
            .find(|name| !taken(name))
        else {
            return fail(function, "has no free name for its copy");
        };
        let Some(body) = self.module.body(0) else {
            return fail(self.module, "has no body");
        };
        let copy = edit::append_clone(body, function);
        let context = function.context();
        let b = Builder::new(context, body, function.location());
        copy.set_attribute("sym_name", b.str_attr(&fresh));
        copy.set_attribute("sym_visibility", b.str_attr("private"));
        Ok(fresh)
    }
}

/// The MLIR type of a tensor in the context of `op`.
fn mlir_type<'c>(op: Op<'c>, ty: &TensorType) -> Option<Ty<'c>> {
    let context = op.context();
    Ty::parse(context, &ty.to_string())
}

/// The sizes of a static shape.
fn sizes(dims: &[Dim]) -> Option<Vec<i64>> {
    dims.iter().map(|dim| dim.fixed()).collect()
}

/// The error of a shape that does not fit.
fn mismatch<'c>(op: Op<'c>, message: String) -> Error<'c> {
    Error { op, message }
}
