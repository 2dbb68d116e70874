//! Reading programs.

use anyhow::Context as _;
use mapwright::mlir::{
    context,
    diagnostic::Diagnostics,
    melior::{Context, ir::Module},
};
use std::{fs, io::Read};

/// A program's source: the name that diagnostics use, and its bytes.
pub(crate) struct Source {
    pub(crate) name: String,
    bytes: Vec<u8>,
}

impl Source {
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
        Ok(Self {
            name: path.into(),
            bytes: fs::read(path).with_context(|| format!("cannot read {path}"))?,
        })
    }

    /// Parses and verifies the program and hands it to `work`. Diagnostics, also those of `work`, go to standard error.
    pub(crate) fn parse<T>(
        &self,
        work: impl for<'c> FnOnce(&'c Context, Module<'c>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        mapwright::register();
        let context = context();
        let diagnostics = Diagnostics::to_stderr(&context);
        let module = diagnostics.parse(&self.name, &self.bytes)?;
        work(&context, module)
    }
}
