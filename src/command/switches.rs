//! What can be switched off by name.

use mapwright_codegen::{FAST_PATHS, emitters};

/// The name of a rewriting, a part of the plan of regions, a fast path or an emitter.
///
/// # Errors
/// Another name.
pub(crate) fn known(name: &str) -> Result<String, String> {
    let known = FAST_PATHS.iter().map(|path| path.name);
    let known = known.chain(emitters().into_iter().map(|emitter| emitter.name()));
    let known: Vec<&str> = known.collect();
    if known.contains(&name) {
        Ok(name.to_owned())
    } else {
        Err(format!("what can be switched off are {}", known.join(", ")))
    }
}
