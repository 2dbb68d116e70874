//! The operations that ODS defines are those that `src/ops` knows, that the pages of documentation
//! name, and whose attributes are decoded there.
//!
//! ODS is read by TableGen itself. No library of MLIR is in this process: TableGen brings parts of
//! LLVM of its own.

use super::{Source, only, sources};
use crate::support;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::LazyLock,
};
use support::{llvm, root};
use tblgen::{Record, TableGenParser};

/// An operation as ODS defines it.
pub struct Operation {
    /// `stablehlo`, `chlo`, …
    pub dialect: String,
    /// Without the dialect.
    pub name: String,
    attributes: BTreeSet<String>,
}

/// Folders below `dialect` and the file with all operations of each.
const DIALECTS: [(&str, &str); 4] = [
    ("stablehlo", "Ops.td"),
    ("chlo", "Ops.td"),
    ("mhlo", "Ops.td"),
    ("tarray", "Ops.td"),
];

static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let all: Vec<Operation> = DIALECTS
        .into_iter()
        .flat_map(|(folder, file)| read(folder, file))
        .collect();
    assert!(all.len() > 200, "{} operations", all.len());
    all
});

fn read(folder: &str, file: &str) -> Vec<Operation> {
    let text = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
    let parser = TableGenParser::new()
        .add_source_file(&text(root().join("dialect").join(folder).join(file)))
        .add_include_directory(&text(root().join("dialect")))
        .add_include_directory(&text(llvm().join("include")));
    let keeper = parser.parse().unwrap();
    keeper
        .all_derived_definitions("Op")
        .map(operation)
        .filter(|op| op.dialect == folder)
        .collect()
}

fn operation(record: Record<'_>) -> Operation {
    let arguments = record.dag_value("arguments").unwrap();
    let attributes = arguments.args().filter_map(|(name, value)| {
        let record: Record<'_> = value.as_def().ok()?.into();
        record.subclass_of("Attr").then_some(name?.to_owned())
    });
    let dialect = record.def_value("opDialect").unwrap();
    Operation {
        dialect: dialect.str_value("name").unwrap().to_owned(),
        name: record.str_value("opName").unwrap().to_owned(),
        attributes: attributes.collect(),
    }
}

/// The operations of StableHLO, CHLO and MHLO.
pub fn hlo() -> impl Iterator<Item = &'static Operation> {
    OPERATIONS.iter().filter(|op| op.dialect != "tarray")
}

/// The operations of the registry, as the pages of `docs/ops` name them (the tests of `src/ops`
/// compare those with the registry), without those of upstream's dialects.
fn documented() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let entries = fs::read_dir(root().join("docs/ops")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    for path in paths.filter(|path| !path.ends_with("upstream.md")) {
        let page = fs::read_to_string(path).unwrap();
        let lists = page
            .lines()
            .filter_map(|line| line.strip_prefix("Operations: "));
        for list in lists {
            let quoted = list.split('`').skip(1).step_by(2);
            names.extend(quoted.map(str::to_owned));
        }
    }
    names
}

/// Fails where the sets differ, but for these names.
fn same(rule: &str, found: BTreeSet<String>, exceptions: &[(&str, &str)]) {
    let places = found.into_iter().map(|name| (name, Vec::new())).collect();
    only(rule, places, exceptions);
}

#[test]
fn operations_of_ods_are_those_of_the_registry() {
    let rows = documented();
    let defined: BTreeSet<String> = hlo().map(|op| op.name.clone()).collect();
    same(
        "an operation of ODS has a row in src/ops",
        defined.difference(&rows).cloned().collect(),
        &WITHOUT_ROW,
    );
    same(
        "a row of src/ops is an operation of ODS",
        rows.difference(&defined).cloned().collect(),
        &WITHOUT_ODS,
    );
}

/// Operations of ODS that src/ops has no row for.
const WITHOUT_ROW: [(&str, &str); 1] = [("return", "ends a region, and computes nothing")];

/// Rows of src/ops that are no operations of ODS.
const WITHOUT_ODS: [(&str, &str); 9] = [
    (
        "asin_acos_kernel",
        "a name of CHLO's `_asin_acos_kernel` in older programs",
    ),
    ("call", "`func.call`"),
    ("dynamic_approx_top_k", "called by name"),
    ("dynamic_reduce_window", "called by name"),
    ("dynamic_rng_bit_generator", "called by name"),
    ("dynamic_top_k", "called by name"),
    ("rng_normal", "in older programs"),
    ("rng_uniform", "in older programs"),
    ("shape_assertion", "called by name"),
];

#[test]
fn attributes_of_ods_are_decoded() {
    let decoders = ["ops/", "normalize/"];
    let sources: Vec<Source> = sources()
        .into_iter()
        .filter(|source| {
            decoders
                .iter()
                .any(|folder| source.path.starts_with(folder))
        })
        .collect();
    let literals: BTreeSet<&str> = sources
        .iter()
        .flat_map(|source| &source.code)
        .flat_map(|(_, line)| line.split('"').skip(1).step_by(2))
        .collect();
    let mut missing: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for op in hlo() {
        for attribute in &op.attributes {
            if !literals.contains(attribute.as_str()) {
                let place = missing.entry(attribute.clone()).or_default();
                place.push(format!("{}.{}", op.dialect, op.name));
            }
        }
    }
    only(
        "an attribute of ODS is decoded in src/ops, or where operations are rewritten",
        missing,
        &NOT_DECODED,
    );
}

/// Attributes that nothing there reads.
const NOT_DECODED: [(&str, &str); 12] = [
    ("cross_program_prefetch_index", "of a schedule elsewhere"),
    ("custom_call_schedule", "of a schedule elsewhere"),
    ("delta", "the state of the generator is not computed"),
    (
        "entry_metadata",
        "a domain hands on its operand, whatever it says of it",
    ),
    (
        "exit_metadata",
        "a domain hands on its operand, whatever it says of it",
    ),
    ("fusion_kind", "a fusion is what its region is"),
    ("infeed_config", "there is no infeed"),
    (
        "is_associative",
        "a scan is a loop, in the order of its elements",
    ),
    (
        "kind",
        "a domain hands on its operand, whatever it says of it",
    ),
    ("outfeed_config", "there is no outfeed"),
    ("tag", "traces are not written"),
    ("version", "a composite is what its decomposition is"),
];

/// The page of a dialect has a heading for each of its operations.
#[test]
fn operations_of_ods_are_documented() {
    let mut missing = BTreeSet::new();
    for op in OPERATIONS.iter() {
        let path = root().join(format!("docs/dialects/{}.md", op.dialect));
        let page = fs::read_to_string(path).unwrap();
        let name = format!("`{}.{}`", op.dialect, op.name);
        if !page.contains(&name) {
            missing.insert(name);
        }
    }
    same("an operation of ODS is on its dialect's page", missing, &[]);
}
