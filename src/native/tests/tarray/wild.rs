//! Compiled functions that are called with offsets that are none.

use super::{
    generate::Generator,
    packed, random,
    types::{Ty, count},
    unpacked,
};
use mapwright_interpret::{Options, Scalar, Tensor, Value, run};
use mapwright_mlir::{Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions};
use mapwright_normalize::tarray;

/// Tensors in the place of an array with a number of the offsets changed to any other, or a leaf or
/// an offset too much: they decrease, are negative, leave the buffer, and lists are too long.
fn wild(rng: &mut fastrand::Rng, ty: &Ty) -> Vec<Tensor> {
    let mut parts = packed(ty, &random(rng, ty));
    let Ty::Array(..) = ty else {
        return parts;
    };
    let i = rng.usize(0..parts.len());
    let part = &mut parts[i];
    match (i, rng.usize(0..4)) {
        (_, 0) => {}
        (1.., 1..=2) => {
            let at = rng.usize(0..part.data.len());
            let any = [rng.i64(..), rng.i64(-3..12), rng.i64(-3..12)];
            part.data[at] = Scalar::Int(any[rng.usize(0..3)].into());
        }
        // The outermost level is one list.
        (1, _) => {}
        _ => {
            let row = count(&part.shape[1..]) as usize;
            let (_, leaf) = ty.levels();
            let Value::Tensor(more) = random(rng, leaf) else {
                unreachable!("of a tensor type");
            };
            part.shape[0] += 1;
            match i {
                0 => part.data.extend(&more.data[..row]),
                _ => part.data.extend(part.data.last().copied()),
            }
        }
    }
    parts
}

/// Compiled functions do not trust offsets: those that are not well-formed are an error that says
/// so, natively and interpreted, before anything is loaded or stored.
#[test]
fn offsets_that_are_not_well_formed_are_refused() {
    let mut refused = 0;
    for seed in 1..=60 {
        let (text, inputs, outputs) = Generator::new(seed).program();
        let mut rng = fastrand::Rng::with_seed(seed);
        let arguments: Vec<Tensor> = inputs.iter().flat_map(|ty| wild(&mut rng, ty)).collect();
        mapwright_ops::hooks::install();
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let module = diagnostics.parse("program", text.as_bytes()).unwrap();
        let root = Op::new(module.as_operation());
        let how = tarray::Options {
            packing: match seed % 2 {
                0 => tarray::Packing::Large,
                _ => tarray::Packing::Always,
            },
            distribution: true,
        };
        tarray::legalize_with(root, how).unwrap_or_else(|e| panic!("{seed}: {}", e.message));
        let options = CompileOptions {
            bounds_checks: true,
            threads: 1 + (seed % 2) as usize,
            ..CompileOptions::default()
        };
        let executable = Executable::compile(root, &options)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}\n{text}", diagnostics.take()));
        let given: Vec<mapwright_native::Tensor> = (arguments.iter())
            .map(|t| mapwright_native::Tensor::new(&t.element, &t.shape, &t.to_bytes()).unwrap())
            .collect();
        let given: Vec<&mapwright_native::Tensor> = given.iter().collect();
        let found = executable.execute(&given, &ExecuteOptions::default());
        let values: Vec<Value> = arguments.into_iter().map(Value::Tensor).collect();
        let options = Options {
            steps: 5_000_000,
            ..Options::default()
        };
        let (found, reference) = match (found, run(root, "main", &values, &options)) {
            (Ok(found), Ok(reference)) => (found, reference),
            (Err(found), Err(reference)) => {
                let why = found.to_string();
                assert!(why.contains("of an array"), "seed {seed}: {why}\n{text}");
                assert!(reference.to_string().contains("of an array"), "{reference}");
                refused += 1;
                continue;
            }
            (found, reference) => panic!(
                "seed {seed}: {:?} natively, {:?} interpreted\n{text}",
                found.map(|_| ()),
                reference.map(|_| ())
            ),
        };
        let found: Vec<Tensor> = (found.iter())
            .map(|t| Tensor::from_bytes(t.element(), t.shape(), t.bytes()).unwrap())
            .collect();
        let mut reference = reference.iter().map(|v| v.tensor().unwrap().clone());
        let mut found = found.into_iter();
        for (i, ty) in outputs.iter().enumerate() {
            let own = [unpacked(ty, &mut found), unpacked(ty, &mut reference)];
            assert!(
                own[0].is_ok() && own[0] == own[1],
                "seed {seed}, result {i}: {own:?}\n{text}"
            );
        }
    }
    assert!((5..60).contains(&refused), "{refused} are refused");
}
