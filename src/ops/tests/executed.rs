//! Every operation of the registry is executed by a file of `lit-tests/execute`, or stands here
//! with the reason why not.

use crate::files;
use mapwright_ops::registry;
use std::collections::BTreeSet;
use std::path::Path;

/// Operations that have no file, and why.
const WITHOUT: &[(&str, &[&str])] = &[
    (
        "only HLO and MHLO have it, and no program of StableHLO comes to it",
        &[
            "_asin_acos_kernel",
            "add_dependency",
            "asin_acos_kernel",
            "async_done",
            "async_start",
            "async_update",
            "bitcast",
            "domain",
            "fusion",
            "minimum_broadcast_shapes",
            "rng_normal",
            "rng_uniform",
            "stochastic_convert",
            "topk",
            "trace",
            "xla.rng_get_and_update_state",
        ],
    ),
    (
        "rewritten to operations that have files: lit-tests/normalize compares what comes out",
        &["ragged_dot", "scan"],
    ),
    (
        "ends a call or does nothing: lit-tests/codegen/host",
        &["shape_assertion"],
    ),
    (
        "called by name: lit-tests/codegen/general/dynamic-calls.mlir",
        &[
            "dynamic_approx_top_k",
            "dynamic_rng_bit_generator",
            "dynamic_top_k",
        ],
    ),
    (
        "not yet: the older name of a sum by all_reduce",
        &["cross-replica-sum"],
    ),
    ("spelt `func.call`, which every file does", &["call"]),
];

#[test]
fn every_operation_is_executed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit-tests/execute");
    let mut executed = BTreeSet::new();
    for path in files::programs_in(&folder) {
        let text = std::fs::read_to_string(&path).unwrap();
        for dialect in registry::DIALECTS {
            for rest in text.split(&format!("{dialect}.")).skip(1) {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                executed.insert(rest[..end.unwrap_or(rest.len())].to_string());
            }
        }
    }
    let excused: BTreeSet<&str> = WITHOUT
        .iter()
        .flat_map(|(_, names)| names.iter().copied())
        .collect();
    let missing: Vec<&str> = registry::all()
        .map(|def| def.name)
        .filter(|name| !executed.contains(*name) && !excused.contains(name))
        .collect();
    assert!(
        missing.is_empty(),
        "no file of lit-tests/execute executes {missing:?}"
    );
    let stale: Vec<&&str> = excused
        .iter()
        .filter(|name| executed.contains(**name) || registry::by_name(name).is_none())
        .collect();
    assert!(stale.is_empty(), "have a file, or are unknown: {stale:?}");
}
