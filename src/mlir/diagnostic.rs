//! Diagnostics: making them, with notes, and printing them with the source line, as `mlir-opt`
//! does.

use crate::{artifact, raw, shim};
use melior::{
    Context,
    ir::{Location, Module},
};
use mlir_sys::{MlirLocation, MlirStringRef};
use std::ffi::c_void;

/// Something failed and its diagnostics have been emitted.
///
/// Only emitting an error makes one ([`Message::emit`], [`Failure::at`]), so a caller has nothing
/// left to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure(());

impl Failure {
    /// Emits an error and returns the fact.
    pub fn at(location: Location<'_>, message: &str) -> Self {
        Message::error(location, message).emit()
    }

    /// For failures of upstream functions, which emit their diagnostics themselves.
    pub fn reported() -> Self {
        Self(())
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("failed; the diagnostics above say why")
    }
}

impl std::error::Error for Failure {}

/// Severity of a diagnostic; the numbers are those of `MlirDiagnosticSeverity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The input is wrong; the command or pass fails.
    Error = 0,
    /// The input is accepted.
    Warning = 1,
    /// Information that was asked for.
    Remark = 3,
}

/// A diagnostic that is being put together.
#[derive(Debug)]
#[must_use = "a message does nothing until it is emitted"]
pub struct Message<'c> {
    location: Location<'c>,
    severity: Severity,
    text: String,
    notes: Vec<(Option<Location<'c>>, String)>,
}

impl<'c> Message<'c> {
    /// A diagnostic of any severity.
    pub fn new(severity: Severity, location: Location<'c>, text: impl Into<String>) -> Self {
        Self {
            location,
            severity,
            text: text.into(),
            notes: Vec::new(),
        }
    }

    /// An error.
    pub fn error(location: Location<'c>, text: impl Into<String>) -> Self {
        Self::new(Severity::Error, location, text)
    }

    /// Adds a note, at its own place or at the diagnostic's.
    pub fn note(mut self, location: Option<Location<'c>>, text: impl Into<String>) -> Self {
        self.notes.push((location, text.into()));
        self
    }

    /// Hands the diagnostic to the context.
    pub fn emit(self) -> Failure {
        let locations: Vec<MlirLocation> = self
            .notes
            .iter()
            .map(|(location, _)| {
                location.map_or(
                    MlirLocation {
                        ptr: std::ptr::null(),
                    },
                    |location| location.to_raw(),
                )
            })
            .collect();
        let notes: Vec<MlirStringRef> = self
            .notes
            .iter()
            .map(|(_, text)| raw::string_ref(text))
            .collect();
        // SAFETY: the locations belong to a live context; both arrays have `notes.len()` elements
        // and outlive the call.
        unsafe {
            shim::mapwrightDiagnosticEmit(
                self.location.to_raw(),
                self.severity as i32,
                raw::string_ref(&self.text),
                notes.len() as isize,
                locations.as_ptr(),
                notes.as_ptr(),
            );
        }
        Failure(())
    }
}

/// While it lives, every diagnostic of a context is printed as `file:line:col: error: …` with the
/// source line and its notes.
///
/// Also holds the sources that it quotes from.
#[derive(Debug)]
pub struct Diagnostics<'c> {
    raw: *mut shim::Diagnostics,
    context: &'c Context,
}

impl<'c> Diagnostics<'c> {
    /// Prints to standard error.
    pub fn to_stderr(context: &'c Context) -> Self {
        Self::new(context, true)
    }

    /// Keeps the text until [`Self::take`] is called.
    pub fn to_text(context: &'c Context) -> Self {
        Self::new(context, false)
    }

    fn new(context: &'c Context, to_stderr: bool) -> Self {
        Self {
            // SAFETY: the context outlives `'c`, and the handler is removed on drop.
            raw: unsafe { shim::mapwrightDiagnosticsCreate(context.to_raw(), to_stderr) },
            context,
        }
    }

    /// Parses and verifies a module from text, bytecode or a portable artifact. `name` is what
    /// diagnostics call the source. A text that is not one module is put into one, as `mlir-opt`
    /// does it.
    pub fn parse(&self, name: &str, source: &[u8]) -> Result<Module<'c>, Failure> {
        if artifact::is_artifact(source) {
            return artifact::read(self.context, name, source);
        }
        // SAFETY: the strings live through the call, which copies the source; a null module is a
        // failure.
        unsafe {
            Module::from_option_raw(shim::mapwrightSourceParse(
                self.raw,
                raw::string_ref(name),
                raw::string_ref(source),
            ))
        }
        .ok_or(Failure(()))
    }

    /// Text of the diagnostics since the last call; empty for standard error.
    pub fn take(&self) -> String {
        let mut text = String::new();
        // SAFETY: `append` gets the `String` it expects, which is borrowed by nothing else during
        // the call.
        unsafe {
            shim::mapwrightDiagnosticsTake(
                self.raw,
                shim::append,
                (&raw mut text).cast::<c_void>(),
            );
        }
        text
    }

    /// Number of errors so far.
    pub fn errors(&self) -> usize {
        // SAFETY: the handle is valid until drop.
        unsafe { shim::mapwrightDiagnosticsErrorCount(self.raw) as usize }
    }
}

impl Drop for Diagnostics<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `new`, destroyed once.
        unsafe { shim::mapwrightDiagnosticsDestroy(self.raw) }
    }
}

/// A location on one line: `f.mlir:4:8` where it is a place in a file, MLIR's own text for other
/// locations. Of a location with a name, as JAX writes them, it is that place; of a place in a
/// function that was called, the place in the function; of several, the first.
pub fn location_text(location: Location<'_>) -> String {
    let mut raw = location.to_raw();
    // SAFETY: the location is valid; each accessor is called only on its own kind of location.
    unsafe {
        loop {
            if mlir_sys::mlirLocationIsAName(raw) {
                raw = mlir_sys::mlirLocationNameGetChildLoc(raw);
            } else if mlir_sys::mlirLocationIsACallSite(raw) {
                raw = mlir_sys::mlirLocationCallSiteGetCallee(raw);
            } else if mlir_sys::mlirLocationIsAFused(raw)
                && mlir_sys::mlirLocationFusedGetNumLocations(raw) > 0
            {
                let count = mlir_sys::mlirLocationFusedGetNumLocations(raw) as usize;
                let mut all = vec![raw; count];
                mlir_sys::mlirLocationFusedGetLocations(raw, all.as_mut_ptr());
                raw = all[0];
            } else {
                break;
            }
        }
        if mlir_sys::mlirLocationIsAFileLineColRange(raw) {
            let file = mlir_sys::mlirLocationFileLineColRangeGetFilename(raw);
            return format!(
                "{}:{}:{}",
                raw::string(mlir_sys::mlirIdentifierStr(file)),
                mlir_sys::mlirLocationFileLineColRangeGetStartLine(raw),
                mlir_sys::mlirLocationFileLineColRangeGetStartColumn(raw),
            );
        }
    }
    location.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context;
    use melior::ir::{BlockLike, operation::OperationLike};

    #[test]
    fn a_syntax_error_is_printed_with_its_line() {
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        assert!(
            diagnostics
                .parse("f.mlir", b"module {\n  bogus.op\n}")
                .is_err()
        );
        let text = diagnostics.take();
        assert!(text.starts_with("f.mlir:2:3: error: "), "{text}");
        assert!(text.contains("\n  bogus.op\n  ^\n"), "{text}");
        assert_eq!(diagnostics.errors(), 1);
        assert_eq!(diagnostics.take(), "");
    }

    #[test]
    fn notes_follow_their_diagnostic() {
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let module = diagnostics
            .parse(
                "f.mlir",
                b"func.func private @f()\nfunc.func private @g()\n",
            )
            .unwrap();
        let f = module.body().first_operation().unwrap();
        let g = f.next_in_block().unwrap();
        let _: Failure = Message::error(g.location(), "second")
            .note(Some(f.location()), "first")
            .emit();
        let text = diagnostics.take();
        assert!(text.starts_with("f.mlir:2:1: error: second\n"), "{text}");
        assert!(text.contains("f.mlir:1:1: note: first\n"), "{text}");
        assert_eq!(diagnostics.errors(), 1);
    }

    #[test]
    fn locations_are_one_line() {
        let context = context();
        let place = Location::new(&context, "f.mlir", 4, 8);
        assert_eq!(location_text(place), "f.mlir:4:8");
        assert_eq!(
            location_text(Location::name(&context, "add", place)),
            "f.mlir:4:8"
        );
        assert_eq!(location_text(Location::unknown(&context)), "loc(unknown)");
        let caller = Location::new(&context, "f.py", 20, 1);
        let called = Location::name(&context, "layer", Location::call_site(place, caller));
        assert_eq!(location_text(called), "f.mlir:4:8");
        let unit = melior::ir::Attribute::unit(&context);
        let fused = Location::fused(&context, &[called, caller], unit);
        assert_eq!(location_text(fused), "f.mlir:4:8");
    }

    #[test]
    fn other_severities_are_no_errors() {
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        for severity in [Severity::Warning, Severity::Remark] {
            let _: Failure = Message::new(severity, Location::unknown(&context), "text").emit();
        }
        assert_eq!(diagnostics.errors(), 0);
        let text = diagnostics.take();
        assert!(
            text.contains("warning: text") && text.contains("remark: text"),
            "{text}"
        );
    }

    #[test]
    fn bytecode_is_a_source_too() {
        let context = context();
        let bytes = Module::parse(&context, "func.func private @f()")
            .unwrap()
            .as_operation()
            .write_bytecode();
        let diagnostics = Diagnostics::to_text(&context);
        assert!(diagnostics.parse("f.mlirbc", &bytes).is_ok());
        assert!(diagnostics.parse("short.mlirbc", &bytes[..20]).is_err());
        assert_ne!(diagnostics.take(), "");
    }
}
