//! Any bytes, also such as begin like bytecode: read, or rejected with an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mapwright_mlir::{context::context, diagnostic::Diagnostics};

fuzz_target!(|bytes: &[u8]| {
    mapwright_ops::hooks::install();
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    if diagnostics.parse("fuzz.bc", bytes).is_err() {
        assert!(diagnostics.errors() > 0, "rejected without an error");
    }
});
