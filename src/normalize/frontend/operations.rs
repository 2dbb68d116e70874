//! Operations of CHLO and MHLO that travel as custom calls, because StableHLO has no such
//! operation: `custom_call @mhlo.erf`.
//!
//! The target is the name of the operation, the dictionary `mhlo.attributes` has its attributes,
//! the functions in `called_computations` are its regions, and `mhlo.version` says which version of
//! the convention wrote it. Operations are found by name among those that the dialects register, so
//! there is no list of them here.

use crate::{
    called, mhlo,
    rewrite::{Result, fail, replace},
};
use mapwright_mlir::{Attr, Builder, Op, Ty, Val, attr, melior::ir::ValueLike};

/// The attributes that the operation itself has, by the dialect that is written.
const ATTRIBUTES: [&str; 3] = ["mhlo.attributes", "chlo.attributes", "stablehlo.attributes"];

/// Attributes of the custom call that are no attributes of the operation.
const OF_THE_CALL: &[&str] = &[
    "api_version",
    "backend_config",
    "call_target_name",
    "called_computations",
    "chlo.version",
    "has_side_effect",
    "mhlo.version",
    "operand_layouts",
    "output_operand_aliases",
    "result_layouts",
    "stablehlo.version",
];

/// The operation that a custom call of this target stands for: of the dialect that it names, or
/// else of CHLO, whose operations MHLO's name has carried too.
pub fn operation_of(op: Op<'_>, target: &str) -> Option<String> {
    let (dialect, short) = target.split_once('.')?;
    if !matches!(dialect, "mhlo" | "chlo" | "stablehlo") || short == "custom_call" {
        return None;
    }
    let short = match (dialect, short) {
        // MHLO and CHLO spell one operation in two ways.
        ("mhlo", "top_k") => "topk",
        ("chlo", "topk") => "top_k",
        (_, short) => short,
    };
    [dialect, "chlo", "stablehlo"]
        .iter()
        .map(|dialect| format!("{dialect}.{short}"))
        .find(|name| op.context().is_registered_operation(name))
}

/// Rewrites the calls inside `root`. Returns how many.
///
/// # Errors
/// Calls that do not fit the operation that they stand for.
pub fn read_back<'c>(root: Op<'c>) -> Result<'c, usize> {
    let mut count = 0;
    for op in root.descendants() {
        if !op.is_hlo("custom_call") {
            continue;
        }
        let target = op.string("call_target_name").unwrap_or_default();
        if let Some(name) = operation_of(op, &target) {
            rewrite(op, &name)?;
            count += 1;
        }
    }
    Ok(count)
}

fn rewrite<'c>(op: Op<'c>, name: &str) -> Result<'c> {
    let Some(b) = Builder::before(op.context(), op) else {
        return fail(op, "is not inside a block");
    };
    let dialect = name.split('.').next().unwrap_or_default();
    let mut attributes = op.attributes();
    attributes.retain(|(key, _)| !OF_THE_CALL.contains(key) && !ATTRIBUTES.contains(key));
    for key in ATTRIBUTES {
        let Some(value) = op.attribute(key) else {
            continue;
        };
        let Some(entries) = attr::dictionary(value) else {
            return fail(op, format!("has '{key}' that is no dictionary"));
        };
        for (key, value) in entries {
            let Some(value) = respell(&b, key, value, dialect) else {
                return fail(
                    op,
                    format!("has an attribute '{key}' that {name} cannot have: {value}"),
                );
            };
            attributes.retain(|(known, _)| *known != key);
            attributes.push((key, value));
        }
    }
    let terminator = match dialect {
        "mhlo" => "mhlo.return",
        _ => "stablehlo.return",
    };
    let regions = called::computations(op)?
        .into_iter()
        .map(|function| called::region(&b, function, terminator))
        .collect();
    let types: Vec<Ty<'c>> = op.results().iter().map(|value| value.r#type()).collect();
    let new = b.op_with_regions(name, &op.operands(), &types, &attributes, regions);
    if !new.verify() {
        return fail(op, format!("does not fit {name}, which it stands for"));
    }
    let values: Vec<Val<'c>> = new.results();
    replace(op, &values);
    Ok(())
}

/// The attribute in the spelling of `dialect`; `None` where there is no such attribute.
fn respell<'c>(b: &Builder<'c>, key: &str, value: Attr<'c>, dialect: &str) -> Option<Attr<'c>> {
    // Dense data has no dialect in it, and its text may be long.
    if attr::Dense::from_mlir(value).is_some() {
        return Some(value);
    }
    // Enumerators that another dialect does not have travel as words.
    if key == "precision_config"
        && let Some(list) = attr::array(value)
        && list.iter().any(|word| attr::string(*word).is_some())
    {
        let words: Option<Vec<Attr<'c>>> = list
            .into_iter()
            .map(|word| match attr::string(word) {
                Some(word) => Attr::parse(b.context(), &format!("#{dialect}<precision {word}>")),
                None => respell(b, "", word, dialect),
            })
            .collect();
        return Some(b.array_attr(&words?));
    }
    let mut written = value.to_string();
    if !written.contains('#') {
        return Some(value);
    }
    if let Some(numbers) = mhlo::ragged_dot_numbers(&written, dialect) {
        return Attr::parse(b.context(), &numbers);
    }
    for other in ["stablehlo", "mhlo", "chlo"] {
        for end in ["<", "."] {
            written = written.replace(&format!("#{other}{end}"), &format!("#{dialect}{end}"));
        }
    }
    Attr::parse(b.context(), &written)
}
