//! A donated argument changes where the result is, never what it is.

use mapwright_mlir::{ElementType, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};

fn floats(count: usize, seed: u32) -> Vec<u8> {
    let mut state = seed;
    (0..count)
        .flat_map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) as f32 / 65536.0 - 100.0).to_le_bytes()
        })
        .collect()
}

/// Runs the function with `{DONATED}` as the donation and without; the inputs are tensors of the
/// function's types.
fn check(source: &str) {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let run = |attribute: &str| {
        let text = source.replace("{DONATED}", attribute);
        let Ok(module) = diagnostics.parse("test", text.as_bytes()) else {
            panic!("{}\n{text}", diagnostics.take());
        };
        let options = CompileOptions {
            threads: 2,
            ..CompileOptions::default()
        };
        let executable = match Executable::compile(Op::new(module.as_operation()), &options) {
            Ok(executable) => executable,
            Err(error) => panic!("{} {error}\n{text}", diagnostics.take()),
        };
        let signature = executable.signature(None).expect("one entry");
        let inputs: Vec<Tensor> = signature
            .inputs
            .iter()
            .enumerate()
            .map(|(i, ty)| {
                let shape = ty.static_shape().expect("static");
                let count = shape.iter().product::<i64>() as usize;
                let bytes = match ty.element {
                    ElementType::F32 => floats(count, i as u32 + 1),
                    _ => (0..count as i32)
                        .flat_map(|k| (3 * k + 2).to_le_bytes())
                        .collect(),
                };
                Tensor::new(&ty.element, &shape, &bytes).expect("a tensor")
            })
            .collect();
        let before: Vec<Vec<u8>> = inputs.iter().map(|t| t.bytes().to_vec()).collect();
        let given: Vec<&Tensor> = inputs.iter().collect();
        let mut results = Vec::new();
        for threads in [1, 2] {
            let outputs = executable
                .execute(&given, &ExecuteOptions { threads })
                .expect("runs");
            results.push(
                outputs
                    .iter()
                    .map(|t| t.bytes().to_vec())
                    .collect::<Vec<_>>(),
            );
        }
        for (input, bytes) in inputs.iter().zip(&before) {
            assert_eq!(input.bytes(), bytes, "an argument changed\n{text}");
        }
        assert_eq!(results[0], results[1], "threads change the result\n{text}");
        results.remove(0)
    };
    assert_eq!(run("{tf.aliasing_output = 0 : i32}"), run(""), "{source}");
}

#[test]
fn updates() {
    for (rows, columns) in [(7, 13), (64, 128), (1500, 1000)] {
        check(&format!(
            "func.func @main(%a: tensor<{rows}x{columns}xf32> {{DONATED}}, %u: tensor<1x{columns}xf32>, %i: tensor<i32>) -> tensor<{rows}x{columns}xf32> {{
               %z = stablehlo.constant dense<0> : tensor<i32>
               %0 = stablehlo.dynamic_update_slice %a, %u, %i, %z : (tensor<{rows}x{columns}xf32>, tensor<1x{columns}xf32>, tensor<i32>, tensor<i32>) -> tensor<{rows}x{columns}xf32>
               return %0 : tensor<{rows}x{columns}xf32>
             }}"
        ));
        check(&format!(
            "func.func @main(%a: tensor<{rows}x{columns}xf32> {{DONATED}}, %i: tensor<5x1xi32>, %u: tensor<5x{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{
               %0 = \"stablehlo.scatter\"(%a, %i, %u) <{{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}}> ({{
               ^bb0(%x: tensor<f32>, %y: tensor<f32>):
                 %s = stablehlo.add %x, %y : tensor<f32>
                 stablehlo.return %s : tensor<f32>
               }}) : (tensor<{rows}x{columns}xf32>, tensor<5x1xi32>, tensor<5x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
               return %0 : tensor<{rows}x{columns}xf32>
             }}"
        ));
    }
}

/// Programs that read the argument after, or elsewhere than, they could write the result.
#[test]
fn what_is_read_later_is_not_overwritten() {
    let ty = "tensor<37x37xf32>";
    for body in [
        // Element by element, in place.
        "%0 = stablehlo.add %a, %b : $T\n%1 = stablehlo.negate %b : $T",
        // Read elsewhere by the same region.
        "%0 = stablehlo.transpose %a, dims = [1, 0] : ($T) -> $T\n%1 = stablehlo.negate %b : $T",
        "%t = stablehlo.transpose %a, dims = [1, 0] : ($T) -> $T\n%0 = stablehlo.add %a, %t : $T\n%1 = stablehlo.negate %b : $T",
        // Read again by a later region.
        "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ($T, $T) -> $T
         %1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] : ($T, $T) -> $T",
        // The argument itself is a result too.
        "%0 = stablehlo.multiply %a, %a : $T\n%1 = stablehlo.reverse %a, dims = [0] : $T",
        // Through a loop that reads it.
        "%z = stablehlo.constant dense<0> : tensor<i32>
         %n = stablehlo.constant dense<3> : tensor<i32>
         %o = stablehlo.constant dense<1> : tensor<i32>
         %l:2 = stablehlo.while(%i = %z, %x = %b) : tensor<i32>, $T
         cond {
           %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1>
         } do {
           %j = stablehlo.add %i, %o : tensor<i32>
           %y = stablehlo.add %x, %a : $T
           stablehlo.return %j, %y : tensor<i32>, $T
         }
         %0 = stablehlo.negate %l#1 : $T
         %1 = stablehlo.subtract %a, %b : $T",
    ] {
        let source = format!(
            "func.func @main(%a: $T {{DONATED}}, %b: $T) -> ($T, $T) {{\n{body}\nreturn %0, %1 : $T, $T\n}}"
        );
        check(&source.replace("$T", ty));
    }
}

/// The memory of the caller's tensors is never that of a result, also where a call is made again
/// and again in place.
#[test]
fn calls_in_place_write_to_their_own_copy() {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let text = "func.func @main(%a: tensor<100xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<100xf32>) -> tensor<100xf32> {
      %0 = stablehlo.add %a, %b : tensor<100xf32>
      return %0 : tensor<100xf32>
    }";
    let Ok(module) = diagnostics.parse("test", text.as_bytes()) else {
        panic!("{}", diagnostics.take());
    };
    let options = CompileOptions::default();
    let executable = Executable::compile(Op::new(module.as_operation()), &options)
        .unwrap_or_else(|error| panic!("{} {error}", diagnostics.take()));
    let tensor = |x: f32| {
        let bytes: Vec<u8> = (0..100).flat_map(|_| x.to_le_bytes()).collect();
        Tensor::new(&ElementType::F32, &[100], &bytes).expect("a tensor")
    };
    let (a, b) = (tensor(1.0), tensor(10.0));
    let mut bound = executable
        .bind(None, &[&a, &b], &ExecuteOptions::default())
        .expect("fits");
    for call in 1..=3 {
        bound.run().expect("runs");
        // A further call goes on from where the last one ended.
        let expected = tensor(1.0 + 10.0 * call as f32);
        assert!(bound.outputs().all(|t| t.bytes() == expected.bytes()));
        assert_eq!(
            a.bytes(),
            tensor(1.0).bytes(),
            "the caller's tensor changed"
        );
        assert_eq!(b.bytes(), tensor(10.0).bytes(), "an argument changed");
    }
}
