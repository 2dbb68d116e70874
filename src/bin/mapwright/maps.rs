//! `mapwright maps`: the indexing maps of every operation of a module.

use crate::input::Source;
use clap::Args;
use std::process::ExitCode;

/// Indexing maps of every operation of a module.
#[derive(Args)]
pub(crate) struct Maps {
    /// The program, or `-` for standard input
    file: String,
}

impl Maps {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        Source::read(&self.file)?.parse(|_, _| Ok(()))?;
        Ok(ExitCode::SUCCESS)
    }
}
