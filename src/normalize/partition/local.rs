//! Operations on slices, and the proof that they compute the slices of what the operation on whole
//! tensors computes.
//!
//! On whole tensors, element `i` of a result is made of the elements `G(i)` of an operand. On
//! slices, a device makes element `l` of its slice of the elements `L(l)` of its slice of the
//! operand. With `R` and `O` from the device and places in slices to places in whole tensors, that
//! is right if `G(R(device, l)) = O(device, L(l))` for all devices and all `l`, where both are
//! defined on the same ones.

use super::{
    program::{Part, reduction},
    slices::{slice_type, whole},
};
use crate::{hlo::neutral_literal, make::own};
use mapwright_indexing::{
    Constraint, Expr, ExprKind, IndexingMap, Interval, RuntimeVariable, Variable, compare, d,
    linear::radix::number_of_digits, rt, s,
};
use mapwright_mlir::{
    Attr, ElementType, Op, TensorType, Ty, Val,
    attr::Dense,
    computation, edit,
    melior::ir::{Block, ValueLike},
    op,
};
use mapwright_ops::{
    Composer, attrs,
    reduction::combination::Combination,
    registry::{self, Class},
    typing,
};
use mapwright_sharding::{
    digits::Digit,
    propagate::{Divided, Loop, Sharding},
};
use std::collections::{HashMap, HashSet};

/// The devices, and how an operation is divided among them.
struct Places<'a> {
    devices: i64,
    found: &'a Divided,
}

/// The values from outside that an operation reads, those of its regions among them, each once.
pub(super) fn reads<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    let mut seen = HashSet::new();
    let mut all = computation::used(op);
    all.retain(|value| seen.insert(op::key(*value)));
    all
}

/// The operation on slices, whose results have the layouts `makes`; it is in no block yet.
pub(super) fn on_slices<'c>(
    op: Op<'c>,
    operands: &[Val<'c>],
    makes: &[Sharding],
    captured: &HashMap<usize, Val<'c>>,
) -> Op<'c> {
    let types = op.results().into_iter().zip(makes);
    let types: Vec<TensorType> = types
        .map(|(whole, makes)| slice_type(whole, makes).unwrap_or_else(|| own(whole)))
        .collect();
    resized(op, operands, &types, captured)
}

/// The operation on operands of other sizes, with results of these types; it is in no block yet.
pub(super) fn resized<'c>(
    op: Op<'c>,
    operands: &[Val<'c>],
    types: &[TensorType],
    captured: &HashMap<usize, Val<'c>>,
) -> Op<'c> {
    let copy = edit::clone(op, captured);
    for (i, value) in operands.iter().enumerate() {
        edit::set_operand(copy, i, *value);
    }
    for (result, ty) in copy.results().into_iter().zip(types) {
        if let Some(ty) = Ty::parse(op.context(), &ty.to_string()) {
            result.set_type(ty);
        }
    }
    // Attributes that say the sizes of what is read: what was all of a dimension is all of it.
    let sizes =
        |value: Val<'c>| TensorType::from_mlir(value.r#type()).and_then(|t| t.static_shape());
    if let (Some(whole), Some(slice)) = (sizes(op.operand(0)), sizes(copy.operand(0))) {
        for name in ["slice_sizes", "limit_indices"] {
            let Some(said) = op.ints(name).filter(|said| said.len() == whole.len()) else {
                continue;
            };
            let adapted: Vec<String> = (said.iter().zip(&whole).zip(&slice))
                .map(|((said, whole), slice)| if said == whole { slice } else { said }.to_string())
                .collect();
            let text = format!("array<i64: {}>", adapted.join(", "));
            if let Some(attribute) = Attr::parse(op.context(), &text) {
                copy.set_attribute(name, attribute);
            }
        }
    }
    for name in [
        super::sites::SHARDY,
        super::sites::HLO,
        super::sites::LAYOUT,
    ] {
        copy.remove_attribute(name);
    }
    copy
}

/// Proves that the operation on slices computes slices of what the operation computes, each part as
/// it is divided; `false` where that is not proved. All parts need the same slices of operands.
/// `held` has what is there of a value in a layout.
pub(super) fn is_right<'c>(
    op: Op<'c>,
    parts: &[(&Part, Divided)],
    devices: i64,
    held: &dyn Fn(Val<'c>, &Sharding) -> Option<Val<'c>>,
) -> bool {
    let Some((_, found)) = parts.first() else {
        return false;
    };
    if found.operands.len() != op.num_operands() {
        return false;
    }
    let element = |value: Val<'c>| TensorType::from_mlir(value.r#type()).map(|ty| ty.element);
    // Scales of a dimension belong to its type.
    let mut values = op.operands().into_iter().chain(op.results());
    if values.any(|value| element(value).is_none_or(|e: ElementType| e.is_quantized())) {
        return false;
    }
    let types: Option<Vec<_>> = (op.operands().into_iter().zip(&found.operands))
        .map(|(value, needs)| {
            let ty = slice_type(value, needs)?;
            Some((Ty::parse(op.context(), &ty.to_string())?, op.location()))
        })
        .collect();
    let Some(types) = types else { return false };
    // What makes a slice is known where it is there already.
    let scratch = Block::new(&types);
    let block = mapwright_mlir::block(&scratch);
    let slices: Vec<Val<'c>> = (op.operands().into_iter().zip(&found.operands))
        .zip(op::arguments(block))
        .map(|((value, needs), unknown)| held(value, needs).unwrap_or(unknown))
        .collect();
    let slice = on_slices(op, &slices, &layouts_made(op, parts), &HashMap::new());
    edit::append(block, slice);
    let agrees = |(part, found): &(&Part, Divided)| {
        let places = Places { devices, found };
        agrees(op, slice, part, &places)
    };
    typing::verify(slice).is_ok() && parts.iter().all(agrees)
}

/// The layouts that an operation gives its results, whose parts are divided so.
pub(super) fn layouts_made(op: Op<'_>, parts: &[(&Part, Divided)]) -> Vec<Sharding> {
    let of = |i: usize| parts.iter().find(|(part, _)| part.results.contains(&i));
    let made = (0..op.num_results()).map(|i| match of(i) {
        Some((_, found)) => found.makes.clone(),
        None => whole(op.result(i)),
    });
    made.collect()
}

/// Gives the initial values of what is combined, where devices share its terms, to one of them, so
/// that none is combined twice: the others have what changes nothing. `false` where that cannot be
/// said.
pub(super) fn share_initial_values(op: Op<'_>, found: &mut Divided) -> bool {
    let split = found.loops.iter();
    let of_terms = split.filter(|(var, ..)| matches!(var, Loop::Range(_)));
    let digits: Vec<Digit> = of_terms.flat_map(|(.., digits)| digits.clone()).collect();
    let (all, results) = (op.num_operands(), op.num_results());
    let initial = match registry::lookup(op).map(|def| def.class) {
        _ if digits.is_empty() => return true,
        Some(Class::Reduction | Class::Window) => all / 2..all,
        Some(Class::Update) => 0..results,
        _ => return true,
    };
    let combination = attrs::computation(op, 0).and_then(registry::combination);
    let (Some(combination), Some(by)) = (combination, reduction(op)) else {
        return false;
    };
    use Combination::{And, Maximum, Minimum, Or};
    if matches!(combination, And | Maximum | Minimum | Or) {
        return true;
    }
    for i in initial {
        let value = op.operand(i);
        if is_neutral(value, combination) {
            continue;
        }
        let element = TensorType::from_mlir(value.r#type()).map(|ty| ty.element);
        let neutral = element.and_then(|element| neutral_literal(combination, &element));
        let (Some(_), Some(needs)) = (neutral, found.operands.get_mut(i)) else {
            return false;
        };
        needs
            .partial
            .extend(digits.iter().map(|digit| (*digit, by)));
        *needs = needs.merged();
    }
    true
}

/// Tells whether a value is a constant that changes nothing when it is combined.
fn is_neutral(value: Val<'_>, combination: Combination) -> bool {
    let Some((constant, _)) = op::defining_op(value) else {
        return false;
    };
    let Some(dense) = constant.attribute("value").and_then(Dense::splat_of) else {
        return false;
    };
    // Zero of either sign: among the terms is one of the program's own anyway.
    if combination == Combination::Sum && matches!(dense.ty.element, ElementType::Float(_)) {
        return dense
            .data
            .split_last()
            .is_some_and(|(last, rest)| last & 0x7f == 0 && rest.iter().all(|byte| *byte == 0));
    }
    let Some(literal) = neutral_literal(combination, &dense.ty.element) else {
        return false;
    };
    let text = format!("dense<{literal}> : {}", dense.ty);
    let neutral = Attr::parse(constant.context(), &text).and_then(Dense::splat_of);
    neutral.is_some_and(|neutral| neutral.data == dense.data)
}

/// Tells whether the maps on slices are those on whole tensors.
fn agrees<'c>(op: Op<'c>, slice: Op<'c>, part: &Part, places: &Places<'_>) -> bool {
    let (whole, own) = (
        Composer::new().without_simplification(),
        Composer::new().without_simplification(),
    );
    part.results.iter().all(|result| {
        let (of_whole, of_slice) = (
            whole.output_to_input(op, *result),
            own.output_to_input(slice, *result),
        );
        of_whole.len() == of_slice.len()
            && of_whole.iter().zip(of_slice.iter()).all(|(g, l)| {
                g.operand == l.operand
                    && g.maps.len() == l.maps.len()
                    && (g.maps.iter().zip(&l.maps))
                        .all(|(one, own)| places.same(op, g.operand, one, own))
            })
    })
}

impl Places<'_> {
    /// The first index of a device's part of something that digits split.
    fn start(&self, digits: &[Digit], size: i64) -> Expr {
        let parts: i64 = digits.iter().map(|d| d.size).product();
        number_of_digits(&d(0), digits, self.devices) * (size / parts.max(1))
    }

    /// The parts that a loop is split into, and the first index of a device's.
    fn of_loop(&self, var: Loop) -> (i64, Expr) {
        let found = self.found.loops.iter().find(|(of, ..)| *of == var);
        match found {
            Some((_, size, digits)) => (
                digits.iter().map(|d| d.size).product(),
                self.start(digits, *size),
            ),
            None => (1, mapwright_indexing::c(0)),
        }
    }

    /// `G(R(device, l)) = O(device, L(l))`, and the values that they are made of at run time are
    /// the same ones.
    fn same(&self, op: Op<'_>, operand: usize, g: &IndexingMap, l: &IndexingMap) -> bool {
        if g.is_known_empty() || l.is_known_empty() {
            return g.is_known_empty() && l.is_known_empty();
        }
        let alike = g.is_known()
            && l.is_known()
            && g.is_exact() == l.is_exact()
            && g.dims().len() == l.dims().len()
            && g.ranges().len() == l.ranges().len()
            && g.runtime().len() == l.runtime().len()
            && g.results().len() == l.results().len();
        if !alike {
            return false;
        }
        // A loop on slices is the part of one on whole tensors.
        let part = |var: Loop, g: Interval, l: Interval| {
            let (parts, _) = self.of_loop(var);
            match parts {
                1 => g == l,
                parts => {
                    g.lower == 0
                        && l.lower == 0
                        && (l.upper + 1).saturating_mul(parts) == g.upper + 1
                }
            }
        };
        let dims = g.dims().iter().zip(l.dims()).enumerate();
        let ranges = g.ranges().iter().zip(l.ranges()).enumerate();
        let are_parts = dims
            .map(|(i, (g, l))| part(Loop::Dimension(i), g.interval, l.interval))
            .chain(ranges.map(|(i, (g, l))| part(Loop::Range(i), g.interval, l.interval)))
            .all(|is_part| is_part);
        if !are_parts || !self.reads_same(op, g, l) {
            return false;
        }
        let Some(placed) = self.sized(op, operand) else {
            return false;
        };
        let through = |expr: &Expr| expr.replace(|kind| self.whole(kind));
        let local = |expr: &Expr| expr.replace(shifted);
        let first: Vec<Expr> = g.results().iter().map(through).collect();
        let second: Vec<Expr> = (placed.into_iter().zip(l.results()))
            .map(|(start, result)| start + local(result))
            .collect();
        let constraints = |of: &IndexingMap, f: &dyn Fn(&Expr) -> Expr| -> Vec<Constraint> {
            let all = of.constraints().iter();
            all.map(|c| Constraint {
                expr: f(&c.expr),
                interval: c.interval,
            })
            .collect()
        };
        let (before, after) = (constraints(g, &through), constraints(l, &local));
        if first == second && before == after {
            return true;
        }
        let map = |results: Vec<Expr>, constraints: Vec<Constraint>| {
            let mut map = l.clone();
            map.edit(|m| {
                m.dims.insert(0, Variable::of_size(self.devices));
                m.results = results;
                m.constraints = constraints;
                for variable in &mut m.runtime {
                    variable.origin.index = None;
                }
            });
            // Element by element, not as a set.
            map.ranges_to_dims()
        };
        compare(&map(first, before), &map(second, after)).equal == Some(true)
    }

    /// The first index, in each dimension, of a device's slice of an operand.
    fn sized(&self, op: Op<'_>, operand: usize) -> Option<Vec<Expr>> {
        let sizes = super::sites::shape(op.operand(operand)).ok()?;
        let dims = &self.found.operands.get(operand)?.dims;
        let starts = dims.iter().zip(&sizes);
        (dims.len() == sizes.len()).then(|| starts.map(|(d, n)| self.start(d, *n)).collect())
    }

    /// A variable of a map on whole tensors, by the device and those on slices.
    fn whole(&self, kind: &ExprKind) -> Expr {
        match kind {
            ExprKind::Dim(i) => self.of_loop(Loop::Dimension(*i)).1 + d(*i + 1),
            ExprKind::Range(i) => self.of_loop(Loop::Range(*i)).1 + s(*i),
            other => shifted(other),
        }
    }

    /// Tells whether both maps read the same elements of the same operands at run time, and put
    /// them within the same bounds.
    fn reads_same(&self, op: Op<'_>, g: &IndexingMap, l: &IndexingMap) -> bool {
        let labels: Vec<String> = op.operands().into_iter().map(op::label).collect();
        let same = |(g, l): (&RuntimeVariable, &RuntimeVariable)| {
            let from = labels.iter().position(|label| *label == g.origin.value);
            let (Some(from), Some(of_g), Some(of_l)) = (from, &g.origin.index, &l.origin.index)
            else {
                return false;
            };
            g.interval == l.interval && g.clamp() == l.clamp() && self.same(op, from, of_g, of_l)
        };
        g.runtime().iter().zip(l.runtime()).all(same)
    }
}

/// A variable of a map on slices, where the device is the first dimension.
fn shifted(kind: &ExprKind) -> Expr {
    match kind {
        ExprKind::Dim(i) => d(*i + 1),
        ExprKind::Range(i) => s(*i),
        ExprKind::Runtime(i) => rt(*i),
        ExprKind::Constant(value) => mapwright_indexing::c(*value),
        _ => mapwright_indexing::c(0),
    }
}
