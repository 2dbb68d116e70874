//! LLVM's descriptions of machines, by their names.

use inkwell::{
    OptimizationLevel,
    targets::{CodeModel, RelocMode, Target, TargetMachine, TargetTriple},
};
use mapwright_mlir::codegen::check_machine;

/// The machine of a triple, a CPU and features. LLVM itself writes to standard error about a CPU
/// that it does not know, and goes on, or ends the process.
///
/// # Errors
/// What LLVM does not know of it.
pub(crate) fn machine(triple: &str, cpu: &str, features: &str) -> Result<TargetMachine, String> {
    for text in [triple, cpu, features] {
        if text.contains('\0') {
            return Err(format!("{text:?} has a zero byte"));
        }
    }
    let name = TargetTriple::create(triple);
    let target = Target::from_triple(&name).map_err(|_| {
        let known = known_targets();
        format!("LLVM was built without a target for '{triple}'; it has {known}")
    })?;
    check_machine(triple, cpu, "")?;
    let level = OptimizationLevel::Default;
    target
        .create_target_machine(
            &name,
            cpu,
            features,
            level,
            RelocMode::PIC,
            CodeModel::Default,
        )
        .ok_or_else(|| format!("LLVM knows no machine {cpu} for {triple}"))
}

/// The targets that LLVM was built for.
fn known_targets() -> String {
    let all = std::iter::successors(Target::get_first(), Target::get_next);
    let mut names: Vec<String> = all
        .map(|target| target.get_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    names.join(", ")
}
