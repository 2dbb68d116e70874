//! `mapwright shards --plan`, beside what is counted by hand.

use super::{file, json_of, mapwright};
use crate::support::schema::Schema;
use crate::support::{folder, root};
use std::fs;

/// A Transformer of 7 billion parameters on 8, 1,024 and 100,000 devices: batches are split along
/// `data`, heads and hidden units along `model`, and so are the features of the residual stream,
/// as those of the embedding are. Each layer gathers its normalised rows twice and scatters its two
/// sums; the squares of a row are summed up before each of these.
#[test]
fn a_transformer_sends_what_is_counted_by_hand() {
    let text = fs::read_to_string(root().join("tests/command/plan/transformer.mlir")).unwrap();
    let (row, vocabulary, layers) = (2048i64, 32_000i64, 32i64);
    let (width, hidden) = (4096i64, 11_008i64);
    for (data, model) in [(4, 2), (128, 8), (12_500, 8)] {
        let mesh = format!("sdy.mesh @mesh = <[\"data\"={data}, \"model\"={model}]>");
        let devices = data * model;
        let on_mesh: String = text
            .lines()
            .map(|line| {
                if line.contains("sdy.mesh ") {
                    format!("{mesh}\n")
                } else {
                    format!("{line}\n")
                }
            })
            .collect();
        let partitions = format!("mhlo.num_partitions = {devices} : i32");
        let program = on_mesh.replace("mhlo.num_partitions = 8 : i32", &partitions);
        // One sequence for each part of the batch.
        let program = program.replace("77776", &data.to_string());
        let folder = folder(&format!("plan-{devices}"));
        let path = file(&folder, "transformer.mlir", &program);
        let options = [
            "--json",
            "--latency",
            "1e-6",
            "--bandwidth",
            "1e11",
            "--flop-rate",
            "1e14",
        ];
        let plan = json_of(mapwright(
            &[&["shards", "--plan", path.as_str()][..], &options].concat(),
        ));
        Schema::of("plan").check(&plan);
        let rows = row;
        let stream = rows * width * 4;
        let share = |bytes: i64| bytes / model * (model - 1);
        let sums = 2 * layers * 2 * share(rows * 4);
        assert_eq!(plan["devices"], devices);
        assert_eq!(plan["sent_bytes"], (4 * layers + 1) * share(stream) + sums);
        let matrices = layers * (4 * width * width + 3 * width * hidden);
        let split = (2 * vocabulary * width + matrices) / model;
        let whole = layers * 2 * width;
        assert_eq!(plan["argument_bytes"], 4 * (split + whole + rows));
        let attention = layers * 2 * row * width;
        let products = matrices + attention + width * vocabulary;
        let flops = 2.0 * rows as f64 * products as f64 / model as f64;
        assert_eq!(plan["flops"], flops);
        assert_eq!(plan["computation_seconds"], flops / 1e14);
        // Rounds: one for two devices, three for eight, twice as many where sums go both ways.
        let rounds = if model == 2 { 1 } else { 3 };
        let rounds = rounds * (4 * layers + 1 + 2 * 2 * layers);
        let sent = plan["sent_bytes"].as_f64().unwrap();
        let model_of_time = sent / 1e11 + rounds as f64 * 1e-6;
        let seconds = plan["communication_seconds"].as_f64().unwrap();
        assert!(
            (seconds / model_of_time - 1.0).abs() < 1e-9,
            "{seconds} {model_of_time}"
        );
        let computed = plan["computation_seconds"].as_f64().unwrap();
        let overlapped = plan["overlapped_seconds"].as_f64().unwrap();
        let bounds = seconds.max(computed) * (1.0 - 1e-9)..=(seconds + computed) * (1.0 + 1e-9);
        assert!(bounds.contains(&overlapped), "{overlapped} {bounds:?}");
    }
}

/// A product along split rows, in two halves: the sum of the first one is on its way while the
/// second one is computed.
#[test]
fn halves_of_a_product_are_sent_beside_each_other() {
    let half = |name: &str, operand: &str| {
        format!(
            "  %{name} = stablehlo.dot_general %{operand}, %w, contracting_dims = [1] x [0] : (tensor<1024x4096xf32>, tensor<4096x1024xf32>) -> tensor<1024x1024xf32>\n"
        )
    };
    let split = |rest: &str| format!("{{sdy.sharding = #sdy.sharding<@mesh, [{rest}]>}}");
    let (left, right) = (split("{}, {\"x\"}"), split("{\"x\"}, {}"));
    let program = format!(
        "sdy.mesh @mesh = <[\"x\"=2]>
func.func @main(%a: tensor<1024x4096xf32> {left}, %b: tensor<1024x4096xf32> {left}, %w: tensor<4096x1024xf32> {right}) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {{
{}{}  return %0, %1 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}}
",
        half("0", "a"),
        half("1", "b")
    );
    let path = file(&folder("plan-halves"), "f.mlir", &program);
    let plan = |rate: &str| {
        let options = ["--json", "--bandwidth", "1e9", "--flop-rate", rate];
        let given = ["shards", "--plan", path.as_str(), "--latency", "1e-9"];
        let plan = json_of(mapwright(&[&given[..], &options].concat()));
        let of = |name: &str| plan[name].as_f64().unwrap();
        (
            of("communication_seconds"),
            of("computation_seconds"),
            of("overlapped_seconds"),
        )
    };
    let is_near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-5;
    // Products longer than sums: all but the last sum is beside them.
    let (sent, computed, overlapped) = plan("1e11");
    assert!(is_near(sent, 2.0 * 4.0 * 1024.0 * 1024.0 / 1e9), "{sent}");
    assert!(computed > sent);
    assert!(is_near(overlapped, computed + sent / 2.0), "{overlapped}");
    // Sums longer than products: all but the first product is beside them.
    let (sent, computed, overlapped) = plan("1e14");
    assert!(computed < sent);
    assert!(is_near(overlapped, sent + computed / 2.0), "{overlapped}");
}

#[test]
fn what_is_no_plan_is_an_error() {
    let folder = folder("plan-errors");
    let path = file(
        &folder,
        "f.mlir",
        "sdy.mesh @mesh = <[\"x\"=2]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
",
    );
    let refused = |options: &[&str]| {
        let run = mapwright(&[&["shards", "--plan", path.as_str()][..], options].concat());
        assert_ne!(run.code, Some(0), "{options:?}");
        run.err
    };
    assert!(refused(&["--devices", "4"]).contains("it is for 2 devices"));
    assert!(refused(&["--entry", "other"]).contains("other"));
    assert!(refused(&["--latency", "0"]).contains("a number above zero"));
    assert!(refused(&["--shape", "4"]).contains("--shape"));
    for with in [&["--shape", "4"][..], &[]] {
        let without = mapwright(&[&["shards", "--latency", "1"], with].concat());
        assert!(without.err.contains("--latency"), "{}", without.err);
    }
    let alone = mapwright(&["shards", "--plan", &path]).ok();
    assert!(alone.contains("8 B a device, 16 B in all"), "{alone}");
    assert!(
        alone.contains("collectives           0, 0 B a device"),
        "{alone}"
    );
}

/// Without products nothing runs beside messages.
#[test]
fn arguments_are_read_beside_nothing() {
    let program = "sdy.mesh @mesh = <[\"x\"=2]>
func.func @main(%a: tensor<1048576xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> (tensor<1048576xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return %a : tensor<1048576xf32>
}
";
    let path = file(&folder("plan-moves"), "f.mlir", program);
    let options = ["--json", "--flop-rate", "1e12", "--memory-bandwidth", "1e9"];
    let plan = json_of(mapwright(
        &[&["shards", "--plan", path.as_str()][..], &options].concat(),
    ));
    let of = |name: &str| plan[name].as_f64().unwrap();
    let sum = of("communication_seconds") + of("computation_seconds");
    assert!(of("computation_seconds") > 0.0 && of("communication_seconds") > 0.0);
    assert!((of("overlapped_seconds") / sum - 1.0).abs() < 1e-9);
}
