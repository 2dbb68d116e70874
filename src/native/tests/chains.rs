//! A product, work on its rows and a product of the outcome in one region, against the same program
//! with each stage by itself (bit for bit) and against the general emitter: rows, keys and depths
//! that fit nothing, masks, several heads, other types; for one and two threads.

use crate::ways::{Numbers, ODD, assert_same_bits, compile, numbers, run, ty};

/// What is done with the scores besides the softmax.
#[derive(Clone, Copy, PartialEq)]
enum Mask {
    None,
    /// Keys after the row are left out, by their numbers.
    Causal,
    /// One number for each row and key, the same for all heads, is added.
    Added,
}

/// Attention of `heads` heads as JAX writes it: heads in the middle, the values' product with its
/// dimensions in another order.
struct Attention {
    heads: i64,
    rows: i64,
    keys: i64,
    depth: i64,
    width: i64,
    element: &'static str,
    mask: Mask,
}

impl Attention {
    fn new(heads: i64, rows: i64, keys: i64, depth: i64, width: i64) -> Self {
        Self {
            heads,
            rows,
            keys,
            depth,
            width,
            element: "f32",
            mask: Mask::None,
        }
    }

    fn source(&self) -> String {
        let (h, n, m, d, w, e) = (
            self.heads,
            self.rows,
            self.keys,
            self.depth,
            self.width,
            self.element,
        );
        let (q, k, v) = (ty(&[n, h, d], e), ty(&[m, h, d], e), ty(&[m, h, w], e));
        let (s, sf) = (ty(&[h, n, m], e), ty(&[h, n, m], "f32"));
        let (rows, added) = (ty(&[h, n], "f32"), ty(&[n, m], "f32"));
        let (turned, out) = (ty(&[h, w, n], e), ty(&[n, h, w], e));
        let (numbers, bits) = (ty(&[h, n, m], "i32"), ty(&[h, n, m], "i1"));
        let convert = |to: &str, from: &str, value: &str, name: &str| {
            if from == to {
                (String::new(), value.to_string())
            } else {
                (
                    format!("{name} = stablehlo.convert {value} : ({from}) -> {to}\n"),
                    name.to_string(),
                )
            }
        };
        let (widened, scores) = convert(&sf, &s, "%s", "%sf");
        let (rounded, weights) = convert(&s, &sf, "%p", "%pe");
        let masked = match self.mask {
            Mask::None => String::new(),
            Mask::Causal => format!(
                "%i = stablehlo.iota dim = 1 : {numbers}
                 %j = stablehlo.iota dim = 2 : {numbers}
                 %c = stablehlo.compare GE, %i, %j : ({numbers}, {numbers}) -> {bits}
                 %far = stablehlo.constant dense<-1.0e30> : {sf}
                 %m = stablehlo.select %c, %scaled, %far : {bits}, {sf}\n"
            ),
            Mask::Added => format!(
                "%all = stablehlo.broadcast_in_dim %arg3, dims = [1, 2] : ({added}) -> {sf}
                 %m = stablehlo.add %scaled, %all : {sf}\n"
            ),
        };
        let x = if self.mask == Mask::None {
            "%scaled"
        } else {
            "%m"
        };
        let more = match self.mask {
            Mask::Added => format!(", %arg3: {added}"),
            _ => String::new(),
        };
        format!(
            "func.func @main(%arg0: {q}, %arg1: {k}, %arg2: {v}{more}) -> {out} {{
             %s = stablehlo.dot_general %arg0, %arg1, batching_dims = [1] x [1], contracting_dims = [2] x [2] : ({q}, {k}) -> {s}
             {widened}
             %scale = stablehlo.constant dense<0.125> : {sf}
             %scaled = stablehlo.multiply {scores}, %scale : {sf}
             {masked}
             %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
             %zero = stablehlo.constant dense<0.0> : tensor<f32>
             %max = stablehlo.reduce({x} init: %low) applies stablehlo.maximum across dimensions = [2] : ({sf}, tensor<f32>) -> {rows}
             %maxs = stablehlo.broadcast_in_dim %max, dims = [0, 1] : ({rows}) -> {sf}
             %less = stablehlo.subtract {x}, %maxs : {sf}
             %exp = stablehlo.exponential %less : {sf}
             %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [2] : ({sf}, tensor<f32>) -> {rows}
             %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : ({rows}) -> {sf}
             %p = stablehlo.divide %exp, %sums : {sf}
             {rounded}
             %o = stablehlo.dot_general %arg2, {weights}, batching_dims = [1] x [0], contracting_dims = [0] x [2] : ({v}, {s}) -> {turned}
             %r = stablehlo.transpose %o, dims = [2, 0, 1] : ({turned}) -> {out}
             return %r : {out}
             }}"
        )
    }
}

/// Compares; `taken`: must the program be one kernel?
fn check(source: &str, taken: bool, tolerance: f64) {
    if taken {
        check_kernels(source, &["chain"], tolerance)
    } else {
        check_kernels(source, &[], tolerance)
    }
}

/// Compiles the program as it comes, with each stage by itself and without any fast path, and
/// compares. `expected`: the emitters of its kernels; empty: any but that of chains.
fn check_kernels(source: &str, expected: &[&str], tolerance: f64) {
    let [chained, apart, general] = compile(
        source,
        [&[], &["chain"], &["chain", "contraction", "tiled"]],
    );
    let regions = &chained.statistics().regions;
    let emitters: Vec<_> = regions.iter().map(|r| &r.emitter).collect();
    let declined: Vec<_> = regions.iter().map(|r| &r.declined).collect();
    let as_expected = match expected {
        [] => !emitters.iter().any(|emitter| *emitter == "chain"),
        _ => emitters == expected,
    };
    assert!(as_expected, "{emitters:?} {declined:?}\n{source}");
    assert!(
        apart
            .statistics()
            .regions
            .iter()
            .all(|r| r.emitter != "chain")
    );
    for special in [false, true] {
        let inputs = Numbers {
            every: if special { 997 } else { 0 },
            odd: ODD,
            below: 0,
        }
        .inputs(&chained, 7);
        let one = run(&chained, &inputs, 1);
        let two = run(&chained, &inputs, 2);
        assert_same_bits(&one, &two, "threads change the result", source);
        let by_stages = run(&apart, &inputs, 1);
        assert_same_bits(&one, &by_stages, "the stages by themselves differ", source);
        for (a, b) in one.iter().zip(&run(&general, &inputs, 1)) {
            for (i, (p, q)) in numbers(a).iter().zip(&numbers(b)).enumerate() {
                assert!(
                    p == q || (p.is_nan() && q.is_nan()) || (p - q).abs() <= tolerance,
                    "special {special}, element {i}: {p} against {q}\n{source}"
                );
            }
        }
    }
}

/// Weights are positive and sum to one; what is added up is at most 2.
const CLOSE: f64 = 2e-5;

/// A group of one head, as `jax.nn.dot_product_attention` has it.
#[test]
fn dimensions_of_size_one() {
    let text = include_str!("../../../lit-tests/fusion/units.mlir");
    let (main, _) = text.split_once("// Weights sum to one").unwrap();
    check(main, true, CLOSE);
}

#[test]
fn sizes_that_fit_nothing() {
    for (heads, rows, keys, depth, width) in [
        (1, 64, 64, 32, 32),
        (2, 101, 67, 13, 19),
        (3, 5, 7, 3, 5),
        (1, 4, 129, 1, 17),
        (2, 37, 16, 8, 1),
        (2, 16, 256, 200, 64),
        (1, 211, 512, 24, 40),
    ] {
        check(
            &Attention::new(heads, rows, keys, depth, width).source(),
            width > 1,
            CLOSE,
        );
    }
}

/// Rows so long that few of them are in a block, fewer than a register tile likes to have. (The
/// general emitter adds up each row for every element of it: the stages by themselves are what
/// there is to compare with.)
#[test]
fn long_rows() {
    for (rows, keys) in [(37, 20_011), (33, 70_001)] {
        let source = Attention::new(1, rows, keys, 2, 17).source();
        let [chained, apart] = compile(&source, [&[], &["chain"]]);
        let regions = &chained.statistics().regions;
        let emitters: Vec<_> = regions.iter().map(|r| &r.emitter).collect();
        assert_eq!(emitters, ["chain"], "{source}");
        let numbers = Numbers {
            every: 997,
            odd: ODD,
            below: 0,
        };
        let inputs = numbers.inputs(&chained, 7);
        let one = run(&chained, &inputs, 1);
        let two = run(&chained, &inputs, 2);
        assert_same_bits(&one, &two, "threads change the result", &source);
        let by_stages = run(&apart, &inputs, 1);
        assert_same_bits(&one, &by_stages, "the stages by themselves differ", &source);
    }
}

#[test]
fn sizes_of_one() {
    // One key, one row: no chain, or one that has nothing to do.
    for (heads, rows, keys, depth, width) in [(2, 9, 1, 4, 20), (2, 1, 33, 4, 20), (1, 1, 1, 1, 1)]
    {
        check(
            &Attention::new(heads, rows, keys, depth, width).source(),
            false,
            CLOSE,
        );
    }
}

#[test]
fn masks() {
    for mask in [Mask::Causal, Mask::Added] {
        for (heads, rows, keys) in [(2, 53, 53), (1, 80, 31), (3, 17, 96)] {
            let attention = Attention {
                mask,
                ..Attention::new(heads, rows, keys, 20, 24)
            };
            check(&attention.source(), true, CLOSE);
        }
    }
}

#[test]
fn half_precision() {
    for keys in [48, 37] {
        let attention = Attention {
            element: "bf16",
            ..Attention::new(2, 45, keys, 16, 24)
        };
        // Whether rows of an odd length are read as they are is the machine's business; the results
        // must not differ.
        let source = attention.source();
        let [executable] = compile(&source, [&[]]);
        let taken = executable.statistics().regions.len() == 1;
        check(&source, taken, 0.06);
    }
}

/// Work between the products that is no softmax: the maps decide.
#[test]
fn other_work_on_rows() {
    let (a, b, v) = (
        ty(&[61, 20], "f32"),
        ty(&[20, 83], "f32"),
        ty(&[83, 21], "f32"),
    );
    let (s, row, out) = (ty(&[61, 83], "f32"), ty(&[61], "f32"), ty(&[61, 21], "f32"));
    let program = |middle: &str| {
        format!(
            "func.func @main(%a: {a}, %b: {b}, %v: {v}) -> {out} {{
             %zero = stablehlo.constant dense<0.0> : tensor<f32>
             %s = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({a}, {b}) -> {s}
             {middle}
             %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : ({s}, {v}) -> {out}
             %r = stablehlo.tanh %o : {out}
             return %r : {out}
             }}"
        )
    };
    // Rows divided by their greatest magnitude.
    let divided = format!(
        "%abs = stablehlo.abs %s : {s}
         %max = stablehlo.reduce(%abs init: %zero) applies stablehlo.maximum across dimensions = [1] : ({s}, tensor<f32>) -> {row}
         %maxs = stablehlo.broadcast_in_dim %max, dims = [0] : ({row}) -> {s}
         %p = stablehlo.divide %s, %maxs : {s}"
    );
    check(&program(&divided), true, 1e-4);
    // Backwards along the row, which its maximum is taken of.
    let backwards = format!(
        "%max = stablehlo.reduce(%s init: %zero) applies stablehlo.maximum across dimensions = [1] : ({s}, tensor<f32>) -> {row}
         %maxs = stablehlo.broadcast_in_dim %max, dims = [0] : ({row}) -> {s}
         %turned = stablehlo.reverse %s, dims = [1] : {s}
         %p = stablehlo.subtract %turned, %maxs : {s}"
    );
    check(&program(&backwards), true, 1e-2);
    // Other rows are read, or columns reduced: no chain.
    let others = backwards.replace("reverse %s, dims = [1]", "reverse %s, dims = [0]");
    check(&program(&others), false, 1e-2);
    let column = ty(&[83], "f32");
    let columns = format!(
        "%max = stablehlo.reduce(%s init: %zero) applies stablehlo.maximum across dimensions = [0] : ({s}, tensor<f32>) -> {column}
         %maxs = stablehlo.broadcast_in_dim %max, dims = [1] : ({column}) -> {s}
         %p = stablehlo.subtract %s, %maxs : {s}"
    );
    check(&program(&columns), false, 1e-2);
}

/// The scores are a result too: they have to be in memory.
#[test]
fn scores_that_are_needed_elsewhere() {
    let source = Attention::new(2, 30, 40, 8, 16).source();
    let scores = ty(&[2, 30, 40], "f32");
    let out = ty(&[30, 2, 16], "f32");
    let source = source
        .replace(&format!("-> {out} {{"), &format!("-> ({out}, {scores}) {{"))
        .replace(
            &format!("return %r : {out}"),
            &format!("return %r, %s : {out}, {scores}"),
        );
    check(&source, false, CLOSE);
}

/// In front of another product, whose region would have taken the permutation of the result.
#[test]
fn a_projection_behind() {
    let source = Attention::new(3, 41, 50, 12, 20).source();
    let (heads, flat) = (ty(&[41, 3, 20], "f32"), ty(&[41, 60], "f32"));
    let (weights, out) = (ty(&[60, 33], "f32"), ty(&[41, 33], "f32"));
    let source = source
        .replace(
            &format!(") -> {heads} {{"),
            &format!(", %w: {weights}) -> {out} {{"),
        )
        .replace(
            &format!("return %r : {heads}"),
            &format!(
                "%flat = stablehlo.reshape %r : ({heads}) -> {flat}
                 %f = stablehlo.dot_general %flat, %w, contracting_dims = [1] x [0] : ({flat}, {weights}) -> {out}
                 return %f : {out}"
            ),
        );
    check_kernels(&source, &["chain", "contraction"], 1e-3);
}
