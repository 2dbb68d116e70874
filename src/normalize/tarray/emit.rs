//! Programs emitted again, operation by operation, without the language.

use super::{
    Options,
    form::{Form, is_special, levels, parts_of},
    lifted::Lifted,
    make::Make,
};
use crate::rewrite::{Result, fail};
use mapwright_mlir::{
    Blk, Builder, Op, Ty, Val, ValueType, edit,
    melior::ir::{Region, ValueLike},
    op,
};
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

/// Operations of other dialects that arrays go through.
const CARRIES_ARRAYS: &[&str] = &[
    "func.call",
    "stablehlo.optimization_barrier",
    "stablehlo.if",
    "stablehlo.case",
    "stablehlo.while",
    "scf.if",
    "scf.index_switch",
];

/// Emits what stands in one function.
pub(super) struct Emitter<'c> {
    pub(super) m: Make<'c>,
    /// The functions of the module, as they were written.
    functions: HashMap<String, Op<'c>>,
    /// Values in the new program that stand for each value of the old one.
    forms: RefCell<HashMap<usize, Form<'c>>>,
    /// Forms of values in all rounds of the loop that they are in.
    in_all_rounds: RefCell<HashMap<usize, Lifted<'c>>>,
    /// Options of the legalisation of arrays.
    pub(super) options: Options,
    pub(super) depth: Cell<usize>,
}

impl<'c> Emitter<'c> {
    /// Appends to the block of `b`.
    pub(super) fn new(
        b: &Builder<'c>,
        functions: HashMap<String, Op<'c>>,
        options: Options,
    ) -> Self {
        let mut m = Make::new(Builder::new(b.context(), b.block(), b.location()));
        m.packing = options.packing;
        Self {
            m,
            functions,
            forms: RefCell::default(),
            in_all_rounds: RefCell::default(),
            options,
            depth: Cell::new(0),
        }
    }

    /// The body of a function whose arguments are in `arguments`.
    pub(super) fn function(
        &self,
        body: Blk<'c>,
        takes: &[ValueType],
        arguments: &[Val<'c>],
        gives: &[Ty<'c>],
    ) -> Result<'c> {
        let mut rest = arguments;
        let mut forms = Vec::new();
        for ty in takes {
            let n = parts_of(ty, self.m.packing).map_or(1, |parts| parts.len());
            let (own, others) = rest.split_at(n.min(rest.len()));
            rest = others;
            forms.push(self.m.read(ty.clone(), own));
        }
        let end = self.without_end(body, forms)?;
        let given = self.forms(end, end.operands())?;
        let border = self.m.packing.at_border();
        let values = (given.iter()).flat_map(|form| self.m.write(form, border));
        let values = values.zip(gives).map(|(value, ty)| self.m.cast(value, *ty));
        let values: Vec<Val<'c>> = values.collect();
        self.m.b.set_location(end.location());
        self.m.b.op(end.name(), &values, &[], &[]);
        Ok(())
    }

    /// Emits the operations of a block with these arguments; its end, and what that has as
    /// operands.
    pub(super) fn block(
        &self,
        block: Blk<'c>,
        arguments: Vec<Form<'c>>,
    ) -> Result<'c, (Op<'c>, Vec<Form<'c>>)> {
        let end = self.without_end(block, arguments)?;
        Ok((end, self.operands(end)?))
    }

    /// Emits the operations of a block with these arguments but for its end, which it gives.
    fn without_end(&self, block: Blk<'c>, arguments: Vec<Form<'c>>) -> Result<'c, Op<'c>> {
        for (argument, form) in op::arguments(block).into_iter().zip(arguments) {
            // Sizes are asked for here, before any region inside of the block.
            for part in &form.parts {
                self.m.type_of(*part);
            }
            self.bind(argument, form);
        }
        let all = op::ops(block);
        let Some((end, ops)) = all.split_last() else {
            // A block of an operation that is well-formed has an end.
            let Some(parent) = op::parent_of_block(block) else {
                unreachable!("a block of no operation");
            };
            return fail(parent, "has an empty body");
        };
        for op in ops {
            self.op(*op)?;
        }
        Ok(*end)
    }

    /// The body of a loop with these arguments.
    pub(super) fn body(&self, op: Op<'c>, arguments: Vec<Form<'c>>) -> Result<'c, Vec<Form<'c>>> {
        match op.body(0) {
            Some(block) => Ok(self.block(block, arguments)?.1),
            None => fail(op, "has no body"),
        }
    }

    pub(super) fn bind(&self, value: Val<'c>, form: Form<'c>) {
        self.in_all_rounds.borrow_mut().remove(&op::key(value));
        self.forms.borrow_mut().insert(op::key(value), form);
    }

    /// Notes what a value is in all rounds of the loop that it is in.
    pub(super) fn lift(&self, value: Val<'c>, all: Lifted<'c>) {
        self.forms.borrow_mut().remove(&op::key(value));
        self.in_all_rounds.borrow_mut().insert(op::key(value), all);
    }

    /// Returns the form that a value has in all rounds of the loop that it is in.
    pub(super) fn lifted(&self, value: Val<'c>) -> Option<Lifted<'c>> {
        self.in_all_rounds.borrow().get(&op::key(value)).cloned()
    }

    /// Returns the form that stands for a value.
    pub(super) fn form(&self, value: Val<'c>) -> Option<Form<'c>> {
        self.forms.borrow().get(&op::key(value)).cloned()
    }

    /// Returns the forms of the operands of an operation. Arrays get the room that their types fix,
    /// if they fix one, unless the operation looks only at the elements that are there.
    pub(super) fn operands(&self, op: Op<'c>) -> Result<'c, Vec<Form<'c>>> {
        let looks_at_what_is_there = matches!(
            op.name(),
            "tarray.parallel_foreach" | "tarray.length" | "tarray.stack"
        );
        let forms = self.forms(op, op.operands())?;
        Ok(if looks_at_what_is_there {
            forms
        } else {
            forms.iter().map(|form| self.m.with_room(form)).collect()
        })
    }

    /// Returns the forms of values that an operation uses.
    fn forms(&self, op: Op<'c>, values: Vec<Val<'c>>) -> Result<'c, Vec<Form<'c>>> {
        let forms: Option<Vec<_>> = values.into_iter().map(|value| self.form(value)).collect();
        match forms {
            Some(forms) => Ok(forms),
            None => fail(op, "has an operand that is not known here"),
        }
    }

    pub(super) fn op(&self, op: Op<'c>) -> Result<'c> {
        self.m.b.set_location(op.location());
        let results = if op.dialect() == "tarray" {
            self.special(op)?
        } else {
            self.other(op)?
        };
        if self.m.sizes.inside.get() == 0 {
            self.unless_refused(op)?;
        }
        if results.len() != op.num_results() {
            return fail(op, "has a wrong number of results when it is rewritten");
        }
        for (result, form) in op.results().into_iter().zip(results) {
            self.bind(result, form);
        }
        Ok(())
    }

    /// An operation of the language.
    fn special(&self, op: Op<'c>) -> Result<'c, Vec<Form<'c>>> {
        let operands = self.operands(op)?;
        let quantized = |ty: &ValueType| {
            let leaf = levels(ty).1;
            leaf.is_some_and(|leaf| leaf.element.is_quantized())
        };
        if operands.iter().any(|form| quantized(&form.ty)) {
            return fail(op, "is not done for quantized elements");
        }
        if let Some(values) = self.shape_op(op, &operands)? {
            return Ok(self.tensors_or_shapes(op, &values));
        }
        if let Some(found) = self.array_op(op, &operands)? {
            return Ok(found);
        }
        if let Some(found) = self.access_op(op, &operands)? {
            return Ok(vec![found]);
        }
        self.loop_op(op, operands)
    }

    /// Forms of results that are made of one tensor each.
    fn tensors_or_shapes(&self, op: Op<'c>, values: &[Val<'c>]) -> Vec<Form<'c>> {
        values
            .iter()
            .enumerate()
            .map(|(i, value)| Form {
                ty: op.result_type(i),
                parts: vec![*value],
            })
            .collect()
    }

    /// Any other operation: a copy, with the parts of arrays in the place of arrays.
    fn other(&self, op: Op<'c>) -> Result<'c, Vec<Form<'c>>> {
        // A call would be made for each element; what is called is done for all of them.
        if self.m.sizes.inside.get() > 0
            && op.name() == "func.call"
            && let Ok(block) = self.body_of(op, &op.symbol("callee").unwrap_or_default())
        {
            let operands = self.operands(op)?;
            return self.nested(op, || Ok(self.block(block, operands)?.1));
        }
        let values = op.operands().into_iter().chain(op.results());
        let has_arrays = values
            .map(|value| ValueType::from_mlir(value.r#type()))
            .any(|ty| is_special(&ty));
        let inner = op.descendants();
        if !has_arrays && inner.iter().all(|op| op.dialect() != "tarray") {
            let mut map = HashMap::new();
            for op in inner.iter().chain([&op]) {
                for value in op.operands() {
                    if let Some(form) = self.form(value)
                        && let [one] = form.parts.as_slice()
                    {
                        map.insert(op::key(value), self.m.cast(*one, value.r#type()));
                    }
                }
            }
            let copy = edit::clone(op, &map);
            edit::append(self.m.b.block(), copy);
            self.m.follow(copy);
            return Ok(self.tensors_or_shapes(op, &copy.results()));
        }
        if has_arrays && op.name() == "stablehlo.select" {
            return self.select(op);
        }
        if has_arrays && !CARRIES_ARRAYS.contains(&op.name()) {
            return fail(op, "is not defined for a TensorArray or a TensorShape");
        }
        // What is called takes and gives what crosses the border of a function, a region the parts
        // themselves.
        let calls = op.name() == "func.call";
        let parts = |form: &Form<'c>, ty: Ty<'c>| {
            let values = if calls {
                self.m.write(form, self.m.packing.at_border())
            } else {
                self.m.settled(form, self.m.packing).parts
            };
            let types = self.stand_ins(ty, calls);
            let cast = values.into_iter().zip(types);
            cast.map(|(value, ty)| self.m.cast(value, ty))
                .collect::<Vec<_>>()
        };
        let flat = |forms: &[Form<'c>], old: &[Val<'c>]| -> Vec<Val<'c>> {
            let both = forms.iter().zip(old);
            both.flat_map(|(form, old)| parts(form, old.r#type()))
                .collect()
        };
        let operands = flat(&self.operands(op)?, &op.operands());
        let stretched = |values: &[Val<'c>]| -> Vec<Ty<'c>> {
            let each = values
                .iter()
                .map(|value| self.stand_ins(value.r#type(), calls));
            each.flatten().collect()
        };
        let mut regions = Vec::new();
        for i in 0..op.num_regions() {
            let blocks = op::blocks(op.region(i));
            let block = match blocks[..] {
                [block] => block,
                [] => {
                    regions.push(Region::new());
                    continue;
                }
                _ => return fail(op, "has tensor arrays in a region of several blocks"),
            };
            let arguments = op::arguments(block);
            let mut outcome = Ok(());
            let region = self.m.b.region(&stretched(&arguments), |b, values| {
                let forms = self.gathered_parts(&arguments, values, false);
                outcome = self
                    .m
                    .within(|| self.block(block, forms))
                    .map(|(end, given)| {
                        let values = flat(&given, &end.operands());
                        let named = end.attributes();
                        b.op(end.name(), &values, &[], &named);
                    });
            });
            outcome?;
            regions.push(region);
        }
        self.m.b.set_location(op.location());
        let types = stretched(&op.results());
        let new = self
            .m
            .b
            .op_with_regions(op.name(), &operands, &types, &op.attributes(), regions);
        Ok(self.gathered_parts(&op.results(), &new.results(), calls))
    }

    /// One of two values that are no Tensors: they may be of different sizes.
    fn select(&self, op: Op<'c>) -> Result<'c, Vec<Form<'c>>> {
        let operands = self.operands(op)?;
        let [condition, yes, no] = &operands[..] else {
            return fail(op, "has not three operands");
        };
        let types = self.stand_ins(op.result(0).r#type(), false);
        let branch = |form: &Form<'c>| {
            self.m.b.region(&[], |b, _| {
                let parts = self.m.settled(form, self.m.packing).parts;
                let cast = parts.into_iter().zip(&types);
                let values: Vec<_> = cast.map(|(value, ty)| self.m.cast(value, *ty)).collect();
                b.op("stablehlo.return", &values, &[], &[]);
            })
        };
        let regions = vec![branch(yes), branch(no)];
        let (name, condition) = ("stablehlo.if", [condition.parts[0]]);
        let new = (self.m.b).op_with_regions(name, &condition, &types, &[], regions);
        Ok(self.gathered_parts(&op.results(), &new.results(), false))
    }

    /// Types of the tensors that stand for a value of a type in another operation.
    fn stand_ins(&self, ty: Ty<'c>, calls: bool) -> Vec<Ty<'c>> {
        let own = ValueType::from_mlir(ty);
        let parts = if calls {
            super::form::border(&own, self.m.packing)
        } else {
            parts_of(&own, self.m.packing)
        };
        match parts.filter(|_| is_special(&own)) {
            Some(parts) => (parts.iter())
                .map(|ty| self.m.b.parse_type(&ty.to_string()))
                .collect(),
            None => vec![ty],
        }
    }

    /// Puts tensors, which follow one another in `made`, together to the forms of the values `old`.
    fn gathered_parts(&self, old: &[Val<'c>], made: &[Val<'c>], calls: bool) -> Vec<Form<'c>> {
        made.iter().for_each(|value| self.m.ask(*value));
        let mut made = made.iter().copied();
        let one = |old: &Val<'c>| {
            let ty = ValueType::from_mlir(old.r#type());
            let n = self.stand_ins(old.r#type(), calls).len();
            let own: Vec<Val<'c>> = made.by_ref().take(n).collect();
            if calls {
                self.m.read(ty, &own)
            } else {
                Form { ty, parts: own }
            }
        };
        old.iter().map(one).collect()
    }

    /// The body of a function of the module.
    pub(super) fn body_of(&self, op: Op<'c>, name: &str) -> Result<'c, Blk<'c>> {
        match self
            .functions
            .get(name)
            .and_then(|function| function.body(0))
        {
            Some(block) => Ok(block),
            None => fail(op, format!("@{name} has no body")),
        }
    }
}
