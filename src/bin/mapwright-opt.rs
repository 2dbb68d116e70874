//! `mlir-opt` with Mapwright's dialects and passes; every flag is upstream's.

use std::process::ExitCode;

fn main() -> ExitCode {
    mapwright::driver(|| mapwright::mlir::drivers::opt_main(std::env::args_os()))
}
