//! Rows of a tensor, and its elements in another shape, are read where they are: whatever is
//! written in between, what was read of them stays.

use crate::agreement::{Input, Way, copied_bytes};
use fastrand::Rng;
use mapwright_mlir::ElementType;
use std::fmt::Write;

/// Columns: a row of them is a cache line or two, or no whole one.
const COLUMNS: [i64; 3] = [16, 32, 24];

fn ty(rows: i64, columns: i64) -> String {
    format!("tensor<{rows}x{columns}xi32>")
}

/// A program that takes rows of a state, computes with them and writes rows back, in a loop or not.
struct Program {
    rng: Rng,
    text: String,
    columns: i64,
    /// Values with their rows; the first is the state.
    values: Vec<(String, i64)>,
    count: usize,
}

impl Program {
    fn name(&mut self) -> String {
        self.count += 1;
        format!("%v{}", self.count)
    }

    fn put(&mut self, rows: i64, operation: String) -> (String, i64) {
        let name = self.name();
        let result = ty(rows, self.columns);
        writeln!(self.text, "    {name} = {operation} -> {result}").unwrap();
        self.values.push((name.clone(), rows));
        (name, rows)
    }

    fn some(&mut self) -> (String, i64) {
        let k = self.rng.usize(0..self.values.len());
        self.values[k].clone()
    }

    /// Some rows of a value, at a place that may be outside of it.
    fn rows(&mut self) -> (String, i64) {
        let (value, rows) = self.some();
        let own = ty(rows, self.columns);
        let columns = self.columns;
        let taken = self.rng.i64(1..=rows);
        if self.rng.bool() {
            let first = self.rng.i64(0..=rows - taken);
            let last = first + taken;
            return self.put(
                taken,
                format!("stablehlo.slice {value} [{first}:{last}, 0:{columns}] : ({own})"),
            );
        }
        let at = *self.rng.choice(&["%i", "%far", "%at"]).unwrap();
        self.put(
            taken,
            format!(
                "stablehlo.dynamic_slice {value}, {at}, %zero, sizes = [{taken}, {columns}] : ({own}, tensor<i32>, tensor<i32>)"
            ),
        )
    }

    /// The last rows of a value.
    fn rows_of(&mut self, value: &str, rows: i64, taken: i64) -> (String, i64) {
        let (first, columns) = (rows - taken, self.columns);
        let own = ty(rows, columns);
        self.put(
            taken,
            format!("stablehlo.slice {value} [{first}:{rows}, 0:{columns}] : ({own})"),
        )
    }

    /// A product with the weights: it reads its operand in memory.
    fn product(&mut self) -> (String, i64) {
        let (value, rows) = self.some();
        let (own, square) = (ty(rows, self.columns), ty(self.columns, self.columns));
        self.put(
            rows,
            format!(
                "stablehlo.dot_general {value}, %w, contracting_dims = [1] x [0] : ({own}, {square})"
            ),
        )
    }

    /// The sum of two values of as many rows.
    fn sum(&mut self) -> (String, i64) {
        let (value, rows) = self.some();
        let alike: Vec<_> = self.values.iter().filter(|(_, n)| *n == rows).collect();
        let other = alike[self.rng.usize(0..alike.len())].0.clone();
        let own = ty(rows, self.columns);
        self.put(
            rows,
            format!("\"stablehlo.add\"({value}, {other}) : ({own}, {own})"),
        )
    }

    /// The same elements twice in another shape.
    fn reshaped(&mut self) -> (String, i64) {
        let (value, rows) = self.some();
        let (name, own) = (self.name(), ty(rows, self.columns));
        let other = ty(rows * self.columns / 8, 8);
        writeln!(
            self.text,
            "    {name} = stablehlo.reshape {value} : ({own}) -> {other}"
        )
        .unwrap();
        self.put(rows, format!("stablehlo.reshape {name} : ({other})"))
    }

    /// Rows written over those of another value.
    fn update(&mut self) -> (String, i64) {
        let (value, rows) = self.some();
        let fitting: Vec<_> = self.values.iter().filter(|(_, n)| *n <= rows).collect();
        let (update, few) = fitting[self.rng.usize(0..fitting.len())].clone();
        let (own, part) = (ty(rows, self.columns), ty(few, self.columns));
        let at = *self.rng.choice(&["%i", "%far", "%at"]).unwrap();
        self.put(
            rows,
            format!(
                "stablehlo.dynamic_update_slice {value}, {update}, {at}, %zero : ({own}, {part}, tensor<i32>, tensor<i32>)"
            ),
        )
    }

    fn random(seed: u64) -> (Vec<Vec<i64>>, String) {
        let mut rng = Rng::with_seed(seed);
        let columns = *rng.choice(&COLUMNS).unwrap();
        let rows = rng.i64(20..50);
        let mut program = Self {
            rng,
            text: String::new(),
            columns,
            values: vec![("%x".to_string(), rows)],
            count: 0,
        };
        for _ in 0..program.rng.usize(3..14) {
            match program.rng.usize(0..10) {
                0..4 => program.rows(),
                4..6 => program.product(),
                6 => program.sum(),
                7 => program.reshaped(),
                _ => program.update(),
            };
        }
        // Something that has all rows is next, or a result.
        let alike: Vec<_> = program.values.iter().filter(|(_, n)| *n == rows).collect();
        let next = alike[program.rng.usize(0..alike.len())].0.clone();
        // The other result is made of the last rows of some values, which are needed until then.
        let (mut other, few) = program.rows_of("%x", rows, 1);
        for (value, rows) in program.values.clone() {
            if program.rng.usize(0..3) > 0 {
                let (last, _) = program.rows_of(&value, rows, 1);
                let line = ty(1, columns);
                other = program
                    .put(
                        1,
                        format!("\"stablehlo.add\"({other}, {last}) : ({line}, {line})"),
                    )
                    .0;
            }
        }
        let (own, square, other_ty) = (ty(rows, columns), ty(columns, columns), ty(few, columns));
        let body = &program.text;
        let head = format!(
            "func.func @main(%s: {own}, %w: {square}, %at: tensor<i32>) -> ({own}, {other_ty}) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %far = stablehlo.constant dense<33> : tensor<i32>\n"
        );
        let text = if program.rng.bool() {
            format!(
                "{head}  %i = stablehlo.constant dense<3> : tensor<i32>\n{}  return {next}, {other} : {own}, {other_ty}\n}}\n",
                body.replace("%x", "%s")
            )
            .replace("return %x", "return %s")
            .replace(", %x :", ", %s :")
        } else {
            format!(
                "{head}  %trips = stablehlo.constant dense<5> : tensor<i32>
  %none = stablehlo.constant dense<7> : {other_ty}
  %r:3 = stablehlo.while(%i = %zero, %x = %s, %o = %none) : tensor<i32>, {own}, {other_ty}
  cond {{
    %c = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
{body}    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, {next}, {other} : tensor<i32>, {own}, {other_ty}
  }}
  return %r#1, %r#2 : {own}, {other_ty}
}}\n"
            )
        };
        (
            vec![vec![rows, columns], vec![columns, columns], vec![]],
            text,
        )
    }
}

const WAYS: [Way; 4] = [
    (1, None),
    (2, None),
    (1, Some("light-loops")),
    (1, Some("views")),
];

/// A tensor of small numbers.
fn input(shape: &[i64], rng: &mut Rng) -> Input {
    let count = shape.iter().product::<i64>();
    let numbers = (0..count).flat_map(|_| rng.i32(-9..10).to_le_bytes());
    (ElementType::int(32), shape.to_vec(), numbers.collect())
}

#[test]
fn what_views_read_stays_as_it_was() {
    for seed in 0..100 {
        let (shapes, source) = Program::random(seed);
        let mut rng = Rng::with_seed(seed);
        let inputs: Vec<_> = (shapes.into_iter())
            .map(|shape| input(&shape, &mut rng))
            .collect();
        copied_bytes(&source, &inputs, &WAYS);
    }
}

/// The loop over the sequences of a ragged batch: rows between offsets, in another shape, as
/// factors of a product.
#[test]
fn rows_between_offsets_known_at_run_time() {
    let source = "
func.func @main(%x: tensor<?x32xi32>, %w: tensor<8x8xi32>, %offsets: tensor<5xi32>) -> tensor<?x32xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  %units = stablehlo.constant dense<1> : tensor<2xi32>
  %all = stablehlo.constant dense<32> : tensor<1xi32>
  %heads = stablehlo.constant dense<[4, 8]> : tensor<2xi32>
  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<?x32xi32>
  cond {
    %c = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %from = stablehlo.dynamic_slice %offsets, %i, sizes = [1] : (tensor<5xi32>, tensor<i32>) -> tensor<1xi32>
    %to = stablehlo.dynamic_slice %offsets, %j, sizes = [1] : (tensor<5xi32>, tensor<i32>) -> tensor<1xi32>
    %n = stablehlo.subtract %to, %from : tensor<1xi32>
    %first = stablehlo.concatenate %from, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %last = stablehlo.concatenate %to, %all, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %rows = stablehlo.real_dynamic_slice %y, %first, %last, %units : (tensor<?x32xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x32xi32>
    %shape = stablehlo.concatenate %n, %heads, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
    %split = stablehlo.dynamic_reshape %rows, %shape : (tensor<?x32xi32>, tensor<3xi32>) -> tensor<?x4x8xi32>
    %p = stablehlo.dot_general %split, %w, contracting_dims = [2] x [0] : (tensor<?x4x8xi32>, tensor<8x8xi32>) -> tensor<?x4x8xi32>
    %flat = stablehlo.concatenate %n, %all, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %q = stablehlo.dynamic_reshape %p, %flat : (tensor<?x4x8xi32>, tensor<2xi32>) -> tensor<?x32xi32>
    %at = stablehlo.reshape %from : (tensor<1xi32>) -> tensor<i32>
    %next = stablehlo.dynamic_update_slice %y, %q, %at, %zero : (tensor<?x32xi32>, tensor<?x32xi32>, tensor<i32>, tensor<i32>) -> tensor<?x32xi32>
    stablehlo.return %j, %next : tensor<i32>, tensor<?x32xi32>
  }
  return %r#1 : tensor<?x32xi32>
}";
    for offsets in [[0, 3, 3, 40, 57], [5, 6, 20, 31, 57], [0, 0, 0, 0, 0]] {
        let mut rng = Rng::with_seed(7);
        let bytes = offsets.iter().flat_map(|n: &i32| n.to_le_bytes()).collect();
        let rows = offsets[4].max(1) as i64;
        let inputs = [
            input(&[rows, 32], &mut rng),
            input(&[8, 8], &mut rng),
            (ElementType::int(32), vec![5], bytes),
        ];
        copied_bytes(source, &inputs, &WAYS);
    }
}
