//! The `mapwright` command. One file a subcommand; what each of them computes is in the library
//! crates. Its answers as data are there for other faces, too: [`maps`], [`fusion`], programs of
//! tensor arrays ([`arrays`]).
//!
//! Exit codes: 0 done, 1 the input is wrong or a check failed, 2 the command line is wrong. With
//! `--json`, standard output has JSON alone; diagnostics, messages and progress go to standard
//! error.

mod about;
mod algebra;
mod analyze;
mod archive;
pub mod arrays;
mod calls;
mod compile;
mod devices;
mod elements;
mod failure;
mod foreign;
pub mod fusion;
mod given;
mod infeed;
pub mod input;
mod interpret;
mod laid;
mod literal;
pub mod maps;
mod measure;
pub mod npy;
mod output;
mod plan;
mod processes;
mod profile;
mod progress;
mod ranks;
mod reduce;
mod regions;
mod run;
mod shards;
mod slices;
mod summary;
mod switches;
mod timeline;

use crate::{
    indexing::verify::each_rewrite_everywhere,
    mlir::{diagnostic::Failure, nesting},
};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::{ffi::OsString, process::ExitCode};

/// Indexing maps, fusion and native code for StableHLO programs.
#[derive(Parser)]
#[command(
    name = "mapwright",
    version,
    after_help = "The guide and the reference are in share/doc/mapwright of an installation, in docs of the source."
)]
struct Arguments {
    /// Check every simplification of a map: prove, or refute with a point, that it is still the
    /// same function
    #[arg(long = "verify-each-rewrite", alias = "verify", global = true)]
    verify: bool,
    /// Limit on the nesting of a source; MAPWRIGHT_DEEPEST_NESTING without it, 5000 without both
    #[arg(long, global = true, value_name = "LEVELS", value_parser = clap::value_parser!(i32).range(1..))]
    deepest_nesting: Option<i32>,
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
    Reduce(reduce::Reduce),
    Shards(Box<shards::Shards>),
    Completions(about::Completions),
    #[command(hide = true)]
    Manual(about::Manual),
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
            Self::Run(command) => match (command.processes.launch(), command.devices) {
                (Some(launch), _) => command.on_ranks(launch),
                (None, Some(devices)) => command.on_devices(devices.into()),
                (None, None) => command.run(),
            },
            Self::Compile(command) => command.run(),
            Self::Reduce(command) => command.run(),
            Self::Shards(command) => command.run(),
            Self::Completions(command) => command.run(),
            Self::Manual(command) => command.run(),
        }
    }
}

/// The command, with every simplification in it checked if that is asked for. A difference is a
/// failure.
fn checked(verify: bool, command: Command) -> anyhow::Result<ExitCode> {
    if !verify {
        return command.run();
    }
    let (result, report) = each_rewrite_everywhere(|| command.run());
    for difference in &report.differences {
        eprintln!("mapwright: error: {difference}");
    }
    eprintln!("mapwright: {}", report.summary());
    if report.differences.is_empty() {
        result
    } else {
        result.map(|_| ExitCode::FAILURE)
    }
}

/// The whole command; the first argument is the name of the program. A wrong command line ends the
/// process, with code 2.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut command = Arguments::command();
    // What the target can do is asked of LLVM, which takes a moment.
    if arguments.iter().any(|argument| argument == "--version") {
        // It lives as long as the command line, which is as long as the program.
        let version: &'static str = Box::leak(about::version().into_boxed_str());
        command = command.long_version(version);
    }
    let Arguments {
        verify,
        deepest_nesting,
        command,
    } = Arguments::from_arg_matches(&command.get_matches_from(arguments))
        .unwrap_or_else(|error| error.exit());
    let result = deepest_nesting
        .map_or(Ok(()), nesting::set_deepest)
        .and_then(|()| crate::on_large_stack(|| checked(verify, command)))
        .unwrap_or_else(|message| Err(anyhow::anyhow!(message)));
    told(result)
}

/// Says why a command failed, if it did and that is not said yet; the code that the process ends
/// with.
fn told(result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) if error.is::<Failure>() => ExitCode::FAILURE,
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // In one piece: ranks of MPI write to one place.
            let message = format!("mapwright: error: {error:#}\n");
            eprint!("{message}");
            ExitCode::FAILURE
        }
    }
}
