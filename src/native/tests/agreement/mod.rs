//! Native code of a program against the interpreter, bit by bit.

use mapwright_interpret::{Options, Tensor as Expected, Value, run};
use mapwright_mlir::{ElementType, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};

/// An argument: type of the elements, shape, and bytes.
pub type Input = (ElementType, Vec<i64>, Vec<u8>);

/// A way to compile a program: for so many threads, and without a fast path.
pub type Way = (usize, Option<&'static str>);

/// Calls `@main` of a program twice in each of some ways, since what a call leaves behind is not
/// what the next one begins with. All results have to be those of the interpreter. Gives the bytes
/// that each call copied to be safe.
///
/// # Panics
/// A program that cannot be compiled or evaluated, or another value.
pub fn copied_bytes(source: &str, inputs: &[Input], ways: &[Way]) -> Vec<u64> {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("test", source.as_bytes()) else {
        panic!("{}\n{source}", diagnostics.take());
    };
    let module = Op::new(module.as_operation());
    let given = inputs.iter().map(|(element, shape, bytes)| {
        Value::Tensor(Expected::from_bytes(element, shape, bytes).expect("a tensor"))
    });
    let given: Vec<Value> = given.collect();
    let expected = run(module, "main", &given, &Options::default())
        .unwrap_or_else(|why| panic!("{why}\n{source}"));
    let mut copied = Vec::new();
    for (threads, disabled) in ways {
        let options = CompileOptions {
            threads: *threads,
            disabled: disabled.map(str::to_string).into_iter().collect(),
            ..CompileOptions::default()
        };
        let executable = Executable::compile(module, &options)
            .unwrap_or_else(|why| panic!("{} {why}\n{source}", diagnostics.take()));
        let taken = inputs
            .iter()
            .map(|(element, shape, bytes)| Tensor::new(element, shape, bytes).expect("a tensor"));
        let taken: Vec<Tensor> = taken.collect();
        let taken: Vec<&Tensor> = taken.iter().collect();
        let mut bound = executable
            .bind(None, &taken, &ExecuteOptions::default())
            .expect("fits");
        for _ in 0..2 {
            bound.run().expect("runs");
            copied.push(bound.memory().copied);
            for (k, (found, expected)) in bound.outputs().zip(&expected).enumerate() {
                let expected = expected.tensor().expect("a tensor").to_bytes();
                let what = disabled.unwrap_or("nothing");
                assert!(
                    found.bytes() == expected,
                    "result {k}, without {what}, {threads} threads: another value\n{source}"
                );
            }
        }
    }
    copied
}
