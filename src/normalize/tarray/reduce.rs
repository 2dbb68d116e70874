//! Reductions of arrays and tensors.

use super::{emit::Emitter, form::Form};
use crate::rewrite::Result;
use mapwright_mlir::{ElementType, Op, ValueType, op};

impl<'c> Emitter<'c> {
    /// A body that is one element-wise operation of both elements is a reduction; any other one is applied in order.
    pub(super) fn reduce(
        &self,
        op: Op<'c>,
        xs: &[Form<'c>],
        inits: &[Form<'c>],
    ) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let Some((name, ValueType::Tensor(_))) = self.combined(op).zip(Some(inits[0].ty.clone()))
        else {
            return self.in_order(op, xs, inits, false);
        };
        let rounds = self.rounds(xs);
        let values = rounds.elements[0].parts[0];
        let init = inits[0].parts[0];
        let (element, shape) = self.m.type_of(values);
        let whole = self.m.type_of(init).1;
        // The initial value may be another one for each scalar: it takes part once.
        let neutral = m.splat(&neutral_text(name, &element), &element, &[]);
        let values = match rounds.of_tensors {
            true => values,
            false => {
                let others = m.spread(neutral, &shape);
                m.select(self.is_there(rounds.count, &shape), values, others)
            }
        };
        let all = m.reduce(name, values, neutral, &[0]);
        debug_assert_eq!(self.m.type_of(all).1, whole);
        Ok(vec![Form {
            ty: inits[0].ty.clone(),
            parts: vec![m.same(name, &[init, all])],
        }])
    }

    /// The name of the one operation that a body applies to its two arguments.
    fn combined(&self, op: Op<'c>) -> Option<&'static str> {
        let block = op.body(0)?;
        let ops = op::ops(block);
        let [one, end] = ops.as_slice() else {
            return None;
        };
        let arguments = op::arguments(block);
        let both: Vec<usize> = arguments.into_iter().map(op::key).collect();
        let used: Vec<usize> = one.operands().into_iter().map(op::key).collect();
        let ends = end.operands();
        let fits = one.dialect() == "stablehlo"
            && (used == both || used.iter().rev().eq(both.iter()))
            && ends.len() == 1
            && one.num_results() == 1
            && op::key(ends[0]) == op::key(one.result(0));
        let names = ["add", "multiply", "maximum", "minimum", "and", "or"];
        let name = names.into_iter().find(|name| one.short_name() == *name)?;
        let element = one.result_type(0).tensor()?.element.clone();
        let known = matches!(element, ElementType::Bool | ElementType::Int { .. })
            || (matches!(element, ElementType::Float(_)) && !matches!(name, "and" | "or"));
        (fits && known && has_neutral(name, &element)).then_some(name)
    }
}

/// Is there an element that changes nothing, to be written in a constant?
fn has_neutral(name: &str, element: &ElementType) -> bool {
    match element {
        // Formats without infinity have no number below all.
        ElementType::Float(kind) => matches!(name, "add" | "multiply") || kind.width() >= 16,
        ElementType::Bool | ElementType::Int { .. } => true,
        _ => false,
    }
}

/// The element that changes nothing.
fn neutral_text(name: &str, element: &ElementType) -> String {
    match (name, element) {
        ("add" | "or" | "maximum", ElementType::Bool) => "false".into(),
        (_, ElementType::Bool) => "true".into(),
        // Zero with the sign that keeps the other one.
        ("add", ElementType::Float(_)) => "-0.0".into(),
        ("multiply", ElementType::Float(_)) => "1.0".into(),
        (name, ElementType::Float(_)) => {
            let far = if name == "maximum" {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            };
            crate::hlo::float_literal(far, element)
        }
        (name, ElementType::Int { width, unsigned }) => {
            let all = (1i128 << width) - 1;
            let value = match (name, unsigned) {
                ("add" | "or", _) => 0,
                ("multiply", _) => 1,
                ("and", true) => all,
                ("and", false) => -1,
                ("maximum", true) => 0,
                ("maximum", false) => -(all >> 1) - 1,
                (_, true) => all,
                (_, false) => all >> 1,
            };
            value.to_string()
        }
        _ => "0".into(),
    }
}
