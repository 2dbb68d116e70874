//! Constant folding gives what executing gives, bit for bit: every operation that is folded, on
//! generated constants of every element type, against the interpreter, which shares nothing with
//! the folder but the decoding of attributes.

mod program;

use program::{
    Any, COMPLEX, Constant, FLOATS, INTEGERS, Index, Ints, Numbers, Program, Random, SMALL_FLOATS,
    compare, tensor,
};

const N: i64 = 24;

#[test]
fn element_by_element() {
    let mut random = Random(1);
    let mut program = Program::default();
    let n = &[N][..];
    for element in FLOATS {
        let ty = tensor(n, element);
        for name in [
            "negate",
            "abs",
            "floor",
            "ceil",
            "round_nearest_afz",
            "round_nearest_even",
            "sqrt",
            "sign",
        ] {
            for _ in 0..3 {
                program.add(
                    &mut random,
                    &format!("{name} {element}"),
                    &[Any(n, element)],
                    name,
                    &ty,
                );
            }
        }
        for name in [
            "add",
            "subtract",
            "multiply",
            "divide",
            "remainder",
            "maximum",
            "minimum",
        ] {
            for _ in 0..6 {
                let operands = [Any(n, element), Any(n, element)];
                program.add(
                    &mut random,
                    &format!("{name} {element}"),
                    &operands,
                    name,
                    &ty,
                );
            }
        }
        let bools = tensor(n, "i1");
        program.add(
            &mut random,
            "is_finite",
            &[Any(n, element)],
            "is_finite",
            &bools,
        );
    }
    for element in INTEGERS.into_iter().chain(["i1"]) {
        let ty = tensor(n, element);
        let mut names = vec!["maximum", "minimum", "and", "or", "xor", "add", "multiply"];
        let mut unary = vec!["not"];
        if element != "i1" {
            names.push("subtract");
            unary.extend(["popcnt", "count_leading_zeros", "negate"]);
        }
        if !element.starts_with('u') && element != "i1" {
            unary.push("sign");
        }
        for name in unary {
            program.add(
                &mut random,
                &format!("{name} {element}"),
                &[Any(n, element)],
                name,
                &ty,
            );
        }
        for name in names {
            for _ in 0..3 {
                let operands = [Any(n, element), Any(n, element)];
                program.add(
                    &mut random,
                    &format!("{name} {element}"),
                    &operands,
                    name,
                    &ty,
                );
            }
        }
    }
    for element in COMPLEX {
        let ty = tensor(n, element);
        let part = tensor(n, &element[8..element.len() - 1]);
        for name in ["add", "subtract"] {
            for _ in 0..4 {
                program.add(
                    &mut random,
                    name,
                    &[Any(n, element), Any(n, element)],
                    name,
                    &ty,
                );
            }
        }
        program.add(&mut random, "negate", &[Any(n, element)], "negate", &ty);
        for name in ["real", "imag"] {
            program.add(&mut random, name, &[Any(n, element)], name, &part);
        }
        let part = &element[8..element.len() - 1];
        program.add(
            &mut random,
            "complex",
            &[Any(n, part), Any(n, part)],
            "complex",
            &ty,
        );
    }
    compare(&program, 100);
}

/// One element at a time, so that an operand for which there is no result keeps no other from being
/// folded.
#[test]
fn partly_defined() {
    let mut random = Random(2);
    let mut program = Program::default();
    for element in INTEGERS {
        let ty = tensor(&[], element);
        let mut names = vec![
            "divide",
            "remainder",
            "power",
            "shift_left",
            "shift_right_logical",
            "shift_right_arithmetic",
        ];
        if element.ends_with('2') && element.len() < 4 {
            // Two bits of exponent and shift: few cases are inside.
            names.truncate(2);
        }
        for name in names {
            for _ in 0..40 {
                let operands = [Any(&[], element), Any(&[], element)];
                program.add(
                    &mut random,
                    &format!("{name} {element}"),
                    &operands,
                    name,
                    &ty,
                );
            }
        }
        if !element.starts_with('u') {
            for _ in 0..10 {
                program.add(
                    &mut random,
                    &format!("abs {element}"),
                    &[Any(&[], element)],
                    "abs",
                    &ty,
                );
            }
        }
    }
    compare(&program, 5);
}

#[test]
fn conversions_and_comparisons() {
    let mut random = Random(3);
    let mut program = Program::default();
    let real: Vec<&str> = INTEGERS.into_iter().chain(FLOATS).chain(["i1"]).collect();
    for from in &real {
        for to in &real {
            // Most floating-point numbers are beyond the narrow integers.
            for _ in 0..12 {
                let what = format!(
                    "convert to {}",
                    if to.contains('f') { "float" } else { "integer" }
                );
                program.add(
                    &mut random,
                    &what,
                    &[Any(&[], from)],
                    "convert",
                    &tensor(&[], to),
                );
            }
        }
    }
    let bools = tensor(&[N], "i1");
    for element in real.iter().chain(&COMPLEX) {
        let complex = element.starts_with('c');
        let kind = match *element {
            e if complex || (e.contains('f')) => "FLOAT",
            e if e.starts_with('u') || e == "i1" => "UNSIGNED",
            _ => "SIGNED",
        };
        for direction in ["EQ", "NE", "LT", "LE", "GT", "GE"]
            .into_iter()
            .take(if complex { 2 } else { 6 })
        {
            let op = format!(
                "compare {{comparison_direction = #stablehlo<comparison_direction {direction}>, compare_type = #stablehlo<comparison_type {kind}>}}"
            );
            let shape = &[N][..];
            program.add(
                &mut random,
                "compare",
                &[Any(shape, element), Any(shape, element)],
                &op,
                &bools,
            );
        }
        if !complex {
            let shape = &[N][..];
            let operands = [
                Any(shape, element),
                Any(shape, element),
                Any(shape, element),
            ];
            program.add(
                &mut random,
                "clamp",
                &operands,
                "clamp",
                &tensor(shape, element),
            );
        }
    }
    compare(&program, 30);
}

#[test]
fn moved_elements() {
    let mut random = Random(4);
    let mut program = Program::default();
    let all = INTEGERS
        .iter()
        .chain(&FLOATS)
        .chain(&SMALL_FLOATS)
        .chain(&COMPLEX)
        .chain(&["i1"]);
    for element in all {
        let matrix = &[3, 4][..];
        let of = |shape: &[i64]| tensor(shape, element);
        let mut add = |constants: &[Constant<'_>], op: &str, result: &[i64]| {
            let what = op.split(' ').next().unwrap_or_default();
            program.add(&mut random, what, constants, op, &of(result));
        };
        add(
            &[Any(&[], "i1"), Any(matrix, element), Any(matrix, element)],
            "select",
            matrix,
        );
        add(
            &[
                Any(matrix, "i1"),
                Any(matrix, element),
                Any(matrix, element),
            ],
            "select",
            matrix,
        );
        add(&[Any(matrix, element)], "reshape", &[2, 6]);
        add(
            &[Any(matrix, element), Ints(&[2, 6])],
            "dynamic_reshape",
            &[2, 6],
        );
        add(
            &[Any(matrix, element)],
            "transpose {permutation = array<i64: 1, 0>}",
            &[4, 3],
        );
        add(
            &[Any(matrix, element)],
            "reverse {dimensions = array<i64: 1>}",
            matrix,
        );
        add(
            &[Any(&[3, 1], element)],
            "broadcast_in_dim {broadcast_dimensions = array<i64: 2, 0>}",
            &[2, 5, 3],
        );
        add(
            &[Any(&[3, 1], element), Ints(&[2, 5, 3])],
            "dynamic_broadcast_in_dim {broadcast_dimensions = array<i64: 2, 0>}",
            &[2, 5, 3],
        );
        add(
            &[Any(matrix, element)],
            "slice {start_indices = array<i64: 1, 0>, limit_indices = array<i64: 3, 4>, strides = array<i64: 1, 3>}",
            &[2, 2],
        );
        add(
            &[
                Any(matrix, element),
                Ints(&[1, 0]),
                Ints(&[3, 4]),
                Ints(&[1, 3]),
            ],
            "real_dynamic_slice",
            &[2, 2],
        );
        add(
            &[Any(matrix, element), Any(&[], element)],
            "pad {edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 0, 2>, interior_padding = array<i64: 1, 2>}",
            &[6, 11],
        );
        add(
            &[
                Any(matrix, element),
                Any(&[], element),
                Ints(&[1, -1]),
                Ints(&[0, 2]),
                Ints(&[1, 2]),
            ],
            "dynamic_pad",
            &[6, 11],
        );
        add(
            &[
                Any(&[3, 1], element),
                Any(&[3, 0], element),
                Any(&[3, 4], element),
            ],
            "concatenate {dimension = 1 : i64}",
            &[3, 5],
        );
        for start in [-3, 1, 9] {
            add(
                &[Any(matrix, element), Index(start), Index(1)],
                "dynamic_slice {slice_sizes = array<i64: 2, 3>}",
                &[2, 3],
            );
            add(
                &[
                    Any(matrix, element),
                    Any(&[2, 2], element),
                    Index(start),
                    Index(1),
                ],
                "dynamic_update_slice",
                matrix,
            );
        }
        // Rows by index, out of bounds too; the last form has a batching dimension.
        for rows in [&[0, 2, 1][..], &[-7, 100, 1]] {
            add(
                &[Any(matrix, element), Ints(rows)],
                "gather {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}",
                &[2, 3],
            );
            add(
                &[Any(matrix, element), Ints(rows), Ints(&[1, 2])],
                "dynamic_gather {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}",
                &[2, 3],
            );
            add(
                &[Any(matrix, element), Ints(rows)],
                "gather {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}",
                &[3],
            );
            let scatter = format!(
                "scatter ({{\n^bb0(%x: tensor<{element}>, %y: tensor<{element}>):\n  stablehlo.return %y : tensor<{element}>\n}}) {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}"
            );
            add(
                &[Any(matrix, element), Ints(rows), Any(&[3, 2], element)],
                &scatter,
                matrix,
            );
        }
        if *element != "i1" && !element.starts_with('c') {
            let real = !SMALL_FLOATS.contains(element);
            if real {
                add(
                    &[Ints(&[2, 3])],
                    "dynamic_iota {iota_dimension = 1 : i64}",
                    &[2, 3],
                );
            }
        }
    }
    compare(&program, 100);
}

#[test]
fn bits_under_another_type() {
    let mut random = Random(5);
    let mut program = Program::default();
    let groups: [&[&str]; 4] = [
        &["i8", "ui8", "f8E4M3FN"],
        &["i16", "ui16", "bf16", "f16"],
        &["i32", "ui32", "f32"],
        &["i64", "ui64", "f64"],
    ];
    for group in groups {
        for from in group {
            for to in group {
                let result = tensor(&[N], to);
                program.add(
                    &mut random,
                    "bitcast_convert",
                    &[Numbers(&[N], from)],
                    "bitcast_convert",
                    &result,
                );
            }
        }
    }
    compare(&program, 100);
}

#[test]
fn reductions_and_scatters_of_integers() {
    let mut random = Random(6);
    let mut program = Program::default();
    for element in INTEGERS.into_iter().chain(["i1"]) {
        for combine in ["add", "multiply", "maximum", "minimum", "and", "or", "xor"] {
            let scalar = tensor(&[], element);
            let region = |swapped: bool| {
                let arguments = if swapped { "%y, %x" } else { "%x, %y" };
                format!(
                    "({{\n^bb0(%x: {scalar}, %y: {scalar}):\n  %z = stablehlo.{combine} {arguments} : {scalar}\n  stablehlo.return %z : {scalar}\n}})"
                )
            };
            for (dims, result) in [("0", &[4, 2][..]), ("0, 2", &[4]), ("0, 1, 2", &[])] {
                let op = format!(
                    "reduce {} {{dimensions = array<i64: {dims}>}}",
                    region(dims.len() > 2)
                );
                let operands = [Any(&[3, 4, 2], element), Any(&[], element)];
                program.add(
                    &mut random,
                    &format!("reduce {combine}"),
                    &operands,
                    &op,
                    &tensor(result, element),
                );
            }
            let op = format!(
                "scatter {} {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}",
                region(false)
            );
            let operands = [
                Any(&[3, 4], element),
                Ints(&[2, 0, 2, -1, 3]),
                Any(&[5, 3], element),
            ];
            program.add(
                &mut random,
                &format!("scatter {combine}"),
                &operands,
                &op,
                &tensor(&[3, 4], element),
            );
        }
    }
    compare(&program, 100);
}
