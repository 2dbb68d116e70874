//! Operations with a body: at once where elements do not depend on each other, else one after the
//! other.

use super::{
    emit::Emitter,
    form::Form,
    sizes::{tensor_of, vary},
};
use crate::rewrite::{Result, fail};
use mapwright_indexing::Extent;
use mapwright_mlir::{Op, TensorType, Val, ValueType, melior::ir::ValueLike, op};
use mapwright_ops::{
    Taken,
    attrs::{self, Order},
};

/// Elements that a loop goes through.
pub(super) struct Rounds<'c> {
    /// For each operand, the type of its elements and their parts, one behind the other.
    pub(super) elements: Vec<Form<'c>>,
    /// The most rounds.
    pub(super) most: Extent,
    /// Number of rounds, as a scalar of the program.
    pub(super) count: Val<'c>,
    /// There are `most` rounds.
    pub(super) are_all: bool,
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
        self.of_one_size(op, xs);
        match op.short_name() {
            "parallel_foreach" if inits.is_empty() => self.parallel_foreach(op, xs),
            "parallel_foreach" if xs.iter().all(|form| form.ty.tensor().is_some()) => {
                self.scalars_in_order(op, xs, inits)
            }
            "parallel_foreach" | "foreach" => {
                let xs: Vec<Form<'c>> = xs.iter().map(|form| self.m.with_room(form)).collect();
                self.in_order(op, &xs, inits, false)
            }
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

    /// Tensors that are gone through together have the same sizes, those that are known at run time
    /// only as well.
    fn of_one_size(&self, op: Op<'c>, xs: &[Form<'c>]) {
        let m = &self.m;
        let Some(first) = xs.first().filter(|form| form.ty.tensor().is_some()) else {
            return;
        };
        let (_, sizes) = m.type_of(first.parts[0]);
        let along = match op.short_name() {
            "parallel_foreach" => sizes.len(),
            _ => 1,
        };
        for other in &xs[1..] {
            let (_, own) = m.type_of(other.parts[0]);
            for (a, b) in sizes.iter().zip(&own).take(along).filter(|(a, b)| a != b) {
                m.require(
                    "EQ",
                    *a,
                    *b,
                    "a loop goes through Tensors of the sizes {0} and {1}",
                );
            }
        }
    }

    /// The elements that a loop goes through, those of a Tensor along its first dimension.
    pub(super) fn rounds(&self, xs: &[Form<'c>]) -> Rounds<'c> {
        let m = &self.m;
        let mut elements = Vec::new();
        let mut counts = Vec::new();
        let mut room = Vec::new();
        let mut of_tensors = true;
        for form in xs {
            let first = form.parts[0];
            let (element, shape) = self.m.type_of(first);
            match &form.ty {
                ValueType::Array { element: inner, .. } => {
                    elements.push(Form {
                        ty: (**inner).clone(),
                        parts: m.elements(form),
                    });
                    room.push(m.room_at(form, 0));
                    counts.push(form.parts[1]);
                    of_tensors = false;
                }
                _ => {
                    let inner = tensor_of(&element, &shape[1..]);
                    elements.push(Form {
                        ty: ValueType::Tensor(inner),
                        parts: vec![first],
                    });
                    // All of them have one size.
                    room = vec![shape[0]];
                    counts.push(m.scalar(shape[0]));
                }
            }
        }
        let least = room.iter().copied().min().unwrap_or_default();
        let same = !vary(&room) || room.iter().all(|size| *size == least);
        let count = if of_tensors {
            m.scalar(least)
        } else {
            self.least(&counts)
        };
        // Of run-time sizes it is not known which is the least.
        let most = if same { least } else { m.size_of(count) };
        Rounds {
            elements,
            most,
            count,
            are_all: of_tensors || !m.is_room(most),
        }
    }

    /// The first `n` of elements that are spread.
    pub(super) fn first_of(&self, form: &Form<'c>, n: Extent) -> Form<'c> {
        let parts = form.parts.iter();
        Form {
            ty: form.ty.clone(),
            parts: parts.map(|all| self.m.slice(*all, 0, (0, 1, n))).collect(),
        }
    }

    /// Element `i` of elements that are spread.
    pub(super) fn element(&self, form: &Form<'c>, i: Val<'c>) -> Form<'c> {
        Form {
            ty: form.ty.clone(),
            parts: form.parts.iter().map(|all| self.m.row(*all, i)).collect(),
        }
    }

    /// Elements that are spread as what result `i` is: a tensor, or an array of so many.
    pub(super) fn collected(
        &self,
        op: Op<'c>,
        i: usize,
        all: &Form<'c>,
        count: Val<'c>,
    ) -> Form<'c> {
        match op.result_type(i) {
            ty @ ValueType::Tensor(_) => Form {
                ty,
                parts: all.parts.clone(),
            },
            ty => self.m.pack(ty, &all.parts, count),
        }
    }

    /// Types of what the body of a loop gives.
    pub(super) fn yields(&self, op: Op<'c>) -> Vec<ValueType> {
        let block = match op.symbol("callee") {
            Some(name) => self.body_of(op, &name).ok(),
            None => op.body(0),
        };
        let end = block.and_then(|block| op::ops(block).last().copied());
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
        if let Some(ValueType::Tensor(_)) = xs.first().map(|form| &form.ty) {
            let (_, dims) = self.m.type_of(xs[0].parts[0]);
            let scalars: Vec<Form<'c>> = xs
                .iter()
                .map(|form| Form {
                    ty: ValueType::Tensor(TensorType::new(self.m.type_of(form.parts[0]).0, &[])),
                    parts: form.parts.clone(),
                })
                .collect();
            let given = self.at_once(op, block, &scalars, &dims, None)?;
            return Ok(self.typed(op, given));
        }
        if let Some(found) = self.flattened(op, xs) {
            return Ok(found);
        }
        let xs: Vec<Form<'c>> = xs.iter().map(|form| self.m.with_room(form)).collect();
        let rounds = self.rounds(&xs);
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

    /// One round after the other: `foreach`, `fold`, and `scan`, which keeps the values that it
    /// carries along.
    pub(super) fn in_order(
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
        let outputs = if keeps {
            yields.as_slice()
        } else {
            &yields[..yields.len().saturating_sub(inits.len())]
        };
        let round = |i: Val<'c>, carried: &[Form<'c>]| {
            let mut arguments: Vec<Form<'c>> = rounds
                .elements
                .iter()
                .map(|form| self.element(form, i))
                .collect();
            arguments.extend(carried.iter().cloned());
            m.in_round(rounds.most, || self.body(op, arguments))
        };
        let settled = |form: &Form<'c>| m.settled(form, m.packing);
        let inits: Vec<Form<'c>> = inits.iter().map(settled).collect();
        let trial = |i| Ok(round(i, &inits)?.into_iter().take(outputs.len()).collect());
        let mut state = self.room(op, outputs, rounds.most, &trial)?;
        let n = state.len();
        state.extend(inits.iter().cloned());
        if rounds.most != 0 {
            let values: Vec<Val<'c>> = state.iter().flat_map(|form| form.parts.clone()).collect();
            // The bound says how much room the values of all rounds take, where they are kept.
            let count = m.min(rounds.count, m.scalar(rounds.most));
            let all = m.repeat_changing(op, count, &values, |number, values| {
                let i = if backward {
                    m.sub(m.sub(rounds.count, m.int(1)), number)
                } else {
                    number
                };
                let now = self.regrouped(&state, values);
                let given = round(i, &now[n..])?;
                let carried = if keeps {
                    given.clone()
                } else {
                    given[n.min(given.len())..].to_vec()
                };
                let mut next = Vec::new();
                for (all, one) in now[..n].iter().zip(&given) {
                    next.extend(self.with_round(op, all, i, one)?);
                }
                next.extend(carried.iter().flat_map(|form| settled(form).parts));
                Ok(next)
            })?;
            state = self.regrouped(&state, &all);
        }
        let carried = state.split_off(n);
        let mut results: Vec<Form<'c>> = state
            .iter()
            .enumerate()
            .map(|(i, form)| match self.is_joined(&yields[i]) {
                true if backward => {
                    let all = m.closed(form);
                    let n = m.size_of(rounds.count);
                    let last = m.spread(m.sub(rounds.count, m.int(1)), &[n]);
                    let at = m.sub(last, m.iota(&[n], 0));
                    m.pack(op.result_type(i), &m.elements_at(&all, at), rounds.count)
                }
                true => Form {
                    ty: op.result_type(i),
                    parts: m.closed(form).parts,
                },
                false => self.collected(op, i, form, rounds.count),
            })
            .collect();
        if !keeps {
            results.extend(carried);
        }
        Ok(results)
    }

    /// A loop over the scalars of tensors, whose rounds share values.
    fn scalars_in_order(
        &self,
        op: Op<'c>,
        xs: &[Form<'c>],
        inits: &[Form<'c>],
    ) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let (_, dims) = m.type_of(xs[0].parts[0]);
        let all: Extent = dims.iter().product();
        let flat: Vec<Form<'c>> = xs
            .iter()
            .map(|form| Form {
                ty: ValueType::Tensor(tensor_of(&m.type_of(form.parts[0]).0, &[all])),
                parts: vec![m.reshape(form.parts[0], &[all])],
            })
            .collect();
        let mut results = self.in_order(op, &flat, inits, false)?;
        let outputs = results.len() - inits.len();
        for form in &mut results[..outputs] {
            form.parts[0] = m.reshape(form.parts[0], &dims);
        }
        Ok(results)
    }

    /// Parts in a row as the values that they are of.
    pub(super) fn regrouped(&self, like: &[Form<'c>], parts: &[Val<'c>]) -> Vec<Form<'c>> {
        let mut rest = parts.iter().copied();
        like.iter()
            .map(|form| Form {
                ty: form.ty.clone(),
                parts: rest.by_ref().take(form.parts.len()).collect(),
            })
            .collect()
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
            let (_, shape) = self.m.type_of(y.parts[0]);
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
        let (_, shape) = self.m.type_of(x.parts[0]);
        let (_, own) = self.m.type_of(y.parts[0]);
        let dims = op.ints("dims").unwrap_or_else(|| {
            (shape.len() - own.len().min(shape.len())..shape.len())
                .map(|d| d as i64)
                .collect()
        });
        let repeated = m.broadcast(y.parts[0], &dims, &shape);
        let scalar = |value: Val<'c>| Form {
            ty: ValueType::Tensor(TensorType::new(self.m.type_of(value).0, &[])),
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
        let (element, shape) = self.m.type_of(xs[0].parts[0]);
        let last = shape.len() - 1;
        let lines = Form {
            ty: ValueType::Tensor(tensor_of(&element, &[shape[d]])),
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

    /// A function of parts of Tensors; one of elements of arrays has become a loop
    /// ([`super::vectorize`]).
    fn vectorize(&self, op: Op<'c>, operands: &[Form<'c>]) -> Result<'c, Vec<Form<'c>>> {
        let name = op.symbol("callee").unwrap_or_default();
        let block = self.body_of(op, &name)?;
        let arguments = op::arguments(block);
        let mut dims = Vec::new();
        let mut parts = Vec::new();
        // Where what all elements share stands among the arguments.
        let mut whole = Vec::new();
        for (k, (form, argument)) in operands.iter().zip(&arguments).enumerate() {
            let ty = ValueType::from_mlir(argument.r#type());
            let front = match Taken::from_types(&form.ty, &ty) {
                Some(Taken::Part(front)) => front,
                _ => {
                    whole.push((k, form.clone()));
                    continue;
                }
            };
            let (_, shape) = self.m.type_of(form.parts[0]);
            for (a, b) in dims.iter().zip(&shape[..front]).filter(|(a, b)| a != b) {
                self.m.require(
                    "EQ",
                    *a,
                    *b,
                    "a function is applied to Tensors of the sizes {0} and {1}",
                );
            }
            dims = shape[..front].to_vec();
            parts.push(Form {
                ty,
                parts: form.parts.clone(),
            });
        }
        let given = self.at_once_with(op, &parts, &dims, None, &|mut forms| {
            for (k, form) in &whole {
                forms.insert(*k, form.clone());
            }
            Ok(self.block(block, forms)?.1)
        })?;
        Ok(self.typed(op, given))
    }
}
