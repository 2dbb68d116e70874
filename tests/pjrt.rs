//! `libmapwright_pjrt.so`: what it exports, its C API in Python's hands, and programs of JAX, in a
//! virtual environment of its own below the target folder; and the Python package, whose own tests
//! (`python/tests`) compare with NumPy and JAX.

use crate::support::{
    Run, folder,
    mpi::{self, finished, started},
    programs, root, run,
};
use std::{
    fs,
    net::TcpListener,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    time::{Duration, Instant},
};

/// What is installed: the versions that the plugin is tested with.
const PACKAGES: [&str; 9] = [
    "jax==0.10.2",
    "jaxlib==0.10.2",
    "numpy<3",
    "pypjrt==0.1.1",
    // What jax.export serializes with.
    "flatbuffers==25.12.19",
    // What the programs in examples/jax are written with.
    "blackjax==1.7.1",
    "diffrax==0.7.2",
    "equinox==0.13.8",
    "optax==0.2.8",
];

fn library() -> PathBuf {
    programs().join("deps/libmapwright_pjrt.so")
}

/// The Python of the virtual environment, which is made once and kept while [`PACKAGES`] stay the
/// same.
fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../pjrt-venv");
        let (python, made) = (folder.join("bin/python"), folder.join("made-of"));
        let wanted = PACKAGES.join("\n");
        if fs::read_to_string(&made).is_ok_and(|is| is == wanted) {
            return python;
        }
        let venv = run(
            "python3",
            ["-m", "venv", "--clear", &folder.display().to_string()],
        );
        let missing = "python3 with its module venv is needed (Debian's python3-venv)";
        assert_eq!(venv.code, Some(0), "{missing}:\n{}{}", venv.out, venv.err);
        let install = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ];
        run(&python, install.into_iter().chain(PACKAGES)).ok();
        fs::write(made, wanted).unwrap();
        python
    })
}

/// Has `command` find the plugin.
fn on_plugin(command: &mut Command) -> &mut Command {
    command
        .env("PYTHONPATH", root().join("python"))
        .env("MAPWRIGHT_PJRT_LIBRARY", library())
        .env_remove("LD_LIBRARY_PATH")
}

/// Runs a script of `tests/pjrt` on the plugin.
fn script(name: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(python());
    command
        .arg(root().join("tests/pjrt").join(name))
        .args(arguments);
    let output = on_plugin(&mut command).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{errors}");
    said
}

#[test]
fn one_symbol_is_exported() {
    let nm = run(
        "nm",
        ["-D", "--defined-only", &library().display().to_string()],
    )
    .ok();
    let names: Vec<&str> = nm
        .lines()
        .filter_map(|line| line.split(' ').nth(2))
        .collect();
    assert_eq!(names, ["GetPjrtApi"]);
}

#[test]
fn the_conformance_run_finds_no_failure() {
    let plugin = library().display().to_string();
    let said = run(python(), ["-m", "pypjrt.conform", &plugin, "-v"]).ok();
    let last = said.trim_end().lines().last().unwrap_or_default();
    assert!(last.ends_with("0 FAIL"), "{said}");
    let passed = last
        .split_whitespace()
        .next()
        .and_then(|n| n.parse::<u32>().ok());
    assert!(passed.is_some_and(|n| n >= 45), "{said}");
}

#[test]
fn the_c_api_compiles_and_runs() {
    let plugin = library().display().to_string();
    assert!(script("through_c.py", &[&plugin]).contains("passed"));
}

#[test]
fn programs_of_jax_run() {
    let said = script("with_jax.py", &[]);
    assert!(said.contains("passed"), "{said}");
}

#[test]
fn programs_of_users_give_what_they_give_on_xla() {
    let said = script("examples.py", &[]);
    assert!(said.ends_with("passed\n"), "{said}");
}

/// Starts `on_ranks.py` on four devices, so many of each rank.
fn on_ranks(launcher: &str, each: usize, arguments: &[&str]) -> Run {
    // One that nobody has at the moment.
    let free = TcpListener::bind("localhost:0").and_then(|free| free.local_addr());
    let mut command = mpi::launcher(launcher);
    command
        .args(["-n", &(4 / each).to_string()])
        .arg(python())
        .arg(root().join("tests/pjrt/on_ranks.py"))
        .arg(free.unwrap().port().to_string())
        .args(arguments)
        .env("JAX_PLATFORMS", "mapwright")
        .env("JAX_NUM_CPU_DEVICES", each.to_string());
    on_plugin(&mut command);
    finished(started(command))
}

/// Losses in hexadecimal digits: the same to the last bit.
fn losses(out: &str) -> &str {
    let line = out.lines().find(|line| line.starts_with("losses "));
    line.unwrap_or_else(|| panic!("no losses: {out}"))
}

#[test]
fn ranks_of_mpi_train_as_the_devices_of_one_process_do() {
    let mut alone = Command::new(python());
    alone
        .arg(root().join("tests/pjrt/on_ranks.py"))
        .env("JAX_PLATFORMS", "mapwright")
        .env("XLA_FLAGS", "--xla_force_host_platform_device_count=4");
    let alone = on_plugin(&mut alone).output().unwrap();
    let alone = String::from_utf8_lossy(&alone.stdout).into_owned();
    for launcher in mpi::launchers() {
        for each in [1, 2] {
            let ranks = on_ranks(launcher, each, &[]).ok();
            assert_eq!(losses(&ranks), losses(&alone), "{launcher}, {each} each");
        }
    }
}

#[test]
fn an_exception_on_a_rank_ends_all() {
    for launcher in mpi::launchers() {
        let start = Instant::now();
        let Run { code, err, .. } = on_ranks(launcher, 1, &["fails"]);
        assert_ne!(code, Some(0), "{launcher}: {err}");
        assert!(err.contains("something is wrong here"), "{launcher}: {err}");
        // Where others wait for a rank that does not come, it takes minutes.
        let time = start.elapsed();
        assert!(time < Duration::from_secs(120), "{launcher}: {time:?}");
    }
}

#[test]
fn the_python_package_passes_its_tests() {
    // The package as it is installed, but with the extension module that cargo linked.
    let module = programs().join("deps/libmapwright_python.so");
    assert!(
        module.exists(),
        "{} is not there: cargo build --release --workspace",
        module.display()
    );
    let place = folder("python-package");
    let package = place.join("mapwright_hlo");
    fs::create_dir(&package).unwrap();
    for entry in fs::read_dir(root().join("python/mapwright_hlo")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            symlink(&path, package.join(path.file_name().unwrap())).unwrap();
        }
    }
    symlink(module, package.join("_native.abi3.so")).unwrap();
    let tests = Command::new(python())
        .args(["-m", "unittest", "discover", "--start-directory"])
        .arg(root().join("python/tests"))
        .env("PYTHONPATH", &place)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("JAX_PLATFORMS", "cpu")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&tests.stderr);
    assert!(tests.status.success(), "{said}");
    assert!(
        said.contains("Ran ") && !said.contains("Ran 0 tests"),
        "{said}"
    );
}
