//! Chains of operations that only move elements: the composed map, whatever became of it, reads
//! what the operations one by one read.

use crate::ways::{self, ty};
use fastrand::Rng;
use mapwright_interpret::{Options, Tensor as Known, Value, run as interpret};
use mapwright_mlir::{ElementType, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};

/// Elements of a value, at most.
const LARGEST: i64 = 3000;

/// A program that is being written.
struct Chain {
    rng: Rng,
    body: String,
    shape: Vec<i64>,
    count: usize,
}

impl Chain {
    fn count(&self) -> i64 {
        self.shape.iter().product()
    }

    fn put(&mut self, operation: &str, operand_types: &str, shape: Vec<i64>) {
        let result = ty(&shape, "i32");
        let signature = format!("({operand_types}) -> {result}");
        self.count += 1;
        self.body += &format!("  %v{} = {operation} : {signature}\n", self.count);
        self.shape = shape;
    }

    fn transpose(&mut self) {
        let mut order: Vec<usize> = (0..self.shape.len()).collect();
        self.rng.shuffle(&mut order);
        let shape = order.iter().map(|k| self.shape[*k]).collect();
        let op = format!("stablehlo.transpose %v{}, dims = {order:?}", self.count);
        self.put(&op, &ty(&self.shape, "i32"), shape);
    }

    /// Factors of the number of elements, dealt to a few dimensions.
    fn reshape(&mut self) {
        let mut shape = vec![1; self.rng.usize(1..5)];
        let (mut rest, mut factor) = (self.count(), 2);
        while rest > 1 {
            while rest % factor == 0 {
                let k = self.rng.usize(0..shape.len());
                shape[k] *= factor;
                rest /= factor;
            }
            factor += 1;
        }
        let op = format!("stablehlo.reshape %v{}", self.count);
        self.put(&op, &ty(&self.shape, "i32"), shape);
    }

    fn reverse(&mut self) {
        let all = 0..self.shape.len();
        let dims: Vec<usize> = all.filter(|_| self.rng.bool()).collect();
        let op = format!("stablehlo.reverse %v{}, dims = {dims:?}", self.count);
        self.put(&op, &ty(&self.shape, "i32"), self.shape.clone());
    }

    fn slice(&mut self) {
        let mut ranges = Vec::new();
        let mut shape = Vec::new();
        for size in self.shape.clone() {
            let start = self.rng.i64(0..size.min(3));
            let limit = self.rng.i64((size - 2).max(start + 1)..=size);
            let step = self.rng.i64(1..3);
            ranges.push(format!("{start}:{limit}:{step}"));
            shape.push((limit - start + step - 1) / step);
        }
        let op = format!("stablehlo.slice %v{} [{}]", self.count, ranges.join(", "));
        self.put(&op, &ty(&self.shape, "i32"), shape);
    }

    fn pad(&mut self) {
        let (mut low, mut high, mut interior, mut shape) = (vec![], vec![], vec![], vec![]);
        for size in self.shape.clone() {
            low.push(self.rng.i64(if size > 2 { -1 } else { 0 }..3));
            high.push(self.rng.i64(if size > 2 { -1 } else { 0 }..2));
            interior.push(self.rng.i64(0..2));
            let inside = size + interior[shape.len()] * (size - 1);
            shape.push(low[shape.len()] + inside + high[shape.len()]);
        }
        let op = format!(
            "stablehlo.pad %v{}, %pad, low = {low:?}, high = {high:?}, interior = {interior:?}",
            self.count
        );
        let types = format!("{}, tensor<i32>", ty(&self.shape, "i32"));
        self.put(&op, &types, shape);
    }

    fn concatenate(&mut self) {
        let k = self.rng.usize(0..self.shape.len());
        let mut shape = self.shape.clone();
        shape[k] *= 2;
        let own = ty(&self.shape, "i32");
        let op = format!("stablehlo.concatenate %v{0}, %v{0}, dim = {k}", self.count);
        self.put(&op, &format!("{own}, {own}"), shape);
    }

    fn broadcast(&mut self) {
        let k = self.rng.usize(0..=self.shape.len());
        let mut shape = self.shape.clone();
        shape.insert(k, self.rng.i64(1..4));
        let dims: Vec<usize> = (0..shape.len()).filter(|i| *i != k).collect();
        let op = format!(
            "stablehlo.broadcast_in_dim %v{}, dims = {dims:?}",
            self.count
        );
        self.put(&op, &ty(&self.shape, "i32"), shape);
    }

    /// A chain of `length` operations; `plain`: of those alone that read every element once.
    fn random(seed: u64, length: usize, plain: bool) -> (Vec<i64>, String) {
        let mut rng = Rng::with_seed(seed);
        let sizes = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16];
        let shape: Vec<i64> = (0..rng.usize(1..4))
            .map(|_| *rng.choice(&sizes).unwrap())
            .collect();
        let mut chain = Self {
            rng,
            body: String::new(),
            shape: shape.clone(),
            count: 0,
        };
        for _ in 0..length {
            let grows = chain.count() * 2 < LARGEST && chain.shape.len() < 5;
            match chain.rng.usize(0..if plain { 6 } else { 11 }) {
                0 | 1 => chain.transpose(),
                2 | 3 => chain.reshape(),
                4 | 5 => chain.reverse(),
                6 | 7 if chain.count() > 40 => chain.slice(),
                8 if chain.count() * 16 < LARGEST => chain.pad(),
                9 if grows && !chain.shape.is_empty() => chain.concatenate(),
                10 if grows && chain.count() * 4 < LARGEST => chain.broadcast(),
                _ => chain.reshape(),
            }
        }
        let (from, to) = (ty(&shape, "i32"), ty(&chain.shape, "i32"));
        let source = format!(
            "func.func @main(%v0: {from}) -> {to} {{\n  %pad = stablehlo.constant dense<-1> : tensor<i32>\n{}  return %v{} : {to}\n}}\n",
            chain.body, chain.count
        );
        (shape, source)
    }
}

/// The bytes of the result, by the interpreter and by native code with and without the simplifier;
/// and how many regions there are.
fn outcome(shape: &[i64], source: &str) -> (Vec<u8>, [Vec<u8>; 2], usize) {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("test", source.as_bytes()) else {
        panic!("{}\n{source}", diagnostics.take());
    };
    let module = Op::new(module.as_operation());
    let count: i64 = shape.iter().product();
    let bytes: Vec<u8> = (0..count as i32).flat_map(i32::to_le_bytes).collect();
    let element = ElementType::int(32);
    let known = Known::from_bytes(&element, shape, &bytes).unwrap();
    let expected = interpret(module, "main", &[Value::Tensor(known)], &Options::default());
    let expected = expected.unwrap_or_else(|e| panic!("{e}\n{source}"));
    let expected = expected[0].tensor().unwrap().to_bytes();
    let mut regions = 0;
    let found = [None, Some("simplified-maps")].map(|disabled| {
        let options = CompileOptions {
            threads: 1,
            disabled: disabled.into_iter().map(str::to_owned).collect(),
            ..CompileOptions::default()
        };
        let executable = Executable::compile(module, &options)
            .unwrap_or_else(|e| panic!("{} {e}\n{source}", diagnostics.take()));
        if disabled.is_none() {
            regions = executable.statistics().regions.len();
        }
        let input = Tensor::new(&element, shape, &bytes).unwrap();
        let found = executable
            .execute(&[&input], &ExecuteOptions::default())
            .unwrap();
        found[0].bytes().to_vec()
    });
    (expected, found, regions)
}

#[test]
fn random_chains_read_what_they_say() {
    let rounds = std::env::var("MAPWRIGHT_MOVES").map_or(60, |n| n.parse().unwrap());
    for seed in 0..rounds {
        let length = 5 + (seed as usize * 7) % 56;
        let (shape, source) = Chain::random(seed, length, seed % 3 == 0);
        let (expected, found, _) = outcome(&shape, &source);
        assert!(
            found.iter().all(|found| *found == expected),
            "seed {seed}\n{source}"
        );
    }
}

/// Sizes that divide each other: however long the chain is, one copy by the composed map, and in
/// time that grows with its length.
#[test]
fn chains_of_any_length_are_one_copy() {
    for length in [40, 200, 1000] {
        let mut chain = Chain {
            rng: Rng::with_seed(length),
            body: String::new(),
            shape: vec![16, 8],
            count: 0,
        };
        for i in 0..length {
            match i % 4 {
                0 => chain.transpose(),
                1 | 3 => chain.reshape(),
                _ => chain.reverse(),
            }
        }
        let to = ty(&chain.shape, "i32");
        let source = format!(
            "func.func @main(%v0: tensor<16x8xi32>) -> {to} {{\n{}  return %v{} : {to}\n}}\n",
            chain.body, chain.count
        );
        let (expected, found, regions) = outcome(&[16, 8], &source);
        assert!(
            found.iter().all(|found| *found == expected),
            "{length}\n{source}"
        );
        assert_eq!(regions, 1, "{length}");
    }
}

/// Reshapes whose sizes do not divide each other: the rules of sums alone leave quotients of sums,
/// which the simplifier takes apart. Without it the machine code is longer, and reads the same.
#[test]
fn the_simplifier_shortens_machine_code() {
    let source = "func.func @main(%x: tensor<5x12x12xi32>) -> tensor<30x24xi32> {
        %a = stablehlo.reshape %x : (tensor<5x12x12xi32>) -> tensor<18x10x4xi32>
        %b = stablehlo.reshape %a : (tensor<18x10x4xi32>) -> tensor<24x30xi32>
        %r = stablehlo.transpose %b, dims = [1, 0] : (tensor<24x30xi32>) -> tensor<30x24xi32>
        return %r : tensor<30x24xi32>
    }";
    let [with, without] = ways::compile(source, [&[], &["simplified-maps"]]);
    let (with, without) = (with.statistics(), without.statistics());
    let bytes = (with.object_bytes, without.object_bytes);
    assert!(bytes.0 < bytes.1, "{bytes:?}");
    assert!(with.maps.simplified > 0 && with.maps.composed >= with.maps.simplified);
    assert!(
        with.maps.operations_after < with.maps.operations_before,
        "{:?}",
        with.maps
    );
    assert_eq!(without.maps.simplified, 0);
    let (expected, found, _) = outcome(&[5, 12, 12], source);
    assert!(found.iter().all(|found| *found == expected));
}
