//! `mlir-lsp-server` with Mapwright's dialects.

use std::process::ExitCode;

fn main() -> ExitCode {
    mapwright::driver(|| mapwright::mlir::drivers::lsp_server_main(std::env::args_os()))
}
