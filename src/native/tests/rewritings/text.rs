//! Programs as text.

use fastrand::Rng;

pub fn list(values: &[i64]) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    format!("[{}]", values.join(", "))
}

pub fn array(values: &[i64]) -> String {
    match values {
        [] => "array<i64>".into(),
        _ => format!("array<i64: {}>", list(values).trim_matches(['[', ']'])),
    }
}

pub fn tensor(shape: &[i64], element: &str) -> String {
    let sizes: String = shape.iter().map(|n| format!("{n}x")).collect();
    format!("tensor<{sizes}{element}>")
}

/// A constant of small whole numbers in `range`; now and then a NaN or an infinity where `special`
/// says so.
pub fn constant(
    rng: &mut Rng,
    name: &str,
    shape: &[i64],
    element: &str,
    range: std::ops::RangeInclusive<i64>,
    special: bool,
) -> String {
    let ty = tensor(shape, element);
    let mut one = || {
        let n = rng.i64(range.clone());
        if special && element == "f32" && rng.u8(..5) == 0 {
            let bits = [
                "0x7FC00000",
                "0xFFC00000",
                "0x7F800000",
                "0xFF800000",
                "-0.0",
            ];
            return bits[rng.usize(..bits.len())].to_string();
        }
        match element {
            "i1" => (n % 2 == 0).to_string(),
            e if e.starts_with("ui") => n.abs().to_string(),
            e if e.starts_with("complex") => format!("({n}.0, {}.0)", rng.i64(-2..=2)),
            e if e.contains('f') => format!("{n}.0"),
            _ => n.to_string(),
        }
    };
    fn nested(shape: &[i64], one: &mut impl FnMut() -> String) -> String {
        match shape.split_first() {
            None => one(),
            Some((n, rest)) => {
                let parts: Vec<String> = (0..*n).map(|_| nested(rest, one)).collect();
                format!("[{}]", parts.join(", "))
            }
        }
    }
    let value = if shape.contains(&0) {
        String::new()
    } else {
        nested(shape, &mut one)
    };
    format!("  %{name} = stablehlo.constant dense<{value}> : {ty}\n")
}

pub fn program(body: &str, results: &[(&str, String)]) -> String {
    let names: Vec<&str> = results.iter().map(|(name, _)| *name).collect();
    let types: Vec<&str> = results.iter().map(|(_, ty)| ty.as_str()).collect();
    format!(
        "func.func @main() -> ({}) {{\n{body}  return {} : {}\n}}\n",
        types.join(", "),
        names.join(", "),
        types.join(", ")
    )
}
