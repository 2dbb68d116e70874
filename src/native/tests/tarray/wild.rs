//! Compiled functions that are called with offsets that are none.

use crate::{
    generate::Generator,
    numbers, packed, random,
    types::{Ty, count},
    unpacked,
};
use mapwright_interpret::{Options, Tensor, Value, run};
use mapwright_mlir::{Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions};
use mapwright_normalize::tarray;

/// Tensors in the place of an array whose offsets are any numbers: they decrease, are negative, leave the buffer, and lists are too long.
fn wild(rng: &mut fastrand::Rng, ty: &Ty) -> Vec<Tensor> {
    let Ty::Array(..) = ty else {
        return packed(ty, &random(rng, ty), 0);
    };
    let (max, leaf) = ty.levels();
    let (name, shape) = leaf.tensor().unwrap();
    let mut any = |n: i64| -> Vec<i64> {
        (0..n)
            .map(|_| match rng.usize(0..8) {
                0 => rng.i64(..),
                _ => rng.i64(-3..12),
            })
            .collect()
    };
    let levels = (0..max.len()).map(|level| numbers(&any(count(&max[..level]) + 1)));
    let mut parts: Vec<Tensor> = levels.collect();
    // The outermost level is one list.
    parts[0] = numbers(&any(2));
    let all = Ty::Tensor(name, [&[count(&max)], shape].concat());
    let Value::Tensor(values) = random(rng, &all) else {
        unreachable!("of a tensor type");
    };
    parts.insert(0, values);
    parts
}

/// Compiled functions do not trust offsets: whatever they are, every load and store stays inside of its buffer, and what comes out is well-formed,
/// the same natively and interpreted.
#[test]
fn offsets_that_are_not_well_formed_stay_inside() {
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
        let found = executable
            .execute(&given, &ExecuteOptions::default())
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        let found: Vec<Tensor> = (found.iter())
            .map(|t| Tensor::from_bytes(t.element(), t.shape(), t.bytes()).unwrap())
            .collect();
        let values: Vec<Value> = arguments.into_iter().map(Value::Tensor).collect();
        let options = Options {
            steps: 5_000_000,
            ..Options::default()
        };
        let reference = run(root, "main", &values, &options)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
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
}
