//! What the program says of itself: its version, completions of its command line, manual pages.

use super::{Arguments, output::Files, output::print};
use crate::{mlir::context::LLVM_VERSION, native::TargetOptions};
use anyhow::Context as _;
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use std::{fs, path::PathBuf, process::ExitCode};

/// The version with the commit that was built, LLVM, and the machine that code is made for.
pub(super) fn version() -> String {
    let mut text = env!("CARGO_PKG_VERSION").to_owned();
    if !env!("MAPWRIGHT_COMMIT").is_empty() {
        text.push_str(concat!(" (commit ", env!("MAPWRIGHT_COMMIT"), ")"));
    }
    text.push_str(&format!("\nLLVM {LLVM_VERSION}"));
    if let Ok(target) = TargetOptions::new("", "native", "") {
        text.push_str(&format!("\ntarget {}", target.module[0].1));
        for (name, value) in target.attributes {
            // Of features, those that the processor has.
            let words = value.split(',').filter(|word| !word.starts_with('-'));
            let words: Vec<&str> = words.collect();
            text.push_str(&format!("\n{name} {}", words.join(",")));
        }
    }
    text
}

/// Prints what a shell completes command lines by.
///
/// Example: `mapwright completions bash > ~/.local/share/bash-completion/completions/mapwright`
#[derive(Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let mut text = Vec::new();
        generate(
            self.shell,
            &mut Arguments::command(),
            "mapwright",
            &mut text,
        );
        print(&String::from_utf8_lossy(&text))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes a manual page for the program and one for each of its commands, for installations.
#[derive(Args)]
pub(super) struct Manual {
    /// The folder, which is made
    folder: PathBuf,
}

impl Manual {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let cannot = || format!("cannot make {}", self.folder.display());
        fs::create_dir_all(&self.folder).with_context(cannot)?;
        let mut program = Arguments::command().disable_help_subcommand(true);
        program.build();
        let mut files = Files::default();
        let mut page = |command: &clap::Command, name: &str| -> anyhow::Result<()> {
            let mut text = Vec::new();
            clap_mangen::Man::new(command.clone()).render(&mut text)?;
            files.write(&self.folder.join(format!("{name}.1")), &text)
        };
        page(&program, "mapwright")?;
        for command in program.get_subcommands().filter(|c| !c.is_hide_set()) {
            let name = format!("mapwright-{}", command.get_name());
            page(&command.clone().display_name(&name), &name)?;
        }
        files.commit()?;
        Ok(ExitCode::SUCCESS)
    }
}
