//! Products against the general emitter: all orders of dimensions, shapes that do not fit, what
//! comes before and after, several types; on ordinary numbers and with NaNs, infinities and signed
//! zeros mixed in; for one and two threads.

use crate::ways::{self, Numbers, ODD, assert_same_bits, compile, numbers, run, ty};
use mapwright_mlir::{ElementType, FloatKind};

fn program(inputs: &[String], output: &str, body: &str) -> String {
    ways::program(inputs, &[output.into()], body)
}

/// What must hold besides equal results.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    /// The one region of the program is a product's.
    OneRegion,
    /// Some region is a product's.
    Fast,
    /// Nothing.
    Any,
}

/// Compiles with and without the emitter and compares. `depth`: how many products are added up;
/// differences grow with it. `special`: also with values that are not finite.
fn check(source: &str, depth: i64, expect: Expect, special: bool) {
    let [fast, slow] = compile(source, [&["small-products"], &["contraction"]]);
    let regions = &fast.statistics().regions;
    let taken = regions.iter().any(|r| r.emitter == "contraction");
    let declined: Vec<_> = regions.iter().map(|r| &r.declined).collect();
    assert!(
        expect == Expect::Any || taken && (expect == Expect::Fast || regions.len() == 1),
        "{declined:?}\n{source}"
    );
    for special in [false, true].into_iter().take(1 + usize::from(special)) {
        let inputs = Numbers {
            every: if special { 59 } else { 0 },
            odd: ODD,
            below: 0,
        }
        .inputs(&fast, 11);
        let (a, b) = (run(&fast, &inputs, 1), run(&slow, &inputs, 1));
        let threaded = run(&fast, &inputs, 2);
        assert_same_bits(&a, &threaded, "threads change the result", source);
        for (a, b) in a.iter().zip(&b) {
            if !a.element().is_float() {
                assert_eq!(a.bytes(), b.bytes(), "{source}");
                continue;
            }
            let unit = match a.element() {
                ElementType::Float(FloatKind::F64) => 1e-15,
                ElementType::Float(FloatKind::F32) => 3e-7,
                _ => 8e-3,
            };
            for (i, (p, q)) in numbers(a).iter().zip(&numbers(b)).enumerate() {
                // A sum of `depth` products of numbers up to 2, rounded each time.
                let bound = unit * (q.abs() + 4.0 * depth as f64);
                assert!(
                    p == q || (p.is_nan() && q.is_nan()) || (p - q).abs() <= bound,
                    "special {special}, element {i}: {p} against {q}\n{source}"
                );
            }
        }
    }
}

/// Dimension numbers of a product and the sizes of its dimensions: `b` shared, `m` and `n` free,
/// `k` contracted.
fn product(left: &str, right: &str, sizes: &[(char, i64)], from: &str, to: &str) -> (String, i64) {
    let size = |c: char| sizes.iter().find(|s| s.0 == c).map_or(1, |s| s.1);
    let shape = |names: &str| names.chars().map(size).collect::<Vec<i64>>();
    // Letters in both: capital ones are shared, others contracted.
    let common: Vec<char> = left.chars().filter(|c| right.contains(*c)).collect();
    let at = |names: &str, shared: bool| -> String {
        let list: Vec<String> = common
            .iter()
            .filter(|c| c.is_uppercase() == shared)
            .filter_map(|c| names.find(*c))
            .map(|i| i.to_string())
            .collect();
        list.join(", ")
    };
    let free = |names: &str| {
        names
            .chars()
            .filter(|c| !common.contains(c))
            .collect::<String>()
    };
    let batch: String = common.iter().filter(|c| c.is_uppercase()).collect();
    let result = shape(&format!("{batch}{}{}", free(left), free(right)));
    let depth: i64 = common
        .iter()
        .filter(|c| !c.is_uppercase())
        .map(|c| size(*c))
        .product();
    let (l, r) = (ty(&shape(left), from), ty(&shape(right), from));
    let out = ty(&result, to);
    let source = program(
        &[l.clone(), r.clone()],
        &out,
        &format!(
            "%0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [{}] x [{}], contracting_dims = [{}] x [{}] : ({l}, {r}) -> {out}
             return %0 : {out}",
            at(left, true),
            at(right, true),
            at(left, false),
            at(right, false)
        ),
    );
    (source, depth)
}

fn check_product(left: &str, right: &str, sizes: &[(char, i64)], from: &str, to: &str) {
    let (source, depth) = product(left, right, sizes, from, to);
    check(
        &source,
        depth,
        Expect::OneRegion,
        from != "i8" && from != "i32",
    );
}

#[test]
fn orders_of_dimensions() {
    let sizes = [
        ('m', 37),
        ('n', 43),
        ('k', 29),
        ('B', 3),
        ('C', 2),
        ('x', 5),
        ('y', 4),
        ('z', 3),
    ];
    for (left, right) in [
        ("mk", "kn"),
        ("mk", "nk"),
        ("km", "kn"),
        ("km", "nk"),
        ("Bmk", "Bkn"),
        ("Bmk", "Bnk"),
        ("mBk", "nBk"),
        ("kBm", "Bnk"),
        ("BCmk", "CkBn"),
        ("mkB", "kBn"),
        ("mxky", "kxny"),
        ("mxk", "nkx"),
        ("xmyk", "nkz"),
        ("xBmk", "kzBn"),
        ("m", "n"),
        ("Bm", "Bn"),
        ("k", "k"),
        ("mk", "k"),
        ("km", "k"),
        ("k", "kn"),
        ("k", "nk"),
        ("Bk", "Bk"),
        ("Bk", "Bnk"),
        ("BkC", "kBnC"),
    ] {
        check_product(left, right, &sizes, "f32", "f32");
    }
}

#[test]
fn sizes_that_do_not_fit() {
    for (m, n, k) in [
        (1, 1, 1),
        (1, 16, 1),
        (2, 3, 5),
        (14, 32, 7),
        (15, 33, 16),
        (13, 31, 17),
        (1, 257, 129),
        (1, 64, 300),
        (3, 200, 64),
        (29, 1, 65),
        (200, 7, 3),
        (128, 128, 64),
        (57, 130, 257),
        (300, 31, 15),
        (17, 1024, 8),
        (64, 64, 1024),
    ] {
        let sizes = [('m', m), ('n', n), ('k', k), ('B', 2)];
        for (left, right) in [
            ("mk", "kn"),
            ("mk", "nk"),
            ("km", "kn"),
            ("km", "nk"),
            ("Bmk", "Bkn"),
        ] {
            check_product(left, right, &sizes, "f32", "f32");
        }
    }
}

/// Rows at distances that compete for cache lines, and enough work for several tiles.
#[test]
fn larger_products() {
    let sizes = [('m', 203), ('n', 515), ('k', 1024)];
    for (left, right) in [("mk", "kn"), ("mk", "nk"), ("km", "kn"), ("km", "nk")] {
        check_product(left, right, &sizes, "f32", "f32");
    }
}

/// Rows that are far too many for a cache: blocks of them and of columns, with something left over
/// of both.
#[test]
fn blocks_of_rows() {
    let sizes = [('m', 1003), ('n', 530), ('k', 612)];
    for (left, right) in [("mk", "kn"), ("km", "nk")] {
        check_product(left, right, &sizes, "f32", "f32");
    }
    check_product(
        "mk",
        "kn",
        &[('m', 4201), ('n', 300), ('k', 611)],
        "i8",
        "i32",
    );
}

#[test]
fn nothing_to_add_up() {
    for (m, n, k) in [(3, 5, 0), (0, 5, 3), (3, 0, 2)] {
        let sizes = [('m', m), ('n', n), ('k', k)];
        let (source, depth) = product("mk", "kn", &sizes, "f32", "f32");
        check(&source, depth, Expect::Any, false);
    }
}

#[test]
fn element_types() {
    for (from, to) in [
        ("f64", "f64"),
        ("bf16", "bf16"),
        ("bf16", "f32"),
        ("f16", "f16"),
        ("f16", "f32"),
        ("f32", "f64"),
        ("i8", "i32"),
        ("ui8", "i32"),
        ("i8", "i8"),
        ("i16", "i32"),
        ("i32", "i32"),
        ("i64", "i64"),
        ("f8E4M3FN", "f32"),
    ] {
        for (m, n, k) in [(37, 43, 29), (1, 50, 67), (30, 64, 128)] {
            let sizes = [('m', m), ('n', n), ('k', k), ('B', 2)];
            for (left, right) in [("mk", "kn"), ("mk", "nk"), ("Bkm", "kBn")] {
                let (source, depth) = product(left, right, &sizes, from, to);
                let finite =
                    from.starts_with('i') || from.starts_with("ui") || from.starts_with("f8");
                check(&source, depth, Expect::OneRegion, !finite);
            }
        }
    }
}

/// Two products of the least number of 16 bits are one more than `i32` has: sums are those modulo
/// `2^32`.
#[test]
fn sums_of_words_wrap() {
    for (m, n, k) in [(5, 7, 2), (37, 43, 6), (8, 16, 7)] {
        let [left, right] = [[m, k], [k, n]].map(|shape| ty(&shape, "i16"));
        let out = ty(&[m, n], "i32");
        let source = program(
            &[],
            &out,
            &format!(
                "%x = stablehlo.constant dense<-32768> : {left}
                 %xx = stablehlo.optimization_barrier %x : {left}
                 %y = stablehlo.constant dense<-32768> : {right}
                 %r = stablehlo.dot_general %xx, %y, contracting_dims = [1] x [0] : ({left}, {right}) -> {out}
                 return %r : {out}"
            ),
        );
        let [executable] = compile(&source, [&[]]);
        let found = run(&executable, &[], 2);
        let expected = ((k << 30) as u64 as u32).to_le_bytes();
        for word in found[0].bytes().chunks_exact(4) {
            assert_eq!(word, expected, "{m} {n} {k}");
        }
    }
}

#[test]
fn what_follows() {
    // The last one is as deep as what makes the register tile ask for its results ahead.
    for (m, n, k) in [
        (37, 43, 29),
        (1, 70, 33),
        (16, 96, 64),
        (5, 1, 9),
        (45, 52, 200),
    ] {
        let (l, r) = (ty(&[m, k], "f32"), ty(&[k, n], "f32"));
        let (row, col, out) = (ty(&[n], "f32"), ty(&[m], "f32"), ty(&[m, n], "f32"));
        // Bias by column, scale by row, a residual and an activation.
        check(
            &program(
                &[l.clone(), r.clone(), row.clone(), col.clone(), out.clone()],
                &out,
                &format!(
                    "%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : ({l}, {r}) -> {out}
                     %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : ({row}) -> {out}
                     %2 = stablehlo.add %0, %1 : {out}
                     %3 = stablehlo.broadcast_in_dim %arg3, dims = [0] : ({col}) -> {out}
                     %4 = stablehlo.multiply %2, %3 : {out}
                     %5 = stablehlo.add %4, %arg4 : {out}
                     %6 = stablehlo.tanh %5 : {out}
                     %7 = stablehlo.multiply %6, %4 : {out}
                     return %7 : {out}"
                ),
            ),
            k * 8,
            Expect::OneRegion,
            false,
        );
        // Transposed, rounded to another type.
        let (half, turned) = (ty(&[m, n], "bf16"), ty(&[n, m], "bf16"));
        check(
            &program(
                &[l.clone(), r.clone()],
                &turned,
                &format!(
                    "%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : ({l}, {r}) -> {out}
                     %1 = stablehlo.convert %0 : ({out}) -> {half}
                     %2 = stablehlo.transpose %1, dims = [1, 0] : ({half}) -> {turned}
                     return %2 : {turned}"
                ),
            ),
            k,
            Expect::OneRegion,
            false,
        );
    }
}

#[test]
fn what_comes_before() {
    let (m, n, k) = (26, 45, 24);
    let (half, full, out) = (ty(&[k, m], "bf16"), ty(&[k, m], "f32"), ty(&[m, n], "f32"));
    let (small, wide) = (ty(&[4, 1, n], "f32"), ty(&[4, 6, n], "f32"));
    let flat = ty(&[k, n], "f32");
    // A widened, a broadcast and a reshaped factor.
    check(
        &program(
            &[half.clone(), ty(&[4, n], "f32")],
            &out,
            &format!(
                "%0 = stablehlo.convert %arg0 : ({half}) -> {full}
                 %1 = stablehlo.reshape %arg1 : ({}) -> {small}
                 %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : ({small}) -> {wide}
                 %3 = stablehlo.reshape %2 : ({wide}) -> {flat}
                 %4 = stablehlo.dot_general %0, %3, contracting_dims = [0] x [0] : ({full}, {flat}) -> {out}
                 return %4 : {out}",
                ty(&[4, n], "f32")
            ),
        ),
        k,
        Expect::OneRegion,
        false,
    );
    // Slices that are not aligned, backwards and with a step.
    let (big, part) = (ty(&[50, 60], "f32"), ty(&[m, k], "f32"));
    check(
        &program(
            &[big.clone(), big.clone()],
            &out,
            &format!(
                "%0 = stablehlo.slice %arg0 [3:29, 5:53:2] : ({big}) -> {part}
                 %1 = stablehlo.reverse %arg1, dims = [1] : {big}
                 %2 = stablehlo.slice %1 [7:31, 9:54] : ({big}) -> {flat}
                 %3 = stablehlo.dot_general %0, %2, contracting_dims = [1] x [0] : ({part}, {flat}) -> {out}
                 return %3 : {out}"
            ),
        ),
        k,
        Expect::OneRegion,
        false,
    );
}

/// A convolution `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
struct Conv {
    input: [i64; 4],
    kernel: [i64; 4],
    stride: [i64; 2],
    padding: [[i64; 2]; 2],
    dilation: [i64; 2],
    groups: i64,
}

impl Conv {
    fn check(&self, element: &str, numbers: &str, order: [[usize; 4]; 3], expect: Expect) {
        let out = |i: usize| {
            let window = (self.kernel[i] - 1) * self.dilation[i] + 1;
            (self.input[i + 1] + self.padding[i][0] + self.padding[i][1] - window) / self.stride[i]
                + 1
        };
        let result = [self.input[0], out(0), out(1), self.kernel[3]];
        let shape = |sizes: [i64; 4], order: [usize; 4]| ty(&order.map(|i| sizes[i]), element);
        let (x, w) = (shape(self.input, order[0]), shape(self.kernel, order[1]));
        let y = shape(result, order[2]);
        let source = program(
            &[x.clone(), w.clone(), y.clone()],
            &y,
            &format!(
                "%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = {numbers}, window = {{stride = {:?}, pad = {:?}, rhs_dilate = {:?}}} {{batch_group_count = 1 : i64, feature_group_count = {} : i64}} : ({x}, {w}) -> {y}
                 %1 = stablehlo.add %0, %arg2 : {y}
                 %2 = stablehlo.maximum %1, %arg2 : {y}
                 return %2 : {y}",
                self.stride, self.padding, self.dilation, self.groups
            ),
        );
        let depth = self.kernel[0] * self.kernel[1] * self.kernel[2];
        check(&source, depth, expect, false);
    }
}

const LAST: &str = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
const SAME: [usize; 4] = [0, 1, 2, 3];

#[test]
fn convolutions() {
    for (input, kernel, stride, padding, dilation, groups) in [
        (
            [1, 9, 11, 5],
            [3, 3, 5, 7],
            [1, 1],
            [[1, 1], [1, 1]],
            [1, 1],
            1,
        ),
        (
            [2, 9, 11, 16],
            [3, 3, 16, 32],
            [2, 2],
            [[1, 1], [0, 1]],
            [1, 1],
            1,
        ),
        (
            [2, 7, 7, 64],
            [1, 1, 64, 48],
            [1, 1],
            [[0, 0], [0, 0]],
            [1, 1],
            1,
        ),
        (
            [1, 8, 15, 20],
            [1, 1, 20, 33],
            [2, 2],
            [[0, 0], [0, 0]],
            [1, 1],
            1,
        ),
        (
            [1, 20, 21, 3],
            [7, 7, 3, 64],
            [2, 2],
            [[3, 3], [3, 3]],
            [1, 1],
            1,
        ),
        (
            [1, 12, 12, 4],
            [3, 3, 4, 17],
            [1, 1],
            [[2, 2], [2, 2]],
            [2, 2],
            1,
        ),
        (
            [2, 10, 9, 12],
            [3, 2, 4, 6],
            [1, 1],
            [[1, 1], [0, 0]],
            [1, 1],
            3,
        ),
        (
            [1, 6, 5, 8],
            [3, 3, 1, 8],
            [1, 1],
            [[1, 1], [1, 1]],
            [1, 1],
            8,
        ),
        (
            [1, 6, 5, 40],
            [3, 3, 1, 40],
            [2, 1],
            [[0, 1], [1, 1]],
            [1, 1],
            40,
        ),
        (
            [1, 6, 5, 6],
            [2, 3, 1, 12],
            [1, 1],
            [[0, 1], [1, 1]],
            [1, 1],
            6,
        ),
        (
            [1, 5, 5, 4],
            [3, 3, 4, 4],
            [1, 1],
            [[-1, 0], [0, 0]],
            [1, 1],
            1,
        ),
        (
            [1, 4, 40, 2],
            [2, 5, 2, 3],
            [1, 3],
            [[5, 1], [1, 7]],
            [1, 2],
            1,
        ),
    ] {
        let conv = Conv {
            input,
            kernel,
            stride,
            padding,
            dilation,
            groups,
        };
        conv.check("f32", LAST, [SAME; 3], Expect::Any);
        // Features in front of the spatial dimensions, in the operands and in all.
        let first = [0, 3, 1, 2];
        conv.check(
            "f32",
            "[b, f, 0, 1]x[o, i, 0, 1]->[b, 0, 1, f]",
            [first, [3, 2, 0, 1], SAME],
            Expect::Any,
        );
        conv.check(
            "f32",
            "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
            [first, [3, 2, 0, 1], first],
            Expect::Any,
        );
    }
}

#[test]
fn convolutions_are_fast() {
    let conv = Conv {
        input: [1, 14, 14, 32],
        kernel: [3, 3, 32, 40],
        stride: [1, 1],
        padding: [[1, 1], [1, 1]],
        dilation: [1, 1],
        groups: 1,
    };
    for element in ["f32", "bf16", "f64", "i32"] {
        conv.check(element, LAST, [SAME; 3], Expect::OneRegion);
    }
    // With the features first, what follows is a region of its own.
    let first = [0, 3, 1, 2];
    let orders = [first, [3, 2, 0, 1], first];
    conv.check(
        "f32",
        "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
        orders,
        Expect::Fast,
    );
    let depthwise = Conv {
        input: [2, 9, 21, 40],
        kernel: [3, 5, 1, 40],
        stride: [2, 1],
        padding: [[1, 1], [2, 1]],
        dilation: [1, 2],
        groups: 40,
    };
    for element in ["f32", "bf16", "i32"] {
        depthwise.check(element, LAST, [SAME; 3], Expect::OneRegion);
    }
}

/// What follows gives the result dimensions of size 1, or takes them away: still one region, and as
/// fast.
#[test]
fn results_with_other_dimensions_of_size_one() {
    let inputs = [ty(&[51, 29], "f32"), ty(&[29, 33], "f32")];
    let product = "%p = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<51x29xf32>, tensor<29x33xf32>) -> tensor<51x33xf32>";
    for shape in [[1, 51, 33], [51, 1, 33], [51, 33, 1]] {
        let to = ty(&shape, "f32");
        for body in [
            format!("%r = stablehlo.reshape %p : (tensor<51x33xf32>) -> {to}"),
            format!(
                "%q = stablehlo.reshape %p : (tensor<51x33xf32>) -> {to}
                 %r = stablehlo.tanh %q : {to}"
            ),
        ] {
            let source = program(
                &inputs,
                &to,
                &format!("{product}\n{body}\nreturn %r : {to}"),
            );
            check(&source, 29, Expect::OneRegion, true);
        }
    }
}
