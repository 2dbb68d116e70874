//! Compiling a module to a file.

use super::{attempt, execute::failed, module::MapwrightModule, take, there};
use mapwright_mlir::Op;
use mapwright_native::{
    CompileOptions,
    artifact::{self, Format},
    identifier,
};
use std::{ffi::c_char, fs, path::Path};

/// Writes an object file of all public functions, and its header if `header` is not null.
///
/// # Safety
///
/// `module` is valid, `object` null-terminated, `header` null or null-terminated, `error` null or a
/// place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightModuleWriteObject(
    module: *const MapwrightModule,
    object: *const c_char,
    header: *const c_char,
    error: *mut *mut c_char,
) -> bool {
    // SAFETY: promised by the caller.
    let written = unsafe {
        attempt(error, || {
            let module = there(module, "module")?;
            let object = Path::new(take(object, "object")?);
            let header = if header.is_null() {
                None
            } else {
                Some(Path::new(take(header, "header")?))
            };
            let stem = object.file_stem().unwrap_or_default().to_string_lossy();
            let root = Op::new(module.module().as_operation());
            let options = CompileOptions {
                entries: crate::command::input::public_functions(root),
                prefix: identifier(&stem),
                ..CompileOptions::default()
            };
            let made = artifact::compile(root, &options, Format::Object)
                .map_err(|error| failed(&error, module))?;
            write(object, &made.bytes)?;
            header.map_or(Ok(()), |header| write(header, made.header.as_bytes()))?;
            Ok(())
        })
    };
    written.is_some()
}

/// Writes a file that has its name when it is whole. The command's files are removed when it is
/// interrupted as well, but the signals of this process are its owner's.
fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    fs::write(&temporary, bytes)
        .and_then(|()| fs::rename(&temporary, path))
        .inspect_err(|_| drop(fs::remove_file(&temporary)))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}
