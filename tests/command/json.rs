//! Every JSON document is what its schema in `docs/schemas` says.

use super::{ADD, file, json_of, mapwright, mapwright_reads};
use crate::support::{folder, root, schema::Schema};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs};

/// Run-time sizes, a runtime variable, and a loop.
const LOOP: &str = "func.func @main(%x: tensor<?x8xf32>, %i: tensor<i32>) -> (tensor<?x3xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %zero, %i, sizes = [1, 3] : (tensor<?x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %1:2 = stablehlo.while(%k = %zero, %a = %0) : tensor<i32>, tensor<1x3xf32>
  cond {
    %p = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %k, %one : tensor<i32>
    %twice = stablehlo.add %a, %a : tensor<1x3xf32>
    stablehlo.return %next, %twice : tensor<i32>, tensor<1x3xf32>
  }
  %2 = stablehlo.slice %x [0:1, 0:3] : (tensor<?x8xf32>) -> tensor<1x3xf32>
  %3 = stablehlo.add %1#1, %2 : tensor<1x3xf32>
  %4 = stablehlo.slice %x [0:1, 5:8] : (tensor<?x8xf32>) -> tensor<1x3xf32>
  %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>
  return %5, %1#0 : tensor<?x3xf32>, tensor<i32>
}
";

/// The programs that commands are tried on.
fn programs(name: &str) -> Vec<String> {
    let folder = folder(name);
    let own = [("add.mlir", ADD), ("loop.mlir", LOOP)];
    let own = own.map(|(name, text)| file(&folder, name, text));
    let example = |name: &str| root().join("examples").join(name).join("program.mlir");
    let examples =
        ["softmax", "mlp", "reshape_chain"].map(|name| example(name).display().to_string());
    own.into_iter().chain(examples).collect()
}

#[test]
fn maps_and_regions() {
    let (maps, fusion) = (Schema::of("maps"), Schema::of("fusion"));
    for program in programs("schemas-maps") {
        let options = ["--direction", "both", "--compose", "--json"];
        let answer = json_of(mapwright(
            &[&["maps", program.as_str()][..], &options].concat(),
        ));
        maps.check(&answer);
        // A schema that accepts everything says nothing.
        let mut other = answer.clone();
        other["functions"][0]["ops"][0]["op"] = Value::Null;
        assert!(!maps.accepts(&other));
        other = answer;
        other["functions"][0]["new"] = json!(1);
        assert!(!maps.accepts(&other));
        fusion.check(&json_of(mapwright(&["fusion", &program, "--json"])));
    }
}

#[test]
fn analyses() {
    let schema = Schema::of("analyze");
    let mut members = BTreeSet::new();
    for program in programs("schemas-analyze") {
        for what in ["views", "utilization", "coalescing", "tiles"] {
            let answer = json_of(mapwright(&["analyze", &program, "--what", what, "--json"]));
            schema.check(&answer);
            for entry in answer.as_array().unwrap() {
                members.extend(entry.as_object().unwrap().keys().cloned());
            }
        }
    }
    for program in programs("schemas-analyze") {
        let summary = json_of(mapwright(&["analyze", &program, "--json"]));
        schema.check(&summary);
        let counted: u64 = summary["results"]
            .as_object()
            .unwrap()
            .values()
            .map(|n| n.as_u64().unwrap())
            .sum();
        let views = json_of(mapwright(&[
            "analyze", &program, "--what", "views", "--json",
        ]));
        let results = views.as_array().unwrap().iter();
        let results: usize = results
            .map(|own| own["results"].as_array().unwrap().len())
            .sum();
        assert_eq!(counted, results as u64);
    }
    let tile = ["--what", "utilization", "--tile-sizes", "1,2", "--json"];
    let folder = folder("schemas-analyze-tile");
    let program = file(&folder, "add.mlir", ADD);
    schema.check(&json_of(mapwright(
        &[&["analyze", program.as_str()][..], &tile].concat(),
    )));
    let expected = ["accesses", "location", "op", "operands", "results", "tile"];
    assert!(members.iter().eq(expected.iter()), "{members:?}");
}

#[test]
fn maps_alone() {
    let lines = |arguments: &[&str], input: &str| -> Vec<Value> {
        let run = mapwright_reads(arguments, input);
        let lines = run.out.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let map = "(d0)[s0] -> (d0 + s0 * 0), domain: d0 in [0, 7], s0 in [0, 1]";
    let unknown = "{\"map\": \"UNKNOWN\"}\nno JSON\n";
    let simplify = Schema::of("simplify");
    for arguments in [
        &["simplify", "--json", "--explain", map][..],
        &["simplify", "--json", "--verify-each-rewrite", map],
    ] {
        lines(arguments, "")
            .iter()
            .for_each(|line| simplify.check(line));
    }
    let answers = lines(&["simplify", "--json"], unknown);
    assert_eq!(answers.len(), 2);
    answers.iter().for_each(|line| simplify.check(line));
    let composed = lines(
        &["compose", "--json", "(d0) -> (d0 + 5)", "(d0) -> (d0 * 2)"],
        "",
    );
    composed.iter().for_each(|line| simplify.check(line));
    let eval = Schema::of("eval");
    for point in ["--dims=3", "--dims=9"] {
        let answers = lines(&["eval", map, point, "--ranges=1"], "");
        answers.iter().for_each(|line| eval.check(line));
    }
    lines(&["eval"], unknown)
        .iter()
        .for_each(|line| eval.check(line));
    let compare = Schema::of("compare");
    for other in [map, "(d0) -> (d0)", "(d0)[s0] -> (d0 * d0 mod 3 + s0)"] {
        let answers = lines(&["compare", "--json", map, other], "");
        answers.iter().for_each(|line| compare.check(line));
    }
}

#[test]
fn runs() {
    let schema = Schema::of("run");
    let folder = folder("schemas-run");
    let program = file(&folder, "add.mlir", ADD);
    for options in [
        &[][..],
        &["--interpret"],
        &["--bench=0.01", "--threads", "2"],
        &["--profile"],
        &["--devices", "2"],
    ] {
        schema.check(&json_of(mapwright(
            &[&["run", program.as_str(), "--json"][..], options].concat(),
        )));
    }
    let inputs: Vec<String> = ["a", "b"]
        .map(|name| folder.join(name).display().to_string())
        .into();
    let x = super::npy("(2, 3)", &[1.0; 6]);
    let y = super::npy("(3, 2)", &[2.0; 6]);
    for folder in &inputs {
        fs::create_dir_all(folder).unwrap();
        fs::write(format!("{folder}/arg0.npy"), &x).unwrap();
        fs::write(format!("{folder}/arg1.npy"), &y).unwrap();
    }
    let calls = ["--inputs", &inputs[0], "--inputs", &inputs[1]];
    for options in [&[][..], &["--interpret"]] {
        let all = [&["run", program.as_str(), "--json"][..], &calls, options].concat();
        schema.check(&json_of(mapwright(&all)));
    }
}

#[test]
fn shards() {
    let schema = Schema::of("shards");
    let layout = [
        "--device-matrix",
        "2,2",
        "--alias",
        "a,b",
        "--shape",
        "4,8",
        "--json",
    ];
    for options in [
        &["--tensor-map", "a,b"][..],
        &["--tensor-map", "a,None", "--partial", "b"],
        &["--from", "a,None", "--to", "None,a"],
    ] {
        schema.check(&json_of(mapwright(
            &[&["shards"][..], &layout, options].concat(),
        )));
    }
}

/// A schema that no test reads would not be checked.
#[test]
fn every_schema_is_known() {
    let files = fs::read_dir(root().join("docs/schemas")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<String> = names.collect();
    let known = [
        "analyze", "compare", "entries", "eval", "fusion", "maps", "plan", "run", "shards",
        "simplify",
    ];
    let known: BTreeSet<String> = known.map(|name| format!("{name}.json")).into();
    assert_eq!(names, known);
    let page = fs::read_to_string(root().join("docs/commands.md")).unwrap();
    for name in names {
        assert!(
            page.contains(&format!("schemas/{name}")),
            "docs/commands.md has no link to {name}"
        );
    }
}
