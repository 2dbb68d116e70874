//! Tensor arrays at the border of a program: `mapwright run` takes and gives them as files of
//! leaves and offsets.

use crate::support::{Run, folder, last_floats, npy, run};
use std::{fs, path::Path};

/// The sums of the lists of a nest, and twice its elements.
const PROGRAM: &str = r#"
func.func @main(%x: !tarray.array<!tarray.array<tensor<2xf32>, max = 3>, max = 4>, %y: tensor<2xf32>)
    -> (!tarray.array<tensor<2xf32>, max = 4>, !tarray.array<!tarray.array<tensor<2xf32>, max = 3>, max = 4>) {
  %sums = tarray.parallel_foreach (%list in %x : !tarray.array<!tarray.array<tensor<2xf32>, max = 3>, max = 4>) {
    %sum = tarray.fold (%e in %list : !tarray.array<tensor<2xf32>, max = 3>, %a = %y : tensor<2xf32>) {
      %0 = stablehlo.add %a, %e : tensor<2xf32>
      tarray.yield %0 : tensor<2xf32>
    }
    tarray.yield %sum : tensor<2xf32>
  }
  %twice = tarray.parallel_foreach (%list in %x : !tarray.array<!tarray.array<tensor<2xf32>, max = 3>, max = 4>) {
    %one = tarray.parallel_foreach (%e in %list : !tarray.array<tensor<2xf32>, max = 3>) {
      %0 = stablehlo.add %e, %e : tensor<2xf32>
      tarray.yield %0 : tensor<2xf32>
    }
    tarray.yield %one : !tarray.array<tensor<2xf32>, max = 3>
  }
  return %sums, %twice : !tarray.array<tensor<2xf32>, max = 4>, !tarray.array<!tarray.array<tensor<2xf32>, max = 3>, max = 4>
}
"#;

/// An .npy file of a vector of 64-bit integers.
fn numbers(values: &[i64]) -> Vec<u8> {
    let shape = format!("({},)", values.len());
    let file = npy(&shape, &[]);
    // The header has as many bytes whatever the elements are called.
    let text = b"'<f4'";
    let at = file
        .windows(text.len())
        .position(|bytes| bytes == text)
        .unwrap();
    let mut file = file;
    file[at + 1..at + 4].copy_from_slice(b"<i8");
    file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    file
}

/// The last numbers of an .npy file of 64-bit integers.
fn last_numbers(path: &Path, count: usize) -> Vec<i64> {
    let bytes = fs::read(path).unwrap();
    bytes[bytes.len() - 8 * count..]
        .chunks_exact(8)
        .map(|chunk| i64::from_le_bytes(chunk.try_into().unwrap()))
        .collect()
}

/// Runs a program of this text on a nest.
fn call_text(folder: &Path, text: &str, leaves: &[f32], offsets: [&[i64]; 2], way: &[&str]) -> Run {
    let path = folder.join("program.mlir");
    fs::write(&path, text).unwrap();
    let shape = format!("({}, 2)", leaves.len() / 2);
    fs::write(folder.join("arg0.values.npy"), npy(&shape, leaves)).unwrap();
    for (level, offsets) in offsets.iter().enumerate() {
        let name = format!("arg0.offsets{level}.npy");
        fs::write(folder.join(name), numbers(offsets)).unwrap();
    }
    fs::write(folder.join("arg1.npy"), npy("(2,)", &[0.5, 0.25])).unwrap();
    let (path, inputs) = (path.display().to_string(), folder.display().to_string());
    let out = folder.join("out").display().to_string();
    let mut words = vec!["run", &path, "--inputs", &inputs, "--output-dir", &out];
    words.extend(way);
    run(env!("CARGO_BIN_EXE_mapwright"), &words)
}

/// A list, lists of which each round says how long they are, and lists in another order.
const CHOSEN: &str = r#"
!list = !tarray.array<tensor<2xf32>, max = 3>
!nest = !tarray.array<!tarray.array<tensor<2xf32>, max = 3>, max = 4>
func.func @main(%x: !nest, %y: tensor<2xf32>) -> (!list, !nest, !nest) {
  %one = tarray.shape (1)
  %second = tarray.index %x at %one : !nest, !tarray.shape<1>
  %chosen = tarray.parallel_foreach (%list in %x : !nest) {
    %some = tarray.filter (%e in %list : !list) {
      %0 = stablehlo.slice %e [0:1] : (tensor<2xf32>) -> tensor<1xf32>
      %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
      %limit = stablehlo.constant dense<1000.0> : tensor<f32>
      %p = stablehlo.compare LT, %1, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      tarray.yield %p : tensor<i1>
    }
    tarray.yield %some : !list
  }
  %sorted = tarray.sortby (%list in %x : !nest) {
    %n = tarray.length %list : !list
    %m = stablehlo.negate %n : tensor<i64>
    tarray.yield %m : tensor<i64>
  }
  return %second, %chosen, %sorted : !list, !nest, !nest
}
"#;

/// A program with other maxima: a text in the place of each.
fn with_maxima(program: &str, inner: &str, outer: &str) -> String {
    let text = program.replace(", max = 3>", &format!("{inner}>"));
    text.replace(", max = 4>", &format!("{outer}>"))
}

/// Runs the program on a nest.
fn call(folder: &Path, leaves: &[f32], offsets: [&[i64]; 2], way: &[&str]) -> Run {
    call_text(folder, PROGRAM, leaves, offsets, way)
}

const WAYS: [&[&str]; 3] = [&["--threads=1"], &["--bounds-checks"], &["--interpret"]];

#[test]
fn arrays_are_leaves_and_offsets() {
    for way in WAYS {
        let folder = folder("arrays");
        let leaves = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        call(&folder, &leaves, [&[0, 3], &[0, 2, 2, 3]], way).ok();
        let out = folder.join("out");
        let sums = last_floats(out.join("out0.values.npy"), 6);
        assert_eq!(sums, [4.5, 6.25, 0.5, 0.25, 5.5, 6.25], "{way:?}");
        assert_eq!(last_numbers(&out.join("out0.offsets0.npy"), 2), [0, 3]);
        let twice = last_floats(out.join("out1.values.npy"), 6);
        assert_eq!(twice, [2.0, 4.0, 6.0, 8.0, 10.0, 12.0], "{way:?}");
        assert_eq!(last_numbers(&out.join("out1.offsets0.npy"), 2), [0, 3]);
        assert_eq!(
            last_numbers(&out.join("out1.offsets1.npy"), 4),
            [0, 2, 2, 3]
        );
        // Files hold what is there, and no room for more.
        let header = fs::read(out.join("out1.values.npy")).unwrap();
        assert!(
            String::from_utf8_lossy(&header).contains("(3, 2"),
            "{way:?}"
        );
    }
}

/// A maximum costs nothing: with maxima of 10, 1,000 and 100,000 times what is there, and without
/// any, the program takes the same memory.
#[test]
fn an_array_costs_what_is_in_it() {
    let leaves: Vec<f32> = (0..3200).map(|i| i as f32).collect();
    let ends: Vec<i64> = (0..=40).map(|i| 40 * i).collect();
    let (mut sums_peaks, mut chosen_peaks, mut given) = (Vec::new(), Vec::new(), Vec::new());
    let peak = |report: &str| {
        let report: serde_json::Value = serde_json::from_str(report).unwrap();
        report["memory_bytes"]["peak"].as_f64().unwrap()
    };
    let parts = [
        "0.values",
        "1.values",
        "1.offsets1",
        "2.values",
        "2.offsets1",
    ];
    let files = |folder: &Path| {
        parts.map(|part| fs::read(folder.join(format!("out/out{part}.npy"))).unwrap())
    };
    for [inner, outer] in [
        [", max = 40", ", max = 40"],
        [", max = 400", ", max = 400"],
        [", max = 40000", ", max = 40000"],
        [", max = 4000000", ", max = 4000000"],
        ["", ""],
    ] {
        let folder = folder("arrays-costs");
        let way = ["--threads=1", "--bench=0", "--json"];
        let text = with_maxima(PROGRAM, inner, outer);
        let report = call_text(&folder, &text, &leaves, [&[0, 40], &ends], &way).ok();
        let twice = last_floats(folder.join("out/out1.values.npy"), leaves.len());
        assert!(twice.iter().zip(&leaves).all(|(y, x)| *y == 2.0 * x));
        let sums = last_floats(folder.join("out/out0.values.npy"), 80);
        let sum = |k: usize| (0..40).map(|i| leaves[80 * (k / 2) + 2 * i + k % 2]).sum();
        let first: Vec<f32> = (0..80).map(sum).collect();
        let starts = [0.5, 0.25];
        let right = (0..80).all(|k| (sums[k] - first[k] - starts[k % 2]).abs() < 1.0);
        assert!(right, "{sums:?} {first:?}");
        sums_peaks.push(peak(&report));
        let text = with_maxima(CHOSEN, inner, outer);
        let report = call_text(&folder, &text, &leaves, [&[0, 40], &ends], &way).ok();
        chosen_peaks.push(peak(&report));
        given.push(files(&folder));
    }
    let folder = folder("arrays-costs");
    let text = with_maxima(CHOSEN, "", "");
    let way = ["--interpret"];
    call_text(&folder, &text, &leaves, [&[0, 40], &ends], &way).ok();
    assert!(given.iter().all(|own| *own == files(&folder)));
    // Below 4096 numbers there is room for all.
    for peaks in [&sums_peaks[1..], &chosen_peaks[1..]] {
        let most = 1.1 * peaks[0];
        assert!(peaks.iter().all(|peak| *peak <= most), "{peaks:?}");
    }
    assert!(sums_peaks[1] <= 1.1 * sums_peaks[0], "{sums_peaks:?}");
}

/// What would go beyond a maximum, or has none, is the same to the interpreter and to compiled
/// code.
#[test]
fn lists_without_a_maximum_have_any_length() {
    for way in WAYS {
        let folder = folder("arrays-unbounded");
        let leaves = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let text = with_maxima(PROGRAM, "", ", max = 2");
        call_text(&folder, &text, &leaves, [&[0, 2], &[0, 0, 3]], way).ok();
        let sums = last_floats(folder.join("out/out0.values.npy"), 4);
        assert_eq!(sums, [0.5, 0.25, 9.5, 12.25], "{way:?}");
        let run = call_text(&folder, &text, &leaves, [&[0, 3], &[0, 0, 1, 3]], way);
        let words = "list 0 has 3 elements, the declared maximum is 2";
        assert!(run.code == Some(1) && run.err.contains(words), "{run:?}");
    }
}

#[test]
fn an_array_may_have_no_elements() {
    for way in WAYS {
        let folder = folder("arrays-empty");
        call(&folder, &[], [&[0, 0], &[0]], way).ok();
        let offsets = last_numbers(&folder.join("out/out1.offsets1.npy"), 1);
        assert_eq!(offsets, [0], "{way:?}");
    }
}

#[test]
fn arrays_that_are_not_well_formed_are_refused() {
    let leaves = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let cases: [([&[i64]; 2], &str); 8] = [
        (
            [&[0, 5], &[0, 1, 1, 1, 1]],
            "list 0 has 5 elements, the declared maximum is 4",
        ),
        (
            [&[0, 1], &[0, 4]],
            "list 0 has 4 elements, the declared maximum is 3",
        ),
        ([&[0, 2], &[0, 2, 1]], "decreases from 2 to 1 at list 1"),
        ([&[0, -1], &[0]], "decreases from 0 to -1 at list 0"),
        ([&[1, 2], &[0, 1]], "begins with 1, not with 0"),
        ([&[0, 2], &[0, 1]], "has 2 offsets, 2 lists have 3"),
        ([&[0, 2], &[0, 3, 6]], "has 3 leaves, the offsets are of 6"),
        ([&[0, 2], &[0, 1, 2]], "has 3 leaves, the offsets are of 2"),
    ];
    for (offsets, words) in cases {
        for way in WAYS {
            let folder = folder("arrays-wrong");
            let run = call(&folder, &leaves, offsets, way);
            assert_eq!(run.code, Some(1), "{run:?}");
            assert!(run.err.contains(words), "{words}: {run:?}");
            assert!(run.err.contains("argument 0 of @main"), "{run:?}");
            assert!(!folder.join("out").exists());
        }
    }
}

#[test]
fn parts_are_named_on_the_command_line() {
    let folder = folder("arrays-named");
    let leaves = [1.0, 2.0];
    call(&folder, &leaves, [&[0, 1], &[0, 1]], &[]).ok();
    let path = folder.join("program.mlir").display().to_string();
    let file = |name: &str| folder.join(name).display().to_string();
    let inputs = [
        format!("--input=0.values={}", file("arg0.values.npy")),
        format!("--input=0.offsets0={}", file("arg0.offsets0.npy")),
        format!("--input=0.offsets1={}", file("arg0.offsets1.npy")),
        format!("--input=1={}", file("arg1.npy")),
        format!("--output-dir={}", file("named")),
    ];
    let mut words = vec!["run".to_string(), path.clone()];
    words.extend(inputs);
    run(env!("CARGO_BIN_EXE_mapwright"), &words).ok();
    let sums = last_floats(folder.join("named/out0.values.npy"), 2);
    assert_eq!(sums, [1.5, 2.25]);
    // An array has no file of its own.
    let whole = format!("--input=0={}", file("arg0.values.npy"));
    let run = run(env!("CARGO_BIN_EXE_mapwright"), ["run", &path, &whole]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.err.contains("argument 0 of @main is an array"),
        "{run:?}"
    );
}

#[test]
fn parts_belong_together() {
    let cases = [
        ("arg0.offsets1.npy", "is given without offsets1"),
        ("arg0.offsets0.npy", "is given without offsets0"),
    ];
    for (missing, words) in cases {
        let folder = folder("arrays-missing");
        call(&folder, &[1.0, 2.0], [&[0, 1], &[0, 1]], &[]).ok();
        std::fs::remove_file(folder.join(missing)).unwrap();
        let path = folder.join("program.mlir").display().to_string();
        let inputs = format!("--inputs={}", folder.display());
        let run = run(env!("CARGO_BIN_EXE_mapwright"), ["run", &path, &inputs]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.err.contains(words), "{words}: {run:?}");
    }
    // A level that the type does not have.
    let folder = folder("arrays-level");
    call(&folder, &[1.0, 2.0], [&[0, 1], &[0, 1]], &[]).ok();
    let more = folder.join("arg0.offsets2.npy");
    std::fs::copy(folder.join("arg0.offsets1.npy"), more).unwrap();
    let path = folder.join("program.mlir").display().to_string();
    let inputs = format!("--inputs={}", folder.display());
    let run = run(env!("CARGO_BIN_EXE_mapwright"), ["run", &path, &inputs]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("has 2 levels"), "{run:?}");
}

#[test]
fn sizes_of_shapes_are_not_negative() {
    let folder = folder("shapes");
    let path = folder.join("program.mlir").display().to_string();
    let program = "func.func @main(%s: !tarray.shape<2>) -> tensor<i64> {\n\
        %n = tarray.numel %s : !tarray.shape<2>\n\
        return %n : tensor<i64>\n\
    }";
    fs::write(&path, program).unwrap();
    let binary = env!("CARGO_BIN_EXE_mapwright");
    let file = folder.join("shape.npy");
    let input = format!("--input=0={}", file.display());
    fs::write(&file, numbers(&[2, 3])).unwrap();
    let given = run(binary, ["run", &path, &input]).ok();
    assert_eq!(given.trim(), "dense<6> : tensor<i64>");
    fs::write(&file, numbers(&[2, -3])).unwrap();
    let refused = run(binary, ["run", &path, &input]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.err.contains("the size -3 is negative"),
        "{refused:?}"
    );
    for seed in 0..8 {
        let drawn = run(binary, ["run", &path, &format!("--seed={seed}")]).ok();
        assert!(!drawn.contains('-'), "{drawn}");
    }
}
