//! Says on standard error what a long job is doing, when that is a terminal.

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

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
