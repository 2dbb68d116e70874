//! `#indexing.map` with upstream's types, for pipelines that are built with MLIR's own C or C++ API.

use crate::{affine::MapAttribute, indexing::Interval};
use mapwright_mlir::{
    Attr, Loc,
    context::outlive,
    hooks::{map_attribute, map_attribute_text},
    melior::{
        self,
        ir::{AffineExpr, AttributeLike},
    },
    mlir_sys::{
        MlirAffineExpr, MlirAffineMap, MlirAttribute, MlirLocation, MlirStringRef,
        mlirIdentifierGet, mlirIdentifierStr,
    },
    pass::guard,
};
use std::ptr::null;

/// All integers from `lower` to `upper`; none if `lower > upper`. The ends of the type stand for "this or beyond".
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MapwrightInterval {
    lower: i64,
    upper: i64,
}

impl From<Interval> for MapwrightInterval {
    fn from(interval: Interval) -> Self {
        MapwrightInterval {
            lower: interval.lower,
            upper: interval.upper,
        }
    }
}

impl From<&MapwrightInterval> for Interval {
    fn from(interval: &MapwrightInterval) -> Self {
        Interval::new(interval.lower, interval.upper)
    }
}

/// What is said about a variable that is not there.
const NO_VALUE: MapwrightInterval = MapwrightInterval {
    lower: 0,
    upper: -1,
};
const NO_TEXT: MlirStringRef = MlirStringRef {
    data: null(),
    length: 0,
};
const NO_ATTRIBUTE: MlirAttribute = MlirAttribute { ptr: null() };

/// Asks the map of an attribute; `otherwise` for null, for attributes of other kinds, and after a panic.
///
/// # Safety
///
/// The attribute is null or valid.
unsafe fn ask<T>(
    attribute: MlirAttribute,
    otherwise: T,
    question: impl FnOnce(&MapAttribute<'static>) -> Option<T>,
) -> T {
    guard(|| {
        if attribute.ptr.is_null() {
            return None;
        }
        // SAFETY: promised by the caller; nothing of the attribute outlives the call but what its context owns.
        let attribute: Attr<'static> = unsafe { Attr::from_raw(attribute) };
        question(&MapAttribute::from_attribute(attribute)?)
    })
    .ok()
    .flatten()
    .unwrap_or(otherwise)
}

/// A text that lives as long as the context.
fn kept(map: &MapAttribute<'_>, text: &str) -> MlirStringRef {
    let reference = MlirStringRef {
        data: text.as_ptr().cast(),
        length: text.len(),
    };
    // SAFETY: the context is valid, the text is copied.
    unsafe { mlirIdentifierStr(mlirIdentifierGet(map.context().to_raw(), reference)) }
}

/// # Safety
///
/// `data` is null or has `count` elements that outlive `'a`.
unsafe fn slice<'a, T>(data: *const T, count: isize) -> &'a [T] {
    match usize::try_from(count) {
        // SAFETY: promised by the caller.
        Ok(count @ 1..) if !data.is_null() => unsafe { std::slice::from_raw_parts(data, count) },
        _ => &[],
    }
}

fn count(n: usize) -> isize {
    isize::try_from(n).unwrap_or(isize::MAX)
}

/// True for `#indexing.map`.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightAttributeIsAMap(attribute: MlirAttribute) -> bool {
    // SAFETY: promised by the caller.
    unsafe { ask(attribute, false, |_| Some(true)) }
}

/// The attribute of a map that is given as text.
///
/// # Safety
///
/// The location is valid, `text` refers to readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrParse(
    location: MlirLocation,
    text: MlirStringRef,
) -> MlirAttribute {
    // SAFETY: promised by the caller.
    let (location, text) = unsafe {
        (
            Loc::<'static>::from_raw(location),
            slice(text.data.cast::<u8>(), count(text.length)),
        )
    };
    guard(|| {
        crate::ops::hooks::install();
        map_attribute(location, &String::from_utf8_lossy(text))
    })
    .ok()
    .flatten()
    .map_or(NO_ATTRIBUTE, |attribute| attribute.to_raw())
}

/// The attribute of upstream's map with intervals and constraints.
///
/// # Safety
///
/// Location, map and expressions are valid, the arrays have the lengths that are given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGet(
    location: MlirLocation,
    map: MlirAffineMap,
    range_variables: isize,
    interval_count: isize,
    intervals: *const MapwrightInterval,
    constraint_count: isize,
    constraints: *const MlirAffineExpr,
    constraint_intervals: *const MapwrightInterval,
) -> MlirAttribute {
    // SAFETY: promised by the caller.
    let (location, map, intervals, expressions, allowed) = unsafe {
        (
            Loc::<'static>::from_raw(location),
            melior::ir::AffineMap::from_raw(map),
            slice(intervals, interval_count),
            slice(constraints, constraint_count),
            slice(constraint_intervals, constraint_count),
        )
    };
    guard(|| {
        crate::ops::hooks::install();
        let intervals: Vec<Interval> = intervals.iter().map(Interval::from).collect();
        let constraints: Vec<_> = expressions
            .iter()
            .zip(allowed)
            // SAFETY: promised by the caller.
            .map(|(expr, interval)| (unsafe { AffineExpr::from_raw(*expr) }, interval.into()))
            .collect();
        let ranges = usize::try_from(range_variables).unwrap_or(usize::MAX);
        MapAttribute::from_affine(location, map, ranges, &intervals, &constraints)
    })
    .ok()
    .flatten()
    .map_or(NO_ATTRIBUTE, |map| map.attribute().to_raw())
}

/// The canonical text.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetText(attribute: MlirAttribute) -> MlirStringRef {
    // SAFETY: promised by the caller.
    unsafe {
        ask(attribute, NO_TEXT, |map| {
            Some(kept(map, &map_attribute_text(map.attribute())?))
        })
    }
}

/// The affine map; null if one cannot hold it.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetAffineMap(attribute: MlirAttribute) -> MlirAffineMap {
    let none = MlirAffineMap { ptr: null() };
    // SAFETY: promised by the caller.
    unsafe { ask(attribute, none, |map| Some(map.affine_map()?.to_raw())) }
}

/// The number of affine pieces; -1 if affine maps cannot hold it.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetNumPieces(attribute: MlirAttribute) -> isize {
    // SAFETY: promised by the caller.
    unsafe { ask(attribute, -1, |map| Some(count(map.pieces()?.len()))) }
}

/// Affine piece number `i`; null if there is none.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetPiece(
    attribute: MlirAttribute,
    i: isize,
) -> MlirAttribute {
    // SAFETY: promised by the caller.
    unsafe {
        ask(attribute, NO_ATTRIBUTE, |map| {
            let pieces = map.pieces()?;
            Some(pieces.get(usize::try_from(i).ok()?)?.attribute().to_raw())
        })
    }
}

/// False for an over-approximation.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrIsExact(attribute: MlirAttribute) -> bool {
    // SAFETY: promised by the caller.
    unsafe { ask(attribute, false, |map| Some(map.map().exact)) }
}

/// True if no point is known to be in the domain.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrIsKnownEmpty(attribute: MlirAttribute) -> bool {
    // SAFETY: promised by the caller.
    unsafe { ask(attribute, false, |map| Some(map.map().is_known_empty())) }
}

/// Why nothing is known; empty for a map that is known.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetUnknownReason(
    attribute: MlirAttribute,
) -> MlirStringRef {
    // SAFETY: promised by the caller.
    unsafe {
        ask(attribute, NO_TEXT, |map| {
            Some(kept(map, map.map().unknown_reason()?))
        })
    }
}

/// The number of dimension variables.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetNumDims(attribute: MlirAttribute) -> isize {
    // SAFETY: promised by the caller.
    unsafe { ask(attribute, 0, |map| Some(count(map.map().dims.len()))) }
}

/// The number of range variables.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetNumRangeVariables(attribute: MlirAttribute) -> isize {
    // SAFETY: promised by the caller.
    unsafe { ask(attribute, 0, |map| Some(count(map.map().ranges.len()))) }
}

/// The number of runtime variables.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetNumRuntimeVariables(attribute: MlirAttribute) -> isize {
    // SAFETY: promised by the caller.
    unsafe { ask(attribute, 0, |map| Some(count(map.map().runtime.len()))) }
}

/// The number of results.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetNumResults(attribute: MlirAttribute) -> isize {
    // SAFETY: promised by the caller.
    unsafe { ask(attribute, 0, |map| Some(count(map.map().results.len()))) }
}

/// The values of dimension `i`.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetDimInterval(
    attribute: MlirAttribute,
    i: isize,
) -> MapwrightInterval {
    // SAFETY: promised by the caller.
    unsafe {
        ask(attribute, NO_VALUE, |map| {
            let dim = map.map().dims.get(usize::try_from(i).ok()?)?;
            Some(dim.interval.into())
        })
    }
}

/// The values of symbol `i`: range variables, then runtime variables.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetSymbolInterval(
    attribute: MlirAttribute,
    i: isize,
) -> MapwrightInterval {
    // SAFETY: promised by the caller.
    unsafe {
        ask(attribute, NO_VALUE, |map| {
            Some(map.symbol_interval(usize::try_from(i).ok()?)?.into())
        })
    }
}

/// The own name of dimension `i`.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetDimName(
    attribute: MlirAttribute,
    i: isize,
) -> MlirStringRef {
    // SAFETY: promised by the caller.
    unsafe {
        ask(attribute, NO_TEXT, |map| {
            let dim = map.map().dims.get(usize::try_from(i).ok()?)?;
            Some(kept(map, &dim.name))
        })
    }
}

/// The own name of symbol `i`.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetSymbolName(
    attribute: MlirAttribute,
    i: isize,
) -> MlirStringRef {
    // SAFETY: promised by the caller.
    unsafe {
        ask(attribute, NO_TEXT, |map| {
            Some(kept(map, map.symbol_name(usize::try_from(i).ok()?)?))
        })
    }
}

/// The number of constraints.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetNumConstraints(attribute: MlirAttribute) -> isize {
    // SAFETY: promised by the caller.
    unsafe { ask(attribute, 0, |map| Some(count(map.map().constraints.len()))) }
}

/// The expression of constraint `i`; null if it is not affine.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetConstraint(
    attribute: MlirAttribute,
    i: isize,
) -> MlirAffineExpr {
    let none = MlirAffineExpr { ptr: null() };
    // SAFETY: promised by the caller.
    unsafe {
        ask(attribute, none, |map| {
            let (expr, _) = map.constraint(usize::try_from(i).ok()?)?;
            Some(expr?.to_raw())
        })
    }
}

/// The values that the expression of constraint `i` may take.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrGetConstraintInterval(
    attribute: MlirAttribute,
    i: isize,
) -> MapwrightInterval {
    // SAFETY: promised by the caller.
    unsafe {
        ask(attribute, NO_VALUE, |map| {
            let (_, interval) = map.constraint(usize::try_from(i).ok()?)?;
            Some(interval.into())
        })
    }
}

/// The map, simplified.
///
/// # Safety
///
/// The attribute is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapAttrSimplify(attribute: MlirAttribute) -> MlirAttribute {
    // SAFETY: promised by the caller.
    unsafe {
        ask(attribute, NO_ATTRIBUTE, |map| {
            let location = Loc::unknown(outlive(map.attribute().context()));
            Some(
                MapAttribute::new(location, &map.map().simplify())?
                    .attribute()
                    .to_raw(),
            )
        })
    }
}
