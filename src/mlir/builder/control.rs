//! `scf` and `func`.

use super::Builder;
use crate::{Attr, Op, Ty, Val, op};
use melior::ir::{Block, Region, RegionLike, ValueLike};

impl<'c> Builder<'c> {
    /// `scf.for` from `lo` up to, not including, `hi`. The body gets the induction variable and the
    /// carried values and returns their next values.
    pub fn for_loop(
        &self,
        lo: Val<'c>,
        hi: Val<'c>,
        step: Val<'c>,
        inits: &[Val<'c>],
        body: impl FnOnce(&Self, Val<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        self.loop_with((lo, hi, step), inits, &[], body)
    }

    /// [`Builder::for_loop`] without carried values that LLVM leaves a loop: of what is seldom run,
    /// one copy is enough.
    pub fn rolled_loop(
        &self,
        lo: Val<'c>,
        hi: Val<'c>,
        step: Val<'c>,
        body: impl FnOnce(&Self, Val<'c>),
    ) {
        let rolled = self.parse_attr("#llvm.loop_annotation<unroll = <disable = true>>");
        let attributes = [("loop_annotation", rolled)];
        self.loop_with((lo, hi, step), &[], &attributes, |b, i, _| {
            body(b, i);
            Vec::new()
        });
    }

    fn loop_with(
        &self,
        (lo, hi, step): (Val<'c>, Val<'c>, Val<'c>),
        inits: &[Val<'c>],
        attributes: &[(&str, Attr<'c>)],
        body: impl FnOnce(&Self, Val<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let types: Vec<Ty<'c>> = inits.iter().map(|value| value.r#type()).collect();
        let mut arguments = vec![lo.r#type()];
        arguments.extend(&types);
        let region = self.region(&arguments, |b, arguments| {
            let next = body(b, arguments[0], &arguments[1..]);
            b.op("scf.yield", &next, &[], &[]);
        });
        let mut operands = vec![lo, hi, step];
        operands.extend(inits);
        self.op_with_regions("scf.for", &operands, &types, attributes, vec![region])
            .results()
    }

    /// `scf.if` with results: both branches return values of `types`.
    pub fn if_else(
        &self,
        condition: Val<'c>,
        types: &[Ty<'c>],
        yes: impl FnOnce(&Self) -> Vec<Val<'c>>,
        no: impl FnOnce(&Self) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let branch = |fill: &mut dyn FnMut(&Self) -> Vec<Val<'c>>| {
            self.region(&[], |b, _| {
                let values = fill(b);
                b.op("scf.yield", &values, &[], &[]);
            })
        };
        let (mut yes, mut no) = (Some(yes), Some(no));
        let regions = vec![
            branch(&mut |b| yes.take().map(|f| f(b)).unwrap_or_default()),
            branch(&mut |b| no.take().map(|f| f(b)).unwrap_or_default()),
        ];
        self.op_with_regions("scf.if", &[condition], types, &[], regions)
            .results()
    }

    /// `scf.if` without results or an else branch.
    pub fn if_then(&self, condition: Val<'c>, yes: impl FnOnce(&Self)) {
        let then = self.region(&[], |b, _| {
            yes(b);
            b.op("scf.yield", &[], &[], &[]);
        });
        self.op_with_regions("scf.if", &[condition], &[], &[], vec![then, Region::new()]);
    }

    /// `scf.while`: `before` gets the carried values and returns the condition and the values for
    /// `after`, which returns the next carried values. `after_types` are the types of the values
    /// that `before` passes on (and of the results).
    pub fn while_loop(
        &self,
        inits: &[Val<'c>],
        after_types: &[Ty<'c>],
        before: impl FnOnce(&Self, &[Val<'c>]) -> (Val<'c>, Vec<Val<'c>>),
        after: impl FnOnce(&Self, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let types: Vec<Ty<'c>> = inits.iter().map(|value| value.r#type()).collect();
        let condition = self.region(&types, |b, arguments| {
            let (condition, values) = before(b, arguments);
            let mut operands = vec![condition];
            operands.extend(values);
            b.op("scf.condition", &operands, &[], &[]);
        });
        let body = self.region(after_types, |b, arguments| {
            let next = after(b, arguments);
            b.op("scf.yield", &next, &[], &[]);
        });
        self.op_with_regions("scf.while", inits, after_types, &[], vec![condition, body])
            .results()
    }

    /// Appends `func.func @name` with a body; `body` must append `func.return` (see
    /// [`Builder::ret`]).
    pub fn func(
        &self,
        name: &str,
        inputs: &[Ty<'c>],
        results: &[Ty<'c>],
        private: bool,
        body: impl FnOnce(&Self, &[Val<'c>]),
    ) -> Op<'c> {
        let region = Region::new();
        let arguments: Vec<_> = inputs.iter().map(|ty| (*ty, self.location.get())).collect();
        let block = crate::block(&region.append_block(Block::new(&arguments)));
        let inner = Builder::new(self.context, block, self.location.get());
        inner.set_scales_lanes(self.scales_lanes());
        inner.set_permutes_lanes(self.permutes_lanes());
        inner.set_zeros_above(self.zeros_above());
        body(&inner, &op::arguments(block));
        self.function(name, inputs, results, private, region)
    }

    /// As [`Builder::func`], with a body that may fail: then nothing is appended.
    ///
    /// # Errors
    /// The error of `body`.
    pub fn try_func<E>(
        &self,
        name: &str,
        inputs: &[Ty<'c>],
        results: &[Ty<'c>],
        private: bool,
        body: impl FnOnce(&Self, &[Val<'c>]) -> Result<(), E>,
    ) -> Result<Op<'c>, E> {
        let region = Region::new();
        let arguments: Vec<_> = inputs.iter().map(|ty| (*ty, self.location.get())).collect();
        let block = crate::block(&region.append_block(Block::new(&arguments)));
        let inner = Builder::new(self.context, block, self.location.get());
        inner.set_scales_lanes(self.scales_lanes());
        inner.set_permutes_lanes(self.permutes_lanes());
        inner.set_zeros_above(self.zeros_above());
        body(&inner, &op::arguments(block))?;
        Ok(self.function(name, inputs, results, private, region))
    }

    /// Appends the declaration of an external function.
    pub fn declare(&self, name: &str, inputs: &[Ty<'c>], results: &[Ty<'c>]) -> Op<'c> {
        self.function(name, inputs, results, true, Region::new())
    }

    fn function(
        &self,
        name: &str,
        inputs: &[Ty<'c>],
        results: &[Ty<'c>],
        private: bool,
        body: Region<'c>,
    ) -> Op<'c> {
        let ty = self.type_attr(self.function_type(inputs, results));
        let mut attributes = vec![("sym_name", self.str_attr(name)), ("function_type", ty)];
        if private {
            attributes.push(("sym_visibility", self.str_attr("private")));
        }
        self.op_with_regions("func.func", &[], &[], &attributes, vec![body])
    }

    /// `func.return`.
    pub fn ret(&self, values: &[Val<'c>]) {
        self.op("func.return", values, &[], &[]);
    }

    /// `func.call`.
    pub fn call(&self, name: &str, operands: &[Val<'c>], results: &[Ty<'c>]) -> Vec<Val<'c>> {
        let callee = self.symbol_attr(name);
        self.op("func.call", operands, results, &[("callee", callee)])
            .results()
    }

    /// `llvm.call` of a function of LLVM's dialect.
    pub fn call_llvm(&self, name: &str, operands: &[Val<'c>], results: &[Ty<'c>]) -> Vec<Val<'c>> {
        let segments = self.i32_array(&[operands.len() as i32, 0]);
        let attributes = [
            ("callee", self.symbol_attr(name)),
            ("operandSegmentSizes", segments),
            ("op_bundle_sizes", self.i32_array(&[])),
        ];
        self.op("llvm.call", operands, results, &attributes)
            .results()
    }
}
