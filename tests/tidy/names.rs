//! The names of operations: where they may be written.

use super::{ods, only, sources};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn operations_are_named_where_they_are_defined_written_and_computed() {
    let names: BTreeSet<&str> = ods::hlo().map(|op| op.name.as_str()).collect();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // Words of other vocabularies as well: what a JSON member, an option, an operator or a fast path is called.
    let everyday = [
        "map", "and", "or", "not", "slice", "domain", "clamp", "copy", "compare", "constant",
        "complex", "convert", "gather", "xor", "sort", "return", "scan",
    ];
    for source in sources() {
        let may = [
            "ops/",
            "normalize/",
            "interpret/",
            "codegen/scalar/",
            "codegen/math/",
            "runtime/",
        ];
        if may.iter().any(|folder| source.path.starts_with(folder)) {
            continue;
        }
        for (number, line) in &source.code {
            for literal in line.split('"').skip(1).step_by(2) {
                let (dialect, name) = literal.split_once('.').unwrap_or(("", literal));
                let qualified = ["stablehlo", "chlo", "mhlo"].contains(&dialect);
                let named = names.contains(name)
                    && (qualified || dialect.is_empty() && !everyday.contains(&name));
                if named {
                    let place = format!("line {number} names {literal}");
                    found.entry(source.path.clone()).or_default().push(place);
                }
            }
        }
    }
    only(
        "an operation is asked what it is through src/ops, not by its name",
        found,
        &NAMING,
    );
}

/// Files beyond those folders, each with why it names operations.
const NAMING: [(&str, &str); 36] = [
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
    ("codegen/host/light.rs", "control flow, an operation each"),
    ("codegen/host/order.rs", "reads the comparators of sorts"),
    (
        "codegen/host/parts.rs",
        "the products of a contraction are counted by its dimension numbers",
    ),
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
        "codegen/linalg/tiling/again.rs",
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
        "codegen/mixed/control.rs",
        "control flow, an operation each",
    ),
    (
        "codegen/mixed/library.rs",
        "calls of the runtime, one for each kind of operation",
    ),
    (
        "codegen/mixed/narrow.rs",
        "writes operations: elements narrower than a byte in bytes",
    ),
    (
        "codegen/mixed/quantized.rs",
        "which operations take stored integers as they are",
    ),
    (
        "codegen/mixed/values.rs",
        "what is no operation of other dialects: barriers, calls, constants",
    ),
    ("codegen/sizes/launched.rs", "an index without a tensor"),
    (
        "codegen/tiled/region.rs",
        "reshapes say nothing of the size of an element's own tensor",
    ),
    (
        "codegen/tiled/select.rs",
        "reads the comparators of reductions",
    ),
    (
        "fusion/switches.rs",
        "the switch of the plan that is called fusion, as an operation of MHLO is",
    ),
    (
        "native/pipeline.rs",
        "names of the functions of mathematics, which LLVM is told are pure",
    ),
    (
        "passes/shardings/read.rs",
        "annotations of sharding are custom calls",
    ),
    (
        "passes/shardings/write.rs",
        "annotations of sharding are custom calls",
    ),
    (
        "tarray.rs",
        "writes operations: the builder of programs of tensor arrays",
    ),
];
