//! `mlir-lsp-server` with Mapwright's dialects, and with their maps and documentation.

use std::process::ExitCode;

fn main() -> ExitCode {
    mapwright::lsp::main(std::env::args_os())
}
