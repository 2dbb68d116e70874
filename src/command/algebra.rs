//! `mapwright simplify | compose | eval | compare`: maps as text, one answer for each.

use crate::indexing::commands::{
    Options, Outcome, compare_command, compose_command, eval_command, simplify_bench,
    simplify_command,
};
use clap::Args;
use std::{
    io::{self, BufRead, BufWriter, Write},
    process::ExitCode,
};

/// Simplifies maps, read from standard input: one a paragraph, or with `--json` one object a line.
#[derive(Args)]
pub(crate) struct Simplify {
    #[command(flatten)]
    format: Format,
    /// Read all maps first, then time their simplification alone
    #[arg(long, conflicts_with = "explain")]
    bench: bool,
}

/// Composes pairs of maps: first the consumer, then the producer on its results; simplified.
#[derive(Args)]
pub(crate) struct Compose {
    #[command(flatten)]
    format: Format,
}

/// Evaluates maps at points.
#[derive(Args)]
pub(crate) struct Eval {
    // One JSON object a line is the only form of this command.
    #[command(flatten)]
    _format: Format,
}

/// Compares pairs of maps as functions, with their domains.
#[derive(Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    format: Format,
}

#[derive(Args)]
struct Format {
    /// One JSON object a line, in and out
    #[arg(long)]
    json: bool,
    /// Also say which rules of the simplifier fired, in order
    #[arg(long)]
    explain: bool,
}

impl Format {
    fn options(&self) -> Options {
        Options {
            json: self.json,
            explain: self.explain,
        }
    }
}

impl Simplify {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if self.bench {
            return stream(simplify_bench);
        }
        let options = self.format.options();
        stream(|input, output| simplify_command(input, output, options))
    }
}

impl Compose {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let options = self.format.options();
        stream(|input, output| compose_command(input, output, options))
    }
}

impl Eval {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        stream(eval_command)
    }
}

impl Compare {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let options = self.format.options();
        stream(|input, output| compare_command(input, output, options))
    }
}

/// Standard input to standard output; a line that could not be read or a check that failed is exit code 1.
fn stream(
    work: impl FnOnce(&mut dyn BufRead, &mut dyn Write) -> io::Result<Outcome>,
) -> anyhow::Result<ExitCode> {
    let mut output = BufWriter::new(io::stdout().lock());
    let outcome = work(&mut io::stdin().lock(), &mut output)?;
    output.flush()?;
    Ok(match outcome {
        Outcome::Done => ExitCode::SUCCESS,
        Outcome::Failed => ExitCode::FAILURE,
    })
}
