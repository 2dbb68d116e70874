//! Loops and branches over tensors whose sizes are known at run time only: sizes are the same
//! symbols inside and outside where they are the same, so bodies are code of the emitters that make
//! code for static sizes; and where they are not the same, nobody takes them to be. Against the
//! interpreter, at sizes of nothing, of single elements, and others.

use crate::interpreted;
use mapwright_interpret::{Options, Value};
use mapwright_mlir::{ElementType, FloatKind, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};

/// Small multiples of 1/8, of which every order of additions gives the same sums.
fn input(shape: &[i64], seed: u64) -> Tensor {
    let mut tensor = Tensor::zeros(&ElementType::Float(FloatKind::F32), shape).unwrap();
    let mut state = seed + 1;
    for bytes in tensor.bytes_mut().chunks_exact_mut(4) {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let number = (state >> 33) % 9;
        bytes.copy_from_slice(&(number as f32 / 8.0 - 0.5).to_le_bytes());
    }
    tensor
}

/// Which emitters a program must have code of.
struct Expected {
    /// How many kernels at least, by emitter.
    made: &'static [(&'static str, usize)],
    /// At most so many tensors of run-time sizes are left to the general one.
    general: usize,
}

/// Compares `source`, whose arguments have the shapes that `shapes` gives for sizes, with the
/// interpreter at each of `sizes`. A call that the interpreter refuses fails.
fn check(
    source: &str,
    shapes: &dyn Fn([i64; 3]) -> Vec<Vec<i64>>,
    sizes: &[[i64; 3]],
    expected: &Expected,
) {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("test", source.as_bytes()) else {
        panic!("{}\n{source}", diagnostics.take());
    };
    let module = Op::new(module.as_operation());
    for threads in [1, 2] {
        let options = CompileOptions {
            threads,
            ..CompileOptions::default()
        };
        let executable = match Executable::compile(module, &options) {
            Ok(executable) => executable,
            Err(error) => panic!("{} {error}\n{source}", diagnostics.take()),
        };
        let regions = &executable.statistics().regions;
        for (emitter, least) in expected.made {
            let made = regions.iter().filter(|region| region.emitter == *emitter);
            let made = made.count();
            assert!(made >= *least, "{made} of {emitter}: {regions:?}\n{source}");
        }
        let mut general = 0;
        for region in regions {
            let mut why = region.declined.iter().map(|(_, why)| why);
            let unnamed =
                region.emitter == "general" && why.any(|why| why.contains("run-time sizes ("));
            general += usize::from(unnamed);
        }
        assert!(general <= expected.general, "{regions:?}\n{source}");
        for own in sizes.iter().copied() {
            let at = format!("at {own:?}, {threads} threads");
            let inputs: Vec<Tensor> = (shapes(own).iter().enumerate())
                .map(|(i, shape)| input(shape, i as u64))
                .collect();
            let values: Vec<Value> = (inputs.iter())
                .map(|t| Value::Tensor(interpreted::tensor(t)))
                .collect();
            let wanted = mapwright_interpret::run(module, "main", &values, &Options::default());
            let taken: Vec<&Tensor> = inputs.iter().collect();
            let found = executable.execute(&taken, &ExecuteOptions { threads });
            let (found, wanted) = match (found, wanted) {
                (Err(_), Err(_)) => continue,
                (found, wanted) => (
                    found.unwrap_or_else(|why| panic!("{at}: {why}\n{source}")),
                    wanted.unwrap_or_else(|why| panic!("{at}: refused: {why}\n{source}")),
                ),
            };
            for (one, other) in found.iter().zip(&wanted) {
                let other = other.tensor().unwrap();
                assert_eq!(one.shape(), &other.shape[..], "{at}\n{source}");
                assert!(one.bytes() == other.to_bytes(), "{at}\n{source}");
            }
        }
    }
}

const SIZES: [[i64; 3]; 8] = [
    [7, 9, 4],
    [0, 3, 5],
    [5, 0, 3],
    [1, 1, 1],
    [2, 64, 7],
    [16, 17, 33],
    [3, 40, 129],
    [33, 5, 2],
];

/// `%x: n×m×5`, `%h: m×5`, `%w: 5×5`; a loop over the rows of `%x`.
const RECURRENT: &str = "
func.func @main(%x: tensor<?x?x5xf32>, %h: tensor<?x5xf32>, %w: tensor<5x5xf32>) -> (tensor<?x5xf32>, tensor<?x?x5xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?x5xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?x5xf32>) -> tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %five = stablehlo.constant dense<5> : tensor<1xi32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %whole = stablehlo.concatenate %n1, %m1, %five, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %empty = stablehlo.dynamic_broadcast_in_dim %none, %whole, dims = [] : (tensor<f32>, tensor<3xi32>) -> tensor<?x?x5xf32>
  %r:4 = stablehlo.while(%i = %zero, %own = %h, %all = %x, %kept = %empty) : tensor<i32>, tensor<?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %step = stablehlo.constant dense<1> : tensor<i32>
    %zeros = stablehlo.constant dense<0> : tensor<1xi32>
    %steps = stablehlo.constant dense<1> : tensor<3xi32>
    %quarter = stablehlo.constant dense<0.25> : tensor<f32>
    %i1 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
    %start = stablehlo.concatenate %i1, %zeros, %zeros, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %count = stablehlo.concatenate %one, %m1, %five, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %end = stablehlo.add %start, %count : tensor<3xi32>
    %row = stablehlo.real_dynamic_slice %all, %start, %end, %steps : (tensor<?x?x5xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x?x5xf32>
    %flat = stablehlo.concatenate %m1, %five, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %now = stablehlo.dynamic_reshape %row, %flat : (tensor<1x?x5xf32>, tensor<2xi32>) -> tensor<?x5xf32>
    %p = stablehlo.dot_general %own, %w, contracting_dims = [1] x [0] : (tensor<?x5xf32>, tensor<5x5xf32>) -> tensor<?x5xf32>
    %part = stablehlo.dynamic_broadcast_in_dim %quarter, %flat, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x5xf32>
    %s = stablehlo.add %p, %now : tensor<?x5xf32>
    %t = stablehlo.multiply %s, %part : tensor<?x5xf32>
    %next = stablehlo.round_nearest_even %t : tensor<?x5xf32>
    %line = stablehlo.dynamic_reshape %next, %count : (tensor<?x5xf32>, tensor<3xi32>) -> tensor<1x?x5xf32>
    %written = stablehlo.dynamic_update_slice %kept, %line, %i, %zero, %zero : (tensor<?x?x5xf32>, tensor<1x?x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?x?x5xf32>
    %later = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %later, %next, %all, %written : tensor<i32>, tensor<?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>
  }
  return %r#1, %r#3 : tensor<?x5xf32>, tensor<?x?x5xf32>
}";

#[test]
fn a_loop_over_rows() {
    let shapes = |[n, m, _]: [i64; 3]| vec![vec![n, m, 5], vec![m, 5], vec![5, 5]];
    let expected = Expected {
        made: &[("contraction", 1), ("tiled", 1)],
        general: 0,
    };
    check(RECURRENT, &shapes, &SIZES, &expected);
}

/// `body` gives `%a2` and `%b2` of `%a` and `%b`, which a loop of `rounds` carries; they begin as
/// `%x: n×m` and `%y: k×m`.
fn looped(rounds: i64, body: &str) -> String {
    format!(
        "func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {{
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %rounds = stablehlo.constant dense<{rounds}> : tensor<i32>
           %one = stablehlo.constant dense<1> : tensor<i32>
           %r:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<?x?xf32>, tensor<?x?xf32>
           cond {{
             %c = stablehlo.compare LT, %i, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %c : tensor<i1>
           }} do {{
             {body}
             %i2 = stablehlo.add %i, %one : tensor<i32>
             stablehlo.return %i2, %a2, %b2 : tensor<i32>, tensor<?x?xf32>, tensor<?x?xf32>
           }}
           %s = stablehlo.add %r#1, %r#1 : tensor<?x?xf32>
           %t = stablehlo.abs %r#2 : tensor<?x?xf32>
           return %s, %t, %r#1 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
         }}"
    )
}

fn two([n, m, k]: [i64; 3]) -> Vec<Vec<i64>> {
    vec![vec![n, m], vec![k, m]]
}

const ANY: Expected = Expected {
    made: &[],
    general: usize::MAX,
};

#[test]
fn shapes_that_change_places() {
    let body = "%a2 = stablehlo.negate %b : tensor<?x?xf32>
                %b2 = stablehlo.abs %a : tensor<?x?xf32>";
    for rounds in [0, 1, 2, 3] {
        check(&looped(rounds, body), &two, &SIZES, &ANY);
    }
}

/// What a loop hands on as it is stays where it is, also where it is an argument of the program,
/// and is a result of its own.
#[test]
fn what_stays() {
    let body = "%a2 = stablehlo.add %a, %a : tensor<?x?xf32>
                %b2 = stablehlo.optimization_barrier %b : tensor<?x?xf32>";
    for rounds in [0, 1, 3] {
        let program = looped(rounds, body);
        check(&program, &two, &SIZES, &ANY);
        let returned = program.replace("return %s, %t, %r#1", "return %r#1, %r#2, %r#1");
        check(&returned, &two, &SIZES, &ANY);
    }
}

#[test]
fn shapes_that_grow() {
    let body = "%a2 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
                %b2 = stablehlo.negate %b : tensor<?x?xf32>";
    for rounds in [0, 1, 3] {
        check(&looped(rounds, body), &two, &SIZES, &ANY);
    }
}

/// What a body says of sizes holds if it runs.
#[test]
fn a_body_that_does_not_run_says_nothing() {
    let body = "%a2 = stablehlo.add %a, %b : tensor<?x?xf32>
                %b2 = stablehlo.multiply %a, %b : tensor<?x?xf32>";
    let expected = Expected {
        made: &[("tiled", 1)],
        general: 0,
    };
    let sizes = [[3, 5, 4], [4, 5, 4], [0, 2, 0], [1, 1, 1], [1, 1, 2]];
    for rounds in [0, 2] {
        check(&looped(rounds, body), &two, &sizes, &expected);
    }
}

#[test]
fn loops_in_loops() {
    let inner = "%in:3 = stablehlo.while(%j = %zero, %u = %a, %v = %b) : tensor<i32>, tensor<?x?xf32>, tensor<?x?xf32>
         cond {
           %d = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %d : tensor<i1>
         } do {
           %u2 = stablehlo.add %u, %x : tensor<?x?xf32>
           %v2 = stablehlo.multiply %v, %y : tensor<?x?xf32>
           %j2 = stablehlo.add %j, %one : tensor<i32>
           stablehlo.return %j2, %u2, %v2 : tensor<i32>, tensor<?x?xf32>, tensor<?x?xf32>
         }
         %a2 = stablehlo.subtract %in#1, %a : tensor<?x?xf32>
         %b2 = stablehlo.add %in#2, %y : tensor<?x?xf32>";
    let expected = Expected {
        made: &[("tiled", 4)],
        general: 0,
    };
    check(&looped(3, inner), &two, &SIZES, &expected);
}

#[test]
fn branches() {
    let program = |first: &str, second: &str| {
        format!(
            "func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {{
               %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
               %four = stablehlo.constant dense<4> : tensor<i32>
               %c = stablehlo.compare LT, %n, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
               %r = \"stablehlo.if\"(%c) ({{
                 {first}
                 stablehlo.return %0 : tensor<?x?xf32>
               }}, {{
                 {second}
                 stablehlo.return %0 : tensor<?x?xf32>
               }}) : (tensor<i1>) -> tensor<?x?xf32>
               %s = stablehlo.add %r, %r : tensor<?x?xf32>
               %t = stablehlo.abs %s : tensor<?x?xf32>
               return %t, %r : tensor<?x?xf32>, tensor<?x?xf32>
             }}"
        )
    };
    let negated = "%0 = stablehlo.negate %x : tensor<?x?xf32>";
    let doubled = "%0 = stablehlo.add %x, %x : tensor<?x?xf32>";
    let other = "%0 = stablehlo.add %y, %y : tensor<?x?xf32>";
    let both = "%0 = stablehlo.multiply %x, %y : tensor<?x?xf32>";
    let expected = Expected {
        made: &[("tiled", 3)],
        general: 0,
    };
    check(&program(negated, doubled), &two, &SIZES, &expected);
    check(&program(negated, other), &two, &SIZES, &ANY);
    let sizes = [[3, 5, 3], [3, 5, 4], [5, 2, 5], [5, 2, 6], [0, 1, 0]];
    check(&program(both, other), &two, &sizes, &ANY);
    check(&program(negated, both), &two, &sizes, &ANY);
}

/// A single row times a matrix, along sizes that are known at run time only: as a kernel that reads
/// the matrix once, in its order.
#[test]
fn single_rows() {
    let program = |ty: &str, dims: &str, more: &str| {
        format!(
            "func.func @main(%x: tensor<{ty}xf32>, %v: tensor<?xf32>) -> tensor<?xf32> {{
               %0 = stablehlo.dot_general %x, %v, contracting_dims = {dims} : (tensor<{ty}xf32>, tensor<?xf32>) -> tensor<?xf32>
               {more}
             }}"
        )
    };
    let plain = "return %0 : tensor<?xf32>";
    let more = "%1 = stablehlo.add %0, %0 : tensor<?xf32>
         %2 = stablehlo.abs %1 : tensor<?xf32>
         return %2 : tensor<?xf32>";
    let expected = Expected {
        made: &[("contraction", 1)],
        general: 0,
    };
    let sizes = [
        [7, 9, 0],
        [0, 5, 0],
        [5, 0, 0],
        [1, 1, 0],
        [16, 64, 0],
        [17, 33, 0],
        [100, 129, 0],
        [31, 16, 0],
    ];
    for end in [plain, more] {
        let along = |[n, m, _]: [i64; 3]| vec![vec![n, m], vec![m]];
        check(&program("?x?", "[1] x [0]", end), &along, &sizes, &expected);
        let across = |[n, m, _]: [i64; 3]| vec![vec![m, n], vec![m]];
        check(
            &program("?x?", "[0] x [0]", end),
            &across,
            &sizes,
            &expected,
        );
        let rows = |[_, m, _]: [i64; 3]| vec![vec![23, m], vec![m]];
        let fixed =
            program("23x?", "[1] x [0]", end).replace("-> tensor<?xf32>", "-> tensor<23xf32>");
        let fixed = if end == plain {
            fixed.replace("return %0 : tensor<?xf32>", "return %0 : tensor<23xf32>")
        } else {
            fixed
                .replace("%1 : tensor<?xf32>", "%1 : tensor<23xf32>")
                .replace("%0, %0 : tensor<?xf32>", "%0, %0 : tensor<23xf32>")
                .replace("%2 : tensor<?xf32>", "%2 : tensor<23xf32>")
        };
        check(&fixed, &rows, &sizes, &expected);
    }
}

/// Products of any number of rows: of so few that the columns are read where they are, and of some
/// more than whole register tiles.
#[test]
fn any_number_of_rows() {
    let program = |k: &str, n: &str| {
        format!(
            "func.func @main(%x: tensor<?x{k}xf32>, %y: tensor<{k}x{n}xf32>) -> tensor<?x{n}xf32> {{
               %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<?x{k}xf32>, tensor<{k}x{n}xf32>) -> tensor<?x{n}xf32>
               %1 = stablehlo.add %0, %0 : tensor<?x{n}xf32>
               return %1 : tensor<?x{n}xf32>
             }}"
        )
    };
    let expected = Expected {
        made: &[("contraction", 1)],
        general: 0,
    };
    let sizes: Vec<[i64; 3]> = (0..=44).map(|n| [n, 7, 37]).collect();
    for columns in [1, 16, 37, 128] {
        let shapes = |[n, _, _]: [i64; 3]| vec![vec![n, 20], vec![20, columns]];
        check(
            &program("20", &columns.to_string()),
            &shapes,
            &sizes,
            &expected,
        );
    }
    let shapes = |[n, k, m]: [i64; 3]| vec![vec![n, k], vec![k, m]];
    check(&program("?", "?"), &shapes, &sizes, &expected);
    check(&program("?", "?"), &shapes, &SIZES, &expected);
}

/// `%x: n×5`; a loop that writes rows of it, one behind the other, into what it begins with.
/// `first`, `limit` and `step`: of the number of the round. `more` is added to what is written.
fn history(first: i64, limit: &str, step: i64, more: &str) -> String {
    format!(
        "func.func @main(%x: tensor<?x5xf32>) -> (tensor<?x5xf32>, tensor<5xf32>) {{
           %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x5xf32>) -> tensor<i32>
           %none = stablehlo.constant dense<2.5> : tensor<f32>
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %one = stablehlo.constant dense<1> : tensor<i32>
           %limit = stablehlo.{limit} : tensor<i32>
           %first = stablehlo.constant dense<{first}> : tensor<i32>
           %five = stablehlo.constant dense<5> : tensor<1xi32>
           %start = stablehlo.broadcast_in_dim %none, dims = [] : (tensor<f32>) -> tensor<5xf32>
           %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
           %whole = stablehlo.concatenate %n1, %five, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
           %full = stablehlo.dynamic_broadcast_in_dim %none, %whole, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x5xf32>
           %r:4 = stablehlo.while(%i = %first, %own = %x, %sum = %start, %kept = %full) : tensor<i32>, tensor<?x5xf32>, tensor<5xf32>, tensor<?x5xf32>
           cond {{
             %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %c : tensor<i1>
           }} do {{
             %step = stablehlo.constant dense<{step}> : tensor<i32>
             %half = stablehlo.constant dense<0.5> : tensor<5xf32>
             %row = stablehlo.dynamic_slice %own, %i, %zero, sizes = [1, 5] : (tensor<?x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
             %flat = stablehlo.reshape %row : (tensor<1x5xf32>) -> tensor<5xf32>
             {more}
             %all = stablehlo.add %sum, %now : tensor<5xf32>
             %part = stablehlo.multiply %all, %half : tensor<5xf32>
             %next = stablehlo.round_nearest_even %part : tensor<5xf32>
             %line = stablehlo.broadcast_in_dim %next, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
             %written = stablehlo.dynamic_update_slice %kept, %line, %i, %zero : (tensor<?x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<?x5xf32>
             %later = stablehlo.add %i, %step : tensor<i32>
             stablehlo.return %later, %own, %next, %written : tensor<i32>, tensor<?x5xf32>, tensor<5xf32>, tensor<?x5xf32>
           }}
           return %r#3, %r#2 : tensor<?x5xf32>, tensor<5xf32>
         }}"
    )
}

/// What a loop writes all of is not filled before; what it does not write, or reads, is.
#[test]
fn histories() {
    let expected = Expected {
        made: &[("tiled", 1)],
        general: usize::MAX,
    };
    let shapes = |[n, _, _]: [i64; 3]| vec![vec![n, 5]];
    let plain = "%now = stablehlo.abs %flat : tensor<5xf32>";
    let reads =
        "%old = stablehlo.dynamic_slice %kept, %i, %zero, sizes = [1, 5] : (tensor<?x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
         %other = stablehlo.reshape %old : (tensor<1x5xf32>) -> tensor<5xf32>
         %now = stablehlo.add %flat, %other : tensor<5xf32>";
    let all = "add %n, %zero";
    let programs = [
        history(0, all, 1, plain),
        history(0, all, 1, reads),
        history(1, all, 1, plain),
        history(-2, all, 1, plain),
        history(0, "subtract %n, %one", 1, plain),
        history(0, "add %n, %one", 1, plain),
        history(0, all, 2, plain),
    ];
    for program in programs {
        check(&program, &shapes, &SIZES, &expected);
    }
}

/// Rows at places that are computed, of a tensor of run-time size: what is beyond an end is the
/// first or the last one.
#[test]
fn rows_at_clamped_places() {
    let program = |ty: &str| {
        format!(
            "func.func @main(%x: tensor<?x5xf32>, %y: tensor<?xf32>) -> tensor<?x5xf32> {{
               %0 = stablehlo.constant dense<16.0> : tensor<f32>
               %k = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
               %k1 = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>
               %1 = stablehlo.dynamic_broadcast_in_dim %0, %k1, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
               %2 = stablehlo.multiply %y, %1 : tensor<?xf32>
               %3 = stablehlo.convert %2 : (tensor<?xf32>) -> tensor<?x{ty}>
               %4 = \"stablehlo.gather\"(%x, %3) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}}> : (tensor<?x5xf32>, tensor<?x{ty}>) -> tensor<?x5xf32>
               %5 = stablehlo.abs %4 : tensor<?x5xf32>
               return %5 : tensor<?x5xf32>
             }}"
        )
    };
    let shapes = |[n, k, _]: [i64; 3]| vec![vec![n, 5], vec![k]];
    let expected = Expected {
        made: &[("tiled", 1)],
        general: usize::MAX,
    };
    let sizes = [
        [7, 9, 0],
        [1, 3, 0],
        [5, 0, 0],
        [1, 1, 0],
        [2, 64, 0],
        [300, 17, 0],
    ];
    for ty in ["i32", "i8", "i64", "ui8"] {
        check(&program(ty), &shapes, &sizes, &expected);
    }
}
