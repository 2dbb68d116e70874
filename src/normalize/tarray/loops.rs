//! Operations with a body: at once where elements do not depend on each other, else one after the other.

use super::{
    emit::Emitter,
    form::{Form, number, parts_of, product},
    make::type_of,
};
use crate::rewrite::{Result, fail};
use mapwright_mlir::{ElementType, Op, TensorType, Val, ValueType, op};
use mapwright_ops::attrs::{self, Order};

/// What a loop goes through.
struct Rounds<'c> {
    /// For each operand, the type of its elements and their parts, one behind the other.
    elements: Vec<Form<'c>>,
    /// The most rounds.
    most: i64,
    /// How many there are.
    count: Val<'c>,
    /// All operands are tensors, so that there are `most` rounds.
    of_tensors: bool,
}

impl<'c> Emitter<'c> {
    /// The results of a loop.
    pub(super) fn loop_op(&self, op: Op<'c>, operands: Vec<Form<'c>>) -> Result<'c, Vec<Form<'c>>> {
        if op.short_name() == "vectorize" {
            return self.vectorize(op, &operands);
        }
        let n = op
            .ints("operandSegmentSizes")
            .and_then(|sizes| usize::try_from(*sizes.first()?).ok())
            .unwrap_or(0)
            .min(operands.len());
        let (xs, inits) = operands.split_at(n);
        match op.short_name() {
            "parallel_foreach" if inits.is_empty() => self.parallel_foreach(op, xs),
            "parallel_foreach" | "foreach" => self.in_order(op, xs, inits, false),
            "scan" => self.in_order(op, xs, inits, true),
            "fold" => self.in_order(op, xs, inits, false),
            "reduce" => self.reduce(op, xs, inits),
            "filter" => self.filter(op, xs),
            "broadcast" => self.broadcast(op, xs, inits),
            "apply_along_axis" => self.apply_along_axis(op, xs),
            "sortby" => self.sortby(op, xs),
            "build" => self.build(op, xs, inits),
            _ => fail(op, "has no form in StableHLO"),
        }
    }

    /// The elements that a loop goes through, those of a Tensor along its first dimension.
    fn rounds(&self, xs: &[Form<'c>]) -> Rounds<'c> {
        let m = &self.m;
        let mut elements = Vec::new();
        let mut counts = Vec::new();
        let mut most = i64::MAX;
        let mut of_tensors = true;
        for form in xs {
            let first = form.parts[0];
            let (element, shape) = type_of(first);
            match &form.ty {
                ValueType::Array {
                    element: inner,
                    max,
                } => {
                    elements.push(Form {
                        ty: (**inner).clone(),
                        parts: m.elements(form),
                    });
                    most = most.min(*max);
                    counts.push(form.parts[1]);
                    of_tensors = false;
                }
                _ => {
                    let inner = TensorType::new(element, &shape[1..]);
                    elements.push(Form {
                        ty: ValueType::Tensor(inner),
                        parts: vec![first],
                    });
                    most = most.min(shape[0]);
                    counts.push(m.int(shape[0]));
                }
            }
        }
        let count = match of_tensors {
            true => m.int(most),
            false => self.least(&counts),
        };
        Rounds {
            elements,
            most,
            count,
            of_tensors,
        }
    }

    /// The first `n` of elements that are spread.
    fn first_of(&self, form: &Form<'c>, n: i64) -> Form<'c> {
        let parts = form.parts.iter();
        Form {
            ty: form.ty.clone(),
            parts: parts.map(|all| self.m.slice(*all, 0, (0, 1, n))).collect(),
        }
    }

    /// Element `i` of elements that are spread.
    fn element(&self, form: &Form<'c>, i: Val<'c>) -> Form<'c> {
        Form {
            ty: form.ty.clone(),
            parts: form.parts.iter().map(|all| self.m.row(*all, i)).collect(),
        }
    }

    /// Room for `n` values of a type, spread.
    fn room(&self, op: Op<'c>, ty: &ValueType, n: i64) -> Result<'c, Form<'c>> {
        let Some(parts) = parts_of(ty) else {
            return fail(
                op,
                format!("has a body that gives a value of the type {ty}"),
            );
        };
        let parts = parts
            .iter()
            .map(|ty| {
                let shape = ty.static_shape().unwrap_or_default();
                self.m.zeros(&ty.element, &[&[n], &shape[..]].concat())
            })
            .collect();
        Ok(Form {
            ty: ty.clone(),
            parts,
        })
    }

    /// Elements that are spread as what result `i` is: a tensor, or an array of so many.
    fn collected(&self, op: Op<'c>, i: usize, all: &Form<'c>, count: Val<'c>) -> Form<'c> {
        match op.result_type(i) {
            ty @ ValueType::Tensor(_) => Form {
                ty,
                parts: all.parts.clone(),
            },
            _ => self.m.pack(&all.ty, &all.parts, count),
        }
    }

    /// Types of what the body of a loop gives.
    fn yields(&self, op: Op<'c>) -> Vec<ValueType> {
        let end = op.body(0).and_then(|block| op::ops(block).last().copied());
        end.map(|end| {
            (0..end.num_operands())
                .map(|i| end.operand_type(i))
                .collect()
        })
        .unwrap_or_default()
    }

    fn parallel_foreach(&self, op: Op<'c>, xs: &[Form<'c>]) -> Result<'c, Vec<Form<'c>>> {
        let Some(block) = op.body(0) else {
            return fail(op, "has no body");
        };
        if let Some(ValueType::Tensor(ty)) = xs.first().map(|form| &form.ty) {
            let dims = ty.static_shape().unwrap_or_default();
            let scalars: Vec<Form<'c>> = xs
                .iter()
                .map(|form| Form {
                    ty: ValueType::Tensor(TensorType::new(type_of(form.parts[0]).0, &[])),
                    parts: form.parts.clone(),
                })
                .collect();
            let given = self.at_once(op, block, &scalars, &dims, None)?;
            return Ok(self.typed(op, given));
        }
        let rounds = self.rounds(xs);
        let elements: Vec<Form<'c>> = rounds
            .elements
            .iter()
            .map(|form| self.first_of(form, rounds.most))
            .collect();
        let given = self.at_once(op, block, &elements, &[rounds.most], Some(rounds.count))?;
        Ok(given
            .iter()
            .enumerate()
            .map(|(i, form)| self.collected(op, i, form, rounds.count))
            .collect())
    }

    /// Values with the types of the results.
    fn typed(&self, op: Op<'c>, given: Vec<Form<'c>>) -> Vec<Form<'c>> {
        given
            .into_iter()
            .enumerate()
            .map(|(i, form)| Form {
                ty: op.result_type(i),
                parts: form.parts,
            })
            .collect()
    }

    /// One round after the other: `foreach`, `fold`, and `scan`, which keeps the values that it carries along.
    fn in_order(
        &self,
        op: Op<'c>,
        xs: &[Form<'c>],
        inits: &[Form<'c>],
        keeps: bool,
    ) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let rounds = self.rounds(xs);
        let backward = keeps && attrs::order(op) == Ok(Some(Order::Backward));
        let yields = self.yields(op);
        let outputs = match keeps {
            true => yields.as_slice(),
            false => &yields[..yields.len().saturating_sub(inits.len())],
        };
        let mut state: Vec<Form<'c>> = outputs
            .iter()
            .map(|ty| self.room(op, ty, rounds.most))
            .collect::<Result<'c, _>>()?;
        let n = state.len();
        state.extend(inits.iter().cloned());
        if rounds.most > 0 {
            let values: Vec<Val<'c>> = state.iter().flat_map(|form| form.parts.clone()).collect();
            let all = m.repeat(op, rounds.count, &values, |round, values| {
                let i = match backward {
                    true => m.sub(m.sub(rounds.count, m.int(1)), round),
                    false => round,
                };
                let now = self.regrouped(&state, values);
                let mut arguments: Vec<Form<'c>> = rounds
                    .elements
                    .iter()
                    .map(|form| self.element(form, i))
                    .collect();
                arguments.extend(now[n..].iter().cloned());
                let given = self.body(op, arguments)?;
                let carried = match keeps {
                    true => given.clone(),
                    false => given[n.min(given.len())..].to_vec(),
                };
                let mut next = Vec::new();
                for (all, one) in now[..n].iter().zip(&given) {
                    for (all, one) in all.parts.iter().zip(&one.parts) {
                        next.push(m.with_row(*all, i, *one));
                    }
                }
                next.extend(carried.iter().flat_map(|form| form.parts.clone()));
                Ok(next)
            })?;
            state = self.regrouped(&state, &all);
        }
        let carried = state.split_off(n);
        let mut results: Vec<Form<'c>> = state
            .iter()
            .enumerate()
            .map(|(i, form)| self.collected(op, i, form, rounds.count))
            .collect();
        if !keeps {
            results.extend(carried);
        }
        Ok(results)
    }

    /// Parts in a row as the values that they are of.
    fn regrouped(&self, like: &[Form<'c>], parts: &[Val<'c>]) -> Vec<Form<'c>> {
        let mut rest = parts.iter().copied();
        like.iter()
            .map(|form| Form {
                ty: form.ty.clone(),
                parts: rest.by_ref().take(form.parts.len()).collect(),
            })
            .collect()
    }

    /// A body that is one element-wise operation of both elements is a reduction; any other one is applied in order.
    fn reduce(&self, op: Op<'c>, xs: &[Form<'c>], inits: &[Form<'c>]) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let Some((name, ValueType::Tensor(_))) = self.combined(op).zip(Some(inits[0].ty.clone()))
        else {
            return self.in_order(op, xs, inits, false);
        };
        let rounds = self.rounds(xs);
        let values = rounds.elements[0].parts[0];
        let init = inits[0].parts[0];
        let (element, shape) = type_of(values);
        let whole = type_of(init).1;
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
        debug_assert_eq!(type_of(all).1, whole);
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

    fn filter(&self, op: Op<'c>, xs: &[Form<'c>]) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let rounds = self.rounds(xs);
        let n = rounds.most;
        let Some(block) = op.body(0) else {
            return fail(op, "has no body");
        };
        let given = self.at_once(op, block, &rounds.elements, &[n], Some(rounds.count))?;
        let Some(keeps) = given.first().map(|form| form.parts[0]) else {
            return fail(op, "has a body that gives nothing");
        };
        let all = &rounds.elements[0];
        if n == 0 {
            return Ok(vec![m.pack(&all.ty, &all.parts, m.int(0))]);
        }
        let keeps = m.and(keeps, self.is_there(rounds.count, &[n]));
        let counts = m.convert(keeps, &number());
        let (offsets, places) = m.offsets_of(counts);
        let at = m.select(keeps, places, m.spread(m.int(n), &[n]));
        let parts: Vec<Val<'c>> = all
            .parts
            .iter()
            .map(|all| {
                let (element, shape) = type_of(*all);
                m.scatter(None, m.zeros(&element, &shape), at, *all)
            })
            .collect();
        Ok(vec![m.pack(&all.ty, &parts, m.first(offsets, n))])
    }

    fn broadcast(
        &self,
        op: Op<'c>,
        xs: &[Form<'c>],
        inits: &[Form<'c>],
    ) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let Some(block) = op.body(0) else {
            return fail(op, "has no body");
        };
        let (x, y) = (&xs[0], &inits[0]);
        if matches!(x.ty, ValueType::Array { .. }) {
            let rounds = self.rounds(xs);
            let n = rounds.most;
            // The same for every element; where it stands alone it stays as it is.
            let (_, shape) = type_of(y.parts[0]);
            let dims: Vec<i64> = (1..=shape.len() as i64).collect();
            let repeated = m.broadcast(y.parts[0], &dims, &[&[n], &shape[..]].concat());
            let arguments = [
                rounds.elements[0].clone(),
                Form {
                    ty: y.ty.clone(),
                    parts: vec![repeated],
                },
            ];
            let given = self.at_once(op, block, &arguments, &[n], Some(rounds.count))?;
            return Ok(given
                .iter()
                .enumerate()
                .map(|(i, form)| self.collected(op, i, form, rounds.count))
                .collect());
        }
        let (_, shape) = type_of(x.parts[0]);
        let (_, own) = type_of(y.parts[0]);
        let dims = op.ints("dims").unwrap_or_else(|| {
            (shape.len() - own.len().min(shape.len())..shape.len())
                .map(|d| d as i64)
                .collect()
        });
        let repeated = m.broadcast(y.parts[0], &dims, &shape);
        let scalar = |value: Val<'c>| Form {
            ty: ValueType::Tensor(TensorType::new(type_of(value).0, &[])),
            parts: vec![value],
        };
        let arguments = [scalar(x.parts[0]), scalar(repeated)];
        let given = self.at_once(op, block, &arguments, &shape, None)?;
        Ok(self.typed(op, given))
    }

    fn apply_along_axis(&self, op: Op<'c>, xs: &[Form<'c>]) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let Some(block) = op.body(0) else {
            return fail(op, "has no body");
        };
        let d = op.int("dim").unwrap_or(0) as usize;
        let (element, shape) = type_of(xs[0].parts[0]);
        let last = shape.len() - 1;
        let lines = Form {
            ty: ValueType::Tensor(TensorType::new(element, &[shape[d]])),
            parts: vec![m.move_dim(xs[0].parts[0], d, last)],
        };
        let mut dims = shape;
        dims.remove(d);
        let given = self.at_once(op, block, &[lines], &dims, None)?;
        let moved = given
            .into_iter()
            .map(|form| Form {
                parts: vec![m.move_dim(form.parts[0], last, d)],
                ..form
            })
            .collect();
        Ok(self.typed(op, moved))
    }

    /// Whether an element is there comes before its key, so that what is not there comes last.
    fn sortby(&self, op: Op<'c>, xs: &[Form<'c>]) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let Some(block) = op.body(0) else {
            return fail(op, "has no body");
        };
        let rounds = self.rounds(xs);
        let n = rounds.most;
        let given = self.at_once(op, block, &rounds.elements, &[n], Some(rounds.count))?;
        let Some(keys) = given.first().map(|form| form.parts[0]) else {
            return fail(op, "has a body that gives nothing");
        };
        if n == 0 {
            return Ok(vec![xs[0].clone()]);
        }
        let (element, _) = type_of(keys);
        let absent = m.same("not", &[self.is_there(rounds.count, &[n])]);
        let numbers = m.iota(&[n], 0);
        let mut operands = vec![m.convert(absent, &ElementType::int(8))];
        if matches!(element, ElementType::Float(_)) {
            let is_nan = m.compare("NE", keys, keys);
            operands.push(m.convert(is_nan, &ElementType::int(8)));
        }
        operands.push(keys);
        operands.push(numbers);
        let types: Vec<_> = operands
            .iter()
            .map(|value| m.ty(&type_of(*value).0, &[n]))
            .collect();
        let scalars: Vec<_> = operands
            .iter()
            .flat_map(|value| [m.ty(&type_of(*value).0, &[]); 2])
            .collect();
        let compared = operands.len() - 1;
        let comparator = m.b.region(&scalars, |b, arguments| {
            let mut less = m.compare(
                "LT",
                arguments[2 * compared - 2],
                arguments[2 * compared - 1],
            );
            for k in (0..compared - 1).rev() {
                let (x, y) = (arguments[2 * k], arguments[2 * k + 1]);
                let equal = m.and(m.compare("EQ", x, y), less);
                less = m.same("or", &[m.compare("LT", x, y), equal]);
            }
            b.op("stablehlo.return", &[less], &[], &[]);
        });
        let attributes = [
            ("dimension", m.b.i64_attr(0)),
            ("is_stable", m.b.bool_attr(true)),
        ];
        let sorted =
            m.b.op_with_regions(
                "stablehlo.sort",
                &operands,
                &types,
                &attributes,
                vec![comparator],
            )
            .results();
        let at = sorted[sorted.len() - 1];
        let all = &rounds.elements[0];
        let parts = all.parts.iter().map(|all| m.rows(*all, at)).collect();
        let all = Form {
            ty: all.ty.clone(),
            parts,
        };
        Ok(vec![self.collected(op, 0, &all, rounds.count)])
    }

    /// A round appends behind the last element; what it must not append stays there to be overwritten.
    fn build(&self, op: Op<'c>, xs: &[Form<'c>], inits: &[Form<'c>]) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let max = op.int("max").unwrap_or(0).max(0);
        let yields = self.yields(op);
        let Some(element) = yields.get(1) else {
            return fail(op, "has a body that gives no element");
        };
        let mut state = vec![
            self.room(op, element, max + 1)?,
            Form {
                ty: op.operand_type(0),
                parts: vec![m.int(0)],
            },
        ];
        state.extend(inits.iter().cloned());
        let values: Vec<Val<'c>> = state.iter().flat_map(|form| form.parts.clone()).collect();
        let all = m.repeat(op, xs[0].parts[0], &values, |i, values| {
            let now = self.regrouped(&state, values);
            let length = now[1].parts[0];
            let mut arguments = vec![Form {
                ty: op.operand_type(0),
                parts: vec![i],
            }];
            arguments.extend(now[2..].iter().cloned());
            let given = self.body(op, arguments)?;
            let mut next: Vec<Val<'c>> = now[0]
                .parts
                .iter()
                .zip(&given[1].parts)
                .map(|(all, one)| m.with_row(*all, length, *one))
                .collect();
            let has_room = m.compare("LT", length, m.int(max));
            let appends = m.and(given[0].parts[0], has_room);
            next.push(m.add(length, m.convert(appends, &number())));
            next.extend(given[2..].iter().flat_map(|form| form.parts.clone()));
            Ok(next)
        })?;
        let state = self.regrouped(&state, &all);
        let list = self.first_of(&state[0], max);
        let mut results = vec![m.pack(&list.ty, &list.parts, state[1].parts[0])];
        results.extend(state[2..].iter().cloned());
        Ok(results)
    }

    fn vectorize(&self, op: Op<'c>, operands: &[Form<'c>]) -> Result<'c, Vec<Form<'c>>> {
        let name = op.symbol("callee").unwrap_or_default();
        let block = self.body_of(op, &name)?;
        if matches!(operands[0].ty, ValueType::Array { .. }) {
            let rounds = self.rounds(operands);
            let elements: Vec<Form<'c>> = rounds
                .elements
                .iter()
                .map(|form| self.first_of(form, rounds.most))
                .collect();
            let given = self.at_once(op, block, &elements, &[rounds.most], Some(rounds.count))?;
            return Ok(given
                .iter()
                .enumerate()
                .map(|(i, form)| self.collected(op, i, form, rounds.count))
                .collect());
        }
        let arguments = op::arguments(block);
        let mut dims = Vec::new();
        let mut forms = Vec::new();
        for (form, argument) in operands.iter().zip(&arguments) {
            let (_, inner) = type_of(*argument);
            let (element, shape) = type_of(form.parts[0]);
            dims = shape[..shape.len() - inner.len()].to_vec();
            forms.push(Form {
                ty: ValueType::Tensor(TensorType::new(element, &inner)),
                parts: form.parts.clone(),
            });
        }
        let given = self.at_once(op, block, &forms, &dims, None)?;
        debug_assert!(product(&dims) >= 0);
        Ok(self.typed(op, given))
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
