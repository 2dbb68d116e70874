//! Random programs of tensor arrays: what they become as StableHLO, and native code, against the
//! definitions of the language.
//!
//! The interpreter evaluates a program with lists and tuples; its StableHLO is evaluated with
//! buffers and offsets, all of it by the interpreter, and some of it by native code. More:
//! `SEED=1 COUNT=10000 cargo test --release -p mapwright-native --test all tarray -- --ignored`.

mod generate;
mod lengths;
mod loops;
mod maps;
mod steps;
mod types;
mod wild;

use generate::Generator;
use mapwright_interpret::{Options, Scalar, Tensor, Value, run, value::zero};
use mapwright_mlir::{
    ElementType, Op, TensorType, context::context, diagnostic::Diagnostics, edit,
};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions};
use mapwright_normalize::tarray;
use std::slice::from_ref;
use types::{Ty, count};

fn element(name: &str) -> ElementType {
    match name {
        "i1" => ElementType::Bool,
        "ui8" => ElementType::uint(8),
        "f32" => ElementType::F32,
        "i64" => ElementType::int(64),
        _ => ElementType::int(32),
    }
}

/// The numbers in a text.
fn numbers_in(text: &str) -> Vec<i64> {
    let parts = text.split(|c: char| !c.is_ascii_digit());
    let mut found: Vec<i64> = parts.filter_map(|part| part.parse().ok()).collect();
    if text.starts_with("tensor") {
        // The last one is the width of the element type.
        found.pop();
    }
    found
}

/// A random value of a type.
fn random(rng: &mut fastrand::Rng, ty: &Ty) -> Value {
    match ty {
        Ty::Tensor(name, shape) => {
            let element = element(name);
            let one = |rng: &mut fastrand::Rng| match element {
                ElementType::Float(_) => Scalar::Real(f64::from(rng.i32(-40..40)) / 4.0),
                ElementType::Bool => Scalar::Bool(rng.bool()),
                ElementType::Int { unsigned: true, .. } => Scalar::Int(rng.u8(..).into()),
                _ => Scalar::Int(rng.i32(-9..9).into()),
            };
            Value::Tensor(Tensor::build(&element, shape, |_| Ok(one(rng))).unwrap())
        }
        Ty::Array(inner, max) => {
            let n = rng.i64(0..=*max);
            Value::Array((0..n).map(|_| random(rng, inner)).collect())
        }
        Ty::Shape(rank) => Value::Shape((0..*rank).map(|_| rng.i64(0..5)).collect()),
    }
}

fn numbers(values: &[i64]) -> Tensor {
    Tensor {
        element: ElementType::int(64),
        shape: vec![values.len() as i64],
        data: values.iter().map(|n| Scalar::Int((*n).into())).collect(),
    }
}

/// The tensors that stand for a value at the border of a function: what is there.
fn packed(ty: &Ty, value: &Value) -> Vec<Tensor> {
    match (ty, value) {
        (_, Value::Tensor(tensor)) => vec![tensor.clone()],
        (_, Value::Shape(sizes)) => vec![numbers(sizes)],
        (ty, value) => {
            let (max, leaf) = ty.levels();
            let (name, shape) = leaf.tensor().unwrap();
            let mut lists = vec![value.clone()];
            let mut offsets = Vec::new();
            for _ in &max {
                let mut own = vec![0i64];
                let mut inner = Vec::new();
                for list in &lists {
                    let Value::Array(elements) = list else {
                        panic!("a list is expected");
                    };
                    own.push(own.last().unwrap() + elements.len() as i64);
                    inner.extend(elements.iter().cloned());
                }
                offsets.push(numbers(&own));
                lists = inner;
            }
            let element = element(name);
            let mut data = Vec::new();
            for leaf in &lists {
                data.extend(leaf.tensor().unwrap().data.iter().copied());
            }
            let values = Tensor {
                element,
                shape: [&[lists.len() as i64], shape].concat(),
                data,
            };
            let mut all = vec![values];
            all.extend(offsets);
            all
        }
    }
}

/// The value that tensors stand for; what is not well-formed is an error.
fn unpacked(ty: &Ty, tensors: &mut impl Iterator<Item = Tensor>) -> Result<Value, String> {
    let mut next = || tensors.next().ok_or("too few results");
    match ty {
        Ty::Tensor(..) => Ok(Value::Tensor(next()?)),
        Ty::Shape(_) => Ok(Value::Shape(next()?.ints().map_err(|e| e.to_string())?)),
        Ty::Array(..) => {
            let (max, leaf) = ty.levels();
            let (_, shape) = leaf.tensor().ok_or("no leaf")?;
            let values = next()?;
            let mut levels = Vec::new();
            let mut lists = 1usize;
            for greatest in &max {
                let offsets = next()?.ints().map_err(|e| e.to_string())?;
                let rises = offsets
                    .windows(2)
                    .all(|pair| (0..=*greatest).contains(&(pair[1] - pair[0])));
                let rests = offsets[lists..].iter().all(|o| *o == offsets[lists]);
                if offsets[0] != 0 || !rises || !rests {
                    return Err(format!("offsets {offsets:?} of {lists} lists"));
                }
                let own: Vec<usize> = offsets[..=lists]
                    .windows(2)
                    .map(|pair| (pair[1] - pair[0]) as usize)
                    .collect();
                lists = own.iter().sum();
                levels.push(own);
            }
            let size = count(shape) as usize;
            let mut elements: Vec<Value> = (0..lists)
                .map(|i| {
                    Value::Tensor(Tensor {
                        element: values.element.clone(),
                        shape: shape.to_vec(),
                        data: values.data[i * size..(i + 1) * size].to_vec(),
                    })
                })
                .collect();
            for own in levels.iter().rev() {
                let mut rest = elements.into_iter();
                elements = own
                    .iter()
                    .map(|n| Value::Array(rest.by_ref().take(*n).collect()))
                    .collect();
            }
            elements.into_iter().next().ok_or_else(|| "no list".into())
        }
    }
}

fn compare(
    what: &str,
    outputs: &[Ty],
    reference: &[Value],
    found: Vec<Tensor>,
) -> Result<(), String> {
    let mut tensors = found.into_iter();
    for (i, (ty, want)) in outputs.iter().zip(reference).enumerate() {
        let got = unpacked(ty, &mut tensors).map_err(|why| format!("{what}: result {i}: {why}"))?;
        if *want != got {
            return Err(format!(
                "{what}: result {i} of type {ty} is\n{got:?}\nwhere the definition gives\n{want:?}"
            ));
        }
    }
    match tensors.next() {
        None => Ok(()),
        Some(_) => Err(format!("{what}: too many results")),
    }
}

/// One program, both ways, and as native code if `compiles`. The error has the program.
fn outcome(seed: u64, compiles: bool) -> Result<(), String> {
    let (text, inputs, outputs) = Generator::new(seed).program();
    if std::env::var_os("PRINT").is_some() {
        eprintln!("seed {seed}:\n{text}");
    }
    let mut rng = fastrand::Rng::with_seed(seed);
    let values: Vec<Value> = inputs.iter().map(|ty| random(&mut rng, ty)).collect();
    mapwright_ops::hooks::install();
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let found = (|| {
        let module = diagnostics
            .parse("program", text.as_bytes())
            .map_err(|_| String::from("does not parse"))?;
        let root = Op::new(module.as_operation());
        let options = Options {
            steps: 5_000_000,
            ..Options::default()
        };
        let reference =
            run(root, "main", &values, &options).map_err(|e| format!("the definition: {e}"))?;
        let arguments: Vec<Tensor> = inputs
            .iter()
            .zip(&values)
            .flat_map(|(ty, value)| packed(ty, value))
            .collect();
        let copy = edit::clone_module(root);
        let lowered = Op::new(copy.as_operation());
        // Arrays as small as these have room for their maxima unless one asks for what is there
        // alone.
        let packing = match seed % 4 {
            0 => tarray::Packing::Large,
            _ => tarray::Packing::Always,
        };
        let how = tarray::Options {
            packing,
            distribution: !seed.is_multiple_of(11),
        };
        tarray::legalize_with(lowered, how).map_err(|e| format!("not legalised: {}", e.message))?;
        if !lowered.verify() {
            return Err(format!("what it becomes is not valid:\n{lowered:?}"));
        }
        let left = lowered
            .descendants()
            .iter()
            .any(|op| op.dialect() == "tarray");
        if left {
            return Err("something of the language is left".into());
        }
        let tensors = arguments
            .iter()
            .cloned()
            .map(Value::Tensor)
            .collect::<Vec<_>>();
        let flat =
            run(lowered, "main", &tensors, &options).map_err(|e| format!("StableHLO: {e}"))?;
        let flat = flat.iter().map(|v| v.tensor().unwrap().clone()).collect();
        compare("StableHLO", &outputs, &reference, flat)?;
        if compiles {
            let options = CompileOptions {
                bounds_checks: seed.is_multiple_of(3),
                threads: 1 + (seed % 2) as usize,
                ..CompileOptions::default()
            };
            let executable = Executable::compile(lowered, &options).map_err(|e| e.to_string())?;
            let inputs = arguments
                .iter()
                .map(|t| mapwright_native::Tensor::new(&t.element, &t.shape, &t.to_bytes()))
                .collect::<Result<Vec<_>, _>>()
                .map_err(|e| e.to_string())?;
            let taken: Vec<&mapwright_native::Tensor> = inputs.iter().collect();
            let given = executable
                .execute(&taken, &ExecuteOptions::default())
                .map_err(|e| e.to_string())?
                .iter()
                .map(|t| Tensor::from_bytes(t.element(), t.shape(), t.bytes()).unwrap())
                .collect();
            compare("native code", &outputs, &reference, given)?;
        }
        Ok(())
    })();
    found.map_err(|why| {
        format!(
            "seed {seed}: {why}\n{}\n{text}\narguments {values:?}",
            diagnostics.take()
        )
    })
}

/// Checks `count` programs, every `native`-th as native code.
fn check(first: u64, count: u64, native: u64) {
    let mut failed = Vec::new();
    for seed in first..first + count {
        if let Err(why) = outcome(seed, seed % native == 0) {
            eprintln!("{why}");
            failed.push(seed);
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {count} programs differ: {failed:?}",
        failed.len()
    );
}

#[test]
fn two_thousand_programs() {
    check(1, 2000, 40);
}

/// As many as `COUNT` says, from the seed `SEED`, all of them as native code.
#[test]
#[ignore = "takes as long as one wants"]
fn many_programs() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(otherwise)
    };
    check(
        number("SEED", 1),
        number("COUNT", 1000),
        number("NATIVE", 1),
    );
}

/// Every operation of the language occurs among the programs.
#[test]
fn programs_have_every_operation() {
    let mut all = String::new();
    for seed in 1..=2000 {
        all += &Generator::new(seed).program().0;
    }
    for name in [
        "add",
        "apply_along_axis",
        "arange",
        "broadcast",
        "build",
        "cartesian_product",
        "chunks",
        "concatenate",
        "del",
        "embedding",
        "filter",
        "fold",
        "foreach",
        "from_offsets",
        "gather",
        "index",
        "index_update",
        "insert",
        "meshgrid",
        "ndims",
        "numel",
        "parallel_foreach",
        "reduce",
        "replace",
        "reshape",
        "scan",
        "scatter",
        "shape",
        "slice",
        "slices",
        "sortby",
        "stack",
        "transpose",
        "unsqueeze",
        "vectorize",
        "yield",
        "zip",
    ] {
        assert!(
            all.contains(&format!("tarray.{name} ")),
            "{name} does not occur"
        );
    }
}

#[test]
fn a_wrong_value_is_found() {
    let ty = types::array(Ty::Tensor("i32", vec![2]), 3);
    let mut rng = fastrand::Rng::with_seed(3);
    let value = loop {
        let value = random(&mut rng, &ty);
        if matches!(&value, Value::Array(elements) if !elements.is_empty()) {
            break value;
        }
    };
    let right = packed(&ty, &value);
    assert_eq!(
        compare("x", from_ref(&ty), from_ref(&value), right.clone()),
        Ok(())
    );
    let mut wrong = right.clone();
    wrong[0].data[0] = zero(&ElementType::Bool);
    assert!(compare("x", from_ref(&ty), from_ref(&value), wrong).is_err());
    let mut longer = right;
    longer[1] = numbers(&[0, 4]);
    assert!(compare("x", &[ty], &[value], longer).is_err());
    assert_eq!(
        TensorType::new(ElementType::F32, &[2]).to_string(),
        "tensor<2xf32>"
    );
}

/// The definitions of the language on the programs whose expectations NumPy worked out.
#[test]
fn the_definitions_give_the_values_of_the_execution_tests() {
    mapwright_ops::hooks::install();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit-tests/execute");
    let mut checked = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.starts_with("tarray_") || !name.ends_with(".mlir") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let module = diagnostics.parse(&name, text.as_bytes()).unwrap();
        let root = Op::new(module.as_operation());
        // What is of `scf` and `tensor` becomes StableHLO; arrays stay.
        mapwright_normalize::frontend::legalize_others(root)
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        let outcome = run(root, "main", &[], &Options::default());
        assert!(outcome.is_ok(), "{name}: {outcome:?}");
        checked += 1;
    }
    assert!(checked > 4, "{checked} files");
}
