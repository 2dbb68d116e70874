//! The names of operations: where they may be written.

use super::{Source, ods, only, sources};
use std::collections::{BTreeMap, BTreeSet};

/// Words of other vocabularies as well: what a JSON member, an option, an operator or a fast path
/// is called.
const EVERYDAY: [&str; 17] = [
    "map", "and", "or", "not", "slice", "domain", "clamp", "copy", "compare", "constant",
    "complex", "convert", "gather", "xor", "sort", "return", "scan",
];

/// Where files outside of these folders have the name of one of the operations, with its dialect or
/// without.
fn naming(
    sources: &[Source],
    names: &BTreeSet<&str>,
    folders: &[&str],
) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources {
        if folders.iter().any(|folder| source.path.starts_with(folder)) {
            continue;
        }
        for (number, line) in &source.code {
            for literal in line.split('"').skip(1).step_by(2) {
                let (dialect, name) = literal.split_once('.').unwrap_or(("", literal));
                let qualified = ["stablehlo", "chlo", "mhlo"].contains(&dialect);
                let named = names.contains(name)
                    && (qualified || dialect.is_empty() && !EVERYDAY.contains(&name));
                if named {
                    let place = format!("line {number} names {literal}");
                    found.entry(source.path.clone()).or_default().push(place);
                }
            }
        }
    }
    found
}

#[test]
fn operations_are_named_where_they_are_defined_written_and_computed() {
    let names: BTreeSet<&str> = ods::hlo().map(|op| op.name.as_str()).collect();
    let may = [
        "ops/",
        "normalize/",
        "interpret/",
        "codegen/scalar/",
        "codegen/math/",
        "runtime/",
    ];
    only(
        "an operation is asked what it is through src/ops, not by its name",
        naming(&sources(), &names, &may),
        &NAMING,
    );
}

/// The names in rows of the registry with an index rule.
fn moving(sources: &[Source]) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut rules = 0;
    let tables = sources.iter().filter(|source| {
        let families = source.path.strip_prefix("ops/");
        families.is_some_and(|path| {
            let others = ["upstream/", "tarray/"];
            path.ends_with("/mod.rs") && !others.iter().any(|folder| path.starts_with(folder))
        })
    });
    let is_rule = |line: &str| line.contains(".moving(") || line.contains("OpDef::of_rule(");
    for source in tables {
        let lines = || source.code.iter().map(|(_, line)| line.as_str());
        rules += lines().filter(|line| is_rule(line)).count();
        let table = lines().skip_while(|line| !line.ends_with("OPS: &[OpDef] = &["));
        let (mut name, mut moves) = ("", false);
        for line in table.skip(1).take_while(|line| *line != "];") {
            // A row begins in the column of the table, and with its name.
            let row = line.strip_prefix("    ");
            if row.is_some_and(|row| row.starts_with(char::is_alphabetic)) {
                (name, moves) = ("", false);
            }
            if name.is_empty() {
                name = line.split('"').nth(1).unwrap_or_default();
            }
            moves |= is_rule(line);
            if moves && !name.is_empty() {
                found.insert(name);
            }
        }
    }
    assert_eq!(found.len(), rules, "a row of each rule: {found:?}");
    found
}

/// Where to add an operation that moves elements: in its family, in an independent interpreter, and
/// where rewrites write it or match it.
#[test]
fn operations_that_move_elements_are_what_their_rows_say() {
    let sources = sources();
    let names = moving(&sources);
    assert!(names.len() > 15, "{names:?}");
    let defined: BTreeSet<&str> = ods::hlo().map(|op| op.name.as_str()).collect();
    assert!(names.is_subset(&defined), "{names:?}");
    only(
        "an operation that moves elements is what its index rule and its class say",
        naming(&sources, &names, &["ops/", "interpret/", "normalize/"]),
        &MOVING,
    );
}

/// Files beyond those that name operations which move elements, each with why.
const MOVING: [(&str, &str); 9] = [
    (
        "codegen/linalg/mod.rs",
        "writes operations: which one of tensor is the same",
    ),
    (
        "codegen/linalg/reduction.rs",
        "writes operations: paddings in front of reductions of windows",
    ),
    (
        "codegen/linalg/slices.rs",
        "writes operations: slices and paddings as those of tensor",
    ),
    (
        "codegen/linalg/tiling/clone_for_tile.rs",
        "writes operations: a tile of an operation is an operation of its kind",
    ),
    (
        "codegen/linalg/tiling/mod.rs",
        "writes operations: a tile of an operation is an operation of its kind",
    ),
    (
        "codegen/linalg/tiling/partial.rs",
        "writes operations: partial reductions and their sum",
    ),
    (
        "mlir/artifact/forms.rs",
        "which properties of artifacts are one attribute",
    ),
    (
        "tarray.rs",
        "writes operations: tarray has one that is called broadcast, too",
    ),
    (
        "runtime/lapack/mod.rs",
        "an option of products with reflections has that name",
    ),
];

/// Files beyond those folders, each with why it names operations.
const NAMING: [(&str, &str); 37] = [
    (
        "codegen/contract/problem.rs",
        "reads products and convolutions, each by its dimension numbers",
    ),
    (
        "codegen/general/element.rs",
        "an element of any operation: which function computes it",
    ),
    (
        "codegen/general/scatter.rs",
        "updates in place, a loop for each kind",
    ),
    (
        "codegen/general/shape.rs",
        "an element of any operation: numbers, sizes and bits, which nothing is read for",
    ),
    ("codegen/general/slabs.rs", "cuts of scatters for threads"),
    (
        "codegen/host/collective.rs",
        "calls of the runtime, one for each kind of communication",
    ),
    ("codegen/host/block.rs", "control flow, an operation each"),
    ("codegen/host/control.rs", "control flow, an operation each"),
    (
        "codegen/host/library.rs",
        "calls of the runtime, one for each kind of operation",
    ),
    ("codegen/host/inlined.rs", "control flow, an operation each"),
    ("codegen/host/order.rs", "reads the comparators of sorts"),
    ("codegen/host/plan.rs", "control flow, an operation each"),
    ("codegen/host/values.rs", "control flow, an operation each"),
    (
        "codegen/linalg/contraction.rs",
        "writes operations: products as those of linalg",
    ),
    (
        "codegen/linalg/mod.rs",
        "which operation of linalg or tensor an operation becomes",
    ),
    (
        "codegen/linalg/reads.rs",
        "which operation of linalg or tensor an operation becomes",
    ),
    (
        "codegen/linalg/reduction.rs",
        "writes operations: reductions as those of linalg",
    ),
    (
        "codegen/linalg/region.rs",
        "writes operations: reductions as those of linalg",
    ),
    (
        "codegen/linalg/slices.rs",
        "writes operations: slices and paddings as those of tensor",
    ),
    (
        "codegen/linalg/tiling/clone_for_tile.rs",
        "writes operations: a tile of an operation is an operation of its kind",
    ),
    (
        "codegen/linalg/tiling/mod.rs",
        "writes operations: a tile of an operation is an operation of its kind",
    ),
    (
        "codegen/linalg/tiling/partial.rs",
        "writes operations: partial reductions and their sum",
    ),
    (
        "codegen/in_place/control.rs",
        "control flow, an operation each",
    ),
    (
        "codegen/in_place/library.rs",
        "calls of the runtime, one for each kind of operation",
    ),
    (
        "codegen/in_place/narrow.rs",
        "writes operations: elements narrower than a byte in bytes",
    ),
    (
        "codegen/in_place/quantized.rs",
        "which operations take stored integers as they are",
    ),
    (
        "codegen/in_place/values.rs",
        "what is no operation of other dialects: barriers, calls, constants",
    ),
    ("codegen/sizes/launched.rs", "an index without a tensor"),
    (
        "codegen/tiled/select.rs",
        "reads the comparators of reductions",
    ),
    (
        "fusion/switches.rs",
        "the switch of the plan that is called fusion, as an operation of MHLO is",
    ),
    (
        "mlir/artifact/forms.rs",
        "which properties of artifacts are one attribute",
    ),
    (
        "mlir/artifact/types.rs",
        "types, one of which is called as an operation",
    ),
    (
        "mlir/artifact/write/types.rs",
        "types, one of which is called as an operation",
    ),
    (
        "native/pipeline.rs",
        "names of the functions of mathematics, which LLVM is told are pure",
    ),
    (
        "passes/shardings/write.rs",
        "annotations of sharding are custom calls",
    ),
    (
        "tarray.rs",
        "writes operations: the builder of programs of tensor arrays",
    ),
    (
        "reduce/steps.rs",
        "writes operations: constants in the place of values",
    ),
];
