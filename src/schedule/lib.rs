//! Schedules as data: how the loops of a fused region run, and where its values live, apart from
//! what it computes.
//!
//! A [`Schedule`] names an emitter and lists steps, each an entry of [`PRIMITIVES`] applied to a
//! loop or a value of the region:
//!
//! ```text
//! tiled [tile(d0, 4), lanes(d1, 16), unroll(d1, 2), keep(v7)]
//! ```
//!
//! This is the text of the attribute `#indexing.schedule<…>` of `indexing.fusion`: the chooser of
//! an emitter writes it, a person may write another one, and the emitter reads it. Nothing here
//! knows of IR, of machines or of costs: which steps are legal for a region is for its emitter to
//! say.

#![forbid(unsafe_code)]

mod primitive;
mod text;

use serde::{Deserialize, Serialize};

pub use primitive::{Numbers, Operand, PRIMITIVES, Primitive, primitive};
pub use text::ParseError;

/// One step: a primitive, what it is applied to, and its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// An entry of [`PRIMITIVES`].
    pub primitive: &'static Primitive,
    /// The loop (`d0`: the loop that begins with dimension 0 of the results, `r0`: the first that
    /// is reduced; of a contraction `b`, `m`, `n`, `k`) or the value (`a0`: an argument of the
    /// region, `v3`: what its fourth operation gives) that it is about.
    pub operand: Option<String>,
    /// Numbers, as many as the primitive takes.
    pub numbers: Vec<i64>,
}

impl Step {
    /// A step without an operand.
    ///
    /// # Panics
    /// If there is no such primitive, or it takes other arguments: steps that come from outside are
    /// parsed.
    #[must_use]
    pub fn plain(name: &str, numbers: &[i64]) -> Self {
        Self::made(name, None, numbers)
    }

    /// A step about a loop or a value.
    ///
    /// # Panics
    /// As [`Step::plain`].
    #[must_use]
    pub fn with_operand(name: &str, operand: impl Into<String>, numbers: &[i64]) -> Self {
        Self::made(name, Some(operand.into()), numbers)
    }

    fn made(name: &str, operand: Option<String>, numbers: &[i64]) -> Self {
        let Some(primitive) = primitive(name) else {
            panic!("there is no primitive '{name}'");
        };
        let step = Self {
            primitive,
            operand,
            numbers: numbers.to_vec(),
        };
        if let Err(why) = step.check() {
            panic!("{why}");
        }
        step
    }
}

/// Schedule of a region: its loops, and where its values live.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Schedule {
    /// The emitter that reads the steps.
    pub emitter: String,
    /// In the order in which emitters write them: loops from the outermost to the innermost, then
    /// places.
    pub steps: Vec<Step>,
}

impl Schedule {
    /// One without steps: the emitter has nothing to choose.
    #[must_use]
    pub fn bare(emitter: &str) -> Self {
        Self {
            emitter: emitter.into(),
            steps: Vec::new(),
        }
    }

    /// Checks that its emitter has all of its steps. An emitter that is not known has none.
    ///
    /// # Errors
    /// The first step that it has not.
    pub fn check(&self) -> Result<(), Illegal> {
        let has = |step: &&Step| step.primitive.emitters.contains(&self.emitter.as_str());
        match self.steps.iter().find(|step| !has(step)) {
            None => Ok(()),
            Some(step) => {
                let why = format!("is no step of the emitter '{}'", self.emitter);
                Err(Illegal::at_step(step, why))
            }
        }
    }

    /// The steps of one primitive, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Step> {
        self.steps
            .iter()
            .filter(move |step| step.primitive.name == name)
    }

    /// The step of a primitive that occurs at most once.
    ///
    /// # Errors
    /// A second one.
    pub fn one<'a>(&'a self, name: &'a str) -> Result<Option<&'a Step>, Illegal> {
        let mut all = self.all(name);
        let first = all.next();
        match all.next() {
            Some(second) => Err(Illegal::at_step(second, "is the second of its kind")),
            None => Ok(first),
        }
    }
}

/// A schedule that a region cannot have, in words that begin with the step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Illegal(pub String);

impl Illegal {
    /// `why` is said of the step.
    #[must_use]
    pub fn at_step(step: &Step, why: impl std::fmt::Display) -> Self {
        Self(format!("'{step}' {why}"))
    }
}
