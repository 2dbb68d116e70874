//! `mlir-opt` with Mapwright's dialects and passes; every flag is upstream's.

use std::{env, process::ExitCode, thread};

fn main() -> ExitCode {
    mapwright::register();
    // Parsers recurse as deep as the input is nested; the memory is only taken when it is used.
    let worker = thread::Builder::new()
        .name("mapwright-opt".into())
        .stack_size(1 << 30)
        .spawn(|| mapwright::mlir::drivers::opt_main(env::args_os()));
    match worker.map(thread::JoinHandle::join) {
        Ok(Ok(code)) => mapwright::exit_code(code),
        // No thread could be made, or it panicked and said where.
        Ok(Err(_)) | Err(_) => ExitCode::FAILURE,
    }
}
