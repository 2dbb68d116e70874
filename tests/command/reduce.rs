//! `mapwright reduce`: what is left of programs, and what becomes of the file.

use super::{file, mapwright};
use crate::support::folder;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// Functions of several results, regions and sizes, around one sine.
const PROGRAM: &str = "module attributes {mhlo.num_partitions = 1 : i32} {
  func.func private @helper(%x: tensor<16x8xf32>, %y: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16xf32>) {
    %0 = stablehlo.sine %x : tensor<16x8xf32>
    %1 = stablehlo.multiply %0, %y : tensor<16x8xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
    return %1, %2 : tensor<16x8xf32>, tensor<16xf32>
  }
  func.func public @main(%p: tensor<i1>, %x: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16xf32>) {
    %0 = \"stablehlo.if\"(%p) ({
      %2:2 = func.call @helper(%x, %x) : (tensor<16x8xf32>, tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16xf32>)
      stablehlo.return %2#0 : tensor<16x8xf32>
    }, {
      stablehlo.return %x : tensor<16x8xf32>
    }) : (tensor<i1>) -> tensor<16x8xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
    return %0, %1 : tensor<16x8xf32>, tensor<16xf32>
  }
}
";

/// The command is asked the same questions each time, and what is left does not depend on how long
/// it takes.
#[test]
fn the_same_program_gives_the_same_result() {
    let folder = folder("reduce-twice");
    let program = file(&folder, "f.mlir", PROGRAM);
    let texts = ["a.mlir", "b.mlir"].map(|name| {
        let out = folder.join(name);
        let out = out.to_str().unwrap();
        mapwright(&[
            "reduce",
            &program,
            "--if",
            "grep -q stablehlo.sine",
            "-o",
            out,
        ])
        .ok();
        fs::read_to_string(out).unwrap()
    });
    assert_eq!(texts[0], texts[1]);
    assert!(texts[0].contains("stablehlo.sine"), "{}", texts[0]);
    // One function with one operation and a return, on one element.
    let operations = texts[0]
        .lines()
        .filter(|line| line.contains("stablehlo."))
        .count();
    assert_eq!(operations, 1, "{}", texts[0]);
    assert!(
        !texts[0].contains("@helper") || !texts[0].contains("@main"),
        "{}",
        texts[0]
    );
    assert!(texts[0].contains("tensor<1x1xf32>"), "{}", texts[0]);
}

#[test]
fn bad_input_is_exit_code_1() {
    let folder = folder("reduce-bad");
    let program = file(&folder, "f.mlir", PROGRAM);
    let out = folder.join("out.mlir");
    let out = out.to_str().unwrap();
    for (command, said) in [
        ("grep -q nothing_of_this", "fails for the program itself"),
        ("no-such-command-anywhere", "cannot be run"),
    ] {
        let run = mapwright(&["reduce", &program, "--if", command, "-o", out]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.err.contains(said), "{run:?}");
        assert!(!Path::new(out).exists());
    }
    let text = file(&folder, "text.mlir", "what is this");
    let run = mapwright(&["reduce", &text, "--if", "true", "-o", out]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let run = mapwright(&["reduce", &program, "--if", "true", "-o", &program]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(fs::read_to_string(&program).unwrap(), PROGRAM);
}

/// A command that takes too long is a program that is not interesting, not one that is waited for.
#[test]
fn a_slow_command_is_stopped() {
    let folder = folder("reduce-slow");
    let program = file(&folder, "f.mlir", PROGRAM);
    let start = Instant::now();
    // A length that nothing else sleeps.
    let length = format!("60.{}", std::process::id());
    let run = mapwright(&[
        "reduce",
        &program,
        "--if",
        &format!("sleep {length}; true"),
        "--timeout",
        "1",
        "-o",
        "-",
    ]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(start.elapsed() < Duration::from_secs(30));
    // Nothing that it started goes on.
    let processes = fs::read_dir("/proc").unwrap();
    let commands = processes.map(|process| fs::read(process.unwrap().path().join("cmdline")));
    let mut commands =
        commands.map(|text| String::from_utf8_lossy(&text.unwrap_or_default()).into_owned());
    assert_eq!(commands.find(|command| command.contains(&length)), None);
}

/// What is in the file when the search is interrupted is a whole program, smaller than the first.
#[test]
fn an_interrupted_search_leaves_the_best_program() {
    let folder = folder("reduce-interrupted");
    let program = file(&folder, "f.mlir", PROGRAM);
    let out = folder.join("out.mlir");
    let mut child = Command::new(env!("CARGO_BIN_EXE_mapwright"))
        .args([
            "reduce",
            &program,
            "--if",
            "sleep 0.05; grep -q stablehlo.sine",
            "-o",
        ])
        .arg(&out)
        .env("TMPDIR", &folder)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let length = || fs::read_to_string(&out).map_or(usize::MAX, |text| text.len());
    while length() >= PROGRAM.len() && start.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(10));
    }
    let stop = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(stop.unwrap().success() && !child.wait().unwrap().success());
    let left = out.to_str().unwrap();
    assert!(length() < PROGRAM.len());
    mapwright(&["maps", left]).ok();
    // Nothing else is left: neither the candidate nor a file that was not finished.
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|f| f.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["f.mlir", "out.mlir"]);
}
