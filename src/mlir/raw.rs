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

/// The text of an identifier, which lives as long as the context.
///
/// # Safety
///
/// `identifier` must be one of a context that is not destroyed within `'c`.
pub(crate) unsafe fn identifier<'c>(identifier: sys::MlirIdentifier) -> &'c str {
    // SAFETY: promised by the caller; the text of an identifier is readable.
    let bytes = unsafe {
        let text = sys::mlirIdentifierStr(identifier);
        std::slice::from_raw_parts(text.data.cast::<u8>(), text.length)
    };
    std::str::from_utf8(bytes).unwrap_or("<invalid UTF-8>")
}

/// A reference to `text` (or bytes) that lives as long as `text`.
pub(crate) fn string_ref(text: &(impl AsRef<[u8]> + ?Sized)) -> sys::MlirStringRef {
    let text = text.as_ref();
    sys::MlirStringRef {
        data: text.as_ptr().cast(),
        length: text.len(),
    }
}

/// The bytes that a reference refers to.
///
/// # Safety
///
/// `text` must refer to `length` bytes that are readable as long as the reference is borrowed.
pub(crate) unsafe fn bytes(text: &sys::MlirStringRef) -> &[u8] {
    match text.length {
        0 => &[],
        // SAFETY: promised by the caller.
        length => unsafe { std::slice::from_raw_parts(text.data.cast(), length) },
    }
}
