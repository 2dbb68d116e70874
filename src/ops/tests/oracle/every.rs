//! No operation is without an oracle, or a reason why it has none.

use super::harness::{checked_by, context, last_operation, rule_of};
use super::{
    bounded, collective, contraction, control, dynamic, elementwise, folding, gather, linalg, scan,
    shape, slicing, source, window,
};
use mapwright_mlir::melior::ir::Module;
use mapwright_ops::{Composer, registry};
use std::collections::BTreeSet;

/// They have no operands, so there is nothing to relate.
const SOURCES: [&str; 5] = [
    "constant",
    "iota",
    "create_token",
    "partition_id",
    "replica_id",
];

/// What they read is not in the program, or known at run time only: the maps are unknown, and say
/// why.
const UNKNOWN: [&str; 17] = [
    "async_start",
    "async_update",
    "async_done",
    "after_all",
    "dynamic_approx_top_k",
    "dynamic_reduce_window",
    "dynamic_rng_bit_generator",
    "dynamic_top_k",
    "get_tuple_element",
    "infeed",
    "outfeed",
    "recv",
    "send",
    "shape_assertion",
    "trace",
    "tuple",
    "xla.rng_get_and_update_state",
];

#[test]
fn every_operation_has_an_oracle() {
    let checks: [fn(); 41] = [
        bounded::bounded_dimensions,
        collective::collectives,
        contraction::dot_general,
        contraction::convolution,
        contraction::einsum,
        contraction::ragged_dot,
        control::calls_and_barriers,
        control::branches,
        control::loops,
        control::counted_loops,
        control::captures,
        scan::scans,
        control::places_in_calls,
        dynamic::broadcasts_and_reshapes,
        dynamic::slices,
        dynamic::pads,
        dynamic::gathers,
        dynamic::sizes,
        elementwise::elementwise,
        elementwise::broadcasting,
        folding::gather_of_an_affine_index,
        gather::gather,
        gather::scatter,
        linalg::fft,
        linalg::triangular_solve,
        linalg::cholesky,
        shape::elementwise_forms,
        shape::broadcast_in_dim,
        shape::transpose,
        shape::reverse,
        shape::reshape,
        shape::bitcast_convert,
        shape::reduce,
        shape::batch_norm,
        shape::sort_and_top_k,
        slicing::slice,
        slicing::dynamic_slice,
        slicing::dynamic_update_slice,
        slicing::concatenate,
        source::random_numbers,
        window::reduce_window,
    ];
    let mut checked = checked_by(|| checks.iter().for_each(|check| check()));
    checked.extend(checked_by(|| {
        slicing::pad();
        window::select_and_scatter();
    }));
    let all: BTreeSet<String> = registry::all().map(|def| def.name.to_owned()).collect();
    let without: BTreeSet<String> = SOURCES
        .iter()
        .chain(&UNKNOWN)
        .map(|name| (*name).to_owned())
        .collect();
    let missing: Vec<_> = all
        .difference(&checked)
        .filter(|name| !without.contains(*name))
        .collect();
    assert!(
        missing.is_empty(),
        "without an oracle or a reason: {missing:?}"
    );
    let unchecked: Vec<_> = registry::all()
        .filter(|def| def.index_rule.is_some() && !checked.contains(&rule_of(def.name)))
        .map(|def| def.name)
        .collect();
    assert!(
        unchecked.is_empty(),
        "index rules without a case: {unchecked:?}"
    );
    for feature in [
        "a size of 0",
        "a size of 1",
        "negative padding",
        "interior padding",
        "strides above 1",
        "lhs_dilation above 1",
        "rhs_dilation above 1",
        "base_dilations above 1",
        "window_dilations above 1",
        "feature_group_count above 1",
        "batch_group_count above 1",
        "an index below 0",
        "an index beyond the end",
    ] {
        assert!(checked.contains(feature), "no case has {feature}");
    }
    let stale: Vec<_> = without
        .iter()
        .filter(|name| checked.contains(*name) || !all.contains(*name))
        .collect();
    assert!(stale.is_empty(), "a reason that is none: {stale:?}");
}

/// Every operation that the dialects define is in the registry: their reference is made from the
/// definitions.
#[test]
fn every_operation_of_the_dialects_is_known() {
    let mut found = 0;
    for dialect in registry::DIALECTS {
        let path = format!(
            "{}/../../docs/dialects/{dialect}.md",
            env!("CARGO_MANIFEST_DIR")
        );
        let page = std::fs::read_to_string(&path).unwrap();
        for line in page.lines() {
            let Some(name) = line
                .strip_prefix(&format!("### `{dialect}."))
                .and_then(|rest| rest.split('`').next())
            else {
                continue;
            };
            found += 1;
            // A terminator has no results.
            assert!(
                name == "return" || registry::by_name(name).is_some(),
                "{dialect}.{name}"
            );
        }
    }
    assert!(found > 250, "{found}");
}

/// The reasons hold.
#[test]
fn the_reasons_hold() {
    let context = context();
    let maps = |name: &str, operands: &str, types: &str| {
        let text = format!(
            "func.func @f(%arg0: tensor<2xf32>) {{ %0 = \"stablehlo.{name}\"({operands}) : ({types}) -> tensor<2xf32> return }}"
        );
        let module = Module::parse(&context, &text).unwrap();
        let operation = last_operation(&module);
        let composer = Composer::new();
        let back = composer.output_to_input(operation, 0).to_vec();
        let there: Vec<_> = (0..operation.num_operands())
            .flat_map(|i| composer.input_to_output(operation, i).to_vec())
            .collect();
        let back = back.into_iter().flat_map(|found| found.maps);
        back.chain(there.into_iter().flat_map(|found| found.maps))
            .collect::<Vec<_>>()
    };
    for name in SOURCES {
        assert!(maps(name, "", "").is_empty(), "{name}");
    }
    for name in UNKNOWN {
        let found = maps(name, "%arg0", "tensor<2xf32>");
        assert_eq!(found.len(), 2, "{name}");
        assert!(
            found
                .iter()
                .all(|map| map.unknown_reason().is_some_and(|reason| reason.len() > 10)),
            "{name}: {found:?}"
        );
    }
}
