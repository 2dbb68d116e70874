//! The `mapwright` command: forms, JSON and exit codes of its interface.

#[path = "support/browser.rs"]
mod browser;
#[path = "command/json.rs"]
mod json_documents;
mod mpi;
mod pages;
mod plan;
mod reduce;
mod slices;

use crate::support::{Run, folder, last_floats, npy, run, run_with_input};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

const ADD: &str =
    "func.func public @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.transpose %y, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.add %x, %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
";

fn mapwright(arguments: &[&str]) -> Run {
    run(env!("CARGO_BIN_EXE_mapwright"), arguments)
}

fn mapwright_reads(arguments: &[&str], input: &str) -> Run {
    run_with_input(env!("CARGO_BIN_EXE_mapwright"), arguments, input)
}

fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn json_of(run: Run) -> Value {
    serde_json::from_str(&run.ok()).unwrap()
}

#[test]
fn maps_of_every_operation_and_composed() {
    let folder = folder("command-maps");
    let path = file(&folder, "f.mlir", ADD);
    let answer = json_of(mapwright(&[
        "maps",
        &path,
        "--direction",
        "both",
        "--compose",
        "--json",
    ]));
    let function = &answer["functions"][0];
    assert_eq!(function["name"], "main");
    let transpose = &function["ops"][0];
    assert_eq!(transpose["op"], "stablehlo.transpose");
    assert_eq!(transpose["location"], format!("{path}:2:8"));
    let map = |text: &str| json!({"text": text, "exact": true, "empty": false, "unknown": null, "runtime": []});
    assert_eq!(
        transpose["output_to_input"],
        json!([{"result": 0, "operand": 0,
                "maps": [map("(d0, d1) -> (d1, d0), domain: d0 in [0, 1], d1 in [0, 2]")]}])
    );
    assert_eq!(
        transpose["input_to_output"],
        json!([{"operand": 0, "result": 0,
                "maps": [map("(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]")]}])
    );
    assert_eq!(
        function["composed"],
        json!([
            {"result": 0, "argument": 0,
             "maps": [map("(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 2]")]},
            {"result": 0, "argument": 1,
             "maps": [map("(d0, d1) -> (d1, d0), domain: d0 in [0, 1], d1 in [0, 2]")]},
        ])
    );
}

#[test]
fn maps_name_the_origin_of_runtime_variables() {
    let program = "func.func @main(%x: tensor<8xf32>, %i: tensor<i32>) -> tensor<3xf32> {
      %0 = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<8xf32>, tensor<i32>) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    }";
    let answer: Value =
        serde_json::from_str(&mapwright_reads(&["maps", "-", "--json"], program).ok()).unwrap();
    let maps = &answer["functions"][0]["ops"][0]["output_to_input"][0]["maps"];
    assert_eq!(
        maps[0]["text"],
        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 2], rt0 in [0, 5]"
    );
    assert_eq!(maps[0]["runtime"][0]["name"], "rt0");
    assert_eq!(maps[0]["runtime"][0]["value"], "%arg1");
    assert_eq!(maps[0]["runtime"][0]["clamp"], json!([0, 5]));
}

#[test]
fn maps_of_a_function_that_is_not_there() {
    let folder = folder("command-maps-func");
    let path = file(&folder, "f.mlir", ADD);
    let run = mapwright(&["maps", &path, "--func", "nothing"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("nothing") && run.out.is_empty(), "{run:?}");
}

#[test]
fn simplify_answers_line_by_line() {
    let input = "{\"map\": \"(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]\"}\nwhat\n\
                 {\"map\": \"(d0) -> (d0), domain: d0 in [0, 3]\"}\n";
    let run = mapwright_reads(&["simplify", "--json"], input);
    let lines: Vec<Value> = run
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(
        lines[0],
        json!({"map": "(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]", "changed": true, "empty": false})
    );
    assert!(lines[1]["error"].is_string());
    assert_eq!(lines[2]["changed"], false);
}

#[test]
fn compose_eval_and_compare() {
    let slice = "(d0) -> (d0 + 5), domain: d0 in [0, 3]";
    let reverse = "(d0) -> (-d0 + 9), domain: d0 in [0, 9]";
    let input = json!({"consumer": slice, "producer": reverse}).to_string();
    let answer = json_of(mapwright_reads(&["compose", "--json"], &input));
    assert_eq!(answer["map"], "(d0) -> (-d0 + 4), domain: d0 in [0, 3]");

    let input = json!({"map": reverse, "dims": [2], "ranges": [], "runtime": []}).to_string();
    let answer = json_of(mapwright_reads(&["eval", "--json"], &input));
    assert_eq!(answer, json!({"in_domain": true, "results": [7]}));

    let input = json!({"a": slice, "b": "(d0) -> (d0 + 6), domain: d0 in [0, 3]"}).to_string();
    let answer = json_of(mapwright_reads(&["compare", "--json"], &input));
    assert_eq!(answer["equal"], false);
    assert!(answer["counterexample"].is_object(), "{answer}");
}

/// Whatever a line holds, it is answered, and the lines after it too; the exit code says that one
/// was wrong.
#[test]
fn bad_lines_of_every_kind() {
    let ok = "(d0) -> (d0), domain: d0 in [0, 3]";
    let cases: [(&str, &[&str], &str); 4] = [
        (
            "simplify",
            &[
                "{\"map\": \"(d0) -> (d0\"}",
                "{\"map\": 5}",
                "{\"map\": null}",
                "{}",
                "[1, 2]",
                "nonsense",
                "{\"map\": \"\"}",
                "{\"map\": \"(d0) -> (d0), domain: d0 in [0, 99999999999999999999]\"}",
                "{\"map\": \"(d0) -> (d0 mod 0), domain: d0 in [0, 3]\"}",
                "{\"map\": \"(d0) -> (d0 floordiv (d0 - d0)), domain: d0 in [0, 3]\"}",
                "{\"map\": \"\\ud800\"}",
            ],
            "{\"map\": \"MAP\"}",
        ),
        (
            "compose",
            &[
                "{\"consumer\": \"MAP\"}",
                "{\"consumer\": \"MAP\", \"producer\": \"(d0, d1) -> (d0)\"}",
                "{\"consumer\": \"MAP\", \"producer\": [\"MAP\"]}",
                "{\"consumer\": \"() -> (0)\", \"producer\": \"(d0) -> (7 floordiv d0)\"}",
            ],
            "{\"consumer\": \"MAP\", \"producer\": \"MAP\"}",
        ),
        (
            "eval",
            &[
                "{\"map\": \"MAP\"}",
                "{\"map\": \"MAP\", \"dims\": [1, 2]}",
                "{\"map\": \"MAP\", \"dims\": [1.5]}",
                "{\"map\": \"MAP\", \"dims\": [\"1\"]}",
                "{\"map\": \"MAP\", \"dims\": 1}",
                "{\"map\": \"MAP\", \"dims\": [9223372036854775808]}",
                "{\"map\": \"UNKNOWN\", \"dims\": [1]}",
                "{\"map\": \"(d0) -> (d0 * 4)\", \"dims\": [9223372036854775807]}",
                "{\"map\": \"(d0, d1) -> (d0 floordiv d1)\", \"dims\": [1, 0]}",
            ],
            "{\"map\": \"MAP\", \"dims\": [1]}",
        ),
        (
            "compare",
            &[
                "{\"a\": 1, \"b\": 2}",
                "{\"a\": \"MAP\"}",
                "{\"a\": \"MAP\", \"b\": \"(d0) ->\"}",
            ],
            "{\"a\": \"MAP\", \"b\": \"UNKNOWN\"}",
        ),
    ];
    for (command, bad, good) in cases {
        let lines: Vec<String> = bad
            .iter()
            .flat_map(|line| [*line, good])
            .map(|line| line.replace("MAP", ok))
            .collect();
        let run = mapwright_reads(
            &[command, "--json", "--verify-each-rewrite"],
            &lines.join("\n"),
        );
        let answers: Vec<Value> = run
            .out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(run.code, Some(1), "{command}: {run:?}");
        assert_eq!(answers.len(), lines.len(), "{command}: {run:?}");
        for (i, answer) in answers.iter().enumerate() {
            assert_eq!(
                answer["error"].is_string(),
                i % 2 == 0,
                "{command}: {} {answer}",
                lines[i]
            );
        }
        let run = mapwright_reads(&[command, "--json"], &good.replace("MAP", ok));
        assert_eq!(run.code, Some(0), "{command}: {run:?}");
    }
}

/// Every command takes the option, answers the same with it, and says how many simplifications it
/// has checked.
#[test]
fn every_command_can_check_its_simplifications() {
    let folder = folder("command-verify");
    let program = "func.func public @main(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<3x8xf32>
  %2 = stablehlo.add %1, %1 : tensor<3x8xf32>
  return %2 : tensor<3x8xf32>
}
";
    let path = file(&folder, "f.mlir", program);
    let object = folder.join("f.o").display().to_string();
    for (arguments, simplifies) in [
        (vec!["maps", &path, "--compose", "--json"], true),
        (vec!["analyze", &path, "--what", "views", "--json"], true),
        (
            vec!["analyze", &path, "--what", "utilization", "--json"],
            true,
        ),
        (
            vec!["analyze", &path, "--what", "coalescing", "--json"],
            true,
        ),
        (vec!["analyze", &path, "--what", "tiles", "--json"], true),
        (
            "shards --device-matrix 2,2 --alias a,b --tensor-map a,b --shape 4,4 --json"
                .split(' ')
                .collect(),
            false,
        ),
        (vec!["fusion", &path, "--json"], false),
        (vec!["run", &path, "--seed", "1"], false),
        (vec!["compile", &path, "-o", &object], false),
    ] {
        let plain = mapwright(&arguments);
        let checked = mapwright(&[&arguments[..], &["--verify-each-rewrite"]].concat());
        assert_eq!(plain.code, Some(0), "{arguments:?}: {plain:?}");
        assert_eq!(checked.code, Some(0), "{arguments:?}: {checked:?}");
        assert_eq!(checked.out, plain.out, "{arguments:?}");
        let number = checked
            .err
            .split("mapwright: ")
            .last()
            .and_then(|text| text.split(" simplifications were checked").next())
            .and_then(|number| number.parse::<u64>().ok());
        assert!(
            number >= Some(u64::from(simplifies)),
            "{arguments:?}: {checked:?}"
        );
        assert!(
            checked.err.contains(" 0 wrong"),
            "{arguments:?}: {checked:?}"
        );
    }
}

#[test]
fn run_reads_and_writes_numpy_files() {
    let folder = folder("command-run");
    let path = file(&folder, "f.mlir", ADD);
    let x = folder.join("x.npy");
    fs::write(&x, npy("(2, 3)", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])).unwrap();
    // `--input` and `--inputs` together: the first for argument 0, the folder for argument 1.
    fs::write(
        folder.join("arg1.npy"),
        npy("(3, 2)", &[10.0, 40.0, 20.0, 50.0, 30.0, 60.0]),
    )
    .unwrap();
    let out = folder.join("results");
    let report = json_of(mapwright(&[
        "run",
        &path,
        "--input",
        &format!("0={}", x.display()),
        "--inputs",
        folder.to_str().unwrap(),
        "--output-dir",
        out.to_str().unwrap(),
        "--threads",
        "2",
        "--json",
    ]));
    assert_eq!(report["entry"], "main");
    assert_eq!(report["threads"], 2);
    assert_eq!(report["runs"], 1);
    assert_eq!(report["outputs"], json!([{"shape": [2, 3], "type": "f32"}]));
    assert_eq!(
        last_floats(out.join("out0.npy"), 6),
        [11.0, 22.0, 33.0, 44.0, 55.0, 66.0]
    );
    assert_eq!(
        fs::read_dir(&out).unwrap().count(),
        1,
        "a temporary file is left"
    );
}

/// Rows by one axis of the mesh, columns by the other; the product's terms are on two devices each.
const SHARDED: &str = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>
func.func public @main(%x: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}, %y: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
";

#[test]
fn run_on_devices_takes_and_gives_whole_tensors() {
    let folder = folder("command-devices");
    let path = file(&folder, "f.mlir", SHARDED);
    let (x, y) = (folder.join("x.npy"), folder.join("y.npy"));
    fs::write(&x, npy("(2, 4)", &[1., 2., 3., 4., 5., 6., 7., 8.])).unwrap();
    let ys = [1., 0., 2., 0., 1., 2., 1., 1., 0., 2., 0., 1.];
    fs::write(&y, npy("(4, 3)", &ys)).unwrap();
    let out = folder.join("out");
    let inputs = [format!("0={}", x.display()), format!("1={}", y.display())];
    let given = ["run", &path, "--input", &inputs[0], "--input", &inputs[1]];
    let with = |more: &[&str]| mapwright(&[&given[..], more].concat());
    let written = out.display().to_string();
    let on_four = with(&["--devices", "4", "--json", "--output-dir", &written]);
    assert_eq!(on_four.err, "");
    let answer = json_of(on_four);
    assert_eq!(answer["devices"], 4);
    // Half of the row's sums for each of the two that have its columns.
    let said = answer["communication"][0].as_str().unwrap();
    assert!(
        said.starts_with("all-reduce of %0 along y, 12 bytes for each device: "),
        "{said}"
    );
    assert_eq!(answer["communication"].as_array().unwrap().len(), 1);
    let product = [12., 5., 10., 28., 13., 30.];
    assert_eq!(last_floats(out.join("out0.npy"), 6), product);

    let on_one = with(&["--json"]);
    assert_eq!(
        on_one.err,
        "note: the program is for 4 devices; without --devices 4 it runs on one, and what is written for one device of several is refused\n"
    );
    assert_eq!(json_of(on_one)["asked_for_devices"], 4);
    let wrong = with(&["--devices", "3"]);
    assert_eq!(wrong.code, Some(1));
    assert!(
        wrong
            .err
            .contains("it is for 4 devices, and the program runs on 3"),
        "{}",
        wrong.err
    );
}

/// Two infeeds, the second of which takes its tensor after the two of the first.
const FED: &str = "func.func public @main() -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) {
  %t = stablehlo.create_token : !stablehlo.token
  %a:3 = \"stablehlo.infeed\"(%t) {infeed_config = \"\"} : (!stablehlo.token) -> (tensor<2xf32>, tensor<3xf32>, !stablehlo.token)
  %b:2 = \"stablehlo.infeed\"(%a#2) {infeed_config = \"\"} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %a#0, %a#1, %b#0 : tensor<2xf32>, tensor<3xf32>, tensor<2xf32>
}
";

#[test]
fn run_serves_an_infeed_from_files_in_their_order() {
    let folder = folder("command-infeed");
    let path = file(&folder, "f.mlir", FED);
    let feed = |name: &str, device: usize, shape: &str, values: &[f32]| {
        let file = folder.join(name);
        fs::write(&file, npy(shape, values)).unwrap();
        format!("{device}={}", file.display())
    };
    let a = feed("a.npy", 0, "(2,)", &[1., 2.]);
    let b = feed("b.npy", 0, "(3,)", &[3., 4., 5.]);
    let c = feed("c.npy", 0, "(2,)", &[6., 7.]);
    let elsewhere = feed("a.npy", 1, "(2,)", &[1., 2.]);
    let larger = feed("d.npy", 0, "(4,)", &[0.; 4]);
    let run = |path: &str, files: &[&String], more: &[&str]| {
        let files = files.iter().flat_map(|file| ["--infeed", file.as_str()]);
        let words: Vec<&str> = ["run", path].into_iter().chain(files).collect();
        mapwright(&[&words[..], more].concat())
    };
    for more in [[].as_slice(), &["--interpret"]] {
        assert_eq!(
            run(&path, &[&a, &b, &c], more).ok(),
            "dense<[1.0, 2.0]> : tensor<2xf32>\ndense<[3.0, 4.0, 5.0]> : tensor<3xf32>\ndense<[6.0, 7.0]> : tensor<2xf32>\n"
        );
        for (files, said) in [
            (&[&a, &b][..], "infeed"),
            (&[&a, &c, &b], "infeed"),
            (&[&a, &b, &larger], "d.npy"),
            (&[&elsewhere], "there are 1 devices"),
        ] {
            let run = run(&path, files, more);
            assert_eq!(run.code, Some(1), "{files:?}: {run:?}");
            assert!(run.err.contains(said), "{files:?}: {run:?}");
        }
    }
    // Numbers and integers of as many bytes: a file in the wrong place would be read as the other.
    let path = file(&folder, "two.mlir", &FED.replace("3xf32", "2xi32"));
    let refused = run(&path, &[&a], &[]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("cannot be told"), "{refused:?}");
    let path = file(&folder, "none.mlir", ADD);
    let refused = run(&path, &[&a], &[]);
    assert!(refused.err.contains("has no infeed"), "{refused:?}");
    assert_eq!(run(&path, &[&a], &["--bench"]).code, Some(2));
}

#[test]
fn run_prints_dense_literals() {
    let program = "func.func public @main() -> (tensor<2xf32>, tensor<i1>) {
      %0 = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xf32>
      %1 = stablehlo.constant dense<true> : tensor<i1>
      return %0, %1 : tensor<2xf32>, tensor<i1>
    }";
    let text = mapwright_reads(&["run", "-"], program).ok();
    assert_eq!(
        text,
        "dense<[1.5, -2.0]> : tensor<2xf32>\ndense<true> : tensor<i1>\n"
    );
}

#[test]
fn run_measures() {
    let report = json_of(mapwright_reads(
        &["run", "-", "--bench=0.05", "--json"],
        ADD,
    ));
    assert!(
        report["runs"].as_u64().is_some_and(|runs| runs >= 3),
        "{report}"
    );
    let time = |key: &str| report[key].as_f64().unwrap();
    assert!(
        time("min_ms") <= time("median_ms") && time("median_ms") <= time("p90_ms"),
        "{report}"
    );
    assert!(
        report["peak_rss_bytes"]
            .as_u64()
            .is_some_and(|bytes| bytes > 1 << 20),
        "{report}"
    );
    assert!(
        report["compile_ms"].as_f64().is_some_and(|time| time > 0.0),
        "{report}"
    );
}

/// No more memory than arguments, results and the plan, in which tensors take turns.
#[test]
fn run_keeps_to_the_plan() {
    let mut program =
        String::from("func.func public @main(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {\n");
    let mut last = "x".to_string();
    for i in 0..6 {
        program += &format!(
            "%{i} = stablehlo.dot_general %{last}, %{last}, contracting_dims = [1] x [0]
               : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>\n"
        );
        last = i.to_string();
    }
    program += &format!("return %{last} : tensor<256x256xf32>\n}}");
    let report = json_of(mapwright_reads(
        &["run", "-", "--bench=0.02", "--json", "--threads", "1"],
        &program,
    ));
    let bytes = |key: &str| report["memory_bytes"][key].as_u64().unwrap();
    let tensor = 256 * 256 * 4;
    assert_eq!(
        (bytes("inputs"), bytes("outputs")),
        (tensor, tensor),
        "{report}"
    );
    // Five products lie between argument and result, of which two are there at once, one of them
    // where the result will be.
    assert!((tensor..3 * tensor).contains(&bytes("plan")), "{report}");
    let most = bytes("inputs") + bytes("outputs") + bytes("plan");
    assert!((3 * tensor..=most).contains(&bytes("peak")), "{report}");
}

/// Inputs that are not given depend on the seed alone, not on the number of threads.
#[test]
fn run_is_deterministic() {
    let once = |arguments: &[&str]| mapwright_reads(arguments, ADD).ok();
    let first = once(&["run", "-", "--seed", "1", "--threads", "1"]);
    assert_eq!(first, once(&["run", "-", "--seed", "1", "--threads", "2"]));
    assert_ne!(first, once(&["run", "-", "--seed", "2", "--threads", "1"]));
}

#[test]
fn checks_in_the_program_decide() {
    let program = |value: &str| {
        format!(
            "func.func public @main() {{
               %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
               %1 = stablehlo.constant dense<[1.0, {value}]> : tensor<2xf32>
               stablehlo.custom_call @check.expect_eq(%0, %1) {{has_side_effect = true}} : (tensor<2xf32>, tensor<2xf32>) -> ()
               return
             }}"
        )
    };
    mapwright_reads(&["run", "-"], &program("2.0")).ok();
    let run = mapwright_reads(&["run", "-"], &program("3.0"));
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(!run.err.is_empty(), "{run:?}");
}

/// Each wrong input: exit code 1, the words that say what is wrong, no output, no file.
#[test]
fn wrong_input_is_exit_code_1_and_leaves_nothing() {
    let folder = folder("command-wrong");
    let path = file(&folder, "f.mlir", ADD);
    let wrong_shape = folder.join("shape.npy");
    fs::write(&wrong_shape, npy("(3, 2)", &[0.0; 6])).unwrap();
    let wrong_type = folder.join("type.npy");
    let bytes = String::from_utf8_lossy(&npy("(2, 3)", &[])).replace("<f4", "<i4");
    // The magic number is not UTF-8; it is put back.
    let mut bytes = bytes.replace('\u{fffd}', "").into_bytes();
    bytes.insert(0, 0x93);
    bytes.extend([0; 24]);
    fs::write(&wrong_type, bytes).unwrap();
    let syntax = file(&folder, "syntax.mlir", "func.func @main( {");
    let types = file(
        &folder,
        "types.mlir",
        &ADD.replace(
            "(tensor<3x2xf32>) -> tensor<2x3xf32>",
            "(tensor<3x2xf32>) -> tensor<3x3xf32>",
        ),
    );
    let unknown = file(
        &folder,
        "unknown.mlir",
        &ADD.replace("stablehlo.add", "stablehlo.no_such_operation"),
    );
    let out = folder.join("out");
    let shape_argument = format!("0={}", wrong_shape.display());
    let type_argument = format!("0={}", wrong_type.display());
    let missing_argument = format!("0={}", folder.join("missing.npy").display());
    let out_text = out.to_str().unwrap();
    for (arguments, words) in [
        (vec!["run", &syntax], format!("{syntax}:1:")),
        (vec!["run", &types], format!("{types}:2:")),
        (vec!["run", &unknown], format!("{unknown}:3:")),
        (
            vec!["run", "/no/such/file.mlir"],
            "/no/such/file.mlir".into(),
        ),
        (
            vec!["run", &path, "--entry", "other"],
            format!("{path}:1:1: error: there is no public function @other"),
        ),
        (
            vec!["run", &path, "--input", &shape_argument],
            "shape is [3, 2]".into(),
        ),
        (
            vec!["run", &path, "--input", &type_argument],
            "elements are <i4".into(),
        ),
        (
            vec!["run", &path, "--input", &missing_argument],
            "missing.npy".into(),
        ),
        (
            vec!["run", &path, "--input", "7=x.npy"],
            "has 2 arguments".into(),
        ),
        (
            vec!["run", &path, "--input", "0=a.npy", "--input", "0=b.npy"],
            "--input 0=b.npy: it is given twice".into(),
        ),
        (vec!["maps", &syntax], format!("{syntax}:1:")),
        (
            vec!["compile", &syntax, "-o", "OUT.o"],
            format!("{syntax}:1:"),
        ),
        (
            vec!["compile", &path, "-o", "/no/such/folder/f.o"],
            "/no/such/folder/f.o".into(),
        ),
    ] {
        let target = format!("{out_text}.o");
        let mut arguments: Vec<&str> = arguments
            .into_iter()
            .map(|argument| {
                if argument == "OUT.o" {
                    target.as_str()
                } else {
                    argument
                }
            })
            .collect();
        if arguments[0] == "run" {
            arguments.extend(["--output-dir", out_text]);
        }
        let run = mapwright(&arguments);
        assert_eq!(run.code, Some(1), "{arguments:?}: {run:?}");
        assert!(run.err.contains(&words), "{arguments:?}: {run:?}");
        assert_eq!(run.out, "", "{arguments:?}");
        assert!(
            !out.exists() && !PathBuf::from(&target).exists(),
            "{arguments:?}"
        );
    }
}

/// Nesting ends neither program: up to the limit both read it, beyond it both say where.
#[test]
fn nesting_is_read_up_to_the_limit() {
    let folder = folder("command-deep");
    for (depth, read) in [(4_900, true), (20_000, false)] {
        let text = format!(
            "module attributes {{indexing.deep = {}{}}} {{}}",
            "[".repeat(depth),
            "]".repeat(depth)
        );
        let path = file(&folder, "f.mlir", &text);
        let maps = mapwright(&["maps", &path]);
        let printed = run(env!("CARGO_BIN_EXE_mapwright-opt"), [&path]);
        if read {
            maps.ok();
            assert!(printed.ok().contains(&"[".repeat(depth)));
            continue;
        }
        for refused in [maps, printed] {
            assert!(refused.code == Some(1), "exit code {:?}", refused.code);
            let words = "f.mlir:1:5035: error: nested more than 5000 levels deep";
            assert!(refused.err.contains(words), "no '{words}'");
        }
    }
}

/// Beyond the usual limit the stack grows with it: that of readers and printers, and that of the
/// threads which passes run on.
#[test]
fn a_raised_limit_of_nesting_has_the_stack_for_it() {
    const DEPTH: usize = 6_000;
    let folder = folder("command-deeper");
    let attribute = format!(
        "module attributes {{indexing.deep = {}{}}} {{}}",
        "[".repeat(DEPTH),
        "]".repeat(DEPTH)
    );
    let path = file(&folder, "f.mlir", &attribute);
    let option = format!("--deepest-nesting={}", DEPTH + 5);
    let opt = env!("CARGO_BIN_EXE_mapwright-opt");
    mapwright(&["maps", &path, &option]).ok();
    run(opt, [path.as_str(), &option]).ok();
    let from_environment = std::process::Command::new(opt)
        .args([path.as_str(), "-o", "/dev/null"])
        .env("MAPWRIGHT_DEEPEST_NESTING", (DEPTH + 5).to_string())
        .status();
    assert!(from_environment.unwrap().success());

    // Two functions, so that they go to threads.
    let body = format!("{}{}", "scf.if %c {\n".repeat(DEPTH), "}\n".repeat(DEPTH));
    let functions = format!(
        "func.func @f(%c: i1) {{\n{body}return\n}}\nfunc.func @g(%c: i1) {{\n{body}return\n}}\n"
    );
    let path = file(&folder, "g.mlir", &functions);
    let passes = "--pass-pipeline=builtin.module(func.func(canonicalize,cse))";
    run(opt, [path.as_str(), &option, passes]).ok();
    mapwright(&["maps", &path, &option]).ok();
}

#[test]
fn a_wrong_command_line_is_exit_code_2() {
    for arguments in [
        vec![],
        vec!["nonsense"],
        vec!["run"],
        vec!["run", "f.mlir", "--threads", "0"],
        vec!["run", "f.mlir", "--input", "f.npy"],
        vec!["run", "f.mlir", "--infeed", "f.npy"],
        vec!["run", "f.mlir", "--bench=x"],
        vec!["maps", "f.mlir", "--direction", "sideways"],
        vec!["compile", "f.mlir"],
        vec!["compile", "f.mlir", "-o", "f.exe"],
    ] {
        let run = mapwright(&arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {run:?}");
    }
}

#[test]
fn machines_that_llvm_does_not_know_are_refused() {
    let folder = folder("command-machines");
    let path = file(&folder, "f.mlir", ADD);
    let object = folder.join("f.o").display().to_string();
    for (option, name, said) in [
        (
            "--target-cpu",
            "pentium99",
            "LLVM knows no CPU 'pentium99' for ",
        ),
        ("--target-cpu", "i386", "the CPU 'i386' has no 64-bit code"),
        (
            "--target",
            "pdp11-dec-unix",
            "LLVM was built without a target for 'pdp11-dec-unix'; it has ",
        ),
    ] {
        let run = mapwright(&["compile", &path, "-o", &object, option, name]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.err.contains(said), "{run:?}");
        assert!(!run.err.contains("recognized processor"), "{run:?}");
    }
    assert!(!Path::new(&object).exists());
    mapwright(&[
        "compile",
        &path,
        "-o",
        &object,
        "--target-cpu",
        "x86-64-v2",
        "--target",
        "x86_64-unknown-linux-gnu",
    ])
    .ok();
}

/// The interpreter gives what the compiled program gives, and checks that fail fail in it as well.
#[test]
fn a_program_is_interpreted() {
    let folder = folder("command-interpret");
    let path = file(&folder, "f.mlir", ADD);
    let both = [
        &["run", &path, "--seed", "3"][..],
        &["run", &path, "--seed", "3", "--interpret"],
    ]
    .map(|arguments| mapwright(arguments).ok());
    assert!(both[0].contains("dense<"), "{}", both[0]);
    assert_eq!(both[0], both[1]);
    let report = json_of(mapwright(&["run", &path, "--interpret", "--json"]));
    assert_eq!(report["interpreted"], json!(true));
    assert_eq!(report["outputs"][0]["shape"], json!([2, 3]));
    let wrong = "func.func public @main() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  %1 = stablehlo.constant dense<2> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%0, %1) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  return
}
";
    let path = file(&folder, "wrong.mlir", wrong);
    let run = mapwright(&["run", &path, "--interpret"]);
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("expect_eq"), "{run:?}");
}

/// A reader that goes away, as `head` does, is no error and no panic.
#[test]
fn a_closed_pipe_is_quiet() {
    let script = format!("{} --help | true", env!("CARGO_BIN_EXE_mapwright"));
    let run = run("sh", ["-c", &script]);
    assert!(!run.err.contains("panicked"), "{run:?}");
}

/// A program whose only public function is not called `main` needs no `--entry`; of several, one
/// has to be named.
#[test]
fn the_only_public_function_is_the_entry() {
    let folder = folder("command-entry");
    let one = "func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @jit_f() -> tensor<2xi32> {
  %0 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  return %0 : tensor<2xi32>
}
";
    let path = file(&folder, "one.mlir", one);
    for arguments in [vec!["run", &path], vec!["run", &path, "--interpret"]] {
        assert_eq!(
            mapwright(&arguments).ok(),
            "dense<[3, 4]> : tensor<2xi32>\n"
        );
    }
    let two = file(&folder, "two.mlir", &one.replace("private ", ""));
    let refused = mapwright(&["run", &two]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.err.contains("the public functions are @g, @jit_f"),
        "{refused:?}"
    );
}

#[test]
fn several_modules_are_said_to_be_several() {
    let folder = folder("command-modules");
    let module = "module {
func.func @main() { return }
}
";
    let two = file(&folder, "two.mlir", &format!("{module}{module}"));
    let split = file(
        &folder,
        "split.mlir",
        "func.func @main() { return }\n// -----\nfunc.func @main() { return }\n",
    );
    let inner = file(&folder, "inner.mlir", &format!("module {{\n{module}}}\n"));
    for (path, words) in [
        (&two, "two.mlir:4:1: error: the file has 2 modules"),
        (&split, "has several programs with `// -----` between them"),
        (
            &inner,
            "inner.mlir:2:1: error: the program is a module inside of another one",
        ),
    ] {
        for command in ["run", "maps", "fusion"] {
            let refused = mapwright(&[command, path]);
            assert_eq!(refused.code, Some(1), "{command}: {refused:?}");
            assert!(refused.err.contains(words), "{command}: {refused:?}");
        }
    }
}

/// Data that was left out when a program was printed is said to be missing, with every way to run
/// it; data that is there is read.
#[test]
fn constants_in_resources() {
    let folder = folder("command-resources");
    let program = |name: &str| {
        format!(
            "func.func @main() -> tensor<2xf32> {{
  %0 = stablehlo.constant dense_resource<{name}> : tensor<2xf32>
  return %0 : tensor<2xf32>
}}
{{-# dialect_resources: {{ builtin: {{ blob: \"0x040000000000803F00000040\" }} }} #-}}
"
        )
    };
    let given = file(&folder, "given.mlir", &program("blob"));
    let elided = file(&folder, "elided.mlir", &program("__elided__"));
    for more in [[].as_slice(), &["--interpret"]] {
        let arguments = |path| [&["run", path], more].concat();
        assert_eq!(
            mapwright(&arguments(&given)).ok(),
            "dense<[1.0, 2.0]> : tensor<2xf32>\n"
        );
        let refused = mapwright(&arguments(&elided));
        assert_eq!(refused.code, Some(1));
        assert!(
            refused
                .err
                .contains("was left out when the program was printed"),
            "{refused:?}"
        );
    }
}

#[test]
fn what_is_not_there_is_not_made_up() {
    let folder = folder("command-absent");
    let path = file(&folder, "f.mlir", ADD);
    let absent = folder.join("absent").display().to_string();
    let refused = mapwright(&["run", &path, "--inputs", &absent]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.err.contains("there is no such folder"),
        "{refused:?}"
    );
    // A folder with other names in it than those of arguments.
    let other = folder.join("other");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("arg7.npy"), "").unwrap();
    let other = other.display().to_string();
    let words = ["run", &path, "--inputs", &other, "--json"];
    for more in [[].as_slice(), &["--interpret"]] {
        let run = mapwright(&[&words[..], more].concat());
        assert!(
            run.err.contains("without a file are pseudo-random: 0, 1"),
            "{run:?}"
        );
        assert!(run.err.contains("a file for argument 7"), "{run:?}");
        assert_eq!(json_of(run)["pseudo_random_arguments"], json!([0, 1]));
    }
    // A summary is of no tile.
    let refused = mapwright(&["analyze", &path, "--tile-sizes", "1,1"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let refused = mapwright(&["analyze", &path, "--what", "tiles", "--result", "1"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("there is no result 1"), "{refused:?}");
    mapwright(&["analyze", &path, "--what", "tiles", "--result", "0"]).ok();
    let refused = mapwright(&["maps", &path, "--html", &path]);
    assert_eq!(refused.code, Some(1));
    assert_eq!(fs::read_to_string(&path).unwrap(), ADD);
}

/// A run that is interrupted while it writes leaves nothing behind: the linker driver is one that
/// waits.
#[test]
fn an_interrupted_run_leaves_no_file() {
    use std::{os::unix::fs::PermissionsExt, process::Command, time::Duration};
    let folder = folder("command-interrupted");
    let path = file(&folder, "f.mlir", ADD);
    let waits = file(
        &folder,
        "cc",
        "#!/bin/sh\ntouch \"$(dirname \"$0\")/begun\"\nexec sleep 60\n",
    );
    fs::set_permissions(&waits, fs::Permissions::from_mode(0o755)).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mapwright"))
        .args([
            "compile",
            &path,
            "-o",
            folder.join("f.so").to_str().unwrap(),
        ])
        .env("CC", &waits)
        .spawn()
        .unwrap();
    for _ in 0..600 {
        if folder.join("begun").exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let interrupted = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupted.unwrap().success());
    let status = child.wait().unwrap();
    assert!(!status.success(), "{status:?}");
    let mut left: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    assert_eq!(left, ["begun", "cc", "f.mlir"]);
}

/// Files of other formats are named, with what to do, and nothing of them comes on the terminal.
#[test]
fn other_formats_are_recognised() {
    let folder = folder("command-formats");
    let saved = folder.join("saved");
    fs::create_dir_all(&saved).unwrap();
    fs::write(saved.join("saved_model.pb"), b"\x08\x01").unwrap();
    let cases: [(&str, &[u8], &str); 4] = [
        ("a.so", b"\x7fELF\x02\x01\x01\0\0", "a library"),
        (
            "model.onnx",
            b"\x08\x08\x12\x07pytorch\x1a\x052.1.0",
            "ONNX",
        ),
        ("module.txt", b"HloModule jit_f\n\nENTRY main {}\n", "HLO"),
        ("empty.mlir", b"", "empty"),
    ];
    let mut told: Vec<(String, &str)> = Vec::new();
    for (name, bytes, word) in cases {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        told.push((path.display().to_string(), word));
    }
    told.push((saved.display().to_string(), "SavedModel"));
    for (path, word) in told {
        for command in ["run", "maps", "fusion"] {
            let run = mapwright(&[command, &path]);
            assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{run:?}");
            assert!(run.err.contains(word), "{run:?}");
            let is_shown = |c: char| !c.is_control() || c == '\n';
            assert!(run.err.chars().all(is_shown), "{run:?}");
        }
    }
    // A long line is cut around the place, and what steers a terminal is not written.
    let numbers = vec!["1.5"; 20_000].join(", ");
    let long = format!("func.func private @f() attributes {{v = [{numbers}, nonsense]}}\n");
    let run = mapwright_reads(&["maps", "-"], &long);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.err.contains("\n... ") && run.err.contains("1.5, nonsense]}"),
        "{run:?}"
    );
    assert!(run.err.len() < 600, "{run:?}");
    let marked = run.err.lines().zip(run.err.lines().skip(1));
    let mut marked = marked.filter_map(|(line, marks)| Some(&line[marks.find('^')?..]));
    assert!(
        marked.any(|at| at.trim_start().starts_with("nonsense")),
        "{run:?}"
    );
    // (In its beginning they tell that a file is no text.)
    let comment = "x".repeat(600);
    let steers = format!(
        "// {comment}\nfunc.func private @f() attributes {{v = \"\u{1b}[31m\", w = nonsense}}\n"
    );
    let run = mapwright_reads(&["maps", "-"], &steers);
    assert!(
        run.err.contains("?[31m") && !run.err.contains('\u{1b}'),
        "{run:?}"
    );
    let relu = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      %0 = \"tf.Relu\"(%a) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }";
    let run = mapwright_reads(&["run", "-"], relu);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("convert them first"), "{run:?}");
}
