//! `mapwright analyze`: what follows from the maps of a module.

use crate::{input::Source, output};
use clap::{Args, ValueEnum};
use mapwright::{
    analysis::document::{self, What},
    mlir::Op,
};
use serde_json::Value;
use std::{fmt::Write as _, process::ExitCode};

/// What follows from the maps: views, utilisation, coalescing, tiles.
#[derive(Args)]
pub(crate) struct Analyze {
    /// The program, or `-` for standard input
    file: String,
    /// The question
    #[arg(long, value_enum)]
    what: Question,
    /// Vector width in elements, for coalescing
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(i64).range(1..=4096))]
    width: i64,
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
        let answer = source.parse(|_, module| {
            let root = Op::new(module.as_operation());
            Ok(document::analyze(root, self.what.into(), self.width))
        })?;
        if self.json {
            output::print_json(&answer)?;
        } else {
            output::print(&text(&answer))?;
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
                let fields: Vec<String> = line
                    .as_object()
                    .into_iter()
                    .flatten()
                    .filter(|(_, value)| !value.is_null())
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
