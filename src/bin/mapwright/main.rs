//! The `mapwright` command. One file a subcommand; what each of them computes is in the library crates.
//!
//! Exit codes: 0 done, 1 the input is wrong or a check failed, 2 the command line is wrong. With `--json`, standard output has JSON
//! alone; diagnostics, messages and progress go to standard error.

mod algebra;
mod analyze;
mod compile;
mod fusion;
mod input;
mod interpret;
mod literal;
mod maps;
mod npy;
mod output;
mod profile;
mod progress;
mod run;
mod shards;

use clap::{Parser, Subcommand};
use mapwright::mlir::diagnostic::Failure;
use std::process::ExitCode;

/// Indexing maps, fusion and native code for StableHLO programs.
#[derive(Parser)]
#[command(name = "mapwright", version, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Maps(maps::Maps),
    Analyze(analyze::Analyze),
    Simplify(algebra::Simplify),
    Compose(algebra::Compose),
    Eval(algebra::Eval),
    Compare(algebra::Compare),
    Fusion(fusion::Fusion),
    Run(run::Run),
    Compile(compile::Compile),
    Shards(Box<shards::Shards>),
}

impl Command {
    fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Maps(command) => command.run(),
            Self::Analyze(command) => command.run(),
            Self::Simplify(command) => command.run(),
            Self::Compose(command) => command.run(),
            Self::Eval(command) => command.run(),
            Self::Compare(command) => command.run(),
            Self::Fusion(command) => command.run(),
            Self::Run(command) => command.run(),
            Self::Compile(command) => command.run(),
            Self::Shards(command) => command.run(),
        }
    }
}

fn main() -> ExitCode {
    // A wrong command line ends the process here, with code 2.
    let arguments = Arguments::parse();
    let result = mapwright::on_large_stack(|| arguments.command.run())
        .unwrap_or_else(|message| Err(anyhow::anyhow!(message)));
    match result {
        Ok(code) => code,
        Err(error) if error.is::<Failure>() => ExitCode::FAILURE,
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mapwright: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
