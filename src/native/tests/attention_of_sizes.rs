//! Attention whose batch, heads and lengths are known at run time only, in one kernel for every
//! size, against the interpreter: sizes of 0, of 1, and some that no vector, register tile or block
//! divides; masks; every element type that attention is computed in; one and two threads.

use crate::interpreted;
use mapwright_interpret::{Options, Value};
use mapwright_mlir::{ElementType, FloatKind, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};

/// What is done with the scores besides the softmax.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Mask {
    None,
    /// Keys after the row are left out, by their numbers.
    Causal,
    /// A number for each row and key is added.
    Added,
    /// Keys are left out where an argument says so.
    Chosen,
    /// Of each image so many keys count.
    Lengths,
}

/// Sizes at compile time; those that are not there are known at run time only.
#[derive(Clone, Copy, Debug)]
struct Form {
    batch: Option<i64>,
    heads: Option<i64>,
    rows: Option<i64>,
    keys: Option<i64>,
    depth: i64,
    width: i64,
    element: &'static str,
    mask: Mask,
    /// The values are the left factor of the second product, as `jax.nn.dot_product_attention` has
    /// it.
    values_first: bool,
}

const FORM: Form = Form {
    batch: None,
    heads: Some(2),
    rows: None,
    keys: None,
    depth: 5,
    width: 19,
    element: "f32",
    mask: Mask::None,
    values_first: false,
};

fn ty(dims: &[Option<i64>], element: &str) -> String {
    let sizes = dims.iter().map(|n| match n {
        Some(n) => format!("{n}x"),
        None => "?x".to_string(),
    });
    format!("tensor<{}{element}>", sizes.collect::<String>())
}

impl Form {
    fn source(&self) -> String {
        let (b, h, n, m) = (self.batch, self.heads, self.rows, self.keys);
        let (d, w, e) = (Some(self.depth), Some(self.width), self.element);
        // Halves are exponentiated in single precision.
        let f = if e == "f64" { "f64" } else { "f32" };
        let (q, k, v) = (
            ty(&[b, n, h, d], e),
            ty(&[b, m, h, d], e),
            ty(&[b, m, h, w], e),
        );
        let all = [b, h, n, m];
        let (s, sf, numbers, bits) = (ty(&all, e), ty(&all, f), ty(&all, "i32"), ty(&all, "i1"));
        let rows = ty(&[b, h, n], f);
        let (added, chosen, lengths) = (ty(&[n, m], f), ty(&[b, n, m], "i1"), ty(&[b], "i32"));
        let out = ty(&[b, n, h, w], e);
        let spread = |name: &str, from: &str, dims: &str, of: &str, to: &str| {
            format!(
                "{name} = stablehlo.dynamic_broadcast_in_dim {from}, %shape, dims = [{dims}] : ({of}, tensor<4xi32>) -> {to}\n"
            )
        };
        let mut head = String::new();
        for (name, from, of, dim) in [
            ("b", "%q", &q, 0),
            ("h", "%q", &q, 2),
            ("n", "%q", &q, 1),
            ("m", "%k", &k, 1),
        ] {
            head += &format!(
                "%size_{name} = stablehlo.get_dimension_size {from}, dim = {dim} : ({of}) -> tensor<i32>
                 %one_{name} = stablehlo.reshape %size_{name} : (tensor<i32>) -> tensor<1xi32>\n"
            );
        }
        let convert = |name: &str, value: &str, from: &str, to: &str| {
            if from == to {
                (String::new(), value.to_string())
            } else {
                (
                    format!("{name} = stablehlo.convert {value} : ({from}) -> {to}\n"),
                    name.to_string(),
                )
            }
        };
        let (widened, scores) = convert("%sf", "%s", &s, &sf);
        let (rounded, weights) = convert("%pe", "%p", &sf, &s);
        let left_out = format!("%far = stablehlo.constant dense<-1.0e30> : tensor<{f}>\n")
            + &spread("%fars", "%far", "", &format!("tensor<{f}>"), &sf);
        let number = |name: &str, dim: i64| {
            format!(
                "{name} = stablehlo.dynamic_iota %shape, dim = {dim} : (tensor<4xi32>) -> {numbers}\n"
            )
        };
        let (masked, argument) = match self.mask {
            Mask::None => (String::new(), String::new()),
            Mask::Causal => (
                left_out
                    + &number("%i", 2)
                    + &number("%j", 3)
                    + &format!(
                        "%c = stablehlo.compare GE, %i, %j : ({numbers}, {numbers}) -> {bits}
                         %m = stablehlo.select %c, %scaled, %fars : {bits}, {sf}\n"
                    ),
                String::new(),
            ),
            Mask::Added => (
                spread("%bias", "%more", "2, 3", &added, &sf)
                    + &format!("%m = stablehlo.add %scaled, %bias : {sf}\n"),
                format!(", %more: {added}"),
            ),
            Mask::Chosen => (
                left_out
                    + &spread("%c", "%more", "0, 2, 3", &chosen, &bits)
                    + &format!("%m = stablehlo.select %c, %scaled, %fars : {bits}, {sf}\n"),
                format!(", %more: {chosen}"),
            ),
            Mask::Lengths => (
                left_out
                    + &number("%j", 3)
                    + &spread("%l", "%more", "0", &lengths, &numbers)
                    + &format!(
                        "%c = stablehlo.compare LT, %j, %l : ({numbers}, {numbers}) -> {bits}
                         %m = stablehlo.select %c, %scaled, %fars : {bits}, {sf}\n"
                    ),
                format!(", %more: {lengths}"),
            ),
        };
        let x = if self.mask == Mask::None {
            "%scaled"
        } else {
            "%m"
        };
        let second = if self.values_first {
            let o = ty(&[b, h, w, n], e);
            format!(
                    "%o = stablehlo.dot_general %v, {weights}, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : ({v}, {s}) -> {o}
                     %r = stablehlo.transpose %o, dims = [0, 3, 1, 2] : ({o}) -> {out}"
                )
        } else {
            let o = ty(&[b, h, n, w], e);
            format!(
                    "%o = stablehlo.dot_general {weights}, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : ({s}, {v}) -> {o}
                     %r = stablehlo.transpose %o, dims = [0, 2, 1, 3] : ({o}) -> {out}"
                )
        };
        let low = if f == "f64" {
            "0xFFF0000000000000"
        } else {
            "0xFF800000"
        };
        format!(
            "func.func @main(%q: {q}, %k: {k}, %v: {v}{argument}) -> {out} {{
             {head}
             %shape = stablehlo.concatenate %one_b, %one_h, %one_n, %one_m, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
             %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : ({q}, {k}) -> {s}
             {widened}
             %scale = stablehlo.constant dense<0.25> : tensor<{f}>
             {scales}
             %scaled = stablehlo.multiply {scores}, %scales : {sf}
             {masked}
             %low = stablehlo.constant dense<{low}> : tensor<{f}>
             %zero = stablehlo.constant dense<0.0> : tensor<{f}>
             %max = stablehlo.reduce({x} init: %low) applies stablehlo.maximum across dimensions = [3] : ({sf}, tensor<{f}>) -> {rows}
             {maxs}
             %less = stablehlo.subtract {x}, %maxs : {sf}
             %exp = stablehlo.exponential %less : {sf}
             %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [3] : ({sf}, tensor<{f}>) -> {rows}
             {sums}
             %p = stablehlo.divide %exp, %sums : {sf}
             {rounded}
             {second}
             return %r : {out}
             }}",
            scales = spread("%scales", "%scale", "", &format!("tensor<{f}>"), &sf),
            maxs = spread("%maxs", "%max", "0, 1, 2", &rows, &sf),
            sums = spread("%sums", "%sum", "0, 1, 2", &rows, &sf),
        )
    }

    /// Arguments for sizes at run time; those that are known at compile time are what they are.
    fn inputs(&self, [b, h, n, m]: [i64; 4]) -> Vec<Tensor> {
        let (b, h) = (self.batch.unwrap_or(b), self.heads.unwrap_or(h));
        let (n, m) = (self.rows.unwrap_or(n), self.keys.unwrap_or(m));
        let element = match self.element {
            "f64" => FloatKind::F64,
            "bf16" => FloatKind::BF16,
            "f16" => FloatKind::F16,
            _ => FloatKind::F32,
        };
        let wide = match element {
            FloatKind::F64 => FloatKind::F64,
            _ => FloatKind::F32,
        };
        let (e, f) = (ElementType::Float(element), ElementType::Float(wide));
        let int = ElementType::Int {
            width: 32,
            unsigned: false,
        };
        let mut seed = (b + 7 * h + 31 * n + 101 * m) as u64;
        let mut list = vec![
            tensor(&e, &[b, n, h, self.depth], &mut seed),
            tensor(&e, &[b, m, h, self.depth], &mut seed),
            tensor(&e, &[b, m, h, self.width], &mut seed),
        ];
        match self.mask {
            Mask::None | Mask::Causal => {}
            Mask::Added => list.push(tensor(&f, &[n, m], &mut seed)),
            Mask::Chosen => list.push(tensor(&ElementType::Bool, &[b, n, m], &mut seed)),
            Mask::Lengths => {
                let mut lengths = Tensor::zeros(&int, &[b]).unwrap();
                for (i, bytes) in lengths.bytes_mut().chunks_exact_mut(4).enumerate() {
                    let length = (m - i as i64).max(0) as i32;
                    bytes.copy_from_slice(&length.to_le_bytes());
                }
                list.push(lengths);
            }
        }
        list
    }
}

/// Multiples of 1/8 in [-2, 2], which every type holds; of booleans, two in three are true.
fn tensor(element: &ElementType, shape: &[i64], seed: &mut u64) -> Tensor {
    let mut tensor = Tensor::zeros(element, shape).unwrap();
    let width = element.byte_width().unwrap();
    for bytes in tensor.bytes_mut().chunks_exact_mut(width) {
        *seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let r = *seed >> 33;
        let value = (r % 33) as f64 / 8.0 - 2.0;
        match element {
            ElementType::Float(FloatKind::F64) => bytes.copy_from_slice(&value.to_le_bytes()),
            ElementType::Float(kind) => {
                let bits = mapwright_interpret::formats::to_bits(*kind, value);
                bytes.copy_from_slice(&bits.to_le_bytes()[..width]);
            }
            _ => bytes[0] = u8::from(!r.is_multiple_of(3)),
        }
    }
    tensor
}

fn numbers(tensor: &mapwright_interpret::Tensor) -> Vec<f64> {
    let real = |x: &mapwright_interpret::Scalar| x.real().unwrap();
    tensor.data.iter().map(real).collect()
}

/// Compiles the form for every size and compares it at `sizes` (batch, heads, rows, keys).
fn check(form: Form, sizes: &[[i64; 4]]) {
    let source = form.source();
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("test", source.as_bytes()) else {
        panic!("{}\n{source}", diagnostics.take());
    };
    let module = Op::new(module.as_operation());
    let tolerance = match form.element {
        "f64" => 1e-12,
        "f32" => 1e-5,
        "f16" => 0.02,
        _ => 0.1,
    };
    let mut seen: Vec<Vec<Tensor>> = Vec::new();
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
        let found = regions.iter().any(|region| region.emitter == "chain");
        let declined: Vec<_> = regions.iter().map(|r| (&r.emitter, &r.declined)).collect();
        assert!(found, "{form:?}: {declined:?}\n{source}");
        for (number, sizes) in sizes.iter().enumerate() {
            let inputs = form.inputs(*sizes);
            let taken: Vec<&Tensor> = inputs.iter().collect();
            let found = executable.execute(&taken, &ExecuteOptions { threads });
            let found =
                found.unwrap_or_else(|why| panic!("{form:?} at {sizes:?}: {why}\n{source}"));
            if let Some(other) = seen.get(number) {
                for (one, other) in found.iter().zip(other) {
                    assert!(
                        one.bytes() == other.bytes(),
                        "{form:?} at {sizes:?}: threads change the result\n{source}"
                    );
                }
                continue;
            }
            let values: Vec<Value> = (inputs.iter())
                .map(|t| Value::Tensor(interpreted::tensor(t)))
                .collect();
            let expected = mapwright_interpret::run(module, "main", &values, &Options::default());
            let expected =
                expected.unwrap_or_else(|why| panic!("{form:?} at {sizes:?}: {why}\n{source}"));
            let expected = expected[0].tensor().unwrap();
            let one = interpreted::tensor(&found[0]);
            assert_eq!(one.shape, expected.shape, "{form:?} at {sizes:?}\n{source}");
            for (i, (x, y)) in numbers(&one).iter().zip(numbers(expected)).enumerate() {
                assert!(
                    (x - y).abs() <= tolerance || (x.is_nan() && y.is_nan()),
                    "{form:?} at {sizes:?}, element {i}: {x} against {y}\n{source}"
                );
            }
            seen.push(found);
        }
    }
}

/// Sizes of nothing, of single elements, and some that nothing divides.
const SIZES: [[i64; 4]; 9] = [
    [1, 2, 7, 7],
    [3, 1, 64, 64],
    [2, 3, 7, 64],
    [1, 2, 65, 130],
    [0, 2, 7, 5],
    [2, 0, 3, 4],
    [2, 2, 0, 9],
    [2, 1, 5, 0],
    [1, 1, 1, 1],
];

#[test]
fn lengths_and_batch() {
    for values_first in [false, true] {
        check(
            Form {
                values_first,
                ..FORM
            },
            &SIZES,
        );
    }
}

#[test]
fn many_rows_and_keys() {
    check(
        Form {
            depth: 2,
            width: 8,
            ..FORM
        },
        &[
            [1, 2, 513, 513],
            [1, 2, 1, 513],
            [1, 2, 513, 1],
            [2, 2, 100, 300],
        ],
    );
}

#[test]
fn masks() {
    for mask in [Mask::Causal, Mask::Added, Mask::Chosen, Mask::Lengths] {
        check(Form { mask, ..FORM }, &SIZES);
    }
}

#[test]
fn some_sizes_are_static() {
    let all = [
        Form {
            batch: Some(2),
            heads: None,
            ..FORM
        },
        Form {
            rows: Some(37),
            keys: Some(50),
            ..FORM
        },
        Form {
            batch: Some(2),
            rows: Some(9),
            ..FORM
        },
        Form {
            batch: Some(2),
            rows: Some(77),
            ..FORM
        },
        Form {
            batch: Some(2),
            keys: Some(70),
            ..FORM
        },
        Form {
            batch: Some(1),
            heads: Some(1),
            mask: Mask::Causal,
            ..FORM
        },
    ];
    for form in all {
        check(form, &SIZES);
    }
}

#[test]
fn element_types() {
    for element in ["f64", "bf16", "f16"] {
        for mask in [Mask::None, Mask::Causal] {
            let form = Form {
                element,
                mask,
                depth: 16,
                width: 32,
                ..FORM
            };
            check(form, &SIZES);
        }
    }
}

/// Features as models have them.
#[test]
fn wide_features() {
    for (depth, width) in [(64, 64), (128, 128), (80, 200)] {
        check(
            Form {
                depth,
                width,
                ..FORM
            },
            &[[1, 2, 33, 70], [2, 2, 5, 3], [1, 2, 150, 20]],
        );
    }
}
