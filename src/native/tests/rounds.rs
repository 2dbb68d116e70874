//! Loops that go through tensors slice by slice: what they accumulate, the histories that they
//! keep, and what is read of these, against the interpreter.
//!
//! Numbers are small and whole: sums are exact in any order, so every bit has to be the same.
//! `SEED=1 COUNT=1000 cargo test … many -- --ignored` runs many.

use crate::agreement::{Input, copied_bytes};
use fastrand::Rng;
use mapwright_mlir::{ElementType, TensorType};

/// A loop with what is made of its results.
struct Program {
    source: String,
    /// The arguments: two tensors of slices and a slice.
    inputs: [TensorType; 3],
}

struct Writer<'r> {
    rng: &'r mut Rng,
    element: ElementType,
    text: String,
    names: usize,
}

impl Writer<'_> {
    fn line(&mut self, what: &str, ty: &str) -> String {
        self.names += 1;
        let name = format!("%v{}", self.names);
        self.text += &format!("  {name} = {what} : {ty}\n");
        name
    }

    fn chosen<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.rng.usize(..list.len())].clone()
    }

    /// An operation of two operands whose results are exact for small whole numbers.
    fn binary(&mut self) -> &'static str {
        match &self.element {
            ElementType::Bool => self.chosen(&["and", "or", "xor", "maximum", "add"]),
            ElementType::Int { .. } => self.chosen(&[
                "add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor",
            ]),
            _ => self.chosen(&["add", "subtract", "maximum", "minimum"]),
        }
    }

    /// One that reductions combine elements with, and the literal that a reduction begins with.
    fn reduction(&mut self) -> (&'static str, &'static str) {
        match &self.element {
            ElementType::Bool => self.chosen(&[("and", "true"), ("or", "false"), ("and", "false")]),
            ElementType::Int { .. } => self.chosen(&[
                ("add", "0"),
                ("maximum", "3"),
                ("minimum", "2"),
                ("or", "4"),
                ("add", "1"),
            ]),
            _ => self.chosen(&[
                ("add", "0.0"),
                ("maximum", "-1.0"),
                ("minimum", "0.0"),
                ("add", "1.0"),
            ]),
        }
    }

    fn zero(&self) -> &'static str {
        match &self.element {
            ElementType::Bool => "false",
            ElementType::Int { .. } => "0",
            _ => "0.0",
        }
    }
}

/// The dimensions of a list but those of another.
fn rest(sizes: &[i64], dims: &[usize]) -> Vec<i64> {
    let all = sizes.iter().enumerate();
    all.filter(|(d, _)| !dims.contains(d))
        .map(|(_, n)| *n)
        .collect()
}

fn program(rng: &mut Rng) -> Program {
    let elements = [
        ElementType::F32,
        ElementType::F64,
        ElementType::int(32),
        ElementType::uint(8),
        ElementType::int(64),
        ElementType::Bool,
    ];
    let element = elements[rng.usize(..elements.len())].clone();
    let rounds = [2, 3, 5, 17, 33][rng.usize(..5)];
    let shapes: [&[i64]; 6] = [&[], &[1], &[3], &[16], &[4, 5], &[2, 1, 7]];
    let row = shapes[rng.usize(..shapes.len())].to_vec();
    let dim = rng.usize(..=row.len());
    let (mut whole, mut slice) = (row.clone(), row.clone());
    whole.insert(dim, rounds);
    slice.insert(dim, 1);
    let ty = |sizes: &[i64]| TensorType::new(element.clone(), sizes);
    let (w, s, r) = (ty(&whole), ty(&slice), ty(&row));
    let backwards = rng.bool();
    let mut g = Writer {
        rng,
        element: element.clone(),
        text: String::new(),
        names: 0,
    };
    let starts = |at: &str| -> String {
        let all: Vec<&str> = (0..whole.len())
            .map(|d| if d == dim { at } else { "%zero" })
            .collect();
        all.join(", ")
    };
    let numbers = vec!["tensor<i32>"; whole.len()].join(", ");
    // The body.
    let at = if backwards {
        g.line("stablehlo.subtract %last, %i", "tensor<i32>")
    } else {
        "%i".to_string()
    };
    let sizes: Vec<String> = slice.iter().map(i64::to_string).collect();
    let cut = format!(
        "stablehlo.dynamic_slice %a, {}, sizes = [{}]",
        starts(&at),
        sizes.join(", ")
    );
    let cut = g.line(&cut, &format!("({w}, {numbers}) -> {s}"));
    let x = g.line(
        &format!("stablehlo.reshape {cut}"),
        &format!("({s}) -> {r}"),
    );
    let mut values = vec![x];
    let row_type = r.to_string();
    for _ in 0..g.rng.usize(..3) {
        let (p, q, by) = (g.chosen(&values), g.chosen(&values), g.binary());
        values.push(g.line(&format!("stablehlo.{by} {p}, {q}"), &row_type));
    }
    let accumulates = g.rng.usize(..4) > 0;
    let (p, by) = (g.chosen(&values), g.binary());
    let next = if accumulates {
        g.line(&format!("stablehlo.{by} %c, {p}"), &row_type)
    } else {
        let twice = g.line(&format!("stablehlo.{by} {p}, %c"), &row_type);
        let by = g.binary();
        g.line(&format!("stablehlo.{by} {twice}, {p}"), &row_type)
    };
    values.push(next.clone());
    if g.rng.bool() {
        values.push("%c".into());
    }
    let mut kept = Vec::new();
    for history in ["%g", "%h"] {
        let (p, q) = (g.chosen(&values), g.chosen(&values));
        let value = if g.rng.bool() {
            g.chosen(&[next.clone(), p])
        } else {
            let by = g.chosen(&["maximum", "minimum"]);
            g.line(&format!("stablehlo.{by} {p}, {q}"), &row_type)
        };
        let value = g.line(
            &format!("stablehlo.reshape {value}"),
            &format!("({r}) -> {s}"),
        );
        let update = format!(
            "stablehlo.dynamic_update_slice {history}, {value}, {}",
            starts(&at)
        );
        kept.push(g.line(&update, &format!("({w}, {s}, {numbers}) -> {w}")));
    }
    let body = std::mem::take(&mut g.text);
    // What is made of the results.
    let (mut results, mut types) = (Vec::new(), Vec::new());
    if g.rng.bool() {
        results.push("%l#2".to_string());
        types.push(row_type.clone());
    }
    let whole_type = w.to_string();
    for history in ["%l#3", "%l#4"] {
        let mut value = history.to_string();
        for _ in 0..g.rng.usize(..3) {
            let other = g.chosen(&[value.clone(), "%y".into(), "%same".into()]);
            let by = g.chosen(&["maximum", "minimum", "add"]);
            value = g.line(&format!("stablehlo.{by} {value}, {other}"), &whole_type);
        }
        match g.rng.usize(..5) {
            0 => {
                results.push(value);
                types.push(whole_type.clone());
            }
            1 => {
                let last = if backwards { 0 } else { rounds - 1 };
                let ranges: Vec<String> = (0..whole.len())
                    .map(|d| {
                        if d == dim {
                            format!("{last}:{}", last + 1)
                        } else {
                            format!("0:{}", whole[d])
                        }
                    })
                    .collect();
                let cut = format!("stablehlo.slice {history} [{}]", ranges.join(", "));
                results.push(g.line(&cut, &format!("({w}) -> {s}")));
                types.push(s.to_string());
            }
            how => {
                let mut dims = vec![dim];
                if how == 3 {
                    dims = (0..whole.len()).collect();
                }
                if how == 4 && dim > 0 {
                    dims.insert(0, 0);
                }
                let to = ty(&rest(&whole, &dims));
                let ((by, start), one) = (g.reduction(), ty(&[]));
                let start = g.line(
                    &format!("stablehlo.constant dense<{start}>"),
                    &one.to_string(),
                );
                let reduce = format!(
                    "stablehlo.reduce({value} init: {start}) applies stablehlo.{by} across dimensions = {dims:?}"
                );
                results.push(g.line(&reduce, &format!("({w}, {one}) -> {to}")));
                types.push(to.to_string());
            }
        }
    }
    let after = std::mem::take(&mut g.text);
    let zero = g.zero();
    let (results, types) = (results.join(", "), types.join(", "));
    let source = format!(
        "func.func @main(%x: {w}, %y: {w}, %c0: {r}) -> ({types}) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<{}> : tensor<i32>
  %empty = stablehlo.constant dense<{zero}> : {w}
  %same = stablehlo.constant dense<{zero}> : {w}
  %l:5 = stablehlo.while(%a = %x, %i = %zero, %c = %c0, %g = %empty, %h = %empty) : {w}, tensor<i32>, {r}, {w}, {w}
  cond {{
  %b = stablehlo.compare LE, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %b : tensor<i1>
  }} do {{
{body}  %j = stablehlo.add %i, %one : tensor<i32>
  stablehlo.return %a, %j, {next}, {}, {} : {w}, tensor<i32>, {r}, {w}, {w}
  }}
{after}  return {results} : {types}
}}",
        rounds - 1,
        kept[0],
        kept[1]
    );
    Program {
        source,
        inputs: [w.clone(), w, r],
    }
}

/// Small whole numbers.
fn bytes(rng: &mut Rng, ty: &TensorType) -> Vec<u8> {
    let count = ty.num_elements().unwrap_or(0);
    let numbers = (0..count).map(|_| rng.i8(-2..=2));
    let whole: Vec<i8> = numbers.collect();
    match ty.element.clone() {
        ElementType::F32 => (whole.iter())
            .flat_map(|n| f32::from(*n).to_le_bytes())
            .collect(),
        ElementType::F64 => (whole.iter())
            .flat_map(|n| f64::from(*n).to_le_bytes())
            .collect(),
        ElementType::Bool => whole.iter().map(|n| u8::from(*n > 0)).collect(),
        other => {
            let width = other.byte_width().unwrap_or(1);
            let long = |n: &i8| i64::from(*n).to_le_bytes()[..width].to_vec();
            whole.iter().flat_map(long).collect()
        }
    }
}

/// Compiles a program, runs it with one thread and two, and without what is tested here, and
/// compares every bit.
fn check(program: &Program, rng: &mut Rng) {
    let inputs: Vec<Input> = (program.inputs.iter())
        .map(|ty| {
            let shape = ty.static_shape().expect("static");
            (ty.element.clone(), shape, bytes(rng, ty))
        })
        .collect();
    let ways = [
        (1, None),
        (2, None),
        (1, Some("rounds")),
        (1, Some("light-loops")),
    ];
    copied_bytes(&program.source, &inputs, &ways);
}

fn several(seed: u64, count: u64) {
    for seed in seed..seed + count {
        let mut rng = Rng::with_seed(seed);
        let program = program(&mut rng);
        check(&program, &mut rng);
    }
}

#[test]
fn a_few() {
    several(0, 60);
}

#[test]
#[ignore = "many"]
fn many() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
    };
    several(number("SEED", 1), number("COUNT", 300));
}
