//! `mapwright analyze`: what follows from the maps of a module.

use super::{
    input::{Source, legalize},
    output, summary,
};
use crate::{
    analysis::document::{self, Request, What},
    mlir::Op,
};
use clap::{Args, ValueEnum};
use serde_json::Value;
use std::{fmt::Write as _, process::ExitCode};

/// Facts that follow from the maps: views, utilisation, coalescing, tiles.
#[derive(Args)]
pub(crate) struct Analyze {
    /// The program, or `-` for standard input
    file: String,
    /// The question; without one a summary says what is worth a look
    #[arg(long, value_enum)]
    what: Option<Question>,
    /// Vector width in elements, for coalescing
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(i64).range(1..=4096))]
    width: i64,
    /// Loops over the dimensions of a result, outermost first (`1,0`), for coalescing; results of
    /// other ranks keep their order
    #[arg(long, value_name = "DIMS", value_delimiter = ',', requires = "what")]
    order: Vec<usize>,
    /// The result of every function that a tile is of, tuples flattened
    #[arg(long, value_name = "N", default_value_t = 0)]
    result: usize,
    /// Sizes of the tile, for tiles and utilization
    #[arg(long, value_name = "SIZES", value_delimiter = ',', requires = "what")]
    tile_sizes: Vec<i64>,
    /// Offsets of the tile, for tiles and utilization
    #[arg(long, value_name = "OFFSETS", value_delimiter = ',', requires = "what")]
    tile_offsets: Vec<i64>,
    /// Strides of the tile, for tiles
    #[arg(long, value_name = "STRIDES", value_delimiter = ',', requires = "what")]
    tile_strides: Vec<i64>,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Question {
    Views,
    Utilization,
    Coalescing,
    Tiles,
}

impl From<Question> for What {
    fn from(question: Question) -> Self {
        match question {
            Question::Views => Self::Views,
            Question::Utilization => Self::Utilization,
            Question::Coalescing => Self::Coalescing,
            Question::Tiles => Self::Tiles,
        }
    }
}

impl Analyze {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let source = Source::read(&self.file)?;
        let request = Request {
            width: self.width,
            order: self.order,
            result: self.result,
            tile_offsets: self.tile_offsets,
            tile_sizes: self.tile_sizes,
            tile_strides: self.tile_strides,
        };
        let answer = source.parse(|_, module| {
            let root = Op::new(module.as_operation());
            legalize(root)?;
            let Some(what) = self.what.map(What::from) else {
                return Ok(summary::summary(root, &request));
            };
            document::check(root, what, &request).map_err(anyhow::Error::msg)?;
            Ok(document::analyze(root, what, &request))
        })?;
        if self.json {
            output::print_json(&answer)?;
        } else {
            let for_people = if self.what.is_some() {
                text
            } else {
                summary::text
            };
            output::print(&for_people(&answer))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// An operation a paragraph, an answer a line.
fn text(answer: &Value) -> String {
    let mut out = String::new();
    for entry in answer.as_array().into_iter().flatten() {
        let word = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("argument");
        let _ = writeln!(out, "{} ({})", word("op"), word("location"));
        for (key, value) in entry.as_object().into_iter().flatten() {
            if key == "op" || key == "location" {
                continue;
            }
            let lines = match value {
                Value::Array(items) => items.clone(),
                other => vec![other.clone()],
            };
            for line in lines {
                let several = line.get("offsets").is_none();
                let fields: Vec<String> = line
                    .as_object()
                    .into_iter()
                    .flatten()
                    // The members of an only tile stand beside the list.
                    .filter(|(name, value)| !value.is_null() && (several || *name != "tiles"))
                    .map(|(name, value)| match value {
                        Value::String(text) => format!("{name} {text}"),
                        other => format!("{name} {other}"),
                    })
                    .collect();
                let _ = writeln!(out, "  {}", fields.join(", "));
            }
        }
    }
    out
}
