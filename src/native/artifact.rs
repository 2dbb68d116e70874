//! Ahead of time: objects, shared libraries, LLVM IR, assembly and headers.

use crate::{
    CompileOptions, Error, Result, entry_table, header,
    llvm::{FileKind, LlvmModule, Target},
    options::code_options,
    pipeline::{self, Parts, Stages},
    progress, sizes, symbols,
};
use mapwright_codegen::host::{constant_symbol, prepacked_symbol};
use mapwright_mlir::Op;

/// Format of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An object file that needs `libmapwright_runtime.a`, the C library and its mathematics.
    Object,
    /// LLVM IR as text, optimised.
    LlvmIr,
    /// Assembly.
    Assembly,
}

/// A compiled program as bytes, and its C header.
pub struct Artifact {
    /// The file.
    pub bytes: Vec<u8>,
    /// A C header that declares the entry points.
    pub header: String,
    /// Symbols that the file defines for others: the entry points in the order of the functions,
    /// and behind them the table of them, JSON text that ends with a zero byte.
    pub symbols: Vec<String>,
}

/// Compiles `module` to a file of `format`.
///
/// # Errors
/// What cannot be compiled is diagnosed at its operation; an unknown target is an error.
pub fn compile(module: Op<'_>, options: &CompileOptions, format: Format) -> Result<Artifact> {
    let mut stages = Stages::default();
    let target = Target::new(options);
    let code = code_options(options, &target);
    let mut lowered = pipeline::lower(
        module,
        options,
        &code,
        &mapwright_codegen::emitters(),
        &mut stages,
    )?;
    let mut whole: Option<LlvmModule> = None;
    let machine = target.machine()?;
    {
        let parts = Parts::new(&lowered);
        for (i, function) in parts.functions().iter().enumerate() {
            progress::part((i, parts.len()), function);
            let mut next = LlvmModule::translate(parts.convert(i)?)?;
            next.optimise(&machine)?;
            match &whole {
                None => whole = Some(next),
                Some(first) => first.link(&next)?,
            }
        }
    }
    let whole = whole.ok_or_else(|| Error::Native("the program is empty".into()))?;
    for (i, data) in lowered.constants.iter().enumerate() {
        whole.define_data(&constant_symbol(i), data)?;
    }
    for i in 0..lowered.prepacked.len() {
        whole.define_memory(&prepacked_symbol(i));
    }
    let names: Vec<String> = lowered.entries.iter().map(|e| e.name.clone()).collect();
    let mut symbols = symbols::entries(&options.prefix, &names);
    for (entry, symbol) in lowered.entries.iter_mut().zip(&symbols) {
        whole.rename(&entry.symbol, symbol)?;
        entry.symbol.clone_from(symbol);
    }
    let keep: Vec<&str> = symbols.iter().map(String::as_str).collect();
    whole.internalise(&keep);
    whole.remove_unused(&machine)?;
    let sizes: Vec<_> = (lowered.entries.iter())
        .map(|entry| {
            let found = sizes::of_entry(module, &entry.name, options);
            found.filter(|sizes| sizes.fit(&entry.inputs, &entry.outputs))
        })
        .collect();
    let table = entry_table::symbol(&options.prefix, &symbols);
    whole.add_text(&table, &entry_table::text(&lowered.entries, &sizes));
    let bytes = match format {
        Format::Object => whole.emit(&machine, FileKind::Object)?,
        Format::Assembly => whole.emit(&machine, FileKind::Assembly)?,
        Format::LlvmIr => whole.print().into_bytes(),
    };
    let header = header::text(&lowered.entries, &sizes, &table);
    symbols.push(table);
    Ok(Artifact {
        bytes,
        header,
        symbols,
    })
}
