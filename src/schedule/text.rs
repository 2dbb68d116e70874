//! The text of schedules: what is printed is what is parsed.

use crate::{PRIMITIVES, Schedule, Step, primitive};
use std::fmt;

/// Text that is no schedule: where, in bytes, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct ParseError {
    /// Byte of the text.
    pub at: usize,
    /// In words.
    pub why: String,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operand = self.operand.iter().cloned();
        let numbers = self.numbers.iter().map(ToString::to_string);
        let arguments: Vec<String> = operand.chain(numbers).collect();
        write!(f, "{}({})", self.primitive.name, arguments.join(", "))
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = self.steps.iter().map(ToString::to_string).collect();
        write!(f, "{} [{}]", self.emitter, steps.join(", "))
    }
}

/// Rest of a text that is to be read.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

type Read<T> = Result<T, ParseError>;

impl<'a> Reader<'a> {
    fn skip(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn error<T>(&self, why: impl Into<String>) -> Read<T> {
        Err(ParseError {
            at: self.at,
            why: why.into(),
        })
    }

    fn takes(&mut self, mark: char) -> bool {
        self.skip();
        let found = self.text[self.at..].starts_with(mark);
        if found {
            self.at += mark.len_utf8();
        }
        found
    }

    fn expect(&mut self, mark: char) -> Read<()> {
        if self.takes(mark) {
            Ok(())
        } else {
            self.error(format!("expected '{mark}'"))
        }
    }

    /// Letters, digits and `_`, and a sign in front.
    fn word(&mut self) -> Read<&'a str> {
        self.skip();
        let rest = &self.text[self.at..];
        let is_part =
            |(i, c): &(usize, char)| c.is_ascii_alphanumeric() || *c == '_' || *i == 0 && *c == '-';
        let length = rest.char_indices().take_while(is_part).count();
        if length == 0 {
            return self.error("expected a word or a number");
        }
        self.at += length;
        Ok(&rest[..length])
    }

    fn name(&mut self, what: &str) -> Read<&'a str> {
        let at = self.at;
        match self.word() {
            Ok(word) if word.starts_with(|c: char| c.is_ascii_alphabetic()) => Ok(word),
            _ => {
                self.at = at;
                self.skip();
                self.error(format!("expected the name of {what}"))
            }
        }
    }

    /// A step of a schedule of `emitter`.
    fn step(&mut self, emitter: &str) -> Read<Step> {
        self.skip();
        let at = self.at;
        let name = self.name("a primitive")?;
        let Some(primitive) = primitive(name) else {
            let all = PRIMITIVES.iter().filter(|p| p.emitters.contains(&emitter));
            let names: Vec<&str> = all.map(|primitive| primitive.name).collect();
            let why = if names.is_empty() {
                format!("there is no step '{name}'")
            } else {
                let names = names.join(", ");
                format!("there is no step '{name}': the emitter '{emitter}' has {names}")
            };
            return Err(ParseError { at, why });
        };
        let mut step = Step {
            primitive,
            operand: None,
            numbers: Vec::new(),
        };
        self.expect('(')?;
        let mut first = true;
        while !self.takes(')') {
            if !first {
                self.expect(',')?;
            }
            self.skip();
            let start = self.at;
            let word = self.word()?;
            match word.parse::<i64>() {
                Ok(number) => step.numbers.push(number),
                Err(_) if first && word.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    step.operand = Some(word.into());
                }
                Err(_) => {
                    let why = format!("'{word}' is no 64-bit number");
                    return Err(ParseError { at: start, why });
                }
            }
            first = false;
        }
        match step.check() {
            Ok(()) => Ok(step),
            Err(why) => Err(ParseError { at, why }),
        }
    }
}

impl From<Schedule> for String {
    fn from(schedule: Schedule) -> Self {
        schedule.to_string()
    }
}

impl TryFrom<String> for Schedule {
    type Error = ParseError;

    fn try_from(text: String) -> Read<Self> {
        text.parse()
    }
}

impl std::str::FromStr for Schedule {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut reader = Reader { text, at: 0 };
        let emitter = reader.name("an emitter")?.to_owned();
        let mut steps = Vec::new();
        reader.expect('[')?;
        while !reader.takes(']') {
            if !steps.is_empty() {
                reader.expect(',')?;
            }
            steps.push(reader.step(&emitter)?);
        }
        reader.skip();
        if reader.at == text.len() {
            Ok(Self { emitter, steps })
        } else {
            reader.error("text behind the schedule")
        }
    }
}
