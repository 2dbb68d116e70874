//! Convolutions of dilated operands against sums straight from the specification: with the zeros
//! between the elements, so that zero times infinity is NaN, and with what is not at the end of a
//! line.

use crate::ways::{compile, numbers, program, run, ty};
use mapwright_mlir::ElementType;
use mapwright_native::Tensor;

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005) + 1_442_695_040_888_963_407;
        (self.0 >> 33) as i64 % n
    }

    /// Whole numbers, whose sums are exact, and one in `every` that is not finite.
    fn values(&mut self, count: i64, every: i64) -> Vec<f64> {
        let odd = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        (0..count)
            .map(|_| {
                if every > 0 && self.below(every) == 0 {
                    odd[self.below(3) as usize]
                } else {
                    (self.below(17) - 8) as f64
                }
            })
            .collect()
    }
}

/// In each of two spatial dimensions.
#[derive(Debug)]
struct Line {
    operand: i64,
    window: i64,
    stride: i64,
    dilation: i64,
    window_dilation: i64,
    padding: [i64; 2],
    reversed: bool,
}

impl Line {
    /// `wide`: with large windows and dilations, whose phases are not a convolution each.
    fn new(random: &mut Random, wide: bool) -> Self {
        let (window, dilation) = if wide { (12, 9) } else { (5, 4) };
        loop {
            let line = Line {
                operand: 1 + random.below(7),
                window: 1 + random.below(window),
                stride: 1 + random.below(4),
                dilation: 1 + random.below(dilation),
                window_dilation: 1 + random.below(3),
                padding: [random.below(7) - 2, random.below(7) - 2],
                reversed: random.below(3) == 0,
            };
            if line.places() > 0 {
                return line;
            }
        }
    }

    fn places(&self) -> i64 {
        let padded = (self.operand - 1) * self.dilation + 1 + self.padding[0] + self.padding[1];
        let covered = (self.window - 1) * self.window_dilation + 1;
        (padded - covered).div_euclid(self.stride) + 1
    }

    /// The element of the operand that element `k` of the window at place `o` is; none in holes and
    /// padding.
    fn read(&self, o: i64, k: i64) -> Option<i64> {
        let at = o * self.stride + k * self.window_dilation - self.padding[0];
        let hole = at.rem_euclid(self.dilation) != 0;
        let element = at.div_euclid(self.dilation);
        (!hole && (0..self.operand).contains(&element)).then_some(element)
    }

    /// Where element `k` of the window is in the kernel.
    fn kernel(&self, k: i64) -> i64 {
        if self.reversed {
            self.window - 1 - k
        } else {
            k
        }
    }
}

/// A convolution of `[b, 0, 1, f]` with `[0, 1, i, o]`.
struct Case {
    batch: i64,
    lines: [Line; 2],
    groups: i64,
    /// Features of a group, of the operand and of the result.
    features: [i64; 2],
}

impl Case {
    fn shapes(&self) -> [[i64; 4]; 3] {
        let [a, b] = &self.lines;
        let [from, to] = self.features.map(|n| n * self.groups);
        [
            [self.batch, a.operand, b.operand, from],
            [a.window, b.window, self.features[0], to],
            [self.batch, a.places(), b.places(), to],
        ]
    }

    fn exact(&self, x: &[f64], w: &[f64]) -> Vec<f64> {
        let [xs, ws, ys] = self.shapes();
        let at = |shape: [i64; 4], index: [i64; 4]| {
            let fold = |all: i64, (i, n): (&i64, &i64)| all * n + i;
            index.iter().zip(&shape).fold(0, fold) as usize
        };
        let mut result = Vec::new();
        for place in 0..ys.iter().product::<i64>() {
            let (o, place) = (place % ys[3], place / ys[3]);
            let (q, place) = (place % ys[2], place / ys[2]);
            let (p, n) = (place % ys[1], place / ys[1]);
            let mut sum = 0.0;
            for (k, l) in (0..ws[0]).flat_map(|k| (0..ws[1]).map(move |l| (k, l))) {
                let [a, b] = &self.lines;
                for c in 0..self.features[0] {
                    let feature = o / self.features[1] * self.features[0] + c;
                    let value = match (a.read(p, k), b.read(q, l)) {
                        (Some(i), Some(j)) => x[at(xs, [n, i, j, feature])],
                        _ => 0.0,
                    };
                    sum += value * w[at(ws, [a.kernel(k), b.kernel(l), c, o])];
                }
            }
            result.push(sum);
        }
        result
    }

    /// The program, with every tensor in an order of its own: dimension `i` of it is dimension
    /// `order[i]` here.
    fn source(&self, orders: [[usize; 4]; 3]) -> String {
        let names = [
            ["b", "0", "1", "f"],
            ["0", "1", "i", "o"],
            ["b", "0", "1", "f"],
        ];
        let [x, w, y] = [0, 1, 2].map(|t| orders[t].map(|d| names[t][d]).join(", "));
        let shapes = self.shapes();
        let [xt, wt, yt] = [0, 1, 2].map(|t| ty(&orders[t].map(|d| shapes[t][d]), "f32"));
        let [a, b] = &self.lines;
        let window = format!(
            "stride = {:?}, pad = {:?}, lhs_dilate = {:?}, rhs_dilate = {:?}, reverse = {:?}",
            [a.stride, b.stride],
            [a.padding, b.padding],
            [a.dilation, b.dilation],
            [a.window_dilation, b.window_dilation],
            [a.reversed, b.reversed],
        );
        program(
            &[xt.clone(), wt.clone()],
            std::slice::from_ref(&yt),
            &format!(
                "%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [{x}]x[{w}]->[{y}], window = {{{window}}} {{batch_group_count = 1 : i64, feature_group_count = {} : i64}} : ({xt}, {wt}) -> {yt}
                 return %0 : {yt}",
                self.groups
            ),
        )
    }
}

/// The elements with the dimensions in another order.
fn ordered(values: &[f64], shape: [i64; 4], order: [usize; 4]) -> Vec<f64> {
    let mut strides = [1; 4];
    for d in (0..3).rev() {
        strides[d] = strides[d + 1] * shape[d + 1];
    }
    let mut all = vec![0];
    for d in order {
        all = (all.iter())
            .flat_map(|at| (0..shape[d]).map(move |i| at + i * strides[d]))
            .collect();
    }
    all.iter().map(|at| values[*at as usize]).collect()
}

fn tensor(values: &[f64], shape: [i64; 4]) -> Tensor {
    let bytes: Vec<u8> = (values.iter())
        .flat_map(|x| (*x as f32).to_le_bytes())
        .collect();
    Tensor::new(&ElementType::F32, &shape, &bytes).unwrap()
}

#[test]
fn dilated_operands() {
    let mut random = Random(5);
    let (mut checked, mut different, mut not_a_number) = (0, 0, 0);
    while checked < 100 {
        let wide = checked >= 60;
        let groups = [1, 1, 2, 3][random.below(4) as usize];
        let case = Case {
            batch: 1 + random.below(2),
            lines: [Line::new(&mut random, wide), Line::new(&mut random, wide)],
            groups,
            features: [1 + random.below(3), 1 + random.below(9)],
        };
        let shapes = case.shapes();
        if case.lines.iter().all(|line| line.dilation == 1) {
            continue;
        }
        checked += 1;
        let first = [[0, 3, 1, 2], [3, 2, 0, 1], [0, 3, 1, 2]];
        let last = [[0, 1, 2, 3]; 3];
        let orders = [last, first][random.below(2) as usize];
        let source = case.source(orders);
        let executables = compile(&source, [&[], &["lhs-dilation"]]);
        // Elements of the kernel that are not finite, then of the operand, then none.
        for [of_operand, of_kernel] in [[0, 0], [0, 23], [23, 0]] {
            let x = random.values(shapes[0].iter().product(), of_operand);
            let w = random.values(shapes[1].iter().product(), of_kernel);
            let wanted = ordered(&case.exact(&x, &w), shapes[2], orders[2]);
            let inputs = [(x, 0), (w, 1)].map(|(values, t)| {
                let shape = orders[t].map(|d| shapes[t][d]);
                tensor(&ordered(&values, shapes[t], orders[t]), shape)
            });
            not_a_number += wanted.iter().filter(|y| y.is_nan()).count();
            for executable in &executables {
                for threads in [1, 2] {
                    let found = numbers(&run(executable, &inputs, threads)[0]);
                    assert_eq!(found.len(), wanted.len());
                    for (i, (y, exact)) in found.iter().zip(&wanted).enumerate() {
                        let same = y == exact || y.is_nan() && exact.is_nan();
                        assert!(same, "element {i} is {y}, not {exact}\n{source}");
                    }
                }
            }
        }
        let [with, without] = executables.map(|e| e.statistics().regions.len());
        different += usize::from(with != without);
    }
    // Most are taken apart, and the rules of numbers that are not finite are seen.
    assert!(different > 60, "{different}");
    assert!(not_a_number > 1000, "{not_a_number}");
}
