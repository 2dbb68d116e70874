//! Bodies for all elements at once, and one element after the other where that cannot be.

use super::{
    batch,
    emit::Emitter,
    form::{Form, number, parts_of},
    sizes::extents,
};
use crate::rewrite::{Result, fail};
use mapwright_indexing::Extent;
use mapwright_mlir::{Blk, Op, Ty, Val, ValueType, edit, melior::ir::RegionLike, op};

/// Deepest nesting of functions that are applied to elements.
const MOST_DEPTH: usize = 64;

impl<'c> Emitter<'c> {
    /// The body of a loop, or of a function, for all elements at once: what it gives for them, with
    /// `dims` in front.
    ///
    /// `arguments` has, for each argument of the block, its type and its parts with `dims` in
    /// front. `count` says how many of the elements are there (of one dimension); what is computed
    /// of the others means nothing.
    pub(super) fn at_once(
        &self,
        op: Op<'c>,
        block: Blk<'c>,
        arguments: &[Form<'c>],
        dims: &[Extent],
        count: Option<Val<'c>>,
    ) -> Result<'c, Vec<Form<'c>>> {
        self.at_once_with(op, arguments, dims, count, &|forms| {
            Ok(self.block(block, forms)?.1)
        })
    }

    /// [`Emitter::at_once`] of what `one` makes of an element.
    pub(super) fn at_once_with(
        &self,
        op: Op<'c>,
        arguments: &[Form<'c>],
        dims: &[Extent],
        count: Option<Val<'c>>,
        one: &dyn Fn(Vec<Form<'c>>) -> Result<'c, Vec<Form<'c>>>,
    ) -> Result<'c, Vec<Form<'c>>> {
        let before = self.mark();
        let in_turn = || self.nested(op, || self.one_at_a_time(op, arguments, dims, count, one));
        if !self.options.distribution && dims.len() == 1 && self.m.sizes.inside.get() == 0 {
            match in_turn() {
                Ok(given) => return Ok(given),
                Err(_) => self.undo(before),
            }
        }
        match self.for_all(op, arguments, &[], dims, count, one) {
            // Each element has sizes of its own: they take turns.
            Err(error) if self.m.sizes.inside.get() == 0 => {
                self.undo(before);
                in_turn().map_err(|_| error)
            }
            outcome => outcome,
        }
    }

    /// Applies `one` to the elements in turn, one after the other.
    fn one_at_a_time(
        &self,
        op: Op<'c>,
        arguments: &[Form<'c>],
        dims: &[Extent],
        count: Option<Val<'c>>,
        one: &dyn Fn(Vec<Form<'c>>) -> Result<'c, Vec<Form<'c>>>,
    ) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let n: Extent = dims.iter().product();
        let flat = |form: &Form<'c>| Form {
            ty: form.ty.clone(),
            parts: (form.parts.iter())
                .map(|all| {
                    let (_, sizes) = m.type_of(*all);
                    m.reshape(*all, &[&[n], &sizes[dims.len()..]].concat())
                })
                .collect(),
        };
        let arguments: Vec<Form<'c>> = arguments.iter().map(flat).collect();
        let element = |i| {
            let forms = arguments.iter().map(|form| self.element(form, i));
            m.in_round(n, || one(forms.collect()))
        };
        let yields = self.yields(op);
        let state = self.room(op, &yields, n, &element)?;
        let values: Vec<Val<'c>> = state.iter().flat_map(|form| form.parts.clone()).collect();
        let all = if n == 0 {
            values
        } else {
            let count = count.unwrap_or_else(|| m.scalar(n));
            m.repeat_changing(op, count, &values, |i, all| {
                let now = self.regrouped(&state, all);
                let given = element(i)?;
                let mut next = Vec::new();
                for (all, one) in now.iter().zip(&given) {
                    next.extend(self.with_round(op, all, i, one)?);
                }
                Ok(next)
            })?
        };
        let mut forms = self.regrouped(&state, &all);
        for (form, ty) in forms.iter_mut().zip(yields) {
            if self.is_joined(&ty) {
                let all = m.closed(form);
                *form = Form {
                    parts: m.elements_at(&all, m.iota(&[n], 0)),
                    ty,
                };
            }
        }
        for part in forms.iter_mut().flat_map(|form| &mut form.parts) {
            let (_, sizes) = m.type_of(*part);
            *part = m.reshape(*part, &[dims, &sizes[1..]].concat());
        }
        Ok(forms)
    }

    /// Tells whether arrays of this type that rounds give are put one behind the other, since their
    /// room is not known.
    pub(super) fn is_joined(&self, ty: &ValueType) -> bool {
        matches!(ty, ValueType::Array { .. }) && self.m.packing.room(ty).is_none()
    }

    /// The parts of what rounds gave, with what round `i` gives: at its place, or behind the others
    /// where it is not known how much room that takes.
    pub(super) fn with_round(
        &self,
        op: Op<'c>,
        all: &Form<'c>,
        i: Val<'c>,
        one: &Form<'c>,
    ) -> Result<'c, Vec<Val<'c>>> {
        let m = &self.m;
        if self.is_joined(&one.ty) {
            return m.appended(op, all, &m.alone(one));
        }
        let parts = m.settled(one, m.packing).parts;
        let both = all.parts.iter().zip(parts);
        Ok(both.map(|(all, one)| m.with_row(*all, i, one)).collect())
    }

    /// Room for `n` values of types, spread, and arrays without elements for those that are put one
    /// behind the other. Sizes that are known at run time only are those that `round` gives them,
    /// in a round that is thrown away.
    pub(super) fn room(
        &self,
        op: Op<'c>,
        types: &[ValueType],
        n: Extent,
        round: &dyn Fn(Val<'c>) -> Result<'c, Vec<Form<'c>>>,
    ) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let mut all = Vec::new();
        for ty in types {
            match parts_of(ty, self.m.packing) {
                Some(parts) => all.push(parts),
                None => {
                    return fail(
                        op,
                        format!("has a body that gives a value of the type {ty}"),
                    );
                }
            }
        }
        let fixed = all.iter().flatten();
        let fixed = fixed.map(|ty| Some(extents(&ty.static_shape()?)));
        let shapes: Vec<Vec<Extent>> = match fixed.collect::<Option<_>>() {
            Some(shapes) => shapes,
            None => {
                let mut outcome = fail(op, "has no body");
                let known = m.known_sizes();
                let scalar = m.ty(&number(), &[]);
                let trial = m.b.region(&[scalar], |_, arguments| {
                    outcome = round(arguments[0]).map(|given| {
                        let parts = given
                            .iter()
                            .flat_map(|form| m.settled(form, m.packing).parts);
                        parts.map(|part| m.type_of(part).1).collect()
                    });
                });
                drop(trial);
                m.forget_sizes(known);
                outcome?
            }
        };
        let mut shapes = shapes.into_iter();
        let mut forms = Vec::new();
        for (ty, parts) in types.iter().zip(&all) {
            let own: Vec<Vec<Extent>> = shapes.by_ref().take(parts.len()).collect();
            let is_joined = self.is_joined(ty);
            let known = if is_joined {
                m.are_known(&own[0][1..])
            } else {
                own.iter().all(|shape| m.are_known(shape))
            };
            if !known {
                return fail(
                    op,
                    "has a body that gives a Tensor of another size in each round, as far as is known",
                );
            }
            if is_joined {
                forms.push(m.none_of(ty, &parts[0].element, &own[0][1..]));
                continue;
            }
            let zeros = parts.iter().zip(own);
            forms.push(Form {
                ty: ty.clone(),
                parts: zeros
                    .map(|(ty, shape)| m.zeros(&ty.element, &[&[n], &shape[..]].concat()))
                    .collect(),
            });
        }
        Ok(forms)
    }

    /// Returns the place where operations are appended now, for [`Emitter::undo`].
    pub(super) fn mark(&self) -> (Blk<'c>, usize, usize) {
        let block = self.m.b.block();
        (block, op::ops(block).len(), self.m.known_sizes())
    }

    /// Throws away what was appended since.
    pub(super) fn undo(&self, (block, before, sizes): (Blk<'c>, usize, usize)) {
        let made = op::ops(block).split_off(before);
        made.into_iter().rev().for_each(edit::erase_unused);
        self.m.forget_sizes(sizes);
        self.m.refusal();
    }

    /// Applies `one` to all elements at once: see [`Emitter::at_once`]. `captured` are values that
    /// differ from element to element besides the arguments, with `dims` in front.
    pub(super) fn for_all(
        &self,
        op: Op<'c>,
        arguments: &[Form<'c>],
        captured: &[(Val<'c>, Form<'c>)],
        dims: &[Extent],
        count: Option<Val<'c>>,
        one: &dyn Fn(Vec<Form<'c>>) -> Result<'c, Vec<Form<'c>>>,
    ) -> Result<'c, Vec<Form<'c>>> {
        let outcome = self.nested(op, || {
            self.one_for_all(op, arguments, captured, dims, count, one)
        });
        self.unless_refused(op)?;
        outcome
    }

    /// An error if something of what was made has no form with sizes that are known at run time
    /// only.
    pub(super) fn unless_refused(&self, op: Op<'c>) -> Result<'c> {
        match self.m.refusal() {
            Some(why) => fail(
                op,
                format!("cannot be done with sizes that are known at run time only: {why}"),
            ),
            None => Ok(()),
        }
    }

    /// Goes one level deeper into functions that are applied to elements.
    pub(super) fn nested<T>(
        &self,
        op: Op<'c>,
        inner: impl FnOnce() -> Result<'c, T>,
    ) -> Result<'c, T> {
        if self.depth.get() >= MOST_DEPTH {
            return fail(
                op,
                "is nested too deeply, or applies a function within itself",
            );
        }
        self.depth.set(self.depth.get() + 1);
        let outcome = inner();
        self.depth.set(self.depth.get() - 1);
        outcome
    }

    fn one_for_all(
        &self,
        op: Op<'c>,
        arguments: &[Form<'c>],
        captured: &[(Val<'c>, Form<'c>)],
        dims: &[Extent],
        count: Option<Val<'c>>,
        one: &dyn Fn(Vec<Form<'c>>) -> Result<'c, Vec<Form<'c>>>,
    ) -> Result<'c, Vec<Form<'c>>> {
        // For one element, in a block of its own that is thrown away.
        let all: Vec<&Form<'c>> = arguments
            .iter()
            .chain(captured.iter().map(|(_, form)| form))
            .collect();
        let values: Vec<Val<'c>> = all.iter().flat_map(|form| form.parts.clone()).collect();
        let kinds: Vec<_> = values
            .iter()
            .map(|value| {
                let (element, sizes) = self.m.type_of(*value);
                (element, sizes[dims.len().min(sizes.len())..].to_vec())
            })
            .collect();
        let types: Vec<Ty<'c>> = kinds
            .iter()
            .map(|(element, sizes)| self.m.ty(element, sizes))
            .collect();
        let mut outcome = fail(op, "has no body");
        let inside = &self.m.sizes.inside;
        inside.set(inside.get() + 1);
        let region = self.m.b.region(&types, |b, values| {
            for (value, (_, sizes)) in values.iter().zip(&kinds) {
                self.m.sized(*value, sizes);
            }
            let mut rest = values;
            let mut forms = Vec::new();
            for form in &all {
                let (own, others) = rest.split_at(form.parts.len().min(rest.len()));
                rest = others;
                forms.push(Form {
                    ty: form.ty.clone(),
                    parts: own.to_vec(),
                });
            }
            let lifted: Vec<_> = (captured.iter())
                .map(|(value, _)| (*value, self.lifted(*value)))
                .collect();
            for ((value, _), form) in captured.iter().zip(forms.split_off(arguments.len())) {
                self.bind(*value, form);
            }
            outcome = one(forms).inspect(|given| {
                let values: Vec<Val<'c>> =
                    given.iter().flat_map(|form| form.parts.clone()).collect();
                b.op("stablehlo.return", &values, &[], &[]);
            });
            for (value, lifted) in lifted {
                if let Some(lifted) = lifted {
                    self.lift(value, lifted);
                }
            }
        });
        inside.set(inside.get() - 1);
        let given = outcome?;
        // Sizes of the element's own are values of the block that is thrown away: nothing beside it
        // may use them.
        self.unless_refused(op)?;
        let Some(one) = region
            .first_block()
            .map(|block| mapwright_mlir::block(&block))
        else {
            return fail(op, "has no body");
        };
        // For all of them.
        self.m.b.set_location(op.location());
        let mut all = batch::run(&self.m, op, one, &values, dims, count)?.into_iter();
        Ok(given
            .into_iter()
            .map(|form| Form {
                parts: all.by_ref().take(form.parts.len()).collect(),
                ty: form.ty,
            })
            .collect())
    }
}
