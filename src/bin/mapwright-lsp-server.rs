//! `mlir-lsp-server` with Mapwright's dialects.

use std::process::ExitCode;

fn main() -> ExitCode {
    mapwright::register();
    mapwright::exit_code(mapwright::mlir::drivers::lsp_server_main(
        std::env::args_os(),
    ))
}
