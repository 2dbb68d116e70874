//! Mapwright: indexing maps of StableHLO programs, and what follows from them.
//!
//! The crate puts the parts together and gives them their faces: [`passes`] for pipelines,
//! [`plugin`] for a stock `mlir-opt`, the C API in `include/mapwright-c`, [`command`] for the
//! command line, [`tarray`] for programs of tensor arrays built from Rust, [`affine`] for
//! upstream's affine maps, and the programs `mapwright`, `mapwright-opt` and
//! `mapwright-lsp-server`. The parts themselves are re-exported: [`indexing`] (maps), [`ops`] (what
//! operations mean), [`analysis`] (what follows from maps), [`sharding`] (layouts over devices),
//! [`mlir`] (contexts, sources, diagnostics, passes), [`native`] (machine code).

pub mod capi;
pub mod command;
pub mod lsp;
pub mod passes;
pub mod plugin;
pub mod tarray;

pub use mapwright_analysis as analysis;
pub use mapwright_fusion as fusion;
pub use mapwright_indexing as indexing;
pub use mapwright_mlir as mlir;
pub use mapwright_native as native;
pub use mapwright_ops as ops;
pub use mapwright_ops::affine;
pub use mapwright_sharding as sharding;

/// An exit code as `main` returns it; anything that does not fit is 1.
pub fn exit_code(code: i32) -> std::process::ExitCode {
    u8::try_from(code).unwrap_or(1).into()
}

/// Makes this process know our passes and pipelines, and gives the dialects their verifiers. Comes
/// before the first program is read; may be called more than once.
pub fn register() {
    ops::hooks::install();
    mapwright_codegen::linalg::tiling::install_hooks();
    passes::register_all();
}

/// Calls `work` on a thread with room for input that is nested as deeply as [`mlir::nesting`]
/// allows: parsers and walks recurse as deep as it is. The memory is only taken when it is used.
///
/// # Errors
///
/// The thread cannot be made, or `work` panicked; the panic hook has said where.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    let stack = mlir::nesting::stack().max(1 << 30);
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("mapwright".into())
            .stack_size(stack)
            .spawn_scoped(scope, work)
            .map_err(|error| {
                let bytes = format!("cannot start a thread with a stack of {stack} bytes");
                format!(
                    "{bytes}, for sources of {} levels: {error}",
                    mlir::nesting::deepest()
                )
            })?
            .join()
            .map_err(|_| "internal error; the input may be fine".to_owned())
    })
}

/// The whole of a program around one of upstream's drivers.
pub fn driver(main: impl FnOnce() -> i32 + Send) -> std::process::ExitCode {
    register();
    on_large_stack(main).map_or_else(
        |message| {
            eprintln!("error: {message}");
            std::process::ExitCode::FAILURE
        },
        exit_code,
    )
}
