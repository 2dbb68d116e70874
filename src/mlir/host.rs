//! Which LLVM and MLIR does the process use that this library was loaded into?
//!
//! Two versions in one process have two registries, two sets of type ids and two layouts of every
//! class; a call across ends in memory errors. So a plugin asks first, by means that touch neither.

use crate::context::LLVM_VERSION;
use std::{
    ffi::{CStr, c_int, c_uint, c_void},
    path::Path,
};

/// An error is the sentence that says which version the host has, and which one this library needs.
pub fn check() -> Result<(), String> {
    let found = Host::look();
    found.check(LLVM_VERSION).map_err(|other| {
        format!(
            "mapwright is built for LLVM/MLIR {LLVM_VERSION}, but the host {} uses {other}; nothing is registered",
            found.program
        )
    })
}

/// Traits of the host that can be seen from outside of MLIR.
#[derive(Debug, Default)]
struct Host {
    program: String,
    /// File names of the shared objects in the process, in load order.
    objects: Vec<String>,
    /// Version that `LLVMGetVersion` of the program or of the libraries it was linked with gives.
    version: Option<(u32, u32, u32)>,
    /// Path of the object among those that defines MLIR's pass registry.
    registry: Option<String>,
}

impl Host {
    /// An error is the other version, in words.
    fn check(&self, ours: &str) -> Result<(), String> {
        let ours = release(ours);
        if let Some((major, minor, patch)) = self.version
            && format!("{major}.{minor}") != ours
        {
            return Err(format!("LLVM/MLIR {major}.{minor}.{patch}"));
        }
        for object in &self.objects {
            if let Some((name, version)) = library_version(object)
                && version != ours
            {
                return Err(format!("{name} {version}"));
            }
        }
        // The program brings its own MLIR, and exports it, but hides LLVM's version.
        if let Some(registry) = &self.registry
            && self.version.is_none()
            && library_version(registry).is_none()
        {
            return Err(format!("an MLIR of unknown version inside {registry}"));
        }
        Ok(())
    }

    fn look() -> Self {
        let mut host = Self {
            program: std::env::current_exe()
                .map(|path| path.display().to_string())
                .unwrap_or("program".into()),
            ..Self::default()
        };
        // SAFETY: the callback gets the vector it expects and does not unwind. A null name opens
        // the program itself: its symbols and those of the libraries it was linked with, not ours.
        // `LLVMGetVersion` has had this signature since it exists.
        unsafe {
            libc::dl_iterate_phdr(Some(collect), (&raw mut host.objects).cast::<c_void>());
            let program = libc::dlopen(std::ptr::null(), libc::RTLD_LAZY);
            if program.is_null() {
                return host;
            }
            let version = libc::dlsym(program, c"LLVMGetVersion".as_ptr());
            if !version.is_null() {
                let version: unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint) =
                    std::mem::transmute(version);
                let (mut major, mut minor, mut patch) = (0, 0, 0);
                version(&mut major, &mut minor, &mut patch);
                host.version = Some((major, minor, patch));
            }
            let registry = libc::dlsym(program, REGISTER_PASS.as_ptr());
            if !registry.is_null() {
                let mut info: libc::Dl_info = std::mem::zeroed();
                if libc::dladdr(registry, &mut info) != 0 && !info.dli_fname.is_null() {
                    host.registry = Some(
                        CStr::from_ptr(info.dli_fname)
                            .to_string_lossy()
                            .into_owned(),
                    );
                }
            }
        }
        host
    }
}

/// `mlir::registerPass(const std::function<std::unique_ptr<mlir::Pass>()> &)`.
const REGISTER_PASS: &CStr =
    c"_ZN4mlir12registerPassERKSt8functionIFSt10unique_ptrINS_4PassESt14default_deleteIS2_EEvEE";

/// # Safety
///
/// `data` points to a `Vec<String>` that nothing else refers to.
unsafe extern "C" fn collect(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    data: *mut c_void,
) -> c_int {
    // SAFETY: the dynamic linker passes a valid description; `data` is promised by the caller.
    unsafe {
        if !(*info).dlpi_name.is_null() {
            let name = CStr::from_ptr((*info).dlpi_name)
                .to_string_lossy()
                .into_owned();
            (*data.cast::<Vec<String>>()).push(name);
        }
    }
    0
}

/// `22.1` of `22.1.8`.
fn release(version: &str) -> String {
    version.splitn(3, '.').take(2).collect::<Vec<_>>().join(".")
}

/// Name and version of `libLLVM.so.22.1`, `libLLVM-22.so` or `libMLIR.so.22.1`; a version without a
/// minor number is that of the major number's only release series.
fn library_version(path: &str) -> Option<(&'static str, String)> {
    let name = Path::new(path).file_name()?.to_str()?;
    for (library, shown) in [("libLLVM", "LLVM"), ("libMLIR", "MLIR")] {
        let version = name.strip_prefix(library).and_then(|rest| {
            rest.strip_prefix(".so.")
                .or_else(|| rest.strip_prefix('-')?.split(".so").next())
        });
        if let Some(version) = version
            && version.starts_with(|first: char| first.is_ascii_digit())
        {
            return Some((shown, release(version)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(objects: &[&str], version: Option<(u32, u32, u32)>, registry: Option<&str>) -> Host {
        Host {
            program: "host".into(),
            objects: objects.iter().map(|object| (*object).into()).collect(),
            version,
            registry: registry.map(Into::into),
        }
    }

    #[test]
    fn the_same_version_is_accepted() {
        let objects = [
            "/usr/lib/libMLIR.so.22.1",
            "/lib/libLLVM.so.22.1",
            "libc.so.6",
        ];
        let host = host(&objects, Some((22, 1, 3)), Some(objects[0]));
        assert_eq!(host.check("22.1.8"), Ok(()));
    }

    #[test]
    fn a_host_without_llvm_is_accepted() {
        assert_eq!(host(&["libc.so.6"], None, None).check("22.1.8"), Ok(()));
    }

    #[test]
    fn another_version_of_the_host_is_named() {
        let found = host(&["libLLVM.so.22.1"], Some((23, 0, 1)), None).check("22.1.8");
        assert_eq!(found, Err("LLVM/MLIR 23.0.1".into()));
    }

    #[test]
    fn another_library_in_the_process_is_named() {
        let found = host(&["libLLVM.so.22.1", "/x/libMLIR.so.19.1"], None, None).check("22.1.8");
        assert_eq!(found, Err("MLIR 19.1".into()));
        let found = host(&["/x/libLLVM-15.so.1"], None, None).check("22.1.8");
        assert_eq!(found, Err("LLVM 15".into()));
    }

    #[test]
    fn a_host_with_mlir_inside_is_refused() {
        let found = host(&[], None, Some("/opt/tool")).check("22.1.8");
        assert_eq!(
            found,
            Err("an MLIR of unknown version inside /opt/tool".into())
        );
    }

    #[test]
    fn this_process_is_accepted() {
        assert_eq!(check(), Ok(()));
    }
}
