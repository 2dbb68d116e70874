//! `mapwright fusion` says what regions read and write where sizes are known at run time only: as
//! formulas of sizes. Their values are what a run counts.

use crate::support::{folder, npy, run};
use serde_json::Value;
use std::{collections::BTreeMap, fs, path::Path};

/// A reduction, a transposed function, and a product with a matrix of static size; each is a region
/// with one result.
const PROGRAM: &str = "func.func @main(%x: tensor<?x8xf32>, %y: tensor<8x4xf32>, %z: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.tanh %x : tensor<?x8xf32>
  %sums = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x8xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = stablehlo.exponential %z : tensor<?x?xf32>
  %turned = stablehlo.transpose %1, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %product = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  return %sums, %turned, %product : tensor<?xf32>, tensor<?x?xf32>, tensor<?x4xf32>
}
";

fn json_of(words: &[&str]) -> Value {
    serde_json::from_str(&run(env!("CARGO_BIN_EXE_mapwright"), words).ok()).unwrap()
}

/// The value of a sum of products of numbers and sizes, `8 + 4 * dim(%x, 0)`.
fn value(formula: &str, shapes: &BTreeMap<String, Vec<i64>>) -> i64 {
    let factor = |text: &str| {
        let size = text
            .strip_prefix("dim(")
            .and_then(|rest| rest.strip_suffix(')'));
        let Some((name, number)) = size.and_then(|size| size.split_once(", ")) else {
            return text.parse::<i64>().unwrap();
        };
        shapes[name][number.parse::<usize>().unwrap()]
    };
    let terms = formula.split(" + ");
    terms
        .map(|term| term.split(" * ").map(factor).product::<i64>())
        .sum()
}

/// What is said of a region, as a number or a formula.
fn bytes(region: &Value, key: &str, shapes: &BTreeMap<String, Vec<i64>>) -> i64 {
    let number = region[key].as_i64();
    number.unwrap_or_else(|| value(region[format!("{key}_formula")].as_str().unwrap(), shapes))
}

fn write(folder: &Path, number: usize, shape: &[i64]) {
    let count = usize::try_from(shape.iter().product::<i64>()).unwrap();
    let sizes: Vec<String> = shape.iter().map(|n| format!("{n},")).collect();
    let file = npy(&format!("({})", sizes.join(" ")), &vec![0.5; count]);
    fs::write(folder.join(format!("arg{number}.npy")), file).unwrap();
}

#[test]
fn formulas_of_bytes_are_what_a_run_counts() {
    let folder = folder("fusion-bytes");
    let path = folder.join("f.mlir");
    fs::write(&path, PROGRAM).unwrap();
    let (path, inputs) = (path.display().to_string(), folder.display().to_string());
    let plan = json_of(&["fusion", &path, "--json"]);
    let regions = plan["functions"][0]["regions"].as_array().unwrap();
    assert_eq!(regions.len(), 3, "{plan}");
    for (n, m) in [(1, 3), (37, 5), (300, 71)] {
        let arguments = [vec![n, 8], vec![8, 4], vec![m, n]];
        for (number, shape) in arguments.iter().enumerate() {
            write(&folder, number, shape);
        }
        let mut shapes: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for (number, shape) in arguments.into_iter().enumerate() {
            shapes.insert(format!("%arg{number}"), shape);
        }
        for (region, shape) in regions.iter().zip([vec![n], vec![n, m], vec![n, 4]]) {
            let name = region["outputs"][0]["value"].as_str().unwrap();
            shapes.insert(name.to_owned(), shape);
        }
        let words = ["run", &path, "--inputs", &inputs, "--profile", "--json"];
        let counted = json_of(&[&words[..], &["--specialize=off", "--threads=1"]].concat());
        let parts = counted["profile"]["parts"].as_array().unwrap();
        assert_eq!(parts.len(), regions.len(), "{counted}");
        for (region, part) in regions.iter().zip(parts) {
            let all =
                bytes(region, "bytes_read", &shapes) + bytes(region, "bytes_written", &shapes);
            assert_eq!(part["bytes"].as_i64(), Some(all), "{n}, {m}: {region}");
            assert!(region["bytes_read_formula"].is_string(), "{region}");
        }
    }
}
