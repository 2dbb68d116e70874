//! The option `disable` of the passes from StableHLO to loops: what must not be used.

use mapwright_codegen::{FAST_PATHS, Stage, emitters};
use mapwright_mlir::pass::{OptionKind, PassContext, PassOption};

/// The option, with what there is to be switched off in the description.
pub(super) const fn option(description: &'static str) -> PassOption {
    PassOption {
        name: "disable",
        description,
        kind: OptionKind::Text(""),
    }
}

/// The names that are given.
pub(super) fn names(options: &PassContext<'_>) -> Vec<String> {
    let given = options.text("disable");
    let names = given.split(',').filter(|name| !name.is_empty());
    names.map(str::to_string).collect()
}

/// Checks that every name is one of a fast path of this stage. Emitters are at work in the last
/// one.
pub(super) fn check(options: &PassContext<'_>, stage: Stage) -> Result<(), String> {
    let of_stage = FAST_PATHS.iter().filter(|path| path.stage == stage);
    let mut known: Vec<&str> = of_stage.map(|path| path.name).collect();
    if stage == Stage::Lower {
        known.extend(emitters().iter().map(|emitter| emitter.name()));
    }
    match names(options)
        .iter()
        .find(|name| !known.contains(&name.as_str()))
    {
        Some(name) => Err(format!(
            "option disable: there is no '{name}' to switch off"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapwright_mlir::pass::Pass;

    /// Checks that the description of the option names everything that can be switched off.
    #[test]
    fn every_name_is_described() {
        let passes: [(Stage, &dyn Pass); 3] = [
            (Stage::Normalise, &super::super::normalize::Normalize),
            (Stage::Fuse, &super::super::fuse::Fuse),
            (Stage::Lower, &super::super::lower::Lower),
        ];
        for (stage, pass) in passes {
            let mut options = pass.options().iter();
            let option = options.find(|option| option.name == "disable");
            let words = option.map_or("", |option| option.description);
            let listed: Vec<&str> = words.split([' ', ',']).collect();
            for path in FAST_PATHS.iter().filter(|path| path.stage == stage) {
                assert!(listed.contains(&path.name), "'{}'", path.name);
            }
        }
    }
}
