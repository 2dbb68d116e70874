//! The examples: each program that JAX printed is compiled, run with one and with two threads, and
//! compared with what NumPy computed in double precision (examples/make.py). And what the pages
//! tell a reader to type (`pages`).

use crate::support::{self, folder, root, run};
use serde_json::Value;
use std::fs;

/// Relative to the element itself.
const TOLERANCE: f64 = 1e-5;

/// Roundings of a term as large as the largest element that an element may have suffered beside
/// that. Where large terms cancel (a mean is taken away, `1 + tanh x` for a negative `x`), single
/// precision has nothing to offer relative to what remains.
const ROUNDINGS: f64 = 8.0;

/// Element `i` of argument `argument` before scaling; the same hash as in examples/make.py.
fn unit(argument: u32, i: u32) -> f64 {
    let mut h = i
        .wrapping_mul(2_654_435_761)
        .wrapping_add((argument + 1).wrapping_mul(2_246_822_519));
    h ^= h >> 15;
    h = h.wrapping_mul(2_246_822_519);
    h ^= h >> 13;
    h = h.wrapping_mul(3_266_489_917);
    h ^= h >> 16;
    f64::from(h) / f64::from(1u32 << 31) - 1.0
}

fn sizes(value: &Value) -> Vec<u64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|size| size.as_u64().unwrap())
        .collect()
}

fn write_npy(path: &std::path::Path, shape: &[u64], values: impl Iterator<Item = f32>) {
    use npyz::WriterBuilder;
    let file = std::io::BufWriter::new(fs::File::create(path).unwrap());
    let mut writer = npyz::WriteOptions::new()
        .default_dtype()
        .shape(shape)
        .writer(file)
        .begin_nd()
        .unwrap();
    writer.extend(values).unwrap();
    writer.finish().unwrap();
}

fn check(name: &str) {
    let folder = folder(&format!("example-{name}"));
    let example = root().join("examples").join(name);
    let text = fs::read_to_string(example.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&text).unwrap();
    for (a, argument) in expected["arguments"].as_array().unwrap().iter().enumerate() {
        let shape = sizes(&argument["shape"]);
        let scale = argument["scale"].as_f64().unwrap();
        let count = u32::try_from(shape.iter().product::<u64>()).unwrap();
        let values = (0..count).map(|i| (scale * unit(a as u32, i)) as f32);
        write_npy(&folder.join(format!("arg{a}.npy")), &shape, values);
    }
    let result = &expected["result"];
    let largest = result["largest"].as_f64().unwrap();
    let step = usize::try_from(result["step"].as_u64().unwrap()).unwrap();
    let elements = result["elements"].as_array().unwrap();
    let mut outputs = Vec::new();
    for threads in ["1", "2"] {
        let out = folder.join(format!("out{threads}"));
        run(
            env!("CARGO_BIN_EXE_mapwright"),
            [
                "run".as_ref(),
                example.join("program.mlir").as_os_str(),
                "--inputs".as_ref(),
                folder.as_os_str(),
                "--output-dir".as_ref(),
                out.as_os_str(),
                "--threads".as_ref(),
                threads.as_ref(),
            ],
        )
        .ok();
        let bytes = fs::read(out.join("out0.npy")).unwrap();
        let file = npyz::NpyFile::new(bytes.as_slice()).unwrap();
        assert_eq!(file.shape(), sizes(&result["shape"]));
        outputs.push(file.into_vec::<f32>().unwrap());
    }
    assert!(
        outputs[0] == outputs[1],
        "{name}: two threads give other bits than one"
    );
    assert_eq!(elements.len(), outputs[0].len().div_ceil(step));
    for (i, element) in elements.iter().enumerate() {
        let found = f64::from(outputs[0][i * step]);
        let element = element.as_f64().unwrap();
        let rounding = f64::from(f32::EPSILON) / 2.0;
        let allowed = TOLERANCE * element.abs() + ROUNDINGS * rounding * largest;
        assert!(
            (found - element).abs() <= allowed,
            "{name}: element {} is {found}, not {element}",
            i * step
        );
    }
    // The arguments and results are large; a failed test leaves them for a look.
    fs::remove_dir_all(folder).unwrap();
}

macro_rules! examples {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            check(stringify!($name));
        }
    )*

        #[test]
        fn every_example_has_a_test() {
            let mut folders: Vec<String> = fs::read_dir(root().join("examples"))
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.join("program.mlir").exists())
                .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
                .collect();
            folders.sort();
            // A C program calls the last one: `tests/compile.rs`.
            let mut names = vec![$(stringify!($name),)* "batches"];
            names.sort_unstable();
            assert_eq!(folders, names);
        }
    };
}

examples! { softmax layer_norm bias_gelu add_transpose reshape_chain mlp attention }

/// An example that is a Rust program. `cargo test` builds the examples;
/// `cargo test --test all examples` does not.
fn program(name: &str) -> std::path::PathBuf {
    let example = support::programs().join("examples").join(name);
    if !example.exists() {
        let build = [
            "build",
            "--release",
            "--locked",
            "--workspace",
            "--example",
            name,
        ];
        run(env!("CARGO"), build).ok();
    }
    example
}

/// A crate of somebody else's, which is no member of the workspace and depends on the maps alone.
#[test]
fn a_crate_of_its_own_that_depends_on_maps() {
    let manifest = root().join("examples/rust/Cargo.toml");
    let text = run(
        env!("CARGO"),
        [
            "run".into(),
            "--quiet".into(),
            "--offline".into(),
            format!("--manifest-path={}", manifest.display()),
            format!("--target-dir={}", folder("example-rust").display()),
        ] as [String; 5],
    )
    .ok();
    assert_eq!(
        text,
        "(d0, d1) -> (d0 + d1 * 6), domain: d0 in [0, 5], d1 in [0, 3]\nelement (5, 2) reads Some([17])\n"
    );
}

/// A program of tensor arrays that is made from Rust, compiled and run.
#[test]
fn a_program_of_tensor_arrays_made_from_rust() {
    let text = run(program("sentences"), [""; 0]).ok();
    for part in [
        "tarray.parallel_foreach (",
        "tarray.fold (",
        "offsets [0, 2, 2, 5]",
        "words [1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 4.0, 6.0, 9.0, 12.0]",
        "sums [4.0, 6.0, 0.0, 0.0, 18.0, 26.0]",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}

/// A Rust program's own pipeline, over a module in which StableHLO stands beside `scf`.
#[test]
fn a_rust_pipeline_of_upstreams_passes_and_ours() {
    let example = program("pipeline");
    let file = folder("example-pipeline").join("f.mlir");
    fs::write(
        &file,
        "func.func @f(%a: tensor<10x20xf32>, %c: i1) -> tensor<20x10xf32> {
           %0 = scf.if %c -> tensor<20x10xf32> {
             %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<10x20xf32>) -> tensor<20x10xf32>
             scf.yield %1 : tensor<20x10xf32>
           } else {
             %2 = stablehlo.constant dense<1.0> : tensor<20x10xf32>
             scf.yield %2 : tensor<20x10xf32>
           }
           return %0 : tensor<20x10xf32>
         }",
    )
    .unwrap();
    let text = run(example, [&file]).ok();
    for part in [
        "stablehlo.transpose: ",
        "(d0, d1) -> (d1, d0)",
        "scf.if",
        "memref<20x10xf32>",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    let (_, lowered) = text.split_once("module {").unwrap();
    assert!(!lowered.contains("stablehlo."), "{lowered}");
}
