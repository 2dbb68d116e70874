//! Reading programs.

use super::{failure::rewritten, foreign};
use crate::mlir::{
    Op, context,
    diagnostic::{Diagnostics, Failure, Message},
    melior::{
        Context,
        ir::{Location, Module},
    },
    op,
};
use anyhow::{Context as _, anyhow, ensure};
use mapwright_normalize::frontend;
use std::{
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io::Read,
    path::Path,
};

/// A program's source: the name that diagnostics use, and its bytes.
pub struct Source {
    pub(crate) name: String,
    bytes: Vec<u8>,
}

impl Source {
    /// A source that is there already.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        let name = name.into();
        Self { name, bytes }
    }

    /// Reads a file, or standard input for `-`.
    pub(crate) fn read(path: &str) -> anyhow::Result<Self> {
        if path == "-" {
            let mut bytes = Vec::new();
            std::io::stdin()
                .read_to_end(&mut bytes)
                .context("cannot read standard input")?;
            return Ok(Self {
                name: "<stdin>".into(),
                bytes,
            });
        }
        let folder = Path::new(path);
        ensure!(!folder.is_dir(), "{path} is {}", foreign::folder(folder));
        Ok(Self {
            name: path.into(),
            bytes: fs::read(path).with_context(|| format!("cannot read {path}"))?,
        })
    }

    /// A number that sources of other bytes do not have, but by accident.
    pub(crate) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.bytes.hash(&mut hasher);
        hasher.finish()
    }

    /// Tells whether there are lines that `mlir-opt --split-input-file` would split the file at.
    fn has_separators(&self) -> bool {
        self.bytes
            .split(|byte| *byte == b'\n')
            .any(|line| line.trim_ascii_end() == b"// -----")
    }

    /// Parses and verifies the program and hands it to `work`. Diagnostics, also those of `work`,
    /// go to standard error.
    pub(crate) fn parse<T>(
        &self,
        work: impl for<'c> FnOnce(&'c Context, Module<'c>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        crate::register();
        let context = context();
        let diagnostics = Diagnostics::to_stderr(&context);
        self.parsed(&context, &diagnostics, work)
            .map_err(|(error, note)| {
                if let Some(note) = note {
                    eprintln!("mapwright: note: {note}");
                }
                error
            })
    }

    /// As [`Source::parse`], with the diagnostics as the text of the error.
    ///
    /// # Errors
    /// A source that is no program, and what `work` fails with.
    pub fn read_with<T>(
        &self,
        work: impl for<'c> FnOnce(&'c Context, Module<'c>) -> anyhow::Result<T>,
    ) -> Result<T, String> {
        crate::register();
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        self.parsed(&context, &diagnostics, work)
            .map_err(|(error, note)| {
                let mut text = diagnostics.take();
                if !error.is::<Failure>() {
                    text.push_str(&format!("{error:#}\n"));
                }
                if let Some(note) = note {
                    text.push_str(&format!("note: {note}\n"));
                }
                text
            })
    }

    /// An error goes with a note where the source cannot be read as it has several programs.
    fn parsed<'c, T>(
        &self,
        context: &'c Context,
        diagnostics: &Diagnostics<'c>,
        work: impl FnOnce(&'c Context, Module<'c>) -> anyhow::Result<T>,
    ) -> Result<T, (anyhow::Error, Option<String>)> {
        if let Some(kind) = foreign::kind(&self.bytes) {
            return Err((anyhow!("{} is {kind}", self.name), None));
        }
        let module = diagnostics.parse(&self.name, &self.bytes);
        let module = module.map_err(|failure| {
            let separated = self.has_separators().then(|| {
                format!(
                    "{} has several programs with `// -----` between them: give each in a file of its own",
                    self.name
                )
            });
            (failure.into(), separated.or_else(|| foreign::operations(&self.bytes)))
        })?;
        one_module(Op::new(module.as_operation()))
            .map_err(anyhow::Error::from)
            .and_then(|()| work(context, module))
            .map_err(|error| (error, None))
    }
}

/// The names of the public functions that have a body, in order.
pub fn public_functions(module: Op<'_>) -> Vec<String> {
    let functions = module.body(0).map(op::ops).unwrap_or_default();
    functions
        .into_iter()
        .filter(|op| op.name() == "func.func")
        .filter(|op| {
            op.string("sym_visibility")
                .is_none_or(|text| text == "public")
        })
        .filter(|op| op.body(0).is_some())
        .filter_map(|op| op.string("sym_name"))
        .collect()
}

/// The function to start with: the one of that name, or `main`, or the only public one. If there is
/// none, a diagnostic at the start of the source says which there are.
///
/// # Errors
/// No such function.
pub fn entry(source: &Source, module: Op<'_>, name: Option<&str>) -> Result<String, Failure> {
    let functions = public_functions(module);
    if let (None, [only]) = (name, functions.as_slice()) {
        return Ok(only.clone());
    }
    let name = name.unwrap_or("main");
    if functions.iter().any(|function| function == name) {
        return Ok(name.to_owned());
    }
    let list = match functions.as_slice() {
        [] => "there is no public function".to_owned(),
        list => format!(
            "the public functions are @{}; --entry says which",
            list.join(", @")
        ),
    };
    let start = Location::new(module.context(), &source.name, 1, 1);
    Err(
        Message::error(start, format!("there is no public function @{name}"))
            .note(None, list)
            .emit(),
    )
}

/// A program is one module: says so where a file has several, or one inside of another.
fn one_module(module: Op<'_>) -> Result<(), Failure> {
    let inner = module.body(0).map(op::ops).unwrap_or_default();
    if inner.iter().any(|op| op.name() == "func.func") {
        return Ok(());
    }
    let modules: Vec<Op<'_>> = inner
        .into_iter()
        .filter(|op| op.name() == "builtin.module")
        .collect();
    match modules.as_slice() {
        [] => Ok(()),
        [only] => Err(Failure::at(
            only.location(),
            "the program is a module inside of another one: give the inner one",
        )),
        [_, second, ..] => Err(Failure::at(
            second.location(),
            &format!(
                "the file has {} modules, a program is one: give each in a file of its own",
                modules.len()
            ),
        )),
    }
}

/// Brings what frontends mix into StableHLO back to it, before maps are asked for.
///
/// # Errors
/// Operations that are not well-formed, diagnosed at their places.
pub(crate) fn legalize(module: Op<'_>) -> anyhow::Result<()> {
    frontend::legalize_others(module).map_err(rewritten)?;
    Ok(())
}
