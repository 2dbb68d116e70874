//! Gives the dialects their verifiers and the canonical text of maps (see
//! [`mapwright_mlir::hooks`]).

use crate::{notes, registry, schedules, shardy, typing};
use mapwright_indexing::IndexingMap;
use mapwright_mlir::{
    Attr, Op, ValueType,
    hooks::{self, Hooks, Place},
};

/// Before the first program is read. May be called more than once.
pub fn install() {
    hooks::install(Hooks {
        verify,
        verify_attribute,
        infer,
        map_text,
    });
}

/// The rules are those of the HLO dialects and of the one of their tests; an operation of another
/// one may share a name with theirs (`sdy.all_gather`).
fn verify(op: Op<'_>) -> bool {
    match op.dialect() {
        "indexing" => return schedules::verify(op),
        "sdy" => return shardy::verify(op),
        _ => {}
    }
    let ours = registry::DIALECTS.contains(&op.dialect())
        || matches!(op.dialect(), "interpreter" | "tarray");
    !ours || typing::verify_and_report(op)
}

/// Verifies an attribute that a dialect adds to operations of others, or to the arguments and
/// results of functions.
fn verify_attribute(op: Op<'_>, name: &str, value: Attr<'_>, place: Place) -> bool {
    if name.starts_with("mhlo.") {
        notes::verify_attribute(op, name, value, place)
    } else {
        shardy::verify_attribute(op, name, value, place)
    }
}

/// Only operations of `tarray` are written without the types of their results.
fn infer(op: Op<'_>) -> Option<Vec<ValueType>> {
    match op.dialect() {
        "tarray" => typing::infer_and_report(op),
        _ => {
            op.emit_error("needs the types of its results");
            None
        }
    }
}

fn map_text(text: &str) -> Result<String, (usize, String)> {
    match text.parse::<IndexingMap>() {
        Ok(map) => Ok(map.to_string()),
        // Columns of the parser count from 1.
        Err(error) => Err((
            error.column.saturating_sub(1),
            format!("expected {}, found {}", error.expected, error.found),
        )),
    }
}

#[cfg(test)]
mod tests {
    use mapwright_mlir::{context, diagnostic::Diagnostics};

    fn parse(source: &str) -> Result<String, String> {
        super::install();
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        diagnostics
            .parse("f.mlir", source.as_bytes())
            .map(|module| module.as_operation().to_string())
            .map_err(|_| diagnostics.take())
    }

    #[test]
    fn maps_are_kept_in_their_canonical_text() {
        let text = parse(
            r#"module attributes {indexing.x = #indexing.map<(a)->(a+0*2),domain: a in [0,3]>} {}"#,
        );
        assert!(
            text.as_ref()
                .is_ok_and(|text| text.contains("#indexing.map<(a) -> (a")),
            "{text:?}"
        );
    }

    #[test]
    fn a_wrong_map_is_an_error_at_its_column() {
        let source = "module attributes {indexing.x = #indexing.map<(d0) -> (d1)>} {}";
        let column = source.find("(d1)").unwrap() + 2;
        let error = parse(source).unwrap_err();
        assert!(
            error.starts_with(&format!("f.mlir:1:{column}: error: ")),
            "{error}"
        );
    }

    #[test]
    fn constraints_of_the_specification_are_verified() {
        let error = parse(
            "func.func @f(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
               %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<4x8xf32>
               return %0 : tensor<4x8xf32>
             }",
        )
        .unwrap_err();
        assert!(
            error.starts_with("f.mlir:2:") && error.contains("'stablehlo.transpose' op"),
            "{error}"
        );
    }
}
