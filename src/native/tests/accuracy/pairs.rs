//! Operations of two operands: every pair of odd numbers, pairs of all magnitudes, of one, and of
//! numbers and halves.

use super::{order64, run, units};
use mapwright_mlir::ElementType;
use std::fmt::LowerExp;

/// What pairs are made of.
trait Number: Copy + LowerExp + Into<f64> {
    const TYPE: &str;
    const ELEMENT: ElementType;
    /// The least number above zero, one on the edge of what is normal, and one near the end of the
    /// range.
    const EXTREMES: [Self; 3];

    /// The number of these bits; of as many as it has.
    fn from_word(word: u64) -> Self;
    fn rounded(value: f64) -> Self;
    fn put(self, bytes: &mut Vec<u8>);
    /// The first of `bytes`, and the rest of them.
    fn taken(bytes: &[u8]) -> (Self, &[u8]);
    /// Distance from the exact result, or from that of the C library, in units in the last place.
    fn distance(self, exact: f64) -> f64;
}

impl Number for f32 {
    const TYPE: &str = "f32";
    const ELEMENT: ElementType = ElementType::F32;
    const EXTREMES: [f32; 3] = [1e-45, 1e-38, 3e38];

    fn from_word(word: u64) -> f32 {
        f32::from_bits((word >> 32) as u32)
    }
    fn rounded(value: f64) -> f32 {
        value as f32
    }
    fn put(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_le_bytes());
    }
    fn taken(bytes: &[u8]) -> (f32, &[u8]) {
        let (first, rest) = bytes.split_first_chunk().unwrap();
        (f32::from_le_bytes(*first), rest)
    }
    fn distance(self, exact: f64) -> f64 {
        units(self, exact)
    }
}

impl Number for f64 {
    const TYPE: &str = "f64";
    const ELEMENT: ElementType = ElementType::F64;
    const EXTREMES: [f64; 3] = [5e-324, 1e-308, 1e308];

    fn from_word(word: u64) -> f64 {
        f64::from_bits(word)
    }
    fn rounded(value: f64) -> f64 {
        value
    }
    fn put(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_le_bytes());
    }
    fn taken(bytes: &[u8]) -> (f64, &[u8]) {
        let (first, rest) = bytes.split_first_chunk().unwrap();
        (f64::from_le_bytes(*first), rest)
    }
    fn distance(self, exact: f64) -> f64 {
        (order64(exact) - order64(self)).abs() as f64
    }
}

/// Pairs where operations of two operands are hard.
fn samples<T: Number>() -> Vec<(T, T)> {
    // Whole numbers, too, that are odd as f64 and even as f32.
    let odd = [
        0.0,
        1.0,
        2.0,
        3.0,
        0.5,
        16_777_215.0,
        16_777_217.0,
        9_007_199_254_740_991.0,
        f64::INFINITY,
        f64::NAN,
    ];
    let odd: Vec<T> = (odd.into_iter().chain(T::EXTREMES.map(T::into)))
        .flat_map(|x| [T::rounded(x), T::rounded(-x)])
        .collect();
    let mut samples: Vec<(T, T)> = odd
        .iter()
        .flat_map(|x| odd.iter().map(move |y| (*x, *y)))
        .collect();
    let mixed = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let any = |i: u64| T::from_word(mixed(i));
    samples.extend((0..1 << 18).map(|i| (any(i), any(i ^ 0x5555))));
    // Of one magnitude, with powers that leave the range, and bases with the whole numbers and
    // halves between.
    let near = |i: u64| (mixed(i) >> 11) as f64 / 2f64.powi(49) - 8.0;
    let mut both = |x: f64, y: f64| samples.push((T::rounded(x), T::rounded(y)));
    for i in 0..1 << 18 {
        both(near(i), near(i ^ 0x3333));
    }
    for i in 0..1 << 17 {
        both(near(i).abs(), near(i ^ 0x3333) * 60.0);
    }
    for i in 0..1 << 16 {
        both(near(i), (near(i ^ 0x777) * 2.0).round() / 2.0);
    }
    samples
}

/// Results of `op` against `reference`, at most `bound` units in the last place apart. The sign of
/// a zero counts.
fn pairs<T: Number>(op: &str, reference: impl Fn(f64, f64) -> f64, bound: f64) {
    let samples = samples::<T>();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (x, y) in &samples {
        x.put(&mut left);
        y.put(&mut right);
    }
    let results = run(op, T::TYPE, &T::ELEMENT, &[&left, &right], samples.len());
    let mut rest: &[u8] = &results;
    let mut worst = 0.0f64;
    for (x, y) in samples {
        let number;
        (number, rest) = T::taken(rest);
        let found: f64 = number.into();
        let exact = reference(x.into(), y.into());
        let words = format!("{op}({x:e}, {y:e}) is {found:e}, not {exact:e}");
        assert_eq!(found.is_nan(), exact.is_nan(), "{words}");
        if exact.is_nan() {
            continue;
        }
        let negative = exact.is_sign_negative();
        assert_eq!(found.is_sign_negative(), negative, "{words}");
        let error = number.distance(exact);
        worst = worst.max(error);
        assert!(error <= bound, "{error} units: {words}");
    }
    eprintln!("{op} {}: {worst:.2} units", T::TYPE);
}

#[test]
fn two_operands() {
    pairs::<f32>("stablehlo.power", f64::powf, 0.51);
    pairs::<f32>("stablehlo.atan2", f64::atan2, 0.51);
    pairs::<f32>("stablehlo.remainder", |x, y| x % y, 0.0);
}

#[test]
fn two_operands_of_double_precision() {
    pairs::<f64>("stablehlo.power", f64::powf, 1.0);
    pairs::<f64>("stablehlo.atan2", f64::atan2, 1.0);
    pairs::<f64>("stablehlo.remainder", |x, y| x % y, 0.0);
}
