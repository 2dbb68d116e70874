//! Every path of the tiled emitter against the general one, over shapes that do not fit: primes, 1,
//! multiples and near-multiples of the vector width; on ordinary numbers, and with NaNs,
//! infinities, signed zeros and subnormals mixed in.

use crate::ways::{Numbers, SPECIAL, assert_same_bits, compile, numbers, program, run, ty};

fn softmax(shape: &[i64], axis: usize) -> String {
    let full = ty(shape, "f32");
    let kept: Vec<i64> = (0..shape.len())
        .filter(|i| *i != axis)
        .map(|i| shape[i])
        .collect();
    let dims: Vec<String> = (0..shape.len())
        .filter(|i| *i != axis)
        .map(|i| i.to_string())
        .collect();
    let (row, dims) = (ty(&kept, "f32"), dims.join(", "));
    program(
        std::slice::from_ref(&full),
        std::slice::from_ref(&full),
        &format!(
            "%ni = stablehlo.constant dense<0xFF800000> : tensor<f32>
             %z = stablehlo.constant dense<0.0> : tensor<f32>
             %m = stablehlo.reduce(%arg0 init: %ni) applies stablehlo.maximum across dimensions = [{axis}] : ({full}, tensor<f32>) -> {row}
             %mb = stablehlo.broadcast_in_dim %m, dims = [{dims}] : ({row}) -> {full}
             %s = stablehlo.subtract %arg0, %mb : {full}
             %e = stablehlo.exponential %s : {full}
             %sum = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [{axis}] : ({full}, tensor<f32>) -> {row}
             %sb = stablehlo.broadcast_in_dim %sum, dims = [{dims}] : ({row}) -> {full}
             %r = stablehlo.divide %e, %sb : {full}
             return %r : {full}"
        ),
    )
}

fn transpose(shape: &[i64], permutation: &[usize], element: &str) -> String {
    let to: Vec<i64> = permutation.iter().map(|p| shape[*p]).collect();
    let (from, to) = (ty(shape, element), ty(&to, element));
    program(
        &[from.clone(), to.clone()],
        std::slice::from_ref(&to),
        &format!(
            "%0 = stablehlo.transpose %arg0, dims = {permutation:?} : ({from}) -> {to}
             %1 = stablehlo.add %0, %arg1 : {to}
             return %1 : {to}"
        ),
    )
}

fn reduce(shape: &[i64], axes: &[usize], element: &str, op: &str, init: &str) -> String {
    let kept: Vec<i64> = (0..shape.len())
        .filter(|i| !axes.contains(i))
        .map(|i| shape[i])
        .collect();
    let (full, row) = (ty(shape, element), ty(&kept, element));
    program(
        std::slice::from_ref(&full),
        std::slice::from_ref(&row),
        &format!(
            "%c = stablehlo.constant dense<{init}> : tensor<{element}>
             %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.{op} across dimensions = {axes:?} : ({full}, tensor<{element}>) -> {row}
             return %0 : {row}"
        ),
    )
}

fn argmax(shape: &[i64], axis: usize, direction: &str, index: &str) -> String {
    let kept: Vec<i64> = (0..shape.len())
        .filter(|i| *i != axis)
        .map(|i| shape[i])
        .collect();
    let (full, numbers) = (ty(shape, "f32"), ty(shape, index));
    let (row, row_numbers) = (ty(&kept, "f32"), ty(&kept, index));
    let init = if direction == "GT" {
        "0xFF800000"
    } else {
        "0x7F800000"
    };
    program(
        std::slice::from_ref(&full),
        &[row.clone(), row_numbers.clone()],
        &format!(
            "%0 = stablehlo.iota dim = {axis} : {numbers}
             %cst = stablehlo.constant dense<{init}> : tensor<f32>
             %c = stablehlo.constant dense<0> : tensor<{index}>
             %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [{axis}] : ({full}, {numbers}, tensor<f32>, tensor<{index}>) -> ({row}, {row_numbers})
              reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<{index}>, %arg4: tensor<{index}>) {{
               %2 = stablehlo.compare {direction}, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
               %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
               %4 = stablehlo.or %2, %3 : tensor<i1>
               %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
               %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<{index}>, tensor<{index}>) -> tensor<i1>
               %7 = stablehlo.and %5, %6 : tensor<i1>
               %8 = stablehlo.or %4, %7 : tensor<i1>
               %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
               %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<{index}>
               stablehlo.return %9, %10 : tensor<f32>, tensor<{index}>
             }}
             return %1#0, %1#1 : {row}, {row_numbers}"
        ),
    )
}

/// A window of the whole dimension in front of each element: a prefix reduction. `from_end`: behind
/// it.
fn scan(shape: &[i64; 2], axis: usize, op: &str, init: &str, from_end: bool) -> String {
    let full = ty(shape, "f32");
    let mut padding = [(0, 0); 2];
    padding[axis] = if from_end {
        (0, shape[axis] - 1)
    } else {
        (shape[axis] - 1, 0)
    };
    let mut window = [1, 1];
    window[axis] = shape[axis];
    pooling(&full, &full, &window, &[1, 1], &padding, op, init)
}

fn pooling(
    from: &str,
    to: &str,
    window: &[i64],
    strides: &[i64],
    padding: &[(i64, i64)],
    op: &str,
    init: &str,
) -> String {
    let list = |values: &[i64]| {
        values
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let pairs: Vec<String> = padding.iter().map(|(a, b)| format!("[{a}, {b}]")).collect();
    program(
        &[from.to_string()],
        &[to.to_string()],
        &format!(
            "%cst = stablehlo.constant dense<{init}> : tensor<f32>
             %1 = \"stablehlo.reduce_window\"(%arg0, %cst) <{{padding = dense<[{}]> : tensor<{}x2xi64>, window_dimensions = array<i64: {}>, window_strides = array<i64: {}>}}> ({{
             ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
               %2 = stablehlo.{op} %arg1, %arg2 : tensor<f32>
               stablehlo.return %2 : tensor<f32>
             }}) : ({from}, tensor<f32>) -> {to}
             return %1 : {to}",
            pairs.join(", "),
            padding.len(),
            list(window),
            list(strides),
        ),
    )
}

/// Compiles both ways and compares. Unless `declines`, the tiled emitter must have taken every
/// region.
fn check(source: &str, declines: bool) {
    let [fast, slow] = compile(source, [&[], &["tiled"]]);
    for report in &fast.statistics().regions {
        assert!(
            declines || report.emitter == "tiled",
            "{:?}\n{source}",
            report.declined
        );
    }
    for special in [false, true] {
        let inputs = Numbers {
            every: if special { 37 } else { 0 },
            odd: SPECIAL,
            below: 100,
        }
        .inputs(&fast, 7);
        let (a, b) = (run(&fast, &inputs, 1), run(&slow, &inputs, 1));
        let threaded = run(&fast, &inputs, 2);
        assert_same_bits(&a, &threaded, "threads change the result", source);
        for (a, b) in a.iter().zip(&b) {
            let (x, y) = (numbers(a), numbers(b));
            let scale = y
                .iter()
                .filter(|v| v.is_finite())
                .fold(0.0f64, |m, v| m.max(v.abs()));
            for (i, (p, q)) in x.iter().zip(&y).enumerate() {
                let same = p == q
                    && (p.is_sign_negative() == q.is_sign_negative()
                        || *p != 0.0
                        || !a.element().is_float());
                // Sums are added up in another order.
                let bound = match source {
                    _ if source.starts_with("// exact") => 0.0,
                    _ if source.contains("stablehlo.add") => 4e-5,
                    _ => 2e-6,
                };
                let close = (p - q).abs() <= bound * q.abs().max(scale.clamp(1.0, 1e3));
                assert!(
                    same || (p.is_nan() && q.is_nan())
                        || (close && *p != 0.0)
                        || (*p == 0.0 && *q == 0.0 && source.contains("add")),
                    "special {special}, element {i}: {p} against {q}\n{source}"
                );
            }
        }
    }
}

#[test]
fn rows_and_columns() {
    for (shape, axis) in [
        (vec![7, 13], 1),
        (vec![7, 13], 0),
        (vec![33, 100], 1),
        (vec![5, 37, 19], 1),
        (vec![64, 128], 0),
        (vec![3, 5, 64], 2),
        (vec![9, 1], 1),
        (vec![1, 17], 1),
        (vec![40, 257], 1),
        (vec![2, 16, 48], 1),
    ] {
        check(&softmax(&shape, axis), false);
    }
}

#[test]
fn transposes() {
    for (shape, permutation) in [
        (vec![37, 53], vec![1, 0]),
        (vec![64, 64], vec![1, 0]),
        (vec![16, 16], vec![1, 0]),
        (vec![129, 5], vec![1, 0]),
        (vec![1, 19], vec![1, 0]),
        (vec![3, 50, 70], vec![0, 2, 1]),
        (vec![20, 30, 40], vec![2, 1, 0]),
        (vec![16, 200, 3, 8], vec![0, 2, 1, 3]),
    ] {
        for element in ["f32", "f64", "i32", "i8"] {
            check(&transpose(&shape, &permutation, element), false);
        }
    }
}

/// Operands that are in no near cache: tiles of another form, and rows that are asked for ahead.
#[test]
fn large_transposes() {
    for (shape, permutation, element) in [
        (vec![523, 601], vec![1, 0], "f32"),
        (vec![1040, 512], vec![1, 0], "f32"),
        (vec![3, 331, 290], vec![0, 2, 1], "f32"),
        (vec![300, 40, 24], vec![1, 2, 0], "f32"),
        (vec![401, 353], vec![1, 0], "f64"),
        (vec![1100, 1031], vec![1, 0], "i8"),
        (vec![523, 601], vec![1, 0], "i16"),
        (vec![3, 331, 290], vec![0, 2, 1], "f16"),
        (vec![5, 256, 300], vec![0, 2, 1], "bf16"),
        (vec![300, 40, 24], vec![1, 2, 0], "f16"),
    ] {
        check(&transpose(&shape, &permutation, element), false);
        let to: Vec<i64> = permutation.iter().map(|p| shape[*p]).collect();
        let (from, to) = (ty(&shape, element), ty(&to, element));
        let body = format!(
            "%0 = stablehlo.transpose %arg0, dims = {permutation:?} : ({from}) -> {to}
             return %0 : {to}"
        );
        check(&program(&[from], &[to], &body), false);
    }
}

#[test]
fn reductions() {
    for (shape, axes) in [
        (vec![37, 53], vec![0]),
        (vec![37, 53], vec![1]),
        (vec![3, 1000], vec![1]),
        (vec![1000, 3], vec![0]),
        (vec![5, 7, 11], vec![0, 2]),
        (vec![5, 7, 11], vec![0, 1, 2]),
        (vec![64, 33], vec![0, 1]),
        (vec![1, 40], vec![0]),
    ] {
        for (element, op, init) in [
            ("f32", "add", "0.0"),
            ("f32", "add", "3.0"),
            ("f32", "maximum", "0xFF800000"),
            ("f32", "minimum", "1.0"),
            ("f64", "multiply", "1.0"),
            ("i32", "add", "5"),
            ("i32", "maximum", "-7"),
            ("i64", "and", "255"),
        ] {
            check(&reduce(&shape, &axes, element, op, init), false);
        }
    }
}

/// Large enough to be cut in two.
#[test]
fn reductions_to_one() {
    check(
        &reduce(&[512, 513], &[0, 1], "f32", "maximum", "0xFF800000"),
        false,
    );
    check(&reduce(&[1024, 300], &[0, 1], "i32", "add", "0"), false);
    check(&reduce(&[1024, 300], &[0], "f64", "add", "0.0"), false);
}

#[test]
fn best_and_where() {
    for (shape, axis) in [
        (vec![11, 37], 1),
        (vec![11, 37], 0),
        (vec![4, 16], 1),
        (vec![3, 1], 1),
        (vec![5, 300], 1),
    ] {
        check(&argmax(&shape, axis, "GT", "i32"), false);
        check(&argmax(&shape, axis, "LT", "i32"), false);
    }
    check(&argmax(&[6, 50], 1, "GT", "i64"), false);
}

#[test]
fn scans() {
    for (shape, axis) in [
        ([5, 37], 1),
        ([5, 128], 1),
        ([19, 37], 0),
        ([64, 256], 1),
        ([40, 16], 0),
    ] {
        for from_end in [false, true] {
            check(&scan(&shape, axis, "add", "0.0", from_end), false);
            check(
                &scan(&shape, axis, "maximum", "0xFF800000", from_end),
                false,
            );
        }
    }
}

/// Prefixes of an operation that is none of the known ones and not commutative: the last positive
/// number so far.
#[test]
fn scans_of_other_operations() {
    for (shape, axis) in [([5, 37], 1), ([19, 37], 0), ([64, 256], 1), ([3, 16], 1)] {
        let full = ty(&shape, "f32");
        let bits = ty(&shape, "i1");
        for from_end in [false, true] {
            // The last positive number; what is less than all counts for the padding, too.
            let source = scan(&shape, axis, "add", "0xFF800000", from_end)
                .replace("(%arg0, %cst)", "(%x, %cst)")
                .replace(
                    "%2 = stablehlo.add %arg1, %arg2 : tensor<f32>",
                    "%none = stablehlo.constant dense<0.0> : tensor<f32>
                     %p = stablehlo.compare GT, %arg2, %none, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
                     %2 = stablehlo.select %p, %arg2, %arg1 : tensor<i1>, tensor<f32>",
                )
                .replace(
                    "%1 = ",
                    &format!(
                        "%zeros = stablehlo.constant dense<0.0> : {full}
                         %lowest = stablehlo.constant dense<0xFF800000> : {full}
                         %above = stablehlo.compare GT, %arg0, %zeros, FLOAT : ({full}, {full}) -> {bits}
                         %x = stablehlo.select %above, %arg0, %lowest : {bits}, {full}
                         %1 = "
                    ),
                );
            check(&format!("// exact\n{source}"), false);
        }
    }
}

/// The padding of a window holds the initial value again and again: what that gives decides whether
/// a prefix may begin with it once.
#[test]
fn scans_whose_initial_value_changes() {
    let shape = [5, 37];
    let with = |init: &str, combination: &str| {
        scan(&shape, 1, "add", init, false)
            .replace("%2 = stablehlo.add %arg1, %arg2 : tensor<f32>", combination)
    };
    // Of two infinities the sum, as JAX has the sum of exponentials.
    let exponentials = "%larger = stablehlo.maximum %arg1, %arg2 : tensor<f32>
        %apart = stablehlo.subtract %arg1, %arg2 : tensor<f32>
        %none = stablehlo.compare NE, %apart, %apart, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %sum = stablehlo.add %arg1, %arg2 : tensor<f32>
        %far = stablehlo.abs %apart : tensor<f32>
        %near = stablehlo.negate %far : tensor<f32>
        %part = stablehlo.exponential %near : tensor<f32>
        %more = stablehlo.log_plus_one %part : tensor<f32>
        %both = stablehlo.add %larger, %more : tensor<f32>
        %2 = stablehlo.select %none, %sum, %both : tensor<i1>, tensor<f32>";
    check(&with("0xFF800000", exponentials), false);
    // Infinity changes its sign with each element: with the padding there are as many of them for
    // every result.
    let signs = "%product = stablehlo.multiply %arg1, %arg2 : tensor<f32>
        %2 = stablehlo.negate %product : tensor<f32>";
    let source = with("0x7F800000", signs);
    let [fast] = compile(&source, [&[]]);
    let regions = &fast.statistics().regions;
    assert!(regions.iter().all(|r| r.emitter != "tiled"), "{source}");
    let numbers_above_zero = Numbers {
        every: 1,
        odd: &[1.5],
        below: 0,
    };
    let found = run(&fast, &numbers_above_zero.inputs(&fast, 7), 1);
    // The pads of row i are 36 - i infinities, whose products are negative each, then i + 1 numbers
    // above zero.
    for (at, x) in numbers(&found[0]).into_iter().enumerate() {
        let i = at % 37;
        let mut expected = f64::INFINITY;
        for pad in 0..37 {
            let element = if pad < 36 - i { f64::INFINITY } else { 1.5 };
            expected = -(expected * element);
        }
        assert_eq!(x, expected, "element {at}");
    }
}

#[test]
fn windows() {
    for (channels, op, init) in [
        (20, "maximum", "0xFF800000"),
        (64, "maximum", "0.0"),
        (3, "add", "0.0"),
        (16, "minimum", "0x7F800000"),
    ] {
        let from = ty(&[2, 11, 13, channels], "f32");
        let to = ty(&[2, 6, 7, channels], "f32");
        let padding = [(0, 0), (1, 1), (1, 1), (0, 0)];
        check(
            &pooling(&from, &to, &[1, 3, 3, 1], &[1, 2, 2, 1], &padding, op, init),
            false,
        );
    }
}

#[test]
fn pieces() {
    check(
        &program(
            &[ty(&[9, 21], "f32"), ty(&[9, 6], "f32")],
            &[ty(&[12, 30], "f32")],
            "%c = stablehlo.constant dense<1.5> : tensor<f32>
             %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<9x21xf32>, tensor<9x6xf32>) -> tensor<9x27xf32>
             %1 = stablehlo.pad %0, %c, low = [2, 1], high = [1, 2], interior = [0, 0] : (tensor<9x27xf32>, tensor<f32>) -> tensor<12x30xf32>
             %2 = stablehlo.negate %1 : tensor<12x30xf32>
             return %2 : tensor<12x30xf32>",
        ),
        false,
    );
    check(
        &program(
            &[ty(&[6, 35], "f32")],
            &[ty(&[7, 30], "f32")],
            "%0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<6x35xf32>) -> tensor<35x6xf32>
             %1 = stablehlo.reshape %0 : (tensor<35x6xf32>) -> tensor<7x30xf32>
             %2 = stablehlo.negate %1 : tensor<7x30xf32>
             return %2 : tensor<7x30xf32>",
        ),
        false,
    );
    check(
        &program(
            &[ty(&[17, 67], "f32")],
            &[ty(&[17, 30], "f32")],
            "%0 = stablehlo.reverse %arg0, dims = [1] : tensor<17x67xf32>
             %1 = stablehlo.slice %0 [0:17, 3:63:2] : (tensor<17x67xf32>) -> tensor<17x30xf32>
             return %1 : tensor<17x30xf32>",
        ),
        false,
    );
}

#[test]
fn run_time_indices() {
    check(
        &program(
            &[ty(&[50, 37], "f32"), ty(&[23], "i32")],
            &[ty(&[23, 37], "f32")],
            "%0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<23xi32>) -> tensor<23x1xi32>
             %1 = \"stablehlo.gather\"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 37>}> : (tensor<50x37xf32>, tensor<23x1xi32>) -> tensor<23x37xf32>
             return %1 : tensor<23x37xf32>",
        ),
        false,
    );
    check(
        &program(
            &[ty(&[50], "f32"), ty(&[23], "i32")],
            &[ty(&[23], "f32")],
            "%0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<23xi32>) -> tensor<23x1xi32>
             %1 = \"stablehlo.gather\"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<50xf32>, tensor<23x1xi32>) -> tensor<23xf32>
             return %1 : tensor<23xf32>",
        ),
        false,
    );
}

/// A division by what is the same for a whole row, or for a whole column, is rounded as any other.
#[test]
fn divisions_by_rows_and_columns() {
    for (shape, axis) in [
        ([7, 13], 1),
        ([7, 13], 0),
        ([33, 100], 1),
        ([64, 128], 0),
        ([129, 1], 0),
        ([200, 257], 1),
    ] {
        let full = ty(&shape, "f32");
        let row = ty(&[shape[1 - axis]], "f32");
        let kept = 1 - axis;
        // The largest of each row, so that the division is in the same region as the reduction; and
        // any number, from outside.
        let source = program(
            &[full.clone(), row.clone()],
            &[full.clone(), full.clone()],
            &format!(
                "%ni = stablehlo.constant dense<0xFF800000> : tensor<f32>
                 %m = stablehlo.reduce(%arg0 init: %ni) applies stablehlo.maximum across dimensions = [{axis}] : ({full}, tensor<f32>) -> {row}
                 %mb = stablehlo.broadcast_in_dim %m, dims = [{kept}] : ({row}) -> {full}
                 %r = stablehlo.divide %arg0, %mb : {full}
                 %ob = stablehlo.broadcast_in_dim %arg1, dims = [{kept}] : ({row}) -> {full}
                 %o = stablehlo.divide %arg0, %ob : {full}
                 return %r, %o : {full}, {full}"
            ),
        );
        check(&format!("// exact\n{source}"), false);
    }
}

/// Large enough for stores past the caches, with rows that are multiples of vectors and rows that
/// are not.
#[test]
fn large_results() {
    check(&transpose(&[1040, 1037], &[1, 0], "f32"), false);
    check(&transpose(&[1088, 1024], &[1, 0], "i32"), false);
    check(&transpose(&[4100, 1088], &[1, 0], "i8"), false);
    check(&transpose(&[2112, 1088], &[1, 0], "i16"), false);
    check(&transpose(&[2112, 1090], &[1, 0], "bf16"), false);
    for (columns, low, high) in [(1037, 3, 5), (1024, 16, 16), (1010, 5, 9)] {
        let (from, to) = (
            ty(&[1040, columns], "f32"),
            ty(&[1044, columns + low + high - 4], "f32"),
        );
        let wide = ty(&[1045, columns + low + high], "f32");
        check(
            &program(
                std::slice::from_ref(&from),
                std::slice::from_ref(&to),
                &format!(
                    "%c = stablehlo.constant dense<1.5> : tensor<f32>
                     %0 = stablehlo.pad %arg0, %c, low = [2, {low}], high = [3, {high}], interior = [0, 0] : ({from}, tensor<f32>) -> {wide}
                     %1 = stablehlo.slice %0 [1:1045, 2:{}] : ({wide}) -> {to}
                     %2 = stablehlo.negate %1 : {to}
                     return %2 : {to}",
                    columns + low + high - 2
                ),
            ),
            false,
        );
    }
}

/// Elements with padding between them, alone, filled in by others, and under a concatenation, as
/// prefix sums by halves have them.
#[test]
fn padding_between_elements() {
    for (rows, columns) in [(5, 37), (3, 64), (7, 1), (4, 128), (2, 16)] {
        for (low, high, interior) in [
            (0, 0, 1),
            (1, 0, 1),
            (0, 1, 1),
            (3, 2, 2),
            (0, 0, 3),
            (2, -1, 1),
        ] {
            let to = columns + (columns - 1) * interior + low + high;
            if to <= 0 {
                continue;
            }
            let (from, wide) = (ty(&[rows, columns], "f32"), ty(&[rows, to], "f32"));
            check(
                &program(
                    &[from.clone(), wide.clone()],
                    std::slice::from_ref(&wide),
                    &format!(
                        "%c = stablehlo.constant dense<1.5> : tensor<f32>
                         %0 = stablehlo.pad %arg0, %c, low = [0, {low}], high = [0, {high}], interior = [0, {interior}] : ({from}, tensor<f32>) -> {wide}
                         %1 = stablehlo.multiply %0, %arg1 : {wide}
                         return %1 : {wide}"
                    ),
                ),
                false,
            );
        }
        let (from, tall) = (
            ty(&[rows, columns], "f32"),
            ty(&[3 * rows + 1, 2 * columns], "f32"),
        );
        check(
            &program(
                std::slice::from_ref(&from),
                std::slice::from_ref(&tall),
                &format!(
                    "%c = stablehlo.constant dense<-2.0> : tensor<f32>
                     %0 = stablehlo.pad %arg0, %c, low = [1, 1], high = [2, 0], interior = [2, 1] : ({from}, tensor<f32>) -> {tall}
                     %1 = stablehlo.negate %0 : {tall}
                     return %1 : {tall}"
                ),
            ),
            false,
        );
    }
    for n in [4i64, 38, 64, 200] {
        let (full, half, less) = (
            ty(&[6, n], "f32"),
            ty(&[6, n / 2], "f32"),
            ty(&[6, n / 2 - 1], "f32"),
        );
        check(
            &program(
                &[full.clone(), half.clone()],
                std::slice::from_ref(&full),
                &format!(
                    "%z = stablehlo.constant dense<0.0> : tensor<f32>
                     %0 = stablehlo.slice %arg1 [0:6, 0:{m}] : ({half}) -> {less}
                     %1 = stablehlo.slice %arg0 [0:6, 2:{n}:2] : ({full}) -> {less}
                     %2 = stablehlo.subtract %0, %1 : {less}
                     %3 = stablehlo.slice %arg0 [0:6, 0:1] : ({full}) -> tensor<6x1xf32>
                     %4 = stablehlo.concatenate %3, %2, dim = 1 : (tensor<6x1xf32>, {less}) -> {half}
                     %5 = stablehlo.pad %4, %z, low = [0, 0], high = [0, 1], interior = [0, 1] : ({half}, tensor<f32>) -> {full}
                     %6 = stablehlo.pad %arg1, %z, low = [0, 1], high = [0, 0], interior = [0, 1] : ({half}, tensor<f32>) -> {full}
                     %7 = stablehlo.maximum %5, %6 : {full}
                     return %7 : {full}",
                    m = n / 2 - 1
                ),
            ),
            false,
        );
    }
}
