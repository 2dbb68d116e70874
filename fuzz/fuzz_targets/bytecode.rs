//! Any bytes, also such as begin like bytecode: read, or rejected with an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mapwright_mlir::{Op, diagnostic::Diagnostics, melior::ir::operation::OperationLike};

fuzz_target!(|bytes: &[u8]| {
    mapwright_fuzz::with_context(|context| {
        let diagnostics = Diagnostics::to_text(context);
        match diagnostics.parse("fuzz.bc", bytes) {
            Err(_) => assert!(diagnostics.errors() > 0, "rejected without an error"),
            Ok(module) => {
                let op = Op::new(module.as_operation());
                assert!(op.verify(), "{}", diagnostics.take());
                let printed = op.to_string();
                let again = diagnostics
                    .parse("again.bc", &module.as_operation().write_bytecode())
                    .unwrap_or_else(|_| panic!("{}\n{printed}", diagnostics.take()));
                assert_eq!(Op::new(again.as_operation()).to_string(), printed);
            }
        }
    });
});
