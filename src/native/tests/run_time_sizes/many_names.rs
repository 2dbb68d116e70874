//! More names of sizes in one function, and more of them in one product, than any number has bits
//! for: 21 tensors are flattened, whose sizes have nothing to do with each other, and put one
//! behind the other.

use super::{Dice, input};
use crate::interpreted;
use mapwright_interpret::{Options, Value};
use mapwright_mlir::{Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};

/// The ranks of the tensors: 65 names.
const RANKS: [usize; 21] = [
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5,
];

fn program() -> String {
    let ty = |rank: usize| format!("tensor<{}f32>", "?x".repeat(rank));
    let (mut arguments, mut flat, mut text) = (Vec::new(), Vec::new(), String::new());
    for (k, rank) in RANKS.into_iter().enumerate() {
        let own = ty(rank);
        arguments.push(format!("%a{k}: {own}"));
        for d in 0..rank {
            text += &format!(
                "%s{k}_{d} = stablehlo.get_dimension_size %a{k}, dim = {d} : ({own}) -> tensor<i32>\n"
            );
        }
        let mut product = format!("%s{k}_0");
        for d in 1..rank {
            text += &format!("%p{k}_{d} = stablehlo.multiply {product}, %s{k}_{d} : tensor<i32>\n");
            product = format!("%p{k}_{d}");
        }
        text += &format!(
            "%v{k} = stablehlo.reshape {product} : (tensor<i32>) -> tensor<1xi32>
             %n{k} = stablehlo.negate %a{k} : {own}
             %f{k} = stablehlo.dynamic_reshape %n{k}, %v{k} : ({own}, tensor<1xi32>) -> tensor<?xf32>
             %g{k} = stablehlo.add %f{k}, %f{k} : tensor<?xf32>\n"
        );
        flat.push(format!("%g{k}"));
    }
    format!(
        "func.func public @main({}) -> tensor<?xf32> {{
           {text}
           %all = stablehlo.concatenate {}, dim = 0 : ({}) -> tensor<?xf32>
           return %all : tensor<?xf32>
         }}",
        arguments.join(", "),
        flat.join(", "),
        vec![ty(1); RANKS.len()].join(", ")
    )
}

#[test]
fn sixty_names_and_products_of_five() {
    let source = program();
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let module = diagnostics.parse("names", source.as_bytes());
    let module = module.unwrap_or_else(|_| panic!("{}", diagnostics.take()));
    let module = Op::new(module.as_operation());
    let compiled = Executable::compile(module, &CompileOptions::default());
    let compiled = compiled.unwrap_or_else(|error| panic!("{} {error}", diagnostics.take()));
    for seed in 1..5 {
        let mut dice = Dice(seed);
        let inputs: Vec<Tensor> = (RANKS.into_iter())
            .map(|rank| {
                let shape: Vec<i64> = (0..rank).map(|_| dice.below(5) as i64).collect();
                input(&shape, &mut dice)
            })
            .collect();
        let taken: Vec<&Tensor> = inputs.iter().collect();
        let values: Vec<Value> = (inputs.iter())
            .map(|tensor| Value::Tensor(interpreted::tensor(tensor)))
            .collect();
        let expected = mapwright_interpret::run(module, "main", &values, &Options::default());
        let expected = expected.unwrap()[0].tensor().unwrap().clone();
        let found = compiled
            .execute(&taken, &ExecuteOptions::default())
            .unwrap();
        assert_eq!(found[0].shape(), &expected.shape[..], "seed {seed}");
        assert_eq!(found[0].bytes(), expected.to_bytes(), "seed {seed}");
    }
}
