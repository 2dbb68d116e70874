//! Nested arrays: from leaves and offsets to what a compiled function takes, and back.

use super::{
    attempt,
    execute::{MapwrightResults, MapwrightTensor, slice},
    there,
};
use mapwright_mlir::ElementType;
use mapwright_native::{Ragged, Tensor};
use std::{ffi::c_char, ptr};

/// A nested array of the caller's.
#[repr(C)]
pub struct MapwrightRaggedTensor {
    values: MapwrightTensor,
    levels: usize,
    offsets: *const *const i64,
    counts: *const usize,
}

/// The element type that a text spells, of those that a program of tensors takes.
fn element(text: &str) -> Result<ElementType, String> {
    let context = mapwright_mlir::context::context();
    let ty = mapwright_mlir::melior::ir::Type::parse(&context, text);
    ty.map(ElementType::from_mlir)
        .ok_or_else(|| format!("'{text}' is no element type"))
}

/// The tensors that a compiled function takes for an array whose levels have the maxima `max`.
///
/// # Safety
///
/// `array` is valid: its tensor, and `levels` vectors of offsets of `counts` elements each; `max`
/// has `levels` numbers; `error` is null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightRaggedPack(
    array: *const MapwrightRaggedTensor,
    max: *const i64,
    error: *mut *mut c_char,
) -> *mut MapwrightResults {
    // SAFETY: promised by the caller.
    unsafe {
        attempt(error, || {
            let array = there(array, "array")?;
            let values = array.values.read(&element(array.values.element()?)?)?;
            let vectors = slice(array.offsets, array.levels);
            let counts = slice(array.counts, array.levels);
            let offsets = vectors.iter().zip(counts);
            let offsets = offsets
                .map(|(first, count)| slice(*first, *count).to_vec())
                .collect();
            let ragged = Ragged::new(values, offsets).map_err(|error| error.to_string())?;
            let parts = ragged.pack(slice(max, array.levels));
            let parts = parts.map_err(|error| error.to_string())?;
            Ok(Box::new(MapwrightResults::new(parts)))
        })
    }
    .map_or(ptr::null_mut(), Box::into_raw)
}

/// Gives the elements of an array that a compiled function gave as `count` tensors: its leaves, and
/// the offsets of each level.
///
/// # Safety
///
/// `parts` has `count` valid tensors; `error` is null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightRaggedUnpack(
    parts: *const MapwrightTensor,
    count: usize,
    error: *mut *mut c_char,
) -> *mut MapwrightResults {
    // SAFETY: promised by the caller.
    unsafe {
        attempt(error, || {
            let parts = slice(parts, count)
                .iter()
                .map(|part| part.read(&element(part.element()?)?))
                .collect::<Result<Vec<Tensor>, String>>()?;
            let ragged = Ragged::unpack(parts).map_err(|error| error.to_string())?;
            let (values, offsets) = ragged.into_parts();
            let mut tensors = vec![values];
            for own in offsets {
                let own = mapwright_native::ragged::vector(&own);
                tensors.push(own.map_err(|error| error.to_string())?);
            }
            Ok(Box::new(MapwrightResults::new(tensors)))
        })
    }
    .map_or(ptr::null_mut(), Box::into_raw)
}
