//! A program over sentences of different lengths, made from Rust, compiled and run.
//!
//!     cargo run --release --example sentences
//!
//! A sentence is a list of words, a word a vector of two numbers. Each word is multiplied with a
//! matrix, and the words of a sentence are added up. Prints the program, and for three sentences of
//! 2, 0 and 3 words the products of their words and the sum of each sentence.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a program

use mapwright::{
    mlir::{
        ElementType, Op, TensorType, ValueType,
        context::context,
        diagnostic::{Diagnostics, Failure},
        melior::ir::{Location, Module},
    },
    native::{CompileOptions, Executable, ExecuteOptions, Ragged, Tensor},
    tarray::{Loop, array, function},
};
use std::process::ExitCode;

/// Room for so many sentences of so many words.
const MAX: [i64; 2] = [4, 8];

fn tensor(shape: &[i64]) -> ValueType {
    ValueType::Tensor(TensorType::new(ElementType::F32, shape))
}

/// Appends the program to a module.
fn program<'c>(
    module: &Module<'c>,
    context: &'c mapwright::mlir::melior::Context,
) -> Result<(), Failure> {
    let sentence = array(tensor(&[2]), MAX[1]);
    let batch = array(sentence, MAX[0]);
    let takes = [batch, tensor(&[2, 2])];
    function(module, context, "main", &takes, |f, arguments| {
        let (sentences, matrix) = (arguments[0], arguments[1]);
        let all = [sentences];
        f.each(&Loop::ParallelForeach, &all, &[], |f, sentence| {
            let words = f.each(&Loop::ParallelForeach, sentence, &[], |f, word| {
                let dims = "#stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>";
                let attributes = [("dot_dimension_numbers", dims)];
                let operands = [word[0], matrix];
                let product = f.typed(
                    "stablehlo.dot_general",
                    &operands,
                    &tensor(&[2]),
                    &attributes,
                )?;
                Ok(vec![product])
            })?;
            let zero = f.constant("0.0", &tensor(&[2]))?;
            let sum = f.each(&Loop::Fold, &words, &[zero], |f, values| {
                let sum = f.typed("stablehlo.add", values, &tensor(&[2]), &[])?;
                Ok(vec![sum])
            })?;
            Ok([words, sum].concat())
        })
    })
}

fn floats(tensor: &Tensor) -> Vec<f32> {
    let bytes = tensor.bytes().chunks_exact(4);
    bytes
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

fn from_floats(shape: &[i64], values: &[f32]) -> Result<Tensor, mapwright::native::Error> {
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    Tensor::new(&ElementType::F32, shape, &bytes)
}

fn run() -> Result<(), String> {
    mapwright::register();
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let module = Module::new(Location::unknown(&context));
    program(&module, &context).map_err(|_| diagnostics.take())?;
    println!("{}", module.as_operation());

    let told = |error: mapwright::native::Error| format!("{error}{}", diagnostics.take());
    let root = Op::new(module.as_operation());
    let executable = Executable::compile(root, &CompileOptions::default()).map_err(told)?;
    let words = [1.0, 0.0, 0.0, 1.0, 2.0, 1.0, 1.0, 1.0, 0.0, 3.0];
    let values = from_floats(&[5, 2], &words).map_err(told)?;
    let offsets = vec![vec![0, 3], vec![0, 2, 2, 5]];
    let sentences = Ragged::new(values, offsets).map_err(told)?;
    let mut inputs = sentences.pack(&MAX).map_err(told)?;
    inputs.push(from_floats(&[2, 2], &[1.0, 2.0, 3.0, 4.0]).map_err(told)?);
    let inputs: Vec<&Tensor> = inputs.iter().collect();
    let mut outputs = executable
        .execute(&inputs, &ExecuteOptions::default())
        .map_err(told)?;
    // Leaves and the offsets of two levels; leaves and the offsets of one.
    let sums = Ragged::unpack(outputs.split_off(3)).map_err(told)?;
    let products = Ragged::unpack(outputs).map_err(told)?;
    println!("offsets {:?}", products.offsets()[1]);
    println!("words {:?}", floats(products.values()));
    println!("sums {:?}", floats(sums.values()));
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
