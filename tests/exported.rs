//! Programs as `jax.export` writes them with symbolic shapes: run for the sizes of their arguments,
//! compiled once for all sizes, and interpreted.

use crate::support::{Run, folder, last_floats, npy, run};
use std::{fs, path::Path};

/// The three ways to run a program.
const WAYS: [&[&str]; 3] = [
    &["--specialize=on"],
    &["--specialize=off"],
    &["--interpret"],
];

/// Cumulative sums along the first dimension, of at least two rows, divided by how many there are.
const CUMULATIVE: &str = r#"
module attributes {jax.uses_shape_polymorphism = true} {
  func.func public @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
    %0 = stablehlo.compare GE, %n, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%0, %n) {api_version = 2 : i32, error_message = "Expected value >= 2 for dimension variable 'n'. Obtained 'n' = {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %1 = call @inner(%n, %x) : (tensor<i32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    return %1 : tensor<?x3xf32>
  }
  func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %a, %b : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @inner(%n: tensor<i32> {jax.global_constant = "n"}, %x: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %ones = stablehlo.constant dense<1> : tensor<2xi32>
    %three = stablehlo.constant dense<3> : tensor<1xi32>
    %rest = stablehlo.constant dense<0> : tensor<3xi32>
    %init = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %window = stablehlo.concatenate %0, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %low = stablehlo.subtract %0, %one : tensor<1xi32>
    %1 = stablehlo.concatenate %low, %rest, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %padding = stablehlo.reshape %1 : (tensor<4xi32>) -> tensor<2x2xi32>
    %2 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %init, %window, %ones, %ones, %ones, %padding) {api_version = 2 : i32, called_computations = [@sum]} : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x3xf32>
    %3 = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
    %shape = stablehlo.concatenate %0, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %4 = stablehlo.dynamic_broadcast_in_dim %3, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
    %5 = stablehlo.divide %2, %4 : tensor<?x3xf32>
    return %5 : tensor<?x3xf32>
  }
}
"#;

/// Runs `program` on arguments given by shape and elements.
fn call(folder: &Path, program: &str, arguments: &[(&str, &[f32])], way: &[&str]) -> Run {
    let path = folder.join("program.mlir");
    fs::write(&path, program).unwrap();
    for (i, (shape, values)) in arguments.iter().enumerate() {
        fs::write(folder.join(format!("arg{i}.npy")), npy(shape, values)).unwrap();
    }
    let (path, inputs) = (path.display().to_string(), folder.display().to_string());
    let out = folder.join("out").display().to_string();
    let mut words = vec!["run", &path, "--inputs", &inputs, "--output-dir", &out];
    words.extend(way);
    run(env!("CARGO_BIN_EXE_mapwright"), &words)
}

/// `program` fails on `arguments` in every way, with words that say why, and leaves nothing.
fn fails(name: &str, program: &str, arguments: &[(&str, &[f32])], words: &[&str]) {
    for way in WAYS {
        let folder = folder(name);
        let run = call(&folder, program, arguments, way);
        assert_eq!(run.code, Some(1), "{way:?}: {run:?}");
        let said = words.iter().any(|words| run.err.contains(words));
        assert!(said, "{way:?}: {run:?}");
        assert!(!folder.join("out").exists(), "{way:?}");
    }
}

#[test]
fn sizes_are_those_of_the_arguments() {
    for way in WAYS {
        let folder = folder("exported-sizes");
        let two: &[f32] = &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        call(&folder, CUMULATIVE, &[("(2, 3)", two)], way).ok();
        let found = last_floats(folder.join("out/out0.npy"), 6);
        assert_eq!(found, [0.5, 1.0, 1.5, 2.5, 3.5, 4.5], "{way:?}");
        let four: &[f32] = &[4.0, 8.0, 12.0, 4.0, 0.0, 4.0, 8.0, 4.0, 0.0, 4.0, 4.0, 4.0];
        call(&folder, CUMULATIVE, &[("(4, 3)", four)], way).ok();
        let found = last_floats(folder.join("out/out0.npy"), 12);
        let expected = [1.0, 2.0, 3.0, 2.0, 2.0, 4.0, 4.0, 3.0, 4.0, 5.0, 4.0, 5.0];
        assert_eq!(found, expected, "{way:?}");
    }
}

#[test]
fn the_report_says_which_code_ran() {
    for (way, expected) in [
        ("--specialize=on", "\"specialized\":true"),
        ("--specialize=off", "\"specialized\":false"),
    ] {
        let folder = folder("exported-report");
        let run = call(
            &folder,
            CUMULATIVE,
            &[("(2, 3)", &[0.0; 6])],
            &[way, "--json"],
        );
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.out.contains(expected), "{run:?}");
    }
}

#[test]
fn an_assertion_that_does_not_hold() {
    fails(
        "exported-assertion",
        CUMULATIVE,
        &[("(1, 3)", &[0.0; 3])],
        &["Expected value >= 2 for dimension variable 'n'. Obtained 'n' = 1"],
    );
}

#[test]
fn sizes_that_contradict_each_other() {
    fails(
        "exported-contradiction",
        "func.func public @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
           %0 = stablehlo.add %x, %y : tensor<?xf32>
           return %0 : tensor<?xf32>
         }",
        &[("(2,)", &[0.0; 2]), ("(3,)", &[0.0; 3])],
        &[
            "must have the same shape",
            "sizes do not match",
            "different shapes",
            "shapes",
        ],
    );
}

/// A number computed from the size of the argument (3) that is the size of a result.
fn sized(computed: &str) -> String {
    format!(
        "func.func public @main(%x: tensor<?xf32>) -> tensor<?x?xf32> {{
           %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
           %n = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>
           {computed}
           %1 = stablehlo.reshape %m : (tensor<i64>) -> tensor<1xi64>
           %2 = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
           %shape = stablehlo.concatenate %1, %2, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
           %3 = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1] : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
           return %3 : tensor<?x?xf32>
         }}"
    )
}

#[test]
fn a_negative_size() {
    let program = sized(
        "%five = stablehlo.constant dense<5> : tensor<i64>
         %m = stablehlo.subtract %n, %five : tensor<i64>",
    );
    let words = ["negative", "gives the shape [-2, 3]"];
    fails(
        "exported-negative",
        &program,
        &[("(3,)", &[0.0; 3])],
        &words,
    );
}

#[test]
fn a_result_larger_than_memory() {
    let program = sized(
        "%many = stablehlo.constant dense<70368744177664> : tensor<i64>
         %m = stablehlo.multiply %n, %many : tensor<i64>",
    );
    let words = [
        "out of memory",
        "more bytes than",
        "memory",
        "more than 67108864 elements",
    ];
    fails("exported-memory", &program, &[("(3,)", &[0.0; 3])], &words);
}

#[test]
fn a_result_beyond_64_bits() {
    let program = sized("%m = stablehlo.constant dense<4611686018427387904> : tensor<i64>");
    let words = [
        "more bytes than",
        "64 bits",
        "overflow",
        "more than 67108864 elements",
    ];
    fails("exported-bytes", &program, &[("(3,)", &[0.0; 3])], &words);
}

#[test]
fn a_size_above_its_bound() {
    fails(
        "exported-bound",
        "func.func public @main(%x: tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32, #stablehlo.bounds<4>> {
           %0 = stablehlo.negate %x : tensor<?xf32, #stablehlo.bounds<4>>
           return %0 : tensor<?xf32, #stablehlo.bounds<4>>
         }",
        &[("(5,)", &[0.0; 5])],
        &["shape"],
    );
}

/// A number of elements that is computed in 32 bits and wraps there is not the number of elements
/// that there are.
#[test]
fn a_size_that_wraps() {
    let program = "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
       %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
       %many = stablehlo.constant dense<1431655766> : tensor<i32>
       %wrapped = stablehlo.multiply %n, %many : tensor<i32>
       %one = stablehlo.constant dense<1> : tensor<1xi32>
       %rows = stablehlo.constant dense<1431655766> : tensor<1xi32>
       %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
       %shape = stablehlo.concatenate %rows, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
       %0 = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
       %1 = stablehlo.reshape %wrapped : (tensor<i32>) -> tensor<1xi32>
       %2 = stablehlo.dynamic_reshape %0, %1 : (tensor<?x?xf32>, tensor<1xi32>) -> tensor<?xf32>
       return %2 : tensor<?xf32>
     }";
    let words = ["a size of 4294967298 does not fit into 32 bits"];
    fails("exported-wraps", program, &[("(3,)", &[0.0; 3])], &words);
}

/// A product that wraps around to the size of something that is there is none of a size all the
/// same. It fails in each element of a list, too.
#[test]
fn a_size_that_wraps_to_a_valid_one() {
    // 3 * 1431655767 is 2^32 + 5, which is 5 in 32 bits; 3 * 87 is 5 in 8.
    let program = |type_of: &str, product: &str| {
        format!(
            "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {{
               %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
               {product}
               %half = stablehlo.constant dense<0.5> : tensor<f32>
               %0 = stablehlo.dynamic_broadcast_in_dim %half, %shape, dims = [] : (tensor<f32>, tensor<1x{type_of}>) -> tensor<?xf32>
               return %0 : tensor<?xf32>
             }}"
        )
    };
    let number = "%many = stablehlo.constant dense<1431655767> : tensor<i32>
         %m = stablehlo.multiply %n, %many : tensor<i32>
         %shape = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>";
    let list = "%list = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
         %many = stablehlo.constant dense<1431655767> : tensor<1xi32>
         %shape = stablehlo.multiply %list, %many : tensor<1xi32>";
    let small = "%list = stablehlo.convert %n : (tensor<i32>) -> tensor<i8>
         %many = stablehlo.constant dense<87> : tensor<i8>
         %m = stablehlo.multiply %list, %many : tensor<i8>
         %shape = stablehlo.reshape %m : (tensor<i8>) -> tensor<1xi8>";
    let reduced = "%list = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
         %many = stablehlo.constant dense<1431655767> : tensor<1xi32>
         %both = stablehlo.concatenate %list, %many, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
         %one = stablehlo.constant dense<1> : tensor<i32>
         %m = stablehlo.reduce(%both init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
         %shape = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>";
    for (type_of, product, words) in [
        (
            "i32",
            number,
            "a size of 4294967301 does not fit into 32 bits",
        ),
        (
            "i32",
            reduced,
            "a size of 4294967301 does not fit into 32 bits",
        ),
        (
            "i32",
            list,
            "a size of 4294967301 does not fit into 32 bits",
        ),
        ("i8", small, "a size of 261 does not fit into 8 bits"),
    ] {
        let program = program(type_of, product);
        let arguments: [(&str, &[f32]); 1] = [("(3,)", &[0.0; 3])];
        fails("exported-product", &program, &arguments, &[words]);
        // Without any elements nothing wraps.
        for way in WAYS {
            let folder = folder("exported-product");
            call(&folder, &program, &[("(0,)", &[])], way).ok();
        }
    }
}

/// Numbers of 64 bits wrap, too: to nothing, to a size that there is, in sums, on the way to fewer
/// bits, and in a function that is called.
#[test]
fn a_size_that_wraps_in_64_bits() {
    let program = |computed: &str| {
        format!(
            "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {{
               %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
               %n = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>
               %many = stablehlo.constant dense<4294967296> : tensor<i64>
               {computed}
               %shape = stablehlo.reshape %m : (tensor<i64>) -> tensor<1xi64>
               %half = stablehlo.constant dense<0.5> : tensor<f32>
               %1 = stablehlo.dynamic_broadcast_in_dim %half, %shape, dims = [] : (tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
               return %1 : tensor<?xf32>
             }}
             func.func private @twice(%n: tensor<i64>, %by: tensor<i64>) -> tensor<i64> {{
               %0 = stablehlo.multiply %n, %by : tensor<i64>
               return %0 : tensor<i64>
             }}
             func.func private @filled(%shape: tensor<1xi64>) -> tensor<?xf32> {{
               %half = stablehlo.constant dense<0.5> : tensor<f32>
               %1 = stablehlo.dynamic_broadcast_in_dim %half, %shape, dims = [] : (tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
               return %1 : tensor<?xf32>
             }}"
        )
    };
    let product = "%p = stablehlo.multiply %n, %many : tensor<i64>\n";
    // 3 * 2^32 * 2^32 is 0; 3 * 0xAAAAAAAAAAAAAAAD is 7; 3 * 2^62 + 3 * 2^62 + … is 0, and no
    // single sum is.
    let to_nothing = format!("{product} %m = stablehlo.multiply %p, %many : tensor<i64>");
    let list = format!(
        "{product} %list = stablehlo.reshape %p : (tensor<i64>) -> tensor<1xi64>
         %by = stablehlo.reshape %many : (tensor<i64>) -> tensor<1xi64>
         %wrapped = stablehlo.multiply %by, %list : tensor<1xi64>
         %m = stablehlo.reshape %wrapped : (tensor<1xi64>) -> tensor<i64>"
    );
    let to_a_size = "%by = stablehlo.constant dense<-6148914691236517203> : tensor<i64>
         %m = stablehlo.multiply %n, %by : tensor<i64>";
    let sum = format!(
        "{product} %large = stablehlo.constant dense<1073741824> : tensor<i64>
         %q = stablehlo.multiply %many, %large : tensor<i64>
         %two = stablehlo.add %q, %q : tensor<i64>
         %four = stablehlo.add %two, %two : tensor<i64>
         %m = stablehlo.add %four, %n : tensor<i64>"
    );
    let narrow = format!(
        "{product} %short = stablehlo.convert %p : (tensor<i64>) -> tensor<i32>
         %m = stablehlo.convert %short : (tensor<i32>) -> tensor<i64>"
    );
    let called = format!(
        "{product} %m = func.call @twice(%p, %many) : (tensor<i64>, tensor<i64>) -> tensor<i64>"
    );
    let given = format!("{product} %m = stablehlo.multiply %p, %many : tensor<i64>");
    let of_callee = program(&given).replace(
        "%1 = stablehlo.dynamic_broadcast_in_dim %half, %shape, dims = [] : (tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
               return %1 : tensor<?xf32>
             }
             func.func private @twice",
        "%1 = func.call @filled(%shape) : (tensor<1xi64>) -> tensor<?xf32>
               return %1 : tensor<?xf32>
             }
             func.func private @twice",
    );
    assert!(of_callee.contains("call @filled"));
    let wraps = "a size of 12884901888 * 4294967296 does not fit into 64 bits";
    for (program, words) in [
        (program(&to_nothing), wraps),
        (
            program(&list),
            "a size of 4294967296 * 12884901888 does not fit into 64 bits",
        ),
        (program(to_a_size), "does not fit into 64 bits"),
        (
            program(&sum),
            "a size of 4611686018427387904 + 4611686018427387904 does not fit into 64 bits",
        ),
        (
            program(&narrow),
            "a size of 12884901888 does not fit into 32 bits",
        ),
        (program(&called), wraps),
        (of_callee, wraps),
    ] {
        let arguments: [(&str, &[f32]); 1] = [("(3,)", &[0.0; 3])];
        fails("exported-wide", &program, &arguments, &[words]);
    }
    // What fits, or begins with nothing, is a size.
    let large = "%by = stablehlo.constant dense<3074457345618258603> : tensor<i64>
         %p = stablehlo.multiply %n, %by : tensor<i64>
         %m = stablehlo.subtract %p, %p : tensor<i64>";
    for (computed, shape) in [(large, "(2,)"), (to_a_size, "(0,)"), (&to_nothing, "(0,)")] {
        let values = [0.0; 2];
        let values = &values[..if shape == "(0,)" { 0 } else { 2 }];
        for way in WAYS {
            let folder = folder("exported-wide");
            call(&folder, &program(computed), &[(shape, values)], way).ok();
        }
    }
}

/// Negative sizes of a shape do not become sizes because their product is the number of elements.
#[test]
fn negative_sizes_of_a_shape() {
    let program = "func.func public @main(%x: tensor<?xf32>) -> tensor<f32> {
       %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
       %less = stablehlo.negate %n : tensor<i32>
       %one = stablehlo.constant dense<-1> : tensor<1xi32>
       %list = stablehlo.reshape %less : (tensor<i32>) -> tensor<1xi32>
       %shape = stablehlo.concatenate %list, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
       %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
       %zero = stablehlo.constant dense<0.0> : tensor<f32>
       %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
       return %1 : tensor<f32>
     }";
    let words = ["negative", "gives the shape [-3, -1]"];
    fails("exported-minus", program, &[("(3,)", &[0.0; 3])], &words);
}

/// Padding takes away at most what is there.
#[test]
fn padding_to_less_than_nothing() {
    let program = |less: i64| {
        format!(
            "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {{
               %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
               %less = stablehlo.constant dense<{less}> : tensor<i32>
               %twice = stablehlo.subtract %less, %n : tensor<i32>
               %high = stablehlo.reshape %twice : (tensor<i32>) -> tensor<1xi32>
               %none = stablehlo.constant dense<0> : tensor<1xi32>
               %zero = stablehlo.constant dense<0.0> : tensor<f32>
               %0 = stablehlo.dynamic_pad %x, %zero, %none, %high, %none : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
               %1 = stablehlo.negate %0 : tensor<?xf32>
               return %1 : tensor<?xf32>
             }}"
        )
    };
    let arguments: [(&str, &[f32]); 1] = [("(3,)", &[0.0; 3])];
    let words = ["negative size", "is negative", "gives the shape [-1]"];
    fails("exported-padding", &program(-1), &arguments, &words);
    for way in WAYS {
        let folder = folder("exported-padding");
        call(&folder, &program(0), &arguments, way).ok();
        assert!(folder.join("out/out0.npy").exists(), "{way:?}");
    }
}

#[test]
fn a_slice_beyond_its_operand() {
    let program = "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
       %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
       %one = stablehlo.constant dense<1> : tensor<i32>
       %more = stablehlo.add %n, %one : tensor<i32>
       %limit = stablehlo.reshape %more : (tensor<i32>) -> tensor<1xi32>
       %start = stablehlo.constant dense<0> : tensor<1xi32>
       %stride = stablehlo.constant dense<1> : tensor<1xi32>
       %0 = stablehlo.real_dynamic_slice %x, %start, %limit, %stride : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
       return %0 : tensor<?xf32>
     }";
    let words = ["reaches outside", "limit", "within"];
    fails("exported-slice", program, &[("(3,)", &[0.0; 3])], &words);
}

/// The three stages of attention in one kernel: what their sizes must be is required before it.
#[test]
fn attention_of_sizes_that_contradict_each_other() {
    let program = "func.func public @main(%q: tensor<?x2xf32>, %k: tensor<?x2xf32>, %v: tensor<?x9xf32>) -> tensor<?x9xf32> {
       %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
       %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x?xf32>
       %n = stablehlo.get_dimension_size %q, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
       %m = stablehlo.get_dimension_size %k, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
       %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
       %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
       %shape = stablehlo.concatenate %n1, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
       %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
       %all = stablehlo.dynamic_broadcast_in_dim %max, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
       %p = stablehlo.subtract %s, %all : tensor<?x?xf32>
       %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x9xf32>) -> tensor<?x9xf32>
       return %o : tensor<?x9xf32>
     }";
    fails(
        "exported-attention",
        program,
        &[
            ("(5, 2)", &[1.0; 10]),
            ("(4, 2)", &[1.0; 8]),
            ("(3, 9)", &[1.0; 27]),
        ],
        &["sizes do not match", "same size"],
    );
}
