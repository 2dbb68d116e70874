//! Programs of several devices as ranks of MPI, with each of the two libraries.

use super::{SHARDED, file, json_of, mapwright};
use crate::support::{
    self, folder,
    mpi::{self, finished, launchers, started},
    npy,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// Groups of ranks, each with its number and its arguments.
type Groups<'a> = [(usize, &'a [&'a str])];

/// A launcher with groups of ranks.
fn command(launcher: &str, groups: &Groups<'_>) -> Command {
    let mut command = mpi::launcher(launcher);
    for (i, (ranks, arguments)) in groups.iter().enumerate() {
        if i > 0 {
            command.arg(":");
        }
        command.args(["-n", &ranks.to_string()]);
        command
            .arg(env!("CARGO_BIN_EXE_mapwright"))
            .args(*arguments);
    }
    command
}

fn ranks(launcher: &str, groups: &Groups<'_>) -> support::Run {
    finished(started(command(launcher, groups)))
}

/// Every kind of collective, of short and long tensors.
const MOVED: &str = r#"sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %a: tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b: tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
    %c: tensor<4x8xi4> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}
  ) -> (
    tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
    tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
    tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}]>},
    tensor<4x8xi4> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    tensor<f32>, tensor<8xf32>) {
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<256x128xf32>, tensor<128x64xf32>) -> tensor<256x64xf32>
  %s = stablehlo.tanh %a : tensor<256x128xf32>
  %q = stablehlo.dot_general %s, %b, contracting_dims = [1] x [0] : (tensor<256x128xf32>, tensor<128x64xf32>) -> tensor<256x64xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<256x128xf32>, tensor<f32>) -> tensor<f32>
  %state = stablehlo.constant dense<[3, 5]> : tensor<2xui64>
  %r, %drawn = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  %f = stablehlo.convert %drawn : (tensor<8xui32>) -> tensor<8xf32>
  return %p, %q, %s, %a, %c, %sum, %f : tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x128xf32>, tensor<256x128xf32>, tensor<4x8xi4>, tensor<f32>, tensor<8xf32>
}
"#;

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().into(), fs::read(&path).unwrap())
        })
        .collect();
    all.sort();
    all
}

#[test]
fn ranks_give_the_bits_of_one_process() {
    let folder = folder("mpi-bits");
    let path = file(&folder, "f.mlir", MOVED);
    let one = folder.join("one").display().to_string();
    let given = ["run", &path, "--seed", "3"];
    let more = ["--devices", "4", "--json", "--output-dir", &one];
    let answer = json_of(mapwright(&[&given[..], &more].concat()));
    let said = answer["communication"].to_string();
    for kind in [
        "all-reduce",
        "reduce-scatter",
        "all-to-all",
        "all-gather",
        "collective-permute",
    ] {
        assert!(said.contains(kind), "{kind} is not in {said}");
    }
    let expected = files(Path::new(&one));
    assert_eq!(expected.len(), 7);
    let whole = mapwright(&[&given[..], &["--devices", "4"]].concat()).ok();
    for launcher in launchers() {
        let out = folder.join(launcher).display().to_string();
        let more = ["--json", "--output-dir", &out];
        let answer = json_of(ranks(launcher, &[(4, &[&given[..], &more].concat())]));
        assert_eq!(answer["devices"], 4);
        assert_eq!(answer["rank_peak_rss_bytes"].as_array().unwrap().len(), 4);
        assert!(files(Path::new(&out)) == expected, "{launcher}");
        for overlap in ["off", "on"] {
            let more = ["--overlap", overlap];
            let printed = ranks(launcher, &[(4, &[&given[..], &more].concat())]);
            assert_eq!(printed.ok(), whole, "{launcher}, {overlap}");
        }
    }
}

/// Arguments of [`SHARDED`].
fn arguments(folder: &Path) -> String {
    fs::create_dir_all(folder).unwrap();
    let x: Vec<f32> = (1..9).map(|i| i as f32).collect();
    fs::write(folder.join("arg0.npy"), npy("(2, 4)", &x)).unwrap();
    let y = [1., 0., 2., 0., 1., 2., 1., 1., 0., 2., 0., 1.];
    fs::write(folder.join("arg1.npy"), npy("(4, 3)", &y)).unwrap();
    folder.display().to_string()
}

/// What goes wrong on one rank ends all, which is said once, and no file is left.
#[test]
fn a_fault_of_one_rank_ends_all() {
    let folder = folder("mpi-faults");
    let path = file(&folder, "f.mlir", SHARDED);
    let other = file(
        &folder,
        "other.mlir",
        &format!("{SHARDED}// Other bytes.\n"),
    );
    let wrong = file(
        &folder,
        "wrong.mlir",
        &SHARDED.replace("contracting_dims = [1]", "contracting_dims = [0]"),
    );
    let good = arguments(&folder.join("good"));
    let lacking = arguments(&folder.join("lacking"));
    fs::remove_file(folder.join("lacking/arg1.npy")).unwrap();
    let short = arguments(&folder.join("short"));
    let bytes = fs::read(folder.join("short/arg0.npy")).unwrap();
    fs::write(folder.join("short/arg0.npy"), &bytes[..bytes.len() - 9]).unwrap();
    let out = folder.join("out");
    let written = out.display().to_string();
    for launcher in launchers() {
        let given = |path, inputs| ["run", path, "--inputs", inputs, "--output-dir", &written];
        let right = given(&path, &good);
        let cases: [(&Groups<'_>, &str); 7] = [
            (
                &[(3, &right), (1, &given(&other, &good))],
                "rank 3 of 4: another program or other options than rank 0",
            ),
            (
                &[
                    (1, &right),
                    (1, &given("/nowhere.mlir", &good)),
                    (2, &right),
                ],
                "rank 1: cannot read /nowhere.mlir: No such file",
            ),
            (
                &[(2, &right), (2, &given(&path, &lacking))],
                "ranks 2, 3: files of other arguments than rank 0",
            ),
            (
                &[(2, &right), (1, &given(&path, &short)), (1, &right)],
                "rank 2: argument 0 of @main: ",
            ),
            (&[(4, &given(&wrong, &good))], "wrong.mlir:3:"),
            (
                &[(3, &right)],
                "it is for 4 devices, and the program runs on 3",
            ),
            (
                &[(4, &[&right[..], &["--profile"]].concat())],
                "--profile goes with one process only",
            ),
        ];
        for (groups, reason) in cases {
            let start = Instant::now();
            let run = ranks(launcher, groups);
            assert_eq!(run.code, Some(1), "{launcher}: {}", run.err);
            assert_eq!(
                run.err.matches(reason).count(),
                1,
                "{launcher} {reason}: {}",
                run.err
            );
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{launcher}: {reason}"
            );
            assert!(!out.exists(), "{launcher}: {reason}");
        }
        // The library is not there, or of the other launcher.
        let mut absent = command(launcher, &[(2, &right)]);
        absent.env("MAPWRIGHT_MPI", "/nowhere/libmpi.so");
        let run = finished(started(absent));
        assert_eq!(run.code, Some(1), "{launcher}: {}", run.err);
        let reason = "rank 1 of 2: no MPI library is found under /nowhere/libmpi.so";
        assert!(run.err.contains(reason), "{launcher}: {}", run.err);
        // Each by itself.
        let alone = ranks(launcher, &[(2, &["run", &path, "--mpi=off", "--json"])]);
        assert_eq!(alone.out.lines().count(), 2, "{launcher}: {}", alone.err);
    }
}

/// A device that does not end, while the others wait for it.
const ENDLESS: &str = r#"sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%s: tensor<1xi32>) {
    %id = stablehlo.partition_id : tensor<ui32>
    %two = stablehlo.constant dense<2> : tensor<ui32>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %zero = stablehlo.constant dense<0> : tensor<1xi32>
    %is = stablehlo.compare EQ, %id, %two : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %n = stablehlo.while(%i = %zero) : tensor<1xi32> cond {
      %first = stablehlo.reshape %i : (tensor<1xi32>) -> tensor<i32>
      %most = stablehlo.constant dense<5> : tensor<i32>
      %less = stablehlo.compare LT, %first, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %or = stablehlo.or %less, %is : tensor<i1>
      stablehlo.return %or : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<1xi32>
      stablehlo.return %next : tensor<1xi32>
    }
    %sum = "stablehlo.all_reduce"(%n) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      %r = stablehlo.add %p, %q : tensor<i32>
      stablehlo.return %r : tensor<i32>
    }) : (tensor<1xi32>) -> tensor<1xi32>
    sdy.return %sum : tensor<1xi32>
  } : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
"#;

/// The process of a rank of the ranks that have a mark in their environment.
fn process_of(rank: usize, mark: &str) -> Option<i32> {
    let variables = [
        format!("OMPI_COMM_WORLD_RANK={rank}"),
        format!("PMI_RANK={rank}"),
    ];
    let mark = format!("MAPWRIGHT_TEST_MARK={mark}");
    fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let process = entry.file_name().to_str()?.parse().ok()?;
        let environment = fs::read(entry.path().join("environ")).ok()?;
        let set: Vec<&[u8]> = environment.split(|byte| *byte == 0).collect();
        let is = |text: &String| set.contains(&text.as_bytes());
        (is(&mark) && variables.iter().any(is)).then_some(process)
    })
}

#[test]
fn a_rank_that_does_not_come_ends_all() {
    let folder = folder("mpi-endless");
    let path = file(&folder, "f.mlir", ENDLESS);
    let out = folder.join("out");
    let written = out.display().to_string();
    for launcher in launchers() {
        let given = ["run", &path, "--output-dir", &written, "--time-limit", "1"];
        let run = ranks(launcher, &[(4, &given)]);
        // The launcher kills the rank that does not end, and has a code for that.
        assert!(
            run.code.is_some_and(|code| code != 0),
            "{launcher}: {run:?}"
        );
        assert!(
            run.err.contains("waited 1s for the ranks [2]"),
            "{launcher}: {}",
            run.err
        );
        assert!(!out.exists());

        // Killed, while the others would wait much longer.
        let mark = format!("{launcher}-{}", std::process::id());
        let mut endless = command(launcher, &[(4, &given[..4])]);
        endless.env("MAPWRIGHT_TEST_MARK", &mark);
        let child = started(endless);
        let start = Instant::now();
        let killed = loop {
            if let Some(process) = process_of(1, &mark) {
                std::thread::sleep(Duration::from_secs(2));
                break process;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{launcher}");
            std::thread::sleep(Duration::from_millis(50));
        };
        let kill = Command::new("kill")
            .args(["-9", &killed.to_string()])
            .status();
        assert!(kill.unwrap().success());
        let start = Instant::now();
        let run = finished(child);
        assert!(start.elapsed() < Duration::from_secs(10), "{launcher}");
        assert!(
            run.code.is_some_and(|code| code != 0),
            "{launcher}: {run:?}"
        );
        assert!(!out.exists());
        for rank in 0..4 {
            assert_eq!(
                process_of(rank, &mark),
                None,
                "{launcher}: rank {rank} is left"
            );
        }
    }
}

/// Each rank has a quarter of what goes in and comes out, and little more.
#[test]
fn ranks_have_only_their_slices() {
    const PROGRAM: &str = r#"sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a: tensor<ROWSx1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<ROWSx1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = stablehlo.tanh %a : tensor<ROWSx1024xf32>
  return %0 : tensor<ROWSx1024xf32>
}
"#;
    let folder = folder("mpi-memory");
    for launcher in launchers() {
        let peak = |rows: u64| {
            let path = file(
                &folder,
                "f.mlir",
                &PROGRAM.replace("ROWS", &rows.to_string()),
            );
            let inputs = folder.join("in");
            fs::create_dir_all(&inputs).unwrap();
            let head = npy(&format!("({rows}, 1024)"), &[]);
            let argument = inputs.join("arg0.npy");
            fs::write(&argument, &head).unwrap();
            // Zeros, which take no place on the disk.
            let argument = fs::File::options().write(true).open(argument).unwrap();
            argument.set_len(head.len() as u64 + rows * 4096).unwrap();
            let (inputs, out) = (inputs.display().to_string(), folder.join("out"));
            let written = out.display().to_string();
            let given = [
                "run",
                &path,
                "--inputs",
                &inputs,
                "--output-dir",
                &written,
                "--json",
            ];
            let answer = json_of(ranks(launcher, &[(4, &given)]));
            fs::remove_dir_all(out).unwrap();
            let peaks = answer["rank_peak_rss_bytes"].as_array().unwrap();
            peaks
                .iter()
                .map(|peak| peak.as_u64().unwrap())
                .max()
                .unwrap()
        };
        let (little, much) = (peak(64), peak(64 << 10));
        // A quarter of the argument and of the result.
        let share = 2 * (64 << 10) * 4096 / 4;
        assert!(
            (much - little) as f64 <= 1.2 * share as f64,
            "{launcher}: {little} and {much} bytes for a share of {share}"
        );
    }
}
