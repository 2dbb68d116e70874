//! Programs of single operations on generated constants, folded and executed.

use mapwright_interpret::{Options, Scalar, Value, run};
use mapwright_mlir::{Op, context::context, diagnostic::Diagnostics, op};
use mapwright_normalize::fold;
use std::{collections::BTreeMap, fmt::Write};

/// Numbers that look random and are the same in every run.
pub struct Random(pub u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let x = self.0;
        (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ (x >> 32)
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.bits() >> 20) % n
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len() as u64) as usize]
    }
}

pub const INTEGERS: [&str; 12] = [
    "i2", "i4", "i8", "i16", "i32", "i64", "ui2", "ui4", "ui8", "ui16", "ui32", "ui64",
];
pub const FLOATS: [&str; 4] = ["bf16", "f16", "f32", "f64"];
pub const SMALL_FLOATS: [&str; 8] = [
    "f8E4M3FN",
    "f8E5M2",
    "f8E4M3",
    "f8E3M4",
    "f8E4M3FNUZ",
    "f8E5M2FNUZ",
    "f8E4M3B11FNUZ",
    "f8E8M0FNU",
];
pub const COMPLEX: [&str; 2] = ["complex<f32>", "complex<f64>"];

fn width(element: &str) -> u32 {
    let digits = element.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    digits[..end].parse().unwrap()
}

/// Bits of exponent and mantissa; about so for the formats of eight bits.
fn format(element: &str) -> (u32, u32) {
    match element {
        "bf16" => (8, 7),
        "f16" => (5, 10),
        "f32" => (8, 23),
        "f64" => (11, 52),
        _ => (4, 3),
    }
}

/// A literal that is no NaN, of which the interpreter keeps neither sign nor payload.
fn number(element: &str, random: &mut Random) -> String {
    let (exponent, mantissa) = format(element);
    let infinity = ((1u64 << exponent) - 1) << mantissa;
    loop {
        let text = literal(element, random);
        let bits = text.strip_prefix("0x");
        let bits = bits.map_or(0, |digits| u64::from_str_radix(digits, 16).unwrap());
        if bits & (u64::MAX >> (65 - width(element))) <= infinity {
            return text;
        }
    }
}

/// An element's literal: every bit pattern, and more often than that what is special.
fn literal(element: &str, random: &mut Random) -> String {
    if let Some(part) = element.strip_prefix("complex<") {
        let part = part.trim_end_matches('>');
        return format!("({}, {})", literal(part, random), literal(part, random));
    }
    let bits = match element {
        "i1" => return (random.below(2) == 1).to_string(),
        _ => width(element),
    };
    let mask = u64::MAX >> (64 - bits);
    if element.contains('f') {
        let (exponent, mantissa) = format(element);
        let one = ((1u64 << (exponent - 1)) - 1) << mantissa;
        let infinity = ((1u64 << exponent) - 1) << mantissa;
        let sign = random.below(2) << (bits - 1);
        let magnitude = match random.below(8) {
            0 => *random.pick(&[
                0,
                1,
                one,
                one + 1,
                one - 1,
                infinity,
                infinity - 1,
                infinity | 1 << (mantissa - 1),
            ]),
            // Numbers of one magnitude, which add up, cancel and tie.
            1..=4 => one + (random.bits() & ((4 << mantissa) - 1)),
            _ => random.bits() & (mask >> 1),
        };
        return format!(
            "0x{:0digits$X}",
            sign | magnitude,
            digits = bits as usize / 4
        );
    }
    let raw = match random.below(4) {
        0 => *random.pick(&[0, 1, mask, mask >> 1, (mask >> 1) + 1]),
        1 => random.below(8) & mask,
        _ => random.bits() & mask,
    };
    if element.starts_with('u') {
        raw.to_string()
    } else {
        ((raw << (64 - bits)) as i64 >> (64 - bits)).to_string()
    }
}

pub fn tensor(shape: &[i64], element: &str) -> String {
    let sizes: String = shape.iter().map(|n| format!("{n}x")).collect();
    format!("tensor<{sizes}{element}>")
}

/// A nested list of literals.
fn dense(shape: &[i64], next: &mut impl FnMut() -> String) -> String {
    match shape {
        [] => next(),
        [n, inner @ ..] => {
            let parts: Vec<String> = (0..*n).map(|_| dense(inner, next)).collect();
            format!("[{}]", parts.join(", "))
        }
    }
}

/// A program of functions, each with one operation on constants.
#[derive(Default)]
pub struct Program {
    text: String,
    /// Function -> what it tests.
    names: BTreeMap<String, String>,
}

/// A constant operand.
pub enum Constant<'t> {
    /// Of any values.
    Any(&'t [i64], &'t str),
    /// Of any values but NaN.
    Numbers(&'t [i64], &'t str),
    /// Of these integers.
    Ints(&'t [i64]),
    /// The same, each in a scalar.
    Scalar(i64),
}
pub use Constant::{Any, Ints, Numbers, Scalar as Index};

impl Program {
    /// `operation` in generic form without types, with operands `%0`, `%1`, …
    pub fn add(
        &mut self,
        random: &mut Random,
        what: &str,
        constants: &[Constant<'_>],
        operation: &str,
        result: &str,
    ) {
        let name = format!("f{}", self.names.len());
        let text = &mut self.text;
        writeln!(text, "func.func @{name}() -> {result} {{").unwrap();
        let mut types = Vec::new();
        for (i, constant) in constants.iter().enumerate() {
            let (value, ty) = match constant {
                Any(shape, element) => (
                    dense(shape, &mut || literal(element, random)),
                    tensor(shape, element),
                ),
                Numbers(shape, element) => (
                    dense(shape, &mut || number(element, random)),
                    tensor(shape, element),
                ),
                Ints(values) => (format!("{values:?}"), tensor(&[values.len() as i64], "i64")),
                Index(value) => (value.to_string(), tensor(&[], "i32")),
            };
            writeln!(text, "  %{i} = stablehlo.constant dense<{value}> : {ty}").unwrap();
            types.push(ty);
        }
        let operands: Vec<String> = (0..constants.len()).map(|i| format!("%{i}")).collect();
        let (operation, rest) = operation.split_once(' ').unwrap_or((operation, ""));
        writeln!(
            text,
            "  %r = \"stablehlo.{operation}\"({}) {rest} : ({}) -> {result}\n  return %r : {result}\n}}",
            operands.join(", "),
            types.join(", ")
        )
        .unwrap();
        self.names.insert(name, what.to_owned());
    }
}

/// Bits, but any NaN for any other.
fn same(a: &Scalar, b: &Scalar) -> bool {
    let float = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    match (a, b) {
        (Scalar::Real(a), Scalar::Real(b)) => float(*a, *b),
        (Scalar::Complex(a, b), Scalar::Complex(c, d)) => float(*a, *c) && float(*b, *d),
        _ => a == b,
    }
}

/// The function of that name, and whether what it returns is a constant.
fn is_folded(module: Op<'_>, name: &str) -> bool {
    let functions = module.body(0).map(op::ops).unwrap_or_default();
    let function = functions
        .into_iter()
        .find(|f| f.string("sym_name").as_deref() == Some(name));
    let block = function
        .and_then(|f| f.body(0))
        .expect("a function with a body");
    let last = op::ops(block).pop().expect("a terminator");
    op::is_constant(last.operand(0))
}

/// Folds a copy of the program and evaluates both. Of every kind of case, `least` per cent must
/// have been folded.
pub fn compare(program: &Program, least: usize) {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let parse = || {
        diagnostics
            .parse("folding.mlir", program.text.as_bytes())
            .unwrap_or_else(|_| panic!("{}", diagnostics.take()))
    };
    let (plain, folded) = (parse(), parse());
    let (plain, folded) = (
        Op::new(plain.as_operation()),
        Op::new(folded.as_operation()),
    );
    fold::fold(folded, 4096);
    assert!(folded.verify(), "{}", diagnostics.take());
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (name, what) in &program.names {
        let count = counts.entry(what).or_default();
        count.1 += 1;
        if !is_folded(folded, name) {
            continue;
        }
        count.0 += 1;
        let evaluate = |module| {
            run(module, name, &[], &Options::default())
                .unwrap_or_else(|error| panic!("{what}, @{name}: {error}"))
        };
        let (want, got) = (evaluate(plain), evaluate(folded));
        let ([Value::Tensor(want)], [Value::Tensor(got)]) = (&want[..], &got[..]) else {
            panic!("{what}: {want:?} {got:?}");
        };
        assert_eq!(
            (&want.element, &want.shape),
            (&got.element, &got.shape),
            "{what}"
        );
        let differs = want
            .data
            .iter()
            .zip(&got.data)
            .position(|(a, b)| !same(a, b));
        if let Some(i) = differs {
            let start = program.text.find(&format!("@{name}()")).unwrap_or(0);
            let text = program.text[start..]
                .split("\n}")
                .next()
                .unwrap_or_default();
            panic!(
                "{what}: element {i} is folded to {:?}, executed it is {:?}\n{text}",
                got.data[i], want.data[i]
            );
        }
    }
    for (what, (folded, all)) in counts {
        assert!(
            folded * 100 >= all * least,
            "{what}: only {folded} of {all} are folded"
        );
    }
}
