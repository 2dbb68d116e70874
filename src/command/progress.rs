//! Says on standard error what a long job is doing, when that is a terminal.

use crate::native::progress::{Step, watch};
use indicatif::{ProgressBar, ProgressStyle};
use std::{io::IsTerminal, time::Duration};

/// A line with a spinner and the current stage; gone when it is dropped.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Starts with the first stage.
    pub(crate) fn new(stage: &str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        let shown = bar.clone();
        watch(move |step| shown.set_message(said(&step)));
        let progress = Self(Some(bar));
        progress.stage(stage);
        progress
    }

    /// Goes on to the next stage.
    pub(crate) fn stage(&self, stage: &str) {
        if let Some(bar) = &self.0 {
            bar.set_message(stage.to_owned());
        }
    }
}

/// A step of a compilation in words, with the share that is done.
fn said(step: &Step<'_>) -> String {
    match step.parts {
        Some((done, all)) if all > 0 => {
            let share = done * 100 / all;
            let (number, name) = (done + 1, step.function);
            format!("compiling: {share} %, part {number} of {all}, {name}")
        }
        _ => format!("compiling: {}", step.stage),
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
