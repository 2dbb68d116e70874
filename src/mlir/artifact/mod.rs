//! Portable artifacts: [`read`] makes a program of StableHLO of one, [`write`](fn@write) one of a
//! program.
//!
//! What the bytes say is `mapwright_artifact`'s business; here the operations of `vhlo` get the
//! names, and their properties the forms, that StableHLO has ([`forms`] has a row for each that
//! differs). Types and short attributes are made through MLIR's text, whatever may be large is not.

mod attributes;
mod convolution;
mod forms;
mod locations;
mod operations;
mod sharding;
mod types;
mod write;

use crate::{
    Attr, Loc, Ty, Val,
    diagnostic::{Failure, Message},
    nesting,
};
use mapwright_artifact::{self as artifact, tree::Artifact};
use melior::{
    Context,
    ir::{Location, Module},
};
use std::{collections::HashMap, rc::Rc};

pub use artifact::{Version, is_artifact, version_of};
pub use write::write;

/// Result whose error says in words what cannot be had from an artifact.
type Result<T> = std::result::Result<T, String>;

/// Reads and verifies a program; `name` is what diagnostics call the source. No process is started,
/// whatever the bytes are.
///
/// # Errors
///
/// The bytes are no artifact, of a version that is too new, damaged, or no valid program.
/// Diagnostics have been emitted.
pub fn read<'c>(
    context: &'c Context,
    name: &str,
    bytes: &[u8],
) -> std::result::Result<Module<'c>, Failure> {
    let start = Location::new(context, name, 0, 0);
    let deepest = usize::try_from(nesting::deepest()).unwrap_or_default();
    let tree = artifact::read(bytes, deepest)
        .map_err(|error| Message::error(start, error.to_string()).emit())?;
    Reading::new(context, &tree).module()
}

/// An artifact that is being turned into a program, with what of it there is already.
struct Reading<'c, 'a> {
    context: &'c Context,
    tree: &'a Artifact,
    types: Vec<Option<Rc<str>>>,
    made_types: Vec<Option<Ty<'c>>>,
    attributes: Vec<Option<Attr<'c>>>,
    locations: Vec<Option<Loc<'c>>>,
    values: Vec<Option<Val<'c>>>,
    /// Attributes that were read from text.
    parsed: HashMap<String, Attr<'c>>,
}

impl<'c, 'a> Reading<'c, 'a> {
    fn new(context: &'c Context, tree: &'a Artifact) -> Self {
        Self {
            context,
            tree,
            types: vec![None; tree.types.len()],
            made_types: vec![None; tree.types.len()],
            attributes: vec![None; tree.attributes.len()],
            locations: vec![None; tree.attributes.len()],
            values: vec![None; tree.values as usize],
            parsed: HashMap::new(),
        }
    }

    /// An attribute from MLIR's text.
    fn parse(&mut self, text: &str) -> Result<Attr<'c>> {
        if let Some(attribute) = self.parsed.get(text) {
            return Ok(*attribute);
        }
        let attribute = Attr::parse(self.context, text)
            .ok_or_else(|| format!("'{}' is not an attribute", shortened(text)))?;
        self.parsed.insert(text.to_owned(), attribute);
        Ok(attribute)
    }
}

/// A text in quotes, as MLIR's parser reads it.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | ..0x20 | 0x7f.. => quoted.push_str(&format!("\\{byte:02X}")),
            _ => quoted.push(char::from(byte)),
        }
    }
    quoted.push('"');
    quoted
}

/// The beginning of a text that may be long.
fn shortened(text: &str) -> String {
    const MOST: usize = 100;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// A finite number as MLIR's parser reads it, and gives it back to the last bit.
fn float_text(bits: u64) -> Result<String> {
    let value = f64::from_bits(bits);
    if !value.is_finite() {
        return Err(format!("{value} where a number is needed"));
    }
    let text = format!("{value:e}");
    Ok(match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    })
}

#[cfg(test)]
mod tests {
    use crate::{Op, context::context, diagnostic::Diagnostics};

    /// Programs as text, and as jaxlib wrote them for several versions.
    const CORPUS: [(&str, &[&[u8]]); 4] = [
        (
            include_str!("../../artifact/corpus/control.mlir"),
            &[
                include_bytes!("../../artifact/corpus/control-0.9.0.mlirbc"),
                include_bytes!("../../artifact/corpus/control-0.12.0.mlirbc"),
                include_bytes!("../../artifact/corpus/control-0.14.0.mlirbc"),
                include_bytes!("../../artifact/corpus/control-1.17.0.mlirbc"),
            ],
        ),
        (
            include_str!("../../artifact/corpus/structure.mlir"),
            &[
                include_bytes!("../../artifact/corpus/structure-1.0.0.mlirbc"),
                include_bytes!("../../artifact/corpus/structure-1.9.0.mlirbc"),
            ],
        ),
        (
            include_str!("../../artifact/corpus/newer.mlir"),
            &[include_bytes!("../../artifact/corpus/newer-1.17.0.mlirbc")],
        ),
        (
            include_str!("../../artifact/corpus/tokens.mlir"),
            &[include_bytes!("../../artifact/corpus/tokens-1.17.0.mlirbc")],
        ),
    ];

    #[test]
    fn artifacts_are_the_programs_that_they_were_made_of() {
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        for (text, artifacts) in CORPUS {
            let program = diagnostics.parse("program.mlir", text.as_bytes()).unwrap();
            let program = Op::new(program.as_operation()).to_string();
            for bytes in artifacts {
                let read = diagnostics.parse("program.mlirbc", bytes);
                let read = read.unwrap_or_else(|_| panic!("{}", diagnostics.take()));
                assert_eq!(Op::new(read.as_operation()).to_string(), program);
            }
        }
    }

    #[test]
    fn damage_is_an_error_with_its_byte() {
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let bytes = CORPUS[0].1[3];
        assert!(diagnostics.parse("short.mlirbc", &bytes[..200]).is_err());
        let text = diagnostics.take();
        assert!(text.starts_with("short.mlirbc:"), "{text}");
        assert!(text.contains("error: at byte "), "{text}");
    }

    #[test]
    fn programs_are_what_they_are_written_as() {
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        for (version, programs) in [("0.9.0", 2), ("1.9.0", 2), ("1.13.0", 4), ("1.20.0", 4)] {
            let version = version.parse().unwrap();
            for (text, _) in &CORPUS[..programs] {
                let program = diagnostics.parse("program.mlir", text.as_bytes()).unwrap();
                let program = Op::new(program.as_operation());
                let bytes = super::write(program, version);
                let bytes = bytes.unwrap_or_else(|_| panic!("{}", diagnostics.take()));
                assert!(super::is_artifact(&bytes));
                let again = diagnostics.parse("program.mlirbc", &bytes);
                let again = again.unwrap_or_else(|_| panic!("{}", diagnostics.take()));
                assert_eq!(
                    Op::new(again.as_operation()).to_string(),
                    program.to_string()
                );
            }
        }
    }

    #[test]
    fn what_a_version_cannot_have_is_an_error_at_its_place() {
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let cases = [
            (
                "%0 = stablehlo.tan %x : tensor<2xf32>",
                "f.mlir:2:6: error: 'stablehlo.tan': is there since version 1.4.0; an artifact of version 1.3.0 cannot have it",
            ),
            (
                "%0 = \"stablehlo.exponential\"(%x) {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>",
                "f.mlir:2:6: error: 'stablehlo.exponential': an artifact of version 1.3.0 cannot have the attribute 'result_accuracy' here",
            ),
            (
                "%0 = chlo.erf %x : tensor<2xf32> -> tensor<2xf32>",
                "f.mlir:2:6: error: 'chlo.erf': is no operation of StableHLO",
            ),
        ];
        for (line, expected) in cases {
            let text = format!("func.func @f(%x: tensor<2xf32>) {{\n{line}\nreturn\n}}");
            let program = diagnostics.parse("f.mlir", text.as_bytes()).unwrap();
            let version = "1.3.0".parse().unwrap();
            assert!(super::write(Op::new(program.as_operation()), version).is_err());
            let said = diagnostics.take();
            assert!(said.starts_with(expected), "{said}");
        }
    }

    /// Checks that an artifact with a damaged byte gives a verified program or an error.
    #[test]
    fn damaged_artifacts_are_programs_or_errors() {
        let context = context();
        for (_, artifacts) in CORPUS {
            let bytes = artifacts[artifacts.len() - 1];
            for at in (0..bytes.len()).step_by(3) {
                let mut damaged = bytes.to_vec();
                damaged[at] ^= 1 << (at % 7);
                if !super::is_artifact(&damaged) {
                    continue;
                }
                let diagnostics = Diagnostics::to_text(&context);
                match diagnostics.parse("damaged.mlirbc", &damaged) {
                    Ok(module) => assert!(Op::new(module.as_operation()).verify()),
                    Err(_) => assert!(diagnostics.errors() > 0, "byte {at}"),
                }
            }
        }
    }

    #[test]
    fn texts_and_numbers_are_written_as_the_parser_reads_them() {
        assert_eq!(super::quoted("a\"b\\\u{e9}\n"), r#""a\22b\5C\C3\A9\0A""#);
        let float = |value: f64| super::float_text(value.to_bits());
        assert_eq!(float(1e-7), Ok("1.0e-7".into()));
        assert_eq!(float(0.25), Ok("2.5e-1".into()));
        assert!(float(f64::NAN).is_err());
    }
}
