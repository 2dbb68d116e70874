//! Small conversions between raw C API values and Rust.

use mlir_sys as sys;

/// Copies a string reference; invalid UTF-8 is replaced.
///
/// # Safety
///
/// `text` must refer to `length` readable bytes.
pub(crate) unsafe fn string(text: sys::MlirStringRef) -> String {
    if text.length == 0 {
        return String::new();
    }
    // SAFETY: promised by the caller.
    let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// A reference to `text` (or bytes) that lives as long as `text`.
pub(crate) fn string_ref(text: &(impl AsRef<[u8]> + ?Sized)) -> sys::MlirStringRef {
    let text = text.as_ref();
    sys::MlirStringRef {
        data: text.as_ptr().cast(),
        length: text.len(),
    }
}
