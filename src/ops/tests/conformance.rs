//! Maps of every operation of the conformance programs: none of them makes the code panic, every
//! map is well-formed, and it is counted which operations have unknown maps, and why.
//! `MAPWRIGHT_SHARED` or `../shared` has the programs.

use crate::files;
use crate::shared;
use mapwright_indexing::IndexingMap;
use mapwright_mlir::{Op, melior::ir::Module};
use mapwright_ops::{Composer, operations};
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Default)]
struct Count {
    maps: usize,
    exact: usize,
    unknown: BTreeMap<String, usize>,
}

impl Count {
    fn add(&mut self, operation: Op<'_>, maps: &[IndexingMap], path: &Path) {
        assert!(
            !maps.is_empty(),
            "{}: no map for {operation}",
            path.display()
        );
        for map in maps {
            self.maps += 1;
            if let Err(problem) = map.verify() {
                panic!("{}: {problem} in {map} for {operation}", path.display());
            }
            match map.unknown_reason() {
                Some(reason) => {
                    *self
                        .unknown
                        .entry(format!("{}: {reason}", operation.name()))
                        .or_default() += 1
                }
                None => self.exact += usize::from(map.is_exact()),
            }
            // What is printed reads back as the same function.
            if map.is_known() {
                let text = map.to_string();
                assert!(
                    text.parse::<IndexingMap>().is_ok(),
                    "{}: {text}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn every_program() {
    let mut found = Vec::new();
    for folder in [
        "conformance/programs",
        "conformance/quantized",
        "conformance/dynamic",
        "conformance/units",
        "conformance/valid",
        "bench/programs",
    ] {
        if let Some(folder) = shared::shared(folder) {
            found.extend(files::programs_in(&folder));
        }
    }
    if found.is_empty() {
        return;
    }
    let (mut count, mut parsed, mut composed) = (Count::default(), 0, 0);
    for path in &found {
        // One context a program: nothing is kept that another one could see.
        let context = mapwright_mlir::context::context();
        context.set_allow_unregistered_dialects(true);
        let text = std::fs::read_to_string(path).unwrap();
        let _quiet = context.attach_diagnostic_handler(|_| true);
        let Some(module) = Module::parse(&context, &text) else {
            continue;
        };
        parsed += 1;
        let composer = Composer::new();
        let all = operations(Op::new(module.as_operation()));
        for operation in &all {
            for result in 0..operation.num_results() {
                for found in composer.output_to_input(*operation, result).iter() {
                    count.add(*operation, &found.maps, path);
                }
            }
            for operand in 0..operation.num_operands() {
                for found in composer.input_to_output(*operation, operand).iter() {
                    count.add(*operation, &found.maps, path);
                }
            }
        }
        // Back from the last value to everything.
        if let Some(last) = all.iter().rfind(|operation| {
            operation.num_results() > 0 && !operation.name().starts_with("func.")
        }) && text.len() < 100_000
        {
            composed += composer.backward(last.result(0)).iter().count();
        }
    }
    eprintln!(
        "{parsed} of {} programs, {} maps, {} exact, {composed} values reached",
        found.len(),
        count.maps,
        count.exact
    );
    let mut reasons: Vec<(usize, String)> = count
        .unknown
        .into_iter()
        .map(|(reason, n)| (n, reason))
        .collect();
    reasons.sort_by(|a, b| b.cmp(a));
    for (n, reason) in reasons.iter().take(60) {
        eprintln!("{n:6} {reason}");
    }
    assert!(parsed > 0 && count.maps > parsed);
}
