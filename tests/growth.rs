//! Cost grows with the program: programs of thousands of operations, of the kinds that once took
//! quadratic time.
//!
//! What is checked is what the tools decide (pairs, regions, code of the host function). The
//! processor time of each command is limited to a minute besides, some hundred times what it takes;
//! what a quadratic step took was more.

use crate::support::folder;
use serde_json::Value;
use std::{
    collections::HashSet,
    fmt::Write as _,
    fs,
    process::{Command, Stdio},
};

/// What the command prints within a minute of processor time.
#[track_caller]
fn within_a_minute(arguments: &[&str]) -> String {
    run_within_a_minute(env!("CARGO_BIN_EXE_mapwright"), arguments)
}

#[track_caller]
fn run_within_a_minute(program: &str, arguments: &[&str]) -> String {
    let output = Command::new("sh")
        .args(["-c", "ulimit -t 60; exec \"$0\" \"$@\"", program])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&within_a_minute(arguments)).unwrap()
}

/// A file in a folder of its own.
fn program(name: &str, text: &str) -> String {
    let path = folder(name).join("program.mlir");
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// As many sums as arguments; each is of an argument and its neighbour.
fn sums_of_neighbours(n: usize) -> String {
    let arguments: Vec<String> = (0..n).map(|i| format!("%a{i}: tensor<8xf32>")).collect();
    let types = vec!["tensor<8xf32>"; n].join(", ");
    let mut text = format!(
        "func.func @main({}) -> ({types}) {{\n",
        arguments.join(", ")
    );
    for i in 0..n {
        let next = (i + 1) % n;
        let _ = writeln!(
            text,
            "  %r{i} = stablehlo.add %a{i}, %a{next} : tensor<8xf32>"
        );
    }
    let results: Vec<String> = (0..n).map(|i| format!("%r{i}")).collect();
    text + &format!("  return {} : {types}\n}}\n", results.join(", "))
}

/// One sum of `n` terms, the argument times a constant each.
fn wide_sum(n: usize) -> String {
    let ty = "tensor<16x16xf32>";
    let mut text = format!("func.func @main(%x: {ty}) -> {ty} {{\n");
    for i in 0..n {
        let _ = writeln!(text, "  %c{i} = stablehlo.constant dense<{i}.5> : {ty}");
        let _ = writeln!(text, "  %s0_{i} = stablehlo.multiply %x, %c{i} : {ty}");
    }
    let mut sum = "%s0_0".to_string();
    for i in 1..n {
        let _ = writeln!(text, "  %t{i} = stablehlo.add {sum}, %s0_{i} : {ty}");
        sum = format!("%t{i}");
    }
    text + &format!("  return {sum} : {ty}\n}}\n")
}

/// `n` times the softmax of rows, one after another.
fn softmaxes(n: usize) -> String {
    let (full, row) = ("tensor<8x16xf32>", "tensor<8xf32>");
    let mut text = format!(
        "func.func @main(%v0: {full}) -> {full} {{\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
    );
    for k in 0..n {
        let reduce = |name: &str, of: &str, init: &str, by: &str| {
            format!(
                "  {name} = stablehlo.reduce({of} init: {init}) applies stablehlo.{by} across dimensions = [1] : ({full}, tensor<f32>) -> {row}\n"
            )
        };
        let widen = |name: &str, of: &str| {
            format!("  {name} = stablehlo.broadcast_in_dim {of}, dims = [0] : ({row}) -> {full}\n")
        };
        text += &reduce(&format!("%a{k}"), &format!("%v{k}"), "%m", "maximum");
        text += &widen(&format!("%b{k}"), &format!("%a{k}"));
        let _ = writeln!(text, "  %d{k} = stablehlo.subtract %v{k}, %b{k} : {full}");
        let _ = writeln!(text, "  %e{k} = stablehlo.exponential %d{k} : {full}");
        text += &reduce(&format!("%f{k}"), &format!("%e{k}"), "%z", "add");
        text += &widen(&format!("%g{k}"), &format!("%f{k}"));
        let _ = writeln!(
            text,
            "  %v{} = stablehlo.divide %e{k}, %g{k} : {full}",
            k + 1
        );
    }
    text + &format!("  return %v{n} : {full}\n}}\n")
}

/// A loop that hands its `n` values around, each moved to where the counter says.
fn rotating_loop(n: usize) -> String {
    let ty = "tensor<64xf32>";
    let arguments: Vec<String> = (0..n).map(|i| format!("%x{i}: {ty}")).collect();
    let carried: Vec<String> = (0..n).map(|i| format!("%y{i} = %x{i}")).collect();
    let types = vec![ty; n].join(", ");
    let mut text = format!(
        "func.func @main({}) -> {ty} {{\n  %zero = stablehlo.constant dense<0> : tensor<i32>\n  %one = stablehlo.constant dense<1> : tensor<i32>\n  %end = stablehlo.constant dense<40> : tensor<i32>\n  %w:{} = stablehlo.while(%i = %zero, {}) : tensor<i32>, {types}\n  cond {{\n    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }} do {{\n    %j = stablehlo.add %i, %one : tensor<i32>\n",
        arguments.join(", "),
        n + 1,
        carried.join(", "),
    );
    for i in 0..n {
        let _ = writeln!(
            text,
            "    %s{i} = stablehlo.dynamic_slice %y{i}, %i, sizes = [8] : ({ty}, tensor<i32>) -> tensor<8xf32>\n    %u{i} = stablehlo.dynamic_update_slice %y{}, %s{i}, %j : ({ty}, tensor<8xf32>, tensor<i32>) -> {ty}\n    %z{i} = stablehlo.add %u{i}, %y{} : {ty}",
            (i + 1) % n,
            (i + 2) % n
        );
    }
    let yielded: Vec<String> = (0..n).map(|i| format!("%z{i}")).collect();
    text + &format!(
        "    stablehlo.return %j, {} : tensor<i32>, {types}\n  }}\n  return %w#1 : {ty}\n}}\n",
        yielded.join(", ")
    )
}

/// `n` steps, each of which uses the value before it twice. Exact, whatever the order of
/// operations.
fn used_twice(step: &str, n: usize) -> String {
    let (full, row, scalar) = ("tensor<8x16xi32>", "tensor<8xi32>", "tensor<i32>");
    let mut text = format!(
        "func.func public @main(%v0: {full}) -> {full} {{\n  %zero = stablehlo.constant dense<0> : {scalar}\n"
    );
    for k in 0..n {
        let (v, next) = (format!("%v{k}"), format!("%v{}", k + 1));
        text += &match step {
            "sum" => format!("  {next} = stablehlo.add {v}, {v} : {full}\n"),
            "minimum" => format!(
                "  %n{k} = stablehlo.negate {v} : {full}\n  {next} = stablehlo.minimum {v}, %n{k} : {full}\n"
            ),
            "choice" => format!(
                "  %p{k} = stablehlo.compare LT, {v}, %v0 : ({full}, {full}) -> tensor<8x16xi1>\n  %n{k} = stablehlo.not {v} : {full}\n  {next} = stablehlo.select %p{k}, {v}, %n{k} : tensor<8x16xi1>, {full}\n"
            ),
            "reverse" => format!(
                "  %n{k} = stablehlo.reverse {v}, dims = [1] : {full}\n  {next} = stablehlo.add {v}, %n{k} : {full}\n"
            ),
            "shift" => format!(
                "  %s{k} = stablehlo.slice {v} [0:8, {}:16] : ({full}) -> tensor<8x{w}xi32>\n  %n{k} = stablehlo.pad %s{k}, %zero, low = [0, 0], high = [0, {}], interior = [0, 0] : (tensor<8x{w}xi32>, {scalar}) -> {full}\n  {next} = stablehlo.add {v}, %n{k} : {full}\n",
                1 + k % 3,
                1 + k % 3,
                w = 15 - k % 3
            ),
            _ => format!(
                "  %r{k} = stablehlo.reduce({v} init: %zero) applies stablehlo.add across dimensions = [1] : ({full}, {scalar}) -> {row}\n  %n{k} = stablehlo.broadcast_in_dim %r{k}, dims = [0] : ({row}) -> {full}\n  {next} = stablehlo.subtract {v}, %n{k} : {full}\n"
            ),
        };
    }
    text + &format!("  return %v{n} : {full}\n}}\n")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn only_pairs_that_depend_on_each_other_are_composed() {
    let n = 1000;
    let path = program("growth-pairs", &sums_of_neighbours(n));
    let answer = json(&["maps", &path, "--compose", "--direction", "both", "--json"]);
    let function = &answer["functions"][0];
    let pairs = |key: &str, from: &str, to: &str| -> HashSet<(u64, u64)> {
        let number = |pair: &Value, side: &str| pair[side].as_u64().unwrap();
        let pairs = list(&function[key]).iter();
        pairs
            .map(|pair| (number(pair, from), number(pair, to)))
            .collect()
    };
    let expected: HashSet<(u64, u64)> = (0..n as u64)
        .flat_map(|i| [(i, i), (i, (i + 1) % n as u64)])
        .collect();
    assert_eq!(pairs("composed", "result", "argument"), expected);
    let inward = pairs("composed_input_to_output", "argument", "result");
    assert_eq!(inward, expected.iter().map(|(r, a)| (*a, *r)).collect());
}

/// The host function neither loads thousands of addresses before it uses one, nor stores as many
/// sizes one by one.
#[test]
fn thousands_of_arguments_are_compiled() {
    let n = 3000;
    let path = program("growth-arguments", &sums_of_neighbours(n));
    let code = folder("growth-arguments-code").join("f.ll");
    let code = code.display().to_string();
    within_a_minute(&["compile", &path, "-o", &code]);
    let text = fs::read_to_string(&code).unwrap();
    let (_, host) = text.split_once("define i32 @f_main").unwrap();
    let host = host.split("\n}").next().unwrap();
    let stores = host.matches("store i64 8,").count();
    assert!(stores < 16, "{stores} sizes are stored one by one");
    let before = host.split("call ").next().unwrap();
    let loads = before.matches(" load ptr").count();
    assert!(
        loads < 16,
        "{loads} addresses are loaded before the first call"
    );
}

/// Rows that are as long as data says, each sorted in memory that is allocated when its size is
/// known: that the host function may leave early at each size says nothing about the memory that
/// each of the others would have had by then.
#[test]
fn memory_of_data_dependent_sizes_is_freed_in_one_place() {
    let n = 100;
    let mut text = format!(
        "func.func @main(%x: tensor<64xf32>, %n: tensor<{n}xi64>) -> tensor<f32> {{\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  %first = stablehlo.constant dense<0> : tensor<1xi64>\n  %one = stablehlo.constant dense<1> : tensor<1xi64>\n"
    );
    for k in 0..n {
        let _ = writeln!(
            text,
            "  %n{k} = stablehlo.slice %n [{k}:{}] : (tensor<{n}xi64>) -> tensor<1xi64>\n  %s{k} = stablehlo.real_dynamic_slice %x, %first, %n{k}, %one : (tensor<64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>\n  %o{k} = \"stablehlo.sort\"(%s{k}) <{{dimension = 0 : i64}}> ({{\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }}) : (tensor<?xf32>) -> tensor<?xf32>\n  %c{k} = stablehlo.concatenate %o{k}, %x, dim = 0 : (tensor<?xf32>, tensor<64xf32>) -> tensor<?xf32>\n  %d{k} = stablehlo.slice %c{k} [3:4] : (tensor<?xf32>) -> tensor<1xf32>\n  %e{k} = stablehlo.reshape %d{k} : (tensor<1xf32>) -> tensor<f32>\n  %t{} = stablehlo.add %{}, %e{k} : tensor<f32>",
            k + 1,
            k + 1,
            if k == 0 { "z".into() } else { format!("t{k}") },
        );
    }
    text += &format!("  return %t{n} : tensor<f32>\n}}\n");
    let path = program("growth-memory", &text);
    let code = folder("growth-memory-code").join("f.ll");
    let code = code.display().to_string();
    within_a_minute(&["compile", &path, "-o", &code]);
    let text = fs::read_to_string(&code).unwrap();
    let (_, host) = text.split_once("define i32 @f_main").unwrap();
    let host = host.split("\n}").next().unwrap();
    assert!(host.matches("call ptr @mw_alloc").count() > n);
    let merged: usize = host
        .lines()
        .filter(|line| line.contains(" = phi "))
        .map(|line| line.matches("[ ").count())
        .sum();
    assert!(merged < 16 * n, "{merged} values are merged");
}

#[test]
fn a_wide_sum_reads_no_term_from_memory() {
    let n = 600;
    let path = program("growth-wide", &wide_sum(n));
    let answer = json(&["fusion", &path, "--json"]);
    let regions = list(&answer["functions"][0]["regions"]);
    assert!(regions.len() <= n / 192 + 1, "{} regions", regions.len());
    for region in regions {
        // The argument, and the sum so far.
        assert!(list(&region["inputs"]).len() <= 2, "{region}");
    }
    within_a_minute(&["run", &path, "--json"]);
}

#[test]
fn a_chain_of_reductions_is_cut_into_regions_that_are_alike() {
    let path = program("growth-softmaxes", &softmaxes(64));
    let answer = json(&["fusion", &path, "--json"]);
    let regions = list(&answer["functions"][0]["regions"]);
    let reductions = |region: &Value| {
        let members = list(&region["members"]).iter();
        members.filter(|op| op["op"] == "stablehlo.reduce").count()
    };
    let all: Vec<usize> = regions.iter().map(reductions).collect();
    assert_eq!(all, [16; 8]);
}

#[test]
fn fusion_of_ten_thousand_operations_is_reported() {
    let path = program("growth-report", &softmaxes(10_000 / 7));
    let answer = json(&["fusion", &path, "--json"]);
    assert!(!list(&answer["functions"][0]["regions"]).is_empty());
}

/// A loop whose maps would be too many says so, or gives a map that is not exact; it does not try
/// them all.
#[test]
fn maps_of_a_loop_have_a_budget() {
    let path = program("growth-loop", &rotating_loop(30));
    let answer = json(&["maps", &path, "--json"]);
    let ops = list(&answer["functions"][0]["ops"]);
    let whole = ops.iter().find(|op| op["op"] == "stablehlo.while").unwrap();
    let maps = list(&whole["output_to_input"])
        .iter()
        .flat_map(|pair| list(&pair["maps"]));
    let given_up = maps.filter(|map| map["exact"] == false || map["unknown"].is_string());
    assert!(given_up.count() > 0);
}

/// To a value that is made of others that are all used twice there are exponentially many ways;
/// whoever follows them remembers where he was.
#[test]
fn values_that_are_used_twice_are_gone_through_once() {
    for step in ["sum", "minimum", "choice", "reverse", "shift", "rows"] {
        let path = program(&format!("growth-twice-{step}"), &used_twice(step, 40));
        let expected = within_a_minute(&["run", &path, "--interpret"]);
        // Each emitter, and each without the ones before it.
        for disable in ["", "chain", "contraction", "tiled", "tiled,contraction"] {
            let found = match disable {
                "" => within_a_minute(&["run", &path]),
                _ => within_a_minute(&["run", &path, "--disable", disable]),
            };
            assert_eq!(found, expected, "{step} without {disable}");
        }
        within_a_minute(&["maps", &path, "--compose", "--direction", "both", "--json"]);
        for what in ["views", "utilization", "coalescing", "tiles"] {
            within_a_minute(&["analyze", &path, "--what", what, "--json"]);
        }
        for passes in [
            &["--indexing-lower-in-place"][..],
            &["--indexing-lower-in-place=disable=tiled"],
            &["--indexing-legalize-to-linalg"],
            &["--indexing-canonicalize", "--indexing-fold"],
            &["--indexing-refine-shapes"],
        ] {
            let arguments = [&[path.as_str()][..], passes].concat();
            run_within_a_minute(env!("CARGO_BIN_EXE_mapwright-opt"), &arguments);
        }
    }
}

/// The same inside of loops: where an index is doubled again and again, and where each branch hands
/// on a tensor of a run-time size.
#[test]
fn values_that_are_used_twice_in_loops_are_gone_through_once() {
    let (index, data) = ("tensor<i32>", "tensor<64x4xf32>");
    let doubled: String = (0..40)
        .map(|k| format!("    %j{} = stablehlo.add %j{k}, %j{k} : {index}\n", k + 1))
        .collect();
    let rows = program(
        "growth-twice-index",
        &format!(
            "func.func @main(%x: {data}) -> tensor<1x4xf32> {{
  %zero = stablehlo.constant dense<0> : {index}
  %one = stablehlo.constant dense<1> : {index}
  %n = stablehlo.constant dense<4> : {index}
  %sum = stablehlo.constant dense<0.0> : tensor<1x4xf32>
  %w:2 = stablehlo.while(%j0 = %zero, %s = %sum) : {index}, tensor<1x4xf32>
  cond {{
    %p = stablehlo.compare LT, %j0, %n : ({index}, {index}) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
{doubled}    %row = stablehlo.dynamic_slice %x, %j40, %zero, sizes = [1, 4] : ({data}, {index}, {index}) -> tensor<1x4xf32>
    %t = stablehlo.add %s, %row : tensor<1x4xf32>
    %next = stablehlo.add %j0, %one : {index}
    stablehlo.return %next, %t : {index}, tensor<1x4xf32>
  }}
  return %w#1 : tensor<1x4xf32>
}}
"
        ),
    );
    let (open, truth) = ("tensor<?xf32>", "tensor<i1>");
    let chosen: String = (0..40)
        .map(|k| {
            format!(
                "    %v{} = \"stablehlo.if\"(%p) ({{
      %a = stablehlo.add %v{k}, %x : {open}
      stablehlo.return %a : {open}
    }}, {{
      %a = stablehlo.multiply %v{k}, %x : {open}
      stablehlo.return %a : {open}
    }}) : ({truth}) -> {open}\n",
                k + 1
            )
        })
        .collect();
    let branches = program(
        "growth-twice-branches",
        &format!(
            "func.func @main(%x: {open}, %p: {truth}, %n: {index}) -> {open} {{
  %zero = stablehlo.constant dense<0> : {index}
  %one = stablehlo.constant dense<1> : {index}
  %w:2 = stablehlo.while(%i = %zero, %v0 = %x) : {index}, {open}
  cond {{
    %less = stablehlo.compare LT, %i, %n : ({index}, {index}) -> {truth}
    stablehlo.return %less : {truth}
  }} do {{
{chosen}    %next = stablehlo.add %i, %one : {index}
    stablehlo.return %next, %v40 : {index}, {open}
  }}
  return %w#1 : {open}
}}
"
        ),
    );
    for (path, passes) in [
        (&rows, "--indexing-differentiate=of=main wrt=0"),
        (&rows, "--indexing-lower-in-place"),
        (&branches, "--indexing-lower-in-place"),
        (&branches, "--indexing-legalize-to-linalg"),
    ] {
        run_within_a_minute(env!("CARGO_BIN_EXE_mapwright-opt"), &[path, passes]);
    }
    for path in [&rows, &branches] {
        within_a_minute(&["maps", path, "--compose", "--direction", "both", "--json"]);
        within_a_minute(&["compile", path, "-o", &format!("{path}.o")]);
    }
}

/// Layers whose hidden dimension is along devices, one after the other: each has an all-reduce,
/// which follows from that of the one before. And as many columns that are summed by themselves,
/// whose all-reduces are one.
#[test]
fn hundreds_of_all_reduces_are_combined_once() {
    let layers: usize = 200;
    let (wide, narrow) = ("tensor<8x4xf32>", "tensor<4x8xf32>");
    let mut text = format!(
        "sdy.mesh @mesh = <[\"x\"=2]>
func.func @main(%v0: tensor<2x4xf32>, %w: {narrow} {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{\"x\"}}]>}}, %u: {wide} {{sdy.sharding = #sdy.sharding<@mesh, [{{\"x\"}}, {{}}]>}}) -> (tensor<2x4xf32>, tensor<f32>) {{
  %s0 = stablehlo.constant dense<0.0> : tensor<f32>\n"
    );
    for k in 0..layers {
        text += &format!(
            "  %h{k} = stablehlo.dot_general %v{k}, %w, contracting_dims = [1] x [0] : (tensor<2x4xf32>, {narrow}) -> tensor<2x8xf32>
  %v{next} = stablehlo.dot_general %h{k}, %u, contracting_dims = [1] x [0] : (tensor<2x8xf32>, {wide}) -> tensor<2x4xf32>
  %c{k} = stablehlo.constant dense<{next}.0> : {wide}
  %m{k} = stablehlo.multiply %u, %c{k} : {wide}
  %r{k} = stablehlo.reduce(%m{k} init: %s0) applies stablehlo.add across dimensions = [0, 1] : ({wide}, tensor<f32>) -> tensor<f32>
  %t{k} = stablehlo.sine %r{k} : tensor<f32>
  %s{next} = stablehlo.add %s{k}, %t{k} : tensor<f32>\n",
            next = k + 1
        );
    }
    text += &format!("  return %v{layers}, %s{layers} : tensor<2x4xf32>, tensor<f32>\n}}\n");
    let path = program("growth-all-reduces", &text);
    let opt = env!("CARGO_BIN_EXE_mapwright-opt");
    let partitioned = run_within_a_minute(opt, &[&path, "--indexing-partition"]);
    // The sums come with that of the first layer.
    assert_eq!(partitioned.matches("stablehlo.all_reduce").count(), layers);
}

/// Rows less their sums, as of a softmax: what only the general emitter takes is cut where a sum
/// would be made again for each element of its row.
#[test]
fn reductions_are_not_made_again_for_each_element() {
    let path = program(
        "growth-again",
        &used_twice("rows", 3)
            .replace("8x16", "512x1024")
            .replace("8xi32", "512xi32"),
    );
    let answer = json(&["run", &path, "--disable", "tiled", "--json"]);
    let kernels = list(&answer["kernels"]);
    // The sum of each step and what is left at the end.
    assert!(kernels.len() >= 4, "{answer}");
}
