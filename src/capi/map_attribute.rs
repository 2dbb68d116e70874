//! `#indexing.map` with upstream's types, for pipelines that are built with MLIR's own C or C++
//! API.

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

/// All integers from `lower` to `upper`; none if `lower > upper`. The ends of the type stand for
/// "this or beyond".
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

/// Answer about a variable that is not there.
const NO_VALUE: MapwrightInterval = MapwrightInterval {
    lower: 0,
    upper: -1,
};
const NO_TEXT: MlirStringRef = MlirStringRef {
    data: null(),
    length: 0,
};
const NO_ATTRIBUTE: MlirAttribute = MlirAttribute { ptr: null() };
const NO_MAP: MlirAffineMap = MlirAffineMap { ptr: null() };
const NO_EXPR: MlirAffineExpr = MlirAffineExpr { ptr: null() };

/// Asks the map of an attribute; `otherwise` for null, for attributes of other kinds, and after a
/// panic.
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
        // SAFETY: promised by the caller; nothing of the attribute outlives the call but what its
        // context owns.
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

/// Functions on a map, and on a map and a number: what they return for attributes of other kinds,
/// and of a map.
macro_rules! questions {
    ($($(#[$doc:meta])* $name:ident($map:ident $(, $i:ident)?) -> $type:ty = $otherwise:expr, $answer:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// The attribute is null or valid.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(attribute: MlirAttribute $(, $i: isize)?) -> $type {
            // SAFETY: promised by the caller.
            unsafe {
                ask(attribute, $otherwise, |$map| {
                    $(let $i = usize::try_from($i).ok()?;)?
                    $answer
                })
            }
        }
    )*};
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

questions! {
    /// True for `#indexing.map`.
    mapwrightAttributeIsAMap(_map) -> bool = false, Some(true);
    /// The canonical text.
    mapwrightMapAttrGetText(map) -> MlirStringRef = NO_TEXT, {
        Some(kept(map, &map_attribute_text(map.attribute())?))
    };
    /// The affine map; null if one cannot hold it.
    mapwrightMapAttrGetAffineMap(map) -> MlirAffineMap = NO_MAP, Some(map.affine_map()?.to_raw());
    /// The number of affine pieces; -1 if affine maps cannot hold it.
    mapwrightMapAttrGetNumPieces(map) -> isize = -1, Some(count(map.pieces()?.len()));
    /// Affine piece number `i`; null if there is none.
    mapwrightMapAttrGetPiece(map, i) -> MlirAttribute = NO_ATTRIBUTE, {
        Some(map.pieces()?.get(i)?.attribute().to_raw())
    };
    /// False for an over-approximation.
    mapwrightMapAttrIsExact(map) -> bool = false, Some(map.map().is_exact());
    /// True if no point is known to be in the domain.
    mapwrightMapAttrIsKnownEmpty(map) -> bool = false, Some(map.map().is_known_empty());
    /// Why nothing is known; empty for a map that is known.
    mapwrightMapAttrGetUnknownReason(map) -> MlirStringRef = NO_TEXT, {
        Some(kept(map, &map.map().unknown_reason()?))
    };
    /// The number of dimension variables.
    mapwrightMapAttrGetNumDims(map) -> isize = 0, Some(count(map.map().dims().len()));
    /// The number of range variables.
    mapwrightMapAttrGetNumRangeVariables(map) -> isize = 0, Some(count(map.map().ranges().len()));
    /// The number of runtime variables.
    mapwrightMapAttrGetNumRuntimeVariables(map) -> isize = 0, Some(count(map.map().runtime().len()));
    /// The number of results.
    mapwrightMapAttrGetNumResults(map) -> isize = 0, Some(count(map.map().results().len()));
    /// The values of dimension `i`.
    mapwrightMapAttrGetDimInterval(map, i) -> MapwrightInterval = NO_VALUE, {
        Some(map.map().dims().get(i)?.interval.into())
    };
    /// The values of symbol `i`: range variables, then runtime variables.
    mapwrightMapAttrGetSymbolInterval(map, i) -> MapwrightInterval = NO_VALUE, {
        Some(map.symbol_interval(i)?.into())
    };
    /// The own name of dimension `i`.
    mapwrightMapAttrGetDimName(map, i) -> MlirStringRef = NO_TEXT, {
        Some(kept(map, &map.map().dims().get(i)?.name))
    };
    /// The own name of symbol `i`.
    mapwrightMapAttrGetSymbolName(map, i) -> MlirStringRef = NO_TEXT, {
        Some(kept(map, map.symbol_name(i)?))
    };
    /// The number of constraints.
    mapwrightMapAttrGetNumConstraints(map) -> isize = 0, Some(count(map.map().constraints().len()));
    /// The expression of constraint `i`; null if it is not affine.
    mapwrightMapAttrGetConstraint(map, i) -> MlirAffineExpr = NO_EXPR, Some(map.constraint(i)?.0?.to_raw());
    /// The values that the expression of constraint `i` may take.
    mapwrightMapAttrGetConstraintInterval(map, i) -> MapwrightInterval = NO_VALUE, {
        Some(map.constraint(i)?.1.into())
    };
    /// The map, simplified.
    mapwrightMapAttrSimplify(map) -> MlirAttribute = NO_ATTRIBUTE, {
        let location = Loc::unknown(outlive(map.attribute().context()));
        Some(MapAttribute::new(location, &map.map().simplify())?.attribute().to_raw())
    };
}
