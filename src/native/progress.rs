//! How far a compilation is, for a program that shows it.

use std::sync::OnceLock;

/// A step of a compilation, which begins.
#[derive(Clone, Copy, Debug)]
pub struct Step<'s> {
    /// The stage, by the name that [`crate::pipeline::Stages`] has for it.
    pub stage: &'s str,
    /// The parts that are done, and all of them, where the stage has parts.
    pub parts: Option<(usize, usize)>,
    /// The first function of the part.
    pub function: &'s str,
}

type Watcher = Box<dyn Fn(Step<'_>) + Send + Sync>;

static WATCHER: OnceLock<Watcher> = OnceLock::new();

/// Calls `watcher` at each step of every compilation of this process, on whichever thread it is.
/// There is one watcher: it stays when another one is given.
pub fn watch(watcher: impl Fn(Step<'_>) + Send + Sync + 'static) {
    WATCHER.get_or_init(|| Box::new(watcher));
}

/// Begins LLVM's work on a part; `parts` are those that are done, and all of them.
pub(crate) fn part(parts: (usize, usize), function: &str) {
    begin(Step {
        stage: "optimise",
        parts: Some(parts),
        function,
    });
}

pub(crate) fn begin(step: Step<'_>) {
    if let Some(watcher) = WATCHER.get() {
        watcher(step);
    }
}
