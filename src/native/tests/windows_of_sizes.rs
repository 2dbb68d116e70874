//! Windows, convolutions and transposed convolutions whose spatial sizes are known at run time
//! only, and whose padding is computed from them, as JAX writes `padding="SAME"`: code for every
//! size by the emitters of static sizes, against the interpreter, at sizes of nothing, of single
//! elements, and others.

use crate::interpreted;
use mapwright_interpret::{Options, Value};
use mapwright_mlir::{ElementType, FloatKind, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};

/// Numbers that every order of additions gives alike: small multiples of 1/4.
fn input(element: &ElementType, shape: &[i64], seed: u64) -> Tensor {
    let mut tensor = Tensor::zeros(element, shape).unwrap();
    let width = element.byte_width().unwrap();
    let mut state = seed;
    for bytes in tensor.bytes_mut().chunks_exact_mut(width) {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let number = (state >> 33) % 33;
        match element {
            ElementType::Float(FloatKind::F32) => {
                bytes.copy_from_slice(&(number as f32 / 4.0 - 4.0).to_le_bytes());
            }
            ElementType::Float(FloatKind::F64) => {
                bytes.copy_from_slice(&(number as f64 / 4.0 - 4.0).to_le_bytes());
            }
            _ => bytes.copy_from_slice(&number.to_le_bytes()[..width]),
        }
    }
    tensor
}

/// The text of a program that is being written.
#[derive(Default)]
struct Text {
    lines: String,
    count: usize,
}

impl Text {
    /// A value of its own, a scalar `i32` unless `of` says more.
    fn value(&mut self, text: &str) -> String {
        self.count += 1;
        let name = format!("%v{}", self.count);
        self.lines += &format!("  {name} = {text}\n");
        name
    }

    fn number(&mut self, n: i64) -> String {
        self.value(&format!("stablehlo.constant dense<{n}> : tensor<i32>"))
    }

    fn binary(&mut self, what: &str, a: &str, b: &str) -> String {
        self.value(&format!("stablehlo.{what} {a}, {b} : tensor<i32>"))
    }

    /// `a floordiv by`, as JAX writes it.
    fn quotient(&mut self, a: &str, by: i64) -> String {
        let ints = "(tensor<i32>, tensor<i32>) -> tensor<i1>";
        let (by, one, zero) = (self.number(by), self.number(1), self.number(0));
        let quotient = self.binary("divide", a, &by);
        let signs = [a, &by].map(|x| self.value(&format!("stablehlo.sign {x} : tensor<i32>")));
        let [own, other] = signs;
        let differ = self.value(&format!(
            "stablehlo.compare NE, {own}, {other}, SIGNED : {ints}"
        ));
        let rest = self.binary("remainder", a, &by);
        let left = self.value(&format!(
            "stablehlo.compare NE, {rest}, {zero}, SIGNED : {ints}"
        ));
        let both = self.value(&format!("stablehlo.and {differ}, {left} : tensor<i1>"));
        let less = self.binary("subtract", &quotient, &one);
        self.value(&format!(
            "stablehlo.select {both}, {less}, {quotient} : tensor<i1>, tensor<i32>"
        ))
    }

    /// The padding of windows of `size` elements by steps of `step` along a dimension of `%x`, in
    /// front and behind: a row of two numbers.
    fn same(&mut self, ty: &str, dim: usize, size: i64, step: i64) -> String {
        let n = self.value(&format!(
            "stablehlo.get_dimension_size %x, dim = {dim} : ({ty}) -> tensor<i32>"
        ));
        let minus = self.number(-1);
        let back = self.binary("multiply", &n, &minus);
        let steps = self.quotient(&back, step);
        let step_back = self.number(-step);
        let reached = self.binary("multiply", &steps, &step_back);
        let all = self.binary("subtract", &reached, &n);
        let more = self.number(size - step);
        let all = self.binary("add", &all, &more);
        let low = self.quotient(&all, 2);
        let high = self.binary("subtract", &all, &low);
        self.row(&low, &high)
    }

    fn row(&mut self, low: &str, high: &str) -> String {
        let [low, high] = [low, high].map(|x| {
            self.value(&format!(
                "stablehlo.reshape {x} : (tensor<i32>) -> tensor<1x1xi32>"
            ))
        });
        self.value(&format!(
            "stablehlo.concatenate {low}, {high}, dim = 1 : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x2xi32>"
        ))
    }

    fn no_row(&mut self) -> String {
        self.value("stablehlo.constant dense<0> : tensor<1x2xi32>")
    }

    fn rows(&mut self, rows: &[String]) -> String {
        let types = vec!["tensor<1x2xi32>"; rows.len()].join(", ");
        self.value(&format!(
            "stablehlo.concatenate {}, dim = 0 : ({types}) -> tensor<{}x2xi32>",
            rows.join(", "),
            rows.len()
        ))
    }

    fn list(&mut self, numbers: &[i64]) -> String {
        self.value(&format!(
            "stablehlo.constant dense<{numbers:?}> : tensor<{}xi32>",
            numbers.len()
        ))
    }
}

/// Windows over `%x` of so many elements, by such steps, padded as JAX pads them, along the
/// dimensions in which there is more than one.
fn windows(
    x: &str,
    element: &str,
    what: (&str, &str),
    size: &[i64],
    step: &[i64],
) -> (String, String) {
    let mut text = Text::default();
    let rank = size.len();
    let rows: Vec<String> = (0..rank)
        .map(|d| match size[d] {
            1 => text.no_row(),
            n => text.same(x, d, n, step[d]),
        })
        .collect();
    let padding = text.rows(&rows);
    let lists = [size, step, &vec![1; rank], &vec![1; rank]].map(|list| text.list(list));
    let of_list = format!("tensor<{rank}xi32>");
    let start = text.value(&format!(
        "stablehlo.constant dense<{}> : tensor<{element}>",
        what.1
    ));
    let result = text.value(&format!(
        "stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, {start}, {}, {padding}) {{called_computations = [@f]}} : ({x}, tensor<{element}>, {of_list}, {of_list}, {of_list}, {of_list}, tensor<{rank}x2xi32>) -> {x}",
        lists.join(", ")
    ));
    let source = format!(
        "func.func private @f(%a: tensor<{element}>, %b: tensor<{element}>) -> tensor<{element}> {{
           %c = stablehlo.{} %a, %b : tensor<{element}>
           return %c : tensor<{element}>
         }}
         func.func @main(%x: {x}) -> {x} {{\n{}  return {result} : {x}\n}}",
        what.0, text.lines
    );
    (source, result)
}

/// Does the emitter of everything make what is more than numbers?
fn is_slow(emitter: &str, declined: &[(std::borrow::Cow<'static, str>, String)]) -> bool {
    let of_numbers = |why: &str| {
        [
            "get_dimension_size",
            "no vectors",
            "the lanes stride over",
            "the host's function",
        ]
        .iter()
        .any(|words| why.contains(words))
    };
    emitter == "general" && !declined.iter().any(|(_, why)| of_numbers(why))
}

/// Compares `source` with the interpreter on inputs of `shapes`; no region is made by the emitter
/// of everything, and one at least by `emitter`.
fn check(source: &str, element: &ElementType, all: &[Vec<Vec<i64>>], emitter: Option<&str>) {
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
        if let Some(emitter) = emitter {
            let regions = &executable.statistics().regions;
            assert!(
                regions.iter().any(|region| region.emitter == emitter),
                "{source}"
            );
            for region in regions {
                let declined = &region.declined;
                assert!(
                    !is_slow(&region.emitter, declined),
                    "{declined:?}\n{source}"
                );
            }
        }
        for shapes in all {
            let inputs: Vec<Tensor> = (shapes.iter().enumerate())
                .map(|(i, shape)| input(element, shape, i as u64))
                .collect();
            let taken: Vec<&Tensor> = inputs.iter().collect();
            let found = executable.execute(&taken, &ExecuteOptions { threads });
            let found = found.unwrap_or_else(|why| panic!("{shapes:?}: {why}\n{source}"));
            let values: Vec<Value> = (inputs.iter())
                .map(|t| Value::Tensor(interpreted::tensor(t)))
                .collect();
            let expected = mapwright_interpret::run(module, "main", &values, &Options::default());
            let expected = expected.unwrap_or_else(|why| panic!("{shapes:?}: {why}\n{source}"));
            for (one, other) in found.iter().zip(&expected) {
                let other = other.tensor().unwrap();
                assert_eq!(one.shape(), &other.shape[..], "{shapes:?}\n{source}");
                assert!(one.bytes() == other.to_bytes(), "{shapes:?}\n{source}");
            }
        }
    }
}

/// Heights and widths.
const SIZES: [[i64; 2]; 7] = [[0, 5], [1, 1], [1, 2], [2, 7], [7, 6], [33, 10], [3, 64]];

fn elements() -> [(&'static str, ElementType); 3] {
    [
        ("f32", ElementType::Float(FloatKind::F32)),
        ("f64", ElementType::Float(FloatKind::F64)),
        ("i32", ElementType::int(32)),
    ]
}

fn zero(name: &str, float: &'static str) -> &'static str {
    if name == "i32" { "0" } else { float }
}

#[test]
fn windows_of_computed_padding() {
    for (name, element) in elements() {
        let x = format!("tensor<?x?x?x19x{name}>");
        let shapes: Vec<Vec<Vec<i64>>> = (SIZES.iter().enumerate())
            .map(|(i, [h, w])| vec![vec![i as i64 % 3, *h, *w, 19]])
            .collect();
        let all = [
            ([3, 3], [2, 2]),
            ([5, 2], [3, 2]),
            ([4, 1], [1, 1]),
            ([2, 7], [2, 3]),
        ];
        let count = if name == "f32" { all.len() } else { 1 };
        for (size, step) in all.into_iter().take(count) {
            for what in [
                ("maximum", zero(name, "0xFF800000")),
                ("add", zero(name, "0.0")),
            ] {
                let what = match (what.0, name) {
                    ("maximum", "f64") => ("maximum", "0xFFF0000000000000"),
                    _ => what,
                };
                let sizes = [1, size[0], size[1], 1];
                let (source, _) = windows(&x, name, what, &sizes, &[1, step[0], step[1], 1]);
                check(&source, &element, &shapes, Some("tiled"));
            }
        }
        // The initial value counts once more for each element of the padding.
        let start = if name == "i32" { "3" } else { "0.5" };
        let (source, _) = windows(&x, name, ("add", start), &[1, 3, 3, 1], &[1, 2, 2, 1]);
        check(&source, &element, &shapes, Some("tiled"));
    }
}

#[test]
fn windows_along_vectors() {
    let element = ElementType::Float(FloatKind::F32);
    let shapes: Vec<Vec<Vec<i64>>> = SIZES.iter().map(|[h, w]| vec![vec![*h, *w]]).collect();
    for (size, step) in [([1, 3], [1, 2]), ([3, 3], [2, 2])] {
        let (source, _) = windows("tensor<?x?xf32>", "f32", ("add", "0.0"), &size, &step);
        check(&source, &element, &shapes, None);
    }
}

/// A convolution of `%x` by `%w` of which padding, and what else is in braces, is given.
fn convolution(
    [x, w, r]: [&str; 3],
    dims: &str,
    (size, step): ([i64; 2], [i64; 2]),
    spatial: [usize; 2],
    groups: i64,
) -> String {
    let mut text = Text::default();
    let rows: Vec<String> = (0..2)
        .map(|k| text.same(x, spatial[k], size[k], step[k]))
        .collect();
    let padding = text.rows(&rows);
    let result = text.value(&format!(
        "\"stablehlo.dynamic_conv\"(%x, %w, {padding}) <{{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<{dims}>, feature_group_count = {groups} : i64, window_strides = array<i64: {}, {}>}}> : ({x}, {w}, tensor<2x2xi32>) -> {r}",
        step[0], step[1]
    ));
    format!(
        "func.func @main(%x: {x}, %w: {w}) -> {r} {{\n{}  return {result} : {r}\n}}",
        text.lines
    )
}

#[test]
fn convolutions_of_computed_padding() {
    for (name, element) in elements() {
        let of = |last: i64| format!("tensor<?x?x?x{last}x{name}>");
        let all = [([3, 3], [2, 2]), ([5, 4], [3, 2]), ([1, 2], [1, 2])];
        let count = if name == "f32" { all.len() } else { 1 };
        for (size, step) in all.into_iter().take(count) {
            let shapes = |channels: i64, kernel: [i64; 4]| -> Vec<Vec<Vec<i64>>> {
                (SIZES.iter().enumerate())
                    .map(|(i, [h, w])| vec![vec![i as i64 % 3, *h, *w, channels], kernel.to_vec()])
                    .collect()
            };
            let kernel = |i: i64, o: i64| format!("tensor<{}x{}x{i}x{o}x{name}>", size[0], size[1]);
            for (groups, i, o) in [(1, 5, 19), (19, 1, 19), (2, 3, 8)] {
                let (x, w, r) = (of(i * groups), kernel(i, o), of(o));
                let dims = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
                let source = convolution([&x, &w, &r], dims, (size, step), [1, 2], groups);
                let shapes = shapes(i * groups, [size[0], size[1], i, o]);
                check(&source, &element, &shapes, Some("contraction"));
            }
        }
    }
}

#[test]
fn convolutions_with_features_first() {
    let element = ElementType::Float(FloatKind::F32);
    let dims = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]";
    let (x, w, r) = (
        "tensor<?x5x?x?xf32>",
        "tensor<19x5x3x3xf32>",
        "tensor<?x19x?x?xf32>",
    );
    let shapes: Vec<Vec<Vec<i64>>> = (SIZES.iter())
        .map(|[h, w]| vec![vec![2, 5, *h, *w], vec![19, 5, 3, 3]])
        .collect();
    for step in [[1, 1], [2, 2]] {
        let source = convolution([x, w, r], dims, ([3, 3], step), [2, 3], 1);
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let module = diagnostics.parse("test", source.as_bytes()).unwrap();
        let module = Op::new(module.as_operation());
        let executable = Executable::compile(module, &CompileOptions::default()).unwrap();
        let regions = &executable.statistics().regions;
        assert!(
            regions.iter().any(|region| region.emitter == "contraction"),
            "{source}"
        );
        check(&source, &element, &shapes, None);
    }
}

/// The gradient of a convolution by its kernel, as JAX writes it: what is summed up are the
/// examples, of which there are any number, and the windows are as large as the image.
#[test]
fn gradients_by_kernels_of_any_number_of_examples() {
    for (name, element) in elements() {
        let (x, y) = (
            format!("tensor<?x9x6x5x{name}>"),
            format!("tensor<?x9x6x19x{name}>"),
        );
        for (size, padding) in [([3, 3], [[1, 1], [1, 1]]), ([2, 4], [[0, 1], [2, 1]])] {
            let r = format!("tensor<{}x{}x5x19x{name}>", size[0], size[1]);
            let source = format!(
                "func.func @main(%x: {x}, %y: {y}) -> {r} {{
                   %r = stablehlo.convolution(%x, %y) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {{pad = {padding:?}}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {y}) -> {r}
                   return %r : {r}
                 }}"
            );
            let counts = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 33];
            let shapes: Vec<Vec<Vec<i64>>> = (counts.iter())
                .map(|n| vec![vec![*n, 9, 6, 5], vec![*n, 9, 6, 19]])
                .collect();
            check(&source, &element, &shapes, Some("contraction"));
        }
    }
}

/// The same where the sizes of images, and so those of the windows, are known at run time only.
#[test]
fn gradients_by_kernels_of_images_of_any_size() {
    for (name, element) in elements() {
        let [x, y] = [5, 19].map(|last| format!("tensor<?x?x?x{last}x{name}>"));
        let windows = [
            ([3, 3], 1, "[[1, 1], [1, 1]]", [2, 2], "[false, false]"),
            ([2, 4], 1, "[[0, 1], [2, 1]]", [1, 3], "[true, false]"),
            ([3, 3], 1, "[[0, 0], [0, 0]]", [0, 0], "[false, true]"),
            ([3, 2], 2, "[[1, 0], [0, 1]]", [1, 1], "[false, false]"),
        ];
        let count = if name == "f32" { windows.len() } else { 1 };
        for (size, step, padding, around, reverse) in windows.into_iter().take(count) {
            let r = format!("tensor<{}x{}x5x19x{name}>", size[0], size[1]);
            let source = format!(
                "func.func @main(%x: {x}, %y: {y}) -> {r} {{
                   %r = stablehlo.convolution(%x, %y) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {{pad = {padding}, rhs_dilate = [{step}, {step}], reverse = {reverse}}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {y}) -> {r}
                   return %r : {r}
                 }}"
            );
            // The window is as large as leaves so many places for it.
            let image = |k: usize, window: i64| (window - 1) * step + size[k] - around[k];
            let windows = [
                [1, 1],
                [2, 1],
                [1, 3],
                [3, 2],
                [4, 7],
                [8, 5],
                [16, 9],
                [31, 2],
            ];
            let shapes = windows.iter().enumerate().filter_map(|(i, [h, w])| {
                let [rows, columns] = [image(0, *h), image(1, *w)];
                let examples = [1, 3, 0, 2][i % 4];
                (rows >= 0 && columns >= 0)
                    .then(|| vec![vec![examples, rows, columns, 5], vec![examples, *h, *w, 19]])
            });
            let shapes: Vec<Vec<Vec<i64>>> = shapes.collect();
            check(&source, &element, &shapes, Some("contraction"));
        }
    }
}

#[test]
fn transposed_convolutions() {
    for (name, element) in elements() {
        let of = |last: i64| format!("tensor<?x?x?x{last}x{name}>");
        let (x, r) = (of(5), of(19));
        for (size, dilation, padding) in [
            ([3, 3], [2, 2], [[2, 1], [1, 2]]),
            ([2, 5], [2, 3], [[1, 1], [2, 4]]),
            ([4, 1], [3, 1], [[3, 2], [0, 0]]),
        ] {
            let w = format!("tensor<{}x{}x5x19x{name}>", size[0], size[1]);
            let mut text = Text::default();
            for d in [1, 2] {
                let n = text.value(&format!(
                    "stablehlo.get_dimension_size %x, dim = {d} : ({x}) -> tensor<i32>"
                ));
                let one = text.number(1);
                let ints = "(tensor<i32>, tensor<i32>) -> tensor<i1>";
                let holds = text.value(&format!(
                    "stablehlo.compare GE, {n}, {one}, SIGNED : {ints}"
                ));
                text.lines += &format!(
                    "  stablehlo.custom_call @shape_assertion({holds}, {n}) {{error_message = \"none of {{0}}\", has_side_effect = true}} : (tensor<i1>, tensor<i32>) -> ()\n"
                );
            }
            let source = format!(
                "func.func @main(%x: {x}, %w: {w}) -> {r} {{\n{}  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{pad = {padding:?}, lhs_dilate = {dilation:?}}} {{feature_group_count = 1 : i64, batch_group_count = 1 : i64}} : ({x}, {w}) -> {r}\n  return %r : {r}\n}}",
                text.lines
            );
            let some = SIZES.iter().filter(|[h, w]| h * w > 0);
            let shapes: Vec<Vec<Vec<i64>>> = some
                .map(|[h, w]| vec![vec![2, *h, *w, 5], vec![size[0], size[1], 5, 19]])
                .collect();
            check(&source, &element, &shapes, Some("contraction"));
        }
    }
}

/// Where nobody says that there are elements, there may be none: the places are then others.
#[test]
fn transposed_convolutions_of_nothing() {
    let (x, w) = ("tensor<?x?x5xf32>", "tensor<3x5x4xf32>");
    let source = format!(
        "func.func @main(%x: {x}, %w: {w}) -> tensor<?x?x4xf32> {{
           %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{pad = [[2, 3]], lhs_dilate = [2]}} {{feature_group_count = 1 : i64, batch_group_count = 1 : i64}} : ({x}, {w}) -> tensor<?x?x4xf32>
           return %r : tensor<?x?x4xf32>
         }}"
    );
    let shapes: Vec<Vec<Vec<i64>>> = (0..4).map(|n| vec![vec![2, n, 5], vec![3, 5, 4]]).collect();
    check(&source, &ElementType::Float(FloatKind::F32), &shapes, None);
}

/// Rows that are made of bits: which class each element is.
#[test]
fn products_of_classes() {
    let source = "func.func @main(%i: tensor<?x?xf32>, %x: tensor<?x7xf32>) -> tensor<?x7xf32> {
         %z = stablehlo.constant dense<0.0> : tensor<f32>
         %s = stablehlo.get_dimension_size %i, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
         %t = stablehlo.get_dimension_size %i, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
         %a = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
         %b = stablehlo.reshape %t : (tensor<i32>) -> tensor<1xi32>
         %n = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
         %o = stablehlo.dynamic_broadcast_in_dim %z, %n, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
         %c = stablehlo.compare GT, %i, %o : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xi1>
         %d = stablehlo.convert %c : (tensor<?x?xi1>) -> tensor<?x?xf32>
         %r = stablehlo.dot_general %d, %x, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x7xf32>) -> tensor<?x7xf32>
         return %r : tensor<?x7xf32>
       }";
    let sizes = [[0, 3], [3, 0], [1, 1], [17, 33], [64, 5]];
    let shapes: Vec<Vec<Vec<i64>>> = (sizes.iter())
        .map(|[n, m]| vec![vec![*n, *m], vec![*m, 7]])
        .collect();
    let element = ElementType::Float(FloatKind::F32);
    check(source, &element, &shapes, Some("contraction"));
}
