//! `reduce_window` and `select_and_scatter`.

use super::harness::*;

/// A window over one dimension, as the specification has it: dilate, pad, then take windows.
#[derive(Clone, Copy)]
pub struct Dim {
    pub inp: i64,
    pub out: i64,
    pub window: i64,
    pub stride: i64,
    pub base: i64,
    pub dilation: i64,
    pub low: i64,
    pub high: i64,
}

impl Dim {
    pub fn random(rng: &mut Rng, dilate: bool, negative: bool) -> Dim {
        loop {
            let lowest = if negative { -2 } else { 0 };
            let mut dim = Dim {
                inp: rng.pick(&[0, 1, 1, 2, 3, 4, 5]),
                out: 0,
                window: rng.pick(&[1, 1, 2, 2, 3]),
                stride: rng.int(1, 3),
                base: if dilate { rng.int(1, 3) } else { 1 },
                dilation: if dilate { rng.int(1, 3) } else { 1 },
                low: rng.int(lowest, 2),
                high: rng.int(lowest, 2),
            };
            let dilated = if dim.inp == 0 {
                0
            } else {
                (dim.inp - 1) * dim.base + 1
            };
            let padded = dilated + dim.low + dim.high;
            if padded < 0 {
                continue;
            }
            let window = (dim.window - 1) * dim.dilation + 1;
            dim.out = if padded == 0 || window > padded {
                0
            } else {
                (padded - window) / dim.stride + 1
            };
            return dim;
        }
    }

    /// The element under element `w` of window `o`, if there is one: not padding, not a hole.
    pub fn element(&self, o: i64, w: i64) -> Option<i64> {
        let position = o * self.stride + w * self.dilation;
        (0..self.inp).find(|i| self.low + i * self.base == position)
    }

    /// All elements under window `o`.
    pub fn elements(&self, o: i64) -> Vec<i64> {
        (0..self.window)
            .filter_map(|w| self.element(o, w))
            .collect()
    }
}

/// The product of lists.
pub fn product(lists: &[Vec<i64>]) -> Vec<Index> {
    let mut all = vec![vec![]];
    for list in lists {
        all = all
            .into_iter()
            .flat_map(|prefix: Index| {
                list.iter()
                    .map(move |i| [prefix.clone(), vec![*i]].concat())
            })
            .collect();
    }
    all
}

pub fn padding(dims: &[Dim]) -> String {
    if dims.is_empty() {
        return "dense<> : tensor<0x2xi64>".into();
    }
    let rows: Vec<String> = dims
        .iter()
        .map(|d| format!("[{}, {}]", d.low, d.high))
        .collect();
    format!(
        "dense<[{}]> : tensor<{}x2xi64>",
        rows.join(", "),
        dims.len()
    )
}

pub fn each(dims: &[Dim], f: impl Fn(&Dim) -> i64) -> Vec<i64> {
    dims.iter().map(f).collect()
}

#[test]
pub fn reduce_window() {
    run("reduce_window", 300, |rng| {
        let rank = rng.int(0, 2) as usize;
        let dims: Vec<Dim> = (0..rank).map(|_| Dim::random(rng, true, true)).collect();
        let n = rng.int(1, 2) as usize;
        let mut operands = vec![(each(&dims, |d| d.inp), "f32"); n];
        operands.extend(vec![(vec![], "f32"); n]);
        let attributes = format!(
            "window_dimensions = {}, window_strides = {}, base_dilations = {}, window_dilations = {}, padding = {}",
            array(&each(&dims, |d| d.window)),
            array(&each(&dims, |d| d.stride)),
            array(&each(&dims, |d| d.base)),
            array(&each(&dims, |d| d.dilation)),
            padding(&dims)
        );
        let results = vec![(each(&dims, |d| d.out), "f32"); n];
        let relation: Relation = Box::new(move |_, o| {
            let lists: Vec<Vec<i64>> = dims.iter().zip(o).map(|(d, o)| d.elements(*o)).collect();
            let mut found: Vec<(usize, Index)> = Vec::new();
            for index in product(&lists) {
                found.extend((0..n).map(|j| (j, index.clone())));
            }
            found.extend((0..n).map(|j| (n + j, vec![])));
            found
        });
        let region = "({ ^bb0(%a: tensor<f32>): \"stablehlo.return\"(%a) : (tensor<f32>) -> () })";
        Case::new(
            "reduce_window",
            &operands,
            region,
            &attributes,
            &results,
            relation,
        )
    });
}

#[test]
pub fn select_and_scatter() {
    run("select_and_scatter", 250, |rng| {
        let rank = rng.int(0, 2) as usize;
        let dims: Vec<Dim> = (0..rank).map(|_| Dim::random(rng, false, false)).collect();
        let (inp, source) = (each(&dims, |d| d.inp), each(&dims, |d| d.out));
        let attributes = format!(
            "window_dimensions = {}, window_strides = {}, padding = {}",
            array(&each(&dims, |d| d.window)),
            array(&each(&dims, |d| d.stride)),
            padding(&dims)
        );
        let windows = indices(&source);
        // Every window over the element: its elements decide, its source element may fall here.
        // (Which element is selected depends on values; this is the union over all values, and the
        // maps of the source must not claim to be exact.)
        let relation: Relation = Box::new(move |_, i| {
            let mut found = vec![(2, vec![])];
            for o in &windows {
                let lists: Vec<Vec<i64>> =
                    dims.iter().zip(o).map(|(d, o)| d.elements(*o)).collect();
                let all = product(&lists);
                if all.iter().any(|index| index == i) {
                    found.push((1, o.clone()));
                    found.extend(all.into_iter().map(|index| (0, index)));
                }
            }
            found
        });
        let region = "({ ^bb0(%a: tensor<f32>): \"stablehlo.return\"(%a) : (tensor<f32>) -> () }, { ^bb0(%a: tensor<f32>): \"stablehlo.return\"(%a) : (tensor<f32>) -> () })";
        let operands = [(inp.clone(), "f32"), (source, "f32"), (vec![], "f32")];
        let mut case = Case::new(
            "select_and_scatter",
            &operands,
            region,
            &attributes,
            &[(inp, "f32")],
            relation,
        );
        case.exact = vec![0, 2];
        case
    });
}
