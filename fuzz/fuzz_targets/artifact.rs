//! Any bytes as a portable artifact: read, or rejected with an error; what is read is written, and
//! read again as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mapwright_mlir::{Op, artifact, diagnostic::Diagnostics};

fuzz_target!(|bytes: &[u8]| {
    mapwright_fuzz::with_context(|context| {
        let diagnostics = Diagnostics::to_text(context);
        let Ok(module) = artifact::read(context, "fuzz.mlirbc", bytes) else {
            assert!(diagnostics.errors() > 0, "rejected without an error");
            return;
        };
        let op = Op::new(module.as_operation());
        assert!(op.verify(), "{}", diagnostics.take());
        // Not every program has a form in artifacts.
        if let Ok(written) = artifact::write(op, artifact::Version::NEWEST) {
            let again = artifact::read(context, "again.mlirbc", &written)
                .unwrap_or_else(|_| panic!("{}\n{op}", diagnostics.take()));
            assert!(Op::new(again.as_operation()).verify());
        }
    });
});
