//! The encoder layers of `examples/transformer` beside the same in 64 bits: the paper's, whose
//! sizes the run says, on batches of one length, and the layer over sentences of different lengths,
//! as loops and as a function of one sentence.

use crate::support;
use mapwright::{
    mlir::{ElementType, Op, context::context, diagnostic::Diagnostics},
    native::{CompileOptions, Executable, ExecuteOptions, Ragged, Tensor},
};
use std::fs;

const D: usize = 512;
const HIDDEN: usize = 2048;
const WORDS: usize = 1000;
const HEADS: usize = 8;
const ALLOWED: f64 = 1e-5;

/// Rows one behind the other.
#[derive(Clone)]
struct Matrix {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl Matrix {
    fn new(rows: usize, columns: usize, f: impl Fn(usize, usize) -> f64) -> Self {
        let at = |i| f(i / columns, i % columns);
        Self {
            rows,
            columns,
            data: (0..rows * columns).map(at).collect(),
        }
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.data[i * self.columns + j]
    }

    fn with(&self, f: impl Fn(usize, usize, f64) -> f64) -> Self {
        Self::new(self.rows(), self.columns, |i, j| f(i, j, self.at(i, j)))
    }

    fn transposed(&self) -> Self {
        Self::new(self.columns, self.rows(), |i, j| self.at(j, i))
    }

    fn times(&self, other: &Self) -> Self {
        let mut product = Self::new(self.rows(), other.columns, |_, _| 0.0);
        for i in 0..self.rows() {
            for k in 0..self.columns {
                let x = self.at(i, k);
                let row = &other.data[k * other.columns..(k + 1) * other.columns];
                let sums = &mut product.data[i * other.columns..(i + 1) * other.columns];
                for (sum, y) in sums.iter_mut().zip(row) {
                    *sum += x * y;
                }
            }
        }
        product
    }

    /// Mean 0 and variance 1 in each row, then scale and shift.
    fn normed(&self, scale: &[f64], shift: &[f64]) -> Self {
        let n = self.columns as f64;
        let mut all = self.clone();
        for row in all.data.chunks_mut(self.columns) {
            let mean = row.iter().sum::<f64>() / n;
            let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
            for (j, x) in row.iter_mut().enumerate() {
                *x = (*x - mean) / (variance + 1e-6).sqrt() * scale[j] + shift[j];
            }
        }
        all
    }
}

/// What rows see of each other.
fn attention(q: &Matrix, k: &Matrix, v: &Matrix) -> Matrix {
    let (size, mut all) = (D / HEADS, Matrix::new(q.rows(), D, |_, _| 0.0));
    for head in 0..HEADS {
        let part = |x: &Matrix| Matrix::new(x.rows(), size, |i, j| x.at(i, head * size + j));
        let mut weights = part(q).times(&part(k).transposed());
        for row in weights.data.chunks_mut(weights.columns.max(1)) {
            let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for x in row.iter_mut() {
                *x = ((*x - most) / (size as f64).sqrt()).exp();
            }
            let sum: f64 = row.iter().sum();
            for x in row.iter_mut() {
                *x /= sum;
            }
        }
        let own = weights.times(&part(v));
        for i in 0..q.rows() {
            for j in 0..size {
                all.data[i * D + head * size + j] = own.at(i, j);
            }
        }
    }
    all
}

/// Numbers that look like any, the same in each run; `f32` values.
struct Draw(fastrand::Rng);

impl Draw {
    fn vector(&mut self, n: usize, middle: f64, size: f64) -> Vec<f64> {
        let mut one = || middle + size * 3.0_f64.sqrt() * (2.0 * self.0.f64() - 1.0);
        (0..n).map(|_| f64::from(one() as f32)).collect()
    }

    fn matrix(&mut self, rows: usize, columns: usize, size: f64) -> Matrix {
        Matrix {
            rows,
            columns,
            data: self.vector(rows * columns, 0.0, size),
        }
    }
}

/// The program's function, compiled.
fn compiled(file: &str, entry: &str) -> Executable {
    mapwright::register();
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let path = support::root().join("examples/transformer").join(file);
    let text = fs::read(path).unwrap();
    let module = diagnostics
        .parse(file, &text)
        .map_err(|_| diagnostics.take());
    let module = module.unwrap();
    let options = CompileOptions {
        entries: vec![entry.into()],
        threads: 2,
        ..CompileOptions::default()
    };
    let executable = Executable::compile(Op::new(module.as_operation()), &options);
    executable
        .map_err(|e| format!("{e}{}", diagnostics.take()))
        .unwrap()
}

fn floats(shape: &[usize], values: &[f64]) -> Tensor {
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|x| (*x as f32).to_le_bytes())
        .collect();
    let shape: Vec<i64> = shape.iter().map(|n| *n as i64).collect();
    Tensor::new(&ElementType::F32, &shape, &bytes).unwrap()
}

fn call(executable: &Executable, first: &[Tensor], others: &[Tensor]) -> Vec<Tensor> {
    let inputs: Vec<&Tensor> = first.iter().chain(others).collect();
    executable
        .execute(&inputs, &ExecuteOptions::default())
        .unwrap()
}

/// The greatest difference between rows and a tensor's elements from row `first` on.
fn difference(rows: &Matrix, found: &Tensor, first: usize) -> f64 {
    let found = found.bytes().chunks_exact(4).skip(first * rows.columns);
    let found = found.map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
    let both = rows.data.iter().zip(found);
    both.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// The paper's 25 steps, for lengths and batches that one executable learns when it is called.
/// Which features dropout keeps is a result: a half of them, others in each call, and NumPy's place
/// is taken with the same ones.
#[test]
fn the_papers_layer() {
    let mut draw = Draw(fastrand::Rng::with_seed(7));
    let root = (D as f64).sqrt();
    let table = draw.matrix(D, WORDS, 1.0 / root);
    let mut weights = vec![table.clone()];
    weights.extend((0..3).map(|_| draw.matrix(D, D, 1.0 / root)));
    let (scale, shift) = (draw.vector(D, 1.0, 0.1), draw.vector(D, 0.0, 0.1));
    let (w1, b1) = (
        draw.matrix(D, HIDDEN, 1.0 / root),
        draw.vector(HIDDEN, 0.0, 0.1),
    );
    let (w2, b2) = (
        draw.matrix(HIDDEN, D, (HIDDEN as f64).powf(-0.5)),
        draw.vector(D, 0.0, 0.1),
    );
    let own = |x: &Matrix| floats(&[x.rows(), x.columns], &x.data);
    let mut others: Vec<Tensor> = weights.iter().map(own).collect();
    others.extend([
        floats(&[D], &scale),
        floats(&[D], &shift),
        own(&w1),
        floats(&[HIDDEN], &b1),
    ]);
    others.extend([own(&w2), floats(&[D], &b2)]);
    let executable = compiled("document.mlir", "document");
    let (mut kept, mut all, mut masks) = (0, 0, Vec::new());
    let sizes = [
        (1, 1),
        (1, 2),
        (3, 3),
        (2, 5),
        (1, 7),
        (3, 8),
        (2, 13),
        (1, 16),
        (1, 31),
        (2, 24),
        (1, 64),
        (0, 4),
        (2, 0),
    ];
    for (batch, length) in sizes {
        let words: Vec<usize> = (0..batch * length).map(|_| draw.0.usize(..WORDS)).collect();
        let bytes: Vec<u8> = words
            .iter()
            .flat_map(|w| (*w as i64).to_le_bytes())
            .collect();
        let shape = [batch as i64, length as i64];
        let sentences = [Tensor::new(&ElementType::int(64), &shape, &bytes).unwrap()];
        let given = call(&executable, &sentences, &others);
        assert_eq!(given[0].shape(), [shape[0], shape[1], D as i64]);
        assert_eq!(given[1].shape(), [shape[0], shape[1], HIDDEN as i64]);
        let mask = given[1].bytes();
        for (i, words) in words.chunks(length.max(1)).enumerate() {
            // Rows are words here.
            let x = Matrix::new(length, D, |place, j| {
                let angle = place as f64 * 10000.0_f64.powf(-((j / 2 * 2) as f64) / D as f64);
                let code = if j % 2 == 1 { angle.cos() } else { angle.sin() };
                table.at(j, words[place]) * root + code
            });
            let [q, k, v] = [1, 2, 3].map(|w| x.times(&weights[w].transposed()));
            let seen = attention(&q, &k, &v);
            let y = x.with(|i, j, x| x + seen.at(i, j)).normed(&scale, &shift);
            let hidden = y.times(&w1).with(|row, j, x| {
                let keeps = mask[(i * length + row) * HIDDEN + j] != 0;
                if keeps {
                    2.0 * (x + b1[j]).max(0.0)
                } else {
                    0.0
                }
            });
            let wanted = hidden.times(&w2).with(|_, j, x| x + b2[j]);
            let far = difference(&wanted, &given[0], i * length);
            assert!(
                far < ALLOWED,
                "{batch} sentences of {length} words: {far:e}"
            );
        }
        kept += mask.iter().filter(|keeps| **keeps != 0).count();
        all += mask.len();
        masks.push(mask.to_vec());
    }
    // Five standard deviations.
    let share = kept as f64 / all as f64;
    assert!((share - 0.5).abs() < 2.5 / (all as f64).sqrt(), "{share}");
    assert_ne!(masks[0][..HIDDEN], masks[1][..HIDDEN]);
}

/// Sentences of different lengths, by loops over tokens and by `vectorize` of a function of one
/// sentence.
#[test]
fn sentences_of_different_lengths() {
    let mut draw = Draw(fastrand::Rng::with_seed(11));
    let root = (D as f64).sqrt();
    let projections = [0; 3].map(|_| draw.matrix(D, D, 1.0 / root));
    let (scale1, shift1) = (draw.vector(D, 1.0, 0.1), draw.vector(D, 0.0, 0.1));
    let (w1, b1) = (
        draw.matrix(D, HIDDEN, 1.0 / root),
        draw.vector(HIDDEN, 0.0, 0.1),
    );
    let (w2, b2) = (
        draw.matrix(HIDDEN, D, (HIDDEN as f64).powf(-0.5)),
        draw.vector(D, 0.0, 0.1),
    );
    let (scale2, shift2) = (draw.vector(D, 1.0, 0.1), draw.vector(D, 0.0, 0.1));
    let own = |x: &Matrix| floats(&[x.rows(), x.columns], &x.data);
    let mut others: Vec<Tensor> = projections.iter().map(own).collect();
    others.extend([
        floats(&[D], &scale1),
        floats(&[D], &shift1),
        own(&w1),
        floats(&[HIDDEN], &b1),
    ]);
    others.extend([
        own(&w2),
        floats(&[D], &b2),
        floats(&[D], &scale2),
        floats(&[D], &shift2),
    ]);
    for entry in ["main", "batched"] {
        let executable = compiled("layer.mlir", entry);
        for lengths in [&[5, 24, 1, 13][..], &[7], &[0, 2, 0], &[3, 3, 3, 3], &[]] {
            let total: usize = lengths.iter().sum();
            let tokens = draw.matrix(total, D, 1.0);
            let mut offsets = vec![0];
            for n in lengths {
                offsets.push(offsets[offsets.len() - 1] + *n as i64);
            }
            let levels = vec![vec![0, lengths.len() as i64], offsets.clone()];
            let batch = Ragged::new(floats(&[total, D], &tokens.data), levels).unwrap();
            let sentences = batch.pack(&[4, 24]).unwrap();
            let found = Ragged::unpack(call(&executable, &sentences, &others)).unwrap();
            assert_eq!(found.offsets()[1], offsets, "@{entry}");
            let mut first = 0;
            for n in lengths {
                let x = Matrix::new(*n, D, |i, j| tokens.at(first + i, j));
                let [q, k, v] = [0, 1, 2].map(|w| x.times(&projections[w]));
                let seen = attention(&q, &k, &v);
                let y = x.with(|i, j, x| x + seen.at(i, j)).normed(&scale1, &shift1);
                let hidden = y.times(&w1).with(|_, j, x| (x + b1[j]).max(0.0));
                let fed = hidden.times(&w2);
                let z = y
                    .with(|i, j, x| x + fed.at(i, j) + b2[j])
                    .normed(&scale2, &shift2);
                let far = difference(&z, found.values(), first);
                assert!(far < ALLOWED, "@{entry} of {lengths:?}: {far:e}");
                first += n;
            }
        }
    }
}
