//! The loops and branches around elements.

use super::body::Body;
use crate::{
    error::Result,
    index::{Ix, Truth},
    storage::{self, Elem},
};
use mapwright_mlir::{Builder, ElementType, Ty, Val};
use std::cell::RefCell;

/// Nested loops over `ranges`; `work` gets the indices so far and those of the loops.
pub(super) fn nest<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    ranges: &[(Ix<'c>, Ix<'c>)],
    index: Vec<Ix<'c>>,
    work: &mut dyn FnMut(&mut Body<'c>, &[Ix<'c>]) -> Result<()>,
) -> Result<()> {
    let Some(((lo, hi), rest)) = ranges.split_first() else {
        return body.scoped(|body| work(body, &index));
    };
    if let (Some(l), Some(h)) = (lo.known(), hi.known())
        && h - l == 1
    {
        let mut index = index;
        index.push(*lo);
        return nest(b, body, rest, index, work);
    }
    let mut result = Ok(());
    b.for_loop(lo.value(b), hi.value(b), b.cidx(1), &[], |b, i, _| {
        let mut index = index.clone();
        index.push(Ix::Value(i));
        result = body.scoped(|body| nest(b, body, rest, index, work));
        Vec::new()
    });
    result
}

/// Closure that emits one iteration at an index: from the carried values it returns the next ones.
type Step<'s, 'c> = dyn FnMut(&mut Body<'c>, &[Ix<'c>], &[Val<'c>]) -> Result<Vec<Val<'c>>> + 's;

/// Loops over `[0, size)` of each of `sizes`, carrying values.
pub(super) fn fold<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    sizes: &[Ix<'c>],
    index: &[Ix<'c>],
    carried: &[Val<'c>],
    work: &mut Step<'_, 'c>,
) -> Result<Vec<Val<'c>>> {
    let Some((size, rest)) = sizes.split_first() else {
        return work(body, index, carried);
    };
    if size.known() == Some(1) {
        let mut index = index.to_vec();
        index.push(Ix::Known(0));
        return fold(b, body, rest, &index, carried, work);
    }
    let mut failure = None;
    let found = b.for_loop(
        b.cidx(0),
        size.value(b),
        b.cidx(1),
        carried,
        |b, i, carried| {
            let mut index = index.to_vec();
            index.push(Ix::Value(i));
            let next = body.scoped(|body| fold(b, body, rest, &index, carried, work));
            next.unwrap_or_else(|error| {
                failure = Some(error);
                carried.to_vec()
            })
        },
    );
    match failure {
        Some(error) => Err(error),
        None => Ok(found),
    }
}

/// Runs `work` if `truth` holds.
pub(super) fn when<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    truth: Truth<'c>,
    work: &mut dyn FnMut(&mut Body<'c>) -> Result<()>,
) -> Result<()> {
    match truth {
        Truth::Known(true) => work(body),
        Truth::Known(false) => Ok(()),
        Truth::Value(condition) => {
            let mut result = Ok(());
            b.if_then(condition, |_| result = body.scoped(|body| work(body)));
            result
        }
    }
}

/// The values of `yes` or of `no`, of which only the chosen ones are computed.
pub(super) fn either<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    truth: Truth<'c>,
    types: &[Ty<'c>],
    yes: impl FnOnce(&mut Body<'c>) -> Result<Vec<Val<'c>>>,
    no: impl FnOnce(&mut Body<'c>) -> Result<Vec<Val<'c>>>,
) -> Result<Vec<Val<'c>>> {
    let condition = match truth {
        Truth::Known(true) => return yes(body),
        Truth::Known(false) => return no(body),
        Truth::Value(condition) => condition,
    };
    let state = RefCell::new((body, None));
    let keep = |found: Result<Vec<Val<'c>>>, failure: &mut Option<_>| {
        found.unwrap_or_else(|error| {
            failure.get_or_insert(error);
            Vec::new()
        })
    };
    let values = b.if_else(
        condition,
        types,
        |_| {
            let (body, failure) = &mut *state.borrow_mut();
            keep(body.scoped(yes), failure)
        },
        |_| {
            let (body, failure) = &mut *state.borrow_mut();
            keep(body.scoped(no), failure)
        },
    );
    match state.into_inner().1 {
        Some(error) => Err(error),
        None => Ok(values),
    }
}

/// [`either`] of elements of one type.
pub(super) fn conditional<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    truth: Truth<'c>,
    element: &ElementType,
    yes: impl FnOnce(&mut Body<'c>) -> Result<Elem<'c>>,
    no: impl FnOnce(&mut Body<'c>) -> Result<Elem<'c>>,
) -> Result<Elem<'c>> {
    let types = storage::value_types(b, element, &[])?;
    let yes = |body: &mut Body<'c>| Ok(yes(body)?.values());
    let no = |body: &mut Body<'c>| Ok(no(body)?.values());
    let values = either(b, body, truth, &types, yes, no)?;
    Ok(Elem::take(element, &mut values.as_slice()))
}
