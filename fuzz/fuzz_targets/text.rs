//! Any text: what parses and verifies is printed, read again, and printed the same; legalised,
//! simplified and folded it still verifies.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mapwright_mlir::{Op, diagnostic::Diagnostics};
use mapwright_normalize::{canonical, chlo, fold};

fuzz_target!(|text: &str| {
    mapwright_fuzz::with_context(|context| {
        let diagnostics = Diagnostics::to_text(context);
        let Ok(module) = diagnostics.parse("fuzz.mlir", text.as_bytes()) else {
            assert!(diagnostics.errors() > 0, "rejected without an error");
            return;
        };
        let op = Op::new(module.as_operation());
        let printed = op.to_string();
        let again = diagnostics
            .parse("again.mlir", printed.as_bytes())
            .unwrap_or_else(|_| panic!("{}\n{printed}", diagnostics.take()));
        assert_eq!(Op::new(again.as_operation()).to_string(), printed);
        // Not every operation can be legalised; those that cannot stay as they are.
        let _ = chlo::legalize(op, &[]);
        canonical::canonicalize(op);
        fold::fold(op, 1024);
        assert!(op.verify(), "{}\n{printed}", diagnostics.take());
    });
});
