//! Maps as text.

use super::{attempt_text, take};
use mapwright_indexing::{IndexingMap, compose};
use std::ffi::c_char;

fn parse(text: &str) -> Result<IndexingMap, String> {
    text.parse::<IndexingMap>()
        .map_err(|error| error.to_string())
}

/// Simplifies a map.
///
/// # Safety
///
/// `map` is null-terminated, `error` null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapSimplify(
    map: *const c_char,
    error: *mut *mut c_char,
) -> *mut c_char {
    // SAFETY: promised by the caller.
    unsafe {
        attempt_text(error, || {
            Ok(parse(take(map, "map")?)?.simplify().to_string())
        })
    }
}

/// First `consumer`, then `producer` on its results; simplified.
///
/// # Safety
///
/// Both maps are null-terminated, `error` null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightMapCompose(
    consumer: *const c_char,
    producer: *const c_char,
    error: *mut *mut c_char,
) -> *mut c_char {
    // SAFETY: promised by the caller.
    unsafe {
        attempt_text(error, || {
            let consumer = parse(take(consumer, "consumer")?)?;
            let producer = parse(take(producer, "producer")?)?;
            let composed = compose(&consumer, &producer);
            match composed.unknown_reason() {
                // What was known before was not put together.
                Some(reason) if consumer.is_known() && producer.is_known() => Err(reason.into()),
                _ => Ok(composed.simplify().to_string()),
            }
        })
    }
}
