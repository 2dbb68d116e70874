//! `mapwright simplify | compose | eval | compare`: maps as text, one answer for each.

use crate::indexing::commands::{
    Options, Outcome, compare_command, compose_command, eval_command, simplify_bench,
    simplify_command,
};
use clap::Args;
use serde_json::{Value, json};
use std::{
    io::{self, BufRead, BufWriter, Write},
    process::ExitCode,
};

/// Simplifies maps.
///
/// Maps are arguments, or are read from standard input, one a paragraph: `(d0)[s0] -> (d0 + s0),
/// domain: d0 in [0, 3], s0 in [0, 1]`, or `affine_map<…>`. With `--json` standard input has one
/// object a line, `{"map": MAP}`.
///
/// Example: `mapwright simplify '(d0) -> (d0 mod 8), domain: d0 in [0, 7]'`
#[derive(Args)]
pub(crate) struct Simplify {
    /// The maps; without them standard input is read
    #[arg(value_name = "MAP", conflicts_with = "bench")]
    maps: Vec<String>,
    #[command(flatten)]
    format: Format,
    /// Also say the rules of the simplifier that fired, in order: each with its law, what stood
    /// before it and what came of it
    #[arg(long)]
    explain: bool,
    /// Read all maps first, then time their simplification alone
    #[arg(long, conflicts_with = "explain")]
    bench: bool,
}

/// Composes pairs of maps: first the consumer, then the producer on its results; simplified.
///
/// Two maps are arguments, or pairs of paragraphs of standard input, as of `simplify`. With
/// `--json` standard input has one object a line, `{"consumer": MAP, "producer": MAP}`.
///
/// Example: `mapwright compose '(d0) -> (d0 + 5)' '(d0) -> (d0 * 2)'`
#[derive(Args)]
pub(crate) struct Compose {
    /// The consumer, and the producer; without them standard input is read
    #[arg(value_names = ["CONSUMER", "PRODUCER"], num_args = 2)]
    maps: Vec<String>,
    #[command(flatten)]
    format: Format,
    /// Also say the rules of the simplifier that fired, in order: each with its law, what stood
    /// before it and what came of it
    #[arg(long)]
    explain: bool,
}

/// Evaluates maps at points.
///
/// The map is an argument, and the point is given by the options; or standard input has one object
/// a line, `{"map": MAP, "dims": [..], "ranges": [..], "runtime": [..]}`. The answer is JSON, one
/// object a line: `{"in_domain": bool, "results": [..]}`.
///
/// Example: `mapwright eval '(d0)[s0] -> (d0 * 2 + s0)' --dims 3 --ranges 1`
#[derive(Args)]
pub(crate) struct Eval {
    /// The map; without it standard input is read
    #[arg(value_name = "MAP")]
    map: Option<String>,
    /// Values of the dimensions, separated by commas
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "map"
    )]
    dims: Vec<i64>,
    /// Values of the range variables
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "map"
    )]
    ranges: Vec<i64>,
    /// Values of the runtime variables
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "map"
    )]
    runtime: Vec<i64>,
    // One JSON object a line is the only form of this command.
    #[command(flatten)]
    _format: Format,
}

/// Compares pairs of maps as functions, with their domains.
///
/// Two maps are arguments, or pairs of paragraphs of standard input, as of `simplify`. With
/// `--json` standard input has one object a line, `{"a": MAP, "b": MAP}`.
///
/// Example: `mapwright compare '(d0) -> (d0 + d0)' '(d0) -> (d0 * 2)'`
#[derive(Args)]
pub(crate) struct Compare {
    /// The maps; without them standard input is read
    #[arg(value_names = ["A", "B"], num_args = 2)]
    maps: Vec<String>,
    #[command(flatten)]
    format: Format,
}

#[derive(Args)]
struct Format {
    /// One JSON object a line, in and out
    #[arg(long)]
    json: bool,
}

impl Format {
    fn options(&self, explain: bool) -> Options {
        Options {
            json: self.json,
            explain,
        }
    }

    /// Writes these maps as standard input would have them, by the members that an object has for
    /// them.
    fn written(&self, maps: &[String], members: &[&str]) -> String {
        if !self.json {
            return maps.join("\n\n");
        }
        let object = |maps: &[String]| {
            let pairs = members
                .iter()
                .zip(maps)
                .map(|(name, map)| ((*name).to_owned(), json!(map)));
            format!("{}\n", Value::Object(pairs.collect()))
        };
        maps.chunks(members.len()).map(object).collect()
    }
}

impl Simplify {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if self.bench {
            return stream(None, simplify_bench);
        }
        let options = self.format.options(self.explain);
        let given = self.format.written(&self.maps, &["map"]);
        stream(Some(given), |input, output| {
            simplify_command(input, output, options)
        })
    }
}

impl Compose {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let options = self.format.options(self.explain);
        let given = self.format.written(&self.maps, &["consumer", "producer"]);
        stream(Some(given), |input, output| {
            compose_command(input, output, options)
        })
    }
}

impl Eval {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let point = |map| json!({"map": map, "dims": self.dims, "ranges": self.ranges, "runtime": self.runtime});
        let given = self.map.as_ref().map(|map| point(map).to_string());
        stream(given, eval_command)
    }
}

impl Compare {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let options = self.format.options(false);
        let given = self.format.written(&self.maps, &["a", "b"]);
        stream(Some(given), |input, output| {
            compare_command(input, output, options)
        })
    }
}

/// Runs `work` from the given text, or without it from standard input, to standard output; a line
/// that could not be read or a check that failed is exit code 1.
fn stream(
    given: Option<String>,
    work: impl FnOnce(&mut dyn BufRead, &mut dyn Write) -> io::Result<Outcome>,
) -> anyhow::Result<ExitCode> {
    let mut output = BufWriter::new(io::stdout().lock());
    let outcome = match given.filter(|text| !text.is_empty()) {
        Some(text) => work(&mut text.as_bytes(), &mut output)?,
        None => work(&mut io::stdin().lock(), &mut output)?,
    };
    output.flush()?;
    Ok(match outcome {
        Outcome::Done => ExitCode::SUCCESS,
        Outcome::Failed => ExitCode::FAILURE,
    })
}
