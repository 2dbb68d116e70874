//! What a newer StableHLO or Shardy defines that `dialect` lacks: for development, with checkouts
//! of them.
//!
//! `MAPWRIGHT_STABLEHLO` and `MAPWRIGHT_SHARDY` are the roots of the checkouts. Their `.td` files
//! are read by TableGen with the MLIR that is there: those that need a newer one are an error of
//! TableGen.

use crate::support::{llvm, root};
use std::{collections::BTreeSet, path::Path};
use tblgen::{Record, TableGenParser};

/// The variable with the checkout, the dialect, the file with its operations, and ours.
const DIALECTS: [(&str, &str, &str, &str); 3] = [
    (
        "MAPWRIGHT_STABLEHLO",
        "stablehlo",
        "stablehlo/dialect/StablehloOps.td",
        "stablehlo/Ops.td",
    ),
    (
        "MAPWRIGHT_STABLEHLO",
        "chlo",
        "stablehlo/dialect/ChloOps.td",
        "chlo/Ops.td",
    ),
    (
        "MAPWRIGHT_SHARDY",
        "sdy",
        "shardy/dialect/sdy/ir/ops.td",
        "sdy/Ops.td",
    ),
];

/// What ours do without, and why.
const WITHOUT: [(&str, &str); 9] = [
    (
        "attribute stablehlo.type_extensions",
        "`#stablehlo.bounds`, as it is written",
    ),
    (
        "operation stablehlo.custom_call: attribute result_tilings",
        "kept as other attributes are, for a backend that tiles memory",
    ),
    (
        "attribute sdy.axis_to_propagation_details",
        "a part of the text of propagation edges",
    ),
    (
        "attribute sdy.edge_value_ref",
        "a part of the text of propagation edges",
    ),
    (
        "attribute sdy.propagation_one_step",
        "a part of the text of propagation edges",
    ),
    ("sdy: case operand", "a word of propagation edges"),
    ("sdy: case result", "a word of propagation edges"),
    (
        "attribute sdy.dim_mapping",
        "a part of the text of sharding rules",
    ),
    (
        "attribute sdy.tensor_mapping",
        "a part of the text of sharding rules",
    ),
];

fn arguments(record: Record<'_>, dag: &str, of: impl Fn(Record<'_>) -> bool) -> Vec<String> {
    let Ok(dag) = record.dag_value(dag) else {
        return Vec::new();
    };
    let all = dag.args();
    all.filter(|(_, value)| (*value).as_def().is_ok_and(|def| of(def.into())))
        .filter_map(|(name, _)| name.map(str::to_owned))
        .collect()
}

/// The names of what the definitions of a dialect define: operations with their attributes,
/// attributes with their parameters, types, and cases of enumerations.
fn defined(dialect: &str, include: &Path, file: &Path) -> BTreeSet<String> {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let keeper = TableGenParser::new()
        .add_source_file(&text(file))
        .add_include_directory(&text(include))
        .add_include_directory(&text(&llvm().join("include")))
        .parse()
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let is_of = |record: Record<'_>, field: &str| {
        record
            .def_value(field)
            .is_ok_and(|of| of.str_value("name").is_ok_and(|name| name == dialect))
    };
    let mut names = BTreeSet::new();
    let ops = keeper.all_derived_definitions("Op");
    for op in ops.filter(|op| is_of(*op, "opDialect")) {
        let name = op.str_value("opName").unwrap();
        names.insert(format!("operation {dialect}.{name}"));
        for attribute in arguments(op, "arguments", |of| of.subclass_of("Attr")) {
            names.insert(format!("operation {dialect}.{name}: attribute {attribute}"));
        }
    }
    for (class, what) in [("AttrDef", "attribute"), ("TypeDef", "type")] {
        let defs = keeper.all_derived_definitions(class);
        for def in defs.filter(|def| is_of(*def, "dialect")) {
            // Those of enumerations are looked at by their cases.
            if let Ok(mnemonic) = def.str_value("mnemonic") {
                names.insert(format!("{what} {dialect}.{mnemonic}"));
            }
        }
    }
    for info in keeper.all_derived_definitions("EnumInfo") {
        let space = info.str_value("cppNamespace").unwrap_or_default();
        if space.rsplit("::").next() != Some(dialect) {
            continue;
        }
        for case in info.list_init_value("enumerants").unwrap().iter() {
            let case: Record<'_> = case.as_def().unwrap().into();
            names.insert(format!(
                "{dialect}: case {}",
                case.str_value("str").unwrap()
            ));
        }
    }
    names
}

#[test]
#[ignore = "for development: reads checkouts of StableHLO and Shardy"]
fn newer_dialects_have_nothing_that_ours_lack() {
    let mut lacking = Vec::new();
    let mut read = 0;
    for (variable, dialect, theirs, ours) in DIALECTS {
        let Some(checkout) = std::env::var_os(variable) else {
            continue;
        };
        let checkout = Path::new(&checkout);
        let theirs = defined(dialect, checkout, &checkout.join(theirs));
        assert!(theirs.len() > 30, "{dialect}: {theirs:?}");
        let folder = root().join("dialect");
        let ours = defined(dialect, &folder, &folder.join(ours));
        let known = |name: &&String| WITHOUT.iter().any(|(without, _)| without == name);
        let others = theirs.difference(&ours).filter(|name| !known(name));
        lacking.extend(others.cloned());
        read += 1;
    }
    assert!(
        read > 0,
        "neither MAPWRIGHT_STABLEHLO nor MAPWRIGHT_SHARDY is set"
    );
    assert!(lacking.is_empty(), "lacking:\n{}", lacking.join("\n"));
}
